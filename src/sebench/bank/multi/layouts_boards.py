"""Chess boards, draughts and other games on squares."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Choice, Int, Matrix, Vector


@task
def pieces_under_attack(attacked: Int(0, 4095), squares: Vector(Int(0, 11), (3, 7), unique=True)):
    """A program for chess on a tiny board of twelve squares, 0 to 11, keeps the squares that the enemy attacks in one
    number, `attacked`: its binary digit worth 2 to the power s is 1 if square s is attacked. My pieces stand on
    `squares`. Return how many of them are attacked."""
    places = np.left_shift(1, squares)
    return np.count_nonzero(np.bitwise_and(places, attacked))


@task
def free_moves_per_piece(reach: Vector(Int(0, 511), (2, 5)), own: Int(0, 511)):
    """On a 3 by 3 board a set of squares is a number of nine binary digits, with a 1 for each square in the set. For
    each of my pieces `reach` holds the squares it could jump to, and `own` the squares taken by my own pieces, where it
    may not land. Return for each piece how many squares remain, as a list."""
    allowed = np.bitwise_and(reach, np.invert(own))
    return np.bitwise_count(allowed)


@task
def broken_opening_symmetry(position: Matrix(Choice(-3, -1, 0, 1, 3), (2, 5), (2, 4))):
    """In `position`, a list of rows, white pieces are positive numbers, black ones negative and 0 is empty. At the
    start of a game, reversing the order of the rows puts onto every square the opposite of its number (-3 where 3 was,
    0 where 0 was). Return, for each column of the given position, the number of squares where this is not so, as a
    list."""
    pairs = np.add(position, np.flipud(position))
    return np.count_nonzero(pairs, axis=0)


@task(
    equivalent={
        "multiply -> dot": "one of the factors is a single number",
        "multiply -> inner": "one of the factors is a single number",
    }
)
def richest_rook_square(values: Matrix(Int(0, 9), (2, 4), (2, 4))):
    """A treasure game is played on a rectangle of coins, `values`, given as rows. A rook placed on a square collects
    its whole row and its whole column, but nothing for the square on which it stands itself, in either direction.
    Return the square that yields most, as a tuple (row, column), counted from 0; the first one in reading order if
    several tie."""
    lines = np.add(np.sum(values, axis=1, keepdims=True), np.sum(values, axis=0))
    yields = np.subtract(lines, np.multiply(values, 2))
    return np.unravel_index(np.argmax(yields), np.shape(values))


@task
def squares_of_ranks_and_files(
    files: Vector(Int(1, 8), (2, 4), unique=True), ranks: Vector(Int(1, 8), (2, 3), unique=True)
):
    """List all squares where one of the `files` meets one of the `ranks`. A square is written [file, rank]. Go through
    the ranks in the given order, and within a rank through the files in the given order. Return a list of such pairs,
    one pair per row."""
    grid = np.broadcast_arrays(files, np.expand_dims(ranks, axis=1))
    return np.reshape(np.dstack(grid), (-1, 2))


@task
def king_walk_to_squares(squares: Vector(Int(0, 63), (2, 7)), king: Int(0, 63)):
    """Squares are numbered 0 to 63: the three lowest binary digits of a number are the file, the digits above them the
    rank. The `king` needs as many moves to a square as the larger of the two distances, in files and in ranks. Return
    the number of moves to each of the `squares`, as a list."""
    up = np.absolute(np.right_shift(squares, 3) - np.right_shift(king, 3))
    across = np.absolute(np.bitwise_and(squares, 7) - np.bitwise_and(king, 7))
    return np.maximum(up, across)


@task
def board_from_the_other_side(draughts: Matrix(Int(0, 2), (2, 4), (2, 4))):
    """For its second game a draughts engine takes over the other side. The board `draughts`, in rows, holds 0 for
    empty, 1 for its pieces and 2 for the opponent's: give it half a turn, exchange the roles of 1 and 2, and add one
    ring of squares with the value 3 around everything as a wall. Return the rows."""
    swapped = np.choose(np.rot90(draughts, k=2), [0, 2, 1])
    return np.pad(swapped, 1, constant_values=3)


@task(equivalent={"swapaxes -> moveaxis": "moving a level past its neighbour exchanges the two"})
def small_sudoku_boxes(grid: Matrix(Int(1, 4), 4, 4)):
    """A children's sudoku `grid`, filled in but not always correctly, has four rows of four numbers and four boxes of
    two by two. For each box, in reading order (top left, top right, bottom left, bottom right), write its four numbers
    in ascending order. Return one row per box, as a list of rows."""
    boxes = np.swapaxes(np.reshape(grid, (2, 2, 2, -1)), 1, 2)
    return np.sort(np.reshape(boxes, (4, -1)))


@task(players=(2, 5))
def won_minus_lost(points: Matrix(Int(0, 3), "players", "players")):
    """In a club everybody plays everybody over several boards: `points`[i][j] is what player i scored against player j
    (the diagonal means nothing). Whoever has more points in a pairing wins it. Return for each player the number of
    pairings won minus the number lost, as a list."""
    lead = np.subtract(points, np.transpose(points))
    return np.sum(np.sign(lead), axis=1)


@task
def ring_of_switch_boxes(boxes: Vector(Int(0, 63), (4, 7))):
    """In a puzzle, `boxes` stand in a circle, and six switches in each are the binary digits of its number. At the
    gong every switch takes a new position: 1 if the switches of the same digit in the two neighbouring boxes differ,
    else 0. Return how many switches are at 1 afterwards in the box that has the most."""
    after = np.bitwise_xor(np.roll(boxes, 1), np.roll(boxes, -1))
    return np.max(np.bitwise_count(after))
