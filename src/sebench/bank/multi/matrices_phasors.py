"""Complex numbers at work: alternating current, waves, plane directions, quantum states, filters."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Complex, Float, Int, Matrix, PositiveDefinite, Symmetric, Vector


@task
def series_circuits(circuits: Matrix(Complex(0.5, 9), (2, 4), (2, 4))):
    """Each row of `circuits` holds the complex impedances of parts that are wired in series, so that they add up.
    Return a tuple of two lists with an entry per circuit: the magnitudes of the whole impedances, and their phases in
    degrees."""
    whole = np.sum(circuits, axis=1)
    return np.absolute(whole), np.angle(whole, deg=True)


@task
def parallel_circuit(impedances: Vector(Complex(1, 9), (2, 5))):
    """For branches in parallel, one over the total impedance is the sum of one over each branch's. Given the complex
    `impedances` of the branches, return a tuple of two ordinary numbers: the resistance (real part) and the reactance
    (imaginary part) of the whole."""
    whole = np.reciprocal(np.sum(np.reciprocal(impedances)))
    return np.real(whole), np.imag(whole)


@task(loads=(2, 5))
def active_and_reactive_power(voltages: Vector(Complex(-9, 9), "loads"), currents: Vector(Complex(-9, 9), "loads")):
    """Load i draws the complex power `voltages`[i] times the mirrored `currents`[i] (imaginary part with opposite
    sign). Return a dict with two lists: under "active" the real parts of these powers, under "reactive" their
    imaginary parts."""
    power = np.multiply(voltages, np.conjugate(currents))
    return {"active": np.real(power), "reactive": np.imag(power)}


@task(
    without=("zeros",), equivalent={"diff -> ediff1d": "for a flat list both are the changes"}
)  # a sample of zero has no phase
def phase_steps_of_motor(samples: Vector(Complex(-6, 6), (3, 7))):
    """An encoder reports the position of a motor's shaft as complex `samples`. Take their phases in radians, make them
    continuous (whenever the jump between neighbours exceeds half a turn, shift by full turns), and return the changes
    from sample to sample as a list."""
    return np.diff(np.unwrap(np.angle(samples)))


@task(n=(4, 8))
def shared_rhythm_of_pylons(north: Vector(Int(-9, 9), "n"), south: Vector(Int(-9, 9), "n")):
    """Two pylons of a bridge log their shaking, `north` and `south`. Take the discrete Fourier transform for real
    input of both (only frequencies from zero up to half the sampling rate). At each frequency, multiply the northern
    value by the southern one with its imaginary part's sign changed. Return the real parts of the products as a
    list."""
    mirrored = np.conjugate(np.fft.rfft(south))
    return np.real(np.fft.rfft(north) * mirrored)


@task(
    n=(2, 3),
    equivalent={
        "vdot -> linalg.vecdot": "for two flat lists both conjugate the first and add up",
        "vdot: arguments 1 and 2 swapped": "the overlap is mirrored, which does not change its size",
        "absolute -> linalg.norm": "the length of a single complex number is its magnitude",
        "absolute -> linalg.vector_norm": "the length of a single complex number is its magnitude",
    },
)
def transition_probability(before: Vector(Complex(-4, 4), "n"), after: Vector(Complex(0.5, 4), "n")):
    """In the quantum lab, how strongly does the state `before` lead to `after`? Add up the mirrored entries (sign of the
    imaginary part changed) of before times the matching entries of after, and square the magnitude of this overlap. Return
    the number; the states are not normalised, so it may exceed 1."""
    return np.square(np.absolute(np.vdot(before, after)))


@task
def robot_walk_extremes(steps: Vector(Complex(-9, 9, 0), (2, 6))):
    """A robot starts at zero and makes `steps`, complex numbers with east as real and north as imaginary part. Track
    its position after each step. Return a tuple: the farthest distance from the start after any step, and the most
    northern coordinate after any step."""
    places = np.cumsum(steps)
    return np.max(np.absolute(places)), np.max(np.imag(places))


@task(
    loops=(2, 3),
    equivalent={
        "linalg.solve -> linalg.tensorsolve": "for a square table and a flat list both find the same unknowns",
        "multiply -> dot": "a single number scales the table in both",
        "multiply -> inner": "a single number scales the table in both",
    },
)
def alternating_loop_currents(
    resistance: PositiveDefinite("loops"),
    reactance: Symmetric(Int(-5, 5), "loops"),
    voltage: Vector(Complex(-9, 9), "loops"),
):
    """An alternating-current network has the complex impedance table `resistance` + i times `reactance` (i is the
    imaginary unit). The loop currents c satisfy this table times c = `voltage`, which is complex too. Return the
    magnitudes of the currents as a list."""
    impedance = np.add(resistance, np.multiply(1j, reactance))
    return np.absolute(np.linalg.solve(impedance, voltage))


@task(phases=(2, 3), n=(2, 4))
def power_factor_of_machines(
    currents: Matrix(Complex(1, 9), "n", "phases"), voltages: Matrix(Complex(1, 9), "n", "phases")
):
    """In both tables, rows are machines and columns the phases of the supply. A machine's complex power is the sum over
    its row of mirrored `currents` (x + yi becomes x - yi) times `voltages`. Return a tuple of two lists, one entry per
    machine: the power factor (real part of the power divided by its magnitude), and the imaginary part of the power."""
    power = np.linalg.vecdot(currents, voltages)
    return np.real(power) / np.absolute(power), np.imag(power)


@task
def bode_points_of_filters(delays: Vector(Float(0.1, 2), (2, 3)), frequencies: Vector(Int(1, 40), (2, 4))):
    """A low-pass filter with delay d answers at frequency w with the complex number 1 / (1 + i d w), where i is the
    imaginary unit. For each of the `delays` (rows) and each of the `frequencies` (columns), find the answer. Return a
    dict of two tables: "gain" holds 20 times the decimal logarithm of the answers' magnitudes, "phase" their phases in
    degrees."""
    answer = np.reciprocal(1 + 1j * np.outer(delays, frequencies))
    return {"gain": 20 * np.log10(np.absolute(answer)), "phase": np.angle(answer, deg=True)}


@task(
    n=(2, 3),
    equivalent={
        "linalg.matrix_transpose -> transpose": "for a single table both swap rows and columns",
        "linalg.matrix_transpose -> column_stack": "rows that are set up as columns make the table turned over",
    },
)
def energy_levels(hopping: Matrix(Complex(-4, 4), "n", "n")):
    """A physicist has a complex square table `hopping` and adds to it its own mirror image: rows and columns
    exchanged, and the sign of all imaginary parts changed. The result is Hermitian. Return its eigenvalues, which are
    real, in ascending order as a list."""
    mirrored = np.conjugate(np.linalg.matrix_transpose(hopping))
    return np.linalg.eigvalsh(np.add(hopping, mirrored))


@task
def settling_time_of_door(mass: Int(1, 5), damping: Int(1, 12), spring: Int(1, 9)):
    """A door closer follows `mass` s^2 + `damping` s + `spring` = 0. Its two solutions s may be complex; the slowest
    decay belongs to the greatest real part, which is below zero. Return the time constant, minus one over that
    greatest real part, as a number."""
    slowest = np.max(np.real(np.roots([mass, damping, spring])))
    return np.reciprocal(-slowest)


@task
def typical_wind_per_station(directions: Matrix(Int(10, 150), (2, 4), (2, 4))):
    """Rows of `directions` are stations, each with several wind directions in degrees. Turn every direction into the
    complex number e to the power (i times direction in radians) and average these numbers over each row. Return a tuple
    of two lists: the phases of the averages in degrees, between -180 and 180, and their magnitudes (1 means a steady
    wind)."""
    average = np.mean(np.exp(1j * np.radians(directions)), axis=1)
    return np.angle(average, deg=True), np.absolute(average)
