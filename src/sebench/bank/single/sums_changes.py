"""Differences and slopes, areas, and the extremes of lists and tables."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Cube, Float, Int, Matrix, Vector

COMPLETE = "no value is missing, which is where they differ"
TOP = {"max -> nanmax": COMPLETE}
BOTTOM = {"min -> nanmin": COMPLETE}

# diff


@task
def pocket_money_changes(saved: Matrix(Int(1, 60), (2, 5), (2, 4))):
    """Every Sunday, children count what they have in their purses: `saved` has a row for each Sunday and a column for
    each child. By how much did every purse change from one Sunday to the next (less money is negative)? Return a list
    of rows, one row fewer than there are Sundays."""
    return np.diff(saved, axis=0)


@task
def braking_of_the_train(position: Vector(Int(0, 120), (3, 8), sorted=True)):
    """A toy train's `position` in centimetres is noted every second. The distance covered from one note to the next is
    its speed; what its toy passengers feel is the change from each speed to the following one. Return these changes
    of speed as a list."""
    return np.diff(position, n=2)


@task
def water_used_per_month(meter: Vector(Int(100, 900), (2, 7), sorted=True), start: Int(20, 99)):
    """At the end of each month the water `meter` was read; when the family moved in it showed `start`. Return the water
    used in every month, the first one included, as a list."""
    return np.diff(meter, prepend=start)


@task
def bees_return_to_the_hive(flowers: Matrix(Float(0, 9), (2, 4), (3, 5)), hive: Float(1, 6)):
    """A row of `flowers` gives the heights at which one bee drank, in that order; afterwards each bee flies to the
    `hive`, whose height is a number. Return every bee's change of height on each flight between two flowers and on the
    last one home, as a list of rows."""
    return np.diff(flowers, append=hive)


# ediff1d


@task
def vase_against_the_one_before(vases: Matrix(Int(100, 900), (2, 4), (2, 4))):
    """A potter notes the weight of all her vases in the order of making; in the notebook `vases` the end of a row is
    followed by the start of the next. By how much is each vase heavier than the vase made just before it (negative if
    lighter)? Return one flat list."""
    return np.ediff1d(vases)


@task
def pulse_readings_for_storage(pulse: Vector(Int(50, 180), (2, 7))):
    """A watch stores `pulse` readings as changes: 0 for the first reading, whose value is kept elsewhere, then for
    every other reading how much higher it is than the one before it (negative if lower). Return the stored list, as
    long as the original."""
    return np.ediff1d(pulse, to_begin=0)


@task
def frames_of_the_film(scenes: Vector(Int(0, 300), (2, 6), unique=True, sorted=True), credits: Vector(Int(1, 30), 2)):
    """`scenes` are the frames at which the scenes of a film begin, except for the last entry, where the credits begin.
    The credits have two parts, whose lengths are in `credits`. Return the lengths of all parts of the film in frames,
    as a single list: scene after scene, then the two parts of the credits."""
    return np.ediff1d(scenes, to_end=credits)


@task
def ski_run_between_codes(
    profile: Matrix(Float(0, 90), (2, 3), (2, 4)), start_code: Int(-999, -900), end_code: Int(900, 999)
):
    """A ski run was surveyed pole by pole; `profile` holds the heights, to be read one row after the other. The slope
    computer takes a flat list: the number `start_code`, then the height change from each pole to the next, and at the
    end the number `end_code`. Return that list."""
    return np.ediff1d(profile, to_begin=start_code, to_end=end_code)


# gradient


@task
def slope_of_the_temperature(degrees: Vector(Float(-6, 8), (3, 8))):
    """The temperature in `degrees` was logged once an hour. Estimate how fast it was rising at every hour: half the
    rise from the previous value to the next; at the first hour simply the rise to the second value, at the last hour
    the rise from the value before it. Return a list as long as the log."""
    return np.gradient(degrees)


@task(without=("constant",))  # a snail at rest has no speed but rounding errors
def speed_of_the_snail(path: Vector(Float(0, 9), (3, 7)), seconds: Float(0.5, 4)):
    """A snail's `path` along a wall, in millimetres from the start of the wall, is noted at equal intervals of
    `seconds`. Return its speed at each note as a list (crawling back is negative), by central differences in the
    interior and, at both ends, by one-sided differences of second order (using three notes)."""
    return np.gradient(path, seconds, edge_order=2)


@task(n=(3, 7))
def steepness_at_survey_points(
    height: Vector(Float(0, 50), "n", unique=True), place: Vector(Int(0, 400), "n", unique=True, sorted=True)
):
    """Surveyors took the `height` of a trail at unevenly spread spots, whose distances from the car park are in `place`
    (all in metres). Return the steepness at every spot as a list: the second-order estimate for uneven spacing
    inside, the plain slope to the neighbour at the two ends."""
    return np.gradient(height, place)


@task
def hillside_slopes(ground: Matrix(Int(0, 90), (3, 4), (3, 4))):
    """`ground` is a grid of heights in centimetres, taken at points one metre apart both ways. Return a tuple of two
    tables (lists of rows): how much the height rises per metre going down the rows, then going along a row to the
    right. Use central differences, and one-sided ones at the rim."""
    return np.gradient(ground)


# trapezoid


@task
def water_through_the_sluice(flow: Vector(Float(0, 30), (2, 8))):
    """The `flow` through a sluice was read every minute, in litres per minute. Joining the readings by straight lines,
    how much water went through between the first reading and the last? Return a number."""
    return np.trapezoid(flow)


@task(n=(2, 7))
def area_of_the_meadow(width: Vector(Float(1, 60), "n"), along: Vector(Int(0, 90), "n", unique=True, sorted=True)):
    """A meadow borders a straight road. At the distances `along` the road its `width` was measured, and between these
    points its other border runs straight. Return the area between the first and the last point, as a number."""
    return np.trapezoid(width, x=along)


@task
def energy_of_each_panel(watts: Matrix(Int(0, 300), (2, 5), (2, 4)), hours: Float(0.2, 3)):
    """Solar panels are the columns of `watts`, and a row was recorded every `hours` hours. Assume that power changes
    linearly between two records. Return a list with the energy in watt-hours that each panel delivered over the whole
    recording."""
    return np.trapezoid(watts, dx=hours, axis=0)


@task(k=(2, 5))
def dose_in_the_blood(
    levels: Matrix(Float(0, 20), (2, 4), "k"), times: Vector(Int(0, 48), "k", unique=True, sorted=True)
):
    """Each row of `levels` belongs to a patient: drug levels at the common `times`, in hours. Doctors use the area
    under the curve of straight segments through these points. Return that area for every patient, as a list."""
    return np.trapezoid(levels, x=times)


# max


@task(equivalent=TOP)
def best_quiz_score(scores: Matrix(Int(-90, 90), (2, 4), (2, 4))):
    """A quiz show takes points away for wrong answers, so a final score may well be below zero. Every row of `scores`
    holds the final scores of one evening. How many points did the best player of all evenings have? Return a
    number."""
    return np.max(scores)


@task(equivalent=TOP)
def longest_fish_per_pond(fish: Matrix(Float(5, 80), (2, 4), (2, 5))):
    """Anglers measured their catch: every row of `fish` is a pond, with lengths in centimetres. Return the length of
    the longest fish of each pond, in the form of a list of one-element rows."""
    return np.max(fish, axis=1, keepdims=True)


@task(equivalent=TOP)
def updated_course_records(jumps: Matrix(Int(120, 220), (2, 4), (2, 4)), opening: Int(140, 200)):
    """In a long jump course, `jumps` has a column for each child and a row for each round, in centimetres. Every child
    begins with the same record `opening`, which stands if no jump in any round beats it. Return the children's
    updated records as a list."""
    return np.max(jumps, axis=0, initial=opening)


@task(equivalent=TOP)
def peak_level_per_instrument(decibels: Cube(Int(-40, 40), (2, 3), (2, 3), (2, 3))):
    """`decibels` holds sound levels above or below a set level, nested by concert, instrument and movement: a table for
    each concert, with instruments as rows. Return for each instrument the greatest value reached in any concert and
    movement, as a list."""
    return np.max(decibels, axis=(0, 2))


# min


@task(equivalent=BOTTOM)
def deepest_dive(heights: Matrix(Float(-40, 10), (2, 4), (2, 4))):
    """A drone that flies and dives logs its `heights` over the sea, negative under water, with one row per mission.
    Return the lowest height of all missions together, as a single number."""
    return np.min(heights)


@task(equivalent=BOTTOM)
def fastest_time_by_street(minutes: Matrix(Int(3, 60), (2, 5), (2, 4))):
    """Couriers (rows) were timed to several streets (columns), in whole `minutes`. Return the shortest time for every
    street, as a list."""
    return np.min(minutes, axis=0)


@task(equivalent=BOTTOM)
def cheapest_way_to_travel(fares: Matrix(Int(40, 400), (2, 4), (2, 4)), train: Int(60, 250)):
    """Every row of `fares` lists the flights offered on one date. On all dates one may also take the train for the
    price `train`. Return the lowest price at which one can travel on each date, as a list."""
    return np.min(fares, axis=1, initial=train)


@task(equivalent=BOTTOM)
def lowest_temperature_of_cellars(cellars: Cube(Float(-5, 15), (2, 3), (2, 3), (2, 3))):
    """For each cellar there is a table in `cellars`, with days as rows and hours as columns, holding temperatures.
    Return the lowest temperature of each cellar over all its days and hours, as a list."""
    return np.min(cellars, axis=(1, 2))


# ptp


@task
def spread_of_finish_times(finish: Vector(Float(10, 30, 2), (2, 8))):
    """How many seconds lie between the first and the last runner of a race? `finish` has everybody's time, in no
    particular order. Return a number."""
    return np.ptp(finish)


@task
def tidal_range_of_ports(water: Matrix(Int(-300, 400), (2, 5), (2, 4))):
    """Water heights in centimetres were taken through the day (rows of `water`) in several ports (columns). The tidal
    range of a port is its highest less its lowest water. Return the ranges as a list."""
    return np.ptp(water, axis=0)


@task
def vocal_ranges(sung: Matrix(Int(45, 72), (2, 4), (2, 5))):
    """A choir conductor writes each singer's notes as numbers in a row of `sung`, one semitone being 1. By how many
    semitones does the highest note of a singer exceed the lowest? Return a list of one-element rows, singer by
    singer."""
    return np.ptp(sung, axis=1, keepdims=True)


@task
def price_swings(quotes: Cube(Float(1, 50), (2, 3), (2, 3), (2, 3))):
    """`quotes` nests markets, days and goods: each market is a table with a row per day and a column per good. Return a
    list saying for each good how far its dearest quote, on any market and day, lies above its cheapest."""
    return np.ptp(quotes, axis=(0, 1))
