"""Options, short forms and edge rules of picking and writing elements that no training task shows."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Bool, Choice, Cube, Float, Int, Matrix, Vector

# take_along_axis, put_along_axis and the functions that write want arrays, so gold converts lists first.


@task(usage="indices is a number", m=(3, 8))
def hall_on_one_evening(tickets: Matrix(Int(0, 400), (3, 7), "m"), evening: Int(0, "m-1")):
    """The rows of `tickets` are concert halls, the columns are evenings. Return what each hall sold on evening number
    `evening`, counted from 0, as a flat list by hall."""
    return np.take(tickets, evening, axis=1)


@task(
    usage="axis is None",
    equivalent={"take_along_axis -> take": "from the flattened table both pick by running number"},
)
def lockers_by_running_number(contents: Matrix(Int(10, 99), 4, 6), numbers: Vector(Int(0, 23), (5, 12))):
    """A wall of lockers has four rows of six, with `contents` as a list of rows. The lockers are numbered 0 to 23, row
    after row from left to right. Return what is in the lockers with these `numbers`, in the order asked for, as a flat
    list."""
    return np.take_along_axis(np.array(contents), np.array(numbers), axis=None)


@task(usage="2 arguments", page="single elements of the flattened array are kept")
def perforated_tickets(sheet: Matrix(Int(100, 999), (6, 8), (6, 8)), keep: Vector(Bool(), (6, 16))):
    """Tickets with numbers are printed on a `sheet`, a list of rows. Read row after row; the first ticket belongs to
    the first entry of `keep`, the second to the second, and so on across the ends of rows. Tickets with True are kept,
    those with False, and tickets for which there is no entry any more, are thrown away. Return the kept numbers as a
    flat list."""
    return np.compress(keep, sheet)


@task(usage="choices is uneven", page="shapes that differ are stretched to a common shape", n=(8, 16))
def tariff_with_flat_rate(plan: Vector(Int(0, 2), "n"), metered: Vector(Int(1, 40), "n"), flat: Int(10, 30)):
    """Customer i has the tariff `plan`[i]: with 0 nothing is paid, with 1 the amount `metered`[i], with 2 the same
    `flat` rate for everybody. Return what each customer pays, as a list."""
    return np.choose(plan, [0, metered, flat])


@task(usage="choicelist is uneven", page="list of arrays, nested lists or numbers", n=(8, 16))
def parking_fines(
    disabled: Vector(Bool(), "n"), resident: Vector(Bool(), "n"), minutes: Vector(Int(1, 90), "n"), flat: Int(5, 40)
):
    """Cars park too long by some `minutes`. A car with True in `disabled` pays a fixed 3; of the others, a car with
    True in `resident` pays as much as its minutes; everybody else pays `flat`. Return the fines as a list."""
    return np.select([disabled, resident], [3, minutes], default=flat)


@task(usage="1 argument", page="alone it returns the indices of its true elements")
def seats_taken(taken: Matrix(Bool(), (3, 7), (4, 10))):
    """`taken` shows a cinema row by row, with True for an occupied seat. Return two lists as a tuple: the row numbers
    and the seat numbers, both counted from 0, of the occupied seats, in reading order. The two lists belong together
    position by position."""
    return np.where(taken)


@task(usage="a holds nan", page="True and nan count as non-zero")
def dials_to_check(dials: Matrix(Choice(float("nan"), 0.0, 0.0, 0.0, 0.5, -1.5), (3, 7), (4, 9))):
    """A control room shows deviations on `dials`, a list of rows: 0 means in order, nan means that the dial is dead.
    Every dial that is dead or deviates must be checked. Return a tuple of two lists, the row numbers and the column
    numbers (from 0) of these dials in reading order."""
    return np.nonzero(dials)


@task(usage="mode is 'clip'", n=(6, 14))
def crane_parking_cells(steps_down: Vector(Int(-3, 8), "n"), steps_right: Vector(Int(-3, 11), "n")):
    """A crane serves a yard of 6 rows and 9 columns whose cells are numbered 0 to 53, row after row. It is sent to one
    cell after the other; `steps_down` and `steps_right` tell how far each lies below and to the right of cell 0, that
    is its row and its column. The crane cannot leave the yard: a row or column that does not exist is replaced by the
    nearest one that does. Return the numbers of the cells it goes to, as a list."""
    return np.ravel_multi_index((steps_down, steps_right), (6, 9), mode="clip")


@task(usage="mode is a list", page="A tuple gives one", n=(6, 14))
def weather_globe_cells(rings: Vector(Int(-2, 7), "n"), sectors: Vector(Int(-12, 23), "n")):
    """A globe is divided into 6 rings from north to south with 12 sectors each; cells are numbered 0 to 71, ring after
    ring. Position i lies in ring `rings`[i] and sector `sectors`[i], counted from 0. A ring beyond a pole means the
    outermost ring at that pole; sectors go round in a circle, so that 12 is sector 0 again and -1 is sector 11. Return
    the numbers of the cells as a list."""
    return np.ravel_multi_index((rings, sectors), (6, 12), mode=("clip", "wrap"))


@task(usage="axis is None")
def board_squares_marked(board: Matrix(Int(1, 9), 5, 5), squares: Vector(Int(0, 24), (2, 8)), mark: Int(20, 40)):
    """A `board` of five rows with five numbers has squares numbered 0 to 24, row after row from left to right. On each
    of the `squares` named in the list (some perhaps twice) the number is replaced by `mark`. Return the board after
    that, as a list of rows."""
    result = np.array(board)
    np.put_along_axis(result, np.array(squares), mark, axis=None)
    return result


@task(
    usage="values is a number",
    rows=(3, 7),
    cols=(4, 9),
    equivalent={"putmask -> place": "with a single value both write it everywhere"},
)
def blacked_out_picture(
    picture: Matrix(Int(10, 255), "rows", "cols"), faces: Matrix(Bool(), "rows", "cols"), ink: Int(0, 9)
):
    """Before a `picture` (a list of rows of grey values) is printed, every pixel at which `faces` is True is painted
    with the grey value `ink`. Return the printed picture as a list of rows."""
    result = np.array(picture)
    np.putmask(result, faces, ink)
    return result


@task(usage="2 arguments", page="Values are stretched to the shape", days=(4, 9))
def timetable_reset(timetable: Matrix(Int(0, 30), (3, 6), "days"), standard: Vector(Int(0, 30), "days")):
    """A `timetable` has one row per bus line and one column per day. The first line keeps its row; the rows of every
    other line are overwritten with the `standard` row. Return the timetable after that, as a list of rows."""
    result = np.array(timetable)
    np.copyto(result[1:], standard)
    return result


@task(
    usage="a has 3 dimensions",
    page="With more than two, all must have the same length",
    n=(2, 5),
    equivalent={"fill_diagonal: wrap=True added": "it is about tables with more rows than columns"},
)
def rod_through_the_cube(cube: Cube(Float(-9, 9), "n", "n", "n"), rod: Int(20, 40)):
    """A sugar `cube` is a list of layers, each a list of rows, with as many layers as rows and columns. A rod is pushed
    through it from the first corner to the opposite one, through the cells whose layer, row and column number are the
    same. These cells then hold the number `rod`. Return the cube after that, in the same nesting."""
    result = np.array(cube)
    np.fill_diagonal(result, rod)
    return result


@task(usage="indices has 2 dimensions", page="int, or array or nested list of ints", colours=(3, 8))
def mosaic_from_palette(palette: Vector(Int(100, 999), "colours"), mosaic: Matrix(Int(0, "colours-1"), (3, 6), (4, 8))):
    """A `palette` lists the order numbers of stones, and a `mosaic` is a list of rows that says for each place which
    entry of the palette, counted from 0, lies there. Return the mosaic with the order numbers of the stones in its
    places, as a list of rows."""
    return np.take(palette, mosaic)


@task(usage="m is a number")
def lamps_reached_by_sunset(rows: Int(2, 9), lamps: Int(2, 9)):
    """At sunset a shadow falls on a wall with `rows` rows of `lamps` lamps each. Rows, and the lamps in a row, are
    numbered from 0. In row i the shadow covers the lamps 0 to i, as far as they exist. Return the lamps in the shadow,
    row by row, as a tuple of two lists: the row numbers; the lamp numbers."""
    return np.tril_indices(rows, m=lamps)
