"""Finding where values stand, and counting them."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Choice, Cube, Float, Int, Matrix, Vector

# searchsorted


@task
def place_in_the_row(row: Vector(Int(100, 112), (3, 7), sorted=True), newcomer: Int(100, 113)):
    """Children stand in a `row`, a list of their heights from short to tall. A `newcomer`, also given by height, joins
    in front of everybody who is just as tall or taller. Return the position, from 0, that the newcomer gets."""
    return np.searchsorted(row, newcomer)


@task
def trains_already_gone(departures: Vector(Int(0, 30), (3, 7), sorted=True), arrivals: Vector(Int(0, 32), (2, 5))):
    """The ordered list `departures` holds the minutes at which trains leave. `arrivals` holds the minutes at which
    passengers come: how many trains have left by each of these? A train leaving in the very minute of arrival counts as
    left. Return a list of counts."""
    return np.searchsorted(departures, arrivals, side="right")


@task(weeks=(2, 4))
def levels_passed_by_scores(
    limits: Vector(Int(10, 30), (3, 5), unique=True, sorted=True), scores: Matrix(Int(8, 32), "weeks", 3)
):
    """A game has ascending `limits`; a score reaches a level only by going beyond its limit, so equality is not enough.
    `scores` is a table with one row a week and a column for each of three players. Return, as a table of the same form
    (list of rows), how many limits each score has passed."""
    return np.searchsorted(limits, scores)


@task
def stamps_for_letters(grams: Vector(Choice(8, 20, 21, 36, 50, 51, 75, 100, 101, 240, 500, 501, 640), (3, 7))):
    """Letters up to 20 grams fall under tariff 0, up to 50 grams under tariff 1, up to 100 under tariff 2, up to 500
    under tariff 3, heavier ones under tariff 4; each limit still belongs to the lower tariff. Return the tariff number
    of every entry in `grams`, as a list."""
    return np.searchsorted([20, 50, 100, 500], grams)


# digitize


@task
def wind_force_classes(knots: Vector(Int(0, 40), (3, 7))):
    """Classify wind speeds in `knots`: class 0 is below 4, class 1 from 4, class 2 from 11, class 3 from 22, class 4
    from 34 on, each lower limit included. Return the class of each speed as a list of whole numbers."""
    return np.digitize(knots, [4, 11, 22, 34])


@task(samples=(2, 4))
def grain_sieve_number(
    grains: Matrix(Int(1, 30), "samples", 4), sieves: Vector(Int(2, 28), (2, 5), unique=True, sorted=True)
):
    """Sand `grains` (a table of widths, one row per sample) are classified by `sieves`, a list of ascending mesh
    widths. A grain that is exactly as wide as a mesh still falls into the class below it. Number the classes from 0 (up
    to the first mesh) and return the class of each grain as a list of rows."""
    return np.digitize(grains, sieves, right=True)


@task
def depth_zone_of_divers(depths: Vector(Int(-60, 0), (3, 7))):
    """Divers are at `depths` given as negative metres. Zone 0 is -5 and higher, zone 1 from below -5 down to and
    including -18, zone 2 below that down to and including -40, zone 3 deeper still. Return each diver's zone as a
    list."""
    return np.digitize(depths, [-5, -18, -40])


@task
def tax_bracket_of_income(income: Int(0, 60), brackets: Vector(Int(5, 55), (3, 6), unique=True, sorted=True)):
    """The income thresholds in `brackets` ascend. Bracket 0 lies below the first of them, bracket 1 between the first
    and the second, and so on; whoever earns exactly a threshold is in the bracket above it. Return the bracket number
    for a single `income`."""
    return np.digitize(income, brackets)


# argmax


@task
def tallest_sunflower(sunflowers: Vector(Int(80, 300), (2, 7))):
    """Along the fence grow `sunflowers`; the list has their heights from left to right. Which one is the tallest?
    Return its index from 0, the leftmost if several share the height."""
    return np.argmax(sunflowers)


@task(rows=(2, 4), cols=(2, 4))
def advent_box_with_most_sweets(boxes: Matrix(Int(0, 12), "rows", "cols")):
    """An advent calendar's `boxes` are given row by row with the number of sweets inside. Numbering the boxes 0, 1, 2,
    ... in reading order, return the number of the fullest one (the earliest of equally full ones)."""
    return np.argmax(boxes)


@task(songs=(2, 5), countries=(2, 4))
def winning_song_per_country(votes: Matrix(Int(0, 12), "songs", "countries")):
    """Song contest: `votes` has a row for each song and a column for each country. Return a list with, per country, the
    row number (from 0) of the song to which it gave the most votes; of songs with equally many, the one in the upper
    row wins."""
    return np.argmax(votes, axis=0)


@task
def brightest_lamp_positions(halls: Cube(Int(0, 99), (2, 3), (2, 3), (3, 4))):
    """Every one of the `halls` has several rows of lamps, all given by brightness. Return for each hall a list with the
    position (from 0) of the brightest lamp in each of its rows, so a list of lists of positions; the first of equally
    bright lamps counts."""
    return np.argmax(halls, axis=2)


# argmin


@task
def quietest_minute(traffic: Vector(Int(0, 60), (2, 7))):
    """A toad wants to cross the road. `traffic` counts the cars minute by minute. Return the number, from 0, of the
    minute with the fewest cars; she takes the earliest if there are several."""
    return np.argmin(traffic)


@task(rows=(2, 4), cols=(2, 4))
def lowest_tile(tiles: Matrix(Float(-9, 9), "rows", "cols")):
    """A floor is uneven: `tiles` lists the tile heights in millimetres, row after row, negative where sunk. If tiles
    are numbered through from 0 across all rows, which number has the deepest tile? Return it (the smallest in case of a
    tie)."""
    return np.argmin(tiles)


@task(chefs=(2, 5), dishes=(2, 4))
def quickest_chef_per_dish(cooking: Matrix(Int(5, 60), "chefs", "dishes")):
    """Chefs in rows, dishes in columns: `cooking` shows the minutes each chef needs. Return a list that names for each
    dish the row of the quickest chef, counted from 0; in a draw the chef further up gets it."""
    return np.argmin(cooking, axis=0)


@task(walkers=(2, 4))
def day_of_shortest_leg(legs: Matrix(Int(3, 25), "walkers", 4)):
    """On a four-day hike, each row of `legs` holds the kilometres that one hiker walked, day by day. Return the day (0
    to 3) of every hiker's shortest leg, the earlier one if two are equally short, as a list of rows with a single day
    in each."""
    return np.argmin(legs, axis=1, keepdims=True)


# count_nonzero


@task
def mailboxes_with_post(mailboxes: Vector(Int(0, 3), (3, 8))):
    """The list `mailboxes` says how many letters lie in each box of a house. How many boxes are not empty? Return the
    count."""
    return np.count_nonzero(mailboxes)


@task(days=(2, 4), cats=(2, 5))
def days_each_cat_hunted(mice: Matrix(Int(0, 2), "days", "cats")):
    """Each evening (a row) we note how many `mice` each cat (a column) brought home. Return a list: for every cat, the
    number of evenings on which it brought at least one."""
    return np.count_nonzero(mice, axis=0)


@task(gates=(2, 4), hours=(3, 5))
def drifting_clocks(drift: Matrix(Int(-2, 2), "gates", "hours")):
    """Station clocks are compared with the exact time every hour; `drift` has a row of deviations in seconds for each
    clock, 0 if it is right, negative if slow. Return how often each clock was wrong, as a list of rows with one count
    each."""
    return np.count_nonzero(drift, axis=1, keepdims=True)


@task
def occupied_cabins_per_deck(sleepers: Cube(Int(0, 2), (2, 3), (2, 3), (2, 3))):
    """A ferry has decks, each with rows of cabins, and `sleepers` (nested deck, row, cabin) tells how many people sleep
    in each cabin. Return a list with the number of occupied cabins on each deck."""
    return np.count_nonzero(sleepers, axis=(1, 2))
