"""How a task is answered: with one request, or with several if a memory consults the model or an answer is repaired.

An answer is stored under its first prompt (`first`), and the runner drives its `conversation`. An answer that takes a
single request has no conversation; only its response is stored.

Not covered: multi-turn chats. Every request is one prompt that contains everything the model needs to know.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from sebench.base.records import Task
from sebench.memory.conversations import Conversation, Talking, single, with_repair
from sebench.memory.recall import Recall
from sebench.world.mentions import mentioned_functions, needed_functions
from sebench.world.prompts import CLOSED, Prompt, Prompter
from sebench.world.world import World


@dataclass(frozen=True)
class Answering:
    """What is needed to answer a task: prompts, an optional memory, and self-repair."""

    world: World
    prompter: Prompter
    recall: Recall | None = None
    repair: int = 0

    def first(self, task: Task, book: str) -> Prompt:
        """Return the first prompt for an answer."""
        if self.recall is None or book != CLOSED:
            return self.prompter.prompt(task, book)
        if isinstance(self.recall.kind, Talking):
            opening = next(self.recall.kind.converse(task, self.prompter, book))
            return Prompt(str(opening), task.id, book)
        return self.prompter.prompt(task, book, self.recall.text(task).text)

    def conversation(self, task: Task, prompt: Prompt) -> Conversation | None:
        """Return the conversation for an answer that begins with this prompt; None if one request is enough."""
        talking = self.recall is not None and isinstance(self.recall.kind, Talking)
        if not talking and not self.repair:
            return None
        talk = single(prompt.text)
        if self.recall is not None and isinstance(self.recall.kind, Talking):
            talk = self.recall.kind.converse(task, self.prompter, prompt.book)
        return with_repair(talk, task, self.repair, self.prompter) if self.repair else talk

    def present(self, task: Task, prompts: list[str]) -> tuple[str, ...] | None:
        """Return the needed functions whose names appear in an answer's prompts; None if there is no memory."""
        if self.recall is None:
            return None
        functions = needed_functions(task, self.world)
        names = {path for text in prompts for path in mentioned_functions(text, self.world.names)}
        return tuple(path for path in functions if path in names)


def on_examples(task: Task) -> Task:
    """Return the task with its prompt's examples as its cases, and without anything that an interpreter could not
    know."""
    return replace(task, cases=task.examples, examples=(), core=(), gold="")
