"""How to install the optional packages, and a warning if another package has our import name.

The distribution is called `se-bench-forge`: on PyPI, `sebench` is an unrelated project with the same import name.
"""

from __future__ import annotations

from pathlib import Path

FOREIGN = "sebench"  # a distribution on PyPI that is not ours


def install(extra: str) -> str:
    """Return the command that installs one of our extras."""
    return f"pip install '.[{extra}]' in a clone of the repository"


def conflict(installed: Path = Path(__file__).parents[2]) -> str:
    """Return a warning if the foreign distribution is installed in the same folder; "" otherwise."""
    foreign = next(installed.glob(f"{FOREIGN}-*.dist-info"), None)
    if foreign is None:
        return ""
    return (
        f"the package '{FOREIGN}' from PyPI ({foreign.name.removesuffix('.dist-info')}) is installed in the same "
        f"environment and overwrites files of this one: pip uninstall {FOREIGN}, then install SE-Bench again"
    )
