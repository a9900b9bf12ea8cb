"""`sebench learn`: train a model's weights on a world's library. `sebench memory` leaves the weights unchanged."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from sebench.base import resume
from sebench.base.errors import ConfigError
from sebench.base.settings import read_file
from sebench.base.wording import counted, shell
from sebench.cli import display, options
from sebench.memory.methods import make as memories
from sebench.models import checkpoints, transformers
from sebench.rollout.config import RunConfig
from sebench.train import methods, rl
from sebench.train.config import EverySetting, TrainConfig, configure
from sebench.train.dry_run import check_plannable
from sebench.train.dry_run import dry_run as planned
from sebench.train.loop import training_run
from sebench.train.loop.free_memory import CPU
from sebench.train.loop.plan import ESTIMATED, Gpu


class _TrainingMethod(options.Method):
    """The argument METHOD. For a method of 'sebench memory', the error refers to that command."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value in memories.METHODS:
            raise click.UsageError(f"'{value}' writes a memory and trains nothing: use 'sebench memory {value}'", ctx)
        return super().convert(value, param, ctx)


@click.command(cls=options.SettingsCommand)
@click.argument("method", type=_TrainingMethod(sorted(methods.METHODS)), metavar="METHOD")
@options.world_argument
@options.out_folder("Folder for the trained model.")
@click.option("--config", "file", type=click.Path(path_type=Path), help="TOML file with the settings below.")
@options.dry_run("the memory and the hours that training would need")
@click.option(
    "--gpus", type=int, help="With --dry-run: plan for this many GPUs.  [default: one GPU of this machine, or its CPU]"
)
@options.as_json
@options.renamed("--engine", "--trainer")
@options.settings_of(EverySetting)
def command(
    method: str,
    world: str,
    out: Path | None,
    file: Path | None,
    dry_run: bool,
    gpus: int | None,
    as_json: bool,
    **flags: Any,
) -> None:
    """Train a model on WORLD with METHOD; 'sebench run WORLD --model OUT' evaluates the result.

    \b
    closed-sft     right answers to questions without the documentation
    open-sft       the same answers with the documentation in the prompt
    native-sft     the control: the same training with NumPy's own names
    study          texts generated from the pages, mixed with closed-sft
    open-rl        RL with the judge's reward; samples and updates with the documentation
    closed-rl      RL; samples with the documentation, updates without it
    closed-sft-rl  RL; samples and updates without it, from a checkpoint of closed-sft
    distil         the open-book model teaches the closed-book one, token by token
    absolute-zero  RL: the model proposes tasks from the pages and solves them, both open-book

    Repeat the same command to continue an interrupted training run.

    'sebench memory' leaves the weights unchanged and writes a memory, which is put before the closed-book prompt.
    """
    explicit = options.explicit(flags)
    chosen = configure(method, read_file(EverySetting, file), explicit)
    if dry_run:
        check_plannable(method, 1 if gpus is None else gpus)
        checkpoints.check_source(chosen.model)
        methods.check_files(chosen)
        rl.check_start(method, (Path(chosen.model) / training_run.MANIFEST).is_file())
        if gpus and chosen.device == CPU:
            raise ConfigError(f"--gpus {gpus} plans for GPUs, but --device is {CPU}; remove one of them")
        here = None if chosen.device == CPU else Gpu.measure()
        if here is None and not gpus and chosen.device.startswith("cuda"):
            raise transformers.no_gpu(chosen.device)
        device = here or (ESTIMATED if gpus else Gpu.this_cpu())
        opened = options.open_world(world, build=False)
        if out is not None:
            training_run.check_folder(out, opened, method, chosen)
        plan = planned(opened, method, chosen, gpus or 1, device)
        click.echo(json.dumps(asdict(plan) | {"fits": plan.fits}, indent=1) if as_json else plan.text())
        return
    if out is None:
        raise click.UsageError("Missing option '--out'")
    methods.check(method, chosen)
    resume.refuse_foreign(out, training_run.MANIFEST, "training")
    opened = options.open_world(world)
    try:
        with display.progress(method, at_once=True) as report:
            manifest = methods.train(opened, method, chosen, out, report, display.note)
    except KeyboardInterrupt:
        kept = "no checkpoint was saved yet (--save-minutes); the same command starts from the beginning"
        if methods.has_checkpoint(out):
            kept = "the last checkpoint is kept; run the same command again to resume"
        raise click.Abort(kept) from None
    if not manifest.get("ended"):
        return  # one of several processes: only the first one records and prints
    if as_json:
        click.echo(json.dumps(manifest, indent=1))
    else:
        click.echo(
            f"{out}: {counted(manifest['steps'], 'step')}, {manifest['seconds']:,} s, "
            f"{manifest['tokens_per_second']:,} tokens/s"
        )
        code = getattr(chosen, "mix", 1)  # a study without examples teaches no code
        test = f"run {shell(world)} --model {shell(out)}{_prompt_flags(chosen)}"
        click.echo(
            f"evaluate it with: sebench {test if code else f'probe {shell(world)} --model {shell(out)} --ask name'}"
        )


def _prompt_flags(config: TrainConfig) -> str:
    """Return the flags with which 'sebench run' shows a model the prompts that it was trained on."""
    flags, default = "", RunConfig()
    for name in ("prompts", "distractors", "pages", "thinking"):
        value = getattr(config, name, getattr(default, name))
        if value != getattr(default, name):
            flags += f" --{name} {','.join(value) if isinstance(value, tuple) else value}"
    return flags
