"""Models through Hugging Face transformers: a name on the hub, a folder, or a folder with a GGUF file in it. CPU or
GPU.

Waiting prompts are answered in batches of up to `batch` (by `decoding.py`, or by transformers' own generation for
models that it does not support); a batch ends with its longest response. Every request is sampled with its own seed,
whatever else is in the batch (see `_draw`); only rounding may differ, since a batch changes the order of sums. bf16 on
GPUs and on CPUs with instructions for it, float32 elsewhere: 16-bit arithmetic without them is slower. Not covered:
continuous batching and several GPUs; vLLM does both.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from sebench.base.errors import ConfigError, PromptRefused, ProviderError
from sebench.models import decoding
from sebench.models.chat import Chat, cut_at_stop, opening
from sebench.models.model import Completion, Sampling
from sebench.world.prompts import Prompt

LINGER_S = 0.05  # how long an incomplete batch waits for more requests
NO_LIMIT = 1 << 30
TOO_LITTLE = "too little memory"  # part of the error message; rows of an experiment look for it


@dataclass(frozen=True)
class _Request:
    ids: list[int]
    opening: str  # the part of the response that the chat template already wrote
    room: int  # tokens that the response may have
    sampling: Sampling
    seed: int
    answer: asyncio.Future[Completion]


class Transformers:
    """One model, one batch at a time, in a thread of its own."""

    def __init__(self, name: str, *, batch: int = 8, device: str = "", chat: Chat | None = None) -> None:
        self._torch, self._hf = libraries()
        self.name, self.chat, self.concurrency = name, chat or Chat(), batch
        self.device = device or ("cuda" if self._torch.cuda.is_available() else "cpu")
        dtype = self._torch.bfloat16 if fast_bf16(self.device) else self._torch.float32
        self._tokenizer, self._model = load(self._torch, self._hf, name, self.device, dtype)
        self._limit = getattr(self._model.config.get_text_config(), "max_position_embeddings", None) or NO_LIMIT
        fits = decoding.fits(self._model)
        self._decoder = decoding.Decoder(self._torch, self._model, bf16=False) if fits else None
        self._ends = decoding.end_tokens(self._model, self._tokenizer)
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="transformers")
        self._waiting: list[_Request] = []
        self._came = asyncio.Event()
        self._pump: asyncio.Task[None] | None = None
        self._stopped = threading.Event()

    async def complete(self, prompt: Prompt, sampling: Sampling, seed: int) -> Completion:
        text = self.chat.apply_template(self._tokenizer, prompt)
        ids = self._tokenizer(text, add_special_tokens=self._tokenizer.chat_template is None)["input_ids"]
        if len(ids) >= self._limit:
            raise PromptRefused(
                f"the prompt has {len(ids)} tokens, and {self.name} takes at most {self._limit}; use fewer "
                "--distractors or a model with a "
                "longer context"
            )
        room = min(sampling.max_tokens, self._limit - len(ids))
        answer: asyncio.Future[Completion] = asyncio.get_running_loop().create_future()
        self._waiting.append(_Request(ids, opening(text), room, sampling, seed, answer))
        self._came.set()
        if self._pump is None or self._pump.done():
            self._pump = asyncio.create_task(self._serve())
        return await answer

    async def close(self) -> None:
        self._stopped.set()
        if self._pump is not None:
            self._pump.cancel()
            await asyncio.gather(self._pump, return_exceptions=True)
        await asyncio.to_thread(self._pool.shutdown)
        self._model = self._tokenizer = self._decoder = None
        if self.device.startswith("cuda"):
            self._torch.cuda.empty_cache()

    async def _serve(self) -> None:
        """Answer the waiting requests, batch by batch."""
        while True:
            await self._came.wait()
            if len(self._waiting) < self.concurrency:
                await asyncio.sleep(LINGER_S)
            waiting = [r for r in self._waiting if not r.answer.done()]  # the others were cancelled
            batch = [r for r in waiting if r.sampling == waiting[0].sampling][: self.concurrency]
            self._waiting = [r for r in waiting if r not in batch]
            if not self._waiting:
                self._came.clear()
            if not batch:
                continue
            try:
                answers = await asyncio.get_running_loop().run_in_executor(self._pool, self._fitting, batch)
                for request, answer in zip(batch, answers, strict=True):
                    if not request.answer.done():
                        request.answer.set_result(answer)
            except Exception as error:
                for request in batch:
                    if not request.answer.done():
                        request.answer.set_exception(self._failure(error))

    def _failure(self, error: Exception) -> Exception:
        if isinstance(error, self._torch.OutOfMemoryError):
            advice = "use fewer --distractors, or free some memory"
            return ProviderError(f"{self.name} has {TOO_LITTLE} for one prompt of this length; {advice}", again=False)
        return error

    def _fitting(self, batch: list[_Request]) -> list[Completion]:
        """Answer a batch. If it does not fit into memory, answer it in two halves and keep to that batch size."""
        with suppress(self._torch.OutOfMemoryError):
            return self._generate(batch)
        if self.device.startswith("cuda"):  # the exception is gone by now, and with it the memory it held
            self._torch.cuda.empty_cache()
        if len(batch) == 1:
            return self._generate(batch)
        half = self.concurrency = len(batch) // 2
        return self._fitting(batch[:half]) + self._fitting(batch[half:])

    def _generate(self, batch: list[_Request]) -> list[Completion]:
        decoder = self._decoder
        if decoder is None:
            return self._by_library(batch)
        drawing = self._drawing(batch)

        def chosen(logits: Any, number: int) -> Any:
            logits = logits.float()
            for process in drawing:
                logits = process(None, logits)
            return logits.argmax(-1)

        def gone() -> bool:
            return self._stopped.is_set() or all(request.answer.done() for request in batch)

        decoder.stopped = gone
        rows = decoder.generate([r.ids for r in batch], [r.room for r in batch], self._ends, chosen)
        return [self._completion(request, row) for request, row in zip(batch, rows, strict=True)]

    def _by_library(self, batch: list[_Request]) -> list[Completion]:
        """With transformers' own generation, for models that the fast decoder does not support."""
        torch, longest = self._torch, max(len(r.ids) for r in batch)
        pad = next(iter(self._ends), 0) if self._tokenizer.pad_token_id is None else self._tokenizer.pad_token_id
        ids = torch.tensor([[pad] * (longest - len(r.ids)) + r.ids for r in batch], device=self.device)
        mask = torch.tensor([[0] * (longest - len(r.ids)) + [1] * len(r.ids) for r in batch], device=self.device)
        room = torch.tensor([r.room for r in batch], device=self.device)

        def done(so_far: Any, scores: Any, **_: Any) -> Any:
            gone = torch.tensor([self._stopped.is_set() or r.answer.done() for r in batch], device=self.device)
            return gone | (so_far.shape[1] - longest >= room)

        with torch.inference_mode():
            out = self._model.generate(
                input_ids=ids,
                attention_mask=mask,
                generation_config=self._hf.GenerationConfig(
                    max_new_tokens=int(room.max()),
                    do_sample=False,  # `_draw` has already sampled: take the maximum
                    eos_token_id=sorted(self._ends) or None,
                    pad_token_id=pad,
                    # Otherwise a model's generation_config.json would set these:
                    repetition_penalty=1.0,
                    no_repeat_ngram_size=0,
                ),
                logits_processor=self._hf.LogitsProcessorList(self._drawing(batch)),
                stopping_criteria=self._hf.StoppingCriteriaList([done]),
            )
        return [self._completion(r, row) for r, row in zip(batch, out[:, longest:].tolist(), strict=True)]

    def _drawing(self, batch: list[_Request]) -> list[Any]:
        sampling = batch[0].sampling
        if sampling.temperature == 0:
            return []
        steps = [self._hf.TemperatureLogitsWarper(float(sampling.temperature))]
        if sampling.top_p < 1:
            steps.append(self._hf.TopPLogitsWarper(sampling.top_p))
        return [*steps, _draw(self._torch, self.device, [r.seed for r in batch])]

    def _completion(self, request: _Request, row: list[int]) -> Completion:
        row = row[: request.room]
        end = next((i for i, token in enumerate(row) if token in self._ends), None)
        answer_ids = row if end is None else row[:end]
        text, stopped = cut_at_stop(self._tokenizer.decode(answer_ids, skip_special_tokens=True), request.sampling.stop)
        count = len(row) if end is None else end + 1
        finish = "length" if end is None and not stopped else "stop"
        return Completion(request.opening + text, finish, len(request.ids), count)


def _draw(torch: Any, device: str, seeds: list[int]) -> Callable[[Any, Any], Any]:
    """A logits processor after which argmax is a sample, with a generator for each row.

    argmax(logits - log e), with e from an exponential distribution, is a sample from softmax(logits): the "Gumbel-max
    trick".
    """
    generators = [torch.Generator(device=device).manual_seed(seed) for seed in seeds]

    def process(so_far: Any, scores: Any) -> Any:
        noise = torch.empty(scores.shape, dtype=torch.float32, device=scores.device)
        for row, generator in zip(noise, generators, strict=True):
            row.exponential_(generator=generator)
        return scores.float() - noise.log()

    return process


def libraries() -> tuple[Any, Any]:
    try:
        torch, hf = import_module("torch"), import_module("transformers")
    except ModuleNotFoundError as error:
        raise ConfigError(
            f"this model needs the extra 'hf' (no {error.name}): pip install 'sebench[hf]', or in a checkout: pip "
            "install -e '.[hf]'"
        ) from None
    hf.logging.set_verbosity_error()
    hf.logging.disable_progress_bar()
    logging.getLogger("huggingface_hub").setLevel(logging.ERROR)  # it reports every retry
    return torch, hf


def load(torch: Any, hf: Any, name: str, device: str, dtype: Any) -> tuple[Any, Any]:
    """Tokenizer and model on a device, from the hub or a folder; a GGUF file is dequantised."""
    folder = Path(name)
    packed = sorted(folder.glob("*.gguf")) if folder.is_dir() and not (folder / "config.json").is_file() else []
    options: dict[str, Any] = {"gguf_file": packed[0].name} if packed else {}
    try:
        torch.device(device)
    except RuntimeError:
        raise ConfigError(f"--device {device}: unknown to torch; give cpu or cuda") from None
    if device.startswith("cuda") and not torch.cuda.is_available():
        raise ConfigError(f"--device {device}: torch sees no GPU here")
    try:
        tokenizer = hf.AutoTokenizer.from_pretrained(name, **options)
        if packed:
            options["quantization_config"] = hf.GgufConfig(dequantize=True)
        model = hf.AutoModelForCausalLM.from_pretrained(name, dtype=dtype, **options)
        return tokenizer, model.to(device, dtype).eval()
    except (OSError, ValueError, ImportError, KeyError, RuntimeError) as error:
        why = " ".join(str(error).split())[:200]
        raise ConfigError(f"--model {name}: transformers cannot load it: {why}") from None


def fast_bf16(device: str) -> bool:
    """Whether the device has instructions for bf16; all GPUs count as such."""
    if device != "cpu":
        return True
    try:
        return "bf16" in Path("/proc/cpuinfo").read_text("utf-8", "replace")
    except OSError:
        return False
