"""Splits the rows of a step into micro-batches of nearly equal size, the same number for every process.

Whatever the number of processes, the steps are those of the single-device loop (`batches.py`): a step on eight GPUs has
the same rows as a step on one. Distributed trainers need the same number of micro-batches in every process. If a step
has too few rows, some micro-batches are left empty here, and the engine fills them with tokens that carry no loss.
"""

from __future__ import annotations

from collections.abc import Sequence

from sebench.train.data.tokens import TokenRow
from sebench.train.loop.batches import TrainingStep

MicroBatch = tuple[TokenRow, ...]


def split_steps(
    steps: Sequence[TrainingStep], processes: int, pack_tokens: int, packed: bool
) -> tuple[int, tuple[MicroBatch, ...]]:
    """Split each step into micro-batches of at most `pack_tokens` tokens (or a single longer row). Return the number of
    accumulation rounds per step, as few as possible, each with one micro-batch per process, and all micro-batches."""
    accumulation = 1
    while any(
        not _fits(part, pack_tokens, packed) for s in steps for part in split_step(s, processes * accumulation, packed)
    ):
        accumulation += 1
    parts = [part for step in steps for part in split_step(step, processes * accumulation, packed)]
    return accumulation, tuple(parts)


def split_step(step: TrainingStep, count: int, packed: bool) -> list[MicroBatch]:
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


def size(part: MicroBatch, packed: bool) -> int:
    """Return the number of tokens in a micro-batch, including padding."""
    lengths = [len(row.ids) for row in part]
    return sum(lengths) if packed else max(lengths, default=0) * len(lengths)


def _fits(part: MicroBatch, max_tokens: int, packed: bool) -> bool:
    return len(part) <= 1 or size(part, packed) <= max_tokens
