"""At sea: headings, bearings, wind, charts, chains and waves."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Choice, Echo, Float, Int, Matrix, Vector

COURSES = Choice(20, 50, 95, 200, 380, 410, 455, 560, -340, -310, -265, -160)


@task(legs=(2, 12))
def miles_lost_to_zigzag(headings: Vector(Int(0, 359), "legs"), miles: Vector(Float(0.5, 20, 1), "legs")):
    """A yacht sails one leg after another; `headings` are compass courses in degrees (0 is north, 90 is east) and
    `miles` the length of each leg. On a flat chart, return a tuple: how many miles in a straight line she ends up from
    the start, and how many miles farther than that she has sailed."""
    course = np.radians(headings)
    straight = np.hypot(np.dot(miles, np.sin(course)), np.dot(miles, np.cos(course)))
    return straight, np.sum(miles) - straight


@task(
    marks=(2, 12),
    equivalent={"sort -> unique": "a buoy in the direction of another one only adds a gap of 0"},
)
def widest_gap_between_marks(east: Vector(Int(-30, 30), "marks"), north: Vector(Int(-30, 30, but=(0,)), "marks")):
    """Racing buoys lie `east` and `north` of us by so many metres (below zero: west, south). Looking around the
    whole horizon, in some direction there is a gap between two neighbouring buoys that is wider than the others.
    Return a tuple: how many degrees the widest gap measures (360 if every buoy lies in the same direction), and the
    compass bearing, from 0 (north) over 90 (east) to below 360, of the buoy that comes first if one turns clockwise
    from north."""
    bearings = np.sort(np.remainder(np.degrees(np.arctan2(east, north)), 360))
    return np.max(np.diff(bearings, append=bearings[0] + 360)), bearings[0]


@task
def farthest_turned_either_way(headings: Vector(Int(0, 359), (4, 20))):
    """The autopilot writes down its compass course in whole degrees every ten seconds: `headings`. Between two
    readings the boat turns the shorter way round, even if the number jumps because she passes north; if both ways
    are half a circle, she turns clockwise if the number rises and the other way if it falls. Compare her course at
    every reading with the first: return a tuple of the most degrees that she had turned clockwise and the most that
    she had turned the other way, neither below zero. More than a full circle is possible."""
    turned = np.unwrap(headings, period=360) - headings[0]
    return np.max(turned), -np.min(turned)


@task
def apparent_wind(wind: Float(2, 25, 1), off_bow: Vector(Int(0, 180), (4, 12)), boat: Float(1, 12, 1)):
    """A boat makes `boat` knots in a true wind of `wind` knots that comes from an angle off her bow; `off_bow` lists
    several such angles in degrees. The crosswise part of the wind on deck is wind times sine of the angle; the
    lengthwise part is wind times cosine, plus the boat's own speed. These parts are at right angles: return the wind
    speed felt on deck for each angle, as a list."""
    off = np.radians(off_bow)
    return np.hypot(wind * np.sin(off), wind * np.cos(off) + boat)


@task(ports=(2, 9))
def passage_over_the_globe(lats: Vector(Float(-60, 60, 1), "ports"), lons: Vector(Float(-80, 80, 1), "ports")):
    """A ship calls at several ports in turn, given by their `lats` and `lons`, latitudes and longitudes in degrees.
    The distance of two ports in km is 2 * 6371 times the angle, in radians, whose sine is the square root of h; h
    is the squared sine of half the latitude difference, plus the product of the cosines of both latitudes and the
    squared sine of half the longitude difference. Return a tuple: the length of the whole voyage, and the length of
    its longest leg, in km."""
    north, east = np.radians(lats), np.radians(lons)
    across = np.cos(north[1:]) * np.cos(north[:-1]) * np.sin(np.diff(east) / 2) ** 2
    legs = 2 * 6371 * np.arcsin((np.sin(np.diff(north) / 2) ** 2 + across) ** 0.5)
    return np.sum(legs), np.max(legs)


@task(boats=(1, 16))
def boats_in_the_sector(
    headings: Vector(Choice(0, 30, 59, 60, 89, 90, 120, 150, 179, 180, 210, 239, 240, 270, 300, 330), "boats"),
    crew: Vector(Int(1, 5), "boats"),
    wind: Choice(30, 90, 150, 240, 270, 330),
    sector: Choice(120, 150, 210, 240),
):
    """The umpire wants to know who sails in the sector that starts at the `wind` direction and opens clockwise by
    `sector` degrees; the start belongs to it, the end does not. `headings` are those of the boats, in degrees, and
    `crew` says how many people are on board, 1 to 5. Return a tuple of three: the list of the positions, from 0, of the
    boats whose heading lies in the sector, beginning with those closest to its start (equal headings in the given
    order); how many people are on board of these boats altogether; a list of five numbers, how many of these boats have
    a crew of 1, 2, 3, 4 and 5."""
    off = np.remainder(np.subtract(headings, wind), 360)
    order = np.argsort(off, stable=True)
    inside = order[off[order] < sector]
    people = np.take(crew, inside)
    return inside, np.sum(people), np.bincount(people, minlength=6)[1:]


@task(legs=(3, 7), routes=(3, 9))
def routes_deep_enough(charted: Matrix(Int(2, 12), "routes", "legs"), tide: Int(0, 3), draught: Int(4, 6)):
    """Rows of `charted` are routes into the harbour, the numbers the charted depths of their stretches in metres, to
    which the height of the `tide` comes. A ship needs `draught` metres of water. Return a tuple: the positions, from 0,
    of the routes that are deep enough everywhere, as a list, and the water that the best route leaves below the ship at
    its shallowest stretch, in metres (below zero if she cannot pass at all)."""
    spare = np.min(charted, axis=1) + tide - draught
    return np.flatnonzero(spare >= 0), np.max(spare)


@task(
    readings=(4, 14),
    equivalent={"turning - np.polyval(line, seconds): operands swapped": "only the size of the difference counts"},
)
def swing_of_an_anchored_ship(
    seconds: Vector(Int(0, 90), "readings", unique=True, sorted=True),
    heading: Vector(Float(-3.1, 3.1, 2), "readings", unique=True),
):
    """A ship at anchor swings in the current. At the given `seconds` her bow pointed to the angles `heading`, in
    radians from -pi to pi; between two readings she always turned the shorter way, even across pi. How fast does she
    turn, according to the straight line that fits her turning over time best (least squares)? Return a tuple: the speed
    in turns per minute, below zero if the angles fall, and the greatest distance of a reading from that line in
    radians."""
    turning = np.unwrap(heading)
    line = np.polyfit(seconds, turning, 1)
    off = np.absolute(turning - np.polyval(line, seconds))
    return line[0] * 60 / (2 * np.pi), np.max(off)


@task
def anchor_chain_reach(pull: Float(200, 900, 0), weight: Float(5, 30, 1), depths: Vector(Float(2, 25, 1), (4, 14))):
    """A hanging anchor chain has the length scale a: the horizontal `pull` divided by the chain's `weight` per metre.
    In water of depth h the ship lies a times the inverse hyperbolic cosine of (1 + h / a) away from the spot at which
    the chain leaves the ground. Return a tuple: the average of that distance over the given `depths`, and by how much
    it differs between the shallowest and the deepest."""
    scale = pull / weight
    reach = scale * np.arccosh(np.divide(depths, scale) + 1)
    return np.mean(reach), np.ptp(reach)


@task(points=(2, 10))
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
def height_of_the_chart(lats: Vector(Float(-70, 70, 1), (2, 12))):
    """A hand-drawn Mercator chart shows places with latitudes `lats`, in degrees. A place lies above the equator of the
    chart by the inverse hyperbolic tangent of the sine of its latitude, which is an angle in radians (below zero in the
    south). Return the height that the chart needs from the lowest place to the highest, in minutes of arc, 60 to a
    degree."""
    return np.ptp(np.degrees(np.arctanh(np.sin(np.radians(lats)))) * 60)


@task(equivalent={"subtract: arguments 1 and 2 swapped": "the hyperbolic cosine is the same for z and -z"})
def sway_below_the_surface(
    height: Float(0.2, 3, 1), k: Float(0.1, 1.5, 1), depth: Float(3, 6, 1), below: Vector(Float(0, 3, 1), (4, 12))
):
    """Under a wave of half-height `height` and wave number `k`, in water of the given `depth`, a float that hangs z
    metres under the surface sways to each side by: height times the hyperbolic cosine of k * (depth - z), over the
    hyperbolic sine of k * depth. Floats hang at every z in `below`. Return a tuple: the average sway, and how far the
    largest sway exceeds the smallest."""
    sway = height * np.cosh(k * np.subtract(depth, below)) / np.sinh(k * depth)
    return np.mean(sway), np.ptp(sway)


@task(
    equivalent={
        "subtract: arguments 1 and 2 swapped": "the weight is the same for d and -d",
        "expand_dims -> outer": "the moments times 1, as a column, are the same column",
    }
)
def tide_between_the_hours(hourly: Vector(Float(0, 6, 1), (5, 12)), moments: Vector(Float(0.05, 4, 2), (3, 9))):
    """A tide gauge stores a level once an hour, at hours 0, 1, 2, ...: `hourly`. At another time t the level is the
    total of the stored ones, each multiplied by sin(pi d) / (pi d), d being t minus its hour (1 for d = 0). A diver
    asks about several `moments`, given in hours. Return a tuple: the highest and the lowest level at these moments."""
    apart = np.subtract(np.expand_dims(moments, 1), np.arange(len(hourly)))
    levels = np.matmul(np.sinc(apart), hourly)
    return np.max(levels), np.min(levels)


@task(equivalent={"array_equal -> allclose": "different whole degrees are never close"})
def same_logbook(
    port: Vector(COURSES, (1, 8)),
    starboard: Echo(
        "port", Vector(COURSES, (1, 8)), part=lambda book: [*book[: max(len(book) - 1, 1)], book[-1] - 360]
    ),
):
    """Two lookouts wrote down headings in degrees, `port` and `starboard`, perhaps a different number of them and some
    with full circles too many or too few: 50, 410 and -310 are the same heading. Return a tuple: whether the two books
    agree entry by entry and in length; the headings that occur in both; and the headings that occur in just one of
    them. Both lists give headings from 0 to 359, each once and in ascending order."""
    left, right = np.remainder(port, 360), np.remainder(starboard, 360)
    return np.array_equal(left, right), np.intersect1d(left, right), np.setxor1d(left, right)
