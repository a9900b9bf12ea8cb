"""RL with TRL's GRPO trainer: the methods of `rl.py` for models that need several GPUs.

    rl_trainer(model, tokenizer, questions, order, judge_reward(judge), RlConfig(lr=1e-6), Path("out"), log)

Every task has two prompts: answers are sampled with one, and the weights are updated with the other; in Closed-RL only
the first contains the documentation (the book). Both are rendered by the chat template (`models.model.Chat`), so that
the ids are those of `sebench run`. Advantages, the tokens that count and the loss are those of `rl.py`; with one update
per batch of answers both have the same gradient (tests/test_learn_trl.py). With several, TRL divides by the mean number
of tokens per update, `rl.py` by the number in each update.

Covered: several processes; LoRA; answers from a vLLM server. TRL's importance correction is off: it would divide by the
probability that an answer had with the book.
Not covered: a KL penalty towards a reference model, tools, and judging while answers are still being sampled.

With one update and one pass the probability ratio is 1 by definition, and nothing is clipped, whatever the clipping
range.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from sebench.base.errors import ConfigError
from sebench.base.wording import counted
from sebench.judge.judge import Judge
from sebench.models.checkpoints import context
from sebench.models.model import opening
from sebench.train import rl
from sebench.train.config import PolicyConfig, RlConfig
from sebench.train.data import tokens
from sebench.train.loop.loop import Log
from sebench.train.loop.training_run import TrainingRun
from sebench.train.trl import sft as trl_sft
from sebench.train.trl.sft import TrainerWatch, callback, common_arguments, configure_trainer, library, scheduler
from sebench.world.prompts import Prompt

NO_CLIPPING = 1e6  # TRL has no switch
Reward = Callable[[Sequence[str], Sequence[str]], Sequence[float | None]]  # for task ids and responses; None on a fault


@dataclass(frozen=True)
class TaskPrompts:
    """The two rendered prompts of a task."""

    task_id: str
    sampling: str
    update: str


def train_rl(training: TrainingRun[RlConfig]) -> None:
    """Train a model by sampling answers, judging them and updating on the rewards."""
    config, books = training.config, rl.BOOKS[training.method]
    tasks = rl.rl_tasks(training)
    trl_sft.begin(training)
    prompter = config.prompter(training.world)
    questions = []
    for task in tasks:
        sampling, update = (render(training, prompter.prompt(task, book)) for book in books)
        questions.append(TaskPrompts(task.id, sampling, update))
    order = [[task.id for task in rl.tasks_of_step(tasks, config, step)] for step in range(config.steps)]
    resume_rl(training)
    with Judge(training.world) as judge:
        reward = judge_reward(judge, config.credit)
        model, tokenizer = training.model, training.tokenizer
        trainer = rl_trainer(model, tokenizer, questions, order, reward, config, training.out, training.log)
        trl_sft.fit(trainer, tokenizer, training.out)
    trl_sft.end(training)


def resume_rl(training: TrainingRun[PolicyConfig]) -> int:
    """Prepare to resume from the last checkpoint, and return the number of steps already done."""
    config = training.config
    training.total = config.steps
    done = trl_sft.steps_done(training.out) // (config.updates * config.passes)
    trl_sft.resume(training, done)
    return done


def render(training: TrainingRun[PolicyConfig], prompt: Prompt) -> str:
    """Render a prompt as text. Raise an error if it is too long for the context."""
    text = training.config.chat().apply_template(training.tokenizer, prompt)
    length = len(training.tokenizer(text, add_special_tokens=False)["input_ids"])
    tokens.check_length(prompt.task_id, length + training.config.max_tokens, context(training.model))
    return text


def judge_reward(judge: Judge, credit: str = "targeted") -> Reward:
    """Return the judge's reward as a function of tasks and responses."""

    def reward(tasks: Sequence[str], responses: Sequence[str]) -> list[float | None]:
        return [verdict.reward(credit) for verdict in judge.judge_many(zip(tasks, responses, strict=True))]

    return reward


def rl_trainer(
    model: Any,
    tokenizer: Any,
    prompts: Sequence[TaskPrompts],
    order: Sequence[Sequence[str]],
    reward: Reward,
    config: PolicyConfig,
    folder: Path,
    log: Log,
    trainer_class: Callable[[], type] | None = None,
) -> Any:
    """Return the trainer, ready to start or resume. `order` has the task ids for every step, the same number in
    each."""
    trl, step_updates = library(), config.updates * config.passes
    args = trl.GRPOConfig(**common_arguments(config, folder, len(order) * step_updates), **grpo_arguments(config))
    _batches(args, config, len(order[0]), _longest(tokenizer, prompts) + config.max_tokens)
    columns = {
        "prompt": [p.update for p in prompts],
        "sampled": [p.sampling for p in prompts],
        "task": [p.task_id for p in prompts],
    }
    timed_reward = _TimedReward(reward)
    trainer = (trainer_class or grpo_class)()(
        model=model,
        args=args,
        reward_funcs=[timed_reward],
        train_dataset=import_module("datasets").Dataset.from_dict(columns),
        processing_class=tokenizer,
        callbacks=[callback(watch := _RlWatch(config, len(order) * step_updates, log, lambda done, logs: {}))],
    )
    number = {p.task_id: n for n, p in enumerate(prompts)}
    trainer.prepare(config, [[number[task] for task in step] for step in order], timed_reward)
    watch.trainer, watch.step_updates = trainer, step_updates
    configure_trainer(trainer)
    return trainer


def grpo_arguments(config: PolicyConfig) -> dict[str, Any]:
    """Return GRPO's own arguments. The loss is summed over all tokens in a batch and divided by their number ("dapo"),
    without a KL term."""
    arguments: dict[str, Any] = {
        "per_device_train_batch_size": config.samples,
        "num_generations": config.samples,
        "num_iterations": config.passes,
        "max_completion_length": config.max_tokens,
        "temperature": config.temperature,
        "epsilon": config.epsilon or NO_CLIPPING,
        "delta": config.dual_clip or None,
        "loss_type": "dapo",
        "beta": 0.0,
    }
    if config.vllm:
        served = {"use_vllm": True, "vllm_mode": "server", "vllm_server_base_url": config.vllm}
        # The correction would be the ratio of an answer's probabilities without and with the book: nearly 0 for a long
        # answer.
        arguments |= {**served, "vllm_importance_sampling_correction": False}
    return arguments


def _batches(args: Any, config: PolicyConfig, tasks: int, longest: int) -> None:
    """Divide the answers of a step among processes and updates, and each share into micro-batches that fit."""
    check_shares(config, tasks, args.world_size)
    total = tasks * config.samples
    share = total // (args.world_size * config.updates)
    fitting = [n for n in range(1, share + 1) if share % n == 0 and n * longest <= config.pack_tokens]
    args.per_device_train_batch_size = max(fitting, default=1)
    args.gradient_accumulation_steps = share // args.per_device_train_batch_size
    args.steps_per_generation = args.gradient_accumulation_steps * config.updates
    args.generation_batch_size = total


def check_shares(config: PolicyConfig, tasks: int, processes: int) -> None:
    """Refuse a number of answers per step that cannot be divided evenly among processes and updates."""
    total = tasks * config.samples
    if total % (processes * config.updates):
        raise ConfigError(
            f"{tasks} tasks x {config.samples} samples = {total} answers per step cannot be divided evenly among "
            f"{counted(processes, 'process', 'processes')} and {counted(config.updates, 'update')}; change "
            "--tasks-per-step"
        )


def _longest(tokenizer: Any, prompts: Sequence[TaskPrompts]) -> int:
    return max(len(tokenizer(p.update, add_special_tokens=False)["input_ids"]) for p in prompts)


# ---- the trainer


class _TimedReward:
    """The reward function with TRL's signature, which also measures how long it takes."""

    __name__ = "judge"

    def __init__(self, reward: Reward) -> None:
        self.reward, self.seconds = reward, 0.0

    def __call__(self, completions: Sequence[str], task: Sequence[str], sampled: Sequence[str], **_: Any) -> Any:
        began = time.perf_counter()
        responses = [opening(prompt) + text for prompt, text in zip(sampled, completions, strict=True)]
        rewards = list(self.reward(task, responses))
        self.seconds += time.perf_counter() - began
        return rewards


@cache
def grpo_class() -> type:
    """Return TRL's trainer class with two prompts per task, and with our order of tasks, learning rate and
    advantages."""
    torch, base = import_module("torch"), library().GRPOTrainer
    pad = import_module("trl.trainer.utils").pad

    class Grpo(base):  # type: ignore[misc, valid-type]
        def prepare(self, config: PolicyConfig, order: list[list[int]], reward: _TimedReward) -> None:
            self.config, self.order, self.timed_reward = config, order, reward
            self.sampled: list[str] = []
            self.sample_s = 0.0
            self.figures: dict[str, Any] = {}

        def stepped(self, done: int, last: bool) -> None:
            """Do nothing: RL has no validation."""

        def create_scheduler(self, num_training_steps: int, optimizer: Any = None) -> Any:
            step_updates = self.config.updates * self.config.passes
            rates = [self.config.rate(n // step_updates) for n in range(num_training_steps)]
            return scheduler(self, optimizer, rates)

        def _get_train_sampler(self, dataset: Any = None) -> list[int]:
            repeats, group = self.num_iterations * self.args.steps_per_generation, range(self.num_generations)
            return [task for tasks in self.order for _ in range(repeats) for task in tasks for _ in group]

        def _tokenize_prompts(self, prompts: list[str]) -> tuple[list[list[int]], None, dict[str, Any]]:
            # The texts come from the chat template, which has already added the special tokens.
            return [self._tokenizer(text, add_special_tokens=False)["input_ids"] for text in prompts], None, {}

        def _generate(self, prompts: list[str]) -> Any:
            began = time.perf_counter()
            self.sampled_ids, *rest = super()._generate(self.sampled)
            self.sample_s += time.perf_counter() - began
            return (self._tokenize_prompts(prompts)[0], *rest)

        def _calculate_rewards(self, *args: Any, **options: Any) -> Any:
            self.rewards = super()._calculate_rewards(*args, **options)
            return self.rewards

        def _generate_and_score_completions(self, inputs: list[dict[str, Any]]) -> dict[str, Any]:
            self.sampled = [one["sampled"] for one in inputs]
            batch: dict[str, Any] = super()._generate_and_score_completions(inputs)
            first, device = self.accelerator.process_index * len(inputs), self.accelerator.device
            mine = slice(first, first + len(inputs))
            rewards = [None if value != value else value for value in self.rewards[:, 0].tolist()]
            groups = [number // self.num_generations for number in range(len(rewards))]
            values = torch.tensor(rl.advantages(groups, rewards, self.config.advantage)[mine], device=device)
            # Answers with advantage 0 do not count, among them those that could not be judged. TRL's mask for the
            # tokens of tools removes tokens from the loss, but not from attention.
            counted = (values != 0).long()[:, None].expand_as(batch["completion_mask"]).contiguous()
            batch |= {"advantages": values, "tool_mask": counted}
            batch["num_items_in_batch"] = self._sum((batch["completion_mask"] * counted).sum())
            if self.config.old == "sampling":
                batch["old_per_token_logps"] = self._sampling_logps(batch)
            self.figures = rl.reward_figures(groups, rewards)
            known = torch.tensor([[int(reward is not None)] for reward in rewards[mine]], device=device)
            learnt, before = (self._sum((batch[m] * known).sum()) for m in ("completion_mask", "prompt_mask"))
            self.figures |= {"tokens": int(learnt + before), "learnt": int(learnt)}
            return batch

        def _sum(self, value: Any) -> Any:
            return self.accelerator.gather(value).sum()

        def _sampling_logps(self, batch: Mapping[str, Any]) -> Any:
            """Return the log-probabilities of the answers, given the prompts that they were sampled with."""
            ids = [torch.tensor(one) for one in self.sampled_ids]
            device = self.accelerator.device
            prompt = pad(ids, padding_value=self._tokenizer.pad_token_id, padding_side="left").to(device)
            mask = pad([torch.ones_like(one) for one in ids], padding_value=0, padding_side="left").to(device)
            with torch.no_grad():
                logps: Any = self._get_per_token_logps_and_entropies(
                    self.model,
                    torch.cat([prompt, batch["completion_ids"]], 1),
                    torch.cat([mask, batch["completion_mask"]], 1),
                    batch["completion_ids"].shape[1],
                    batch_size=self.args.per_device_train_batch_size,
                )[0]
            return logps

    return Grpo


class _RlWatch(TrainerWatch):
    """Logs one line per batch of answers, however many updates are made on it."""

    step_updates = 1
    losses: list[Mapping[str, float]]

    def stepped(self, done: int) -> bool:
        """Return whether to save a checkpoint: only after a whole step, because TRL does not keep the answers, and
        would resume in the middle of a step with different ones."""
        return done % self.step_updates == 0 and super().stepped(done)

    def logged(self, done: int, logs: Mapping[str, float]) -> None:
        self.losses = [*getattr(self, "losses", []), dict(logs)]
        if done % self.step_updates:
            return
        trainer, count = self.trainer, len(self.losses)
        line = {
            **trainer.figures,
            "loss": sum(one["loss"] for one in self.losses) / count,
            "clipped": sum(one.get("clip_ratio/region_mean", 0.0) for one in self.losses) / count,
            "sample_s": round(trainer.sample_s, 3),
            "judge_s": round(trainer.timed_reward.seconds, 3),
        }
        least = trainer.config.least_mixed
        if done == self.step_updates and line["mixed"] < least:
            raise ConfigError(
                f"RL has nothing to learn from here: {line['mixed']:.1%} of the first groups are mixed; groups that "
                "are all correct or all "
                "wrong give no gradient. Start from a checkpoint that solves some tasks (SFT with --per-function 2), "
                "or lower --least-mixed"
            )
        self.losses, trainer.sample_s, trainer.timed_reward.seconds = [], 0.0, 0.0
        self.figures = lambda done, logs: line
        super().logged(done // self.step_updates, logs)
