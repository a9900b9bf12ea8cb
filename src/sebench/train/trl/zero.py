"""Absolute Zero with TRL's GRPO trainer: `absolute_zero.py` for models that need several GPUs.

TRL requires batches of equal size. A step has two groups for each of its functions, side by side: the proposals for the
function, and the answers to one question. All proposals that pass the gates are solved, since their reward depends on
the solve rate. The update uses the answers to as many questions as there are functions; groups of answers with
different rewards are chosen first, since other groups have advantage 0. A group for which there is no question has no
reward, and so plays no part in the loss.

Every process samples its share. The first one runs the gates and the judge, and sends its decisions to the others.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any

from sebench.author.pipeline import GateLog
from sebench.base.errors import ConfigError
from sebench.base.records import Task
from sebench.base.wording import counted
from sebench.judge.judge import Judge
from sebench.models.model import opening
from sebench.train.absolute_zero import GATE_LOG, Decided, ProposalGates, Rewards, assign_rewards, step_prompts
from sebench.train.config import ZeroConfig
from sebench.train.loop.training_run import TrainingRun
from sebench.train.proposals.gating import Gates
from sebench.train.trl import sft as trl_sft
from sebench.train.trl.rl import TaskPrompts, grpo_class, render, resume_rl, rl_trainer
from sebench.world.prompts import OPEN

ANSWERS = "answers"  # the dataset's item for a group of answers


def train_zero(training: TrainingRun[ZeroConfig]) -> None:
    """Train with Absolute Zero: propose, solve, update. The first process runs the gates and the judge."""
    config = training.config
    trl_sft.begin(training)
    requests = [step_prompts(training.world, config, step) for step in range(config.steps)]
    questions = [TaskPrompts(ANSWERS, "", "")]
    for step, prompts in enumerate(requests):
        for function, prompt in prompts.items():
            text = render(training, prompt)
            questions.append(TaskPrompts(f"{step}/{function}", text, text))
    order = [[name for f in prompts for name in (f"{n}/{f}", ANSWERS)] for n, prompts in enumerate(requests)]
    done, tokenizer = resume_rl(training), training.tokenizer
    with referee(training) as at_first:
        if at_first is not None:
            at_first.gates.remember(done)
        trainer = rl_trainer(
            training.model, tokenizer, questions, order, no_reward, config, training.out, training.log, zero_class
        )
        trainer.begin(training, at_first, [list(prompts) for prompts in requests])
        trl_sft.fit(trainer, tokenizer, training.out)
    trl_sft.end(training)


@dataclass(frozen=True)
class StepRewards:
    """What the first process sends to the others about a step."""

    proposals: Rewards
    answers: list[Rewards]  # by question
    chosen: list[int]  # the questions whose answers enter the update
    figures: dict[str, float]


@dataclass
class Referee:
    """The gates and the judge of the first process."""

    gates: ProposalGates
    judge: Judge
    config: ZeroConfig

    def reward(self, decided: Decided, questions: Sequence[Task], texts: Sequence[str]) -> StepRewards:
        """Return the rewards for a step; `texts` are the answers, question by question."""
        count = self.config.samples
        tasks = [task for task in questions for _ in range(count)]
        verdicts = self.judge.judge_many(zip(tasks, texts, strict=True))
        answers = list(zip((task.id for task in tasks), verdicts, strict=True))
        proposals, solved, figures = assign_rewards(decided, answers, self.config.credit)
        groups = [solved[start : start + count] for start in range(0, len(solved), count)]
        mixed = [len(set(filter(lambda value: value is not None, group))) > 1 for group in groups]
        chosen = sorted(range(len(groups)), key=lambda number: not mixed[number])[: len(decided) // count]
        return StepRewards(proposals, groups, chosen, figures)


def check_shares(config: ZeroConfig, functions: int, processes: int) -> None:
    """Refuse a number of functions per step that cannot be divided among the processes. `functions` is the number in
    the world: a step has no more, however many are asked for."""
    count = min(config.tasks_per_step, functions)
    if count % processes:
        fitting = max(count // processes, 1) * processes
        step = f"set --tasks-per-step {fitting}" if fitting <= functions else f"use at most {functions} processes"
        raise ConfigError(
            f"{counted(count, 'function')} per step (tasks_per_step = {config.tasks_per_step}, world: {functions}) "
            f"cannot be divided among {processes} processes; {step}"
        )


@contextmanager
def referee(training: TrainingRun[ZeroConfig]) -> Iterator[Referee | None]:
    """Yield the referee in the first process, and None in the others."""
    config, world = training.config, training.world
    check_shares(config, len(world.names.functions), int(os.environ.get("WORLD_SIZE", "1")))
    if not training.is_main:
        yield None
        return
    with (
        Judge(world) as judge,
        Gates(world, config.seed, prompts=config.prompts) as gates,
        GateLog(training.out / GATE_LOG) as log,
    ):
        yield Referee(ProposalGates(gates, log, config.samples), judge, config)


def no_reward(tasks: Sequence[str], responses: Sequence[str]) -> list[float | None]:
    """Return no rewards: TRL requires a reward function, but the rewards are computed when the answers are sampled."""
    return [None] * len(tasks)


@cache
def zero_class() -> type:
    """Return the class of the RL trainer, changed to sample both the proposals and the answers of a step."""
    torch, grpo, shared = import_module("torch"), grpo_class(), import_module("accelerate.utils")
    generate = grpo.__mro__[1]._generate  # type: ignore[attr-defined]

    class Zero(grpo):  # type: ignore[misc, valid-type]
        def begin(
            self, training: TrainingRun[ZeroConfig], referee: Referee | None, functions: Sequence[Sequence[str]]
        ) -> None:
            self.training, self.referee, self.functions = training, referee, functions
            self.prompter = training.config.prompter(training.world)

        def _generate(self, prompts: list[str]) -> Any:
            step = self.state.global_step // (self.config.updates * self.config.passes)
            count = self.num_generations
            mine = [n for n in range(len(self.sampled)) if n // count % 2 == 0]  # the rows of proposals
            proposals = list(generate(self, [self.sampled[n] for n in mine]))
            texts = [opening(self.sampled[n]) + text for n, text in zip(mine, proposals[3], strict=True)]
            every = shared.gather_object(texts)
            decided, questions = self._tell(lambda at: at.gates.decide(step, self.functions[step], every))
            answers = self._solve(questions)
            texts_of_answers = [answer[2] for answer in answers]
            rewards = self._tell(lambda at: at.reward(decided, questions, texts_of_answers))
            self.zero_figures, self.zero_rewards = rewards.figures, self._rewards(rewards, len(every) // count)
            rows = self._rows(proposals, answers, rewards.chosen)
            ids, completions, texts, logps = (list(column) for column in zip(*rows, strict=True))
            return ids, completions, None, texts, None if None in logps else logps, *proposals[5:]

        def _tell(self, decide: Any) -> Any:
            """Broadcast a decision of the first process to all of them."""
            decision = [decide(self.referee) if self.referee is not None else None]
            return shared.broadcast_object_list(decision)[0]

        def _solve(self, questions: Sequence[Task]) -> list[tuple[Any, ...]]:
            """Sample answers to all questions, group by group. Return the prompt, answer, text and log-probabilities of
            each."""
            if not questions:
                return []
            processes, count = self.accelerator.num_processes, self.num_generations
            share = -(-len(questions) // processes)
            padded = [*questions, *[questions[0]] * (share * processes - len(questions))]
            start = self.accelerator.process_index * share
            mine = [render(self.training, self.prompter.prompt(task, OPEN)) for task in padded[start : start + share]]
            texts = [text for text in mine for _ in range(count)]
            ids, completions, _, replies, logps, *_ = generate(self, texts)
            replies = [opening(prompt) + text for prompt, text in zip(texts, replies, strict=True)]
            rows = list(zip(ids, completions, replies, logps or [None] * len(texts), strict=True))
            every: list[tuple[Any, ...]] = shared.gather_object(rows)
            return every[: len(questions) * count]

        def _rewards(self, rewards: StepRewards, functions: int) -> Any:
            """Return the rewards for the rows of all processes."""
            count, values = self.num_generations, list[float | None]()
            for number in range(functions):
                values += rewards.proposals[number * count : (number + 1) * count]
                there = number < len(rewards.chosen)
                values += rewards.answers[rewards.chosen[number]] if there else [None] * count
            known = [float("nan") if value is None else value for value in values]
            return torch.tensor(known, device=self.accelerator.device)[:, None]

        def _rows(self, proposals: Sequence[Any], answers: Sequence[Any], chosen: Sequence[int]) -> list[Any]:
            """Return the rows of this process: groups of proposals alternating with groups of answers."""
            ids, completions, _, texts, logps, *_ = proposals
            own = list(zip(ids, completions, texts, logps or [None] * len(ids), strict=True))
            count, rows = self.num_generations, list[Any]()
            functions = len(own) // count
            for number in range(functions):
                group = own[number * count : (number + 1) * count]
                place = self.accelerator.process_index * functions + number
                first = chosen[place] * count if place < len(chosen) else None
                rows += [*group, *(group if first is None else answers[first : first + count])]
            return rows

        def _calculate_rewards(self, *args: Any, **options: Any) -> Any:
            self.rewards = self.zero_rewards
            return self.rewards

        def _generate_and_score_completions(self, inputs: list[dict[str, Any]]) -> dict[str, Any]:
            batch: dict[str, Any] = super()._generate_and_score_completions(inputs)
            self.figures |= self.zero_figures
            return batch

    return Zero
