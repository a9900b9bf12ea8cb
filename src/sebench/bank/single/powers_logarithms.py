"""Logarithms, and sums of numbers that are stored as logarithms, element by element."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Choice, Cube, Float, Int, Matrix, Vector

# log


@task
def caffeine_lifetimes(ratios: Vector(Float(1, 40), (2, 7))):
    """Caffeine leaves the body so that the time passed, in units of the mean lifetime, is the natural logarithm of
    start dose over present dose. `ratios` lists such quotients. Return the times as a list."""
    return np.log(ratios)


@task
def surprise_in_nats(rarity: Int(1, 900)):
    """Something that happens once in `rarity` trials carries a surprise of ln(`rarity`) nats, with logarithms to base
    e. Return the surprise as a number."""
    return np.log(rarity)


@task
def price_table_in_logs(prices: Matrix(Float(0.5, 99), (1, 4), (2, 4))):
    """An economist models flower prices on the natural logarithmic scale. `prices` has a row per market and a column
    per bouquet. Return the table with the natural logarithm of every price, as a list of rows."""
    return np.log(prices)


@task
def complex_winding(charges: Vector(Float(-9, 4, nonzero=True), (3, 6))):
    """In potential theory even negative `charges` need a natural logarithm, so work with complex numbers: the principal
    value, whose imaginary part is pi for a negative charge and 0 for a positive one. Return a list of complex
    numbers."""
    return np.log(charges, dtype="complex128")


# log2


@task
def guessing_game_questions(candidates: Vector(Int(1, 2000), (2, 7))):
    """With ideal yes/no questions that halve what is left, singling out one of n animals takes as many questions as
    there are doublings from 1 to n, fractions allowed. Return this for each n in `candidates`, as a list."""
    return np.log2(candidates)


@task
def interval_in_octaves(ratio: Float(0.15, 5, decimals=2)):
    """A sitar string is tuned so that its frequency is `ratio` times that of the drone. Each octave is a factor of two.
    Return how many octaves it lies above the drone, negative if below, as a number."""
    return np.log2(ratio)


@task
def fold_changes(expression: Matrix(Float(0.1, 20), (1, 4), (2, 4))):
    """Geneticists judge gene activity by doublings. The table `expression` holds the activity relative to a healthy
    cell, genes in rows and patients in columns: 8 counts as 3 and 0.5 as -1. Return the converted table as a list of
    rows."""
    return np.log2(expression)


@task(nonfinite=True)
def binary_logs_of_shares(shares: Vector(Choice(0.0, 0.125, 0.2, 0.25, 0.4, 0.5, 0.7, 1.0), (3, 7))):
    """For several letters a linguist lists in what share of the inscriptions they occur: `shares`, from 0 to 1. Return
    the binary (base 2) logarithm of each share as a list; a letter that never occurs, share 0, gets minus infinity."""
    return np.log2(shares)


# log10


@task
def dilutions_on_a_log_scale(dilutions: Vector(Float(1, 900, decimals=1), (2, 7))):
    """A chemist compares `dilutions` on the decimal logarithmic scale, where a hundredfold dilution counts 2 and an
    undiluted sample, with the value 1, counts 0. Return the scale value of every dilution, as a list."""
    return np.log10(dilutions)


@task
def quake_magnitude_gap(shaking: Int(1, 990)):
    """One earthquake shook the ground `shaking` times as strongly as another. Magnitudes rise by one for every factor
    of ten in shaking. Return by how much the magnitudes differ, as a number."""
    return np.log10(shaking)


@task
def star_survey_in_dex(brightness: Matrix(Float(0.1, 500), (1, 4), (2, 4))):
    """Astronomers measure in "dex", powers of ten: brightness 1000 is 3 dex and 1 is 0 dex. Express the survey
    `brightness`, one row per star and one column per night, in dex and return it as a list of rows."""
    return np.log10(brightness)


@task(nonfinite=True)
def hall_noise_levels(pressures: Cube(Choice(0, 3, 10, 25, 48, 100, 132, 219, 260, 300), (1, 3), (2, 3), 2)):
    """Sound checks in several halls: `pressures` has one block per hall, with a row per seat and in each row the sound
    pressures at the two ears, in whole units. Return the common (base 10) logarithm of every entry in the same nesting;
    total silence, 0, becomes negative infinity."""
    return np.log10(pressures)


# log1p


@task
def log_returns(gains: Vector(Float(-0.8, 1.5, decimals=3), (2, 7))):
    """A share's yearly `gains` are fractions: 0.02 means it rose by two percent, -0.5 that it halved. Convert each gain
    g to its log return, the natural logarithm of one plus g, accurate for tiny gains too. Return a list."""
    return np.log1p(gains)


@task
def damped_visit_count(visits: Int(0, 800)):
    """So that a blog post without readers scores zero, its popularity is defined as ln(`visits` + 1) with the natural
    logarithm. Return the popularity as a number."""
    return np.log1p(visits)


@task
def plankton_counts_scaled(counts: Matrix(Int(0, 12), (1, 4), (2, 4))):
    """Plankton nets often come up empty, so the biologist adds 1 to every entry of `counts` (rows are stations, columns
    are species) before taking the logarithm to base e. Return what she obtains, as a list of rows."""
    return np.log1p(counts)


@task
def true_elongations_of_rubber(stretch: Cube(Float(-0.5, 0.9, decimals=2), (1, 3), 2, 2)):
    """For each rubber sample, `stretch` gives a two-by-two block of relative elongations x, where 0 is unstretched and
    below zero is compressed. Hencky's "true" elongation is the natural logarithm of (1 + x). Return it for every entry,
    block by block, nested as before."""
    return np.log1p(stretch)


# logaddexp


@task(pairs=(2, 6))
def merged_hypotheses(left: Vector(Float(-780, -774), "pairs"), right: Vector(Float(-780, -774), "pairs")):
    """For each suspect, `left` and `right` hold the natural-log probabilities of two courses of events that exclude
    each other; they are far too negative to be exponentiated. Return for each suspect the natural log of the
    probability that one of the two happened (the sum of the two probabilities), as a list."""
    return np.logaddexp(left, right)


@task
def smooth_peak(uphill: Float(0, 6), downhill: Float(0, 6)):
    """A ski-route planner wants a smooth substitute for the larger of two slopes: take e to the `uphill`, plus e to the
    `downhill`, and then the natural logarithm of that total. Return this soft maximum as a number."""
    return np.logaddexp(uphill, downhill)


@task(words=(2, 4))
def language_model_mix(scores: Matrix(Float(-9, -0.8), (1, 4), "words"), cache: Vector(Float(-9, -0.8), "words")):
    """Each row of `scores` is a sentence position with ln-probabilities of the words; `cache` holds one more
    ln-probability for each word (column). Return, as a list of rows, the ln of the sum of both probabilities, table and
    cache, for each entry."""
    return np.logaddexp(scores, cache)


@task
def softplus_with_floor(signals: Vector(Float(-5, 5), (2, 7)), floor: Float(-3, 3)):
    """To keep sensor `signals` softly above a level, an engineer replaces each signal s by ln(e^s + e^`floor`), ln
    being the natural logarithm. Return the replaced signals in a list."""
    return np.logaddexp(signals, floor)


# logaddexp2


@task(spots=(2, 6))
def added_light_in_stops(window: Vector(Float(-6, 6), "spots"), lamp: Vector(Float(-6, 6), "spots")):
    """Photographers count light in stops: L stops stand for an amount of 2 to the L. At several spots a `window` and a
    `lamp` shine together, each given in stops. Amounts add up; return the combined light at every spot, again in stops,
    as a list."""
    return np.logaddexp2(window, lamp)


@task
def log_chance_of_either_message(first: Int(-12, -1), second: Int(-12, -1)):
    """Two messages have probabilities 2 to the `first` and 2 to the `second`. Return the base-2 logarithm of the chance
    that one or the other is sent (the sum of both probabilities), as a number."""
    return np.logaddexp2(first, second)


@task(labs=(2, 4))
def binary_likelihood_table(
    trials: Matrix(Float(-1090, -1084), (1, 4), "labs"), prior: Vector(Float(-1090, -1084), "labs")
):
    """Likelihoods as small as 2 to the -1085 underflow, so a lab keeps binary logarithms: `trials`, with one row per
    trial and one column per theory, and `prior`, one more value per theory. Return, for each entry of the table, the
    binary logarithm of the sum of its likelihood and the prior likelihood of its column, as a list of rows."""
    return np.logaddexp2(trials, prior)


@task
def cheese_mould_colonies(doublings: Matrix(Int(0, 9), (1, 4), (2, 4)), newcomer: Int(0, 9)):
    """A mould colony that has divided d times has 2 to the d cells. For each cheese (row) and spot (column) `doublings`
    tells d. Then, on every spot, a colony that has divided `newcomer` times lands and merges with the one there. Return
    the d that corresponds to the cells of each merged colony, as a list of rows."""
    return np.logaddexp2(doublings, newcomer)
