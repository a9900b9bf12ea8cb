"""Boundary tasks: worlds that lack some functions, prompts that let a model decline, verdicts on what it does, and the
report on them."""

from __future__ import annotations

import ast
import csv
import io
import json
import re
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner
from rich.console import Console

from sebench import report
from sebench.audit.world import _left_out
from sebench.base.errors import ConfigError
from sebench.base.extract import DECLINE, declines
from sebench.base.records import BOUNDARY_TEST, Blame, Kind, Task
from sebench.cli import cli
from sebench.forge.catalog import catalog
from sebench.forge.package.package import resolve
from sebench.forge.translate.translate import Translator
from sebench.interop.formats import huggingface
from sebench.interop.frameworks.questions import questions
from sebench.judge.judge import Judge
from sebench.judge.program import policy
from sebench.judge.program.vocabulary import Vocabulary
from sebench.report.numbers import boundary as report_boundary
from sebench.report.numbers import metrics
from sebench.report.numbers.intervals import unpaired_interval
from sebench.report.views import formats, html, tables
from sebench.rollout import pipeline
from sebench.rollout.config import RunConfig
from sebench.rollout.store import Run
from sebench.tasks import boundary, core, rules
from sebench.tasks.splits import SPLITS
from sebench.world.build import Slice, plan
from sebench.world.open_book import BookSettings
from sebench.world.world import World
from tests.conftest import shared
from tests.test_report_data import row, task

EVERYTHING = frozenset(entry.path for entry in catalog.seeded())
PART = Slice(subjects=("polynomials", "statistics", "sums"))
LEFT_OUT = ("polyder", "polysub", "polyval")  # by seed 3
DECLINED = f"```python\n{DECLINE}\n```"


@pytest.fixture(scope="module")
def lacking(tmp_path_factory: pytest.TempPathFactory) -> World:
    return shared(tmp_path_factory, "lacking", 3, part=PART, leave_out=3)


@pytest.fixture(scope="module")
def matched(tmp_path_factory: pytest.TempPathFactory) -> World:
    return shared(tmp_path_factory, "matched", 3, part=PART)


@pytest.fixture(scope="module")
def runs(lacking: World, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Run]:
    """A run of each of some scripted models, asked everything that the world has."""
    folder = tmp_path_factory.mktemp("runs")
    splits = ("single_test", "multi_test", BOUNDARY_TEST)
    return {
        model: pipeline.run(RunConfig(model=model, split=splits, decline=True), lacking, folder / model)
        for model in ("gold", "decline", "guess")
    }


# ---- what is left out ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [1, 2, 7])
def test_nothing_that_stays_does_the_work_of_what_is_left_out(seed: int) -> None:
    gone = boundary.choose_left_out(EVERYTHING, 12, seed)
    assert len(gone) == 12 and gone == boundary.choose_left_out(EVERYTHING, 12, seed)
    assert len(boundary.tasks(gone)) == 48
    for definition in boundary.tasks(EVERYTHING):
        path = rules.subject(definition)
        others = EVERYTHING.intersection(core.alternatives(definition.name, path, ()))
        assert {path, *others} <= set(gone) or not {path, *others} & set(gone)
    assert not any(catalog.entries()[path].form for path in gone) and "array" not in gone


def test_what_is_left_out_can_be_said_in_the_matched_worlds_terms() -> None:
    """Also where results have named fields, which the smaller world does not have."""
    chosen = plan(4, leave_out=12)
    assert chosen.matched and "linalg.qr" in chosen.names.lacking(chosen.matched)
    for definition in boundary.tasks(chosen.names.lacking(chosen.matched)):
        assert chosen.matched.package in Translator(chosen.matched).code(definition.source)


def test_another_seed_leaves_out_others() -> None:
    assert len({boundary.choose_left_out(EVERYTHING, 12, seed) for seed in range(5)}) == 5


def test_more_than_can_be_left_out_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"--leave-out 100: .* can be left out"):
        plan(1, leave_out=100)
    mapping = Path(__file__).parent / "data" / "published_mapping.json"
    with pytest.raises(ConfigError, match="and --leave-out"):
        plan(1, mapping_file=mapping, leave_out=3)
    result = CliRunner().invoke(cli, ["build", "--seed", "3", "--leave-out", "3"])
    assert result.exit_code and "--out is required" in str(result.exception)


def test_every_other_name_is_that_of_the_matched_world(lacking: World, matched: World) -> None:
    assert tuple(lacking.manifest.left_out) == LEFT_OUT
    assert lacking.manifest.matched_names == matched.names
    assert lacking.names.functions.keys() == matched.names.functions.keys() - set(LEFT_OUT)
    assert not matched.manifest.left_out and not matched.tasks(BOUNDARY_TEST)


def test_ordinary_tasks_are_those_of_the_matched_world_that_need_nothing_left_out(
    lacking: World, matched: World
) -> None:
    for split in SPLITS[: SPLITS.index(BOUNDARY_TEST)]:
        kept = [t for t in matched.tasks(split) if not set(LEFT_OUT) & set(t.functions)]
        assert [t.id for t in lacking.tasks(split)] == [t.id for t in kept]
        assert [(t.cases, t.gold) for t in lacking.tasks(split)] == [(t.cases, t.gold) for t in kept]
    assert all(lacking.manifest.tasks[split] for split in ("train", "single_test", "multi_test"))


def test_boundary_tasks_are_the_banks_with_the_matched_worlds_cases(lacking: World, matched: World) -> None:
    asked = lacking.tasks(BOUNDARY_TEST)
    assert [t.id for t in asked] == [d.name for d in boundary.tasks(LEFT_OUT)] and len(asked) == 12
    for one in asked:
        same = matched.task(one.id)
        assert (one.question, one.functions, one.examples, one.cases) == (
            same.question, same.functions, same.examples, same.cases,
        )  # fmt: skip
        assert one.core == () and one.gold.strip() == DECLINE


def test_the_package_and_the_documentation_lack_what_was_left_out(lacking: World) -> None:
    assert _left_out(lacking)[1] == ()
    with lacking.library() as library:
        for path in lacking.manifest.left_out.values():
            with pytest.raises(AttributeError):
                resolve(library, path)
    for path in LEFT_OUT:
        with pytest.raises(ConfigError, match="no function"):
            lacking.page(path)


@pytest.mark.parametrize("file", ["docs/api.md", "docs/api.jsonl", "package/{}/__init__.py", "data/train.jsonl"])
def test_a_name_that_was_left_out_is_found_wherever_it_is_planted(lacking: World, tmp_path: Path, file: str) -> None:
    copy = World(tmp_path / "copy", lacking.manifest)
    shutil.copytree(lacking.path, copy.path)
    place = copy.path / file.format(lacking.names.package)
    name = lacking.manifest.left_out["polysub"]
    place.write_text(f"{place.read_text('utf-8')}# see `{lacking.names.package}.{name}`\n", "utf-8")
    assert _left_out(copy)[1] == (f"{place.relative_to(copy.path)}: mentions {name}",)


# ---- prompts ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "settings", [BookSettings(), BookSettings(distractors=0), BookSettings(distractors=-1), BookSettings(retrieve=3)]
)
def test_the_form_of_a_prompt_does_not_tell_the_boundary(lacking: World, settings: BookSettings) -> None:
    prompter = lacking.prompter(book=settings, decline=True)
    forms: dict[str, set[tuple[int, str]]] = {"single_test": set(), BOUNDARY_TEST: set()}
    for split, found in forms.items():
        for one in lacking.tasks(split):
            chosen = prompter.book.choose_pages(one)
            assert len(set(chosen)) == len(chosen)
            found.add((len(chosen) - len(one.functions), _form(prompter.prompt(one, "closed").text, one)))
            assert prompter.prompt(one, "open").text.endswith(prompter.prompt(one, "closed").text)
    if settings.retrieve or settings.distractors < 0:  # the same number of pages, whatever the task needs
        forms = {split: {(0, form) for _, form in found} for split, found in forms.items()}
    assert forms["single_test"] == forms[BOUNDARY_TEST] and len(forms[BOUNDARY_TEST]) == 1


def _form(prompt: str, one: Task) -> str:
    """A prompt without what is the task's own."""
    return re.sub(
        r"(?s)```python\n\w+\(.*?```", "EXAMPLE", prompt.replace(one.question, "Q").replace(one.signature, "S")
    )


def test_a_page_near_to_the_question_stands_in_the_place_of_one_that_is_not_there(lacking: World) -> None:
    book = lacking.prompter(book=BookSettings(distractors=0)).book
    for one in lacking.tasks(BOUNDARY_TEST):
        best = [path for path in book._search.best(one.question, 2) if path not in book._needed_pages(one)[:-1]]
        assert book.choose_pages(one)[-1] == best[0] and len(book.choose_pages(one)) == len(one.functions)


def test_prompts_say_how_to_decline_only_where_that_was_asked_for(lacking: World) -> None:
    one = lacking.tasks("single_test")[0]
    plain, more = lacking.prompter(), lacking.prompter(decline=True)
    assert DECLINE not in plain.prompt(one, "closed").text
    assert more.prompt(one, "closed").text.startswith(plain.prompt(one, "closed").text)
    assert more.prompt(one, "closed").text.count(DECLINE) == 1 and plain.digest != more.digest


def test_a_template_that_does_not_say_how_to_decline_is_one_line(lacking: World, tmp_path: Path) -> None:
    (tmp_path / "decline.md").write_text("Say so if you do not know.")
    with pytest.raises(ConfigError, match=r"decline\.md does not use \$line: no answer could decline"):
        lacking.prompter(tmp_path, decline=True)


def test_settings_that_make_no_sense_at_the_boundary_are_refused(matched: World) -> None:
    with pytest.raises(ConfigError, match="add --decline"):
        RunConfig(split=(BOUNDARY_TEST,))
    with pytest.raises(ConfigError, match="reveals that they exist"):
        RunConfig(decline=True, give_names=True)
    with pytest.raises(ConfigError, match="remove native"):
        RunConfig(decline=True, book=("closed", "native"))
    with pytest.raises(ConfigError, match="has no boundary_test: its library is complete"):
        pipeline.plan(RunConfig(model="gold", decline=True, split=(BOUNDARY_TEST,)), matched)


# ---- answers ---------------------------------------------------------------------------------------------------

PROGRAM = "import vok\n\ndef f(a):\n    return vok.kocito(a)"


@pytest.mark.parametrize(
    "response",
    [
        DECLINED,
        DECLINE,
        f"  {DECLINE}\n",
        f"I see no such function.\n\n```\n{DECLINE}\n```\nSorry.",
        f"<think>```python\n{PROGRAM}\n```</think>\n{DECLINED}",
        f"<think>Perhaps not.</think>{DECLINE}",
        f"~~~python\n  {DECLINE}  \n~~~",
        f"{DECLINED}\r\n",
        f"> ```python\n> {DECLINE}\n> ```",
        f"<pre>{DECLINE}</pre>",
        f"<answer>{DECLINE}</answer>",
        f"\ufeff{DECLINE}",
        f"{DECLINE}\n{DECLINE}",
        f"import is fine, but there is none.\n\n{DECLINED}",
    ],
)
def test_the_line_alone_declines(response: str) -> None:
    assert declines(response, "f")


@pytest.mark.parametrize(
    "response",
    [
        "",
        "I decline: not possible with this library.",
        f"```python\n{DECLINE}, I think\n```",
        f"```python\n{DECLINE}\n{PROGRAM}\n```",
        f"```python\n{PROGRAM}\n{DECLINE}\n```",
        f"{DECLINED}\n\n```python\n{PROGRAM}\n```",
        f"```python\n{PROGRAM}\n```\n\n{DECLINED}",
        f"{PROGRAM}\n\n{DECLINED}",
        f"{DECLINED}\n\n{PROGRAM}",
        f"{DECLINED}\n\n```python\nx = 1\n```",
        f"```python\ndef f(a):\n    {DECLINE}\n    return None\n```",
        f'```python\ndef f(a):\n    return "{DECLINE}"\n```',
        f"<think>{DECLINED}</think>\nI do not know.",
        f"The answer may be\n{DECLINE}\nor not.",
        f"```python\n{DECLINE}\n# or so\n```",
        # with patterns that look back, these would take hours
        f"{DECLINE}\n{' ' * 150_000}x",
        f"{DECLINE}{' ' * 150_000}x",
        f"{DECLINE}\n{'`' * 150_000}",
    ],
    ids=range(18),
)
def test_nothing_but_the_line_declines(response: str) -> None:
    assert not declines(response, "f")


def test_verdicts_on_declines_and_compositions(lacking: World) -> None:
    names = lacking.names
    absent, present = lacking.task("profit_curve"), lacking.tasks("single_test")[0]
    assert absent.functions == ("polysub",)
    head = f"import {names.package}\n\ndef profit_curve(revenue, cost):\n"
    composed = f"{head}    return {names.forged('polyadd')}(revenue, [-c for c in cost])\n"
    python = (
        f"{head}    cost = [0] * (len(revenue) - len(cost)) + cost\n    return [a - b for a, b in zip(revenue, cost)]\n"
    )
    stale = f"{head}    return {names.package}.{lacking.manifest.left_out['polysub']}(revenue, cost)\n"
    with Judge(lacking) as judge:
        verdict = judge.judge(absent, DECLINED)
        assert (verdict.kind, verdict.blame, verdict.passed, verdict.reward()) == (Kind.DECLINED, Blame.NONE, True, 1.0)
        verdict = judge.judge(present, DECLINED)
        assert (verdict.kind, verdict.blame, verdict.passed, verdict.reward()) == (
            Kind.DECLINED, Blame.CANDIDATE, False, 0.0,
        )  # fmt: skip
        verdict = judge.judge(absent, composed)
        assert (verdict.kind, verdict.passed, verdict.reward(), verdict.targeted) == (Kind.COMPOSED, True, None, None)
        assert verdict.reward("passed") == 1.0
        verdict = judge.judge(absent, f"{DECLINED}\n\n```python\n{composed}```")
        assert verdict.kind is Kind.COMPOSED  # it does not decline
        assert judge.judge(absent, python).kind is Kind.NOT_FROM_LIBRARY
        # values of one's own, handed through a function
        handed = f"    return [{names.forged('median')}([v]) for v in own]\n"
        washed = judge.judge(absent, python.replace("return [", "own = [") + handed)
        assert washed.kind is Kind.NOT_FROM_LIBRARY, washed
        verdict = judge.judge(absent, stale)
        assert verdict.kind is Kind.FUNCTION_HALLUCINATION
        assert verdict.invented == (lacking.manifest.left_out["polysub"],)
        assert judge.judge(absent, "I do not know.").kind is Kind.NO_CODE
    with Judge(lacking, profile="paper") as judge:
        assert judge.judge(absent, composed).kind is Kind.COMPOSED


VOCABULARY = Vocabulary("vok", "Talmek", ("kocito", "rfx.sarik"), ("rfx",), {"Pafite": ("ruvek",)})


@pytest.mark.parametrize(
    ("program", "invented"),
    [
        ("import vok\nvok.kocito(1); vok.rfx.sarik(2); vok.Talmek; vok.Pafite", ()),
        ("import vok\nvok.mean(1)", ("mean",)),
        ("import vok as v\nv.mean(v.rfx.solve(1))", ("mean", "rfx.solve")),
        ("from vok import kocito, mean as m\nm(1)", ("mean",)),
        ("from vok import rfx as r\nr.sarik(1); r.det(1)", ("rfx.det",)),
        ("import vok.rfx as r\nr.det(1)", ("rfx.det",)),
        ("import vok.linalg\nvok.linalg.det(1)", ("linalg",)),
        ("from vok.linalg import det", ("linalg",)),
        ("from vok.rfx import det, sarik", ("rfx.det",)),
        ("import vok\nx = vok.kocito(1)\nx.mean(); x.T.sum()", ()),  # asked of an array, not of the library
        ("import vok\ngetattr(vok, 'mean')(1); vok.__name__", ("mean",)),
        ("import math\nmath.nothing(1)\nmean(2)", ()),
        ("from vok import *\nkocito(1)", ()),
        (f"import vok\nvok{'.mean' * 500}", ("mean",)),
        ("import vok\ntext = 'vok.mean'  # vok.median", ()),
    ],
)
def test_invented_names_are_read_off_the_program(program: str, invented: tuple[str, ...]) -> None:
    assert policy.find_invented_names(list(ast.walk(ast.parse(program))), VOCABULARY) == invented


# ---- reports ---------------------------------------------------------------------------------------------------


def test_scripted_baselines_at_the_boundary(runs: dict[str, Run]) -> None:
    found = report.summarize(list(runs.values()))
    shown = {(b.run, b.book): b for b in found.boundary}
    assert shown.keys() == {(model, book) for model in runs for book in ("closed", "open")}
    # invented and declined where the function is absent and where it is present
    rates = {"gold": (0, 0, 1, 0), "decline": (0, 0, 1, 1), "guess": (1, 1, 0, 0)}
    for (model, _), one in shown.items():
        shares = (one.invented_absent, one.invented_present, one.declined_absent, one.declined_present)
        assert tuple(share.value for share in shares) == rates[model]
        assert one.difference == rates[model][2] - rates[model][3] and one.composed.value == 0
        assert one.interval and one.interval.low <= one.difference <= one.interval.high
        assert (one.functions, one.absent_tasks) == (3, 12)


def test_boundary_tasks_are_in_no_accuracy(lacking: World, runs: dict[str, Run]) -> None:
    ordinary = len(lacking.tasks("single_test")) + len(lacking.tasks("multi_test"))
    for run in report.summarize(list(runs.values())).runs:
        assert run.responses == 2 * (ordinary + 12) and BOUNDARY_TEST not in run.splits
        assert all(cell.tasks == ordinary for cell in run.cells if cell.group == "all")
        assert not {f.function for f in run.functions} & set(LEFT_OUT)
        kinds = {error.kind: error.count for error in run.errors}
        assert kinds.get("declined", 0) == (ordinary if run.model == "decline" else 0)


def read_csv(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_the_boundary_is_in_every_form_of_a_report(runs: dict[str, Run], tmp_path: Path) -> None:
    made = report.write([runs["gold"], runs["guess"]], tmp_path)
    numbers = [line for line in read_csv((tmp_path / "report.csv").read_text("utf-8")) if line["group"] == "boundary"]
    wanted = {"run": "guess", "book": "open", "metric": "invented names", "value": "absent"}
    assert [n["estimate"] for n in numbers if wanted.items() <= n.items()] == ["1.0"]
    assert numbers == [line for line in read_csv(formats.text(made, "csv")) if line["group"] == "boundary"]
    assert "| guess | open | 100.0% | 100.0% | 0.0% | 0.0% | +0.0 |" in formats.text(made, "markdown")
    assert len(made.to_json()["boundary"]) == 4
    console = Console(width=80, file=io.StringIO(), color_system=None)
    tables.show(made, console)
    shown = console.file.getvalue()  # type: ignore[attr-defined]
    assert "declined," in shown and max(len(line) for line in shown.splitlines() if "%" in line) <= 80
    rollouts = read_csv((tmp_path / "rollouts.csv").read_text("utf-8"))
    assert {bool(line["invented"]) for line in rollouts if line["run"] == "guess"} == {True}
    assert (tmp_path / html.FILE).read_text("utf-8").count('"declined_absent"') == 4


def test_a_run_without_ordinary_tasks_says_what_is_missing(lacking: World, tmp_path: Path) -> None:
    run = pipeline.run(
        RunConfig(model="gold", split=(BOUNDARY_TEST,), book=("closed",), decline=True), lacking, tmp_path / "gold"
    )
    made = report.write([run], tmp_path / "report")
    (one,) = made.boundary
    assert (one.difference, one.interval, one.declined_present.value, one.declined_absent.value) == (
        None,
        None,
        None,
        1,
    )
    assert any("no single_test" in note for note in made.notes)


def test_the_error_of_a_run_tells_of_an_invented_name_too() -> None:
    detail = "line 5: AttributeError: module 'vok' has no attribute 'mean'"
    assert report_boundary.invents(row("a", False, kind=Kind.FUNCTION_HALLUCINATION, detail=detail))
    assert report_boundary.invents(row("a", False, kind=Kind.SYNTAX, invented=("mean",)))
    assert not report_boundary.invents(row("a", False)) and not report_boundary.invents(row("a", None))


def test_a_function_weighs_the_same_however_many_of_its_tasks_were_asked() -> None:
    many = [row(f"a{i}", False, kind=Kind.DECLINED, task=task(f"a{i}", ("polyint",), BOUNDARY_TEST)) for i in range(3)]
    few = [row("b", False, task=task("b", ("array", "polyval"), BOUNDARY_TEST))]
    present = [row("c", False, task=task("c"))]
    found = report_boundary._boundary("run", "closed", [*many, *few, *present])
    assert (found.functions, found.absent_tasks, found.declined_absent.value, found.difference) == (2, 4, 0.5, 0.5)


@pytest.mark.parametrize("sides", [([1.0] * 12, [0.0] * 200), ([0.0, 0.5, 1.0, 0.25] * 5, [0.1, 0.2, 0.0] * 30)])
def test_an_unpaired_interval_holds_its_difference_and_mirrors(sides: tuple[list[float], list[float]]) -> None:
    first, second = sides
    one, other = unpaired_interval(first, second), unpaired_interval(second, first)
    wider = unpaired_interval(first[: len(first) // 2], second)
    assert one and other and wider
    difference = sum(first) / len(first) - sum(second) / len(second)
    assert -1 <= one.low <= difference <= one.high <= 1
    assert abs(one.low + other.high) < 0.03 and abs(one.high + other.low) < 0.03
    assert wider.high - wider.low > one.high - one.low
    assert unpaired_interval(first, []) is None


def test_a_declined_answer_counts_as_wrong_among_ordinary_ones() -> None:
    assert metrics.outcome(row("a", False, kind=Kind.DECLINED)) is metrics.AnswerOutcome.WRONG


def test_every_exported_prompt_says_how_to_decline(lacking: World, tmp_path: Path) -> None:
    """Else the paragraph would tell which tasks cannot be done."""
    huggingface.export(lacking, tmp_path / "hf")
    for split in ("train", "single_test", "boundary_test"):
        for line in (tmp_path / "hf" / f"{split}.jsonl").read_text().splitlines():
            found = json.loads(line)
            assert DECLINE in found["prompt_closed"] and DECLINE in found["prompt_open"]
    assert {one.split for one in questions(lacking, "single_test,boundary_test") if DECLINE in one.prompt} == {
        "single_test",
        "boundary_test",
    }
    assert not any(DECLINE in one.prompt for one in questions(lacking, "single_test"))  # as in a run
