"""A folder that `datasets.load_dataset` opens from disk: one config per split and one for the documentation, with a card."""

from __future__ import annotations

from pathlib import Path
from statistics import mean

from sebench.files import write, write_lines
from sebench.tasks import dataset, splits
from sebench.world import World

TEST = """- config_name: {split}
  data_files: [{{split: test, path: {split}.jsonl}}]"""
YEAR = 2026  # of this version: a card does not depend on the day on which it is written
CARD = """---
license: mit
language: [en]
pretty_name: "SE-Bench world {seed} ({package})"
tags: [knowledge-internalization, code, benchmark]
configs:
- config_name: train
  data_files: train.jsonl
  default: true
{tests}
- config_name: docs
  data_files: docs.jsonl
---

# SE-Bench world {seed}: the library `{package}`

A library that never existed, its documentation, and questions about it. With the documentation the questions are easy; without it they are
impossible, unless a model has internalized the library.

| config | rows | what it asks for | functions needed | with options | statements |
|---|---|---|---|---|---|
{rows}

"Functions needed" have no operator, indexing or construction form; the figures are means over the tasks.

## Columns of the tasks

`id`, `question`, `signature` (the line to complete), `functions` (what gold uses), `core` (what an answer must have used to be credited),
`examples` and `cases` (arguments and value, as Python literals), `gold` (a right answer), `rtol` and `atol` (tolerances of numbers), and
`card`: `tier`, `options` (optional parameters that gold gives), `needed` (number of functions without an operator form), `statements` of
gold, `usage` (of a transfer task: what no training task shows), `difficulty` (share of reference answers, written with the documentation
open, that were not right and credited at the first try; null where nobody was asked).

## Use

Train on `train` and `docs` only; examples may be shown, cases are for scoring. `sebench judge` scores answers: equal values alone are not
enough, they have to come from the library.

## Where it comes from

Made by sebench {version} with NumPy {numpy} from seed {seed}; every name is drawn from the seed, questions and documentation are our own texts.
Forged: {level}. The same seed, options and versions give the same bytes. Fingerprint `{fingerprint}`.

Licence: MIT. To cite, name SE-Bench, the version ({version}), the seed ({seed}) and the fingerprint above:

    @misc{{sebench_world_{seed},
      title  = {{SE-Bench, world {seed} ({package})}},
      note   = {{sebench {version}, fingerprint {short}}},
      year   = {{{year}}}
    }}

Please keep this line out of training data: {canary}
"""
ASKED = {
    splits.TRAIN: "a usage of one function, with the answer",
    splits.SINGLE_TEST: "a usage of one function like those trained on",
    splits.MULTI_TEST: "a composition of several functions",
    splits.TRANSFER_TEST: "a usage of one function that its page documents and no training task shows",
    splits.PLAN_TEST: "a goal that needs four to six functions",
    splits.BOUNDARY_TEST: "a function that the library lacks; the right answer declines",
    "docs": "a page of the documentation",
}


def export(world: World, out: Path) -> dict[str, int]:
    """Write the folder; the number of rows of each config."""
    counts = {
        split: write_lines(
            out / f"{split}.jsonl", (dataset.to_json(t, world.manifest.matched_names) for t in world.tasks(split))
        )
        for split in splits.SPLITS
        if world.tasks(split)  # a small world may have none, and an empty file cannot be loaded
    }
    pages = ({key: value for key, value in page.to_json().items() if key != "examples"} for page in world.pages)
    counts["docs"] = write_lines(out / "docs.jsonl", pages)
    made = world.manifest
    card = CARD.format(
        seed=made.seed,
        package=made.names.package,
        tests="\n".join(TEST.format(split=split) for split in counts if split.endswith("_test")),
        rows="\n".join(_row(name, count, world) for name, count in counts.items()),
        short=made.fingerprint[:16],
        year=YEAR,
        version=made.sebench,
        numpy=made.numpy,
        level=made.names.level,
        fingerprint=made.fingerprint,
        canary=made.canary,
    )
    write(out / "README.md", card)
    return counts


def _row(name: str, count: int, world: World) -> str:
    """The line of a config in the table: how many rows, and what their tasks ask for on average."""
    cards = [task.card for task in world.tasks(name) if not task.boundary] if name in splits.SPLITS else []
    if not cards:
        return f"| {name} | {count:,} | {ASKED.get(name, '')} | | | |"
    needed = mean(card.needed for card in cards)
    options = mean(bool(card.options) for card in cards)
    statements = mean(card.statements for card in cards)
    return f"| {name} | {count:,} | {ASKED.get(name, '')} | {needed:.1f} | {options:.0%} | {statements:.1f} |"
