"""One row of an experiment, trained and evaluated in its own process: its memory is freed, and a crash does not affect
other rows.

    python -m sebench.experiment.row < job.json

`runner.py` starts it, with a `RowJob` on stdin. It writes JSON lines to stdout: its progress, and errors that the user
can fix. Everything else that is printed goes to stderr, which the experiment keeps in a file. It ends with the process
that started it (`base/child.py`), so that the same command can start again after a kill.
"""

from __future__ import annotations

import gc
import json
import os
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import IO, Any

from sebench.base import files
from sebench.base.errors import OutOfMemory, ProviderError, SebenchError
from sebench.models import checkpoints
from sebench.models.transformers import TOO_LITTLE, libraries
from sebench.rollout import pipeline
from sebench.rollout.config import RunConfig
from sebench.tasks import splits
from sebench.train import methods
from sebench.train.config import CONFIGS, TrainConfig
from sebench.train.data import examples
from sebench.train.loop import free_memory
from sebench.train.probes.probes import Probes, log_probes, probe
from sebench.world.world import World

MODEL, RUN, SEEN = "model", "run", "seen"  # folders of a row
EVERY_S = 0.2  # between two progress lines
# Share of responses that may fail, such as prompts longer than the context; reports do not count them.
FEW = 0.01
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class RowJob:
    """The work of one process."""

    folder: str  # of the row; without a world, where to unpack the model
    world: str = ""
    method: str = ""
    learn: dict[str, Any] | None = None  # settings of the training; None if it is finished, or there is none
    untrained: dict[str, Any] | None = None  # settings of a row without training: its model is only probed
    evaluate: dict[str, Any] | None = None  # settings of a run, model included
    seen: int = 0
    per_function: int = 0  # training tasks per function that every row has learnt from; 0: all

    def text(self) -> str:
        return json.dumps(asdict(self))


def main() -> None:
    """Run the job on stdin."""
    job = RowJob(**json.load(sys.stdin))
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as channel:
        os.dup2(2, 1)  # prints of libraries go to stderr
        try:
            work(job, _progress_writer(channel))
        except SebenchError as error:
            _write_line(channel, {"error": str(error), "memory": isinstance(error, OutOfMemory)})
            sys.exit(1)
        except Exception as error:
            if free_memory.is_out_of_memory(error):
                _write_line(channel, {"error": f"out of memory: {' '.join(str(error).split())[:160]}", "memory": True})
            raise


def work(job: RowJob, progress: Progress) -> None:
    """Run a job."""
    if not job.world:
        unpack(Path(job.folder), progress)
        return
    world = World.load(Path(job.world))
    if job.learn is not None:
        progress("training", 0, 1)
        train(world, job.method, CONFIGS[job.method](**_tuples(job.learn)), Path(job.folder) / MODEL, progress)
    if job.untrained is not None:
        _probe(world, TrainConfig(**_tuples(job.untrained)), Path(job.folder) / MODEL, progress)
    progress("evaluation", 0, 1)
    config = RunConfig(**_tuples(job.evaluate or {}))
    _run(config, world, Path(job.folder) / RUN, progress)
    if job.seen:
        _run(_seen_config(job, config, world), world, Path(job.folder) / SEEN, progress)


def _run(config: RunConfig, world: World, out: Path, progress: Progress) -> None:
    run = pipeline.run(config, world, out, progress=progress)
    rollouts = [row.rollout for row in run.rows()]
    failed = [rollout for rollout in rollouts if rollout.error]
    if len(failed) > FEW * len(rollouts):
        message = f"{len(failed)} responses failed, the last with: {failed[-1].error}"
        raise OutOfMemory(message) if TOO_LITTLE in failed[-1].error else ProviderError(message, again=False)


def train(world: World, method: str, config: TrainConfig, out: Path, progress: Progress) -> None:
    """Train as `sebench learn` does, and free the GPU's memory afterwards."""
    methods.train(world, method, config, out, progress, lambda text: print(text, file=sys.stderr))
    torch, _ = libraries()
    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()


def _probe(world: World, config: TrainConfig, folder: Path, progress: Progress) -> None:
    """Probe the untrained model: the first point of the curves."""
    if config.probe_every < 0:
        return
    progress("probing", 0, 1)
    files.make_folder(folder)

    def ask() -> Probes:
        torch, tokenizer, model = checkpoints.load(config.model, config.device)
        return probe(torch, model.eval(), tokenizer, world, settings=config.probe_settings())

    log_probes(ask, folder, 0, 0)


def _seen_config(job: RowJob, config: RunConfig, world: World) -> RunConfig:
    """The settings of the run that asks training questions again, the same ones for every row."""
    seen = replace(config, split=(splits.TRAIN,), book=("closed",), limit=job.seen)
    if not job.per_function:
        return seen
    # Rows that learnt from some of the tasks have seen only those.
    chosen = {task.id for task in examples.training_tasks(world, job.per_function)}
    lines = (world.path / "data" / f"{splits.TRAIN}.jsonl").read_text("utf-8").splitlines()
    file = Path(job.folder) / "seen.jsonl"
    files.write(file, "".join(f"{line}\n" for line in lines if json.loads(line)["id"] in chosen))
    return replace(seen, tasks=str(file))


def unpack(folder: Path, progress: Progress) -> None:
    """Write the embedded model as an ordinary folder: dequantised once instead of by every row (half a minute each)."""
    progress("unpacking the model", 0, 1)
    with files.new_folder(folder) as new_folder:
        _, tokenizer, model = checkpoints.load(checkpoints.EMBEDDED, "cpu")
        checkpoints.save(model, tokenizer, new_folder)


def _tuples(values: dict[str, Any]) -> dict[str, Any]:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in values.items()}


def _progress_writer(channel: IO[str]) -> Progress:
    last = 0.0

    def progress(what: str, done: int, total: int) -> None:
        nonlocal last
        if time.monotonic() - last >= EVERY_S:
            last = time.monotonic()
            _write_line(channel, {"what": what, "done": done, "total": total})

    return progress


def _write_line(channel: IO[str], message: dict[str, Any]) -> None:
    channel.write(json.dumps(message) + "\n")
    channel.flush()


if __name__ == "__main__":
    main()
