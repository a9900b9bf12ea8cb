"""A scripted model that studies by a fixed rule: a writer that notes down what it is shown, paired with the reader in
`models/scripted.py`.

Shown pages, the writer writes down their index lines; shown a program, the index lines of the functions in it; shown a
reflection, bullets about its functions. So the content of a memory follows exactly from what the method showed, and
what the reader can solve follows from the memory. The model is meant for tests and trial runs of a method (`--model
reader`).

It reads only the text of a prompt, so it can also be served from an endpoint.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from sebench.memory.methods import texts
from sebench.models.model import Completion, Model, Sampling
from sebench.models.scripted import READER, read_by_name
from sebench.rollout import models
from sebench.rollout.config import RunConfig
from sebench.world.mentions import mentioned_functions
from sebench.world.prompts import Prompt
from sebench.world.world import World

MOST = 4  # maximum rule operations per reply


def check(config: RunConfig) -> None:
    """Raise an error if `load` would fail for this model."""
    if config.model != READER or config.base_url:
        models.check(config, writes=True)


def load(config: RunConfig, world: World, memory_tokens: int) -> Model:
    """Load the model that studies: the scripted pair, or any model that can write. Its context must have room for
    prompts with a memory of `memory_tokens` tokens."""
    if config.model == READER and not config.base_url:
        return Pair(world)
    return models.load_writer(config, world, memory_tokens)


class Pair:
    """Writes and reads by a fixed rule."""

    concurrency = 8

    def __init__(self, world: World) -> None:
        self.world = world
        self.lines = {page.path: f"`{page.signature}`: {page.summary}" for page in world.pages}

    async def complete(self, prompt: Prompt, sampling: Sampling, seed: int) -> Completion:
        text = self.reply(prompt.text)
        return Completion(text, "stop", len(prompt.text.split()), len(text.split()))

    async def close(self) -> None:
        return

    def reply(self, prompt: str) -> str:
        """Return the reply to a prompt."""
        writers: dict[str, Callable[[str], str]] = {
            "expel_reflect": lambda prompt: "The name was a guess; the page has it.",
            "expel_compare": self._rules,
            "expel_successes": self._rules,
            "ace_reflect": self._reflection,
            "ace_curate": self._operations,
            "notes_append": self._notes,
            "notes_rewrite": self._all_notes,
        }
        by_title = {texts.title(name): write for name, write in writers.items()}
        return by_title.get(prompt.partition("\n")[0], self._answer)(prompt)

    def _answer(self, prompt: str) -> str:
        used = [
            id
            for id, text in re.findall(r"(?m)^- \[(\w+-\d+)\] (.*)$", prompt)
            if mentioned_functions(text, self.world.names)
        ]
        citation = f"\n\nused: {', '.join(used) or 'none'}" if texts.fill("ace_cite") in prompt else ""
        return read_by_name(self.world, prompt) + citation

    def _rules(self, prompt: str) -> str:
        material, _, rules = prompt.partition("\n## Rules so far\n")
        material = material.partition("\n## The program that is right\n")[2] or material
        new = self._new_lines(material, rules)
        return "\n".join(f"ADD: {line}" for line in new[:MOST]) or ("AGREE 1" if "\n1. " in rules else "")

    def _reflection(self, prompt: str) -> str:
        notes = prompt.partition("\n## Notes that the attempt used\n")[2]
        tags = re.findall(r"(?m)^- \[(\w+-\d+)\]", notes)
        lines = [f"INSIGHT: {' '.join(self._pages(prompt))}", *(f"TAG {id}: helpful" for id in tags)]
        return "\n".join(lines)

    def _operations(self, prompt: str) -> str:
        playbook, _, reflections = prompt.partition("\n## Reflections\n")
        new = self._new_lines(reflections, playbook)
        return "\n".join(f"ADD names and signatures: {line}" for line in new) or "NONE"

    def _notes(self, prompt: str) -> str:
        return "\n".join(("```notes", *(f"- {line}" for line in self._pages(prompt)), "```"))

    def _all_notes(self, prompt: str) -> str:
        old = prompt.partition("\n## Your notes so far\n")[2].partition("\n## Pages\n")[0].strip()
        lines = [] if old == texts.EMPTY else [old]
        return "\n".join(("```notes", *lines, *(f"- {line}" for line in self._pages(prompt)), "```"))

    def _pages(self, prompt: str) -> list[str]:
        return [self.lines[page.path] for page in self.world.pages if page.text.strip() in prompt]

    def _new_lines(self, text: str, known: str) -> list[str]:
        """Return the index lines of the functions that a text names, except those that are already known."""
        there = mentioned_functions(known, self.world.names)
        return [self.lines[path] for path in mentioned_functions(text, self.world.names) if path not in there]
