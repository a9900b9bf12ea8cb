"""Membership lists, library records and catalogues compared."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Choice, Float, Int, Matrix, Vector, Word

TITLES = Word(("atlas", "bible", "comics", "dracula", "emma", "faust", "hamlet", "iliad"))
GENRES = Word(("blues", "folk", "jazz", "opera", "rock", "tango"))
READERS = Word(("ada", "ben", "cleo", "dora", "emil", "fay"))
DISHES = Word(("borscht", "curry", "dumplings", "paella", "risotto"))


@task
def likeness_of_choirs(north: Vector(Int(1, 30), (8, 25)), south: Vector(Int(1, 30), (8, 25))):
    """Two choirs list their singers by passport number in `north` and `south`, some entered twice by mistake. Return a
    tuple: how alike the choirs are, which is the number of different people who sing in both divided by the number of
    different people who sing in at least one, and the ascending list of people who sing in just one of them."""
    shared = len(np.intersect1d(north, south)) / len(np.union1d(north, south))
    return shared, np.setxor1d(north, south)


@task(n=(10, 20))
def dues_to_collect(
    members: Vector(Int(1, 24), "n", unique=True),
    owed: Vector(Choice(5.0, 7.5, 12.5, 20.0, 30.0), "n"),
    paid: Vector(Int(1, 24), (0, 12), unique=True),
    honorary: Vector(Int(1, 24), (0, 6), unique=True),
):
    """An astronomy club has `members`, each with the amount `owed` at the same position. Members on the list `paid` or
    on the list `honorary` are excused; these lists may be empty, may name the same people, and may also name people who
    are not members. Return a tuple of two: the list, which may be empty, of the amounts owed by all members who are not
    excused, smallest amount first; the ascending list of the different people on the lists paid and honorary."""
    excused = np.union1d(paid, honorary)
    return np.sort(np.extract(np.isin(members, excused, invert=True), owed)), excused


@task
def favourite_title(loans: Vector(TITLES, (10, 30))):
    """The list `loans` holds one title per book that a library lent last week. Return a tuple: the title that went out
    most often, as a text (if several share the record, the alphabetically first of them), and the fraction of all loans
    that it had."""
    found = np.unique_counts(loans)
    return np.take(found.values, np.argmax(found.counts)), np.max(found.counts) / len(loans)


@task(n=(8, 25))
def keenest_reader(reader: Vector(READERS, "n"), pages: Vector(Int(1, 30), "n")):
    """In a summer reading contest every entry names a `reader` and a number of `pages`; one reader may have several
    entries, which count together. Return the name of the reader with the most pages, as a text (alphabetically first if
    several have the same number)."""
    found = np.unique_inverse(reader)
    return found.values[np.argmax(np.bincount(found.inverse_indices, weights=pages))]


@task(n=(8, 25))
def ratings_by_dish(dish: Vector(DISHES, "n"), points: Vector(Int(1, 5), "n")):
    """Guests rate what they ate: guest i gave `points`[i] to the `dish` with the same position. Return a tuple: the
    average points of every dish that was rated, as a list in alphabetical order of the dishes, and how far the best
    average is above the worst."""
    found = np.unique_inverse(dish)
    averages = np.bincount(found.inverse_indices, weights=points) / np.bincount(found.inverse_indices)
    return averages, np.ptp(averages)


@task(equivalent={"sort -> unique": "first positions of different cards are different"})
def where_regulars_start(visits: Vector(Int(20, 29), (12, 30)), limit: Int(1, 4)):
    """The door of a record library notes card numbers in `visits` in order of arrival. A regular is a card that occurs
    more than `limit` times. Return a tuple of two: the list, which may be empty, of the positions (from 0) of the
    regulars' first visits, earliest first; the number of visits that the regulars made together."""
    found = np.unique_all(visits)
    regular = np.greater(found.counts, limit)
    return np.sort(np.compress(regular, found.indices)), np.sum(np.compress(regular, found.counts))


@task
def crowds_at_the_dinner(surnames: Vector(Int(100, 112), (10, 25)), size: Int(1, 3)):
    """Everybody at a dinner wears a number that stands for the family name, in the order of the seats: `surnames`. The
    company of a guest is the number of people at the table with this name, the guest included. Return a tuple of two:
    the average company over all guests; the ascending list, which may be empty, of the seats (positions from 0) of the
    guests whose company is exactly `size`."""
    found = np.unique_all(surnames)
    company = found.counts[found.inverse_indices]
    return np.mean(company), np.flatnonzero(company == size)


@task
def unmatched_per_shelf(shelved: Vector(Int(0, 59), (12, 30)), catalogued: Vector(Int(0, 59), (12, 30))):
    """Book numbers 0 to 59 live on six shelves of ten (0-9, 10-19, ...). A number is a mismatch if it is only in
    `shelved` or only in `catalogued`, no matter how often. Return a tuple: how many mismatches each shelf has, as a
    list of six counts, and the shelf (from 0) with the most of them, the first of equals."""
    mismatched = np.setxor1d(shelved, catalogued)
    counts = np.bincount(np.floor_divide(mismatched, 10), minlength=6)
    return counts, np.argmax(counts)


@task(n=(10, 25))
def fees_of_a_radio_night(
    labels: Vector(Int(1, 7), "n"),
    members: Vector(Int(1, 7), (0, 4), unique=True),
    reduced: Vector(Int(1, 20), "n"),
    regular: Vector(Int(21, 60), "n"),
):
    """A community radio plays songs one after another; `labels` has the number of each song's record label. Song i
    costs `reduced`[i] if its label is listed in `members` (perhaps none is), otherwise `regular`[i]. Return what the
    radio has to pay since the start, by the end of each song, as a list."""
    return np.cumsum(np.where(np.isin(labels, members), reduced, regular))


@task(n=(8, 12), m=(8, 12), equivalent={"subtract -> polysub": "for lists of equal length both go entry by entry"})
def brightness_changes(
    old_ids: Vector(Int(1, 15), "n", unique=True),
    old_light: Vector(Float(2, 12), "n"),
    new_ids: Vector(Int(1, 15), "m", unique=True),
    new_light: Vector(Float(2, 12), "m"),
):
    """Two star catalogues give a brightness per star number: `old_light` belongs to `old_ids`, `new_light` to
    `new_ids`, each in its own order; at least one star is in both. The change of a star that is in both is new
    brightness minus old. Return a tuple of three: the list of the changes, by ascending star number; the largest change
    without sign; the middle change (halfway between the two middle ones if their number is even)."""
    _, old, new = np.intersect1d(old_ids, new_ids, return_indices=True)
    changes = np.subtract(np.take(new_light, new), np.take(old_light, old))
    return changes, np.max(np.absolute(changes)), np.median(changes)


@task
def commonest_chord(chords: Matrix(Int(0, 1), (8, 25), (3, 4))):
    """Each row of `chords` is a fingering of a lute (1: string pressed, 0: open). Return a tuple: the fingering that
    occurs most often, as a list, and how often it occurs. If several are equally frequent, it is the smallest of them,
    the first string deciding before the second, the second before the third and so on."""
    rows, counts = np.unique(chords, return_counts=True, axis=0)
    return np.take(rows, np.argmax(counts), axis=0), np.max(counts)


@task
def quiet_spells_between_shocks(shocks: Vector(Int(0, 90), (8, 25)), closing: Int(91, 110)):
    """The same aftershock may be reported by several stations, so the hours in `shocks` are unordered and may repeat. A
    spell runs from the hour of one shock to the next later one, the last spell from the last shock to the `closing`
    hour of the bulletin, which is later than every shock. Return a tuple of two: the length of the shortest spell; the
    length of the longest."""
    spells = np.diff(np.unique(shocks), append=closing)
    return np.min(spells), np.max(spells)


@task
def price_of_the_gaps(prices: Vector(Int(3, 40), (8, 20)), owned: Vector(Int(1, 20), (0, 25))):
    """This year's issues of a journal are numbered 1, 2, 3 and so on, one for each entry of `prices`. The library holds
    the issues listed in `owned`, in any order, perhaps some twice; higher numbers than this year's do not matter, and
    the list may be empty. It buys the missing issues one by one, always the cheapest that is left. Return what has been
    spent after each purchase, as a list; it is empty if nothing is missing."""
    missing = np.setdiff1d(np.arange(1, len(prices) + 1), owned)
    return np.cumsum(np.sort(np.take(prices, missing - 1)))


@task
def silent_stretches(
    east: Vector(Int(0, 30), (3, 8), unique=True),
    west: Vector(Int(0, 30), (3, 8), unique=True),
    shots: Vector(Int(0, 30), (0, 10)),
    watched: Vector(Int(0, 9), (5, 12)),
):
    """Two seismic stations set time marks, `east` and `west`. The different marks of both, in ascending order, cut time
    into stretches: number 0 before the first mark, number 1 from the first mark (included) to the next (excluded), and
    so on to the last one, which has no end. `shots` holds the times of test blasts, if any. Return those stretch
    numbers in `watched` whose stretch contains none of these times (nor does a stretch that does not exist), ascending
    and without repeats, as a list."""
    marks = np.union1d(east, west)
    return np.setdiff1d(watched, np.digitize(shots, marks))


@task
def variety_in_bits(shelf: Vector(GENRES, (10, 30))):
    """How varied is a record `shelf`, given as the genre of each record? Its variety in bits is minus the total, over
    the different genres, of share times binary logarithm of share; the share of a genre is the fraction of all records
    that have it. Return the variety as a number."""
    shares = np.unique_counts(shelf).counts / len(shelf)
    return -np.sum(shares * np.log2(shares))


@task
def letters_after_the_season(
    last: Vector(Int(1, 30), (8, 20), unique=True),
    now: Vector(Int(1, 30), (8, 20), unique=True),
    staff: Vector(Int(1, 30), (0, 15), unique=True),
):
    """After the season a radio club writes to everybody who joined or left, that is, who is on just one of the lists of
    members `last` (last season) and `now`. Those who are also on the list `staff` get a different letter. Return a
    tuple of two ascending lists: the people written to who are on `staff`, and the people written to who are not. Each
    of them may be empty."""
    changed = np.setxor1d(last, now)
    return (np.intersect1d(changed, staff), np.setdiff1d(changed, staff))
