"""New shapes for the same data, and data stretched, repeated, trimmed or surrounded to fit a shape."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Choice, Cube, Float, Int, Matrix, Vector, Word

REPEATED = "the data fills whole rows, so repeating it from the start gives the same rows"
FIT_24_BY_7 = (
    (1,), (7,), (24, 1), (1, 7), (24, 7), (2, 1, 1), (4, 1, 1), (5, 24, 7), (3, 24, 7), (8, 1, 7), (3, 1, 7),
    (6, 24, 1), (9, 24, 1), (2, 3, 1, 1), (4, 5, 24, 1), (2, 6, 1, 7),
)  # fmt: skip


@task
def egg_cartons(eggs: Vector(Float(40, 70), 12), rows: Choice(2, 3, 4, 6)):
    """A dozen `eggs` were weighed one after another. They are put into a carton row by row, in the order of weighing;
    the carton has `rows` rows of the same length, which always works out. Return the weights as a list of rows."""
    return np.reshape(eggs, (rows, -1))


@task
def column_wise_ballots(ballots: Vector(Int(0, 30), 12), columns: Choice(2, 3, 4, 6)):
    """The twelve vote counts in `ballots` are written onto a sheet with `columns` columns of the same height. The first
    column is filled from top to bottom, then the second, and so on. Return the sheet as a list of rows."""
    return np.reshape(ballots, (-1, columns), order="F")


@task
def pairs_for_doubles(entries: Matrix(Word(), (1, 3), 4)):
    """For a tennis tournament, every row of `entries` names the home clubs of four players: the first two players form
    a doubles team, and so do the last two. Return all teams, row after row, as a list of rows with two clubs each."""
    return np.reshape(entries, (-1, 2))


@task
def diet_diary(kcal: Vector(Int(100, 900), 24), days: Choice(2, 3), people: Choice(2, 4)):
    """A diet diary `kcal` is one flat list of the meals of `people` people over `days` days: first everything from the
    first day, then from the second, and so on; within a day, person after person, all with the same number of meals.
    Return it as a list of days, each a list of people, each a list of meals."""
    return np.reshape(kcal, (days, people, -1))


@task
def shelf_to_line(shelves: Cube(Word(), (1, 3), (2, 3), (2, 3))):
    """A removal firm packs what stands in `shelves`: a list of bookcases, each a list of boards, each a list of items.
    It goes bookcase by bookcase, board by board, item by item. Return one flat list of the items in that order."""
    return np.ravel(shelves)


@task
def mowing_order(lawn: Matrix(Int(0, 30), (2, 4), (2, 4))):
    """A `lawn` is given as a list of rows of grass heights. A robot mows it one column after another, each from top to
    bottom. Return all heights as one flat list in the order in which the robot meets them."""
    return np.ravel(lawn, order="F")


@task
def elevator_log(floors: Cube(Float(15, 25), (2, 3), (2, 3), (2, 3))):
    """In `floors`, entry [i][j][k] is the temperature on floor i, corridor j, door k. Write all of them into one flat
    list in which the floor changes fastest, then the corridor, and the door slowest. Return the list."""
    return np.ravel(floors, order="F")


@task(
    equivalent={
        "ravel -> concatenate": "rows of plain numbers joined one after another are the flat list",
        "ravel -> hstack": "rows of plain numbers joined one after another are the flat list",
    }
)
def receipt_tape(tills: Matrix(Float(0, 99, 2), (2, 4), (2, 4))):
    """Amounts from several `tills` of a bakery, one row for each till, are to be printed on one long tape, till after
    till. Return the amounts as a single list without any rows."""
    return np.ravel(tills)


@task
def fee_for_every_month(fees: Matrix(Float(5, 40), "clubs", 1), months: Int(2, 6)):
    """`fees` is a table with one column: a row [fee] for each club. Nothing changes during the year, so the fee of a
    club counts for each of `months` months. Return a list with one row per club that holds its fee `months` times."""
    return np.broadcast_to(fees, (len(fees), months))


@task(equivalent={"broadcast_to -> resize": REPEATED})
def same_menu(menu: Vector(Word(("soup", "stew", "curry", "salad", "pasta", "pie")), (2, 5)), kitchens: Int(2, 5)):
    """All canteen kitchens of a town cook the same dishes. Given the dishes of the coming days as the list `menu`,
    return a list of rows with one copy of it for each of the `kitchens` kitchens."""
    return np.broadcast_to(menu, (kitchens, len(menu)))


@task
def tax_by_year(rates: Matrix(Float(1, 20), "towns", 1), years: Int(2, 3), classes: Int(2, 4)):
    """Each town has one tax rate: `rates` has a row with a single number for every town. A model wants a table for each
    of `years` years, with one row for each town and in it the town's rate repeated for `classes` tax classes. Return
    the list of tables."""
    return np.broadcast_to(rates, (years, len(rates), classes))


@task(blocks=(2, 3), seats=(2, 3))
def price_of_every_seat(prices: Cube(Int(10, 90), "blocks", 1, "seats"), rows: Int(2, 4)):
    """A theatre has blocks, a block has rows of seats. `prices` gives for every block a list with just one row of seat
    prices, valid for all `rows` rows of this block. Return the full plan: a list of blocks, each with its row written
    out `rows` times."""
    return np.broadcast_to(prices, (len(prices), rows, len(prices[0][0])))


@task(cols=(2, 4), rows=(2, 4))
def field_trial_tables(varieties: Vector(Int(1, 8), "cols"), fertilisers: Matrix(Int(1, 8), "rows", 1)):
    """A field trial is a table of plots. All plots of a column are sown with the same variety, all plots of a row get
    the same fertiliser: `varieties` holds one number per column, `fertilisers` one row [number] per row of the table.
    Return a tuple (variety table, fertiliser table): two lists of rows, each with a number for every plot."""
    return np.broadcast_arrays(varieties, fertilisers)


@task(cols=(2, 4))
def deposit_and_orders(deposit: Float(0.1, 5), orders: Matrix(Float(6, 50), (2, 3), "cols")):
    """One `deposit`, a number, applies to all `orders`, a list of rows of amounts. A form needs both for every single
    order. Return a tuple of two tables, each a list of rows like `orders`: the deposit in every cell, and the orders
    themselves."""
    return np.broadcast_arrays(deposit, orders)


@task(cols=(2, 4))
def temperatures_with_dates(
    dates: Vector(Int(1, 31), "cols", unique=True, sorted=True), degrees: Matrix(Float(-9, 30), (2, 3), "cols")
):
    """Each row of `degrees` is a town, each column a day; `dates` has one day number per column. To print pairs, the
    dates are needed once per town. Return a tuple (dates, degrees), two tables of the same size, both as lists of
    rows."""
    return np.broadcast_arrays(dates, degrees)


@task(cols=(2, 3), rows=(2, 3))
def lens_trial(strength: Float(0.5, 4), widths: Vector(Int(40, 60), "cols"), heights: Matrix(Int(20, 39), "rows", 1)):
    """An optician tries a lens of one `strength` (a number) in frames of all sizes. `widths` is a flat list with one
    width for each column, `heights` a table with a single column, one height for each row. Stretch all three to the
    full table of rows and columns. Return a tuple of the three tables in this order, each a list of rows."""
    return np.broadcast_arrays(strength, widths, heights)


@task
def combined_extent(
    left: Choice((3,), (4, 1), (1, 3), (4, 3), (2, 1, 1), (2, 4, 1), (1, 1, 3)),
    right: Choice((3,), (4, 3), (4, 1), (2, 1, 3), (2, 1, 1), (1, 4, 1)),
):
    """Two blocks of sensor data have the extents `left` and `right`, tuples of lengths. The tuples are compared from
    their ends: where one has a 1, or no length any more, its block is stretched to the length in the other tuple.
    Return the extent that both blocks have after this, as a tuple."""
    return np.broadcast_shapes(left, right)


@task
def three_layer_extent(
    paper: Choice((5,), (1, 5), (2, 5), (2, 1), (3, 1, 5)),
    ink: Choice((1,), (2, 1), (5,), (3, 1, 1), (1, 2, 5)),
    varnish: Choice((2, 5), (1, 1), (3, 2, 1), (1,), (3, 1, 1)),
):
    """A printing machine lays the patterns of `paper`, `ink` and `varnish` over each other; each is given by its tuple
    of lengths. The lengths are matched from the back; a length of 1, or a missing one in front, adapts to the others.
    Return the tuple of lengths of the overlay."""
    return np.broadcast_shapes(paper, ink, varnish)


@task
def tidal_table_extent(
    moons: Choice((7, 1, 1), (4, 1, 24), (2, 5, 1), (1, 1), (5, 24), (3, 1, 5, 1), (24,)), stations: Choice(1, 5)
):
    """Tide formulas combine three blocks of values: a block about the moon, whose lengths are the tuple `moons`, a
    table of `stations` rows and one column, and a flat list of 24 hourly values. Lengths are matched from the back;
    where a block has a length of 1, or no length any more, it is repeated to fit the others. Return the lengths of the
    combined block as a tuple."""
    return np.broadcast_shapes(moons, (stations, 1), (24,))


@task
def heating_plan_times_block(extra: Choice(*FIT_24_BY_7)):
    """A heating plan is a table of 24 rows by 7 columns. It is multiplied, element by element, with another block whose
    lengths are the tuple `extra`. Lengths are matched from the back; a length of 1, or a missing one in front, is
    stretched. Return the tuple of lengths of the product."""
    return np.broadcast_shapes((24, 7), extra)


@task
def nights_on_watch(sailors: Vector(Word(), (2, 5), unique=True), nights: Int(3, 12)):
    """The `sailors` take the night watch in turn, and after the last it is the first one's turn again. Return the list
    of who has the watch on each of the first `nights` nights."""
    return np.resize(sailors, nights)


@task
def beads_on_rows(beads: Vector(Int(1, 9), (2, 7)), rows: Int(2, 4), columns: Int(2, 5)):
    """A bracelet is woven row by row from the colour sequence `beads`, which starts over whenever it is used up; beads
    that are not needed stay in the box. Return `rows` rows of `columns` beads each, as a list of rows."""
    return np.resize(beads, (rows, columns))


@task
def reprinted_numbers(squares: Matrix(Int(1, 60), 2, (4, 5)), width: Int(2, 5)):
    """The numbers in the `squares` of an old game board, read row by row, are reprinted on a sheet of three rows with
    `width` numbers each. If there are too many, the last are dropped; if too few, printing goes on from the
    beginning. Return the three rows."""
    return np.resize(squares, (3, width))


@task
def looped_beat(beat: Vector(Float(0, 1), (4, 5)), bars: Int(2, 3)):
    """A drum machine cycles through the volumes in `beat` without end. A bar consists of two halves with three volumes
    each. Return the first `bars` bars that the machine plays: a list of bars, each bar a list of two lists."""
    return np.resize(beat, (bars, 2, 3))


@task
def shop_hours(customers: Vector(Choice(0, 0, 0, 0, 0, 0, 2, 5, 8), (6, 9))):
    """`customers` counts the visitors of a shop hour by hour. Leave out the empty hours before the first and after the
    last visitor, but keep the zeros in between. Return the list, which is empty if nobody came."""
    return np.trim_zeros(customers)


@task
def meter_digits(digits: Vector(Choice(0, 0, 0, 0, 0, 0, 1, 4, 9), (5, 8))):
    """An old gas meter shows its number as a list of `digits`, often with zeros in front. Return the list without the
    leading zeros; zeros further on stay. If it shows only zeros, return an empty list."""
    return np.trim_zeros(digits, trim="f")


@task
def without_silent_tail(samples: Vector(Choice(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.4, -0.7, 1.2), (5, 9))):
    """A recording may end in silence: numbers in `samples` that are exactly 0. Cut this silent tail off, but leave any
    silence at the start or in the middle. Return the remaining list (empty if all is silent)."""
    return np.trim_zeros(samples, trim="b")


@task
def page_without_margins(page: Matrix(Choice(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 7), (4, 5), (4, 5))):
    """A scanned `page` is a list of rows of ink values. Remove its blank margins on all four sides: outer rows and
    outer columns that contain nothing but 0. Blank rows or columns between inked ones stay. Return the list of rows
    that is left; for a blank page, return an empty list."""
    return np.trim_zeros(np.int64([*page]))


@task
def framed_picture(picture: Matrix(Int(1, 9), (2, 3), (2, 3)), paint: Int(10, 99)):
    """Put a frame around `picture`, a list of rows of colour numbers: one cell wide on all four sides, corners
    included, with the colour `paint`. Return the framed picture as a list of rows."""
    return np.pad(picture, 1, constant_values=paint)


@task
def held_temperatures(temps: Vector(Float(-9, 30), (2, 5)), before: Int(0, 3), after: Int(1, 4)):
    """A weather record `temps` is too short. Prolong it by assuming that the first value had held for `before` more
    days at the start and that the last value will hold for `after` more days. Return the longer list."""
    return np.pad(temps, (before, after), mode="edge")


@task
def ring_road(speeds: Vector(Int(20, 99), (4, 7)), overlap: Int(1, 3)):
    """Speeds along a ring road are given as a list `speeds`. So that a smoothing filter can run over the seam, put the
    last `overlap` values also in front, and the first `overlap` values also at the end. Return the extended list."""
    return np.pad(speeds, overlap, mode="wrap")


@task
def mirrored_lake_rows(depths: Matrix(Int(0, 60), (2, 3), (3, 5))):
    """Each row of `depths` is a line across a lake. Extend every row by two numbers at either end as if there were a
    mirror on the end value, which is not doubled: [1, 2, 3] becomes [3, 2, 1, 2, 3, 2, 1]. No rows are added. Return
    the rows."""
    return np.pad(depths, ((0, 0), (2, 2)), mode="reflect")
