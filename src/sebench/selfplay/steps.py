"""The steps of a round with real models, local or behind an endpoint. What the loop is, `rounds.py` says; this is what it does.

    PLAY/
      selfplay.json         every setting and the world; a play goes on only with the same
      base/                 the embedded model as an ordinary folder, where it plays
      round-0/evaluate/     an ordinary run: the base model, closed book, before anything was learnt
      round-N/calls.jsonl   what the proposer said; gates.jsonl: what each gate said to it; both as 'sebench author' writes them
      round-N/tasks.jsonl   the questions that passed, as tasks of the play's world
      round-N/solve/        an ordinary run: the solver's answers with the book open, judged
      round-N/examples.jsonl, answers.json     what is learnt from after this round, and what was left out
      round-N/model/        an ordinary training; round-N/evaluate/ its ordinary run, closed book

Questions are judged in the play's own world: a task holds its cases, gold and core, and a judge takes any task of its world. So no variant
of the world is built, and a question of the play can never become a question of a split.

Every step is resumable by what it leaves: calls, gates, runs and trainings each continue by themselves.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sebench.author.gates import CONSENSUS
from sebench.author.pipeline import Agreement, GateLog, gate_lines
from sebench.author.proposals import Proposal
from sebench.base import files, resume
from sebench.base.errors import ConfigError, ProviderError
from sebench.base.extract import extract
from sebench.base.records import REFUSED, Task
from sebench.experiment.row import train as trained
from sebench.experiment.row import unpack
from sebench.judge.judge import Judge
from sebench.models import load as models
from sebench.models.calls import CallLog, Calls
from sebench.models.checkpoints import EMBEDDED
from sebench.models.model import Model, Sampling
from sebench.rollout import pipeline
from sebench.rollout.store import Row, Run
from sebench.selfplay.config import FIRST, LAST, NONE, SAME, SelfplayConfig
from sebench.selfplay.rounds import PROPOSED, GatedProposals, Steps
from sebench.tasks import dataset, splits
from sebench.train import sft
from sebench.train.config import SftConfig
from sebench.train.data import examples, selfplay_examples
from sebench.train.data.examples import TrainingExample
from sebench.train.data.rows import RowSettings, TrainingRow
from sebench.train.data.rows import rows as training_rows
from sebench.train.loop.training_run import MANIFEST
from sebench.train.proposals import proposing
from sebench.train.proposals.gating import GATES, Gates
from sebench.train.proposals.selection import JudgedQuestion
from sebench.world.prompts import CLOSED
from sebench.world.world import World

SETTINGS, TASKS, ANSWERS = "selfplay.json", "tasks.jsonl", "answers.json"
CALLS, GATE_LOG = "calls.jsonl", "gates.jsonl"  # as of a folder of 'sebench author tasks', whose funnel can be shown
SOLVE, EVALUATE, MODEL, BASE = "solve", "evaluate", "model", "base"
Progress = Callable[[str, int, int], None]


@dataclass
class ModelSteps:
    """One play: a world, its settings, its folder."""

    world: World
    config: SelfplayConfig
    folder: Path
    gates: Gates
    tell: Progress = lambda what, done, total: None

    def steps(self) -> Steps:
        return Steps(self.propose, self.solve, self.train, self.evaluate)

    def round_folder(self, number: int) -> Path:
        return self.folder / f"round-{number}"

    # ---- models -----------------------------------------------------------------------------------------------

    def source(self, name: str) -> str:
        """What a model is loaded from: the embedded one from a folder of the play, unpacked once."""
        if name != EMBEDDED:
            return name
        if not (self.folder / BASE).is_dir():
            unpack(self.folder / BASE, self.tell)
        return str(self.folder / BASE)

    @property
    def base(self) -> str:
        """The model that every training starts from."""
        return self.source(self.config.base or self.config.model)

    def player(self, number: int) -> str:
        """Who solves in a round, and proposes unless another does."""
        before = self.round_folder(number - 1) / MODEL
        local = not self.config.base_url
        return (
            str(before)
            if local and self.config.solver == LAST and _is_trained(before)
            else self.source(self.config.model)
        )

    def proposer(self, number: int) -> str:
        named = self.config.proposer
        return self.player(number) if named == SAME else self.source(self.config.model if named == FIRST else named)

    # ---- propose ----------------------------------------------------------------------------------------------

    def propose(self, number: int, targets: Sequence[str], kept: Sequence[JudgedQuestion]) -> GatedProposals:
        """Proposals for the targets, through all gates."""
        folder = self.round_folder(number)
        files.make_folder(folder)
        for before in range(1, number):
            self.gates.remember(gate_lines(self.round_folder(before) / GATE_LOG))
        with CallLog(folder / CALLS) as calls, GateLog(folder / GATE_LOG) as log:
            found = self._ask_proposer(number, targets, kept, calls)
            passed = self.gates.pass_through(found, log, self.tell)
            if self.config.consensus:
                passed = asyncio.run(self._pass_consensus(passed, calls, log))
            tokens = sum(data["prompt_tokens"] + data["completion_tokens"] for data in calls.there.values())
            funnel = {PROPOSED: len(found)} | _funnel(
                found, log, (*GATES, *([CONSENSUS] if self.config.consensus else []))
            )
        tasks = [replace(task, id=f"{number}-{n}", split=splits.TRAIN) for n, (_, task) in enumerate(passed, 1)]
        names = self.world.manifest.matched_names
        files.write_lines(folder / TASKS, (dataset.to_json(task, names) for task in tasks))
        return GatedProposals(funnel, tasks, tokens)

    def _ask_proposer(
        self, number: int, targets: Sequence[str], kept: Sequence[JudgedQuestion], log: CallLog
    ) -> list[Proposal]:
        config, seed = self.config, self.config.seed * 1_009 + number
        asked = proposing.requests_of_round(targets, config.proposals, number)
        sampling = Sampling(config.temperature, max_tokens=config.propose_tokens)
        name = self.proposer(number)

        async def ask() -> list[Proposal]:
            model = models.load_writer(config.run_config(name, (splits.TRAIN,), "open"), self.world)
            try:
                calls = Calls(log, model, name, sampling)
                return await proposing.propose(self.world, calls, asked, kept, seed, self.tell)
            finally:
                await model.close()

        return asyncio.run(ask())

    async def _pass_consensus(
        self, passed: Sequence[tuple[Proposal, Task]], calls: CallLog, log: GateLog
    ) -> list[tuple[Proposal, Task]]:
        """Those that enough other models solve from the question alone, in NumPy."""
        config, loaded = self.config, dict[str, Model]()
        sampling, tasks = Sampling(0.0, max_tokens=config.propose_tokens), {one.key: task for one, task in passed}
        try:
            for name in config.consensus:
                loaded[name] = models.load_writer(
                    config.run_config(self.source(name), (splits.TRAIN,), "open"), self.world
                )
            solvers = [Calls(calls, model, name, sampling) for name, model in loaded.items()]
            with Judge(self.world) as judge:
                agreement = Agreement(self.world, judge, solvers, config.needed or len(solvers), config.seed)
                agreed = await agreement.of([one for one, _ in passed], lambda one: tasks[one.key], log, self.tell)
        finally:
            for model in loaded.values():
                await model.close()
        if missing := agreed.count(None):
            why = next((solver.failure for solver in solvers if solver.failure), "")
            raise ProviderError(
                f"{missing:,} of {len(agreed):,} drafts were not solved by all models of the consensus ({why}); "
                "the same command asks again",
                again=False,
            )
        return [pair for pair, yes in zip(passed, agreed, strict=True) if yes]

    # ---- solve ------------------------------------------------------------------------------------------------

    def solve(self, number: int, questions: Sequence[Task]) -> tuple[list[JudgedQuestion], int]:
        """Answers with the book open, each judged: an ordinary run over the round's own tasks."""
        if not questions:
            return [], 0
        config = self.config.run_config(
            self.player(number),
            (splits.TRAIN,),
            "open",
            tasks=str(self.round_folder(number) / TASKS),
            samples=self.config.samples,
            temperature=self.config.temperature,
        )
        run = pipeline.run(config, self.world, self.round_folder(number) / SOLVE, progress=self.tell)
        rows = _complete_rows(run)
        by_task: dict[str, list[Row]] = {task.id: [] for task in questions}
        for row in rows:
            by_task[row.rollout.task_id].append(row)
        tokens = sum(row.rollout.prompt_tokens + row.rollout.completion_tokens for row in rows)
        return [_judged_question(task, by_task[task.id]) for task in questions], tokens

    def tasks(self, number: int) -> tuple[Task, ...]:
        """The questions of a round that passed the gates."""
        file = self.round_folder(number) / TASKS
        return dataset.read(file, self.world.manifest.matched_names) if file.is_file() else ()

    # ---- train and evaluate -----------------------------------------------------------------------------------

    def train(self, number: int, kept: Sequence[JudgedQuestion]) -> None:
        """On every right and targeted answer to a kept question so far, from the base model."""
        folder = self.round_folder(number)
        found, counts = self._examples(number, {attempt.id for attempt in kept})
        if not (folder / selfplay_examples.FILE).is_file():
            files.write(folder / ANSWERS, json.dumps(counts, indent=1) + "\n")
            selfplay_examples.write(folder, self.world, found)
        if found and self.config.train != NONE:
            config = self.config.train_config(self.base.removeprefix("hf:"), str(folder))
            trained(self.world, self.config.train, config, folder / MODEL, self.tell)

    def _examples(self, number: int, kept: set[str]) -> tuple[list[TrainingExample], dict[str, int]]:
        """What is learnt from after a round, and how many right answers are not and why."""
        found: dict[tuple[str, str], TrainingExample] = {}
        counts: Counter[str] = Counter()
        for before in range(1, number + 1):
            if not (self.round_folder(before) / SOLVE).is_dir():
                continue
            tasks, run = {task.id: task for task in self.tasks(before)}, Run.load(self.round_folder(before) / SOLVE)
            rows = [row for row in run.rows() if row.rollout.task_id in kept and row.verdict and row.verdict.targeted]
            for row in sorted(rows, key=lambda row: (row.rollout.task_id, row.rollout.sample_index)):
                task, said = tasks[row.rollout.task_id], row.rollout.response
                key = task.id, " ".join(extract(said, task.entry).code.split())
                if key in found:
                    counts["repeated"] += 1
                elif examples.mentions_documentation(said):
                    counts["speaks of the book"] += 1
                else:
                    found[key] = TrainingExample(task, said, str(run.manifest.config.get("model", "")))
        clean = self._without_leaks(list(found.values()))
        if len(clean) < len(found):
            counts["shows a test task"] = len(found) - len(clean)
        return clean, {"right": len(clean) + counts.total(), "kept": len(clean), **counts}

    def _without_leaks(self, found: Sequence[TrainingExample]) -> list[TrainingExample]:
        """Those of which neither the answer as it was given nor any row that a training makes of it shows something of a test task: the
        guard of the training refuses all rows for one, and the play would end there each time."""
        as_learnt = self._rows(found)
        return [
            one
            for one, rows in zip(found, as_learnt, strict=True)
            if not self.gates.leaked_test(one.task, one.answer) and not self.gates.first_leak(rows)
        ]

    def _rows(self, found: Sequence[TrainingExample]) -> list[tuple[TrainingRow, ...]]:
        """Of each example the rows that the play's way to train may make of it."""
        config = self.config.train_config("", "")
        if not isinstance(config, SftConfig):  # RL learns what it samples itself
            return [()] * len(found)
        formed = [selfplay_examples.with_form(one, self.world, config.form) for one in found]
        chosen = [
            RowSettings(book, 1.0, config.book_settings(), config.seed, config.prompts)
            for book in dict.fromkeys((CLOSED, sft.BOOKS[self.config.train]))
        ]
        return list(zip(*(training_rows(self.world, formed, one) for one in chosen), strict=True))

    def evaluate(self, number: int) -> Mapping[str, float]:
        """Closed-book accuracy by split of what the round trained; of the base model where it trained nothing."""
        model = self.round_folder(number) / MODEL
        if not _is_trained(model):
            number = 0  # what is there already is not asked again
        asked = str(model) if number else self.base
        there = [split for split in self.config.split if self.world.manifest.tasks.get(split)]
        if not there:
            raise ConfigError(f"world {self.world.path} has no tasks in {', '.join(self.config.split)}; see --split")
        run = pipeline.run(
            self.config.run_config(asked, there, "closed"),
            self.world,
            self.round_folder(number) / EVALUATE,
            progress=self.tell,
        )
        right: dict[str, list[bool]] = {split: [] for split in there}
        for row in _complete_rows(run):
            if row.verdict is not None and row.verdict.reward("passed") is not None:
                right[row.task["split"]].append(bool(row.verdict.passed))
        return {split: sum(found) / len(found) for split, found in right.items() if found}


def begin(folder: Path, config: SelfplayConfig, world: World) -> None:
    """Write the settings of a play, or refuse to go on with others."""
    file = folder / SETTINGS
    now: dict[str, Any] = {
        "config": config.compared(),
        "world": world.manifest.fingerprint,
        "seed": world.manifest.seed,
    }
    if file.is_file():
        resume.refuse_changes(folder, resume.read(file), now)
        return
    files.write(file, json.dumps(now, indent=1) + "\n")


def _is_trained(model: Path) -> bool:
    """Whether a folder holds a training that is done."""
    try:
        return bool(json.loads((model / MANIFEST).read_text("utf-8")).get("ended"))
    except (OSError, ValueError):
        return False


def _complete_rows(run: Run) -> list[Row]:
    """The responses of a run; what a provider failed to give is owed, and the same command asks again. A prompt that is refused (too long)
    would be owed for ever: it has no answer, which is nobody's wrong one."""
    rows = list(run.rows())
    lost = [row.rollout for row in rows if row.rollout.error and row.rollout.finish != REFUSED]
    if lost:
        raise ProviderError(
            f"{run.path}: {len(lost):,} responses were not given, the last with: {lost[-1].error}; the same command asks again",
            again=False,
        )
    return rows


def _judged_question(task: Task, rows: Sequence[Row]) -> JudgedQuestion:
    """A question with what became of its answers, in the order of the samples."""
    ordered = sorted(rows, key=lambda row: row.rollout.sample_index)
    samples = [
        None if row.verdict is None or row.verdict.reward() is None else bool(row.verdict.targeted) for row in ordered
    ]
    about = tuple(path for path in task.functions if path != "array") or task.functions
    return JudgedQuestion(task.id, task.question, about, tuple(samples))


def _funnel(found: Sequence[Proposal], log: GateLog, gates: Sequence[str]) -> dict[str, int]:
    """How many proposals were left after each gate."""
    return {gate: sum(bool((r := log.result(one, gate)) and r.passed) for one in found) for gate in gates}
