"""Edge rules of interpolation, correlation and windows that no training task shows."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Choice, Complex, Either, Float, Int, Matrix, Vector


@task(usage="fp holds complex numbers", page="floats or complex numbers", n=(4, 8))
def impedance_between_frequencies(
    asked: Vector(Float(0, 30), (5, 12)),
    frequencies: Vector(Int(0, 30), "n", unique=True, sorted=True),
    impedances: Vector(Complex(), "n"),
):
    """A coil was measured at ascending `frequencies`; `impedances` has the complex number found at each. Between two
    measured frequencies the value moves evenly along the straight line from one number to the other; below the first
    and above the last frequency it stays what it is there. Return the values at the frequencies in `asked`, as a list
    of complex numbers."""
    return np.interp(asked, frequencies, impedances)


@task(usage="a holds complex numbers", page="is conjugated if it is complex", k=(2, 4))
def radar_echo_match(echo: Vector(Complex(), (8, 16)), pulse: Vector(Complex(), "k")):
    """A radar sent a short complex `pulse` and recorded the longer complex `echo`. Lay the pulse over the echo, first
    at its start, then one place further and so on as long as it fits completely. At each place multiply every echo
    value by the conjugate of the pulse value over it, and add these products. Return the totals as a list."""
    return np.correlate(echo, pulse)


@task(usage="M is negative", page="If zero or less, an empty array is returned")
def fade_that_may_vanish(points: Either(Int(0, 16), Int(-3, -1))):
    """A sound editor fades a clip in and out along a triangle: the first and the last weight are 0, in between weights
    rise evenly to the middle and fall evenly after it, and in the very middle the triangle reaches 1. Return the
    weights for `points` points as a list; one point gets the weight 1, and with 0 or fewer points the list is empty."""
    return np.bartlett(points)


@task(usage="M is negative", page="If zero or less, an empty array is returned")
def antenna_taper(elements: Either(Int(0, 12), Int(-2, -1)), shape: Choice(0, 2, 4.5, 6, 8.6)):
    """Antenna elements get weights. Weight n of N, counted from 0, is B(s √(1 - x^2)) / B(s) with x = 2n / (N - 1) - 1,
    where s is `shape`, N is `elements` and B is the modified Bessel function of the first kind and order 0; a single
    element has the weight 1. The planner subtracts broken elements from working ones, so that N can be zero or even
    negative: then there are no weights. Return the list of weights."""
    return np.kaiser(elements, shape)


@task(usage="x has 2 dimensions", page="The interpolated values, in the shape of", n=(4, 8))
def snow_depth_on_the_map(
    map_heights: Matrix(Int(0, 40), (3, 6), (3, 7)),
    stations: Vector(Int(0, 40), "n", unique=True, sorted=True),
    depths: Vector(Int(0, 90), "n"),
):
    """Weather stations stand at the ascending heights `stations` and report snow `depths`. `map_heights` is a grid of
    heights, a list of rows. Estimate the snow at each point of the grid from its height: between two stations along the
    straight line between their depths, below the lowest and above the highest station what that station reports.
    Return a grid of the same layout."""
    return np.interp(map_heights, stations, depths)


@task(usage="mode is 'same'", n=(8, 16))
def echo_filter_centre(voice: Vector(Int(-9, 9), "n"), kernel: Vector(Int(-4, 4), 3)):
    """Filter `voice` with a three-point `kernel`: output i is kernel[0]·voice[i+1] + kernel[1]·voice[i] +
    kernel[2]·voice[i-1], and samples beyond either end count as zero. Return the filtered list, as long as the
    voice."""
    return np.convolve(voice, kernel, mode="same")
