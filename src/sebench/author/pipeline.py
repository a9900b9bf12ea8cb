"""Turns a list of functions into a bank folder: proposes drafts, runs the gates, keeps the drafts that pass.

    FOLDER/
      author.json     the settings; the same command resumes, and different settings are refused
      calls.jsonl     every reply from every model (`calls.py`)
      gates.jsonl     the result of each gate for each proposal
      drafts.jsonl, bank.toml, sheets.jsonl      kept drafts, for 'sebench build --bank' and 'sebench author inspect'

Every expensive result is written to disk immediately: after a kill at any point the same command repeats no call and no
gate. Calls that a provider failed to answer are retried.

The last gate is consensus: independent models solve the question in NumPy from only its text and examples, and enough
of them must be correct. An answer is correct if its NumPy program returns the right value in every case
(`Verdict.numpy_passed`). It need not use the functions that the task is about: it only has to show that the question
agrees with gold (the reference solution).

If too few answers are correct, the wrong ones hint at the reason. If they all return the same wrong value in the same
case, the models read the question the same way, and gold is suspect. If they return different values, the question is
suspect. If they return no value, the task is too hard or the models are too weak.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Self

from sebench.author import gates, proposals
from sebench.author.gates import CONSENSUS, OFFLINE, PASSED, GateResult, OfflineGates, not_sandbox_fault
from sebench.author.proposals import Proposal
from sebench.author.review_cards import CARDS_FILE, ReviewCard, SolverAnswer
from sebench.base import files, resume
from sebench.base.errors import ConfigError
from sebench.base.ledger import Ledger, lines
from sebench.base.records import Task
from sebench.judge.judge import Judge
from sebench.models.calls import Calls, Spent, run_each
from sebench.models.model import Sampling
from sebench.tasks import folders
from sebench.tasks.drafts import Draft
from sebench.version import __version__
from sebench.world.prompts import NATIVE, Prompt
from sebench.world.world import World

SETTINGS, CALLS, GATES = "author.json", "calls.jsonl", "gates.jsonl"
GROWING = ("functions", "per_function")  # a folder may be resumed with larger values
TEXT_KEYS = ("key", "reason", "evidence")  # string fields of each line
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class AuthorPlan:
    """The settings of an authoring run."""

    name: str  # name of the bank folder
    tier: str
    functions: tuple[str, ...]  # original paths
    per_function: int
    model: str
    solvers: tuple[str, ...] = ()  # () means no consensus gate
    needed: int = 0  # how many solvers must be right; 0 means all
    seed: int = 0

    def __post_init__(self) -> None:
        if not 0 <= self.needed <= len(self.solvers):
            raise ConfigError(f"--needed {self.needed}: must be from 0 to {len(self.solvers)}, the number of solvers")
        folders.check_name(self.name, "--name")
        if twice := [name for name in self.solvers if self.solvers.count(name) > 1]:
            raise ConfigError(f"--solver {twice[0]} is listed twice; solvers must be different models")
        if self.per_function < 1:
            raise ConfigError(f"--per-function {self.per_function}: must be at least 1")


@dataclass
class AuthorResult:
    """The result of an authoring run."""

    kept: list[Draft] = field(default_factory=list)
    proposed: int = 0
    owed: int = 0  # calls that a provider failed to answer; the same command retries them
    refused: int = 0  # of these, prompts that will be refused again
    failure: str = ""  # reason for the last failure
    calls_made: int = 0  # in this process
    spent: Mapping[str, Spent] = field(default_factory=dict)  # by model, over all calls in the folder


class GateLog(Ledger):
    """The log of gate results."""

    def __enter__(self) -> Self:
        super().__enter__()
        self.there: dict[tuple[str, str], Mapping[str, Any]] = {}
        for data in gate_lines(self.file):
            self.there[data["key"], data["gate"]] = data
        return self

    def add(self, data: Mapping[str, Any]) -> None:
        super().add(data)
        self.there[data["key"], data["gate"]] = data

    def result(self, proposal: Proposal, gate: str) -> GateResult | None:
        data = self.there.get((proposal.key, gate))
        return GateResult(data["passed"], data["reason"], data["evidence"]) if data else None


def gate_lines(file: Path) -> Iterator[dict[str, Any]]:
    """Yield the results in a gate log. Raises ConfigError naming the first malformed line."""
    for start, data in lines(file):
        if data.get("gate") not in (*gates.GATES, gates.GUARD) or not all(
            isinstance(data.get(key), str) for key in TEXT_KEYS
        ):
            raise ConfigError(f"{file}: the line at byte {start} is not a gate result; fix or remove it")
        yield data


async def author(
    plan: AuthorPlan,
    world: World,
    judge: Judge,
    proposer: Calls,
    solvers: Sequence[Calls],
    folder: Path,
    tell: Progress = lambda what, done, total: None,
) -> AuthorResult:
    """Do the remaining work in a plan. The caller opens and closes the models, the judge and the call log (`CALLS`)."""
    plan = _begin(plan, world, proposer.sampling, folder)
    proposed, owed = await proposals.propose(
        world, proposer, plan.functions, plan.tier, plan.per_function, plan.seed, tell
    )
    with GateLog(folder / GATES) as log, world.library() as library:
        offline_gates = OfflineGates(world, judge, library, plan.tier, plan.seed)
        for proposal in proposed:  # in order: a draft is compared with those that passed the duplicate gate before it
            if (result := log.result(proposal, "duplicate")) and result.passed:
                draft = proposals.read(proposal, plan.tier)
                offline_gates.known_questions.add(draft.entry, draft.question)
        passed: list[Proposal] = []
        for number, proposal in enumerate(proposed):
            tell("drafts checked", number, len(proposed))
            if _offline(offline_gates, log, proposal):
                passed.append(proposal)
        agreed: list[bool | None] = [True] * len(passed)
        if solvers:
            consensus_gate = ConsensusGate(world, judge, solvers, plan.needed or len(solvers), plan.seed)
            agreed = await consensus_gate.decide(
                passed, lambda one: offline_gates.task(proposals.read(one, plan.tier)), log, tell
            )
        kept = [one for one, yes in zip(passed, agreed, strict=True) if yes]
        done = AuthorResult(
            [proposals.read(one, plan.tier) for one in kept],
            len(proposed),
            owed + agreed.count(None),
            len(proposer.refused),
            next((calls.failure for calls in (proposer, *solvers) if calls.failure), ""),
            sum(calls.requests_sent for calls in (proposer, *solvers)),
            {calls.name: calls.log.spent(calls.name) for calls in (proposer, *solvers)},
        )
        files.write_lines(folder / CARDS_FILE, [_review_card(offline_gates, log, one).to_json() for one in kept])
    folders.write(folder, done.kept, _about(plan, world, done))
    return done


def _begin(plan: AuthorPlan, world: World, sampling: Sampling, folder: Path) -> AuthorPlan:
    """Store the settings, merged with those of an earlier run; refuse to resume with different settings."""
    files.make_folder(folder)
    if (folder / folders.DRAFTS).exists() and not (folder / SETTINGS).exists():
        raise ConfigError(f"{folder} has tasks of another origin ({folders.DRAFTS}); choose another --out")
    plan = merge(plan, world, sampling, folder)
    files.write(folder / SETTINGS, f"{json.dumps(_to_json(plan, world, sampling), indent=1)}\n")
    return plan


def merge(plan: AuthorPlan, world: World, sampling: Sampling, folder: Path) -> AuthorPlan:
    """Return the plan with the functions of an earlier run in the folder; raise an error if that run had different
    settings. A run that got no reply does not count."""
    file, calls = folder / SETTINGS, folder / CALLS
    if not file.exists() or not calls.exists() or not calls.stat().st_size:
        return plan
    before, now = resume.read(file), _to_json(plan, world, sampling)
    resume.refuse_changes(folder, before, now, allowed=lambda key, was, is_now: key in GROWING and was is not None)
    functions = tuple(dict.fromkeys((*before["functions"], *plan.functions)))
    return replace(plan, functions=functions, per_function=max(before["per_function"], plan.per_function))


def _to_json(plan: AuthorPlan, world: World, sampling: Sampling) -> dict[str, Any]:
    settings = {**asdict(plan), "functions": list(plan.functions), "solvers": list(plan.solvers)}
    return settings | {
        "world": world.manifest.fingerprint,
        "temperature": sampling.temperature,
        "max_tokens": sampling.max_tokens,
    }


def _offline(offline_gates: OfflineGates, log: GateLog, proposal: Proposal) -> bool:
    """Whether a proposal passes all offline gates. Earlier results are reused."""
    for gate in OFFLINE:
        result = log.result(proposal, gate)
        if result is None:
            result = offline_gates.decide(proposal, gate)
            log.add({"key": proposal.key, "gate": gate, **asdict(result)})
        if not result.passed:
            return False
    return True


async def solve(
    task: Task, prompt: Prompt, solvers: Sequence[Calls], judge: Judge, seed: int
) -> list[SolverAnswer] | None:
    """Return each solver's judged answer, or None if a provider failed to reply. A solver that refuses the prompt
    (because it is too long) counts as wrong."""
    replies = await asyncio.gather(*(solver.ask(prompt, seed + number) for number, solver in enumerate(solvers)))
    answers: list[SolverAnswer] = []
    for number, (solver, reply) in enumerate(zip(solvers, replies, strict=True)):
        if reply is None:
            if not (why := solver.refused.get(solver.key(prompt, seed + number), "")):
                return None
            answers.append(SolverAnswer(solver.name, "", False, None, "", f"refused: {why}"))
            continue
        verdict = not_sandbox_fault(await judge.judge_native_async(task, reply.text))
        right = bool(verdict.numpy_passed)
        failed = (None, "", "") if right else (verdict.case, verdict.actual, f"{verdict.kind}: {verdict.detail}")
        answers.append(SolverAnswer(solver.name, reply.text, right, *failed))
    return answers


def decide_consensus(answers: Sequence[SolverAnswer], needed: int) -> GateResult:
    """Decide whether enough solvers are right; if not, suggest what is at fault."""
    right = sum(answer.passed for answer in answers)
    if right >= needed:
        return PASSED
    wrong = [answer for answer in answers if not answer.passed]
    values = {(answer.case, answer.actual) for answer in wrong if answer.case is not None and answer.actual}
    failures = "; ".join(
        f"{a.model}: case {a.case} gives {a.actual}" if a.actual else f"{a.model}: {a.detail}" for a in wrong
    )
    evidence = f"{right} of {len(answers)} right, {needed} needed. {failures}"
    if not values:
        return GateResult.reject("unsolved", evidence)
    if len(values) == 1 and len(wrong) > 1 and all(answer.actual for answer in wrong):
        return GateResult.reject("gold is suspect", evidence)
    return GateResult.reject("the question is suspect", evidence)


@dataclass(frozen=True)
class ConsensusGate:
    """The last gate: whether enough other models agree with gold."""

    world: World
    judge: Judge
    solvers: Sequence[Calls]
    needed: int  # how many solvers must be right
    seed: int

    async def decide(
        self, passed: Sequence[Proposal], task: Callable[[Proposal], Task], log: GateLog, tell: Progress
    ) -> list[bool | None]:
        """For each proposal, return whether enough solvers are right, or None if a provider failed. Earlier results are
        reused."""
        prompter, agreed = self.world.prompter(), dict[str, bool | None]()

        async def one(proposal: Proposal) -> None:
            result = log.result(proposal, CONSENSUS)
            if result is None:
                question_task = task(proposal)
                prompt = prompter.prompt(question_task, NATIVE)
                answers = await solve(question_task, prompt, self.solvers, self.judge, self.seed)
                if answers is not None:
                    result = decide_consensus(answers, self.needed)
                    answer_lines = [asdict(answer) for answer in answers]
                    log.add({"key": proposal.key, "gate": CONSENSUS, **asdict(result), "answers": answer_lines})
            agreed[proposal.key] = result.passed if result else None
            tell("drafts given to the solvers", len(agreed), len(passed))

        await run_each(passed, one, max(solver.model.concurrency for solver in self.solvers))
        return [agreed[proposal.key] for proposal in passed]


def _review_card(offline_gates: OfflineGates, log: GateLog, proposal: Proposal) -> ReviewCard:
    """Return the review card of a kept draft."""
    draft = proposals.read(proposal, offline_gates.tier)
    answers = log.there.get((proposal.key, CONSENSUS), {}).get("answers", [])
    return ReviewCard.from_task(
        offline_gates.task(draft), draft.tier, draft.solution, [SolverAnswer(**answer) for answer in answers]
    )


def _about(plan: AuthorPlan, world: World, done: AuthorResult) -> dict[str, Any]:
    """Return the content of `bank.toml`."""
    return {
        "name": plan.name,
        "sebench": __version__,
        "world": world.manifest.fingerprint,
        "tier": plan.tier,
        "model": plan.model,
        "solvers": list(plan.solvers),
        "needed": plan.needed or len(plan.solvers),
        "gates": list(gates.GATES if plan.solvers else OFFLINE),
        "counts": {"proposed": done.proposed, "kept": len(done.kept)},
    }
