"""Kitchens: dough, recipes, timers, tastings, pots."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Float, Int, Matrix, Vector


@task(jars=(2, 6))
def sourdough_total(grams: Vector(Float(5, 60), "jars"), hours: Vector(Int(0, 23), "jars")):
    """Sourdough doubles with every full 4 hours that it stands; hours beyond that change nothing yet. Jar by jar, `grams`
    is what was put in and `hours` how long it stood. Return how many grams there are now in all jars together."""
    return np.sum(np.ldexp(grams, np.floor_divide(hours, 4)))


@task
def halve_the_lumps(lumps: Vector(Float(0.6, 30, 1), (2, 6))):
    """A baker cuts all pieces of a lump of dough in half, again and again, until they weigh less than 1 kg (a lump that
    is lighter from the start is not cut). The `lumps` are given in kg. Return a dict: "pieces", the number of pieces
    from all lumps, and "heaviest", the weight of the heaviest piece."""
    piece, cuts = np.frexp(lumps)
    return {"pieces": np.sum(np.exp2(cuts)), "heaviest": np.max(piece)}


@task
def pasteurising_dose(celsius: Vector(Int(40, 90), (3, 8))):
    """Custard is heated, and its temperature in `celsius` taken every 5 minutes. What counts is how far it is above 60
    degrees (nothing when it is not above). Join these excesses by straight lines over time and return the area below
    them, in degree-minutes."""
    excess = np.maximum(np.subtract(celsius, 60), 0)
    return np.trapezoid(excess, dx=5)


@task(
    dishes=(2, 5),
    goods=(2, 4),
    equivalent={"negative -> invert": "for whole numbers it gives -x-1, which has the same order as -x"},
)
def dishes_by_profit(
    recipes: Matrix(Int(0, 6), "dishes", "goods"),
    costs: Vector(Int(1, 5), "goods"),
    menu: Vector(Int(20, 60), "dishes"),
):
    """A row of `recipes` tells how much of every ingredient a dish takes; `costs` are the ingredients' prices per unit,
    and `menu` is what guests pay per dish. Profit is what guests pay less the ingredients. Return the dishes' row numbers
    (from 0), highest profit first; dishes with the same profit stay in menu order."""
    profit = np.subtract(menu, np.dot(recipes, costs))
    return np.argsort(np.negative(profit), stable=True)


@task
def spoons_for_sugar(grams: Vector(Int(1, 140), (2, 7))):
    """No scales in the holiday flat: a tablespoon holds 15 grams of sugar, a teaspoon 5. For each amount in `grams` take as
    many full tablespoons as fit, then as many teaspoons as the rest needs, the last one perhaps not full. Return the
    tuple (list of tablespoons, list of teaspoons)."""
    tablespoons, rest = np.divmod(grams, 15)
    return tablespoons, np.ceil(np.divide(rest, 5))


@task(stoves=(2, 5))
def timers_ring_together(eggs: Vector(Int(2, 12), "stoves"), pasta: Vector(Int(2, 12), "stoves"), shift: Int(60, 300)):
    """On each stove two timers are started together and restart by themselves: on stove i one rings every `eggs`[i]
    minutes, the other every `pasta`[i] minutes. How often do both timers of the same stove ring together in a shift of
    `shift` minutes (the start does not count, the end does)? Return the total over all stoves."""
    together = np.lcm(eggs, pasta)
    return np.sum(np.floor_divide(shift, together))


@task(
    courses=(3, 4),
    tasters=(3, 5),
    equivalent={
        "sum -> mean": "the average of the votes has the sign of their sum",
        "sum -> nanmean": "the average of the votes has the sign of their sum",
        "sum -> average": "the average of the votes has the sign of their sum",
    },
)
def blind_tasting_majority(
    ours: Matrix(Int(1, 3), "courses", "tasters"), rival: Matrix(Int(1, 3), "courses", "tasters")
):
    """Tasters (columns) give marks to every course (row) of our kitchen, `ours`, and of the `rival`. Whoever marks ours
    higher votes for us, lower against us, and otherwise abstains. Return a list with 1 for each course where votes for
    us outnumber those against, -1 where it is the other way round, 0 for a draw."""
    votes = np.sum(np.sign(np.subtract(ours, rival)), axis=1)
    return np.sign(votes)


@task
def share_of_possible_meals(menus: Matrix(Int(1, 7), (2, 4), 3)):
    """A canteen has several `menus`, one per row, with the number of starters, mains and desserts to pick from; a meal is
    one of each from the same menu. Return for each menu what share of all possible meals it offers (between 0 and 1), as
    a list."""
    meals = np.prod(menus, axis=1)
    return np.divide(meals, np.sum(meals))


@task(pots=(2, 4), quarters=(2, 4))
def simmering_stock_left(litres: Vector(Float(2, 9), "pots"), lost: Matrix(Float(0, 0.3, 2), "pots", "quarters")):
    """Several pots of stock simmer; `litres` is what each held at the start. A row of `lost` belongs to a pot: the
    fraction of its present contents that it loses in each quarter of an hour. Return the litres left in all pots
    together after every quarter, as a list."""
    kept = np.cumprod(np.subtract(1, lost), axis=1)
    return np.dot(litres, kept)


@task(days=(2, 3), weighings=(2, 4))
def flour_used_in_the_week(bin_weights: Matrix(Int(0, 50), "days", "weighings")):
    """The flour bin is weighed several times a day: `bin_weights` has a row per day, and the last weighing of a day is
    followed by the first of the next. From weighing to weighing the bin gets lighter by use or heavier by refilling.
    Return the total of all falls as a number, leaving the rises out."""
    falls = np.maximum(np.negative(np.ediff1d(bin_weights)), 0)
    return np.sum(falls)
