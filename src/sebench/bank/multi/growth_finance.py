"""Interest, loans, prices and shared bills."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Choice, Float, Int, Matrix, Vector


@task(banks=(2, 8))
def best_bank_for_my_deposits(
    deposits: Vector(Int(5, 90), (2, 12)),
    rates: Vector(Float(0.01, 0.12, 2), "banks"),
    fees: Vector(Int(0, 40), "banks"),
):
    """At the start of every year I pay in the next amount of `deposits`. Bank i adds a yearly interest of `rates`[i]
    (0.03 is three percent of what is there) at each year's end, and keeps `fees`[i] when I close the account at the end
    of the last year. Return a tuple: what the banks would pay me on average, and the position (from 0) of the bank that
    would pay the most, the first of them in a tie."""
    payout = np.subtract(np.polyval(np.append(deposits, 0), np.add(rates, 1)), fees)
    return np.mean(payout), np.argmax(payout)


@task(
    accounts=(2, 12),
    equivalent={
        "subtract -> maximum": "the larger of interest and free amount is the taxable interest plus the same amount "
        "everywhere",
        "subtract -> fmax": "the larger of interest and free amount is the taxable interest plus the same amount "
        "everywhere",
    },
)
def spread_of_taxable_interest(
    capital: Vector(Int(5, 90), "accounts"), growth: Vector(Float(0, 1.5, 2), "accounts"), free: Int(0, 60)
):
    """Each account starts with some `capital` and grows continuously: the interest earned is the capital times (e to
    the power of its `growth`, minus one). The first `free` euros of an account's interest are not taxed. By how much
    does the highest taxable interest among the accounts exceed the lowest (which may be 0)? Return a number."""
    interest = np.multiply(capital, np.expm1(growth))
    return np.ptp(np.maximum(np.subtract(interest, free), 0))


@task(
    equivalent={
        f"quantile: method='{method}' added": "a limit between the same two neighbours lets the same days through"
        for method in ("lower", "midpoint", "inverted_cdf", "averaged_inverted_cdf")
    }
)
def share_price_bad_days(prices: Vector(Int(40, 60), (6, 30))):
    """The change of a day is a share's closing price less that of the day before, and its gain is the natural logarithm
    of the closing price divided by that of the day before. A day is bad if its change is not above the lower quartile
    of all changes (a quarter of the way through them in order, with linear interpolation between neighbours). Return
    the average gain of the bad days for these closing `prices`, as a number."""
    changes = np.diff(prices)
    bad = np.less_equal(changes, np.quantile(changes, 0.25))
    return np.mean(np.compress(bad, np.diff(np.log(prices))))


@task(
    equivalent={
        "log -> log2": "the base of the logarithms cancels in their ratio",
        "log -> log10": "the base of the logarithms cancels in their ratio",
    }
)
def waiting_times_for_bonds(percents: Vector(Int(2, 30), (2, 16)), fold: Int(2, 5)):
    """Bonds with different yearly interest rates (`percents`, so 5 stands for 5 %) compound once a year. After how many
    whole years is the money in a bond worth at least `fold` times what it was? Return the different answers that come
    up among these bonds, each once, in ascending order, as a list."""
    years = np.divide(np.log(fold), np.log(1 + np.divide(percents, 100)))
    return np.unique(np.ceil(years))


@task
def months_until_enough_is_earned(
    wages: Vector(Choice(32, 64, 96, 128, 192, 256), (2, 20)),
    factor: Choice(2, 4),
    need: Choice(64, 128, 160, 192, 256, 288, 320),
):
    """Month after month, beginning with month 0, prices become `factor` times as high, so a wage paid in month k buys
    only `factor` to the power of minus k as much as it would in month 0. I may choose the months in which I work, and
    want my `wages` to be worth at least `need` in money of month 0. Return the least number of months that I must work;
    if working in every month is not enough, return the number of months plus one."""
    worth = np.multiply(wages, np.float_power(factor, np.negative(np.arange(len(wages)))))
    return 1 + np.searchsorted(np.cumsum(np.flip(np.sort(worth))), need)


@task(
    equivalent={"max -> ptp": "both methods agree at the start and the end and A never trails, so the least lead is 0"}
)
def depreciation_methods_gap(price: Float(70, 95), scrap: Float(0.5, 1.5), years: Int(2, 20)):
    """A van bought for `price` thousand euros is worth `scrap` thousand after `years` years. Method A lets its value
    fall by the same amount each year, method B by the same factor. Only the ends of the years count, the purchase being
    the end of year 0. Return the greatest lead of A over B, in thousand euros, as a number."""
    straight = np.linspace(price, scrap, num=years + 1)
    shrinking = np.geomspace(price, scrap, num=years + 1)
    return np.max(np.subtract(straight, shrinking))


@task(transfers=(0, 24))
def fees_by_transfer_class(
    amounts: Vector(Choice(20, 50, 80, 100, 150, 200, 300, 400, 500, 800), "transfers"),
    limits: Vector(Choice(50, 100, 200, 300, 500), 2, unique=True, sorted=True),
    percents: Vector(Int(1, 9), 3),
    cap: Choice(5, 10, 15, 20),
):
    """Transfers are small below the first of the two `limits`, large from the second one on, and medium between (the
    first limit itself is medium). The three `percents` say which percentage of the amount a small, medium or large
    transfer costs, but no transfer costs more than `cap` euros. Return what all transfers of these `amounts` cost, as a
    list of three numbers: the small, the medium and the large ones together (0 for a class without transfers)."""
    classes = np.digitize(amounts, limits)
    fees = np.minimum(np.multiply(amounts, np.take(percents, classes)) / 100, cap)
    return np.bincount(classes, weights=fees, minlength=3)


@task
def months_paid_from_savings(
    old_rent: Choice(30, 40, 50),
    months: Int(1, 4),
    new_rent: Choice(20, 50, 60, 70),
    later: Int(1, 20),
    savings: Choice(*range(80, 610, 10)),
):
    """For `months` months a garage costs `old_rent` a month, and then for `later` further months it costs `new_rent`. I
    have `savings` euros and no income. Return for how many of these months, from the first on, I can pay the whole
    rent."""
    paid = np.cumsum(np.repeat([old_rent, new_rent], [months, later]))
    return np.searchsorted(paid, savings, side="right")


@task
def share_of_the_main_risk(deviations: Vector(Float(0.5, 9), (2, 8)), link: Float(0.05, 0.9, 2)):
    """The standard `deviations` of several investments are given; different ones are correlated by `link`, each with
    itself by
    1. In their covariance table, row i, column j holds the deviation of i times the deviation of j times the
       correlation
    of the two. Return the largest eigenvalue of this table as a fraction of the total of its eigenvalues."""
    correlation = np.where(np.identity(len(deviations)), 1, link)
    values = np.linalg.eigvalsh(correlation * np.outer(deviations, deviations))
    return np.divide(values[-1], np.sum(values))


@task(friends=(2, 8))
def friends_by_money_moved(owes: Matrix(Int(0, 12), "friends", "friends")):
    """Row i, column j of `owes` is what friend i owes friend j, but the table is only valid strictly below its main
    diagonal; the other entries are leftovers of an old list and mean nothing. When the debts are paid, each friend pays
    and receives money. Return a list of [friend, money] rows with the number of the friend (from 0) and the money that
    he pays and receives together, from the most money to the least; in a tie the lower number first."""
    valid = np.tril(owes, k=-1)
    moved = np.sum(valid, axis=0) + np.sum(valid, axis=1)
    order = np.argsort(-moved, stable=True)
    return np.column_stack([order, moved[order]])


@task(firms=(2, 5), years=(2, 7))
def peak_orders_between_firms(
    uses: Matrix(Float(0.01, 0.18, 2), "firms", "firms"), demand: Matrix(Int(5, 90), "years", "firms")
):
    """Making one unit at firm j takes `uses`[i][j] units from firm i, which may be j itself. In each year the output of
    every firm is just what all the firms take from it plus what its customers want: `demand` has one row per year and
    one column per firm. Return, for every firm, by how much its output in its strongest year exceeds its average
    output, as a list."""
    output = np.linalg.solve(np.identity(len(uses)) - uses, np.transpose(demand))
    return np.max(output, axis=1) - np.mean(output, axis=1)


@task
def fund_between_year_ends(capital: Int(10, 90), rates: Vector(Float(-0.4, 0.6, 2), (1, 15))):
    """A fund starts with `capital`. In each year its value changes by that year's rate in `rates` (0.1 is ten percent
    up, -0.1 ten percent down). Its value is drawn over time, from the start to the end of the last year, with straight
    lines between year ends. Return a tuple: the highest point of the drawing and its average height."""
    values = capital * np.cumulative_prod(np.add(rates, 1), include_initial=True)
    return np.max(values), np.divide(np.trapezoid(values), len(rates))


@task(claims=(1, 10))
def open_claims_of_an_insurer(paid: Matrix(Int(0, 40), "claims", "claims"), promised: Vector(Int(40, 240), "claims")):
    """Row i, column j of `paid` is the money that an insurer paid out j years after the accidents of year i. Of n
    years, only entries with i + j below n have happened yet; the rest are guesses that nobody should use. `promised` is
    what was set aside for the accidents of each year. Return for each year what is left of it after the payments so
    far, in the order of the years; where more was paid than promised, return 0."""
    happened = np.flipud(np.tril(np.flipud(paid)))
    return np.maximum(np.subtract(promised, np.sum(happened, axis=1)), 0)


@task(
    equivalent={
        "count_nonzero -> sum": "adding up truth values counts the true ones",
        "count_nonzero -> nansum": "adding up truth values counts the true ones",
    }
)
def instalments_of_the_workshop(
    orders: Vector(Int(0, 6), (1, 20)), months: Int(2, 8), part: Int(1, 5), limit: Int(2, 40)
):
    """`orders` lists how many machines a workshop bought in each month. Every machine is paid in `months` monthly
    instalments of `part` thousand euros each, the first one in the month of the purchase. Return a tuple: the highest
    amount (in thousand euros) that is due in a month, and in how many months more than `limit` thousand euros are due,
    up to the last instalment of a machine bought in the last month."""
    due = np.convolve(orders, np.full(months, part))
    return np.max(due), np.count_nonzero(due > limit)


@task
def continuous_rates_of_a_fund(rates: Vector(Float(-0.4, 0.8, 2), (2, 20))):
    """A fund's yearly changes are in `rates` (0.1 is ten percent up, -0.1 ten percent down). The continuous rate of a
    year is the natural logarithm of (1 + its change). Return a tuple: the average of the continuous rates, and their
    standard deviation, dividing by the number of years less one."""
    continuous = np.log1p(rates)
    return np.mean(continuous), np.std(continuous, ddof=1)
