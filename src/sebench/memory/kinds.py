"""The kinds of memory, and how each one recalls text from the data in its snapshot.

Each kind is a small class with a method `recall`. `recall.py` lists all kinds; those that talk to the model are in
`conversations.py`. An entry has a key, which is searched, and a text, which is shown. The prompt of a task never shows
the entry that was made from that task.

A text over budget is refused, never truncated. Because a memory is written by one model and read by others, tokens are
estimated from characters, in the same way for all models. SmolLM2's tokenizer needs more tokens than estimated: one per
2.6 characters for pages, 2.9 for an index, 3.4 for worked answers.

Not covered: real tokenizers. A prompt that is too long for a model is refused when it is sent.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from sebench.base.errors import ConfigError
from sebench.base.records import Task
from sebench.forge.names.naming import Names
from sebench.world.mentions import mentioned_functions
from sebench.world.open_book import BM25Index

CHARACTERS_PER_TOKEN = 3.5  # for English and code; used for estimates
Vector = Sequence[float]
Embed = Callable[[Sequence[str]], Sequence[Vector]]  # maps texts to unit vectors


def tokens(text: str) -> int:
    """Return the approximate number of tokens in a text."""
    return math.ceil(len(text) / CHARACTERS_PER_TOKEN)


def refuse_above(budget: int, size: int, what: str, cure: str) -> None:
    """Raise an error if `size` exceeds the budget. A budget of 0 means no limit."""
    if budget and size > budget:
        raise ConfigError(f"{what} has {size:,} tokens, but the budget is {budget:,}; {cure}")


@dataclass(frozen=True)
class Entry:
    """One entry of a memory: a page, or a training task with its answer."""

    id: str
    key: str  # the text that is searched
    text: str  # the text that prompts show
    functions: tuple[str, ...] = ()  # forged paths of the functions it covers
    task: str = ""  # id of the training task it was made from, for which it is never shown


@dataclass(frozen=True)
class Recalled:
    """What a memory recalls for a task."""

    text: str
    tokens_estimate: int
    items: tuple[str, ...] = ()  # ids of the entries in the text
    functions: tuple[str, ...] = ()  # forged paths of the functions it covers

    @classmethod
    def of(cls, text: str, entries: Sequence[Entry], functions: Iterable[str]) -> Recalled:
        return cls(text, tokens(text), tuple(entry.id for entry in entries), tuple(dict.fromkeys(functions)))


class Recaller(Protocol):
    """Recalls text for a task."""

    def recall(self, task: Task) -> Recalled: ...

    def most_tokens(self) -> int:
        """Return an upper bound on the length, in tokens, of the texts that it recalls, for budget checks."""
        ...


class FixedText:
    """The same text for every task."""

    def __init__(self, data: Mapping[str, Any], names: Names) -> None:
        self.text = str(data["text"])
        self._recalled = Recalled.of(self.text, (), mentioned_functions(self.text, names))

    def recall(self, task: Task) -> Recalled:
        return self._recalled

    def most_tokens(self) -> int:
        return tokens(self.text)


class Searching:
    """Recalls the entries that match the question best (BM25), after a preface that is always shown."""

    def __init__(self, data: Mapping[str, Any], names: Names) -> None:
        self.preface, self.k = str(data.get("preface", "")), int(data["k"])
        entries = [Entry(**{**one, "functions": tuple(one.get("functions", ()))}) for one in data["entries"]]
        self.entries = {entry.id: entry for entry in entries}
        self.always = mentioned_functions(self.preface, names)

    def recall(self, task: Task) -> Recalled:
        return self.render(self.search(task.question, self.k, task) if self.k else [])

    def search(self, query: str, k: int, task: Task) -> list[Entry]:
        """Return the `k` entries that match a query best, best first, except those made from the task itself."""
        own = sum(entry.task == task.id for entry in self.entries.values())
        best = [self.entries[id] for id in self.best(query, k + own)]
        return [entry for entry in best if entry.task != task.id][:k]

    def best(self, query: str, count: int) -> list[str]:
        return self._search.best(query, count)

    def render(self, entries: Sequence[Entry]) -> Recalled:
        functions = [*self.always, *(path for entry in entries for path in entry.functions)]
        texts = [text.strip() for text in (self.preface, *(entry.text for entry in entries))]
        return Recalled.of("\n\n".join(filter(None, texts)), entries, functions)

    def most_tokens(self) -> int:
        return self.bound(self.k)

    def bound(self, count: int) -> int:
        """Return the length in tokens of the longest text with `count` entries."""
        longest = sorted(self.entries.values(), key=lambda entry: -len(entry.text))[:count]
        return self.render(longest).tokens_estimate

    @cached_property
    def _search(self) -> BM25Index:
        return BM25Index({entry.id: entry.key for entry in self.entries.values()})


class Everything(Searching):
    """Recalls all entries, in order, without a search."""

    def recall(self, task: Task) -> Recalled:
        return self.render([entry for entry in self.entries.values() if entry.task != task.id])


class Dense(Searching):
    """Searches with embeddings: cosine similarity of unit vectors."""

    def __init__(self, data: Mapping[str, Any], names: Names) -> None:
        super().__init__(data, names)
        self.model, self.url = str(data["model"]), str(data["url"])
        self.vectors: dict[str, Vector] = {id: [float(x) for x in vector] for id, vector in data["vectors"].items()}
        self.queries: dict[str, Vector] = {}

    def prepare(self, questions: Sequence[str], embed: Embed) -> None:
        """Embed all questions in one batch."""
        if missing := [q for q in dict.fromkeys(questions) if q not in self.queries]:
            self.queries |= dict(zip(missing, embed(missing), strict=True))

    def best(self, query: str, count: int) -> list[str]:
        if query not in self.queries:
            raise ConfigError(
                "a dense memory has no embedding of this question; prepare it with the embedding endpoint first"
            )
        near = dict(zip(self.vectors, (self._matrix @ np.asarray(self.queries[query])).tolist(), strict=True))
        return sorted(near, key=lambda id: (-near[id], id))[:count]

    @cached_property
    def _matrix(self) -> Any:
        return np.asarray(list(self.vectors.values()))
