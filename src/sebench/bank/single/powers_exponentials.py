"""Exponentials, and the Bessel function that grows like them, element by element."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Complex, Cube, Float, Int, Matrix, Vector

# exp


@task
def yeast_growth(hours: Vector(Float(-2, 6), (2, 6))):
    """A baker's starter grows continuously: t hours after noon its weight is Euler's number e raised to t, in grams,
    and times before noon are negative. Return the weights at all `hours` as a list."""
    return np.exp(hours)


@task
def odds_from_logit(logit: Float(-5, 5)):
    """A vet's model reports how likely a hamster recovers as the natural logarithm of the odds, `logit`. Turn it back
    into the plain odds and return them as a number."""
    return np.exp(logit)


@task
def boltzmann_weights(energies: Matrix(Float(-3, 3), (1, 4), (2, 4))):
    """The table `energies` has one row per molecule and one column per state, and is already divided by minus the
    temperature. The weight of a state is e raised to its entry, not normalised. Return the weights as a list of
    rows."""
    return np.exp(energies)


@task
def rotating_signals(exponents: Vector(Complex(-2, 2), (2, 5))):
    """A radio engineer describes waves that fade or swell by complex `exponents` z: the signal after one second is e to
    the z. Return the signals as a list of complex numbers."""
    return np.exp(exponents)


# exp2


@task
def duckweed_cover(days: Vector(Int(-5, 10), (2, 7))):
    """Duckweed on a pond doubles every day and covers exactly one square metre on day 0. What area does it cover on
    each of the `days` given, where day -1 is the day before? Return a list."""
    return np.exp2(days)


@task
def camera_light(stops: Vector(Float(-6, 6), (2, 6))):
    """Opening a lens by one stop lets in twice the light, closing it by one stop half as much. The list `stops` holds
    changes of the opening, which may be fractional, and negative for closing. Return the factors on the light as a
    list."""
    return np.exp2(stops)


@task
def octave_ratios(octaves: Matrix(Float(-3, 3, decimals=2), (1, 4), (2, 4))):
    """A tuner notes for every organ register (row) and pipe (column) how far the pitch lies above the reference in
    `octaves`; minus means below. An octave up doubles the frequency. Return the frequency ratios to the reference, as a
    list of rows."""
    return np.exp2(octaves)


@task
def whole_code_counts(bits: Cube(Int(4, 18), (1, 3), (1, 3), 2)):
    """A museum stores the word lengths of old computers in `bits`: a list of halls, each a list of showcases, each with
    two machines. A word of n bits allows two to the power n different patterns. Return how many patterns each machine
    has, nested in the same way."""
    return np.exp2(bits)


# expm1


@task
def effective_yields(rates: Vector(Float(-0.02, 0.15, decimals=3), (2, 7))):
    """Banks quote continuously compounded interest `rates` as fractions (0.05 is five percent). The gain on one euro
    after a year is e to the rate, less the euro itself; do not lose digits for small rates. Return the gains as a
    list."""
    return np.expm1(rates)


@task
def diode_current(drive: Float(-3, 4, decimals=2)):
    """The current through an ideal diode, in units of its saturation current, is e raised to the scaled voltage
    `drive`, minus one. Return it as a number."""
    return np.expm1(drive)


@task
def glacier_log_changes(changes: Matrix(Float(-0.4, 0.2, decimals=2), (1, 4), (2, 4))):
    """Glaciologists store yearly mass change as a logarithm, x = ln(1 + change), one row per glacier and one column per
    year in `changes`. Recover the plain relative change for each entry and return a list of rows."""
    return np.expm1(changes)


@task
def planck_denominators(ratios: Cube(Float(0.05, 4, decimals=2), (1, 3), 2, (1, 3))):
    """Planck's radiation law divides by e to the power r, minus 1, where r is photon energy over thermal energy. A
    furnace log `ratios` holds r nested by run, wall (two per run) and sensor. Return these denominators with the same
    nesting."""
    return np.expm1(ratios)


# i0


@task
def rod_cooling_profile(radii: Vector(Float(0, 5), (2, 6))):
    """The temperature in a cooled round rod follows the modified Bessel function I of order zero, evaluated at the
    scaled distance from the middle. Return its values at all these distances, `radii`, as a list."""
    return np.i0(radii)


@task
def flight_direction_bessel(kappa: Float(0.1, 8)):
    """Ornithologists fit a von Mises distribution to flight directions, with concentration `kappa`. Its normalising
    constant contains the zeroth-order modified Bessel function (first kind) of the concentration. Return that
    function's value as a number."""
    return np.i0(kappa)


@task
def waveguide_field_grid(arguments: Matrix(Float(-4, 4), (1, 4), (2, 4))):
    """A microwave designer tabulates field strengths: every entry of `arguments`, negative ones too, has to go through
    the modified Bessel function of order 0, the even one that has the value 1 at the origin. Return the table as a list
    of rows."""
    return np.i0(arguments)


@task
def window_taper_heights(beta: Vector(Int(0, 9), (2, 5))):
    """For Kaiser tapers of a sound editor, the peak before scaling equals Bessel's modified function (first kind, index
    0) of the whole-number shape parameter. Given several shape parameters `beta`, return a dict with the single key
    "peaks" holding the list of function values."""
    return {"peaks": np.i0(beta)}
