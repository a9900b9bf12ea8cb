"""RL with TRL's GRPO trainer: the methods of `rl.py` for models that need several GPUs.

    rl_trainer(model, tokenizer, questions, order, judged(judge), RlConfig(lr=1e-6), TrlSettings(), Path("out"), log)

A question has two prompts: answers are sampled with one and the weights are updated with the other; in Closed-RL the first has the book and
the second has not. Both are texts that the chat template has made (`rollout.chat.Chat`), so that the ids are those of `sebench run`.
Advantages, the tokens that count and the loss are those of `rl.py`; with one update for each batch of answers both give the same gradient
(tests/test_learn_trl.py). With several, TRL divides by the mean number of tokens of an update, `rl.py` by its own.

Covered: several processes; LoRA; answers from a vLLM server, whose importance correction is off: it would divide by the probability that
an answer had with the book. Not covered: KL to a reference, tools; the judge works when all answers of a batch are there, not meanwhile.

With one update and one pass the ratio of probabilities is 1 by definition, and nothing is ever clipped: clipping on and off are then the same
training.
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
from sebench.judge.judge import Judge
from sebench.models.chat import opening
from sebench.train.config import RlConfig
from sebench.train.loop.loop import Log
from sebench.train.rl import WARMUP
from sebench.train.trl.sft import (
    TrainerWatch,
    TrlSettings,
    callback,
    common_arguments,
    configure_trainer,
    library,
    scheduler,
)

NO_CLIPPING = 1e6  # TRL has no switch
Reward = Callable[[Sequence[str], Sequence[str]], Sequence[float | None]]  # of task ids and responses; None for a fault


@dataclass(frozen=True)
class TaskPrompts:
    """A task as the sampled model sees it, and as the updated one does."""

    task_id: str
    sampled: str
    updated: str


def judge_reward(judge: Judge) -> Reward:
    """The judge's targeted reward."""

    def reward(tasks: Sequence[str], responses: Sequence[str]) -> list[float | None]:
        return [verdict.reward() for verdict in judge.judge_many(zip(tasks, responses, strict=True))]

    return reward


def rl_trainer(
    model: Any,
    tokenizer: Any,
    questions: Sequence[TaskPrompts],
    order: Sequence[Sequence[str]],
    reward: Reward,
    config: RlConfig,
    engine: TrlSettings,
    folder: Path,
    log: Log,
) -> Any:
    """The trainer, ready to begin or to go on. `order` has the task ids of every step, as many in each."""
    trl, loop, a_step = library(), config.loop_settings(constant=True), config.updates * config.passes
    args = trl.GRPOConfig(
        **common_arguments(loop, engine, folder, len(order) * a_step), **grpo_arguments(config, engine)
    )
    _batches(args, config, len(order[0]), _longest(tokenizer, questions) + config.max_tokens)
    columns = {
        "prompt": [q.updated for q in questions],
        "sampled": [q.sampled for q in questions],
        "task": [q.task_id for q in questions],
    }
    asked = _TimedReward(reward)
    made = _trainer_class()(
        model=model,
        args=args,
        reward_funcs=[asked],
        train_dataset=import_module("datasets").Dataset.from_dict(columns),
        processing_class=tokenizer,
        callbacks=[callback(watch := _RlWatch(loop, len(order) * a_step, log, lambda done, logs: {}))],
    )
    number = {q.task_id: n for n, q in enumerate(questions)}
    made.prepare(config, [[number[task] for task in step] for step in order], asked)
    watch.trainer, watch.a_step = made, a_step
    configure_trainer(made)
    return made


def grpo_arguments(config: RlConfig, engine: TrlSettings) -> dict[str, Any]:
    """GRPO's own arguments. The sum over all tokens of a batch is divided by their number ("dapo"); no KL."""
    if config.samples < 2:
        raise ConfigError(
            "samples = 1: TRL compares the answers of a group; give --samples 2 or more, or --engine loop"
        )
    if not config.temperature:
        raise ConfigError("temperature = 0: all answers of a group would be the same; RL samples with more than 0")
    made = {
        "per_device_train_batch_size": config.samples,
        "num_generations": config.samples,
        "num_iterations": config.passes,
        "max_completion_length": config.max_tokens,
        "temperature": config.temperature,
        "epsilon": config.epsilon or NO_CLIPPING,
        "loss_type": "dapo",
        "beta": 0.0,
    }
    if engine.vllm:
        served = {"use_vllm": True, "vllm_mode": "server", "vllm_server_base_url": engine.vllm}
        # Its correction is the ratio of an answer's probabilities without and with the book, nearly 0 for a long answer.
        made |= {**served, "vllm_importance_sampling_correction": False}
    return made


def _batches(args: Any, config: RlConfig, tasks: int, longest: int) -> None:
    """How the answers of a step are shared: by processes and updates, and each share in micro-batches that fit."""
    total, sharers = tasks * config.samples, args.world_size * config.updates
    if total % sharers:
        raise ConfigError(
            f"{tasks} tasks x {config.samples} samples = {total} answers of a step cannot be shared by {args.world_size} processes "
            f"and {config.updates} updates; change --tasks-per-step"
        )
    share = total // sharers
    fitting = [n for n in range(1, share + 1) if share % n == 0 and n * longest <= config.pack_tokens]
    args.per_device_train_batch_size = max(fitting, default=1)
    args.gradient_accumulation_steps = share // args.per_device_train_batch_size
    args.steps_per_generation = args.gradient_accumulation_steps * config.updates
    args.generation_batch_size = total


def _longest(tokenizer: Any, questions: Sequence[TaskPrompts]) -> int:
    return max(len(tokenizer(q.updated, add_special_tokens=False)["input_ids"]) for q in questions)


# ---- the trainer ----------------------------------------------------------------------------------------------------------------


class _TimedReward:
    """The reward as TRL asks for it, and the time that it takes."""

    __name__ = "judge"

    def __init__(self, reward: Reward) -> None:
        self.reward, self.seconds = reward, 0.0

    def __call__(self, completions: Sequence[str], task: Sequence[str], sampled: Sequence[str], **_: Any) -> Any:
        began = time.perf_counter()
        said = [opening(prompt) + text for prompt, text in zip(sampled, completions, strict=True)]
        rewards = list(self.reward(task, said))
        self.seconds += time.perf_counter() - began
        return rewards


@cache
def _trainer_class() -> type:
    """TRL's trainer with two prompts for each question, and with our order of tasks, learning rate and advantages."""
    torch, base = import_module("torch"), library().GRPOTrainer
    pad = import_module("trl.trainer.utils").pad

    class Grpo(base):  # type: ignore[misc, valid-type]
        def prepare(self, config: RlConfig, order: list[list[int]], asked: _TimedReward) -> None:
            self.config, self.order, self.asked = config, order, asked
            self.sampled: list[str] = []
            self.sample_s = 0.0
            self.figures: dict[str, Any] = {}

        def stepped(self, done: int, last: bool) -> None:
            """Nothing to validate here."""

        def create_scheduler(self, num_training_steps: int, optimizer: Any = None) -> Any:
            optimizer = self.optimizer if optimizer is None else optimizer
            a_step = self.config.updates * self.config.passes
            share = [min(1.0, (n // a_step + 1) / WARMUP) for n in range(num_training_steps)]
            self.lr_scheduler = scheduler(optimizer, share)
            self._created_lr_scheduler = True
            return self.lr_scheduler

        def _get_train_sampler(self, dataset: Any = None) -> list[int]:
            again, group = self.num_iterations * self.args.steps_per_generation, range(self.num_generations)
            return [task for tasks in self.order for _ in range(again) for task in tasks for _ in group]

        def _tokenize_prompts(self, prompts: list[str]) -> tuple[list[list[int]], None, dict[str, Any]]:
            # The texts come from the chat template, which has written the special tokens.
            return [self._tokenizer(text, add_special_tokens=False)["input_ids"] for text in prompts], None, {}

        def _generate(self, prompts: list[str]) -> Any:
            began = time.perf_counter()
            self.sampled_ids, *found = super()._generate(self.sampled)
            self.sample_s += time.perf_counter() - began
            return (self._tokenize_prompts(prompts)[0], *found)

        def _calculate_rewards(self, *args: Any, **options: Any) -> Any:
            self.rewards = super()._calculate_rewards(*args, **options)
            return self.rewards

        def _generate_and_score_completions(self, inputs: list[dict[str, Any]]) -> dict[str, Any]:
            self.sampled = [one["sampled"] for one in inputs]
            made: dict[str, Any] = super()._generate_and_score_completions(inputs)
            first, rewards = self.accelerator.process_index * len(inputs), self.rewards[:, 0]
            mine = slice(first, first + len(inputs))
            worth = advantages(torch, rewards, self.num_generations, self.config.advantage)[mine]
            # Answers that move nothing do not count, among them those that could not be judged. TRL's mask for the tokens of tools
            # leaves tokens out of the loss, and in what is attended to.
            moving = (worth != 0).long()[:, None].expand_as(made["completion_mask"]).contiguous()
            made |= {"advantages": worth, "tool_mask": moving}
            made["num_items_in_batch"] = self._sum((made["completion_mask"] * moving).sum())
            if self.config.old == "sampling":
                made["old_per_token_logps"] = self._behind_sampled(made)
            self.figures = figures(torch, rewards, self.num_generations)
            known = (~rewards[mine].isnan()).long()[:, None]
            learnt, before = (self._sum((made[m] * known).sum()) for m in ("completion_mask", "prompt_mask"))
            self.figures |= {"tokens": int(learnt + before), "learnt": int(learnt)}
            return made

        def _sum(self, value: Any) -> Any:
            return self.accelerator.gather(value).sum()

        def _behind_sampled(self, made: Mapping[str, Any]) -> Any:
            """Log-probabilities of the answers behind the prompts that they were sampled with."""
            ids = [torch.tensor(one) for one in self.sampled_ids]
            device = self.accelerator.device
            prompt = pad(ids, padding_value=self._tokenizer.pad_token_id, padding_side="left").to(device)
            mask = pad([torch.ones_like(one) for one in ids], padding_value=0, padding_side="left").to(device)
            with torch.no_grad():
                found: Any = self._get_per_token_logps_and_entropies(
                    self.model,
                    torch.cat([prompt, made["completion_ids"]], 1),
                    torch.cat([mask, made["completion_mask"]], 1),
                    made["completion_ids"].shape[1],
                    batch_size=self.args.per_device_train_batch_size,
                )[0]
            return found

    return Grpo


def advantages(torch: Any, rewards: Any, group: int, kind: str) -> Any:
    """What each answer is worth, group after group: as `rl.advantages` has it, and 0 for one without a reward."""
    if kind == "raw":
        return rewards.nan_to_num(0.0)
    by_group = rewards.view(-1, group)
    known = ~by_group.isnan()
    mean = by_group.nanmean(1, keepdim=True)
    spread = (((by_group - mean) ** 2).nansum(1, keepdim=True) / known.sum(1, keepdim=True).clamp(min=1)).sqrt()
    made = ((by_group - mean) / (spread + 1e-4)).nan_to_num(0.0).flatten()
    return made.clamp(min=0) if kind == "positive" else made


def figures(torch: Any, rewards: Any, group: int) -> dict[str, Any]:
    """What a step's rewards say, for the log: the names are those of `rl.py`."""
    groups = [[value for value in one if value == value] for one in rewards.view(-1, group).tolist()]
    known = [one for one in groups if one]
    return {
        "reward": float(rewards.nanmean()) if known else 0.0,
        "mixed": sum(min(one) < max(one) for one in known) / max(1, len(known)),
        "solved": sum(max(one) > 0 for one in known) / max(1, len(known)),
        "faults": int(rewards.isnan().sum()),
    }


class _RlWatch(TrainerWatch):
    """A line for each batch of answers, whatever the number of its updates."""

    a_step = 1
    losses: list[Mapping[str, float]]

    def stepped(self, done: int) -> bool:
        """Only whole steps are saved: TRL does not keep the answers, and would go on with others in the middle of a step."""
        return done % self.a_step == 0 and super().stepped(done)

    def logged(self, done: int, logs: Mapping[str, float]) -> None:
        self.losses = [*getattr(self, "losses", []), dict(logs)]
        if done % self.a_step:
            return
        trainer, count = self.trainer, len(self.losses)
        made = {
            **trainer.figures,
            "loss": sum(one["loss"] for one in self.losses) / count,
            "clipped": sum(one.get("clip_ratio/region_mean", 0.0) for one in self.losses) / count,
            "sample_s": round(trainer.sample_s, 3),
            "judge_s": round(trainer.asked.seconds, 3),
        }
        least = trainer.config.least_mixed
        if done == self.a_step and made["mixed"] < least:
            raise ConfigError(
                f"RL has nothing to learn from here: {made['mixed']:.1%} of the first groups are mixed; groups that are all right or all "
                "wrong give no gradient. Start from a checkpoint that solves some tasks (SFT with --per-function 2), or lower --least-mixed"
            )
        self.losses, trainer.sample_s, trainer.asked.seconds = [], 0.0, 0.0
        self.figures = lambda done, logs: made
        super().logged(done // self.a_step, logs)
