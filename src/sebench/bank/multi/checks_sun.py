"""Sundials, shadows and solar panels."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Float, Int, Vector


@task
def sun_heights(lat: Int(30, 65), declination: Float(-23, 23, 1), hour_angles: Vector(Int(-90, 90), (2, 6))):
    """At latitude `lat`, with the sun's `declination`, the sine of the sun's height is: sine of latitude times sine of
    declination, plus cosine of latitude times cosine of declination times cosine of the hour angle. All angles are in
    degrees. Return the height, in degrees, at each of the `hour_angles`, as a list."""
    place, tilt = np.radians(lat), np.radians(declination)
    sine = np.sin(place) * np.sin(tilt) + np.cos(place) * np.cos(tilt) * np.cos(np.radians(hour_angles))
    return np.degrees(np.arcsin(sine))


@task
def dial_lines(lat: Float(20, 65, 1), hours: Vector(Float(-5.5, 5.5, 1), (2, 6))):
    """On a horizontal sundial at latitude `lat` degrees, the line for a time t `hours` after noon (below zero: before)
    makes an angle with the noon line whose tangent is the sine of the latitude times the tangent of 15 t degrees.
    Return these angles in degrees, between -90 and 90, as a list."""
    swing = np.tan(np.radians(hours) * 15)
    return np.degrees(np.arctan(np.sin(np.radians(lat)) * swing))


@task
def hours_of_daylight(lat: Int(-60, 60), declinations: Vector(Float(-23, 23, 1), (2, 6))):
    """The sun sets at the hour angle whose cosine is minus the tangent of the latitude `lat` times the tangent of the
    declination, everything in degrees. The day lasts twice that angle, at 15 degrees an hour. Return the hours of
    daylight for each of the `declinations`, as a list."""
    cosine = np.negative(np.tan(np.radians(lat)) * np.tan(np.radians(declinations)))
    return np.degrees(np.arccos(cosine)) * 2 / 15


@task(moments=(2, 6))
def energy_on_a_fixed_panel(beam: Vector(Int(100, 900), "moments"), off_panel: Vector(Int(0, 120), "moments")):
    """Every hour a station notes the strength of the sunlight, `beam`, and the angle `off_panel` in degrees between the
    sun and the direction in which a solar panel faces. The panel collects the strength times the cosine of the angle,
    but nothing when the cosine is below zero. Return the total of all hours."""
    return np.dot(beam, np.maximum(np.cos(np.radians(off_panel)), 0))


@task
def light_through_the_air(strength: Int(800, 1400), zenith: Vector(Float(0, 75, 1), (2, 6))):
    """Sunlight that arrives `zenith` degrees away from straight overhead crosses an air mass m, which is 1 divided by
    the cosine of that angle. What reaches the ground is `strength` times 0.7 raised to the power m. Return how much
    reaches the ground at each angle, as a list."""
    mass = np.reciprocal(np.cos(np.radians(zenith)))
    return strength * np.power(0.7, mass)


@task(tips=(2, 6))
def sun_height_from_shadows(
    stick: Float(0.5, 3, 1), east: Vector(Float(-5, 5, 1), "tips"), north: Vector(Float(-5, 5, 1), "tips")
):
    """A vertical `stick`, its length in metres, throws shadows whose tips lie `east` and `north` of its foot by so many
    metres (below zero: west, south). Return the height of the sun above the ground for each shadow in degrees, as a
    list; it is 90 if there is no shadow."""
    return np.degrees(np.arctan2(stick, np.hypot(east, north)))


@task(hours=(2, 6))
def peak_shadow_direction(east: Vector(Int(-9, 9, but=(0,)), "hours"), north: Vector(Int(1, 9), "hours")):
    """Chalk marks show how far `east` (below zero: west) and `north` of a sundial's stick its shadow ended at each
    hour, in feet. Find the mark farthest from the stick, the first if several are equally far. Return as a tuple its
    distance in feet and its direction in degrees, where 0 is north, east is above zero and west below."""
    squared = np.square(east) + np.square(north)
    far = np.argmax(squared)
    return np.sqrt(np.max(squared)), np.degrees(np.arctan2(np.take(east, far), np.take(north, far)))


@task
def fin_efficiency(
    half_width: Float(0.02, 0.2, 2), losses: Vector(Float(2, 40, 1), (2, 5)), sheet: Float(0.05, 0.6, 2)
):
    """For a fin of a solar water heater, x is `half_width` times the square root of (2 times the heat loss divided by the
    conductance `sheet`). `losses` lists several heat losses. The efficiency is (hyperbolic tangent of x) / x. Return the
    average efficiency over the listed heat losses."""
    x = half_width * np.sqrt(2 * np.divide(losses, sheet))
    return np.mean(np.divide(np.tanh(x), x))


@task
def stretch_a_sun_photo(pixels: Vector(Int(1, 900), (3, 7)), knee: Int(5, 60)):
    """To show faint flames beside the bright disc of the sun, the brightness of all `pixels` is divided by `knee` and
    replaced by its inverse hyperbolic sine. After that, everything is divided by the square root of the average of the
    squared values. Return the new brightness values, as a list."""
    soft = np.arcsinh(np.divide(pixels, knee))
    return np.divide(soft, np.sqrt(np.mean(np.square(soft))))


@task
def fringes_behind_a_slit(slit: Float(2, 6, 1), angles: Vector(Float(-25, 25, 1), (3, 6))):
    """Laser light falls through a slit that is `slit` wavelengths wide. In each direction of `angles` (degrees) let u
    be the width times the sine of the angle; the amplitude is the sine of pi u over pi u, and 1 for u = 0. Return the
    amplitudes as a list, each divided by the sum of the magnitudes of all."""
    amplitude = np.sinc(slit * np.sin(np.radians(angles)))
    return np.divide(amplitude, np.sum(np.absolute(amplitude)))
