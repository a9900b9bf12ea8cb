"""The training examples of a self-play run: the model's own questions with its own correct answers, in one file.

    ROUND/examples.jsonl      one line per answer: the task with the world's names, the answer, and the model

A round's folder contains everything kept up to that round; the folder of a self-play run stands for its last round that
has such a file. `selfplay/` writes the file; `sft.py` and `rl.py` read it. Every line has already passed the guard
(`guard.py`), and training runs the guard again.

Refused: lines from another world.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

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
    """Whether this is the folder of a self-play run, or of one of its rounds."""
    return _examples_file(folder) is not None


def read(folder: Path, world: World) -> list[TrainingExample]:
    """Return the correct answers that a self-play run kept, or if `folder` is a round, those kept up to that round."""
    file = _examples_file(folder)
    if file is None:
        raise ConfigError(f"{folder} is not a self-play folder; create one with 'sebench selfplay'")
    examples = []
    for start, data in lines(file):
        if data.get("world") != world.manifest.fingerprint:
            raise ConfigError(
                f"examples = {folder} is a self-play run in a world other than {world.path}; use one in this world"
            )
        try:
            task = dataset.from_json(data["task"], world.manifest.matched_names)
            examples.append(TrainingExample(task, data["answer"], data["source"]))
        except (KeyError, TypeError, ValueError) as error:
            raise ConfigError(
                f"{file}: the line at byte {start} is not an example ({error!r}); fix or remove it"
            ) from None
    if not examples:
        raise ConfigError(
            f"no answers to train on: the self-play run in {folder} kept none; run it with more --proposals or "
            "--samples"
        )
    return examples


def with_form(example: TrainingExample, world: World, form: str) -> TrainingExample:
    """Return the example with its answer in this form."""
    if form == CODE:
        return example
    code = extract(example.answer, example.task.entry).code
    return replace(example, answer=format_answer(code, example.task, world, form))


def write(folder: Path, world: World, examples: Iterable[TrainingExample]) -> int:
    """Write the file of a round, and return the number of examples."""
    own = {"world": world.manifest.fingerprint}
    names = world.manifest.matched_names
    lines = ({"task": dataset.to_json(e.task, names), "answer": e.answer, "source": e.source, **own} for e in examples)
    return files.write_lines(folder / FILE, lines)


def _examples_file(folder: Path) -> Path | None:
    """Return the file of a round, or of the last round of a self-play run."""
    if (folder / FILE).is_file():
        return folder / FILE
    rounds = [(int(match[1]), place) for place in folder.glob("round-*") if (match := _ROUND.fullmatch(place.name))]
    return next((place / FILE for _, place in sorted(rounds, reverse=True) if (place / FILE).is_file()), None)
