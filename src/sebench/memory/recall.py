"""What a memory says about a task: the text that stands before the closed prompt.

    recall = Recall(Memory.load(Path("memories/index")), world)
    recall.text(task).text

The table `KINDS` has every kind of memory:

    text         the same text for every task: an index, a playbook, notes, the whole documentation
    entries      all entries, but for the one that was made from the task
    search       the `k` entries that a search with the question finds (BM25), after a text that is always shown
    dense        the same by the distance of embeddings
    operations   the model first writes what it needs; a search for each line, then the answer
    lookup       the model asks for lists, searches and pages, at most so many times, then answers

The last two talk to the model (`conversations.py`). Not covered: asking a model (`rollout/`), and studying (`learn/memory/`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from sebench.base.errors import ConfigError
from sebench.base.records import Task
from sebench.forge.names.naming import Names
from sebench.memory.conversations import Lookup, Operations
from sebench.memory.folder import Memory, Snapshot
from sebench.memory.kinds import Dense, Everything, FixedText, Recalled, Recaller, Searching
from sebench.world.world import World

KINDS: dict[str, Callable[[Mapping[str, Any], Names], Recaller]] = {
    "text": FixedText,
    "entries": Everything,
    "search": Searching,
    "dense": Dense,
    "operations": Operations,
    "lookup": Lookup,
}


class Recall:
    """A memory that is asked about the tasks of its world."""

    def __init__(self, memory: Memory, world: World) -> None:
        if memory.about.world != world.manifest.fingerprint:
            raise ConfigError(
                f"memory {memory.path} is of another world (fingerprint {memory.about.world[:12]}), not of {world.path} "
                f"({world.manifest.fingerprint[:12]}); study this world with 'sebench learn'"
            )
        self.memory = memory
        try:
            self.kind = recaller_for(memory.snapshot, world.names)
        except (KeyError, TypeError, ValueError) as error:
            raise ConfigError(f"memory {memory.path} is damaged: its snapshot lacks {error}; study it again") from None

    def text(self, task: Task) -> Recalled:
        """What stands before the closed prompt of a task."""
        return self.kind.recall(task)


def recaller_for(snapshot: Snapshot, names: Names) -> Recaller:
    """The kind of a snapshot, with its data."""
    if snapshot.kind not in KINDS:
        raise ConfigError(f"no kind of memory '{snapshot.kind}'; there are {', '.join(KINDS)}")
    return KINDS[snapshot.kind](snapshot.data, names)
