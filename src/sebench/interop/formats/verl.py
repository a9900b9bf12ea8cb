"""Parquet files for verl: one per split, with the columns that verl's data sets expect. The reward function is in
`sebench.interop.frameworks.verl`.

A row names its task (`reward_model.ground_truth`) and has nothing that only the judge may know.
`extra_info.sample_prompt` is the prompt with the book open, for agent loops that sample with the documentation and
update without it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sebench.base.errors import ConfigError
from sebench.base.files import new_folder
from sebench.base.records import Task
from sebench.tasks import splits
from sebench.world.prompts import OPEN, Prompter
from sebench.world.world import World

SOURCE = "sebench"


def library() -> tuple[Any, Any]:
    """Return the pyarrow class and module that write parquet files."""
    try:
        from pyarrow import Table, parquet
    except ImportError:
        raise ConfigError("--format verl needs the package pyarrow: pip install pyarrow") from None
    return Table, parquet


def export(world: World, out: Path, book: str = "closed") -> dict[str, int]:
    """Create the folder `out`, and return the number of rows in each split."""
    table, parquet = library()
    prompter = world.prompter(decline=bool(world.manifest.left_out))
    counts = {}
    with new_folder(out) as folder:
        for split in splits.SPLITS:
            tasks = world.tasks(split)
            rows = [_row(task, index, world, prompter, book) for index, task in enumerate(tasks)]
            if rows:
                parquet.write_table(table.from_pylist(rows), folder / f"{split}.parquet")
                counts[split] = len(rows)
    return counts


def _row(task: Task, index: int, world: World, prompter: Prompter, book: str) -> dict[str, Any]:
    about = {"index": index, "split": task.split, "book": book, "world": world.manifest.fingerprint}
    return {
        "data_source": SOURCE,
        "prompt": _as_messages(prompter.prompt(task, book).text),
        "ability": "code",
        "reward_model": {"style": "rule", "ground_truth": task.id},
        "extra_info": {**about, "sample_prompt": _as_messages(prompter.prompt(task, OPEN).text)},
    }


def _as_messages(prompt: str) -> list[dict[str, str]]:
    return [{"role": "user", "content": prompt}]
