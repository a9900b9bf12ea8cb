"""Shared helpers: changes of settings are named, pauses grow and end, and forks have limits and end with their
parent."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from sebench.base import child, extras, files, resume, retry
from sebench.base.errors import ConfigError, ProviderError
from sebench.base.wording import counted, describe_error, shell, shorten

# ---- going on --------------------------------------------------------------------------------------------------------


def test_a_number_agrees_with_its_noun() -> None:
    assert [counted(n, "row") for n in (0, 1, 2, 1200)] == ["0 rows", "1 row", "2 rows", "1,200 rows"]
    assert [counted(n, "page was", "pages were") for n in (1, 2)] == ["1 page was", "2 pages were"]


@pytest.mark.parametrize("name", ["plain/7", "my run", 'a "b" $HOME', r"back\slash `x`", "7"])
def test_a_path_in_a_command_survives_the_shell(name: str) -> None:
    done = subprocess.run(["bash", "-c", f"printf %s {shell(Path(name))}"], capture_output=True, text=True, check=True)
    assert Path(done.stdout) == Path(name)
    assert shell("7") == "7" and shell(Path("7")) == "./7" and shell(Path("plain/7")) == "plain/7"


def test_a_change_inside_a_table_is_named_with_both_values_and_the_next_step() -> None:
    before = {"method": "closed-sft", "learn": {"epochs": 1, "pages": ["signature"]}}
    now = {"method": "closed-sft", "learn": {"epochs": 2, "pages": ("signature",)}}
    wanted = (
        r"^out was started with learn\.epochs = 1, but now it is 2; choose another --out, or pass the same settings$"
    )
    with pytest.raises(ConfigError, match=wanted):
        resume.refuse_changes(Path("out"), before, now)
    resume.refuse_changes(Path("out"), before, now, allowed=lambda key, was, is_now: is_now > was)


@pytest.mark.parametrize(("before", "now"), [({"a": 1}, {}), ({}, {"a": 1}), ({"a": {"b": 1}}, {"a": None})])
def test_a_setting_that_only_one_side_has_is_a_change(before: dict[str, object], now: dict[str, object]) -> None:
    with pytest.raises(ConfigError, match="was started with a = "):
        resume.refuse_changes(Path("out"), before, now)


def test_of_long_values_the_difference_is_shown() -> None:
    names = [f"function_{number}" for number in range(1000)]
    with pytest.raises(ConfigError) as error:
        resume.refuse_changes(Path("out"), {"functions": names}, {"functions": [*names[:500], "other"]})
    assert "function_500" in str(error.value) and "'other'" in str(error.value).replace("...", "'")
    assert len(str(error.value)) < 500


@pytest.mark.parametrize("text", ["", "[1]", '{"a": '])
def test_a_file_that_holds_no_settings_is_one_line(text: str, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(text)
    with pytest.raises(ConfigError, match=r"a\.json cannot be read: .*; choose another --out$"):
        resume.read(tmp_path / "a.json")


# ---- trying again ----------------------------------------------------------------------------------------------------


def test_pauses_grow_up_to_the_longest_and_end_with_the_tries() -> None:
    retries = retry.Retries(tries=6, first_s=1.0, longest_s=4.0, seed="a")
    pauses = [retries.pause_s() for _ in range(6)]
    usual = (1.0, 2.0, 4.0, 4.0, 4.0)
    assert all(p is not None and 0.5 * u <= p <= 1.5 * u for p, u in zip(pauses[:5], usual, strict=True))
    assert pauses[5] is None


def test_nobody_comes_back_before_the_time_that_was_asked_for() -> None:
    assert all((retry.Retries(seed=str(n)).pause_s(20.0) or 0) >= 20 for n in range(50))
    assert retry.Retries(within_s=10.0).pause_s(20.0) is None


def test_a_failure_that_will_not_pass_is_raised_at_once() -> None:
    told: list[bool] = []

    async def ask() -> str:
        raise ProviderError("wrong key" if len(told) else "busy", again=not told)

    with pytest.raises(ProviderError, match="wrong key"):
        asyncio.run(
            retry.ask_until_answered(ask, retry.Retries(9, first_s=0.0), lambda error, again: told.append(again))
        )
    assert told == [True, False]


# ---- forks -----------------------------------------------------------------------------------------------------------


def _endless(write: int) -> None:
    os.write(write, b"begun")
    while True:
        pass


def test_a_fork_gives_what_it_wrote_however_it_ends() -> None:
    ended = child.run_in_fork(lambda write: os.write(write, b"3"), cpu_s=10, memory=1 << 30)
    assert (ended.output, ended.status, ended.for_memory) == (b"3", 0, False)
    ended = child.run_in_fork(_endless, cpu_s=1, memory=1 << 30)
    assert ended.output == b"begun" and ended.status in (-signal.SIGXCPU, -signal.SIGKILL)
    assert child.run_in_fork(lambda write: bytearray(1 << 30), cpu_s=10, memory=64 << 20).status == 1
    assert child.run_in_fork(lambda write: 1 // 0, cpu_s=10, memory=1 << 30).status == 1


@pytest.mark.skipif(sys.platform != "linux", reason="signals of pipes")
def test_a_fork_ends_with_its_parent() -> None:
    script = "from sebench.base import child\nimport os\ndef work(write):\n os.write(1, b'up\\n')\n while True: pass\n"
    parent = subprocess.Popen(
        [sys.executable, "-c", f"{script}child.run_in_fork(work, 600, 1 << 30)"],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert parent.stdout and parent.stdout.readline() == b"up\n"
    parent.kill()
    parent.communicate(timeout=60)  # until nobody holds the pipe any more


# ---- extras ----------------------------------------------------------------------------------------------------------


def test_a_foreign_package_of_our_import_name_is_reported(tmp_path: Path) -> None:
    (tmp_path / "se_bench_forge-0.7.0.dist-info").mkdir()
    assert extras.conflict(tmp_path) == "" == extras.conflict()
    (tmp_path / "sebench-1.2.dist-info").mkdir()
    assert "named 'sebench' (sebench-1.2)" in extras.conflict(tmp_path)


def test_an_error_is_described_without_its_python_name() -> None:
    assert describe_error(FileNotFoundError(2, "No such file or directory", "a")) == "No such file or directory"
    assert describe_error(KeyError("split")) == "'split' is missing"
    assert describe_error(ValueError("it is empty")) == "it is empty"


def test_a_long_message_ends_after_a_whole_word() -> None:
    assert shorten("two\n words") == "two words"
    assert shorten("one two three", 8) == "one two ..." and shorten("one two three", 7) == "one two ..."
    assert shorten("x" * 50, 10) == f"{'x' * 10} ..."


def test_a_folder_that_cannot_be_read_is_of_no_kind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "run.json").touch()
    assert files.kind_of(tmp_path) == "a run"

    def denied(self: Path) -> bool:
        raise PermissionError

    monkeypatch.setattr(Path, "is_file", denied)
    assert files.kind_of(tmp_path) == ""
