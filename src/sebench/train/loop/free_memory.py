"""How much memory is free here, and whether an error says that it ended.

    on_cpu()               what the kernel leaves (`base/kernel_memory.py`)
    on_gpu()               of the GPU that torch takes, asked in a process of its own: the caller imports no torch and keeps no CUDA context
    is_out_of_memory(e)    of a GPU, and of a CPU whose address space is limited

Not covered: who else takes memory a moment later.
"""

from __future__ import annotations

import subprocess
import sys
from importlib import metadata

from sebench.base.kernel_memory import memory_left as on_cpu

__all__ = ["CPU", "GPU", "is_out_of_memory", "on_cpu", "on_gpu"]
CPU, GPU = "cpu", "cuda"
_FREE = "import torch; print(torch.cuda.mem_get_info()[0])"
_ASK_S = 120.0  # importing torch from a network drive may take a minute


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
