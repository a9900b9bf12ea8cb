"""Brewing beer: yeast, hops, water and barrels."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Float, Int, Matrix, Vector


@task
def sugar_during_fermentation(
    start: Float(10, 20), rest: Float(1, 5), speed: Float(0.1, 0.9), days: Float(3, 12), checks: Int(3, 7)
):
    """A wort has `start` degrees of sugar and ends up at `rest`; after t days it is at `rest` plus (`start` minus
    `rest`) times e to the power of (minus `speed` times t). It is checked at `checks` evenly spaced times from day 0 to
    day `days`, both included. Return the sugar at the checks as a list."""
    times = np.linspace(0, days, num=checks)
    return np.add(rest, (start - rest) * np.exp(-speed * times))


@task(readings=(3, 6))
def yeast_work_done(
    hours: Vector(Int(0, 48), "readings", unique=True, sorted=True), warmth: Vector(Float(8, 30), "readings")
):
    """Yeast doubles its speed with every 10 degrees: at temperature T it is two to the power of (T - 20) / 10.
    Given the `hours` of the readings and the `warmth` at each, join the speeds by straight lines and return the area
    under that curve over time, as a number."""
    speed = np.exp2(np.divide(np.subtract(warmth, 20), 10))
    return np.trapezoid(speed, hours)


@task
def acidity_of_a_blend(ph: Vector(Float(3, 6, 2), (2, 6))):
    """Equal amounts of several brews with known `ph` are mixed. The acid in a brew is ten to the power of minus its pH,
    the blend has the average acid, and its pH is minus the base-10 logarithm of that. Return the pH of the blend as a
    number."""
    acid = np.power(10.0, np.negative(ph))
    return np.negative(np.log10(np.mean(acid)))


@task(kettles=(2, 6))
def kettle_height_changes(litres: Vector(Int(10, 900), "kettles"), model: Int(20, 90), height: Float(20, 80)):
    """Kettles of all sizes have the proportions of a model that holds `model` litres and is `height` cm tall, so
    heights go with the cube root of the volume ratio. For kettles of these `litres`, how much taller is each than the
    one before in the list? Return the changes in cm as a list, one fewer than there are kettles; a
    change is negative if the kettle is smaller."""
    return np.diff(height * np.cbrt(np.divide(litres, model)))


@task(hops=(2, 5))
def hops_taken_up_so_far(grams: Vector(Int(5, 60), "hops"), boil: Vector(Int(0, 90), "hops")):
    """The longer hops boil, the larger the fraction of them that the beer takes up: after m minutes this fraction is
    (1 - e^(-0.04 m)) / 4.15. Each addition of hops has its `grams` and boils for its minutes in `boil`. Return the
    grams taken up (grams times that fraction) as a running total from the first addition on, as a list."""
    used = np.divide(-np.expm1(np.multiply(boil, -0.04)), 4.15)
    return np.cumsum(np.multiply(grams, used))


@task
def oxygen_inside_yeast_pellet(hunger: Float(0.5, 6), points: Int(3, 7)):
    """In a cylinder of yeast the oxygen at distance r from its middle, with r = 1 at the surface, is I(`hunger` times
    r) over I(`hunger`), where I is the modified Bessel function of order zero. Return it at `points` evenly spaced
    distances from 0 to 1, both included, as a list."""
    depth = np.linspace(0, 1, num=points)
    return np.divide(np.i0(hunger * depth), np.i0(hunger))


@task(readings=(2, 5), meters=(2, 4))
def hydrometers_disagree(
    readings: Vector(Float(0, 9), "readings"), corrections: Matrix(Float(-0.03, 0.03, 3), 3, "meters")
):
    """Each column of `corrections` belongs to a hydrometer: a constant, a factor for the reading and a factor for its
    square, from top to bottom; the sum of the three terms is the correction that it needs. Compute it for all
    `readings` and all hydrometers and return for each reading the distance between the highest and the lowest
    correction, as a list."""
    values = np.matmul(np.vander(readings, 3, increasing=True), corrections)
    return np.ptp(values, axis=1)
