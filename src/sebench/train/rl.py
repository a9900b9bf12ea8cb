"""Reinforcement learning with the judge as reward: open-rl, closed-rl and closed-sft-rl.

                    samples with   updates with
    open-rl         open book      open book
    closed-rl       open book      closed book
    closed-sft-rl   closed book    closed book     from a checkpoint of closed-sft

With the book open, the prompt contains the documentation.

As in GRPO, a group of answers to each task is sampled, and the reward of each answer is compared with those of the
others in its group. By default, only targeted answers are rewarded: those that are correct and depend on the functions
that the task is about. An answer that could not be judged for a reason outside the program has no reward: it is left
out, not counted as wrong. Answers are judged on other cores while the rest of the step is still being sampled.

RL needs mixed groups, neither all correct nor all wrong. Their share is measured before the first update, on tasks that
the starting checkpoint was not trained on if there are any, and training stops with an error if hardly any group is
mixed.

The order of this file: `train`, the choice of tasks, sampling, the check for mixed groups, and the update.
"""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable, Hashable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sebench.base.errors import ConfigError
from sebench.base.records import Task, Verdict
from sebench.base.wording import counted
from sebench.judge.judge import Judge
from sebench.models.checkpoints import context
from sebench.models.decoding import Decoder, end_tokens
from sebench.models.model import Sampling
from sebench.train.config import PolicyConfig, RlConfig, SamplingConfig
from sebench.train.data import examples, tokens
from sebench.train.data.tokens import TokenRow
from sebench.train.loop.loop import Loss, Trainer
from sebench.train.loop.training_run import TrainingRun
from sebench.world.prompts import CLOSED, OPEN, Prompt
from sebench.world.world import World

BOOKS = {"open-rl": (OPEN, OPEN), "closed-rl": (OPEN, CLOSED), "closed-sft-rl": (CLOSED, CLOSED)}  # sampling, update


@dataclass(frozen=True)
class Sample:
    """A sampled answer, its reward, and the sequence that the update is computed on."""

    task: Task
    sampled_row: TokenRow  # the answer, preceded by the prompt that it was sampled with
    update_row: TokenRow  # the answer, preceded by the update prompt
    reward: float | None = None  # None if it could not be judged


def train(training: TrainingRun[RlConfig]) -> None:
    """Train a model by sampling answers, judging them and updating on the rewards."""
    config = training.config
    tasks = rl_tasks(training)
    training.total = config.steps
    training.load()
    with Judge(training.world) as judge:
        sampler = Sampler(training, BOOKS[training.method])
        if config.pass_at:
            _check_mixed_groups(training, sampler, judge, tasks)
        trainer = training.trainer()
        for step in range(trainer.done, config.steps):
            began = time.perf_counter()
            step_tasks = tasks_of_step(tasks, config, step)
            judged = sampler.sample_and_judge(judge, step_tasks, config.samples, config.seed + 1 + step)
            samples = with_rewards(judged, config.credit)
            sample_s = time.perf_counter() - began
            rate = config.rate(step)
            figures = update(trainer, samples, config, rate)
            figures |= {"lr": rate, "sample_s": round(sample_s, 3), "judge_s": round(sampler.judge_wait_s, 3)}
            training.log(step, {**figures, "s": round(time.perf_counter() - began, 3)})
            trainer.finish_step(step, training.out, last=step + 1 == config.steps)
    training.finish()


# ---- tasks -----------------------------------------------------------------------------------------------------------


def check_start(method: str, trained: bool) -> None:
    """Refuse to start closed-sft-rl from a model that sebench has not trained."""
    if method == "closed-sft-rl" and not trained:
        raise ConfigError(
            "closed-sft-rl starts from a checkpoint of closed-sft: train one with --per-function 2, then pass its "
            "folder as --model"
        )


def rl_tasks(training: TrainingRun[RlConfig]) -> Sequence[Task]:
    """Return the tasks for RL: those that the starting checkpoint was not trained on, if there are any."""
    start = training.manifest.get("start", {})
    check_start(training.method, bool(start))
    return tasks_after(start, training.world, training.config)


def tasks_after(start: Mapping[str, Any], world: World, config: RlConfig) -> Sequence[Task]:
    """Return the tasks for RL from a checkpoint; `start` is the manifest of its training, {} if there was none."""
    if config.examples != examples.GOLD:
        return examples.draw_limited(_other_tasks(world, config), config.limit, config.seed)
    trained_on = 0
    while start and not trained_on:  # RL after RL after SFT: the tasks of the SFT stay excluded
        trained_on, start = int(start.get("config", {}).get("per_function", 0)), start.get("start", {})
    tasks = examples.training_tasks(world, trained_on or config.per_function, rest=bool(trained_on))
    if not tasks:
        raise ConfigError(
            f"--model {config.model} was trained on {counted(trained_on, 'task')} for each function, which "
            "leaves none for RL; "
            "start from a model trained with --per-function 2"
        )
    return examples.draw_limited(examples.with_reward(tasks, config.credit), config.limit, config.seed)


def _other_tasks(world: World, config: RlConfig) -> Sequence[Task]:
    """Return the questions from a self-play run, each once, or from a file of imported tasks. RL samples its own
    answers to them."""
    folder = Path(config.examples)
    if folder.is_file():
        imported = examples.imported_tasks(folder, world)
        return examples.take_per_function(examples.with_reward(imported, config.credit), config.per_function)
    if not examples.selfplay_file(folder):
        raise ConfigError(
            f"examples = {folder}: RL takes questions from gold (the training split), a self-play run or a "
            "file of imported tasks"
        )
    tasks = {example.task.id: example.task for example in examples.from_selfplay(folder, world)}
    return examples.take_per_function(list(tasks.values()), config.per_function)


def tasks_of_step(tasks: Sequence[Task], config: SamplingConfig, step: int) -> list[Task]:
    """Return the tasks for one step, from shuffled passes over all tasks. A pass skips the last tasks if they do not
    fill a step."""
    per_pass = max(1, len(tasks) // config.tasks_per_step)
    order = random.Random(f"rl:{config.seed}:{step // per_pass}").sample(list(tasks), len(tasks))
    start = step % per_pass * config.tasks_per_step
    return order[start : start + config.tasks_per_step]


# ---- sampling --------------------------------------------------------------------------------------------------------


class Sampler:
    """Samples answers with one prompt, and appends them to another prompt for the update."""

    def __init__(self, training: TrainingRun[SamplingConfig], books: tuple[str, str], model: Any = None) -> None:
        """`books` says whether the sampling prompt and the update prompt are open-book or closed-book."""
        self.training, self.config, self.books = training, training.config, books
        model = training.model if model is None else model
        bf16 = self.config.bf16(next(model.parameters()).device.type)
        self.decoder = Decoder(training.torch, model, bf16)
        self.prompter = self.config.prompter(training.world)
        self.ends = end_tokens(model, training.tokenizer)
        self.judge_wait_s = 0.0  # how long the last call waited for the judge after everything was sampled

    def sample_and_judge(
        self, judge: Judge, tasks: Sequence[Task], samples: int, seed: int
    ) -> list[tuple[Sample, Verdict]]:
        """Return samples with their verdicts. Finished answers are judged while others are still being sampled."""
        verdicts: dict[int, Future[Verdict]] = {}

        def submit(number: int, sample: Sample) -> None:
            verdicts[number] = judge.submit(sample.task, self.text(sample))

        sampled = self.sample(tasks, samples, seed, submit)
        began = time.perf_counter()
        judged = [(sample, verdicts[number].result()) for number, sample in enumerate(sampled)]
        self.judge_wait_s = time.perf_counter() - began
        return judged

    def sample(
        self,
        tasks: Sequence[Task],
        samples: int,
        seed: int,
        ended: Callable[[int, Sample], None] = lambda number, sample: None,
    ) -> list[Sample]:
        """Sample answers to tasks, group by group. `ended` is called with each answer as soon as it is finished."""
        prompts, update_prompts = (
            [self.ids(self.prompter.prompt(task, book)) for task in tasks] for book in self.books
        )
        max_tokens, sampling = [self.config.max_tokens] * len(prompts), Sampling(self.config.temperature)

        def sample(number: int, answer: Sequence[int]) -> Sample:
            group = number // samples
            task = tasks[group]
            return Sample(
                task, _token_row(task, prompts[group], answer), _token_row(task, update_prompts[group], answer)
            )

        answers = self.decoder.generate(
            prompts, max_tokens, self.ends, sampling, seed, samples, lambda n, answer: ended(n, sample(n, answer))
        )
        return [sample(number, answer) for number, answer in enumerate(answers)]

    def text(self, sample: Sample) -> str:
        """Return the answer as text."""
        row = sample.sampled_row
        return tokens.response(self.training.tokenizer, row.ids[: row.answer_from], row.ids[row.answer_from :])

    def ids(self, prompt: Prompt) -> list[int]:
        """Return a prompt as token ids. Raise an error if it is too long for the context."""
        config, limit = self.config, context(self.training.model)
        return tokens.sampling_ids(prompt, self.training.tokenizer, config.chat(), limit, config.max_tokens)


def with_rewards(judged: Sequence[tuple[Sample, Verdict]], credit: str) -> list[Sample]:
    """Return the samples with the rewards from their verdicts."""
    return [replace(sample, reward=verdict.reward(credit)) for sample, verdict in judged]


def _token_row(task: Task, prompt: Sequence[int], answer: Sequence[int]) -> TokenRow:
    return TokenRow(task.id, (*prompt, *answer), len(prompt))


def _check_mixed_groups(training: TrainingRun[RlConfig], sampler: Sampler, judge: Judge, tasks: Sequence[Task]) -> None:
    """Refuse to train if hardly any group is mixed. The share is measured once, before the first update, and recorded
    in the manifest."""
    config, solved = training.config, f"pass_at_{training.config.pass_at}"
    count = min(config.tasks_per_step, len(tasks))
    if "mixed_groups" not in training.manifest:
        drawn_tasks = random.Random(f"look:{config.seed}").sample(list(tasks), count)
        judged = sampler.sample_and_judge(judge, drawn_tasks, config.pass_at, config.seed)
        samples = with_rewards(judged, config.credit)
        figures = _figures(samples)
        training.record(**{solved: figures["solved"], "mixed_groups": figures["mixed"], "pass_at_1": figures["reward"]})
    mixed = training.manifest["mixed_groups"]
    summary = f"pass@{config.pass_at} {training.manifest[solved]:.1%} and mixed groups {mixed:.1%}"
    training.progress(summary, 0, config.steps)
    useful, useless = (
        (training.manifest[solved], "wrong answers")
        if config.advantage == "raw"
        else (mixed, "groups that are all correct or all wrong")
    )
    if useful < config.least_mixed:
        raise ConfigError(
            f"RL has nothing to learn from here: {summary}, measured on {counted(count, 'task')}; {useless} give no "
            "gradient. Start from a checkpoint that solves some tasks (SFT with --per-function 2), or lower "
            "--least-mixed"
        )


# ---- the update ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class PolicyRow(TokenRow):
    """A sampled answer, preceded by its update prompt, with its advantage."""

    advantage: float = 0.0
    old_logps: Any = None  # log-probabilities of its tokens before the updates; None if the ratio is 1


def update(trainer: Trainer, samples: Sequence[Sample], config: PolicyConfig, rate: float) -> dict[str, Any]:
    """Do the updates of one step, and return the step's figures for the log."""
    judged = [sample for sample in samples if sample.reward is not None]
    figures = _figures(samples)
    policy = policy_rows(trainer, judged, config)
    if not policy:
        return figures | {"loss": 0.0, "clipped": 0.0}
    losses, clipped = [], []
    for number in range(config.passes):
        order = random.Random(f"pass:{trainer.done}:{number}").sample(policy, len(policy))
        size = -(-len(order) // config.updates)
        for start in range(0, len(order), size):
            batch = order[start : start + size]
            count, clip_counts = sum(row.learnt for row in batch), list[Any]()
            loss = policy_loss(trainer.torch, config, clip_counts)
            losses.append(trainer.update(batch, count, rate, loss, begin=clip_counts.clear))
            clipped.append(float(sum(clip_counts)) / count)
    return figures | {"loss": statistics.fmean(losses), "clipped": statistics.fmean(clipped)}


def policy_rows(trainer: Trainer, samples: Sequence[Sample], config: PolicyConfig) -> list[PolicyRow]:
    """Return the rows whose advantage is not 0; only these change the weights.

    Old probabilities are computed after the update prompt, or after the prompt that an answer was sampled with
    (`config.old`). If every row is used once, in a single update, the ratio to them is 1, and they are not computed.
    """
    values = advantages([one.task.id for one in samples], [one.reward for one in samples], config.advantage)
    weighted = [(sample, value) for sample, value in zip(samples, values, strict=True) if value]
    old_logps: list[Any] = [None] * len(weighted)
    if weighted and (config.updates * config.passes > 1 or config.old == "sampling"):
        rows = [sample.sampled_row if config.old == "sampling" else sample.update_row for sample, _ in weighted]
        logps = trainer.log_probabilities(rows, config.temperature or 1.0)
        old_logps = list(logps.split([row.learnt for row in rows]))
    return [
        PolicyRow(row.id, row.ids, row.answer_from, value, old)
        for (row, value), old in zip(((one.update_row, value) for one, value in weighted), old_logps, strict=True)
    ]


def policy_loss(torch: Any, config: PolicyConfig, clip_counts: list[Any]) -> Loss:
    """Return GRPO's loss function for a pack of policy rows: minus the advantage times the clipped ratio of a token's
    probability to its old one, summed over tokens.

    The number of clipped tokens is appended to `clip_counts`.
    """

    def loss(logits: Any, targets: Any, pack: Sequence[Any]) -> Any:
        logps = -torch.nn.functional.cross_entropy(logits / (config.temperature or 1.0), targets, reduction="none")
        advantage = torch.tensor([row.advantage for row in pack for _ in range(row.learnt)], device=logps.device)
        old_logps = logps.detach() if pack[0].old_logps is None else torch.cat([row.old_logps for row in pack])
        ratio = (logps - old_logps).exp()
        gain = ratio * advantage
        if config.epsilon:
            clipped_gain = ratio.clamp(1 - config.epsilon, 1 + config.epsilon) * advantage
            clip_counts.append((clipped_gain < gain).sum().detach())
            if config.dual_clip:
                gain = ratio.clamp(max=config.dual_clip) * advantage
            gain = torch.minimum(gain, clipped_gain)
        return -gain.sum()

    return loss


def advantages(groups: Sequence[Hashable], rewards: Sequence[float | None], kind: str) -> list[float]:
    """Return the advantage of each answer: its reward normalised within its group ("group"), the same with negative
    values set to 0 ("positive"), or the reward itself ("raw"). An answer without a reward has advantage 0."""
    by_group, values = _by_group(groups, rewards), []
    for group, reward in zip(groups, rewards, strict=True):
        if reward is None or kind == "raw":
            values.append(reward or 0.0)
            continue
        others = by_group[group]
        value = (reward - statistics.fmean(others)) / (statistics.pstdev(others) + 1e-4)
        values.append(max(value, 0.0) if kind == "positive" else value)
    return values


def reward_figures(groups: Sequence[Hashable], rewards: Sequence[float | None]) -> dict[str, Any]:
    """Return the figures about a step's rewards for the log."""
    known = list(_by_group(groups, rewards).values())
    return {
        "reward": statistics.fmean([reward for group in known for reward in group] or [0.0]),
        "mixed": statistics.fmean([min(group) < max(group) for group in known] or [0.0]),
        "solved": statistics.fmean([max(group) > 0 for group in known] or [0.0]),
        "faults": rewards.count(None),
    }


def _by_group(groups: Sequence[Hashable], rewards: Sequence[float | None]) -> dict[Hashable, list[float]]:
    """Return the known rewards of each group."""
    known: dict[Hashable, list[float]] = {}
    for group, reward in zip(groups, rewards, strict=True):
        if reward is not None:
            known.setdefault(group, []).append(reward)
    return known


def _figures(samples: Sequence[Sample]) -> dict[str, Any]:
    rows = [sample.update_row for sample in samples if sample.reward is not None]
    figures = reward_figures([one.task.id for one in samples], [one.reward for one in samples])
    return {**figures, "tokens": sum(len(row.ids) for row in rows), "learnt": sum(row.learnt for row in rows)}
