"""One shared judge per process and world, created on first use and closed at exit.

For reward functions, data loaders and remote workers. After a fork the child's judge starts processes of its own.
"""

from __future__ import annotations

import atexit
import threading
from pathlib import Path
from typing import Any

from sebench.judge.judge import Judge
from sebench.world.world import World

_judges: dict[tuple[Any, ...], Judge] = {}
_lock = threading.Lock()


def judge_for(world: World | str | int | Path, **settings: Any) -> Judge:
    """The judge that this process shares for a world, given by folder or seed (`World.open`), with these settings of
    `Judge`."""
    opened = World.open(world)
    key = (opened.path.resolve(), opened.manifest.fingerprint, *sorted(settings.items()))
    with _lock:
        if key not in _judges:
            judge = _judges[key] = Judge(opened, **settings)
            atexit.register(judge.close)
        return _judges[key]
