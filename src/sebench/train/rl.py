"""Reinforcement learning with the judge as reward: open-rl, closed-rl and closed-sft-rl.

                    samples with   updates with
    open-rl         the book       the book
    closed-rl       the book       the closed prompt
    closed-sft-rl   closed         closed          from a checkpoint of closed-sft

GRPO: several answers to each task, the reward of each (targeted: right, and by what was asked for) compared with its group. An answer
whose judgement failed through no fault of its own has no reward: it is left out, not counted as wrong. Answers are judged on other cores
while the rest of the step is still sampled. RL needs groups that are neither all right nor all wrong: the share of them is looked at
first, on tasks that the starting checkpoint was not trained on where there are such, and a training that has hardly any stops and says
so.
"""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sebench.base.errors import ConfigError
from sebench.base.records import Task, Verdict
from sebench.judge.judge import Judge
from sebench.models.checkpoints import context
from sebench.models.decoding import Decoder, drawn, end_tokens
from sebench.train.config import PolicyConfig, RlConfig, SamplingConfig
from sebench.train.data import examples, selfplay_examples, tokens
from sebench.train.data.tokens import TokenRow
from sebench.train.loop.loop import Loss, Trainer
from sebench.train.loop.training_run import TrainingRun
from sebench.world.prompts import CLOSED, OPEN

BOOKS = {"open-rl": (OPEN, OPEN), "closed-rl": (OPEN, CLOSED), "closed-sft-rl": (CLOSED, CLOSED)}  # sampling, update
WARMUP = 5  # steps over which the learning rate rises; then it stays: the answers are new at every step
BATCHES = 2  # a step is sampled in so many parts, so that one is judged while the next is sampled


@dataclass(frozen=True)
class Sample:
    """An answer, what it was worth, and the sequence that is updated on."""

    task: Task
    sampled: TokenRow  # behind the prompt that it was sampled with
    row: TokenRow  # behind the prompt that the update sees
    reward: float | None = None


def train(training: TrainingRun[RlConfig]) -> None:
    """Sample, judge, update."""
    config = training.config
    tasks = rl_tasks(training)
    if config.samples < 2 and config.advantage != "raw":
        raise ConfigError(
            f"samples = {config.samples}: an answer is compared with others of its group; take more, or --advantage raw"
        )
    training.load()
    with Judge(training.world) as judge:
        sampler = Sampler(training, BOOKS[training.method])
        if config.pass_at:
            _check_mixed_groups(training, sampler, judge, tasks)
        trainer = training.trainer(config.loop_settings(constant=True))
        training.total = config.steps
        for step in range(trainer.done, config.steps):
            began = time.perf_counter()
            chosen = tasks_of_step(tasks, config, step)
            samples = sampler.sample_and_judge(judge, chosen, config.samples, seed=config.seed + 1 + step)
            sampled = time.perf_counter() - began
            rate = config.lr * min(1.0, (step + 1) / WARMUP)
            figures = update(trainer, samples, config, rate)
            figures |= {"lr": rate, "sample_s": round(sampled, 3), "judge_s": round(sampler.waited, 3)}
            training.log(step, {**figures, "s": round(time.perf_counter() - began, 3)})
            trainer.finish_step(step, training.out, last=step + 1 == config.steps)
    training.finish()


class Sampler:
    """Answers to tasks with one prompt, laid behind another prompt."""

    def __init__(self, training: TrainingRun[SamplingConfig], books: tuple[str, str], model: Any = None) -> None:
        self.training, self.config, self.books = training, training.config, books
        model = training.model if model is None else model
        self.decoder = Decoder(
            training.torch, model, self.config.loop_settings().bf16(next(model.parameters()).device.type)
        )
        self.prompter = self.config.prompter(training.world)
        self.ends = end_tokens(model, training.tokenizer)
        self.waited = 0.0  # seconds that the last call waited for the judge when all was sampled

    def sample_and_judge(self, judge: Judge, tasks: Sequence[Task], samples: int, seed: int) -> list[Sample]:
        """Samples with their rewards: those of one part are judged while the next part is sampled."""
        found: list[tuple[Sample, Future[Verdict]]] = []
        for number in range(BATCHES):
            if part := tasks[number::BATCHES]:
                for one in self.sample(part, samples, seed * BATCHES + number):
                    found.append((one, judge.submit(one.task, self.text(one))))
        began = time.perf_counter()
        made = [replace(one, reward=future.result().reward()) for one, future in found]
        self.waited = time.perf_counter() - began
        return made

    def sample(self, tasks: Sequence[Task], samples: int, seed: int) -> Iterator[Sample]:
        """Answers to tasks, a group behind the other."""
        asked = [self.ids(task, self.books[0]) for task in tasks]
        draw = drawn(self.training.torch, self.config.temperature, seed, self.decoder.device)
        rooms = [self.config.max_tokens] * len(asked)
        for number, answer in enumerate(self.decoder.generate(asked, rooms, self.ends, draw, copies=samples)):
            task, prompt = tasks[number // samples], asked[number // samples]
            update = prompt if self.books[0] == self.books[1] else self.ids(task, self.books[1])
            yield Sample(task, _row(task, prompt, answer), _row(task, update, answer))

    def text(self, sample: Sample) -> str:
        """What was said."""
        row = sample.sampled
        return tokens.response(self.training.tokenizer, row.ids[: row.answer_from], row.ids[row.answer_from :])

    def ids(self, task: Task, book: str) -> list[int]:
        """The prompt of a task as token ids; longer than the context is an error."""
        prompt, limit = self.prompter.prompt(task, book), context(self.training.model)
        tokenizer, config = self.training.tokenizer, self.config
        return tokens.sampling_ids(prompt, tokenizer, config.chat(), limit, config.max_tokens)


@dataclass(frozen=True)
class PolicyRow(TokenRow):
    """A sampled answer behind its update prompt, with what its tokens are worth."""

    advantage: float = 0.0
    old: Any = None  # log-probabilities of its tokens before the updates; None where the ratio to them is 1


def update(trainer: Trainer, samples: Sequence[Sample], config: PolicyConfig, rate: float) -> dict[str, Any]:
    """The updates of one step; its figures."""
    known = [sample for sample in samples if sample.reward is not None]
    figures = _figures(samples, known)
    moving = policy_rows(trainer, known, config)
    if not moving:
        return figures | {"loss": 0.0, "clipped": 0.0}
    losses, clipped = [], []
    for number in range(config.passes):
        order = random.Random(f"pass:{trainer.done}:{number}").sample(moving, len(moving))
        size = -(-len(order) // config.updates)
        for start in range(0, len(order), size):
            part = order[start : start + size]
            count, cut = sum(row.learnt for row in part), list[Any]()
            losses.append(trainer.update(part, count, rate, policy_loss(trainer.torch, config, cut), begin=cut.clear))
            clipped.append(float(sum(cut)) / count)
    return figures | {"loss": statistics.fmean(losses), "clipped": statistics.fmean(clipped)}


def policy_rows(trainer: Trainer, samples: Sequence[Sample], config: PolicyConfig) -> list[PolicyRow]:
    """The rows that move the weights: those whose advantage is not 0.

    Old probabilities are taken behind the update prompt, or behind the one that an answer was sampled with (`config.old`). Where all rows are
    updated on once and together, the ratio to them is 1, and they are not computed.
    """
    worth = [(one, value) for one, value in zip(samples, advantages(samples, config.advantage), strict=True) if value]
    old: list[Any] = [None] * len(worth)
    if config.updates * config.passes > 1 or config.old == "sampling":
        seen = [one.sampled if config.old == "sampling" else one.row for one, _ in worth]
        if seen:
            values = trainer.log_probabilities(seen, config.temperature or 1.0)
            old = list(values.split([row.learnt for row in seen]))
    return [
        PolicyRow(one.row.id, one.row.ids, one.row.answer_from, one.row.loss_from, value, before)
        for (one, value), before in zip(worth, old, strict=True)
    ]


def policy_loss(torch: Any, config: PolicyConfig, cut: list[Any]) -> Loss:
    """The loss of GRPO over a pack of policy rows: less the advantage times the ratio to the old probability, clipped.

    `cut` gets the number of clipped tokens.
    """

    def loss(logits: Any, wanted: Any, pack: Sequence[Any]) -> Any:
        now = -torch.nn.functional.cross_entropy(logits / (config.temperature or 1.0), wanted, reduction="none")
        worth = torch.tensor([row.advantage for row in pack for _ in range(row.learnt)], device=now.device)
        before = now.detach() if pack[0].old is None else torch.cat([row.old for row in pack])
        ratio = (now - before).exp()
        gain = ratio * worth
        if config.epsilon:
            held = ratio.clamp(1 - config.epsilon, 1 + config.epsilon) * worth
            cut.append((held < gain).sum().detach())
            gain = torch.minimum(gain, held)
        return -gain.sum()

    return loss


def advantages(samples: Sequence[Sample], kind: str) -> list[float]:
    """What each sample is worth: against its group, or as it is."""
    groups: dict[str, list[float]] = {}
    for sample in samples:
        groups.setdefault(sample.task.id, []).append(float(sample.reward or 0.0))
    made = []
    for sample in samples:
        reward, group = float(sample.reward or 0.0), groups[sample.task.id]
        if kind == "raw":
            made.append(reward)
            continue
        value = (reward - statistics.fmean(group)) / (statistics.pstdev(group) + 1e-4)
        made.append(max(value, 0.0) if kind == "positive" else value)
    return made


def _row(task: Task, prompt: Sequence[int], answer: Sequence[int]) -> TokenRow:
    return TokenRow(task.id, (*prompt, *answer), len(prompt), len(prompt))


def rl_tasks(training: TrainingRun[RlConfig]) -> Sequence[Task]:
    """Tasks of RL: those that the starting checkpoint was not trained on, where it left some."""
    start = training.manifest.get("start", {})
    if training.method == "closed-sft-rl" and not start:
        raise ConfigError(
            "closed-sft-rl goes on from a checkpoint of closed-sft: train one with --per-function 2, then give its folder as --model"
        )
    config = training.config
    if config.examples != examples.GOLD:
        return examples.draw_limited(_selfplay_tasks(training), config.limit, config.seed)
    trained = 0
    while start and not trained:  # RL after RL after SFT: what SFT has learnt from stays out
        trained, start = int(start.get("config", {}).get("per_function", 0)), start.get("start", {})
    found = examples.training_tasks(training.world, trained or training.config.per_function, rest=bool(trained))
    if not found:
        raise ConfigError(
            f"--model {training.config.model} has learnt from {trained} tasks of each function, which leaves none for RL; "
            "start from a training with --per-function 2"
        )
    return examples.draw_limited(found, config.limit, config.seed)


def _selfplay_tasks(training: TrainingRun[RlConfig]) -> Sequence[Task]:
    """The questions of a self-play, each once: RL answers them anew."""
    config = training.config
    folder = Path(config.examples)
    if not selfplay_examples.is_selfplay_folder(folder):
        raise ConfigError(f"examples = {folder}: RL takes questions from gold (the training split) or from a self-play")
    asked = {one.task.id: one.task for one in selfplay_examples.read(folder, training.world)}
    return examples.take_per_function(list(asked.values()), config.per_function)


def tasks_of_step(tasks: Sequence[Task], config: SamplingConfig, step: int) -> list[Task]:
    """The tasks of a step: one shuffled pass over all after another. What would not fill a step is left to later passes."""
    per_pass = max(1, len(tasks) // config.tasks_per_step)
    order = random.Random(f"rl:{config.seed}:{step // per_pass}").sample(list(tasks), len(tasks))
    start = step % per_pass * config.tasks_per_step
    return order[start : start + config.tasks_per_step]


def _check_mixed_groups(training: TrainingRun[RlConfig], sampler: Sampler, judge: Judge, tasks: Sequence[Task]) -> None:
    """How many groups are mixed before anything is updated. It is looked at once: what was found stands in the manifest."""
    config, solved = training.config, f"pass_at_{training.config.pass_at}"
    count = min(config.tasks_per_step, len(tasks))
    if "mixed_groups" not in training.manifest:
        chosen = random.Random(f"look:{config.seed}").sample(list(tasks), count)
        samples = sampler.sample_and_judge(judge, chosen, config.pass_at, seed=config.seed)
        figures = _figures(samples, [sample for sample in samples if sample.reward is not None])
        training.record(**{solved: figures["solved"], "mixed_groups": figures["mixed"], "pass_at_1": figures["reward"]})
    mixed = training.manifest["mixed_groups"]
    said = f"pass@{config.pass_at} {training.manifest[solved]:.1%}, mixed groups {mixed:.1%}"
    training.progress(said, 0, config.steps)
    moving, still = (
        (training.manifest[solved], "wrong answers")
        if config.advantage == "raw"
        else (mixed, "groups that are all right or all wrong")
    )
    if moving < config.least_mixed:
        raise ConfigError(
            f"RL has nothing to learn from here: {said} of {count} tasks; {still} give no "
            "gradient. Start from a checkpoint that solves some tasks (SFT with --per-function 2), or lower --least-mixed"
        )


def _figures(samples: Sequence[Sample], known: Sequence[Sample]) -> dict[str, Any]:
    groups: dict[str, list[float]] = {}
    for sample in known:
        groups.setdefault(sample.task.id, []).append(float(sample.reward or 0.0))
    mixed = [min(group) < max(group) for group in groups.values()]
    solved = [max(group) > 0 for group in groups.values()]
    return {
        "reward": statistics.fmean([float(s.reward or 0.0) for s in known]) if known else 0.0,
        "mixed": statistics.fmean(mixed) if mixed else 0.0,
        "solved": statistics.fmean(solved) if solved else 0.0,
        "faults": len(samples) - len(known),
        "tokens": sum(len(s.row.ids) for s in known),
        "learnt": sum(s.row.learnt for s in known),
    }
