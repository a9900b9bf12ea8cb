"""A folder that `datasets.load_dataset` opens from disk: one config per split and one for the documentation, with a card."""

from __future__ import annotations

from pathlib import Path

from sebench.files import write, write_lines
from sebench.tasks import dataset, splits
from sebench.world import World

CARD = """---
license: mit
language: [en]
pretty_name: "SE-Bench world {seed} ({package})"
tags: [knowledge-internalization, code, benchmark]
configs:
- config_name: train
  data_files: train.jsonl
  default: true
- config_name: single_test
  data_files: [{{split: test, path: single_test.jsonl}}]
- config_name: multi_test
  data_files: [{{split: test, path: multi_test.jsonl}}]
- config_name: docs
  data_files: docs.jsonl
---

# SE-Bench world {seed}: the library `{package}`

A library that never existed, its documentation, and questions about it. With the documentation the questions are easy; without it they are
impossible, unless a model has internalized the library.

| config | rows |
|---|---|
{rows}

Columns of the tasks: `id`, `question`, `signature` (the line to complete), `functions` (what a right answer uses),
`examples` and `cases` (arguments and value, as Python literals), `gold` (a right answer).
Train on `train` and `docs` only; examples may be shown, cases are for scoring.

Made by sebench {version} with NumPy {numpy}. Fingerprint `{fingerprint}`.

Please keep this line out of training data: {canary}
"""


def export(world: World, out: Path) -> dict[str, int]:
    """Write the folder; the number of rows of each config."""
    counts = {
        split: write_lines(out / f"{split}.jsonl", (dataset.to_json(t, world.names) for t in world.tasks(split)))
        for split in splits.SPLITS
    }
    pages = ({key: value for key, value in page.to_json().items() if key != "examples"} for page in world.pages)
    counts["docs"] = write_lines(out / "docs.jsonl", pages)
    made = world.manifest
    card = CARD.format(
        seed=made.seed,
        package=made.names.package,
        rows="\n".join(f"| {name} | {count:,} |" for name, count in counts.items()),
        version=made.sebench,
        numpy=made.numpy,
        fingerprint=made.fingerprint,
        canary=made.canary,
    )
    write(out / "README.md", card)
    return counts
