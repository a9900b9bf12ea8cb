"""The rows (sequences) that are decoded together: allocates cache pages to rows, and advances all rows one step at a
time.

The cache is a pool of pages of 16 tokens. Prompts are packed for prefill, without padding, and a prefix shared by
several prompts (a preamble, a documentation page, all samples of one prompt) is prefilled and stored only once. On a
GPU one step of all rows, including sampling, is a single CUDA graph, whatever their lengths.

Not covered: where requests come from, and running out of memory (`decoding.py`).
"""

from __future__ import annotations

from array import array
from collections import OrderedDict, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from importlib import import_module
from typing import Any

from sebench.models.model import Sampling

PAGE = 16  # tokens
FEWEST_ROWS = 8  # in the smallest CUDA graph; each larger one has 4x the rows, since capturing one takes 0.15 s


@dataclass(frozen=True)
class DecodeRequest:
    """A request for one answer to a prompt."""

    prompt: Sequence[int]
    max_tokens: int  # maximum tokens of the answer
    seed: int = 0
    tag: Any = None  # for the caller's use


Give = Callable[[DecodeRequest, list[int]], None]


def draw(torch: Any, logits: Any, uniform: Any, sampling: Sampling) -> Any:
    """Draw a token for each row: the most likely one, or the one at which the cumulative probability exceeds a uniform
    number in [0, 1)."""
    if sampling.temperature == 0:
        return logits.argmax(-1)
    likely, order = (logits.float() / float(sampling.temperature)).softmax(-1), None
    if sampling.top_p < 1:
        likely, order = likely.sort(dim=-1, descending=True, stable=True)
        likely = likely.masked_fill(likely.cumsum(-1) - likely >= sampling.top_p, 0.0)
    sums = likely.cumsum(-1)
    chosen = torch.searchsorted(sums, uniform[:, None] * sums[:, -1:], right=True).clamp_(max=sums.shape[1] - 1)
    return (chosen if order is None else order.gather(1, chosen))[:, 0]


class PagePool:
    """Allocates the pages of the cache. Pages that hold the beginning of a prompt stay available for later prompts with
    the same tokens until their space is needed."""

    def __init__(self, count: int) -> None:
        self.free = list(range(count - 1, 0, -1))  # page 0 absorbs the writes of finished rows
        self.users = [0] * count
        self.known: dict[bytes, int] = {}  # digest of all tokens up to the end of a page -> page
        self.digests: dict[int, bytes] = {}
        self.idle: OrderedDict[int, None] = OrderedDict()  # known pages that no row uses; the oldest is reused first

    def take(self, request: DecodeRequest) -> tuple[list[int], int] | None:
        """Return pages for a request, and how many of its tokens they already contain, or None if too few pages are
        free."""
        digests, shared = _digests(request.prompt), list[int]()
        for digest in digests:
            if digest not in self.known:
                break
            shared.append(self.known[digest])
        needed = pages_needed(request) - len(shared)
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
        """Return a row's pages to the pool. Its last pages are reused first, since fewer prompts share them."""
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


class DecodeBatch:
    """The rows that are decoded together, and their cache. Everything that a step reads or writes is on the device."""

    def __init__(
        self, decoder: Any, size: tuple[int, int], max_tokens: int, drawing: tuple[frozenset[int], Sampling]
    ) -> None:
        self.decoder, self.torch, self.drawing, self.max_tokens = decoder, decoder.torch, drawing, max_tokens
        torch, device, rows = self.torch, decoder.device, decoder.rows
        pages, longest = size
        config = decoder.model.config.get_text_config()
        shape = (config.num_hidden_layers, pages * PAGE, config.num_key_value_heads, head_width(config))
        # Without the kernel, masked positions are multiplied by 0, so they must not contain nan.
        make = torch.empty if decoder.fast else torch.zeros
        self.keys, self.values = (make(shape, dtype=decoder.dtype, device=device) for _ in range(2))
        self.pages, self.active = PagePool(pages), dict[int, _Row]()
        self.sampling, self.ends = drawing[1], torch.tensor(sorted(drawing[0]) or [-1], device=device)
        context = getattr(config, "max_position_embeddings", None) or longest * PAGE
        width = max(longest, min(pages, context // PAGE))
        self.table = torch.zeros((rows, width), dtype=torch.int32, device=device)
        self.uniform = torch.zeros((rows, max_tokens), device=device)
        self.output = torch.zeros((rows, max_tokens + 1), dtype=torch.int64, device=device)
        # Per row: the next input token, the number of tokens before it, how many were drawn, and the maximum to draw.
        self.token, self.known, self.count, self.limit = (
            torch.zeros(rows, dtype=torch.int64, device=device) for _ in range(4)
        )
        self.over = torch.ones(rows, dtype=torch.bool, device=device)
        self.graphs: dict[int, Any] = {}
        self.graph_memory = torch.cuda.graph_pool_handle() if decoder.fast else None

    def requests(self) -> list[DecodeRequest]:
        return [row.request for row in self.active.values()]

    def holds(self, request: DecodeRequest, drawing: tuple[frozenset[int], Sampling]) -> bool:
        """Whether this batch has the capacity and sampling settings to answer a request."""
        fewest = min(len(self.pages.users) - 1, self.table.shape[1])
        return self.drawing == drawing and request.max_tokens <= self.max_tokens and pages_needed(request) <= fewest

    def admit(self, queue: deque[DecodeRequest]) -> None:
        """Assign free slots to waiting requests, and prefill their prompts."""
        free = [slot for slot in range(self.decoder.rows) if slot not in self.active]
        if self.active and len(free) < min(len(queue), self.decoder.rows // 16):
            return  # prefilling only a few at a time would be slow
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
        """Prefill prompts after their cached prefixes, and draw their first tokens."""
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
            numbers = [uniform(torch, row.request.prompt, row.request.seed, self.max_tokens) for _, row, _ in part]
            self.uniform[slots] = torch.stack(numbers).to(device)
        fresh = [length - known for length, (_, _, known) in zip(lengths, part, strict=True)]
        reading = PromptReading(self, self.table[slots], fresh, lengths)
        logits = self.decoder.logits(self._tensor(ids)[None], self._tensor(positions)[None], reading)
        token = draw(torch, logits, self.uniform[slots, 0], self.sampling)
        limit = self._tensor([row.request.max_tokens for _, row, _ in part])
        self.token[slots], self.output[slots, 0], self.known[slots] = token, token, self._tensor(lengths)
        self.count[slots], self.limit[slots] = 1, limit
        self.over[slots] = (token[:, None] == self.ends).any(1) | (limit <= 1)

    def step(self) -> None:
        """Draw one more token for each row."""
        if not self.active:
            return
        rows = self._rounded(max(self.active) + 1)
        if not self.decoder.fast:
            self._step(rows)
        elif rows in self.graphs:
            self.graphs[rows].replay()
        else:  # first step with this many rows: one-time kernel set-up must not be captured
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
        logits = self.decoder.logits(token[:, None], known[:, None], RowReading(self, rows))
        number = self.uniform[:rows].gather(1, count.clamp(max=self.max_tokens - 1)[:, None])[:, 0]
        token.copy_(draw(torch, logits, number, self.sampling))
        self.output[:rows].scatter_(1, count[:, None], token[:, None])  # a finished row writes after its end
        known.add_(~over)
        count.add_(~over)
        over.logical_or_((token[:, None] == self.ends).any(1) | (count >= self.limit[:rows]))

    def collect(self, give: Give, gone: Callable[[DecodeRequest], bool], more: bool) -> None:
        """Deliver finished answers, and free their slots."""
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
            # From now on these slots write to page 0.
            self.table[slots], self.known[slots], self.over[slots] = 0, 0, True
        if self.active and not more and max(self.active) >= self._rounded(len(self.active)):
            self._close_up()

    def _close_up(self) -> None:
        """Move the active rows to the front: a step with fewer rows is faster."""
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
        """Round up to a number of rows that has a CUDA graph."""
        if not self.decoder.fast:
            return rows
        size = FEWEST_ROWS
        while size < rows:
            size *= 4
        return min(size, int(self.decoder.rows))

    def _tensor(self, values: Sequence[int]) -> Any:
        return self.torch.tensor(values, device=self.decoder.device)


class RowReading:
    """The inputs of attention for one more token per row."""

    def __init__(self, batch: DecodeBatch, rows: int) -> None:
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


class PromptReading:
    """The inputs of attention for prompts that are prefilled side by side in one sequence: for each prompt, the last
    `fresh` of its `lengths` tokens."""

    def __init__(self, batch: DecodeBatch, table: Any, fresh: Sequence[int], lengths: Sequence[int]) -> None:
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


def _by_torch(query: Any, key: Any, value: Any, scale: float, **options: Any) -> Any:
    attention = import_module("torch").nn.functional.scaled_dot_product_attention
    return attention(query, key, value, scale=scale, enable_gqa=True, **options)


def pages_needed(request: DecodeRequest) -> int:
    return -(-(len(request.prompt) + request.max_tokens) // PAGE)


def head_width(config: Any) -> int:
    return int(getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads)


def _digests(prompt: Sequence[int]) -> list[bytes]:
    """Return, for each full page of a prompt, a digest of all tokens up to its end. The page with the last token is
    left out: it is private to a row, since that token must be processed."""
    hashed, digests = blake2b(digest_size=16), []
    for start in range(0, (len(prompt) - 1) // PAGE * PAGE, PAGE):
        hashed.update(array("q", prompt[start : start + PAGE]).tobytes())
        digests.append(hashed.digest())
    return digests


def uniform(torch: Any, prompt: Sequence[int], seed: int, count: int) -> Any:
    """Return the random numbers with which an answer is drawn. They depend only on its prompt and seed."""
    hashed = blake2b(array("q", [seed % 2**62, *prompt]).tobytes(), digest_size=8)
    generator = torch.Generator().manual_seed(int.from_bytes(hashed.digest(), "little") % 2**63)
    return torch.rand(count, generator=generator) * (1 - 2**-20)  # never 1 after rounding
