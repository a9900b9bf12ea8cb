"""Models in GGUF files, run by llama.cpp: `smollm2`, or any `.gguf` file. They run on the CPU, or on a GPU if the
installed xllamacpp was built for one.

The engine is the server inside the `xllamacpp` wheel: it decodes several requests together (continuous batching), each
in its own slot. We talk to it over loopback, with a key that only this process knows. So nothing blocks the event loop,
and cancelling a request (Ctrl-C) also stops it inside the engine, within one batch.

At temperature 0, a request that runs alone always returns the same response. In a batch a token may rarely differ,
because sums are computed in another order. Not covered: models split into several files, and adapters.
"""

from __future__ import annotations

import asyncio
import os
import secrets
from importlib import import_module
from pathlib import Path
from typing import Any

import httpx

from sebench.base import extras
from sebench.base.errors import ConfigError, PromptRefused, ProviderError
from sebench.base.wording import shorten
from sebench.models import gguf
from sebench.models.model import Chat, Completion, Sampling, body, with_thought
from sebench.world.prompts import Prompt

# The longest open-book prompt of a complete world has 3,100 tokens (SmolLM2); each extra page adds about 450.
MOST_TOKENS = 1 << 16  # in all slots together: 1.5 GB of memory with SmolLM2, 8 GB with 8 billion parameters
UNKNOWN_CONTEXT = 4096  # tokens, for files that do not name their context
BATCH = 8  # default number of slots
# A cancelled request stops after one batch. 512 is hardly faster: 35 prompt tokens per CPU second instead of 34.
BATCH_TOKENS = 128
SEEDS = 2**32 - 1  # the next number means "random" to llama.cpp


class Llama:
    """A model in a GGUF file, which answers up to `batch` requests at a time."""

    def __init__(
        self,
        path: Path,
        *,
        prompt_tokens: int = 0,
        max_tokens: int = 1024,
        batch: int = BATCH,
        device: str = "",
        chat: Chat | None = None,
    ) -> None:
        """`prompt_tokens` is the length of the longest prompt; 0 means the longest that the model allows."""
        engine = library()
        if not path.is_file():
            raise ConfigError(f"--model {path}: no such file")
        trained = int(gguf.read_config(path).get("max_position_embeddings", UNKNOWN_CONTEXT))
        context = min(trained, prompt_tokens + max_tokens) if prompt_tokens else trained
        self.concurrency = max(1, min(batch, MOST_TOKENS // context))
        self.name, self.chat = path.name, chat or Chat()
        key = secrets.token_hex(16)
        try:
            self._server = engine.Server(_parameters(engine, path, device, (self.concurrency, context), key))
        except RuntimeError as error:
            raise ConfigError(
                f"{path} cannot be loaded ({' '.join(str(error).split())}): either xllamacpp does not support this "
                "GGUF file, or "
                "there is too little memory; --batch 1 needs the least"
            ) from None
        self._url = f"{self._server.listening_address}/v1/chat/completions"
        # No proxy from the environment, and no timeout: a slow machine is not a failure.
        self._client = httpx.AsyncClient(
            headers={"Authorization": f"Bearer {key}"},
            timeout=None,
            trust_env=False,
            limits=httpx.Limits(max_connections=self.concurrency),
        )

    async def complete(self, prompt: Prompt, sampling: Sampling, seed: int) -> Completion:
        request = body(prompt, self.chat, sampling, seed % SEEDS)
        # Set these explicitly: llama.cpp's defaults would also apply top-k and min-p.
        request["samplers"] = ["temperature", "top_p"]
        try:
            reply = await self._client.post(self._url, json=request)
            data = reply.json()
        except (httpx.HTTPError, ValueError) as error:
            raise ProviderError(f"{self.name}: {type(error).__name__}: {error}", again=True) from None
        if reply.status_code != 200:
            raise _request_error(self.name, data)
        choice, usage = data["choices"][0], data["usage"]
        content, thought = choice["message"].get("content") or "", choice["message"].get("reasoning_content")
        return Completion(
            with_thought(content, thought),
            choice["finish_reason"],
            usage["prompt_tokens"],
            usage["completion_tokens"],
        )

    async def close(self) -> None:
        await self._client.aclose()
        servers, self._server = [self._server], None
        await asyncio.to_thread(servers.clear)  # drops the last reference: the engine joins its threads when freed


def library() -> Any:
    """Import xllamacpp, set up so that threads sleep while they wait for each other.

    Spinning threads are hardly faster on two idle cores (38 tokens/s instead of 33), but next to busy processes, such
    as the judge, they reached only 1.9 tokens/s instead of 5.5. OpenMP reads OMP_WAIT_POLICY once, when it is loaded.
    """
    before = os.environ.get("OMP_WAIT_POLICY")
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    try:
        return import_module("xllamacpp")
    except ModuleNotFoundError:
        raise ConfigError(
            f"smollm2 and .gguf files need the extra 'local': {extras.install('local')}; after hf:, as in hf:smollm2, "
            "they run with transformers"
        ) from None
    except ImportError as error:
        raise ConfigError(f"xllamacpp cannot be loaded: {error}; on Debian, install libgomp1 and libstdc++6") from None
    finally:
        if before is None:
            del os.environ["OMP_WAIT_POLICY"]


def _parameters(engine: Any, path: Path, device: str, slots: tuple[int, int], key: str) -> Any:
    parameters = engine.CommonParams()
    parameters.model.path = str(path)
    parameters.n_parallel = slots[0]
    parameters.n_ctx = slots[0] * slots[1]
    parameters.n_batch = parameters.n_ubatch = BATCH_TOKENS
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = len(os.sched_getaffinity(0))
    parameters.n_gpu_layers = 0 if device == "cpu" else -1
    parameters.api_keys = [key]
    parameters.ui = parameters.endpoint_slots = False
    parameters.cache_ram_mib = 0  # no second prompt cache: it would grow to 8 GB
    parameters.verbosity = -1  # nothing on stdout or stderr
    parameters.fit_params = parameters.warmup = False
    return parameters


def _request_error(name: str, data: dict[str, Any]) -> ProviderError:
    error = data.get("error", {})
    if error.get("type") == "exceed_context_size_error":
        return PromptRefused(
            f"the prompt has {error.get('n_prompt_tokens')} tokens, but {name} takes at most {error.get('n_ctx')} "
            "here; "
            "use fewer --distractors or a model with a longer context"
        )
    return ProviderError(f"{name}: {shorten(str(error.get('message', data)))}", again=False)
