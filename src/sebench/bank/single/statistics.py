"""Averages, weighted averages, middle values and spread."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Choice, Complex, Cube, Float, Int, Matrix, Vector

# mean


@task(shops=(2, 5))
def average_daily_sales(sales: Matrix(Int(0, 200), "shops", 7)):
    """A chain logs one row of daily `sales` per shop, Monday to Sunday. Return the average over the shops for each day,
    as a list of seven numbers."""
    return np.mean(sales, axis=0)


@task
def quiz_average(points: Vector(Float(0, 20), (3, 7))):
    """Each number in `points` is what one pupil scored in a quiz. Return the class average as a single number."""
    return np.mean(points)


@task(cows=(2, 4))
def milk_yield_column(litres: Matrix(Float(8, 35), "cows", 5)):
    """Five milkings per cow are written down in `litres`, and each cow has her own row. The averages of the rows are to
    be pasted beside the table, so return them as a column: a list with one row per cow, holding one number."""
    return np.mean(litres, axis=1, keepdims=True)


@task
def glacier_thickness_by_survey(surveys: Cube(Int(20, 180), (2, 3), (2, 3), 3)):
    """Radar measures the ice of a glacier on a grid, once a year. `surveys` therefore is a list of grids, each a list
    of rows with thicknesses in metres. Return the average thickness found in each year, as a list."""
    return np.mean(surveys, axis=(1, 2))


# median


@task
def middle_house_price(prices: Vector(Int(90, 900), (3, 7))):
    """House `prices` (in thousands) in our street vary a lot, so the mean misleads. Return the price in the middle of
    the ordered list instead; with an even number of houses, the midpoint of the two central prices."""
    return np.median(prices)


@task(jurors=(3, 6), skaters=(2, 4))
def skating_panel_marks(panel: Matrix(Float(0, 10), "jurors", "skaters")):
    """Figure skating: the rows of `panel` are jurors, the columns skaters. A skater gets the middle mark of her column
    (the mean of the two middle ones if the number of jurors is even). Return the skaters' results as a list."""
    return np.median(panel, axis=0)


@task(sites=(2, 4), tries=(3, 5))
def well_depth_by_site(drillings: Matrix(Int(5, 80), "sites", "tries")):
    """At each of several sites people drilled for water a few times. `drillings` has a row per site with the depths in
    metres. Return the middle depth of each site (for an even number of drillings, halfway between the middle two), as a
    list of rows with one number per row."""
    return np.median(drillings, axis=1, keepdims=True)


@task
def camera_noise_floor(shots: Cube(Int(0, 60), (2, 3), 2, (2, 3))):
    """A dark room is photographed several times; `shots` is the list of pictures, each a list of rows of grey values.
    Line up all grey values of all pictures by size and return the one in the middle, or the mean of the middle pair if
    their number is even."""
    return np.median(shots)


# average


@task(courses=(2, 6))
def grade_by_credits(grades: Vector(Float(1, 5), "courses"), credits: Vector(Int(1, 12), "courses")):
    """A student's final result is the mean of all `grades`, where each grade counts as often as its course has
    `credits`. Return it as a number, unrounded."""
    return np.average(grades, weights=credits)


@task(wines=(2, 4))
def wine_scores_by_criterion(scores: Matrix(Int(0, 20), "wines", 3), importance: Vector(Int(1, 9), 3)):
    """Wines are judged on smell, taste and look; every row of `scores` is one wine with these three values.
    `importance` says how heavily each criterion weighs. Return the weighted mean score of every wine as a list."""
    return np.average(scores, axis=1, weights=importance)


@task(lots=(2, 6))
def coffee_blend_price(price: Vector(Float(4, 30, 2), "lots"), kilos: Vector(Int(1, 60), "lots")):
    """A roaster mixes several sacks of coffee, which cost `price` per kilo and weigh `kilos`. Return the kilo price of
    the mixture together with its total weight, as a tuple (price, weight)."""
    return np.average(price, weights=kilos, returned=True)


@task(ships=(2, 4), ports=(2, 4))
def harbour_waiting_weighted(
    hours: Matrix(Float(0, 48), "ships", "ports"), containers: Matrix(Int(1, 40), "ships", "ports")
):
    """`hours` tells how long each ship (row) waited in each port (column), and `containers`, a table of the same form,
    how many containers it unloaded there. For each port return the mean waiting time of a container: the mean of the
    hours, weighted by the containers. Return a list."""
    return np.average(hours, axis=0, weights=containers)


# std


@task
def dart_spread(hits: Vector(Choice(0, 1, 3, 5, 7, 12, 18, 19, 20, 25, 36, 40, 50, 57, 60), (3, 7))):
    """`hits` lists the points that a darts player made with each dart of a leg. Return their population standard
    deviation (divide by n before taking the root) as a number."""
    return np.std(hits)


@task
def scale_repeatability(weighings: Vector(Float(99, 101, 2), (3, 7))):
    """The same 100 gram weight is put on a kitchen scale again and again, giving `weighings`. Estimate the scale's
    standard deviation from this sample, so with n - 1 in the denominator. Return the estimate."""
    return np.std(weighings, ddof=1)


@task(weeks=(2, 5), brands=(2, 4))
def battery_life_deviation(lifetimes: Matrix(Float(2, 40), "weeks", "brands")):
    """Every week one battery of each brand is drained; a row of `lifetimes` is a week, a column is a brand. How much
    does each brand vary? Return a list of the columns' standard deviations, with the number of weeks as divisor."""
    return np.std(lifetimes, axis=0)


@task(choirs=(2, 4), singers=(3, 5))
def choir_pitch_scatter(pitches: Matrix(Int(180, 480), "choirs", "singers")):
    """`pitches` has one row per choir, with one frequency per singer. Compute how far the singers of a choir scatter,
    as the corrected sample standard deviation (divisor: singers minus one). Return a list of rows, one for each choir,
    with this one number inside."""
    return np.std(pitches, axis=1, ddof=1, keepdims=True)


# var


@task
def bus_headway_variance(headways: Vector(Float(2, 25), (3, 7))):
    """Passengers complain about bunched buses. From the gaps between buses, `headways` in minutes, return the variance:
    the average of the squared distances from their mean, taken over all gaps."""
    return np.var(headways)


@task(trials=(2, 5), fertilisers=(2, 4))
def maize_harvest_variance(harvest: Matrix(Float(1, 12), "trials", "fertilisers")):
    """Each column of the `harvest` table is a fertiliser, each row a trial plot. Return one unbiased variance for every
    fertiliser, where the squared deviations are divided by the number of plots minus 1, as a list."""
    return np.var(harvest, axis=0, ddof=1)


@task(brokers=(2, 4), quarters=(3, 5))
def broker_return_variance(returns: Matrix(Int(-20, 30), "brokers", "quarters")):
    """Each row of `returns` holds the quarterly returns of one broker, in percent. How strongly do they fluctuate?
    Return the variance of every row, with the plain count as divisor, in the form of a one-column list of rows."""
    return np.var(returns, axis=1, keepdims=True)


@task
def phasor_scatter(phasors: Vector(Complex(-4, 4), (3, 6))):
    """Complex `phasors` of an antenna wander around. Take the squared absolute distance of each from their common mean,
    and return the average of these squares (over all of them) as a real number."""
    return np.var(phasors)


# percentile


@task
def delivery_promise(durations: Vector(Int(10, 240), (4, 8)), percent: Int(5, 95)):
    """Within which time are `percent` percent of all parcels delivered? The shortest of the past `durations` stands for
    0 percent, the longest for 100, and the others, in order, for equal steps between. Return the time as a number, with
    linear interpolation."""
    return np.percentile(durations, percent)


@task(visits=(3, 5), rivers=(2, 4))
def river_flow_bands(flows: Matrix(Float(1, 90), "visits", "rivers")):
    """The columns of `flows` are rivers, the rows are monthly visits. Return three rows: first the flow that each river
    stays under 10 percent of the time, then likewise for 50 and 90 percent. Percentages run evenly over a river's
    ordered values, from 0 at the least to 100 at the greatest; interpolate linearly."""
    return np.percentile(flows, [10, 50, 90], axis=0)


@task(boats=(2, 4), races=(3, 5))
def regatta_seventieth(finishes: Matrix(Int(30, 120), "boats", "races")):
    """Sailing times stand in `finishes`, a row for each boat and a column per race. For every boat return the time at
    70 percent of its ordered row (0 percent: shortest, 100: longest, linear in between), as rows of one number each."""
    return np.percentile(finishes, 70, axis=1, keepdims=True)


@task(homes=(3, 6))
def income_reached_by_people(
    incomes: Vector(Int(10, 99), "homes"), people: Vector(Int(1, 9), "homes"), q: Choice(25, 50, 75)
):
    """Households report their `incomes` and how many `people` live in each. Going up the ordered incomes, find the
    first one at which at least `q` percent of all people are reached, counting everybody in a household. Return this
    income as a number."""
    return np.percentile(incomes, q, method="inverted_cdf", weights=people)


# quantile


@task
def noise_limit(decibels: Vector(Float(30, 99), (4, 8)), fraction: Float(0.5, 0.95, 2)):
    """The noise limit of a festival is set by the `decibels` measured last year. Order them from quiet to loud and
    return the sound level that lies the given `fraction` of the way from the first place (fraction 0) to the last
    (fraction 1), linearly interpolated, as a number."""
    return np.quantile(decibels, fraction)


@task(stages=(3, 5), cyclists=(2, 4))
def cyclist_power_range(watts: Matrix(Int(120, 420), "stages", "cyclists")):
    """Per stage (row) and cyclist (column) a coach has the mean power in `watts`. Return two rows, with a number for
    each cyclist: first the power one fifth of the way up that cyclist's ordered list (weakest stage: none of the way,
    strongest: all of it), then the power at four fifths; interpolate linearly between neighbours."""
    return np.quantile(watts, [0.2, 0.8], axis=0)


@task(kilns=(2, 4), firings=(3, 5))
def kiln_temperature_mark(temperatures: Matrix(Int(900, 1300), "kilns", "firings"), share: Choice(0.1, 0.3, 0.6, 0.9)):
    """A pottery owns some kilns (rows) with a few firings each (columns of `temperatures`). Return, as a one-column
    list of rows, the temperature not exceeded in the proportion `share` of a kiln's firings, where the coolest firing
    has share 0, the hottest share 1, and in between the share grows linearly from firing to firing."""
    return np.quantile(temperatures, share, axis=1, keepdims=True)


@task
def shoe_size_to_stock(sizes: Vector(Int(34, 48), (4, 8)), covered: Choice(0.25, 0.5, 0.75)):
    """A shop orders slippers in one size. Put the customers' `sizes` in ascending order and walk the fraction `covered`
    of the way from the first customer to the last. If you end up between two of them, return the larger of their sizes,
    otherwise the size where you stopped."""
    return np.quantile(sizes, covered, method="higher")
