from __future__ import annotations

import warnings
from _thread import allocate_lock as Lock
from collections.abc import Callable
from typing import Any


class Silence(list[Any]):


    __slots__ = ("depth", "lock", "saved")

    def __init__(self) -> None:
        self.depth = 0
        self.lock = Lock()
        self.saved: Any = None


def hushing() -> tuple[Callable[[], Silence], Callable[[Silence], None]]:


    own = Silence()

    def hush() -> Silence:
        found: Any = warnings.filters
        if hasattr(found, "saved"):
            with found.lock:
                if found.depth:
                    found.depth += 1
                    return found
        with own.lock:
            if not own.depth:
                own[:] = [("ignore", None, Warning, None, 0)]
                own.saved = warnings.filters
                warnings.filters = own
            own.depth += 1
        return own

    def speak(silence: Silence) -> None:
        with silence.lock:
            silence.depth -= 1
            if not silence.depth and warnings.filters is silence:
                warnings.filters = silence.saved

    return hush, speak
