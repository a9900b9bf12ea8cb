"""Mountain hikes: climbs, slopes, bearings, huts, altimeters."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Float, Int, Matrix, Missing, Vector


@task(
    points=(3, 12),
    equivalent={
        "clip: arguments 1 and 2 swapped": "0 limited from below by a step is the step limited from below by 0"
    },
)
def climbs_easiest_first(heights: Matrix(Int(600, 1400), (2, 8), "points")):
    """Every row of `heights` is a hike, as altitudes in metres along the way. The climb of a hike is the total of its
    upward steps from point to point; downward steps count as 0, and of a step up by more than 300 metres only 300 count
    (a chairlift does the rest). Return the climbs of all hikes, smallest first, as a list."""
    upward = np.clip(np.diff(heights), 0, 300)
    return np.sort(np.sum(upward, axis=1))


@task(points=(3, 15))
def steepest_angle(
    altitude: Vector(Int(400, 600), "points"), along: Vector(Int(0, 3000), "points", unique=True, sorted=True)
):
    """A path was surveyed: it has the given `altitude` at the unevenly spaced distances `along`, all in metres. Its
    slope at a point is that of the parabola through the point and both neighbours; at the two ends it is that of the
    straight line to the only neighbour. Return the largest angle of inclination at a point, whether uphill or downhill,
    without its sign, in degrees rounded to two decimals."""
    slope = np.gradient(altitude, along)
    return np.round(np.max(np.degrees(np.arctan(np.absolute(slope)))), decimals=2)


@task(
    legs=(2, 15),
    equivalent={
        "sum -> mean": "the average leg points the same way as all legs together",
        "sum -> nanmean": "the average leg points the same way as all legs together",
        "sum -> average": "the average leg points the same way as all legs together",
    },
)
def wind_rose_point_of_the_goal(east: Vector(Int(-9, 9), "legs"), north: Vector(Int(-9, 9), "legs")):
    """A walk across the moor goes in legs, each so many steps `east` and so many `north` (below zero: west, south). In
    which of eight directions does the end lie, seen from the start? Return the nearest one by angle: 0 is north, 1
    north-east, 2 east, 3 south-east and so on round to 7, north-west. (A walk that ends where it began gets 0.)"""
    bearing = np.degrees(np.arctan2(np.sum(east), np.sum(north)))
    return np.remainder(np.rint(bearing / 45), 8)


@task(legs=(2, 15))
def detour_of_zigzag_trail(right: Vector(Int(1, 12), "legs"), up: Vector(Int(1, 12), "legs")):
    """A trail on a map consists of straight pieces; each leads so many squares to the `right` and so many `up`, at
    least one of each. Return a list of two numbers, each rounded to three decimals: how many times as long the trail is
    as the straight line from its beginning to its end; what fraction of the trail its longest piece makes up."""
    pieces = np.hypot(right, up)
    trail = np.sum(pieces)
    straight = np.hypot(np.sum(right), np.sum(up))
    return np.round([trail / straight, np.max(pieces) / trail], decimals=3)


@task(equivalent={"signbit -> angle": "the angle of a real number is other than zero just where it is below zero"})
def tops_of_the_dunes(dunes: Vector(Int(3, 60), (4, 25), unique=True)):
    """`dunes` has the heights in metres along a walk through dunes, no two the same. Return the positions (from 0) of
    all points that are higher than both the one before and the one after, as a list; the first and the last point never
    count."""
    turns = np.diff(np.sign(np.diff(dunes)))
    return np.flatnonzero(np.signbit(turns)) + 1


@task(points=(2, 15))
def summit_above_average(
    altitudes: Vector(Int(300, 1500), "points"), km: Vector(Float(0, 15, 1), "points", unique=True, sorted=True)
):
    """A trail is straight between the surveyed points, which have the given `altitudes` and lie at the distances `km`
    from the car park, in ascending order. Return a tuple: how far its highest point lies above the average altitude of
    the whole surveyed stretch, in which long pieces weigh more than short ones, and how far above its lowest point."""
    average = np.trapezoid(altitudes, x=km) / (km[-1] - km[0])
    return np.max(altitudes) - average, np.ptp(altitudes)


@task(
    equivalent={
        "absolute -> square": "whichever hut is closest also has the smallest squared distance",
        "absolute -> i0": "the function grows with the distance, so the closest hut stays the closest",
        "absolute -> cosh": "the function grows with the distance, so the closest hut stays the closest",
        "np.array(peaks)[:, None] - np.array(huts): operands swapped": "only the size of the difference is used",
    }
)
def huts_nobody_wants(peaks: Vector(Int(15, 32), (2, 15)), huts: Vector(Int(12, 30), (3, 9))):
    """A mountaineer sleeps at about the altitude of the next peak: in the hut whose altitude is closest to it, above or
    below, the first one in the list if several are equally close. `peaks` and `huts` list altitudes in hundreds of
    metres. Return the huts, counted from 0, that are used for none of the peaks, as an ascending list."""
    apart = np.absolute(np.array(peaks)[:, None] - np.array(huts))
    used = np.bincount(np.argmin(apart, axis=1), minlength=len(huts))
    return np.flatnonzero(used == 0)


@task(hikes=(3, 20))
def signpost_hours(km: Vector(Float(1, 20, 1), "hikes"), climb: Vector(Int(0, 1500), "hikes")):
    """Signposts give walking times like this: hours for the distance are `km` over 4, hours for the ascent are `climb`
    (in metres) over 300, and the time is the longer of the two plus half the shorter. Return a tuple: the hours that
    all the hikes need together, and the hours of the longest one."""
    flat, ascent = np.divide(km, 4), np.divide(climb, 300)
    hours = np.maximum(flat, ascent) + np.minimum(flat, ascent) / 2
    return np.sum(hours), np.max(hours)


@task(places=(5, 20))
def altimeter_disagreement(mine: Vector(Missing(Int(5, 90)), "places"), yours: Vector(Missing(Int(5, 90)), "places")):
    """On a coast path two altimeters, `mine` and `yours`, were read at the same places; nan is a failed reading. At a
    place they disagree by the higher reading less the lower; where only one failed the disagreement is 0, and places
    where both failed are left out. Return the average disagreement of the places that remain."""
    apart = np.subtract(np.fmax(mine, yours), np.fmin(mine, yours))
    return np.nanmean(apart)


@task
def hikers_on_each_leg(legs: Vector(Int(2, 5), (6, 10)), walked: Vector(Int(0, 11), (4, 30))):
    """A long-distance trail is divided into `legs` of so many km, one after another. Hikers have `walked` so many km
    from the start, and nobody has finished the trail yet. Return how many hikers are on each leg, from the first to the
    last, as a list; whoever stands exactly at the end of a leg is on the next one."""
    posts = np.cumulative_sum(legs, include_initial=True)
    leg = np.searchsorted(posts, walked, side="right") - 1
    return np.bincount(leg, minlength=len(legs))


@task(points=(3, 12))
def steepest_stage(
    altitudes: Vector(Int(300, 1500), "points"),
    km: Vector(Int(0, 60), "points", unique=True, sorted=True),
    stages: Int(2, 8),
):
    """A trail is straight between its surveyed points, which have the given `altitudes` and lie at the distances `km`
    from the valley, in ascending order. It is walked from the first point to the last in as many `stages` of the same
    length. Return a tuple: the gains in altitude of the stages (end less start, below zero if it goes down), as a list,
    and how far the highest gain lies above the lowest."""
    ends = np.histogram_bin_edges(km, bins=stages)
    gains = np.diff(np.interp(ends, km, altitudes))
    return gains, np.ptp(gains)


@task(equivalent={"sort -> unique": "no spring is drawn from twice"})
def nearest_springs(distances: Vector(Int(10, 900), (6, 25), unique=True), wanted: Int(2, 5)):
    """`distances` tells how far each spring is from the camp, in metres, no two the same. The scouts draw water at the
    `wanted` nearest springs and go back to the camp after each of them. Return a dict: "springs", the positions of
    these springs in the list, counted from 0 and in ascending order, and "metres", how far they walk altogether."""
    nearest = np.argpartition(distances, wanted)[:wanted]
    return {"springs": np.sort(nearest), "metres": 2 * np.sum(np.take(distances, nearest))}
