"""Options of commands that can use a cluster, and the engine that they select."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import click

from sebench.base.errors import ConfigError
from sebench.cli import display, options
from sebench.rollout.engine import Engine, ThisMachine

LOCAL, RAY = "local", "ray"
OF_RAY = {"ray_address": "address", "ray_cpus": "cpus", "ray_wait_s": "wait_s", "ship": "ship"}

_OPTIONS = (
    click.option(
        "--backend",
        type=click.Choice([LOCAL, RAY]),
        default=LOCAL,
        show_default=True,
        help="Where the work is done: on this machine, or on a Ray cluster (docs/scale.md).",
    ),
    options.renamed("--engine", "--backend"),
    click.option(
        "--ray-address", help="The cluster: auto, HOST:PORT, or local for one on this machine.  [default: auto]"
    ),
    click.option("--ray-cpus", type=click.IntRange(1), help="CPUs of each task on the cluster.  [default: 1]"),
    click.option(
        "--ray-wait-s",
        type=click.FloatRange(min=0, min_open=True),
        help="Give up after this many seconds without a result.  [default: 300]",
    ),
    click.option(
        "--ship/--no-ship", default=None, help="Send the world to nodes that do not have it.  [default: ship]"
    ),
)


def backend_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add --backend and the cluster settings. The command receives an `engine`; None means this machine."""

    @wraps(command)
    def with_engine(*arguments: Any, backend: str, **settings: Any) -> Any:
        of_ray = {key: settings.pop(key) for key in OF_RAY}
        return command(*arguments, engine=choose(backend, of_ray), **settings)

    decorated: Callable[..., Any] = with_engine
    for option in reversed(_OPTIONS):
        decorated = option(decorated)
    return decorated


def choose(backend: str, flags: dict[str, Any]) -> Engine | None:
    """Return the engine for a backend; raise an error for flags that it does not use."""
    settings = {OF_RAY[key]: value for key, value in flags.items() if value is not None}
    if backend == RAY:
        from sebench.remote.ray.engine import RayEngine
        from sebench.remote.ray.on_ray import library

        library()  # report a missing package before anything is read
        return RayEngine(**settings, note=display.note)
    if settings:
        name = next(key for key, word in OF_RAY.items() if word in settings)
        flag = f"--{name.replace('_', '-')}"
        raise ConfigError(f"{flag} requires --backend {RAY}; add --backend {RAY} or remove {flag}")
    return None


def for_judging(engine: Engine | None, workers: int | None) -> Engine:
    """Return the engine for a command that only judges."""
    if engine is None:
        return ThisMachine(workers or 0)
    if workers:
        raise ConfigError(f"--workers {workers} applies only to this machine; on a cluster, use --ray-cpus instead")
    return engine
