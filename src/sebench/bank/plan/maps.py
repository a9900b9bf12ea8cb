"""Maps and pictures: areas, distances, terrain, grids, headings."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Choice, Int, Matrix, Vector
from sebench.bank.plan import TRUTHS, either_way


@task(
    corners=(3, 30),
    equivalent=either_way("next_x - x", "next_y - y", "x * next_y - y * next_x")
    | dict.fromkeys(
        ("absolute -> linalg.norm", "absolute -> linalg.vector_norm"), "of a single number both are its size"
    ),
)
def survey_of_a_field(x: Vector(Int(-20, 20), "corners"), y: Vector(Int(-20, 20), "corners")):
    """The corners of a field lie at the coordinates `x`, `y`, in the order of a walk around it; the last side leads
    back to the first corner, and sides may cross. As its area the surveyor takes half the size, without sign, of the
    total over the sides of x times the y of the next corner less y times the x of the next corner. Return a tuple of
    four: area; length of the whole border; length of the longest side; area of the smallest rectangle around the
    corners with sides along x and y."""
    x, y = np.array(x), np.array(y)
    next_x, next_y = np.roll(x, -1), np.roll(y, -1)
    squared = (next_x - x) ** 2 + (next_y - y) ** 2
    area = np.abs(np.sum(x * next_y - y * next_x)) / 2
    return area, np.sum(squared**0.5), np.max(squared) ** 0.5, np.ptp(x) * np.ptp(y)


@task(
    homes=(4, 50),
    wells=(2, 8),
    equivalent=either_way(
        "np.array(home_x)[:, None] - np.array(well_x)", "np.array(home_y)[:, None] - np.array(well_y)"
    ),
)
def homes_and_wells(
    home_x: Vector(Int(0, 30), "homes"), home_y: Vector(Int(0, 30), "homes"),
    well_x: Vector(Int(0, 30), "wells"), well_y: Vector(Int(0, 30), "wells"),
):  # fmt: skip
    """Homes lie at `home_x`, `home_y`, wells at `well_x`, `well_y`. Every home fetches water from the well nearest in a
    straight line, the first such well in a tie. Return a tuple of three: list of the numbers of homes that use each
    well; well with the most homes, the first in a tie; longest way from a home to its well."""
    across = np.array(home_x)[:, None] - np.array(well_x)
    along = np.array(home_y)[:, None] - np.array(well_y)
    squared = across**2 + along**2
    homes = np.bincount(np.argmin(squared, axis=1), minlength=len(well_x))
    return homes, np.argmax(homes), np.max(np.min(squared, axis=1)) ** 0.5


@task(
    rows=(3, 9),
    columns=(3, 12),
    equivalent=TRUTHS
    | dict.fromkeys(
        ("pad: constant_values=99 -> 100", "pad: constant_values=99 -> 98"), "a rim above every height is no neighbour"
    ),
)
def pits_of_a_landscape(heights: Matrix(Int(0, 12), "rows", "columns"), water: Int(2, 8)):
    """In the grid `heights` a field is a pit if it is lower than each of its neighbours above, below, left and right,
    as far as they are in the grid: a field at the border has fewer. Return a tuple of three: list of the pits as [row,
    column], from 0 and in reading order; height of the highest pit, or -1 if there is none; number of fields with a
    height of `water` or less."""
    land = np.array(heights)
    around = np.pad(land, 1, constant_values=99)
    nearest = np.minimum(around[:-2, 1:-1], around[2:, 1:-1])
    lowest = np.minimum(nearest, np.minimum(around[1:-1, :-2], around[1:-1, 2:]))
    pits = land < lowest
    return np.argwhere(pits), np.max(land[pits], initial=-1), np.count_nonzero(land <= water)


@task(rows=(3, 9), columns=(3, 12))
def steepest_place(heights: Matrix(Int(0, 30), "rows", "columns")):
    """On the grid `heights` the slope along a line at a field is half the difference between the next and the previous
    field, and at the two ends of the line the difference between the end and its only neighbour on the line. The
    steepness of a field is the root of the squared slope along its column plus the squared slope along its row. Return
    a tuple of four: row of the steepest field, from 0; its column, from 0; its steepness; average height of the grid.
    Of fields for which the total of the two squares is the same the first in reading order counts."""
    down, across = np.gradient(np.array(heights))
    squared = down**2 + across**2
    row, column = np.unravel_index(np.argmax(squared), squared.shape)
    return row, column, squared[row, column] ** 0.5, np.mean(heights)


@task(rows=(3, 9), columns=(3, 12))
def frame_around_the_bright(picture: Matrix(Int(0, 9), "rows", "columns")):
    """In a `picture` of brightness values a point is bright if its value is above the middle one of all values in order
    (or above the point midway between the two middle ones), or if it is the highest of all; so there is a bright point
    even in a plain picture. A frame is put around the bright points, as small as possible. Return a tuple of five:
    first row of the frame; its last row; its first column; its last column, all from 0; number of bright points."""
    values = np.array(picture)
    row, column = np.nonzero((values > np.median(values)) | (values == np.max(values)))
    return np.min(row), np.max(row), np.min(column), np.max(column), row.size


@task(
    n=(1, 12),
    equivalent={
        "divide -> arctan2": "the angle grows with the ratio of height and distance",
        "where: y=-1 -> -2": "every filler below 0 is below every ratio",
    },
)
def peaks_in_sight(
    distance: Vector(Choice(1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 30), "n", unique=True, sorted=True),
    height: Vector(Choice(0, 2, 4, 6, 10, 12, 20), "n"),
):
    """From a point at height 0 one looks along a line over hills at the ascending `distance` from it and of the given
    `height`, none of which is below 0. The first hill is in sight; a later one is in sight if its height over its
    distance is more than that of every hill before it. Return a tuple of two: list of the positions of the hills in
    sight, from 0; greatest height of a hill that is out of sight, or 0 if there is none."""
    steep = np.divide(height, distance)
    before = np.where(np.tri(len(steep), k=-1), steep, -1)
    hidden = steep <= np.max(before, axis=1)
    return np.flatnonzero(~hidden), np.max(np.array(height)[hidden], initial=0)


@task(
    masts=(1, 6),
    equivalent=TRUTHS
    | either_way("np.arange(10)[:, None] - np.array(row)", "np.arange(14)[:, None] - np.array(column)"),
)
def reach_of_the_masts(row: Vector(Int(0, 9), "masts"), column: Vector(Int(0, 13), "masts"), reach: Int(2, 5)):
    """A district is a grid of 10 rows and 14 columns; masts stand on the fields `row`, `column`. A field is served if
    its centre is at most `reach` away in a straight line from the centre of a field with a mast (neighbouring fields
    are 1 apart). Return a tuple of four: number of fields that are not served; place of the field that is farthest from
    its nearest mast, as a tuple (row, column), the first in reading order of those with the same squared distance; its
    distance from that mast; average distance of the 140 fields from their nearest mast."""
    down = (np.arange(10)[:, None] - np.array(row)) ** 2
    across = (np.arange(14)[:, None] - np.array(column)) ** 2
    squared = np.min(down[:, None] + across, axis=2)
    worst = np.argmax(squared)
    away = squared**0.5
    place = worst // 14, worst % 14
    return np.count_nonzero(squared > reach**2), place, away[place], np.mean(away)


@task(
    n=(3, 30),
    equivalent={"linspace: arguments 1 and 2 swapped": "the same stakes, set from the other end"},
)
def stakes_along_a_fence(
    east: Vector(Int(0, 100), "n", unique=True, sorted=True), north: Vector(Int(0, 40), "n"), stakes: Int(3, 9)
):
    """A fence runs in straight pieces through the points `east`, `north`, in this order. Along it `stakes` stakes are
    set at equal distances, measured along the fence; the first stands at its start, the last at its end. Return a tuple
    of three: length of the fence; greatest north coordinate of a stake; average north coordinate of the stakes."""
    pieces = (np.diff(east) ** 2 + np.diff(north) ** 2) ** 0.5
    way = np.concatenate([[0], np.cumsum(pieces)])
    heights = np.interp(np.linspace(0, way[-1], stakes), way, north)
    return way[-1], np.max(heights), np.mean(heights)


@task
def brightest_tile(picture: Matrix(Int(0, 20), 8, 12)):
    """A `picture` of 8 rows and 12 columns is cut into 16 tiles of two rows and three columns, without gaps. The
    brightness of a tile is the total of its six values. Return a tuple of four: place of the brightest tile as a tuple
    (row of tiles, column of tiles), both from 0, the first in reading order in a tie; its brightness; middle
    brightness, which is midway between the two middle ones of the 16 in order; difference between the highest and the
    lowest brightness of a tile."""
    tiles = np.sum(np.reshape(picture, (4, 2, 4, 3)), axis=(1, 3))
    best = np.argmax(tiles)
    place = best // 4, best % 4
    return place, tiles[place], np.median(tiles), np.ptp(tiles)


@task(equivalent=TRUTHS)
def course_of_a_boat(heading: Vector(Int(0, 359), (2, 60))):
    """A boat noted its `heading` in whole degrees clockwise from north, 0 to 359, one after the other. From a heading
    to the next it took the shorter way round; between exactly opposite headings it turned clockwise if the number rises
    and to the left if it falls. Return a tuple of four: degrees by which it turned from the first heading to the last,
    left turns counting as negative and full turns included; difference between the most clockwise and the most
    anticlockwise heading on the way, full turns included; greatest single turn, taken as positive; number of turns to
    the left."""
    course = np.unwrap(heading, period=360)
    turns = np.diff(course)
    return course[-1] - course[0], np.ptp(course), np.max(np.abs(turns)), np.count_nonzero(turns < 0)
