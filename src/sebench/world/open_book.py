"""The open book (documentation in the prompt): which pages a prompt shows, and which parts of them.

There are three ways to choose pages: the pages that the task needs among pages of other functions (`distractors`, the
default), the whole library, or the results of a search for the question (`retrieve`: BM25 over the pages, as a reader
would look things up; it may miss needed pages). A page can be reduced (`page_cuts.py`) to some of its parts, or
stripped of the usage that a transfer task needs.

A function that was left out of the world has no page. The first result of a search takes its place, so that the prompt
has as many pages as any other, and one of them is close to the question.

Not covered: search by meaning (embeddings), and several rounds of search.
"""

from __future__ import annotations

import math
import random
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from sebench.base.errors import ConfigError
from sebench.base.records import ApiDoc, Task
from sebench.forge.names.naming import Names
from sebench.world.page_cuts import PARTS, keep_parts, without_usage

WITH, ALONE = "with", "alone"
CHANGELOGS = ("", WITH, ALONE)
WHOLE_LIBRARY = -1  # number of distractors that means every page
DISTRACTORS = 8  # showing only the needed pages would do the search for the reader
SATURATION, LENGTH = 1.5, 0.75  # BM25's k1 and b
_WORD = re.compile(r"[a-z]+|\d+")
# Words that occur in every question and say nothing about what is needed.
_COMMON = frozenset(
    """a an and are as at by each for from has have in is it its of on or return that the their them then there this to
    with""".split()
)


@dataclass(frozen=True)
class BookSettings:
    """Which pages an open book shows, and which parts of them."""

    distractors: int = DISTRACTORS  # pages besides the needed ones; WHOLE_LIBRARY for all
    retrieve: int = 0  # number of search results to show instead of needed pages and distractors
    parts: tuple[str, ...] = PARTS
    seed: int = 0  # for the choice and order of the pages
    hide_usage: bool = False  # whether a transfer task's page omits the usage that the task needs
    changelog: str = ""  # in a new edition, show the list of changes WITH the pages, or ALONE
    name_edition: bool = False  # whether every prompt says which edition of the library it is about

    def __post_init__(self) -> None:
        unknown = [part for part in self.parts if part not in PARTS]
        if self.changelog not in CHANGELOGS:
            raise ConfigError(f"changelog = {self.changelog!r}: choose from {WITH}, {ALONE}")
        if unknown or not self.parts:
            raise ConfigError(f"pages = {', '.join(self.parts)!r}: choose from {', '.join(PARTS)}")


@dataclass(frozen=True)
class OpenBook:
    """The documentation of one world, as it appears in prompts."""

    names: Names
    docs: Sequence[ApiDoc]
    settings: BookSettings
    changelog: str = ""  # of a new edition

    def pages(self, task: Task) -> str:
        """Return the documentation for the open prompt of a task."""
        paths = [] if self.settings.changelog == ALONE else self.choose_pages(task)
        changes = [self.changelog.strip()] if self.settings.changelog else []
        return "\n\n".join([*changes, *(self._page(path, task) for path in paths)])

    def _page(self, path: str, task: Task) -> str:
        usage = task.card.usage
        if not self.settings.hide_usage or usage is None or usage.function != path:
            return self._page_texts[path]
        page = next(page for page in self.docs if page.path == path)
        return keep_parts(without_usage(page.text, usage), self.settings.parts)

    def choose_pages(self, task: Task) -> list[str]:
        """Return the forged paths of the pages to show, in order."""
        everything = list(self._page_texts)
        if self.settings.retrieve:
            return self._search.best(task.question, self.settings.retrieve)
        if self.settings.distractors == WHOLE_LIBRARY:
            return everything
        needed = self._needed_pages(task)
        others = [path for path in everything if path not in needed]
        rng = random.Random(f"pages:{self.settings.seed}:{task.id}")
        chosen = [*needed, *rng.sample(others, min(self.settings.distractors, len(others)))]
        return rng.sample(chosen, len(chosen)) if self.settings.distractors else needed

    def _needed_pages(self, task: Task) -> list[str]:
        """Return the pages that a task needs, with a substitute for each one that the world lacks."""
        there = [self.names.functions[path] for path in task.functions if path in self.names.functions]
        absent = len(task.functions) - len(there)
        near = self._search.best(task.question, len(task.functions)) if absent else []
        return [*there, *[path for path in near if path not in there][:absent]]

    @cached_property
    def _page_texts(self) -> dict[str, str]:
        return {page.path: keep_parts(page.text, self.settings.parts) for page in self.docs}

    @cached_property
    def _search(self) -> BM25Index:
        return BM25Index({page.path: page.text for page in self.docs})


class BM25Index:
    """BM25 over pages (Robertson and Zaragoza, 2009)."""

    def __init__(self, pages: dict[str, str]) -> None:
        words = {path: Counter(_words(text)) for path, text in pages.items()}
        lengths = {path: sum(counts.values()) for path, counts in words.items()}
        mean = sum(lengths.values()) / max(len(pages), 1)
        pages_with = Counter(word for counts in words.values() for word in counts)
        self.paths = sorted(pages)
        self._worth: dict[str, list[tuple[str, float]]] = {}  # weight of each word in each page that contains it
        for path, counts in words.items():
            held_back = SATURATION * (1 - LENGTH + LENGTH * lengths[path] / mean) if mean else 0.0
            for word, n in counts.items():
                rarity = math.log(1 + (len(pages) - pages_with[word] + 0.5) / (pages_with[word] + 0.5))
                worth = rarity * n * (SATURATION + 1) / (n + held_back)
                self._worth.setdefault(word, []).append((path, worth))

    def best(self, question: str, count: int) -> list[str]:
        """Return the pages that best match a question, best first."""
        scores = dict.fromkeys(self.paths, 0.0)
        for word in sorted(set(_words(question))):
            for path, worth in self._worth.get(word, ()):
                scores[path] += worth
        return sorted(scores, key=lambda path: (-scores[path], path))[:count]


def _words(text: str) -> list[str]:
    """Return the words of a text in lower case, with plurals reduced to singulars."""
    words = (word for word in _WORD.findall(text.lower()) if word not in _COMMON)
    return [word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word for word in words]
