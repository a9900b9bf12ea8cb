"""Sundials, shadows and solar panels."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Float, Int, Vector


@task
def sun_heights(lat: Int(30, 65), declination: Float(-23, 23, 1), hour_angles: Vector(Int(-90, 90), (4, 12))):
    """At latitude `lat`, with the sun's `declination`, the sine of the sun's height is: sine of latitude times sine of
    declination, plus cosine of latitude times cosine of declination times cosine of the hour angle. Everything is in
    degrees. Return the height, in degrees, at each of the `hour_angles`, as a list."""
    place, tilt = np.radians(lat), np.radians(declination)
    sine = np.sin(place) * np.sin(tilt) + np.cos(place) * np.cos(tilt) * np.cos(np.radians(hour_angles))
    return np.degrees(np.arcsin(sine))


@task
def dial_lines(lat: Float(20, 65, 1), hours: Vector(Float(-5.5, 5.5, 1), (4, 12))):
    """On a horizontal sundial at latitude `lat` degrees, the line for a time t `hours` after noon (below zero: before)
    makes an angle with the noon line whose tangent is the sine of the latitude times the tangent of 15 t degrees.
    Return these angles in degrees, between -90 and 90, as a list."""
    swing = np.tan(np.radians(hours) * 15)
    return np.degrees(np.arctan(np.sin(np.radians(lat)) * swing))


@task
def longest_day_of_the_year(lat: Int(-60, 60), declinations: Vector(Float(-23, 23, 1), (4, 14))):
    """The sun sets at the hour angle whose cosine is minus the tangent of the latitude `lat` times the tangent of the
    declination, everything in degrees. The day lasts twice that angle, at 15 degrees an hour. `declinations` lists one
    per week. Return a tuple: the position, from 0, of the week with the longest day (the first, if tied), and by how
    many hours that day is longer than the shortest."""
    cosine = np.negative(np.tan(np.radians(lat)) * np.tan(np.radians(declinations)))
    hours = np.degrees(np.arccos(cosine)) * 2 / 15
    return np.argmax(hours), np.ptp(hours)


@task(moments=(4, 14))
def energy_on_a_fixed_panel(
    beam: Vector(Int(100, 900), "moments"), off_panel: Vector(Int(0, 120, but=(90,)), "moments")
):
    """Every hour a station notes the strength of the sunlight, `beam`, and by how many degrees the sun stands away from
    the direction in which a solar panel faces, `off_panel`. The panel collects the strength times the cosine of that
    angle, but nothing when the cosine is below zero. Return a tuple: what it collects in the best hour, and what it
    collects in the whole time."""
    collected = beam * np.maximum(np.cos(np.radians(off_panel)), 0)
    return np.max(collected), np.sum(collected)


@task
def light_through_the_air(strength: Int(800, 1400), zenith: Vector(Float(0, 75, 1), (4, 14))):
    """Sunlight that arrives `zenith` degrees away from straight overhead crosses an air mass m, which is 1 divided by
    the cosine of that angle. Each unit of air mass lets 70 percent through, so `strength` times 0.7 to the m-th reaches
    the ground. Return a tuple: the average of what reaches the ground at the listed angles, and how far the best of
    them lies above the worst."""
    mass = np.reciprocal(np.cos(np.radians(zenith)))
    light = strength * np.power(0.7, mass)
    return np.mean(light), np.ptp(light)


@task(tips=(4, 14))
def sun_height_from_shadows(
    stick: Float(0.5, 3, 1), east: Vector(Float(-5, 5, 1), "tips"), north: Vector(Float(-5, 5, 1), "tips")
):
    """A vertical `stick`, its length in metres, throws shadows whose tips lie `east` and `north` of its foot by so many
    metres (below zero: west, south). The height of the sun is the angle under which it is seen above the ground, 90 if
    there is no shadow. Return a tuple: the greatest height in degrees, and the average height."""
    heights = np.degrees(np.arctan2(stick, np.hypot(east, north)))
    return np.max(heights), np.mean(heights)


@task(hours=(4, 14))
def peak_shadow_direction(east: Vector(Int(-9, 9, but=(0,)), "hours"), north: Vector(Int(1, 9), "hours")):
    """Chalk marks show how far `east` (below zero: west) and `north` of a sundial's stick its shadow ended at each
    hour, in feet. The mark farthest from the stick is wanted, the first if several are equally far. Return a tuple of
    two: its distance in feet; its direction in degrees, 0 being north, with east above zero and west below."""
    squared = np.square(east) + np.square(north)
    far = np.argmax(squared)
    right, up = np.take(east, far), np.take(north, far)
    return np.hypot(right, up), np.degrees(np.arctan2(right, up))


@task
def fin_efficiency(
    half_width: Float(0.02, 0.2, 2), losses: Vector(Float(2, 40, 1), (4, 12)), sheet: Float(0.05, 0.6, 2)
):
    """For a fin of a solar water heater, x is `half_width` times the square root of (2 times the heat loss divided by
    the conductance `sheet`). `losses` lists several heat losses. The efficiency is (hyperbolic tangent of x) / x.
    Return a tuple: the average efficiency over the listed heat losses, and the lowest one."""
    x = half_width * np.sqrt(2 * np.divide(losses, sheet))
    efficiency = np.tanh(x) / x
    return np.mean(efficiency), np.min(efficiency)


@task
def stretch_a_sun_photo(pixels: Vector(Int(1, 900), (4, 20)), knee: Int(5, 60), white: Float(1.1, 1.9, 1)):
    """To show faint flames beside the bright disc of the sun, the brightness values `pixels` of a photo are softened:
    each becomes the inverse hyperbolic sine of (value divided by `knee`), times one factor that is common to the photo
    and makes 1 the average. A softened value above `white` is shown as `white`. Return the shown values, as a list."""
    soft = np.arcsinh(np.divide(pixels, knee))
    return np.minimum(soft / np.mean(soft), white)


@task
def fringes_behind_a_slit(slit: Float(2, 6, 1), angles: Vector(Float(-25, 25, 1), (4, 12))):
    """Laser light falls through a slit that is `slit` wavelengths wide. In each direction of `angles` (degrees) let u
    be the width times the sine of the angle; the amplitude is the sine of pi u over pi u, and 1 for u = 0. Return the
    amplitudes as a list, each divided by the total of the magnitudes of the whole list."""
    amplitude = np.sinc(slit * np.sin(np.radians(angles)))
    return np.divide(amplitude, np.sum(np.fabs(amplitude)))
