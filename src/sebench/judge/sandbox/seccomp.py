"""The system-call filter of a child: a list of the calls that it may make; everything else is refused.

A refused call returns EPERM, so that Python raises an error at the call, and the run continues; only a call in another
architecture's convention kills the process. There are three roles. `PROGRAMS`, which run in the same process as the
library, may compute, import lazily (files for reading only) and write to one descriptor. The `LIBRARY` process of a
candidate behind the wall may also start candidates and set its own limits. A `CANDIDATE` may compute, and read and
write one descriptor: no files, clocks, randomness, process ids, signal handlers or executable memory. No role may start
processes or threads, use a network, or sleep, because idle time would not count as CPU time. A process has only one
thread, which nothing could wake, so waiting on a futex times out immediately; in a candidate, which would otherwise
wait for ever, it ends the process. `compile_filter` runs once in the zygote, `install` in every child; the decision is
a binary tree, because the kernel simulates the filter for every call number when it is installed (a linear list costs
more there).
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import struct
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from sebench.judge.sandbox.limits import call, libc

PR_SET_SECCOMP, MODE_FILTER = 22, 2
ALLOW, KILL, ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
X32_BIT = 0x40000000

# Calls that are allowed without conditions, with their numbers on (x86_64, aarch64); None if the architecture has no
# such call.
NUMBERS: Mapping[str, tuple[int | None, int | None]] = MappingProxyType(
    {
        "read": (0, 63),
        "readv": (19, 65),
        "pread64": (17, 67),
        "close": (3, 57),
        "lseek": (8, 62),
        "stat": (4, None),
        "fstat": (5, 80),
        "lstat": (6, None),
        "newfstatat": (262, 79),
        "statx": (332, 291),
        "statfs": (137, 43),
        "fstatfs": (138, 44),
        "access": (21, None),
        "faccessat": (269, 48),
        "faccessat2": (439, 439),
        "readlink": (89, None),
        "readlinkat": (267, 78),
        "getdents64": (217, 61),
        "getcwd": (79, 17),
        "brk": (12, 214),
        "munmap": (11, 215),
        "mremap": (25, 216),
        "madvise": (28, 233),
        "rt_sigaction": (13, 134),
        "rt_sigprocmask": (14, 135),
        "rt_sigreturn": (15, 139),
        "sigaltstack": (131, 132),
        "restart_syscall": (219, 128),
        "clock_gettime": (228, 113),
        "clock_getres": (229, 114),
        "gettimeofday": (96, 169),
        "time": (201, None),
        "times": (100, 153),
        "getrusage": (98, 165),
        "getrandom": (318, 278),
        "getpid": (39, 172),
        "getppid": (110, 173),
        "gettid": (186, 178),
        "getuid": (102, 174),
        "geteuid": (107, 175),
        "getgid": (104, 176),
        "getegid": (108, 177),
        "getresuid": (118, 148),
        "getresgid": (120, 150),
        "getgroups": (115, 158),
        "getpgrp": (111, None),
        "getpgid": (121, 155),
        "getsid": (124, 156),
        "getrlimit": (97, 163),
        "uname": (63, 160),
        "sysinfo": (99, 179),
        "sched_yield": (24, 124),
        "sched_getaffinity": (204, 123),
        "getcpu": (309, 168),
        "rseq": (334, 293),
        "set_robust_list": (273, 99),
        "exit": (60, 93),
        "exit_group": (231, 94),
        "setitimer": (38, 103),
        "socketpair": (53, 199),
        "sendmsg": (46, 211),
        "recvmsg": (47, 212),
    }
)

# Calls that are allowed only with some arguments (`_conditions`), and clone3, which glibc must believe to be missing.
CONDITIONAL: Mapping[str, tuple[int | None, int | None]] = MappingProxyType(
    {
        "write": (1, 64),
        "mmap": (9, 222),
        "mprotect": (10, 226),
        "open": (2, None),
        "openat": (257, 56),
        "fcntl": (72, 25),
        "ioctl": (16, 29),
        "futex": (202, 98),
        "prlimit64": (302, 261),
        "clone3": (435, 435),
    }
)

COMPUTING = frozenset(
    """read readv close getcwd brk munmap mremap madvise rt_sigreturn sigaltstack restart_syscall getuid
    geteuid getgid getegid uname sched_yield rseq set_robust_list exit exit_group write mmap mprotect futex
    clone3""".split()
)
LAUNCHING = frozenset({"socketpair", "sendmsg", "recvmsg"})


@dataclass(frozen=True)
class FilterRole:
    """The purpose of a child process, and the system calls that its filter allows."""

    name: str
    calls: frozenset[str]
    write_fd: int | None = None  # None for any
    code: bool = True  # whether memory may be made executable, as loading an extension needs
    waits: bool = True  # whether waiting for another thread is an error that can be handled, or ends the process
    own_limits: bool = False  # whether it may change its own limits


PROGRAMS = FilterRole("programs", frozenset({*NUMBERS, *CONDITIONAL}) - LAUNCHING, write_fd=3)
LIBRARY = FilterRole("library", frozenset({*NUMBERS, *CONDITIONAL}), own_limits=True)
CANDIDATE = FilterRole("candidate", COMPUTING, write_fd=3, code=False, waits=False)

ARCHITECTURES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}  # name -> (column above, AUDIT_ARCH value)

WRITING = 0o3 | 0o100 | 0o1000 | 0o20000  # O_ACCMODE, O_CREAT, O_TRUNC, O_ASYNC: the same on both architectures
FCNTL = (1, 2, 3)  # F_GETFD, F_SETFD, F_GETFL
IOCTL = (0x5401, 0x802C542A, 0x5450, 0x5451)  # TCGETS, TCGETS2 (isatty), FIONCLEX, FIOCLEX (not inheritable)
FUTEX_WAITS = (0, 6, 9, 11, 13)  # WAIT, LOCK_PI, WAIT_BITSET, WAIT_REQUEUE_PI, LOCK_PI2
FUTEX_COMMAND = 0x7F  # without the private and clock flags
PROT_EXEC = 4

# BPF: class and mode of the instructions used here
LD, JEQ, JGE, JSET, AND, RET = 0x20, 0x15, 0x35, 0x45, 0x54, 0x06
NR_AT, ARCH_AT, ARGS_AT = 0, 4, 16  # offsets in struct seccomp_data; an argument has 8 bytes, its low half first

Block = list[tuple[int, int, int, int]]  # instructions (code, jump if true, jump if false, value)


@dataclass(frozen=True)
class SyscallFilter:
    """A filter that is ready to install; it owns the memory that the kernel reads."""

    code: bytes
    buffers: tuple[Any, ...]
    prctl: Any  # resolved once: a child that looks it up again touches 40 pages
    mode: ctypes.c_ulong
    address: ctypes.c_void_p


def compile_filter(role: FilterRole, machine: str = "") -> SyscallFilter | None:
    """Return the filter for a role; None if there is no table for the machine, or if its kernel has no filters."""
    machine = machine or (platform.machine() if sys.maxsize > 1 << 32 else "")
    # a kernel that has filters reads the one that it is given, here none
    if machine not in ARCHITECTURES or call("prctl", PR_SET_SECCOMP, MODE_FILTER, 0, 0, 0) != -errno.EFAULT:
        return None
    code = b"".join(struct.pack("=HBBI", *step) for step in _program(role, machine))
    steps = ctypes.create_string_buffer(code, len(code))
    program = ctypes.create_string_buffer(struct.pack("HxxxxxxQ", len(code) // 8, ctypes.addressof(steps)), 16)
    address = ctypes.c_void_p(ctypes.addressof(program))
    return SyscallFilter(code, (steps, program), libc().prctl, ctypes.c_ulong(MODE_FILTER), address)


def install(prepared: SyscallFilter | None) -> None:
    """Put this process permanently behind a filter; None does nothing. The zygote must have set no_new_privs
    (`no_new_privileges`) beforehand.

    This takes 90 microseconds on an idle aarch64 VM and 150 on a busy one. A filter of one instruction takes 50 and 110
    there, so the length of this one hardly matters (the kernel compiles it to machine code and notifies every core).
    """
    if prepared is not None and prepared.prctl(PR_SET_SECCOMP, prepared.mode, prepared.address, 0, 0) != 0:
        code = ctypes.get_errno() or errno.ENOSYS
        raise OSError(code, f"no system-call filter: {os.strerror(code)}")


def _program(role: FilterRole, machine: str) -> Block:
    column, architecture = ARCHITECTURES[machine]
    conditions = _conditions(role)
    deny = [(RET, 0, 0, ERRNO | errno.EPERM)]
    actions: dict[int, str] = {}
    for name in sorted(role.calls):
        number = (NUMBERS.get(name) or CONDITIONAL[name])[column]
        if number is not None:
            actions[number] = name if name in CONDITIONAL else "allow"
    blocks = {"deny": deny, "allow": [(RET, 0, 0, ALLOW)], **conditions}
    head: Block = [
        (LD, 0, 0, ARCH_AT),
        (JEQ, 1, 0, architecture),
        (RET, 0, 0, KILL),
        (LD, 0, 0, NR_AT),
    ]
    if machine == "x86_64":
        head += [(JGE, 0, 1, X32_BIT), *deny]
    return head + _tree(actions, blocks)


def _tree(actions: Mapping[int, str], blocks: Mapping[str, Block]) -> Block:
    """Return a binary search over ranges of call numbers with the same action, followed by one block per action."""
    starts: list[tuple[int, str]] = [(0, actions.get(0, "deny"))]
    for number in sorted({n for a in actions for n in (a, a + 1)}):
        action = actions.get(number, "deny")
        if action != starts[-1][1]:
            starts.append((number, action))
    nodes: list[tuple[int, int | str, int | str]] = []  # (call number, target from it upwards, target below it)

    def grow(first: int, last: int) -> int | str:
        if first == last:
            return starts[first][1]
        middle = (first + last + 1) // 2
        place = len(nodes)
        nodes.append((0, 0, 0))
        below = grow(first, middle - 1)
        nodes[place] = (starts[middle][0], grow(middle, last), below)
        return place

    grow(0, len(starts) - 1)
    places: dict[int | str, int] = {n: n for n in range(len(nodes))}
    tail: Block = []
    for name in dict.fromkeys(["deny", "allow", *actions.values()]):
        places[name] = len(nodes) + len(tail)
        tail += blocks[name]
    return [(JGE, places[to] - i - 1, places[below] - i - 1, n) for i, (n, to, below) in enumerate(nodes)] + tail


def _conditions(role: FilterRole) -> dict[str, Block]:
    """Return one block per conditional call. Descriptors, flags and commands are C ints, so the kernel uses only the
    low half of these arguments."""
    allow, deny = (RET, 0, 0, ALLOW), (RET, 0, 0, ERRNO | errno.EPERM)

    def low(argument: int) -> tuple[int, int, int, int]:
        return (LD, 0, 0, ARGS_AT + 8 * argument)

    def high(argument: int) -> tuple[int, int, int, int]:
        return (LD, 0, 0, ARGS_AT + 8 * argument + 4)

    def one_of(values: tuple[int, ...]) -> Block:
        """Skip the next instruction if the value is one of these."""
        last = len(values) - 1
        return [(JEQ, last - i + 1, 0, v) for i, v in enumerate(values)]

    no_code: Block = [allow] if role.code else [low(2), (JSET, 0, 1, PROT_EXEC), deny, allow]
    # only of itself (0), and read-only (the pointer to new limits must be null) unless it may set its own limits
    limits: Block = [low(0), *one_of((0,)), deny]
    limits += [allow] if role.own_limits else [low(2), *one_of((0,)), deny, high(2), *one_of((0,)), deny, allow]
    return {
        "write": [allow] if role.write_fd is None else [low(0), *one_of((role.write_fd,)), deny, allow],
        "mmap": no_code,
        "mprotect": no_code,
        "open": [low(1), (JSET, 0, 1, WRITING), deny, allow],
        "openat": [low(2), (JSET, 0, 1, WRITING), deny, allow],
        "fcntl": [low(1), *one_of(FCNTL), deny, allow],
        "ioctl": [low(1), *one_of(IOCTL), deny, allow],
        "futex": [
            low(1),
            (AND, 0, 0, FUTEX_COMMAND),
            *one_of(FUTEX_WAITS),
            allow,
            (RET, 0, 0, ERRNO | errno.ETIMEDOUT if role.waits else KILL),
        ],
        "prlimit64": limits,
        "clone3": [(RET, 0, 0, ERRNO | errno.ENOSYS)],
    }
