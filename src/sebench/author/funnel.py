"""Computes the funnel: how many proposals reached each gate, how many passed it, and why the others were rejected, with
an example of each reason.

It is computed from `gates.jsonl` only, so it can be viewed while the work is still running.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sebench.author.gates import GATES
from sebench.author.pipeline import GATES as FILE
from sebench.author.pipeline import gate_lines
from sebench.base.errors import ConfigError
from sebench.forge.names.hidden_text import printable_line

LONGEST_EXAMPLE = 160  # maximum characters of an example in a table


@dataclass(frozen=True)
class RejectionReason:
    """Why a gate rejected proposals, how often, and one example."""

    reason: str
    count: int
    proposal: str
    evidence: str


@dataclass(frozen=True)
class GateSummary:
    """The figures for one gate."""

    gate: str
    entered: int
    passed: int
    reasons: tuple[RejectionReason, ...]


def read(folder: Path, gates: Sequence[str] = GATES) -> list[GateSummary]:
    """Compute the funnel of a folder. Gates that no proposal has reached are left out; gates from elsewhere (self-play)
    come last."""
    if not folder.is_dir():
        raise ConfigError(f"{folder} is not a folder; check the path")
    if not (folder / FILE).is_file():
        raise ConfigError(f"{folder} has no {FILE}: nothing was proposed there; see 'sebench author tasks --help'")
    results: dict[str, dict[str, dict[str, Any]]] = {gate: {} for gate in gates}
    for data in gate_lines(folder / FILE):
        results.setdefault(data["gate"], {})[data["key"]] = data
    return [_step(gate, list(lines.values())) for gate, lines in results.items() if lines]


def _step(gate: str, lines: Sequence[dict[str, Any]]) -> GateSummary:
    rejected: dict[str, list[dict[str, Any]]] = {}
    for data in lines:
        if not data["passed"]:
            rejected.setdefault(data["reason"], []).append(data)
    reasons = [
        RejectionReason(printable_line(why), len(of), of[0]["key"], printable_line(of[0]["evidence"]))
        for why, of in rejected.items()
    ]
    reasons.sort(key=lambda reason: (-reason.count, reason.reason))
    return GateSummary(gate, len(lines), sum(data["passed"] for data in lines), tuple(reasons))


def rows(steps: Sequence[GateSummary]) -> Iterator[tuple[str, str, str, str, str]]:
    """Yield table rows (gate, reached, passed, reason, example): one row per gate, plus one for each further reason."""
    for step in steps:
        first = step.gate, f"{step.entered:,}", f"{step.passed:,}"
        if not step.reasons:
            yield *first, "", ""
        for number, reason in enumerate(step.reasons):
            cut = reason.evidence[:LONGEST_EXAMPLE] + ("…" if len(reason.evidence) > LONGEST_EXAMPLE else "")
            yield *(first if number == 0 else ("", "", "")), f"{reason.reason}: {reason.count:,}", cut


def markdown(steps: Sequence[GateSummary]) -> str:
    """Format the funnel as a Markdown table."""
    head = "| gate | entered | passed | rejected | for example |\n|---|---|---|---|---|\n"
    escaped = (tuple(re.sub(r"[|<`*\\]", r"\\\g<0>", cell) for cell in row) for row in rows(steps))
    return head + "".join(f"| {' | '.join(row)} |\n" for row in escaped)


def chart_rows(steps: Sequence[GateSummary]) -> list[tuple[str, int, list[tuple[str, int]]]]:
    """Return the data for a chart: how many proposals are left after each gate, and why the others were rejected."""
    proposed = steps[0].entered if steps else 0
    return [
        ("proposed", proposed, []),
        *((step.gate, step.passed, [(r.reason, r.count) for r in step.reasons]) for step in steps),
    ]
