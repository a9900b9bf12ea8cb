"""Models without weights: scripted baselines of the benchmark, which also make whole runs possible in tests.

gold        answers with the gold (reference) solutions, including native and unanswerable tasks: the upper bound, 100 %
dictionary  answers with gold as if every function in the world behaved like NumPy's: what a dictionary of NumPy's names
            is worth where some functions differ
numpy       answers in NumPy: what prior knowledge alone is worth (0 %, and 100 % when asked about NumPy itself)
guess       has the right idea but invents the function names: 0 %, and every error is a hallucinated name
silent      returns no usable answer
decline     declines every task
reader      is correct exactly when its prompt contains the names of all functions that the task needs: the upper bound
            for a memory; if it may search, it searches with the summaries of the needed pages
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable

from sebench.base.extract import DECLINE
from sebench.base.records import Task
from sebench.forge.translate.translate import Translator
from sebench.models.model import Completion, Sampling
from sebench.world.mentions import mentioned_functions, needed_functions
from sebench.world.prompts import NATIVE, Prompt
from sebench.world.world import World

READER = "reader"
UNKNOWN = "I do not know this library."


Answer = Callable[[Task, int], str]  # maps a task and a seed to an answer


class Scripted:
    """Answers by a fixed rule."""

    concurrency = 64

    def __init__(self, world: World, answer: Answer, tasks: Iterable[Task] = (), native: bool = False) -> None:
        """With `native`, answer in NumPy when asked about NumPy."""
        self.world, self.answer, self.tasks = world, answer, {task.id: task for task in tasks}
        self.native = native

    async def complete(self, prompt: Prompt, sampling: Sampling, seed: int) -> Completion:
        task = self.tasks.get(prompt.task_id) or self.world.task(prompt.task_id)
        text = self.reply(task, prompt, seed)
        return Completion(text, "stop", len(prompt.text.split()), len(text.split()))

    def reply(self, task: Task, prompt: Prompt, seed: int) -> str:
        """Return the text of a response."""
        answer = numpy(self.world) if self.native and prompt.book == NATIVE else self.answer
        return answer(task, seed)

    async def close(self) -> None:
        return


class ScriptedReader(Scripted):
    """Answers from the content of the prompt. If a memory lets it search, it searches with the summaries of the needed
    pages, or looks up the first of them."""

    def reply(self, task: Task, prompt: Prompt, seed: int) -> str:
        text = read_by_name(self.world, prompt.text, task)
        there = mentioned_functions(prompt.text, self.world.names)
        lacking = [self.world.page(path).summary for path in needed_functions(task, self.world) if path not in there]
        if text != UNKNOWN or not lacking:
            return text
        if f"def {task.entry}(" not in prompt.text:
            return "\n".join(lacking)
        return f"SEARCH {lacking[0]}" if "SEARCH words" in prompt.text else UNKNOWN


def read_by_name(world: World, prompt: str, task: Task | None = None) -> str:
    """Return the gold answer if the prompt contains the names of all functions it needs. Without `task`, the task is
    the last one that the prompt asks for."""
    task = task or world.task(re.findall(r"(?m)^def (\w+)\(", prompt)[-1])
    names = world.manifest.matched_names.functions
    known = {names[path] for path in task.functions} <= set(mentioned_functions(prompt, world.names))
    return gold(task, 0) if known else UNKNOWN


def scripted(name: str, world: World, tasks: Iterable[Task] = ()) -> Scripted:
    """Return the scripted model with this name, for a world and imported tasks."""
    if name == READER:
        return ScriptedReader(world, silent, tasks)
    answers = {
        "gold": gold,
        "dictionary": dictionary(world),
        "numpy": numpy(world),
        "guess": guess(world),
        "silent": silent,
        "decline": decline,
    }
    return Scripted(world, answers[name], tasks, native=name in ("gold", "dictionary"))


def gold(task: Task, seed: int) -> str:
    return f"```python\n{task.gold}```"


def numpy(world: World) -> Answer:
    return lambda task, seed: f"```python\n{world.numpy_source(task)}```"


def dictionary(world: World) -> Answer:
    """Return a rule that answers with gold, written as if every function in the world behaved like NumPy's."""
    translator = Translator(world.manifest.matched_names.without_changes())
    return lambda task, seed: f"```python\n{translator.code(world.numpy_source(task)) if task.prior else task.gold}```"


def guess(world: World) -> Answer:
    names = world.manifest.matched_names

    def answer(task: Task, seed: int) -> str:
        rng = random.Random(f"guess:{seed}:{task.id}")
        text = Translator(names).code(world.numpy_source(task)) if task.boundary else task.gold
        for path in sorted((names.functions[p] for p in task.functions), key=len, reverse=True):
            invented = "".join(rng.choice("bdfgklmnprstvz") + rng.choice("aeiou") for _ in range(3))
            text = re.sub(
                rf"\b{re.escape(f'{world.names.package}.{path}')}\b", f"{world.names.package}.{invented}", text
            )
        return f"```python\n{text}```"

    return answer


def silent(task: Task, seed: int) -> str:
    return UNKNOWN


def decline(task: Task, seed: int) -> str:
    return f"```python\n{DECLINE}\n```"
