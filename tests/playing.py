"""Helpers for tests of self-play: cheap settings, proposers with stored drafts, and a simulated kill of the process."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sebench.author.proposals import Proposal
from sebench.base.ledger import lines
from sebench.models.model import Completion, Sampling
from sebench.selfplay.config import SelfplayConfig
from sebench.world.prompts import Prompt
from tests.misbehaving import Server, good

# Replies of a proposer by function. Some pass every gate, some are stopped: cumsum 0 and quantile 0 by `targeted`,
# quantile 1 by `runs`.
DRAFTS: dict[str, list[str]] = json.loads((Path(__file__).parent / "data" / "selfplay-drafts.json").read_text("utf-8"))
PROPOSER = "proposer"
_ASKED = re.compile(r"Write one task that the function `np\.([\w.]+)` answers")


def cheap(base: Path) -> SelfplayConfig:
    """A solver that is always right, a proposer with stored drafts (`Writer` stands for it), and a toy that learns."""
    return SelfplayConfig(
        model="gold",
        base=str(base),
        solver="first",
        proposer=PROPOSER,
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


def drafted(function: str, number: int) -> Proposal:
    """A stored draft as a proposal."""
    return Proposal(function, number, draft(function, number), PROPOSER, "")


def draft(function: str, number: int) -> str:
    return DRAFTS[function][number % len(DRAFTS[function])]


class Writer:
    """The model of a proposer: it replies with the stored draft of the function that it is asked about, by the seed of
    the request."""

    concurrency = 8

    async def complete(self, prompt: Prompt, sampling: Sampling, seed: int) -> Completion:
        function = _ASKED.search(prompt.text)
        assert function
        return Completion(draft(function[1], seed), "stop", 100, 20)

    async def close(self) -> None:
        """There is nothing to give back."""


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
    """An endpoint that proposes stored drafts, and solves what it was asked: right for every second seed."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.folder = folder
        self.proposed: list[str] = []
        self.asked: list[tuple[str, str]] = []  # model and prompt, of every request
        self.fault: Callable[[str, str], bytes | None] = lambda model, prompt: None  # a reply instead of its own

    def respond(self, head: bytes, body: bytes) -> bytes:
        asked = json.loads(body)
        prompt = asked["messages"][-1]["content"]
        self.asked.append((asked["model"], prompt))
        proposing = _ASKED.search(prompt)
        if proposing:
            self.proposed.append(prompt)
        if (instead := self.fault(asked["model"], prompt)) is not None:
            return instead
        if proposing:
            return good(draft(proposing[1], asked["seed"]))
        rounds = sorted(self.folder.glob("**/round-*/tasks.jsonl"))
        golds = {data["entry"]: data["gold"] for file in rounds for _, data in lines(file)}
        found = re.search(r"def (\w+)\(", prompt)
        right = found and found[1] in golds and asked["seed"] % 2 == 0
        return good(f"```python\n{golds[found[1]]}```" if found and right else "I do not know.")
