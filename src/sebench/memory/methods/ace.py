"""ACE (arXiv:2510.04618): a generator, a reflector and a curator grow a playbook, one task after another.

1. **Generate.** The model gets a task with the playbook before the closed-book prompt, as in a test. Its answer also
   cites the bullets that it used.
2. **Reflect.** The model reflects on a wrong answer. It sees the verdict, the needed pages (`--study-book open`;
   without them closed-book attempts cannot succeed) and, with `--study-gold`, a correct program. The reflection tags
   bullets as helpful or harmful. The task is then retried with the reflection, at most `--retries` times. A first
   answer that is correct also gets one reflection.
3. **Curate.** After every `--together` tasks the curator turns the reflections into operations on the playbook
   (`memory/playbook.py`): only ADD, or with `--operations all` also UPDATE, MERGE and REMOVE. `--deduplicate` then
   drops duplicate bullets.

Offline, ACE goes through the tasks `--epochs` times, evaluates on the validation tasks every `--validate-every` tasks
and at the end, and keeps the best playbook (the latest, if several are equally good). Online (`--window N`), it goes
through them once, in windows: it first tests on the whole window, then studies it. The log records the accuracy over
all windows, and the last playbook is kept.

Differences from the original: the budget is enforced; UPDATE, MERGE and REMOVE work; counters are not in the prompt;
the final playbook is always evaluated; duplicates are detected by their words, not by embeddings; no extra answers are
requested just to track progress; and `--together` tasks may be tried concurrently with one playbook and share a
curation (in the original, this number is 1).
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial

from sebench.base.records import Task
from sebench.memory.folder import Memory, Snapshot
from sebench.memory.kinds import tokens
from sebench.memory.methods import replies, texts
from sebench.memory.methods.expel import MALFORMED, counts
from sebench.memory.methods.replies import Reflection
from sebench.memory.methods.session import Event, JudgedAnswer, StudySession, count_right
from sebench.memory.playbook import ADD, OPERATIONS, SECTIONS, Operation, OperationOutcome, Playbook
from sebench.world.prompts import OPEN

ENABLED = {"add": (ADD,), "all": OPERATIONS}
INVENTED, EMPTY = "invented ids", "empty reflections"


@dataclass
class _Trials:
    """The attempts at one task."""

    right: list[bool | None] = field(default_factory=list)
    verdicts: list[str] = field(default_factory=list)
    tags: list[Mapping[str, str]] = field(default_factory=list)
    reflection: str = ""  # the last one
    counts: dict[str, int] = field(default_factory=dict)

    def trouble(self, what: str, count: int = 1) -> None:
        if count:
            self.counts[what] = self.counts.get(what, 0) + count


class Ace:
    """One ACE study."""

    def __init__(self, session: StudySession) -> None:
        self.session, self.config = session, session.study.config
        self.package = session.study.world.names.package
        self.playbook = Playbook()
        self.best, self.best_right = self.playbook, -1.0
        self.pending: list[tuple[Task, str]] = []  # reflections that the curator has not seen yet
        self.studied = self.curated = 0
        self.online: list[bool | None] = []

    async def study(self) -> Memory:
        online = self.config.window > 0
        passes = 1 if online else self.config.epochs
        self.total = passes * len(self.session.tasks)
        for epoch in range(passes):
            order = random.Random(f"epoch:{self.config.seed}:{epoch}").sample(self.session.tasks, self.total // passes)
            for window in _parts(order, self.config.window) if online else [order]:
                if online:
                    self.online += await self.test_window(window)
                await self.learn(window)
        await self.evaluate("final")
        chosen = self.playbook if online else self.best
        results = {"online": count_right(self.online)} if online else {}
        return await self.session.finish(
            snapshot(chosen), self.best_right, bullets=len(chosen.bullets), curations=self.curated, **results
        )

    async def learn(self, tasks: Sequence[Task]) -> None:
        every = self.config.validate_every
        for group in _parts(tasks, self.config.together):
            epoch = self.studied // max(len(self.session.tasks), 1)
            lines = await self.session.steps(
                "item", [(f"{epoch}/{task.id}", partial(self.item, task)) for task in group]
            )
            for task, line in zip(group, lines, strict=True):
                for tags in line["tags"]:
                    self.playbook = self.playbook.with_tags(tags)
                self.pending += [(task, line["reflection"])] if line["reflection"] else []
            before, self.studied = self.studied, self.studied + len(group)
            self.session.progress("tasks studied", self.studied, self.total)
            if self.pending:
                await self.curate()
            if not self.config.window and self.studied // every > before // every:
                await self.evaluate(str(self.studied))

    # ---- generator and reflector

    async def item(self, task: Task) -> Event:
        done = _Trials()
        tried = await self.generate(task, done)
        if tried.right is True:
            await self.reflect(task, tried, done)
        for number in range(1, self.config.retries + 1):
            if tried.right is not False:
                break
            await self.reflect(task, tried, done, number)
            tried = await self.generate(task, done, number)
        return asdict(done)

    async def generate(self, task: Task, done: _Trials, number: int = 0) -> JudgedAnswer:
        """Answer a task with the playbook, and with the last reflection if there is one."""
        prompt = self.session.closed_prompt(task, self.playbook.text())
        prompt += texts.fill("ace_cite") if self.playbook.bullets else ""
        prompt += texts.fill("ace_again", reflection=done.reflection) if done.reflection else ""
        tried = await self.session.attempt(task, prompt, number)
        done.right.append(tried.right)
        done.verdicts.append(tried.verdict)
        return tried

    async def reflect(self, task: Task, tried: JudgedAnswer, done: _Trials, number: int = 0) -> None:
        cited = replies.cited_bullets(tried.answer)
        known = self.playbook.find(cited)
        done.trouble(INVENTED, len(cited) - len(known))
        book, gold = self.session.pages(task), self.config.study_gold
        prompt = texts.fill(
            "ace_reflect",
            package=self.package,
            question=task.question,
            answer=replies.without_thinking(tried.answer),
            verdict=tried.verdict,
            material=(texts.fill("ace_pages", pages=book) if book else "")
            + (texts.fill("ace_gold", gold=task.gold.strip()) if gold and task.gold else ""),
            bullets="\n".join(bullet.line() for bullet in known) or "(none)",
            tags="".join(texts.fill("ace_tag", id=bullet.id) for bullet in known),
        )
        read = replies.reflection(await self.session.say(prompt, f"reflect/{task.id}", number, OPEN))
        done.trouble(MALFORMED, read.malformed)
        reflection = read.items[0] if read.items else Reflection()
        allowed = {bullet.id for bullet in known}
        done.trouble(INVENTED, len(reflection.tags.keys() - allowed))
        done.tags.append({name: tag for name, tag in reflection.tags.items() if name in allowed})
        done.trouble(EMPTY, not reflection.text())
        done.reflection = reflection.text() or done.reflection

    # ---- curator

    async def curate(self) -> None:
        """Let the curator change the playbook."""
        self.curated += 1
        line = await self.session.step("curation", str(self.curated), self.curation)
        if line["accepted"]:
            self.playbook = self.apply([Operation.from_json(one) for one in line["operations"]])[0]
        self.pending = []

    async def curation(self) -> Event:
        reply = await self.session.say(self.curator_prompt(), f"curate/{self.curated}", book=OPEN)
        read = replies.operations(reply)
        changed, outcomes, same = self.apply(read.items)
        tasks = [task for task, _ in self.pending]
        functions = {path for task in tasks for path in task.functions}
        gate = await self.session.gate(
            str(self.curated), snapshot(self.playbook), snapshot(changed), functions, [task.id for task in tasks]
        )
        changes = {"operations": [asdict(one) for one in read.items], "outcomes": outcomes, "same": same}
        return {**changes, **gate, "counts": counts(read.malformed, outcomes)}

    def curator_prompt(self) -> str:
        return texts.fill(
            "ace_curate",
            package=self.package,
            step=self.studied,
            steps=self.total,
            budget=f"{self.config.budget:,}" if self.config.budget else "any number of",
            size=f"{tokens(self.playbook.text()):,}",
            **self.playbook.statistics(),
            playbook=self.playbook.text(counters=True) or texts.EMPTY,
            reflections="\n\n".join(f"Task: {task.question}\n{reflection}" for task, reflection in self.pending),
            sections=", ".join(SECTIONS.values()),
            forms=texts.fill(f"ace_forms_{self.config.operations}").strip(),
        )

    def apply(self, operations: Sequence[Operation]) -> tuple[Playbook, list[OperationOutcome], int]:
        """Apply the operations. Return the new playbook, the outcome of each, and the number of duplicate bullets
        dropped."""
        playbook, outcomes, same = self.playbook, [], 0
        for operation in operations:
            playbook, outcome = playbook.apply(operation, self.session.fits, ENABLED[self.config.operations])
            outcomes.append(outcome)
        if self.config.deduplicate:
            playbook, same = playbook.without_duplicates()
        return playbook, outcomes, same

    # ---- evaluating

    async def evaluate(self, about: str) -> None:
        """Evaluate on the validation tasks, and keep the playbook if it is at least as good as the best so far."""
        right = await self.session.validation(about, snapshot(self.playbook))
        if right >= self.best_right or self.config.window:
            self.best, self.best_right = self.playbook, right

    async def test_window(self, window: Sequence[Task]) -> list[bool | None]:
        """Test the playbook on tasks that it was not built from."""

        async def do() -> Event:
            return {"right": await self.session.right(window, snapshot(self.playbook))}

        return list((await self.session.step("window", f"{self.studied}", do))["right"])


def snapshot(playbook: Playbook) -> Snapshot:
    """Return the snapshot: the text that is recalled, plus the counters for human readers."""
    votes = [[bullet.id, bullet.helpful, bullet.harmful] for bullet in playbook.bullets]
    return Snapshot("text", {"text": playbook.text(), "votes": votes})


def _parts(tasks: Sequence[Task], size: int) -> Iterator[list[Task]]:
    return (list(tasks[start : start + size]) for start in range(0, len(tasks), size))
