"""Reads from the kernel how much memory this process may still use, and how many processes were killed for lack of
memory.

The sources are /proc and the control groups (v1 and v2) that this process is in. Not covered: memory that
other processes allocate a moment later.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

ROOT = Path("/")  # contains /proc and /sys


def memory_left(root: Path = ROOT) -> int | None:
    """Return the number of bytes that this process may still use; None if the kernel does not report it."""
    available = _table(root / "proc/meminfo").get("MemAvailable:")
    if available is None:
        return None
    left = [available * 1024]
    for group, version in _groups(root):
        limit, used, prefix = (
            ("memory.max", "memory.current", "")
            if version == 2
            else ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_")
        )
        most, in_use = _text(group / limit).strip(), _text(group / used).strip()
        if most.isdigit() and in_use.isdigit():
            stat = _table(group / "memory.stat")
            # Cached files count as used, but are freed when memory is short.
            cached = sum(stat.get(f"{prefix}{kind}_file", 0) for kind in ("active", "inactive"))
            left.append(int(most) - int(in_use) + cached)
    return max(0, min(left))


def kernel_kills(root: Path = ROOT) -> int:
    """Return how many processes the kernel has killed for lack of memory in this process's control group, or else on
    the whole machine; 0 if that cannot be read."""
    files = [group / ("memory.events" if version == 2 else "memory.oom_control") for group, version in _groups(root)]
    counts = (_table(file).get("oom_kill") for file in (*files, root / "proc/vmstat"))
    return next((count for count in counts if count is not None), 0)


def _groups(root: Path) -> Iterator[tuple[Path, int]]:
    """Yield the folder and version (1 or 2) of each control group that limits this process's memory, innermost
    first."""
    top = root / "sys/fs/cgroup"
    for line in _text(root / "proc/self/cgroup").splitlines():
        _, controllers, path = (*line.split(":", 2), "", "")[:3]
        if not controllers:
            mounts, version = [top, top / "unified"], 2
        elif "memory" in controllers.split(","):
            mounts, version = [top / "memory"], 1
        else:
            continue
        parts = [part for part in path.split("/") if part]
        # Inside a container the path may be the host's; it then does not exist, and the mount itself is the container's
        # group.
        yield from ((mount.joinpath(*parts[:n]), version) for mount in mounts for n in range(len(parts), -1, -1))


def _table(file: Path) -> dict[str, int]:
    """Read a file of "name number" lines as a dict."""
    rows = (line.split() for line in _text(file).splitlines())
    return {row[0]: int(row[1]) for row in rows if len(row) > 1 and row[1].isdigit()}


def _text(file: Path) -> str:
    try:
        return file.read_text("utf-8")
    except (OSError, UnicodeError):
        return ""
