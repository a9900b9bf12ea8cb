"""Engineering: filters, loads, calibration, gears, quality control."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Choice, Int, Invertible, Matrix, Vector
from sebench.bank.plan import TRUTHS, either_way


@task(
    equivalent=either_way("smooth - samples")
    | {"fft.rfft -> fft.fft": "of the longer list only the kept beginning is not multiplied with 0"}
)
def smooth_by_frequencies(samples: Vector(Int(-20, 20), (12, 64)), kept: Int(2, 5)):
    """The `samples` of a vibration are smoothed by their slow parts: of the discrete Fourier transform only the `kept`
    lowest frequencies remain, the constant part being the first of them and each of the others coming with its mirror
    image, the negative frequency. The other coefficients are set to 0, and transforming back gives as many numbers as
    there were samples. Return a tuple of three: highest smoothed value; standard deviation of the smoothed values with
    their number as divisor; greatest difference between a sample and its smoothed value, taken as positive."""
    spectrum = np.fft.rfft(samples)
    smooth = np.fft.irfft(spectrum * (np.arange(len(spectrum)) < kept), len(samples))
    return np.max(smooth), np.std(smooth), np.max(np.abs(smooth - samples))


@task(
    n=(2, 5),
    equivalent={
        "linalg.norm -> linalg.vector_norm": "of a list of numbers both are the root of the total of the squares",
        "moved @ np.array(load): operands swapped": "a product of two lists of numbers is the same both ways",
    },
)
def frame_under_load(stiffness: Invertible("n"), load: Vector(Int(-30, 30), "n")):
    """For a frame of beams the square table `stiffness`, applied to the displacements of its joints, gives the forces
    `load`. An engineer wants to know the displacements and how much they can be trusted. Return a tuple of four:
    greatest size of a displacement, its sign ignored; root of the total of the squared displacements; work done: half
    the total of force times displacement; condition number of the table, the ratio of its greatest to its least
    singular value."""
    moved = np.linalg.solve(stiffness, load)
    return np.max(np.abs(moved)), np.linalg.norm(moved), moved @ np.array(load) / 2, np.linalg.cond(stiffness)


@task(times=(4, 12), sensors=(3, 6), equivalent=either_way("np.array(readings) - np.mean(readings, axis=0)"))
def sensors_that_say_the_same(readings: Matrix(Int(-1, 2), "times", "sensors")):
    """Each column of `readings` is a sensor, each row a moment. Some sensors may tell nothing new: their columns can be
    put together from multiples of the columns of those that are kept. Return a tuple of three: greatest number of
    sensors that can be left out in this way; greatest singular value of the table after each column has been moved so
    that its average is 0; greatest standard deviation of a sensor, with the number of moments as divisor."""
    centred = np.array(readings) - np.mean(readings, axis=0)
    spare = centred.shape[1] - np.linalg.matrix_rank(readings)
    return spare, np.linalg.svdvals(centred)[0], np.max(np.std(readings, axis=0))


@task(
    equivalent=TRUTHS
    | either_way("wanted - given")
    | {"clip: arguments 1 and 2 swapped": "the greater of a value and the lower limit, either way round"}
)
def motor_at_its_limits(
    orders: Vector(Int(-5, 5), (1, 80)), response: Vector(Int(-2, 4), (2, 5)), limit: Choice(2, 6, 10)
):
    """A motor answers each of the `orders` over several steps: an order of size 1 gives the entries of `response` in
    its own step, in the next one, and so on; an order of another size gives that many times as much, and the answers to
    different orders add up. There is one order in each step, which may be 0; what comes after the step of the last
    order is not looked at. What goes beyond `limit` or below minus `limit` is cut off there. Return a tuple of three:
    number of steps in which something is cut off; average over the steps of the values after the cut; greatest amount
    that is cut off in a step, its sign ignored."""
    wanted = np.convolve(orders, response)[: len(orders)]
    given = np.clip(wanted, -limit, limit)
    return np.count_nonzero(wanted != given), np.mean(given), np.max(np.abs(wanted - given))


@task(n=(5, 16), equivalent=either_way("np.polyval(curve, shown) - true"))
def calibrate_a_thermometer(
    shown: Vector(Int(-10, 10), "n", unique=True), true: Vector(Int(-60, 60), "n"), at: Int(-12, 12)
):
    """A thermometer `shown` certain values while a precise one gave the `true` temperatures. Describe the true
    temperature by a parabola in the shown value, so that the squared differences add up to the least. Return a tuple of
    three: described temperature for the shown value `at`; greatest size of a difference between a true temperature and
    the described one, its sign ignored; standard deviation of the differences with their number as divisor."""
    curve = np.polyfit(shown, true, 2)
    missed = np.polyval(curve, shown) - true
    return np.polyval(curve, at), np.max(np.abs(missed)), np.std(missed)


@task(n=(4, 40))
def half_of_the_energy(
    minutes: Vector(Int(0, 400), "n", unique=True, sorted=True),
    power: Vector(Int(1, 50), "n"),
    percent: Choice(25, 50, 80),
):
    """A meter noted the `power` of a plant, always above 0, at irregular ascending `minutes`. The energy used between
    two readings is the average of the two powers times the minutes between them. Energy counts from the first reading,
    and within a section between two readings it is taken to grow evenly. Return a tuple of four: energy up to the last
    reading; minute at which `percent` percent of it has been used; greatest energy used in one section; middle one of
    the powers in order of size, or midway between the two middle ones."""
    level = np.array(power)
    sections = (level[1:] + level[:-1]) / 2 * np.diff(minutes)
    used = np.concatenate([[0], np.cumsum(sections)])
    return used[-1], np.interp(used[-1] * percent / 100, used, minutes), np.max(sections), np.median(power)


@task(equivalent=TRUTHS)
def period_of_a_machine(sound: Vector(Int(-6, 6), (12, 80))):
    """The `sound` of a machine repeats itself, but nobody knows after how many samples. For a shift of k samples
    multiply each sample with the one k places later, as far as there is one, and add the products up. Return a tuple of
    four: the shift from 1 to half the number of samples, rounded down, with the highest total, the smallest in a tie;
    that total; how often the sound changes from one sample to the next between below 0 and not below 0; difference
    between the highest and the lowest sample."""
    totals = np.correlate(sound, sound, "full")[len(sound) :][: len(sound) // 2]
    best = np.argmax(totals)
    negative = np.array(sound) < 0
    return best + 1, totals[best], np.count_nonzero(negative[1:] != negative[:-1]), np.ptp(sound)


@task(pairs=(2, 6), without=("large",))  # products of many wheels are too large
def train_of_gears(driving: Vector(Int(8, 60), "pairs"), driven: Vector(Int(8, 60), "pairs")):
    """In a gearbox each pair has a driving and a driven wheel; `driving` and `driven` hold their numbers of teeth. The
    speed is changed by the fraction: product of the driving numbers over product of the driven ones. In a pair the same
    two teeth meet again after the smallest number of teeth that both numbers divide. Return a tuple of five: numerator
    of the fraction in lowest terms; its denominator; position from 0 of the pair whose driving wheel makes the most
    turns until the same teeth meet again, the first in a tie; that number of turns; difference between the highest and
    the lowest number of teeth of the driving wheels."""
    above, below = np.prod(driving), np.prod(driven)
    common = np.gcd(above, below)
    turns = np.array(driven) // np.gcd(driving, driven)
    longest = np.argmax(turns)
    return above // common, below // common, longest, turns[longest], np.ptp(driving)


@task(groups=(4, 25), parts=(3, 6), equivalent=either_way("level - typical[0]"))
def process_out_of_control(parts: Matrix(Int(0, 20), "groups", "parts")):
    """From a machine some `parts` are measured every hour; each row holds the measurements of an hour. The level of an
    hour is the middle one of its measurements in order (midway between the two middle ones for an even number), its
    range the highest less the lowest. Levels and ranges of the hours have a typical value, found in the same way. An
    hour is out of control if its level is farther from the typical level than half the typical range. Return a tuple of
    four: list of the hours out of control, from 0; typical level; typical range; hour with the greatest range, the
    first in a tie."""
    level, spread = np.median(parts, axis=1), np.ptp(parts, axis=1)
    typical = np.median(level), np.median(spread)
    out = np.flatnonzero(np.abs(level - typical[0]) * 2 > typical[1])
    return out, typical[0], typical[1], np.argmax(spread)


@task(n=(1, 40), m=(1, 12))
def fit_of_bolts_and_holes(bolts: Vector(Int(90, 130), "n"), holes: Vector(Int(90, 130), "m")):
    """`bolts` and `holes` hold widths in whole hundredths of a millimetre. A bolt fits a hole that is wider than
    itself, and every bolt goes into the narrowest hole that it fits; of equally wide holes always into the same one,
    which is listed before the others. As many bolts as one likes may share a hole. Return a tuple of three: number of
    bolts that fit nowhere; list of the numbers of bolts in the holes, the narrowest hole first; greatest play: the
    width of a hole less that of a bolt in it, or 0 if no bolt fits."""
    ordered = np.sort(holes)
    place = np.searchsorted(ordered, bolts, side="right")
    fits = place < len(holes)
    play = ordered[place[fits]] - np.array(bolts)[fits]
    counts = np.bincount(place, minlength=len(holes) + 1)
    return counts[-1], counts[:-1], np.max(play, initial=0)
