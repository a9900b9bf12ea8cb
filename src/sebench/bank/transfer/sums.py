"""Options and edge rules of sums, products, differences and extremes that no training task shows."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Bool, Choice, Cube, Float, Int, Matrix, Vector


@task(usage="a is empty", page="Without any elements")
def jar_after_coins(saved: Int(0, 90), coins: Vector(Choice(1, 2, 5, 10, 20, 50), (0, 12))):
    """A jar already holds `saved` cents when `coins`, a list of their values in cents, are dropped into it; perhaps
    there are none. Return how many cents are in the jar afterwards."""
    return np.sum(coins, initial=saved)


@task(usage="axis is a list", page="int or tuple of ints")
def survival_through_stages(chances: Cube(Float(0.5, 1.5, 1), (2, 3), (2, 4), (2, 5))):
    """A seed passes through several years, and in each year through several stages. `chances` has a table per year,
    with a row per stage and a column per plant species, of factors by which the number of plants changes. Return for
    each species the factor over every stage of every year together, as a list."""
    return np.prod(chances, axis=(0, 1))


@task(usage="a holds truth values", page="True counts as 1 and False as 0")
def wins_so_far(won: Vector(Bool(), (10, 30))):
    """`won` tells match by match, with True or False, whether a team won. Return a list that says after each match how
    many matches the team had won until then, that match included."""
    return np.cumsum(won)


@task(usage="a holds truth values", page="For bools the result is True where neighbours differ")
def light_switched_between(lit: Matrix(Bool(), (2, 6), (6, 12))):
    """A watchman notes hour by hour, with True or False, whether the window of an office is `lit`: one row per office.
    For each office and each two consecutive hours tell with True or False whether the light changed between them.
    Return a list of rows, each shorter by one than the row of notes."""
    return np.diff(lit)


@task(usage="prepend is a list", page="number, or array or nested list", tanks=(2, 6))
def tank_changes_from_start(start: Matrix(Int(0, 90), "tanks", 1), levels: Matrix(Int(0, 90), "tanks", (5, 9))):
    """`levels` has a row per tank with the level after each day, and `start` is a column (rows of one number) with the
    level of each tank before the first day. Return by how much each tank rose on each day, a negative number if it
    fell, as a list of rows as long as those of the levels."""
    return np.diff(levels, prepend=start)


@task(usage="to_begin is a list", page="number, or array or nested list")
def message_with_header(header: Vector(Int(-9, 9), 2), samples: Vector(Int(0, 99), (10, 20))):
    """To save space a recorder sends instead of `samples` only by how much each sample differs from the one before it.
    The two numbers of `header` are sent first. Return the message as a flat list: the header, then the differences,
    later sample minus earlier one."""
    return np.ediff1d(samples, to_begin=header)


@task(usage="axis is a number")
def temperature_slope_down_wells(wells: Matrix(Int(0, 60), (3, 8), (2, 6))):
    """Several wells were measured at the same depths, one metre apart: the rows of `wells` are depths from the top
    down, the columns are wells. Estimate for every point how fast the temperature grows per metre of depth: between the
    ends half the difference of the values below and above, at the ends the difference of the two outermost values.
    Return a list of rows of the same layout."""
    return np.gradient(wells, axis=0)


@task(usage="a is empty", page="needed where there are no elements")
def auction_result(reserve: Int(20, 80), bids: Vector(Int(1, 99), (0, 10))):
    """In an auction nothing is sold below the price `reserve`, and the house itself bids that much. Return the highest
    of the `bids` of the audience and of the house; maybe the audience offered nothing, so that the list is empty."""
    return np.max(bids, initial=reserve)


@task(usage="keepdims is True")
def fastest_lap_beside(laps: Matrix(Int(50, 99), (3, 8), (5, 12))):
    """The rows of `laps` are skaters, the columns their lap times. To set the fastest lap of each skater beside the
    table, return it as a column: a list with one row per skater that holds the smallest time only."""
    return np.min(laps, axis=1, keepdims=True)


@task(usage="a holds nan", page="Where a value is nan, the result is nan", nonfinite=True)
def temperature_swing_of_complete_days(days: Matrix(Choice(float("nan"), *range(-4, 21)), 6, (4, 9))):
    """Six times a day a station wrote down the temperature: the columns of `days` are the days, the rows the six times,
    and nan is a lost value. For a complete day report its highest minus its lowest temperature, for a day with a lost
    value nan. Return the list of reports, day by day."""
    return np.ptp(days, axis=0)


@task(usage="axis is a list", page="int or tuple of ints")
def current_on_each_sheet(sheets: Cube(Int(0, 60), (2, 4), (3, 5), (3, 6))):
    """`sheets` holds voltages: several sheets, each a grid of rows and columns with a spacing of 1. Estimate on
    every sheet how fast the voltage changes down the rows and along the columns, inside as half the difference of
    the two neighbours, at the borders as the difference of the two outermost values. Return a tuple of two nested
    lists like the sheets: first the change down the rows, then the change along the columns. Sheets do not influence
    each other."""
    return np.gradient(sheets, axis=(1, 2))


@task(usage="x has 2 dimensions", page="a row of places for each row of values", runs=(2, 5), points=(4, 9))
def work_of_each_press(forces: Matrix(Int(0, 30), "runs", "points"), ways: Matrix(Int(0, 30), "runs", "points")):
    """A press was tested several times: row r of `forces` has the forces measured one after another in test r, and row
    r of `ways` has how far the press had moved at each of them. The work of a test is the area under the straight lines
    that join its points, force over way; moving back counts as negative. Return the work of every test as a list."""
    return np.trapezoid(forces, ways)
