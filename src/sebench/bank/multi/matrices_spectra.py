"""Vibrations, growth, shapes and fits: eigenvalues, singular values, factorisations and lengths."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Choice, Cube, Float, Int, Invertible, Matrix, PositiveDefinite, Symmetric, Vector

NO_SIGN = "only the size of the difference counts"
TRIANGLE = "the eigenvalues of a triangular table are its diagonal"
WHOLE_TABLE = "the square root of the total of all squares is the same in both"
ROW_LENGTHS = "along rows both are the same lengths"
PERRON = "of a table of positive numbers, the eigenvalue of greatest magnitude and its eigenvector are positive"
FLAT_DIAGONAL = {"diag -> diagflat": "a flat list is put on a diagonal by both"}


@task(floors=(3, 8))
def neighbouring_tower_tones(stiffness: PositiveDefinite("floors"), masses: Vector(Int(1, 9), "floors")):
    """The floors of a tower have `masses` and are coupled by the symmetric table `stiffness`. If every entry (i, j) of
    that table is divided by the square root of mass i times mass j, the square roots of the eigenvalues of the new
    table are the tones of the tower. Return a tuple: the smallest gap between two tones that follow each other in
    height, and the average of the tones."""
    table = np.divide(stiffness, np.sqrt(np.outer(masses, masses)))
    tones = np.sqrt(np.linalg.eigvalsh(table))
    return np.min(np.diff(tones)), np.mean(tones)


@task(stages=(2, 4), equivalent={"absolute -> real": PERRON})
def doubling_times_of_salmon(rivers: Cube(Float(0.6, 3), (3, 8), "stages", "stages"), years: Int(1, 4)):
    """Each entry of `rivers` is a square table: it is multiplied with the counts of salmon by life stage, as a column,
    once in `years` years. In the long run each such step multiplies a stock by the table's eigenvalue of greatest
    magnitude, which is above 1. After how many years has a stock doubled in the long run? Return a list with an entry
    per river, not rounded."""
    growth = np.max(np.absolute(np.linalg.eigvals(rivers)), axis=1)
    return years / np.log2(growth)


@task(n=(3, 8))
def least_damped_mode(coupling: Invertible("n")):
    """The eigenvalues of the table `coupling` are the modes of a machine on springs, complex numbers a + bi of which
    none is 0. The damping of a mode is -a divided by its magnitude: between -1 for one that builds up and 1 for one
    that dies down without swinging. Return a tuple of two: the lowest damping of any mode; the average damping."""
    modes = np.linalg.eigvals(coupling)
    damping = -np.real(modes) / np.absolute(modes)
    return np.min(damping), np.mean(damping)


@task(n=(3, 7), equivalent=FLAT_DIAGONAL)
def energy_in_each_mode(
    own: Vector(Int(7, 12), "n"), link: Vector(Int(1, 3), "n"), push: Vector(Float(-6, 6), "n", unique=True)
):
    """Carts stand in a row; their symmetric matrix has `own` at the places (i, i) and, for neighbouring carts i and i +
    1, `link`[i] on both places (i, i + 1) and (i + 1, i); the last link leads to nothing and is not used. Each unit
    eigenvector is a mode; the energy that the vector `push` gives to it is its eigenvalue times the square of its
    scalar product with push. Return the shares of the modes in the whole energy as a list, by ascending eigenvalue."""
    beside = np.diag(link[:-1], 1)
    values, vectors = np.linalg.eigh(np.diag(own) + beside + beside.T)
    energies = values * (np.array(push) @ vectors) ** 2
    return energies / np.sum(energies)


@task(
    plates=(3, 7),
    equivalent={"linalg.eigh -> linalg.eig": "the matrix is symmetric and the order of the eigenvalues cancels out"},
)
def heat_of_plates_later(coupling: Symmetric(Int(-2, 2), "plates"), start: Vector(Int(0, 30), "plates")):
    """Plates exchange heat as the symmetric matrix `coupling` says: after one minute their temperatures are its
    exponential times `start`, as a column. The exponential of a symmetric matrix has the same eigenvectors, and e to
    the power of its eigenvalues as eigenvalues. Return a tuple: the temperatures after one minute as a list, and how
    far the hottest is above the coldest."""
    values, vectors = np.linalg.eigh(coupling)
    later = vectors @ (np.exp(values) * (np.array(start) @ vectors))
    return later, np.ptp(later)


@task(brands=(2, 6), equivalent={"real -> absolute": PERRON})
def long_run_market_shares(moves: Matrix(Int(1, 9), "brands", "brands")):
    """Year after year the sizes of phone brands, as a column, are multiplied by the table `moves` of positive numbers.
    In the long run they stand in the ratio of the components of the eigenvector that belongs to the greatest
    eigenvalue, which is an ordinary positive number even if others are complex. Return the long-run sizes as shares
    that add up to 1, a list with one share per brand."""
    values, vectors = np.linalg.eig(moves)
    main = np.real(vectors[:, np.argmax(values)])
    return np.divide(main, np.sum(main))


@task(
    nuclides=(3, 5),
    equivalent={
        "linalg.solve -> linalg.tensorsolve": "for a square table and a flat list both find the same unknowns",
    },
)
def chain_of_decays(
    rates: Vector(Choice(0.1, 0.3, 0.6, 1.0, 1.5, 2.5, 4.0), "nuclides", unique=True),
    start: Vector(Int(0, 90), "nuclides"),
    hours: Float(0.2, 3),
):
    """In a radioactive chain, nuclide k decays into nuclide k + 1; the last one decays into something that is not
    counted. Per hour, nuclide k loses `rates`[k] times its amount, continuously, and what it loses is what the next one
    gains: the amounts y obey y' = A y. At hour 0 the amounts are `start`. Return the amounts after `hours` hours as a
    list. (With the eigenvectors of A as columns of V, the amounts are V times a column of weights that each change by e
    to the power of eigenvalue times hours.)"""
    unit = np.eye(len(rates))
    table = (np.eye(len(rates), k=-1) - unit) * rates
    values, vectors = np.linalg.eig(table)
    return vectors @ (np.exp(values * hours) * np.linalg.solve(vectors, start))


# A picture of one colour has rank one already: only rounding errors would be left.
@task(
    without=("constant",),
    equivalent={
        "subtract: arguments 1 and 2 swapped": NO_SIGN,
        "linalg.svd: full_matrices=False added": "only the first pair of vectors is used",
    },
)
def pixels_after_squeezing(picture: Matrix(Int(1, 99), (4, 8), (4, 10))):
    """Of all tables in which every row is a multiple of the same row, one comes nearest to a `picture` in the total of
    squared differences: the part of its singular value decomposition that belongs to the greatest singular value.
    Return a tuple: by how much the worst pixel of this squeezed picture is off, and by how much a pixel is off on
    average, both without sign."""
    u, s, vh = np.linalg.svd(picture)
    squeezed = s[0] * np.outer(u[:, 0], vh[0])
    errors = np.absolute(np.subtract(picture, squeezed))
    return np.max(errors), np.mean(errors)


@task(
    n=(2, 5),
    equivalent={
        "linalg.svd: full_matrices=False added": "of a square table both give the same vectors",
        "table @ turn - known: operands swapped": NO_SIGN,
        "linalg.matrix_norm -> linalg.norm": WHOLE_TABLE,
        "linalg.matrix_norm -> linalg.vector_norm": WHOLE_TABLE,
    },
)
def turning_landmarks(seen: Invertible("n"), known: Invertible("n")):
    """Rows of the square tables `seen` and `known` are the same landmarks in two frames. The best turn is the
    orthogonal table Q for which seen times Q comes nearest to known in the total of squared differences. If U, S, Vh is
    the singular value decomposition of seen transposed times known, Q is U times Vh. Return a tuple of two: the
    determinant of Q, which up to rounding errors is 1 for a rotation and -1 if Q also mirrors; the square root of the
    total of squared differences that Q leaves."""
    table = np.array(seen)
    u, _, vh = np.linalg.svd(table.T @ np.array(known))
    turn = u @ vh
    return np.linalg.det(turn), np.linalg.matrix_norm(table @ turn - known)


# Constant: there would be no variance to explain.
@task(
    without=("constant", "large"),  # more days than bonds
    days=(8, 15),
    bonds=(3, 7),
    equivalent={"subtract: arguments 1 and 2 swapped": "singular values have no sign"},
)
def explained_by_leading_factors(yields: Matrix(Float(0, 9), "days", "bonds")):
    """Rows of `yields` are trading days, columns bonds; there are more days than bonds. From every column its own
    average is taken off; the squared singular values of the table that is left are the variances of its factors.
    Return, for k = 1, 2, ... up to the number of bonds, the fraction of the whole variance that the k largest factors
    have together, as a list that ends with 1."""
    centred = np.subtract(yields, np.mean(yields, axis=0))
    running = np.cumsum(np.square(np.linalg.svdvals(centred)))
    return running / running[-1]


@task
def evenness_of_radio_channels(antennas: Invertible((3, 8))):
    """How evenly does a radio link with the table `antennas` spread over its channels? The strengths of the channels
    are the singular values of the table. With their shares in the total of all strengths, the evenness is minus the
    total, over the channels, of share times natural logarithm of share. Return the evenness as a number."""
    strengths = np.linalg.svdvals(antennas)
    shares = strengths / np.sum(strengths)
    return -np.sum(shares * np.log(shares))


@task(sensors=(2, 6))
def correlated_test_signals(
    covariance: PositiveDefinite("sensors"),
    noise: Matrix(Float(-2, 2), (5, 15), "sensors"),
    level: Vector(Int(-9, 9), "sensors"),
):
    """Linked sensors are imitated: `covariance` is L times L transposed, where L is lower-triangular with positive
    diagonal, and every sample is `level` plus L times one row of `noise`. Return a tuple of two lists with an entry per
    sensor: the average of its samples, and their standard deviation (divisor: number of samples)."""
    samples = np.add(np.inner(noise, np.linalg.cholesky(covariance)), level)
    return np.mean(samples, axis=0), np.std(samples, axis=0)


@task(
    markers=(3, 7),
    equivalent={"linalg.solve -> linalg.tensorsolve": "for a square table and a flat list both find the same unknowns"},
)
def untangled_blood_markers(covariance: PositiveDefinite("markers"), patient: Vector(Float(-9, 9), "markers")):
    """Blood markers vary together, with the table `covariance`; a `patient` is a list of deviations from the usual.
    Untangled, they are the numbers z with L z = patient, where L is the lower-triangular table with positive diagonal
    for which L times L transposed is the covariance. Return a tuple: the untangled number that is largest without sign
    (given without sign), and the total of the squared untangled numbers."""
    z = np.linalg.solve(np.linalg.cholesky(covariance), patient)
    return np.max(np.absolute(z)), np.sum(np.square(z))


@task(equivalent={"diagonal -> linalg.eigvals": TRIANGLE})
def growing_box_contents(edges: Invertible((3, 8))):
    """The columns of `edges` span a slanted box, edge after edge. The height that an edge adds is its distance from the
    space spanned by the edges before it (for the first: its length); these heights are the entries (k, k), without
    sign, of the upper-triangular factor when the table is split into an orthogonal and an upper-triangular one. Return
    a tuple: the list of contents after each edge (length, area, volume and so on: products of the heights so far), and
    the least height."""
    heights = np.absolute(np.diagonal(np.linalg.qr(edges, mode="r")))
    return np.cumprod(heights), np.min(heights)


@task(
    equivalent={
        "linalg.norm -> linalg.vector_norm": ROW_LENGTHS,
        "points - points @ q @ q.T: operands swapped": NO_SIGN,
    }
)
def drones_above_sloping_roof(
    ground: Invertible(2), rise: Vector(Int(-3, 3), 2), drones: Matrix(Float(-9, 9), (4, 12), 3)
):
    """Two beams of a sloping roof start at the origin. Beam j (0 or 1) leads to the point with the ground coordinates
    `ground`[0][j] and `ground`[1][j] and the height `rise`[j]; the roof is the plane through both beams. Rows of
    `drones` are points in space. Return a tuple: the least distance of a drone from the plane, and the average
    distance."""
    q, _ = np.linalg.qr(np.vstack((ground, rise)))
    points = np.array(drones)
    distances = np.linalg.norm(points - points @ q @ q.T, axis=1)
    return np.min(distances), np.mean(distances)


@task(r=(2, 3), c=(2, 4), equivalent={"subtract: arguments 1 and 2 swapped": NO_SIGN})
def closest_stored_pose(poses: Cube(Int(-2, 2), (5, 14), "r", "c"), current: Matrix(Int(-2, 2), "r", "c")):
    """A gripper knows several `poses`, tables of the same form as its `current` pose. The distance of two poses is the
    square root of the total of squared differences over the whole table. Return a tuple of three: the position (from 0)
    of the pose nearest to the current one, the first of equals; its distance; the average distance of the poses."""
    distances = np.linalg.matrix_norm(np.subtract(poses, current))
    return np.argmin(distances), np.min(distances), np.mean(distances)


@task(equivalent={"linalg.vector_norm -> linalg.norm": ROW_LENGTHS, "subtract: arguments 1 and 2 swapped": NO_SIGN})
def cabs_within_reach(cabs: Matrix(Int(-9, 9), (6, 20), 2), customer: Vector(Int(-9, 9), 2), blocks: Int(4, 14)):
    """Streets form a grid, so the way from a cab to the `customer` is the east-west distance plus the north-south
    distance. Each row of `cabs` is the place of one cab, and `customer` a place too, both [east, north]. Return a tuple
    of two: the ascending list, which may be empty, of the positions (from 0) of the cabs that are at most `blocks`
    away; the shortest way of any cab, as a number."""
    ways = np.linalg.vector_norm(np.subtract(cabs, customer), axis=1, ord=1)
    return np.flatnonzero(np.less_equal(ways, blocks)), np.min(ways)


@task(equivalent={"linalg.norm -> linalg.vector_norm": ROW_LENGTHS}, n=(4, 15))
def hiker_after_some_kilometres(
    east: Vector(Int(0, 20), "n"), north: Vector(Int(0, 20), "n"), walked: Vector(Float(0, 90), (3, 8))
):
    """A trail runs straight from point to point; the points have the coordinates `east` and `north` in kilometres.
    After each of the distances in `walked`, how far east is the hiker who follows the trail from its first point? One
    who has walked the whole trail stays at its end. Return a list of east coordinates, in the order of the
    distances."""
    steps = np.diff([east, north])
    marks = np.cumulative_sum(np.linalg.norm(steps, axis=0), include_initial=True)
    return np.interp(walked, marks, east)
