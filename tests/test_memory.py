"""Memories that are written without a model: what they recall, what they refuse, and the most that they could be
worth."""

from __future__ import annotations

import contextlib
import json
import re
import socket
from collections.abc import Callable, Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest

from sebench.base import retry
from sebench.base.errors import ConfigError, ProviderError
from sebench.memory import ceilings, material
from sebench.memory.conversations import (
    LONGEST_QUERY,
    Conversation,
    ExampleRun,
    Lookup,
    Operations,
    Talking,
    command,
    operations,
)
from sebench.memory.folder import LOG, MANIFEST, SNAPSHOT, About, Memory, MemoryWriter, Snapshot
from sebench.memory.kinds import CHARACTERS_PER_TOKEN, tokens
from sebench.memory.methods.config import StudyConfig
from sebench.memory.methods.make import METHODS, study
from sebench.memory.recall import Recall
from sebench.models.calls import Spent
from sebench.rollout import embeddings, pipeline
from sebench.rollout.config import RunConfig
from sebench.world.mentions import mentioned_functions, needed_functions
from sebench.world.open_book import BM25Index
from sebench.world.world import World

PLAIN = [name for name, method in METHODS.items() if method.arrange and name != "dense"]
Make = Callable[..., Recall]


@pytest.fixture
def make(small: World, tmp_path: Path) -> Make:
    def made(method: str, **settings: object) -> Recall:
        config = StudyConfig(**settings)  # type: ignore[arg-type]
        return Recall(study(small, method, config, tmp_path / f"{method}-{len(list(tmp_path.iterdir()))}"), small)

    return made


# ---- the folder


def test_a_memory_comes_back_as_it_was_written(small: World, tmp_path: Path) -> None:
    about = About("notes", "f", "memory", "m", "open", False, {"k": 3})
    with MemoryWriter(tmp_path, about) as folder:
        folder.log(event="page", text="half a pair \ud83d")
        folder.save(Snapshot("text", {"text": "half a pair \ud83d"}), Spent(2, 30, 4), finished=True)
    found = Memory.load(tmp_path)
    assert (found.about, found.cost, found.finished) == (about, Spent(2, 30, 4), True)
    assert found.snapshot.data == {"text": "half a pair \ud83d"} and found.snapshot.digest == found.digest


def test_a_study_goes_on_behind_its_last_whole_event(tmp_path: Path) -> None:
    about = About("notes", "f")
    with MemoryWriter(tmp_path, about) as folder:
        folder.log(event="one")
    with (tmp_path / LOG).open("ab") as log:
        log.write(b'{"event": "torn')
    with MemoryWriter(tmp_path, about) as folder:
        assert folder.events == [{"event": "one"}] and not folder.memory.finished
        folder.log(event="two")
    with MemoryWriter(tmp_path, about) as folder:
        assert [event["event"] for event in folder.events] == ["one", "two"]


def test_other_settings_in_the_same_folder_are_named(tmp_path: Path) -> None:
    with MemoryWriter(tmp_path, About("pages", "f", settings={"k": 8})) as folder:
        folder.log(event="one")
    with pytest.raises(ConfigError, match="was started with k = 8, but now it is 3; choose another --out"):
        MemoryWriter(tmp_path, About("pages", "f", settings={"k": 3})).__enter__()
    with pytest.raises(ConfigError, match="was started with world = 'f', but now it is 'g'"):
        MemoryWriter(tmp_path, About("pages", "g", settings={"k": 8})).__enter__()


def test_a_refused_beginning_does_not_occupy_the_folder(small: World, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="the budget is 10; lower --k or raise --budget"):
        study(small, "pages", StudyConfig(budget=10), tmp_path)
    assert study(small, "pages", StudyConfig(k=2), tmp_path).finished


def replaced(file: Path, old: str, new: str) -> None:
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))


def test_a_second_process_is_refused(tmp_path: Path) -> None:
    with MemoryWriter(tmp_path, About("notes", "f")), pytest.raises(ConfigError, match="another process is writing"):
        MemoryWriter(tmp_path, About("notes", "f")).__enter__()


@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (lambda path: (path / MANIFEST).unlink(), "is not a memory folder: it has no memory.json"),
        (lambda path: (path / MANIFEST).write_text("{"), "memory.json cannot be read"),
        (lambda path: (path / MANIFEST).write_text('{"format": 99}'), "has format 99"),
        (lambda path: (path / MANIFEST).write_text('{"format": 1}'), "memory.json cannot be read (KeyError('about'))"),
        (lambda path: replaced(path / MANIFEST, '"retrieval"', '"memory"'), "memory.json was edited"),
        (lambda path: replaced(path / MANIFEST, '"calls": 0', '"calls": 9'), "memory.json was edited"),
        (lambda path: replaced(path / LOG, '"made"', '"found"'), "log.jsonl was changed after"),
        (lambda path: (path / LOG).unlink(), "log.jsonl was changed after"),
        (lambda path: (path / SNAPSHOT).unlink(), "snapshot.json cannot be read"),
        (lambda path: (path / SNAPSHOT).write_text('{"kind": "text", "data": {"text": "x"}}'), "was changed after"),
    ],
)
def test_a_damaged_memory_is_one_line(small: World, tmp_path: Path, spoil: Callable[[Path], object], why: str) -> None:
    study(small, "index", StudyConfig(), tmp_path)
    spoil(tmp_path)
    with pytest.raises(ConfigError, match=re.escape(why)):
        Recall(Memory.load(tmp_path), small)


def test_a_memory_of_another_world_and_an_unfinished_one_are_refused(small: World, tiny: World, tmp_path: Path) -> None:
    study(small, "index", StudyConfig(), tmp_path / "index")
    with pytest.raises(ConfigError, match="belongs to another world"):
        Recall(Memory.load(tmp_path / "index"), tiny)
    with MemoryWriter(tmp_path / "begun", About("notes", small.manifest.fingerprint)) as folder:
        folder.save(Snapshot("text", {"text": "so far"}))
    with pytest.raises(ConfigError, match="is not finished; run its 'sebench memory' command again to resume it"):
        Recall(Memory.load(tmp_path / "begun"), small)


# ---- recall


@pytest.mark.parametrize("method", PLAIN)
def test_the_same_world_gives_the_same_memory(small: World, tmp_path: Path, method: str) -> None:
    first = study(small, method, StudyConfig(), tmp_path / "first")
    again = study(small, method, StudyConfig(), tmp_path / "first")  # finished: left as it is
    other = study(small, method, StudyConfig(), tmp_path / "second")
    assert first.digest == again.digest == other.digest


def test_index_and_whole_documentation_tell_of_every_function(make: Make, small: World) -> None:
    task = small.tasks("multi_test")[0]
    for method in ("index", "whole", "worked"):
        assert set(make(method).text(task).functions) == {page.path for page in small.pages}, method
    assert all(page.text.strip() in make("whole").text(task).text for page in small.pages)


def test_a_search_shows_whole_pages_and_never_more_than_k(make: Make, small: World) -> None:
    recall = make("pages", k=3)
    for task in small.tasks("single_test"):
        found = recall.text(task)
        assert len(found.items) == 3 and found.items == found.functions
        assert all(small.page(path).text.strip() in found.text for path in found.items)
        assert found.tokens_estimate == tokens(found.text) <= recall.kind.most_tokens()


def test_a_training_question_finds_its_own_page_where_pages_are_enriched(make: Make, small: World) -> None:
    plain, enriched = make("pages", k=1), make("enriched", k=1)
    tasks = [task for task in small.tasks("train") if len(needed_functions(task, small)) == 1]
    right = [[r.text(t).items == needed_functions(t, small) for t in tasks] for r in (plain, enriched)]
    assert sum(right[1]) > sum(right[0])


def test_a_task_never_sees_its_own_trajectory(make: Make, small: World) -> None:
    recall = make("trajectories", k=4)
    for task in small.tasks("train"):
        found = recall.text(task)
        assert len(found.items) == 4 and f"{task.id}/0" not in found.items
        assert task.question not in found.text


def test_a_task_never_sees_its_own_answer_among_all_worked_ones(make: Make, small: World) -> None:
    recall = make("worked")
    shown = [recall.text(task) for task in small.tasks("train")]
    assert not any(task.question in one.text for task, one in zip(small.tasks("train"), shown, strict=True))
    whole = recall.text(small.tasks("single_test")[0])
    assert max(len(one.items) for one in shown) == len(whole.items) and len({one.text for one in shown}) > 1


def test_an_answer_tells_about_the_functions_that_it_names(small: World) -> None:
    task = small.tasks("train")[0]
    package, path = small.names.package, needed_functions(task, small)[0]
    assert material.worked_answer(task, f"{package}.{path}(a)", small).functions == (path,)
    assert material.worked_answer(task, f"{package}.another(a)", small).functions == ()
    assert all(entry.functions for entry in material.gold_answers(small))


def test_gold_in_a_memory_is_said(make: Make) -> None:
    assert make("trajectories").memory.about.study_gold and make("worked").memory.about.study_gold
    assert not make("pages").memory.about.study_gold


def test_what_does_not_fit_the_budget_is_refused_and_never_cut(make: Make, small: World) -> None:
    size = tokens(material.index(small))
    with pytest.raises(ConfigError, match=f"has {size:,} tokens, but the budget is {size - 1:,}"):
        make("index", budget=size - 1)
    assert make("index", budget=size).text(small.tasks("train")[0]).text == material.index(small)


def test_validation_is_a_tenth_of_train_drawn_by_the_seed(small: World) -> None:
    study_tasks, validation = material.held_out(small, 0)
    train = list(small.tasks("train"))
    assert len(validation) == len(train) // 10 and sorted(study_tasks + validation, key=train.index) == train
    assert material.held_out(small, 0)[1] == validation != material.held_out(small, 1)[1]


def test_a_name_counts_with_and_without_the_package_and_as_a_whole_word_alone(small: World) -> None:
    path, package = small.pages[0].path, small.names.package
    for text in (f"`{package}.{path}(a)`", f"use {path}.", path):
        assert mentioned_functions(text, small.names) == (path,), text
    for text in (f"{path}x", f"x{path}", f"other.{path}", ""):
        assert mentioned_functions(text, small.names) == (), text


@pytest.mark.parametrize("method", PLAIN)
def test_recall_sees_nothing_but_the_question(make: Make, small: World, method: str) -> None:
    kind = make(method, budget=0).kind
    prompter = small.prompter(more=("memory", "operations", "lookup"))
    for task in (*small.tasks("train")[:4], *small.tasks("multi_test")[:4]):
        blind = replace(task, gold="", functions=(), core=(), cases=())
        if isinstance(kind, Talking):
            said = [str(one) for asked in (task, blind) for one in _said(kind.converse(asked, prompter, "closed"))]
            assert said[: len(said) // 2] == said[len(said) // 2 :]
        else:
            assert kind.recall(task) == kind.recall(blind)


def _said(talk: Conversation) -> list[str | ExampleRun]:
    """All prompts of a conversation with a model that always says the same."""
    found = [next(talk)]
    with contextlib.suppress(StopIteration):
        while True:
            found.append(talk.send("SEARCH the mean of each row"))
    return found


# ---- conversations, with the test in the place of the model


@pytest.mark.parametrize(
    ("said", "wanted"),
    [
        ("1. mean of rows\n2) largest value", ["mean of rows", "largest value"]),
        ("- sort\n* reverse the order\n", ["sort", "reverse the order"]),
        ("<think>first the mean\nthen</think>\nsum of all", ["sum of all"]),
        ("```\nround\n```", ["round"]),
        ("<think>never ends", []),
        ("1.\n\n---\n" + "x" * 400, []),
    ],
)
def test_operations_are_the_lines_of_a_reply(said: str, wanted: list[str]) -> None:
    assert list(operations(said)) == wanted


def test_every_operation_is_searched_for_and_found_pages_are_shown_once(make: Make, small: World) -> None:
    recall = make("operations", per_query=1, queries=3)
    assert isinstance(recall.kind, Operations)
    prompter = small.prompter(more=("memory", "operations"))
    task, pages = small.tasks("multi_test")[0], small.pages[:2]
    talk = recall.kind.converse(task, prompter, "closed")
    first = str(next(talk))
    assert task.question in first and "at most 3 lines" in first
    # A page is found by its own text; a line beyond the third is not searched for.
    lines = [" ".join(page.text.split())[:290] for page in (*pages, pages[0], small.pages[3])]
    asked = str(talk.send("\n".join(lines)))
    assert asked.endswith(prompter.prompt(task, "closed").text)
    shown = [page.path for page in small.pages if page.text.strip() in asked]
    assert shown == [page.path for page in pages] and asked.count(pages[0].text.strip()) == 1
    with pytest.raises(StopIteration) as ended:
        talk.send("the answer")
    assert ended.value.value == "the answer"


def test_a_reply_without_operations_is_searched_for_with_the_question(make: Make, small: World) -> None:
    recall = make("operations", per_query=2)
    prompter = small.prompter(more=("memory", "operations"))
    task = small.tasks("single_test")[0]
    talk = recall.kind.converse(task, prompter, "closed")  # type: ignore[attr-defined]
    next(talk)
    asked = str(talk.send(""))
    assert all(entry.text.strip() in asked for entry in recall.kind.search(task.question, 2, task))  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("said", "wanted"),
    [
        ("PAGE kocito", ("PAGE", "kocito")),
        ("I will look.\n\n`SEARCH mean of rows`", ("SEARCH", "mean of rows")),
        ("```\nLIST\n```", ("LIST", "")),
        ("PAGE: kocito", ("PAGE", "kocito")),
        ("> PAGE `kocito`", ("PAGE", "kocito")),  # as earlier lookups are shown
        ("first the mean</think>\nPAGE kocito", ("PAGE", "kocito")),  # the chat template opened the thought
        ("\n" * 100_000 + "PAGE kocito", ("PAGE", "kocito")),  # in linear time
        ("\n" * 100_000, None),
        ("<think>PAGE one</think>PAGE two", ("PAGE", "two")),
        ("```python\n# PAGE kocito\ndef f(x):\n    return x\n```", None),
        ("Pages are good, and a SEARCHER finds", None),
        ("", None),
    ],
)
def test_a_lookup_is_a_line_of_its_own_and_a_program_is_an_answer(said: str, wanted: tuple[str, str] | None) -> None:
    assert command(said, "f") == wanted


def test_lookups_show_what_was_asked_for_and_come_to_an_end(make: Make, small: World) -> None:
    recall = make("lookup", queries=4)
    assert isinstance(recall.kind, Lookup)
    prompter, page = small.prompter(more=("memory", "lookup")), small.pages[0]
    task = small.tasks("single_test")[0]
    talk = recall.kind.converse(task, prompter, "closed")
    asked = str(next(talk))
    assert asked.endswith(prompter.prompt(task, "closed").text) and page.path not in asked and "4 more times" in asked
    assert page.subject in str(talk.send("LIST"))
    assert material.line(page) in str(talk.send(f"LIST {page.subject}"))
    assert "there is no function 'mean'" in str(talk.send("PAGE mean"))
    last = str(talk.send(f"PAGE {small.names.package}.{page.path}"))
    assert page.text.strip() in last and "0 more times" in last and material.line(page) in last  # all of it stays
    with pytest.raises(StopIteration) as ended:
        talk.send("LIST")
    assert ended.value.value == "LIST"  # no answer, and the judge will say so


@pytest.mark.parametrize(("method", "repair", "requests"), [("lookup", 0, 7), ("operations", 1, 3), ("pages", 2, 3)])
def test_a_dry_run_counts_every_request_of_an_answer(
    make: Make, small: World, method: str, repair: int, requests: int
) -> None:
    memory = str(make(method).memory.path)
    config = RunConfig(model="gold", book=("closed",), limit=3)
    plain = pipeline.estimate(config, pipeline.plan(config, small))
    config = replace(config, memory=memory, repair=repair)
    size = pipeline.estimate(config, pipeline.plan(config, small))
    assert size.requests == requests * plain.requests
    assert size.most_completion_tokens == requests * plain.most_completion_tokens
    assert size.prompt_tokens > requests * plain.prompt_tokens


def test_a_lookup_that_does_not_fit_is_refused_in_words(make: Make, small: World) -> None:
    recall = make("lookup", budget=1_000)
    said = recall.kind.reply("PAGE", small.pages[0].path, ["x" * 2_000])  # type: ignore[attr-defined]
    assert re.search(r"refused: it has [\d,]+ tokens, and \d+ are left", said) and small.pages[0].text not in said


@pytest.mark.parametrize("budget", [1_000, 1_500, 2_500])
def test_lookups_never_leave_their_budget(make: Make, small: World, budget: int) -> None:
    """Whatever is asked for: pages, lists, what is not there, and words without an end."""
    recall = make("lookup", budget=budget)
    assert isinstance(recall.kind, Lookup) and recall.kind.most_tokens() == budget
    prompter, task = small.prompter(more=("memory", "lookup")), small.tasks("single_test")[0]
    empty = prompter.fill("lookup", package=small.names.package, left=0, found="", preface="")
    for said in (f"PAGE {small.pages[0].path}", "LIST", f"SEARCH {'mean ' * 2_000}", f"PAGE {'x' * LONGEST_QUERY}"):
        talk, shown = recall.kind.converse(task, prompter, "closed"), ""
        with contextlib.suppress(StopIteration):
            shown = str(next(talk))
            while True:
                shown = str(talk.send(said))
        added = len(shown.removesuffix(prompter.prompt(task, "closed").text)) - len(empty)
        assert added / CHARACTERS_PER_TOKEN <= budget, said


def test_lookups_without_room_for_a_first_word_are_refused_at_once(make: Make) -> None:
    with pytest.raises(
        ConfigError, match=r"has [\d,]+ tokens, but the budget is 100; raise --budget or lower --queries"
    ):
        make("lookup", budget=100)


def test_without_a_budget_the_longest_lookups_are_counted(make: Make, small: World) -> None:
    kind = make("lookup", budget=0, queries=2).kind
    assert isinstance(kind, Lookup)
    longest = max((page.text for page in small.pages), key=len)
    assert kind.most_tokens() >= tokens(kind.preface) + 2 * tokens(longest)


# ---- ceilings


def test_the_ceiling_of_a_search_is_that_of_the_memory_that_searches(make: Make, small: World) -> None:
    chosen = ("single_test", "multi_test", "train")  # of train, no task finds itself
    rows = {(row.what, row.split, row.results): row for row in ceilings.searches(small, chosen)}
    for what, method in (("pages", "pages"), ("both", "enriched"), ("questions", "trajectories")):
        for of_memory in ceilings.of_memory(make(method, k=3), small, chosen[: 2 if what == "both" else 3]):
            plain = rows[what, of_memory.split, 3]
            assert (plain.share, plain.whole, plain.tasks) == (of_memory.share, of_memory.whole, of_memory.tasks)
    assert ("both", "train", 3) not in rows


def test_more_results_never_find_less_and_all_pages_find_all(small: World) -> None:
    rows = list(ceilings.searches(small))
    for what, split in {(row.what, row.split) for row in rows}:
        shares = [(row.share, row.whole) for row in rows if (row.what, row.split) == (what, split)]
        assert shares == sorted(shares)
        if what != "questions":
            assert shares[-1] == (1.0, 1.0)  # a dozen pages, and 64 results


def test_pages_overlap_with_the_documentation_and_other_words_do_not(make: Make, small: World) -> None:
    assert ceilings.overlap(make("pages").memory.texts, small) == 1.0
    assert ceilings.overlap(["one two three four five six seven eight nine"], small) == 0.0
    assert ceilings.overlap(["too short"], small) is None
    page = " ".join(small.pages[0].text.split()[:20])
    mixed = ceilings.overlap([page, "one two three four five six seven eight nine ten eleven twelve"], small)
    assert mixed is not None and 0 < mixed < 1


def test_search_ranks_by_bm25(small: World) -> None:
    search = BM25Index(
        {"a": "mean mean of rows", "b": "mean of a very long text about columns and more", "c": "nothing"}
    )
    assert search.best("the mean", 3) == ["a", "b", "c"]  # more often and shorter first; no match last
    assert search.best("unknown", 2) == ["a", "b"]  # by name where nothing tells them apart


# ---- dense


class Letters(BaseHTTPRequestHandler):
    """Embeds a text as the counts of its letters; the first replies of a server may be faults."""

    faults: list[int] = []  # noqa: RUF012
    texts: list[str] = []  # noqa: RUF012
    vector: Callable[[str], list[float]] | None = None

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        status = self.faults.pop(0) if self.faults else 200
        embed = type(self).vector or (lambda text: [1.0 + text.lower().count(c) for c in "abcdefghijklmnopqrstuvwxyz"])
        self.texts.extend(asked["input"] if status == 200 else [])
        rows = [{"index": n, "embedding": embed(text)} for n, text in enumerate(asked["input"])]
        body = json.dumps({"data": rows[::-1]} if status == 200 else {"error": "later"}).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def letters(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setattr(retry, "FIRST_PAUSE_S", 0.001)
    Letters.faults, Letters.texts, Letters.vector = [], [], None
    with HTTPServer(("127.0.0.1", 0), Letters) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/v1"
        server.shutdown()
        thread.join()


def test_dense_recall_finds_a_page_by_its_own_text_and_pays_once(small: World, tmp_path: Path, letters: str) -> None:
    Letters.faults = [429, 503]
    config = StudyConfig(k=1, embed_model="letters", embed_url=letters)
    recall = Recall(study(small, "dense", config, tmp_path), small)
    assert sorted(Letters.texts) == sorted(page.text for page in small.pages)
    tasks = small.tasks("single_test")
    embeddings.prepare(recall, tasks)
    assert len(Letters.texts) == len(small.pages) + len(tasks)
    again = Recall(Memory.load(tmp_path), small)
    embeddings.prepare(again, tasks)  # all of them are in the file
    assert len(Letters.texts) == len(small.pages) + len(tasks)
    assert [again.text(task) for task in tasks] == [recall.text(task) for task in tasks]
    page = small.pages[4]
    recall.kind.prepare([page.text], lambda texts: [recall.kind.vectors[page.path]])  # type: ignore[attr-defined]
    assert recall.kind.best(page.text, 1) == [page.path]  # type: ignore[attr-defined]


def test_an_embedding_host_that_cannot_be_found_ends_with_one_line(
    small: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unresolvable(*arguments: object, **more: object) -> None:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unresolvable)
    monkeypatch.setattr(embeddings, "TRIES", 10**9)  # a retry would never end
    with pytest.raises(ProviderError, match=r"http://no-such-host/v1 returned no embeddings .* host cannot be found"):
        study(small, "dense", StudyConfig(embed_model="letters", embed_url="http://no-such-host/v1"), tmp_path)


@pytest.mark.parametrize(
    ("faults", "vector", "why"),
    [
        ([401], None, "returned no embeddings from 'letters': status 401"),
        ([500] * 6, None, "returned no embeddings from 'letters': status 500"),
        ([], lambda text: [0.0, 0.0], "cannot be read .*a vector is all zeros"),
        ([], lambda text: [1.0] * (1 + len(text) % 5), "of sizes"),
    ],
)
def test_what_is_no_vector_ends_with_one_line(
    small: World, tmp_path: Path, letters: str, faults: list[int], vector: Callable[[str], list[float]] | None, why: str
) -> None:
    Letters.faults, Letters.vector = faults, vector
    with pytest.raises(ProviderError, match=why):
        study(small, "dense", StudyConfig(embed_model="letters", embed_url=letters), tmp_path)
