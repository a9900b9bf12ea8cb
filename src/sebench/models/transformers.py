"""Models run by Hugging Face transformers on a CPU or GPU: a hub name, a folder, a GGUF file, or a folder that contains
one.

Up to `batch` prompts are decoded together; when an answer is complete, the next prompt takes its slot (`decoding.py`).
Models that this decoder does not support run in batches with transformers' own generation, where a batch lasts as long
as its longest response. Every request is sampled with its own seed, whatever else is in the batch; only rounding may
differ, since a batch changes the order of sums. Arithmetic is bf16 on GPUs and on CPUs with bf16 instructions, and
float32 elsewhere, where bf16 would be slower. A GGUF file is dequantised once and kept in the cache folder. Not
covered: several GPUs; use vLLM for that.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from hashlib import file_digest
from importlib import import_module
from pathlib import Path
from typing import Any

from sebench.base import extras, files
from sebench.base.errors import ConfigError, PromptRefused, ProviderError
from sebench.base.kernel_memory import memory_left
from sebench.base.wording import did_you_mean, shorten
from sebench.models import batching, decoding, embedded, gguf
from sebench.models.model import Chat, Completion, Sampling, cut_at_stop, opening
from sebench.world.prompts import Prompt

LINGER_S = 0.05  # how long an incomplete batch waits for more requests
BATCH = 8  # default number of prompts decoded together on a CPU
NO_LIMIT = 1 << 30
TOO_LITTLE = "too little memory"  # part of the error message, which experiments search for
# Held by the model that decodes: CUDA refuses to capture a graph while another thread uses the GPU.
_DECODING = threading.Lock()


@dataclass
class _Request:
    ids: list[int]
    opening: str  # the part of the response that the chat template already wrote
    max_tokens: int  # maximum tokens of the response
    sampling: Sampling
    seed: int
    answer: asyncio.Future[Completion]
    started: float = 0.0  # when it left the queue


class Transformers:
    """One model, run in its own thread. Several models of one process take turns."""

    def __init__(self, name: str, *, batch: int = 0, device: str = "", chat: Chat | None = None) -> None:
        self._torch, self._hf = libraries()
        self.name, self.chat = name, chat or Chat()
        self.device = device or ("cuda" if self._torch.cuda.is_available() else "cpu")
        batch = batch or (decoding.ROWS if self.device.startswith("cuda") else BATCH)
        dtype = self._torch.bfloat16 if fast_bf16(self.device) else self._torch.float32
        self._tokenizer, self._model = load(self._torch, self._hf, name, self.device, dtype)
        self._limit = getattr(self._model.config.get_text_config(), "max_position_embeddings", None) or NO_LIMIT
        fits = decoding.fits(self._model)
        self._decoder = decoding.Decoder(self._torch, self._model, bf16=False, rows=batch) if fits else None
        self._batch = batch  # for models that the decoder does not support
        self.concurrency = 2 * batch if fits else batch  # twice, so that a free slot is filled immediately
        self._ends = decoding.end_tokens(self._model, self._tokenizer)
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="transformers")
        self._waiting: deque[_Request] = deque()  # the decoder's thread takes from the left
        self._came = asyncio.Event()
        self._pump: asyncio.Task[None] | None = None
        self._stopped = threading.Event()

    async def complete(self, prompt: Prompt, sampling: Sampling, seed: int) -> Completion:
        text = self.chat.apply_template(self._tokenizer, prompt)
        ids = self._tokenizer(text, add_special_tokens=self._tokenizer.chat_template is None)["input_ids"]
        if len(ids) >= self._limit:
            raise PromptRefused(
                f"the prompt has {len(ids)} tokens, but {self.name} takes at most {self._limit}; use fewer "
                "--distractors or a model with a "
                "longer context"
            )
        max_tokens = min(sampling.max_tokens, self._limit - len(ids))
        answer: asyncio.Future[Completion] = asyncio.get_running_loop().create_future()
        self._waiting.append(_Request(ids, opening(text), max_tokens, sampling, seed, answer))
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
        """Answer the waiting requests."""
        loop = asyncio.get_running_loop()
        while True:
            await self._came.wait()
            if len(self._waiting) < self.concurrency:
                await asyncio.sleep(LINGER_S)
            self._came.clear()
            while self._waiting:
                batch_requests: list[_Request] = []
                try:
                    await loop.run_in_executor(self._pool, self._decode, batch_requests, loop)
                except Exception as error:
                    if not batch_requests:  # no request was taken
                        batch_requests.extend(self._waiting)
                        self._waiting.clear()
                    if isinstance(error, self._torch.OutOfMemoryError):
                        advice = "use fewer --distractors, or free some memory"
                        why = f"{self.name}: {TOO_LITTLE} for even one prompt of this length; {advice}"
                        error = ProviderError(why, again=False)
                    for request in batch_requests:
                        if not request.answer.done():
                            request.answer.set_exception(error)

    def _decode(self, batch_requests: list[_Request], loop: asyncio.AbstractEventLoop) -> None:
        """Answer waiting requests once no other model of this process is decoding."""
        with _DECODING:
            (self._answer_batch if self._decoder is None else self._stream)(batch_requests, loop)

    def _take(self, count: int, sampling: Sampling, batch_requests: list[_Request]) -> list[_Request]:
        """Take up to `count` waiting requests with these sampling settings, skipping cancelled ones."""
        requests: list[_Request] = []
        while self._waiting and len(requests) < count:
            request = self._waiting[0]
            if not request.answer.done():
                if request.sampling != sampling:
                    break
                request.started = time.monotonic()
                requests.append(request)
            self._waiting.popleft()
        batch_requests += requests
        return requests

    def _stream(self, batch_requests: list[_Request], loop: asyncio.AbstractEventLoop) -> None:
        """Answer the waiting requests and those that arrive meanwhile, delivering each answer as soon as it is
        complete."""
        decoder, sampling = self._decoder, self._waiting[0].sampling
        assert decoder is not None

        def take(count: int) -> list[batching.DecodeRequest]:
            chosen = () if self._stopped.is_set() else self._take(count, sampling, batch_requests)
            return [batching.DecodeRequest(r.ids, r.max_tokens, r.seed, r) for r in chosen]

        def give(request: batching.DecodeRequest, row: list[int]) -> None:
            loop.call_soon_threadsafe(self._answer, request.tag, row)

        def gone(request: batching.DecodeRequest) -> bool:
            return self._stopped.is_set() or bool(request.tag.answer.done())

        decoder.stream(take, give, self._ends, sampling, gone)

    def _answer(self, request: _Request, row: list[int]) -> None:
        if not request.answer.done() and self._tokenizer is not None:
            request.answer.set_result(self._completion(request, row))

    def _answer_batch(self, batch_requests: list[_Request], loop: asyncio.AbstractEventLoop) -> None:
        batch = self._take(self._batch, self._waiting[0].sampling, batch_requests)
        for request, row in zip(batch, self._fitting(batch) if batch else (), strict=True):
            loop.call_soon_threadsafe(self._answer, request, row)

    def _fitting(self, batch: list[_Request]) -> list[list[int]]:
        """Answer a batch. If it does not fit in memory, answer it in two halves, and keep later batches no larger than
        these. On a CPU, where the kernel would kill the process, the batch is divided beforehand."""
        most = self._most_rows(max(len(r.ids) for r in batch))
        if len(batch) > most:
            groups = [batch[start : start + most] for start in range(0, len(batch), most)]
            return [row for group in groups for row in self._fitting(group)]
        with suppress(self._torch.OutOfMemoryError):
            return self._by_library(batch)
        if self.device.startswith("cuda"):  # the error and the tensors it referenced are freed by now
            self._torch.cuda.empty_cache()
        if len(batch) == 1:
            return self._by_library(batch)
        half = self._batch = len(batch) // 2
        return self._fitting(batch[:half]) + self._fitting(batch[half:])

    def _most_rows(self, longest: int) -> int:
        """Return how many prompts of this length may be read together. Models that the decoder does not support may
        keep the attention scores of all pairs of tokens: 2.4 times their size was measured with Gemma 2."""
        free = memory_left() if self.device == "cpu" else None
        if free is None:
            return self._batch
        heads = getattr(self._model.config.get_text_config(), "num_attention_heads", 1)
        return max(1, int(decoding.CPU_MEMORY_SHARE * free / (3 * 4 * heads * longest**2)))

    def _by_library(self, batch: list[_Request]) -> list[list[int]]:
        """Generate with transformers, for models that the decoder does not support."""
        torch, longest = self._torch, max(len(r.ids) for r in batch)
        pad = next(iter(self._ends), 0) if self._tokenizer.pad_token_id is None else self._tokenizer.pad_token_id
        ids = torch.tensor([[pad] * (longest - len(r.ids)) + r.ids for r in batch], device=self.device)
        mask = torch.tensor([[0] * (longest - len(r.ids)) + [1] * len(r.ids) for r in batch], device=self.device)
        max_tokens = torch.tensor([r.max_tokens for r in batch], device=self.device)

        def done(so_far: Any, scores: Any, **_: Any) -> Any:
            gone = torch.tensor([self._stopped.is_set() or r.answer.done() for r in batch], device=self.device)
            return gone | (so_far.shape[1] - longest >= max_tokens)

        uniform = torch.stack([batching.uniform(torch, r.ids, r.seed, int(max_tokens.max())) for r in batch]).to(
            self.device
        )

        def sample(so_far: Any, scores: Any) -> Any:
            token = batching.draw(torch, scores, uniform[:, so_far.shape[1] - longest], batch[0].sampling)
            return torch.full_like(scores, -torch.inf).scatter(1, token[:, None], 0.0)

        with torch.inference_mode():
            out = self._model.generate(
                input_ids=ids,
                attention_mask=mask,
                generation_config=self._hf.GenerationConfig(
                    max_new_tokens=int(max_tokens.max()),
                    do_sample=False,  # `sample` leaves only one token
                    eos_token_id=sorted(self._ends) or None,
                    pad_token_id=pad,
                    # Override what the model's generation_config.json might set:
                    repetition_penalty=1.0,
                    no_repeat_ngram_size=0,
                ),
                logits_processor=self._hf.LogitsProcessorList([sample]),
                stopping_criteria=self._hf.StoppingCriteriaList([done]),
            )
        return [row.tolist() for row in out[:, longest:]]

    def _completion(self, request: _Request, row: list[int]) -> Completion:
        row = row[: request.max_tokens]
        end = next((i for i, token in enumerate(row) if token in self._ends), None)
        answer_ids = row if end is None else row[:end]
        text, stopped = cut_at_stop(self._tokenizer.decode(answer_ids, skip_special_tokens=True), request.sampling.stop)
        count = len(row) if end is None else end + 1
        finish = "length" if end is None and not stopped else "stop"
        seconds = time.monotonic() - request.started
        return Completion(request.opening + text, finish, len(request.ids), count, seconds=seconds)


def libraries(extra: str = "hf") -> tuple[Any, Any]:
    """Import torch and transformers. If they are missing, the error names the extra that installs them."""
    try:
        torch, hf = import_module("torch"), import_module("transformers")
    except ModuleNotFoundError as error:
        raise ConfigError(
            f"this needs the extra '{extra}' ({error.name} is not installed): {extras.install(extra)}; on a machine "
            "without a GPU, install PyTorch's CPU build first (docs/learn.md)"
        ) from None
    hf.logging.set_verbosity_error()
    hf.logging.disable_progress_bar()
    logging.getLogger("huggingface_hub").setLevel(logging.ERROR)  # it reports every retry
    return torch, hf


def check_folder(name: str) -> None:
    """Raise an error for a folder without a complete model, or a GGUF file that does not exist."""
    packed, folder = gguf.weights_file(name), Path(name)
    if not folder.exists() and folder.parent != Path() and folder.parent.is_dir():  # names on the hub have a slash too
        near = did_you_mean(folder, folder.parent.iterdir())
        raise ConfigError(f"--model {name}: there is no such file or folder; {near or 'check the path'}")
    if folder.is_file() and not packed:
        raise ConfigError(f"--model {name} is a file; choose the folder of the model, {folder.parent}")
    if packed or not folder.is_dir():
        return
    training = files.read_json(folder / "learn.json")  # its end is recorded after the model is saved
    if training and not training.get("ended"):
        raise ConfigError(
            f"--model {name}: its training has not ended; repeat the same 'sebench learn' command to finish it"
        )
    if any((folder / file).is_file() for file in ("config.json", "adapter_config.json")):
        return
    step = "choose the folder of a model"
    if (folder / "run.json").is_file():
        step = "it is a run; pass the model that the run used, or a folder written by 'sebench learn'"
    raise ConfigError(f"--model {name} is a folder without a model (config.json); {step}")


def load(torch: Any, hf: Any, name: str, device: str, dtype: Any) -> tuple[Any, Any]:
    """Return tokenizer and model on a device, from the hub, a folder or a GGUF file such as the embedded model's
    (dequantised once and cached)."""
    try:
        torch.device(device)
    except RuntimeError:
        raise ConfigError(f"--device {device}: torch does not know this device; use cpu or cuda") from None
    if device.startswith("cuda") and not torch.cuda.is_available():
        raise no_gpu(device)
    check_folder(name)
    packed = embedded.weights() if name == embedded.NAME else gguf.weights_file(name)
    try:
        source = name if packed is None else str(_dequantise(torch, hf, packed))
        tokenizer = hf.AutoTokenizer.from_pretrained(source)
        model = hf.AutoModelForCausalLM.from_pretrained(source, dtype=dtype)
        return tokenizer, model.to(device, dtype).eval()
    except (OSError, ValueError, ImportError, KeyError, RuntimeError) as error:
        raise ConfigError(f"--model {name}: transformers cannot load it: {shorten(str(error))}") from None


def no_gpu(device: str) -> ConfigError:
    """Return the error for a GPU that is asked for and not there."""
    return ConfigError(f"--device {device}: torch sees no GPU here; use --device cpu")


def _dequantise(torch: Any, hf: Any, file: Path) -> Path:
    """Return a folder with the weights of a GGUF file in float32, stored in the cache folder under the digest of its
    content."""
    with file.open("rb") as opened:
        digest = file_digest(opened, "sha256").hexdigest()
    folder = embedded.folder() / "dequantised" / f"{file.stem}-{digest[:16]}"
    files.make_folder(folder.parent)
    with files.lock_file(folder.parent / f".{folder.name}.lock", "wait for it", wait=True):
        if not folder.is_dir():
            options = {"gguf_file": file.name}
            tokenizer = hf.AutoTokenizer.from_pretrained(file.parent, **options)
            options["quantization_config"] = hf.GgufConfig(dequantize=True)
            model = hf.AutoModelForCausalLM.from_pretrained(file.parent, dtype=torch.float32, **options)
            with files.new_folder(folder) as new_folder:
                model.save_pretrained(new_folder)
                tokenizer.save_pretrained(new_folder)
    return folder


def fast_bf16(device: str) -> bool:
    """Whether the device has bf16 instructions. All GPUs count as having them."""
    if device != "cpu":
        return True
    try:
        return "bf16" in Path("/proc/cpuinfo").read_text("utf-8", "replace")
    except OSError:
        return False
