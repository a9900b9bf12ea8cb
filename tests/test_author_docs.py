"""Pages that a language model rewrites: only those that are true, complete and free of NumPy's names get into a world,
and no page is paid for twice."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from sebench.audit import world as audit
from sebench.author import docs, page_form, variant
from sebench.author.page_form import PageEntry, PageForm
from sebench.author.page_gates import GATES, PageGates, required_words
from sebench.author.sessions import Sessions
from sebench.base import retry
from sebench.base.errors import ConfigError, SebenchError
from sebench.base.records import Example
from sebench.cli.author_docs import command
from sebench.models import endpoint
from sebench.world.world import World
from tests.misbehaving import completion
from tests.page_writer import Answer, PageWriter, changed, reworded


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retry, "FIRST_PAUSE_S", 0.0001)
    monkeypatch.setattr(endpoint, "FIRST_REST_S", 0.001)


def author(world: World, server: PageWriter, out: Path, *options: str) -> Result:
    """The command, as a user gives it; an error that is for people is in the result."""
    given = [str(world.path), "--out", str(out), "--model", "m", "--base-url", server.url, "--key-env", "NO_KEY"]
    return CliRunner().invoke(command, [*given, *options])


def rewriting(out: Path) -> dict[str, dict[str, Any]]:
    lines = (out / variant.PAGES).read_text("utf-8").splitlines()
    return {line["path"]: line for line in map(json.loads, lines)}


def replies(out: Path) -> list[str]:
    return out.with_name(f"{out.name}.calls.jsonl").read_text("utf-8").splitlines()


# ---- gates ----------------------------------------------------------------------------------------------------


def first_item(form: PageForm, **changes: str) -> PageForm:
    first, *rest = form.parameters
    return replace(form, parameters=(replace(first, **changes), *rest))


def last_step(form: PageForm, **changes: str) -> PageForm:
    *rest, last = form.steps
    return replace(form, steps=(*rest, replace(last, **changes)))


BAD: dict[str, tuple[str, Callable[[str], str]]] = {
    "says nothing": ("form", lambda page: ""),
    "talks": ("form", lambda page: "Certainly! What a nice page."),
    "other title": ("signature", lambda page: changed(page, lambda f: replace(f, title=f.title + "s"))),
    "other signature": (
        "signature",
        lambda page: changed(page, lambda f: replace(f, signature=f.signature.replace("(", "(q, ", 1))),
    ),
    "lost parameter": ("parameters", lambda page: changed(page, lambda f: replace(f, parameters=f.parameters[1:]))),
    "invented parameter": (
        "parameters",
        lambda page: changed(
            page, lambda f: replace(f, parameters=(*f.parameters, PageEntry("`q` (int)", "How many.")))
        ),
    ),
    "other kind": (
        "parameters",
        lambda page: changed(page, lambda f: first_item(f, label=f.parameters[0].label.replace("(", "(string or ", 1))),
    ),
    "empty parameter": ("parameters", lambda page: changed(page, lambda f: first_item(f, text=""))),
    "lost result": ("parameters", lambda page: changed(page, lambda f: replace(f, lead="A thing.", returns=()))),
    "names the source": ("leak", lambda page: changed(page, lambda f: replace(f, more=f"As in NumPy. {f.more}"))),
    "names a function of it": (
        "leak",
        lambda page: changed(page, lambda f: replace(f, more=f"Like `allclose`. {f.more}")),
    ),
    "compares": ("leak", lambda page: changed(page, lambda f: replace(f, more=f"PyTorch has it too. {f.more}"))),
    "names the source in "
    "emphasis": ("leak", lambda page: changed(page, lambda f: replace(f, more=f"As in **num**py. {f.more}"))),
    "names the source in a "
    "string": ("leak", lambda page: changed(page, lambda f: last_step(f, code='"\\x6eumpy"', output="''"))),
    "names the source in Greek": ("whole", lambda page: changed(page, lambda f: replace(f, more="As in nυmpy. "
                                                                                                f"{f.more}"))),
    "names the source with a sign that nobody sees": (
        "whole",
        lambda page: changed(page, lambda f: replace(f, more=f"As in num\ufe0fpy. {f.more}")),
    ),
    "names the source around a comment": (
        "form",
        lambda page: changed(page, lambda f: replace(f, more=f"As in num<!-- -->py. {f.more}")),
    ),
    "names the source with an entity": (
        "form",
        lambda page: changed(page, lambda f: replace(f, more=f"As in num&#112;y. {f.more}")),
    ),
    "torn": ("whole", lambda page: changed(page, lambda f: replace(f, more=f"{f.more} It is also"))),
    "link": ("whole", lambda page: changed(page, lambda f: replace(f, more=f"{f.more} See http://x.org/."))),
    "other script": ("whole", lambda page: changed(page, lambda f: replace(f, more=f"{f.more} 数组很好."))),
    "too long": ("length", lambda page: changed(page, lambda f: replace(f, more="This is said again. " * 400))),
    "too short": (
        "length",
        lambda page: changed(page, lambda f: replace(f, summary="A function.", more="")),
    ),
    "new number": ("claims", lambda page: changed(page, lambda f: replace(f, more=f"{f.more} At most 4711 of them."))),
    "new name": ("claims", lambda page: changed(page, lambda f: replace(f, more=f"{f.more} See `wobble`."))),
    "new word": ("claims", lambda page: changed(page, lambda f: replace(f, more=f"{f.more} It takes 'wobbly' too."))),
    "false example": ("examples", lambda page: changed(page, lambda f: last_step(f, output="42"))),
    "example without a bottom": (
        "examples",
        lambda page: changed(page, lambda f: last_step(f, code=f"({'-' * 500}1).T")),
    ),
    "failing example": ("examples", lambda page: changed(page, lambda f: last_step(f, code="[1][2]"))),
    "hostile example": ("examples", lambda page: changed(page, lambda f: last_step(f, code="import os"))),
    "no example of it": (
        "examples",
        lambda page: changed(page, lambda f: replace(f, steps=(Example("1 + 1", "2"), Example("1 + 2", "3")))),
    ),
    "commented example": ("examples", lambda page: changed(page, lambda f: last_step(f, code=f"{f.steps[-1].code}  # "
                                                                                             "so"))),
}  # fmt: skip


@pytest.fixture(scope="module")
def mended(tiny: World, tmp_path_factory: pytest.TempPathFactory) -> tuple[PageWriter, Path]:
    """A rewriting in which one page gets every bad answer, one after the other, and then a good one."""
    out = tmp_path_factory.mktemp("mended") / "variant"
    path, bad = tiny.pages[0].path, iter(BAD.values())
    with PageWriter({path: lambda good, number: next(bad, ("", lambda page: page))[1](good)}) as server:
        result = author(tiny, server, out, "--times-back", str(len(BAD)))
    assert result.exit_code == 0, result.output
    return server, out


@pytest.mark.parametrize("name", BAD)
def test_a_bad_page_goes_back_with_the_reason(tiny: World, mended: tuple[PageWriter, Path], name: str) -> None:
    server, out = mended
    number = list(BAD).index(name)
    attempt = rewriting(out)[tiny.pages[0].path]["attempts"][number]
    assert attempt["problems"][0]["gate"] == BAD[name][0]
    again = [prompt for prompt in server.prompts if "You have answered before" in prompt][number]
    assert all(problem["what"] in again for problem in attempt["problems"])


def test_a_good_page_after_bad_ones_is_used(tiny: World, mended: tuple[PageWriter, Path]) -> None:
    server, out = mended
    path = tiny.pages[0].path
    line = rewriting(out)[path]
    assert line["rewritten"] and not line["attempts"][-1]["problems"] and len(line["attempts"]) == len(BAD) + 1
    assert server.of == {page.path: 1 + len(BAD) * (page.path == path) for page in tiny.pages}
    assert World.load(out).page(path).text.startswith(f"# {tiny.names.package}.{path}\n")


def test_the_offline_page_itself_is_no_new_page(tiny: World, tmp_path: Path) -> None:
    with PageWriter({page.path: lambda good, number, text=page.text: text for page in tiny.pages}) as server:  # type: ignore[misc]
        result = author(tiny, server, tmp_path / "v", "--times-back", "0")
    assert result.exit_code == 1 and "no page passed" in result.output
    assert f"answers rejected by the gate 'copied': {len(tiny.pages)}" in result.output
    assert not (tmp_path / "v").exists()


def test_every_gate_but_that_of_losses_and_the_checker_has_a_bad_page_here() -> None:
    assert {gate for gate, _ in BAD.values()} == {*GATES} - {"copied", "lost", "checker"}


def test_what_a_page_must_not_lose(tiny: World) -> None:
    page = next(page for page in tiny.pages if "nan" not in page.text and "Error" not in page.text)
    form = page_form.read(page.text)
    said = "Errors raise `ValueError`, nan stays."
    offline = first_item(
        replace(form, more=f"{form.more} {said}"), text=f"{form.parameters[0].text} One of 'up' or 'down'."
    )
    shown = replace(page, text=page_form.render(offline, ()))
    with Sessions(tiny.package_folder, tiny.names.package) as running:
        gates = PageGates(tiny, running)
        lost = [problem.what for problem in gates.problems(shown, page_form.read(reworded(page.text)))]
    label = form.parameters[0].label
    assert lost == [
        f"the entry {label} no longer mentions 'down'",
        f"the entry {label} no longer mentions 'up'",
        "it no longer mentions `ValueError`",
        "it no longer says what happens with nan",
    ]


def test_words_that_transfer_tasks_rely_on_must_stay(tiny: World) -> None:
    page = tiny.pages[0]
    words = " ".join(page.summary.split()[:4])
    with Sessions(tiny.package_folder, tiny.names.package) as running:
        gates = PageGates(tiny, running)
        gates.relied = {page.path: (words,)}
        kept = gates.problems(page, page_form.read(reworded(page.text, [words])))
        lost = gates.problems(page, page_form.read(reworded(page.text)))
    assert not kept
    assert [problem.what for problem in lost] == [f'these words must appear in it unchanged: "{words}"']


def test_the_words_of_transfer_tasks_stand_in_the_prompts(small: World) -> None:
    usages = [task.card.usage for task in small.tasks("transfer_test") if task.card.usage]
    told = required_words(small)
    assert all(usage.page in told[usage.function] for usage in usages if usage.page)


# ---- variants -------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def rewritten(tiny: World, tmp_path_factory: pytest.TempPathFactory) -> World:
    """A variant of the tiny world in which one page did not pass."""
    out = tmp_path_factory.mktemp("variants") / "variant"
    leaks: Answer = lambda good, number: changed(good, lambda f: replace(f, more="It is a & b < c of NumPy."))  # noqa: E731
    with PageWriter({tiny.pages[1].path: leaks}) as server:
        result = author(tiny, server, out)
    assert result.exit_code == 0, result.output
    assert f"{len(tiny.pages) - 1} pages rewritten, 1 kept because every rewrite was rejected, 0 still" in result.output
    assert server.of[tiny.pages[1].path] == 4  # three times back, then never again
    return World.load(out)


def test_a_variant_has_other_pages_and_all_else_of_its_world(tiny: World, rewritten: World) -> None:
    was, now = tiny.manifest, rewritten.manifest
    assert now.fingerprint != was.fingerprint and now.names == was.names
    assert {f for f in was.files if was.files[f] != now.files[f]} == {"docs/api.jsonl", "docs/api.md"}
    assert was.files.keys() == now.files.keys() and was.pages is None and "pages" not in was.to_json()
    assert now.pages is not None and now.pages.of == was.fingerprint and now.pages.model == "m"
    assert (now.pages.rewritten, now.pages.kept, now.pages.checker) == (len(tiny.pages) - 1, 1, "")
    for old, new in zip(tiny.pages, rewritten.pages, strict=True):
        assert (old.path, old.signature, old.subject) == (new.path, new.signature, new.subject)
        assert (old == new) == (old.path == tiny.pages[1].path)


def test_a_variant_passes_the_audit(rewritten: World) -> None:
    assert {check.name: check.failures for check in audit.check(rewritten) if not check.holds} == {}


def test_see_also_quotes_the_new_summaries(tiny: World, rewritten: World) -> None:
    summaries = {page.path: page.summary for page in rewritten.pages}
    for page in rewritten.pages:
        if page.path != tiny.pages[1].path:
            listed = re.findall(
                rf"^- `{tiny.names.package}\.([\w.]+)`: (.*)\.$", page.text.partition("## See also")[2], re.M
            )
            assert all(summaries[path].startswith(clause) for path, clause in listed)
            assert {path for path, _ in listed} >= {*page_form.related(tiny.page(page.path).text, tiny.names.package)}


def test_both_versions_can_be_read_and_nothing_of_a_model_is_markup(tiny: World, rewritten: World) -> None:
    text = (rewritten.path / variant.DIFFERENCES).read_text("utf-8")
    assert all(f'<article id="{page.path}">' in text for page in tiny.pages)
    assert "<ins>" in text and "answer 4 was rejected by the gate leak" in text
    assert "It is a &amp; b &lt; c of NumPy." in text and "b < c" not in text and "<script" not in text


def test_a_variant_of_a_variant_is_refused(rewritten: World, tmp_path: Path) -> None:
    with PageWriter() as server:
        result = author(rewritten, server, tmp_path / "v")
    assert isinstance(result.exception, ConfigError) and "were already rewritten by m" in str(result.exception)
    assert not server.prompts


def test_a_folder_that_is_there_is_not_written_to(tiny: World, tmp_path: Path) -> None:
    with PageWriter() as server:
        result = author(tiny, server, tmp_path)
    assert "already exists" in str(result.exception) and not server.prompts


# ---- the checker ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("NONE", 0),
        ("<think>ADDED: x</think>\n**NONE**.", 0),
        ("ADDED: it sorts\n- LOST: ties", 2),
        ("ADDED: none\nCHANGED: N/A\nLOST: nothing.", 0),
        ("ADDED: none\nLOST: nothing is said about ties", 1),
        ("None", 0),
        ("No differences.", 0),
        ("ADDED:\nCHANGED:\nLOST:", 0),
        ("ADDED: None found\n1. **LOST:** what happens with ties", 1),
        ("**Changed**: it sorts", 1),
        ("The pages agree.", None),
        ("NONE, except for this", None),
        ("", None),
    ],
)
def test_a_verdict_is_read_strictly(said: str, found: int | None) -> None:
    read = docs.parse_findings(said)
    assert (None if read is None else len(read)) == found


def test_what_the_checker_finds_goes_back_and_what_it_never_says_is_not_used(tiny: World, tmp_path: Path) -> None:
    first, second = (f"# {tiny.names.package}.{page.path}\n" for page in tiny.pages[:2])
    seen: list[str] = []

    def check(prompt: str) -> str:
        seen.append(prompt)
        if first in prompt:
            return "ADDED: it flies" if sum(first in one for one in seen) == 1 else "NONE"
        return "I am not sure." if second in prompt else "NONE"

    again: Answer = lambda good, number: good.replace("indeed", "truly") if number else good  # noqa: E731
    with PageWriter({tiny.pages[0].path: again}, check) as server:
        result = author(tiny, server, tmp_path / "v", "--checker", "c", "--times-back", "1")
    assert result.exit_code == 0, result.output
    done = rewriting(tmp_path / "v")
    assert [len(a["problems"]) for a in done[tiny.pages[0].path]["attempts"]] == [1, 0]
    assert "it flies" in next(prompt for prompt in server.prompts if "answered before" in prompt)
    assert not done[tiny.pages[1].path]["rewritten"]
    assert all(done[page.path]["rewritten"] for page in tiny.pages[2:])
    made = World.load(tmp_path / "v").manifest.pages
    assert made is not None and made.checker == "c"


# ---- faults, and going on -------------------------------------------------------------------------------------


def test_an_answer_that_was_cut_off_is_none(tiny: World, tmp_path: Path) -> None:
    def cut(good: str, number: int) -> dict[str, Any]:
        made = completion(good)
        made["choices"][0]["finish_reason"] = "length"
        return made

    with PageWriter({tiny.pages[0].path: cut}) as server:
        author(tiny, server, tmp_path / "v", "--times-back", "1")
    line = rewriting(tmp_path / "v")[tiny.pages[0].path]
    assert [a["problems"][0]["what"] for a in line["attempts"]] == ["the answer was cut off: it is too long"] * 2


def test_an_endless_reply_is_owed_and_the_same_command_asks_again(tiny: World, tmp_path: Path) -> None:
    path, out = tiny.pages[0].path, tmp_path / "v"
    with PageWriter({path: lambda good, number: b"ENDLESS"}) as server:  # type: ignore[dict-item,return-value]
        result = author(tiny, server, out, "--timeout-s", "0.2")
        assert result.exit_code == 1 and not out.exists()
        missing = re.search(r"(\d+) still without", result.output)
        server.answers_for, server.prompts = {}, []
        assert author(tiny, server, out).exit_code == 0
    # The rest was there. A busy machine may have been too slow for other pages, too.
    assert missing and len(server.prompts) == int(missing[1]) >= 1
    assert World.load(out).manifest.pages is not None


def test_without_the_owed_pages_if_asked_to(tiny: World, tmp_path: Path) -> None:
    path, out = tiny.pages[0].path, tmp_path / "v"
    with PageWriter({path: lambda good, number: b""}) as server:  # type: ignore[dict-item,return-value]
        assert author(tiny, server, out, "--finish").exit_code == 0
    assert World.load(out).page(path) == tiny.page(path)


def test_a_rewriting_that_ends_anywhere_goes_on_and_comes_to_the_same(
    tiny: World, rewritten: World, tmp_path: Path
) -> None:
    leaks: Answer = lambda good, number: changed(good, lambda f: replace(f, more="It is a & b < c of NumPy."))  # noqa: E731
    out = tmp_path / "v"
    with PageWriter({tiny.pages[1].path: leaks}) as server:
        for _ in range(50):
            server.left = 3  # replies, then the end
            result = author(tiny, server, out)
            if result.exit_code == 0:
                break
            assert isinstance(result.exception, SebenchError) and not out.exists()
            file = out.with_name("v.calls.jsonl")
            file.write_bytes(file.read_bytes() + b'{"key": "torn')
    again = World.load(out)
    assert again.manifest == rewritten.manifest and again.pages == rewritten.pages
    assert len(replies(out)) == len(server.asked)  # each prompt has one line, however often it was interrupted


def test_a_process_that_was_killed_goes_on(tiny: World, rewritten: World, tmp_path: Path) -> None:
    leaks: Answer = lambda good, number: changed(good, lambda f: replace(f, more="It is a & b < c of NumPy."))  # noqa: E731
    out = tmp_path / "v"
    with PageWriter({tiny.pages[1].path: leaks}, delay_s=0.3) as server:
        given = [str(tiny.path), "--out", str(out), "--model", "m", "--base-url", server.url, "--key-env", "NO_KEY"]
        code = f"from sebench.cli.author_docs import command; command({given!r})"
        child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        file, deadline = out.with_name("v.calls.jsonl"), time.monotonic() + 60
        while not (file.exists() and file.read_bytes().count(b"\n")) and time.monotonic() < deadline:
            time.sleep(0.02)
        os.kill(child.pid, signal.SIGKILL)
        child.wait()
        assert not out.exists() and len(replies(out)) >= 1
        server.delay_s = 0.0
        assert author(tiny, server, out).exit_code == 0
    assert World.load(out).manifest == rewritten.manifest


def test_tokens_and_costs_are_told_before_and_after(tiny: World, tmp_path: Path) -> None:
    with PageWriter() as server:
        before = author(tiny, server, tmp_path / "v", "--dry-run", "--price", "m=1,2", "--checker", "c")
        assert before.exit_code == 0 and not server.prompts and not (tmp_path / "v.calls.jsonl").exists()
        assert (
            before.output.count(f" {len(tiny.pages)} calls")
            == before.output.count(f" {4 * len(tiny.pages)} calls")
            == 2
        )
        assert before.output.count(", cost ") == 2  # the checker has no price
        after = author(tiny, server, tmp_path / "v", "--price", "m=1000,1000")
    pages = len(tiny.pages)
    assert (
        f"m: {pages} calls, {100 * pages} prompt and {20 * pages} completion tokens, cost {0.12 * pages:.4f}"
        in after.output
    )


def test_a_scripted_model_writes_no_pages(tiny: World, tmp_path: Path) -> None:
    result = CliRunner().invoke(command, [str(tiny.path), "--out", str(tmp_path / "v"), "--model", "gold"])
    assert "the scripted model 'gold' only answers tasks" in str(result.exception)
