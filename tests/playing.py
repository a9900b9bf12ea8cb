"""Players for tests of self-play: settings in which everything is cheap, an endpoint that plays, and the end of a process."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sebench.learn.selfplay.config import SelfplayConfig
from sebench.learn.selfplay.forms import Drafter
from sebench.ledger import lines
from sebench.world import World
from tests.misbehaving import Server, good


def cheap(base: Path) -> SelfplayConfig:
    """A solver that is always right, forms filled at random, and a toy that learns."""
    return SelfplayConfig(
        model="gold",
        base=str(base),
        solver="first",
        propose="forms",
        proposer="drawn",
        functions="searchsorted,cumsum,quantile",
        proposals=2,
        rounds=1,
        samples=2,
        learn=("epochs=1", "batch=8", "lr=1e-3"),
        prompts="short",
        split=("single_test",),
        evaluate=("limit=1",),
        max_tokens=8,
        device="cpu",
        workers=1,
    )


class Killed(BaseException):
    """What stands for the end of the process."""


def killed_after(method: Callable[..., Any], count: int) -> Callable[..., Any]:
    """The method, which is the end of the process when it has been called so many times."""
    calls = 0

    def counted(*args: Any, **options: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls > count:
            raise Killed
        return method(*args, **options)

    return counted


class Player(Server):
    """Fills forms by number, one of them badly; writes questions like filled forms; solves what it was asked, right for every second seed."""

    def __init__(self, folder: Path, world: World) -> None:
        super().__init__()
        self.folder, self.drafter = folder, Drafter(world)
        self.proposed: list[str] = []
        self.asked: list[tuple[str, str]] = []  # model and prompt, of every request
        self.fault: Callable[[str, str], bytes | None] = lambda model, prompt: None  # a reply instead of its own

    def respond(self, head: bytes, body: bytes) -> bytes:
        asked = json.loads(body)
        prompt = asked["messages"][-1]["content"]
        self.asked.append((asked["model"], prompt))
        if (instead := self.fault(asked["model"], prompt)) is not None:
            return instead
        if "Choose what the exercise is like" in prompt:
            self.proposed.append(prompt)
            return good("1, 1, 2, 1, 2, 1" if len(self.proposed) > 1 else "Certainly! I choose the first one.")
        if found := re.search(r"Write one task that the function `np\.([\w.]+)` answers", prompt):
            self.proposed.append(prompt)
            return good(self.drafter.draft(found[1], 0, "1").filled([0, 0, 1, 0, 1, 0]))
        rounds = sorted(self.folder.glob("round-*/tasks.jsonl"))
        golds = {data["entry"]: data["gold"] for file in rounds for _, data in lines(file)}
        found = re.search(r"def (\w+)\(", prompt)
        right = found and found[1] in golds and asked["seed"] % 2 == 0
        return good(f"```python\n{golds[found[1]]}```" if found and right else "I do not know.")
