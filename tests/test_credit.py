"""Credit requires knowledge of the functions that the task is about, not just of some name. Programs that launder
results, scan the library or name all functions get none; honest answers do."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

from sebench.base.errors import ConfigError
from sebench.base.records import Blame, CoreFunction, Kind, Task, Verdict
from sebench.forge.catalog import catalog
from sebench.forge.names import naming
from sebench.judge import credit
from sebench.judge.judge import Judge, Limits
from sebench.tasks import core, dataset, splits
from sebench.world.build import Slice
from sebench.world.world import World
from tests.conftest import EVERYTHING
from tests.corpora import fill
from tests.judge_tasks import task

OPEN_BOOK = Path(__file__).parent / "open_book"


@pytest.fixture(scope="module")
def judge(world: World) -> Iterator[Judge]:
    with Judge(world, limits=Limits(cpu_s=2)) as made:
        yield made


def verdict(judge: Judge, asked: Task, code: str) -> Verdict:
    text = fill(code, judge.world.names)
    assert text is not None
    return judge.judge(asked, f"```python\n{text}\n```")


def program(asked: Task, body: str, lead: str = "import LIB") -> str:
    return f"{lead}\ndef {asked.entry}({', '.join(asked.parameters)}):\n    {body}\n"


TARGETED = {
    "the function itself": ("mean", "return LIB.F[mean](a)"),
    "on an array": ("mean", "return LIB.F[mean](LIB.F[array](a))"),
    "in another order": ("summary", "s = LIB.F[std](a)\n    return {'mean': LIB.F[mean](a), 'spread': s}"),
    "row by row": ("column_sums", "return [LIB.F[sum](list(c)) for c in zip(*m)]"),
    "behind the wall": ("mean", "return f'{0}' and LIB.F[mean](a)"),
}
UNTARGETED = {
    "laundered": ("mean", "return LIB.F[max]([sum(a) / len(a)])"),
    "laundered twice": ("mean", "return LIB.F[max]([LIB.F[median]([sum(a) / len(a)])])"),
    "laundered as a whole": ("running_total", "t = [sum(a[: i + 1]) for i in range(len(a))]\n    return "
                                              "LIB.F[ravel](t)"),
    "a gate": ("mean", "return sum(a) / len(a) if LIB.F[size](a) == len(a) else None"),
    "a gate behind the wall": ("mean", "print(1)\n    return sum(a) / len(a) if LIB.F[size](a) == len(a) else None"),
    "half of it": ("summary", "m = LIB.F[mean](a)\n    return {'mean': m, 'spread': (sum((v - m) ** 2 for v in a) / "
                              "len(a)) ** 0.5}"),
    "split and added": ("sorted_copy", "return [LIB.F[sum]([v - 1, 1]) for v in sorted(a)]"),
}  # fmt: skip


@pytest.mark.parametrize("name", TARGETED)
def test_honest_use_is_credited(name: str, judge: Judge) -> None:
    sample, body = TARGETED[name]
    asked = task(sample, names=judge.world.names)
    found = verdict(judge, asked, program(asked, body))
    assert found.targeted, found
    assert found.reward() == 1.0
    assert found.uncredited == ()


@pytest.mark.parametrize("name", UNTARGETED)
def test_other_uses_pass_without_credit(name: str, judge: Judge) -> None:
    sample, body = UNTARGETED[name]
    asked = task(sample, names=judge.world.names)
    found = verdict(judge, asked, program(asked, body))
    assert (found.passed, found.targeted, found.reward(), found.reward("passed")) == (True, False, 0.0, 1.0), found
    assert found.uncredited
    assert "no credit" in found.detail


def test_the_whole_vocabulary_is_no_knowledge(judge: Judge) -> None:
    """A program that names everything finds what it needs, and is not credited for it."""
    names = judge.world.names
    everything = ", ".join(f"{names.package}.{path}" for path in names.functions.values())
    code = (
        f"import {names.package}\nALL = [{everything}]\ndef average(a):\n    for f in ALL:\n        try:\n            "
        "v = f(a)\n"
        "            if abs(v - sum(a) / len(a)) < 1e-9:\n                return v\n        except Exception:\n       "
        "     pass\n"
    )
    found = judge.judge(task("mean", names=judge.world.names), f"```python\n{code}\n```")
    assert not found.targeted, found


def test_a_program_that_names_far_more_than_its_task_needs_is_not_credited(judge: Judge) -> None:
    names = judge.world.names
    asked = task("mean", names=judge.world.names)
    many = ", ".join(f"{names.package}.{path}" for path in list(names.functions.values())[:8])
    found = verdict(judge, asked, program(asked, f"return ([{many}], LIB.F[mean](a))[1]"))
    assert (found.passed, found.targeted) == (True, False), found
    assert "names" in found.detail


def test_scanning_finds_nothing(judge: Judge) -> None:
    body = (
        "for n in dir(LIB):\n        try:\n            v = getattr(LIB, n)(a)\n            if v == sum(a) / len(a):\n "
        "               return v\n"
        "        except Exception:\n            pass\n    return None"
    )
    assert not verdict(judge, task("mean"), program(task("mean"), body)).passed


def test_an_alternative_counts_where_it_is_recorded(judge: Judge) -> None:
    body = "return LIB.F[sum](a) / len(a)"
    asked = task("mean", names=judge.world.names)
    alone = replace(asked, core=(CoreFunction("mean"),))
    assert verdict(judge, alone, program(asked, body)).targeted is False
    assert verdict(judge, asked, program(asked, body)).targeted  # a task from elsewhere has what is recorded for all
    recorded = replace(asked, core=(CoreFunction("mean", ("sum",)),))
    assert verdict(judge, recorded, program(asked, body)).targeted
    assert verdict(judge, recorded, program(asked, "return LIB.F[sum]([sum(a) / len(a), 0])")).targeted is False


@pytest.mark.parametrize("wall", ["", "print(1)\n    "])
def test_an_alternative_must_work_and_not_only_be_asked(wall: str, judge: Judge) -> None:
    """A test whether the library speaks the truth has two answers, whatever the lie: `sum` is no use of itself here."""
    asked = replace(task("mean", names=judge.world.names), core=(CoreFunction("mean", ("sum",)),))
    gate = "return sum(a) / len(a) if abs(LIB.F[sum](a) - sum(a)) < 1e-9 else None"
    found = verdict(judge, asked, program(asked, wall + gate))
    assert (found.passed, found.targeted) == (True, False), found
    assert verdict(judge, asked, program(asked, wall + "return LIB.F[sum](a) / len(a)")).targeted


def test_a_constant_call_earns_nothing(judge: Judge) -> None:
    """`own if core(constant) is right` knows the function by name alone."""
    asked = replace(task("mean", names=judge.world.names), core=(CoreFunction("mean"),))
    gate = "own = sum(a) / len(a)\n    return own if LIB.F[mean]([1.0, 3.0]) == 2.0 else None"
    assert not verdict(judge, asked, program(asked, gate)).passed
    everywhere = replace(asked, core=(CoreFunction("mean", everywhere=True),))
    assert not verdict(judge, everywhere, program(asked, gate)).targeted


def test_gold_is_credited(judge: Judge) -> None:
    """Some test tasks: a build has proved that gold depends on each function of its core."""
    step = 8 if EVERYTHING else 24
    tasks = [t for split in ("single_test", "multi_test", "transfer_test") for t in judge.world.tasks(split)[::step]]
    verdicts = judge.judge_many((t, t.gold) for t in tasks)
    assert [t.id for t, v in zip(tasks, verdicts, strict=True) if not v.targeted] == []


def test_laundering_with_names_outside_the_core_is_not_credited(judge: Judge) -> None:
    """Some test tasks, with a table of expected values in place of the policy's own computation (`benchmarks/credit.py`
    has many more)."""
    names = judge.world.names
    pairs = []
    for split in ("single_test", "multi_test"):
        for asked in judge.world.tasks(split)[::40]:
            known = {one.path for one in asked.core} | {a for one in asked.core for a in one.alternatives}
            others = [f for f in ("max", "sum", "mean", "prod", "median", "min", "nanmax") if f not in known][:3]
            table = {repr(tuple(case.inputs.values())): case.expected for case in asked.cases}
            nested = "v"
            for other in others:
                nested = f"{names.forged(other)}([{nested}])"
            code = (
                f"import {names.package}\nnan, inf = float('nan'), float('inf')\nTABLE = {table!r}\n"
                f"def through(v):\n    if isinstance(v, (list, tuple)):\n        return type(v)(map(through, v))\n"
                f"    return {nested} if type(v) in (int, float) else v\n"
                f"def {asked.entry}({', '.join(asked.parameters)}):\n    return "
                f"through(TABLE[repr(({', '.join(asked.parameters)},))])\n"
            )
            pairs.append((asked, f"```python\n{code}\n```"))
    verdicts = list(judge.judge_many(pairs))
    assert sum(v.passed for v in verdicts) > len(pairs) / 2  # it does work, without credit
    assert [asked.id for (asked, _), v in zip(pairs, verdicts, strict=True) if v.targeted] == []


def test_right_open_book_answers_are_credited(judge: Judge) -> None:
    """Answers in many styles, written with the documentation alone; all of them in `make test-all` (and in
    benchmarks/credit.py)."""
    pairs = []
    for file in sorted(OPEN_BOOK.glob("*.md")):
        for part in re.split(r"^<!-- task: ", file.read_text("utf-8"), flags=re.MULTILINE)[1:]:
            name, _, text = part.partition(" -->\n")
            response = fill(text, judge.world.names)
            assert response is not None
            pairs.append((judge.world.task(name), response))
    assert len(pairs) > 500
    pairs = pairs if EVERYTHING else pairs[::10]
    verdicts = list(judge.judge_many(pairs))
    right = [v for v in verdicts if v.passed]
    assert len(right) >= 0.98 * len(pairs)
    assert sum(bool(v.targeted) for v in right) >= 0.95 * len(right)


def test_the_core_leaves_out_what_has_another_form(world: World) -> None:
    assert core.core_paths(("subtract", "mean"), world.entries) == ("mean",)
    assert core.core_paths(("subtract", "multiply"), world.entries) == ("subtract", "multiply")
    assert core.core_paths(("array", "put"), world.entries) == ("put",)
    assert core.core_paths(("array",), world.entries) == ("array",)


def test_a_function_of_the_core_stands_for_another_only_where_its_task_records_that() -> None:
    paths = ("apply_over_axes", "sum", "argmax")
    assert "sum" in core.alternatives("no_such_task", "apply_over_axes", ("apply_over_axes", "argmax"))
    assert "sum" not in core.alternatives("no_such_task", "apply_over_axes", paths)
    assert "sum" in core.alternatives("branch_shares", "apply_over_axes", paths)


def test_every_recorded_alternative_is_a_function_and_every_task_is_there(world: World) -> None:
    recorded = core._recorded_alternatives()
    tasks = {t.id: t for split in splits.SPLITS for t in world.tasks(split)}
    for path, others in recorded["any"].items():
        assert path in catalog.entries(), path
        assert set(others) <= set(catalog.entries()), (path, others)
        assert path not in others, path
    for name, found in recorded["tasks"].items():
        assert name in tasks, name
        assert set(found) <= set(tasks[name].functions), name


def test_a_reward_is_none_for_faults_that_are_not_the_candidates() -> None:
    for blame in (Blame.SANDBOX, Blame.TASK, Blame.PROVIDER):
        assert Verdict(Kind.FAULT, blame).reward() is None
    assert Verdict(Kind.WRONG_VALUE).reward() == 0.0


@pytest.mark.parametrize("kind", [Kind.PASSED, Kind.WRONG_VALUE, Kind.COMPOSED])
def test_a_reward_for_an_unknown_credit_is_refused(kind: Kind) -> None:
    with pytest.raises(ConfigError, match="credit = 'Passed': must be 'targeted' or 'passed'"):
        Verdict(kind, Blame.NONE, targeted=True).reward("Passed")


def test_a_task_without_functions_has_no_credit_to_give(judge: Judge) -> None:
    asked = replace(task("mean"), functions=())
    found = verdict(judge, asked, program(asked, "return LIB.F[mean](a)"))
    assert (found.passed, found.targeted) == (True, None)
    assert found.reward("passed") == 1.0
    with pytest.raises(ConfigError, match="credit='passed'"):
        found.reward()


def test_rewards_of_a_batch(judge: Judge) -> None:
    asked = task("mean", names=judge.world.names)
    texts = [
        fill(program(asked, body), judge.world.names)
        for body in ("return LIB.F[mean](a)", "return LIB.F[max]([sum(a) / len(a)])", "return 1")
    ]
    pairs = [(asked, f"```python\n{text}```") for text in texts]
    assert asyncio.run(judge.rewards(pairs)) == [1.0, 0.0, 0.0]
    assert asyncio.run(judge.rewards(pairs, credit="passed")) == [1.0, 1.0, 0.0]
    assert [judge.reward(*pair) for pair in pairs] == [1.0, 0.0, 0.0]


def test_how_many_names_a_program_may_have() -> None:
    assert credit.most_names(task("mean")) == 6
    assert credit.most_names(task("summary")) == 8


@pytest.mark.parametrize("wall", [False, True], ids=["shared", "behind the wall"])
def test_a_list_of_names_is_no_answer(judge: Judge, wall: bool) -> None:
    asked, library = task("mean"), judge.world.names.package
    existing = [f"{library}.{path}" for path in sorted(judge.world.names.functions.values()) if "." not in path]
    words = ("".join(letters) for letters in product("bdfgk", "aei", "lmnrs", "ou", "xzvw"))
    known = {path.rpartition(".")[2] for path in judge.world.names.functions.values()}
    guesses = [f"{library}.{word}" for word in words if word not in known]
    lead = f"import LIB\n{'import string' if wall else ''}\ndef unused():\n    return "

    def answered(names: list[str]) -> Kind:
        return verdict(judge, asked, program(asked, "return LIB.F[mean](a)", f"{lead}[{', '.join(names)}]")).kind

    own = f"{library}.{judge.world.names.functions['mean']}"
    others = [name for name in existing if name != own]
    most = credit.most_listed(asked)
    assert answered(others[: most - 1]) is Kind.PASSED
    assert answered(others[:most]) is Kind.NOT_FROM_LIBRARY
    assert answered(guesses[: credit.MOST_GUESSES]) is Kind.PASSED
    assert answered(guesses[: credit.MOST_GUESSES + 1]) is Kind.NOT_FROM_LIBRARY
    assert answered([f"unused.{name.rpartition('.')[2]}" for name in guesses]) is Kind.NOT_FROM_LIBRARY
    asked = replace(asked, functions=())  # how many it needs is not known
    assert answered(others[:most]) is Kind.PASSED


def test_words_after_a_star_import_are_counted(judge: Judge) -> None:
    asked = task("mean")
    words = ", ".join("".join(letters) for letters in product("bdfgk", "aei", "lmnrs", "ou", "xzvw"))
    body = f"return F[mean](a)\n\ndef unused():\n    return {words}"
    found = verdict(judge, asked, program(asked, body, "from LIB import *"))
    assert found.kind is Kind.NOT_FROM_LIBRARY and "do not exist" in found.detail


def test_gold_is_credited_where_the_first_lies_hardly_change_its_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With this seed, only one of eleven answers of gold changes when `min` lies in the usual ways."""
    every = dataset.definitions
    only = "same_deck_profile"
    monkeypatch.setattr(dataset, "definitions", lambda *of: tuple(d for d in every(*of) if d.name == only))
    part = Slice(subjects=("arithmetic", "sums", "logic", "creation"))
    world = World.build(90, tmp_path / "w", part=part, level=naming.PARAMETERS)
    [asked] = world.tasks("multi_test")
    smallest = world.names.forged("min")
    assert smallest in asked.gold
    with Judge(world, workers=1) as judge:
        assert judge.judge(asked, asked.gold).targeted
        by_hand = re.sub(rf"{re.escape(smallest)}\((\w+)\)", rf"[min(\1), {smallest}(\1)][0]", asked.gold)
        verdict = judge.judge(asked, by_hand)
        assert verdict.passed and not verdict.targeted and verdict.uncredited
