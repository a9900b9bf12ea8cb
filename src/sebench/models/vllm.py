"""A vLLM server that a command starts, waits for and stops: `vllm serve` on the GPUs of this process.

    with serve("Qwen/Qwen3-8B", ServeSettings(), gpus=8, log=Path("server.log")) as server:
        RunConfig(model="Qwen/Qwen3-8B", base_url=(server.base_url,), ...)

The model is a hub name or a folder, such as a checkpoint; requests use the same name. The server uses the GPUs that
this process sees, with one replica for every `tensor_parallel` of them. It stops when this process ends, for whatever
reason: a small process between the two (`base/child.py`) notices this and kills all processes of the server.

Covered: a port that is in use (another one is tried), a server that dies before it answers or while it is used, and one
that does not answer in time. A server that dies interrupts the main thread, which would otherwise wait until every
request has failed.
Not covered: servers on other machines, and loading a model into a running server. Tested with a fake executable named
`vllm`; we have not run the real one.
"""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from _thread import interrupt_main
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import httpx

from sebench.base import child
from sebench.base.errors import ConfigError, OutOfMemory, ProviderError
from sebench.base.settings import check, option
from sebench.base.wording import counted

EXECUTABLE = "vllm"
PORTS = 3  # number of ports to try if another process takes the first
LOOK_S = 0.2  # seconds between two checks of a starting server
STOP_S = 30.0  # seconds after which a server that was asked to stop is killed
TAKEN = "address already in use"
# Phrases in the log of a server whose GPUs have too little memory.
TOO_LITTLE = ("out of memory", "outofmemory", "no available memory for the cache", "less than desired gpu memory")
# Arguments that TRL needs to send new weights to a server during training (docs/large.md).
FOR_TRL = shlex.split(
    """--weight-transfer-config '{"backend": "nccl"}' --logprobs-mode processed_logprobs --max-logprobs -1"""
)
TRL_ENVIRONMENT = {"VLLM_SERVER_DEV_MODE": "1"}
DEVICES = "CUDA_VISIBLE_DEVICES"


@dataclass(frozen=True)
class ServeSettings:
    """The [serve] table of an experiment."""

    base_url: tuple[str, ...] = option(
        (), "Endpoints that already serve the untrained model; no server is started for it."
    )
    tensor_parallel: int = option(1, "GPUs that share one copy of the model (tensor parallelism).", least=1)
    context: int = option(0, "Context length in tokens (prompt and answer); 0 uses the model's own.", least=0)
    dtype: str = option("bfloat16", "Precision of the weights; checkpoints are saved in float32.")
    memory: float = option(0.9, "Share of a GPU's memory that the server takes.", least=0.05, most=1)
    rl_gpus: int = option(
        0,
        "Number of an RL run's GPUs that generate samples while the others train; with 0, the training GPUs also "
        "generate the samples.",
        least=0,
    )
    start_s: float = option(1800.0, "Seconds to wait for a server to start answering.", least=1)
    arguments: str = option("", "Additional arguments for 'vllm serve'.")

    def __post_init__(self) -> None:
        check(self, "[serve]: ")
        self.words()

    def words(self) -> list[str]:
        try:
            return shlex.split(self.arguments)
        except ValueError as error:
            raise ConfigError(f"[serve]: arguments = {self.arguments!r}: {error}") from None


class VllmServer:
    """A running server."""

    def __init__(self, process: subprocess.Popen[bytes], port: int, log: Path, start: int) -> None:
        self.process, self.port, self.log, self.start = process, port, log, start
        self.url = f"http://127.0.0.1:{port}"
        self.stopping = False

    @property
    def base_url(self) -> str:
        return f"{self.url}/v1"

    def answers(self) -> bool:
        try:
            return httpx.get(f"{self.url}/health", timeout=5.0).status_code == 200
        except httpx.HTTPError:
            return False

    def output(self) -> str:
        """Return what the server has printed."""
        return self.log.read_bytes()[self.start :].decode("utf-8", "replace")

    def failure(self) -> Exception:
        """Return why the server ended unexpectedly."""
        output = self.output()
        lines = [line.strip() for line in output.splitlines() if line.strip()]
        named = [line for line in lines if "error" in line.lower()]
        reason = (named or lines or [f"exit status {self.process.wait()}"])[-1][:200]
        message = f"the vLLM server ended: {reason}; see its log, {self.log}"
        if any(words in output.lower() for words in TOO_LITTLE):
            return OutOfMemory(message)
        return ProviderError(f"{message}; run the same command again to resume", again=False)

    def watch(self) -> None:
        """Interrupt the main thread if the server ends unexpectedly."""
        self.process.wait()
        if not self.stopping:
            interrupt_main()

    def stop(self) -> None:
        self.stopping = True
        with suppress(ProcessLookupError):
            self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(STOP_S + 5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def check_installed() -> str:
    """Return the path of the executable; raise an error if there is none."""
    path = shutil.which(EXECUTABLE)
    if path is None:
        raise ConfigError(
            f"[serve] needs the command '{EXECUTABLE}': pip install vllm, or remove [serve] to sample in this process"
        )
    return path


@contextmanager
def serve(
    model: str,
    settings: ServeSettings,
    gpus: int,
    log: Path,
    *,
    for_trl: bool = False,
    devices: Sequence[str] = (),
) -> Iterator[VllmServer]:
    """Serve `model` on `gpus` GPUs (0: on a CPU), and stop the server at the end of the block. `devices` selects the
    GPUs; by default all that this process sees. `for_trl` starts a server that accepts new weights from a training
    run."""
    path = check_installed()
    environment = {**(TRL_ENVIRONMENT if for_trl else {}), **({DEVICES: ",".join(devices)} if devices else {})}
    words = [path, "serve", model, *(FOR_TRL if for_trl else ()), *command_arguments(settings, gpus)]
    for attempt in range(PORTS):
        server = _start(words, log, environment)
        try:
            failure = _wait_until_ready(server, settings.start_s)
            if failure is not None and TAKEN in server.output().lower() and attempt + 1 < PORTS:
                continue
            if failure is not None:
                raise failure
            threading.Thread(target=server.watch, daemon=True).start()
            with _interruptible():
                try:
                    yield server
                except KeyboardInterrupt:
                    if server.process.poll() is None:
                        raise
                    raise server.failure() from None
            return
        finally:
            server.stop()


@contextmanager
def _interruptible() -> Iterator[None]:
    """Let `interrupt_main` work even if a shell started this process in the background, with SIGINT ignored."""
    before = signal.getsignal(signal.SIGINT)
    if before is not signal.SIG_IGN or threading.current_thread() is not threading.main_thread():
        yield
        return
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def command_arguments(settings: ServeSettings, gpus: int) -> list[str]:
    """Return the arguments of `vllm serve` besides the model and the port."""
    if gpus % settings.tensor_parallel:
        raise ConfigError(
            f"[serve]: tensor_parallel = {settings.tensor_parallel} does not divide {counted(gpus, 'GPU')}"
        )
    replicas = gpus // settings.tensor_parallel
    words = ["--tensor-parallel-size", str(settings.tensor_parallel)] if settings.tensor_parallel > 1 else []
    words += ["--data-parallel-size", str(replicas)] if replicas > 1 else []
    words += ["--max-model-len", str(settings.context)] if settings.context else []
    words += ["--gpu-memory-utilization", f"{settings.memory:g}"] if gpus else []
    return [*words, "--dtype", settings.dtype, "--host", "127.0.0.1", *settings.words()]


def _start(words: list[str], log: Path, environment: Mapping[str, str]) -> VllmServer:
    port = _free_port()
    start = log.stat().st_size if log.is_file() else 0
    with log.open("ab") as stream:
        process = child.start(
            __name__,
            *words,
            "--port",
            str(port),
            stdin=subprocess.DEVNULL,
            stdout=stream,
            stderr=stream,
            env={**os.environ, **environment},
        )
    return VllmServer(process, port, log, start)


def _wait_until_ready(server: VllmServer, start_s: float) -> Exception | None:
    """Wait for the server, and return why it does not answer, or None if it does."""
    deadline = time.monotonic() + start_s
    while time.monotonic() < deadline:
        if server.process.poll() is not None:
            return server.failure()
        if server.answers():
            return None
        time.sleep(LOOK_S)
    return ProviderError(
        f"the vLLM server did not answer within {start_s:g} s (start_s in [serve]); see its log, {server.log}",
        again=False,
    )


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def main() -> None:
    """Run the process between a command and its server. It dies with the command; a guard process, which notices this
    because a pipe closes, then kills the rest of the server's process group."""
    read, write = os.pipe()
    server = subprocess.Popen(sys.argv[1:], start_new_session=True)
    if os.fork() == 0:  # the guard, which outlives this process
        os.close(write)
        os.setsid()
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        os.read(read, 1)
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(server.pid, signal.SIGKILL)
        os._exit(0)
    os.close(read)

    def stop(number: int, frame: object) -> None:
        with suppress(ProcessLookupError):
            os.killpg(server.pid, signal.SIGTERM)
        signal.alarm(round(STOP_S))  # ends this process if the server does not stop by itself

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C in a terminal: the command decides
    sys.exit(min(abs(server.wait()), 255))


if __name__ == "__main__":
    main()
