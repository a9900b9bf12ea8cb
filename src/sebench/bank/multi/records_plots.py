"""Farming plots: soil, crops, yields and weeds."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Choice, Cube, Int, Matrix, Missing, Vector


@task(
    plots=(2, 3),
    days=(3, 5),
    equivalent={
        "all -> prod": "the product of truth values is true if all are",
        "all -> nanprod": "the product of truth values is true if all are",
        "all -> min": "the least of several truth values is true if all are",
        "all -> nanmin": "the least of several truth values is true if all are",
    },
)
def days_with_complete_rain_readings(rain: Matrix(Missing(Int(0, 3)), "plots", "days")):
    """Gauges report `rain` in millimetres, one row per plot and one column per day; a reading that did not arrive is nan. Return the
    table reduced to those days on which every plot reported, as a list of rows (rows are empty if there is no such
    day)."""
    complete = np.all(np.isfinite(rain), axis=0)
    return np.compress(complete, rain, axis=1)


@task(rows=(2, 4), cols=(2, 4))
def harvest_of_chosen_crops(
    crops: Matrix(Int(1, 5), "rows", "cols"),
    sacks: Matrix(Int(1, 60), "rows", "cols"),
    wanted: Vector(Int(1, 5), (1, 2), unique=True),
):
    """A farm map has the crop number of each plot in `crops` and the harvested `sacks` in a table of the same form. The
    cart collects, in reading order, the sacks of plots whose crop is among the numbers in `wanted`. Return how many sacks
    lie on the cart after each of these plots, as a list (empty if there are none)."""
    collected = np.extract(np.isin(crops, wanted), sacks)
    return np.cumsum(collected)


@task(plots=(3, 6))
def yield_under_crop_rotation(
    crop: Vector(Int(0, 2), "plots"), years: Int(1, 6), barley: Vector(Int(1, 30), "plots"),
    beans: Vector(Int(1, 30), "plots"), wheat: Vector(Int(1, 30), "plots"),
):  # fmt: skip
    """Plots rotate each year from crop 0 to 1 to 2 and back to 0 (0 barley, 1 beans, 2 wheat). `crop` says what grows on each
    plot now; `barley`, `beans` and `wheat` say what each plot would yield under that crop. Move every plot on by
    `years` years and return the yield of the whole farm then, as a number."""
    later = np.add(crop, years)
    return np.sum(np.choose(later, [barley, beans, wheat], mode="wrap"))


@task(meadows=(5, 8))
def meadow_subsidies(
    hectares: Vector(Choice(5, 12, 19, 20, 21, 49, 50, 51), "meadows"), rate: Vector(Int(2, 6), "meadows")
):
    """A subsidy depends on the size of each meadow in `hectares`: from 50 hectares on, the meadow's own `rate` in coins
    is paid per hectare, from 20 (but below 50) one coin per hectare, and smaller meadows get 10 coins whatever their
    size. Return the subsidy of each meadow as a list."""
    large, medium = np.greater_equal(hectares, 50), np.greater_equal(hectares, 20)
    return np.select([large, medium], [np.multiply(hectares, rate), hectares], default=10)


@task(rows=(3, 5), cols=(2, 4))
def crop_from_weed_free_rows(
    weedy: Matrix(Choice(False, False, False, True), "rows", "cols"), kilos: Matrix(Int(1, 30), "rows", "cols")
):
    """Seed growers harvest only rows of a field in which no plant at all is `weedy` (True). `kilos` has the weight of every
    plant in the same layout. Throw away all rows in which a weedy plant was found and return the weight left in each
    column, as a list (0 where nothing is left)."""
    bad = np.nonzero(weedy)[0]
    return np.sum(np.delete(kilos, bad, axis=0), axis=0)


@task(hives=(3, 6))
def nearest_two_beehives(east: Vector(Int(0, 60), "hives"), south: Vector(Int(0, 60), "hives")):
    """Beehives stand on a farm, hive i being `east`[i] metres east and `south`[i] metres south of the gate. How far
    apart, in a straight line, are the two hives that are closest to each other? Return a number."""
    one, other = np.triu_indices(len(east), k=1)
    x, y = np.array(east), np.array(south)
    return np.min(np.hypot(x[one] - x[other], y[one] - y[other]))


@task(rows=(2, 4), cols=(2, 5))
def three_fields_from_one(
    potatoes: Matrix(Int(0, 50), "rows", "cols"), hedge: Int(1, "rows-1"), path: Int(1, "cols-1")
):
    """A field of `potatoes`, counted plant by plant, is divided by a hedge after its first `hedge` rows. The part below the
    hedge is divided again by a path after its first `path` columns. Return the total of potatoes in each of the three fields as
    a tuple (above the hedge, below and left of the path, below and right of it)."""
    above, below = np.vsplit(np.array(potatoes), [hedge])
    left, right = np.hsplit(below, [path])
    return np.sum(above), np.sum(left), np.sum(right)


@task(beds=(1, 3), rows=(2, 3))
def best_grains_per_seed(records: Cube(Int(1, 40), "beds", "rows", 2)):
    """For every bed, and in it for every row, `records` holds a pair: seeds sown and grains harvested. Work out the grains
    harvested per seed sown in each row, and return the best such number of every bed, as a list with one number per
    bed."""
    sown, harvested = np.dsplit(np.array(records), 2)
    return np.max(np.divide(harvested, sown), axis=(1, 2))
