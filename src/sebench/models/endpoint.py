"""Any OpenAI-compatible endpoint: chat completions over HTTP, shared among several replicas.

It says what became of a request: a response, a failure that may pass (a `ProviderError` to be tried again, with the pause that the server
asked for), one that will not (wrong key, unknown model), or a refusal of this prompt alone. Retrying is the runner's part. A replica that
fails rests while others work. The key is read when the model is made, and is in no message and no record.
"""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from sebench.base import retry
from sebench.base.errors import ConfigError, PromptRefused, ProviderError
from sebench.models.chat import Chat, Request, body, with_thought
from sebench.models.model import Completion, Sampling
from sebench.world.prompts import Prompt

LATER = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
SLOWER = frozenset({429, 503, 529})  # of these, the ones that ask for less
THIS_PROMPT = frozenset({400, 413, 422})  # most often a prompt that is too long; the runner ends when all are refused
ABORTED = ("error", "abort")  # reasons to finish that are the server's: what came before is no answer
SHORT_WAIT_S = 1.0  # where a server asks for less without saying for how long
FIRST_REST_S, LONGEST_REST_S = 0.5, 30.0  # of a replica that fails
MOST_BYTES = 64 << 20  # of a reply: no response is that long, and thirty-two of them must fit into memory


@dataclass
class Replica:
    """One base URL, and how it does."""

    url: httpx.URL
    shown: str  # without what may be secret
    busy: int = 0
    failures: int = 0  # in a row
    rests_until: float = 0.0
    # A client for each request under way, because the pool of one client looks at all its connections several times a request:
    # 32 at a time are more than twice as fast so (benchmarks/rollout.py).
    idle: list[httpx.AsyncClient] = field(default_factory=list)

    def failed(self, wait_s: float) -> None:
        """Leave it alone for `wait_s`, or for longer and longer. What fails while it rests was sent before, and counts once."""
        now = time.monotonic()
        if wait_s:
            self.rests_until = max(self.rests_until, now + wait_s)
        elif now >= self.rests_until:
            self.rests_until = now + retry.backoff_s(FIRST_REST_S, LONGEST_REST_S, self.failures)
            self.failures += 1


@dataclass(frozen=True)
class Reply:
    """What a server sent back."""

    status: int
    retry_after: str
    body: bytes


class Endpoint:
    """One model behind one or several base URLs."""

    concurrency = 32

    def __init__(
        self,
        name: str,
        base_url: Sequence[str],
        *,
        key_env: str = "OPENAI_API_KEY",
        key_file: str = "",
        timeout_s: float = 300.0,
        chat: Chat | None = None,
        request: Request | None = None,
    ) -> None:
        """`base_url` are replicas of the same model."""
        self.name, self.timeout_s = name, timeout_s
        self.chat, self.request = chat or Chat(), request or Request()
        self.replicas = [_replica(url) for url in base_url]
        self._key = read_key(key_env, key_file)
        self._clients: list[httpx.AsyncClient] = []
        self._options: dict[str, Any] = {
            "headers": {"Authorization": f"Bearer {self._key}"} if self._key else {},
            "timeout": httpx.Timeout(None, connect=min(timeout_s, 30.0)),  # _post limits the whole
            "limits": httpx.Limits(max_connections=1),
            "verify": httpx.create_ssl_context(),  # once: it takes longer than a request
        }

    async def complete(self, prompt: Prompt, sampling: Sampling, seed: int) -> Completion:
        asked = {"model": self.name, **body(prompt, self.chat, sampling, seed, self.request)}
        replica = self._choose()
        replica.busy += 1
        try:
            said = self._read(replica, await self._post(replica, asked))
            replica.failures = 0
            return said
        except ProviderError as error:
            if error.again:
                replica.failed(error.wait_s)
                error.wait_s = self._wait_s() if error.wait_s else 0.0
            raise
        finally:
            replica.busy -= 1

    def _choose(self) -> Replica:
        """The replica with the least to do, of those that do not rest; if all do, the one that rests shortest."""
        now = time.monotonic()
        return min(self.replicas, key=lambda replica: (max(replica.rests_until - now, 0.0), replica.busy))

    def _wait_s(self) -> float:
        """How long until some replica may be asked again."""
        return max(min(replica.rests_until for replica in self.replicas) - time.monotonic(), 0.0)

    def _client(self) -> httpx.AsyncClient:
        self._clients.append(httpx.AsyncClient(**self._options))
        return self._clients[-1]

    async def _post(self, replica: Replica, asked: dict[str, Any]) -> Reply:
        client = replica.idle.pop() if replica.idle else self._client()
        try:
            async with asyncio.timeout(self.timeout_s), client.stream("POST", replica.url, json=asked) as reply:
                body = bytearray()
                async for chunk in reply.aiter_bytes():
                    body += chunk
                    if len(body) > MOST_BYTES:
                        raise ProviderError(f"{replica.shown}: a reply of more than {MOST_BYTES >> 20} MiB", again=True)
                return Reply(reply.status_code, reply.headers.get("retry-after", ""), bytes(body))
        except (TimeoutError, httpx.TimeoutException):
            raise ProviderError(f"{replica.shown}: no answer in {self.timeout_s:g} s", again=True) from None
        except httpx.HTTPError as error:
            said = self._shown(f"{type(error).__name__}: {error}")
            raise ProviderError(f"{replica.shown}: {said}", again=True) from None
        finally:
            replica.idle.append(client)

    def _read(self, replica: Replica, reply: Reply) -> Completion:
        """The completion in a reply, or why there is none. What is malformed may pass."""
        try:
            data = json.loads(reply.body)
        except (ValueError, RecursionError):
            data = reply.body[:2000].decode("utf-8", "replace")
        if reply.status != 200 or not isinstance(data, dict) or "choices" not in data:
            raise self._failure(replica.shown, reply, self._shown(_message(data)) or "no message")
        try:
            return _completion(data)
        except (ValueError, KeyError, IndexError, TypeError, AttributeError) as error:
            said = self._shown(f"{type(error).__name__}: {error}")
            raise ProviderError(f"{replica.shown}: the reply cannot be read ({said})", again=True) from None

    def _failure(self, shown: str, reply: Reply, said: str) -> ProviderError:
        what = f"{shown}: status {reply.status}: {said}"
        if reply.status in LATER:
            wait_s = retry.retry_after_s(reply.retry_after, SHORT_WAIT_S) if reply.status in SLOWER else 0.0
            return ProviderError(what, again=True, wait_s=wait_s)
        if reply.status in THIS_PROMPT:
            return PromptRefused(what)
        if reply.status in (401, 403):
            return ProviderError(
                f"{shown} refuses the key (status {reply.status}): {said}; see --key-env and --key-file", again=False
            )
        if reply.status == 404:
            return ProviderError(
                f"{shown} has no model '{self.name}' (status 404): {said}; see --model and --base-url", again=False
            )
        if 200 <= reply.status < 400:  # nothing, a page, or a detour: a proxy on the way may have a bad moment
            return ProviderError(f"{shown}: the reply is not a completion (status {reply.status}): {said}", again=True)
        return ProviderError(what, again=False)

    def _shown(self, text: str) -> str:
        """What a server said, fit for one line on a terminal and for a file, and without our key."""
        if len(self._key) > 5:
            text = text.replace(self._key, "[key]")
        return "".join(c if c.isprintable() else " " for c in " ".join(text.split()))[:200].strip()

    async def close(self) -> None:
        for client in self._clients:
            await client.aclose()


def _replica(base: str) -> Replica:
    try:
        url = httpx.URL(base)
        if url.scheme not in ("http", "https") or not url.host:
            raise ValueError("no http address, such as http://host:8000/v1")
        url = url.copy_with(path=f"{url.path.rstrip('/')}/chat/completions", fragment=None)
    except (httpx.InvalidURL, ValueError, UnicodeError) as error:
        raise ConfigError(f"--base-url {base.rpartition('@')[2].partition('?')[0]}: {error}") from None
    return Replica(url, str(url.copy_with(username=None, password=None, query=None)))


def read_key(key_env: str, key_file: str) -> str:
    """The key of an endpoint; "" where there is none."""
    key, source = os.environ.get(key_env, ""), f"--key-env {key_env}"
    if key_file:
        source = f"--key-file {key_file}"
        try:
            key = Path(key_file).read_text("utf-8")
        except (OSError, UnicodeError) as error:
            why = error.strerror if isinstance(error, OSError) else "it is not a text file"
            raise ConfigError(f"{source} cannot be read: {why}") from None
    key = key.strip()
    if not key.isascii() or not key.isprintable():
        raise ConfigError(f"{source}: a key is one line of plain characters, and this one is not")
    return key


def _message(data: Any) -> str:
    """What a server says is wrong: OpenAI's form, the usual others, or whatever there is."""
    found = data
    for name in ("error", "message", "detail"):
        if isinstance(found, dict) and found.get(name):
            found = found[name]
    return found if isinstance(found, str) else json.dumps(found)


def _completion(data: dict[str, Any]) -> Completion:
    choice = data["choices"][0]
    message = choice["message"]
    finish = str(choice.get("finish_reason") or "stop")[:40]
    if finish in ABORTED:
        raise ValueError(f"the response was broken off: {finish}")
    content, thought = message.get("content"), message.get("reasoning_content") or message.get("reasoning")
    if isinstance(content, list):  # parts, of which those with text count
        content = "".join(part["text"] for part in content if part.get("type", "text") == "text")
    if content is None:
        content = message.get("refusal")  # the model's own words too
    if content is None and (thought or finish == "length"):
        content = ""  # all its tokens went into thoughts
    if not isinstance(content, str) or not isinstance(thought, str | None):
        raise ValueError("a choice without text")
    usage = data.get("usage")
    usage = usage if isinstance(usage, dict) else {}
    return Completion(
        _whole(with_thought(content, thought)),
        _whole(finish),
        _tokens(usage.get("prompt_tokens")),
        _tokens(usage.get("completion_tokens")),
        model=_whole(str(data.get("model") or ""))[:200],
    )


def _whole(text: str) -> str:
    """The text with a replacement character for each half of a character: JSON can say them, files cannot hold them."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def _tokens(said: object) -> int:
    """A number of tokens; 0 where a server says something else."""
    return said if type(said) is int and said > 0 else 0
