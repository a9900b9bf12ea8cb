"""Board games, dice, tournaments and grids."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Bool, Int, Matrix, Vector


@task(rows=(2, 5), cols=(2, 5))
def king_moves_to_each_square(
    height: Int("rows", "rows"), width: Int("cols", "cols"), row: Int(0, "rows-1"), column: Int(0, "cols-1")
):
    """A chess king stands on square (`row`, `column`), counted from 0, of a board with `height` rows and `width`
    columns. The number of moves it needs to reach a square is the larger of the distance in rows and the distance in
    columns. Return the numbers for all squares as a list of rows."""
    down, across = np.indices((height, width))
    return np.maximum(np.absolute(down - row), np.absolute(across - column))


@task(rows=(2, 4), cols=(2, 5), equivalent={"remainder -> fmod": "no square has a negative number"})
def coins_beside_the_traps(coins: Matrix(Int(1, 30), "rows", "cols")):
    """There are `coins` on every square of a board. A square is a trap if its row number plus its column number, both from
    0, is a multiple of three (0 is one too), and whatever lies on a trap is lost. Return the coins left, with 0 on the
    traps, as a list of rows."""
    spacing = np.mod(np.sum(np.indices(np.shape(coins)), axis=0), 3)
    return np.where(spacing, coins, 0)


@task(rows=(2, 4), cols=(2, 4))
def treasure_worth_from_corner(treasure: Matrix(Int(0, 60), "rows", "cols")):
    """An explorer stands on the top left square of a board with a `treasure` on each square. For her a treasure is
    worth its value divided by one plus the straight-line distance to its square (root of row number squared plus column
    number squared, counted from 0). Return these worths as a list of rows."""
    distance = np.fromfunction(np.hypot, np.shape(treasure))
    return np.divide(treasure, np.add(1, distance))


@task
def chances_of_two_dice(first: Int(2, 12), second: Int(2, 12)):
    """Two fair dice, one with `first` sides and one with `second` sides (numbered from 1), are rolled together. Return
    the chance of every total, from 2 up to the largest, as a list of fractions of 1."""
    ways = np.convolve(np.ones(first), np.ones(second))
    return np.divide(ways, first * second)


@task(rows=(2, 4), cols=(2, 4), tokens=(1, 3))
def bonus_tokens_on_board(
    points: Matrix(Int(-9, 9), "rows", "cols"),
    squares: Vector(Int(0, 3), "tokens", unique=True),
    bonus: Vector(Int(2, 9), "tokens"),
):
    """Every square of a board carries `points`, some of them penalties. Bonus tokens are then laid out: token i, worth the
    i-th number in `bonus`, goes onto the i-th of the `squares`, which are all different and counted from 0 along the first
    row, then the second, and so on. Add the worth of each token to the points of its square and return the whole board as a list of
    rows."""
    sheet = np.zeros_like(points)
    np.put(sheet, squares, bonus)
    return np.add(points, sheet)


@task(n=(2, 5))
def triple_points_on_diagonal(board: Matrix(Int(-9, 9), "n", "n")):
    """Each cell of a square `board` holds points, which may be negative. Points on the main diagonal, from the top left
    to the bottom right, count three times, all others once. Return the total of each row, counted in this way, as a
    list."""
    factors = np.ones_like(board)
    np.fill_diagonal(factors, 3)
    return np.sum(np.multiply(board, factors), axis=1)


@task(rows=(2, 4), cols=(2, 4))
def opponents_view_of_map(
    terrain: Matrix(Int(1, 9), "rows", "cols"), seen: Matrix(Bool(), "rows", "cols"), fog: Int(0, 20)
):
    """In a war game a square of `terrain` is known to the opponent only where `seen` is True; the rest shows the number
    `fog`. The opponent sits across the table, so the whole map appears to him turned by half a turn. Return what he
    sees as a list of rows."""
    view = np.full_like(terrain, fog)
    np.copyto(view, terrain, where=seen)
    return np.rot90(view, k=2)


@task(
    equivalent={
        "subtract -> remainder": "there are fewer than twice as many places as players",
        "subtract -> fmod": "there are fewer than twice as many places as players",
    }
)
def byes_in_first_round(players: Vector(Int(3, 60, but=(4, 8, 16, 32)), (2, 6))):
    """A knockout cup needs as many places as the next larger power of two; the places for which there is no player are
    byes. `players` holds the number of players of several cups, never a power of two itself. Return the number of byes of
    each cup, as a list."""
    places = np.exp2(np.ceil(np.log2(players)))
    return np.subtract(places, players)


@task(games=(2, 6))
def expected_chess_scores(mine: Vector(Int(1000, 2200), "games"), theirs: Vector(Int(1000, 2200), "games")):
    """My rating before each chess game is in `mine`, the opponent's in `theirs`. My expected score is
    1 / (1 + 10^d), where d is the opponent's rating minus mine, divided by 400. Return the expected scores as a list."""
    gap = np.divide(np.subtract(theirs, mine), 400)
    return np.reciprocal(np.add(1, np.power(10, gap)))


@task
def towers_from_the_castle(
    columns: Vector(Int(-9, 9), (2, 5), unique=True), lines: Vector(Int(-9, 9, but=(0,)), (2, 4), unique=True)
):
    """A castle game puts a tower at every crossing of the given `columns` (x values) and `lines` (y values); the castle
    itself is at (0, 0). For every line, in the order given, return the average straight-line distance of its towers
    from the castle, as a list."""
    x, y = np.meshgrid(columns, lines)
    return np.mean(np.hypot(x, y), axis=1)
