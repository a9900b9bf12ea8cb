"""Uncertainty over tasks: intervals of an accuracy and of a paired difference, and a p-value. Nothing here knows of
rows.

The unit is the task. Several samples of one task are not independent of each other: eight samples of a task that the
model knows are eight successes and one fact. So a task enters as one number, its mean over samples, and tasks are
resampled whole (a cluster bootstrap). Intervals that treat every sample as a coin of its own would be too narrow, by up
to the square root of the number of samples.

Three corners where the bootstrap fails, and what stands there instead:

- every task passed always, or never: all resamples are alike, the interval would be a point. Wilson's interval over
  tasks.
- fewer than `FEW_TASKS` tasks: too few distinct resamples. Wilson's interval over tasks, with the mean as its share;
  that is conservative, because a mean of samples varies less than a coin.
- all paired differences are equal: see `difference_interval`.

Elsewhere the percentiles are widened for small n as Hesterberg (2015, "What teachers should know about the bootstrap")
proposes: plain percentile intervals are too narrow by sqrt((n - 1) / n) and use a normal quantile where Student's is
due.

Several worlds are clusters above tasks: see `worlds_interval`.

Everything is seeded: the same rows give the same numbers.
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
FLIPS = 9_999  # with the observed one, 10,000
EXACT_UP_TO = 13  # tasks that differ: up to here all 2**n sign patterns are counted
FEW_TASKS = 10
FEW_WORLDS = 3  # below, the variance between worlds cannot be told
LEVEL = 0.95
Z = NormalDist().inv_cdf(0.5 + LEVEL / 2)
STUDENT = (12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060)  # quantiles for 1 to 8 degrees of freedom


@dataclass(frozen=True)
class Interval:
    """A 95 % interval, and how it was made: "bootstrap", "wilson", over worlds "student" or, for equal differences,
    "bound"."""

    low: float
    high: float
    method: str


def wilson(share: float, n: int) -> Interval:
    """Wilson's score interval of a share of n."""
    if n <= 0:
        return Interval(0.0, 1.0, "wilson")
    middle, spread = share + Z * Z / (2 * n), Z * sqrt((share * (1 - share) + Z * Z / (4 * n)) / n)
    # Where all or none pass, the end is exact by algebra but not in floating point.
    low = 0.0 if share <= 0 else max((middle - spread) / (1 + Z * Z / n), 0.0)
    high = 1.0 if share >= 1 else min((middle + spread) / (1 + Z * Z / n), 1.0)
    return Interval(low, high, "wilson")


def accuracy_interval(means: Sequence[float]) -> Interval | None:
    """The interval of the mean of the tasks' means, each between 0 and 1; None without a task."""
    values = np.asarray(means, dtype=float)
    if not values.size:
        return None
    if values.size < FEW_TASKS or values.min() == values.max():
        return wilson(float(values.mean() if values.size < FEW_TASKS else values[0]), values.size)
    low, high = _percentiles(values)
    return Interval(max(low, 0.0), min(high, 1.0), "bootstrap")


def worlds_interval(means: Sequence[float]) -> Interval | None:
    """Student's interval of the mean over worlds of their accuracies, so that worlds that differ make it wide.

    None where worlds cannot tell: fewer than `FEW_WORLDS`, or all with the same mean (at 0 or 100 %, say).
    """
    values = np.asarray(means, dtype=float)
    if values.size < FEW_WORLDS or values.min() == values.max():
        return None
    spread = _student(values.size - 1) * float(values.std(ddof=1)) / sqrt(values.size)
    middle = float(values.mean())
    return Interval(max(middle - spread, 0.0), min(middle + spread, 1.0), "student")


def difference_interval(differences: Sequence[float]) -> Interval | None:
    """The interval of the mean of paired differences, each between -1 and 1; None without a task.

    Where all differences are equal to v, at most a share q of the tasks (the upper end of Wilson's interval of none in
    n) can be otherwise, and those at worst differ by -1 or by 1: v - q (v + 1) to v + q (1 - v).
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
    """The interval of the difference of two means over different tasks, each mean between 0 and 1; None where one side
    has no task.

    Both sides are resampled. Where that fails on one of them (the corners above), the intervals of the two means are
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
    """The two-sided p-value of a paired permutation test: how often would a mean so far from 0 come up by chance?

    If the two sides were alike, each task's difference could as well have had the other sign. All sign patterns are
    counted where few tasks differ; else a seeded draw of them, with the observed one among them, so that p is never 0.
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
    """The widened percentiles of the resampled mean."""
    n, values = values.size, np.sort(values)  # sorted: the order of rows in a run must not matter
    drawn = np.random.default_rng(SEED).integers(0, n, size=(RESAMPLES, n), dtype=np.int32)
    return _widened(values[drawn].mean(axis=1), n)


def _widened(resampled: NDArray[np.float64], n: int) -> tuple[float, float]:
    """The percentiles of what came of resampling n tasks, widened for small n."""
    tail = NormalDist().cdf(-sqrt(n / (n - 1)) * _student(n - 1)) if n > 1 else 0.0
    low, high = np.quantile(resampled, (tail, 1 - tail))
    return float(low), float(high)


def _student(freedom: int) -> float:
    """Student's quantile for `LEVEL`: a table, then Cornish and Fisher's series (the error is below 0.005 from 9
    degrees of freedom on)."""
    if freedom <= len(STUDENT):
        return STUDENT[freedom - 1]
    first, second = (Z**3 + Z) / 4, (5 * Z**5 + 16 * Z**3 + 3 * Z) / 96
    return Z + first / freedom + second / freedom**2


def ratio_interval(above: Sequence[float], below: Sequence[float]) -> Interval | None:
    """The interval of the ratio of two means over the same tasks, which are resampled in pairs; None where nothing is
    below the line.

    Where nothing is above it, or both sides are alike, all resamples are alike too. At most a share q of the tasks can
    be otherwise then (as in `difference_interval`), by one whole answer each.
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
