"""Which settings a method reads. One that was given to a method which does not read it is a mistake that nobody would notice.

    refuse_unused("closed-sft", LearnConfig(), {"steps"})     # steps is of RL and distillation

The command line and the [[method]] tables of an experiment are checked: what stands there was meant for this method. Files and tables that
several methods share are not.
Not covered: whether a setting that is read makes a difference in numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from sebench.errors import ConfigError
from sebench.learn import rl, sft
from sebench.learn.config import STUDENT, TEACHER, LearnConfig

SFT, RL, DISTIL, ZERO = tuple(sft.BOOKS), tuple(rl.BOOKS), ("distil",), ("absolute-zero",)
FORGED = ("open-sft", "closed-sft", "study")  # native-sft learns from gold alone: nobody else answers in NumPy
WITH_BOOK = ("open-sft", "open-rl", "closed-rl", *DISTIL, *ZERO)
METHODS_OF: dict[str, tuple[str, ...]] = {
    "examples": (*FORGED, *RL),
    "limit": (*SFT, *RL),
    **dict.fromkeys(("form", "replay", "replay_share", "prompt_loss"), SFT),
    **dict.fromkeys(("validate", "validate_every"), SFT),
    **dict.fromkeys(("study", "study_file", "mix"), ("study",)),
    **dict.fromkeys(("distractors", "pages"), WITH_BOOK),
    **dict.fromkeys(("share", "irrelevant"), ("open-sft",)),
    **dict.fromkeys(("epochs", "batch", "warmup"), (*SFT, *DISTIL)),
    **dict.fromkeys(("steps", "tasks_per_step", "samples", "temperature"), (*RL, *DISTIL, *ZERO)),
    **dict.fromkeys(("advantage", "epsilon", "updates", "passes"), (*RL, *ZERO)),
    **dict.fromkeys(("old", "pass_at", "least_mixed", "vllm"), RL),
    "on": DISTIL,
}
ENGINES_OF = {
    **dict.fromkeys(("packing", "checkpointing", "vllm"), "trl"),
    **dict.fromkeys(("compile", "pass_at"), "loop"),
}
# What must be given too, and whether it is.
NEEDS: dict[str, tuple[str, Callable[[str, LearnConfig], bool]]] = {
    "replay_share": ("--replay", lambda method, config: bool(config.replay)),
    "validate_every": ("--validate", lambda method, config: bool(config.validate)),
    "max_tokens": ("--validate", lambda method, config: method not in SFT or bool(config.validate)),
    # With one update the ratio of probabilities is 1 by definition: clipping on and off would be the same training.
    "epsilon": (
        "--updates or --passes of more than 1, or --old sampling",
        lambda method, config: config.updates * config.passes > 1 or config.old == "sampling",
    ),
    "steps": ("--on student", lambda method, config: method not in DISTIL or config.on == STUDENT),
    "epochs": ("--on teacher", lambda method, config: method not in DISTIL or config.on == TEACHER),
    "batch": ("--on teacher", lambda method, config: method not in DISTIL or config.on == TEACHER),
}


def refuse_unused(method: str, config: LearnConfig, given: Iterable[str], where: str = "") -> None:
    """An error for the first of the given settings that the method, or its engine, does not read."""
    for name in given:
        shown = f"{where}: {name}" if where else f"--{name.replace('_', '-')}"
        methods, engine = METHODS_OF.get(name), ENGINES_OF.get(name, config.engine)
        if methods is not None and method not in methods:
            raise ConfigError(f"{shown} has no effect on {method}, it is for {', '.join(methods)}; leave it out")
        if engine != config.engine:
            raise ConfigError(
                f"{shown} has no effect with the engine {config.engine}, it is for {engine}; leave it out"
            )
        needed, given_too = NEEDS.get(name, ("", lambda method, config: True))
        if not given_too(method, config):
            raise ConfigError(f"{shown} has no effect without {needed}; give that too, or leave this out")
