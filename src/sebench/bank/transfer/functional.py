"""Forms and edge rules of functions that call functions which no training task shows."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Int, Matrix, Vector
from sebench.bank.single.functional import CONVERSION


@task(usage="axes is a number", equivalent=CONVERSION)
def change_over_the_years(stocks: Matrix(Int(0, 99), (2, 6), (3, 8))):
    """Rows of `stocks` are years, columns are kinds of fish. A home-made rule takes a table and gives its last row
    minus its first row. The outcome must still be a table that fits below the others: return a list with a single row,
    one number per kind of fish."""
    return np.apply_over_axes(lambda table, way: table[-1] - table[0], np.array(stocks), 0)


@task(usage="x holds whole numbers", page="with integers, fractions are cut off")
def whole_coin_discount(coins: Vector(Int(10, 30), (8, 16))):
    """A shop that knows only whole `coins` gives discounts: an amount below 20 is divided by 3, an amount of 20 or more
    is multiplied by 0.75, and what is not a whole number of coins is cut off after that. Return the new amounts as a
    list of whole numbers."""
    return np.piecewise(coins, [[coin < 20 for coin in coins]], [lambda low: low / 3, lambda high: high * 3 / 4])
