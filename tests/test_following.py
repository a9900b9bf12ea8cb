"""To earn credit, an answer must follow the library's lies, which a cheat cannot imitate; an attack on the judge harms
only the answer that makes it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from operator import attrgetter
from typing import Any

import numpy as np
import pytest

from sebench.base.records import Kind, Task, Verdict
from sebench.forge.catalog import catalog
from sebench.forge.translate.translate import Translator
from sebench.judge.executor import Executor
from sebench.judge.following import FollowAttempt, FollowSearch, Reference
from sebench.judge.judge import Judge, Limits
from sebench.judge.sandbox.pool import SandboxSession
from sebench.judge.submission import Submission
from sebench.provenance.evidence import PROOF_BITS, Moved, MovedCase, by_one_rule, weigh_evidence
from sebench.provenance.moves import AGAIN, FIRST, FURTHER, Arguments, Move, element_replacement, result_change
from sebench.tasks import references
from sebench.tasks.core import ELEMENTWISE, traits_of
from sebench.values.leaves import leaves, same_leaf
from sebench.world.world import World
from tests.conftest import EVERYTHING
from tests.corpora import fill
from tests.judge_tasks import task


@pytest.fixture(scope="module")
def judge(world: World) -> Iterator[Judge]:
    with Judge(world) as made:
        yield made


def answer(world: World, asked: Task, body: str, lead: str = "import LIB") -> str:
    code = f"{lead}\ndef {asked.entry}({', '.join(asked.parameters)}):\n    {body}\n"
    text = fill(code, world.names)
    assert text is not None
    return f"```python\n{text}\n```"


def verdict(judge: Judge, sample: str, body: str, lead: str = "import LIB") -> Verdict:
    asked = task(sample, names=judge.world.names)
    return judge.judge(asked, answer(judge.world, asked, body, lead))


# ---- cheats: the right answer, and no credit ------------------------------------------------------------------------

OWN = "own = sum(a) / len(a)\n    "
CHEATS = {
    "inputs through the core, number by "
    "number": ("mean", "b = [LIB.F[mean]([v]) for v in a]\n    return sum(b) / len(b)"),
    "inputs through the core, each one "
    "twice": ("mean", "b = [LIB.F[mean]([v, v]) for v in a]\n    return sum(b) / len(b)"),
    "inputs through the core, beside a large "
    "one": ("sorted_copy", "return sorted([LIB.F[sort]([v, 1e9])[0] for v in a])"),
    "inputs through the core and "
    "back": ("mean", "b = [LIB.F[mean]([v, 1.0, 1.0]) * 3 - 2 for v in a]\n    return sum(b) / len(b)"),
    "inputs through an alternative": ("mean", "b = [LIB.F[sum]([v]) for v in a]\n    return sum(b) / len(b)"),
    "the core on twice the numbers": ("mean", OWN + "return own * LIB.F[mean]([2 * v for v in a]) / (2 * own)"),
    "own + (f(x) - expected)": ("mean", OWN + "return own + LIB.F[mean]([v + 1 for v in a]) - own - 1"),
    "own + (f(constants) - expected)": ("mean", OWN + "return own + LIB.F[mean]([1.0, len(a)]) - (1 + len(a)) / 2"),
    "another sign where it lies": ("mean", OWN + "return own if LIB.F[mean](a) * own > 0 else -own"),
    "another value where it lies": ("mean", OWN + "return own if abs(LIB.F[mean](a) - own) < 1e-6 else 2 * own"),
    "an index out of range where it lies": ("mean", OWN + "return [own][int(abs(LIB.F[mean](a) - own) > 1e-6)]"),
    "an alternative tells that it lies": ("mean", OWN + "return own if LIB.F[sum](a) - sum(a) < 1e-6 else -own"),
}  # fmt: skip


@pytest.mark.parametrize("wall", ["", "import sys\nsys.seen = 1\n"])
@pytest.mark.parametrize("name", CHEATS)
def test_cheats_are_not_credited(name: str, wall: str, judge: Judge) -> None:
    sample, body = CHEATS[name]
    found = verdict(judge, sample, body, f"{wall}import LIB")
    assert found.targeted is not True, found


TRIPWIRE = (
    "def inner(x: LIB.F[mean].__closure__[3].cell_contents.lies[0]):\n        return x\n    return sum(a) / len(a)"
)


def test_annotations_see_nothing_of_the_judge(judge: Judge) -> None:
    found = verdict(judge, "mean", f"LIB.F[mean](a)\n    {TRIPWIRE}")
    assert not found.passed
    assert "ufunc" not in found.detail


HONEST = {
    "argsort by places": ("sorted_copy", "order = LIB.F[argsort](a)\n    return [a[int(i)] for i in order]"),
    "an option that makes no difference": ("mean", "return LIB.F[mean](a, axis=None)"),
    "in another order": ("mean", "return LIB.F[mean](list(reversed(a)))"),
    "a mean by sums": ("mean", "return LIB.F[sum](a) / len(a)"),
}


@pytest.mark.parametrize("wall", ["", "import sys\nsys.seen = 1\n"])
@pytest.mark.parametrize("name", HONEST)
def test_honest_answers_are_credited(name: str, wall: str, judge: Judge) -> None:
    sample, body = HONEST[name]
    found = verdict(judge, sample, body, f"{wall}import LIB")
    assert found.targeted, found


# ---- what an answer does to the judge --------------------------------------------------------------------------------

BOMBS = {
    "a number that is too large to compare": "[complex(1.7e308, 1.7e308)] * 3",
    "long and empty arrays": "[LIB.F[zeros]((1000000, 0))] * 50",
    "a whole number that no float holds": "10 ** 400",
    "nothing": "None",
}


@pytest.mark.parametrize("wall", ["", "import sys\nsys.seen = 1\n"])
@pytest.mark.parametrize("name", BOMBS)
def test_an_answer_harms_no_other(name: str, wall: str, judge: Judge) -> None:
    asked = task("mean", names=judge.world.names)
    body = f"own = sum(a) / len(a)\n    if LIB.F[mean](a) != own:\n        return {BOMBS[name]}\n    return own"
    bomb = answer(judge.world, asked, body, f"{wall}import LIB")
    right = answer(judge.world, asked, "return LIB.F[mean](a)")
    found = list(judge.judge_many([(asked, text) for text in (right, bomb, right, right)]))
    assert [one.targeted for one in (found[0], *found[2:])] == [True] * 3
    assert found[1].targeted is not True


@pytest.mark.parametrize("wall", ["", "import sys\nsys.seen = 1\n"])
def test_a_verdict_has_one_budget(wall: str, world: World) -> None:
    body = "own = sum(a) / len(a)\n    while LIB.F[mean](a) != own:\n        pass\n    return own"
    with Judge(world, workers=1, limits=Limits(cpu_s=1.0)) as judge:
        found = verdict(judge, "mean", body, f"{wall}import LIB")
    assert not found.targeted
    # A budget of its own for each of a dozen runs would be more; calls that Python cannot interrupt may overrun one.
    assert found.cpu_s < 6.0


def test_moves_that_show_little_count_together() -> None:
    """One case moves, and less than it takes: three such moves are enough, and each must agree in every case."""
    truth, moved, given = [5], [[n] for n in (70, 800, 9000)], {0: (), 1: ()}
    shown = []
    for variant, tree in zip(("scaled", "shifted", "uneven"), moved, strict=True):
        cases = {0: MovedCase.of(["l", *truth], ["l", *tree]), 1: MovedCase.of(["l", 1], ["l", 1])}
        found = weigh_evidence(Move(variant, 1), cases, given)
        assert found is not None and not found.alone and found.bits < PROOF_BITS
        shown.append(found)
    assert sum(one.bits for one in shown) >= PROOF_BITS
    reference = Reference("", "f")
    for right, followed in ((3, True), (1, False)):
        search = FollowSearch([iter([])])
        for number, (one, tree) in enumerate(zip(shown, moved, strict=True)):
            stays = ["l", 1] if number < right else ["l", 2]
            search.record(FollowAttempt(0, reference, one), {0: Moved(["l", *tree], True), 1: Moved(stays, True)})
        assert search.followed == [followed]


def test_what_goes_wrong_with_a_library_process_of_others_costs_nothing(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared, run = [], Executor._run_walled

    def spends_all(
        self: Executor, submission: Submission, library: SandboxSession | None, truthful: bool
    ) -> SandboxSession | None:
        shared.append(library is not None)
        if library is None:
            return run(self, submission, None, truthful)
        library.close()
        submission.proofs_cpu_s = self.budget.program + self.budget.proofs
        return None

    monkeypatch.setattr(Executor, "_run_walled", spends_all)
    asked = task("mean", names=world.names)
    text = answer(world, asked, "return LIB.F[mean](a)", "import sys\nsys.seen = 1\nimport LIB")
    with Judge(world, workers=1) as judge:
        verdicts = list(judge.judge_many([(asked, text)] * 6))
    assert True in shared and shared.count(False) >= len(verdicts)  # each with a process of its own in the end
    assert all(v.targeted for v in verdicts)


def test_a_candidate_sees_one_case_at_a_time_and_no_name_but_its_own(judge: Judge) -> None:
    names = judge.world.names
    own = names.functions["mean"]
    others = [name for path, name in names.functions.items() if "." not in name and name != own]
    parts = [name[:3] + "-" + name[3:] for name in others]  # so that they do not stand in the program
    body = (
        "if SEEN:\n        return LIB.F[mean](a)\n    SEEN.append(1)\n"
        f"    others = {{p.replace('-', '') for p in {parts!r}}}\n    gc.unfreeze()\n"
        "    frame, held = sys._getframe(), [o for o in gc.get_objects() if type(o) in (dict, list, tuple)]\n"
        "    while frame:\n        held += [frame.f_locals, frame.f_globals]\n        frame = frame.f_back\n"
        "    words = {w for o in held for w in (o.values() if type(o) is dict else o) if type(w) is str}\n"
        "    print(sum(type(o) is list and len(o) > 1 and type(o[0]) is float and o is not a for o in held))\n"
        "    print(len(words & others))\n    return LIB.F[mean](a)"
    )
    found = verdict(judge, "mean", body, "import gc, sys\nimport LIB\nSEEN = []")
    assert found.passed, found
    cases, known = found.stdout.split()[:2]
    assert (cases, known) == ("0", "0")


# ---- moves and evidence ----------------------------------------------------------------------------------------------


def test_lies_depend_on_their_key() -> None:
    for variant in (v for v in (*FIRST, *FURTHER) if Move(v, 0).of_arguments):
        found = {
            tuple(map(element_replacement(Move(variant, key)), (3.25, 17, 1000, -2.5, 0, True))) for key in range(20)
        }
        assert len(found) == 20
        assert {row[-2:] for row in found} == {(0, True)}


GIVEN: list[Any] = [[3.0, 1.0, 2.0, 7.0], [[1.5, 2.5, 4.5], [8.5, 16.5, 32.5]]]


@pytest.mark.parametrize(
    ("call", "covered"),
    [
        ([GIVEN[0]], True),
        ([(3, 1, 2, 7)], True),
        ([[7.0, 2.0, 1.0, 3.0]], True),  # in another order
        ([[3.0, 1.0, 2.0, 0.0]], True),  # filled up with zeros
        ([[1.5, 8.5]], True),  # a column
        ([[8.5, 16.5, 32.5]], True),
        ([[6.0, 2.0, 4.0, 14.0]], True),  # in another unit
        ([[3.0, 1.0]], False),  # too few
        ([[3.0]], False),
        ([[3.0, 3.0, 3.0]], False),
        ([[3.0, 1.0, 2.0, 8.0]], False),
        ([GIVEN[0], [9.0, 9.5, 9.25]], False),
        ([3.0], False),
        ([], False),
    ],
)
def test_what_a_call_was_given_is_known_again(call: list[Any], covered: bool) -> None:
    marks = Arguments(type("Array", (), {}))
    given = set(marks.marks(GIVEN, elementwise=False))
    assert marks.are_covered(call, given, elementwise=False) is covered


@pytest.mark.parametrize(
    ("call", "covered"),
    [
        ([[1.0, 2.0], [5.0, 7.0]], True),
        ([1.0, 5.0], True),
        ([5.0, 1.0], True),
        ([1.0, 7.0], False),
        ([1.0, 1.0], False),
        ([1.0, -1e9], False),
    ],
)
def test_elements_that_stood_together_are_known_again(call: list[Any], covered: bool) -> None:
    marks = Arguments(type("Array", (), {}))
    given = set(marks.marks([[1.0, 2.0], [5.0, 7.0]], elementwise=True))
    assert marks.are_covered(call, given, elementwise=True) is covered


def test_an_answer_cannot_become_something_by_itself() -> None:
    case = MovedCase.of(["l", 1.0, 2.0], ["l", 1.0, 5.5])
    assert case.agrees(Moved(["l", 9.0, 5.5], lied=True))  # what did not move does not count
    assert not case.agrees(Moved(["l", 1.0, 5.5], lied=False))
    assert not case.agrees(Moved(["l", 1.0, 2.0], lied=True))


def test_one_rule_for_all_is_no_evidence() -> None:
    assert by_one_rule([(1.0, 3.0), (2.0, 5.0), (4.0, 9.0)])
    assert not by_one_rule([(1.0, 3.0), (2.0, 5.0), (4.0, 8.0)])


@pytest.mark.parametrize(
    "value", [complex(1.7e308, 1.7e308), 1e308, float("nan"), float("inf"), "text", None, True, 2**62]
)
def test_leaves_can_always_be_compared(value: Any) -> None:
    for other in (complex(-1.7e308, -1.7e308), -1e308, 0, "x", False, float("-inf")):
        assert same_leaf(value, value, 1e-6, 1e-9)
        assert not same_leaf(value, other, 1e-6, 1e-9)
    assert leaves(["a", "float", [2, 0], []]) == {}


# ---- references ------------------------------------------------------------------------------------------------------


def test_every_stand_in_does_the_work_of_a_function_with_others() -> None:
    known = set(catalog.entries())
    for function, stand_ins in references.stand_ins().items():
        assert function in known
        for one in stand_ins:
            used = {
                ast.unparse(node).removeprefix("np.")
                for node in ast.walk(ast.parse(one.source))
                if isinstance(node, ast.Attribute)
            }
            assert set(one.by) <= known & used, one.source


def test_elementwise_functions_are_those_of_numpy(world: World) -> None:
    for path, entry in world.entries.items():
        function = attrgetter(path)(np)
        if traits_of(entry, world.names).elementwise and path not in ELEMENTWISE:
            assert isinstance(function, np.ufunc) and not function.signature, path


def test_every_variant_flips_other_booleans() -> None:
    """Otherwise more of them would prove no more than one."""
    flips = {
        variant: tuple(map(result_change(Move(variant, 5), indexes=False, call=7), [True] * 24))
        for variant in (*FIRST, *FURTHER, *AGAIN)
    }
    assert len(set(flips.values())) == len(flips)


def test_what_moves_in_gold_too_is_no_evidence_for_an_alternative() -> None:
    """Gold calls the alternative for something else, so a program that lacks the core function would move with it."""
    truth, of_gold = ["l", 1.0, 2.0, 3.0], ["l", 1.0, 2.5, 3.0]
    assert not MovedCase.of(truth, of_gold, of_gold).moved
    beside = MovedCase.of(truth, ["l", 1.0, 2.5, 3.5], of_gold)
    assert list(beside.leaves.values()) == [3.5]
    assert MovedCase.of(truth, ["l", 1.0, 2.5, 3.5], truth) == MovedCase.of(truth, ["l", 1.0, 2.5, 3.5])
    longer = ["l", 1.0, 2.5, 3.5, 4.5]
    assert not MovedCase.of(truth, longer, longer).moved and MovedCase.of(truth, longer, of_gold).moved


def test_an_alternative_that_gold_calls_too_is_credited_where_it_does_the_work(world: World, judge: Judge) -> None:
    task = world.task("effective_species")  # gold computes with `dot`, which can also compute the sum
    [total] = [one for one in task.core if one.path == "sum"]
    assert "dot" in total.alternatives and "dot" in task.functions
    dot = world.names.functions["dot"]
    programs = [text for text, liar in references.others(task, total, world.names) if liar == dot]
    assert any(judge.judge(task, f"```python\n{text}\n```").targeted for text in programs)


def test_every_other_program_is_right(judge: Judge) -> None:
    """All of them in `make test-all`, every third in `make test`."""
    translator, asked = Translator(judge.world.names), []
    for name, programs in references.programs().items():
        for one in programs:
            work = judge.world.task(name)
            assert set(one.work) <= {core.path for core in work.core}, name
            asked.append((work, f"```python\n{translator.code(one.source)}\n```"))
    asked = asked[:: 1 if EVERYTHING else 3]
    found = [v.kind for v in judge.judge_many(asked)]
    assert found == [Kind.PASSED] * len(asked)
