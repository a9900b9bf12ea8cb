"""A step's rows divided among processes: so many micro-batches for each, of nearly equal size, in the order in which processes take them.

The steps are those of the short loop (`batches.py`), whatever the number of processes: a step on eight GPUs has the rows of a step on one.
Distributed trainers want the same number of micro-batches from every process; where a step has too few rows, a micro-batch is empty here,
and becomes one that carries no loss in the engine.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sebench.train.data.tokens import TokenRow
from sebench.train.loop.batches import TrainingStep

MicroBatch = tuple[TokenRow, ...]


@dataclass(frozen=True)
class MicroBatches:
    """All micro-batches of a training: `accumulation` rounds for each step, in each round one for every process."""

    processes: int
    accumulation: int
    micro_batches: tuple[MicroBatch, ...]

    @property
    def per_step(self) -> int:
        return self.processes * self.accumulation


def split_steps(steps: Sequence[TrainingStep], processes: int, pack_tokens: int, packed: bool) -> MicroBatches:
    """The smallest number of rounds with which every micro-batch has at most `pack_tokens` tokens, or one row."""
    accumulation = 1
    while any(
        not _fits(part, pack_tokens, packed) for s in steps for part in split_step(s, processes * accumulation, packed)
    ):
        accumulation += 1
    parts = [part for step in steps for part in split_step(step, processes * accumulation, packed)]
    return MicroBatches(processes, accumulation, tuple(parts))


def split_step(step: TrainingStep, count: int, packed: bool) -> list[MicroBatch]:
    """The rows of a step in so many parts. Packed rows are dealt out so that the parts have equal sums; padded ones stay beside rows of
    their own length."""
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
            # By the middle of the row: the last row of all is in the last part, and no part has two where another has none to spare.
            parts[min(count - 1, (2 * done + len(row.ids)) * count // (2 * total))].append(row)
            done += len(row.ids)
    return [tuple(part) for part in parts]


def size(part: MicroBatch, packed: bool) -> int:
    """Tokens that a micro-batch takes, with padding."""
    lengths = [len(row.ids) for row in part]
    return sum(lengths) if packed else max(lengths, default=0) * len(lengths)


def _fits(part: MicroBatch, most: int, packed: bool) -> bool:
    return len(part) <= 1 or size(part, packed) <= most
