"""The methods by name, and the one way to train with them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from sebench.errors import ConfigError
from sebench.learn import distil, rl, sft
from sebench.learn.config import LearnConfig
from sebench.learn.training import Tell, Training
from sebench.world import World

METHODS: dict[str, Callable[[Training], None]] = {
    **dict.fromkeys(sft.BOOKS, sft.train),
    **dict.fromkeys(rl.BOOKS, rl.train),
    "distil": distil.train,
}


def train(world: World, method: str, config: LearnConfig, out: Path, tell: Tell) -> dict[str, Any]:
    """Train a model; the manifest of what came out. The same call goes on with an interrupted training."""
    if method not in METHODS:
        raise ConfigError(f"no method '{method}'; there are {', '.join(METHODS)}")
    training = Training(world, method, config, out, tell)
    training.begin()
    if not training.ended:
        METHODS[method](training)
    return training.manifest
