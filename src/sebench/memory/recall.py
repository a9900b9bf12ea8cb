"""What a memory recalls for a task: the text that precedes the closed-book prompt (the prompt without documentation).

    recall = Recall(Memory.load(Path("memories/index")), world)
    recall.text(task).text

`KINDS` lists every kind of memory:

    text         the same text for every task: an index, a playbook, notes, the whole documentation
    entries      all entries, except the one made from the task itself
    search       the `k` entries that match the question best (BM25), after a text that is always shown
    dense        like search, but with embeddings
    operations   the model first lists what it needs; each line becomes a search, then the model answers
    lookup       the model requests lists, searches and pages a limited number of times, then answers

The last two talk to the model (`conversations.py`). Not covered: sending prompts to a model (`rollout/`), and creating
memories (`memory/methods/`).
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
    """A loaded memory that recalls text for tasks of its world."""

    def __init__(self, memory: Memory, world: World) -> None:
        if memory.about.world != world.manifest.fingerprint:
            raise ConfigError(
                f"memory {memory.path} belongs to another world (fingerprint {memory.about.world[:12]}), not to "
                f"{world.path} ({world.manifest.fingerprint[:12]}); create one for this world with 'sebench memory'"
            )
        self.memory = memory
        try:
            self.kind = recaller_for(memory.snapshot, world.names)
        except (KeyError, TypeError, ValueError) as error:
            raise ConfigError(
                f"memory {memory.path} is damaged: its snapshot cannot be read ({error!r}); recreate it with "
                "'sebench memory'"
            ) from None

    def text(self, task: Task) -> Recalled:
        """Return the text that precedes the closed-book prompt of a task."""
        return self.kind.recall(task)


def recaller_for(snapshot: Snapshot, names: Names) -> Recaller:
    """Return the recaller for a snapshot."""
    if snapshot.kind not in KINDS:
        raise ConfigError(f"unknown kind of memory '{snapshot.kind}'; this version supports {', '.join(KINDS)}")
    return KINDS[snapshot.kind](snapshot.data, names)
