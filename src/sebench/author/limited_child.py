"""Runs work that involves somebody else's program in a child process with limits.

    run_limited(lambda: cases.draw(definition, stream))

Gold that a model wrote can only compute (`tasks/confined.py`), but it may never finish or may fill the memory. That can
happen even if it behaved well on the inputs that the sandbox tried, because a function lies to it or a look-alike
replaces it. So this process never calls it directly.

Covered: time and memory. The child ends with its parent.
Not covered: programs that can do more than compute. They belong in the judge's sandbox.
"""

from __future__ import annotations

import os
import pickle
import traceback
from collections.abc import Callable
from typing import TypeVar

from sebench.base import child
from sebench.base.errors import BankError, SandboxFault, SebenchError
from sebench.forge.translate.translate import Untranslatable

CPU_LIMIT_S = 60  # for one piece of work; the mutants of a bank task take about a second
MEMORY = 2 << 30  # bytes beyond what is in use
PASSED_ON = (BankError, Untranslatable)  # errors that are raised again in the parent

Value = TypeVar("Value")


class LimitExceeded(SebenchError):
    """The work took more time or memory than allowed."""


def run_limited(work: Callable[[], Value], cpu_limit_s: int = CPU_LIMIT_S, memory: int = MEMORY) -> Value:
    """The result of the work, which must be picklable; raises LimitExceeded if the child did not finish."""
    ended = child.run_in_fork(lambda write: _write(work, write), cpu_limit_s, memory)
    if ended.for_memory:
        raise SandboxFault(
            f"a process that runs gold was {child.LACK_OF_MEMORY}; run the same command again to continue"
        )
    if ended.status:
        raise LimitExceeded(f"gold and its look-alikes take more than {cpu_limit_s} s or {memory >> 20:,} MiB")
    raised, value = pickle.loads(ended.output)  # our own child wrote it
    if raised is not None:
        raise raised
    return value  # type: ignore[no-any-return]


def _write(work: Callable[[], object], write: int) -> None:
    """In the child: do the work and write its result or its error to the pipe."""
    outcome: tuple[Exception | None, object]
    try:
        outcome = None, work()
    except PASSED_ON as error:
        outcome = error, None
    except MemoryError:
        raise
    except Exception:  # our own fault: pass the traceback on as text
        outcome = RuntimeError(traceback.format_exc()), None
    with os.fdopen(write, "wb") as pipe:
        pickle.dump(outcome, pipe)
