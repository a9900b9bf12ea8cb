"""Options and forms of averages, spreads, quantiles and histograms that no training task shows."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Choice, Cube, Float, Int, Matrix, Missing, Probabilities, Ragged, Vector


@task(usage="method is 'nearest'")
def nearest_recorded_percentage(speeds: Vector(Int(20, 130), 24), percent: Choice(10, 20, 30, 40, 60, 70, 80, 90)):
    """A radar recorded 24 `speeds`. Line them up from slow to fast and number the places 0 to 23. The mark asked for
    lies at the place 23 times `percent` divided by 100, which is never a whole number and never halfway between two.
    Return the recorded speed at the whole place that is closest to it."""
    return np.percentile(speeds, percent, method="nearest")


@task(
    usage="method is 'lower'",
    equivalent={
        "percentile: method='lower' -> 'closest_observation'": "among six heights these percents lead to the same one"
    },
)
def wall_height_still_recorded(heights: Matrix(Int(180, 320), 6, (4, 9)), percent: Choice(25, 33, 50, 66, 75)):
    """Six surveyors each measured the same points of an old wall: a row of `heights` per surveyor, a column per point.
    For every point line up its six heights, numbered 0 to 5 from low to high. The mark lies at place 5 times `percent`
    divided by 100, which is never a whole number; report the height at the place just below it. Return the list of
    reports, point by point."""
    return np.percentile(heights, percent, axis=0, method="lower")


@task(usage="method is 'midpoint'")
def halfway_between_neighbours(delays: Vector(Int(0, 90), 23), share: Choice(0.1, 0.2, 0.3, 0.4, 0.6, 0.7, 0.8, 0.9)):
    """The `delays` of 23 flights are put in ascending order and numbered 0 to 22. The place 22 times `share` is never a
    whole number; return the value exactly in the middle between the delay just below this place and the one just above,
    however near the place is to one of them."""
    return np.quantile(delays, share, method="midpoint")


@task(usage="weights is given", shops=(10, 25))
def price_reached_by_volume(
    prices: Vector(Int(10, 40), "shops"),
    litres: Vector(Int(1, 9), "shops"),
    share: Choice(0.137, 0.263, 0.489, 0.731, 0.877),
):
    """Petrol stations charge `prices`, and each sold as many `litres` as stand at the same position. Go through the
    stations from the lowest to the highest price, adding up litres. Return the price of the first station at which the
    litres so far are at least `share` of the total; it is one of the given prices."""
    return np.quantile(prices, share, method="inverted_cdf", weights=litres)


@task(usage="axis is a list", page="int or tuple of ints")
def middle_flow_per_river(flows: Cube(Int(5, 300), (2, 4), (3, 5), (3, 6))):
    """`flows` holds a table for each year, in it a row for each river and in the row a number for each month. Years
    and months do not matter here: for every river line up its flows of every year and month by size, and report the
    one in the middle, or the midpoint of the two in the middle if their count is even. Return the list of reports,
    by river."""
    return np.median(flows, axis=(0, 2))


@task(usage="a holds nan", page="If an element is nan", nonfinite=True)
def average_only_if_complete(readings: Matrix(Choice(float("nan"), 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12), (3, 6), 5)):
    """Each row of `readings` is a day with five measurements, some of them lost (nan). A day counts only if it is
    complete: for such a day report the average of its five values, for every other day nan. Return a list with one
    report per day."""
    return np.mean(readings, axis=1)


@task(usage="keepdims is True", parts=(2, 6))
def weighted_marks_column(marks: Matrix(Int(0, 20), (3, 8), "parts"), weights: Vector(Int(1, 5), "parts")):
    """Every row of `marks` is one candidate, every column one part of the examination, and part number i counts
    `weights`[i] times. Return the weighted mean of each candidate as a column to be pasted beside the table: a list of
    rows with one number each."""
    return np.average(marks, axis=1, weights=weights, keepdims=True)


@task(usage="axis is a list", page="with several axes, of their lengths", rooms=(2, 4), hours=(3, 6))
def comfort_by_building(
    warmth: Cube(Int(14, 28), (2, 5), "rooms", "hours"), people: Matrix(Int(1, 9), "rooms", "hours")
):
    """For each building `warmth` has a table of temperatures with a row per room and a column per hour. The table
    `people`, with the same rows and columns, tells how many people sit in a room at an hour; it is the same for every
    building. A temperature counts once for each of these people. Return the mean temperature that is felt in each
    building, as a list."""
    return np.average(warmth, axis=(1, 2), weights=people)


@task(usage="ddof is a fraction")
def corrected_scatter(weights: Vector(Float(40, 60), (6, 30))):
    """A mint estimates the standard deviation of coin `weights` with a correction that works well for small samples:
    the squared deviations from the mean are added and divided by the number of coins less 1.5, and the square root of
    that is taken. Return it as a number."""
    return np.std(weights, ddof=1.5)


@task(usage="axis is a list", page="int or tuple of ints")
def tremor_per_sensor(tremors: Cube(Int(-40, 40), (2, 4), (3, 6), (2, 5))):
    """During several quakes a number of sensors wrote down samples: `tremors` has a table per quake, a row per sample
    moment and a column per sensor. Pool what each sensor wrote in every quake and return the standard deviation of
    these numbers (dividing by how many they are), as a list by sensor."""
    return np.std(tremors, axis=(0, 1))


@task(usage="axis is a list", page="int or tuple of ints")
def brightness_spread_per_plate(plates: Cube(Int(0, 255), (2, 6), (3, 6), (3, 8))):
    """An observatory scanned photographic `plates`, each a list of rows of brightness values. For each plate return the
    variance of its values: the total of their squared distances from the mean of the whole plate, divided by the number
    of values. The answer is a list, one number per plate."""
    return np.var(plates, axis=(1, 2))


@task(
    usage="y has 2 dimensions",
    page="An additional set of variables and observations",
    weeks=(8, 14),
    without=("constant", "zeros", "ties", "extremes"),  # a row without any variation correlates with nothing
)
def weather_against_sales(weather: Matrix(Int(0, 90), 2, "weeks"), sales: Matrix(Int(0, 90), (1, 3), "weeks")):
    """Two rows of `weather` (sunshine and wind) and the rows of `sales` (one per product) have a number for each week.
    Put the rows of both tables into one list, weather first, and return the table of Pearson correlation coefficients
    of each row with each row: as many rows and columns as there are series in the joint list."""
    return np.corrcoef(weather, sales)


@task(
    usage="aweights is given",
    n=(6, 15),
    equivalent={"cov: bias=True added": "the divisor that is given overrides it"},
)
def covariance_of_scenarios(returns: Matrix(Int(-20, 20), (2, 4), "n"), chances: Probabilities("n")):
    """Each row of `returns` is an investment, each column a scenario, and scenario j happens with probability
    `chances`[j]. Return the table of covariances of the investments: the expected product of the deviations from the
    expected returns, where expected means weighted by the probabilities, with no correction of the divisor."""
    return np.cov(returns, ddof=0, aweights=chances)


@task(usage="a has 2 dimensions", page="Input data, which is flattened")
def field_yields_by_class(yields: Matrix(Choice(0, 5, 10, 15, 20, 25, 30, 40, 50, 55), (3, 6), (4, 8))):
    """A farm is a grid of fields, and `yields` has the harvest of each. Count over the whole grid how many fields have
    a harvest from 0 to below 10, from 10 to below 25, and from 25 up to and including 50; larger harvests are not
    counted. Return the three counts as a list."""
    return np.histogram(yields, bins=[0, 10, 25, 50])[0]


@task(
    usage="bins is 'rice'",
    without=("constant", "large"),
    # equal values span no classes; rounding decides at some lengths
)
def class_limits_by_rice(lengths: Vector(Float(10, 90), (10, 26))):
    """Leaf `lengths` are to be grouped into classes of equal width, from the smallest to the largest length. How many
    classes there are is found from the data with the rule that is named Rice. Return the limits of the classes in
    ascending order, from the smallest length to the largest."""
    return np.histogram_bin_edges(lengths, bins="rice")


@task(usage="density is True", n=(10, 30))
def landing_density(east: Vector(Int(0, 20), "n"), north: Vector(Int(0, 12), "n")):
    """Paper planes landed at `east`, `north` (metres) on a field of 20 by 12, none outside. Divide the field into four
    equal strips from west to east and each into three equal parts from south to north; a point on an inner border
    belongs to the part east or north of it, one on the rim of the field to the part inside. Return the probability
    density in each part, the share of planes divided by the area of the part, as a list of four rows with three
    numbers."""
    return np.histogram2d(east, north, bins=(4, 3), range=((0, 20), (0, 12)), density=True)[0]


@task(usage="weights is given", n=(10, 25))
def rent_reached_by_tenants(rents: Vector(Missing(Int(300, 900)), "n"), tenants: Vector(Int(1, 6), "n")):
    """Flats have `rents`, nan where nobody told, and as many `tenants` as stand at the same position. Leave out the
    flats without a rent together with their tenants. Go through the others from cheap to expensive and return the rent
    of the first flat with which at least 40 percent of their tenants are reached; it is one of the given rents."""
    return np.nanpercentile(rents, 40, method="inverted_cdf", weights=tenants)


@task(usage="keepdims is True")
def upper_mark_beside_log(log: Ragged(Missing(Int(0, 100)), (3, 8), (6, 6))):
    """Every row of `log` has six noise levels of a night, nan for a failed one, and at least one is valid. For each
    night find the mark below which 80 percent of the valid levels lie, interpolating linearly between neighbours (0
    percent is the lowest, 100 percent the highest level). Return the marks as a column: a list of rows with one number
    each."""
    return np.nanpercentile(log, 80, axis=1, keepdims=True)


@task(
    usage="method is 'lower'",
    equivalent={"nanquantile: method='lower' -> 'inverted_cdf'": "in the middle both take the smaller neighbour"},
)
def lower_middle_bid(bids: Vector(Missing(Int(50, 400)), (10, 24))):
    """Sealed `bids` were opened; nan is an envelope without a number. Line up the numbers by size. The contract price
    is the number in the middle or, if their count is even, the smaller one of the two in the middle. Return it."""
    return np.nanquantile(bids, 0.5, method="lower")


@task(usage="weights is given", n=(10, 25))
def dose_reached_by_share(doses: Vector(Missing(Int(1, 30)), "n"), patients: Vector(Int(1, 8), "n")):
    """A clinic gave `doses` (nan where the note is unreadable), each to the number of `patients` at the same position.
    Unreadable notes and their patients are left out. Return the smallest dose such that at least three quarters of the
    remaining patients got this dose or a smaller one."""
    return np.nanquantile(doses, 0.75, method="inverted_cdf", weights=patients)


@task(
    usage="bins is 'sturges'",
    without=("constant", "large"),  # equal values span no classes; rounding decides at some lengths
    equivalent={
        "histogram: bins='sturges' -> 'auto'": "of the two rules that it weighs, the other gives fewer classes"
    },
)
def wave_heights_in_sturges_classes(heights: Vector(Float(0, 9, 3), (17, 30))):
    """Wave `heights` are sorted into classes of equal width from the lowest to the highest wave; how many classes there
    are is found from the data by the rule that is named Sturges. No height lies on a border between two classes.
    Return a tuple: the counts of the classes from low to high, and the list of their
    limits, one more than there are classes."""
    return np.histogram(heights, bins="sturges")
