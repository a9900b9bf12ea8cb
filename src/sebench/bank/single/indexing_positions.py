"""Finding positions, and the positions of diagonals and triangles."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Bool, Choice, Cube, Float, Int, Matrix, Missing, Vector, Word

# nonzero


@task
def mine_locations(field: Matrix(Choice(0, 0, 0, 1), (3, 4), (3, 5))):
    """A minesweeper `field` is a grid with 1 for each cell that hides a mine and 0 for the others. Find all mines,
    scanning row after row. Return the tuple (row numbers, column numbers), two lists of equal length with numbers
    counted from 0."""
    return np.nonzero(field)


@task
def windows_still_lit(lights: Matrix(Bool(), (2, 4), (2, 4))):
    """Seen from the street, a house front is the grid `lights`: true for a bright window. Return a dict with the keys
    "floors" and "windows": the row numbers and, in step with them, the column numbers of the bright windows, line by
    line; row 0 is at the top, column 0 at the left."""
    found = np.nonzero(lights)
    return {"floors": found[0], "windows": found[1]}


@task
def crystal_defects(lattice: Cube(Int(-1, 1), (2, 3), (2, 3), (2, 3))):
    """A crystal is modelled as layers of rows of sites; `lattice` holds the charge error at each site, 0 when it is
    perfect. Return three lists in a tuple, (layers, rows, sites), which together locate every imperfect site in reading
    order, all counted from 0."""
    return np.nonzero(lattice)


@task
def unsettled_months(balances: Matrix(Int(-2, 2), (2, 4), (2, 5))):
    """Rows of `balances` are tenants, columns are months from 0; an account that is settled shows exactly 0. Going
    through the tenants one by one, return the month number of each entry that is not settled, as a single list."""
    return np.nonzero(balances)[1]


# flatnonzero


@task
def rainy_day_numbers(rain: Vector(Missing(Missing(Float(0.1, 3), 0.0), 0.0), (3, 8))):
    """`rain` holds millimetres per day of a holiday. On which days, counted from 0, did any rain fall? Return the day
    numbers as a list."""
    return np.flatnonzero(rain)


@task
def locker_numbers_in_use(used: Matrix(Bool(), (2, 4), (2, 5))):
    """School lockers hang on a wall in a grid and are numbered 0, 1, 2, ... along the first line, then on along the
    second, and so forth. `used` is true where one is rented. Return the numbers of the rented lockers as a flat
    list."""
    return np.flatnonzero(used)


@task
def faulty_cells_running_number(errors: Cube(Int(-1, 1), (1, 3), (2, 3), (2, 3))):
    """A battery consists of packs, strips and cells, nested like that in `errors`, which has 0 for each healthy cell.
    The serial number of a cell is its place when all are counted through from 0. Return the serial numbers of the cells
    that are not healthy, as a list."""
    return np.flatnonzero(errors)


@task
def correct_quiz_answers(right: Vector(Bool(), (2, 8))):
    """After a pub quiz, `right` says for every question whether the team knew it. Return the numbers of the questions
    it knew, the opening question being number 0, as a list in ascending order."""
    return np.flatnonzero(right)


# argwhere


@task
def chess_piece_squares(board: Matrix(Choice(0, 0, 0, 0, 1, 5, 6, -1, -3, -6), (2, 4), (2, 4))):
    """The grid `board` is a section of a chess board: a square holds 0 if empty, a positive code for a white and a
    negative code for a black piece. Return the coordinates of all pieces as a list of [row, column] pairs, counted from
    0, ordered by row and then by column."""
    return np.argwhere(board)


@task
def cloud_voxels(cloud: Cube(Bool(), (2, 3), (2, 3), (2, 3))):
    """A weather radar divides the sky into heights, rows and cells; `cloud` is true where it sees drops. Return one
    triple [height, row, cell] for each place with drops, counted from 0, as a list of triples: lower heights come
    first, then lower rows, then lower cells."""
    return np.argwhere(cloud)


@task
def late_trains_table(delays: Vector(Int(0, 4), (3, 8))):
    """A timetable program wants the late trains as a table with a single column. `delays` are minutes, 0 meaning on
    time; no train is early. Return the positions (from 0) of all late trains, each as a one-element list inside a
    list."""
    return np.argwhere(delays)


@task
def blocked_road_stretches(blocked: Matrix(Bool(), (2, 5), (2, 4))):
    """The snow plough service marks with true in `blocked` which stretch of which road cannot be passed: roads are
    rows, stretches are columns. Return a work list with one [road, stretch] entry per obstacle, numbers starting at 0:
    all obstacles of a road in the order of its stretches, then those of the next road."""
    return np.argwhere(blocked)


# diagonal


@task
def self_ratings(ratings: Matrix(Int(0, 10), "n", "n")):
    """Members of a jury marked one another: row i of `ratings` holds the marks that member i gave to members 0, 1, 2,
    ... Return, as a list, the mark that each member gave to himself or herself."""
    return np.diagonal(ratings)


@task(n=(3, 5))
def tickets_to_the_next_zone(tickets: Matrix(Int(2, 60), "n", "n")):
    """A tram company divides its line into fare zones. In the square table `tickets`, entry (i, j) counts the tickets
    that were sold in zone i for a ride to zone j. Return how many were sold in each zone for the zone directly after
    it, 0 to 1, 1 to 2 and so on, as a list."""
    return np.diagonal(tickets, offset=1)


@task(n=(2, 3), years=(2, 3))
def own_trade_by_year(trade: Cube(Int(0, 90), "years", "n", "n")):
    """For each year, `trade` has a square table of goods moved from district (row) to district (column). Return a list
    with one row per year, holding for every district the amount that stayed inside it."""
    return np.diagonal(trade, axis1=1, axis2=2)


@task(n=(3, 4))
def yesterday_forecast_errors(errors: Cube(Float(-5, 5), "n", "n", (2, 3))):
    """`errors` is nested as day of the target, day of issue, town. Return the errors of forecasts issued exactly one
    day before their target (target 1 with issue 0, target 2 with issue 1, ...), as one row per town running over the
    target days."""
    return np.diagonal(errors, offset=-1)


# ix_


@task
def spreadsheet_cross_section(
    lines: Vector(Int(0, 9), (2, 4), unique=True), fields: Vector(Int(0, 9), (1, 4), unique=True)
):
    """A spreadsheet add-on selects every crossing of some `lines` with some `fields`. It needs the numbers of both in
    open form: return the tuple (lines as a column, that is a list of one-element lists; fields as a list that holds one
    row)."""
    return np.ix_(lines, fields)


@task
def warehouse_pick_mesh(
    aisles: Vector(Int(0, 20), (1, 3), unique=True),
    shelves: Vector(Int(0, 20), (2, 3), unique=True),
    boxes: Vector(Int(0, 20), (1, 4), unique=True),
):
    """A robot shall visit each combination of the given `aisles`, `shelves` and `boxes`. Its driver takes these numbers
    as three nested lists of the shapes a x 1 x 1, 1 x s x 1 and 1 x 1 x b, where a, s and b count the aisles, shelves
    and boxes. Return the three as a tuple in that order."""
    return np.ix_(aisles, shelves, boxes)


@task
def selectors_of_present_players(present: Vector(Bool(), (4, 6)), rounds: Vector(Int(0, 8), (2, 4), unique=True)):
    """To cut a results table down to the players who are `present` (flags, one per table row) and to certain `rounds`
    (column numbers), return two selectors in a tuple: the row numbers of those present, from 0, as a list of
    one-element lists, and the rounds as a single row in a list."""
    return np.ix_(present, rounds)


@task
def greenhouse_switch_grid(beds: Vector(Bool(), (4, 6)), lamps: Vector(Bool(), (4, 6))):
    """In a greenhouse, true marks the `beds` to be lit and the `lamps` to be used. The controller wants all pairs of
    such a bed and such a lamp in the form of two nested lists: the numbers of the true beds, upright (n rows of one),
    and those of the true lamps, lying (one row). Return both in a tuple; counting starts at 0."""
    return np.ix_(beds, lamps)


# diag_indices


@task
def quilt_diagonal_patches(side: Int(2, 16)):
    """A quilt is a square of `side` by `side` patches. The patches on the diagonal from the top left to the bottom
    right corner become red. Return their coordinates as a tuple (row numbers, column numbers) of two lists, counted
    from 0."""
    return np.diag_indices(side)


@task
def sugar_cube_tunnel(edge: Int(2, 16)):
    """A big cube is glued from `edge` x `edge` x `edge` sugar lumps. An ant gnaws from one corner straight to the
    opposite one, lump (0, 0, 0), then (1, 1, 1) and so on. Return the x, the y and the z numbers of the eaten lumps, as
    a tuple of three lists."""
    return np.diag_indices(edge, ndim=3)


@task
def self_distance_cells(cities: Vector(Word(), (2, 7), unique=True)):
    """For a road atlas a square distance table is planned with one row and one column per entry of `cities`. The cells
    where a city meets itself will be greyed out. Return these cells as a dict {"rows": [...], "columns": [...]},
    numbers from 0."""
    cells = np.diag_indices(len(cities))
    return {"rows": cells[0], "columns": cells[1]}


@task
def tensor_main_line(length: Int(2, 8), dimensions: Int(2, 5)):
    """A physics program stores a tensor with the given number of `dimensions`, each of the same `length`. To reach the
    entries whose indices all agree, return one ascending list of indices (from 0) per dimension, all in a tuple."""
    return np.diag_indices(length, dimensions)


# tril_indices


@task
def staircase_cells(planks: Vector(Int(20, 60), (2, 6))):
    """The list `planks` gives the widths of the planks of a staircase, one plank per step. The staircase is drawn on
    squared paper, one line per step: line 0 has one filled cell at the left, line 1 has two, and so on. Return the
    filled cells, line by line, as a tuple (line numbers, cell numbers) of two lists; the leftmost cell is number 0."""
    return np.tril_indices(len(planks))


@task
def earlier_opponents(fencers: Vector(Word(), (2, 6), unique=True)):
    """Each fencer meets all those who stand before him or her in the list `fencers`. Return the bouts as a tuple of two
    lists: the positions of the fencers and, in step, the positions of the earlier opponents; sorted by fencer, then by
    opponent, positions from 0."""
    return np.tril_indices(len(fencers), k=-1)


@task
def cards_within_reach(players: Int(2, 14)):
    """At a game with `players` players, numbered from 0, player i may take cards from the players 0 to i + 1, as far as
    they exist. List every pair (player, giver), by player and then by giver. Return a tuple of two lists: the players
    and the givers."""
    return np.tril_indices(players, k=1)


@task
def editable_plan_cells(weeks: Int(4, 7), ahead: Int(-2, 2)):
    """A square planning table has `weeks` rows and columns. A cell (row, column) may be edited when its column is at
    most its row plus `ahead` (which can be negative). Return the editable cells row by row, as a dict with the lists
    "row" and "column", from 0."""
    cells = np.tril_indices(weeks, ahead)
    return {"row": cells[0], "column": cells[1]}


# triu_indices


@task
def calendar_spans(prices: Vector(Int(40, 200), (2, 6))):
    """The list `prices` gives a hotel's price for each day of its season. Guests may stay from any day to the same or a
    later day. Return all possible stays as a tuple of two lists (first days, last days), counted from 0, sorted by
    first day and then by last day."""
    return np.triu_indices(len(prices))


@task
def handshake_pairs(
    people: Vector(Choice("Ada", "Bela", "Chen", "Dora", "Emil", "Fay", "Gus", "Hana"), (2, 6), unique=True),
):
    """At a party all `people` shake hands once with each other. Return the pairs by position in the list (from 0), as a
    tuple (first partners, second partners): the first always stands before the second, and pairs come in order of the
    first, then of the second."""
    return np.triu_indices(len(people), k=1)


@task
def loom_upper_threads(shafts: Int(2, 6), threads: Int(2, 7)):
    """A loom pattern has `shafts` lines and `threads` columns, numbered from 0. A crossing is raised if its column
    number is not smaller than its line number. Return the raised crossings line by line as a tuple (lines, columns) of
    lists."""
    return np.triu_indices(shafts, m=threads)


@task
def minimum_gap_flights(cities: Int(4, 7), gap: Int(-2, 2)):
    """The airports of `cities` cities along a coast are numbered from 0. An airline flies from a to b whenever b is at
    least a plus `gap`; the gap may be 0, which includes sightseeing flights from a back to a, or negative, which
    includes flights to lower numbers. Return the list [origins, destinations] of two lists of numbers, ordered by
    origin, then destination."""
    return list(np.triu_indices(cities, gap))
