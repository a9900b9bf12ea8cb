"""Weather stations whose records have gaps."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Choice, Float, Int, Matrix, Missing, Ragged, Vector

# A `Ragged` with one fixed length is a matrix with at least one value that is not missing in each row.


@task
def peaks_above_station_average(readings: Ragged(Missing(Int(-10, 35)), (2, 5), (4, 4))):
    """Each row of `readings` holds four temperatures of one weather station; nan marks an outage, but no station was out
    all day. For every station compute how far its hottest reading lies above its own average. Return these distances as
    a list, from the smallest to the largest."""
    return np.sort(np.subtract(np.nanmax(readings, axis=1), np.nanmean(readings, axis=1)))


@task
def steps_after_filling_gaps(temperatures: Vector(Missing(Int(-15, 30)), (4, 8))):
    """A thermometer's log `temperatures` contains nan where the battery failed. Fill every gap with the middle value of
    the readings that exist (halfway between the two middle ones for an even count). Then return the list of changes from
    each entry to the next."""
    filled = np.where(np.isnan(temperatures), np.nanmedian(temperatures), temperatures)
    return np.diff(filled)


@task(days=(3, 7))
def rain_barrel_full_on_day(
    rain: Vector(Missing(Int(0, 20)), "days"), tarpaulin: Vector(Int(2, 12), "days"), barrel: Int(20, 400)
):
    """A field station catches drinking water. Each millimetre of `rain` gives one litre per square metre of
    `tarpaulin` spread out on that day; days without a record (nan) bring nothing. Return a tuple: the position (from
    0) of the first day by whose end the running total is at least `barrel` litres (the number of days if it never is),
    and the litres caught over all days."""
    litres = np.nancumsum(np.multiply(rain, tarpaulin))
    return np.searchsorted(litres, barrel), litres[-1]


@task
def huts_past_coldest_hour(frost: Ragged(Missing(Int(-25, 5)), (3, 6), (4, 4))):
    """In `frost` a row is a mountain hut and the four columns are the hours 0 to 3 of one night, nan for lost
    transmissions (never all four). Find the hour of the lowest reading of each hut (the earlier one on a tie). Return a
    list of four numbers: how many huts had their lowest reading in hour 0, up to hour 1, up to hour 2, up to hour 3."""
    hours = np.nanargmin(frost, axis=1)
    return np.cumsum(np.bincount(hours, minlength=4))


@task(
    equivalent={
        "clip: arguments 1 and 2 swapped": "the greater of value and lower bound does not depend on their order"
    }
)
def tamed_humidity_average(humidity: Vector(Missing(Int(5, 100)), (4, 8))):
    """Freak values of a humidity sensor are to be tamed. Determine the 10 % and the 90 % point of the recorded values of
    `humidity` (interpolating linearly; nan means not recorded), pull every value below the first up to it and every
    value above the second down to it, and return the average of the tamed values as a number."""
    low, high = np.nanpercentile(humidity, [10, 90])
    return np.nanmean(np.clip(humidity, low, high))


@task(equivalent={"maximum -> fmax": "a gap becomes 0 instead of nan, which the total passes over just the same"})
def excess_over_usual_gusts(gusts: Ragged(Missing(Int(0, 90)), (2, 4), (5, 5)), level: Choice(0.25, 0.5, 0.75)):
    """Rows of `gusts` are coastal masts with five gusts each, nan when the anemometer was iced. For each mast find the
    value below which the fraction `level` of its known gusts lies (linear interpolation). Return a list with the total,
    per mast, of the amounts by which its gusts exceed that value; gusts below it add nothing."""
    usual = np.nanquantile(gusts, level, axis=1, keepdims=True)
    return np.nansum(np.maximum(np.subtract(gusts, usual), 0), axis=1)


@task
def pressure_anomaly_chart(pressure: Vector(Missing(Int(960, 1050)), (6, 8), unique=True)):
    """For a chart of anomalies take the average of the known values in `pressure` away from each value and express the
    result in units of their standard deviation (divisor n, the number of known values). Missing values are nan; they
    shall appear as 0 in the chart. Return the list of anomalies in the original order."""
    deviation = np.subtract(pressure, np.nanmean(pressure))
    return np.nan_to_num(np.divide(deviation, np.nanstd(pressure)))


@task
def trusting_steady_sensors(series: Ragged(Missing(Float(10, 20)), (2, 4), (4, 4))):
    """Several soil sensors measured the same spot: one sensor per row of `series`, nan where a value was lost. Restless
    sensors deserve less trust, so give each sensor the weight 1 / (1 + variance), the variance of its known values
    having their count as divisor. Return, as a number, the weighted mean of the sensors' own plain means."""
    trust = np.reciprocal(np.add(1.0, np.nanvar(series, axis=1)))
    return np.average(np.nanmean(series, axis=1), weights=trust)


@task(
    equivalent={
        "count_nonzero -> sum": "the sum of True and False is the number of True",
        "count_nonzero -> nansum": "the sum of True and False is the number of True",
        "power -> float_power": "factors are positive floats",
        "isfinite -> nan_to_num": "gaps become 0 and no factor is 0, so that the same elements are counted",
    }
)
def typical_reservoir_factor(factors: Ragged(Missing(Float(0.5, 1.8)), (2, 4), (5, 5))):
    """`factors` tells by what factor each reservoir (row) grew or shrank in each of five months, nan if nobody measured.
    Return for each reservoir its geometric mean factor, as a list: the product of the k measured factors, raised to 1/k,
    where k is the number of months measured (at least one)."""
    measured = np.count_nonzero(np.isfinite(factors), axis=1)
    return np.power(np.nanprod(factors, axis=1), np.divide(1, measured))


@task(
    stations=(2, 5),
    equivalent={
        "multiply -> dot": "with a single number as factor it is a plain product",
        "multiply -> inner": "with a single number as factor it is a plain product",
    },
)
def wind_at_the_hottest_hour(
    heat: Ragged(Missing(Int(10, 40)), "stations", (4, 4)), wind: Matrix(Int(0, 25), "stations", 4)
):
    """The tables `heat` and `wind` (metres per second) have a row per station and a column per hour; failed heat
    readings are nan. Pick for each station the wind in its hottest hour, the first such hour if several are equally
    hot. Return the average of these winds in kilometres per hour (1 metre per second is 3.6 kilometres per hour), as a
    number."""
    hottest = np.nanargmax(heat, axis=1, keepdims=True)
    return np.mean(np.take_along_axis(np.multiply(wind, 3.6), hottest, axis=1))


@task
def stations_by_daily_swing(day: Ragged(Missing(Int(-5, 25)), (3, 7), (3, 3))):
    """Meteorologists sort stations by swing, the gap between the warmest and coldest valid reading of a day. `day` has
    a row of three readings for each station, nan if invalid; at least one is valid. Swings under 4 are class 0, from 4
    to under 9 class 1, from 9 to under 16 class 2, from 16 class 3. Return how many stations fall in each of the four
    classes, as a list."""
    swing = np.subtract(np.nanmax(day, axis=1), np.nanmin(day, axis=1))
    return np.bincount(np.digitize(swing, [4, 9, 16]), minlength=4)


@task
def hours_from_low_to_high_tide(gauge: Ragged(Missing(Int(0, 60)), (2, 5), (6, 6))):
    """Six hourly water levels of each harbour form a row of `gauge`, with nan when waves hid the scale. How many hours
    after its lowest known level did each harbour see its highest one? Count below zero if the highest came first, use
    the earliest hour among equals, and return a list."""
    return np.subtract(np.nanargmax(gauge, axis=1), np.nanargmin(gauge, axis=1))
