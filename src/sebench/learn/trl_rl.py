"""RL with TRL's GRPO trainer: Open-RL, Closed-RL and RL without the book, and the ablations of the paper.

    fit_rl(model, tokenizer, questions, judged(judge), LoopSettings(lr=1e-6), GrpoSettings(), Path("out"))

A question has two prompts: answers are sampled with one and the weights are updated with the other; in Closed-RL the first has the book and
the second has not. Both are texts that the chat template has made (`rollout.chat.Chat`), so that the ids are those of `sebench run`.

Covered: advantages of the group, raw rewards, positive advantages alone; clipping that can happen (with `updates` above 1, see below) or
none; several processes; answers from a vLLM server, whose importance correction is off: it would divide by the probability that an answer had
with the book. Not covered: KL to a reference, tools, answers of several turns; the judge works after all answers of a batch are there.

With one update for each batch the ratio of probabilities is 1 by definition, and nothing is ever clipped; so clipping on and off are the same
training, and only `updates` above 1 tell them apart.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from sebench.errors import ConfigError
from sebench.judge.judge import Judge
from sebench.learn.loop import LOG, LoopSettings
from sebench.learn.trl import TrlSettings, common_arguments, last_checkpoint, library, on_cpu, quiet, save, scheduler

GROUP, RAW, POSITIVE = ADVANTAGES = ("group", "raw", "positive")
NO_CLIPPING = 1e6  # TRL has no switch
Reward = Callable[[Sequence[str], Sequence[str]], Sequence[float | None]]  # of task ids and responses; None for a fault


@dataclass(frozen=True)
class Question:
    """A task as the sampled model sees it, and as the updated one does."""

    task_id: str
    sampled: str
    updated: str


@dataclass(frozen=True)
class GrpoSettings:
    """How answers are drawn and what they are worth."""

    steps: int = 100  # batches of answers
    tasks_per_step: int = 32
    samples: int = 8  # answers for each task
    temperature: float = 1.0
    max_tokens: int = 512  # of an answer
    advantage: str = GROUP
    clip: float = 0.2  # the ratio of probabilities stays within 1 - clip and 1 + clip; 0 for no clipping
    updates: int = 1  # passes over a batch of answers
    vllm: str = ""  # address of a vLLM server that answers

    def __post_init__(self) -> None:
        if self.advantage not in ADVANTAGES:
            raise ConfigError(f"advantage = {self.advantage!r}: {', '.join(ADVANTAGES)}")
        for name, least in {
            "steps": 1,
            "tasks_per_step": 1,
            "samples": 2,
            "max_tokens": 1,
            "clip": 0,
            "updates": 1,
        }.items():
            if getattr(self, name) < least:
                raise ConfigError(f"{name} = {getattr(self, name)}: at least {least}")


def judged(judge: Judge, opening: str = "") -> Reward:
    """The judge's targeted reward. `opening` is what the chat template has already written of a response."""

    def reward(tasks: Sequence[str], responses: Sequence[str]) -> list[float | None]:
        pairs = ((task, opening + response) for task, response in zip(tasks, responses, strict=True))
        return [verdict.reward("targeted") for verdict in judge.judge_many(pairs)]

    return reward


def fit_rl(
    model: Any,
    tokenizer: Any,
    questions: Sequence[Question],
    reward: Reward,
    loop: LoopSettings,
    settings: GrpoSettings,
    folder: Path,
    engine: TrlSettings | None = None,
    tell: Callable[[int, Mapping[str, float]], None] | None = None,
) -> Any:
    """Train, and leave a Hugging Face folder. `tell` gets every line of the log."""
    trainer = rl_trainer(model, tokenizer, questions, reward, loop, settings, folder, engine, tell)
    torch = import_module("torch")
    try:
        trainer.train(resume_from_checkpoint=last_checkpoint(folder))
    except torch.OutOfMemoryError:
        raise ConfigError(
            f"too little memory for {settings.tasks_per_step} x {settings.samples} answers; lower tasks_per_step or micro_tokens, "
            "recompute activations (--checkpointing), or answer with a vLLM server"
        ) from None
    save(trainer, tokenizer, folder)
    return trainer


def rl_trainer(
    model: Any,
    tokenizer: Any,
    questions: Sequence[Question],
    reward: Reward,
    loop: LoopSettings,
    settings: GrpoSettings,
    folder: Path,
    engine: TrlSettings | None = None,
    tell: Callable[[int, Mapping[str, float]], None] | None = None,
) -> Any:
    """The trainer, ready to begin or to go on."""
    trl, engine = library(), engine or TrlSettings()
    longest = (
        max(len(tokenizer(q.updated, add_special_tokens=False)["input_ids"]) for q in questions) + settings.max_tokens
    )
    updates = settings.steps * settings.updates
    args = trl.GRPOConfig(
        **common_arguments(loop, folder, updates, engine.checkpointing, on_cpu(engine.device)), **_arguments(settings)
    )
    batch = _batch(settings, args.world_size, longest, loop.micro_tokens)
    args.per_device_train_batch_size = batch
    args.gradient_accumulation_steps = settings.tasks_per_step * settings.samples // (args.world_size * batch)
    args.steps_per_generation = args.gradient_accumulation_steps
    args.generation_batch_size = settings.tasks_per_step * settings.samples
    watch = _Watch(reward, loop, updates, folder, tell)
    columns = {
        "prompt": [q.updated for q in questions],
        "sampled": [q.sampled for q in questions],
        "task": [q.task_id for q in questions],
    }
    made = _trainer_class()(
        model=model,
        args=args,
        reward_funcs=[watch.reward],
        train_dataset=import_module("datasets").Dataset.from_dict(columns),
        processing_class=tokenizer,
        callbacks=[_callback(watch)],
    )
    made.prepare(loop, settings, task_order(len(questions), settings.tasks_per_step, settings.steps, loop.seed), watch)
    quiet(made)
    return made


def _arguments(settings: GrpoSettings) -> dict[str, Any]:
    """GRPO's own arguments. The sum over all tokens of a batch is divided by their number ("dapo")."""
    made = {
        "per_device_train_batch_size": settings.samples,
        "num_generations": settings.samples,
        "num_iterations": settings.updates,
        "max_completion_length": settings.max_tokens,
        "temperature": settings.temperature,
        "epsilon": settings.clip or NO_CLIPPING,
        "loss_type": "dapo",
        "beta": 0.0,
        "remove_unused_columns": False,
    }
    if settings.vllm:
        served = {"use_vllm": True, "vllm_mode": "server", "vllm_server_base_url": settings.vllm}
        # Its correction is the ratio of an answer's probabilities without and with the book, nearly 0 for a long answer.
        made |= {**served, "vllm_importance_sampling_correction": False}
    return made


def _batch(settings: GrpoSettings, processes: int, longest: int, micro_tokens: int) -> int:
    """Answers of a micro-batch: as many as fit, of those numbers that divide what a process has."""
    total = settings.tasks_per_step * settings.samples
    if total % processes:
        raise ConfigError(
            f"tasks_per_step x samples = {total} answers cannot be shared by {processes} processes; choose a multiple"
        )
    local = total // processes
    return max(n for n in range(1, local + 1) if local % n == 0 and (n == 1 or n * longest <= micro_tokens))


def task_order(tasks: int, per_step: int, steps: int, seed: int) -> list[list[int]]:
    """The tasks of every step: shuffled passes over all of them, one after the other, so that none is left out."""
    order: list[int] = []
    turn = 0
    while len(order) < per_step * steps:
        whole = list(range(tasks))
        random.Random(f"tasks:{seed}:{turn}").shuffle(whole)
        order, turn = order + whole, turn + 1
    return [order[per_step * n : per_step * (n + 1)] for n in range(steps)]


# ---- the trainer ----------------------------------------------------------------------------------------------------------------


@cache
def _trainer_class() -> type:
    """TRL's trainer with two prompts for each question, and with our order of tasks, learning rate and advantages."""
    torch, base = import_module("torch"), library().GRPOTrainer

    class Grpo(base):  # type: ignore[misc, valid-type]
        def prepare(self, loop: LoopSettings, settings: GrpoSettings, order: list[list[int]], watch: _Watch) -> None:
            self.loop, self.chosen, self.order, self.watch = loop, settings, order, watch
            self.sampled: list[str] = []

        def create_scheduler(self, num_training_steps: int, optimizer: Any = None) -> Any:
            optimizer = self.optimizer if optimizer is None else optimizer
            self.lr_scheduler = scheduler(torch, optimizer, self.loop, num_training_steps)
            self._created_lr_scheduler = True
            return self.lr_scheduler

        def _get_train_sampler(self, dataset: Any = None) -> list[int]:
            again = self.num_iterations * self.args.steps_per_generation
            n = self.num_generations
            return [task for tasks in self.order for _ in range(again) for task in tasks for _ in range(n)]

        def _tokenize_prompts(self, prompts: list[str]) -> tuple[list[list[int]], None, dict[str, Any]]:
            # The texts come from the chat template, which has written the special tokens.
            return [self._tokenizer(text, add_special_tokens=False)["input_ids"] for text in prompts], None, {}

        def _generate(self, prompts: list[str]) -> Any:
            began = time.perf_counter()
            found = super()._generate(self.sampled)
            self.watch.sample_s += time.perf_counter() - began
            return (self._tokenize_prompts(prompts)[0], *found[1:])

        def _calculate_rewards(self, *args: Any, **options: Any) -> Any:
            self.rewards = super()._calculate_rewards(*args, **options)
            return self.rewards

        def _generate_and_score_completions(self, inputs: list[dict[str, Any]]) -> dict[str, Any]:
            self.sampled = [one["sampled"] for one in inputs]
            made: dict[str, Any] = super()._generate_and_score_completions(inputs)
            first = self.accelerator.process_index * len(inputs)
            rewards = self.rewards[first : first + len(inputs), 0]
            if self.chosen.advantage == RAW:
                made["advantages"] = rewards.nan_to_num(0.0)
            elif self.chosen.advantage == POSITIVE:
                made["advantages"] = made["advantages"].clamp(min=0)
            # An answer that could not be judged is as if it had not been drawn: its tokens do not count either. TRL's mask for
            # tokens of tools leaves them out of the loss, and in what is attended to.
            judged = (~rewards.isnan()).long()[:, None].expand_as(made["completion_mask"]).contiguous()
            made["tool_mask"] = judged
            made["num_items_in_batch"] = self.accelerator.gather((made["completion_mask"] * judged).sum()).sum()
            return made

    return Grpo


# ---- the log --------------------------------------------------------------------------------------------------------------------


class _Watch:
    """Asks for rewards, measures what takes time, and writes the log's lines."""

    def __init__(
        self,
        reward: Reward,
        loop: LoopSettings,
        updates: int,
        folder: Path,
        tell: Callable[[int, Mapping[str, float]], None] | None,
    ) -> None:
        self.ask, self.loop, self.updates, self.file, self.tell = reward, loop, updates, folder / LOG, tell
        self.began = time.perf_counter()
        self.judge_s = self.sample_s = 0.0

    def reward(self, completions: Sequence[str], task: Sequence[str], **others: Any) -> list[float | None]:
        began = time.perf_counter()
        rewards = list(self.ask(task, completions))
        self.judge_s += time.perf_counter() - began
        return rewards

    def logged(self, done: int, logs: Mapping[str, float], first: bool) -> None:
        now = time.perf_counter()
        line: dict[str, float] = {"step": done - 1, "loss": logs["loss"], "lr": self.loop.rate(done - 1, self.updates)}
        if "reward" in logs:  # of a new batch of answers
            line |= {"reward": logs["reward"], "mixed": 1 - logs["frac_reward_zero_std"]}
        line |= {"clipped": logs.get("clip_ratio/region_mean", 0.0), "tokens": logs.get("num_tokens", 0.0)}
        line |= {"s": now - self.began, "judge_s": self.judge_s, "sample_s": self.sample_s}
        self.began, self.judge_s, self.sample_s = now, 0.0, 0.0
        if first:
            with self.file.open("a", encoding="utf-8") as log:
                log.write(json.dumps({key: round(value, 8) for key, value in line.items()}) + "\n")
            if self.tell:
                self.tell(done, line)


def _callback(watch: _Watch) -> Any:
    """The watch as a callback of transformers."""
    base = import_module("transformers").TrainerCallback

    class Callback(base):  # type: ignore[misc, valid-type]
        def on_train_begin(self, args: Any, state: Any, control: Any, **others: Any) -> None:
            watch.began = time.perf_counter()

        def on_log(
            self, args: Any, state: Any, control: Any, logs: Mapping[str, float] | None = None, **others: Any
        ) -> None:
            if logs and "loss" in logs:
                watch.logged(state.global_step, logs, state.is_world_process_zero)

    return Callback()
