"""Practice with the real package: calls that pages show, and chains of two or three of them, run and written down.

    worked(world, calls, seed)      # what does this call give; write the call that gives this
    practised(world, calls, seed)   # write the program for these steps; what does this program return

A chain hands the result of one call to the next as its first argument, where depth and kind of the two fit. It is kept when it runs, when
its result is finite, and when every step changes something. What a row says about results is what the package gave; what it says about
steps is what the pages say.

Not covered: questions as a person asks them (the training tasks have those), and chains that need more than one input.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from sebench.learn.examples import answer
from sebench.learn.rows import TrainingRow
from sebench.learn.study import bench, wordings
from sebench.learn.study.calls import Argument, Call, written
from sebench.prompts import CLOSED, Prompt, templates_folder
from sebench.records import Case, Task
from sebench.tasks import splits
from sebench.values.agreed import agreed
from sebench.world import World

TRIES, KEPT = 10, 4  # chains that are tried and kept for each last call
LARGEST, MOST_ELEMENTS, LONGEST = 1e6, 40, 200  # of values that are handed on, and characters of one that is shown
VARIABLES = ("values", "data", "numbers", "series", "items", "xs")
ENTRIES = ("solve", "worked_out", "answer", "steps", "combined", "outcome")
# Pages that ask for more than numbers: a chain cannot promise it, and its question would describe what does not happen.
_PROMISED = re.compile(r"(?i)(?<!be )sorted|ascend|increas|monoton|hermitian|symmetric|positive-definite")
_CALLED = (
    "What does this give?\n\n{code}",
    "With the library `{package}`:\n\n{code}\n\nWhat is printed?",
    "{code}\n\nWhat is the result?",
)
_RETURNED = ("What does this program return for `{call}`?\n\n{code}", "{code}\n\nWhat is `{call}`?")


@dataclass(frozen=True)
class Chain:
    """Calls, each of which gets the result of the one before as its first argument."""

    calls: tuple[Call, ...]
    first: Any  # what goes in
    results: tuple[Any, ...]  # after each call
    another: tuple[Any, Any] | None = None  # other input, and what comes out

    @property
    def last(self) -> Any:
        return self.results[-1]


def worked(world: World, calls: Sequence[Call], seed: int) -> Iterator[TrainingRow]:
    """Questions about single calls, in both directions."""
    for number, call in enumerate(calls):
        rng, key = random.Random(f"worked:{seed}:{number}:{call.page.path}"), f"worked:{call.page.path}:{number}"
        shown = f"```python\n{call.program}\n```"
        text = rng.choice(_CALLED).format(code=shown, package=world.names.package)
        yield asked(f"{key}:gives", text, f"{call.page.summary}\n\n```\n{call.printed}\n```")
        told = _described(call.page.summary, call.arguments, "")
        text = f"Write the call of `{world.names.package}` for this.\n\n{told}\n\nThe result is:\n\n```\n{call.printed}\n```"
        yield asked(f"{key}:call", text, f"`{call.page.signature}`\n\n{shown}")


def practised(world: World, calls: Sequence[Call], seed: int, form: str, prompts: str = "") -> Iterator[TrainingRow]:
    """Questions about chains, in both directions. A program is asked for as tasks ask for one, with the templates of `prompts`."""
    prompter = world.prompter(templates_folder(prompts))
    original = {forged: path for path, forged in world.names.functions.items()}
    for number, chain in enumerate(chains(world, calls, seed)):
        rng = random.Random(f"practice:{seed}:{number}")
        variable, entry = rng.choice(VARIABLES), rng.choice(ENTRIES)
        code = program(chain.calls, entry, variable, world.names.package)
        pairs = [(chain.first, chain.last), *([chain.another] if chain.another else [])]
        task = Task(
            f"practice:{number}",
            _steps(chain, variable, rng),
            entry,
            (variable,),
            (),
            tuple(original[call.page.path] for call in chain.calls),
            split=splits.TRAIN,
            examples=tuple(Case({variable: given}, agreed(result)) for given, result in pairs),
            gold=code,
        )
        yield TrainingRow(task.id, prompter.prompt(task, CLOSED), answer(code, task, world, form))
        used = f"{entry}({chain.first!r})"
        text = rng.choice(_RETURNED).format(call=used, code=f"```python\n{code}```")
        lines = [
            f"- `{call.name}`: {call.page.summary} `{agreed(result)!r}`"
            for call, result in zip(chain.calls, chain.results, strict=True)
        ]
        yield asked(f"{task.id}:returns", text, "\n".join(lines) + f"\n\n`{agreed(chain.last)!r}`")


def asked(key: str, text: str, reply: str) -> TrainingRow:
    """A row that asks without the documentation."""
    return TrainingRow(key, Prompt(text, key, CLOSED), reply)


def _steps(chain: Chain, variable: str, rng: random.Random) -> str:
    """The question: what is to be done, step by step, in the pages' words or in others."""
    lines = []
    for number, call in enumerate(chain.calls, 1):
        summary = call.page.summary
        if rng.random() < 0.5:
            summary = wordings.in_other_words(summary, rng)
        lines.append(
            f"{number}. {_described(summary, call.arguments, f'`{variable}`' if number == 1 else 'the result so far')}"
        )
    head = f"Begin with `{variable}`, take these steps one after the other, each with the result of the step before, and return the last result."
    return "\n".join([head, "", *lines])


def _described(summary: str, arguments: Sequence[Argument], first: str) -> str:
    """A summary and what the parameters are; `first` stands for the first argument."""
    codes = [first or f"`{arguments[0].code}`", *(f"`{argument.code}`" for argument in arguments[1:])]
    if first and len(codes) == 1:
        return summary
    named = [f"`{a.parameter}` is {code}" for a, code in zip(arguments, codes, strict=True) if a.parameter]
    further = [code for a, code in zip(arguments, codes, strict=True) if not a.parameter]
    told = [*named, *([f"further arguments are {', '.join(further)}"] if further else [])]
    return f"{summary} Here {', '.join(told)}."


def program(calls: Sequence[Call], entry: str, variable: str, package: str) -> str:
    """The chain as a function of one argument."""
    modules = sorted({module for call in calls for module in call.imports} - {package})
    held, lines = variable, []
    for number, call in enumerate(calls, 1):
        code = written(call.name, call.arguments, held)
        lines.append(f"    return {code}" if number == len(calls) else f"    step_{number} = {code}")
        held = f"step_{number}"
    imports = "\n".join(f"import {module}" for module in [*modules, package])
    return f"{imports}\n\n\ndef {entry}({variable}):\n" + "\n".join(lines) + "\n"


def chains(world: World, calls: Sequence[Call], seed: int) -> list[Chain]:
    """Chains that were run and kept: of two calls, then of three."""
    starts = [Chain((call,), call.first, (call.value,)) for call in calls if _starts(call)]
    ends = [call for call in calls if _shape(call.first) and call.arguments[0].parameter and not _promised(call)]
    two = _extended(world, starts, ends, seed, TRIES, KEPT)
    three = _extended(world, two, ends, seed, 2, 1)
    return [*two, *three]


def _promised(call: Call) -> bool:
    """Whether the page wants the first argument to be sorted, symmetric and the like."""
    texts = [text for names, _, text in wordings.parameters(call.page) if call.arguments[0].parameter in names]
    asked_of_it = " ".join(texts) + " ".join(re.findall(r"(?i)(?:a|of) (\S+ (?:array|matrix))", call.page.summary))
    return _PROMISED.search(asked_of_it) is not None


def _extended(
    world: World, starts: Sequence[Chain], ends: Sequence[Call], seed: int, tries: int, kept: int
) -> list[Chain]:
    """Chains with one call more, so many for each function that ends them."""
    fitting: dict[tuple[int, str], list[Chain]] = defaultdict(list)
    for start in starts:
        fitting[_fit(start.last)].append(start)
    by_page: dict[str, list[Call]] = defaultdict(list)
    for end in ends:
        by_page[end.page.path].append(end)
    drafts: list[Chain] = []
    for path, of_one in by_page.items():
        rng = random.Random(f"chains:{seed}:{path}:{len(starts[0].calls) if starts else 0}")
        for _ in range(tries):
            end = rng.choice(of_one)
            candidates = fitting[_fit(end.first)]
            if candidates and _allowed(start := rng.choice(candidates), end):
                drafts.append(replace(start, calls=(*start.calls, end)))
    return _kept(world, list(_identified(drafts)), kept)


def _identified(drafts: Sequence[Chain]) -> Iterator[Chain]:
    """Each draft once: values of a chain are lists, so it is told by its code."""
    seen = set()
    for draft in drafts:
        code = program(draft.calls, "f", "x", "")
        if (code, repr(draft.first)) not in seen:
            seen.add((code, repr(draft.first)))
            yield draft


def _kept(world: World, drafts: Sequence[Chain], most: int) -> list[Chain]:
    """The drafts that run and are worth to be learnt from, with what every step of them gives."""
    package = world.names.package
    programs = []
    for draft in drafts:
        others = draft.first[::-1]
        programs += [_applied(draft.calls[:n], draft.first, package) for n in range(1, len(draft.calls) + 1)]
        programs.append(_applied(draft.calls, others, package))
    ran = iter(bench.run(world.package_folder, package, programs))
    found: list[Chain] = []
    counted: dict[str, int] = defaultdict(int)
    for draft in drafts:
        results = [result.value if (result := next(ran)) else None for _ in draft.calls]
        other = result.value if (result := next(ran)) else None
        path = draft.calls[-1].page.path
        if counted[path] < most and _worth([draft.first, *results]):
            counted[path] += 1
            given = draft.first[::-1]
            another = (given, other) if _shown(other) and given != draft.first and other != results[-1] else None
            found.append(Chain(draft.calls, draft.first, tuple(results), another))
    return found


def _applied(calls: Sequence[Call], first: Any, package: str) -> str:
    return f"{program(calls, 'f', 'x', package)}\nf({first!r})"


def _worth(values: Sequence[Any]) -> bool:
    """Whether every step changed something, and the end is neither empty nor the same number over and over."""
    if any(not _shown(value) for value in values) or any(a == b or _turns(a, b) for a, b in pairwise(values)):
        return False
    flat = list(_flat(agreed(values[-1])))
    return bool(flat) and values[-1] != values[0] and (len(flat) == 1 or len(set(map(repr, flat))) > 1)


def _turns(before: Any, after: Any) -> bool:
    """Whether a result may turn on last digits, in which machines differ: whole numbers or truth values from floats that are not short."""
    return before != agreed(before) and not any(isinstance(x, float | complex) for x in _flat(after))


def _shown(value: Any) -> bool:
    return value is not None and len(repr(agreed(value))) <= LONGEST


def _starts(call: Call) -> bool:
    """Whether a chain may begin with this call: a list goes in, another value comes out."""
    if not call.arguments or not call.arguments[0].parameter:
        return False
    return bool(_shape(call.first)) and bool(_shape(call.value)) and call.value != call.first


def _allowed(start: Chain, end: Call) -> bool:
    """Whether the result of a chain may go into a call: small enough, and of the same shape where the call has other arrays."""
    if any(call.page.path == end.page.path for call in start.calls):
        return False
    flat = list(_flat(start.last))
    if len(flat) > MOST_ELEMENTS or any(not isinstance(x, str) and abs(x) > LARGEST for x in flat):
        return False
    others = any("[" in argument.code for argument in end.arguments[1:])
    return not others or _shape(start.last) == _shape(end.first)


def _fit(value: Any) -> tuple[int, str]:
    """Depth and kind of a value: what may stand for what."""
    kinds = {type(x) for x in _flat(value)}
    kind = "number" if kinds <= {int, float} else "/".join(sorted(k.__name__ for k in kinds))
    return len(_shape(value)), kind


def _shape(value: Any) -> tuple[int, ...]:
    """The shape of a nested list; () for anything else, and for one that is empty or ragged."""
    if not isinstance(value, list) or not value:
        return ()
    if not any(isinstance(part, list | tuple) for part in value):
        return (len(value),)
    inner = {_shape(part) for part in value}
    return (len(value), *inner.pop()) if len(inner) == 1 and () not in inner else ()


def _flat(value: Any) -> Iterator[Any]:
    if isinstance(value, list | tuple):
        for part in value:
            yield from _flat(part)
    else:
        yield value
