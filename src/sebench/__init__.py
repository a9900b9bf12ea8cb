"""SE-Bench measures whether a model has internalized new knowledge. See README.md.

`import sebench` is silent and cheap: it loads neither NumPy nor any command. What is listed here is the public API
(`docs/api.md`), loaded when it is first asked for; the stages are the sub-packages.
"""

from __future__ import annotations

import importlib

from sebench.version import __version__ as __version__

TYPE_CHECKING = False  # `typing` itself would take ten times as long as the rest of this module
if TYPE_CHECKING:
    from typing import Any

    from sebench.base.errors import SebenchError as SebenchError
    from sebench.base.records import Case as Case
    from sebench.base.records import Rollout as Rollout
    from sebench.base.records import Task as Task
    from sebench.base.records import Verdict as Verdict
    from sebench.judge.judge import Judge as Judge
    from sebench.judge.judge import Limits as Limits
    from sebench.judge.judge import judge_for as judge_for
    from sebench.remote.http.client import JudgeClient as JudgeClient
    from sebench.remote.ray.on_ray import judge_on_ray as judge_on_ray
    from sebench.rollout.config import RunConfig as RunConfig
    from sebench.rollout.pipeline import run as run
    from sebench.rollout.store import Run as Run
    from sebench.world.build import Slice as Slice
    from sebench.world.world import World as World

_WHERE = {
    "Slice": "sebench.world.build",
    "judge_on_ray": "sebench.remote.ray.on_ray",
    "SebenchError": "sebench.base.errors",
    "Judge": "sebench.judge.judge",
    "Limits": "sebench.judge.judge",
    "judge_for": "sebench.judge.judge",
    "Case": "sebench.base.records",
    "Rollout": "sebench.base.records",
    "Task": "sebench.base.records",
    "Verdict": "sebench.base.records",
    "RunConfig": "sebench.rollout.config",
    "run": "sebench.rollout.pipeline",
    "JudgeClient": "sebench.remote.http.client",
    "Run": "sebench.rollout.store",
    "World": "sebench.world.world",
}
__all__ = ["__version__", *_WHERE]


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module 'sebench' has no attribute '{name}'")
    return getattr(importlib.import_module(_WHERE[name]), name)


def __dir__() -> list[str]:
    return __all__
