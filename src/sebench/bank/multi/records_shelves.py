"""Warehouses and archives: shelves, boxes, stock counts."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Cube, Float, Int, Matrix, Missing, Vector


@task(parcels=(3, 8))
def pallets_on_each_bay(aisle: Vector(Int(0, 2), "parcels"), bay: Vector(Int(0, 3), "parcels")):
    """A warehouse has 3 aisles with 4 bays each, both counted from 0. Each arriving pallet has its aisle in `aisle` and
    its bay at the same position in `bay`. Return how many pallets go to each bay, as a list of 3 rows (one per aisle)
    of 4 counts."""
    spots = np.ravel_multi_index((aisle, bay), (3, 4))
    return np.reshape(np.bincount(spots, minlength=12), (3, 4))


@task
def spot_of_the_heaviest_crate(weights: Matrix(Int(5, 95), (2, 5), (2, 5))):
    """Where does the heaviest crate stand? `weights` shows a rack from the front, one row per shelf board. Return its
    place as a tuple (board, position), both from 0; if several crates are the heaviest, take the first in reading
    order."""
    return np.unravel_index(np.argmax(weights), np.shape(weights))


@task(n=(4, 7), k=(2, 3))
def shelves_to_refill_after_recount(
    stock: Vector(Int(0, 9), "n"),
    recounted: Vector(Int(0, "n-1"), "k", unique=True),
    found: Vector(Int(0, 9), "k"),
    least: Int(2, 7),
):
    """`stock` lists the pieces on each shelf. Some shelves were counted again: their positions (from 0) are in
    `recounted`, the new counts in `found` in the same order. Write the new counts into the list and return the
    positions of all shelves that then hold fewer than `least` pieces, as an ascending list."""
    counts = np.array(stock)
    np.put(counts, recounted, found)
    return np.flatnonzero(np.less(counts, least))


@task(folders=(2, 4), pages=(2, 5), equivalent={"expand_dims -> outer": "all products with 1 are the same column"})
def archive_scan_quality(scores: Matrix(Int(10, 60), "folders", "pages"), rescanned: Vector(Int(50, 100), "folders")):
    """An archive rates the legibility of scanned pages: `scores` has one row per folder. In each folder the worst page
    (the first of equals) is scanned again and its score replaced by the folder's entry in `rescanned`. Return the
    average score of every folder after that, as a list."""
    improved = np.array(scores)
    worst = np.argmin(improved, axis=1, keepdims=True)
    np.put_along_axis(improved, worst, np.expand_dims(rescanned, 1), axis=1)
    return np.mean(improved, axis=1)


@task
def free_boxes_for_new_customers(
    rack: Matrix(Missing(Int(1, 9), 0), (2, 4), (2, 4)), waiting: Vector(Int(10, 99), 16, unique=True)
):
    """Each number in `rack` says which customer rents that box, 0 meaning that the box is free; the rows run from the
    top board down. In reading order the free boxes go to the new customers in `waiting`, one box each, until none is
    free; the remaining customers get nothing. Return the rack after that with the bottom board first, as a list of
    rows."""
    renters = np.array(rack)
    np.place(renters, np.logical_not(renters), waiting)
    return np.flipud(renters)


@task(goods=(4, 7))
def stock_value_after_reorder(
    pieces: Vector(Int(0, 6), "goods"), order_point: Vector(Int(1, 5), "goods"), target: Vector(Int(7, 15), "goods"),
    price: Vector(Int(1, 20), "goods"),
):  # fmt: skip
    """For each article a store knows the `pieces` on hand, its `order_point`, its `target` amount and its `price`. An
    article with fewer pieces than its order point is filled up to its own target; the others stay as they are. Return
    the value of the whole stock afterwards (pieces times price, added up), as a number."""
    filled = np.array(pieces)
    np.putmask(filled, np.less(filled, order_point), target)
    return np.dot(filled, price)


@task(rows=(2, 4), cols=(2, 4))
def corrected_cold_store_weights(
    first: Matrix(Float(1.0, 60.0), "rows", "cols"), second: Matrix(Missing(Float(1.0, 60.0)), "rows", "cols")
):
    """A cold store was weighed twice, board by board: `first` is complete, while in `second` the places that were not
    weighed again are nan. Overwrite the first weighing with the second wherever the second has a value. Return the
    total weight on each board (row), as a list."""
    weights = np.array(first)
    np.copyto(weights, second, where=np.isfinite(second))
    return np.sum(weights, axis=1)


@task
def picking_route_steps(early: Matrix(Int(0, 3), (2, 4), 2), late: Matrix(Int(0, 3), (1, 4), 2)):
    """Two shifts left lists of [aisle, bay] pairs to pick from, `early` and `late`. Join the lists, keep each pair
    only once, and arrange the pairs by aisle, then by bay. Return the step from each pair to the following one as a
    list of [aisle change, bay change] rows; a single pair gives an empty list."""
    stops = np.unique(np.vstack([early, late]), axis=0)
    return np.diff(stops, axis=0)


@task(equivalent={"sort -> sort_complex": "whole numbers stand at the same places when written as complex ones"})
def boxes_up_to_year(
    cellar: Vector(Int(1951, 1980), (1, 3)),
    attic: Vector(Int(1951, 1980), (4, 5)),
    asked: Vector(Int(1951, 1980), (2, 4)),
):
    """A record office notes the year of each of its boxes, separately for the `cellar` and the `attic` and in no
    order. For each year in `asked`, how many boxes of both places together are from that year or an earlier one?
    Return these counts as a list."""
    shelf = np.sort(np.hstack([cellar, attic]))
    return np.searchsorted(shelf, asked, side="right")


@task
def address_labels_for_bays(
    aisles: Vector(Int(10, 40), (2, 4), unique=True), bays: Vector(Int(1, 9), (2, 3), unique=True)
):
    """Labels are printed for a new storehouse: for the first number in `aisles` one label with each number in `bays`,
    then the same for the second aisle, and so on. Return all labels as a list of [aisle, bay] rows, in print order."""
    return np.column_stack([np.repeat(aisles, len(bays)), np.tile(bays, len(aisles))])


@task
def loads_for_the_porters(crates: Vector(Int(2, 40), (4, 8)), porters: Int(2, 4)):
    """The weights of `crates` are put in order from heavy to light and handed out in consecutive groups to `porters`
    people, as evenly in number as possible; if the count does not come out even, the first people get one crate more.
    Return the total weight each person carries, as a list."""
    heavy_first = np.flip(np.sort(crates))
    return [np.sum(load) for load in np.array_split(heavy_first, porters)]


@task(n=(2, 3))
def corner_to_corner_in_the_stack(pallets: Cube(Int(1, 50), "n", "n", "n")):
    """Pallets are stacked in a cube; `pallets` lists their weights level by level, each level as a list of rows. Look
    only at those whose level, row and column have the same number, and visit them from the last level back to level 0.
    Return the total weight met so far at every step, as a list."""
    corner = np.array(pallets)[np.diag_indices(len(pallets), ndim=3)]
    return np.cumsum(np.flip(corner))
