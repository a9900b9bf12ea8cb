"""Prompts a proposer model for a task, and parses its reply into a draft.

The proposer sees the function's page with NumPy's names (plus some other pages, for tasks that compose functions), the
available input generators, and the existing questions, including its own earlier ones. That is why the tasks for one
function are requested one after another. It answers with two fenced blocks: JSON with the question and inputs, and
Python with the solution. Code inside JSON would have to be escaped, which models do badly.

Small models repeat the prompt and imitate its example: of 951 replies from a 1.5B model, 384 contained our headings and
531 the quiz that was the example then. So the request is repeated at the end, the example is about another function and
does not come from the bank, and `gates.KnownQuestions` contains it, so that copies are rejected. Text around the two
blocks is ignored, and each block is recognised by its content.

Expected values are never taken from the model.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from sebench.base.errors import ConfigError
from sebench.base.extract import MAX_CHARACTERS, after_thinking
from sebench.base.wording import counted
from sebench.forge.docs import parameter_renaming
from sebench.models.calls import Calls, run_each
from sebench.tasks import drafts, gold, rules
from sebench.tasks.cases import EXAMPLES as EXAMPLE_CASES
from sebench.tasks.cases import LEAST
from sebench.tasks.drafts import Draft, DraftError
from sebench.world.prompts import OPEN, Prompt
from sebench.world.world import World

SHOWN_QUESTIONS = 12  # existing questions in a prompt
OTHERS = {"single": 0, "transfer": 0, "multi": 6, "plan": 9}  # extra pages for tasks that compose several functions
_FENCED = re.compile(r"^[ \t]*```(\w*)[^\n]*\n(.*?)^[ \t]*```", re.M | re.S)
_BARE_OBJECT = re.compile(r"^\{.*\}[ \t]*$", re.M | re.S)
_DEFINED = re.compile(r"^def (\w+)", re.M)
_REQUESTS = {
    "single": "Write one task that the function `np.{name}` answers, alone. The solution calls no other function "
    "of NumPy.",
    "transfer": "Write one task that needs an option, mode or edge rule of `np.{name}` that its page documents "
    "and none of the questions below "
    'uses. The solution calls no other function of NumPy. Name it in the field "usage" as a fact about the call, '
    'such as "keepdims is True", '
    '"mode is \'wrap\'", "axis is a list" or "a has 3 dimensions".',
    "multi": "Write one task whose solution composes `np.{name}` with at least two other functions of NumPy; the "
    "pages below are those that "
    "you may use.",
    "plan": "Write one task that states a goal, not steps, and whose solution needs `np.{name}` and three to "
    "five other functions of NumPy; "
    "the pages below are those that you may use.",
}
_TEMPLATE = """You write tasks for a benchmark of small programs with arrays.

{asked}

## Pages

{pages}

## Questions that there are already

Yours must be about something else, in other words.

{questions}

## Rules

- The question is a small story with {fewest} to {most} words. It names every parameter in backticks and says what \
to return, and in which \
structure. It must have one right answer for every input.
- It does not speak of NumPy, arrays, axis or dtype, and does not name the function: say lists, rows, columns, whole \
numbers.
- The solution is one function with at most {statements} statements. It uses its parameters, `np` and plain \
expressions: no loops, no \
imports, no methods of arrays, no other builtins than {builtins}.
- The result is a number, a truth value, a text, or a list or tuple of them; never nan or infinity.

## Inputs

Say for each parameter how its values are drawn, with these kinds. A length is a number, a range (low, high), or a \
name in quotes that \
several parameters share.

Int(low, high), Float(low, high, decimals=1), Bool(), Complex(low, high), Word(), Choice(value, ...)
Vector(element, length, unique=False, sorted=False), Matrix(element, rows, cols), Cube(element, depth, rows, cols), \
Ragged(element, rows, (low, high))
Probabilities(length), Permutation(length), Symmetric(element, size), PositiveDefinite(size), Invertible(size), \
Either(kind, ...)

Or give "cases" in the place of "inputs": a list of at least {rows} tables from each parameter to a value.

## Example

For `np.{example.function}` this would be a good answer:

```json
{example.task}
```

```python
{example.solution}
```

## Now

Write the task about `np.{name}` that is asked for at the top. Its solution calls `np.{name}`, and its story is not \
that of the example.

Answer with two fenced blocks like those of the example, and with nothing else: repeat neither the pages nor the rules.
"""


@dataclass(frozen=True)
class WorkedExample:
    """An example reply, shown in prompts. It does not come from the bank, whose questions self-play must not see."""

    function: str  # original path
    entry: str
    question: str
    inputs: str  # as JSON
    solution: str

    @property
    def task(self) -> str:
        return f'{{"entry": "{self.entry}", "question": "{self.question}", "inputs": {self.inputs}}}'


EXAMPLES = (  # the second is used in prompts about the first one's function
    WorkedExample(
        "prod",
        "padlock_settings",
        "A padlock has several rings, and `symbols` lists how many symbols are engraved on each of them. Return in how "
        "many ways the padlock can be set, as a whole number.",
        '{"symbols": "Vector(Int(2, 6), (2, 5))"}',
        "def padlock_settings(symbols):\n    return np.prod(symbols)",
    ),
    WorkedExample(
        "flip",
        "beads_off_the_string",
        "Glass beads slide off a string, the last one first. `beads` lists their numbers as they were threaded. Return "
        "the numbers in the order in which they come off, as a list.",
        '{"beads": "Vector(Int(1, 90), (2, 7))"}',
        "def beads_off_the_string(beads):\n    return np.flip(beads)",
    ),
)


@dataclass(frozen=True)
class Proposal:
    """A proposer's reply to one request."""

    function: str  # original path
    number: int
    text: str
    model: str
    call: str  # key in the call log

    @property
    def key(self) -> str:
        return f"{self.function}/{self.number}/{sha256(self.text.encode('utf-8', 'backslashreplace')).hexdigest()[:16]}"


def prompt(
    world: World, function: str, tier: str, number: int, earlier: Sequence[str], seed: int, bank: bool = True
) -> Prompt:
    """Return the prompt that requests one task. `earlier` are questions already proposed for this function. With `bank`
    the prompt also shows questions from the bank, including test tasks."""
    least, most = rules.WORDS[tier]
    of_bank = world.definitions.values() if bank else ()
    known = [d.question for d in of_bank if d.part == tier and function in gold.functions(d.source)]
    rng = random.Random(f"{seed}:{function}:{tier}:{number}")
    others = rng.sample(sorted(world.names.functions.keys() - {function}), len(world.names.functions) - 1)
    text = _TEMPLATE.format(
        name=function,
        asked=_REQUESTS[tier].format(name=function),
        pages="\n\n".join(page_in_numpy(world, path) for path in (function, *others[: OTHERS[tier]])),
        questions="\n".join(f"- {question}" for question in [*known[:SHOWN_QUESTIONS], *earlier]) or "- none",
        fewest=least,
        most=most,
        statements=rules.STATEMENTS[tier],
        builtins=", ".join(sorted(rules.BUILTINS)),
        rows=EXAMPLE_CASES + LEAST,
        example=next(example for example in EXAMPLES if example.function != function),
    )
    return Prompt(text, f"{function}/{tier}/{number}", OPEN)


def page_in_numpy(world: World, function: str) -> str:
    """Return the page of a function, with NumPy's names in place of the world's."""
    names = world.names
    original = {forged: path for path, forged in names.functions.items()}
    original |= {forged: module for module, forged in names.modules.items()}
    text = parameter_renaming.to_numpy_names(world.page(function).text.strip(), names)
    name = rf"\b{re.escape(names.package)}\.([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)"
    text = re.sub(name, lambda match: f"np.{original.get(match[1], match[1])}", text)
    text = re.sub(rf"\b{re.escape(names.package)}\b", "numpy", text)
    return re.sub(rf"\b{re.escape(names.array)}\b", "array", text)


def read(proposal: Proposal, tier: str) -> Draft:
    """Parse the draft in a reply. Raises DraftError if there is none."""
    if len(proposal.text) > MAX_CHARACTERS:
        raise DraftError(f"the reply has more than {MAX_CHARACTERS:,} characters")
    task, solution = _parts(after_thinking(proposal.text))
    try:
        data: Any = json.loads(task, strict=False)  # a question may span several lines
    except (ValueError, RecursionError) as error:
        raise DraftError(f"the JSON cannot be read: {error}") from None
    if not isinstance(data, dict):
        raise DraftError("the JSON is not an object")
    made_by = {"model": proposal.model, "digest": proposal.call}
    return drafts.parse({**data, "tier": tier, "solution": solution(data.get("entry")), "made_by": made_by})


def _parts(text: str) -> tuple[str, Callable[[Any], str]]:
    """Return the JSON in a reply, and a function that selects the program with a given name. If there are several such
    programs, only one of them may come after the JSON, and it is selected: models also show how their function is
    used."""
    blocks = [(match.start(), match[1].lower(), match[2].strip()) for match in _FENCED.finditer(text)]
    objects = [(start, block) for start, word, block in blocks if word == "json" or block.startswith("{")]
    if not objects and (match := _BARE_OBJECT.search(_FENCED.sub("\n", text))):
        objects = [(text.find(match[0]), match[0])]
    programs = [(start, block) for start, _, block in blocks if _DEFINED.search(block)]
    if len(objects) != 1 or not programs:
        raise DraftError(
            f"the reply has {counted(len(objects), 'block')} of JSON and {len(programs)} with a function; one of each "
            "is required"
        )
    (json_start, task), *_ = objects

    def program(entry: Any) -> str:
        named = [(start, block) for start, block in programs if entry in _DEFINED.findall(block)] or programs
        after = [block for start, block in named if start > json_start]
        selected = after if len(named) > 1 else [block for _, block in named]
        if len(selected) != 1:
            raise DraftError(f"the reply has {len(named)} programs; one is required")
        return selected[0]

    return task, program


async def propose(
    world: World,
    calls: Calls,
    functions: Sequence[str],
    tier: str,
    per_function: int,
    seed: int,
    tell: Callable[[str, int, int], None] = lambda what, done, total: None,
) -> tuple[list[Proposal], int]:
    """Return the replies, ordered by function and number, and how many requests the provider failed to answer.

    If a reply is missing, the later requests for that function are not sent either: their prompts contain the earlier
    questions, so the next attempt would send different prompts and pay for them again.
    """
    done, total = 0, len(functions) * per_function
    by_function: dict[str, list[Proposal]] = {function: [] for function in functions}

    async def of(function: str) -> None:
        nonlocal done
        earlier: list[str] = []
        for number in range(per_function):
            request = prompt(world, function, tier, number, earlier, seed)
            reply = await calls.ask(request, seed + number)
            if reply is None:
                break
            proposal = Proposal(function, number, reply.text, calls.name, calls.key(request, seed + number))
            by_function[function].append(proposal)
            earlier += _question(proposal, tier)
            done += 1
            tell("tasks proposed", done, total)

    await run_each(functions, of, calls.model.concurrency)
    return [one for many in by_function.values() for one in many], total - done


def _question(proposal: Proposal, tier: str) -> list[str]:
    try:
        return [read(proposal, tier).question]
    except DraftError:
        return []


def parse_functions(world: World, functions: str) -> list[str]:
    """Return the functions in a comma-separated list of original or forged paths. "all" means every function of the
    world."""
    original = {forged: path for path, forged in world.names.functions.items()}
    if functions.strip() == "all":
        return list(world.names.functions)
    names = [word.strip() for word in functions.split(",") if word.strip()]
    for prefix in ("np.", "numpy.", f"{world.names.package}."):
        names = [name.removeprefix(prefix) for name in names]
    paths = list(dict.fromkeys(original.get(name, name) for name in names))
    if unknown := [path for path in paths if path not in world.names.functions]:
        raise ConfigError(
            f"--functions {unknown[0]}: world {world.path} has no such function; 'sebench show' lists its functions"
        )
    if not paths:
        raise ConfigError(
            "--functions names no function; 'sebench show' lists the world's functions, and 'all' selects every one"
        )
    return paths
