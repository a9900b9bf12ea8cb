"""Filtering and comparing sequences, linear interpolation, window functions."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Float, Int, Vector

# --- convolve ---


@task
def river_after_rain(rain: Vector(Int(0, 4), (3, 6)), response: Vector(Int(1, 5), (2, 3))):
    """Each millimetre of rain lifts a river by `response`[0] centimetres in the same hour, by `response`[1] in the next
    hour and so on, until the effect has passed; the effects of several hours add up. Given the `rain` of n hours in
    millimetres and m responses, return how much the river is lifted in each of the n + m - 1 hours, beginning with the
    first hour of rain, as a list."""
    return np.convolve(rain, response)


@task
def paint_along_the_wall(strokes: Vector(Int(0, 9), (6, 14)), spray: Vector(Int(1, 5), (2, 4))):
    """A spray can is pressed at the places 0, 1, 2 and so on of a wall, at place i with the strength `strokes`[i]. A
    press of strength s leaves s times `spray`[k] of paint k places further right, for every k from 0. Paint adds up.
    Return how much paint there is at each place, up to the last one that can be reached, as a list."""
    return np.convolve(strokes, spray)


@task
def complete_window_forecast(demand: Vector(Int(0, 30), (5, 8)), weights: Vector(Float(0, 1), 3)):
    """`demand` goes from the oldest value to the newest. A forecast adds up three consecutive values, the newest of
    them times `weights`[0], the one before times weights[1] and the oldest times weights[2]. Return the forecasts from
    all runs of three values, earliest run first, as a list."""
    return np.convolve(demand, weights, "valid")


@task
def spinner_totals(first: Vector(Int(0, 5), (3, 5)), second: Vector(Int(0, 5), (3, 5))):
    """Entry s of `first`, counted from 0, tells how many fields of a spinner show the score s; `second` does so for
    another spinner. In how many ways can both spins together give the total 0, 1, 2, ..., up to the last score in
    `first` plus the last score in `second`? Return the list of numbers of ways, zeros included."""
    return np.convolve(first, second)


# --- correlate ---


@task
def motif_in_melody(melody: Vector(Int(-5, 5), (5, 8)), motif: Vector(Int(-3, 3), 3)):
    """Notes are written as semitones above or below the keynote. Slide the short `motif` along the `melody`. At each
    place where it fits completely, add up the products of notes that lie on top of each other (motif not reversed).
    Return these sums from left to right as a list."""
    return np.correlate(melody, motif)


@task
def echo_match_at_each_shift(received: Vector(Int(-6, 6), (3, 5)), sent: Vector(Int(-6, 6), (2, 4))):
    """To find out how late an echo comes, compare what was `sent` with what was `received` at every shift: for each k
    from -(m - 1) to n - 1, sum up received[i + k] · sent[i] over all i, where anything outside the n values of received
    and the m values of sent is zero. Return the sums, smallest shift first, as a list."""
    return np.correlate(received, sent, mode="full")


@task
def edge_detector(brightness: Vector(Int(0, 50), (4, 8)), detector: Vector(Int(-3, 3), 3)):
    """Run a detector of three numbers over a scan line: result i is detector[0]·b[i-1] + detector[1]·b[i] +
    detector[2]·b[i+1], b being `brightness` with zeros before and after. Return one result per pixel as a list;
    `detector` stays unflipped."""
    return np.correlate(brightness, detector, "same")


@task
def self_similarity(gait: Vector(Float(-3, 3), (3, 5))):
    """How well does a step recording, `gait`, match itself when shifted? For every shift from -(n - 1) to n - 1, where
    n is its length, add up the products of the recording with its shifted copy; values outside the recording count as
    zero. Return the 2n - 1 sums as a list."""
    return np.correlate(gait, gait, "full")


# --- interp ---


@task(n=(4, 6))
def boiling_point(pressure: Float(9, 29), table_pressure: Vector(Int(8, 30), "n", unique=True, sorted=True),
                  table_boiling: Vector(Float(95, 135), "n", unique=True, sorted=True)):  # fmt: skip
    """The manual of a pressure cooker tabulates the boiling point `table_boiling` at ascending pressures
    `table_pressure` (tenths of a bar). Read off the value at `pressure` (same unit), going straight from one table
    point to the next; beyond the table its nearest end value holds. Return a number."""
    return np.interp(pressure, table_pressure, table_boiling)


@task(n=(3, 5))
def bamboo_heights(
    moments: Vector(Float(0, 10), (2, 5)),
    logged: Vector(Int(0, 10), "n", unique=True, sorted=True),
    height: Vector(Float(1, 20), "n", sorted=True),
):
    """The `height` of a bamboo shoot, in centimetres, was measured at the increasing days `logged`. Estimate it at the
    `moments` (days, too) by joining neighbouring measurements with straight lines; before the first measurement take
    the first, after the last take the last. Return the estimates as a list."""
    return np.interp(moments, logged, height)


@task(n=(3, 5))
def fish_density_by_depth(
    depths: Vector(Float(3, 27), (4, 6)),
    sonar: Vector(Int(6, 24), "n", unique=True, sorted=True),
    density: Vector(Float(1, 9), "n"),
):
    """A sonar gives fish `density` at the ascending depths `sonar`. For each of `depths` find the density by linear
    interpolation. Depths smaller than the first sonar depth get -1, those greater than the last one -2, as marks for
    unknown. Return a list."""
    return np.interp(depths, sonar, density, left=-1, right=-2)


@task(n=(3, 5))
def round_the_clock_power(
    hours: Vector(Float(0, 30), (3, 6)),
    known: Vector(Int(0, 23), "n", unique=True, sorted=True),
    power: Vector(Int(10, 99), "n"),
):
    """Power use repeats every 24 hours. It is `power` at the clock times `known`. Interpolate linearly, also across
    midnight from the last clock time to the first, and return the power at each of the `hours` (25.5 means 1.5) as a
    list."""
    return np.interp(hours, known, power, period=24)


# --- bartlett ---


@task
def tent_poles(poles: Int(3, 16)):
    """A circus tent is carried by `poles` equally spaced poles in a line. Relative heights rise linearly from 0 at the
    first to 1 halfway along and fall back to 0 at the last. Return all heights as a list."""
    return np.bartlett(poles)


@task
def lanterns_between_walls(lanterns: Int(2, 14)):
    """Between two dark walls hang `lanterns` lamps in a line; all gaps are equal, also those between a wall and the
    lamp next to it. Brightness forms a triangle: 0 at both walls, 1 halfway. Return the brightness of the lamps alone
    as a list."""
    return np.bartlett(lanterns + 2)[1:-1]


@task
def crowd_wave(seats: Vector(Int(100, 999), (3, 9), unique=True)):
    """`seats` lists the ticket numbers of the people in a stadium row from left to right. For a wave each of them gets
    a weight that only depends on the place: zero for the two outermost people, growing evenly from both ends towards
    the middle of the row, where it would be one (with an even number of people nobody stands exactly there). Return one
    weight per person, as a list."""
    return np.bartlett(len(seats))


@task
def marching_volume(steps: Int(7, 14), step: Int(1, 6)):
    """A brass band walks past in `steps` evenly spaced steps, numbered from 0. Its loudness goes linearly up from
    nothing at step 0, has its peak of 1 exactly midway, and goes linearly down to nothing at the final step. Return the
    loudness at `step` as a number."""
    return np.bartlett(steps)[step]


# --- blackman ---


@task
def smooth_spectrum_weights(size: Int(4, 16)):
    """A spectrum estimate uses the three-term cosine window 0.42 - 0.5·cos(2πk/(N-1)) + 0.08·cos(4πk/(N-1)) with N =
    `size`. It vanishes at both ends, so only the weights in between matter. Return those for k = 1 to N-2 as a list."""
    return np.blackman(size)[1:-1]


@task
def tapered_whale_song(song: Vector(Int(-50, 50), (4, 9))):
    """Before analysing a whale `song`, one needs a taper with one weight per sample. It is the classic kind: 0.42, less
    0.5 times the cosine of an angle, plus 0.08 times the cosine of twice that angle. The angle grows evenly, from 0 one
    step before the first sample to 2π one step after the last, so that the taper vanishes there. Return the weights as
    a list."""
    return np.blackman(len(song) + 2)[1:-1]


@task
def fade_in_flank(length: Int(2, 12)):
    """Make a symmetric window of 2·`length` + 1 weights 0.42 - 0.5·cos(x) + 0.08·cos(2x), x running evenly from 0 to
    2π. Only the rising flank is used for fading in: leave out the first weight, which is zero, and return the next ones
    up to and including the middle one, as a list of `length` numbers."""
    return np.blackman(2 * length + 1)[1 : length + 1]


@task
def antenna_element_drive(elements: Int(7, 30), number: Int(1, 5)):
    """A row of N = `elements` antenna elements is driven with low side lobes in mind: element k, counted from 0, gets
    0.42 - 0.5·cos(2πk/(N-1)) + 0.08·cos(4πk/(N-1)). What does element `number` get? Return a number."""
    return np.blackman(elements)[number]


# --- hamming ---


@task
def speech_frame_weights(frame: Int(3, 16)):
    """Speech recognisers multiply every frame of N = `frame` samples by the weights 0.54 - 0.46·cos(2πk/(N-1)), so that
    its edges drop to 0.08. Return the list of weights for k = 0 to N-1."""
    return np.hamming(frame)


@task
def two_frame_lengths(brief: Int(3, 7), extended: Int(8, 12)):
    """Consonants get a frame of `brief` samples, vowels one of `extended` samples. For both, return the raised-cosine
    weights with 0.54 as the constant part and 0.46 as the cosine part, 0.08 at either end, as a tuple of two lists
    (brief one first)."""
    return (np.hamming(brief), np.hamming(extended))


@task
def office_window_blinds(blinds: Int(5, 18)):
    """Of a row of N = `blinds` window blinds, blind k, counted from 0, is opened to the fraction 0.54 -
    0.46·cos(2πk/(N-1)). Only the blinds with even k are in offices. Return the openings of these blinds, in order, as a
    list."""
    return np.hamming(blinds)[::2]


@task
def engine_knock_taper(knock: Vector(Float(-2, 2), (3, 9))):
    """Return, as a list, a taper for the knock sensor record `knock`, one weight per sample. It is the cosine taper
    that does not reach zero: the sum of 0.54 and a cosine of amplitude 0.46, which makes 0.08 at the first and the last
    sample and rises towards 1 midway."""
    return np.hamming(len(knock))


# --- hanning ---


@task
def bell_shaped_dose(days: Int(3, 16)):
    """A medicine is started and stopped gently: on day k, counted from 0, of a treatment of N = `days` days, the share
    of the full dose is 0.5 - 0.5·cos(2πk/(N-1)), hence nothing on the first and the last day. Return the shares as a
    list."""
    return np.hanning(days)


@task
def overlapping_grain(samples: Int(2, 14)):
    """In granular synthesis a grain of `samples` samples gets the periodic Hann window, with one weight per sample:
    make the symmetric window, a raised cosine from 0 to 1 and back to 0, with one weight more than needed, and leave
    out its last weight. Return a list."""
    return np.hanning(samples + 1)[:-1]


@task
def swing_in_and_out(beats: Int(2, 14)):
    """A dimmer follows one full raised cosine, 0.5 - 0.5·cos, over 2·`beats` evenly spaced points, zero at the first
    and the last of them. Return a tuple of two lists: the first half of the points, where the lamp gets brighter, and
    the second half."""
    light = np.hanning(2 * beats)
    return (light[:beats], light[beats:])


@task
def loom_tension(threads: Int(2, 14)):
    """A loom holds `threads` evenly spaced threads. The tension across it follows a Hann curve (half of one minus
    cosine) that is zero at the two frame posts, which stand one spacing beyond the first and the last thread. Return
    the tension of each thread as a list."""
    return np.hanning(threads + 2)[1:-1]


# --- kaiser ---


@task
def adjustable_window(points: Int(3, 9), beta: Float(0.5, 14)):
    """Filter designers like the window I0(β√(1 - r²))/I0(β), where I0 is the modified Bessel function of order zero and
    β is `beta`, which trades main lobe width against side lobes. Return its weights at `points` values of r, going
    evenly from -1 to 1, as a list."""
    return np.kaiser(points, beta)


@task
def sharp_window_for_strip(strip: Vector(Int(0, 99), (3, 8))):
    """For each sample of a film scanner `strip` return a weight of the Bessel-type window I0(β√(1 - r²))/I0(β), r going
    evenly from -1 at the first sample to 1 at the last. Use β = 8.6. The result is a list."""
    return np.kaiser(len(strip), 8.6)


@task
def gentle_and_strong(taps: Int(4, 8), gentle: Float(0.5, 3), strong: Float(5, 12)):
    """A window of modified Bessel functions has the weights I0(β√(1 - r²))/I0(β), r going evenly from -1 to 1. Make two
    such windows with `taps` weights each, one with `gentle` for β and the other with `strong`. Return them as a dict of
    two lists under the keys "gentle" and "strong"."""
    return {"gentle": np.kaiser(taps, gentle), "strong": np.kaiser(taps, strong)}


@task
def lens_edge_transmission(rings: Int(2, 12), falloff: Float(1, 9)):
    """An apodised lens transmits the share I0(f√(1 - r²))/I0(f) of the light, I0 being the modified Bessel function,
    where f is `falloff` and r runs in equal steps through 2·`rings` + 1 positions, from one edge (-1) through the
    centre (0) to the other edge (1). Return the transmission one step inwards from an edge as a number."""
    return np.kaiser(2 * rings + 1, falloff)[1]
