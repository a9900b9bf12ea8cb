"""Builds the splits of a world from the bank and the forged package.

For each task, it draws cases from the seed, adds more where a mutant survives, translates gold and runs it twice in the
forged package, and finds the task's core with a proof that gold depends on it. A task that fails is a bank defect, and
the build reports it. The files do not name the source library: a task's functions are stored as forged paths.
"""

from __future__ import annotations

import json
import math
import pickle
import re
import signal
from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from sebench.bank.definition import Definition, bank
from sebench.bank.kinds import Mood
from sebench.base import child
from sebench.base.errors import BankError, WorldError
from sebench.base.extract import DECLINE
from sebench.base.records import Case, CoreFunction, Prior, Task, TaskCard
from sebench.base.wording import describe_error
from sebench.forge.catalog import catalog
from sebench.forge.docs import parameter_renaming
from sebench.forge.names.naming import Names
from sebench.forge.translate.translate import Translator
from sebench.tasks import boundary, cards, cases, core, folders, gold, mutants, priors, rules, slices, splits, transfer
from sebench.tasks.edition import Edition
from sebench.tasks.folders import BankFolder
from sebench.values.equality import Profile, difference
from sebench.values.literals import parse_inputs
from sebench.values.tagged import encode

_ID = re.compile(r'\{"id": "([^"\\]+)"')
SHOWN_CHARACTERS = 2_000  # of a case's input and output, when displayed
EXTRA = 12  # further cases that may be drawn to kill a mutant


@dataclass(frozen=True)
class MutantCounts:
    """How well the tasks of a world distinguish gold from its mutants."""

    killed: int = 0
    equivalent: int = 0
    survived: int = 0

    def __add__(self, other: MutantCounts) -> MutantCounts:
        return MutantCounts(
            self.killed + other.killed, self.equivalent + other.equivalent, self.survived + other.survived
        )


def definitions(functions: frozenset[str], banks: Sequence[BankFolder] = ()) -> tuple[Definition, ...]:
    """Return the tasks in the bank and in bank folders that need only these functions."""
    every = (*bank(), *(d for folder in banks for d in folder.definitions))
    return tuple(d for d in every if slices.fits(d, functions))


def draw_cases(definition: Definition, seed: int) -> tuple[cases.DrawnCases, MutantCounts]:
    """Draw the cases of a task: some in every mood, and more if a mutant survives them."""
    stream = cases.Stream(definition, seed)
    first_draw = cases.draw(definition, stream)
    report = mutants.MutantTrial(definition, first_draw.scored, near=True)
    more: list[Case] = []
    for _ in range(EXTRA):
        if not report.alive:
            break
        for case in stream(Mood.PLAIN):
            if report.kills(case):
                more.append(case)
    score = MutantCounts(report.killed, len(report.equivalent), len(report.alive))
    scored = (*first_draw.scored, *more)
    return cases.DrawnCases(first_draw.examples, (*scored, *cases.balancing(definition, scored, stream))), score


def build(
    names: Names,
    library: ModuleType,
    pages: Mapping[str, str],
    seed: int,
    way: str,
    progress: Callable[[str, int, int], None],
    workers: int = 1,
    banks: Sequence[BankFolder] = (),
    edition: Edition | None = None,
) -> tuple[list[Task], MutantCounts]:
    """Build every task of a world, first the bank's and then those of bank folders, and count how many mutants they
    kill. `pages` maps forged paths to the world's pages.
    """
    entries = {path: catalog.by_any_name()[path] for path in names.functions}
    chosen = definitions(frozenset(entry.path for entry in entries.values()), banks)
    proofs = core.Proofs(names, entries, library)
    translator = Translator(names)
    numpy_pages = {
        path: parameter_renaming.to_numpy_names(pages[forged], names) for path, forged in names.functions.items()
    }
    changed = priors.PriorFinder(names, library, numpy_pages)
    stale = priors.StaleFinder(edition, names, library) if edition else None
    built: list[Definition] = []
    tasks: list[Task] = []
    score = MutantCounts()
    with closing(_draw_all(chosen, seed, workers)) as draws:  # cancels pending work, even after Ctrl-C
        for number, (definition, (cases_drawn, own)) in enumerate(zip(chosen, draws, strict=True)):
            progress("tasks", number, len(chosen))
            prior: tuple[Prior, ...] = ()
            if changed.concern(definition):
                prior = changed.prior(definition, cases_drawn.scored)
                if not prior:
                    continue  # it does not show the change
                own += MutantCounts(killed=1)  # the answer that treats the functions as NumPy's
            task = task_of(definition, cases_drawn, "", translator.code(definition.source))
            functions = tuple(translator.find(path) or path for path in task.functions)
            task = replace(task, functions=functions, prior=prior)
            try:
                verify(definition, task, library, names)
                task = replace(task, core=proofs.core(definition, task), card=cards.card(definition, names, pages))
            except BankError:
                if not prior:
                    raise
                continue  # with the changed functions it is not the same task
            try:
                tasks.append(stale.compared(definition, task) if stale else task)
            except priors.EndlessView:
                continue  # no judge could tell that the old solution is stale
            score += own
            built.append(definition)
    placed = splits.assign(built, seed, way, edition)
    _prove_transfer(built, tasks, numpy_pages)
    return [replace(task, split=placed[task.id]) for task in tasks], score


def boundary_tasks(
    names: Names,
    left_out: Sequence[str],
    seed: int,
    workers: int = 1,
    edition: Edition | None = None,
) -> tuple[list[Task], MutantCounts]:
    """Build the tasks about functions that were left out. Questions, cases and expected values are as usual, but the
    right answer is to decline. `names` includes the functions that were left out.
    """
    chosen = boundary.tasks(left_out)
    tasks: list[Task] = []
    score = MutantCounts()
    with closing(_draw_all(chosen, seed, workers)) as draws:
        for definition, (cases_drawn, own) in zip(chosen, draws, strict=True):
            score += own
            task = task_of(definition, cases_drawn, splits.BOUNDARY_TEST, f"{DECLINE}\n")
            if edition and (gone := edition.name_removed(rules.subject(definition))):
                task = replace(task, edition=priors.REMOVED, gone=gone)
            tasks.append(replace(task, card=cards.card(definition, names, {})))
    return tasks, score


def _prove_transfer(chosen: Sequence[Definition], tasks: Sequence[Task], pages: Mapping[str, str]) -> None:
    """Check that every transfer task needs something that is on the page but that no possible training task shows."""
    about = [d for d in chosen if d.part in rules.ONE_FUNCTION]
    tested = {rules.subject(d) for d in about if d.part == "transfer"}
    drawn = {task.id: (*task.examples, *task.cases) for task in tasks}
    facts = {d.name: transfer.facts(d, drawn[d.name]) for d in about if rules.subject(d) in tested}
    for definition in about:
        if definition.part == "transfer":
            path = rules.subject(definition)
            training_facts = [facts[d.name] for d in about if d.part == "single" and rules.subject(d) == path]
            for problem in transfer.missing_proof(
                definition, facts[definition.name], frozenset().union(*training_facts), pages[path]
            ):
                raise definition.error(problem)


def _draw_all(
    chosen: Sequence[Definition], seed: int, workers: int
) -> Generator[tuple[cases.DrawnCases, MutantCounts], None, None]:
    if workers < 2:
        # Pickled as between processes: the order in which a set is written may change with each copy.
        yield from (pickle.loads(pickle.dumps(draw_cases(definition, seed))) for definition in chosen)
        return
    pool = ProcessPoolExecutor(workers, initializer=_begin)
    try:
        named = [(d.name, d.folder, d.file) for d in chosen]  # gold is a function, which cannot be pickled
        yield from pool.map(_draw_by_name, *zip(*named, strict=True), [seed] * len(chosen), chunksize=16)
    finally:
        pool.shutdown(cancel_futures=True)


def _begin() -> None:
    """Set up a worker process: it ends when its parent ends, and leaves Ctrl-C to the parent."""
    child.end_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _draw_by_name(name: str, folder: str, file: Path, seed: int) -> tuple[cases.DrawnCases, MutantCounts]:
    return draw_cases(_by_name(folder, file if folder else None)[name], seed)


@cache
def _by_name(folder: str, file: Path | None) -> Mapping[str, Definition]:
    """Return the tasks in the bank, or in the file of a bank folder, by name. Worker processes call this."""
    return {d.name: d for d in (folders.definitions(file, folder) if file else bank())}


def verify(definition: Definition, task: Task, library: ModuleType, names: Names) -> None:
    """Run the translated gold twice in the forged package: it must return the expected values both times."""
    array = getattr(library, names.array)
    space: dict[str, Any] = {}
    exec(compile(task.gold, f"<gold of {task.id}>", "exec"), space)
    for case in (*task.examples, *task.cases) * 2:
        try:
            value = core.to_python(gold.fresh(space[task.entry], case.inputs), array)
            wrong = difference(encode(case.expected), encode(value), Profile.STRICT, task.rtol, task.atol)
        except Exception as error:
            raise definition.error(f"gold fails in the forged package: {type(error).__name__}: {error}") from None
        if wrong is not None:
            raise definition.error(f"gold returns a different answer in the forged package: {wrong}")


# ---- as lines of JSON -----------------------------------------------------------------------------------------


def task_of(definition: Definition, drawn: cases.DrawnCases, split: str, answer: str) -> Task:
    """Make a task from a definition, with these cases and this answer."""
    return Task(
        id=definition.name,
        question=definition.question,
        entry=definition.name,
        parameters=tuple(definition.inputs),
        cases=drawn.scored,
        functions=gold.functions(definition.source),
        split=split,
        examples=drawn.examples,
        gold=answer,
    )


def to_json(task: Task, names: Names) -> dict[str, Any]:
    """Convert a task to its JSON line. Cases are Python literals, so that every value keeps its type and any tool can
    read the line."""
    return {
        "id": task.id,
        "split": task.split,
        "question": task.question,
        "signature": task.signature,
        "entry": task.entry,
        "parameters": list(task.parameters),
        "functions": [names.functions[path] for path in task.functions],
        "core": [_core(one, names) for one in task.core],
        "examples": [_case(case) for case in task.examples],
        "cases": [_case(case) for case in task.cases],
        "gold": task.gold,
        "card": task.card.to_json(),
        "rtol": task.rtol,
        "atol": task.atol,
        **({"published": dict(task.published)} if task.published else {}),
        **{key: list(map(_prior, some)) for key in ("prior", "stale") if (some := getattr(task, key))},
        **({"edition": task.edition} if task.edition else {}),
        **({"gone": list(task.gone)} if task.gone else {}),
    }


def from_json(data: Mapping[str, Any], names: Names) -> Task:
    """Parse a task from its JSON line; raise ValueError, KeyError or TypeError if that fails."""
    original = {forged: path for path, forged in names.functions.items()}
    task = Task(
        id=data["id"],
        split=data["split"],
        question=data["question"],
        entry=data["entry"],
        parameters=tuple(data["parameters"]),
        functions=tuple(original[f] for f in data["functions"]),
        core=tuple(_read_core(one, original) for one in data.get("core", ())),
        examples=tuple(map(_read_case, data["examples"])),
        cases=tuple(map(_read_case, data["cases"])),
        gold=data["gold"],
        card=TaskCard.from_json(data.get("card", {})),
        rtol=data["rtol"],
        atol=data["atol"],
        published=data.get("published", {}),
        prior=tuple(map(_read_prior, data.get("prior", ()))),
        edition=data.get("edition", ""),
        stale=tuple(map(_read_prior, data.get("stale", ()))),
        gone=tuple(data.get("gone", ())),
    )
    _check(task)
    return task


def _check(task: Task) -> None:
    """Raise ValueError for a task that no judge could score, since lines may have been written by other tools."""
    for name in (task.entry, *task.parameters):
        if not isinstance(name, str) or not name.isidentifier():
            raise ValueError(f"{name!r} is not a valid name for a function or an argument")
    if not isinstance(task.published, Mapping):
        raise ValueError("'published' must be an object")
    if not (isinstance(task.id, str) and isinstance(task.split, str) and isinstance(task.gold, str)):
        raise ValueError("'id', 'split' and 'gold' must be strings")
    for name, value in (("rtol", task.rtol), ("atol", task.atol)):
        if not isinstance(value, int | float) or not 0 <= value < math.inf:
            raise ValueError(f"{name!r} is {value!r}, which is not a valid tolerance")
    for name, priors_ in (("prior", task.prior), ("stale", task.stale)):
        if priors_ and len(priors_) != len(task.cases):
            raise ValueError(f"{name!r} must have one entry for each case")
    for case in (*task.examples, *task.cases):
        if missing := [name for name in task.parameters if name not in case.inputs]:
            raise ValueError(f"a case of task {task.id!r} has no argument {missing[0]!r}")


def lines(file: Path) -> dict[str, str]:
    """Return the lines of a world's own file by task id, without parsing them: each line begins with the id."""
    line_of = {}
    for line in file.read_text("utf-8").splitlines():
        begin = _ID.match(line)
        if begin is None:
            raise WorldError(f"{file}: a line does not begin with the id of its task; rebuild the world")
        line_of[begin[1]] = line
    return line_of


def read(file: Path, names: Names) -> tuple[Task, ...]:
    """Read the tasks of a file."""
    tasks: list[Task] = []
    try:
        lines = file.read_text("utf-8").splitlines()
    except (OSError, UnicodeError) as error:
        raise WorldError(f"{file} cannot be read: {describe_error(error)}") from None
    for number, line in enumerate(lines, 1):
        try:
            tasks.append(from_json(json.loads(line), names))
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise WorldError(
                f"{file}, line {number}: this is not a task of this world ({describe_error(error)})"
            ) from None
    return tuple(tasks)


def arguments(inputs: Mapping[str, Any]) -> str:
    """Format the arguments of a call as source text: "a=[1, 2], k=3"."""
    return ", ".join(f"{name}={value!r}" for name, value in inputs.items())


def _core(one: CoreFunction, names: Names) -> dict[str, Any]:
    others = [names.functions[path] for path in one.alternatives]
    return {"function": names.functions[one.path], "alternatives": others, "everywhere": one.everywhere}


def _read_core(data: Mapping[str, Any], original: Mapping[str, str]) -> CoreFunction:
    others = tuple(original[f] for f in data["alternatives"])
    return CoreFunction(original[data["function"]], others, bool(data["everywhere"]))


def facts(task: Task, names: Names) -> dict[str, Any]:
    """Return the facts about a task by which statistics are grouped, but nothing that gives away its answer."""
    known = [path for path in task.functions if path in names.functions]
    return {
        "id": task.id,
        "split": task.split,
        "signature": task.signature,
        "functions": list(task.functions),
        "forged": [names.functions[path] for path in known],
        "subjects": sorted({catalog.by_any_name()[path].subject for path in known}),
        "card": task.card.to_json(),
        **({"changed": [path for path in known if names.change(path)]} if task.prior else {}),
        **({"edition": task.edition} if task.edition else {}),
    }


def render_case(case: Case) -> dict[str, str]:
    """Format a case for display, with input and output each cut at `SHOWN_CHARACTERS`."""
    n = SHOWN_CHARACTERS
    return {part: text if len(text) <= n else f"{text[:n]} ..." for part, text in _case(case).items()}


def _prior(prior: Prior) -> dict[str, str]:
    return {"raised": prior.raised} if prior.raised else {"output": repr(prior.value)}


def _case(case: Case) -> dict[str, str]:
    return {"input": arguments(case.inputs), "output": repr(case.expected)}


def _read_prior(data: Mapping[str, str]) -> Prior:
    raised = data.get("raised", "")
    return Prior(raised=raised) if raised else Prior(_read_value(data["output"]))


def _read_case(data: Mapping[str, str]) -> Case:
    return Case(_read_arguments(data["input"]), _read_value(data["output"]))


# Most cases are numbers and lists of numbers, which JSON writes as Python does: parsing them as JSON is ten times
# faster.
_TOKEN = re.compile(r"(?:^|(?<=, ))([a-z_]\w*)=|True|False|None|nan|inf")
_WORDS = {"True": "true", "False": "false", "None": "null", "nan": "NaN", "inf": "Infinity"}  # in JSON


def _read_arguments(text: str) -> dict[str, Any]:
    if '"' not in text and "'" not in text:
        with suppress(ValueError):  # such as a complex number: parsed the slower way
            arguments: dict[str, Any] = json.loads("{" + _TOKEN.sub(_to_json_word, text) + "}")
            return arguments
    return parse_inputs(text, expressions=False)


def _to_json_word(token: re.Match[str]) -> str:
    return f'"{token[1]}":' if token[1] else _WORDS[token[0]]


def _read_value(text: str) -> Any:
    return _read_arguments(f"value={text}")["value"]
