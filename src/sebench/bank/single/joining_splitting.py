"""Taking lists and tables apart."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Choice, Cube, Float, Int, Matrix, Vector

# split


@task(equivalent={"split -> hsplit": "a flat list has only one direction to be cut in"})
def readings_of_each_guard(log: Vector(Float(-9, 9), 12), guards: Choice(2, 3, 4, 6)):
    """Twelve temperatures in `log` were noted by `guards` guards, who kept watch one after another and all equally
    long. Return a list with one list of temperatures per guard, in the order of their watches."""
    return np.split(np.array(log), guards)


@task(equivalent={"split -> hsplit": "a flat list has only one direction to be cut in"})
def film_cut_at_scenes(
    brightness: Vector(Float(-9, 9), (6, 8)), scenes: Vector(Int(1, 5), (2, 4), unique=True, sorted=True)
):
    """An editor cuts a film strip just before each of the frames in `scenes`, an ascending list; frames are counted
    from
    0. For each frame `brightness` says how far it is above or below the average. Return the brightness of all pieces
    as a list of lists, one list per piece."""
    return np.split(np.array(brightness), scenes)


@task
def duet_partbooks(score: Matrix(Float(-9, 9), (2, 4), 4)):
    """The table `score` holds tuning offsets, a row for each bar; columns 0 and 1 belong to the violin, columns 2 and 3
    to the cello. Return a list of two tables, the violin's and the cello's, each as a list of rows."""
    return np.split(np.array(score), 2, axis=1)


@task
def hourly_traffic_sections(traffic: Cube(Float(-5, 5), (2, 3), (2, 3), 4), rush: Int(1, 3)):
    """The numbers in `traffic`, nested by city, road and hour, say how far traffic was above or below normal; hours
    count from 0. Cut the hours in two just before hour `rush`. Return a list of two parts, the earlier and the later
    hours, each nested by city, road and hour as before."""
    return np.split(np.array(traffic), [rush], axis=2)


# array_split


@task
def hikers_into_huts(hikers: Vector(Int(1, 99), (4, 8), unique=True)):
    """A group of `hikers` (by number) is spread over three huts in the order of the list. Huts get equally many where
    possible; if the count does not work out, the first huts take one more each. Return the three lists of hikers in a
    list."""
    return np.array_split(hikers, 3)


@task
def two_page_address_book(book: Matrix(Int(0, 99), (3, 6), (2, 3))):
    """Each row of `book` is a line of an address book written in code numbers. The lines are printed in this order on
    two pages; with an odd number of lines, the first page gets the extra line. Return the pages as a list of two
    lists of rows."""
    return np.array_split(book, 2)


@task
def columns_for_three_clerks(forms: Matrix(Int(0, 60), (2, 3), (4, 5))):
    """In the table `forms`, every row is a case file and every column a box to check. Three clerks share the boxes from
    left to right: each takes neighbouring columns, as evenly as can be, the larger shares coming first. Return a list
    of three tables, one per clerk, as lists of rows."""
    return np.array_split(np.array(forms), 3, axis=1)


@task
def vacuum_robot_shifts(rooms: Vector(Float(4, 40), (5, 8)), robots: Int(2, 5)):
    """A corridor of `rooms` (areas in square metres) is cleaned by as many robots as `robots` says. Each gets a run of
    adjacent rooms; the numbers of rooms differ by at most one, and the robots at the start get the longer runs. Return
    one list of areas per robot, in a list."""
    return np.array_split(rooms, robots)


# hsplit


@task
def left_and_right_page(spread: Matrix(Float(-9, 9), (2, 4), 6)):
    """A scanned double page is the grid `spread` of contrast values, six pixels wide. Cut it down the middle and return
    the left and the right page, in this order in a list, each as a list of pixel rows."""
    return np.hsplit(np.array(spread), 2)


@task
def ship_log_by_subject(records: Matrix(Float(-9, 9), (2, 4), 5)):
    """Each row of `records` has five numbers: a latitude, then two numbers for the wind, then two for the current.
    Return three tables in a list, one of the latitudes alone, one for wind, one for current; all of them lists of
    rows."""
    return np.hsplit(np.array(records), [1, 3])


@task
def bed_halves_per_garden(gardens: Cube(Float(-3, 9), (2, 3), 4, (1, 3))):
    """How much the plants in several gardens grew or shrank is recorded in `gardens` (nested garden, bed, plant); each
    garden has four beds. One gardener cares for the first two beds of each garden, another for the last two. Return a
    list with the records of the one and of the other, nested as given."""
    return np.hsplit(np.array(gardens), 2)


@task
def sliding_door_view(pane: Matrix(Float(-9, 9), (2, 3), (3, 5)), door: Int(1, 2)):
    """The grid `pane` holds temperatures measured all over a glass wall. A sliding door covers its first `door`
    columns. Return a list of two grids, the covered columns and the visible ones, each as a list of rows."""
    return np.hsplit(np.array(pane), [door])


# vsplit


@task
def three_storeys_of_offices(offices: Matrix(Float(-9, 9), 6, (2, 3))):
    """A caretaker's list `offices` says how far the rooms are above or below 20 degrees: six rows, one per corridor,
    from the roof down, and two corridors form a storey. Return the three storeys as a list of tables with two rows
    each."""
    return np.vsplit(np.array(offices), 3)


@task
def sections_of_report(
    report: Matrix(Float(-9, 9), (4, 6), (2, 3)), starts: Vector(Int(1, 3), (2, 3), unique=True, sorted=True)
):
    """The rows of the table `report`, counted from 0, fall into sections: the first begins at row 0, and another one
    begins at each of the rows in `starts`, an ascending list. Return a list of the sections, each as a list of
    rows."""
    return np.vsplit(np.array(report), starts)


@task
def dishes_by_course(dishes: Matrix(Float(-5, 20), 6, (2, 3)), courses: Choice(2, 3, 6)):
    """At a banquet six dishes are served one after another; each has a row of marks in `dishes`, negative ones for
    disgust. They form as many courses as `courses` says, all with the same number of dishes. Return a list with one
    table per course, each a list of rows."""
    return np.vsplit(np.array(dishes), courses)


@task
def expedition_stages(camps: Cube(Float(-40, 10), 4, (2, 3), (1, 3)), legs: Choice(2, 4)):
    """Temperatures of an expedition are nested by day, camp and hour in `camps`; there are four days. Divide the days
    into as many equally long stages as `legs` says. Return a list with the records of each stage, still nested by day,
    camp and hour."""
    return np.vsplit(np.array(camps), legs)


# dsplit


@task
def stereo_channels(frames: Cube(Float(-9, 9), (2, 3), (2, 3), 2)):
    """Sound is stored in `frames` by take, moment and channel, with two channels, left first. Return a list of the left
    and the right sound, each keeping the nesting take, moment, channel with one channel in it."""
    return np.dsplit(np.array(frames), 2)


@task
def colour_and_transparency(sprites: Cube(Float(-9, 9), (2, 3), (2, 3), 4)):
    """Each pixel in the rows of `sprites` is a list of four changes since the last frame: three of colour, then one of
    transparency. A game wants them apart. Return a list of two pictures, rows of pixels again: the colour part with
    three numbers per pixel, and the transparency part with one."""
    return np.dsplit(np.array(sprites), [3])


@task
def half_year_in_periods(profits: Cube(Float(-20, 20), (2, 3), (1, 3), 6), periods: Choice(2, 3, 6)):
    """The numbers in `profits` (losses are negative) are nested by shop, product and month, half a year in all. Divide
    the months into `periods` equal periods and return a list with the profits of each period, nested as before."""
    return np.dsplit(np.array(profits), periods)


@task
def sleep_phases(nights: Cube(Float(-3, 3), (1, 3), (2, 3), (5, 6)), drop_off: Int(1, 2), wake: Int(3, 4)):
    """The signals of a sleep laboratory are nested by patient, sensor and hour (counted from 0) in `nights`. Hours
    before `drop_off` count as dozing, those from there up to but not including `wake` as sleep, the rest as waking.
    Return a list of three parts in this order, each nested as the input."""
    return np.dsplit(np.array(nights), [drop_off, wake])


# unstack


@task
def surplus_by_dish(surplus: Matrix(Float(-9, 9), (2, 4), (2, 4))):
    """A dietician notes the `surplus` of salt in grams, negative for too little, with a row per guest and a column per
    dish. The cooks want it by dish. Return a tuple with one list per column, from the leftmost to the rightmost."""
    return np.unstack(np.array(surplus), axis=1)


@task
def pages_of_flip_book(book: Cube(Float(-9, 9), (2, 3), (2, 3), (2, 3))):
    """A flip book is stored pixel by pixel: entry [i][j] of `book` lists the contrast of the pixel in row i and column
    j, first on page 0, then on page 1, and so on. Return the pages in a tuple, each as a list of pixel rows."""
    return np.unstack(np.array(book), axis=-1)


@task
def coordinate_fields(points: Cube(Float(-9, 9), (2, 3), (2, 3), 3)):
    """The knots of a fishing net hang in rows; in `points` each is written as [x, y, z]. Return the tuple (xs, ys, zs):
    three tables, as lists of rows, with only the x, only the y and only the z values."""
    return np.unstack(np.array(points), axis=2)


@task
def morning_and_evening_milk(milk: Cube(Float(-9, 9), (2, 3), 2, (2, 4))):
    """For each cow, `milk` has two rows of daily amounts above or below plan: the morning row and the evening row.
    Return two tables in a tuple, one of all morning rows and one of all evening rows, both with the cows in the given
    order."""
    return np.unstack(np.array(milk), axis=1)
