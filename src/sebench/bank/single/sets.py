"""Lists as sets: distinct values, union, intersection, difference, membership."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Choice, Float, Int, Matrix, Vector, Word

GRAINS = Word(("barley", "corn", "millet", "oats", "rice", "rye", "spelt", "wheat"))
BIRDS = Word(("finch", "heron", "jay", "kite", "magpie", "owl", "robin", "swift", "wren"))
KEYS = Word(("bass", "cello", "drum", "flute", "harp", "lute", "oboe", "viola"))

# --- unique ---


@task
def different_grains(orders: Vector(GRAINS, (3, 7))):
    """A mill receives `orders`, each the name of a grain, some of them more than once. Which different grains must be
    in stock? Return their names as an alphabetical list without repeats."""
    return np.unique(orders)


@task(
    equivalent={
        "unique: return_inverse=True added": "it comes after the positions",
        "unique: return_counts=True added": "it comes after the positions",
    }
)
def first_sightings(rings: Vector(Int(10, 14), (5, 8))):
    """Birds with numbered `rings` come to a feeder one after another. For each different number, from the smallest to
    the largest, return the position (counted from 0) of its first visit, as a list."""
    return np.unique(rings, return_index=True)[1]


@task
def different_lineups(lineups: Matrix(Int(1, 2), (4, 6), 3)):
    """Each row of `lineups` says in which shirt, 1 or 2, each of three players appears. Remove repeated rows and return
    the remaining ones in ascending order (compare first entries, then second, then third) as a list of rows."""
    return np.unique(lineups, axis=0)


@task
def different_shifts(rota: Matrix(Int(0, 2), 2, (4, 6))):
    """The duty `rota` has one column per shift, with the numbers of its two helpers; columns may be identical. Return a
    tuple: the rota with every different column just once, as a list of rows (columns ascending, the upper entry
    decides first), and a list that says how many times each occurred."""
    return np.unique(rota, return_counts=True, axis=1)


# --- unique_counts ---


@task
def shoe_sizes_sold(sizes: Vector(Int(36, 41), (3, 8))):
    """For every pair of shoes that it sells, a shop notes the size in `sizes`. Return a tuple of two lists: the
    different sizes in ascending order, and the number of pairs sold of each."""
    return tuple(np.unique_counts(sizes))


@task
def digit_frequencies(boxes: Matrix(Int(1, 5), (2, 4), (2, 4))):
    """In a number crossword, `boxes` is the filled grid. How many times does each digit stand in the entire grid?
    Return only the counts as a list, for the digits that appear, smallest digit first."""
    return np.unique_counts(boxes).counts


@task
def garden_bird_census(seen: Vector(BIRDS, (3, 8))):
    """During a census hour somebody calls out the birds in `seen`. Return a dict with the key "species" for the
    alphabetical list of species without repeats and the key "calls" for the list with the number of calls for each."""
    found = np.unique_counts(seen)
    return {"species": found.values, "calls": found.counts}


@task
def recurring_rain_amounts(rain: Vector(Float(0, 0.4), (5, 8))):
    """Daily `rain` is rounded to tenths of a millimetre, so values recur. Return a tuple (occurrences, values): how
    many days had each amount, and the amounts themselves without repetition, both by ascending amount."""
    values, counts = np.unique_counts(rain)
    return (counts, values)


# --- unique_inverse ---


@task
def codes_for_instruments(parts: Vector(KEYS, (3, 7))):
    """Replace the instrument names in `parts` by codes: the names, sorted alphabetically and without repeats, get the
    codes 0, 1, 2 and so on. Return a tuple of the sorted names (list) and the code of every entry (list)."""
    return tuple(np.unique_inverse(parts))


@task
def dense_ranks(scores: Vector(Int(20, 25), (4, 7))):
    """Darts players with equal `scores` share a rank, and no rank is skipped: the lowest score has rank 0, the next
    higher score rank 1, and so forth. Return the rank of each player as a list."""
    return np.unique_inverse(scores).inverse_indices


@task
def palette_picture(pixels: Matrix(Choice(0, 30, 64, 128, 200, 255), (2, 4), (2, 4))):
    """Compress a picture to a palette. Return a dict with "palette", the ascending list of all different brightnesses
    in `pixels`, and "picture", a list of rows of the same form in which each pixel is replaced by its place in the
    palette, from 0."""
    found = np.unique_inverse(pixels)
    return {"palette": found.values, "picture": found.inverse_indices}


@task
def price_levels(prices: Matrix(Float(1, 1.8), (2, 3), (2, 4))):
    """Every row of `prices` belongs to a vending machine. Number the different prices of all machines together, the
    cheapest as 0. Return a tuple: a list of rows with these numbers in place of the prices, then the ascending list
    of prices."""
    values, numbers = np.unique_inverse(prices)
    return (numbers, values)


# --- unique_all ---


@task
def full_ticket_summary(tickets: Vector(Int(1, 6), (3, 7))):
    """`tickets` says for which zone each ticket was sold. Return a tuple of four lists: the different zones, ascending;
    the position (from 0) of the first ticket for each; for every ticket the index of its zone in the first list; how
    many tickets each zone has."""
    return tuple(np.unique_all(tickets))


@task
def first_and_number(words: Vector(GRAINS, (5, 8))):
    """Go through the different entries of `words` in alphabetical order. Return a dict: "first" is the list of the
    positions (counted from 0) at which they turn up for the first time, "number" the list of how often they occur."""
    found = np.unique_all(words)
    return {"first": found.indices, "number": found.counts}


@task
def mosaic_inventory(mosaic: Matrix(Int(1, 5), (2, 3), (2, 4))):
    """The stones of a `mosaic` have colour numbers. Return a tuple of: the colours present, ascending; the first place
    of each, counting the stones row by row from 0; a list of rows with each stone's index in that colour list; the
    stone count per colour."""
    found = np.unique_all(mosaic)
    return (found.values, found.indices, found.inverse_indices, found.counts)


@task
def batch_labels(weights: Vector(Float(1, 1.4), (4, 8))):
    """Loaves with exactly equal `weights` form a batch; batches are ordered from light to heavy. Return a tuple (batch
    of each loaf as an index from 0, batch sizes, index of the earliest loaf of each batch), three lists."""
    found = np.unique_all(weights)
    return (found.inverse_indices, found.counts, found.indices)


# --- union1d ---


@task
def either_bus_stop(red: Vector(Int(1, 12), (3, 6), unique=True), blue: Vector(Int(1, 12), (2, 5), unique=True)):
    """The `red` and the `blue` bus each have a list of stop numbers. Which stops are served by at least one of the two?
    Return them in ascending order, none twice, as a list."""
    return np.union1d(red, blue)


@task
def joint_bird_list(mine: Vector(BIRDS, (2, 5)), yours: Vector(BIRDS, (2, 5))):
    """We both went birdwatching and wrote down what we saw: `mine` is my list, `yours` is yours. Return the joint list
    of all species that anybody saw, in alphabetical order without duplicates."""
    return np.union1d(mine, yours)


@task
def codes_for_new_manual(log: Matrix(Int(1, 25), (2, 3), (2, 3)), manual: Vector(Int(1, 25), (2, 5), unique=True)):
    """Each row of `log` holds the error codes that a machine showed on one day; `manual` lists the codes that its
    manual explains so far. The new manual is to explain every code that is in either of them. Return these codes as one
    flat ascending list without repeats."""
    return np.union1d(log, manual)


@task
def merged_sampling_depths(probe: Vector(Float(0, 1.5), (4, 6)), diver: Vector(Float(0, 1.5), (3, 5))):
    """A lake was sampled by a `probe` and by a `diver` at certain depths in metres. Merge both lists of depths into
    one, shallow to deep, where a depth that occurs repeatedly is listed just once. Return that list."""
    return np.union1d(probe, diver)


# --- intersect1d ---


@task
def common_free_days(anna: Vector(Int(1, 14), (4, 7)), ben: Vector(Int(1, 14), (4, 7))):
    """Anna is free on the days `anna`, Ben on the days `ben` (a day may be noted more than once). Return the days on
    which they can meet, ascending and each a single time, as a list, which may be empty."""
    return np.intersect1d(anna, ben)


@task
def shared_instruments(quartet: Vector(KEYS, 4), orchestra: Vector(KEYS, (5, 8))):
    """Which instruments does a `quartet` have in common with an `orchestra`? Return their names sorted alphabetically,
    no name twice, as a list (empty if there is none)."""
    return np.intersect1d(quartet, orchestra)


@task
def ponds_with_both_frogs(tree_frogs: Vector(Int(1, 30), (8, 16)), marsh_frogs: Matrix(Int(1, 30), (2, 4), (3, 5))):
    """On night walks the numbers of ponds were noted: in the list `tree_frogs` those with tree frogs, in the rows of
    `marsh_frogs`, one row per walk, those with marsh frogs. A pond may be noted more than once. Return the numbers of
    the ponds that have both kinds, ascending and each once, as a list."""
    return np.intersect1d(tree_frogs, marsh_frogs)


@task
def numbers_on_both_cards(one: Matrix(Int(1, 12), (2, 3), (2, 3)), two: Matrix(Int(1, 12), (2, 3), (2, 3))):
    """Two cards of a counting game, `one` and `two`, are grids of numbers; a number may stand on a card several times,
    and the grids may differ in size. Return the numbers that are on both cards, wherever they stand, as a list,
    smallest first and without repetition."""
    return np.intersect1d(one, two)


# --- setdiff1d ---


@task
def missing_stickers(album: Vector(Int(1, 12), (4, 7), unique=True), owned: Vector(Int(1, 12), (2, 5))):
    """The stickers with the numbers in `album` are wanted, those in `owned` are there already; some of these belong to
    other albums. Which stickers are still lacking? Return their numbers ascending without repeats as a list; an empty
    one if the album is complete."""
    return np.setdiff1d(album, owned)


@task
def pantry_shortage(recipe: Vector(GRAINS, (3, 6)), pantry: Vector(GRAINS, (2, 4))):
    """Compare a muesli `recipe` with the `pantry` and return a shopping list: the grains that the recipe names but the
    pantry does not hold, alphabetically, none listed twice."""
    return np.setdiff1d(recipe, pantry)


@task
def remaining_queue(queue: Vector(Int(1, 15), (4, 7), unique=True), gone: Vector(Int(1, 15), (2, 5), unique=True)):
    """People hold different numbers and stand in a `queue`; those whose numbers are in `gone` have left (it also names
    people from other queues). Return the numbers that remain as a list, unsorted, in the order of the queue. No
    number is repeated in either list."""
    return np.setdiff1d(queue, gone, assume_unique=True)


@task
def crops_to_harvest(fields: Matrix(Int(1, 8), (2, 3), (2, 4)), harvested: Vector(Int(1, 8), (2, 4), unique=True)):
    """The map `fields` shows, in rows, the number of the crop that grows on each field. The crops in `harvested` are
    done. Return an ascending list of the crop numbers on the map that are not done yet, each only once."""
    return np.setdiff1d(fields, harvested)


# --- setxor1d ---


@task
def one_sided_appointments(hers: Vector(Int(8, 18), (3, 6), unique=True), his: Vector(Int(8, 18), (3, 6), unique=True)):
    """A couple compares calendars: `hers` and `his` hold the hours of appointments. Return, ascending and without
    repeats, the hours at which exactly one of the two is busy, as a list."""
    return np.setxor1d(hers, his)


@task
def changed_roster(before: Vector(KEYS, (3, 6)), after: Vector(KEYS, (3, 6))):
    """The band changed its instruments over the summer. Return an alphabetical list of what was either dropped or newly
    added, that is, what is in `before` or in `after` but not in both, each instrument once."""
    return np.setxor1d(before, after)


@task
def disputed_plots(survey: Matrix(Int(1, 14), (2, 3), (2, 3)), deeds: Vector(Int(1, 14), (3, 6))):
    """A land registry compares the plot numbers in the `survey` grid with those in the `deeds`. Plots known to only one
    of the two sources are disputed. Return their numbers as a flat list from small to large, without repetition."""
    return np.setxor1d(survey, deeds)


@task
def unmatched_readings(left: Vector(Float(20, 21), (3, 6)), right: Vector(Float(20, 21), (3, 6))):
    """Two thermometers, `left` and `right`, report temperatures with one decimal. Any temperature that shows up on one
    of them and never on the other is suspicious. Return the suspicious ones in rising order, each once, as a list."""
    return np.setxor1d(left, right)


# --- isin ---


@task
def reserved_seats(hall: Matrix(Int(1, 6), (2, 4), (2, 4)), reserved: Vector(Int(1, 6), (2, 4), unique=True)):
    """Seat categories of a concert `hall` are given row by row; some category numbers are `reserved`. Mark each seat:
    return a list of rows with True where the seat's category is reserved and False elsewhere."""
    return np.isin(hall, reserved)


@task
def meteors_seen_by_cameras(meteors: Vector(Int(1, 30), (8, 16)), cameras: Matrix(Int(1, 30), (2, 4), (2, 5))):
    """Watchers numbered the seconds at which they saw `meteors`. Each row of `cameras` lists the seconds at which one
    camera saw a flash. Return for every meteor, in order, True if at least one camera has its second and False if none
    has, as a list."""
    return np.isin(meteors, cameras)


@task
def winning_ticket(ticket: Int(1, 14), winners: Matrix(Int(1, 14), (2, 3), (2, 4))):
    """A raffle wheel is spun several times each evening, and a number can win again: every row of `winners` holds the
    winning numbers of one evening. Did the number `ticket` win on any of the evenings? Return a single truth value,
    True if it did and False if not."""
    return np.isin(ticket, winners)


@task
def allergy_flags(ingredients: Vector(GRAINS, (4, 7)), allergens: Vector(GRAINS, (3, 4), unique=True)):
    """For a food label, go through the `ingredients` in order and flag those that are listed under `allergens`. Return
    a list with one truth value per ingredient, True for an allergen."""
    return np.isin(ingredients, allergens)
