"""How many bits of names fit into how many trained weights? Teaches SmolLM2 the function names of several worlds with
small LoRA adapters, and counts the bits that it knows afterwards.

    python experiments/capacity.py --world WORLD --out runs/capacity      one to five minutes a cell on a shared GPU
    python experiments/capacity.py --out runs/capacity --show             what is there, as a table

One row for each function of each world, of which only the name is learned, here `lucixu`:

    In `tubid`, Return the smallest element along an axis: `tubid.lucixu`

Every name is drawn anew from a known distribution (`sebench.forge.names.surprisal`), so the rows of n worlds hold
n x 6,950 bits that no pretraining can know. A name counts max(0, surprisal + log2 of its probability), as in 'sebench
probe --ask bits', but after the very text that was learned: this measures what is stored, not what can be used.

A cell is one training run: a number of worlds and a size of adapters. It becomes a line of OUT/cells.jsonl, with its
bits after 1, 3, 10, ... exposures; finished cells are not repeated. WORLD is any whole world: its pages describe the
functions.
"""

from __future__ import annotations

import argparse
import json
import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path

from sebench.forge.docs.pages import first_clause
from sebench.forge.names.surprisal import surprisal
from sebench.models import checkpoints
from sebench.train.config import ClosedSftConfig
from sebench.train.data.tokens import TokenRow
from sebench.train.loop.loop import Trainer
from sebench.world import build
from sebench.world.world import World

FIRST_SEED = 7001
MATRICES = ["up_proj", "down_proj"]  # of SmolLM2; each has 2,112 trained weights per rank
ADAPTERS = {  # layers and rank
    "1 layer, rank 1": (1, 1),
    "3 layers, rank 2": (3, 2),
    "6 layers, rank 3": (6, 3),
    "9 layers, rank 4": (9, 4),
}
BATCHES = 10  # in one pass over the rows, whatever their number
WARMUP = 20  # steps
CURVE = (1, 3, 10, 20, 30, 50, 70, 100, 150, 200, 300)  # exposures after which the bits are counted


@dataclass(frozen=True)
class Cell:
    """One training run."""

    worlds: int
    adapters: str
    weights: int  # trained
    names: int
    most: float  # bits of all names
    exposures: int
    lr: float
    batch: int
    steps: int
    curve: tuple[dict[str, float], ...]  # exposures, bits, and names with a probability above one half

    @property
    def bits(self) -> float:
        return self.curve[-1]["bits"]


def texts(worlds: int, pages: World) -> Iterator[tuple[str, str]]:
    """Yield the given text and the name of every row."""
    originals = {path: original for original, path in pages.names.functions.items()}
    summaries = {originals[page.path]: first_clause(page.summary) for page in pages.pages}
    for seed in range(FIRST_SEED, FIRST_SEED + worlds):
        names = build.plan(seed).names
        for original, path in names.functions.items():
            module, dot, name = path.rpartition(".")
            yield f"In `{names.package}`, {summaries[original]}: `{names.package}.{module}{dot}", name


def count_bits(trainer: Trainer, rows: Sequence[TokenRow], surprisals: Sequence[float]) -> tuple[float, int]:
    """Return the bits learned, and how many names have a probability above one half."""
    scores = iter(trainer.log_probabilities(rows).double().tolist())
    log2p = [sum(next(scores) for _ in range(row.learnt)) / math.log(2) for row in rows]
    bits = sum(max(0.0, most + score) for most, score in zip(surprisals, log2p, strict=True))
    return bits, sum(score > -1 for score in log2p)


def train(pages: World, worlds: int, adapters: str, arguments: argparse.Namespace) -> Cell:
    torch, tokenizer, model = checkpoints.load(arguments.model, arguments.device)
    layers, rank = ADAPTERS[adapters]
    places = [round((place + 1) * model.config.num_hidden_layers / (layers + 1)) for place in range(layers)]
    torch.manual_seed(0)
    peft = import_module("peft")
    lora = peft.LoraConfig(r=rank, lora_alpha=2 * rank, target_modules=MATRICES, layers_to_transform=places)
    config = ClosedSftConfig(lr=arguments.lr, pack_tokens=16_384, device=arguments.device)
    trainer = Trainer(torch, peft.get_peft_model(model, lora), config)

    rows, surprisals = list[TokenRow](), list[float]()
    for given, name in texts(worlds, pages):
        before, learned = (tokenizer(text, add_special_tokens=False)["input_ids"] for text in (given, f"{name}`"))
        rows.append(TokenRow(name, (*before, *learned), len(before)))
        surprisals.append(surprisal(name))
    size = math.ceil(len(rows) / BATCHES)
    total, curve = math.ceil(len(rows) / size) * arguments.exposures, list[dict[str, float]]()
    for exposure in range(1, arguments.exposures + 1):
        order = random.Random(exposure).sample(rows, len(rows))
        for start in range(0, len(order), size):
            batch, step = order[start : start + size], trainer.done
            rate = config.lr * min(1.0, (step + 1) / WARMUP) * 0.5 * (1 + math.cos(math.pi * step / total))
            trainer.update(batch, sum(row.learnt for row in batch), rate)
            trainer.done += 1
        if exposure in CURVE or exposure == arguments.exposures:
            bits, known = count_bits(trainer, rows, surprisals)
            curve.append({"exposures": exposure, "bits": round(bits, 1), "known": known})
            most = f"{bits:,.0f} of {sum(surprisals):,.0f} bits"
            print(f"{adapters}, {worlds} worlds, {exposure} exposures: {most}", flush=True)
    weights, all_bits = sum(p.numel() for p in trainer.trainable), round(sum(surprisals), 1)
    settings = {"exposures": arguments.exposures, "lr": arguments.lr, "batch": size, "steps": total}
    return Cell(worlds, adapters, weights, len(rows), all_bits, curve=tuple(curve), **settings)


def show(cells: Sequence[Cell]) -> None:
    """Print the bits of every cell."""
    for cell in sorted(cells, key=lambda cell: (cell.weights, cell.worlds, cell.lr)):
        size = f"{cell.adapters:16} {cell.weights:>8,} weights  {cell.worlds:>2} worlds  lr {cell.lr:g}"
        print(f"{size}  {cell.bits:>8,.0f} of {cell.most:>8,.0f} bits  {cell.bits / cell.weights:.2f} per weight")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--world", type=Path, help="folder of a whole world")
    parser.add_argument("--model", default="smollm2")
    parser.add_argument("--device", default="")
    parser.add_argument("--worlds", default="1,4,16,32", help="how many worlds to learn at once, separated by commas")
    parser.add_argument(
        "--adapters", default="0,1,2,3", help=f"adapters by number, counted from 0: {'; '.join(ADAPTERS)}"
    )
    parser.add_argument("--exposures", type=int, default=100)
    parser.add_argument("--lr", type=float, default=8e-3)
    parser.add_argument("--show", action="store_true", help="only show the results so far")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    file = arguments.out / "cells.jsonl"
    cells = [Cell(**json.loads(line)) for line in file.read_text().splitlines()] if file.exists() else []
    done = {(cell.worlds, cell.adapters, cell.exposures, cell.lr) for cell in cells}
    for worlds in map(int, () if arguments.show else arguments.worlds.split(",")):
        for adapters in (list(ADAPTERS)[int(place)] for place in arguments.adapters.split(",")):
            if (worlds, adapters, arguments.exposures, arguments.lr) not in done:
                cells.append(train(World.load(arguments.world), worlds, adapters, arguments))
                with file.open("a") as stream:
                    stream.write(json.dumps(asdict(cells[-1])) + "\n")
    show(cells)


if __name__ == "__main__":
    main()
