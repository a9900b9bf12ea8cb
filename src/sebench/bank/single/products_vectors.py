"""Products of vectors: sums of products, all products, perpendiculars and blocks."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Complex, Cube, Float, Int, Matrix, Vector

PLAIN = "for two plain lists of real numbers this is the same sum of products"
NO_CONJUGATION = "for two plain lists it is the same sum, also without conjugation"
ROW_TIMES_TABLE = "a list times a table is the same product in both"
BROADCAST = "the single list is paired with every row in the same way"
REAL = "the numbers are real, so the order of the two does not matter"


# dot


@task(
    n=(2, 6),
    equivalent={
        "dot -> matmul": PLAIN,
        "dot -> inner": PLAIN,
        "dot -> vdot": PLAIN,
        "dot -> linalg.vecdot": PLAIN,
        "dot: arguments 1 and 2 swapped": REAL,
    },
)
def market_basket_bill(kilos: Vector(Float(0.2, 5), "n"), prices: Vector(Float(1, 9, 2), "n")):
    """A stall keeper weighs vegetables: `kilos`[i] of sort i at `prices`[i] euros a kilo. What does the whole basket
    cost? Return the total as a number."""
    return np.dot(kilos, prices)


@task(n=(2, 4), equivalent={"dot -> matmul": ROW_TIMES_TABLE})
def nutrients_from_bread(loaves: Vector(Int(0, 9), "n"), nutrients: Matrix(Int(0, 30), "n", (2, 4))):
    """`loaves` says how many of each kind of bread a hostel buys, and row i of `nutrients` what one loaf of kind i
    holds, a column per nutrient. Return the purchased amount of every nutrient as a list."""
    return np.dot(loaves, nutrients)


@task
def every_team_on_every_course(teams: Cube(Int(0, 5), 2, (2, 3), 2), courses: Cube(Int(-4, 4), (2, 3), 2, 2)):
    """`teams`[t][r] is the skill row of rower r in team t, and `courses`[c] a table with a row per skill and a column
    per weather. Multiply each skill row with each course table, for all pairs of team and course. Return nested lists
    indexed [team][rower][course][weather]."""
    return np.dot(teams, courses)


@task(
    k=(2, 3),
    equivalent={
        "dot -> matmul": "a single table times a single table is the same product in both",
    },
)
def paint_batches_to_pigments(batches: Matrix(Int(0, 9), (2, 4), "k"), pigments: Matrix(Float(0, 3), "k", (2, 4))):
    """Batch b takes `batches`[b][p] cans of paint p, and one can of paint p contains `pigments`[p][k] grams of pigment
    k. Return the grams in each batch (row) of each pigment (column) as a list of rows."""
    return np.dot(batches, pigments)


# vdot


@task(n=(2, 4), equivalent={"vdot -> linalg.vecdot": "for two plain lists both conjugate the first and add up"})
def overlap_of_two_states(bra: Vector(Complex(-4, 4), "n"), ket: Vector(Complex(-4, 4), "n")):
    """Physicists compare two quantum states by their overlap: the sum of the complex conjugates of `bra` times the
    matching entries of `ket`. Return the overlap as a complex number."""
    return np.vdot(bra, ket)


@task(d=(2, 2), r=(2, 3), c=(2, 3), equivalent={"vdot: arguments 1 and 2 swapped": REAL})
def load_of_the_warehouse(boxes: Cube(Int(0, 9), "d", "r", "c"), weights: Cube(Float(0.2, 4), "d", "r", "c")):
    """A warehouse counts `boxes` per rack, shelf and slot, and `weights`, nested in the same way, has the kilos of one
    box in each slot. Multiply the entries place by place and add up everything. Return the load of the whole warehouse
    as a number."""
    return np.vdot(boxes, weights)


@task(r=(2, 3), c=(2, 3))
def antenna_pattern_match(template: Matrix(Complex(-3, 3), "r", "c"), signal: Matrix(Complex(-3, 3), "r", "c")):
    """A radio telescope matches a complex `signal` against a `template`, two tables of equal size. Conjugate the
    template, multiply entry by entry with the signal and sum over the whole table. Return one complex number."""
    return np.vdot(template, signal)


@task(equivalent={"vdot: arguments 1 and 2 swapped": REAL})
def knitting_wool_needed(stitches: Matrix(Int(0, 20), 2, 3), wool: Vector(Float(0.5, 5), 6)):
    """A knitting pattern has six patches in two rows and three columns; the table `stitches` counts the stitches of
    each. The list `wool` has the centimetres per stitch for these six patches, read row by row. Return the centimetres
    of wool for the whole pattern, as a number."""
    return np.vdot(stitches, wool)


# inner


@task(tastes=(2, 4))
def match_guests_and_dishes(guests: Matrix(Int(-3, 3), (2, 4), "tastes"), dishes: Matrix(Int(-3, 3), (2, 4), "tastes")):
    """Rows of `guests` and rows of `dishes` use the same taste columns. The match of a guest and a dish is the sum of
    products of their two rows. Return a table with one row per guest and one column per dish, as a list of rows."""
    return np.inner(guests, dishes)


@task(bands=(2, 3))
def satellite_band_indices(image: Cube(Int(0, 9), 2, (2, 3), "bands"), indices: Matrix(Int(-2, 2), (2, 3), "bands")):
    """`image`[y][x] holds the brightness of one pixel in several bands; every row of `indices` defines an index by one
    weight per band. For each pixel and index, add up weight times brightness over the bands. Return nested lists
    indexed [y][x][index]."""
    return np.inner(image, indices)


@task(
    skills=(2, 4),
    equivalent={
        "inner -> linalg.vecdot": BROADCAST,
        "inner: arguments 1 and 2 swapped": "a list against the rows of a table gives the same list in either order",
    },
)
def score_the_applicants(importance: Vector(Int(0, 5), "skills"), applicants: Matrix(Int(0, 10), (2, 5), "skills")):
    """A circus hires: `importance` has a weight per skill and every row of `applicants` the marks of one acrobat in
    these skills. Return each acrobat's weighted total of marks, as a list."""
    return np.inner(importance, applicants)


@task(
    n=(2, 4),
    equivalent={
        "inner -> dot": NO_CONJUGATION,
        "inner -> matmul": NO_CONJUGATION,
        "inner: arguments 1 and 2 swapped": "without conjugation the order does not matter",
    },
)
def voltage_drop_along_cable(currents: Vector(Complex(-4, 4), "n"), impedances: Vector(Complex(0.1, 4), "n")):
    """The voltage drop along a cable is the sum of each complex current times the complex impedance of its section.
    Given `currents` and `impedances`, return that sum as it stands, nothing conjugated, as a complex number."""
    return np.inner(currents, impedances)


# outer


@task
def fabric_price_table(lengths: Vector(Float(0.5, 3), (2, 4)), rates: Vector(Int(2, 30), (2, 4))):
    """A draper posts a price table: a row for each of the `lengths` in metres, a column for each of the `rates` in
    euros per metre, and in each cell their product. Return the table as a list of rows."""
    return np.outer(lengths, rates)


@task
def parade_grid_scaled(grid: Matrix(Int(-5, 5), 2, (2, 3)), factors: Vector(Int(-5, 5), (2, 3))):
    """The table `grid` holds how many steps each member of a marching band goes forward (backward if negative). Take
    the members row by row: return a table with one row per member, which holds their steps multiplied by each of the
    `factors`."""
    return np.outer(grid, factors)


@task
def pairwise_handicaps(handicaps: Vector(Int(-9, 9), (2, 5))):
    """To draw up fair pairings, a golf club multiplies every player's value in `handicaps` by everybody's, the
    player's own included. Return the square table of all these products, one row and one column per player, as a
    list of rows."""
    return np.outer(handicaps, handicaps)


@task
def radar_beams(strengths: Vector(Float(0.2, 4), (2, 4)), signals: Vector(Complex(-2, 2), (2, 3))):
    """A coast radar sends each of the complex `signals` at each of the `strengths`, which multiplies the signal. Return
    all products as a list of rows of complex numbers, with one row per strength and one column per signal."""
    return np.outer(strengths, signals)


# vecdot


@task(
    n=(2, 4),
    k=(2, 3),
    equivalent={"linalg.vecdot: arguments 1 and 2 swapped": REAL},
)
def work_done_by_tugs(pulls: Matrix(Int(-6, 6), "n", "k"), moves: Matrix(Int(-6, 6), "n", "k")):
    """Tug i pulls with the force in row i of `pulls` while its own ship moves by row i of `moves`. The work of a tug is
    the scalar product of its two rows. Return the work of each tug as a list."""
    return np.linalg.vecdot(pulls, moves)


@task(
    r=(2, 4),
    c=(2, 4),
    equivalent={"linalg.vecdot: arguments 1 and 2 swapped": REAL},
)
def daily_fuel_cost(litres: Matrix(Float(0, 90), "r", "c"), price: Matrix(Float(1, 3), "r", "c")):
    """In both `litres` and `price`, rows are the trucks of a fleet and columns the days. For each day, form the scalar
    product of the two matching columns, the day's fuel cost. Return a list with one cost per day."""
    return np.linalg.vecdot(litres, price, axis=0)


@task(n=(2, 3), k=(2, 3))
def channel_correlations(sent: Matrix(Complex(-3, 3), "n", "k"), received: Matrix(Complex(-3, 3), "n", "k")):
    """Row i of `sent` and row i of `received` hold the complex samples of radio channel i. Return, as a list, the
    scalar product of the two rows per channel, in which the sent samples are replaced by their complex conjugates."""
    return np.linalg.vecdot(sent, received)


@task(
    r=(2, 3),
    c=(2, 3),
    equivalent={"linalg.vecdot: arguments 1 and 2 swapped": REAL},
)
def weekly_choir_scores(evenings: Cube(Int(0, 9), (2, 3), "r", "c"), weights: Matrix(Int(0, 5), "r", "c")):
    """Each of the weekly `evenings` of a choir contest is a table of scores: a row per choir, a column per juror.
    Jurors weigh choirs differently, so `weights` is a table of the same form. Pair each choir's row with its weight
    row, multiply and add. Return one row of choir totals per evening."""
    return np.linalg.vecdot(evenings, weights)


# cross


@task
def torque_on_wrench(arm: Vector(Float(-5, 5), 3), force: Vector(Float(-9, 9), 3)):
    """A plumber pulls a wrench: the lever `arm` and the `force` are both [x, y, z]. The torque is the vector product of
    arm and force, in this order. Return it as a list of three numbers."""
    return np.cross(arm, force)


@task
def ions_in_magnetic_field(velocities: Matrix(Int(-5, 5), (2, 4), 3), field: Vector(Int(-5, 5), 3)):
    """Every row of `velocities` is the [x, y, z] velocity of an ion in the same magnetic `field`. The push on an ion of
    unit charge is velocity x field, the vector product. Return a row of three numbers for each ion."""
    return np.cross(velocities, field)


@task(n=(2, 4))
def panel_normals_by_column(edges: Matrix(Int(-5, 5), 3, "n"), ridges: Matrix(Int(-5, 5), 3, "n")):
    """Solar panel j is spanned by column j of `edges` and column j of `ridges`; the three rows are x, y and z. Return
    the normals (vector product edge x ridge) arranged in the same way: three rows and a column for every panel."""
    return np.cross(edges, ridges, axis=0)


@task(n=(2, 4))
def spinning_top_momenta(positions: Matrix(Int(-5, 5), "n", 3), momenta: Matrix(Int(-5, 5), "n", 3)):
    """For each speck on a spinning top, row i of `positions` and row i of `momenta` are [x, y, z] vectors. Take the
    vector product, position x momentum, and return three lists in a list: all x components, all y components, all z
    components."""
    return np.cross(positions, momenta, axisc=0)


# kron


@task
def echoing_drum_pattern(accents: Vector(Int(1, 5), (2, 4)), motif: Vector(Int(0, 4), (2, 4))):
    """A drummer plays the whole `motif`, a list of loudnesses, once for each of the `accents`, one after another; each
    time all its strokes are multiplied by that accent. Return all the strokes as one flat list."""
    return np.kron(accents, motif)


@task
def wallpaper_of_motifs(layout: Matrix(Int(-2, 3), (2, 2), (2, 3)), motif: Matrix(Int(-3, 4), (2, 3), 2)):
    """A wallpaper is built from blocks: each number of `layout` is replaced by a copy of the table `motif` times that
    number. Return the complete wallpaper as a list of rows."""
    return np.kron(layout, motif)


@task
def pixel_art_enlarged(pixels: Matrix(Int(0, 9), (2, 3), (2, 3))):
    """To print pixel art, every entry of `pixels` has to become a 2 by 2 square of equal entries: its Kronecker product
    with a 2 by 2 table of ones. Return the larger picture as a list of rows."""
    return np.kron(pixels, [[1, 1], [1, 1]])


@task
def garden_beds_side_by_side(doses: Vector(Int(1, 5), (2, 4)), bed: Matrix(Int(0, 6), 2, (2, 3))):
    """A gardener repeats the planting table `bed` from left to right, the first copy multiplied by the first of the
    `doses`, the second by the second, and so on. Return the long table, which has as many rows as the bed."""
    return np.kron(doses, bed)
