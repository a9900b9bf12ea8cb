"""Releases: they contain nothing about the machine, every change is noticed, and every verdict can be checked by
judging again."""

from __future__ import annotations

import json
import lzma
import shutil
import socket
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from sebench import report
from sebench.base.errors import ConfigError
from sebench.base.records import Kind, Verdict
from sebench.cli import cli
from sebench.release import folder, pack, recipe, verify
from sebench.release.clean import Labels
from sebench.release.pack import ReleaseOptions
from sebench.rollout import describe, pipeline
from sebench.rollout.config import RunConfig
from sebench.rollout.store import Run
from sebench.world.build import Slice
from sebench.world.world import World
from tests.conftest import REPOSITORY

SECRET = "q9-secret-of-this-environment"


@pytest.fixture(scope="module")
def runs(tiny: World, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Runs of two scripted baselines on the tasks of a tiny world."""
    at = tmp_path_factory.mktemp("runs")
    for model in ("gold", "numpy"):
        pipeline.run(RunConfig(model=model), tiny, at / model)
    return at


@pytest.fixture(scope="module")
def made(runs: Path, tiny: World) -> Path:
    out = runs / "release"
    pack.make([runs / "gold"], out, ReleaseOptions(worlds=[str(tiny.path)], regimes=["scripted"]))
    return out


def test_several_runs_are_one_release(runs: Path, tiny: World, tmp_path: Path) -> None:
    wishes = ReleaseOptions(worlds=[str(tiny.path)])
    released = pack.make([runs / "gold", runs / "numpy"], tmp_path / "both", wishes)
    assert [(run.folder, run.model) for run in released.runs] == [("gold", "gold"), ("numpy", "numpy")]
    checked = verify.verify(tmp_path / "both", worlds=[str(tiny.path)], workers=1)
    assert checked.holds and checked.judged == sum(run.answers for run in released.runs)
    with pytest.raises(ConfigError, match="--model is set 2 times for 3 runs"):
        pack.make([runs / "gold", runs / "numpy", runs / "gold"], tmp_path / "out", replace(wishes, models=["a", "b"]))
    again = Path(shutil.copytree(runs / "gold", tmp_path / "gold"))
    with pytest.raises(ConfigError, match="two runs are called 'gold'"):
        pack.make([runs / "gold", again], tmp_path / "out", wishes)
    rows = experiment(runs, tiny, tmp_path)
    with pytest.raises(ConfigError, match="--model is set 2 times, but an experiment"):
        pack.make([rows], tmp_path / "out", replace(wishes, models=["a", "b"]))
    with pytest.raises(ConfigError, match="must be released on its own"):
        pack.make([runs / "gold", rows], tmp_path / "out", wishes)


@pytest.fixture
def copy(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "copy"))


def edited(run: Path, tmp_path: Path, change: Callable[[dict[str, Any]], None], name: str = "run.json") -> Path:
    """A copy of a run with something changed in the lines of a file."""
    at = Path(shutil.copytree(run, tmp_path / "edited"))
    file = at / name
    lines = file.read_text().splitlines() if name.endswith("l") else [file.read_text()]
    data = [json.loads(line) for line in lines]
    for line in data:
        change(line)
    file.write_text("".join(f"{json.dumps(line)}\n" for line in data))
    return at


def texts(release: Path) -> dict[str, str]:
    """Everything that a release says."""
    files = {file.name: file.read_bytes() for file in release.iterdir()}
    return {
        name: (lzma.decompress(data) if name.endswith(".xz") else data).decode("utf-8") for name, data in files.items()
    }


def experiment(
    runs: Path, tiny: World, tmp_path: Path, models: tuple[str, str] = ("/mnt/a/model", "/mnt/a/model")
) -> Path:
    """The folder of an experiment of two methods, whose answers are those of the scripted baselines."""
    at = tmp_path / "experiment"
    fingerprint = tiny.manifest.fingerprint
    methods = [
        {"name": name, "method": method, "from": "", "model": model}
        for (name, method), model in zip((("Closed-SFT", "closed-sft"), ("untrained", "none")), models, strict=True)
    ]
    world = {"name": "3", "seed": 3, "fingerprint": fingerprint, "part": tiny.manifest.part}
    at.mkdir()
    told = {"format": 1, "sebench": "0.5.0", "file": "x.toml", "baseline": "untrained", "worlds": [world]}
    (at / "experiment.json").write_text(json.dumps({**told, "methods": methods}))
    for method, run in zip(methods, ("gold", "numpy"), strict=True):
        row = at / "3" / str(method["name"])
        shutil.copytree(runs / run, row / "run")
        settings = {"learn": {"model": method["model"]}}
        (row / "row.json").write_text(json.dumps({"format": 1, "settings": settings, "done": settings}))
        (row / "row.log").write_text(f"started at {Path.home()}/secret on {socket.gethostname()}")
        (row / "model").mkdir()
        (row / "model" / "log.jsonl").write_text('{"step": 1, "loss": 2.0, "tokens": 50}\n{"step": 2, "tokens": 70}\n')
    return at


# ---- what is in it ----------------------------------------------------------------------------------------------


def test_a_release_unpacks_to_the_run_that_it_was_made_of(made: Path, runs: Path, tmp_path: Path) -> None:
    (place,) = folder.unpack(folder.read(made), tmp_path / "again")
    before, after = list(Run.load(runs / "gold").rows()), list(Run.load(place).rows())
    assert [row.rollout for row in before] == [row.rollout for row in after]
    assert len(after) == folder.read(made).runs[0].answers
    for one, other in zip(before, after, strict=True):
        assert one.verdict and other.verdict
        assert replace(one.verdict, cpu_s=0.0, wall_s=0.0, stdout="", actual="") == other.verdict
    report.write([Run.load(place)], tmp_path / "report")  # also the page, which shows no questions then
    assert (tmp_path / "report" / "report.html").is_file()


def test_sums_are_those_that_sha256sum_reads(made: Path) -> None:
    lines = (made / "SHA256SUMS").read_text().splitlines()
    assert {line[66:] for line in lines} == {file.name for file in made.iterdir()} - {"SHA256SUMS"}
    assert all(len(line.split("  ")[0]) == 64 for line in lines)


def test_nothing_of_this_machine_is_in_a_release(
    runs: Path, tiny: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_API_KEY", SECRET)

    def change(run: dict[str, Any]) -> None:
        run["config"] |= {"model": "hf:/home/anna/models/own-8b", "tasks": "~/anna/tasks.jsonl"}
        run |= {"base_urls": ["http://node17.cluster.example:8000/v1"], "served_model": "/scratch/anna/own-8b"}

    run = edited(runs / "gold", tmp_path, change)
    pack.make([run], tmp_path / "out", ReleaseOptions(worlds=[str(tiny.path)]))
    pack.make([experiment(runs, tiny, tmp_path)], tmp_path / "out2", ReleaseOptions(worlds=[str(tiny.path)]))
    for out in ("out", "out2"):
        for name, text in texts(tmp_path / out).items():
            for hidden in ("anna", "node17", "/mnt", SECRET, str(tmp_path), str(Path.home()), str(tiny.path)):
                assert hidden not in text, (out, name, hidden)
    assert folder.read(tmp_path / "out").runs[0].model == "own-8b"
    assert folder.read(tmp_path / "out2").runs[0].training_tokens == 120


def test_a_model_that_is_named_after_its_folder_is_noted(runs: Path, tiny: World, tmp_path: Path) -> None:
    run = edited(runs / "gold", tmp_path, lambda data: data["config"].update(model="/home/anna/models/own-8b"))
    for named, notes in (([], 1), (["--model", "Own-8B"], 0)):
        arguments = [str(run), "--world", str(tiny.path), "--out", str(tmp_path / f"out-{notes}"), *named]
        done = CliRunner().invoke(cli, ["release", *arguments], catch_exceptions=False)
        assert done.stderr.count("records only a folder as its model, so the release calls it 'own-8b'") == notes
        assert "anna" not in done.stderr


def test_a_run_of_trained_weights_records_how_they_were_trained(
    runs: Path, tiny: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "learnt").mkdir()
    assert describe.training(str(tmp_path / "learnt")) == {}
    (tmp_path / "learnt" / "learn.json").write_text('{"method": "closed-sft"}')
    (tmp_path / "learnt" / "log.jsonl").write_text('{"step": 1, "tokens": 50}\n{"step": 2, "tokens": 70}\n')
    facts = describe.training(f"hf:{tmp_path / 'learnt'}")
    assert facts == {"method": "closed-sft", "tokens": 120}
    assert "training" not in json.loads((runs / "gold" / "run.json").read_text())
    monkeypatch.setattr(describe, "training", lambda model: facts)
    run = pipeline.run(RunConfig(model="gold", limit=1), tiny, tmp_path / "run")
    shutil.rmtree(tmp_path / "learnt")  # a release needs the weights no more
    monkeypatch.undo()
    (released,) = pack.make([run.path], tmp_path / "out", ReleaseOptions(worlds=[str(tiny.path)])).runs
    assert (released.regime, released.training_tokens) == ("closed-sft", 120)
    assert verify.verify(tmp_path / "out", worlds=[str(tiny.path)], workers=1).holds
    page = tmp_path / "board.html"
    assert CliRunner().invoke(cli, ["leaderboard", str(run.path), "--out", str(page)]).exit_code == 0
    assert "closed-sft" in page.read_text() and "<td data-value='120'>120</td>" in page.read_text()


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (lambda run: run["config"].update(extra={"api_key": "abc"}), "api_key"),
        (lambda run: run["config"].update(system="use sk-abcdefghijklmnopqrstuvwx"), "config.system"),
        (lambda run: run["config"].update(system=f"your key is {SECRET}"), "SOME_API_KEY"),
        (lambda run: run.update(machine="Linux node17-of-anna"), "the name of this machine"),
    ],
    ids=["name", "form", "environment", "host"],
)
def test_what_looks_like_a_secret_is_refused_and_named(
    runs: Path,
    tiny: World,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    change: Callable[[dict[str, Any]], None],
    named: str,
) -> None:
    monkeypatch.setenv("SOME_API_KEY", SECRET)
    monkeypatch.setattr(socket, "gethostname", lambda: "node17-of-anna")
    run = edited(runs / "gold", tmp_path, change)
    with pytest.raises(ConfigError, match=named):
        pack.make([run], tmp_path / "out", ReleaseOptions(worlds=[str(tiny.path)]))
    assert not (tmp_path / "out").exists()


def test_a_key_in_a_response_is_refused_too(
    runs: Path, tiny: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_API_KEY", SECRET)
    run = edited(runs / "gold", tmp_path, lambda line: line.update(response=f"# {SECRET}"), "rollouts.jsonl")
    with pytest.raises(ConfigError, match=r"answers\.jsonl\.xz would contain the value of \$SOME_API_KEY"):
        pack.make([run], tmp_path / "out", ReleaseOptions(worlds=[str(tiny.path)]))


def test_different_paths_keep_different_labels() -> None:
    labels = Labels({})
    found = [labels.clean(path, "x") for path in ("/a/model", "/b/model", "/a/model", "Qwen/Qwen3-8B", "1/2 of them")]
    assert found == ["model", "model-2", "model", "Qwen/Qwen3-8B", "1/2 of them"]


def test_what_a_provider_said_is_not_told_and_all_verdicts_agree(runs: Path, tiny: World, tmp_path: Path) -> None:
    run = edited(runs / "gold", tmp_path, lambda line: None)
    lines = [json.loads(line) for line in (run / "rollouts.jsonl").read_text().splitlines()]
    lines[0] |= {"error": "http://node17:8000 refused", "response": ""}
    (run / "rollouts.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    pack.make([run], tmp_path / "out", ReleaseOptions(worlds=[str(tiny.path)]))
    assert "node17" not in "".join(texts(tmp_path / "out").values())
    checked = verify.verify(tmp_path / "out", worlds=[str(tiny.path)], workers=1)
    assert checked.holds and checked.judged == len(lines) - 1


# ---- changed since ----------------------------------------------------------------------------------------------


def test_one_changed_byte_is_refused_with_the_name_of_the_file(copy: Path) -> None:
    for file in sorted(copy.iterdir()):
        if file.name == "SHA256SUMS":
            continue
        whole = file.read_bytes()
        file.write_bytes(whole[:-9] + bytes([whole[-9] ^ 1]) + whole[-8:])
        with pytest.raises(ConfigError, match=rf"{file.name} was changed after it was made"):
            verify.verify(copy)
        file.write_bytes(whole)
    (copy / "more.txt").write_text("")
    with pytest.raises(ConfigError, match=r"more\.txt does not belong to it"):
        folder.read(copy)
    (copy / "more.txt").unlink()
    (copy / "report.md").unlink()
    with pytest.raises(ConfigError, match=r"report\.md is missing"):
        folder.read(copy)


def test_which_limit_ends_an_endless_program_is_no_difference() -> None:
    time, memory, wrong = map(Verdict, (Kind.TIME, Kind.MEMORY, Kind.WRONG_VALUE))
    assert verify.difference(time, memory) == verify.difference(memory, time) == verify.difference(time, time) == ""
    assert verify.difference(time, wrong) == "kind = time, but judged again it is wrong_value"
    assert verify.difference(wrong, memory) == "kind = wrong_value, but judged again it is memory"


def test_whether_a_wrong_number_is_complex_depends_on_the_machine() -> None:
    real = Verdict(Kind.WRONG_VALUE, detail="1.0 is not 0.5")
    imaginary = Verdict(Kind.WRONG_TYPE, detail="complex (1+0j) is not float 0.5")
    assert verify.difference(real, imaginary) == verify.difference(imaginary, real) == ""
    assert verify.difference(real, Verdict(Kind.WRONG_TYPE, detail="list is not float 0.5"))
    assert verify.difference(Verdict(Kind.PASSED), imaginary)


def test_a_forged_verdict_is_named(copy: Path, tiny: World) -> None:
    lines = [json.loads(line) for line in lzma.decompress((copy / "answers.jsonl.xz").read_bytes()).splitlines()]
    lines[3]["response"] = "I do not know."
    (copy / "answers.jsonl.xz").write_bytes(lzma.compress("".join(f"{json.dumps(x)}\n" for x in lines).encode()))
    folder.write_sums(copy)  # by somebody who knows how
    checked = verify.verify(copy, worlds=[str(tiny.path)], workers=1)
    assert len(checked.differences) == 1
    assert lines[3]["task_id"] in checked.differences[0]
    assert "the release says kind = passed, but judged again it is no_code" in checked.differences[0]
    done = CliRunner().invoke(cli, ["verify", str(copy), "--world", str(tiny.path), "--workers", "1"])
    assert (done.exit_code, lines[3]["task_id"] in done.output) == (1, True)


@pytest.mark.parametrize("packed", [True, False], ids=["packed", "as in older releases"])
def test_a_report_that_says_more_than_the_verdicts_is_named(copy: Path, tiny: World, packed: bool) -> None:
    figures = folder.read_figures(copy / "report.json")
    figures["runs"][0]["cells"][0]["accuracy"] = 0.5
    folder.write_figures(copy / "report.json", figures)
    if not packed:
        (copy / "report.json.xz").unlink()
        (copy / "report.json").write_text(json.dumps(figures))
    folder.write_sums(copy)
    checked = verify.verify(copy, worlds=[str(tiny.path)], sample=2, workers=1)
    assert checked.judged == 2
    assert [line.partition(":")[0] for line in checked.differences] == ["report.json"]


def test_a_release_from_a_stranger_writes_nowhere_else(copy: Path, tmp_path: Path) -> None:
    told = json.loads((copy / "release.json").read_text())
    for name in ("../../outside", "/outside", "a\\b"):
        told["runs"][0]["folder"] = name
        (copy / "release.json").write_text(json.dumps(told))
        folder.write_sums(copy)
        with pytest.raises(ConfigError, match="is not a valid file name in it"):
            folder.read(copy)


# ---- worlds -----------------------------------------------------------------------------------------------------


def test_the_world_is_built_again_where_it_is_not_there(
    made: Path, tiny: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SEBENCH_WORLDS", str(tmp_path / "worlds"))
    assert verify.verify(made, sample=3, workers=1).holds
    (built,) = (tmp_path / "worlds").iterdir()
    assert World.load(built).manifest.fingerprint == tiny.manifest.fingerprint
    wanted = folder.read(made).worlds[0]
    assert recipe.find(wanted, None, lambda *a: pytest.fail("built twice")).path == built
    other = replace(wanted, fingerprint="0" * 64)
    with pytest.raises(ConfigError, match="was rebuilt with fingerprint"):
        recipe.find(other, None, lambda *a: None)


def test_another_world_is_refused(made: Path, small: World) -> None:
    with pytest.raises(ConfigError, match="pass that one, or leave --world out"):
        verify.verify(made, worlds=[str(small.path)])


def test_a_world_that_needs_more_than_a_seed_has_no_recipe(published: World, small: World) -> None:
    assert recipe.describe("zwc", published.manifest).recipe is None
    assert recipe.describe("small", small.manifest).recipe == {
        "seed": 2, "part": "12 functions", "split": "drawn", "level": "names", "leave_out": 0, "package": "",
    }  # fmt: skip
    assert [str(recipe.slice_of(str(part))) for part in (Slice(), Slice(functions=3), Slice(("sums", "sets")))] == [
        "all",
        "3 functions",
        "sums, sets",
    ]


# ---- experiments, and the leaderboard ---------------------------------------------------------------------------


def test_an_experiment_is_released_with_its_comparison(runs: Path, tiny: World, tmp_path: Path) -> None:
    at = experiment(runs, tiny, tmp_path)
    out = tmp_path / "released"
    release = pack.make([at], out, ReleaseOptions(models=["SmolLM2"], worlds=[str(tiny.path)]))
    assert [(run.model, run.regime) for run in release.runs] == [
        ("released/Closed-SFT", "closed-sft"),
        ("released/untrained", "none"),
    ]
    assert not (out / "comparison.json").exists()
    assert {method["model"] for method in folder.read_figures(out / "comparison.json")["methods"]} == {"SmolLM2"}
    checked = verify.verify(out, worlds=[str(tiny.path)], sample=12, workers=1)
    assert checked.holds and checked.judged == 12
    with pytest.raises(ConfigError, match="starts from 2 models"):
        shutil.rmtree(at)
        pack.make(
            [experiment(runs, tiny, tmp_path, ("/a/m", "/b/m"))], tmp_path / "x", ReleaseOptions(models=["SmolLM2"])
        )


def test_the_leaderboard_takes_a_folder_of_releases_and_leaves_a_changed_one_out(
    made: Path, runs: Path, tiny: World, tmp_path: Path
) -> None:
    for name in ("good", "bad"):
        shutil.copytree(made, tmp_path / "releases" / name)
    (tmp_path / "releases" / "bad" / "report.md").write_text("100 %")
    page = tmp_path / "page.html"
    done = CliRunner().invoke(cli, ["leaderboard", str(tmp_path / "releases"), str(runs / "numpy"), "--out", str(page)])
    assert done.exit_code == 0, done.output
    assert "left out" in done.output and "bad is damaged: report.md was changed" in done.output.replace("\n", "")
    text = page.read_text().replace("\N{NO-BREAK SPACE}", " ")
    assert all(name in text for name in ("closed / native", "scripted", "training tokens", ">good<br>"))
    assert str(tmp_path) not in text


# ---- bad input --------------------------------------------------------------------------------------------------


def test_a_world_beside_the_run_is_found(runs: Path, tiny: World, tmp_path: Path) -> None:
    shutil.copytree(runs / "gold", tmp_path / "runs" / "gold")
    shutil.copytree(tiny.path, tmp_path / "worlds" / "damaged")
    (tmp_path / "worlds" / "damaged" / "data" / "train.jsonl").write_text("")
    shutil.copytree(tiny.path, tmp_path / "worlds" / "mine")
    pack.make([tmp_path / "runs" / "gold"], tmp_path / "out", ReleaseOptions())
    assert folder.read(tmp_path / "out").worlds[0].fingerprint == tiny.manifest.fingerprint


def test_what_cannot_be_released_is_one_line(runs: Path, tiny: World, tmp_path: Path) -> None:
    world = [str(tiny.path)]
    with pytest.raises(ConfigError, match="neither a run folder nor an experiment"):
        pack.make([tmp_path], tmp_path / "out", ReleaseOptions(worlds=world))
    with pytest.raises(ConfigError, match="already exists"):
        pack.make([runs / "gold"], runs, ReleaseOptions(worlds=world))
    torn = edited(runs / "gold", tmp_path, lambda line: None)
    (torn / "verdicts.jsonl").write_text("".join((torn / "verdicts.jsonl").read_text().splitlines(True)[:-1]))
    with pytest.raises(ConfigError, match="of which 1 has no verdict"):
        pack.make([torn], tmp_path / "out", ReleaseOptions(worlds=world))
    with pytest.raises(ConfigError, match="was not found; pass it with --world"):
        shutil.rmtree(torn)
        run = edited(runs / "gold", tmp_path, lambda run: run["world"].update(fingerprint="0" * 64))
        pack.make([run], tmp_path / "out", ReleaseOptions(worlds=world))
    shutil.rmtree(run)
    failed = edited(runs / "gold", tmp_path, lambda line: None)
    lines = [json.loads(line) for line in (failed / "rollouts.jsonl").read_text().splitlines()]
    text = "".join(f"{json.dumps({**line, 'error': 'refused', 'response': ''})}\n" for line in lines)
    (failed / "rollouts.jsonl").write_text(text)
    with pytest.raises(ConfigError, match="has no responses: all requests failed; run its command again"):
        pack.make([failed], tmp_path / "out", ReleaseOptions(worlds=world))
    with pytest.raises(ConfigError, match="is not a release"):
        verify.verify(tmp_path)
    (tmp_path / "release.tar").write_bytes(b"")
    with pytest.raises(ConfigError, match="is a file, not a release; if it is an archive, unpack it and give its fold"):
        verify.verify(tmp_path / "release.tar")
    with pytest.raises(ConfigError, match="choose one of the releases in it: h200-aim, h200-apart"):
        verify.verify(REPOSITORY / "releases")
    assert not (tmp_path / "out").exists()


def test_without_a_single_answer_there_is_nothing_to_check(copy: Path, tiny: World) -> None:
    lines = [json.loads(line) for line in lzma.decompress((copy / "answers.jsonl.xz").read_bytes()).splitlines()]
    for line in lines:
        line |= {"error": "no response", "response": "", "verdict": None}
    (copy / "answers.jsonl.xz").write_bytes(lzma.compress("".join(f"{json.dumps(x)}\n" for x in lines).encode()))
    folder.write_sums(copy)
    with pytest.raises(ConfigError, match="nothing to check"):
        verify.verify(copy, worlds=[str(tiny.path)])


def test_a_misspelt_regime_is_noted(tmp_path: Path) -> None:
    done = CliRunner().invoke(cli, ["release", str(tmp_path), "--out", str(tmp_path / "out"), "--regime", "untraind"])
    assert "--regime untraind is stored as given; did you mean untrained?" in done.stderr.replace("\n", " ")
