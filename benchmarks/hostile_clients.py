"""64 clients that do what they can to hold up a served judge: huge and deep rows, rows of wrong types and large ones
that are all right, bodies that never end, connections that are silent, half closed or full of requests.

    python benchmarks/hostile_clients.py ADDRESS WORLD ROWS

Each sends the next request when it has the reply to the last one, or is cut off. Prints a line when what the server
keeps is full, one for each tenth of ROWS, and ends with the replies by kind of client. `serve.py --hostile` starts it.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from itertools import count
from typing import Any

from sebench.tasks import dataset
from sebench.world.world import World

EACH = 8  # clients of each kind
LARGE, LARGE_S, FILL = 2_000, 4.0, 30  # rows like the largest of the bank: FILL from each client at once, then slowly
HUGE = f"[{'[],' * 2_300_000}]"


class Attack:
    """What the clients share."""

    def __init__(self, address: str, world: World, rows: int) -> None:
        self.host, _, port = address.removeprefix("http://").partition(":")
        self.port, self.wanted, self.rows = int(port), rows, 0
        self.statuses: Counter[str] = Counter()
        self.ended = asyncio.Event()
        self.numbers = count()
        self.filled = False
        self.task = world.tasks("train")[0]
        self.row = dataset.to_json(self.task, world.names)

    def fresh(self, **changed: Any) -> dict[str, Any]:
        """A row that the server has not seen."""
        return {**self.row, "id": f"x{next(self.numbers)}", **changed}

    def sent(self, kind: str, status: str, rows: int) -> None:
        self.statuses[f"{kind} {status}"] += 1
        tenth = self.rows * 10 // self.wanted
        self.rows += rows
        if self.rows * 10 // self.wanted > tenth:
            print(f"after {self.rows:,} hostile rows", flush=True)
        if self.rows >= self.wanted:
            self.ended.set()

    def request(self, body: bytes, length: int = -1) -> bytes:
        lines = ["POST /judge HTTP/1.1", f"Host: {self.host}:{self.port}", "Content-Type: application/json"]
        size = len(body) if length < 0 else length
        return "\r\n".join([*lines, f"Content-Length: {size}", "", ""]).encode() + body

    async def post(self, kind: str, rows: list[dict[str, Any]]) -> None:
        """Rows with an empty response, on a connection of their own."""
        reader, writer = await asyncio.open_connection(self.host, self.port)
        try:
            body = {"answers": [{"task": row, "response": ""} for row in rows]} if len(rows) > 1 else None
            body = body or {"task": rows[0], "response": ""}
            writer.write(self.request(json.dumps(body).encode()))
            await writer.drain()
            self.sent(kind, (await reader.readline()).decode().partition(" ")[2][:3] or "closed", len(rows))
        finally:
            writer.close()

    # ---- kinds of clients ---------------------------------------------------------------------------------------

    async def huge(self) -> None:
        await self.post("huge", [self.fresh(cases=[{"input": "a=1", "output": HUGE}])])

    async def deep(self) -> None:
        await self.post("deep", [self.fresh(cases=[{"input": "a=1", "output": "[" * 900 + "]" * 900}])])

    async def wrong(self) -> None:
        for name, value in (("cases", 7), ("cases", [[]]), ("rtol", "x"), ("parameters", None), ("gold", [])):
            await self.post("wrong types", [self.fresh(**{name: value})])
        await self.post("wrong types", [self.fresh(core=[3])] * 100)

    async def large(self) -> None:
        case = {"input": self.row["cases"][0]["input"], "output": str([[]] * LARGE)}
        await self.post("large", [self.fresh(cases=[case])])
        if self.filled:
            await asyncio.sleep(LARGE_S)

    async def fill(self) -> None:
        """Have the server keep as much as it will."""
        await asyncio.gather(*(self.large() for _ in range(EACH)))

    async def slow(self) -> None:
        reader, writer = await asyncio.open_connection(self.host, self.port)
        try:
            writer.write(self.request(b"{", 1 << 20))
            while not reader.at_eof():
                writer.write(b" ")
                await writer.drain()
                await asyncio.sleep(0.2)
        finally:
            writer.close()
            self.statuses["slow cut off"] += 1

    async def silent(self) -> None:
        reader, writer = await asyncio.open_connection(self.host, self.port)
        await reader.read()
        writer.close()

    async def half_closed(self) -> None:
        reader, writer = await asyncio.open_connection(self.host, self.port)
        body = {"task_id": self.task.id, "response": self.task.gold}
        writer.write(self.request(json.dumps(body).encode()))
        writer.write_eof()
        self.statuses["half closed " + ("answered" if await reader.read() else "closed")] += 1
        writer.close()

    async def pipelined(self) -> None:
        reader, writer = await asyncio.open_connection(self.host, self.port)
        writer.write(self.request(b'{"task_id": 3, "response": ""}') * 50)
        writer.write_eof()
        self.statuses["pipelined 400"] += (await reader.read()).count(b"HTTP/1.1 400")
        writer.close()

    def kinds(self) -> Iterator[Callable[[], Awaitable[None]]]:
        yield from (self.huge, self.deep, self.wrong, self.large)
        yield from (self.slow, self.silent, self.half_closed, self.pipelined)

    async def again_and_again(self, kind: Callable[[], Awaitable[None]]) -> None:
        while True:
            try:
                await kind()
            except OSError as error:
                self.statuses[f"{kind.__name__} {type(error).__name__}"] += 1


async def main() -> None:
    attack = Attack(sys.argv[1], World.open(sys.argv[2]), int(sys.argv[3]))
    for _ in range(FILL):
        await attack.fill()
    attack.filled, attack.rows = True, 0
    print(f"after {FILL * EACH:,} large valid rows", flush=True)
    clients = [asyncio.ensure_future(attack.again_and_again(kind)) for kind in attack.kinds() for _ in range(EACH)]
    await attack.ended.wait()
    for client in clients:
        client.cancel()
    await asyncio.gather(*clients, return_exceptions=True)
    print("replies", ", ".join(f"{kind}: {n:,}" for kind, n in sorted(attack.statuses.items())))


if __name__ == "__main__":
    asyncio.run(main())
