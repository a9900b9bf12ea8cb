"""Any OpenAI-compatible endpoint: chat completions over HTTP, several replicas in turn.

It says what became of a request: a response, a failure that may pass (a `ProviderError` to be tried again, with the pause that the server
asked for), or one that will not (wrong key, unknown model). Retrying is the runner's part. The key is read when the model is made, and is in no
message and no record.
"""

from __future__ import annotations

import itertools
import json
import os
from email.utils import parsedate_to_datetime
from pathlib import Path
from time import time
from typing import Any

import httpx

from sebench.errors import ConfigError, ProviderError
from sebench.rollout.config import RunConfig
from sebench.rollout.model import Completion, Sampling
from sebench.rollout.prompts import Prompt

LATER = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
SHORT_WAIT_S = 1.0  # for a server that asks for less without saying for how long


class Endpoint:
    """One model behind one or several base URLs."""

    concurrency = 32

    def __init__(self, config: RunConfig) -> None:
        key = _key(config)
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        most = config.workers or self.concurrency
        limits = httpx.Limits(max_connections=most, max_keepalive_connections=most)
        timeout = httpx.Timeout(config.timeout_s, connect=min(config.timeout_s, 30.0), pool=None)
        self.name, self.thinking = config.model, config.thinking
        self.urls = [f"{url.rstrip('/')}/chat/completions" for url in config.base_url]
        self._next = itertools.cycle(range(len(self.urls)))
        try:
            self._client = httpx.AsyncClient(headers=headers, timeout=timeout, limits=limits)
            for url in self.urls:
                if httpx.URL(url).scheme not in ("http", "https") or not httpx.URL(url).host:
                    raise ValueError(f"{url} is no http address")
        except (httpx.InvalidURL, ValueError, UnicodeError) as error:
            raise ConfigError(f"--base-url: {error}") from None

    async def complete(self, prompt: Prompt, sampling: Sampling, seed: int) -> Completion:
        url = self.urls[next(self._next)]
        asked: dict[str, Any] = {
            "model": self.name,
            "messages": [{"role": "user", "content": prompt.text}],
            "temperature": sampling.temperature,
            "top_p": sampling.top_p,
            "max_tokens": sampling.max_tokens,
            "seed": seed,
        }
        if self.thinking:
            asked["chat_template_kwargs"] = {"enable_thinking": self.thinking == "on"}
        try:
            reply = await self._client.post(url, json=asked)
        except httpx.TimeoutException as error:
            raise ProviderError(f"{url}: no answer in time ({type(error).__name__})", again=True) from None
        except httpx.HTTPError as error:
            raise ProviderError(f"{url}: {type(error).__name__}: {error}", again=True) from None
        if reply.status_code != 200:
            raise _refused(url, self.name, reply)
        return _completion(url, reply)

    async def close(self) -> None:
        await self._client.aclose()


def _key(config: RunConfig) -> str:
    if config.key_file:
        try:
            return Path(config.key_file).read_text("utf-8").strip()
        except (OSError, UnicodeError) as error:
            raise ConfigError(f"--key-file {config.key_file} cannot be read: {error}") from None
    return os.environ.get(config.key_env, "").strip()


def _refused(url: str, model: str, reply: httpx.Response) -> ProviderError:
    said = _message(reply)
    if reply.status_code in LATER:
        wait = _retry_after(reply) if reply.status_code in (429, 503, 529) else 0.0
        return ProviderError(f"{url}: status {reply.status_code}: {said}", again=True, wait_s=wait)
    if reply.status_code in (401, 403):
        return ProviderError(
            f"{url} refuses the key (status {reply.status_code}): {said}; see --key-env and --key-file", again=False
        )
    if reply.status_code == 404:
        return ProviderError(
            f"{url} has no model '{model}' (status 404): {said}; see --model and --base-url", again=False
        )
    return ProviderError(f"{url}: status {reply.status_code}: {said}", again=False)


def _message(reply: httpx.Response) -> str:
    try:
        data = reply.json()
        found = data.get("error", data) if isinstance(data, dict) else data
        text = found.get("message", found) if isinstance(found, dict) else found
    except ValueError:
        text = reply.text
    return " ".join(str(text).split())[:200] or "no message"


def _retry_after(reply: httpx.Response) -> float:
    said = reply.headers.get("retry-after", "")
    try:
        return min(max(float(said), 0.0), 600.0)
    except ValueError:
        pass
    try:
        return min(max(parsedate_to_datetime(said).timestamp() - time(), 0.0), 600.0)
    except (ValueError, TypeError):
        return SHORT_WAIT_S


def _completion(url: str, reply: httpx.Response) -> Completion:
    """The response in a reply that claims to have one; what is malformed is a failure that may pass."""
    try:
        data = json.loads(reply.content)
        choice = data["choices"][0]
        content = choice["message"].get("content")
        thought = choice["message"].get("reasoning_content")
        if content is None and thought is None:
            raise ValueError("a choice without content")
        if not isinstance(content, str | None) or not isinstance(thought, str | None):
            raise ValueError("content that is no text")
        usage = data.get("usage") or {}
        text = f"<think>{thought}</think>\n{content or ''}" if thought else str(content)
        return Completion(
            text,
            str(choice.get("finish_reason") or "stop"),
            int(usage.get("prompt_tokens") or 0),
            int(usage.get("completion_tokens") or 0),
        )
    except (ValueError, KeyError, IndexError, TypeError, AttributeError) as error:
        raise ProviderError(f"{url}: the reply cannot be read ({type(error).__name__}: {error})", again=True) from None
