"""Write the tables of `docs/results.md` from the releases in `releases/`, and check the figures in its text. Needs no
GPU and no world.

    python scripts/results_tables.py            # after a release was added or changed
    python scripts/results_tables.py --check    # says what the page should say, and writes nothing

A table stands between `<!-- table NAME -->` and `<!-- end -->`; everything else on the page is written by hand, and
what it says about differences and ratios must be one of `facts`. `tests/test_results.py` runs the check.

Not covered: judging the answers again, which is `sebench verify releases/NAME`.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from math import sqrt
from pathlib import Path
from random import Random
from statistics import NormalDist, fmean, stdev

from sebench.release import folder, pack
from sebench.report.numbers import experiment as learning
from sebench.report.numbers import metrics, stream, worlds
from sebench.report.numbers.build import Report
from sebench.report.numbers.compare import Share
from sebench.report.numbers.experiment import ExperimentReport, Figure, MethodReport
from sebench.report.numbers.intervals import Interval, difference_interval, ratio_interval, student
from sebench.report.numbers.metrics import Cell
from sebench.report.numbers.stream import StreamReport
from sebench.report.numbers.worlds import WorldsCell
from sebench.report.views import drawings, stream_files
from sebench.rollout.store import Row, Run

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "results.md"
PICTURE = ROOT / "docs" / "pictures" / "h200-qwen.svg"
SCALE_PICTURE = ROOT / "docs" / "pictures" / "scale.svg"
STREAM_PICTURE = ROOT / "docs" / "pictures" / "h200-stream.svg"
LAB = ROOT / "docs" / "lab.md"
README = ROOT / "README.md"
RELEASES = ROOT / "releases"
# when an interval stands beside an accuracy
ALWAYS, WHERE_RIGHT, NEVER = (
    "always",
    "where some answer is right",
    "never",
)
SPLITS = {"single": "single_test", "transfer": "transfer_test"}


@dataclass(frozen=True)
class Table:
    """How a release is shown."""

    release: str
    methods: Mapping[str, str]  # name -> what the table calls it
    accuracies: Mapping[str, str]  # "closed single" -> when it has an interval
    facts: tuple[str, ...]  # columns about the training, before or behind the accuracies
    starts: Mapping[str, str] = field(default_factory=dict)  # what the table calls a row that others begin with
    bold: frozenset[tuple[str, str]] = frozenset()  # method and column


TABLES = (
    Table(
        "h200-sft",
        {
            "untrained": "untrained",
            "Open-SFT": "Open-SFT",
            "Closed-SFT": "Closed-SFT",
            "Closed-SFT code": "Closed-SFT, code alone",
            "NumPy-SFT": "NumPy-SFT (control)",
        },
        {
            "closed single": ALWAYS,
            "closed transfer": ALWAYS,
            "open single": WHERE_RIGHT,
            "open transfer": WHERE_RIGHT,
            "native single": WHERE_RIGHT,
            "native transfer": WHERE_RIGHT,
        },
        ("right name first (probe)", "tokens", "training s"),
        bold=frozenset((m, f"closed {s}") for m in ("Open-SFT", "Closed-SFT") for s in SPLITS),
    ),
    Table(
        "h200-rl",
        {
            "Closed-SFT two": "Closed-SFT, two tasks",
            "RL group": "RL, group advantage",
            "RL raw": "RL, raw reward",
            "Open-SFT two": "Open-SFT, two tasks",
            "Open-RL": "Open-RL",
            "Closed-RL": "Closed-RL",
            "Distil": "Distil",
        },
        {"closed single": ALWAYS, "closed transfer": ALWAYS, "open single": NEVER, "open transfer": NEVER},
        ("begins with", "steps", "training s"),
        starts={"Closed-SFT two": "Closed-SFT, two", "Open-SFT two": "Open-SFT, two"},
        bold=frozenset({("Distil", "closed single"), ("Distil", "open single")}),
    ),
)


# The runs of a memory in a whole world and in one of a hundred functions, by their names in the releases.
MEMORY = {
    "d0": "",  # closed and open
    "index": "index",
    "pages": "BM25 over pages, 8",
    "enriched": "BM25 over pages with their training questions, 8",
    "operations": "BM25 with the operations that the reader names",
    "lookup": "lookup",
    "trajectories": "8 similar training questions with gold",
    "expel": "ExpeL: gold answers, rules of the scripted writer",
    "notes": "notes of the scripted writer",
    "ace": "ACE with the scripted pair",
    "own-notes": "notes that the reader wrote itself",
    "own-ace": "ACE, all parts by the reader itself",
    "own-expel": "ExpeL, all parts by the reader itself",
    "d8": "the needed page among eight others",
}
WORLDS = ("h200-memory", "h200-memory-small")
WRITERS = {
    "pages": "BM25 over pages, 8",
    "trajectories": "4 similar training questions with gold",
    "index": "index",
    "expel": "ExpeL, all parts by the model itself (96 tasks)",
    "notes": "notes that the model wrote itself",
    "ace": "ACE, all parts by the model itself (64 tasks)",
    "expel-q15": "ExpeL with the mended form, by the 1.5B model; 96 questions",
    "expel-q05": "ExpeL with the mended form, by the 0.5B model; 96 questions",
    "notes-q15": "notes with the mended form, by the 1.5B model; 96 questions",
    "notes-q05": "notes with the mended form, by the 0.5B model; 96 questions",
    "ace-q15": "ACE with the mended form, by the 1.5B model; 96 questions",
    "ace-q05": "ACE with the mended form, by the 0.5B model; 96 questions",
}
# The runs of Qwen2.5-Coder-0.5B in world 2001.
SMALL = {
    "untrained": "untrained",
    "open-sft-gold": "Open-SFT, gold answers",
    "closed-sft-gold": "Closed-SFT, gold answers",
    "numpy-sft-gold": "NumPy-SFT, gold answers (control)",
}
# The runs of release h200-context: what the prompt contains, and the run. The first three are of release h200-qwen.
CONTEXT = (
    ("untrained", "open", "the needed page", "h200-qwen", "2001-untrained"),
    ("untrained", "open", "the needed page among 8 others", "h200-context", "2001-untrained-8-distractors"),
    ("untrained", "open", "the needed page, one repair", "h200-context", "2001-untrained-repair"),
    ("Open-SFT, own answers", "open", "the needed page", "h200-qwen", "2001-open-sft-own-seed-4"),
    (
        "Open-SFT, own answers",
        "open",
        "the needed page among 8 others",
        "h200-context",
        "2001-open-sft-own-seed-4-8-distractors",
    ),
    ("Closed-SFT, gold answers", "closed", "nothing", "h200-qwen", "2001-closed-sft-gold-seed-1"),
    ("Closed-SFT, gold answers", "open", "the needed page", "h200-qwen", "2001-closed-sft-gold-seed-1"),
    (
        "Closed-SFT, gold answers",
        "open",
        "the needed page among 8 others",
        "h200-context",
        "2001-closed-sft-gold-seed-1-8-distractors",
    ),
    ("Closed-SFT, gold answers", "closed", "index", "h200-context", "2001-closed-sft-gold-seed-1-index"),
    (
        "Closed-SFT, gold answers",
        "closed",
        "8 similar training questions with gold",
        "h200-context",
        "2001-closed-sft-gold-seed-1-trajectories",
    ),
    ("Closed-SFT, gold answers", "closed", "nothing, one repair", "h200-context", "2001-closed-sft-gold-seed-1-repair"),
)
SAMPLED = ("2001-untrained-8-samples", "2001-closed-sft-gold-seed-1-8-samples")
CHANGED_RUNS = {"3001-untrained": "untrained", "3001-closed-sft": "Closed-SFT"}
# What a model was asked about edition 2: the world of edition 1, what it had learned, what its prompt had, and the runs
# about functions that exist and about removed ones.
EDITION_RUNS = (
    ("3101", "edition 1", "nothing", ("edition-2-pages", "closed"), "edition-2-removed"),
    ("3101", "edition 1", "the new page", ("edition-2-pages", "open"), "edition-2-removed"),
    ("3101", "edition 1", "the list of changes", ("edition-2-changelog", "open"), ""),
    ("3101", "edition 1", "both", ("edition-2-both", "open"), ""),
    ("3201", "nothing", "the new page", ("3202-untrained-pages", "open"), "3202-untrained-removed"),
    ("3201", "nothing", "both", ("3202-untrained-both", "open"), ""),
    ("3201", "edition 1", "nothing", ("3202-edition-1-pages", "closed"), "3202-edition-1-removed"),
    ("3201", "edition 1", "the new page", ("3202-edition-1-pages", "open"), "3202-edition-1-removed"),
    ("3201", "edition 1", "the list of changes", ("3202-edition-1-changelog", "open"), ""),
    ("3201", "edition 1", "both", ("3202-edition-1-both", "open"), ""),
    ("3201", "edition 1, then 2", "nothing", ("3202-retrained-pages", "closed"), "3202-retrained-removed"),
    ("3201", "edition 1, then 2", "the new page", ("3202-retrained-pages", "open"), "3202-retrained-removed"),
    ("3201", "edition 1, then 2", "both", ("3202-retrained-both", "open"), ""),
    ("3201", "edition 2", "nothing", ("3202-edition-2-pages", "closed"), "3202-edition-2-removed"),
    ("3201", "edition 2", "the new page", ("3202-edition-2-pages", "open"), "3202-edition-2-removed"),
    ("3201", "edition 2", "both", ("3202-edition-2-both", "open"), ""),
)
# The rows of the table of streams: release, method, arm, what the table calls it, and the second library.
STREAM_ROWS = (
    ("h200-stream", "Closed-SFT", "sequential", "Closed-SFT", "the same functions, other names"),
    ("h200-joint", "Closed-SFT", "sequential", "Closed-SFT, run 3", "the same functions, other names"),
    ("h200-replay", "Closed-SFT", "replay", "Closed-SFT, run 2, with replay", "the same functions, other names"),
    ("h200-joint", "Closed-SFT", "joint", "Closed-SFT on both at once", "the same functions, other names"),
    ("h200-fast", "Closed-SFT 1e-4", "sequential", "Closed-SFT, lr 1e-4", "the same functions, other names"),
    ("h200-stream", "LoRA", "sequential", "LoRA", "the same functions, other names"),
    ("h200-stream", "Distillation", "sequential", "Distillation", "the same functions, other names"),
    ("h200-stream", "pages", "sequential", "BM25 over pages (a memory)", "the same functions, other names"),
    ("h200-apart", "Closed-SFT", "sequential", "Closed-SFT", "other functions"),
    ("h200-edition", "Closed-SFT", "sequential", "Closed-SFT, whole world", "a new edition"),
)


# The runs of Qwen2.5-Coder-1.5B: what the table calls them, and their names in the release without the world's seed.
# Seeds and repetitions of one training count as one.
QWEN_WORLDS = ("2001", "2002", "2003")
QWEN = {
    "untrained": ("untrained", "untrained-run-2"),
    "Open-SFT, own answers": ("open-sft-own", *(f"open-sft-own-seed-{seed}" for seed in (1, 2, 3, 4))),
    "Closed-SFT, own answers": ("closed-sft-own", *(f"closed-sft-own-seed-{seed}" for seed in (1, 2, 3))),
    "the same, then 100 steps of RL": ("rl-after-closed-sft-own",),
    "Open-SFT, gold answers": ("open-sft-gold",),
    "Closed-SFT, gold answers": (
        "closed-sft-gold",
        *(f"closed-sft-gold-{again}" for again in ("run-2", "run-3", "seed-1")),
    ),
    "the same with MemFT weights": ("closed-sft-gold-known-weight",),
    "the same with joined questions": ("closed-sft-gold-pairs",),
    "the same with general code": ("closed-sft-gold-general-code",),
    "NumPy-SFT, gold answers (control)": ("numpy-sft-gold",),
    "Distillation, the teacher writes": ("distil",),
    "Distillation, the student writes": ("distil-student",),
    "Closed-SFT, gold answers (run 2), then distillation": ("distil-after-closed-sft-gold",),
    "Closed-SFT, gold answers (run 3), then distillation, reverse": ("distil-reverse-after-closed-sft-gold",),
    "Closed-SFT, gold answers (seed 1), then distillation, live teacher": ("distil-live-after-closed-sft-gold",),
    "Rejection sampling, 2 epochs": ("rejection-2-epochs",),
    "Rejection sampling, 4 epochs": ("rejection-4-epochs",),
    "Rejection sampling, 8 epochs": ("rejection-8-epochs",),
    "Closed-RL, lr 1e-6": ("closed-rl-lr-1e-6",),
    "Closed-RL, lr 1e-6, 100 steps": ("closed-rl-lr-1e-6-100",),
    "Closed-RL, lr 1e-6, 64 tasks per step": ("closed-rl-lr-1e-6-64-tasks",),
    "Closed-RL": ("closed-rl", "closed-rl-seed-1", "closed-rl-seed-2"),
    "Closed-RL, four updates": ("closed-rl-four-updates",),
    "Closed-RL, four updates without clipping": ("closed-rl-four-updates-unclipped",),
    "Closed-RL, `old = sampling`": ("closed-rl-old-sampling",),
    "Closed-RL, `positive`": ("closed-rl-positive", "closed-rl-positive-seed-1", "closed-rl-positive-seed-2"),
    "Closed-RL, `positive`, 100 steps": ("closed-rl-positive-100",),
    "Closed-RL, `raw`": ("closed-rl-raw",),
}
QWEN_COLUMNS = tuple((book, split) for split in ("single_test", "multi_test") for book in ("closed", "open", "native"))


Column = tuple[str, str]  # book and split


def rows_of(release_name: str) -> dict[str, dict[Column, list[Row]]]:
    """Of every run of the release, its rows by book and split."""
    release = folder.read(RELEASES / release_name)
    by_run: dict[str, dict[Column, list[Row]]] = {}
    with folder.unpacked_copy(release) as place:
        for run in release.runs:
            by_column = by_run[run.folder] = defaultdict(list)
            for row in Run.load(place / run.folder).rows():
                by_column[row.rollout.book, row.task["split"]].append(row)
    return by_run


def with_repetition(by_run: Mapping[str, Mapping[Column, Sequence[Row]]], name: str) -> dict[Column, list[Row]]:
    """The rows of a run by book and split, with those of its repetitions where there are any."""
    runs = [
        by_run[run] for run in (name, *(f"{name}-{again}" for again in ("run-2", "run-3", "seed-1"))) if run in by_run
    ]
    return {column: [row for run in runs for row in run.get(column, ())] for run in runs for column in run}


def qwen_tables(by_run: Mapping[str, Mapping[Column, Sequence[Row]]]) -> dict[str, str]:
    """The means over worlds, and every run with its intervals."""
    cells = {run: {column: metrics.cell(rows, column[0]) for column, rows in of.items()} for run, of in by_run.items()}
    heads = [f"{book} {split.removesuffix('_test')}" for book, split in QWEN_COLUMNS]
    means, runs = _head("", "worlds", *heads), _head("", "world", *heads)
    for label, names in QWEN.items():
        of_worlds = {
            world: {name: cells[f"{world}-{name}"] for name in names if f"{world}-{name}" in cells}
            for world in QWEN_WORLDS
        }
        worlds = [world for world, of_world in of_worlds.items() if of_world]
        shown = [_mean_of_worlds([list(of_worlds[world].values()) for world in worlds], one) for one in QWEN_COLUMNS]
        means.append(f"| {' | '.join([label, ', '.join(worlds), *shown])} |")
        for world, name, by_column in ((w, name, one) for w in worlds for name, one in of_worlds[w].items()):
            repeated = next((f", {kind} {name[-1]}" for kind in ("seed", "run") if f"-{kind}-" in name), "")
            shown = [_cell_text(by_column.get(column)) for column in QWEN_COLUMNS]
            runs.append(f"| {' | '.join([label + repeated, world, *shown])} |")
    return {
        "h200-qwen means": "\n".join(means),
        "h200-qwen runs": "\n".join(runs),
        "h200-qwen worlds": qwen_worlds_table(by_run),
    }


# The rows of the README's table, by their labels above.
QWEN_README = {
    "untrained": "untrained",
    "trained on its own right answers, book open (Open-SFT)": "Open-SFT, own answers",
    "trained on the same answers, book closed (Closed-SFT)": "Closed-SFT, own answers",
    "trained on reference answers, book open": "Open-SFT, gold answers",
    "trained on reference answers, book closed": "Closed-SFT, gold answers",
}


def readme_facts(by_run: Mapping[str, Mapping[Column, Sequence[Row]]]) -> Iterator[str]:
    """What the README must say about the release."""
    for shown, label in QWEN_README.items():
        worlds = [
            [{column: metrics.cell(rows, column[0]) for column, rows in by_run[run].items()} for run in runs]
            for world in QWEN_WORLDS
            if (runs := [f"{world}-{name}" for name in QWEN[label] if f"{world}-{name}" in by_run])
        ]
        closed, *rest = (_mean_of_worlds(worlds, (book, "single_test")) for book in ("closed", "open", "native"))
        yield f"| {' | '.join([shown, closed if label == 'untrained' else f'**{closed}**', *rest])} |"
    made = summarized("h200-changes")
    changed = {(one.run, one.book): one for one in made.changed}
    for key in (("3001-untrained", "open"), ("3001-closed-sft", "closed")):
        yield f"{100 * (changed[key].prior.value or 0):.1f} %"
        yield f"{100 * (changed[key].accuracy.value or 0):.1f} %"
    untrained, learned = (
        next(one for one in made.editions if (one.run, one.book) == (f"3202-{name}-pages", "open"))
        for name in ("untrained", "edition-1")
    )
    yield f"the untrained model gets {100 * (untrained.new_right.value or 0):.1f} %"
    right, stale = (f"{100 * (share.value or 0):.1f} %" for share in (learned.new_right, learned.stale))
    yield f"has learned the old edition gets {right}, and {stale} of its answers are still"
    yield f"all {sum(len(rows) for run in by_run.values() for rows in run.values()):,} answers"


# What is compared in each world: a difference between two runs, by their names without the world's seed, in one column.
QWEN_DIFFERENCES = {
    "closed, Closed-SFT minus Open-SFT": ("open-sft-gold", "closed-sft-gold", ("closed", "single_test")),
    "open, Closed-SFT minus Open-SFT": ("open-sft-gold", "closed-sft-gold", ("open", "single_test")),
    "NumPy, Closed-SFT minus untrained": ("untrained", "closed-sft-gold", ("native", "single_test")),
    "NumPy, NumPy-SFT minus untrained": ("untrained", "numpy-sft-gold", ("native", "single_test")),
}
POINTS = (1, 3, 5)


def qwen_worlds_table(by_run: Mapping[str, Mapping[Column, Sequence[Row]]]) -> str:
    """How much differences vary between worlds, and how many worlds a claim about one needs."""
    lines = _head("difference, single tasks", "by world", "standard deviation", *(f"worlds for {n}" for n in POINTS))
    for label, (before, after, column) in QWEN_DIFFERENCES.items():
        differences = [
            100 * fmean(_differences(*(with_repetition(by_run, f"{world}-{name}")[column] for name in (before, after))))
            for world in QWEN_WORLDS
        ]
        deviation = stdev(differences)
        needed = [worlds_needed(deviation, points) for points in POINTS]
        shown = [", ".join(f"{one:+.1f}" for one in differences), f"{deviation:.1f}", *map(str, needed)]
        lines.append(f"| {' | '.join([label, *shown])} |")
    return "\n".join(lines)


# The picture: what a bar is called, and the run of world 2003.
QWEN_PICTURE = {
    "untrained": "2003-untrained",
    "own answers, book open": "2003-open-sft-own",
    "own answers, book closed": "2003-closed-sft-own",
    "gold answers, book open": "2003-open-sft-gold",
    "gold answers, book closed": "2003-closed-sft-gold",
}


def qwen_picture(by_run: Mapping[str, Mapping[Column, Sequence[Row]]]) -> str:
    """Accuracy with each book, by what the model was trained on."""
    bars = {}
    for label, run in QWEN_PICTURE.items():
        cells = {book: metrics.cell(by_run[run][book, "single_test"], book) for book in ("closed", "open", "native")}
        bars[label] = [
            drawings.Bar(
                book, f"{label}, {book}: {100 * (cell.accuracy or 0):.1f} %", cell.accuracy or 0.0, cell.interval
            )
            for book, cell in cells.items()
        ]
    title = "Qwen2.5-Coder-1.5B, trained on ...: single-function tasks of world 2003, 95 % intervals over tasks"
    return drawings.bar_chart([(title, bars)], title)


def worlds_needed(deviation: float, points: float) -> int:
    """How many worlds are needed to detect a difference of this many points in four of five experiments, at the 5 %
    level, if single worlds deviate from their mean by `deviation`."""
    normal = NormalDist().inv_cdf(0.8)
    return next(
        n for n in count(3) if (student(n - 1) + normal * (1 + 1 / (4 * (n - 1)))) * deviation / sqrt(n) <= points
    )


def qwen_facts(by_run: Mapping[str, Mapping[Column, Sequence[Row]]]) -> Iterator[str]:
    """What the text must say about the runs, in its words."""
    own = [(f"2001-{{}}-sft-own-seed-{seed}", "2001") for seed in (1, 2, 3)]
    own += [(f"{world}-{{}}-sft-own", world) for world in ("2002", "2003")]
    single = ("closed", "single_test"), ("open", "single_test"), ("native", "single_test")
    for run, world in own:
        closed, open_ = by_run[run.format("closed")], by_run[run.format("open")]
        difference, interval = _paired(open_[single[0]], closed[single[0]])
        yield f"{difference} ({interval})"
        if single[1] in open_:
            yield _paired(open_[single[1]], closed[single[1]])[0]
        for learnt in (one for one in (closed, open_) if single[2] in one):
            difference, interval = _paired(by_run[f"{world}-untrained"][single[2]], learnt[single[2]])
            yield f"{difference.removeprefix('+') if difference == '+0.0' else difference} ({interval})"
    for world in QWEN_WORLDS:
        before, open_, closed = (
            with_repetition(by_run, f"{world}-{name}") for name in ("untrained", "open-sft-gold", "closed-sft-gold")
        )
        yield "{} ({})".format(*_paired(before[single[2]], closed[single[2]]))
        yield "{} ({})".format(*_paired(open_[single[0]], closed[single[0]]))
    for start, end in (
        ("2003-closed-sft-own-seed-1", "2003-rl-after-closed-sft-own"),
        ("2003-closed-sft-gold-run-2", "2003-distil-after-closed-sft-gold"),
        ("2001-closed-sft-gold-run-3", "2001-distil-reverse-after-closed-sft-gold"),
        ("2001-closed-sft-gold-seed-1", "2001-distil-live-after-closed-sft-gold"),
    ):
        for column in (one for one in single if one in by_run[end]):
            yield "{} ({})".format(*_paired(by_run[start][column], by_run[end][column]))
    yield _ratio_matched(
        by_run, *([f"{world}-{name}" for world in QWEN_WORLDS] for name in ("closed-sft-gold", "numpy-sft-gold"))
    )


def context_rows(by_run: Mapping[str, Mapping[Column, Sequence[Row]]]) -> Iterator[tuple[str, ...]]:
    """What a model solves with various things in its prompt: the cells of the table."""
    more = rows_of("h200-context")
    for label, book, prompt, release, run in CONTEXT:
        rows = (by_run if release == "h200-qwen" else more)[run][book, "single_test"]
        cut = sum(row.rollout.finish == "length" for row in rows)
        tokens = fmean(row.rollout.prompt_tokens for row in rows)
        yield label, prompt, _cell_text(metrics.cell(rows, book)), f"{tokens:,.0f}", str(cut)


def context_facts(by_run: Mapping[str, Mapping[Column, Sequence[Row]]]) -> Iterator[str]:
    """What the text must say about these runs: differences to the first row of a model, and pass@8."""
    more = rows_of("h200-context")
    first: dict[tuple[str, str], Sequence[Row]] = {}
    for label, book, _, release, run in CONTEXT:
        rows = (by_run if release == "h200-qwen" else more)[run][book, "single_test"]
        before = first.setdefault((label, book), rows)
        if before is not rows:
            yield "{} ({})".format(*_paired(before, rows))
    for run in SAMPLED:
        (rows,) = more[run].values()
        scores = metrics.scores(rows).values()
        yield f"{100 * fmean(score.mean for score in scores):.1f} %"
        yield f"{100 * fmean(score.mean > 0 for score in scores):.1f} %"


def _ratio_matched(
    by_run: Mapping[str, Mapping[Column, Sequence[Row]]], closed_runs: Sequence[str], native_runs: Sequence[str]
) -> str:
    """Closed accuracy of Closed-SFT divided by native accuracy of NumPy-SFT, over the single tasks of all worlds."""
    closed, native = (
        [metrics.scores(with_repetition(by_run, run)[book, "single_test"]) for run in runs]
        for runs, book in ((closed_runs, "closed"), (native_runs, "native"))
    )
    over, under = (
        list(worlds.by_question([{task: score.mean for task, score in one.items()} for one in side]).values())
        for side in (closed, native)
    )
    interval = ratio_interval(over, under)
    assert interval is not None
    return f"{sum(over) / sum(under):.2f} ({interval.low:.2f} to {interval.high:.2f})"


def _differences(before: Sequence[Row], after: Sequence[Row]) -> list[float]:
    """The differences in accuracy, by task."""
    first, second = metrics.scores(before), metrics.scores(after)
    return [second[task].mean - first[task].mean for task in first if task in second]


def _paired(before: Sequence[Row], after: Sequence[Row]) -> tuple[str, str]:
    """The difference in points, paired by task, and its interval."""
    differences = _differences(before, after)
    interval = difference_interval(differences)
    assert interval is not None
    return f"{100 * fmean(differences):+.1f}", f"{100 * interval.low:+.1f} to {100 * interval.high:+.1f}"


def _head(*names: str) -> list[str]:
    return [f"| {' | '.join(names)} |", "|---" * len(names) + "|"]


def _mean_of_worlds(worlds: Sequence[Sequence[Mapping[Column, Cell]]], column: Column) -> str:
    """The mean over worlds of the means over seeds, and of how many worlds where some were not asked."""
    by_world = [[run[column].accuracy or 0.0 for run in of_world if column in run] for of_world in worlds]
    asked_in = [fmean(accuracies) for accuracies in by_world if accuracies]
    if not asked_in:
        return "–"
    return f"{100 * fmean(asked_in):.1f}" + (
        f" ({len(asked_in)} of {len(worlds)})" if len(asked_in) < len(worlds) else ""
    )


def _cell_text(cell: Cell | WorldsCell | None) -> str:
    return "–" if cell is None or cell.accuracy is None else _shown(cell.accuracy, cell.interval)


def summarized(release: str) -> Report:
    """The report on the runs of a release, from their verdicts."""
    return pack.summarize(folder.read(RELEASES / release))


def memory_table() -> str:
    """Accuracy, needed names in the prompt, those used, and tokens of a prompt, in both worlds."""
    reports = [summarized(name) for name in WORLDS]
    heads = ["before the closed prompt", *["accuracy", "present", "used", "tokens a prompt"] * len(WORLDS)]
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for run, shown in MEMORY.items():
        for book in ("closed", "open") if run == "d0" else ("open",) if run == "d8" else ("closed",):
            label = shown or {"closed": "nothing", "open": "the needed page alone (open book)"}[book]
            cells = [cell for made in reports for cell in _memory_cells(made, run, book)]
            lines.append(f"| {' | '.join([label, *cells])} |")
    return "\n".join(lines)


def writers_table() -> str:
    """The same for memories of world 2001 that the 1.5B model wrote or that need no writer."""
    made = summarized("h200-writers")
    heads = ["before the closed prompt", "accuracy", "present", "used", "tokens a prompt"]
    rows = [[shown, *_memory_cells(made, run, "closed")] for run, shown in WRITERS.items()]
    return "\n".join([*_head(*heads), *(f"| {' | '.join(row)} |" for row in rows)])


def aim_table(by_run: Mapping[str, Mapping[Column, Sequence[Row]]]) -> str:
    """Accuracy after learning half of the library and what self-play, gold or nothing says about the other half."""
    known, column = known_half(by_run), ("closed", "single_test")
    lines = _head(
        "learned", "answers", "greedy", "others: greedy", "sampled", "half: sampled", "others: sampled", "pass@8"
    )
    for run, (label, answers) in AIM.items():
        greedy, sampled = by_run[run][column], by_run.get(f"{run}-8", {}).get(column, [])
        shown = greedy, _halves(greedy, known)[1], sampled, *_halves(sampled, known)
        cells = [metrics.cell(rows, "closed") for rows in shown]
        at_eight = next((one.value for one in cells[2].pass_at if one.k == 8), None)
        lines.append(f"| {' | '.join([label, answers, *map(_cell_text, cells), _percent(at_eight)])} |")
    return "\n".join(lines)


def known_half(by_run: Mapping[str, Mapping[Column, Sequence[Row]]]) -> set[str]:
    """The functions that `experiments/half.py` draws for the model to know."""
    functions = sorted({_about(row) for row in by_run["2001-own-0"]["open", "train"]})
    return set(Random(0).sample(functions, len(functions) // 2))


def _halves(rows: Sequence[Row], known: set[str]) -> tuple[list[Row], list[Row]]:
    return [row for row in rows if _about(row) in known], [row for row in rows if _about(row) not in known]


def _about(row: Row) -> str:
    return next((name for name in row.task["functions"] if name != "array"), "array")


def aim_facts(by_run: Mapping[str, Mapping[Column, Sequence[Row]]]) -> Iterator[str]:
    """What the text must say about these runs: paired differences, of all tasks and of those about the others."""
    known, column = known_half(by_run), ("closed", "single_test")
    for before, after in AIM_PAIRS:
        rows = by_run[before][column], by_run[after][column]
        yield "{} ({})".format(*_paired(*rows))
        if (before, after) == AIM_PAIRS[0]:
            yield "{} ({})".format(*_paired(*(_halves(part, known)[1] for part in rows)))


def small_table() -> str:
    """Accuracy of the 0.5B model."""
    by_run, books = rows_of("h200-small"), ("closed", "open", "native")
    lines = _head("", *(f"{book} single" for book in books))
    for run, label in SMALL.items():
        columns = [by_run[run].get((book, "single_test")) for book in books]
        cells = [metrics.cell(rows, book) if rows else None for rows, book in zip(columns, books, strict=True)]
        lines.append(f"| {' | '.join([label, *map(_cell_text, cells)])} |")
    return "\n".join(lines)


# The runs of h200-aim, all but the first and the last trained on the half too: what they are called, and their answers.
AIM = {
    "2001-half": ("gold about half of the functions", "474"),
    "2001-half-play-1": ("and self-play, round 1", "474 + 98"),
    "2001-half-play-2": ("and self-play, 2 rounds without aim", "474 + 197"),
    "2001-half-aimed-2": ("and self-play, 2 rounds, the second aimed", "474 + 198"),
    "2001-half-gold": ("and gold about the others", "474 + 198"),
    "2001-star-1": ("own right open-book answers about all functions", "762"),
}
AIM_PAIRS = (
    ("2001-half-8", "2001-half-aimed-2-8"),
    ("2001-half-8", "2001-half-play-2-8"),
    ("2001-half-play-2-8", "2001-half-aimed-2-8"),
    ("2001-half-aimed-2-8", "2001-half-gold-8"),
    ("2001-half", "2001-half-play-1"),
)


# Training on the same gold answers at three sizes: the release, its worlds, and the names of its runs.
SCALE = {
    "SmolLM2-135M": (
        "h200-sft",
        ("1001", "1002", "1003"),
        ("Open-SFT", "Closed-SFT", "NumPy-SFT"),
        "{world}/{run}/run",
    ),
    "Qwen2.5-Coder-0.5B": ("h200-small", ("2001",), ("open-sft-gold", "closed-sft-gold", "numpy-sft-gold"), "{run}"),
    "Qwen2.5-Coder-1.5B": (
        "h200-qwen",
        QWEN_WORLDS,
        ("open-sft-gold", "closed-sft-gold", "numpy-sft-gold"),
        "{world}-{run}",
    ),
}
SCALE_BARS = ("Open-SFT, closed", "Closed-SFT, closed", "Open-SFT, open", "NumPy-SFT, in NumPy")


def scale_cells() -> Iterator[tuple[str, Sequence[WorldsCell], str]]:
    """Of every size, the accuracy over worlds in single-function tasks for each bar, and `ratio_matched`."""
    for size, (release, seeds, (opened, closed, native), name) in SCALE.items():
        by_run = rows_of(release)
        cells = []
        for run, book in ((opened, "closed"), (closed, "closed"), (opened, "open"), (native, "native")):
            rows = [with_repetition(by_run, name.format(world=seed, run=run))[book, "single_test"] for seed in seeds]
            scored = [metrics.scores(of_world).values() for of_world in rows]
            cells.append(WorldsCell(book, "single_test", **worlds.numbers_over_worlds(scored)))
        paths = ([name.format(world=seed, run=run) for seed in seeds] for run in (closed, native))
        yield size, cells, _ratio_matched(by_run, *paths)


def scale_table() -> str:
    """Accuracy after the same training at three sizes."""
    lines = _head("", *SCALE_BARS, "`ratio_matched`")
    lines += (f"| {' | '.join([size, *map(_cell_text, cells), ratio])} |" for size, cells, ratio in scale_cells())
    return "\n".join(lines)


def scale_picture() -> str:
    """The same as bars, without the first."""
    bars = {
        size: [
            drawings.Bar(
                one.book, f"{size}, {label}: {100 * (one.accuracy or 0):.1f} %", one.accuracy or 0.0, one.interval
            )
            for label, one in zip(SCALE_BARS[1:], cells[1:], strict=True)
        ]
        for size, cells, _ in scale_cells()
    }
    title = "After Closed-SFT (closed), Open-SFT (open) and NumPy-SFT (native): single-function tasks, by model size"
    return drawings.bar_chart([(title, bars)], title)


def changed_table() -> str:
    """Tasks about functions that differ from NumPy's: right, as NumPy does it, and the other tasks."""
    made = summarized("h200-changes")
    lines = _head("", "book", "changed functions: right", "as NumPy does it", "other functions: right", "tasks")
    for one in made.changed:
        if one.run in CHANGED_RUNS:
            cells = [_share_text(share) for share in (one.accuracy, one.prior, one.other_accuracy)]
            row = [CHANGED_RUNS[one.run], one.book, *cells, f"{one.tasks} and {one.other_tasks}"]
            lines.append(f"| {' | '.join(row)} |")
    return "\n".join(lines)


def editions_table() -> str:
    """What a model does in edition 2, by what it has learned and what its prompt contains."""
    by_run = {(one.run, one.book): one for one in summarized("h200-changes").editions}
    shares = ("new right", "stale", "unchanged kept", "added right", "removed refused", "removed stale")
    lines = _head("world", "learned", "in the prompt", *shares)
    for world, learned, prompt, asked, of_removed in EDITION_RUNS:
        one, removed = by_run[asked], by_run.get((of_removed, asked[1]))
        cells = [one.new_right, one.stale, one.unchanged_kept, one.added_right]
        cells += [removed.removed_refused, removed.removed_stale] if removed else []
        texts = [_share_text(share) for share in cells] + ["–"] * (len(shares) - len(cells))
        lines.append(f"| {' | '.join([world, learned, prompt, *texts])} |")
    return "\n".join(lines)


def streamed() -> dict[str, StreamReport]:
    """The reports on the released streams, from their verdicts, by release."""
    reports = {}
    for name in dict.fromkeys(row[0] for row in STREAM_ROWS):
        with folder.unpacked_copy(folder.read(RELEASES / name)) as place:
            reports[name] = stream.report(place)
    return reports


def stream_table(reports: Mapping[str, StreamReport]) -> str:
    """Accuracy in both libraries, and what remains of NumPy, after every stage."""
    stages = ("first", "first, after second", "second", "first, learned again", "second, after that")
    lines = _head(
        "",
        "second library",
        *stages,
        "names of the first ranked first: after stage 1, 2",
        "native: before, after each stage",
    )
    for release, method, arm, shown, second in STREAM_ROWS:
        report = reports[release]
        cells = {
            (cell.world, cell.stage): cell
            for cell in report.cells
            if (cell.method, cell.arm, cell.split) == (method, arm, "single_test")
        }
        one, other = report.stages[:2]
        if arm == stream.JOINT:  # both were learned in one stage
            joint = [cell for cell in report.joint if (cell.method, cell.split) == (method, "single_test")]
            cells = {(cell.world, 2): cell for cell in joint}
        asked = [cells.get(key) for key in ((one, 1), (one, 2), (other, 2), (one, 3), (other, 3))]
        accuracies = ["–" if cell is None else _shown(cell.accuracy or 0.0, cell.interval) for cell in asked]
        known = [cell.names_known for cell in asked[:2] if cell and cell.names_known is not None]
        of_first = [cells.get((one, stage)) for stage in range(len(report.stages) + 1)]
        native = [None if cell is None else cell.native for cell in of_first]
        rest = [", ".join(map(_one_decimal, values)) or "–" for values in (known, native)]
        lines.append(f"| {' | '.join([shown, second, *accuracies, *rest])} |")
    return "\n".join(lines)


def _one_decimal(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.1f}"


def stream_picture(reports: Mapping[str, StreamReport]) -> str:
    """Accuracy after every stage of training, in single tasks about the same functions under other names."""
    rows = [row[:3] for row in STREAM_ROWS if row[0] in ("h200-stream", "h200-replay") and row[1] != "pages"]
    summaries, cells = [], []
    for name, *key in rows:
        key.append("single_test")
        summaries += [one for one in reports[name].summaries if [one.method, one.arm, one.split] == key]
        cells += [cell for cell in reports[name].cells if [cell.method, cell.arm, cell.split] == key]
    whole = replace(reports["h200-stream"], summaries=tuple(summaries), cells=tuple(cells))
    return stream_files.heat_map(whole)


def stream_facts(reports: Mapping[str, StreamReport]) -> Iterator[str]:
    """What the README must say about streams."""
    first, replayed = (
        {
            cell.stage: f"{100 * (cell.accuracy or 0):.1f} %"
            for cell in reports[name].cells
            if (cell.method, cell.arm, cell.world, cell.split) == ("Closed-SFT", arm, "A", "single_test")
        }
        for name, arm in (("h200-stream", "sequential"), ("h200-replay", "replay"))
    )
    yield f"{first[1]} of its answers were right, then {first[2]}"
    yield f"mixed in, {replayed[1]} became {replayed[2]}"


def _share_text(share: Share) -> str:
    return "–" if share.value is None else _shown(share.value, share.interval)


def _memory_cells(made: Report, run: str, book: str) -> Sequence[str]:
    asked = next((one for one in made.at_hand if (one.run, one.book) == (run, book)), None)
    if asked is None or asked.accuracy is None or asked.interval is None:
        return ("–",) * 4
    held = next((one for one in made.memory if one.run == run), None)
    shares = [_percent(held.present), _percent(held.used)] if held else ["–", "–"]
    return (_shown(asked.accuracy, asked.interval), *shares, f"{asked.prompt_tokens:,.0f}")


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.0f} %"


def _shown(accuracy: float, interval: Interval | None) -> str:
    assert interval is not None
    return f"{100 * accuracy:.1f} ({100 * interval.low:.1f}–{100 * interval.high:.1f})"


def compared(release: str) -> ExperimentReport:
    """The comparison of a release, from its verdicts."""
    with folder.unpacked_copy(folder.read(RELEASES / release)) as place:
        return learning.compare(place)


def table(plan: Table, found: ExperimentReport) -> str:
    """The table in Markdown."""
    before = [name for name in plan.facts if name in ("begins with", "steps")]
    behind = [name for name in plan.facts if name not in before]
    heads = ["method", *before, *plan.accuracies, *behind]
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    told = {method.name: method for method in found.methods}
    for name, shown in plan.methods.items():
        cells = [_fact(plan, told[name], column) for column in before]
        for column, when in plan.accuracies.items():
            cell = _accuracy(_figure(found, name, column), when)
            cells.append(f"**{cell}**" if (name, column) in plan.bold else cell)
        cells += [_fact(plan, told[name], column) for column in behind]
        lines.append(f"| {' | '.join([shown, *cells])} |".replace("|  |", "| |").replace("|  |", "| |"))
    return "\n".join(lines)


def _figure(found: ExperimentReport, method: str, column: str) -> Figure:
    book, split = column.split()
    figure = found.figure(method, SPLITS[split], book)
    if figure is None:
        sys.exit(f"{found.title}: {method} has no results for {column}; remove that column from the table")
    return figure


def _accuracy(figure: Figure, when: str) -> str:
    if figure.accuracy is None or figure.interval is None:
        return "–"
    shown = f"{100 * figure.accuracy:.1f}"
    if when == NEVER or (when == WHERE_RIGHT and not figure.accuracy):
        return shown
    return _shown(figure.accuracy, figure.interval)


def _fact(plan: Table, method: MethodReport, column: str) -> str:
    first = method.probes.get("name_first")
    return {
        "begins with": plan.starts.get(method.start, method.start),
        "steps": "" if method.steps is None else f"{method.steps:.0f}",
        "right name first (probe)": "" if first is None else f"{first:.0%}".replace("%", " %"),
        "tokens": "" if method.tokens is None else f"{method.tokens / 1e6:.1f} M",
        "training s": "" if method.seconds is None else f"{method.seconds:.0f}",
    }[column]


def facts(sft: ExperimentReport, rl: ExperimentReport) -> Iterator[str]:
    """What the text must say, in its words."""
    for split in SPLITS:
        yield f"{_points(sft, 'Closed-SFT', split)} {split} ({_between(sft, 'Closed-SFT', split)})".replace(
            " single", " points single"
        )
        by_world = sft.figure("Closed-SFT", SPLITS[split], "closed")
        assert by_world is not None
        yield f"{split} " + ", ".join(f"{100 * (value or 0):.1f}" for value in by_world.by_world.values())
        ratio = next(
            r for r in sft.ratios if (r.name, r.method, r.split) == ("ratio_matched", "Closed-SFT", SPLITS[split])
        )
        assert ratio.ratio is not None and ratio.interval is not None
        yield f"{split} **{ratio.ratio:.2f}** ({ratio.interval.low:.2f} to {ratio.interval.high:.2f})"
    yield (
        f"{_points(rl, 'RL group', 'single')} points single ({_between(rl, 'RL group', 'single')}) with group advantage"
    )
    yield f"{_points(rl, 'RL raw', 'single')} ({_between(rl, 'RL raw', 'single')}) with the raw reward"
    yield f"about equal closed-book ({_points(rl, 'Distil', 'single')} single, {_between(rl, 'Distil', 'single')})"
    yield f"{_points(rl, 'Distil', 'single', 'open')} points open"


def _points(found: ExperimentReport, method: str, split: str, book: str = "closed") -> str:
    wanted = method, SPLITS[split], book
    one = next(d for d in found.differences if (d.after, d.split, d.book) == wanted)
    return f"{100 * one.difference:+.1f}"


def _between(found: ExperimentReport, method: str, split: str) -> str:
    wanted = method, SPLITS[split], "closed"
    one = next(d for d in found.differences if (d.after, d.split, d.book) == wanted)
    return f"{100 * one.interval.low:+.1f} to {100 * one.interval.high:+.1f}"


def written(text: str) -> tuple[str, str, str, str, list[str]]:
    """The page with its tables written anew, its pictures, and what its text should say and does not."""
    found = {plan.release: compared(plan.release) for plan in TABLES}
    made = {plan.release: table(plan, found[plan.release]) for plan in TABLES}
    by_run, aimed, of_streams = rows_of("h200-qwen"), rows_of("h200-aim"), streamed()
    made |= {"h200-memory": memory_table(), **qwen_tables(by_run)}
    made |= {
        "h200-changes changed": changed_table(),
        "h200-changes editions": editions_table(),
        "h200-writers": writers_table(),
        "h200-small": small_table(),
        "h200-aim": aim_table(aimed),
        "scale": scale_table(),
        "h200-context": "\n".join(
            [
                *_head("", "in the prompt", "accuracy", "tokens a prompt", "cut off, of 317"),
                *(f"| {' | '.join(row)} |" for row in context_rows(by_run)),
            ]
        ),
        "h200-stream": stream_table(of_streams),
    }
    for name, new in made.items():
        marked = rf"(<!-- table {name} -->\n\n).*?(\n\n<!-- end -->)"
        text, count = re.subn(marked, lambda match, new=new: match[1] + new + match[2], text, flags=re.DOTALL)  # type: ignore[misc]
        if count != 1:
            sys.exit(f"docs/{PAGE.name} has {count} places marked for the table {name}; mark exactly one")
    page, lab, readme = (" ".join(one.split()) for one in (text, LAB.read_text("utf-8"), README.read_text("utf-8")))
    missing = [fact for fact in facts(found["h200-sft"], found["h200-rl"]) if fact not in page]
    missing += [
        fact for fact in (*qwen_facts(by_run), *context_facts(by_run), *aim_facts(aimed)) if fact not in page + lab
    ]
    wanted = (*readme_facts(by_run), *stream_facts(of_streams))
    missing += [fact for fact in wanted if fact not in readme]
    return text, qwen_picture(by_run), scale_picture(), stream_picture(of_streams), missing


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="say what the page should say, and write nothing")
    check = parser.parse_args().check
    files = (PAGE, PICTURE, SCALE_PICTURE, STREAM_PICTURE)
    before = [file.read_text("utf-8") if file.exists() else "" for file in files]
    *after, missing = written(before[0])
    for fact in missing:
        print(f"docs/{PAGE.name}, docs/{LAB.name} or {README.name} should say: {fact}")
    if not check:
        for file, text in zip(files, after, strict=True):
            file.write_text(text, "utf-8")
        print(f"wrote the tables and the pictures of docs/{PAGE.name}")
    elif before != after:
        print(f"docs/{PAGE.name} or a picture does not match the releases; run scripts/results_tables.py")
    sys.exit(bool(missing) or (check and before != after))


if __name__ == "__main__":
    main()
