"""How much memory this process has mapped, on top of which limits are set."""

from __future__ import annotations

import os
from pathlib import Path


def address_space_in_use() -> int:
    """Bytes of address space that this process has mapped (NumPy maps some hundred MB), 0 where that cannot be read.

    The zygote asks after its imports and before `namespaces.enter`: afterwards /proc may be out of reach.
    """
    try:
        return int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError):
        return 0
