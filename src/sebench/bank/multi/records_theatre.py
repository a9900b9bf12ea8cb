"""Theatre: seats, tickets, casts and stages."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Choice, Float, Int, Matrix, Vector


@task
def best_row_of_the_arena(quarter: Matrix(Int(10, 40), 3, 5), sold: Vector(Int(0, 59), (2, 30), unique=True)):
    """The plan of a theatre in the round is symmetric: its upper left `quarter` is given as rows of prices, the upper
    right one is the mirror image of it from left to right, and the lower half is the mirror image of the whole upper
    half from top to bottom. `sold` lists the seats that were sold, numbered from 0 in reading order through the whole
    plan. Return a tuple: the number (from 0) of the row that brought in the most money, the lowest in a tie, and that
    money."""
    mirrored = np.fliplr(quarter)
    plan = np.block([[np.array(quarter), mirrored], [np.flipud(quarter), np.flipud(mirrored)]])
    rows, columns = np.unravel_index(sold, np.shape(plan))
    takings = np.bincount(rows, weights=plan[rows, columns])
    return np.argmax(takings), takings[np.argmax(takings)]


@task(rows=(2, 8), seats=(2, 8))
def rows_until_the_costs_are_met(
    prices: Matrix(Choice(5, 10), "rows", "seats"),
    added: Vector(Choice(20, 30, 40), "seats"),
    before: Int(0, "rows-1"),
    costs: Choice(30, 60, 80, 100, 120, 150, 180, 200, 240, 300),
):
    """An opera house has an extra row of chairs, priced as in `added`, in front of row number `before` (from 0) of its
    seating plan `prices` (front row first). Rows are sold out one by one, from the front of the enlarged plan to its
    back. Return after how many rows the money taken is at least `costs`; if that never happens, return the number of
    rows of the enlarged plan plus one."""
    plan = np.insert(prices, before, added, axis=0)
    return 1 + np.searchsorted(np.cumsum(np.sum(plan, axis=1)), costs)


@task(classes=(2, 9))
def ticket_price_summary(price: Vector(Int(5, 80), "classes"), seats: Vector(Int(1, 12), "classes")):
    """A puppet theatre has several price classes: the `price` of each and how many `seats` belong to it. Return a dict
    about the prices of the single seats, with the keys 'middle' (the middle one of these prices in order of height, or
    midway between the two middle ones) and 'spread' (their standard deviation, dividing by the number of seats)."""
    every_seat = np.repeat(price, seats)
    return {"middle": np.median(every_seat), "spread": np.std(every_seat)}


@task
def colours_under_the_dancer(pattern: Matrix(Int(1, 4), (2, 4), (2, 5)), down: Int(1, 6), across: Int(1, 6)):
    """A stage floor shows one colour `pattern` (a list of rows of colour numbers) over and over, `down` times from
    top to bottom and `across` times from left to right. A dancer starts top left and at each step moves one row down
    and one column to the right until the floor ends. Return how often she stands on each of the colours that
    she meets, the start included, from the most frequent to the rarest, as a list of counts."""
    floor = np.tile(pattern, (down, across))
    _, counts = np.unique(np.diagonal(floor), return_counts=True)
    return np.flip(np.sort(counts))


@task
def seats_wanted_most(
    online: Vector(Int(1, 9), (3, 15)), phone: Vector(Int(1, 9), (0, 8)), door: Vector(Int(1, 9), (0, 8))
):
    """Seat numbers were asked for `online`, by `phone` and at the `door` (the last two lists may be empty); the same
    seat may turn up again and again. How often was each seat asked for, and what is the average of these numbers over
    the seats that somebody asked for? Return the seats with more requests than this average, from the most frequent to
    the least, in a tie the lower number first, as a list; it may be empty."""
    seats, counts = np.unique(np.concatenate([online, phone, door]), return_counts=True)
    popular = counts > np.mean(counts)
    return seats[popular][np.argsort(-counts[popular], stable=True)]


@task
def busiest_prompters(rota: Vector(Int(0, 6), (4, 14)), start: Int(0, 11), evenings: Int(2, 11)):
    """Prompters are known by numbers; `rota` lists who sits in the box on successive evenings and begins anew after its
    end. A season of `evenings` evenings begins with entry `start` of the rota, counted from 0; after the last entry the
    count goes on with the first one again, so that `start` may be beyond the end of the list. Return the prompters who
    work most often in this season, in ascending order, as a list; in a tie there are several."""
    shifts = np.bincount(np.take(rota, np.arange(start, start + evenings) % len(rota)))
    return np.flatnonzero(shifts == np.max(shifts))


@task(roles=(3, 20))
def fees_with_understudies(
    actor: Vector(Int(1, 9), "roles"), fee: Vector(Int(50, 99), "roles"), substitute: Vector(Int(10, 49), "roles"),
    ill: Vector(Int(1, 9), (0, 4), unique=True),
):  # fmt: skip
    """Every role of tonight's play has its `actor` (a number), the `fee` of that actor for the role, and the fee of a
    `substitute`, who plays and is paid instead if the actor is among the people in `ill` (perhaps nobody). Return what
    the theatre pays for the evening in total, as a number."""
    return np.sum(np.where(np.isin(actor, ill), substitute, fee))


@task
def weak_rows_of_the_circle(
    begins: Vector(Int(3, 60), (2, 7), unique=True, sorted=True), tickets: Vector(Int(0, 70), (3, 30), unique=True)
):
    """The rows of a curved circle have different lengths; seats are numbered through from 0, row after row. Row 0
    begins with seat 0, and `begins` lists in ascending order the seat number with which row 1, row 2 and so on begin.
    `tickets` lists the seats that were sold. Return the numbers of the rows in which fewer seats were sold than in a
    row on average, ascending, as a list; every row counts, also one without any seat sold."""
    sold = np.bincount(np.searchsorted(begins, tickets, side="right"), minlength=len(begins) + 1)
    return np.flatnonzero(sold < np.mean(sold))


@task(n=(5, 24))
def acts_of_unequal_length(
    scenes: Vector(Int(2, 15), "n"), curtains: Vector(Int(1, "n-1"), 3, unique=True, sorted=True)
):
    """`scenes` gives the minutes that each scene of a play lasts. The curtain falls three times, just before the scenes
    at the positions (from 0) in `curtains`, which makes four acts. Return a tuple: the number (from 0) of the longest
    act, the first one in a tie, and by how many minutes it exceeds the shortest act."""
    acts = [np.sum(act) for act in np.split(np.array(scenes), curtains)]
    return np.argmax(acts), np.ptp(acts)


@task(parties=(1, 14))
def seating_plan_last_row_first(
    seats: Vector(Int(0, 34), "parties", unique=True), bookings: Vector(Int(1, 99), "parties")
):
    """A studio theatre has 5 rows of 7 seats, numbered 0 to 34 row by row. Each booking number in `bookings` belongs to
    the seat given at the same position in `seats`; the other seats are empty and shown as 0. The director wants the
    last row on top. Return the plan with its rows in reverse order, as a list of rows."""
    plan = np.zeros((5, 7))
    np.put(plan, seats, bookings)
    return np.flipud(plan)


@task(
    rows=(3, 6), cols=(4, 8), parties=(1, 11), equivalent={"zeros_like -> angle": "the angle of a positive number is 0"}
)
def money_missing_in_each_row(
    prices: Matrix(Float(10, 40), "rows", "cols"),
    seats: Vector(Int(0, 11), "parties", unique=True),
    paid: Vector(Float(5, 60), "parties"),
):
    """`prices` is the seating plan of a theatre. Guests pay what they like: for the `seats` listed, each of them once
    and numbered from 0 in reading order, the amounts at the same positions in `paid` were given, for the others
    nothing. What exceeds the price of a seat is a tip for the actors. Return how much money the theatre lacks in each
    row, compared with a sold-out house at full prices, from the row that lacks most to the one that lacks least, as a
    list."""
    given = np.zeros_like(prices)
    np.put(given, seats, paid)
    lacking = np.subtract(prices, np.minimum(given, prices))
    return np.flip(np.sort(np.sum(lacking, axis=1)))
