"""The resource limits of a run, the descriptors that it keeps, and a few process flags that need no module of their
own.

Everything here is per process and inherited, so a child applies it to itself right after the fork, before its
system-call filter (`seccomp.py`) forbids that. Time is limited in CPU seconds, not wall-clock: a loaded machine must
not turn a right answer into a wrong one. Measuring, waiting and killing are done by the zygote, not here. `call` is
also here: it calls a function in the C library, and returns ENOSYS if the library lacks it.
"""

from __future__ import annotations

import ctypes
import errno
import os
import resource  # not in `apply`: an import in every child costs 1 ms
import signal
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

MIB = 1 << 20
NONE_AT_ALL = (resource.RLIMIT_FSIZE, resource.RLIMIT_CORE, resource.RLIMIT_MEMLOCK, resource.RLIMIT_MSGQUEUE)
MOST_DESCRIPTORS = 1 << 16  # a zygote has a dozen

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_SET_TSC, PR_TSC_SIGSEGV = 26, 2
PR_SET_NO_NEW_PRIVS = 38
PR_GET_NO_NEW_PRIVS = 39
SIGKILL = 9


class OutOfTime(BaseException):
    """A run exceeded its CPU time."""


@dataclass(frozen=True)
class ProcessLimits:
    """The resources that one run may use. `address_space` is a total: pass `address_space_in_use() + allowance` in the
    zygote."""

    cpu_s: int  # SIGXCPU after this many seconds, SIGKILL one second later
    address_space: int  # bytes, 0 for no limit
    open_files: int = 32
    stack: int = 8 * MIB


@lru_cache(maxsize=1)
def libc() -> ctypes.CDLL:
    """Return the C library."""
    return ctypes.CDLL(None, use_errno=True)


def call(name: str, *args: int | bytes | None) -> int:
    """Call a C function, and return its result or a negative errno. Never raises, so that a missing mechanism is just
    another result."""
    function = getattr(libc(), name, None)
    if function is None:
        return -errno.ENOSYS
    ctypes.set_errno(0)
    result = int(function(*(ctypes.c_long(a) if isinstance(a, int) else a for a in args)))
    return result if result >= 0 else -(ctypes.get_errno() or errno.EINVAL)


def describe_errno(code: int) -> str:
    """Describe a negative errno as text."""
    return f"{errno.errorcode.get(-code, -code)} ({os.strerror(-code)})"


def apply(limits: ProcessLimits) -> None:
    """Limit this process permanently, with soft and hard limits."""
    apply_lasting(limits)
    apply_to_run(limits)


def apply_lasting(limits: ProcessLimits) -> None:
    """Set the limits under which the zygote itself can work. They are set once, and its children inherit them."""
    bounds = [(resource.RLIMIT_NOFILE, limits.open_files), (resource.RLIMIT_STACK, limits.stack)]
    if limits.address_space:
        bounds.append((resource.RLIMIT_AS, limits.address_space))
    for which, value in bounds:
        value = _capped(which, value)
        resource.setrlimit(which, (value, value))
    for which in NONE_AT_ALL:
        resource.setrlimit(which, (0, 0))


def apply_to_run(limits: ProcessLimits) -> None:
    """Set the limits of a single run: CPU time, counted from the fork, and no child processes."""
    resource.setrlimit(resource.RLIMIT_CPU, (limits.cpu_s, limits.cpu_s + 1))
    resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))


TIME_SIGNAL = signal.SIGPROF  # sent to a process that has used up its CPU time


def signal_after(cpu_s: float, again_s: float = 0.0) -> None:
    """Have the kernel send TIME_SIGNAL after this much more CPU time, and then every `again_s` seconds; 0 means never.
    The signal ends the process unless `on_signal` was called."""
    signal.setitimer(signal.ITIMER_PROF, cpu_s, again_s)


def on_signal(act: Callable[..., None]) -> None:
    """Call a function whenever TIME_SIGNAL arrives."""
    signal.signal(TIME_SIGNAL, act)


def stop_after(cpu_s: float) -> None:
    """Have the kernel end this process when it has used this much CPU time."""
    hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
    resource.setrlimit(resource.RLIMIT_CPU, (min(int(cpu_s) + 1, hard) if hard >= 0 else int(cpu_s) + 1, hard))


def end_after(cpu_s: float) -> None:
    """Have the kernel kill this process after this much more CPU time. This cannot be undone."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    last = int(used.ru_utime + used.ru_stime + cpu_s) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (_capped(resource.RLIMIT_CPU, last),) * 2)


def within_hard_limit(limits: ProcessLimits) -> ProcessLimits:
    """Return the same limits, with the CPU time capped at the limit that this process was started with."""
    return replace(limits, cpu_s=min(limits.cpu_s, _capped(resource.RLIMIT_CPU, limits.cpu_s + 1)))


def _capped(which: int, value: int) -> int:
    """Return the value, capped at the hard limit that this process was started with."""
    hard = resource.getrlimit(which)[1]
    return value if hard == resource.RLIM_INFINITY else min(value, hard)


def close_descriptors(keep: Sequence[int]) -> None:
    """Close every descriptor except these."""
    start = 0
    for fd in sorted(keep):
        # closerange(0, 0) closes everything: its end becomes -1, which the kernel reads as the largest number
        if start < fd:
            os.closerange(start, fd)
        start = fd + 1
    os.closerange(start, MOST_DESCRIPTORS)  # a single close_range call if the kernel supports it


def no_new_privileges() -> bool:
    """Prevent executed programs from gaining privileges, as seccomp and Landlock require, and return whether this
    worked."""
    return call("prctl", PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0


class Tether:
    """Has the kernel kill a process when the thread that forked it ends, so that thread must stay alive until the
    process has finished. The C function is looked up in advance, because a lookup in a child touches 40 memory pages.
    `timeless`: also disable the processor's time-stamp counter, if the kernel supports that."""

    def __init__(self, timeless: bool = False) -> None:
        self.prctl = libc().prctl
        settings = [(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0), (PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0)]
        self.calls = [[ctypes.c_long(value) for value in values] for values in settings[: 1 + timeless]]

    def attach(self) -> None:
        """Tie this process to its parent. Call this after any change of user id, which clears the setting."""
        for arguments in self.calls:
            self.prctl(*arguments)
