"""Arrays filled with one value: of a given shape, or shaped like other data."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Bool, Choice, Complex, Cube, Either, Float, Int, Matrix, Vector

# zeros


@task
def fresh_scoreboard(teams: Int(1, 18)):
    """Before a quiz night starts nobody has any points. With `teams` teams, return the starting scores as a list with
    one number per team."""
    return np.zeros(teams)


@task
def empty_beehive_log(hives: Int(1, 6), weeks: Int(1, 6)):
    """A beekeeper prints a blank honey log: a row for each of `hives` hives, a column for each of `weeks` weeks, and 0
    kilograms everywhere. Return it as a list of rows."""
    return np.zeros((hives, weeks))


@task
def untouched_snow_layers(layers: Int(1, 4), length: Int(1, 4), breadth: Int(1, 4)):
    """Model a block of untouched snow as `layers` layers, each with `length` rows of `breadth` cells. A cell counts
    footprints, and so far there are none at all. Return the block as a list of layers, each a list of rows."""
    return np.zeros((layers, length, breadth))


@task
def dark_windows(floors: Int(1, 6), windows: Int(1, 6)):
    """At midnight no window of a tower is lit. Return its light plan as truth values, all False, as a list of rows:
    `floors` rows with `windows` entries each."""
    return np.zeros((floors, windows), dtype="bool")


# ones


@task
def equal_votes(members: Int(1, 18)):
    """In a choir every member has exactly one vote when the next song is chosen. Return the voting weights of all
    `members` singers as a list of numbers."""
    return np.ones(members)


@task
def seedling_tray(rows: Int(1, 6), pots: Int(1, 6)):
    """A gardener puts a single bean into each pot of a tray with `rows` rows of `pots` pots. Return the beans per pot,
    as a list of rows."""
    return np.ones((rows, pots))


@task
def unit_bricks(courses: Int(1, 4), depth: Int(1, 4), width: Int(1, 4)):
    """A game stores a wall as a block of cells: `courses` courses, each `depth` rows deep and `width` cells wide. A
    solid cell is 1, and this wall is solid throughout. Return the block nested by course, then row."""
    return np.ones((courses, depth, width))


@task
def everyone_present(days: Int(1, 6), pupils: Int(1, 6)):
    """Perfect attendance! The register has `days` rows, one per day, and `pupils` columns, and holds True for everyone
    who came. As nobody was ever absent, return a list of rows with nothing but True."""
    return np.ones((days, pupils), dtype="bool")


# full


@task
def same_ration_for_all(dogs: Int(1, 8), grams: Float(50, 400)):
    """At a kennel each of the `dogs` dogs receives the same ration of `grams` grams. Return the rations as a list, one
    entry for each dog."""
    return np.full(dogs, grams)


@task
def uniform_thermostat_plan(rooms: Int(1, 5), hours: Int(1, 5), celsius: Int(5, 25)):
    """While the family is away, every room is held at `celsius` degrees in every hour. Return the heating plan as a
    list of `rooms` rows, each with `hours` numbers."""
    return np.full((rooms, hours), celsius)


@task
def weekly_menu_prices(weeks: Int(2, 6), prices: Vector(Float(2, 12), (2, 5))):
    """The canteen offers the same dishes at the same `prices` every week. Write the prices out for `weeks` weeks:
    return a list of that many rows, each of them equal to the price list."""
    return np.full((weeks, len(prices)), prices)


@task
def railway_signal_wall(tracks: Int(1, 4), blocks: Int(1, 4), lamps: Int(1, 3), clear: Bool()):
    """A signal box drives `tracks` tracks with `blocks` blocks each and `lamps` lamps per block. On reset all lamps get
    the same truth value, `clear`. Return the states nested by track, block and lamp."""
    return np.full((tracks, blocks, lamps), clear)


# zeros_like


@task
def wiped_ledger(ledger: Matrix(Int(-90, 90), (1, 4), (2, 4))):
    """An accountant opens the new year with a sheet that has the same rows and columns as last year's `ledger` but only
    0 in its cells. Return this sheet as a list of rows."""
    return np.zeros_like(ledger)


@task
def silent_spectrum(spectrum: Vector(Complex(-5, 5), (1, 7))):
    """To mute a recording, a sound studio replaces its `spectrum`, a list of complex numbers, by one of the same length
    in which each entry is the complex number 0. Return that list; the entries stay complex."""
    return np.zeros_like(spectrum)


@task
def blank_scan(scan: Cube(Float(-9, 9), (2, 3), (1, 3), (2, 3))):
    """A tomograph needs a dark reference: a volume with as many slices, rows and columns as `scan`, where every voxel
    is 0. Return it nested just like `scan`."""
    return np.zeros_like(scan)


@task
def settings_of_new_antenna(
    settings: Either(Vector(Complex(-5, 5), (2, 6)), Vector(Int(-5, 5), (2, 6)), Vector(Float(-5, 5), (2, 6))),
    lines: Int(1, 4),
    ports: Int(1, 4),
):
    """A radio lab replaces its antenna. The old one had a single list of `settings`, all whole numbers, all decimal
    fractions or all complex numbers; the new one has `lines` rows with `ports` settings each, numbers of that same kind
    and all 0 to begin with. Return the new table as a list of rows."""
    return np.zeros_like(settings, shape=(lines, ports))


# ones_like


@task
def neutral_recipe_factors(ingredients: Vector(Int(0, 6), (2, 8))):
    """A recipe scaler multiplies each number of spoonfuls in `ingredients` by a factor. Before the cook changes
    anything all factors are 1. Return the list of factors, exactly as long as the list of amounts."""
    return np.ones_like(ingredients)


@task
def trust_all_sensors(readings: Matrix(Float(-20, 20), (1, 4), (2, 4))):
    """Each number in `readings` comes from one sensor in a greenhouse, benches as rows. Initially all sensors carry
    weight 1, whatever they read. Return the weights in the layout of the readings, as a list of rows."""
    return np.ones_like(readings)


@task
def unit_amplitudes(amplitudes: Cube(Complex(-5, 5), (1, 3), 2, (1, 3))):
    """A simulation starts with every amplitude equal to 1+0j. Return such starting values as complex numbers, nested
    like the complex `amplitudes` of the last run (two rows of states for each experiment)."""
    return np.ones_like(amplitudes)


@task
def gains_of_new_radar_filter(
    old: Either(Vector(Complex(-5, 5), (2, 5)), Vector(Int(-5, 5), (2, 5))), beams: Int(1, 4), pulses: Int(1, 4)
):
    """A radar gets a new filter. The old one had a single list of gains, `old`, either whole or complex numbers; the
    new one has `beams` rows with `pulses` gains each, of the kind that the old gains have (complex ones for complex
    ones) and all equal to one at first. Return the new gains as a list of rows."""
    return np.ones_like(old, shape=(beams, pulses))


# full_like


@task
def repainted_mosaic(mosaic: Matrix(Float(0, 9), (1, 4), (2, 4)), shade: Float(0, 9)):
    """An artist paints over a mosaic. `mosaic` gives the grey value of each stone, row by row; afterwards all stones
    have grey value `shade`. Return the mosaic after that, as a list of rows."""
    return np.full_like(mosaic, shade)


@task
def integer_counter_reset(counters: Vector(Int(0, 99), (1, 7)), preset: Float(1.1, 30)):
    """Turnstile `counters` hold whole numbers only. All of them are set to `preset`, whose fraction is cut off: 7.9 is
    stored as 7. Return the counters afterwards, as a list."""
    return np.full_like(counters, preset)


@task(lanes=(2, 4))
def lane_limits_everywhere(
    speeds: Matrix(Float(20, 140), (2, 4), "lanes"), limits: Vector(Choice(60.0, 80.0, 100.0, 120.0), "lanes")
):
    """Rows of `speeds` are minutes, columns are motorway lanes, and `limits` has one speed limit for each lane. Return
    a table of the same size as `speeds` that holds the limit of the lane in each cell, as a list of rows."""
    return np.full_like(speeds, limits)


@task
def one_price_for_everything(tags: Matrix(Int(1, 20), (1, 4), (2, 4)), price: Float(0.5, 9.9, 2)):
    """The `tags` at a flea market show prices in whole euros, one row per stall. For the last hour everything costs
    the same, `price`, which may have cents. Return the new prices of all tags, again as a list with one row per
    stall."""
    return np.full_like(tags, price, dtype="float")
