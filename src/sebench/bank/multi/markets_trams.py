"""Trams and timetables: departures, gaps, delays, fares, speeds."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Choice, Float, Int, Matrix, Vector


@task
def busiest_quarters_of_the_clock(first: Int(-50, 59), gaps: Vector(Int(4, 35), (3, 25))):
    """The first tram leaves `first` minutes after six o'clock (below zero: before six), and `gaps` are the minutes from
    each tram to the next. Quarter 0 of the clock holds the minutes 0 to 14 of an hour, whichever hour it is, quarter 1
    the minutes 15 to 29, and so on up to quarter 3. Return a tuple: the largest number of departures in one quarter,
    the first tram included, and the ascending list of the quarters that have so many."""
    minutes = np.remainder(np.cumulative_sum(gaps, include_initial=True) + first, 60)
    departures = np.bincount(minutes // 15)
    return np.max(departures), np.flatnonzero(departures == np.max(departures))


@task(equivalent={"sort -> unique": "no two trams were seen in the same minute"})
def bunching_index(seen: Vector(Int(0, 90), (3, 20), unique=True)):
    """At one stop somebody wrote down the minutes at which trams were `seen`, in no particular order. Return how
    unevenly they came: the standard deviation of the gaps between one tram and the next (divisor: how many gaps there
    are) as a fraction of the average gap."""
    gaps = np.diff(np.sort(seen))
    return np.divide(np.std(gaps), np.mean(gaps))


@task(
    lines=(2, 8),
    stops=(2, 12),
    equivalent={
        "clip: arguments 1 and 2 swapped": "0 limited from below by the delay is the delay limited from below by 0"
    },
)
def latest_lines_first(planned: Matrix(Int(0, 20), "lines", "stops"), observed: Matrix(Int(8, 32), "lines", "stops")):
    """Rows are tram lines, columns stops; `planned` and `observed` hold arrival minutes. How late a tram was is
    observed less planned, but too early counts as 0 and anything above 15 minutes as 15. Return a tuple of two lists:
    the lines, counted from 0, from the highest average delay over its stops to the lowest (in order where it is the
    same), and these averages in the same order."""
    late = np.mean(np.clip(np.subtract(observed, planned), 0, 15), axis=1)
    order = np.argsort(-late, stable=True)
    return order, late[order]


@task(rides=(2, 6))
def best_customer_of_the_day(km: Matrix(Int(1, 24), (2, 9), "rides"), price: Int(2, 5), cap: Int(12, 24)):
    """A tram ride costs one `price` for boarding and one more for every full 3 km travelled, but no single ride may
    cost more than `cap`. A row of `km` has the lengths of the rides of one passenger. Return a tuple: what each
    passenger pays altogether, as a list, and the passenger, counted from 0, who pays the most (the first one if several
    tie)."""
    fares = np.minimum((np.floor_divide(km, 3) + 1) * price, cap)
    paid = np.sum(fares, axis=1)
    return paid, np.argmax(paid)


@task
def crank_position(turns: Vector(Int(-500, 500), (2, 20))):
    """A museum tram has a hand crank. `turns` lists its moves in degrees, forwards above zero and backwards below. The
    offset after a move is the total of all moves so far without its whole revolutions of 360 degrees, on the same side
    of zero (a total of -400 gives -40, one of 730 gives 10). Return the largest offset after a move, its direction
    ignored."""
    leftover = np.fmod(np.cumsum(turns), 360)
    return np.max(np.absolute(leftover))


@task(
    equivalent={
        "column_stack -> transpose": "two lists, turned, are the same two columns",
        "column_stack -> linalg.matrix_transpose": "two lists, turned, are the same two columns",
        "column_stack -> rot90": "it gives the same rows from last to first, and they are put in order afterwards",
    }
)
def printed_run_times(hours: Vector(Choice(0.25, 0.3, 0.75, 1.1, 1.12, 1.5, 1.9, 2.05, 2.2, 3.0, 3.01), (4, 25))):
    """A timetable program stores run times in decimal `hours`, with at most two digits after the point. Printed, a run
    time is a row of two numbers: the whole hours, and the part after the point in minutes, rounded to the nearest
    minute. Return the different rows that are printed, the shortest time first, as a list of rows."""
    fraction, whole = np.modf(hours)
    return np.unique(np.column_stack([whole, np.rint(fraction * 60)]), axis=0)


@task(stops=(3, 20))
def fullest_stretch(aboard: Int(0, 40), on: Vector(Int(0, 25), "stops"), off: Vector(Int(0, 25), "stops")):
    """The counting door of a tram that starts with `aboard` passengers reports how many get `on` and `off` at each
    stop. Return a tuple: the stop (counted from 0) after which there are the most passengers, the first one if
    several tie, and the lowest number of passengers after a stop. Counting errors may bring the number below zero;
    leave it so."""
    load = np.cumsum(np.subtract(on, off)) + aboard
    return np.argmax(load), np.min(load)


@task(
    equivalent={
        "append -> union1d": "the timetable is in order without repeats, and 60 is later than all of it",
        "append -> setxor1d": "the timetable is in order without repeats, and 60 is later than all of it",
    }
)
def wait_for_the_next_tram(
    departures: Vector(Int(0, 59), (2, 12), unique=True, sorted=True), arrivals: Vector(Int(0, 59), (3, 25))
):
    """Trams leave at the minutes in `departures`, which are in order, and a last one at minute 60. People reach the
    stop at the minutes in `arrivals` and board the first tram that leaves then or later. Return a tuple: the longest
    time that one of them waits, and the average time."""
    timetable = np.append(departures, 60)
    waits = timetable[np.searchsorted(timetable, arrivals)] - arrivals
    return np.max(waits), np.mean(waits)


@task(points=(3, 8))
def speed_range_of_a_run(
    km: Vector(Float(0, 6, 1), "points", unique=True, sorted=True),
    minutes: Vector(Choice(0, 5, 11, 16, 23, 28, 34, 40), "points", unique=True, sorted=True),
):
    """A tracker logs how far a tram has come, in `km`, at the given `minutes`, which are not evenly spaced. Its speed
    at a logged point is the slope there of the parabola through the point and both neighbours, or at the two ends the
    slope of the straight line to the only neighbour. Return a tuple, in km per hour: how much the highest of these
    speeds lies above the lowest, and the one in the middle when they are put in order (half-way between the two in the
    middle if their number is even)."""
    speeds = np.gradient(km, minutes) * 60
    return np.ptp(speeds), np.median(speeds)


@task(gates=(2, 12))
def clearing_the_platform(seconds: Vector(Float(1.2, 6, 1), "gates"), crowd: Int(40, 300)):
    """The exit of an underground stop has several gates; `seconds` lists how long each gate needs for one person.
    All gates work side by side, so that their rates in persons per second add up. Return a dict: "time", the seconds
    until a `crowd` of the given number of people is through at that rate, and "quick", the position of the quickest
    gate, counted from 0 (the first one if several tie), and "share", the fraction of the crowd that this gate lets
    through."""
    rates = np.reciprocal(seconds)
    total = np.sum(rates)
    return {"time": crowd / total, "quick": np.argmin(seconds), "share": np.max(rates) / total}


@task(equivalent={"convolve -> correlate": "a window of ones is the same from both sides"})
def shifts_of_inspector_and_cleaner(riders: Vector(Int(0, 30), (6, 24)), shift: Int(2, 5)):
    """`riders` lists how many people ride a tram line in each hour of a day. An inspector works `shift` hours in a row
    and wants to meet as many people as possible in one shift; a cleaner who also works `shift` hours in a row wants to
    meet as few as possible. The day ends with the last hour of the list. Return the tuple of the hours, counted from 0,
    at which the inspector and the cleaner should begin (the earliest one if several are equally good)."""
    met = np.convolve(riders, np.ones(shift), mode="valid")
    return np.argmax(met), np.argmin(met)
