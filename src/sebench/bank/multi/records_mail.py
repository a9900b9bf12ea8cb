"""Mail rooms: letters, parcels, pigeonholes and rounds."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Either, Int, Matrix, Vector


@task
def two_halves_of_the_mail_week(letters: Matrix(Int(0, 70), (2, 8), (5, 10))):
    """Each row of `letters` is a department, each column a day with mail. The first half of these days has one day more
    than the second if their number is odd. Return, for every department, by how much its busiest day of the first half
    is above its average day of the second half (negative if below), as a list from the lowest to the highest number."""
    first, second = np.array_split(np.array(letters), 2, axis=1)
    return np.sort(np.max(first, axis=1) - np.mean(second, axis=1))


@task(parcels=(2, 20))
def surcharge_for_bulky_parcels(
    sizes: Matrix(Int(10, 60), "parcels", 3), sender: Vector(Int(0, 4), "parcels"), limit: Int(110, 190)
):
    """Rows of `sizes` give the three edges of parcels in centimetres, in no order, and `sender` the number (from 0) of
    each parcel's sender. The measure of a parcel is its longest edge plus twice each of the two others. Every
    centimetre by which it exceeds `limit` costs one cent; parcels within the limit cost nothing extra. Return what each
    sender has to pay, from sender 0 to the highest number in the list, as a list."""
    thin, middle, long = np.unstack(np.sort(sizes), axis=1)
    excess = np.maximum(long + 2 * (thin + middle) - limit, 0)
    return np.bincount(sender, weights=excess)


@task(items=(2, 16))
def postman_at_the_pigeonholes(row: Vector(Int(0, 7), "items"), column: Vector(Int(0, 9), "items")):
    """A wall of pigeonholes has 8 rows and 10 columns, and holes are numbered from 0 down the first column, then down
    the second, and so on. The lists `row` and `column`, both from 0, say where items are waiting. The postman picks
    them up by ascending hole number. Return the largest difference between the hole numbers of one item and the
    following one."""
    holes = np.ravel_multi_index((row, column), (8, 10), order="F")
    return np.max(np.diff(np.sort(holes)))


@task(items=(4, 24))
def loads_of_the_mail_rounds(
    rounds: Vector(Int(0, 4), "items"), grams: Vector(Int(1, 9), "items"), vans: Vector(Int(2, 7), (2, 3), unique=True)
):
    """Each item has a delivery round in `rounds` and a weight in `grams`. Items heavier than the middle weight of the
    list (midway between the two middle ones for an even number of items) go to the rounds in `vans` instead, in turn:
    the first such item to the first one listed, the next to the second, starting over after the last. Return the grams
    that the rounds carry then, for round 0 to the highest round in use, but listed from the heaviest load to the
    lightest."""
    assigned = np.array(rounds)
    np.place(assigned, np.greater(grams, np.median(grams)), vans)
    return np.flip(np.sort(np.bincount(assigned, weights=grams)))


@task(offices=(2, 7))
def mail_above_the_usual(spring: Matrix(Int(0, 30), "offices", (2, 6)), summer: Matrix(Int(0, 30), "offices", (1, 6))):
    """Two tables list the sacks of mail of the same offices (rows): `spring` and `summer`, each with its own number of
    weeks as columns; the weeks of summer follow those of spring. What is usual for an office is the middle one of its
    weekly numbers in both tables together, by height (midway between the two middle ones for an even count). Return the
    greatest excess over the usual as a tuple (office, week), both counted from 0; in a tie the lowest office, then the
    earliest week."""
    weeks = np.concatenate([spring, summer], axis=1)
    excess = np.subtract(weeks, np.median(weeks, axis=1, keepdims=True))
    return np.unravel_index(np.argmax(excess), np.shape(excess))


@task(parcels=(2, 15))
def code_of_the_longest_waiting(
    days: Vector(Int(0, 12), "parcels"),
    tower: Vector(Int(0, 7), "parcels"),
    column: Vector(Int(0, 4), "parcels"),
    drawer: Vector(Int(0, 9), "parcels"),
    base: Int(3, 20),
):
    """Lockers stand in 8 towers of 5 columns with 10 drawers each, all counted from 0 and numbered through: drawer
    after drawer, then column after column, then tower after tower. Parcels wait for as many `days` as listed, in the
    `tower`, `column` and `drawer` at the same position. Return the locker number of the parcel that has waited longest
    (the first one in a tie), written in the number system with the given `base`, as a text; digits above 9 are the
    capital letters from A."""
    longest = np.argmax(days)
    locker = np.ravel_multi_index((tower[longest], column[longest], drawer[longest]), (8, 5, 10))
    return np.base_repr(locker, base=base)


@task(equivalent={"atleast_1d -> ravel": "of a number and of a flat list both give a flat list"})
def postage_of_one_or_many(
    grams: Either(Vector(Int(1, 60), (2, 15)), Int(1, 60)), limits: Vector(Int(10, 40), 3, unique=True, sorted=True),
    steps: Vector(Int(1, 30), 4),
):  # fmt: skip
    """`grams` is the weight of a letter, or a list of weights. Letters up to the first of the three `limits`, this
    limit included, belong to class 0, those above it up to the second to class 1, and so on; those above the last are
    class 3. Class 0 costs the first number in `steps`; every further class costs the next number in `steps` more than
    the class before it. Return the postage of the letters from the dearest to the cheapest, always as a list."""
    classes = np.searchsorted(limits, np.atleast_1d(grams))
    return np.flip(np.sort(np.cumsum(steps)[classes]))
