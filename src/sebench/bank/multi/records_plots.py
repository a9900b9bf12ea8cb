"""Farming plots: soil, crops, yields and weeds."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Choice, Cube, Int, Matrix, Missing, Vector


@task(
    plots=(2, 3),
    days=(3, 14),
    equivalent={
        "all -> prod": "the product of truth values is true if all are",
        "all -> nanprod": "the product of truth values is true if all are",
        "all -> min": "the least of several truth values is true if all are",
        "all -> nanmin": "the least of several truth values is true if all are",
    },
)
def rain_on_complete_days(rain: Matrix(Missing(Int(0, 9)), "plots", "days")):
    """Gauges report `rain` in millimetres, one row per plot and one column per day; a reading that did not arrive is
    nan. To be fair, only days on which every plot reported are compared. Return the rain of each plot on these days
    together, as a list (0 for each if there is no such day)."""
    complete = np.all(np.isfinite(rain), axis=0)
    return np.sum(np.compress(complete, rain, axis=1), axis=1)


@task(rows=(2, 6), cols=(2, 8))
def plots_that_fit_on_the_cart(
    crops: Matrix(Int(1, 5), "rows", "cols"),
    sacks: Matrix(Int(1, 9), "rows", "cols"),
    wanted: Vector(Int(1, 5), (1, 3), unique=True),
    capacity: Int(5, 60),
):
    """A farm map has the crop number of each plot in `crops` and the harvested `sacks` in a table of the same form. In
    reading order a cart collects the sacks of plots whose crop is among the numbers in `wanted`. It can carry
    `capacity` sacks, and drives home before the first plot whose sacks would not fit on it as well. Return from how
    many plots it collects."""
    loaded = np.cumsum(np.extract(np.isin(crops, wanted), sacks))
    return np.searchsorted(loaded, capacity, side="right")


@task(plots=(3, 20))
def yield_under_crop_rotation(
    crop: Vector(Int(0, 2), "plots"), years: Int(1, 6), barley: Vector(Int(1, 30), "plots"),
    beans: Vector(Int(1, 30), "plots"), wheat: Vector(Int(1, 30), "plots"),
):  # fmt: skip
    """Plots rotate each year from crop 0 to 1 to 2 and back to 0 (0 barley, 1 beans, 2 wheat). `crop` says what grows
    on each plot now; `barley`, `beans` and `wheat` say what each plot would yield under that crop. Return a tuple: the
    yield of the whole farm in `years` years, and the plot (from 0) that then yields most, the first one in a tie."""
    yields = np.choose((np.array(crop) + years) % 3, [barley, beans, wheat])
    return np.sum(yields), np.argmax(yields)


@task(meadows=(5, 24))
def subsidies_of_meadow_owners(
    hectares: Vector(Choice(5, 12, 19, 20, 21, 49, 50, 51), "meadows"),
    owner: Vector(Int(0, 3), "meadows"),
    most: Int(60, 300),
):
    """For a meadow of 50 `hectares` or more, 3 coins per hectare are paid, from 20 (but below 50) one coin per hectare,
    and for a smaller meadow 10 coins whatever its area. `owner` has the number of each meadow's owner, 0 to 3. No owner
    gets more than `most` coins in total. Return what each of the four owners gets, as a list."""
    area = np.array(hectares)
    coins = np.select([area >= 50, area >= 20], [3 * area, area], default=10)
    return np.minimum(np.bincount(owner, weights=coins, minlength=4), most)


@task(
    rows=(3, 8),
    cols=(2, 6),
    equivalent={
        "any -> max": "the greatest of several truth values is true if one of them is",
        "any -> nanmax": "the greatest of several truth values is true if one of them is",
    },
)
def crop_from_weed_free_rows(
    weedy: Matrix(Choice(False, False, False, False, True), "rows", "cols"), kilos: Matrix(Int(1, 30), "rows", "cols")
):
    """Seed growers harvest only rows of a field in which no plant is `weedy` (True). `kilos` has the weight of every
    plant in the same layout. Return the weight that is harvested from each column, from the lightest column to the
    heaviest, as a list (0 for each if no row is harvested)."""
    spoiled = np.any(weedy, axis=1)
    return np.sort(np.sum(np.compress(~spoiled, kilos, axis=0), axis=0))


@task(
    hives=(3, 14),
    equivalent={
        f"{difference}: operands swapped": "a distance is the same in both directions"
        for difference in ("x[one] - x[other]", "y[one] - y[other]")
    },
)
def nearest_two_beehives(east: Vector(Int(0, 60), "hives"), south: Vector(Int(0, 60), "hives")):
    """Beehives stand on a farm, hive i being `east`[i] metres east and `south`[i] metres south of the gate. How far
    apart, in a straight line, are the two hives that are closest to each other? Return a number."""
    one, other = np.triu_indices(len(east), k=1)
    x, y = np.array(east), np.array(south)
    return np.min(np.hypot(x[one] - x[other], y[one] - y[other]))


@task(rows=(2, 7), cols=(2, 9))
def richest_of_three_fields(
    potatoes: Matrix(Int(0, 9), "rows", "cols"), hedge: Int(1, "rows-1"), path: Int(1, "cols-1")
):
    """A field of `potatoes`, counted plant by plant, is divided by a hedge after its first `hedge` rows. The part below
    the hedge is divided again by a path after its first `path` columns. This makes field 0 (above the hedge), field 1
    (below it and left of the path) and field 2 (below it and right of the path). Return a tuple: the number of the
    field with the most potatoes per plant, the lowest number in a tie, and by how many potatoes per plant it is ahead
    of the poorest."""
    above, below = np.vsplit(np.array(potatoes), [hedge])
    left, right = np.hsplit(below, [path])
    per_plant = [np.mean(above), np.mean(left), np.mean(right)]
    return np.argmax(per_plant), np.ptp(per_plant)


@task(
    beds=(2, 6),
    rows=(2, 6),
    equivalent={
        "divide -> arctan2": "of positive ratios the steeper is the larger",
        "count_nonzero -> sum": "adding up truth values counts the true ones",
        "count_nonzero -> nansum": "adding up truth values counts the true ones",
    },
)
def beds_by_good_rows(records: Cube(Int(1, 20), "beds", "rows", 2)):
    """For every bed, and in it for every row, `records` holds a pair: seeds sown and grains harvested. A row is good if
    its grains per seed are above those of the middle row of the farm in order of grains per seed (midway between the
    two middle ones for an even number of rows). Return the numbers of good rows in the beds, from the best bed to the
    worst, as a list."""
    sown, harvested = np.dsplit(np.array(records), 2)
    ratio = np.divide(harvested, sown)
    good = np.count_nonzero(ratio > np.median(ratio), axis=(1, 2))
    return np.flip(np.sort(good))
