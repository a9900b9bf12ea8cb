"""Mountain hikes: climbs, slopes, bearings, huts, altimeters."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Float, Int, Matrix, Missing, Vector


@task(
    points=(3, 5),
    equivalent={
        "clip: arguments 1 and 2 swapped": "0 limited from below by a step is the step limited from below by 0"
    },
)
def climbs_easiest_first(heights: Matrix(Int(600, 1400), (2, 4), "points")):
    """Every row of `heights` is a hike, as altitudes in metres along the way. The climb of a hike is the sum of its
    upward steps from point to point; downward steps count as 0, and of a step up by more than 300 metres only 300 count
    (a chairlift does the rest). Return the climbs of all hikes, smallest first, as a list."""
    upward = np.clip(np.diff(heights), 0, 300)
    return np.sort(np.sum(upward, axis=1))


@task(points=(3, 6))
def steepest_angle(
    altitude: Vector(Int(400, 600), "points"), along: Vector(Int(0, 3000), "points", unique=True, sorted=True)
):
    """A path was surveyed: it has the given `altitude` at the unevenly spaced distances `along`, all in metres. Estimate
    the slope at each point (central, second order, inside; plain one-sided at the two ends) and turn slopes into angles
    of inclination in degrees. Return the largest angle, whether uphill or downhill, without its sign."""
    slope = np.gradient(altitude, along)
    return np.max(np.degrees(np.arctan(np.absolute(slope))))


@task(
    legs=(2, 6),
    equivalent={
        "sum -> mean": "the average leg points the same way as all legs together",
        "sum -> nanmean": "the average leg points the same way as all legs together",
        "sum -> average": "the average leg points the same way as all legs together",
    },
)
def bearing_of_the_goal(east: Vector(Int(-9, 9), "legs"), north: Vector(Int(-9, 9), "legs")):
    """A walk across the moor goes in legs, each so many steps `east` and so many `north` (below zero: west, south). Return
    the compass bearing from start to end in degrees: 0 is north, 90 east, 180 south, 270 west, always at least 0 and
    below 360. (A walk that ends where it began gets 0.)"""
    angle = np.arctan2(np.sum(east), np.sum(north))
    return np.remainder(np.degrees(angle), 360)


@task(
    legs=(2, 6),
    equivalent={
        "sum -> mean": "trail and straight line both shrink by the number of legs",
        "sum -> nanmean": "trail and straight line both shrink by the number of legs",
        "sum -> average": "trail and straight line both shrink by the number of legs",
    },
)
def detour_factor(right: Vector(Int(1, 12), "legs"), up: Vector(Int(1, 12), "legs")):
    """On the map grid a zigzag trail consists of straight pieces, each going `right` and `up` by so many squares. Return how
    many times as long the trail is as the straight line from its beginning to its end."""
    trail = np.sum(np.hypot(right, up))
    return np.divide(trail, np.hypot(np.sum(right), np.sum(up)))


@task(equivalent={"signbit -> angle": "the angle of a real number is other than zero just where it is below zero"})
def tops_of_the_dunes(dunes: Vector(Int(3, 25), (3, 8), unique=True)):
    """`dunes` has the heights in metres along a walk through dunes, no two the same. Return the positions (from 0) of all
    points that are higher than both the one before and the one after, as a list; the first and the last point never
    count."""
    turns = np.diff(np.sign(np.diff(dunes)))
    return np.flatnonzero(np.signbit(turns)) + 1


@task(points=(2, 6))
def mean_altitude_of_trail(
    altitudes: Vector(Int(300, 1500), "points"), km: Vector(Float(0, 15, 1), "points", unique=True, sorted=True)
):
    """A trail is straight between the surveyed points, which have the given `altitudes` and lie at the distances `km` from
    the car park. Return the average altitude over the whole surveyed stretch, so that long pieces weigh more than short
    ones."""
    return np.divide(np.trapezoid(altitudes, x=km), np.ptp(km))


@task(
    equivalent={
        "subtract: arguments 1 and 2 swapped": "only the size of the difference is used",
        "expand_dims -> outer": "the products of a list with the single number 1 are the list as a column",
    }
)
def nearest_hut_in_altitude(peaks: Vector(Int(1500, 3200), (2, 5)), huts: Vector(Int(1200, 2800), (2, 4))):
    """A mountaineer wants to sleep at about the altitude of the next peak. `peaks` and `huts` list altitudes in metres.
    Return, peak by peak, how many metres of altitude lie between it and the hut that comes closest, above or below, as a
    list."""
    apart = np.subtract(np.expand_dims(peaks, 1), huts)
    return np.min(np.absolute(apart), axis=1)


@task(hikes=(2, 6))
def signpost_hours(km: Vector(Float(1, 20, 1), "hikes"), climb: Vector(Int(0, 1500), "hikes")):
    """Signposts give walking times like this: hours for the distance are `km` over 4, hours for the ascent are `climb` (in
    metres) over 300, and the time is the longer of the two plus half the shorter. Return the time for each hike in
    hours, as a list."""
    flat, ascent = np.divide(km, 4), np.divide(climb, 300)
    return np.add(np.maximum(flat, ascent), np.minimum(flat, ascent) / 2)


@task(places=(5, 8))
def altimeter_disagreement(mine: Vector(Missing(Int(5, 90)), "places"), yours: Vector(Missing(Int(5, 90)), "places")):
    """On a coast path two altimeters, `mine` and `yours`, were read at the same places; nan is a failed reading. At a
    place they disagree by the higher reading less the lower; where only one failed the disagreement is 0, and places
    where both failed are left out. Return the average disagreement of the places that remain."""
    apart = np.subtract(np.fmax(mine, yours), np.fmin(mine, yours))
    return np.nanmean(apart)


@task
def where_on_the_long_trail(legs: Vector(Int(3, 7), (4, 6)), walked: Vector(Int(0, 11), (4, 6))):
    """A long-distance trail is divided into `legs` of so many km. Hikers have `walked` so many km from the start, and
    nobody has finished the trail yet. Return a tuple of two lists: on which leg each hiker is, counting from 0 (exactly
    at the end of a leg, the next one has begun), and how many km of that leg are done."""
    posts = np.cumulative_sum(legs, include_initial=True)
    leg = np.searchsorted(posts, walked, side="right") - 1
    return leg, np.subtract(walked, np.take(posts, leg))
