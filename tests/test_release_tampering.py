"""Releases that somebody tampered with, with checksums and report written anew: each is refused with a line that says
why, or gets no rank."""

from __future__ import annotations

import json
import lzma
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from sebench.base.errors import ConfigError
from sebench.base.records import Kind
from sebench.cli import cli
from sebench.release import fields, folder, pack, verify
from sebench.release.pack import ReleaseOptions
from sebench.rollout import pipeline, protocol
from sebench.rollout.config import RunConfig
from sebench.rollout.protocol import V1, run_config
from sebench.world.world import World
from tests.test_release_attacks import Lines, change, differences

Tamper = Callable[[Path], object]
Data = dict[str, Any]


TWO_BOOKS = replace(V1, books=("closed", "open"), least_worlds=1)


@pytest.fixture(scope="module")
def made(tiny: World, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release of a run with two samples for each prompt: the first is right, the second wrong."""
    at = tmp_path_factory.mktemp("runs")
    pipeline.run(run_config(TWO_BOOKS, {"model": "gold", "samples": 2}), tiny, at / "half")
    lines = [json.loads(line) for line in (at / "half" / "rollouts.jsonl").read_text().splitlines()]
    wrong = [line | {"response": "I do not know."} if line["sample_index"] else line for line in lines]
    (at / "half" / "rollouts.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in wrong))
    verify.rescore(at / "half", worlds=[str(tiny.path)], workers=1)
    pack.make([at / "half"], at / "release", ReleaseOptions(worlds=[str(tiny.path)], models=["M"]))
    return at / "release"


@pytest.fixture
def copy(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "copy"))


@pytest.fixture(autouse=True)
def tiny_round(tiny: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """A protocol whose public round is the tiny world."""
    monkeypatch.setattr(protocol, "V1", replace(TWO_BOOKS, worlds={1: tiny.manifest.fingerprint}))


def board(*releases: Path, page: Path) -> str:
    """What `sebench leaderboard` prints."""
    done = CliRunner().invoke(cli, ["leaderboard", *map(str, releases), "--out", str(page)], env={"COLUMNS": "200"})
    return done.output


def ranks(printed: str) -> list[tuple[str, str]]:
    """Rank and closed-book accuracy of the rows of all tables."""
    rows = [line.split() for line in printed.splitlines() if " M " in line and "%" in line]
    return [(row[0], next(cell for cell in row if "%" in cell)) for row in rows]


# ---- ways to tamper ---------------------------------------------------------------------------------------------


def manifest(edit: Callable[[Data], object]) -> Tamper:
    """Change the run's own settings."""
    return lambda release: change(release, told=lambda data: edit(data["runs"][0]["manifest"]))


def config(**values: Any) -> Tamper:
    return manifest(lambda told: told["config"].update(values))


def without(*path: str) -> Tamper:
    """Remove a field of the run's settings."""

    def edit(told: Data) -> None:
        for key in path[:-1]:
            told = told[key]
        del told[path[-1]]

    return manifest(edit)


def listed(edit: Callable[[Data], object]) -> Tamper:
    """Change release.json."""
    return lambda release: change(release, told=edit)


def first(**values: Any) -> Tamper:
    """Change the first answer."""
    return lambda release: change(release, lambda lines: [{**lines[0], **values}, *lines[1:]])


def lines(edit: Callable[[Lines], Lines]) -> Tamper:
    return lambda release: change(release, edit)


def tasks(edit: Callable[[Lines], Lines]) -> Tamper:
    return lambda release: change(release, tasks=edit)


def packed_as(data: Callable[[bytes], bytes]) -> Tamper:
    """Change the bytes of the packed answers."""

    def tamper(release: Path) -> None:
        (release / folder.ANSWERS).write_bytes(data((release / folder.ANSWERS).read_bytes()))
        folder.write_sums(release)

    return tamper


def text_of_manifest(old: str, new: str) -> Tamper:
    """Change the text of release.json."""

    def tamper(release: Path) -> None:
        text = (release / folder.MANIFEST).read_text()
        assert old in text
        (release / folder.MANIFEST).write_text(text.replace(old, new, 1))
        folder.write_sums(release)

    return tamper


def right_only(lines: Lines) -> Lines:
    return [line for line in lines if line["verdict"]["kind"] == Kind.PASSED]


def drop_wrong(**told: Any) -> Tamper:
    """Leave the wrong answers out, and change the run's settings so that nobody sees it."""

    def edit(data: Data) -> None:
        run = data["runs"][0]
        run["answers"] //= 2
        for name, value in told.items():
            run["manifest"][name] = value

    return lambda release: change(release, right_only, told=edit)


def without_task_counts(release: Path) -> None:
    """The attack that ranked a run of 50 % first, with 100 %."""
    change(release, right_only, told=lambda data: data["runs"][0]["manifest"]["world"].pop("tasks"))


def chosen_slice(release: Path) -> None:
    """A slice whose tasks were not drawn, but chosen."""
    every = [json.loads(line) for line in lzma.decompress((release / folder.TASKS).read_bytes()).splitlines()]
    kept = {split: [task["id"] for task in every if task["split"] == split] for split in fields.RANKED}
    chosen = {split: {ids[0]} if place else {ids[-1]} for place, (split, ids) in enumerate(kept.items())}
    ids = set().union(*chosen.values())

    def told(data: Data) -> None:
        data["runs"][0]["answers"] = 2 * 2 * len(ids)
        data["runs"][0]["manifest"]["config"] |= {"limit": 1, "seed": unlucky(chosen, kept)}

    change(
        release,
        lambda lines: [line for line in lines if line["task_id"] in ids],
        lambda lines: [line for line in lines if line["id"] in ids],
        told,
    )


def unlucky(chosen: dict[str, set[str]], every: dict[str, list[str]]) -> int:
    """A seed that draws other tasks."""
    from sebench.tasks import splits

    drawn = ({split: set(splits.slice_of(ids, split, 1, seed)) for split, ids in every.items()} for seed in range(99))
    return next(seed for seed, found in enumerate(drawn) if found != chosen)


def swapped_books(lines: Lines) -> Lines:
    other = {"closed": "open", "open": "closed"}
    return [{**line, "book": other[line["book"]]} for line in lines]


def swapped_splits(lines: Lines) -> Lines:
    one, other = lines[0], lines[-1]
    assert one["split"] != other["split"]
    return [{**one, "split": other["split"]}, *lines[1:-1], {**other, "split": one["split"]}]


def swapped_answers(lines: Lines) -> Lines:
    """The right answer of one task stands for the wrong one of another."""
    wrong = next(n for n, line in enumerate(lines) if line["verdict"]["kind"] != Kind.PASSED)
    right = next(line for line in lines if line["task_id"] != lines[wrong]["task_id"])
    lines[wrong] |= {"response": right["response"], "verdict": right["verdict"]}
    return lines


def flipped(lines: Lines) -> Lines:
    return [{**line, "verdict": {**lines[0]["verdict"], "kind": Kind.PASSED, "blame": "none"}} for line in lines]


def added(lines: Lines, **values: Any) -> Lines:
    """An answer more, in the place of a wrong one."""
    wrong = next(n for n, line in enumerate(lines) if line["verdict"]["kind"] != Kind.PASSED)
    return [line for n, line in enumerate(lines) if n != wrong] + [{**right_only(lines)[0], **values}]


def file_twice(release: Path) -> None:
    """A file of an experiment that is written over by a second one."""
    line = {"file": "experiment.json", "text": "{}"}
    folder.pack(release / folder.FILES, [line, line])
    change(release, told=lambda data: data.update(kind="experiment"))


def files_of_a_run(release: Path) -> None:
    folder.pack(release / folder.FILES, [{"file": "verdicts.jsonl", "text": ""}])
    folder.write_sums(release)


def as_link(release: Path) -> None:
    elsewhere = release.parent / "elsewhere"
    (release / folder.ANSWERS).rename(elsewhere)
    (release / folder.ANSWERS).symlink_to(elsewhere)


def other_recipe(**values: Any) -> Tamper:
    return listed(lambda data: data["worlds"][0]["recipe"].update(values))


def other_seed(data: Data) -> None:
    """Another seed everywhere, under the same name and fingerprint."""
    data["worlds"][0]["seed"] = data["worlds"][0]["recipe"]["seed"] = 99
    data["runs"][0]["manifest"]["world"]["seed"] = 99


def fewer_tasks(data: Data) -> None:
    data["runs"][0]["manifest"]["world"]["tasks"]["train"] -= 1


REFUSED: dict[str, tuple[Tamper, str]] = {
    # what release.json says
    "no number of tasks, wrong answers left out": (without_task_counts, "world.tasks is missing"),
    "no number of tasks of a test": (without("world", "tasks", "multi_test"), "world.tasks.multi_test is missing"),
    "number of tasks as text": (manifest(lambda m: m["world"].update(tasks="all")), "must be an object"),
    "negative number of tasks": (
        manifest(lambda m: m["world"]["tasks"].update(train=-1)),
        "train is -1, but must be a whole number from 0",
    ),
    "no fingerprint": (without("world", "fingerprint"), "world.fingerprint is missing"),
    "no seed of the world": (without("world", "seed"), "world.seed is missing"),
    "another package": (manifest(lambda m: m["world"].update(package="other")), "its settings call the library other"),
    "fewer tasks than the world has": (listed(fewer_tasks), "a different number of tasks than its world has"),
    "no samples": (without("config", "samples"), "config.samples is missing"),
    "samples true": (config(samples=True), "config.samples is True, but must be a whole number from 1"),
    "samples half": (config(samples=1.5), "config.samples is 1.5, but must be a whole number"),
    "samples negative": (config(samples=-2), "config.samples is -2"),
    "samples huge": (config(samples=10**30), "config.samples is 1000000000000"),
    "samples NaN": (text_of_manifest('"samples": 2', '"samples": NaN'), "NaN is not a finite number"),
    "temperature infinite": (
        text_of_manifest('"temperature": 0.0', '"temperature": 1e999'),
        "1e999 is not a finite number",
    ),
    "samples twice": (text_of_manifest('"samples": 2', '"samples": 9, "samples": 2'), "'samples' occurs more than"),
    "more samples than answers": (config(samples=3), "answers, but should have"),
    "answers huge": (listed(lambda d: d["runs"][0].update(answers=10**12)), "answers is 1000000000000"),
    "no profile": (without("config", "profile"), "config.profile is missing"),
    "unknown profile": (config(profile="lenient"), "must be 'strict' or 'paper'"),
    "no limit": (without("config", "limit"), "config.limit is missing"),
    "no split": (without("config", "split"), "config.split is missing"),
    "a split twice": (config(split=["single_test", "single_test"]), "without duplicates"),
    "a split less": (config(split=["single_test"]), "answers, but should have"),
    "no book": (config(book=[]), "config.book is []"),
    "unknown book": (config(book=["closed", "memory"]), "must be a non-empty list"),
    "rules of the future": (manifest(lambda m: m.update(scoring=99)), "scoring is 99, but must be a version of"),
    "rules true": (manifest(lambda m: m.update(scoring=True)), "scoring is True"),
    "memory not told": (config(memory="0123456789abcdef"), "config.memory and memory must both be set"),
    "distractors as text": (config(distractors="8"), "config.distractors is '8'"),
    "another model": (listed(lambda d: d["runs"][0].update(model="N")), "but config.model is 'M'"),
    "negative training tokens": (listed(lambda d: d["runs"][0].update(training_tokens=-1)), "training_tokens is -1"),
    "a run twice": (listed(lambda d: d["runs"].append(d["runs"][0])), "is listed twice"),
    "a world twice": (listed(lambda d: d["worlds"].append(d["worlds"][0])), "a world is listed twice"),
    "a path out of the folder": (listed(lambda d: d["runs"][0].update(folder="../x")), "is not a valid file name in "
                                                                                       "it"),
    "unknown kind": (listed(lambda d: d.update(kind="model")), "kind is 'model'"),
    "deep release.json": (
        text_of_manifest('"samples": 2', f'"samples": {"[" * 100_000}'),
        "release.json cannot be read",
    ),
    "another seed, same name": (listed(other_seed), "seed is 99, but the world with this fingerprint has 3"),
    "seeds that do not agree": (other_recipe(seed=99), "seed is 3, but recipe.seed is 99"),
    "a part called the whole": (other_recipe(part="all"), "recipe is {'seed': 3, 'part': 'all'"),
    # answers
    "wrong answers left out": (lines(right_only), "answers, but should have"),
    "wrong answers left out, samples kept": (drop_wrong(), "answers, but should have"),
    "one answer less": (lines(lambda all: all[1:]), "answers, but should have"),
    "an answer twice": (lines(lambda all: [*all, all[0]]), "more than 36 lines, the most that it may have"),
    "a right answer twice for a wrong one": (lines(added), "occurs twice"),
    "a sample more": (lines(lambda all: added(all, sample_index=2)), "that its run does not have"),
    "a book more": (lines(lambda all: added(all, book="native")), "that its run does not have"),
    "a task more": (lines(lambda all: added(all, task_id="made_up")), "that its run does not have"),
    "a run more": (first(run="other"), "'other' is not one of its runs"),
    "verdicts flipped": (lines(flipped), "the release says kind = passed"),
    "answers of other tasks": (lines(swapped_answers), "the release says kind = passed"),
    "books swapped": (lines(swapped_books), "answers differ from those that its settings produce"),
    "another prompt": (first(prompt_digest="0" * 16), "the prompts of 1 answer differ from those"),
    "an answer with an error": (first(error="no response"), "has an error, but also an answer"),
    "several requests for one": (first(calls=4), "used several requests"),
    "negative tokens": (first(completion_tokens=-5), "completion_tokens is -5"),
    "endless seconds": (first(seconds=float("inf")), "Infinity is not a finite number"),
    "no book of an answer": (
        lines(lambda all: [{k: v for k, v in all[0].items() if k != "book"}, *all[1:]]),
        "book is missing",
    ),
    "a verdict without credit": (
        lines(
            lambda all: [
                {**all[0], "verdict": {k: v for k, v in all[0]["verdict"].items() if k != "targeted"}},
                *all[1:],
            ]
        ),
        "targeted is missing",
    ),
    # tasks
    "a task less": (tasks(lambda all: all[1:]), "tasks of single_test, but should have"),
    "a task twice": (tasks(lambda all: [*all, all[0]]), "damaged"),
    "a task for another": (tasks(lambda all: [{**all[0], "id": "made_up"}, *all[1:]]), "that its run does not have"),
    "splits swapped": (tasks(swapped_splits), "differs from the task in its world"),
    "another subject": (tasks(lambda all: [{**all[0], "subjects": ["sets"]}, *all[1:]]), "differs from the task in "
                                                                                         "its world"),
    "a slice that was chosen": (chosen_slice, "it lacks 1 task of "),
    # files
    "a bomb of lines": (
        packed_as(lambda data: lzma.compress(lzma.decompress(data) * 500, preset=1)),
        "more than 36 lines, the most that it may have",
    ),
    "a bomb of lines of nothing": (packed_as(lambda data: lzma.compress(b"{}\n" * 10**6, preset=1)), "run is missing"),
    "a line without an end": (packed_as(lambda data: lzma.compress(b" " * (17 << 20), preset=1)), "more than 16 MiB"),
    "a deep line": (packed_as(lambda data: lzma.compress(b"[" * 10**6, preset=1)), "cannot be read"),
    "not packed": (packed_as(lzma.decompress), "cannot be read"),
    "cut off": (packed_as(lambda data: data[:-40]), "cannot be read"),
    "more behind the end": (packed_as(lambda data: data + data), "there is data after its end"),
    "a link": (as_link, "is not an ordinary file"),
    "a file of an experiment twice": (file_twice, "repeats '"),
    "files of an experiment in a run": (files_of_a_run, "files.jsonl.xz belongs only in the release of an experiment"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_a_tampered_release_is_refused(name: str, copy: Path, tiny: World) -> None:
    tamper, line = REFUSED[name]
    tamper(copy)
    assert line in differences(copy, tiny)


# ---- the leaderboard --------------------------------------------------------------------------------------------


def test_an_honest_release_holds_and_is_ranked(made: Path, tiny: World, tmp_path: Path) -> None:
    checked = verify.verify(made, worlds=[str(tiny.path)], workers=1)
    assert (checked.differences, checked.slices, checked.unprompted) == ([], [], [])
    printed = board(made, page=tmp_path / "page.html")
    assert ranks(printed) == [("1", "50.0%")]
    assert "a part of the library (6 functions)" in printed


@pytest.mark.parametrize(
    "name", [name for name, (_, line) in REFUSED.items() if line.endswith(("should have", "is missing"))]
)
def test_a_release_that_does_not_hold_what_it_says_is_left_out(
    name: str, copy: Path, made: Path, tmp_path: Path
) -> None:
    REFUSED[name][0](copy)
    printed = board(copy, made, page=tmp_path / "page.html")
    assert "left out: " in printed and ranks(printed) == [("1", "50.0%")]


@pytest.mark.parametrize(
    ("tamper", "why", "rank"),
    [
        (config(profile="paper"), "profile paper", "–"),
        (manifest(lambda told: told.update(scoring=1)), "scoring rules 1", "–"),
        (manifest(lambda told: told.pop("scoring")), "scoring rules 1", "–"),
        (config(give_names=True), "names of the needed functions given", "–"),
        (listed(fewer_tasks), "other runs claim other tasks for these worlds", "1"),
    ],
    ids=["profile", "rules", "no rules", "names given", "tasks"],
)
def test_what_cannot_be_compared_has_a_table_of_its_own(
    tamper: Tamper, why: str, rank: str, copy: Path, made: Path, tmp_path: Path
) -> None:
    tamper(copy)
    printed = board(made, copy, page=tmp_path / "page.html")
    assert why in " ".join(printed.split())  # lines are as long as the terminal is wide
    assert (tmp_path / "page.html").read_text().count("<tbody>") == 2
    assert ranks(printed) == [("1", "50.0%"), (rank, "50.0%")]


def test_answers_that_are_left_out_openly_make_a_slice(copy: Path, made: Path, tiny: World, tmp_path: Path) -> None:
    """Answers from elsewhere may be fewer than tasks x books x samples; then they have no rank."""
    left = len(right_only([json.loads(x) for x in lzma.decompress((copy / folder.ANSWERS).read_bytes()).splitlines()]))
    drop_wrong(responses=left)(copy)
    checked = verify.verify(copy, worlds=[str(tiny.path)], workers=1)
    assert checked.holds and f"{left:,} imported answers" in checked.slices[0]
    printed = board(copy, made, page=tmp_path / "page.html")
    assert ranks(printed) == [("1", "50.0%"), ("–", "100.0%")]
    assert "not ranked: only " in printed


def test_a_slice_by_limit_holds_and_has_no_rank(tiny: World, tmp_path: Path) -> None:
    run = RunConfig(model="gold", limit=1, book=("closed",))
    pipeline.run(run, tiny, tmp_path / "run")
    pack.make([tmp_path / "run"], tmp_path / "release", ReleaseOptions(worlds=[str(tiny.path)], models=["M"]))
    checked = verify.verify(tmp_path / "release", worlds=[str(tiny.path)], workers=1)
    assert checked.holds and "drawn with --limit 1" in checked.slices[0]
    assert ranks(board(tmp_path / "release", page=tmp_path / "page.html")) == [("–", "100.0%")]


# ---- size -------------------------------------------------------------------------------------------------------


def test_a_bomb_is_refused_before_it_is_unpacked(copy: Path, tiny: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """A small file of 50,000 answers: they are neither held nor read to the end."""
    data = lzma.decompress((copy / folder.ANSWERS).read_bytes()).splitlines(keepends=True)
    packer = lzma.LZMACompressor(preset=0)
    (copy / folder.ANSWERS).write_bytes(
        b"".join([*(packer.compress(data[0] * 1000) for _ in range(50)), packer.flush()])
    )
    folder.write_sums(copy)
    read = 0

    class Counted(folder._Unpacking):
        def readinto(self, buffer: Any) -> int:
            nonlocal read
            read += (n := super().readinto(buffer))
            return n

    monkeypatch.setattr(folder, "_Unpacking", Counted)
    with pytest.raises(ConfigError, match="occurs twice"):
        verify.verify(copy, worlds=[str(tiny.path)], workers=1)
    assert read < 1 << 20


def test_a_file_that_asks_for_much_memory_is_refused(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folder, "MOST_MEMORY", 1 << 20)
    with pytest.raises(ConfigError, match="Memory usage limit"):
        list(folder.answers(folder.read(copy)))


def test_texts_that_are_too_large_are_not_read(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folder, "MOST_TEXT", 100)
    with pytest.raises(ConfigError, match=r"release\.json cannot be read \(it is larger than"):
        folder.read(copy)


def test_an_older_run_without_what_figures_rest_on_cannot_be_released(made: Path, tiny: World, tmp_path: Path) -> None:
    (run,) = folder.unpack(folder.read(made), tmp_path / "run")
    told = json.loads((run / "run.json").read_text())
    del told["world"]["tasks"]
    (run / "run.json").write_text(json.dumps(told))
    with pytest.raises(ConfigError, match=r"cannot be released: run '\.': world\.tasks is missing"):
        pack.make([run], tmp_path / "out", ReleaseOptions(worlds=[str(tiny.path)]))
    assert not (tmp_path / "out").exists()
