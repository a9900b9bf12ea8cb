"""Pages rephrased by a model: nothing is lost, nothing is asked twice, and no rejected text is learned from."""

from __future__ import annotations

import asyncio
import json
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sebench.base import retry
from sebench.base.errors import ConfigError, ProviderError
from sebench.models import calls, endpoint
from sebench.models.endpoint import Endpoint
from sebench.models.model import Completion, Sampling
from sebench.train.data.rephrase import RELATED, WAYS, RephraseCounts, read, rephrase
from sebench.world.prompts import Prompt
from sebench.world.world import World
from tests.misbehaving import PASSING, Server, first

WAYS_TEXT = "\n".join(f"{n}. Way number {n}." for n in range(1, WAYS + 3))


class Told:
    """A model that proposes ways, and otherwise says what it is told to say."""

    concurrency = 4

    def __init__(self, say: Callable[[Prompt], str | Completion | Exception]) -> None:
        self.say, self.asked = say, Counter[str]()

    async def complete(self, prompt: Prompt, sampling: Sampling, seed: int) -> Completion:
        await asyncio.sleep(0)
        self.asked[prompt.task_id] += 1
        if "Propose" in prompt.text:
            return Completion(WAYS_TEXT)
        said = self.say(prompt)
        if isinstance(said, Exception):
            raise said
        return said if isinstance(said, Completion) else Completion(said)

    async def close(self) -> None:
        return


def names(prompt: Prompt) -> str:
    """A text that has every name that the prompt asks for."""
    return "Remember " + " and ".join(sorted(set(re.findall(r"`([a-z]+(?:\.[a-z]+)+)`", prompt.text)))) + "."


def run(world: World, model: Any, out: Path, **given: Any) -> RephraseCounts:
    return asyncio.run(rephrase(world, model, out, **{"name": "m", **given}))


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retry, "FIRST_PAUSE_S", 0.0001)
    monkeypatch.setattr(endpoint, "FIRST_REST_S", 0.001)
    monkeypatch.setattr(endpoint, "SHORT_WAIT_S", 0.01)


def test_every_page_is_studied_in_every_way(tiny: World, tmp_path: Path) -> None:
    model, out = Told(names), tmp_path / "study.jsonl"
    done = run(tiny, model, out)
    assert done == RephraseCounts(len(tiny.pages) * (WAYS + RELATED), Counter(), 0)
    assert len(model.asked) == len(tiny.pages) * (1 + WAYS + RELATED)
    rows = read(out, tiny)
    assert len(rows) == done.texts and all(row.prompt is None for row in rows)
    for page in tiny.pages:
        about = [row for row in rows if row.id.split(":")[1] == page.path]
        assert len(about) == WAYS + RELATED
        assert all(f"{tiny.names.package}.{page.path}" in row.answer for row in about)
    line = json.loads(out.read_text().splitlines()[0])
    assert line["model"] == "m" and line["world"] == tiny.manifest.fingerprint and line["prompt_digest"]


def test_the_way_that_was_proposed_is_the_way_that_is_asked_for(tiny: World, tmp_path: Path) -> None:
    seen: list[str] = []
    model = Told(lambda prompt: seen.append(prompt.text) or names(prompt))  # type: ignore[func-returns-value]
    run(tiny, model, tmp_path / "s.jsonl", strategies=("active",), pages=[tiny.pages[0].path])
    assert len(seen) == WAYS and all(f"Way number {n}." in text for n, text in enumerate(seen, 1))


def test_the_same_call_continues_and_a_torn_line_is_owed_again(tiny: World, tmp_path: Path) -> None:
    out = tmp_path / "study.jsonl"
    whole = run(tiny, Told(names), out)
    again = Told(names)
    assert run(tiny, again, out) == whole and not again.asked
    before = out.read_bytes()
    out.write_bytes(before[:-7])
    assert run(tiny, again, out) == whole and sum(again.asked.values()) == 1
    assert sorted(out.read_bytes().splitlines()) == sorted(before.splitlines())


@pytest.mark.parametrize(
    ("why", "say"),
    [
        ("loses the name", lambda prompt: "A function that does something."),
        ("shows the source library", lambda prompt: f"{names(prompt)} It is like NumPy's."),
        ("shows the source library", lambda prompt: f"{names(prompt)}\n\n```python\nnp.mean(x)\n```"),
        ("invents a name", lambda prompt: f"{names(prompt)} See {prompt.text.split('`')[1]}.surely_not too."),
        ("cut off", lambda prompt: Completion(names(prompt), "length")),
        ("empty", lambda prompt: "<think>Hm. So many names.</think>\n"),
    ],
)
def test_an_unfit_text_is_refused_and_counted(tiny: World, tmp_path: Path, why: str, say: Any) -> None:
    model, out = Told(say), tmp_path / "study.jsonl"
    done = run(tiny, model, out, strategies=("active",))
    assert done == RephraseCounts(0, Counter({why: len(tiny.pages) * WAYS}), 0)
    with pytest.raises(ConfigError, match="has no rephrased page to learn from"):
        read(out, tiny)
    assert run(tiny, model, out, strategies=("active",)) == done
    assert set(model.asked.values()) == {1}  # what was refused is not asked for again


def test_thoughts_are_no_text_to_learn_from(tiny: World, tmp_path: Path) -> None:
    out = tmp_path / "study.jsonl"
    run(tiny, Told(lambda prompt: f"<think>Well, numpy.</think>\n{names(prompt)}"), out, strategies=("relate",))
    assert all(row.answer.startswith("Remember") for row in read(out, tiny))


def test_a_model_that_copies_the_page_is_not_refused(tiny: World, tmp_path: Path) -> None:
    pages = {page.path: page.text for page in tiny.pages}
    model = Told(lambda prompt: pages[prompt.task_id.split(":")[1]])
    assert run(tiny, model, tmp_path / "s.jsonl", strategies=("active",)).refused == Counter()


def test_a_file_of_another_world_is_one_line(tiny: World, small: World, tmp_path: Path) -> None:
    out = tmp_path / "study.jsonl"
    run(tiny, Told(names), out, strategies=("relate",))
    before = out.read_bytes()
    for use in (lambda: read(out, small), lambda: run(small, Told(names), out)):
        with pytest.raises(ConfigError, match=r"study.jsonl has rephrased pages of a world other than .*"):
            use()
    with pytest.raises(ConfigError, match="was started with model = 'm', but now it is 'other'"):
        run(tiny, Told(names), out, name="other")
    assert out.read_bytes() == before


def test_a_file_of_something_else_is_one_line(tiny: World, tmp_path: Path) -> None:
    out = tmp_path / "study.jsonl"
    out.write_text('{"id": 1}\n')
    with pytest.raises(ConfigError, match="is not a file of rephrased pages"):
        read(out, tiny)
    with pytest.raises(ConfigError, match="no such file"):
        read(tmp_path / "none.jsonl", tiny)
    with pytest.raises(ConfigError, match="unknown strategy 'sing'; choose from active, relate"):
        run(tiny, Told(names), out, strategies=("sing",))


def test_what_the_provider_fails_to_give_is_owed(tiny: World, tmp_path: Path) -> None:
    out, path = tmp_path / "study.jsonl", tiny.pages[0].path
    fails = Told(lambda prompt: ProviderError("busy", again=True))
    done = run(tiny, fails, out, strategies=("relate",), pages=[path])
    assert done == RephraseCounts(0, Counter(), RELATED) and set(fails.asked.values()) == {calls.TRIES}
    assert run(tiny, Told(names), out, strategies=("relate",), pages=[path]) == RephraseCounts(RELATED, Counter(), 0)


def test_what_can_never_work_ends_at_once(tiny: World, tmp_path: Path) -> None:
    model = Told(lambda prompt: ProviderError("wrong key", again=False))
    with pytest.raises(ProviderError, match="wrong key"):
        run(tiny, model, tmp_path / "s.jsonl", strategies=("relate",))
    assert sum(model.asked.values()) <= model.concurrency


def test_an_endpoint_that_fails_now_and_then_costs_nothing(tiny: World, tmp_path: Path) -> None:
    path, name = tiny.pages[0].path, f"{tiny.names.package}.{tiny.pages[0].path}"

    class Studying(Server):
        def respond(self, head: bytes, body: bytes) -> bytes:
            prompt = json.loads(body)["messages"][-1]["content"]
            self.answers = {prompt: WAYS_TEXT if "Propose" in prompt else f"Remember {name}."}
            return super().respond(head, body)

    with Studying(first(5, *PASSING[:5])) as server:
        model = Endpoint("m", [server.url], key_env="NO_KEY", timeout_s=5.0)

        async def ask() -> RephraseCounts:
            try:
                return await rephrase(tiny, model, tmp_path / "s.jsonl", ("active",), name="m", pages=[path])
            finally:
                await model.close()

        assert asyncio.run(ask()) == RephraseCounts(WAYS, Counter(), 0)
    assert set(server.answered.values()) == {1}
