"""From functions to a bank folder: propose drafts, run the gates, keep what passes.

    FOLDER/
      author.json     the settings; the same command continues, a different one is refused
      calls.jsonl     every reply of every model (`calls.py`)
      gates.jsonl     the result of each gate for each proposal
      drafts.jsonl, bank.toml, sheets.jsonl      what was kept, for 'sebench build --bank' and 'sebench author inspect'

Everything expensive is on disk as soon as it is done: after a kill at any point the same command repeats no call and no
gate. Calls that a provider failed to answer are made again.

The last gate is consensus: independent models solve the question in NumPy from its text and examples alone, and enough
of them must be right. An answer counts if NumPy itself gives the right value in every case (`Verdict.numpy_passed`). It
need not use the functions that the task is about: it only has to show that question and gold agree.

If too few are right, their answers hint at the reason. If all failures give the same wrong value in the same case, they
read the question the same way, and gold is suspect. If they give different values, the question is suspect. If they
give no value, the task is too hard or the models are too weak.
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
GROWING = ("functions", "per_function")  # a folder may be continued with larger values
TEXT_KEYS = ("key", "reason", "evidence")  # string fields of each line
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class AuthorPlan:
    """The settings of an authoring run."""

    name: str  # of the bank folder
    tier: str
    functions: tuple[str, ...]  # original paths
    per_function: int
    model: str
    solvers: tuple[str, ...] = ()  # none: no consensus
    needed: int = 0  # solvers that must be right; 0: all
    seed: int = 0

    def __post_init__(self) -> None:
        if not 0 <= self.needed <= len(self.solvers):
            raise ConfigError(f"--needed {self.needed}: there are {len(self.solvers)} solvers")
        folders.check_name(self.name, "--name")
        if twice := [name for name in self.solvers if self.solvers.count(name) > 1]:
            raise ConfigError(f"--solver {twice[0]} is given twice; solvers are independent only if they are different")
        if self.per_function < 1:
            raise ConfigError(f"--per-function {self.per_function}: must be at least 1")


@dataclass
class AuthorResult:
    """The result of an authoring run."""

    kept: list[Draft] = field(default_factory=list)
    proposed: int = 0
    owed: int = 0  # calls that a provider failed to answer; the same command asks again
    failure: str = ""  # why, the last time
    calls_made: int = 0  # in this process
    spent: Mapping[str, Spent] = field(default_factory=dict)  # by model, on all calls of the folder


class GateLog(Ledger):
    """The file of gate results."""

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
    """The results in a file of gates; ConfigError names a line that is not one."""
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
    """Do what is left of a plan. The caller owns the models, the judge and the file of calls (`CALLS`)."""
    plan = _begin(plan, world, proposer.sampling, folder)
    proposed, owed = await proposals.propose(
        world, proposer, plan.functions, plan.tier, plan.per_function, plan.seed, tell
    )
    with GateLog(folder / GATES) as log, world.library() as library:
        offline_gates = OfflineGates(world, judge, library, plan.tier, plan.seed)
        for proposal in proposed:  # later drafts are compared with those that passed the duplicate gate before
            if (result := log.result(proposal, "duplicate")) and result.passed:
                draft = proposals.read(proposal, plan.tier)
                offline_gates.known_questions.add(draft.entry, draft.question)
        passed: list[Proposal] = []
        for number, proposal in enumerate(proposed):
            tell("drafts tried", number, len(proposed))
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
            next((calls.failure for calls in (proposer, *solvers) if calls.failure), ""),
            sum(calls.requests_sent for calls in (proposer, *solvers)),
            {calls.name: calls.log.spent(calls.name) for calls in (proposer, *solvers)},
        )
        files.write_lines(folder / CARDS_FILE, [_review_card(offline_gates, log, one).to_json() for one in kept])
    folders.write(folder, done.kept, _about(plan, world, done))
    return done


def _begin(plan: AuthorPlan, world: World, sampling: Sampling, folder: Path) -> AuthorPlan:
    """Store the settings, merged with earlier ones; refuse to continue with different settings."""
    files.make_folder(folder)
    file = folder / SETTINGS
    if file.exists():
        before, now = resume.read(file), _to_json(plan, world, sampling)
        resume.refuse_changes(folder, before, now, allowed=lambda key, was, is_now: key in GROWING and was is not None)
        functions = tuple(dict.fromkeys((*before["functions"], *plan.functions)))
        plan = replace(plan, functions=functions, per_function=max(before["per_function"], plan.per_function))
    files.write(file, f"{json.dumps(_to_json(plan, world, sampling), indent=1)}\n")
    return plan


def _to_json(plan: AuthorPlan, world: World, sampling: Sampling) -> dict[str, Any]:
    settings = {**asdict(plan), "functions": list(plan.functions), "solvers": list(plan.solvers)}
    return settings | {
        "world": world.manifest.fingerprint,
        "temperature": sampling.temperature,
        "max_tokens": sampling.max_tokens,
    }


def _offline(offline_gates: OfflineGates, log: GateLog, proposal: Proposal) -> bool:
    """Whether a proposal passes all offline gates; earlier results are reused."""
    for gate in OFFLINE:
        result = log.result(proposal, gate)
        if result is None:
            result = offline_gates.run_gate(proposal, gate)
            log.add({"key": proposal.key, "gate": gate, **asdict(result)})
        if not result.passed:
            return False
    return True


async def solve(
    task: Task, prompt: Prompt, solvers: Sequence[Calls], judge: Judge, seed: int
) -> list[SolverAnswer] | None:
    """Each solver's judged answer; None if a provider failed to reply. A solver that refuses the prompt (too long)
    counts as not having solved it.
    """
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
    """Whether enough solvers are right; if not, a guess at what is at fault."""
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
    needed: int  # solvers that must be right
    seed: int

    async def decide(
        self, passed: Sequence[Proposal], task: Callable[[Proposal], Task], log: GateLog, tell: Progress
    ) -> list[bool | None]:
        """For each proposal, whether enough solvers are right; None where a provider failed. Earlier results are
        reused.
        """
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
            tell("drafts solved", len(agreed), len(passed))

        await run_each(passed, one, max(solver.model.concurrency for solver in self.solvers))
        return [agreed[proposal.key] for proposal in passed]


def _review_card(offline_gates: OfflineGates, log: GateLog, proposal: Proposal) -> ReviewCard:
    """The review card of a kept draft."""
    draft = proposals.read(proposal, offline_gates.tier)
    answers = log.there.get((proposal.key, CONSENSUS), {}).get("answers", [])
    return ReviewCard.from_task(
        offline_gates.task(draft), draft.tier, draft.solution, [SolverAnswer(**answer) for answer in answers]
    )


def _about(plan: AuthorPlan, world: World, done: AuthorResult) -> dict[str, Any]:
    """The content of `bank.toml`."""
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
