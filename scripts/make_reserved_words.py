"""Write `src/sebench/forge/reserved_words.txt`: every token of our name grammar that means something already.

    python scripts/make_reserved_words.py /usr/share/dict/american-english-insane /usr/share/dict/british-english-insane

The word lists are SCOWL's (Debian: wamerican-insane, wbritish-insane; see NOTICE). Identifiers of Python, its
standard library and the installed NumPy are added. The result is committed, so that a seed gives the same names on
every machine; run this again only to widen it, which changes the names of every seed.
"""

from __future__ import annotations

import builtins
import importlib
import keyword
import pkgutil
import sys
import textwrap
import warnings
from pathlib import Path

import numpy

from sebench.forge.names.pseudowords import RESERVED_FILE, fits_grammar


def english(files: list[str]) -> set[str]:
    words = (w.strip().lower().removesuffix("'s") for f in files for w in Path(f).read_text("utf-8").splitlines())
    return {w for w in words if fits_grammar(w)}


def identifiers() -> set[str]:
    found = {*keyword.kwlist, *keyword.softkwlist, *dir(builtins), *sys.stdlib_module_names}
    loud = {"antigravity", "this", "idlelib"}  # importing these opens a browser, prints, needs Tk
    for module in sorted(m for m in sys.stdlib_module_names if not m.startswith("_") and m not in loud):
        try:
            found.update(dir(importlib.import_module(module)))
        except ImportError:
            continue
    for info in pkgutil.walk_packages(numpy.__path__, "numpy."):
        if ".tests" not in info.name and not info.name.startswith(("numpy.f2py", "numpy.distutils", "numpy.testing")):
            try:
                found.update(dir(importlib.import_module(info.name)))
            except Exception:
                continue
    return {name for name in (n.lower().strip("_") for n in found) if fits_grammar(name)}


def main() -> None:
    warnings.simplefilter("ignore")
    words = sorted(english(sys.argv[1:]) | identifiers())
    RESERVED_FILE.write_text("\n".join(textwrap.wrap(" ".join(words), 120)) + "\n", "utf-8")
    print(f"{len(words)} words in {RESERVED_FILE}")


if __name__ == "__main__":
    main()
