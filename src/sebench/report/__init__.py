"""Turns verdicts into numbers and pages: the last stage.

    run folders ──▶ report.json, report.csv, rollouts.csv, report.html

It reads runs (`store.py`) and nothing else: no world, no model, no network. `sebench report`, `sebench leaderboard` and
`sebench run` call it.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sebench.base.errors import ConfigError
from sebench.report.numbers.build import Report, compute
from sebench.report.numbers.sources import Source, read
from sebench.rollout.store import Run

__all__ = ["Report", "refuse_other_files", "summarize", "write"]


def write(runs: Sequence[Run], out: Path, baseline: Run | None = None) -> Report:
    """Report on the runs, and write the files and the page into folder `out`. Each run is compared with the baseline,
    by default the first run."""
    from sebench.base import files as disk
    from sebench.report.views import files, html

    sources, report = _report(runs, baseline)
    disk.make_folder(out)
    files.write(report, sources, out)
    disk.write(out / html.FILE, html.page(report, sources))
    return report


def refuse_other_files(out: Path) -> None:
    """Raise an error if a report in this folder would replace a file that is not part of a report."""
    from sebench.report.views import files, html

    there = next((file for name in (html.FILE, files.CSV, files.ROLLOUTS) if (file := out / name).exists()), None)
    if there and not (out / files.JSON).is_file():
        raise ConfigError(f"{there} exists, but {out} contains no report; choose another --out")


def summarize(runs: Sequence[Run], baseline: Run | None = None) -> Report:
    """Compute the report that `write` produces, without writing any files."""
    return _report(runs, baseline)[1]


def _report(runs: Sequence[Run], baseline: Run | None) -> tuple[list[Source], Report]:
    base = baseline.path.resolve() if baseline else None
    if baseline and base not in [run.path.resolve() for run in runs]:
        runs = [baseline, *runs]
    sources = read(runs)
    name = next((source.name for source in sources if source.run.path.resolve() == base), "")
    return sources, compute(sources, name)
