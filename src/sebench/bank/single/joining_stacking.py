"""Putting lists and tables together."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Cube, Float, Int, Matrix, Ragged, Vector

# concatenate


@task(equivalent={"concatenate -> hstack": "flat lists have only one direction to be joined in"})
def coupled_train(groups: Ragged(Int(10, 90), (3, 5), (1, 4))):
    """Several `groups` of wagons are coupled into one train in the given order; each group is a list of the weights of
    its wagons in tonnes. Join the groups end to end and return the weights along the whole train as a flat list."""
    return np.concatenate(groups)


@task(n=(2, 4))
def exam_parts_side_by_side(written: Matrix(Int(0, 20), "n", (1, 3)), oral: Matrix(Int(0, 20), "n", (1, 3))):
    """Two examiners handed in tables of marks, `written` and `oral`, with one row per candidate in the same order.
    Continue each candidate's written marks with the oral ones and return the wide table as a list of rows."""
    return np.concatenate([written, oral], axis=1)


@task
def shells_on_one_string(board: Matrix(Int(1, 99), (2, 3), (2, 3)), pocket: Vector(Int(1, 99), (1, 4))):
    """A child threads shells on a string: first all shells that lie on the `board`, row by row, then those from the
    `pocket` in their order. The numbers are shell weights. Return the weights along the string as a flat list."""
    return np.concatenate([board, pocket], axis=None)


@task(d=(2, 3), r=(2, 3))
def longer_seismograms(morning: Cube(Int(-9, 9), "d", "r", (1, 3)), night: Cube(Int(-9, 9), "d", "r", (1, 3))):
    """Seismograph traces are nested by station, sensor and sample. There is a `morning` recording and one of the
    following `night`, made by the same sensors. Return the recording in which every sensor's night samples follow its
    morning samples, nested as before."""
    return np.concatenate((morning, night), axis=2)


# stack


@task(n=(2, 6))
def tide_low_high_pairs(low: Vector(Float(0, 2), "n"), high: Vector(Float(3, 6), "n")):
    """Harbour tables give the `low` and the `high` water of each day in two lists. A sailor prefers one list with a
    [low, high] pair per day. Return it."""
    return np.stack((low, high), axis=1)


@task(r=(2, 3), c=(2, 4))
def wind_vectors_on_grid(east: Matrix(Int(-9, 9), "r", "c"), north: Matrix(Int(-9, 9), "r", "c")):
    """Wind on a map comes as two grids, the `east` component and the `north` component. Return one grid of the same
    rows and columns in which each cell is the list [east, north]."""
    return np.stack([east, north], axis=-1)


@task(n=(2, 3), m=(2, 4))
def brew_logs_by_kettle(
    monday: Matrix(Int(10, 99), "n", "m"),
    tuesday: Matrix(Int(10, 99), "n", "m"),
    wednesday: Matrix(Int(10, 99), "n", "m"),
):
    """A brewery has three tables of temperatures, `monday`, `tuesday` and `wednesday`, each with a row per kettle and a
    column per hour. Regroup them by kettle: return a list with, for each kettle, its three rows in the order of the
    days."""
    return np.stack([monday, tuesday, wednesday], axis=1)


@task(n=(2, 5))
def wedding_place_cards(
    table: Vector(Int(1, 30), "n"),
    chair: Vector(Int(1, 12), "n"),
    menu: Vector(Int(1, 5), "n"),
    cloak: Vector(Int(100, 200), "n", unique=True),
):
    """Four lists have the same order of wedding guests and hold the number of each guest's `table`, `chair`,
    `menu` and `cloak` hook. Return a list with one row per guest, [table, chair, menu, cloak]."""
    return np.stack((table, chair, menu, cloak), axis=-1)


# vstack


@task(n=(2, 4))
def todays_row_below(log: Matrix(Int(0, 60), (2, 4), "n"), today: Vector(Int(0, 60), "n")):
    """A lighthouse keeper's `log` has one row of ship counts per day. The counts of `today` are still a simple list;
    stack them under the last row. Return the longer log as a list of rows."""
    return np.vstack((log, today))


@task(n=(2, 4))
def framed_score_sheet(
    top: Vector(Int(0, 9), "n"), scores: Matrix(Int(0, 9), (2, 3), "n"), bottom: Vector(Int(0, 9), "n")
):
    """A bowling sheet has a column per throw. Stack three pieces vertically: the single line `top` with the pins of
    last year's winner, the table `scores` with a row per player, and the single line `bottom` with the pins of a guest.
    Return the sheet as a list of rows."""
    return np.vstack([top, scores, bottom])


@task(n=(2, 3))
def pattern_with_border_row(
    cuff: Matrix(Int(0, 3), (2, 3), "n"), seam: Vector(Int(4, 6), "n"), sleeve: Matrix(Int(0, 3), (2, 3), "n")
):
    """In a knitting pattern each row is a round of stitches, given by the numbers of their colours. For a jumper arm,
    stack three pieces vertically in this order: the table `cuff`, the single round `seam` and the table `sleeve`.
    Return the whole arm as a list of rounds."""
    return np.vstack([cuff, seam, sleeve])


@task(equivalent={"vstack -> concatenate": "the inputs are tables already"})
def merged_bird_counts(seasons: Cube(Int(0, 80), (2, 4), (2, 3), (2, 4))):
    """Volunteers counted birds: for each of several `seasons` there is a table with a row per walk and a column per
    species. Stack the tables vertically, the first season on top, and return the one long table as a list of rows."""
    return np.vstack(seasons)


# hstack


@task(
    n=(2, 4),
    equivalent={
        "hstack -> block": "tables in one row of blocks are put side by side",
        "hstack -> column_stack": "tables keep their columns in both",
    },
)
def routes_with_terminals(
    depot: Matrix(Int(1, 49), "n", 1), stops: Matrix(Int(100, 200), "n", (2, 4)), terminus: Matrix(Int(50, 99), "n", 1)
):
    """Three tables of stop numbers have one row per bus: `depot` and `terminus` are one column wide, `stops` holds the
    stops in between in driving order. Put them side by side, so that each row is the complete route of a bus from its
    depot to its terminus. Return the list of rows."""
    return np.hstack([depot, stops, terminus])


@task(
    n=(2, 4),
    equivalent={
        "hstack -> block": "tables in one row of blocks are put side by side",
        "hstack -> column_stack": "tables keep their columns in both",
    },
)
def panorama_from_photos(
    left: Matrix(Int(0, 255), "n", (1, 3)),
    centre: Matrix(Int(0, 255), "n", (2, 3)),
    right: Matrix(Int(0, 255), "n", (1, 3)),
):
    """Three photographs of equal height, as grids of grey values, make up a panorama: `left`, `centre` and `right`,
    joined at their vertical edges. Return the panorama as a list of pixel rows."""
    return np.hstack((left, centre, right))


@task(
    d=(2, 3),
    c=(2, 3),
    equivalent={"hstack -> column_stack": "only flat lists are treated differently by the two"},
)
def choirs_on_risers(women: Cube(Int(150, 180), "d", (1, 3), "c"), men: Cube(Int(165, 199), "d", (1, 2), "c")):
    """Singers stand in equally long rows; `women` and `men` hold their heights, nested by concert, row (front to back)
    and singer. At every concert the rows of the men are set behind those of the women. Return the full line-up of all
    concerts in the same nesting."""
    return np.hstack([women, men])


@task(equivalent={"hstack -> concatenate": "flat lists have only one direction to be joined in"})
def diary_of_relay_walkers(diaries: Ragged(Float(2, 30), (3, 4), (1, 5))):
    """Pilgrims walk a trail one after another, as in a relay: `diaries` has one list of daily kilometres per pilgrim,
    in the order in which they walked. Put them end to end and return all daily kilometres of the trail as a flat
    list."""
    return np.hstack(diaries)


# dstack


@task(r=(2, 4), c=(2, 4))
def couples_on_dance_floor(leaders: Matrix(Int(18, 70), "r", "c"), followers: Matrix(Int(18, 70), "r", "c")):
    """Dancers stand in a rectangle; `leaders` and `followers` hold their ages, place by place. Return the rectangle as
    rows of couples, each given as [age of the leader, age of the follower]."""
    return np.dstack((leaders, followers))


@task(r=(2, 3), c=(2, 3))
def picture_from_colour_plates(
    red: Matrix(Int(0, 255), "r", "c"), green: Matrix(Int(0, 255), "r", "c"), blue: Matrix(Int(0, 255), "r", "c")
):
    """A scanner delivers a picture as three plates: `red`, `green` and `blue` intensities in grids of one size. A
    viewer wants each pixel as a list [red, green, blue]. Return the picture as rows of such pixels."""
    return np.dstack([red, green, blue])


@task(n=(2, 6))
def one_line_bitmap_strip(ink: Vector(Int(0, 9), "n"), gloss: Vector(Int(0, 9), "n")):
    """A label printer accepts images as rows of pixels, each pixel being [ink, gloss]. For a strip that is only one
    pixel high, the values `ink` and `gloss` come as flat lists. Return the image: a list with a single row of
    pixels."""
    return np.dstack((ink, gloss))


@task(r=(2, 3), c=(2, 3))
def extra_layer_on_terrain(terrain: Cube(Int(0, 50), "r", "c", (2, 3)), moisture: Matrix(Int(60, 99), "r", "c")):
    """Every cell in the rows of `terrain` is a list of soil values. A new survey measured `moisture`, one number per
    cell of the same rows. Return the terrain with the moisture added at the end of each cell's list."""
    return np.dstack((terrain, moisture))


# column_stack


@task(
    n=(2, 6),
    equivalent={
        "column_stack -> transpose": "flat lists as columns are the transpose of the same lists as rows",
        "column_stack -> matrix_transpose": "flat lists as columns are the transpose of the same lists as rows",
        "column_stack -> linalg.matrix_transpose": "flat lists as columns are the transpose of the same lists as rows",
    },
)
def runner_result_table(
    bib: Vector(Int(100, 999), "n", unique=True), minutes: Vector(Int(20, 90), "n"), age: Vector(Int(8, 80), "n")
):
    """After a fun run there are three lists in the same sequence: `bib` numbers, `minutes` and `age`. Return the table
    for the notice board: a list of rows, each with bib, minutes and age of one runner."""
    return np.column_stack((bib, minutes, age))


@task(n=(2, 4))
def student_ids_before_marks(ids: Vector(Int(1000, 9999), "n", unique=True), marks: Matrix(Int(1, 6), "n", (2, 3))):
    """The table `marks` has a row per pupil, but does not say whose row it is. `ids` lists the pupils' numbers in the
    order of the rows. Put them in front as a new first column, and return the completed table as a list of rows."""
    return np.column_stack([ids, marks])


@task(n=(2, 4))
def pantry_with_extra_columns(
    jars: Matrix(Int(0, 12), "n", (2, 3)), sold: Vector(Int(0, 40), "n"), target: Vector(Int(0, 40), "n")
):
    """Each row of `jars` counts one sort of jam on several shelves. Two further columns are wanted at the right: `sold`
    and then `target`, which hold one number per sort. Return the widened rows in a list."""
    return np.column_stack((jars, sold, target))


@task(n=(2, 4))
def two_surveys_with_divider(
    before: Matrix(Float(0, 9), "n", (1, 3)), divider: Vector(Int(-3, -1), "n"), after: Matrix(Float(0, 9), "n", (1, 3))
):
    """A doctor lays out pain ratings from two surveys of the same patients: from left to right the columns of `before`,
    one column made of the list `divider` (a negative code for the treatment of each patient), and the columns of
    `after`. Patients are rows. Return the layout as a list of rows."""
    return np.column_stack([before, divider, after])


# block (inner lists would count as further blocks: block itself makes a nested list of numbers one block)


@task(a=(1, 3), b=(1, 3), c=(1, 3), d=(1, 3))
def four_field_farm(
    northwest: Matrix(Int(0, 9), "a", "c"), northeast: Matrix(Int(10, 19), "a", "d"),
    southwest: Matrix(Int(20, 29), "b", "c"), southeast: Matrix(Int(30, 39), "b", "d"),
):  # fmt: skip
    """The soil numbers of a farm are on four map sheets that fit together edge to edge: `northwest` and `northeast` in
    the upper half, `southwest` and `southeast` in the lower. Return the numbers of the complete map as a list of
    rows."""
    upper = [np.block(northwest), np.block(northeast)]
    lower = [np.block(southwest), np.block(southeast)]
    return np.block([upper, lower])


@task(n=(2, 5))
def ledger_with_reserves(
    heating: Vector(Int(20, 180), "n"),
    heating_spare: Int(200, 300),
    food: Vector(Int(150, 390), "n"),
    food_spare: Int(400, 600),
):
    """A household ledger has the monthly costs `heating` and `food`, two lists of equal length, and the reserves
    `heating_spare` and `food_spare`, two single numbers. Return two rows in a list: the heating costs with their
    reserve at the end, and under them the food costs with theirs."""
    return np.block([[np.block(heating), heating_spare], [np.block(food), food_spare]])


@task(a=(2, 3))
def poster_headline_and_body(
    headline: Vector(Int(50, 99), 5), picture: Matrix(Int(0, 9), "a", 2), text: Matrix(Int(10, 20), "a", 3)
):
    """A poster of coloured fields, five wide, is assembled from blocks of colour numbers: the list `headline` fills the
    line at the top; below it the table `picture`, two wide, stands left of the table `text`, three wide. Return the
    poster as a list of rows."""
    return np.block([[np.block(headline)], [np.block(picture), np.block(text)]])


@task(n=(2, 4))
def checkered_carpet(dark: Matrix(Int(50, 99), "n", "n"), light: Matrix(Int(0, 49), "n", "n")):
    """Weavers make a square carpet out of two square motifs of equal size, which are tables of thread numbers. In its
    upper half `dark` lies left of `light`, in its lower half `light` lies left of `dark`. Return the thread numbers of
    the carpet as a list of rows."""
    a, b = np.block(dark), np.block(light)
    return np.block([[a, b], [b, a]])
