"""Explains how to install the optional packages, and warns if another package has our import name.

The distribution is called `se-bench-forge`: on PyPI, `sebench` is an unrelated project with the same import name.
"""

from __future__ import annotations

from pathlib import Path

FOREIGN = "sebench"  # a distribution on PyPI that is not ours


def install(extra: str) -> str:
    """Return how to install one of our extras."""
    editable = "" if extra == "inspect" else "-e "  # Inspect finds no tasks in an editable package of another name
    return f"pip install {editable}'.[{extra}]' in a clone of the repository"


def conflict(installed: Path = Path(__file__).parents[2]) -> str:
    """Return a warning if the unrelated distribution is installed in the same folder; "" otherwise."""
    foreign = next(installed.glob(f"{FOREIGN}-*.dist-info"), None)
    if foreign is None:
        return ""
    return (
        f"another distribution named '{FOREIGN}' ({foreign.name.removesuffix('.dist-info')}), from PyPI or an earlier "
        f"version of this project, is in the same environment: pip uninstall {FOREIGN}, then install SE-Bench again"
    )
