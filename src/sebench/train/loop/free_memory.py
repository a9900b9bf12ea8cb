"""Finds out how much memory is free on this machine, and whether an error means that memory ran out.

    on_cpu()               free memory according to the kernel (`base/kernel_memory.py`)
    on_gpu()               free memory of the GPU that torch uses; a child process asks, so that we need no CUDA context
    held_by_others(...)    memory of the GPU that other programs hold
    is_out_of_memory(e)    whether an error means out of memory, on a GPU or on a CPU with a limited address space

Not covered: memory that other processes allocate later.
"""

from __future__ import annotations

import subprocess
import sys
from importlib import metadata
from typing import Any

from sebench.base.kernel_memory import memory_left as on_cpu

__all__ = ["CPU", "GPU", "held_by_others", "is_out_of_memory", "on_cpu", "on_gpu"]
CPU, GPU = "cpu", "cuda"
_FREE = "import torch; print(torch.cuda.mem_get_info()[0])"
_TIMEOUT_S = 120.0  # importing torch from a network drive may take a minute


def on_gpu() -> int | None:
    """Return the free bytes on the GPU that torch uses, or None without a GPU."""
    free = ask_gpu(_FREE)
    return None if free is None else int(free)


def ask_gpu(program: str) -> str | None:
    """Run a Python program that needs torch and a GPU. Return its output, or None if it fails (for example, for lack
    of a GPU)."""
    try:
        if metadata.version("torch").endswith("+cpu"):
            return None
        process = subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, timeout=_TIMEOUT_S, check=True
        )
        return process.stdout.strip()
    except (metadata.PackageNotFoundError, OSError, subprocess.SubprocessError):
        return None


def held_by_others(torch: Any, device: Any) -> int:
    """Return the memory of the GPU that other programs hold, in whole GiB; 0 on a CPU."""
    if device.type != GPU:
        return 0
    free, total = torch.cuda.mem_get_info(device)
    return max(0, int(total - free - torch.cuda.memory_reserved(device))) >> 30


def is_out_of_memory(error: BaseException) -> bool:
    torch = sys.modules.get("torch")
    if isinstance(error, MemoryError) or (torch is not None and isinstance(error, torch.OutOfMemoryError)):
        return True
    return isinstance(error, RuntimeError) and "DefaultCPUAllocator: not enough memory" in str(error)
