"""Loads a model by its name. Heavy engines are imported only when they are needed."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

from sebench.base.errors import ConfigError
from sebench.base.records import SCRIPTED, Task
from sebench.base.wording import did_you_mean
from sebench.models.embedded import NAME as EMBEDDED
from sebench.models.model import Chat, Completion, Model, Request, Sampling
from sebench.models.scripted import scripted
from sebench.rollout.config import RunConfig
from sebench.world.open_book import WHOLE_LIBRARY
from sebench.world.prompts import Prompt
from sebench.world.world import World

PROMPT_TOKENS, PAGE_TOKENS = 4096, 512


class NoModelNeeded:
    """A placeholder for the model when no response is missing, so that responses can be judged on a machine without
    it."""

    concurrency = 64

    async def complete(self, prompt: Prompt, sampling: Sampling, seed: int) -> Completion:
        raise AssertionError("a response is missing, but no model was loaded")

    async def close(self) -> None:
        """Do nothing: there is nothing to release."""


def check(config: RunConfig, *, writes: bool = False) -> None:
    """Raise an error for a model that cannot be loaded here, before anything is built. `writes` is true if it is to
    write texts other than answers (`load_writer`)."""
    check_name(config, writes=writes)
    name = config.model
    if config.base_url:
        endpoint(config)
    elif _by_llama(name):
        from sebench.models import llama

        llama.library()
    elif name not in SCRIPTED:
        from sebench.models import transformers

        transformers.libraries()


def check_name(config: RunConfig, *, writes: bool = False) -> None:
    """Raise an error for a model that no machine could load under this name, as `check` does, but without the libraries
    that load it or the key of an endpoint."""
    name = config.model
    if config.base_url:
        for url in config.base_url:
            without_credentials(url)
    elif name in SCRIPTED:
        if writes:
            raise ConfigError(
                f"the scripted model '{name}' only answers tasks and cannot write texts; choose another model"
            )
    elif _by_llama(name):
        if name != EMBEDDED and not Path(name).is_file():
            raise ConfigError(f"--model {name}: no such file")
    elif name.startswith("hf:") or Path(name).is_dir():
        from sebench.models import checkpoints

        checkpoints.check_source(name)
    else:
        from sebench.models import transformers

        transformers.check_folder(name)
        near = did_you_mean(name, (EMBEDDED, *SCRIPTED))
        if name.count("/") == 1 and not name.startswith((".", "/")):
            near = f"did you mean hf:{name}?"
        hint = f"{near} Otherwise " if near else ""
        raise ConfigError(
            f"unknown model '{name}'; {hint}use {EMBEDDED}, {', '.join(SCRIPTED)}, a .gguf file, a folder, hf:NAME, or "
            "any name with --base-url"
        )


def load(config: RunConfig, world: World, tasks: Iterable[Task] = (), memory_tokens: int = 0) -> Model:
    """Load the model that a configuration names. Scripted models look up their answers in the world, or in imported
    `tasks`. A memory may add up to `memory_tokens` to a prompt."""
    check(config)
    name, chat = config.model, Chat(config.system, config.thinking)
    if config.base_url:
        return endpoint(config)
    if name in SCRIPTED:
        return scripted(name, world, tasks)
    if _by_llama(name):
        from sebench.models import embedded, llama

        return llama.Llama(
            embedded.weights() if name == EMBEDDED else Path(name),
            prompt_tokens=prompt_tokens(config.retrieve or config.distractors, memory_tokens),
            max_tokens=config.max_tokens,
            batch=config.batch or llama.BATCH,
            device=config.device,
            chat=chat,
        )
    from sebench.models.transformers import Transformers

    return Transformers(name.removeprefix("hf:"), batch=config.batch, device=config.device, chat=chat)


def _by_llama(name: str) -> bool:
    """Whether llama.cpp runs this model. After hf:, the embedded model or a GGUF file is dequantised for transformers,
    as it is for training."""
    return name == EMBEDDED or (name.endswith(".gguf") and not name.startswith("hf:"))


def endpoint(config: RunConfig) -> Model:
    """Return the model behind the base URLs of a configuration."""
    from sebench.models.endpoint import Endpoint

    return Endpoint(
        config.model,
        config.base_url,
        key_env=config.key_env,
        key_file=config.key_file,
        timeout_s=config.timeout_s,
        chat=Chat(config.system, config.thinking),
        request=Request(config.token_limit, config.send_seed, config.reasoning_effort, config.extra_fields()),
    )


def prompt_tokens(further_pages: int, memory_tokens: int = 0) -> int:
    """Return an upper bound on the length of a prompt in tokens; 0 if prompts contain the whole library. Memory tokens
    are estimated for English text and doubled, because forged names take more tokens."""
    if further_pages == WHOLE_LIBRARY:
        return 0
    return PROMPT_TOKENS + PAGE_TOKENS * further_pages + 2 * memory_tokens


def without_credentials(url: str) -> str:
    """Return a URL without user, password and query, for the manifest."""
    try:
        parts = urlsplit(url)
    except ValueError as error:
        raise ConfigError(f"--base-url {url.rpartition('@')[2].partition('?')[0]}: {error}") from None
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def load_writer(config: RunConfig, world: World, memory_tokens: int = 0) -> Model:
    """Load the model that a configuration names, for writing texts other than answers; scripted models are refused."""
    check(config, writes=True)
    return load(config, world, memory_tokens=memory_tokens)
