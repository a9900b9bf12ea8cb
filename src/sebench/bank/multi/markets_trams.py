"""Trams and timetables: departures, gaps, delays, fares, speeds."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Choice, Float, Int, Matrix, Vector


@task
def clock_minutes_of_departures(first: Int(-50, 59), gaps: Vector(Int(4, 35), (1, 6))):
    """The first tram leaves `first` minutes after six o'clock (below zero: before six), and `gaps` are the minutes from
    each tram to the next. Return for every tram, the first one too, the minute that the clock shows at departure, from
    0 to 59, as a list."""
    after_six = np.add(first, np.cumulative_sum(gaps, include_initial=True))
    return np.remainder(after_six, 60)


@task(equivalent={"sort -> unique": "no two trams were seen in the same minute"})
def bunching_index(seen: Vector(Int(0, 90), (3, 7), unique=True)):
    """At one stop somebody wrote down the minutes at which trams were `seen`, in no particular order. Put them in order
    and look at the gaps between one tram and the next: return the standard deviation of the gaps (divisor: how many
    gaps there are) as a fraction of the average gap."""
    gaps = np.diff(np.sort(seen))
    return np.divide(np.std(gaps), np.mean(gaps))


@task(
    lines=(2, 4),
    stops=(2, 5),
    equivalent={
        "clip: arguments 1 and 2 swapped": "0 limited from below by the delay is the delay limited from below by 0"
    },
)
def capped_delay_by_line(planned: Matrix(Int(0, 20), "lines", "stops"), observed: Matrix(Int(8, 32), "lines", "stops")):
    """Rows are tram lines, columns stops; `planned` and `observed` hold arrival minutes. How late a tram was is observed
    less planned, but too early counts as 0 and anything above 15 minutes as 15. Return each line's average over its
    stops, as a list."""
    return np.mean(np.clip(np.subtract(observed, planned), 0, 15), axis=1)


@task
def day_ticket_total(km: Vector(Int(1, 24), (2, 7)), price: Int(2, 5), cap: Int(12, 24)):
    """A tram ride costs one `price` for boarding and one more for every full 3 km travelled, but no single ride may cost
    more than `cap`. The lengths of a day's rides are given in `km`; return what they cost in total."""
    stretches = np.floor_divide(km, 3) + 1
    return np.sum(np.minimum(stretches * price, cap))


@task
def crank_position(turns: Vector(Int(-500, 500), (2, 6))):
    """A museum tram has a hand crank. `turns` lists its moves in degrees, forwards above zero and backwards below. After
    every move take the total so far and strip whole revolutions of 360 off it without crossing zero (-400 becomes -40).
    Return the size of the largest leftover, its direction ignored."""
    leftover = np.fmod(np.cumsum(turns), 360)
    return np.max(np.absolute(leftover))


@task(
    equivalent={
        "column_stack -> transpose": "two lists, turned, are the same two columns",
        "column_stack -> linalg.matrix_transpose": "two lists, turned, are the same two columns",
    }
)
def run_times_as_hours_and_minutes(hours: Vector(Float(0.2, 9.9, 2), (2, 6))):
    """A timetable program stores run times in decimal `hours`, with two digits after the point. Printed, each should be
    a row of two numbers: the whole hours, and the part after the point turned into minutes, rounded to the nearest
    minute. Return the list of rows."""
    fraction, whole = np.modf(hours)
    return np.column_stack([whole, np.rint(fraction * 60)])


@task(stops=(2, 7))
def fullest_stretch(aboard: Int(0, 40), on: Vector(Int(0, 25), "stops"), off: Vector(Int(0, 25), "stops")):
    """The counting door of a tram that starts with `aboard` passengers reports how many get `on` and `off` at each stop.
    Return a tuple: the largest number of passengers after any stop, and the first stop (counted from 0) after which
    there are that many. Counting errors may take the number below zero; leave it so."""
    load = np.add(np.cumsum(np.subtract(on, off)), aboard)
    return np.max(load), np.argmax(load)


@task(
    equivalent={
        "append -> union1d": "the timetable is in order without repeats, and 60 is later than all of it",
        "append -> setxor1d": "the timetable is in order without repeats, and 60 is later than all of it",
    }
)
def wait_for_the_next_tram(
    departures: Vector(Int(0, 59), (2, 6), unique=True, sorted=True), arrivals: Vector(Int(0, 59), (2, 6))
):
    """Trams leave at the minutes in `departures`, which are in order, and a last one at minute 60. People reach the stop
    at the minutes in `arrivals` and take the first tram that leaves then or later. Return how long each of them waits,
    as a list."""
    timetable = np.append(departures, 60)
    return np.subtract(np.take(timetable, np.searchsorted(timetable, arrivals)), arrivals)


@task(points=(3, 6))
def speed_range_of_a_run(
    km: Vector(Float(0, 6, 1), "points", unique=True, sorted=True),
    minutes: Vector(Choice(0, 5, 11, 16, 23, 28, 34, 40), "points", unique=True, sorted=True),
):
    """A tracker logs how far a tram has come, in `km`, at the given `minutes`, which are not evenly spaced. Estimate
    its rate of change at each point (inside: the slope there of the parabola through the point and both neighbours; at
    the two ends: the slope of the straight line to the only neighbour) and turn it into km per hour. Return the fastest
    estimate less the slowest."""
    return np.ptp(np.multiply(np.gradient(km, minutes), 60))


@task
def clearing_the_platform(seconds: Vector(Float(1.2, 6, 1), (2, 5)), crowd: Int(40, 300)):
    """The exit of an underground stop has several gates; `seconds` lists how long each gate needs for one person. All
    gates work side by side, so their rates in persons per second add up. Return how many seconds it takes at that rate
    until a `crowd` of the given size is through."""
    return np.divide(crowd, np.sum(np.reciprocal(seconds)))
