"""Shops and stock: orders, prices, packs, quotes."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Float, Int, Matrix, Missing, Vector


@task(articles=(4, 7))
def crates_to_order(
    stock: Vector(Int(0, 50), "articles"),
    target: Vector(Int(25, 60), "articles"),
    per_crate: Vector(Int(2, 12), "articles"),
):
    """For every article a grocer knows the pieces in `stock`, the `target` that should be on the shelf, and how many
    pieces come in a crate (`per_crate`). What is short of the target is bought in whole crates, rounding up; nothing is
    bought of an article that already reaches its target. Return how many crates that makes altogether."""
    crates = np.ceil(np.divide(np.subtract(target, stock), per_crate))
    return np.sum(np.maximum(crates, 0))


@task(articles=(2, 4))
def basket_receipts(baskets: Matrix(Int(0, 9), (2, 4), "articles"), pence: Vector(Int(15, 480), "articles")):
    """`pence` holds the price of each article. Every row of `baskets` says how many of each article one customer takes.
    Work out what each customer pays and split it into pounds and pence, a hundred pence to the pound. Return the tuple
    (list of pounds, list of left-over pence), customers in the given order."""
    bills = np.sum(np.multiply(baskets, pence), axis=1)
    pounds, rest = np.divmod(bills, 100)
    return pounds, rest


@task
def sticker_price_swing(price: Float(5, 80), changes: Vector(Int(-40, 40, but=(0,)), (2, 6))):
    """A lamp starts at `price`. Then its sticker is changed again and again, each time by the percentage of its current
    price that `changes` lists (below zero: a cut). Return the gap between the dearest and the cheapest price it
    ever had, the starting one included, as a number."""
    factors = np.add(1, np.divide(changes, 100))
    return price * np.ptp(np.cumulative_prod(factors, include_initial=True))


@task(
    days=(3, 7),
    equivalent={"signbit -> angle": "the angle of a real number is other than zero just where it is below zero"},
)
def days_in_the_red(opening: Int(0, 6), delivered: Vector(Int(0, 10), "days"), sold: Vector(Int(0, 14), "days")):
    """A kiosk has `opening` papers on the books. Each day `delivered` is put in and `sold` taken out of the books, which
    may fall below zero when somebody miscounts. Return the days, counted from 0, after which the books stand below zero,
    as a list in order."""
    books = np.cumsum(np.subtract(delivered, sold)) + opening
    return np.flatnonzero(np.signbit(books))


@task(cafes=(2, 4), sorts=(2, 5))
def favourite_bun(orders: Matrix(Missing(Int(0, 20)), "cafes", "sorts")):
    """Cafés (rows) send a bakery their `orders` for several sorts of bun (columns). A nan means that nothing was
    written down, and then the usual 6 are baked. Return a tuple: the column, from 0, of the sort baked most for all
    cafés together (the first such column if tied), and how many of it are baked."""
    baked = np.sum(np.nan_to_num(orders, nan=6), axis=0)
    return np.argmax(baked), np.max(baked)


@task(
    florists=(2, 5),
    equivalent={
        "divide -> floor_divide": "both kinds of flower share out evenly, so nothing is left to round down",
        "divide -> divmod": "the remainders are all 0, so the largest number is still the largest quotient",
    },
)
def identical_bouquets(tulips: Vector(Int(1, 60), "florists"), roses: Vector(Int(1, 60), "florists")):
    """Each florist uses up all her `tulips` and `roses` in as many bouquets as she can, every one of her bouquets being
    the same. Return a tuple: the number of bouquets of all florists together, and the number of flowers in the largest
    single bouquet anywhere."""
    bouquets = np.gcd(tulips, roses)
    flowers = np.divide(np.add(tulips, roses), bouquets)
    return np.sum(bouquets), np.max(flowers)


@task(goods=(2, 7))
def follow_the_rival(ours: Vector(Int(10, 60), "goods"), theirs: Vector(Int(10, 60), "goods")):
    """Our prices `ours` follow the rival's prices `theirs`, all in cents. A price moves towards the rival by a third of
    the size of the gap, that third rounded up to a whole cent; so a gap of 4 cents means a move of 2, up or down.
    Return the moves as a list, below zero where our price falls."""
    gap = np.subtract(theirs, ours)
    return np.copysign(np.ceil(np.divide(np.absolute(gap), 3)), gap)


@task(products=(2, 4), weeks=(2, 5))
def shelf_pressure(demand: Matrix(Int(0, 6), "products", "weeks"), shelf: Vector(Int(0, 6), "weeks")):
    """`demand` has a row per product and a column per week; `shelf` has one number per week, the room that every
    product gets then. For each product, a week counts 1 if the demand is above the room, 0 if below, and a half if they
    match. Return every product's average of these counts, as a list."""
    return np.mean(np.heaviside(np.subtract(demand, shelf), 0.5), axis=1)


@task(items=(4, 7))
def cheapest_quotes_bill(
    north: Vector(Missing(Missing(Int(2, 40))), "items"),
    south: Vector(Missing(Missing(Int(2, 40))), "items"),
    wanted: Vector(Int(1, 9), "items"),
):
    """Two wholesalers, `north` and `south`, quote a price for each item; nan stands for no offer. We buy the `wanted`
    number of each item where it is cheaper, or from the only one who offers it; what nobody offers is skipped. Return
    the total bill."""
    best = np.fmin(north, south)
    return np.nansum(np.multiply(best, wanted))


@task(pairs=(2, 6))
def cups_and_lids(
    cups: Vector(Int(2, 12), "pairs"), lids: Vector(Int(2, 12), "pairs"), needed: Vector(Int(1, 200), "pairs")
):
    """For each size of paper cup, `cups` says how many come in a sleeve and `lids` how many lids come in a bag. We buy
    equally many cups and lids, and only amounts that make full sleeves and full bags at once. Return for each size the
    smallest such amount that is not under `needed`, as a list."""
    batch = np.lcm(cups, lids)
    return np.multiply(np.ceil(np.divide(needed, batch)), batch)
