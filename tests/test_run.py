"""Runs: what a request contains, what a folder stores, how a run is extended, tasks from elsewhere, several worlds."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from rich.console import Console

from sebench.base.errors import ConfigError
from sebench.base.files import write_lines
from sebench.cli import cli, display, options
from sebench.forge.catalog import backend
from sebench.interop.formats import published
from sebench.models import model as model_interface
from sebench.models.model import Chat
from sebench.rollout import describe, models, pipeline
from sebench.rollout.config import RunConfig
from sebench.rollout.store import ROLLOUTS, Run
from sebench.tasks import dataset
from sebench.world.world import World
from tests.misbehaving import Server


def asked(world: World, out: Path, **given: Any) -> dict[str, Any]:
    """The body of a request that a run sends."""
    with Server() as server:
        config = RunConfig(
            model="m", base_url=(server.url,), limit=1, split=("single_test",), book=("closed",), **given
        )
        pipeline.run(config, world, out, judged=False)
    return server.last


def test_a_request_says_what_was_asked_for(small: World, tmp_path: Path) -> None:
    body = asked(
        small, tmp_path / "a", system="Be brief.", stop=("END", "\n\n\n"),
        token_limit="max_completion_tokens", max_tokens=50,
        reasoning_effort="low", send_seed=False, extra='{"top_k": 20, "top_p": null}', thinking="off",
    )  # fmt: skip
    assert body["messages"][0] == {"role": "system", "content": "Be brief."} and len(body["messages"]) == 2
    assert (body["stop"], body["max_completion_tokens"], body["reasoning_effort"]) == (["END", "\n\n\n"], 50, "low")
    assert body["top_k"] == 20 and body["top_p"] is None  # the user's own fields go before ours
    assert "seed" not in body and "max_tokens" not in body
    assert body["chat_template_kwargs"] == {"enable_thinking": False}


def test_a_plain_request_has_no_field_that_providers_may_refuse(small: World, tmp_path: Path) -> None:
    assert asked(small, tmp_path).keys() == {"model", "messages", "temperature", "top_p", "max_tokens", "seed"}


class Bare:
    chat_template = None


def test_a_model_without_a_chat_template_gets_the_bare_text(small: World) -> None:
    prompt = small.prompter().prompt(small.tasks("single_test")[0], "closed")
    assert Chat().apply_template(Bare(), prompt) == prompt.text
    assert Chat(system="Be brief.").apply_template(Bare(), prompt) == f"Be brief.\n\n{prompt.text}"


@pytest.mark.parametrize("text, cut", [("a END b STOP", "a "), ("a STOP b END", "a "), ("STOP", ""), ("a b", "a b")])
def test_a_response_ends_before_the_first_stop_sequence(text: str, cut: str) -> None:
    assert model_interface.cut_at_stop(text, ("STOP", "END")) == (cut, cut != text)


def test_a_folder_keeps_prompts_addresses_names_and_times(small: World, tmp_path: Path) -> None:
    with Server() as server:
        address = server.url.replace("http://", "http://user:secret@") + "?token=secret"
        run = pipeline.run(RunConfig(model="m", base_url=(address,), limit=2, samples=2), small, tmp_path, judged=False)
    assert run.manifest.base_urls == [server.url] and run.manifest.served_model == "served"
    assert run.manifest.started <= run.manifest.ended
    assert "secret" not in "".join(file.read_text() for file in tmp_path.iterdir())
    kept = dict(run.prompts())
    assert len(kept) == 8  # two tasks of each split, two books, each once
    for row in run.rows():
        assert kept[row.rollout.prompt_digest] == small.prompt(row.rollout.task_id, row.rollout.book)


def keys(out: Path) -> set[str]:
    return {json.loads(line)["key"] for line in (out / ROLLOUTS).read_text().splitlines()}


def test_an_extended_run_is_the_run_that_was_asked_for_at_once(small: World, tmp_path: Path) -> None:
    steps: list[dict[str, Any]] = [
        {"limit": 2, "split": ("single_test",), "book": ("closed",)},
        {"limit": 5, "split": ("single_test",), "book": ("closed",)},
        {"limit": 5, "split": ("single_test", "multi_test"), "book": ("closed", "open"), "samples": 3},
        {"limit": 0, "split": ("multi_test", "single_test"), "book": ("closed", "open"), "samples": 3},
    ]
    for step in steps:
        before = (tmp_path / "grown" / ROLLOUTS).read_bytes() if (tmp_path / "grown").exists() else b""
        run = pipeline.run(RunConfig(model="gold", **step), small, tmp_path / "grown")
        assert (tmp_path / "grown" / ROLLOUTS).read_bytes().startswith(before)  # nothing was asked again
    pipeline.run(RunConfig(model="gold", **steps[-1]), small, tmp_path / "at once")
    assert keys(tmp_path / "grown") == keys(tmp_path / "at once")
    assert run.manifest.config["samples"] == 3 and run.manifest.config["limit"] == 0
    assert all(row.verdict and row.verdict.passed for row in run.rows())
    with pytest.raises(ConfigError, match="started with samples = 3, but now it is 1"):
        pipeline.run(RunConfig(model="gold"), small, tmp_path / "grown")


def test_responses_are_judged_where_their_model_is_not(tiny: World, tmp_path: Path) -> None:
    config = RunConfig(model="gold", limit=2)
    pipeline.run(config, tiny, tmp_path, judged=False)
    with pytest.MonkeyPatch.context() as elsewhere:
        elsewhere.setattr(models, "load", lambda *given: pytest.fail("the model was loaded"))
        assert all(row.verdict and row.verdict.passed for row in pipeline.run(config, tiny, tmp_path).rows())
        with pytest.raises(pytest.fail.Exception):
            pipeline.run(replace(config, limit=3), tiny, tmp_path)


def test_a_run_on_tasks_from_elsewhere(small: World, tmp_path: Path) -> None:
    """Out to the published format, in again, answered and judged."""
    released = tmp_path / "released.jsonl"
    write_lines(released, published.lines(small, "multi_test"))
    read = published.read_tasks(released, small.names, "single_test")
    tasks = read.tasks
    assert read.bad == [] and len(tasks) == len(small.tasks("multi_test"))
    file = tmp_path / "tasks.jsonl"
    write_lines(file, (dataset.to_json(task, small.names) for task in tasks))
    config = RunConfig(model="silent", tasks=str(file), split=("single_test",))
    run = pipeline.run(config, small, tmp_path / "run")
    assert {row.task["id"] for row in run.rows()} == {task.id for task in tasks}
    assert all(row.verdict and row.verdict.kind == "no_code" for row in run.rows())
    file.write_text(file.read_text().splitlines(keepends=True)[0])
    with pytest.raises(ConfigError, match="started with tasks = "):
        pipeline.run(config, small, tmp_path / "run")


def test_several_worlds_are_one_experiment(small: World, tiny: World, tmp_path: Path) -> None:
    out = tmp_path / "experiment"
    worlds = f"{small.path},{tiny.path}"
    done = CliRunner().invoke(cli, ["run", worlds, "--model", "guess", "--out", str(out), "--json"])
    assert done.exit_code == 0, done.output
    assert [run["name"] for run in json.loads(done.stdout)["runs"]] == [small.path.name, tiny.path.name]
    assert {Run.load(out / w.path.name).manifest.world["fingerprint"] for w in (small, tiny)} == {
        small.manifest.fingerprint,
        tiny.manifest.fingerprint,
    }
    assert (out / "report.html").exists()


def test_a_run_does_not_go_into_the_folder_of_its_world(tiny: World) -> None:
    done = CliRunner().invoke(cli, ["run", str(tiny.path), "--model", "gold", "--out", str(tiny.path)])
    assert isinstance(done.exception, ConfigError) and "is a world; choose another folder" in str(done.exception)
    assert not (tiny.path / "run.json").exists()


@pytest.mark.parametrize("inside, kind", [("experiment.json", "an experiment"), ("7/run.json", "a folder of runs")])
def test_a_run_does_not_go_into_another_folder_of_sebench(tiny: World, tmp_path: Path, inside: str, kind: str) -> None:
    (tmp_path / inside).parent.mkdir(exist_ok=True)
    (tmp_path / inside).write_text("{}")
    done = CliRunner().invoke(cli, ["run", str(tiny.path), "--model", "gold", "--out", str(tmp_path)])
    assert f"--out {tmp_path} is {kind}; choose another folder for the run" == str(done.exception)
    assert not (tmp_path / "run.json").exists()


def test_a_run_is_no_world(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text("{}")
    done = CliRunner().invoke(cli, ["run", str(tmp_path), "--model", "gold"])
    assert str(done.exception) == f"{tmp_path} is a run, not a world; give the seed or the folder of a world"


def test_the_cost_of_several_worlds_is_added_up(small: World, tiny: World, tmp_path: Path) -> None:
    words = ["run", f"{small.path},{tiny.path}", "--model", "guess", "--limit", "1", "--out", str(tmp_path / "both")]
    done = CliRunner().invoke(cli, [*words, "--no-judge", "--price", "1,1"])
    *_, first, second, total = done.stdout.splitlines()
    calls = [int(line.rpartition(": ")[2].partition(" call")[0]) for line in (first, second, total)]
    assert total.startswith("total for 2 worlds: ") and "cost" in total and calls[0] + calls[1] == calls[2] > 0


@pytest.mark.parametrize("worlds", ["", ",", "7,7"])
def test_worlds_that_are_none_or_the_same_are_one_line(worlds: str) -> None:
    done = CliRunner().invoke(cli, ["run", worlds, "--model", "gold"])
    assert isinstance(done.exception, ConfigError) and "each only once" in str(done.exception)


def test_progress_of_a_model_is_shown_as_it_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    terminal = Console(file=io.StringIO(), force_terminal=True, width=80, color_system=None)
    for console in (display.stderr, terminal):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(display, "stderr", console)
            with display.progress("m[a] on tubid", at_once=True) as bar:
                bar("responses, 1 retried: [b]busy[/b]", 1, 2)
    assert "m[a] on tubid: responses 1 of 2, 1 retried: [b]busy[/b]" in capsys.readouterr().err
    assert "m[a] on tubid" in terminal.file.getvalue() and "[b]busy[/b]" in terminal.file.getvalue()  # type: ignore[attr-defined]


def test_a_note_about_another_numpy_begins_once(
    tiny: World, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(backend, "VERSION", "9.9")
    options.open_world(str(tiny.path))
    assert capsys.readouterr().err.startswith("note: world ")


def test_files_of_others_are_not_replaced(tiny: World, tmp_path: Path) -> None:
    mine, run = tmp_path / "mine", tmp_path / "run"
    mine.mkdir()
    for name in ("report.html", "report.csv", "tasks.jsonl"):
        (mine / name).write_text("mine")
    before = {file: file.read_text() for file in mine.iterdir()}
    answers = tmp_path / "answers.jsonl"
    answers.write_text(json.dumps({"task_id": tiny.tasks("train")[0].id, "response": "x"}) + "\n")
    given = ["run", str(tiny.path), "--model", "gold", "--limit", "1", "--out"]
    assert CliRunner().invoke(cli, [*given, str(run)]).exit_code == 0
    for command, why in (
        ([*given, str(mine)], "mine already exists and contains no run; choose another --out"),
        ([*given, str(mine), "--dry-run"], "mine already exists and contains no run; choose another --out"),
        (["judge", str(tiny.path), str(answers), "--out", str(mine)], "mine already exists and contains no run"),
        (["report", str(run), "--out", str(mine)], "report.html exists, but"),
    ):
        assert why in str(CliRunner().invoke(cli, command).exception), command
    assert {file: file.read_text() for file in mine.iterdir()} == before
    for _ in range(2):  # a report is written over by a newer one
        assert CliRunner().invoke(cli, ["report", str(run), "--out", str(tmp_path / "new")]).exit_code == 0


def test_a_model_that_learned_another_world_is_noted(tiny: World, tmp_path: Path) -> None:
    elsewhere = {"fingerprint": "a" * 64, "package": "other"}
    here = {"fingerprint": tiny.manifest.fingerprint}
    record = tmp_path / describe.LEARN
    for learnt, noted in (
        ({"world": elsewhere, "start": {}}, True),
        ({"world": here, "start": {}}, False),
        ({"world": elsewhere, "start": {"method": "study", "world": here}}, False),
        ({"world": elsewhere, "start": {"method": "study", "start": {"method": "study"}}}, True),
    ):
        record.write_text(json.dumps(learnt))
        said = describe.trained_elsewhere(f"hf:{tmp_path}", tiny)
        other = f"another world (other, fingerprint {'a' * 12})"
        assert said == (f"hf:{tmp_path} was trained on {other}, not on {tiny.path}" if noted else "")
    assert describe.trained_elsewhere("gold", tiny) == ""


def test_what_is_no_run_is_named(tmp_path: Path) -> None:
    for manifest, step in (
        ("release.json", "sebench verify .* --unpack FOLDER"),
        ("experiment.json", "see its comparison.html"),
        ("selfplay.json", "see its report.md"),
        ("run.json/report.html", "give the folder "),
        ("world.json", "create a run with"),
    ):
        folder = tmp_path / manifest.partition(".")[0]
        folder.mkdir(exist_ok=True)
        (folder / manifest.partition("/")[0]).write_text("{}")
        with pytest.raises(ConfigError, match=f"is not a run folder: .*{step}"):
            Run.load(folder / manifest.partition("/")[2])
