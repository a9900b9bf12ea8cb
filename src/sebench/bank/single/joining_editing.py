"""Adding, removing and repeating elements."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Choice, Cube, Float, Int, Matrix, Vector, Word

# append


@task
def queue_at_the_bakery(queue: Vector(Word(), (1, 4)), bus: Matrix(Word(), (2, 3), 2)):
    """People wait at a bakery; `queue` has their first names from the counter to the door. Then a tour bus arrives:
    `bus` has the names of its passengers by rows of seats, and they line up at the end, row after row and in each row
    from left to right. Return the names in the new queue as one flat list."""
    return np.append(queue, bus)


@task
def leftovers_after_tray(tray: Matrix(Int(1, 40), (2, 3), (2, 3)), leftovers: Vector(Int(50, 90), (1, 4))):
    """A baker weighs the buns on a `tray`, row after row, and then the `leftovers` from the bowl. Return all weights in
    the order of weighing, as one flat list."""
    return np.append(tray, leftovers)


@task(seasons=(2, 3), n=(2, 3))
def new_member_of_league(tables: Cube(Int(0, 60), "seasons", (1, 3), "n"), club: Cube(Int(0, 60), "seasons", 1, "n")):
    """A football league keeps a table for each past season in `tables`, with one row of statistics per club. `club`
    has, for each season, a table with a single row: the same statistics of a club that joins now, earned in its former
    league. It is entered at the bottom of every season's table. Return the enlarged tables, nested in the same way."""
    return np.append(tables, club, axis=1)


@task(n=(2, 4))
def second_semester_grades(autumn: Matrix(Float(1, 6), "n", (1, 3)), spring: Matrix(Float(1, 6), "n", (1, 3))):
    """Students are the rows of both `autumn` and `spring`; the columns of each are the courses of that term. Return a
    list with one row per student in which the spring grades come to the right of the autumn grades."""
    return np.append(autumn, spring, axis=1)


# insert


@task(n=(3, 6), k=(2, 3))
def jingles_in_setlist(
    setlist: Vector(Int(1, 50), "n", unique=True),
    slots: Vector(Int(0, "n-1"), "k", unique=True, sorted=True),
    jingle: Int(51, 99),
):
    """The `setlist` of a radio show holds song numbers. A jingle with the number `jingle` is put directly before each
    song whose position in the original list (from 0) is in `slots`. Return the new setlist as a list."""
    return np.insert(setlist, slots, jingle)


@task(n=(3, 6), k=(1, 3))
def photos_into_album(
    album: Vector(Int(1, 99), "n"),
    spots: Vector(Int(0, "n"), "k", unique=True, sorted=True),
    photos: Vector(Int(100, 200), "k"),
):
    """The pictures of an `album` have numbers. New `photos` are slipped in: each goes directly before the picture that
    had the position given in `spots` at the outset (from 0; a spot equal to the album's length means at the very end).
    Return the resulting order of numbers as a list."""
    return np.insert(album, spots, photos)


@task(n=(2, 4), m=(2, 4))
def surprise_round_column(points: Matrix(Int(0, 30), "n", "m"), before: Int(0, "m"), extra: Vector(Int(40, 70), "n")):
    """`points` has a row per quiz team and a column per round. The host forgot a round: its results `extra`, one per
    team, form a new column in front of the column with number `before`, from 0 (or at the right end if there is no
    such column). Return the table as a list of rows."""
    return np.insert(points, before, extra, axis=1)


@task(rows=(3, 5))
def empty_rows_in_seating(
    seating: Matrix(Int(10, 60), "rows", (2, 4)),
    before: Vector(Int(1, "rows-1"), 2, unique=True, sorted=True),
    filler: Int(-9, -1),
):
    """`seating` has the price of every seat of a hall, row by row. For safety, an empty row is added in front of each
    of the rows whose numbers, from 0 and as they are now, stand in `before`. Every place of an empty row holds the
    number `filler`. Return all rows in a list."""
    return np.insert(seating, before, filler, axis=0)


# delete


@task(n=(3, 7))
def singers_still_in(singers: Vector(Word(), "n", unique=True), out: Vector(Int(0, "n-1"), 2, unique=True)):
    """In a song contest two acts must go after each evening. `singers` are those that sang tonight, and `out` lists the
    positions, from 0, of the two losers. Return the names of the others in unchanged order, as a list."""
    return np.delete(singers, out)


@task(n=(4, 8), k=(1, 3))
def pulled_carrots(bed: Vector(Float(2, 30), "n"), pulled: Vector(Int(0, "n-1"), "k", unique=True)):
    """A row of carrots has the lengths `bed`. A rabbit pulls some of them at once: `pulled` lists their positions as
    they were before its visit, from 0, in any order. Return the lengths of the carrots that are left, as a list."""
    return np.delete(bed, pulled)


@task(n=(3, 5))
def valid_trial_runs(trials: Matrix(Float(5, 20), "n", (2, 4)), void: Vector(Int(0, "n-1"), 2, unique=True)):
    """Rows of `trials` are runs of a bobsleigh, columns are the seconds it took for each section of the track. The two
    runs whose numbers, counted from 0, are in `void` were not valid and have to disappear. Return the remaining runs as
    a list of rows."""
    return np.delete(trials, void, axis=0)


@task(m=(3, 5))
def anonymous_survey(survey: Matrix(Int(0, 99), (2, 4), "m"), private: Vector(Int(0, "m-1"), 2, unique=True)):
    """Each person filled in one row of `survey`. Before publication, the two questions whose column numbers (from 0)
    are in `private` are taken out of every row. Return what is published as a list of rows."""
    return np.delete(survey, private, axis=1)


# tile


@task
def drum_loop(beats: Matrix(Int(0, 9), (2, 3), (2, 4)), times: Int(2, 4)):
    """Each row of `beats` holds the strokes of one drum in a short pattern. A drum machine plays the whole pattern from
    start to end, `times` times without a pause. Return all strokes that are heard, as a list with one row per drum."""
    return np.tile(beats, (1, times))


@task
def same_menu_every_week(menu: Vector(Int(1, 60), (5, 7), unique=True), canteens: Int(2, 3), weeks: Int(2, 3)):
    """All `canteens` canteens of a firm serve the dishes in `menu` (their numbers), one per day, and start over each
    week. Return the plan for `weeks` weeks as a list with one row per canteen, each row listing the dishes of all
    days."""
    return np.tile(menu, (canteens, weeks))


@task
def wallpaper_from_motif(motif: Matrix(Int(0, 9), (2, 3), (2, 3)), down: Int(1, 3), across: Int(1, 3)):
    """Wallpaper is printed from a rectangular `motif` of colour numbers, set `down` times one below the other and
    `across` times side by side. Return the colour numbers of the whole sheet as a list of rows."""
    return np.tile(motif, (down, across))


@task
def scarf_of_three_patterns(strip: Matrix(Int(0, 20), (2, 3), (2, 3))):
    """The knitting pattern of a scarf is the table `strip`. The scarf is three such patterns next to each other, so
    that every row becomes three times as long by running through the same stitches again. Return it as a list of
    rows."""
    return np.tile(strip, 3)


# repeat


@task
def slow_motion_frames(frames: Vector(Int(0, 99), (2, 5), unique=True, sorted=True), slow: Int(2, 4)):
    """To slow a film down, every picture number in `frames` is shown `slow` times in direct succession before the next
    one comes. Return the sequence of shown picture numbers as a list."""
    return np.repeat(frames, slow)


@task(n=(3, 6))
def decoded_run_lengths(shade: Vector(Int(0, 9), "n"), run: Vector(Choice(0, 1, 2, 2, 3, 4), "n")):
    """A fax line is sent as shades and run lengths: the first number of `shade` comes as many times in a row as the
    first number of `run` says, possibly not at all, then the second likewise, and so on. Return the decoded line as a
    list."""
    return np.repeat(shade, run)


@task
def widened_pixels(icon: Matrix(Int(0, 9), (2, 4), (2, 3)), factor: Choice(2, 3, 4)):
    """A little `icon` of pixel values is stretched only sideways: each pixel is drawn `factor` times next to itself.
    The height does not change. Return the stretched icon as a list of rows."""
    return np.repeat(icon, factor, axis=1)


@task(n=(2, 4))
def hymn_verses_repeated(verses: Matrix(Int(1, 30), "n", (2, 3)), times: Vector(Int(0, 3), "n")):
    """`verses` has a row of notes per verse of a hymn. Verse i is sung as often as entry i of `times` tells (0 leaves
    it out) before the next verse begins. Return the rows of notes in the order of singing, as a list."""
    return np.repeat(verses, times, axis=0)
