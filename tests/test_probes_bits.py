"""Bits learned of forged words: words that a model is certain of count in full, words that it only guesses do not
count."""

from __future__ import annotations

import inspect
import json
import math
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from sebench.base.errors import ConfigError  # noqa: E402
from sebench.base.records import ApiDoc  # noqa: E402
from sebench.cli.probe import _bits_rows  # noqa: E402
from sebench.forge.names.naming import PARAMETERS, Names  # noqa: E402
from sebench.forge.names.surprisal import surprisal  # noqa: E402
from sebench.train.probes import bits, probes  # noqa: E402
from sebench.train.probes.bits import WordBits, WordQuestion  # noqa: E402
from sebench.train.probes.probes import FunctionProbe, Probes, ProbeSettings, probe  # noqa: E402
from sebench.train.probes.scoring import ForcedAnswer  # noqa: E402
from sebench.world.build import Slice, plan  # noqa: E402
from sebench.world.world import World  # noqa: E402
from tests import toy  # noqa: E402
from tests.conftest import shared, slow  # noqa: E402
from tests.test_probes import ids, one_by_one  # noqa: E402

BITS = ProbeSettings(("bits",), autocast=False)
NAMES = Names("vokib", "Talemek", {"linalg": "decak"}, {"sum": "lucixu", "linalg.solve": "decak.bukuzi"}, {}, {})


@pytest.fixture(scope="module")
def forged(tmp_path_factory: pytest.TempPathFactory) -> World:
    part = Slice(subjects=("statistics", "sorting", "shaping"))
    return shared(tmp_path_factory, "parameters", 5, part=part, level=PARAMETERS)


def described(world: World) -> dict[str, str]:
    """The option words without the two that no page describes."""
    return {word: name for word, name in world.names.words.items() if word not in ("empty", "sqrt")}


def page(path: str, parameters: str = "", **more: str) -> ApiDoc:
    text = f"# vokib.{path}\n\nText.\n\n## Parameters\n\n{parameters}\n\n## Returns\n\n- int: `decoy` ('decoy')\n"
    return ApiDoc(path, "", f"vokib.{path}()", more.get("summary", f"Does {len(path)}."), text, ())


def knowing(known: Callable[[str], bool], monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the model be certain of some answers, and find the others as likely as the generator does."""

    class Knowing:
        def __init__(self, *_: Any, **__: Any) -> None:
            self.tokens = toy.tokenizer()

        def score_answers(self, prompts: Any, answers: Sequence[Sequence[int]]) -> list[ForcedAnswer]:
            words = [self.tokens.decode(answer).removesuffix("`") for answer in answers]
            return [ForcedAnswer(0.0 if known(w) else -surprisal(w) * math.log(2), len(w), True) for w in words]

    monkeypatch.setattr(probes, "Scorer", Knowing)


def test_a_model_that_knows_some_words_has_learned_exactly_their_bits(
    forged: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    names, words_asked = forged.names, described(forged)
    known = {*sorted(names.functions.values())[::3], *sorted(names.parameters.values())[::2], *words_asked.values()}
    knowing(known.__contains__, monkeypatch)
    tokens = toy.tokenizer()
    found = probe(torch, toy.model(tokens), tokens, forged, settings=BITS)
    figures = found.figures()
    for part, words in (("names", names.functions), ("parameters", names.parameters), ("words", words_asked)):
        assert figures[f"bits_{part}"] == pytest.approx(sum(surprisal(w) for w in words.values() if w in known))
        assert figures[f"bits_{part}_most"] == pytest.approx(sum(map(surprisal, words.values())))
    rows = _bits_rows(found)
    assert [(part, row.words) for part, row in rows.items()] == [
        ("names", len(names.functions)),
        ("parameters", len(names.parameters)),
        ("words", len(words_asked)),
        ("all", len(names.functions) + len(names.parameters) + len(words_asked)),
    ]
    assert rows["all"].bits == pytest.approx(sum(figures[f"bits_{part}"] for part in bits.PARTS))
    assert rows["all"].most == pytest.approx(sum(figures[f"bits_{part}_most"] for part in bits.PARTS))
    for part in ("names", "parameters", "all"):
        assert 0 < rows[part].low < rows[part].bits < rows[part].high < rows[part].most
    assert rows["words"].bits == rows["words"].high == rows["words"].most > rows["words"].low > 0


@pytest.mark.parametrize("knows", [True, False])
def test_the_interval_has_a_width_even_if_everything_is_known_or_nothing(
    tiny: World, monkeypatch: pytest.MonkeyPatch, knows: bool
) -> None:
    knowing(lambda word: knows, monkeypatch)
    tokens = toy.tokenizer()
    (row,) = _bits_rows(probe(torch, toy.model(tokens), tokens, tiny, settings=BITS)).values()
    most = sum(map(surprisal, tiny.names.functions.values()))
    assert (row.words, row.bits, row.most) == (6, pytest.approx(most * knows), pytest.approx(most))
    assert row.low == (pytest.approx(0.61 * most, rel=0.01) if knows else 0)  # Wilson's interval for 6 of 6
    assert row.high == pytest.approx(most if knows else 0.39 * most, rel=0.01)


def test_the_scores_are_those_of_every_answer_by_itself(forged: World) -> None:
    tokens = toy.tokenizer()
    model = toy.model(tokens, seed=3)
    one = next(page for page in forged.pages if forged.names.words["left"] in page.text)
    found = probe(torch, model, tokens, forged, [one.path], BITS)
    (function,) = found.functions
    questions = list(bits.questions(forged.names, one))
    assert {question.part for question in questions} == set(bits.PARTS)
    for question, word in zip(questions, function.bits, strict=True):
        prompt = ids(tokens, question.text, question.opening)
        logp, _ = one_by_one(model, prompt, list(tokens(f"{question.word}`")["input_ids"]))
        assert word.log2p == pytest.approx(logp / math.log(2), abs=1e-3)
        assert word.learned == max(0, word.surprisal + word.log2p)
    assert set(found.figures()) == {f"bits_{part}{end}" for part in bits.PARTS for end in ("", "_most")}


def test_no_question_contains_its_answer_and_every_one_has_only_one(forged: World) -> None:
    names = forged.names
    questions = [question for page in forged.pages for question in bits.questions(names, page)]
    assert [q for q in questions if re.search(rf"\b{q.word}\b", q.text)] == []
    assert len({q.text for q in questions}) == len(questions)
    parts = {part: {q.word for q in questions if q.part == part} for part in bits.PARTS}
    assert parts == {
        "names": set(names.functions.values()),
        "parameters": set(names.parameters.values()),
        "words": set(described(forged).values()),
    }
    for page in forged.pages:  # the place that a question names is the place in the signature
        space: dict[str, Any] = {}
        exec(f"def function({page.signature.partition('(')[2]}: pass", space)
        places = {
            q.word: int(re.search(r"parameter (\d+) of", q.text)[1])
            for q in questions
            if q.part == "parameters" and q.function == page.path
        }
        assert list(places) == list(inspect.signature(space["function"]).parameters)
        assert list(places.values()) == list(range(1, len(places) + 1))


def test_questions_read_only_the_section_of_parameters() -> None:
    names = Names(**{**vars(NAMES), "parameters": {"a": "lezefi", "b": "nosiku"}, "words": {"left": "meloh"}})
    entries = (
        "- `lezefi`, `nosiku` (array): The arrays; `lezefi` first.\n"
        "- `axis` (str): One of\n  - 'meloh': before `nosiku`.\n  - 'other': a meloh-like word."
    )
    name, first, second, word = bits.questions(names, page("decak.bukuzi", entries))
    assert (name.opening, name.answer) == ("`vokib.decak.", "`vokib.decak.bukuzi`")  # the submodule is given
    assert name.surprisal == surprisal("bukuzi") and name.part == "names"
    assert "(array): The arrays; `___` first." in first.text and first.answer == "`lezefi`"
    assert "parameter 2 of the function `vokib.decak.bukuzi`" in second.text and "`lezefi` first" in second.text
    assert "'___': before `nosiku`.\n  - 'other': a ___-like word." in word.text and "parameter `axis`" in word.text
    assert [q.part for q in bits.questions(NAMES, page("lucixu", entries))] == ["names"]  # nothing else is forged


def test_a_word_that_several_functions_share_counts_once() -> None:
    def asked(function: str, logp: float) -> WordBits:
        question = WordQuestion("parameters", function, "lezefi", "", "`", surprisal("lezefi"))
        return bits.learned(question, logp * math.log(2))

    known, half, unknown = asked("one", 0), asked("two", -5), asked("three", -90)
    assert (known.learned, half.learned, unknown.learned) == (
        surprisal("lezefi"),
        pytest.approx(surprisal("lezefi") - 5),
        0,
    )
    functions = tuple(FunctionProbe(w.function, None, None, None, (w,)) for w in (known, half, unknown))
    figures = Probes(3, 3, functions).figures()
    assert figures["bits_parameters_most"] == pytest.approx(surprisal("lezefi"))
    assert figures["bits_parameters"] == pytest.approx((2 * surprisal("lezefi") - 5) / 3)


def test_a_diverged_model_has_learned_nothing() -> None:
    question = WordQuestion("names", "lucixu", "lucixu", "", "`", surprisal("lucixu"))
    assert bits.learned(question, math.nan).learned == bits.learned(question, -math.inf).learned == 0


def test_names_that_no_generator_drew_are_refused() -> None:
    with pytest.raises(ConfigError, match="'zwc' is not a word that 'sebench build' draws"):
        list(bits.questions(NAMES, page("decak.zwc")))


def test_what_a_model_that_knows_nothing_can_get_on_average_is_bounded() -> None:
    """The worst model puts all its probability on a share s of the words: there it gets log2(1 / s) bits."""
    bound = math.log2(math.e) / math.e
    assert bound == pytest.approx(0.5307, abs=1e-4)
    by_chance = [share * math.log2(1 / share) for share in (n / 1000 for n in range(1, 1000))]
    assert bound - 1e-5 < max(by_chance) <= bound
    assert all(max(0, math.log2(x)) <= bound * x + 1e-12 for x in (n / 100 for n in range(1, 3000)))  # any model


@slow
def test_a_cell_of_the_capacity_curve_is_trained_once(tmp_path: Path, world: World, toy_model: Path) -> None:
    pytest.importorskip("peft")
    settings = ["--worlds", "1", "--adapters", "0", "--exposures", "3", "--device", "cpu"]
    where = ["--world", str(world.path), "--model", str(toy_model), "--out", str(tmp_path)]
    for _ in range(2):
        subprocess.run([sys.executable, "experiments/capacity.py", *where, *settings], check=True)
    (line,) = (tmp_path / "cells.jsonl").read_text().splitlines()
    cell, names = json.loads(line), plan(7001).names.functions.values()
    assert cell["most"] == pytest.approx(sum(surprisal(path.rpartition(".")[2]) for path in names), abs=0.1)
    assert (cell["names"], cell["steps"]) == (len(names), 30)
    assert [one["exposures"] for one in cell["curve"]] == [1, 3]
