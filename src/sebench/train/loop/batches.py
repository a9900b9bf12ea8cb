"""Determines which rows make up each step, and in which order. Everything follows from the seed, so an interrupted run
resumes with the same steps.

A step has a fixed number of rows, whatever their length, so two runs on the same examples take the same steps, with or
without pages in the prompts. The rows of a step are split into packs, which go through the model one after another;
memory limits the size of a pack (`loop.py`). The gradient does not depend on the split, because the loss of every pack
is divided by the number of tokens in the whole step that contribute to the loss.

Distributed trainers need micro-batches of nearly equal size, the same number for every process (`split_steps`). The
steps stay the same: a step on eight GPUs has the same rows as a step on one. If a step has too few rows, some
micro-batches are left empty here, and the engine fills them with tokens that carry no loss.
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

    number: int  # starting at 0
    epoch: int
    rows: tuple[TokenRow, ...]

    @property
    def tokens(self) -> int:
        return size(self.rows)

    @property
    def learnt(self) -> int:
        return sum(row.learnt for row in self.rows)


def size(rows: Sequence[TokenRow]) -> int:
    """Return the total number of tokens."""
    return sum(len(row.ids) for row in rows)


def steps(rows: Sequence[TokenRow], epochs: int, batch: int, seed: int) -> list[TrainingStep]:
    """Return every step of a training run. No row is left out, so the last step of an epoch may be smaller."""
    all_steps: list[TrainingStep] = []
    for epoch in range(epochs):
        order = list(rows)
        random.Random(f"epoch:{seed}:{epoch}").shuffle(order)
        for start in range(0, len(order), batch):
            all_steps.append(TrainingStep(len(all_steps), epoch, tuple(order[start : start + batch])))
    return all_steps


def packs(rows: Sequence[TokenRow], max_tokens: int) -> Iterator[Pack]:
    """Split the rows into packs of at most `max_tokens` tokens, but at least one row each."""
    pack: list[TokenRow] = []
    for row in rows:
        if pack and size(pack) + len(row.ids) > max_tokens:
            yield tuple(pack)
            pack = []
        pack.append(row)
    if pack:
        yield tuple(pack)


def split_steps(
    steps: Sequence[TrainingStep], processes: int, pack_tokens: int, packed: bool
) -> tuple[int, tuple[Pack, ...]]:
    """Split each step into micro-batches of at most `pack_tokens` tokens (or a single longer row). Return the number of
    accumulation rounds per step (as few as possible, each with one micro-batch per process) and all micro-batches."""
    accumulation = 1
    while any(
        len(part) > 1 and padded_size(part, packed) > pack_tokens
        for step in steps
        for part in split_step(step, processes * accumulation, packed)
    ):
        accumulation += 1
    parts = [part for step in steps for part in split_step(step, processes * accumulation, packed)]
    return accumulation, tuple(parts)


def split_step(step: TrainingStep, count: int, packed: bool) -> list[Pack]:
    """Split the rows of a step into `count` micro-batches. Packed rows are distributed so that token counts are nearly
    equal; padded rows are grouped by length."""
    rows = sorted(step.rows, key=lambda row: (-len(row.ids), row.id))
    parts: list[list[TokenRow]] = [[] for _ in range(count)]
    if packed:
        sizes = [0] * count
        for row in rows:
            least = sizes.index(min(sizes))
            parts[least].append(row)
            sizes[least] += len(row.ids)
    else:
        total, done = sum(len(row.ids) for row in rows), 0
        for row in rows:
            # Placed by the middle of the row, so that rows spread over all parts and the last row is in the last part.
            parts[min(count - 1, (2 * done + len(row.ids)) * count // (2 * total))].append(row)
            done += len(row.ids)
    return [tuple(part) for part in parts]


def padded_size(part: Pack, packed: bool) -> int:
    """Return the number of tokens in a micro-batch, including padding if its rows are not packed."""
    lengths = [len(row.ids) for row in part]
    return sum(lengths) if packed else max(lengths, default=0) * len(lengths)
