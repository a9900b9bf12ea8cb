"""What a play came to, read from its folder: a record for each round, as Markdown, as JSON, and as what a picture shows.

Accuracies come from the runs of the rounds (`round-N/evaluate`), which `sebench report` reads too; the caller computes their intervals, since
`learn` does not import `report`.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from sebench.author import funnel
from sebench.author.gates import CONSENSUS
from sebench.base.ledger import lines
from sebench.selfplay.rounds import Round
from sebench.selfplay.steps import ANSWERS, EVALUATE, GATE_LOG
from sebench.train.proposals.gating import GATES
from sebench.train.proposals.selection import FilterReason

Accuracy = tuple[float, float, float]  # share, and its 95 % interval


@dataclass(frozen=True)
class RoundSummary:
    """A round with its accuracies and what became of its answers. Round 0 is the model before the play."""

    number: int
    round: Round | None
    accuracy: Mapping[str, Accuracy]  # closed book, by split
    answers: Mapping[str, int]  # right ones to kept questions of all rounds: kept to learn from, and why not
    gate_seconds: Mapping[str, float]  # mean for a draft, by gate
    funnel: Sequence[Mapping[str, Any]]  # of 'sebench author funnel'

    def to_json(self) -> dict[str, Any]:
        told = asdict(self)
        return {**told, "round": self.round.to_json() if self.round else None}


def evaluations(folder: Path, rounds: Sequence[Round]) -> dict[int, Path]:
    """The runs with the accuracies of each round; of one that trained nothing, that of the model before the play."""
    found = {number: folder / f"round-{number}" / EVALUATE for number in range(len(rounds) + 1)}
    return {number: place if place.is_dir() else found[0] for number, place in found.items()}


def read(folder: Path, rounds: Sequence[Round], accuracy: Mapping[int, Mapping[str, Accuracy]]) -> list[RoundSummary]:
    """Every round of a play, the state before it first."""
    made = [RoundSummary(0, None, accuracy.get(0, {}), {}, {}, ())]
    for one in rounds:
        place = folder / f"round-{one.number}"
        answers = json.loads((place / ANSWERS).read_text("utf-8")) if (place / ANSWERS).is_file() else {}
        steps = funnel.to_json(funnel.read(place, (*GATES, CONSENSUS))) if (place / GATE_LOG).is_file() else ()
        made.append(
            RoundSummary(one.number, one, accuracy.get(one.number, {}), answers, _seconds(place / GATE_LOG), steps)
        )
    return made


def _seconds(file: Path) -> dict[str, float]:
    """The mean time of each gate for a draft."""
    spent: dict[str, list[float]] = defaultdict(list)
    for _, data in lines(file):
        if "s" in data:
            spent[data["gate"]].append(data["s"])
    return {gate: round(sum(found) / len(found), 4) for gate, found in spent.items()}


def markdown(played: Sequence[RoundSummary]) -> str:
    """All tables, one under the other."""
    parts = [
        "## Rounds\n",
        _table(_rounds(played)),
        "\n## Closed-book accuracy, with 95 % intervals\n",
        _table(_accuracies(played)),
    ]
    for one in played:
        if one.round is not None:
            parts += [f"\n## Round {one.number}: the gates\n", _table(_gates(one))]
    return "\n".join(parts)


def _rounds(played: Sequence[RoundSummary]) -> list[list[str]]:
    """What each round made: a line for each figure, a column for each round."""
    rounds = [(one, one.round) for one in played if one.round is not None]
    gates = list(dict.fromkeys(gate for _, done in rounds for gate in done.funnel))
    head = ["", *(f"round {one.number}" for one, _ in rounds)]
    rows = [
        [gate if n == 0 else f"after {gate}", *(_count(done.funnel.get(gate)) for _, done in rounds)]
        for n, gate in enumerate(gates)
    ]
    for reason in FilterReason:
        if any(reason.value in done.left_out for _, done in rounds):
            rows.append(
                [f"left out: {reason.value}", *(_count(done.left_out.get(reason.value, 0)) for _, done in rounds)]
            )
    rows.append(["kept", *(f"{done.kept:,}" for _, done in rounds)])
    rows.append(["kept in all rounds", *(f"{done.kept_in_all:,}" for _, done in rounds)])
    for name in dict.fromkeys(name for one, _ in rounds for name in one.answers):
        said = {"right": "right answers to them", "kept": "learnt from"}.get(name, f"not learnt from: {name}")
        rows.append([said, *(_count(one.answers.get(name, 0)) for one, _ in rounds)])
    rows.append(["functions covered", *(f"{done.covered:,} of {done.functions:,}" for _, done in rounds)])
    rows.append(["effective functions", *(f"{done.effective:.1f}" for _, done in rounds)])
    rows.append(["variety of wordings", *(f"{done.variety:.2f}" for _, done in rounds)])
    rows.append(["tokens, proposing and solving", *(f"{done.tokens:,}" for _, done in rounds)])
    return [head, *rows]


def _accuracies(played: Sequence[RoundSummary]) -> list[list[str]]:
    splits = list(dict.fromkeys(split for one in played for split in one.accuracy))
    told = [
        [
            "before" if one.number == 0 else f"round {one.number}",
            *(f"{a[0]:.1%} ({a[1]:.1%} to {a[2]:.1%})" if (a := one.accuracy.get(split)) else "" for split in splits),
        ]
        for one in played
    ]
    return [["", *splits], *told]


def _gates(one: RoundSummary) -> list[list[str]]:
    head = ["gate", "shown", "passed", "ms per draft", "rejected"]
    rows = []
    for step in one.funnel:
        why = "; ".join(f"{reason['reason']}: {reason['count']:,}" for reason in step["reasons"])
        spent = one.gate_seconds.get(step["gate"])
        rows.append(
            [
                step["gate"],
                f"{step['entered']:,}",
                f"{step['passed']:,}",
                f"{1000 * spent:.0f}" if spent is not None else "",
                why,
            ]
        )
    return [head, *rows]


def _count(value: int | None) -> str:
    return "" if value is None else f"{value:,}"


def _table(rows: Sequence[Sequence[str]]) -> str:
    head, *body = [[cell.replace("|", "\\|") for cell in row] for row in rows]
    lined = [head, ["---", *("---:" for _ in head[1:])], *body]
    return "".join(f"| {' | '.join(row)} |\n" for row in lined)


def funnel_chart(played: Sequence[RoundSummary]) -> list[tuple[str, int, list[tuple[str, int]]]]:
    """What a picture shows: how many proposals of all rounds were left after each gate, solved and kept, and why the others left."""
    rounds = [one.round for one in played if one.round is not None]
    gates = list(dict.fromkeys(gate for done in rounds for gate in done.funnel))
    reasons: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for one in played:
        for step in one.funnel:
            for reason in step["reasons"]:
                reasons[step["gate"]][reason["reason"]] += reason["count"]
    steps = [(gate, sum(done.funnel.get(gate, 0) for done in rounds), sorted(reasons[gate].items())) for gate in gates]
    left_out: dict[str, int] = defaultdict(int)
    for done in rounds:
        for why, count in done.left_out.items():
            left_out[why] += count
    return [*steps, ("kept", sum(done.kept for done in rounds), sorted(left_out.items()))]
