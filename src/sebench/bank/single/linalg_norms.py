"""Lengths of vectors, sizes of matrices, condition numbers and ranks."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Choice, Complex, Cube, Float, Int, Invertible, Matrix, PositiveDefinite, Vector

ONE_VECTOR = "the Euclidean length of one list of numbers is the same thing in both"
ROWS = "along one direction of a table both measure vectors"
ONE_MATRIX = "for a single table both offer the same sizes"


# norm


@task(equivalent={"linalg.norm -> linalg.vector_norm": ONE_VECTOR})
def kite_string_length(displacement: Vector(Float(-30, 30), (2, 3))):
    """A kite hovers at the given `displacement` from its owner's hand, one number per direction. How long is the taut,
    straight string? Return the Euclidean length as a number."""
    return np.linalg.norm(displacement)


@task(equivalent={"linalg.norm -> linalg.vector_norm": ROWS})
def taxi_blocks_driven(trips: Matrix(Int(-12, 12), (2, 5), (2, 3))):
    """Each row of `trips` lists the legs of one taxi trip in blocks, with a minus for legs to the south or west. Return
    the blocks driven on each trip, that is the absolute values added up along the row, as a list."""
    return np.linalg.norm(trips, ord=1, axis=1)


@task(equivalent={"linalg.norm -> linalg.matrix_norm": ONE_MATRIX})
def largest_channel_gain(gains: Matrix(Float(-5, 5), (2, 4), (2, 4))):
    """The table `gains` says how strongly each input signal (column) goes to each output channel (row). Add up the
    absolute values in each row and return the largest of these sums, as a single number."""
    return np.linalg.norm(gains, ord=np.inf)


@task(equivalent={"linalg.norm -> linalg.vector_norm": ROWS})
def force_plate_scaling(forces: Matrix(Float(-9, 9), (2, 4), (2, 4))):
    """In `forces` a gait lab has one column per force plate. To normalise the columns later on, it wants the root of
    the summed squares of each column. Return a table with a single row: a list that contains one list with a number per
    column."""
    return np.linalg.norm(forces, axis=0, keepdims=True)


# vector_norm


@task
def total_stitch_error(errors: Matrix(Int(-6, 6), (2, 4), (2, 4))):
    """A knitting machine reports stitch `errors` row by row. Treat the entire table as one long vector and return its
    norm of order one, the grand total of absolute errors, as a number."""
    return np.linalg.vector_norm(errors, ord=1)


@task(equivalent={"linalg.vector_norm -> linalg.norm": ROWS})
def loudness_of_order_three(bands: Matrix(Float(-4, 4), (2, 4), (2, 4))):
    """Each row of `bands` holds the sound pressures of one noise in several frequency bands. An acoustician combines
    them with exponent three: cube the absolute values, add them up along the row and take the cube root. Return one
    combined loudness per row, as a list."""
    return np.linalg.vector_norm(bands, axis=1, ord=3)


@task
def quake_strength_per_station(shaking: Cube(Int(-5, 5), (2, 3), (2, 3), (2, 3))):
    """`shaking` holds one table of seismometer values per station. Give each station a single figure: raise the
    absolute values of its whole table to the fourth power, add them, take the fourth root. Return the figures as a
    list."""
    return np.linalg.vector_norm(shaking, axis=(1, 2), ord=4)


@task(equivalent={"linalg.vector_norm -> linalg.norm": ONE_VECTOR})
def quantum_state_length(amplitudes: Vector(Complex(-3, 3), (2, 5))):
    """A student forgot to normalise a quantum state. Given its complex `amplitudes`, return the length of the state
    vector: the square root of the summed squared magnitudes, as a real number."""
    return np.linalg.vector_norm(amplitudes)


# matrix_norm


@task
def frame_difference_sizes(frames: Cube(Int(-9, 9), (2, 3), (2, 3), (2, 3))):
    """A wildlife camera stores difference pictures in `frames`, each a small table of the changes from one photo to the
    next. Return the Frobenius norm of each picture, that is the root of the sum of its squared entries, as a list with
    a number per picture."""
    return np.linalg.matrix_norm(frames)


@task
def taste_complexity(ratings: Cube(Int(0, 5), (2, 3), (2, 3), (2, 3))):
    """Every cinema club in `ratings` hands in a table of marks, members by films. A measure of how complex the taste
    is: the nuclear norm, the sum of a table's singular values. Return it for each club as a list."""
    return np.linalg.matrix_norm(ratings, ord="nuc")


@task(equivalent={"linalg.matrix_norm -> linalg.norm": ONE_MATRIX})
def restless_ingredient_prices(changes: Matrix(Int(-9, 9), (2, 4), (2, 4))):
    """In `changes` a row is a bakery and a column an ingredient; entries are price changes. Add up the absolute changes
    of each column and return the largest column total (the matrix norm of order one) as a number."""
    return np.linalg.matrix_norm(changes, ord=1)


@task
def strongest_stretch_kept_nested(rubber: Cube(Float(-4, 4), (2, 3), 2, 2)):
    """Each 2 by 2 table in `rubber` deforms a sheet. Find its spectral norm (greatest singular value), the strongest
    stretch possible. For later division keep both table directions: return a list with one 1 by 1 table [[stretch]] per
    deformation."""
    return np.linalg.matrix_norm(rubber, ord=2, keepdims=True)


# cond


@task
def survey_sensitivity(bearings: Invertible(2), extra: Vector(Int(-3, 3), 2)):
    """A land survey has two unknowns and three sightings: two planned ones, the rows of `bearings`, and below them the
    row `extra`, added to check them. How sensitive to errors is this 3 by 2 table? Return its condition number,
    greatest singular value over smallest."""
    return np.linalg.cond([*bearings, extra])


@task
def pump_network_condition(network: Invertible((2, 4))):
    """Plumbers describe a pump `network` by a square table and judge it by its condition number: the largest column sum
    of absolute values, multiplied by the same figure of the inverse table. Return this number."""
    return np.linalg.cond(network, p=1)


@task
def portfolio_condition(covariances: PositiveDefinite((2, 4))):
    """How badly conditioned is the square table `covariances` of a fund? Measure it by Frobenius norms: that of the
    table times that of its inverse. Return the resulting condition number."""
    return np.linalg.cond(covariances, p="fro")


@task(n=(2, 3))
def compare_two_calibrations(spring: Invertible("n"), autumn: Invertible("n")):
    """A weather mast was calibrated in `spring` and in `autumn`, each time with a square table. The condition number of
    a table is its largest row sum of absolute values, multiplied by the same figure of its inverse. Return both
    condition numbers as a list, spring first."""
    return np.linalg.cond([spring, autumn], p=np.inf)


# matrix_rank


@task
def independent_perfumes(formulas: Matrix(Choice(0, 1, 1), (3, 5), 3)):
    """Each row of `formulas` says how many parts (0 or 1) of rose, of musk and of cedar are in a perfume. Some may be
    mere mixtures of others. How many linearly independent rows are there? Return a whole number."""
    return np.linalg.matrix_rank(formulas)


@task
def loud_modes_in_drum(skin: Matrix(Int(-9, 9), (2, 4), (2, 4))):
    """Vibration patterns of a drum are read off the singular values of the table `skin`; those of 5.5 or less are
    inaudible. Return the number of audible ones: the rank with an absolute threshold of 5.5."""
    return np.linalg.matrix_rank(skin, tol=5.5)


@task
def flavour_dimensions(tastings: Matrix(Int(-5, 5), (3, 4), (3, 5))):
    """A tea panel wrote down its scores in `tastings`, one row per tea. How many traits are behind them? Count the
    singular values of the table that are greater than 0.37 times the greatest one, and return the count."""
    return np.linalg.matrix_rank(tastings, rtol=0.37)


@task
def gear_tables_ranks(gearboxes: Cube(Choice(0, 1, 1, 2), (3, 5), 2, 2)):
    """For each 2 by 2 table in the list `gearboxes`, a mechanic has to know whether it is of rank 0, 1 or 2. Return the
    ranks as a list of whole numbers."""
    return np.linalg.matrix_rank(gearboxes)
