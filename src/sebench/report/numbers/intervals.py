"""Uncertainty over tasks: intervals for accuracies, differences and ratios, and a p-value. Works on numbers only, not
on rows of a run.

The unit is the task. Several samples of one task are not independent of each other: eight samples of a task that the
model knows are eight successes but only one fact. So a task enters as one number, its mean over samples, and tasks are
resampled whole (a cluster bootstrap). Intervals that treat every sample as an independent coin flip would be too
narrow, by up to the square root of the number of samples.

The bootstrap fails in three corner cases, and is replaced there:

- every task always passed, or never: all resamples are alike, so the interval would be a point. Wilson's interval over
  tasks is used.
- fewer than `FEW_TASKS` tasks: there are too few distinct resamples. Wilson's interval over tasks is used, with the
  mean as its share; that is conservative, because a mean of samples varies less than a coin flip.
- all paired differences are equal: see `difference_interval`.

Elsewhere the percentiles are widened for small n as Hesterberg (2015, "What teachers should know about the bootstrap")
proposes: plain percentile intervals are too narrow by sqrt((n - 1) / n) and use a normal quantile where Student's is
correct.

Several worlds are clusters of tasks: see `worlds_interval`.

Everything is seeded: the same data yield the same numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

SEED = 20_260_101
RESAMPLES = 2_000
FLIPS = 9_999  # 10,000 with the observed one
EXACT_UP_TO = 13  # with up to this many tasks that differ, all 2**n sign patterns are counted
FEW_TASKS = 10
FEW_WORLDS = 3  # with fewer, the variance between worlds cannot be estimated
LEVEL = 0.95
Z = NormalDist().inv_cdf(0.5 + LEVEL / 2)
STUDENT = (12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060)  # quantiles for 1 to 8 degrees of freedom


@dataclass(frozen=True)
class Interval:
    """A 95 % interval, and its method: "bootstrap", "wilson", "student" (over worlds) or "bound" (for equal
    differences)."""

    low: float
    high: float
    method: str


def wilson(share: float, n: int) -> Interval:
    """Return Wilson's score interval for a share of n trials."""
    if n <= 0:
        return Interval(0.0, 1.0, "wilson")
    middle, spread = share + Z * Z / (2 * n), Z * sqrt((share * (1 - share) + Z * Z / (4 * n)) / n)
    # If all or none pass, the end is exactly 1 or 0 by algebra, but not in floating point.
    low = 0.0 if share <= 0 else max((middle - spread) / (1 + Z * Z / n), 0.0)
    high = 1.0 if share >= 1 else min((middle + spread) / (1 + Z * Z / n), 1.0)
    return Interval(low, high, "wilson")


def accuracy_interval(means: Sequence[float]) -> Interval | None:
    """Return the interval for the mean of the tasks' means, each between 0 and 1; None if there are no tasks."""
    values = np.asarray(means, dtype=float)
    if not values.size:
        return None
    if values.size < FEW_TASKS or values.min() == values.max():
        return wilson(float(values.mean() if values.size < FEW_TASKS else values[0]), values.size)
    low, high = _percentiles(values)
    return Interval(max(low, 0.0), min(high, 1.0), "bootstrap")


def worlds_interval(means: Sequence[float]) -> Interval | None:
    """Return Student's interval for the mean of the worlds' accuracies; the more the worlds differ, the wider it is.

    None if the variance between worlds cannot be estimated: fewer than `FEW_WORLDS`, or all with the same mean (0 or
    100 %, say).
    """
    values = np.asarray(means, dtype=float)
    if values.size < FEW_WORLDS or values.min() == values.max():
        return None
    spread = student(values.size - 1) * float(values.std(ddof=1)) / sqrt(values.size)
    middle = float(values.mean())
    return Interval(max(middle - spread, 0.0), min(middle + spread, 1.0), "student")


def difference_interval(differences: Sequence[float]) -> Interval | None:
    """Return the interval for the mean of paired differences, each between -1 and 1; None if there are no tasks.

    If all differences are equal to v, at most a share q of the tasks (the upper end of Wilson's interval for 0 of n)
    can be different, and at worst those differ by -1 or by 1: v - q (v + 1) to v + q (1 - v).
    """
    values = np.asarray(differences, dtype=float)
    if not values.size:
        return None
    mean = float(values.mean())
    if values.min() == values.max():
        q = wilson(0.0, values.size).high
        return Interval(mean - q * (mean + 1), mean + q * (1 - mean), "bound")
    if values.size < FEW_TASKS:
        scaled = wilson((mean + 1) / 2, values.size)
        return Interval(2 * scaled.low - 1, 2 * scaled.high - 1, "wilson")
    low, high = _percentiles(values)
    return Interval(max(low, -1.0), min(high, 1.0), "bootstrap")


def unpaired_interval(first: Sequence[float], second: Sequence[float]) -> Interval | None:
    """Return the interval for the difference of two means over different tasks, each mean between 0 and 1; None if one
    side has no task.

    Both sides are resampled. If that fails on one side (the corner cases above), the intervals of the two means are
    combined as Newcombe (1998, method 10) does with Wilson's.
    """
    one, two = accuracy_interval(first), accuracy_interval(second)
    if one is None or two is None:
        return None
    a, b = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    difference = float(a.mean() - b.mean())
    if one.method == two.method == "bootstrap":
        rng = np.random.default_rng(SEED)
        drawn = [np.sort(v)[rng.integers(0, v.size, size=(RESAMPLES, v.size))].mean(axis=1) for v in (a, b)]
        low, high = _widened(drawn[0] - drawn[1], min(a.size, b.size))
        return Interval(max(low, -1.0), min(high, 1.0), "bootstrap")
    below = sqrt((a.mean() - one.low) ** 2 + (two.high - b.mean()) ** 2)
    above = sqrt((one.high - a.mean()) ** 2 + (b.mean() - two.low) ** 2)
    return Interval(max(difference - below, -1.0), min(difference + above, 1.0), "wilson")


def sign_flip_p(differences: Sequence[float]) -> float:
    """Return the two-sided p-value of a paired permutation test: how often would a mean this far from 0 occur by
    chance?

    If the two sides were alike, each task's difference could just as well have had the other sign. All sign patterns
    are counted if few tasks differ; otherwise a seeded sample of them that includes the observed one, so that p is
    never 0.
    """
    values = np.asarray(differences, dtype=float)
    values = np.sort(values[values != 0.0])
    if not values.size:
        return 1.0
    observed = abs(values.sum()) - 1e-9
    if values.size <= EXACT_UP_TO:
        patterns = np.arange(2**values.size)[:, None] >> np.arange(values.size) & 1
        return float(np.mean(np.abs((2 * patterns - 1) @ values) >= observed))
    rng = np.random.default_rng(SEED)
    signs = rng.integers(0, 2, size=(FLIPS, values.size), dtype=np.int8) * 2 - 1
    return float((1 + np.count_nonzero(np.abs(signs @ values) >= observed)) / (1 + FLIPS))


def _percentiles(values: NDArray[np.float64]) -> tuple[float, float]:
    """Return the widened percentiles of the resampled mean."""
    n, values = values.size, np.sort(values)  # sorted, because the order of rows in a run must not matter
    drawn = np.random.default_rng(SEED).integers(0, n, size=(RESAMPLES, n), dtype=np.int32)
    return _widened(values[drawn].mean(axis=1), n)


def _widened(resampled: NDArray[np.float64], n: int) -> tuple[float, float]:
    """Return the percentiles of results from resampling n tasks, widened for small n."""
    tail = NormalDist().cdf(-sqrt(n / (n - 1)) * student(n - 1)) if n > 1 else 0.0
    low, high = np.quantile(resampled, (tail, 1 - tail))
    return float(low), float(high)


def student(freedom: int) -> float:
    """Return Student's quantile for `LEVEL`, from a table or the Cornish-Fisher series (error below 0.005 from 9
    degrees of freedom on)."""
    if freedom <= len(STUDENT):
        return STUDENT[freedom - 1]
    first, second = (Z**3 + Z) / 4, (5 * Z**5 + 16 * Z**3 + 3 * Z) / 96
    return Z + first / freedom + second / freedom**2


def ratio_interval(above: Sequence[float], below: Sequence[float]) -> Interval | None:
    """Return the interval for the ratio of two means over the same tasks, which are resampled in pairs; None if the
    denominator is 0.

    If the numerator is 0, or both sides are alike, all resamples are alike too. Then at most a share q of the tasks can
    be different (as in `difference_interval`), by one whole answer each.
    """
    pairs = np.array(sorted(zip(above, below, strict=True)), dtype=float).reshape(-1, 2)
    if not pairs[:, 1].sum():
        return None
    n, (top, bottom) = len(pairs), pairs.mean(axis=0)
    if not top or np.array_equal(pairs[:, 0], pairs[:, 1]):
        reach = wilson(0.0, n).high / bottom
        return Interval(max(float(top / bottom - reach), 0.0), float(top / bottom + reach), "bound")
    drawn = np.random.default_rng(SEED).integers(0, n, size=(RESAMPLES, n), dtype=np.int32)
    means = pairs[drawn].mean(axis=1)
    means = means[means[:, 1] > 0]
    return Interval(*_widened(means[:, 0] / means[:, 1], n), "bootstrap")
