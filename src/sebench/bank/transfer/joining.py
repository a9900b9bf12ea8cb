"""Forms of inserting, deleting and cutting that no training task shows."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Bool, Int, Matrix, Vector


@task(usage="values has 2 dimensions", page="a sequence of slices", n=(4, 7), cols=(3, 6))
def late_entries_in_the_list(
    results: Matrix(Int(0, 99), "n", "cols"), late: Matrix(Int(0, 99), (2, 3), "cols"), place: Int(0, "n")
):
    """`results` is a table with a row per team. The rows of `late` were handed in afterwards; they are to stand
    together, in their order, directly before the row that now has number `place` (counted from 0; if there is no such
    row, at the end). Return the new table as a list of rows."""
    return np.insert(results, place, late, axis=0)


@task(usage="obj holds truth values", page="list of ints or bools", n=(10, 20))
def goods_after_inspection(parcels: Vector(Int(100, 999), "n"), damaged: Vector(Bool(), "n")):
    """An inspector goes through `parcels`, a list of parcel numbers, and notes for each in `damaged`, with True or
    False, whether it is broken. Broken parcels are thrown out. Return the numbers of the others in the old order."""
    return np.delete(parcels, damaged)


@task(usage="obj holds negative numbers", page="Negative indices count from the end")
def chapters_cut_by_editor(pages: Vector(Int(10, 99), (10, 16)), cut: Vector(Int(-6, 4), (1, 4))):
    """`pages` has the number of pages of each chapter of a book. The editor cuts the chapters in the list `cut`: 0 is
    the first one, 1 the second and so on, while -1 is the last, -2 the one before it and so on. A chapter that is named
    twice is still cut only once. Return how many pages each remaining chapter has, in order."""
    return np.delete(pages, cut)


@task(usage="indices_or_sections is a list", page="A sorted list of indices says where to cut", cols=(2, 5))
def shifts_of_the_log(
    log: Matrix(Int(0, 60), (8, 14), "cols"), starts: Vector(Int(1, 7), (1, 3), unique=True, sorted=True)
):
    """A machine's `log` has one row per hour, counted from 0. The first shift begins with the log, and further ones at
    the hours in `starts`, ascending, all after hour 0 and before the end of the log. Return a list of tables, one per
    shift, each a list of the rows of its hours."""
    return np.array_split(np.array(log), starts)


@task(usage="ary has 1 dimension", page="along its only one if it is 1-D")
def bead_string_pieces(beads: Vector(Int(1, 9), (10, 18)), snips: Vector(Int(1, 9), (1, 4), unique=True, sorted=True)):
    """A string of `beads` is a list of sizes. It is snipped directly before the beads with the positions in `snips`,
    ascending and counted from 0. Return the pieces from left to right, as a list of lists of sizes."""
    return np.hsplit(np.array(beads), snips)
