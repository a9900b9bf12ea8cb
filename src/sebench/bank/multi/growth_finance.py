"""Interest, loans, prices and shared bills."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Choice, Float, Int, Matrix, Vector


@task
def savings_plan_balances(deposit: Float(10, 90), rate: Float(0.01, 0.12, 2), years: Int(2, 7)):
    """At the start of every year I pay `deposit` into an account with a yearly interest `rate` (0.03 is three percent),
    compounded once at each year's end. So a payment is multiplied by (1 + rate) to the power k within k years. Return a
    list with the balance after 1, 2, ..., `years` years, each before the next payment, without rounding."""
    factors = np.power(1 + rate, np.arange(1, years + 1))
    return deposit * np.cumsum(factors)


@task(accounts=(2, 6))
def spread_of_continuous_interest(
    capital: Vector(Int(5, 90), "accounts"), growth: Vector(Float(0, 1.5, 2), "accounts")
):
    """Each account starts with some `capital` and grows continuously: the interest earned is the capital times (e to
    the power of its `growth`, minus one). Return by how much the account with the most interest is ahead of the one
    with the least, as a number."""
    return np.ptp(np.multiply(capital, np.expm1(growth)))


@task
def share_price_bad_days(prices: Vector(Float(45, 60), (4, 8))):
    """For the closing `prices` of a share, take the ratio of each to the one of the day before, and of these ratios the
    natural logarithms. Return the lower quartile of these daily log returns (a quarter of the way through them in
    order, with linear interpolation between neighbours) as a number."""
    return np.quantile(np.log(np.divide(prices[1:], prices[:-1])), 0.25)


@task
def years_until_multiplied(percents: Vector(Int(2, 30), (2, 6)), fold: Int(2, 5)):
    """Bonds with different yearly interest rates (`percents`, so 5 stands for 5 %) compound once a year. The time until
    money has grown to `fold` times its amount is the natural log of `fold`, over the natural log of one plus the rate.
    Return this for each bond, rounded up to a whole number of years, as a list."""
    rates = np.divide(percents, 100)
    return np.ceil(np.divide(np.log(fold), np.log1p(rates)))


@task
def wages_in_hyperinflation(wages: Vector(Int(10, 900), (2, 6)), factor: Int(2, 6)):
    """Month after month all prices become `factor` times as high. The monthly `wages` start in month 0; a wage of month
    k is worth only itself times `factor` to the power of minus k in money of month 0. Return the running total of what
    has been earned so far, in money of month 0, as a list."""
    months = np.arange(len(wages))
    return np.cumsum(np.multiply(wages, np.float_power(factor, np.negative(months))))


@task(
    equivalent={"max -> ptp": "both methods agree at the start and the end and A never trails, so the least lead is 0"}
)
def depreciation_methods_gap(price: Float(70, 95), scrap: Float(0.5, 1.5), years: Int(2, 8)):
    """A van bought for `price` thousand euros is worth `scrap` thousand after `years` years. Method A lets its value
    fall by the same amount each year, method B by the same factor. List the values of both methods at the ends of years
    0 (the purchase) to `years` and return the greatest lead of A over B as a number."""
    straight = np.linspace(price, scrap, num=years + 1)
    shrinking = np.geomspace(price, scrap, num=years + 1)
    return np.max(np.subtract(straight, shrinking))


@task
def transfer_fees(
    amounts: Vector(Choice(2, 5, 8, 9, 13, 37, 62, 98, 120, 385, 640, 999), (3, 8)), fees: Vector(Float(0.5, 9, 2), 3)
):
    """A bank's fee for a transfer depends on the magnitude of the amount: the base-10 logarithm, cut to its whole part
    (0, 1 or 2), is the position in the list `fees`. The `amounts` are whole euros below 1000, never exactly 1, 10 or
    100. Return the fee of every transfer as a list."""
    return np.take(fees, np.astype(np.log10(amounts), "int"))


@task
def rent_paid_so_far(old_rent: Float(30, 60), months: Int(1, 5), new_rent: Float(40, 95), later: Int(1, 5)):
    """For `months` months a garage costs `old_rent` a month, and then for `later` further months it costs `new_rent`.
    Return a list with the total rent paid up to and including each month, from the first to the last."""
    return np.cumsum(np.append(np.full(months, old_rent), np.full(later, new_rent)))


@task
def portfolio_risk(deviations: Vector(Float(0.5, 9), (2, 5)), link: Float(0.05, 0.9, 2)):
    """The standard `deviations` of several investments are given; any two different ones are correlated by `link`, and
    each with itself by 1. Every entry of that square correlation table is multiplied by the deviations of its row and
    of its column. The risk of holding one unit of each is the square root of the sum of all entries. Return it as
    a number."""
    correlation = np.where(np.identity(len(deviations)), 1, link)
    return np.sqrt(np.sum(correlation * np.outer(deviations, deviations)))


@task(friends=(2, 5))
def net_debts_between_friends(owes: Matrix(Int(0, 50), "friends", "friends")):
    """Row i, column j of `owes` is what friend i owes friend j (entries with i = j mean nothing). Replace each entry by
    i's debt to j less j's debt to i. Since the upper half only repeats this with the opposite sign, blank it out with
    0, but keep what is on or below the main diagonal. Return the list of rows."""
    return np.tril(np.subtract(owes, np.transpose(owes)))


@task(firms=(2, 3))
def orders_between_firms(uses: Matrix(Float(0.01, 0.3, 2), "firms", "firms"), demand: Vector(Int(5, 90), "firms")):
    """Making one unit at firm j takes `uses`[i][j] units from firm i, which may be j itself. The output of every firm
    is just what all the firms take from it plus its customers' `demand`. Find the output of every firm and return it as
    a list."""
    return np.linalg.solve(np.subtract(np.identity(len(uses)), uses), demand)
