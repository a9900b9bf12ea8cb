"""Measures how much address space this process has mapped; memory limits are set on top of that."""

from __future__ import annotations

import os
from pathlib import Path


def address_space_in_use() -> int:
    """Return the bytes of address space that this process has mapped (NumPy maps a few hundred MB), or 0 if that cannot
    be read.

    Call this before a process isolates itself (`namespaces.enter`), because /proc may be out of reach afterwards.
    """
    try:
        return int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError):
        return 0
