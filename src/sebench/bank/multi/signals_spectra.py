"""Spectra, windows and what is read from them: audio, radio, earthquakes, stars."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Choice, Complex, Float, Int, Matrix, Vector

# Tasks without the mood "constant" (or "zeros"): there the answers would be rounding noise around 0.


@task
def tapered_bass_spectrum(samples: Vector(Int(-9, 9), (8, 24))):
    """A bass note of N `samples` is heard through a Hann window, the factors 0.5 - 0.5·cos(2πk/(N-1)) for k = 0 to N-1.
    Return how loud the windowed sound is at each frequency of its Fourier transform from zero up to half the sampling
    rate, as a list; loudness is the natural logarithm of 1 plus the magnitude of the term."""
    return np.log1p(np.absolute(np.fft.rfft(np.multiply(samples, np.hanning(len(samples))))))


@task(without=("constant",))
def brightness_of_a_sound(samples: Vector(Int(1, 30), (8, 24)), step: Choice(0.1, 0.2, 0.25, 0.5)):
    """Musicians call a sound bright when high frequencies dominate. The brightness of real-valued `samples`, taken
    every `step` milliseconds, is the weighted mean of the frequencies from zero up to half the sampling rate, in cycles
    per millisecond, where the weight of a frequency is the magnitude of its Fourier term. Return the brightness as a
    number."""
    weights = np.absolute(np.fft.rfft(samples))
    return np.average(np.fft.rfftfreq(len(samples), d=step), weights=weights)


@task(without=("zeros", "constant"), n=(6, 20))
def offset_scores_on_a_loop(heard: Vector(Float(-6, 6), "n"), sent: Vector(Float(-6, 6), "n")):
    """Two tapes run in loops of equal length. Their cross-spectrum has, for each frequency of the full Fourier
    transform, the term of `heard` times the mirrored term of `sent` (x + yi is mirrored to x - yi); damped, every term
    is divided by 1 plus its own magnitude. The sequence with this damped spectrum scores the offsets between the tapes;
    its imaginary parts are nothing but rounding errors. Return the scores as a list of ordinary numbers."""
    shared = np.fft.fft(heard) * np.conjugate(np.fft.fft(sent))
    return np.real(np.fft.ifft(shared / (1 + np.absolute(shared))))


@task
def spliced_microphones(
    near: Vector(Int(-20, 20), 16), far: Vector(Int(-20, 20), 16), limit: Choice(0.125, 0.1875, 0.25, 0.375)
):
    """Two microphones, `near` and `far`, recorded the same music, 16 values each, one per time unit. A new recording of
    16 values has, in its Fourier transform, the terms of near at the frequencies up to `limit` (cycles per time unit,
    the limit included) and those of far at higher ones, up to half the sampling rate. Its values are real numbers.
    Return them as a list."""
    low = np.less_equal(np.fft.rfftfreq(len(near)), limit)
    return np.fft.irfft(np.where(low, np.fft.rfft(near), np.fft.rfft(far)))


@task(
    without=("constant",),
    equivalent={
        "fft.rfft -> fft.fft": "the synthesis reads only the n//2 + 1 first terms, and these are the same",
        "subtract: arguments 1 and 2 swapped": "a change of sign does not change magnitudes",
    },
)
def pulsation_self_match(light: Vector(Float(1, 9), (8, 25))):
    """How well does the light curve of a pulsating star match itself when it is shifted round in a circle? The n
    readings `light`, less their own average, have a Fourier spectrum; the sequence of n real values whose spectrum is
    the squared magnitudes of it is the answer, for shifts by 0, 1, 2 and so on. Return it as a list; n may be odd."""
    terms = np.fft.rfft(np.subtract(light, np.mean(light)))
    return np.fft.irfft(np.square(np.absolute(terms)), n=len(light))


@task(without=("constant",))
def waterfall_line(received: Vector(Complex(), (7, 24))):
    """A software radio draws one line of its waterfall display from n complex samples, `received`: one dot per term of
    their Fourier transform, with frequency zero at position n//2 (counted from 0), the negative frequencies left of it
    and the positive ones right. A dot shows the natural logarithm of 1 plus the term's magnitude. Return the line as a
    list."""
    return np.fft.fftshift(np.log1p(np.absolute(np.fft.fft(received))))


@task(without=("constant",))
def sketched_spectrum_to_sound(sketch: Vector(Float(-9, 9), (7, 20))):
    """A composer sketches a spectrum of n terms: in `sketch` the zero frequency stands in the centre, at position n//2
    (counted from 0), with the negative frequencies left of it. Term k, from 0 to n-1, is softened by the factor 0.54 -
    0.46·cos(2πk/(n-1)). Which sound has the softened terms as its Fourier transform? Its values are complex, x + yi;
    return the x of all of them as a list."""
    centred = np.multiply(sketch, np.hamming(len(sketch)))
    return np.real(np.fft.ifft(np.fft.ifftshift(centred)))


@task(without=("constant",))
def comet_plate_pattern(plate: Matrix(Int(0, 20), (4, 8), (5, 10))):
    """Stripes on a scanned photographic `plate` of a comet (R rows of C brightness values) show in its two-dimensional
    Fourier transform. Return a picture of the transform as a list of R rows: the term of zero frequency lies in row
    R//2 and column C//2, both counted from 0, and the others around it as frequencies rise; every cell shows the
    natural logarithm of 1 plus its term's magnitude."""
    return np.fft.fftshift(np.log1p(np.absolute(np.fft.fft2(plate))))


@task(rows=(3, 7), cols=(3, 8))
def moon_photo_filtered(photo: Matrix(Int(0, 30), "rows", "cols"), gains: Matrix(Float(0, 1), "rows", "cols")):
    """An amateur filters a Moon `photo`, given as rows of pixels: in the two-dimensional Fourier transform of the new
    photo, each term is the old photo's term times the entry of `gains` at the same place. The new pixels are complex, x
    + yi. Return a tuple: the greatest and the least x of any pixel."""
    pixels = np.real(np.fft.ifft2(np.multiply(np.fft.fft2(photo), gains)))
    return np.max(pixels), np.min(pixels)


@task(without=("constant",))
def sky_from_visibilities(visibilities: Matrix(Complex(), (3, 7), (4, 8))):
    """Radio telescopes measure the two-dimensional Fourier spectrum of the sky. The grid `visibilities`, R rows of C
    columns, has its zero frequency in the middle, in row R//2 and column C//2 (counted from 0), and the negative
    frequencies above and left of it. The sky map that has this spectrum is complex, x + yi in each cell: it is the
    inverse transform with the factor 1/(R·C), and begins with the cell at position (0, 0). Return the x of the map's
    cells as a list of R rows."""
    return np.real(np.fft.ifft2(np.fft.ifftshift(visibilities)))


@task(
    without=("constant",),
    equivalent={"fft.fft -> fft.ifft": "for real readings it only scales all magnitudes, and weights may be scaled"},
)
def width_of_a_tremor(ground: Vector(Float(0.5, 9), (7, 24)), step: Choice(0.1, 0.2, 0.25, 0.5)):
    """How broad is the spectrum of a tremor, with the readings `ground` taken every `step` seconds? Its width is the
    square root of a weighted mean: of the squared frequencies of the full Fourier transform (in cycles per second,
    frequency 0 and negative ones included), weighted by the squared magnitudes of their terms. Return the width as a
    number."""
    power = np.absolute(np.fft.fft(ground)) ** 2
    return np.sqrt(np.average(np.fft.fftfreq(len(ground), d=step) ** 2, weights=power))


@task(
    without=("constant",),
    equivalent={
        "column_stack -> transpose": "two lists of equal length, transposed, are its columns",
        "column_stack -> linalg.matrix_transpose": "two lists of equal length, transposed, are its columns",
    },
)
def labelled_radio_spectrum(samples: Vector(Complex(), (6, 16)), carrier: Int(80, 140), step: Choice(0.02, 0.05, 0.1)):
    """Complex `samples` come every `step` microseconds from a receiver tuned to `carrier` MHz. Make a table with one
    row per Fourier term, from the most negative frequency to the most positive (with an even number of samples, half
    the sampling rate counts as negative): carrier plus the term's frequency in MHz, then the term's magnitude. Return
    the table as a list of rows."""
    labels = np.add(carrier, np.fft.fftshift(np.fft.fftfreq(len(samples), d=step)))
    return np.column_stack((labels, np.fft.fftshift(np.absolute(np.fft.fft(samples)))))


@task(equivalent={"subtract: arguments 1 and 2 swapped": "a change of sign does not change magnitudes"})
def windowed_quake_spectrum(motion: Vector(Int(-15, 15), (8, 24))):
    """A seismogram is prepared: from the readings `motion` their own average is taken off, and the triangular window of
    equal length (0 at the first and last reading, 1 halfway between them, straight lines in between) scales what is
    left. Return the magnitudes of the Fourier terms of the prepared readings, from frequency zero up to half the
    sampling rate, as a list."""
    centred = np.subtract(motion, np.mean(motion))
    return np.absolute(np.fft.rfft(centred * np.bartlett(len(motion))))


@task(meters=(3, 7), n=(6, 16))
def weighted_sound_levels(pressure: Matrix(Float(0.5, 9), "meters", "n"), beta: Float(1, 8)):
    """Each row of `pressure` has the N readings of one level meter. It shows 20 times the decimal logarithm of their
    weighted mean, where reading k, from 0 to N-1, has the weight I0(`beta`·√(1 - (2k/(N-1) - 1)²)) / I0(`beta`): the
    window built on the modified Bessel function of order zero. Return what each of the meters shows, as a list."""
    return 20 * np.log10(np.average(pressure, axis=1, weights=np.kaiser(len(pressure[0]), beta)))


@task(equivalent={"max -> ptp": "the window begins with 0, so the least rise is 0"})
def energy_piling_up(click: Vector(Int(-9, 9), (8, 24)), start: Float(1, 50)):
    """An energy meter shows `start` when a `click` of N samples arrives, shaped by the window 0.42 - 0.5·cos(2πk/(N-1))
    + 0.08·cos(4πk/(N-1)), k = 0 to N-1. With every shaped sample the reading rises by the sample squared. Return a
    tuple: the readings after each sample as a list, and the largest rise by a single sample."""
    rises = np.square(np.multiply(click, np.blackman(len(click))))
    return start + np.cumsum(rises), np.max(rises)


@task(without=("zeros",))
def rumble_of_a_turbine(hum: Vector(Int(1, 30), (9, 24)), low: Int(1, 4)):
    """A turbine's `hum` of N samples is shaped by the window 0.42 - 0.5·cos(2πk/(N-1)) + 0.08·cos(4πk/(N-1)), k = 0 to
    N-1. Its power at a frequency of the Fourier transform is the squared magnitude of the term. Return the rumble: the
    fraction that the `low` lowest frequencies (zero is the first of them) have in the power of all frequencies from
    zero up to half the sampling rate, as a number."""
    power = np.absolute(np.fft.rfft(hum * np.blackman(len(hum)))) ** 2
    return np.sum(power[:low]) / np.sum(power)
