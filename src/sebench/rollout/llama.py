"""Models in GGUF files through llama.cpp: `smollm2`, or any `.gguf` file. CPU, or GPU where the installed xllamacpp was built for one.

The engine is the server inside the `xllamacpp` wheel: prompts of several requests are decoded together (continuous batching), each in a slot of
its own. It is spoken to over loopback, with a key that only this process knows: then nothing blocks the event loop, and a request that is dropped
(Ctrl-C) ends inside the engine too, within one batch.

Temperature 0 gives the same response each time it is asked alone. Responses drawn beside others may differ in rare tokens: sums are taken in
another order. What it does not do: load a file in pieces, or adapters.
"""

from __future__ import annotations

import asyncio
import os
import secrets
from pathlib import Path
from typing import Any

import httpx

from sebench.errors import ConfigError, ProviderError
from sebench.rollout.config import RunConfig
from sebench.rollout.model import Completion, Sampling
from sebench.rollout.prompts import WHOLE_LIBRARY, Prompt

# The longest prompt of a whole world with open book has 3,100 tokens (SmolLM2), each further page about 450.
PROMPT_TOKENS, PAGE_TOKENS = 4096, 512
BATCH_TOKENS = 128  # a dropped request ends after so many; larger ones are no faster on CPUs
SEEDS = 2**32 - 1  # llama.cpp takes the one above for "any"


class Llama:
    """One GGUF file with `batch` slots."""

    def __init__(self, path: Path, config: RunConfig) -> None:
        engine = _engine()
        if not path.is_file():
            raise ConfigError(f"--model {path}: no such file")
        self.name, self.thinking, self.concurrency = path.name, config.thinking, config.batch
        key = secrets.token_hex(16)
        try:
            self._server = engine.Server(_parameters(engine, path, config, key))
        except RuntimeError as error:
            raise ConfigError(
                f"{path} cannot be loaded ({' '.join(str(error).split())}): it is no GGUF file that xllamacpp knows, or there is "
                "too little memory for it; --batch 1 needs the least"
            ) from None
        self._url = f"{self._server.listening_address}/v1/chat/completions"
        # No proxy of the environment, and no time limit: a slow machine is no failure.
        self._client = httpx.AsyncClient(
            headers={"Authorization": f"Bearer {key}"},
            timeout=None,
            trust_env=False,
            limits=httpx.Limits(max_connections=config.batch),
        )

    async def complete(self, prompt: Prompt, sampling: Sampling, seed: int) -> Completion:
        asked: dict[str, Any] = {
            "messages": [{"role": "user", "content": prompt.text}],
            "temperature": sampling.temperature,
            "top_p": sampling.top_p,
            "max_tokens": sampling.max_tokens,
            "seed": seed % SEEDS,
            # Only these two: llama.cpp's own defaults would also cut by top-k and min-p.
            "samplers": ["temperature", "top_p"],
        }
        if self.thinking:
            asked["chat_template_kwargs"] = {"enable_thinking": self.thinking == "on"}
        try:
            reply = await self._client.post(self._url, json=asked)
            data = reply.json()
        except (httpx.HTTPError, ValueError) as error:
            raise ProviderError(f"{self.name}: {type(error).__name__}: {error}", again=True) from None
        if reply.status_code != 200:
            raise _refused(self.name, data)
        choice, usage = data["choices"][0], data["usage"]
        content, thought = choice["message"].get("content") or "", choice["message"].get("reasoning_content")
        return Completion(
            f"<think>{thought}</think>\n{content}" if thought else content,
            choice["finish_reason"],
            usage["prompt_tokens"],
            usage["completion_tokens"],
        )

    async def close(self) -> None:
        await self._client.aclose()
        server, self._server = self._server, None
        await asyncio.to_thread(_drop, [server])


def _drop(server: list[Any]) -> None:
    """The last reference goes here, in a thread: the engine ends its own threads when it is freed."""
    server.clear()


def _engine() -> Any:
    """xllamacpp, with threads that sleep while they wait for each other.

    Threads that spin are as fast on an idle machine, but beside one busy process two of them on two cores made 1.9 tokens/s instead of
    5.5, and verdicts are such a process. OpenMP reads the variable once, when it is loaded.
    """
    before = os.environ.get("OMP_WAIT_POLICY")
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    try:
        import xllamacpp
    except ModuleNotFoundError:
        raise ConfigError("this model needs the extra 'local': pip install 'sebench[local]'") from None
    except ImportError as error:
        raise ConfigError(
            f"xllamacpp cannot be loaded: {error}; on Debian, libgomp1 and libstdc++6 must be there"
        ) from None
    finally:
        if before is None:
            del os.environ["OMP_WAIT_POLICY"]
    return xllamacpp


def _parameters(engine: Any, path: Path, config: RunConfig, key: str) -> Any:
    made = engine.CommonParams()
    made.model.path = str(path)
    made.n_parallel = config.batch
    made.n_ctx = context(config) * config.batch  # llama.cpp cuts a slot to what the model was trained for
    made.n_batch = made.n_ubatch = BATCH_TOKENS
    made.cpuparams.n_threads = made.cpuparams_batch.n_threads = len(os.sched_getaffinity(0))
    made.n_gpu_layers = 0 if config.device == "cpu" else -1
    made.api_keys = [key]
    made.ui = made.endpoint_slots = False
    made.cache_ram_mib = 0  # no second store of prompts: it would grow to 8 GB
    made.verbosity = -1  # nothing on stdout or stderr
    made.fit_params = made.warmup = False
    return made


def context(config: RunConfig) -> int:
    """How many tokens of prompt and response one slot holds."""
    if config.distractors == WHOLE_LIBRARY:
        return 1 << 17  # whatever the model was trained for
    return PROMPT_TOKENS + PAGE_TOKENS * config.distractors + config.max_tokens


def _refused(name: str, data: dict[str, Any]) -> ProviderError:
    error = data.get("error", {})
    if error.get("type") == "exceed_context_size_error":
        return ProviderError(
            f"the prompt has {error.get('n_prompt_tokens')} tokens, {name} takes {error.get('n_ctx')} here; "
            "use fewer --distractors or a model with a longer context",
            again=True,
        )
    return ProviderError(f"{name}: {' '.join(str(error.get('message', data)).split())[:200]}", again=False)
