"""Decoding many prompts at once, fast: continuous batching over a paged cache.

    Decoder(torch, model).generate(prompts, rooms, ends)      all answers, when the last one has ended
    Decoder(torch, model).stream(take, give, ends, sampling)  requests come and answers go while others are decoded

While a `Decoder` works, a transformers model calls `attend` instead of its own attention and uses the cache there, none
of the library's caches. `batching.py` has the cache, which is a pool of pages, and the rows that are decoded together.
A row that ends gives its place to the next request; on a GPU the host checks after every eighth step which rows have
ended.

A token is drawn with a number that depends on the request's seed, its prompt and how many tokens were drawn before, not
on what is decoded beside it; only rounding may differ, since a batch changes the order of sums.

Covered: decoder-only models whose layers all have full attention, on one device. Not covered: sliding windows, several
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
ROWS = 512  # decoded together, where the caller does not say
PREFILL_TOKENS = 65_536  # of prompts read together
LOOK_EVERY = 8  # tokens between two looks at a GPU for rows that have ended
MEMORY_SHARE = 0.7  # of the free memory of a GPU that the cache may take
GREEDY = Sampling()


Take = Callable[[int], Iterable[DecodeRequest]]  # up to so many requests that wait


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
    """Whether every layer has plain full attention: no sliding window (listed by layer in some configurations, once in
    others) and no cap on the scores."""
    layers = set(getattr(config, "layer_types", None) or ["full_attention"])
    windows = getattr(config, "sliding_window", None) or getattr(config, "attn_logit_softcapping", None)
    return layers == {"full_attention"} and not windows


def has_plain_head(model: Any) -> bool:
    """Whether logits are the plain output of the last layer. Some models scale or cap them afterwards (Granite, Cohere,
    Gemma 2)."""
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
    """The tokens that end a response: those of the model's generation config, and the tokenizer's end of text, which
    ends trained answers."""
    named = model.generation_config.eos_token_id
    ends = set(named) if isinstance(named, list) else {named}
    return {*ends, tokenizer.eos_token_id} - {None}


class Decoder:
    """Decodes with one model. `bf16`: weights in float32 are used in 16 bits meanwhile."""

    def __init__(self, torch: Any, model: Any, bf16: bool = True, rows: int = ROWS) -> None:
        if not fits(model):
            raise ConfigError(
                f"{model.config.model_type}: this model cannot be decoded by the short loop; use --trainer trl"
            )
        self.torch, self.model = torch, model
        self.rows, self.prefill_tokens = rows, PREFILL_TOKENS  # both are halved where memory ends
        weight = next(model.parameters())
        self.device, self.dtype = weight.device, torch.bfloat16 if bf16 else weight.dtype
        self.fast = self.device.type == "cuda" and find_spec("triton") is not None
        self._batch: DecodeBatch | None = None
        self._most = 0  # requests that are still to come, where it is known

    def generate(
        self,
        prompts: Sequence[Sequence[int]],
        rooms: Sequence[int],
        ends: set[int],
        sampling: Sampling = GREEDY,
        seed: int = 0,
        copies: int = 1,
        ended: Callable[[int, list[int]], None] = lambda number, answer: None,
    ) -> list[list[int]]:
        """New tokens of each prompt, `copies` times: up to and with the one that ends a response, at most as many as it
        has room for. `ended` is called for each as soon as it has ended."""
        expanded = [(prompt, room) for prompt, room in zip(prompts, rooms, strict=True) for _ in range(copies)]
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
        """Answer requests until none is left, at most so many where the caller knows. Those that are `gone` are dropped
        without an answer.

        Where memory ends, everything that was not answered begins again with half as many rows.
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
                    if self._batch and self._batch.active:  # it broke off
                        self._batch = None
                self.close()  # outside of the handler: the error is gone by now, and with it what it held
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
        """A batch with a cache for as many requests as there will be, taken to be like those that wait, as far as
        memory goes."""
        self.close()
        room, needed = max(r.room for r in queue), [pages_needed(r) for r in queue]
        pages = (
            sum(needed) if self._most and self._most <= self.rows else sum(needed) * self.rows * 3 // (2 * len(needed))
        )
        if self.device.type == "cuda":
            torch, config = self.torch, self.model.config.get_text_config()
            token = 2 * config.num_hidden_layers * config.num_key_value_heads * head_width(config) * self.dtype.itemsize
            unused = torch.cuda.memory_reserved(self.device) - torch.cuda.memory_allocated(self.device)
            free = MEMORY_SHARE * (torch.cuda.mem_get_info(self.device)[0] + unused)
            pages = min(pages, int(free) // (token * PAGE))
        self._batch = DecodeBatch(self, (max(pages, *needed, 1) + 1, max(needed)), room, drawing)

    def close(self) -> None:
        """Give the cache back."""
        self._batch = None
        if self.device.type == "cuda":
            self.torch.cuda.empty_cache()

    @contextmanager
    def _weights(self) -> Iterator[None]:
        """The model's weights in the decoder's type; as they were, afterwards."""
        kept = [(p, p.data) for p in self.model.parameters() if p.is_floating_point() and p.dtype != self.dtype]
        if not kept:
            yield
            return
        self.close()  # a kept graph would read weights that are not there any more
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
        """On a GPU, a root-mean-square norm is one kernel in the place of eight."""
        norms = [module for module in self.model.modules() if self.fast and _is_plain_norm(self.torch, module)]
        for module in norms:
            module.forward = partial(_fused_norm, self.torch, module)
        try:
            yield
        finally:
            for module in norms:
                del module.forward

    def logits(self, ids: Any, positions: Any, reading: RowReading | PromptReading) -> Any:
        """What the model expects behind each row's last token."""
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
    """Attention with the cache. Tensors are (rows, heads, tokens, width); the result (rows, tokens, heads, width)."""
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
    """Whether a module is the norm of Llama and most others. Some add 1 to its weights."""
    if not hasattr(module, "variance_epsilon") or [name for name, _ in module.named_parameters()] != ["weight"]:
        return False
    with torch.no_grad():
        states = torch.linspace(-2, 3, module.weight.numel(), device=module.weight.device, dtype=module.weight.dtype)
        plain, fused = module(states[None]).float(), _fused_norm(torch, module, states[None]).float()
        return bool(torch.allclose(fused, plain, rtol=0.02, atol=1e-3))
