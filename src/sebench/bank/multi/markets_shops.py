"""Shops and stock: orders, prices, packs, quotes."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Float, Int, Matrix, Missing, Vector

TRUTHS = {
    "count_nonzero -> sum": "the sum of True and False is the number of True",
    "count_nonzero -> nansum": "the sum of True and False is the number of True",
}


@task(articles=(4, 20))
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


@task(articles=(2, 6))
def vouchers_for_large_bills(baskets: Matrix(Int(0, 9), (3, 12), "articles"), pence: Vector(Int(15, 480), "articles")):
    """`pence` holds the price of each article, and every row of `baskets` says how many of each article one customer
    buys. Customers whose bill is above the middle one (bills put in order; half-way between the two in the middle if
    their number is even) get a voucher. Return a dict: "vouchers", the ascending list of their numbers, counted from 0,
    and "pounds" and "pence", what all customers pay together, a hundred pence to the pound."""
    bills = np.dot(baskets, pence)
    pounds, rest = np.divmod(np.sum(bills), 100)
    return {"vouchers": np.flatnonzero(bills > np.median(bills)), "pounds": pounds, "pence": rest}


@task
def sticker_price_swing(price: Float(5, 80), changes: Vector(Int(-40, 40, but=(0,)), (2, 15))):
    """A lamp starts at `price`. Then its sticker is changed again and again, each time by the percentage of its current
    price that `changes` lists (below zero: a cut). Return a tuple: the gap between the dearest and the cheapest price
    it ever had, the starting one included, and the cheapest price."""
    prices = price * np.cumulative_prod(np.add(1, np.divide(changes, 100)), include_initial=True)
    return np.ptp(prices), np.min(prices)


@task(
    days=(3, 20),
    equivalent={"signbit -> angle": "the angle of a real number is other than zero just where it is below zero"},
)
def days_in_the_red(opening: Int(0, 6), delivered: Vector(Int(0, 10), "days"), sold: Vector(Int(0, 12), "days")):
    """A kiosk has `opening` papers on the books. Each day `delivered` is put in and `sold` taken out of the books,
    which may fall below zero when somebody miscounts. Return the days, counted from 0, after which the books stand
    below zero, as a list in order."""
    books = np.cumsum(np.subtract(delivered, sold)) + opening
    return np.flatnonzero(np.signbit(books))


@task(cafes=(2, 8), sorts=(2, 9))
def favourite_bun(orders: Matrix(Missing(Int(0, 20)), "cafes", "sorts")):
    """Cafés (rows) send a bakery their `orders` for several sorts of bun (columns). A nan means that nothing was
    written down, and then the usual 6 are baked. Return a tuple: the column, from 0, of the sort baked most for all
    cafés together (the first such column if tied), and how many buns are baked of every sort, as a list."""
    baked = np.sum(np.nan_to_num(orders, nan=6), axis=0)
    return np.argmax(baked), baked


@task(
    florists=(3, 12),
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


@task(goods=(3, 20))
def follow_the_rival(ours: Vector(Int(10, 60), "goods"), theirs: Vector(Int(10, 60), "goods")):
    """Our prices `ours` follow the rival's prices `theirs`, all in cents. A price moves towards the rival by a third of
    the size of the gap, that third rounded up to a whole cent; so a gap of 4 cents means a move of 2, up or down.
    Return a tuple: our new prices as a list, and how far the dearest of them lies above the cheapest."""
    gap = np.subtract(theirs, ours)
    prices = np.copysign(np.ceil(np.absolute(gap) / 3), gap) + ours
    return prices, np.ptp(prices)


@task(products=(2, 8), weeks=(2, 12))
def products_under_pressure(demand: Matrix(Int(0, 6), "products", "weeks"), shelf: Vector(Int(0, 6), "weeks")):
    """`demand` has a row per product and a column per week; `shelf` has one number per week, the room that every
    product gets then. For each product, a week counts 1 if the demand is above the room, 0 if below, and a half if they
    match; the pressure of the product is the average of these counts. Return a tuple of two lists: the products,
    counted from 0, from the highest pressure to the lowest (in order where it is the same); their pressures in this
    order."""
    pressure = np.mean(np.heaviside(np.subtract(demand, shelf), 0.5), axis=1)
    order = np.argsort(-pressure, stable=True)
    return order, pressure[order]


@task(
    items=(4, 20),
    equivalent=TRUTHS | {"isnan -> angle": "the angle of nan is nan, which is not 0, and that of a price above 0 is 0"},
)
def cheapest_quotes_bill(
    north: Vector(Missing(Missing(Int(2, 40))), "items"),
    south: Vector(Missing(Missing(Int(2, 40))), "items"),
    wanted: Vector(Int(1, 9), "items"),
):
    """Two wholesalers, `north` and `south`, quote a price for each item; nan stands for no offer. We buy the `wanted`
    number of each item where it is cheaper, or from the only one who offers it; what nobody offers is skipped. Return a
    tuple of two: the total bill; the number of entries of the lists for which nobody has an offer."""
    best = np.fmin(north, south)
    return np.nansum(np.multiply(best, wanted)), np.count_nonzero(np.isnan(best))


@task(pairs=(3, 15))
def cups_and_lids(
    cups: Vector(Int(2, 12), "pairs"), lids: Vector(Int(2, 12), "pairs"), needed: Vector(Int(1, 200), "pairs")
):
    """For each size of paper cup, `cups` says how many come in a sleeve and `lids` how many lids come in a bag. We buy
    equally many cups and lids, and only amounts that make full sleeves and full bags at once: for each size the
    smallest such amount that is not under `needed`. Return a tuple: these amounts as a list, and the position, counted
    from 0, of the size with the most cups beyond what is needed (the first one if several tie)."""
    batch = np.lcm(cups, lids)
    bought = np.ceil(np.divide(needed, batch)) * batch
    return bought, np.argmax(bought - needed)


@task(equivalent={"sort -> unique": "no two articles have their first sale at the same position"})
def best_sellers_by_first_sale(receipts: Vector(Int(1, 12), (4, 30))):
    """`receipts` lists the article numbers that went over the counter today, in the order of the sales. Return the
    articles that were sold most often (one, or several that tie), in the order in which each of them was first sold, as
    a list."""
    sold = np.unique_all(receipts)
    first_sales = sold.indices[sold.counts == np.max(sold.counts)]
    return np.take(receipts, np.sort(first_sales))


@task(tiers=(3, 9), equivalent=TRUTHS)
def middle_price_paid(prices: Vector(Int(5, 60), "tiers"), sold: Vector(Int(1, 9), "tiers")):
    """A flea market keeps a list of `prices` in euros and how many things were `sold` at each of them. Return a tuple
    of three: the price in the middle when all things sold are put in order of price (half-way between the two in the
    middle if their number is even); the average price of a thing; how many of the things cost more than this
    average."""
    paid = np.repeat(prices, sold)
    average = np.mean(paid)
    return np.median(paid), average, np.count_nonzero(paid > average)


@task(stalls=(3, 15))
def chance_of_each_stall(early: Vector(Float(-4, 3, 1), "stalls"), late: Vector(Float(-4, 3, 1), "stalls")):
    """A model of a street market gives every stall two scores, `early` and `late`. The weight of a score s is e to the
    power s (e is Euler's number), the weight of a stall is that of both its scores together, and its chance to be
    visited next is its weight as a fraction of the weights of all stalls. Return a tuple: the natural logarithm of the
    weight of each stall, as a list, and the highest chance of a stall."""
    weights = np.logaddexp(early, late)
    chances = np.exp(weights)
    return weights, np.max(chances) / np.sum(chances)
