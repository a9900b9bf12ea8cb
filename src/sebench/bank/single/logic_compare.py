"""Values compared one by one, exactly or within a tolerance, and whole tables compared."""

from operator import itemgetter

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Choice, Cube, Echo, Either, Float, Int, Matrix, Vector, Word

NAN = float("nan")
# Among them some that differ only in how often the same row or number stands there.
CODES = Either(Choice([7], [7, 7], [7, 7, 7]), Vector(Choice(7, 2), (1, 4)))
SEATS = Either(
    Choice([["chair", "bench"]], [["chair", "bench"], ["chair", "bench"]], [["stool"]], [["stool"], ["stool"]]),
    Matrix(Choice("chair", "stool"), (1, 3), (1, 3)),
)
DUTIES = (["cook", "serve"], ["cook", "wash"], ["serve", "wash"])
GENRES = (("crime", "poetry"), ("poetry", "crime"), ("crime", "crime"))
PAGES = [[[510001, 510002]], [[510001, 510003]], [[510004, 510002]]]


def first_of_each_row(rows: list[list[str]]) -> list[list[str]]:
    return [row[:1] for row in rows]


# --- equal


@task(n=(2, 6))
def crossword_letters_right(
    filled: Vector(Choice("a", "e", "n", "s"), "n"), solution: Vector(Choice("a", "e", "n", "s"), "n")
):
    """Mia wrote the letters `filled` into a crossword; the printed answer is `solution`, of the same length. Compare
    the two letter by letter and return a list with True where she has the right letter and False where not."""
    return np.equal(filled, solution)


@task(n=(3, 5))
def banknote_numbers_match(
    seen: Vector(Int(340210, 340214), "n", unique=True), listed: Vector(Int(340210, 340214), "n", unique=True)
):
    """A bank teller compares the serial numbers `seen` on a bundle of notes with those `listed` on the slip, position
    by position. Return a list with True for each position where the two numbers are identical to the last digit,
    otherwise False."""
    return np.equal(seen, listed)


@task(racers=(2, 4), gates=(2, 4))
def slalom_gates_in_order(
    passed: Matrix(Choice("red", "blue"), "racers", "gates"), course: Vector(Choice("red", "blue"), "gates")
):
    """In a children's slalom, each row of `passed` gives the colours of the gates that one racer went through; `course`
    is the prescribed colour sequence. For every racer and gate, did the colour agree with the course? Return a table of
    booleans, one row per racer."""
    return np.equal(passed, course)


@task(lenses=(2, 4), checks=(2, 4))
def lens_thickness_stable(
    thickness: Matrix(Float(2.0, 2.000003, 6), "lenses", "checks"),
    nominal: Matrix(Float(2.0, 2.000003, 6), "lenses", 1),
):
    """An optics lab measured lenses in millimetres, to six decimals: `thickness` has a row per lens and a column per
    check. `nominal` has a row per lens too, with its nominal thickness as the only number. Return, in the layout of
    `thickness`, True where the measured value is exactly the nominal one, otherwise False."""
    return np.equal(thickness, nominal)


# --- not_equal


@task(n=(2, 6))
def replaced_street_signs(
    before: Vector(Word(("stop", "yield", "slow")), "n"), after: Vector(Word(("stop", "yield", "slow")), "n")
):
    """The town replaced some of its street signs: `before` and `after` list the old and the new sign at each corner, in
    the same order. Return a list with True for each corner where the sign changed and False where it stayed the
    same."""
    return np.not_equal(before, after)


@task(rows=(2, 4), cols=(2, 4))
def spot_the_differences(
    left_picture: Matrix(Int(0, 3), "rows", "cols"), right_picture: Matrix(Int(0, 3), "rows", "cols")
):
    """A puzzle page prints two little pictures as grids of colour codes, `left_picture` and `right_picture`. Where do
    they differ? Return a grid of the same size: True at cells that differ, False at cells that agree."""
    return np.not_equal(left_picture, right_picture)


@task
def relabel_wrong_bins(bins: Vector(Int(40, 43), (2, 7)), ordered: Int(40, 43)):
    """All screws in a delivery have the size code `ordered`, but the labels on their bins show the codes in `bins`.
    Which bins must be relabelled because they show a different code? Return a list of booleans in the order of the
    bins."""
    return np.not_equal(bins, ordered)


@task(pupils=(2, 4), songs=(2, 4))
def off_key_notes(
    sung: Matrix(Choice(440.0, 466.2, 493.9), "pupils", "songs"),
    pitch: Matrix(Choice(440.0, 466.2, 493.9), "pupils", 1),
):
    """Each pupil has one target tone in hertz, given as a one-number row of `pitch`; the same pupil's row in `sung`
    holds the tones sung in several attempts. Return rows of True/False, true for every attempt that was not exactly the
    target tone."""
    return np.not_equal(sung, pitch)


# --- greater


@task(n=(2, 6))
def home_wins(home_goals: Vector(Int(0, 4), "n"), away_goals: Vector(Int(0, 4), "n")):
    """Saturday's hockey results are in `home_goals` and `away_goals`, match by match. Which matches did the home side
    win? A draw is no win. Return a list of True/False."""
    return np.greater(home_goals, away_goals)


@task(trees=(2, 4), years=(2, 4))
def harvests_above_average(apples: Matrix(Int(30, 34), "trees", "years"), average: Vector(Int(30, 34), "years")):
    """`apples` has the kilos picked from each tree (row) in each year (column), and `average` what a tree of the region
    yielded on average in each year. Return rows of booleans marking the harvests strictly above that year's average."""
    return np.greater(apples, average)


@task
def queue_too_long(minutes: Vector(Float(9.8, 10.2), (2, 7)), patience: Float(9.9, 10.1)):
    """Someone who has to wait more than `patience` minutes walks off; waiting for precisely that long is still
    accepted. From the waiting times `minutes`, return a list saying for each person whether they walk off (True) or
    stay (False)."""
    return np.greater(minutes, patience)


@task(n=(2, 6))
def later_in_dictionary(
    mine: Vector(Word(("fig", "kiwi", "lime", "plum")), "n"), yours: Vector(Word(("fig", "kiwi", "lime", "plum")), "n")
):
    """You and I lay down word cards in pairs, `mine` against `yours`. I take a pair if my word comes later in the
    dictionary than yours; the same word gives me nothing. Return a list with True for every pair that I take, False for
    the others."""
    return np.greater(mine, yours)


# --- greater_equal


@task
def tall_enough_for_ride(heights: Vector(Int(128, 132), (2, 7)), minimum: Int(129, 131)):
    """The sign at the roller coaster says you have to be at least `minimum` centimetres tall; hitting the mark exactly
    is enough. Given the `heights` of the children in line, return who may ride, as a list of booleans."""
    return np.greater_equal(heights, minimum)


@task(n=(2, 6))
def quota_reached(knitted: Vector(Int(5, 9), "n"), promised: Vector(Int(5, 9), "n")):
    """Members of a knitting circle each `promised` a number of scarves for the bazaar and later handed in what they had
    `knitted`. Whoever delivered as many as promised, or more, gets a badge. Return a list: True (badge) or False for
    each member."""
    return np.greater_equal(knitted, promised)


@task(students=(2, 4), modules=(2, 4))
def modules_passed(
    marks: Matrix(Float(3.8, 4.2), "students", "modules"), pass_mark: Vector(Float(3.8, 4.2), "modules")
):
    """Every module has its own `pass_mark`: a mark equal to it or higher passes. `marks` lists students as rows and
    modules as columns. Return the table of passes with True for passed and False for failed."""
    return np.greater_equal(marks, pass_mark)


@task(lifts=(2, 4), trips=(2, 4))
def lift_limit_reached(load: Matrix(Int(598, 602), "lifts", "trips"), limit: Matrix(Int(598, 602), "lifts", 1)):
    """A buzzer in a lift sounds if the load is at the lift's limit or above it. `limit` has one single-number row per
    lift, and `load` one row per lift with the load on each trip, both in kilograms. Return rows of True/False saying on
    which trips the buzzer sounded."""
    return np.greater_equal(load, limit)


# --- less


@task(n=(2, 6))
def personal_bests(today: Vector(Float(12.1, 12.5), "n"), best: Vector(Float(12.1, 12.5), "n")):
    """A sprint coach has the times of `today` and each runner's previous `best`, both in seconds. Equalling the old
    time does not count as an improvement. Return, runner by runner, whether today brought a faster time, as booleans in
    a list."""
    return np.less(today, best)


@task
def frost_warning(lows: Matrix(Int(-2, 3), (2, 4), (2, 4)), threshold: Int(-1, 2)):
    """`lows` tabulates nightly minimum temperatures, stations down and nights across. A station sends a warning for a
    night that is colder than `threshold`, not for one that is exactly at it. Return the table of warnings as rows of
    booleans."""
    return np.less(lows, threshold)


@task(shelves=(2, 4), goods=(2, 4))
def reorder_goods(stock: Matrix(Int(10, 14), "shelves", "goods"), reserve: Vector(Int(10, 14), "goods")):
    """Columns of `stock` stand for kinds of tea, rows for the shops that sell them; `reserve` is the amount of each tea
    that every shop should have on hand. A shop reorders a tea if its stock has fallen under the reserve (being at the
    reserve is fine). Return rows of booleans, True where the tea is reordered."""
    return np.less(stock, reserve)


@task
def ahead_in_alphabet(
    surnames: Vector(Word(("berg", "holm", "lund", "ryde")), (2, 6)), divider: Word(("berg", "holm", "lund", "ryde"))
):
    """Counter A serves people whose surname comes earlier in the alphabet than the name on the `divider` card; that
    name itself goes to counter B. All names are in small letters. Return whether each of the `surnames` belongs to
    counter A, as a list of True and False."""
    return np.less(surnames, divider)


# --- less_equal


@task
def affordable_dishes(prices: Vector(Float(11.5, 12.1), (2, 7)), budget: Float(11.5, 12.1)):
    """Lena has `budget` euros in her purse and wants one dish. Return a list of booleans that says for each of the
    `prices` on the menu whether she can pay it; spending everything she has is all right."""
    return np.less_equal(prices, budget)


@task(n=(2, 6))
def homework_on_time(handed_in: Vector(Int(14, 18), "n"), deadline: Vector(Int(14, 18), "n")):
    """Dates are days of the same month: `handed_in` when each essay arrived, `deadline` when it was due. Arriving on
    the due day is still on time. Return True for essays on time and False for late ones, as a list."""
    return np.less_equal(handed_in, deadline)


@task(trucks=(2, 4), bridges=(2, 4))
def bridges_passable(tonnes: Matrix(Int(20, 24), "trucks", 1), capacity: Vector(Int(20, 24), "bridges")):
    """`tonnes` gives truck weights as a column, i.e. rows of one number; `capacity` lists what the bridges on the route
    carry at most. A truck as heavy as the capacity may cross. Return one row per truck with True/False for each
    bridge."""
    return np.less_equal(tonnes, capacity)


@task(rows=(2, 3), cols=(2, 3))
def noise_within_limit(decibels: Cube(Int(54, 57), 2, "rows", "cols"), limits: Matrix(Int(54, 57), "rows", "cols")):
    """The noise in a town was mapped over the same grid twice, by day and by night: `decibels` holds those two grids.
    `limits` is one grid with the loudest level permitted in each cell, by day as well as by night. Return both grids
    with True where the level is permitted and False where it is too loud (at the limit is permitted)."""
    return np.less_equal(decibels, limits)


# --- isclose


@task(n=(5, 8))
def estimates_near_truth(guesses: Vector(Int(9, 16), "n"), counts: Vector(Int(9, 16), "n")):
    """At a fair each visitor gets a jar of sweets and guesses how many are in it. A guess is good if it differs from
    the true number by at most 25 percent of that true number. With `guesses` and the true `counts`, return a list
    giving True (good) or False for each guess."""
    return np.isclose(guesses, counts, rtol=0.25)


@task(
    n=(3, 6),
    equivalent={
        "isclose: arguments 1 and 2 swapped": "a fixed tolerance does not depend on which of the two comes first"
    },
)
def church_clocks_agree(north: Vector(Int(0, 8), "n"), south: Vector(Int(0, 8), "n")):
    """Every noon someone notes by how many seconds the clocks of the `north` and the `south` tower are late. They count
    as in step when the two figures are at most 2 seconds apart. Return a list of booleans that says day by day whether
    they were in step."""
    return np.isclose(north, south, atol=2)


@task(
    n=(3, 6),
    equivalent={
        "isclose: arguments 1 and 2 swapped": "a fixed tolerance does not depend on which of the two comes first"
    },
)
def odometers_confirmed(invoice: Vector(Int(800000, 800010), "n"), dashboard: Vector(Int(800000, 800010), "n")):
    """A haulier compares the odometer reading on each truck's repair `invoice` with the one on its `dashboard`. A
    difference of up to 3 km is accepted, however many kilometres the truck has run; nothing beyond. Return a list with
    True (accepted) or False for each truck."""
    return np.isclose(invoice, dashboard, rtol=0, atol=3)


@task(
    weeks=(2, 4),
    pools=(2, 4),
    equivalent={"isclose: arguments 1 and 2 swapped": "0.001 percent of a water temperature never matters beside 0.25"},
)
def pool_temperature_steady(
    measured: Matrix(Choice(NAN, NAN, 24.0, 24.2, 24.4, 24.6), "weeks", "pools"),
    planned: Vector(Choice(NAN, 24.1, 24.3), "pools"),
):
    """`measured` lists water temperatures, weeks as rows and pools as columns; `planned` has the target for each pool.
    A reading or a target that does not exist is nan. Return True where the reading is within 0.25 degrees of the
    target, or where both are nan; else False. Keep the rows."""
    return np.isclose(measured, planned, atol=0.25, equal_nan=True)


# --- allclose


@task(n=(2, 3))
def harvest_near_plan(picked: Vector(Int(4, 11), "n"), plan: Vector(Int(4, 11), "n")):
    """A vineyard compares the tonnes `picked` in each plot with its `plan`. The season is called normal if no plot is
    off by more than half of what was planned for that plot. Return True or False for the season."""
    return np.allclose(picked, plan, rtol=0.5)


@task(equivalent={"allclose: arguments 1 and 2 swapped": "0.001 percent of a board width never matters beside 0.25"})
def boards_within_gauge(widths: Matrix(Float(9.8, 10.2), (1, 2), (2, 3)), target: Float(9.8, 10.2)):
    """A sawmill checks a stack of boards; `widths` has a row per layer, in centimetres with one decimal. The stack
    passes if every single board is within 0.25 cm of `target`. Return whether the stack passes, as one True or
    False."""
    return np.allclose(widths, target, atol=0.25)


@task(
    n=(2, 3),
    equivalent={
        "allclose: arguments 1 and 2 swapped": "a fixed tolerance does not depend on which of the two comes first"
    },
)
def electricity_meters_fine(app: Vector(Int(900000, 900005), "n"), cellar: Vector(Int(900000, 900005), "n")):
    """The tenants' `app` and the meters in the `cellar` show kilowatt hours, both listed flat by flat. The landlord is
    satisfied only if in every flat the two figures are at most 2.5 apart, a limit that does not grow with the figures.
    Return one True/False."""
    return np.allclose(app, cellar, rtol=0, atol=2.5)


@task(equivalent={"allclose: arguments 1 and 2 swapped": "0.001 percent of a fuel level never matters beside 1.5"})
def tank_logs_consistent(
    captain: Choice([NAN, 4, 7], [NAN, 5, 7], [NAN, 4, 9], [NAN, 6, 8], [4, NAN, 8]),
    engineer: Choice([NAN, 4, 7], [NAN, 5, 8], [NAN, 4, 9], [NAN, 5, 6], [5, NAN, 7]),
):
    """On a ferry the `captain` and the `engineer` each wrote down three fuel levels; nan stands for a skipped reading.
    The logs are consistent if each pair of levels is no more than 1.5 apart; a reading that both skipped counts as
    agreeing, one that only one of them skipped does not. Return True or False."""
    return np.allclose(captain, engineer, atol=1.5, equal_nan=True)


# --- array_equal


@task
def padlock_opens(dialled: CODES, secret: Echo("dialled", CODES)):
    """The code of a padlock consists of the digits in `secret`. The padlock opens only if `dialled` has as many digits
    and every one of them is the same in the same place. Does it open? Return True or False."""
    return np.array_equal(dialled, secret)


@task
def seating_unchanged(yesterday: SEATS, today: Echo("yesterday", SEATS)):
    """A café sets up its seats afresh every morning. Their kinds, row by row, were noted on two days, `yesterday` and
    `today`; the number of rows and seats may differ. Return True if both days have the same layout and the same kind of
    seat in each place, else False."""
    return np.array_equal(yesterday, today)


@task
def backup_identical(
    original: Vector(Choice(NAN, 3.5, 3.50001), (1, 3)),
    copied: Echo("original", Vector(Choice(NAN, 3.5, 3.50001), (1, 3))),
):
    """A tide gauge writes nan when a value is missing. Its record `original` was saved a second time as `copied`.
    Return True if the two are the same record, else False: equal length, equal values, and gaps (nan) in the very same
    positions."""
    return np.array_equal(original, copied, equal_nan=True)


@task
def drum_patterns_same(
    taught: Vector(Choice(True, False, False), (1, 3)),
    played: Echo("taught", Vector(Choice(True, False, False), (1, 3))),
):
    """In a drum lesson a bar is a list of beats, True for a hit and False for a rest, and bars may have different
    numbers of beats. Return True if the bar that was `played` is the one that was `taught`, beat for beat and no longer
    or shorter."""
    return np.array_equal(taught, played)


# --- array_equiv


@task
def every_shift_same(
    rota: Choice(*([pair] * n for pair in DUTIES for n in (1, 2, 3, 5)), [*DUTIES[:2]], [*DUTIES[1:]], [*DUTIES]),
    standard: Echo("rota", Choice(*DUTIES), itemgetter(0)),
):
    """A canteen's `rota` has one row per shift naming the duties of the two trainees; `standard` is the pair of duties
    that ought to recur shift after shift. Return True if each row of the rota is the standard pair, in the same order,
    otherwise False."""
    return np.array_equiv(rota, standard)


@task
def one_batch_only(
    labels: Choice(
        *([code] * n for code in ("k17", "m17", "k71") for n in (1, 2, 3, 6)), ["k17", "k71"], ["m17", "k17", "k17"]
    ),
    batch: Echo("labels", Choice("k17", "m17", "k71"), itemgetter(0)),
):
    """A pharmacist scans the batch codes `labels` of the boxes on a shelf. Return True if every single one is the code
    `batch`, and False if there is any other code among them."""
    return np.array_equiv(labels, batch)


@task
def shelves_sorted_by_genre(
    books: Either(
        Choice(*([[one] * n, [other] * n] for one, other in GENRES for n in (1, 2, 3, 4))),
        Matrix(Choice("crime", "poetry"), 2, (1, 4)),
    ),
    signs: Echo("books", Choice(*([[one], [other]] for one, other in GENRES)), first_of_each_row),
):
    """Each row of `books` gives the genres of the volumes on one library shelf, and the matching row of `signs` holds
    only the genre written on that shelf's sign. Is the library tidy, with no volume on a shelf of another genre? Return
    True or False."""
    return np.array_equiv(books, signs)


@task
def album_pages_alike(
    pages: Choice(*([page] * n for page in PAGES for n in (1, 2, 3, 4)), PAGES[:2], PAGES[1:], PAGES),
    sample: Echo("pages", Choice(*PAGES), itemgetter(0)),
):
    """A stamp dealer lists an album as pages, each page being rows of catalogue numbers; `sample` is a single page in
    that form. Return True when all the `pages` show precisely what the sample page shows, and False when some page
    deviates."""
    return np.array_equiv(pages, sample)
