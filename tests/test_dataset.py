"""Worlds have splits that fit together, survive export to disk and to other formats, and are refused if they are
damaged."""

from __future__ import annotations

import json
import math
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from sebench.bank.definition import bank
from sebench.base.errors import BankError, ConfigError, WorldError
from sebench.base.records import Task
from sebench.cli import cli
from sebench.interop.formats import huggingface
from sebench.judge.judge import Judge
from sebench.tasks import dataset, gold, slices, splits
from sebench.values.equality import Profile, difference
from sebench.values.tagged import encode
from sebench.world import build
from sebench.world.build import Slice
from sebench.world.world import World
from tests.conftest import EVERYTHING


def every(world: World) -> list[Task]:
    return [task for split in splits.SPLITS for task in world.tasks(split)]


def test_a_whole_world_has_the_floor_of_the_published_benchmark(world: World) -> None:
    counts = {split: len(world.tasks(split)) for split in splits.SPLITS}
    assert counts == dict(world.manifest.tasks)
    assert counts["train"] >= 718 and counts["single_test"] >= 259 and counts["multi_test"] >= 440
    score = world.manifest.mutants
    assert score["killed"] / (score["killed"] + score["survived"]) >= 0.98


def test_every_function_is_trained_three_times_and_tested_once(world: World) -> None:
    def count(split: str) -> Counter[str]:
        return Counter(next((f for f in t.functions if f != "array"), "array") for t in world.tasks(split))

    train, test = count("train"), count("single_test")
    assert train.keys() == test.keys() == world.names.functions.keys()
    assert min(train.values()) >= 3 and min(test.values()) >= 1


def test_cases_are_enough_distinct_and_apart_from_the_examples(world: World) -> None:
    for task in every(world):
        shown = [dataset.arguments(case.inputs) for case in task.examples]
        scored = [dataset.arguments(case.inputs) for case in task.cases]
        assert len(shown) == 2 and len(scored) >= 8, task.id
        assert len({*shown, *scored}) == len(shown) + len(scored), task.id
        assert max(map(len, shown)) < 1_500 and max(map(len, scored)) < 15_000, task.id


def test_a_task_is_in_one_split_and_the_seed_chooses_which() -> None:
    one, other = splits.assign(bank(), 1), splits.assign(bank(), 2)
    assert one.keys() == other.keys() and one != other
    assert splits.assign(bank(), 1, "fixed") == splits.assign(bank(), 2, "fixed")
    assert splits.assign(bank(), 1) == one


def test_a_warning_of_linear_algebra_is_no_error_if_the_result_is_finite() -> None:
    """With some processors' LAPACK, a purely imaginary pivot warns of a division by zero."""
    task = next(one for one in bank() if one.name == "circuit_determinant_in_parts")
    circuit = [
        [-4j, -4.6 + 2.3j, -1.3 + 1.5j],
        [-1.3 + 2.5j, -3.9 - 2.3j, -0.1 + 2j],
        [0.8 - 2j, -0.8 + 4.4j, 1.4 - 0.5j],
    ]
    sign, size = gold.expected(task, {"circuit": circuit})
    assert abs(sign * math.exp(size) - (11.263 + 27.121j)) < 1e-6
    with pytest.raises(BankError, match="nan or infinity"):
        gold.expected(task, {"circuit": [[0j, 0j], [0j, 0j]]})


def test_no_line_of_the_data_names_the_source_library(world: World) -> None:
    for split in splits.SPLITS:
        text = (world.path / "data" / f"{split}.jsonl").read_text()
        assert "numpy" not in text.lower() and "np." not in text


def test_gold_passes_the_judge_with_provenance(small: World) -> None:
    with Judge(small) as judge:
        verdicts = list(judge.judge_many((task, task.gold) for task in every(small)))
    assert [v for v in verdicts if not v.passed] == []


def test_values_survive_the_trip_to_disk(world: World) -> None:
    """Every input is the same to the last bit, every expected value equal under the strict profile."""
    for definition in bank()[:: 6 if EVERYTHING else 48]:
        made, _ = dataset.draw_cases(definition, 1)
        task = world.task(definition.name)
        for was, now in zip((*made.examples, *made.scored), (*task.examples, *task.cases), strict=True):
            assert repr(dict(was.inputs)) == repr(dict(now.inputs)), definition.name
            wrong = difference(encode(was.expected), encode(now.expected), Profile.STRICT, 0.0, 0.0)
            assert wrong is None, (definition.name, wrong)


@pytest.fixture(scope="module")
def exported(small: World, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small world as a folder for `datasets`."""
    out = tmp_path_factory.mktemp("export") / "hf"
    counts = huggingface.export(small, out)
    there = {split: count for split, count in small.manifest.tasks.items() if count}
    assert counts == {**there, "docs": len(small.pages)}
    return out


def rows(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text().splitlines()]


def test_the_folder_for_load_dataset_has_every_row_and_a_card(exported: Path, small: World) -> None:
    for split, count in small.manifest.tasks.items():
        if count:
            found = rows(exported / f"{split}.jsonl")
            assert [row["id"] for row in found] == [task.id for task in small.tasks(split)]
            assert len({tuple(row) for row in found}) == 1  # the same columns in every row
    card = (exported / "README.md").read_text()
    made = small.manifest
    assert made.fingerprint in card and made.canary in card and "license: mit" in card and "@misc{" in card


def test_every_config_has_the_split_that_it_is_for(exported: Path, tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets")
    datasets.disable_progress_bars()
    for config, split in (("train", "train"), ("single_test", "test"), ("multi_test", "test"), ("docs", "train")):
        loaded = datasets.load_dataset(str(exported), config, cache_dir=str(tmp_path / "cache"))
        assert {name: len(part) for name, part in loaded.items()} == {split: len(rows(exported / f"{config}.jsonl"))}
    assert list(datasets.load_dataset(str(exported), cache_dir=str(tmp_path / "cache"))) == ["train"]


def test_a_row_has_the_prompts_that_a_run_asks_with(exported: Path, small: World) -> None:
    for row in [*rows(exported / "train.jsonl"), *rows(exported / "multi_test.jsonl")]:
        for book in ("closed", "open", "native"):
            assert row[f"prompt_{book}"] == small.prompt(row["id"], book)


def test_a_row_of_a_test_task_does_not_tell_what_only_the_judge_may_know(exported: Path, small: World) -> None:
    """No answer, no scored call, no needed function."""
    for row in rows(exported / "multi_test.jsonl"):
        task = small.task(row["id"])
        told = json.dumps({column: text for column, text in row.items() if column != "prompt_open"})
        assert task.gold not in told and not any(
            f"{task.entry}({dataset.arguments(c.inputs)})" in told for c in task.cases
        )
        assert not any(small.names.functions[path] in told for path in task.functions)


def test_a_row_is_judged_by_its_id_where_the_world_is(exported: Path, small: World) -> None:
    with Judge(small) as judge:
        for row in rows(exported / "train.jsonl")[:4]:
            assert row["world"] == small.manifest.fingerprint
            assert judge.judge(row["id"], row["gold"]).targeted
            assert not judge.judge(row["id"], row["signature"]).passed


def test_an_export_with_answers_can_be_read_as_tasks(small: World, tmp_path: Path) -> None:
    huggingface.export(small, tmp_path / "hf", answers=True)
    for row in rows(tmp_path / "hf" / "single_test.jsonl"):
        assert dataset.from_json(row, small.names) == small.task(row["id"])
    assert "Not for publication" in (tmp_path / "hf" / "README.md").read_text()


def test_the_evaluation_file_names_a_leaderboard_for_each_test_and_book(exported: Path) -> None:
    yaml = pytest.importorskip("yaml")
    told = yaml.safe_load((exported / "eval.yaml").read_text())
    assert {"name", "description", "evaluation_framework", "tasks"} == told.keys()
    assert all((exported / f"{task['config']}.jsonl").is_file() for task in told["tasks"])
    assert {task["id"] for task in told["tasks"]} >= {"single_test_closed", "single_test_open", "multi_test_closed"}


def test_a_slice_is_consistent(small: World) -> None:
    assert len(small.names.functions) == 12 and len(small.pages) == 12
    for task in every(small):
        assert set(task.functions) <= small.names.functions.keys()
    assert len(small.tasks("multi_test")) >= 1


def test_a_slice_keeps_the_names_of_the_whole(world: World) -> None:
    part = build.plan(1, part=Slice(subjects=("statistics", "sums")))
    assert len(part.names.functions) > 20
    assert all(world.names.functions[path] == name for path, name in part.names.functions.items())


@pytest.mark.parametrize(
    ("part", "message"),
    [
        (Slice(subjects=("alchemy",)), "unknown subject 'alchemy'; choose from"),
        (Slice(subjects=("functional",)), "no multi-function task uses only functional"),
        (Slice(functions=2), "--functions 2: choose 6 to"),
        (Slice(functions=9999), "--functions 9999: choose 6 to"),
        (Slice(subjects=("sums",), functions=9), "cannot be used together"),
    ],
)
def test_a_slice_that_makes_no_benchmark_is_refused_and_nothing_written(
    part: Slice, message: str, tmp_path: Path
) -> None:
    with pytest.raises(ConfigError, match=message):
        World.build(1, tmp_path / "w", part=part)
    assert list(tmp_path.iterdir()) == []


def test_the_seed_draws_the_slice() -> None:
    assert slices.by_count(20, 1) == slices.by_count(20, 1) != slices.by_count(20, 2)
    assert len(slices.by_count(20, 1)) == 20


def test_a_damaged_line_is_named(small: World, tmp_path: Path) -> None:
    file = tmp_path / "train.jsonl"
    file.write_text('{"id": "x"}\n')
    with pytest.raises(WorldError, match=r"train\.jsonl, line 1: this is not a task of this world"):
        dataset.read(file, small.names)


def test_unknown_tasks_and_splits_are_one_line(small: World) -> None:
    with pytest.raises(ConfigError, match="no task 'nothing'"):
        small.task("nothing")
    with pytest.raises(ConfigError, match="unknown split 'dev'"):
        small.tasks("dev")


def test_a_flag_of_another_format_is_refused(small: World, tmp_path: Path) -> None:
    for flags, message in (
        (["--book", "open"], "--book works only with --format verl, not with --format hf"),
        (["--answers", "--format", "published"], "--answers works only with --format hf, not with --format published"),
    ):
        done = CliRunner().invoke(cli, ["tasks", "export", str(small.path), "--out", str(tmp_path / "out"), *flags])
        assert message in str(done.exception) and not (tmp_path / "out").exists()


def test_a_world_is_the_same_on_one_core_and_on_two() -> None:
    """Sets are written in the order of their elements, which a copy may change."""
    chosen = [one for one in bank() if one.name in ("rabbit_growth_rates", "three_leaky_tanks", "break_even_points")]
    assert len(chosen) == 3
    on_one, on_two = (repr(list(dataset._draw_all(chosen, 2001, cores))) for cores in (1, 2))
    assert on_one == on_two
