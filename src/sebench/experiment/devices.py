"""The GPUs of this machine, and which row (one method in one world) uses which.

A row with `gpus` of its own gets that many, and no other row uses them until it ends; rows for which too few are free
wait. Its processes see only these (`CUDA_VISIBLE_DEVICES`).

Not covered: GPUs that other programs use, and rows that share a GPU (`row_memory.py`).
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from sebench.models.vllm import DEVICES
from sebench.train.loop import free_memory

_COUNT = "import torch; print(torch.cuda.device_count())"


def visible() -> list[str]:
    """The names of the GPUs that this process may use."""
    named = os.environ.get(DEVICES)
    if named is not None:
        return [name.strip() for name in named.split(",") if name.strip()]
    return [str(number) for number in range(int(free_memory.ask_gpu(_COUNT) or 0))]


class DevicePool:
    """GPUs that rows reserve and release."""

    def __init__(self, devices: Sequence[str]) -> None:
        self.devices = tuple(devices)
        self._by_row: dict[str, tuple[str, ...]] = {}

    @property
    def free(self) -> list[str]:
        in_use = {device for devices in self._by_row.values() for device in devices}
        return [device for device in self.devices if device not in in_use]

    def take(self, name: str, count: int) -> bool:
        """Reserve GPUs for a row; False if too few are free."""
        free = self.free
        if len(free) < count:
            return False
        self._by_row[name] = tuple(free[:count])
        return True

    def of(self, name: str) -> tuple[str, ...]:
        """The GPUs reserved for a row."""
        return self._by_row.get(name, ())

    def release(self, name: str) -> None:
        self._by_row.pop(name, None)
