"""Linear systems in practice: trusses, circuits, surveys, fits, input-output economies."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Choice, Cube, Float, Int, Invertible, Matrix, PositiveDefinite, Vector

FLAT_SYSTEM = "for a square table and a flat list both find the same unknowns"
SAME_COUNT = "the new form holds just as many numbers, so nothing is repeated or lost"
TABLE_TIMES_LIST = "a table times a flat list is the same list of sums in both"


@task(
    bars=(2, 4),
    equivalent={
        "linalg.solve -> linalg.tensorsolve": FLAT_SYSTEM,
        "flip -> flipud": "a flat list is turned around by both",
    },
)
def bar_forces_by_size(geometry: Invertible("bars"), loads: Vector(Int(-20, 20), "bars")):
    """The bar forces f of a truss satisfy `geometry` times f = `loads`, a square system with one solution. Forget
    whether a bar is pulled or pushed: return the sizes of the forces without sign, the greatest first, as a list."""
    sizes = np.absolute(np.linalg.solve(geometry, loads))
    return np.flip(np.sort(sizes))


@task(loops=(2, 4), equivalent={"linalg.solve -> linalg.tensorsolve": FLAT_SYSTEM})
def power_share_of_each_loop(resistances: PositiveDefinite("loops"), batteries: Vector(Int(1, 24), "loops")):
    """In a mesh circuit the loop currents i follow from `resistances` times i = `batteries` (in volts). A loop's power
    is its current times its battery voltage. Return every loop's power as a fraction of the power of all loops
    together, as a list."""
    currents = np.linalg.solve(resistances, batteries)
    power = np.multiply(currents, batteries)
    return np.divide(power, np.sum(power))


@task(
    points=(3, 6),
    equivalent={
        "matmul -> dot": TABLE_TIMES_LIST,
        "matmul -> inner": TABLE_TIMES_LIST,
        "matmul -> linalg.vecdot": TABLE_TIMES_LIST,
    },
)
def gauge_line_and_worst_miss(
    litres: Vector(Int(0, 60), "points", unique=True, sorted=True),
    needle: Vector(Float(0, 9), "points", unique=True, sorted=True),
):
    """A fuel gauge is calibrated: at `litres`[i] the needle stood at `needle`[i]. Fit the needle by least squares as
    slope * litres + offset. Return a tuple: the list [slope, offset], and the largest distance between a fitted and an
    observed needle position."""
    table = np.vander(litres, 2)
    line = np.linalg.lstsq(table, needle)[0]
    return line, np.max(np.absolute(np.matmul(table, line) - needle))


@task
def middle_cell_volume(cells: Cube(Float(0.5, 6), (2, 4), 3, 3)):
    """Every entry of `cells` is a crystal's unit cell: three rows, each an edge vector. The volume of a cell is the
    size of the determinant of its table, without sign. Return the middle one of the volumes (halfway between the two
    middle ones if their number is even)."""
    return np.median(np.absolute(np.linalg.det(cells)))


@task(sensors=(2, 3))
def surprise_of_a_reading(covariance: PositiveDefinite("sensors"), deviation: Vector(Int(-5, 5), "sensors")):
    """How surprising is a reading that is off by `deviation`? Take the natural logarithm of the determinant of
    `covariance` and add the matrix product deviation (as a row) times inverse of covariance times deviation (as a
    column). Return this number."""
    spread = np.linalg.slogdet(covariance).logabsdet
    return spread + np.linalg.multi_dot([deviation, np.linalg.inv(covariance), deviation])


@task(
    runs=(2, 4),
    knobs=(2, 3),
    equivalent={
        "matmul -> dot": "a single table times a single table is the same product in both",
        "linalg.matrix_transpose -> transpose": "for a single table both swap rows and columns",
        "linalg.matrix_transpose -> column_stack": "rows that are set up as columns make the table turned over",
    },
)
def uncertainty_of_experiment(settings: Matrix(Int(-3, 3), "runs", "knobs")):
    """Rows of `settings` are test runs of an engine, columns its knobs. Form the information table: the transpose of
    settings, multiplied as a matrix by settings, plus the unit matrix of that size. Return the sum of the diagonal of its
    inverse, as a number."""
    information = np.matmul(np.linalg.matrix_transpose(settings), settings)
    return np.trace(np.linalg.inv(information + np.identity(len(settings[0]))))


@task(
    equivalent={
        "dot -> matmul": TABLE_TIMES_LIST,
        "dot -> inner": TABLE_TIMES_LIST,
        "dot -> linalg.vecdot": TABLE_TIMES_LIST,
        "linalg.norm -> linalg.vector_norm": "for one flat list both are the Euclidean length",
    }
)
def laziest_joint_motion(
    shoulder_elbow: Invertible(2), wrist: Vector(Int(-3, 3, but=(0,)), 2), velocity: Vector(Float(-4, 4), 2)
):
    """A planar arm has three joints: the columns of `shoulder_elbow` and, as third column, `wrist` tell how each one
    moves the hand. The least joint rates for a hand `velocity` are the pseudo-inverse of the 2 by 3 table times the
    velocity. Return a tuple: the rates as a list, and their Euclidean length."""
    inverse = np.linalg.pinv(np.column_stack((shoulder_elbow, wrist)))
    rates = np.dot(inverse, velocity)
    return rates, np.linalg.norm(rates)


@task(equivalent={"linalg.norm -> linalg.vector_norm": "along rows both are the Euclidean lengths"})
def conditioning_of_unit_rows(bearings: Invertible((2, 4))):
    """A positioning system is judged by its table `bearings`: scale each row to Euclidean length 1, then find the
    condition number of the scaled table (largest over smallest singular value). Return it as a number."""
    lengths = np.linalg.norm(bearings, axis=1, keepdims=True)
    return np.linalg.cond(np.divide(bearings, lengths))


@task
def flat_camera_rigs(rigs: Cube(Choice(-1, 0, 0, 0, 1), (4, 5), 3, 3), needed: Int(2, 3)):
    """Each entry of `rigs` is a camera rig: three viewing directions, one per row (zeros if that camera is off). A rig is
    too flat if it has fewer than `needed` linearly independent rows. Return the positions (from 0) of the rigs that are
    too flat, ascending, as a list (maybe empty)."""
    return np.flatnonzero(np.less(np.linalg.matrix_rank(rigs), needed))


@task(equivalent={"reshape -> resize": SAME_COUNT})
def hottest_tile_per_row(influence: Invertible(4), heat: Matrix(Int(0, 30), 2, 2)):
    """A hot plate has 2 by 2 tiles, counted row by row. The heat measured at tile t is the sum of all four tile
    temperatures, each multiplied by that tile's entry in row t of `influence`. Given the measured `heat` as a 2 by 2 table,
    find the table of temperatures and return the highest temperature in each of its rows, as a list of two numbers."""
    system = np.reshape(influence, (2, 2, 2, 2))
    return np.max(np.linalg.tensorsolve(system, heat), axis=1)


@task(equivalent={"reshape -> resize": SAME_COUNT})
def lamps_for_a_pattern(response: Invertible(4), pattern: Matrix(Int(0, 9), 2, 2)):
    """Four lamps light a screen of 2 by 2 pixels. Each row of `response` belongs to one pixel, row by row over the
    screen, and has one column per lamp: a pixel gets the sum of its row times the lamp settings, where negative numbers
    darken. Which settings produce the wanted `pattern`, two rows of pixels? Return the four settings as a list."""
    inverse = np.linalg.tensorinv(np.reshape(response, (2, 2, 4)))
    return np.tensordot(inverse, pattern)


@task(sectors=(2, 3), equivalent={"linalg.solve -> linalg.tensorsolve": FLAT_SYSTEM})
def jobs_behind_demand(
    shares: Matrix(Float(0, 0.25, 2), "sectors", "sectors"),
    demand: Vector(Int(10, 90), "sectors"),
    jobs: Vector(Int(1, 9), "sectors"),
):
    """In an economy the outputs x of the sectors meet x = `shares` times x + `demand`, with the square table shares.
    Sector s employs `jobs`[s] people per unit of output. Return the number of people employed in each sector, as a list
    (fractions allowed)."""
    remaining = np.subtract(np.eye(len(shares)), shares)
    return np.multiply(jobs, np.linalg.solve(remaining, demand))


@task(
    n=(2, 3),
    equivalent={
        "linalg.matrix_norm -> linalg.norm": "for one table both give the largest column sum",
        "linalg.vector_norm -> linalg.norm": "for one flat list both give the sum of the sizes",
    },
)
def worst_case_position_error(beacons: Invertible("n"), reading_errors: Vector(Float(-2, 2), "n")):
    """Positions are found by inverting the square table `beacons`. A bound for the error is the largest column sum of
    absolute values in the inverse table, times the sum of absolute values of `reading_errors`. Return this bound as a
    number."""
    gain = np.linalg.matrix_norm(np.linalg.inv(beacons), ord=1)
    return gain * np.linalg.vector_norm(reading_errors, ord=1)
