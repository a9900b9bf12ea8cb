"""`sebench published`: the published commands with their flags and files, on servers that work, fail, are slow or are
killed, and the lines with right answers that are kept."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import click
import pytest

from sebench.base.errors import ConfigError
from sebench.base.records import Blame, Kind, Verdict
from sebench.cli.published import command as group
from sebench.interop.formats import query, trajectories
from sebench.world.world import World
from tests.command_line import sebench
from tests.misbehaving import FIXED, KEY, Server, first

PUBLISHED_FLAGS = {  # with their defaults; None: there is none
    "query-only": {
        "--num_workers": 64,
        "--input_path": None,
        "--output_path": None,
        "--model_name": None,
        "--host": "localhost",
        "--ports": "8800",
        "--base_url": "",
        "--api_key": "",
        "--sample_count": 1,
        "--temperature": 0.6,
        "--max_length": 16384,
    },
    "filter": {
        "--input_path": None,
        "--output_path": None,
        "--num_workers": 128,
        "--host": "localhost",
        "--port": "8111",
    },
}
PUBLISHED_FLAGS["query-doc"] = {**PUBLISHED_FLAGS["query-only"], "--doc_path": None}
OURS = {"filter": {"--mapping", "--world"}}


def task(number: int, **more: Any) -> dict[str, Any]:
    """A line in the published form; `odd` is a field that nobody knows."""
    case = {"input": f"a=[{number}, 2]", "output": "[15, 160]"}
    return {
        "selected_functions": ["mean"],
        "query": f"Question {number}: the mean?",
        "test_cases": [case],
        "example_output": ["import numpy as np\n\ndef solve(a):\n    return np.mean(a)\n"],
        "1func_query_id": number,
        "function_name": "def solve(a):",
        "example": case,
        "is_valid": True,
        "right_exe_result": str((number + 2) / 2),
        "odd": {"kept": [1.5, None, "ü"]},
        **more,
    }


def page(original: str, curr: str, path: str, name: str) -> dict[str, Any]:
    table = {"np.other": "zwc.other", f"np.{path}": name}
    text = f"\nThe page of {path}.\n"
    return {"original_name": original, "curr_name": curr, "func_mapping": json.dumps(table), "rewritten_doc": text}


PAGES = [
    page("mean", "kocito", "mean", "zwc.kocito"),
    page("cross", "zunakik", "cross", "zwc.zunakik"),
    page("cross", "cecim", "linalg.cross", "zwc.rfx.cecim"),
    page("solve", "sarik", "linalg.solve", "zwc.rfx.sarik"),
]


def write(file: Path, lines: list[dict[str, Any]]) -> Path:
    file.write_text("".join(f"{json.dumps(line)}\n" for line in lines), "utf-8")
    return file


def read(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


def ask(folder: Path, server: Server | str, *more: str, name: str = "query-only") -> subprocess.CompletedProcess[str]:
    url = server.url if isinstance(server, Server) else server
    usual = {"--input_path": "in.jsonl", "--output_path": "out.jsonl", "--model_name": "m", "--base_url": url}
    arguments = [word for option, value in usual.items() if option not in more for word in (option, value)]
    return sebench("published", name, *arguments, *more, cwd=folder)


def without_response(lines: list[dict[str, Any]]) -> Counter[str]:
    return Counter(json.dumps({k: v for k, v in line.items() if k != "response"}) for line in lines)


@pytest.fixture(autouse=True)
def _no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sebench.base.retry.FIRST_PAUSE_S", 0.001)


@pytest.mark.parametrize("name", PUBLISHED_FLAGS)
def test_a_command_has_the_published_flags_and_defaults(name: str) -> None:
    command = group.commands[name]  # type: ignore[attr-defined]
    flags = {option.opts[0]: option for option in command.params if isinstance(option, click.Option)}
    assert flags.keys() == PUBLISHED_FLAGS[name].keys() | OURS.get(name, set())
    context = click.Context(command)
    for flag, default in PUBLISHED_FLAGS[name].items():
        ours = flags[flag].get_default(context)
        assert ours == default if default is not None else not isinstance(ours, str | float), flag


@pytest.mark.parametrize("samples", [1, 3])
def test_every_line_gets_its_responses_and_keeps_all_fields(samples: int, tmp_path: Path) -> None:
    lines = [task(n) for n in range(5)] + [task(3)]  # one of them twice
    write(tmp_path / "in.jsonl", lines)
    with Server() as server:
        done = ask(tmp_path, server, "--sample_count", str(samples), "--temperature", "0.7", "--max_length", "99")
        assert (done.returncode, done.stderr) == (0, "")
        assert f"{6 * samples} of {6 * samples} responses" in done.stdout and "sebench run" in done.stdout
        assert server.requests == 6 * samples
        assert {key: value for key, value in server.last.items() if key != "messages"} == {
            "model": "m",
            "temperature": 0.7,
            "max_tokens": 99,
        }
    out = read(tmp_path / "out.jsonl")
    assert {line["response"] for line in out} == {FIXED}
    assert without_response(out) == without_response(lines * samples)
    assert [*out[0]] == [*lines[0], "response"]


def test_a_finished_output_is_not_asked_again_and_more_samples_or_lines_extend_it(tmp_path: Path) -> None:
    lines = [task(n) for n in range(3)]
    write(tmp_path / "in.jsonl", lines)
    with Server() as server:
        ask(tmp_path, server)
        again = ask(tmp_path, server)
        assert (again.returncode, server.requests) == (0, 3) and "3 of 3 responses, 0 of them new" in again.stdout
        write(tmp_path / "in.jsonl", [task(7), *lines])
        assert ask(tmp_path, server, "--sample_count", "2").returncode == 0
        assert server.requests == 8
    assert without_response(read(tmp_path / "out.jsonl")) == without_response([task(7), *lines] * 2)


def test_a_torn_last_line_is_asked_again(tmp_path: Path) -> None:
    lines = [task(n) for n in range(3)]
    write(tmp_path / "in.jsonl", lines)
    with Server() as server:
        ask(tmp_path, server)
        whole = (tmp_path / "out.jsonl").read_bytes()
        (tmp_path / "out.jsonl").write_bytes(whole[:-40])
        assert ask(tmp_path, server).returncode == 0
        assert server.requests == 4
    assert without_response(read(tmp_path / "out.jsonl")) == without_response(lines)


def test_failed_calls_are_reported_lose_no_line_and_are_asked_again(tmp_path: Path) -> None:
    lines = [task(n) for n in range(4)]
    write(tmp_path / "in.jsonl", lines)
    with Server(first(2, "too_long")) as server:
        failed = ask(tmp_path, server, "--num_workers", "1")
        assert failed.returncode == 1
        assert "2 of 4 responses" in failed.stdout
        assert "in.jsonl: line 1: " in failed.stderr and "maximum context length" in failed.stderr
        assert "2 requests failed and left no line in out.jsonl; run the same command again" in failed.stderr
        assert len(read(tmp_path / "out.jsonl")) == 2
        assert ask(tmp_path, server).returncode == 0
        assert server.requests == 6
    assert without_response(read(tmp_path / "out.jsonl")) == without_response(lines)


def test_a_server_that_fails_now_and_then_loses_nothing(tmp_path: Path) -> None:
    lines = [task(n) for n in range(12)]
    write(tmp_path / "in.jsonl", lines)
    with Server(first(5, "broken", "hung_up", "malformed", "rate_seconds", "cut")) as server:
        done = ask(tmp_path, server, "--num_workers", "1")
    assert done.returncode == 0 and done.stderr.count("\n") == 1 and done.stderr.endswith("; retrying\n")
    assert without_response(read(tmp_path / "out.jsonl")) == without_response(lines)


def test_a_slow_server_is_waited_for(tmp_path: Path) -> None:
    write(tmp_path / "in.jsonl", [task(n) for n in range(6)])
    with Server(delay_s=0.3) as server:
        assert ask(tmp_path, server, "--num_workers", "2").returncode == 0
        assert server.most_open <= 2
    assert len(read(tmp_path / "out.jsonl")) == 6


def test_two_ports_share_what_is_asked_at_once(tmp_path: Path) -> None:
    lines = [task(n) for n in range(10)]
    write(tmp_path / "in.jsonl", lines)
    with Server() as one, Server() as other:
        files = ("--input_path", "in.jsonl", "--output_path", "out.jsonl", "--model_name", "m", "--num_workers", "10")
        servers = ("--host", "127.0.0.1", "--ports", f"{one.port}, {other.port}")
        assert sebench("published", "query-only", *files, *servers, cwd=tmp_path).returncode == 0
        assert (one.requests, other.requests) == (5, 5)
    assert without_response(read(tmp_path / "out.jsonl")) == without_response(lines)


def test_a_port_without_a_server_leaves_the_work_to_the_other(tmp_path: Path) -> None:
    write(tmp_path / "in.jsonl", [task(n) for n in range(6)])
    with Server() as gone:
        free = gone.port
    with Server() as server:
        files = ("--input_path", "in.jsonl", "--output_path", "out.jsonl", "--model_name", "m")
        servers = ("--host", "127.0.0.1", "--ports", f"{free},{server.port}")
        assert sebench("published", "query-only", *files, *servers, cwd=tmp_path).returncode == 0
    assert len(read(tmp_path / "out.jsonl")) == 6


def test_kill_and_continue(tmp_path: Path) -> None:
    lines = [task(n) for n in range(8)]
    write(tmp_path / "in.jsonl", lines)
    out = tmp_path / "out.jsonl"
    with Server() as server:
        server.most_answers = 5
        arguments = ["--input_path", "in.jsonl", "--output_path", "out.jsonl", "--model_name", "m"]
        arguments += ["--base_url", server.url, "--sample_count", "2", "--num_workers", "2"]
        process = subprocess.Popen(
            [sys.executable, "-m", "sebench", "published", "query-only", *arguments], cwd=tmp_path
        )
        while not out.exists() or out.read_bytes().count(b"\n") < 5:
            assert process.poll() is None
            time.sleep(0.05)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        server.most_answers = None
        assert ask(tmp_path, server, "--sample_count", "2").returncode == 0
        assert server.answered.total() == 16
    assert without_response(read(out)) == without_response(lines * 2)


def test_a_wrong_key_is_one_line_and_the_right_one_is_written_nowhere(tmp_path: Path) -> None:
    write(tmp_path / "in.jsonl", [task(1)])
    with Server(key=KEY) as server:
        wrong = ask(tmp_path, server, "--api_key", "sk-wrong-987654321")
        assert wrong.returncode == 1
        assert wrong.stderr.count("\n") == 1 and "refuses the key" in wrong.stderr and "see --api_key" in wrong.stderr
        assert ask(tmp_path, server, "--api_key", KEY).returncode == 0
    assert not any(KEY in file.read_text() for file in tmp_path.iterdir())


def test_an_output_is_not_continued_with_another_model_or_input(tmp_path: Path) -> None:
    write(tmp_path / "in.jsonl", [task(1)])
    with Server() as server:
        ask(tmp_path, server)
        other = ask(tmp_path, server, "--model_name", "other")
        assert other.returncode == 1
        assert (
            "out.jsonl was started with model_name = 'm', but now it is 'other'; choose another --output"
            in other.stderr
        )
        write(tmp_path / "in.jsonl", [task(2)])
        assert "out.jsonl has 1 line that is not in --input_path" in ask(tmp_path, server).stderr
        assert server.requests == 1


def test_two_commands_do_not_write_one_output(tmp_path: Path) -> None:
    write(tmp_path / "in.jsonl", [task(1)])
    with query.ResponseFile(tmp_path / "out.jsonl", {}), Server() as server:
        done = ask(tmp_path, server)
        assert done.returncode == 1 and server.requests == 0
    assert "another process is writing to out.jsonl; wait for it, or choose another --output_path" in done.stderr


def test_a_file_of_others_is_left_as_it_is(tmp_path: Path) -> None:
    write(tmp_path / "in.jsonl", [task(1)])
    (tmp_path / "out.jsonl").write_text("Dear reader")
    done = ask(tmp_path, "http://127.0.0.1:9/v1")
    assert done.returncode == 1 and "has no out.jsonl.settings.json" in done.stderr
    assert (tmp_path / "out.jsonl").read_text() == "Dear reader"
    same = ask(tmp_path, "http://127.0.0.1:9/v1", "--output_path", "in.jsonl")
    assert same.returncode == 1 and "in.jsonl is the input file" in same.stderr


def test_a_line_that_cannot_be_asked_is_named_and_the_rest_goes_on(tmp_path: Path) -> None:
    write(tmp_path / "in.jsonl", [task(1), task(2, query=7), task(3), task(4, query="half \ud83d of it")])
    with (tmp_path / "in.jsonl").open("a") as file:
        file.write("no json\n")
    with Server() as server:
        done = ask(tmp_path, server)
    assert done.returncode == 1
    assert "in.jsonl: line 2: 'query' is empty or not a string" in done.stderr and "in.jsonl: line 4: " in done.stderr
    assert "in.jsonl: line 5: " in done.stderr
    assert without_response(read(tmp_path / "out.jsonl")) == without_response([task(1), task(3)])


def test_the_prompt_has_the_published_items_in_their_order(tmp_path: Path) -> None:
    (tmp_path / "doc.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in PAGES))
    write(tmp_path / "in.jsonl", [task(1)])
    closed = query.read_queries(tmp_path / "in.jsonl").queries[0].prompt.text
    items = (
        "Question 1: the mean?",
        "only shows the structure",
        "may be wrong",
        "solve(a=[1, 2])\n# [15, 160]",
        "def solve(a):",
        "Use functions of the library `zwc`",
        "name of the function or its parameters",
        "Modules that come with Python",
        "one fenced code block",
        "same structure",
    )
    places = [closed.index(item) for item in items]
    assert places == sorted(places)
    documentation = query.Documentation.read(tmp_path / "doc.jsonl")
    opened = query.read_queries(tmp_path / "in.jsonl", documentation).queries[0].prompt.text
    assert opened.endswith(closed) and "# zwc.kocito\n\nThe page of mean." in opened.removesuffix(closed)
    assert "cross" not in opened


def test_the_documentation_is_sent_and_a_missing_page_is_named(tmp_path: Path) -> None:
    (tmp_path / "doc.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in PAGES))
    write(tmp_path / "in.jsonl", [task(1, selected_functions=["np", "mean", "np"])])
    with Server() as server:
        done = ask(tmp_path, server, "--doc_path", "doc.jsonl", name="query-doc")
        assert done.returncode == 0
        assert done.stderr == "in.jsonl: line 1: the documentation has no page for 'np', so the prompt has none\n"
        assert "The page of mean." in server.last["messages"][0]["content"]
    assert len(read(tmp_path / "out.jsonl")) == 1


@pytest.mark.parametrize(
    ("function", "reference", "name"),
    [
        ("cross", "np.cross(a, b)", "zwc.zunakik"),
        ("cross", "np.linalg.cross(a, b)", "zwc.rfx.cecim"),
        ("cross", "", "zwc.zunakik"),
        ("solve", "np.linalg.solve(a, b)", "zwc.rfx.sarik"),
        ("solve", "", "zwc.rfx.sarik"),
        ("np.linalg.cross", "np.cross(a, b)", "zwc.rfx.cecim"),
        ("linalg.mean", "", None),
        ("nothing", "", None),
    ],
)
def test_a_bare_name_is_the_function_that_the_reference_calls(
    function: str, reference: str, name: str | None, tmp_path: Path
) -> None:
    pages = query.Documentation.read(write(tmp_path / "doc.jsonl", PAGES))
    found = pages.find(function, reference)
    assert (found.name if found else None) == name


def test_every_verdict_has_a_published_count_and_every_line_is_in_the_total() -> None:
    verdicts = [Verdict(kind) for kind in Kind if kind is not Kind.FAULT]
    verdicts += [Verdict(Kind.FAULT, Blame.SANDBOX), Verdict(Kind.WRONG_VALUE, Blame.TASK)]
    counts = trajectories.count_verdicts(verdicts, len(verdicts) + 3)
    assert [*counts][:6] == ["Total processed", "Acc", "Without_zwc", "Numpy", "Result_error", "Exe_error"]
    right = sum(verdict.passed for verdict in verdicts)
    assert counts["Total processed"] == len(verdicts) + 3 == right + sum([*counts.values()][2:])
    assert counts["Acc"] == round(right / (len(verdicts) + 3), 4)
    assert counts["Not judged"] == 5


def answers(world: World) -> list[dict[str, Any]]:
    """One answer for each count of the published scorer, and a line that cannot be judged."""
    package, mean = world.names.package, world.names.forged("mean")
    bodies = {
        "right": f"import {package}\ndef solve(a):\n    return {mean}(a)",
        "without": "def solve(a):\n    return sum(a) / len(a)",
        "numpy": "import numpy as np\ndef solve(a):\n    return np.mean(a)",
        "result": f"import {package}\ndef solve(a):\n    return {mean}(a) + 1",
        "execution": f"import {package}\ndef solve(a):\n    return {package}.mean(a)",
    }
    cases = [{"input": "a=[1, 2]", "output": "1.5"}, {"input": "a=[4, 8]", "output": "6.0"}]
    lines = [
        task(1, response=f"```python\n{body}\n```", test_cases=cases, right_exe_result="1.5#6.0", name=name)
        for name, body in bodies.items()
    ]
    return [*lines, task(2, response=None)]


COUNTS = "Total processed: 6\nAcc: 0.1667\nWithout_zwc: 1\nNumpy: 1\nResult_error: 1\nExe_error: 1\n"


def test_filter_counts_every_line_and_keeps_the_right_ones_once(basic: World, tmp_path: Path) -> None:
    lines = answers(basic)
    write(tmp_path / "in.jsonl", lines)
    (tmp_path / "right.jsonl").write_text('{"of": "another file"}')  # without an end of line
    arguments = ("--input_path", "in.jsonl", "--output_path", "right.jsonl", "--world", str(basic.path))
    for port in ("8111", "8112"):
        done = sebench("published", "filter", *arguments, "--port", port, cwd=tmp_path)
        assert done.returncode == 1, done.stderr
        assert done.stdout.startswith(COUNTS) and "sebench judge" in done.stdout
        assert "without a sandbox server" in done.stderr and "1 of 6 lines could not be judged" in done.stderr
        assert "in.jsonl: line 6: " in done.stderr
        assert read(tmp_path / "right.jsonl") == [{"of": "another file"}, lines[0]]


def test_filter_without_names_says_what_to_give(tmp_path: Path) -> None:
    write(tmp_path / "in.jsonl", [task(1, response="x")])
    done = sebench("published", "filter", "--input_path", "in.jsonl", cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert "--mapping zwc_mappings.json" in done.stderr and "--world" in done.stderr


def test_filter_takes_the_names_of_a_mapping_and_leaves_nothing_behind(tmp_path: Path) -> None:
    names = {"package": "zwc", "main": {"array": "yitaf", "mean": "kocito"}}
    (tmp_path / "names.json").write_text(json.dumps(names))
    response = "```python\nimport zwc\ndef solve(a):\n    return zwc.kocito(a)\n```"
    case = {"input": "a=[1, 2]", "output": "1.5"}
    write(tmp_path / "in.jsonl", [task(1, response=response, test_cases=[case], right_exe_result="1.5")])
    done = sebench("published", "filter", "--input_path", "in.jsonl", "--mapping", "names.json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "Total processed: 1\nAcc: 1.0\n" in done.stdout
    assert {file.name for file in tmp_path.iterdir()} == {"in.jsonl", "names.json"}


def test_judge_keeps_the_right_lines_and_goes_on_with_added_ones(basic: World, tmp_path: Path) -> None:
    lines = answers(basic)[:5]
    write(tmp_path / "in.jsonl", lines)
    arguments = ("judge", str(basic.path), "in.jsonl", "--keep", "right.jsonl", "--out", "run")
    done = sebench(*arguments, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "right.jsonl").read_text() == f"{json.dumps(lines[0])}\n"
    more = {**lines[0], "odd": "another"}
    write(tmp_path / "in.jsonl", [*lines, more])
    assert "2 lines with right answers, 1 of them new" in sebench(*arguments, cwd=tmp_path).stderr
    assert read(tmp_path / "right.jsonl") == [lines[0], more]
    write(tmp_path / "right.jsonl", [{"of": "another file"}])
    refused = sebench(*arguments, cwd=tmp_path)
    assert refused.returncode == 1 and "--keep right.jsonl contains lines that are not in in.jsonl" in refused.stderr
    same = sebench(*arguments[:3], "--keep", "in.jsonl", "--out", "run", cwd=tmp_path)
    assert same.returncode == 1 and "in.jsonl is the input file" in same.stderr


def test_a_place_that_the_right_lines_cannot_go_to_is_one_line(tmp_path: Path) -> None:
    write(tmp_path / "in.jsonl", [{"id": 1}])
    with pytest.raises(ConfigError, match=r"cannot be written: .*; choose another --keep"):
        trajectories.keep_lines(tmp_path / "in.jsonl", [1], tmp_path / "in.jsonl" / "right.jsonl")


def test_a_line_that_is_not_json_is_named_by_its_own_number_alone(tiny: World, tmp_path: Path) -> None:
    (tmp_path / "answers.jsonl").write_text('{"id": "a", "completion": ""}\n{"id": 1,\n')
    done = sebench("judge", str(tiny.path), "answers.jsonl", "--out", "run", cwd=tmp_path)
    assert done.returncode == 1
    assert "answers.jsonl: line 2: it is not JSON: " in done.stderr and "line 1 column" not in done.stderr


def test_bad_lines_are_counted_at_the_end(tiny: World, tmp_path: Path) -> None:
    task = tiny.tasks("train")[0]
    write(tmp_path / "answers.jsonl", [{"id": task.id, "completion": task.gold}, {"id": task.id}, {"id": "none"}])
    done = sebench("judge", str(tiny.path), "answers.jsonl", "--out", "run", cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == "sebench: answers.jsonl: 2 lines could not be read and were left out"
    assert "another world" not in done.stderr


def test_answers_for_another_world_are_noticed(tiny: World, tmp_path: Path) -> None:
    task = tiny.tasks("train")[0]
    write(tmp_path / "answers.jsonl", [{"id": task.id, "completion": task.gold.replace(tiny.names.package, "vok")}])
    done = sebench("judge", str(tiny.path), "answers.jsonl", "--out", "run", cwd=tmp_path)
    assert done.returncode == 0
    assert f"no answer mentions {tiny.names.package}" in done.stderr and "another world" in done.stderr
