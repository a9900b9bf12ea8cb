"""`sebench experiment FILE --dry-run`: lists the rows of an experiment in order, with upper bounds on what they take.

    grid = read(Path("experiments/paper.toml"))
    print(forecast(grid, choose_device(grid)).text())

No model is loaded, and nothing is downloaded or started. If a world is on disk, its own prompts are measured, and so
are those of a small missing world, which is built in a temporary folder (except for a stream). For any other world, the
templates are filled with texts of the mean length in a world with all functions (`WHOLE`, `PAGE`). Tokens are estimated
from characters, and every answer is assumed to have the maximum length: hours and bytes are upper bounds. Training is
planned as `sebench learn --dry-run` does, on a GPU or on the CPU of this machine. A decoding step takes as long as
reading the weights and the cache once, with as many sequences as fit into memory, or as computing if that takes longer,
as it does on a CPU.

Not covered: loading, starting servers, judging, checkpoints, and the parts of a row that are already done.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import cycle, islice, product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sebench.base.errors import ConfigError
from sebench.base.wording import counted
from sebench.experiment.grid import Grid
from sebench.experiment.method import ANSWERS, MethodConfig, generated_by
from sebench.experiment.sizes import (
    GOLD_CHARACTERS,
    NOT_BUILT,
    PAGE_CHARACTERS,
    WorldSizes,
    sizes_of,
    world_sizes,
)
from sebench.memory import material
from sebench.memory.methods.config import StudyConfig
from sebench.memory.methods.make import METHODS
from sebench.models import embedded
from sebench.rollout import pipeline
from sebench.rollout.config import RunConfig
from sebench.selfplay.config import MISSED, SelfplayConfig
from sebench.tasks import splits
from sebench.train import rl, sft
from sebench.train.config import NONE, PolicyConfig, SftConfig, TrainConfig, ZeroConfig
from sebench.train.data.examples import GOLD
from sebench.train.data.replay import rows_for_share
from sebench.train.data.tokens import TokenRow
from sebench.train.dry_run import CHARACTERS, rl_update_rows, settings_on_cpu
from sebench.train.loop import plan
from sebench.train.loop.free_memory import CPU
from sebench.train.loop.plan import GIB, Gpu, ModelShape, TrainingPlan
from sebench.train.methods import check_files
from sebench.train.trl import rl as trl_rl
from sebench.train.trl import zero as trl_zero
from sebench.world.prompts import CLOSED, OPEN, check_templates
from sebench.world.world import World

READ_SHARE = 0.6  # assumed share of a GPU's bandwidth while it samples
TEXT_BYTES = 4.0  # of a token on disk, with its verdict
BASE_BYTES = 2  # of a weight that is downloaded, in bf16


@dataclass(frozen=True)
class SamplingLoad:
    """Answers to be sampled."""

    answers: int = 0
    requests: int = 0  # more than answers with self-repair, and with a memory that the model consults
    prompt_tokens: int = 0
    most_tokens: int = 0  # of all replies

    @classmethod
    def single(cls, answers: int, prompt: int, most: int) -> SamplingLoad:
        """Return the load of answers that take one request each, with prompts and replies of these lengths."""
        return cls(answers, answers, answers * prompt, answers * most)

    def __add__(self, other: SamplingLoad) -> SamplingLoad:
        return SamplingLoad(*(a + b for a, b in zip(vars(self).values(), vars(other).values(), strict=True)))


@dataclass(frozen=True)
class RowForecast:
    """Upper bounds on what a row takes."""

    name: str
    method: str
    after: tuple[str, ...]  # rows that must finish before it
    gpus: int
    load: SamplingLoad
    trained_tokens: int
    memory: float  # bytes on one GPU during training; 0 without a plan
    fits: bool
    gpu_hours: float
    size: float  # bytes on disk at the end
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Forecast:
    """Upper bounds on what an experiment takes."""

    file: str
    out: str
    gpu: Gpu
    rows: tuple[RowForecast, ...]
    notes: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    def text(self) -> str:
        """Return the forecast as text."""
        how = "measured here" if self.gpu.measured else "estimated: no GPU here"
        head = f"{self.file}: {counted(len(self.rows), 'row')}, written to {self.out}"
        head += f"; upper bounds for {self.gpu.name} ({how}):"
        names = ["row", "after", "GPUs", "requests", "prompt tokens", "answer tokens", "trained tokens"]
        names += ["GiB", "hours"] if self.gpu.is_cpu else ["GiB on a GPU", "GPU hours"]
        lines = [[*names, "GB on disk"]]
        for number, row in enumerate(self.rows, 1):
            memory = f"{row.memory / GIB:.0f}{'' if row.fits else ': does not fit'}" if row.memory else "-"
            counts = (row.load.requests, row.load.prompt_tokens, row.load.most_tokens, row.trained_tokens)
            cells = [
                f"{number}. {row.name}",
                ", ".join(row.after) or "-",
                "-" if self.gpu.is_cpu else str(row.gpus or "shared"),
            ]
            cells += [*(f"{count:,}" if count else "-" for count in counts), memory]
            lines.append([*cells, f"{row.gpu_hours:,.1f}", f"{row.size / 1e9:,.1f}"])
        total = sum((row.load for row in self.rows), SamplingLoad())
        cells = ["sum", "", "", f"{total.requests:,}", f"{total.prompt_tokens:,}", f"{total.most_tokens:,}"]
        cells += [f"{sum(row.trained_tokens for row in self.rows):,}", ""]
        lines.append(
            [*cells, f"{sum(r.gpu_hours for r in self.rows):,.1f}", f"{sum(r.size for r in self.rows) / 1e9:,.1f}"]
        )
        widths = [max(len(line[n]) for line in lines) for n in range(len(lines[0]))]
        table = [
            "  ".join(
                cell.ljust(w) if n < 2 else cell.rjust(w) for n, (cell, w) in enumerate(zip(line, widths, strict=True))
            )
            for line in lines
        ]
        notes = [*(f"{row.name}: {note}" for row in self.rows for note in row.notes), *self.notes]
        return "\n".join([head, "", *(line.rstrip() for line in table), "", *notes])


def choose_device(grid: Grid, here: bool = True) -> Gpu:
    """Return the device to plan for: the GPU of this machine, or its CPU if there is no GPU or all rows run `here` on
    the CPU. Without a GPU, plan for an H100 if the rows ask for GPUs or run on a cluster."""
    if here and all(method.learn.device == CPU for method in grid.methods):
        return Gpu.this_cpu()
    for_gpus = not here or grid.serve is not None or any(method.gpus for method in grid.methods)
    return Gpu.measure() or (plan.ESTIMATED if for_gpus else Gpu.this_cpu())


def forecast(grid: Grid, gpu: Gpu, worlds: Mapping[str, World | float] | None = None) -> Forecast:
    """Estimate what the rows of an experiment take. Every setting that can be checked without a model is checked.

    In a stream, `worlds` maps each name to its world or, if that is not built yet, to its share of all functions.
    """
    rows: list[RowForecast] = []
    notes: list[str] = []
    every = {name: sizes_of(world) for name, world in (worlds or {}).items()}
    for name in grid.worlds:
        with TemporaryDirectory(prefix="sebench-world-") as scratch:
            sizes = every[name] if worlds else world_sizes(grid, name, Path(scratch))
            if sizes.world is None:
                notes.append(f"world {name} {NOT_BUILT}")
            label = f"{Path(name).name}/" if len(grid.worlds) > 1 and not worlds else ""
            for method in grid.rows:
                if method.stage and method.stage.world != name:
                    continue
                _check(grid, method, sizes)
                of_row = RowWorlds(sizes, [sizes])
                if stage := method.stage:
                    of_row = RowWorlds(
                        sizes, *([every[one] for one in names] for names in (stage.test_worlds, stage.replay_worlds))
                    )
                rows.append(replace(_row(grid, method, of_row, gpu), name=f"{label}{method.name}"))
    if worlds:  # the stages in order, not world by world
        order = [method.name for method in grid.methods]
        rows.sort(key=lambda row: order.index(row.name))
    models = {method.learn.model for method in grid.methods if not method.start}
    known = [plan.model_shape(model) for model in sorted(models) if _is_known(model)]
    notes.append(
        f"assumptions: every answer has the maximum length; one token per {CHARACTERS} characters; sampling at "
        f"{READ_SHARE:.0%} of {gpu.rates[0]}, training at {plan.SHARE:.0%} of {gpu.rates[1]}"
    )
    fetched = [plan.model_shape(model) for model in models - {embedded.NAME} if _is_known(model)]
    if fetched:
        size = sum(BASE_BYTES * shape.parameters for shape in fetched) / 1e9
        notes.append(f"in addition, {size:,.1f} GB of weights are downloaded if they are not on this machine")
    if known and any(method.learns_by != NONE for method in grid.methods):
        largest = max(12 * shape.parameters for shape in known) / 1e9
        notes.append(f"while a row trains, its checkpoints take up to {2 * largest:,.1f} GB more")
    return Forecast(str(grid.file), str(grid.out), gpu, tuple(rows), tuple(notes))


def _is_known(model: str) -> bool:
    try:
        return bool(plan.model_shape(model))
    except ConfigError:
        return False


def _check(grid: Grid, method: MethodConfig, sizes: WorldSizes) -> None:
    """Check in advance what would make a row fail: templates, files in settings, and groups that cannot be divided
    among processes."""
    check_templates(method.evaluate.prompts)
    method.evaluate.compared()
    if method.learns_by != NONE:
        check_files(method.plannable)
    if not method.trains or method.learn.trainer != "trl":
        return
    if isinstance(method.learn, PolicyConfig):
        trl_rl.grpo_arguments(method.learn)
        processes, groups = grid.processes(method), method.learn.tasks_per_step
        if isinstance(method.learn, ZeroConfig):
            trl_zero.check_shares(method.learn, sizes.functions, processes)
            groups = 2 * min(groups, sizes.functions)
        trl_rl.check_shares(method.learn, groups, processes)


# ---- a row


@dataclass(frozen=True)
class RowWorlds:
    """The worlds of a row."""

    own: WorldSizes
    tested: Sequence[WorldSizes]
    mixed: Sequence[WorldSizes] = ()  # worlds whose training rows are mixed in


def _row(grid: Grid, method: MethodConfig, worlds: RowWorlds, gpu: Gpu) -> RowForecast:
    sizes = worlds.own
    model = grid.root(method).learn.model
    shape = plan.model_shape(model) if _is_known(model) else None
    gpus = method.gpus or 1
    load, hours, size, notes = SamplingLoad(), 0.0, 0.0, list[str]()
    for one in _questions(grid, method, sizes, worlds.tested):
        load += one
        hours += gpus * _sampling_hours(shape, one, gpu, gpus) if shape else 0.0
        size += TEXT_BYTES * one.most_tokens
    planned, tokens = _training(grid, method, worlds, shape, gpu)
    if method.learns_by != NONE and planned is None:
        notes.append("its training cannot be planned, so its hours include only the evaluation")
    if planned is not None and shape is not None:
        hours += gpus * planned.hours * _rounds(grid, method)
        size += 4 * shape.parameters * _rounds(grid, method)
        if isinstance(method.learn, PolicyConfig):
            sampled = _sampled(method.learn, sizes, _rounds(grid, method))
            load += sampled
            hours += gpus * _sampling_hours(shape, sampled, gpu, grid.sampling_gpus(method) or grid.processes(method))
    if shape is None:
        notes.append(f"the dimensions of {model} are unknown, so its hours are not estimated")
    context = grid.serve.context if grid.serve else 0
    writer = grid.method(method.memory) if method.memory else method
    budget = writer.study.budget if writer.study else 0
    if context and budget + method.evaluate.max_tokens > context:
        notes.append(f"a memory of {budget:,} tokens and an answer do not fit into context = {context:,} in [serve]")
    return RowForecast(
        name=method.name,
        method=method.method,
        after=method.after,
        gpus=method.gpus,
        load=load,
        trained_tokens=tokens,
        memory=planned.memory if planned else 0.0,
        fits=planned.fits if planned else True,
        gpu_hours=hours,
        size=size,
        notes=tuple(notes),
    )


def _questions(
    grid: Grid, method: MethodConfig, sizes: WorldSizes, tested: Sequence[WorldSizes]
) -> Iterator[SamplingLoad]:
    """Yield the sampling load of a row outside of training."""
    run = method.evaluate
    if method.play is not None:
        yield from _play_load(method.play, sizes, run, _rounds(grid, method))
    if not method.is_compared and method.play:
        return
    if method.study is not None:
        yield study_load(method.method, method.study, sizes, method.evaluate)
    added, requests = 0, 1
    writer = grid.method(method.memory) if method.memory else method
    if writer.study is not None:
        added, requests = writer.study.budget, METHODS[writer.method].requests(writer.study.queries)
    for world in tested:
        yield from evaluation(run, world, added, requests)
    if grid.seen and method.method != ANSWERS:
        answers = sizes.tasks(splits.TRAIN, grid.seen) * run.samples
        yield _answering(run, answers, sizes.prompt_tokens(splits.TRAIN, CLOSED, run) + added, requests)


def _rounds(grid: Grid, method: MethodConfig) -> int:
    """Return how many rounds of self-play a row adds to those that it continues; 1 for other rows."""
    earlier = grid.method(method.start).play if method.start else None
    return max(0, method.play.rounds - (earlier.rounds if earlier else 0)) if method.play else 1


def _play_load(play: SelfplayConfig, sizes: WorldSizes, run: RunConfig, rounds: int) -> Iterator[SamplingLoad]:
    """Yield the load of proposing, solving, and finding out what is missed."""
    drafts, page = rounds * _drafts(play, sizes), round(PAGE_CHARACTERS / CHARACTERS)
    yield SamplingLoad.single(drafts, 2 * page, play.propose_tokens)
    prompt = sizes.prompt_tokens(splits.TRAIN, OPEN, replace(run, distractors=play.distractors))
    yield SamplingLoad.single(drafts * play.samples, prompt, play.max_tokens)
    if play.aim == MISSED:
        questions = min(rounds, play.rounds - 1) * sizes.tasks(splits.TRAIN)
        yield SamplingLoad.single(questions, sizes.prompt_tokens(splits.TRAIN, CLOSED, run), play.max_tokens)


def _drafts(play: SelfplayConfig, sizes: WorldSizes) -> int:
    """Return the number of proposals in a round."""
    return (play.targets or sizes.functions) * play.proposals


def evaluation(run: RunConfig, world: WorldSizes, added: int = 0, requests: int = 1) -> Iterator[SamplingLoad]:
    """Yield the load of a run for each split and book. `added` is the number of tokens that a memory adds to each
    prompt, and `requests` the number of requests with which the model consults it and answers."""
    for split, book in product(run.split, run.book):
        answers = world.tasks(split, run.limit) * run.samples
        yield _answering(run, answers, world.prompt_tokens(split, book, run) + added, requests)


def _answering(run: RunConfig, answers: int, prompt: int, requests: int) -> SamplingLoad:
    """Return the load of a run's answers, each of which takes this many requests before any self-repair."""
    most = pipeline.most_sent(run, answers, answers * prompt, requests)
    return SamplingLoad(answers, most.calls, most.prompt_tokens, most.completion_tokens)


def study_load(method: str, config: StudyConfig, sizes: WorldSizes, run: RunConfig) -> SamplingLoad:
    """Return the load of a memory method. A prompt is as long as an open-book prompt of a run, and the whole memory
    (without a budget, all pages)."""
    calls = study_calls(method, config, sizes)
    memory = config.budget or round(sizes.functions * PAGE_CHARACTERS / CHARACTERS)
    prompt = sizes.prompt_tokens(splits.TRAIN, OPEN, run) + memory
    return SamplingLoad.single(calls, prompt, config.max_tokens)


def study_calls(method: str, config: StudyConfig, sizes: WorldSizes) -> int:
    """Return the maximum number of calls in a study: every task takes all attempts, and the last one is right; every
    update is tested by the gate."""
    tasks = sizes.tasks(splits.TRAIN)
    held_out = max(tasks // material.VALIDATION, min(tasks, 1))
    studied = min(config.limit or tasks, tasks - held_out)
    attempts = studied * (1 + 2 * config.retries)  # an answer, and a reflection and an answer for every retry
    update = 1 + 2 * config.gate  # the probe is answered without and with the update
    if method == "notes":
        return sizes.chunks(config.chunk) * update + held_out
    if method == "expel":
        attempts, failures = (0, 0) if config.study_gold else (attempts, studied * config.retries)
        updates = failures + -(-studied // config.chunk) if config.rules else 0
        return attempts + updates * update + held_out
    if method != "ace":
        return 0
    passes, window = (1, config.window) if config.window else (config.epochs, max(studied, 1))
    groups = sum(-(-min(window, studied - start) // config.together) for start in range(0, studied, window))
    validations = 1 if config.window else 1 + passes * studied // config.validate_every
    tested = studied if config.window else 0
    items = max(attempts, 2 * studied)  # an answer that is right at once also gets a reflection
    return passes * (items + groups * update) + validations * held_out + tested


def _training(
    grid: Grid, method: MethodConfig, worlds: RowWorlds, shape: ModelShape | None, gpu: Gpu
) -> tuple[TrainingPlan | None, int]:
    """Return the plan of a row's training (None if there is none), and the number of tokens that it trains on."""
    config = method.learn
    if shape is None or not isinstance(config, SftConfig | PolicyConfig):
        return None, 0
    rows, settings = _update_rows(grid, method, worlds.own)
    if not rows:
        return None, 0
    if others := [row for world in worlds.mixed for row in _update_rows(grid, method, world)[0]]:
        share = method.stage.replay_share if method.stage else 0.0
        rows += islice(cycle(others), rows_for_share(len(rows), share) if share else len(others))
    if gpu.is_cpu and settings.trainer == "loop":
        settings = settings_on_cpu(shape, settings, gpu.memory)
    planned = plan.plan(shape, settings, rows, grid.processes(method), gpu)
    return planned, _rounds(grid, method) * settings.epochs * sum(len(row.ids) for row in rows)


def _update_rows(grid: Grid, method: MethodConfig, sizes: WorldSizes) -> tuple[list[TokenRow], SftConfig]:
    """Return placeholder rows as long as the training rows (for RL, the rows of one step), and SFT settings with the
    same number of steps."""
    config = method.learn
    books = {**sft.BOOKS, **{name: books[1] for name, books in rl.BOOKS.items()}, "absolute-zero": OPEN}
    prompt = sizes.prompt_tokens(splits.TRAIN, books[method.learns_by], _as_run(config))
    if isinstance(config, PolicyConfig):
        groups = 2 if isinstance(config, ZeroConfig) else 1  # of proposals and of answers
        prompts = [_token_row(prompt, 0)] * (sizes.tasks(splits.TRAIN) or config.tasks_per_step)
        return rl_update_rows(prompts, replace(config, samples=groups * config.samples))
    assert isinstance(config, SftConfig)
    most = config.per_function * sizes.functions
    rows: list[TokenRow] = []
    for source in method.sources or ([] if method.play else [GOLD]):
        answers, length = sizes.tasks(splits.TRAIN, most), round(GOLD_CHARACTERS / CHARACTERS)
        if name := generated_by(source):
            maker = grid.method(name)
            answers, length = _answers_of(maker, sizes), (maker.play or maker.evaluate).max_tokens
        rows += [_token_row(prompt, length)] * answers
    if method.play:
        rows += [_token_row(prompt, method.play.max_tokens)] * _answers_of(method, sizes)
    return rows[: getattr(config, "limit", 0) or None], config


def _answers_of(method: MethodConfig, sizes: WorldSizes) -> int:
    """Return how many answers a row generates for others to learn from."""
    if method.play:
        return method.play.rounds * _drafts(method.play, sizes) * method.play.samples
    return sizes.tasks(splits.TRAIN, method.evaluate.limit) * method.evaluate.samples


def _as_run(config: TrainConfig) -> RunConfig:
    """Return the training settings that determine the prompts, as settings of a run."""
    book = config.book_settings()
    return RunConfig(prompts=config.prompts, distractors=book.distractors, pages=book.parts)


def _token_row(prompt: int, answer: int) -> TokenRow:
    return TokenRow("", (0,) * (prompt + answer), prompt)


def _sampled(config: PolicyConfig, sizes: WorldSizes, times: int) -> SamplingLoad:
    """Return the sampling load of training with RL so many times."""
    tasks = min(config.tasks_per_step, sizes.tasks(splits.TRAIN) or config.tasks_per_step)
    groups = tasks * (1 + config.samples if isinstance(config, ZeroConfig) else 1)
    answers = config.steps * groups * config.samples
    checked = getattr(config, "pass_at", 0) if config.trainer == "loop" else 0
    answers += checked * tasks
    prompt = sizes.prompt_tokens(splits.TRAIN, OPEN, _as_run(config))
    return SamplingLoad.single(times * answers, prompt, config.max_tokens)


def _sampling_hours(shape: ModelShape, load: SamplingLoad, gpu: Gpu, gpus: int) -> float:
    """Return the hours of sampling on this many GPUs, each with a copy of the model."""
    if not load.requests:
        return 0.0
    prompt, answer = load.prompt_tokens / load.requests, load.most_tokens / load.requests
    weights, context = BASE_BYTES * shape.parameters, prompt + answer / 2
    each = shape.cache_bytes * context
    room = max(0.9 * gpu.memory - weights, each)
    sequences = max(1.0, min(room / each, load.requests / gpus))
    a_token = (weights + sequences * each) / (READ_SHARE * gpu.bandwidth) / sequences
    a_token = max(a_token, shape.operations(context) / (plan.SHARE * gpu.speed))
    reading = load.prompt_tokens * shape.operations(prompt) / (plan.SHARE * gpu.speed)
    return (load.most_tokens * a_token + reading) / gpus / 3600
