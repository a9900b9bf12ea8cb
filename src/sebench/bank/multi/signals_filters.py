"""Sequences filtered, compared, interpolated and treated piece by piece."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Choice, Cube, Float, Int, Matrix, Vector


@task(equivalent={"convolve -> correlate": "the window reads the same from both ends"})
def smoothed_seismogram(trace: Vector(Int(-20, 20), (6, 8)), width: Choice(3, 4, 5)):
    """Smooth a seismic `trace` with `width` weights 0.54 - 0.46·cos(2πk/(width-1)), k = 0 to width-1, scaled so that
    they sum to 1. Slide them over the trace and return the weighted sums for all positions at which they fit
    completely, as a list."""
    weights = np.hamming(width)
    return np.convolve(trace, np.divide(weights, np.sum(weights)), mode="valid")


@task
def one_bit_correlator(antenna: Vector(Int(-9, 9), (4, 7)), partner: Vector(Int(-9, 9), (2, 4))):
    """Early radio interferometers kept only -1, 0 or 1 of each sample, for negative, zero, positive. Do so with the n
    samples of `antenna` and the m samples of `partner`. Then, for each shift k from -(m-1) to n-1, add up
    antenna[i+k]·partner[i] over all i for which both samples exist. Return a tuple: the k with the largest sum (the
    smallest such k in a tie), and that sum."""
    scores = np.correlate(np.sign(antenna), np.sign(partner), mode="full")
    return (np.argmax(scores) - len(partner) + 1, np.max(scores))


@task(n=(3, 5))
def dosing_rates(
    logged: Vector(Int(0, 20), "n", unique=True, sorted=True),
    volume: Vector(Float(0, 50), "n", sorted=True),
    checks: Vector(Int(0, 20), (3, 5), unique=True, sorted=True),
):
    """The `volume` that a burette had let out was read at the minutes `logged`. Read off the volume at the ascending
    minutes `checks` by straight lines between readings (before the first and after the last, the nearest reading
    holds). Between each check and the next, what is the change of volume per minute? Return these rates as a list."""
    return np.divide(np.diff(np.interp(checks, logged, volume)), np.diff(checks))


@task(equivalent={"convolve -> polymul": "the sums are the coefficients of a product; no list begins with 0"})
def normalised_echo(voice: Vector(Int(-9, 9, but=(0,)), (2, 5)), echo: Vector(Int(-5, 5, but=(0,)), (2, 3))):
    """Every sample of `voice` sounds immediately, scaled by `echo`[0], again one step later scaled by `echo`[1], and so
    on; overlapping sounds add up, and the tail is kept in full. Scale the resulting sound by a positive factor so
    that its loudest sample has magnitude 1, and return it as a list."""
    wet = np.convolve(voice, echo)
    return np.divide(wet, np.max(np.absolute(wet)))


@task(mics=(2, 4), n=(3, 5))
def microphone_peaks(tracks: Matrix(Int(-9, 9), "mics", "n"), room: Vector(Int(-4, 4), (2, 3))):
    """Rows of `tracks` are microphones. Send each row through the hall `room`: with n samples in a row and m numbers in
    room, output i is the sum of room[j]·row[i-j] over all j, where row counts as 0 outside its samples, for i from 0
    to n + m - 2. Return the greatest output value of each microphone, as a list."""
    return np.max(np.apply_along_axis(np.convolve, 1, tracks, room), axis=1)


@task(recipes=(2, 4))
def strongest_recipe(recipes_table: Matrix(Int(-5, 9), "recipes", 3), dose: Int(-2, 4)):
    """Each row of `recipes_table` holds the coefficients of a quadratic effect curve, square term first and constant
    last. Evaluate every row's curve at the `dose` (relative to normal). Return a tuple: the index (from 0) of the
    recipe with the greatest effect, the first of equals, and that effect as a number."""
    effects = np.apply_along_axis(np.polyval, 1, recipes_table, dose)
    return (np.argmax(effects), np.max(effects))


@task(n=(4, 6), stations=(2, 3))
def template_range_per_station(waves: Matrix(Int(-6, 6), "n", "stations"), template: Vector(Int(-3, 3), 3)):
    """Columns of `waves` are seismic stations, rows are moments. Slide the three values of `template` down each column,
    without reversing them, and at each place where they fit completely add up the three products. Return for every
    station the difference between its largest and smallest sum, as a list."""
    return np.ptp(np.apply_along_axis(np.correlate, 0, waves, template), axis=0)


@task(rows=(3, 4), cols=(3, 4))
def sky_background_removed(exposure: Matrix(Int(0, 60), "rows", "cols")):
    """The sky background of an `exposure` (rows of pixel counts) is estimated in two passes: first the middle value of
    every column, then the middle value of those results (with an even number of values, halfway between the two central
    ones). Return the exposure with this background taken off every pixel, as a list of rows."""
    return np.subtract(exposure, np.apply_over_axes(np.median, np.array(exposure), [0, 1]))


@task(years=(2, 3), branches=(1, 5), days=(2, 3))
def branch_shares(loans: Cube(Int(1, 40), "years", "branches", "days")):
    """The numbers of `loans` in a library are nested year, branch, weekday. Add them up over the years and over the
    weekdays. Return each branch's share of the grand total, as a flat list with one number per branch."""
    totals = np.apply_over_axes(np.sum, np.array(loans), [0, 2])
    return np.ravel(np.divide(totals, np.sum(totals)))


@task
def compressor_curve(levels: Vector(Choice(0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0), (3, 7))):
    """A studio compressor treats sound `levels` by two rules: a level below 2 is squared, a level of 2 or more is
    replaced by its binary logarithm. Return the treated levels as a list."""
    return np.piecewise(levels, [np.less(levels, 2)], [np.square, np.log2])


@task(
    equivalent={
        "floor -> trunc": "no book is returned a negative number of days late",
        "greater_equal -> floor_divide": "as a condition, the whole quotient holds exactly from 14 on",
    }
)
def late_fees(days: Vector(Choice(0.5, 1.5, 2.0, 3.5, 6.5, 9.0, 13.5, 14.0, 20.5), (3, 7))):
    """`days` says for each book how many days late it was returned (fractions happen). The library charges nothing below
    2 days, a flat 15 from 14 days on, and otherwise 1 per completed day. Return the sum of the fees of all books, as
    a number."""
    fees = np.piecewise(days, [np.less(days, 2), np.greater_equal(days, 14)], [0, 15, np.floor])
    return np.sum(fees)


@task
def crystal_detector_charge(
    voltage: Vector(Choice(-0.6, -0.2, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9), (3, 7)), knee: Choice(0.2, 0.3, 0.5)
):
    """A crystal radio's diode passes the current e^v - 1 for a `voltage` v above the `knee` and nothing otherwise.
    Readings come once per millisecond. Return the charge, the area under the current joined by straight lines from
    reading to reading (unit spacing), as a number."""
    current = np.piecewise(voltage, [np.greater(voltage, knee)], [np.expm1, 0])
    return np.trapezoid(current)


@task(
    n=(3, 5),
    equivalent={"linspace: arguments 1 and 2 swapped": "hour 24 is hour 0, so the times are the same in another order"},
)
def scatter_of_tides(
    known: Vector(Int(0, 23), "n", unique=True, sorted=True), height: Vector(Float(0, 9), "n"), count: Int(3, 8)
):
    """Water `height` at clock hours `known` repeats every 24 hours; between known hours, also across midnight, it
    changes in straight lines. Read it at `count` equally spaced times, the first at hour 0 and the spacing 24 divided
    by count. Return the population standard deviation (divisor count) of these readings as a number."""
    moments = np.linspace(0, 24, count, endpoint=False)
    return np.std(np.interp(moments, known, height, period=24))


@task(n=(3, 7), equivalent={"add -> polyadd": "for lists of equal length both go entry by entry"})
def there_and_back_crossfade(piano: Vector(Int(1, 30), "n"), organ: Vector(Int(1, 30), "n")):
    """Fade from `organ` to `piano` and back. The piano's gain runs in a straight line up from 0 at the first sample to
    1 halfway along and down to 0 at the last sample; with an even number of samples no sample lies exactly halfway. The
    organ's gain is always 1 minus the piano's. Return the mix, piano times its gain plus organ times its gain, as a
    list."""
    gain = np.bartlett(len(piano))
    return np.add(np.multiply(piano, gain), np.multiply(organ, np.subtract(1, gain)))
