"""How many bits of a name must a model know before it writes right code? Asks the models of an experiment for names
within the answers that they were trained to give, and compares the bits with the judge's verdicts.

    sebench experiment experiments/h200-bits.toml                             about 10 minutes on a shared H200
    python experiments/bits_and_code.py runs/h200-bits --world worlds/bits    the bits of every row
    python experiments/bits_and_code.py runs/h200-bits --show                 what is there, as tables

For every single-function test task, the model gets the closed-book prompt and the reference answer up to the name of
the function (in the form `subject`: the subject and the summary). The name counts max(0, surprisal + log2 of its
probability) bits, as in 'sebench probe --ask bits', which asks in words that no training uses. One line for each task
goes to bits.jsonl in the folder of each row; finished rows are not repeated. Rows need their weights (keep = "all").
"""

from __future__ import annotations

import argparse
import json
import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from sebench.base.records import Task
from sebench.forge.names.surprisal import surprisal
from sebench.models import checkpoints
from sebench.models.model import Chat
from sebench.rollout.store import Run
from sebench.train.data.examples import FORMS, format_answer
from sebench.train.data.tokens import TrainingRow, prompt_ids
from sebench.train.probes.scoring import Scorer
from sebench.world.prompts import CLOSED
from sebench.world.world import World

FILE = "bits.jsonl"
SPLIT = "single_test"
BINS = (0.0, 0.25, 0.5, 0.75, 0.9, 0.99, 1.0)  # shares of a name's bits


def questions(world: World, tokenizer: Any, form: str) -> Iterator[tuple[Task, str, list[int], list[int]]]:
    """Yield the test tasks, each with the name that it needs, the tokens that are given, and those of the name."""
    prompter, chat = world.prompter(), Chat()
    for task in world.tasks(SPLIT):
        function = next(path for path in task.functions if path != "array" or len(task.functions) == 1)
        path = world.names.forged(function)
        name = path.rpartition(".")[2]
        text = format_answer(task.gold, task, world, form)
        start = text.index(path) + len(path) - len(name)
        tokens = tokenizer(text, add_special_tokens=False, return_offsets_mapping=True)
        ends = [end for _, end in tokens["offset_mapping"]]
        ids, first, last = tokens["input_ids"], bisect_right(ends, start), bisect_left(ends, start + len(name))
        prompt = prompt_ids(TrainingRow(task.id, prompter.prompt(task, CLOSED), ""), tokenizer, chat)
        yield task, name, [*prompt, *ids[:first]], ids[first : last + 1]


def measure(row: Path, world: World, arguments: argparse.Namespace) -> list[dict[str, Any]]:
    """Return the bits and the verdict for every task of one row."""
    answers = {one.rollout.task_id: one for one in Run.load(row / "run").rows() if one.rollout.book == CLOSED}
    torch, tokenizer, model = checkpoints.load(str(row / "model"), arguments.device)
    asked = list(questions(world, tokenizer, arguments.form))
    scores = Scorer(torch, model).score_answers([one[2] for one in asked], [one[3] for one in asked])
    lines = []
    for (task, name, _, _), score in zip(asked, scores, strict=True):
        most, answer = surprisal(name), answers.get(task.id)
        if answer and answer.verdict:
            bits = max(0.0, most + score.logp / math.log(2))
            facts = {
                "first": score.exact,  # greedy decoding would go on with the name
                "written": name in answer.rollout.response,
                "right": answer.verdict.passed,
            }
            lines.append({"task": task.id, "name": name, "bits": round(bits, 2), "most": round(most, 2), **facts})
    return lines


def show(rows: Mapping[str, Sequence[Mapping[str, Any]]]) -> None:
    """Print the bits and the accuracy of every row, then the accuracy by share of a name's bits."""
    for name, tasks in rows.items():
        bits, most = (sum(task[key] for task in tasks) for key in ("bits", "most"))
        known, right = (sum(task[key] for task in tasks) for key in ("first", "right"))
        share = f"{bits:>7,.0f} of {most:>7,.0f} bits ({bits / most:5.1%})"
        print(f"{name:30} {share}  written by greedy decoding {known:>3}  right {right:>3} of {len(tasks)}")
    everything = [task for tasks in rows.values() for task in tasks]
    for low, high in zip((-1.0, *BINS), BINS, strict=False):
        inside = [task for task in everything if low < task["bits"] / task["most"] <= high]
        if inside:
            right = sum(task["right"] for task in inside) / len(inside)
            print(f"share of bits up to {high:4.0%}: {len(inside):>4} answers, {right:5.1%} right")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("experiment", type=Path, help="folder of an experiment on one world")
    parser.add_argument("--world", type=Path, help="folder of its world")
    parser.add_argument("--form", choices=FORMS, default="subject", help="form of the answers in training")
    parser.add_argument("--device", default="")
    parser.add_argument("--show", action="store_true", help="only show the results so far")
    arguments = parser.parse_args()
    if not arguments.show and arguments.world is None:
        parser.error("--world is missing: give the folder of the experiment's world, or --show")
    rows: dict[str, list[dict[str, Any]]] = {}
    for run in sorted(arguments.experiment.glob("*/*/run/run.json")):
        row = run.parent.parent
        file = row / FILE
        if not file.exists() and not arguments.show:
            lines = measure(row, World.load(arguments.world), arguments)
            file.write_text("".join(json.dumps(line) + "\n" for line in lines))
        if file.exists():
            rows[row.name] = [json.loads(line) for line in file.read_text().splitlines()]
    show(rows)


if __name__ == "__main__":
    main()
