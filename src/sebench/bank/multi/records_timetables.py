"""Timetables: departures, lessons, passengers by day and hour."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Cube, Int, Matrix, Missing, Vector


@task(equivalent={"append: arguments 1 and 2 swapped": "they are put in order afterwards"})
def waits_with_extra_trams(departures: Vector(Int(0, 59), (3, 15)), extra: Vector(Int(0, 59), (0, 6))):
    """The trams of one hour leave at the minutes in `departures`, in no order; additional ones, if there are any, leave
    at the minutes in `extra`. A wait is the time between a tram and the next one to leave, 0 if they leave together.
    Return a tuple: the longest wait, and the middle one of all waits in order of length (midway between the two middle
    ones for an even number of waits)."""
    waits = np.diff(np.sort(np.append(departures, extra)))
    return np.max(waits), np.median(waits)


@task(
    n=(6, 16),
    equivalent={
        "count_nonzero -> sum": "adding up truth values counts the true ones",
        "count_nonzero -> nansum": "adding up truth values counts the true ones",
    },
)
def long_waits_after_cancellations(
    minutes: Vector(Int(300, 360), "n", unique=True, sorted=True),
    cancelled: Vector(Int(0, "n-1"), 3, unique=True),
    night: Vector(Int(300, 360), (0, 5)),
    limit: Int(4, 12),
):
    """Early buses leave at these `minutes` after midnight, ascending. Three of them are struck out; their positions in
    the list, from 0, are in `cancelled`. The night buses at the minutes in `night`, if there are any, run as well;
    buses of the same minute count as one. Return a tuple: the minute at which the longest gap between two successive
    buses begins (the earliest one in a tie), and how many gaps are longer than `limit` minutes."""
    running = np.union1d(np.delete(minutes, cancelled), night)
    gaps = np.diff(running)
    return running[np.argmax(gaps)], np.count_nonzero(gaps > limit)


@task(
    stops=(3, 15),
    equivalent={"subtract: arguments 1 and 2 swapped": "a leg is as long in both directions"},
)
def length_of_the_ring_line(east: Vector(Int(-20, 20), "stops"), north: Vector(Int(-20, 20), "stops")):
    """A ring bus serves stops at the map coordinates `east` and `north` in this order, driving straight from stop to
    stop, and then returns straight to the first stop. Return the length of the whole ring as a number."""
    legs = np.hypot(np.subtract(east, np.roll(east, -1)), np.subtract(north, np.roll(north, -1)))
    return np.sum(legs)


@task
def weekend_against_working_days(riders: Matrix(Int(0, 90), (2, 8), 7)):
    """Each row of `riders` is a ferry line with its passengers from Monday to Sunday. Return, for every line, by how
    many passengers the busier one of its two weekend days is above the middle one of its five working days in order of
    passengers (negative if below), as a list from the highest to the lowest number."""
    working, weekend = np.hsplit(np.array(riders), [5])
    return np.flip(np.sort(np.max(weekend, axis=1) - np.median(working, axis=1)))


@task(hours=(3, 10), lines=(2, 8))
def platforms_with_two_peaks(crowd: Matrix(Int(0, 30), "hours", "lines"), noon: Int(1, "hours-1")):
    """Station staff count the `crowd` every hour (rows) on each platform (columns). The first `noon` rows are the
    morning, the others the afternoon. A platform's score is the crowd of its fullest hour of the morning or that of its
    fullest hour of the afternoon, whichever is lower. Return the scores from the highest to the lowest, as a list."""
    morning, afternoon = np.vsplit(np.array(crowd), [noon])
    scores = np.minimum(np.max(morning, axis=0), np.max(afternoon, axis=0))
    return np.flip(np.sort(scores))


@task(cars=(1, 6), doors=(2, 5))
def doors_of_early_boarding(boarded: Cube(Int(0, 15), "cars", "doors", 6)):
    """For each carriage, and in it for each door, `boarded` lists how many people got on in six successive hours. The
    first four hours count as early, the others as late. The surplus of a door is its early passengers less its late
    ones. Put the surpluses of all doors of the train in order: the usual surplus is the middle one (midway between the
    two middle ones for an even number of doors). Return the doors whose surplus is above the usual one, as a list of
    [carriage, door] pairs, both from 0, carriage by carriage; it may be empty."""
    early, late = np.dsplit(np.array(boarded), [4])
    surplus = np.sum(early, axis=2) - np.sum(late, axis=2)
    return np.argwhere(surplus > np.median(surplus))


@task
def delay_felt_by_passengers(trips: Matrix(Int(1, 59), (2, 15), 3)):
    """Every row of `trips` is one underground train: the second at which it was due, the second at which it came (both
    within the same minute), and the number of people on board. A train that came early has a delay of 0. Return a
    tuple: the mean delay in seconds that a passenger had, so that each train counts with its people, and the longest
    delay of a train."""
    due, came, people = np.unstack(np.array(trips), axis=1)
    delays = np.maximum(came - due, 0)
    return np.average(delays, weights=people), np.max(delays)


@task(hours=(2, 18))
def commuters_won_by_each_route(
    bridge: Vector(Int(10, 40), "hours"), tunnel: Vector(Int(10, 40), "hours"), ferry: Vector(Int(10, 45), "hours"),
    commuters: Vector(Int(1, 90), "hours"),
):  # fmt: skip
    """The minutes to work are known for several hours of departure by `bridge`, `tunnel` and `ferry`, and so is the
    number of `commuters` who leave in each hour. They all know it and take the quickest of the three (in a tie the one
    named first). Return the shares of all the commuters who go by bridge, by tunnel and by ferry, as a list of three
    fractions of 1."""
    quickest = np.argmin(np.stack([bridge, tunnel, ferry], axis=1), axis=1)
    return np.bincount(quickest, weights=commuters, minlength=3) / np.sum(commuters)


@task(days=(2, 6), slots=(2, 7))
def lessons_with_unsteady_attendance(
    first: Matrix(Int(0, 12), "days", "slots"), second: Matrix(Int(0, 12), "days", "slots"),
    third: Matrix(Int(0, 12), "days", "slots"),
):  # fmt: skip
    """Three weeks of a school timetable, `first`, `second` and `third`, hold the pupils present by day (row) and lesson
    (column). The swing of a lesson is the lead of its best-attended week over its worst. A lesson is unsteady if its
    swing is above the average swing of all lessons. Return the unsteady lessons as a list of [day, lesson] pairs
    counted from 0, in reading order; it may be empty."""
    swings = np.ptp(np.dstack([first, second, third]), axis=2)
    return np.argwhere(np.greater(swings, np.mean(swings)))


@task(
    n=(3, 8),
    equivalent={
        "count_nonzero -> sum": "adding up truth values counts the true ones",
        "count_nonzero -> nansum": "adding up truth values counts the true ones",
        "expand_dims -> outer": "the outer product with the number 1 is the same column",
    },
)
def lines_by_quick_changes(change: Matrix(Int(1, 12), "n", "n")):
    """Row i, column j of the table `change` gives the minutes needed to change from underground line i to line j; for i
    equal to j it gives the minutes from line i up to the street instead. A change is quick if it takes fewer minutes
    than the way to the street from the same line. Return how many lines have no quick change, one, two and so on, up to
    the highest number of quick changes that a line has, as a list of counts."""
    table = np.array(change)
    street = table[np.diag_indices(len(change))]
    quick = np.count_nonzero(table < np.expand_dims(street, 1), axis=1)
    return np.bincount(quick)


@task(n=(3, 8))
def cheap_connections(fares: Matrix(Int(1, 20), "n", "n"), budgets: Vector(Int(1, 20), (2, 8))):
    """In the `fares` table of a mountain railway only the entries strictly below the main diagonal are valid (row: from
    which station, column: to which). For each of the `budgets` of some travellers, how many of these connections cost
    no more than that? Return the numbers in the order of the budgets, as a list."""
    valid = np.sort(np.array(fares)[np.tril_indices(len(fares), k=-1)])
    return np.searchsorted(valid, budgets, side="right")


@task(buses=(3, 12))
def most_common_gap(minutes: Vector(Int(0, 30), "buses", sorted=True)):
    """Buses leave at these `minutes`, in ascending order. For each two of them, whether or not others leave in between,
    the gap is the later minute less the earlier one. Return a tuple: the gap that comes up for the most pairs of buses,
    the shortest one in a tie, and for how many pairs."""
    later, earlier = np.tril_indices(len(minutes), k=-1)
    pairs = np.bincount(np.take(minutes, later) - np.take(minutes, earlier))
    return np.argmax(pairs), pairs[np.argmax(pairs)]


@task
def hours_for_a_new_pupil(
    monday: Vector(Int(1, 12), (1, 8), unique=True),
    tuesday: Vector(Int(1, 12), (1, 8), unique=True),
    wishes: Vector(Int(1, 12), (2, 10)),
    choir: Vector(Int(1, 12), (0, 3)),
):
    """A music teacher has lessons at the hours in `monday` and at those in `tuesday`. A new pupil, whose `wishes` may
    name an hour twice, gets a wished hour if she teaches at it on exactly one of the two days: then she is in the
    house, and free on the other day. He also comes at the hours in `choir`, if there are any. Return the hours at which
    he comes, each once and in ascending order, as a list."""
    granted = np.intersect1d(np.setxor1d(monday, tuesday), wishes)
    return np.union1d(granted, choir)


@task(
    n=(2, 7),
    m=(1, 8),
    equivalent={
        "count_nonzero -> sum": "adding up truth values counts the true ones",
        "count_nonzero -> nansum": "adding up truth values counts the true ones",
        "isinf -> isposinf": "no time is minus infinity",
    },
)
def connections_after_a_storm(minutes: Matrix(Missing(Int(0, 90), float("inf")), "n", "m")):
    """After a storm, row i, column j of `minutes` says how long a train takes from station i to town j; infinity (inf)
    means that the track is blocked. Return for each station a row [number of towns that it cannot reach, minutes to the
    farthest town that it can reach, 0 if it reaches none], as a list of rows."""
    blocked = np.isinf(minutes)
    farthest = np.max(np.where(blocked, 0, minutes), axis=1)
    return np.column_stack([np.count_nonzero(blocked, axis=1), farthest])
