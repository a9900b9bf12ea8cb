"""Drafted questions with blanks, for models that are too small to write one: the program writes, the model chooses.

    form = Drafter(world).draft("take", number=0, seed="1")
    form.text                                           # what a model is asked: the page in short, and numbered choices for every blank
    form.filled(form.read("2, 1, 4, 1, 3"))             # a proposal in the author's form: question, inputs, solution

Everything comes from the page: which call (a documented option with its value among them), how large inputs are, how far their values
reach, which of them vary, the setting, and which of several wordings of what the page says. The model's choices decide among them; the
wording itself is the program's, and the answer that a question has is computed like that of any other draft.

Not covered: functions whose page shows no call with plain arguments, functions that change what they are given, and questions that a page
does not answer. Whether a draft is any good is for the gates.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sebench.extract import after_thinking
from sebench.learn.selfplay import form_words as words
from sebench.learn.selfplay import page_calls
from sebench.learn.selfplay.input_drafts import Drawn, drawn, varies
from sebench.learn.selfplay.page_calls import Given, PageCall
from sebench.learn.study import wordings
from sebench.records import ApiDoc
from sebench.tasks.rules import EVERYDAY
from sebench.world import World

MOST_CHOICES = 4  # of a blank: a digit tells them apart
NEVER = frozenset({"dtype", "out", "order", "subok", "where", "casting", "like", "copy", "optimize"})  # of a call
FIXED = (  # blanks with the same choices in every form
    ("The size of the inputs", ("short", "of middle size", "long")),
    ("The values", ("close together", "far apart")),
    ("What changes from case to case", ("everything that is given", "the first input, the rest is fixed")),
)
_REPLY = re.compile(r"\d{1,2}(?:\s*,\s*\d{1,2})*")


@dataclass(frozen=True)
class Blank:
    """What a model decides."""

    name: str
    choices: tuple[str, ...]


@dataclass(frozen=True)
class Form:
    """A drafted question about a function."""

    function: str
    number: int  # which draft of this function it is
    page: ApiDoc  # in NumPy's terms
    blanks: tuple[Blank, ...]
    calls: tuple[PageCall, ...]
    themes: tuple[int, ...]
    tellings: tuple[str, ...]
    orders: tuple[tuple[int, ...], ...]  # in which the choices of FIXED stand
    terms: Mapping[str, str]  # what the world calls parameters and option words, where these are forged
    seed: str

    @property
    def head(self) -> str:
        """What a model reads before the blanks."""
        return f"An exercise is made from this page of a manual.\n\n`{self.page.signature}`\n\n{self.page.summary}\n"

    @property
    def text(self) -> str:
        """What a model is asked, all blanks at once."""
        listed = "\n\n".join(f"{number}. {asked(blank)}" for number, blank in enumerate(self.blanks, 1))
        example = ", ".join("1" for _ in self.blanks)
        return (
            f"{self.head}\nChoose what the exercise is like.\n\n{listed}\n\n"
            f"Answer with one line: the number of your choice for each of the {len(self.blanks)} points, with commas, such as {example}"
        )

    def read(self, reply: str) -> tuple[int, ...] | None:
        """The choices of a reply, from 0; None where it does not have the asked form."""
        text = after_thinking(reply).strip().rstrip(".")
        if not _REPLY.fullmatch(text):
            return None
        picks = tuple(int(part) - 1 for part in text.split(","))
        fits = len(picks) == len(self.blanks) and all(
            0 <= pick < len(blank.choices) for pick, blank in zip(picks, self.blanks, strict=True)
        )
        return picks if fits else None

    def filled(self, picks: Sequence[int]) -> str:
        """The proposal that these choices make, in the form that the author's gates read."""
        call, theme, *others, telling = picks
        size, reach, varying = (order[pick] for order, pick in zip(self.orders, others, strict=True))
        rng = random.Random(f"{self.seed}:{','.join(map(str, picks))}")
        setting, things = words.THEMES[self.themes[theme]]
        chosen = self.calls[call]
        inputs = drawn(chosen, size, reach, only_first=bool(varying), page=self.page, things=things)
        entry = f"{inputs.names[0]}_{_slug(self.function)}_{self.number}"
        question = " ".join(self._question(self.tellings[telling], chosen, inputs, setting, rng))
        body = f"return np.{self.function}({', '.join(inputs.code(chosen))})"
        told: dict[str, Any] = {"entry": entry, "question": question, "inputs": inputs.kinds}
        told |= {"lengths": inputs.lengths} if inputs.lengths else {}
        return (
            f"```json\n{json.dumps(told)}\n```\n\n```python\ndef {entry}({', '.join(inputs.names)}):\n    {body}\n```\n"
        )

    def _question(self, telling: str, call: PageCall, inputs: Drawn, setting: str, rng: random.Random) -> Iterator[str]:
        """The sentences of a question."""
        for number, (name, what) in enumerate(zip(inputs.names, inputs.told(rng), strict=True)):
            frame = rng.choice(words.MORE if number else words.ONE)
            said = frame.format(where=setting, lower=setting[0].lower() + setting[1:], name=name, what=what)
            yield said[0].upper() + said[1:] if said[0] != "`" else said
        text = _resolved(telling, call, inputs, self.terms)
        order = wordings.order(text)
        yield rng.choice(words.ORDERED).format(order=order) if order else rng.choice(words.STATED).format(text=text)
        for one in inputs.fixed(call):
            yield _option(one, self.terms, rng)
        yield rng.choice(words.RETURNED).format(what=_structure(call.result, rng))


def asked(blank: Blank) -> str:
    """A blank with its choices, as a model reads it."""
    return "\n".join([f"{blank.name}:", *(f"   {n}) {choice}" for n, choice in enumerate(blank.choices, 1))])


class Drafter:
    """Makes the forms of one world; a page is read once."""

    def __init__(self, world: World) -> None:
        self.world = world
        self._calls: dict[str, list[PageCall]] = {}
        self._pages: dict[str, ApiDoc] = {}

    def possible(self, function: str) -> bool:
        """Whether the page of a function gives a form."""
        return bool(self._usable(function))

    def draft(self, function: str, number: int, seed: str) -> Form:
        """A form about a function for which one is possible; other numbers and seeds give other choices."""
        rng = random.Random(f"form:{seed}:{function}:{number}")
        usable = self._usable(function)
        page = self._page(function)
        calls = tuple(rng.sample(usable, min(MOST_CHOICES, len(usable))))
        themes = tuple(rng.sample(range(len(words.THEMES)), MOST_CHOICES))
        tellings = tuple(_tellings(page, function, rng)) or (_said(wordings.plain(page.summary)),)
        # Small models like the first choice best: in a fixed order all their questions would be of one size.
        orders = tuple(tuple(rng.sample(range(len(choices)), len(choices))) for _, choices in FIXED)
        terms = {**self.world.names.parameters, **self.world.names.words}
        blanks = (
            Blank("The call", tuple(_written(function, call) for call in calls)),
            Blank("The setting", tuple(words.THEMES[theme][0] for theme in themes)),
            *(
                Blank(name, tuple(choices[n] for n in order))
                for (name, choices), order in zip(FIXED, orders, strict=True)
            ),
            Blank("The words", tellings),
        )
        return Form(
            function, number, page, blanks, calls, themes, tellings, orders, terms, f"{seed}:{function}:{number}"
        )

    def _page(self, function: str) -> ApiDoc:
        if function not in self._pages:
            self._pages[function] = page_calls.in_numpys_terms(self.world, function)
        return self._pages[function]

    def _usable(self, function: str) -> list[PageCall]:
        if function not in self._calls:
            inplace = self.world.entries[function].inplace
            shown = [] if inplace else page_calls.shown(self.world, function, self._page(function))
            self._calls[function] = [call for call in shown if _usable(call)]
        return self._calls[function]


def _usable(call: PageCall) -> bool:
    """Whether a question can be made from a call: something varies, and nothing is said that a question may not say."""
    if any(one.parameter in NEVER for one in call.given) or call.result == page_calls.TEXT:
        return False
    return any(one.needed and varies(one.value) for one in call.given)


def _tellings(page: ApiDoc, function: str, rng: random.Random) -> Iterator[str]:
    """Up to so many ways to say what the function does that name neither it nor what questions do not speak of."""
    spoken = wordings.plain(page.summary)
    thing = rng.choice(wordings.THINGS)
    found = [wordings.in_other_words(spoken, rng), wordings.of_things(spoken, thing)]
    found += [wordings.in_other_words(found[1], rng), spoken, wordings.in_other_words(spoken, rng)]
    found += [moved for moved in [wordings.fronted(spoken)] if moved]
    found += [wordings.in_other_words(spoken, rng) for _ in range(12)]
    name = function.rpartition(".")[2].lower()
    told = dict.fromkeys(_unnamed(_said(text), name) for text in found)
    yield from [text for text in told if name in EVERYDAY or name not in _bare_words(text)][:MOST_CHOICES]


def _bare_words(text: str) -> list[str]:
    """The words of a text without those in backticks."""
    return re.findall(r"[a-z0-9_]+", re.sub(r"`[^`]*`", " ", text.lower()))


def _unnamed(text: str, name: str) -> str:
    """A text that does not name the function, where there is another word for it."""
    if name in EVERYDAY or name not in words.UNNAMED:
        return text
    other = words.UNNAMED[name]
    text = re.sub(rf"(?i)\b{name}\b", lambda m: other.capitalize() if m[0][0].isupper() else other, text)
    return re.sub(r" {2,}", " ", text).strip()


def _said(text: str) -> str:
    """A text in the words of questions."""
    for pattern, said in words.SAID:
        text = re.sub(pattern, said, text)
    return text


def _written(function: str, call: PageCall) -> str:
    parts = [f"{one.parameter}={one.value!r}" if one.by_name else repr(one.value) for one in call.given]
    return f"np.{function}({', '.join(parts)})"


def _slug(function: str) -> str:
    """Part of a name that is not the function's, since a task may not be named like one."""
    return f"{sum(ord(c) * 31**i for i, c in enumerate(function)) % 100_000}"


def _resolved(text: str, call: PageCall, inputs: Drawn, terms: Mapping[str, str]) -> str:
    """What a page says about its parameters, with the inputs or the values in their place."""
    given = {one.parameter: one for one in call.given}

    def instead(match: re.Match[str]) -> str:
        name = match[1]
        if name in inputs.by_parameter:
            return f"`{inputs.by_parameter[name]}`"
        return f"{given[name].value!r}" if name in given else terms.get(name, name)

    return re.sub(r"`(\w+)`", instead, text)


def _option(one: Given, terms: Mapping[str, str], rng: random.Random) -> str:
    """A sentence about a value that is the same in every case."""
    if one.parameter == "axis":
        if one.value in words.ALONG:
            return rng.choice(words.ALONG[one.value])
        return f"The directions that count are {one.value!r}, from the outside in."
    value = terms.get(one.value, one.value) if isinstance(one.value, str) else one.value
    name = terms.get(one.parameter, one.parameter).replace("_", " ")
    said = rng.choice(words.OPTION).format(name=name, value=repr(value))
    return said[0].upper() + said[1:]


def _structure(result: str, rng: random.Random) -> str:
    return {
        page_calls.NUMBER: rng.choice(("a number", "one number", "a single number")),
        page_calls.TRUTH: rng.choice(("a truth value", "true or false")),
        page_calls.LIST: rng.choice(("a list", "one flat list", "a plain list of values")),
        page_calls.ROWS: rng.choice(("a list of rows", "rows in a list", "a table, as a list of rows")),
        page_calls.STACK: rng.choice(("a list of tables", "nested lists")),
    }.get(result, "all parts, as a tuple")
