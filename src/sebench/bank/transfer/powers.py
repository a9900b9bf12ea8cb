"""Powers, roots, logarithms and circular functions with complex results or infinite arguments, which no training task
shows."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Choice, Complex, Float, Int, Matrix, Vector

# Zero has no logarithm, and some functions are infinite at 1: such numbers are not drawn.


@task(usage="dtype is 'complex'", n=(6, 12))
def damped_factors_complex(factors: Vector(Int(-9, 9), "n"), exponents: Vector(Choice(0.5, 1.5, 2.5, 0.25), "n")):
    """A damping model needs `factors`[i] raised to `exponents`[i] also for negative factors, as complex numbers: a
    negative factor -r counts as r e^(iπ), so that its result is r raised to the exponent, turned by exponent times π.
    Return the results as a list of complex numbers."""
    return np.power(factors, exponents, dtype="complex")


@task(usage="dtype is 'complex'")
def signed_volumes_to_a_share(volumes: Matrix(Int(-60, 60), (2, 5), (3, 6)), share: Choice(0.2, 0.4, 0.6, 0.7)):
    """Rows of `volumes` hold numbers of either sign. Each is raised to the exponent `share`, and the results are wanted
    as complex numbers, with the principal value for negative ones: for -r it is r to that exponent times e^(iπ share).
    Return a list of rows of complex numbers."""
    return np.float_power(volumes, share, dtype="complex")


@task(usage="x holds complex numbers", page="give complex roots")
def refraction_roots(indices: Vector(Choice(*(complex(x, y) for x in range(-4, 5) for y in range(-2, 3))), (6, 14))):
    """For each complex number in `indices` find the complex number that gives it when multiplied by itself; of the two
    candidates take the one whose real part is positive, or, if both real parts are 0, the one whose imaginary part is
    not negative. Return the list of results."""
    return np.sqrt(indices)


@task(usage="x holds complex numbers", page="The logarithm of a complex number is complex", without=("zeros",))
def octaves_of_complex_gain(gains: Vector(Complex(0.5, 6), (6, 14))):
    """A filter has complex `gains`. Express each as a complex number of octaves: an exponent to which 2 must be raised
    to get the gain. Of all such exponents take the one whose imaginary part is nearest to 0. Return them as a list of
    complex numbers."""
    return np.log2(gains)


@task(usage="x holds complex numbers", page="Input values, real or complex", without=("zeros",))
def decades_of_complex_signal(signals: Matrix(Complex(0.5, 9), (2, 5), (3, 6))):
    """Every row of `signals` holds complex amplitudes. Give each as a complex number of decades: of all the exponents
    to which 10 can be raised to get the amplitude, the one whose imaginary part is nearest to 0. Return a list of rows
    of complex numbers."""
    return np.log10(signals)


@task(usage="x holds complex numbers", page="Angles, in radians, or complex numbers")
def fading_oscillation(phases: Vector(Complex(-3, 3), (6, 14))):
    """Each of the `phases` is a complex number z, whose imaginary part describes fading. Return the list of the values
    (e^(iz) + e^(-iz)) / 2, complex numbers."""
    return np.cos(phases)


@task(usage="x holds complex numbers", page="Input array, real or complex")
def lossy_line_response(lengths: Vector(Complex(-1.2, 1.2), (6, 14))):
    """A cable with losses has complex electrical `lengths`. For each length z return (e^z - e^(-z)) / (e^z + e^(-z)),
    as a list of complex numbers."""
    return np.tanh(lengths)


@task(usage="dtype is 'complex'")
def total_reflection_angles(sines: Vector(Float(-3, 3), (6, 14))):
    """In optics the sine of a refracted ray can come out below -1 or above 1; the angle is then complex. For each
    number in `sines` return the complex angle with this sine whose real part lies from -π/2 to π/2 and whose imaginary
    part is not negative, as a list."""
    return np.arcsin(sines, dtype="complex")


@task(usage="dtype is 'complex'")
def tilt_beyond_the_edge(ratios: Matrix(Float(-4, 4), (2, 5), (3, 6))):
    """Rows of `ratios` hold cosines, some of them impossible for a real angle. For each return the complex angle with
    this cosine whose real part lies from 0 to π and whose imaginary part is not positive. The answer is a list of rows
    of complex numbers."""
    return np.arccos(ratios, dtype="complex")


@task(usage="dtype is 'complex'")
def filter_orders_complex(levels: Vector(Float(-3, 3), (6, 14))):
    """A filter design asks for each number in `levels` for a complex number whose hyperbolic cosine it is, also below
    1. Take the one whose real part is not negative and whose imaginary part lies from 0 to π. Return the list of
    complex numbers."""
    return np.arccosh(levels, dtype="complex")


@task(usage="dtype is 'complex'")
def rapidity_beyond_light(speeds: Vector(Choice(-2.5, -1.8, -1.3, -0.7, -0.4, 0.2, 0.5, 0.8, 1.2, 1.6, 2.4), (6, 14))):
    """Speeds are measured in units of that of light; the particles of a novel exceed it, though none has exactly this
    speed. For each of the `speeds` return the complex number whose hyperbolic tangent it is and whose imaginary part is
    0 for speeds between -1 and 1 and π/2 for the others, as a list."""
    return np.arctanh(speeds, dtype="complex")


@task(usage="x holds infinity", page="inf and -inf give π/2 and -π/2")
def slopes_with_cliffs(slopes: Vector(Choice(float("inf"), float("-inf"), *range(-6, 7)), (8, 16))):
    """A hiker notes `slopes`, metres up per metre forward; a cliff is inf upwards and -inf downwards. Return the angle
    of each slope above the horizontal in radians, between -π/2 and π/2 with both ends reached at cliffs, as a list."""
    return np.arctan(slopes)


@task(usage="axis is a number", hours=(4, 9), masts=(2, 6))
def weather_vane_history(
    vanes: Matrix(Choice(2.5, 10.0, 31.5, 84.0, 151.0, 262.5, 318.5, 344.0, 351.5, 359.0), "hours", "masts"),
):
    """In `vanes` rows are hours, columns are masts, entries wind directions from 0 up to 360 degrees. Down each column,
    remove the artificial jumps at north by adding or subtracting full circles of 360 so that no step from hour to hour
    exceeds 180. Return the table as a list of rows."""
    return np.unwrap(vanes, axis=0, period=360)
