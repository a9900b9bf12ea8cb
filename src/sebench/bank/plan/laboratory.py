"""Laboratory and workshop: lost readings, alternating current, noise, points in space, curves."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Choice, Complex, Int, Matrix, Missing, Vector
from sebench.bank.plan import TRUTHS, either_way


@task(equivalent=TRUTHS)
def summary_of_a_broken_series(readings: Vector(Missing(Int(-20, 50)), (6, 80))):
    """Lost entries of the series `readings` are nan; the others are called kept. Return a tuple of four: number of lost
    entries; list of the three quartiles of the kept entries (the points one, two and three quarters of the way through
    them in order, on a straight line between the two nearest if a point falls between them); position from 0, in the
    whole series, of the highest entry, the first in a tie; standard deviation of the kept entries with their number as
    divisor."""
    lost = np.count_nonzero(np.isnan(readings))
    return lost, np.nanpercentile(readings, [25, 50, 75]), np.nanargmax(readings), np.nanstd(readings)


@task(samples=(3, 20))
def repeated_measurements(first: Vector(Int(0, 40), "samples"), again: Matrix(Missing(Int(0, 40)), "samples", 3)):
    """Every sample was measured once for certain, with the results `first`, and up to three times more: its row of
    `again` holds these results, with nan for those that are missing. Return a tuple of three: position from 0 of the
    sample with the highest average of its results, the first in a tie; that average; greatest difference between the
    highest and the lowest result of one sample."""
    results = np.column_stack([first, again])
    average = np.nanmean(results, axis=1)
    best = np.argmax(average)
    return best, average[best], np.max(np.nanmax(results, axis=1) - np.nanmin(results, axis=1))


@task(loads=(3, 40), equivalent=TRUTHS)
def power_of_electric_loads(voltage: Vector(Complex(-9, 9, 0), "loads"), current: Vector(Complex(-9, 9, 0), "loads")):
    """For loads on alternating current `voltage` and `current` hold complex numbers. The power of a load with the
    current x + yi is its voltage times x - yi. If this gives p + qi, then p is called the active and q the reactive
    power. Return a tuple of four: total active power; position from 0 of the load with the highest reactive power, the
    first in a tie; that reactive power; number of loads with an active power below 0."""
    power = np.array(voltage) * np.conjugate(current)
    active, reactive = np.real(power), np.imag(power)
    worst = np.argmax(reactive)
    return np.sum(active), worst, reactive[worst], np.sum(active < 0)


@task
def noise_at_a_road(levels: Vector(Int(40, 90), (4, 120))):
    """A microphone noted noise `levels` in decibels at equal intervals. A level of L decibels stands for an intensity
    of 10 to the power of L/10; the equivalent level of a time is ten times the base-10 logarithm of the average
    intensity. Return a tuple of three: equivalent level of the whole record; level three quarters of the way through
    the levels in order, on a straight line between the two nearest if it falls between them; highest rise from one
    level to the next, negative if there is none."""
    intensity = 10.0 ** (np.array(levels) / 10)
    return 10 * np.log10(np.mean(intensity)), np.quantile(levels, 0.75), np.max(np.diff(levels))


@task(
    equivalent=either_way("np.array(points) - centre")
    | {"linalg.norm -> linalg.vector_norm": "of lists of numbers both are the root of the total of the squares"}
)
def cloud_of_points(points: Matrix(Int(-9, 9), (5, 40), 3)):
    """Each row of `points` is a point in space. The covariance table of the three coordinates has the number of points
    less one as divisor. Return a tuple of four: centre of the points, the average of each coordinate, as a list;
    greatest variance in one direction: the greatest eigenvalue of the table; total variance: the total of its main
    diagonal; greatest distance of a point from the centre."""
    centre = np.mean(points, axis=0)
    table = np.cov(points, rowvar=False)
    farthest = np.max(np.linalg.norm(np.array(points) - centre, axis=1))
    return centre, np.linalg.eigvalsh(table)[-1], np.trace(table), farthest


@task
def track_with_given_zeros(zeros: Vector(Int(-4, 4), (2, 4)), at: Int(-5, 5)):
    """The height of a model track over the place x is the product of x less each of the `zeros`. Return a tuple of
    three: height at the place `at`; slope at that place; area between track and ground from the least to the greatest
    of the zeros, where parts below the ground count as negative."""
    height = np.poly(zeros)
    area = np.polyval(np.polyint(height), [np.min(zeros), np.max(zeros)])
    return np.polyval(height, at), np.polyval(np.polyder(height), at), area[1] - area[0]


@task(
    n=(3, 30),
    equivalent={
        "linalg.norm -> linalg.vector_norm": "of lists of numbers both are the root of the total of the squares"
    },
)
def torque_on_a_beam(arms: Matrix(Int(-6, 6), "n", 3), forces: Matrix(Int(-9, 9), "n", 3)):
    """Forces act on a beam: each row of `forces` is a force, the same row of `arms` the place at which it acts, in
    space. The torque of a force is the vector product of place and force, in this order. The total torque is the
    torques of the forces added up. Return a tuple of four: total torque as a list of its three components; its length;
    greatest length of a single torque; position from 0 of the force whose torque has the highest third component, the
    first in a tie."""
    torques = np.cross(arms, forces)
    total = np.sum(torques, axis=0)
    lengths = np.linalg.norm(torques, axis=1)
    return total, np.linalg.norm(total), np.max(lengths), np.argmax(torques[:, 2])


@task(n=(3, 15))
def series_of_dilutions(
    doses: Vector(Int(1, 400), "n", unique=True, sorted=True), effect: Vector(Int(0, 100), "n"), steps: Int(3, 9)
):
    """The `effect` of a substance was measured at ascending `doses`; between them it runs in straight lines over the
    dose. A new test uses `steps` doses, three or more, from the lowest to the highest of the measured doses, each of
    them the same multiple of the one before. Return a tuple of four: second dose of the new test; list of the effects
    expected in it; their average; difference between the highest and the lowest of them."""
    tested = np.geomspace(doses[0], doses[-1], steps)
    expected = np.interp(tested, doses, effect)
    return tested[1], expected, np.mean(expected), np.ptp(expected)


@task(
    equivalent={
        "convolve -> correlate": "the weights are the same from both ends",
        "sum -> trapezoid": "the first and the last weight are 0, so that halves of them are not missed",
    }
)
def soft_smoothing(signal: Vector(Int(0, 60), (10, 120)), width: Int(5, 9)):
    """A noisy `signal` is smoothed with `width` weights: weight number i, from 0 to width - 1, is 0.5 less half the
    cosine of 2 pi i / (width - 1), and the weights are then divided by their total. A smoothed value is the weighted
    total of as many successive signal values as there are weights; only places at which each weight meets a value are
    used. Return a tuple of four: number of smoothed values; the highest of them; the lowest of them; greatest change,
    taken as positive, from one of them to the next."""
    weights = np.hanning(width)
    smooth = np.convolve(signal, weights / np.sum(weights), "valid")
    return len(smooth), np.max(smooth), np.min(smooth), np.max(np.abs(np.diff(smooth)))


@task(
    sectors=(2, 4),
    equivalent=dict.fromkeys(
        ("sum -> cumsum", "sum -> nancumsum", "sum -> cumulative_sum"),
        "no entry is negative, so that the greatest of the growing totals is the last",
    ),
)
def output_of_an_economy(
    inputs: Matrix(Choice(0.0, 0.05, 0.1, 0.2), "sectors", "sectors"), demand: Vector(Int(5, 60), "sectors")
):
    """An economy has some sectors. To make one unit, sector j uses `inputs`[i][j] units of what sector i makes. Each
    sector has to make what the sectors use up and in addition its entry of `demand`. If the demand for what one sector
    makes rises by one unit, the sectors together have to make more; by how many units in total is called the multiplier
    of that sector. Return a tuple of three: list of what the sectors make; greatest multiplier; how many units the
    sectors use up of their own products, added up, when each of them makes one unit."""
    chain = np.linalg.inv(np.eye(len(demand)) - np.array(inputs))
    return chain @ np.array(demand), np.max(np.sum(chain, axis=0)), np.trace(inputs)
