"""Correlation, covariance and counting into bins."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Float, Int, Matrix, Vector

# corrcoef


@task(
    n=(3, 7),
    equivalent={
        "corrcoef: arguments 1 and 2 swapped": "the correlation of two lists is symmetric",
        "corrcoef: rowvar=False added": "two lists are two variables either way",
    },
)
def ice_cream_and_heat(degrees: Vector(Int(10, 38), "n", unique=True), cones: Vector(Int(0, 300), "n", unique=True)):
    """Do people buy more ice cream when it is hot? From the daily `degrees` and the `cones` sold, return Pearson's
    correlation as a number between -1 and 1."""
    return np.corrcoef(degrees, cones)[0][1]


@task(n=(3, 6))
def instrument_correlations(
    flute: Vector(Int(-20, 20), "n", unique=True),
    horn: Vector(Int(-20, 20), "n", unique=True),
    viola: Vector(Int(-20, 20), "n", unique=True),
):
    """During a rehearsal the pitch errors of `flute`, `horn` and `viola` were noted at the same moments. Return the
    table of Pearson correlations between the three, as a list of three rows in the named order (ones on the
    diagonal)."""
    return np.corrcoef([flute, horn, viola])


@task(plants=(2, 4))
def plants_growing_together(
    sown: Vector(Float(0, 4), "plants"), middle: Vector(Float(5, 15), "plants"), grown: Vector(Float(9, 30), "plants")
):
    """We measured the same plants on three dates, giving the lists `sown`, `middle` and `grown`, one height per plant.
    Every date is an observation and every plant a variable. Return Pearson's correlation of each plant with every
    plant, itself included, as a square list of rows."""
    return np.corrcoef([sown, middle, grown], rowvar=False)


@task(n=(3, 6))
def tide_against_moon_and_wind(
    moon: Vector(Float(0, 9), "n", unique=True),
    wind: Vector(Float(0, 9), "n", unique=True),
    tide: Vector(Float(0, 9), "n", unique=True),
):
    """For a few evenings we know how high the `moon` stood, how hard the `wind` blew and how far the `tide` rose.
    Return a list with two numbers: Pearson's coefficient between moon and tide, followed by the one between wind and
    tide."""
    return np.corrcoef([moon, wind], tide)[:2, 2]


# cov


@task(n=(2, 6), equivalent={"cov: rowvar=False added": "two lists are two variables either way"})
def height_and_armspan(height: Vector(Int(150, 185), "n"), armspan: Vector(Int(145, 190), "n")):
    """A class measured everyone's `height` and `armspan`. Return the 2 by 2 table of variances and covariances of these
    two (in that order; sums of products divided by the number of people minus one), as a list of rows."""
    return np.cov(height, armspan)


@task(days=(2, 5))
def stock_covariances(closing: Matrix(Int(10, 90), "days", 3)):
    """Three stocks are the columns of `closing`, trading days are its rows. How do the stocks vary together? Return
    their 3 by 3 covariance table as a list of rows, dividing by the number of days, without any correction."""
    return np.cov(closing, rowvar=False, bias=True)


@task(
    n=(2, 6),
    equivalent={
        "cov: arguments 1 and 2 swapped": "the covariance of two lists is symmetric",
        "cov: rowvar=False added": "two lists are two variables either way",
        "cov: bias=True added": "the divisor is given",
    },
)
def pulse_breath_covariance(pulse: Vector(Int(50, 180), "n"), breath: Vector(Int(8, 40), "n")):
    """While a rower trains, `pulse` and `breath` are sampled together. Return the covariance of both as a single
    number, where the summed products of the deviations are divided by the count of samples itself."""
    return np.cov(pulse, breath, ddof=0)[0][1]


@task(groups=(2, 5))
def nest_covariance_counted(
    eggs: Vector(Int(6, 12), "groups"), chicks: Vector(Int(0, 6), "groups"), nests: Vector(Int(1, 5), "groups")
):
    """Ornithologists summarise: `nests`[i] identical nests had `eggs`[i] eggs and `chicks`[i] chicks each. Return the
    covariance table of eggs and chicks as two rows, as though every nest had its own entry; the divisor is the number
    of all nests minus 1."""
    return np.cov([eggs, chicks], fweights=nests)


# bincount


@task
def goals_tally(goals: Vector(Int(0, 6), (3, 8))):
    """The list `goals` says how many goals were scored in each match of a youth hockey season. Return a tally: how many
    matches had 0 goals, 1 goal, 2 goals and so on up to the most that occurred, as a list."""
    return np.bincount(goals)


@task(orders=(3, 7))
def takings_per_table(tables: Vector(Int(0, 5), "orders"), bills: Vector(Float(5, 60, 2), "orders")):
    """A café numbers its tables from 0. Order i was for table `tables`[i] and came to `bills`[i]. Return the takings of
    every table, from table 0 to the highest number that occurs, as a list; unused tables in between took 0."""
    return np.bincount(tables, weights=bills)


@task
def accidents_by_weekday(weekdays: Vector(Int(0, 6), (2, 7))):
    """Accidents at a crossing are recorded by weekday, 0 for Monday to 6 for Sunday, in `weekdays`. How many happened
    on each day? Return seven counts as a list, zeros included."""
    return np.bincount(weekdays, minlength=7)


@task(catches=(2, 7))
def catch_by_cutter(cutters: Vector(Int(0, 4), "catches"), tonnes: Vector(Int(1, 30), "catches"), fleet: Int(5, 8)):
    """A fishing fleet has `fleet` cutters, numbered from 0. Catch i, weighing `tonnes`[i], was landed by cutter number
    `cutters`[i]. Return the total weight landed by each cutter of the fleet as a list; some may have landed nothing."""
    return np.bincount(cutters, weights=tonnes, minlength=fleet)


# histogram


@task
def visitors_by_age_band(ages: Vector(Int(0, 99), (4, 8))):
    """A museum sorts its visitors' `ages` (all below 100) into the bands 0 to 6, 6 to 18, 18 to 65 and 65 to 100; the
    lower end belongs to a band, the upper one to the next. Return the number of visitors in each band as a list."""
    return np.histogram(ages, bins=[0, 6, 18, 65, 100])[0]


@task
def marathon_finish_groups(minutes: Vector(Int(130, 360), (4, 8), unique=True)):
    """Runners' finishing `minutes` are grouped into four spans of equal width that reach from the fastest to the
    slowest runner. A span includes its start but not its end, save the last, which includes both. Return a tuple
    (runners per span, the five borders)."""
    return np.histogram(minutes, bins=4)


@task
def pebble_density(widths: Vector(Float(0.2, 7.9), (4, 8))):
    """Pebbles on a beach have `widths` below 8 centimetres. Divide the range from 0 to 8 into four equal classes (a
    border value goes to the class above it) and return, as a list, the density of each class: its share of the
    pebbles divided by the class width, so that the areas add up to 1."""
    return np.histogram(widths, bins=4, range=(0, 8), density=True)[0]


@task(trucks=(4, 7))
def freight_by_distance(distances: Vector(Int(0, 99), "trucks"), load: Vector(Int(1, 40), "trucks")):
    """Truck i drove `distances`[i] km, from 0 to below 100, with a load of `load`[i] tonnes. Cut the range from 0 to
    100 km into five equally wide classes, a border belonging to the upper one. Return the tonnes moved in each class as
    a list."""
    return np.histogram(distances, bins=5, range=(0, 100), weights=load)[0]


# histogram_bin_edges


@task
def shelf_borders_for_books(pages: Vector(Int(40, 900), (3, 7), unique=True)):
    """A librarian spreads books over four shelves by their number of `pages`. The shelves cover the range from the
    thinnest to the thickest book in equal steps. Return the five borders, ends included, as a list."""
    return np.histogram_bin_edges(pages, bins=4)


@task
def colour_scale_ticks(rainfall: Vector(Float(0, 80), (3, 7), unique=True), classes: Int(2, 7)):
    """A map colours `rainfall` in `classes` equally wide classes, from the driest to the wettest place. Which class
    limits result, first and last included? Return them as a list."""
    return np.histogram_bin_edges(rainfall, bins=classes)


@task(
    equivalent={
        "histogram_bin_edges: bins='sturges' -> 'auto'": "of the two rules that it weighs, the other gives fewer bars"
    }
)
def sturges_limits(reaction_times: Vector(Float(0.1, 2, 2), (24, 32), unique=True)):
    """A psychologist wants to draw a bar chart of `reaction_times` and divides the span from the smallest to the
    largest time into equally wide bars. Their number follows the rule of Sturges: the binary logarithm of the number of
    times plus 1, rounded up. Return the limits of the bars as a list."""
    return np.histogram_bin_edges(reaction_times, bins="sturges")


@task(without=("constant",), lines=(3, 4))  # equal values span no range that could be divided
def ten_steps_of_brightness(image: Matrix(Int(0, 255), "lines", 3)):
    """To posterise an `image`, given as rows of brightness values that are not all equal, the span between its darkest
    and its brightest pixel is cut into ten equal steps. Return the eleven brightness limits as a list, beginning with
    the darkest."""
    return np.histogram_bin_edges(image)


# histogram2d


@task(n=(4, 8))
def bird_sightings_on_map(east: Vector(Float(0, 3.9), "n"), north: Vector(Float(0, 3.9), "n")):
    """Sighting i of a bird was `east`[i] kilometres east and `north`[i] kilometres north of the south-west corner of a
    square park of 4 by 4 kilometres. Divide the park into 2 by 2 equal fields and return how many sightings fell into
    each, as two rows (west, east) of two counts (south, north). On the dividing line means east or north."""
    return np.histogram2d(east, north, bins=2, range=[[0, 4], [0, 4]])[0]


@task(n=(4, 8))
def blood_pressure_grid(age: Vector(Int(18, 89), "n"), pressure: Vector(Int(90, 199), "n")):
    """A clinic crosses `age` (classes 18-40, 40-65, 65-90) with blood `pressure` (classes 90-120, 120-140, 140-160,
    160-200), one entry per patient in both lists. Lower limits are inclusive, upper ones not; everybody is below 90
    years and below 200. Return the counts as a list with a row per age class and a column per pressure class."""
    return np.histogram2d(age, pressure, bins=[[18, 40, 65, 90], [90, 120, 140, 160, 200]])[0]


@task(n=(4, 7))
def rent_by_place_and_size(
    kilometres: Vector(Float(0, 11.9), "n"), rooms: Vector(Int(1, 6), "n"), rents: Vector(Int(300, 2000), "n")
):
    """Flats lie `kilometres` from the centre, have some `rooms` and cost `rents`. Classes: three equal ones from 0 to
    12 kilometres (4 and 8 belong to the farther class), and two for rooms, from 1 to below 4 and from 4 to 7. Return
    the sum of the rents in each combination, as three rows of two numbers."""
    return np.histogram2d(kilometres, rooms, bins=[3, 2], range=[[0, 12], [1, 7]], weights=rents)[0]


@task(n=(4, 8))
def star_chart_cells(
    brightness: Vector(Int(-10, 30), "n", unique=True), colour: Vector(Int(-20, 90), "n", unique=True)
):
    """An astronomer has `brightness` and `colour` of some stars and divides each quantity into two equal halves between
    its own smallest and largest value (the middle belongs to the upper half). Return a tuple (2 by 2 table of counts
    with brightness as rows, brightness borders, colour borders)."""
    return np.histogram2d(brightness, colour, bins=2)
