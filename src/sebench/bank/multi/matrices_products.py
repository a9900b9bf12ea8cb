"""Products of vectors and tables at work: forces, routes, images, trade, lenses, walks."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Cube, Float, Int, Matrix, PositiveDefinite, Probabilities, Vector

ONE_TABLE_PRODUCT = "a single table times a single table is the same product in both"
ROW_TIMES_TABLE = "a flat list times a table is the same product in both"
TABLE_TIMES_LIST = "a table times a flat list is the same list of sums in both"
REAL = "the numbers are real, so the order of the two does not matter"
ONE_LENGTH = "for flat lists both are the Euclidean length"
COUNTED = {
    "count_nonzero -> sum": "adding up True and False counts the True ones",
    "count_nonzero -> nansum": "adding up True and False counts the True ones",
}


@task(
    funds=(3, 6),
    equivalent={
        "dot -> matmul": TABLE_TIMES_LIST,
        "dot -> inner": TABLE_TIMES_LIST,
        "dot -> linalg.vecdot": TABLE_TIMES_LIST,
    },
)
def portfolio_gain_and_risk(gains: Matrix(Float(-8, 12), (6, 18), "funds"), weights: Probabilities("funds")):
    """Each row of `gains` is a month, each column a fund, in percent. A saver's money is split over the funds by the
    fractions `weights`, and so is the result of a month. Return a tuple of three: the average monthly result; the
    standard deviation of the monthly results (divisor: one less than the number of months); the worst monthly
    result."""
    monthly = np.dot(gains, weights)
    return np.mean(monthly), np.std(monthly, ddof=1), np.min(monthly)


@task(r=(2, 4), c=(3, 5))
def best_match_on_the_map(tiles: Cube(Int(0, 9), (4, 9), "r", "c"), survey: Matrix(Int(1, 9), "r", "c")):
    """Which of the height-map `tiles` looks like the `survey`, a table of the same form? The likeness of a tile is the
    total of the products of matching cells, divided by 1 plus the tile's length; the length of a table is the square
    root of the total of its squared cells. Return a tuple: the greatest likeness of any tile, and the average
    likeness."""
    likeness = np.tensordot(tiles, survey) / (1 + np.linalg.matrix_norm(tiles))
    return np.max(likeness), np.mean(likeness)


@task(traits=(3, 5))
def best_tool_for_each_job(
    jobs: Matrix(Int(0, 5), (5, 12), "traits"),
    importance: Vector(Int(1, 4), "traits"),
    tools: Matrix(Int(0, 5), (4, 6), "traits"),
):
    """Rows of `jobs` say how much of each trait a job needs, rows of `tools` how much of it a tool offers. A tool's
    score for a job is the total, over the traits, of need times `importance` times offer; every job uses its
    top-scoring tool (the first of equals). Return a tuple of three: a list with the position (from 0) of each job's
    tool; a list with the scores they have there; the number of jobs of the tool that is used by the most jobs."""
    scores = np.inner(np.multiply(jobs, importance), tools)
    chosen = np.argmax(scores, axis=1)
    return chosen, np.max(scores, axis=1), np.max(np.bincount(chosen))


@task(ports=(3, 8), markets=(4, 10))
def exports_by_gravity(
    supply: Vector(Int(1, 20), "ports"),
    demand: Vector(Int(1, 20), "markets"),
    distance: Matrix(Int(1, 30), "ports", "markets"),
):
    """In a gravity model, the trade between port p and market m is `supply`[p] times `demand`[m] times e^(-d/10), where
    d is `distance`[p][m]. Return a tuple: a list with each port's share of the whole trade, and the size of the largest
    single trade between a port and a market."""
    trade = np.outer(supply, demand) * np.exp(np.divide(distance, -10))
    return np.sum(trade, axis=1) / np.sum(trade), np.max(trade)


@task(
    dots=(5, 20),
    equivalent={
        "np.outer(x, np.cos(a)) - np.outer(y, np.sin(a)): operands swapped": "mirrored left to right, it is as wide"
    },
)
def frames_of_a_turned_sketch(
    x: Vector(Int(-9, 9), "dots"), y: Vector(Int(-9, 9), "dots"), turns: Vector(Int(1, 359), (3, 9))
):
    """A sketch has dots at (`x`[i], `y`[i]). Turned counterclockwise around the origin by an angle with the cosine C
    and the sine S, a dot goes to (C·x - S·y, S·x + C·y). For each of the `turns`, in degrees and always from the first
    position, how wide is the sketch then, from its leftmost to its rightmost dot? Return the widths as a list."""
    a = np.radians(turns)
    return np.ptp(np.outer(x, np.cos(a)) - np.outer(y, np.sin(a)), axis=0)


@task(k=(2, 4), hours=(4, 9))
def peak_load_by_hour(valves: Cube(Int(-3, 3), "hours", (2, 4), "k"), flows: Cube(Int(0, 9), "hours", "k", (2, 4))):
    """For each hour h, `valves`[h] and `flows`[h] are tables, and their matrix product is the load of pumps (rows) in
    districts (columns); signs only tell the direction and are ignored. The peak of an hour is the greatest load that
    occurs in it. Return a tuple of three: the list of peaks; their average; the hour (from 0) with the highest peak,
    the first of equals."""
    peaks = np.max(np.absolute(np.matmul(valves, flows)), axis=(1, 2))
    return peaks, np.mean(peaks), np.argmax(peaks)


@task(r=(2, 3), c=(2, 5))
def template_in_patches(patches: Cube(Int(-4, 4), (5, 12), "r", "c"), template: Matrix(Int(-2, 2), "r", "c")):
    """A camera looks for a `template` among image `patches` of the same form. A patch scores the total, over all its
    cells, of the cell times the matching template cell. Return a tuple: the position (from 0) of the patch with the
    best score, the first of equals, and how far the best score is above the worst."""
    scores = np.tensordot(patches, template)
    return np.argmax(scores), np.ptp(scores)


@task(
    sensors=(2, 5),
    equivalent={"subtract: arguments 1 and 2 swapped": "the difference enters twice, so its sign cancels"},
)
def oddness_of_readings(
    readings: Matrix(Int(-9, 9), (5, 15), "sensors"),
    centre: Vector(Int(-3, 3), "sensors"),
    covariance: PositiveDefinite("sensors"),
):
    """How odd are the rows of `readings`? With d for a row minus `centre`, its oddness is the square root of d as a
    row, times the inverse of the matrix `covariance`, times d as a column. Return a tuple: the greatest oddness, and
    the middle one (halfway between the two middle ones if their number is even)."""
    d = np.subtract(readings, centre)
    oddness = np.sqrt(np.einsum("ki,ij,kj->k", d, np.linalg.inv(covariance), d))
    return np.max(oddness), np.median(oddness)


@task(
    cities=(5, 10),
    hubs=(2, 3),
    equivalent={
        "equal -> greater_equal": "no city has more round trips than the greatest number",
        "equal -> isclose": "small whole numbers are close only if they are equal",
        "equal -> isin": "being in a set of one number is being equal to it",
        "equal -> floor_divide": "the greatest number, never 0, fits only into itself",
    },
)
def best_connected_cities(outbound: Matrix(Int(1, 2), "cities", "hubs"), inbound: Matrix(Int(1, 2), "hubs", "cities")):
    """`outbound`[c][h] counts flights from city c to hub h, `inbound`[h][c] those from hub h back to city c. Every
    outbound flight can be combined with every inbound one of the same hub to a round trip. Return the positions (from
    0) of the cities that have the highest number of round trips, ascending, as a list."""
    trips = np.einsum("ch,hc->c", outbound, inbound)
    return np.flatnonzero(np.equal(trips, np.max(trips)))


@task(
    equivalent={
        **COUNTED,
        "greater_equal -> floor_divide": "the whole quotient differs from zero just for cells that reach the limit",
    }
)
def overheated_solar_cells(
    panels: Matrix(Int(1, 5), (2, 3), (2, 3)), cell_pattern: Matrix(Int(1, 5), (2, 3), (2, 4)), limit: Int(4, 12)
):
    """A roof is tiled: in the place of each panel comes a copy of the whole table `cell_pattern`, multiplied by that
    panel's value in `panels`. Cells of at least `limit` are too hot. Return a tuple: a list with the number of too hot
    cells in each row of cells of the finished roof, and the position (from 0) of the row that has the most, the first
    of equals."""
    roof = np.kron(panels, cell_pattern)
    hot = np.count_nonzero(np.greater_equal(roof, limit), axis=1)
    return hot, np.argmax(hot)


@task(cables=(3, 9), equivalent={"linalg.norm -> linalg.vector_norm": ONE_LENGTH})
def turning_moment_of_crane(levers: Matrix(Int(-5, 5), "cables", 3), pulls: Matrix(Int(-9, 9), "cables", 3)):
    """Cables pull at a crane: row i of `pulls` is a force in space that acts at row i of `levers`, and its moment is
    the vector product lever x pull. Return a tuple: the moment of all cables together as a list of three numbers, and
    the Euclidean length of that moment."""
    total = np.sum(np.cross(levers, pulls), axis=0)
    return total, np.linalg.norm(total)


# Constant: each triangle would be a single point, and no area could be shared out.
@task(
    n=(4, 12),
    without=("constant", "zeros"),
    equivalent={
        "linalg.vector_norm -> linalg.norm": ONE_LENGTH,
        "cross: arguments 1 and 2 swapped": "only the length of the product counts",
        "subtract: arguments 1 and 2 swapped": "only the length of the product counts",
    },
)
def largest_patch_of_terrain(
    a: Matrix(Int(-5, 5), "n", 3), b: Matrix(Int(-5, 5), "n", 3), c: Matrix(Int(-5, 5), "n", 3)
):
    """A terrain model has triangles in space; triangle i has its corners at `a`[i], `b`[i] and `c`[i]. (The area of a
    triangle is half the length of the vector product of two sides that start at the same corner.) Return a tuple: the
    area of all triangles together, and the fraction of it that the largest triangle has."""
    areas = np.linalg.vector_norm(np.cross(np.subtract(b, a), np.subtract(c, a)), axis=1) / 2
    return np.sum(areas), np.max(areas) / np.sum(areas)


@task(belts=(3, 8))
def sorting_machine_hits(decisions: Matrix(Int(1, 20), "belts", "belts")):
    """Row i, column j of `decisions` counts the parcels that belong on belt i and were sent to belt j. Parcels sent to
    the belt on which they belong are hits. Return a tuple of two: the hits of the whole day divided by all its parcels;
    the lowest hit rate of a belt, which is the number of its hits divided by the number of parcels that belong on
    it."""
    overall = np.trace(decisions) / np.sum(decisions)
    return overall, np.min(np.divide(np.diagonal(decisions), np.sum(decisions, axis=1)))


@task(legs=(5, 15), equivalent={"linalg.vecdot: arguments 1 and 2 swapped": REAL})
def effort_of_sledge_dogs(moves: Matrix(Int(-9, 9), "legs", 2), pull: Matrix(Int(-5, 5), "legs", 2)):
    """On leg i of a journey a sledge moves by row i of `moves` (x and y) while the dogs pull with the force in row i of
    `pull`. The work of a leg is force times move in x plus force times move in y; where that is below zero the sledge
    just slides, and the leg counts 0. Return the work that the dogs have done from the start, at the end of every leg,
    as a list."""
    work = np.linalg.vecdot(pull, moves)
    return np.cumsum(np.maximum(work, 0))


@task(rays=(4, 12))
def rays_through_a_lens(before: Int(1, 9), focus: Int(2, 9), after: Int(1, 9), rays: Matrix(Float(-2, 2), 2, "rays")):
    """Column j of the table `rays` is a ray of light: height, then slope. A gap acts on such columns by the matrix with
    rows [1, gap] and [0, 1], a lens by rows [1, 0] and [-1/`focus`, 1]. The rays cross the gap `before`, then the lens,
    then the gap `after`. Return a tuple: the greatest height without sign at which a ray arrives, and a list of the
    rays' final directions in degrees (the arc tangent of the slope)."""
    lens = [[1, 0], [-1 / focus, 1]]
    out = np.linalg.multi_dot([[[1, after], [0, 1]], lens, [[1, before], [0, 1]], rays])
    return np.max(np.absolute(out[0])), np.degrees(np.arctan(out[1]))


@task(zones=(3, 7), equivalent={"dot -> matmul": ROW_TIMES_TABLE})
def taxis_after_some_hours(
    rides: Matrix(Int(1, 9), "zones", "zones"), taxis: Vector(Int(0, 40), "zones"), hours: Int(2, 6)
):
    """Row i of `rides` counts the rides from zone i to each zone. Every hour the taxis in zone i spread over the zones
    in the proportions of that row. At the start `taxis`[i] taxis are in zone i. Return a tuple about the time after
    `hours` hours: a list with the expected number of taxis in each zone (fractions allowed), and how many more are
    expected in the fullest zone than in the emptiest."""
    shares = np.divide(rides, np.sum(rides, axis=1, keepdims=True))
    expected = np.dot(taxis, np.linalg.matrix_power(shares, hours))
    return expected, np.ptp(expected)


@task(towns=(4, 8))
def charging_stop_routes(lengths: Matrix(Int(1, 9), "towns", "towns"), battery: Int(2, 6), hops: Int(2, 4)):
    """An electric van can drive from town i to town j in one go if `lengths`[i][j] is at most `battery`; the entry of a
    town with itself is a round trip. Routes consist of exactly `hops` drives. Return a tuple: a list with the number of
    routes that start in each town, and the position (from 0) of the town where the most routes end, the first of
    equals."""
    possible = np.astype(np.less_equal(lengths, battery), "int")
    routes = np.linalg.matrix_power(possible, hops)
    return np.sum(routes, axis=1), np.argmax(np.sum(routes, axis=0))
