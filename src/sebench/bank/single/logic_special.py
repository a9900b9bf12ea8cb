"""Values that are missing, infinite, or complex."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Choice, Cube, Float, Matrix, Missing, Vector

NAN, INF = float("nan"), float("inf")

# --- isfinite


@task
def usable_seismograph_values(shakes: Vector(Missing(Missing(Missing(Float(-4, 4), INF), -INF)), (4, 7))):
    """A seismograph stores inf or -inf when its needle hits the stop and nan when it loses power. Return a list that is
    True for each of the `shakes` that is an ordinary number and False for all three kinds of garbage."""
    return np.isfinite(shakes)


@task
def valid_survey_grid(depths: Matrix(Choice(NAN, INF, -INF, 3.5, 7.0, 12.5, 0.5), (2, 4), (2, 4))):
    """An echo sounder fills a grid of `depths`. No echo is stored as inf, a crossed cable as -inf, an unvisited square
    as nan. Which squares hold a proper depth? Return the grid as rows of booleans."""
    return np.isfinite(depths)


@task
def ratio_well_defined(
    wins_per_loss: Choice(INF, NAN, -INF, 0.0, 1.5, 2.0, 0.4), pay_per_hour: Choice(INF, NAN, -INF, 0.0, 25.0, 18.5)
):
    """A spreadsheet hands over two quotients, `wins_per_loss` and `pay_per_hour`; each may be nan or infinite of either
    sign after a division by zero. Return a dict with keys "wins" and "pay" telling by True/False which quotient is a
    normal number."""
    return {"wins": np.isfinite(wins_per_loss), "pay": np.isfinite(pay_per_hour)}


@task(scans=(2, 3))
def clean_voxels(scan: Cube(Choice(NAN, INF, -INF, 0, 3, 40), "scans", (1, 3), (1, 3))):
    """A body `scan` is a stack of slices, every slice being rows of intensities; detector faults left nan, inf and -inf
    in it. Return a stack of the same form with True at faultless points and False at faults."""
    return np.isfinite(scan)


# --- isinf


@task
def overflowed_counters(totals: Vector(Choice(INF, INF, -INF, -INF, NAN, 12.0, -7.5, 300.0), (3, 7))):
    """Some bookkeeping `totals` ran out of range and became inf (profit) or -inf (loss); nan means not yet booked.
    Return a list with True for every total that ran out of range, in either direction, and False for the others."""
    return np.isinf(totals)


@task
def unreachable_huts(walk: Matrix(Choice(INF, INF, -INF, NAN, 0, 4, 9), (2, 4), (2, 4))):
    """In the table `walk` of walking times from village (row) to hut (column), inf stands for a closed path and -inf
    for a closed hut; nan means that nobody asked. Return a table with True wherever the path or the hut is closed and
    False everywhere else."""
    return np.isinf(walk)


@task
def endless_batteries(torch: Choice(INF, -INF, NAN, 3.5, 8.0, 1.0), radio: Choice(INF, -INF, NAN, 2.0, 11.5)):
    """A gadget page computes running times for a `torch` and a `radio`. A zero current gives plus or minus infinity, a
    missing sensor nan. Return a tuple of two booleans, first torch, then radio: is the running time infinite, with
    whatever sign?"""
    return np.isinf(torch), np.isinf(radio)


@task(days=(2, 3))
def suspended_share_quotes(quotes: Cube(Choice(INF, -INF, NAN, 10.5, 11.0, 9.5), "days", (1, 2), (1, 3))):
    """`quotes` is nested day by day: for each day rows of stock exchanges with a share price per column. While a share
    is suspended, its price is stored as positive or negative infinity; missing prices are nan. Return booleans in the
    same nesting, True only where a share is suspended."""
    return np.isinf(quotes)


# --- isnan


@task
def forgotten_temperatures(fever: Vector(Missing(Missing(Float(36, 41), INF)), (5, 8))):
    """A nurse's chart `fever` has nan where she forgot to measure and inf where the thermometer burst. Return one
    boolean per entry, in a list: was the measurement forgotten?"""
    return np.isnan(fever)


@task
def blank_bingo_cells(card: Matrix(Choice(NAN, NAN, 7, 23, 0, INF), (2, 4), (2, 4))):
    """On a digital bingo `card`, printed in rows, blank cells are nan and the joker is inf. Return rows of True and
    False, True for the blanks."""
    return np.isnan(card)


@task
def absent_judges(
    technical: Vector(Choice(NAN, NAN, 7.5, 8.0, -INF), (2, 5)), artistic: Vector(Choice(NAN, 6.0, 9.5, INF), (2, 5))
):
    """Figure skating: one panel of judges types `technical` scores, another panel `artistic` ones. nan says that a
    judge was absent; infinite entries are typing errors, not absences. Return a dict with the keys "technical" and
    "artistic", each with the list of True/False for absence."""
    return {"technical": np.isnan(technical), "artistic": np.isnan(artistic)}


@task
def lost_radio_samples(samples: Vector(Choice(complex(NAN, 1), complex(2, NAN), 1 + 2j, 0j, 3 - 1j), (2, 6))):
    """A radio receiver delivers complex `samples`. When a packet is lost, the real or the imaginary part of the sample
    turns into nan. Return for each sample whether it was hit by packet loss, as a list of booleans."""
    return np.isnan(samples)


# --- isneginf


@task
def wells_run_dry(water_level: Vector(Choice(-INF, -INF, INF, NAN, -3.5, 0.0, -8.0), (2, 7))):
    """For each well `water_level` says how high the water stands relative to the ground. -inf is the code for a well
    that ran dry, inf for a flooded one, nan for one not visited. Return which wells ran dry, as a list of booleans."""
    return np.isneginf(water_level)


@task
def forbidden_chess_moves(rating: Matrix(Choice(-INF, -INF, INF, -2.5, 0.0, 1.5), (2, 4), (2, 4))):
    """A chess program keeps a board of move ratings, `rating`, as rows. A forced mate is rated inf, a forbidden move
    minus infinity, and ordinary moves get numbers, bad ones negative. Return the board as rows of booleans, True for
    the forbidden moves."""
    return np.isneginf(rating)


@task
def impossible_log_scores(
    rain: Choice(-INF, -INF, -INF, INF, NAN, -0.7, -2.3, 0.0), snow: Choice(-INF, -INF, -INF, INF, NAN, -1.2, -4.6, 0.0)
):
    """A weather model gives the logarithm of a probability for `rain` and for `snow`; an impossible event has logarithm
    minus infinity, while inf and nan are software bugs. Return the pair (rain impossible?, snow impossible?) as a tuple
    of booleans."""
    return np.isneginf(rain), np.isneginf(snow)


@task(stages=(2, 3))
def withdrawn_cyclists(gaps: Cube(Choice(-INF, -INF, INF, -12, 0, 35), "stages", (1, 2), (2, 3))):
    """`gaps` lists, race by race and team by team, each rider's time gap in seconds (negative = ahead of the
    favourite). Riders who withdrew from a race carry -inf there, riders disqualified inf. Return the same nested lists
    with True just for the withdrawn."""
    return np.isneginf(gaps)


# --- isposinf


@task
def never_boiling_kettles(minutes: Vector(Choice(INF, INF, INF, -INF, NAN, 3.5, 5.0), (3, 7))):
    """In a kettle test `minutes` holds the time to boiling. inf: the water never boiled. -inf: it was boiling already.
    nan: the tester was asleep. Return True for every kettle that never boiled and False for the rest, in a list."""
    return np.isposinf(minutes)


@task
def walls_on_robot_map(cost: Matrix(Choice(INF, INF, -INF, 0, 1, 5), (2, 4), (2, 4))):
    """A vacuum robot's map has a `cost` for each tile: plus infinity for a wall, minus infinity for a charging station,
    otherwise a number. Return rows of booleans that show where the walls are."""
    return np.isposinf(cost)


@task
def loans_never_repaid(
    house: Choice(INF, INF, INF, -INF, NAN, 12.5, 0.0), car: Choice(INF, INF, INF, -INF, NAN, 4.5, 0.0)
):
    """A calculator shows the years until the loans for the `house` and the `car` are paid off: inf when the instalments
    are too low to ever finish, -inf if the bank owes you, nan for wrong input. Return {"house": ..., "car": ...} with
    True for a loan that is never paid off, else False."""
    return {"house": np.isposinf(house), "car": np.isposinf(car)}


@task(n=(2, 3))
def unlimited_parking(hours: Cube(Choice(INF, INF, -INF, NAN, 1, 2), "n", (1, 2), (2, 3))):
    """Parking rules: `hours` is grouped by district, then street (one row each), then weekday type. An entry is the
    allowed time; inf is unlimited, -inf is a tow zone, nan unknown. Return, grouped alike, True where parking is
    unlimited and False everywhere else."""
    return np.isposinf(hours)


# --- isreal


@task
def roots_on_the_line(roots: Vector(Choice(2 + 0j, -1 + 0j, 3 + 1j, 3 - 1j, 0j, 2j), (2, 6))):
    """A maths pupil got the `roots` of an equation as complex numbers. Those whose imaginary part is 0 can be drawn on
    the number line. Return which can, as a list of True/False."""
    return np.isreal(roots)


@task
def purely_resistive_parts(impedance: Matrix(Choice(50 + 0j, 75 + 0j, 50 + 10j, 20 - 5j, 8j), (2, 4), (2, 3))):
    """Each row of `impedance` describes a circuit board, each entry the complex impedance of one component. A component
    whose imaginary part is zero is a plain resistor. Return a table with True for the plain resistors and False for the
    others."""
    return np.isreal(impedance)


@task
def result_is_ordinary(
    value: Choice(
        *(1 + 0j, 2 + 0j, -3 + 0j, 4.5 + 0j, 7 + 0j, 0j, -8 + 0j),
        *(1 + 1j, 2 - 1j, 3j, 5 + 0.5j, -1 - 2j, 6 + 2j, 2 - 4j),
    ),
):
    """A pocket calculator always displays a complex `value`. Return True if the imaginary half of the display could be
    hidden because it is zero, False if it is needed."""
    return np.isreal(value)


@task
def tones_without_shift(
    left_ear: Vector(Choice(1 + 0j, 2 - 2j, 0.5 + 0j, 3j), (2, 5)),
    right_ear: Vector(Choice(4 + 0j, 1 + 1j, 2j), (2, 5)),
):
    """A hearing test yields complex spectra `left_ear` and `right_ear`. A tone without phase shift has imaginary part
    0. Return a tuple: the list of booleans for the left ear and that for the right, True meaning no phase shift."""
    return np.isreal(left_ear), np.isreal(right_ear)


# --- iscomplex


@task
def oscillating_modes(modes: Vector(Choice(-1 + 0j, -2 + 3j, -2 - 3j, -0.5 + 0j, 1j, -3 + 0j), (2, 6))):
    """An engineer computed the `modes` of a footbridge, some with a nonzero imaginary part, which means that they
    oscillate. Return a list telling for each mode whether it oscillates (True) or simply dies away (False)."""
    return np.iscomplex(modes)


@task
def twisted_laser_light(field: Matrix(Choice(1 + 0j, 2 + 0j, 1 + 1j, 2 - 3j, 1j), (2, 4), (2, 3))):
    """Light waves are logged in `field`: one row per laser, one complex amplitude per column. An amplitude is called
    twisted when its imaginary part is anything but zero. Return a table of the same form with True for each twisted
    amplitude and False for the others."""
    return np.iscomplex(field)


@task
def needs_two_numbers(
    answer: Choice(
        *(1 + 0j, 3 + 0j, -2 + 0j, 9 + 0j, 0j, 6.5 + 0j, -5 + 0j),
        *(1 + 2j, 1j, 5 - 3j, 4 - 1j, 2 + 2j, -7 + 1j, 0.5 - 0.5j),
    ),
):
    """A plotting app receives an `answer` that is stored as a complex number. It draws a dot in the plane if there is a
    nonzero imaginary part and a tick on a ruler if there is none. Return True for a dot, False for a tick."""
    return np.iscomplex(answer)


@task(layers=(2, 3))
def phase_shifted_pixels(image: Cube(Choice(0j, 5 + 0j, 2 + 1j, 4j, 7 - 2j), "layers", (1, 3), (1, 3))):
    """A hologram `image` consists of layers, each made of rows of complex pixels. Return booleans nested the same way:
    true for pixels whose imaginary part differs from zero."""
    return np.iscomplex(image)
