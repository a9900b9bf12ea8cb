"""Chess boards, draughts and other games on squares."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Choice, Int, Matrix, Vector

TRUTHS = {
    "count_nonzero -> sum": "the sum of True and False is the number of True",
    "count_nonzero -> nansum": "the sum of True and False is the number of True",
}


@task(equivalent={"sum -> count_nonzero": "the digits that are added up are 0 and 1"})
def pieces_in_most_danger(reach: Vector(Int(0, 4095), (2, 6)), squares: Vector(Int(0, 11), (3, 10), unique=True)):
    """Chess on a tiny board of twelve squares, 0 to 11: for every enemy piece, `reach` holds a number whose binary
    digit worth 2 to the power s is 1 if that piece attacks square s. My pieces stand on `squares`. Return a tuple of
    three lists: my squares from the one with the most attackers to the one with the fewest (of squares with equally
    many attackers, the lower number first); the number of attackers of each in that order; for every enemy piece the
    number of squares of the board that it attacks."""
    attackers = np.sum(np.right_shift(np.array(reach)[:, None], squares) & 1, axis=0)
    order = np.lexsort((squares, -attackers))
    return np.take(squares, order), attackers[order], np.bitwise_count(reach)


@task
def pieces_by_free_squares(reach: Vector(Int(0, 511), (4, 12)), own: Int(0, 511)):
    """On a 3 by 3 board a set of squares is a number of nine binary digits, with a 1 for each square in the set. For
    each of my pieces, counted from 0, `reach` holds the squares it could jump to, and `own` the squares taken by my own
    pieces, where it may not land. Return a tuple: the numbers of my pieces, the one that can land on the most squares
    first (pieces with equally many squares in ascending order), and how many moves there are: pairs of a piece and a
    square on which it can land."""
    free = np.bitwise_count(np.array(reach) & np.invert(own))
    return np.argsort(9 - free, stable=True), np.sum(free)


@task
def most_symmetric_columns(position: Matrix(Choice(-3, -1, 0, 0, 1, 3), (2, 8), (3, 8))):
    """In `position`, a list of rows, white pieces are positive numbers, black ones negative and 0 is empty. At the
    start of a game, reading the rows from bottom to top shows on every square the opposite of its number (-3 instead of
    3, 0 instead of 0); a square of the given position for which this is not so is broken. Return the columns, counted
    from 0, that have the fewest broken squares, as an ascending list."""
    broken = np.count_nonzero(np.add(position, np.flipud(position)), axis=0)
    return np.flatnonzero(broken == np.min(broken))


@task(
    equivalent={
        "multiply -> dot": "one of the factors is a single number",
        "multiply -> inner": "one of the factors is a single number",
    }
)
def richest_rook_square(values: Matrix(Int(0, 4), (2, 7), (2, 8))):
    """A treasure game is played on a rectangle of coins, `values`, given as rows. A rook collects everything else in
    its row and everything else in its column, but not what lies on the square where it stands. Return the square that
    yields most, as a tuple (row, column), counted from 0; the first one in reading order if several tie."""
    lines = np.add(np.sum(values, axis=1, keepdims=True), np.sum(values, axis=0))
    yields = np.subtract(lines, np.multiply(values, 2))
    return np.unravel_index(np.argmax(yields), np.shape(values))


@task(
    equivalent={"dstack -> transpose": "it gives the same squares rank by rank, and they are put in order afterwards"}
)
def squares_with_most_stones(files: Vector(Int(1, 8), (3, 12)), ranks: Vector(Int(1, 8), (3, 12))):
    """A game is played with cards for the files and the ranks of a board, both numbered 1 to 8. Every card in `files`
    together with every card in `ranks` puts a stone on the square [file, rank], so that a square gets several stones if
    cards come twice. Return a tuple: the largest number of stones on one square, and the squares that have so many, as
    a list of pairs in ascending order: by file, then by rank."""
    grid = np.broadcast_arrays(files, np.expand_dims(ranks, axis=1))
    squares, stones = np.unique(np.reshape(np.dstack(grid), (-1, 2)), axis=0, return_counts=True)
    return np.max(stones), squares[stones == np.max(stones)]


@task(
    equivalent={
        "rows - king // 8: operands swapped": "only the size of the difference is used",
        "columns - king % 8: operands swapped": "only the size of the difference is used",
    }
)
def squares_by_king_distance(squares: Vector(Int(0, 63), (5, 30)), king: Int(0, 63)):
    """The squares of a chess board are numbered 0 to 63, row by row, eight to a row. A king on square `king` needs as
    many moves to another square as the larger of the two distances, in rows and in columns. Return a list of eight
    numbers: how many of the given `squares` are 0, 1, 2 and so on up to 7 moves away."""
    rows, columns = np.unravel_index(squares, (8, 8))
    moves = np.maximum(np.absolute(rows - king // 8), np.absolute(columns - king % 8))
    return np.bincount(moves, minlength=8)


@task(equivalent={"pad: mode='linear_ramp' added": "a ramp of one step to 0 is 0"})
def own_pieces_from_the_other_side(draughts: Matrix(Int(0, 2), (2, 8), (2, 8))):
    """For its second game a draughts engine takes over the other side of the board `draughts`, whose rows hold 0 for
    empty, 1 for its former pieces and 2 for those of the opponent, which are its own from now on. It sees the board
    after half a turn, with one ring of empty squares around it, and numbers the squares of this larger board row by row
    from
    0. Return the numbers of the squares with its own pieces, as an ascending list."""
    own = np.choose(draughts, [0, 0, 1])
    return np.flatnonzero(np.pad(np.rot90(own, k=2), 1))


@task(equivalent={"swapaxes -> moveaxis": "moving a level past its neighbour exchanges the two"})
def most_varied_sudoku_boxes(grid: Matrix(Int(1, 6), 6, 6)):
    """A children's sudoku `grid`, filled in at random, has six rows of six numbers and six boxes, each two rows high
    and three columns wide. The boxes are counted from 0 in reading order: 0 and 1 at the top, 4 and 5 at the bottom.
    Return the boxes that hold the most different numbers, as an ascending list."""
    boxes = np.swapaxes(np.reshape(grid, (3, 2, 2, -1)), 1, 2)
    ordered = np.sort(np.reshape(boxes, (6, -1)))
    different = np.count_nonzero(np.diff(ordered), axis=1)
    return np.flatnonzero(different == np.max(different))


@task(players=(3, 9))
def club_ranking(points: Matrix(Int(0, 3), "players", "players")):
    """In a club everybody plays everybody over several boards: `points`[i][j] is what player i scored against player j
    (the diagonal means nothing). Whoever has more points in a pairing wins it. Players are ranked by the number of
    pairings won minus the number lost, best first; of players who are level the one with the lower number comes first.
    Return a tuple: the player numbers, counted from 0, in the order of the ranking, and this balance of each of
    them in the same order."""
    balance = np.sum(np.sign(np.subtract(points, np.transpose(points))), axis=1)
    ranking = np.argsort(-balance, stable=True)
    return ranking, balance[ranking]


@task
def ring_of_switch_boxes(boxes: Vector(Int(0, 63), (4, 20))):
    """In a puzzle, `boxes` stand in a circle, and six switches in each are the binary digits of its number. At the
    gong every switch takes a new position: 1 if the switches of the same digit in the two neighbouring boxes differ,
    else 0. Return how many switches are at 1 afterwards in the box that has the most."""
    after = np.bitwise_xor(np.roll(boxes, 1), np.roll(boxes, -1))
    return np.max(np.bitwise_count(after))


@task
def occupied_squares(mine: Vector(Int(0, 11), (1, 9), unique=True), yours: Int(0, 4095)):
    """On a tiny board of twelve squares, 0 to 11, my pieces stand on the squares listed in `mine`. The squares of your
    pieces are kept in one number, `yours`, whose binary digit worth 2 to the power s is 1 if you have a piece on square
    s; in this game both of us may stand on the same square. Return a dict: "board", a text of twelve characters, 1 for
    each square with a piece and 0 for each empty one, from square 11 down to square 0, and "taken", the number of
    squares with a piece."""
    taken = np.bitwise_or(np.sum(np.left_shift(1, mine)), yours)
    return {"board": np.binary_repr(int(taken), width=12), "taken": np.bitwise_count(taken)}
