"""Warehouses and archives: shelves, boxes, stock counts."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Choice, Cube, Int, Matrix, Missing, Vector


@task(pallets=(3, 30))
def fullest_bay_of_the_store(aisle: Vector(Int(0, 3), "pallets"), bay: Vector(Int(0, 4), "pallets")):
    """A warehouse has 4 aisles with 5 bays each, both counted from 0. Each arriving pallet has its aisle in `aisle` and
    its bay at the same position in `bay`. Return the bay that receives most pallets as a tuple (aisle, bay); in a tie
    the lowest aisle, then the lowest bay."""
    pallets = np.bincount(np.ravel_multi_index((aisle, bay), (4, 5)))
    return np.unravel_index(np.argmax(pallets), (4, 5))


@task(
    boards=(2, 6),
    places=(2, 7),
    equivalent={
        "absolute -> square": "the nearest is the same whether distances or their squares are compared",
        "absolute -> cosh": "cosh grows with the distance from 0, so the nearest is the same",
        "absolute -> i0": "i0 grows with the distance from 0, so the nearest is the same",
        "subtract: arguments 1 and 2 swapped": "a distance is the same in both directions",
    },
)
def most_ordinary_crate(weights: Matrix(Int(5, 25), "boards", "places")):
    """`weights` shows a rack of crates from the front, one row per shelf board. Which crate is nearest in weight to the
    average of the whole rack, be it lighter or heavier? Return its place as a tuple (board, position), both from 0; if
    several crates are equally near, give the first in reading order."""
    distance = np.absolute(np.subtract(weights, np.mean(weights)))
    return np.unravel_index(np.argmin(distance), np.shape(weights))


@task(n=(5, 20), k=(2, 5))
def shelves_to_refill_after_recount(
    stock: Vector(Int(0, 9), "n"), recounted: Vector(Int(0, "n-1"), "k", unique=True), found: Vector(Int(0, 9), "k")
):
    """`stock` lists the pieces on each shelf. Some shelves were counted again: their positions (from 0) are in
    `recounted`, the new counts, which are the right ones, in `found` in the same order. A shelf is low if it has fewer
    pieces than the middle shelf in order of pieces (midway between the two middle ones for an even number). Return the
    positions of the low shelves from the emptiest to the fullest, in a tie by position, as a list."""
    counts = np.array(stock)
    np.put(counts, recounted, found)
    low = np.flatnonzero(np.less(counts, np.median(counts)))
    return low[np.argsort(counts[low], stable=True)]


@task(folders=(2, 8), pages=(2, 8), equivalent={"expand_dims -> outer": "all products with 1 are the same column"})
def archive_scan_quality(scores: Matrix(Int(10, 60), "folders", "pages"), rescanned: Vector(Int(50, 100), "folders")):
    """An archive rates the legibility of scanned pages: `scores` has one row per folder. In each folder the worst page
    (the first of equals) is scanned again, and the folder's entry in `rescanned` becomes its new score. Return the
    average scores of the folders after that, from the worst folder to the best, as a list."""
    improved = np.array(scores)
    worst = np.argmin(improved, axis=1, keepdims=True)
    np.put_along_axis(improved, worst, np.expand_dims(rescanned, 1), axis=1)
    return np.sort(np.mean(improved, axis=1))


@task
def free_boxes_for_new_customers(
    rack: Matrix(Missing(Int(1, 9), 0), (2, 5), (2, 6)), waiting: Vector(Int(10, 99), 30, unique=True)
):
    """Each number in `rack` says which customer rents that box, 0 meaning that the box is free; the rows run from the
    top board down. In reading order the free boxes go to the new customers in `waiting`, one box each, until none is
    free; the remaining customers get nothing. Return the rack after that with the bottom board first, as a list of
    rows."""
    renters = np.array(rack)
    np.place(renters, np.logical_not(renters), waiting)
    return np.flipud(renters)


@task(goods=(4, 20))
def stock_value_after_reorder(
    pieces: Vector(Int(0, 6), "goods"), order_point: Vector(Int(1, 5), "goods"), target: Vector(Int(7, 15), "goods"),
    price: Vector(Int(1, 20), "goods"), section: Vector(Int(0, 3), "goods"),
):  # fmt: skip
    """For each article a store knows the `pieces` on hand, its `order_point`, its `target` amount, its `price` and its
    `section`, 0 to 3. An article with fewer pieces than its order point is filled up to its own target; the others stay
    as they are. The value of a section is pieces times price over all its articles, 0 if it has none. Return a tuple of
    two: the section that has the highest value then, the lowest number in a tie; by how much it is ahead of the section
    with the least."""
    filled = np.array(pieces)
    np.putmask(filled, np.less(filled, order_point), target)
    values = np.bincount(section, weights=filled * price, minlength=4)
    return np.argmax(values), np.ptp(values)


@task(rows=(2, 7), cols=(2, 8))
def unevenly_loaded_cold_store(
    first: Matrix(Int(1, 20), "rows", "cols"), second: Matrix(Missing(Int(1, 20)), "rows", "cols")
):
    """A cold store was weighed twice, board by board: `first` is complete, while in `second` the spots that were not
    weighed again are nan. The second weighing is to be trusted, the first one only for spots that have no other. By how
    much is the board (row) with the most weight heavier than the one with the least? Return a number."""
    weights = np.astype(np.array(first), "float")
    np.copyto(weights, second, where=np.isfinite(second))
    return np.ptp(np.sum(weights, axis=1))


@task(
    equivalent={
        f"sum -> {other}": "the last running total of a row is its largest, since no difference is negative"
        for other in ("cumsum", "cumulative_sum", "nancumsum")
    }
)
def longest_step_of_the_picker(spots: Matrix(Int(0, 5), (1, 16), 2)):
    """An order is a list `spots` of [aisle, bay] pairs to pick from; a pair that is there several times is visited only
    once. The picker goes by ascending aisle, and within an aisle by ascending bay. A step between two successive stops
    costs as many minutes as the aisle numbers differ plus as many as the bay numbers differ. Return the minutes of the
    longest step, or 0 if there is a single stop."""
    stops = np.unique(spots, axis=0)
    steps = np.sum(np.absolute(np.diff(stops, axis=0)), axis=1)
    return np.max(steps, initial=0)


@task
def boxes_up_to_year(
    cellar: Vector(Int(1961, 1980), (0, 12)),
    attic: Vector(Int(1961, 1980), (1, 15)),
    asked: Vector(Int(1961, 1980), (2, 9)),
):
    """A record office notes the year of each of its boxes, separately for the `cellar` (perhaps empty) and the `attic`,
    in no order. Historians have `asked` for some years, the same one perhaps several times. For each year that was
    asked for, how many boxes of both places together are from that year or an earlier one? Return a list of [year,
    count] rows, each year once, in ascending order."""
    boxes = np.sort(np.hstack([cellar, attic]))
    years = np.unique(asked)
    return np.column_stack([years, np.searchsorted(boxes, years, side="right")])


@task
def labels_still_to_print(
    aisles: Vector(Int(1, 6), (2, 5), unique=True),
    bays: Vector(Int(1, 7), (2, 6), unique=True),
    printed: Vector(Choice(*(10 * aisle + bay for aisle in range(1, 7) for bay in range(1, 8))), (0, 15)),
):
    """The label of a bay is ten times the number of its aisle plus the number of the bay. Labels are printed for the
    first of the `aisles` with each of the `bays` in the order given, then for the second aisle, and so on. Some labels,
    in `printed`, are there already and are skipped. Return the labels that are printed, in this order, as a list; it
    may be empty."""
    labels = 10 * np.repeat(aisles, len(bays)) + np.tile(bays, len(aisles))
    return np.compress(~np.isin(labels, printed), labels)


@task
def unfair_loads_of_the_porters(crates: Vector(Int(2, 40), (4, 24)), porters: Int(2, 4)):
    """The weights of `crates` are handed out from heavy to light, in consecutive groups, to `porters` people, as evenly
    in number as possible; if the count does not come out even, the first people get one crate more. By how much is the
    heaviest load, with everything that this person carries, above the lightest? Return a number."""
    heavy_first = np.flip(np.sort(crates))
    return np.ptp([np.sum(load) for load in np.array_split(heavy_first, porters)])


@task(n=(2, 6))
def crane_along_the_stack(pallets: Cube(Int(1, 9), "n", "n", "n"), strength: Int(2, 40)):
    """Pallets are stacked in a cube; `pallets` lists their weights level by level, each level as a list of rows. A
    crane lifts those whose level, row and column have the same number, beginning with the last level and going back to
    level 0. All that it has lifted so far hangs on it, and it can hold a weight of `strength`. Return how many pallets
    it can lift before the next one would be too much."""
    corner = np.array(pallets)[np.diag_indices(len(pallets), ndim=3)]
    return np.searchsorted(np.cumsum(np.flip(corner)), strength, side="right")
