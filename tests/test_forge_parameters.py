"""Worlds that also forge parameter names and option words such as "edge": none of NumPy's remain, and everything else
is unchanged."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from sebench.audit import world as audit_world
from sebench.bank.definition import bank
from sebench.base.errors import ConfigError, ForgeError
from sebench.base.records import Case, CoreFunction, Kind, Task
from sebench.forge.audit import audit
from sebench.forge.audit.audit import AuditInputs
from sebench.forge.catalog import catalog, options, samples, signature
from sebench.forge.docs import parameter_leaks, parameter_renaming
from sebench.forge.docs.equivalence import comparable
from sebench.forge.docs.phrase_tables import SPELLED_OUT
from sebench.forge.names import mapping, naming
from sebench.forge.names.naming import NAMES, PARAMETERS
from sebench.forge.package import package
from sebench.forge.package.package import resolve
from sebench.forge.translate import normalize
from sebench.forge.translate.translate import Translator, Untranslatable
from sebench.judge.judge import Judge
from sebench.tasks import cards, splits
from sebench.train.data import examples
from sebench.world.build import Slice
from sebench.world.page_cuts import without_usage
from sebench.world.world import World
from tests.conftest import EVERYTHING, PUBLISHED_MAPPING, shared, slow
from tests.corpora import fill

PART = Slice(subjects=("statistics", "sorting", "shaping"))


@pytest.fixture(scope="module")
def forged(tmp_path_factory: pytest.TempPathFactory) -> World:
    return shared(tmp_path_factory, "parameters", 5, part=PART, level=PARAMETERS)


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> World:
    """The same world with names alone; no test looks at its tasks."""
    return shared(tmp_path_factory, "plain", 5, part=PART, tasked=12)


@pytest.fixture(scope="module")
def library(forged: World) -> Iterator[ModuleType]:
    with forged.library() as module:
        yield module


@pytest.fixture(scope="module")
def judge(forged: World) -> Iterator[Judge]:
    with Judge(forged) as made:
        yield made


def tasks(world: World) -> list[Task]:
    return [task for split in splits.SPLITS for task in world.tasks(split)]


# ---- names ------------------------------------------------------------------------------------------------------


def test_the_level_changes_no_other_name(forged: World, plain: World) -> None:
    same = ("package", "array", "modules", "functions", "fields", "results")
    assert [getattr(forged.names, key) for key in same] == [getattr(plain.names, key) for key in same]
    assert (forged.names.level, plain.names.level) == (PARAMETERS, NAMES)


def test_a_parameter_and_a_word_have_one_name_whatever_is_built(forged: World) -> None:
    whole = naming.draw(5, catalog.seeded(), level=PARAMETERS)
    assert forged.names.parameters.items() < whole.parameters.items()
    assert forged.names.words.items() < whole.words.items()
    assert naming.draw(5, catalog.seeded(), level=PARAMETERS) == whole
    assert naming.draw(6, catalog.seeded(), level=PARAMETERS).parameters["axis"] != whole.parameters["axis"]


def test_every_parameter_of_the_world_is_forged(forged: World) -> None:
    takes = {name for entry in forged.entries.values() for name in signature.read(entry.signature).all}
    assert forged.names.parameters.keys() == takes
    everything = [*forged.names.parameters.values(), *forged.names.words.values(), *forged.names.functions.values()]
    assert len(everything) == len(set(everything))


def test_a_signature_keeps_its_form(forged: World) -> None:
    for path, entry in forged.entries.items():
        before = signature.read(entry.signature).parameters
        after = signature.read(forged.names.signature(entry)).parameters
        words = options.words(path)
        assert [p.kind for p in after] == [p.kind for p in before]
        for old, new in zip(before, after, strict=True):
            assert new.name == forged.names.parameters[old.name]
            assert new.default == (forged.names.word(old.default) if old.name in words else old.default)


def test_every_default_that_is_a_word_is_listed() -> None:
    for path, entry in catalog.entries().items():
        for name, default in signature.read(entry.signature).defaults.items():
            if isinstance(default, str) and name != "dtype":
                assert default in options.words(path)[name], (path, name)


def test_parameters_with_words_refuse_others_in_numpy_too() -> None:
    lenient = {"cov"}  # any text counts as True there
    for path in catalog.entries():
        call = catalog.entries()[path].calls[0]
        for name in options.words(path).keys() - lenient if call.endswith(")") and "'" not in call else ():
            space = {k: np.array(v) if isinstance(v, list) else v for k, v in samples.draw(1, call).items()}
            with pytest.raises((ValueError, TypeError, KeyError)):
                eval(f"{call[:-1]}, {name}='nonsense')", {"np": np, **space})


def test_names_from_a_mapping_can_have_forged_parameters() -> None:
    mapped = mapping.read(PUBLISHED_MAPPING, 0, level=PARAMETERS).names
    assert mapped.functions["mean"] == mapping.read(PUBLISHED_MAPPING, 0).names.functions["mean"]
    assert mapped.parameters["axis"] == naming.draw(0, catalog.seeded(), level=PARAMETERS).parameters["axis"]


# ---- the level `names` ------------------------------------------------------------------------------------------


def test_names_alone_leave_parameters_and_manifest_as_they_were(plain: World) -> None:
    assert plain.names.parameters == {} and plain.names.words == {}
    said = json.loads((plain.path / "world.json").read_text("utf-8"))["names"]
    assert said.keys() == {"package", "array", "modules", "functions", "fields", "results"}
    with plain.library() as library:
        for path, entry in plain.entries.items():
            takes = inspect.signature(resolve(library, plain.names.functions[path])).parameters
            assert tuple(takes.values()) == signature.read(entry.signature).parameters


def test_names_alone_ship_the_runtime_as_it_is(plain: World, forged: World) -> None:
    one, other = (package.files(w.names, w.entries, 5) for w in (plain, forged))
    assert other.keys() - one.keys() == {f"{plain.names.package}/_core/options.py"}
    assert {file.rpartition("/")[2] for file in one if one[file] != other[file]} == {
        "__init__.py",
        "calls.py",
        "settled.py",
    }
    assert "options" not in one[f"{plain.names.package}/__init__.py"]


def test_the_manifest_knows_the_level(forged: World, plain: World) -> None:
    again = World.load(forged.path)
    assert again.names == forged.names and again.names.level == PARAMETERS
    assert forged.manifest.fingerprint != plain.manifest.fingerprint


def test_an_unknown_level_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"--forge 'all' is unknown; choose names or names\+parameters"):
        World.build(5, tmp_path / "world", level="all")


@pytest.mark.parametrize("caught", ["except ValueError:", "except:"])
@pytest.mark.parametrize("lead", ["", "import string\n"], ids=["shared", "behind the wall"])
def test_a_program_cannot_try_words_until_one_is_right(forged: World, judge: Judge, lead: str, caught: str) -> None:
    task, pad = tasks(forged)[0], forged.names.forged("pad")
    head = f"import {forged.names.package}\n{lead}def {task.entry}(*_):\n    for n in range(1_000_000):\n        "
    tried = judge.judge(
        task, f"{head}try:\n            return {pad}([1, 2], 1, str(n))\n        {caught}\n            pass\n"
    )
    assert (tried.kind, tried.detail.split(": ", 1)[1]) == (
        Kind.RAISED,
        "TooManyFailures: more than 5,000 library calls raised an error",
    )


@pytest.mark.parametrize("form", ["b'right'", "LIB.F[array]('right')", "[['right']]", "1", "bytearray(b'right')"])
@pytest.mark.parametrize("lead", ["", "import string\n"], ids=["shared", "behind the wall"])
def test_an_option_is_a_word_of_the_world_in_no_other_form(forged: World, judge: Judge, lead: str, form: str) -> None:
    task = tasks(forged)[0]
    body = f"return LIB.F[searchsorted]([1, 2, 2, 3], 2, {form})"
    text = fill(f"import LIB\n{lead}def {task.entry}(*_):\n    {body}\n", forged.names)
    assert text is not None
    tried = judge.judge(task, text)
    assert (tried.kind, "is not a word for" in tried.detail) == (Kind.PARAMETER_ERROR, True), tried


# ---- the package ------------------------------------------------------------------------------------------------


def test_a_wrong_keyword_and_a_wrong_word_are_answered_in_the_worlds_words(forged: World, library: ModuleType) -> None:
    names = forged.names
    pad, mean = (resolve(library, names.functions[path]) for path in ("pad", "mean"))
    with pytest.raises(TypeError, match="unexpected keyword argument 'axis'"):
        mean([1, 2], axis=0)
    with pytest.raises(TypeError) as missing:
        mean()
    assert names.parameters["a"] in str(missing.value)
    with pytest.raises(ValueError, match="'reflect' is not a word for") as wrong:
        pad([1, 2, 3], 1, "reflect")
    assert f"`{names.parameters['mode']}`; the words are {names.words['constant']}, " in str(wrong.value)
    assert not parameter_leaks.find(str(wrong.value).replace("'reflect'", ""), names)


def test_a_program_learns_no_words_from_an_error_and_the_verdict_keeps_them(forged: World, judge: Judge) -> None:
    pad = forged.names.forged("pad")
    task = tasks(forged)[0]
    head = f"import {forged.names.package}\ndef {task.entry}(*_):\n    "
    plain = judge.judge(task, f"{head}return {pad}([1, 2, 3], 1, 'reflect')\n")
    caught = f"{head}try:\n        {pad}([1, 2, 3], 1, 'reflect')\n    except ValueError as error:\n        "
    read = judge.judge(task, f"{caught}assert not str(error).count(' is '), 'seen'\n")
    passed_on = judge.judge(task, f"{caught}raise RuntimeError(f'no: {{error}}')\n")
    assert "the words are" in plain.detail and plain.kind is Kind.PARAMETER_ERROR
    assert read.kind is Kind.WRONG_TYPE, read
    assert "RuntimeError: no: " in passed_on.detail and "the words are" in passed_on.detail


def test_an_error_of_numpys_shows_the_word_that_was_given(forged: World, library: ModuleType) -> None:
    pad, word = resolve(library, forged.names.functions["pad"]), forged.names.words["reflect"]
    with pytest.raises(TypeError) as error:
        pad([1, 2, 3], "many", word)
    assert f"'{word}'" in str(error.value) and "reflect" not in str(error.value)


def test_data_that_looks_like_a_word_stays_data(forged: World, library: ModuleType) -> None:
    words = list(forged.names.words.values())[:3]
    assert resolve(library, forged.names.functions["sort"])(words).tolist() == sorted(words)


def test_a_subclass_of_text_is_a_word_too(forged: World, library: ModuleType) -> None:
    pad, word = resolve(library, forged.names.functions["pad"]), forged.names.words["edge"]
    assert pad([1, 2], 1, type("Text", (str,), {})(word)).tolist() == [1, 1, 2, 2]


def test_no_file_of_the_package_shows_a_parameter_or_a_word(forged: World) -> None:
    for file in (forged.package_folder / forged.names.package).rglob("*.py"):
        assert not parameter_leaks.in_package(file.read_text("utf-8"), forged.names), file.name


# ---- pages ------------------------------------------------------------------------------------------------------


def test_pages_say_the_same_in_other_words(forged: World, plain: World) -> None:
    for page, before in zip(forged.pages, plain.pages, strict=True):
        text = parameter_renaming.to_numpy_names(page.text, forged.names)
        assert "".join(filter(str.isalnum, text)) == "".join(filter(str.isalnum, before.text)), before.path


def test_every_text_that_is_spelled_out_stands_on_a_page(forged: World, plain: World) -> None:
    for with_words, spelled_out in SPELLED_OUT[1:]:  # the first is of packbits, which this world has not
        assert any(with_words in page.text for page in plain.pages)
        assert not any(spelled_out in page.text for page in plain.pages)
        assert any(
            parameter_renaming.ParameterRenamer(forged.names, e).text(spelled_out) in p.text
            for e in forged.entries.values()
            for p in forged.pages
        )


def test_no_task_needs_a_word_that_no_page_explains() -> None:
    unexplained = """auto fd doane scott stone greedy optimal averaged_inverted_cdf closest_observation
        interpolated_inverted_cdf hazen weibull median_unbiased normal_unbiased""".split()
    for definition in bank():
        assert not [w for w in unexplained if f"'{w}'" in definition.source or f'"{w}"' in definition.source]


TEXTS = {
    "`axis` and keepdims": "`{axis}` and `{keepdims}`",
    "Give `a[axis]` an axis.": "Give `{a}[{axis}]` an axis.",
    "If axis is None, a mean of a 2-D array, (sum of "
    "a[i])/n": "If `{axis}` is None, a mean of a 2-D array, (sum of {a}[i])/n",
    "The shape is `shape`, `a.shape` or `a.mean(axis=0)`": "The shape is `.shape`, `{a}.shape` or `{a}.mean({axis}=0)`",
    "with 'reflect', or `mode='wrap'`": "with '{reflect}', or `{mode}='{wrap}'`",
}  # fmt: skip


@pytest.mark.parametrize("text", TEXTS)
def test_parameters_are_told_from_english(text: str) -> None:
    names = naming.draw(5, catalog.seeded(), level=PARAMETERS)
    said = parameter_renaming.ParameterRenamer(names, catalog.entries()["mean"]).text(text)
    assert said == TEXTS[text].format(**{**names.parameters, **names.words})


def test_the_examples_of_every_page_are_plain_calls() -> None:
    names = naming.draw(5, catalog.seeded(), level=PARAMETERS)
    for path in names.functions:
        for example in catalog.entries()[path].example:
            assert "lambda word" not in Translator(names).code(example), example


# ---- programs ---------------------------------------------------------------------------------------------------


def test_gold_passes_in_the_world_and_in_numpy(forged: World, judge: Judge) -> None:
    """Of all tasks in `make test-all`, of every third in `make test`."""
    asked = tasks(forged)[:: 1 if EVERYTHING else 3]
    sources = {definition.name: definition.source for definition in bank()}
    own = judge.judge_many((task, task.gold) for task in asked)
    assert [t.id for t, v in zip(asked, own, strict=True) if not v.targeted] == []
    waiting = [judge.submit(task, sources[task.id], native=True) for task in asked]
    assert [t.id for t, v in zip(asked, waiting, strict=True) if not v.result().targeted] == []
    assert not [task.id for task in tasks(forged) if parameter_leaks.in_program(task.gold, forged.names)]


NATIVE = {
    "keywords": "np.mean(x, axis=0, keepdims=True)",
    "methods": "(x.mean(axis=0), x.reshape(2, 3, order='F'), x.std(axis=1, ddof=1))",
    "a word in a variable": "[np.pad(x[0], 1, mode=m) for m in ('wrap', 'edge')]",
    "a word that depends": "np.searchsorted([1, 2, 3], 2, side='left' if x[0, 0] > 0 else 'right')",
    "a function in a variable": "[f(x, axis=0) for f in (np.mean, np.median)]",
    "a function as an argument": "apply(np.mean, x)",
    "a partial function": "partial(np.percentile, q=50, axis=1, method='lower')(x)",
    "options that are unpacked": "np.median(x, **{'axis': 1, 'keepdims': True})",
    "an edge or a rule": "[np.histogram(x, bins=b)[0].tolist() for b in ([0, 2, 9], 3)] + [np.histogram(x, "
                         "bins='sqrt')[0].tolist()]",
    "a result that is received": "np.mean(x, 0, None, np.array([0.0, 0.0, 0.0]))",
    "a keyword of the program's own": "(lambda x, axis: np.std(x, axis=axis))(x, axis=1)",
}  # fmt: skip


@pytest.mark.parametrize("style", NATIVE)
def test_programs_in_numpy_are_translated_with_their_keywords_and_words(
    style: str, forged: World, library: ModuleType
) -> None:
    apply = "def apply(g, x):\n    return g(x, axis=1)\n"
    source = f"import numpy as np\nfrom functools import partial\n{apply}def f(x):\n    return {NATIVE[style]}\n"
    values = [[3.0, 1.0, 2.0], [6.0, 5.0, 4.0]]
    here: dict[str, Any] = {}
    there: dict[str, Any] = {}
    exec(source, there)
    with package.import_package(forged.package_folder, forged.names.package) as again:
        exec(normalize.translate_program(source, forged.names), here)
        array = resolve(again, forged.names.functions["array"])
        mine = comparable(here["f"](array(values)), getattr(again, forged.names.array))
    assert mine == comparable(there["f"](np.array(values)), np.ndarray)


@pytest.mark.parametrize("call", ["np.mean(x, **given)", "np.pad(x, 1, 'mirror')", "np.mean(x, where=y)"])
def test_what_has_no_form_is_named(call: str, forged: World) -> None:
    with pytest.raises(Untranslatable, match=r"np\.\w+\("):
        Translator(forged.names).code(call)


def test_a_result_that_is_received_is_credited(forged: World, judge: Judge) -> None:
    names = forged.names
    cases = tuple(
        Case({"x": [[a, 2.0], [3.0, b]]}, [(a + 3) / 2, (2 + b) / 2]) for a, b in ((1.0, 4.0), (7.0, 2.0), (5.0, 9.0))
    )
    gold = (
        f"import {names.package} as v\n\ndef f(x):\n    return v.{names.functions['mean']}(x, "
        f"{names.parameters['axis']}=0)\n"
    )
    task = Task("received", "", "f", ("x",), cases, ("mean",), gold=gold, core=(CoreFunction("mean"),))
    code = (
        f"import {names.package} as v\n\ndef f(x):\n    y = v.{names.functions['array']}([0.0, 0.0])\n"
        f"    v.{names.functions['mean']}(x, {names.parameters['axis']}=0, {names.parameters['out']}=y)\n    return y\n"
    )
    assert judge.judge(task, code).targeted


def test_a_card_is_in_the_worlds_terms(forged: World) -> None:
    names = forged.names
    pages = {page.path: page.text for page in forged.pages}
    definition = next(d for d in bank() if d.part == "single" and "np.pad(" in d.source and "mode=" in d.source)
    definition = replace(definition, usage="mode is 'wrap'", page="the values from the opposite end")
    card = cards.card(definition, names, pages)
    assert f"{names.functions['pad']}.{names.parameters['mode']}" in card.options
    assert card.usage is not None
    assert card.usage.parameter == names.parameters["mode"]
    assert card.usage.fact == f"{names.parameters['mode']} is '{names.words['wrap']}'"
    assert names.words["wrap"] not in without_usage(pages[names.functions["pad"]], replace(card.usage, page=""))


def test_words_of_a_page_are_found_again(forged: World) -> None:
    names = forged.names
    page = forged.page("pad").text
    assert (
        parameter_renaming.quote_in_world("given like `pad_width`", page, names)
        == f"given like {names.parameters['pad_width']}"
    )
    with pytest.raises(ForgeError, match="does not say"):
        parameter_renaming.quote_in_world("nothing of the kind", page, names)
    assert parameter_renaming.quote_in_world("", page, names) == ""


# ---- the audit --------------------------------------------------------------------------------------------------


@slow  # every build of a world makes its leak audit
def test_the_world_passes_its_audit(forged: World) -> None:
    checks = {check.name: check for check in audit_world.check(forged)}
    assert {name: check.failures for name, check in checks.items() if not check.holds} == {}
    assert checks["parameters forged"].looked_at > 400


@pytest.mark.parametrize("form", examples.FORMS)
def test_the_control_learns_no_word_of_the_forged_library(forged: World, form: str) -> None:
    names, asked = forged.names, examples.training_tasks(forged)
    named = {names.package, names.array, *names.modules.values(), *names.functions.values()}
    vocabulary = named | {*names.parameters.values(), *names.words.values()}
    of_numpy = [set(re.findall(r"\w+", one.answer)) for one in examples.from_gold(forged, asked, form, native=True)]
    assert not set.union(*of_numpy) & vocabulary
    in_the_world = [set(re.findall(r"\w+", one.answer)) for one in examples.from_gold(forged, asked, form)]
    assert all(words & named for words in in_the_world) and set.union(*in_the_world) & {*names.parameters.values()}


@pytest.fixture
def evidence(forged: World, library: ModuleType) -> AuditInputs:
    golds = {task.id: task.gold for task in tasks(forged)}
    return AuditInputs(
        forged.names, forged.entries, library, forged.pages, {}, 5, True, rebuild=lambda: "", programs=golds
    )


def found(evidence: AuditInputs) -> tuple[str, ...]:
    return dict(audit.checks(evidence))["parameters forged"]().failures


PLANTED = {
    "code": "See `axis`.",
    "code with a keyword": "See `f(keepdims=True)`.",
    "a word in quotes": "With 'reflect' it is mirrored.",
    "a name that is no English": "It has a keepdims.",
}  # fmt: skip


@pytest.mark.parametrize("leak", PLANTED)
def test_a_leak_on_a_page_is_found(leak: str, evidence: AuditInputs) -> None:
    assert found(evidence) == ()
    first, *rest = evidence.docs
    planted = replace(first, text=f"{first.text}\n{PLANTED[leak]}\n")
    assert len(found(replace(evidence, docs=(planted, *rest)))) == 1


def test_a_letter_is_found_on_the_page_of_its_function_alone(evidence: AuditInputs, forged: World) -> None:
    def with_letter(path: str) -> tuple[str, ...]:
        page = forged.page(path)
        return found(replace(evidence, docs=(replace(page, text=f"{page.text}\nSee `a`.\n"),)))

    assert with_letter("mean") and not with_letter("bincount")


def test_a_leak_in_an_example_is_found(evidence: AuditInputs) -> None:
    mean = evidence.names.forged("mean")
    first, *rest = evidence.docs
    planted = replace(first, text=f"{first.text}\n```python\n>>> {mean}([1], axis=0)\n1.0\n```\n")
    assert found(replace(evidence, docs=(planted, *rest)))


@pytest.mark.parametrize("call", ["{mean}(x, axis=0)", "{pad}(x, 1, 'wrap')"])
def test_a_leak_in_gold_is_found(call: str, evidence: AuditInputs) -> None:
    names = evidence.names
    program = call.format(mean=names.forged("mean"), pad=names.forged("pad"))
    assert found(replace(evidence, programs={"planted": program})) != ()


@pytest.mark.parametrize("source", ["def {mean}(a):\n    pass", "x = 'reflect'", "run(keepdims=1)"])
def test_a_leak_in_the_package_is_found(source: str, evidence: AuditInputs) -> None:
    text = source.format(mean=evidence.names.functions["mean"])
    assert found(replace(evidence, texts={"package/x.py": text})) != ()


def test_a_function_that_takes_numpys_words_is_found(evidence: AuditInputs, monkeypatch: pytest.MonkeyPatch) -> None:
    path = evidence.names.functions["pad"]
    monkeypatch.setattr(evidence.library, path, lambda *args, **given: None)
    failures = found(evidence)
    assert f"{path} with {{'mode': 1}}: is accepted" in failures
    assert f"{path} with {{'{evidence.names.parameters['mode']}': 'wrap'}}: is accepted" in failures
