"""Right trajectories, and the counts of the published scorer (`filter_correct_trajectory.py`).

Kept lines are copied byte for byte from the file that was judged. A file of kept lines is written whole or not at all,
and lines that it already contains are not added again.

Who calls it: `sebench published filter` and `sebench judge --keep`.
"""

from __future__ import annotations

from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Collection, Iterable
from pathlib import Path

from sebench.base import files
from sebench.base.errors import ConfigError
from sebench.base.records import Blame, Kind, Verdict
from sebench.interop.formats.published_lines import numbered

WITHOUT_LIBRARY, NUMPY, RESULT_ERROR, EXECUTION_ERROR = "Without_zwc", "Numpy", "Result_error", "Exe_error"
NOT_JUDGED = "Not judged"  # our own count: lines that cannot be read, and faults that are not the candidate's
# The published counter for every verdict that is not right.
PUBLISHED_COUNTS = {
    Kind.NO_CODE: WITHOUT_LIBRARY,
    Kind.NOT_FROM_LIBRARY: WITHOUT_LIBRARY,
    Kind.DECLINED: WITHOUT_LIBRARY,
    Kind.NUMPY: NUMPY,
    Kind.WRONG_VALUE: RESULT_ERROR,
    Kind.WRONG_SHAPE: RESULT_ERROR,
    Kind.WRONG_TYPE: RESULT_ERROR,
    Kind.FAULT: NOT_JUDGED,
}


def count_verdicts(verdicts: Iterable[Verdict], total: int) -> dict[str, int | float]:
    """Return the six counts of the published scorer, and our count of lines that were not judged. `total` is the number
    of lines in the file, all of which are in the denominator."""
    counts: Counter[str] = Counter()
    for verdict in verdicts:
        counts["right" if verdict.passed else _published_count(verdict)] += 1
    return {
        "Total processed": total,
        "Acc": round(counts["right"] / total, 4) if total else 0.0,
        **{name: counts[name] for name in (WITHOUT_LIBRARY, NUMPY, RESULT_ERROR, EXECUTION_ERROR)},
        NOT_JUDGED: total - counts.total() + counts[NOT_JUDGED],
    }


def _published_count(verdict: Verdict) -> str:
    if verdict.blame not in (Blame.NONE, Blame.CANDIDATE):
        return NOT_JUDGED
    return PUBLISHED_COUNTS.get(verdict.kind, EXECUTION_ERROR)


def refuse_foreign_lines(file: Path, kept: Path) -> None:
    """Raise an error if a file of kept lines contains anything that is not a line of the judged file."""
    refuse_same(file, kept, "--keep")
    there = _lines(kept)
    if there and set(there) - set(_lines(file)):
        raise ConfigError(f"--keep {kept} contains lines that are not in {file}; choose another file")


def refuse_same(file: Path, output: Path, flag: str) -> None:
    """Raise an error if a command would write into its own input."""
    if output.exists() and output.samefile(file):
        raise ConfigError(f"{flag} {output} is the input file; choose another")


def keep_lines(file: Path, numbers: Collection[int], kept: Path) -> int:
    """Add the lines with these numbers to `kept`, unless they are already there; return how many were added."""
    there = _lines(kept)
    left = Counter(there)
    added: list[bytes] = []
    for number, raw in numbered(file):
        if number not in numbers:
            continue
        line = _content(raw)
        if left[line]:
            left[line] -= 1
        else:
            added.append(line)
    files.make_folder(kept.parent, "--keep")
    files.write(kept, b"".join(line + b"\n" for line in (*there, *added)), "--keep")
    return len(added)


def _lines(file: Path) -> list[bytes]:
    """Return the lines of a file; none if it does not exist."""
    return [_content(raw) for _, raw in numbered(file)] if file.exists() else []


def _content(raw: bytes) -> bytes:
    return raw.removeprefix(BOM_UTF8).strip()
