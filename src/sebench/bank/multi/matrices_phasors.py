"""Complex numbers at work: alternating current, waves, plane directions, quantum states, filters."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Choice, Complex, Float, Int, Matrix, PositiveDefinite, Symmetric, Vector

PARTS = Choice(2 + 0j, 5 + 0j, 7.5 + 0j, 1 + 3j, 4 - 2j, 3j, 6 + 1j, 2 - 5j)
POLES = Choice(-1 + 2j, -1 - 2j, -3 + 0j, -3 + 1j, -3 - 1j, -0.5 + 0j, -2 + 4j, -2 - 4j, -6 + 0j)
MIRRORED = "the total is mirrored, which does not change its magnitude"


@task(circuits=(3, 8), branches=(2, 5))
def parallel_circuits(impedances: Matrix(Complex(1, 9), "circuits", "branches")):
    """Rows of `impedances` are circuits, each with the complex impedances of its parallel branches: one over the
    impedance of the circuit is the total of one over each branch's. A complex impedance R + Xi has the resistance R and
    the reactance X. Return a tuple of two lists with an entry per circuit: resistances and reactances."""
    whole = np.reciprocal(np.sum(np.reciprocal(impedances), axis=1))
    return np.real(whole), np.imag(whole)


# A sample of zero has no phase.
@task(without=("zeros",), equivalent={"diff -> ediff1d": "for a flat list both are the changes"})
def turns_of_a_motor(samples: Vector(Complex(-6, 6, 2), (8, 25))):
    """An encoder reports a motor's shaft as complex `samples`, whose phase in radians is the position of the shaft.
    From one sample to the next the shaft never turns by more than half a turn, in either direction. Return a tuple: by
    how many radians it has turned from the first sample to the last (back-turns count negative, and full turns count),
    and the largest turn between neighbouring samples, without sign."""
    position = np.unwrap(np.angle(samples))
    return position[-1] - position[0], np.max(np.absolute(np.diff(position)))


@task(
    n=(3, 8),
    equivalent={
        "vdot -> linalg.vecdot": "for two flat lists both conjugate the first and add up",
        "vdot: arguments 1 and 2 swapped": MIRRORED,
        "linalg.norm -> linalg.vector_norm": "for one flat list both are the Euclidean length",
    },
)
def chances_of_quantum_states(before: Vector(Complex(1, 4), "n"), after: Vector(Complex(0.5, 4), "n", unique=True)):
    """A quantum state is a list of complex numbers; its length is the square root of the total of their squared
    magnitudes. The overlap of `before` and `after` adds up, over the positions, the number of before with the sign of
    its imaginary part changed, times that of after. Return a tuple: the chance to find before in the state after
    (squared magnitude of the overlap, divided by both squared lengths), and the chance of the likeliest position of
    after (its largest squared magnitude divided by its squared length)."""
    length = np.linalg.norm(after)
    overlap = np.absolute(np.vdot(before, after)) / np.linalg.norm(before)
    return (overlap / length) ** 2, (np.max(np.absolute(after)) / length) ** 2


@task(elements=(4, 16), equivalent={"vdot: arguments 1 and 2 swapped": MIRRORED})
def signal_from_one_direction(samples: Vector(Complex(0.5, 5), "elements"), lag: Float(-3, 3, 2)):
    """A row of antennas receives one complex number each, `samples`. A wave from the wanted direction would give
    antenna k (counted from 0) the phase factor e^(i·k·`lag`), with the imaginary unit i. Multiply every sample by the
    complex conjugate of its antenna's phase factor and add these products up. The agreement with the direction is the
    magnitude of that total, divided by the largest magnitude of any sample. Return the agreement as a number."""
    wave = np.exp(1j * lag * np.arange(len(samples)))
    return np.absolute(np.vdot(wave, samples)) / np.max(np.absolute(samples))


@task
def robot_walk_extremes(steps: Vector(Complex(-9, 9, 0), (8, 25))):
    """A robot starts at zero and makes `steps`, complex numbers with east as the first and north as the imaginary part.
    Return a tuple: the farthest distance from the start at which any step ends, and the most northern coordinate at
    which any step ends."""
    places = np.cumsum(steps)
    return np.max(np.absolute(places)), np.max(np.imag(places))


@task(
    loops=(3, 6),
    equivalent={"linalg.solve -> linalg.tensorsolve": "for a square table and a flat list both find the same unknowns"},
)
def loop_with_strongest_current(
    resistance: PositiveDefinite("loops"),
    reactance: Symmetric(Int(-5, 5), "loops"),
    voltage: Vector(Complex(1, 9, 2), "loops", unique=True),
):
    """An alternating-current network has the complex impedance table `resistance` + i times `reactance` (i is the
    imaginary unit); this table times the loop currents gives the loop `voltage`, which is complex too. Return a tuple
    of three about the loop whose current has the greatest magnitude: its position (from 0); the magnitude of its
    current; the phase of its current in degrees."""
    currents = np.linalg.solve(resistance + 1j * np.array(reactance), voltage)
    sizes = np.absolute(currents)
    strongest = np.argmax(sizes)
    return strongest, sizes[strongest], np.angle(currents[strongest], deg=True)


@task(machines=(3, 8), phases=(2, 3))
def power_factor_of_machines(
    currents: Matrix(Complex(1, 9), "machines", "phases"), voltages: Matrix(Complex(1, 9), "machines", "phases")
):
    """In both tables, rows are machines and columns the phases of the supply. A machine's complex power P + Qi is the
    total, over its row, of mirrored `currents` (x + yi becomes x - yi) times `voltages`; its power factor is P divided
    by the magnitude of the power. Return a tuple of two lists with an entry per machine: the power factors, and the
    Q."""
    power = np.linalg.vecdot(currents, voltages)
    return np.real(power) / np.absolute(power), np.imag(power)


@task
def bode_points_of_filters(delays: Vector(Float(0.1, 2), (3, 8)), frequencies: Vector(Int(1, 40), (4, 12))):
    """A low-pass filter with delay d answers at frequency w with the complex number 1 / (1 + i d w), where i is the
    imaginary unit. Its gain there is 20 times the decimal logarithm of the answer's magnitude. Return a dict: under
    "weakest", for each of the `delays` the lowest gain over the `frequencies`, as a list; under "phase", the phases of
    the answers in degrees, as a list with one row per delay and one column per frequency."""
    answer = 1 / (1 + 1j * np.outer(delays, frequencies))
    return {
        "weakest": 20 * np.min(np.log10(np.absolute(answer)), axis=1),
        "phase": np.angle(answer, deg=True),
    }


@task(
    n=(3, 7),
    equivalent={
        "linalg.matrix_transpose -> transpose": "for a single table both swap rows and columns",
        "linalg.matrix_transpose -> column_stack": "rows that are set up as columns make the table turned over",
        "linalg.matrix_transpose -> dstack": "rows set up in depth make a list of one: the table turned over",
    },
)
def band_of_energy_levels(hopping: Matrix(Complex(-4, 4), "n", "n")):
    """The energy table of a crystal is its complex square table `hopping` plus the mirror image of that: rows and
    columns exchanged, and the sign of all imaginary parts changed. Its eigenvalues are real numbers, the energy levels.
    Return a tuple: the middle level (halfway between the two middle ones if their number is even), and the width of the
    band, from the lowest level to the highest."""
    mirrored = np.conjugate(np.linalg.matrix_transpose(hopping))
    levels = np.linalg.eigvalsh(mirrored + hopping)
    return np.median(levels), levels[-1] - levels[0]


@task
def flutter_of_a_wing(
    bending: Vector(Int(1, 9), (3, 4)), twisting: Vector(Int(1, 9), (2, 4)), coupling: Vector(Int(1, 40), (1, 3))
):
    """Bending and twisting of a wing, and their coupling, are described by three polynomials of s with the coefficients
    `bending`, `twisting` and `coupling`, highest power first. The modes of the wing are the numbers s, some of them
    complex, at which bending times twisting, plus coupling, is 0. Of a mode a + bi, a tells how fast it grows. Return
    the greatest a of all modes: the wing flutters if it is above zero."""
    whole = np.polyadd(np.polymul(bending, twisting), coupling)
    return np.max(np.real(np.roots(whole)))


@task(stations=(3, 8), hours=(4, 12))
def typical_wind_per_station(directions: Matrix(Int(10, 150), "stations", "hours")):
    """Rows of `directions` are stations, each with several wind directions in degrees. A wind of direction d counts as
    the complex number of magnitude 1 and phase d; a station's typical wind is the average of its numbers. Return a
    tuple of two lists with an entry per station: the phase of the typical wind in degrees, between -180 and 180, and
    its magnitude (1 means a steady wind)."""
    typical = np.mean(np.exp(1j * np.radians(directions)), axis=1)
    return np.angle(typical, deg=True), np.absolute(typical)


@task
def resistors_and_the_rest(parts: Vector(PARTS, (6, 20))):
    """The complex numbers `parts` are the impedances of the parts of a series circuit; a part without an imaginary part
    is a resistor. Return a tuple of two: the ascending list, which may be empty, of the positions (from 0) of the
    resistors; the impedance of all the other parts added up, as a complex number (0 if there are no others)."""
    resistor = np.isreal(parts)
    return np.flatnonzero(resistor), np.sum(np.array(parts)[~resistor])


@task(equivalent={"iscomplex -> imag": "as a condition, an imaginary part holds just if it is not 0"})
def swinging_modes_in_order(poles: Vector(POLES, (8, 24))):
    """A control system is known by its complex `poles`, numbers x + yi. Those with a y different from 0 swing. Return a
    tuple of two: the list, which may be empty, of the swinging poles as complex numbers, by ascending x and with the
    same x by ascending y, repeated ones included; the greatest magnitude of any pole, whether it swings or not."""
    swinging = np.sort_complex(np.compress(np.iscomplex(poles), poles))
    return swinging, np.max(np.absolute(poles))


@task(equivalent={"diff -> ediff1d": "for a flat list both are the changes"})
def length_of_a_curved_path(stops: Vector(Complex(0.5, 9), (6, 20))):
    """In a model of curved space, a place is a complex number x + yi with y above 0, and the distance between the
    places x + yi and u + vi is the inverse hyperbolic cosine of 1 + ((x - u)² + (y - v)²) / (2·y·v). Return how long
    the path is that goes straight from each of the `stops` to the next, as a number."""
    heights = np.imag(stops)
    ratio = np.square(np.absolute(np.diff(stops))) / (2 * heights[1:] * heights[:-1])
    return np.sum(np.arccosh(1 + ratio))
