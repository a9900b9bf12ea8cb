"""Bridges, cables, ramps, and the safety checks around them."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Choice, Float, Int, Matrix, Missing, PositiveDefinite, Vector
from sebench.bank.multi.checks_truth import AND, COUNT, NOT, OR

MODES = Choice(-2 + 0j, -1 + 3j, -1 - 3j, 0.5 + 0j, -0.3 + 0j, -4 + 1.5j, 0.2 - 2.5j, 0.2 + 2.5j)


@task
def modes_without_swing(modes: Vector(MODES, (6, 16))):
    """The vibration analysis of a footbridge yields complex numbers a + bi, the `modes`. A mode with b = 0 does not
    swing: it creeps back at the rate a. Return the rates of the modes that do not swing, in ascending order and with
    repeats, as a list (empty if every mode swings)."""
    return np.sort(np.real(np.extract(np.isreal(modes), modes)))


@task(
    equivalent={
        **COUNT,
        "iscomplex -> imag": "the imaginary part counts as true exactly if it is not zero",
    }
)
def damping_of_swinging_modes(modes: Vector(MODES, (6, 16))):
    """Of the complex `modes` a + bi of a suspension bridge only those with b other than zero swing. The damping ratio
    of a mode is -a divided by its distance from 0, the root of a² + b². Return a tuple of two: how many of the modes
    swing; the list of the damping ratios of those that do, in ascending order and with repeats."""
    swing = np.iscomplex(modes)
    swinging = np.extract(swing, modes)
    return np.count_nonzero(swing), np.sort(-np.real(swinging) / np.absolute(swinging))


@task(spans=(3, 10))
def lowest_cable(
    scale: Float(20, 90, 0), wide: Vector(Float(10, 90, 0), "spans"), high: Vector(Float(20, 60, 0), "spans")
):
    """Cables with the shape constant a = `scale` metres hang between masts: span by span, the two masts stand `wide`
    metres apart and are both `high` metres tall. With u = width divided by 2a, a cable sags by a times (hyperbolic
    cosine of u, less 1) and is 2a times the hyperbolic sine of u long. Return a tuple of two: the height above ground
    of the lowest point of the whole line, below zero if a cable would have to hang deeper than the ground; the metres
    of cable needed altogether."""
    u = np.divide(wide, 2 * scale)
    return np.min(high - scale * (np.cosh(u) - 1)), 2 * scale * np.sum(np.sinh(u))


@task(
    trusses=(8, 20),
    equivalent={
        **COUNT,
        **OR,
        **dict.fromkeys(
            (f"logical_or -> {name}" for name in ("not_equal", "logical_xor", "bitwise_xor")),
            "no corner is both narrow and wide",
        ),
        "greater_equal -> floor_divide": "how often the limit fits into a corner is nonzero exactly if it is reached",
    },
)
def blunt_truss_corners(
    left: Vector(Int(5, 8), "trusses"),
    right: Vector(Int(5, 8), "trusses"),
    base: Vector(Int(4, 9), "trusses"),
    sharp: Choice(39, 44, 47, 49),
    limit: Choice(60, 65, 68, 84),
):
    """Each triangle of a truss bridge has two slanted bars, `left` and `right`, and a `base`, all in metres. The cosine
    of the corner between the slanted bars is (left squared plus right squared minus base squared) divided by twice left
    times right. Every corner is rounded to whole degrees first. After that it needs a plate if it has fewer than
    `sharp` or at least `limit` degrees. Return a tuple of two: the list of the positions, from 0, of the corners that
    need a plate; the widest corner, rounded."""
    top = np.square(left) + np.square(right) - np.square(base)
    corners = np.rint(np.degrees(np.arccos(np.divide(top, 2 * np.multiply(left, right)))))
    plate = np.logical_or(np.less(corners, sharp), np.greater_equal(corners, limit))
    return np.flatnonzero(plate), np.max(corners)


@task(
    ladders=(8, 20),
    equivalent={
        **AND,
        **NOT,
        **dict.fromkeys(
            ("logical_and -> equal", "logical_and -> isclose"),
            "no ladder is both too flat and too steep, so both are never False",
        ),
        "greater_equal -> floor_divide": "below 140 degrees the quotient is 1 from 70 on, and 0 before",
    },
)
def ladders_set_up_badly(reach: Vector(Float(4, 5.2, 1), "ladders"), foot: Vector(Float(0.9, 1.8, 1), "ladders")):
    """Ladders lean against a bridge pier: each touches it `reach` metres up and stands `foot` metres away from it. A
    ladder is safe if it makes 70 to 78 degrees with the ground, both included, after rounding to whole degrees. Return
    the positions, from 0, of the ladders that are not safe, as a list."""
    slope = np.rint(np.degrees(np.arctan2(reach, foot)))
    safe = np.logical_and(np.greater_equal(slope, 70), np.less_equal(slope, 78))
    return np.flatnonzero(np.logical_not(safe))


@task(
    checks=(8, 20),
    equivalent={
        **NOT,
        **COUNT,
        "isclose: arguments 1 and 2 swapped": "the relative part of the tolerance is far below one kilonewton",
    },
)
def sensors_in_dispute(upper: Vector(Missing(Int(40, 46)), "checks"), lower: Vector(Missing(Int(40, 46)), "checks")):
    """Two sensors on the same bridge cable report its tension in whole kilonewtons: `upper` and `lower`. A failed
    reading is nan. They agree if they are at most 3 apart or if both failed. Return a tuple: the positions, from 0, of
    the readings at which they do not agree, as a list, and for how many readings at least one of the two failed."""
    agree = np.isclose(upper, lower, atol=3, equal_nan=True)
    failed = np.isnan(upper) | np.isnan(lower)
    return np.flatnonzero(np.logical_not(agree)), np.count_nonzero(failed)


@task
def steepest_part_of_the_ramp(heights: Vector(Int(0, 60), (4, 20)), spacing: Int(300, 900)):
    """The `heights` of a bridge ramp, in centimetres, were measured at points `spacing` centimetres apart along the
    ground. For wheelchairs only the slope angle of each stretch between neighbouring points matters, not whether it
    goes up or down. Return a tuple: the slope angle of the steepest stretch, and the average of the slope angles, both
    in degrees."""
    slopes = np.degrees(np.arctan(np.fabs(np.ediff1d(heights)) / spacing))
    return np.max(slopes), np.mean(slopes)


@task
def edges_of_test_cubes(volumes: Vector(Int(900, 4000), (5, 15))):
    """Concrete for a new bridge is tested with cubes, whose `volumes` in cubic centimetres were found by dipping them
    into water. The laboratory wants to know how alike they are. Return a tuple, in centimetres: the edge length in the
    middle when the edges are put in order (halfway between the two central ones for an even number), and how much
    longer the longest edge is than the shortest."""
    edges = np.cbrt(volumes)
    return np.median(edges), np.ptp(edges)


@task
def resonance_of_the_deck(response: Vector(Int(1, 30), (5, 15)), hertz: Choice(0.25, 0.7, 1.3, 4.5, 12, 60)):
    """A bridge deck was shaken at frequencies from 0.1 to 100 hertz, both included, each the same factor above the one
    before; `response` lists how far the deck moved at each, from the lowest frequency on. Return a tuple of two: the
    frequency with the strongest response (the lowest such frequency, if tied); the response to be expected at `hertz`
    hertz, if between two tested frequencies it runs in a straight line over the frequency in hertz."""
    tested = np.logspace(-1, 2, len(response))
    return tested[np.argmax(response)], np.interp(hertz, tested, response)


@task(cables=(3, 7), strands=(7, 12))
def cable_with_the_weakest_strands(pulls: Matrix(Int(40, 60), "cables", "strands"), weakest: Int(2, 6)):
    """Every row of `pulls` lists what the strands of one bridge cable can bear, in kilonewtons. An inspector rates a
    cable by the average of its `weakest` weakest strands (so many of them). Return a tuple: the position, from 0, of
    the cable with the lowest rating (the first, if tied), and that rating."""
    rating = np.mean(np.partition(pulls, weakest)[:, :weakest], axis=1)
    lowest = np.argmin(rating)
    return lowest, rating[lowest]


@task(piers=(3, 6))
def settling_piers(
    soil: Vector(Int(1, 9), "piers"), deck: PositiveDefinite("piers"), loads: Vector(Int(-40, 90), "piers")
):
    """The piers of a bridge sink by unknown amounts x under their `loads`. The `soil` below each pier pushes back with
    its stiffness times that pier's own x, and the deck, which joins the piers, with the square table `deck` times x;
    both together balance the loads. Return a tuple: the amounts x as a list, and the largest size that one of them has,
    sign ignored."""
    sunk = np.linalg.solve(np.add(np.diagflat(soil), deck), loads)
    return sunk, np.max(np.absolute(sunk))


@task(equivalent=COUNT)
def panels_that_hear_the_crack(rows: Int(3, 8), columns: Int(4, 12), reach: Choice(2, 3, 4, 6, 7)):
    """The deck of a bridge is a grid of panels, `rows` by `columns`, with their centres one metre apart in both
    directions. A crack sensor sits at the centre of a corner panel and covers the panels whose centre is at most
    `reach` metres away, in a straight line. Return a tuple of two: the number of panels it covers, its own included;
    the average distance of their centres from the sensor."""
    away = np.fromfunction(np.hypot, (rows, columns))
    heard = np.less_equal(away, reach)
    return np.count_nonzero(heard), np.mean(np.extract(heard, away))


@task(
    points=(3, 8),
    equivalent={
        "allclose: arguments 1 and 2 swapped": "the relative part of the tolerance is far below one millimetre"
    },
)
def same_deck_profile(spring: Vector(Int(0, 7), "points"), autumn: Vector(Int(0, 7), "points"), slack: Int(3, 6)):
    """The height of a bridge deck was surveyed at the same points in `spring` and in `autumn`, in millimetres above
    whatever level the surveyors had set up. To compare both, each season's heights are counted from the lowest of that
    season. Return a tuple: whether the two profiles differ by at most `slack` at every point, and how far the
    highest point lay above the lowest in autumn."""
    first = np.subtract(spring, np.min(spring))
    second = np.subtract(autumn, np.min(autumn))
    return np.allclose(first, second, atol=slack), np.ptp(autumn)
