"""The larger and the smaller of two values, limits, powers of two, and what stands in for missing numbers."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Float, Int, Matrix, Missing, Vector

INF = float("inf")
COMPLETE = "no value is missing, which is where they differ"

# maximum


@task(n=(2, 7), equivalent={"maximum -> fmax": COMPLETE})
def better_of_two_throws(first: Vector(Float(20, 70), "n"), second: Vector(Float(20, 70), "n")):
    """Javelin throwers have two throws, recorded in `first` and `second` in the same order of names. For each thrower
    the longer one counts. Return the throws that count, as a list."""
    return np.maximum(first, second)


@task(equivalent={"maximum -> fmax": COMPLETE})
def guaranteed_wage(earned: Matrix(Float(6, 20), (2, 4), (2, 4)), floor: Float(10, 15)):
    """Waiters are paid what they `earned` per hour, week by week (rows are waiters), but never less than `floor`: lower
    weeks are raised to it. Return the hourly pay as a list of rows."""
    return np.maximum(earned, floor)


@task(n=(3, 7), nonfinite=True)
def worse_of_two_thermometers(upper: Vector(Missing(Float(2, 12)), "n"), lower: Vector(Missing(Float(2, 12)), "n")):
    """A milk tank has two thermometers, and nan marks a failed reading. For every hour report the warmer value of
    `upper` and `lower`; an hour in which either of them failed must itself be reported as nan, so that somebody checks.
    Return a list."""
    return np.maximum(upper, lower)


@task(gates=(2, 4), nonfinite=True)
def flood_marks(levels: Matrix(Missing(Int(10, 90)), (2, 4), "gates"), record: Vector(Int(30, 70), "gates")):
    """`record` is the highest water ever seen at each gate of a canal, and `levels` has the season's readings, a row
    per storm and a column per gate. Compare every reading with its gate's record and keep the higher of the two; a lost
    reading (nan) stays nan. Return a list of rows."""
    return np.maximum(levels, record)


# minimum


@task(n=(2, 7), equivalent={"minimum -> fmin": COMPLETE})
def cheaper_of_two_shops(corner: Vector(Float(1, 9, 2), "n"), market: Vector(Float(1, 9, 2), "n")):
    """My shopping list was priced at the `corner` shop and at the `market`. I buy every article where it is cheaper.
    Return the price paid for each, as a list."""
    return np.minimum(corner, market)


@task(equivalent={"minimum -> fmin": COMPLETE})
def capped_refunds(claims: Vector(Int(10, 900), (2, 7)), cap: Int(200, 600)):
    """Travellers hand in `claims` for late trains. The railway pays each in full, yet no single one beyond `cap`.
    Return a list of the sums paid."""
    return np.minimum(claims, cap)


@task(rows=(2, 3), cols=(2, 4), nonfinite=True)
def slower_of_two_links(
    down: Matrix(Missing(Int(5, 99)), "rows", "cols"), up: Matrix(Missing(Int(5, 99)), "rows", "cols")
):
    """Speed tests fill two tables, `down` and `up`, with a row per flat and a column per evening. A video call is
    limited by the slower direction, so take that one in each cell. If a test in either direction did not finish (nan),
    nothing is known: the cell becomes nan. Return a list of rows."""
    return np.minimum(down, up)


@task(n=(4, 7), nonfinite=True)
def shorter_ration(bread: Vector(Missing(Float(1, 20)), "n"), water: Float(5, 15)):
    """An expedition lasts as long as its scarcest supply. For each plan, `bread` gives days of food, nan where the cook
    has not answered; `water` is enough for the same number of days in all plans. Return the days each plan can last,
    with nan for the unanswered ones, as a list."""
    return np.minimum(bread, water)


# fmax


@task(n=(4, 8))
def best_known_jump(morning: Vector(Missing(Float(3, 8, 2)), "n"), evening: Vector(Float(3, 8, 2), "n")):
    """Long jumpers trained twice. Everybody jumped in the `evening`; some skipped the `morning` and have nan there, in
    which case the evening jump is all that counts. Otherwise take the longer one. Return a list."""
    return np.fmax(morning, evening)


@task(rows=(2, 3), cols=(2, 4), nonfinite=True)
def noisier_microphone(
    left: Matrix(Missing(Int(30, 99)), "rows", "cols"), right: Matrix(Missing(Int(30, 99)), "rows", "cols")
):
    """Two microphones record a street, `left` and `right`, with a row per day and a column per hour. Return the louder
    value of each cell as a list of rows. A broken recording is nan and must not hide the other one; only if both are
    broken is the answer nan."""
    return np.fmax(left, right)


@task
def reserve_price(bids: Vector(Missing(Int(10, 400)), (4, 8)), reserve: Int(60, 250)):
    """For each lot of an auction `bids` holds the best offer. The lot sells for it, or for the house's `reserve` if
    that is higher; a lot without any offer shows nan and is taken over at the reserve. Return all selling prices as a
    list."""
    return np.fmax(bids, reserve)


@task(pots=(2, 4))
def heights_not_below_planting(
    heights: Matrix(Missing(Float(5, 60)), (2, 4), "pots"), before: Vector(Float(10, 40), "pots")
):
    """Careless pupils measure sunflowers: a column of `heights` for each pot, a row for each pupil, nan when one
    forgot. `before` has each pot's height at planting. Wherever a height is missing or below the planting height, use
    the planting height instead. Return a list of rows."""
    return np.fmax(heights, before)


# fmin


@task(n=(4, 8))
def faster_of_heat_and_final(heat: Vector(Float(50, 80, 2), "n"), final: Vector(Missing(Float(50, 80, 2)), "n")):
    """Every swimmer has a time in the `heat`; those who missed the `final` have nan there. Return the faster (smaller)
    time of each swimmer as a list, which for the absent ones is the time of the heat."""
    return np.fmin(heat, final)


@task(rows=(2, 3), cols=(2, 4), nonfinite=True)
def lower_of_two_offers(
    anna: Matrix(Missing(Int(100, 900)), "rows", "cols"), ben: Matrix(Missing(Int(100, 900)), "rows", "cols")
):
    """Painters Anna and Ben were asked for quotes, house by house (rows) and room by room; no quote is nan. Given
    `anna` and `ben`, return a list of rows with the cheaper quote, the only one if just one exists, and nan if neither
    does."""
    return np.fmin(anna, ben)


@task
def last_bus_home(own: Vector(Missing(Float(18, 26)), (4, 8)), last: Float(20, 24)):
    """Teenagers name the hour at which they would like to leave a party, listed in `own`; 25 is one in the morning, and
    nan means no wish. Nobody can stay beyond the bus at `last`. Return the hour at which each leaves: the earlier of
    the two, or the bus if there is no wish. A list, please."""
    return np.fmin(own, last)


@task(streams=(2, 4))
def lowest_water_mark(weeks: Matrix(Missing(Int(5, 80)), (2, 4), "streams"), drought: Vector(Int(20, 60), "streams")):
    """Each stream (column) has a gauge, and `weeks` holds a row of gauge readings per week with nan for frozen gauges.
    `drought` has each stream's low mark of a famous dry year. Return a list of rows holding the lower of reading and
    mark, or just the mark where the gauge was frozen."""
    return np.fmin(weeks, drought)


# clip

ORDER = {"clip: arguments 1 and 2 swapped": "value and lower limit are alike: the larger counts, up to the upper limit"}


@task(equivalent=ORDER)
def thermostat_wishes(wishes: Vector(Float(8, 32), (3, 8)), coolest: Int(14, 18), warmest: Int(20, 25)):
    """Hotel guests dial in their `wishes` for the room temperature, but the heating only goes from `coolest` to
    `warmest`. Wishes beyond either end are set to that end. Return the resulting list."""
    return np.clip(wishes, coolest, warmest)


@task(equivalent=ORDER)
def brightness_after_editing(pixels: Matrix(Int(-120, 380), (3, 4), (3, 5))):
    """After some heavy editing, the `pixels` of a grey picture may be darker than black (0) or brighter than white
    (255). Pull such pixels back to black or white, leave the others, and return the picture as a list of rows."""
    return np.clip(pixels, 0, 255)


@task(joints=(2, 4), equivalent=ORDER)
def joint_limits(
    poses: Matrix(Int(-180, 180), (2, 4), "joints"),
    least: Vector(Int(-90, -30), "joints"),
    most: Vector(Int(20, 100), "joints"),
):
    """Each row of `poses` sets the joints of a toy robot in degrees. No joint may go under its own value in `least` or
    over its own value in `most`; angles outside are moved to the limit they break. Return the safe poses as a list of
    rows."""
    return np.clip(poses, least, most)


@task(n=(3, 7), equivalent=ORDER)
def medicine_doses(doses: Vector(Int(0, 100), "n"), smallest: Vector(Int(10, 40), "n"), largest: Int(50, 80)):
    """A vet computes `doses`, one per animal. Each animal has an effective dose in `smallest` that must be reached,
    while `largest` holds for all of them and must not be passed. Return the list of doses, corrected where they leave
    that window."""
    return np.clip(doses, smallest, largest)


# ldexp


@task(n=(2, 6))
def yeast_cells(cells: Vector(Int(1, 40), "n"), doublings: Vector(Int(0, 8), "n")):
    """`cells` is the number of yeast cells in each dish at the start, and `doublings` says how many times the
    population of that dish doubles. Return the numbers of cells in the end, as a list."""
    return np.ldexp(cells, doublings)


@task
def light_by_aperture(light: Float(0.5, 30), stops: Vector(Int(-6, 6), (2, 7))):
    """One stop more lets twice as much light through a lens, one stop less half as much. Starting from an amount
    `light`, return the amounts for the given `stops` (negative means fewer stops), as a list."""
    return np.ldexp(light, stops)


@task
def three_octaves_up(tones: Matrix(Float(20, 200), (2, 4), (2, 4))):
    """`tones` is a table of frequencies in hertz, a row for each chord. An octave doubles the frequency. Return the
    table with everything raised by three octaves, as a list of rows."""
    return np.ldexp(tones, 3)


@task(rounds=(2, 5))
def folded_ribbons(lengths: Matrix(Int(10, 400), (2, 4), "rounds"), folds: Vector(Int(-5, 0), "rounds")):
    """Ribbons are folded in half again and again. `lengths` has a row per roll and a column per colour, and `folds`
    counts each colour's halvings as a negative power of two: -3 leaves an eighth of the length. Return the folded
    lengths as a list of rows."""
    return np.ldexp(lengths, folds)


# frexp


@task
def binary_notation(weights: Vector(Float(-60, 60, 2), (2, 6))):
    """A neural network chip stores each of its `weights` as m times 2 to the power e with a whole e, where m without
    its sign is at least 0.5 but below 1 (a weight of zero has m = 0 and e = 0). Return a tuple of two lists: all m,
    then all e."""
    return np.frexp(weights)


@task
def mantissa_table(grid: Matrix(Int(-500, 500), (2, 4), (2, 4))):
    """For a lecture on number formats, split every entry of `grid` into a factor between one half (included) and one
    (excluded), with the entry's sign, and a power of two; an entry of 0 yields factor 0 and power 0. Return a dict with
    the keys "factor" and "power", both a list of rows, "power" containing the exponents."""
    factor, power = np.frexp(grid)
    return {"factor": factor, "power": power}


@task
def single_value_in_binary(value: Float(-900, 900, 2)):
    """Take one decimal number `value` and return a tuple of two numbers (m, e) such that m doubled e times is `value`
    again (halved if e is negative); the size of m is never under 0.5 and always under 1, except that zero gives (0,
    0)."""
    return np.frexp(value)


@task
def buffer_exponents(loads: Vector(Float(0.05, 200, 2), (2, 7))):
    """Buffers come in sizes that are powers of two, fractions included. Each of the `loads` needs the smallest buffer
    strictly larger than itself, so that it fills half of it or more: 8 goes into 16, which is 2 to the power 4,
    and 0.3 into 0.5, which is 2 to the power -1. Return the list of these exponents."""
    return np.frexp(loads)[1]


# nan_to_num


@task
def skipped_meals(calories: Vector(Missing(Int(100, 900)), (4, 8))):
    """A food diary lists `calories` per meal, with nan for meals that were skipped. A skipped meal has no calories.
    Return the diary as a list in which these are 0."""
    return np.nan_to_num(calories)


@task
def unreadable_bird_counts(counts: Matrix(Missing(Int(0, 40)), (2, 4), (3, 4)), stand_in: Float(1, 9)):
    """Volunteers counted birds, a row of `counts` per garden. Some numbers were unreadable and were typed in as
    nan. The report uses `stand_in` for those. Return the completed counts as a list of rows."""
    return np.nan_to_num(counts, nan=stand_in)


@task
def saturated_sensor(
    signal: Vector(Missing(Missing(Float(-30, 30), INF), -INF), (4, 8)), top: Int(50, 99), bottom: Int(-99, -50)
):
    """A sensor writes inf when it is driven beyond its range upwards and -inf when downwards. Clean up `signal`: write
    `top` for the first and `bottom` for the second, keeping the ordinary values. Return a list."""
    return np.nan_to_num(signal, posinf=top, neginf=bottom)


@task
def odds_board(odds: Matrix(Missing(Missing(Float(1, 20), INF)), (2, 3), (3, 4)), longest: Int(100, 500)):
    """On the `odds` board of a horse race, rows are bookmakers. A hopeless horse has infinite odds, to be printed as
    `longest`; a withdrawn horse has nan, to be printed as -1. Return the printable board as a list of rows."""
    return np.nan_to_num(odds, nan=-1, posinf=longest)
