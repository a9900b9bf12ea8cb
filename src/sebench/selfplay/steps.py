"""A self-play run with real models, local or behind an endpoint: the steps of its rounds, and an evaluation before the
first round. `rounds.py` contains the loop.

    PLAY/
      selfplay.json         every setting and the world; the run resumes only with the same values
                            (with `after`, the rounds of that run are copied, and their weights linked)
      round-0/evaluate/     an ordinary run: the base model, closed book, before any training
      round-N/calls.jsonl   the proposer's replies; gates.jsonl: gate results, both as in 'sebench author'
      round-N/tasks.jsonl   the questions that passed the gates, as tasks of the world
      round-N/solve/        an ordinary run: the solver's answers with the book open, judged
      round-N/examples.jsonl, answers.json     training examples after this round, and counts of those left out
      round-N/model/        an ordinary training run; round-N/evaluate/: its ordinary closed-book run
    round-N/recall/       with aim = "missed": its closed-book run on the world's training questions

Questions are judged in the same world: a task carries its own cases, gold (reference solution) and core functions, and
a judge accepts any task for its world. So no variant of the world is built, and a self-play question can never end up
in a split.

Every step resumes from its own files: calls, gates, runs and training.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from sebench.author.gates import CONSENSUS
from sebench.author.pipeline import ConsensusGate, GateLog, gate_lines
from sebench.author.proposals import Proposal, parse_functions
from sebench.base import files, resume
from sebench.base.errors import ConfigError, OutOfMemory, ProviderError, first_problem
from sebench.base.extract import extract
from sebench.base.records import REFUSED, Task
from sebench.base.wording import counted
from sebench.judge.judge import Judge
from sebench.models.calls import CallLog, Calls
from sebench.models.checkpoints import EMBEDDED
from sebench.models.model import Model, Sampling
from sebench.models.transformers import TOO_LITTLE
from sebench.rollout import models, pipeline
from sebench.rollout.store import Row, Run
from sebench.selfplay.config import FIRST, LAST, NONE, SAME, SelfplayConfig, comparable, refuse_other_rounds
from sebench.selfplay.rounds import PROPOSED, ROUNDS, GatedProposals, Round, Steps, attempts_file, play, rounds
from sebench.tasks import dataset, splits
from sebench.train import methods, sft
from sebench.train.config import SftConfig
from sebench.train.data import examples
from sebench.train.data.examples import TrainingExample
from sebench.train.data.tokens import TrainingRow, text_rows
from sebench.train.loop.training_run import MANIFEST, Progress
from sebench.train.proposals.gating import GATES, Gates, propose
from sebench.train.proposals.selection import JudgedQuestion
from sebench.world.prompts import CLOSED
from sebench.world.world import World

SETTINGS, TASKS, ANSWERS = "selfplay.json", "tasks.jsonl", "answers.json"
# The same names as in 'sebench author tasks', so that 'sebench author funnel' can read them.
CALLS, GATE_LOG = "calls.jsonl", "gates.jsonl"
SOLVE, EVALUATE, RECALL, MODEL = "solve", "evaluate", "recall", "model"
WEIGHTS = ".safetensors"


@dataclass
class ModelSteps:
    """The steps of one self-play run, with its world, settings and folder."""

    world: World
    config: SelfplayConfig
    folder: Path
    gates: Gates
    progress: Progress = lambda what, done, total: None

    def round_folder(self, number: int) -> Path:
        return self.folder / f"round-{number}"

    # ---- models -----------------------------------------------------------------------------------------------

    @property
    def base(self) -> str:
        """The model that each round trains from."""
        return source(self.config.base or self.config.model)

    def player(self, number: int) -> str:
        """Return the model that solves in a round, and proposes unless another proposer is set."""
        previous = self.round_folder(number - 1) / MODEL
        if not self.config.base_url and self.config.solver == LAST and _is_trained(previous):
            return str(previous)
        return source(self.config.model)

    def proposer(self, number: int) -> str:
        proposer = self.config.proposer
        if proposer == SAME:
            return self.player(number)
        return source(self.config.model if proposer == FIRST else proposer)

    # ---- propose ----------------------------------------------------------------------------------------------

    def propose(self, number: int, targets: Sequence[str], kept: Sequence[JudgedQuestion]) -> GatedProposals:
        """Request proposals for the targets, and run them through all gates."""
        folder = self.round_folder(number)
        files.make_folder(folder)
        for before in range(1, number):
            self.gates.remember(gate_lines(self.round_folder(before) / GATE_LOG))
        with CallLog(folder / CALLS) as calls, GateLog(folder / GATE_LOG) as log:
            proposals = self._ask_proposer(number, targets, kept, calls)
            passed = self.gates.pass_through(proposals, log, self.progress)
            if self.config.consensus:
                passed = asyncio.run(self._pass_consensus(passed, calls, log))
            tokens = sum(data["prompt_tokens"] + data["completion_tokens"] for data in calls.there.values())
            funnel = {PROPOSED: len(proposals)} | _funnel(
                proposals, log, (*GATES, *([CONSENSUS] if self.config.consensus else []))
            )
        tasks = [replace(task, id=f"{number}-{n}", split=splits.TRAIN) for n, (_, task) in enumerate(passed, 1)]
        names = self.world.manifest.matched_names
        files.write_lines(folder / TASKS, (dataset.to_json(task, names) for task in tasks))
        return GatedProposals(funnel, tasks, tokens)

    def _ask_proposer(
        self, number: int, targets: Sequence[str], kept: Sequence[JudgedQuestion], log: CallLog
    ) -> list[Proposal]:
        config, seed = self.config, self.config.seed * 1_009 + number
        first = (number - 1) * config.proposals
        requests = [(function, first + n) for function in targets for n in range(config.proposals)]
        sampling = Sampling(config.temperature, max_tokens=config.propose_tokens)
        name = self.proposer(number)

        async def ask() -> list[Proposal]:
            model = models.load_writer(config.run_config(name, (splits.TRAIN,), "open"), self.world)
            try:
                calls = Calls(log, model, name, sampling)
                return await propose(self.world, calls, requests, kept, seed, self.progress)
            finally:
                await model.close()

        return asyncio.run(ask())

    async def _pass_consensus(
        self, passed: Sequence[tuple[Proposal, Task]], calls: CallLog, log: GateLog
    ) -> list[tuple[Proposal, Task]]:
        """Return the drafts that enough other models solve in NumPy from only the question and its examples."""
        config, loaded = self.config, dict[str, Model]()
        sampling, tasks = Sampling(0.0, max_tokens=config.propose_tokens), {one.key: task for one, task in passed}
        try:
            for name in config.consensus:
                loaded[name] = models.load_writer(config.run_config(source(name), (splits.TRAIN,), "open"), self.world)
            solvers = [Calls(calls, model, name, sampling) for name, model in loaded.items()]
            with Judge(self.world) as judge:
                consensus_gate = ConsensusGate(self.world, judge, solvers, len(solvers), config.seed)
                agreed = await consensus_gate.decide(
                    [one for one, _ in passed], lambda one: tasks[one.key], log, self.progress
                )
        finally:
            for model in loaded.values():
                await model.close()
        if missing := agreed.count(None):
            why = next((solver.failure for solver in solvers if solver.failure), "")
            raise ProviderError(
                f"answers are missing from at least one consensus model for {missing:,} of "
                f"{counted(len(agreed), 'draft')} ({why}); run the same command again to retry",
                again=False,
            )
        return [pair for pair, yes in zip(passed, agreed, strict=True) if yes]

    # ---- solve ------------------------------------------------------------------------------------------------

    def solve(self, number: int, questions: Sequence[Task]) -> tuple[list[JudgedQuestion], int]:
        """Sample and judge open-book answers: an ordinary run over the round's own tasks."""
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
        run = pipeline.run(config, self.world, self.round_folder(number) / SOLVE, progress=self.progress)
        rows = _complete_rows(run)
        by_task = {task.id: [row for row in rows if row.rollout.task_id == task.id] for task in questions}
        tokens = sum(row.rollout.prompt_tokens + row.rollout.completion_tokens for row in rows)
        return [_judged_question(task, by_task[task.id]) for task in questions], tokens

    def tasks(self, number: int) -> tuple[Task, ...]:
        """Return the questions of a round that passed the gates."""
        file = self.round_folder(number) / TASKS
        return dataset.read(file, self.world.manifest.matched_names) if file.is_file() else ()

    # ---- train and evaluate -----------------------------------------------------------------------------------

    def train(self, number: int, kept: Sequence[JudgedQuestion]) -> None:
        """Train the base model on every correct and targeted answer to a question kept so far, and on the examples of
        --also-learn."""
        folder = self.round_folder(number)
        answers, counts = self._examples(number, {attempt.id for attempt in kept})
        if not (folder / examples.SELFPLAY).is_file():
            files.make_folder(folder)
            files.write(folder / ANSWERS, json.dumps(counts, indent=1) + "\n")
            examples.write_selfplay(folder, self.world, answers)
        sources = [source for source in (self.config.also_learn, str(folder) if answers else "") if source]
        if sources and self.config.train != NONE:
            config = self.config.train_config(self.base.removeprefix("hf:"), ",".join(sources))
            methods.train_and_free(self.world, self.config.train, config, folder / MODEL, self.progress)

    def _examples(self, number: int, kept: set[str]) -> tuple[list[TrainingExample], dict[str, int]]:
        """Return the training examples after a round, and the counts of correct answers left out, by reason."""
        by_program: dict[tuple[str, str], TrainingExample] = {}
        counts: Counter[str] = Counter()
        for before in range(1, number + 1):
            if not (self.round_folder(before) / SOLVE).is_dir():
                continue
            tasks, run = {task.id: task for task in self.tasks(before)}, Run.load(self.round_folder(before) / SOLVE)
            rows = [row for row in run.rows() if row.rollout.task_id in kept and row.verdict and row.verdict.targeted]
            for row in sorted(rows, key=lambda row: (row.rollout.task_id, row.rollout.sample_index)):
                task, response = tasks[row.rollout.task_id], row.rollout.response
                key = task.id, " ".join(extract(response, task.entry).code.split())
                if key in by_program:
                    counts["repeated"] += 1
                elif examples.mentions_documentation(response):
                    counts["speaks of the book"] += 1
                else:
                    by_program[key] = TrainingExample(task, response, str(run.manifest.config.get("model", "")))
        clean = self._without_leaks(list(by_program.values()))
        if len(clean) < len(by_program):
            counts["shows a test task"] = len(by_program) - len(clean)
        return clean, {"right": len(clean) + counts.total(), "kept": len(clean), **counts}

    def _without_leaks(self, answers: Sequence[TrainingExample]) -> list[TrainingExample]:
        """Return the examples for which neither the answer nor any training row made from it contains part of a test
        task. A single such row would make the training guard refuse all rows, and the self-play run could not
        continue."""
        rows_by_example = self._rows(answers)
        return [
            one
            for one, rows in zip(answers, rows_by_example, strict=True)
            if not self.gates.leaked_test(one.task, one.answer) and not self.gates.first_leak(rows)
        ]

    def _rows(self, answers: Sequence[TrainingExample]) -> list[tuple[TrainingRow, ...]]:
        """For each example, return the rows that training may make from it."""
        config = self.config.train_config("", "")
        if not isinstance(config, SftConfig):  # RL trains on its own samples
            return [()] * len(answers)
        formatted = [examples.with_form(one, self.world, config.form) for one in answers]
        prompter, books = config.prompter(self.world), dict.fromkeys((CLOSED, sft.BOOKS[self.config.train]))
        return list(zip(*(text_rows(prompter, formatted, book) for book in books), strict=True))

    def evaluate(self, number: int) -> Mapping[str, float]:
        """Return the closed-book accuracy, by split, of the round's model, or of the base model if the round trained
        nothing."""
        if not self.config.split:
            return {}
        splits_here = [split for split in self.config.split if self.world.manifest.tasks.get(split)]
        if not splits_here:
            raise ConfigError(
                f"world {self.world.path} has no tasks in {', '.join(self.config.split)}; choose another --split"
            )
        accuracy = _accuracy((row.task["split"], row) for row in self._closed_book(number, splits_here, EVALUATE))
        return {split: accuracy[split] for split in splits_here if split in accuracy}

    def recall(self, number: int) -> Mapping[str, float]:
        """Return the closed-book accuracy on the world's training questions, by function, of the round's model, or of
        the base model if the round trained nothing."""
        rows = self._closed_book(number, (splits.TRAIN,), RECALL, limit=0)
        return _accuracy((function, row) for row in rows for function in row.task["functions"])

    def _closed_book(self, number: int, splits_here: Sequence[str], name: str, **settings: Any) -> list[Row]:
        """Have the round's model answer some splits, or the base model if the round trained nothing."""
        model = self.round_folder(number) / MODEL
        if not _is_trained(model):
            number = 0  # reuse the run before the first round
        config = self.config.run_config(str(model) if number else self.base, splits_here, "closed", **settings)
        return _complete_rows(
            pipeline.run(config, self.world, self.round_folder(number) / name, progress=self.progress)
        )


def selfplay(
    world: World, config: SelfplayConfig, folder: Path, progress: Progress = lambda what, done, total: None
) -> list[Round]:
    """Play the rounds that are missing from the folder. The same call resumes after an interruption at any point."""
    resume.refuse_foreign(folder, SETTINGS, "self-play")
    functions = parse_functions(world, config.functions)  # a wrong name is reported before anything is written
    check_sources(world, config)
    check_folder(folder, config, world)
    with files.lock(folder):
        begin(folder, config, world)
        if config.after and not rounds(folder):
            _copy_rounds(Path(config.after), folder)
        with Gates(world, config.seed, config.workers, config.prompts) as gates:
            model_steps = ModelSteps(world, config, folder, gates, progress)
            if not rounds(folder):  # otherwise the base model is already evaluated and need not be loaded
                model_steps.evaluate(0)
            stage = ""

            def progress_of_stage(what: str, done: int = 0, total: int = 1) -> None:
                progress(f"{stage}: {what}" if stage else what, done, total)

            model_steps.progress = progress_of_stage

            def announce(next_stage: str) -> None:
                nonlocal stage
                stage = next_stage
                progress(stage, 0, 1)

            own = model_steps
            loop = Steps(own.propose, own.solve, own.train, own.evaluate, own.recall)
            return play(loop, functions, config, folder, announce)


def check_writers(config: SelfplayConfig, check: Callable[..., None]) -> None:
    """Check the models other than the player that write questions or must solve them."""
    near = get_close_matches(config.proposer, (SAME, FIRST), 1, cutoff=0.7)
    if near and config.proposer not in (SAME, FIRST) and not config.base_url and not Path(config.proposer).exists():
        raise ConfigError(f"proposer = {config.proposer!r}: there is no such model; did you mean {near[0]}?")
    for name in dict.fromkeys((config.first_proposer(), *config.consensus)):
        check(config.run_config(source(name), (splits.TRAIN,), "open"), writes=True)


def check_functions(world: World, config: SelfplayConfig) -> None:
    """Raise an error if the settings name functions that the world does not have."""
    parse_functions(world, config.functions)


def check_sources(world: World, config: SelfplayConfig) -> None:
    """Raise an error if --also-learn names examples that cannot be learned from."""
    if config.also_learn:
        also = config.train_config("", config.also_learn)
        methods.check_files(also)
        assert isinstance(also, SftConfig)  # the settings refuse it with RL
        sft.training_rows(world, config.train, also)


def _check_earlier(config: SelfplayConfig, world: World) -> None:
    """Raise an error if the rounds of the run in `after` cannot come first."""
    earlier = Path(config.after)
    if files.kind_of(earlier) != "a self-play run":
        raise ConfigError(f"after = {earlier}: not a self-play run; create one with 'sebench selfplay'")
    settings, finished = resume.read(earlier / SETTINGS), len(rounds(earlier))
    problems = {
        "it is in another world; use one in this world": settings.get("world") != world.manifest.fingerprint,
        "it has no finished round; repeat its 'sebench selfplay' command first": not finished,
    }
    if problem := first_problem(problems):
        raise ConfigError(f"after = {earlier}: {problem}")
    refuse_other_rounds(f"after = {earlier}", settings["config"], finished, config)


def _copy_rounds(earlier: Path, folder: Path) -> None:
    """Copy the finished rounds of another run. The file that lists them comes last, so an interrupted copy is
    repeated."""
    done = rounds(earlier)
    for name in (f"round-{number}" for number in range(len(done) + 1)):
        if (earlier / name).is_dir():  # without an evaluation, there is no round 0
            ignore = shutil.ignore_patterns(RECALL)  # of a round that was begun there, with another model's path
            shutil.copytree(earlier / name, folder / name, ignore=ignore, copy_function=_copy_file, dirs_exist_ok=True)
    for one in done:
        shutil.copy2(attempts_file(earlier, one.number), folder)
    files.write_lines(folder / ROUNDS, map(asdict, done))


def _copy_file(source: str, target: str) -> None:
    """Copy a file, or link it if it has weights, which nobody changes and which may take gigabytes."""
    Path(target).unlink(missing_ok=True)
    if source.endswith(WEIGHTS):
        with suppress(OSError):  # on another file system
            os.link(source, target)
            return
    shutil.copy2(source, target)


def begin(folder: Path, config: SelfplayConfig, world: World) -> None:
    """Write the settings of a self-play run, or refuse to resume with different ones."""
    check_folder(folder, config, world)  # again, now that no other process can write to it
    if not (folder / SETTINGS).is_file():
        files.write(folder / SETTINGS, json.dumps(_identity(config, world), indent=1) + "\n")


def check_folder(folder: Path, config: SelfplayConfig, world: World) -> None:
    """Raise an error if a folder holds a self-play run with other settings, or if the rounds of --after cannot come
    first."""
    if (folder / SETTINGS).is_file():
        before = resume.read(folder / SETTINGS)
        before["config"] = comparable(before.get("config", {}))
        resume.refuse_changes(folder, before, _identity(config, world))
    elif config.after:
        _check_earlier(config, world)


def _identity(config: SelfplayConfig, world: World) -> dict[str, Any]:
    """Return the settings with which a self-play run resumes."""
    return {"config": config.compared(), "world": world.manifest.fingerprint, "seed": world.manifest.seed}


def source(name: str) -> str:
    """Return the name by which a model is loaded: the embedded one with transformers, since rounds train it."""
    return f"hf:{name}" if name == EMBEDDED else name


def _is_trained(model: Path) -> bool:
    """Whether a folder contains a finished training run."""
    return bool(files.read_json(model / MANIFEST).get("ended"))


def _complete_rows(run: Run) -> list[Row]:
    """Return the responses of a run. Raises an error if the provider failed on some; repeating the command retries
    them. A refused prompt (too long) has no answer and is not an error, since retrying would not help."""
    rows = list(run.rows())
    lost = [row.rollout for row in rows if row.rollout.error and row.rollout.finish != REFUSED]
    if lost:
        message = f"{run.path}: {counted(len(lost), 'response')} failed (last error: {lost[-1].error})"
        if TOO_LITTLE in lost[-1].error:
            raise OutOfMemory(message)
        raise ProviderError(f"{message}; run the same command again to retry", again=False)
    return rows


def _accuracy(rows: Iterable[tuple[str, Row]]) -> dict[str, float]:
    """Return the share of right answers by key. Answers that could not be judged do not count."""
    right: dict[str, list[bool]] = {}
    for key, row in rows:
        if row.verdict is not None and row.verdict.reward("passed") is not None:
            right.setdefault(key, []).append(bool(row.verdict.passed))
    return {key: sum(answers) / len(answers) for key, answers in right.items()}


def _judged_question(task: Task, rows: Sequence[Row]) -> JudgedQuestion:
    """Return a question with the verdicts on its answers, in sample order."""
    ordered = sorted(rows, key=lambda row: row.rollout.sample_index)
    samples = [
        None if row.verdict is None or row.verdict.reward() is None else bool(row.verdict.targeted) for row in ordered
    ]
    about = tuple(path for path in task.functions if path != "array") or task.functions
    return JudgedQuestion(task.id, task.question, about, tuple(samples))


def _funnel(proposals: Sequence[Proposal], log: GateLog, gates: Sequence[str]) -> dict[str, int]:
    """Return how many proposals passed each gate."""
    return {gate: sum(bool((r := log.result(one, gate)) and r.passed) for one in proposals) for gate in gates}
