"""Wards, patients, laboratories."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Float, Int, Missing, Ragged, Vector


@task(
    equivalent={
        "multiply -> dot": "with a single number as factor it is a plain product",
        "multiply -> inner": "with a single number as factor it is a plain product",
        "multiply -> outer": "one number times a list; the row it makes is used up by the extremes",
        "multiply -> convolve": "a list of one number only scales the other",
        "multiply -> polymul": "a constant polynomial only scales the other, and no size is zero",
    }
)
def culture_growth_extremes(cells: Int(10, 90), growth: Vector(Missing(Float(0.4, 2.5)), (4, 8))):
    """A laboratory starts a culture with `cells` thousand cells; each entry of `growth` multiplies the size, hour by
    hour, and nan (plate not inspected) leaves it unchanged. Look at the change of the size in every hour, the first one
    included, and return a tuple (greatest change, least change) in thousand cells; a fall is a change below zero."""
    sizes = np.multiply(cells, np.nancumprod(growth))
    changes = np.diff(sizes, prepend=cells)
    return np.max(changes), np.min(changes)


@task
def most_unsettled_pulse(pulse: Ragged(Missing(Int(40, 190)), (3, 5), (5, 5))):
    """Each row of `pulse` holds five pulse checks of one patient; a check that was skipped is nan. For each patient
    take the distance from lower to upper quartile of the checks made (quartiles interpolated linearly). Return the
    widest of these distances as a number."""
    quartiles = np.nanpercentile(pulse, [25, 75], axis=1)
    return np.max(np.subtract(quartiles[1], quartiles[0]))


@task(
    patients=(3, 7),
    equivalent={"negative -> invert": "-x - 1 puts whole numbers in the same order as -x"},
)
def emergency_room_clock(
    severity: Vector(Int(1, 4), "patients"),
    arrival: Vector(Int(0, 59), "patients", unique=True),
    minutes: Vector(Int(3, 40), "patients"),
):
    """One doctor sees the waiting patients by `severity`, gravest (highest number) first, and within the same severity by
    `arrival`, earliest first. Treating a patient takes the time given in `minutes`. Return a list, in the order of
    treatment, with the minutes passed since the doctor began when each treatment ends."""
    order = np.lexsort((arrival, np.negative(severity)))
    return np.cumsum(np.take(minutes, order))


@task(patients=(4, 8))
def extra_nights_of_long_stayers(admitted: Vector(Int(1, 15), "patients"), discharged: Vector(Int(16, 40), "patients")):
    """Day numbers in `admitted` and `discharged` give the length of stay of each patient. Those who stayed strictly
    longer than the upper quartile of all lengths (75 % point, linear interpolation) are the long stayers. Return by how
    much each long stayer went beyond that quartile, as a list in the order of the patients; it may be empty."""
    stay = np.subtract(discharged, admitted)
    usual = np.percentile(stay, 75)
    return np.compress(np.greater(stay, usual), stay - usual)


@task(
    equivalent={
        "count_nonzero -> sum": "the sum of True and False is the number of True",
        "count_nonzero -> nansum": "the sum of True and False is the number of True",
        "isfinite -> nan_to_num": "gaps become 0 and no value is 0, so that the same elements are counted",
    }
)
def standard_error_per_patient(glucose: Ragged(Missing(Int(60, 180)), (2, 4), (5, 5))):
    """A nurse notes `glucose` five times per patient (one row each), nan when the strip failed, at least one value always
    being there. Return each patient's standard error as a list: the standard deviation of the values obtained (their
    number k as divisor), over the square root of k."""
    obtained = np.count_nonzero(np.isfinite(glucose), axis=1)
    return np.divide(np.nanstd(glucose, axis=1), np.sqrt(obtained))


@task
def repeatability_of_assay(assay: Ragged(Missing(Float(1, 9)), (2, 5), (4, 4))):
    """How repeatable is a blood test? In `assay` each row holds up to four repeats on one sample, nan for spilled tubes.
    Compute the variance of every sample over the repeats that worked (divisor: their number), average these variances
    over the samples and return the square root of that, as a number."""
    return np.sqrt(np.mean(np.nanvar(assay, axis=1)))


@task
def rise_above_resting_level(rates: Ragged(Missing(Int(50, 190)), (2, 4), (5, 5))):
    """Stress test: a row of `rates` is one person's heart rate in five phases (nan: the electrode came off). Take the
    lowest rate of a person as the resting level and see how far each known rate lies above it (the lowest itself by 0).
    Return for each person the middle one of these rises, or the midpoint of the middle two, as a list."""
    rises = np.subtract(rates, np.nanmin(rates, axis=1, keepdims=True))
    return np.nanmedian(rises, axis=1)


@task
def chance_that_screening_finds_it(hits: Ragged(Missing(Float(0.05, 0.95, 2)), (2, 4), (4, 4))):
    """For every patient (row) `hits` lists the probabilities with which four independent tests detect an illness, nan
    for tests not done. The illness is found if at least one of the tests done detects it; the chance of that is one
    minus the product of their chances to miss it. Return the average of this chance over the patients, as a number."""
    missed = np.nanprod(np.subtract(1, hits), axis=1)
    return np.mean(np.subtract(1, missed))


@task
def todays_values_against_history(history: Vector(Missing(Int(40, 90)), (4, 8)), today: Vector(Int(35, 85), (1, 5))):
    """Laboratory values of `today` are judged against `history`, where nan marks samples that were lost. Below the lower
    quartile of the history is group 0, from it to below the upper quartile group 1, from the upper quartile on group 2
    (quartiles by linear interpolation). Return the number of values of today in each of the three groups, as a list."""
    limits = np.nanquantile(history, [0.25, 0.75])
    return np.bincount(np.digitize(today, limits), minlength=3)


@task
def fullest_blood_bank(deliveries: Vector(Missing(Int(-12, 15)), (5, 8))):
    """`deliveries` records by how many litres the stock of a blood bank rose (or fell, below zero) each day; nan stands
    for a holiday without movement. Follow the stock from day to day; what was there before the first day counts as
    zero, and anything less as a negative number. Return a tuple: the highest stock at the end of a day, and the
    position, from 0, of the first day that reached it."""
    balance = np.nancumsum(deliveries)
    return np.max(balance), np.argmax(balance)


@task(
    equivalent={
        "subtract: arguments 1 and 2 swapped": "only the size of the difference counts",
    }
)
def robust_spread_of_recovery(recovery: Vector(Int(2, 60), (3, 8))):
    """Days until `recovery` are known for a few operations. As a spread that outliers cannot spoil, determine the middle
    of all values, then each value's distance from it, and return the middle of those distances as a number. For an even
    count the middle is halfway between the two central values."""
    distances = np.absolute(np.subtract(recovery, np.median(recovery)))
    return np.median(distances)


@task(doses=(3, 6))
def dose_response_line(dose: Vector(Int(1, 30), "doses", unique=True), response: Vector(Int(0, 80), "doses")):
    """Patients got the amounts in `dose` and showed the effects in `response`. Fit the usual straight line: its slope is
    the covariance of both over the variance of the dose, and it passes through the point of the two averages. Return a
    tuple (slope, effect on the line at dose zero)."""
    spread = np.cov(dose, response)
    slope = np.divide(spread[0, 1], spread[0, 0])
    return slope, np.mean(response) - slope * np.mean(dose)
