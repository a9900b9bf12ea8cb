"""Scalings of Fourier transforms that no training task shows."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Complex, Float, Int, Matrix, Vector


@task(usage="norm is 'forward'")
def average_amplitudes(tides: Vector(Int(-20, 20), (6, 16))):
    """From a list of n `tides` compute its n complex Fourier amplitudes: number k is the total over m of the value m
    times e^(-2πi m k / n), divided by n, so that number 0 is the mean tide. Return the amplitudes for k = 0 to n - 1 as
    a list of complex numbers."""
    return np.fft.fft(tides, norm="forward")


@task(usage="norm is 'ortho'")
def wave_with_kept_energy(spectrum: Vector(Complex(), (6, 16))):
    """A lab turns a `spectrum` of n complex numbers back into a signal so that the total of the squared absolute values
    stays the same: signal value m is the total over k of number k times e^(2πi m k / n), divided by the square root of
    n. Return the n complex signal values as a list."""
    return np.fft.ifft(spectrum, norm="ortho")


@task(usage="norm is 'ortho'")
def heartbeat_half_spectrum(beats: Vector(Float(-5, 5), (7, 16))):
    """For n real numbers `beats` compute the terms k = 0, 1, ... up to n / 2 (rounded down) of the Fourier transform
    that keeps energy: the total over m of value m times e^(-2πi m k / n), divided by √n. The other terms add nothing
    new and are left out. Return the terms as a list of complex numbers."""
    return np.fft.rfft(beats, norm="ortho")


@task(usage="norm is 'ortho'")
def rooms_from_half_spectra(halves: Matrix(Complex(), (2, 5), (4, 8))):
    """Each row of `halves` keeps, for one room, the first m terms of the energy-keeping Fourier transform of a real
    sound with 2(m - 1) values; both directions of this transform divide by the square root of the number of sound
    values, and the missing terms are the conjugates of those kept (imaginary parts of the first and last term are
    ignored). Return the sounds as a list of rows of real numbers."""
    return np.fft.irfft(halves, norm="ortho")


@task(usage="norm is 'forward'")
def mean_scaled_pattern(pattern: Matrix(Int(-9, 9), (3, 6), (3, 7))):
    """A woven `pattern` of R rows and C columns is split into its waves: number (j, k) is the total over the cells (r,
    c) of the cell's value times e^(-2πi (r j / R + c k / C)), divided by the number of cells, so that number (0, 0) is
    the mean of the pattern. Return the waves as a list of R rows with C complex numbers."""
    return np.fft.fft2(pattern, norm="forward")


@task(usage="norm is 'ortho'")
def hologram_to_picture(hologram: Matrix(Complex(), (3, 6), (3, 7))):
    """A `hologram` of R rows and C columns of complex numbers is developed: cell (r, c) of the picture is the total
    over the entries (j, k) of the entry times e^(2πi (r j / R + c k / C)), divided by the square root of the number of
    cells. Return the picture as a list of rows of complex numbers."""
    return np.fft.ifft2(hologram, norm="ortho")
