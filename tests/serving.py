"""A served judge in a thread of the test, and a judge that returns its verdicts only when the test tells it to."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager

from sebench.base.http_server import MOST_CONNECTIONS, HttpServer, ListenAddress
from sebench.base.records import Blame, Kind, Task, Verdict
from sebench.remote.http.reading import ROW_PARTS
from sebench.remote.http.server import JudgeServer
from sebench.remote.http.service import JudgeService, WorldJudge
from sebench.world.world import World


class Hesitant:
    """A judge whose verdicts come when `decide` is called."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.asked: list[Future[Verdict]] = []
        self.came = threading.Semaphore(0)

    def submit(self, task: Task | str, response: str, native: bool = False) -> Future[Verdict]:
        future: Future[Verdict] = Future()
        self.asked.append(future)
        self.came.release()
        return future

    def decide(self) -> None:
        for future in self.asked:
            if not future.done():
                future.set_result(Verdict(Kind.PASSED, Blame.NONE, targeted=True))


class Served:
    """A server that runs."""

    def __init__(self, server: JudgeServer, address: str, loop: asyncio.AbstractEventLoop) -> None:
        self.server, self.address, self.loop = server, address, loop

    @property
    def port(self) -> int:
        return int(self.address.rpartition(":")[2])

    def stop(self) -> Future[None]:
        return asyncio.run_coroutine_threadsafe(self.server.stop(), self.loop)


@contextmanager
def served(
    judge: WorldJudge,
    *,
    queue: int = 4096,
    token: str = "",
    place: ListenAddress | None = None,
    connections: int = MOST_CONNECTIONS,
    row_parts: int = ROW_PARTS,
) -> Iterator[Served]:
    server = JudgeServer(JudgeService(judge, queue, row_parts=row_parts), token)
    server.most_connections = connections
    with in_thread(server, place or ListenAddress()) as (address, loop):
        yield Served(server, address, loop)


@contextmanager
def in_thread(server: HttpServer, place: ListenAddress) -> Iterator[tuple[str, asyncio.AbstractEventLoop]]:
    """A server that answers from a thread of its own."""
    server.penalty_s = 0.0  # tests send many malformed requests
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    try:
        yield asyncio.run_coroutine_threadsafe(server.listen(place), loop).result(30), loop
        asyncio.run_coroutine_threadsafe(server.stop(), loop).result(30)
    finally:
        asyncio.run_coroutine_threadsafe(_cancel_all(), loop).result(30)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(30)
        loop.close()


async def _cancel_all() -> None:
    """What a test that failed left behind."""
    rest = asyncio.all_tasks() - {asyncio.current_task()}
    for task in rest:
        task.cancel()
    await asyncio.gather(*rest, return_exceptions=True)
