"""Fast decoding of many prompts at once: continuous batching with a paged KV cache.

    Decoder(torch, model).generate(prompts, max_tokens, ends)  returns when all answers are complete
    Decoder(torch, model).stream(take, give, ends, sampling)   takes requests and delivers answers while decoding

While a `Decoder` runs, a transformers model calls `attend` instead of its own attention, with our cache instead of the
library's. `batching.py` implements the cache, a pool of pages, and the rows (sequences) that are decoded together. When
a row finishes, the next request takes its slot; on a GPU the host checks only after every eighth step which rows have
finished.

The random number that draws a token depends on the request's seed, its prompt and the number of tokens drawn before,
but not on the other requests in the batch. Only rounding may differ, since a batch changes the order of sums.

Covered: decoder-only models with full attention in all layers, on one device. Not covered: sliding windows, and several
devices; `fits` checks this.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from sebench.base.errors import ConfigError
from sebench.base.kernel_memory import memory_left
from sebench.models.batching import (
    PAGE,
    DecodeBatch,
    DecodeRequest,
    Give,
    PromptReading,
    RowReading,
    head_width,
    pages_needed,
)
from sebench.models.model import Sampling

NAME = "sebench_decode"
ROWS = 512  # decoded together by default
PREFILL_TOKENS = 65_536  # maximum prompt tokens per prefill pass on a GPU
# On a CPU, a pass of 65,536 tokens took 1.8 GB with SmolLM2's layers and was no faster than passes of 8,192.
CPU_PREFILL_TOKENS = 8192
LOOK_EVERY = 8  # steps between two checks for finished rows on a GPU
MEMORY_SHARE = 0.7  # maximum share of a GPU's free memory for the cache
CPU_MEMORY_SHARE = 0.5  # the same on a CPU, where running out raises no error: the kernel kills the process
GREEDY = Sampling()


Take = Callable[[int], Iterable[DecodeRequest]]  # returns up to this many waiting requests


def fits(model: Any) -> bool:
    """Whether this decoder supports a model."""
    config = model.config.get_text_config()
    return (
        hasattr(config, "num_key_value_heads")
        and sees_everything(config)
        and len({p.device for p in model.parameters()}) == 1
        and has_plain_head(model)
    )


def sees_everything(config: Any) -> bool:
    """Whether every layer has ordinary full attention: no sliding window (configured per layer in some models, once in
    others) and no cap on attention scores."""
    layers = set(getattr(config, "layer_types", None) or ["full_attention"])
    windows = getattr(config, "sliding_window", None) or getattr(config, "attn_logit_softcapping", None)
    return layers == {"full_attention"} and not windows


def has_plain_head(model: Any) -> bool:
    """Whether logits are the unmodified output of the output layer. Some models scale or cap them afterwards (Granite,
    Cohere, Gemma 2)."""
    torch, training = import_module("torch"), model.training
    ids = torch.arange(1, 5, device=next(model.parameters()).device)[None]
    model.eval()
    try:
        with torch.no_grad():
            states = model.get_decoder()(input_ids=ids, use_cache=False).last_hidden_state
            from_head, logits = model.get_output_embeddings()(states), model(input_ids=ids, use_cache=False).logits
            return bool(torch.allclose(from_head.float(), logits.float(), rtol=0.01, atol=0.001, equal_nan=True))
    finally:
        model.train(training)


def end_tokens(model: Any, tokenizer: Any) -> set[int]:
    """Return the tokens that end a response: those in the model's generation config, and the tokenizer's end-of-text
    token, which ends the answers in our training data."""
    named = model.generation_config.eos_token_id
    ends = set(named) if isinstance(named, list) else {named}
    return {*ends, tokenizer.eos_token_id} - {None}


class Decoder:
    """Decodes with one model. With `bf16`, float32 weights are converted to bf16 while it runs."""

    def __init__(self, torch: Any, model: Any, bf16: bool = True, rows: int = ROWS) -> None:
        if not fits(model):
            raise ConfigError(
                f"{model.config.model_type}: the built-in decoder does not support this model; use --trainer trl"
            )
        self.torch, self.model = torch, model
        weight = next(model.parameters())
        self.device, self.dtype = weight.device, torch.bfloat16 if bf16 else weight.dtype
        # Both are halved when memory runs out.
        self.rows, self.prefill_tokens = rows, CPU_PREFILL_TOKENS if self.device.type == "cpu" else PREFILL_TOKENS
        self.fast = self.device.type == "cuda" and find_spec("triton") is not None
        self._batch: DecodeBatch | None = None
        self._most = 0  # total number of requests, if known; else 0

    def generate(
        self,
        prompts: Sequence[Sequence[int]],
        max_tokens: Sequence[int],
        ends: set[int],
        sampling: Sampling = GREEDY,
        seed: int = 0,
        copies: int = 1,
        ended: Callable[[int, list[int]], None] = lambda number, answer: None,
    ) -> list[list[int]]:
        """Return the new tokens of `copies` answers to each prompt, including the end token if there is one.
        `max_tokens` limits the answers to each prompt. `ended` is called with each answer as soon as it is complete."""
        expanded = [(prompt, most) for prompt, most in zip(prompts, max_tokens, strict=True) for _ in range(copies)]
        waiting = deque(DecodeRequest(*pair, seed * 1_000_003 + n % copies, n) for n, pair in enumerate(expanded))
        answers: list[list[int]] = [[] for _ in expanded]

        def take(count: int) -> list[DecodeRequest]:
            return [waiting.popleft() for _ in range(min(count, len(waiting)))]

        def give(request: DecodeRequest, answer: list[int]) -> None:
            answers[request.tag] = answer
            ended(request.tag, answer)

        try:
            self.stream(take, give, ends, sampling, most=len(expanded))
        finally:
            self.close()
        return answers

    def stream(
        self,
        take: Take,
        give: Give,
        ends: set[int],
        sampling: Sampling,
        gone: Callable[[DecodeRequest], bool] = lambda request: False,
        most: int = 0,
    ) -> None:
        """Answer requests until none are left. `most` is their total number, if the caller knows it. Requests for which
        `gone` is true are dropped without an answer.

        If memory runs out, all unanswered requests start over with half as many rows.
        """
        torch, queue = self.torch, deque[DecodeRequest]()
        self._most, drawing = most, (frozenset(ends), sampling)
        with self._weights(), _attention(self.model), self._fused_norms(), torch.inference_mode():
            while True:
                try:
                    return self._stream(queue, take, give, drawing, gone)
                except torch.OutOfMemoryError:
                    queue.extendleft(reversed(self._batch.requests() if self._batch else []))
                    if self.rows == 1:
                        raise
                finally:
                    if self._batch and self._batch.active:  # interrupted by an error
                        self._batch = None
                self.close()  # outside the handler, where the error and the tensors it referenced are freed
                self.rows, self.prefill_tokens = self.rows // 2, max(1, self.prefill_tokens // 2)

    def _stream(
        self,
        queue: deque[DecodeRequest],
        take: Take,
        give: Give,
        drawing: tuple[frozenset[int], Sampling],
        gone: Callable[[DecodeRequest], bool],
    ) -> None:
        while True:
            busy = len(self._batch.active) if self._batch else 0
            queue.extend(take(self.rows - busy - len(queue)))
            if not busy and not queue:
                return
            if self._batch is None or (not busy and not self._batch.holds(queue[0], drawing)):
                self._open(queue, drawing)
            batch = self._batch
            assert batch is not None
            batch.admit(queue)
            for _ in range(LOOK_EVERY if self.fast else 1):
                batch.step()
            batch.collect(give, gone, bool(queue))

    def _open(self, queue: Sequence[DecodeRequest], drawing: tuple[frozenset[int], Sampling]) -> None:
        """Open a batch whose cache has room for the expected requests, assumed to be similar to the waiting ones, as
        far as free memory allows."""
        self.close()
        max_tokens, needed = max(r.max_tokens for r in queue), [pages_needed(r) for r in queue]
        pages = (
            sum(needed) if self._most and self._most <= self.rows else sum(needed) * self.rows * 3 // (2 * len(needed))
        )
        config, free = self.model.config.get_text_config(), self._memory_for_cache()
        token = 2 * config.num_hidden_layers * config.num_key_value_heads * head_width(config) * self.dtype.itemsize
        pages = min(pages, int(free) // (token * PAGE)) if free is not None else pages
        self._batch = DecodeBatch(self, (max(pages, *needed, 1) + 1, max(needed)), max_tokens, drawing)

    def _memory_for_cache(self) -> float | None:
        """Return how many bytes the cache may take; None if that is not known."""
        if self.device.type == "cuda":
            cuda = self.torch.cuda
            unused = cuda.memory_reserved(self.device) - cuda.memory_allocated(self.device)
            return MEMORY_SHARE * float(cuda.mem_get_info(self.device)[0] + unused)
        free = memory_left() if self.device.type == "cpu" else None
        return None if free is None else CPU_MEMORY_SHARE * free

    def close(self) -> None:
        """Free the memory of the cache."""
        self._batch = None
        if self.device.type == "cuda":
            self.torch.cuda.empty_cache()

    @contextmanager
    def _weights(self) -> Iterator[None]:
        """Convert the model's weights to the decoder's dtype, and restore them afterwards."""
        kept = [(p, p.data) for p in self.model.parameters() if p.is_floating_point() and p.dtype != self.dtype]
        if not kept:
            yield
            return
        self.close()  # a captured graph would read weights that no longer exist
        try:
            for parameter, data in kept:
                parameter.data = data.to(self.dtype)
            yield
        finally:
            for parameter, data in kept:
                parameter.data = data
            self.close()

    @contextmanager
    def _fused_norms(self) -> Iterator[None]:
        """On a GPU, compute each RMS norm with one kernel instead of eight."""
        norms = [module for module in self.model.modules() if self.fast and _is_plain_norm(self.torch, module)]
        for module in norms:
            module.forward = partial(_fused_norm, self.torch, module)
        try:
            yield
        finally:
            for module in norms:
                del module.forward

    def logits(self, ids: Any, positions: Any, reading: RowReading | PromptReading) -> Any:
        """Return the logits of the token after each row's last token."""
        states = self.model.get_decoder()(input_ids=ids, position_ids=positions, use_cache=False, reading=reading)
        return self.model.get_output_embeddings()(reading.last(states.last_hidden_state))


def attend(
    module: Any,
    query: Any,
    key: Any,
    value: Any,
    attention_mask: Any,
    *,
    reading: RowReading | PromptReading,
    scaling: float | None = None,
    **_: Any,
) -> tuple[Any, None]:
    """Compute attention with our cache. Tensors are (rows, heads, tokens, width); the result is (rows, tokens, heads,
    width)."""
    keys, values = reading.keys[module.layer_idx], reading.values[module.layer_idx]
    for cache, new in ((keys, key), (values, value)):
        cache.index_copy_(0, reading.writes, new.transpose(1, 2).reshape(-1, *cache.shape[1:]).to(cache.dtype))
    scale = query.shape[-1] ** -0.5 if scaling is None else scaling
    return reading.attend(query.to(keys.dtype), keys, values, scale), None


@contextmanager
def _attention(model: Any) -> Iterator[None]:
    hf = import_module("transformers")
    hf.AttentionInterface.register(NAME, attend)
    training, before = model.training, model.config.get_text_config()._attn_implementation
    model.eval()
    model.set_attn_implementation(NAME)
    try:
        yield
    finally:
        model.set_attn_implementation(before)
        model.train(training)


def _fused_norm(torch: Any, norm: Any, states: Any) -> Any:
    return torch.nn.functional.rms_norm(states, norm.weight.shape, norm.weight, norm.variance_epsilon)


def _is_plain_norm(torch: Any, module: Any) -> bool:
    """Whether a module is the RMS norm of Llama and most other models. Some models add 1 to its weights."""
    if not hasattr(module, "variance_epsilon") or [name for name, _ in module.named_parameters()] != ["weight"]:
        return False
    with torch.no_grad():
        states = torch.linspace(-2, 3, module.weight.numel(), device=module.weight.device, dtype=module.weight.dtype)
        plain, fused = module(states[None]).float(), _fused_norm(torch, module, states[None]).float()
        return bool(torch.allclose(fused, plain, rtol=0.02, atol=1e-3))
