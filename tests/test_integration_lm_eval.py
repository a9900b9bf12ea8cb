"""lm-evaluation-harness asks our questions and scores answers as the judge does. The functions that its task files call
are always tested; the harness itself only if it is installed."""

from __future__ import annotations

from pathlib import Path
from statistics import mean
from typing import Any

import pytest

from sebench.base.errors import SebenchError
from sebench.interop.frameworks import lm_eval as ours
from sebench.interop.frameworks.scoring import AnswerScore
from sebench.tasks import splits
from sebench.world.world import World
from tests import answers

FOLDER = Path(ours.__file__).parent / "lm_eval_tasks"


def documents(world: World) -> list[dict[str, str]]:
    where = {"world": world.manifest.fingerprint, "address": str(world.path), "book": "closed"}
    return [{"task": task.id, **where} for task in answers.tasks(world)]


def test_two_hundred_answers_are_scored_as_by_the_judge(small: World) -> None:
    expected = answers.expected(str(small.path))
    asked = documents(small)
    texts = [[answers.answer(small, one["task"], i) for i in range(answers.SAMPLES)] for one in asked]
    judged = ours.judge(texts, asked)
    for one, found in zip(asked, judged, strict=True):
        assert [AnswerScore(**score) for score in found] == [expected[one["task"], i] for i in range(answers.SAMPLES)]
    metrics = [ours.scores(one, [found]) for one, found in zip(asked, judged, strict=True)]
    assert mean(m["passed"] for m in metrics) == pytest.approx(mean(s.passed or 0 for s in expected.values()))
    assert mean(m["pass_at_k"] for m in metrics) > mean(m["passed"] for m in metrics)


def test_a_fault_has_no_metric(small: World) -> None:
    def judged(*passed: float | None) -> dict[str, float]:
        return ours.scores({}, [[{"passed": one, "targeted": one} for one in passed]])

    assert judged(None) == {}
    assert judged(1.0, None) == {"passed": 1.0, "targeted": 1.0, "pass_at_k": 1.0}
    assert judged(0.0, None) == {"passed": 0.0, "targeted": 0.0}  # the other answer might have passed
    assert judged(0.0, 0.0)["pass_at_k"] == 0.0


def test_answers_are_not_judged_in_another_world(small: World, tiny: World) -> None:
    one = {**documents(small)[0], "address": str(tiny.path)}
    with pytest.raises(SebenchError, match="the answers belong to world"):
        ours.judge([["no code"]], [one])


def test_there_is_a_task_file_for_every_split_and_book() -> None:
    wanted = {
        f"sebench_{book}_{split.removesuffix('_test')}"
        for split in splits.SPLITS
        for book in ("closed", "open", "native")
        if (split, book) != (splits.BOUNDARY_TEST, "native")  # NumPy lacks nothing
    }
    assert {file.stem for file in FOLDER.glob("sebench_*_*.yaml")} == wanted
    for name in wanted:
        book, split = name.split("_")[1:]
        text = (FOLDER / f"{name}.yaml").read_text()
        assert f"task: {name}\n" in text and f"book: {book}\n" in text and f"split: {split}" in text


class TestInTheHarness:
    @pytest.fixture(autouse=True)
    def installed(self) -> None:
        pytest.importorskip("lm_eval")

    def evaluate(self, world: World | None, tasks: list[str], model: Any = None, include: Any = FOLDER) -> Any:
        import lm_eval
        from lm_eval.tasks import TaskManager

        metadata = {"world": str(world.path)} if world else {}
        manager = TaskManager(include_path=include, include_defaults=False, metadata=metadata)
        return lm_eval.simple_evaluate(model=model, tasks=tasks, task_manager=manager)

    @pytest.mark.filterwarnings("ignore")
    def test_accuracy_is_that_of_the_judge_in_every_book(self, small: World, tmp_path: Path) -> None:
        (tmp_path / "mine.yaml").write_text(
            f"include: {FOLDER}/sebench_closed_train.yaml\ntask: mine\nrepeats: {answers.SAMPLES}\n"
        )
        found = self.evaluate(small, ["mine"], model(small, "closed"), [str(FOLDER), str(tmp_path)])["results"]["mine"]
        scores = answers.expected(str(small.path))
        ours = [scores[task.id, i] for task in small.tasks("train") for i in range(answers.SAMPLES)]
        assert found["passed,judged"] == pytest.approx(mean(one.passed or 0 for one in ours))
        assert found["targeted,judged"] == pytest.approx(mean(one.targeted or 0 for one in ours))
        assert found["passed_stderr,judged"] > 0
        both = self.evaluate(small, ["sebench_open", "sebench_closed"], model(small, "open", "closed"))["results"]
        singles, multis = (both[f"sebench_open_{split}"]["passed,judged"] for split in ("single", "multi"))
        counts = [len(small.tasks(f"{split}_test")) for split in ("single", "multi")]
        weighted = (singles * counts[0] + multis * counts[1]) / sum(counts)
        assert both["sebench_open"]["passed,judged"] == pytest.approx(weighted)

    @pytest.mark.filterwarnings("ignore")
    def test_no_world_is_one_line(self, small: World, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("SEBENCH_WORLD", raising=False)
        with pytest.raises(SebenchError, match="no world: pass one with --metadata"):
            self.evaluate(None, ["sebench_closed_single"], model(small, "closed"))


def model(world: World, *books: str) -> Any:
    """A scripted model for the harness."""
    from lm_eval.api.model import LM

    class Scripted(LM):  # type: ignore[misc]
        def generate_until(self, requests: list[Any], disable_tqdm: bool = False) -> list[str]:
            answering = answers.Answering(world, *books)
            return [answering(request.args[0]) for request in requests]

        def loglikelihood(self, requests: list[Any]) -> list[Any]:
            raise NotImplementedError

        loglikelihood_rolling = loglikelihood

    return Scripted()
