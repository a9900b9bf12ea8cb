"""From a name to a model. Heavy engines are imported only when they are asked for."""

from __future__ import annotations

from pathlib import Path

from sebench.errors import ConfigError
from sebench.prompts import WHOLE_LIBRARY
from sebench.records import SCRIPTED
from sebench.rollout.config import RunConfig
from sebench.rollout.model import Model
from sebench.rollout.scripted import scripted
from sebench.world import World

EMBEDDED = "smollm2"
PROMPT_TOKENS, PAGE_TOKENS = 4096, 512


def load(config: RunConfig, world: World) -> Model:
    """The model that a configuration names."""
    name = config.model
    if config.base_url:
        from sebench.rollout.endpoint import Endpoint

        return Endpoint(
            name,
            config.base_url,
            key_env=config.key_env,
            key_file=config.key_file,
            timeout_s=config.timeout_s,
            thinking=config.thinking,
        )
    if name in SCRIPTED:
        return scripted(name, world)
    if name == EMBEDDED or name.endswith(".gguf"):
        from sebench.rollout import embedded
        from sebench.rollout.llama import Llama

        return Llama(
            embedded.weights() if name == EMBEDDED else Path(name),
            prompt_tokens=prompt_tokens(config.distractors),
            max_tokens=config.max_tokens,
            batch=config.batch,
            device=config.device,
            thinking=config.thinking,
        )
    if name.startswith("vllm:"):
        from sebench.rollout.vllm import Vllm

        return Vllm(name.removeprefix("vllm:"), thinking=config.thinking)
    if name.startswith("hf:") or Path(name).is_dir():
        from sebench.rollout.transformers import Transformers

        return Transformers(
            name.removeprefix("hf:"), batch=config.batch, device=config.device, thinking=config.thinking
        )
    raise ConfigError(
        f"no model '{name}': {EMBEDDED}, {', '.join(SCRIPTED)}, a .gguf file, a folder, hf:NAME, vllm:NAME, or a name "
        "with --base-url"
    )


def prompt_tokens(distractors: int) -> int:
    """How many tokens a prompt may have; 0 where it has the whole library."""
    return 0 if distractors == WHOLE_LIBRARY else PROMPT_TOKENS + PAGE_TOKENS * distractors
