"""Options and edge rules of polynomials that no training task shows."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Int, Vector


@task(usage="seq_of_zeros is empty", page="no roots the number 1.0")
def polynomial_of_known_crossings(crossings: Vector(Int(-6, 6), (0, 5))):
    """A curve is the graph of a polynomial that begins with 1 times the highest possible power and is zero exactly at
    the `crossings` (a number that is listed twice counts twice). Return its coefficients, highest power first, as a
    list. If nothing is listed the polynomial is constant: then return just the number 1.0."""
    return np.poly(crossings)


@task(usage="cov is True", n=(6, 12))
def uncertainty_of_the_line(hours: Vector(Int(0, 40), "n", unique=True), growth: Vector(Int(0, 90), "n")):
    """Points (`hours`[i], `growth`[i]) are fitted by a straight line, slope times hour plus offset, by least squares.
    Return the covariance matrix of slope and offset, in this order, as two rows of two numbers. It is scaled as usual
    by the size of the errors: their squares are added and divided by the number of points less 2."""
    return np.polyfit(hours, growth, 1, cov=True)[1]


@task(usage="cov is 'unscaled'", n=(6, 12))
def parabola_and_its_unscaled_covariance(places: Vector(Int(-9, 9), "n", unique=True), depths: Vector(Int(0, 40), "n")):
    """A dune is fitted by a parabola a x^2 + b x + c through the points (`places`[i], `depths`[i]), by least squares.
    Return a tuple of two: the list of a, b, c; their covariance matrix as three rows of three numbers, worked out as if
    each depth had an error of size 1, however well the parabola fits."""
    return np.polyfit(places, depths, 2, cov="unscaled")
