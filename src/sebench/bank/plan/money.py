"""Money and energy: prices over time, projects, taxes, tariffs, claims."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Choice, Float, Int, Matrix, Probabilities, Vector
from sebench.bank.plan import TRUTHS


@task(equivalent=TRUTHS)
def best_day_to_buy_and_sell(prices: Vector(Int(50, 99), (2, 60))):
    """From the daily `prices` of a share find the best purchase: one day to buy and a later day to sell. Return a tuple
    of five: day to buy; day to sell; gain, which is the price on the day of the sale less that on the day of the
    purchase; number of days on which the price was above that of the day before; difference between the highest and the
    lowest price. Days count from 0. In a tie the earliest day to buy counts, then the earliest day to sell. If no sale
    brings a gain, the first three entries are 0."""
    price = np.array(prices)
    gains = np.triu(price - price[:, None])
    best = np.argmax(gains)
    buy, sell = best // len(price), best % len(price)
    return buy, sell, gains[buy, sell], np.count_nonzero(np.diff(price) > 0), np.ptp(price)


@task(
    years=(2, 20),
    equivalent={"flatnonzero -> argwhere": "the positions come in a column, which the appending makes flat"},
)
def value_of_a_project(cost: Int(20, 90), earned: Vector(Int(-5, 30), "years"), rate: Choice(0.02, 0.04, 0.05, 0.1)):
    """A project has a `cost` now and is expected to bring what `earned` lists at the end of year 1, 2 and so on. Its
    value today is minus the cost plus the total of the earnings, each divided by 1 plus `rate` as often as years have
    passed. Its balance after a year is minus the cost plus the earnings so far, without interest; before the first year
    it is minus the cost. Return a tuple of three: value today; first year after which the balance is 0 or more, even if
    it falls below 0 again later, or -1 if there is none; lowest balance from today on."""
    years = np.arange(1, len(earned) + 1)
    value = np.sum(earned / (1 + rate) ** years) - cost
    balance = np.cumsum(earned) - cost
    paid = np.append(np.flatnonzero(balance >= 0) + 1, -1)
    return value, paid[0], np.min(balance, initial=-cost)


@task(funds=(2, 5), months=(4, 24))
def risk_of_a_portfolio(gains: Matrix(Int(-9, 9), "months", "funds"), shares: Probabilities("funds")):
    """Each row of `gains` holds the gains in percent of several funds (columns) in a month. Somebody keeps his money in
    these funds in the proportions `shares`, so that his gain in a month is the total of share times gain. The variance
    of gains has the number of months less one as divisor. Return a tuple of four: average monthly gain of this mixture;
    root of the variance of its gains; its lowest gain in a month; greatest variance of a single fund."""
    mixed = np.array(gains) @ np.array(shares)
    single = np.max(np.var(gains, axis=0, ddof=1))
    return np.mean(mixed), np.var(mixed, ddof=1) ** 0.5, np.min(mixed), single


@task(
    people=(4, 60),
    equivalent=TRUTHS
    | {"clip: arguments 1 and 2 swapped": "the greater of a value and the lower limit, either way round"},
)
def tax_in_steps(incomes: Vector(Choice(5, 8, 10, 12, 15, 20, 26, 30, 35, 40, 60), "people"), free: Choice(8, 10, 12)):
    """Of an income (in thousands) the part up to `free`, which is below 30, is not taxed; of the part from there up to
    30 one fifth is taken, and of the part above 30 two fifths. `incomes` lists the incomes of a village. Return a tuple
    of four: number of people who pay no tax; highest tax; middle one of the taxes in order, or midway between the two
    middle ones; standard deviation of the taxes with the number of people as divisor."""
    tax = (np.clip(incomes, free, 30) - free) / 5 + np.clip(np.array(incomes) - 30, 0, None) * 2 / 5
    return np.count_nonzero(tax == 0), np.max(tax), np.median(tax), np.std(tax)


@task(days=(2, 14))
def tariff_of_day_and_night(used: Matrix(Int(0, 9), "days", 24)):
    """Each row of `used` holds the units of electricity of a house in the 24 hours of a day. A unit costs 1 coin in the
    hours 0 to 5 and 22 to 23, otherwise 3 coins. Return a tuple of five: position from 0 of the most expensive day, the
    first in a tie; its cost; middle one of the costs of the days in order, or midway between the two middle ones; hour
    from 0 to 23 in which the most units are used when the days are added up, the first in a tie; smallest number of
    units of a day."""
    units = np.array(used)
    cost = units @ np.array([1] * 6 + [3] * 16 + [1] * 2)
    day = np.argmax(cost)
    return day, cost[day], np.median(cost), np.argmax(np.sum(units, axis=0)), np.min(np.sum(units, axis=1))


@task(
    hours=(6, 60),
    equivalent=dict.fromkeys(
        ("extra < 0: the other border", "extra > 0: the other border"), "an hour with 0 adds nothing"
    ),
)
def house_with_a_solar_roof(made: Vector(Int(0, 9), "hours"), used: Vector(Int(0, 9), "hours")):
    """A house `made` and `used` so many units of electricity in successive hours. Its balance in an hour is what it
    made less what it used: a balance above 0 is sold, and what is missing is bought. Return a tuple of five: units
    bought in total; units sold in total; position from 0 of the hour with the highest balance, the first in a tie; list
    of the hours in which nothing was bought or sold; middle one of the balances in order, or midway between the two
    middle ones."""
    extra = np.subtract(made, used)
    bought, sold = -np.sum(extra[extra < 0]), np.sum(extra[extra > 0])
    return bought, sold, np.argmax(extra), np.flatnonzero(extra == 0), np.median(extra)


@task(claims=(3, 60))
def claims_by_age(
    days: Vector(Choice(0, 10, 29, 30, 31, 45, 60, 61, 75, 90, 120), "claims"), amounts: Vector(Int(1, 50), "claims")
):
    """A firm has open claims: `days` tells since how many days each is due, `amounts` its amount. Claims are put into
    four classes, 0 to 3: up to 30 days, above 30 and up to 60, above 60 and up to 90, above 90. Return a tuple of four:
    list of the total amounts of the four classes; class with the highest total amount, the first in a tie; mean age in
    days, each claim weighted by its amount; middle one of the amounts in order, or midway between the two middle
    ones."""
    group = np.digitize(days, [30, 60, 90], right=True)
    totals = np.bincount(group, weights=amounts, minlength=4)
    return totals, np.argmax(totals), np.average(days, weights=amounts), np.median(amounts)


@task
def savings_over_the_years(percent: Vector(Float(-20, 25), (2, 14))):
    """Savings of 100 coins grow or shrink each year by what `percent` says, in percent of what they were. Return a
    tuple of five: savings after the last year; lowest savings at the end of a year; steady growth in percent a year
    that would lead to the same savings after the last year; standard deviation of the entries of `percent` with their
    number less one as divisor; middle one of the entries of `percent` in order, or midway between the two middle
    ones."""
    savings = 100 * np.cumprod(np.array(percent) / 100 + 1)
    steady = (savings[-1] / 100) ** (1 / len(percent)) * 100 - 100
    return savings[-1], np.min(savings), steady, np.std(percent, ddof=1), np.median(percent)


@task(shifts=(5, 40), equivalent=TRUTHS)
def staff_on_duty(begin: Vector(Int(0, 23), "shifts"), hours: Vector(Int(1, 10), "shifts")):
    """A clinic has shifts that begin at the full hour in `begin` (0 to 23) and last the number of `hours`, less than a
    day, over midnight if need be; the plan is the same every day. Return a tuple of four: list of the number of staff
    on duty in each of the 24 hours of the day; how many of the 24 hours have as few staff as the one with the fewest;
    first hour with the most staff; standard deviation of the 24 numbers with 24 as divisor."""
    since = (np.arange(24)[:, None] - np.array(begin)) % 24
    duty = np.count_nonzero(since < np.array(hours), axis=1)
    return duty, np.count_nonzero(duty == np.min(duty)), np.argmax(duty), np.std(duty)
