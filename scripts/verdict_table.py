"""The verdicts of an experiment as one small table: a line for each task, a column for each method and book.

    python scripts/verdict_table.py runs/h200-sft docs/results/h200-sft.csv

A cell has the kind of the verdict; "credited" stands for a right answer in which the functions that the task is about did the work,
"passed" for any other right one, and nothing for an answer that was not given.
"""

from __future__ import annotations

import csv
import json
import sys
from collections import defaultdict
from pathlib import Path

from sebench.store import Run


def table(folder: Path) -> list[dict[str, str]]:
    """Lines of the table, by world and task."""
    told = json.loads((folder / "experiment.json").read_text("utf-8"))
    cells: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    for world in told["worlds"]:
        for method in told["methods"]:
            place = folder / world["name"] / method["name"] / "run"
            if not place.is_dir():
                continue
            for row in Run.load(place).rows():
                if row.verdict is not None and not row.rollout.error:
                    kind = "credited" if row.verdict.targeted else str(row.verdict.kind)
                    key = world["name"], row.rollout.task_id
                    cells[key][f"{method['name']}, {row.rollout.book}"] = kind
    return [{"world": w, "task": t, **found} for (w, t), found in sorted(cells.items())]


def main() -> None:
    folder, out = (Path(name) for name in sys.argv[1:])
    lines = table(folder)
    columns = list(dict.fromkeys(column for line in lines for column in line))
    with out.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns, restval="")
        writer.writeheader()
        writer.writerows(lines)
    print(f"{out}: {len(lines):,} tasks, {len(columns) - 2} columns")


if __name__ == "__main__":
    main()
