"""Rows side by side in one sequence, none of which sees another: no padding, and the fast kernels stay in use.

A model of transformers calls `attend` in the place of its own attention while `packed(model)` holds. On a GPU that is PyTorch's
attention over sequences of different lengths; elsewhere the rows are gone through one by one, which is exact and slow only for very short ones.
Covered: decoder-only models with full attention. Not covered: sliding windows, which `packed` refuses.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from itertools import pairwise
from typing import Any

from sebench.errors import ConfigError

NAME = "sebench_packed"
ROUND = 256  # lengths are rounded up to this where a kernel is compiled for them: fewer shapes, fewer compilations


@contextmanager
def packed(model: Any) -> Iterator[None]:
    """Inside, the model takes packs: ids of one sequence, `position_ids`, and `bounds` and `longest` of its rows."""
    config = model.config.get_text_config()
    if set(getattr(config, "layer_types", None) or ["full_attention"]) != {"full_attention"}:
        raise ConfigError(
            f"{config.model_type}: it has attention over sliding windows, which the short loop lacks; use --engine trl"
        )
    hf = import_module("transformers")
    hf.AttentionInterface.register(NAME, attend)
    before = config._attn_implementation
    model.set_attn_implementation(NAME)
    try:
        yield
    finally:
        model.set_attn_implementation(before)


def bounds(lengths: Sequence[int]) -> list[int]:
    """Where the rows begin, and where the last one ends."""
    made = [0]
    for length in lengths:
        made.append(made[-1] + length)
    return made


def attend(
    module: Any,
    query: Any,
    key: Any,
    value: Any,
    attention_mask: Any,
    *,
    bounds: Any,
    longest: int,
    scaling: float | None = None,
    **_: Any,
) -> tuple[Any, None]:
    """Causal attention within the rows of a pack. Tensors are (1, heads, tokens, width); the result (1, tokens, heads, width)."""
    torch = import_module("torch")
    kind = query.device.type
    if torch.is_autocast_enabled(kind):
        dtype = torch.get_autocast_dtype(kind)
        query, key, value = query.to(dtype), key.to(dtype), value.to(dtype)
    scale = query.shape[-1] ** -0.5 if scaling is None else scaling
    if kind == "cuda":
        return _on_gpu(query, key, value, bounds, longest, scale), None
    parts = []
    starts = bounds.tolist()
    for start, end in pairwise(starts):
        row = [tensor[:, :, start:end] for tensor in (query, key, value)]
        parts.append(
            torch.nn.functional.scaled_dot_product_attention(*row, is_causal=True, scale=scale, enable_gqa=True)
        )
    return torch.cat(parts, dim=2).transpose(1, 2), None


def _on_gpu(query: Any, key: Any, value: Any, bounds: Any, longest: int, scale: float) -> Any:
    kernel, options = _kernel()
    q, k, v = (tensor[0].transpose(0, 1) for tensor in (query, key, value))
    if "enable_gqa" not in options:
        groups = q.shape[1] // k.shape[1]
        k, v = k.repeat_interleave(groups, 1), v.repeat_interleave(groups, 1)
    out = kernel(q, k, v, bounds, bounds, longest, longest, **options, scale=scale)
    return out[None]


@cache
def _kernel() -> tuple[Any, dict[str, Any]]:
    """PyTorch's attention over rows of different lengths, and how this version of it is asked for causal attention."""
    try:
        kernel = import_module("torch.nn.attention.varlen").varlen_attn
    except ModuleNotFoundError:
        raise ConfigError(
            "the short loop needs torch 2.11 or newer on a GPU; update torch, or use --engine trl"
        ) from None
    known = inspect.signature(kernel).parameters
    options: dict[str, Any] = {"window_size": (-1, 0)} if "window_size" in known else {"is_causal": True}
    if "enable_gqa" in known:
        options["enable_gqa"] = True
    return kernel, options
