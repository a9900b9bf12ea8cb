"""Matrices with a pattern: diagonals, triangles, powers of a list."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Cube, Float, Int, Matrix, Vector, Word

PLANTS = Word(
    ("birch", "cedar", "clover", "fern", "ivy", "kelp", "lotus", "maple", "moss", "tulip", "violet", "willow")
)

# eye


@task
def dancers_meet_partners(leaders: Int(1, 6), followers: Int(1, 6)):
    """At a ball, leader number i dances the opening waltz with follower number i, as far as both exist. Return the
    pairing as a list of `leaders` rows with `followers` entries: 1 where leader and follower dance together, 0
    elsewhere."""
    return np.eye(leaders, followers)


@task
def bucket_chain(helpers: Vector(Word(), (2, 6), unique=True)):
    """In a fire drill the `helpers` stand in a line and each hands the bucket to the next one. Return who hands to whom
    as a square list of rows: row i has a 1 in column i + 1 and 0 in all other columns, so the last row has only 0."""
    return np.eye(len(helpers), k=1)


@task
def shifted_loom_pattern(threads: Int(3, 6), hooks: Int(3, 6), shift: Int(-2, 2)):
    """A loom lifts one thread per hook. Thread i belongs to hook i + `shift`; a negative `shift` moves towards smaller
    hook numbers, and hooks out of range are ignored. Return a list of `threads` rows and `hooks` columns, with 1 where
    a thread meets its hook and 0 otherwise."""
    return np.eye(threads, hooks, k=shift)


@task
def stairs_down_the_lighthouse(heights: Vector(Float(2, 4), (2, 6))):
    """`heights` lists the heights of the storeys of a lighthouse, from the bottom up. From each storey one can climb
    down to exactly the storey below. Return the square table of truth values, one row (from) and one column (to) per
    storey, as a list of rows: row i is True only in column i - 1, so row 0 has no True."""
    return np.eye(len(heights), k=-1, dtype="bool")


# identity


@task
def keep_your_own_coat(guests: Vector(Word(), (2, 6), unique=True)):
    """After the opera no coats get mixed up. In the square guest-by-coat table a 1 marks who takes which coat, and 0
    fills the rest: guest i has coat i. Return the table for the listed `guests`, as a list of rows."""
    return np.identity(len(guests))


@task
def plant_label_codes(plants: Vector(PLANTS, (2, 6), unique=True)):
    """A classifier cannot read the names in `plants`, so the i-th name is coded by a row of numbers that is 1 at
    position i and 0 at the other positions, with as many positions as there are names. Return the rows of all names, in
    order, as a list."""
    return np.identity(len(plants))


@task
def hair_samples_that_match(cats: Int(1, 4), dogs: Int(1, 4)):
    """A shelter sent in hair samples of `cats` cats and `dogs` dogs. The lab compares every sample with every sample;
    each one matches itself and no other. Return the square table of matches, cats before dogs in rows and columns, as a
    list of rows of booleans."""
    return np.identity(cats + dogs, dtype="bool")


@task
def idle_quantum_gate(states: Int(1, 12)):
    """A quantum gate that leaves all of its `states` basis states as they are is a square matrix of complex numbers: 1
    along the diagonal from the upper left to the lower right corner, 0 off it. Return it as a list of rows; every entry
    is complex."""
    return np.identity(states, dtype="complex")


# diag


@task
def stretch_matrix(factors: Vector(Float(0.5, 4), (2, 5))):
    """An animation stretches each coordinate by its own number in `factors`. Return the square matrix that does so, as
    a list of rows: the factors run down from the top left, in order, and 0 stands everywhere else."""
    return np.diag(factors)


@task(players=(2, 5))
def own_goals(goals: Matrix(Int(0, 9), "players", "players")):
    """In the square table `goals`, row i and column j tell how often team i put the ball into the net of team j. Return
    the numbers of own goals, for team 0, team 1 and so on, as a list."""
    return np.diag(goals)


@task
def water_stairs(flows: Vector(Int(1, 30), (2, 5))):
    """Ponds lie in a row and water only runs from pond i to the pond before it. There is one more pond than there are
    numbers in `flows`, and `flows`[i] runs from pond i + 1 to pond i. Return the square table (rows: from, columns: to)
    as a list of rows, with 0 where nothing runs."""
    return np.diag(flows, k=-1)


@task
def fares_two_stations_on(fares: Matrix(Int(1, 60), (2, 4), (3, 5))):
    """A mountain railway prints `fares` from station i (row) to station j (column). A hiker always rides exactly two
    stations further, from i to i + 2, and wants only these fares. Return them as a list, from the lowest i on, as long
    as the table has them."""
    return np.diag(fares, k=2)


# diagflat


@task
def pixel_gain_matrix(pixels: Matrix(Int(1, 99), 2, (2, 3))):
    """For image filtering, read the small picture `pixels` row after row as one long list and put that list on the main
    diagonal of a big square matrix which is 0 otherwise. Return the matrix as a list of rows."""
    return np.diagflat(pixels)


@task
def garden_bed_queue(beds: Matrix(Int(1, 40), (1, 2), (2, 3))):
    """A sprinkler visits garden beds row by row, left to right; `beds` gives the litres for each. In step s, from 0, it
    waters the next bed on its way from stop s to stop s + 1, so there is one stop more than there are beds. Return a
    square table as a list of rows with the litres given in step s in row s, column s + 1, and 0 elsewhere."""
    return np.diagflat(beds, k=1)


@task
def two_back_memory_game(cards: Matrix(Int(1, 13), (1, 2), 2)):
    """In a memory game the cards are shown one by one, row after row of `cards`, and each must be recalled two turns
    after it was shown. Return a square table, just large enough, as a list of rows: the value of card t (from 0)
    stands in row t + 2, its turn of recall, and column t, its turn of showing; all else is 0."""
    return np.diagflat(cards, k=-2)


@task
def crate_counts_in_a_matrix(crates: Cube(Int(1, 9), (1, 2), 2, (1, 2))):
    """`crates` counts crates per hall, rack row and slot. Planners run through it in that order, slots fastest, and
    want a square matrix with these counts along its main diagonal and 0 off it. Return the matrix as a list of rows."""
    return np.diagflat(crates)


# tri


@task
def staircase_bricks(steps: Int(1, 12)):
    """A child builds stairs on a square sheet with `steps` rows: the first row has a brick only in its leftmost cell,
    every further row has one brick more, until the last row is full. Return the sheet as a list of rows, 1 for a brick
    and 0 for none."""
    return np.tri(steps)


@task
def released_episodes(days: Int(1, 6), episodes: Int(1, 6)):
    """Days and episodes of a series are counted from 0, and on day i the episodes 0 to i are out. Return a list of
    `days` rows with `episodes` entries each: entry j of row i is 1 if episode j is out on day i, else 0."""
    return np.tri(days, episodes)


@task
def delayed_parcels(mornings: Int(3, 6), parcels: Int(2, 6), lead: Int(-2, 2)):
    """Parcel j has arrived by morning i (both counted from 0) if j is at most i + `lead`, where a negative `lead` means
    a delay. Return the arrivals as `mornings` rows of `parcels` numbers each, 1 for arrived and 0 for not yet, in a
    list of rows."""
    return np.tri(mornings, parcels, k=lead)


@task
def only_earlier_words(words: Vector(Word(), (2, 6))):
    """While it writes a text, a generator may look only at words before the present one, not at the word itself. For a
    text of the given `words` return a square list of rows of truth values: True in row i, column j exactly if word j
    comes before word i."""
    return np.tri(len(words), k=-1, dtype="bool")


# tril


@task(faces=(2, 5))
def second_die_not_higher(rolls: Matrix(Int(1, 90), "faces", "faces")):
    """Two dice with equally many faces were rolled often; row i, column j (from 0) of the square table `rolls` counts
    how often the first die showed i + 1 and the second j + 1. Only rolls in which the second die did not beat the first
    matter: return the table with 0 in place of all other counts, as a list of rows."""
    return np.tril(rolls)


@task(clubs=(2, 5))
def first_leg_results(results: Matrix(Int(15, 40), "clubs", "clubs")):
    """The square table `results` of a handball league holds the goals that the club of the row scored at home against
    the club of the column. So far only the games of a later club (row) against an earlier club (column) have been
    played, those with a row number strictly greater than the column number; all else is left over from last year.
    Return the table with the leftovers set to 0, as a list of rows."""
    return np.tril(results, k=-1)


@task
def forecast_horizon(forecasts: Matrix(Int(1, 50), (2, 4), (3, 5))):
    """On day i a forecaster may publish values for days up to i + 1; anything further ahead is unreliable. Row i of
    `forecasts` was made on day i, column j is meant for day j. Return the table with unreliable entries replaced by 0,
    as a list of rows."""
    return np.tril(forecasts, k=1)


@task
def layered_cake_corners(cakes: Cube(Int(1, 9), (1, 3), (2, 3), (2, 3))):
    """Each tray in `cakes` is a grid with the weights of pieces of cake. From every tray the pieces to the right of the
    main diagonal (column number above row number) are eaten and weigh 0 now. Return all trays, as a list of lists of
    rows."""
    return np.tril(cakes)


# triu


@task(notes=(2, 5))
def harmony_pairs(ratings: Matrix(Float(-9, 9), "notes", "notes")):
    """A composer rates pairs of notes in the square table `ratings`, but only those pairs count whose second note
    (column) is the same as the first (row) or comes after it. Return the ratings as a list of rows, with all others set
    to 0."""
    return np.triu(ratings)


@task(chefs=(2, 5))
def duel_schedule(minutes: Matrix(Int(1, 60), "chefs", "chefs")):
    """Chef i meets chef j in a cook-off only if j comes after i in the list; nobody meets himself. `minutes` plans a
    time for all combinations (rows i, columns j). Return the plan as a list of rows where combinations that do not take
    place show 0."""
    return np.triu(minutes, k=1)


@task
def tolerant_start_weeks(work: Matrix(Int(1, 40), (3, 5), (2, 4))):
    """Rows of `work` are jobs, columns are weeks, both numbered from 0; the entries are hours. Job i is planned to
    start in week i, but hours from week i - 1 onwards are accepted. Return the hours as a list of rows, with 0 in place
    of all hours in weeks before that."""
    return np.triu(work, k=-1)


@task
def upper_sails(sails: Cube(Float(0.1, 9), (1, 3), (2, 3), (2, 4))):
    """The sizes of the patches of several sails are stored in `sails`, one grid per sail. A storm tears away the
    patches to the left of each grid's main diagonal, those with a column number smaller than the row number. Return the
    grids with 0 for torn patches, nested as before."""
    return np.triu(sails)


# vander


@task
def matrix_for_exact_curve(times: Vector(Int(-5, 6), (2, 5), unique=True)):
    """To fit a polynomial exactly through n measurements taken at the n `times`, set up the n by n matrix in which each
    row holds the descending powers of one time, from the power n - 1 to the power 0. Return the rows as a list."""
    return np.vander(times)


@task
def throw_parabola_rows(instants: Vector(Float(0, 6), (2, 6))):
    """The height of a thrown ball at time t is a t² + b t + c. To fit a, b and c, every one of the `instants` t
    contributes a row [t², t, 1]. Return the list of all these rows."""
    return np.vander(instants, 3)


@task
def slope_powers(slopes: Vector(Int(-4, 6), (3, 7))):
    """A formula for railways needs for each of the numbers in `slopes` its third power, its square, the number itself
    and 1, in this order. Return a list of rows of four numbers, one row per slope."""
    return np.vander(slopes, 4)


@task
def place_values(number_bases: Vector(Int(2, 12), (2, 5), unique=True), digits: Int(3, 5)):
    """In a numeral system with base b, a numeral of `digits` digits has place values from b to the power `digits` - 1
    for its leftmost digit down to 1 for the rightmost one. Return a row of place values for each base in
    `number_bases`, as a list of rows."""
    return np.vander(number_bases, N=digits)
