"""Splits the rows of a step into micro-batches of nearly equal size, the same number for every process.

The steps are those of the loop for one device (`batches.py`), whatever the number of processes: a step on eight GPUs
has the same rows as a step on one. Distributed trainers need the same number of micro-batches from every process; if a
step has too few rows, some micro-batches are empty here, and the engine fills them with tokens that carry no loss.
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


def split_steps(steps: Sequence[TrainingStep], processes: int, pack_tokens: int, packed: bool) -> MicroBatches:
    """Split with the fewest accumulation rounds for which every micro-batch has at most `pack_tokens` tokens, or one
    row."""
    accumulation = 1
    while any(
        not _fits(part, pack_tokens, packed) for s in steps for part in split_step(s, processes * accumulation, packed)
    ):
        accumulation += 1
    parts = [part for step in steps for part in split_step(step, processes * accumulation, packed)]
    return MicroBatches(processes, accumulation, tuple(parts))


def split_step(step: TrainingStep, count: int, packed: bool) -> list[MicroBatch]:
    """The rows of a step in `count` micro-batches. Packed rows are distributed to equalise the sums; padded rows are
    grouped by length."""
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
            # By the middle of the row: the last row ends up in the last part, and rows spread over all parts.
            parts[min(count - 1, (2 * done + len(row.ids)) * count // (2 * total))].append(row)
            done += len(row.ids)
    return [tuple(part) for part in parts]


def size(part: MicroBatch, packed: bool) -> int:
    """The tokens of a micro-batch, padding included."""
    lengths = [len(row.ids) for row in part]
    return sum(lengths) if packed else max(lengths, default=0) * len(lengths)


def _fits(part: MicroBatch, max_tokens: int, packed: bool) -> bool:
    return len(part) <= 1 or size(part, packed) <= max_tokens
