"""Membership lists, library records and catalogues compared."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Choice, Float, Int, Matrix, Vector, Word

TITLES = Word(("atlas", "bible", "comics", "dracula", "emma", "faust", "hamlet", "iliad"))
GENRES = Word(("blues", "folk", "jazz", "opera", "rock", "tango"))
READERS = Word(("ada", "ben", "cleo", "dora", "emil", "fay"))


@task
def likeness_of_choirs(north: Vector(Int(1, 12), (3, 7)), south: Vector(Int(1, 12), (3, 7))):
    """Two choirs list their singers by passport number in `north` and `south`, some entered twice by mistake. Return
    how alike the choirs are: the number of different people who sing in both, divided by the number of different people
    who sing in at least one of them, as a number."""
    return np.divide(len(np.intersect1d(north, south)), len(np.union1d(north, south)))


@task(
    n=(6, 8), equivalent={"union1d -> append": "who is on the joined list does not depend on its order or on repeats"}
)
def dues_to_collect(
    members: Vector(Int(1, 10), "n", unique=True),
    owed: Vector(Choice(5.0, 7.5, 12.5, 20.0, 30.0), "n"),
    paid: Vector(Int(1, 10), (2, 4), unique=True),
    honorary: Vector(Int(1, 10), (2, 3), unique=True),
):
    """An astronomy club has `members`, each with the amount `owed` at the same position. Members on the list `paid` or
    on the list `honorary` are not reminded; these lists may also name people who are not members. Return the amounts
    owed by all other members as a list, smallest amount first; the list may be empty."""
    excused = np.union1d(paid, honorary)
    return np.sort(np.extract(np.isin(members, excused, invert=True), owed))


@task
def favourite_title(loans: Vector(TITLES, (4, 8))):
    """The list `loans` holds one title per book that a library lent last week. Which title went out most often? Return
    it as a text; if several share the record, the alphabetically first of them."""
    found = np.unique_counts(loans)
    return np.take(found.values, np.argmax(found.counts))


@task(n=(3, 8))
def keenest_reader(reader: Vector(READERS, "n"), pages: Vector(Int(1, 90), "n")):
    """In a summer reading contest every entry names a `reader` and a number of `pages`; one reader may have several
    entries. Add up the pages for each different reader and return the name of the one with the most, as a text
    (alphabetically first if totals are equal)."""
    found = np.unique_inverse(reader)
    return found.values[np.argmax(np.bincount(found.inverse_indices, weights=pages))]


@task(equivalent={"sort -> unique": "first positions of different cards are different"})
def where_regulars_start(visits: Vector(Int(20, 23), (7, 9)), limit: Int(1, 2)):
    """The door of a record library notes card numbers in `visits` in order of arrival. Consider only cards that occur
    more than `limit` times. Return the positions (from 0) of the first visit of each such card as a list, earliest
    position first; it may be empty."""
    found = np.unique_all(visits)
    return np.sort(np.compress(np.greater(found.counts, limit), found.indices))


@task
def unmatched_per_shelf(
    shelved: Vector(Choice(3, 4, 12, 17, 24, 29, 36, 41, 43, 58), (4, 8)),
    catalogued: Vector(Choice(3, 4, 12, 17, 24, 29, 36, 41, 47, 52), (4, 8)),
):
    """Book numbers 0 to 59 live on six shelves of ten (0-9, 10-19, ...). After stocktaking some numbers are only in
    `shelved` and some only in `catalogued`. Count these mismatched numbers, each once, for every shelf. Return a list
    of six counts."""
    mismatched = np.setxor1d(shelved, catalogued)
    return np.bincount(np.floor_divide(mismatched, 10), minlength=6)


@task(n=(4, 7))
def licensed_airtime(
    labels: Vector(Int(1, 5), "n"), seconds: Vector(Int(60, 300), "n"), licensed: Vector(Int(1, 5), (2, 3), unique=True)
):
    """A community radio plays songs one after another: `labels` has the number of each song's record label, `seconds`
    its length. Only songs of the labels listed in `licensed` count towards the fee; the others count as 0. Return the
    running total of counted seconds after each song, as a list."""
    return np.cumsum(np.where(np.isin(labels, licensed), seconds, 0))


@task(n=(3, 5), m=(3, 5), equivalent={"subtract -> polysub": "for lists of equal length both go entry by entry"})
def brightness_changes(
    old_ids: Vector(Int(1, 6), "n", unique=True),
    old_light: Vector(Float(2, 12), "n"),
    new_ids: Vector(Int(1, 6), "m", unique=True),
    new_light: Vector(Float(2, 12), "m"),
):
    """Two star catalogues give a brightness per star number: `old_light` belongs to `old_ids`, `new_light` to
    `new_ids`, each in its own order. For the numbers found in both, ascending, return a tuple: the list of numbers,
    and the list of new brightness minus old."""
    common, old, new = np.intersect1d(old_ids, new_ids, return_indices=True)
    return (common, np.subtract(np.take(new_light, new), np.take(old_light, old)))


@task
def commonest_chord(chords: Matrix(Int(0, 1), (4, 6), 3)):
    """Each row of `chords` is a fingering of a three-stringed lute (1: string pressed, 0: open). Return the fingering
    that occurs most often, as a list. If several are equally frequent, return the smallest of them, where the first
    string decides before the second and the second before the third."""
    rows, counts = np.unique(chords, return_counts=True, axis=0)
    return np.take(rows, np.argmax(counts), axis=0)


@task
def shortest_quiet_spell(shocks: Vector(Int(0, 50), (3, 7)), closing: Int(51, 60)):
    """The same aftershock may be reported by several stations, so the hours in `shocks` are unordered and may repeat.
    Remove repeats, put the hours in order, and add the `closing` hour of the bulletin at the end. Return the shortest
    time from one of these hours to the next as a number."""
    return np.min(np.diff(np.unique(shocks), append=closing))


@task
def price_of_the_gaps(prices: Vector(Int(3, 40), (3, 7)), owned: Vector(Int(1, 7), (2, 6))):
    """This year's issues of a journal are numbered 1, 2, 3 and so on, one for each entry of `prices`. The library holds
    the issues listed in `owned`, in any order, perhaps some twice; higher numbers than this year's do not matter. What
    would all the missing issues of this year cost together? Return a number, 0 if none is missing."""
    missing = np.setdiff1d(np.arange(1, len(prices) + 1), owned)
    return np.sum(np.take(prices, missing - 1))


@task
def silent_stretches(
    east: Vector(Int(0, 30), (3, 4), unique=True),
    west: Vector(Int(0, 30), (3, 4), unique=True),
    shots: Vector(Int(0, 30), (2, 5)),
    watched: Vector(Int(0, 3), (3, 6)),
):
    """Two seismic stations set time marks, `east` and `west`. Merged into one ascending list of different marks, they
    cut time into stretches: number 0 before the first mark, number 1 from the first mark (included) to the next
    (excluded), and so on to the last one, which has no end. `shots` holds the times of test blasts. Return those
    stretch numbers in `watched` whose stretch contains none of these times, ascending and without repeats, as a
    list."""
    marks = np.union1d(east, west)
    return np.setdiff1d(watched, np.digitize(shots, marks))


@task(
    equivalent={
        f"dot -> {name}": "of two flat lists of real numbers it is the same sum of products"
        for name in ("vdot", "inner", "matmul", "linalg.vecdot")
    }
)
def variety_in_bits(shelf: Vector(GENRES, (5, 9))):
    """How varied is a record `shelf`, given as the genre of each record? Measure it in bits: for every different genre
    multiply its share of all records by the binary logarithm of that share, add these products up and change the sign
    of the sum. Return the number."""
    shares = np.divide(np.unique_counts(shelf).counts, len(shelf))
    return -np.dot(shares, np.log2(shares))


@task
def letters_after_the_season(
    last: Vector(Int(1, 12), (3, 6), unique=True),
    now: Vector(Int(1, 12), (3, 6), unique=True),
    staff: Vector(Int(1, 12), (3, 6), unique=True),
):
    """After the season a radio club writes to everybody who joined or left, that is, who is on just one of the lists of
    members `last` (last season) and `now`. Those who are also on the list `staff` get a different letter. Return a
    tuple of two ascending lists: the people written to who are on `staff`, and the people written to who are not."""
    changed = np.setxor1d(last, now)
    return (np.intersect1d(changed, staff), np.setdiff1d(changed, staff))
