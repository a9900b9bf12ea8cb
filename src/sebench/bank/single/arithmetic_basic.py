"""Sums, differences, products, quotients and remainders of two inputs, element by element."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Choice, Complex, Cube, Float, Int, Matrix, Vector

PADDED = "lists of the same length: as polynomials they are combined element by element too"

# add


@task(n=(2, 6), equivalent={"add -> polyadd": PADDED})
def ballots_from_two_rooms(hall: Vector(Int(0, 90), "n"), gym: Vector(Int(0, 90), "n")):
    """Village votes were counted in two rooms. `hall` and `gym` list the ballots per candidate, both in the same order.
    What did each candidate get altogether? Return a list."""
    return np.add(hall, gym)


@task(lines=(2, 4), stops=(2, 5))
def delayed_tram_timetable(minutes: Matrix(Int(3, 30), "lines", "stops"), delays: Vector(Int(0, 12), "stops")):
    """Roadworks slow all trams down. `minutes` has a row for each line and a column for each stretch of road: how long
    the trip over it normally takes. On every stretch all lines lose the same time, given in `delays`. Return the table
    of the slower trips, as a list of rows."""
    return np.add(minutes, delays)


@task
def transposed_melody(notes: Vector(Int(40, 80), (2, 8)), steps: Int(-7, 7, but=(0,))):
    """A choir finds a tune uncomfortable. `notes` holds its pitches as whole numbers, counted in semitones; move every
    pitch by `steps` semitones (downwards if `steps` is negative) and return the new tune as a list."""
    return np.add(notes, steps)


@task(n=(2, 5), equivalent={"add -> polyadd": PADDED})
def two_coils_in_series(first: Vector(Complex(0, 9), "n"), second: Vector(Complex(0, 9), "n")):
    """Two coils are wired in series. `first` and `second` hold their complex impedances, one value per test frequency;
    in series the impedances of both are summed. Return the total for every frequency, as a list of complex numbers."""
    return np.add(first, second)


# subtract


@task(n=(2, 6), equivalent={"subtract -> polysub": PADDED})
def honey_without_the_jar(filled: Vector(Float(3, 9), "n"), empty: Vector(Float(0.2, 2), "n")):
    """A beekeeper weighs every jar twice: `filled` is its weight with honey, `empty` its weight without. How much honey
    is in each jar? Return a list."""
    return np.subtract(filled, empty)


@task(days=(2, 4), towns=(2, 5))
def warmer_than_usual(readings: Matrix(Float(4, 26), "days", "towns"), normal: Vector(Float(10, 20), "towns")):
    """Noon temperatures are in `readings`, one row per day and one column per town; `normal` is the long-term value of
    each town. Return by how many degrees each reading exceeds what is usual there (below zero if colder), as a list of
    rows."""
    return np.subtract(readings, normal)


@task(gauges=(2, 4), equivalent={"subtract -> polysub": PADDED})
def tide_above_own_zero(levels: Matrix(Int(0, 400), "gauges", (2, 4)), zero_marks: Matrix(Int(0, 90), "gauges", 1)):
    """Each row of `levels` comes from one harbour gauge. The gauges were mounted carelessly, so `zero_marks` has a row
    for each of them with a single number: what it shows at sea level. Take that off every level of the gauge and return
    the corrected list of rows."""
    return np.subtract(levels, zero_marks)


@task
def change_from_the_banknote(note: Choice(20, 50, 100), bills: Vector(Int(1, 30), (2, 7))):
    """Every customer of a bakery pays with the same banknote, worth `note`. Given the customers' `bills`, return a list
    of the change handed back to each; where the note does not suffice, the number is negative."""
    return np.subtract(note, bills)


# multiply


@task(n=(2, 6))
def value_of_fruit_stock(crates: Vector(Int(1, 12), "n"), prices: Vector(Float(1, 9, 2), "n")):
    """A greengrocer stocks several fruits. `crates` tells how many crates of each fruit there are, and `prices` what
    one crate of that fruit costs. What is the stock of each fruit worth? Return a list, fruit by fruit."""
    return np.multiply(crates, prices)


@task(dishes=(2, 4), spices=(2, 4))
def spice_cost_table(spoons: Matrix(Int(0, 9), "dishes", "spices"), cost: Vector(Float(0.1, 2, 2), "spices")):
    """`spoons` has a row per dish and a column per spice: how many spoonfuls go in. With `cost` giving the price of one
    spoonful of each spice, return what every entry of the table costs, as a list of rows."""
    return np.multiply(spoons, cost)


@task(rows=(2, 3), cols=(2, 3))
def weight_of_parcels(parcels: Cube(Int(0, 9), (2, 3), "rows", "cols"), weights: Matrix(Int(1, 8), "rows", "cols")):
    """Depots count their parcels: `parcels` holds one table per depot, with a row for each size and a column for each
    material. The table `weights`, of the same form as one depot's table, holds what one parcel of that size and
    material weighs. Return what all parcels of a cell weigh together, for every cell of every depot, as a list of
    tables."""
    return np.multiply(parcels, weights)


@task(n=(2, 5))
def turned_and_stretched(points: Vector(Complex(), "n"), turns: Vector(Complex(), "n")):
    """Points of the plane are written as complex numbers in `points`. To rotate and stretch a point, one takes its
    product with the complex number at the same position in `turns`. Return the moved points as a list of complex
    numbers."""
    return np.multiply(points, turns)


# divide


@task(n=(2, 6))
def kilometres_per_litre(kilometres: Vector(Int(200, 400), "n"), litres: Vector(Float(20, 40), "n")):
    """For every trip of a delivery van we noted the `kilometres` driven and the `litres` of fuel burnt. Return a list
    with the kilometres per litre of each trip, not rounded."""
    return np.divide(kilometres, litres)


@task(schools=(2, 4), sports=(2, 4))
def medals_per_athlete(medals: Matrix(Int(0, 12), "schools", "sports"), athletes: Vector(Int(4, 20), "sports")):
    """In `medals` each row is a school and each column a sport. The schools have agreed on how many people each of them
    sends to a sport: `athletes` has that number for each column. Return medals per head as a list of rows, with
    decimals."""
    return np.divide(medals, athletes)


@task
def slice_of_the_pie(grams: Int(500, 2000), guests: Vector(Int(2, 13), (2, 6), unique=True)):
    """One pie weighs `grams`. It is not certain how many people will share it: `guests` lists the possible numbers. For
    each of them return how much one guest gets when the pie is shared fairly, as a list of unrounded numbers."""
    return np.divide(grams, guests)


@task(n=(2, 5))
def impedance_of_circuits(voltages: Vector(Complex(1, 5), "n"), currents: Vector(Complex(1, 5), "n")):
    """Several circuits were tested with alternating current: the complex `voltages` and `currents` have one value
    per circuit. The impedance is the voltage over the current. Return it for every circuit, as a list of complex
    numbers."""
    return np.divide(voltages, currents)


# floor_divide


@task
def map_tile_columns(easting: Vector(Int(-900, 900), (2, 7)), width: Int(30, 90)):
    """A game world is cut into tiles of `width` metres; tile 0 starts at 0, tile -1 lies just west of it. For the
    positions in `easting` (negative is west), return the whole number of the tile in which each lies, as a list. A
    position on an edge belongs to the tile east of it."""
    return np.floor_divide(easting, width)


@task(n=(2, 6))
def egg_boxes_filled(eggs: Vector(Int(0, 200), "n"), box: Vector(Int(4, 12), "n")):
    """`eggs` tells how many eggs each farm sends us, and every farm packs in boxes of its own size, listed in `box`.
    How many boxes can each farm fill completely? Return a list of whole numbers."""
    return np.floor_divide(eggs, box)


@task(pieces=(2, 5))
def loops_of_each_tape(seconds: Matrix(Int(20, 300), (2, 4), "pieces"), length: Vector(Int(4, 19), "pieces")):
    """A composer lets tapes run in a loop. `seconds` tells how long each tape (column) ran in each concert (row); one
    pass of a tape takes as many seconds as `length` says. Return the number of complete passes, ignoring the unfinished
    one, as a list of rows."""
    return np.floor_divide(seconds, length)


@task
def storeys_from_height(heights: Vector(Float(-20, 60), (2, 7)), storey: Choice(2.5, 3.5, 4.5)):
    """A lift reports its `heights` in metres above the street; cellars are below zero. Every storey is `storey` metres
    tall, storey 0 begins at the street and storey -1 lies right beneath it. Return a list of the storeys in which the
    heights lie; a height exactly on a border belongs to the storey above."""
    return np.floor_divide(heights, storey)


# remainder


@task
def hour_on_the_clock(shifted: Vector(Int(-24, 47), (2, 7))):
    """After conversion between time zones, the hours in `shifted` may be below 0 or beyond 23. Bring each back onto the
    24-hour clock, so that -1 becomes 23 and 24 becomes 0. Return a list."""
    return np.remainder(shifted, 24)


@task(n=(2, 6))
def markers_on_carousels(moved: Vector(Int(-80, 80), "n"), horses: Vector(Int(5, 17), "n")):
    """Carousel i has `horses`[i] horses, numbered from 0 round the ring. Its marker started at horse 0 and was moved
    `moved`[i] horses forwards, or backwards if that is negative. At which horse is each marker now? Return a list of
    whole numbers."""
    return np.remainder(moved, horses)


@task(dials=(2, 4))
def combination_lock_dials(turned: Matrix(Int(-50, 50), (2, 4), "dials"), marks: Vector(Int(6, 15), "dials")):
    """Each row of `turned` is one attempt at a safe: by how many marks every dial (column) was turned forward, or back
    if negative. Dial j has `marks`[j] marks, numbered from 0, and stands at mark 0 before each attempt. Return the mark
    that each dial shows after each attempt, as a list of rows."""
    return np.remainder(turned, marks)


@task
def compass_heading(bearings: Matrix(Float(-900, 900), (2, 3), (2, 4))):
    """A ship's log contains `bearings` in degrees, several per watch (row), some of them negative or more than a full
    circle. Return the same directions written between 0 (included) and 360 (excluded), as a list of rows."""
    return np.remainder(bearings, 360)


# fmod


@task
def loose_cents(accounts: Vector(Int(-2000, 2000), (2, 7))):
    """The `accounts` of a club are kept in cents; debts carry a minus. What is left of each account once all whole
    euros (100 cents) are set aside? The loose cents of a debt keep the minus: -250 leaves -50. Return a list."""
    return np.fmod(accounts, 100)


@task
def wrist_rotation_left_over(angles: Vector(Float(-1500, 1500), (2, 6)), turn: Choice(64, 360, 400)):
    """A robot wrist reports the `angles` through which it has rotated, clockwise positive, anticlockwise negative. A
    full turn is `turn` units (360 degrees, 400 gradians, or 64 marks of a dial), and the angles are in the same units.
    Drop all full turns and return what is left as a list; an anticlockwise leftover stays negative."""
    return np.fmod(angles, turn)


@task(n=(2, 6))
def undivided_profit(profits: Vector(Int(-99, 99), "n"), partners: Vector(Int(2, 9), "n")):
    """Small firms divide their yearly `profits`, in coins, evenly among their `partners` and cut no coin; losses are
    negative and are divided the same way. Return the coins left over in each firm, as a list: -7 coins among 3 leave
    -1, and 7 leave 1."""
    return np.fmod(profits, partners)


@task(cols=(2, 4))
def scrolled_past_the_card(scroll: Matrix(Float(-38, 38), (2, 3), "cols"), card: Vector(Choice(2.5, 4.5, 6.5), "cols")):
    """Readers (rows) have scrolled strips of cards (columns): `scroll` tells how many centimetres each strip has moved
    from its start, negative if leftwards. All cards of strip j are `card`[j] centimetres wide. Return how far each
    strip has moved beyond its last fully passed card (beyond its start, if no card has passed), negative if leftwards,
    as a list of rows."""
    return np.fmod(scroll, card)


# divmod


@task
def running_times(seconds: Vector(Int(50, 4000), (2, 7))):
    """Race results arrive as `seconds`. Write them as minutes and seconds: return a tuple (minutes, rest), two lists of
    whole numbers with the rest below 60."""
    return np.divmod(seconds, 60)


@task(n=(2, 6))
def sweets_for_the_children(sweets: Vector(Int(5, 99), "n"), children: Vector(Int(2, 11), "n")):
    """At party i a bowl of `sweets`[i] sweets is shared by `children`[i] children, everybody receiving equally many and
    as many as possible. Return a tuple (each, over) of two lists: what every child gets, and what stays in the bowl."""
    return np.divmod(sweets, children)


@task
def page_and_line(numbers: Matrix(Int(0, 500), (2, 3), (2, 4)), lines: Int(20, 45)):
    """The index of a book is a table, `numbers`, that refers to lines counted from 0 through the whole book. Every page
    has `lines` lines. Return a tuple (pages, lines on that page), both counted from 0 and both a list of rows like the
    table."""
    return np.divmod(numbers, lines)


@task
def weeks_before_and_after(offsets: Vector(Int(-70, 70), (2, 7))):
    """`offsets` counts days before (negative) or after a certain Monday. Return a dict with the keys "week" and
    "weekday", each holding a list: the week, where 0 is the one that this Monday starts and -1 the one before, and the
    weekday from 0 (Monday) to 6."""
    weeks, days = np.divmod(offsets, 7)
    return {"week": weeks, "weekday": days}


# modf


@task
def shares_and_fractions(holdings: Vector(Float(-19.75, 19.75, 2), (2, 6))):
    """A broker's `holdings` are decimal numbers of shares, negative when the broker owes them. Split each at the
    decimal point and return a tuple (fractions, whole shares) of two lists; both parts of a negative holding are
    negative or zero."""
    return np.modf(holdings)


@task
def simulation_time_in_parts(hours: Float(-29.5, 29.5, 2)):
    """A simulation keeps its time as one decimal number, `hours`, negative before the start. Return a tuple of two
    numbers: first what follows the decimal point, then the hours in front of it, each with the sign of the input (-2.25
    gives -0.25 and -2)."""
    return np.modf(hours)


@task
def pixel_and_offset(position: Matrix(Float(-8.75, 8.75, 2), (2, 4), 2)):
    """Every row of `position` is a point on a drawing. Split all coordinates, dropping decimals towards zero: return a
    dict whose "pixel" holds the whole-number parts and whose "offset" holds what was dropped, sign included, both as a
    list of rows."""
    offset, pixel = np.modf(position)
    return {"pixel": pixel, "offset": offset}


@task
def gearbox_revolutions(turns: Vector(Float(-49.75, 49.75, 2), (3, 6))):
    """The shaft of a gearbox made `turns` turns in each test, backwards ones counted negative. Return a tuple
    (complete, partial) with two lists: the complete turns of each test and the piece of a turn left over, which is
    negative too if the shaft ran backwards."""
    partial, complete = np.modf(turns)
    return complete, partial
