"""A folder that `datasets.load_dataset` opens from disk and that can be pushed to the hub unchanged: one config per
split and one for the documentation, a card, and the hub's evaluation file.

A row has what a trainer or an evaluator may see: the question, and the prompt with each book (documentation setting).
Training rows also have a right answer. Everything else that the judge knows (cases, credited functions, answers to test
tasks) stays in the world: a row is judged by its `id`, on any machine that has the world with the fingerprint in
`world`. `answers=True` writes all of it. No row contains NumPy's names, except in prompts about NumPy.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from statistics import mean
from typing import Any

from sebench.base.files import new_folder, write, write_lines
from sebench.tasks import dataset, splits
from sebench.world.prompts import BOOKS, CLOSED, OPEN, Prompter
from sebench.world.world import World

CONFIG = """- config_name: {config}
  data_files: [{{split: {split}, path: {config}.jsonl}}]"""
YEAR = 2026  # of this version, so that a card does not depend on the day it is written
CARD = """---
license: mit
language: [en]
pretty_name: "SE-Bench world {seed} ({package})"
task_categories: [text-generation]
tags: [knowledge-internalization, code, benchmark]
configs:
{configs}
---

# SE-Bench world {seed}: the library `{package}`

A library that never existed, its documentation, and questions about it. With the documentation the questions are \
easy; without it they are
impossible, unless a model has internalized the library.

| config | split | rows | what it asks for | functions needed | with options | statements |
|---|---|---|---|---|---|---|
{rows}

"Functions needed" counts those that cannot be replaced by an operator, indexing or array construction. The figures are
means over the tasks.

## Columns of the tasks

| column | content |
|---|---|
| `id`, `split` | the task's id, and the split that it belongs to |
| `world` | fingerprint of the world that the task belongs to |
| `question`, `examples`, `signature` | what is asked, with calls and their values, and the line to complete |
| `prompt_closed` | the question alone |
| `prompt_open` | the same after pages of the documentation: those that the task needs among 8 others |
| `prompt_native` | the same question about NumPy itself |
| `tier` | single, multi, transfer or plan |
| `difficulty` | share of reference answers, written with the book open, that were not both right and credited at the \
first attempt; null if it was not measured |
{columns}

`docs` has one row per page: `path`, `subject`, `signature`, `summary`, `text`.

## Use

    from datasets import load_dataset
    tasks = load_dataset(FOLDER, "single_test", split="test")

Train on `train` and `docs` only. An answer is scored by its task's `id`, on a machine with sebench and the world:

    from sebench import judge_for
    verdict = judge_for(WORLD).judge(row["id"], response)

Equal values alone are not enough: they have to come from the library.{declining}

## Where it comes from

Made by sebench {version} with NumPy {numpy} from seed {seed}; every name is drawn from the seed, questions and \
documentation are our own texts.
Forged: {level}. The same seed, options and versions give the same bytes. Fingerprint `{fingerprint}`.

Licence: MIT. The benchmark was introduced in arXiv:2602.04811; this world was made by an independent implementation. \
To cite it, name
SE-Bench, the version ({version}), the seed ({seed}) and the fingerprint above:

    @misc{{sebench_world_{seed},
      title  = {{SE-Bench, world {seed} ({package})}},
      note   = {{sebench {version}, fingerprint {short}}},
      year   = {{{year}}}
    }}

Please keep this line out of training data: {canary}
"""
TRAINING_COLUMNS = "| `gold`, `functions` | only in `train`: a right answer, and the functions that it uses |"
ANSWER_COLUMNS = """| `entry`, `parameters` | name and arguments of the function to write |
| `gold`, `functions` | a right answer, and the functions that it uses |
| `core` | what an answer must have used to be credited |
| `cases`, `rtol`, `atol` | scored calls with their values, as Python literals; tolerances of numbers |
| `card` | options that gold sets, number of functions without an operator form, statements, and the usage that a \
transfer task needs |

**Not for publication:** this folder has the answers to the test tasks."""
# The fields from which a task can be read back.
ANSWERS = ("entry", "parameters", "functions", "core", "cases", "gold", "card", "rtol", "atol")
TRAINING_ANSWERS = ("functions", "gold")
EVALUATION = """# The hub's evaluation file. The hub accepts it once "sebench" is in its list of evaluation frameworks.
name: "SE-Bench world {seed} ({package})"
description: "Knowledge of a library that never existed: coding questions with its documentation in the prompt, and \
without."
evaluation_framework: sebench
tasks:
{tasks}
"""
ROW_DESCRIPTIONS = {
    splits.TRAIN: "a usage of one function, with the answer",
    splits.SINGLE_TEST: "a usage of one function, like those in training",
    splits.MULTI_TEST: "a composition of several functions",
    splits.TRANSFER_TEST: "a usage of one function that its page documents and no training task shows",
    splits.PLAN_TEST: "a goal that needs four to six functions",
    splits.BOUNDARY_TEST: "a function that the library lacks; the right answer declines",
    "docs": "a page of the documentation",
}


def export(world: World, out: Path, *, answers: bool = False) -> dict[str, int]:
    """Create the folder `out`, and return the number of rows in each config. `answers` includes everything that the
    judge knows."""
    # A world with boundary tasks explains in all prompts how to decline: otherwise that paragraph would give those
    # tasks away.
    prompter = world.prompter(decline=bool(world.manifest.left_out))
    with new_folder(out) as folder:
        counts = {
            split: write_lines(folder / f"{split}.jsonl", _rows(world, split, prompter, answers))
            for split in splits.SPLITS
            if world.task_ids(split)  # a small world may have none, and an empty file cannot be loaded
        }
        pages = ({key: value for key, value in page.to_json().items() if key != "examples"} for page in world.pages)
        counts["docs"] = write_lines(folder / "docs.jsonl", pages)
        write(folder / "README.md", _card(world, counts, answers))
        write(folder / "eval.yaml", _evaluation(world, list(counts)))
    return counts


def _rows(world: World, split: str, prompter: Prompter, answers: bool) -> Iterator[dict[str, Any]]:
    kept = ANSWERS if answers else TRAINING_ANSWERS if split == splits.TRAIN else ()
    for task in world.tasks(split):
        known = dataset.to_json(task, world.manifest.matched_names)
        yield {
            **{column: known[column] for column in ("id", "split", "question", "signature", "examples")},
            **{f"prompt_{book}": prompter.prompt(task, book).text for book in BOOKS},
            "tier": task.card.tier,
            "difficulty": task.card.difficulty,
            "world": world.manifest.fingerprint,
            **{column: known[column] for column in kept},
        }


def _split(config: str) -> str:
    """Return the name that `datasets` uses for the split of a config."""
    return "test" if config in (*splits.TESTS, splits.BOUNDARY_TEST) else "train"


def _card(world: World, counts: dict[str, int], answers: bool) -> str:
    manifest = world.manifest
    configs = [CONFIG.format(config=config, split=_split(config)) for config in counts]
    first = f"{configs[0]}\n  default: true"
    declining = (
        " A boundary task is answered by declining, and every prompt says how."
        if splits.BOUNDARY_TEST in counts
        else ""
    )
    return CARD.format(
        seed=manifest.seed,
        package=manifest.names.package,
        configs="\n".join([first, *configs[1:]]),
        rows="\n".join(_line(name, count, world) for name, count in counts.items()),
        columns=ANSWER_COLUMNS if answers else TRAINING_COLUMNS,
        declining=declining,
        short=manifest.fingerprint[:16],
        year=YEAR,
        version=manifest.sebench,
        numpy=manifest.numpy,
        level=manifest.names.level,
        fingerprint=manifest.fingerprint,
        canary=manifest.canary,
    )


def _evaluation(world: World, configs: list[str]) -> str:
    """Return the hub's evaluation file: two leaderboards for each test split, one for each book (closed and open)."""
    tests = [config for config in configs if _split(config) == "test"]
    tasks = "\n".join(
        f"  - {{id: {config}_{book}, config: {config}, split: test}}" for config in tests for book in (CLOSED, OPEN)
    )
    return EVALUATION.format(seed=world.manifest.seed, package=world.names.package, tasks=tasks)


def _line(name: str, count: int, world: World) -> str:
    """Return the row for a config in the table: its number of rows, and what its tasks require on average."""
    begin = f"| {name} | {_split(name)} | {count:,} | {ROW_DESCRIPTIONS.get(name, '')} |"
    cards = [task.card for task in world.tasks(name) if not task.boundary] if name in splits.SPLITS else []
    if not cards:
        return f"{begin} | | |"
    needed = mean(card.needed for card in cards)
    options = mean(bool(card.options) for card in cards)
    statements = mean(card.statements for card in cards)
    return f"{begin} {needed:.1f} | {options:.0%} | {statements:.1f} |"
