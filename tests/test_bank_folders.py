"""Drafts are data that is not trusted. Those that are kept build like the bank, and worlds without a bank folder do not
change."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from sebench.audit import world as audit
from sebench.bank import kinds
from sebench.bank.definition import bank
from sebench.bank.kinds import Choice, Draw, Impossible, Int, Matrix, Vector
from sebench.base.errors import BankError, ConfigError
from sebench.cli import cli
from sebench.judge.judge import Judge
from sebench.models.scripted import scripted
from sebench.tasks import cases, drafts, folders, input_kinds, rules, splits
from sebench.tasks.drafts import DraftError
from sebench.world.build import Slice
from sebench.world.manifest import Manifest, PageWriting, fingerprint
from sebench.world.world import World

SMALL = Slice(functions=12)  # the conftest's small world


def draft(**changes: Any) -> dict[str, Any]:
    made: dict[str, Any] = {
        "id": "tram_fares",
        "tier": "single",
        "question": "A tram driver notes the coins of each trip as one row of `fares`. Return what every trip earned, "
        "as a list.",
        "entry": "tram_fares",
        "inputs": {"fares": "Matrix(Int(1, 40), (2, 5), (2, 6))"},
        "solution": "def tram_fares(fares):\n    return np.sum(fares, axis=1)",
        "made_by": {"model": "m", "digest": "d"},
    }
    made |= changes
    return {key: value for key, value in made.items() if value is not None}


def with_body(*lines: str) -> dict[str, Any]:
    return draft(solution="def tram_fares(fares):\n" + "\n".join(f"    {line}" for line in lines))


def write(folder: Path, *made: dict[str, Any], name: str = "mine") -> Path:
    folders.write(folder, [drafts.parse(one) for one in made], {"name": name, "counts": {"kept": len(made)}})
    return folder


def test_a_draft_survives_the_trip_to_disk() -> None:
    read = drafts.parse(draft())
    assert drafts.parse(json.loads(json.dumps(read.to_json()))) == read
    assert read.digest == drafts.parse(draft(made_by={"model": "other"})).digest
    assert read.digest != drafts.parse(draft(question=f"{read.question} Please.")).digest


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"expected": [1]}, "unknown field 'expected'"),
        ({"question": None}, "'question' is missing"),
        ({"question": 7}, "'question' is not a string"),
        ({"tier": "hard"}, "tier 'hard'"),
        ({"id": "other"}, "must be the same"),
        ({"inputs": None}, "exactly one of inputs and cases"),
        ({"cases": []}, "exactly one of inputs and cases"),
        ({"inputs": None, "cases": [{"fares": [[n]]} for n in range(9)]}, "10 to 200"),
        ({"inputs": None, "cases": [{"fares": [[1]]}] * 12}, "10 to 200"),
        (
            {"inputs": None, "cases": [{"fares": [[n]], "x": 1} if n else {"fares": []} for n in range(12)]},
            "different parameters",
        ),
        ({"inputs": {"coins": "Vector(Int(0, 9))"}}, "the solution takes fares, but the inputs are coins"),
        ({"inputs": {"fares": "Vector(Int(5, 2), (1, 3))"}}, "cannot be drawn in the style 'plain'"),
        ({"lengths": {"n": [5, 2]}}, "the length 'n'"),
        ({"solution": "def tram_fares(fares):"}, "not a Python program"),
        ({"solution": "def other(fares):\n    return 1"}, "defines 'other'"),
        ({"solution": "import os\ndef tram_fares(fares):\n    return 1"}, "one function, nothing else"),
        ({"solution": "def tram_fares(fares=[]):\n    return 1"}, "without defaults"),
        ({"solution": "(" * 300}, "not a Python program"),
        (with_body("return np.sum(fares)" + " + 1" * 900), "more than 60 levels deep"),
        (with_body("return np.sum(fares)" + ".T" * 1_900), "more than 60 levels deep"),
        (with_body("return np.sum((lambda a, a: fares)(1, 2))"), "duplicate argument"),
        (with_body("coins = *fares", "return np.sum(coins)"), "not a Python program"),
        (with_body("*one, *other = fares", "return np.sum(one)"), "not a Python program"),
        (with_body(f"return np.sum(fares) + 0x{'f' * 3_900}"), "Exceeds the limit"),
        ({"question": "x" * 2_001}, "the question has more than 2,000 characters"),
        ({"inputs": {f"x{n}": "Int()" for n in range(13)}}, "13 inputs"),
        ({"inputs": {"fares": "Cube(Int(), 60, 60, 60)"}}, "more than 5,000 characters"),
        ({"inputs": None, "cases": [{"fares": [[10**400 + n]]} for n in range(12)]}, "a whole number beyond"),
        ({"made_by": "me"}, "made_by"),
        ({"nonfinite": 1}, "nonfinite"),
    ],
)
def test_a_draft_in_another_form_is_refused_with_the_reason(changes: dict[str, Any], why: str) -> None:
    with pytest.raises(DraftError, match=why):
        drafts.parse(draft(**changes))


def test_kinds_are_read_as_they_are_written() -> None:
    assert input_kinds.read("Matrix(Int(-3, 9), rows=(2, 4), cols='n')") == Matrix(Int(-3, 9), (2, 4), "n")
    assert input_kinds.read('Vector(Int(0, "n-1"), "n", unique=True)') == Vector(Int(0, "n-1"), "n", True)
    assert input_kinds.read("Vector(Integer(0, 9), (5,))") == Vector(Int(0, 9), 5)
    made = input_kinds.read("Choice('a', 'b')")
    assert isinstance(made, Choice) and made.values == ("a", "b")


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').system('true')", "Vector(Int(0, 9), (2, "
                                           "open('x')))", "Vector(Int(0, 9), 10**9)", "Vector(Int(0, 9), 1000000)",
        "Vector(7, 3)", "Vector(Vector(Int()), 3)", "Int(0, None)", "Echo('a', Int(), print)", "Echo('a', Int(), "
                                                                                               "part=print)",
        "Vector(*[Int()])", "Int(**{'low': 1})", "Matrix(Int(0, 9), (2, 90), "
                                                 "3)", "Folded((900, 900))", "[Int()]", "Int", "3", "",
        "kinds.Int()", "Float(0, 1e400)", "Choice()", "Word(words='abc')", "(lambda: Int())()", "Int(0, 9) if 1 else 2",
        "(" * 200,
        "Choice(Vector(Int()), 3)", f"Int('n-1{'0' * 1_500}', 5)",
    ],
)  # fmt: skip
def test_a_kind_evaluates_nothing_and_draws_nothing_huge(text: str) -> None:
    with pytest.raises(ValueError):
        input_kinds.read(text)


@pytest.mark.parametrize(
    "kind", ["Vector(Choice(1, 'a'), (1, 2), sorted=True)", "Either(Int(), Int(), Echo('nowhere', Int()))"]
)
def test_a_kind_that_fails_now_and_then_is_impossible_and_no_crash(kind: str) -> None:
    made = input_kinds.read(kind)
    with pytest.raises(Impossible, match="`fares`"):
        for number in range(100):
            Draw(random.Random(number), kinds.Mood.PLAIN).fill({"fares": made})


def test_every_kind_of_the_bank_can_be_written_but_one_that_lists() -> None:
    known = {name for name, kind in vars(kinds).items() if isinstance(kind, type) and issubclass(kind, kinds.InputKind)}
    assert known - set(input_kinds.NAMES) == {"InputKind", "Element", "Listed"}


@pytest.mark.parametrize(
    "lines",
    [
        ("return eval('1')",),
        ("[0 for eval in [1]]", "return np.sum(eval('fares'))"),
        ("open = 1", "return np.sum(open)"),
        ("return np.sum([x.__class__ for x in fares])",),
        ("return np.sum(().__class__.__bases__[0].__subclasses__())",),
        ("return np.sum(fares).tofile('x')",),
        ("return np.fromfile('x')",),
        ("return np.load('x')",),
        ("return np.ctypeslib.os.system('true')",),
        ("return np.sum(__builtins__)",),
        ("import os", "return np.sum(fares)"),
        ("global coins", "return np.sum(fares)"),
        ("while True: pass",),
        ("for x in fares: pass",),
        ("with fares: pass",),
        ("try:", "    return np.sum(fares)", "except: return 1"),
        ("class A: pass", "return np.sum(fares)"),
        ("yield np.sum(fares)",),
        ("return np.sum(f'{fares}')",),
        ("return (x := np.sum(fares))",),
        ("@np.vectorize", "def inner(x): return x", "return np.sum(inner(fares))"),
        ("np = fares", "return np.sum(fares)"),
        ("return np.sum(9 ** 9999999999)",),
        ("del fares", "return np.sum(1)"),
        ("return np.sum(fares, axis=_)",),
        ("return getattr(np, 'sum')(fares)",),
        ("return np.sum(tram_fares)",),
        ("def len(x): return x", "return np.sum(len(fares))"),
    ],
)
def test_code_that_could_do_more_than_compute_is_never_run(lines: tuple[str, ...]) -> None:
    with pytest.raises(BankError, match="tram_fares"):
        drafts.definition(drafts.parse(with_body(*lines)))


def test_code_of_the_bank_itself_is_confined_nearly_always() -> None:
    """The list must not be so short that good solutions fall through."""
    from sebench.tasks import confined

    refused = [d.name for d in bank() if [*confined.forbidden(confined.function(d.source, d.name))]]
    assert len(refused) <= 0.02 * len(bank()), refused


def test_listed_cases_are_used_as_they_are() -> None:
    rows = [{"fares": [[n, n + 1], [2, n * n]]} for n in range(14)]
    definition = drafts.definition(drafts.parse(draft(inputs=None, cases=rows)))
    drawn = cases.draw(definition, cases.Stream(definition, 1))
    every = [dict(case.inputs) for case in (*drawn.examples, *drawn.scored)]
    assert len(drawn.examples) == 2 and len(drawn.scored) >= 8
    assert all(inputs in rows for inputs in every) and len({repr(inputs) for inputs in every}) == len(every)
    assert all(case.expected == [sum(row) for row in case.inputs["fares"]] for case in drawn.scored)


def test_a_folder_adds_its_tasks_and_changes_no_other(small: World, tmp_path: Path) -> None:
    other = draft(
        id="kite_ends", entry="kite_ends", solution="def kite_ends(fares):\n    return np.sum(fares, axis=0)",
        question="Kites carry lamps, and each row of `fares` tells how bright they are. Return how bright each column "
                 "is, as a list.",
    )  # fmt: skip
    folder = write(tmp_path / "bank", draft(), other)
    built = World.build(2, tmp_path / "world", part=SMALL, banks=[folder])
    assert built.manifest.banks == {"mine": folders.read(folder).digest}
    assert built.manifest.fingerprint != small.manifest.fingerprint
    for split in splits.SPLITS:
        names = [task.id for task in built.tasks(split)]
        assert [n for n in names if n not in ("tram_fares", "kite_ends")] == [task.id for task in small.tasks(split)]
    assert {built.task("tram_fares").split, built.task("kite_ends").split} == {"train", "single_test"}
    for page, same in zip(built.pages, small.pages, strict=True):
        assert page == same
    with Judge(built) as judge:
        task = built.task("tram_fares")
        assert judge.judge(task, task.gold).targeted is True
        assert judge.judge_native(task, scripted("numpy", built).answer(task, 0)).numpy_passed is True
    assert audit.rebuild_difference(built) == ""


def test_a_manifest_keeps_both_bank_folders_and_who_wrote_the_pages(small: World) -> None:
    pages = PageWriting("f" * 64, "m", "", 12, 0, "p" * 16, {"temperature": 0.7})
    both = replace(small.manifest, banks={"mine": "d" * 64}, pages=pages)
    assert Manifest.from_json(json.loads(json.dumps(both.to_json()))) == both
    shorter = [replace(small.manifest, banks=both.banks), replace(small.manifest, pages=pages)]
    assert len({fingerprint(one) for one in (small.manifest, both, *shorter)}) == 4


def test_a_world_without_a_folder_says_nothing_of_folders(small: World) -> None:
    assert "banks" not in json.loads((small.path / "world.json").read_text())
    assert not (small.path / "bank").exists()


def test_a_folder_that_cannot_be_used_is_one_clear_line(tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(ConfigError, match=r"a bank folder has bank.toml and drafts.jsonl"):
        folders.read(empty)
    unnamed = write(tmp_path / "unnamed", draft(), name="Not Fit")
    with pytest.raises(ConfigError, match=r"name in bank.toml: 'Not Fit'"):
        folders.read(unnamed)
    hostile = write(tmp_path / "hostile", draft())
    (hostile / "drafts.jsonl").write_text(json.dumps(with_body("return open('x')")) + "\n")
    with pytest.raises(BankError, match=r"hostile/drafts.jsonl:1: task 'tram_fares': gold uses 'open'"):
        folders.read(hostile)
    told = draft(question=f"{draft()['question']} Ask num\ufe0fpy for it.")
    (hostile / "drafts.jsonl").write_text(json.dumps(told) + "\n")
    with pytest.raises(BankError, match=r"drafts.jsonl:1: task 'tram_fares': the question has '\ufe0f'"):
        folders.read(hostile)
    (hostile / "drafts.jsonl").write_text("{}\nnothing\n")
    with pytest.raises(BankError, match=r"hostile/drafts.jsonl:1: the field 'tier' is missing"):
        folders.read(hostile)


def test_signs_that_pass_for_the_end_of_a_line_do_not_tear_a_draft(tmp_path: Path) -> None:
    odd = draft(solution=f"{draft()['solution']}  # one\u2028two\x85three")
    rows = [{"fares": [[n, 2]], "names": ["a\u2028b"]} for n in range(12)]
    solution = "def tram_names(fares, names):\n    return np.sum(fares, axis=1)"
    question = draft()["question"].replace("`fares`", "`fares` beside `names`")
    listed = draft(id="tram_names", entry="tram_names", inputs=None, cases=rows, solution=solution, question=question)
    folder = write(tmp_path / "odd", odd, listed)
    assert [one.name for one in folders.read(folder).definitions] == ["tram_fares", "tram_names"]


def test_names_do_not_clash(tmp_path: Path) -> None:
    one, two = (folders.read(write(tmp_path / name, draft(), name=name)) for name in ("one", "two"))
    with pytest.raises(BankError, match=r"tram_fares': the name is already used by one/drafts.jsonl:1"):
        folders.check_names([one, two])
    with pytest.raises(ConfigError, match="two folders are named 'one'"):
        folders.check_names([one, one])
    taken = next(d for d in bank() if d.part == "single").name
    renamed = draft(id=taken, entry=taken, solution=draft()["solution"].replace("tram_fares", taken))
    with pytest.raises(BankError, match="the name is already used by single/"):
        folders.check_names([folders.read(write(tmp_path / "three", renamed, name="three"))])


def test_build_asks_for_a_folder_of_its_own_when_it_has_a_bank(tmp_path: Path) -> None:
    result = CliRunner().invoke(cli, ["build", "--seed", "2", "--bank", str(tmp_path)])
    assert isinstance(result.exception, ConfigError) and "--out is required" in str(result.exception)


def test_the_rules_of_code_and_of_language_are_all_the_rules() -> None:
    definition = drafts.definition(
        drafts.parse(draft(question="Sum it with numpy.", solution=draft()["solution"] + "\n"))
    )
    both = [*rules.code_violations(definition), *rules.language_violations(definition)]
    assert both == list(rules.violations(definition)) and both


@pytest.mark.parametrize("name", ["np", "open", "len", "__import__", "_fares"])
def test_a_task_is_not_named_like_something_else(name: str) -> None:
    named = draft(id=name, entry=name, solution=draft()["solution"].replace("tram_fares", name))
    with pytest.raises(BankError, match=f"gold uses the reserved name '{name}' for something else"):
        drafts.definition(drafts.parse(named))


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("Ask ｎｕｍｐｙ.", "'ｎ'"), ("Ask num\u200bpy.", "u200b"), ("Ask num\ufe0fpy.", "may look like another"),
        ("Ask nυmpy.", "nυmpy"),
        ("Ask nump\u0443.", "may look like another"), ("Ask ⓝⓤⓜⓟⓨ.", "may look like another"),
        ("\x1b[2J", "x1b"), ("\u202eevil", "u202e"),
        ("Ask num<!-- -->py.", "mentions NumPy"), ("Ask **num**py.", "mentions NumPy"), ("Ask &#110;umpy.", "mentions "
                                                                                                            "NumPy"),
        ("Ask númpy.", "mentions NumPy"), ("Ask numpy_sum.", "mentions NumPy"), ("Call `argsort`.", "in backticks"),
        ("Call arg**sort**.", "names the function 'argsort'"),
    ],
)  # fmt: skip
def test_a_name_in_disguise_is_found_in_a_question(said: str, why: str) -> None:
    solution = draft()["solution"].replace("np.sum", "np.argsort")
    disguised = draft(question=draft()["question"].replace("Return", f"{said} Return"), solution=solution)
    found = "; ".join(rules.language_violations(drafts.definition(drafts.parse(disguised))))
    assert why in found
