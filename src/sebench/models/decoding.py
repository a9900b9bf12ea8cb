"""Decoding many prompts at once, fast: one static cache, no padding on the left, and on a GPU one launch for each token
(a CUDA graph).

While a `Decoder` works, a transformers model calls `attend` instead of its own attention and uses the cache there, none
of the library's caches. Every row starts at the beginning of its cache line: prompts are prefilled with plain causal
attention, positions behind a row's end are masked by its length, and each new token overwrites them. A step at batch
512 of a small model takes milliseconds instead of tens of milliseconds.

Covered: decoder-only models whose layers all have full attention. Not covered: sliding windows, several devices; `fits`
checks this.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from sebench.base.errors import ConfigError

NAME = "sebench_decode"
BUCKET = 256  # tokens: attention spans a multiple of this, and each multiple has its own CUDA graph
PREFILL_TOKENS = 65_536  # of prompts prefilled together, padding included
LOOK_EVERY = 8  # tokens between checks whether all rows have ended

Draw = Callable[[Any, int], Any]  # logits of all rows, number of the token -> the next tokens


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


def greedy(logits: Any, number: int) -> Any:
    """The most likely token of each row."""
    return logits.argmax(-1)


def sampler(torch: Any, temperature: float, seed: int, device: Any) -> Draw:
    """Tokens sampled at a temperature; the same seed gives the same tokens for the same batch."""
    generator = torch.Generator(device=device).manual_seed(seed)

    def draw(logits: Any, number: int) -> Any:
        noise = torch.empty_like(logits, dtype=torch.float32).exponential_(generator=generator)
        return (logits.float() / temperature - noise.log()).argmax(-1)

    return draw if temperature > 0 else greedy


@dataclass
class _Cache:
    """Keys and values of all layers, and how many tokens of each row are cached."""

    keys: Any  # (layers, rows, heads, tokens, width)
    values: Any
    known: Any  # (rows,) tokens before the current one
    seen: int = 0  # tokens that attention spans while decoding; 0 during prefill
    rows: Any = None  # the rows that are being prefilled


class Decoder:
    """Batched decoding with one model."""

    def __init__(self, torch: Any, model: Any, bf16: bool = True) -> None:
        if not fits(model):
            raise ConfigError(
                f"{model.config.model_type}: this model cannot be decoded by the short loop; use --engine trl"
            )
        self.torch, self.model, self.bf16 = torch, model, bf16
        self.device = next(model.parameters()).device
        self.stopped: Callable[[], bool] = lambda: False

    def generate(
        self,
        prompts: Sequence[Sequence[int]],
        rooms: Sequence[int],
        ends: set[int],
        draw: Draw = greedy,
        copies: int = 1,
    ) -> list[list[int]]:
        """New tokens for each prompt, `copies` times: up to and including the end token, at most as many as there is
        room for."""
        torch = self.torch
        half = torch.autocast(self.device.type, dtype=torch.bfloat16, enabled=self.bf16, cache_enabled=False)
        with torch.inference_mode(), _attention(self.model), half:
            return self._generate(prompts, rooms, ends, draw, copies)

    def _generate(
        self, prompts: Sequence[Sequence[int]], rooms: Sequence[int], ends: set[int], draw: Draw, copies: int
    ) -> list[list[int]]:
        torch = self.torch
        most = max(len(prompt) + room for prompt, room in zip(prompts, rooms, strict=True))
        cache = self._cache(len(prompts) * copies, -(-most // BUCKET) * BUCKET)
        logits = self._read(cache, prompts, copies)
        room = torch.tensor([r for r in rooms for _ in range(copies)], device=self.device)
        ending = torch.tensor(sorted(ends) or [-1], device=self.device)
        longest = max(len(prompt) for prompt in prompts)
        over = torch.zeros(len(room), dtype=torch.bool, device=self.device)
        stepper = _Stepper(self, cache)
        generated = []
        for number in range(int(room.max())):
            tokens = draw(logits, number)
            generated.append(tokens)
            over |= torch.isin(tokens, ending) | (number + 1 >= room)
            if number % LOOK_EVERY == 0 and (bool(over.all()) or self.stopped()):
                break
            if number + 1 < int(room.max()):
                logits = stepper(tokens, longest + number + 1)
        return [_cut(row, r, ends) for row, r in zip(torch.stack(generated, 1).tolist(), room.tolist(), strict=True)]

    def _cache(self, rows: int, tokens: int) -> _Cache:
        torch, config = self.torch, self.model.config.get_text_config()
        width = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
        shape = (config.num_hidden_layers, rows, config.num_key_value_heads, tokens, width)
        dtype = torch.bfloat16 if self.bf16 else next(self.model.parameters()).dtype
        keys, values = (torch.zeros(shape, dtype=dtype, device=self.device) for _ in range(2))
        return _Cache(keys, values, torch.zeros(rows, dtype=torch.int64, device=self.device))

    def _read(self, cache: _Cache, prompts: Sequence[Sequence[int]], copies: int) -> Any:
        """Prefill each prompt once; the next-token logits of every copy."""
        torch, logits, start = self.torch, [], 0
        for part in _together([len(prompt) for prompt in prompts]):
            read = prompts[start : start + part]
            longest = max(len(prompt) for prompt in read)
            ids = torch.tensor([[*prompt, *[0] * (longest - len(prompt))] for prompt in read], device=self.device)
            cache.rows = slice(start * copies, (start + part) * copies, copies)
            states = self._states(ids, torch.arange(longest, device=self.device)[None], cache)
            last = torch.tensor([len(prompt) - 1 for prompt in read], device=self.device)
            logits.append(self._head(states[torch.arange(part, device=self.device), last]))
            start += part
        for tensor in (cache.keys, cache.values):
            for copy in range(1, copies):
                tensor[:, copy::copies] = tensor[:, ::copies]
        cache.known.copy_(torch.tensor([len(ids) for ids in prompts for _ in range(copies)]))
        return torch.cat(logits).repeat_interleave(copies, 0)

    def step(self, tokens: Any, cache: _Cache) -> Any:
        """Append one token to each row; the next-token logits."""
        logits = self._head(self._states(tokens[:, None], cache.known[:, None], cache)[:, 0])
        # A row that is full keeps decoding with the others and overwrites its last position, which nobody reads any
        # more.
        cache.known.add_(1).clamp_(max=cache.keys.shape[3] - 1)
        return logits

    def _states(self, ids: Any, positions: Any, cache: _Cache) -> Any:
        output = self.model.get_decoder()(input_ids=ids, position_ids=positions, use_cache=False, cache=cache)
        return output.last_hidden_state

    def _head(self, states: Any) -> Any:
        return self.model.get_output_embeddings()(states)


class _Stepper:
    """Decoding steps; on a GPU a CUDA graph for each number of tokens that attention spans."""

    def __init__(self, decoder: Decoder, cache: _Cache) -> None:
        self.decoder, self.cache, self.torch = decoder, cache, decoder.torch
        self.tokens = decoder.torch.zeros_like(cache.known)
        self.graph: Any = None
        self.logits: Any = None

    def __call__(self, tokens: Any, known: int) -> Any:
        """The next-token logits; `known` is the length of the longest row, these tokens included."""
        seen = min(-(-known // BUCKET) * BUCKET, self.cache.keys.shape[3])
        self.tokens.copy_(tokens)
        if self.decoder.device.type != "cuda":
            self.cache.seen = seen
            return self.decoder.step(self.tokens, self.cache)
        if seen != self.cache.seen:
            self.cache.seen = seen
            self._capture()
        self.graph.replay()
        return self.logits

    def _capture(self) -> None:
        torch, known = self.torch, self.cache.known.clone()
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):  # warm up: what kernels set up on their first call must not be captured
            for _ in range(2):
                self.decoder.step(self.tokens, self.cache)
                self.cache.known.copy_(known)
        torch.cuda.current_stream().wait_stream(stream)
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.logits = self.decoder.step(self.tokens, self.cache)
        self.cache.known.copy_(known)


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


def attend(
    module: Any,
    query: Any,
    key: Any,
    value: Any,
    attention_mask: Any,
    *,
    cache: _Cache,
    scaling: float | None = None,
    **_: Any,
) -> tuple[Any, None]:
    """Attention with the cache. Tensors are (rows, heads, tokens, width); the result (rows, tokens, heads, width)."""
    torch = import_module("torch")
    keys, values = cache.keys[module.layer_idx], cache.values[module.layer_idx]
    key, value, query = (tensor.to(keys.dtype) for tensor in (key, value, query))
    scale = query.shape[-1] ** -0.5 if scaling is None else scaling
    if not cache.seen:
        length = key.shape[2]
        keys[cache.rows, :, :length], values[cache.rows, :, :length] = key, value
        out = torch.nn.functional.scaled_dot_product_attention(
            query, key, value, is_causal=True, scale=scale, enable_gqa=True
        )
        return out.transpose(1, 2), None
    rows, heads, _, width = key.shape
    at = cache.known[:, None, None, None].expand(rows, heads, 1, width)
    keys.scatter_(2, at, key)
    values.scatter_(2, at, value)
    hidden = torch.arange(cache.seen, device=key.device) > cache.known[:, None, None, None]
    grouped = query.view(rows, heads, -1, width)  # query heads that share a key head are adjacent
    scores = grouped @ keys[:, :, : cache.seen].transpose(2, 3) * scale
    weights = scores.float().masked_fill(hidden, float("-inf")).softmax(-1).to(values.dtype)
    out = weights @ values[:, :, : cache.seen]
    return out.view(rows, 1, -1, width), None


def _together(lengths: Sequence[int]) -> Iterator[int]:
    """The sizes of the prefill batches, in order."""
    count, longest = 0, 0
    for length in lengths:
        if count and max(longest, length) * (count + 1) > PREFILL_TOKENS:
            yield count
            count, longest = 0, 0
        count, longest = count + 1, max(longest, length)
    yield count


def _cut(row: list[int], room: int, ends: set[int]) -> list[int]:
    row = row[:room]
    end = next((i for i, token in enumerate(row) if token in ends), None)
    return row if end is None else row[: end + 1]
