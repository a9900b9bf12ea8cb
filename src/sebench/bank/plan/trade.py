"""Trade and libraries: shelves, baskets, stock, prices, orders."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Choice, Int, Matrix, Vector
from sebench.bank.plan import TRUTHS


@task
def shelves_that_carry_the_loans(loans: Vector(Choice(10, 20, 30, 40, 50), (2, 60)), percent: Choice(25, 50, 75)):
    """A library counted the `loans` from each of its shelves in a year, to the nearest ten. It wants to know how few
    shelves are enough for at least `percent` percent of the year's loans, if the most popular shelves are kept. Return
    a tuple of three: smallest number of shelves; loans from the least popular of these; middle one of the loans of a
    shelf in the whole library in order, or midway between the two middle ones."""
    popular = np.sort(loans)[::-1]
    so_far = np.cumsum(popular)
    last = np.searchsorted(so_far * 100, so_far[-1] * percent)
    return last + 1, popular[last], np.median(loans)


@task(equivalent={"sum -> count_nonzero": "a basket's ones are counted by both"})
def goods_bought_together(baskets: Matrix(Int(0, 1), (6, 40), (4, 7))):
    """Each row of `baskets` is a purchase, each column a product; 1 says that the product was in the basket. For two
    different products count the baskets that hold both. Return a tuple of three: list of the pairs with the highest
    count, each as [lower column, higher column], ordered by lower and then by higher column; that count, a single
    number; middle one of the numbers of products in a basket in order, or midway between the two middle ones."""
    goods = np.array(baskets)
    low, high = np.triu_indices(goods.shape[1], k=1)
    together = (goods.T @ goods)[low, high]
    best = np.max(together)
    pairs = np.array([low, high])[:, together == best]
    return pairs.T, best, np.median(np.sum(goods, axis=1))


@task(
    shops=(3, 8),
    goods=(4, 14),
    equivalent={
        "np.min(table, axis=0) @ np.array(amounts): operands "
        "swapped": "a product of two lists of numbers is the same both ways"
    },
)
def one_shop_or_many(prices: Matrix(Int(1, 30), "shops", "goods"), amounts: Vector(Int(0, 9), "goods")):
    """Row by row `prices` tells what each shop asks for one piece of each product (columns); `amounts` says how many
    pieces of it are wanted. Somebody either buys everything in one shop, or every product in the shop in which it is
    cheapest, the first such shop in a tie. Return a tuple of four: number from 0 of the shop in which everything
    together is cheapest, the first in a tie; what is saved against that shop by buying every product where it is
    cheapest; ascending list of the shops that would be chosen for at least one product, be it wanted or not; difference
    between the highest and the lowest total of a shop for everything."""
    table = np.array(prices)
    total = table @ np.array(amounts)
    shop = np.argmin(total)
    saved = total[shop] - np.min(table, axis=0) @ np.array(amounts)
    return shop, saved, np.unique(np.argmin(table, axis=0)), np.ptp(total)


@task(
    days=(5, 60),
    equivalent=dict.fromkeys(
        ("flatnonzero -> where", "flatnonzero -> nonzero", "flatnonzero -> argwhere", "flatnonzero -> ix_"),
        "the positions come in another depth, which the appending makes flat",
    ),
)
def stock_that_runs_out(start: Int(0, 60), delivered: Vector(Int(0, 9), "days"), sold: Vector(Int(0, 10), "days")):
    """A shop has `start` pieces. On each day it gets what is in `delivered` and is asked for what is in `sold`; the
    balance at the end of a day is what it had, plus deliveries, less demand since the start. It goes below 0 if the
    shop owes pieces. Return a tuple of three: position from 0 of the first day that ends below 0, or -1 if there is
    none; number of pieces that it should have had in addition so that no day ends below 0; average balance of the
    days."""
    balance = start + np.cumsum(np.subtract(delivered, sold))
    short = np.append(np.flatnonzero(balance < 0), -1)
    return short[0], -np.min(balance, initial=0), np.mean(balance)


@task(equivalent=TRUTHS)
def match_payments_to_invoices(
    invoices: Vector(Int(1, 40), (4, 20), unique=True), payments: Vector(Int(1, 44), (5, 60))
):
    """A bookkeeper has the numbers of open `invoices`, each once, and the invoice numbers that customers wrote on their
    `payments`. Return a tuple of three: list of the invoices for which nothing was paid, ascending; list of the numbers
    that come more than once among the payments, whether there is such an invoice or not, ascending; how many payments
    name a number that is no open invoice."""
    numbers, counts = np.unique_counts(payments)
    unknown = np.isin(payments, invoices, invert=True)
    return np.setdiff1d(invoices, payments), numbers[counts > 1], np.count_nonzero(unknown)


@task(goods=(3, 40))
def index_of_prices(
    old: Vector(Int(10, 60), "goods"), new: Vector(Int(10, 60), "goods"), share: Vector(Int(1, 9), "goods")
):
    """For each product an office has its `old` and its `new` price and its `share` in household spending (shares need
    not add up to 1 or 100). The price ratio of a product is new over old. The index is 100 times the weighted geometric
    mean of the ratios: the e-based exponential of the share-weighted arithmetic mean of their natural logarithms.
    Return a tuple of three: index; position from 0 of the product with the highest ratio, the first in a tie; middle
    ratio when they are put in order, or midway between the two middle ones."""
    ratio = np.divide(new, old)
    return 100 * np.exp(np.average(np.log(ratio), weights=share)), np.argmax(ratio), np.median(ratio)


@task
def classes_of_stock(revenue: Vector(Choice(10, 20, 30, 50, 60, 100), (1, 60))):
    """A store puts its articles in order of `revenue`, the highest first, and adds the revenue up in this order. An
    article is in class A as long as the total up to and including it is at most three quarters of the whole revenue, in
    class B if that total is above three quarters and at most seven eighths, otherwise in class C. Return a tuple of
    two: list of the numbers of articles in A, B and C; share of the article with the highest revenue in the whole, as a
    fraction."""
    ordered = np.sort(revenue)[::-1]
    so_far = np.cumsum(ordered)
    group = np.digitize(so_far * 8, [6 * so_far[-1], 7 * so_far[-1]], right=True)
    return np.bincount(group), ordered[0] / so_far[-1]


@task(lots=(4, 30), bidders=(3, 7))
def second_price_auction(bids: Matrix(Int(1, 30), "lots", "bidders")):
    """Row by row `bids` holds the sealed bids for each lot of an auction, one column to a bidder. The highest bid wins
    the lot, the bidder with the lowest column number in a tie, but pays only the second-highest bid (the same amount,
    if two bidders made the highest bid). Return a tuple of three: list with the number of lots that each bidder wins;
    total that the winners pay; total by which the winning bids were above what is paid."""
    table = np.array(bids)
    ordered = np.sort(table)
    won = np.bincount(np.argmax(table, axis=1), minlength=table.shape[1])
    return won, np.sum(ordered[:, -2]), np.sum(ordered[:, -1] - ordered[:, -2])


@task(equivalent=TRUTHS)
def customers_of_a_quarter(
    january: Vector(Int(1, 30), (5, 40)), february: Vector(Int(1, 30), (5, 40)), march: Vector(Int(1, 30), (5, 40))
):
    """The till notes the customer number of every visit: `january`, `february` and `march` are the visits of three
    months. Return a tuple of four: list of the customers who came in all three months, ascending; number of customers
    who came in exactly one of the three months; list of the customers who came in March but in neither month before,
    ascending; customer with the most visits of the quarter, the lowest number in a tie."""
    visits, counts = np.unique(np.concatenate([january, february, march]), return_counts=True)
    each = np.concatenate([np.unique(january), np.unique(february), np.unique(march)])
    people, months = np.unique(each, return_counts=True)
    new = np.setdiff1d(march, np.concatenate([january, february]))
    return people[months == 3], np.count_nonzero(months == 1), new, visits[np.argmax(counts)]


@task(orders=(5, 50), equivalent=TRUTHS)
def orders_that_come_late(
    urgent: Vector(Int(0, 2), "orders"), due: Vector(Int(1, 12), "orders"), hours: Vector(Int(1, 9), "orders")
):
    """A workshop handles orders one after the other: those with the highest number in `urgent` first, among these the
    ones with the earliest day in `due`, among these the one that comes first in the lists. Order by order `hours` tells
    the hours of work. A working day has 8 hours; work goes on over the end of a day, and day 1 is the first. An order
    is finished on the day that holds its last hour, and late by the number of days from its due day to that day, if it
    is after the due day. Return a tuple of three: list of the first three orders, as positions from 0; number of late
    orders; greatest number of days that an order is late, or 0."""
    order = np.lexsort((due, -np.array(urgent)))
    finished = (np.cumsum(np.array(hours)[order]) + 7) // 8
    late = finished - np.array(due)[order]
    return order[:3], np.count_nonzero(late > 0), np.max(late, initial=0)
