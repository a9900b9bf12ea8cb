"""Split the training tasks of a world by function, for a model that is to know only a part of the library.

    python experiments/half.py worlds/a --out runs/a/halves
    sebench learn closed-sft worlds/a --examples runs/a/halves/known.jsonl ...

`known.jsonl` has the tasks about half of the functions, drawn at random, and `other.jsonl` some about the others, as
many as `--others` says: a control with as many examples as a method found by itself.
"""

from __future__ import annotations

import argparse
import random
from pathlib import Path

from sebench.base import files
from sebench.tasks import dataset
from sebench.world.world import World


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("world")
    parser.add_argument("--out", required=True, type=Path, help="folder for the two files")
    parser.add_argument("--others", type=int, help="number of tasks about the other functions  [default: all]")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()

    world = World.open(args.world)
    draw = random.Random(args.seed)
    about = {task.id: next((f for f in task.functions if f != "array"), "array") for task in world.tasks("train")}
    functions = sorted(set(about.values()))
    known = set(draw.sample(functions, len(functions) // 2))
    tasks = [task for task in world.tasks("train") if about[task.id] in known]
    others = [task for task in world.tasks("train") if about[task.id] not in known]
    if args.others is not None:
        others = draw.sample(others, min(args.others, len(others)))
    for name, chosen in (("known.jsonl", tasks), ("other.jsonl", others)):
        lines = [dataset.to_json(task, world.manifest.matched_names) for task in chosen]
        files.write_lines(args.out / name, lines)
    print(f"{len(tasks)} tasks about {len(known)} functions, {len(others)} about {len(functions) - len(known)} others")


if __name__ == "__main__":
    main()
