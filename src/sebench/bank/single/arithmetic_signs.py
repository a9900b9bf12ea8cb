"""Signs and sizes, steps, reciprocals, common divisors and multiples."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Choice, Complex, Cube, Float, Int, Matrix, Missing, Vector

# negative

SIDES = Choice(12, 15, 18, 20, 24, 28, 30, 36, 40, 42, 45, 48, 54, 60, 72, 75, 84, 90, 96)


@task
def bookings_reversed(bookings: Vector(Int(-90, 90), (2, 7))):
    """A treasurer entered a whole page with plus and minus mixed up. Return a list in which every entry of `bookings`
    has the opposite sign: income becomes expense and the other way round."""
    return np.negative(bookings)


@task
def depth_chart(altitude: Matrix(Float(-60, 20), (2, 4), (2, 4))):
    """A strip of sea and shore was surveyed as `altitude` above the waterline, so most of the grid lies below zero.
    Divers prefer depth, which counts downwards from the same waterline and is below zero on dry land. Return the depth
    chart as a list of rows."""
    return np.negative(altitude)


@task
def half_turn_of_points(points: Vector(Complex(), (2, 5))):
    """Each entry of `points` is a place in the plane, written as a complex number. Rotate all of them by half a turn
    around the origin and return the result as a list of complex numbers."""
    return np.negative(points)


@task
def counter_torque(torque: Float(-40, 40, 2)):
    """A workbench should stay put while a tool twists it with `torque`. Return the torque, as a number, that the clamp
    has to supply: equally strong, in the opposite direction."""
    return np.negative(torque)


# absolute


@task
def amplitudes_of_phasors(phasors: Vector(Complex(), (2, 6))):
    """An engineer describes tones as complex `phasors`. The amplitude of a tone is the distance of its phasor from
    zero. Return all amplitudes, as a list of real numbers."""
    return np.absolute(phasors)


@task
def waves_on_the_pond(surface: Matrix(Complex(-4, 4), (2, 3), (2, 4))):
    """`surface` is a grid of complex wave values over a pond. How strongly does the water move at each point? The
    strength is the modulus of the value. Return a list of rows of plain real numbers."""
    return np.absolute(surface)


@task
def error_of_the_guesses(misses: Vector(Int(-50, 50), (2, 8))):
    """At the fair people guess the weight of a pig. `misses` says by how many kilos each was off, negative when too
    low. Only the size of a mistake matters for the prize: return the list of sizes."""
    return np.absolute(misses)


@task
def size_of_beam_forces(forces: Cube(Int(-30, 30), (2, 3), (2, 3), (2, 3))):
    """`forces` has a table of beam forces for each storey of a frame, pushing ones negative and pulling ones positive.
    For choosing bolts the direction is irrelevant. Return how strong each force is, without a sign, nested in the same
    way."""
    return np.absolute(forces)


# fabs


@task
def drift_of_the_watches(drift: Vector(Float(-9, 9, 2), (2, 7))):
    """Watches in a repair shop run fast (`drift` above zero) or slow (below zero), in seconds a day. How far off is
    each, whichever way? The values are real numbers; return the amounts, without signs, as a list of decimals."""
    return np.fabs(drift)


@task
def floors_travelled(rides: Matrix(Int(-12, 12, but=(0,)), (2, 4), (2, 5))):
    """Every row of `rides` belongs to one lift and gives its rides of the day in floors, downward ones below zero.
    Return how many floors each ride covered, as a list of rows of real numbers that are never below zero."""
    return np.fabs(rides)


@task
def acid_deviation(batches: Cube(Float(-3, 3, 2), (2, 3), 2, (2, 3))):
    """A dairy stores the deviation of each sample's acidity from the target in `batches`: one table per day, one row
    per vat. All entries are real. The inspector asks only how large each deviation was, not whether it was up or down.
    Return tables in the same nesting."""
    return np.fabs(batches)


@task(
    equivalent=dict.fromkeys(
        ("fabs -> linalg.norm", "fabs -> linalg.vector_norm"), "a single number is as long as its size"
    )
)
def spirit_level(bubble: Float(-9, 9, 2)):
    """A carpenter reads the decimal number `bubble` off a spirit level: millimetres to the right of the middle,
    negative when the bubble stands to the left of it. Return, as a single number, how far from the middle it stands."""
    return np.fabs(bubble)


# sign


@task
def who_won_the_match(difference: Vector(Int(-4, 4), (2, 8))):
    """`difference` holds our goals less theirs, match by match. Code the season for a table: 1 for a win, 0 for a draw,
    -1 for a defeat. Return the list of codes."""
    return np.sign(difference)


@task
def slope_of_the_path(climb: Matrix(Float(-1, 1), (2, 4), (2, 4))):
    """Each row of `climb` describes a hike, section by section, in hundreds of metres gained. A simple map shows only
    whether a section goes up (1), down (-1) or stays level (0). Return that map as a list of rows of numbers."""
    return np.sign(climb)


@task
def headings_of_length_one(wind: Vector(Complex(), (2, 5))):
    """The `wind` at several masts is given as complex numbers: direction and speed in one. Keep the direction and make
    every speed 1, i.e. put each number on the unit circle; calm air (0) stays 0. Return a list of complex numbers."""
    return np.sign(wind)


@task(nonfinite=True)
def account_colours(balances: Vector(Missing(Int(-5, 5)), (4, 8))):
    """Flatmates publish their `balances`; a balance that nobody knows is nan. Return a list in which everybody in debt
    appears as -1, everybody in the black as 1, an exactly even balance as 0, and unknown ones still as nan."""
    return np.sign(balances)


# reciprocal


@task
def swings_per_second(periods: Vector(Float(0.2, 6), (2, 7))):
    """The `periods` of several pendulums are measured in seconds. One over the period is the frequency; return the
    frequencies as a list."""
    return np.reciprocal(periods)


@task
def conductance_grid(ohms: Matrix(Float(0.5, 90), (2, 4), (2, 4))):
    """A soil survey produced a grid of resistances, `ohms`. The geologist wants conductances instead, each being 1 over
    the resistance. Return them in the same grid, as a list of rows."""
    return np.reciprocal(ohms)


@task
def chance_per_ticket(tickets: Vector(Int(2, 40), (2, 6))):
    """Each raffle has one prize and a whole number of `tickets`. You hold one ticket of each raffle. Return your
    chances as a list of decimal fractions: 4 tickets mean 0.25."""
    return np.reciprocal(tickets, dtype="float64")


@task
def admittances(impedances: Vector(Complex(1, 6), (2, 5))):
    """Loudspeaker drivers have the complex `impedances` listed here. The admittance of a driver is the number that
    gives 1 when multiplied by its impedance. Return the admittances as a list of complex numbers."""
    return np.reciprocal(impedances)


# gcd


@task(n=(2, 6))
def biggest_square_tiles(lengths: Vector(SIDES, "n"), widths: Vector(SIDES, "n")):
    """Rooms measuring `lengths` by `widths` decimetres are to be paved with square tiles, none cut and all tiles in a
    room alike. Return for every room the side of the biggest tile that works, as a list."""
    return np.gcd(lengths, widths)


@task
def bouquets_from_buckets(buckets: Matrix(Int(6, 90), (2, 3), (2, 4)), roses: Choice(24, 36, 48, 60, 72)):
    """`buckets` is a table of how many tulips stand in each bucket of a flower shop. Into each bucket go another
    `roses` roses; then all its flowers are made up into identical bouquets, with none left over. How many bouquets can
    each bucket give at most? Return a list of rows."""
    return np.gcd(buckets, roses)


@task
def teams_of_equal_mix(girls: Choice(12, 16, 18, 24, 30, 36, 42, 48), boys: Choice(18, 20, 27, 28, 32, 45, 54, 60)):
    """A camp has `girls` girls and `boys` boys. Everybody joins a team; all teams have equally many girls, and all have
    equally many boys. Return the largest possible count of teams, as a number."""
    return np.gcd(girls, boys)


@task(cols=(2, 4))
def common_rhythm(
    beats: Matrix(Choice(4, 6, 8, 9, 12, 15, 16, 18, 20, 24, 27, 32, 36, 40, 48, 60), (2, 4), "cols"),
    bars: Vector(Choice(12, 16, 18, 20, 24, 30), "cols"),
):
    """In `beats` each row is a song, each column an instrument, and each entry the length of that instrument's drum
    pattern; `bars` gives one reference length per instrument. For every pattern, find the length of the longest group
    of beats that fits a whole number of times both into the pattern and into the reference length of its instrument.
    Return these lengths as a list of rows."""
    return np.gcd(beats, bars)


# lcm


@task(n=(2, 6))
def lighthouses_flash_together(north: Vector(Int(2, 24), "n"), south: Vector(Int(2, 24), "n")):
    """Pairs of lighthouses flash every `north` and every `south` seconds; at midnight both lights of a pair flash at
    once. After how many seconds does that first happen again? Return a list, one whole number per pair."""
    return np.lcm(north, south)


@task
def gear_marks_meet(teeth: Matrix(Int(8, 40), (2, 3), (2, 4)), driver: Int(6, 30)):
    """A driving wheel with `driver` teeth turns one wheel at a time from a table of `teeth` counts. At the start a
    paint mark on the driving wheel touches one on the other wheel. Return, for every wheel, how many teeth pass until
    these two marks first touch again, as a list of rows."""
    return np.lcm(teeth, driver)


@task
def both_nurses_on_duty(first: Int(2, 15), second: Int(2, 15)):
    """One nurse has night duty every `first` days, her colleague every `second` days, and tonight they work together.
    In how many days will they next share a night? Return a number."""
    return np.lcm(first, second)


@task(kinds=(2, 4))
def sausages_and_buns(sausages: Vector(Int(3, 14), "kinds"), buns: Matrix(Int(2, 14), (2, 3), "kinds")):
    """Hot dogs: `sausages` gives, for each kind of sausage, the number in a packet; each shop (row of `buns`) sells
    buns for every kind (column) in its own packet size. For each shop and kind, what is the smallest number of hot
    dogs that uses up full packets of both? Return a list of rows."""
    return np.lcm(sausages, buns)


# heaviside


@task
def chess_points(advantage: Vector(Int(-2, 2), (3, 8))):
    """Children's chess games are stopped after half an hour. `advantage` tells, game by game, how many pawns ahead a
    player was then, negative when behind. Being ahead scores 1, being behind scores 0, an even game scores half a
    point. Return the list of scores."""
    return np.heaviside(advantage, 0.5)


@task
def lamp_switching(time: Matrix(Int(-3, 3), (2, 4), (2, 4))):
    """A lamp is off (0) before its switching time and on (1) from then on, that very moment included. `time` is a table
    of minutes relative to the switching, negative meaning before. Return the state at each time as a list of rows of
    the numbers 0 and 1."""
    return np.heaviside(time, 1)


@task
def valve_opening(pressure: Vector(Float(-0.4, 0.4), (4, 8)), idle: Float(0.1, 0.9)):
    """A valve is shut (0) under suction (`pressure` below zero) and wide open (1) under overpressure (above zero). At a
    pressure of exactly zero it stands at the fraction `idle`. Return the openings for the listed pressures, as a list
    of numbers."""
    return np.heaviside(pressure, idle)


@task(judges=(2, 4))
def jury_votes(margins: Matrix(Int(-1, 1), (2, 4), "judges"), when_even: Vector(Float(0.1, 0.9), "judges")):
    """Rows of `margins` are dancers, columns are judges. A positive margin makes a full vote (1), a negative one none
    (0), and for a margin of zero each judge has a personal fraction, given in `when_even`. Return the votes as a list
    of rows."""
    return np.heaviside(margins, when_even)


# copysign


@task(n=(2, 6))
def speeds_with_direction(speeds: Vector(Float(20, 130), "n"), toward: Vector(Int(-5, 5, but=(0,)), "n")):
    """A radar measures plain `speeds`. For each car, `toward` is below zero if it drives away and above zero if it
    approaches; its amount means nothing. Return the speeds as a list, those of departing cars made negative."""
    return np.copysign(speeds, toward)


@task(charges=(2, 4))
def deflection_by_charge(bend: Matrix(Float(-8, 8, nonzero=True), (2, 3), "charges"),
                         charge: Vector(Int(-3, 3, but=(0,)), "charges")):  # fmt: skip
    """In every run (row) several particles (columns) were deflected; `bend` has reliable amounts, but its plus and
    minus are nonsense. The true direction is that of the particle's `charge`, whose own amount is irrelevant. Return
    the repaired list of rows."""
    return np.copysign(bend, charge)


@task
def crosswind_sheets(pulls: Vector(Float(-9, 9, nonzero=True), (2, 6)), wind: Float(-20, 20, nonzero=True)):
    """All ropes of a yacht must pull to the side that the `wind` comes from: plus if it is positive, minus if it is
    negative. How hard each rope pulls is taken from `pulls`, whatever side was noted there. Return the pulls with the
    right side, as a list."""
    return np.copysign(pulls, wind)


@task(n=(2, 6))
def magnet_polarity(strength: Vector(Int(1, 60), "n"), field: Vector(Float(-4, 4), "n")):
    """Magnets of a given `strength` line up with the `field` around them. Return a list with each strength carrying
    plus where the field is zero or more and minus where it is below zero."""
    return np.copysign(strength, field)


# signbit


@task
def minus_in_the_display(shown: Vector(Choice(-0.0, 0.0, 1.5, -1.5, 20.0, -7.25, 3.0), (3, 8))):
    """A pocket calculator prints a minus in front of every number below zero, and also in front of the special value
    -0.0. Return a list of booleans: True for each number in `shown` that gets a minus."""
    return np.signbit(shown)


@task
def frost_calendar(degrees: Matrix(Float(-6, 6), (2, 4), (2, 5))):
    """Each row of `degrees` holds the night temperatures of one village. Mark the frosty nights, strictly colder than
    zero, with True and the rest with False. Return a list of rows."""
    return np.signbit(degrees)


@task
def overdrawn_or_not(balance: Choice(-0.0, 0.0, -0.01, 0.01, -62.75, -17.3, -8.25, -40.0, 8.4, 35.5, 17.35, 60.0)):
    """After the last booking an account shows `balance`. The account is overdrawn if the balance has a minus in front;
    a tiny debt that rounds to nothing is shown as -0.0 and counts too. Return, as a single boolean, whether the account
    is overdrawn."""
    return np.signbit(balance)


@task
def current_runs_backwards(amperes: Cube(Choice(-0.0, 0.0, 0.4, -0.4, 2.5, -3.5), 2, (2, 3), (2, 3))):
    """Sensors report `amperes` as a nested list: station, hour, cable. When a current dies away, its last direction
    survives as 0.0 or -0.0. Return booleans in the same nesting, True wherever the direction is the minus one, -0.0
    included."""
    return np.signbit(amperes)
