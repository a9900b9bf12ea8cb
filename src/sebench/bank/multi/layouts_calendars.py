"""Calendars, rotas and dates."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Int, Matrix, Vector


@task
def wall_calendar_page(days: Int(28, 31), first: Int(0, 6)):
    """Lay out the page of a wall calendar for a month of `days` days whose 1st falls on weekday `first` (0 is Monday,
    6 is Sunday). Each week is a row of seven day numbers from Monday to Sunday, with 0 in squares before the 1st and
    after the last day, and no row without a day. Return the rows."""
    rest = -(first + days) % 7
    return np.reshape(np.pad(np.arange(1, days + 1), (first, rest)), (-1, 7))


@task(equivalent={"equal -> isin": "there is only one employee to look for"})
def duty_days_of_one(staff: Vector(Int(1, 3), (6, 10)), weeks: Int(2, 4), who: Int(1, 3)):
    """The key duty of a museum passes through the list `staff` of employee numbers, in which somebody may come up
    several times; it moves on by one entry a day and starts over whenever the list ends, for `weeks` weeks of seven
    days. On which days is employee `who` on duty? Return rows [week, day], both counted from 0, in the order of
    time."""
    plan = np.resize(staff, (weeks, 7))
    return np.argwhere(np.equal(plan, who))


@task
def weeks_and_days_away(offsets: Vector(Int(-60, 60), (2, 7))):
    """A countdown app stores `offsets` in days from today, the past being negative. It shows full weeks and odd days,
    both with the sign of the offset: 17 days ahead are 2 weeks and 3 days, 17 days back are -2 and -3. Return the
    tuple (list of weeks, list of days)."""
    return np.trunc(np.divide(offsets, 7)) + 0.0, np.fmod(offsets, 7)  # + 0.0: a weekless past is 0, not -0


@task(equivalent={"divide -> floor_divide": "a quotient that is rounded down already stays as it is"})
def calls_per_local_day(hours: Vector(Int(-80, 80), (3, 7)), zone: Int(-11, 12)):
    """A help line logs its calls as whole `hours` since midnight UTC of day 0; earlier calls are negative. Local time
    is `zone` hours ahead of UTC (behind it if negative). Day d covers the local hours from 24 * d up to but not
    including 24 * (d + 1). Return a tuple of two lists: the days with calls in ascending order, and how many calls each
    of them had."""
    days = np.floor(np.divide(np.add(hours, zone), 24))
    return np.unique(days, return_counts=True)


@task
def hay_still_to_be_fed(planned: Matrix(Int(0, 12), (2, 4), (3, 6)), barn: Int(10, 40)):
    """For each stable (a row), `planned` says how many bales of hay are fed day by day. On every morning a stable
    needs what it will feed from that day to the last one, but its barn never holds more than `barn` bales. Return the
    rows of bales to have in store each morning: the need, or the full barn if the need is greater."""
    backwards = np.cumsum(np.flip(planned, axis=1), axis=1)
    return np.minimum(np.flip(backwards, axis=1), barn)
