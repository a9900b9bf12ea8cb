"""Finds near-duplicate questions: pairs that share too many word sequences once names and numbers are removed."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from types import MappingProxyType

RUN = 3  # words
THRESHOLD = 0.4  # runs in common divided by the runs in either; above this, one of the two must be removed


class Questions:
    """Stored questions by name, to compare new questions with."""

    def __init__(self, questions: Mapping[str, str] = MappingProxyType({})) -> None:
        self._runs: dict[str, set[tuple[str, ...]]] = {}
        self._holders: dict[tuple[str, ...], list[str]] = defaultdict(list)
        for name, text in questions.items():
            self.add(name, text)

    def add(self, name: str, text: str) -> None:
        """Store a question, so that later ones are compared with it too."""
        self._runs[name] = word_runs(text)
        for run in self._runs[name]:
            self._holders[run].append(name)

    def alike(self, text: str, threshold: float = THRESHOLD) -> Iterator[tuple[float, str]]:
        """Yield (similarity, name) for each stored question whose similarity to `text` exceeds the threshold."""
        runs = word_runs(text)
        shared = Counter(other for run in runs for other in self._holders.get(run, ()))
        for other, count in shared.items():
            alike = count / (len(runs) + len(self._runs[other]) - count)
            if alike > threshold:
                yield alike, other


def near_duplicates(questions: Mapping[str, str], threshold: float = THRESHOLD) -> Iterator[tuple[float, str, str]]:
    """Yield (similarity, name, name) for each pair of questions whose similarity exceeds the threshold."""
    before = Questions()
    for name, text in questions.items():
        yield from ((alike, other, name) for alike, other in before.alike(text, threshold))
        before.add(name, text)


def word_runs(text: str) -> set[tuple[str, ...]]:
    """Return the sequences of consecutive words in a question, with names and numbers removed."""
    plain = re.sub(r"`[^`]*`", "x", text.lower())
    words = re.findall(r"[a-z]+|\d+", re.sub(r"\d+", "0", plain))
    return {tuple(words[i : i + RUN]) for i in range(max(1, len(words) - RUN + 1))}
