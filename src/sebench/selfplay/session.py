"""A whole self-play from its settings: the loop of `rounds.py` with the steps of `steps.py`, and an evaluation before the first round."""

from __future__ import annotations

from pathlib import Path

from sebench.author.proposals import chosen
from sebench.base import files, resume
from sebench.selfplay import steps
from sebench.selfplay.config import SelfplayConfig
from sebench.selfplay.rounds import Round, play, rounds
from sebench.selfplay.steps import ModelSteps, Progress
from sebench.train.proposals.gating import Gates
from sebench.world.world import World


def selfplay(
    world: World, config: SelfplayConfig, folder: Path, tell: Progress = lambda what, done, total: None
) -> list[Round]:
    """Play all rounds that the folder lacks. The same call continues after an interruption at any point."""
    resume.refuse_foreign(folder, steps.SETTINGS, "self-play")
    with files.lock(folder):
        steps.begin(folder, config, world)
        functions = chosen(world, config.functions)
        with Gates(world, config.seed, config.workers, config.prompts) as gates:
            session = ModelSteps(world, config, folder, gates, tell)
            if not rounds(folder):  # else it was evaluated before the first of them, and no model need be loaded
                session.evaluate(0)
            at = ""

            def said(what: str, done: int = 0, total: int = 1) -> None:
                tell(f"{at}: {what}" if at else what, done, total)

            session.tell = said

            def begun(what: str) -> None:
                nonlocal at
                at = what
                tell(what, 0, 1)

            return play(session.steps(), functions, config.play_settings(), folder, begun)
