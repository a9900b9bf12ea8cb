"""Packed attention: several rows in one sequence, where no row attends to another. It needs no padding and still uses
the fast kernels.

Inside `packed_attention(model)`, a transformers model calls the attention here instead of its own. On a GPU this is
PyTorch's variable-length attention, in 16 bits. Elsewhere rows are computed one by one, which is exact, and slow only
for very short rows.

Covered: decoder-only models with full attention.
Not covered: sliding windows and capped attention scores, which `packed_attention` refuses.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache, partial
from importlib import import_module
from itertools import accumulate, pairwise
from typing import Any

from sebench.base.errors import ConfigError
from sebench.models.decoding import sees_everything

NAME = "sebench_packed"
Attention = Callable[..., tuple[Any, None]]
ROUND = 256  # lengths are rounded up to multiples of this if kernels are compiled: fewer shapes, fewer compilations


@contextmanager
def packed_attention(model: Any) -> Iterator[None]:
    """Context in which the model accepts packs: the ids of one sequence, `position_ids`, and the rows' `bounds` and
    `longest` length."""
    config = model.config.get_text_config()
    if not sees_everything(config):
        raise ConfigError(
            f"{config.model_type} uses sliding-window attention or caps its attention scores, which packing does not "
            "support; use --trainer trl --no-packing"
        )
    if getattr(config, "attention_dropout", 0):
        raise ConfigError(
            f"{config.model_type} has attention_dropout = {config.attention_dropout} in its config.json, which packing "
            "does not support; set it to 0"
        )
    attention = _on_gpu() if next(model.parameters()).device.type == "cuda" else row_by_row
    import_module("transformers").AttentionInterface.register(NAME, attention)
    before = config._attn_implementation
    model.set_attn_implementation(NAME)
    try:
        yield
    finally:
        model.set_attn_implementation(before)


def bounds(lengths: Sequence[int]) -> list[int]:
    """Return where each row begins, and where the last one ends."""
    return list(accumulate(lengths, initial=0))


def row_by_row(
    module: Any, query: Any, key: Any, value: Any, mask: Any, *, bounds: Any, scaling: float | None = None, **_: Any
) -> tuple[Any, None]:
    """Compute causal attention within the rows of a pack. Tensors are (1, heads, tokens, width); the result is (1,
    tokens, heads, width)."""
    torch = import_module("torch")
    attend = partial(torch.nn.functional.scaled_dot_product_attention, is_causal=True, scale=scaling, enable_gqa=True)
    parts = [
        attend(*(tensor[:, :, start:end].to(value.dtype) for tensor in (query, key, value)))
        for start, end in pairwise(bounds.tolist())
    ]
    return torch.cat(parts, dim=2).transpose(1, 2), None


def on_gpu(kernel: Any, options: dict[str, Any]) -> Attention:
    """Return a function that computes the same attention with a variable-length kernel and can be compiled.

    Such kernels work in 16 bits; float32 is computed row by row.
    """
    grouped = "enable_gqa" in options

    def attention(
        module: Any,
        query: Any,
        key: Any,
        value: Any,
        mask: Any,
        *,
        bounds: Any,
        longest: int,
        scaling: float | None = None,
        **_: Any,
    ) -> tuple[Any, None]:
        if value.dtype.itemsize > 2:
            return row_by_row(module, query, key, value, mask, bounds=bounds, scaling=scaling)
        q, k, v = (tensor[0].transpose(0, 1).to(value.dtype) for tensor in (query, key, value))
        if not grouped:
            groups = q.shape[1] // k.shape[1]
            k, v = k.repeat_interleave(groups, 1), v.repeat_interleave(groups, 1)
        return kernel(q, k, v, bounds, bounds, longest, longest, scale=scaling, **options)[None], None

    return attention


@cache  # one function, so that its compiled code is reused
def _on_gpu() -> Attention:
    """Return attention with PyTorch's own kernel, with the arguments for causal attention in the installed version."""
    try:
        kernel = import_module("torch.nn.attention.varlen").varlen_attn
    except ModuleNotFoundError:
        raise ConfigError(
            "--trainer loop needs torch 2.11 or newer on a GPU; update torch, or use --trainer trl"
        ) from None
    known = inspect.signature(kernel).parameters
    options: dict[str, Any] = {"window_size": (-1, 0)} if "window_size" in known else {"is_causal": True}
    if "enable_gqa" in known:
        options["enable_gqa"] = True
    return on_gpu(kernel, options)
