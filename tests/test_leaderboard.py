"""The leaderboard: one row per model, a rank for those that follow the protocol, and a reason for those that have
none."""

from __future__ import annotations

import errno
import io
import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from rich.console import Console

from sebench.cli import cli
from sebench.report.numbers import leaderboard
from sebench.report.numbers.leaderboard import Board, BoardRun, Origin
from sebench.report.views import leaderboard as views
from sebench.rollout import pipeline
from sebench.rollout.config import RunConfig
from sebench.rollout.protocol import V1
from sebench.rollout.store import Run
from sebench.world.world import World
from tests.test_report_data import HOSTILE, MEMORY, many_tasks, write_run

WORLDS = {seed: f"{seed}" * 32 for seed in (11, 12, 13)}
PROTOCOL = replace(V1, worlds=WORLDS, templates="0123456789abcdef", scoring=1)
CONFIG = {
    name: list(value) if isinstance(value, tuple) else value for name, value in V1.settings.items()
} | {"temperature": 0.0, "prompts": "", "extra": {}}  # fmt: skip
TASKS = many_tasks(30, 20)
BOOKS = ("closed", "open", "native")
RELEASES = Path(__file__).parents[1] / "releases"


RELEASED = Origin("release", "closed-sft", place="a")


def entry(at: Path, model: str, seed: int, closed: float, origin: Origin | None = None, **more: Any) -> BoardRun:
    """A run of a model in a world, in which each answer is right with probability `closed`."""
    name = f"{model.replace('/', '')[:20]}-{seed}-{len(list(at.iterdir()))}"
    facts = {"scoring": more.pop("scoring", 1), **more.pop("facts", {})}
    path = write_run(
        at / name, more.pop("tasks", TASKS), dict.fromkeys(more.pop("books", BOOKS), closed), samples=1, holes=False,
        seed=seed, model=model, fingerprint=more.pop("fingerprint", WORLDS.get(seed, f"{seed}" * 32)),
        config=CONFIG | more, facts=facts,
    )  # fmt: skip
    data = json.loads((path / "run.json").read_text())
    data["world"]["seed"] = seed
    (path / "run.json").write_text(json.dumps(data))
    return leaderboard.entry(Run.load(path), origin or RELEASED, PROTOCOL)


def three(at: Path, model: str, closed: float, **more: Any) -> list[BoardRun]:
    return [entry(at, model, seed, closed, **more) for seed in WORLDS]


def ranks(board: Board) -> dict[str, tuple[int, str]]:
    return {row.model: (row.rank, row.unranked) for row in board.rows}


def test_models_are_ranked_by_the_mean_of_their_worlds(tmp_path: Path) -> None:
    entries = [*three(tmp_path, "weak", 0.0), *three(tmp_path, "strong", 0.9), *three(tmp_path, "gold", 1.0)]
    (board,) = leaderboard.boards(entries, PROTOCOL)
    assert ranks(board) == {"strong": (1, ""), "weak": (2, ""), "gold": (0, "a scripted baseline")}
    assert [row.model for row in board.rows] == ["strong", "weak", "gold"]
    strong = board.rows[0]
    means = [sum(s.mean for s in one.scores["closed", "single_test"].values()) / 30 for one in entries[3:6]]
    assert strong.cells["closed", "single_test"].accuracy == pytest.approx(sum(means) / 3)
    assert strong.seeds == (11, 12, 13) and strong.runs == 3


def test_training_seeds_of_one_model_are_one_row_and_count_equally(tmp_path: Path) -> None:
    entries = [*three(tmp_path, "model", 0.0), entry(tmp_path, "model", 11, 1.0)]
    (row,) = leaderboard.boards(entries, PROTOCOL)[0].rows
    assert row.runs == 4 and row.rank == 1
    per_world = [sum(s.mean for s in one.scores["closed", "single_test"].values()) / 30 for one in entries]
    expected = ((per_world[0] + per_world[3]) / 2 + per_world[1] + per_world[2]) / 3
    assert row.cells["closed", "single_test"].accuracy == pytest.approx(expected)


def test_equal_results_share_a_rank(tmp_path: Path) -> None:
    (board,) = leaderboard.boards([*three(tmp_path, "a", 0.0), *three(tmp_path, "b", 0.0)], PROTOCOL)
    assert ranks(board) == {"a": (1, ""), "b": (1, "")}


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"limit": 5}, "a sample of the tasks"),
        ({"distractors": 8}, "departs from protocol v1: distractors 8 instead of 0"),
        ({"temperature": 0.3}, "departs from protocol v1: temperature 0.3 instead of 0.0 or 0.6"),
        ({"temperature": 0.6}, "departs from protocol v1: samples 1 instead of 5, at temperature 0.6"),
        ({"system": "You know it."}, "departs from protocol v1: a system message"),
        ({"extra": {"tools": []}}, "departs from protocol v1: additional request fields"),
        ({"books": ("closed", "open")}, "departs from protocol v1: book lacks native"),
        ({"books": ("open", "native")}, "no closed book"),
        ({"tasks": many_tasks(30, 0)}, "it does not record how many tasks its world has"),
        ({"samples": 2}, "unfinished: 150 of 300 responses"),
    ],
)
def test_every_missing_rank_has_a_reason(tmp_path: Path, more: dict[str, Any], why: str) -> None:
    boards = leaderboard.boards([*three(tmp_path, "good", 0.5), *three(tmp_path, "other", 0.9, **more)], PROTOCOL)
    found = {model: value for board in boards for model, value in ranks(board).items()}
    assert found == {"good": (1, ""), "other": (0, f"world 11: {why}")}


def test_too_few_worlds_have_no_rank(tmp_path: Path) -> None:
    (board,) = leaderboard.boards([*three(tmp_path, "good", 0.0), *three(tmp_path, "part", 1.0)[:2]], PROTOCOL)
    assert ranks(board) == {"good": (1, ""), "part": (0, "2 of 3 worlds")}


def test_answers_at_the_token_limit_cost_the_rank(tmp_path: Path) -> None:
    runs = three(tmp_path, "cut", 0.5)
    path = next(tmp_path.glob("cut-12-*"))
    lines = [json.loads(line) for line in (path / "rollouts.jsonl").read_text().splitlines()]
    closed = [line for line in lines if line["book"] == "closed"]
    for line in closed[:3]:
        line["finish"] = "length"
    (path / "rollouts.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    runs[1] = leaderboard.entry(Run.load(path), RELEASED, PROTOCOL)
    why = "world 12: 10% of the closed-book answers were cut off"
    assert ranks(leaderboard.boards(runs, PROTOCOL)[0]) == {"cut": (0, why)}


def test_only_a_declared_round_has_ranks_and_others_have_tables_of_their_own(tmp_path: Path) -> None:
    secret = [entry(tmp_path, "model", seed, 0.5) for seed in (21, 22, 23)]
    public, other = leaderboard.boards([*three(tmp_path, "model", 0.2), *secret], PROTOCOL)
    assert public.title.startswith("protocol v1: worlds 11, 12, 13") and ranks(public) == {"model": (1, "")}
    assert ranks(other) == {"model": (0, "world 21: its world is not in a round of protocol v1")}


def test_a_run_folder_and_a_release_on_a_part_of_the_library_share_a_table(tmp_path: Path) -> None:
    released = entry(tmp_path, "released", 21, 0.5, Origin("release", place="a", part="12 functions"))
    folder = entry(tmp_path, "folder", 21, 0.5, Origin(place="b"))
    (board,) = leaderboard.boards([folder, released], PROTOCOL)
    assert "12 functions" in board.title and {row.model for row in board.rows} == {"released", "folder"}


def test_a_run_folder_says_that_its_world_has_a_part_of_the_library(tiny: World, tmp_path: Path) -> None:
    run = pipeline.run(RunConfig(model="gold", limit=1, book=("closed",)), tiny, tmp_path / "run")
    done = CliRunner().invoke(cli, ["leaderboard", str(run.path), "--out", str(tmp_path / "page.html")])
    assert "a part of the library (6 functions)" in done.output
    assert "a part of the library (6 functions)" in (tmp_path / "page.html").read_text()


def test_a_partial_run_beside_a_whole_one_costs_no_rank(tmp_path: Path) -> None:
    whole = three(tmp_path, "model", 0.0)
    asked_less = replace(entry(tmp_path, "model", 12, 1.0, tasks=many_tasks(30, 0)), world=whole[1].world)
    (board,) = leaderboard.boards([*whole, asked_less], PROTOCOL)
    assert ranks(board) == {"model": (1, "")} and board.rows[0].runs == 3
    (board,) = leaderboard.boards([whole[0], asked_less, whole[2]], PROTOCOL)
    assert ranks(board)["model"][0] == 0


def test_answers_without_a_verdict_count_as_wrong_and_many_of_them_cost_the_rank(tmp_path: Path) -> None:
    three(tmp_path, "model", 1.0)
    for number, path in enumerate(sorted(tmp_path.iterdir())):
        lines = [json.loads(line) for line in (path / "rollouts.jsonl").read_text().splitlines()]
        closed = [line for line in lines if line["book"] == "closed"]
        for line in closed[: 2 if number else 1]:  # of 30 single tasks
            line |= {"error": "no response", "response": ""}
        (path / "rollouts.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    runs = [leaderboard.entry(Run.load(path), RELEASED, PROTOCOL) for path in sorted(tmp_path.iterdir())]
    assert [one.problem for one in runs] == ["", *["7% of the closed-book answers have no verdict"] * 2]
    scores = runs[0].scores["closed", "single_test"]
    assert len(scores) == 30 and all(score.samples == 1 for score in scores.values())


def test_nobody_changes_the_row_of_somebody_else(tmp_path: Path) -> None:
    theirs = [entry(tmp_path, "model", seed, 0.0, replace(RELEASED, place="b")) for seed in WORLDS]
    (board,) = leaderboard.boards([*three(tmp_path, "model", 0.9), *theirs], PROTOCOL)
    assert [(row.rank, row.runs) for row in board.rows] == [(1, 3), (2, 3)]


def test_a_copy_counts_once_and_hides_nobody(tmp_path: Path) -> None:
    """Whoever submits a copy under a name that comes first neither removes the original nor pushes others down."""
    good, weak = three(tmp_path, "good", 0.9), three(tmp_path, "weak", 0.0)
    copies = [replace(one, model=f"a{n}", origin=replace(RELEASED, place=f"a{n}")) for n in range(5) for one in good]
    (board,) = leaderboard.boards([*copies, *good, *good, *weak], PROTOCOL)  # and twice in its own release
    assert ranks(board) == {**{f"a{n}": (1, "") for n in range(5)}, "good": (1, ""), "weak": (2, "")}
    assert next(row for row in board.rows if row.model == "good").runs == 3


def test_ties_do_not_depend_on_the_order_of_runs(tmp_path: Path) -> None:
    runs = three(tmp_path, "a", 0.7)
    (board,) = leaderboard.boards([*runs, *(replace(one, model="b") for one in reversed(runs))], PROTOCOL)
    assert [row.rank for row in board.rows] == [1, 1]


def test_rows_without_a_rank_are_in_order_too(tmp_path: Path) -> None:
    """By accuracy with the book closed, then open; tables by the number of their worlds, then by their seeds."""
    runs = {name: entry(tmp_path, name, 21, closed, limit=9) for name, closed in (("a", 0), ("b", 0), ("c", 0.9))}
    scores = {**runs["b"].scores, ("open", "single_test"): runs["c"].scores["open", "single_test"]}
    entries = [runs["a"], replace(runs["b"], scores=scores), runs["c"], entry(tmp_path, "d", 20, 0.0)]
    boards = leaderboard.boards([*entries, *three(tmp_path, "e", 0.0)], PROTOCOL)
    assert [[row.model for row in board.rows] for board in boards] == [["e"], ["d"], ["c", "b", "a"]]


def test_rows_with_the_same_name_say_in_what_they_differ(tmp_path: Path) -> None:
    entries = [entry(tmp_path, "model", 21, 0.5, distractors=pages) for pages in (0, 8)]
    entries += [entry(tmp_path, "model", 21, 0.5, replace(RELEASED, release="other", place="b"))]
    entries += [entry(tmp_path, "alone", 21, 0.5, distractors=8)]
    (board,) = leaderboard.boards(entries, PROTOCOL)
    assert {row.label for row in board.rows} == {
        "model (distractors 0, release release)",
        "model (distractors 8, release release)",
        "model (distractors 0, release other)",
        "alone",
    }
    assert "distractors 0, release other" in views.page([board])


def test_settings_that_are_not_set_or_not_recorded_are_not_shown(tmp_path: Path) -> None:
    entries = [entry(tmp_path, "model", 21, 0.5, Origin(), **more) for more in ({}, {"limit": 5, "decline": True})]
    entries += [entry(tmp_path, "older", 21, 0.5, Origin(), top_p=None, temperature=None)]
    (board,) = leaderboard.boards(entries, PROTOCOL)
    assert {row.label for row in board.rows} == {"model", "model (limit 5, decline True)", "older"}
    assert not any("None" in row.settings for row in board.rows)


def test_what_was_at_hand_is_never_ranked_together(tmp_path: Path) -> None:
    entries = [
        *three(tmp_path, "model", 0.5),
        *three(tmp_path, "model", 0.9, books=("closed",), facts={"memory": MEMORY}),
    ]
    plain, memory = leaderboard.boards(entries, PROTOCOL)
    assert "at hand" not in plain.title and memory.title.endswith("at hand: memory")
    text = views.page([plain, memory])
    assert text.count("<tbody>") == 2 and "at hand: memory" in text


def test_the_terminal_shows_ranks_and_reasons_in_80_columns(tmp_path: Path) -> None:
    entries = [*three(tmp_path, "Qwen2.5-Coder-7B-Instruct", 0.5), *three(tmp_path, "gold", 1.0)]
    boards = leaderboard.boards(entries, PROTOCOL)
    console = Console(width=80, file=io.StringIO(), color_system=None)
    views.show(boards, console)
    shown = console.file.getvalue()  # type: ignore[attr-defined]
    assert "…" not in shown
    assert any("Qwen2.5-Coder-7B-Instruct " in line and "%" in line for line in shown.splitlines())
    assert "not ranked: a scripted baseline: gold" in shown


def test_a_long_name_hides_no_column_of_the_terminal(tmp_path: Path) -> None:
    boards = leaderboard.boards(
        three(tmp_path, "Qwen2.5-Coder-1.5B-Instruct, Closed-SFT gold and pairs", 0.5), PROTOCOL
    )
    console = Console(width=80, file=io.StringIO(), color_system=None)
    views.show(boards, console)
    lines = console.file.getvalue().splitlines()  # type: ignore[attr-defined]
    assert any(line.split() == ["rank", "model", "closed", "(95", "%)", "multi", "open"] for line in lines)
    assert all(len(line) <= 80 for line in lines)


def test_a_site_has_the_page_its_figures_and_nothing_hostile(tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    three(tmp_path / "runs", HOSTILE, 0.5)
    (tmp_path / "empty").mkdir()
    silent = next((tmp_path / "runs").iterdir()).rename(tmp_path / "runs" / "silent")
    (silent / "rollouts.jsonl").write_text("")
    runs = [str(path) for path in sorted((tmp_path / "runs").iterdir())]
    site = tmp_path / "site"
    for _ in range(2):  # a site is written over by a newer one
        done = CliRunner().invoke(cli, ["leaderboard", *runs, str(tmp_path / "empty"), "--site", str(site)])
        assert done.exit_code == 0, done.output
    output = done.output.replace("\n", "")
    assert "left out: " in output and "empty is not a run folder" in output and "silent has no response" in output
    printed = CliRunner().invoke(cli, ["leaderboard", *runs, "--json"])
    assert printed.exit_code == 0 and printed.stdout == (site / "leaderboard.json").read_text()
    done = CliRunner().invoke(cli, ["leaderboard", *runs, "--json", "--out", "page.html"])
    assert done.exit_code and "--json writes no files; remove --out" in str(done.exception)
    page = (site / "index.html").read_text()
    assert HOSTILE not in page and page.count("<script>") == 1
    (board,) = json.loads((site / "leaderboard.json").read_text())
    (row,) = board["rows"]
    assert row["model"] == HOSTILE and row["unranked"].endswith("not a release, so it cannot be verified")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").write_text("keep")
    shutil.copytree(RELEASES / "h200-bits", tmp_path / "again" / "h200-bits")
    done = CliRunner().invoke(
        cli, ["leaderboard", str(tmp_path / "again"), str(RELEASES / "h200-bits"), "--site", str(tmp_path / "twice")]
    )
    assert "two releases are named h200-bits" in str(done.exception) and not (tmp_path / "twice").exists()
    done = CliRunner().invoke(cli, ["leaderboard", *runs, "--site", str(tmp_path / "full")])
    assert done.exit_code and "is not a leaderboard site" in str(done.exception)
    done = CliRunner().invoke(cli, ["leaderboard", *runs, "--site", str(tmp_path / "full" / "mine.txt")])
    assert done.exit_code and "is a file" in str(done.exception)
    done = CliRunner().invoke(cli, ["leaderboard", *runs, "--round", "abc", "--site", str(site)])
    assert done.exit_code and "give the full fingerprints of at least 3 worlds" in str(done.exception)
    done = CliRunner().invoke(cli, ["leaderboard", *runs, "--site", str(site), "--out", "page.html"])
    assert done.exit_code and "cannot be combined" in str(done.exception)


def test_a_site_on_a_full_disk_is_one_line_and_can_be_written_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fill(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    given = ["leaderboard", str(RELEASES / "h200-bits"), "--site", str(tmp_path / "site")]
    with monkeypatch.context() as full:
        full.setattr("tarfile.TarFile.add", fill)
        done = CliRunner().invoke(cli, given)
    assert "bits.tar cannot be written: No space left on device; free some disk space, or choose another --site" in str(
        done.exception
    )
    assert not list(tmp_path.rglob("*.tar"))
    rename = Path.replace
    with monkeypatch.context() as full:
        full.setattr(Path, "replace", lambda old, new: fill() if new.name == "leaderboard.json" else rename(old, new))
        done = CliRunner().invoke(cli, [*given[:-1], str(tmp_path / "second")])
    assert "leaderboard.json cannot be written" in str(done.exception) and not list((tmp_path / "second").iterdir())
    assert CliRunner().invoke(cli, given).exit_code == 0


def test_a_folder_that_does_not_exist_is_an_error_with_the_nearest_name(tmp_path: Path) -> None:
    (tmp_path / "releases").mkdir()
    for name, step in (("relases", "did you mean RELEASES?"), ("x/y", "give a release, a folder of releases")):
        done = CliRunner().invoke(cli, ["leaderboard", str(tmp_path / name), "--out", str(tmp_path / "page.html")])
        said = str(done.exception).replace(str(tmp_path / "releases"), "RELEASES")
        assert done.exit_code and f"{name} does not exist; {step}" in said
