"""Sequences filtered, compared, interpolated and treated piece by piece."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Choice, Cube, Float, Int, Matrix, Vector

PALINDROME = {"convolve -> correlate": "the weights read the same from both ends"}


@task(equivalent=PALINDROME)
def smoothed_seismogram(motion: Vector(Int(-20, 20), (10, 30)), width: Int(3, 8)):
    """A seismic `motion` is smoothed: each smoothed value is a weighted average of `width` readings in a row, with
    weights proportional to 0.54 - 0.46·cos(2πk/(width-1)) for k = 0 to width-1. Return the smoothed values of all
    stretches of that many readings, in order, as a list."""
    weights = np.hamming(width)
    return np.convolve(motion, weights / np.sum(weights), mode="valid")


@task
def one_bit_correlator(antenna: Vector(Int(-9, 9), (8, 25)), partner: Vector(Int(-9, 9), (3, 8))):
    """Early radio interferometers kept only -1, 0 or 1 of each sample, for negative, zero, positive. With n such
    samples of `antenna` and m of `partner`, the match at shift k, from -(m-1) to n-1, is the total of
    antenna[i+k]·partner[i] over those i for which both samples exist. Return a tuple: the k with the best match (the
    smallest such k in a tie), and that match."""
    scores = np.correlate(np.sign(antenna), np.sign(partner), mode="full")
    return (np.argmax(scores) - len(partner) + 1, np.max(scores))


@task(n=(5, 15))
def dosing_rates(
    logged: Vector(Int(0, 40), "n", unique=True, sorted=True),
    volume: Vector(Float(0, 50), "n", sorted=True),
    checks: Vector(Int(0, 40), (4, 12), unique=True, sorted=True),
):
    """The `volume` that a burette had let out was read at the minutes `logged`; between readings it rose in straight
    lines, before the first and after the last it stood still. Its rate between two of the ascending minutes `checks`
    that follow each other is the volume let out between them, per minute. Return a tuple: the highest and the lowest of
    these rates."""
    rates = np.divide(np.diff(np.interp(checks, logged, volume)), np.diff(checks))
    return np.max(rates), np.min(rates)


@task(equivalent={"convolve -> polymul": "the totals are the coefficients of a product; no list begins with 0"})
def loudest_moment_of_an_echo(voice: Vector(Int(-9, 9, but=(0,)), (6, 20)), echo: Vector(Int(-5, 5, but=(0,)), (2, 5))):
    """Every sample of `voice` sounds immediately, scaled by `echo`[0], again one step later scaled by `echo`[1], and so
    on; overlapping sounds add up, and the tail is kept in full. Return a tuple: the step (from 0) at which the sound is
    loudest, whether above or below zero (the first such step), and the whole sound as a list, scaled by a positive
    factor so that the loudest sample has size 1."""
    wet = np.convolve(voice, echo)
    return np.argmax(np.absolute(wet)), wet / np.max(np.absolute(wet))


@task(mics=(3, 7), n=(5, 12))
def microphone_peaks(tracks: Matrix(Int(-9, 9), "mics", "n"), room: Vector(Int(-4, 4), (2, 5))):
    """In a hall every sound echoes. Rows of `tracks` are what microphones would have recorded without echo, n samples
    each, and the m numbers of `room` tell how the hall answers a single sample. A microphone's output has n + m - 1
    values: value i is the total of room[j]·row[i-j] over all j, where the row counts as 0 outside its samples. Return
    the greatest output of each microphone, as a list."""
    return np.max(np.apply_along_axis(np.convolve, 1, tracks, room), axis=1)


@task(n=(6, 12), stations=(3, 7))
def template_range_per_station(waves: Matrix(Int(-6, 6), "n", "stations"), template: Vector(Int(-3, 3), (3, 4))):
    """Columns of `waves` are seismic stations, rows are moments. At each place of a column where the whole `template`,
    laid downwards, fits, its score is the total of the products of the readings and the template values beside them.
    Return for every station how far its highest score is above its lowest, as a list."""
    return np.ptp(np.apply_along_axis(np.correlate, 0, waves, template), axis=0)


@task(rows=(4, 8), cols=(4, 10))
def stars_above_the_sky(exposure: Matrix(Int(0, 60), "rows", "cols")):
    """The sky background of an `exposure` (rows of pixel counts) is the middle one of the columns' middle values (with
    an even number of values, halfway between the two central ones). A pixel shines by what it has above the background,
    and by 0 if it has less. Return the table of how much each pixel shines, as a list of rows."""
    background = np.apply_over_axes(np.median, np.array(exposure), [0, 1])
    return np.maximum(np.subtract(exposure, background), 0)


@task(years=(2, 4), branches=(3, 8), days=(3, 6))
def branch_shares(loans: Cube(Int(1, 9), "years", "branches", "days")):
    """The numbers of `loans` in a library are nested year, branch, weekday. Return a tuple of two: the share that each
    branch has in the loans of all years and weekdays, as a flat list with one number per branch; the position (from 0)
    of the branch with the most loans, the first of equals."""
    totals = np.ravel(np.apply_over_axes(np.sum, np.array(loans), [0, 2]))
    return totals / np.sum(totals), np.argmax(totals)


@task
def compressor_curve(levels: Vector(Choice(0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0), (6, 20))):
    """A studio compressor treats sound `levels` by two rules: a level below 2 is squared, a level of 2 or more is
    replaced by its binary logarithm. Return a tuple: the treated levels as a list, and their average."""
    treated = np.piecewise(levels, [np.less(levels, 2)], [np.square, np.log2])
    return treated, np.mean(treated)


@task(
    equivalent={
        "floor -> trunc": "no book is returned a negative number of days late",
        "greater_equal -> floor_divide": "as a condition, the whole quotient holds exactly from 14 on",
    }
)
def late_fees(days: Vector(Choice(0.5, 1.5, 2.0, 3.5, 6.5, 9.0, 13.5, 14.0, 20.5), (6, 20))):
    """`days` says for each book how many days late it was returned (fractions happen). The library charges nothing
    below 2 days, a flat 15 from 14 days on, and otherwise 1 per completed day. Return what all the fees come to, as a
    number."""
    fees = np.piecewise(days, [np.less(days, 2), np.greater_equal(days, 14)], [0, 15, np.floor])
    return np.sum(fees)


@task
def crystal_detector_charge(
    voltage: Vector(Choice(-0.6, -0.2, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9), (6, 20)), knee: Choice(0.2, 0.3, 0.5)
):
    """A crystal radio's diode passes the current e^v - 1 for a `voltage` v above the `knee` and nothing otherwise.
    There is one reading per millisecond, and the current changes in straight lines from reading to reading. Return the
    charge that has passed, the area under the current over the milliseconds, as a number."""
    current = np.piecewise(voltage, [np.greater(voltage, knee)], [np.expm1, 0])
    return np.trapezoid(current)


@task(
    n=(4, 12),
    equivalent={"linspace: arguments 1 and 2 swapped": "hour 24 is hour 0, so the times are the same in another order"},
)
def scatter_of_tides(
    known: Vector(Int(0, 23), "n", unique=True, sorted=True), height: Vector(Float(0, 9), "n"), count: Int(3, 12)
):
    """Water `height` at clock hours `known` repeats every 24 hours; between known hours, also across midnight, it
    changes in straight lines. A gauge shows it `count` times a day, first at hour 0 and then every 24 divided by count
    hours. Return the population standard deviation (divisor count) of what the gauge shows, as a number."""
    moments = np.linspace(0, 24, count, endpoint=False)
    return np.std(np.interp(moments, known, height, period=24))


@task(n=(6, 20))
def there_and_back_crossfade(piano: Vector(Int(-30, 30), "n"), organ: Vector(Int(-30, 30), "n")):
    """A mix fades from `organ` to `piano` and back. The piano's gain runs in a straight line up from 0 at the first
    sample to 1 halfway along and down to 0 at the last; with an even number of samples no sample lies exactly halfway.
    The organ's gain is always 1 minus the piano's. Return a tuple about the mix: its peak, the largest sample without
    sign, and its energy, all samples squared and added up."""
    gain = np.bartlett(len(piano))
    mix = piano * gain + organ * (1 - gain)
    return np.max(np.absolute(mix)), np.sum(np.square(mix))


@task(
    equivalent={
        "correlate: arguments 1 and 2 swapped": "the matches come in reverse order, which changes neither answer"
    }
)
def pulses_in_a_recording(recording: Vector(Int(-9, 9), (12, 30)), width: Int(4, 9)):
    """Heart beats are bell-shaped pulses of `width` samples, with values 0.5 - 0.5·cos(2πk/(width-1)) for k = 0 to
    width-1. The match of a pulse at some place of a `recording` is the total of its values times the samples that it
    lies on; only places where the whole pulse fits are looked at. Return a tuple: the best match, and the middle one of
    the matches (halfway between the two middle ones if their number is even)."""
    matches = np.correlate(recording, np.hanning(width))
    return np.max(matches), np.median(matches)


@task(equivalent=PALINDROME)
def soft_low_pass(sound: Vector(Int(-20, 20), (12, 30)), cutoff: Float(0.05, 0.45, 2), beta: Float(1, 8)):
    """A low-pass filter has nine taps, k = -4 to 4. Tap k is sin(πx)/(πx) at x = 2·`cutoff`·k (1 at x = 0), times the
    window I0(`beta`·√(1 - (k/4)²)) / I0(`beta`) with the modified Bessel function of order zero; then all taps are
    scaled by one factor so that they add up to 1. Each filtered value is the total of taps times nine neighbouring
    values of `sound`. Return the filtered values of all places with nine neighbours, as a list."""
    taps = np.sinc(2 * cutoff * np.arange(-4, 5)) * np.kaiser(9, beta)
    return np.convolve(sound, taps / np.sum(taps), mode="valid")
