"""Studies that are killed, and endpoints that misbehave: nothing is lost, no request is repeated, and everything is
counted."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from sebench.base import retry
from sebench.base.errors import ConfigError, ProviderError
from sebench.base.ledger import Ledger
from sebench.cli import cli
from sebench.judge.judge import Judge
from sebench.memory.folder import Memory
from sebench.memory.methods import session, texts
from sebench.memory.methods.config import StudyConfig
from sebench.memory.methods.make import study
from sebench.memory.methods.scripted import Pair
from sebench.models.model import Completion, Sampling
from sebench.world.prompts import Prompt
from sebench.world.world import World
from tests import misbehaving
from tests.studies import Told, ended, events, maker


class Killed(BaseException):
    """What stands for the end of the process."""


@pytest.fixture(scope="module")
def judge(tiny: World) -> Iterator[Judge]:
    with Judge(tiny) as judge:
        yield judge


@pytest.fixture(autouse=True)
def one_judge(judge: Judge, monkeypatch: pytest.MonkeyPatch) -> None:
    """All studies of these tests share a judge: starting one takes longer than a study."""
    monkeypatch.setattr(session, "Judge", lambda world: nullcontext(judge))


@pytest.fixture
def made(tiny: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Memory]:
    return maker(tiny, tmp_path, monkeypatch)


# ---- interruptions


@pytest.mark.parametrize(
    ("method", "settings"),
    [("ace", {"limit": 5, "gate": 2, "together": 2}), ("expel", {"limit": 6}), ("notes", {"rewrite": True})],
)
def test_kills_at_every_line_one_after_another_lose_nothing(
    made: Callable[..., Memory], tiny: World, method: str, settings: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = made(method, Told(Pair(tiny).reply), "whole", **settings)
    model, true_add, kills, dead = Told(Pair(tiny).reply), Ledger.add, 0, False

    def add(self: Ledger, data: Any) -> None:
        nonlocal dead
        if not dead:  # a process that was killed writes nothing more, whatever else it was doing
            true_add(self, data)
        dead = True
        raise Killed

    monkeypatch.setattr(Ledger, "add", add)
    while True:
        try:
            memory = made(method, model, "killed", **settings)
            break
        except Killed:
            kills, dead = kills + 1, False
    assert kills == sum(len((memory.path / name).read_bytes().splitlines()) for name in ("log.jsonl", "calls.jsonl"))
    assert (memory.path / "log.jsonl").read_bytes() == (whole.path / "log.jsonl").read_bytes()
    assert (memory.digest, memory.cost) == (whole.digest, whole.cost)


def test_a_killed_process_goes_on_with_the_same_result(
    made: Callable[..., Memory], tiny: World, tmp_path: Path
) -> None:
    program = f"""
import os, signal
from pathlib import Path
from sebench.base.ledger import Ledger
from sebench.memory.methods.config import StudyConfig
from sebench.memory.methods.make import study
from sebench.world.world import World
true_add, left = Ledger.add, [9]
def add(self, data):
    true_add(self, data)
    left[0] -= 1
    if not left[0]:
        os.kill(os.getpid(), signal.SIGKILL)
Ledger.add = add
study(World.load(Path({str(tiny.path)!r})), "notes", StudyConfig(model="reader"), Path({str(tmp_path / "killed")!r}))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True)
    assert done.returncode == -signal.SIGKILL
    with pytest.raises(ConfigError, match="not finished"):
        _ = Memory.load(tmp_path / "killed").snapshot
    assert made("notes", folder="killed").digest == made("notes", folder="whole").digest


def test_a_finished_study_asks_nothing_again(made: Callable[..., Memory], tiny: World) -> None:
    first, silent = made("notes"), Told(lambda prompt: "")
    assert made("notes", silent).digest == first.digest and silent.prompts == []


@pytest.mark.parametrize(
    ("method", "settings", "message"),
    [
        ("notes", {"study_book": "closed"}, "notes are written from the pages"),
        ("ace", {"operations": "some"}, "operations = 'some': must be add or all"),
        ("expel", {"rules": 0, "successes": 0}, "expel recalls nothing with rules = 0 and successes = 0"),
        ("ace", {"together": 0}, "together = 0: must be at least 1"),
        ("notes", {"rewrite": True, "budget": 20_000}, "--max-tokens 16000 is less than --budget 20000"),
        ("ace", {"thinking": "perhaps"}, "thinking = 'perhaps': must be on, off or empty"),
        ("ace", {"extra": "{"}, "extra"),
    ],
)
def test_a_setting_that_makes_no_sense_is_refused(
    made: Callable[..., Memory], method: str, settings: dict[str, Any], message: str
) -> None:
    with pytest.raises(ConfigError, match=message):
        made(method, **settings)


def test_other_settings_and_other_words_do_not_go_on_with_a_study(
    made: Callable[..., Memory], monkeypatch: pytest.MonkeyPatch
) -> None:
    made("notes")
    with pytest.raises(ConfigError, match="started with chunk = 8, but now it is 3"):
        made("notes", chunk=3)
    with pytest.raises(ConfigError, match=r"started with max_tokens"):
        made("notes", max_tokens=7)
    monkeypatch.setattr(texts, "digest", lambda: "others")
    with pytest.raises(ConfigError, match="started with texts"):
        made("notes")


def test_the_writer_is_asked_as_a_run_would_ask_it(tmp_path: Path) -> None:
    (tmp_path / "extra.json").write_text('{"top_k": 1}')
    told = {"thinking": "off", "token_limit": "max_completion_tokens", "reasoning_effort": "low", "send_seed": False}
    config = StudyConfig(model="m", base_url=("http://h/v1",), extra=f"@{tmp_path / 'extra.json'}", **told)  # type: ignore[arg-type]
    writer = config.writer()
    assert {name: getattr(writer, name) for name in told} == told and writer.extra_fields() == {"top_k": 1}
    assert config.compared()["extra"] == {"top_k": 1}


# ---- endpoints that misbehave


class Replies(dict[str, str]):
    """Answers of the misbehaving server: those of a function."""

    def __init__(self, say: Callable[[str], str]) -> None:
        self.say = say

    def __bool__(self) -> bool:
        return True

    def get(self, prompt: str, default: Any = None) -> Any:
        return self.say(prompt)


def served(world: World, server: misbehaving.Server, out: Path, method: str, **settings: Any) -> Memory:
    config = StudyConfig(model="m", base_url=(server.url,), timeout_s=20, **settings)
    return study(world, method, config, out)


def test_a_provider_that_stumbles_changes_nothing(tiny: World, tmp_path: Path, made: Callable[..., Memory]) -> None:
    faults = misbehaving.first(6, "rate_seconds", "malformed", "broken", "", "")
    with misbehaving.Server(faults, Replies(Pair(tiny).reply)) as server:
        memory = served(tiny, server, tmp_path / "served", "notes")
    assert max(server.answered.values()) == 1 and memory.cost.calls == server.answered.total()
    assert memory.digest == made("notes").digest


def test_a_provider_that_fails_for_good_ends_with_one_line_and_the_study_goes_on(
    tiny: World, tmp_path: Path, made: Callable[..., Memory]
) -> None:
    down = {"now": True}

    def faults(number: int) -> str:
        return "wrong_key" if down["now"] and number > 2 else ""

    with misbehaving.Server(faults, Replies(Pair(tiny).reply)) as server:
        with pytest.raises(ProviderError, match="refuses requests without a key"):
            served(tiny, server, tmp_path / "served", "notes")
        down["now"] = False
        memory = served(tiny, server, tmp_path / "served", "notes")
    assert max(server.answered.values()) == 1 and memory.digest == made("notes").digest


def test_replies_that_were_cut_off_are_counted(made: Callable[..., Memory], tiny: World) -> None:
    """An addition keeps its complete lines; a rewriting would lose the rest of the notes and is malformed."""

    titles = texts.title("notes_append"), texts.title("notes_rewrite")

    class Cut(Told):
        async def complete(self, prompt: Prompt, sampling: Sampling, seed: int) -> Completion:
            said = await super().complete(prompt, sampling, seed)
            return Completion(said.text[:-3], "length", 10, 1) if prompt.text.startswith(titles) else said

    added, rewritten = (made("notes", Cut(Pair(tiny).reply), str(r), rewrite=r) for r in (False, True))
    chunks = ended(added)["chunks"]
    assert ended(added)["troubles"] == {"replies that ended at max_tokens": chunks}
    assert ended(rewritten)["troubles"] == {"malformed replies": chunks, "replies that ended at max_tokens": chunks}


def test_a_study_that_learnt_nothing_says_so(tiny: World, tmp_path: Path) -> None:
    with misbehaving.Server(answers=Replies(lambda prompt: "I do not know.")) as server:
        model = ["--model", "m", "--base-url", server.url, "--price", "1e4,0"]
        words = ["memory", "notes", str(tiny.path), *model, "--out", str(tmp_path / "memory")]
        done, as_json = (CliRunner().invoke(cli, [*words, *more]) for more in ((), ("--json",)))
    assert done.exit_code == as_json.exit_code == 1, done.output
    assert json.loads(as_json.stdout)["path"] and "the memory is empty" in as_json.stderr
    assert f"cost {server.requests:.4f}" in done.stdout  # 100 prompt tokens for each
    assert "notes: chunks read 0 of " in done.stderr and "notes: validation tasks 0 of " in done.stderr
    assert "the memory is empty" in done.stderr and "use it" not in done.stdout


def test_a_provider_that_gives_no_reply_is_an_error_that_says_why(
    tiny: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retry, "FIRST_PAUSE_S", 0.001)
    with misbehaving.Server(lambda number: "no_choices") as server:
        why = r"gave no reply for .+ \(last error: .+ cannot be read \(it has no choices\)\); run the same command"
        with pytest.raises(ProviderError, match=why):
            served(tiny, server, tmp_path / "served", "notes")


def test_prompts_that_are_refused_are_counted_and_the_study_ends(
    tiny: World, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with misbehaving.Server(lambda number: "too_long" if number == 1 else "", Replies(Pair(tiny).reply)) as server:
        memory = served(tiny, server, tmp_path / "served", "notes")
    assert capsys.readouterr().err.count("maximum context length is 4096 tokens; this counts as an empty reply") == 1
    assert ended(memory)["troubles"] == {"malformed replies": 1, "prompts refused": 1}
    assert [functions for _, functions in ended(memory)["curve"]] == [1, 1, 2, 4, 5]


def test_whatever_a_model_writes_is_counted_and_leaves_the_playbook_whole(
    made: Callable[..., Memory], tiny: World
) -> None:
    pair, turn = Pair(tiny), Counter[str]()
    nonsense = [
        "no operation",
        "REMOVE nam-99999\nADD\n7",
        "ADD x: A note.\nADD y: A note.",
    ]
    empty = "ERROR:\nTAG nam-12345: helpful"

    def say(prompt: str) -> str:
        first = prompt.partition("\n")[0]
        turn[first] += 1
        if first == texts.title("ace_curate"):
            return nonsense[(turn[first] - 1) % 3]
        if first == texts.title("ace_reflect"):
            return empty if turn[first] % 3 == 0 else pair.reply(prompt) if turn[first] % 3 == 1 else "hm"
        return f"{pair.reply(prompt)}\nused: pit-54321"

    memory = made("ace", Told(say), operations="all", retries=2, limit=9)
    assert memory.snapshot.data["text"] == "## Others\n- [oth-00001] A note."
    troubles = ended(memory)["troubles"]
    assert troubles.keys() == {"duplicate", "empty reflections", "invented ids", "malformed lines", "unknown id"}
    malformed = "malformed lines"
    assert troubles[malformed] == sum(line["counts"].get(malformed, 0) for line in events(memory, "item")) + 6
