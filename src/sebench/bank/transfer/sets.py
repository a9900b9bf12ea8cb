"""Options and edge rules of distinct values that no training task shows."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Choice, Int, Vector, Word

BIRDS = Word(("finch", "heron", "jay", "kite", "magpie", "owl", "robin", "swift", "wren"))


@task(usage="return_inverse is True")
def price_list_and_codes(prices: Vector(Int(1, 12), (10, 25))):
    """To store `prices` in little space, make a list of the prices that occur, ascending and each once, and for every
    entry of the original list the position, counted from 0, of its price in that short list. Return a tuple: the short
    list and the list of positions."""
    return np.unique(prices, return_inverse=True)


@task(usage="equal_nan is False", nonfinite=True)
def distinct_answers_with_blanks(answers: Vector(Choice(float("nan"), *range(1, 9)), (10, 20))):
    """In a survey `answers` are numbers, and nan is a blank. Nobody knows what a blank would have been, so two blanks
    never count as the same. Return the different answers in ascending order, each once, and behind them one nan for
    every blank."""
    return np.unique(answers, equal_nan=False)


@task(usage="x holds nan", page="Each nan counts as a value of its own", nonfinite=True)
def votes_with_spoilt_ballots(ballots: Vector(Choice(float("nan"), *range(1, 7)), (10, 20))):
    """`ballots` hold the number of a candidate, or nan if they are spoilt. Return a tuple of two lists: first the
    numbers of the candidates who got votes, ascending, followed by one nan for each spoilt ballot; second how many
    votes each entry of the first list stands for, which is 1 for every nan."""
    return np.unique_counts(ballots)


@task(usage="return_indices is True")
def matching_invoices(
    booked: Vector(Int(100, 130), (8, 16), unique=True), paid: Vector(Int(100, 130), (8, 16), unique=True)
):
    """Invoice numbers occur at most once in `booked` and at most once in `paid`. Return a tuple of three lists about
    those that are in both: the numbers in ascending order, their positions in booked, their positions in paid (counted
    from 0)."""
    return np.intersect1d(booked, paid, return_indices=True)


@task(usage="invert is True")
def not_on_guest_list(arrivals: Vector(BIRDS, (6, 14)), invited: Vector(BIRDS, (3, 6), unique=True)):
    """At a costume party everyone comes as a bird. The doorman compares the costumes of the `arrivals` with the list of
    costumes that were `invited`, and writes True for each arrival that is NOT on the list, False for the others. Return
    his notes as a list."""
    return np.isin(arrivals, invited, invert=True)
