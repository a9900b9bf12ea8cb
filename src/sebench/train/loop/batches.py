"""Which rows make up a step, and in which order: the same from the same seed, whatever was interrupted in between.

A step has so many rows, whatever their length: two trainings on the same examples take the same steps, with pages in the prompts or without.
Its rows are split into packs, which go through the model one after another; how large a pack may be is a matter of memory (`loop.py`).
The gradient does not depend on the split, because the loss of every pack is divided by the step's own count of learnt tokens.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sebench.train.data.tokens import TokenRow

Pack = tuple[TokenRow, ...]


@dataclass(frozen=True)
class TrainingStep:
    """The rows of one update."""

    number: int  # from 0
    epoch: int
    rows: tuple[TokenRow, ...]

    @property
    def tokens(self) -> int:
        return size(self.rows)

    @property
    def learnt(self) -> int:
        return sum(row.learnt for row in self.rows)


def size(rows: Sequence[TokenRow]) -> int:
    """Tokens of the rows."""
    return sum(len(row.ids) for row in rows)


def steps(rows: Sequence[TokenRow], epochs: int, batch: int, seed: int) -> list[TrainingStep]:
    """Every step of a training. No row is left out: the last step of an epoch may be smaller."""
    made: list[TrainingStep] = []
    for epoch in range(epochs):
        order = list(rows)
        random.Random(f"epoch:{seed}:{epoch}").shuffle(order)
        for start in range(0, len(order), batch):
            made.append(TrainingStep(len(made), epoch, tuple(order[start : start + batch])))
    return made


def packs(rows: Sequence[TokenRow], most: int) -> Iterator[Pack]:
    """The rows in packs of at most so many tokens, but at least one row."""
    pack: list[TokenRow] = []
    for row in rows:
        if pack and size(pack) + len(row.ids) > most:
            yield tuple(pack)
            pack = []
        pack.append(row)
    if pack:
        yield tuple(pack)
