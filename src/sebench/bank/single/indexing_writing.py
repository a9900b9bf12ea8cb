"""Converting positions, and writing values at positions."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Bool, Choice, Cube, Float, Int, Matrix, Vector

# ravel_multi_index


@task(n=(2, 5), rows=(3, 9), seats=(4, 12))
def theatre_ticket_numbers(
    row: Vector(Int(0, "rows-1"), "n"), seat: Vector(Int(0, "seats-1"), "n"), rows: Int("rows", "rows"),
    seats: Int("seats", "seats"),
):  # fmt: skip
    """A theatre has `rows` rows of `seats` seats each, and tickets are numbered from 0 along the first row, then along
    the second, and so on. Rows and seats are counted from 0 too; the booked places are given by `row` and `seat`,
    two lists that belong together. Return the ticket numbers as a list."""
    return np.ravel_multi_index((row, seat), (rows, seats))


@task(n=(2, 5))
def vineyard_pole_numbers(line: Vector(Int(0, 5), "n"), column: Vector(Int(0, 7), "n")):
    """Poles in a vineyard form 6 lines and 8 columns. They are numbered column by column: the 6 poles of column 0 are 0
    to 5 from line 0 downwards, then column 1 follows. For poles given by the lists `line` and `column`, both counted
    from 0, return their numbers as a list."""
    return np.ravel_multi_index((line, column), (6, 8), order="F")


@task(n=(2, 5))
def torus_game_cells(down: Vector(Int(-6, 9), "n"), right: Vector(Int(-8, 12), "n")):
    """In a snake game on a board of 5 rows and 7 columns, whoever leaves at one edge comes in at the opposite one, so
    row 5 is row 0 and column -1 is column 6. Cells are numbered from 0 in reading order. Return, as a list, the cell
    numbers of the points with row numbers `down` and column numbers `right`."""
    return np.ravel_multi_index((down, right), (5, 7), mode="wrap")


@task
def archive_box_number(room: Int(0, 3), rack: Int(0, 4), box: Int(0, 9)):
    """A town archive has 4 rooms, each with 5 racks of 10 boxes. All boxes carry a running number that starts at 0 and
    goes on through a rack, then to the next rack, then to the next room. Given `room`, `rack` and `box`, each counted
    from 0, return the running number of that box."""
    return np.ravel_multi_index((room, rack, box), (4, 5, 10))


# unravel_index


@task
def stadium_seats_from_codes(codes: Vector(Int(0, 17), (2, 5), unique=True), seats: Int(3, 7)):
    """Season tickets of a small stand with 6 rows of `seats` seats each carry `codes` that count the places from 0, row
    after row. Where does each holder sit? Return a tuple of two lists, the row numbers and the seat numbers within the
    row, both starting at 0."""
    return np.unravel_index(codes, (6, seats))


@task
def punch_card_holes(holes: Vector(Int(0, 59), (2, 6))):
    """An old loom numbers the 60 holes of a punch card down its columns: column 0 contains 0 to 11, column 1 contains
    12 to 23, and so on (5 columns of 12 lines). Where are the holes with the numbers in `holes`? Return a tuple (lines,
    columns): two lists, both counted from 0."""
    return np.unravel_index(holes, (12, 5), order="F")


@task
def apartment_address(unit: Int(5, 59)):
    """A housing estate has 3 towers, 5 storeys per tower and 4 flats per storey. Counting through the flats of a
    storey, then the storeys, then the towers gives every flat a number from 0 to 59. Return (tower, storey, flat) for
    the number `unit`, as a tuple of numbers from 0."""
    return np.unravel_index(unit, (3, 5, 4))


@task
def sudoku_cells_from_numbers(cells: Matrix(Int(0, 80), (2, 3), (2, 4))):
    """A sudoku grid is 9 by 9, its cells numbered 0 to 80 in reading order. A puzzle editor groups some of them in the
    rows of the table `cells`. Return a dict: "row" with the table of their row numbers and "column" with that of their
    column numbers, both as lists of rows, from 0."""
    found = np.unravel_index(cells, (9, 9))
    return {"row": found[0], "column": found[1]}


# put


@task(n=(4, 7), k=(2, 4))
def corrected_temperatures(
    readings: Vector(Float(-5, 35), "n"),
    spots: Vector(Int(0, "n-1"), "k", unique=True),
    fixes: Vector(Float(-5, 35), "k"),
):
    """A clerk mistyped some of the temperatures in `readings`. `spots` are the positions of the wrong ones, from 0, and
    `fixes` the right values in the same sequence. Return the whole corrected list."""
    result = np.array(readings)
    np.put(result, spots, fixes)
    return result


@task(r=(2, 4), c=(2, 4))
def flooded_parcels(
    heights: Matrix(Float(-3, 2), "r", "c"), parcels: Vector(Int(0, 3), (1, 3), unique=True), water: Float(2.5, 5)
):
    """Fields lie between dykes, and `heights` is the map of their ground levels in metres. The fields are numbered from
    0 along the rows; those listed in `parcels` are flooded, so that their surface is now at the level `water`. Return
    the map of levels after the flood as a list of rows."""
    result = np.array(heights)
    np.put(result, parcels, water)
    return result


@task
def carousel_repaint(colours: Vector(Int(1, 9), (3, 6)), horses: Vector(Int(-7, 11), 2), shade: Int(10, 40)):
    """The horses of a carousel stand in a circle; `colours` gives the number of each one's paint on a colour chart. The
    numbers in `horses` say which to repaint: the first horse is 0, counting on goes round the circle again and again,
    and negative numbers count backwards (-1 is the last horse). Each of these horses gets the paint number `shade`.
    Return the new list of colours."""
    result = np.array(colours)
    np.put(result, horses, shade, mode="wrap")
    return result


@task
def slider_marks(track: Vector(Float(-5, 5), (3, 6)), pushes: Vector(Int(-4, 9), (2, 3)), mark: Float(10, 20)):
    """A slider moves along a `track` of cells with numbers in them. It was pushed to the cells `pushes`, counted from
    0; where that lies beyond an end, it stops in the last cell at that end. Every cell in which it stopped now holds
    `mark`. Return the track as a list."""
    result = np.array(track)
    np.put(result, pushes, mark, mode="clip")
    return result


# put_along_axis


@task(n=(2, 4), m=(4, 5))
def censored_answers(
    answers: Matrix(Float(-9, 9), "n", "m"),
    secret: Vector(Choice([0, 1], [0, 2], [0, 3], [1, 3], [2, 1], [3, 0], [3, 2]), "n"),
):
    """Each row of `answers` holds one person's opinions on a scale from -9 to 9, and the matching row of `secret` has
    the two column numbers, from 0, of the answers this person wants hidden. Return the table as a list of rows with -99
    in the hidden cells."""
    result = np.array(answers)
    np.put_along_axis(result, np.array(secret), -99, axis=1)
    return result


@task(n=(3, 5), m=(2, 4))
def rents_after_renewal(
    rents: Matrix(Int(400, 900), "n", "m"),
    flats: Matrix(Int(0, "n-1"), 1, "m"),
    renewed: Matrix(Int(500, 1200), 1, "m"),
):
    """Columns of `rents` are houses, rows are flats, entries monthly rents in euros. In each house one flat is let
    anew: `flats` holds a single row with that flat's number, from 0, and `renewed` a single row with its new rent,
    house by house. Return the updated table as a list of rows."""
    result = np.array(rents)
    np.put_along_axis(result, np.array(flats), np.array(renewed), axis=0)
    return result


@task(n=(2, 4), m=(3, 5))
def substitute_at_the_relay(
    times: Matrix(Float(44, 54), "n", "m"), legs: Matrix(Int(0, "m-1"), "n", 1), backups: Matrix(Float(48, 60), "n", 1)
):
    """Teams are the rows of `times`, legs of the race the columns; entries are running times in seconds. In every team
    one runner is replaced: `legs` tells the column (from 0) and `backups` the replacement's time, each as a list of
    one-element rows. Return the table after the replacement, as a list of rows."""
    result = np.array(times)
    np.put_along_axis(result, np.array(legs), np.array(backups), axis=-1)
    return result


@task(d=(2, 3), r=(2, 3), c=(2, 3))
def muted_mixer_slots(
    levels: Cube(Float(-9, 9), "d", "r", "c"), mute: Cube(Int(0, "c-1"), "d", "r", 1), floor: Float(-60, -40)
):
    """A mixing desk stores `levels` by scene, track and slot. For each track of each scene, `mute` contains a
    one-element list with the slot number, from 0, to be set to `floor` decibels. Return the levels afterwards, nested
    as before."""
    result = np.array(levels)
    np.put_along_axis(result, np.array(mute), floor, axis=2)
    return result


# place


@task(n=(4, 7))
def dye_vats_refilled(
    vats: Vector(Float(1, 20), "n"), empty: Vector(Bool(), "n"), batches: Vector(Float(20, 60), "n", unique=True)
):
    """`vats` holds the last tint value in each vat of a dye works; those marked in `empty` have run dry and are
    refilled. The tints waiting in `batches` are used in order: the first empty vat gets the first batch, the second one
    the second, and batches that are not needed are left over. Return the tints of all vats as a list."""
    result = np.array(vats)
    np.place(result, empty, batches)
    return result


@task(r=(2, 3), c=(3, 4))
def mosaic_gaps_alternate(
    stones: Matrix(Float(-5, 5), "r", "c"), gap: Matrix(Bool(), "r", "c"), first: Int(10, 20), second: Int(30, 40)
):
    """A mosaic of tone values, `stones`, has gaps where `gap` is true, whatever number stands there. A craftsman fills
    them in reading order with a stone of tone `first`, then one of tone `second`, then `first` again, always
    alternating. Return the mosaic as a list of rows."""
    result = np.array(stones)
    np.place(result, gap, [first, second])
    return result


@task(n=(6, 9))
def tide_log_gaps(
    tide: Vector(Float(0.5, 9), "n"), smudged: Vector(Int(0, 1), "n"), typical: Vector(Float(2, 6), 3, unique=True)
):
    """A pilot's log `tide` lists water levels, and a 1 in `smudged` means that this entry cannot be read. The three
    numbers in `typical` go into the unreadable entries in turn, one after another and starting over when all three were
    used. Return the completed log as a list."""
    result = np.array(tide)
    np.place(result, smudged, typical)
    return result


@task(d=(2, 3), r=(2, 3), c=(1, 3))
def egg_cartons_refilled(
    cartons: Cube(Int(45, 70), "d", "r", "c"),
    hole: Cube(Bool(), "d", "r", "c"),
    eggs: Vector(Int(50, 90), (2, 4), unique=True),
):
    """Egg weights in grams are stored in `cartons`, nested by carton, row and hollow; `hole` is true for each hollow
    whose egg broke and was taken out. New `eggs` come along a belt, in an endless cycle of these weights, and fill
    those hollows one by one: carton after carton, row after row, from left to right. Return the cartons afterwards."""
    result = np.array(cartons)
    np.place(result, hole, eggs)
    return result


# putmask


@task(n=(4, 7))
def proofread_prices(
    printed: Vector(Float(5, 30), "n"), wrong: Vector(Bool(), "n"), checked: Vector(Float(5, 30), "n")
):
    """A brochure lists `printed` prices, and `checked` has a price for each position too. Only prices marked true in
    `wrong` are replaced, each by the one at the same position of `checked`; the others stay as printed. Return the
    corrected list of prices."""
    result = np.array(printed)
    np.putmask(result, wrong, checked)
    return result


@task(n=(5, 8))
def two_colour_fence(paint: Vector(Float(-4, 4), "n"), bare: Vector(Bool(), "n"), even: Int(10, 20), odd: Int(30, 40)):
    """Slats of a fence are numbered from 0 and painted in the tones `paint`. Those with true in `bare` are worn and get
    a new coat: tone `even` on slats with even numbers, tone `odd` on slats with odd numbers. Return the tones of all
    slats as a list."""
    result = np.array(paint)
    np.putmask(result, bare, [even, odd])
    return result


@task(r=(2, 3), c=(2, 4))
def two_camera_image(
    main: Matrix(Float(0, 50), "r", "c"), hidden: Matrix(Bool(), "r", "c"), spare: Matrix(Float(20, 90), "r", "c")
):
    """Two cameras take the same view: `main` and `spare` are their grids of brightness. Wherever `hidden` is true, a
    fly on the lens of the main camera hides the view, and the pixel is taken from the same spot of the spare grid
    instead. Return the mended grid of the main camera as a list of rows."""
    result = np.array(main)
    np.putmask(result, hidden, spare)
    return result


@task(r=(2, 4), c=(2, 4))
def default_per_weekday(
    hours: Matrix(Float(-2, 9), "r", "c"), unknown: Matrix(Bool(), "r", "c"), usual: Vector(Float(-1, 4), "c")
):
    """A row of overtime `hours` is a week, a column a weekday. Cells with true in `unknown` were never reported; each
    of them takes the number that `usual` has for its weekday. Return the filled table as a list of rows."""
    result = np.array(hours)
    np.putmask(result, unknown, usual)
    return result


# copyto


@task(n=(3, 7))
def sync_changed_settings(
    tablet: Vector(Float(-9, 9), "n"), phone: Vector(Float(10, 40), "n"), newer: Vector(Bool(), "n")
):
    """The same settings exist on a `tablet` and on a `phone`. Where `newer` says true, the phone's value is the fresher
    one and is transferred over the tablet's; the rest stays. Return the tablet's settings after that, as a list."""
    result = np.array(tablet)
    np.copyto(result, phone, where=newer)
    return result


@task(r=(2, 4), c=(2, 4))
def reset_station_clocks(
    clocks: Matrix(Float(-12, 12), "r", "c"), standard: Vector(Float(20, 30), "c"), outage: Matrix(Bool(), "r", 1)
):
    """`clocks` has a row per station and a column per kind of clock: by how many seconds the clock is fast (below zero:
    slow). Stations whose one-element row in `outage` is true lost power, after which each of their clocks is fast by
    the number of seconds that `standard` has for its kind. Return the table after the outage as a list of rows."""
    result = np.array(clocks)
    np.copyto(result, standard, where=outage)
    return result


@task(r=(2, 4), c=(2, 4))
def closed_lanes_level(
    lanes: Matrix(Float(-5, 9), "r", "c"), closed: Vector(Choice(True, True, False), "c"), level: Float(10, 20)
):
    """A pool notes in `lanes` how far the chlorine is above or below its target: a row per hour, a column per lane. For
    each lane that is true in `closed`, the whole column is overwritten by the one number `level`. Return the table
    after that as a list of rows."""
    result = np.array(lanes)
    np.copyto(result, level, where=closed)
    return result


@task(r=(2, 3), c=(2, 4))
def restored_tapestry(
    tapestry: Matrix(Float(-9, 9), "r", "c"), sketch: Matrix(Float(10, 50), "r", "c"), moth: Matrix(Bool(), "r", "c")
):
    """Moths ate holes into a `tapestry` of thread tones; `moth` is true at each hole. The restorer works from a
    `sketch` of the same size and transfers its tones at the holes only. Return the restored piece as a list of rows."""
    result = np.array(tapestry)
    np.copyto(result, sketch, where=moth)
    return result


# fill_diagonal


@task(equivalent={"fill_diagonal: wrap=True added": "the table is square"})
def no_vote_for_oneself(votes: Matrix(Float(-9, 9), "n", "n")):
    """In a talent show all acts rate each other from -9 to 9; row i of the square table `votes` has what act i gave.
    Self-ratings do not count and are to be overwritten by 0. Return the cleaned table as a list of rows."""
    result = np.array(votes)
    np.fill_diagonal(result, 0)
    return result


@task(equivalent={"fill_diagonal: wrap=True added": "the table is square"})
def own_stock_on_exchange_table(sent: Matrix(Int(0, 30), "n", "n"), stock: Vector(Int(10, 90), "n")):
    """The square table `sent` says how many crates each depot of a brewery (row) sent to every other depot (column).
    Where a depot meets itself, the number means nothing and is to be replaced by how many crates that depot has in
    `stock`. Return the table with these cells replaced, as a list of rows."""
    result = np.array(sent)
    np.fill_diagonal(result, stock)
    return result


@task(c=(2, 3))
def bishop_ribbon_tiles(wall: Matrix(Float(-5, 5), (6, 7), "c"), gold: Float(10, 20)):
    """A tall narrow `wall` of tile tones gets a golden ribbon. It runs from the top left corner one tile to the right
    and one tile down at a time; once it has reached the last column, it skips the next row and starts again in the
    first column of the row after that. Return the wall with tone `gold` on the ribbon, as a list of rows."""
    result = np.array(wall)
    np.fill_diagonal(result, gold, wrap=True)
    return result


@task
def staggered_garden_beds(beds: Matrix(Float(-4, 4), (3, 7), (2, 5)), low: Float(10, 20), high: Float(30, 40)):
    """In a rectangle of `beds`, given by their soil levels, the gardener changes bed 0 of row 0, bed 1 of row 1, bed 2
    of row 2 and so on while there are rows and beds. The new levels alternate: `low`, `high`, `low`, ... Return all
    levels as a list of rows."""
    result = np.array(beds)
    np.fill_diagonal(result, [low, high])
    return result
