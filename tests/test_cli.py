"""The command line as people use it: commands that work, and one clear line for each mistake."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sebench.forge.names import naming
from sebench.forge.names.naming import Names
from sebench.world.world import World
from tests.command_line import sebench
from tests.conftest import hear_interrupts, slow

BAD = {
    "no such command": (["nonsense"], "No such command 'nonsense'"),
    "seed is no number": (["build", "--seed", "seven", "--out", "x"], "'seven' is not a valid integer"),
    "unknown option": (["build", "--sed", "7"], "No such option"),
    "folder exists": (["build", "--seed", "7", "--out", "."], ". already exists"),
    "mapping is missing": (["build", "--out", "x", "--mapping", "none.json"], "none.json: cannot be read"),
    "name is a keyword": (["build", "--out", "x", "--name", "class"], "--name 'class' cannot be used"),
    "no world to audit": (["audit", "nowhere"], "nowhere does not exist"),
    "no world to show": (["show", "nowhere", "mean"], "nowhere does not exist"),
    "argument missing": (["audit"], "Missing argument 'WORLD'"),
    "no world to judge with": (["judge", "nowhere", "file.txt"], "nowhere does not exist"),
    "no folder of worlds": (["worlds", "nowhere"], "there is no folder nowhere"),
    "an endpoint without a model": (["run", "7", "--base-url", "http://x/v1"], "the name of the model at the endpoint"),
    "a misspelt model": (["run", "7", "--model", "hf:smolm2"], "did you mean smollm2?"),
    "the flag of another tool": (["run", "7", "--concurrency", "3"], "did you mean --workers?"),
    "a seed without its flag": (["build", "7"], "write --seed 7"),
    "no worlds in a folder": (["worlds", "."], ". contains no world"),
    "out below a file": (["build", "--out", "file.txt/x"], "file.txt/x cannot be written"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_mistake_is_one_clear_line(name: str, tmp_path: Path) -> None:
    (tmp_path / "file.txt").write_text("a file")
    arguments, expected = BAD[name]
    done = sebench(*arguments, cwd=tmp_path)
    assert done.returncode != 0
    assert done.stdout == ""
    assert done.stderr.startswith("sebench")
    assert expected in done.stderr
    assert done.stderr.count("\n") == 1
    assert [f.name for f in tmp_path.iterdir()] == ["file.txt"]


def test_an_unknown_function_is_one_clear_line(world: World) -> None:
    done = sebench("show", str(world.path), "nonsense")
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "no task or function 'nonsense'" in done.stderr


def test_a_misspelt_name_gets_the_one_that_was_meant(small: World, tmp_path: Path) -> None:
    for folder, file in (("runs/before", "run.json"), ("releases/mine", "release.json")):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / file).write_text("{}")
    (tmp_path / "experiments").mkdir()
    (tmp_path / "experiments" / "paper.toml").write_text("")
    task = small.tasks("train")[0].id
    function = max(small.names.functions, key=len)
    for command, meant in {
        "reprot": "report",
        "author tasksx": "tasks",
        "learn closed_sft 7": "closed-sft",
        "memory acee 7": "ace",
        f"show {small.path} {function}x": function,
        f"show {small.path} {task}x": task,
        f"show {small.path} {task}x --prompt closed": task,
        "report runs/befor": "runs/before",
        "verify releases/mime": "releases/mine",
        "experiment papre.toml": "experiments/paper.toml",
        "experiment experiments/papers.toml": "experiments/paper.toml",
    }.items():
        done = sebench(*command.split(), cwd=tmp_path)
        assert done.returncode in (1, 2) and f"did you mean {meant}?" in done.stderr, command
        assert done.stderr.count("\n") == 1 and "Errno" not in done.stderr


def test_a_missing_experiment_that_resembles_none_gets_a_next_step(tmp_path: Path) -> None:
    done = sebench("experiment", "misspelt.toml", cwd=tmp_path)
    assert "misspelt.toml cannot be read: there is no such file; check the path, or start from" in done.stderr


def test_show_prints_the_page_as_it_is_written_when_piped(world: World) -> None:
    done = sebench("show", str(world.path), "linalg.solve")
    assert done.stdout == world.page("linalg.solve").text + "\n"


def test_show_lists_every_function_by_subject(world: World) -> None:
    done = sebench("show", str(world.path))
    assert done.returncode == 0
    for path in world.names.functions.values():
        assert f"  {path} " in done.stdout
    assert "Statistics" in done.stdout


def test_worlds_lists_what_was_built_and_breaks_no_name(
    small: World, tiny: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Names, "level", naming.BEHAVIOUR)  # the widest
    folder = tmp_path / ("long" * 20)  # wider than the table
    named = {"2001-25606ca62053": small, "a-world-of-my-own-12": tiny}
    for name, one in named.items():
        shutil.copytree(one.path, folder / name)
    lines = sebench("worlds", str(folder)).stdout.splitlines()
    assert lines[0] == f"{folder}:"
    for name, one in named.items():
        (row,) = (line.split() for line in lines if line.startswith(name))
        assert row[2] == one.names.package and row[4] == "names+" and row[-1] == one.manifest.fingerprint[:12]
    assert all(len(line) <= 80 for line in lines[1:])


def test_audit_of_a_damaged_world_is_refused(world: World, tmp_path: Path) -> None:
    shutil.copytree(world.path, tmp_path / "copy")
    (tmp_path / "copy" / "docs" / "api.md").write_text("nothing")
    done = sebench("audit", str(tmp_path / "copy"))
    assert (done.returncode, done.stdout) == (1, "")
    assert "docs/api.md was changed" in done.stderr


def test_a_small_world_does_not_take_the_place_of_a_seed() -> None:
    done = sebench("build", "--seed", "7", "--functions", "12")
    assert done.returncode == 1 and "sebench: --out is required" in done.stderr and done.stderr.count("\n") == 1


@slow
def test_audit_as_json_is_one_object_a_check(small: World) -> None:
    done = sebench("audit", str(small.path), "--json")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0
    assert {row["check"] for row in rows} >= {"functions forged", "doc examples pass", "leaks at run time"}
    assert all(row["holds"] and row["looked_at"] for row in rows)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["build", "--seed", "5", "--out", "w/5"], "nothing was kept"),
        (["run", "5", "--model", "gold", "--out", "r"], "nothing of world 5 was kept; run the same command again"),
    ],
)
def test_an_interrupted_build_leaves_nothing_and_says_so(tmp_path: Path, arguments: list[str], said: str) -> None:
    import signal

    running = subprocess.Popen(
        [sys.executable, "-m", "sebench", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
        env=os.environ | {"SEBENCH_WORLDS": str(tmp_path / "w")},
        preexec_fn=hear_interrupts,
    )
    while running.poll() is None and not ((tmp_path / "w").exists() and any((tmp_path / "w").iterdir())):
        time.sleep(0.05)
    running.send_signal(signal.SIGINT)
    _, stderr = running.communicate(timeout=180)
    assert stderr.strip().splitlines()[-1] == f"sebench: interrupted; {said}"
    assert running.returncode in (130, -signal.SIGINT)  # Python ends by the signal if it was inside `exec` of a text
    assert "Traceback" not in stderr
    assert list((tmp_path / "w").iterdir()) == []


def test_further_interrupts_end_a_command_that_waits_for_threads_without_a_traceback() -> None:
    import signal

    code = (
        "import threading, time; from sebench import cli\n"
        "def command(**settings):\n"
        " threading.Thread(target=time.sleep, args=(600,)).start(); print(flush=True); time.sleep(600)\n"
        "cli.cli = command; cli.main()"
    )
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    running = subprocess.Popen([sys.executable, "-c", code], text=True, preexec_fn=hear_interrupts, **pipes)
    assert running.stdout and running.stderr
    running.stdout.readline()
    running.send_signal(signal.SIGINT)
    assert running.stderr.readline() == "sebench: interrupted; nothing was kept\n"
    running.send_signal(signal.SIGINT)
    _, stderr = running.communicate(timeout=180)
    assert (running.returncode, stderr) == (-signal.SIGINT, "")  # a shell calls it 130


def test_import_is_silent_and_loads_nothing_heavy() -> None:
    code = "import sys, sebench; print([m for m in ('numpy', 'rich', 'click', 'torch') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("[]\n", "")


def test_help_is_a_tour() -> None:
    done = sebench("--help")
    for command in ("tour", "build", "show", "audit", "worlds"):
        assert command in done.stdout
    asked = subprocess.run([sys.executable, "-m", "sebench", "--version"], capture_output=True, text=True, check=True)
    assert asked.stdout.startswith("sebench, version ")


def test_what_a_command_finds_wrong_is_its_exit_status(tmp_path: Path, small: World) -> None:
    (tmp_path / "bad.jsonl").write_text("no json\n")
    assert sebench("judge", str(small.path), str(tmp_path / "bad.jsonl")).returncode == 1


def test_judging_says_how_many_tasks_have_no_answer(tmp_path: Path, small: World) -> None:
    file = tmp_path / "answers.jsonl"
    for split in ("train", "single_test"):
        tasks = small.tasks(split)
        for missing in (2, 0):
            file.write_text("".join(f"{json.dumps({'id': t.id, 'response': t.gold})}\n" for t in tasks[missing:]))
            done = sebench("judge", str(small.path), str(file), "--out", str(tmp_path / f"{split}-{missing}"))
            expected = f"no answer for 2 of {len(tasks)} tasks in {split}; the scores leave them out"
            assert done.returncode == 0 and (expected in done.stderr) == bool(missing), done.stderr


@slow
def test_a_process_for_every_answer_gives_the_same_verdicts(tmp_path: Path, small: World) -> None:
    file = tmp_path / "answers.jsonl"
    tasks = small.tasks("single_test")
    answers = [*(t.gold for t in tasks), *(t.gold.replace("return", "return 0 *") for t in tasks)]
    file.write_text(
        "".join(json.dumps({"task_id": t.id, "response": a}) + "\n" for t, a in zip([*tasks] * 2, answers, strict=True))
    )
    said = [
        sebench("judge", str(small.path), str(file), "--json", "--out", str(tmp_path / name), *options)
        for name, options in (("shared", ()), ("alone", ("--alone",)))
    ]
    kinds = [[json.loads(line)["kind"] for line in done.stdout.splitlines()] for done in said]
    assert [done.returncode for done in said] == [0, 0]
    assert kinds[0] == kinds[1]
    assert kinds[0][: len(tasks)] == ["passed"] * len(tasks)
    assert "passed" not in kinds[0][len(tasks) :]
