"""Weather and water: spells, records, gaps in readings, wind, tides."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Choice, Either, Float, Int, Matrix, Missing, Vector
from sebench.bank.plan import TRUTHS, either_way


@task(
    equivalent=TRUTHS
    | {
        "flatnonzero -> argwhere": "a column of positions gives the same starts and lengths, one to a row",
        "concatenate -> block": "lists that are not nested are put end to end by both",
    }
)
def longest_dry_spell(
    rain: Either(Vector(Int(0, 3), (1, 4)), Vector(Int(0, 3), (20, 200)), Vector(Int(2, 3), (2, 30))), limit: Int(1, 4)
):
    """`rain` holds the millimetres of rain of successive days. A day is dry if it brought less than `limit`
    millimetres, and a dry spell is an unbroken run of dry days. Return a tuple of four: number of days of the longest
    dry spell; position of its first day, counted from 0; number of dry days in the whole record; highest rain of a day.
    Of equally long spells the earliest counts; without a single dry day the first three entries are 0, -1 and 0."""
    dry = np.array(rain) < limit
    edges = np.flatnonzero(np.diff(np.concatenate([[False], dry, [False]])))
    starts, lengths = np.append(edges[::2], -1), np.append(edges[1::2] - edges[::2], 0)
    longest = np.argmax(lengths)
    return lengths[longest], starts[longest], np.count_nonzero(dry), np.max(rain)


@task(n=(4, 40))
def temperatures_at_full_hours(
    minutes: Vector(Int(0, 720), "n", unique=True, sorted=True), degrees: Vector(Float(-5, 30), "n")
):
    """A faulty logger noted the temperatures `degrees` at irregular `minutes` after midnight (ascending). Between two
    readings the temperature runs in a straight line; before the first and after the last reading it stays at that
    reading. Work with the temperatures at the 13 full hours from 0 to 12 o'clock. Return a tuple of three: steepest
    rise from a full hour to the next, which is 0 or less if it never gets warmer; middle one of the 13 temperatures in
    order of size; degree hours: the area under the straight lines that join the 13 temperatures, with time in hours."""
    hourly = np.interp(60 * np.arange(13), minutes, degrees)
    return np.max(np.diff(hourly)), np.median(hourly), np.trapezoid(hourly)


@task(equivalent=TRUTHS)
def stations_that_agree_with_the_majority(wet: Matrix(Int(0, 1), 7, (8, 30))):
    """Seven stations (rows of `wet`) reported for every day (columns) whether it was wet (1) or dry (0). On each day
    the majority is what at least four stations reported. Return a tuple of two: list of the stations, as row numbers
    from 0 in ascending order, that agree with the majority on the most days; on how many days they do."""
    majority = np.median(wet, axis=0)
    agreed = np.count_nonzero(np.array(wet) == majority, axis=1)
    most = np.max(agreed)
    return np.flatnonzero(agreed == most), most


@task(equivalent=either_way("np.array(temperatures) - np.median(temperatures, axis=0)"))
def least_reliable_months(temperatures: Matrix(Int(-4, 24), (3, 15), 12)):
    """Each row of `temperatures` is a year with its twelve monthly temperatures. The normal value of a month is the
    middle one of its values over the years in order of size (midway between the two middle ones if the number of years
    is even). A month is the less reliable, the higher the total of its distances from the normal value is; distances
    count as positive. Return a tuple of three: list of the three least reliable months as numbers from 1 to 12, the
    least reliable first, the earlier month first in a tie; total of the least reliable month; greatest single distance
    in the whole table."""
    distance = np.abs(np.array(temperatures) - np.median(temperatures, axis=0))
    total = np.sum(distance, axis=0)
    order = np.argsort(-total, stable=True)
    return order[:3] + 1, total[order[0]], np.max(distance)


@task(
    days=(2, 14),
    equivalent=TRUTHS
    | {"clip: arguments 1 and 2 swapped": "the greater of a value and the lower limit, either way round"},
)
def day_the_vines_flower(
    morning: Vector(Choice(2, 8, 10, 14, 20, 26, 34), "days"),
    afternoon: Vector(Choice(6, 10, 14, 20, 30, 36), "days"),
    needed: Choice(20, 30, 40, 50, 60),
):
    """Vines collect warmth. The two temperatures of a day, from `morning` and `afternoon`, are first brought into the
    range 10 to 30 (what is below counts as 10, what is above as 30); the warmth of the day is the average of the two
    less 10. The vines flower on the first day on which the warmth collected since the start reaches or passes `needed`.
    Return a tuple of three: number of that day, from 1, or 0 if it does not come; warmth collected by the end of the
    last day; number of days without warmth."""
    warmth = (np.clip(morning, 10, 30) + np.clip(afternoon, 10, 30)) / 2 - 10
    collected = np.cumsum(warmth)
    day = np.searchsorted(collected, needed) + 1
    return day * (day <= len(morning)), collected[-1], np.count_nonzero(warmth == 0)


@task(
    hours=(10, 120),
    equivalent=dict.fromkeys(
        (
            "np.array(speed) @ np.sin(np.radians(direction)): operands swapped",
            "np.array(speed) @ np.cos(np.radians(direction)): operands swapped",
        ),
        "a product of two lists of numbers is the same both ways",
    ),
)
def prevailing_wind(direction: Vector(Int(0, 359), "hours"), speed: Vector(Int(1, 40), "hours")):
    """Every hour a mast reports from which side the wind comes, as a `direction` in whole degrees clockwise from north,
    and its `speed`. The compass has eight sectors of 45 degrees, numbered clockwise from 0; sector 0 is centred on
    north, from 337.5 up to 22.5 degrees, sector 1 on north-east, and so on. Return a tuple of three: sector that comes
    most often, the lowest number in a tie; average speed of its hours; length of the arrow that results if the winds
    are added as arrows, each as long as its speed."""
    sector = (np.array(direction) * 2 + 45) // 90 % 8
    counts = np.bincount(sector)
    most = np.argmax(counts)
    east = np.array(speed) @ np.sin(np.radians(direction))
    north = np.array(speed) @ np.cos(np.radians(direction))
    average = np.bincount(sector, weights=speed)[most] / counts[most]
    return most, average, (east**2 + north**2) ** 0.5


@task
def bridge_the_gaps(levels: Vector(Missing(Int(100, 160)), (8, 60))):
    """A gauge should report the river level every hour, but in `levels` lost readings are nan. Fill them: between two
    readings the level runs in a straight line; before the first and after the last reading it stays at that reading.
    Return a tuple of three: number of lost readings; average of the filled record; greatest difference between the
    highest and the lowest of four successive levels of the filled record."""
    lost, hours = np.isnan(levels), np.arange(len(levels))
    filled = np.interp(hours, hours[~lost], np.array(levels)[~lost])
    fours = np.array([filled[:-3], filled[1:-2], filled[2:-1], filled[3:]])
    return hours.size - hours[~lost].size, np.mean(filled), np.max(np.ptp(fours, axis=0))


@task(equivalent={"convolve -> correlate": "the seven weights are the same from both ends"})
def warmest_and_coldest_week(temperatures: Vector(Int(-10, 30), (14, 150))):
    """From the daily `temperatures` of a season find the warmest and the coldest week. A week is made of seven
    successive days and may begin on each day that has six more after it; it is the warmer, the higher its seven
    temperatures add up. Return a tuple of three: position of the first day of the warmest week; position of the first
    day of the coldest week; middle one of the weekly totals in order of size, or midway between the two middle ones.
    Positions count from 0; in a tie the earliest week wins."""
    weeks = np.convolve(temperatures, [1] * 7, "valid")
    return np.argmax(weeks), np.argmin(weeks), np.median(weeks)


@task(
    n=(6, 30),
    equivalent=either_way("levels - design @ np.array([a, b, c])"),
)
def height_of_the_tide(hours: Vector(Int(0, 60), "n", unique=True, sorted=True), levels: Vector(Int(100, 400), "n")):
    """Harbour `levels` in centimetres were read at these `hours`. The tide at hour t is described by a + b C + c S,
    with C the cosine and S the sine of an angle of t/2 radians; a, b and c are chosen so that the squared differences
    from the readings add up to the least. Return a tuple of three: the number a; height of the tide above a, which is
    the root of b squared plus c squared; greatest size of a difference between a reading and the described level, its
    sign ignored."""
    phase = np.array(hours) / 2
    design = np.array([np.ones(len(hours)), np.cos(phase), np.sin(phase)]).T
    a, b, c = np.linalg.lstsq(design, levels)[0]
    return a, (b**2 + c**2) ** 0.5, np.max(np.abs(levels - design @ np.array([a, b, c])))


@task
def days_of_high_water(levels: Vector(Int(10, 40), (12, 150))):
    """A mill closes on days of high water: days whose entry in `levels` is above the upper quartile of the record. The
    quartile is the point three quarters of the way through the values in order of size, on a straight line between the
    two nearest values if it falls between them. Return a tuple of four: quartile; number of days of high water; longest
    time in days from one day of high water to the next one, or 0 if there are fewer than two of them; standard
    deviation of the record, with the number of days as divisor."""
    quartile = np.percentile(levels, 75)
    high = np.flatnonzero(np.array(levels) > quartile)
    return quartile, high.size, np.max(np.diff(high), initial=0), np.std(levels)


@task(
    n=(8, 60),
    equivalent=TRUTHS
    | {
        "where: y=0 -> 1": "the least balance so far is never above the 0 of the start, so a filler above 0 does not "
        "show"
    },
)
def snow_that_stays(fallen: Vector(Int(0, 5), "n"), melted: Vector(Int(0, 5), "n")):
    """Each day first `fallen` centimetres of snow come down, then the sun would take `melted` centimetres, but never
    more than what lies there. The ground is bare at the start. A day's depth is measured in its evening. Return a tuple
    of three: depth on the last evening; greatest depth of an evening; number of evenings with bare ground."""
    balance = np.cumsum(np.subtract(fallen, melted))
    so_far = np.where(np.tri(len(fallen)), balance, 0)
    depth = balance - np.min(so_far, axis=1, initial=0)
    return depth[-1], np.max(depth), np.count_nonzero(depth == 0)


@task(sites=(3, 8), equivalent=TRUTHS)
def months_with_enough_readings(rain: Matrix(Missing(Int(0, 90)), "sites", 12), fewest: Int(2, 4)):
    """Every row of `rain` is a site with its rain in twelve months; nan stands for a month without a reading. Only
    months (columns) with at least `fewest` readings are looked at. Return a tuple of three: number of months that are
    looked at; highest reading in them; total of their readings. If there is no such month, the second and the third are
    0."""
    counts = np.count_nonzero(np.isfinite(rain), axis=0)
    kept = np.array(rain)[:, counts >= fewest]
    return kept.shape[1], np.nanmax(kept, initial=0), np.nansum(kept)
