"""Learning at test time: before every answer, a few LoRA steps on the training questions nearest to the task, then the
weights are reset (after TT-SI, arXiv:2510.07841, with gold answers in place of questions that a model writes).

    python experiments/test_time.py --model MODEL --world worlds/a --rows nearest --out nearest.jsonl
    sebench judge worlds/a nearest.jsonl --model "nearest rows" --out runs/nearest

`--rows random` learns from as many other training questions instead, which shows what the form of an answer is worth,
and `--rows none` takes no step. The prompt is that of the closed book, without the training questions: `sebench memory
trajectories` shows them to a model without learning. The same command continues an interrupted run.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sebench.base import files
from sebench.base.ledger import append, lines, open_to_append
from sebench.models import checkpoints
from sebench.models.decoding import end_tokens
from sebench.models.model import Chat
from sebench.train.config import ClosedSftConfig
from sebench.train.data import examples, tokens
from sebench.train.data.tokens import TokenRow, TrainingRow
from sebench.train.loop.loop import Trainer
from sebench.world.open_book import BM25Index
from sebench.world.prompts import CLOSED
from sebench.world.world import World

NEAREST, RANDOM, NONE = ROWS = ("nearest", "random", "none")


def training_rows(world: World, tokenizer: Any, form: str, limit: int) -> dict[str, TokenRow]:
    """Return the gold answers to all training tasks as rows for the closed book, by task."""
    gold = examples.from_gold(world, world.tasks("train"), form)
    return {row.id: row for row in tokens.tokenise(tokens.text_rows(world.prompter(), gold, CLOSED), tokenizer, limit)}


def answer(torch: Any, model: Any, tokenizer: Any, prompt: Sequence[int], max_tokens: int) -> tuple[str, int]:
    """Return the model's greedy answer to a prompt, and its number of tokens."""
    model.eval()
    ids = torch.tensor([prompt], device=model.device)
    with torch.no_grad(), torch.autocast(model.device.type, torch.bfloat16, enabled=model.device.type == "cuda"):
        output = model.generate(
            input_ids=ids,
            attention_mask=torch.ones_like(ids),
            max_new_tokens=max_tokens,
            do_sample=False,
            eos_token_id=sorted(end_tokens(model, tokenizer)),
            pad_token_id=tokenizer.eos_token_id,
        )
    new = output[0, len(prompt) :].tolist()
    return tokens.response(tokenizer, prompt, new), len(new)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", required=True, help="a folder or a GGUF file, as for 'sebench learn'")
    parser.add_argument("--world", required=True)
    parser.add_argument("--out", required=True, type=Path, help="JSONL file of answers, for 'sebench judge'")
    parser.add_argument("--rows", choices=ROWS, default=NEAREST)
    parser.add_argument("--form", choices=examples.FORMS, default=examples.SUBJECT, help="of the learnt answers")
    parser.add_argument("--count", type=int, default=4, help="training questions per task")
    parser.add_argument("--steps", type=int, default=4, help="LoRA steps on them; 1 is the setting of the paper")
    parser.add_argument("--rank", type=int, default=16)
    parser.add_argument("--lr", type=float, default=5e-4)
    parser.add_argument("--split", default="single_test")
    parser.add_argument("--limit", type=int, default=60, help="tasks, drawn at random")
    parser.add_argument("--max-tokens", type=int, default=320)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--device", default="")
    args = parser.parse_args()

    files.make_folder(args.out.parent)
    world = World.open(args.world)
    torch, tokenizer, model = checkpoints.load(args.model, args.device)
    rows = training_rows(world, tokenizer, args.form, checkpoints.context(model))
    index = BM25Index({task.id: task.question for task in world.tasks("train")})
    model = checkpoints.with_adapters(model, args.rank, args.seed)
    adapters = {name: weight for name, weight in model.named_parameters() if weight.requires_grad}
    start = {name: weight.detach().clone() for name, weight in adapters.items()}
    settings = ClosedSftConfig(lr=args.lr, lora=args.rank)

    tasks = sorted(world.tasks(args.split), key=lambda task: task.id)
    tasks = random.Random(args.seed).sample(tasks, min(args.limit, len(tasks)))
    done = {line["task_id"] for _, line in lines(args.out)}
    with open_to_append(args.out) as stream:
        for number, task in enumerate(tasks, 1):
            if task.id in done:
                continue
            near = index.best(task.question, args.count)
            if args.rows == RANDOM:
                others = sorted(rows.keys() - set(near))
                near = random.Random(f"{args.seed}:{task.id}").sample(others, args.count)
            chosen = [rows[name] for name in near if name in rows]
            for name, weight in adapters.items():
                weight.data.copy_(start[name])
            trainer = Trainer(torch, model, settings)
            for _ in range(0 if args.rows == NONE else args.steps):
                trainer.update(chosen, sum(row.learnt for row in chosen), args.lr)
            prompt = tokens.prompt_ids(
                TrainingRow(task.id, world.prompter().prompt(task, CLOSED), ""), tokenizer, Chat()
            )
            text, count = answer(torch, model, tokenizer, prompt, args.max_tokens)
            line = {"task_id": task.id, "book": CLOSED, "response": text, "completion_tokens": count, "learnt": near}
            append(stream, args.out, line)
            print(f"{number} of {len(tasks)}", flush=True)


if __name__ == "__main__":
    main()
