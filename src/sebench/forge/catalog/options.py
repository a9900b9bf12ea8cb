"""Option words: the strings that select one of a few choices for a parameter, such as 'left' and 'right' for `side`.

This module lists NumPy's option words, and says which of them each function takes. At the level `names+parameters`,
every word here is forged.

Not here, because they are not option words:

- element kinds (`"float"`, `"float_32"`): the world has its own words for them at every level (`runtime/kinds.py`);
- small languages: the subscripts of `einsum`, the core dimensions of `vectorize`;
- variants that NumPy also accepts: abbreviations ('v' for 'valid'), other cases ('c' for 'C'), another order ('bf').
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from types import MappingProxyType

from sebench.forge.catalog import catalog, signature
from sebench.forge.catalog.catalog import CatalogEntry

_OUTSIDE = "raise wrap clip"
_OVERLAP = "full same valid"
_RULES = "auto fd doane scott stone rice sturges sqrt"
_NORMS = "fro nuc"
_ESTIMATES = (
    "linear lower higher midpoint nearest inverted_cdf averaged_inverted_cdf closest_observation "
    "interpolated_inverted_cdf hazen weibull median_unbiased normal_unbiased"
)

# Parameters that take the same words in every function.
_EVERYWHERE = {
    "UPLO": "L U",
    "bitorder": "big little",
    "cov": "unscaled",
    "indexing": "xy ij",
    "method": _ESTIMATES,
    "norm": "backward ortho forward",
    "optimize": "greedy optimal",
    "ord": _NORMS,
    "order": "C F A K",
    "reflect_type": "even odd",
    "side": "left right",
    "trim": "f b fb",
}
# Parameters whose words depend on the function.
_OF_FUNCTION = {
    ("choose", "mode"): _OUTSIDE,
    ("convolve", "mode"): _OVERLAP,
    ("correlate", "mode"): _OVERLAP,
    ("histogram", "bins"): _RULES,
    ("histogram_bin_edges", "bins"): _RULES,
    ("linalg.cond", "p"): _NORMS,
    ("linalg.qr", "mode"): "reduced complete r raw",
    (
        "pad",
        "mode",
    ): "constant edge linear_ramp maximum mean median minimum reflect symmetric wrap empty",
    ("put", "mode"): _OUTSIDE,
    ("ravel_multi_index", "mode"): _OUTSIDE,
    ("take", "mode"): _OUTSIDE,
}


@cache
def words(path: str) -> Mapping[str, tuple[str, ...]]:
    """Return the option words for each parameter of a function that takes any; `path` is a catalog path or an alias."""
    entry = catalog.by_any_name()[path]
    words_of = {
        name: _OF_FUNCTION.get((entry.path, name)) or _EVERYWHERE.get(name, "")
        for name in signature.read(entry.signature).all
    }
    return MappingProxyType({name: tuple(listed.split()) for name, listed in words_of.items() if listed})


def all_words(entries: Mapping[str, CatalogEntry]) -> Iterator[str]:
    """Yield every option word that these functions take once, in catalog order."""
    yield from dict.fromkeys(word for path in entries for listed in words(path).values() for word in listed)
