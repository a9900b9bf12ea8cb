"""The tables and plots of an `ExperimentReport`, for `training_files.py`. Computes no results."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from sebench.report.numbers.compare import LEAST
from sebench.report.numbers.experiment import SEEN, ExperimentReport, MethodDifference
from sebench.report.views import drawings, tables
from sebench.report.views.tables import TextTable, p_value, percent, points, points_between, spread
from sebench.report.views.training_files import TrainingReport

STEM = "comparison"  # of the names of the files
CURVES = "curves.svg"
MAIN_PROBES = ("name logp", "name first", "signature exact", "held-out, right")
EXPLAINED = (
    "Accuracy is the mean over samples, then over tasks, then over worlds, with its 95 % interval: over worlds from "
    "three on, otherwise over "
    "tasks. Targeted counts answers in which the functions that the task is about did the work. Real: answers that "
    "call a function of the "
    "library; right: answers that call all functions that the task needs. Seen: training questions, asked again with "
    "the book closed. "
    "Differences are paired by task and world."
)


def training_report(comparison: ExperimentReport) -> TrainingReport:
    """Return what the files and the terminal show: a terminal has the main table, the differences, the training and the
    ratios."""
    main = [summary(comparison), differences(comparison)]
    training = trainings(comparison)
    plots = {f"{STEM}.svg": ("Accuracy by method", partial(drawings.bars, comparison))}
    if drawings.curves(comparison):
        plots[CURVES] = ("Training curves", partial(drawings.curves, comparison))
    return TrainingReport(
        stem=STEM,
        title=comparison.title,
        about=_describe(comparison),
        notes=comparison.notes,
        plots=plots,
        tables=[*main, ratios(comparison), forgetting(comparison), errors(comparison), training],
        main=[*main, training],
        remarks=list(_ratio_lines(comparison)),
        explained=EXPLAINED,
        data=comparison.to_json(),
    )


def _ratio_lines(comparison: ExperimentReport) -> Iterator[str]:
    for row in ratios(comparison).rows:
        method, name, native, split, value, spread, successes, tasks = row
        yield (
            f"{name} of {method}, {split}: {value} ({spread}), closed / native of {native}; "
            f"{successes} native successes in {tasks} tasks"
        )


def _describe(comparison: ExperimentReport) -> str:
    seeds = ", ".join(f"{w['name']} ({w['part']}, {str(w['fingerprint'])[:12]})" for w in comparison.worlds)
    return f"sebench {comparison.sebench}; worlds: {seeds}; compared with {comparison.baseline}."


# ---- tables -------------------------------------------------------------------------------------------------


def _split(name: str) -> str:
    return name if name == SEEN else tables.SPLIT_NAMES.get(name, name)


def summary(comparison: ExperimentReport) -> TextTable:
    """Return a table of the accuracy for every method, split and book."""
    worlds = [str(world["name"]) for world in comparison.worlds] if len(comparison.worlds) > 1 else []
    ks = sorted({f.k for f in comparison.figures if f.k > 1})
    rows = []
    for f in comparison.figures:
        shares = [percent(f.accuracy), spread(f.interval), *map(percent, (f.targeted, f.real, f.right))]
        pass_at_k = [percent(f.pass_at_k if f.k == k else None) for k in ks]
        by_world = (percent(f.by_world.get(world)) for world in worlds)
        rows.append((f.method, _split(f.split), f.book, *shares, f"{f.tasks:,}", *pass_at_k, *by_world))
    columns = [f"world {world}" for world in worlds]
    numbers = ("accuracy", "95 %", "targeted", "real", "right", "tasks", *(f"pass@{k}" for k in ks))
    # A terminal has no room for all of them.
    left_out = [*columns, *(("real", "right") if ks else ())]
    return TextTable("Accuracy", 3, ("method", "split", "book", *numbers, *columns), tuple(rows), (left_out,))


def differences(comparison: ExperimentReport) -> TextTable:
    """Return a table of the differences between every method and the baseline."""
    title = f"Paired differences to {comparison.baseline}, in percentage points"
    return TextTable(title, 3, _DIFFERENCE, tuple(map(_difference, comparison.differences)), (("before", "after"),))


def forgetting(comparison: ExperimentReport) -> TextTable:
    """Return a table of how much knowledge of NumPy was lost in training."""
    title = "Forgetting: the native book, after learning against before, in percentage points"
    return TextTable(title, 3, _DIFFERENCE, tuple(map(_difference, comparison.forgetting)))


_DIFFERENCE = ("method", "split", "book", "before", "after", "points", "95 %", "p", "tasks")


def _difference(d: MethodDifference) -> tuple[str, ...]:
    sides = percent(d.accuracy_before), percent(d.accuracy_after)
    gain = points(d.difference), points_between(d.interval), p_value(d.p)
    return d.after, _split(d.split), d.book, *sides, *gain, f"{d.tasks:,}"


def ratios(comparison: ExperimentReport) -> TextTable:
    """Return a table of closed-book accuracy divided by native accuracy."""
    rows = []
    for r in comparison.ratios:
        value = _number(r.ratio, ".3f")
        spread = f"{r.interval.low:.3f} to {r.interval.high:.3f}" if r.interval else f"fewer than {LEAST} successes"
        rows.append((r.method, r.name, r.native, _split(r.split), value, spread, f"{r.successes:,}", f"{r.tasks:,}"))
    head = ("method", "ratio", "native of", "split", "closed / native", "95 %", "native successes", "tasks")
    return TextTable("Closed over native", 4, head, tuple(rows))


def errors(comparison: ExperimentReport) -> TextTable:
    """Return a table of the kinds of wrong answers, as shares of all wrong answers with each book."""
    columns = [(m.method, book) for m in comparison.errors for book in dict.fromkeys(k.book for k in m.kinds)]
    shares = {(m.method, k.book, k.kind): k for m in comparison.errors for k in m.kinds}
    published = dict.fromkeys(k.kind for m in comparison.errors for k in m.kinds if k.published)
    others = dict.fromkeys(k.kind for m in comparison.errors for k in m.kinds if not k.published)
    kinds = [
        kind for kind in [*published, *others] if any((*c, kind) in shares and shares[*c, kind].count for c in columns)
    ]
    rows = []
    for method, book in columns:
        cells = [shares.get((method, book, kind)) for kind in kinds]
        total = sum(k.count for m in comparison.errors if m.method == method for k in m.kinds if k.book == book)
        rows.append((method, book, f"{total:,}", *("·" if not c or not c.count else f"{c.share:.0%}" for c in cells)))
    head = ("method", "book", "wrong", *(kind.replace("_", " ") for kind in kinds))
    return TextTable("Wrong answers by kind (the published types first)", 2, head, tuple(rows) if kinds else ())


def trainings(comparison: ExperimentReport) -> TextTable:
    """Return a table of the cost of training and the probes at the end, as means over worlds."""
    methods = [method for method in comparison.methods if method.steps is not None or method.probes]
    probes = list(dict.fromkeys(name for method in methods for name in method.probes))
    rows = []
    for m in methods:
        cost = [_number(value, ",.0f") for value in (m.rows, m.steps, m.tokens, m.seconds)]
        measured = [_number(m.probes.get(name), ".3g") for name in probes]
        rows.append((m.name, m.method, m.start or m.model, *cost, *measured))
    names = [name.replace("_", " ") for name in probes]
    head = ("method", "recipe", "begins with", "rows", "steps", "tokens", "seconds", *names)
    spare = ("recipe", "begins with", "rows", *(name for name in names if name not in MAIN_PROBES))
    return TextTable("Training: means over worlds; probes at the end", 3, head, tuple(rows), (spare,))


def _number(value: float | None, form: str) -> str:
    return "–" if value is None else f"{value:{form}}"
