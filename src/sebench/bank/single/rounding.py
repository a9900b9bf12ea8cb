"""To whole numbers or to a number of decimals."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Choice, Cube, Either, Float, Int, Matrix, Vector

# Orders and returns; none that would come out as minus zero.
TILES = Choice(-3.9, -2.5, -1.8, -1.3, 0.1, 0.5, 1.6, 2.4, 3.0, 4.2, 5.5, 7.6)


@task
def pool_times(seconds: Vector(Choice(58.23, 61.47, 59.98, 60.02, 57.71, 63.36, 62.84, 64.19), (2, 6))):
    """Swimming times in `seconds` were taken with two decimals, but the village club publishes only one. Give each
    time to the nearest tenth of a second (none lies halfway). Return a list."""
    return np.round(seconds, decimals=1)


@task
def village_population(people: Matrix(Int(100, 9999), (1, 4), (2, 4))):
    """For a school atlas the inhabitants of villages, `people` (one row for each county), are given to the nearest
    hundred; a count exactly in the middle goes to the hundred with an even number of hundreds, so 250 becomes 200 and
    350 becomes 400. Return a list of rows."""
    return np.round(people, decimals=-2)


@task
def constant_on_poster(
    value: Choice(3.14159, 2.71828, 1.41421, 0.57722, 1.61803, 1.20206, 1.32472, -2.50291), digits: Int(1, 4)
):
    """A maths poster prints a famous `value` with `digits` digits after the decimal point, correctly rounded to
    nearest. Return the number as printed."""
    return np.round(value, decimals=digits)


@task
def antenna_currents(
    currents: Vector(Choice(1.234 - 0.871j, -2.468 + 3.333j, 0.127 + 0.999j, 5.019 - 4.442j, -0.632 - 1.756j), (2, 5)),
):
    """An engineer notes complex `currents` of an antenna with three decimals. In the summary both the real and the
    imaginary part are rounded to two decimals. Return the list of complex numbers."""
    return np.round(currents, decimals=2)


@task
def judges_half_points(scores: Vector(Choice(0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 2.3, 4.8), (2, 7))):
    """In a cooking contest the `scores` have decimals, often a half. They are brought to the nearest whole number, and
    a score right between two goes to the even one: 2.5 to 2, 3.5 to 4. Return the list of results."""
    return np.rint(scores)


@task
def survey_pegs(
    heights: Matrix(Choice(-8.5, -7.5, -5.3, -4.5, -2.8, -1.2, 0.5, 1.6, 2.5, 3.5, 4.1, 6.5, 7.9), (1, 4), (2, 4)),
):
    """Surveyors measured `heights` of pegs, in metres above or below the harbour mark, one row for each street. For
    the relief model each is moved to the closest whole metre (from an exact middle to the even metre). Return a list
    of rows."""
    return np.rint(heights)


@task
def thermostat_display(degrees: Choice(-3.5, -2.5, -1.5, -0.7, 0.5, 1.5, 2.5, 18.4, 19.5, 20.5, 21.6, 22.5, 23.5)):
    """A thermostat measures `degrees` and shows the nearest whole degree. If the temperature lies exactly halfway, the
    even degree is shown, below zero too. Return what is shown, as a number."""
    return np.rint(degrees)


@task
def snap_to_lattice(
    points: Vector(
        Choice(2.5 - 1.5j, -3.5 + 0.5j, 0.7 + 3.9j, -1.1 - 4.3j, 4.4 + 2.5j, -2.5 - 0.8j, 1.6 + 0.2j), (2, 5)
    ),
):
    """Points of the plane are written as complex numbers in `points`. Each is snapped to the lattice point whose real
    and imaginary part are the nearest whole numbers, with halves going to the even one. Return the list of complex
    numbers."""
    return np.rint(points)


@task
def lift_floor(heights: Vector(Float(-12, 30), (2, 7))):
    """A lift reports its `heights` in storeys, 0 being the entrance and negative values the basements. Between two
    storeys the lower one counts, so 2.7 is 2 and -0.3 is -1. Return the list of whole storeys."""
    return np.floor(heights)


@task
def whole_euros_in_account(balances: Matrix(Float(-50, 50, 2), (1, 4), (2, 4))):
    """Accounts of club members, `balances`, have one row per member and one column per month; debts are negative. A
    careful treasurer always takes the largest whole euro amount that is not above the balance, also for debts. Return
    the rows."""
    return np.floor(balances)


@task
def year_of_eclipse(moment: Float(-900, 100, 2)):
    """Astronomers write a `moment` as a decimal year, counting through zero into negative years: -3.25 lies in year
    -4, which began at -4.0. Return the whole number of the year that contains the moment."""
    return np.floor(moment)


@task
def octree_cells(positions: Cube(Float(-4, 4), (1, 3), (2, 3), (2, 3))):
    """Space in a simulation is cut into cells of edge 1, and cell n goes from n up to, but not including, n + 1. For
    each group of particles `positions` has rows of coordinates, partly negative. Replace every coordinate by its cell
    number and return it all in the same nesting."""
    return np.floor(positions)


@task
def buses_needed(loads: Vector(Choice(-2.7, -2.4, -1.9, -1.2, 0.3, 0.9, 1.2, 2.0, 2.4, 3.1, 4.8, 5.5, 7.6), (2, 7))):
    """For every school `loads` tells how many busloads of pupils still wait, with fractions; below zero there is room
    to spare. The depot always rounds up to a whole number: 1.2 gives 2, -1.2 gives -1. Return the list."""
    return np.ceil(loads)


@task
def parking_fee_hours(
    hours: Matrix(Choice(-2.75, -2.1, -1.5, -1.04, 0.04, 0.57, 1.25, 1.98, 2.01, 3.0, 3.55, 4.6, 5.89), (1, 4), (2, 4)),
):
    """Parked `hours` are stored in rows per driver; negative entries are refunds. Every entry counts as the smallest
    whole number of hours that is not below it, so 2.01 is 3 and -1.5 is -1. Return a list of rows."""
    return np.ceil(hours)


@task
def next_full_metre(level: Either(Float(-5, -1.05, 2), Float(0.05, 12, 2))):
    """The sea at a lock stands at `level` metres (negative when below the datum). The top of the gate can stop at whole
    metres only and must not be lower than the water; exactly level with it is fine. Return the lowest stop that is
    possible, as a number."""
    return np.ceil(level)


@task
def tiles_for_two_walls(kitchen: Vector(TILES, (2, 5)), bath: Vector(TILES, (2, 5))):
    """A tiler keeps lists of tile changes for `kitchen` and `bath`: decimals, positive for orders and negative for
    returns. A number that is not whole always goes to the whole number above (2.4 to 3, -1.8 to -1). Return a dict with
    the keys "kitchen" and "bath" and the two new lists."""
    return {"kitchen": np.ceil(kitchen), "bath": np.ceil(bath)}


@task
def drop_the_cents(
    movements: Vector(
        Choice(-39.99, -27.45, -18.01, -12.5, -3.95, -1.6, 0.75, 2.49, 7.51, 13.29, 20.0, 26.22, 38.98), (2, 7)
    ),
):
    """A piggy bank app strips the cents from `movements`, deposits as well as withdrawals (negative): 3.95 becomes 3
    and -3.95 becomes -3. Nothing is rounded. Return the list."""
    return np.trunc(movements)


@task
def robot_steps(
    moves: Matrix(Choice(-8.9, -7.6, -5.5, -3.7, -2.0, -1.5, 0.4, 0.9, 2.3, 4.0, 5.5, 6.2, 8.7), (2, 4), 2),
):
    """Each row of `moves` is a wish [dx, dy] for a toy robot, which can only do whole steps and simply ignores the
    fraction, so that in either direction it never goes farther than asked. Return the rows of whole steps."""
    return np.trunc(moves)


@task
def whole_degrees_of_yacht(latitude: Float(10, 24, 2), longitude: Float(-86, -59, 2)):
    """A yacht in the Caribbean is at `latitude` degrees north and at `longitude`, which is negative because it is
    west. The sea chart shows only what stands in front of the decimal point, with its sign: -61.85 is shown as -61.
    Return a tuple (latitude, longitude) of the two whole numbers."""
    return (np.trunc(latitude), np.trunc(longitude))


@task
def glacier_blocks(
    shifts: Cube(Choice(-5.9, -4.4, -2.5, -1.8, -1.1, 0.1, 0.9, 1.4, 2.5, 3.7, 5.6), (1, 3), (2, 3), (2, 3)),
):
    """Movements of a glacier, `shifts`, are grouped by season, then by profile, then by stake, forwards positive and
    backwards negative. An old computer cut off everything after the decimal point. Return what it stored, nested as
    before."""
    return np.trunc(shifts)
