"""Powers and roots, element by element."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Complex, Cube, Float, Int, Matrix, Vector

EXACT = {"power -> float_power": "the exponents are no negative whole numbers, so both give the same values"}

# power


@task(equivalent=EXACT)
def toy_block_volumes(edges: Vector(Int(1, 30), (2, 7))):
    """A carpenter cuts solid wooden cubes for a toy set; `edges` holds the edge of each one in centimetres. Return
    their volumes in cubic centimetres, as a list."""
    return np.power(edges, 3)


@task(equivalent=EXACT)
def chain_letter_rounds(friends: Int(2, 6), rounds: Vector(Int(0, 7), (2, 6))):
    """In a chain letter everybody who receives it writes to `friends` new people, so the number of letters in round r
    is `friends` to the power of r; round 0 is a single letter. How many letters are written in each of the listed
    `rounds`? Return a list."""
    return np.power(friends, rounds)


@task(equivalent=EXACT, cards=(2, 6))
def flash_card_answers(bases: Vector(Int(-6, 9), "cards"), exponents: Vector(Int(0, 5), "cards")):
    """A pupil trains with flash cards. Card number i shows `bases`[i] with a small raised `exponents`[i] (0 or more),
    and its back shows the result of that exponentiation. Return the backs of all cards, in order, as a list."""
    return np.power(bases, exponents)


@task(equivalent=EXACT, plans=(2, 4))
def fund_growth_table(factors: Matrix(Float(0.5, 1.9), (1, 4), "plans"), years: Vector(Float(0.5, 4.5), "plans")):
    """Every row of `factors` belongs to a fund, every column to a savings plan: the number is the yearly growth factor.
    Plan j runs for `years`[j] years, fractions included. Return the factor by which the money is multiplied over that
    whole time, as a list of rows: the yearly factor to the power of the years of its column."""
    return np.power(factors, years)


# float_power


@task
def zoom_scale_readings(base: Int(2, 10), steps: Vector(Int(-4, 4), (2, 6))):
    """The zoom scale of a microscope reads 1 in the middle. Each step to the right multiplies the reading by the whole
    number `base`, each step to the left divides by it. For the whole numbers in `steps` (negative means to the left of
    the middle), return the readings as a list of decimals such as 0.25."""
    return np.float_power(base, steps)


@task
def lamp_brightness(distances: Vector(Int(1, 12), (2, 7))):
    """Moths circle a street lamp at whole-metre `distances`. Brightness follows the inverse square law: it is the
    distance to the power of -2. Return the brightness at each moth, as a list of decimals."""
    return np.float_power(distances, -2)


@task(n=(2, 6))
def signed_exponent_drill(numbers: Vector(Int(-8, 8, but=(0,)), "n"), exponents: Vector(Int(-3, 3), "n")):
    """A calculator keeps integers apart from decimals and refuses 2 to the power of -1. Your function must not: raise
    each whole number in `numbers` to the power of the whole number at the same place in `exponents`, which may well be
    negative. Return the list of decimal results."""
    return np.float_power(numbers, exponents)


@task
def attraction_table(gaps: Matrix(Int(1, 9), (1, 4), (2, 4)), order: Int(-4, -1)):
    """Magnets lie on shelves; `gaps` holds their distances in whole millimetres, one row per shelf. The pull of a
    magnet is its gap raised to the power `order`, a negative whole number. Return all pulls as a list of rows of
    decimals."""
    return np.float_power(gaps, order)


# square


@task
def paving_slab_areas(sides: Vector(Float(0.2, 9.5), (2, 7))):
    """`sides` holds the side lengths, in decimetres, of slabs that are as wide as they are long. What area does each
    slab cover? Return a list, in square decimetres."""
    return np.square(sides)


@task
def giant_chess_boards(cells: Vector(Int(2, 40), (2, 6))):
    """Several giant garden chess boards are square, with `cells` cells along each edge, one number per board. Return
    how many cells each entire board has, as a list."""
    return np.square(cells)


@task
def archery_penalties(misses: Matrix(Float(-9, 9), (1, 4), (2, 4))):
    """Each row of `misses` belongs to an archer: by how many centimetres every shot went too far right (positive) or
    left (negative). The penalty of a shot is the miss times itself. Return all penalties in the same layout, as a list
    of rows."""
    return np.square(misses)


@task
def julia_set_step(points: Vector(Complex(-3, 3, 2), (2, 5))):
    """A screensaver moves points about: one step sends a complex number z to z times z. Apply that step once to each of
    the complex `points` and return the new points as a list of complex numbers."""
    return np.square(points)


# sqrt


@task
def fence_side_lengths(areas: Vector(Float(0.5, 90), (2, 7))):
    """A farmer wants paddocks with four equal sides and right angles. Given the wanted `areas` in square metres, return
    how long one side of each paddock must be, as a list."""
    return np.sqrt(areas)


@task
def pendulum_scale(ratio: Float(0.1, 50)):
    """The period of a pendulum grows with the root of its length. A clockmaker makes a pendulum `ratio` times as long;
    return the factor by which the period changes (the positive number whose second power is `ratio`), as a number."""
    return np.sqrt(ratio)


@task
def spread_from_variances(variances: Matrix(Int(0, 60), (1, 4), (2, 4))):
    """A lab reports the variance of each instrument (columns) at each site (rows) in `variances`. Turn them into
    standard deviations and return those as a list of rows."""
    return np.sqrt(variances)


@task
def discriminant_roots(discriminants: Vector(Int(-30, 30), (3, 6))):
    """Solving quadratics by hand needs the root of each of the `discriminants`, and some are negative. Return the
    principal second roots as a list of complex numbers throughout: 9 gives 3+0j and -9 gives 0+3j."""
    return np.sqrt(discriminants, dtype="complex128")


# cbrt


@task
def aquarium_edges(litres: Vector(Int(1, 400), (2, 7))):
    """An aquarium shop builds tanks that are perfect cubes. Return the inner edge in decimetres of a tank for each of
    the `litres` listed (a litre is one cubic decimetre), as a list."""
    return np.cbrt(litres)


@task
def undo_cubing(announced: Float(-200, 200)):
    """A magician asks you to think of a real number, to multiply three copies of it together, and to say the result,
    `announced`, which may be below zero. Which number did you think of? Return it."""
    return np.cbrt(announced)


@task
def compressed_pixels(contrast: Matrix(Float(-60, 60), (1, 4), (2, 4))):
    """An astronomer softens an image whose pixels, `contrast`, lie above and below zero. Replace every pixel by its
    real third root, which keeps the sign (-8 becomes -2). Return the picture as a list of rows."""
    return np.cbrt(contrast)


@task
def third_roots_of_swelling(swelling: Cube(Int(-30, 30), (1, 3), 2, (1, 3))):
    """Foam samples come in boxes, each a small grid of bubbles: `swelling` is a list of such grids with each bubble's
    change of volume, negative when it shrank. Return, for every bubble, the real number that gives this change when
    raised to the third power, nested in the same way."""
    return np.cbrt(swelling)


# hypot


@task(drones=(2, 6))
def drone_ranges(east: Vector(Float(-40, 40), "drones"), north: Vector(Float(-40, 40), "drones")):
    """Drone i hovers `east`[i] metres east and `north`[i] metres north of its pilot; negative numbers mean west and
    south. Return the straight-line distance of each drone over the ground, as a list."""
    return np.hypot(east, north)


@task
def television_diagonal(width: Float(90, 150), height: Float(45, 85)):
    """A television screen measures `width` by `height` centimetres and has right-angled corners. Shops quote it from
    one corner to the opposite one. Return that length as a number."""
    return np.hypot(width, height)


@task(spots=(2, 4))
def gust_speeds(westerly: Matrix(Float(-20, 20), (1, 4), "spots"), southerly: Vector(Float(-20, 20), "spots")):
    """Each row of `westerly` is one hour, each column a weather mast: the part of the wind that blows from the west.
    The part from the south, at right angles to it, stays steady through the day; `southerly` has one value per mast.
    Return the total wind speed for every hour and mast, as a list of rows."""
    return np.hypot(westerly, southerly)


@task
def ladder_lengths(offset: Float(0.5, 3), windows: Vector(Float(1, 12), (2, 6))):
    """All ladders of a fire brigade stand with their feet `offset` metres from a vertical wall. How long must a ladder
    be to reach each of the heights in `windows`? Return a list with one length per window."""
    return np.hypot(offset, windows)
