"""Quality control: tolerances, gauges that drop out, inspectors, batches."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Choice, Cube, Float, Int, Matrix, Missing, Vector, Word
from sebench.bank.multi.checks_truth import ALL_NONZERO, AND, ANY_NONZERO, COUNT, NOT, OR

INF = float("inf")
# Holes of one drill on four days: some grow every day, some do not.
HOLES = Choice(
    [10, 11, 12, 13], [10, 12, 14, 16], [11, 11, 12, 14], [12, 13, 13, 15], [10, 13, 12, 14], [11, 13, 16, 18],
    [12, 14, 15, 16], [14, 13, 15, 16], [10, 12, 15, 17], [9, 10, 12, 14],
)  # fmt: skip


@task(equivalent=NOT)
def resistors_to_scrap(ohms: Vector(Int(45, 104), (8, 25)), nominal: Choice(62, 68, 82)):
    """A bin of resistors is sold as `nominal` ohms, give or take 20 percent of that nominal value. The tester measured
    the values in `ohms`, none of them exactly on a limit. Return a tuple: those that lie outside the tolerance, in
    ascending order as a list, and the fraction of the bin that they make up."""
    bad = np.logical_not(np.isclose(ohms, nominal, rtol=0.2))
    return np.sort(np.extract(bad, ohms)), np.mean(bad)


@task(
    nozzles=(2, 5),
    equivalent={
        "allclose: arguments 1 and 2 swapped": "the relative part of the tolerance is far below one millilitre",
    },
)
def nozzles_on_target(fills: Matrix(Int(96, 104), "nozzles", 5), target: Int(99, 101)):
    """Each row of `fills` lists what one bottling nozzle poured in five tries, in millilitres. A nozzle is judged by
    the one of its five values that is third by size. Return a tuple: whether every nozzle's value lies within 2 of
    `target` (exactly 2 is still fine), and how far the highest of these values lies above the lowest."""
    middle = np.median(fills, axis=1)
    return np.allclose(middle, target, atol=2), np.ptp(middle)


@task(
    machines=(3, 8),
    equivalent={
        **COUNT,
        **OR,
        **dict.fromkeys(
            (f"logical_or -> {name}" for name in ("not_equal", "logical_xor", "bitwise_xor")),
            "nan does not equal the stuck value",
        ),
        "equal -> isin": "there is one value to look for",
    },
)
def machine_with_most_gaps(readings: Matrix(Missing(Int(-4, 4)), "machines", (6, 12)), stuck: Int(-3, 3)):
    """Every row of `readings` comes from one machine. A reading that got lost is nan, and a sensor that hangs writes
    the value `stuck`, which is no good either. Return a tuple: the position, from 0, of the machine with the most
    readings of these two sorts together (the first one if several have the most), and how many it has."""
    bad = np.count_nonzero(np.logical_or(np.isnan(readings), np.equal(readings, stuck)), axis=1)
    worst = np.argmax(bad)
    return worst, bad[worst]


@task
def proper_weights(grams: Vector(Missing(Missing(Missing(Int(10, 90), INF), -INF)), (0, 20)), tare: Int(1, 9)):
    """A checkweigher reports `grams`, but an overloaded scale gives inf, a scale below its range -inf, and a scale that
    did not answer nan. Every proper weight still includes a tray of weight `tare`. Return a tuple: the proper weights
    without their trays, in ascending order as a list, and their total; an empty list and 0 if there are none."""
    net = np.sort(np.extract(np.isfinite(grams), grams)) - tare
    return net, np.sum(net)


@task(gauges=(4, 9), equivalent=ANY_NONZERO)
def gauges_that_ran_off(strips: Matrix(Missing(Missing(Missing(Int(0, 9)), INF), -INF), "gauges", 3)):
    """`strips` has one row per thickness gauge. Numbers may be inf or -inf when the gauge ran off its scale, and nan
    when nothing was measured. Return the positions of the gauges that ran off the scale at least once, in either
    direction, counted from 0, as a list."""
    return np.flatnonzero(np.any(np.isinf(strips), axis=1))


@task(equivalent=COUNT)
def detector_saturation(volts: Vector(Missing(Missing(Int(-50, 50), INF), -INF), (0, 25))):
    """A detector writes inf when a voltage is too high for it and -inf when it is too low; the other values in `volts`
    were measured. The list may be empty. Return a tuple of two: how many values are too high; how many are too low."""
    return np.count_nonzero(np.isposinf(volts)), np.count_nonzero(np.isneginf(volts))


@task(parts=(4, 15), equivalent={"sort -> unique": "no serial number comes twice"})
def parts_to_inspect_again(
    serials: Vector(Int(100, 999), "parts", unique=True),
    first: Vector(Choice(0, 0, 1, 2, 4, 7), "parts"),
    second: Vector(Choice(0, 0, 1, 2, 4, 7), "parts"),
):
    """Two inspectors counted scratches on the same parts: `first` and `second`, in the order of the parts' `serials`. A
    part must be looked at again if exactly one of the two found it free of scratches, no matter how many the other one
    counted. Return a tuple: the serial numbers of these parts, ascending, as a list; the serial number of the part with
    the most scratches according to both together (the first in the given order, if tied); and the fraction of the parts
    for which both counted the same."""
    again = np.compress(np.logical_xor(first, second), serials)
    worst = np.argmax(np.add(first, second))
    return np.sort(again), np.take(serials, worst), np.mean(np.equal(first, second))


@task(
    batches=(1, 6),
    equivalent={
        "subtract: arguments 1 and 2 swapped": "only the size of the difference counts",
        "clip: arguments 1 and 2 swapped": "the greater of width and lower limit does not depend on their order",
    },
)
def rejects_by_batch(widths: Matrix(Int(20, 40), "batches", (1, 8)), low: Int(23, 28), high: Int(31, 37)):
    """A row of `widths` is a batch of planks, in millimetres. A plank narrower than `low` or wider than `high` is
    rejected; both limits themselves are fine. Return a tuple of three: a list with the number of rejected planks in
    each batch; a list with the millimetres by which the rejected planks of each batch miss the limits together; the
    millimetres by which the worst plank of the whole delivery misses them (0 if none is rejected)."""
    miss = np.absolute(np.subtract(widths, np.clip(widths, low, high)))
    return np.sum(miss > 0, axis=1), np.sum(miss, axis=1), np.max(miss)


@task(
    tools=(4, 12),
    equivalent={**ALL_NONZERO, "diff -> gradient": "the average of two steps is large enough if both steps are"},
)
def tools_that_wear(diameters: Vector(HOLES, "tools"), step: Int(1, 2)):
    """The workshop measured the holes made by its drills on four days; each row of `diameters` is one drill. A drill
    counts as worn if its holes grew by `step` or more from each day to the next. Return a tuple: the positions, from 0,
    of the worn drills, as a list, and the average growth from one day to the next over the days and drills, worn or
    not."""
    growth = np.diff(diameters)
    return np.flatnonzero(np.all(growth >= step, axis=1)), np.mean(growth)


@task(equivalent=COUNT)
def longest_run_on_the_belt(colours: Vector(Word(("red", "blue", "green", "white")), (4, 25))):
    """A camera above a conveyor belt writes down the colour of every lid that passes, `colours`. A run is a stretch of
    neighbouring lids of one colour, as long as possible. Return a tuple of three: how many lids the longest run has;
    how many runs have that many; how many runs there are at all."""
    changes = np.not_equal(colours[1:], colours[:-1])
    starts = np.flatnonzero(np.append(True, changes))
    lids = np.diff(starts, append=len(colours))
    longest = np.max(lids)
    return longest, np.count_nonzero(lids == longest), len(lids)


@task(
    labs=(3, 12),
    equivalent={"subtract: arguments 1 and 2 swapped": "weights of the opposite sign, all of them, give the same mean"},
)
def pooled_correlation(found: Vector(Float(-0.95, 0.95, 2), "labs"), samples: Vector(Int(4, 60), "labs")):
    """Several labs `found` a correlation between hardness and carbon, each from a number of `samples`. By Fisher's
    rule correlations are compared by their inverse hyperbolic tangents: the pooled correlation is the one whose
    inverse hyperbolic tangent is the weighted mean of theirs, a lab's weight being its samples minus 3. Return the
    pooled correlation as a number."""
    return np.tanh(np.average(np.arctanh(found), weights=np.subtract(samples, 3)))


@task(
    crates=(0, 15),
    equivalent={
        **AND,
        **dict.fromkeys(
            (f"not_equal -> {name}" for name in ("subtract", "polysub", "bitwise_xor")),
            "it is nonzero exactly if the two numbers differ",
        ),
    },
)
def crates_for_the_van(
    kilos: Vector(Int(1, 8), "crates"), litres: Vector(Int(1, 8), "crates"), limit: Int(4, 6), capacity: Int(6, 24)
):
    """Each crate has a weight in `kilos` and a volume in `litres`. It is fit to travel if it weighs at most `limit` and
    its volume is not the very same number as its weight, which would mean that the clerk typed one number twice. The
    fit crates are loaded lightest first, as long as their total weight stays within `capacity`, which may be reached
    exactly. Return how many crates go (0 if there are none)."""
    fit = np.logical_and(np.less_equal(kilos, limit), np.not_equal(kilos, litres))
    loads = np.cumsum(np.sort(np.extract(fit, kilos)))
    return np.searchsorted(loads, capacity, side="right")


@task(
    tests=(5, 15),
    equivalent={
        "ones_like -> isfinite": "every load is finite, and True counts as 1",
        "ones_like -> isreal": "no load is complex, and True counts as 1",
        "subtract: arguments 1 and 2 swapped": "only the size of the difference counts",
    },
)
def bending_curve(load: Vector(Int(0, 30), "tests", unique=True), bend: Vector(Int(0, 60), "tests")):
    """Steel bars under a `load` showed a `bend`, test by test. The curve a + b x + c x², x being the load, shall come
    as close to the measured bends as possible: the squares of the distances add up to the least possible total. Return
    a tuple of three: the list [a, b, c]; the greatest distance between a measured bend and the curve, above or below
    it; the average of these distances."""
    table = np.column_stack((np.ones_like(load), load, np.square(load)))
    curve = np.linalg.lstsq(table, bend)[0]
    off = np.absolute(np.subtract(bend, np.matmul(table, curve)))
    return curve, np.max(off), np.mean(off)


@task(cameras=(2, 5), rows=(2, 4), cols=(2, 6))
def cameras_above_a_plate(scans: Cube(Int(0, 60), "cameras", "rows", "cols")):
    """Several cameras look at the same steel plate; each layer of `scans` is the picture of one camera, a list of rows
    of brightness values. For every spot of the plate list what the cameras saw there, from dark to bright. Return a
    tuple: these lists, arranged in rows and columns like the spots, and the widest disagreement of the cameras about a
    spot: its brightest value minus its darkest."""
    return np.sort(np.moveaxis(scans, 0, -1)), np.max(np.ptp(scans, axis=0))
