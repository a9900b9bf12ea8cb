"""How deep data is nested and how long each level is: asking for it, adding levels, taking levels away."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Bool, Cube, Either, Float, Int, Matrix, Vector, Word


@task
def scale_readings(
    weights: Either(Vector(Float(0, 50), 3), Matrix(Float(0, 50), 3, (2, 4)), Float(0, 50), Float(0, 50)),
):
    """The driver of a kitchen scale hands over `weights` as one bare number, as a list, or as a list of rows. Later
    code cannot cope with a bare number: return that as a list holding just it, and return lists and rows unchanged."""
    return np.atleast_1d(weights)


@task
def tip_and_bills(tip: Float(0.5, 9), bills: Vector(Float(5, 80), (2, 6))):
    """A waiter notes one `tip`, a plain number, and several `bills`. The accounting program iterates over both, so
    both must be lists. Return a tuple (tips, bills), where tips is a list with the one number and bills stays as it
    is."""
    return np.atleast_1d(tip, bills)


@task
def lamp_channels(
    red: Either(Int(0, 255), Vector(Int(0, 255), (2, 4))),
    green: Either(Int(0, 255), Vector(Int(0, 255), (2, 4))),
    blue: Either(Int(0, 255), Vector(Int(0, 255), (2, 4))),
):
    """A stage has lamps of three colours. `red`, `green` and `blue` give their brightness: a bare number if there is
    only one lamp of the colour, otherwise a list. Return a tuple of three lists in this order; a bare number becomes a
    list of length one, lists stay as they are."""
    return np.atleast_1d(red, green, blue)


@task(equivalent={"atleast_1d -> ravel": "a word or a flat list of words has no rows that could be joined"})
def choir_soloists(soloist: Either(Word(), Vector(Word(), 3, unique=True))):
    """In the concert programme `soloist` is one name (a string) if a single singer performs, otherwise a list of
    names. Return a list of names in either case, in the given order."""
    return np.atleast_1d(soloist)


@task
def basket_rows(baskets: Either(Matrix(Int(0, 12), (2, 4), 4), Vector(Int(0, 12), 4), Vector(Int(0, 12), 4))):
    """`baskets` says how many apples, pears, plums and figs were bought: a flat list of four counts for one shopper, or
    a list of such rows for several. The report always wants rows. Return a list of rows."""
    return np.atleast_2d(baskets)


@task
def spreadsheet_paste(
    clip: Either(Float(-20, 20), Vector(Float(-20, 20), (2, 5)), Matrix(Float(-20, 20), (2, 3), (2, 3))),
):
    """Whatever lies on the clipboard is pasted into a spreadsheet as a block of cells. `clip` is a number (one cell),
    a list (one row of cells) or already a list of rows. Return the block as a list of rows."""
    return np.atleast_2d(clip)


@task
def header_over_table(units: Vector(Int(1, 9), "cols"), packed: Matrix(Int(0, 40), (2, 3), "cols")):
    """Before printing, a warehouse tool brings the header `units`, a flat list of numbers, and the table `packed` (rows
    of numbers) to the same depth. Return a tuple of two tables: first `units` as a table with a single row, then
    `packed` as it is."""
    return np.atleast_2d(units, packed)


@task
def dance_formation(dancers: Either(Word(), Vector(Word(), 3, unique=True))):
    """A stage plan is a list of rows of names. On small evenings `dancers` is only one name, or one flat list of the
    names of dancers who stand side by side. Return the stage plan: a list with a single row of names."""
    return np.atleast_2d(dancers)


@task
def grey_photo_channels(photo: Matrix(Int(0, 255), (2, 4), (2, 4))):
    """An image viewer wants every pixel as a list of its colour channels. The scan `photo` is grey: a list of rows of
    plain brightness numbers. Return rows of pixels in which each pixel is a list with its one brightness."""
    return np.atleast_3d(photo)


@task
def scanner_strip(strip: Vector(Int(0, 99), (2, 7))):
    """A line scanner gives `strip`, a flat list of brightness values. Treat it as a picture that is one pixel high: an
    outer list with one row, in this row one pixel per value, each pixel a list with its single value. Return that
    picture."""
    return np.atleast_3d(strip)


@task
def mixed_album(
    picture: Either(Cube(Int(0, 255), (2, 3), (2, 3), 3), Matrix(Int(0, 255), (2, 3), (2, 3))),
):
    """An album mixes colour pictures (rows of pixels, each pixel a list of three numbers) with black-and-white ones
    (rows of plain numbers). Bring `picture` to the colour layout: rows of pixels, where a plain number turns into a
    list of one, and colour pictures stay as they are. Return the result."""
    return np.atleast_3d(picture)


@task
def volume_ready(profile: Vector(Float(0, 9), (2, 4)), layer: Matrix(Float(0, 9), (2, 3), (2, 3))):
    """A tool for medical volumes only loads data nested three levels deep. From the outside in, `profile`, a flat list
    of k densities, is to have the lengths 1, k, 1, and `layer`, n rows of m densities, the lengths n, m, 1. Return both
    as a tuple (profile, layer)."""
    return np.atleast_3d(profile, layer)


@task
def nesting_of_reading(
    reading: Either(Float(0, 9), Vector(Float(0, 9), (2, 4)), Matrix(Float(0, 9), (2, 3), (2, 3)), Cube(Float(0, 9))),
):
    """Probes deliver a `reading` as a plain number, a list, a list of rows, or a list of tables. Return how many
    levels of nesting it has, as a number: 0 for a plain number, 1 for a list, and so on."""
    return np.ndim(reading)


@task
def depth_report(
    flow: Either(Int(0, 90), Vector(Int(0, 90), (2, 4)), Matrix(Int(0, 90), (2, 3), (2, 3))),
    alarm: Either(Bool(), Vector(Bool(), (2, 4)), Cube(Bool(), 2, 2, (2, 3))),
):
    """A water works exports two fields of unknown layout, `flow` and `alarm`; each may be a single value, a list, or
    lists inside lists. Return a dict with the keys "flow" and "alarm" that tells how deeply each of them is nested,
    where a single value counts 0."""
    return {"flow": np.ndim(flow), "alarm": np.ndim(alarm)}


@task
def indexes_to_find_word(
    shelf: Either(Word(), Vector(Word(), (2, 4)), Matrix(Word(), (2, 3), (1, 3)), Cube(Word(), (1, 2), 2, (1, 2))),
):
    """Labels in a museum depot are stored in `shelf`: one label alone, or a regular nest of lists of labels (shelves,
    boxes, trays). How many positions must one state to point at a single label? Return that number; it is 0 for a
    label alone."""
    return np.ndim(shelf)


@task
def recipe_field_depths(
    portions: Either(Int(1, 8), Vector(Int(1, 8), (2, 3))),
    minutes: Either(Int(5, 90), Vector(Int(5, 90), (2, 4)), Matrix(Int(5, 90), 2, (2, 3))),
    grams: Either(Vector(Int(1, 500), (2, 4)), Matrix(Int(1, 500), (2, 3), 2), Cube(Int(1, 500), 2, 2, 2)),
):
    """Recipe websites differ in how they give `portions`, `minutes` and `grams`: as single numbers, lists, tables or
    stacks of tables. Return a tuple of three whole numbers: for each field, in this order, 0 for a single number, 1 for
    a list, 2 for a table, 3 for a stack."""
    return (np.ndim(portions), np.ndim(minutes), np.ndim(grams))


@task
def quilt_extent(patches: Matrix(Int(1, 5), (1, 5), (1, 5))):
    """A quilt is described by `patches`, a list of rows of fabric numbers. Return its extent as a tuple (number of
    rows, number of patches in a row)."""
    return np.shape(patches)


@task
def car_park_extent(minutes: Cube(Int(0, 90), (1, 3), (1, 3), (1, 4))):
    """The parking times in a car park are kept in `minutes`: a list of floors, each a list of aisles, each a list with
    one number for every bay. All floors are alike. Return a dict that tells the number of "floors", of "aisles" on a
    floor and of "bays" in an aisle, with these keys."""
    floors, aisles, bays = np.shape(minutes)
    return {"floors": floors, "aisles": aisles, "bays": bays}


@task
def upload_lengths(
    upload: Either(Float(0, 5), Vector(Float(0, 5), (1, 6)), Matrix(Float(0, 5), (1, 4), (1, 4)), Cube(Float(0, 5))),
):
    """Volunteers send their `upload` of bird weights as one number, a list, a table or a list of tables. Return a
    tuple with the length of every level, outermost first. A list of four gives (4,), and a lone number an empty
    tuple."""
    return np.shape(upload)


@task
def two_seating_plans(hall: Matrix(Word(), (1, 4), (1, 3)), balcony: Matrix(Word(), (1, 3), (1, 4))):
    """A seating plan is a list of rows that holds, for every seat, the name of the club for which it is reserved. For
    the plans `hall` and `balcony` return a list of two tuples, hall first: (how many rows, how many seats per row)."""
    return [np.shape(hall), np.shape(balcony)]


@task
def tiles_in_mosaic(mosaic: Matrix(Int(0, 4), (1, 5), (2, 5))):
    """Every number in `mosaic`, a list of rows, is the colour code of one tile, and 0 is a colour too. Return how many
    tiles the whole mosaic has."""
    return np.size(mosaic)


@task
def beds_per_row(greenhouse: Matrix(Float(10, 30), (2, 5), (1, 5))):
    """Temperatures in a `greenhouse` are written down as a list of rows, with one number for each bed. Every row has
    the same number of beds. Return how many beds a row has, as a number."""
    return np.size(greenhouse, axis=1)


@task
def switches_installed(panels: Cube(Bool(), (1, 3), (1, 3), (2, 4))):
    """Control `panels` of a power plant are lists of rows of switches; True is on and False is off. Return how many
    switches there are on all panels together, on or off."""
    return np.size(panels)


@task
def songs_verses_or_keywords(songbook: Cube(Word(), (1, 4), (1, 4), (1, 4)), level: Int(0, 2)):
    """In `songbook` each song is a list of verses, and each verse a list of keywords; all songs are equally long, and
    so are all verses. Return a count that depends on `level`: the number of songs for 0, of verses in a song for 1, of
    keywords in a verse for 2."""
    return np.size(songbook, axis=level)


@task
def column_of_prices(prices: Vector(Float(0.5, 20), (2, 6))):
    """A label printer takes only tables. Turn the flat list of `prices` into a table with a single column: return a
    list of rows, in which each row holds one price."""
    return np.expand_dims(prices, axis=1)


@task
def wrapped_board(board: Matrix(Int(0, 2), (2, 4), (2, 4)), level: Int(0, 2)):
    """Programs that rate Go positions want a `board`, a list of rows (0 empty, 1 black, 2 white), with one more level
    of nesting. The number `level` tells what is put into a list of its own: 0 the whole board, 1 each row, 2 each
    single square. Return the nested lists."""
    return np.expand_dims(board, axis=level)


@task
def paragraph_per_line(lines: Matrix(Word(), (2, 4), (2, 4))):
    """Type is set in paragraphs, each a list of lines, each a list of words. In `lines`, a list of lists of words,
    every line is to become a paragraph of its own. Return the list of these paragraphs, each holding exactly one
    line."""
    return np.expand_dims(lines, axis=1)


@task
def one_cell_tables(doses: Vector(Float(0, 5, 2), (2, 6))):
    """For a pharmacy form each of the `doses` in a flat list is drawn as its own little table with one row and one
    cell. Return a list that has, for every dose, such a table: a list with one row, the row being a list with the
    dose."""
    return np.expand_dims(doses, axis=(1, 2))


@task
def unwrap_pixels(frame: Cube(Int(0, 99), (2, 3), (2, 4), 1)):
    """A night camera stores a `frame` as rows of pixels, and each pixel as a list with just one brightness. There are
    at least two rows and two columns. Return plain rows of brightness numbers, as a list of rows, without the needless
    brackets."""
    return np.squeeze(frame)


@task
def only_duty_of_day(roster: Cube(Word(), (1, 4), 1, (2, 4))):
    """Nurses' duties: `roster` lists the days, a day is a list of shifts, a shift a list with the nurse's name for each
    room. This week each day has exactly one shift. Leave out that middle level and return one list of names per day, as
    a list of rows, even for a roster of one day."""
    return np.squeeze(roster, axis=1)


@task
def single_occupants(cabins: Cube(Word(), (1, 3), (1, 4), 1)):
    """On a ship `cabins` is a list of decks, a deck a list of cabins, and a cabin a list of passengers' first names,
    now with exactly one each. Return for every deck the list of these names, as a list of rows; decks stay lists even
    if there is one deck or one cabin only."""
    return np.squeeze(cabins, axis=2)


@task(equivalent={"squeeze -> concatenate": "there is one page only, and joining one table gives that table"})
def only_page(pages: Cube(Word(), 1, (1, 4), (1, 4))):
    """A scanned form arrives as `pages`, a list of tables of words, but this one always has a single page. Return that
    page itself as a list of rows of words. A page of one row, or of one column, is still a list of rows."""
    return np.squeeze(pages, axis=0)
