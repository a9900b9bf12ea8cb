"""Vibrations, growth, shapes and fits: eigenvalues, singular values, factorisations and lengths."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Cube, Float, Int, Invertible, Matrix, PositiveDefinite, Symmetric, Vector

ONE_TABLE_PRODUCT = "a single table times a single table is the same product in both"
ROW_TIMES_TABLE = "a flat list times a table is the same product in both"
NO_SIGN = "only the size of the difference counts"
TRIANGLE = "the eigenvalues of a triangular table are its diagonal"
ROW_LENGTHS = "along rows both are the same lengths"


@task
def floor_vibrations(stiffness: PositiveDefinite((2, 4)), mass: Int(2, 9)):
    """All floors of a tower have the same `mass`, and the symmetric table `stiffness` couples them. The vibration
    frequencies are the square roots of (eigenvalue of the table divided by mass). Return them as a list, lowest
    first."""
    return np.sqrt(np.divide(np.linalg.eigvalsh(stiffness), mass))


@task
def doubling_time_of_salmon(transition: Matrix(Int(1, 9), 2, 2)):
    """The square table `transition` turns the numbers of young and old salmon of one year into those of the next. In
    the long run the stock is multiplied every year by the greater of that table's two eigenvalues, which are real. The
    doubling time in years is 1 over the base-two logarithm of this factor. Return it as a number, not rounded."""
    growth = np.max(np.linalg.eigvals(transition))
    return np.reciprocal(np.log2(growth))


@task
def damping_of_suspension(spring: Float(3, 9), damper: Float(0.2, 3)):
    """A car's suspension is described by the matrix with rows [0, 1] and [-`spring`, -`damper`], which has two complex
    eigenvalues. Return a list with, for each of the two, the real part divided by the distance of the eigenvalue from zero
    (both come out the same)."""
    poles = np.linalg.eigvals([[0, 1], [-spring, -damper]])
    return np.real(poles) / np.absolute(poles)


@task(equivalent={"dot -> matmul": ROW_TIMES_TABLE})
def energy_in_each_mode(
    own: Vector(Int(6, 9), 3), link: Vector(Int(1, 3), 2), push: Vector(Float(-6, 6), 3, unique=True)
):
    """Three carts in a row have a symmetric matrix with `own` on the diagonal, `link` on the places just above and just
    below it, and 0 in the corners. Each unit eigenvector is a mode; the energy that the vector `push` gives to it is
    its eigenvalue times the square of its scalar product with push. Return the energies of the three modes as a list,
    ascending by eigenvalue."""
    values, vectors = np.linalg.eigh([[own[0], link[0], 0], [link[0], own[1], link[1]], [0, link[1], own[2]]])
    return np.multiply(values, np.square(np.dot(push, vectors)))


@task(equivalent={"linalg.eigh -> linalg.eig": "the matrix is symmetric and the order of the eigenvalues cancels out"})
def heat_kernel_of_plates(coupling: Symmetric(Int(-2, 2), (2, 3))):
    """How heat spreads between plates is described by the exponential of the symmetric matrix `coupling`: put its
    orthonormal eigenvectors into the columns of V and the exponentials of its eigenvalues on the diagonal of a matrix
    E, and multiply V times E times V transposed. Return the product as a list of rows."""
    values, vectors = np.linalg.eigh(coupling)
    return np.einsum("ij,j,kj->ik", vectors, np.exp(values), vectors)


@task
def long_run_market_shares(moves: Matrix(Int(1, 9), 2, 2)):
    """Year after year the sizes of two phone brands, as a column, are multiplied by the table `moves` of positive
    numbers. In the long run they stand in the ratio of the components of the eigenvector that belongs to the greatest
    eigenvalue. Return these long-run sizes as shares that add up to 1, a list of two."""
    values, vectors = np.linalg.eig(moves)
    main = vectors[:, np.argmax(values)]
    return np.divide(main, np.sum(main))


# A picture of one colour has rank one already: only rounding errors would be left.
@task(without=("constant",), equivalent={"subtract: arguments 1 and 2 swapped": NO_SIGN})
def worst_pixel_after_squeezing(picture: Matrix(Int(1, 99), (3, 4), (3, 4))):
    """Squeeze a `picture` to rank one: its greatest singular value times the table of all products of an entry of the
    left singular vector (row) and an entry of the right one (column) that belong to this value. Return by how much the
    worst pixel deviates from the original, regardless of sign, as a number."""
    u, s, vh = np.linalg.svd(picture)
    squeezed = s[0] * np.outer(u[:, 0], vh[0])
    return np.max(np.absolute(np.subtract(picture, squeezed)))


@task(
    n=(2, 3),
    equivalent={
        "matmul -> dot": ONE_TABLE_PRODUCT,
        "linalg.matrix_transpose -> transpose": "for a single table both swap rows and columns",
        "linalg.matrix_transpose -> column_stack": "rows that are set up as columns make the table turned over",
    },
)
def camera_alignment(seen: Invertible("n"), known: Invertible("n")):
    """A robot matches landmarks: multiply `seen`, turned over so that rows become columns, with `known` as matrices.
    From the singular value decomposition U, S, Vh of this product the best rotation (or reflection) is the matrix
    product of U and Vh. Return it as a list of rows."""
    u, _, vh = np.linalg.svd(np.matmul(np.linalg.matrix_transpose(seen), known))
    return np.matmul(u, vh)


@task
def explained_by_leading_factors(yields: Matrix(Int(1, 9), (2, 4), (2, 4))):
    """Rows of `yields` are trading days, columns bond maturities. An economist squares the singular values of the
    table, greatest first, keeps a running total, and divides it by the final total. Return these fractions as a list
    that ends with 1."""
    running = np.cumsum(np.square(np.linalg.svdvals(yields)))
    return np.divide(running, running[-1])


@task(sensors=(2, 3))
def correlated_test_signals(
    covariance: PositiveDefinite("sensors"),
    noise: Matrix(Float(-2, 2), (2, 4), "sensors"),
    level: Vector(Int(-9, 9), "sensors"),
):
    """To imitate linked sensors, factor `covariance` into L times L transposed, where L is lower-triangular with
    positive diagonal. Each new sample is `level` plus L times one row of `noise`. Return the samples as a list of
    rows, in the order of the noise rows."""
    factor = np.linalg.cholesky(covariance)
    return np.add(np.inner(noise, factor), level)


@task(
    equivalent={
        "diagonal -> linalg.eigvals": TRIANGLE,
    }
)
def growing_box_contents(edges: Invertible((2, 4))):
    """The columns of `edges` span a slanted box, edge after edge. Write the table as the product of an orthonormal and
    an upper-triangular one; the diagonal of the triangular one, without signs, has the heights that each new edge adds.
    Return their running products: length, area, volume and so on, as a list."""
    triangle = np.linalg.qr(edges, mode="r")
    return np.cumprod(np.absolute(np.diagonal(triangle)))


@task(
    equivalent={
        "dot -> matmul": ROW_TIMES_TABLE,
        "linalg.norm -> linalg.vector_norm": "for one flat list both are the Euclidean length",
        "subtract: arguments 1 and 2 swapped": NO_SIGN,
    }
)
def drone_above_sloping_roof(ground: Invertible(2), rise: Vector(Int(-3, 3), 2), drone: Vector(Float(-9, 9), 3)):
    """Two beams of a sloping roof start at the origin. Beam j (0 or 1) leads to the point with the ground coordinates
    `ground`[0][j] and `ground`[1][j] and the height `rise`[j]; the roof is the plane through both beams. The shadow of
    a `drone`, given as a point in space, is the nearest point of that plane: the orthogonal projection. Return the
    distance between the drone and its shadow, as a number."""
    q, _ = np.linalg.qr(np.vstack((ground, rise)))
    shadow = np.dot(q, np.dot(drone, q))
    return np.linalg.norm(np.subtract(drone, shadow))


@task(r=(2, 2), c=(2, 3), equivalent={"subtract: arguments 1 and 2 swapped": NO_SIGN})
def closest_stored_pose(poses: Cube(Int(-3, 3), (3, 4), "r", "c"), current: Matrix(Int(-3, 3), "r", "c")):
    """A gripper knows several `poses`, tables of the same form as its `current` pose. Measure how far each one is from
    the current pose: the square root of the sum of squared differences over the whole table. Return the position of the
    nearest pose, from 0; the first if several are equally near."""
    return np.argmin(np.linalg.matrix_norm(np.subtract(poses, current)))


@task(equivalent={"linalg.vector_norm -> linalg.norm": ROW_LENGTHS, "subtract: arguments 1 and 2 swapped": NO_SIGN})
def cabs_within_reach(cabs: Matrix(Int(-9, 9), (3, 6), 2), customer: Vector(Int(-9, 9), 2), blocks: Int(4, 16)):
    """Streets form a grid, so the way from a cab to the `customer` is the east-west distance plus the north-south
    distance. Each row of `cabs` is the place of one cab, and `customer` a place too, both [east, north]. Return a
    tuple: a list of True and False that says which cabs are at most `blocks` away, and the shortest way of all, as a
    number."""
    ways = np.linalg.vector_norm(np.subtract(cabs, customer), axis=1, ord=1)
    return np.less_equal(ways, blocks), np.min(ways)


@task(equivalent={"linalg.norm -> linalg.vector_norm": ROW_LENGTHS})
def kilometre_marks_of_trail(waypoints: Matrix(Int(0, 20), (3, 6), 2)):
    """A trail runs straight from each of the `waypoints` (rows of two coordinates) to the next. Return the distance
    walked from the start on arrival at the second, the third and all later ones, as a list."""
    legs = np.linalg.norm(np.diff(waypoints, axis=0), axis=1)
    return np.cumsum(legs)
