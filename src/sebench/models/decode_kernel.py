"""A Triton kernel for decoding on GPUs: attention of one new token per row over the row's pages in the cache.

Every row reads only its own tokens, without padding, and nothing on the host depends on lengths, so one CUDA graph
serves all lengths. The query heads that share a key head form one small matrix. If there are few rows, the tokens of
each row are split among several programs, and a second kernel combines the parts.

Not covered: more than one new token per row, sliding windows, and attention sinks.
"""

from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl

PROGRAMS = 512  # fewer do not fill a GPU: an H200 has 132 multiprocessors, each running several
SPLITS = 8  # a single value, since each value needs its own compiled kernel


def attend(query: Any, keys: Any, values: Any, table: Any, lengths: Any, page: int, scale: float) -> Any:
    """Return the attention output, which has the shape of the queries (rows, heads, width). Keys and values have the
    shape (tokens in all pages, key heads, width)."""
    rows, heads, width = query.shape
    key_heads = keys.shape[1]
    group = heads // key_heads
    splits = SPLITS if rows * key_heads < PROGRAMS else 1
    out = torch.empty_like(query)
    parts = torch.empty((rows, heads, splits, width), dtype=torch.float32, device=query.device) if splits > 1 else out
    sums = torch.empty((rows, heads, splits, 2), dtype=torch.float32, device=query.device) if splits > 1 else out
    padded = max(16, triton.next_power_of_2(group))
    padded_width = max(16, triton.next_power_of_2(width))
    _attend[(rows, key_heads, splits)](
        query, keys, values, table, lengths, out, parts, sums,
        query.stride(0), query.stride(1), keys.stride(0), keys.stride(1), table.stride(0), scale,
        group, padded, width, padded_width, page, 64 if padded_width > 64 else 128, splits,
        num_warps=4, num_stages=3,
    )  # fmt: skip
    if splits > 1:
        _combine[(rows, heads)](parts, sums, out, heads, width, padded_width, splits, triton.next_power_of_2(splits))
    return out


@triton.jit
def _attend(
    query, keys, values, table, lengths, out, parts, sums,
    query_row, query_head, key_token, key_head, table_row, scale,
    GROUP: tl.constexpr, PADDED: tl.constexpr, WIDTH: tl.constexpr, PADDED_WIDTH: tl.constexpr, PAGE: tl.constexpr,
    BLOCK: tl.constexpr, SPLITS: tl.constexpr,
):  # fmt: skip
    row, head, split = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    length = tl.load(lengths + row)
    share = tl.cdiv(tl.cdiv(length, SPLITS), BLOCK) * BLOCK
    start = split * share
    end = tl.minimum(start + share, length)
    members, places = tl.arange(0, PADDED), tl.arange(0, PADDED_WIDTH)
    heads = head * GROUP + members
    inside = (members < GROUP)[:, None] & (places < WIDTH)[None, :]
    queries = tl.load(query + row * query_row + heads[:, None] * query_head + places[None, :], mask=inside, other=0.0)
    highest = tl.full([PADDED], float("-inf"), tl.float32)
    total = tl.zeros([PADDED], tl.float32)
    mixed = tl.zeros([PADDED, PADDED_WIDTH], tl.float32)
    for begin in range(start, end, BLOCK):
        tokens = begin + tl.arange(0, BLOCK)
        there = tokens < end
        pages = tl.load(table + row * table_row + tokens // PAGE, mask=there, other=0).to(tl.int64)
        base = (pages * PAGE + tokens % PAGE) * key_token + head * key_head
        visible = there[:, None] & (places < WIDTH)[None, :]
        key = tl.load(keys + base[:, None] + places[None, :], mask=visible, other=0.0)
        scores = tl.dot(queries, tl.trans(key), input_precision="ieee") * scale
        scores = tl.where(there[None, :], scores, float("-inf"))
        higher = tl.maximum(highest, tl.max(scores, 1))
        weights = tl.exp(scores - higher[:, None])
        kept = tl.exp(highest - higher)
        value = tl.load(values + base[:, None] + places[None, :], mask=visible, other=0.0)
        mixed = mixed * kept[:, None] + tl.dot(weights.to(value.dtype), value, input_precision="ieee")
        total = total * kept + tl.sum(weights, 1)
        highest = higher
    count = tl.num_programs(1) * GROUP
    if SPLITS == 1:
        target = (row * count + heads)[:, None] * WIDTH + places[None, :]
        tl.store(out + target, (mixed / total[:, None]).to(out.dtype.element_ty), mask=inside)
    else:
        place = (row * count + heads) * SPLITS + split
        tl.store(parts + place[:, None] * WIDTH + places[None, :], mixed, mask=inside)
        tl.store(sums + place * 2, highest, mask=members < GROUP)
        tl.store(sums + place * 2 + 1, total, mask=members < GROUP)


@triton.jit
def _combine(
    parts, sums, out, heads,
    WIDTH: tl.constexpr, PADDED_WIDTH: tl.constexpr, SPLITS: tl.constexpr, PADDED: tl.constexpr,
):  # fmt: skip
    at = tl.program_id(0) * heads + tl.program_id(1)
    splits, places = tl.arange(0, PADDED), tl.arange(0, PADDED_WIDTH)
    there = splits < SPLITS
    highest = tl.load(sums + (at * SPLITS + splits) * 2, mask=there, other=float("-inf"))
    total = tl.load(sums + (at * SPLITS + splits) * 2 + 1, mask=there, other=0.0)
    scale = tl.exp(highest - tl.max(highest, 0))
    inside = there[:, None] & (places < WIDTH)[None, :]
    part = tl.load(parts + (at * SPLITS + splits)[:, None] * WIDTH + places[None, :], mask=inside, other=0.0)
    mixed = tl.sum(part * scale[:, None], 0) / tl.sum(total * scale, 0)
    tl.store(out + at * WIDTH + places, mixed.to(out.dtype.element_ty), mask=places < WIDTH)
