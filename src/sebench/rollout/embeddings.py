"""Embeddings from an OpenAI-compatible `/embeddings` endpoint, each requested only once.

    with Embedder("all-mpnet-base-v2", "http://host:8000/v1", cache=Path("vectors.jsonl")) as embed:
        embed(["the mean of each row", "the largest value"])       # vectors of length 1

Vectors are cached by model name and text. A request that fails temporarily is retried with backoff; an invalid reply
(wrong number of vectors, infinite values, all zeros) is a one-line error.

Not covered: several replicas, and models that need a prefix before queries.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, Self

import httpx

from sebench.base.errors import ConfigError, ProviderError
from sebench.base.ledger import Ledger, lines
from sebench.base.records import Task
from sebench.base.retry import Retries
from sebench.base.wording import counted
from sebench.memory.kinds import Dense, Vector
from sebench.memory.recall import Recall
from sebench.models.endpoint import LATER, is_unresolved, read_key
from sebench.rollout.models import without_credentials

TOGETHER, TRIES = 64, 6  # texts per request; attempts per request
VECTORS = "vectors.jsonl"
DIGITS = 6  # significant digits of a number in the file


class Embedder:
    """Requests embeddings and caches them in a file."""

    def __init__(
        self,
        model: str,
        url: str,
        *,
        cache: Path,
        key_env: str = "OPENAI_API_KEY",
        key_file: str = "",
        timeout_s: float = 300.0,
    ) -> None:
        if not url.startswith(("http://", "https://")):
            raise ConfigError(f"embeddings endpoint {url!r}: set --embed-url to an address such as http://host:8000/v1")
        self.model, self.url, self.public_url = model, f"{url.rstrip('/')}/embeddings", without_credentials(url)
        self.file = cache
        key = read_key(key_env, key_file)
        self._client = httpx.Client(headers={"Authorization": f"Bearer {key}"} if key else {}, timeout=timeout_s)
        self.texts_sent = 0  # texts sent by this process

    def __enter__(self) -> Self:
        self._there = {data["key"]: data["vector"] for _, data in lines(self.file) if {"key", "vector"} <= data.keys()}
        self._ledger = Ledger(self.file)
        self._ledger.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._ledger.__exit__(*error)
        self._client.close()

    def __call__(self, texts: Sequence[str]) -> list[Vector]:
        keys = [sha256(f"{self.model}\0{text}".encode("utf-8", "backslashreplace")).hexdigest()[:32] for text in texts]
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in self._there}
        for start in range(0, len(missing), TOGETHER):
            part = list(missing.items())[start : start + TOGETHER]
            for (key, _), vector in zip(part, self._vectors([text for _, text in part]), strict=True):
                self._there[key] = vector
                self._ledger.add({"key": key, "vector": vector})
        return [self._there[key] for key in keys]

    def _vectors(self, texts: list[str]) -> list[Vector]:
        self.texts_sent += len(texts)
        data = self._reply({"model": self.model, "input": texts})
        try:
            rows = sorted(data["data"], key=lambda row: int(row["index"]))
            vectors: list[Vector] = [_unit([float(x) for x in row["embedding"]]) for row in rows]
        except (KeyError, TypeError, ValueError) as error:
            raise ProviderError(f"{self.public_url}: the embeddings cannot be read ({error!r})", again=False) from None
        sizes = {len(vector) for vector in (*vectors, *list(self._there.values())[:1])}
        if len(vectors) != len(texts) or len(sizes) != 1:
            problem = f"{len(vectors)} vectors of sizes {sorted(sizes)} for {counted(len(texts), 'text')}"
            raise ProviderError(
                f"{self.public_url}: '{self.model}' must return one vector per text, all of the same size, but "
                f"returned {problem}; is it an embedding model?",
                again=False,
            )
        return vectors

    def _reply(self, request: dict[str, Any]) -> Any:
        retries = Retries(TRIES)
        while True:
            try:
                reply = self._client.post(self.url, json=request)
                if reply.status_code == 200:
                    return reply.json()
                why, again = f"status {reply.status_code}", reply.status_code in LATER
            except (httpx.HTTPError, json.JSONDecodeError) as error:
                unknown = is_unresolved(error) and not self._there
                why, again = "the host cannot be found" if unknown else type(error).__name__, not unknown
            pause_s = retries.pause_s() if again else None
            if pause_s is None:
                what = f"{self.public_url} returned no embeddings from '{self.model}': {why}; see --embed-url"
                raise ProviderError(what, again=False)
            time.sleep(pause_s)


def prepare(recall: Recall, tasks: Sequence[Task], url: str = "", key_env: str = "OPENAI_API_KEY") -> None:
    """Request the embeddings of all questions if the memory needs them. `url` replaces the endpoint's recorded
    address."""
    if isinstance(recall.kind, Dense):
        dense = recall.kind
        with Embedder(dense.model, url or dense.url, cache=recall.memory.path / VECTORS, key_env=key_env) as embed:
            dense.prepare([task.question for task in tasks], embed)


def _unit(vector: list[float]) -> list[float]:
    length = math.sqrt(sum(x * x for x in vector))
    if not math.isfinite(length) or length == 0:
        raise ValueError("a vector is all zeros, or not finite")
    return [round(x / length, DIGITS) for x in vector]
