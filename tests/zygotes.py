"""A cache of zygotes that outlive their judges: starting one takes half a second of CPU time, and hundreds of tests
open a judge.

A judge leaves its zygotes here as soon as they are idle, and the next judge in the same test process that needs one
with the same configuration takes it over. A program leaves nothing behind in its zygote, so no verdict depends on this
(test_sharing.py, test_isolation.py). Tests of how zygotes start and end use the fixture `own_zygotes`.
"""

from __future__ import annotations

import os
import select
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from sebench.judge.sandbox.pool import Pool, Sandbox, Zygote
from sebench.judge.sandbox.wire import ZygoteConfig

MOST_IDLE = 6  # each holds NumPy and a library in memory


class ZygoteCache:
    """The idle zygotes of this test process, the most recently used last."""

    def __init__(self) -> None:
        self.enabled = True
        self._idle: list[tuple[ZygoteConfig, Zygote]] = []
        self._lock = threading.Lock()
        os.register_at_fork(after_in_child=self._forget)

    def take(self, config: ZygoteConfig) -> Zygote | None:
        with self._lock:
            for place, (idle, zygote) in enumerate(self._idle):
                if idle == config:
                    del self._idle[place]
                    return zygote if zygote.process.poll() is None else None
        return None

    def keep(self, config: ZygoteConfig, zygote: Zygote) -> None:
        """Unless it is dead, or has something to say that nobody waited for."""
        if not self.enabled or zygote.process.poll() is not None or select.select([zygote.line], [], [], 0)[0]:
            zygote.close()
            return
        with self._lock:
            self._idle.append((config, zygote))
            oldest = self._idle.pop(0)[1] if len(self._idle) > MOST_IDLE else None
        if oldest:
            oldest.close()

    def close(self) -> None:
        while self._idle:
            self._idle.pop()[1].close()

    def _forget(self) -> None:
        """After a fork: they are the parent's."""
        self._lock = threading.Lock()
        while self._idle:
            self._idle.pop()[1].forget_processes()


@contextmanager
def cached() -> Iterator[ZygoteCache]:
    """Judges take over the idle zygotes of others."""
    cache, close, borrowed = ZygoteCache(), Sandbox.close, Pool.borrowed

    def zygote_for(sandbox: Sandbox, role: str) -> Zygote:
        if role not in sandbox._zygotes:
            config = sandbox.config.for_role(role)
            sandbox._zygotes[role] = cache.take(config) or Zygote(config)
        return sandbox._zygotes[role]

    def leave(sandbox: Sandbox, kill: bool = False) -> None:
        if not kill and not sandbox._open:
            for role, zygote in sandbox._zygotes.items():
                cache.keep(sandbox.config.for_role(role), zygote)
            sandbox._zygotes.clear()
        close(sandbox, kill)

    @contextmanager
    def left_idle(pool: Pool) -> Iterator[Sandbox]:
        with borrowed(pool) as sandbox:
            try:
                yield sandbox
            finally:
                if cache.enabled:
                    leave(sandbox)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Sandbox, "_zygote", zygote_for)
        patch.setattr(Sandbox, "close", leave)
        patch.setattr(Pool, "borrowed", left_idle)
        yield cache
    cache.close()
