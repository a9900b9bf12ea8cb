"""Options and forms of products that no training task shows."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Complex, Cube, Int, Matrix, Vector


@task(usage="axisa is given", n=(3, 8))
def torque_from_two_files(levers: Matrix(Int(-9, 9), 3, "n"), forces: Matrix(Int(-9, 9), "n", 3)):
    """Two laboratories describe the same bolts in space. In `levers` there are three rows, x, y and z, and a column for
    each bolt; in `forces` there is a row x, y, z for each bolt. The torque on a bolt is the vector product of its lever
    with its force, in this order. Return the torques as a list with a row of three numbers per bolt."""
    return np.cross(levers, forces, axisa=0)


@task(usage="subscripts is 'ijj,j->i'", page="Axes with the same label run together", teams=(3, 6))
def weighted_self_votes(votes: Cube(Int(0, 9), (2, 5), "teams", "teams"), weights: Vector(Int(1, 5), "teams")):
    """In several rounds teams vote for each other: `votes` has a square table per round, in which row j, column k is
    what team j gave to team k. Look only at what teams gave to themselves, multiply it for team j by `weights`[j], and
    add this up for each round. Return the totals as a list, round by round."""
    return np.einsum("ijj,j->i", votes, weights)


@task(usage="b has 2 dimensions", page="other shapes are flattened")
def recipe_scaled_for_guests(batches: Vector(Int(1, 9), (2, 6)), tray: Matrix(Int(1, 40), (2, 4), (2, 5))):
    """A `tray` holds spices in rows of weights. For each number in `batches` every weight of the tray, read row after
    row, is multiplied by that number. Return a list with one flat row per batch number, in order."""
    return np.outer(batches, tray)


@task(usage="x1 has 1 dimension", page="A 1-D first argument is a row", n=(3, 6))
def stock_moved_in_every_plan(stock: Vector(Int(0, 30), "n"), plans: Cube(Int(0, 9), (2, 5), "n", (2, 5))):
    """Depot i holds `stock`[i] pallets. Each of the `plans` is a table that says in row i, column j what a pallet of
    depot i is worth in town j. For every plan compute each town's total worth: over the depots, pallets times worth.
    Return a list of rows, one per plan, with a number for each town."""
    return np.matmul(stock, plans)


@task(usage="a holds complex numbers", page="without conjugation", n=(6, 14))
def unconjugated_overlap(sent: Vector(Complex(), "n"), received: Vector(Complex(), "n")):
    """Two lists of complex numbers, `sent` and `received`, are compared: multiply the numbers at equal positions as
    they are, conjugating nothing, and return the total of the products, a complex number."""
    return np.dot(sent, received)
