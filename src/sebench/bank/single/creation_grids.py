"""Coordinates of grids, and values computed from them."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Float, Int, Vector

# meshgrid


@task
def map_coordinates(
    eastings: Vector(Int(-9, 9), (2, 4), unique=True), northings: Vector(Float(10, 40), (2, 4), unique=True)
):
    """A map has a grid line for each number in `eastings` and in `northings`. For every crossing tell both coordinates:
    return a tuple of two lists of rows, first the eastings, then the northings, where row i belongs to northing i and
    column j to easting j."""
    return np.meshgrid(eastings, northings)


@task
def oven_experiments(
    heats: Vector(Int(120, 240), (2, 4), unique=True), minutes: Vector(Int(5, 60), (2, 4), unique=True)
):
    """A baker tries every heat with every baking time. Lay the trials out with one row per entry of `heats` and one
    column per entry of `minutes`, and return a tuple (heat of each trial, time of each trial), both as lists of
    rows."""
    return np.meshgrid(heats, minutes, indexing="ij")


@task
def slim_tide_axes(places: Vector(Float(0, 30), (2, 5), unique=True), hours: Vector(Int(0, 23), (2, 5), unique=True)):
    """A tide table gets one column for each of the `places` (kilometres along the coast) and one row for each of the
    `hours`. Return the coordinates of this grid in slim form, not expanded to the size of the table, as a tuple of two
    lists of rows: the places as a single row, and the hours as a single column (each hour a row of its own)."""
    return np.meshgrid(places, hours, sparse=True)


@task
def ice_cream_choices(
    scoops: Vector(Int(1, 4), (2, 3), unique=True),
    sauces: Vector(Int(10, 40), (1, 3), unique=True),
    cups: Vector(Int(50, 90), (2, 3), unique=True),
):
    """An ice cream stand combines all `scoops`, `sauces` and `cups` (codes given as numbers). Arrange the combinations
    in blocks by scoop, within a block in rows by sauce and within a row by cup, keeping the order of the lists. Return
    a dict with keys "scoop", "sauce", "cup", each holding that code for all combinations, nested block, row, entry."""
    scoop, sauce, cup = np.meshgrid(scoops, sauces, cups, indexing="ij")
    return {"scoop": scoop, "sauce": sauce, "cup": cup}


# indices


@task
def cinema_seat_positions(rows: Int(2, 6), seats: Int(2, 6)):
    """A cinema hall has `rows` rows of `seats` seats each, both counted from 0. Return a list of two tables of that
    size: in the first each seat shows its row number, in the second its number within the row. Tables are lists of
    rows."""
    return np.indices((rows, seats))


@task
def storey_stamp(storeys: Int(2, 7), flats: Int(2, 6)):
    """Every doorbell of a house gets the number of its storey, counted from 0 at the top row. With `storeys` rows of
    `flats` bells, return the table of storey numbers only, as a list of rows."""
    return np.indices((storeys, flats))[0]


@task
def cheap_board_coordinates(ranks: Int(2, 8), files: Int(2, 8)):
    """For a draughts program, return the coordinates of a board with `ranks` rows and `files` columns in thin form, as
    a tuple: first a column of the row numbers (a list of one-element rows), then a list with one row holding the column
    numbers. Count from 0."""
    return np.indices((ranks, files), sparse=True)


@task
def container_ship_positions(bays: Int(2, 4), tiers: Int(2, 3), slots: Int(2, 4)):
    """Containers on a ship are addressed by bay, tier and slot, each from 0. Return a list of three blocks, each nested
    as `bays` bays of `tiers` tiers of `slots` slots: the first gives each container's bay, the second its tier and the
    third its slot."""
    return np.indices((bays, tiers, slots))


# fromfunction


@task
def room_numbers(floors: Int(1, 5), doors: Int(1, 6)):
    """A hotel gives the room at floor i and door j, both counted from 0, the number 100 * i + j. Return all numbers by
    applying this rule to every position, as a list of `floors` rows with `doors` entries."""
    return np.fromfunction(lambda i, j: 100 * i + j, (floors, doors))


@task
def nim_table(rows: Int(2, 7), columns: Int(2, 7)):
    """A handbook on the game of Nim tabulates the bitwise exclusive-or of row number i and column number j, whole
    numbers from 0. Build a table of `rows` rows and `columns` columns from that rule and return it as a list of
    rows."""
    return np.fromfunction(lambda i, j: i ^ j, (rows, columns), dtype="int")


@task
def firework_heights(frames: Int(2, 9), speed: Int(40, 90)):
    """A camera takes one frame per second. In frame t, counted from 0, a firework is at height `speed` times t minus 5
    times t squared. Evaluate this formula for all `frames` frames and return the heights as a list."""
    return np.fromfunction(lambda t: speed * t - 5 * t * t, (frames,))


@task
def shaded_terrace(slabs: Int(1, 6), hours: Int(3, 7), wall: Int(0, 3)):
    """Slab i of a terrace lies in the shade at hour j if i plus the height `wall` of a wall is at least j; slabs and
    hours are counted from 0. Apply this condition to each position and return truth values, as a list of `slabs` rows
    with `hours` entries."""
    return np.fromfunction(lambda i, j: i + wall >= j, (slabs, hours))
