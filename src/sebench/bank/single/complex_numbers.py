"""Parts, mirror images and directions of complex numbers."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Complex, Cube, Matrix, Vector

# real


@task
def in_phase_part_of_radio(samples: Vector(Complex(-9, 9), (2, 6))):
    """A radio receiver delivers complex `samples`. The in-phase signal is what is left when the imaginary part of each
    sample is dropped. Return it as a list of ordinary numbers."""
    return np.real(samples)


@task
def resistance_of_coil(impedance: Complex(0.5, 50)):
    """A coil's complex `impedance` consists of resistance plus reactance times the imaginary unit. Return just the
    resistance, an ordinary number."""
    return np.real(impedance)


@task
def dam_pressure_grid(pressures: Matrix(Complex(-9, 9, 2), (2, 3), (2, 4))):
    """Oscillating water presses on a dam; `pressures` is a table of complex amplitudes. At the moment when the phase is
    zero, the actual pressure is each amplitude's real part. Return these as a list of rows."""
    return np.real(pressures)


@task(n=(2, 4))
def stereo_cosine_parts(left: Vector(Complex(), "n"), right: Vector(Complex(), "n")):
    """The spectra of two stereo channels are given as complex lists, `left` and `right`. Return two rows, left channel
    first, which hold the cosine contributions only: the component of every value without the imaginary unit."""
    return np.real([left, right])


# imag


@task
def reactance_of_speakers(impedances: Vector(Complex(0.5, 30), (2, 6))):
    """For a set of loudspeakers the complex `impedances` were measured. The reactance is the coefficient of the
    imaginary unit. Return the reactances, ordinary numbers, as a list."""
    return np.imag(impedances)


@task
def northward_of_position(position: Complex(-80, 80)):
    """A treasure map encodes a spot as the complex number `position`: paces east, plus paces north times the imaginary
    unit. How many paces north is it? Return an ordinary number."""
    return np.imag(position)


@task
def absorbing_layers(indices: Matrix(Complex(0.1, 4, 2), (2, 4), (2, 3))):
    """`indices` is a table of complex refractive indices, with a row per metal film and a column per colour. Absorption
    sits in their imaginary component. Return this component alone, as plain numbers in a list of rows."""
    return np.imag(indices)


@task
def sine_parts_of_bells(recordings: Cube(Complex(-6, 6), 2, (2, 3), 2)):
    """For each church in `recordings` there is a table of complex amplitudes, bells by partials. Return nested lists
    of the same form with every amplitude reduced to its sine part, the real-valued factor in front of the imaginary
    unit."""
    return np.imag(recordings)


# conjugate


@task
def echo_reversed_in_phase(echo: Vector(Complex(-9, 9), (2, 6))):
    """A sonar undoes phase shifts by flipping the sign of the imaginary part of each complex value in `echo` and
    leaving the real part as it is. Return the new values as a list of complex numbers."""
    return np.conjugate(echo)


@task
def partner_root(root: Complex(-20, 20)):
    """A quadratic equation with real coefficients has the complex solution `root`. Its other solution is the mirror
    image below or above the real number line. Return it as a complex number."""
    return np.conjugate(root)


@task
def kaleidoscope_tiles(tiles: Matrix(Complex(-5, 5), (2, 3), (3, 4))):
    """The corners of kaleidoscope `tiles` are complex numbers, one row of corners for each tile. Reflect the whole
    picture upside down, x + yi becoming x - yi. Return the corners as a list of rows."""
    return np.conjugate(tiles)


@task(n=(2, 3))
def loads_for_power_check(feeders: Vector(Complex(-8, 8, 2), "n"), motors: Vector(Complex(-8, 8, 2), "n")):
    """To compute apparent power, a grid operator needs all currents with negated imaginary part. Given the complex
    currents of `feeders` and of `motors`, return a list of two rows with the changed currents, feeders first."""
    return np.conjugate([feeders, motors])


# angle


@task
def phase_lags(phasors: Vector(Complex(-9, 9), (2, 6))):
    """What is the phase of every number in the list `phasors`, measured counterclockwise from the positive real
    direction? Return the phases in radians, above -pi up to pi, as a list; a zero has phase 0."""
    return np.angle(phasors)


@task
def ship_bearing(course: Complex(-20, 20)):
    """In a sailing game a ship's `course` is a complex number, east plus north times i. By how many degrees does it
    point counterclockwise from east? Return a number above -180 and up to 180, where negative means clockwise; a zero
    course counts as 0."""
    return np.angle(course, deg=True)


@task
def wind_rose_table(winds: Matrix(Complex(-9, 9), (2, 3), (2, 4))):
    """Stations (rows) note hourly `winds` as complex numbers whose argument is the direction. Return the table of
    directions in degrees, above -180 up to 180, 0 where there is no wind, as a list of rows."""
    return np.angle(winds, deg=True)


@task
def robot_turn_sheet(arms: Cube(Complex(-3, 3), 2, 2, (2, 3))):
    """`arms` lists two robots, each with two arms whose segments are complex numbers. Return nested lists of the same
    form with the argument of each segment, its rotation against the number 1, in radians (above -pi up to pi; zero
    segments: 0)."""
    return np.angle(arms)
