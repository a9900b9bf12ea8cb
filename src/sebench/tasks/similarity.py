"""Near-duplicate questions: two that share too many runs of words after names and numbers are taken out."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping

RUN = 3  # words
THRESHOLD = 0.4  # shared runs over all runs of both: above it one of the two is out


def near_duplicates(questions: Mapping[str, str], threshold: float = THRESHOLD) -> Iterator[tuple[float, str, str]]:
    """Pairs of questions by name that are more alike than the threshold, with how much."""
    runs = {name: _runs(text) for name, text in questions.items()}
    holders: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for name, found in runs.items():
        shared: dict[str, int] = defaultdict(int)
        for run in found:
            for other in holders[run]:
                shared[other] += 1
            holders[run].append(name)
        for other, count in shared.items():
            alike = count / len(found | runs[other])
            if alike > threshold:
                yield alike, other, name


def _runs(text: str) -> set[tuple[str, ...]]:
    plain = re.sub(r"`[^`]*`", "x", text.lower())
    words = re.findall(r"[a-z]+|\d+", re.sub(r"\d+", "0", plain))
    return {tuple(words[i : i + RUN]) for i in range(max(1, len(words) - RUN + 1))}
