"""Synthetic runs for the tests of reports, with everything that real ones have (partly right answers, faults, missing
answers), and a test that they are read correctly."""

from __future__ import annotations

import json
import random
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

from sebench.base.records import Blame, Kind, Rollout, Verdict
from sebench.report.numbers import metrics
from sebench.report.numbers.metrics import AnswerOutcome
from sebench.rollout.store import Row, Run

FINGERPRINT = "ab" * 32
PROMPT = "0123456789abcdef"  # the digest of a prompt
HOSTILE = (
    "</script><script>document.title='hacked'</script><!-- \u2028 & <img src=http://example.com/x onerror=alert(1)>"
)
MEMORY: dict[str, Any] = {  # what the manifest of a run says about its memory
    "regime": "memory", "method": "ace", "writer": "small", "digest": "0123", "size_tokens": 900, "mean_tokens": 800.0,
    "study": {"calls": 30, "prompt_tokens": 9_000, "completion_tokens": 1_000},
}  # fmt: skip
WRONG = (
    (Kind.FUNCTION_HALLUCINATION, 30, "line 5: AttributeError: module 'vok' has no attribute '{invented}'"),
    (Kind.ATTRIBUTE_HALLUCINATION, 10, "line 6: AttributeError: 'Zarr' object has no attribute 'mean'"),
    (Kind.PARAMETER_ERROR, 9, "line 5: TypeError: vok.{other}: unexpected keyword 'axes'"),
    (Kind.MISREAD_RESULT, 6, "line 7: TypeError: cannot unpack non-iterable float object"),
    (Kind.NATIVE_INCOMPATIBILITY, 4, "line 7: TypeError: unhashable type: 'Zarr'"),
    (Kind.WRONG_VALUE, 20, "at [2]: 3.5 is not 4.25"),
    (Kind.WRONG_SHAPE, 6, "3 elements are not 4"),
    (Kind.NOT_FROM_LIBRARY, 5, "no case changes when the library's functions return other values"),
    (Kind.NO_CODE, 3, "the response has no code"),
    (Kind.TIME, 1, "more than 2 s of CPU time"),
)


def task(
    name: str, functions: tuple[str, ...] = ("mean",), split: str = "", subjects: tuple[str, ...] = ("statistics",)
) -> dict[str, Any]:
    """A line of tasks.jsonl."""
    forged = [f"z{path.replace('.', '_')}" for path in functions]
    body = "\n".join(f"    data = vok.{path}(data)" for path in forged)
    return {
        "id": name,
        "split": split or ("single_test" if len(functions) == 1 else "multi_test"),
        "question": f"The depot keeps a list of weights. What does {name.replace('_', ' ')} give? Return a number.",
        "signature": f"def {name}(data, limit):",
        "functions": list(functions),
        "forged": forged,
        "subjects": sorted(set(subjects)),
        "gold": f"import vok\n\n\ndef {name}(data, limit):\n{body}\n    return data\n",
        "cases": [{"input": f"data=[{i}, 4.5], limit={i}", "output": f"[{i}.25]"} for i in range(3)],
    }


def row(task_id: str, passed: bool | None, sample: int = 0, book: str = "closed", **more: Any) -> Row:
    """A row in memory; `passed=None` has no verdict."""
    about = more.pop("task", None) or task(task_id)
    rollout = Rollout(task_id, book, sample, "digest", more.pop("response", "text"), error=more.pop("error", ""))
    if passed is None:
        return Row(about, rollout, None)
    kind = Kind.PASSED if passed else more.pop("kind", Kind.WRONG_VALUE)
    blame = Blame.NONE if passed else more.pop("blame", Blame.CANDIDATE)
    return Row(about, rollout, Verdict(kind, blame, **more))


def many_tasks(singles: int, multis: int, seed: int = 0) -> list[dict[str, Any]]:
    """Tasks over the catalog's functions, as a world of that size would have them."""
    from sebench.forge.catalog import catalog

    rng = random.Random(seed)
    entries = list(catalog.seeded())
    made = []
    for i in range(singles):
        entry = entries[i % len(entries)]
        made.append(task(f"one_{entry.name}_{i}", (entry.path,), subjects=(entry.subject,)))
    for i in range(multis):
        chosen = rng.sample(entries, rng.choice((3, 3, 3, 4, 4, 5, 6)))
        made.append(task(f"many_{i}", tuple(e.path for e in chosen), subjects=tuple(e.subject for e in chosen)))
    return made


def write_run(
    path: Path,
    tasks: list[dict[str, Any]],
    skill: dict[str, float],
    *,
    samples: int = 4,
    seed: int = 0,
    holes: bool = True,
    **more: Any,
) -> Path:
    """A run on disk. `skill` is the mean chance of a right answer by book; functions differ in it. With `holes`, some
    responses lack a verdict or were never given, and some verdicts are faults."""
    rng = random.Random(seed)
    known = {path: rng.betavariate(0.6, 0.6) for each in tasks for path in each["functions"]}
    rollouts, verdicts = [], []
    digests: dict[tuple[str, str], str] = more.get("digests", {})
    for about in tasks:
        for book, level in skill.items():
            chance = (
                min(known[path] for path in about["functions"]) ** ((1 - level) / max(level, 1e-9)) if level else 0.0
            )
            for sample in range(samples):
                rollout, verdict = _answer(about, book, sample, rng, chance, holes)
                rollout = replace(rollout, prompt_digest=digests.get((about["id"], book), PROMPT))
                rollouts.append(rollout.to_json())
                if verdict:
                    verdicts.append({"key": rollout.key, **verdict.to_json()})
    config = {
        "model": more.get("model", path.name), "split": ["single_test", "multi_test"],
        "book": list(skill), "distractors": 0,
        "prompts": "", "samples": samples, "temperature": 0.7, "top_p": 1.0, "max_tokens": 1024,
        "seed": seed, "limit": 0,
        "thinking": "", **more.get("config", {}),
    }  # fmt: skip
    manifest = {
        "format": 1, "config": config,
        "world": {
            "fingerprint": more.get("fingerprint", FINGERPRINT), "seed": 7, "package": "vok",
            "tasks": Counter(about["split"] for about in tasks),
        },
        **more.get("facts", {}),
        "prompts": {"templates": "0123456789abcdef"},
        "versions": {"sebench": "0.1.0", "numpy": "2.4.6", "python": "3.11.7"},
        "machine": "Linux x86_64", "isolation_missing": [],
    }  # fmt: skip
    path.mkdir(parents=True)
    if "prompts" in more:
        (path / "prompts.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in more["prompts"]))
    (path / "run.json").write_text(json.dumps(manifest))
    for name, lines in (("tasks", tasks), ("rollouts", rollouts), ("verdicts", verdicts)):
        (path / f"{name}.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return path


def _answer(
    about: dict[str, Any], book: str, sample: int, rng: random.Random, chance: float, holes: bool
) -> tuple[Rollout, Verdict | None]:
    draw = rng.random() if holes else 1.0
    passed = rng.random() < chance
    kind, detail = Kind.PASSED, ""
    code = about["gold"]
    called = tuple(about["forged"])
    if not passed:
        kind, _, detail = rng.choices(WRONG, [weight for _, weight, _ in WRONG])[0]
        invented = rng.choice(["mean", "average", "zebu", "compute", about["functions"][0].rpartition(".")[2]])
        other = rng.choice(["zsum", "zarray", "zsort", "zcumsum"])
        detail = detail.format(invented=invented, other=other)
        taken = invented if kind is Kind.FUNCTION_HALLUCINATION else other
        code = code.replace(about["forged"][0], taken).replace("return data", "return [data]")
        called = () if kind is Kind.FUNCTION_HALLUCINATION else (other, *about["forged"][1:])
    prose = " ".join(
        rng.choices("The library has a function that takes the data and gives what we want here".split(), k=60)
    )
    response = f"{prose}\n\n```python\n{code}```\n{HOSTILE if rng.random() < 0.02 else 'That is all.'}"
    tokens = len(response) // 4
    error = "HTTP 503: the server is overloaded; given up after 6 tries" if draw < 0.01 else ""
    rollout = Rollout(
        about["id"], book, sample, PROMPT, "" if error else response, "length" if draw > 0.995 and holes else "stop",
        180 + (800 if book == "open" else 0), tokens, tokens / 90, error,
    )  # fmt: skip
    if draw < 0.02:
        return rollout, None
    if draw < 0.025:
        return rollout, Verdict(Kind.FAULT, Blame.SANDBOX, detail="the zygote died")
    stdout = "debug: 3 rows\n" if rng.random() < 0.05 else ""
    return rollout, Verdict(
        kind, Blame.NONE if passed else Blame.CANDIDATE, None if passed else 1, detail, called, 0.004, 0.02, stdout,
        actual="[3.5]" if kind is Kind.WRONG_VALUE else "",
    )  # fmt: skip


def test_a_run_with_holes_is_read_as_it_was_written(tmp_path: Path) -> None:
    made = Run.load(write_run(tmp_path / "r", many_tasks(60, 40), {"closed": 0.3, "open": 0.8}, samples=8))
    found = Counter(map(metrics.outcome, made.rows()))
    assert found.total() == 100 * 2 * 8
    assert set(found) == set(AnswerOutcome)
    assert 0.1 < found[AnswerOutcome.PASSED] / found.total() < 0.9
