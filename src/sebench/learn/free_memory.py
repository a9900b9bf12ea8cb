"""How much memory is free here, and whether an error says that it ended.

    on_cpu()               what the kernel calls available, bounded by the limits of the control groups (v1 and v2) that this process is in
    on_gpu()               of the GPU that torch takes, asked in a process of its own: the caller imports no torch and keeps no CUDA context
    is_out_of_memory(e)    of a GPU, and of a CPU whose address space is limited

Not covered: limits that other systems than Linux have, and who else takes memory a moment later.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

CPU, GPU = "cpu", "cuda"
_FREE = "import torch; print(torch.cuda.mem_get_info()[0])"
_ASK_S = 120.0  # importing torch from a network drive may take a minute


def on_cpu(root: Path = Path("/")) -> int | None:
    """Bytes that a process may still take, or None where the kernel does not say. `root` is where /proc and /sys are."""
    available = _table(root / "proc" / "meminfo").get("MemAvailable:")
    if available is None:
        return None
    return max(0, min([available * 1024, *_groups(root)]))


def on_gpu() -> int | None:
    """Free bytes of the GPU that torch takes, or None where it has none."""
    free = ask_gpu(_FREE)
    return None if free is None else int(free)


def ask_gpu(program: str) -> str | None:
    """What a program prints that uses torch on a GPU; None where it fails, as it does without one."""
    try:
        if metadata.version("torch").endswith("+cpu"):
            return None
        asked = subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, timeout=_ASK_S, check=True
        )
        return asked.stdout.strip()
    except (metadata.PackageNotFoundError, OSError, subprocess.SubprocessError):
        return None


def is_out_of_memory(error: BaseException) -> bool:
    torch = sys.modules.get("torch")
    if isinstance(error, MemoryError) or (torch is not None and isinstance(error, torch.OutOfMemoryError)):
        return True
    return isinstance(error, RuntimeError) and "DefaultCPUAllocator: not enough memory" in str(error)


def _groups(root: Path) -> Iterator[int]:
    """What the control groups of this process, and those above them, leave."""
    top = root / "sys" / "fs" / "cgroup"
    for line in _text(root / "proc" / "self" / "cgroup").splitlines():
        _, controllers, path = line.split(":", 2)
        if not controllers:
            mounts, limit, used, prefix = [top, top / "unified"], "memory.max", "memory.current", ""
        elif "memory" in controllers.split(","):
            mounts, limit, used, prefix = [top / "memory"], "memory.limit_in_bytes", "memory.usage_in_bytes", "total_"
        else:
            continue
        parts = [part for part in path.split("/") if part]
        for mount in mounts:
            # Inside a container the path may be the host's: then it is not there, and the mount itself is the container's group.
            for group in (mount.joinpath(*parts[:depth]) for depth in range(len(parts) + 1)):
                most, taken = _text(group / limit).strip(), _text(group / used).strip()
                if most.isdigit() and taken.isdigit():
                    stat = _table(group / "memory.stat")
                    # Cached files are counted as used, and given back when memory is short.
                    cached = sum(stat.get(f"{prefix}{kind}_file", 0) for kind in ("active", "inactive"))
                    yield int(most) - int(taken) + cached


def _table(file: Path) -> dict[str, int]:
    """The first number of each line by its name."""
    rows = (line.split() for line in _text(file).splitlines())
    return {row[0]: int(row[1]) for row in rows if len(row) > 1 and row[1].isdigit()}


def _text(file: Path) -> str:
    try:
        return file.read_text("utf-8")
    except (OSError, UnicodeError):
        return ""
