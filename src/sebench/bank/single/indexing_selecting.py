"""Picking elements by position or by condition."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Bool, Cube, Float, Int, Matrix, Vector, Word

# take


@task(n=(4, 8))
def jukebox_lengths(seconds: Vector(Int(90, 400), "n"), requests: Vector(Int(0, "n-1"), (2, 6))):
    """The jukebox knows how many `seconds` each song lasts. Guests keyed in `requests`, song numbers counted from 0 and
    possibly the same song twice. Return the length of every requested song, in the order of the requests, as a list."""
    return np.take(seconds, requests)


@task(n=(3, 5))
def herbarium_columns(
    measures: Matrix(Float(0.5, 30), (2, 4), "n"), wanted: Vector(Int(0, "n-1"), (2, 3), unique=True)
):
    """Every row of `measures` describes a pressed leaf, every column one property. A botanist asks for the columns
    whose numbers (from 0) stand in `wanted`, in that sequence. Return the reduced table as a list of rows."""
    return np.take(measures, wanted, axis=1)


@task(n=(3, 6))
def round_table_turns(guests: Vector(Word(), "n", unique=True), turns: Vector(Int(-12, 20), (3, 6))):
    """`guests` sit at a round table and are numbered from 0. Counting goes round and round: past the last guest comes
    the first again, and -1 is the last one. Return who is meant by each number in `turns`, as a list of names."""
    return np.take(guests, turns, mode="wrap")


@task(n=(3, 5))
def lift_floor_plans(floors: Matrix(Int(1, 90), "n", (2, 4)), calls: Vector(Int(-3, 6), (4, 6))):
    """Row i of `floors` lists the office numbers on floor i. Faulty lift panels may send `calls` for floors that do
    not exist: anything below 0 goes to floor 0, anything too high to the top floor. Return the office row for each
    call, as a list of rows."""
    return np.take(floors, calls, axis=0, mode="clip")


# take_along_axis


@task(n=(2, 4), m=(3, 4))
def own_reading_order(cards: Matrix(Float(-9, 40), "n", "m"), order: Matrix(Int(0, "m-1"), "n", "m")):
    """Each child owns a row of number `cards`. The matching row of `order` lists which positions (from 0) of that very
    row to show one after another; a position may come twice. Return the shown numbers, one row per child, as a list of
    rows."""
    return np.take_along_axis(np.array(cards), np.array(order), axis=1)


@task(n=(3, 4), m=(2, 4))
def depth_probe_per_buoy(readings: Matrix(Float(-1, 25), "n", "m"), levels: Matrix(Int(0, "n-1"), 2, "m")):
    """`readings` holds water temperatures: columns are buoys, rows are depth levels from 0 downwards. `levels` has two
    rows; the column of a buoy tells which two levels to look up there. Return those temperatures in the same two-row
    form, as a list of rows."""
    return np.take_along_axis(np.array(readings), np.array(levels), axis=0)


@task(n=(2, 4), m=(3, 5))
def chosen_wine_scores(scores: Matrix(Float(0, 20), "n", "m"), picks: Matrix(Int(0, "m-1"), "n", 1)):
    """Judges are rows and wines are columns in `scores`, the table of points. In `picks` every judge has a one-element
    row with the column number, from 0, of the wine to comment on. Return the score each judge gave that wine, again as
    one-element rows in a list."""
    return np.take_along_axis(np.array(scores), np.array(picks), axis=-1)


@task(d=(2, 3), r=(2, 3), c=(2, 3))
def aquarium_hourly_lookup(oxygen: Cube(Float(-3, 9), "d", "r", "c"), hours: Cube(Int(0, "c-1"), "d", "r", 2)):
    """An aquarium writes down `oxygen` deviations by hall, tank and hour. `hours` is nested the same way, except that
    every tank has just two entries: the hour numbers, from 0, at which that very tank must be checked (possibly the
    same hour twice). Return the deviations found there, nested like `hours`."""
    return np.take_along_axis(np.array(oxygen), np.array(hours), axis=2)


# compress


@task(n=(2, 5))
def crews_that_finished(finished: Vector(Bool(), "n"), laps: Matrix(Float(50, 99), "n", (2, 4))):
    """In a sidecar race, row i of `laps` holds the times of crew i in the first laps, and `finished` tells for each
    crew whether it reached the finish in the end. Return the rows of only those crews that did, as a list of rows."""
    return np.compress(finished, laps, axis=0)


@task(n=(4, 6))
def open_market_days(is_open: Vector(Bool(), "n"), takings: Matrix(Int(5, 300), (2, 4), "n")):
    """A stall's `takings` come with one row per week and one column per weekday. The flags in `is_open`, one per
    column, say which weekdays will still be market days next year. Return the table without the other columns, as a
    list of rows."""
    return np.compress(is_open, takings, axis=1)


@task(n=(3, 4))
def working_camera_channels(works: Vector(Int(0, 1), "n"), image: Cube(Int(0, 255), (2, 3), (2, 3), "n")):
    """Each pixel in the rows of `image` is a list of channel values. Some channels of the sensor are dead: `works` has
    a 1 for each channel that is fine and a 0 for each dead one. Return the image with only the fine channels, nested
    the same way."""
    return np.compress(works, image, axis=2)


@task(n=(3, 5))
def kept_hive_frames(keep: Vector(Bool(), "n"), hives: Cube(Int(-9, 80), (2, 3), "n", (2, 3))):
    """A beekeeper's notes `hives` are nested by hive, frame and week and hold weight changes. Frames are thrown out by
    number, the same numbers in every hive; `keep` is true for the ones that stay. Return the remaining notes in the
    same nesting."""
    return np.compress(keep, hives, axis=1)


# extract


@task(r=(2, 4), c=(2, 4))
def ripe_pumpkins(ripe: Matrix(Bool(), "r", "c"), weights: Matrix(Float(1, 30), "r", "c")):
    """Pumpkins grow in a rectangular bed. `weights` has their kilograms and `ripe` marks, in the same layout, which can
    be harvested. Return the weights of the ripe ones in one flat list, row after row."""
    return np.extract(ripe, weights)


@task(r=(2, 4), c=(2, 4))
def tickets_of_taken_seats(occupied: Matrix(Int(0, 1), "r", "c"), tickets: Matrix(Int(1000, 9999), "r", "c")):
    """A cinema stores a grid `tickets` of ticket numbers and a grid `occupied` of the same size, with 1 where somebody
    sits and 0 where nobody does. Which ticket numbers are really in the room? Return them as a flat list, reading the
    grid line by line."""
    return np.extract(occupied, tickets)


@task(d=(2, 3), r=(2, 3), c=(1, 3))
def flagged_parcel_values(flagged: Cube(Bool(), "d", "r", "c"), values: Cube(Int(5, 900), "d", "r", "c")):
    """Customs keeps parcels on trolleys. `values` says, nested by trolley, shelf and slot, what each is declared to be
    worth; `flagged` has the same nesting and is true for suspicious ones. Return the values of all suspicious parcels
    as a single plain list: trolley by trolley, shelf by shelf, slot by slot."""
    return np.extract(flagged, values)


@task(r=(2, 4), c=(2, 4))
def prices_with_stock(stock: Matrix(Int(0, 3), "r", "c"), prices: Matrix(Float(0.5, 5, 2), "r", "c")):
    """A vending machine has `stock` (bottles left per slot) and `prices` (per slot), both as tables of the same form.
    Return the price of every slot that is not sold out, as one flat list from the top left slot to the bottom right
    one."""
    return np.extract(stock, prices)


# choose


@task(n=(3, 6))
def shift_rates_by_plan(
    plan: Vector(Int(0, 2), "n"),
    day: Vector(Int(10, 30), "n"),
    evening: Vector(Int(31, 60), "n"),
    night: Vector(Int(61, 99), "n"),
):
    """A worker's `plan` says for each date which shift is due: 0 day, 1 evening, 2 night. The pay for each date is in
    the lists `day`, `evening` and `night`. Return what the worker earns per date, as a list."""
    return np.choose(plan, [day, evening, night])


@task(n=(3, 6), k=(2, 4))
def mixtape_of_takes(takes: Matrix(Float(-6, 6), "k", "n"), best: Vector(Int(0, "k-1"), "n")):
    """A choir recorded a song several times; each row of `takes` holds the loudness of the bars in one recording, in
    decibels above or below the target. For each bar, `best` has the number (from 0) of the recording to use. Return the
    loudness of the finished cut, bar by bar, as a list."""
    return np.choose(best, takes)


@task(n=(3, 6))
def alternating_relay_times(
    leg: Vector(Int(-7, 9), "n"), anna: Vector(Int(100, 199), "n"), bela: Vector(Int(200, 299), "n"),
    cleo: Vector(Int(300, 399), "n"),
):  # fmt: skip
    """Three skaters take turns for ever: leg 0 is Anna's, 1 Bela's, 2 Cleo's, 3 Anna's again, and -1 Cleo's. For each
    entry of `leg`, a leg number, the lists `anna`, `bela` and `cleo` have at the same position what each of them would
    have clocked. Return the times of those whose turn it is, as a list."""
    return np.choose(leg, [anna, bela, cleo], mode="wrap")


@task(r=(2, 3), c=(2, 4))
def terrain_from_stages(
    stage: Matrix(Int(-2, 4), "r", "c"), bare: Matrix(Int(0, 9), "r", "c"), shrub: Matrix(Int(10, 19), "r", "c"),
    forest: Matrix(Int(20, 29), "r", "c"),
):  # fmt: skip
    """A game map takes the height of each cell from one of three layers of the same size: `bare` at stage 0, `shrub` at
    stage 1, `forest` at stage 2. `stage` has a number for each cell; numbers below 0 count as 0 and those above 2 as 2.
    Return the heights as a list of rows."""
    return np.choose(stage, [bare, shrub, forest], mode="clip")


# select


@task(n=(3, 7))
def postage_by_priority(
    express: Vector(Bool(), "n"), fragile: Vector(Bool(), "n"), fast_fee: Vector(Int(20, 40), "n"),
    care_fee: Vector(Int(50, 90), "n"),
):  # fmt: skip
    """For each letter: if `express` is true its fee is the one in `fast_fee`; failing that, if `fragile` is true, the
    one in `care_fee`; otherwise it is 7. Return all fees as a list."""
    return np.select([express, fragile], [fast_fee, care_fee], default=7)


@task(n=(3, 7))
def bonus_only_for_some(
    veteran: Vector(Bool(), "n"),
    rookie: Vector(Bool(), "n"),
    years: Vector(Int(1, 30), "n"),
    goals: Vector(Int(31, 60), "n"),
):
    """A hockey club rewards a player with the number in `years` if flagged in `veteran`; players not flagged there but
    flagged in `rookie` get the number in `goals`; everyone else gets 0. Return the rewards as a list."""
    return np.select([veteran, rookie], [years, goals])


@task(n=(3, 6))
def backup_thermometers(
    main_ok: Vector(Bool(), "n"), spare_ok: Vector(Bool(), "n"), main: Vector(Float(-9, 9), "n"),
    spare: Vector(Float(10, 19), "n"), forecast: Vector(Float(20, 30), "n"),
):  # fmt: skip
    """A hut reports hourly temperatures. Use the value in `main` wherever `main_ok` holds, else the one in `spare`
    wherever `spare_ok` holds, and where neither instrument works the value in `forecast`. Return the hourly result as a
    list."""
    return np.select([main_ok, spare_ok], [main, spare], default=forecast)


@task(r=(2, 3), c=(2, 4))
def map_tile_colours(
    water: Matrix(Bool(), "r", "c"), road: Matrix(Bool(), "r", "c"), house: Matrix(Bool(), "r", "c"), blank: Int(10, 99)
):
    """The flags `water`, `road` and `house` describe the cells of a map. A cell gets colour 1 for water, else 2 for a
    road, else 3 for a house, and the colour number `blank` when it is none of these. Return the coloured map as a list
    of rows."""
    return np.select([water, road, house], [1, 2, 3], default=blank)


# where


@task(n=(3, 7))
def ferry_or_bridge(storm: Vector(Bool(), "n"), bridge: Vector(Int(40, 90), "n"), ferry: Vector(Int(10, 39), "n")):
    """Commuters take the `bridge` on days with a `storm` and the `ferry` on all other days. The lists hold minutes of
    travel per day. Return how long the trip takes each day, as a list."""
    return np.where(storm, bridge, ferry)


@task(n=(3, 7))
def unpaid_amounts_blank(paid: Vector(Bool(), "n"), amounts: Vector(Int(1, 500), "n")):
    """The treasurer of a garden club lists pledged `amounts` and whether each was `paid`. Return a list of the same
    length with the amount for each paid pledge and -1 for each of the others."""
    return np.where(paid, amounts, -1)


@task(r=(2, 4), c=(2, 4))
def repaired_pixel_grid(damaged: Matrix(Bool(), "r", "c"), scan: Matrix(Int(0, 199), "r", "c"), patch: Int(200, 255)):
    """An old photograph was digitised into the grid `scan`, and `damaged` is true at scratched pixels. Return the
    picture with the number `patch` at all scratched pixels and everything else untouched, as a list of rows."""
    return np.where(damaged, patch, scan)


@task(r=(2, 4), c=(3, 5))
def orchard_by_variety(
    is_early: Vector(Int(0, 1), "c"), early: Matrix(Float(1, 9), "r", "c"), late: Vector(Float(10, 19), "c")
):
    """Every column of an orchard grows one variety. Where `is_early` has a 1, the trees of that column yield what the
    same column of the table `early` says, tree by tree; where it has a 0, each tree of the column yields the one
    number that `late` has for that column. Return the yields as a list of rows."""
    return np.where(is_early, early, late)
