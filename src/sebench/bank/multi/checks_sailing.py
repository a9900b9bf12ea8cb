"""At sea: headings, bearings, wind, charts, chains and waves."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Choice, Float, Int, Matrix, Vector
from sebench.bank.multi.checks_truth import ALL_NONZERO


@task(legs=(2, 6))
def made_good(headings: Vector(Int(0, 359), "legs"), miles: Vector(Float(0.5, 20, 1), "legs")):
    """A yacht sails one leg after another; `headings` are compass courses in degrees (0 is north, 90 is east) and
    `miles` the length of each leg. Return as a tuple how many miles east and how many miles north of the start she ends
    up, west and south counting below zero."""
    course = np.radians(headings)
    return np.dot(miles, np.sin(course)), np.dot(miles, np.cos(course))


@task(marks=(2, 6))
def bearings_of_the_marks(east: Vector(Int(-30, 30), "marks"), north: Vector(Int(-30, 30, but=(0,)), "marks")):
    """Racing buoys lie `east` and `north` of us by so many metres (below zero: west, south). Return for each buoy the compass
    bearing in degrees, north being 0 and east 90, brought into the range from 0 up to but not including 360, as a list."""
    return np.remainder(np.degrees(np.arctan2(east, north)), 360)


@task
def sharpest_turn(headings: Vector(Int(0, 359), (3, 7))):
    """The autopilot writes down its compass reading in whole degrees every ten seconds: `headings`. Passing north makes
    the number jump, so first make the series continuous by adding or taking away full circles wherever a step is larger
    than half a circle (a step of exactly 180 stays). Return the size of the largest step from one reading to the
    next."""
    return np.max(np.absolute(np.diff(np.unwrap(headings, period=360))))


@task
def apparent_wind(wind: Float(2, 25, 1), off_bow: Vector(Int(0, 180), (2, 6)), boat: Float(1, 12, 1)):
    """A boat makes `boat` knots in a true wind of `wind` knots that comes from an angle off her bow; `off_bow` lists several
    such angles in degrees. The crosswise part of the wind on deck is wind times sine of the angle; the lengthwise part is
    wind times cosine, plus the boat's own speed. These parts are at right angles: return the wind speed felt on deck for each
    angle, as a list."""
    off = np.radians(off_bow)
    return np.hypot(wind * np.sin(off), wind * np.cos(off) + boat)


@task
def passage_over_the_globe(start: Vector(Float(-60, 60, 1), 2), goal: Vector(Float(-60, 60, 1), 2)):
    """`start` and `goal` are ports, each given as latitude and longitude in degrees. By the haversine rule, h is the
    squared sine of half the latitude difference plus (cosine of one latitude times cosine of the other times squared
    sine of half the longitude difference). Return the distance in km: 2 * 6371 times the angle, in radians, whose sine
    is the square root of h."""
    here, there = np.radians(start), np.radians(goal)
    half = np.square(np.sin((there - here) / 2))
    h = half[0] + np.cos(here[0]) * np.cos(there[0]) * half[1]
    return 2 * 6371 * np.arcsin(np.sqrt(h))


@task
def boats_in_the_sector(
    headings: Vector(Choice(0, 30, 60, 90, 120, 150, 180, 210, 240, 270, 300, 330), (4, 8)),
    wind: Choice(30, 90, 150, 240, 270, 330),
    sector: Choice(150, 210, 240),
):
    """The umpire wants to know who sails in the sector that starts at the `wind` direction and opens clockwise by `sector`
    degrees. A boat's angle is its heading, from `headings`, less the wind, brought into 0 to 359 by whole circles. Return
    these angles for the boats inside, as a list in the given order; the start of the sector belongs to it, its end does not."""
    off = np.remainder(np.subtract(headings, wind), 360)
    return np.extract(np.less(off, sector), off)


@task(
    legs=(2, 3),
    routes=(3, 5),
    equivalent={
        **ALL_NONZERO,
        "greater_equal -> floor_divide": "how often the draught fits into the depth is nonzero exactly if it fits",
    },
)
def routes_deep_enough(charted: Matrix(Int(1, 9), "routes", "legs"), tide: Int(0, 2), draught: Int(4, 6)):
    """Rows of `charted` are routes into the harbour, the numbers the charted depths of their stretches in metres. The
    height of the `tide` is added to every depth. A route can be used if no stretch of it is then shallower than the
    ship's `draught`. Return the positions of the usable routes, counted from 0, as a list."""
    return np.flatnonzero(np.all(np.greater_equal(np.add(charted, tide), draught), axis=1))


@task(readings=(3, 6))
def swing_of_an_anchored_ship(
    seconds: Vector(Int(0, 40), "readings", unique=True, sorted=True),
    heading: Vector(Float(-3.1, 3.1, 2), "readings", unique=True),
):
    """A ship at anchor swings in the current. At the given `seconds` her bow pointed to the angles `heading`, in
    radians from -pi to pi. Make the angles continuous, removing jumps of more than pi by whole turns, and lay a
    straight line through them over time by least squares. Return its slope in turns per minute: radians per second
    times 60 divided by two pi."""
    line = np.polyfit(seconds, np.unwrap(heading), 1)
    return np.divide(line[0] * 60, 2 * np.pi)


@task
def anchor_chain_reach(pull: Float(200, 900, 0), weight: Float(5, 30, 1), depths: Vector(Float(2, 25, 1), (2, 5))):
    """A hanging anchor chain has the length scale a: the horizontal `pull` divided by the chain's `weight` per metre.
    In water of depth h the ship lies a times the inverse hyperbolic cosine of (1 + h / a) away from where the chain
    leaves the ground. Return the average of that distance over the given `depths`."""
    scale = np.divide(pull, weight)
    return scale * np.mean(np.arccosh(np.divide(depths, scale) + 1))


@task(points=(2, 5))
def rhumb_line_courses(
    lats: Vector(Float(-65, 65, 1), "points", unique=True), lons: Vector(Float(-40, 40, 1), "points", unique=True)
):
    """Waypoints have latitudes `lats` and longitudes `lons` in degrees. On a Mercator chart a point's height is the
    inverse hyperbolic sine of the tangent of its latitude, its sideways place the longitude in radians. For each leg
    from a waypoint to the next return the course in degrees, clockwise from chart north and between -180 and 180, as a
    list."""
    height = np.arcsinh(np.tan(np.radians(lats)))
    return np.degrees(np.arctan2(np.diff(np.radians(lons)), np.diff(height)))


@task
def meridional_minutes(lats: Vector(Float(-70, 70, 1), (2, 6))):
    """For a hand-drawn sea chart, each of the `lats` (degrees) becomes a height: the inverse hyperbolic tangent of the
    sine of the latitude. Turn these heights, which are in radians, into degrees and then into minutes, 60 to a degree.
    Return how many minutes lie between the lowest and the highest."""
    return np.ptp(np.degrees(np.arctanh(np.sin(np.radians(lats)))) * 60)


@task
def distance_of_the_lighthouse(height: Int(15, 80), sextant: Vector(Float(2, 40, 1), (2, 6))):
    """Several boats lie off a lighthouse `height` metres tall. Each measures the angle between the foot of the tower and the
    lamp on top; `sextant` holds the angles in degrees. A boat's distance is the height divided by the tangent of its angle.
    Return the average of the distances, in metres."""
    return np.mean(np.divide(height, np.tan(np.radians(sextant))))


@task
def wave_speeds(lengths: Vector(Float(3, 150, 1), (2, 5)), depth: Float(1, 30, 1)):
    """Waves of the given `lengths` in metres run over water that is `depth` metres deep. The wave number is k = 2 pi
    divided by the length, and the speed is the square root of the product of (9.81 / k) and the hyperbolic tangent of
    (k times the depth). Return the speeds in metres per second, as a list."""
    k = np.divide(2 * np.pi, lengths)
    return np.sqrt(np.divide(9.81, k) * np.tanh(k * depth))


@task(equivalent={"subtract: arguments 1 and 2 swapped": "the hyperbolic cosine is the same for z and -z"})
def sway_below_the_surface(
    height: Float(0.2, 3, 1), k: Float(0.1, 1.5, 1), depth: Float(3, 6, 1), below: Vector(Float(0, 3, 1), (2, 5))
):
    """Under a wave of half-height `height` and wave number `k`, in water of the given `depth`, a float that hangs z
    metres under the surface sways to each side by: height times the hyperbolic cosine of k * (depth - z), over the
    hyperbolic sine of k * depth. Return this for every z in `below`, as a list."""
    above_ground = np.subtract(depth, below)
    return np.divide(height * np.cosh(k * above_ground), np.sinh(k * depth))


@task
def sonar_beam(aperture: Float(1, 6, 1), off_axis: Vector(Int(-60, 60), (2, 6))):
    """A sonar plate is `aperture` wavelengths long. `off_axis` lists angles in degrees from straight ahead. For each,
    take x = aperture times the sine of the angle; the echo strength is the square of (sine of pi x, divided by pi x),
    which is 1 straight ahead. Return the strength at each angle, as a list."""
    return np.square(np.sinc(aperture * np.sin(np.radians(off_axis))))


@task(equivalent={"subtract: arguments 1 and 2 swapped": "the weight is the same for d and -d"})
def tide_between_the_hours(hourly: Vector(Float(0, 6, 1), (5, 7)), moment: Float(0.05, 4, 2)):
    """A tide gauge stores a level once an hour, at hours 0, 1, 2, ...: `hourly`. For a time `moment` in hours, weigh
    each stored level with sin(pi d) / (pi d), d being the moment less that hour (the weight is 1 for d = 0). Return the
    weighted sum."""
    hours = np.arange(len(hourly))
    return np.dot(hourly, np.sinc(np.subtract(moment, hours)))


@task
def same_logbook(
    port: Vector(Choice(50, 410, -310, -340), (1, 2)), starboard: Vector(Choice(50, 410, -310, 20), (1, 2))
):
    """Two lookouts wrote down headings, `port` and `starboard`, perhaps a different number of them and some with full
    circles too many or too few. Bring all headings into 0 to 359. Return as a tuple: whether the two books then agree
    entry by entry and in length, and the list of the headings that occur in both, in ascending order and each once."""
    left, right = np.remainder(port, 360), np.remainder(starboard, 360)
    return np.array_equal(left, right), np.intersect1d(left, right)
