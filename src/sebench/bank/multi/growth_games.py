"""Board games, dice, tournaments and grids."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Bool, Int, Matrix, Vector

# Of rows of the same length, totals and averages are in the same order.
SAME_ORDER = {
    f"sum -> {other}": "the rows have the same length, so their averages are in the same order"
    for other in ("mean", "average", "nanmean")
}


@task(
    rows=(2, 8),
    cols=(2, 9),
    equivalent={
        f"{difference}: operands swapped": "a distance is the same in both directions"
        for difference in ("down - row", "across - column")
    },
)
def king_moves_to_each_square(
    height: Int("rows", "rows"), width: Int("cols", "cols"), row: Int(0, "rows-1"), column: Int(0, "cols-1")
):
    """A chess king stands on square (`row`, `column`), counted from 0, of a board with `height` rows and `width`
    columns. The number of moves it needs to reach a square is the larger of the distance in rows and the distance in
    columns. Return how many squares need how many moves, as a list of [moves, squares] rows by ascending moves,
    beginning with 0 moves for its own square."""
    down, across = np.indices((height, width))
    moves = np.maximum(np.absolute(down - row), np.absolute(across - column))
    return np.column_stack(np.unique(moves, return_counts=True))


@task(rows=(2, 8), cols=(2, 10), equivalent={"remainder -> fmod": "no square has a negative number"})
def columns_between_the_traps(coins: Matrix(Int(0, 20), "rows", "cols"), fine: Int(1, 15)):
    """There are `coins` on every square of a board. A square is a trap if its row number plus its column number, both
    from 0, is a multiple of three (0 is one too): who steps on it gets nothing and pays `fine` coins. A player walks
    down one column, stepping on each of its squares. Return what she gains in the columns of the board (negative if she
    pays more than she gets), from the best column to the worst, as a list."""
    down, across = np.indices(np.shape(coins))
    gains = np.where(np.mod(down + across, 3), coins, -fine)
    return np.flip(np.sort(np.sum(gains, axis=0)))


@task(rows=(2, 5), cols=(2, 7))
def treasure_worth_from_corner(treasure: Matrix(Int(0, 40), "rows", "cols"), toll: Int(1, 5)):
    """An explorer stands on the top left square of a board with a `treasure` on each square. For her a treasure is
    worth its value less `toll` for every unit of the straight-line distance to its square (neighbours in a row or
    column are one unit apart). Return the treasure that is worth most to her, in a tie the first one in reading order,
    as a tuple (row, column, worth), with row and column counted from 0."""
    worth = np.subtract(treasure, toll * np.fromfunction(np.hypot, np.shape(treasure)))
    row, column = np.unravel_index(np.argmax(worth), np.shape(worth))
    return row, column, worth[row, column]


@task
def middle_total_of_two_bags(red: Vector(Int(1, 6), (2, 9)), blue: Vector(Int(1, 6), (2, 9))):
    """Two bags hold discs worth 0, 1, 2, ... points: entry k of `red` and of `blue` says how many discs worth k points
    are in the red and in the blue bag. One disc is drawn from each bag, so every pairing of a red with a blue disc is
    equally likely. Return the lowest number t for which the total of both discs is t or lower with a chance of at least
    one half."""
    ways = np.cumsum(np.convolve(red, blue))
    return np.searchsorted(ways, ways[-1] / 2)


@task(
    rows=(3, 7),
    cols=(4, 8),
    tokens=(1, 8),
    equivalent={"clip: arguments 1 and 2 swapped": "the larger of value and lower limit is the same either way"},
)
def best_row_with_bonus_tokens(
    points: Matrix(Int(-9, 9), "rows", "cols"),
    squares: Vector(Int(0, 11), "tokens", unique=True),
    bonus: Vector(Int(2, 9), "tokens"),
    most: Int(4, 9),
):
    """Every square of a board carries `points`, some of them penalties. Token i, worth the i-th number in `bonus`, goes
    onto the i-th of the `squares`, which are all different and counted from 0 along the first row, then the second, and
    so on; it makes its square worth so much more. In the end no square counts for more than `most` points, or for fewer
    than minus `most`. Return a tuple of two: the number (from 0) of the row that is worth most, the first such row in a
    tie; its worth."""
    sheet = np.zeros_like(points)
    np.put(sheet, squares, bonus)
    worth = np.sum(np.clip(sheet + points, -most, most), axis=1)
    best = np.argmax(worth)
    return best, worth[best]


@task(n=(2, 9), equivalent={**SAME_ORDER, "fill_diagonal: wrap=True added": "only tall tables have a second stretch"})
def rows_with_triple_points(board: Matrix(Int(-5, 5), "n", "n")):
    """Each cell of an n by n `board` holds points, which may be negative. Points on the main diagonal, from the top
    left to the bottom right, count three times, the others once. Return the numbers (from 0) of the rows that reach
    more points than the middle one of all rows, in order of points (midway between the two middle ones if their count
    is even), ascending, as a list; it may be empty."""
    factors = np.ones_like(board)
    np.fill_diagonal(factors, 3)
    totals = np.sum(factors * board, axis=1)
    return np.flatnonzero(np.greater(totals, np.median(totals)))


@task(rows=(2, 7), cols=(2, 8))
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
def byes_in_first_round(players: Vector(Int(3, 500, but=(4, 8, 16, 32, 64, 128, 256)), (2, 16))):
    """A knockout cup needs as many places as the next larger power of two; the places for which there is no player are
    byes. `players` holds the number of players of several cups, never a power of two itself. Return the number of byes
    of each cup, as a list."""
    places = np.exp2(np.ceil(np.log2(players)))
    return np.subtract(places, players)


@task(teams=(2, 8), rounds=(2, 10))
def chess_league_order(ours: Matrix(Int(0, 4), "teams", "rounds"), theirs: Matrix(Int(0, 4), "teams", "rounds")):
    """In a chess league `ours` has one row per team and one column per round with the boards that the team won, and
    `theirs` the boards that its opponent won in that round. A team gets 1 point for a round in which it won more
    boards, half a point for a draw and nothing otherwise. Return a list of [team, points] rows, teams being numbered
    from 0, from the most points to the fewest, in a tie the lower number first."""
    points = np.sum(np.heaviside(np.subtract(ours, theirs), 0.5), axis=1)
    order = np.argsort(-points, stable=True)
    return np.column_stack([order, points[order]])


@task(equivalent={"greater_equal -> floor_divide": "the quotient is 0, so false, for the smaller counts only"})
def score_of_dice_sets(dice: Vector(Int(1, 6), (4, 16)), least: Int(2, 5)):
    """After a throw, the `dice` that show the same number make a set if there are `least` or more of them. A set scores
    its number times the count of its dice; a die that belongs to no set scores one point. Return the score of the whole
    throw."""
    values, counts = np.unique(dice, return_counts=True)
    return np.sum(np.where(np.greater_equal(counts, least), values * counts, counts))


@task
def towers_from_the_castle(
    columns: Vector(Int(-15, 15), (2, 12), unique=True), lines: Vector(Int(-9, 9, but=(0,)), (2, 8), unique=True)
):
    """A castle game puts a tower at every crossing of the given `columns` (x values) and `lines` (y values); the castle
    itself is at (0, 0). For every line, in the order given, return the average straight-line distance of its towers
    from the castle, as a list."""
    x, y = np.meshgrid(columns, lines)
    return np.mean(np.hypot(x, y), axis=1)


@task(
    rows=(1, 9),
    cols=(2, 8),
    equivalent={
        "logical_xor -> bitwise_xor": "of truth values both are the same",
        "count_nonzero -> sum": "adding up truth values counts the true ones",
        "count_nonzero -> nansum": "adding up truth values counts the true ones",
        "logical_xor -> not_equal": "two truth values differ if exactly one of them is true",
    },
)
def upper_half_of_the_lamps(lit: Matrix(Bool(), "rows", "cols"), pressed: Matrix(Bool(), "rows", "cols")):
    """A puzzle has a table of lamps: `lit` is True for those that burn. Every lamp has a switch that turns it from off
    to on or from on to off, and `pressed` is True for the switches that a player has pressed since. Let r be the lowest
    row number (from 0) for which the rows from 0 to r together have at least half of the lamps that burn now; 0 if none
    burns. Return a tuple: r, and how many lamps burn in these rows."""
    burning = np.cumsum(np.count_nonzero(np.logical_xor(lit, pressed), axis=1))
    row = np.searchsorted(burning, burning[-1] / 2)
    return row, burning[row]


@task(
    n=(2, 5),
    equivalent={
        "fliplr -> flipud": "the rising diagonal is only read from its other end",
        "fliplr -> rot90": "the rising diagonal is only read from its other end",
        "count_nonzero -> sum": "adding up truth values counts the true ones",
        "count_nonzero -> nansum": "adding up truth values counts the true ones",
        "all -> prod": "the product of truth values is true if all are",
        "all -> nanprod": "the product of truth values is true if all are",
        "all -> min": "the least of several truth values is true if all are",
        "all -> nanmin": "the least of several truth values is true if all are",
    },
)
def bingo_lines(card: Matrix(Int(1, 12), "n", "n"), called: Vector(Int(1, 12), (3, 12), unique=True)):
    """A bingo `card` has as many rows as columns of numbers, some perhaps more than once. A cell is marked when its
    number is among those in `called`. A line is a row, a column, or one of the two diagonals from corner to corner.
    Return how many lines have nothing but marked cells."""
    marked = np.isin(card, called)
    falling, rising = np.all(np.diagonal(marked)), np.all(np.diagonal(np.fliplr(marked)))
    return np.count_nonzero(np.hstack([np.all(marked, axis=0), np.all(marked, axis=1), falling, rising]))
