"""Weather stations whose records have gaps."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Choice, Either, Float, Int, Matrix, Missing, Ragged, Vector

INF = float("inf")

# A `Ragged` with one fixed length is a matrix with at least one value that is not missing in each row.


@task
def peaks_above_station_average(readings: Ragged(Missing(Int(-10, 35)), (3, 8), (8, 8))):
    """Each row of `readings` holds eight temperatures of one weather station; nan marks an outage, but no station was
    out throughout. Return how far the hottest reading of each station lies above that station's own average, as a list,
    from the smallest distance to the largest."""
    return np.sort(np.subtract(np.nanmax(readings, axis=1), np.nanmean(readings, axis=1)))


@task
def steps_after_filling_gaps(temperatures: Vector(Missing(Int(-15, 30)), (4, 20))):
    """A thermometer's log `temperatures` contains nan for hours in which the battery failed. The middle value of the
    readings that exist (halfway between the two middle ones for an even count) stands in for every such hour. Return
    the changes of the log completed in this way, from each entry to the next, as a list."""
    filled = np.where(np.isnan(temperatures), np.nanmedian(temperatures), temperatures)
    return np.diff(filled)


@task(days=(4, 18))
def rain_barrel_full_on_day(
    rain: Vector(Missing(Choice(0, 5, 10, 20)), "days"),
    tarpaulin: Vector(Choice(2, 4, 10), "days"),
    barrel: Choice(50, 100, 150, 200, 300, 400),
):
    """A field station catches drinking water. Each millimetre of `rain` gives one litre per square metre of `tarpaulin`
    spread out on that day; days without a record (nan) bring nothing, and at least one day has a record. Return a tuple
    of three: the position (from 0) of the first day by whose end the station has caught at least `barrel` litres
    altogether (the number of days if it never has); the litres caught over the whole time; the position of that day
    with a record which brought the most litres, the first in a tie."""
    litres = np.multiply(rain, tarpaulin)
    caught = np.nancumsum(litres)
    return np.searchsorted(caught, barrel), caught[-1], np.nanargmax(litres)


@task
def huts_past_coldest_hour(frost: Ragged(Missing(Int(-25, 5)), (4, 12), (6, 6))):
    """In `frost` a row is a mountain hut and the six columns are the hours 0 to 5 of one night, nan for lost
    transmissions (never for the whole night). A hut has passed its coldest hour with the hour of its lowest reading
    (the earlier one on a tie). Return a list of six numbers: how many huts have passed their coldest hour by hour 0, by
    hour 1, and so on up to hour 5."""
    hours = np.nanargmin(frost, axis=1)
    return np.cumsum(np.bincount(hours, minlength=6))


@task(
    equivalent={
        "clip: arguments 1 and 2 swapped": "the greater of value and lower bound does not depend on their order"
    }
)
def tamed_humidity_average(humidity: Vector(Missing(Int(5, 100)), (5, 20))):
    """Freak values of a humidity sensor shall not spoil its average. So a recorded value below the 10 % point of the
    recorded values of `humidity` counts as that point, and one above their 90 % point as that one (both points by
    linear interpolation; nan means not recorded, and does not count). Return the average, as a number."""
    low, high = np.nanpercentile(humidity, [10, 90])
    return np.nanmean(np.clip(humidity, low, high))


@task(equivalent={"maximum -> fmax": "a gap becomes 0 instead of nan, which the total passes over just the same"})
def excess_over_usual_gusts(gusts: Ragged(Missing(Int(0, 90)), (2, 7), (8, 8)), level: Choice(0.25, 0.5, 0.75)):
    """Rows of `gusts` are coastal masts with eight gusts each, nan when the anemometer was iced (never for the
    whole row). The usual gust of a mast is the quantile of its known gusts at the fraction `level` (linear
    interpolation). Return a list with the total, per mast, of the amounts by which its gusts exceed its usual gust;
    gusts below it add nothing."""
    usual = np.nanquantile(gusts, level, axis=1, keepdims=True)
    return np.nansum(np.maximum(np.subtract(gusts, usual), 0), axis=1)


@task
def pressure_anomaly_chart(pressure: Vector(Missing(Int(960, 1050)), (6, 18), unique=True)):
    """A chart of anomalies shows how far each value of `pressure` lies above the average of the known values, in units
    of their standard deviation (divisor n, the number of known values). Missing values are nan; they shall appear as 0
    in the chart. Return the list of anomalies in the original order."""
    deviation = np.subtract(pressure, np.nanmean(pressure))
    return np.nan_to_num(np.divide(deviation, np.nanstd(pressure)))


@task
def trusting_steady_sensors(series: Ragged(Missing(Float(10, 20)), (3, 8), (6, 6))):
    """Several soil sensors measured the same spot: one sensor per row of `series`, nan for values that were lost.
    Restless sensors deserve less trust, so a sensor has the weight 1 / (1 + variance), the variance of its known values
    having their count as divisor. Return, as a number, the weighted mean of the sensors' own plain means."""
    trust = np.reciprocal(1 + np.nanvar(series, axis=1))
    return np.average(np.nanmean(series, axis=1), weights=trust)


@task(
    equivalent={
        "count_nonzero -> sum": "the sum of True and False is the number of True",
        "count_nonzero -> nansum": "the sum of True and False is the number of True",
        "power -> float_power": "factors are positive floats",
        "isfinite -> nan_to_num": "gaps become 0 and no factor is 0, so that the same elements are counted",
    }
)
def typical_reservoir_factor(factors: Ragged(Missing(Float(0.5, 1.8)), (3, 8), (8, 8))):
    """`factors` tells by what factor each reservoir (row) grew or shrank in each of eight months, nan if nobody
    measured. Return for each reservoir its geometric mean factor, as a list: the k-th root of the product of the k
    measured factors, k being at least one."""
    measured = np.count_nonzero(np.isfinite(factors), axis=1)
    return np.power(np.nanprod(factors, axis=1), np.divide(1, measured))


@task(stations=(3, 9))
def wind_at_the_hottest_hour(
    heat: Ragged(Missing(Int(10, 40)), "stations", (8, 8)), wind: Matrix(Int(0, 25), "stations", 8)
):
    """The tables `heat` and `wind` (metres per second) have a row per station and a column per hour; failed heat
    readings are nan, but no row has only these. For each station the wind in its hottest hour matters, the first such
    hour if several are equally hot. Return a tuple of two, in kilometres per hour (1 metre per second is 3.6 kilometres
    per hour): the average of these winds; the strongest of them."""
    hottest = np.nanargmax(heat, axis=1, keepdims=True)
    winds = np.take_along_axis(np.array(wind), hottest, axis=1) * 3.6
    return np.mean(winds), np.max(winds)


@task
def stations_by_daily_swing(day: Ragged(Missing(Int(-5, 14)), (4, 15), (4, 4))):
    """Meteorologists class stations by swing, the gap between the warmest and coldest valid reading of a day. `day` has
    a row of four readings for each station, nan if invalid; at least one is valid. Swings under 4 are class 0, from 4
    to under 9 class 1, from 9 to under 16 class 2, from 16 class 3. Return how many stations fall in each of the four
    classes, as a list."""
    swing = np.subtract(np.nanmax(day, axis=1), np.nanmin(day, axis=1))
    return np.bincount(np.digitize(swing, [4, 9, 16]), minlength=4)


@task
def hours_from_low_to_high_tide(gauge: Ragged(Missing(Int(0, 30)), (3, 9), (8, 8))):
    """Eight hourly water levels of each harbour form a row of `gauge`, with nan when waves hid the scale (never for the
    whole row). How many hours after its lowest known level did each harbour see its highest one? Count below zero if
    the highest came first, and use the earliest hour among equals. Return a tuple: these hours, as a list, and their
    average."""
    hours = np.nanargmax(gauge, axis=1) - np.nanargmin(gauge, axis=1)
    return hours, np.mean(hours)


@task(readings=(4, 20))
def unpacked_logger(parts: Vector(Int(-50, 50), "readings"), doublings: Vector(Int(-3, 6), "readings")):
    """To save space a data logger writes each reading as two whole numbers, one in `parts` and one in `doublings`: the
    reading is the part doubled so many times, or halved for a number below zero. Return a tuple: the middle one of the
    readings in order of size (halfway between the two central ones for an even number), and how far the highest reading
    lies above the lowest."""
    readings = np.ldexp(parts, doublings)
    return np.median(readings), np.ptp(readings)


@task(
    equivalent={
        "isneginf -> isinf": "the log never says inf",
        "count_nonzero -> sum": "the sum of True and False is the number of True",
        "count_nonzero -> nansum": "the sum of True and False is the number of True",
    }
)
def cold_store_log(celsius: Vector(Missing(Missing(Int(-40, -18), -INF)), (5, 25)), coldest: Int(-60, -41)):
    """The log `celsius` of a cold store's thermometer says -inf for hours that were colder than its scale, which ends
    at `coldest` degrees, and nan for hours without a connection. At least one hour has a value other than nan. Return a
    tuple: how many hours were colder than the scale, and the average temperature, in which such an hour counts as
    `coldest` and an hour without a connection does not count."""
    below = np.isneginf(celsius)
    return np.count_nonzero(below), np.nanmean(np.where(below, coldest, celsius))


@task(
    equivalent={
        "count_nonzero -> sum": "the sum of True and False is the number of True",
        "count_nonzero -> nansum": "the sum of True and False is the number of True",
    }
)
def swings_of_one_or_more_days(
    hourly: Either(Vector(Int(-9, 25), (6, 12)), Matrix(Int(-9, 25), (2, 7), (6, 12))), least: Int(4, 30)
):
    """A weather station sends `hourly` temperatures: one list of numbers if it ran for a single day, or a list of such
    lists, one per day. The swing of a day is its highest temperature minus its lowest. Return a tuple: the swings, as a
    list with one entry per day; the position, from 0, of the day with the smallest swing (the first, if tied); and the
    number of days whose swing is at least `least`."""
    swings = np.ptp(np.atleast_2d(hourly), axis=1)
    return swings, np.argmin(swings), np.count_nonzero(swings >= least)
