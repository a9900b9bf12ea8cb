"""Museums: rooms, visitors, collections and tours."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Bool, Cube, Either, Int, Matrix, Permutation, Vector, Word


@task(works=(3, 20))
def oldest_paintings_insured(
    painted: Vector(Int(1500, 1950), "works", unique=True), value: Vector(Int(1, 9), "works"), limit: Int(5, 50)
):
    """`painted` holds the year of each painting (no two alike) and `value` its price. Paintings are insured strictly by
    age, the oldest first, as long as their values together do not exceed `limit`; the first one that would exceed it,
    and everything younger, is left out. Return how many paintings are insured."""
    insured = np.cumsum(np.take(value, np.argsort(painted)))
    return np.searchsorted(insured, limit, side="right")


@task(rooms=(2, 8), statues=(2, 7))
def tallest_statue_price_share(
    height: Matrix(Int(20, 30), "rooms", "statues"), price: Matrix(Int(1, 99), "rooms", "statues")
):
    """Every row stands for a sculpture room, every column for a statue in it; `height` and `price` are two tables of
    that form. What fraction of the price of everything in its room does the tallest statue of the room (the first one
    if heights tie) make up? Return these fractions of the rooms from the highest to the lowest, as a list."""
    tallest = np.argmax(height, axis=1, keepdims=True)
    chosen = np.take_along_axis(np.array(price), tallest, axis=1)
    return np.flip(np.sort(np.divide(np.ravel(chosen), np.sum(price, axis=1))))


@task(rooms=(3, 8), months=(2, 10))
def best_month_of_dear_rooms(
    surcharge: Vector(Int(0, 6), "rooms"), visits: Matrix(Int(0, 60), "rooms", "months"), euros: Int(0, 5)
):
    """Some rooms cost extra: `surcharge` tells how many euros each of their visitors pays, and `visits` has one row per
    room and one column per month. Only rooms with a surcharge above `euros` are looked at. Return a tuple of two: the
    month (from 0) in which these rooms bring in the most surcharges, the earliest one in a tie; by how much this month
    exceeds the average month. (If no room is looked at, this is (0, 0).)"""
    income = np.dot(np.where(np.greater(surcharge, euros), surcharge, 0), visits)
    best = np.argmax(income)
    return best, income[best] - np.mean(income)


@task(vaults=(2, 8), hours=(3, 12))
def film_vault_alarms(degrees: Matrix(Int(-4, 14), "vaults", "hours"), lowest: Int(1, 3), highest: Int(5, 7)):
    """A conservator rates the hourly temperatures of film vaults, one row of `degrees` per vault. A reading over
    `highest` scores the excess over it, a reading under `lowest` scores what is missing up to it, and every reading
    within the limits (either limit included) scores -1. Return a list of [vault, score] rows with the number of the
    vault (from 0) and its total score, from the highest score to the lowest, in a tie the lower number first."""
    table = np.array(degrees)
    scores = np.select([table > highest, table < lowest], [table - highest, lowest - table], default=-1)
    totals = np.sum(scores, axis=1)
    order = np.argsort(-totals, stable=True)
    return np.column_stack([order, totals[order]])


@task
def lamp_distances_from_corner(lit: Matrix(Bool(), (1, 5), (1, 8))):
    """The ceiling of an exhibition hall is a grid of lamps, one metre apart, and `lit` is True where a lamp burns.
    Return the straight-line distances of all burning lamps from the lamp in the first row and first column, in
    ascending order, as a list (empty when the hall is dark)."""
    down, across = np.nonzero(lit)
    return np.sort(np.hypot(down, across))


@task(minutes=(4, 24))
def loudest_stay_of_a_visitor(log: Vector(Int(1, 3), "minutes"), noise: Vector(Int(20, 80), "minutes")):
    """A visitor's badge writes the number of the room she is in to `log` once a minute, and how loud it is there to
    `noise`. An unbroken series of minutes in the same room is one stay; coming back later begins a new one. Return the
    average noise of the stay with the highest average, as a number."""
    changes = np.flatnonzero(np.diff(log)) + 1
    return np.max([np.mean(stay) for stay in np.split(np.array(noise), changes)])


@task
def quiet_corners_of_the_hall(steps: Matrix(Int(0, 20), (2, 7), (2, 8))):
    """Sensors under the floor of a museum hall count `steps` in a grid of rows and columns. A spot is quiet when its
    count is below the average of the whole grid. Return the quiet spots as a list of [row, column] pairs, both counted
    from 0, from the fewest steps to the most, spots with the same count in reading order."""
    quiet = np.less(steps, np.mean(steps))
    order = np.argsort(np.extract(quiet, steps), stable=True)
    return np.argwhere(quiet)[order]


@task(n=(3, 9))
def galleries_seen_in_time(walk: Matrix(Int(1, 9), "n", "n"), tour: Permutation("n"), minutes: Int(3, 30)):
    """Row i, column j of `walk` says how many minutes it takes from gallery i to gallery j of a museum (entries with i
    equal to j mean nothing). A guide goes through all galleries in the order given by `tour` and from the last one back
    to the first. Return how many of these walks, the way back included, he can finish within `minutes` minutes."""
    legs = np.array(walk)[tour, np.roll(tour, -1)]
    return np.searchsorted(np.cumsum(legs), minutes, side="right")


@task(
    n=(4, 9),
    chosen=(2, 4),
    equivalent={
        "max -> ptp": "the least number of each row is the zero that was set",
        "max: axis=1 -> 0": "the table is the same when rows and columns change places",
        "fill_diagonal: wrap=True added": "only tall tables have a second stretch",
        "fill_diagonal: val=0 -> 1": "other rooms are at least a minute away, so the farthest room stays the same",
        "fill_diagonal: val=0 -> -1": "other rooms are at least a minute away, so the farthest room stays the same",
    },
)
def meeting_point_of_open_rooms(
    walk: Matrix(Int(1, 30), "n", "n"), rooms: Vector(Int(0, "n-1"), "chosen", unique=True)
):
    """Row i, column j of `walk` says how many minutes it takes from room i to room j of a museum; from a room to itself
    it takes no time, whatever the table says. Only the `rooms` listed are open today, and a visitor takes the direct
    way, but in the quicker one of the two directions. In which open room should a group meet, so that its farthest open
    room is as near as possible? Return the number of this room, in a tie the one that is listed first."""
    table = np.array(walk)[np.ix_(rooms, rooms)]
    quicker = np.minimum(table, np.transpose(table))
    np.fill_diagonal(quicker, 0)
    return np.take(rooms, np.argmin(np.max(quicker, axis=1)))


@task(works=(3, 7))
def wider_pairs_of_paintings(paintings: Vector(Word(), "works", unique=True), width: Vector(Int(30, 60), "works")):
    """A museum thinks about hanging its `paintings` in pairs; `width` has the width of each. Each two different
    paintings make one pair, named in the order of the list, and its width is that of both together. Pairs come in the
    order of their first painting, then of their second. A pair is wide if it is wider than the middle pair by width
    (midway between the two middle ones for an even number of pairs). Return the wide pairs, from the widest on, pairs
    of the same width in the order above, each as a row of two names."""
    one, other = np.triu_indices(len(paintings), k=1)
    widths = np.take(width, one) + np.take(width, other)
    wide = widths > np.median(widths)
    order = np.argsort(-widths[wide], stable=True)
    return np.column_stack([np.take(paintings, one[wide][order]), np.take(paintings, other[wide][order])])


@task(
    n=(3, 8),
    equivalent={
        "max -> ptp": "the least number of each row is the zero that was set",
        "fill_diagonal: wrap=True added": "only tall tables have a second stretch",
    },
)
def halls_with_a_favourite(moved: Matrix(Int(1, 20), "n", "n")):
    """In `moved`, row i and column j say how many visitors of hall i were found in hall j ten minutes later; those who
    stayed, on the main diagonal, do not count. The pull of a hall's favourite is the share that its most popular next
    hall has among all visitors who left it. Return a list of [hall, pull] rows, from the strongest pull to the weakest,
    in a tie the lower hall number (from 0) first."""
    leaving = np.array(moved)
    np.fill_diagonal(leaving, 0)
    pull = np.divide(np.max(leaving, axis=1), np.sum(leaving, axis=1))
    order = np.argsort(-pull, stable=True)
    return np.column_stack([order, pull[order]])


@task(days=(1, 4), houses=(1, 3))
def visitors_at_any_depth(
    visitors: Either(Vector(Int(0, 50), 6), Matrix(Int(0, 50), "days", 6), Cube(Int(0, 50), "houses", "days", 6)),
):
    """Visitors are counted in the six hours that a museum is open. `visitors` is the list of one day, or one such list
    per day, or, for several museums, one list of days per museum. Return a tuple of four: how deeply the lists are
    nested (1, 2 or 3); the hour (from 0) that has the most visitors when all its counts are added up, the earliest one
    in a tie; that number of visitors; the middle one of all the single hourly counts in order of size (midway between
    the two middle ones for an even number)."""
    by_hour = np.sum(np.reshape(visitors, (-1, 6)), axis=0)
    best = np.argmax(by_hour)
    return np.ndim(visitors), best, by_hour[best], np.median(visitors)
