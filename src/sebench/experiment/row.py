"""One row of an experiment (one method in one world), trained and evaluated in its own process: its memory is freed at
the end, and a crash does not affect other rows.

    python -m sebench.experiment.row < job.json
    accelerate launch ... -m sebench.experiment.row job.json      # the training of a row, one process for each GPU

`runner.py` starts it, with a `RowJob` on stdin. It writes JSON lines to stdout: its progress, and errors that the user
can fix. Everything else that is printed goes to stderr, which the experiment keeps in a file. It ends with the process
that started it (`base/child.py`), so that the same command can start again after a kill.

A row with GPUs of its own trains in further processes, and is evaluated by a vLLM server if the experiment has one
(`models/vllm.py`): training and server use the same GPUs one after the other. Only RL uses both at once, each on its
share.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import IO, Any, TypedDict

from sebench.base import child, files, kernel_memory
from sebench.base.errors import ConfigError, OutOfMemory, ProviderError, SebenchError
from sebench.base.wording import counted
from sebench.experiment.resources import visible_gpus
from sebench.memory.methods import make as memories
from sebench.memory.methods.config import StudyConfig
from sebench.models import checkpoints, vllm
from sebench.models.transformers import TOO_LITTLE
from sebench.models.vllm import ServeSettings
from sebench.rollout import pipeline, store
from sebench.rollout.config import RunConfig
from sebench.selfplay.config import SelfplayConfig
from sebench.selfplay.steps import selfplay
from sebench.tasks import splits
from sebench.train import methods, sft
from sebench.train.config import CONFIGS, SftConfig, TrainConfig
from sebench.train.data import examples
from sebench.train.loop import free_memory
from sebench.train.loop.training_run import MANIFEST, Progress
from sebench.train.probes.probes import Probes, log_probes, probe
from sebench.world.world import World

MODEL, RUN, SEEN, MEMORY, PLAY = "model", "run", "seen", "memory", "play"  # folders of a row
TRAINING, SERVER_LOG, MIXED = "training.json", "server.log", "mixed.jsonl"
LAUNCHER, THIS = "accelerate.commands.launch", "sebench.experiment.row"
EVERY_S = 0.2  # between two progress lines
# Share of responses that may fail, such as prompts longer than the context; reports do not count them.
FEW = 0.01


class TrainingFailed(SebenchError):
    """The training processes ended with an error."""


class WorldToTest(TypedDict, total=False):
    """A world of a stream that a row is tested on."""

    world: str
    memory: str  # the folder of the memory that was written for it


@dataclass(frozen=True)
class RowJob:
    """The work of one process."""

    folder: str  # of the row; without a world, where to unpack the model
    world: str = ""
    method: str = ""
    learn: dict[str, Any] | None = None  # training settings; None if training is finished, or there is none
    untrained: dict[str, Any] | None = None  # settings of a row without training: its model is only probed
    probed: dict[str, Any] | None = None  # in a stream: settings of the probes in `test_worlds`
    play: dict[str, Any] | None = None  # settings of a self-play run
    study: dict[str, Any] | None = None  # settings of a memory method
    memory: str = ""  # the folder of the memory in its prompts, if another row wrote it
    evaluate: dict[str, Any] | None = None  # settings of a run, with the model; None if nothing is evaluated
    test_worlds: dict[str, WorldToTest] = field(default_factory=dict)  # in a stream; otherwise its own world
    replay_worlds: dict[str, str] = field(default_factory=dict)  # in a stream: worlds whose training rows are mixed in
    replay_share: float = 0.0  # share of these rows; 0 means all of them
    seen: int = 0
    per_function: int = 0  # training tasks per function that every row was trained on; 0 means all
    serve: dict[str, Any] | None = None  # settings of the servers that answer; None if models are loaded here
    gpus: int = 0  # reserved for it; 0 if it shares one
    devices: tuple[str, ...] = ()  # those GPUs, if the command chooses them
    processes: int = 1  # number of training processes
    sampling_gpus: int = 0  # on how many of its GPUs a server samples while the others train
    accelerate: str = ""  # the accelerate file, for several processes

    def text(self) -> str:
        return json.dumps(asdict(self))


def main(file: str = "") -> None:
    """Run the job on stdin, or the one in `file` if a launcher started this process."""
    if file:
        child.end_with_launcher()
    job = RowJob(**json.loads(Path(file).read_text("utf-8") if file else sys.stdin.read()))
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as channel:
        os.dup2(2, 1)  # what libraries print goes to stderr
        try:
            work(job, _progress_writer(channel))
        except SebenchError as error:
            _write_line(channel, {"error": str(error), "memory": isinstance(error, OutOfMemory)})
            print(error, file=sys.stderr)  # for the log
            sys.exit(1)
        except Exception as error:
            text = " ".join(str(error).split())[:160]
            if free_memory.is_out_of_memory(error):
                _write_line(channel, {"error": f"out of memory: {text}", "memory": True})
            elif file:  # the launcher's own last line is not informative
                _write_line(channel, {"error": f"{type(error).__name__}: {text}"})
            raise


def work(job: RowJob, progress: Progress) -> None:
    """Run a job."""
    folder = Path(job.folder)
    if not job.world:
        progress("unpacking the model", 0, 1)
        checkpoints.unpack_embedded(folder)
        return
    world = World.load(Path(job.world))
    if job.learn is not None:
        progress("training", 0, 1)
        _train(_with_mixed_rows(job, world) if job.replay_worlds else job, world, progress)
    if job.untrained is not None:
        _probe(world, TrainConfig(**_tuples(job.untrained)), folder / MODEL, progress)
    if job.play is None and job.evaluate is None:
        return
    model = str((job.play or job.evaluate or {})["model"])
    with _served(job, model) as base_url:
        if job.play is not None:
            selfplay(world, SelfplayConfig(**_tuples({**job.play, "base_url": base_url})), folder / PLAY, progress)
            _link_model(folder)
        if job.study is not None:
            study = StudyConfig(**_tuples({**job.study, "base_url": base_url}))
            memories.study(world, job.method, study, folder / MEMORY, progress)
        if job.evaluate is not None:
            _evaluate(job, world, base_url, progress)


def _link_model(folder: Path) -> None:
    """Make the model of the last round of self-play the row's model. Rounds without examples train none."""
    if trained := sorted(folder.glob(f"{PLAY}/round-*/{MODEL}/{MANIFEST}"), key=lambda file: int(file.parts[-3][6:])):
        (folder / MODEL).unlink(missing_ok=True)
        (folder / MODEL).symlink_to(trained[-1].parent.relative_to(folder))


def _evaluate(job: RowJob, world: World, base_url: Sequence[str], progress: Progress) -> None:
    progress("evaluation", 0, 1)
    if job.test_worlds:
        _test_on_each(job, base_url, progress)
        return
    memory = str(Path(job.folder) / MEMORY) if job.study is not None else job.memory
    trained = {"model": str(Path(job.folder) / MODEL)} if job.play and (Path(job.folder) / MODEL).is_dir() else {}
    config = RunConfig(**_tuples({**(job.evaluate or {}), "base_url": base_url, "memory": memory, **trained}))
    _run(config, world, Path(job.folder) / RUN, progress)
    if job.seen:
        _run(_seen_config(job, config, world), world, Path(job.folder) / SEEN, progress)


@contextmanager
def _served(job: RowJob, model: str) -> Iterator[tuple[str, ...]]:
    """Yield the endpoints that serve a model; none if it is loaded into this process."""
    settings = _serve_settings(job)
    if settings is None:
        yield ()
    elif settings.base_url and not (Path(model) / MANIFEST).is_file():
        yield settings.base_url
    else:
        with vllm.serve(model, settings, job.gpus, Path(job.folder) / SERVER_LOG) as server:
            yield (server.base_url,)


def _serve_settings(job: RowJob) -> ServeSettings | None:
    return None if job.serve is None else ServeSettings(**_tuples(job.serve))


# ---- streams


def _with_mixed_rows(job: RowJob, world: World) -> RowJob:
    """Write the training rows of the other worlds to a file; return the job with all or a share of them mixed in."""
    config = CONFIGS[job.method](**_tuples(job.learn or {}))
    assert isinstance(config, SftConfig)
    others = [
        row
        for path in job.replay_worlds.values()
        for row in sft.training_rows(World.load(Path(path)), job.method, config)
    ]
    if any(row.prompt is None for row in others):
        raise ConfigError("plain-text rows cannot be mixed with the rows of another world; remove study = 'pages'")
    turns = [
        [{"role": "user", "content": row.prompt.text}, {"role": "assistant", "content": row.answer}]
        for row in others
        if row.prompt
    ]
    file = Path(job.folder) / MIXED
    files.write(file, "".join(json.dumps({"messages": messages}) + "\n" for messages in turns))
    share = job.replay_share or len(others) / (len(others) + len(sft.training_rows(world, job.method, config)))
    return replace(job, learn={**(job.learn or {}), "replay": str(file), "replay_share": share})


def _test_on_each(job: RowJob, base_url: Sequence[str], progress: Progress) -> None:
    """Evaluate and probe the model in every world that the row is tested on."""
    for name, to_test in job.test_worlds.items():
        world, settings = World.load(Path(to_test["world"])), {**(job.evaluate or {}), "base_url": base_url}
        config = RunConfig(**_tuples({**settings, "memory": to_test.get("memory", "")}))
        _run(config, world, Path(job.folder) / f"{RUN}-{name}", progress)
        file = Path(job.folder) / f"probes-{name}.json"
        if job.probed is not None and not file.is_file():
            progress(f"probing {name}", 0, 1)
            probes = _probe_model(TrainConfig(**_tuples(job.probed)), world)
            files.write(file, json.dumps(probes.to_json()) + "\n")


# ---- training


def _train(job: RowJob, world: World, progress: Progress) -> None:
    """Train in this process, or in separate ones if there are to be several or a server needs the GPU afterwards."""
    assert job.learn is not None
    settings = _serve_settings(job)
    if job.processes == 1 and settings is None:
        config = CONFIGS[job.method](**_tuples(job.learn))
        out, note = Path(job.folder) / MODEL, lambda text: print(text, file=sys.stderr)
        methods.train_and_free(world, job.method, config, out, progress, note)
        return
    mine = visible_gpus() if job.gpus else []
    training, sampling = mine[: len(mine) - job.sampling_gpus], mine[len(mine) - job.sampling_gpus :]
    with ExitStack() as stack:
        learn = job.learn
        if settings is not None and job.sampling_gpus:
            log = Path(job.folder) / SERVER_LOG
            server = vllm.serve(learn["model"], settings, job.sampling_gpus, log, for_trl=True, devices=sampling)
            learn = {**learn, "vllm": stack.enter_context(server).url}
        alone = RowJob(job.folder, job.world, job.method, learn)
        _launch(alone, job.processes, job.accelerate, training, progress)


def _launch(job: RowJob, processes: int, accelerate: str, gpus: Sequence[str], progress: Progress) -> None:
    """Train in separate processes, and pass on their progress and errors."""
    file = Path(job.folder) / TRAINING
    files.write(file, job.text())
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    environment |= {vllm.DEVICES: ",".join(gpus)} if gpus else {}
    words = [THIS, str(file)]
    if processes > 1:
        many = ["--num_processes", str(processes), "--main_process_port", str(_free_port())]
        # The training settings decide, not the accelerate file: its mixed precision would be slow on a CPU.
        many += ["--mixed_precision", "no"] if (job.learn or {}).get("precision") == "float32" else []
        words = [LAUNCHER, "--config_file", accelerate, *many, "-m", *words]
    error, memory, kills = "", False, kernel_memory.kernel_kills()
    with child.start(*words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, env=environment) as process:
        for line in process.stdout or ():
            message = _message(line)
            error, memory = error or message.get("error", ""), memory or message.get("memory", False)
            if "what" in message:
                progress(message["what"], message["done"], message["total"])
        status = process.wait()
    if status:
        memory = memory or kernel_memory.kernel_kills() > kills
        error = error or (child.LACK_OF_MEMORY if memory else f"exit status {status}; see the row's log")
        raise (OutOfMemory if memory else TrainingFailed)(f"training: {error}")


def _message(line: str) -> dict[str, Any]:
    """Parse a line from a training process. A line that is not one of our messages goes to the log."""
    try:
        message = json.loads(line)
        if isinstance(message, dict):
            return message
    except ValueError:
        pass
    print(line, end="", file=sys.stderr)
    return {}


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


# ---- asking


def _run(config: RunConfig, world: World, out: Path, progress: Progress) -> None:
    run = pipeline.run(config, world, out, progress=progress)
    rollouts = [row.rollout for row in run.rows()]
    failed = [rollout for rollout in rollouts if rollout.error]
    if len(failed) > FEW * len(rollouts):
        store.remove_if_empty(out)  # without any response, settings may still change
        message = f"{len(failed):,} of {counted(len(rollouts), 'response')} failed (last error: {failed[-1].error})"
        raise OutOfMemory(message) if TOO_LITTLE in failed[-1].error else ProviderError(message, again=False)


def _probe(world: World, config: TrainConfig, folder: Path, progress: Progress) -> None:
    """Probe the untrained model, for the first point of the learning curves."""
    if config.probe_every < 0:
        return
    progress("probing", 0, 1)
    files.make_folder(folder)

    log_probes(lambda: _probe_model(config, world).figures(), folder, 0, 0)


def _probe_model(config: TrainConfig, world: World) -> Probes:
    torch, tokenizer, model = checkpoints.load(config.model, config.device)
    return probe(torch, model.eval(), tokenizer, world, settings=config.probe_settings())


def _seen_config(job: RowJob, config: RunConfig, world: World) -> RunConfig:
    """Return the settings of the run that asks training questions again, the same questions for every row."""
    seen = replace(config, split=(splits.TRAIN,), book=("closed",), limit=job.seen)
    if not job.per_function:
        return seen
    # Rows that were trained on some of the tasks have seen only those.
    chosen = {task.id for task in examples.training_tasks(world, job.per_function)}
    lines = (world.path / "data" / f"{splits.TRAIN}.jsonl").read_text("utf-8").splitlines()
    file = Path(job.folder) / "seen.jsonl"
    files.write(file, "".join(f"{line}\n" for line in lines if json.loads(line)["id"] in chosen))
    return replace(seen, tasks=str(file))


def _tuples(values: dict[str, Any]) -> dict[str, Any]:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in values.items()}


def _progress_writer(channel: IO[str]) -> Progress:
    """Return a function that writes progress lines. If there are several processes, only the first one writes."""
    last = 0.0 if os.environ.get("RANK", "0") == "0" else float("inf")

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
    main(*sys.argv[1:])
