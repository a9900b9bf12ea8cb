"""Hyperbolic functions and their inverses."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Complex, Cube, Float, Int, Matrix, Vector

# --- sinh


@task
def chain_slopes(positions: Vector(Float(-3, 3), (2, 7))):
    """A hanging chain has the shape of a hyperbolic cosine, so its slope at a point is the hyperbolic sine of the
    position. Given the `positions` left (negative) and right of the lowest point, return the slopes as a list."""
    return np.sinh(positions)


@task
def rocket_proper_speed(rapidity: Float(-2.5, 2.5, 2)):
    """A spaceship has the given `rapidity`. In units of the speed of light its proper velocity is (e^r - e^-r) / 2 for
    a rapidity of r. Return that velocity as a number."""
    return np.sinh(rapidity)


@task
def stretched_grid(nodes: Matrix(Int(-4, 4), (2, 4), (2, 4))):
    """To crowd grid lines near the middle of a wind tunnel, a programmer replaces every entry of `nodes` (rows of whole
    numbers) with its hyperbolic sine. Return the new rows."""
    return np.sinh(nodes)


@task
def line_voltage_factor(gamma: Vector(Complex(-1.5, 1.5), (2, 5))):
    """For a long power line an engineer lists complex numbers `gamma`, each a propagation constant times a length. She
    needs (e^g - e^-g) / 2 for every g in it. Return the complex results as a list."""
    return np.sinh(gamma)


# --- cosh


@task
def rope_bridge_heights(metres: Vector(Float(-3, 3), (2, 7))):
    """A rope bridge hangs in the curve y = (e^x + e^-x) / 2, x being measured from its lowest point. For the x values
    in `metres` return the list of heights y."""
    return np.cosh(metres)


@task
def time_dilation_factor(rapidity: Float(-3, 3, 2)):
    """Relativity homework: a clock moves with some `rapidity`, and the factor by which it runs slow is the hyperbolic
    cosine of it. Return the factor as a number."""
    return np.cosh(rapidity)


@task
def arch_profile(stations: Matrix(Float(-2, 2), (2, 4), (2, 3))):
    """An architect designs arches as upturned catenaries. Each row of `stations` belongs to an arch and lists distances
    from its middle. Return the hyperbolic cosines of the distances, row by row."""
    return np.cosh(stations)


@task(without=("zeros",))  # zero parts give -0j
def cable_current_factor(lengths: Vector(Complex(-1.2, 1.2, 2), (2, 5))):
    """Telegraph theory asks for the average of e^z and e^-z at complex electrical lengths z. They are listed in
    `lengths`; return the complex averages in the same order."""
    return np.cosh(lengths)


# --- tanh


@task
def neuron_outputs(inputs: Vector(Float(-3, 3), (2, 7))):
    """The neurons in a toy network squeeze what they receive into the open interval from -1 to 1 with the hyperbolic
    tangent. Return the list of outputs for the list of `inputs`."""
    return np.tanh(inputs)


@task
def ship_speed_from_rapidity(rapidity: Float(-2, 2, 2)):
    """In a science fiction game a ship's speed as a fraction of light speed is (e^r - e^-r) / (e^r + e^-r), where r is
    the `rapidity`. Return this fraction as a number."""
    return np.tanh(rapidity)


@task
def wave_depth_factor(depth_ratio: Matrix(Float(0, 3), (2, 4), (2, 4))):
    """In shallow water the square of the speed of sea waves is reduced by a factor equal to the hyperbolic tangent of
    wave number times depth. These products fill the rows of `depth_ratio`, a row per beach. Return the table of
    factors."""
    return np.tanh(depth_ratio)


@task
def soft_clipping(samples: Cube(Float(-2, 2), 2, (1, 2), (2, 3))):
    """A guitar pedal soft-clips stereo sound: `samples` has two channels, each a list of frames, each frame a list of
    levels. The pedal passes every level through the hyperbolic tangent, which hardly changes soft sounds and squeezes
    loud ones into the range from -1 to 1. Return the processed levels in the same structure."""
    return np.tanh(samples)


# --- arcsinh


@task
def cell_brightness_scale(brightness: Vector(Int(-40, 900), (2, 7))):
    """Cell biologists display `brightness`, which may be slightly negative, on a scale that is linear near 0 and
    logarithmic far out: the inverse of the hyperbolic sine. Return the list of scaled numbers."""
    return np.arcsinh(brightness)


@task
def chain_point_from_slope(slope: Float(-6, 6)):
    """Along a chain that hangs freely, the slope at distance x from the lowest point is (e^x - e^-x) / 2. At one link
    we measure `slope`. Return the x of this link as a number, negative to the left."""
    return np.arcsinh(slope)


@task
def telescope_stretch(pixels: Matrix(Float(-1, 50), (2, 4), (2, 4))):
    """Astronomers brighten faint galaxies by replacing each pixel p with ln(p + sqrt(p² + 1)). Do so for the rows of
    `pixels` and return the stretched picture."""
    return np.arcsinh(pixels)


@task
def undo_complex_sinh(signals: Vector(Complex(0.2, 3), (2, 5))):
    """All numbers in `signals` are complex, with positive real and imaginary parts, and came out of a hyperbolic sine.
    Undo it: return the list of principal complex values that lead to them."""
    return np.arcsinh(signals)


# --- arccosh


@task
def rapidities_from_gamma(gammas: Vector(Float(1, 12), (2, 7))):
    """Particles in a detector have Lorentz factors `gammas`, all at least 1. A Lorentz factor is the hyperbolic cosine
    of the rapidity. Return the rapidities, none of them negative, in a list."""
    return np.arccosh(gammas)


@task
def chain_half_span(end_height: Float(1, 9, 2)):
    """The height of a washing line is the hyperbolic cosine of x, its lowest point being at x = 0. One end is fixed at
    height `end_height`. Return the distance x, zero or positive, at which the line has that height; a number."""
    return np.arccosh(end_height)


@task
def hyperbolic_plane_distances(ratios: Matrix(Int(1, 30), (2, 4), (2, 4))):
    """Escher fans measure distances in the hyperbolic plane: a formula leaves them with `ratios` of 1 or more, a row
    per tile, and the distance for a ratio r is ln(r + sqrt(r² - 1)). Return the distances as rows."""
    return np.arccosh(ratios)


@task
def chebyshev_filter_terms(frequencies: Vector(Float(1, 5), (2, 4)), attenuations: Vector(Float(5, 60), (2, 4))):
    """The order of a Chebyshev filter is a quotient of two inverse hyperbolic cosines, one of an attenuation ratio and
    one of a frequency ratio. Take the inverse hyperbolic cosine of all ratios in `frequencies` and in `attenuations`.
    Return a dict with the keys "frequencies" and "attenuations" and the two lists of results."""
    return {"frequencies": np.arccosh(frequencies), "attenuations": np.arccosh(attenuations)}


# --- arctanh


@task
def fisher_transformed(correlations: Vector(Float(-0.95, 0.95, 2), (2, 7))):
    """A psychologist wants to average `correlations` and first applies Fisher's z-transformation, half of ln((1 + r) /
    (1 - r)) for a correlation r. Return the transformed values as a list."""
    return np.arctanh(correlations)


@task
def rapidity_of_probe(speed: Float(-0.99, 0.99, 2)):
    """A probe flies at `speed`, a fraction of the speed of light between -1 and 1, which is the hyperbolic tangent of
    its rapidity. Return the rapidity as a number."""
    return np.arctanh(speed)


@task
def undo_soft_limiter(limited: Matrix(Float(-0.9, 0.9), (2, 4), (2, 4))):
    """A recording went through a limiter that applied the hyperbolic tangent to every level. `limited` contains what
    came out, with tracks as rows. Reconstruct the original levels and return them as rows."""
    return np.arctanh(limited)


@task
def antenna_mismatch_lengths(reflections: Vector(Complex(0.1, 0.9), (2, 5))):
    """Mismatches on an antenna cable are stored as complex `reflections`, both parts positive. The formula sheet wants,
    for each, the principal complex number whose hyperbolic tangent it is. Return these numbers in a list."""
    return np.arctanh(reflections)
