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
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256

from sebench.author import proposals
from sebench.author.calls import CallLog, Calls
from sebench.author.proposals import Proposal
from sebench.errors import ProviderError
from sebench.learn import checkpoints, tokens
from sebench.learn.curriculum import Attempt
from sebench.learn.rows import TrainingRow
from sebench.learn.scoring import Scorer
from sebench.learn.selfplay import forms
from sebench.learn.selfplay.forms import Drafter, Form
from sebench.prompts import OPEN, Prompt
from sebench.rollout.chat import Chat
from sebench.world import World

TIER = "single"
SHOWN_QUESTIONS = 12  # of those that the play has kept about a function
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


def by_likelihood(
    log: CallLog, model: str, name: str, found: Sequence[Form], temperature: float, device: str, chat: Chat, seed: int
) -> list[Proposal]:
    """Forms whose blanks are drawn from what a local model finds likely."""
    keys = {id(form): _key(name, form, temperature, seed) for form in found}
    owed = [form for form in found if keys[id(form)] not in log.there]
    if owed:
        torch, tokenizer, loaded = checkpoints.load(model, device)
        blanks = [(form, number, blank) for form in owed for number, blank in enumerate(form.blanks)]
        asked = [_blank_ids(form, blank, tokenizer, chat) for form, _, blank in blanks]
        digits = [tokens.answer_ids(str(n + 1), tokenizer)[:-1] for n in range(forms.MOST_CHOICES)]
        scores = Scorer(torch, loaded).matrix(asked, digits).tolist()
        picks: dict[int, list[int]] = {id(form): [] for form in owed}
        for (form, number, blank), row in zip(blanks, scores, strict=True):
            picks[id(form)].append(_picked(row[: len(blank.choices)], temperature, f"{keys[id(form)]}:{number}"))
        read = {id(form): 0 for form in owed}
        for (form, _, _), ids in zip(blanks, asked, strict=True):
            read[id(form)] += len(ids)
        for form in owed:
            reply = ", ".join(str(pick + 1) for pick in picks[id(form)])
            about = {"key": keys[id(form)], "about": f"{form.function}/{form.number}", "model": name, "seed": seed}
            log.add({**about, "text": reply, "finish": "stop", "prompt_tokens": read[id(form)], "completion_tokens": 0})
        del loaded
        if torch.cuda.is_available():
            torch.cuda.empty_cache()
    return [
        filled(form, Proposal(form.function, form.number, log.there[keys[id(form)]]["text"], name, keys[id(form)]))
        for form in found
    ]


def drafted(drafter: Drafter, asked: Sequence[Wanted], seed: int) -> list[Form]:
    """The forms of a round."""
    return [drafter.draft(one.function, one.number, str(seed)) for one in asked]


async def _asked(calls: Calls, told: Sequence[tuple[Wanted, Prompt]], seed: int, tell: Tell) -> list[Proposal]:
    """The replies, in order; a provider that fails ends the play, and the same command continues."""
    done = 0

    async def one(about: Wanted, prompt: Prompt) -> Proposal | None:
        nonlocal done
        said = await calls.ask(prompt, seed + about.number)
        done += 1
        tell("proposals", done, len(told))
        return (
            Proposal(about.function, about.number, said.text, calls.name, calls.key(prompt, seed + about.number))
            if said
            else None
        )

    found = await asyncio.gather(*(one(about, prompt) for about, prompt in told))
    if missing := found.count(None):
        raise ProviderError(
            f"{missing:,} of {len(found):,} proposals were not given; the same command asks again", again=False
        )
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
