"""Polynomials at work: dosing curves, calibrations, filters, orbits."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Choice, Float, Int, Matrix, Vector

FLAT_DIFFERENCE = {"subtract -> polysub": "for lists of equal length both go entry by entry"}
PRODUCT = {"polymul -> convolve": "the coefficients of a product are the convolution; leading zeros change no value"}


@task(n=(8, 20))
def uptake_speed(
    minutes: Vector(Int(0, 40), "n", unique=True, sorted=True),
    level: Vector(Float(0, 9), "n"),
    moments: Vector(Int(0, 40), (3, 8)),
):
    """Blood tests gave the `level` of a drug at several `minutes`. Over time the level is taken to follow the
    polynomial of degree 3 that has the least total of squared errors at these points. How fast does it then change at
    each of the `moments`, in level units per minute? Return a list, below zero where the level falls."""
    return np.polyval(np.polyder(np.polyfit(minutes, level, 3)), moments)


@task(equivalent=PRODUCT)
def infused_amounts(
    strength: Vector(Int(0, 9), (3, 5)), flow: Vector(Int(1, 5), (2, 3)), checks: Vector(Float(0, 4), (4, 12))
):
    """An infusion's concentration and its flow both change with time t as polynomials; `strength` and `flow` list their
    coefficients, highest power first. At any time, the patient gets concentration times flow per hour. Return the exact
    amounts that the patient has got since t = 0 at each of the times `checks`, as a list."""
    return np.polyval(np.polyint(np.polymul(strength, flow)), checks)


@task
def rejection_of_probes(notches: Vector(Int(-5, 5), (2, 4)), probes: Vector(Float(-6, 6), (6, 20))):
    """A notch filter is the polynomial with leading coefficient 1 that vanishes exactly at the positions `notches` (a
    position listed twice counts double). It rejects a probe by the size of its value at the probe, without sign. Return
    a tuple about the `probes`: the largest rejection of any of them, and the middle one (halfway between the two middle
    ones if their number is even)."""
    rejections = np.absolute(np.polyval(np.poly(notches), probes))
    return np.max(rejections), np.median(rejections)


@task(equivalent={"sort -> unique": "the two places always differ"})
def hill_and_valley_heights(lead: Float(0.5, 4), bend: Float(-5, 5), slope: Float(-9, -0.5), base: Float(-9, 9)):
    """The roller coaster track y = `lead`·x³ + `bend`·x² + `slope`·x + `base` has lead above and slope below zero, so
    it is level at exactly two places, a hill and a valley. Return the heights y of these places as a list of two
    numbers, the one with the smaller x first."""
    curve = [lead, bend, slope, base]
    return np.polyval(curve, np.sort(np.roots(np.polyder(curve))))


@task(
    without=("large",),
    equivalent={"polysub: arguments 1 and 2 swapped": "a polynomial and its negative vanish at the same places"},
)
def tank_catches_up(growth: Vector(Float(0.2, 4), (1, 3)), wanted: Vector(Float(0.5, 9), 2)):
    """A fermentation tank has produced p(t)·t² litres by hour t, where the polynomial p has one to three coefficients,
    `growth`, highest power first; customers want a·t + b litres by then, where [a, b] is `wanted`. All these numbers
    are above zero. For so few of them production and wants agree at exactly one positive time, and all other numbers at
    which they agree, complex or not, lie left of 0. Return the positive time, at which production catches up."""
    gap = np.polysub([*growth, 0, 0], wanted)
    return np.max(np.real(np.roots(gap)))


@task(
    equivalent={
        **PRODUCT,
        "polysub: arguments 1 and 2 swapped": "the difference is squared, so its sign cancels",
    }
)
def quarrel_of_two_designers(
    first: Vector(Int(-3, 6), (2, 3)), second: Vector(Int(-3, 6), (3, 4)), places: Vector(Float(0, 3), (4, 12))
):
    """Two designers propose the height of a slide as polynomials of the place x, with the coefficients `first` and
    `second`, highest power first. Their quarrel up to x is the area, from place 0 to x, under the squared difference of
    both heights. Return the exact quarrels up to each of the `places`, as a list."""
    gap = np.polysub(first, second)
    return np.polyval(np.polyint(np.polymul(gap, gap)), places)


@task
def long_division_of_filters(
    left: Vector(Int(1, 9), (4, 6)),
    right: Vector(Int(1, 9), (2, 4)),
    low: Vector(Int(-3, 3), 2),
    points: Vector(Float(-2, 2), (4, 12)),
):
    """Two parallel filters have the numerators `left` and `right`, polynomials with their coefficients from the highest
    power down, and the common denominator x² + p·x + q, where [p, q] is `low`. Together they act as a polynomial plus a
    proper fraction (its numerator is of lower degree than the denominator). Return a tuple: the coefficients of that
    polynomial as a list, highest power first, and the values of the fraction's numerator at all `points`, as a list."""
    quotient, rest = np.polydiv(np.polyadd(left, right), [1, *low])
    return quotient, np.polyval(rest, points)


@task
def distance_from_the_trend(
    upper: Vector(Int(1, 9), (4, 6)), lower: Vector(Int(1, 9), (2, 3)), years: Vector(Float(1, 9), (5, 15))
):
    """A population follows a fraction of two polynomials of the year, `upper` over `lower` (coefficients, highest power
    first). Its trend is the polynomial part that is left when the fraction is divided out; the remainder over `lower`
    is the distance from the trend. Return a tuple: a list of the trend's values in all `years`, and the greatest
    distance without sign in any of them."""
    trend, rest = np.polydiv(upper, lower)
    distance = np.polyval(rest, years) / np.polyval(lower, years)
    return np.polyval(trend, years), np.max(np.absolute(distance))


@task
def strongest_shaking(shift: Vector(Int(-5, 5), (4, 7)), times: Vector(Float(0, 3), (6, 20))):
    """During a small earthquake the ground's displacement is a polynomial of time with coefficients `shift`, highest
    power first. Acceleration is its second derivative. Return the greatest acceleration, without sign, at any of the
    `times`, as a number."""
    return np.max(np.absolute(np.polyval(np.polyder(shift, m=2), times)))


# Constant: what is left over would be rounding noise around 0.
@task(
    n=(6, 20),
    without=("constant",),
    equivalent={
        **FLAT_DIFFERENCE,
        "subtract: arguments 1 and 2 swapped": "only sizes and squares of the distances count",
    },
)
def scatter_of_a_fading_star(
    nights: Vector(Int(0, 60), "n", unique=True, sorted=True), magnitude: Vector(Float(4, 12), "n")
):
    """A star's `magnitude` was observed in several `nights` and is taken to change along the parabola with the least
    total of squared errors. Return a tuple: the largest distance of an observation from the parabola, without sign, and
    the scatter: the square root of the total of squared distances divided by the number of observations less 3."""
    curve = np.polyfit(nights, magnitude, 2)
    left = np.subtract(magnitude, np.polyval(curve, nights))
    return np.max(np.absolute(left)), np.sqrt(np.sum(left * left) / (len(nights) - 3))


@task(
    n=(6, 15),
    equivalent={
        "clip: arguments 1 and 2 swapped": "0 held between a value and the top is the value held from 0 to the top"
    },
)
def concentration_from_colour(
    standards: Vector(Int(0, 20), "n", unique=True, sorted=True),
    colour: Vector(Float(0.1, 9), "n", unique=True, sorted=True),
    unknown: Vector(Float(0, 9), (4, 12)),
):
    """A photometer measured the `colour` depth of solutions with the known concentrations `standards`, in ascending
    order; colour is taken as a·concentration + b, with a and b of the least total of squared errors. Which
    concentrations made the colours in `unknown`? What would lie below 0 is reported as 0, and above the greatest
    standard as that standard. Return a tuple: the reported concentrations as a list, and their average."""
    a, b = np.polyfit(standards, colour, 1)
    reported = np.clip(np.subtract(unknown, b) / a, 0, standards[-1])
    return reported, np.mean(reported)


@task
def node_weights(nodes: Vector(Int(-8, 8), (3, 6), unique=True)):
    """An orbit table is interpolated from the distinct times `nodes`. Consider the polynomial with leading coefficient
    1 that vanishes at the nodes and nowhere else: a node's weight is one over the slope of this polynomial at the node.
    Return the weights in the order of the nodes, as a list."""
    return np.reciprocal(np.polyval(np.polyder(np.poly(nodes)), nodes))


@task
def amplifier_gain_in_decibels(
    nulls: Vector(Int(-6, -1), (1, 3)), poles: Vector(Int(-6, -1), (2, 4)), inputs: Vector(Float(0, 9), (5, 15))
):
    """An amplifier's response is a fraction of two polynomials with leading coefficient 1: the upper one vanishes at
    the `nulls`, the lower one at the `poles` (repeats count), and nowhere else. It is positive at all the `inputs`. Its
    gain in decibels is 20 times the decimal logarithm of the response. Return a tuple of two: the list of the gains at
    the inputs; the average gain."""
    gains = 20 * np.log10(np.polyval(np.poly(nulls), inputs) / np.polyval(np.poly(poles), inputs))
    return gains, np.mean(gains)


@task
def highest_balloon_reading(
    climb: Vector(Int(-3, 6), (2, 4)), ground: Float(200, 400), times: Vector(Int(1, 9), (5, 9))
):
    """A weather balloon with a radio starts at height `ground` at time 0 and climbs (or sinks, if below zero) at a
    speed that is a polynomial of time, coefficients `climb`, highest power first. It sends its exact height at each of
    the `times`. Return a tuple: the greatest height sent, and how far it is above the lowest height sent."""
    heights = np.polyval(np.polyint(climb, k=ground), times)
    return np.max(heights), np.ptp(heights)


@task(n=(5, 15))
def forecast_from_batches(
    dose: Vector(Int(1, 30), "n", unique=True, sorted=True),
    effect: Vector(Float(0, 9), "n"),
    plants: Vector(Int(1, 40), "n"),
    planned: Vector(Int(1, 30), (4, 10)),
):
    """Each `effect` is an average over a batch of plants that got the same `dose`; `plants` counts the plants of each
    batch. The effect is taken as a parabola over the dose, the one with the least total, over the batches, of plant
    count times squared error. Return a tuple: the parabola's effects at the `planned` doses as a list, and the average
    of these effects."""
    effects = np.polyval(np.polyfit(dose, effect, 2, w=np.sqrt(plants)), planned)
    return effects, np.mean(effects)


# Constant: all slopes would be rounding noise around 0.
@task(n=(4, 12), tubes=(3, 8), without=("constant",))
def spread_of_rise_angles(
    hours: Vector(Int(0, 24), "n", unique=True, sorted=True), levels: Matrix(Float(0, 9), "n", "tubes")
):
    """`levels` holds how high the liquid stands in several test tubes: one row for each of the `hours`, one column per
    tube. A tube's slope is that of its straight line of least squared errors, level over hours, and its rise is the
    angle in degrees whose tangent is the slope (below zero for a falling line). Return how far the largest rise is
    above the smallest, as a number."""
    slopes = np.polyfit(hours, levels, 1)[0]
    return np.ptp(np.degrees(np.arctan(slopes)))


@task(equivalent=PRODUCT)
def likeliest_total_of_odd_dice(
    red: Vector(Int(1, 4), (3, 8)), blue: Vector(Int(1, 4), (3, 8)), bonus: Choice(0, 1, 3)
):
    """Two odd dice have numbers from 0 up: `red`[k] faces of the red one show k, and so with `blue`. A throw scores the
    numbers of both dice plus `bonus`. (The counts of pairs of faces, by total, are the coefficients of a product of two
    polynomials.) Return a tuple: the score that is most likely, the lowest of equals, and its probability."""
    ways = np.polymul(red, blue)
    return np.argmax(ways) + bonus, np.max(ways) / np.sum(ways)
