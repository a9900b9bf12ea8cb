"""Options and forms of linear algebra that no training task shows."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Choice, Complex, Cube, Float, Int, Invertible, Matrix, Vector


@task(
    usage="a holds complex numbers",
    page="For a complex matrix",
    n=(2, 4),
    without=("constant", "ties", "zeros"),  # the logarithm of a vanishing determinant is not finite
)
def circuit_determinant_in_parts(circuit: Matrix(Complex(), "n", "n")):
    """An alternating-current network is described by a square matrix `circuit` of complex numbers. Its determinant may
    be huge, so report it in two parts: its direction, which is the determinant divided by its absolute value (a complex
    number), and the natural logarithm of its absolute value. Return the two as a tuple."""
    return np.linalg.slogdet(circuit)


@task(usage="b has 3 dimensions", page="(M,) or (..., M, K)", n=(2, 4))
def loads_in_every_scenario(stiffness: Invertible("n"), loads: Cube(Int(-20, 20), (2, 4), "n", (2, 5))):
    """A truss with the square matrix `stiffness` is loaded in several scenarios. `loads` is a list of tables, one per
    scenario, and each column of a table is a load: one number per joint. For every load find the displacements whose
    product with the stiffness (matrix times column) is the load. Return a list of tables in the layout of the loads,
    with displacements in their place."""
    return np.linalg.solve(stiffness, loads)


@task(usage="rcond is a list", page="For a stack of matrices it may be an array with one value for each", k=(2, 4))
def sensors_inverted_with_cutoffs(sensors: Cube(Int(-9, 9), "k", 3, 2), cutoffs: Vector(Choice(0.13, 0.37, 0.71), "k")):
    """Each of the `sensors` is a matrix of three rows and two columns. Form its pseudo-inverse, where singular values
    not above its own number in `cutoffs` times the largest singular value of that matrix are treated as zero. Return
    the pseudo-inverses as a list of matrices with two rows and three columns."""
    return np.linalg.pinv(sensors, rcond=cutoffs)


@task(usage="rcond is given", n=(4, 9))
def damped_colour_fit(
    mixtures: Matrix(Int(-9, 9), "n", 2), shades: Vector(Int(-20, 20), "n"), cutoff: Choice(0.13, 0.37, 0.71)
):
    """The matrix `mixtures` times the unknown amounts of two pigments should come as near as possible to `shades`, by
    least squares. To tame noise, singular values of the matrix smaller than `cutoff` times its largest one are treated
    as zero, and of several equally good answers the shortest one is taken. Return the two amounts as a list."""
    return np.linalg.lstsq(mixtures, shades, rcond=cutoff)[0]


@task(usage="ord is 'nuc'", equivalent={"linalg.norm -> linalg.matrix_norm": "of a matrix they are the same norm"})
def taste_table_complexity(table: Matrix(Int(-9, 9), (3, 6), (3, 8))):
    """A film club measures how many independent tastes hide in its `table` of ratings by one number: the total of the
    singular values of the table. Return it."""
    return np.linalg.norm(table, ord="nuc")


@task(
    usage="axis is a list",
    page="a tuple the two axes that hold matrices",
    equivalent={"linalg.norm -> linalg.vector_norm": "without an order both take the root of the squares"},
)
def picture_energy(pictures: Cube(Int(-30, 30), (2, 6), (3, 6), (3, 8))):
    """`pictures` is a list of pictures, each a list of rows of brightness values. The strength of a picture is the
    square root of the total of its squared values. Return the strengths as a list, one number per picture."""
    return np.linalg.norm(pictures, axis=(1, 2))


@task(
    usage="keepdims is True",
    equivalent={"linalg.vector_norm -> linalg.norm": "along one axis both are norms of vectors"},
)
def arrow_lengths_column(arrows: Matrix(Int(-20, 20), (3, 8), (2, 5))):
    """Each row of `arrows` has the components of an arrow. Return the lengths (square roots of the totals of squared
    components) as a column by which the table could be divided: a list of rows with one number each."""
    return np.linalg.vector_norm(arrows, axis=1, keepdims=True)


@task(
    usage="ord holds infinity",
    page="inf the largest and -inf the smallest absolute value",
    equivalent={"linalg.vector_norm -> linalg.norm": "along one axis both are norms of vectors"},
)
def calmest_component(movements: Matrix(Int(-40, 40), (3, 8), (3, 8))):
    """Rows of `movements` are seismographs, columns are moments; values can have either sign. Return for each
    seismograph the size of its calmest moment: the least of the absolute values in the row. The answer is a list."""
    return np.linalg.vector_norm(movements, axis=1, ord=-np.inf)


@task(usage="ord is negative", page="-1 the smallest sum of absolute values in a column")
def weakest_column_per_network(networks: Cube(Int(-9, 9), (2, 5), (3, 5), (3, 6))):
    """Each of the `networks` is a matrix. The weight of a column is the total of the absolute values in it. Return for
    every network the weight of its lightest column, as a list."""
    return np.linalg.matrix_norm(networks, ord=-1)


@task(usage="p is 'nuc'")
def error_growth_by_nuclear_norm(gears: Invertible((2, 5))):
    """How much can errors grow in a gearbox that is described by the square matrix `gears`? Use this measure: the total
    of the singular values of the matrix, times the total of the singular values of its inverse. Return the product."""
    return np.linalg.cond(gears, p="nuc")


@task(usage="rtol is a list", page="number, or array or nested list", k=(3, 6))
def strong_modes_per_bridge(bridges: Cube(Int(-9, 9), "k", 4, 3), shares: Vector(Choice(0.13, 0.37, 0.71), "k")):
    """Each of the `bridges` is a matrix whose singular values are its modes. For bridge i count the modes that are
    greater than `shares`[i] times the largest mode of the same bridge. Return the counts as a list of whole numbers."""
    return np.linalg.matrix_rank(bridges, rtol=shares)


@task(
    usage="a has 3 dimensions",
    page="or a stack of matrices",
    without=("constant", "zeros", "ties", "extremes"),  # dependent columns leave the factors open
)
def triangular_parts_of_surveys(surveys: Cube(Float(-9, 9), (2, 4), (4, 6), 3)):
    """Each table of `surveys` is written as the product of a matrix with orthonormal columns, of the same shape, and an
    upper triangular one with three rows and columns. Signs in the triangular matrix are a matter of taste, so square
    each of its entries. Return the squared triangular matrices as a list, one for each table."""
    return np.linalg.qr(surveys, mode="r") ** 2


@task(usage="a holds complex numbers", page="A complex- or real-valued matrix", n=(2, 5))
def energies_from_lower_half(levels: Matrix(Complex(), "n", "n")):
    """A physicist writes an energy matrix `levels` of complex numbers only on and below the diagonal. What stands above
    it is to be replaced by the conjugates of the mirrored entries below, and of the diagonal only the real parts count.
    The matrix made in this way has real eigenvalues. Return them in ascending order as a list."""
    return np.linalg.eigvalsh(levels)


@task(
    usage="compute_uv is False",
    equivalent={"linalg.svd: full_matrices=False added": "the factors whose shape it decides are not computed"},
)
def strengths_of_the_modes(coupling: Matrix(Int(-9, 9), (2, 6), (2, 6))):
    """The `coupling` of two groups of pendulums is a matrix. Return its singular values alone, from the largest to the
    smallest, as a list."""
    return np.linalg.svd(coupling, compute_uv=False)


@task(
    usage="p is negative",
    page="2 the largest and -2 the smallest singular value",
    without=("constant", "ties", "zeros"),  # a lens that is flat in one direction has no ratio
)
def evenness_of_the_lens(lens: Matrix(Float(-9, 9), (2, 5), (2, 6))):
    """A `lens` acts like a matrix, and it is good if it stretches light evenly. Return its evenness, a number from 0 to
    1: the smallest singular value of the matrix divided by the largest one."""
    return np.linalg.cond(lens, p=-2)
