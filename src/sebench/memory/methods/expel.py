"""ExpeL (arXiv:2308.10144): gather experience, extract rules from it, and recall rules with similar successes.

1. **Gather.** The model tries every task, with or without documentation (`--study-book`). After a failure it reflects
   and retries with its reflections before the prompt, at most `--retries` times. Tasks do not depend on each other.
2. **Extract.** For each failed trial of a task that was eventually solved, one call compares it with the success. Then
   there is one call for every `--chunk` successes. Each call may change the rules with at most four operations
   (`memory/rule_list.py`).
3. **Recall.** A prompt shows the rules, and the `--successes` training tasks whose questions are most similar to the
   one being asked, with their answers.

`--successes 0` recalls only rules, and `--rules 0` only successes. With `--study-gold` nothing is gathered: gold
(reference) solutions replace the model's own answers. `--facts` lets rules name functions; the original asks for
general rules.

Differences from the original: a trial is a single-turn answer, not a sequence of agent steps; similarity is BM25, not
embeddings; operations are lines with rule numbers, and rules may contain code and colons; the budget is enforced; there
is only one fold.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from functools import partial

from sebench.base.extract import extract
from sebench.base.records import Task
from sebench.memory import material
from sebench.memory.folder import Memory, Snapshot
from sebench.memory.kinds import Entry, tokens
from sebench.memory.methods import replies, texts
from sebench.memory.methods.session import Event, JudgedAnswer, StudySession
from sebench.memory.playbook import OperationOutcome
from sebench.memory.rule_list import RuleList, RuleOperation
from sebench.world.prompts import OPEN

RULES_SHARE = 4  # rules get 1/4 of the budget if answers are recalled too
MALFORMED = "malformed lines"
JOINT = 2  # maximum tokens for the separator between two entries


class Expel:
    """One ExpeL study."""

    def __init__(self, session: StudySession) -> None:
        self.session, self.config = session, session.study.config
        self.rules = RuleList()
        self.tasks = {task.id: task for task in session.tasks}

    async def study(self) -> Memory:
        trials = [(task.id, partial(self.experience, task)) for task in self.session.tasks]
        gathered = await self.session.steps("experience", trials, "tasks tried")
        solved = [line for line in gathered if line["solved"]]
        self.entries = self.chosen_entries(solved)
        if self.config.rules:
            await self.extract(solved)
        snapshot = self.snapshot(self.rules)
        validated = await self.session.validation("final", snapshot)
        return await self.session.finish(
            snapshot, validated, tasks=len(gathered), solved=len(solved), rules=len(self.rules.rules)
        )

    # ---- gather

    async def experience(self, task: Task) -> Event:
        """Try one task until it is solved or the retries are used up."""
        if self.config.study_gold and task.gold:
            right = JudgedAnswer(f"```python\n{task.gold.strip()}\n```", True, "passed")
            return {"trials": [asdict(right)], "reflections": [], "solved": True}
        trials: list[JudgedAnswer] = []
        reflections: list[str] = []
        empty = 0
        prompt = self.session.prompter.prompt(task, self.config.study_book).text
        while True:
            before = (
                texts.fill("expel_again", reflections="\n".join(f"- {one}" for one in reflections))
                if reflections
                else ""
            )
            tried = await self.session.attempt(task, before + prompt, len(trials), self.config.study_book)
            trials.append(tried)
            if tried.right is not False or len(trials) > self.config.retries:
                break
            reflect_prompt = texts.fill(
                "expel_reflect", prompt=prompt, answer=replies.without_thinking(tried.answer), verdict=tried.verdict
            )
            reflection = replies.one_line_reflection(
                await self.session.say(reflect_prompt, f"reflect/{task.id}", len(trials), OPEN)
            )
            reflections += [reflection] if reflection else []
            empty += not reflection
        return {
            "trials": [asdict(one) for one in trials],
            "reflections": reflections,
            "solved": trials[-1].right is True,
            "counts": {"empty reflections": empty} if empty else {},
        }

    # ---- extract

    async def extract(self, solved: Sequence[Event]) -> None:
        """Let the model improve the rules, one call at a time."""
        work = [*self.comparisons(solved), *self.chunks(solved)]
        for place, (about, name, fields, ids) in enumerate(work):
            self.session.progress("rule updates", place, len(work))
            line = await self.session.step("rules", about, partial(self.improve, about, name, fields, ids))
            if line["accepted"]:
                self.rules = self.apply([RuleOperation(**one) for one in line["operations"]])[0]

    def comparisons(self, solved: Sequence[Event]) -> Iterator[tuple[str, str, dict[str, str], list[str]]]:
        for line in solved:
            task, (*failures, success) = self.tasks[line["about"]], line["trials"]
            for place, failure in enumerate(failures):
                fields = {
                    "question": task.question,
                    "failure": replies.without_thinking(failure["answer"]),
                    "verdict": failure["verdict"],
                    "success": replies.without_thinking(success["answer"]),
                }
                yield f"compare/{task.id}/{place}", "expel_compare", fields, [task.id]

    def chunks(self, solved: Sequence[Event]) -> Iterator[tuple[str, str, dict[str, str], list[str]]]:
        order = random.Random(f"successes:{self.config.seed}").sample(list(solved), len(solved))
        for start in range(0, len(order), self.config.chunk):
            part = order[start : start + self.config.chunk]
            successes = [
                f"{self.tasks[one['about']].question}\n\n{replies.without_thinking(one['trials'][-1]['answer'])}"
                for one in part
            ]
            fields = {"successes": "\n\n---\n\n".join(successes)}
            yield f"successes/{start // self.config.chunk}", "expel_successes", fields, [one["about"] for one in part]

    async def improve(self, about: str, name: str, fields: dict[str, str], ids: Sequence[str]) -> Event:
        full = len(self.rules.rules) >= self.config.rules
        prompt = texts.fill(
            name,
            **fields,
            package=self.session.study.world.names.package,
            rules=self.rules.text() or texts.EMPTY,
            kind=texts.fill("expel_facts" if self.config.facts else "expel_general").strip(),
            forms=texts.fill("expel_forms_all" if self.rules.rules else "expel_forms_add").strip()
            + (texts.fill("expel_full") if full else ""),
        )
        read = replies.rule_operations(await self.session.say(prompt, about, book=OPEN))
        changed, outcomes = self.apply(read.items)
        functions = {path for id in ids for path in self.tasks[id].functions}
        gate = await self.session.gate(about, self.snapshot(self.rules), self.snapshot(changed), functions, ids)
        operations = [asdict(one) for one in read.items]
        return {"operations": operations, "outcomes": outcomes, **gate, "counts": counts(read.malformed, outcomes)}

    def apply(self, operations: Sequence[RuleOperation]) -> tuple[RuleList, list[OperationOutcome]]:
        return self.rules.apply(operations, self.rules_fit, self.config.rules)

    # ---- recall

    @property
    def rules_budget(self) -> int:
        return self.config.budget // (RULES_SHARE if self.config.successes else 1)

    def rules_fit(self, text: str) -> bool:
        return not self.config.budget or tokens(_preface(text)) <= self.rules_budget

    def chosen_entries(self, solved: Sequence[Event]) -> list[Entry]:
        """Return the successes that can be recalled: those short enough that any `--successes` of them fit alongside
        the rules."""
        most = self.config.successes
        if not most:
            return []
        entries = []
        for line in solved:
            task = self.tasks[line["about"]]
            code = extract(line["trials"][-1]["answer"], task.entry).code
            entries.append(material.worked_answer(task, code, self.session.study.world))
        room = self.config.budget - (self.rules_budget if self.config.rules else 0)
        short = [one for one in entries if not self.config.budget or tokens(one.text) + JOINT <= room // most]
        if len(short) < len(entries):
            self.session.counts["answers too long for the budget"] += len(entries) - len(short)
        return short

    def snapshot(self, rules: RuleList) -> Snapshot:
        entries = [asdict(entry) for entry in self.entries]
        data = {"preface": _preface(rules.text()), "k": self.config.successes if entries else 0, "entries": entries}
        return Snapshot("search", {**data, "votes": [rule.votes for rule in rules.rules]})


def counts(malformed: int, outcomes: Iterable[OperationOutcome]) -> dict[str, int]:
    """Count the problems in a reply's operations."""
    wrong = Counter(str(outcome) for outcome in outcomes if outcome != OperationOutcome.APPLIED)
    return {**({MALFORMED: malformed} if malformed else {}), **wrong}


def _preface(rules: str) -> str:
    return f"## Rules from experience\n\n{rules}" if rules else ""
