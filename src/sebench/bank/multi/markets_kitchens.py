"""Kitchens: dough, recipes, timers, tastings, pots."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Choice, Float, Int, Matrix, Vector

TRUTHS = {
    "count_nonzero -> sum": "the sum of True and False is the number of True",
    "count_nonzero -> nansum": "the sum of True and False is the number of True",
}


@task(jars=(3, 20))
def sourdough_jars(grams: Vector(Int(5, 60), "jars"), hours: Vector(Int(0, 23), "jars")):
    """Sourdough doubles with every full 4 hours that it stands; hours beyond that change nothing yet. Jar by jar,
    `grams` is what was put in and `hours` how long it stood. Return a tuple: how many grams there are now in all jars
    together, and which jar, counted from 0, now holds the most (the first one if several tie)."""
    now = np.ldexp(grams, np.floor_divide(hours, 4))
    return np.sum(now), np.argmax(now)


@task
def halve_the_lumps(lumps: Vector(Float(0.6, 30, 1), (3, 20))):
    """A baker cuts all pieces of a lump of dough in half, again and again, until they weigh less than 1 kg (a lump that
    is lighter from the start is not cut). The `lumps` are given in kg. Return a dict: "pieces", the number of pieces
    from all lumps, and "heaviest", the weight of the heaviest piece."""
    piece, cuts = np.frexp(lumps)
    return {"pieces": np.sum(np.exp2(cuts)), "heaviest": np.max(piece)}


@task
def pots_hot_enough(celsius: Matrix(Int(56, 66), (2, 8), (3, 8)), needed: Choice(10, 20, 30, 40, 50)):
    """Several pots of custard are heated; a row of `celsius` has the temperature of one pot, read every 5 minutes. What
    counts is how far it is above 60 degrees, nothing when it is not above. Drawn over time in minutes, with straight
    lines between the readings, these excesses bound an area, the dose of the pot in degree-minutes. Return the pots,
    counted from 0, whose dose is at least `needed`, as an ascending list."""
    dose = np.trapezoid(np.maximum(np.subtract(celsius, 60), 0), dx=5)
    return np.flatnonzero(dose >= needed)


@task(
    dishes=(3, 12),
    goods=(2, 6),
    equivalent=TRUTHS | {"negative -> invert": "for whole numbers it gives -x-1, which has the same order as -x"},
)
def dishes_by_profit(
    recipes: Matrix(Int(0, 6), "dishes", "goods"),
    costs: Vector(Int(1, 5), "goods"),
    menu: Vector(Int(10, 60), "dishes"),
):
    """A row of `recipes` tells how much of every ingredient a dish takes; `costs` are the ingredients' prices per unit,
    and `menu` is what guests pay per dish. Profit is what guests pay less the ingredients. Return a tuple: the row
    numbers (from 0) of the dishes, highest profit first, where dishes with the same profit stay in menu order; how many
    dishes make a loss (a profit below zero); and the profit in the middle when they are put in order (half-way between
    the two in the middle if their number is even)."""
    profit = np.subtract(menu, np.dot(recipes, costs))
    order = np.argsort(np.negative(profit), stable=True)
    return order, np.count_nonzero(profit < 0), np.median(profit)


@task
def spoons_for_sugar(grams: Vector(Int(1, 140), (3, 20))):
    """No scales in the holiday flat: a tablespoon holds 15 grams of sugar, a teaspoon 5. Each amount in `grams` is
    measured with as many full tablespoons as fit, and the rest with teaspoons, the last one perhaps not full. Return a
    dict: "table" and "tea", the numbers of tablespoons and of teaspoons for all amounts together, and "most", the
    largest number of spoons of both kinds that a single amount takes."""
    table, rest = np.divmod(grams, 15)
    tea = np.ceil(rest / 5)
    return {"table": np.sum(table), "tea": np.sum(tea), "most": np.max(table + tea)}


@task(stoves=(2, 12))
def timers_ring_together(eggs: Vector(Int(2, 12), "stoves"), pasta: Vector(Int(2, 12), "stoves"), shift: Int(60, 300)):
    """On each stove two timers are started together and restart by themselves: on stove i one rings every `eggs`[i]
    minutes, the other every `pasta`[i] minutes. A cook listens for a shift of `shift` minutes (the start does not
    count, the end does). Return a tuple: how often both timers of the same stove ring together, over all stoves, and
    the stove, counted from 0, on which that happens most often (the first one if several tie)."""
    rings = np.floor_divide(shift, np.lcm(eggs, pasta))
    return np.sum(rings), np.argmax(rings)


@task(
    courses=(3, 12),
    tasters=(3, 7),
    equivalent={
        "sum -> mean": "the average of the votes has the sign of their sum",
        "sum -> nanmean": "the average of the votes has the sign of their sum",
        "sum -> average": "the average of the votes has the sign of their sum",
    },
)
def blind_tasting_result(ours: Matrix(Int(1, 3), "courses", "tasters"), rival: Matrix(Int(1, 3), "courses", "tasters")):
    """Tasters (columns) give marks to every course (row) of our kitchen, `ours`, and of the `rival`. Whoever marks ours
    higher votes for us, lower against us, and otherwise abstains; a course is won if votes for us outnumber those
    against, lost if it is the other way round, and else drawn. Return the list [lost, drawn, won] of the numbers of
    courses."""
    votes = np.sum(np.sign(np.subtract(ours, rival)), axis=1)
    return np.bincount(np.sign(votes) + 1, minlength=3)


@task
def menus_by_possible_meals(menus: Matrix(Int(1, 5), (2, 9), 3)):
    """A canteen has several `menus`, one per row, with the number of starters, mains and desserts to pick from; a meal
    is one of each from the same menu. Return a tuple: the menus, counted from 0, from the one with the most possible
    meals to the one with the fewest (those with as many meals in the given order), and the share of all possible meals,
    between 0 and 1, that each menu offers, in this new order."""
    meals = np.prod(menus, axis=1)
    order = np.argsort(-meals, stable=True)
    return order, meals[order] / np.sum(meals)


@task(
    pots=(2, 8),
    quarters=(2, 8),
    equivalent={
        "sum -> cumsum": "running totals before the first loss only add rises, and only the largest loss counts",
        "sum -> nancumsum": "running totals before the first loss only add rises, and only the largest loss counts",
        "sum -> cumulative_sum": "running totals before the first loss only add rises, and only the largest loss "
        "counts",
    },
)
def simmering_stock_left(litres: Vector(Float(2, 9), "pots"), lost: Matrix(Float(0, 0.3, 2), "pots", "quarters")):
    """Several pots of stock simmer; `litres` is what each held at the start. A row of `lost` belongs to a pot: the
    fraction of its present contents that it loses in each quarter of an hour. Return a tuple: the litres left in all
    pots together after every quarter, as a list, and the largest number of litres that the pots together lost in one of
    the quarters."""
    left = np.dot(litres, np.cumprod(np.subtract(1, lost), axis=1))
    return left, np.max(-np.diff(left, prepend=np.sum(litres)))


@task(days=(1, 7), weighings=(2, 6))
def flour_used_in_the_week(bin_weights: Matrix(Int(0, 50), "days", "weighings")):
    """The flour bin is weighed several times a day: `bin_weights` has a row per day, and the last weighing of a day is
    followed by the first of the next. From weighing to weighing the bin gets lighter by use or heavier by refilling.
    Return a tuple: how much flour was used in total (refilling left out), and after which weighing the most was used
    before the next one; weighings are counted from 0 through the week, and the first one holds if several tie."""
    used = np.maximum(np.negative(np.ediff1d(bin_weights)), 0)
    return np.sum(used), np.argmax(used)


@task(friends=(3, 8))
def settle_the_flat_share(owed: Matrix(Int(0, 30), "friends", "friends")):
    """In a shared flat, `owed`[i][j] is what friend i has paid for friend j (what they paid for themselves does not
    matter). The balance of a friend is everything paid for others less everything that others paid for him or her.
    Return a tuple of three: the balances as a list; the friend, counted from 0, with the lowest balance (the first one
    if several tie); the total that must change hands to bring all balances to zero, which is what those below zero lack
    together."""
    balance = np.sum(np.subtract(owed, np.transpose(owed)), axis=1)
    return balance, np.argmin(balance), np.sum(np.maximum(balance, 0))


@task(ovens=(2, 12))
def rolls_from_all_ovens(minutes: Vector(Choice(2, 4, 5, 8, 10, 16, 20), "ovens"), wanted: Int(20, 400)):
    """Oven i of a bakery needs `minutes`[i] minutes for one roll, and all ovens work side by side from the start; rolls
    can be counted in fractions. Return a dict: "time", the minutes until `wanted` rolls are done altogether; "best",
    the share of them that one of the quickest ovens bakes; and "paces", the different numbers of minutes for a roll, as
    an ascending list."""
    rate = np.reciprocal(np.array(minutes, dtype=float))
    total = np.sum(rate)
    return {"time": wanted / total, "best": np.max(rate) / total, "paces": np.unique(minutes)}
