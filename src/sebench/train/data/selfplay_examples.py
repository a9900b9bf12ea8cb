"""What a self-play left to learn from: its own questions with its own right answers, in one file.

    ROUND/examples.jsonl      a line for each answer: the task in the world's terms, the answer, whose it is

A play's folder stands for its last round that has such a file; the folder of a round for that round, with all that was kept before it.
`selfplay/` writes the file, `sft.py` and `rl.py` read it. Every line has passed the guard (`guard.py`) once already, and a training that
learns from it asks the guard again.

Refused: lines from another world.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from sebench.base import files
from sebench.base.errors import ConfigError
from sebench.base.extract import extract
from sebench.base.ledger import lines
from sebench.tasks import dataset
from sebench.train.data.examples import CODE, TrainingExample, format_answer
from sebench.world.world import World

FILE = "examples.jsonl"
_ROUND = re.compile(r"round-(\d+)")


def is_selfplay_folder(folder: Path) -> bool:
    """Whether a folder is that of a self-play or of a round of one."""
    return _examples_file(folder) is not None


def read(folder: Path, world: World) -> list[TrainingExample]:
    """The right answers of a play, or of its rounds up to one."""
    file = _examples_file(folder)
    if file is None:
        raise ConfigError(f"{folder} is not the folder of a self-play; make one with 'sebench selfplay'")
    found = []
    for start, data in lines(file):
        if data.get("world") != world.manifest.fingerprint:
            raise ConfigError(
                f"examples = {folder} is a self-play in another world than {world.path}; play in this one"
            )
        try:
            task = dataset.from_json(data["task"], world.manifest.matched_names)
            found.append(TrainingExample(task, data["answer"], data["source"]))
        except (KeyError, TypeError, ValueError) as error:
            raise ConfigError(
                f"{file}: the line at byte {start} is no example ({error!r}); mend it or take it out"
            ) from None
    if not found:
        raise ConfigError(f"no answer to learn from: the self-play in {folder} kept none; play with more --samples")
    return found


def with_form(example: TrainingExample, world: World, form: str) -> TrainingExample:
    """The example with its answer in one of the forms."""
    if form == CODE:
        return example
    code = extract(example.answer, example.task.entry).code
    return replace(example, answer=format_answer(code, example.task, world, form))


def write(folder: Path, world: World, found: Iterable[TrainingExample]) -> int:
    """Write the file of a round; how many examples it has."""
    return files.write_lines(folder / FILE, (_line(one, world) for one in found))


def _line(one: TrainingExample, world: World) -> dict[str, Any]:
    told = dataset.to_json(one.task, world.manifest.matched_names)
    return {"task": told, "answer": one.answer, "source": one.source, "world": world.manifest.fingerprint}


def _examples_file(folder: Path) -> Path | None:
    """The file of a round's folder, or of the last round of a play."""
    if (folder / FILE).is_file():
        return folder / FILE
    rounds = [(int(found[1]), place) for place in folder.glob("round-*") if (found := _ROUND.fullmatch(place.name))]
    return next((place / FILE for _, place in sorted(rounds, reverse=True) if (place / FILE).is_file()), None)
