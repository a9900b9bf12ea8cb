"""Models run by vLLM inside this process, if it is installed: continuous batching on GPUs.

Written from vLLM's documentation (0.32: `AsyncLLM`, `AsyncEngineArgs`, `SamplingParams`) but never run with a real
engine: our CI has no GPU, and the tests replace the engine with a fake. If it fails, `vllm serve NAME` with --base-url
http://127.0.0.1:8000/v1 does the same.
"""

from __future__ import annotations

import asyncio
import itertools
from importlib import import_module

from sebench.base.errors import ConfigError, PromptRefused, ProviderError
from sebench.models.model import Chat, Completion, Sampling, opening
from sebench.world.prompts import Prompt


class Vllm:
    """One engine. It does its own batching, so it receives many prompts concurrently."""

    concurrency = 256  # vLLM's default number of concurrent sequences

    def __init__(self, name: str, *, chat: Chat | None = None) -> None:
        try:
            arguments = import_module("vllm.engine.arg_utils").AsyncEngineArgs(model=name, disable_log_stats=True)
            self._sampling = import_module("vllm.sampling_params")
            engine = import_module("vllm.v1.engine.async_llm").AsyncLLM
            tokenizers = import_module("transformers").AutoTokenizer
        except ImportError as error:
            raise ConfigError(f"vllm:{name} needs vLLM on a machine with a GPU ({error}): pip install vllm") from None
        try:
            self._tokenizer = tokenizers.from_pretrained(name)
            self._engine = engine.from_engine_args(arguments)
        except (OSError, ValueError, RuntimeError) as error:
            raise ConfigError(f"vllm:{name} cannot be loaded: {' '.join(str(error).split())[:200]}") from None
        self.name, self.chat = name, chat or Chat()
        self._number = itertools.count()

    async def complete(self, prompt: Prompt, sampling: Sampling, seed: int) -> Completion:
        text = self.chat.apply_template(self._tokenizer, prompt)
        ids = list(self._tokenizer(text, add_special_tokens=self._tokenizer.chat_template is None)["input_ids"])
        parameters = self._sampling.SamplingParams(
            temperature=sampling.temperature,
            top_p=sampling.top_p,
            max_tokens=sampling.max_tokens,
            seed=seed % 2**63,
            stop=list(sampling.stop),
            output_kind=self._sampling.RequestOutputKind.FINAL_ONLY,
        )
        try:
            under_way = self._engine.generate({"prompt_token_ids": ids}, parameters, f"sebench-{next(self._number)}")
            output = [step async for step in under_way][-1].outputs[0]
        except ValueError as error:  # the prompt is longer than the context
            raise PromptRefused(f"{self.name}: {' '.join(str(error).split())[:200]}") from None
        except RuntimeError as error:  # the engine has died
            raise ProviderError(f"{self.name}: {' '.join(str(error).split())[:200]}", again=False) from None
        if output.finish_reason in ("error", "abort"):
            raise ProviderError(f"{self.name}: the response was aborted: {output.finish_reason}", again=True)
        return Completion(opening(text) + output.text, output.finish_reason or "stop", len(ids), len(output.token_ids))

    async def close(self) -> None:
        await asyncio.to_thread(self._engine.shutdown)
