"""Runs of one model on several worlds: which runs belong together, and what their interval promises."""

from __future__ import annotations

from math import gamma, pi, sqrt
from pathlib import Path

import numpy as np
import pytest

from sebench import report
from sebench.report.numbers import intervals
from sebench.rollout.store import Run
from tests.test_report_data import many_tasks, write_run

WORLDS = ("11" * 32, "22" * 32, "33" * 32)


def made(folder: Path, world: int, model: str = "small", level: float = 0.5, **more: object) -> Run:
    config = {"seed": 0, **more}
    path = folder / f"{model}-{world}-{level}"
    tasks, skill = many_tasks(30, 20), {"closed": level, "open": 0.8}
    return Run.load(
        write_run(path, tasks, skill, samples=2, seed=world, model=model, fingerprint=WORLDS[world], config=config)
    )


def test_runs_are_grouped_by_model_and_settings(tmp_path: Path) -> None:
    runs = [made(tmp_path, world) for world in range(3)]
    found = report.summarize([*runs, made(tmp_path, 0, "other"), made(tmp_path, 1, level=0.6, temperature=1.0)])
    (aggregate,) = found.aggregates
    assert (aggregate.label, aggregate.model) == ("3 worlds", "small")
    assert aggregate.runs == tuple(run.name for run in runs)
    assert {(cell.book, cell.split) for cell in aggregate.cells} == {
        (book, split) for book in ("closed", "open") for split in ("", "single_test", "multi_test")
    }


def test_one_world_has_no_aggregate(tmp_path: Path) -> None:
    assert report.summarize([made(tmp_path, 0), made(tmp_path, 0, "other")]).aggregates == ()


def test_three_worlds_are_averaged_and_the_interval_is_over_worlds(tmp_path: Path) -> None:
    found = report.summarize([made(tmp_path, world, level=level) for world, level in enumerate((0.2, 0.5, 0.8))])
    cell = found.aggregates[0].cells[0]
    cells = [run.cell("closed") for run in found.runs]
    means = [c.accuracy for c in cells if c and c.accuracy is not None]
    assert cell.accuracy == pytest.approx(np.mean(means))
    assert cell.interval is not None
    assert cell.interval.method == "student"
    spread = 4.3027 * np.std(means, ddof=1) / sqrt(3)
    assert cell.interval.low == pytest.approx(max(np.mean(means) - spread, 0))
    assert cell.tasks == sum(c.tasks for c in cells if c)


def test_two_worlds_are_pooled_by_task(tmp_path: Path) -> None:
    found = report.summarize([made(tmp_path, world) for world in range(2)])
    cell = found.aggregates[0].cells[0]
    assert found.aggregates[0].label == "2 worlds"
    assert cell.interval is not None
    assert cell.interval.method == "bootstrap"
    single = found.runs[0].cell("closed")
    assert single is not None and single.interval is not None
    # The same question in two worlds is one cluster: as many clusters as one world has, and not twice as many.
    assert cell.interval.high - cell.interval.low > 0.5 * (single.interval.high - single.interval.low)


def test_worlds_that_all_have_the_same_mean_say_nothing_about_their_spread() -> None:
    assert intervals.worlds_interval([1.0, 1.0, 1.0]) is None
    assert intervals.worlds_interval([0.2, 0.8]) is None


def test_another_world_is_compared_with_the_baselines_run_there(tmp_path: Path) -> None:
    before = [made(tmp_path, world, "before") for world in range(2)]
    after = [made(tmp_path, world, "after", 0.8) for world in range(2)]
    found = report.summarize([*before, *after])
    pairs = {(c.before.run, c.after.run) for c in found.comparisons}
    assert pairs == {(b.name, a.name) for b, a in zip(before, after, strict=True)}
    assert not any("different worlds" in note for note in found.notes)
    assert [aggregate.label for aggregate in found.aggregates] == ["before, 2 worlds", "after, 2 worlds"]


def test_groups_of_one_model_are_told_apart(tmp_path: Path) -> None:
    runs = [made(tmp_path, world, level=level, temperature=level) for level in (0.3, 0.6) for world in range(2)]
    assert [a.label for a in report.summarize(runs).aggregates] == ["small-0-0.3, 2 worlds", "small-0-0.6, 2 worlds"]


def test_the_interval_over_worlds_covers_the_truth_where_worlds_differ() -> None:
    """Worlds differ by 0.1, and their tasks are many: an interval over tasks would see none of it."""
    rng = np.random.default_rng(1)
    covered = []
    for _ in range(400):
        found = intervals.worlds_interval(list(rng.normal(0.5, 0.1, size=4)))
        assert found is not None
        covered.append(found.low <= 0.5 <= found.high)
    assert 0.92 < np.mean(covered) < 0.98


@pytest.mark.parametrize("freedom", [1, 2, 3, 5, 8, 9, 20])
def test_students_quantile_leaves_a_twentieth_outside(freedom: int) -> None:
    t = intervals.student(freedom)
    x = np.linspace(0, t, 200_001)
    scale = gamma((freedom + 1) / 2) / (sqrt(freedom * pi) * gamma(freedom / 2))
    inside = 2 * np.trapezoid(scale * (1 + x * x / freedom) ** (-(freedom + 1) / 2), x)
    assert inside == pytest.approx(0.95, abs=5e-4)
