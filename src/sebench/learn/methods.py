"""The methods by name, and the one way to train with them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from sebench.errors import ConfigError
from sebench.learn import distil, rl, sft, trackers
from sebench.learn.config import LearnConfig
from sebench.learn.trackers import Note
from sebench.learn.training import Tell, Training
from sebench.world import World

METHODS: dict[str, Callable[[Training], None]] = {
    **dict.fromkeys(sft.BOOKS, sft.train),
    **dict.fromkeys(rl.BOOKS, rl.train),
    "distil": distil.train,
}


def train(
    world: World, method: str, config: LearnConfig, out: Path, tell: Tell, note: Note = lambda text: None
) -> dict[str, Any]:
    """Train a model; the manifest of what came out. The same call goes on with an interrupted training."""
    if method not in METHODS:
        raise ConfigError(f"no method '{method}'; there are {', '.join(METHODS)}")
    trackers.chosen(config.track)
    training = Training(world, method, config, out, tell)
    training.begin()
    if not training.ended:
        with trackers.opened(config.track, out, f"{method} {out.name}", config.compared(), note) as tracker:
            training.tracker = tracker
            _with_memory(training)
    return training.manifest


def _with_memory(training: Training) -> None:
    """The method at work; where memory ends, the user is told what to lower."""
    try:
        METHODS[training.method](training)
    except Exception as error:
        if training.torch is None or not isinstance(error, training.torch.OutOfMemoryError):
            raise
        raise ConfigError(
            "too little memory; lower --pack-tokens (and for RL and distillation --tasks-per-step or --samples), or train with --lora"
        ) from None
