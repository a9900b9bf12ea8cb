"""Which rows make up a step, and in which order: the same from the same seed, whatever was interrupted in between.

A step has about so many tokens (padding not counted). Its rows are taken from a shuffled epoch and split into micro-batches of similar
length, padded on the right: with causal attention nothing sees the padding, so that no mask is needed and the fast kernels stay in use.
The gradient of a step does not depend on how it is split, because the loss of every micro-batch is divided by the step's own count of
learnt tokens.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sebench.learn.tokens import TokenRow


@dataclass(frozen=True)
class Step:
    """The rows of one update, in micro-batches."""

    number: int  # from 0
    epoch: int
    micro: tuple[tuple[TokenRow, ...], ...]

    @property
    def rows(self) -> list[TokenRow]:
        return [row for batch in self.micro for row in batch]

    @property
    def tokens(self) -> int:
        return sum(len(row.ids) for row in self.rows)

    @property
    def learnt(self) -> int:
        return sum(row.learnt for row in self.rows)


def steps(rows: Sequence[TokenRow], epochs: int, tokens: int, micro_tokens: int, seed: int) -> list[Step]:
    """Every step of a training. No row is left out: the last step of an epoch may be smaller."""
    made: list[Step] = []
    for epoch in range(epochs):
        order = list(rows)
        random.Random(f"epoch:{seed}:{epoch}").shuffle(order)
        for chunk in _chunks(order, tokens):
            made.append(Step(len(made), epoch, tuple(_micro(chunk, micro_tokens))))
    return made


def _chunks(order: Sequence[TokenRow], tokens: int) -> Iterator[list[TokenRow]]:
    """Runs of rows of about so many tokens, of nearly equal size."""
    count = max(1, round(sum(len(row.ids) for row in order) / tokens))
    wanted = sum(len(row.ids) for row in order) / count
    chunk: list[TokenRow] = []
    done = 0.0
    for number, row in enumerate(order, 1):
        chunk.append(row)
        done += len(row.ids)
        if done >= wanted - 1e-9 and number < len(order):
            yield chunk
            chunk, done = [], done - wanted
    if chunk:
        yield chunk


def _micro(chunk: Sequence[TokenRow], most: int) -> Iterator[tuple[TokenRow, ...]]:
    """Micro-batches of rows of similar length, at most so many tokens each with padding, but at least one row."""
    batch: list[TokenRow] = []
    for row in sorted(chunk, key=lambda row: (-len(row.ids), row.id)):
        if batch and len(batch[0].ids) * (len(batch) + 1) > most:
            yield tuple(batch)
            batch = []
        batch.append(row)
    if batch:
        yield tuple(batch)
