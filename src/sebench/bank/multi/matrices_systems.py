"""Linear systems in practice: trusses, circuits, surveys, fits, input-output economies."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Choice, Cube, Float, Folded, Int, Invertible, Matrix, PositiveDefinite, Vector

FLAT_SYSTEM = {"linalg.solve -> linalg.tensorsolve": "for a square table and a flat list both find the same unknowns"}
NO_SIGN = "only the size of the difference counts"
ONE_LENGTH = {"linalg.norm -> linalg.vector_norm": "for one flat list both are the Euclidean length"}


@task(bars=(3, 8), equivalent=FLAT_SYSTEM)
def burden_of_the_top_bars(geometry: Invertible("bars"), loads: Vector(Int(-20, 20, but=(0,)), "bars")):
    """The bar forces f of a truss satisfy `geometry` times f = `loads`, a square system with one solution. Signs only
    tell pulled bars from pushed ones and are ignored here. What fraction of the total of all force sizes do the k most
    stressed bars bear together? Return these fractions for k = 1, 2, ... up to the number of bars, as a list."""
    sizes = np.sort(np.absolute(np.linalg.solve(geometry, loads)))[::-1]
    running = np.cumsum(sizes)
    return running / running[-1]


@task(points=(5, 20), equivalent={"table @ curve - needle: operands swapped": NO_SIGN})
def gauge_curve_and_worst_miss(
    litres: Vector(Int(0, 60), "points", unique=True, sorted=True), needle: Vector(Float(0, 9), "points", sorted=True)
):
    """A fuel gauge is calibrated: at `litres`[i] the needle stood at `needle`[i]. The calibration curve is the parabola
    a·litres² + b·litres + c with the least total of squared errors of the needle. Return a tuple: the list [a, b, c],
    and the largest distance between the curve and an observed needle position."""
    table = np.vander(litres, 3)
    curve = np.linalg.lstsq(table, needle)[0]
    return curve, np.max(np.absolute(table @ curve - needle))


# Constant: the wells would not fix a plane.
@task(wells=(6, 20), without=("constant",), equivalent={"table @ plane - level: operands swapped": NO_SIGN})
def plane_of_the_ground_water(
    east: Vector(Int(0, 60), "wells", unique=True),
    north: Vector(Int(0, 40), "wells"),
    level: Vector(Float(50, 60), "wells"),
):
    """Well i lies `east`[i] and `north`[i] metres from a corner of the field, and its water stands at `level`[i]. The
    ground water is described by the plane level = p·east + q·north + r that leaves the least total of squared errors.
    Return a tuple of three: the list [p, q, r]; the error without sign of the well that fits worst; the middle error
    without sign (with an even number of wells, halfway between the two middle errors)."""
    table = np.column_stack((east, north, np.ones(len(level))))
    plane = np.linalg.lstsq(table, level)[0]
    errors = np.absolute(table @ plane - level)
    return plane, np.max(errors), np.median(errors)


@task
def volumes_of_crystal_cells(cells: Cube(Int(-4, 6), (4, 12), 3, 3)):
    """Every entry of `cells` is a crystal's unit cell: three rows, each an edge vector. The volume of a cell is the
    determinant of its table, without sign. Return a tuple: the middle one of the volumes (halfway between the two
    middle ones if their number is even), and how much larger the largest volume is than the smallest."""
    volumes = np.absolute(np.linalg.det(cells))
    return np.median(volumes), np.ptp(volumes)


@task(
    offices=(4, 7),
    equivalent={
        "diag -> diagflat": "a flat list is put on a diagonal by both",
        "sum: axis=0 -> 1": "the table of ducts in both directions is symmetric",
        "sum: axis=0 -> -1": "the table of ducts in both directions is symmetric",
    },
)
def ways_to_wire_the_offices(plan: Matrix(Choice(0, 1, 1, 2), "offices", "offices")):
    """For i below j, `plan`[i][j] counts the cable ducts between offices i and j; all other entries of the table mean
    nothing. A wiring uses as few ducts as possible and still links all offices, perhaps over others. By a theorem of
    Kirchhoff the number of wirings is a determinant. Its table has a row and a column for each office but the first; on
    the diagonal stands the count of all ducts that end at the office, elsewhere minus the count of ducts between the
    two offices. Return a tuple of two: the number of wirings; the largest count of ducts that end at one office, the
    first included."""
    ducts = np.triu(plan, 1)
    both = ducts + ducts.T
    ends = np.sum(both, axis=0)
    table = np.diag(ends) - both
    return np.linalg.det(table[1:, 1:]), np.max(ends)


@task(sensors=(3, 7))
def surprise_of_a_reading(covariance: PositiveDefinite("sensors"), deviation: Vector(Int(-5, 5), "sensors")):
    """A reading of several sensors is off by `deviation`. Its surprise is the natural logarithm of the determinant of
    the matrix `covariance`, plus the product of three: deviation as a row, the inverse of the covariance, and deviation
    as a column. Return the surprise as a number."""
    spread = np.linalg.slogdet(covariance).logabsdet
    return spread + np.linalg.multi_dot([deviation, np.linalg.inv(covariance), deviation])


# Constant: a sensor that never changes has no variance to compare with.
@task(sensors=(3, 5), hours=(10, 24), without=("constant",))
def news_shared_by_sensors(readings: Matrix(Float(-9, 9), "sensors", "hours")):
    """Each row of `readings` is one sensor, with a value per hour. How much do the sensors tell about each other? Their
    spread is the total of the natural logarithms of their variances; their shared news is half of: the spread less the
    natural logarithm of the determinant of their covariance table (sensors against sensors). The divisor of variances
    and covariances is the number of hours less 1. Return a tuple: spread and shared news."""
    table = np.cov(readings)
    spread = np.sum(np.log(np.diagonal(table)))
    return spread, (spread - np.linalg.slogdet(table).logabsdet) / 2


@task(runs=(4, 12), knobs=(2, 5))
def uncertainty_of_experiment(settings: Matrix(Int(-3, 3), "runs", "knobs")):
    """Rows of `settings` are test runs of an engine, columns its knobs. With X for this table and I for the unit table
    of one row per knob, the effects of the knobs have the covariance table inverse of (X transposed times X, plus I);
    its entry (k, k) is the variance of knob k. Return a tuple: the variances of all knobs together, and the largest
    standard deviation (root of the variance) of any knob."""
    table = np.array(settings)
    covariance = np.linalg.inv(np.linalg.matrix_transpose(table) @ table + np.identity(len(settings[0])))
    return np.trace(covariance), np.sqrt(np.max(covariance))


@task(joints=(3, 8), equivalent=ONE_LENGTH)
def laziest_joint_motion(reach: Matrix(Int(-4, 4), 2, "joints"), velocity: Vector(Float(-4, 4), 2)):
    """A planar arm has more joints than it needs: when joint j turns at rate 1, the hand moves by the entries of column
    j of the two-row table `reach`. Among all joint rates that come as near as possible to the hand `velocity`, choose
    those with the least Euclidean length. Return a tuple: that length, and the fastest rate of any joint, without
    sign."""
    rates = np.linalg.pinv(reach) @ np.array(velocity)
    return np.linalg.norm(rates), np.max(np.absolute(rates))


@task(
    fields=(6, 20),
    traits=(2, 4),
    equivalent={"matmul -> dot": "a single table times a single table is the same product in both"},
)
def pull_of_single_fields(soil: Matrix(Int(-5, 5), "fields", "traits")):
    """In a least-squares fit on the table `soil` (rows are fields, columns soil traits), the leverage of field i tells
    how much its own harvest pulls its own prediction: it is entry (i, i) of soil times the pseudo-inverse of soil.
    Return a tuple: the largest leverage, and the middle one (halfway between the two middle ones if their number is
    even)."""
    leverage = np.diagonal(np.matmul(soil, np.linalg.pinv(soil)))
    return np.max(leverage), np.median(leverage)


@task(equivalent={"linalg.norm -> linalg.vector_norm": "along rows or columns both are the Euclidean lengths"})
def digits_lost_by_bearings(bearings: Invertible((3, 8))):
    """A calculation with a table loses about as many decimal digits as the base-ten logarithm of its condition number
    (largest over smallest singular value). A positioning system can use its table `bearings` as it is, or with every
    row scaled to Euclidean length 1, or with every column scaled to Euclidean length 1. Return the digits lost in these
    three cases, in this order and not rounded, as a list."""
    by_row = np.divide(bearings, np.linalg.norm(bearings, axis=1, keepdims=True))
    by_column = np.divide(bearings, np.linalg.norm(bearings, axis=0))
    return np.log10(np.linalg.cond([bearings, by_row, by_column]))


@task(n=(3, 6))
def gain_from_stronger_damping(
    stiffness: PositiveDefinite("n"), dampers: Vector(Choice(0.5, 1.0, 2.0, 3.0, 5.0, 8.0), (3, 6), unique=True)
):
    """For a damper of strength d, a solver works with the table `stiffness` plus d times the unit table. Its difficulty
    is the base-ten logarithm of that table's condition number (largest over smallest singular value). Return a tuple:
    the lowest difficulty among the given `dampers`, and how far the highest is above it."""
    tables = np.reshape(dampers, (-1, 1, 1)) * np.eye(len(stiffness)) + stiffness
    difficulty = np.log10(np.linalg.cond(tables))
    return np.min(difficulty), np.ptp(difficulty)


@task
def flat_camera_rigs(rigs: Cube(Choice(-1, 0, 0, 0, 1), (5, 12), 3, 3), needed: Int(2, 3)):
    """Each entry of `rigs` is a camera rig: three viewing directions, one per row (zeros if that camera is off). The
    freedom of a rig is its number of linearly independent rows. Return a tuple of two: a list of four counts, how many
    rigs have freedom 0, 1, 2 and 3; the ascending list of the positions (from 0) of the rigs with a freedom below
    `needed`."""
    freedom = np.linalg.matrix_rank(rigs)
    return np.bincount(freedom, minlength=4), np.flatnonzero(np.less(freedom, needed))


@task
def solvable_puzzles(puzzles: Cube(Choice(0, 0, 1, 2), (5, 14), 3, 4)):
    """Each entry of `puzzles` is a system of three equations for three unknowns: a row has the three factors of the
    unknowns and then the right side. A system has a solution if, and only if, its table has as many linearly
    independent rows with the column of right sides as without it. Return a tuple of two: the ascending list, which may
    be empty, of the positions (from 0) of the puzzles that have a solution; how many independent rows a puzzle has on
    average when the right sides are left out."""
    whole = np.array(puzzles)
    independent = np.linalg.matrix_rank(whole[:, :, :3])
    return np.flatnonzero(independent == np.linalg.matrix_rank(whole)), np.mean(independent)


@task
def temperatures_of_the_tiles(influence: Folded((2, 3, 2, 3)), heat: Matrix(Int(0, 30), 2, 3)):
    """A hot plate has 2 rows of 3 tiles. The heat measured at the tile in row r, column c is the total, over all tiles,
    of the temperature at row u, column v times `influence`[r][c][u][v]. From the measured `heat`, a table with the form
    of the plate, conclude the temperatures. Return a tuple of two lists: the highest temperature in each of the three
    columns, and the average temperature of each of the two rows."""
    temperatures = np.linalg.tensorsolve(influence, heat)
    return np.max(temperatures, axis=0), np.mean(temperatures, axis=1)


@task(equivalent={"reshape -> resize": "the new form holds just as many numbers, so nothing is repeated or lost"})
def feeders_of_the_hen_houses(spread: Invertible(6), wanted: Matrix(Int(0, 40), 3, 2)):
    """Three hen houses have two troughs each, counted house by house from 0 to 5, and a feeder stands at every trough.
    One kilogram from feeder f brings `spread`[t][f] kilograms to trough t (below zero: hens carry food off). Which
    amounts would bring every trough exactly what the table `wanted` says (three rows, the houses, of two troughs)?
    Amounts below zero cannot be served and count as 0. Return what the feeders of each house then serve together, as a
    list of three numbers."""
    amounts = np.linalg.tensorsolve(np.reshape(spread, (3, 2, 3, 2)), wanted)
    return np.sum(np.maximum(amounts, 0), axis=1)


@task(
    equivalent={"clip: arguments 1 and 2 swapped": "-1 held between a setting and 1 is the setting held from -1 to 1"}
)
def lamps_for_many_patterns(response: Folded((2, 3, 6)), patterns: Cube(Int(0, 9), (3, 8), 2, 3)):
    """Six lamps light a screen of 2 rows of 3 pixels: at setting 1, lamp l adds `response`[r][c][l] to the pixel in row
    r, column c (below zero: it darkens). For each of the `patterns`, tables of wanted pixel values, there is just one
    list of six settings that produces it. The lamps can only do settings from -1 to 1; those outside go to the nearer
    end. Return the settings as a list of rows, one row per pattern."""
    inverse = np.linalg.tensorinv(response)
    return np.clip(np.tensordot(patterns, inverse, axes=((1, 2), (1, 2))), -1, 1)


@task
def jitter_of_six_valves(effect: Folded((3, 2, 6))):
    """Six valves steer a grid of 3 rows and 2 columns of nozzles: opening valve v by 1 changes nozzle (r, c) by
    `effect`[r][c][v]. Seen backwards, the opening of valve v is a weighted total of the nozzle values; the square root
    of the total of its six squared weights is the valve's jitter. Return a tuple: the largest jitter of any valve, and
    the largest divided by the smallest."""
    jitter = np.linalg.matrix_norm(np.linalg.tensorinv(effect))
    return np.max(jitter), np.max(jitter) / np.min(jitter)


@task(sectors=(3, 7), equivalent=FLAT_SYSTEM)
def jobs_behind_demand(
    shares: Matrix(Float(0, 0.12, 2), "sectors", "sectors"),
    demand: Vector(Int(10, 90), "sectors"),
    jobs: Vector(Int(1, 9), "sectors"),
):
    """In an economy the outputs x of the sectors meet x = `shares` times x + `demand`, with the square table shares.
    Sector s employs `jobs`[s] people per unit of output. Return a tuple: the number of people employed in all sectors
    together, and the fraction of them who work in the sector with the most people (fractions of people are allowed)."""
    remaining = np.subtract(np.eye(len(shares)), shares)
    people = np.linalg.solve(remaining, demand) * jobs
    return np.sum(people), np.max(people) / np.sum(people)
