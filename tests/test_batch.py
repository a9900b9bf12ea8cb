"""Files of rollouts: every line gets its verdict or its reason, and the same command again continues."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from sebench.judge import batch
from sebench.judge.judge import Judge
from sebench.records import Blame, Kind, Verdict
from sebench.world import World

CASES = Path(__file__).parent / "data" / "judge_cases"
# Every expected value of this case is the same, so no wrong value of the library can change the answer.
NOT_DISCRIMINATING = {"p14_in_2d"}


@pytest.fixture(scope="module")
def judge(published: World) -> Iterator[Judge]:
    with Judge(published) as made:
        yield made


def run(judge: Judge, file: Path, out: Path) -> tuple[batch.Tally, dict[str, Verdict]]:
    tally = batch.Tally()
    return tally, {line.id: verdict for line, verdict in batch.judge_file(judge, file, out, {}, tally)}


@pytest.mark.parametrize("name", ["honest", "exploits"])
def test_the_cases_that_were_run_through_the_published_scorer(name: str, judge: Judge, tmp_path: Path) -> None:
    file = CASES / f"{name}.jsonl"
    right = {d["id"]: d["should_be"] == "correct" for d in map(json.loads, file.read_text().splitlines())}
    tally, verdicts = run(judge, file, tmp_path / "out.jsonl")
    assert tally.bad == []
    assert verdicts.keys() == right.keys()
    wrong = {n: v.detail for n, v in verdicts.items() if v.passed != right[n] and n not in NOT_DISCRIMINATING}
    assert wrong == {}


def test_an_interrupted_file_continues_and_a_torn_line_is_owed_again(judge: Judge, tmp_path: Path) -> None:
    file, out = CASES / "honest.jsonl", tmp_path / "out.jsonl"
    _, first = run(judge, file, out)
    whole = out.read_bytes()
    lines = whole.splitlines(keepends=True)
    out.write_bytes(b"".join(lines[:10]) + lines[10][:25])
    _, again = run(judge, file, out)
    assert {n: v.kind for n, v in again.items()} == {n: v.kind for n, v in first.items()}
    assert len(out.read_bytes().splitlines()) == len(lines)
    before = out.read_bytes()
    run(judge, file, out)
    assert out.read_bytes() == before


def test_another_profile_and_a_fault_of_ours_are_judged_again(judge: Judge, tmp_path: Path) -> None:
    file, out = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    file.write_text((CASES / "honest.jsonl").read_text().splitlines(keepends=True)[0])
    run(judge, file, out)
    with Judge(judge.world, profile="paper") as paper:
        run(paper, file, out)
    assert len(out.read_text().splitlines()) == 2
    fault = {**json.loads(out.read_text().splitlines()[0]), "kind": "fault", "blame": "sandbox"}
    out.write_text(f"{json.dumps(fault)}\n")
    _, verdicts = run(judge, file, out)
    assert [v.passed for v in verdicts.values()] == [True]


def test_bad_lines_are_reported_by_number_and_the_others_judged(judge: Judge, tmp_path: Path) -> None:
    good = (CASES / "honest.jsonl").read_text().splitlines()[0]
    odd = json.dumps({**json.loads(good), "response": 3})
    unknown = json.dumps({"task_id": "none", "response": "x"})
    file = tmp_path / "in.jsonl"
    file.write_bytes(
        "\n".join([good, "{", "[]", "{}", odd, unknown, "", good.replace("h01", "h02")]).encode() + b"\n\xff\n"
    )
    tally, verdicts = run(judge, file, tmp_path / "out.jsonl")
    assert [bad.split(":")[0] for bad in tally.bad] == [f"line {n}" for n in (2, 3, 4, 5, 6, 9)]
    assert all(v.passed for v in verdicts.values())
    assert len(verdicts) == 2


def test_faults_are_not_counted_as_wrong() -> None:
    tally = batch.Tally()
    for verdict in (Verdict(Kind.PASSED, Blame.NONE), Verdict(Kind.WRONG_VALUE), Verdict(Kind.FAULT, Blame.SANDBOX)):
        tally.count(verdict)
    assert (tally.judged, tally.excluded, tally.accuracy) == (2, 1, 0.5)
    assert [passed for _, passed in tally.outcomes] == [True, False]
    low, high = tally.interval()
    assert 0 < low < 0.5 < high < 1
