"""Training speed of the short loop beside TRL's SFTTrainer with its defaults, in the same run: tokens per second and
their ratio.

    python benchmarks/learn.py --model smollm2 [--world 7] [--rows 320] [--compile] [--device cuda]

Both train on the same rows of closed-sft, 40 rows a step, each with a fresh copy of the model. SFTTrainer is left as it
comes, but for what would change what is trained: no row is cut (`max_length=None`) and the batch is 40. Tokens are
those of the rows; padding does not count. The first steps of each (compilation, warm-up of kernels) are left out. On a
GPU the share of time in which a kernel runs is read from the profiler.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from copy import deepcopy
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from sebench.models import checkpoints
from sebench.train import sft
from sebench.train.config import ClosedSftConfig, SftConfig
from sebench.train.data import tokens
from sebench.train.loop import batches
from sebench.train.loop.loop import Trainer
from sebench.world.world import World

WARM = 3  # steps that are not counted


def loop(torch: Any, model: Any, steps: list[batches.TrainingStep], compiled: bool) -> tuple[float, float]:
    """Tokens per second, and the share of time that the GPU is busy (0 elsewhere)."""
    trainer = Trainer(torch, model, SftConfig(compile=compiled, pack_tokens=32_768))
    for step in steps[:WARM]:
        trainer.update(step.rows, step.learnt, 1e-4)
    _wait(torch)
    began = time.perf_counter()
    for step in steps[WARM:]:
        trainer.update(step.rows, step.learnt, 1e-4)
    _wait(torch)
    rate = sum(step.tokens for step in steps[WARM:]) / (time.perf_counter() - began)
    return rate, _busy(torch, lambda: trainer.update(steps[-1].rows, steps[-1].learnt, 1e-4))


def plain(torch: Any, model: Any, tokenizer: Any, rows: list[tokens.TokenRow], batch: int, folder: Path) -> float:
    """Tokens per second of SFTTrainer."""
    import datasets
    import trl
    from transformers import TrainerCallback

    labels = [[-100] * row.first + list(row.ids[row.first :]) for row in rows]
    data = datasets.Dataset.from_list(
        [{"input_ids": list(row.ids), "labels": label} for row, label in zip(rows, labels, strict=True)]
    )
    ends: list[float] = []

    class Clock(TrainerCallback):  # type: ignore[misc]
        def on_step_end(self, *given: Any, **named: Any) -> None:
            _wait(torch)
            ends.append(time.perf_counter())

    cpu = next(model.parameters()).device.type == "cpu"
    settings = trl.SFTConfig(
        output_dir=str(folder),
        max_length=None,
        per_device_train_batch_size=batch,
        num_train_epochs=1,
        report_to="none",
        save_strategy="no",
        use_cpu=cpu,
        disable_tqdm=True,
    )
    trainer = trl.SFTTrainer(
        model=model, args=settings, train_dataset=data, processing_class=tokenizer, callbacks=[Clock()]
    )
    trainer.train()
    counted = len(ends) - WARM
    mean = sum(len(row.ids) for row in rows) / len(rows)
    return counted * batch * mean / (ends[-1] - ends[WARM - 1])


def _wait(torch: Any) -> None:
    if torch.cuda.is_available():
        torch.cuda.synchronize()


def _busy(torch: Any, work: Any) -> float:
    if not torch.cuda.is_available():
        return 0.0
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as seen:
        began = time.perf_counter()
        work()
        _wait(torch)
        seconds = time.perf_counter() - began
    spans = sorted((e.time_range.start, e.time_range.end) for e in seen.events() if "CUDA" in str(e.device_type))
    busy, until = 0.0, 0.0
    for start, end in spans:
        busy += max(0.0, end - max(start, until))
        until = max(until, end)
    return busy / 1e6 / seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="smollm2")
    parser.add_argument("--world", default="7")
    parser.add_argument("--rows", type=int, default=320)
    parser.add_argument("--batch", type=int, default=40)
    parser.add_argument("--compile", action="store_true")
    parser.add_argument("--device", default="")
    given = parser.parse_args()
    torch, tokenizer, model = checkpoints.load(given.model, given.device)
    made = sft.training_rows(World.open(given.world), "closed-sft", ClosedSftConfig(form="recall"))[: given.rows]
    rows = tokens.tokenise(made, tokenizer, checkpoints.context(model))
    rows = rows[: len(rows) // given.batch * given.batch]
    steps = batches.steps(rows, 1, given.batch, 0)
    if len(steps) <= WARM:
        parser.error(
            f"--rows {given.rows}: at least {(WARM + 1) * given.batch} needed, {WARM * given.batch} of them to warm up"
        )
    ours, busy = loop(torch, deepcopy(model), steps, given.compile)
    with tempfile.TemporaryDirectory() as folder:
        theirs = plain(torch, deepcopy(model), tokenizer, rows, given.batch, Path(folder))
    table = Table("engine", "tokens/s", "GPU busy", title=f"{given.model}, {len(rows)} rows, torch {torch.__version__}")
    table.add_row("SFTTrainer, defaults", f"{theirs:,.0f}", "")
    table.add_row("short loop" + (", compiled" if given.compile else ""), f"{ours:,.0f}", f"{busy:.0%}" if busy else "")
    Console().print(table)
    print(f"ratio {ours / theirs:.2f}")


if __name__ == "__main__":
    main()
