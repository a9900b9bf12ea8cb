"""Options and forms of the functions that skip missing values which no training task shows."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Choice, Cube, Float, Int, Missing, Ragged, Vector


@task(usage="axis is a list", page="int or tuple of ints")
def rain_per_gauge(rain: Cube(Missing(Int(0, 40)), (2, 3), (3, 5), (3, 7))):
    """Rain is measured every day: `rain` has a table for each week, in it a row for each day and in the row a number
    for each gauge, nan if the gauge was blocked. Return the total of every gauge over the days of every week, as a list
    by gauge; blocked days count nothing."""
    return np.nansum(rain, axis=(0, 1))


@task(usage="a holds infinity", page="Infinite values are kept", nonfinite=True)
def penalty_points_with_expulsion(
    points: Vector(Choice(float("nan"), float("nan"), float("inf"), *range(1, 16)), (4, 12)),
):
    """A regatta adds up penalty `points`. nan stands for a race that was not sailed and counts nothing; whoever was
    expelled in a race has inf points there, and then the total is inf too. Return the total."""
    return np.nansum(points)


@task(usage="axis is a list", page="int or tuple of ints")
def growth_over_plots(growth: Cube(Missing(Choice(0.5, 0.8, 1.25, 1.5, 2.0)), (2, 3), (3, 6), (2, 4))):
    """Every season a garden notes by which factor each herb grew in each bed: `growth` has a table per season, a row
    per herb and a column per bed, and nan where nobody looked. Multiply for each herb the known factors of every season
    and bed, and return the products as a list by herb. With no known factor the product is 1."""
    return np.nanprod(growth, axis=(0, 2))


@task(usage="keepdims is True")
def tallest_tree_beside_row(trees: Ragged(Missing(Int(2, 40)), (3, 8), (7, 7))):
    """An orchard keeps a row of seven heights per line of `trees`, nan where a tree is missing; each line has a tree.
    Return the tallest height of each line as a column, so a list with a row of one number for each line."""
    return np.nanmax(trees, axis=1, keepdims=True)


@task(usage="axis is a list", page="int or tuple of ints")
def coldest_reading_per_campaign(campaigns: Cube(Missing(Int(-40, 10)), (2, 6), (3, 5), (3, 7))):
    """Polar explorers bring home a table of temperatures from each of their `campaigns`, all of the same size: a row
    per station, a column per day, nan where the instrument froze. Return the lowest temperature of each campaign, as a
    list; every campaign has a valid reading."""
    return np.nanmin(campaigns, axis=(1, 2))


@task(usage="keepdims is True")
def best_throw_column(throws: Ragged(Missing(Int(30, 60)), (3, 8), (6, 6))):
    """Each row of `throws` has six attempts of a javelin thrower, nan for a foul; everybody has a valid one. At which
    position in the row, counted from 0, is the farthest throw, the first one if there are several? Return the positions
    as a column: a list of rows with one whole number each."""
    return np.nanargmax(throws, axis=1, keepdims=True)


@task(usage="axis is a list", page="int or tuple of ints")
def typical_price_per_market(markets: Cube(Missing(Int(10, 90)), (2, 6), (3, 5), (3, 6))):
    """Prices were collected in several `markets`: for each a table with a row per stall and a column per fruit, nan if
    a stall does not have the fruit. For each market line up its prices by size and report the middle one, or the
    midpoint of the middle two if their number is even. Return a list with a number per market; each has a price."""
    return np.nanmedian(markets, axis=(1, 2))


@task(usage="keepdims is True")
def pulse_scatter_beside(pulses: Ragged(Missing(Int(50, 99)), (3, 8), (8, 8))):
    """Each row of `pulses` has eight pulse rates of a patient, nan where the cuff slipped; at least one is valid.
    Return the standard deviation of each patient's valid rates (dividing by how many they are), as a column of a table:
    a list of rows with one number each."""
    return np.nanstd(pulses, axis=1, keepdims=True)


@task(usage="axis is a list", page="int or tuple of ints")
def soundings_variance_per_bay(bays: Cube(Missing(Float(1, 30)), (2, 6), (3, 5), (3, 6))):
    """For each of several `bays` there is a grid of water depths, with nan where the lead was lost. Return the variance
    of the known depths of each bay as a list: the average of the squared distances from their mean, dividing by the
    number of known depths. Each bay has a known depth."""
    return np.nanvar(bays, axis=(1, 2))
