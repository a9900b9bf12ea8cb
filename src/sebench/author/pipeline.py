"""From functions to a bank folder: propose, gate by gate, keep.

    FOLDER/
      author.json     what was asked for; the same command continues, another one is refused
      calls.jsonl     every reply of every model (`calls.py`)
      gates.jsonl     what each gate said to each proposal
      drafts.jsonl, bank.toml, sheets.jsonl      what was kept, for 'sebench build --bank' and 'sebench author inspect'

Everything that costs is on disk as soon as it is there: after a kill at any point the same command repeats no call and no gate that was
done. What a provider failed to give is owed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Self

from sebench.author import consensus, gates, proposals
from sebench.author.gates import CONSENSUS, OFFLINE, Result, Workshop
from sebench.author.proposals import Proposal
from sebench.author.sheets import SHEETS, Sheet, SolverAnswer
from sebench.base import files, resume
from sebench.base.errors import ConfigError
from sebench.base.ledger import Ledger, lines
from sebench.base.records import Task
from sebench.judge.judge import Judge
from sebench.models import asking
from sebench.models.calls import CallLog, Calls, Spent
from sebench.models.model import Sampling
from sebench.tasks import folders
from sebench.tasks.drafts import Draft
from sebench.version import __version__
from sebench.world.prompts import NATIVE
from sebench.world.world import World

ASKED, CALLS, GATES = "author.json", "calls.jsonl", "gates.jsonl"
GROWING = ("functions", "per_function")  # a folder is continued with more of these
TOLD = ("key", "reason", "evidence")  # texts of each line of GATES
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class AuthorPlan:
    """What is asked for."""

    name: str  # of the bank folder
    tier: str
    functions: tuple[str, ...]  # original paths
    per_function: int
    model: str
    solvers: tuple[str, ...] = ()  # none: no consensus
    needed: int = 0  # solvers that must be right; 0: all
    seed: int = 0
    licence: str = ""

    def __post_init__(self) -> None:
        if not 0 <= self.needed <= len(self.solvers):
            raise ConfigError(f"--needed {self.needed}: there are {len(self.solvers)} solvers")
        folders.check_name(self.name, "--name")
        if twice := [name for name in self.solvers if self.solvers.count(name) > 1]:
            raise ConfigError(f"--solver {twice[0]} is given twice; solvers are independent only if they are different")
        if self.per_function < 1:
            raise ConfigError(f"--per-function {self.per_function}: at least 1")


@dataclass
class Authored:
    """How it went."""

    kept: list[Draft] = field(default_factory=list)
    proposed: int = 0
    owed: int = 0  # calls that a provider failed to answer; the same command asks again
    failure: str = ""  # why, the last time
    made: int = 0  # calls, this time
    spent: Mapping[str, Spent] = field(default_factory=dict)  # by model, on all calls of the folder


class GateLog(Ledger):
    """The file of results."""

    def __enter__(self) -> Self:
        super().__enter__()
        self.there: dict[tuple[str, str], Mapping[str, Any]] = {}
        for data in gate_lines(self.file):
            self.there[data["key"], data["gate"]] = data
        return self

    def add(self, data: Mapping[str, Any]) -> None:
        super().add(data)
        self.there[data["key"], data["gate"]] = data

    def result(self, proposal: Proposal, gate: str) -> Result | None:
        data = self.there.get((proposal.key, gate))
        return Result(data["passed"], data["reason"], data["evidence"]) if data else None


def gate_lines(file: Path) -> Iterator[dict[str, Any]]:
    """The results in a file of gates; ConfigError names a line that is none."""
    for start, data in lines(file):
        if data.get("gate") not in (*gates.GATES, gates.GUARD) or not all(
            isinstance(data.get(key), str) for key in TOLD
        ):
            raise ConfigError(f"{file}: the line at byte {start} is not the result of a gate; mend it or take it out")
        yield data


async def author(
    plan: AuthorPlan,
    world: World,
    judge: Judge,
    proposer: Calls,
    solvers: Sequence[Calls],
    folder: Path,
    tell: Progress = lambda what, done, total: None,
) -> Authored:
    """Do what is left of a plan. The caller owns the models, the judge and the file of calls (`calls_of`)."""
    plan = _begin(plan, world, proposer.sampling, folder)
    found, owed = await proposals.propose(
        world, proposer, plan.functions, plan.tier, plan.per_function, plan.seed, tell
    )
    with GateLog(folder / GATES) as log, world.library() as library:
        shop = Workshop(world, judge, library, plan.tier, plan.seed)
        _remember(shop, log, found)
        passed: list[Proposal] = []
        for number, proposal in enumerate(found):
            tell("drafts tried", number, len(found))
            if _offline(shop, log, proposal):
                passed.append(proposal)
        agreed: list[bool | None] = [True] * len(passed)
        if solvers:
            agreement = Agreement(world, judge, solvers, plan.needed or len(solvers), plan.seed)
            agreed = await agreement.of(passed, lambda one: shop.task(proposals.read(one, plan.tier)), log, tell)
        kept = [one for one, yes in zip(passed, agreed, strict=True) if yes]
        done = Authored(
            [proposals.read(one, plan.tier) for one in kept],
            len(found),
            owed + agreed.count(None),
            next((calls.failure for calls in (proposer, *solvers) if calls.failure), ""),
            sum(calls.requests_sent for calls in (proposer, *solvers)),
            {calls.name: calls.log.spent(calls.name) for calls in (proposer, *solvers)},
        )
        files.write_lines(folder / SHEETS, [_sheet(shop, log, one).to_json() for one in kept])
    folders.write(folder, done.kept, _about(plan, world, done))
    return done


def _begin(plan: AuthorPlan, world: World, sampling: Sampling, folder: Path) -> AuthorPlan:
    """Write down what is asked for, with what was asked for before; or refuse to continue something else."""
    files.make_folder(folder)
    file = folder / ASKED
    if file.exists():
        before, now = resume.read(file), _to_json(plan, world, sampling)
        resume.refuse_changes(folder, before, now, allowed=lambda key, was, is_now: key in GROWING and was is not None)
        functions = tuple(dict.fromkeys((*before["functions"], *plan.functions)))
        plan = replace(plan, functions=functions, per_function=max(before["per_function"], plan.per_function))
    files.write(file, f"{json.dumps(_to_json(plan, world, sampling), indent=1)}\n")
    return plan


def _to_json(plan: AuthorPlan, world: World, sampling: Sampling) -> dict[str, Any]:
    asked = {**asdict(plan), "functions": list(plan.functions), "solvers": list(plan.solvers)}
    return asked | {
        "world": world.manifest.fingerprint,
        "temperature": sampling.temperature,
        "max_tokens": sampling.max_tokens,
    }


def _remember(shop: Workshop, log: GateLog, found: Sequence[Proposal]) -> None:
    """What passed the gate against duplicates before is what later drafts are compared with."""
    for proposal in found:
        if (result := log.result(proposal, "duplicate")) and result.passed:
            shop.accept(proposals.read(proposal, shop.tier))


def _offline(shop: Workshop, log: GateLog, proposal: Proposal) -> bool:
    """Whether a proposal passes all gates that ask no model; what was decided before is not decided again."""
    for gate in OFFLINE:
        result = log.result(proposal, gate)
        if result is None:
            result = shop.offline(proposal, gate)
            log.add({"key": proposal.key, "gate": gate, **asdict(result)})
        if not result.passed:
            return False
    return True


@dataclass(frozen=True)
class Agreement:
    """The last gate: whether enough other models agree with gold."""

    world: World
    judge: Judge
    solvers: Sequence[Calls]
    needed: int  # solvers that must be right
    seed: int

    async def of(
        self, passed: Sequence[Proposal], task: Callable[[Proposal], Task], log: GateLog, tell: Progress
    ) -> list[bool | None]:
        """For each proposal whether enough solvers are right; None where a provider failed. What was decided before is not asked again."""
        prompter, agreed = self.world.prompter(), dict[str, bool | None]()

        async def one(proposal: Proposal) -> None:
            result = log.result(proposal, CONSENSUS)
            if result is None:
                asked = task(proposal)
                prompt = prompter.prompt(asked, NATIVE)
                answers = await consensus.solve(asked, prompt, self.solvers, self.judge, self.seed)
                if answers is not None:
                    result = consensus.decide(answers, self.needed)
                    told = [asdict(answer) for answer in answers]
                    log.add({"key": proposal.key, "gate": CONSENSUS, **asdict(result), "answers": told})
            agreed[proposal.key] = result.passed if result else None
            tell("drafts solved", len(agreed), len(passed))

        await asking.each(passed, one, max(solver.model.concurrency for solver in self.solvers))
        return [agreed[proposal.key] for proposal in passed]


def _sheet(shop: Workshop, log: GateLog, proposal: Proposal) -> Sheet:
    """What a person reads about a kept draft."""
    draft = proposals.read(proposal, shop.tier)
    told = log.there.get((proposal.key, CONSENSUS), {}).get("answers", [])
    return Sheet.of(shop.task(draft), draft.tier, draft.solution, [SolverAnswer(**answer) for answer in told])


def _about(plan: AuthorPlan, world: World, done: Authored) -> dict[str, Any]:
    """`bank.toml`."""
    return {
        "name": plan.name,
        "licence": plan.licence,
        "sebench": __version__,
        "world": world.manifest.fingerprint,
        "tier": plan.tier,
        "model": plan.model,
        "solvers": list(plan.solvers),
        "needed": plan.needed or len(plan.solvers),
        "gates": list(gates.GATES if plan.solvers else OFFLINE),
        "counts": {"proposed": done.proposed, "kept": len(done.kept)},
    }


def calls_of(folder: Path) -> CallLog:
    """The file of replies of a folder, for the models of a plan."""
    return CallLog(folder / CALLS)
