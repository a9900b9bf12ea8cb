"""Bridges, cables, ramps, and the safety checks around them."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Choice, Float, Int, Missing, Vector
from sebench.bank.multi.checks_truth import AND, NOT

MODES = Choice(-2 + 0j, -1 + 3j, -1 - 3j, 0.5 + 0j, -0.3 + 0j, -4 + 1.5j, 0.2 - 2.5j)


@task
def modes_without_swing(modes: Vector(MODES, (4, 8))):
    """The vibration analysis of a footbridge yields complex numbers, the `modes`. A mode does not swing if its
    imaginary part is zero. Return the real parts of the modes that do not swing, in ascending order and with repeats,
    as a list."""
    return np.sort(np.real(np.extract(np.isreal(modes), modes)))


@task(equivalent={"iscomplex -> imag": "the imaginary part counts as true exactly if it is not zero"})
def swinging_frequencies(modes: Vector(MODES, (4, 8))):
    """Of the complex `modes` of a suspension bridge only those with an imaginary part other than zero swing. The
    frequency of such a mode is the size of its imaginary part, sign ignored, divided by two pi. Return the frequencies
    of the swinging modes in the given order, as a list."""
    swinging = np.extract(np.iscomplex(modes), modes)
    return np.divide(np.absolute(np.imag(swinging)), 2 * np.pi)


@task
def sag_and_cable(scale: Float(20, 90, 0), spans: Vector(Float(10, 120, 0), (2, 5))):
    """Cables with the shape constant a = `scale` metres hang between masts that stand `spans` metres apart. With u =
    span divided by 2a, the sag is a times (hyperbolic cosine of u, less 1), and the length of the cable is 2a times the
    hyperbolic sine of u. Return the list of sags and the list of lengths, as a tuple."""
    u = np.divide(spans, 2 * scale)
    return scale * (np.cosh(u) - 1), 2 * scale * np.sinh(u)


@task(trusses=(2, 5))
def truss_corner(
    left: Vector(Int(5, 8), "trusses"), right: Vector(Int(5, 8), "trusses"), base: Vector(Int(4, 9), "trusses")
):
    """Each triangle of a truss bridge has two slanted bars, `left` and `right`, and a `base`, all in metres. The cosine
    of the angle between the slanted bars is (left squared plus right squared less base squared) divided by twice left
    times right. Return the angles in degrees, as a list."""
    top = np.square(left) + np.square(right) - np.square(base)
    return np.degrees(np.arccos(np.divide(top, 2 * np.multiply(left, right))))


@task(
    ladders=(7, 9),
    equivalent={
        **AND,
        **dict.fromkeys(
            ("logical_and -> equal", "logical_and -> isclose"),
            "no angle is both below 70 and above 78, so both are never False",
        ),
        "greater_equal -> floor_divide": "below 140 degrees the quotient is 1 from 70 on, and 0 before",
    },
)
def ladders_set_up_safely(reach: Vector(Float(4, 5.2, 1), "ladders"), foot: Vector(Float(0.9, 1.8, 1), "ladders")):
    """Ladders lean against a bridge pier: each touches it `reach` metres up and stands `foot` metres away from it. Work
    out the angle between ladder and ground in degrees and round it to a whole number. A ladder is safe from 70 to 78
    degrees, both included. Return for each ladder whether it is safe, as a list of True and False."""
    slope = np.rint(np.degrees(np.arctan2(reach, foot)))
    return np.logical_and(np.greater_equal(slope, 70), np.less_equal(slope, 78))


@task(
    checks=(5, 9),
    equivalent={
        **NOT,
        "isclose: arguments 1 and 2 swapped": "the relative part of the tolerance is far below one kilonewton",
    },
)
def sensors_in_dispute(upper: Vector(Missing(Int(40, 46)), "checks"), lower: Vector(Missing(Int(40, 46)), "checks")):
    """Two sensors on the same bridge cable report its tension in whole kilonewtons: `upper` and `lower`. A failed
    reading is nan. They agree if they are at most 3 apart or if both failed. Return the positions, from 0, of the
    readings at which they do not agree, as a list."""
    agree = np.isclose(upper, lower, atol=3, equal_nan=True)
    return np.flatnonzero(np.logical_not(agree))


@task
def steepest_part_of_the_ramp(heights: Vector(Int(0, 120), (3, 7)), spacing: Int(300, 900)):
    """The `heights` of a bridge ramp, in centimetres, were measured at points `spacing` centimetres apart along the
    ground. For each stretch between neighbouring points take the rise divided by the spacing and from that the slope
    angle in degrees, downhill being below zero. Return a tuple: the angles as a list, and the position, from 0, of the
    stretch that climbs most (the first, if tied)."""
    rise = np.diff(heights)
    return np.degrees(np.arctan(np.divide(rise, spacing))), np.argmax(rise)
