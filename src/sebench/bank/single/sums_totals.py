"""Totals, products, and how they grow step by step."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Choice, Cube, Float, Int, Matrix, Vector

COMPLETE = "no value is missing, which is where they differ"
ONE_WAY = "the same running values; they differ only for tables without a direction"
TOTAL = {"sum -> nansum": COMPLETE}
PRODUCT = {"prod -> nanprod": COMPLETE}
RUNNING = {"cumsum -> nancumsum": COMPLETE, "cumsum -> cumulative_sum": ONE_WAY}
GROWING = {"cumprod -> nancumprod": COMPLETE, "cumprod -> cumulative_prod": ONE_WAY}

# sum


@task(equivalent=TOTAL)
def coins_in_the_jar(coins: Vector(Choice(1, 2, 5, 10, 20, 50, 100, 200), (3, 8))):
    """The children emptied their savings jar and wrote down the value of each coin in cents, giving the list `coins`.
    Return as one number how much money that is in all."""
    return np.sum(coins)


@task(equivalent=TOTAL)
def harvest_per_tree(baskets: Matrix(Float(0, 30), (2, 4), (2, 5))):
    """`baskets` has one row per picking day and one column per apple tree, the entries being kilos. Return the whole
    harvest of each tree, as a list."""
    return np.sum(baskets, axis=0)


@task(equivalent=TOTAL)
def visitors_per_hall(visitors: Cube(Int(0, 50), (2, 3), (2, 3), (2, 3))):
    """A museum stores its `visitors` as day, then hall, then hour: a list of days, each a table with a row per hall and
    a column per hour. Return a list telling how many people came to each hall over all days and hours."""
    return np.sum(visitors, axis=(0, 2))


@task(equivalent=TOTAL)
def darts_scores(
    darts: Matrix(Choice(0, 1, 5, 7, 11, 18, 20, 25, 26, 38, 40, 45, 50, 57, 60), (2, 4), 3), carried: Int(10, 90)
):
    """Each player throws three darts, a row of `darts` per player. All of them start the round with the same `carried`
    points. Return every player's points after the round as a list of one-element rows, so that it can be pasted beside
    the table."""
    return np.sum(darts, axis=1, keepdims=True, initial=carried)


# prod


@task(equivalent=PRODUCT)
def outfits_to_choose_from(options: Vector(Int(1, 9), (2, 6))):
    """For a costume one picks a hat, a coat, shoes and so on; `options` says how many there are of each sort. Return
    the number of different complete costumes: every option of one sort goes with every option of the others."""
    return np.prod(options)


@task(equivalent=PRODUCT)
def yield_of_the_line(stages: Matrix(Float(0.5, 1, 2), (2, 4), (2, 4))):
    """Each row of `stages` belongs to one factory line; its entries are the fractions of pieces that survive each
    stage, one after the other. Return a list with the fraction of pieces that survives the entire line, one number per
    line."""
    return np.prod(stages, axis=1)


@task(equivalent=PRODUCT)
def zoom_of_the_lenses(lenses: Matrix(Float(0.5, 4), (2, 3), (2, 4)), telescope: Float(1.5, 6)):
    """A telescope by itself magnifies `telescope` times. Each column of `lenses` is a set of extra lenses to put into
    it and holds their magnifications; all of these multiply. Return the overall magnification with each set, that of
    the telescope included, as a list."""
    return np.prod(lenses, axis=0, initial=telescope)


@task(equivalent=PRODUCT)
def volume_of_parcels(parcels: Cube(Int(1, 9), (2, 3), (2, 3), 3)):
    """`parcels` is a list of vans; each van is a table with one row per parcel: length, width, height. Return the
    volume of all parcels as nested lists: per van a list of one-element rows, one row per parcel."""
    return np.prod(parcels, axis=2, keepdims=True)


# cumsum


@task(equivalent=RUNNING)
def distance_along_the_route(legs: Vector(Float(1, 30), (2, 8))):
    """A cyclist plans her tour as consecutive `legs` in kilometres. Return a list of how many kilometres she has behind
    her at the end of each leg."""
    return np.cumsum(legs)


@task(equivalent=RUNNING)
def pages_read_so_far(pages: Matrix(Int(1, 40), (2, 4), (2, 5))):
    """The table `pages` shows the pages read at each sitting, one row per day. Reading the table line by line from left
    to right, return one plain list with the number of pages read up to and including each sitting, never starting
    afresh."""
    return np.cumsum(pages)


@task(equivalent=RUNNING)
def layers_of_snow(snowfall: Matrix(Int(0, 25), (2, 5), (2, 4))):
    """At every station (column) new snow is measured each morning (row), and `snowfall` lists it in centimetres.
    Nothing melts. Return the snow depth at each station after each morning, as a list of rows."""
    return np.cumsum(snowfall, axis=0)


@task(equivalent=RUNNING)
def goals_during_the_tournament(goals: Cube(Int(0, 6), (2, 3), (2, 3), (2, 4))):
    """`goals` holds groups of teams: each group is a table, each row a team, with its goals match after match. Return
    the same nesting with every team's goal tally after each of its matches."""
    return np.cumsum(goals, axis=-1)


# cumprod


@task(equivalent=GROWING)
def savings_factor_by_year(factors: Vector(Float(0.8, 1.4, 2), (2, 7))):
    """In successive years an investment was multiplied by the numbers in `factors`. Return a list saying by what it has
    been multiplied altogether since the beginning, at the end of every year."""
    return np.cumprod(factors)


@task(equivalent=GROWING)
def branching_caves(forks: Matrix(Int(2, 4), (2, 3), (2, 4))):
    """A cave forks again and again. The survey sheet `forks`, a table that is read row by row, says for one point after
    the other into how many passages every passage splits there. Return a flat list with the number of passages behind
    each point."""
    return np.cumprod(forks)


@task(equivalent=GROWING)
def dimming_filters(passed: Matrix(Float(0.1, 1), (2, 4), (2, 4))):
    """Lamps (columns) shine through a stack of coloured foils, the topmost foil being the first row. `passed` is the
    share of each lamp's light that a foil lets through. Return the share of the original light left beneath every foil,
    as a list of rows."""
    return np.cumprod(passed, axis=0)


@task(equivalent=GROWING)
def gear_train_ratios(ratios: Matrix(Choice(-2, -1, 2, 3, 4, 5), (2, 4), (2, 4))):
    """Each clockwork is a row of `ratios`: the speed ratio from one wheel to the next, negative where the sense of
    rotation flips. Ratios along a train multiply. Return for each clockwork the ratio between its first wheel and each
    later one, as a list of rows."""
    return np.cumprod(ratios, axis=1)


# cumulative_sum


@task
def kilometre_stones(gaps: Vector(Float(0.5, 9), (2, 7))):
    """Villages lie along a road, `gaps` being the distances between one and the next. Put the first village at 0 and
    return a list of the positions of all the villages, hence one more number than there are distances."""
    return np.cumulative_sum(gaps, include_initial=True)


@task
def stock_through_the_week(deliveries: Matrix(Int(0, 20), (2, 5), (2, 4))):
    """Each row of `deliveries` is a day, each column an article; nothing is sold yet. All shelves are empty at
    first. Return the stock before the first day, then after every day, as a list of rows that opens with a row of
    zeros."""
    return np.cumulative_sum(deliveries, axis=0, include_initial=True)


@task
def speaking_slots(talks: Matrix(Int(5, 45), (2, 4), (2, 5))):
    """`talks` has a row for each lecture room, with the talks' durations in minutes. Talks follow without a break from
    minute 0. Return a list of rows: for each room all starting minutes, followed by the minute when the last talk
    ends."""
    return np.cumulative_sum(talks, axis=1, include_initial=True)


@task
def steps_of_the_stairs(risers: Cube(Float(10, 20), 2, (2, 3), (2, 3))):
    """Two houses have several flights of stairs. For each house, `risers` holds a table of the heights of the steps in
    centimetres: one row per step, from the bottom up, and one column per flight. Return, in the same nesting, how high
    one stands in each flight: a row of zeros for the ground, then a row after each step."""
    return np.cumulative_sum(risers, axis=1, include_initial=True)


# cumulative_prod


@task
def rabbits_from_one(litters: Vector(Int(1, 6), (2, 6))):
    """A breeder starts with a single rabbit, and in every season the number of rabbits is multiplied by that season's
    entry in `litters`. Return a list of the numbers of rabbits, beginning with the 1 before the first season."""
    return np.cumulative_prod(litters, include_initial=True)


@task
def price_index_by_country(growth: Matrix(Float(0.9, 1.3, 2), (2, 4), (2, 4))):
    """Inflation: `growth` has a row per year and a column per country, holding the factor by which prices changed.
    Build an index that stands at 1 before the first year and is then carried on year after year. Return it as a list of
    rows, the row of ones included."""
    return np.cumulative_prod(growth, axis=0, include_initial=True)


@task
def nested_boxes(inside: Matrix(Int(2, 5), (2, 4), (2, 4))):
    """In every gift (row of `inside`) there are boxes within boxes: the first number says how many boxes the outermost
    one holds, the next how many each of these holds, and so on. Return for each gift the count of boxes at every level,
    from the one outermost box inwards, as a list of rows."""
    return np.cumulative_prod(inside, axis=1, include_initial=True)


@task
def survival_of_seedlings(rates: Cube(Float(0.3, 1), (2, 3), 2, (2, 3))):
    """For each bed of a nursery, `rates` has a table: a row per plant species, and along the row the fraction surviving
    each month. Return in the same nesting the fraction of the seedlings alive, first 1 at sowing, then after each
    month."""
    return np.cumulative_prod(rates, axis=2, include_initial=True)
