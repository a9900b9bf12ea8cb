"""Tables for people: on a terminal of 80 columns, and as Markdown, LaTeX and CSV."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from click.testing import CliRunner
from rich.console import Console

from sebench import report
from sebench.base.errors import ConfigError
from sebench.cli import report as report_command
from sebench.report.views import formats, tables
from sebench.rollout.store import Run
from tests.test_report_data import many_tasks, write_run


def made(folder: Path, *names: str, samples: int = 2, **more: object) -> list[Run]:
    """Runs under these names, of one world, each a little better than the one before."""
    tasks = many_tasks(30, 20)
    skills = ({"closed": 0.2 + 0.1 * i, "open": 0.8} for i in range(len(names)))
    paths = [
        write_run(folder / name, tasks, skill, samples=samples, seed=1, **more)
        for name, skill in zip(names, skills, strict=True)
    ]
    return [Run.load(path) for path in paths]


def rendered(found: report.Report, width: int = 80) -> str:
    console = Console(width=width, file=io.StringIO(), color_system=None)
    tables.show(found, console)
    return console.file.getvalue()  # type: ignore[attr-defined,no-any-return]


def test_the_figures_of_unfinished_runs_say_so(tmp_path: Path) -> None:
    runs = made(tmp_path, "whole", "part")
    file = runs[1].path / "rollouts.jsonl"
    file.write_text("".join(file.read_text().splitlines(True)[:30]))
    both, one = report.summarize(runs), report.summarize(runs[1:])
    assert "**Accuracy (not finished: part 30 of 200 responses)**" in formats.text(both, "markdown")
    assert "Accuracy (not finished: part 30 of 200 responses)\n" in rendered(both)
    assert "Accuracy (not finished: 30 of 200 responses)\n" in rendered(one)
    assert "not finished" not in rendered(report.summarize(runs[:1]))


@pytest.mark.parametrize(
    "names",
    [
        ("smollm2-7",),
        ("before", "after"),
        ("small-7", "trained-7", "gold"),
        ("Qwen2.5-Coder-7B-Instruct-7", "Qwen2.5-Coder-7B-trained-7"),
        tuple(f"checkpoint-{100 * i}" for i in range(9)),
    ],
)
def test_no_cell_is_wrapped_or_cut_at_80_columns(names: tuple[str, ...], tmp_path: Path) -> None:
    shown = rendered(report.summarize(made(tmp_path, *names)))
    lines = [line for line in shown.splitlines() if not line.startswith("note: ")]
    assert "…" not in shown
    assert max(map(len, lines)) <= 80
    books = [line for line in lines if " closed " in line and "–" in line and "%" in line]
    assert len(books) >= 3 * len(names)  # all, single and multi, each with its accuracy in the same line
    assert all(name in shown for name in names) or len(names) == 1


def test_long_names_stand_in_a_legend(tmp_path: Path) -> None:
    long = "a-model-with-a-name-that-leaves-no-room-for-any-number-at-all"
    shown = rendered(report.summarize(made(tmp_path, long, "other")))
    assert shown.splitlines()[:2] == [f"A: {long}", "B: other"]
    assert shown.count(long) == 1 + sum(long in line for line in shown.splitlines() if line.startswith("note: "))
    assert "A: " not in rendered(report.summarize([Run.load(tmp_path / long), Run.load(tmp_path / "other")]), 300)


def test_only_tables_that_are_too_wide_call_runs_by_letters(tmp_path: Path) -> None:
    shown = rendered(report.summarize(made(tmp_path, "untrained-7", "trained-on-its-own-answers-7")), 100)
    main, _, rest = shown.partition("Paired differences")
    assert " untrained-7 " in main and " trained-on-its-own-answers-7 " in main and "A: " not in main.splitlines()[0]
    assert "A, closed" in rest and shown.count("A: untrained-7") == 1
    assert shown.index("A: untrained-7") < shown.index("A, closed")  # the legend comes first


def test_rows_over_worlds_fit_80_columns_whatever_the_models_are_called(tmp_path: Path) -> None:
    tasks, names = many_tasks(30, 20), ("Qwen2.5-Coder-7B-Instruct", "Qwen2.5-Coder-7B-Instruct-trained")
    paths = [
        write_run(tmp_path / f"{name}-{world}", tasks, {"closed": 0.4}, model=name, fingerprint=f"{world}" * 64)
        for name in names
        for world in range(3)
    ]
    shown = rendered(report.summarize([Run.load(path) for path in paths]))
    assert "…" not in shown
    assert "A B C, 3 worlds" in shown and "D E F, 3 worlds" in shown


def test_only_numbers_are_grouped() -> None:
    rows = (("2003", "12345", "1234.5"), ("007", "007", "²"))
    console = Console(width=80, file=io.StringIO(), color_system=None)
    tables.print_table(tables.TextTable("", 1, ("run", "tasks", "more"), rows), console)
    shown = console.file.getvalue().split()  # type: ignore[attr-defined]
    assert shown[-6:] == ["2003", "12,345", "1234.5", "007", "007", "²"]


def test_excluded_is_a_column_only_where_something_is(tmp_path: Path) -> None:
    (whole,) = made(tmp_path, "whole", holes=False)
    (holes,) = made(tmp_path, "holes")
    assert "excluded" not in rendered(report.summarize([whole]))
    assert "excluded" in rendered(report.summarize([holes]))


def test_a_table_has_no_empty_rows_and_its_title_explains_only_its_columns(tmp_path: Path) -> None:
    shown = rendered(report.summarize(made(tmp_path, "one")))
    title, errors = "Wrong answers by kind", shown.partition("Wrong answers by kind")[2].partition("Tokens")[0]
    rows = [line.split() for line in errors.splitlines() if "%)" in line or "·" in line]
    assert title in shown and rows and all(set(row) - {"·"} and any("%)" in cell for cell in row) for row in rows)
    for holes in (True, False):  # without holes, no answer is cut off
        found = rendered(report.summarize(made(tmp_path / str(holes), "one", holes=holes)))
        assert ("cut: ended at the token limit" in found) == (" cut " in found) == holes
    alike = (("a kind", "1"), ("  part", "1"), ("another", "1"), ("  part", "1"))
    console = Console(width=80, file=io.StringIO(), color_system=None)
    tables.print_table(tables.TextTable("", 1, ("kind", "count"), alike), console)
    lines = console.file.getvalue().rstrip().splitlines()  # type: ignore[attr-defined]
    assert len(lines) == 7 and all(line.strip() for line in lines[1:])


def test_the_time_of_a_response_is_a_median_and_not_a_sum(tmp_path: Path) -> None:
    times = {"started": "2026-01-05T10:00:00+00:00", "ended": "2026-01-05T10:03:20Z"}
    (run,) = made(tmp_path, "run", facts=times)
    found = report.summarize([run])
    seconds = sorted(
        row.rollout.seconds for row in run.rows() if row.rollout.book == "closed" and not row.rollout.error
    )
    assert seconds[0] <= found.runs[0].totals[0].median_s <= seconds[-1]
    assert found.runs[0].totals[0].model_s == pytest.approx(sum(seconds), abs=0.01)
    assert found.runs[0].wall_s == 200
    assert "pauses included: run 3.3 min" in rendered(found)


@pytest.mark.parametrize("times", [{}, {"started": "yesterday", "ended": "now"}, {"started": None, "ended": 3}])
def test_a_run_that_tells_no_times_has_none(times: dict[str, object], tmp_path: Path) -> None:
    (run,) = made(tmp_path, "run", facts=times)
    assert report.summarize([run]).runs[0].wall_s is None


# Markdown, LaTeX, CSV


def test_markdown_has_both_tables_and_nothing_in_it_is_markup(tmp_path: Path) -> None:
    text = formats.text(report.summarize(made(tmp_path, "a|b_<i>*", "after")), "markdown")
    lines = text.splitlines()
    heads = [i for i, line in enumerate(lines) if line.startswith("| ---")]
    assert [lines[i - 1].split(" | ")[0] for i in heads] == ["| run", "| difference"]
    columns = lines[heads[0]].count("|")
    rows = [line for line in lines[heads[0] + 1 : heads[1] - 4] if line]
    assert len(rows) == 2 * 2 * 3
    for row in rows:
        assert row.replace("\\|", "").count("|") == columns
    assert "a\\|b\\_&lt;i>\\*" in text
    assert "| closed book |" in text


def test_latex_escapes_what_it_would_take_for_its_own(tmp_path: Path) -> None:
    text = formats.text(report.summarize(made(tmp_path, "a_b&c%$#{}~^", "after")), "latex")
    assert r"a\_b\&c\%\$\#\{\}\textasciitilde{}\textasciicircum{}" in text
    assert text.count(r"\toprule") == text.count(r"\bottomrule") == 2
    for part in text.split(r"\begin{tabular}")[1:]:
        body = part.partition(r"\midrule")[2].partition(r"\bottomrule")[0]
        columns = part.partition("}")[0].lstrip("{")
        for line in body.strip().splitlines():
            assert line.endswith(r" \\")
            assert line.replace(r"\&", "").count("&") == len(columns) - 1
            assert "%" not in line.replace(r"\%", "")


def test_csv_is_the_main_table_and_the_comparisons_unrounded(tmp_path: Path) -> None:
    found = report.summarize(made(tmp_path, "before", "after"))
    rows = list(csv.DictReader(formats.text(found, "csv").splitlines()))
    assert {row["group"] for row in rows} == {"all", "split"}
    (gain,) = (r for r in rows if r["metric"] == "closed book over before" and r["group"] == "all")
    assert float(gain["estimate"]) == found.comparisons[0].difference
    assert float(gain["p"]) == found.comparisons[0].p


@pytest.mark.parametrize("name", formats.FORMATS)
def test_a_format_is_all_of_stdout_and_writes_nothing(name: str, tmp_path: Path) -> None:
    (run,) = made(tmp_path, "run")
    before = sorted(run.path.iterdir())
    done = CliRunner().invoke(report_command.command, [str(run.path), "--format", name])
    assert done.exit_code == 0, done.output
    assert done.output == formats.text(report.summarize([run]), name)
    assert sorted(run.path.iterdir()) == before


def test_two_formats_at_once_are_refused(tmp_path: Path) -> None:
    (run,) = made(tmp_path, "run")
    done = CliRunner().invoke(report_command.command, [str(run.path), "--format", "csv", "--json"])
    assert isinstance(done.exception, ConfigError)
    assert "--json and --format csv" in str(done.exception)


# Reference lines


def test_scripted_baselines_are_labelled_and_not_compared(tmp_path: Path) -> None:
    gold, numpy, small = made(tmp_path, "gold", "numpy", "small", samples=8)
    found = report.summarize([gold, numpy])
    assert (found.comparisons, found.baseline) == ((), "")
    assert [run.book_dependence for run in found.runs] == [(), ()]
    shown = rendered(found)
    assert "gold (script)" in shown
    assert "Paired differences" not in shown
    one = report.summarize([gold, numpy, small])
    assert one.comparisons == ()
    assert {c.after.run for run in one.runs for c in run.book_dependence} == {"small"}
    assert [run.reference for run in one.runs] == [True, True, False]


def test_the_baseline_is_the_first_run_that_is_not_a_reference_line(tmp_path: Path) -> None:
    found = report.summarize(made(tmp_path, "gold", "before", "after"))
    assert found.baseline == "before"
    assert {(c.before.run, c.after.run) for c in found.comparisons} == {("before", "after")}


def test_a_reference_line_can_be_asked_for_as_the_baseline_of_a_model(tmp_path: Path) -> None:
    gold, numpy, small = made(tmp_path, "gold", "numpy", "small")
    found = report.summarize([small, numpy], gold)
    assert {(c.before.run, c.after.run) for c in found.comparisons} == {("gold", "small")}
    assert "gold and numpy are scripted baselines and are not compared" in found.notes
