"""The comparison in an experiment: its numbers are checked against folders made by hand, and its files for their
content."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Mapping
from itertools import product
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from rich.console import Console

from sebench.base.errors import ConfigError
from sebench.base.records import Blame, Kind, Rollout, Verdict
from sebench.report.numbers import experiment as experiment_report
from sebench.report.numbers.experiment import ExperimentReport
from sebench.report.numbers.intervals import difference_interval, ratio_interval, sign_flip_p, wilson
from sebench.report.views import drawings, experiment_files, training_files
from tests.test_report_data import FINGERPRINT, task

TASKS = [task(f"t{i}", ("mean",) if i % 2 else ("array", "median")) for i in range(30)]
for one in TASKS:
    one["split"] = "single_test"
IDS = [one["id"] for one in TASKS]
HOSTILE = "a & <b>"


def write(file: Path, lines: list[dict[str, Any]]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(f"{json.dumps(line)}\n" for line in lines))


def run(
    folder: Path, right: Mapping[str, set[str]], tasks: list[dict[str, Any]], named: int = 0, samples: int = 1
) -> None:
    """A run: which tasks are right with each book, and how many further answers call the right functions."""
    rollouts, verdicts = [], []
    for book, passed in right.items():
        wrong = [one["id"] for one in tasks if one["id"] not in passed]
        for one, sample in product(tasks, range(samples)):
            rollout = Rollout(one["id"], book, sample, "digest", "text")
            called = tuple(one["forged"]) if one["id"] in passed or one["id"] in wrong[:named] else ("zarray",)
            verdict = (
                Verdict(Kind.PASSED, Blame.NONE, functions=called, targeted=True)
                if one["id"] in passed
                else Verdict(Kind.WRONG_VALUE, Blame.CANDIDATE, functions=called)
            )
            rollouts.append(rollout.to_json())
            verdicts.append({"key": rollout.key, **verdict.to_json()})
    config = {"model": "m", "split": [tasks[0]["split"]], "book": list(right), "samples": samples, "limit": 0}
    world = {"fingerprint": FINGERPRINT, "seed": 7, "package": "vok"}
    manifest = {"format": 1, "config": config, "world": world, "prompts": {}}
    write(folder / "tasks.jsonl", tasks)
    (folder / "run.json").write_text(json.dumps(manifest))
    write(folder / "rollouts.jsonl", rollouts)
    write(folder / "verdicts.jsonl", verdicts)


def done(folder: Path) -> None:
    (folder / "row.json").write_text(json.dumps({"format": 1, "settings": {"a": 1}, "done": {"a": 1}}))


def experiment(folder: Path, methods: list[dict[str, str]], worlds: tuple[str, ...] = ("7", "8")) -> None:
    told = [{"name": name, "seed": int(name), "fingerprint": FINGERPRINT, "part": "24 functions"} for name in worlds]
    data = {"format": 1, "sebench": "0.5", "file": "x.toml", "baseline": "base", "worlds": told, "methods": methods}
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "experiment.json").write_text(json.dumps(data))


def method(name: str, kind: str, start: str = "", model: str = "small") -> dict[str, str]:
    return {"name": name, "method": kind, "from": start, "model": "" if start else model}


METHODS = [
    method("base", "none"),
    method("learnt", "closed-sft"),
    method("on", "closed-sft-rl", "learnt"),
    method("control", "native-sft"),
    method("other", "none", model="large"),
]
RIGHT: dict[str, dict[str, dict[str, set[str]]]] = {
    "base": {w: {"closed": set(), "native": set(IDS[:20])} for w in ("7", "8")},
    "learnt": {
        "7": {"closed": set(IDS[:15]), "native": set(IDS[:18])},
        "8": {"closed": set(IDS[:9]), "native": set(IDS[:20])},
    },
    "on": {w: {"closed": set(IDS[10:25])} for w in ("7", "8")},
    "control": {w: {"closed": set(), "native": set(IDS[:24])} for w in ("7", "8")},
    "other": {w: {"native": set(IDS)} for w in ("7", "8")},
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    experiment(tmp_path, METHODS)
    seen = [{**one, "id": f"seen {one['id']}", "split": "train"} for one in TASKS[:12]]
    for name, worlds in RIGHT.items():
        for world, right in worlds.items():
            place = tmp_path / world / name
            run(place / "run", right, TASKS, named=4)
            done(place)
            if name == "learnt":
                run(place / "seen", {"closed": {one["id"] for one in seen[:9]}}, seen)
                model = place / "model"
                steps = [{"step": i, "loss": 2.0 / (i + 1), "tokens": 100, "s": 1.5} for i in range(4)]
                write(model / "log.jsonl", [{**steps[0], "loss": 99.0}, {**steps[1], "tokens": 5}, *steps])
                write(
                    model / "probes.jsonl",
                    [{"step": 2, "tokens": 200, "name_logp": -9.0}, {"step": 4, "name_logp": -3.0}],
                )
                write(model / "validation.jsonl", [{"step": 4, "tasks": 9, "right": 0.5}])
                (model / "learn.json").write_text(json.dumps({"ended": True, "rows": 30, "steps": 4, "seconds": 6.5}))
    return tmp_path


@pytest.fixture
def found(folder: Path) -> ExperimentReport:
    return experiment_report.compare(folder)


def test_accuracies_are_those_of_the_worlds_together_and_of_each(found: ExperimentReport) -> None:
    closed = found.figure("learnt", "single_test", "closed")
    assert closed is not None and closed.by_world == {"7": 0.5, "8": 0.3}
    assert closed.accuracy == pytest.approx(0.4) and closed.targeted == pytest.approx(0.4)
    assert (closed.worlds, closed.tasks, closed.samples) == (2, 60, 60)
    nothing = found.figure("base", "single_test", "closed")
    assert nothing is not None and nothing.interval == wilson(0.0, 30)
    seen = found.figure("learnt", "seen", "closed")
    assert seen is not None and seen.accuracy == pytest.approx(0.75) and seen.tasks == 24
    assert found.figure("base", "seen", "closed") is None


def test_what_answers_call_is_counted_right_or_wrong(found: ExperimentReport) -> None:
    """Four wrong answers of each world name the right functions; the others call the maker of arrays, which is no
    knowledge."""
    for name, right in (("base", 4 / 30), ("learnt", (15 + 4 + 9 + 4) / 60)):
        figure = found.figure(name, "single_test", "closed")
        assert figure is not None
        assert figure.right == pytest.approx(right) and figure.real == pytest.approx(right)


def test_differences_are_paired_by_task_and_world(found: ExperimentReport) -> None:
    (gain,) = [d for d in found.differences if (d.after, d.book) == ("on", "closed")]
    assert (gain.before, gain.tasks, gain.accuracy_before, gain.accuracy_after) == ("base", 60, 0.0, 0.5)
    expected = [1.0 if 10 <= i < 25 else 0.0 for i in range(30)]
    assert gain.interval == difference_interval(expected) and gain.p == sign_flip_p(expected)
    assert not any(d.after == "base" for d in found.differences)
    assert not any(d.split == "seen" for d in found.differences)  # the baseline was not asked them


def test_differences_and_ratios_agree_with_the_accuracies_where_worlds_ask_other_questions(tmp_path: Path) -> None:
    """Three worlds, of which two ask the same: questions that are asked twice weigh twice."""
    experiment(tmp_path, [method("base", "native-sft"), method("learnt", "closed-sft")], worlds=("7", "8", "9"))
    others = [{**one, "id": f"other {one['id']}"} for one in TASKS]
    for world, tasks, right in (("7", TASKS, 24), ("8", TASKS, 27), ("9", others, 3)):
        ids = [one["id"] for one in tasks]
        run(tmp_path / world / "base" / "run", {"closed": set(ids[:2]), "native": set(ids[:20])}, tasks)
        run(tmp_path / world / "learnt" / "run", {"closed": set(ids[:right])}, tasks)
        for name in ("base", "learnt"):
            done(tmp_path / world / name)
    found = experiment_report.compare(tmp_path)
    before, after = (found.figure(name, "single_test", "closed") for name in ("base", "learnt"))
    assert before and after and after.accuracy == pytest.approx((24 + 27 + 3) / 90)
    [gain] = [d for d in found.differences if d.book == "closed"]
    assert (gain.accuracy_before, gain.accuracy_after) == pytest.approx((before.accuracy, after.accuracy))
    assert gain.difference == pytest.approx((54 - 6) / 90) and gain.tasks == 90
    assert gain.interval.low < gain.difference < gain.interval.high
    [ratio] = found.ratios
    assert ratio.ratio == pytest.approx(54 / 60) and ratio.tasks == 90


def test_native_after_learning_is_forgetting_against_every_untrained_row(found: ExperimentReport) -> None:
    told = {(d.before, d.after): d.difference for d in found.forgetting}
    assert told["base", "learnt"] == pytest.approx((18 - 20) / 30 / 2)
    assert all(d.book == "native" for d in found.forgetting)


def test_ratios_are_over_native_before_and_over_the_control(found: ExperimentReport) -> None:
    ratios = {(r.name, r.method, r.native): r for r in found.ratios}
    assert set(ratios) == {
        ("ratio_base", "learnt", "base"),
        ("ratio_base", "on", "base"),  # by the model that the chain begins with; 'other' is another model
        ("ratio_matched", "learnt", "control"),
        ("ratio_matched", "on", "control"),
    }
    base = ratios["ratio_base", "learnt", "base"]
    above = [(i < 15) / 2 + (i < 9) / 2 for i in range(30)]
    below = [float(i < 20) for i in range(30)]
    assert base.ratio == pytest.approx(0.4 / (2 / 3)) and (base.successes, base.tasks) == (40, 60)
    order = sorted(range(30), key=lambda i: IDS[i])
    assert base.interval == ratio_interval([above[i] for i in order], [below[i] for i in order])
    matched = ratios["ratio_matched", "learnt", "control"]
    assert matched.ratio == pytest.approx(0.4 / 0.8)


def test_a_control_that_learnt_otherwise_is_noted(folder: Path) -> None:
    for name, form in (("learnt", "code"), ("control", "recall")):
        (folder / "7" / name / "model").mkdir(exist_ok=True)
        told = {"ended": True, "config": {"form": form, "epochs": 4, "distractors": len(name)}}
        (folder / "7" / name / "model" / "learn.json").write_text(json.dumps(told))
    assert experiment_report.compare(folder).notes == (
        "ratio_matched of learnt: the control control was trained with different form",
    )


def test_there_is_no_ratio_over_few_native_successes(tmp_path: Path) -> None:
    experiment(tmp_path, METHODS[:2], ("7",))
    for name, right in (("base", {"native": set(IDS[:19])}), ("learnt", {"closed": set(IDS[:19])})):
        run(tmp_path / "7" / name / "run", right, TASKS)
        done(tmp_path / "7" / name)
    (ratio,) = experiment_report.compare(tmp_path).ratios
    assert (ratio.ratio, ratio.interval, ratio.successes) == (None, None, 19)


def test_a_training_tells_its_cost_and_curves_each_step_once(found: ExperimentReport) -> None:
    (learnt,) = [m for m in found.methods if m.name == "learnt"]
    assert (learnt.rows, learnt.steps, learnt.tokens, learnt.seconds) == (30, 4, 400, 6.5)
    assert learnt.probes == {"name_logp": -3.0, "held-out, right": 0.5}
    curve = learnt.curves[0]
    assert curve.loss == ((0, 2.0), (1, 1.0), (2, 2 / 3), (3, 0.5))
    assert curve.probes["name_logp"] == ((2, -9.0), (4, -3.0))
    (base,) = [m for m in found.methods if m.name == "base"]
    assert base.steps is None and base.curves == ()


def test_a_row_that_is_not_finished_is_noted_and_left_out(folder: Path) -> None:
    (folder / "8" / "learnt" / "row.json").write_text(json.dumps({"settings": {"a": 1}}))
    found = experiment_report.compare(folder)
    assert found.notes == ("8/learnt is not finished; repeat the command to resume it",)
    closed = found.figure("learnt", "single_test", "closed")
    assert closed is not None and closed.by_world == {"7": 0.5}
    (gain,) = [d for d in found.differences if (d.after, d.book) == ("learnt", "closed")]
    assert gain.tasks == 30


def test_requests_without_a_response_are_counted_apart_from_answers_without_a_verdict(folder: Path) -> None:
    run_folder = folder / "7" / "learnt" / "run"
    lines = [json.loads(line) for line in (run_folder / "rollouts.jsonl").read_text().splitlines()]
    failed = [{**line, "response": "", "error": "HTTP 500"} for line in lines[:2]]
    write(run_folder / "rollouts.jsonl", [*failed, *lines[2:]])
    verdicts = (run_folder / "verdicts.jsonl").read_text().splitlines()
    (run_folder / "verdicts.jsonl").write_text("\n".join(verdicts[5:]) + "\n")
    assert experiment_report.compare(folder).notes == (
        "7/learnt: 2 of 72 requests got no response",  # 30 tasks with two books, and 12 seen
        "7/learnt: 3 answers have no usable verdict, and do not count",
    )


def test_answers_that_were_cut_off_and_samples_are_noted(folder: Path) -> None:
    place = folder / "7" / "learnt" / "run"
    lines = [json.loads(line) for line in (place / "rollouts.jsonl").read_text().splitlines()]
    write(place / "rollouts.jsonl", [{**line, "finish": "length"} for line in lines])
    manifest = json.loads((place / "run.json").read_text())
    manifest["config"]["limit"] = 30
    (place / "run.json").write_text(json.dumps(manifest))
    assert experiment_report.compare(folder).notes == (
        "7/learnt: 60 of 60 responses were cut off at the token limit: wrong, unless their code was "
        "complete; raise max_tokens",
        "7: a sample of 30 tasks, drawn with --limit",
    )


def test_the_heads_of_columns_say_how_many_samples_were_drawn(folder: Path) -> None:
    for name, samples in (("learnt", 2), ("on", 5)):
        for world in ("7", "8"):
            run(folder / world / name / "run", {"closed": set(IDS[:15])}, TASKS, samples=samples)
    table = experiment_files.summary(experiment_report.compare(folder))
    assert table.head[-4:-2] == ("pass@2", "pass@5")
    cells = {row[0]: row[-4:-2] for row in table.rows if row[1:3] == ("single", "closed")}
    assert (cells["learnt"], cells["on"], cells["base"]) == (("50.0%", "–"), ("–", "50.0%"), ("–", "–"))


def test_a_folder_that_is_no_experiment_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="is not an experiment folder"):
        experiment_report.compare(tmp_path)
    experiment(tmp_path, METHODS)
    with pytest.raises(ConfigError, match="no finished row"):
        experiment_report.compare(tmp_path)


# ---- files ----------------------------------------------------------------------------------------------------


def test_every_file_is_written_and_says_the_same(folder: Path, found: ExperimentReport) -> None:
    training_files.write(experiment_files.training_report(found), folder)
    told = json.loads((folder / "comparison.json").read_text())
    assert told == json.loads(json.dumps(found.to_json()))
    text, page = (folder / "comparison.md").read_text(), (folder / "comparison.html").read_text()
    for said in ("40.0%", "ratio\\_matched", "0.600", "Forgetting", "wrong value", "seen"):
        assert said in text
        assert said.replace("\\", "") in page
    console = Console(width=100, record=True, file=io.StringIO())
    training_files.show(experiment_files.training_report(found), console)
    shown = console.export_text()
    tables, _, ratios = shown.partition("ratio_base of")
    assert ratios.startswith(" learnt, single: 0.600") and "40.0%" in tables
    assert max(map(len, tables.splitlines())) <= 100 and "…" not in tables


def test_plots_are_whole_svg_files_for_light_and_dark_pages(found: ExperimentReport) -> None:
    for plot in (drawings.bars(found), drawings.curves(found)):
        root = ElementTree.fromstring(plot)
        assert root.tag.endswith("svg") and "prefers-color-scheme:dark" in plot
        width, height = (float(v) for v in root.attrib["viewBox"].split()[2:])
        for element in root.iter():
            for name, most in (("x", width), ("y", height)):
                assert -0.1 <= float(element.attrib.get(name, 0)) <= most
    titles = re.findall(r"<title>(.*?)</title>", drawings.bars(found))
    assert "learnt, closed: 40.0% of 60 tasks" in titles and "learnt, closed: 75.0% of 24 tasks" in titles


def test_the_bar_of_a_figure_is_as_long_as_the_figure(found: ExperimentReport) -> None:
    bars = dict(re.findall(r'width="([\d.]+)" height="13" rx="2"><title>(\w+, \w+: [\d.]+)%', drawings.bars(found)))
    lengths = {name: float(width) for width, name in bars.items()}
    assert lengths["control, native: 80.0"] == pytest.approx(2 * lengths["learnt, closed: 40.0"], rel=0.01)


def test_names_are_text_and_never_markup(folder: Path) -> None:
    told = json.loads((folder / "experiment.json").read_text())
    told["methods"] = [method(HOSTILE, "none")]
    (folder / "experiment.json").write_text(json.dumps(told))
    for world in ("7", "8"):
        run(folder / world / HOSTILE / "run", {"closed": set(IDS[:3])}, TASKS)
        done(folder / world / HOSTILE)
    found = experiment_report.compare(folder)
    ElementTree.fromstring(drawings.bars(found))
    page = training_files.page(experiment_files.training_report(found))
    assert "<b>" not in page and "a &amp; &lt;b&gt;" in page
    assert "<script" not in page and "http" not in re.sub(r"data:image/svg\+xml;base64,\S+", "", page).replace(
        "http-equiv", ""
    )


def test_a_training_that_came_to_nothing_is_noted_and_the_rest_is_drawn(folder: Path) -> None:
    steps = [{"step": n, "loss": loss, "tokens": 1} for n, loss in enumerate((2.0, float("nan"), float("inf")))]
    write(folder / "7" / "learnt" / "model" / "log.jsonl", steps)
    write(folder / "7" / "learnt" / "model" / "probes.jsonl", [{"step": 3, "name_logp": float("nan")}])
    found = experiment_report.compare(folder)
    assert any("7/learnt: the loss is NaN or infinite from step 1 on" in note for note in found.notes)
    training_files.write(experiment_files.training_report(found), folder)
    assert "nan" not in (folder / "curves.svg").read_text()
    (learnt,) = [m for m in json.loads((folder / "comparison.json").read_text())["methods"] if m["name"] == "learnt"]
    assert learnt["curves"][0]["loss"] == [[0, 2.0], [1, None], [2, None]] and learnt["probes"]["name_logp"] is None


def test_rl_is_drawn_by_its_rewards_and_not_by_its_loss(folder: Path) -> None:
    log = [{"step": i, "loss": -1.0, "reward": i / 4, "mixed": 0.5} for i in range(4)]
    write(folder / "7" / "on" / "model" / "log.jsonl", log)
    on = next(m for m in experiment_report.compare(folder).methods if m.name == "on")
    [curve] = on.curves
    assert not curve.loss and curve.probes["reward"] == tuple((i, i / 4) for i in range(4))
    assert on.probes["reward"] == 0.75


def test_the_keys_of_many_methods_stay_within_the_page(tmp_path: Path) -> None:
    names = [f"a method with a long name {i}" for i in range(9)]
    experiment(tmp_path, [method("base", "none"), *(method(name, "closed-sft") for name in names)], worlds=("7",))
    for name in ("base", *names):
        run(tmp_path / "7" / name / "run", {"closed": set()}, TASKS)
        write(tmp_path / "7" / name / "model" / "log.jsonl", [{"step": 0, "loss": 1.0}, {"step": 1, "loss": 0.5}])
        done(tmp_path / "7" / name)
    plot = ElementTree.fromstring(drawings.curves(experiment_report.compare(tmp_path)))
    keys = [node for node in plot.iter() if node.get("class") == "key"]
    assert len(keys) == 10 and len({node.get("y") for node in keys}) > 1
    assert max(float(node.get("x") or 0) + drawings.WIDE * len(node.text or "") for node in keys) <= drawings.WIDTH


def test_without_a_training_there_are_no_curves(tmp_path: Path) -> None:
    experiment(tmp_path, METHODS[:1], ("7",))
    run(tmp_path / "7" / "base" / "run", {"closed": set()}, TASKS)
    done(tmp_path / "7" / "base")
    found = experiment_report.compare(tmp_path)
    training_files.write(experiment_files.training_report(found), tmp_path)
    assert drawings.curves(found) == "" and not (tmp_path / "curves.svg").exists()
    assert "curves.svg" not in (tmp_path / "comparison.md").read_text()


def test_a_plot_without_bars_is_a_plot() -> None:
    assert drawings.bar_chart([], "nothing was right or wrong").startswith("<svg")
