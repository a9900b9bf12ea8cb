"""The server that a command starts: the command waits for it, stops it, and reports what goes wrong in one line."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from sebench.base.errors import ConfigError, OutOfMemory, ProviderError
from sebench.models import vllm
from sebench.models.vllm import ServeSettings, serve
from sebench.rollout import pipeline
from sebench.rollout.config import RunConfig
from sebench.world.world import World
from tests.vllm_stand_in import on_path, starts


def runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def pid_of(folder: Path) -> int:
    return int(json.loads((folder / "starts.jsonl").read_text().splitlines()[-1])["pid"])


def wait_for_end(pid: int) -> None:
    while runs(pid):
        time.sleep(0.02)


def test_a_server_answers_for_its_model_and_is_stopped(
    tmp_path: Path, tiny: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = tiny.tasks("single_test")[0]
    folder = on_path(tmp_path / "bin", monkeypatch, answers={task.question: f"```python\n{task.gold}\n```"})
    with serve("some/model", ServeSettings(context=4096, arguments="--seed 3"), 4, tmp_path / "log") as server:
        config = RunConfig(model="some/model", base_url=(server.base_url,), split=("single_test",), book=("closed",))
        run = pipeline.run(config, tiny, tmp_path / "run")
        pid = pid_of(folder)
        assert runs(pid)
    wait_for_end(pid)
    right = {row.rollout.task_id for row in run.rows() if row.verdict and row.verdict.passed}
    assert right == {task.id}
    ((command, model, *words),) = starts(folder)
    assert (command, model) == ("serve", "some/model") and words[-1].isdigit()
    said = " ".join(words)
    assert (
        "--data-parallel-size 4 --max-model-len 4096 --gpu-memory-utilization 0.9 --dtype bfloat16 --host 127.0.0.1 "
        "--seed 3" in said
    )


@pytest.mark.parametrize(
    ("behaviour", "kind", "said"),
    [
        ("crash", ProviderError, "the vLLM server ended: ValueError: unknown architecture; see its log"),
        ("memory", OutOfMemory, "CUDA out of memory"),
        ("never", ProviderError, r"did not answer within 1 s \(start_s in \[serve\]\)"),
    ],
)
def test_a_server_that_does_not_start_is_told_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, behaviour: str, kind: type[Exception], said: str
) -> None:
    folder = on_path(tmp_path / "bin", monkeypatch, behaviour)
    settings = ServeSettings(start_s=1 if behaviour == "never" else 600)
    with pytest.raises(kind, match=said) as caught, serve("m", settings, 1, tmp_path / "log"):
        raise AssertionError("it does not answer")
    assert "\n" not in str(caught.value)
    if starts(folder):
        wait_for_end(pid_of(folder))


def test_a_port_that_is_taken_is_given_up_for_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = on_path(tmp_path / "bin", monkeypatch, "taken")
    with serve("m", ServeSettings(), 1, tmp_path / "log") as server:
        assert server.answers()
    assert len(starts(folder)) == 2


def test_a_slow_start_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = on_path(tmp_path / "bin", monkeypatch, "slow")

    def go() -> None:
        while not starts(folder):
            time.sleep(0.02)
        (folder / "go").touch()

    threading.Thread(target=go, daemon=True).start()
    with serve("m", ServeSettings(), 1, tmp_path / "log") as server:
        assert server.answers()


@pytest.fixture
def in_background() -> Iterator[None]:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    yield
    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("in_background")
def test_a_server_that_dies_ends_the_run_at_once(tmp_path: Path, tiny: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not after every request has been tried and given up; also in the background, where shells have SIGINT ignored."""
    on_path(tmp_path / "bin", monkeypatch, "dies")
    died = r"the vLLM server ended: Error: the engine core died; .* run the same command again"
    with pytest.raises(ProviderError, match=died), serve("m", ServeSettings(), 1, tmp_path / "log") as server:
        pipeline.run(RunConfig(model="m", base_url=(server.base_url,), tries=10_000), tiny, tmp_path / "run")


def test_a_server_ends_with_the_command_that_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = on_path(tmp_path / "bin", monkeypatch)
    code = (
        "import time\nfrom pathlib import Path\nfrom sebench.models.vllm import ServeSettings, serve\n"
        f"with serve('m', ServeSettings(), 1, Path({str(tmp_path / 'log')!r})):\n    print('up', flush=True)\n"
        "    time.sleep(600)"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as command:
        assert command.stdout and command.stdout.readline() == "up\n"
        pid = pid_of(folder)
        command.send_signal(signal.SIGKILL)
    wait_for_end(pid)


def test_a_missing_command_and_wrong_settings_are_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ConfigError, match="pip install vllm"):
        vllm.check_installed()
    with pytest.raises(ConfigError, match="tensor_parallel = 3 does not divide 8 GPUs"):
        vllm.command_arguments(ServeSettings(tensor_parallel=3), 8)
    with pytest.raises(ConfigError, match="No closing quotation"):
        ServeSettings(arguments="--a 'b")
    assert vllm.command_arguments(ServeSettings(tensor_parallel=2), 2)[:2] == ["--tensor-parallel-size", "2"]
    assert os.environ["PATH"] == str(tmp_path)
