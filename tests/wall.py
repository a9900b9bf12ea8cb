"""A wall inside one process: the library is served by a thread, and a client talks to it as a candidate would."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

from sebench.judge.sandbox import client, server
from sebench.judge.sandbox.wire import CaseCalls
from sebench.provenance.observer import Observer, Orders
from sebench.tasks.core import traits_of
from sebench.world.world import World


def observer_of(world: World, library: ModuleType) -> Observer:
    """An observer of the package. It stays between the package and its callers for good."""
    traits = {world.names.functions[path]: traits_of(entry, world.names) for path, entry in world.entries.items()}
    return Observer(library, getattr(library, world.names.array), traits)


@contextmanager
def client_of(world: World, observer: Observer, orders: Orders | None = None) -> Iterator[ModuleType]:
    """The library as the other side of the wall finds it, with all of its names."""
    ours, theirs = socket.socketpair()
    names = world.names
    if orders is not None:
        observer.begin(orders)
    desk = server.CandidateService(theirs.fileno(), observer, frozenset(names.functions.values()))
    served = threading.Thread(target=desk.serve, args=(CaseCalls("", (), (b"",)), 0), daemon=True)
    served.start()
    line = client.Connection(ours.fileno(), names.array, names.package)
    results: dict[str, Any] = {
        names.results[f]: [names.fields[n] for n in world.entries[f].fields] for f in names.results
    }
    try:
        made = client.make_modules(
            line, list(names.functions.values()), list(names.modules.values()), {names.array: (), **results}
        )
        yield made[names.package]
    finally:
        ours.close()
        served.join(10)
        theirs.close()
