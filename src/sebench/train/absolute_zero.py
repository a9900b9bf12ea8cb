"""Absolute Zero (arXiv:2505.03335) on a world: one model proposes tasks from the pages and solves them, both with the
book open (the documentation in the prompt), and is trained by RL.

Each step draws some functions. For each, a group of proposals is sampled from one prompt; every proposal that passes
the gates is solved by a group of answers with the book open. The rewards are in `proposals/selection.py`. Advantages
are computed within a group, which is the proposals for one function or the answers to one question: so the two roles
are never compared with each other, and one update trains both.

    proposal    1 - solve rate, 0 if no answer is correct; -0.5 if a gate rejects it, -1 if it is malformed
    answer      1 if correct and targeted, -0.5 if wrong, -1 if there is no program in it

The published result is 0 with the book closed, because every update has the book in its prompt. `open-rl` has the same
limit. This method exists to reproduce that result.

    log.jsonl       as in RL, plus proposer_reward, solver_reward, and how many proposals were made and passed
    gates.jsonl     the result of each gate, as in a self-play run

Not covered: Absolute Zero's three kinds of tasks (deduction, abduction, induction), and its running normalisation by
task and role.
"""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from dataclasses import replace
from statistics import fmean

from sebench.author import proposals
from sebench.author.pipeline import GateLog
from sebench.author.proposals import Proposal
from sebench.base.records import Kind, Task, Verdict
from sebench.judge.judge import Judge
from sebench.models.model import Sampling
from sebench.train import rl
from sebench.train.config import ZeroConfig
from sebench.train.data import tokens
from sebench.train.data.tokens import TokenRow
from sebench.train.loop.training_run import TrainingRun
from sebench.train.proposals.gating import TIER, Gates
from sebench.train.proposals.selection import JudgedQuestion, proposer_reward, solver_reward
from sebench.train.rl import Sample, Sampler
from sebench.world.prompts import OPEN, Prompt
from sebench.world.world import World

GATE_LOG = "gates.jsonl"
UNREADABLE = frozenset({Kind.NO_CODE, Kind.SYNTAX})
PARSE = "parse"


# For every proposal: the id of its question ("" if a gate rejected it), and whether it is well-formed.
Decided = list[tuple[str, bool]]
Rewards = list[float | None]  # None if nothing could be judged


def assign_rewards(
    decided: Decided, answers: Sequence[tuple[str, Verdict]], credit: str
) -> tuple[Rewards, Rewards, dict[str, float]]:
    """Return the rewards of a step's proposals and of its answers, which depend on the role, and the step's figures for
    the log. `answers` are question ids with verdicts."""
    by_question: dict[str, list[bool | None]] = {}
    solved: Rewards = []
    for id, verdict in answers:
        reward = verdict.reward(credit)
        right = None if reward is None else bool(reward)
        by_question.setdefault(id, []).append(right)
        solved.append(solver_reward(right, verdict.kind not in UNREADABLE))
    proposed: Rewards = []
    for id, readable in decided:
        question = JudgedQuestion(id, "", (), tuple(by_question.get(id, ()))) if id else None
        proposed.append(proposer_reward(question, readable))
    first, second = (fmean([one for one in rewards if one is not None] or [0.0]) for rewards in (proposed, solved))
    passed = sum(bool(id) for id, _ in decided)
    figures = {"proposer_reward": first, "solver_reward": second, "proposals": len(decided), "passed": passed}
    return proposed, solved, figures


def train(training: TrainingRun[ZeroConfig]) -> None:
    """Train a model by proposing tasks, solving them and updating on both."""
    config = training.config
    training.total = config.steps
    training.load()
    with (
        Judge(training.world) as judge,
        Gates(training.world, config.seed, prompts=config.prompts) as gates,
        GateLog(training.out / GATE_LOG) as log,
    ):
        proposal_gates = ProposalGates(gates, log, config.samples)
        step_sampler = _StepSampler(training, judge, proposal_gates)
        trainer = training.trainer()
        proposal_gates.remember(trainer.done)
        for step in range(trainer.done, config.steps):
            began = time.perf_counter()
            samples, figures = step_sampler.step(step)
            rate = config.rate(step)
            figures = {**rl.update(trainer, samples, config, rate), **figures, "lr": rate}
            training.log(step, {**figures, "s": round(time.perf_counter() - began, 3)})
            trainer.finish_step(step, training.out, last=step + 1 == config.steps)
    training.finish()


def step_prompts(world: World, config: ZeroConfig, step: int) -> dict[str, Prompt]:
    """Return the functions of a step, each with the prompt that asks for proposals."""
    functions = list(world.names.functions)
    chosen = random.Random(f"zero:{config.seed}:{step}").sample(functions, min(config.tasks_per_step, len(functions)))
    return {f: proposals.prompt(world, f, TIER, step, (), config.seed, bank=False) for f in chosen}


class ProposalGates:
    """The gates that proposals must pass, and the log of their results over all steps."""

    def __init__(self, gates: Gates, log: GateLog, samples: int) -> None:
        self.gates, self.log, self.samples = gates, log, samples

    def remember(self, done: int) -> None:
        """Register the questions of the first `done` steps, since later questions must differ from them."""
        before = done * self.samples
        self.gates.remember(self.log.there.values(), lambda key: int(key.split("/")[1]) < before)

    def decide(self, step: int, functions: Sequence[str], texts: Sequence[str]) -> tuple[Decided, list[Task]]:
        """Return what was decided about each proposal, and the questions."""
        drafts = []
        for number, text in enumerate(texts):
            group, copy = divmod(number, self.samples)
            drafts.append(Proposal(functions[group], step * self.samples + copy, text, "self", ""))
        passed = self.gates.pass_through(drafts, self.log, lambda what, done, total: None)
        names = {proposal.key: f"{step}-{n}" for n, (proposal, _) in enumerate(passed, 1)}
        questions = [replace(task, id=names[proposal.key]) for proposal, task in passed]
        return [(names.get(draft.key, ""), self._readable(draft)) for draft in drafts], questions

    def _readable(self, proposal: Proposal) -> bool:
        result = self.log.result(proposal, PARSE)
        return result is not None and result.passed


class _StepSampler:
    """Samples the proposals and the answers of a step, with one model, one judge and the gates."""

    def __init__(self, training: TrainingRun[ZeroConfig], judge: Judge, gates: ProposalGates) -> None:
        self.training, self.config, self.judge, self.gates = training, training.config, judge, gates
        self.sampler = Sampler(training, (OPEN, OPEN))

    def step(self, step: int) -> tuple[list[Sample], dict[str, float]]:
        """Return the samples of one step with their rewards, and the step's figures for the log."""
        config = self.config
        samples, decided, questions = self._propose(step)
        seed = config.seed + 1 + step
        answers = self.sampler.sample_and_judge(self.judge, questions, config.samples, seed) if questions else []
        by_id = [(sample.task.id, verdict) for sample, verdict in answers]
        proposed, solved, figures = assign_rewards(decided, by_id, config.credit)
        samples += [sample for sample, _ in answers]
        rewards = zip(samples, [*proposed, *solved], strict=True)
        return [replace(sample, reward=reward) for sample, reward in rewards], figures

    def _propose(self, step: int) -> tuple[list[Sample], Decided, list[Task]]:
        """Return a group of proposals for each function of a step, what the gates decided about them, and the questions
        of those that passed."""
        config, count = self.config, self.config.samples
        prompts = step_prompts(self.training.world, config, step)
        functions = list(prompts)
        prompt_ids = [self.sampler.ids(prompt) for prompt in prompts.values()]
        limits, sampling = [config.max_tokens] * len(prompt_ids), Sampling(config.temperature)
        seed = config.seed * 7_919 + step
        replies = self.sampler.decoder.generate(prompt_ids, limits, self.sampler.ends, sampling, seed, copies=count)
        samples, texts = [], []
        for number, ids in enumerate(replies):
            function, prompt = functions[number // count], prompt_ids[number // count]
            row = TokenRow(f"propose:{function}", (*prompt, *ids), len(prompt))
            samples.append(Sample(Task(row.id, "", "", (), ()), row, row))
            texts.append(tokens.response(self.training.tokenizer, prompt, ids))
        return samples, *self.gates.decide(step, functions, texts)
