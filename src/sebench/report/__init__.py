"""Verdicts to numbers and pages: the last stage.

    run folders ──▶ report.json, report.csv, rollouts.csv, report.html

It reads runs (`store.py`) and nothing else: no world, no model, no network. `sebench report`, `sebench leaderboard` and
`sebench run` call it.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sebench.report.build import Report, compute, read
from sebench.store import Run

__all__ = ["Report", "write"]


def write(runs: Sequence[Run], out: Path, baseline: Run | None = None) -> Report:
    """Report on the runs: files and page into folder `out`. Each run is compared with the baseline, by default the first."""
    from sebench.report import files, html

    if baseline is not None and baseline.path.resolve() not in [run.path.resolve() for run in runs]:
        runs = [baseline, *runs]
    sources = read(runs)
    base = next((s.name for s in sources if baseline and s.run.path.resolve() == baseline.path.resolve()), "")
    report = compute(sources, base)
    files.make_folder(out)
    files.write(report, sources, out)
    files.replace(out / html.FILE, html.page(report, sources))
    return report
