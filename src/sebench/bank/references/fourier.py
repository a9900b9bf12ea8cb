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


@instead_of("fft.rfft", by=("cos", "sin"))
def rfft_by_cos_and_sin(a):
    turns = 2 * np.pi * np.arange(len(a) // 2 + 1)[:, None] * np.arange(len(a)) / len(a)
    return np.sum(a * np.cos(turns), axis=1) - 1j * np.sum(a * np.sin(turns), axis=1)


@instead_of("fft.ifft", by=("fft.fft",))
def ifft_by_fft(a, n=None, axis=-1, norm=None):
    turned = np.conjugate(np.fft.fft(np.conjugate(a), n=n, axis=axis, norm=norm))
    return turned if norm else turned / (n or np.shape(a)[axis])


@instead_of("fft.ifft", by=("fft.fft",))
def ifft_by_fft_backwards(a, norm=None):
    terms = np.fft.fft(a, norm=norm)
    return np.concatenate([terms[:1], terms[1:][::-1]])


@instead_of("fft.ifft", by=("fft.irfft",))
def ifft_by_irfft(a):
    return np.fft.irfft(a[: len(a) // 2 + 1], n=len(a)) + 0j


@instead_of("fft.ifft", by=("fft.irfft",))
def ifft_by_irfft_of_mean(a):
    mirrored = np.array([a[-number] for number in range(len(a))])
    return np.fft.irfft(((np.array(a) + np.conjugate(mirrored)) / 2)[: len(a) // 2 + 1], n=len(a)) + 0j


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


@instead_of("fft.irfft", by=("fft.ifft",))
def irfft_by_ifft_down(a, axis):
    half = np.array(a)
    return np.real(np.fft.ifft(np.concatenate([half, np.conjugate(half[1:-1][::-1])]), axis=0))


@instead_of("fft.irfft", by=("fft.fft",))
def irfft_by_fft(a, n=None):
    size = n or 2 * (len(a) - 1)
    half = np.array(a)[: size // 2 + 1]
    whole = np.concatenate([half, np.conjugate(half[1 : (size + 1) // 2][::-1])])
    return np.real(np.conjugate(np.fft.fft(np.conjugate(whole)))) / size


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


@instead_of("fft.fftshift", by=("fft.ifftshift",))
def fftshift_by_ifftshift(x, axes=None):
    return np.fft.ifftshift(x, axes=axes)


@instead_of("fft.fftshift", by=("roll",))
def fftshift_by_roll(x, axes=None):
    ways = range(np.ndim(x)) if axes is None else [axes] if isinstance(axes, int) else axes
    return np.roll(x, tuple(np.shape(x)[way] // 2 for way in ways), axis=tuple(ways))


@instead_of("fft.fftshift", by=("fft.ifftshift",))
def fftshift_by_ifftshift_and_step(x, axes=None):
    ways = range(np.ndim(x)) if axes is None else [axes] if isinstance(axes, int) else axes
    found = np.fft.ifftshift(x, axes=axes)
    return np.roll(found, tuple(-(np.shape(x)[way] % 2) for way in ways), axis=tuple(ways))


@instead_of("fft.ifftshift", by=("fft.fftshift",))
def ifftshift_by_fftshift(x, axes=None):
    return np.fft.fftshift(x, axes=axes)


@instead_of("fft.ifftshift", by=("roll",))
def ifftshift_by_roll(x, axes=None):
    ways = range(np.ndim(x)) if axes is None else [axes] if isinstance(axes, int) else axes
    return np.roll(x, tuple(-(np.shape(x)[way] // 2) for way in ways), axis=tuple(ways))


@instead_of("fft.ifftshift", by=("fft.fftshift",))
def ifftshift_by_fftshift_and_step(x, axes=None):
    ways = range(np.ndim(x)) if axes is None else [axes] if isinstance(axes, int) else axes
    found = np.fft.fftshift(x, axes=axes)
    return np.roll(found, tuple(np.shape(x)[way] % 2 for way in ways), axis=tuple(ways))


@instead_of("bartlett", by=("absolute",))
def bartlett_by_absolute(M):
    return 1 - np.absolute(2 * np.arange(M) / (M - 1) - 1)


@instead_of("bartlett", by=("absolute",))
def bartlett_by_distance(M):
    middle = (M - 1) / 2
    return 1 - np.absolute(np.arange(M) - middle) / middle


@instead_of("bartlett", by=("linspace", "absolute"))
def bartlett_by_linspace(M):
    return 1 - np.absolute(np.linspace(-1, 1, M))


@instead_of("bartlett", by=("minimum",))
def bartlett_by_minimum(M):
    places = np.arange(M)
    return np.minimum(places, M - 1 - places) * 2 / (M - 1)


@instead_of("bartlett", by=("interp",))
def bartlett_by_interp(M):
    return np.interp(np.arange(M), [0, (M - 1) / 2, M - 1], [0, 1, 0])


@instead_of("blackman", by=("cos",))
def blackman_by_cos(M):
    turn = 2 * np.pi * np.arange(M) / (M - 1)
    return 0.42 - 0.5 * np.cos(turn) + 0.08 * np.cos(2 * turn)


@instead_of("hamming", by=("cos",))
def hamming_by_cos(M):
    return 0.54 - 0.46 * np.cos(2 * np.pi * np.arange(M) / (M - 1))


@instead_of("hanning", by=("cos",))
def hanning_by_cos(M):
    return 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(M) / (M - 1))


@instead_of("hanning", by=("sin",))
def hanning_by_sin(M):
    return np.sin(np.pi * np.arange(M) / (M - 1)) ** 2


@instead_of("kaiser", by=("i0",))
def kaiser_by_i0(M, beta):
    return np.i0(beta * np.sqrt(1 - (2 * np.arange(M) / (M - 1) - 1) ** 2)) / np.i0(beta)


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


@instead_of("convolve", by=("polymul",))
def convolve_by_polymul_of_one_size(a, v, mode):
    found = np.polymul(a, v)
    whole = np.concatenate([np.zeros(len(a) + len(v) - 1 - len(found)), found])
    return whole[(len(v) - 1) // 2 :][: len(a)]


@instead_of("convolve", by=("dot",))
def convolve_by_dot(a, v, mode):
    weights = np.array(v)[::-1]
    return np.array([np.dot(a[start : start + len(v)], weights) for start in range(len(a) - len(v) + 1)])


@instead_of("convolve", by=("dot",))
def convolve_by_dot_of_all(a, v):
    longer = np.concatenate([np.zeros(len(v) - 1), a, np.zeros(len(v) - 1)])
    weights = np.array(v)[::-1]
    return np.array([np.dot(longer[start : start + len(v)], weights) for start in range(len(a) + len(v) - 1)])


@instead_of("convolve", by=("matmul",))
def convolve_by_matmul(a, v, mode):
    parts = np.array([a[start : start + len(v)] for start in range(len(a) - len(v) + 1)])
    return np.matmul(parts, np.array(v)[::-1])


@instead_of("convolve", by=("matmul",))
def convolve_by_matmul_of_all(a, v):
    longer = np.concatenate([np.zeros(len(v) - 1), a, np.zeros(len(v) - 1)])
    parts = np.array([longer[start : start + len(v)] for start in range(len(a) + len(v) - 1)])
    return np.matmul(parts, np.array(v)[::-1])


@instead_of("convolve", by=("sum",))
def convolve_by_sum(a, v, mode):
    weights = np.array(v)[::-1]
    return np.array([np.sum(weights * a[start : start + len(v)]) for start in range(len(a) - len(v) + 1)])


@instead_of("convolve", by=("sum",))
def convolve_by_sum_of_all(a, v):
    longer = np.concatenate([np.zeros(len(v) - 1), a, np.zeros(len(v) - 1)])
    weights = np.array(v)[::-1]
    return np.array([np.sum(weights * longer[start : start + len(v)]) for start in range(len(a) + len(v) - 1)])


@instead_of("convolve", by=("sum",))
def convolve_by_sum_so_far(a, v):
    ends = range(1, len(a) + 1)
    return np.array([np.sum(np.array(a)[:end] * np.array(v)[:end][::-1]) for end in ends])


@instead_of("convolve", by=("mean",))
def convolve_by_mean(a, v, mode):
    weights = np.array(v)[::-1]
    return np.array([np.mean(weights * a[start : start + len(v)]) * len(v) for start in range(len(a) - len(v) + 1)])


@instead_of("convolve", by=("cumsum",))
def convolve_by_cumsum(a, v, mode):
    totals = np.concatenate([[0], np.cumsum(a)])
    return (totals[len(v) :] - totals[: -len(v)]) * v[0]


@instead_of("convolve", by=("cumsum",))
def convolve_by_cumsum_with_zero(a, v, mode):
    totals = np.cumsum(np.concatenate([[0], a]))
    return (totals[len(v) :] - totals[: -len(v)]) * v[0]


@instead_of("convolve", by=("cumsum",))
def convolve_by_cumsum_of_all(a, v):
    totals = np.cumsum(np.concatenate([a, np.zeros(len(v) - 1)]))
    return (totals - np.concatenate([np.zeros(len(v)), totals[: -len(v)]])) * v[0]


@instead_of("convolve", by=("cumulative_sum",))
def convolve_by_cumulative_sum(a, v, mode):
    totals = np.cumulative_sum(a, include_initial=True)
    return (totals[len(v) :] - totals[: -len(v)]) * v[0]


@instead_of("convolve", by=("cumulative_sum",))
def convolve_by_cumulative_sum_of_all(a, v):
    totals = np.cumulative_sum(np.concatenate([a, np.zeros(len(v) - 1)]))
    return (totals - np.concatenate([np.zeros(len(v)), totals[: -len(v)]])) * v[0]


@instead_of("convolve", by=("cumsum",))
def convolve_by_cumsum_of_quotients(a, v):
    return np.cumsum(np.array(a) / v) * v


@instead_of("convolve", by=("cumulative_sum",))
def convolve_by_cumulative_sum_of_quotients(a, v):
    return np.cumulative_sum(np.array(a) / v) * v


@instead_of("convolve", by=("outer", "bincount"))
def convolve_by_outer(a, v):
    totals = np.arange(len(a))[:, None] + np.arange(len(v))
    return np.bincount(np.ravel(totals), weights=np.ravel(np.outer(a, v)))


@instead_of("correlate", by=("convolve",))
def correlate_by_convolve(a, v, mode="valid"):
    return np.convolve(a, np.conjugate(v)[::-1], mode=mode)


@instead_of("correlate", by=("dot",))
def correlate_by_dot(a, v, mode):
    shifts = [(max(k, 0), max(-k, 0)) for k in range(1 - len(a), len(a))]
    return np.array([np.dot(a[one : len(a) - other], v[other : len(a) - one]) for one, other in shifts])


@instead_of("correlate", by=("inner",))
def correlate_by_inner(a, v, mode):
    shifts = [(max(k, 0), max(-k, 0)) for k in range(1 - len(a), len(a))]
    return np.array([np.inner(a[one : len(a) - other], v[other : len(a) - one]) for one, other in shifts])


@instead_of("correlate", by=("vdot",))
def correlate_by_vdot(a, v, mode):
    shifts = [(max(k, 0), max(-k, 0)) for k in range(1 - len(a), len(a))]
    return np.array([np.vdot(a[one : len(a) - other], v[other : len(a) - one]) for one, other in shifts])


@instead_of("correlate", by=("matmul",))
def correlate_by_matmul(a, v, mode):
    shifts = [(max(k, 0), max(-k, 0)) for k in range(1 - len(a), len(a))]
    return np.array([np.matmul(a[one : len(a) - other], v[other : len(a) - one]) for one, other in shifts])


@instead_of("correlate", by=("linalg.vecdot",))
def correlate_by_vecdot(a, v, mode):
    shifts = [(max(k, 0), max(-k, 0)) for k in range(1 - len(a), len(a))]
    return np.array([np.linalg.vecdot(a[one : len(a) - other], v[other : len(a) - one]) for one, other in shifts])


@instead_of("correlate", by=("einsum",))
def correlate_by_einsum(a, v, mode):
    shifts = [(max(k, 0), max(-k, 0)) for k in range(1 - len(a), len(a))]
    return np.array([np.einsum("i,i->", a[one : len(a) - other], v[other : len(a) - one]) for one, other in shifts])


@instead_of("correlate", by=("sum",))
def correlate_by_sum(a, v, mode):
    shifts = [(max(k, 0), max(-k, 0)) for k in range(1 - len(a), len(a))]
    one, other = np.array(a), np.array(v)
    return np.array([np.sum(one[i : len(a) - j] * other[j : len(a) - i]) for i, j in shifts])


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


@instead_of("interp", by=("searchsorted",))
def interp_by_searchsorted_in_a_circle(x, xp, fp, period):
    order = np.argsort(np.array(xp) % period)
    places, values = (np.array(xp) % period)[order], np.array(fp)[order]
    places = np.concatenate([places[-1:] - period, places, places[:1] + period])
    values, at = np.concatenate([values[-1:], values, values[:1]]), np.array(x) % period
    after = np.clip(np.searchsorted(places, at), 1, len(places) - 1)
    slope = (values[after] - values[after - 1]) / (places[after] - places[after - 1])
    return values[after - 1] + slope * (at - places[after - 1])


@instead_of("interp", by=("digitize", "clip"))
def interp_by_digitize(x, xp, fp):
    places, values = np.array(xp), np.array(fp)
    at = np.clip(x, places[0], places[-1])
    before = np.clip(np.digitize(at, places) - 1, 0, len(places) - 2)
    slope = (values[before + 1] - values[before]) / (places[before + 1] - places[before])
    return values[before] + slope * (at - places[before])


@instead_of("interp", by=("minimum", "maximum"))
def interp_by_minimum(x, xp, fp):
    total = np.zeros(len(x)) + fp[0]
    for part in range(len(xp) - 1):
        inside = np.minimum(np.maximum(np.array(x) - xp[part], 0), xp[part + 1] - xp[part])
        total = total + inside * (fp[part + 1] - fp[part]) / (xp[part + 1] - xp[part])
    return total


@instead_of("interp", by=("clip",))
def interp_by_clip(x, xp, fp):
    total = np.zeros(len(x)) + fp[0]
    for part in range(len(xp) - 1):
        inside = np.clip(np.array(x) - xp[part], 0, xp[part + 1] - xp[part])
        total = total + inside * (fp[part + 1] - fp[part]) / (xp[part + 1] - xp[part])
    return total
