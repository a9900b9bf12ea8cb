"""Energy meters: consumption, peaks, solar roofs, tariffs, lines."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Float, Int, Matrix, Missing, Vector


@task(times=(3, 5))
def flat_shares_of_consumption(
    kilowatts: Matrix(Float(0.1, 6), (2, 4), "times"), hours: Vector(Int(0, 24), "times", unique=True, sorted=True)
):
    """Each row of `kilowatts` is the power drawn by one flat, read at the same uneven times `hours`. Between readings
    the power is taken to change along a straight line; the area below gives the energy. Return, as a list, what
    fraction of the energy of all flats together each flat used."""
    energy = np.trapezoid(kilowatts, x=hours)
    return np.divide(energy, np.sum(energy))


@task
def old_counter_rollover(readings: Vector(Int(0, 9999), (2, 6))):
    """The counter of an old gas meter has four digits and starts again at 0000 after 9999. It was read at the end of
    each month. Between two `readings` fewer than 10000 units were always used, so a lower number than before means
    that it rolled over. Return the gas used between the first reading and the last, in units."""
    return np.sum(np.remainder(np.diff(readings), 10000))


@task(
    hours=(3, 7),
    equivalent={
        "clip: arguments 1 and 2 swapped": "0 limited from below by the surplus is the surplus limited from below by 0"
    },
)
def feed_in_and_purchase(solar: Vector(Int(0, 12), "hours"), house: Vector(Int(0, 9), "hours"), line: Int(2, 8)):
    """Hour by hour, `solar` is what the roof makes and `house` what the family uses, in kWh. Surplus goes to the grid,
    but no more than `line` in an hour; a shortfall is bought without a limit. Return the tuple (total fed in, total
    bought)."""
    surplus = np.subtract(solar, house)
    return np.sum(np.clip(surplus, 0, line)), np.sum(np.maximum(np.subtract(house, solar), 0))


@task(machines=(2, 4), hours=(2, 5))
def load_above_standby(watts: Matrix(Int(5, 300), "machines", "hours")):
    """The rows of `watts` are machines, the columns hours. The lowest value in a machine's row is its standby power.
    Take each machine's standby off all of its values, and return for each hour the sum of what remains over all
    machines, as a list."""
    standby = np.min(watts, axis=1, keepdims=True)
    return np.sum(np.subtract(watts, standby), axis=0)


@task(customers=(2, 4), hours=(2, 5))
def load_factors_worst_first(load: Matrix(Int(1, 90), "customers", "hours")):
    """A customer's load factor is the average of the load over the hours, as a fraction of the peak load of the same
    customer. `load` has one row per customer and one column per hour. Return the load factors of all customers, lowest
    first, as a list."""
    return np.sort(np.divide(np.mean(load, axis=1), np.max(load, axis=1)))


@task(minutes=(4, 7))
def twin_sensor_tally(
    left: Vector(Missing(Missing(Int(0, 15))), "minutes"), right: Vector(Missing(Missing(Int(0, 15))), "minutes")
):
    """Two sensors count the pulses of one meter, minute by minute, and each drops some minutes (nan). The higher of
    `left` and `right` holds; if one is nan the other holds; if both are, the minute counts as 0. Return the running
    total of pulses after each minute, as a list."""
    pulses = np.nan_to_num(np.fmax(left, right))
    return np.cumsum(pulses)


@task
def battery_full_cycles(charge: Vector(Int(0, 40), (3, 7)), capacity: Int(40, 80)):
    """A home battery of the given `capacity` reports its `charge` now and then. Add up how far the charge moved from
    report to report, upwards and downwards alike; twice the capacity makes one full cycle. Return the number of cycles,
    with its fraction."""
    moved = np.sum(np.absolute(np.diff(charge)))
    return np.divide(moved, 2 * capacity)


@task(
    quarters=(3, 8),
    equivalent={"subtract: arguments 1 and 2 swapped": "all states change their sign, so the same neighbours differ"},
)
def direction_flips(produced: Vector(Int(0, 4), "quarters"), used: Vector(Int(0, 4), "quarters")):
    """In every quarter of an hour a farm exports current (`produced` above `used`), imports it (below), or does neither
    (both the same). Return how many times the state of affairs in one quarter differs from the quarter just before."""
    state = np.sign(np.subtract(produced, used))
    return np.count_nonzero(np.diff(state))


@task(lines=(2, 5))
def power_at_line_ends(fed: Vector(Int(10, 200), "lines"), losses: Matrix(Int(0, 30), "lines", 3)):
    """Current passes three transformers on each line. `fed` is the power put into every line; a row of `losses`
    belongs to one line and says what percentage of the arriving power each of its transformers swallows. Return the
    power at the end of every line, as a list."""
    kept = np.prod(np.subtract(100, losses), axis=1) / 1000000
    return np.multiply(fed, kept)


@task
def two_step_tariff(kwh: Vector(Int(10, 260), (2, 6)), low: Float(0.1, 0.3, 2), high: Float(0.35, 0.6, 2)):
    """The first 100 kWh of each month cost `low` apiece, all further ones `high`. The months' consumption is given in
    `kwh`. Return what each month costs, as a list."""
    cheap = np.minimum(kwh, 100)
    return np.add(np.multiply(cheap, low), np.multiply(np.subtract(kwh, cheap), high))
