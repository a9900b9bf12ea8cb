"""Theatre: seats, tickets, casts and stages."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Int, Matrix, Vector


@task
def arena_from_one_quarter(quarter: Matrix(Int(10, 90), (2, 3), (2, 4))):
    """The seating plan of a theatre in the round is symmetric: the upper left `quarter` is given as rows of prices,
    the upper right one is its mirror image from left to right, and the lower half is the mirror image of the whole
    upper half from top to bottom. Return the complete plan as a list of rows."""
    mirrored = np.fliplr(quarter)
    return np.block([[np.array(quarter), mirrored], [np.flipud(quarter), np.flipud(mirrored)]])


@task(rows=(2, 4), seats=(2, 4))
def takings_with_an_extra_row(
    prices: Matrix(Int(10, 40), "rows", "seats"), added: Vector(Int(10, 40), "seats"), before: Int(0, "rows-1")
):
    """An opera house puts a row of extra chairs, priced as in `added`, in front of row number `before` (from 0) of its
    seating plan `prices` (front row first). Rows are then sold out one by one, from the front of the enlarged plan to
    its back. Return the money taken in total after each row, as a list."""
    plan = np.insert(prices, before, added, axis=0)
    return np.cumsum(np.sum(plan, axis=1))


@task(classes=(2, 5))
def ticket_price_summary(price: Vector(Int(5, 80), "classes"), seats: Vector(Int(1, 6), "classes")):
    """A puppet theatre has several price classes: the `price` of each and how many `seats` belong to it. Write out the
    price of every single seat and return a dict with the keys 'middle' (the middle one of these prices in order of
    size, or midway between the two middle ones) and 'spread' (their standard deviation, dividing by the number of
    seats)."""
    every_seat = np.repeat(price, seats)
    return {"middle": np.median(every_seat), "spread": np.std(every_seat)}


@task
def colours_on_the_diagonal_walk(pattern: Matrix(Int(1, 9), (2, 3), (2, 3)), down: Int(1, 3), across: Int(1, 3)):
    """A stage floor is laid by repeating one colour `pattern` (a list of rows of colour numbers), `down` times from
    top to bottom and `across` times from left to right. A dancer starts top left and at each step moves one row down
    and one column to the right until the floor ends. Return the different colours she steps on, ascending, as a
    list."""
    floor = np.tile(pattern, (down, across))
    return np.unique(np.diagonal(floor))


@task
def seats_wanted_too_often(
    online: Vector(Int(1, 5), (3, 5)),
    phone: Vector(Int(1, 5), (2, 4)),
    door: Vector(Int(1, 5), (1, 4)),
    limit: Int(1, 3),
):
    """Seat numbers were asked for `online`, by `phone` and at the `door`; the same seat may turn up again and again.
    Put the three lists together, count how often each seat occurs, and return the seats that occur more than `limit`
    times, in ascending order, as a list."""
    seats, counts = np.unique(np.concatenate([online, phone, door]), return_counts=True)
    return np.extract(np.greater(counts, limit), seats)


@task
def prompter_shifts(rota: Vector(Int(0, 4), (3, 5)), start: Int(0, 6), evenings: Int(3, 9)):
    """Prompters are known by numbers; `rota` lists who sits in the box on successive evenings and begins anew after
    its end. A season covers `evenings` evenings, the first of which uses rota position `start` (counted from 0 and
    going round as well). Return how often each prompter works in this season, as a list from number 0 up to the
    highest number that sits in the box at least once."""
    on_duty = np.take(rota, np.arange(start, start + evenings), mode="wrap")
    return np.bincount(on_duty)


@task(roles=(3, 6))
def fees_with_understudies(
    actor: Vector(Int(1, 6), "roles"), fee: Vector(Int(50, 99), "roles"), substitute: Vector(Int(10, 49), "roles"),
    ill: Vector(Int(1, 6), (2, 3), unique=True),
):  # fmt: skip
    """Every role of tonight's play has its `actor` (a number), the `fee` of that actor for the role, and the fee of a
    `substitute`. Where the actor is among the people in `ill`, the substitute plays and is paid instead. Return the
    sum of all fees as a number."""
    return np.sum(np.where(np.isin(actor, ill), substitute, fee))


@task
def fullest_row_of_the_circle(tickets: Vector(Int(0, 19), (3, 8), unique=True)):
    """The dress circle has 4 rows of 5 seats; seats are numbered 0 to 19, row after row. `tickets` lists the seat
    numbers that were sold. Return the number of the row (from 0) in which most of them lie; in a tie the row with the
    lowest number."""
    rows, _ = np.unravel_index(tickets, (4, 5))
    return np.argmax(np.bincount(rows))


@task(n=(4, 8))
def acts_of_unequal_length(
    scenes: Vector(Int(2, 15), "n"), curtains: Vector(Int(1, "n-1"), 2, unique=True, sorted=True)
):
    """`scenes` gives the minutes that each scene of a play lasts. The curtain falls twice, just before the scenes at
    the two positions (from 0) in `curtains`, which makes three acts. Add up the minutes of each act and return by how
    many minutes the longest act exceeds the shortest, as a number."""
    acts = np.split(np.array(scenes), curtains)
    return np.ptp([np.sum(act) for act in acts])


@task(parties=(1, 6))
def seating_plan_last_row_first(
    seats: Vector(Int(0, 11), "parties", unique=True), bookings: Vector(Int(1, 99), "parties")
):
    """A studio theatre has 3 rows of 4 seats, numbered 0 to 11 row by row. Start with an empty plan, 0 on every seat,
    and write each booking number in `bookings` at the seat given at the same position in `seats`. The director wants
    the last row on top: return the plan with its rows in reverse order, as a list of rows."""
    plan = np.zeros((3, 4))
    np.put(plan, seats, bookings)
    return np.flipud(plan)
