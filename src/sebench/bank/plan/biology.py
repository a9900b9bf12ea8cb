"""Biology and medicine: sequences, growth, species, doses."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Choice, Float, Int, Matrix, Vector
from sebench.bank.plan import EVERY, TRUTHS


@task(equivalent=EVERY)
def commonest_codon(bases: Vector(Int(0, 3), (6, 150))):
    """A strand of DNA is written as `bases`, the numbers 0 to 3. From the start on, each three successive bases make a
    codon; one or two bases that are left over at the end are ignored. There are at least two codons. Return a tuple of
    four: commonest codon as a list of three numbers (in a tie the one with the lowest first base, then the lowest
    second, then the lowest third); how often it comes; position of the codon at which it comes first, counted in codons
    from 0; number of different codons."""
    codons = np.reshape(bases[: len(bases) // 3 * 3], (-1, 3))
    kinds, counts = np.unique(codons, axis=0, return_counts=True)
    best = np.argmax(counts)
    places = np.flatnonzero(np.all(codons == kinds[best], axis=1))
    return kinds[best], counts[best], places[0], len(counts)


@task(genes=(4, 20))
def genes_that_respond(control: Matrix(Int(1, 16), "genes", 3), treated: Matrix(Int(1, 32), "genes", (3, 5))):
    """For each gene (row) the activity was measured several times without a drug, in `control`, and with it, in
    `treated`. The activity of a gene is the middle one of its measurements in order (midway between the two middle ones
    if their number is even). Its response is the logarithm to base 2 of treated over control activity. Return a tuple
    of three: ascending list of the genes with a response of 1 or more; ascending list of the genes with a response of
    -1 or less, both as row numbers from 0; greatest size of a response, its sign ignored."""
    response = np.log2(np.median(treated, axis=1) / np.median(control, axis=1))
    return np.flatnonzero(response >= 1), np.flatnonzero(response <= -1), np.max(np.abs(response))


@task(
    stages=(3, 5),
    equivalent={"absolute -> real": "the greatest eigenvalue of a table of positive numbers is positive itself"},
)
def stages_of_a_population(
    rates: Matrix(Float(0.1, 0.9), "stages", "stages"), animals: Vector(Int(1, 40), "stages"), years: Int(3, 20)
):
    """A population of beetles has several stages of life with the given numbers of `animals`. From one year to the next
    the number in stage i becomes the total over the stages j of `rates`[i][j] times the number in stage j. In the long
    run the whole population then grows each year by one and the same factor, which is the greatest size (distance from
    0) of the eigenvalues of that table. Return a tuple of two: whole population after `years` years; long-run
    factor."""
    later = np.linalg.matrix_power(rates, years) @ np.array(animals)
    return np.sum(later), np.max(np.abs(np.linalg.eigvals(rates)))


@task(
    strains=(3, 9),
    sites=(6, 30),
    equivalent=EVERY
    | dict.fromkeys(("sum: axis=0 -> 1", "sum: axis=0 -> -1"), "distances are the same in both directions"),
)
def closest_strains(genomes: Matrix(Int(0, 3), "strains", "sites")):
    """Each row of `genomes` is a strain of a virus, each column a site with a base from 0 to 3. The distance of two
    strains is the number of sites at which they differ. Return a tuple of five: lower row number, from 0, of the two
    closest strains; higher row number of the two; their distance; row of the most central strain, whose distances to
    the others add up to the least; number of sites at which every strain has the same base. In a tie take the pair with
    the lowest first row, then with the lowest second row, and the central strain with the lowest row."""
    table = np.array(genomes)
    apart = np.sum(table[:, None] != table, axis=2)
    low, high = np.triu_indices(len(table), k=1)
    best = np.argmin(apart[low, high])
    central = np.argmin(np.sum(apart, axis=0))
    return low[best], high[best], apart[low[best], high[best]], central, np.sum(np.all(table == table[0], axis=0))


@task(
    n=(4, 20),
    equivalent={
        "corrcoef: rowvar=False added": "two lists are two variables either way",
        "corrcoef: arguments 1 and 2 swapped": "a correlation is the same in both directions",
    },
)
def doubling_time(
    hours: Vector(Int(0, 60), "n", unique=True, sorted=True),
    cells: Vector(Int(10, 5000), "n", unique=True, sorted=True),
):
    """A culture was counted at the given `hours`: `cells` holds the counts, both lists ascending. Describe the natural
    logarithm of the count by a straight line over time for which the squared differences add up to the least. Return a
    tuple of three: hours in which the described count doubles; described count at hour 0; square of the correlation
    between the hours and the logarithms."""
    slope, start = np.polyfit(hours, np.log(cells), 1)
    return np.log(2) / slope, np.exp(start), np.corrcoef(hours, np.log(cells))[0, 1] ** 2


@task
def diversity_of_a_pond(animals: Vector(Choice(1, 2, 4, 5, 10, 20, 40), (2, 40))):
    """A pond was searched for insects; `animals` tells how many were found of each species, at least one. The share of
    a species is its part of all insects found. The effective number of species is e to the power of H, with H the total
    over the species of minus share times natural logarithm of the share. Return a tuple of two: effective number of
    species; smallest number of species which together make up at least half of the insects, the commonest species taken
    first."""
    so_far = np.cumsum(np.sort(animals)[::-1])
    share = np.array(animals) / so_far[-1]
    return np.exp(-np.sum(share * np.log(share))), np.searchsorted(so_far * 2, so_far[-1]) + 1


@task(beats=(5, 120), equivalent={"bincount: minlength=1 -> 2": "no gap is shorter than 2"})
def beats_in_a_pulse_curve(curve: Vector(Int(0, 20), "beats"), least: Int(5, 14)):
    """In the readings of a pulse `curve` a beat is a reading of `least` or more that is higher than the one before and
    the one after it; the first and the last reading are no beats. A gap is the difference of the positions of a beat
    and the next one. Return a tuple of three: list of the positions of the beats, from 0; longest gap; commonest gap,
    the shortest in a tie. With fewer than two beats both gaps are 0."""
    values = np.array(curve)
    inner = values[1:-1]
    beats = np.flatnonzero((inner > values[:-2]) & (inner > values[2:]) & (inner >= least)) + 1
    gaps = np.diff(beats)
    return beats, np.max(gaps, initial=0), np.argmax(np.bincount(gaps, minlength=1))


@task(samples=(3, 12), knots=(3, 8), equivalent=TRUTHS)
def read_a_standard_curve(
    dose: Vector(Int(0, 90), "knots", unique=True, sorted=True),
    signal: Vector(Int(20, 90), "knots", unique=True, sorted=True),
    measured: Matrix(Int(10, 100), "samples", 3),
):  # fmt: skip
    """A photometer gave the ascending values `signal` for known ascending amounts `dose` of a substance; between them
    the relation runs in straight lines. Each row of `measured` holds three readings of a sample. The reading of a
    sample is the middle one of its three; below the lowest or above the highest known signal it is out of range, and
    the amount counts as that of the nearest known signal. Return a tuple of three: list of the amounts in the samples;
    number of samples out of range; row from 0 of the sample whose three readings are spread the most from the lowest to
    the highest, the first in a tie."""
    reading = np.median(measured, axis=1)
    outside = (reading < signal[0]) | (reading > signal[-1])
    return np.interp(reading, signal, dose), np.count_nonzero(outside), np.argmax(np.ptp(measured, axis=1))


@task(
    hours=(5, 40),
    equivalent=TRUTHS
    | {"amounts > level: the other border": "whole numbers over powers of 2 never equal one of the levels"},
)
def level_of_a_drug(doses: Vector(Choice(0, 0, 0, 1, 4, 6, 9), "hours"), level: Choice(2.3, 4.7, 6.6, 8.3)):
    """At the beginning of each hour a patient gets what `doses` says (0 is nothing). A dose counts in full in its own
    hour, by half in the next, by a quarter in the one after that, and so on; doses add up. Return a tuple of four:
    position from 0 of the hour with the highest amount in the body, the first in a tie; that amount; number of hours
    with an amount above `level`; area under the straight lines that join the amounts of the hours, one hour apart."""
    amounts = np.convolve(doses, 0.5 ** np.arange(len(doses)))[: len(doses)]
    peak = np.argmax(amounts)
    return peak, amounts[peak], np.count_nonzero(amounts > level), np.trapezoid(amounts)


@task(visits=(4, 25), species=(5, 14))
def how_long_to_search(found: Matrix(Choice(0, 0, 1), "visits", "species")):
    """A warden walked through a wood several times. Each row of `found` is a visit; a column holds 1 if a species was
    seen on it. Return a tuple of four: number of different species seen in all visits together; number of visits after
    which that number was reached, 1 if nothing was ever seen; list of the species, as columns from 0, that were seen on
    exactly one visit; position from 0 of the visit that brought the most species not seen before, the first in a
    tie."""
    seen = np.cumsum(found, axis=0)
    known = np.count_nonzero(seen, axis=1)
    new = np.diff(known, prepend=0)
    return known[-1], np.searchsorted(known, known[-1]) + 1, np.flatnonzero(seen[-1] == 1), np.argmax(new)
