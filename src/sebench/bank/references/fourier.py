"""Fourier transforms, windows, filters and straight lines between points, done with others."""

import numpy as np

from sebench.bank.references import instead_of


@instead_of("fft.fft", by=("fft.rfft",))
def fft_by_rfft(a, n=None, axis=-1, norm=None):
    half = np.fft.rfft(a, n=n, axis=axis, norm=norm)
    size = n or np.shape(a)[axis]
    return np.concatenate([half, np.conjugate(half[1 : (size + 1) // 2][::-1])])


@instead_of("fft.fft", by=("fft.rfft",))
def fft_by_rfft_of_parts(a, norm=None):
    parts = [np.fft.rfft(part, norm=norm) for part in (np.real(a), np.imag(a))]
    one, other = [np.concatenate([half, np.conjugate(half[1 : (len(a) + 1) // 2][::-1])]) for half in parts]
    return one + 1j * other


@instead_of("fft.rfft", by=("fft.fft",))
def rfft_by_fft(a, n=None, axis=-1, norm=None):
    terms = np.fft.fft(a, n=n, axis=axis, norm=norm)
    return terms[: (n or len(a)) // 2 + 1] if axis == 0 else terms[..., : (n or np.shape(a)[-1]) // 2 + 1]


@instead_of("fft.irfft", by=("fft.ifft",))
def irfft_by_ifft(a, n=None, norm=None):
    size = n or 2 * (np.shape(a)[-1] - 1)
    half = np.array(a)[..., : size // 2 + 1]
    rest = np.conjugate(half[..., 1 : (size + 1) // 2][..., ::-1])
    return np.real(np.fft.ifft(np.concatenate([half, rest], axis=-1), norm=norm))


@instead_of("fft.irfft", by=("fft.ifft",))
def irfft_by_ifft_without_first(a, n=None, norm=None):
    size = n or 2 * (np.shape(a)[-1] - 1)
    half = np.array(a, dtype=complex)[..., : size // 2 + 1]
    half[..., 0] = np.real(half[..., 0])
    half[..., -1] = np.real(half[..., -1]) if size % 2 == 0 else half[..., -1]
    rest = np.conjugate(half[..., 1 : (size + 1) // 2][..., ::-1])
    return np.real(np.fft.ifft(np.concatenate([half, rest], axis=-1), norm=norm))


@instead_of("fft.fft2", by=("fft.fft",))
def fft2_by_fft(a, s=(None, None), axes=(-2, -1), norm=None):
    rows = np.fft.fft(a, n=s[1], axis=axes[1], norm=norm)
    return np.fft.fft(rows, n=s[0], axis=axes[0], norm=norm)


@instead_of("fft.fft2", by=("fft.fft",))
def fft2_by_fft_down_first(a, s=(None, None), axes=(-2, -1), norm=None):
    columns = np.fft.fft(a, n=s[0], axis=axes[0], norm=norm)
    return np.fft.fft(columns, n=s[1], axis=axes[1], norm=norm)


@instead_of("fft.ifft2", by=("fft.ifft",))
def ifft2_by_ifft(a, s=(None, None), axes=(-2, -1), norm=None):
    rows = np.fft.ifft(a, n=s[1], axis=axes[1], norm=norm)
    return np.fft.ifft(rows, n=s[0], axis=axes[0], norm=norm)


@instead_of("fft.ifft2", by=("fft.ifft",))
def ifft2_by_ifft_down_first(a, s=(None, None), axes=(-2, -1), norm=None):
    columns = np.fft.ifft(a, n=s[0], axis=axes[0], norm=norm)
    return np.fft.ifft(columns, n=s[1], axis=axes[1], norm=norm)


@instead_of("fft.fftfreq", by=("fft.rfftfreq",))
def fftfreq_by_rfftfreq(n, d=1.0):
    half = np.fft.rfftfreq(n, d)
    return np.concatenate([half[: (n + 1) // 2], -half[1 : n // 2 + 1][::-1]])


@instead_of("fft.rfftfreq", by=("fft.fftfreq",))
def rfftfreq_by_fftfreq(n, d=1.0):
    return np.absolute(np.fft.fftfreq(n, d)[: n // 2 + 1])


@instead_of("fft.fftshift", by=("roll",))
def fftshift_by_roll(x, axes=None):
    ways = range(np.ndim(x)) if axes is None else [axes] if isinstance(axes, int) else axes
    return np.roll(x, tuple(np.shape(x)[way] // 2 for way in ways), axis=tuple(ways))


@instead_of("fft.fftshift", by=("fft.ifftshift",))
def fftshift_by_ifftshift_and_step(x, axes=None):
    ways = range(np.ndim(x)) if axes is None else [axes] if isinstance(axes, int) else axes
    found = np.fft.ifftshift(x, axes=axes)
    return np.roll(found, tuple(-(np.shape(x)[way] % 2) for way in ways), axis=tuple(ways))


@instead_of("fft.ifftshift", by=("roll",))
def ifftshift_by_roll(x, axes=None):
    ways = range(np.ndim(x)) if axes is None else [axes] if isinstance(axes, int) else axes
    return np.roll(x, tuple(-(np.shape(x)[way] // 2) for way in ways), axis=tuple(ways))


@instead_of("fft.ifftshift", by=("fft.fftshift",))
def ifftshift_by_fftshift_and_step(x, axes=None):
    ways = range(np.ndim(x)) if axes is None else [axes] if isinstance(axes, int) else axes
    found = np.fft.fftshift(x, axes=axes)
    return np.roll(found, tuple(np.shape(x)[way] % 2 for way in ways), axis=tuple(ways))


@instead_of("convolve", by=("correlate",))
def convolve_by_correlate(a, v, mode="full"):
    return np.correlate(a, np.array(v)[::-1], mode=mode)


@instead_of("convolve", by=("polymul",))
def convolve_by_polymul(a, v):
    found = np.polymul(a, v)
    return np.concatenate([np.zeros(len(a) + len(v) - 1 - len(found)), found])


@instead_of("convolve", by=("polymul",))
def convolve_by_middle_of_polymul(a, v, mode):
    found = np.polymul(a, v)
    return np.concatenate([np.zeros(len(a) + len(v) - 1 - len(found)), found])[len(v) - 1 : len(a)]


@instead_of("correlate", by=("convolve",))
def correlate_by_convolve(a, v, mode="valid"):
    return np.convolve(a, np.conjugate(v)[::-1], mode=mode)


@instead_of("interp", by=("searchsorted",))
def interp_by_searchsorted(x, xp, fp, left=None, right=None):
    at, places, values = np.array(x), np.array(xp), np.array(fp)
    after = np.clip(np.searchsorted(places, at), 1, len(places) - 1)
    slope = (values[after] - values[after - 1]) / (places[after] - places[after - 1])
    found = values[after - 1] + slope * (at - places[after - 1])
    found = np.where(at < places[0], values[0] if left is None else left, found)
    return np.where(at > places[-1], values[-1] if right is None else right, found)


@instead_of("interp", by=("searchsorted",))
def interp_by_searchsorted_before(x, xp, fp, left=None, right=None):
    at, places, values = np.array(x), np.array(xp), np.array(fp)
    before = np.clip(np.searchsorted(places, at, side="right") - 1, 0, len(places) - 2)
    slope = (values[before + 1] - values[before]) / (places[before + 1] - places[before])
    found = values[before] + slope * (at - places[before])
    found = np.where(at < places[0], values[0] if left is None else left, found)
    return np.where(at > places[-1], values[-1] if right is None else right, found)
