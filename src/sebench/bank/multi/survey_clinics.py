"""Wards, patients, laboratories."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Choice, Float, Int, Missing, Ragged, Vector


@task
def culture_growth_extremes(cells: Int(10, 90), growth: Vector(Missing(Float(0.4, 2.2)), (4, 14))):
    """A laboratory starts a culture with `cells` thousand cells; each entry of `growth` multiplies the size, hour by
    hour, and nan (plate not inspected) leaves it unchanged. Look at the change of the size in every hour, the first one
    included, and return a tuple (greatest change, least change) in thousand cells; a fall is a change below zero."""
    sizes = cells * np.nancumprod(growth)
    changes = np.diff(sizes, prepend=cells)
    return np.max(changes), np.min(changes)


@task
def most_unsettled_pulse(pulse: Ragged(Missing(Int(40, 190)), (3, 8), (9, 9))):
    """Each row of `pulse` holds nine pulse checks of one patient; a check that was skipped is nan, but each patient had
    one at least. How unsettled a patient is, is told by the distance from the lower to the upper quartile of the checks
    made (quartiles interpolated linearly). Return a tuple: the greatest such distance, and the positions, from 0, of
    the patients who have it, as a list."""
    lower, upper = np.nanpercentile(pulse, [25, 75], axis=1)
    widest = np.max(upper - lower)
    return widest, np.flatnonzero(upper - lower == widest)


@task(
    patients=(4, 15),
    equivalent={"negative -> invert": "-x - 1 puts whole numbers in the same order as -x"},
)
def emergency_room_clock(
    severity: Vector(Int(1, 4), "patients"),
    arrival: Vector(Int(0, 59), "patients", unique=True),
    minutes: Vector(Int(3, 40), "patients"),
):
    """One doctor sees the waiting patients by `severity`, gravest (highest number) first, and within the same severity
    by `arrival`, earliest first. Treating a patient takes the time given in `minutes`; one treatment follows the other.
    Return a tuple of two: a list, in the order of treatment, of the minutes from the doctor's start to the end of each
    treatment; the average of these times."""
    order = np.lexsort((arrival, np.negative(severity)))
    ends = np.cumsum(np.take(minutes, order))
    return ends, np.mean(ends)


@task(patients=(6, 25))
def nights_of_long_stayers(admitted: Vector(Int(1, 15), "patients"), discharged: Vector(Int(16, 40), "patients")):
    """Day numbers in `admitted` and `discharged` give the length of stay of each patient in nights. Those who stayed
    strictly longer than the upper quartile of the lengths (75 % point, linear interpolation) are the long stayers.
    Return a tuple of two: the ascending list, which may be empty, of the nights by which each long stayer went beyond
    that quartile; the fraction of the nights of the whole ward that fell to the long stayers."""
    stay = np.subtract(discharged, admitted)
    usual = np.percentile(stay, 75)
    long = np.sort(np.compress(np.greater(stay, usual), stay))
    return long - usual, np.sum(long) / np.sum(stay)


@task(
    equivalent={
        "count_nonzero -> sum": "the sum of True and False is the number of True",
        "count_nonzero -> nansum": "the sum of True and False is the number of True",
        "isfinite -> nan_to_num": "gaps become 0 and no value is 0, so that the same elements are counted",
    }
)
def standard_error_per_patient(glucose: Ragged(Missing(Int(60, 180)), (3, 8), (8, 8))):
    """A nurse notes `glucose` eight times per patient (one row each), nan when the strip failed, at least one value
    always being there. Return each patient's standard error as a list: the standard deviation of the k values obtained
    (divisor k), over the square root of k."""
    obtained = np.count_nonzero(np.isfinite(glucose), axis=1)
    return np.divide(np.nanstd(glucose, axis=1), np.sqrt(obtained))


@task
def repeatability_of_assay(assay: Ragged(Missing(Float(1, 9)), (3, 8), (6, 6))):
    """How repeatable is a blood test? In `assay` each row holds up to six repeats on one sample, nan for spilled
    tubes (never all six). A sample's variance is that of the repeats that worked (divisor: their number). Return a
    tuple: the repeatability of the test, which is the square root of the average variance of the samples, and the
    largest variance of a sample."""
    variances = np.nanvar(assay, axis=1)
    return np.sqrt(np.mean(variances)), np.max(variances)


@task
def rise_above_resting_level(rates: Ragged(Missing(Int(50, 190)), (3, 8), (7, 7))):
    """Stress test: a row of `rates` is one person's heart rate in seven phases (nan: the electrode came off, but never
    throughout). A person's resting level is their lowest rate, and their typical rise is how far the middle one of
    their known rates (halfway between the two central ones for an even number) lies above it. Return the typical rises
    of the group, the largest first, as a list."""
    rises = np.nanmedian(rates, axis=1) - np.nanmin(rates, axis=1)
    return np.flip(np.sort(rises))


@task
def chance_that_screening_finds_it(hits: Ragged(Missing(Float(0.05, 0.95, 2)), (3, 9), (5, 5))):
    """For every patient (row) `hits` lists the probabilities with which five independent tests detect an illness, nan
    for tests not done; one at least was done. The illness is found if at least one of the tests done detects it. Return
    a tuple: the chance of being found, averaged over the patients, and the chance of the patient who is most likely to
    be overlooked."""
    found = 1 - np.nanprod(np.subtract(1, hits), axis=1)
    return np.mean(found), np.min(found)


@task
def todays_values_against_history(history: Vector(Missing(Int(40, 60)), (5, 20)), today: Vector(Int(40, 60), (0, 20))):
    """Laboratory values of `today` are judged against `history`, in which nan marks samples that were lost. Below the
    lower quartile of the history is group 0, from it to below the upper quartile group 1, from the upper quartile on
    group 2 (quartiles by linear interpolation). Return the number of values of today in each of the three groups, as a
    list; three zeros if `today` is empty."""
    limits = np.nanquantile(history, [0.25, 0.75])
    return np.bincount(np.digitize(today, limits), minlength=3)


@task
def fullest_blood_bank(deliveries: Vector(Missing(Int(-12, 15)), (6, 25))):
    """`deliveries` records by how many whole litres the stock of a blood bank rose (or fell, below zero) each day; nan
    stands for a holiday without movement. The stock is counted from what was there before the first day, so it may be
    negative. Return a tuple of two: the highest stock at the end of a day; the list of the positions, from 0, of the
    days that ended with it."""
    balance = np.nancumsum(deliveries)
    highest = np.max(balance)
    return highest, np.flatnonzero(balance == highest)


@task(equivalent={"subtract: arguments 1 and 2 swapped": "only the size of the difference counts"})
def unusual_recoveries(recovery: Vector(Int(2, 30), (5, 20))):
    """Days until `recovery` are known for some operations. The usual time is the middle one of the values in order of
    size (halfway between the two central ones for an even number), and the spread is the middle, in the same sense, of
    their distances from it. A recovery is unusual if it lies more than two spreads away from the usual time. Return a
    tuple of three: the spread; the list, which may be empty, of the positions, from 0, of the unusual recoveries; the
    average of the others."""
    distances = np.absolute(np.subtract(recovery, np.median(recovery)))
    spread = np.median(distances)
    unusual = np.flatnonzero(distances > 2 * spread)
    return spread, unusual, np.mean(np.delete(recovery, unusual))


@task(
    doses=(4, 15),
    equivalent={
        "cov: rowvar=False added": "each of the two flat lists is one variable either way",
        "cov: bias=True added": "the divisor of covariance and variance cancels out",
    },
)
def dose_response_line(dose: Vector(Int(1, 40), "doses", unique=True), response: Vector(Int(0, 80), "doses")):
    """Patients got the amounts in `dose` and showed the effects in `response`. The line of the trial rises, per unit of
    dose, by the covariance of both over the variance of the dose, and passes through the point of the two averages.
    Return a tuple: the effect that this line gives for dose zero, and the greatest amount by which a patient's effect
    lies above the line."""
    spread = np.cov(dose, response)
    slope = spread[0, 1] / spread[0, 0]
    above = response - slope * np.array(dose)
    return np.mean(above), np.max(above) - np.mean(above)


@task(kilos=(2, 6), equivalent={"expand_dims -> outer": "the products with 1 are the same column"})
def dose_chart(
    weights: Vector(Choice(10, 12, 15, 20, 24, 30, 40), "kilos", unique=True),
    strengths: Vector(Choice(1, 2, 3, 4, 5, 6), (2, 5), unique=True),
):
    """A children's ward draws up a chart of a medicine: each of the body `weights` with each of the `strengths`, the
    dose being weight times strength. Return a tuple: the list of the pairs [weight, strength], the smallest dose first,
    and for equal doses the lighter child first; and the dose in the middle of that chart (halfway between the two
    central doses for an even number)."""
    heavy, strong = np.broadcast_arrays(np.expand_dims(weights, 1), strengths)
    doses = np.ravel(heavy * strong)
    order = np.lexsort((np.ravel(heavy), doses))
    return np.column_stack((np.ravel(heavy), np.ravel(strong)))[order], np.median(doses)
