"""The training methods by name, and `train`, which runs any of them."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sebench.base.errors import ConfigError, OutOfMemory
from sebench.models import checkpoints, transformers
from sebench.train import absolute_zero as zero
from sebench.train import distil, rl, sft
from sebench.train.config import CONFIGS, ClosedSftConfig, TrainConfig
from sebench.train.data import examples
from sebench.train.loop import free_memory, trackers
from sebench.train.loop.loop import STATE
from sebench.train.loop.trackers import Note
from sebench.train.loop.training_run import Progress, TrainingRun
from sebench.train.trl.rl import train_rl
from sebench.train.trl.sft import last_checkpoint, train_sft
from sebench.train.trl.zero import train_zero
from sebench.world.prompts import check_templates
from sebench.world.world import World, folder_of

METHODS: dict[str, Callable[[TrainingRun[Any]], None]] = {
    **dict.fromkeys(sft.BOOKS, sft.train),
    **dict.fromkeys(rl.BOOKS, rl.train),
    "distil": distil.train,
    "absolute-zero": zero.train,
}
ON_TRL: dict[str, Callable[[TrainingRun[Any]], None]] = {
    **dict.fromkeys(sft.BOOKS, train_sft),
    **dict.fromkeys(rl.BOOKS, train_rl),
    "absolute-zero": train_zero,
}


def check(method: str, config: TrainConfig) -> None:
    """Refuse training that cannot run here, before a world is built or a model is loaded."""
    if method not in METHODS:
        raise ConfigError(f"unknown method '{method}'; choose from {', '.join(METHODS)}")
    if config.trainer == "trl" and method not in ON_TRL:
        raise ConfigError(f"{method} cannot be trained with TRL; use --trainer loop")
    if config.trainer == "loop" and int(os.environ.get("WORLD_SIZE", "1")) > 1:
        raise ConfigError("--trainer loop runs in one process, but a launcher has started several; use --trainer trl")
    if not isinstance(config, CONFIGS[method]):
        raise TypeError(f"{method} needs settings of type {CONFIGS[method].__name__}, not {type(config).__name__}")
    trackers.parse_trackers(config.track)
    check_templates(config.prompts)
    check_files(config)
    transformers.libraries("train")
    checkpoints.check_source(config.model)
    checkpoints.check_adapters(config.lora)


def check_files(config: TrainConfig) -> None:
    """Refuse files of training data and other worlds that do not exist."""
    for place in config.probe_worlds:
        World.load(folder_of(place))
    sources = config.sources() if isinstance(config, ClosedSftConfig) else [getattr(config, "examples", "")]
    paths = [("examples", source, "file or folder") for source in sources]
    for name, path, kind in [*paths, *((name, getattr(config, name, ""), "file") for name in ("study_file", "replay"))]:
        if path not in ("", examples.GOLD) and not Path(path).exists():
            raise ConfigError(f"{name} = {path}: there is no such {kind}; check the path")


def train(
    world: World, method: str, config: TrainConfig, out: Path, progress: Progress, note: Note = lambda text: None
) -> dict[str, Any]:
    """Train a model and return its manifest. The same call resumes an interrupted training run."""
    check(method, config)
    training = TrainingRun(world, method, config, out, progress, note)
    try:
        training.begin()
        if not training.ended:
            training.record(pack_tokens=config.pack_tokens)  # the loop lowers it if memory runs out
            track = config.track if training.is_main else ""
            with trackers.open_trackers(track, out, f"{method} {out.name}", config.compared(), note) as training.track:
                _train_or_explain(training)
    finally:
        training.close()
    return training.manifest


def train_and_free(
    world: World, method: str, config: TrainConfig, out: Path, progress: Progress, note: Note = lambda text: None
) -> None:
    """Train, and then free the GPU memory, for a process that has more to do."""
    train(world, method, config, out, progress, note)
    torch, _ = transformers.libraries()
    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()


def has_checkpoint(out: Path) -> bool:
    """Whether the training run in a folder would resume from a checkpoint."""
    return (out / STATE).exists() or last_checkpoint(out) is not None


def _train_or_explain(training: TrainingRun[TrainConfig]) -> None:
    """Run the method; if memory runs out, say which settings to lower."""
    try:
        (ON_TRL if training.config.trainer == "trl" else METHODS)[training.method](training)
    except Exception as error:
        if not free_memory.is_out_of_memory(error):
            raise
        raise OutOfMemory(
            "out of memory; lower --pack-tokens (and for RL and distillation --tasks-per-step, --samples or "
            "--pass-at), or train with --lora"
        ) from None
