"""Discrete Fourier transforms, their inverses, and the frequencies that belong to them."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Complex, Cube, Float, Int, Matrix, Vector

# --- fft.fft ---


@task
def heartbeat_spectrum(pulse: Vector(Int(40, 180), (3, 7))):
    """A chest strap delivers one heart rate per second in `pulse`. Return its complete discrete Fourier transform,
    positive and negative frequencies alike and without any scaling, as a list of complex numbers that starts at
    frequency zero."""
    return np.fft.fft(pulse)


@task
def padded_click_spectrum(click: Vector(Int(-9, 9), (3, 6))):
    """The recording `click` of a castanet is shorter than eight samples. Append zeros until there are eight, then
    compute the unscaled Fourier coefficients for all eight frequencies. Return them as a list of complex numbers, zero
    frequency first."""
    return np.fft.fft(click, n=8)


@task(hours=(3, 5), buoys=(2, 3))
def buoy_spectra(swell: Matrix(Float(-4, 4), "hours", "buoys")):
    """The water heights in `swell` have one row per hour and one column per buoy. Transform the time series of each
    buoy to the frequency domain (full two-sided discrete Fourier transform, unscaled) and return a list of rows of
    complex numbers, one row per frequency (zero first) and one column per buoy."""
    return np.fft.fft(swell, axis=0)


@task
def unitary_radar_spectrum(echo: Vector(Complex(-3, 3), (3, 6))):
    """Radar engineers want a Fourier transform that preserves energy: the n complex samples in `echo` go to all n
    frequencies, and each coefficient is divided by the square root of n. Return the complex coefficients as a list,
    zero frequency first."""
    return np.fft.fft(echo, norm="ortho")


# --- fft.ifft ---


@task
def samples_from_spectrum(spectrum: Vector(Complex(-6, 6), (3, 6))):
    """Somebody saved only the `spectrum` of a sonar ping: all n complex Fourier coefficients, zero frequency first,
    unscaled. Go back to the n time samples (this direction carries the factor 1/n) and return them as a list of complex
    numbers."""
    return np.fft.ifft(spectrum)


@task
def truncated_resynthesis(bins: Vector(Complex(-4, 4), (6, 8))):
    """To save memory a toy synthesizer throws away everything in `bins` but the first five Fourier coefficients, and
    turns those five back into five time samples (with division by five). Return the samples as a list of complex
    numbers."""
    return np.fft.ifft(bins, n=5)


@task(bands=(3, 4), mics=(2, 3))
def microphones_back_in_time(coefficients: Matrix(Complex(-5, 5), "bands", "mics")):
    """A choir was recorded with several microphones: column j of `coefficients` holds the complete, unscaled Fourier
    spectrum of microphone j, one row per frequency. Recover the time samples of each microphone and return a list of
    rows of complex numbers, one row per sample and one column per microphone."""
    return np.fft.ifft(coefficients, axis=0)


@task
def unscaled_synthesis(amplitudes: Vector(Float(-5, 5), (3, 5))):
    """An electronic organ adds up rotating tones: sample m is the total of amplitude k times exp(2πi·m·k/n) over all k
    from 0 to n - 1, where n is the number of `amplitudes`. It is an inverse Fourier transform that divides by nothing.
    Return the n complex samples as a list."""
    return np.fft.ifft(amplitudes, norm="forward")


# --- fft.rfft ---


@task
def tide_half_spectrum(heights: Vector(Float(0, 8), (4, 8))):
    """For the n measured tide `heights` the negative frequencies would tell nothing new beyond the positive ones.
    Return the unscaled Fourier coefficients of the zero and positive frequencies alone, n//2 + 1 complex numbers in a
    list."""
    return np.fft.rfft(heights)


@task(days=(4, 6), hives=(2, 3))
def hive_weight_spectra(weights: Matrix(Int(20, 60), "days", "hives")):
    """A beekeeper weighs her hives daily; `weights` has a row per day and a column per hive. All values are real, so
    the non-negative frequencies suffice: return the one-sided, unscaled Fourier transform of each hive as a list of
    rows of complex numbers, a row per frequency and a column per hive."""
    return np.fft.rfft(weights, axis=0)


@task
def padded_gust_half_spectrum(gusts: Vector(Int(0, 30), (4, 8))):
    """Wind `gusts` were logged for a few seconds only. Fill the real series up with zeros to ten entries, take the
    unscaled Fourier transform and keep just frequency zero and the positive ones: return those six complex coefficients
    as a list."""
    return np.fft.rfft(gusts, n=10)


@task
def averaged_half_spectrum(footfall: Vector(Int(0, 40), (4, 7))):
    """How does museum `footfall` oscillate? Return the Fourier coefficients of this real series from frequency zero
    upwards (nothing for negative frequencies), each divided by the number of entries, so that the first one is the
    mean. The result is a list of complex numbers."""
    return np.fft.rfft(footfall, norm="forward")


# --- fft.irfft ---


@task
def even_signal_from_half(half: Vector(Int(-20, 20), (3, 5))):
    """Of a real signal with an even number of samples only the unscaled one-sided spectrum `half` survived: k
    coefficients from frequency zero up to the highest one. Return the 2(k - 1) real samples that it came from, as a
    list of numbers."""
    return np.fft.irfft(half)


@task
def odd_signal_from_half(half: Vector(Complex(-5, 5), (2, 4))):
    """The k entries of `half` are the unscaled Fourier coefficients at zero and positive frequencies of a real signal
    that had an odd length, namely 2k - 1. An imaginary part of the very first entry is to be ignored. Return the
    original samples as a list of real numbers."""
    return np.fft.irfft(half, n=2 * len(half) - 1)


@task(lines=(3, 4), strings=(2, 3))
def guitar_strings_from_half(table: Matrix(Int(-40, 40), "lines", "strings")):
    """Each column of `table` describes one guitar string by its unscaled one-sided spectrum of m lines, one per row,
    lowest frequency first. The vibrations were real and had 2(m - 1) samples. Return them as a list of rows, one per
    sample, again with one column per string."""
    return np.fft.irfft(table, axis=0)


@task
def flicker_from_spectrum(half: Vector(Float(-3, 3), (3, 5))):
    """A lamp tester stores how the brightness of a lamp swings around its normal level, as k one-sided Fourier
    coefficients in `half`, each already divided by the number 2(k - 1) of real samples. So no further division happens
    on the way back. Return the real samples as a list."""
    return np.fft.irfft(half, norm="forward")


# --- fft.fft2 ---


@task
def tile_spectrum(tile: Matrix(Int(0, 255), (2, 4), (2, 4))):
    """The grey values of a small photo are in `tile`. Return their two-dimensional Fourier transform, without scaling,
    as a list of rows of complex numbers; the constant component sits in the top left corner."""
    return np.fft.fft2(tile)


@task
def padded_stamp_spectrum(stamp: Matrix(Int(0, 9), (2, 3), (2, 4))):
    """To compare postage stamps of different sizes, lay the grey values of a `stamp` in the upper left of a frame of 4
    rows and 5 columns that is zero elsewhere. Return the unscaled two-dimensional Fourier coefficients of the frame,
    complex numbers in a list of 4 rows."""
    return np.fft.fft2(stamp, s=(4, 5))


@task(rows=(2, 3), cols=(2, 3))
def colour_plane_spectra(image: Cube(Int(0, 99), "rows", "cols", 3)):
    """In `image` there are rows of pixels, and each pixel is a triple red, green, blue. For each colour take the
    two-dimensional Fourier transform over the rows and columns of pixels, without scaling. Return the complex
    coefficients nested in the same way as the image."""
    return np.fft.fft2(image, axes=(0, 1))


@task
def energy_true_field_spectrum(field: Matrix(Float(-5, 5), (2, 4), (2, 4))):
    """A magnetometer scans a lawn on a grid; its readings are in `field`. Return their two-dimensional Fourier
    transform, scaled so that the sum of squared magnitudes stays what it was (divide by the square root of the number
    of cells), as a list of rows of complex numbers."""
    return np.fft.fft2(field, norm="ortho")


# --- fft.ifft2 ---


@task
def picture_from_spectrum(spectrum: Matrix(Complex(-9, 9), (2, 4), (2, 4))):
    """A telescope sent home the unscaled two-dimensional Fourier coefficients `spectrum` of a picture instead of the
    picture. Recover the pixels, dividing by their number as usual, and return a list of rows of complex numbers."""
    return np.fft.ifft2(spectrum)


@task
def thumbnail_from_spectrum(plate: Matrix(Complex(-4, 4), (3, 4), (3, 4))):
    """For a thumbnail use nothing but the first two rows and first three columns of the Fourier coefficients `plate`,
    and turn this 2 by 3 corner back into pixels (two-dimensional inverse transform, with division by six). Return two
    rows of three complex numbers."""
    return np.fft.ifft2(plate, s=(2, 3))


@task(rows=(2, 3), cols=(2, 3), layers=(2, 3))
def layers_from_spectra(stack: Cube(Float(-8, 8), "rows", "cols", "layers")):
    """An ultrasound `stack` is indexed row, column, layer, and for each layer its rows and columns hold unscaled
    two-dimensional Fourier coefficients. Undo the transform layer by layer; the layers themselves do not mix. Return
    the complex values in the same nesting."""
    return np.fft.ifft2(stack, axes=(0, 1))


@task
def fabric_from_weights(weights: Matrix(Float(-2, 2), (2, 3), (2, 4))):
    """A weaver designs a pattern of R rows and C columns of threads by adding up plane waves: entry [u][v] of the R by
    C table `weights` contributes itself times exp(2πi(u·r/R + v·c/C)) to the thread [r][c]. Nothing is divided. Return
    the pattern as a list of rows of complex numbers."""
    return np.fft.ifft2(weights, norm="forward")


# --- fft.fftfreq ---


@task
def cycles_per_sample(count: Int(2, 20)):
    """Label the bins of a full Fourier transform of `count` samples: zero first, then the positive frequencies, then
    the negative ones, all measured in cycles per sample. If the count is even, the bin in the middle is labelled -0.5.
    Return the labels as a list."""
    return np.fft.fftfreq(count)


@task
def frequencies_of_turbine(samples: Int(3, 9), spacing: Float(0.1, 2.5)):
    """A vibration sensor on a turbine takes `samples` readings, one every `spacing` seconds. Which frequency in hertz
    belongs to each coefficient of the two-sided transform, in its usual order with the negative ones at the end? With
    an even number of readings the highest frequency has a minus sign. Return a list."""
    return np.fft.fftfreq(samples, spacing)


@task
def frequencies_by_rate(count: Int(3, 9), rate: Int(4000, 48000)):
    """An audio frame consists of `count` samples taken at `rate` samples per second. Return the list of signed
    frequencies in hertz, one for each Fourier coefficient, ordered 0, positive ascending, negative ascending (half the
    rate, where it occurs, counts as negative)."""
    return np.fft.fftfreq(count, d=1 / rate)


@task
def tram_vibration_bins(shakes: Vector(Float(-1, 1, 2), (2, 9))):
    """The acceleration of a tram floor was measured every 0.02 seconds; the values are in `shakes`. Return a list with
    the frequency, in cycles per second, of each coefficient in their full Fourier transform: zero, the positive
    frequencies, and last the negative ones in ascending order (25, should it occur, is written as -25 and belongs to
    these)."""
    return np.fft.fftfreq(len(shakes), d=0.02)


# --- fft.rfftfreq ---


@task
def one_sided_bins(count: Int(2, 21)):
    """A real series of `count` values is Fourier-transformed and only frequencies from zero on are kept. Return those
    frequencies in cycles per value, ascending, as a list of count//2 + 1 numbers."""
    return np.fft.rfftfreq(count)


@task
def dune_wavenumbers(points: Int(4, 12), metres: Float(0.5, 20)):
    """A surveyor walks across dunes and notes the height at `points` places that lie `metres` apart. Return, as a list,
    the spatial frequencies (cycles per metre) of the one-sided Fourier spectrum of such a real profile, beginning with
    zero."""
    return np.fft.rfftfreq(points, metres)


@task
def pitch_labels(frame: Vector(Int(-99, 99), (3, 9)), rate: Int(100, 8000)):
    """A display shows the one-sided spectrum of a violin recording `frame`, made with `rate` samples per second.
    Underneath it prints the frequency of each coefficient in hertz, from zero upwards; no negative ones are shown.
    Return the printed frequencies as a list."""
    return np.fft.rfftfreq(len(frame), d=1 / rate)


@task
def top_frequency(readings: Int(4, 15), gap: Float(0.1, 3)):
    """A thermometer is read `readings` times with a pause of `gap` hours in between. What is the highest frequency, in
    cycles per hour, that the one-sided spectrum of the real readings contains? Return it as a single number."""
    return np.fft.rfftfreq(readings, gap)[-1]


# --- fft.fftshift ---


@task
def centred_spectrum(power: Vector(Int(0, 99), (3, 8))):
    """A spectrum analyser lists its `power` readings as the Fourier transform gives them: zero frequency, positive
    ones, then negative ones. For plotting, the negative half must come first, so that zero lands at position n//2 (from
    0) of the n readings. Return the reordered list."""
    return np.fft.fftshift(power)


@task
def centred_diffraction(spots: Matrix(Int(0, 50), (2, 5), (3, 5))):
    """In the diffraction pattern `spots`, R rows by C columns, the zero frequency is at the upper left, as a
    two-dimensional transform leaves it. Bring it to the middle (row R//2, column C//2, from 0) by moving all rows and
    all columns on cyclically. Return a list of rows."""
    return np.fft.fftshift(spots)


@task(bands=(3, 5), frames=(2, 4))
def centred_waterfall(waterfall: Matrix(Float(0, 9), "bands", "frames")):
    """Each column of `waterfall` is a moment, each row a frequency in transform order (zero, positives, negatives; with
    an even number of rows the highest frequency counts as negative). Rearrange whole rows so that frequencies ascend
    from most negative to most positive; moments stay in place. Return a list of rows."""
    return np.fft.fftshift(waterfall, axes=0)


@task(waves=(2, 3), depths=(2, 3), bins=(3, 4))
def centred_wave_energy(volume: Cube(Int(0, 9), "waves", "depths", "bins")):
    """Ocean wave energies in `volume` are nested by wavenumber, depth and frequency. The depths are in order, but
    wavenumbers and frequencies are both in raw Fourier order with zero at the front; for each of these two, shift
    cyclically so that zero comes to the centre (index count//2, from 0). Return the same nesting."""
    return np.fft.fftshift(volume, axes=(0, 2))


# --- fft.ifftshift ---


@task
def uncentred_spectrum(plotted: Vector(Int(-50, 50), (3, 8))):
    """The n entries of `plotted` run from the most negative frequency to the most positive one, with zero at position
    n//2 (from 0). A synthesizer expects Fourier order instead: zero first, positives, then negatives. Return the list
    in that order."""
    return np.fft.ifftshift(plotted)


@task
def uncentred_mask(mask: Matrix(Int(0, 9), (3, 5), (2, 5))):
    """A filter was painted with its zero frequency in the centre cell of `mask`: row R//2 and column C//2 of R rows and
    C columns, from 0. Before it can be multiplied with a raw two-dimensional spectrum, that cell must travel to the
    upper left corner, the others moving along cyclically. Return the moved mask as a list of rows."""
    return np.fft.ifftshift(mask)


@task(voices=(2, 4), tones=(3, 5))
def uncentred_voices(chart: Matrix(Float(-2, 2), "voices", "tones")):
    """A singing teacher's `chart` has one row per pupil and C columns, frequencies from negative to positive with zero
    in column C//2 (from 0). Undo the centring within each row, so that zero is leftmost again and the negative ones
    come last; return a list of rows."""
    return np.fft.ifftshift(chart, axes=1)


@task(rows=(3, 4), cols=(2, 3), films=(2, 3))
def uncentred_films(film: Cube(Int(0, 20), "films", "rows", "cols")):
    """Every picture in `film` is a spectrum whose zero frequency was put in the middle (height//2, width//2). Move it
    back to the first row and first column of its picture; the sequence of pictures does not change. Return the pictures
    in the same nesting."""
    return np.fft.ifftshift(film, axes=(1, 2))
