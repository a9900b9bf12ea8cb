"""The fields of a release, with the type and range of each. No default makes a claim look better.

`folder.py` checks everything it reads with these fields, and `pack.py` everything it writes. A ValueError names the
first field that is missing or wrong. Two fields may be missing, since older releases lack them, and then get the least
favourable value: `scoring` is 1 (the oldest rules, never ranked with newer ones), and `responses` is 0 (an answer to
every sample of every task).

Not covered: whether the claims are true. `verify.py` compares them with the world and judges the answers again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from itertools import pairwise
from math import isfinite
from pathlib import PurePosixPath
from typing import Any

from sebench.base.errors import first_problem
from sebench.base.records import OF_SOME_WORLDS, Blame, Kind
from sebench.base.wording import short_repr
from sebench.judge.program.rules import SCORING_RULES
from sebench.memory.folder import REGIMES
from sebench.tasks import splits
from sebench.world.prompts import BOOKS

FORMAT = 1
RUN, EXPERIMENT = "run", "experiment"
MOST_ANSWERS, MOST_TASKS, MOST_SAMPLES = 1_000_000, 100_000, 10_000  # the largest release here has 68,369 answers
LARGEST = 1 << 62  # largest value of any number
RANKED = (splits.SINGLE_TEST, splits.MULTI_TEST)  # ranks depend on the number of tasks in these splits

Field = tuple[str, Callable[[Any], bool]]  # a description of valid values, and a check
Fields = Mapping[str, Field]  # by the path to the value: "config.samples"


def number(least: int, most: int = LARGEST) -> Field:
    """Return a field for whole numbers; True does not count as one."""
    what = f"a whole number, {least:,} or more" if most == LARGEST else f"a whole number from {least:,} to {most:,}"
    return what, lambda value: type(value) is int and least <= value <= most


def one_of(*known: str, what: str = "") -> Field:
    return what or " or ".join(map(repr, known)), lambda value: isinstance(value, str) and value in known


def or_none(field: Field) -> Field:
    return f"{field[0]}, or null", lambda value: value is None or field[1](value)


def distinct(field: Field) -> Field:
    what = f"a non-empty list without duplicates, each item {field[0]}"
    return (
        what,
        lambda value: isinstance(value, list) and all(map(field[1], value)) and 0 < len(value) == len(set(value)),
    )


def matching(pattern: str, what: str) -> Field:
    return what, lambda value: isinstance(value, str) and re.fullmatch(pattern, value) is not None


ANY_TEXT: Field = "a string", lambda value: isinstance(value, str)
TEXT: Field = "a printable string", lambda value: isinstance(value, str) and value.isprintable()
NAME: Field = (
    "a non-empty printable string",
    lambda value: isinstance(value, str) and value.isprintable() and value != "",
)
TEXTS: Field = "a list of strings", lambda value: isinstance(value, list) and all(isinstance(one, str) for one in value)
TABLE: Field = "an object", lambda value: isinstance(value, dict)
TABLES: Field = (
    "a non-empty list of objects",
    lambda value: isinstance(value, list) and value != [] and all(isinstance(one, dict) for one in value),
)
TRUTH: Field = "true or false", lambda value: isinstance(value, bool)
NOT_NEGATIVE: Field = (
    "a number that is not negative",
    lambda value: type(value) in (int, float) and isfinite(value) and value >= 0,
)
FINGERPRINT = matching("[0-9a-f]{64}", "a fingerprint of 64 hexadecimal digits")

RELEASE: Fields = {"kind": one_of(RUN, EXPERIMENT), "name": TEXT, "sebench": TEXT, "worlds": TABLES, "runs": TABLES}
WORLD: Fields = {
    "name": TEXT,
    "fingerprint": FINGERPRINT,
    "seed": number(0),
    "sebench": TEXT,
    "numpy": TEXT,
    "recipe": or_none(TABLE),
}
RECIPE: Fields = {
    "seed": number(0),
    "part": NAME,
    "split": one_of(*splits.WAYS),
    "level": NAME,
    "leave_out": number(0, MOST_TASKS),
    "package": matching(r"\w*", "the name of a package, or empty"),
}
RECIPE_OPTIONAL: Fields = {"edition.edits": number(1, MOST_TASKS), "edition.seed": number(0)}
RELEASED_RUN: Fields = {
    "folder": NAME,
    "world": FINGERPRINT,
    "model": TEXT,
    "regime": TEXT,
    "date": matching(r"(\d{4}-\d\d-\d\d)?", "a date such as 2026-01-31, or empty"),
    "answers": number(1, MOST_ANSWERS),
    "training_tokens": or_none(number(0)),
    "manifest": TABLE,
}
MANIFEST: Fields = {
    "format": number(1, 1),
    "config.model": TEXT,
    "config.split": distinct(NAME),
    "config.book": distinct(one_of(*BOOKS)),
    "config.samples": number(1, MOST_SAMPLES),
    "config.limit": number(0, MOST_TASKS),
    "config.profile": one_of("strict", "paper"),
    "world.fingerprint": FINGERPRINT,
    "world.seed": number(0),
    "world.package": NAME,
    "world.tasks": TABLE,
    **{f"world.tasks.{split}": number(0, MOST_TASKS) for split in RANKED},
    "prompts": TABLE,
    "versions": TABLE,
    "machine": TEXT,
    "isolation_missing": TEXTS,
    "started": TEXT,
    "ended": TEXT,
}
MANIFEST_OPTIONAL: Fields = {
    "config.tasks": TEXT,
    "config.seed": number(-LARGEST),
    "config.temperature": NOT_NEGATIVE,
    "config.repair": number(0),
    "config.memory": NAME,
    "world.edition": number(2),
    "memory": TABLE,
    "training": TABLE,
    "training.method": TEXT,
    "training.tokens": number(0),
    "base_urls": TEXTS,
    "served_model": TEXT,
    "responses": number(0, MOST_ANSWERS),
    "scoring": (
        f"a version of the scoring rules that this version of sebench knows (1 to {SCORING_RULES}); a newer one may "
        "know more",
        number(1, SCORING_RULES)[1],
    ),
}
TASK: Fields = {
    "run": NAME,
    "id": NAME,
    "split": NAME,
    "signature": ANY_TEXT,
    "functions": TEXTS,
    "forged": TEXTS,
    "subjects": TEXTS,
    "card": TABLE,
}
ANSWER: Fields = {
    "run": NAME,
    "task_id": NAME,
    "book": one_of(*BOOKS),
    "sample_index": number(0, MOST_SAMPLES - 1),
    "prompt_digest": TEXT,
    "response": ANY_TEXT,
    "finish": ANY_TEXT,
    "prompt_tokens": number(0),
    "completion_tokens": number(0),
    "seconds": NOT_NEGATIVE,
    "error": ANY_TEXT,
    "verdict": or_none(TABLE),
}
ANSWER_OPTIONAL: Fields = {"calls": number(1), "present": or_none(TEXTS)}  # not in releases made with 0.5.0
VERDICT: Fields = {
    "kind": one_of(*Kind, what="a kind of verdict that this version of sebench knows"),
    "blame": one_of(*Blame, what=f"one of {', '.join(Blame)}"),
    "case": or_none(number(0)),
    "detail": ANY_TEXT,
    "functions": TEXTS,
    "numpy_passed": or_none(TRUTH),
    "targeted": or_none(TRUTH),
    "uncredited": TEXTS,
    "invented": TEXTS,
}
VERDICT_OPTIONAL: Fields = dict.fromkeys(OF_SOME_WORLDS, TRUTH)


def parse(text: str | bytes) -> Any:
    """Parse JSON; refuse NaN and infinite numbers."""
    return json.loads(text, parse_constant=_finite, parse_float=_finite)


def parse_once(text: str) -> Any:
    """Like `parse`, but refuse duplicate keys too, since a person might read one value and a program the other."""
    return json.loads(text, parse_constant=_finite, parse_float=_finite, object_pairs_hook=_table)


def _finite(text: str) -> float:
    if not isfinite(value := float(text)):
        raise ValueError(f"{text} is not a finite number")
    return value


def _table(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"{twice!r} occurs more than once in a JSON object")
    return table


def check(data: Mapping[str, Any], fields: Fields, optional: Fields | None = None) -> None:
    """Raise an error for the first field that is missing or wrong."""
    for known, needed in ((fields, True), (optional or {}, False)):
        for path, (what, holds) in known.items():
            value: Any = data
            for key in path.split("."):
                if not isinstance(value, dict) or key not in value:
                    if needed:
                        raise ValueError(f"{path} is missing")
                    break
                value = value[key]
            else:
                if not holds(value):
                    raise ValueError(f"{path} is {short_repr(value)}, but must be {what}")


def check_release(data: Any) -> None:
    """Raise an error if release.json is incomplete or contradicts itself."""
    if not isinstance(data, dict):
        raise ValueError("it is not a JSON object")
    check(data, RELEASE)
    for world in data["worlds"]:
        with naming(f"world {short_repr(world.get('name'))}"):
            _check_world(world)
    seeds = {world["fingerprint"]: world["seed"] for world in data["worlds"]}
    if len(seeds) < len(data["worlds"]):
        raise ValueError("a world is listed twice")
    for run in data["runs"]:
        with naming(f"run {short_repr(run.get('folder'))}"):
            _check_run(run, seeds)
    folders = [run["folder"] for run in data["runs"]]
    for one, other in pairwise(sorted(PurePosixPath(folder.casefold()).parts for folder in folders)):
        if one == other[: len(one)]:
            raise ValueError(f"run {'/'.join(other)!r} is listed twice, or is inside the folder of another run")
    if sum(run["answers"] for run in data["runs"]) > MOST_ANSWERS:
        raise ValueError(f"its runs have more than {MOST_ANSWERS:,} answers in total")


@contextmanager
def naming(name: str) -> Iterator[None]:
    """Prefix the errors raised in a block with a name."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None


def _check_world(data: dict[str, Any]) -> None:
    check(data, WORLD)
    if (recipe := data["recipe"]) is not None:
        check(recipe, RECIPE, RECIPE_OPTIONAL)
        if recipe["seed"] != data["seed"]:
            raise ValueError(f"seed is {data['seed']}, but recipe.seed is {recipe['seed']}")


def _check_run(data: dict[str, Any], seeds: Mapping[str, int]) -> None:
    check(data, RELEASED_RUN)
    manifest = data["manifest"]
    check(manifest, MANIFEST, MANIFEST_OPTIONAL)
    world, config, memory = manifest["world"], manifest["config"], manifest.get("memory", {})
    check(world["tasks"], {split: number(0, MOST_TASKS) for split in world["tasks"]})
    if memory:
        check(memory, {"regime": one_of(*REGIMES), "method": NAME}, {"settings": TABLE, "study": TABLE})
    if config["limit"]:
        check(config, {"seed": MANIFEST_OPTIONAL["config.seed"]})
    seed, expected = seeds.get(data["world"]), expected_answers(manifest)
    models = f"model is {short_repr(data['model'])}, but config.model is {short_repr(config['model'])}"
    problems = {
        "its world is not in the list of worlds": seed is None,
        "its world differs from the one in its settings": (world["fingerprint"], world["seed"])
        != (data["world"], seed),
        models: config["model"] != data["model"],
        "config.memory and memory must both be set, or neither": bool(config.get("memory")) != bool(memory),
        f"it has {data['answers']:,} answers, but should have {expected or 0:,}": expected
        not in (None, data["answers"]),
    }
    if problem := first_problem(problems):
        raise ValueError(problem)


def expected_tasks(manifest: Mapping[str, Any]) -> dict[str, int] | None:
    """Return how many tasks a run has from each split; None for imported tasks or answers, whose number is known only
    from the list of tasks."""
    config, has = manifest["config"], manifest["world"]["tasks"]
    if config.get("tasks") or manifest.get("responses"):
        return None
    check(has, {split: number(0, MOST_TASKS) for split in config["split"]})
    return {split: min(has[split], config["limit"] or has[split]) for split in config["split"]}


def expected_answers(manifest: Mapping[str, Any], tasks: int | None = None) -> int | None:
    """Return how many answers a run must have; None if that depends on the number of its tasks, and `tasks` is None."""
    if responses := manifest.get("responses", 0):
        return int(responses)
    tasks_by_split = expected_tasks(manifest)
    tasks = tasks if tasks_by_split is None else sum(tasks_by_split.values())
    return None if tasks is None else tasks * len(manifest["config"]["book"]) * int(manifest["config"]["samples"])
