"""Energy meters: consumption, peaks, solar roofs, tariffs, lines."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Cube, Float, Int, Matrix, Missing, Vector


@task(times=(3, 9))
def flat_shares_of_consumption(
    kilowatts: Matrix(Float(0.1, 6), (2, 8), "times"), hours: Vector(Int(0, 24), "times", unique=True, sorted=True)
):
    """Each row of `kilowatts` is the power drawn by one flat, read at the same uneven times `hours`. Between readings
    the power is taken to change along a straight line; the area below gives the energy. Return, as a list, what
    fraction of the energy of all flats together each flat used, smallest fraction first."""
    energy = np.trapezoid(kilowatts, x=hours)
    return np.sort(energy / np.sum(energy))


@task
def old_counter_rollover(readings: Vector(Int(0, 9999), (3, 14))):
    """The counter of an old gas meter has four digits and starts again at 0000 after 9999. It was read at the end of
    each month. Between two `readings` fewer than 10000 units were always used, so a lower number than before means that
    it rolled over. Return a tuple of three: the units used between the first reading and the last; the position (from
    0) of the reading before the highest monthly use, the first one if tied; the lowest monthly use."""
    used = np.remainder(np.diff(readings), 10000)
    return np.sum(used), np.argmax(used), np.min(used)


@task(hours=(3, 24))
def feed_in_and_purchase(solar: Vector(Int(0, 12), "hours"), house: Vector(Int(0, 9), "hours"), line: Int(2, 8)):
    """Hour by hour, `solar` is what the roof makes and `house` what the family uses, in kWh. Surplus goes to the grid,
    but no more than `line` in an hour; a shortfall is bought without a limit. Return the tuple (total fed in, total
    bought)."""
    surplus = np.subtract(solar, house)
    fed_in = np.minimum(np.maximum(surplus, 0), line)
    return np.sum(fed_in), np.sum(np.maximum(-surplus, 0))


@task(machines=(2, 8), hours=(3, 12))
def busiest_hour_above_standby(watts: Matrix(Int(5, 60), "machines", "hours")):
    """The rows of `watts` are machines, the columns hours. The lowest value in a machine's row is its standby power;
    what it draws beyond that is its working power. Return a tuple of two: the hour, counted from 0, in which the
    machines together have the most working power (the earliest if several tie); the list of the working powers of all
    machines together, hour by hour."""
    working = np.sum(np.subtract(watts, np.min(watts, axis=1, keepdims=True)), axis=0)
    return np.argmax(working), working


@task(customers=(2, 8), hours=(2, 12))
def load_factors_worst_first(load: Matrix(Int(1, 90), "customers", "hours")):
    """A customer's load factor is the average of the load over the hours, as a fraction of the peak load of the same
    customer. `load` has one row per customer and one column per hour. Return the load factors of all customers, lowest
    first, as a list."""
    return np.sort(np.divide(np.mean(load, axis=1), np.max(load, axis=1)))


@task(minutes=(5, 24))
def twin_sensor_tally(
    left: Vector(Missing(Missing(Int(0, 15))), "minutes"), right: Vector(Missing(Missing(Int(0, 15))), "minutes")
):
    """Two sensors count the pulses of one meter, minute by minute, and each drops some minutes (nan). The higher of
    `left` and `right` holds; if one is nan the other holds; if both are, the minute counts as 0. Return the running
    total of pulses after each minute, as a list."""
    pulses = np.nan_to_num(np.fmax(left, right))
    return np.cumsum(pulses)


@task
def battery_report(charge: Vector(Int(0, 12), (4, 24)), capacity: Int(12, 30)):
    """A home battery of the given `capacity` reports its `charge` every hour. Return a dict: "cycles", how far the
    charge moved altogether from report to report, upwards and downwards alike, where twice the capacity makes one full
    cycle (with its fraction); "swing", the highest charge less the lowest; and "middle", the charge in the middle when
    the reports are put in order of charge (half-way between the two in the middle if their number is even)."""
    return {
        "cycles": np.sum(np.absolute(np.diff(charge))) / (2 * capacity),
        "swing": np.ptp(charge),
        "middle": np.median(charge),
    }


@task(
    quarters=(3, 15),
    equivalent={
        "flatnonzero -> where": "it gives the positions as the only part of a tuple, and only their steps count",
        "flatnonzero -> nonzero": "it gives the positions as the only part of a tuple, and only their steps count",
        "subtract: arguments 1 and 2 swapped": "all states change their sign, so the same neighbours differ",
        "diff: append=2 -> 3": "no state has this number, so either marks the end",
    },
)
def longest_spell_of_current(produced: Vector(Int(0, 2), "quarters"), used: Vector(Int(0, 2), "quarters")):
    """In every quarter of an hour a farm exports current (`produced` above `used`), imports it (below), or does neither
    (both the same). A spell is a row of successive quarters with the same of these three states. Return the number of
    quarters in the longest spell."""
    state = np.sign(np.subtract(produced, used))
    last = np.flatnonzero(np.diff(state, append=2))
    return np.max(np.diff(last, prepend=-1))


@task(lines=(2, 12))
def lossiest_line(fed: Vector(Int(10, 200), "lines"), losses: Matrix(Int(0, 30), "lines", 3)):
    """Current passes three transformers on each line. `fed` is the power put into every line; a row of `losses` belongs
    to one line and says what percentage of the arriving power each of its transformers swallows. Return a tuple: the
    line, counted from 0, on which the most power is lost between its beginning and its end (the first one if several
    tie), and how much is lost on all lines together."""
    lost = np.multiply(fed, 1000000 - np.prod(np.subtract(100, losses), axis=1))
    return np.argmax(lost), np.sum(lost) / 1000000


@task(steps=(2, 5))
def average_bill_by_blocks(
    kwh: Vector(Int(0, 120), (6, 24)), blocks: Vector(Int(20, 60), "steps"), cents: Vector(Int(10, 60), "steps")
):
    """A household buys current in blocks: the first `blocks`[0] kWh of a month cost `cents`[0] each, the following
    `blocks`[1] kWh cost `cents`[1] each, and so on; beyond the last block nothing is delivered, so nothing is paid. The
    wishes of the months are given in `kwh`. Return the average bill of a month in cents."""
    borders = np.cumulative_sum(blocks, include_initial=True)
    bills = np.cumulative_sum(np.multiply(blocks, cents), include_initial=True)
    return np.mean(np.interp(kwh, borders, bills))


@task(
    meters=(2, 9),
    equivalent={
        "squeeze -> concatenate": "joining tables of one row puts these rows below each other",
        "squeeze -> vstack": "joining tables of one row puts these rows below each other",
    },
)
def meters_by_lowest_night(export: Cube(Int(0, 40), "meters", 1, (3, 12)), price: Int(2, 9)):
    """The `export` of an energy program has one entry per meter, and each entry is a list with a single row: the kWh of
    the meter, night after night. A kWh costs `price` cents. Return a tuple: the meters, counted from 0, from the one
    with the smallest lowest night to the one with the largest (meters that tie stay in order), and the total cost of
    each meter in the given order, as a list."""
    nights = np.squeeze(export)
    return np.argsort(np.min(nights, axis=1), stable=True), np.sum(nights, axis=1) * price
