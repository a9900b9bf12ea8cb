"""Tasks that models propose: every gate stops what it should and nothing else, and after a kill at any point nothing is
lost."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from textwrap import indent
from typing import Any

import pytest
from click.testing import CliRunner

from sebench.author import funnel, pipeline, review_cards
from sebench.author import proposals as author_proposals
from sebench.author.gates import GATES, OFFLINE, KnownQuestions, LimitExceeded, OfflineGates, run_limited
from sebench.author.pipeline import AuthorPlan, AuthorResult
from sebench.author.proposals import Proposal
from sebench.author.review_cards import SolverAnswer
from sebench.bank.definition import PARTS, bank
from sebench.bank.kinds import Choice, Float, InputKind, Int, Matrix, Vector
from sebench.base.errors import BankError, ConfigError
from sebench.base.ledger import Ledger, lines
from sebench.cli import author_tasks, cli
from sebench.judge.judge import Judge, Limits
from sebench.models.calls import CallLog, Calls, Price, Spent, estimate
from sebench.models.endpoint import Endpoint as Client
from sebench.models.model import Sampling
from sebench.tasks import drafts, gold, rules, similarity
from sebench.tasks.drafts import DraftError
from sebench.world.build import Slice
from sebench.world.prompts import OPEN, Prompt
from sebench.world.world import World
from tests import proposals
from tests.misbehaving import refusal
from tests.proposals import FUNCTIONS, KEPT, PROPOSED, PROPOSER, SOLVERS, STOPPED, Endpoint

PLAN = AuthorPlan("scripted", "single", FUNCTIONS, 2, PROPOSER, SOLVERS, needed=2)


class Killed(BaseException):
    """What stands for the end of the process."""


@pytest.fixture(scope="module")
def judge(small: World) -> Iterator[Judge]:
    with Judge(small, limits=Limits(cpu_s=1)) as judge:
        yield judge


@pytest.fixture(scope="module")
def endpoint() -> Iterator[Endpoint]:
    with Endpoint() as server:
        yield server


@pytest.fixture(scope="module")
def authored(
    small: World, judge: Judge, endpoint: Endpoint, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, AuthorResult]:
    """A whole run, which the tests look at."""
    folder = tmp_path_factory.mktemp("author") / "bank"
    return folder, run(PLAN, small, judge, endpoint, folder)


def run(
    plan: AuthorPlan, world: World, judge: Judge, server: Endpoint, folder: Path, max_tokens: int = 900
) -> AuthorResult:
    async def go() -> AuthorResult:
        clients = {name: Client(name, [server.url], timeout_s=20) for name in (plan.model, *plan.solvers)}
        try:
            with CallLog(folder / pipeline.CALLS) as log:
                calls = {
                    name: Calls(log, client, name, Sampling(max_tokens=max_tokens)) for name, client in clients.items()
                }
                solvers = [calls[name] for name in plan.solvers]
                return await pipeline.author(plan, world, judge, calls[plan.model], solvers, folder)
        finally:
            for client in clients.values():
                await client.close()

    return asyncio.run(go())


def results(folder: Path) -> dict[tuple[str, str], tuple[bool, str]]:
    """What each gate said, by proposal and gate."""
    return {(d["key"], d["gate"]): (d["passed"], d["reason"]) for _, d in lines(folder / pipeline.GATES)}


def test_every_gate_stops_what_it_should_and_nothing_else(authored: tuple[Path, AuthorResult]) -> None:
    folder, done = authored
    stopped = {}
    for (key, gate), (passed, reason) in results(folder).items():
        function, number, _ = key.split("/")
        if not passed:
            stopped[function, int(number)] = gate, reason
    assert stopped == STOPPED
    assert tuple(draft.entry for draft in done.kept) == KEPT
    assert done.proposed == len(PROPOSED) and done.owed == 0


def test_disagreement_names_the_case_and_the_answers(authored: tuple[Path, AuthorResult]) -> None:
    evidence = {d["reason"]: d for _, d in lines(authored[0] / pipeline.GATES) if d["gate"] == "consensus"}
    gold = evidence["gold is suspect"]
    assert gold["evidence"].startswith("0 of 3 right, 2 needed. careful: case 0 gives [")
    assert len({(a["case"], a["actual"]) for a in gold["answers"]}) == 1
    assert len({(a["case"], a["actual"]) for a in evidence["the question is suspect"]["answers"]}) == 3


def test_an_always_equal_object_solves_nothing(authored: tuple[Path, AuthorResult]) -> None:
    (sheet,) = [sheet for sheet in review_cards.read(authored[0]) if sheet.id == "oven_or_cellar"]
    assert [answer.passed for answer in sheet.solvers] == [True, True, False]


def test_every_kept_draft_can_be_inspected(authored: tuple[Path, AuthorResult]) -> None:
    read = {sheet.id: sheet for sheet in review_cards.read(authored[0])}
    assert tuple(read) == KEPT
    for draft in authored[1].kept:
        sheet = read[draft.entry]
        assert (sheet.question, sheet.gold, len(sheet.examples)) == (draft.question, draft.solution, 2)
        assert len(sheet.cases) >= 8 and [answer.model for answer in sheet.solvers] == list(SOLVERS)
        assert set(sheet.functions) <= set(FUNCTIONS)


def test_kept_tasks_are_in_a_world_and_their_gold_is_credited(
    authored: tuple[Path, AuthorResult], tmp_path: Path
) -> None:
    built = World.build(2, tmp_path / "world", part=Slice(functions=12), banks=[authored[0]])
    assert built.manifest.banks.keys() == {"scripted"}
    with Judge(built) as judge:
        for name in KEPT:
            task = built.task(name)
            assert judge.judge(task, f"```python\n{task.gold}```").targeted is True


def test_a_second_call_asks_and_decides_nothing_again(
    small: World, judge: Judge, endpoint: Endpoint, authored: tuple[Path, AuthorResult]
) -> None:
    folder, done = authored
    before, requests = (folder / pipeline.GATES).read_bytes(), endpoint.requests
    again = run(PLAN, small, judge, endpoint, folder)
    assert endpoint.requests == requests and (folder / pipeline.GATES).read_bytes() == before
    assert again.kept == done.kept
    assert again.calls_made == 0 and again.spent == done.spent
    assert done.spent["careful"] == Spent(6, 600, 120)


def test_kills_at_every_gate_one_after_another_lose_nothing(
    small: World, judge: Judge, authored: tuple[Path, AuthorResult], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan, folder = replace(PLAN, functions=("sum", "cumsum")), tmp_path / "bank"
    true_add, seen = Ledger.add, Counter[str]()

    def add(self: Ledger, data: Any) -> None:
        gate = data.get("gate", "")
        seen[gate] += 1
        if gate and seen[gate] == 2:  # in the middle of a line
            self._stream.write(json.dumps(data).encode()[:40])
            raise Killed(gate)
        true_add(self, data)

    monkeypatch.setattr(Ledger, "add", add)
    with Endpoint() as server:
        for gate in GATES:
            with pytest.raises(Killed, match=gate):
                run(plan, small, judge, server, folder)
            assert not (folder / "drafts.jsonl").exists()
        done = run(plan, small, judge, server, folder)
        assert server.by_model[PROPOSER] == 4 and max(server.by_model[name] for name in SOLVERS) <= 3
    wanted = {key: said for key, said in results(authored[0]).items() if key[0].startswith(("sum/", "cumsum/"))}
    assert results(folder) == wanted
    assert [draft.entry for draft in done.kept] == ["tram_fares"]


class Limping(Endpoint):
    """Refuses the first request for each function once."""

    def __init__(self) -> None:
        super().__init__()
        self.refused: set[str] = set()

    def respond(self, head: bytes, body: bytes) -> bytes:
        asked = json.loads(body)
        found = re.search(r"Write one task that the function `np\.([\w.]+)` answers", asked["messages"][-1]["content"])
        if found and found[1] not in self.refused:
            self.refused.add(found[1])
            return refusal(400, "too long")
        return super().respond(head, body)


def test_what_a_provider_failed_to_give_is_asked_for_again_and_nothing_else(
    small: World, judge: Judge, tmp_path: Path
) -> None:
    plan = replace(PLAN, functions=("sum", "where"))
    with Limping() as server:
        first = run(plan, small, judge, server, tmp_path)
        assert (first.proposed, first.owed, first.calls_made) == (0, 4, 0) and "status 400: too long" in first.failure
        second = run(plan, small, judge, server, tmp_path)
        assert second.owed == 0 and server.by_model[PROPOSER] == 4
    assert [draft.entry for draft in second.kept] == ["tram_fares", "way_across", "oven_or_cellar"]


def test_a_refused_prompt_is_not_to_be_retried(small: World, tmp_path: Path) -> None:
    args = ["author", "tasks", str(small.path), "--functions", "sum", "--model", PROPOSER, "--out", str(tmp_path / "x")]
    with Limping() as server:
        done = CliRunner().invoke(cli, [*args, "--base-url", server.url])
    assert done.exit_code == 1 and "again to retry (but 1 prompt that was refused needs another model)" in done.output


def test_a_plan_that_could_not_be_used_later_is_refused_before_anybody_is_paid() -> None:
    with pytest.raises(ConfigError, match="--name: 'My Bank' is not a valid name"):
        replace(PLAN, name="My Bank")
    with pytest.raises(ConfigError, match="--solver a is listed twice"):
        replace(PLAN, solvers=("a", "b", "a"))


def test_functions_are_chosen_by_name_whatever_stands_between(small: World) -> None:
    assert author_proposals.parse_functions(small, " np.sum, ,where,") == ["sum", "where"]
    with pytest.raises(ConfigError, match="names no function"):
        author_proposals.parse_functions(small, " , ")


def test_an_endless_reply_is_not_read() -> None:
    with pytest.raises(DraftError, match="more than 200,000 characters"):
        author_proposals.read(Proposal("sum", 0, "```json\n" * 100_000, "m", "c"), "single")


def test_another_plan_does_not_continue_a_folder(
    small: World, judge: Judge, endpoint: Endpoint, authored: tuple[Path, AuthorResult]
) -> None:
    with pytest.raises(ConfigError, match="was started with needed = 2, but now it is 3"):
        run(replace(PLAN, needed=3), small, judge, endpoint, authored[0])
    with pytest.raises(ConfigError, match="was started with max_tokens = 900, but now it is 800"):
        run(PLAN, small, judge, endpoint, authored[0], max_tokens=800)


def test_what_a_model_wrote_is_text_in_the_funnel_and_a_line_that_is_none_is_named(tmp_path: Path) -> None:
    evil = "[bold]\x1b[2J\x1b]0;pwned\x07 <script>alert(1)</script> | `x`"
    line = {"key": "sum/0/a", "gate": "parse", "passed": False, "reason": "odd", "evidence": evil}
    (tmp_path / pipeline.GATES).write_text(json.dumps(line) + "\n")
    shown = CliRunner().invoke(cli, ["author", "funnel", str(tmp_path)]).output
    table = CliRunner().invoke(cli, ["author", "funnel", str(tmp_path), "--markdown"]).output
    assert "\x1b" not in shown + table and "[bold]" in shown
    assert "\\<script>" in table and "\\|" in table
    (tmp_path / pipeline.GATES).write_text(json.dumps({**line, "gate": "taste"}) + "\n")
    with pytest.raises(ConfigError, match=r"gates.jsonl: the line at byte 0 is not a gate result"):
        funnel.read(tmp_path)


def test_the_funnel_adds_up(authored: tuple[Path, AuthorResult], tmp_path: Path) -> None:
    steps = funnel.read(authored[0])
    assert [step.gate for step in steps] == list(GATES)
    for step, following in pairwise(steps):
        assert step.passed == following.entered
        assert step.entered - step.passed == sum(reason.count for reason in step.reasons)
    assert steps[-1].passed == len(KEPT)
    shown = CliRunner().invoke(
        cli, ["author", "funnel", str(authored[0]), "--markdown", "--svg", str(tmp_path / "f.svg")]
    )
    assert shown.exit_code == 0 and shown.output.count("\n") == 2 + sum(max(len(s.reasons), 1) for s in steps)
    assert "gold is suspect" in (tmp_path / "f.svg").read_text()
    told = json.loads(CliRunner().invoke(cli, ["author", "funnel", str(authored[0]), "--json"]).output)
    assert [step["passed"] for step in told] == [step.passed for step in steps]


def test_the_command_line_writes_a_bank_and_tells_the_cost(small: World, endpoint: Endpoint, tmp_path: Path) -> None:
    args = ["author", "tasks", str(small.path), "--functions", "sum", "--model", PROPOSER, "--solver", "careful"]
    args += ["--base-url", endpoint.url, "--out", str(tmp_path / "tram"), "--price", f"{PROPOSER}=1000,500"]
    requests = endpoint.requests
    dry = CliRunner().invoke(cli, [*args, "--dry-run"])
    assert dry.exit_code == 0 and endpoint.requests == requests and not (tmp_path / "tram").exists()
    assert "proposer would use at most about 1 call" in dry.output
    done = CliRunner().invoke(cli, args)
    assert done.exit_code == 0, done.output
    assert "1 of 1 proposal kept" in done.output and "0.11" in done.output  # 100 and 20 tokens
    assert json.loads((tmp_path / "tram" / "drafts.jsonl").read_text())["id"] == "tram_fares"


def test_the_estimate_counts_the_earlier_questions_in_a_prompt(small: World) -> None:
    plan, sampling = replace(PLAN, functions=("sum",), solvers=(), needed=0), Sampling(max_tokens=100)
    one, many = (author_tasks._estimate(replace(plan, per_function=n), small, sampling)[plan.model] for n in (1, 100))
    earlier = ["longest word " * 55] * 99  # 110 words each, the most that a question may have
    prompts = [author_proposals.prompt(small, "sum", "single", n, earlier[:n], plan.seed) for n in range(100)]
    assert one.calls == 1 and many.calls == 100
    assert many.prompt_tokens >= sum(estimate(prompt.text, 1, 0).prompt_tokens for prompt in prompts)


def test_one_model_can_be_two_solvers(small: World, endpoint: Endpoint, tmp_path: Path) -> None:
    args = ["author", "tasks", str(small.path), "--functions", "sum", "--model", PROPOSER, "--base-url", endpoint.url]
    args += ["--solver", "twice", "--solver", "twice@0.5", "--solver", "user@host", "--out"]
    done = CliRunner().invoke(cli, [*args, str(tmp_path / "bank")])
    assert done.exit_code == 0 and "1 of 1 proposal kept" in done.output, done.output
    assert {("twice", 0.0), ("twice", 0.5), ("user@host", 0.0)} <= endpoint.temperatures
    hot = CliRunner().invoke(cli, [*args, str(tmp_path / "hot"), "--solver", "twice@9"])
    assert "temperature = 9.0" in str(hot.exception) and not (tmp_path / "hot").exists()


def test_a_scripted_model_proposes_nothing(small: World, tmp_path: Path) -> None:
    args = ["author", "tasks", str(small.path), "--functions", "sum", "--model", "gold", "--out", str(tmp_path / "x")]
    assert "the scripted model 'gold' only answers tasks" in str(CliRunner().invoke(cli, args).exception)


@pytest.mark.parametrize(
    ("answers", "reason"),
    [
        ([("[1]", 0), ("[1]", 0), ("[1]", 0)], "gold is suspect"),
        ([("[1]", 0), ("[2]", 0), ("[1]", 0)], "the question is suspect"),
        ([("[1]", 0), ("[1]", 1), ("", None)], "the question is suspect"),
        ([("", None), ("", None), ("", None)], "unsolved"),
        ([("[1]", 0), None, None], "the question is suspect"),
    ],
)
def test_what_wrong_answers_say(answers: list[tuple[str, int | None] | None], reason: str) -> None:
    given = [
        SolverAnswer("m", "", True) if one is None else SolverAnswer("m", "", False, one[1], one[0], "no value")
        for one in answers
    ]
    assert pipeline.decide_consensus(given, 3).reason == reason
    assert pipeline.decide_consensus(given, sum(answer.passed for answer in given)).passed


def test_the_same_prompt_of_another_model_or_sampling_is_another_call(tmp_path: Path) -> None:
    asked = Prompt("Hello.", "x", OPEN)
    client = Client("m", ["http://127.0.0.1:9/v1"])
    with CallLog(tmp_path / pipeline.CALLS) as log:
        made = [Calls(log, client, name, Sampling(t)) for name in "ab" for t in (0.0, 1.0)]
        assert len({calls.key(asked, seed) for calls in made for seed in (0, 1)}) == 8


def test_cost_is_counted_by_the_million() -> None:
    assert Spent(3, 2_000_000, 500_000).cost(Price.parse("0.5,2")) == 2.0
    with pytest.raises(ConfigError, match="write two prices"):
        Price.parse("cheap")


def test_the_scripted_proposals_cover_every_gate() -> None:
    assert {gate for gate, _ in proposals.STOPPED.values()} == set(GATES)


@pytest.fixture
def shop(small: World, judge: Judge) -> Iterator[Callable[[str], OfflineGates]]:
    """A workshop by its tier."""
    with small.library() as library:
        yield lambda tier: OfflineGates(small, judge, library, tier)


def stopped_at(shop: OfflineGates, function: str, text: str) -> tuple[str, str]:
    """The first gate that stops a reply, with its reason; "" for none."""
    proposal = Proposal(function, 0, text, "m", "c")
    for gate in OFFLINE:
        result = shop.run_gate(proposal, gate)
        if not result.passed:
            return gate, f"{result.reason}: {result.evidence}"
    return "", ""


def test_tasks_of_every_tier_can_be_kept(shop: Callable[[str], OfflineGates]) -> None:
    multi = proposals.reply(
        "poorest_evening",
        "A stall notes a code in `codes` for each evening. If it is among `rainy` its purse changes by the amount in "
        "`losses`, "
        "on all others by the amount in `gains`. Return the position of the evening after which the purse held least, "
        "as a whole number.",
        {
            "codes": "Vector(Int(1, 6), 'n')",
            "rainy": "Vector(Int(1, 6), (1, 3))",
            "losses": "Vector(Int(-60, 20), 'n')",
            "gains": "Vector(Int(-20, 60), 'n')",
        },
        "changes = np.where(np.isin(codes, rainy), losses, gains)\nreturn np.argmin(np.cumsum(changes))",
        n=(4, 9),
    )
    assert stopped_at(shop("multi"), "where", multi) == ("", "")
    transfer = proposals.reply(
        "guests_without_card",
        "At the door of a ball stand `guests` with numbers, and `cards` lists the numbers that have a card. Return "
        "for each guest whether there "
        "is no card for that number, as a list of truth values.",
        {"guests": "Vector(Int(1, 12), (3, 8))", "cards": "Vector(Int(1, 12), (2, 6))"},
        "return np.isin(guests, cards, invert=True)",
        usage="invert is True",
    )
    assert stopped_at(shop("transfer"), "isin", transfer) == ("", "")


def test_whole_numbers_that_overflow_are_no_gold(shop: Callable[[str], OfflineGates]) -> None:
    """NumPy wraps them around, and so do all solvers."""
    question = (
        "`guests` lists the guests at each party. A cube is as many dice long as there were guests in all. Return how "
        "many dice the cube has, as a whole number."
    )
    for high, gate in ((10**9, "runs"), (60, "")):
        inputs = {"guests": f"Vector(Int(2, {high}), (3, 8))"}
        text = proposals.reply("dice_of_guests", question, inputs, "return np.sum(guests) ** 3")
        stopped = stopped_at(shop("single"), "sum", text)
        assert stopped[0] == gate and ("whole numbers overflow" in stopped[1]) == bool(gate), stopped


def test_tasks_that_were_edited_or_come_from_elsewhere_are_left_alone(
    small: World, judge: Judge, endpoint: Endpoint, authored: tuple[Path, AuthorResult], tmp_path: Path
) -> None:
    folder = tmp_path / "bank"
    shutil.copytree(authored[0], folder)
    drafts_file = folder / "drafts.jsonl"
    edited = drafts_file.read_text().replace("trip", "ride")
    drafts_file.write_text(edited)
    with pytest.raises(ConfigError, match="was edited after it was written, so it is left as it is"):
        run(PLAN, small, judge, endpoint, folder)
    assert drafts_file.read_text() == edited
    (folder / "author.json").unlink()
    with pytest.raises(ConfigError, match=r"has tasks of another origin \(drafts.jsonl\); choose another --out"):
        run(PLAN, small, judge, endpoint, folder)
    words = ["author", "tasks", str(small.path), "--functions", "sum", "--model", "m", "--out", str(small.path)]
    refused = CliRunner().invoke(cli, words)
    assert "is a world; choose another folder for the bank folder" in str(refused.exception)


def test_gold_that_behaves_in_the_sandbox_alone_takes_nothing_with_it(shop: Callable[[str], OfflineGates]) -> None:
    """With some inputs that the sandbox has not seen it asks for eight gigabytes."""
    bomb = proposals.reply(
        "ladder_rungs",
        "A painter counts the rungs of each ladder and notes them in `rungs`. Return how many rungs all of them have "
        "together, as one number.",
        {"rungs": "Vector(Int(1, 40), (2, 5))"},
        "return np.sum([0] * 10**9 if rungs[0] == 25 else rungs)",
    )
    gate, why = stopped_at(shop("single"), "sum", bomb)
    assert gate == "runs" and "no usable cases" in why and "MemoryError" in why


def _endless() -> None:
    while True:
        pass


def _refused() -> None:
    raise BankError("mine/drafts.jsonl:1: task 'x': no")


def test_work_apart_ends_and_tells_what_became_of_it() -> None:
    assert run_limited(lambda: {"a": (1, 2.5)}) == {"a": (1, 2.5)}
    with pytest.raises(BankError, match="task 'x': no"):
        run_limited(_refused)
    with pytest.raises(LimitExceeded, match="more than 1 s"):
        run_limited(_endless, cpu_limit_s=1)
    with pytest.raises(LimitExceeded, match="256 MiB"):
        run_limited(lambda: len([0] * 10**9), memory=256 << 20)
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        run_limited(lambda: 1 // 0)


def test_the_examples_of_the_prompts_keep_the_rules_and_nobody_may_hand_them_in(small: World) -> None:
    """Small models hand in the example, so its function is never the one that is asked for, and it is no new task."""
    known = KnownQuestions(small)
    for example in author_proposals.EXAMPLES:
        text = f"```python\n{example.source}\n```"
        draft = author_proposals.read(Proposal(example.function, 0, text, "m", "c"), "single")
        assert not list(rules.violations(drafts.definition(draft)))
        assert known.check_duplicate(draft).reason == "the name is taken"
        again = replace(draft, entry="once_more", question=draft.question.replace("Return", "You shall return"))
        assert known.check_duplicate(again).reason == "too similar to another question"
    assert len({example.function for example in author_proposals.EXAMPLES}) == len(author_proposals.EXAMPLES) > 1
    for tier in PARTS:
        request = author_proposals.prompt(small, "cumsum", tier, 0, [], 0).text.partition("## Now")[2]
        assert "np.cumsum" in request and "np.prod" not in request  # the last word is not the example's


def test_no_example_of_the_prompts_is_a_question_of_the_bank() -> None:
    """The prompts of self-play promise that."""
    known = similarity.Questions({d.name: d.question for d in bank()})
    for example in author_proposals.EXAMPLES:
        assert not list(known.alike(example.question)) and example.entry not in {d.name for d in bank()}


def fenced(code: str) -> str:
    return f"```python\n{code}```"


HEAD = "def mill_sacks(sacks: Vector(Int(1, 12), 5)):\n"
DOC = "A mill weighs its `sacks`. Return their running total."
TASK = f'{HEAD}    """{DOC}"""\n    return np.cumsum(sacks)\n'
CODE = "def mill_sacks(sacks):\n    return np.cumsum(sacks)\n"
USE = ">>> mill_sacks([1, 2])\n[1, 3]\n"


@pytest.mark.parametrize(
    "text",
    [
        fenced(TASK),
        f"```\n{TASK}```",
        TASK,  # without a fence
        f"Sure!\n```python\nimport numpy as np\n\n{TASK}```\nDone.",
        f"Use:\n```python\n{USE}```\n```python\n{TASK}```\n```python\n{CODE}```\n```python\n{USE}```",
        f"```python\n@task\n{TASK}```",
        fenced(TASK.replace("sacks`. ", "sacks`.    \n\n    ")),
        fenced(TASK.replace("5)", "(5,))")),
        fenced(TASK.replace("Int(", "Integer(").replace("):\n", ") -> list:\n")),
        fenced(TASK.replace("5))", "5) = [1])")),  # a parameter that is drawn needs no default
        fenced(TASK.replace("`sacks`", "sacks")),  # backticks are added
        f"1. This:\n   ```python\n{indent(TASK, '   ')}   ```",
        f"~~~python\n{TASK}~~~",
        f"import numpy as np\n\n\n{TASK}",  # without a fence
        f"Here is the task:\n\n{TASK}",
        f"```python\n{TASK}```\nOnce more:\n```python\n{TASK}```",
        fenced(f'{TASK}\n\ndef test():\n    """Test it."""\n    assert mill_sacks([1]) == [1]\n'),
        fenced(TASK.replace("(sacks:", "(*, sacks:")),
        fenced(TASK.replace("5)):", "5), /):")),
        fenced(TASK.replace("    return", "    import numpy as np\n    return")),
        *(
            fenced(TASK.replace('."""', f'.\n\n    {section}\n    """'))
            for section in (
                "Args:\n        sacks: their weights.\n\n    Returns:\n        The total.",
                "Parameters\n    ----------\n    sacks : list of int\n        Their weights.",
                ":param sacks: their weights\n    :return: the total",
                ">>> mill_sacks([1, 2])\n    [1, 3]",
                "Example:\n        mill_sacks([1]) is [1]",
            )
        ),
    ],
)
def test_what_is_plainly_there_is_read_whatever_stands_around_it(text: str) -> None:
    draft = author_proposals.read(Proposal("cumsum", 0, text, "m", "c"), "single")
    assert draft.question == DOC and draft.solution == CODE
    assert drafts.definition(draft).inputs == {"sacks": Vector(Int(1, 12), 5)}


def test_an_odd_escape_in_a_reply_warns_nobody() -> None:
    with warnings.catch_warnings(action="error"):
        draft = author_proposals.read(Proposal("cumsum", 0, fenced(f"'\\d'\n{TASK}"), "m", "c"), "single")
    assert draft.question == DOC


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (f"```python\n{TASK}", "no fenced block"),  # cut off, perhaps within the program
        (f"```python\n{TASK}\n{TASK.replace('mill', 'hill')}```", "has 2 tasks"),
        (fenced(CODE), "no function in the reply has a docstring"),
        (fenced(USE), "no function in the reply has a docstring"),
        (fenced(TASK.replace("5)", "5")), "cannot be read as Python"),
        (fenced(TASK.replace("5))", "5), more)")), "'more' has no annotation"),
        (fenced(TASK.replace("5))", "5), *more: Int())")), "'more' takes any number of values"),
        (f"```python\n@lru_cache\n{TASK}```", "decorator @lru_cache"),
        (f"```python\n@task(usage=open('/etc/passwd'))\n{TASK}```", "cannot be read: usage=open"),
        (f"```python\n@task(n=5)\n{TASK}```", "the length 'n' must be two whole numbers"),
        (f"```python\n@task(usage=5)\n{TASK}```", "'usage' is not a string"),
        (f'```python\n{HEAD}    """{DOC}"""\n```', "'solution' is missing"),
        (f"```python\n{'(' * 3000}\n```", "cannot be read as Python"),
        (fenced(TASK.replace("Vector(Int(1, 12), 5)", "list")), "'list' cannot be read"),
        (fenced(TASK.replace("Vector(Int(1, 12), 5)", "tuple[int, int]")), "'tuple[int, int]' cannot be read"),
    ],
)
def test_what_has_to_be_guessed_is_not_read(text: str, why: str) -> None:
    with pytest.raises(DraftError, match=re.escape(why)):
        author_proposals.read(Proposal("cumsum", 0, text, "m", "c"), "single")


@pytest.mark.parametrize(
    ("hint", "kind"),
    [
        ("int", Int(1, 20)),
        ("list[int]", Vector(Int(1, 20), "n")),
        ("List[List[int]]", Matrix(Int(1, 20), "n", "m")),
        ("tuple[int, ...]", Vector(Int(1, 20), "n")),
        ("Vector(int, 5)", Vector(Int(1, 20), 5)),
        ("Matrix(Number(2, 9), 2, 3)", Matrix(Float(2, 9), 2, 3)),
        ("list[Int(1, 9)]", Vector(Int(1, 9), "n")),
        ("Vector[Int(2, 6), (2, 5)]", Vector(Int(2, 6), (2, 5))),
        ("Vector[int]", Vector(Int(1, 20), "n")),
        ("Matrix[Int(2, 6)]", Matrix(Int(2, 6))),
        ("Vector", Vector()),
        ("'Vector(Int(1, 5), n)'", Vector(Int(1, 5), "n")),
        ("Vector(Choice([1, 2]), +5)", Vector(Choice(1, 2), 5)),
        ("Vector(Int(1, 10**6), 5)", Vector(Int(1, 10**6), 5)),
    ],
)
def test_a_type_of_python_is_read_as_how_such_values_are_drawn(hint: str, kind: InputKind) -> None:
    """A model of 1.5B annotates with types although it is asked for kinds."""
    text = fenced(TASK.replace("Vector(Int(1, 12), 5)", hint))
    draft = author_proposals.read(Proposal("cumsum", 0, text, "m", "c"), "single")
    assert repr(drafts.definition(draft).inputs) == repr({"sacks": kind})


def test_only_a_word_that_can_be_nothing_but_the_parameter_gets_backticks() -> None:
    marked = author_proposals._with_marked_parameters
    assert marked("Given a list of numbers, sort the numbers.", ["numbers"]) == (
        "Given a list of `numbers`, sort the numbers."
    )
    assert marked("Given a list, add a.", ["a"]) == "Given a list, add a. The input is `a`."
    assert marked("Add two lists.", ["a", "b"]) == "Add two lists. The inputs are `a` and `b`."
    assert marked("Use np.sort and sort() on `it`.", ["sort", "it"]) == "Use np.sort and sort() on `it`."
    assert marked("Many boxes: 'boxes' has them.", ["boxes"]) == "Many boxes: `boxes` has them."
    assert marked("The **boxes** of a mill.", ["boxes"]) == "The `boxes` of a mill."
    assert marked("The `rows` and the rows.", ["rows", "cols"]) == "The `rows` and the rows."


def test_a_question_is_put_in_the_words_that_the_rules_ask_for() -> None:
    """Of 121 questions of a 1.5B model that broke a language rule, 46 only lacked the word "return"."""
    words = author_proposals._in_our_words
    assert words("Compute the sum of `x`.") == words("Computes the sum of `x`.") == "Return the sum of `x`."
    assert words("It returns an array. Find it.") == "It returns a list. Find it."
    assert words("Given an array `x`, find the smaller one.") == "Given a list `x`, return the smaller one."
    assert words("A clerk finds coins. Count them.") == "A clerk finds coins. Count them."
    assert words("An array `x` holds sums. Return it.") == "A list `x` holds sums. Return it."
    assert words("Find the arrays in `array`. Return them.") == "Find the lists in `array`. Return them."


def test_training_and_transfer_stay_apart(shop: Callable[[str], OfflineGates]) -> None:
    question = (
        "At the door of a ball stand `guests` with numbers, and `cards` lists the numbers that have a card. Return "
        "for each guest whether it "
        "is so, as a list of truth values."
    )
    inputs = {"guests": "Vector(Int(1, 12), (3, 8))", "cards": "Vector(Int(1, 12), (2, 6))"}
    shown = proposals.reply("ball_guests", question, inputs, "return np.isin(guests, cards, invert=True)")
    gate, why = stopped_at(shop("single"), "isin", shown)
    assert gate == "targeted" and "it shows 'invert is True', which the transfer task" in why
    known = proposals.reply("ball_guests", question, inputs, "return np.isin(guests, cards)", usage="2 arguments")
    gate, why = stopped_at(shop("transfer"), "isin", known)
    assert gate == "targeted" and "a single-function task already shows the usage '2 arguments'" in why


def test_calls_of_gold_may_be_larger_than_those_of_its_look_alikes(
    shop: Callable[[str], OfflineGates], monkeypatch: pytest.MonkeyPatch
) -> None:
    question = (
        "A mill stores the weights of its `sacks` in the order in which they came. Return the running total "
        "after each sack, as a list."
    )
    sacks = {"sacks": "Vector(Int(1, 12), (3, 8))"}
    monkeypatch.setattr(gold, "SIZED", {"cumsum": 0})
    monkeypatch.setattr(gold, "LARGEST_RESULT", 0)
    gold.guard.cache_clear()
    gate, why = stopped_at(
        shop("single"), "cumsum", proposals.reply("mill_sacks", question, sacks, "return np.cumsum(sacks)")
    )
    gold.guard.cache_clear()
    assert (gate, why) == ("", "")


def test_a_proposer_reads_numpys_names_and_what_was_asked_before(small: World) -> None:
    for tier in PARTS:
        text = author_proposals.prompt(small, "cumsum", tier, 0, ["What was proposed before?"], 0).text
        assert "np.cumsum" in text and "- What was proposed before?" in text
        forged = [small.names.package, small.names.array, *small.names.functions.values()]
        assert not [name for name in forged if re.search(rf"\b{re.escape(name)}\b", text)]
    known = next(d for d in bank() if d.part == "single" and "np.cumsum" in d.source)
    assert known.question in author_proposals.prompt(small, "cumsum", "single", 0, [], 0).text


def test_a_plan_that_got_no_reply_does_not_occupy_its_folder(small: World, judge: Judge, tmp_path: Path) -> None:
    plan = replace(PLAN, functions=("sum", "where"))
    with Limping() as server:
        assert run(replace(plan, seed=9), small, judge, server, tmp_path).calls_made == 0
        assert run(plan, small, judge, server, tmp_path).owed == 0
        with pytest.raises(ConfigError, match="was started with seed = 0, but now it is 9"):
            run(replace(plan, seed=9), small, judge, server, tmp_path)


def test_a_folder_grows_with_further_functions(small: World, judge: Judge, endpoint: Endpoint, tmp_path: Path) -> None:
    plan = replace(PLAN, solvers=(), needed=0, per_function=1)
    run(replace(plan, functions=("sum",)), small, judge, endpoint, tmp_path / "bank")
    grown = run(replace(plan, functions=("where",)), small, judge, endpoint, tmp_path / "bank")
    assert [draft.entry for draft in grown.kept] == ["tram_fares", "way_across"] and grown.calls_made == 1
    with pytest.raises(ConfigError, match="no such function"):
        author_proposals.parse_functions(small, "sum,linalg.solve")


@pytest.mark.parametrize("name", ["model@20240620", "model@nan", "model@-1", "@0.7", "model@"])
def test_what_follows_the_at_sign_is_a_temperature_only_if_it_can_be_one(name: str) -> None:
    assert author_tasks._solver(name, Sampling()) == (name, Sampling(temperature=0.0))
    assert author_tasks._solver("model@0.7", Sampling()) == ("model", Sampling(temperature=0.7))
