"""Calendars, rotas and dates."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Int, Matrix, Vector


@task
def museum_calendar_page(days: Int(28, 31), first: Int(0, 6), closed: Vector(Int(1, 31), (0, 12))):
    """A museum prints a calendar page for a month of `days` days whose 1st falls on weekday `first` (0 is Monday, 6 is
    Sunday). Each week is a row of seven day numbers from Monday to Sunday, and no row is without a day of the month. 0
    stands in squares before the 1st and after the last day, and instead of the days listed in `closed`, in which days
    may come twice or lie beyond the end of the month. Return a tuple: the rows, and the number of days on which the
    museum is open, for each weekday from Monday to Sunday, as a list."""
    numbers = np.arange(1, days + 1)
    open_days = numbers * np.isin(numbers, closed, invert=True)
    page = np.reshape(np.pad(open_days, (first, -(first + days) % 7)), (-1, 7))
    return page, np.count_nonzero(page, axis=0)


@task(
    equivalent={
        "equal -> isin": "there is only one employee to look for",
        "count_nonzero -> sum": "the sum of True and False is the number of True",
        "count_nonzero -> nansum": "the sum of True and False is the number of True",
    }
)
def heaviest_duty_week(staff: Vector(Int(1, 3), (3, 17)), weeks: Int(2, 6), who: Int(1, 3)):
    """The key duty of a museum passes through the list `staff` of employee numbers, in which somebody may come up
    several times or not at all; it moves on by one entry a day and starts over whenever the list ends, for `weeks`
    weeks of seven days. Return a tuple: how many duties employee `who` has in each week, as a list, and the days,
    counted from 0, on which they fall in the week that has the most of them (the earliest such week if several tie), as
    an ascending list."""
    duties = np.equal(np.resize(staff, (weeks, 7)), who)
    per_week = np.count_nonzero(duties, axis=1)
    return per_week, np.flatnonzero(duties[np.argmax(per_week)])


@task(equivalent={"divide -> floor_divide": "a quotient that is rounded down already stays as it is"})
def odd_days_by_shown_week(offsets: Vector(Int(-30, 30), (5, 25))):
    """A countdown app stores `offsets` in days from today, the past being negative. It shows full weeks and odd days,
    both with the direction of the offset: 17 days ahead are 2 weeks and 3 days, 17 days back are -2 and -3. Return a
    tuple of two lists: the different numbers of weeks that are shown, ascending, and for each of them the total of the
    odd days shown beside it."""
    weeks, group = np.unique(np.trunc(np.divide(offsets, 7)) + 0.0, return_inverse=True)  # + 0.0: no week is -0
    return weeks, np.bincount(group, weights=np.fmod(offsets, 7))


@task(equivalent={"divide -> floor_divide": "a quotient that is rounded down already stays as it is"})
def busiest_local_days(hours: Vector(Int(-80, 80), (6, 40)), zone: Int(-11, 12)):
    """A help line logs its calls as whole `hours` since midnight UTC of day 0; earlier calls are negative. Local time
    is `zone` hours ahead of UTC (behind it if negative). Day d covers the local hours from 24 * d up to but not
    including 24 * (d + 1). Return the days with the most calls, in ascending order, as a list."""
    days, calls = np.unique(np.floor(np.divide(np.add(hours, zone), 24)), return_counts=True)
    return days[calls == np.max(calls)]


@task
def first_day_without_deliveries(planned: Matrix(Int(0, 12), (2, 8), (4, 14)), barn: Int(12, 60)):
    """For each stable (a row), `planned` says how many bales of hay are fed day by day; on no day is it more than the
    `barn` bales that a full barn holds. From the morning of which day on does one full barn last a stable to the end of
    the plan? Return a tuple of two lists with one number per stable: the earliest such day, counted from 0; how many
    bales one full barn lacks for the whole plan (0 if it is enough)."""
    still_to_feed = np.flip(np.cumsum(np.flip(planned, axis=1), axis=1), axis=1)
    return np.argmax(still_to_feed <= barn, axis=1), np.maximum(still_to_feed[:, 0] - barn, 0)
