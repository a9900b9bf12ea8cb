"""The inspection: the sample, the page over HTTP, the decisions on disk, and the agreement between readers."""

from __future__ import annotations

import http.client
import json
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from sebench.author import decisions, review_cards
from sebench.author.decisions import Decision, Mark, agreement
from sebench.author.inspection import LONGEST_BODY, Inspection, InspectionServer, sample
from sebench.author.review_cards import RenderedCase, ReviewCard, SolverAnswer
from sebench.base.errors import ConfigError
from sebench.base.files import write_lines
from sebench.base.http_server import ListenAddress
from sebench.base.records import Case, Task
from sebench.cli.author_inspect import command
from sebench.tasks.folders import DRAFTS
from tests.conftest import hear_interrupts
from tests.serving import in_thread

TOKEN = "known-to-the-reader"
HOSTILE = "</script><img src=x onerror=alert(1)> \u2028 ${1}"


def sheet(name: str = "daily_mean", **changed: Any) -> ReviewCard:
    case = RenderedCase.from_case(Case({"sales": [[1, 2], [3, 4]]}, [2.0, 3.0]))
    right = SolverAnswer("model-a", "def daily_mean(sales):\n    return np.mean(sales, axis=0)", True)
    wrong = SolverAnswer("model-b", HOSTILE, False, 0, "[1.5, 3.5]", "value is not the same")
    gold = "import numpy as np\n\n\ndef daily_mean(sales):\n    return np.mean(sales, axis=0)\n"
    made = ReviewCard(
        name, "single", "Mean of `sales` by day.", name, (case,), (case,) * 8, gold, ("mean",), (right, wrong)
    )
    return replace(made, **changed)


def folder_of(path: Path, count: int = 30) -> Path:
    path.mkdir(exist_ok=True)
    made = [sheet(f"draft_{number:02}") for number in range(count)]
    write_lines(path / review_cards.CARDS_FILE, [one.to_json() for one in made])
    write_lines(path / DRAFTS, [{"id": one.id} for one in made])
    return path


@pytest.fixture
def bank(tmp_path: Path) -> Path:
    return folder_of(tmp_path / "bank")


@pytest.fixture
def server(bank: Path) -> Iterator[InspectionServer]:
    drawn = sample(review_cards.read(bank), 0.1, 0)
    with decisions.open_ledger(decisions.file_of(bank, "anna")) as ledger:
        inspection = Inspection("bank", "anna", drawn, {}, ledger, lambda: "2026-01-01T00:00:00+00:00")
        with running(InspectionServer(inspection, TOKEN)) as made:
            yield made


@contextmanager
def running(server: InspectionServer, port: int = 0) -> Iterator[InspectionServer]:
    """A server that answers from a thread of its own."""
    with in_thread(server, ListenAddress(port=port)):
        yield server


def ask(
    server: InspectionServer, path: str, body: bytes | None = None, headers: Mapping[str, str] | None = None
) -> tuple[int, bytes, Mapping[str, str]]:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
    connection.request("GET" if body is None else "POST", path, body, dict(headers or {}))
    reply = connection.getresponse()
    found = reply.status, reply.read(), dict(reply.headers)
    connection.close()
    return found


def decide(server: InspectionServer, **data: Any) -> tuple[int, bytes, Mapping[str, str]]:
    return ask(server, f"/{TOKEN}/decisions", json.dumps(data).encode())


def stored(bank: Path, reader: str = "anna") -> list[dict[str, Any]]:
    return [json.loads(line) for line in decisions.file_of(bank, reader).read_text("utf-8").splitlines()]


# The sample.


def test_two_readers_get_the_same_sample_and_another_seed_another() -> None:
    made = [sheet(f"d{number}") for number in range(200)]
    names = [one.id for one in sample(made, 0.1, 0)]
    assert names == [one.id for one in sample(made[::-1], 0.1, 0)]
    assert len(names) == 20
    assert set(names) != {one.id for one in sample(made, 0.1, 1)}


def test_a_larger_share_contains_the_smaller_and_a_grown_bank_keeps_its_place_in_line() -> None:
    made = [sheet(f"d{number}") for number in range(200)]
    assert sample(made, 0.3, 0)[:20] == sample(made, 0.1, 0)
    grown = [one for one in sample([*made, *(sheet(f"new{n}") for n in range(50))], 1, 0) if one in made]
    assert grown == sample(made, 1, 0)


@pytest.mark.parametrize(("share", "count", "drawn"), [(0.07, 100, 7), (0.1, 3, 1), (0.1, 11, 2), (1.0, 5, 5)])
def test_a_share_is_rounded_up_and_never_empty(share: float, count: int, drawn: int) -> None:
    assert len(sample([sheet(f"d{n}") for n in range(count)], share, 0)) == drawn


# Sheets.


def test_a_sheet_comes_back_from_its_file_as_it_was(bank: Path) -> None:
    assert review_cards.read(bank)[7] == sheet("draft_07")


def test_the_sheet_of_a_task_has_its_values_as_text() -> None:
    case = Case({"sales": [[1, 2], [3, 4]]}, [2.0, 3.0])
    cases, wanted = (case,) * 8, sheet("daily_mean")
    task = Task("daily_mean", wanted.question, "daily_mean", ("sales",), cases, ("mean",), examples=(case,))
    assert ReviewCard.from_task(task, "single", wanted.gold, wanted.solvers) == wanted


def test_of_two_sheets_with_one_id_the_later_counts(bank: Path) -> None:
    with (bank / review_cards.CARDS_FILE).open("a") as file:
        file.write(json.dumps(sheet("draft_07", question="Better.").to_json()) + "\n")
    read = review_cards.read(bank)
    assert len(read) == 30
    assert read[7].question == "Better."


def test_a_draft_that_is_no_longer_kept_is_not_inspected(bank: Path) -> None:
    write_lines(bank / DRAFTS, [{"id": "draft_03"}])
    assert [one.id for one in review_cards.read(bank)] == ["draft_03"]


def test_a_kept_draft_without_a_sheet_is_an_error_that_names_it(bank: Path) -> None:
    write_lines(bank / DRAFTS, [{"id": "draft_03"}, {"id": "forgotten"}])
    with pytest.raises(ConfigError, match=r"no review card for 1 kept draft \(for example 'forgotten'\)"):
        review_cards.read(bank)


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"color": "red"}, "'color'"),
        ({"cases": [{"inputs": {"a": "1"}}]}, "'expected'"),
        ({"functions": 1}, "'int' object is not iterable"),
        ({"solvers": [{"model": "m", "response": "r"}]}, "'passed'"),
    ],
)
def test_a_line_that_is_not_a_sheet_is_named(bank: Path, changed: dict[str, Any], told: str) -> None:
    write_lines(bank / review_cards.CARDS_FILE, [{**sheet().to_json(), **changed}])
    with pytest.raises(ConfigError, match=told):
        review_cards.read(bank)


def test_a_long_value_is_cut_and_says_so() -> None:
    shown = RenderedCase.from_case(Case({"a": [0] * 10_000}, 0)).inputs["a"]
    assert len(shown) < review_cards.LONGEST_TEXT + 40
    assert shown.endswith("more characters)")


# The page over HTTP.


def test_the_page_and_all_it_loads_are_served_under_a_policy_that_allows_nothing_else(server: InspectionServer) -> None:
    for name, kind in (("", "text/html"), ("inspect.js", "text/javascript"), ("inspect.css", "text/css")):
        status, body, headers = ask(server, f"/{TOKEN}/{name}")
        assert (status, headers["Content-Type"]) == (200, f"{kind}; charset=utf-8")
        assert b"http://" not in body.replace(b"http://www.w3.org", b"")
        assert b"https://" not in body
        assert headers["Content-Security-Policy"].startswith("default-src 'none'; script-src 'self';")


def test_the_sample_has_everything_that_a_reader_needs(server: InspectionServer) -> None:
    data = json.loads(ask(server, f"/{TOKEN}/sample.json")[1])
    assert data["reader"] == "anna"
    assert len(data["sheets"]) == 3
    assert data["sheets"][0]["solvers"][1]["response"] == HOSTILE
    assert data["sheets"][0]["cases"][0] == {"inputs": {"sales": "[[1, 2], [3, 4]]"}, "expected": "[2.0, 3.0]"}


@pytest.mark.parametrize("path", ["/", "/sample.json", "/wrong/sample.json", f"/{TOKEN}x/"])
def test_without_the_token_there_is_nothing(server: InspectionServer, path: str) -> None:
    assert ask(server, path)[0] == 404
    assert ask(server, path.replace("sample.json", "decisions"), b"{}")[0] == 404


@pytest.mark.parametrize("name", ["../inspection.py", "inspection.py", "..%2finspection.py", "inspect.js/", "x"])
def test_no_other_file_is_served(server: InspectionServer, name: str) -> None:
    assert ask(server, f"/{TOKEN}/{name}")[0] == 404


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example"},
        {"Host": ""},
        {"Host": "["},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:1"},
    ],
)
def test_a_request_by_way_of_a_foreign_page_is_refused(
    server: InspectionServer, bank: Path, headers: dict[str, str]
) -> None:
    name = next(iter(server.inspection.sample))
    body = json.dumps({"id": name, "mark": "drop", "note": ""}).encode()
    assert ask(server, f"/{TOKEN}/sample.json", headers=headers)[0] == 404
    assert ask(server, f"/{TOKEN}/decisions", body, headers)[0] == 404
    assert stored(bank) == []


def test_a_forwarded_port_works(server: InspectionServer) -> None:
    headers = {"Host": "localhost:4000", "Origin": "http://localhost:4000"}
    assert ask(server, f"/{TOKEN}/sample.json", headers=headers)[0] == 200


def test_a_decision_is_on_the_disk_when_the_page_hears_of_it(server: InspectionServer, bank: Path) -> None:
    name = next(iter(server.inspection.sample))
    status, body, _ = decide(server, id=name, mark="fix", note="ties? \ud800 ü")
    assert (status, json.loads(body)) == (200, {"read": 1})
    assert stored(bank) == [
        {
            "id": name, "digest": sheet(name).digest, "mark": "fix", "note": "ties? \ud800 ü", "reader": "anna",
            "at": "2026-01-01T00:00:00+00:00",
        }
    ]  # fmt: skip
    assert json.loads(ask(server, f"/{TOKEN}/sample.json")[1])["decisions"][name]["mark"] == "fix"


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"id": "elsewhere"}, "no draft 'elsewhere'"),
        ({"id": ["draft_01"]}, "no draft"),
        ({"mark": "maybe"}, "mark 'maybe'"),
        ({"mark": None}, "mark None"),
        ({"note": "x" * 4001}, "at most 4,000"),
        ({"note": 1}, "a note may have"),
        ({"reader": "lena"}, "id, mark and note"),
    ],
)
def test_what_is_not_a_decision_is_refused_and_not_stored(
    server: InspectionServer, bank: Path, changed: dict[str, Any], told: str
) -> None:
    right = {"id": next(iter(server.inspection.sample)), "mark": "keep", "note": ""}
    status, body, _ = decide(server, **{**right, **changed})
    assert status == 400
    assert told in body.decode()
    assert stored(bank) == []


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b"\xff", b"[" * 50_000])
def test_a_body_that_is_not_json_is_refused(server: InspectionServer, body: bytes) -> None:
    assert ask(server, f"/{TOKEN}/decisions", body)[0] == 400


def test_an_endless_body_is_not_read(server: InspectionServer) -> None:
    assert ask(server, f"/{TOKEN}/decisions", headers={"Content-Length": "x"}, body=b"{}")[0] == 400
    assert ask(server, f"/{TOKEN}/decisions", b" " * (LONGEST_BODY + 1))[0] == 413


def test_a_decision_that_cannot_be_written_is_told_and_not_taken_as_made(
    server: InspectionServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("sebench.base.ledger.os.fsync", full)
    name = next(iter(server.inspection.sample))
    status, body, _ = decide(server, id=name, mark="keep", note="")
    assert status == 500
    assert "No space left" in body.decode()
    assert server.inspection.read == 0
    assert server.inspection.ledger.file.read_bytes() == b""


# Decisions on disk.


def decision(name: str, mark: str, reader: str = "anna", note: str = "") -> Decision:
    return Decision(name, sheet(name).digest, Mark(mark), note, reader, "2026-01-01T00:00:00+00:00")


def write(bank: Path, reader: str, marks: Mapping[str, str]) -> None:
    with decisions.open_ledger(decisions.file_of(bank, reader)) as ledger:
        for name, mark in marks.items():
            ledger.add(asdict(decision(name, mark, reader, f"by {reader}" if mark != "keep" else "")))


def test_the_last_decision_counts_and_a_torn_line_does_not(bank: Path) -> None:
    file = decisions.file_of(bank, "anna")
    write(bank, "anna", {"draft_01": "keep", "draft_02": "drop"})
    write(bank, "anna", {"draft_01": "fix"})
    with file.open("ab") as stream:
        stream.write(b'{"id": "draft_02", "mark": "ke')
    assert {n: d.mark for n, d in decisions.read(file, review_cards.read(bank)).items()} == {
        "draft_01": "fix",
        "draft_02": "drop",
    }
    write(bank, "anna", {"draft_03": "keep"})  # begins a line of its own
    assert len(stored(bank)) == 4


def test_a_decision_about_a_draft_that_has_changed_since_is_void(bank: Path) -> None:
    write(bank, "anna", {"draft_01": "keep", "draft_02": "keep"})
    changed = [sheet("draft_01", question="Another question."), sheet("draft_02", solvers=())]
    assert list(decisions.read(decisions.file_of(bank, "anna"), changed)) == ["draft_02"]


def test_one_process_writes_for_a_reader_at_a_time(bank: Path) -> None:
    with decisions.open_ledger(decisions.file_of(bank, "anna")):
        with (
            pytest.raises(ConfigError, match=r"another process is writing to .*; end the other inspection"),
            decisions.open_ledger(decisions.file_of(bank, "anna")),
        ):
            pass
        with decisions.open_ledger(decisions.file_of(bank, "lena")):
            pass


@pytest.mark.parametrize("name", ["", "../x", "a/b", "a b", "x" * 41, "ü"])
def test_a_reader_has_a_name_that_can_be_in_a_file_name(bank: Path, name: str) -> None:
    with pytest.raises(ConfigError, match="--reader"):
        decisions.file_of(bank, name)


# Agreement.


def pairs(text: str) -> tuple[dict[str, Decision], dict[str, Decision]]:
    """Marks of two readers: "kk kd" are two drafts."""
    words, marks = text.split(), {"k": "keep", "f": "fix", "d": "drop", "-": ""}
    sides = [{f"d{n}": decision(f"d{n}", marks[word[side]]) for n, word in enumerate(words)} for side in (0, 1)]
    return sides[0], sides[1]


def test_kappa_of_a_table_worked_out_by_hand() -> None:
    # 20 keep-keep, 5 keep-drop, 10 drop-keep, 15 drop-drop: 0.7 alike, 0.5 by chance.
    found = agreement(("a", "b"), *pairs("kk " * 20 + "kd " * 5 + "dk " * 10 + "dd " * 15))
    assert (found.both, found.share) == (50, 0.7)
    assert found.kappa == pytest.approx(0.4)
    assert found.counts[Mark.KEEP, Mark.DROP] == 5
    assert len(found.differing) == 15


def test_kappa_is_one_for_equal_readers_and_below_zero_for_opposite_ones() -> None:
    assert agreement(("a", "b"), *pairs("kk ff dd")).kappa == 1
    assert agreement(("a", "b"), *pairs("kd dk")).kappa == -1


def test_kappa_of_one_mark_is_not_defined() -> None:
    found = agreement(("a", "b"), *pairs("kk kk"))
    assert (found.share, found.kappa) == (1, None)


def test_a_draft_that_only_one_has_marked_does_not_count() -> None:
    assert agreement(("a", "b"), *pairs("kk -k d- ff")).both == 2
    with pytest.raises(ConfigError, match="no drafts in common"):
        agreement(("a", "b"), *pairs("-k k-"))


# The command.


def run(*arguments: Any) -> Any:
    return CliRunner().invoke(command, [str(one) for one in arguments])


def test_the_command_reports_agreement(bank: Path) -> None:
    write(bank, "anna", {"draft_01": "keep", "draft_02": "drop", "draft_03": "fix"})
    write(bank, "lena", {"draft_01": "keep", "draft_02": "fix", "draft_03": "fix"})
    told = run(bank, "--agreement").output
    assert "anna, lena: 66.7% of 3 drafts marked the same; Cohen's kappa 0.50" in told
    assert "draft_02: anna: drop (by anna); lena: fix (by lena)" in told
    data = json.loads(run(bank, "--agreement", "--json").output)
    assert data["readers"]["anna"]["faulty"] == pytest.approx(2 / 3)
    assert data["agreement"][0]["kappa"] == pytest.approx(0.5)


@pytest.mark.parametrize(("marks", "told"), [({}, "nobody has"), ({"draft_01": "keep"}, "only anna has")])
def test_agreement_needs_two_readers(bank: Path, marks: dict[str, str], told: str) -> None:
    write(bank, "anna", marks)
    with pytest.raises(ConfigError, match=told):
        CliRunner().invoke(command, [str(bank), "--agreement"], catch_exceptions=False)


def test_a_folder_without_sheets_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"no sheets\.jsonl"):
        CliRunner().invoke(command, [str(tmp_path)], catch_exceptions=False)


def test_a_taken_port_is_named(server: InspectionServer, bank: Path) -> None:
    arguments = [str(bank), "--reader", "lena", "--port", str(server.port)]
    with pytest.raises(ConfigError, match=f":{server.port} cannot be used"):
        CliRunner().invoke(command, arguments, catch_exceptions=False)


def test_the_command_serves_until_it_is_interrupted_and_continues_where_it_was(bank: Path) -> None:
    program = "from sebench.cli.author_inspect import command; command(standalone_mode=False)"
    arguments = [sys.executable, "-c", program, str(bank), "--reader", "anna"]
    for marked in (0, 1):
        with subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True, preexec_fn=hear_interrupts) as process:
            assert process.stdout
            assert process.stdout.readline() == f"anna reads 3 of 30 drafts; {marked} of them already marked\n"
            address = process.stdout.readline().split()[1]
            data = json.loads(urllib.request.urlopen(f"{address}sample.json", timeout=30).read())
            assert len(data["decisions"]) == marked
            body = json.dumps({"id": data["sheets"][0]["id"], "mark": "keep", "note": ""}).encode()
            urllib.request.urlopen(f"{address}decisions", body, timeout=30).close()
            process.send_signal(signal.SIGINT)
            last = process.stdout.read().strip()
        assert process.returncode == 0
        assert (
            last == f"1 of 3 drafts marked, in {bank / 'decisions-anna.jsonl'}; run the same command again to continue"
        )
