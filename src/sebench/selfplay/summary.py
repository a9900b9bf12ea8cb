"""The results of a self-play run, read from its folder: one record per round, as Markdown, as JSON, and as chart data.

Accuracies come from each round's evaluation run (`round-N/evaluate`), which `sebench report` reads too; the caller
computes their confidence intervals, since this package does not import `report`.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sebench.author import funnel
from sebench.author.funnel import GateSummary
from sebench.author.gates import CONSENSUS
from sebench.base import files
from sebench.base.ledger import lines
from sebench.selfplay.rounds import Round
from sebench.selfplay.steps import ANSWERS, EVALUATE, GATE_LOG
from sebench.train.proposals.gating import GATES
from sebench.train.proposals.selection import FilterReason

Accuracy = tuple[float, float, float]  # share, and its 95 % interval


@dataclass(frozen=True)
class RoundSummary:
    """A round with its accuracies and answer counts. Round 0 is the model before self-play."""

    number: int
    round: Round | None
    accuracy: Mapping[str, Accuracy]  # closed book, by split
    answers: Mapping[str, int]  # correct answers to all kept questions: used, or left out, by reason
    gate_seconds: Mapping[str, float]  # mean per draft, by gate
    funnel: Sequence[GateSummary]  # as in 'sebench author funnel'


def evaluations(folder: Path, rounds: Sequence[Round]) -> dict[int, Path]:
    """Return the evaluation run of each round that was evaluated. For a round that trained nothing, this is the run of
    the model before self-play."""
    runs = {number: folder / f"round-{number}" / EVALUATE for number in range(len(rounds) + 1)}
    there = {number: place if place.is_dir() else runs[0] for number, place in runs.items()}
    return {number: place for number, place in there.items() if place.is_dir()}


def read(folder: Path, rounds: Sequence[Round], accuracy: Mapping[int, Mapping[str, Accuracy]]) -> list[RoundSummary]:
    """Return a summary of every round, starting with the model before self-play."""
    summaries = [RoundSummary(0, None, accuracy.get(0, {}), {}, {}, ())]
    for one in rounds:
        place = folder / f"round-{one.number}"
        answers = files.read_json(place / ANSWERS)
        gates = funnel.read(place, (*GATES, CONSENSUS)) if (place / GATE_LOG).is_file() else ()
        summaries.append(
            RoundSummary(one.number, one, accuracy.get(one.number, {}), answers, _seconds(place / GATE_LOG), gates)
        )
    return summaries


def _seconds(file: Path) -> dict[str, float]:
    """Return the mean time per draft for each gate."""
    spent: dict[str, list[float]] = defaultdict(list)
    for _, data in lines(file):
        if "s" in data:
            spent[data["gate"]].append(data["s"])
    return {gate: round(sum(times) / len(times), 4) for gate, times in spent.items()}


def markdown(summaries: Sequence[RoundSummary]) -> str:
    """Return all tables as one Markdown text."""
    parts = [
        "## Rounds\n",
        _table(_rounds(summaries)),
        "\n## Closed-book accuracy, with 95 % intervals\n",
        _table(_accuracies(summaries)),
    ]
    for one in summaries:
        if one.round is not None:
            parts += [f"\n## Round {one.number}: the gates\n", _table(_gates(one))]
    return "\n".join(parts)


def _rounds(summaries: Sequence[RoundSummary]) -> list[list[str]]:
    """Return the table of rounds: one row per figure, one column per round."""
    rounds = [(one, one.round) for one in summaries if one.round is not None]
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
    rows.append(["kept so far", *(f"{done.kept_in_all:,}" for _, done in rounds)])
    for name in dict.fromkeys(name for one, _ in rounds for name in one.answers):
        label = {"right": "correct answers to the kept questions", "kept": "training examples"}.get(
            name, f"answers left out: {name}"
        )
        rows.append([label, *(_count(one.answers.get(name, 0)) for one, _ in rounds)])
    return [
        head,
        *rows,
        ["functions covered", *(f"{done.covered:,} of {done.functions:,}" for _, done in rounds)],
        ["effective number of functions", *(f"{done.effective:.1f}" for _, done in rounds)],
        ["variety of wordings", *(f"{done.variety:.2f}" for _, done in rounds)],
        ["tokens, proposing and solving", *(f"{done.tokens:,}" for _, done in rounds)],
    ]


def _accuracies(summaries: Sequence[RoundSummary]) -> list[list[str]]:
    splits = list(dict.fromkeys(split for one in summaries for split in one.accuracy))
    rows = [
        [
            "before" if one.number == 0 else f"round {one.number}",
            *(f"{a[0]:.1%} ({a[1]:.1%} to {a[2]:.1%})" if (a := one.accuracy.get(split)) else "" for split in splits),
        ]
        for one in summaries
    ]
    return [["", *splits], *rows]


def _gates(one: RoundSummary) -> list[list[str]]:
    head = ["gate", "entered", "passed", "ms per draft", "rejected"]
    rows = []
    for step in one.funnel:
        why = "; ".join(f"{reason.reason}: {reason.count:,}" for reason in step.reasons)
        spent = one.gate_seconds.get(step.gate)
        rows.append(
            [
                step.gate,
                f"{step.entered:,}",
                f"{step.passed:,}",
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


def funnel_chart(summaries: Sequence[RoundSummary]) -> list[tuple[str, int, list[tuple[str, int]]]]:
    """Return the data for a chart: how many proposals of all rounds passed each gate and were kept, and why the others
    were left out."""
    rounds = [one.round for one in summaries if one.round is not None]
    passed, left_out, reasons = Counter[str](), Counter[str](), defaultdict[str, Counter[str]](Counter)
    for done in rounds:
        passed.update(done.funnel)
        left_out.update(done.left_out)
    for step in (step for one in summaries for step in one.funnel):
        reasons[step.gate].update({reason.reason: reason.count for reason in step.reasons})
    steps = [(gate, count, sorted(reasons[gate].items())) for gate, count in passed.items()]
    return [*steps, ("kept", sum(done.kept for done in rounds), sorted(left_out.items()))]
