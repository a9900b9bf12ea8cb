"""Products of vectors and tables at work: forces, routes, images, trade, lenses, walks."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Cube, Float, Int, Matrix, PositiveDefinite, Probabilities, Vector

ONE_TABLE_PRODUCT = "a single table times a single table is the same product in both"
ROW_TIMES_TABLE = "a flat list times a table is the same product in both"
TABLE_TIMES_LIST = "a table times a flat list is the same list of sums in both"
REAL = "the numbers are real, so the order of the two does not matter"
WHOLE_TABLE = "the square root of the sum of all squares is the same in both"
ONE_LENGTH = "for flat lists both are the Euclidean length"


@task(
    funds=(2, 4),
    equivalent={
        "dot -> matmul": TABLE_TIMES_LIST,
        "dot -> inner": TABLE_TIMES_LIST,
        "dot -> linalg.vecdot": TABLE_TIMES_LIST,
    },
)
def portfolio_gain_and_risk(gains: Matrix(Float(-8, 12), (3, 5), "funds"), weights: Probabilities("funds")):
    """Each row of `gains` is a month, each column a fund, in percent. A saver splits money by `weights`, so a month's
    result is the weighted sum of its row. Return a tuple: the average monthly result, and the standard deviation of
    the monthly results (divisor n - 1)."""
    monthly = np.dot(gains, weights)
    return np.mean(monthly), np.std(monthly, ddof=1)


@task(
    r=(2, 3),
    c=(2, 3),
    equivalent={
        "vdot: arguments 1 and 2 swapped": REAL,
        "vdot -> tensordot": "for two tables of one form both add up the products of all cells",
        "linalg.norm -> linalg.vector_norm": WHOLE_TABLE,
        "linalg.norm -> linalg.matrix_norm": WHOLE_TABLE,
    },
)
def likeness_of_two_maps(survey: Matrix(Int(1, 9), "r", "c"), satellite: Matrix(Int(1, 9), "r", "c")):
    """The likeness of two height maps of the same size, `survey` and `satellite`, is the sum of the products of matching
    cells divided by the product of the two maps' lengths, where the length of a map is the square root of the sum of all
    its squared cells. Return the likeness as a number."""
    sizes = np.linalg.norm(survey) * np.linalg.norm(satellite)
    return np.divide(np.vdot(survey, satellite), sizes)


@task(traits=(3, 4))
def best_tool_for_each_job(
    jobs: Matrix(Int(0, 6), (2, 4), "traits"),
    importance: Vector(Int(1, 5), "traits"),
    tools: Matrix(Int(0, 6), (4, 5), "traits"),
):
    """Rows of `jobs` say how much of each trait a job needs, rows of `tools` how much of it a tool offers. The score of a
    tool for a job is the sum, over the traits, of need times `importance` times offer. Return a tuple of two lists with an
    entry per job: the position of its top-scoring tool, counted from 0 (the first in a tie), and the top score."""
    needs = np.multiply(jobs, importance)
    scores = np.inner(needs, tools)
    return np.argmax(scores, axis=1), np.max(scores, axis=1)


@task(ports=(2, 3), markets=(2, 4))
def exports_by_gravity(
    supply: Vector(Int(1, 20), "ports"),
    demand: Vector(Int(1, 20), "markets"),
    distance: Matrix(Int(1, 6), "ports", "markets"),
):
    """In a gravity model, trade between port p and market m is `supply`[p] times `demand`[m] divided by the squared
    `distance`[p][m]. Return the total trade of every port over all markets, as a list."""
    trade = np.divide(np.outer(supply, demand), np.square(distance))
    return np.sum(trade, axis=1)


@task(equivalent={"matmul -> dot": ONE_TABLE_PRODUCT})
def points_on_turned_map(points: Matrix(Int(-9, 9), (2, 4), 2), angle: Int(5, 355, but=(90, 180, 270))):
    """Rows of `points` are x and y on a map that is turned counterclockwise by `angle` degrees around the origin: with
    C and S for the cosine and the sine of that angle, (x, y) goes to (C x - S y, S x + C y). Return the new points as a
    list of rows."""
    a = np.radians(angle)
    turn = [[np.cos(a), np.sin(a)], [-np.sin(a), np.cos(a)]]
    return np.matmul(points, turn)


@task(k=(2, 3), hours=(2, 3))
def peak_load_by_hour(valves: Cube(Int(-3, 3), "hours", (2, 3), "k"), flows: Cube(Int(0, 9), "hours", "k", (2, 3))):
    """For each hour h, `valves`[h] and `flows`[h] are tables, and their matrix product gives the load of pumps (rows)
    in districts (columns). Take loads without sign, and return for each hour the greatest load that occurs, as a
    list."""
    loads = np.absolute(np.matmul(valves, flows))
    return np.max(loads, axis=(1, 2))


@task(r=(2, 2), c=(2, 3))
def template_in_patches(patches: Cube(Int(-4, 4), (3, 5), "r", "c"), template: Matrix(Int(-4, 4), "r", "c")):
    """A camera compares image `patches`, all of the size of `template`: a patch scores the sum, over the whole table,
    of its cells times the matching template cells. Return a tuple: the position, from 0, of the best score (first in a
    tie), and the best score minus the worst."""
    scores = np.tensordot(patches, template)
    return np.argmax(scores), np.ptp(scores)


@task(
    sensors=(2, 3),
    equivalent={"subtract: arguments 1 and 2 swapped": "the difference enters twice, so its sign cancels"},
)
def oddness_of_readings(
    readings: Matrix(Int(-9, 9), (2, 4), "sensors"),
    centre: Vector(Int(-3, 3), "sensors"),
    covariance: PositiveDefinite("sensors"),
):
    """How odd is each row of `readings`? Let d be the row minus `centre`; the oddness is the square root of d times
    the inverse of the matrix `covariance` times d again (row, matrix, column). Return one number per row, as a
    list."""
    d = np.subtract(readings, centre)
    return np.sqrt(np.einsum("ki,ij,kj->k", d, np.linalg.inv(covariance), d))


@task(
    cities=(2, 4),
    hubs=(2, 3),
    equivalent={
        "equal -> greater_equal": "no city has more round trips than the greatest number",
        "equal -> isclose": "small whole numbers are close only if they are equal",
        "equal -> isin": "being in a set of one number is being equal to it",
        "equal -> floor_divide": "the greatest number, never 0, fits only into itself",
    },
)
def best_connected_cities(outbound: Matrix(Int(1, 3), "cities", "hubs"), inbound: Matrix(Int(1, 3), "hubs", "cities")):
    """`outbound`[c][h] counts flights from city c to hub h, `inbound`[h][c] those from hub h back to city c. The round
    trips of a city are outbound times inbound flights, summed over the hubs. Return the positions, from 0, of all
    cities that have the highest number of round trips, ascending, as a list."""
    trips = np.einsum("ch,hc->c", outbound, inbound)
    return np.flatnonzero(np.equal(trips, np.max(trips)))


@task(
    equivalent={
        "count_nonzero -> sum": "adding up True and False counts the True ones",
        "count_nonzero -> nansum": "adding up True and False counts the True ones",
        "greater_equal -> floor_divide": "the whole quotient differs from zero just for cells that reach the limit",
    }
)
def overheated_solar_cells(
    panels: Matrix(Int(1, 5), 2, 2), cell_pattern: Matrix(Int(1, 5), 2, (2, 3)), limit: Int(4, 12)
):
    """A roof is tiled: in the place of each panel comes a copy of the whole table `cell_pattern`, multiplied by that
    panel's value in `panels`. Cells of at least `limit` are too hot. Return, for each row of cells on the finished
    roof, how many are too hot, as a list."""
    roof = np.kron(panels, cell_pattern)
    return np.count_nonzero(np.greater_equal(roof, limit), axis=1)


@task(n=(2, 4), equivalent={"linalg.norm -> linalg.vector_norm": ONE_LENGTH})
def turning_moment_of_crane(levers: Matrix(Int(-5, 5), "n", 3), pulls: Matrix(Int(-9, 9), "n", 3)):
    """Cables pull at a crane: row i of `pulls` is a force in space that acts at row i of `levers`. Each one's moment
    is the vector product lever x pull. Return a tuple: the moment vectors added up to one list of three numbers, and
    the Euclidean length of that total."""
    total = np.sum(np.cross(levers, pulls), axis=0)
    return total, np.linalg.norm(total)


@task(
    n=(2, 4),
    equivalent={
        "linalg.vector_norm -> linalg.norm": ONE_LENGTH,
        "cross: arguments 1 and 2 swapped": "only the length of the product counts",
        "subtract: arguments 1 and 2 swapped": "only the length of the product counts",
    },
)
def land_area_of_triangles(a: Matrix(Int(-5, 5), "n", 3), b: Matrix(Int(-5, 5), "n", 3), c: Matrix(Int(-5, 5), "n", 3)):
    """A terrain model has triangles in space; triangle i has its corners at `a`[i], `b`[i] and `c`[i]. The area is
    half the length of the vector product of the two sides that start at corner a. Return the areas as a list."""
    normals = np.cross(np.subtract(b, a), np.subtract(c, a))
    return np.linalg.vector_norm(normals, axis=1) / 2


@task
def sorting_machine_hits(decisions: Matrix(Int(1, 20), 3, 3)):
    """Row i, column j of `decisions` counts the parcels that belong on belt i and were sent to belt j. Return a tuple:
    the share of all parcels that went to the right belt, and a list with the share for each belt (right ones divided
    by all parcels that belong there)."""
    overall = np.divide(np.trace(decisions), np.sum(decisions))
    return overall, np.divide(np.diagonal(decisions), np.sum(decisions, axis=1))


@task(equivalent={"linalg.vecdot: arguments 1 and 2 swapped": REAL})
def effort_of_sledge_dogs(track: Matrix(Int(-9, 9), 4, 2), pull: Matrix(Int(-5, 5), 3, 2)):
    """A sledge visits the four points of `track` in turn (rows of x and y); on leg i the dogs pull with the force in
    row i of `pull`. The work on a leg is force times displacement in x plus force times displacement in y. Count work
    below zero as 0 and return the work of the three legs as a list."""
    work = np.linalg.vecdot(pull, np.diff(track, axis=0))
    return np.maximum(work, 0)


@task
def ray_through_lens(before: Int(1, 9), focus: Int(2, 9), after: Int(1, 9), ray: Vector(Float(-2, 2), 2)):
    """A light `ray` is [height, slope]. Gaps act by the matrix with rows [1, gap] and [0, 1], a lens by rows [1, 0]
    and [-1/`focus`, 1]. The ray crosses the gap `before`, the lens, and then the gap `after`: multiply after, lens,
    before and ray, in this order. Return a tuple: final height, and final direction in degrees (arc tangent of the
    slope)."""
    lens = [[1, 0], [-1 / focus, 1]]
    out = np.linalg.multi_dot([[[1, after], [0, 1]], lens, [[1, before], [0, 1]], ray])
    return out[0], np.degrees(np.arctan(out[1]))


@task(zones=(2, 3), equivalent={"dot -> matmul": ROW_TIMES_TABLE})
def taxis_after_some_hours(
    rides: Matrix(Int(1, 9), "zones", "zones"), taxis: Vector(Int(0, 40), "zones"), hours: Int(2, 6)
):
    """Row i of `rides` counts the rides from zone i to each zone. Every hour the taxis in zone i spread over the zones in
    the proportions of that row. With `taxis`[i] taxis in zone i at the start, how many are expected in each zone after
    `hours` hours? Return a list, fractions allowed."""
    shares = np.divide(rides, np.sum(rides, axis=1, keepdims=True))
    return np.dot(taxis, np.linalg.matrix_power(shares, hours))


@task(towns=(3, 4))
def charging_stop_routes(lengths: Matrix(Int(1, 9), "towns", "towns"), battery: Int(3, 7), hops: Int(2, 4)):
    """An electric van can drive from town i to town j in one go if `lengths`[i][j] is at most `battery`; the entry of a
    town with itself is a round trip. How many routes of exactly `hops` drives lead from each town to each town? Return
    the numbers as a list of rows, starting towns as rows."""
    possible = np.astype(np.less_equal(lengths, battery), "int")
    return np.linalg.matrix_power(possible, hops)
