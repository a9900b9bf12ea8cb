"""Reads runs from disk for a report: rows, unique names, prompts, and optional facts from the manifest.

Data that an older run lacks (prompts, times, cases) is missing from the report; it is never an error.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from itertools import count
from typing import Any

from sebench.base.errors import ConfigError
from sebench.base.records import BOUNDARY_TEST, SCRIPTED
from sebench.base.wording import counted
from sebench.rollout.store import Row, Run

CUT = 0.05  # from this share of responses up, there is a note on those that are cut off, empty or tool calls
FACTS = ("served_model", "base_urls", "started", "ended")  # optional facts of a manifest


@dataclass(frozen=True)
class Source:
    """A run with its name in the report and its rows."""

    run: Run
    name: str
    rows: tuple[Row, ...]

    @cached_property
    def scored(self) -> tuple[Row, ...]:
        """The rows that accuracy is computed over; boundary tasks are scored separately (`boundary.py`)."""
        return tuple(row for row in self.rows if row.task["split"] != BOUNDARY_TEST)

    @property
    def fingerprint(self) -> str:
        return str(self.run.manifest.world["fingerprint"])

    @property
    def model(self) -> str:
        return str(self.run.manifest.config["model"])

    @property
    def reference(self) -> bool:
        """Whether the model is scripted; such a run is a scripted baseline."""
        return self.model in SCRIPTED

    @property
    def expected(self) -> int:
        """The number of responses in the finished run: tasks x books x samples. Imported rollouts record it
        themselves."""
        config = self.run.manifest.config
        return self.run.manifest.responses or len(self.run.tasks) * len(config["book"]) * int(config["samples"])

    @property
    def settings(self) -> Mapping[str, Any]:
        """All settings that determine the responses, including the model but not the world."""
        return {**self.run.manifest.config, **self.run.manifest.prompts, **self._memory()}

    @property
    def method(self) -> str:
        """The label of the memory's method, with "gold" if gold (reference) solutions were used; "" without a
        memory."""
        about = self.run.manifest.memory
        return f"{about.get('method', '')}, gold" if about.get("study_gold") else str(about.get("method", ""))

    def at_hand(self, book: str) -> str:
        """Return the regime with a book; a memory is named by its method ("index", "interpreter + ace, gold")."""
        regime, memory = self.run.manifest.regime(book), self.run.manifest.memory
        return regime.replace(str(memory["regime"]), self.method) if memory and book == "closed" else regime

    @property
    def study(self) -> Mapping[str, Any]:
        """The settings that determined the memory, besides world, method and writer."""
        about = self.run.manifest.memory
        material = {"study_book": about.get("study_book", ""), "study_gold": about.get("study_gold", False)}
        settings = dict(about.get("settings", {}))
        if settings.get("examples", "gold") != "gold":
            settings["examples"] = "of a run"  # each world has its own
        return {**settings, **material}

    def _memory(self) -> dict[str, str]:
        """Return how the memory was made, in terms that also fit memories of other worlds."""
        about = self.run.manifest.memory
        if not about:
            return {}
        chosen = [f"{name} {value}" for name, value in self.study.items() if value not in ("", False)]
        writer = [f"by {about['writer']}"] if about.get("writer") else []
        return {"memory": " ".join([str(about.get("method", "")), *writer, f"({', '.join(chosen)})"])}

    def facts(self) -> dict[str, Any]:
        """Return what the manifest records about the endpoint and the time."""
        return {key: value for key in FACTS if (value := getattr(self.run.manifest, key))}

    def wall_s(self) -> float | None:
        """Return the seconds from the start of the run to its end, pauses included; None if not recorded."""
        try:
            began, ended = map(datetime.fromisoformat, (self.run.manifest.started, self.run.manifest.ended))
            return max((ended - began).total_seconds(), 0.0)
        except (TypeError, ValueError):
            return None


def read(runs: Sequence[Run]) -> list[Source]:
    """Read the rows of the runs; each run gets a unique name."""
    if not runs:
        raise ConfigError("no run to report on; create one with 'sebench run'")
    paths = [run.path.resolve() for run in runs]
    twice = next((path for path, n in Counter(paths).items() if n > 1), None)
    if twice:
        raise ConfigError(f"{twice} is listed twice")
    names, rows = _names(runs), [_rows(run) for run in runs]
    if empty := [str(run.path) for run, some in zip(runs, rows, strict=True) if not some]:
        runs_have = "run {} has" if len(empty) == 1 else "runs {} have"
        raise ConfigError(
            f"{runs_have.format(', '.join(empty))} no responses yet; repeat the 'sebench run' command to resume, or "
            "leave out what cannot be resumed"
        )
    return [Source(run, name, some) for run, name, some in zip(runs, names, rows, strict=True)]


def _rows(run: Run) -> tuple[Row, ...]:
    try:
        return tuple(run.rows())
    except (KeyError, TypeError, ValueError) as error:
        raise ConfigError(f"run {run.path} is damaged: a line cannot be read ({error})") from None


def _names(runs: Sequence[Run]) -> list[str]:
    """Return the folder names, with as many parent folders as needed to make them unique."""
    paths = [run.path.resolve().parts for run in runs]
    depth = next(depth for depth in count(1) if len({path[-depth:] for path in paths}) == len(paths))
    return ["/".join(path[-depth:]) for path in paths]


def scoring_note(rules: Mapping[str, int]) -> list[str]:
    """Return a note if runs were scored by different rules."""
    if len(set(rules.values())) < 2:
        return []
    rules_by_run = "; ".join(
        f"rules {number}: {', '.join(name for name in rules if rules[name] == number)}"
        for number in sorted(set(rules.values()))
    )
    return [f"scored by different rules, so credit differs ({rules_by_run}); 'sebench rescore' judges a run again"]


def sample_note(source: Source) -> str:
    """Return the note about a run with --limit."""
    return f"a sample of {counted(len(source.run.tasks), 'task')}, drawn with --limit"


def response_notes(rows: Sequence[Row]) -> list[str]:
    """Return notes about responses that are no whole answers, if they are many."""
    answered = [row.rollout for row in rows if not row.rollout.error]
    cut = sum(rollout.finish == "length" for rollout in answered)
    tools = sum(rollout.finish == "tool_calls" for rollout in answered)
    empty = sum(rollout.finish not in ("length", "tool_calls") and not rollout.response.strip() for rollout in answered)
    no_text = f"{empty:,} of {counted(len(answered), 'response is', 'responses are')} empty"
    cut_off = f"{cut:,} of {counted(len(answered), 'response was', 'responses were')} cut off at the token limit"
    counts = {
        f"{cut_off}: wrong, unless their code was complete; raise max_tokens": cut,
        f"{no_text}, and count as wrong; check the model's chat template, filters and reasoning settings": empty,
        f"{counted(tools, 'response is a tool call', 'responses are tool calls')}, though no tool was offered, and "
        "count as wrong": tools,
    }
    return [note for note, count in counts.items() if count >= CUT * len(answered) > 0]
