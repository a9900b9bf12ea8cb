"""A whole self-play from its settings: the loop of `rounds.py` with the steps of `steps.py`, and an evaluation before
the first round."""

from __future__ import annotations

from pathlib import Path

from sebench.author.proposals import parse_functions
from sebench.base import files, resume
from sebench.selfplay import steps
from sebench.selfplay.config import SelfplayConfig
from sebench.selfplay.rounds import Round, play, rounds
from sebench.selfplay.steps import ModelSteps, Progress
from sebench.train.proposals.gating import Gates
from sebench.world.world import World


def selfplay(
    world: World, config: SelfplayConfig, folder: Path, progress: Progress = lambda what, done, total: None
) -> list[Round]:
    """Play all rounds that the folder lacks. The same call continues after an interruption at any point."""
    resume.refuse_foreign(folder, steps.SETTINGS, "self-play")
    with files.lock(folder):
        steps.begin(folder, config, world)
        functions = parse_functions(world, config.functions)
        with Gates(world, config.seed, config.workers, config.prompts) as gates:
            model_steps = ModelSteps(world, config, folder, gates, progress)
            if not rounds(folder):  # otherwise the base model was evaluated before, and need not be loaded
                model_steps.evaluate(0)
            stage = ""

            def progress_of_stage(what: str, done: int = 0, total: int = 1) -> None:
                progress(f"{stage}: {what}" if stage else what, done, total)

            model_steps.progress = progress_of_stage

            def announce(next_stage: str) -> None:
                nonlocal stage
                stage = next_stage
                progress(stage, 0, 1)

            return play(model_steps.steps(), functions, config.play_settings(), folder, announce)
