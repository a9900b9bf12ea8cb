"""Arrays from plain data, kinds of elements, and ranges of numbers."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Choice, Float, Int, Matrix, Vector

# array


@task
def parse_typed_forms(
    entries: Vector(Choice("0", "7", "12", "-3", "2.5", "0.75", "-8.1", "40", "1e2", "-0.5"), (2, 6)),
):
    """Visitors of a fair typed their guesses into a form, which stored them as text, such as "12", "-0.5" or "1e2"
    (which is 100). Turn the list of texts in `entries` into numbers in one go and return them as a list."""
    return np.array(entries, dtype="float")


@task
def stocked_shelves(jars: Matrix(Int(0, 3), (1, 4), (2, 4))):
    """A jam cellar notes in `jars` how many jars stand at each place, one row per shelf. Build the matching table of
    truth values: True where at least one jar stands, False where there is none. Return it as a list of rows of
    booleans."""
    return np.array(jars, dtype="bool")


@task
def single_row_table(heights: Vector(Float(0.5, 9.5), (1, 7))):
    """A plotting program insists on tables, that is on a list of rows, but you only have one list, `heights`, of tide
    levels. Return it as a table whose only row is this list."""
    return np.array(heights, ndmin=2)


@task(loads=(2, 5))
def circuit_solver_rows(lamps: Vector(Float(0.1, 9), "loads"), motors: Vector(Float(5, 60), "loads")):
    """An alternating-current solver accepts nothing but complex numbers. Put the real loads `lamps` and `motors`
    together as a matrix of two rows, lamps first, and return it as a list of rows in which every entry is complex, like
    5.5+0j."""
    return np.array([lamps, motors], dtype="complex")


# astype


@task(equivalent={"array -> trunc": "the conversion cuts the fractions off anyway"})
def parking_meter_minutes(credits: Vector(Float(-9.9, 30), (2, 7))):
    """The display of a parking meter cannot show fractions and simply cuts them off: 7.9 minutes shows as 7 and a debt
    of -2.6 as -2. Convert the `credits` to such whole numbers and return them as a list."""
    return np.astype(np.array(credits), "int")


@task
def fourier_tool_input(ripples: Matrix(Float(-9, 9), (2, 4), (2, 4))):
    """A wave simulator rejects real data. `ripples` holds water heights as ordinary numbers, one row per buoy; change
    nothing but their kind, so that -2.5 becomes the complex number -2.5+0j. Return a list of rows of complex
    numbers."""
    return np.astype(np.array(ripples), "complex")


@task
def price_tag_texts(offers: Matrix(Float(-20, 40, decimals=2), (2, 4), (2, 4))):
    """A label printer in a cheese shop takes text only. Turn each amount in `offers` (one row per counter, discounts
    are negative) into a string as Python writes it, so 3.5 gives "3.5" and -4.0 gives "-4.0". Return a list of rows of
    strings."""
    return np.astype(np.array(offers), "str")


@task(
    equivalent=dict.fromkeys(
        [f"array -> {f}" for f in ("round", "floor", "ceil", "trunc")], "the levels are whole already"
    )
)
def eight_bit_synth_values(levels: Vector(Int(-300, 900), (3, 7))):
    """A vintage synthesizer keeps each volume in one unsigned byte (8 bits, 0 to 255), so that larger and negative
    whole numbers wrap around: 256 turns into 0 and -1 into 255. Return what it stores for the `levels`, as a list."""
    return np.astype(np.array(levels), "uint8")


# arange


@task
def locker_numbers(lockers: Int(1, 18)):
    """The lockers of a swimming pool are numbered without gaps, beginning at 0. For a pool with `lockers` of them,
    return all numbers in ascending order as a list."""
    return np.arange(lockers)


@task
def pages_to_read(bookmark: Int(1, 20), chapter: Int(21, 32)):
    """Tonight you read from page `bookmark` on and stop right before page `chapter`, where the next story begins.
    Return the page numbers that you read, as a list."""
    return np.arange(bookmark, chapter)


@task
def tram_departures(first: Int(0, 15), last_call: Int(40, 90), gap: Int(6, 15)):
    """A tram leaves at minute `first` and then every `gap` minutes, as long as the minute is below `last_call`; a
    departure exactly at `last_call` no longer takes place. Return the departure minutes as a list."""
    return np.arange(first, last_call, gap)


@task
def diver_ascent_stops(
    depth: Choice(6.0, 7.5, 9.0, 10.5, 12.0), shallow: Choice(0.0, 1.5, 3.0), change: Choice(-0.75, -1.5, -3.0, -1.0)
):
    """A diver starts her ascent at `depth` metres and makes stops; from stop to stop the depth changes by `change`
    metres, which is negative. She keeps stopping while she is strictly deeper than `shallow`. Return the depths of all
    stops, the start included, as a list."""
    return np.arange(depth, shallow, change)


# linspace


@task
def shelf_heights(lowest: Float(0, 4), highest: Float(6, 20), boards: Int(2, 7)):
    """A bookcase gets `boards` boards with equal gaps: one exactly at height `lowest`, one exactly at `highest`, the
    others in between. Return all heights from bottom to top as a list."""
    return np.linspace(lowest, highest, num=boards)


@task
def carousel_angles(horses: Int(2, 8), sweep: Choice(90, 180, 270, 360, 300, 120)):
    """On a carousel `horses` horses share an arc of `sweep` degrees evenly. The first stands at 0 degrees, and none at
    the end of the arc, where the pattern would begin again. Return their angles as a list."""
    return np.linspace(0, sweep, num=horses, endpoint=False)


@task
def fence_posts_and_gap(gate: Float(0, 5), corner: Float(8, 40), posts: Int(3, 7)):
    """Plan a fence: `posts` posts spread evenly from position `gate` to position `corner`, with a post on both ends.
    Return a tuple (positions as a list, distance between neighbouring posts)."""
    return np.linspace(gate, corner, num=posts, retstep=True)


@task(dancers=(2, 4))
def choreography_paths(
    begin: Vector(Float(-9, 9), "dancers"), finish: Vector(Float(-9, 9), "dancers"), beats: Int(3, 6)
):
    """Each dancer glides along a straight line at constant speed, from her position in `begin` to that in `finish`.
    Snapshots are taken at `beats` equally spaced moments, start and end included. Return one row per dancer with her
    positions over time, as a list of rows."""
    return np.linspace(begin, finish, num=beats, axis=1)


# logspace


@task
def hearing_test_tones(low: Int(1, 2), high: Int(3, 4), tones: Int(2, 6)):
    """For a hearing test you need `tones` frequencies whose decimal exponents are evenly spaced: the first is 10 to the
    `low`, the last 10 to the `high`. Return the frequencies as a list."""
    return np.logspace(low, high, num=tones)


@task
def exposure_times(first: Float(0, 3), last: Float(4, 9), shots: Int(3, 7)):
    """A night photographer counts in stops: at stop x the shutter stays open for 2 to the x seconds. She takes `shots`
    pictures, with stops in equal steps from `first` to `last`, both included. Return the exposure times in seconds as a
    list."""
    return np.logspace(first, last, num=shots, base=2.0)


@task
def dilution_series(start: Int(1, 3), end: Int(-2, 0), tubes: Int(2, 6)):
    """Prepare `tubes` test tubes with concentrations 10 to the x, where x begins at `start` and advances in even steps
    that would hit `end` with one more tube; that extra tube is left out. Return the concentrations as a list."""
    return np.logspace(start, end, num=tubes, endpoint=False)


@task
def ant_colony_forecasts(exponents: Vector(Float(3, 5), (2, 4)), target: Float(5.5, 7), months: Int(2, 5)):
    """A model says that an ant colony with exponent x has 3 to the x members, fractions allowed. For each colony x
    moves in equal steps from its value in `exponents` to the common `target`, in `months` readings that include both.
    Return one row of member counts per colony, as a list of rows."""
    return np.logspace(exponents, target, num=months, base=3.0, axis=1)


# geomspace


@task
def piano_frequencies(bottom: Float(20, 90), top: Float(100, 900), keys: Int(3, 8)):
    """Tune `keys` strings so that neighbours always have the same frequency ratio, the first at exactly `bottom` hertz
    and the last at exactly `top` hertz. Return the frequencies as a list."""
    return np.geomspace(bottom, top, num=keys)


@task
def shrinking_nesting_dolls(outer: Float(20, 40), limit: Float(1, 9), dolls: Int(2, 6)):
    """Nesting dolls shrink by a constant factor, beginning with a height of `outer`. With `dolls` dolls made, one
    further doll would measure `limit`, but it is not made. Return the heights of the dolls as a list."""
    return np.geomspace(outer, limit, num=dolls, endpoint=False)


@task
def growing_debts(debt_now: Float(-9, -0.5), debt_then: Float(-400, -20), checks: Int(3, 6)):
    """A debt is written as a negative balance. It multiplies by the same factor between inspections, from `debt_now` at
    the first of `checks` inspections to `debt_then` at the last. Return the balances at all inspections as a list."""
    return np.geomspace(debt_now, debt_then, num=checks)


@task
def brewery_scale_up(flasks: Vector(Float(0.1, 5), (2, 4)), vat: Float(10, 500), stages: Int(2, 5)):
    """Yeast cultures start in `flasks` of the given volumes and all end in a vat of volume `vat`. On the way each
    culture is enlarged by a fixed ratio of its own, so that it passes through `stages` volumes, first and last
    included. Return one row of volumes per flask, as a list of rows."""
    return np.geomspace(flasks, vat, num=stages, axis=1)
