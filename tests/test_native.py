"""The native book: answers in NumPy are translated and judged like others, are also run with NumPy, and can do no harm
there."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sebench import report
from sebench.base.records import Blame, Case, Kind, Task, Verdict
from sebench.forge.names import naming
from sebench.forge.translate import normalize
from sebench.forge.translate.translate import Untranslatable
from sebench.interop.formats import rollouts
from sebench.judge.judge import Judge, Limits
from sebench.models import scripted
from sebench.report.numbers.compare import Share, native_lines
from sebench.rollout import pipeline
from sebench.rollout.config import RunConfig
from sebench.rollout.store import Run
from sebench.world import build
from sebench.world.prompts import BOOKS
from sebench.world.world import World
from tests.conftest import EVERYTHING, slow
from tests.corpora import FOLDER

ANSWERS = FOLDER / "native"
HEAD = "import numpy as np\n"


def corpus(folder: Path = ANSWERS) -> list[tuple[str, str]]:
    """Task ids with responses."""
    found = []
    for file in sorted(folder.glob("*.md")):
        for part in re.split(r"^<!-- task: ", file.read_text("utf-8"), flags=re.MULTILINE)[1:]:
            name, _, text = part.partition(" -->\n")
            found.append((name, text))
    return found


@pytest.fixture(scope="module")
def judge(world: World) -> Iterator[Judge]:
    with Judge(world, limits=Limits(cpu_s=1.0)) as made:
        yield made


@pytest.fixture(scope="module")
def task(world: World) -> Task:
    return world.task("grade_by_credits")  # a weighted mean of two lists


def verdicts(judge: Judge, pairs: list[tuple[str, str]]) -> list[tuple[str, str, Verdict]]:
    waiting = [judge.submit(judge.world.task(name), text, native=True) for name, text in pairs]
    return [(name, text, future.result()) for (name, text), future in zip(pairs, waiting, strict=True)]


def test_the_corpus_is_large_enough() -> None:
    assert len(corpus()) >= 60 and len({name for name, _ in corpus()}) >= 40


def test_answers_in_many_styles_pass(judge: Judge) -> None:
    found = verdicts(judge, corpus()[:: 1 if EVERYTHING else 3])
    assert [(n, t, v.detail) for n, t, v in found if not v.passed] == []
    assert [(n, t) for n, t, v in found if not v.numpy_passed] == []
    assert sum(bool(v.targeted) for *_, v in found) >= 0.6 * len(found)  # others work by another way than the task's


@slow  # those of the other world are judged in the test above
def test_answers_in_many_styles_pass_with_the_published_mapping(published: World) -> None:
    there = {t.id for split in ("single_test", "multi_test") for t in published.tasks(split)}
    pairs = [(name, text) for name, text in corpus() if name in there]
    with Judge(published) as judge:
        found = verdicts(judge, pairs)
    right = [v for *_, v in found if v.passed]
    assert len(right) >= 40 and all(v.numpy_passed for *_, v in found)
    missing = {(v.kind, v.detail) for *_, v in found if not v.passed}
    assert {kind for kind, _ in missing} <= {Kind.UNTRANSLATED}  # of the mapping's smaller library
    assert all(re.fullmatch(r"np\.[\w.]+(\(\w+=\))?", detail) for _, detail in missing), missing


@pytest.mark.parametrize("number", range(0, 360, 40))
def test_the_same_program_in_both_terms_has_the_same_verdict(judge: Judge, number: int) -> None:
    """The open-book answers of other tests, in NumPy's words."""
    for name, text in corpus(FOLDER / "open_book")[number : number + 2]:
        spelled = re.sub(r"\b[FM]\[([\w.]+)\]", r"\1", text).replace("LIB", "numpy").replace("ARRAY", "ndarray")
        spelled = re.sub(r"\bB\[(?:\w+\.)?(\w+)\]", r"\1", spelled)
        assert judge.judge_native(name, spelled).passed, name


def test_gold_knows_numpy_too(small: World, tmp_path: Path) -> None:
    config = RunConfig(model="gold", book=("closed", "open", "native"))
    run = pipeline.run(config, small, tmp_path / "gold")
    rows = list(run.rows())
    assert {row.rollout.book for row in rows} == set(BOOKS) and all(row.verdict and row.verdict.passed for row in rows)
    asked = [row.verdict for row in rows if row.rollout.book == "native"]
    assert all(verdict and verdict.numpy_passed and verdict.targeted for verdict in asked)
    assert all(row.verdict and row.verdict.numpy_passed is None for row in rows if row.rollout.book != "native")


def test_numpy_is_right_in_the_native_book_alone(small: World, tmp_path: Path) -> None:
    run = pipeline.run(RunConfig(model="numpy", book=("closed", "native")), small, tmp_path / "numpy")
    right = {row.rollout.book for row in run.rows() if row.verdict and row.verdict.passed}
    assert right == {"native"}


def test_files_of_rollouts_are_judged_by_their_book(small: World, tmp_path: Path) -> None:
    task = small.tasks("single_test")[0]
    lines = [
        {"task_id": task.id, "response": scripted.numpy(small)(task, 0), "book": book} for book in ("closed", "native")
    ]
    file = tmp_path / "answers.jsonl"
    file.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    found = rollouts.read(file, {task.id: task}, small.names)
    with Judge(small) as judge:
        run = rollouts.judge_into(tmp_path / "run", judge, found.lines, model="m")
    kinds = {row.rollout.book: row.verdict.kind for row in run.rows() if row.verdict}
    assert kinds["native"] is Kind.PASSED and kinds["closed"] is not Kind.PASSED


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("from numpy import *\ny = mean(x)", "from numpy import *"),
        ("np.random.default_rng(0)", "np.random.default_rng"),
        ("np.add.reduce(x)", "np.add.reduce"),
        ("np.maximum.accumulate(x)", "np.maximum.accumulate"),
        ("f = x.mean", "array method mean without a call"),
        ("x.dtype.kind == 'f'", "array attribute dtype.kind"),
        ("x.nbytes", "array attribute nbytes"),
        ("x.view(int)", "array method view()"),
        ("x.flat[0] = 1", "assignment to array attribute flat"),
        ("x.shape = (2, 3)", "assignment to array attribute shape"),
        ("np.array(x, dtype=object)", "dtype object"),
        ("np.sum(x, where=m)", "np.sum(where=)"),
        ("np.r_[1:4]", "np.r_ with slices or strings"),
        ("np.ma.masked_array(x)", "np.ma.masked_array"),
        ("np.polynomial.Polynomial(x)", "np.polynomial.Polynomial"),
        ("np.int32(3)", "np.int32 of a single number"),
        ("x.item(0)", "array method item()"),
        ("class A(np.ndarray): pass", "class A derived from NumPy's np.ndarray"),
        ("np.char.upper(x)", "np.char.upper"),
        ("f(np)", "np as a value"),
    ],
)
def test_what_cannot_be_translated_is_named(world: World, source: str, reason: str) -> None:
    with pytest.raises(Untranslatable) as refused:
        normalize.translate_program(HEAD + source, world.names)
    assert str(refused.value) == reason


def test_the_forged_library_is_no_answer_to_a_question_about_numpy(judge: Judge, task: Task) -> None:
    names, body = judge.world.names, task.gold.partition("\n")[2]
    dynamic = body.replace(f"{names.package}.", f"importlib.import_module('{names.package}').")
    for program in (task.gold, f"import numpy\n{body}", f"{HEAD}{body}", f"import importlib\n{dynamic}"):
        verdict = judge.judge_native(task, f"```python\n{program}\n```")
        assert (verdict.kind, verdict.numpy_passed) == (Kind.UNTRANSLATED, False), program


def test_a_word_of_the_forged_library_is_no_option_of_numpy() -> None:
    names = build.plan(3, level=naming.PARAMETERS).names
    word = names.words["reflect"]
    program = "import numpy as np\ndef f(x):\n    mode = '{}'\n    return np.pad(x, 1, mode=mode)\n"
    assert word in normalize.translate_program(program.format("reflect"), names)
    with pytest.raises(Untranslatable, match=f"'{word}', a word of the forged library"):
        normalize.translate_program(program.format(word), names)


def test_a_name_that_a_function_binds_is_its_own(world: World) -> None:
    source = (
        "from numpy import mean, sum\ndef f(mean):\n    return mean.upper()\ndef g(x):\n    sum = 0\n    return "
        "sum + mean(x)"
    )
    made = normalize.translate_program(source, world.names)
    assert "mean.upper()" in made and "sum + " + world.names.forged("mean") in made


@pytest.mark.parametrize(
    "body",
    [
        "a = np.array(x); a.sort(); return a.tolist()",
        "a = x.copy(); a.sort(); return a, x",
        "a = np.array(x); b = a.copy(); b[0] = 9; return a.tolist(), b.tolist()",
        "z = np.array(x) * 1j; return z.imag.tolist(), [v.real for v in z.tolist()]",
        "a = np.array(x); a.partition(1); return a[1].item()",
        "a = np.asarray(x, float); return f'{a.mean():.2f}|{a[0]!s:>6}|{{}}|{a.sum():{8}.{2}f}'",
        "a = np.array(x); return a.clip(max=2).tolist(), np.clip(a, min=2, max=3).tolist(), a.clip(min=2).tolist()",
        "a = np.array(x); return a.mean().round(2), a.max().tolist(), a.reshape(-1, 1).T.shape",
        "math = 2; return math * np.pi, np.finfo(float).eps, np.iinfo(np.int32).max",
        "return [isinstance(v, (np.integer, int)) for v in np.array(x)], isinstance(x, np.ndarray)",
    ],
)
def test_a_translation_computes_what_numpy_does(world: World, body: str) -> None:
    lines = "\n    ".join(body.split("; "))
    source = f"{HEAD}def f(x):\n    {lines}\n"
    original: dict[str, Any] = {}
    translated: dict[str, Any] = {}
    exec(source, original)
    with world.library():
        exec(normalize.translate_program(source, world.names), translated)
        assert translated["f"]([3, 1, 2]) == original["f"]([3, 1, 2])


def test_lists_have_no_methods_of_arrays(judge: Judge, task: Task) -> None:
    """What NumPy refuses must not pass by translation."""
    text = (
        "import numpy as np\ndef grade_by_credits(grades, credits):\n    return grades.dot(credits) / np.sum(credits)"
    )
    verdict = judge.judge_native(task, text)
    assert (verdict.kind, verdict.numpy_passed) == (Kind.RAISED, False)


def test_a_wrong_answer_is_wrong(judge: Judge, task: Task) -> None:
    text = "import numpy as np\ndef grade_by_credits(grades, credits):\n    return float(np.mean(grades))"
    verdict = judge.judge_native(task, text)
    assert (verdict.kind, verdict.blame, verdict.numpy_passed) == (Kind.WRONG_VALUE, Blame.CANDIDATE, False)


def test_an_answer_without_translation_is_still_run(judge: Judge, task: Task) -> None:
    text = (
        "import numpy as np\ndef grade_by_credits(grades, credits):\n    return np.add.reduce(np.multiply(grades, "
        "credits)) / sum(credits)"
    )
    verdict = judge.judge_native(task, text)
    assert (verdict.kind, verdict.blame, verdict.detail) == (Kind.UNTRANSLATED, Blame.CANDIDATE, "np.add.reduce")
    assert verdict.numpy_passed and verdict.reward() == 0.0
    assert Verdict.from_json(verdict.to_json()) == verdict


def test_verdicts_of_older_runs_can_be_read() -> None:
    old = {k: v for k, v in Verdict(Kind.PASSED, Blame.NONE).to_json().items() if k != "numpy_passed"}
    assert Verdict.from_json(old).numpy_passed is None


def answer(task: Task, body: str, top: str = "") -> str:
    lines = "\n    ".join(body.strip().splitlines())
    return f"```python\nimport numpy as np\n{top}\ndef {task.entry}({', '.join(task.parameters)}):\n    {lines}\n```"


@pytest.mark.parametrize("library", ["scipy.stats", "pandas", "sebench.bank"])
def test_other_libraries_are_refused(judge: Judge, task: Task, library: str) -> None:
    verdict = judge.judge_native(task, answer(task, "return 0", f"import {library}"))
    assert (verdict.kind, verdict.blame, verdict.numpy_passed) == (Kind.POLICY, Blame.CANDIDATE, None)


ESCAPES = {
    "write a file": "open('/tmp/found', 'w').write('x')",
    "read a file": "open('/etc/passwd').read()",
    "start a process": "import os\nos.fork()",
    "open a socket": "import socket\nsocket.socket()",
    "find the tasks": "import importlib\nimportlib.import_module('sebench' + '.bank.definition')",
    "wait": "import time\ntime.sleep(100)",
    "end another process": "import os\nos.kill(os.getppid(), 9)",
    "take a library apart": "import importlib\nimportlib.import_module('sci' + 'py')",
}


@pytest.mark.parametrize("attempt", ESCAPES)
def test_an_answer_in_numpy_cannot(judge: Judge, task: Task, attempt: str) -> None:
    """It would be right if it could, and it is the candidate's fault that it is not."""
    right = "return float(np.average(grades, weights=credits))"
    assert judge.judge_native(task, answer(task, right)).numpy_passed
    verdict = judge.judge_native(task, answer(task, f"{ESCAPES[attempt]}\n{right}"))
    assert verdict.numpy_passed is False and verdict.blame is Blame.CANDIDATE and not verdict.passed


def test_an_answer_that_never_ends_is_ended(judge: Judge, task: Task) -> None:
    verdict = judge.judge_native(task, answer(task, "while True:\n    np.sum(grades)"))
    assert (verdict.kind, verdict.blame, verdict.numpy_passed) == (Kind.TIME, Blame.CANDIDATE, False)


def test_an_answer_that_silences_the_clock_is_ended(judge: Judge, task: Task) -> None:
    top = """import signal
for number in (signal.SIGPROF, signal.SIGXCPU):
    signal.signal(number, signal.SIG_IGN)
signal.setitimer(signal.ITIMER_PROF, 0)"""
    verdict = judge.judge_native(task, answer(task, "while True:\n    np.sum(grades)", top))
    assert verdict.numpy_passed is False and verdict.blame is Blame.CANDIDATE


def test_an_answer_that_waits_for_the_judge_is_not_kept_waiting(judge: Judge, task: Task) -> None:
    verdict = judge.judge_native(task, answer(task, "import os\nreturn os.read(3, 10)"))
    assert verdict.numpy_passed is False and verdict.blame is Blame.CANDIDATE


@pytest.mark.parametrize("code", [70, 71, 0])
def test_how_a_program_leaves_is_no_fault_of_the_sandbox(judge: Judge, task: Task, code: int) -> None:
    """Exit statuses have a meaning for our own processes; a program that chooses one gains nothing."""
    frame = 'b\'{"fault": "x"}\''
    body = f"import os\nos.write(3, len({frame}).to_bytes(4, 'little') + {frame})\nos._exit({code})"
    verdict = judge.judge_native(task, answer(task, body))
    assert verdict.blame is Blame.CANDIDATE and verdict.numpy_passed is False


SEARCH = """import gc
for one in gc.get_objects():
    for part in gc.get_referents(one):
        if type(part) is str and part.startswith("needle ") and len(part) > 8:
            return part
return "nothing" """


@pytest.mark.parametrize("given", [["needle 93712"], ["hay"]])
def test_expected_values_are_not_in_the_process(judge: Judge, given: list[str]) -> None:
    """A search through all objects finds what is among the inputs, and does not find what is only expected."""
    task = Task("needle", "", "find", ("a",), (Case({"a": given}, "needle 93712"),))
    assert judge.judge_native(task, answer(task, SEARCH)).numpy_passed is (given == ["needle 93712"])


def test_ratios_need_enough_native_successes(small: World, tmp_path: Path) -> None:
    for model in ("numpy", "guess"):
        pipeline.run(RunConfig(model=model, book=("closed", "native"), samples=2), small, tmp_path / model)
    made = report.summarize([Run.load(tmp_path / "numpy"), Run.load(tmp_path / "guess")])
    first, second = made.ratio_base
    assert first.ratio == 0.0 and first.interval and 0.0 < first.interval.high < 0.5 and first.kept == 0.0
    assert (second.ratio, second.interval, second.successes) == (None, None, 0)
    assert [book.accuracy.value for book in made.native] == [1.0, 0.0]
    said = list(native_lines(made.native, made.ratio_base))
    assert "and 20 are needed" in said[-1] and "ratio_base of" in said[-2]
    untranslated = replace(made.native[0], translated=Share(None, None))
    assert "could not be translated; run as written" in next(native_lines([untranslated], []))


@pytest.mark.parametrize(
    "program, said",
    [
        ("import numpy as np\ndef f(x):\n    return np.iinfo(int).eps", "eps"),
        ("from numpy import mean\ndef mean(x):\n    return 3\ndef f(x):\n    return mean(x)", "mean as a name"),
        (
            "import numpy as np\nclass A:\n    def mean(self):\n        return [1]\ndef f(x):\n    return [i for i in "
            "A().mean()]",
            "comprehension",
        ),
    ],
)
def test_what_would_be_mistranslated_is_refused(world: World, program: str, said: str) -> None:
    with pytest.raises(Untranslatable, match=said):
        normalize.translate_program(program, world.names)


def test_only_a_main_guard_is_left_out(world: World) -> None:
    kept = 'import numpy as np\nif __name__ != "__main__":\n    def f(x):\n        return np.mean(x)\n'
    assert "def f" in normalize.translate_program(kept, world.names)
    assert "print" not in normalize.translate_program(
        'import numpy as np\nif __name__ == "__main__":\n    print(1)\n', world.names
    )


def test_long_doubles_and_bytes_are_values(judge: Judge) -> None:
    task = judge.world.task("quiz_average")
    answer = f"```python\nimport numpy as np\n{task.signature}\n    return np.longdouble(np.mean(points))\n```"
    assert judge.judge_native(task, answer).numpy_passed


def test_a_program_that_writes_its_own_outcome_costs_little_and_gains_nothing(judge: Judge) -> None:
    task = judge.world.task("quiz_average")
    flood = "b'[' + b'[],' * 2000000 + b'[]]'"
    answer = (
        f"```python\nimport os\nimport numpy as np\n{task.signature}\n    data = {flood}\n"
        "    os.write(3, len(data).to_bytes(4, 'little') + data)\n    while True: pass\n```"
    )
    verdict = judge.judge_native(task, answer)
    assert not verdict.passed and verdict.blame is Blame.CANDIDATE and verdict.numpy_passed is False
