"""Work with somebody else's program in a child of this process, under limits.

    apart(lambda: cases.draw(definition, stream))

Gold that a model wrote can only compute (`tasks/confined.py`), but it can compute for ever, or fill the memory: also where it behaved well
with the inputs that the sandbox has seen, and also because a function lies to it or a look-alike takes its place. So this process never
calls it.

Covered: time and memory. The child ends with its parent.
Not covered: programs that can do more than compute. They belong to the judge.
"""

from __future__ import annotations

import os
import pickle
import resource
import signal
import traceback
import warnings
from collections.abc import Callable
from typing import TypeVar

from sebench import processes
from sebench.address_space import address_space_in_use
from sebench.errors import BankError, SandboxFault, SebenchError
from sebench.forge.translate import Untranslatable
from sebench.judge.sandbox import limits

CPU_LIMIT_S = 60  # of one piece of work; the look-alikes of a task of the bank take about a second
MEMORY = 2 << 30  # bytes beyond what is in use
TOLD = (BankError, Untranslatable)  # what is raised here as it was raised there

Made = TypeVar("Made")


class TooMuch(SebenchError):
    """The work took more time or memory than it may."""


def apart(work: Callable[[], Made], cpu_limit_s: int = CPU_LIMIT_S, memory: int = MEMORY) -> Made:
    """What the work gives, which must be data; TooMuch where its child did not come to the end."""
    read, write = os.pipe()
    parent, kills = os.getpid(), processes.kernel_kills()
    with warnings.catch_warnings(action="ignore", category=DeprecationWarning):
        child = os.fork()  # the judge's threads are no danger: what runs in the child takes none of their locks
    if not child:
        _child(work, write, cpu_limit_s, memory, parent)
    os.close(write)
    try:
        with os.fdopen(read, "rb") as pipe:
            told = pipe.read()
    except BaseException:  # Ctrl-C
        os.kill(child, signal.SIGKILL)
        raise
    finally:
        _, status = os.waitpid(child, 0)
    if processes.killed_for_memory(os.waitstatus_to_exitcode(status), kills):
        raise SandboxFault(f"a process that runs gold was {processes.LACK_OF_MEMORY}; the same command continues")
    if status:
        raise TooMuch(f"gold and its look-alikes take more than {cpu_limit_s} s or {memory >> 20:,} MiB")
    raised, made = pickle.loads(told)  # our own child wrote it
    if raised is not None:
        raise raised
    return made  # type: ignore[no-any-return]


def _child(work: Callable[[], object], write: int, cpu_limit_s: int, memory: int, parent: int) -> None:
    """Never returns."""
    status = 1
    try:
        limits.die_with_parent(parent)
        used = address_space_in_use()
        if used:
            resource.setrlimit(resource.RLIMIT_AS, (used + memory, used + memory))
        resource.setrlimit(resource.RLIMIT_CPU, (cpu_limit_s, cpu_limit_s))
        told: tuple[Exception | None, object]
        try:
            told = None, work()
        except TOLD as error:
            told = error, None
        except MemoryError:
            os._exit(status)
        except Exception:  # our own fault: its traceback is all that can be told
            told = RuntimeError(traceback.format_exc()), None
        with os.fdopen(write, "wb") as pipe:
            pickle.dump(told, pipe)
        status = 0
    finally:
        os._exit(status)
