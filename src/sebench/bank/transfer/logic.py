"""Options and edge rules of comparisons and truth tests that no training task shows."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Choice, Int, Matrix, Vector


@task(usage="a is empty", page="If there are no elements, the result is True")
def every_crate_filled(crates: Vector(Choice(0, 1, 2, 3, 4), (0, 5))):
    """A lorry may leave if there is at least one bottle in each of its `crates`, a list with the number of bottles in
    each; a lorry with no crates may leave too. Return whether it may leave, True or False."""
    return np.all(crates)


@task(usage="a holds nan", page="nan and the infinities too")
def floors_with_an_alarm(alarms: Matrix(Choice(0.0, 0.0, 0.0, 0.0, 0.0, float("nan"), 1.5), (3, 8), 4)):
    """Each row of `alarms` has four smoke values of a floor: 0 is clean air, and nan is a broken detector, which counts
    like smoke. Return a list with True for each floor that has smoke or a broken detector, and False for the others."""
    return np.any(alarms, axis=1)


@task(usage="rtol is a list", page="number, or array or nested list", n=(8, 16))
def resistors_in_tolerance(
    measured: Vector(Int(30, 95), "n"),
    nominal: Vector(Choice(37, 53, 71, 89), "n"),
    tolerance: Vector(Choice(0.23, 0.41), "n"),
):
    """Resistors are printed with `nominal` values and have their own `tolerance`, a share of the nominal value.
    Resistor i is good if `measured`[i] differs from its nominal value by at most that share of the nominal value.
    Return a list of True and False."""
    return np.isclose(measured, nominal, rtol=tolerance)


@task(
    usage="a holds infinity",
    page="Infinities are equal if they have the same sign",
    n=(1, 2),
    equivalent={
        "allclose: arguments 1 and 2 swapped": "whole numbers differ by far more or less than the relative tolerance"
    },
)
def routers_agree(
    ours: Vector(Choice(float("inf"), 10, 11, 12, 14), "n"), theirs: Vector(Choice(float("inf"), 10, 11, 12, 14), "n")
):
    """Two routers list the distances to the same towns, `ours` and `theirs`; inf is a town that cannot be reached. They
    agree if for every town the two distances differ by at most 2.5, or both say that it cannot be reached. Return True
    or False."""
    return np.allclose(ours, theirs, atol=2.5)


@task(usage="x1 holds nan", page="A comparison with nan is False", cols=(4, 9))
def certified_low_noise(
    noise: Matrix(Choice(float("nan"), *range(40, 52)), (3, 7), "cols"), limits: Vector(Int(42, 50), "cols")
):
    """`noise` has a row per machine and a column per test, nan if the test was not made; test j has the limit
    `limits`[j]. A test is passed if it was made and its noise is no louder than the limit. Return a list of rows with
    True for a passed test and False otherwise."""
    return np.less_equal(noise, limits)


@task(usage="x1 holds nan", page="nan differs from everything, also from nan", n=(10, 20))
def ledgers_to_clarify(
    mine: Vector(Choice(float("nan"), 5, 6, 7), "n"), yours: Vector(Choice(float("nan"), 5, 6, 7), "n")
):
    """Two people kept the same ledger, `mine` and `yours`; nan is an entry that cannot be read. An entry must be
    clarified if the two numbers are not the same or if at least one of them cannot be read. Return a list of True (to
    be clarified) and False."""
    return np.not_equal(mine, yours)
