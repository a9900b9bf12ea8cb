"""Proposals of a round, from the pages alone: written freely, or as forms whose blanks a model fills.

free      one call for each target and number, with the author's prompt: the page, the kinds of input, and what this play has kept about
          the function so far. No question of the bank is in it, neither of the training split nor of a test split.
forms     the model answers with the numbers of its choices (`forms.py`); a reply in another form is a proposal that cannot be read.
likely    each blank by itself, drawn from how likely the model finds the numbers of the choices: for models that answer nothing but code.

Every reply is a line of a `CallLog`, so that a round that was interrupted asks for nothing twice.
"""

from __future__ import annotations

import asyncio
import json
import math
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from sebench.author import proposals
from sebench.author.proposals import Proposal
from sebench.errors import ConfigError, ProviderError
from sebench.learn import checkpoints, tokens
from sebench.learn.curriculum import Attempt
from sebench.learn.rows import TrainingRow
from sebench.learn.scoring import Scorer
from sebench.learn.selfplay import forms
from sebench.learn.selfplay.forms import Drafter, Form
from sebench.prompts import OPEN, Prompt
from sebench.rollout.calls import CallLog, Calls
from sebench.rollout.chat import Chat
from sebench.world import World

TIER = "single"
SHOWN_QUESTIONS = 12  # of those that the play has kept about a function
TOGETHER = 16  # forms whose likely choices are kept at a time: a kill costs these at most
Tell = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Wanted:
    """A proposal that is asked for."""

    function: str
    number: int  # no two of a function have the same in a whole play


def wanted(targets: Sequence[str], per_target: int, round_number: int) -> list[Wanted]:
    """What a round asks for."""
    first = (round_number - 1) * per_target
    return [Wanted(function, first + n) for function in targets for n in range(per_target)]


async def freely(
    world: World, calls: Calls, asked: Sequence[Wanted], kept: Sequence[Attempt], seed: int, tell: Tell
) -> list[Proposal]:
    """Questions that a model writes."""
    earlier = {one.function: _kept_about(one.function, kept) for one in asked}

    def prompt(one: Wanted) -> Prompt:
        return proposals.prompt(world, one.function, TIER, one.number, earlier[one.function], seed, bank=False)

    return await _asked(calls, [(one, prompt(one)) for one in asked], seed, tell)


async def by_reply(calls: Calls, found: Sequence[Form], seed: int, tell: Tell) -> list[Proposal]:
    """Forms whose blanks a model fills by its reply."""
    told = [
        (Wanted(form.function, form.number), Prompt(form.text, f"{form.function}/{form.number}", OPEN))
        for form in found
    ]
    replies = await _asked(calls, told, seed, tell)
    return [filled(form, reply) for form, reply in zip(found, replies, strict=True)]


def drawn(found: Sequence[Form], seed: int) -> list[Proposal]:
    """Forms whose blanks nobody fills: drawn from the seed, the control for what a model's choices are worth."""
    made = []
    for form in found:
        rng = random.Random(f"drawn:{seed}:{form.function}:{form.number}")
        reply = ", ".join(str(rng.randrange(len(blank.choices)) + 1) for blank in form.blanks)
        made.append(filled(form, Proposal(form.function, form.number, reply, "drawn", "")))
    return made


@dataclass(frozen=True)
class Chooser:
    """A local model that fills forms by what it finds likely."""

    log: CallLog
    name: str  # of the model: a folder, or hf:NAME
    temperature: float
    device: str
    chat: Chat
    seed: int

    def fill(self, found: Sequence[Form], tell: Tell) -> list[Proposal]:
        """The forms, filled; what was chosen before is not chosen again."""
        keys = [_key(self.name, form, self.temperature, self.seed) for form in found]
        by_key = list(dict(zip(keys, found, strict=True)).items())
        parts = [dict(by_key[at : at + TOGETHER]) for at in range(0, len(by_key), TOGETHER)]
        # A part is scored again as a whole: padding and sums of a batch, and so the last digits, are those of an uninterrupted round.
        owed = [part for part in parts if part.keys() - self.log.there.keys()]
        if owed:
            torch, tokenizer, model = checkpoints.load(self.name.removeprefix("hf:"), self.device)
            scorer = Scorer(torch, model)
            for number, part in enumerate(owed):
                tell("forms filled", TOGETHER * (len(parts) - len(owed) + number), len(found))
                self._choose(part, scorer, tokenizer)
            del scorer, model
            if torch.cuda.is_available():
                torch.cuda.empty_cache()
        return [
            filled(form, Proposal(form.function, form.number, self.log.there[key]["text"], self.name, key))
            for form, key in zip(found, keys, strict=True)
        ]

    def _choose(self, part: Mapping[str, Form], scorer: Scorer, tokenizer: Any) -> None:
        """Draw the choices of some forms, which stand by their keys, and write them down."""
        blanks = [(key, number, blank) for key, form in part.items() for number, blank in enumerate(form.blanks)]
        asked = [_blank_ids(part[key], blank, tokenizer, self.chat) for key, _, blank in blanks]
        digits = [tokens.answer_ids(str(n + 1), tokenizer)[:-1] for n in range(forms.MOST_CHOICES)]
        picks: dict[str, list[int]] = {key: [] for key in part}
        read = dict.fromkeys(picks, 0)
        for (key, number, blank), ids, row in zip(blanks, asked, scorer.matrix(asked, digits).tolist(), strict=True):
            picks[key].append(_picked(row[: len(blank.choices)], self.temperature, f"{key}:{number}"))
            read[key] += len(ids)
        for key, form in part.items():
            if key not in self.log.there:
                reply = ", ".join(str(pick + 1) for pick in picks[key])
                about = {"key": key, "about": f"{form.function}/{form.number}", "model": self.name, "seed": self.seed}
                used = {"prompt_tokens": read[key], "completion_tokens": 0}
                self.log.add({**about, "text": reply, "finish": "stop", **used})


def drafted(drafter: Drafter, asked: Sequence[Wanted], seed: int) -> list[Form]:
    """The forms of a round."""
    return [drafter.draft(one.function, one.number, str(seed)) for one in asked]


async def _asked(calls: Calls, told: Sequence[tuple[Wanted, Prompt]], seed: int, tell: Tell) -> list[Proposal]:
    """The replies, in order; a provider that fails ends the play, and the same command continues. To a prompt that the model refuses (too
    long) the reply is empty, which no gate passes; one that refuses all of them is a mistake of the settings."""
    done = 0

    async def one(about: Wanted, prompt: Prompt) -> Proposal | None:
        nonlocal done
        said, key = await calls.ask(prompt, seed + about.number), calls.key(prompt, seed + about.number)
        done += 1
        tell("proposals", done, len(told))
        if said is None and key not in calls.refused:
            return None
        return Proposal(about.function, about.number, said.text if said else "", calls.name, key)

    found = await asyncio.gather(*(one(about, prompt) for about, prompt in told))
    if missing := found.count(None):
        raise ProviderError(
            f"{missing:,} of {len(found):,} proposals were not given ({calls.failure}); the same command asks again",
            again=False,
        )
    if len(calls.refused) == len(told):
        raise ConfigError(f"the proposer {calls.name} takes none of the prompts: {calls.failure}")
    return [reply for reply in found if reply is not None]


def filled(form: Form, reply: Proposal) -> Proposal:
    """The proposal of a filled form; of a reply that cannot be read, the reply, which no gate passes."""
    picks = form.read(reply.text)
    text = reply.text if picks is None else form.filled(picks)
    return Proposal(reply.function, reply.number, text, reply.model, reply.call)


def _kept_about(function: str, kept: Sequence[Attempt]) -> list[str]:
    return [attempt.question for attempt in kept if function in attempt.functions][-SHOWN_QUESTIONS:]


def _blank_ids(form: Form, blank: forms.Blank, tokenizer: object, chat: Chat) -> list[int]:
    text = f"{form.head}\n{forms.asked(blank)}\n\nAnswer with the number of your choice."
    return tokens.prompt_ids(TrainingRow(form.function, Prompt(text, form.function, OPEN), ""), tokenizer, chat)


def _picked(scores: Sequence[float], temperature: float, seed: str) -> int:
    """A choice, drawn at a temperature; the likeliest at 0."""
    rng = random.Random(seed)
    noise = [-math.log(-math.log(max(rng.random(), 1e-12))) if temperature else 0.0 for _ in scores]
    worth = [score / (temperature or 1.0) + drift for score, drift in zip(scores, noise, strict=True)]
    return worth.index(max(worth))


def _key(name: str, form: Form, temperature: float, seed: int) -> str:
    asked = json.dumps([name, form.text, temperature, seed])
    return sha256(asked.encode("utf-8", "backslashreplace")).hexdigest()[:32]
