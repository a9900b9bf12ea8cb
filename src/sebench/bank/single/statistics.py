"""Averages, spread and counting into bins."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Float, Int, Matrix, Vector


@task(shops=(2, 5))
def average_daily_sales(sales: Matrix(Int(0, 200), "shops", 7)):
    """A chain logs one row of daily `sales` per shop, Monday to Sunday. Return the average for each day, as a list of seven
    numbers."""
    return np.mean(sales, axis=0)


@task
def quiz_average(points: Vector(Float(0, 20), (2, 7))):
    """Each number in `points` is what one pupil scored in a quiz. Return the class average as a single number."""
    return np.mean(points)
