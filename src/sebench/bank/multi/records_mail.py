"""Mail rooms: letters, parcels, pigeonholes and rounds."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Int, Matrix, Vector


@task
def two_halves_of_the_mail_week(letters: Matrix(Int(0, 70), (2, 4), (5, 6))):
    """Each row of `letters` is a department, each column a day of a week with mail. Divide these days into a first and
    a second half; if their number is odd, the first half has one day more. Return for every department the letters of
    the first half less those of the second, as a list."""
    first, second = np.array_split(np.array(letters), 2, axis=1)
    return np.subtract(np.sum(first, axis=1), np.sum(second, axis=1))


@task(parcels=(2, 5))
def surcharge_for_bulky_parcels(
    sizes: Matrix(Int(10, 60), "parcels", 3), limit: Int(100, 200), cents: Vector(Int(2, 9), "parcels")
):
    """Rows of `sizes` give length, width and height of parcels in centimetres. The measure of a parcel is its length
    plus twice the sum of width and height. Every centimetre by which the measure exceeds `limit` costs the amount in
    `cents` for that parcel; parcels within the limit cost nothing extra. Return the surcharge of each parcel as a
    list."""
    length, width, height = np.unstack(np.array(sizes), axis=1)
    excess = np.maximum(length + 2 * (width + height) - limit, 0)
    return np.multiply(excess, cents)


@task(items=(3, 6))
def postman_at_the_pigeonholes(row: Vector(Int(0, 3), "items"), column: Vector(Int(0, 4), "items")):
    """A wall of pigeonholes has 4 rows and 5 columns, and holes are numbered from 0 down the first column, then down the second,
    and so on. The lists `row` and `column`, both from 0, say where items are waiting. The postman takes them by ascending hole
    number. Return how far the number rises from each item to the following one, as a list."""
    holes = np.ravel_multi_index((row, column), (4, 5), order="F")
    return np.diff(np.sort(holes))


@task(items=(4, 8))
def grams_on_each_mail_round(
    rounds: Vector(Int(0, 3), "items"),
    grams: Vector(Int(1, 9), "items"),
    limit: Int(2, 6),
    vans: Vector(Int(2, 6), (2, 3), unique=True),
):
    """Each item has a delivery round in `rounds` and a weight in `grams`. Items heavier than `limit` are moved to the rounds in
    `vans`, in turn: the first such item to the first one listed, the next to the second, starting over after the last. Return
    the grams that each round carries now, from round 0 to the highest round in use, as a list."""
    assigned = np.array(rounds)
    np.place(assigned, np.greater(grams, limit), vans)
    return np.bincount(assigned, weights=grams)


@task(offices=(2, 4))
def mail_above_the_usual(spring: Matrix(Int(0, 80), "offices", (2, 3)), summer: Matrix(Int(0, 80), "offices", (1, 4))):
    """Two tables list the sacks of mail of the same offices (rows): `spring` and `summer`, each with its own number of
    weeks as columns. Set them side by side, spring on the left, and from every number take away the middle value, by
    size, of its whole row (midway between the two middle ones if the row has an even count). Return the result as a
    list of rows."""
    weeks = np.concatenate([spring, summer], axis=1)
    return np.subtract(weeks, np.median(weeks, axis=1, keepdims=True))


@task
def ledger_pages_below_each_other(ledger: Matrix(Int(0, 30), (2, 3), 4)):
    """In a mail-room `ledger` each line has four columns: stamps and letters from the left page, then stamps and letters from the
    right page. Cut it down the middle and put the right page below the left one. Return the running totals down the
    two columns of this long page, as a list of rows."""
    left, right = np.split(np.array(ledger), 2, axis=1)
    return np.cumsum(np.vstack([left, right]), axis=0)
