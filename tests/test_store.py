"""A run folder: nothing is lost or stored twice, and one clear line says why a run cannot continue."""

from __future__ import annotations

import io
import json
import os
import resource
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import FrameType

import pytest

from sebench.base.errors import ConfigError, ProviderError
from sebench.base.files import new_folder
from sebench.base.ledger import BLOCK
from sebench.base.records import Blame, Kind, Rollout, Verdict
from sebench.rollout.store import MANIFEST, ROLLOUTS, VERDICTS, Run, RunManifest, RunWriter

ASKED = RunManifest({"model": "m", "samples": 2}, {"seed": 1}, {"templates": "ab"})
TASKS = [{"id": "mean_of_bees"}]
PASSED = Verdict(Kind.PASSED, Blame.NONE)


def rollout(index: int = 0, response: str = "yes", error: str = "") -> Rollout:
    return Rollout("mean_of_bees", "open", index, "d1", response, error=error)


def begun(path: Path, *rollouts: Rollout) -> Path:
    with RunWriter(path, ASKED, TASKS) as writer:
        for one in rollouts:
            writer.add_rollout(one)
    return path


def reopened(path: Path) -> RunWriter:
    writer = RunWriter(path, ASKED, TASKS)
    writer.close()
    return writer


def test_what_was_written_is_read_again(tmp_path: Path) -> None:
    strange = "žluť \u2028 \x00 \ud83d half, and </script>\r\n"
    with RunWriter(tmp_path, ASKED, TASKS) as writer:
        writer.add_rollout(rollout(0, strange))
        writer.add_verdict(rollout(0), PASSED)
    (row,) = Run.load(tmp_path).rows()
    assert row.rollout.response == strange and row.verdict == PASSED and row.task["id"] == "mean_of_bees"
    (tmp_path / ROLLOUTS).read_text("utf-8")  # valid UTF-8, whatever a model said
    with RunWriter(tmp_path, ASKED, TASKS) as writer:
        assert writer.response(rollout(0).key).response == strange


def test_a_failed_response_is_owed_again_and_is_the_providers_fault(tmp_path: Path) -> None:
    begun(tmp_path, rollout(0), rollout(1, "", "no answer in 5 s"))
    assert reopened(tmp_path).answered.keys() == {rollout(0).key}
    bad = [row.verdict for row in Run.load(tmp_path).rows() if row.rollout.error]
    assert bad == [Verdict(Kind.FAULT, Blame.PROVIDER, detail="no answer in 5 s")]
    begun(tmp_path, rollout(1))
    assert [row.rollout.error for row in Run.load(tmp_path).rows()] == ["", ""]


def test_a_verdict_that_the_sandbox_failed_to_give_is_owed_again(tmp_path: Path) -> None:
    with RunWriter(tmp_path, ASKED, TASKS) as writer:
        for index, verdict in enumerate((PASSED, Verdict(Kind.FAULT, Blame.SANDBOX), Verdict(Kind.WRONG_VALUE))):
            writer.add_rollout(rollout(index))
            writer.add_verdict(rollout(index), verdict)
    assert reopened(tmp_path).judged == {rollout(0).key, rollout(2).key}


@pytest.mark.parametrize("size", [3, BLOCK + 10, 3 * BLOCK])
def test_a_torn_last_line_is_owed_again_and_spoils_no_other(tmp_path: Path, size: int) -> None:
    begun(tmp_path, rollout(0))
    with (tmp_path / ROLLOUTS).open("ab") as file:
        file.write(b'{"key": "' + b"x" * size)
    begun(tmp_path, rollout(1))
    assert reopened(tmp_path).answered.keys() == {rollout(0).key, rollout(1).key}
    assert len((tmp_path / ROLLOUTS).read_bytes().splitlines()) == 2


def test_a_damaged_line_in_the_middle_is_named_and_owed_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    begun(tmp_path, rollout(0), rollout(1), rollout(2))
    first, _, third = (tmp_path / ROLLOUTS).read_bytes().splitlines(keepends=True)
    (tmp_path / ROLLOUTS).write_bytes(first + b"{damaged\n" + third)
    assert reopened(tmp_path).answered.keys() == {rollout(0).key, rollout(2).key}
    assert capsys.readouterr().err == f"note: {tmp_path / ROLLOUTS}: line 2 cannot be read and is left out\n"


@pytest.mark.parametrize("cut", range(0, 60, 7))
def test_a_run_torn_at_any_byte_goes_on(tmp_path: Path, cut: int) -> None:
    begun(tmp_path, rollout(0), rollout(1))
    file = tmp_path / ROLLOUTS
    file.write_bytes(file.read_bytes()[:-cut] if cut else file.read_bytes())
    missing = [index for index in (0, 1) if rollout(index).key not in reopened(tmp_path).answered]
    begun(tmp_path, *(rollout(index) for index in missing))
    assert [row.rollout for row in Run.load(tmp_path).rows()] == [rollout(0), rollout(1)]


def test_a_sample_counts_once_whatever_its_prompt(tmp_path: Path) -> None:
    begun(tmp_path, rollout(0), replace(rollout(0, "again"), prompt_digest="d2"))
    assert [row.rollout.response for row in Run.load(tmp_path).rows()] == ["again"]


def test_a_finished_run_that_is_repeated_keeps_the_time_of_its_end(tmp_path: Path) -> None:
    begun(tmp_path / "run", rollout(0))
    for when, new, expected in (("1", [], "1"), ("2", [], "1"), ("3", [rollout(1)], "3"), ("4", [], "3")):
        with RunWriter(tmp_path / "run", ASKED, TASKS) as writer:
            for one in new:
                writer.add_rollout(one)
            writer.note_end(when)
        assert Run.load(tmp_path / "run").manifest.ended == expected


def test_a_run_without_responses_may_begin_with_other_settings(tmp_path: Path) -> None:
    begun(tmp_path)
    RunWriter(tmp_path, replace(ASKED, config={"model": "another"}), TASKS).close()
    assert Run.load(tmp_path).manifest.config == {"model": "another"}


@pytest.mark.parametrize("failures", [(), (rollout(0, "", "wrong key"),)])
def test_a_run_that_fails_before_its_first_response_leaves_no_folder(
    tmp_path: Path, failures: tuple[Rollout, ...]
) -> None:
    def fail(*rollouts: Rollout) -> Path:
        with pytest.raises(ProviderError), RunWriter(tmp_path / "run", ASKED, TASKS) as writer:
            for one in rollouts:
                writer.add_rollout(one)
            raise ProviderError("wrong key")
        return tmp_path / "run"

    assert not fail(*failures).exists()
    assert fail(*failures, rollout(1)).exists()
    assert fail(*failures).exists()  # it has a response from before


def test_only_a_run_of_imported_responses_records_their_number(tmp_path: Path) -> None:
    begun(tmp_path)
    assert "responses" not in json.loads((tmp_path / MANIFEST).read_text())
    (tmp_path / MANIFEST).write_text(json.dumps({**ASKED.to_json(), "responses": 0}))  # as in earlier versions
    assert Run.load(tmp_path).manifest.responses == 0
    assert replace(ASKED, responses=7).to_json()["responses"] == 7


def test_a_continued_run_keeps_what_was_missing_and_takes_what_is_new(tmp_path: Path) -> None:
    with RunWriter(tmp_path, replace(ASKED, isolation_missing=["net"]), TASKS) as writer:
        writer.add_rollout(rollout(0))
        writer.note(ended="2026-01-01T00:00:00+00:00")
    RunWriter(tmp_path, replace(ASKED, isolation_missing=["pid"], responses=7), TASKS).close()
    found = Run.load(tmp_path).manifest
    assert (found.isolation_missing, found.ended, found.responses) == (["net", "pid"], "", 7)


@pytest.mark.parametrize("part, key", [("config", "model"), ("world", "seed"), ("prompts", "templates")])
def test_a_changed_setting_is_named(tmp_path: Path, part: str, key: str) -> None:
    begun(tmp_path, rollout(0))
    changed = replace(ASKED, **{part: {**getattr(ASKED, part), key: 99}})
    name = key if part == "config" else rf"{part}\.{key}"
    with pytest.raises(ConfigError, match=rf"was started with {name} = .*, but now it is 99; choose another --out"):
        RunWriter(tmp_path, changed, TASKS)
    RunWriter(tmp_path, ASKED, TASKS).close()  # and the lock is free again


@pytest.mark.parametrize(
    "text, said",
    [
        ('{"format": 99}', "has format 99, but this version of sebench reads format 1"),
        ('{"format": 1}', "is damaged"),
        ('{"format": 1, "config": 3, "world": {}, "prompts": {}}', "is damaged"),
        ("[1]", "is damaged.*; delete this folder and run it again, or choose another --out"),
        ("{", "is damaged"),
        ("", "is damaged"),
    ],
)
def test_a_manifest_that_cannot_be_used_is_one_line(tmp_path: Path, text: str, said: str) -> None:
    begun(tmp_path, rollout(0))
    (tmp_path / MANIFEST).write_text(text)
    for use in (Run.load, lambda path: RunWriter(path, ASKED, TASKS)):
        with pytest.raises(ConfigError, match=said) as raised:
            use(tmp_path)
        assert "\n" not in str(raised.value)
    assert len((tmp_path / ROLLOUTS).read_bytes().splitlines()) == 1


def test_responses_without_a_manifest_are_nobodys(tmp_path: Path) -> None:
    begun(tmp_path, rollout(0))
    (tmp_path / MANIFEST).unlink()
    with pytest.raises(ConfigError, match=r"has responses but no run\.json"):
        RunWriter(tmp_path, ASKED, TASKS)


def test_two_writers_at_once_are_refused(tmp_path: Path) -> None:
    with RunWriter(tmp_path, ASKED, TASKS):
        with pytest.raises(ConfigError, match="another process is writing"):
            RunWriter(tmp_path, ASKED, TASKS)
        code = (
            "from sebench.rollout.store import RunWriter; from pathlib import Path; "
            f"RunWriter(Path({str(tmp_path)!r}), {{}}, [])"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        assert "another process is writing" in done.stderr
    RunWriter(tmp_path, ASKED, TASKS).close()


def test_a_place_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match="cannot be written: Not a directory; choose another --out"):
        RunWriter(tmp_path / "file" / "run", ASKED, TASKS)
    (tmp_path / "run" / ROLLOUTS).mkdir(parents=True)
    (tmp_path / "run" / MANIFEST).write_text(json.dumps(ASKED.to_json()))
    with pytest.raises(ConfigError, match="cannot be written: Is a directory"):
        RunWriter(tmp_path / "run", ASKED, TASKS)


def test_an_interrupt_at_any_step_leaves_no_temporary_folder(tmp_path: Path) -> None:
    """A trace function raises at the n-th line of `new_folder`, for each n, as a signal could."""

    def is_interrupted(line: int, out: Path) -> bool:
        lines = 0

        def trace(frame: FrameType, event: str, _: object) -> object:
            nonlocal lines
            if frame.f_code is new_folder.__wrapped__.__code__ and event == "line":
                lines += 1
                if lines == line:
                    raise KeyboardInterrupt
            return trace

        sys.settrace(trace)
        try:
            with new_folder(out) as folder:
                (folder / "file").write_text("")
        except KeyboardInterrupt:
            return True
        finally:
            sys.settrace(None)
        return False

    line = 1
    while is_interrupted(line, tmp_path / str(line) / "new"):
        assert list(tmp_path.glob(f"{line}/.new*")) == [], line
        line += 1
    assert line > 5 and (tmp_path / str(line) / "new" / "file").exists()


def test_folders_of_killed_processes_are_removed_and_those_of_live_ones_stay(tmp_path: Path) -> None:
    code = (
        "import sys, time; from pathlib import Path; from sebench.base.files import new_folder\n"
        "with new_folder(Path(sys.argv[1])) as folder:\n print(folder, flush=True); time.sleep(600)"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "new")]
    processes = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    try:
        killed, live = (Path((process.stdout or io.StringIO()).readline().strip()) for process in processes)
        foreign = [tmp_path / name for name in (".new-notes", f".newer-{'0' * 32}", f".new-{'0' * 32}.bak")]
        for folder in foreign:
            folder.mkdir()
        processes[0].kill()
        processes[0].wait()
        assert killed.is_dir()
        with new_folder(tmp_path / "new") as folder:
            assert {*tmp_path.iterdir()} == {live, folder, *foreign}
    finally:
        for process in processes:
            process.kill()
            process.communicate()


FULL = """
import sys
from pathlib import Path
from tests.test_store import ASKED, TASKS, rollout
from sebench.base.errors import ConfigError
from sebench.rollout.store import RunWriter
try:
    with RunWriter(Path(sys.argv[1]), ASKED, TASKS) as writer:
        for index in range(100):
            try:
                writer.add_rollout(rollout(index, "x" * 900))
            except ConfigError as error:
                print(error)
                if not sys.argv[2:]:
                    raise
                writer.add_rollout(rollout(200, ""))
                raise
except ConfigError:
    sys.exit(1)
"""


@pytest.mark.parametrize("further", [(), ("further",)])
def test_a_full_disk_is_one_line_and_leaves_whole_lines(tmp_path: Path, further: tuple[str, ...]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", FULL, str(tmp_path), *further],
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[1],
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},  # a torn .pyc would be everybody's
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (20_600, 20_600)),
    )
    assert done.returncode == 1 and not done.stderr
    assert "rollouts.jsonl cannot be written: File too large; free some disk space" in done.stdout
    lines = (tmp_path / ROLLOUTS).read_bytes().splitlines()
    there = [json.loads(line)["sample_index"] for line in lines]
    # what still fits is not glued to a part
    assert there == [
        *range(len(there) - len(further)),
        *(200 for _ in further),
    ]
    begun(tmp_path, *(rollout(index) for index in range(len(there), 100)))
    assert len(reopened(tmp_path).answered) == 100


def test_a_disk_that_is_full_from_the_start_is_one_line(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", FULL, str(tmp_path / "run")],
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[1],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10)),
    )
    assert done.returncode == 1 and not done.stderr and not (tmp_path / "run" / VERDICTS).exists()


def test_no_response_is_held_in_memory(tmp_path: Path) -> None:
    begun(tmp_path, *(rollout(index, "x" * 100_000) for index in range(100)))
    writer = reopened(tmp_path)
    assert sum(len(key) + 64 for key in writer.answered) < 20_000
    assert not any(isinstance(value, Rollout) for value in writer.answered.values())
