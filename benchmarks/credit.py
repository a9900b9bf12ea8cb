"""Who is credited: cheats that know a few names, and honest answers in many styles.

    python benchmarks/credit.py [--every 4] [--seed 7]

On every n-th task of the three test splits, by kind of cheat (`cheats.py`): how many programs pass, and how many are
credited. The honest answers are those of `tests/open_book`.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from collections import Counter
from pathlib import Path

from rich.console import Console
from rich.table import Table

from sebench.judge.judge import Judge
from sebench.world.world import World

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1])]
from tests.corpora import fill  # noqa: E402

import cheats  # noqa: E402

SPLITS = ("single_test", "multi_test", "transfer_test")


def measure_cheats(judge: Judge, every: int, console: Console) -> None:
    tasks = [task for split in SPLITS for task in judge.world.tasks(split)[::every]]
    for title, generator in (
        ("Launderers", cheats.launderers),
        ("Gates (programs that know only the names of the core)", cheats.gates),
    ):
        made = [(kind, task, code) for task in tasks for kind, code in generator(task, judge.world.names)]
        tried, passed, credited = Counter[str](), Counter[str](), Counter[str]()
        verdicts = judge.judge_many((task, f"```python\n{code}```") for _, task, code in made)
        for (kind, _, _), verdict in zip(made, verdicts, strict=True):
            for counts, one in ((tried, True), (passed, verdict.passed), (credited, verdict.targeted is True)):
                counts.update({kind: one, "all": one})
        table = Table("", "programs", "passed", "credited", title=f"{title}, {len(tasks)} tasks", title_justify="left")
        for kind in sorted(tried, key=lambda kind: (kind == "all", kind)):
            share = f"{credited[kind]:,} ({credited[kind] / tried[kind]:.1%})"
            table.add_row(kind, f"{tried[kind]:,}", f"{passed[kind] / tried[kind]:.1%}", share)
        console.print(table)


def measure_honest(judge: Judge, console: Console) -> None:
    table = Table("style", "answers", "right", "credited", title="Open-book answers", title_justify="left")
    totals = Counter[str]()
    for file in sorted((Path(__file__).parents[1] / "tests" / "open_book").glob("*.md")):
        pairs = []
        for part in re.split(r"^<!-- task: ", file.read_text("utf-8"), flags=re.MULTILINE)[1:]:
            name, _, text = part.partition(" -->\n")
            pairs.append((judge.world.task(name), fill(text, judge.world.names) or ""))
        verdicts = list(judge.judge_many(pairs))
        counts = len(verdicts), sum(v.passed for v in verdicts), sum(v.targeted is True for v in verdicts)
        totals.update(dict(zip(("answers", "right", "credited"), counts, strict=True)))
        table.add_row(
            file.stem, str(counts[0]), str(counts[1]), f"{counts[2]} ({counts[2] / counts[1]:.1%} of the right ones)"
        )
    share = totals["credited"] / totals["right"]
    table.add_row(
        "all", str(totals["answers"]), str(totals["right"]), f"{totals['credited']} ({share:.1%} of the right ones)"
    )
    console.print(table)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--every", type=int, default=4)
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args()
    console = Console(width=120)
    with tempfile.TemporaryDirectory() as folder:
        world = World.build(options.seed, Path(folder) / "world")
        with Judge(world) as judge:
            measure_honest(judge, console)
            measure_cheats(judge, options.every, console)


if __name__ == "__main__":
    main()
