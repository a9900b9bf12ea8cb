"""Determinants, inverses and systems of linear equations."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Cube, Float, Int, Invertible, Matrix, PositiveDefinite, Vector

SAME_INVERSE = {"linalg.inv -> linalg.pinv": "a matrix that can be inverted has only one inverse of either kind"}
SAME_SYSTEM = {"linalg.solve -> linalg.tensorsolve": "for one square table and one plain list both do the same"}


# det


@task
def roof_tile_area(first_edge: Vector(Float(-6, 6), 2), second_edge: Vector(Float(-6, 6), 2)):
    """A slanted roof tile is a parallelogram with the edges `first_edge` and `second_edge`, each an [x, y] pair.
    Return its signed area as a number: the determinant of the 2 by 2 table whose rows are the first edge and the
    second edge."""
    return np.linalg.det([first_edge, second_edge])


@task
def crystal_cell_volume(cell: Matrix(Int(-4, 4), 3, 3)):
    """A mineralogist writes the three edges of a crystal's unit `cell` as the rows of a 3 by 3 table. What is the
    determinant of that table, in other words the volume with its sign? Return a number."""
    return np.linalg.det(cell)


@task
def lens_stack_determinants(lenses: Cube(Float(-3, 3), (2, 3), 2, 2)):
    """Every optical element on a bench is described by a 2 by 2 ray matrix, and `lenses` is the list of these matrices.
    For a sanity check, return the determinant of each one, as a list in the same order."""
    return np.linalg.det(lenses)


@task(n=(2, 4))
def cipher_key_determinant(key: Matrix(Int(0, 9), "n", "n")):
    """Before a square table of digits may serve as the `key` of a letter-mixing cipher, its determinant has to be
    known. Return it as a number, not reduced by any modulus."""
    return np.linalg.det(key)


# slogdet


@task
def reactor_coupling_log_size(coupling: Invertible((2, 4))):
    """The determinant of a reactor's square `coupling` table can overflow, so engineers keep it in two pieces. Return a
    dict with the keys "sign" (1 or -1) and "log" (the natural logarithm of the determinant's absolute value)."""
    sign, log = np.linalg.slogdet(coupling)
    return {"sign": sign, "log": log}


@task
def log_volume_of_uncertainty(covariance: PositiveDefinite((2, 4))):
    """A drone's navigation error has the `covariance` table given as rows. The log-likelihood formula needs the natural
    log of the determinant of this table; the determinant is positive. Return just the logarithm, as a number."""
    return np.linalg.slogdet(covariance).logabsdet


@task
def mirrored_or_not(first: Invertible(2), second: Invertible(2), third: Invertible(2)):
    """Three 2 by 2 picture transforms, `first`, `second` and `third`, each either keep the orientation (positive
    determinant) or mirror the picture (negative). For all three in this order return a tuple: the list of signs, 1 or
    -1, and the list of natural logs of the absolute determinants."""
    return tuple(np.linalg.slogdet([first, second, third]))


@task(n=(2, 3))
def sound_desk_log_gain(before: Invertible("n"), after: Invertible("n")):
    """A sound desk's mixing table was recorded `before` and `after` a repair; both tables are square and of equal size.
    Return a list of two numbers: the natural logarithm of |determinant| for the old table, then for the new."""
    return np.linalg.slogdet([before, after])[1]


# inv


@task(equivalent=SAME_INVERSE)
def undo_colour_mixing(mixing: Invertible((2, 3))):
    """A scanner blends the colour channels by multiplying each pixel with the square table `mixing`. Return the table
    that undoes the blending when it is multiplied with the pixel afterwards, as a list of rows."""
    return np.linalg.inv(mixing)


@task(equivalent=SAME_INVERSE, n=(2, 3))
def both_robot_arms_reversed(left_arm: Invertible("n"), right_arm: Invertible("n")):
    """Joint speeds become hand speeds through one square table per robot arm: `left_arm` and `right_arm`. Return a list
    that holds the inverse of the left table and then the inverse of the right table, each as a list of rows."""
    return np.linalg.inv([left_arm, right_arm])


@task(equivalent=SAME_INVERSE)
def map_sheet_back_to_ground(
    stretch_east: Float(0.5, 4, nonzero=True),
    shear: Float(-3, 3, nonzero=True),
    stretch_north: Float(0.5, 4, nonzero=True),
):
    """An old map distorts the ground by the 2 by 2 matrix with rows [`stretch_east`, `shear`] and [0, `stretch_north`].
    Return the matrix that turns map vectors back into ground vectors, as a list of two rows."""
    return np.linalg.inv([[stretch_east, shear], [0, stretch_north]])


@task(equivalent=SAME_INVERSE)
def first_sector_ripple(leontief: Invertible((2, 4))):
    """In a village economy the square table `leontief`, multiplied with the outputs of all trades, gives the demand
    that they meet. Return the first column of the inverse of this table, top to bottom, as a list: it tells how much
    more each trade must put out for one more unit of demand in the first trade."""
    return np.linalg.inv(leontief)[:, 0]


# pinv


@task
def more_microphones_than_singers(pairs: Invertible(2), spare: Vector(Int(-3, 3), 2)):
    """Two singers are picked up by two main microphones, with the gains in the two rows of `pairs`, and by a spare one
    with the gains `spare`. These three rows, in this order, form the gain table. Return the Moore-Penrose
    pseudo-inverse of the gain table, as a list of rows."""
    return np.linalg.pinv([*pairs, spare])


@task(n=(2, 3))
def damped_tomography(paths: Matrix(Int(1, 9), "n", "n")):
    """Inverting the square ray table `paths` of an ultrasound scan amplifies noise. Return its pseudo-inverse (list of
    rows) in which every singular value not above 0.15 times the greatest one is treated as zero."""
    return np.linalg.pinv(paths, rcond=0.15)


@task
def weigh_the_dumbbells(counts: Matrix(Int(1, 12), (2, 5), 1)):
    """A gym weighs stacks of equal discs; the table `counts` has a single column with the positive numbers of discs.
    The weight of one disc that fits all weighings best (least squares) is the sum of the stacks' weights, each times a
    factor that depends on `counts` alone. Return these factors as a plain list of numbers."""
    return np.linalg.pinv(counts)[0]


@task
def ski_lift_single_equations(rows: Cube(Int(1, 9), (2, 4), 1, 3)):
    """For each ski lift there is a single linear equation in three unknowns; `rows` holds, for each lift, the
    coefficients, all positive, as a matrix with one row. Return the list of the pseudo-inverses of these matrices, each
    a list of three rows with one number apiece."""
    return np.linalg.pinv(rows)


# solve


@task(equivalent=SAME_SYSTEM, n=(2, 4))
def loop_currents(resistances: Invertible("n"), voltages: Vector(Float(-9, 9, nonzero=True), "n")):
    """Row i of the square table `resistances` (signed, since loops run in either direction), multiplied term by term
    with the unknown loop currents and added up, must equal `voltages`[i]. Which currents fit exactly? Return them as a
    list."""
    return np.linalg.solve(resistances, voltages)


@task(n=(2, 3))
def several_load_cases(stiffness: Invertible("n"), loads: Matrix(Int(-9, 9), "n", (2, 3))):
    """A footbridge has the square `stiffness` table K. Every column of `loads` is one load case F, and its
    displacements U fulfil K times U = F. Return the displacements for all cases as a list of rows, columns matching
    those of the loads."""
    return np.linalg.solve(stiffness, loads)


@task(equivalent=SAME_SYSTEM)
def ticket_prices(adults: Int(2, 3), children: Int(2, 4), saturday: Float(50, 60), sunday: Float(31, 37)):
    """On Saturday `adults` adults and one child paid `saturday` euros in total at the zoo; on Sunday one adult and
    `children` children paid `sunday` euros. Return [adult price, child price] as a list."""
    return np.linalg.solve([[adults, 1], [1, children]], [saturday, sunday])


@task(n=(2, 3))
def same_target_two_kilns(old_kiln: Invertible("n"), new_kiln: Invertible("n"), target: Vector(Int(-9, 9), "n")):
    """A kiln's square response table, times its valve settings, gives the temperature change per zone. For `old_kiln`
    and `new_kiln` alike, find the settings x with table times x equal to `target`. Return two rows: settings of the old
    kiln, then of the new one."""
    return np.linalg.solve([old_kiln, new_kiln], target)


# lstsq


@task(n=(3, 6))
def lake_level_line(hours: Vector(Int(0, 12), "n", unique=True), heights: Vector(Float(2, 20), "n")):
    """On a windy day the level of a lake, in centimetres above the sill, was `heights`[i] after `hours`[i] hours. Fit
    height = a * hour + b by least squares and return [a, b] as a list."""
    return np.linalg.lstsq([[h, 1] for h in hours], heights)[0]


@task
def leftover_of_the_blend(base: Invertible(2), check: Vector(Int(-3, 3), 2), wanted: Vector(Int(-9, 9), 3)):
    """Two dyes are blended so that three measured tones come as near to `wanted` as possible. The tones are a 3 by 2
    table times the two amounts; rows one and two of the table, for two base tones, are `base`; row three, for a check
    tone, is `check`. Return the sum of squared deviations that the best blend still leaves, as a number."""
    return np.linalg.lstsq([*base, check], wanted)[1][0]


@task(n=(3, 5))
def two_gauges_one_fit(depths: Vector(Int(1, 12), "n", unique=True), readings: Matrix(Float(-9, 9), "n", 2)):
    """Divers log two gauges at each of the `depths`: row i of `readings` belongs to depth i. Fit every gauge as
    offset + slope * depth with the least squared error. Return two rows: the two offsets, then the two slopes."""
    return np.linalg.lstsq([[1, d] for d in depths], readings)[0]


@task
def gentlest_thrusters(effects: Vector(Int(1, 9), (2, 5)), turn: Float(-20, 20, nonzero=True)):
    """A satellite turns by the sum of `effects`[i] times thrust i, and this one equation has to give exactly `turn`.
    Many thrusts do; return the list with the smallest sum of squares, the answer of minimum length to an
    underdetermined system."""
    return np.linalg.lstsq([effects], [turn])[0]
