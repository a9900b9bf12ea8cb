"""A training run and its folder: starting, resuming, logging and finishing, for every method.

The output is an ordinary Hugging Face model folder with `learn.json` (every setting, the world, versions, counts),
`log.jsonl` (one line per step) and `probes.jsonl`. The same command resumes a killed run from its last checkpoint. A
command with other settings or another world is refused, and the error names the difference. A run that fails before its
first step leaves no folder.
"""

from __future__ import annotations

import json
import os
import platform
import signal
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from importlib import metadata
from multiprocessing import get_context
from pathlib import Path
from typing import IO, Any, Generic, TypeVar

from sebench.base import child, files, kernel_memory, ledger, resume
from sebench.base.errors import ConfigError
from sebench.models import checkpoints
from sebench.train.config import TrainConfig
from sebench.train.data import guard, tokens
from sebench.train.data.tokens import TokenRow, TrainingRow
from sebench.train.loop import plan
from sebench.train.loop.loop import STATE, Trainer
from sebench.train.loop.trackers import Log
from sebench.train.probes.probes import FILE as PROBES
from sebench.train.probes.probes import log_probes, probe
from sebench.version import __version__
from sebench.world.world import World, folder_of

MANIFEST, LOG = "learn.json", "log.jsonl"
Progress = Callable[[str, int, int], None]
C_co = TypeVar("C_co", bound=TrainConfig, covariant=True)  # the settings of a method


@dataclass
class TrainingRun(Generic[C_co]):
    """One training run: a model, a method and an output folder."""

    world: World
    method: str
    config: C_co
    out: Path
    progress: Progress
    warn: Callable[[str], None] = lambda text: None  # prints a line for the user
    manifest: dict[str, Any] = field(default_factory=dict)
    torch: Any = None
    model: Any = None
    tokenizer: Any = None
    track: Log = lambda step, figures: None  # logs to the trackers
    total: int = 0  # steps
    _lock: IO[bytes] | None = None
    _guard_pool: ProcessPoolExecutor | None = None
    _kills: int = 0  # number of out-of-memory kills before the guard started
    _guard_result: Future[Any] | None = None

    @property
    def ended(self) -> bool:
        return bool(self.manifest.get("ended"))

    @property
    def is_main(self) -> bool:
        """Whether this process writes the folder. If a launcher started several processes, only the first one does."""
        return os.environ.get("RANK", "0") == "0"

    @property
    def single_process(self) -> bool:
        """Whether one process holds the whole model. If the model is sharded, the first process cannot use it on its
        own."""
        return os.environ.get("WORLD_SIZE", "1") == "1"

    def begin(self) -> None:
        """Lock the folder, and write its manifest or resume from it."""
        manifest = _identity(self.world, self.method, self.config)
        file = self.out / MANIFEST
        if file.is_file():
            self._lock = files.lock(self.out) if self.is_main else None
            self.manifest = resume.read(file)
            if _is_resumed(self.out, self.manifest, manifest):
                return
            # It stopped before its first step (out of memory, wrong model), so nothing is lost.
            (self.out / PROBES).unlink(missing_ok=True)
        elif self.is_main:
            resume.refuse_foreign(self.out, MANIFEST, "training")
            self._lock = files.lock(self.out)
        self.manifest = {**manifest, "start": self._starting_model(), "versions": package_versions()}
        self._write()

    def close(self) -> None:
        """End the guard and unlock the folder, which is removed if the run stopped before its first step (wrong model,
        out of memory)."""
        if self._guard_pool is not None:  # otherwise the interpreter would wait for it at exit
            for process in (self._guard_pool._processes or {}).values():
                process.kill()
        if self._lock is not None:
            if not self.ended:
                files.remove_if_only(self.out, MANIFEST, PROBES)
            self._lock.close()

    def load(self) -> None:
        """Load the model to train."""
        self.progress("loading the model", 0, max(self.total, 1))
        self.torch, self.tokenizer, self.model = checkpoints.load(self.config.model, self.config.device)
        if self.config.lora:
            self.model = checkpoints.with_adapters(self.model, self.config.lora, self.config.seed)
        self.torch.manual_seed(self.config.seed)

    def start_guard(self, rows: Sequence[TrainingRow]) -> None:
        """Search the training data for test tasks, in a child process. If one is found, the run stops before its model
        is written."""
        self._kills = kernel_memory.kernel_kills()
        self._guard_pool = ProcessPoolExecutor(1, get_context("spawn"), _begin_guard)
        self._guard_result = self._guard_pool.submit(guard.refuse, rows, self.world)

    def record_rows(self, sequences: Sequence[TokenRow]) -> None:
        """Record the rows in the manifest. Raise an error if a resumed run has different rows, which happens if the
        files they come from have changed."""
        digest, before = tokens.digest(sequences), self.manifest.get("digest", "")
        if before not in ("", digest) and self._log_lines():
            raise ConfigError(
                f"{self.out} was started with different rows: the contents of --examples, --study-file, --replay or "
                "--prompts have changed; choose another --out"
            )
        self.record(**tokens.token_counts(sequences), digest=digest)

    def trainer(self) -> Trainer:
        """Return the trainer for the single-device loop, resumed at the step where the run stopped. On a CPU, free
        memory limits the size of its packs."""

        def report_smaller_packs(tokens: int, reason: str) -> None:
            self.record(pack_tokens=tokens)
            self.warn(reason)

        trainer = Trainer(self.torch, self.model, self.config, report_smaller_packs)
        trainer.warn = self.warn
        trainer.check_disk(self.out)
        trainer.resume(self.out)
        plan.limit_packs(trainer, self.config)
        self.record(pack_tokens=trainer.pack_tokens)
        self.truncate_log(trainer.done)
        if self.config.probe_every > 0 and not trainer.done:
            self.probe(0)
        self.progress("training", trainer.done, max(self.total, 1))
        return trainer

    def log(self, step: int, figures: dict[str, Any]) -> None:
        """Write a line to the log, show progress, and probe the model if a probe is due."""
        with (self.out / LOG).open("a", encoding="utf-8") as log:
            log.write(json.dumps({"step": step, **figures}) + "\n")
        if self._guard_result is not None and self._guard_result.done():
            self.wait_for_guard()
        headline = "reward" if "reward" in figures else "loss"
        self.progress(f"{headline} {figures[headline]:.3f}", step + 1, self.total)
        self.track(step, figures)
        if self.config.probe_every > 0 and (step + 1) % self.config.probe_every == 0:
            self.probe(step + 1)

    def probe(self, step: int) -> None:
        """Probe what the model knows after this many steps, and add a line to `probes.jsonl`.

        The probe is skipped for the control in NumPy's names, which probes do not ask about, and for a sharded model,
        which one process cannot use; run `sebench probe` on the trained model instead.
        """
        if self.method == "native-sft" or not self.single_process:
            return
        tokens = sum(line.get("tokens", 0) for line in self._log_lines())
        figures = log_probes(self._probe_figures, self.out, step, tokens)
        self.track(step, {f"probe_{name}": value for name, value in figures.items() if name not in ("step", "tokens")})

    def _probe_figures(self) -> dict[str, float]:
        """Return figures on what the model knows about its world and about those in `--probe-worlds`, whose figures
        have the name of the world as a prefix."""
        others = {f"{Path(one).name}: ": World.load(folder_of(one)) for one in self.config.probe_worlds}
        settings, figures = self.config.probe_settings(), dict[str, float]()
        for prefix, world in {"": self.world, **others}.items():
            probes = probe(self.torch, self.model, self.tokenizer, world, settings=settings)
            figures |= {f"{prefix}{name}": value for name, value in probes.figures().items()}
        return figures

    def record(self, **figures: Any) -> None:
        """Add figures about the whole run to the manifest."""
        self.manifest |= figures
        self._write()

    def truncate_log(self, count: int) -> None:
        """Keep only the first `count` lines of the log, since the steps after the checkpoint are repeated."""
        file = self.out / LOG
        if self.is_main and file.is_file():
            files.write(file, "".join(file.read_text("utf-8").splitlines(keepends=True)[:count]))

    def finish(self, saved: bool = False) -> None:
        """Write the model, unless the engine has already saved it, and mark the run as finished."""
        lines = self._log_lines()
        what = "probing and saving the model" if self.config.probe_every >= 0 else "saving the model"
        self.progress(what, len(lines), max(self.total, 1))
        self.wait_for_guard()
        if not self.is_main:
            return
        if self.config.probe_every >= 0:
            self.probe(len(lines))
        if not saved:
            checkpoints.save(self.model, self.tokenizer, self.out)
        device, threads = next(self.model.parameters()).device, self.torch.get_num_threads()
        seconds = sum(line.get("s", 0.0) for line in lines)
        tokens = sum(line.get("tokens", 0) for line in lines)
        self.record(
            ended=True,
            steps=len(lines),
            seconds=round(seconds, 1),
            tokens_per_second=round(tokens / seconds) if seconds else 0,
            device=str(self.torch.cuda.get_device_name(device)) if device.type == "cuda" else f"CPU, {threads} threads",
        )
        if lines and not any(self._has_gradient(line) for line in lines):
            self.warn(
                "no step changed the weights, because all answers of each group had the same reward; start from a "
                "model that solves some tasks, such as one trained with closed-sft, or raise --samples"
            )
        for name in (STATE, f"{STATE}.new"):  # the second is left over from an interruption
            (self.out / name).unlink(missing_ok=True)

    def wait_for_guard(self) -> None:
        """Wait for the guard, and raise its error if it found a test task."""
        if self._guard_result is not None and self._guard_pool is not None:
            future, self._guard_result = self._guard_result, None
            self._guard_pool.shutdown()
            try:
                future.result()
            except BrokenProcessPool:
                raise ConfigError(
                    f"the guard, which searches the training data for test tasks, {child.how_killed(self._kills)}; "
                    "no model is written without it: run the same command again"
                ) from None

    def _log_lines(self) -> list[dict[str, Any]]:
        """Return the log so far, up to its last complete line."""
        return [line for _, line in ledger.lines(self.out / LOG)]

    def _has_gradient(self, line: dict[str, Any]) -> bool:
        """Whether a step changed the weights, according to its line in the log. In RL, a step does not if all answers
        of each group have the same reward."""
        raw = getattr(self.config, "advantage", "") == "raw"
        return "mixed" not in line or bool(line["mixed"] or (raw and line["reward"]))

    def _starting_model(self) -> dict[str, Any]:
        """Return how the starting model was trained, if sebench trained it."""
        file = Path(self.config.model) / MANIFEST
        if not file.is_file():
            return {}
        before = resume.read(file)
        if not before.get("ended"):
            raise ConfigError(f"--model {self.config.model} is an unfinished training run; finish it first")
        start = {"method": before["method"], "config": before["config"], "start": before.get("start", {})}
        if (there := before.get("world", {})) != world_record(self.world):
            self.warn(
                f"--model {self.config.model} was trained on a different world ({there.get('package')}, fingerprint "
                f"{there.get('fingerprint', '')[:12]}); training continues from that model"
            )
            start["world"] = there
        return start

    def _write(self) -> None:
        if self.is_main:
            files.write(self.out / MANIFEST, json.dumps(self.manifest, indent=1) + "\n")


def check_folder(out: Path, world: World, method: str, config: TrainConfig) -> None:
    """Raise an error if a folder holds something else than a training run with these settings."""
    resume.refuse_foreign(out, MANIFEST, "training")
    if (out / MANIFEST).is_file():
        _is_resumed(out, resume.read(out / MANIFEST), _identity(world, method, config))


def _is_resumed(out: Path, there: Mapping[str, Any], now: Mapping[str, Any]) -> bool:
    """Whether a training run continues the one in the folder; raise an error if that one has other settings and took
    some steps."""
    before = {key: there.get(key) for key in now}
    if there.get("ended") or any((out / name).exists() for name in (LOG, STATE)):
        resume.refuse_changes(out, before, now)
        return True
    return not any(resume.changes(before, now))


def _identity(world: World, method: str, config: TrainConfig) -> dict[str, Any]:
    """Return the part of the manifest that must stay the same."""
    return {"method": method, "world": world_record(world), "config": config.compared()}


def _begin_guard() -> None:
    """Prepare the guard's process: Ctrl-C reaches it too, but its parent ends it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    child.end_with_parent()


def world_record(world: World) -> dict[str, Any]:
    """Return the record of a world for manifests."""
    return {"fingerprint": world.manifest.fingerprint, "seed": world.manifest.seed, "package": world.names.package}


def package_versions() -> dict[str, str]:
    versions = {"sebench": __version__, "python": platform.python_version()}
    for name in ("torch", "transformers", "trl", "peft", "numpy"):
        try:
            versions[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return versions
