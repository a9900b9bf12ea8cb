"""Study: material to learn from that is made of the documentation itself, by program.

    study_rows(world, ("names", "practice"), seed=0)

| kind | rows |
|---|---|
| pages | the pages as they are: plain text |
| names | from a description to the name, in the page's words and in others, and back |
| signatures | signature, what each parameter is for, defaults, results |
| worked | calls that pages show: what they give, and which call gives that |
| contrasts | look-alikes: which of two, which of four, and what sets them apart |
| which | questions of training tasks: what is needed in words, then the signatures |
| practice | chains of two or three calls, run with the real package |

The same world, kinds and seed give the same rows. Everything comes from the pages and, for `which`, from tasks of the training split.
Answers name functions as `package.name`.

Not covered: rephrasing by a model (`rephrase.py`), and how much of each kind a training takes.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence

from sebench.errors import ConfigError
from sebench.learn.examples import CODE, RECALL, recalled, trained
from sebench.learn.rows import TrainingRow
from sebench.learn.study import wordings
from sebench.learn.study.calls import parameters, shown
from sebench.learn.study.practice import asked, practised, worked
from sebench.open_book import Search
from sebench.records import ApiDoc, Task
from sebench.tasks import splits
from sebench.world import World

KINDS = ("pages", "names", "signatures", "worked", "contrasts", "which", "practice")
NEIGHBOURS = 3  # look-alikes of a page
_NAME = (
    "Which function of `{package}` does this? {text}",
    "{text}\n\nWhich function of `{package}` is for that?",
    "What is this called in `{package}`: {text}",
    "Name the function of the library `{package}` for the following.\n\n{text}",
)
_NAME_OF_ORDER = (
    "With `{package}`, how do I {order}?",
    "I want to {order}. Which function of `{package}` does that?",
    "In `{package}`, what is called to {order}?",
    "We need to {order}. What does `{package}` have for it?",
)
_MEANING = ("What does `{name}` do?", "What is `{name}` for?", "Explain `{name}` in one sentence.")
_WHICH = (
    "{question}\n\nWhich functions of `{package}` help here? Say first what is needed in words.",
    "Do not solve this yet: say what is needed, and what `{package}` has for it.\n\n{question}",
)


def study_rows(
    world: World,
    kinds: Iterable[str] = KINDS,
    seed: int = 0,
    *,
    tasks: Iterable[Task] | None = None,
    form: str = RECALL,
    prompts: str = "",
) -> list[TrainingRow]:
    """The rows of some kinds. `tasks`: training tasks for `which`, all if not given; `form`: of answers (`examples.py`); `prompts`: the
    templates with which `practice` asks for programs."""
    chosen = tuple(kinds)
    for kind in chosen:
        if kind not in KINDS:
            raise ConfigError(f"no study material '{kind}'; there are {', '.join(KINDS)}")
    calls = shown(world) if {"worked", "practice"} & set(chosen) else []
    given = world.tasks(splits.TRAIN) if tasks is None else tuple(tasks)
    made: list[TrainingRow] = []
    for kind in chosen:
        match kind:
            case "pages":
                made += pages(world)
            case "names":
                made += names(world, seed, form)
            case "signatures":
                made += signatures(world, seed)
            case "worked":
                made += worked(world, calls, seed)
            case "contrasts":
                made += contrasts(world, seed, form)
            case "which":
                made += which(world, given, seed, form)
            case "practice":
                made += practised(world, calls, seed, form, prompts)
    return made


def pages(world: World) -> Iterator[TrainingRow]:
    """The pages as plain text."""
    for page in world.pages:
        yield TrainingRow(f"pages:{page.path}", None, page.text.strip() + "\n")


def names(world: World, seed: int, form: str = RECALL) -> Iterator[TrainingRow]:
    """From descriptions to the name, and from the name to descriptions."""
    package = world.names.package
    owners = _owners(world, seed)
    for page in world.pages:
        name, rng = f"{package}.{page.path}", random.Random(f"names:{seed}:{page.path}")
        for number, text in enumerate(_descriptions(page, seed)):
            if len(owners[text]) > 1:  # a description of several functions asks for none of them
                continue
            reply = _head([page], world, form) if rng.random() < 0.5 else f"`{name}`\n\n`{page.signature}`"
            yield asked(f"names:{page.path}:{number}", _asked_for(text, package, rng), reply)
        for number, question in enumerate(_MEANING):
            more = " ".join(wordings.details(page)[:number])
            yield asked(
                f"names:{page.path}:back:{number}", question.format(name=name), f"{page.summary} {more}".strip()
            )


def _head(needed: Sequence[ApiDoc], world: World, form: str) -> str:
    """What is needed in words, then by name: the head of an answer to a task that needs these functions."""
    original = {forged: path for path, forged in world.names.functions.items()}
    task = Task("", "", "", (), (), tuple(original[page.path] for page in needed))
    return recalled(task, world, RECALL if form == CODE else form)


def _descriptions(page: ApiDoc, seed: int) -> list[str]:
    return wordings.descriptions(page, random.Random(f"descriptions:{seed}:{page.path}"))


def _owners(world: World, seed: int) -> dict[str, set[str]]:
    """The functions that each description was made of."""
    found: dict[str, set[str]] = {}
    for page in world.pages:
        for text in _descriptions(page, seed):
            found.setdefault(text, set()).add(page.path)
    return found


def _asked_for(text: str, package: str, rng: random.Random) -> str:
    """A question for the name of what a text describes."""
    if (order := wordings.order(text)) and rng.random() < 0.5:
        return rng.choice(_NAME_OF_ORDER).format(order=order, package=package)
    return rng.choice(_NAME).format(text=text, package=package)


def signatures(world: World, seed: int) -> Iterator[TrainingRow]:
    """What a call of each function looks like, and what comes out of it."""
    for page in world.pages:
        name, key = f"{world.names.package}.{page.path}", f"signatures:{page.path}"
        rng = random.Random(f"signatures:{seed}:{page.path}")
        question = rng.choice(("What is the signature of `{}`?", "How is `{}` called? Give its signature."))
        yield asked(f"{key}:signature", question.format(name), f"`{page.signature}`")
        yield asked(f"{key}:returns", f"What does `{name}` return?", wordings.returned(page))
        yield from _parameters(page, name, key)
        for field, text in wordings.fields(page):
            question = f"Which element of the result of `{name}` is this? {text}"
            yield asked(f"{key}:field:{field}", question, f"`{field}`")


def _parameters(page: ApiDoc, name: str, key: str) -> Iterator[TrainingRow]:
    _, defaults = parameters(page)
    entries = list(wordings.parameters(page))
    for given, kind, text in entries:
        said = " and ".join(f"`{parameter}`" for parameter in given)
        question = f"What is {said} in `{name}`?"
        yield asked(f"{key}:{given[0]}:means", question, f"{said} ({kind}): {text}")
        if sum(text == other for _, _, other in entries) == 1:
            yield asked(f"{key}:{given[0]}:which", f"Which parameter of `{name}` is this? {text}", said)
    for parameter, default in defaults.items():
        question = f"What is the default of `{parameter}` in `{name}`?"
        yield asked(f"{key}:{parameter}:default", question, f"`{parameter}={default}`")


def neighbours(world: World, count: int = NEIGHBOURS) -> dict[str, list[ApiDoc]]:
    """For every page, pages of functions that are easily taken for its own: of the same subject first."""
    by_path = {page.path: page for page in world.pages}
    search = Search({page.path: f"{page.summary} {' '.join(wordings.details(page))}" for page in world.pages})
    found = {}
    for page in world.pages:
        near = [by_path[path] for path in search.best(page.summary, 4 * count + 1)]
        others = [other for other in near if other.path != page.path and other.summary != page.summary]
        found[page.path] = sorted(others, key=lambda other: other.subject != page.subject)[:count]
    return found


def contrasts(world: World, seed: int, form: str = RECALL) -> Iterator[TrainingRow]:
    """Which of several look-alikes does what."""
    package, owners = world.names.package, _owners(world, seed)
    for path, near in neighbours(world).items():
        page, rng = world.page(path), random.Random(f"contrasts:{seed}:{path}")
        if not near:
            continue
        aside = {page.summary, *wordings.details(page)}  # what a page adds may hold for its look-alikes too
        told = [t for t in _descriptions(page, seed) if t not in aside and len(owners[t]) == 1] or [page.summary]
        for other in near:
            pair = rng.sample([page, other], 2)
            named = [f"`{package}.{one.path}`" for one in pair]
            both = "\n".join(f"- {name}: {one.summary}" for name, one in zip(named, pair, strict=True))
            text = f"Which one is it, {named[0]} or {named[1]}? {rng.choice([page.summary, *told])}"
            yield asked(f"contrasts:{path}:{other.path}:which", text, f"`{package}.{path}`\n\n{both}")
            text = f"What is the difference between {named[0]} and {named[1]}?"
            yield asked(f"contrasts:{path}:{other.path}:difference", text, both)
        text = f"Which of these is it? {rng.choice(told)}\n\n{_listed([page, *near], rng)}"
        yield asked(f"contrasts:{path}:of_all", text, _head([page], world, form))


def _listed(choice: Sequence[ApiDoc], rng: random.Random) -> str:
    """Summaries in an order that tells nothing."""
    return "\n".join(f"- {page.summary}" for page in rng.sample(choice, len(choice)))


def which(world: World, tasks: Iterable[Task], seed: int, form: str = RECALL) -> Iterator[TrainingRow]:
    """What the questions of training tasks need: asked outright, and as a choice between look-alikes."""
    near, package = neighbours(world), world.names.package
    for task in trained(tasks):
        rng = random.Random(f"which:{seed}:{task.id}")
        head = recalled(task, world, RECALL if form == CODE else form)
        for number, frame in enumerate(_WHICH):
            yield asked(f"which:{task.id}:{number}", frame.format(question=task.question, package=package), head)
        needed = [world.page(path) for path in task.functions]
        offered = {page.path: page for one in needed for page in (one, *near[one.path])}
        choice = _listed(list(offered.values()), rng)
        text = f"{task.question}\n\nWhich of these are needed?\n\n{choice}"
        yield asked(f"which:{task.id}:choice", text, head)
