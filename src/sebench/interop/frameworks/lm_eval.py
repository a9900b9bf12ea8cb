"""SE-Bench in lm-evaluation-harness: the functions that its task files (`lm_eval_tasks/`) call.

    lm_eval run --model ... --tasks sebench_closed_single --include_path $(sebench path lm-eval) \\
        --metadata '{"world": 7}'

The harness scores one document at a time, but filters all answers at once, so the judge is a filter that judges
everything together. A fault that is not the candidate's leaves its document without a metric; standard errors are over
tasks. With `repeats: k` in a task file that includes one of ours, `passed` and `targeted` are means over k answers, and
`pass_at_k` is added.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from statistics import mean
from typing import Any

from sebench import SebenchError, World
from sebench.base import versions
from sebench.interop.frameworks import scoring
from sebench.interop.frameworks.questions import address, questions

Judged = dict[str, Any]  # a `scoring.Score` as the harness logs it


def load(split: str, book: str, world: str | int | None = None, distractors: int = 8, **others: Any) -> dict[str, Any]:
    """Return the documents of a task. `world` and `distractors` are set with --metadata, and the world also with
    SEBENCH_WORLD; `others` are further arguments that the harness passes."""
    versions.require(versions.LM_EVAL)
    import datasets

    named = os.environ.get("SEBENCH_WORLD") if world is None else world
    if named is None:
        raise SebenchError("no world: pass one with --metadata '{\"world\": 7}', by its seed or its folder")
    opened = World.open(str(named))
    where = {"world": opened.manifest.fingerprint, "address": address(str(named))}
    rows = [
        {"prompt": one.prompt, "task": one.task, "split": one.split, "book": one.book, **where}
        for one in questions(opened, split, book, distractors=distractors)
    ]
    return {"test": datasets.Dataset.from_list(rows)}


def judge(responses: Iterable[Sequence[str]], documents: Sequence[Mapping[str, str]]) -> list[list[Judged]]:
    """The filter: return the scores of the answers to every document. All of them are judged together."""
    futures = [
        [
            scoring.submit(scoring.judge_of(one["address"], one["world"]), one["task"], text, one["book"])
            for text in texts
        ]
        for one, texts in zip(documents, responses, strict=True)
    ]
    return [[asdict(scoring.AnswerScore.of(future.result())) for future in some] for some in futures]


def scores(document: Mapping[str, str], results: Sequence[Sequence[Judged]]) -> dict[str, float]:
    """Return the metrics of one document; those without a value are left out."""
    (judged,) = results  # one filter
    metrics: dict[str, float] = {}
    for name in ("passed", "targeted"):
        if known := [one[name] for one in judged if one[name] is not None]:
            metrics[name] = mean(known)
    passed = [one["passed"] for one in judged]
    if len(passed) > 1 and (any(passed) or None not in passed):
        metrics["pass_at_k"] = float(any(passed))
    return metrics
