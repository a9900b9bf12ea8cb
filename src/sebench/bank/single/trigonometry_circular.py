"""Sines, cosines, tangents, and the angles that belong to them."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Complex, Cube, Float, Int, Matrix, Vector

# --- sin


@task
def ferris_wheel_heights(angles: Vector(Float(-6, 6), (2, 7))):
    """Cabins on a miniature Ferris wheel of radius 1 hang at the given `angles`, in radians from the horizontal. How
    high is each cabin above the hub? Return the sines of the angles as a list of numbers."""
    return np.sin(angles)


@task
def pendulum_restoring_share(tilt: Float(-1.5, 1.5, 2)):
    """A pendulum is tilted by `tilt` radians. The share of gravity that pulls it back is the sine of this angle. Return
    the share as a number, negative for a tilt to the negative side."""
    return np.sin(tilt)


@task
def synthesizer_waveform(phase: Matrix(Float(0, 6.2), (2, 4), (2, 4))):
    """A synthesizer has one row of `phase` values (radians) per voice and plays a pure sine wave. Return the signal
    values that go to the speaker, i.e. the sine of each phase, in the same rows."""
    return np.sin(phase)


@task
def wave_of_complex_argument(z: Vector(Complex(-2, 2), (2, 5))):
    """A theory student needs the sine function continued into the complex plane. For the complex numbers in `z` return
    the list of their complex sines."""
    return np.sin(z)


# --- cos


@task
def sunlight_on_panels(tilts: Vector(Float(0, 1.5, 2), (2, 7))):
    """Solar panels lean away from the sun by `tilts` (radians each). The fraction of sunlight a panel catches is the
    cosine of its tilt. Return the fractions in a list."""
    return np.cos(tilts)


@task
def sledge_pull_share(rope_angle: Float(0, 1.4, 2)):
    """A father pulls a sledge with a rope at an angle of `rope_angle` radians to the ground. Return, as one number,
    what fraction of his force acts forwards: the adjacent side over the hypotenuse for that angle."""
    return np.cos(rope_angle)


@task
def lighthouse_east_offsets(bearings: Matrix(Float(-6.2, 6.2), (2, 4), (2, 4))):
    """From a lighthouse, boats sit one mile away at the `bearings` given in radians counter-clockwise from due east, a
    row per night. How far east (positive) or west (negative) is every boat? Return a table of numbers."""
    return np.cos(bearings)


@task
def piston_positions(crank: Cube(Int(-6, 6), 2, (1, 3), (2, 3))):
    """Two engines, each with rows of cylinders: `crank` gives the crank angle of every cylinder as whole radians. With
    a unit crank the horizontal position is the cosine. Return the positions nested like the angles."""
    return np.cos(crank)


# --- tan


@task
def sapling_heights_by_sight(elevation: Vector(Float(0.1, 1.4, 2), (2, 6))):
    """A forester lies on the ground one metre from several saplings in turn and sights their tops at the `elevation`
    angles (radians). Height over distance is the tangent. Return the heights in metres, one number per sapling, as a
    list."""
    return np.tan(elevation)


@task
def ramp_gradient(slope_angle: Float(-0.6, 0.6, 2)):
    """A loading ramp rises at `slope_angle` radians (negative if it goes down). Return its gradient, rise divided by
    run, as a plain number."""
    return np.tan(slope_angle)


@task
def roof_pitches(roof: Matrix(Float(0, 1.3), (2, 4), (2, 3))):
    """Every row of `roof` is a house, with the angle of each of its roof faces from the horizontal in radians. The
    carpenter wants rise per unit of run instead. Return these numbers as a list of rows."""
    return np.tan(roof)


@task
def tangent_in_complex_plane(line: Vector(Complex(0.2, 1.2), (2, 5))):
    """Signal engineers evaluate the tangent at complex propagation lengths. Given such lengths in `line`, return the
    complex tangents as a list."""
    return np.tan(line)


# --- arcsin


@task
def refraction_angles(sines: Vector(Float(-1, 1, 2), (2, 7))):
    """A physics class worked out the sines of some refraction angles with Snell's law. Turn `sines` back into angles in
    radians between -π/2 and π/2 and return them as a list."""
    return np.arcsin(sines)


@task
def ladder_lean(height_share: Float(0, 1, 2)):
    """A ladder of length 1 reaches up the wall to `height_share` of its length. Opposite side over hypotenuse is thus
    known; return the angle between ladder and floor in radians, as a number."""
    return np.arcsin(height_share)


@task
def kite_elevations(kites: Matrix(Float(-0.9, 0.9, 1), (2, 4), (2, 3))):
    """On a hilltop children fly kites on taut strings. `kites` has, for each child (row) and minute (column), height
    divided by string length, negative when the kite dips below the hilltop. Return the angle of each string to the
    horizontal in radians, with the same sign, as a list of rows."""
    return np.arcsin(kites)


@task
def inverse_sine_complex(w: Vector(Complex(0.3, 2.5), (2, 5))):
    """For a conformal map we have the values `w`, complex numbers with positive real and imaginary parts, and look for
    the principal complex numbers whose sine they are. Return these as a list."""
    return np.arcsin(w)


# --- arccos


@task
def angle_between_sticks(cosines: Vector(Float(-1, 1, 2), (2, 7))):
    """`cosines` holds the cosine of the angle between the first two sticks of several folding rulers. Return how wide
    each ruler is open there, in radians from 0 to π, as a list."""
    return np.arccos(cosines)


@task
def sunset_hour_angle(ratio: Float(-1, 1, 2)):
    """An astronomy formula says that the cosine of the sunset hour angle equals `ratio`. Return this angle as a number
    in radians; it lies between 0 and π."""
    return np.arccos(ratio)


@task
def dance_pair_turns(alignment: Matrix(Float(-1, 1, 1), (2, 4), (2, 4))):
    """At a dance contest a camera measures `alignment`, with a row per couple and a column per step: 1 if the partners
    face the same way, -1 if they face opposite ways, in general the cosine of the angle between their directions.
    Return those angles in radians (0 to π), row by row."""
    return np.arccos(alignment)


@task
def opening_of_gates(left: Vector(Float(-0.9, 0.9, 1), (2, 4)), right: Vector(Float(-0.9, 0.9, 1), (2, 4))):
    """A canal has gates on both banks, not always equally many; `left` and `right` list the cosines of the angles by
    which the gates have swung open. Return a tuple of two lists, the swing angles in radians within 0 to π for the left
    and for the right bank."""
    return np.arccos(left), np.arccos(right)


# --- arctan


@task
def hill_slope_angles(gradients: Vector(Float(-0.3, 0.3, 2), (2, 7))):
    """A cycling map prints `gradients` of road pieces as rise over run, e.g. 0.1 for ten percent, negative downhill.
    Return the slope angle of each piece in radians, downhill negative too, in a list."""
    return np.arctan(gradients)


@task
def camera_tilt(offset: Float(-8, 8)):
    """An object appears `offset` focal lengths above (positive) or below (negative) the centre of the picture. Return
    the viewing angle in radians, between -π/2 and π/2, whose tangent is that offset. The answer is a single number."""
    return np.arctan(offset)


@task
def river_bed_inclines(drop: Matrix(Int(-2, 9), (2, 4), (2, 4))):
    """Canyon guides surveyed steep stream beds: `drop` has the metres of descent per horizontal metre, one row for each
    stream, whole numbers, negative where the bed climbs. Return the matching incline angles in radians, with the same
    signs, as a table."""
    return np.arctan(drop)


@task
def squashed_scores(feedback: Cube(Float(-20, 20), 2, (1, 3), (1, 3))):
    """A game squashes unlimited `feedback` (two levels, each with rows of numbers) into the range from -π/2 to π/2 by
    taking the inverse of the tangent. Return the squashed numbers in the same nesting."""
    return np.arctan(feedback)


# --- arctan2


@task(n=(2, 6))
def directions_to_buoys(east: Vector(Float(-9, 9, nonzero=True), "n"), north: Vector(Float(-9, 9), "n")):
    """Buoys lie `east` and `north` kilometres from the harbour (negative: west, south). Return the direction of every
    buoy as an angle in radians counter-clockwise from east, between -π and π, in the right quadrant. The result is a
    list."""
    return np.arctan2(north, east)


@task
def robot_heading(step_y: Float(-5, 5, nonzero=True), step_x: Float(-5, 5, nonzero=True)):
    """A robot on a table moved by `step_x` to the right and `step_y` upwards. Return its heading as one number in
    radians: 0 points right, positive turns towards up, and the full circle from -π to π is used."""
    return np.arctan2(step_y, step_x)


@task(rows=(2, 4), cols=(2, 4))
def wind_arrow_angles(up: Matrix(Int(-5, 5, but=(0,)), "rows", "cols"), across: Matrix(Int(-5, 5), "rows", "cols")):
    """For the arrows on a weather map two grids are given: `across`, the wind to the right, and `up`, the wind towards
    the top, either sign. Return a grid with the signed angle of each arrow against the rightward direction, in radians
    from -π to π."""
    return np.arctan2(up, across)


@task
def tennis_machine_angles(forward: Vector(Float(-6, 6), (2, 6)), sideways: Float(-4, 4, nonzero=True)):
    """A machine in the middle of a court shoots tennis balls; every ball travels the same distance `sideways` (the x
    direction) and its own distance, listed in `forward` (the y direction). Both may be negative. Return the angle of
    each shot in radians, counter-clockwise from the positive x direction, between -π and π, as a list."""
    return np.arctan2(forward, sideways)
