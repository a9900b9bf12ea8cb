"""Timetables: departures, lessons, passengers by day and hour."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Cube, Int, Matrix, Vector


@task(trams=(3, 7))
def waits_with_an_extra_tram(departures: Vector(Int(0, 59), "trams", unique=True, sorted=True), extra: Int(0, 59)):
    """The trams of one hour leave at the minutes in `departures`, in ascending order; an additional one is to leave at minute
    `extra`. Put it into the timetable so that the order is kept and return the minutes between each tram and
    the following one, as a list."""
    at = np.searchsorted(departures, extra)
    return np.diff(np.insert(departures, at, extra))


@task(n=(5, 8))
def longest_wait_after_cancellations(
    minutes: Vector(Int(300, 480), "n", unique=True, sorted=True), cancelled: Vector(Int(0, "n-1"), 2, unique=True)
):
    """Early buses leave at these `minutes` after midnight, ascending. Two of them are struck out; their positions in
    the list, from 0, are in `cancelled`. Return the longest time between two successive buses that still run, as a
    number of minutes."""
    return np.max(np.diff(np.delete(minutes, cancelled)))


@task(stops=(3, 6))
def length_of_the_ring_line(east: Vector(Int(-20, 20), "stops"), north: Vector(Int(-20, 20), "stops")):
    """A ring bus serves stops at the map coordinates `east` and `north` in this order, driving straight from stop to
    stop, and then returns straight to the first stop. Return the length of the whole ring as a number."""
    east_legs = np.diff(np.append(east, east[0]))
    north_legs = np.diff(np.append(north, north[0]))
    return np.sum(np.hypot(east_legs, north_legs))


@task
def weekend_against_working_days(riders: Matrix(Int(0, 90), (2, 4), 7)):
    """Each row of `riders` is a ferry line with its passengers from Monday to Sunday. Separate the five working days from the
    weekend and return, for every line, the average of the weekend less the average of the working days, as a list."""
    working, weekend = np.hsplit(np.array(riders), [5])
    return np.subtract(np.mean(weekend, axis=1), np.mean(working, axis=1))


@task(hours=(3, 6), lines=(2, 4))
def lower_of_two_peaks(crowd: Matrix(Int(0, 99), "hours", "lines"), noon: Int(1, "hours-1")):
    """Station staff count the `crowd` every hour (rows) on each platform (columns). The first `noon` rows are the morning, the
    others the afternoon. For every platform compare the fullest hour of the morning with the fullest of the afternoon,
    and return the lower of the two, as a list."""
    morning, afternoon = np.vsplit(np.array(crowd), [noon])
    return np.minimum(np.max(morning, axis=0), np.max(afternoon, axis=0))


@task(cars=(1, 3), doors=(2, 3))
def early_and_late_boarding(boarded: Cube(Int(0, 40), "cars", "doors", 3)):
    """For each carriage, and in it for each door, `boarded` lists how many people got on in three successive hours. The first
    two hours count as early, the third as late. Return the early total less the late one for every door, as a list with
    one row per carriage."""
    early, late = np.dsplit(np.array(boarded), [2])
    return np.subtract(np.sum(early, axis=2), np.sum(late, axis=2))


@task
def delay_felt_by_passengers(trips: Matrix(Int(1, 59), (2, 5), 3)):
    """Every row of `trips` is one underground train: the second at which it was due, the second at which it came (both
    within the same minute; an early train has a negative delay), and the number of people on board. Return the mean
    delay in seconds, each train weighted by its passengers, as a number."""
    due, came, people = np.unstack(np.array(trips), axis=1)
    return np.average(np.subtract(came, due), weights=people)


@task(hours=(2, 5))
def hours_won_by_each_route(
    bridge: Vector(Int(10, 40), "hours"), tunnel: Vector(Int(10, 40), "hours"), ferry: Vector(Int(15, 45), "hours")
):
    """A commuter measured the minutes to work for several hours of departure by `bridge`, `tunnel` and `ferry`. In each hour the
    quickest of the three wins (in a tie the one named first). Return how many hours are won by bridge, tunnel and
    ferry, as a list of three numbers."""
    table = np.stack([bridge, tunnel, ferry], axis=1)
    return np.bincount(np.argmin(table, axis=1), minlength=3)


@task(days=(2, 4), slots=(2, 4))
def lessons_with_unsteady_attendance(
    first: Matrix(Int(0, 12), "days", "slots"), second: Matrix(Int(0, 12), "days", "slots"),
    third: Matrix(Int(0, 12), "days", "slots"), limit: Int(4, 9),
):  # fmt: skip
    """Three weeks of a school timetable, `first`, `second` and `third`, hold the pupils present by day (row) and lesson
    (column). A lesson is unsteady if its best-attended week beats its worst by more than `limit` pupils. Return all
    unsteady lessons as a list of [day, lesson] pairs counted from 0, in reading order."""
    weeks = np.dstack([first, second, third])
    return np.argwhere(np.greater(np.ptp(weeks, axis=2), limit))


@task(n=(3, 5))
def typical_change_between_lines(change: Matrix(Int(1, 30), "n", "n")):
    """Row i, column j of the square table `change` gives the minutes needed to change from underground line i to line
    j; entries with i equal to j mean nothing and are left out. Return the middle one of all other entries in order of
    size (midway between the two middle ones if their count is even), as a number."""
    cells = np.diag_indices(len(change))
    useless = np.ravel_multi_index(cells, (len(change), len(change)))
    return np.median(np.delete(change, useless))


@task(
    n=(3, 5),
    equivalent={
        "count_nonzero -> sum": "adding up truth values counts the true ones",
        "count_nonzero -> nansum": "adding up truth values counts the true ones",
    },
)
def cheap_connections(fares: Matrix(Int(1, 12), "n", "n"), budget: Int(5, 11)):
    """In the `fares` table of a mountain railway only the entries strictly below the main diagonal are valid (row: from which
    station, column: to which). How many of these connections cost less than `budget`? Return a number."""
    valid = np.array(fares)[np.tril_indices(len(fares), k=-1)]
    return np.count_nonzero(np.less(valid, budget))


@task
def lesson_hours_of_a_music_teacher(
    monday: Vector(Int(1, 9), (3, 6), unique=True), tuesday: Vector(Int(1, 9), (3, 6), unique=True), dropped: Int(0, 5)
):
    """A music teacher has lessons at the hours in `monday` and those in `tuesday`. Join the two lists end to end, Monday first,
    and leave out the one lesson at position `dropped` (from 0) of the joined list. Return the hours at which she
    still teaches on either day, each hour once and in ascending order, as a list."""
    return np.unique(np.delete(np.concatenate([monday, tuesday]), dropped))
