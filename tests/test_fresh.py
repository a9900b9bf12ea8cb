"""On platforms without fork, a fresh interpreter judges: it gives the same verdicts more slowly, and reports that
nothing isolates it."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from sebench.base.records import Kind
from sebench.cli import cli, doctor
from sebench.judge.judge import Judge, Limits
from sebench.models import scripted
from sebench.world.world import World
from tests.conftest import EVERYTHING, slow

ANSWERS = {
    "gold": ("", Kind.PASSED),
    "an answer without the library": ("    return 0", Kind.WRONG_TYPE),
    "an endless loop": ("    while True:\n        pass", Kind.TIME),
    "too much memory": ("    return [0] * 10**11", Kind.MEMORY),
    "leaving": ("    raise SystemExit(3)", Kind.RAISED),
    "a class": ("    class C: pass\n    return C()", Kind.WRONG_TYPE),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_verdicts_are_those_of_the_zygote(name: str, small: World, monkeypatch: pytest.MonkeyPatch) -> None:
    task = next(t for t in small.tasks("single_test") if isinstance(t.cases[0].expected, list))
    body, kind = ANSWERS[name]
    answer = f"```python\n{task.signature}\n{body}\n```" if body else task.gold
    with Judge(small, limits=Limits(cpu_s=1)) as judge:
        wanted = judge.judge(task, answer)
    monkeypatch.setenv("SEBENCH_NO_FORK", "1")
    with Judge(small, limits=Limits(cpu_s=1)) as judge:
        verdict = judge.judge(task, answer)
        assert [layer.holds for layer in judge.layers] == [False]
    assert verdict.kind == wanted.kind
    assert verdict.kind in (kind, Kind.WRONG_SHAPE)


def test_gold_is_credited_behind_the_wall_of_fresh_interpreters(small: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEBENCH_NO_FORK", "1")
    tasks = small.tasks("single_test")[: 3 if EVERYTHING else 1]  # an interpreter for every run
    with Judge(small, walled=True) as judge:
        assert all(v.targeted for v in judge.judge_many((t, t.gold) for t in tasks))


@slow
def test_answers_in_numpy_are_judged_without_fork(small: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEBENCH_NO_FORK", "1")
    task = small.tasks("single_test")[0]
    with Judge(small, limits=Limits(cpu_s=1)) as judge:
        right = judge.judge_native(task, scripted.numpy(small)(task, 0))
        endless = judge.judge_native(task, f"```python\n{task.signature}\n    while True: pass\n```")
    assert right.targeted and right.numpy_passed
    assert (endless.kind, endless.numpy_passed) == (Kind.TIME, False)


def test_the_command_says_what_is_missing_and_can_refuse(small: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEBENCH_NO_FORK", "1")
    monkeypatch.setattr(doctor, "VERDICTS", 2)  # each of them starts an interpreter
    done = CliRunner().invoke(cli, ["doctor", str(small.path), "--json"])
    assert done.exit_code == 1
    assert "fresh interpreter" in json.loads(done.stdout)["layers"][0]["detail"]
