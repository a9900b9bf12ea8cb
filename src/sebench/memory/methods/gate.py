"""A gate around an update: the memory changes only if a probe of training tasks gains more than it loses (in the manner
of GRASP, arXiv:2605.29668).

    decision = await Gate(session).decide("curation/3", before, after, functions={"sum"})
    decision["accepted"]

A probe has `--gate` training tasks: up to half of them need a function that the update is about, the others are drawn
from the rest. The model answers each with the memory before and after the update. A fact about one function in 300
helps hardly any randomly drawn task, so without the first half nothing would ever be accepted. The task that the update
was made from is never in its own probe.

Not covered: choosing the best of several candidate updates.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from sebench.base.records import Task
from sebench.memory.folder import Snapshot
from sebench.memory.methods.session import Event, StudySession


@dataclass(frozen=True)
class Gate:
    """The gate of a study; without a probe it accepts everything."""

    session: StudySession

    async def decide(
        self, about: str, before: Snapshot, after: Snapshot, functions: Collection[str], made_from: Collection[str] = ()
    ) -> Event:
        """Whether to keep an update. `functions` are what it is about (original paths), `made_from` the tasks it was
        made from."""
        if not self.session.study.config.gate or before.digest == after.digest:
            return {"accepted": True}
        probe = self.probe(about, functions, made_from)
        was, now = await self.session.right(probe, before), await self.session.right(probe, after)
        pairs = [(a, b) for a, b in zip(was, now, strict=True) if a is not None and b is not None]
        gained, lost = sum(not a and b for a, b in pairs), sum(a and not b for a, b in pairs)
        return {"accepted": gained > lost, "probe": len(pairs), "gained": gained, "lost": lost}

    def probe(self, about: str, functions: Collection[str], made_from: Collection[str]) -> list[Task]:
        """The training tasks that decide about an update."""
        config = self.session.study.config
        rng = random.Random(f"gate:{config.seed}:{about}")
        tasks = [task for task in self.session.every_task if task.id not in made_from]
        near = [task for task in tasks if set(task.functions) & set(functions)]
        chosen = _sample(rng, near, (config.gate + 1) // 2)
        chosen_ids = {task.id for task in chosen}
        return [*chosen, *_sample(rng, [t for t in tasks if t.id not in chosen_ids], config.gate - len(chosen))]


def _sample(rng: random.Random, tasks: Sequence[Task], most: int) -> list[Task]:
    return rng.sample(list(tasks), min(most, len(tasks)))
