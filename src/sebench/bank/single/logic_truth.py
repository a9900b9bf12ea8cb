"""Whether everything or anything holds, and truth values combined."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Bool, Choice, Cube, Int, Matrix, Vector

# --- all


@task
def spice_rack_ready(jars: Vector(Int(0, 3), (2, 4))):
    """A curry cook counts how many jars of each spice are left; `jars` has one count per spice and 0 means it ran out.
    Can she start, that is, is no spice missing? Return True or False."""
    return np.all(jars)


@task(people=(2, 3), days=(2, 4))
def full_turnout_days(hours: Matrix(Int(0, 5), "people", "days")):
    """Volunteers dig out a Roman villa. In `hours` every row is a volunteer, every column a day, and each entry the
    time spent digging (0 = stayed home). Return, day by day, whether the whole team turned up: a list of True and
    False."""
    return np.all(hours, axis=0)


@task(buses=(2, 4))
def bus_tyres_inflated(pressure: Matrix(Choice(0.0, 6.5, 7.0, 7.5, 7.8, 8.0, 8.1, 8.2), "buses", 6)):
    """The depot gauges tyre `pressure` in bar, a row of six per bus. A bus may leave only if none of its tyres reads 0.
    Return a table with a single column: a list of rows, each holding just the True/False verdict for that bus."""
    return np.all(pressure, axis=1, keepdims=True)


@task(floors=(2, 3))
def floors_fully_lit(lamps: Cube(Int(0, 4), "floors", (1, 2), (2, 2))):
    """`lamps` describes an office tower: for each floor a grid (list of rows) with the brightness of every lamp, 0 for
    a lamp that is dead. Return a list with one entry per floor: True if none of its lamps is dead, False otherwise."""
    return np.all(lamps, axis=(1, 2))


# --- any


@task
def greenhouse_has_leak(drips: Matrix(Choice(*[0] * 10, 1, 3), (2, 3), (2, 4))):
    """After a hailstorm a gardener maps the greenhouse roof: `drips` gives, pane by pane in rows, how many drops fall
    per minute. Is there at least one pane that drips? Return one True or False for the whole roof."""
    return np.any(drips)


@task(nights=(2, 4), traps=(2, 4))
def camera_traps_triggered(photos: Matrix(Choice(0, 0, 0, 2, 5), "nights", "traps")):
    """Lynx researchers list the number of `photos` per night (rows) and camera trap (columns). Return a single-row
    table, i.e. a list with one inner list, saying for each trap whether it took a photo on at least one night."""
    return np.any(photos, axis=0, keepdims=True)


@task(players=(2, 5), rounds=(2, 4))
def players_with_penalty(penalties: Matrix(Choice(0, 0, 0, 1, 2), "players", "rounds")):
    """On a golf weekend `penalties` records penalty strokes: one row for each player, one column for each round. Who
    got a penalty in at least one round? Return a list of True/False in the order of the players."""
    return np.any(penalties, axis=1)


@task(weeks=(2, 3), rooms=(2, 3), slots=(2, 3))
def rooms_ever_booked(bookings: Cube(Choice(*[0] * 10, 3, 8), "weeks", "rooms", "slots")):
    """A music school stores `bookings` by week, practice room and time slot, each entry being the number of pupils
    booked. Looking over all weeks and slots together, return for every room whether it was ever booked, as a list of
    booleans."""
    return np.any(bookings, axis=(0, 2))


# --- logical_and


@task(n=(3, 6))
def pies_possible(dough: Vector(Int(0, 3), "n"), filling: Vector(Int(0, 3), "n")):
    """A bakery has several branches. `dough` and `filling` give the trays of each that a branch has in stock. A branch
    can bake pies only if it has some of both. Return a list of True/False, one per branch."""
    return np.logical_and(dough, filling)


@task(beds=(2, 4), days=(2, 4))
def seedlings_grow(water: Matrix(Choice(0.0, 0.0, 1.5, 2.0, 3.5), "beds", "days"), sun: Vector(Int(0, 2), "days")):
    """`water` holds litres poured on each vegetable bed (row) on each day (column), `sun` the sunny hours of those
    days. Seedlings grow on a day with nonzero water and nonzero sunshine. Return a table like `water` with True where
    they grow, else False."""
    return np.logical_and(water, sun)


@task(n=(2, 7))
def guests_to_thank(came: Vector(Bool(), "n"), gifts: Vector(Int(0, 3), "n")):
    """For each person invited to a wedding, `came` says True or False and `gifts` how many presents they sent. The
    couple phones whoever came and also gave something. Return a list with True for everyone to be phoned and False for
    the rest."""
    return np.logical_and(came, gifts)


@task
def arcade_playable(credits: Vector(Choice(0, 0, 1, 2, 4), (3, 7)), voltage: Choice(0, 110, 115, 220, 230, 240)):
    """In an arcade a machine runs if it holds at least one credit while the hall has power. Given the `credits` in
    every machine and the hall's mains `voltage` (0 in a blackout), return the list of booleans saying which machines
    run."""
    return np.logical_and(credits, voltage)


# --- logical_or


@task(n=(3, 6))
def letters_or_parcels(letters: Vector(Choice(0, 0, 1, 1, 2), "n"), parcels: Vector(Choice(0, 0, 1, 1, 3), "n")):
    """House by house along the lane, a postwoman has `letters` and `parcels` to deliver. She must stop at a house when
    there is something of either sort. Return for each house True (stop) or False (ride past), as a list."""
    return np.logical_or(letters, parcels)


@task(rows=(2, 3), cols=(2, 4))
def wet_pavement(
    rain: Matrix(Choice(0.0, 0.0, 1.0, 2.2), "rows", "cols"), snow: Matrix(Choice(0.0, 0.0, 1.0), "rows", "cols")
):
    """Two forecast maps cover the same town blocks: millimetres of `rain` and centimetres of `snow`. The pavement of a
    block gets wet if at least one of the two is nonzero. Return the map of wet blocks, rows of True and False."""
    return np.logical_or(rain, snow)


@task(ships=(2, 4), ports=(2, 4))
def quarantine_chart(sick: Matrix(Choice(0, 0, 1, 3), "ships", 1), outbreaks: Vector(Choice(0, 0, 1, 3), "ports")):
    """`sick` is a column (a list of one-number rows) with the sick sailors aboard each ship; `outbreaks` lists the
    outbreaks in each port. A call at a port needs quarantine if the ship has sick sailors, the port has outbreaks, or
    both. Return the chart: one row of True/False per ship, one column per port."""
    return np.logical_or(sick, outbreaks)


@task(n=(4, 7))
def discount_customers(member: Vector(Bool(), "n"), coupons: Vector(Choice(0, 0, 0, 0, 1, 2), "n")):
    """At a bookshop till a customer gets money off by being a club `member` (True/False) or by handing in one or more
    `coupons` (a count); doing both is fine too. Return which customers get the discount, in order, as booleans."""
    return np.logical_or(member, coupons)


# --- logical_not


@task
def empty_beehives(bees: Vector(Choice(0, 0, 120, 4500, 9000), (2, 7))):
    """A beekeeper estimates the number of `bees` in every hive after winter. Return a list: True for hives with no bees
    at all, False for the others."""
    return np.logical_not(bees)


@task(rows=(2, 4), cols=(2, 4))
def unchanged_water_levels(change: Matrix(Choice(-0.5, 0.0, 0.0, 0.3, 1.2), "rows", "cols")):
    """A canal has several locks. `change` tells by how much the level of each lock (row) moved in each hour (column),
    in metres, upwards positive and downwards negative. Mark the hours in which a level did not move: return rows of
    True (no change) and False."""
    return np.logical_not(change)


@task
def missing_chess_clubs(white: Vector(Int(0, 2), (2, 5)), black: Vector(Int(0, 2), (2, 5))):
    """For a league evening, `white` and `black` each give the number of players sent by the clubs on that side of the
    draw. A club that sent 0 is absent. Return a tuple of two lists of True/False, the absentees among `white` and those
    among `black`."""
    return np.logical_not(white), np.logical_not(black)


@task(racks=(2, 3))
def free_wine_slots(bottles: Cube(Choice(0, 0, 1, 1, 2), "racks", (1, 3), (1, 3))):
    """A wine cellar is described as a list of racks, each a grid of slots; `bottles` tells how many bottles lie in a
    slot. Return the same nested structure of booleans, true for slots that are free (no bottle)."""
    return np.logical_not(bottles)


# --- logical_xor


@task(n=(3, 6))
def one_sided_shoe_models(left_count: Vector(Int(0, 2), "n"), right_count: Vector(Int(0, 2), "n")):
    """A theatre wardrobe keeps shoes in one box per model: `left_count` and `right_count` say, model by model, how many
    left and how many right shoes lie in the box. A model is trouble if exactly one of the two sides is present,
    whatever the amount. Return a list with True for each model that is trouble, else False."""
    return np.logical_xor(left_count, right_count)


@task(detectors=(2, 4), tests=(2, 4))
def detector_disagreement(alarms: Matrix(Int(0, 2), "detectors", "tests"), fires: Vector(Int(0, 2), "tests")):
    """Each row of `alarms` belongs to a smoke detector, each column to a test; entries count the beeps. `fires` counts
    the fires really lit per test. A detector fails a test when it beeps without fire or stays mute although there is
    fire. Return the failures as rows of True/False."""
    return np.logical_xor(alarms, fires)


@task(n=(2, 6))
def half_settled_orders(signed: Vector(Bool(), "n"), paid: Vector(Choice(0.0, 0.0, 12.5, 40.0), "n")):
    """Orders at a print shop are settled when `signed` is True and some amount is `paid`, and dropped when neither
    holds. All others hang in between: just one of the two conditions is met. Return which orders hang, as a list of
    booleans."""
    return np.logical_xor(signed, paid)


@task
def crossed_switches(upstairs: Vector(Choice(0, 0, 1, 5), (2, 6)), downstairs: Choice(0, 1, 3, 4)):
    """Lamps in a stairwell are wired so that a lamp shines if one, but not both, of its switches is in a nonzero
    position. `upstairs` holds the position of each lamp's own switch, `downstairs` the shared one. Return which lamps
    shine (True/False list)."""
    return np.logical_xor(upstairs, downstairs)
