"""Writes the report as one HTML file that needs no network and no server. It embeds a `Report` and the responses.

The numbers are JSON in a script element. The responses, which are repetitive, are a table of distinct strings and
columns of indices into it, gzipped and encoded in base64 (a browser unpacks them quickly). Prompts are stored once by
digest, as paragraphs, because the pages of an open book repeat from prompt to prompt. So nothing that a model wrote is
in the page as markup, and the script inserts it only as text. A content security policy allows the page's own script by
its hash, and no requests at all.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from importlib import resources
from typing import Any

from sebench.base.extract import extract
from sebench.report.numbers import metrics
from sebench.report.numbers.build import Report
from sebench.report.numbers.sources import Source
from sebench.rollout.store import Row

FILE = "report.html"
Strings = defaultdict[str, int]  # distinct strings, and the index of each
SHOWN_CHARACTERS = 40_000  # per response; the rest is in the run's rollouts.jsonl
ROW_COLUMNS = (
    "run", "task", "book", "sample", "prompt", "outcome", "targeted", "kind", "blame", "case", "input", "expected",
    "actual", "response", "cut", "code", "detail", "called",
    "stdout", "error", "finish", "prompt_tokens", "completion_tokens", "seconds",
)  # fmt: skip


def page(report: Report, sources: Sequence[Source]) -> str:
    """Return the HTML of the report."""
    script = asset("page.js") + asset("viewer.js")
    packed = base64.b64encode(gzip.compress(_json(rollouts(sources)).encode(), 6, mtime=0)).decode("ascii")
    return fill(
        asset("page.html"),
        {
            "POLICY": policy(script),
            "STYLE": style(),
            "REPORT": script_json(report.to_json()),
            "ROLLOUTS": packed,
            "SCRIPT": script,
        },
    )


def rollouts(sources: Sequence[Source]) -> dict[str, Any]:
    """Return the data for the viewer: distinct strings, tasks and columns. Every text is an index into the strings."""
    texts: Strings = defaultdict(lambda: len(texts))
    tasks: dict[str, int] = {}
    task_table: list[dict[str, Any]] = []
    columns: dict[str, list[Any]] = {name: [] for name in ROW_COLUMNS}
    prompts, places = _prompts(sources, texts)
    for number, source in enumerate(sources):
        for row in source.rows:
            key = f"{source.fingerprint}:{row.task['id']}"
            if key not in tasks:
                tasks[key] = len(task_table)
                task_table.append(_task(row.task, texts))
            verdict, rollout = row.verdict, row.rollout
            case = _case(row)
            values = (
                number, tasks[key], texts[rollout.book], rollout.sample_index, places.get(rollout.prompt_digest),
                texts[metrics.outcome(row).value], verdict.targeted if verdict else None,
                texts[verdict.kind.value if verdict else ""], texts[verdict.blame.value if verdict else ""],
                verdict.case if verdict else None, texts[case.get("input", "")], texts[case.get("output", "")],
                texts[verdict.actual if verdict else ""], texts[rollout.response[:SHOWN_CHARACTERS]],
                max(len(rollout.response) - SHOWN_CHARACTERS, 0), texts[_code(rollout.response, row.task["signature"])],
                texts[verdict.detail if verdict else ""], texts[" ".join(verdict.functions) if verdict else ""],
                texts[verdict.stdout if verdict else ""], texts[rollout.error], texts[rollout.finish],
                rollout.prompt_tokens, rollout.completion_tokens, round(rollout.seconds, 3),
            )  # fmt: skip
            for name, value in zip(ROW_COLUMNS, values, strict=True):
                columns[name].append(value)
    return {"strings": list(texts), "prompts": prompts, "tasks": task_table, "rows": columns}


def _prompts(sources: Sequence[Source], texts: Strings) -> tuple[list[list[int]], dict[str, int]]:
    """Return the prompts, each as the indices of its paragraphs, and the index of each prompt by digest."""
    digests = {row.rollout.prompt_digest for source in sources for row in source.rows}
    prompts: list[list[int]] = []
    places: dict[str, int] = {}
    for source in sources:
        for digest, text in source.run.prompts():
            if digest in digests and digest not in places:
                places[digest] = len(prompts)
                prompts.append([texts[part] for part in text.split("\n\n")])
    return prompts, places


def _case(row: Row) -> Mapping[str, str]:
    """Return the input and expected output of the failed case; empty if none failed, or if the run does not store its
    cases."""
    number = row.verdict.case if row.verdict else None
    cases = row.task.get("cases", ())
    return cases[number] if number is not None and 0 <= number < len(cases) else {}


def script_json(data: Any) -> str:
    """Return JSON that is safe in a script element: nothing in it ends the element, or starts a comment or a line of
    script."""
    text = _json(data).replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    return text.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def policy(script: str) -> str:
    """Return a content security policy that allows this script and inline styles, and nothing from the network."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode("ascii")
    ours = f"script-src 'sha256-{digest}'; style-src 'unsafe-inline'"
    return f"default-src 'none'; {ours}; base-uri 'none'; form-action 'none'"


def fill(template: str, parts: Mapping[str, str]) -> str:
    """Return the template with each `@@NAME@@` replaced in one pass, so that inserted text is not expanded again."""
    return re.sub(r"@@([A-Z]+)@@", lambda match: parts[match[1]], template)


def _task(task: Mapping[str, Any], texts: Strings) -> dict[str, Any]:
    # A release has neither questions nor gold (reference) solutions; they come with the world.
    strings = {name: texts[task.get(name, "")] for name in ("id", "split", "question", "signature", "gold")}
    return {**strings, **{name: list(task[name]) for name in ("functions", "forged", "subjects")}}


@lru_cache(maxsize=1024)  # samples of one task are often identical, and adjacent
def _code(response: str, signature: str) -> str:
    """Return the code that the judge extracted from the response."""
    return extract(response, signature.removeprefix("def ").partition("(")[0]).code


def _json(data: Any) -> str:
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    # A lone surrogate cannot be encoded; JSON can escape it.
    return re.sub(r"[\ud800-\udfff]", lambda match: f"\\u{ord(match[0]):04x}", text)


@cache
def style() -> str:
    """Return the style of a page, with the colours that all pages share."""
    return (resources.files("sebench.base") / "colours.css").read_text("utf-8") + asset("page.css")


def asset(name: str) -> str:
    return (resources.files(__package__) / name).read_text("utf-8")
