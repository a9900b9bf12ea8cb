"""Any OpenAI-compatible endpoint: chat completions over HTTP, distributed over several replicas.

A request ends in a response, a temporary failure (a `ProviderError` with `again` and the pause that the server
requested), a permanent failure (wrong key, unknown model), or a refusal of this prompt. The runner does the retrying. A
replica that fails is paused while the others work. The key is read when the model is created and appears in no message
and no record.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import socket
import ssl
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

import httpx

from sebench.base import retry
from sebench.base.errors import ConfigError, PromptRefused, ProviderError, first_problem
from sebench.base.wording import shorten
from sebench.models.model import TOKEN_LIMITS, Chat, Completion, Request, Sampling, body, with_thought
from sebench.world.prompts import Prompt

LATER = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
SLOWER = frozenset({429, 503, 529})  # temporary failures that ask for fewer requests
THIS_PROMPT = frozenset({400, 413, 422})  # usually the prompt is too long; the runner stops if all prompts are refused
PAYMENT_REQUIRED = 402
NO_QUOTA = "insufficient_quota"  # has status 429, but no pause helps
# Fields that some models do not accept, and what to do about it.
FIELDS = {
    "temperature": "set --temperature 1",
    "seed": "add --no-send-seed",
    "reasoning_effort": "leave out --reasoning-effort",
}
_UNSUPPORTED = re.compile(
    r"(un|not )(supported|known|recognized|expected|permitted|allowed)|extra_forbidden|cannot find", re.IGNORECASE
)
MOVED = (301, 308)  # other redirects may come from a proxy that asks for a login
PATH = "/chat/completions"  # of requests, below the base URL
# OpenSSL's reasons if the reply to its first message is not TLS, such as one in plain HTTP; newer versions have others.
NO_TLS = ("WRONG_VERSION_NUMBER", "RECORD_LAYER_FAILURE", "PACKET_LENGTH_TOO_LONG")
FILTERED = "content_filter"  # finish reason: the provider removed what the model said
ABORTED = ("error", "abort")  # finish reasons that are the server's fault: the partial text is not an answer
LONG_WAIT_S = 30.0  # pauses from this length on are announced, because nothing else happens during them
SHORT_WAIT_S = 1.0  # pause if a server asks for fewer requests without saying how long to wait
FIRST_REST_S, LONGEST_REST_S = 0.5, 30.0  # pause of a failing replica
MOST_BYTES = 64 << 20  # maximum reply size: far above any response, and 32 of them fit into memory


@dataclass
class Replica:
    """One base URL and its state."""

    url: httpx.URL
    public_url: str  # without credentials
    busy: int = 0
    answered: bool = False  # at least once
    failures: int = 0  # consecutive
    rests_until: float = 0.0
    throttled_until: float = 0.0
    # One client per concurrent request, because the pool of a shared client scans all its connections several times per
    # request. With 32 concurrent requests this is more than twice as fast (benchmarks/rollout.py).
    idle: list[httpx.AsyncClient] = field(default_factory=list)

    def pause(self, wait_s: float) -> None:
        """Pause this replica for `wait_s` seconds, which it asked for, or with exponential backoff if that is 0.
        Requests that fail during the pause were sent before it and do not extend it."""
        now = time.monotonic()
        if wait_s:
            self.throttled_until = max(self.throttled_until, now + wait_s)
        elif now >= self.rests_until:
            self.rests_until = now + retry.backoff_s(FIRST_REST_S, LONGEST_REST_S, self.failures)
            self.failures += 1

    def pause_s(self) -> float:
        """Return the seconds until the next request. A replica that asks for a pause works: its failures before that do
        not make the pause longer."""
        now = time.monotonic()
        return max((self.throttled_until if self.throttled_until > now else self.rests_until) - now, 0.0)


@dataclass(frozen=True)
class EndpointFlags:
    """The names of a command's endpoint options, for messages."""

    key: str = "--key-env and --key-file"
    model: str = "--model and --base-url"
    address: str = "--base-url"


@dataclass(frozen=True)
class Reply:
    """An HTTP reply."""

    status: int
    retry_after: str
    moved_to: str  # the new base URL, if this address has moved
    body: bytes


class Endpoint:
    """One model served at one or more base URLs."""

    concurrency = 32

    def __init__(
        self,
        name: str,
        base_url: Sequence[str],
        *,
        key_env: str = "OPENAI_API_KEY",
        key_file: str = "",
        key: str = "",
        timeout_s: float = 300.0,
        chat: Chat | None = None,
        request: Request | None = None,
        flags: EndpointFlags | None = None,
    ) -> None:
        """All URLs in `base_url` must serve the same model. A `key` takes precedence over `key_env` and `key_file`."""
        self.name, self.timeout_s = name, timeout_s
        self.chat, self.request = chat or Chat(), request or Request()
        self.first_limit = self.request.token_limit
        self.flags = flags or EndpointFlags()
        self.replicas = [_replica(url, self.flags.address) for url in base_url]
        self._key = _check_key(key, self.flags.key) if key else read_key(key_env, key_file)
        self._key_source = key_file or f"the environment variable {key_env}"
        self._clients: list[httpx.AsyncClient] = []
        self._announced_until = 0.0  # end of the last pause that was announced
        self._reached = False  # whether a server has replied, so that the address is known to be right
        self._options: dict[str, Any] = {
            "headers": {"Authorization": f"Bearer {self._key}"} if self._key else {},
            "timeout": httpx.Timeout(None, connect=min(timeout_s, 30.0)),  # _post limits the total time
            "limits": httpx.Limits(max_connections=1),
            "verify": _ssl_context(),
        }

    async def complete(self, prompt: Prompt, sampling: Sampling, seed: int) -> Completion:
        replica = self._choose()
        replica.busy += 1
        try:
            completion = self._read(replica, await self._ask(replica, prompt, sampling, seed))
            replica.failures, replica.answered = 0, True
            return completion
        except ProviderError as error:
            if error.again:
                replica.pause(error.wait_s)
                if error.wait_s:  # wait until a replica is available again
                    error.wait_s = min(other.pause_s() for other in self.replicas)
                    self._announce(error)
            raise
        finally:
            replica.busy -= 1

    def _announce(self, error: ProviderError) -> None:
        """Print one line about a long pause; requests that fail during it do not repeat it."""
        if error.wait_s >= LONG_WAIT_S and (now := time.monotonic()) >= self._announced_until:
            self._announced_until = now + error.wait_s
            print(
                f"note: {error}; the server asks for a pause: the next request is sent in {error.wait_s:.0f} s",
                file=sys.stderr,
                flush=True,
            )

    def _choose(self) -> Replica:
        """Return the least busy replica that is not paused, or if all are paused, the one whose pause ends first."""
        return min(self.replicas, key=lambda replica: (replica.pause_s(), replica.busy))

    def _client(self) -> httpx.AsyncClient:
        self._clients.append(httpx.AsyncClient(**self._options))
        return self._clients[-1]

    async def _ask(self, replica: Replica, prompt: Prompt, sampling: Sampling, seed: int) -> Reply:
        """Send a request. If the server rejects the name of the token-limit field, use the other name from now on."""
        sent = self.request
        reply = await self._post(replica, {"model": self.name, **body(prompt, self.chat, sampling, seed, sent)})
        other = next(name for name in TOKEN_LIMITS if name != sent.token_limit)
        # Complaints about a prompt that is too long may name both fields.
        complaints = (f"'{other}' instead", f"Unsupported parameter: '{sent.token_limit}'")
        text = reply.body[:2000].decode("utf-8", "replace")
        asks_for_other = reply.status in THIS_PROMPT and any(complaint in text for complaint in complaints)
        if not asks_for_other or sent.token_limit != self.first_limit:
            return reply
        self.request = replace(sent, token_limit=other)
        return await self._post(replica, {"model": self.name, **body(prompt, self.chat, sampling, seed, self.request)})

    async def _post(self, replica: Replica, request: dict[str, Any]) -> Reply:
        client = replica.idle.pop() if replica.idle else self._client()
        try:
            async with asyncio.timeout(self.timeout_s), client.stream("POST", replica.url, json=request) as reply:
                self._reached = True
                body = bytearray()
                async for chunk in reply.aiter_bytes():
                    body += chunk
                    if len(body) > MOST_BYTES:
                        raise ProviderError(
                            f"{replica.public_url}: the reply is larger than {MOST_BYTES >> 20} MiB", again=True
                        )
                later, location = reply.headers.get("retry-after", ""), reply.headers.get("location", "")
                has_moved = reply.status_code in MOVED and not replica.answered
                moved_to = _base_url(replica.url, location) if has_moved else ""
                return Reply(reply.status_code, later, moved_to, bytes(body))
        except (TimeoutError, httpx.TimeoutException):
            raise ProviderError(f"{replica.public_url}: no answer in {self.timeout_s:g} s", again=True) from None
        except httpx.HTTPError as error:
            if is_unresolved(error) and not self._reached:
                raise ProviderError(
                    f"{replica.public_url}: the host '{replica.url.host}' cannot be found; check {self.flags.address} "
                    "and the network",
                    again=False,
                ) from None
            if any(reason in str(error) for reason in NO_TLS) and not self._reached:
                raise ProviderError(
                    f"{replica.public_url}: the server does not speak https; use http:// in {self.flags.address}",
                    again=False,
                ) from None
            reason = self.printable(f"{type(error).__name__}: {error}")
            raise ProviderError(f"{replica.public_url}: {reason}", again=True) from None
        finally:
            replica.idle.append(client)

    def _read(self, replica: Replica, reply: Reply) -> Completion:
        """Return the completion in a reply, or raise an error if there is none. A malformed reply counts as a temporary
        failure."""
        try:
            data = json.loads(reply.body)
        except (ValueError, RecursionError):
            data = reply.body[:2000].decode("utf-8", "replace")
        if reply.status != 200 or not isinstance(data, dict) or "choices" not in data:
            raise self._failure(replica.public_url, reply, self.printable(_message(data)) or "no message")
        try:
            return _completion(data)
        except PromptRefused as error:
            raise PromptRefused(f"{replica.public_url}: {error}") from None
        except (ValueError, KeyError, IndexError, TypeError, AttributeError) as error:
            reason = self.printable(str(error) if type(error) is ValueError else f"{type(error).__name__}: {error}")
            raise ProviderError(f"{replica.public_url}: the reply cannot be read ({reason})", again=True) from None

    def _failure(self, where: str, reply: Reply, message: str) -> ProviderError:
        what = f"{where}: status {reply.status}: {message}"
        if permanent := self._permanent(reply, message):
            return ProviderError(f"{where}: {permanent}", again=False)
        if reply.status in LATER:
            wait_s = retry.retry_after_s(reply.retry_after, SHORT_WAIT_S) if reply.status in SLOWER else 0.0
            longer = retry.describe_longer(reply.retry_after) if wait_s else ""
            return ProviderError(what + longer, again=True, wait_s=wait_s)
        if reply.status in THIS_PROMPT:
            return PromptRefused(what)
        if reply.status in (401, 403):
            what = "the key" if self._key else f"requests without a key, and none is set in {self._key_source}"
            return ProviderError(
                f"{where} refuses {what} (status {reply.status}): {message}; see {self.flags.key}", again=False
            )
        if reply.status == 404:
            base = where.removesuffix(PATH)
            hint = "" if base.endswith("/v1") else f" ({self.flags.address} usually ends in /v1)"
            if base.endswith(PATH):
                hint = f" (leave {PATH} out of {self.flags.address})"
            return ProviderError(
                f"{where}: this address is wrong, or has no model '{self.name}' (status 404): {message}; "
                f"see {self.flags.model}{hint}",
                again=False,
            )
        if 200 <= reply.status < 400:  # empty, a web page, or a redirect: probably a proxy with a temporary problem
            return ProviderError(
                f"{where}: the reply is not a completion (status {reply.status}): {message}", again=True
            )
        return ProviderError(what, again=False)

    def _permanent(self, reply: Reply, message: str) -> str:
        """Return why no request can succeed, or "" if the reply gives none of these reasons."""
        field = _refused_field(reply)
        moved_to = self.printable(reply.moved_to)
        return first_problem(
            {
                f"the model does not accept this {field} (status {reply.status}): {message}; {FIELDS.get(field, '')}": (
                    bool(field)
                ),
                f"the account has no quota left: {message}; top it up, or use another key, see {self.flags.key}": (
                    reply.status == PAYMENT_REQUIRED or NO_QUOTA.encode() in reply.body[:2000]
                ),
                f"this address has moved (status {reply.status}); use {moved_to} in {self.flags.address}": bool(
                    moved_to
                ),
                "the reply is a stream of events; turn streaming off in the request and on the server": (
                    reply.status == 200 and reply.body.lstrip().startswith((b"data:", b"event:", b":"))
                ),
            }
        )

    def printable(self, text: str) -> str:
        """Return a server's message on one printable line, without our key and without punctuation at its end."""
        if len(self._key) > 5:
            text = text.replace(self._key, "[key]")
        return shorten("".join(c if c.isprintable() else " " for c in " ".join(text.split())).rstrip(" .:;,"), 200)

    async def close(self) -> None:
        for client in self._clients:
            await client.aclose()


def is_unresolved(error: BaseException | None) -> bool:
    """Return whether a request failed because the name of the host could not be resolved."""
    while error is not None and not isinstance(error, socket.gaierror):
        error = error.__cause__ or error.__context__
    return error is not None


@cache
def _ssl_context() -> ssl.SSLContext:
    """Return an SSL context that all endpoints share: reading the certificates takes longer than a request."""
    return httpx.create_ssl_context()


def _replica(base: str, flag: str) -> Replica:
    try:
        url = httpx.URL(base)
        if url.scheme not in ("http", "https") or not url.host:
            raise ValueError("write an http address, such as http://host:8000/v1")
        url = url.copy_with(path=f"{url.path.rstrip('/')}{PATH}", fragment=None)
    except (httpx.InvalidURL, ValueError, UnicodeError) as error:
        raise ConfigError(f"{flag} {base.rpartition('@')[2].partition('?')[0]}: {error}") from None
    return Replica(url, str(url.copy_with(username=None, password=None, query=None)))


def _base_url(old: httpx.URL, location: str) -> str:
    """Return the base URL, without credentials, of the address that a redirect leads to; "" if it is no address for
    completions."""
    try:
        url = old.join(location)
    except (httpx.InvalidURL, ValueError, UnicodeError):
        return ""
    path = url.path.rstrip("/")
    if url.scheme not in ("http", "https") or not url.host or not path.endswith(PATH):
        return ""
    path = path.removesuffix(PATH) or "/"
    return str(url.copy_with(username=None, password=None, path=path, query=None, fragment=None))


def read_key(key_env: str, key_file: str) -> str:
    """Return the key of an endpoint, or "" if none is set."""
    if not key_env.isidentifier():  # it may be the key, which must not be shown
        raise ConfigError("--key-env takes the name of an environment variable, such as OPENAI_API_KEY, not the key")
    key, source = os.environ.get(key_env, ""), f"--key-env {key_env}"
    if key_file:
        source = f"--key-file {key_file}"
        try:
            key = Path(key_file).read_text("utf-8")
        except (OSError, UnicodeError) as error:
            why = error.strerror if isinstance(error, OSError) else "it is not a text file"
            raise ConfigError(f"{source} cannot be read: {why}") from None
    return _check_key(key, source)


def _check_key(key: str, source: str) -> str:
    key = key.strip()
    if not key.isascii() or not key.isprintable():
        raise ConfigError(f"{source}: a key must be one line of printable ASCII characters")
    return key


def _refused_field(reply: Reply) -> str:
    """Return the name of the field (one of `FIELDS`) that makes a server refuse every request, or ""."""
    if reply.status not in THIS_PROMPT:
        return ""
    try:
        named = json.loads(reply.body)["error"]["param"]
    except (ValueError, RecursionError, LookupError, TypeError):
        named = None
    if named is None and _UNSUPPORTED.search(text := reply.body[:2000].decode("utf-8", "replace")):
        in_text = [name for name in FIELDS if re.search(rf"\b{name}\b", text)]
        named = in_text[0] if len(in_text) == 1 else ""  # several: the reply repeats the request
    return named if isinstance(named, str) and named in FIELDS else ""


def _message(data: Any) -> str:
    """Return a server's error message: in OpenAI's format, in another common format, or the whole reply."""
    part = data
    for name in ("error", "message", "detail"):
        if isinstance(part, dict) and part.get(name):
            part = part[name]
    return part if isinstance(part, str) else json.dumps(part)


def _completion(data: dict[str, Any]) -> Completion:
    if not data["choices"]:
        raise ValueError("it has no choices")
    choice = data["choices"][0]
    message = choice["message"]
    finish = str(choice.get("finish_reason") or "stop")[:40]
    if finish == FILTERED:
        raise PromptRefused("the provider's content filter removed the response")
    if finish in ABORTED:
        raise ValueError(f"the response was aborted: {finish}")
    content, thought = message.get("content"), message.get("reasoning_content") or message.get("reasoning")
    if isinstance(content, list):  # a list of parts; only text counts
        content = "".join(part["text"] for part in content if part.get("type", "text") == "text")
    if content is None:
        content = message.get("refusal")  # a refusal is also text from the model
    if content is None and (thought or finish == "length" or message.get("tool_calls")):
        content = ""  # all tokens were spent on thinking, or the model called a tool that it was not offered
    if not isinstance(content, str) or not isinstance(thought, str | None):
        raise ValueError("the server sent no text: the content of the response is null or not text")
    usage = reported if isinstance(reported := data.get("usage"), dict) else {}
    return Completion(
        _whole(with_thought(content, thought)),
        _whole(finish),
        _tokens(usage.get("prompt_tokens")),
        _tokens(usage.get("completion_tokens")),
        model=_whole(str(data.get("model") or ""))[:200],
    )


def _whole(text: str) -> str:
    """Replace lone surrogates in a text, which JSON can contain but UTF-8 files cannot."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _tokens(count: object) -> int:
    """Return a token count, or 0 if the server reports anything else."""
    return count if type(count) is int and count > 0 else 0
