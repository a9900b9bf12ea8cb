"""The order of axes, and of what lies along them: exchanging, mirroring, turning, shifting round."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Bool, Cube, Float, Int, Matrix, Vector, Word

NEIGHBOURS = "for neighbouring levels, moving one past the other is the same as exchanging them"


@task(
    equivalent={
        "transpose -> linalg.matrix_transpose": "for a table there is only one way to exchange its two directions",
        "transpose -> column_stack": "rows set up as columns are the same table",
    }
)
def laps_by_runner(laps: Matrix(Float(55, 99), (2, 4), (2, 4))):
    """In `laps` each row belongs to one lap and lists the seconds of every runner. The coach wants it the other way
    round: return a list with one row for each runner, holding the seconds lap by lap."""
    return np.transpose(laps)


@task
def hive_history(honey: Cube(Float(0, 30), (2, 3), (2, 3), (2, 3))):
    """A beekeeper's record `honey` is nested by year, inside a year by month, inside a month by hive. Return the same
    amounts nested by hive, then month, then year."""
    return np.transpose(honey)


@task
def tram_stop_view(boarded: Cube(Int(0, 60), (2, 3), (2, 3), (2, 3))):
    """Counts of passengers who `boarded` are ordered day, tram line, stop (days outermost, stops innermost). For the
    planner put them into the order tram line, stop, day, with the days innermost. Return the lists nested in that
    way."""
    return np.transpose(boarded, axes=(1, 2, 0))


@task
def judges_first(marks: Cube(Int(0, 10), (2, 3), (2, 3), (2, 3))):
    """In figure skating, `marks` is nested by skater, then by programme, then by judge. Regroup it so that the judges
    come first: for each judge a list of skaters, each of them a list with one mark per programme. Return this nested
    list."""
    return np.transpose(marks, axes=(2, 0, 1))


@task
def book_stock_by_language(stock: Cube(Int(0, 90), (2, 3), (2, 3), (2, 3))):
    """A bookseller's `stock` has shops outside, subjects in the middle and languages inside. Exchange shops and
    languages and keep subjects in the middle. Return the counts as nested lists."""
    return np.swapaxes(stock, 0, 2)


@task(equivalent={"swapaxes -> moveaxis": NEIGHBOURS})
def week_before_pool(swimmers: Cube(Int(0, 200), (2, 3), (2, 3), (2, 4))):
    """For each pool, for each week, `swimmers` holds a list of visitors on the opening days. Exchange pool and week, so
    that weeks are outermost and pools second, while the daily lists stay what they are. Return the result as nested
    lists."""
    return np.swapaxes(swimmers, 0, 1)


@task(equivalent={"swapaxes -> moveaxis": NEIGHBOURS})
def columns_of_crosswords(puzzles: Cube(Word(), (2, 3), (2, 3), (2, 3))):
    """Several word puzzles are kept in `puzzles`, each as a list of rows of words. Exchange rows and columns within
    every puzzle, without touching the order of the puzzles. Return the list of the new puzzles."""
    return np.swapaxes(puzzles, 1, 2)


@task(equivalent={"swapaxes -> moveaxis": NEIGHBOURS})
def bell_ringers(peal: Matrix(Int(1, 8), (2, 5), (2, 4))):
    """A church keeps a record of its last `peal` as a table: one row for each round, telling how hard, from 1 to 8,
    every ringer pulled in it. The ringers prefer one row per ringer. Exchange the two directions of the table and
    return it as a list of rows."""
    return np.swapaxes(peal, 0, 1)


@task
def channels_last(picture: Cube(Int(0, 255), 3, (2, 3), (2, 4))):
    """A satellite `picture` comes as three colour planes, each a list of rows of numbers. A browser wants rows of
    pixels, every pixel a list of its three colours. The order of rows and columns stays. Return the picture in the
    browser's form."""
    return np.moveaxis(picture, 0, -1)


@task
def instruments_to_front(loudness: Cube(Float(0, 9), (2, 3), (2, 3), (2, 3))):
    """Concerts contain movements, and for each movement `loudness` lists one value per instrument. Bring the
    instruments to the outside: for every instrument a list of concerts, each a list of its movements. Return these
    nested lists."""
    return np.moveaxis(loudness, -1, 0)


@task(
    equivalent={
        "moveaxis -> swapaxes": NEIGHBOURS,
        "moveaxis: arguments 2 and 3 swapped": NEIGHBOURS,
    }
)
def depth_before_beach(plankton: Cube(Int(0, 400), (2, 3), (2, 3), (2, 3))):
    """Plankton was counted per beach, per depth, per hour; that is how `plankton` is nested. Shift the beaches one
    level inwards, so that it is nested per depth, per beach, per hour. Return it as lists."""
    return np.moveaxis(plankton, 0, 1)


@task(equivalent={"moveaxis: arguments 2 and 3 swapped": "turning the order of all three levels round undoes itself"})
def inside_out_archive(letters: Cube(Word(), (2, 3), (2, 3), (2, 3))):
    """An archive keeps the first word of each of its `letters`, nested by sender, then by decade, then by box. A
    historian wants the sender at the third level, the decade at the second, and so the box at the first. Return the
    words in this new nesting."""
    return np.moveaxis(letters, [0, 1], [2, 1])


@task
def puzzle_half_turn(tray: Matrix(Int(1, 40), (2, 4), (2, 4))):
    """A mosaic lies in a `tray`, seen as rows of colour numbers. Somebody sits down on the opposite side of the table:
    the last row now comes first, and every row reads backwards. Return the rows as this person sees them."""
    return np.flip(tray)


@task
def mirror_banner(banner: Matrix(Int(0, 9), (2, 4), (2, 5))):
    """For an ambulance, the `banner` (a list of rows of colour numbers) must be readable in a driving mirror: every
    row is turned back to front, the rows stay in place. Return the list of rows."""
    return np.flip(banner, axis=1)


@task
def rewound_swings(swings: Cube(Float(-9, 9), (2, 3), (2, 3), (2, 4))):
    """Golf `swings` were filmed; they are nested by player, then by attempt, and each attempt is a list of club
    positions over time. To play them in reverse, put only these innermost lists into backward order. Return everything
    as nested lists."""
    return np.flip(swings, axis=2)


@task
def cargo_from_top_and_stern(crates: Cube(Word(), (2, 3), (2, 3), (2, 3))):
    """A cargo plan lists layers of `crates` from the bottom up, each layer as rows from bow to stern. Give it from the
    top down and from stern to bow; within a row the order of the crates stays. Return the layers as nested lists."""
    return np.flip(crates, axis=(0, 1))


@task
def mirrored_knitting(pattern: Matrix(Int(0, 5), (2, 5), (2, 5))):
    """A knitting `pattern` is a list of rows of yarn numbers for the left glove. For the right glove, left and right
    change places in each row. Return the rows of the right glove from top to bottom as before."""
    return np.fliplr(pattern)


@task
def stage_view(seats: Matrix(Word(), (2, 4), (2, 4))):
    """Rows of spectators' names, front row first, are stored in `seats` as the usher sees them from the back. For the
    actor on stage, the person at the left end sits at the right end and so on; front remains first. Return the actor's
    rows."""
    return np.fliplr(seats)


@task
def selfie_pixels(selfie: Cube(Int(0, 255), (2, 3), (2, 4), 3)):
    """Phones show a `selfie` mirrored: the pixels of each row run from right to left. A picture is a list of rows of
    pixels, a pixel a list [red, green, blue] that must not be altered. Return the mirrored picture."""
    return np.fliplr(selfie)


@task
def rubber_stamp(letter: Matrix(Bool(), (3, 5), (3, 5))):
    """To carve a rubber stamp, each line of dots of a `letter` (rows of True for ink and False for none) has to be
    reversed from side to side. Return the carved rows of True and False in the same order of lines."""
    return np.fliplr(letter)


@task
def sediment_bottom_up(core: Matrix(Float(0, 9), (2, 5), (2, 4))):
    """A drill `core` is recorded from the surface downwards, as a table with one row of mineral shares (in percent) for
    each slice. Geologists begin with the deepest slice, the oldest one. Turn the table upside down for them, without
    changing anything inside a row, and return its rows."""
    return np.flipud(core)


@task
def walk_back(route: Matrix(Float(-20, 20, 2), (2, 6), 2)):
    """A hike is logged as `route`, a table with one row [east, north] for each point. For the way back, turn the table
    upside down: the final point comes first, and each row is still [east, north]. Return the rows."""
    return np.flipud(route)


@task
def lake_reflection(skyline: Matrix(Word(("sky", "roof", "wall", "tree")), (2, 5), (2, 5))):
    """A painter draws the `skyline`, rows of words from top to bottom, and below it the reflection in a still lake,
    where top and bottom change places but left stays left. Return the rows of the reflection."""
    return np.flipud(skyline)


@task
def unload_trays(oven: Cube(Int(0, 9), (2, 3), (2, 3), (2, 3))):
    """The trays of an `oven` are listed from top to bottom, each as rows of bun counts. The baker wants the list upside
    down, from the lowest tray to the highest, which is the order of unloading. Return the trays in this order, each
    tray unaltered."""
    return np.flipud(oven)


@task
def turned_garden(beds: Matrix(Int(1, 30), (2, 4), (2, 4))):
    """The plan of a garden, `beds`, is a list of rows of plant numbers. Turn the plan counterclockwise by a quarter
    turn, so that its right edge becomes the top row. Return the new rows."""
    return np.rot90(beds)


@task
def upright_portrait(photo: Matrix(Int(0, 99), (2, 4), (2, 4))):
    """The camera was held sideways. To set the `photo` (rows of brightness) upright it must be turned clockwise by
    ninety degrees: its left column becomes the top row, read from the bottom up. Return the upright rows."""
    return np.rot90(photo, k=-1)


@task
def falling_block(piece: Matrix(Int(0, 7), (2, 3), (2, 4)), turns: Int(1, 3)):
    """In a game of falling blocks a `piece` is a list of rows of colour numbers. One key turns it by a quarter turn
    anticlockwise, and the player presses this key `turns` times. Return the rows of the piece afterwards."""
    return np.rot90(piece, k=turns)


@task
def plan_from_the_stage(seats: Matrix(Int(1, 99), (2, 6), (3, 7))):
    """The plan `seats` of a theatre is a list of rows as the audience sees it. Actors look at it from the opposite
    side, as if the plan were turned by half a turn. Return the plan as the actors see it, as a list of rows."""
    return np.rot90(seats, k=2)


@task
def carousel(riders: Vector(Word(), (3, 6), unique=True), steps: Int(-4, 4)):
    """On a merry-go-round `riders` sit on horses 0, 1, 2, ... Everyone moves on by `steps` horses, to higher numbers if
    it is positive and to lower ones if negative; whoever leaves one end comes in at the other. Return the new list of
    riders."""
    return np.roll(riders, steps)


@task
def rota_one_day_earlier(rota: Matrix(Word(("cook", "wash", "shop", "sweep", "rest")), (2, 4), (3, 5))):
    """Each row of `rota` is a kitchen helper's tasks from the first to the last day of a holiday camp. At the next camp
    everybody does each task one day earlier, and the first day's task goes to the last day. Return the rows for the
    next camp."""
    return np.roll(rota, -1, axis=1)


@task
def departure_board(board: Matrix(Int(0, 60), (4, 6), (2, 4)), ticks: Int(1, 3)):
    """The departure `board` of a ferry port shows rows of numbers and scrolls: at every tick all rows move down one
    place, and the lowest row comes back at the top. Return the rows after `ticks` such moves."""
    return np.roll(board, ticks, axis=0)


@task
def wraparound_sea(sea: Matrix(Int(0, 9), (3, 4), (3, 4)), south: Int(-2, 2), east: Int(-2, 2)):
    """The map of a computer game, `sea`, has no borders: what drifts out at one side comes in at the opposite one. All
    contents drift `south` rows down and `east` columns to the right (negative: up, left). Return the map as a list of
    rows."""
    return np.roll(sea, (south, east), axis=(0, 1))
