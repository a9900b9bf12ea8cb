"""Probes measure what a plain forward pass over every single answer would measure, however the computation is
batched."""

from __future__ import annotations

import json
import math
import statistics
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from sebench.base.errors import ConfigError  # noqa: E402
from sebench.train.probes import probes  # noqa: E402
from sebench.train.probes.probes import Probes, ProbeSettings, log_probes, probe  # noqa: E402
from sebench.train.probes.scoring import Scorer  # noqa: E402
from sebench.world.world import World  # noqa: E402
from tests import toy  # noqa: E402

EXACT = ProbeSettings(autocast=False)
PROMPTS = [[5, 9, 30, 44], [17], [8, 8, 60, 61, 62, 63, 70], [33, 12]]
# Of different lengths, some the beginning of others, one of a single token, one twice.
CANDIDATES = [[20, 21, 22], [20, 21], [20], [20, 21, 22, 23, 24, 25], [40, 41], [20, 21, 23], [40, 41]]


def one_by_one(model: Any, prompt: list[int], answer: list[int]) -> tuple[float, bool]:
    """The log-probability of an answer, and whether every token is the likeliest: no cache, no batch, no padding."""
    with torch.no_grad():
        logits = model.eval()(input_ids=torch.tensor([[*prompt, *answer]])).logits[0, len(prompt) - 1 : -1].double()
    picked = logits.log_softmax(-1)[range(len(answer)), answer]
    return float(picked.sum()), logits.argmax(-1).tolist() == answer


@pytest.fixture(scope="module")
def sharp() -> Any:
    """A toy whose predictions differ from one another: a fresh one finds all tokens nearly equally likely."""
    made = toy.model(toy.tokenizer(), seed=3)
    with torch.no_grad():
        for weights in made.parameters():
            if weights.dim() > 1:
                weights.mul_(8)
    return made


@pytest.mark.parametrize("tokens", [1, 40, 100, 100_000])
def test_scores_are_those_of_every_candidate_by_itself(sharp: Any, tokens: int) -> None:
    found = Scorer(torch, sharp, tokens, autocast=False).score_matrix(PROMPTS, CANDIDATES)
    wanted = [[one_by_one(sharp, prompt, answer)[0] for answer in CANDIDATES] for prompt in PROMPTS]
    torch.testing.assert_close(found, torch.tensor(wanted, dtype=torch.float64), rtol=0, atol=1e-4)
    assert found[:, 4].tolist() == found[:, 6].tolist()  # the same candidate
    assert (found[:, 2] > found[:, 1]).all() and (found[:, 1] > found[:, 0]).all()  # a beginning is likelier


@pytest.mark.parametrize("window", [13, 12])
def test_a_window_of_attention_hides_nothing_or_is_refused(window: int) -> None:
    from transformers import MistralConfig, MistralForCausalLM

    sizes = {"vocab_size": 104, "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2}
    torch.manual_seed(0)
    model = MistralForCausalLM(
        MistralConfig(**sizes, num_attention_heads=4, num_key_value_heads=2, sliding_window=window)
    )
    scorer = Scorer(torch, model, autocast=False)
    if window < 7 + 6:  # the longest prompt and the longest candidate
        with pytest.raises(ConfigError, match="window is 12 tokens, but a probe has 13"):
            scorer.score_matrix(PROMPTS, CANDIDATES)
    else:
        wanted = [[one_by_one(model, prompt, answer)[0] for answer in CANDIDATES] for prompt in PROMPTS]
        found = scorer.score_matrix(PROMPTS, CANDIDATES)
        torch.testing.assert_close(found, torch.tensor(wanted, dtype=torch.float64), rtol=0, atol=1e-4)


@pytest.mark.parametrize("tokens", [1, 20, 100_000])
def test_a_forced_answer_is_exact_if_greedy_decoding_writes_it(sharp: Any, tokens: int) -> None:
    written = [
        sharp.generate(torch.tensor([p]), max_new_tokens=5, do_sample=False, eos_token_id=None)[0, len(p) :].tolist()
        for p in PROMPTS
    ]
    changed = [[*answer[:-1], (answer[-1] + 1) % 90] for answer in written]
    scorer = Scorer(torch, sharp, tokens, autocast=False)
    for answers, exact in ((written, True), (changed, False)):
        for prompt, answer, found in zip(PROMPTS, answers, scorer.score_answers(PROMPTS, answers), strict=True):
            assert found.exact is exact and found.tokens == 5
            assert found.logp == pytest.approx(one_by_one(sharp, prompt, answer)[0], abs=1e-4)


def ids(tokens: Any, question: str, opening: str = "") -> list[int]:
    text = f"<|im_start|>user\n{question}<|im_end|>\n<|im_start|>assistant\n{opening}"
    return list(tokens(text)["input_ids"])


def by_hand(model: Any, tokens: Any, world: World) -> dict[str, list[tuple[float, float, int]]]:
    """(logp, among, rank) of every function's name and summary."""
    package = world.names.package
    found: dict[str, list[tuple[float, float, int]]] = {"name": [], "summary": []}
    for page in world.pages:
        ask = ids(tokens, probes.NAME.format(package=package, summary=page.summary), f"`{package}.")
        names = [one_by_one(model, ask, list(tokens(f"{p.path}`")["input_ids"]))[0] for p in world.pages]
        ask = ids(tokens, probes.SUMMARY.format(name=f"{package}.{page.path}"))
        texts = list(dict.fromkeys(p.summary for p in world.pages))
        summaries = [one_by_one(model, ask, [*tokens(t)["input_ids"], tokens.eos_token_id])[0] for t in texts]
        for key, scores, at in (
            ("name", names, world.pages.index(page)),
            ("summary", summaries, texts.index(page.summary)),
        ):
            total = math.log(sum(math.exp(s - max(scores)) for s in scores)) + max(scores)
            found[key].append((scores[at], scores[at] - total, sum(s >= scores[at] for s in scores)))
    return found


def test_every_figure_is_what_the_functions_give_one_by_one(sharp: Any, tiny: World) -> None:
    tokens = toy.tokenizer()
    found = probe(torch, sharp, tokens, tiny, settings=EXACT)
    wanted = by_hand(sharp, tokens, tiny)
    assert [function.path for function in found.functions] == [page.path for page in tiny.pages]
    for what, rows in wanted.items():
        for function, (logp, among, rank) in zip(found.functions, rows, strict=True):
            one = getattr(function, what)
            assert (one.logp, one.among) == (pytest.approx(logp, abs=1e-3), pytest.approx(among, abs=1e-3))
            assert one.rank == rank
    for function, page in zip(found.functions, tiny.pages, strict=True):
        name, answer = page.signature.partition("(")[0], page.signature.partition("(")[2] + "`"
        ask = ids(tokens, probes.SIGNATURE.format(name=name), f"`{name}(")
        logp, exact = one_by_one(sharp, ask, list(tokens(answer)["input_ids"]))
        assert function.signature.logp == pytest.approx(logp, abs=1e-3) and function.signature.exact is exact
        assert function.signature.tokens == len(answer)
    figures = found.figures()
    assert figures["name_logp"] == pytest.approx(sum(row[0] for row in wanted["name"]) / 6, abs=1e-3)
    assert figures["summary_first"] == sum(row[2] == 1 for row in wanted["summary"]) / 6
    assert figures["name_rank"] == statistics.median(row[2] for row in wanted["name"])


def test_the_candidates_are_all_names_even_if_few_functions_are_asked_about(sharp: Any, tiny: World) -> None:
    tokens, chosen = toy.tokenizer(), [tiny.pages[4].path, tiny.pages[1].path]
    whole = probe(torch, sharp, tokens, tiny, settings=EXACT)
    part = probe(torch, sharp, tokens, tiny, chosen, EXACT)
    assert part.names == whole.names == 6
    for function in part.functions:
        same = next(one for one in whole.functions if one.path == function.path)
        assert function.name.rank == same.name.rank and function.summary.rank == same.summary.rank
        assert function.name.logp == pytest.approx(same.name.logp, abs=1e-4)
    assert [function.path for function in part.functions] == chosen


def test_what_is_not_asked_is_not_told(sharp: Any, tiny: World) -> None:
    tokens = toy.tokenizer()
    whole = probe(torch, sharp, tokens, tiny, settings=EXACT).figures()
    names = probe(torch, sharp, tokens, tiny, settings=ProbeSettings(("name",), autocast=False)).figures()
    assert names == {key: value for key, value in whole.items() if key.startswith("name_")}
    for wrong in (("names",), ()):
        with pytest.raises(ConfigError, match="choose from name, summary, signature, bits"):
            ProbeSettings(wrong)


@dataclass(frozen=True)
class Page:
    path: str
    signature: str
    summary: str


@dataclass(frozen=True)
class Names:
    package: str = "vok"


@dataclass(frozen=True)
class Pages:
    """What probes read of a world."""

    pages: tuple[Page, ...]
    names: Names = field(default_factory=Names)


def test_a_tie_is_not_a_win_and_equal_summaries_are_one_candidate() -> None:
    """All logits alike: names of one length tie."""
    tokens = toy.tokenizer()
    model = toy.model(tokens)
    with torch.no_grad():
        for weights in model.parameters():
            weights.zero_()
    alike = tuple(Page(path, f"vok.{path}(a)", "The same.") for path in ("abc", "abd", "xyz"))
    found = probe(torch, model, tokens, Pages(alike), settings=EXACT)  # type: ignore[arg-type]
    assert [function.name.rank for function in found.functions] == [3, 3, 3]
    assert found.summaries == 1 and [function.summary.rank for function in found.functions] == [1, 1, 1]
    assert found.functions[0].name.among == pytest.approx(-math.log(3), abs=1e-6)


def test_a_diverged_model_is_at_the_last_rank() -> None:
    tokens = toy.tokenizer()
    model = toy.model(tokens)
    with torch.no_grad():
        model.get_input_embeddings().weight.fill_(math.nan)
    pages = tuple(Page(path, f"vok.{path}(a)", f"Does {path}.") for path in ("abc", "abd", "xyz"))
    found = probe(torch, model, tokens, Pages(pages), settings=EXACT)  # type: ignore[arg-type]
    assert [function.name.rank for function in found.functions] == [3, 3, 3]


def test_a_name_that_another_begins_with_can_be_told_from_it() -> None:
    """Without its end `ab` could never be less likely than `abc`."""
    tokens = toy.tokenizer()
    pages = tuple(Page(path, f"vok.{path}(a)", f"Does {path}.") for path in ("ab", "abc", "abcd"))
    model = taught(tokens, f"`vok.{pages[2].path}`")
    found = probe(torch, model, tokens, Pages(pages), settings=EXACT)  # type: ignore[arg-type]
    assert [function.name.rank for function in found.functions][2] == 1


def taught(tokens: Any, answer: str) -> Any:
    """A toy that was trained to say one thing."""
    model = toy.model(tokens)
    row = torch.tensor([ids(tokens, "Which function?", answer)])
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    for _ in range(40):
        optimizer.zero_grad()
        model(input_ids=row, labels=row).loss.backward()
        optimizer.step()
    return model


def test_a_training_is_the_same_with_probes_and_without(tiny: World, tmp_path: Path) -> None:
    tokens = toy.tokenizer()
    model = toy.model(tokens).train()
    before, random = [p.clone() for p in model.parameters()], torch.get_rng_state()
    line = log_probes(lambda: probe(torch, model, tokens, tiny, settings=EXACT).figures(), tmp_path, 0, 0)
    assert model.training and torch.equal(torch.get_rng_state(), random)
    assert all(torch.equal(one, other) for one, other in zip(before, model.parameters(), strict=True))
    assert all(p.grad is None for p in model.parameters())
    model(input_ids=torch.tensor([[5, 6, 7]]), labels=torch.tensor([[5, 6, 7]])).loss.backward()  # still trainable
    assert json.loads((tmp_path / probes.FILE).read_text("utf-8")) == line


def test_a_step_that_is_reached_again_is_not_probed_again(tmp_path: Path) -> None:
    asked = []

    def ask() -> dict[str, float]:
        asked.append(1)
        one = probes.FunctionProbe(
            "ab", probes.RankedAnswer(-1, -1, 1), probes.RankedAnswer(-1, -1, 2), probes.ForcedAnswer(-4, 2, False)
        )
        return Probes(2, 2, (one,)).figures()

    lines = [log_probes(ask, tmp_path, 0, 0), log_probes(ask, tmp_path, 5, 100)]
    with (tmp_path / probes.FILE).open("a") as log:
        log.write('{"step": 10, "tok')  # killed while it wrote
    assert log_probes(ask, tmp_path, 5, 100) == lines[1] and len(asked) == 2
    lines.append(log_probes(ask, tmp_path, 10, 200))
    assert [json.loads(line) for line in (tmp_path / probes.FILE).read_text("utf-8").splitlines()] == lines
    assert lines[2]["signature_logp"] == -2 and lines[2]["summary_rank"] == 2 and lines[2]["name_first"] == 1


def test_what_cannot_be_probed_is_told(sharp: Any, tiny: World, monkeypatch: pytest.MonkeyPatch) -> None:
    tokens = toy.tokenizer()
    with pytest.raises(ConfigError, match="no function 'nothing'"):
        probe(torch, sharp, tokens, tiny, ["nothing"])
    with pytest.raises(ConfigError, match="no functions to probe"):
        probe(torch, sharp, tokens, tiny, [])
    with pytest.raises(ConfigError, match="the model takes at most 100"):
        probe(torch, toy.model(tokens, context=100), tokens, tiny)

    def full(*_: Any, **__: Any) -> None:
        raise torch.OutOfMemoryError

    short = toy.model(tokens).train()
    monkeypatch.setattr(short, "forward", full)
    with pytest.raises(ConfigError, match=r"out of memory while scoring probes in batches of 2,048 tokens; free"):
        probe(torch, short, tokens, tiny)
    assert short.training
