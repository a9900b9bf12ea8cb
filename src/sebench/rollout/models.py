"""From a name to a model. Heavy engines are imported only when they are asked for."""

from __future__ import annotations

from pathlib import Path

from sebench.errors import ConfigError
from sebench.rollout.config import RunConfig
from sebench.rollout.model import Model
from sebench.rollout.scripted import SCRIPTED, scripted
from sebench.world import World

EMBEDDED = "smollm2"


def load(config: RunConfig, world: World) -> Model:
    """The model that a configuration names."""
    name = config.model
    if config.base_url:
        from sebench.rollout.endpoint import Endpoint

        return Endpoint(config)
    if name in SCRIPTED:
        return scripted(name, world)
    if name == EMBEDDED or name.endswith(".gguf"):
        from sebench.rollout import embedded
        from sebench.rollout.llama import Llama

        return Llama(embedded.weights() if name == EMBEDDED else Path(name), config)
    if name.startswith("vllm:"):
        from sebench.rollout.vllm import Vllm

        return Vllm(name.removeprefix("vllm:"), config)
    if name.startswith("hf:") or Path(name).is_dir():
        from sebench.rollout.transformers import Transformers

        return Transformers(name.removeprefix("hf:"), config)
    raise ConfigError(
        f"no model '{name}': {EMBEDDED}, {', '.join(SCRIPTED)}, a .gguf file, a folder, hf:NAME, vllm:NAME, or a name "
        "with --base-url"
    )
