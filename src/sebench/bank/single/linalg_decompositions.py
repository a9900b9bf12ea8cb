"""Decompositions, eigenvalues and singular values. Where signs or order are conventions, the answers do not depend on
them."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import (
    Choice,
    Float,
    Int,
    Invertible,
    Matrix,
    PositiveDefinite,
    Symmetric,
    Vector,
)

# cholesky


@task
def correlated_wind_noise(covariance: PositiveDefinite((2, 4))):
    """To simulate gusts that are correlated, a wind lab needs the lower-triangular matrix L, positive on its diagonal,
    for which L times its own transpose gives `covariance`. Return L as a list of rows."""
    return np.linalg.cholesky(covariance)


@task
def upper_factor_of_bridge(stiffness: PositiveDefinite((2, 4))):
    """A bridge's symmetric, positive-definite `stiffness` table is stored as a triangular factor. By the office's
    convention that is the upper-triangular U with positive diagonal such that U transposed, times U, is the table.
    Return U as a list of rows."""
    return np.linalg.cholesky(stiffness, upper=True)


@task(n=(2, 3))
def two_harbour_swells(inner_basin: PositiveDefinite("n"), outer_basin: PositiveDefinite("n")):
    """Swell statistics of two harbour basins are positive-definite tables, `inner_basin` and `outer_basin`. For each
    one, find the upper-triangular table U, positive on the diagonal, whose transpose times U restores the table. Return
    a list of both, the inner basin's first, each as a list of rows."""
    return np.linalg.cholesky([inner_basin, outer_basin], upper=True)


@task
def linked_crop_yields(wheat_variance: Float(5, 9), shared: Float(-4, 4), barley_variance: Float(5, 9)):
    """The yields of wheat and barley have the variances `wheat_variance` and `barley_variance` and the covariance
    `shared`. Return the lower-triangular square root of the 2 by 2 covariance table, wheat first: a list of rows [[p,
    0], [q, r]], with p and r positive, which times its own transpose gives the covariance table."""
    return np.linalg.cholesky([[wheat_variance, shared], [shared, barley_variance]])


# qr


@task(n=(3, 5))
def hat_table_of_line_fit(ages: Vector(Int(1, 15), "n", unique=True)):
    """For trees of the given `ages`, form a table with the rows [1, age] and factor it into Q, with two orthonormal
    columns, and an upper-triangular R. Return Q times its transpose, the projection used in regression, as a list of
    rows."""
    q, _ = np.linalg.qr([[1, age] for age in ages])
    return q @ q.T


@task
def triangular_factor_squared(readings: Invertible((2, 4))):
    """The square table `readings` of a gyroscope is the product of a table with orthonormal columns and an
    upper-triangular one. Only the triangular factor matters, and the signs of its rows are arbitrary, so return the
    squares of its entries as a list of rows."""
    return np.linalg.qr(readings, mode="r") ** 2


@task(equivalent={"linalg.qr: mode='complete' added": "the table is square"})
def both_factors_squared(rig: Invertible((2, 3))):
    """Split the square table of a camera `rig` into Q (orthonormal columns) times R (upper triangle). The signs of the
    columns of Q and the rows of R are arbitrary, so square every entry and return the tuple (squared Q, squared R),
    both as lists of rows."""
    q, r = np.linalg.qr(rig)
    return q**2, r**2


@task
def direction_off_the_ramp(slope: Invertible(2), top: Vector(Int(-3, 3), 2)):
    """A ramp's plane is spanned by two vectors, the columns of a 3 by 2 table: `slope` holds its first two rows, x and
    y, and `top` is its third row, the height z. In the complete factorisation into Q, which is 3 by 3 and has
    orthonormal columns, and an upper-triangular R, the third column of Q is at right angles to the ramp. Return the
    squared entries of this column as a list."""
    return np.linalg.qr([*slope, top], mode="complete").Q[:, 2] ** 2


# eig


@task(
    equivalent={
        "values[0] > values[1]: the other border": "the eigenvalues differ",
        "1 - first: operands swapped": "-1 and 1 are both the position of the second of two",
    }
)
def lava_stretch_and_slope(flow: Matrix(Int(1, 9), 2, 2)):
    """How lava spreads is described by a 2 by 2 table `flow` of positive numbers, which has two different real
    eigenvalues. Return a list of two rows, that of the smaller eigenvalue first: the eigenvalue, and the slope of its
    eigenvector (second component divided by first)."""
    values, vectors = np.linalg.eig(flow)
    first = int(values[0] > values[1])
    return [[values[i], vectors[1, i] / vectors[0, i]] for i in (first, 1 - first)]


@task
def spiral_modes(left: Int(0, 3), push: Int(2, 5), pull: Int(-5, -2), right: Int(0, 3)):
    """A pendulum's 2 by 2 matrix has the rows [`left`, `push`] and [`pull`, `right`]; its two eigenvalues are complex.
    Return a tuple of two lists: the eigenvalues, the one with positive imaginary part first, and in the same order the
    second component of each eigenvector divided by its first."""
    values, vectors = np.linalg.eig([[left, push], [pull, right]])
    return values, vectors[1] / vectors[0]


@task(
    equivalent={
        "values[0] > values[1]: the other border": "the eigenvalues differ",
        "1 - first: operands swapped": "-1 and 1 are both the position of the second of two",
    }
)
def mode_shares_by_rate(fox: Vector(Int(1, 6), 2), hare: Vector(Int(1, 6), 2)):
    """The yearly change of foxes and hares is described by a 2 by 2 matrix with the rows `fox` and `hare`, all of whose
    entries are positive; its eigenvalues are real and different. Return two rows, that of the smaller eigenvalue first:
    the eigenvalue, then the two squared components of its eigenvector, which is scaled to Euclidean length one."""
    values, vectors = np.linalg.eig([fox, hare])
    first = int(values[0] > values[1])
    return [[values[i], vectors[0, i] ** 2, vectors[1, i] ** 2] for i in (first, 1 - first)]


@task(gyros=(2, 4))
def gyro_tilt_ratios(
    wobble: Vector(Int(-4, 4), "gyros"), forward: Vector(Int(1, 9), "gyros"), back: Vector(Int(1, 9), "gyros")
):
    """Gyro i has the matrix with rows [`wobble`[i], `forward`[i]] and [-`back`[i], `wobble`[i]], hence a pair of
    complex eigenvalues. Return a row of two numbers for each gyro: the second component of an eigenvector over the
    first, once for the eigenvalue with positive imaginary part and then for the other one."""
    _, vectors = np.linalg.eig([[[w, f], [-b, w]] for w, f, b in zip(wobble, forward, back, strict=True)])
    return vectors[:, 1] / vectors[:, 0]


# eigh


@task(equivalent={"linalg.eigh -> linalg.eig": "the matrix is symmetric and the order of the eigenvalues cancels out"})
def symmetric_root_of_stress(stress: PositiveDefinite((2, 3))):
    """A rock's symmetric, positive-definite `stress` table has a symmetric square root. To get it, put the orthonormal
    eigenvectors into the columns of a matrix V, scale each column by the square root of its eigenvalue, and multiply
    the result by the transpose of the unscaled V. Return the root as a list of rows."""
    values, vectors = np.linalg.eigh(stress)
    return vectors * values**0.5 @ vectors.T


@task
def heaviest_mode_shares(keel: Int(-9, 9), brace: Int(1, 9), mast: Int(-9, 9)):
    """The symmetric matrix with rows [`keel`, `brace`] and [`brace`, `mast`] describes how a hull sways. For its larger
    eigenvalue take the unit-length eigenvector and return the squares of its two components as a list."""
    return np.linalg.eigh([[keel, brace], [brace, mast]]).eigenvectors[:, 1] ** 2


@task
def half_written_inertia(inertia: Matrix(Int(1, 9), 2, 2)):
    """`inertia` should be a symmetric 2 by 2 table, but only its upper triangle is right; ignore what is below the
    diagonal. Return a tuple: eigenvalues in ascending order, and a table whose columns hold the squared components of
    the matching unit eigenvectors."""
    values, vectors = np.linalg.eigh(inertia, UPLO="U")
    return values, vectors**2


@task(clouds=(2, 4))
def long_side_of_point_clouds(
    spread_x: Vector(Float(5, 9), "clouds"),
    tie: Vector(Float(0.5, 4.5), "clouds"),
    spread_y: Vector(Float(5, 9), "clouds"),
):
    """Point cloud i has the symmetric covariance table [[`spread_x`[i], `tie`[i]], [`tie`[i], `spread_y`[i]]]. Its long
    side points along the eigenvector of the larger eigenvalue. Return the slope (y component over x component) for
    every cloud, as a list."""
    _, vectors = np.linalg.eigh([[[x, t], [t, y]] for x, t, y in zip(spread_x, tie, spread_y, strict=True)])
    return vectors[:, 1, 1] / vectors[:, 0, 1]


# eigvals


@task
def damped_string_frequencies(decay: Float(-5, -0.1), tension: Float(0.5, 6), mass_pull: Float(0.5, 6)):
    """A plucked string obeys the matrix with rows [`decay`, `tension`] and [-`mass_pull`, `decay`]. Return its two
    eigenvalues, a complex pair, as a list that begins with the one of positive imaginary part."""
    return np.linalg.eigvals([[decay, tension], [-mass_pull, decay]])


@task
def rabbit_growth_rates(transition: Matrix(Int(1, 9), 2, 2)):
    """Next season's numbers of young and adult rabbits are the table `transition` times this season's numbers. Which
    growth factors (eigenvalues, both real and different here) belong to the table? Return them as a set of two
    numbers."""
    return set(np.linalg.eigvals(transition))


@task(n=(2, 4))
def circuits_poles(base: Vector(Int(-5, 5), "n"), upper: Vector(Int(1, 9), "n"), lower: Vector(Int(1, 9), "n")):
    """For each of several oscillating circuits, take the 2 by 2 matrix [[`base`[i], `upper`[i]], [-`lower`[i],
    `base`[i]]]. Its poles are the two complex eigenvalues. Return a list with one row of two poles per circuit, in each
    row the one with positive imaginary part first."""
    return np.linalg.eigvals([[[a, b], [-c, a]] for a, b, c in zip(base, upper, lower, strict=True)])


@task
def three_leaky_tanks(hold: Vector(Int(-6, 6), 3), down: Vector(Int(1, 6), 2), up: Vector(Int(1, 6), 2)):
    """Three tanks in a row exchange water: the 3 by 3 rate matrix has `hold` on the diagonal, `down` just above it
    and `up` just below it, zeros elsewhere. Its eigenvalues are real and distinct. Return them as a set of three
    numbers."""
    return set(np.linalg.eigvals([[hold[0], down[0], 0], [up[0], hold[1], down[1]], [0, up[1], hold[2]]]))


# eigvalsh


@task
def bell_overtones(couplings: Symmetric(Int(-9, 9), (2, 4))):
    """The symmetric table `couplings` governs how the parts of a bell ring together. Return its eigenvalues, which are
    real, as a list from the smallest to the largest."""
    return np.linalg.eigvalsh(couplings)


@task(n=(2, 4))
def upper_half_is_enough(couplings: Matrix(Int(-9, 9), "n", "n")):
    """The symmetric table `couplings` of a molecule was typed in only above and on the diagonal; what stands below the
    diagonal is junk. Return the ascending list of eigenvalues of the symmetric table that the upper half describes."""
    return np.linalg.eigvalsh(couplings, UPLO="U")


@task
def rumour_spread_rate(friendships: Symmetric(Int(0, 3), (3, 4))):
    """How fast a rumour grows in a class is the largest eigenvalue of the symmetric table `friendships`: chats per day
    between any two pupils, and on the diagonal each pupil's own posts to all. Return this one real number."""
    return np.linalg.eigvalsh(friendships)[-1]


@task(n=(2, 3))
def before_and_after_tuning(untuned: Symmetric(Int(-6, 6), "n"), tuned: Symmetric(Int(-6, 6), "n")):
    """A model of a violin plate is a symmetric table; its tones are the numbers t for which the table turns some
    nonzero shape into t times that shape (a tone of several independent shapes counts as often). There are two models
    of equal size, `untuned` and `tuned`. Return two rows, the tones of the untuned plate and those of the tuned one,
    each from low to high."""
    return np.linalg.eigvalsh([untuned, tuned])


# svd


@task(equivalent={"linalg.svd: full_matrices=False added": "the first vectors are in both forms"})
def blurred_poster(brightness: Matrix(Int(1, 9), (2, 4), (2, 4))):
    """Compress a poster's table `brightness` to its best rank-one approximation: the greatest singular value times its
    left singular vector (as a column) times its right singular vector (as a row). Return the approximation as a list of
    rows."""
    u, s, vh = np.linalg.svd(brightness)
    return s[0] * u[:, :1] @ vh[:1]


@task(equivalent={"linalg.svd: full_matrices=False added": "the first vectors are in both forms"})
def main_taste_direction(scores: Matrix(Int(1, 9), (2, 5), (2, 4))):
    """Rows of `scores` are judges at a jam contest, columns are jams. In the table's singular value decomposition, take
    the right singular vector that belongs to the greatest singular value. Return its squared components as a list, one
    entry per jam."""
    return np.linalg.svd(scores).Vh[0] ** 2


@task
def nearest_rigid_pose(marks: Invertible(2), third_mark: Vector(Int(-3, 3), 2)):
    """A camera tracked two points, the rows of `marks`, and later a third, `third_mark`. Put the three below one
    another as a 3 by 2 matrix. Its thin singular value decomposition is U S Vh, where U is 3 by 2; the nearest matrix
    with orthonormal columns is U times Vh. Return that product as a list of rows."""
    u, _, vh = np.linalg.svd([*marks, third_mark], full_matrices=False)
    return u @ vh


@task
def silent_combination(speakers: Invertible(2), echo: Vector(Int(-3, 3), 2)):
    """Two loudspeakers (columns) sound in three rooms (rows). The first two rows of this 3 by 2 table are `speakers`,
    for the rooms they stand in; the third is `echo`, for the room that only hears them through the wall. In the full
    singular value decomposition U is 3 by 3, and its last column is the sound pattern that no input produces. Return a
    tuple of two lists: the singular values (greatest first) and the squared entries of that column."""
    u, s, _ = np.linalg.svd([*speakers, echo])
    return s, u[:, 2] ** 2


# svdvals


@task
def telescope_mirror_modes(bending: Matrix(Int(-6, 6), (2, 4), (2, 4))):
    """Pushes at the actuators of a telescope mirror, one number for each column of the table `bending`, move its
    surface by the table times the pushes. Take all pushes of Euclidean length 1: what is the longest movement? And the
    longest among the pushes at right angles to the first ones, and so on? Return as many lengths as the smaller side of
    the table has entries, as a list."""
    return np.linalg.svdvals(bending)


@task
def strongest_motion_of_linkage(linkage: Matrix(Float(-5, 5), (2, 3), (2, 4))):
    """A linkage turns every motion of its handle, a vector, into a motion of the tool: the matrix `linkage` times that
    vector. By what factor can it lengthen a motion at most? This is the greatest singular value of the matrix; return
    it as a number."""
    return np.linalg.svdvals(linkage)[0]


@task
def dough_sheet_stretches(
    foldings: Vector(
        Choice(
            [[2, 1], [0, 1]], [[1, 3], [-1, 2]], [[4, -1], [2, 3]], [[0, 3], [5, 1]], [[-2, 4], [3, 1]],
            [[1, -5], [2, -3]],
            [[3, 0], [0, 2]], [[5, 2], [1, -4]],
        ),
        (2, 4),
    ),
):  # fmt: skip
    """A pastry machine performs several `foldings`, each a 2 by 2 table that acts on the dough. For every folding list
    its two singular values in descending order, and return these lists as rows."""
    return np.linalg.svdvals(foldings)


@task
def weakest_response(antenna: Invertible((2, 4))):
    """In one direction an antenna responds more weakly than in all others. How strong is its response there? It is the
    smallest singular value of the square table `antenna`; return it as a number."""
    return np.linalg.svdvals(antenna)[-1]
