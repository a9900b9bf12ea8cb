"""Spectra, windows and what is read from them: audio, radio, earthquakes, stars."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Choice, Complex, Float, Int, Matrix, Vector

# Tasks without the mood "constant" (or "zeros"): there the answers would be rounding noise around 0.


@task
def tapered_bass_spectrum(samples: Vector(Int(-9, 9), (4, 8))):
    """To study a bass note, fade its N `samples` in and out with a Hann window (0.5 - 0.5·cos(2πk/(N-1)) for k = 0 to
    N-1, so zero at both ends), take the Fourier transform of the faded sound, and keep only the frequencies from zero
    up to half the sampling rate. Return the magnitudes of those terms as a list."""
    return np.absolute(np.fft.rfft(np.multiply(samples, np.hanning(len(samples)))))


@task(without=("constant",))
def brightness_of_a_sound(samples: Vector(Int(1, 30), (4, 8)), step: Choice(0.1, 0.2, 0.25, 0.5)):
    """Musicians call a sound bright when high frequencies dominate. Take the Fourier magnitudes of the real-valued
    `samples` at the frequencies from zero up to half the sampling rate, then form the weighted mean of those
    frequencies (in cycles per millisecond; samples are `step` milliseconds apart) with the magnitudes as weights.
    Return this brightness as a number."""
    weights = np.absolute(np.fft.rfft(samples))
    return np.average(np.fft.rfftfreq(len(samples), d=step), weights=weights)


@task(without=("zeros",), n=(3, 6))
def offset_scores_on_a_loop(heard: Vector(Float(-6, 6), "n"), sent: Vector(Float(-6, 6), "n")):
    """Two tapes run in loops of equal length. To score all offsets between them at once, Fourier-transform `heard` and
    `sent` in full, negate the imaginary parts in the spectrum of `sent`, form the product of the two spectra term by
    term and transform it back. Return the real parts of what comes out, the scores, as a list."""
    mirrored = np.conjugate(np.fft.fft(sent))
    return np.real(np.fft.ifft(np.multiply(np.fft.fft(heard), mirrored)))


@task
def muffled_through_the_wall(music: Vector(Int(-20, 20), 8), limit: Choice(0.125, 0.25, 0.375)):
    """A wall swallows treble. From the eight values of `music`, spaced one time unit apart, compute the spectrum at
    the non-negative frequencies, set every term to 0 whose frequency is greater than `limit` (cycles per time unit;
    equal to it passes), and turn the rest back into eight real sound values. Return these as a list."""
    passes = np.less_equal(np.fft.rfftfreq(len(music)), limit)
    return np.fft.irfft(np.where(passes, np.fft.rfft(music), 0))


@task(equivalent={"fft.rfft -> fft.fft": "the synthesis reads only the n//2 + 1 first terms, and these are the same"})
def pulsation_self_match(light: Vector(Float(1, 9), (5, 7))):
    """How well does the light curve of a pulsating star match itself when it is shifted round in a circle? Take the
    spectrum of the n real readings `light` at the non-negative frequencies and replace every term by its squared
    magnitude. Return the list of the n real values that have this spectrum; n may be odd."""
    power = np.square(np.absolute(np.fft.rfft(light)))
    return np.fft.irfft(power, n=len(light))


@task(without=("constant",))
def waterfall_line(received: Vector(Complex(), (3, 7))):
    """A software radio draws one line of its waterfall display from the n complex samples `received`: it takes the
    Fourier transform, the magnitude of each term and the natural logarithm of one plus the magnitude, and finally
    moves frequency zero from the front to position n//2 (counted from 0), with the negative frequencies left of it.
    Return the line as a list."""
    return np.fft.fftshift(np.log1p(np.absolute(np.fft.fft(received))))


@task(without=("constant",))
def sketched_spectrum_to_sound(sketch: Vector(Float(-9, 9), (3, 7))):
    """A composer sketches a spectrum of n terms: in `sketch` the zero frequency stands in the centre, at position n//2
    (counted from 0). Weight it by the window 0.54 - 0.46·cos(2πk/(n-1)), k from 0 to n-1, then bring zero frequency to
    the front, where transforms expect it, and undo the Fourier transform. Return the real parts of the sound as a
    list."""
    centred = np.multiply(sketch, np.hamming(len(sketch)))
    return np.real(np.fft.ifft(np.fft.ifftshift(centred)))


@task
def comet_plate_pattern(plate: Matrix(Int(0, 20), (2, 4), (3, 4))):
    """Stripes on a scanned photographic `plate` of a comet (R rows of C brightness values) show in its two-dimensional
    Fourier transform. Return the magnitudes of the transform as a list of rows, rearranged so that the term of zero
    frequency lies in row R//2 and column C//2, both counted from 0, instead of the corner."""
    return np.fft.fftshift(np.absolute(np.fft.fft2(plate)))


@task(rows=(2, 4), cols=(2, 4))
def moon_photo_filtered(photo: Matrix(Int(0, 30), "rows", "cols"), gains: Matrix(Float(0, 1), "rows", "cols")):
    """An amateur filters a Moon `photo`, given as rows of pixels, in frequency space: she takes its two-dimensional
    Fourier transform, multiplies each term by the entry of `gains` at the same place, and transforms back in two
    dimensions. Return the real part of each pixel, as a list of rows."""
    return np.real(np.fft.ifft2(np.multiply(np.fft.fft2(photo), gains)))


@task(without=("constant",))
def sky_from_visibilities(visibilities: Matrix(Complex(), (2, 3), (3, 5))):
    """Radio telescopes measure the two-dimensional spectrum of the sky. The grid `visibilities`, R rows of C columns,
    has its zero frequency in the middle, in row R//2 and column C//2 (counted from 0). Move that cell to the top left
    corner, with everything else following cyclically, do the inverse two-dimensional transform, and return the real
    parts of the sky map as a list of rows."""
    return np.real(np.fft.ifft2(np.fft.ifftshift(visibilities)))


@task(
    without=("constant",),
    equivalent={"fft.fft -> fft.ifft": "for real readings it only scales all magnitudes, and weights may be scaled"},
)
def width_of_a_tremor(ground: Vector(Float(0.5, 9), (3, 7)), step: Choice(0.1, 0.2, 0.25, 0.5)):
    """How broad is the spectrum of a tremor? Fourier-transform all readings of `ground` (taken every `step` seconds)
    and square the magnitudes. With these as weights, form the weighted mean of the squared frequencies (in cycles per
    second, negative ones included). Return the square root of that mean as a number."""
    power = np.square(np.absolute(np.fft.fft(ground)))
    return np.sqrt(np.average(np.square(np.fft.fftfreq(len(ground), d=step)), weights=power))


@task(
    without=("constant",),
    equivalent={
        "column_stack -> transpose": "two lists of equal length, transposed, are its columns",
        "column_stack -> linalg.matrix_transpose": "two lists of equal length, transposed, are its columns",
    },
)
def labelled_radio_spectrum(samples: Vector(Complex(), (3, 6)), carrier: Int(80, 140), step: Choice(0.02, 0.05, 0.1)):
    """Complex `samples` come every `step` microseconds from a receiver tuned to `carrier` MHz. Make a table with one
    row per Fourier term, from the most negative frequency to the most positive (with an even number of samples, half
    the sampling rate counts as negative): carrier plus the term's frequency in MHz, then the term's magnitude. Return
    the table as a list of rows."""
    labels = np.add(carrier, np.fft.fftshift(np.fft.fftfreq(len(samples), d=step)))
    return np.column_stack((labels, np.fft.fftshift(np.absolute(np.fft.fft(samples)))))


@task(equivalent={"subtract: arguments 1 and 2 swapped": "a change of sign does not change magnitudes"})
def windowed_quake_spectrum(trace: Vector(Int(-15, 15), (4, 8))):
    """Prepare a seismogram: take its own average away from every reading of `trace`, weight the readings by a
    triangular window of equal length (0 at the first and last reading, 1 halfway between them, straight lines in
    between), and form the Fourier spectrum from frequency zero up to half the sampling rate. Return the magnitudes of
    its terms as a list."""
    centred = np.subtract(trace, np.mean(trace))
    return np.absolute(np.fft.rfft(np.multiply(centred, np.bartlett(len(trace)))))


@task
def weighted_sound_level(pressure: Vector(Float(0.5, 9), (3, 7)), beta: Float(1, 8)):
    """A level meter weights the readings in `pressure` by I0(`beta`·√(1 - (2k/(N-1) - 1)²)) / I0(`beta`) for k = 0 to
    N-1, the window built on the modified Bessel function of order zero, and forms their weighted mean. Return 20 times
    the decimal logarithm of it, as a number."""
    return 20 * np.log10(np.average(pressure, weights=np.kaiser(len(pressure), beta)))


@task
def energy_piling_up(click: Vector(Int(-9, 9), (4, 8)), start: Float(1, 50)):
    """An energy meter shows `start` when a `click` of N samples arrives. Shape the click with the window 0.42 -
    0.5·cos(2πk/(N-1)) + 0.08·cos(4πk/(N-1)), k = 0 to N-1. The meter then adds up the squares of the shaped samples,
    on top of what it showed. Return its reading after each sample, as a list."""
    return start + np.cumsum(np.square(np.multiply(click, np.blackman(len(click)))))
