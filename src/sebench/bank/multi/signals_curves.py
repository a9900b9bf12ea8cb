"""Polynomials at work: dosing curves, calibrations, filters, orbits."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Float, Int, Matrix, Vector


@task(n=(5, 7))
def uptake_speed(
    minutes: Vector(Int(0, 20), "n", unique=True, sorted=True), level: Vector(Float(0, 9), "n"), moment: Int(0, 20)
):
    """Blood tests gave the `level` of a drug at several `minutes`. Fit a parabola to these points by least squares and
    return its slope at `moment` (level units per minute) as a number."""
    return np.polyval(np.polyder(np.polyfit(minutes, level, 2)), moment)


@task(
    equivalent={
        "polymul -> convolve": "the coefficients of a product are the convolution; leading zeros change no value"
    }
)
def infused_amount(strength: Vector(Int(0, 9), (2, 3)), flow: Vector(Int(1, 5), 2), stop: Float(0.5, 4)):
    """An infusion's concentration and its flow both change with time t as polynomials; `strength` and `flow` list
    their coefficients, highest power first. The amount given per hour is the product of the two. Return the total
    amount from t = 0 to t = `stop`, found by integrating the product exactly, as a number."""
    return np.polyval(np.polyint(np.polymul(strength, flow)), stop)


@task
def rejection_of_probes(notches: Vector(Int(-5, 5), (2, 3)), probes: Vector(Float(-6, 6), (3, 6))):
    """A notch filter is the monic polynomial that vanishes exactly at the positions `notches` (a position listed twice
    counts double). Return, for every one of the `probes`, the magnitude of the polynomial's value there, as a list."""
    return np.absolute(np.polyval(np.poly(notches), probes))


@task(equivalent={"sort -> unique": "the two places always differ"})
def hill_and_valley_heights(lead: Float(0.5, 4), bend: Float(-5, 5), slope: Float(-9, -0.5), base: Float(-9, 9)):
    """The roller coaster track y = `lead`·x³ + `bend`·x² + `slope`·x + `base` has lead above and slope below zero, so it
    levels off at exactly two places. Find these two x from the derivative, arrange them in ascending order, and return
    the heights y at them as a list of two numbers."""
    curve = [lead, bend, slope, base]
    return np.polyval(curve, np.sort(np.roots(np.polyder(curve))))


@task(equivalent={"polysub: arguments 1 and 2 swapped": "a polynomial and its negative vanish at the same places"})
def tank_catches_up(growth: Float(0.5, 4), start: Float(0, 4), demand: Float(1, 6), backlog: Float(0.5, 9)):
    """A fermentation tank has produced `growth`·t² + `start`·t litres by hour t; customers want `demand`·t + `backlog`
    litres by then. The two polynomials agree at one negative and one positive time t. Return the positive one, at which
    production catches up, as a number."""
    gap = np.polysub([growth, start, 0], [demand, backlog])
    return np.max(np.roots(gap))


@task
def swing_of_two_antennas(
    mast: Vector(Int(-4, 4), (2, 3)), dish: Vector(Int(-4, 4), (3, 4)), tilts: Vector(Int(-3, 3), (3, 6))
):
    """Gains of a mast and of a dish as functions of tilt are polynomials with coefficients `mast` and `dish`, highest
    power first, not always of the same degree. Add the two polynomials, evaluate the sum at all `tilts`, and return
    the distance between the largest and the smallest value as a number."""
    return np.ptp(np.polyval(np.polyadd(mast, dish), tilts))


@task
def long_division_of_filters(
    left: Vector(Int(1, 9), (4, 5)), right: Vector(Int(1, 9), (2, 3)), p: Int(-3, 3), q: Int(-3, 3), x: Float(-2, 2)
):
    """Numerators `left` and `right` of two parallel filters (coefficients, highest power first) are added as
    polynomials. The sum is divided by x² + `p`·x + `q` with remainder. Return a tuple: the list of coefficients of the
    quotient, and the remainder's value at `x` as a number."""
    quotient, rest = np.polydiv(np.polyadd(left, right), [1, p, q])
    return (quotient, np.polyval(rest, x))


@task
def strongest_shaking(shift: Vector(Int(-5, 5), (4, 5)), times: Vector(Float(0, 3), (2, 6))):
    """During a small earthquake the ground's displacement is a polynomial of time with coefficients `shift`, highest
    power first. Its second derivative is the acceleration. Evaluate that at all `times` and return the greatest
    magnitude of acceleration among them as a number."""
    return np.max(np.absolute(np.polyval(np.polyder(shift, m=2), times)))


# Constant: what is left over would be rounding noise around 0.
@task(
    n=(3, 6),
    without=("constant",),
    equivalent={"subtract -> polysub": "for lists of equal length both go entry by entry"},
)
def fading_star_leftovers(
    nights: Vector(Int(0, 30), "n", unique=True, sorted=True), magnitude: Vector(Float(4, 12), "n", sorted=True)
):
    """An old star fades, and so its magnitude goes up. Fit a straight line by least squares to the `magnitude` over the
    `nights`, and take the line's value away from every observation. Return what is left over, observation by
    observation, as a list."""
    line = np.polyfit(nights, magnitude, 1)
    return np.subtract(magnitude, np.polyval(line, nights))


@task(n=(5, 7))
def concentration_from_colour(
    standards: Vector(Int(0, 20), "n", unique=True, sorted=True),
    colour: Vector(Float(0.1, 9), "n", unique=True, sorted=True),
    unknown: Vector(Float(6, 9), (2, 5)),
):
    """A photometer measured the `colour` depth of solutions with the known concentrations `standards`. Fit colour =
    a·concentration + b by least squares. Then work backwards: a colour in `unknown`, less b, is a times the
    concentration that made it. Return these concentrations as a list."""
    a, b = np.polyfit(standards, colour, 1)
    return np.divide(np.subtract(unknown, b), a)


@task
def node_weights(nodes: Vector(Int(-6, 6), (2, 4), unique=True)):
    """An orbit table is interpolated from distinct times `nodes`. Each node's weight is one over the slope, at that
    node, of the polynomial with leading coefficient 1 that vanishes at all nodes. Return the weights in the order of
    the nodes, as a list."""
    return np.reciprocal(np.polyval(np.polyder(np.poly(nodes)), nodes))


@task
def amplifier_response(
    nulls: Vector(Int(-5, 5), (1, 2)), poles: Vector(Int(-6, -1), (2, 3)), inputs: Vector(Float(0, 5), (2, 5))
):
    """An amplifier's response is a fraction of two polynomials with leading coefficient 1: the upper one vanishes at
    `nulls`, the lower one at `poles` (repeats count). Evaluate both at each of the `inputs` and return upper divided
    by lower, as a list."""
    return np.divide(np.polyval(np.poly(nulls), inputs), np.polyval(np.poly(poles), inputs))


@task
def highest_balloon_reading(
    climb: Vector(Int(-3, 6), (2, 3)), ground: Float(200, 400), times: Vector(Int(1, 5), (2, 5))
):
    """A weather balloon with a radio starts at height `ground` at time 0 and climbs (or sinks, if below zero) at a speed
    that is a polynomial of time, coefficients `climb`, highest power first. It sends its exact height at each of the
    `times`. Return the greatest height sent, as a number."""
    return np.max(np.polyval(np.polyint(climb, k=ground), times))


@task(n=(3, 6))
def forecast_from_batches(
    dose: Vector(Int(1, 20), "n", unique=True, sorted=True),
    effect: Vector(Float(0, 9), "n"),
    plants: Vector(Int(1, 40), "n"),
    planned: Int(4, 16),
):
    """Each `effect` is an average over a batch of plants that got the same `dose`; `plants` counts the plants of each
    batch. Fit a straight line, effect over dose, in which the error of every batch is multiplied by the square root of
    its plant count before errors are squared and summed. Return the line's effect at the `planned` dose as a number."""
    return np.polyval(np.polyfit(dose, effect, 1, w=np.sqrt(plants)), planned)


# Constant: all slopes would be rounding noise around 0.
@task(n=(3, 5), tubes=(2, 4), without=("constant",))
def spread_of_rise_angles(
    hours: Vector(Int(0, 12), "n", unique=True, sorted=True), levels: Matrix(Float(0, 9), "n", "tubes")
):
    """`levels` holds how high the liquid stands in several test tubes: one row for each of the `hours`, one column per
    tube. Fit a least-squares straight line over the hours to each tube and turn its slope into the angle of rise in
    degrees (the angle whose tangent is the slope; below zero for a falling line). Return the largest of these angles
    less the smallest, as a number."""
    slopes = np.polyfit(hours, levels, 1)[0]
    return np.ptp(np.degrees(np.arctan(slopes)))
