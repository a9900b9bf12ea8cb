"""Products of matrices and blocks, sums over labels, sums along diagonals and powers."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Cube, Float, Int, Invertible, Matrix, Vector

STACK_TIMES_LIST = "tables times one plain list are the same sums of products in both"


# matmul


@task(days=(2, 3), k=(2, 3))
def kitchen_orders_per_day(orders: Cube(Int(0, 9), "days", (2, 3), "k"), recipes: Cube(Int(0, 5), "days", "k", 2)):
    """For day d, `orders`[d] tells how often each room (row) ordered each dish (column), and `recipes`[d] how much of
    each ingredient (column) a dish (row) takes. Return a list with one table per day, the matrix product of the two:
    what each room (row) needs of each ingredient (column)."""
    return np.matmul(orders, recipes)


@task(n=(2, 2), frames=(2, 3))
def same_transform_for_all_snapshots(
    transform: Matrix(Int(-3, 3), "n", "n"), snapshots: Cube(Int(-5, 5), "frames", "n", (2, 3))
):
    """An animator applies one table, `transform`, to many `snapshots`, each a table with points as columns: transform
    times snapshot, as matrices. Return the new snapshots in a list, in the old order."""
    return np.matmul(transform, snapshots)


@task(k=(2, 3), equivalent={"matmul -> dot": "a single table times a single table is the same product in both"})
def bus_then_ferry(bus: Matrix(Int(0, 5), (2, 3), "k"), ferry: Matrix(Int(0, 5), "k", (2, 3))):
    """`bus`[i][j] counts the daily buses from village i to harbour j, `ferry`[j][k] the ferries from harbour j to
    island k. Return, as a list of rows, in how many ways one gets from each village to each island: the matrix
    product."""
    return np.matmul(bus, ferry)


@task(
    k=(2, 3),
    equivalent={
        "matmul -> dot": STACK_TIMES_LIST,
        "matmul -> inner": STACK_TIMES_LIST,
        "matmul -> linalg.vecdot": STACK_TIMES_LIST,
    },
)
def same_seed_in_all_climates(climates: Cube(Int(-4, 4), (2, 3), (2, 3), "k"), seed: Vector(Int(-4, 4), "k")):
    """Each table in `climates` maps a plant's traits to its growth. One `seed` with a list of traits is tested in all
    of them: table times trait list, as a matrix-vector product. Return a row of results per climate."""
    return np.matmul(climates, seed)


# tensordot


@task(r=(2, 3), c=(2, 3))
def match_stencil(frames: Cube(Int(0, 9), (2, 4), "r", "c"), stencil: Matrix(Int(-3, 3), "r", "c")):
    """Each table in `frames` is compared with a `stencil` of equal size: multiply them entry by entry and add up all
    the products. Return the list of results, one number per frame."""
    return np.tensordot(frames, stencil)


@task(k=(2, 3))
def mixing_boards(boards: Matrix(Int(-3, 3), 2, "k"), tracks: Cube(Int(-5, 5), "k", 2, (2, 3))):
    """`boards`[o][t] is the gain of track t in output o, and `tracks`[t] a table of samples, seconds by speakers. Sum
    gain times table over all the tracks and return the nested lists [output][second][speaker]."""
    return np.tensordot(boards, tracks, axes=1)


@task(equivalent={"tensordot: axes=0 -> -1": "a count of summed directions below zero is taken as none"})
def tides_times_moons(tides: Matrix(Int(-4, 4), 2, (2, 3)), moons: Vector(Int(-4, 4), (2, 3))):
    """A game designer tries out imaginary moons. `tides`[i][j] is the water level at harbour i in hour j, and each
    entry of `moons` is a factor that would multiply all levels. Return nested lists p in which p[i][j][k] is level
    [i][j] times factor k."""
    return np.tensordot(tides, moons, axes=0)


@task(days=(2, 3), shops=(2, 3))
def footfall_by_weather(visits: Cube(Int(0, 9), "days", 2, "shops"), weather: Matrix(Int(0, 4), "shops", "days")):
    """`visits`[d][h][s] counts the people on day d in hour h at shop s, and `weather`[s][d] is a factor for shop s on
    day d. For each hour, sum visits times factor over all days and shops. Return a list with one number per hour."""
    return np.tensordot(visits, weather, axes=([0, 2], [1, 0]))


# einsum


@task
def three_way_menu(
    starters: Vector(Int(1, 9), (2, 3)), mains: Vector(Int(1, 9), 2), desserts: Vector(Int(1, 9), (2, 3))
):
    """Every dish has a popularity score, and a menu of three dishes scores the product of its three. For entry i of
    `starters`, j of `mains` and k of `desserts`, return the scores of all possible menus as nested lists, indexed
    [i][j][k]."""
    return np.einsum("i,j,k->ijk", starters, mains, desserts)


@task(m=(2, 3), n=(2, 4))
def alliance_strength(
    kings: Vector(Int(-4, 4), "m"), bonds: Matrix(Int(-4, 4), "m", "n"), dukes: Vector(Int(-4, 4), "n")
):
    """In a board game the strength of an alliance is `kings`[i] times `bonds`[i][j] times `dukes`[j], summed over all i
    and j. Return the strength as a number."""
    return np.einsum("i,ij,j->", kings, bonds, dukes)


@task(b=(2, 3), j=(2, 3))
def each_bakery_its_flour(ovens: Cube(Int(0, 6), "b", (2, 3), "j"), flour: Matrix(Int(0, 6), "b", "j")):
    """In bakery b, oven i makes `ovens`[b][i][j] loaves from one sack of flour of kind j, and every oven is given
    `flour`[b][j] sacks of that kind. Return one row per bakery with the loaves from each of its ovens: the sum, over
    the kinds of flour, of loaves per sack times sacks."""
    return np.einsum("bij,bj->bi", ovens, flour)


@task(i=(2, 3), j=(2, 3), k=(2, 3))
def round_trips_by_start(
    out: Matrix(Int(0, 4), "i", "j"), across: Matrix(Int(0, 4), "j", "k"), home: Matrix(Int(0, 4), "k", "i")
):
    """`out`[i][j] counts the boats from port i to island j, `across`[j][k] those from island j to cape k, and
    `home`[k][i] those from cape k back to port i. Count the round trips that start at each port i: the sum over j and k
    of `out`[i][j] * `across`[j][k] * `home`[k][i]. Return one number per port, as a list."""
    return np.einsum("ij,jk,ki->i", out, across, home)


# trace


@task(n=(2, 4))
def correctly_sorted_parcels(confusion: Matrix(Int(0, 20), "n", "n")):
    """A parcel robot's table `confusion` counts, for each true city (row), in which bin (column, same order) parcels
    ended up. How many parcels landed in the right bin, over all cities? Return a number."""
    return np.trace(confusion)


@task(n=(3, 4))
def one_step_promotions(moves: Matrix(Int(0, 9), "n", "n")):
    """Grades are numbered from the lowest up, and `moves`[i][j] is the number of firefighters who went from grade i to
    grade j this year. How many rose by exactly one grade? Return a number."""
    return np.trace(moves, offset=1)


@task(n=(2, 3))
def self_talk_per_meeting(meetings: Cube(Int(0, 9), (2, 4), "n", "n")):
    """For every meeting there is a square table in `meetings` that says how often each person (row) answered each
    person (column). Return, as a list with one number per meeting, how often people answered themselves."""
    return np.trace(meetings, axis1=1, axis2=2)


@task
def overshot_by_two_stops(board: Matrix(Int(0, 9), (3, 5), (2, 4))):
    """In the table `board` of a tram controller, the entry in row a and column p says how many passengers meant to get
    off at stop p and really got off at stop a; stops are numbered along the ride. How many passengers overshot by
    exactly two stops? Return a number."""
    return np.trace(board, offset=-2)


# multi_dot


@task(a=(2, 3), b=(2, 3), c=(2, 3), d=(2, 3))
def mill_to_table_chain(
    mills: Matrix(Int(0, 5), "a", "b"), bakeries: Matrix(Int(0, 5), "b", "c"), families: Matrix(Int(0, 5), "c", "d")
):
    """Grain passes through three stages, each described by a table: `mills`, `bakeries` and `families`. Multiply the
    three in this order as matrices and return the result as a list of rows."""
    return np.linalg.multi_dot([mills, bakeries, families])


@task(a=(2, 3), b=(2, 3), c=(2, 3))
def mixed_signal(
    inputs: Vector(Int(-4, 4), "a"),
    first: Matrix(Int(-4, 4), "a", "b"),
    second: Matrix(Int(-4, 4), "b", "c"),
    weights: Vector(Int(-4, 4), "c"),
):
    """A signal passes two mixing stages: the row `inputs`, the tables `first` and `second` and the column `weights` are
    chained into a single matrix product, from left to right. Both ends are plain lists, so what remains is one number.
    Return it."""
    return np.linalg.multi_dot([inputs, first, second, weights])


@task(n=(2, 2), m=(2, 3))
def four_film_filters(
    lens: Matrix(Float(-2, 2), (2, 3), "n"),
    haze: Matrix(Float(-2, 2), "n", "m"),
    tint: Matrix(Float(-2, 2), "m", "n"),
    screen: Matrix(Float(-2, 2), "n", (2, 3)),
):
    """Light goes through four filters, each a matrix. The effect of all is the matrix product of `lens`, `haze`, `tint`
    and `screen`, in this order. Return it as a list of rows."""
    return np.linalg.multi_dot([lens, haze, tint, screen])


@task(b=(2, 3), c=(2, 3))
def hikers_after_two_days(
    second_day: Matrix(Int(0, 6), (2, 4), "b"), first_day: Matrix(Int(0, 6), "b", "c"), hikers: Vector(Int(0, 9), "c")
):
    """There are `first_day`[j][i] trails from valley i to hut j and `second_day`[k][j] trails from hut j to peak k.
    Every one of the `hikers`[i] people in valley i walks each two-day route once. Return a list with the arrivals at
    each peak: second-day table times first-day table times list of hikers, as a matrix product."""
    return np.linalg.multi_dot([second_day, first_day, hikers])


# matrix_power


@task(n=(2, 3))
def three_hops_by_letter(links: Matrix(Int(0, 3), "n", "n")):
    """`links`[i][j] counts the postal routes from town i to town j. Return the table that counts the routes of exactly
    three hops, the matrix product of three factors `links`, as a list of rows."""
    return np.linalg.matrix_power(links, 3)


@task(n=(2, 3))
def model_of_several_years(model: Matrix(Int(0, 3), "n", "n"), years: Int(0, 5)):
    """Each year the state of a beetle colony is multiplied by the square matrix `model`. Return the matrix that does
    the work of `years` years at once, the repeated matrix product of the model with itself; for zero years it is the
    identity matrix. Give a list of rows."""
    return np.linalg.matrix_power(model, years)


@task
def clockwork_two_ticks_ago(tick: Invertible((2, 3))):
    """One tick of a clockwork toy multiplies its state, a column of numbers, by the matrix `tick`. By which matrix must
    the state be multiplied to get back to what it was two ticks ago? Return it as a list of rows."""
    return np.linalg.matrix_power(tick, -2)


@task
def lens_repeated_in_each_tube(tubes: Cube(Int(-3, 3), (2, 3), 2, 2), copies: Int(2, 4)):
    """Every 2 by 2 table in `tubes` stands for a lens type, and a tube holds `copies` lenses of the same type in
    series. A tube's effect is the matrix product of that many equal factors. Return the list of the resulting tables,
    a table per type."""
    return np.linalg.matrix_power(tubes, copies)
