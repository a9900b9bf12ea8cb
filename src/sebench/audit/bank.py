"""Checks the task bank: every rule, every gold (reference) solution, every mutant, and every question against every
other.

`sebench tasks check` prints the findings. If files are passed, only their tasks are run, but names and questions are
still compared with the whole bank.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from sebench.bank.definition import Definition
from sebench.bank.kinds import Mood
from sebench.base.errors import BankError
from sebench.base.records import Task
from sebench.forge.catalog import catalog
from sebench.forge.docs import parameter_renaming
from sebench.forge.translate.translate import Translator, Untranslatable
from sebench.judge.judge import Judge
from sebench.tasks import cases, dataset, gold, mutants, rules, similarity, splits, transfer
from sebench.world.world import World

FURTHER = 60  # additional draws of cases, to see whether a mutant survived by chance
TRAIN, TEST = 3, 1  # single-function tasks required for each function
COMPOSED = 2  # multi-function tasks that must use each function


@dataclass
class Findings:
    """The findings of a bank check."""

    problems: list[str] = field(default_factory=list)
    killed: int = 0
    equivalent: int = 0
    survived: int = 0  # mutants that this seed's cases do not kill; a problem only if no further case kills them either
    checked: int = 0
    passed: int = 0  # gold solutions that the judge accepts and credits
    per_function: Counter[str] = field(default_factory=Counter)  # single-function tasks
    composed: Counter[str] = field(default_factory=Counter)  # multi-function tasks

    @property
    def rate(self) -> float:
        counted = self.killed + self.survived
        return self.killed / counted if counted else 1.0


def check(
    bank: Sequence[Definition],
    chosen: Sequence[Definition],
    seed: int,
    judge: Judge,
    progress: Callable[[str, int, int], None],
) -> Findings:
    """Check the chosen tasks in the bank; gold solutions are judged in the judge's world. If that world's functions
    differ from NumPy's, tasks that it leaves out for this reason are only counted."""
    findings, world = Findings(), judge.world
    there = {name for split in splits.SPLITS for name in world.task_ids(split)} if world.names.changes else None
    judged: list[tuple[Definition, Task]] = []
    single = [(rules.subject(definition), definition) for definition in bank if definition.part == "single"]
    for number, definition in enumerate(chosen):
        progress("gold and mutants", number, len(chosen))
        in_world = there is None or definition.name in there
        judged += _check_one(definition, seed, findings, Translator(world.names) if in_world else None)
        if definition.part == "transfer" and in_world:
            path = rules.subject(definition)
            findings.problems += _transfer(definition, seed, [one for about, one in single if about == path], world)
    for number, verdict in enumerate(judge.judge_many((task, task.gold) for _, task in judged)):
        progress("judging gold", number, len(judged))
        findings.passed += verdict.targeted is True
        if not verdict.targeted:
            definition, task = judged[number]
            findings.problems.append(
                f"{definition.place}: the gold solution is judged {verdict.kind}: {verdict.detail}\n{task.gold}"
            )
    names = {definition.name for definition in chosen}
    places = {definition.name: definition.place for definition in bank}
    for alike, one, other in similarity.near_duplicates({d.name: d.question for d in bank}):
        if names & {one, other}:
            findings.problems.append(f"{places[other]}: the question is {alike:.0%} similar to that of {places[one]}")
    if chosen is bank:
        findings.problems += _whole_bank(bank, findings)
    return findings


def _transfer(definition: Definition, seed: int, training: Sequence[Definition], world: World) -> Iterator[str]:
    """Yield the reasons why a transfer task tests nothing beyond what these training tasks show."""
    page = parameter_renaming.to_numpy_names(world.page(rules.subject(definition)).text, world.names)
    own, trained = transfer.drawn_facts([definition], seed), transfer.drawn_facts(training, seed)
    for problem in transfer.missing_proof(definition, own, trained, page):
        yield f"{definition.place}: {problem}"


def _whole_bank(bank: Sequence[Definition], findings: Findings) -> Iterator[str]:
    """Yield problems with the bank as a whole, which are not the fault of any single task."""
    for entry in catalog.seeded():
        if findings.per_function[entry.path] < TRAIN + TEST:
            yield f"{entry.path}: {findings.per_function[entry.path]} single-function tasks; {TRAIN + TEST} are needed"
        if findings.composed[entry.path] < COMPOSED:
            yield f"{entry.path}: used in {findings.composed[entry.path]} multi-function tasks; {COMPOSED} are needed"
    multi = [d for d in bank if d.part == "multi"]
    fewer = [d.name for d in multi if len(rules.without_form(d.source)) < rules.COMPOSED]
    if len(fewer) > rules.FEWER * len(multi):
        yield (
            f"{len(fewer)} of {len(multi)} multi-function tasks use fewer than {rules.COMPOSED} functions that no "
            f"operator, indexing or array construction can replace; at most {rules.FEWER:.0%} may: {', '.join(fewer)}"
        )


def _check_one(
    definition: Definition, seed: int, findings: Findings, translator: Translator | None
) -> list[tuple[Definition, Task]]:
    """Check one task, and return the gold solutions that still have to be judged. Without a translator, check only the
    rules and the coverage."""
    broken = list(rules.violations(definition))
    findings.problems += [f"{definition.place}: {rule}" for rule in broken]
    if broken:
        return []
    if definition.part == "single":
        findings.per_function[rules.subject(definition)] += 1
    elif definition.part == "multi":
        findings.composed.update(gold.functions(definition.source))
    if translator is None:
        return []
    try:
        drawn, _ = dataset.draw_cases(definition, seed)
        answer = translator.code(definition.source)
    except BankError as error:
        findings.problems.append(str(error))
        return []
    except Untranslatable as error:
        findings.problems.append(f"{definition.place}: the gold solution cannot be translated: {error}")
        return []
    trial = mutants.MutantTrial(definition, drawn.scored)
    findings.checked += 1
    findings.killed += trial.killed
    findings.equivalent += len(trial.equivalent)
    findings.survived += len(trial.alive)
    others = cases.Stream(definition, seed)
    for _ in range(FURTHER if trial.alive else 0):
        for case in others(Mood.PLAIN, "further"):
            trial.kills(case)
    findings.problems += [f"{definition.place}: no case kills the mutant {mutant.name}" for mutant in trial.alive]
    return [(definition, dataset.task_of(definition, drawn, "", answer))]
