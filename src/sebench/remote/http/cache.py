"""A least-recently-used cache with a limit in bytes, for values that are kept between requests."""

from __future__ import annotations

from typing import Generic, TypeVar

LARGEST = 32  # a value above 1/32 of the limit is not cached
K = TypeVar("K")
V = TypeVar("V")


class ByteLimitedCache(Generic[K, V]):
    """Not thread-safe."""

    def __init__(self, most_bytes: int) -> None:
        self.most_bytes, self.bytes = most_bytes, 0
        self._values: dict[K, tuple[V, int]] = {}

    def __len__(self) -> int:
        return len(self._values)

    def __contains__(self, key: K) -> bool:
        return key in self._values

    def get(self, key: K) -> V | None:
        entry = self._values.pop(key, None)
        if entry is None:
            return None
        self._values[key] = entry  # most recently used: last
        return entry[0]

    def put(self, key: K, value: V, size: int) -> None:
        """Cache a new value, unless it is so large that it would evict many others."""
        if size > self.most_bytes // LARGEST:
            return
        self._values[key] = value, size
        self.bytes += size
        while self.bytes > self.most_bytes:
            self.bytes -= self._values.pop(next(iter(self._values)))[1]
