"""Degrees and radians, angles without jumps, and the sine cardinal."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Choice, Cube, Either, Float, Int, Matrix, Vector

# --- degrees


@task
def telescope_dial(turns: Vector(Float(-6, 6), (2, 7))):
    """A telescope motor reports in radians how far it turned each time, but the dial on the mount is marked from 0 to
    360. Convert the `turns` to the dial's unit and return them as a list; do not reduce them to one full circle."""
    return np.degrees(turns)


@task
def door_opening(swing: Float(0, 3.1, 2)):
    """A door stands open by `swing` radians. The carpenter needs that in the unit of which a right angle has 90. Return
    a number."""
    return np.degrees(swing)


@task
def gymnast_joint_angles(joints: Matrix(Float(-3, 3), (2, 4), (2, 4))):
    """Motion capture of a gymnast yields `joints`: one row per moment, one column per joint, in radians. The coach only
    thinks in degrees. Return the table converted."""
    return np.degrees(joints)


@task(n=(2, 4))
def geographic_printout(latitude: Vector(Float(-1.5, 1.5), "n"), longitude: Vector(Float(-3.1, 3.1), "n")):
    """A satellite sends the `latitude` and `longitude` of several places in radians. Return a dict {"lat": ..., "lon":
    ...} that holds both lists in degrees."""
    return {"lat": np.degrees(latitude), "lon": np.degrees(longitude)}


# --- radians


@task
def compass_for_computer(courses: Vector(Int(0, 359), (2, 7))):
    """A skipper dictates `courses` such as 90 or 225, where a full circle is 360. The autopilot wants a full circle to
    be 2π. Return the converted courses in a list."""
    return np.radians(courses)


@task
def pizza_slice_angle(tip: Float(5, 180)):
    """The tip of a pizza slice measures `tip` degrees. The crust is as long as the radius times this angle in radians.
    Return the angle in radians, as a number."""
    return np.radians(tip)


@task
def turtle_graphics_turns(commands: Matrix(Choice(-90, -45, 0, 30, 45, 60, 90, 120), (2, 4), (2, 4))):
    """Pupils steer a drawing turtle; each row of `commands` is one pupil's list of turns in degrees, left positive,
    right negative. Return the same rows with every turn in radians."""
    return np.radians(commands)


@task
def antenna_sweeps(sweep: Cube(Float(-170, 170), 2, (1, 3), (1, 3))):
    """A radar logs `sweep` for two antennas, for each of them several passes with a few angles in degrees. The plotting
    code expects a half turn to be π rather than 180. Return the converted angles, nested as they came."""
    return np.radians(sweep)


# --- unwrap


@task
def continuous_phase(phases: Vector(Choice(-3.1, -2.8, -2.5, -2.1, -0.6, 0.7, 1.9, 2.4, 2.7, 3.0), (4, 7))):
    """An oscilloscope reports `phases` in radians, always folded into -π to π. Restore the smooth course: whenever a
    reading jumps by more than π from the one before, shift it and all later ones by whole turns of 2π until the step is
    at most π. Return the list."""
    return np.unwrap(phases)


@task
def clock_hand_history(hand: Vector(Choice(0.5, 1.5, 2.0, 4.5, 7.0, 9.5, 10.0, 11.5), (6, 14))):
    """The hour `hand` of a clock was read now and then, as hours from 0 up to 12. It never moved by more than 6 hours
    between two readings, forwards or backwards. Add to each reading as many full rounds of 12 (or subtract them) as
    make this true, leaving the first one as it is. Return the list."""
    return np.unwrap(hand, period=12)


@task
def carousel_positions(horses: Vector(Choice(0, 1, 2, 3, 4, 11, 12, 13, 14), (6, 8))):
    """A carousel has 15 horses, numbered 0 to 14. A sensor notes in `horses` which one is in front of it, again and
    again; in between, the carousel always turned the shorter way round (by at most 7 horses). Count on without starting
    over: add or subtract multiples of 15 after the first entry, so that no step between neighbouring entries is larger
    than 7. Return the list."""
    return np.unwrap(horses, period=15)


@task
def gyroscope_with_threshold(heading: Vector(Choice(-3.0, -2.8, -2.6, -1.2, 0.4, 1.1, 2.5, 2.7, 3.1), (4, 7))):
    """A gyroscope `heading` in radians wraps at ±π, but this drone can truly spin fast: steps from one reading to the
    next that are smaller than 5 in size are genuine and stay. A step of 5 or more, up or down, is a wrap; correct it by
    2π for this and all later values. Return the corrected list."""
    return np.unwrap(heading, discont=5.0)


# --- sinc


@task
def slit_pattern(
    screen: Vector(Choice(-2.6, -1.7, -1.3, -0.8, -0.5, -0.1, 0.0, 0.25, 0.6, 0.9, 1.2, 1.5, 2.4), (2, 7)),
):
    """Light through a narrow slit has an amplitude of sin(πx) / (πx) at the position x on a screen, and 1 in the
    middle, at x = 0. Return the amplitudes at the positions in `screen`, as a list."""
    return np.sinc(screen)


@task
def resampling_weight(shift: Either(Float(-0.95, 0.95, 2), Float(1.05, 1.95, 2), Float(-2.95, -2.05, 2))):
    """When audio is resampled, a neighbour that is `shift` samples away gets the weight of the ideal low-pass filter:
    the sine of π times the shift, over π times the shift; a shift of 0 gets weight 1. Return the weight as a number."""
    return np.sinc(shift)


@task
def antenna_lobes(offsets: Matrix(Choice(-2.5, -1.5, -0.7, 0.0, 0.25, 0.5, 1.25, 1.8), (2, 4), (2, 4))):
    """The beam of a strip antenna fades with the offset u like sin(πu) divided by πu (its peak at u = 0 is 1).
    `offsets` has one row per antenna. Return the beam strengths in rows."""
    return np.sinc(offsets)


@task
def image_kernel_pair(horizontal: Vector(Float(-0.9, 0.9), (2, 4)), vertical: Vector(Float(-0.9, 0.9), (2, 4))):
    """An image scaler needs kernel values in two directions. For a distance d the kernel is the normalised sine
    cardinal: 1 at zero, else sin(πd) over πd. Return a tuple of two lists, for the distances in `horizontal` and for
    those in `vertical`."""
    return np.sinc(horizontal), np.sinc(vertical)
