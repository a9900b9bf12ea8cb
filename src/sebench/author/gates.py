"""The gates that a draft must pass before any model is called to check it, cheapest first. "Gold" is the draft's
reference solution.

parse      the reply has the required form, and inputs can be sampled from it
policy     the code does nothing but compute, follows the bank's code rules, and uses the right functions
language   the question follows the bank's language rules
runs       gold finishes within limits in the sandbox and returns usable, reproducible answers for several seeds
targeted   gold can be translated, its answer depends on each of its core functions, and the judge credits it
mutants    the cases distinguish gold from its mutants (near-miss programs)
duplicate  name and question differ from those in the bank and in every draft that passed earlier

Consensus (`pipeline.py`) comes last because it calls models. Code from a model never runs in this process. It runs in
the sandbox first, and then in a child process with limits (`run_limited`), where the library can be observed and
mutants can be tried. Gold can only compute (`tasks/confined.py`), but it may still run forever or exhaust memory, even
if it behaved well in the sandbox: in the child, some functions return deliberately wrong values, and mutants replace
gold. A sandbox fault is not a rejection: it raises an error, and running the same command again resumes.

`mutants` is as strict as the bank's own check, but here no one can excuse an equivalent mutant: a draft that has one is
rejected, and the funnel names the mutant.

Not covered: programs that can do more than compute, which belong in the judge's sandbox; whether the question is clear
and gold answers it correctly (consensus and human readers check that); and answers that depend on set order, if this
process was itself started with PYTHONHASHSEED=0, as the sandbox is.
"""

from __future__ import annotations

import ast
import math
import os
import pickle
import random
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain
from types import ModuleType
from typing import Any, TypeVar

from sebench.author import proposals
from sebench.author.proposals import Proposal
from sebench.bank.definition import Definition
from sebench.bank.kinds import Draw, Impossible, Mood
from sebench.base import child
from sebench.base.errors import BankError, ConfigError, SandboxFault, SebenchError
from sebench.base.records import Blame, Case, Kind, Task, Verdict
from sebench.forge.docs import parameter_renaming
from sebench.forge.names import hidden_text
from sebench.forge.translate.translate import Translator, Untranslatable
from sebench.judge.judge import Judge
from sebench.tasks import cases, core, dataset, drafts, gold, mutants, rules, similarity, transfer
from sebench.tasks.drafts import Draft, DraftError
from sebench.values.equality import Profile, difference
from sebench.values.leaves import leaves
from sebench.values.tagged import encode
from sebench.world.world import World

OFFLINE = ("parse", "policy", "language", "runs", "targeted", "mutants", "duplicate")
CONSENSUS = "consensus"
GATES = (*OFFLINE, CONSENSUS)
GUARD = "guard"  # added by self-play: a draft must contain nothing from a test task
SEEDS = 3  # gold must answer the cases of this many seeds
FURTHER = 60  # extra cases, to see whether a mutant survived by chance
TRIED = "solution_under_trial"
LIMITS = "does not finish within the limits"
CRASHED = "the gate itself failed"
EXACT = 2**53  # whole numbers beyond this are not exact as floats, and those beyond 2**63 overflow
CPU_LIMIT_S = 60  # per call; the mutants of a bank task take about a second
MEMORY = 2 << 30  # bytes on top of what is already in use
Value = TypeVar("Value")


@dataclass(frozen=True)
class GateResult:
    """A gate's decision about a draft."""

    passed: bool
    reason: str = ""  # category of the rejection
    evidence: str = ""  # the details

    @classmethod
    def reject(cls, reason: str, evidence: str) -> GateResult:
        return cls(False, reason, hidden_text.printable_line(evidence)[:1_000])


PASSED = GateResult(True)


@lru_cache(maxsize=2)
def _index(questions: tuple[tuple[str, str], ...]) -> similarity.Questions:
    """Index the questions of a bank. The index is cached, because a process may need it for many rounds."""
    return similarity.Questions(dict(questions))


class LimitExceeded(SebenchError):
    """The work took more time or memory than allowed."""


class KnownQuestions:
    """The questions that a draft must differ from: those of the bank, those that prompts show as examples, and those of
    drafts that passed the duplicate gate."""

    def __init__(self, world: World) -> None:
        self.questions = {name: definition.question for name, definition in world.definitions.items()}
        self._of_bank, self._of_drafts = _index(tuple(self.questions.items())), similarity.Questions()
        for example in proposals.EXAMPLES:
            self.add(example.entry, example.question)

    def add(self, name: str, question: str) -> None:
        """Register a question that later drafts must differ from. Adding it twice has no further effect."""
        if name not in self.questions:
            self.questions[name] = question
            self._of_drafts.add(name, question)

    def check_duplicate(self, draft: Draft) -> GateResult:
        """Check that name and question are new. If they are, later drafts must differ from this one too."""
        if draft.entry in self.questions:
            return GateResult.reject("the name is taken", f"{draft.entry}: {self.questions[draft.entry]}")
        alike = chain(self._of_bank.alike(draft.question), self._of_drafts.alike(draft.question))
        if twin := max(alike, default=None):
            similarity_text = f"{twin[0]:.0%} similar to '{twin[1]}': {self.questions[twin[1]]}"
            return GateResult.reject("too similar to another question", similarity_text)
        self.add(draft.entry, draft.question)
        return PASSED


class OfflineGates:
    """Runs the offline gates (those that call no model) for one world, with its judge and its imported package."""

    def __init__(self, world: World, judge: Judge, library: ModuleType, tier: str, seed: int = 0) -> None:
        self.world, self.judge, self.library, self.tier, self.seed = world, judge, library, tier, seed
        self.translator = Translator(world.names)
        self.proofs = core.Proofs(world.names, world.entries, library)
        self.known_questions = KnownQuestions(world)
        self._tasks: dict[str, Task] = {}

    def decide(self, proposal: Proposal, gate: str) -> GateResult:
        """Return the result of a gate. If a gate crashes on a strange draft, the draft is rejected, and the crash is
        reported among the reasons for rejection. Otherwise one draft in hundreds could end a run of many hours, and
        would end it again at every resume. Errors from the sandbox or the disk are raised."""
        try:
            return self.run_gate(proposal, gate)
        except (SandboxFault, ConfigError):
            raise
        except Exception as error:
            return GateResult.reject(CRASHED, repr(error))

    def run_gate(self, proposal: Proposal, gate: str) -> GateResult:
        """Run one offline gate. All earlier gates must have passed."""
        checks: Mapping[str, Callable[[Draft, str], GateResult]] = {
            "policy": self._policy,
            "language": self._language,
            "runs": self._runs,
            "targeted": self._targeted,
            "mutants": self._mutants,
            "duplicate": lambda draft, function: self.known_questions.check_duplicate(draft),
        }
        try:
            draft = proposals.read(proposal, self.tier)
            return PASSED if gate == "parse" else checks[gate](draft, proposal.function)
        except DraftError as error:
            return GateResult.reject("not in the required form", str(error))
        except LimitExceeded as error:
            return GateResult.reject(LIMITS, str(error))

    def task(self, draft: Draft) -> Task:
        """Return a draft's task in this world, with translated gold and its core functions. Raises BankError or
        Untranslatable if there is none."""
        if draft.digest not in self._tasks:
            self._tasks[draft.digest] = run_limited(lambda: self._build_task(draft))
        return self._tasks[draft.digest]

    def _build_task(self, draft: Draft) -> Task:
        definition = drafts.definition(draft)
        drawn, _ = dataset.draw_cases(definition, self.seed)
        task = dataset.task_of(definition, drawn, f"{draft.tier}_test", self.translator.code(definition.source))
        task = replace(task, functions=tuple(self.translator.find(path) or path for path in task.functions))
        dataset.verify(definition, task, self.library, self.world.names)
        return replace(task, core=self.proofs.core(definition, task))

    # ---- the gates --------------------------------------------------------------------------------------------

    def _policy(self, draft: Draft, function: str) -> GateResult:
        try:
            definition = drafts.definition(draft)
        except BankError as error:
            return GateResult.reject("code that must not run", _rule(error))
        used = gold.functions(definition.source)
        if not used:
            return GateResult.reject("breaks a code rule", "gold uses no function of NumPy")
        if problem := next(rules.code_violations(definition), ""):
            return GateResult.reject("breaks a code rule", problem)
        if missing := [path for path in used if path not in self.world.names.functions]:
            return GateResult.reject(
                "needs a function that the world lacks", f"np.{missing[0]} is not in {self.world.path.name}"
            )
        about = [rules.subject(definition)] if draft.tier in rules.ONE_FUNCTION else used
        if function not in about:
            return GateResult.reject("about another function", f"asked for {function}, gold uses {', '.join(used)}")
        return PASSED

    def _language(self, draft: Draft, function: str) -> GateResult:
        problem = next(rules.language_violations(drafts.definition(draft)), "")
        return GateResult.reject("breaks a language rule", problem) if problem else PASSED

    def _runs(self, draft: Draft, function: str) -> GateResult:
        definition = drafts.definition(draft)
        try:
            trial = _trial_task(definition, self.seed)
        except Impossible as error:
            return GateResult.reject("no usable cases", str(error))
        verdict = not_sandbox_fault(self.judge.judge_native(trial, _trial_program(definition)))
        if not verdict.numpy_passed:
            reason = LIMITS if verdict.kind in (Kind.TIME, Kind.MEMORY) else "gold fails"
            return GateResult.reject(reason, verdict.detail)
        try:
            scored, wrong, overflow = run_limited(lambda: self._answer_twice(definition))
        except BankError as error:
            return GateResult.reject("no usable cases", _rule(error))
        if wrong:
            return GateResult.reject("not deterministic", wrong)
        if overflow:
            return GateResult.reject("whole numbers overflow", overflow)
        task = dataset.task_of(definition, cases.DrawnCases((), scored), "", "")
        verdict = not_sandbox_fault(self.judge.judge_native(task, f"```python\n{definition.source}```"))
        if not verdict.numpy_passed:
            return GateResult.reject("not deterministic", f"the sandbox gives a different answer: {verdict.detail}")
        return PASSED

    def _answer_twice(self, definition: Definition) -> tuple[tuple[Case, ...], str, str]:
        """Return the scored cases drawn with several seeds, how gold's answers differ in a second run, and which of
        them are too large for whole numbers ("" if none is)."""
        scored = tuple(case for drawn in self._draw_seeds(definition) for case in drawn.scored)
        differing = (_differs(case, gold.expected(definition, case.inputs)) for case in scored)
        overflowing = (_overflow(definition, case) for case in scored)
        return scored, next(filter(None, differing), ""), next(filter(None, overflowing), "")

    def _draw_seeds(self, definition: Definition) -> list[cases.DrawnCases]:
        return [cases.draw(definition, cases.Stream(definition, self.seed + n)) for n in range(SEEDS)]

    def _targeted(self, draft: Draft, function: str) -> GateResult:
        try:
            task = self.task(draft)
        except Untranslatable as error:
            return GateResult.reject("cannot be translated", str(error))
        except BankError as error:
            return GateResult.reject("does not depend on its functions", _rule(error))
        verdict = not_sandbox_fault(self.judge.judge(task, f"```python\n{task.gold}```"))
        if not verdict.targeted:
            return GateResult.reject("gold is not credited", f"{verdict.kind}: {verdict.detail}")
        if problem := run_limited(lambda: self._transfer_problem(drafts.definition(draft), function)):
            return GateResult.reject("blurs the line between training and transfer", problem)
        return PASSED

    def _mutants(self, draft: Draft, function: str) -> GateResult:
        task = self.task(draft)
        if survivor := run_limited(lambda: _survivor(drafts.definition(draft), task.cases, self.seed)):
            return GateResult.reject("a mutant survives", f"no case kills the mutant {survivor}")
        return PASSED

    # ---- their helpers -------------------------------------------------------------------------------------------

    def _transfer_problem(self, definition: Definition, function: str) -> str:
        """Return how the task blurs the line between training and transfer, or "" if it does not: a training task must
        not show a usage that a transfer task tests, and vice versa."""
        if definition.part not in rules.ONE_FUNCTION:
            return ""
        single = [d for d in self.world.definitions.values() if d.part in rules.ONE_FUNCTION]
        about = [d for d in single if rules.subject(d) == function]
        drawn = self._draw_seeds(definition)
        own = transfer.facts(definition, [case for one in drawn for case in (*one.examples, *one.scored)])
        if definition.part == "single":
            tested = (d for d in about if d.part == "transfer" and d.usage in own)
            return next((f"it shows '{d.usage}', which the transfer task '{d.name}' asks for" for d in tested), "")
        trained = transfer.drawn_facts([d for d in about if d.part == "single"], self.seed)
        page = parameter_renaming.to_numpy_names(self.world.page(function).text, self.world.names)
        return next(transfer.missing_proof(definition, own, trained, page), "")


def not_sandbox_fault(verdict: Verdict) -> Verdict:
    """Return the verdict, unless the sandbox is to blame: then raise SandboxFault."""
    if verdict.blame is Blame.SANDBOX:
        raise SandboxFault(f"{verdict.detail}; run the same command again to resume")
    return verdict


def _rule(error: BankError) -> str:
    """Return the bank's error message without the file and line, which a draft does not have yet."""
    place, separator, rule = str(error).partition("': ")
    return rule if separator and "task '" in place else str(error)


def _trial_task(definition: Definition, seed: int) -> Task:
    """Return a task that only requires a program to finish, since there are no expected values yet."""
    rng = random.Random(f"{seed}:{definition.name}:trial")
    inputs = list(definition.rows)
    for mood in Mood if not inputs else ():
        inputs.append(Draw(rng, mood, definition.lengths).fill(definition.inputs))
    trial_cases = tuple(Case(values, None) for values in inputs)
    return Task(definition.name, definition.question, definition.name, tuple(definition.inputs), trial_cases)


def _overflow(definition: Definition, case: Case) -> str:
    """Return how gold's whole numbers overflow in a case, or "". NumPy's wrap around without a word, so gold is also
    called with the same numbers as floats."""
    try:
        as_floats = leaves(encode(gold.expected(definition, {name: _floats(v) for name, v in case.inputs.items()})))
    except BankError:  # it needs whole numbers
        as_floats = {}
    for path, leaf in leaves(encode(case.expected)).items():
        size = max(abs(leaf), abs(as_floats.get(path) or 0)) if type(leaf) is int else 0
        if math.isfinite(size) and size >= EXACT:
            return f"{dict(case.inputs)!r} gives {leaf}, with floats {as_floats.get(path)}; make the inputs smaller"
    return ""


def _floats(value: Any) -> Any:
    if type(value) is list:
        return [_floats(one) for one in value]
    return float(value) if type(value) is int else value


def _trial_program(definition: Definition) -> str:
    """Return a program that calls gold and discards its result."""
    node = ast.parse(definition.source).body[-1]
    assert isinstance(node, ast.FunctionDef)
    node.name = TRIED
    names = ", ".join(definition.inputs)
    return (
        f"```python\nimport numpy as np\n\n\n{ast.unparse(node)}\n\n\n"
        f"def {definition.name}({names}):\n    {TRIED}({names})\n    return None\n```"
    )


def _survivor(definition: Definition, scored: Sequence[Case], seed: int) -> str:
    """Return the name of a mutant that is killed neither by these cases nor by extra ones, or "" if there is none."""
    trial = mutants.MutantTrial(definition, scored)
    stream = cases.Stream(definition, seed)
    for _ in range(FURTHER if trial.alive else 0):
        for case in stream(Mood.PLAIN, "further"):
            trial.kills(case)
    return trial.alive[0].name if trial.alive else ""


def _differs(case: Case, again: Any) -> str:
    wrong = difference(encode(case.expected), encode(again), Profile.STRICT, 0.0, 0.0)
    return "" if wrong is None else f"a second run gives a different answer: {wrong}"


# ---- a child with limits ----------------------------------------------------------------------------------------


def run_limited(work: Callable[[], Value], cpu_limit_s: int = CPU_LIMIT_S, memory: int = MEMORY) -> Value:
    """Do the work in a child process with limits and return its result, which must be picklable. Raises LimitExceeded
    if the child did not finish."""
    ended = child.run_in_fork(lambda write: _write(work, write), cpu_limit_s, memory)
    if ended.for_memory:
        raise SandboxFault(f"a process that runs gold was {child.LACK_OF_MEMORY}; run the same command again to resume")
    if ended.status:
        raise LimitExceeded(f"gold and its mutants take more than {cpu_limit_s} s or {memory >> 20:,} MiB")
    raised, value = pickle.loads(ended.output)  # safe: written by our own child process
    if raised is not None:
        raise raised
    return value  # type: ignore[no-any-return]


def _write(work: Callable[[], object], write: int) -> None:
    """Do the work in the child process, and write its result or its error to the pipe."""
    outcome: tuple[Exception | None, object]
    try:
        outcome = None, work()
    except (BankError, Untranslatable) as error:  # raised again in the parent
        outcome = error, None
    except MemoryError:
        raise
    except Exception:  # a bug of ours: pass the traceback on as text
        outcome = RuntimeError(traceback.format_exc()), None
    with os.fdopen(write, "wb") as pipe:
        pickle.dump(outcome, pipe)
