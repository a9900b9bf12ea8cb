"""The options of commands that can use a cluster, and the engine that they ask for."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import click

from sebench.base.errors import ConfigError
from sebench.cli import display
from sebench.rollout.engine import Engine, ThisMachine

LOCAL, RAY = "local", "ray"
OF_RAY = {"ray_address": "address", "ray_cpus": "cpus", "ray_wait_s": "wait_s", "ship": "ship"}

_OPTIONS = (
    click.option(
        "--engine",
        type=click.Choice([LOCAL, RAY]),
        default=LOCAL,
        show_default=True,
        help="Where the work is done: on this machine, or on a Ray cluster (docs/scale.md).",
    ),
    click.option(
        "--ray-address", help="The cluster: auto, HOST:PORT, or local for one on this machine.  [default: auto]"
    ),
    click.option("--ray-cpus", type=click.IntRange(1), help="CPUs of each task on the cluster.  [default: 1]"),
    click.option(
        "--ray-wait-s",
        type=click.FloatRange(min=0, min_open=True),
        help="Seconds that the cluster may give nothing back before the command ends.  [default: 300]",
    ),
    click.option(
        "--ship/--no-ship", default=None, help="Send the world to nodes that do not have it.  [default: ship]"
    ),
)


def options(command: Callable[..., Any]) -> Callable[..., Any]:
    """--engine and the settings of a cluster. The command gets an `engine`; None is this machine."""

    @wraps(command)
    def with_engine(*arguments: Any, engine: str, **given: Any) -> Any:
        of_ray = {key: given.pop(key) for key in OF_RAY}
        return command(*arguments, engine=chosen(engine, of_ray), **given)

    made: Callable[..., Any] = with_engine
    for option in reversed(_OPTIONS):
        made = option(made)
    return made


def chosen(engine: str, given: dict[str, Any]) -> Engine | None:
    """The engine that was asked for."""
    settings = {OF_RAY[key]: value for key, value in given.items() if value is not None}
    if engine == RAY:
        from sebench.remote.ray.engine import RayEngine
        from sebench.remote.ray.on_ray import library

        library()  # a missing package is told before anything is read
        return RayEngine(**settings, note=display.note)
    if settings:
        name = next(key for key, word in OF_RAY.items() if word in settings)
        raise ConfigError(f"--{name.replace('_', '-')} is for --engine {RAY}; give that too, or leave it out")
    return None


def for_judging(engine: Engine | None, workers: int | None) -> Engine:
    """The engine of a command that only judges."""
    if engine is None:
        return ThisMachine(workers or 0)
    if workers:
        raise ConfigError(f"--workers {workers} is for this machine; on a cluster --ray-cpus and its CPUs decide")
    return engine
