"""Averages, spread and quantiles of values of which some are missing."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Choice, Cube, Float, Int, Matrix, Missing, Ragged, Vector

# A `Ragged` with one fixed length is a matrix with at least one value that is not missing in each row.

# nanmean


@task
def heart_rate_average(pulse: Vector(Missing(Int(55, 160)), (4, 8))):
    """A fitness watch records `pulse` once a minute and writes nan for minutes in which it slipped off the wrist.
    Return the average pulse over the other minutes, as a number."""
    return np.nanmean(pulse)


@task
def essay_marks_per_pupil(marks: Ragged(Missing(Int(0, 15)), (2, 5), (4, 4))):
    """Pupils are the rows of `marks`, the four essays of the term are its columns; an essay missed through illness is
    nan. Everybody wrote at least one. Return each pupil's average over the essays actually written, as a list."""
    return np.nanmean(marks, axis=1)


@task(hives=(2, 5))
def hive_weight_of_three_scales(
    floor_scale: Vector(Float(36, 44), "hives"),
    hanging_scale: Vector(Missing(Float(36, 44)), "hives"),
    spring_balance: Vector(Missing(Float(36, 44)), "hives"),
):
    """Every beehive is weighed on a `floor_scale` and, where time allows, also on a `hanging_scale` and on a
    `spring_balance` (nan if that was skipped). Take the average of the weights available for each hive. Return these
    averages as a table with just one row, that is a list containing one list."""
    return np.nanmean([floor_scale, hanging_scale, spring_balance], axis=0, keepdims=True)


@task
def soil_moisture_by_field(probes: Cube(Missing(Float(5, 45)), (2, 3), (2, 3), (2, 3))):
    """Moisture `probes` stand in a grid on each of our fields: the outer list is the fields, inside it come rows of
    readings. Probes hit by the plough give nan. Return a list with the average moisture of each field, leaving broken
    probes aside; each field has a working one."""
    return np.nanmean(probes, axis=(1, 2))


# nanmedian


@task
def middle_commute(minutes: Vector(Missing(Int(10, 90)), (4, 8))):
    """My commute in `minutes` is logged on every working day, home office days being nan. With the real commutes put in
    order of length, which is the middle one (for an even count, halfway between the two in the middle)? Return it as a
    number."""
    return np.nanmedian(minutes)


@task
def median_bid_per_painting(bids: Ragged(Missing(Int(10, 900)), (2, 4), (5, 5))):
    """At an auction five dealers may bid on each painting. `bids` has a row per painting, in dealer order, with nan
    from dealers who stayed silent; at least one always spoke. Return the median bid for every painting as a list."""
    return np.nanmedian(bids, axis=1)


@task(rows=(2, 4), cols=(2, 4))
def median_depth_of_lake(soundings: Matrix(Missing(Float(0.5, 40)), "rows", "cols")):
    """Divers sounded a lake on a grid: `soundings` is a list of rows of depths, and nan wherever reeds were in the way.
    Return the median of all depths of the whole grid as one number, reeds excluded."""
    return np.nanmedian(soundings)


@task(frames=(2, 5))
def vote_of_three_sensors(
    radar: Vector(Float(25, 40), "frames"),
    lidar: Vector(Missing(Float(25, 40)), "frames"),
    camera: Vector(Missing(Float(25, 40)), "frames"),
):
    """A robot estimates a distance three times per frame, by `radar`, `lidar` and `camera`; the latter two may say nan.
    It trusts the median of what it has in that frame. Return a table with a single
    row that holds these medians, one column for each frame."""
    return np.nanmedian([radar, lidar, camera], axis=0, keepdims=True)


# nanstd


@task
def bowling_spread(scores: Vector(Missing(Int(60, 220)), (4, 8))):
    """How steadily does our bowler play? Take the numbers in `scores`, skip evenings without a game (nan), and return
    the standard deviation of the rest as a number, where the variance under the root is divided by the number of games
    played."""
    return np.nanstd(scores)


@task(samples=(4, 6))
def pooled_filling_deviation(
    day_shift: Vector(Float(480, 520), "samples"), night_shift: Vector(Missing(Float(480, 520)), "samples")
):
    """Bottles are checked in the `day_shift` and in the `night_shift` (millilitres each; nan if a night bottle broke).
    Throw both lists together and return the sample standard deviation, with the number of unbroken bottles less one as
    the divisor, as a single number."""
    return np.nanstd([day_shift, night_shift], ddof=1)


@task
def oven_zone_unevenness(zones: Ragged(Missing(Int(150, 260)), (2, 4), (4, 4))):
    """A bakery oven has several zones, each a row of `zones` with four thermometer values, nan for a dead thermometer
    (never all four). Return the population standard deviation inside each zone as a list."""
    return np.nanstd(zones, axis=1)


@task(beans=(4, 6))
def bean_height_deviation(
    plot_a: Vector(Float(5, 90), "beans"),
    plot_b: Vector(Float(5, 90), "beans"),
    plot_c: Vector(Missing(Float(5, 90)), "beans"),
):
    """The same bean varieties, in the same order, were sown on `plot_a`, `plot_b` and `plot_c`, which list how high
    each grew; snails ate some of the third plot (nan). Return the standard deviation of the heights of each variety
    over the plots where it survived, with n - 1 in the denominator, as a list."""
    return np.nanstd([plot_a, plot_b, plot_c], axis=0, ddof=1)


# nanvar


@task
def tuning_variance(cents: Vector(Missing(Float(-40, 40)), (4, 8))):
    """A piano tuner lists by how many `cents` each string is off; strings that are torn are nan. Compute the variance
    over the intact strings (mean squared distance from their mean) and return it as a number."""
    return np.nanvar(cents)


@task(boxes=(4, 6))
def egg_weight_variance(brown: Vector(Float(45, 75), "boxes"), white: Vector(Missing(Float(45, 75)), "boxes")):
    """Weights of `brown` and `white` eggs, in grams; a cracked white egg was entered as nan. Considering all uncracked
    eggs of both colours as one sample, what is the unbiased variance (divisor: number of eggs minus 1)? Return a
    number."""
    return np.nanvar([brown, white], ddof=1)


@task
def satellite_strip_variance(strips: Ragged(Missing(Int(0, 50)), (2, 4), (5, 5))):
    """Cloudy pixels in a satellite image are nan. Given the image's `strips` (rows of five brightness values, none
    wholly cloudy), return the variance of the clear pixels of every strip, dividing by their count, as a list of
    one-element rows."""
    return np.nanvar(strips, axis=1, keepdims=True)


@task(routes=(4, 6))
def ferry_delay_variance(
    spring: Vector(Int(0, 30), "routes"),
    summer: Vector(Int(0, 30), "routes"),
    winter: Vector(Missing(Int(0, 60)), "routes"),
):
    """Mean ferry delays per route are known for `spring` and `summer`, and for `winter` only where the route is served
    (nan otherwise). For each route return the variance over its served seasons, as a list. Use the number of served
    seasons minus one as divisor."""
    return np.nanvar([spring, summer, winter], axis=0, ddof=1)


# nanpercentile


@task
def waiting_room_percentile(waits: Vector(Missing(Int(0, 120)), (5, 8)), percent: Int(5, 95)):
    """Patients' `waits` in minutes contain nan for people who left early. Leave these out and return the `percent`-th
    percentile of the other waits, interpolated linearly between neighbours, as a number."""
    return np.nanpercentile(waits, percent)


@task
def upload_speed_ninetieth(speeds: Ragged(Missing(Float(1, 100)), (2, 4), (5, 5))):
    """Households (rows of `speeds`) measured their upload rate five times; a measurement that broke off is nan, but
    each household completed at least one. What is the 90th percentile per household, with linear interpolation? Return
    a list."""
    return np.nanpercentile(speeds, 90, axis=1)


@task(rows=(2, 4), cols=(2, 4))
def peat_core_quartiles(carbon: Matrix(Missing(Float(10, 60)), "rows", "cols")):
    """Peat cores give a table `carbon` of carbon contents, rows being cores and columns depths. Lost slices are nan.
    Over all remaining slices of all cores together, return the 25th and the 75th percentile (linear interpolation), in
    this order, as a list of two numbers."""
    return np.nanpercentile(carbon, [25, 75])


@task
def salary_step_below(salaries: Vector(Missing(Int(1800, 5200)), (5, 8)), share: Choice(25, 50, 75)):
    """Some colleagues kept their pay secret, so `salaries` has nan for them. Find the `share`-th percentile of the
    known ones, but only an amount that somebody really earns is allowed: where it falls between two of them, take the
    smaller. Return that amount."""
    return np.nanpercentile(salaries, share, method="lower")


# nanquantile


@task
def seed_weight_fraction(seeds: Vector(Missing(Float(0.5, 9, 2)), (5, 8)), fraction: Float(0.05, 0.95, 2)):
    """A botanist weighs `seeds` in milligrams, nan for hollow ones, which are ignored. Below which weight lies the
    given `fraction` (0 to 1) of the full seeds? Return that quantile, linearly interpolated, as a number."""
    return np.nanquantile(seeds, fraction)


@task(stations=(4, 6))
def ozone_band(
    june: Vector(Int(20, 180), "stations"),
    july: Vector(Int(20, 180), "stations"),
    august: Vector(Missing(Int(20, 180)), "stations"),
):
    """Ozone values per station are listed for `june`, `july` and `august`, the last with nan for stations under repair.
    For every station compute the quantiles 0.1 and 0.9 over its months (linear interpolation, nan left out). Return a
    list of two rows: all 0.1 quantiles, then all 0.9 quantiles."""
    return np.nanquantile([june, july, august], [0.1, 0.9], axis=0)


@task
def film_review_level(reviews: Ragged(Missing(Float(1, 5)), (2, 4), (5, 5)), level: Choice(0.6, 0.7, 0.75, 0.8)):
    """Five critics review some films (one row of `reviews` per film, nan: not seen, and every film was seen by
    someone). Return for each film the `level` quantile of its existing reviews, interpolated linearly, as a list of
    rows with one entry each."""
    return np.nanquantile(reviews, level, axis=1, keepdims=True)


@task
def flood_level_above(floods: Vector(Missing(Float(1, 9)), (5, 8)), part: Choice(0.25, 0.5, 0.75)):
    """The list `floods` has the highest flood of each year in metres, and nan for years lost from the archive. Find the
    quantile of the known levels at the fraction `part` (0 to 1); if it lies between two known levels, take the higher
    of these two instead of interpolating. Return the level as a number."""
    return np.nanquantile(floods, part, method="higher")
