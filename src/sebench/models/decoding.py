"""Decoding many prompts at once, fast: continuous batching over a paged cache.

    Decoder(torch, model).generate(prompts, rooms, ends)      all answers, when the last one has ended
    Decoder(torch, model).stream(take, give, ends, sampling)  requests come and answers go while others are decoded

While a `Decoder` works, a transformers model calls `attend` instead of its own attention and uses the cache there, none
of the library's caches. The cache is a pool of pages of 16 tokens. Prompts are prefilled packed, without padding, and a
prefix that several share (a preamble, a page of documentation, all samples of one prompt) is prefilled and stored once.
A row that ends gives its place to the next request. On a GPU a step of all rows, sampling included, is one CUDA graph,
whatever their lengths; the host checks after every eighth step which rows have ended.

A token is drawn with a number that depends on the request's seed, its prompt and how many tokens were drawn before, not
on what is decoded beside it; only rounding may differ, since a batch changes the order of sums.

Covered: decoder-only models whose layers all have full attention, on one device. Not covered: sliding windows, several
devices; `fits` checks this.
"""

from __future__ import annotations

from array import array
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from sebench.base.errors import ConfigError
from sebench.models.model import Sampling

NAME = "sebench_decode"
PAGE = 16  # tokens
ROWS = 512  # decoded together, where the caller does not say
FEWEST_ROWS = 8  # of a CUDA graph; further ones are for four times as many each: to capture one takes 0.15 s
PREFILL_TOKENS = 65_536  # of prompts read together
LOOK_EVERY = 8  # tokens between two looks at a GPU for rows that have ended
MEMORY_SHARE = 0.7  # of the free memory of a GPU that the cache may take
GREEDY = Sampling()


@dataclass(frozen=True)
class DecodeRequest:
    """A prompt that is to be answered once."""

    prompt: Sequence[int]
    room: int  # tokens that the answer may have
    seed: int = 0
    tag: Any = None  # the caller's own


Take = Callable[[int], Iterable[DecodeRequest]]  # up to so many requests that wait
Give = Callable[[DecodeRequest, list[int]], None]


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


def draw(torch: Any, logits: Any, uniform: Any, sampling: Sampling) -> Any:
    """A token of each row: the likeliest, or the one at which the summed probabilities exceed a uniform number in [0,
    1)."""
    if sampling.temperature == 0:
        return logits.argmax(-1)
    likely, order = (logits.float() / float(sampling.temperature)).softmax(-1), None
    if sampling.top_p < 1:
        likely, order = likely.sort(dim=-1, descending=True, stable=True)
        likely = likely.masked_fill(likely.cumsum(-1) - likely >= sampling.top_p, 0.0)
    sums = likely.cumsum(-1)
    chosen = torch.searchsorted(sums, uniform[:, None] * sums[:, -1:], right=True).clamp_(max=sums.shape[1] - 1)
    return (chosen if order is None else order.gather(1, chosen))[:, 0]


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
        self._batch: _Batch | None = None
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
        room, needed = max(r.room for r in queue), [_pages(r) for r in queue]
        pages = (
            sum(needed) if self._most and self._most <= self.rows else sum(needed) * self.rows * 3 // (2 * len(needed))
        )
        if self.device.type == "cuda":
            torch, config = self.torch, self.model.config.get_text_config()
            token = 2 * config.num_hidden_layers * config.num_key_value_heads * _width(config) * self.dtype.itemsize
            unused = torch.cuda.memory_reserved(self.device) - torch.cuda.memory_allocated(self.device)
            free = MEMORY_SHARE * (torch.cuda.mem_get_info(self.device)[0] + unused)
            pages = min(pages, int(free) // (token * PAGE))
        self._batch = _Batch(self, (max(pages, *needed, 1) + 1, max(needed)), room, drawing)

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

    def logits(self, ids: Any, positions: Any, reading: _Rows | _Prompts) -> Any:
        """What the model expects behind each row's last token."""
        states = self.model.get_decoder()(input_ids=ids, position_ids=positions, use_cache=False, reading=reading)
        return self.model.get_output_embeddings()(reading.last(states.last_hidden_state))


class _Pages:
    """Which pages of the cache are whose. What a prompt begins with is found again by its tokens, as long as nobody
    needs the room."""

    def __init__(self, count: int) -> None:
        self.free = list(range(count - 1, 0, -1))  # page 0 takes what rows write that have ended
        self.users = [0] * count
        self.known: dict[bytes, int] = {}  # digest of all tokens up to the end of a page -> the page
        self.digests: dict[int, bytes] = {}
        self.idle: OrderedDict[int, None] = OrderedDict()  # known, and nobody's: the oldest goes first

    def take(self, request: DecodeRequest) -> tuple[list[int], int] | None:
        """Pages for a request, and how many tokens in them are there already; None where there are too few."""
        digests, shared = _digests(request.prompt), list[int]()
        for digest in digests:
            if digest not in self.known:
                break
            shared.append(self.known[digest])
        needed = _pages(request) - len(shared)
        if needed > len(self.free) + len(self.idle) - sum(page in self.idle for page in shared):
            return None
        for page in shared:
            self.idle.pop(page, None)
        fresh = [self._fresh() for _ in range(needed)]
        for digest, page in zip(digests[len(shared) :], fresh, strict=False):
            self.known[digest], self.digests[page] = page, digest
        pages = shared + fresh
        for page in pages:
            self.users[page] += 1
        return pages, len(shared) * PAGE

    def _fresh(self) -> int:
        if self.free:
            return self.free.pop()
        page, _ = self.idle.popitem(last=False)
        del self.known[self.digests.pop(page)]
        return page

    def give(self, pages: Sequence[int]) -> None:
        """Take back what a row had. Its last pages are the first to be used again: fewer prompts begin with them."""
        for page in reversed(pages):
            self.users[page] -= 1
            if self.users[page]:
                continue
            if page in self.digests:
                self.idle[page] = None
            else:
                self.free.append(page)


@dataclass
class _Row:
    """A request that is being answered."""

    request: DecodeRequest
    pages: list[int]


class _Batch:
    """The rows that are decoded together, and their cache. All that a step reads and writes lies on the device."""

    def __init__(
        self, decoder: Decoder, size: tuple[int, int], room: int, drawing: tuple[frozenset[int], Sampling]
    ) -> None:
        self.decoder, self.torch, self.drawing, self.room = decoder, decoder.torch, drawing, room
        torch, device, rows = self.torch, decoder.device, decoder.rows
        pages, longest = size
        config = decoder.model.config.get_text_config()
        shape = (config.num_hidden_layers, pages * PAGE, config.num_key_value_heads, _width(config))
        # Zeros: without the kernel, what is not there counts 0 times whatever it is, which must not be nan.
        make = torch.empty if decoder.fast else torch.zeros
        self.keys, self.values = (make(shape, dtype=decoder.dtype, device=device) for _ in range(2))
        self.pages, self.active = _Pages(pages), dict[int, _Row]()
        self.sampling, self.ends = drawing[1], torch.tensor(sorted(drawing[0]) or [-1], device=device)
        context = getattr(config, "max_position_embeddings", None) or longest * PAGE
        width = max(longest, min(pages, context // PAGE))
        self.table = torch.zeros((rows, width), dtype=torch.int32, device=device)
        self.uniform = torch.zeros((rows, room), device=device)
        self.output = torch.zeros((rows, room + 1), dtype=torch.int64, device=device)
        # The token that is read next, how many are known before it, how many were drawn, and how many may be
        self.token, self.known, self.count, self.limit = (
            torch.zeros(rows, dtype=torch.int64, device=device) for _ in range(4)
        )
        self.over = torch.ones(rows, dtype=torch.bool, device=device)
        self.graphs: dict[int, Any] = {}
        self.graph_memory = torch.cuda.graph_pool_handle() if decoder.fast else None

    def requests(self) -> list[DecodeRequest]:
        return [row.request for row in self.active.values()]

    def holds(self, request: DecodeRequest, drawing: tuple[frozenset[int], Sampling]) -> bool:
        """Whether this batch can answer a request at all."""
        fewest = min(len(self.pages.users) - 1, self.table.shape[1])
        return self.drawing == drawing and request.room <= self.room and _pages(request) <= fewest

    def admit(self, queue: deque[DecodeRequest]) -> None:
        """Give free places to requests that wait, and read their prompts."""
        free = [slot for slot in range(self.decoder.rows) if slot not in self.active]
        if self.active and len(free) < min(len(queue), self.decoder.rows // 16):
            return  # a few at a time would be read slowly
        part, tokens = list[tuple[int, _Row, int]](), 0
        while queue and free and self.holds(queue[0], self.drawing):
            pages_of_row = self.pages.take(queue[0])
            if pages_of_row is None:
                break
            row = _Row(queue.popleft(), pages_of_row[0])
            slot = free.pop(0)
            self.active[slot] = row
            if part and tokens + len(row.request.prompt) - pages_of_row[1] > self.decoder.prefill_tokens:
                self._read(part)
                part, tokens = [], 0
            part.append((slot, row, pages_of_row[1]))
            tokens += len(row.request.prompt) - pages_of_row[1]
        if part:
            self._read(part)

    def _read(self, part: Sequence[tuple[int, _Row, int]]) -> None:
        """Read prompts behind what is known of them, and draw their first tokens."""
        torch, device = self.torch, self.decoder.device
        slots = self._tensor([slot for slot, _, _ in part])
        ids, positions = list[int](), list[int]()
        lengths = [len(row.request.prompt) for _, row, _ in part]
        for (_, row, known), length in zip(part, lengths, strict=True):
            ids += row.request.prompt[known:]
            positions += range(known, length)
        table = torch.zeros((len(part), self.table.shape[1]), dtype=torch.int32)
        for number, (_, row, _) in enumerate(part):
            table[number, : len(row.pages)] = torch.tensor(row.pages, dtype=torch.int32)
        self.table[slots] = table.to(device)
        if self.sampling.temperature:
            numbers = [uniform(torch, row.request.prompt, row.request.seed, self.room) for _, row, _ in part]
            self.uniform[slots] = torch.stack(numbers).to(device)
        fresh = [length - known for length, (_, _, known) in zip(lengths, part, strict=True)]
        reading = _Prompts(self, self.table[slots], fresh, lengths)
        logits = self.decoder.logits(self._tensor(ids)[None], self._tensor(positions)[None], reading)
        token = draw(torch, logits, self.uniform[slots, 0], self.sampling)
        limit = self._tensor([row.request.room for _, row, _ in part])
        self.token[slots], self.output[slots, 0], self.known[slots] = token, token, self._tensor(lengths)
        self.count[slots], self.limit[slots] = 1, limit
        self.over[slots] = (token[:, None] == self.ends).any(1) | (limit <= 1)

    def step(self) -> None:
        """One more token of each row."""
        if not self.active:
            return
        rows = self._rounded(max(self.active) + 1)
        if not self.decoder.fast:
            self._step(rows)
        elif rows in self.graphs:
            self.graphs[rows].replay()
        else:  # the first step of so many rows: what kernels prepare at their first call must not be captured
            torch = self.torch
            side = torch.cuda.Stream()
            side.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(side):
                self._step(rows)
            torch.cuda.current_stream().wait_stream(side)
            if self.sampling.top_p == 1 or self.sampling.temperature == 0:  # a sort cannot be captured
                self.graphs[rows] = torch.cuda.CUDAGraph()
                with torch.cuda.graph(self.graphs[rows], pool=self.graph_memory):
                    self._step(rows)

    def _step(self, rows: int) -> None:
        torch = self.torch
        token, known, count, over = (tensor[:rows] for tensor in (self.token, self.known, self.count, self.over))
        logits = self.decoder.logits(token[:, None], known[:, None], _Rows(self, rows))
        number = self.uniform[:rows].gather(1, count.clamp(max=self.room - 1)[:, None])[:, 0]
        token.copy_(draw(torch, logits, number, self.sampling))
        self.output[:rows].scatter_(1, count[:, None], token[:, None])  # of a row that has ended: behind its end
        known.add_(~over)
        count.add_(~over)
        over.logical_or_((token[:, None] == self.ends).any(1) | (count >= self.limit[:rows]))

    def collect(self, give: Give, gone: Callable[[DecodeRequest], bool], more: bool) -> None:
        """Hand over what has ended, and free its places."""
        over = self.over.tolist()
        left = [slot for slot, row in self.active.items() if over[slot] or gone(row.request)]
        if left:
            slots = self._tensor(left)
            counts, outputs = self.count[slots].tolist(), self.output[slots].tolist()
            for slot, length, tokens in zip(left, counts, outputs, strict=True):
                row = self.active.pop(slot)
                self.pages.give(row.pages)
                if over[slot]:
                    give(row.request, tokens[:length])
            # What is read on in a free place goes to page 0.
            self.table[slots], self.known[slots], self.over[slots] = 0, 0, True
        if self.active and not more and max(self.active) >= self._rounded(len(self.active)):
            self._close_up()

    def _close_up(self) -> None:
        """Put the rows that go on first: fewer rows are a faster step."""
        order = sorted(self.active)
        slots = self._tensor([*order, *(slot for slot in range(self.decoder.rows) if slot not in self.active)])
        for tensor in (
            self.table,
            self.uniform,
            self.output,
            self.token,
            self.known,
            self.count,
            self.limit,
            self.over,
        ):
            tensor.copy_(tensor[slots])
        self.active = {slot: self.active[before] for slot, before in enumerate(order)}

    def _rounded(self, rows: int) -> int:
        """A number of rows that there is a graph for."""
        if not self.decoder.fast:
            return rows
        size = FEWEST_ROWS
        while size < rows:
            size *= 4
        return min(size, self.decoder.rows)

    def _tensor(self, values: Sequence[int]) -> Any:
        return self.torch.tensor(values, device=self.decoder.device)


class _Rows:
    """What attention needs for one more token of each row."""

    def __init__(self, batch: _Batch, rows: int) -> None:
        self.keys, self.values, self.table, self.fast = batch.keys, batch.values, batch.table[:rows], batch.decoder.fast
        known = batch.known[:rows]
        page = self.table.gather(1, (known // PAGE)[:, None])[:, 0]
        self.writes = page.long() * PAGE + known % PAGE
        self.lengths = (known + 1).masked_fill(batch.over[:rows], 1).int()

    def last(self, states: Any) -> Any:
        return states[:, 0]

    def attend(self, query: Any, keys: Any, values: Any, scale: float) -> Any:
        if self.fast:
            kernel = import_module("sebench.models.decode_kernel").attend
            return kernel(query[:, :, 0].contiguous(), keys, values, self.table, self.lengths, PAGE, scale)[:, None]
        torch = import_module("torch")
        tokens = torch.arange(int(self.lengths.max()), device=query.device)
        places = self.table[:, tokens // PAGE].long() * PAGE + tokens % PAGE  # (rows, tokens)
        there = (tokens < self.lengths[:, None])[:, None, None]
        out = _by_torch(query, keys[places].transpose(1, 2), values[places].transpose(1, 2), scale, attn_mask=there)
        return out.transpose(1, 2)


class _Prompts:
    """What attention needs for prompts that are read side by side in one sequence: the last `fresh` of the `lengths`
    tokens of each."""

    def __init__(self, batch: _Batch, table: Any, fresh: Sequence[int], lengths: Sequence[int]) -> None:
        torch, device = batch.torch, batch.decoder.device
        self.keys, self.values, self.fast, self.fresh, self.lengths = (
            batch.keys, batch.values, batch.decoder.fast, fresh, lengths,
        )  # fmt: skip
        row = torch.arange(len(lengths), device=device)
        length, new = (torch.tensor(values, device=device) for values in (lengths, fresh))
        ends, ends_new = length.cumsum(0), new.cumsum(0)
        owner = row.repeat_interleave(length)
        place = torch.arange(len(owner), device=device) - (ends - length)[owner]
        self.reads = table[owner, place // PAGE].long() * PAGE + place % PAGE
        self.writes = self.reads[place >= (length - new)[owner]]
        zero = torch.zeros(1, dtype=torch.int64, device=device)
        self.bounds, self.bounds_new = (torch.cat([zero, e]).int() for e in (ends, ends_new))
        self.ends_new = ends_new

    def last(self, states: Any) -> Any:
        return states[0, self.ends_new - 1]

    def attend(self, query: Any, keys: Any, values: Any, scale: float) -> Any:
        torch = import_module("torch")
        key, value = keys[self.reads], values[self.reads]  # (tokens, heads, width)
        if self.fast and key.dtype.itemsize == 2:
            longest = max(self.fresh), max(self.lengths)
            bounds = self.bounds_new, self.bounds
            packed = query[0].transpose(0, 1).contiguous(), key, value
            out = torch.ops.aten._flash_attention_forward(*packed, *bounds, *longest, 0.0, True, False, scale=scale)
            return out[0][None]
        parts = []
        split = zip(
            query[0].split(list(self.fresh), 1), *(t.split(list(self.lengths)) for t in (key, value)), strict=True
        )
        for queries, of_row, what in split:
            new, length = queries.shape[1], len(of_row)
            seen = torch.ones(new, length, dtype=torch.bool, device=query.device).tril(length - new)
            row = queries[None], of_row.transpose(0, 1)[None], what.transpose(0, 1)[None]
            parts.append(_by_torch(*row, scale, attn_mask=None if new == length else seen, is_causal=new == length))
        return torch.cat(parts, 2).transpose(1, 2)


def attend(
    module: Any,
    query: Any,
    key: Any,
    value: Any,
    attention_mask: Any,
    *,
    reading: _Rows | _Prompts,
    scaling: float | None = None,
    **_: Any,
) -> tuple[Any, None]:
    """Attention with the cache. Tensors are (rows, heads, tokens, width); the result (rows, tokens, heads, width)."""
    keys, values = reading.keys[module.layer_idx], reading.values[module.layer_idx]
    for cache, new in ((keys, key), (values, value)):
        cache.index_copy_(0, reading.writes, new.transpose(1, 2).reshape(-1, *cache.shape[1:]).to(cache.dtype))
    scale = query.shape[-1] ** -0.5 if scaling is None else scaling
    return reading.attend(query.to(keys.dtype), keys, values, scale), None


def _by_torch(query: Any, key: Any, value: Any, scale: float, **options: Any) -> Any:
    attention = import_module("torch").nn.functional.scaled_dot_product_attention
    return attention(query, key, value, scale=scale, enable_gqa=True, **options)


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


def _pages(request: DecodeRequest) -> int:
    return -(-(len(request.prompt) + request.room) // PAGE)


def _width(config: Any) -> int:
    return int(getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads)


def _digests(prompt: Sequence[int]) -> list[bytes]:
    """One of all tokens up to the end of each page; the page with the last token is each row's own, since it must be
    read."""
    hashed, digests = blake2b(digest_size=16), []
    for start in range(0, (len(prompt) - 1) // PAGE * PAGE, PAGE):
        hashed.update(array("q", prompt[start : start + PAGE]).tobytes())
        digests.append(hashed.digest())
    return digests


def uniform(torch: Any, prompt: Sequence[int], seed: int, count: int) -> Any:
    """The numbers that an answer is drawn with: from its prompt and its seed alone."""
    hashed = blake2b(array("q", [seed % 2**62, *prompt]).tobytes(), digest_size=8)
    generator = torch.Generator().manual_seed(int.from_bytes(hashed.digest(), "little") % 2**63)
    return torch.rand(count, generator=generator) * (1 - 2**-20)  # never 1 after rounding
