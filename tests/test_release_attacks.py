"""Releases by somebody who also recomputes the checksums: hidden answers, made-up tasks, fake files, and names that
must not appear on a page."""

from __future__ import annotations

import json
import lzma
import os
import shutil
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from sebench.base.errors import ConfigError
from sebench.base.records import Blame, Kind
from sebench.cli import cli
from sebench.release import clean, folder, pack, verify
from sebench.release.clean import Labels
from sebench.release.pack import ReleaseOptions
from sebench.rollout import pipeline
from sebench.rollout.config import RunConfig
from sebench.world.world import World

Lines = list[dict[str, Any]]


@pytest.fixture(scope="module")
def made(tiny: World, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release of a run whose answers are all wrong."""
    at = tmp_path_factory.mktemp("runs")
    pipeline.run(RunConfig(model="guess"), tiny, at / "guess")
    pack.make([at / "guess"], at / "release", ReleaseOptions(worlds=[str(tiny.path)], models=["M"]))
    return at / "release"


@pytest.fixture
def copy(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "copy"))


def change(
    release: Path,
    answers: Callable[[Lines], Lines] | None = None,
    tasks: Callable[[Lines], Lines] | None = None,
    told: Callable[[dict[str, Any]], object] | None = None,
) -> None:
    """A release that somebody edited who knows how: the report and the sums fit again."""
    for name, edit in ((folder.ANSWERS, answers), (folder.TASKS, tasks)):
        if edit:
            lines = [json.loads(line) for line in lzma.decompress((release / name).read_bytes()).splitlines()]
            text = "".join(f"{json.dumps(line)}\n" for line in edit(lines))
            (release / name).write_bytes(lzma.compress(text.encode()))
    if told:
        data = json.loads((release / folder.MANIFEST).read_text())
        told(data)
        (release / folder.MANIFEST).write_text(json.dumps(data))
    folder.write_sums(release)
    try:
        pack.write_report(folder.read(release))
        folder.write_sums(release)
    except ConfigError:
        pass  # cannot be read at all


def passed(lines: Lines) -> Lines:
    return [{**line, "verdict": {**line["verdict"], "kind": Kind.PASSED, "targeted": True}} for line in lines]


def differences(release: Path, tiny: World) -> str:
    """What is wrong with a release: why it is refused at once, or what differs when it is judged again."""
    try:
        checked = verify.verify(release, worlds=[str(tiny.path)], workers=1)
    except ConfigError as error:
        return str(error)
    assert not checked.holds
    return "\n".join(checked.differences)


# ---- hidden and made-up answers ---------------------------------------------------------------------------------


def test_an_honest_release_of_wrong_answers_agrees(made: Path, tiny: World) -> None:
    checked = verify.verify(made, worlds=[str(tiny.path)], workers=1)
    assert checked.holds and not checked.reworded
    assert ".release-" not in (made / "report.md").read_text()  # the folder that it was written in


@pytest.mark.parametrize("blame", [Blame.SANDBOX, Blame.PROVIDER, Blame.TASK])
def test_a_wrong_answer_that_passes_by_a_fault_is_named(copy: Path, tiny: World, blame: Blame) -> None:
    """Whatever the release says of who is to blame, the answer is judged again."""

    def forge(lines: Lines) -> Lines:
        for line in passed(lines[:1]):
            lines[0] = {**line, "verdict": {**line["verdict"], "blame": blame}}
        return lines

    change(copy, forge)
    assert "the release says kind = passed" in differences(copy, tiny)


def test_wrong_answers_that_are_called_faults_are_named(copy: Path, tiny: World) -> None:
    def forge(lines: Lines) -> Lines:
        lines[0]["verdict"] |= {"kind": Kind.FAULT, "blame": Blame.SANDBOX, "targeted": None}
        lines[1]["verdict"] = None
        return lines

    change(copy, forge)
    found = differences(copy, tiny)
    assert "the release says kind = fault" in found and "1 answer has no verdict" in found


def test_answers_that_are_called_none_are_counted_and_have_no_rank(copy: Path, tiny: World, tmp_path: Path) -> None:
    def forge(lines: Lines) -> Lines:
        return [line | {"error": "no response", "response": "", "verdict": None} for line in lines[:-1]] + lines[-1:]

    change(copy, forge, told=lambda data: data["runs"][0]["manifest"]["config"].update(models=["M"]))
    checked = verify.verify(copy, worlds=[str(tiny.path)], workers=1)
    assert checked.silent == checked.release.runs[0].answers - 1
    done = CliRunner().invoke(cli, ["leaderboard", str(copy), "--out", str(tmp_path / "page.html")])
    assert done.exit_code == 0, done.output
    assert "of the closed-book answers have no verdict" in done.output.replace("\n", " ")


def test_answers_that_are_left_out_or_there_twice_are_named(copy: Path, tiny: World, tmp_path: Path) -> None:
    twice = Path(shutil.copytree(copy, tmp_path / "twice"))
    change(copy, lambda lines: lines[2:], told=lambda data: data["runs"][0].update(answers=1))
    assert "answers, but should have" in differences(copy, tiny)
    change(twice, lambda lines: [*lines[1:], lines[1]])
    assert "occurs twice" in differences(twice, tiny)


def test_tasks_that_are_left_out_with_their_answers_are_named(copy: Path, tiny: World) -> None:
    """The rank of a run depends on how many tasks its world is said to have."""
    lines = [json.loads(line) for line in lzma.decompress((copy / folder.TASKS).read_bytes()).splitlines()]
    kept = {line["id"] for line in lines[1:]}

    def told(data: dict[str, Any]) -> None:
        run = data["runs"][0]
        run["answers"] = sum(1 for line in answers if line["task_id"] in kept)
        run["manifest"]["world"]["tasks"][lines[0]["split"]] -= 1

    answers = [json.loads(line) for line in lzma.decompress((copy / folder.ANSWERS).read_bytes()).splitlines()]
    change(copy, lambda all: [line for line in all if line["task_id"] in kept], lambda all: all[1:], told)
    assert "a different number of tasks than its world has" in differences(copy, tiny)


def test_tasks_that_do_not_exist_are_named(copy: Path, tiny: World) -> None:
    def told(data: dict[str, Any]) -> None:
        data["runs"][0]["answers"] += 2
        data["runs"][0]["manifest"]["world"]["tasks"]["single_test"] += 1

    change(
        copy,
        lambda lines: lines + passed([{**line, "task_id": "made_up"} for line in (lines[0], lines[-1])]),
        lambda lines: [*lines, {**lines[0], "id": "made_up"}],
        told,
    )
    assert "1 of its tasks is not in its world" in differences(copy, tiny)


def test_a_task_of_another_split_is_named(copy: Path, tiny: World) -> None:
    def swapped(lines: Lines) -> Lines:
        one, other = lines[0], lines[-1]
        return [{**one, "split": other["split"]}, *lines[1:-1], {**other, "split": one["split"]}]

    change(copy, tasks=swapped)
    assert "differs from the task in its world" in differences(copy, tiny)


def test_a_text_report_of_this_version_that_was_edited_is_named(copy: Path, tiny: World) -> None:
    (copy / "report.md").write_text((copy / "report.md").read_text() + "\nThe best method of all.\n")
    folder.write_sums(copy)
    assert "is not what sebench" in differences(copy, tiny)


@pytest.mark.parametrize("number", ["0.0", "99.0"])
def test_the_numbers_in_a_text_report_of_another_version_must_follow_from_the_verdicts(
    copy: Path, tiny: World, number: str
) -> None:
    manifest = json.loads((copy / "release.json").read_text())
    (copy / "release.json").write_text(json.dumps({**manifest, "sebench": "0.0.1"}))
    text = (copy / "report.md").read_text()
    assert "0.0" in text
    (copy / "report.md").write_text("Other words.\n" + text.replace("0.0", number))
    folder.write_sums(copy)
    done = CliRunner().invoke(cli, ["verify", str(copy), "--world", str(tiny.path), "--workers", "1"])
    output = done.output.replace("\n", " ")
    if number == "0.0":
        assert done.exit_code == 0
        assert "this version of sebench would word report.md differently" in output
    else:
        assert done.exit_code == 1
        assert "report.md: 99.0" in output
        assert "not follow from the verdicts" in output


# ---- files that are none ----------------------------------------------------------------------------------------


def test_what_is_no_ordinary_file_is_named(copy: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_bytes((copy / "report.md").read_bytes())
    (copy / "report.md").unlink()
    for make in (
        lambda at: at.symlink_to(tmp_path / "elsewhere"),  # with the right content
        lambda at: at.symlink_to("/dev/zero"),
        lambda at: at.symlink_to(tmp_path),
        os.mkfifo,
    ):
        make(copy / "report.md")
        with pytest.raises(ConfigError, match=r"'report\.md' is not an ordinary file"):
            folder.read(copy)
        (copy / "report.md").unlink()


@pytest.mark.parametrize(
    "line", ["{0}  report.md", f"{sha256(b'').hexdigest()}  report.md", "", "report.md", "{0} *report.md"]
)
def test_lines_of_sums_that_are_twice_or_none_are_refused(copy: Path, line: str) -> None:
    right = sha256((copy / "report.md").read_bytes()).hexdigest()
    sums = (copy / folder.SUMS).read_text()
    (copy / folder.SUMS).write_text(f"{line.format(right)}\n{sums}")
    with pytest.raises(ConfigError, match="a duplicate or malformed line"):
        folder.read(copy)


@pytest.mark.parametrize("name", ["/etc/passwd", "../release.json", "nothing"])
def test_a_sum_of_a_file_elsewhere_is_refused(copy: Path, name: str) -> None:
    with (copy / folder.SUMS).open("a") as sums:
        sums.write(f"{'0' * 64}  {name}\n")
    with pytest.raises(ConfigError, match="is missing"):
        folder.read(copy)


def test_names_that_one_file_system_takes_for_the_same_are_refused(copy: Path) -> None:
    (copy / "REPORT.md").write_text("100 %")
    with pytest.raises(ConfigError, match="differ only in case"):
        folder.write_sums(copy)


def test_a_packed_file_that_is_a_bomb_is_given_up(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folder, "LONGEST_LINE", 1 << 16)
    monkeypatch.setattr(folder, "MOST_BYTES", 1 << 20)
    for text in (b"[" * 100_000, b"{}\n" * 1_000_000):
        (copy / folder.ANSWERS).write_bytes(lzma.compress(text))
        with pytest.raises(ConfigError, match="no release has such a file"):
            list(folder.read_packed(copy / folder.ANSWERS))


@pytest.mark.parametrize(
    "line",
    [
        b"7",
        b"[" * 50_000,
        b'{"run": ".", "verdict": null}',
        b'{"run": "other", "verdict": null, "task_id": "x"}',
        b'{"run": ".", "verdict": 7, "task_id": "x", "book": "closed", "sample_index": 0, "prompt_digest": "", '
        b'"response": ""}',
        b'{"run": ".", "verdict": null, "task_id": "x", "book": "closed", "sample_index": "0", "prompt_digest": "", '
        b'"response": ""}',
        b'{"run": ".", "verdict": null, "task_id": "\\u001b[2J", "book": "closed", "sample_index": 0, '
        b'"prompt_digest": "", "response": ""}',
    ],
)
def test_answers_that_cannot_be_read_are_one_line(copy: Path, line: bytes, tmp_path: Path) -> None:
    (copy / folder.ANSWERS).write_bytes(lzma.compress(line))
    folder.write_sums(copy)
    with pytest.raises(ConfigError, match="damaged"):
        verify.verify(copy)
    with pytest.raises(ConfigError, match="damaged"):
        folder.unpack(folder.read(copy), tmp_path / "out")


@pytest.mark.parametrize("name", ["../x", "/x", "a/../../x", "", ".", "a\0b"])
def test_a_packed_file_is_written_nowhere_else(copy: Path, tmp_path: Path, name: str) -> None:
    folder.pack(copy / folder.FILES, [{"file": name, "text": "mine"}])
    folder.write_sums(copy)
    before = sorted(tmp_path.iterdir())
    with pytest.raises(ConfigError, match="damaged"):
        folder.unpack(folder.read(copy), tmp_path / "in" / "here")
    assert sorted(tmp_path.iterdir()) == before


# ---- what a page and a terminal are told ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "told",
    [
        lambda run: run.update(training_tokens="<b>"),
        lambda run: run.update(date="<b>"),
        lambda run: run.update(model="\x1b[2Jbest"),
        lambda run: run.update(regime=7),
        lambda run: run["manifest"].pop("config"),
        lambda run: run["manifest"]["config"].update(samples="5"),
        lambda run: run["manifest"]["world"].update(fingerprint="0" * 64),
    ],
    ids=["tokens", "date", "model", "regime", "config", "samples", "world"],
)
def test_a_release_that_says_what_it_cannot_is_left_out(
    copy: Path, told: Callable[[dict[str, Any]], object], tmp_path: Path
) -> None:
    change(copy, told=lambda data: told(data["runs"][0]))
    done = CliRunner().invoke(cli, ["leaderboard", str(copy), "--out", str(tmp_path / "page.html")])
    assert "is damaged: release.json cannot be read" in done.output.replace("\n", " ")
    assert not (tmp_path / "page.html").exists()


def test_names_are_text_on_the_leaderboard(copy: Path, tmp_path: Path) -> None:
    hostile = "<img src=x onerror=alert(1)>[/b]"

    def told(data: dict[str, Any]) -> None:
        data["name"] = hostile
        data["runs"][0] |= {"model": hostile, "regime": hostile}
        manifest = data["runs"][0]["manifest"]
        manifest["config"] |= {"model": hostile, "system": hostile}
        manifest["world"]["package"] = hostile

    change(copy, told=told)
    done = CliRunner().invoke(cli, ["leaderboard", str(copy), "--out", str(tmp_path / "page.html")])
    assert done.exit_code == 0, done.output
    page = (tmp_path / "page.html").read_text()
    assert "<img" not in page and "&lt;img src=x" in page


def test_two_releases_of_one_name_stay_apart(copy: Path, tmp_path: Path) -> None:
    for number in "12":
        shutil.copytree(copy, tmp_path / number / "same")
    places = [str(tmp_path / number / "same") for number in "12"]
    done = CliRunner().invoke(cli, ["leaderboard", *places, "--out", str(tmp_path / "page.html")])
    assert done.exit_code == 0, done.output
    assert (tmp_path / "page.html").read_text().count("<strong>M</strong>") == 2


# ---- what must not be in one ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "settings",
    [
        {"extra": {"headers": {"X-Auth": "abc"}}},
        {"extra": {"cookie": "abc"}},
        {"system": "Bearer abcdefgh12345678"},
        {"system": "-----BEGIN RSA PRIVATE KEY-----"},
        {"system": "github_pat_abcdefghijklmnopqrstuvwxyz"},
    ],
    ids=str,
)
def test_more_forms_of_secrets_are_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match="looks like a secret"):
        Labels({}).clean(settings, "config")


def test_paths_are_found_behind_a_colon_and_as_names_of_settings() -> None:
    found = Labels({}).clean({"/home/anna/x": "lora:/scratch/anna/y,base:/mnt/anna/z"}, "config")
    assert "anna" not in json.dumps(found)


@pytest.mark.parametrize("secret", ['quoted"secret\\of-this', "aws/secret/with+slashes", "pässwort-mit-umlaut"])
def test_secrets_of_the_environment_are_found_as_json_writes_them(
    secret: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SOME_API_KEY", secret)
    for text in (f"x {secret} x", json.dumps({"x": secret}), json.dumps({"x": secret}, ensure_ascii=False)):
        with pytest.raises(ConfigError, match="SOME_API_KEY"):
            clean.check("file", text, [tmp_path], ours=False)
