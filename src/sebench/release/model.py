"""A released run as a model: it answers every prompt that is identical to a released one with the released response.

    sebench run 7 --model release:releases/gold                          the only run of this world in the release
    sebench run 7 --model "release:releases/mine/7/Closed-SFT/run"       one of several

Covered: every sample of every prompt whose digest is in the release. Settings that change answers or prompts must be
those of the released run; the error names all settings that differ, with the values to use. A prompt without a released
answer is skipped and never counts as a wrong answer; the number of such prompts is printed for each split and book
before the first request.

Not covered: answers that take several requests (self-repair, memories that consult the model), of which only the last
response is released. `sebench run` creates the engine.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from sebench.base.errors import AnswerMissing, ConfigError
from sebench.base.records import RELEASED, Rollout, Task, Verdict
from sebench.base.wording import counted
from sebench.models.model import Completion, Model, Sampling
from sebench.release import folder
from sebench.release.folder import Release, ReleasedRun
from sebench.rollout import pipeline
from sebench.rollout.config import OF_ENDPOINTS, RunConfig
from sebench.rollout.engine import ThisMachine
from sebench.rollout.requester import SEEDS_PER_RUN
from sebench.rollout.runner import RolloutPlan
from sebench.world.prompts import Prompt
from sebench.world.world import World

ReleasedAnswer = tuple[str, Rollout, Verdict | None]  # with the folder of its run
# Settings that may differ from those of the released run: they determine what is asked and how answers are judged.
FREE = frozenset({"model", "split", "tasks", "book", "samples", "limit", "profile", *OF_ENDPOINTS})


class ReleasedModel:
    """Answers with the responses of a released run."""

    concurrency = 64

    def __init__(self, name: str, completions: Mapping[tuple[str, str, int], Completion]) -> None:
        """`completions`: the responses, by book, digest of the prompt, and sample index."""
        self.name, self.completions = name, completions

    async def complete(self, prompt: Prompt, sampling: Sampling, seed: int) -> Completion:
        index = seed % SEEDS_PER_RUN
        if (completion := self.completions.get((prompt.book, prompt.digest, index))) is None:
            raise AnswerMissing(f"{self.name} has no answer to {prompt.book}/{prompt.task_id}/{index}")
        return completion

    async def close(self) -> None:
        """Do nothing: there is nothing to release."""


class ReleasedEngine(ThisMachine):
    """Judges on this machine, and takes the answers from a release."""

    def __init__(
        self, config: RunConfig, warn: Callable[[str], None], answers: Sequence[ReleasedAnswer] | None = None
    ) -> None:
        """Read the release, so that a damaged one is refused before a world is built. `answers` are the answers in the
        release, if they have been read already."""
        super().__init__()
        if config.base_url:
            raise ConfigError(f"--model {config.model} needs no --base-url; leave it out")
        if config.repair:
            raise ConfigError(f"--model {config.model} cannot repair its answers; leave out --repair")
        self.release, self.run_folder = find(config.model.removeprefix(RELEASED))
        self.warn, self.answers = warn, answers

    def model(self, config: RunConfig, world: World, tasks: Iterable[Task], memory_tokens: int) -> Model:
        run = choose(self.release, self.run_folder, world)
        refuse_other_settings(config, run)
        answers = folder.answers(self.release) if self.answers is None else self.answers
        completions = {
            (rollout.book, rollout.prompt_digest, rollout.sample_index): Completion(
                rollout.response, rollout.finish, rollout.prompt_tokens, rollout.completion_tokens
            )
            for run_folder, rollout, _ in answers
            if run_folder == run.folder and rollout.calls == 1 and not rollout.error
        }
        if missing := describe_missing(pipeline.plan(config, world), completions):
            self.warn(f"{config.model} lacks {missing}")
        return ReleasedModel(config.model, completions)


def find(name: str) -> tuple[Release, str]:
    """Return the release that a path names, and the folder of a run in it if the path includes one."""
    path = Path(name)
    for place in (path, *path.parents):
        if folder.is_release(place):
            inside = path.relative_to(place).as_posix()
            return folder.read(place), "" if inside == "." else inside
    raise ConfigError(f"--model {RELEASED}{name}: no release there; use a folder that 'sebench release' wrote")


def choose(release: Release, run_folder: str, world: World) -> ReleasedRun:
    """Return the run in a release that is on this world; `run_folder` chooses one of several."""
    where = f"release {release.path}"
    runs = [run for run in release.runs if run.world == world.manifest.fingerprint]
    if not runs:
        seeds = ", ".join(str(one.seed) for one in release.worlds)
        raise ConfigError(f"{where} has no run on {world.path}; its runs are on the worlds with seeds {seeds}")
    chosen = [run for run in runs if run_folder in ("", run.folder)]
    if len(chosen) != 1:
        names = ", ".join(repr(run.folder) for run in runs)
        step = f"/RUN, where RUN is one of {names}" if len(runs) > 1 or runs[0].folder != "." else ""
        problem = f"has no run {run_folder!r}" if run_folder else f"has {counted(len(runs), 'run')} on this world"
        raise ConfigError(f"{where} {problem}; use --model {RELEASED}{release.path}{step}")
    return chosen[0]


def refuse_other_settings(config: RunConfig, run: ReleasedRun) -> None:
    """Raise an error that names every setting that differs from the run and would change the answers or the prompts."""
    released: Mapping[str, Any] = run.manifest["config"]
    own = config.compared()
    differing = [name for name in own if name in released and name not in FREE and own[name] != released[name]]
    if differing:
        there = ", ".join(f"{name} = {released[name]!r}" for name in differing)
        here = ", ".join(f"{own[name]!r}" for name in differing)
        raise ConfigError(f"the run {run.folder!r} was made with {there}, not {here}; use the same settings")


def describe_missing(plan: RolloutPlan, completions: Mapping[tuple[str, str, int], Completion]) -> str:
    """Describe how many of a plan's answers are not in the release, for each split and book; "" if none are missing."""
    totals: Counter[tuple[str, str]] = Counter()
    missing: Counter[tuple[str, str]] = Counter()
    for task, prompt, index in plan.items():
        place = task.split, prompt.book
        totals[place] += 1
        missing[place] += (prompt.book, prompt.digest, index) not in completions
    return ", ".join(
        f"{count:,} of {counted(totals[split, book], 'answer')} to {split} ({book} book)"
        for (split, book), count in missing.items()
        if count
    )
