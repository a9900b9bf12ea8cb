"""Options and edge rules of sorting and searching that no training task shows."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Choice, Int, Matrix, Vector

# Ages, and the positions that bring them into ascending order: a pair that belongs together cannot be drawn apart.
AGES = [
    [(7 * step * k + step + k * k) % 60 + 1 for k in range(length)]
    for step, length in ((3, 10), (5, 14), (8, 12), (11, 17), (2, 20), (9, 11))
]
REGISTERS = [[ages, sorted(range(len(ages)), key=ages.__getitem__)] for ages in AGES]


@task(usage="a holds nan", page="nan comes last", nonfinite=True)
def finishers_then_dropouts(times: Vector(Choice(float("nan"), float("nan"), *range(60, 85)), (10, 25))):
    """Race `times` are in minutes, and nan stands for a runner who gave up. Return the list for the notice board: the
    times from the shortest to the longest, and after them one nan for every runner who gave up."""
    return np.sort(times)


@task(usage="a holds complex numbers", page="Complex numbers are ordered by their real parts")
def order_of_map_points(
    points: Vector(Choice(*(complex(x, y) for x in range(4) for y in range(8))), (8, 16), unique=True),
):
    """Places on a map are complex numbers, east in the real and north in the imaginary part; no two `points` are equal.
    They are visited from west to east, and those that are equally far east from south to north. Return the positions,
    counted from 0, of the points in the order in which they are visited."""
    return np.argsort(points)


@task(usage="kth is a list", page="int or sequence of ints")
def times_of_two_ranks(times: Vector(Int(40, 99), (10, 30)), ranks: Choice([0, 2], [1, 5], [2, 7], [0, 9], [3, 4])):
    """The `times` of a race are not in order. `ranks` names two ranks, counted from 0 for the fastest and in ascending
    order. Return the two times with these ranks as a list, the one of the lower rank first."""
    return np.partition(times, ranks)[ranks]


@task(usage="axis is None")
def noise_level_of_rank(levels: Matrix(Int(20, 90), (3, 6), (3, 8)), rank: Int(0, 8)):
    """`levels` is a table of noise levels, street by street. Think of the numbers of the whole table lined up from
    quiet to loud, equal ones repeated, and counted from 0. Return the level that stands at number `rank`."""
    return np.partition(levels, rank, axis=None)[rank]


@task(usage="kth is a list", page="int or sequence of ints")
def who_came_at_these_places(
    times: Vector(Int(40, 400), (10, 25), unique=True), places: Choice([0, 2], [1, 6], [3, 8], [2, 9])
):
    """No two `times` of a sprint are equal. `places` names two places in the ranking, counted from 0 for the fastest.
    Return the positions in the list of times, from 0, of the two runners who came in there, in the order of the
    places."""
    return np.argpartition(times, places)[places]


@task(usage="sorter is given")
def younger_members(register: Choice(*REGISTERS), asked: Vector(Int(1, 60), (4, 9))):
    """A club's `register` is a pair of lists: the ages of the members in the order of joining, and the positions of the
    members (from 0) in the order of their ages, youngest first. Return for each age in `asked` how many members are
    younger than that, not counting those of exactly that age, as a list."""
    return np.searchsorted(register[0], asked, sorter=register[1])


@task(usage="keepdims is True")
def busiest_hour_column(visits: Matrix(Int(0, 30), (3, 8), (6, 12))):
    """The rows of `visits` are museums, the columns hours. At which column, counted from 0, is the largest number of
    visitors of each museum, the earliest hour if several are equal? Return the answer as a column beside the table: a
    list of rows with one whole number each."""
    return np.argmax(visits, axis=1, keepdims=True)


@task(usage="a holds nan", page="nan counts as smaller than everything", without=("constant",))
def first_thing_to_repair(gauges: Matrix(Choice(float("nan"), *range(5, 12)), (3, 8), 6)):
    """Each row of `gauges` has six oil levels of a ship, and nan is a dead gauge. The engineer goes first to a dead
    gauge, the first one in the row if there are several; on a ship without one to the lowest level, again the first of
    equal ones. Return for each ship the position in its row, from 0, as a list."""
    return np.argmin(gauges, axis=1)


@task(usage="a holds nan", page="True and nan count")
def desks_to_visit(counts: Matrix(Choice(float("nan"), 0, 0, 0, 1, 2, 3), (3, 7), (4, 9))):
    """Rows of `counts` are floors, columns are desks; an entry is the number of complaints, nan if the desk did not
    answer. A desk is visited if it has complaints or did not answer. Return the number of desks to visit on each floor,
    as a list."""
    return np.count_nonzero(counts, axis=1)


@task(usage="axis is a number", players=(4, 9), games=(2, 5))
def ranking_in_each_game(
    strokes: Matrix(Int(2, 5), "players", "games"), seconds: Matrix(Choice(20, 25, 30, 35), "players", "games")
):
    """Minigolf: in both tables `strokes` and `seconds` the rows are players and the columns games. In each game players
    are ranked by strokes, fewest first; equal strokes are ranked by seconds, fewest first, and complete draws by row
    number. Return a table whose columns list the row numbers of the players from first to last, as a list of rows."""
    return np.lexsort((seconds, strokes), axis=0)
