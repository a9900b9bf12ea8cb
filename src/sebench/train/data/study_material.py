"""Study material: training rows generated from the documentation pages by a program.

    study_rows(world, ("names", "signatures"))

| type | rows |
|---|---|
| pages | the pages verbatim, as plain text |
| names | questions that give the description and ask for the name, and the reverse |
| signatures | questions about signatures, parameters, defaults and results |

The same world, types and form always produce the same rows. Everything comes from the pages. In answers, functions are
written as `package.name`.

Not covered: rephrasing by a model (`rephrase.py`), and how much of each type a training run uses. Up to version 0.6.0
there were more types (pages with swapped words, example calls, chains of calls, similar functions); docs/lab.md has
their results.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from sebench.base.errors import ConfigError
from sebench.base.records import ApiDoc, Task
from sebench.train.data.examples import CODE, RECALL, recall_text
from sebench.train.data.tokens import TrainingRow
from sebench.world.page_cuts import sections
from sebench.world.prompts import CLOSED, Prompt
from sebench.world.world import World

_NAME = (
    "Which function of `{package}` does this? {text}",
    "{text}\n\nWhich function of `{package}` is for that?",
    "What is this called in `{package}`: {text}",
    "Name the function of the library `{package}` for the following.\n\n{text}",
)
_MEANING = ("What does `{name}` do?", "What is `{name}` for?", "Explain `{name}` in one sentence.")
_SENTENCE = re.compile(r"(?<=[.;]) +(?=[A-Z`])")


def study_rows(world: World, kinds: Sequence[str], form: str = RECALL) -> list[TrainingRow]:
    """Return the rows of these types. `form` is the form of the answers (`examples.py`)."""
    makers: dict[str, Callable[[World], Iterator[TrainingRow]]]
    makers = {"pages": pages, "names": partial(names, form=form), "signatures": signatures}
    if unknown := [kind for kind in kinds if kind not in makers]:
        raise ConfigError(f"unknown study material '{unknown[0]}'; choose from {', '.join(makers)}")
    return [row for kind in kinds for row in makers[kind](world)]


def pages(world: World) -> Iterator[TrainingRow]:
    """Yield the pages as plain text."""
    for page in world.pages:
        yield TrainingRow(f"pages:{page.path}", None, page.text.strip() + "\n")


def names(world: World, form: str = RECALL) -> Iterator[TrainingRow]:
    """Yield questions that give the summary and ask for the name, and questions that give the name and ask for the
    description."""
    package = world.names.package
    original = {forged: path for path, forged in world.names.functions.items()}
    summaries = Counter(page.summary for page in world.pages)
    for page in world.pages:
        name = f"{package}.{page.path}"
        needed = Task("", "", "", (), (), (original[page.path],))
        replies = recall_text(needed, world, RECALL if form == CODE else form), f"`{name}`\n\n`{page.signature}`"
        for number, frame in enumerate(_NAME):
            if summaries[page.summary] == 1:  # a summary that several functions share has no single answer
                text = frame.format(text=page.summary, package=package)
                yield _question_row(f"names:{page.path}:{number}", text, replies[number % 2])
        for number, question in enumerate(_MEANING):
            description = " ".join([page.summary, *details(page)[:number]])
            yield _question_row(f"names:{page.path}:back:{number}", question.format(name=name), description)


def signatures(world: World) -> Iterator[TrainingRow]:
    """Yield questions about the signature, parameters and result of each function."""
    for page in world.pages:
        name, key = f"{world.names.package}.{page.path}", f"signatures:{page.path}"
        section = dict(sections(page.text)).get("returns", "").partition("\n")[2].strip()
        result = re.sub(r"\A---+\n", "", section)  # below the heading of a published page
        yield _question_row(f"{key}:signature", f"What is the signature of `{name}`?", f"`{page.signature}`")
        if result:
            yield _question_row(f"{key}:returns", f"What does `{name}` return?", result)
        yield from _parameters(page, name, key)
        for line in result.splitlines():
            if entry := re.fullmatch(r"- `([^`]+)` \((.*?)\): (.+)", line):
                question = f"Which element of the result of `{name}` is this? {entry[3]}"
                yield _question_row(f"{key}:field:{entry[1]}", question, f"`{entry[1]}`")


def details(page: ApiDoc) -> list[str]:
    """Return the sentences that follow the summary at the top of a page, except very short and very long ones."""
    whole = dict(sections(page.text))["summary"]
    rest = whole.removeprefix(page.summary).strip()
    sentences = [s for paragraph in rest.split("\n\n") for s in _SENTENCE.split(paragraph.strip()) if s]
    return [s for s in sentences if 20 <= len(s) <= 300 and "\n" not in s]


def _parameters(page: ApiDoc, name: str, key: str) -> Iterator[TrainingRow]:
    """Yield questions about what each parameter is for, which parameter fits a description, and the defaults."""
    listed = dict(sections(page.text)).get("parameters", "").splitlines()
    entries = [entry for line in listed if (entry := re.fullmatch(r"- (`[^`]+`(?:, `[^`]+`)*) \((.*?)\): (.+)", line))]
    texts = Counter(entry[3] for entry in entries)
    for entry in entries:
        first, names = re.findall(r"`([^`]+)`", entry[1])[0], entry[1].replace(", ", " and ")
        yield _question_row(
            f"{key}:{first}:means", f"What is {names} in `{name}`?", f"{names} ({entry[2]}): {entry[3]}"
        )
        if texts[entry[3]] == 1:
            yield _question_row(f"{key}:{first}:which", f"Which parameter of `{name}` is this? {entry[3]}", names)
    for parameter, default in _defaults(page).items():
        question = f"What is the default of `{parameter}` in `{name}`?"
        yield _question_row(f"{key}:{parameter}:default", question, f"`{parameter}={default}`")


def _defaults(page: ApiDoc) -> dict[str, str]:
    """Return the default of every parameter that has one."""
    (tree,) = ast.parse(f"def _({page.signature.partition('(')[2]}: pass").body
    assert isinstance(tree, ast.FunctionDef)
    positional = [*tree.args.posonlyargs, *tree.args.args]
    after = positional[len(positional) - len(tree.args.defaults) :]
    pairs = [
        *zip(after, tree.args.defaults, strict=True),
        *zip(tree.args.kwonlyargs, tree.args.kw_defaults, strict=True),
    ]
    return {argument.arg: ast.unparse(default) for argument, default in pairs if default is not None}


def _question_row(key: str, text: str, reply: str) -> TrainingRow:
    """Return a row with a closed-book question."""
    return TrainingRow(key, Prompt(text, key, CLOSED), reply)
