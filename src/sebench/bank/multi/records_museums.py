"""Museums: rooms, visitors, collections and tours."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Bool, Int, Matrix, Permutation, Vector, Word


@task(works=(3, 7))
def insured_value_by_painting_age(
    painted: Vector(Int(1500, 1950), "works", unique=True), value: Vector(Int(1, 90), "works")
):
    """The curator carries paintings to the vault, oldest first. `painted` holds the year of each painting (all different) and
    `value` its insured sum. Put the values in the order in which the paintings are carried and return the total already in
    the vault after each one, as a list."""
    order = np.argsort(painted)
    return np.cumsum(np.take(value, order))


@task(
    rooms=(2, 4),
    statues=(2, 5),
    equivalent={
        "ravel -> concatenate": "joining rows of one number each gives the flat list as well",
        "ravel -> hstack": "joining rows of one number each gives the flat list as well",
    },
)
def tallest_statue_price_share(
    height: Matrix(Int(20, 60), "rooms", "statues"), price: Matrix(Int(1, 99), "rooms", "statues")
):
    """Every row stands for a sculpture room, every column for a statue in it; `height` and `price` are two tables of that form.
    Find the tallest statue of each room (the first one if heights tie) and return what fraction of the room's total price
    it makes up, as a list with one number per room."""
    tallest = np.argmax(height, axis=1, keepdims=True)
    chosen = np.take_along_axis(np.array(price), tallest, axis=1)
    return np.divide(np.ravel(chosen), np.sum(price, axis=1))


@task(rooms=(4, 6), months=(2, 4))
def visits_to_surcharge_rooms(
    surcharge: Vector(Int(0, 6), "rooms"), visits: Matrix(Int(1, 300), "rooms", "months"), euros: Int(1, 2)
):
    """Some special exhibitions cost extra: `surcharge` tells how much for each room, and `visits` has one row per room
    and one column per month. Keep only the rooms whose surcharge is above `euros` and return their visits added up,
    month by month, as a list (zeros if no room qualifies)."""
    costly = np.greater(surcharge, euros)
    return np.sum(np.compress(costly, visits, axis=0), axis=0)


@task(vaults=(2, 4), hours=(3, 5))
def film_vault_temperature_alarm(
    degrees: Matrix(Int(-4, 14), "vaults", "hours"), lowest: Int(1, 3), highest: Int(5, 7)
):
    """A conservator checks the hourly temperature of film vaults, one row of `degrees` per vault. A reading over `highest`
    becomes the excess over it, a reading under `lowest` becomes the amount missing up to it, and every reading within the
    limits (either limit included) becomes -1. Return the changed table as a list of rows."""
    warm, cold = np.greater(degrees, highest), np.less(degrees, lowest)
    return np.select([warm, cold], [np.subtract(degrees, highest), np.subtract(lowest, degrees)], default=-1)


@task
def lamp_distances_from_corner(lit: Matrix(Bool(), (2, 4), (2, 5))):
    """The ceiling of an exhibition hall is a grid of lamps, one metre apart, and `lit` is True where a lamp burns. Return the
    straight-line distances of all burning lamps from the lamp in the first row and first column, in ascending order,
    as a list (empty when the hall is dark)."""
    down, across = np.nonzero(lit)
    return np.sort(np.hypot(down, across))


@task
def stays_in_each_room(log: Vector(Int(1, 3), (4, 8))):
    """A visitor's badge writes the number of the room she is in to `log` once a minute. Cut the log at every change of
    room, so that each piece is one uninterrupted stay. Return the pieces in order, as a list of lists of room numbers."""
    changes = np.flatnonzero(np.diff(log)) + 1
    return np.split(np.array(log), changes)


@task
def quiet_corners_of_the_hall(steps: Matrix(Int(0, 60), (2, 4), (2, 4))):
    """Sensors under the floor of a museum hall count `steps` in a grid of rows and columns. A spot is quiet when its count is
    below the average of the whole grid. Return the places of the quiet spots as a list of [row, column] pairs, both
    counted from 0, in reading order."""
    return np.argwhere(np.less(steps, np.mean(steps)))


@task(n=(3, 5))
def minutes_along_a_museum_tour(walk: Matrix(Int(1, 20), "n", "n"), tour: Permutation("n")):
    """Row i, column j of `walk` says how many minutes it takes from gallery i to gallery j of a museum (entries with i
    equal to j mean nothing). A guide visits all galleries in the order given by `tour`. Return the minutes walked since
    the first gallery on arrival at the second, the third and every later one, as a list."""
    ordered = np.array(walk)[np.ix_(tour, tour)]
    return np.cumsum(np.diagonal(ordered, offset=1))


@task
def paintings_hung_in_pairs(paintings: Vector(Word(), (3, 5), unique=True)):
    """To find out which `paintings` look good together, a museum tries all pairs. Imagine a square table with a row and
    a column for each painting: the pairs are the cells above its main diagonal, read row by row. Return the pairs in
    this order, each as a row of two names, the name of the table row first."""
    one, other = np.triu_indices(len(paintings), k=1)
    return np.column_stack([np.take(paintings, one), np.take(paintings, other)])


@task(n=(3, 5), equivalent={"max -> ptp": "the least number of each row is the zero that was set"})
def share_of_favourite_next_hall(moved: Matrix(Int(1, 80), "n", "n")):
    """In `moved`, row i and column j say how many visitors of hall i were found in hall j ten minutes later; those who
    stayed, on the main diagonal, do not count. Return for each hall the share that its most popular next hall has among
    all visitors who left it, as a list."""
    leaving = np.array(moved)
    np.fill_diagonal(leaving, 0)
    return np.divide(np.max(leaving, axis=1), np.sum(leaving, axis=1))
