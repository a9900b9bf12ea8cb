"""The judge of a process: one for each world, made when it is first asked for, closed at exit.

Reward functions, data loaders and remote workers all want the same three lines. After a fork the child's judge has processes of its own.
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
    """The judge that this process shares for a world, given by folder or seed (`World.open`), with these settings of `Judge`."""
    opened = World.open(world)
    key = (opened.path.resolve(), opened.manifest.fingerprint, *sorted(settings.items()))
    with _lock:
        if key not in _judges:
            judge = _judges[key] = Judge(opened, **settings)
            atexit.register(judge.close)
        return _judges[key]
