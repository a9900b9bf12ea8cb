"""Quality control: tolerances, gauges that drop out, inspectors, batches."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Choice, Float, Int, Matrix, Missing, Vector, Word
from sebench.bank.multi.checks_truth import ALL, AND, ANY_NONZERO, COUNT, NOT, OR

INF = float("inf")
# Holes of one drill on three days: some grow every day, some do not.
HOLES = Choice(
    [10, 11, 12], [10, 12, 14], [11, 11, 12], [12, 13, 13], [10, 13, 12], [11, 13, 16], [12, 14, 15], [14, 13, 15]
)


@task(equivalent=NOT)
def resistors_to_scrap(ohms: Vector(Int(45, 104), (5, 8)), nominal: Choice(62, 68, 82)):
    """A bin of resistors is sold as `nominal` ohms, give or take 20 percent of that nominal value. The tester measured
    the values in `ohms`, none of them exactly on a limit. Return those that lie outside the tolerance, in ascending
    order, as a list."""
    good = np.isclose(ohms, nominal, rtol=0.2)
    return np.sort(np.extract(np.logical_not(good), ohms))


@task(
    nozzles=(2, 3),
    equivalent={
        "allclose: arguments 1 and 2 swapped": "the relative part of the tolerance is far below one millilitre",
    },
)
def nozzles_on_target(fills: Matrix(Int(97, 103), "nozzles", 3), target: Int(99, 101)):
    """Each row of `fills` lists what one bottling nozzle poured, in millilitres. Take the middle one, by size, of the
    three values in each row. Return a tuple: whether every nozzle's middle value lies within 2 of `target` (exactly 2
    is still fine), and how far the highest middle value lies above the lowest."""
    middle = np.median(fills, axis=1)
    return np.allclose(middle, target, atol=2), np.ptp(middle)


@task(machines=(2, 4), equivalent=COUNT)
def machine_with_most_gaps(readings: Matrix(Missing(Float(-9, 9, 1)), "machines", 5)):
    """Every row of `readings` comes from one machine; a reading that got lost is nan. Return a tuple: the position,
    from 0, of the machine that lost the most readings (the first one if several did), and how many it lost."""
    lost = np.count_nonzero(np.isnan(readings), axis=1)
    return np.argmax(lost), np.max(lost)


@task(equivalent={"where -> compress": "adding 0 for a bad weight is the same as leaving it out"})
def total_of_valid_weights(grams: Vector(Missing(Missing(Missing(Int(10, 90), INF), -INF)), (4, 8)), tare: Int(0, 9)):
    """A checkweigher reports `grams`, but an overloaded scale gives inf, a scale below its range -inf, and a scale that
    did not answer nan. Every proper weight still includes a tray of weight `tare`. Return the total of the proper
    weights, without their trays; 0 if there are none."""
    return np.sum(np.where(np.isfinite(grams), np.subtract(grams, tare), 0))


@task(
    gauges=(4, 5),
    equivalent={
        **ANY_NONZERO,
        **dict.fromkeys(("any -> median", "any -> nanmedian"), "the middle of two truth values is their average"),
    },
)
def gauges_that_ran_off(strips: Matrix(Missing(Missing(Missing(Int(0, 9)), INF), -INF), "gauges", 2)):
    """`strips` has one row per thickness gauge. Numbers may be inf or -inf where the gauge ran off its scale, and nan
    where nothing was measured. Return the positions of the gauges that ran off the scale at least once, in either
    direction, counted from 0, as a list."""
    return np.flatnonzero(np.any(np.isinf(strips), axis=1))


@task(equivalent=COUNT)
def detector_saturation(volts: Vector(Missing(Missing(Int(-50, 50), INF), -INF), (3, 8))):
    """A detector writes inf where a voltage is too high for it and -inf where it is too low; all other values in `volts`
    are real measurements. Return as a tuple how many values are too high and how many are too low."""
    return np.count_nonzero(np.isposinf(volts)), np.count_nonzero(np.isneginf(volts))


@task(parts=(3, 7))
def parts_to_inspect_again(
    serials: Vector(Int(100, 999), "parts", unique=True),
    first: Vector(Int(0, 3), "parts"),
    second: Vector(Int(0, 3), "parts"),
):
    """Two inspectors counted scratches on the same parts: `first` and `second`, in the order of the parts' `serials`. A
    part must be looked at again if exactly one of the two found it free of scratches, no matter how many the other one
    counted. Return the serial numbers of these parts in the given order, as a list."""
    return np.take(serials, np.flatnonzero(np.logical_xor(first, second)))


@task(
    equivalent={
        **OR,
        **COUNT,
        **dict.fromkeys(
            (f"logical_or -> {name}" for name in ("not_equal", "logical_xor", "bitwise_xor")),
            "a plank cannot be both too narrow and too wide",
        ),
    }
)
def rejects_by_batch(widths: Matrix(Int(20, 40), (2, 4), (3, 5)), low: Int(23, 28), high: Int(31, 37)):
    """A row of `widths` is a batch of planks. A plank narrower than `low` or wider than `high` is rejected; both limits
    themselves are fine. Return how many planks are rejected in each batch, as a list."""
    return np.count_nonzero(np.logical_or(np.less(widths, low), np.greater(widths, high)), axis=1)


@task(
    tools=(3, 5),
    equivalent={**ALL, "diff -> gradient": "the average of two steps is large enough if both steps are"},
)
def tools_that_wear(diameters: Vector(HOLES, "tools"), step: Int(1, 2)):
    """The workshop measured the holes made by its drills on three days; each row of `diameters` is one drill. A drill
    counts as worn if its holes grew by `step` or more from each day to the next. Return for each drill whether it is
    worn, as a list of True and False."""
    return np.all(np.greater_equal(np.diff(diameters), step), axis=1)


@task(equivalent={"split -> array_split": "with positions to cut at both do the same"})
def runs_on_the_belt(colours: Vector(Word(("red", "blue", "green")), (3, 8))):
    """A camera above a conveyor belt writes down the colour of every lid that passes, `colours`. Cut the list wherever
    the colour differs from the one before. Return the pieces, each a list of equal colours, in a list."""
    changes = np.flatnonzero(np.not_equal(colours[1:], colours[:-1]))
    return np.split(colours, np.add(changes, 1))


@task(
    labs=(2, 6),
    equivalent={"subtract: arguments 1 and 2 swapped": "weights of the opposite sign, all of them, give the same mean"},
)
def pooled_correlation(found: Vector(Float(-0.95, 0.95, 2), "labs"), samples: Vector(Int(4, 60), "labs")):
    """Several labs `found` a correlation between hardness and carbon, each from a number of `samples`. To pool them,
    turn every correlation into its inverse hyperbolic tangent, form the mean of these weighted by samples less 3, and
    take the hyperbolic tangent of that mean. Return the pooled correlation as a number."""
    return np.tanh(np.average(np.arctanh(found), weights=np.subtract(samples, 3)))


@task(
    crates=(4, 8),
    equivalent={
        **AND,
        **dict.fromkeys(
            (f"not_equal -> {name}" for name in ("subtract", "polysub", "bitwise_xor")),
            "it is nonzero exactly if the two numbers differ",
        ),
    },
)
def crates_for_the_van(kilos: Vector(Int(1, 8), "crates"), litres: Vector(Int(1, 8), "crates"), limit: Int(4, 6)):
    """Each crate has a weight in `kilos` and a volume in `litres`. It may go on the van if it weighs at most `limit`
    and its volume is not the very same number as its weight, which would mean that the clerk typed one number twice.
    Return the weights of the crates that may go, in the given order, as a list."""
    fine = np.logical_and(np.less_equal(kilos, limit), np.not_equal(kilos, litres))
    return np.extract(fine, kilos)
