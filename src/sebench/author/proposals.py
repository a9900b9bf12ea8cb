"""Prompts a proposer model for a task, and parses its reply into a draft.

The proposer sees the function's page with NumPy's names (plus some other pages, for tasks that compose functions), the
available input generators, and the existing questions, including its own earlier ones. That is why the tasks for one
function are requested one after another. It answers in the form of the bank itself: one Python function, whose
docstring is the question, whose annotations are the input generators, and whose body is the solution.

Small models repeat the prompt and imitate its example: of 951 replies from a 1.5B model, 384 contained our headings and
531 the quiz that was the example then. So the request is repeated at the end, the example is about another function and
does not come from the bank, and `gates.KnownQuestions` contains it, so that copies are rejected. When a reply had two
blocks, JSON with the question and Python with the solution, 441 of 960 lacked one of them, and 70 had JSON that could
not be read (docs/lab.md). Text and other functions around the task are ignored.

Expected values are never taken from the model.
"""

from __future__ import annotations

import ast
import random
import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from hashlib import sha256
from textwrap import dedent
from typing import Any

from sebench.base import syntax
from sebench.base.errors import ConfigError
from sebench.base.extract import MAX_CHARACTERS, code_blocks
from sebench.base.wording import did_you_mean
from sebench.forge.catalog import catalog
from sebench.forge.docs import parameter_renaming
from sebench.models.calls import Calls, run_each
from sebench.tasks import confined, drafts, gold, input_kinds, rules
from sebench.tasks.drafts import Draft, DraftError
from sebench.world.prompts import OPEN, Prompt
from sebench.world.world import World

SHOWN_QUESTIONS = 12  # existing questions in a prompt
OTHERS = {"single": 0, "transfer": 0, "multi": 6, "plan": 9}  # extra pages for tasks that compose several functions
# What ends the story in a docstring: the sections that documentation has, and examples.
_SECTION = re.compile(
    r"\s*(?:(?:args|arguments|param(?:eter)?s?|inputs?|returns?|outputs?|yields|raises|examples?|constraints?)\s*(?::|$)"
    r"|notes?\s*:?\s*$|:(?:param|returns?|rtype|type)\b|>>>)",
    re.I,
)
_SHORTEST_MARKED = 3  # characters of a parameter's name that is put in backticks for the model: `a` is also a word
_ASKS = re.compile(r"(^|[.;:,]\s+)((?:compute|calculate|find|determine|create|generate|produce)s?)\b", re.I)
_REQUESTS = {
    "single": "Write one task that the function `np.{name}` answers, alone. The solution calls no other function "
    "of NumPy.",
    "transfer": "Write one task that needs an option, mode or edge rule of `np.{name}` that its page documents "
    "and none of the questions below "
    'uses. The solution calls no other function of NumPy. Put `@task(usage="...", page="...")` above the function: the '
    'usage as a fact about the call, such as "keepdims is True", "mode is \'wrap\'", "axis is a list" or "a has 3 '
    'dimensions", and the words of the page that say what it does.',
    "multi": "Write one task whose solution composes `np.{name}` with at least two other functions of NumPy; the "
    "pages below are those that "
    "you may use.",
    "plan": "Write one task that states a goal, not steps, and whose solution needs `np.{name}` and three to "
    "five other functions of NumPy; "
    "the pages below are those that you may use.",
}
_TEMPLATE = """You write tasks for a benchmark of small programs with arrays. A task is one Python function: its \
docstring is the question, its annotations say how the inputs are drawn, and its body is the solution with NumPy.

{asked}

## Pages

{pages}

## Questions that there are already

Yours must be about something else, and worded differently.

{questions}

## Rules

- The docstring is a small story with {fewest} to {most} words. It names every parameter in backticks and says what \
to return, and in which \
structure. It must have one right answer for every input.
- It does not speak of NumPy, arrays, axis or dtype, and does not name the function: say lists, rows, columns, whole \
numbers.
- The body has at most {statements} statements. It uses its parameters, `np` and plain expressions: no loops, no \
imports, no methods of arrays, no other builtins than {builtins}.
- The result is a number, a truth value, a text, or a list or tuple of them; never nan or infinity.

## Inputs

Annotate each parameter with how its values are drawn:

Int(low, high), Float(low, high, decimals=1), Bool(), Complex(low, high), Word(), Choice(value, ...)
Vector(element, length, unique=False, sorted=False), Matrix(element, rows, cols), Cube(element, depth, rows, cols), \
Ragged(element, rows, (low, high))
Probabilities(length), Permutation(length), Symmetric(element, size), PositiveDefinite(size), Invertible(size), \
Either(kind, ...)

A length is a number, a range (low, high), or a name in quotes that several parameters share, such as \
Vector(Int(1, 9), "n"). Parameters have no defaults.

## Example

For `np.{example.function}` this would be a good answer:

```python
{example.source}
```

## Now

Write the task about `np.{name}` that is asked for at the top. Its body calls `np.{name}`, and its story is not that \
of the example. Every parameter is annotated with how its values are drawn, such as Int(1, 9) or \
Vector(Float(0, 20), (3, 6)), and not with a type of Python.

Answer with one fenced block of Python like that of the example, and with nothing else: repeat neither the pages nor \
the rules.
"""


@dataclass(frozen=True)
class WorkedExample:
    """An example reply, shown in prompts. It does not come from the bank, whose questions self-play must not see."""

    function: str  # original path
    entry: str
    inputs: str
    question: str
    body: str

    @property
    def source(self) -> str:
        return f'def {self.entry}({self.inputs}):\n    """{self.question}"""\n    {self.body}'


EXAMPLES = (  # the second is used in prompts about the first one's function
    WorkedExample(
        "prod",
        "padlock_settings",
        "symbols: Vector(Int(2, 6), (2, 5))",
        "A padlock has several rings, and `symbols` lists how many symbols are engraved on each of them. Return in how "
        "many ways the padlock can be set, as a whole number.",
        "return np.prod(symbols)",
    ),
    WorkedExample(
        "flip",
        "beads_off_the_string",
        "beads: Vector(Int(1, 90), (2, 7))",
        "Glass beads slide off a string, the last one first. `beads` lists their numbers as they were threaded. Return "
        "the numbers in the order in which they come off, as a list.",
        "return np.flip(beads)",
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
    parts = ("single", tier) if tier == "transfer" else (tier,)  # what training tasks show is no transfer
    known = [d.question for d in of_bank if d.part in parts and function in gold.functions(d.source)]
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
    function = _task_function(proposal.text)
    _simplify(function)
    inputs = {one.arg: input_kinds.from_type(one.annotation) if one.annotation else "" for one in function.args.args}
    if bare := next((name for name, kind in inputs.items() if not kind), ""):
        raise DraftError(f"the parameter '{bare}' has no annotation that says how it is drawn")
    question = _with_marked_parameters(_in_our_words(_story(ast.get_docstring(function) or "")), inputs)
    options = _options(function)
    function.decorator_list, function.returns, function.body = [], None, function.body[1:]
    function.args.defaults = []  # every parameter is drawn
    for one in ast.walk(function):
        if isinstance(one, ast.arg):
            one.annotation = None
    return drafts.parse(
        {
            "tier": tier,
            "entry": function.name,
            "question": question,
            "inputs": inputs,
            **options,
            "solution": ast.unparse(function) + "\n" if function.body else "",
            "made_by": {"model": proposal.model, "digest": proposal.call},
        }
    )


def _task_function(text: str) -> ast.FunctionDef:
    """Return the one function in a reply that is a task: it has a docstring, and annotations if it has parameters.
    Models also show how their function is used, and repeat it without its question."""
    functions, problem = dict[str, ast.FunctionDef](), "the reply has no fenced block of Python"
    for block in code_blocks(text):
        tree = syntax.parse(dedent(block))
        if isinstance(tree, SyntaxError):
            problem = f"the block cannot be read as Python: {tree}"
            continue
        if confined.deep(tree):
            problem = f"the block is nested more than {confined.DEEPEST} levels deep"
            continue
        problem = "no function in the reply has a docstring and annotated parameters"
        own = [node for node in tree.body if isinstance(node, ast.FunctionDef) and _is_task(node)]
        functions |= {ast.unparse(node): node for node in own}  # some replies show their task twice
    tasks = [one for one in functions.values() if _parameters(one)] or list(functions.values())
    if len(tasks) != 1:
        raise DraftError(f"the reply has {len(tasks)} tasks; one is required" if tasks else problem)
    return tasks[0]


def _parameters(node: ast.FunctionDef) -> list[ast.arg]:
    return [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]


def _simplify(function: ast.FunctionDef) -> None:
    """Write a task without what changes nothing in it: `/` and `*` among the parameters, annotations of variables, and
    an import of NumPy, which a solution has anyway."""
    parameters = function.args
    if many := parameters.vararg or parameters.kwarg:
        raise DraftError(f"the parameter '{many.arg}' takes any number of values; name each parameter")
    parameters.args, parameters.posonlyargs, parameters.kwonlyargs = _parameters(function), [], []
    parameters.kw_defaults = []
    function.body = [_without_annotation(one) for one in function.body if ast.unparse(one) != "import numpy as np"]


def _without_annotation(statement: ast.stmt) -> ast.stmt:
    if isinstance(statement, ast.AnnAssign) and statement.value is not None:
        return ast.copy_location(ast.Assign([statement.target], statement.value), statement)
    return statement


def _story(docstring: str) -> str:
    """Return a docstring up to its first section of another kind."""
    lines = docstring.split("\n")
    end = next((number for number, line in enumerate(lines) if number and _SECTION.match(line)), len(lines))
    return "\n".join(lines[:end]).strip()


def _is_task(node: ast.FunctionDef) -> bool:
    arguments = _parameters(node)
    return bool(ast.get_docstring(node)) and (not arguments or any(one.annotation for one in arguments))


def _options(function: ast.FunctionDef) -> dict[str, Any]:
    """Return the fields given by `@task(usage="...", page="...", n=(2, 7))`: the usage, what the page says about it,
    and the ranges of shared lengths."""
    options: dict[str, Any] = {"lengths": {}}
    for decorator in function.decorator_list:
        call = decorator if isinstance(decorator, ast.Call) else ast.Call(decorator, [], [])
        if ast.unparse(call.func) != "task" or call.args:
            raise DraftError(f"the function has the decorator @{ast.unparse(decorator)}; only @task(...) is allowed")
        for keyword in call.keywords:
            try:
                value = ast.literal_eval(keyword.value)
            except (ValueError, TypeError, RecursionError, MemoryError):
                raise DraftError(f"@task(...) has a value that cannot be read: {ast.unparse(keyword)}") from None
            if keyword.arg in ("usage", "page"):
                options[keyword.arg] = value
            else:
                options["lengths"][str(keyword.arg)] = value
    return options


def _in_our_words(question: str) -> str:
    """Write "list" for "array", and "Return" for the first "Compute" or "Finds" if nothing says what to return."""

    def lists(match: re.Match[str]) -> str:
        article, capital = match[1] or "", match[0][0].isupper()
        words = "a list" if article else "list"
        return words.capitalize() if capital else words

    question = re.sub(r"\b(an? )?(?:numpy )?array(?=s?\b)(?![`(])", lists, question, flags=re.I)
    if re.search(r"\breturns?\b", question, re.I):
        return question
    return _ASKS.sub(lambda verb: verb[1] + ("Return" if verb[2][0].isupper() else "return"), question, count=1)


def _with_marked_parameters(question: str, names: Collection[str]) -> str:
    """Put a parameter in backticks where the question first mentions it, if the model forgot to. If the question
    mentions no parameter at all, name them at its end."""
    for name in names:
        if f"`{name}`" not in question and len(name) >= _SHORTEST_MARKED:
            bare = rf"(?<![\w`.]){re.escape(name)}(?![\w`(])"
            marked = rf"(['\"]|\*\*?){re.escape(name)}\1"  # in other marks, which its first mention may lack
            pattern = marked if re.search(marked, question) else bare
            question = re.sub(pattern, f"`{name}`", question, count=1)
    if not question or not names or any(f"`{name}`" in question for name in names):
        return question
    *others, last = (f"`{name}`" for name in names)
    return f"{question.rstrip()} " + (
        f"The inputs are {', '.join(others)} and {last}." if others else f"The input is {last}."
    )


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
    aliases = {name: entry.path for name, entry in catalog.by_any_name().items()}
    paths = list(dict.fromkeys(original.get(name, aliases.get(name, name)) for name in names))
    if unknown := [path for path in paths if path not in world.names.functions]:
        otherwise = "give NumPy's name of a function of the world, or its name there, which 'sebench show' lists"
        near = did_you_mean(unknown[0], (*world.names.functions, *original), otherwise)
        raise ConfigError(f"--functions {unknown[0]}: world {world.path} has no such function; {near}")
    if not paths:
        raise ConfigError(
            "--functions names no function; 'sebench show' lists the world's functions, and 'all' selects every one"
        )
    return paths
