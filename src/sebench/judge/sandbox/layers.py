"""Tests that the sandbox works: throw-away children try everything that is forbidden, and every attempt must fail.

Each layer has its own attempts, with the error that only this layer returns (a fork fails with EPERM because of the
filter, with EAGAIN because of the limits), so that one layer cannot hide that another is missing. A zygote calls
`verify_library` or `verify_candidate` at start-up, after `namespaces.enter` and `landlock.restrict`; `sebench doctor`
prints the results. The attempts are what an attacker would try first; their failure does not prove that nothing else
would succeed. An honest child is tested as well: it must import, allocate, compute, answer, and die by a signal when it
crashes.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import importlib.util
import json
import mmap
import os
import resource
import select
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from sebench.judge.sandbox import limits, namespaces, seccomp
from sebench.judge.sandbox.limits import MIB, ProcessLimits
from sebench.judge.sandbox.wire import Layer

PTRACE_DETACH = 17
PATIENCE_S = 10.0  # for one test process; it needs a few milliseconds
SELDOM_LOADED = (("colorsys", "quopri", "stringprep", "sched"), ("_zoneinfo", "_queue", "_statistics", "cmath"))


@dataclass(frozen=True)
class EscapeAttempt:
    """A forbidden action. It counts as blocked by its layer only if it fails with one of these error numbers."""

    what: str
    act: Callable[[], object]
    errors: tuple[int, ...]

    def leak(self) -> str:
        """Return "" if the layer blocked the action, otherwise what happened."""
        try:
            self.act()
        except MemoryError:
            code = errno.ENOMEM
        except ValueError:  # how Python reports a limit that cannot be raised
            code = errno.EPERM
        except RuntimeError:  # how Python reports a thread that cannot start
            code = errno.EAGAIN
        except OSError as error:
            code = error.errno or 0
        else:
            return f"{self.what} was possible"
        if code in self.errors:
            return ""
        return f"{self.what} failed with {errno.errorcode.get(code, code)}, which is not this layer's error"


def verify_library(held: Mapping[str, str], restricted: str, run: ProcessLimits) -> list[Layer]:
    """Test every layer of the library's zygote. `held` is the result of `namespaces.enter`, `restricted` that of
    `landlock.restrict`.

    Call it in the zygote, single-threaded. It takes about 60 ms. No attempt does harm if its layer is missing.
    """
    states = {**held, "landlock": restricted}
    leaks_by_layer = _in_child(lambda fd: {name: find_leaks(name) for name in states})
    prepared = seccomp.compile_filter(seccomp.PROGRAMS)
    filtered = f"on: {len(prepared.code) // 8} instructions" if prepared else NO_FILTER
    crash = _crash_hides_signal(run)
    limited = f"on: {run.cpu_s} s CPU, {run.address_space // MIB} MiB"
    return [
        *(_layer_row(name, state, leaks_by_layer) for name, state in states.items()),
        _test_layer("rlimits", limited, lambda fd: _leaks_through_limits(run)),
        _test_layer("seccomp", filtered, _leaks_through_filter),
        _test_layer("descriptors", "on: only one is open", _other_descriptors),
        _test_layer(
            "work",
            "on: imports, 50 MB of memory, arithmetic and crashes work",
            lambda fd: _honest_work_fails(fd, run) + crash,
        ),
    ]


def verify_candidate(
    held: Mapping[str, str], restricted: str, silenced: str, confine: Callable[[], None]
) -> list[Layer]:
    """Test the layers of the candidate's zygote. `silenced` is the result of `clock.silence`; `confine` restricts a
    process as a candidate restricts itself. A confined child that ends early counts as having done nothing
    forbidden."""
    states = {**held, "landlock": restricted}
    leaks_by_layer = _in_child(lambda fd: {name: find_leaks(name) for name in states})
    through = [f"{name}: {state}" for name, state in states.items() if not state.startswith("on")]
    through += [text for texts in leaks_by_layer.values() for text in texts]
    rows = [Layer("wall: isolation", not through, "; ".join(through) or "on: the same layers as for the library")]
    if seccomp.compile_filter(seccomp.CANDIDATE) is None:
        rows.append(Layer("wall: system calls", False, NO_FILTER))
    else:
        through = _in_child(lambda fd: {"through": find_leaks("candidate")}, confine).get("through", [])
        rows.append(Layer("wall: system calls", not through, "; ".join(through) or "on"))
    clocks = _in_child(lambda fd: {"read": [name for name, act in CLOCKS.items() if act() == 0]}, confine)
    read = clocks.get("read", [])
    detail = f"can be read: {', '.join(read)}" if read else silenced
    rows.append(Layer("wall: clock", not read and silenced.startswith("on"), detail))
    numpy = "numpy" in sys.modules or importlib.util.find_spec("numpy") is not None
    rows.append(Layer("wall: no NumPy", not numpy, "NumPy can be imported" if numpy else "on: NumPy is absent"))
    return rows


def find_leaks(name: str) -> list[str]:
    """Return the attempts that a layer fails to block in this process; empty for a layer without attempts."""
    return _leaks(ATTEMPTS.get(name, ()))


def _leaks(attempts: Iterable[EscapeAttempt]) -> list[str]:
    return [text for attempt in attempts if (text := attempt.leak())]


def _test_layer(name: str, state: str, find: Callable[[int], list[str]]) -> Layer:
    """Test a layer in its own child process. `find` gets the descriptor on which the child reports."""
    return _layer_row(name, state, _in_child(lambda fd: {name: find(fd)}) if state.startswith("on") else {})


def _layer_row(name: str, state: str, leaks_by_layer: Mapping[str, list[str]]) -> Layer:
    if not state.startswith("on"):
        return Layer(name, False, state)
    through = leaks_by_layer.get("died") or leaks_by_layer.get(name, ["its test reported nothing"])
    return Layer(name, not through, "; ".join(through) or state)


def _in_child(
    act: Callable[[int], dict[str, list[str]]], confine: Callable[[], None] | None = None
) -> dict[str, list[str]]:
    """Fork a child that calls `act`, and return its report, or how it died without one. `act` gets the descriptor to
    write to, which is 3 in a confined child."""
    readable, writable = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.close(readable)
            if confine:
                writable = os.dup2(writable, 3)
                confine()
            os.write(writable, json.dumps(act(writable)).encode())
            os._exit(0)
        except BaseException as error:
            with contextlib.suppress(BaseException):
                os.write(writable, json.dumps({"died": [f"a test process failed: {error!r}"]}).encode())
        finally:
            os._exit(70)
    os.close(writable)
    parts: list[bytes] = []
    deadline = time.monotonic() + PATIENCE_S
    while select.select([readable], [], [], max(deadline - time.monotonic(), 0))[0] and (
        part := os.read(readable, 65536)
    ):
        parts.append(part)
    if time.monotonic() > deadline:
        os.kill(pid, signal.SIGKILL)
    os.close(readable)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if not parts:
        return {"died": [f"a test process exited with {status} and reported nothing"]}
    report: dict[str, list[str]] = json.loads(b"".join(parts))
    return report


# The attempts, layer by layer.


def _fork() -> None:
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)


def _raise_if(hidden: bool, code: int = errno.ENOENT) -> None:
    """Turn a check into an attempt: if the thing is hidden, raise the error that the kernel would."""
    if hidden:
        raise OSError(code, "nothing is visible")


def _connect(kind: int, host: str) -> None:
    with socket.socket(socket.AF_INET, kind) as link:
        link.settimeout(0.2)
        link.connect((host, 9))


def _has_left(name: str) -> bool:
    """Whether this process is no longer in the namespace that the zygote had before `enter`."""
    before = namespaces.host_namespaces
    return bool(before) and Path(f"/proc/self/ns/{name}").stat().st_ino != before.get(name, 0)


def _is_alone() -> bool:
    """Whether all low process ids are free except those of the zygote and this process."""
    for pid in {*range(1, 400)} - {os.getpid(), os.getppid()}:
        with contextlib.suppress(ProcessLookupError):
            with contextlib.suppress(PermissionError):
                os.kill(pid, 0)
            return False
    return os.getppid() == 1


def _c_call(name: str, *args: int | bytes | None) -> None:
    done = limits.call(name, *args)
    if done < 0:
        raise OSError(-done, os.strerror(-done))


def _has_no_variable() -> bool:
    block = ctypes.POINTER(ctypes.c_char_p).in_dll(limits.libc(), "environ")
    return not os.environ and not (block and block[0])


def _open_many() -> None:
    source = os.pipe()[0]
    duplicates = []
    try:
        for _ in range(4096):
            duplicates.append(os.dup(source))
    finally:
        for fd in duplicates:
            os.close(fd)


def _grow_file() -> None:
    if not hasattr(os, "memfd_create"):
        raise OSError(errno.EFBIG, "no anonymous files")
    file = os.memfd_create("witness")
    try:
        os.ftruncate(file, 1)
    finally:
        os.close(file)


def _thread() -> None:
    import _thread

    _thread.start_new_thread(lambda: None, ())


def _create_and_remove(make: Callable[[str], None], remove: Callable[[str], None]) -> None:
    """Create something in /tmp and remove it."""
    path = f"/tmp/sebench-witness-{os.getpid()}"
    make(path)
    remove(path)


def _raise_a_limit() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_CPU)
    # infinity is -1, so adding one would set a limit of zero
    more = hard if hard == resource.RLIM_INFINITY else hard + 1
    resource.setrlimit(resource.RLIMIT_CPU, (soft, more))


NO_FILTER = "not available: no system-call filters in this kernel, or no table of system calls for this machine"
UNREACHED = (errno.ENETUNREACH, errno.EADDRNOTAVAIL)
MACHINE = ("/etc/passwd", "/sys/kernel", "/dev/null", "/bin/sh")
ABSENT, REFUSED = (errno.ENOENT,), (errno.EPERM,)
KEPT = (errno.EACCES, errno.EROFS)  # read-only if a readable folder is below /tmp
# What a layer must block, by its name.
ATTEMPTS: dict[str, tuple[EscapeAttempt, ...]] = {
    "user": (EscapeAttempt("using the machine's user namespace", lambda: _raise_if(_has_left("user")), ABSENT),),
    "net": (
        EscapeAttempt("reaching the loopback network", lambda: _connect(socket.SOCK_DGRAM, "127.0.0.1"), UNREACHED),
    ),
    "ipc": (EscapeAttempt("using the machine's ipc namespace", lambda: _raise_if(_has_left("ipc")), ABSENT),),
    "uts": (
        EscapeAttempt(
            "seeing the machine's name", lambda: _raise_if(socket.gethostname() == namespaces.HOSTNAME), ABSENT
        ),
    ),
    "mount": (
        EscapeAttempt("seeing the machine's files", lambda: _raise_if(not any(map(os.path.lexists, MACHINE))), ABSENT),
        EscapeAttempt("reading /etc/passwd", lambda: os.open("/etc/passwd", os.O_RDONLY), (errno.ENOENT, errno.EACCES)),
    ),
    "pid": (EscapeAttempt("seeing other processes", lambda: _raise_if(_is_alone(), errno.ESRCH), (errno.ESRCH,)),),
    "landlock": (
        EscapeAttempt("listing /", lambda: os.scandir("/"), (errno.EACCES,)),
        EscapeAttempt("listing /tmp", lambda: os.scandir("/tmp"), (errno.EACCES,)),
        EscapeAttempt(
            "a new folder in /tmp", lambda: _create_and_remove(lambda path: Path(path).mkdir(), os.rmdir), KEPT
        ),
        EscapeAttempt(
            "a new file in /tmp",
            lambda: _create_and_remove(lambda path: os.close(os.open(path, os.O_CREAT)), os.unlink),
            KEPT,
        ),
    ),
    "privileges": (
        EscapeAttempt(
            "gaining rights by exec",
            lambda: _raise_if(limits.call("prctl", limits.PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1, errno.EPERM),
            REFUSED,
        ),
        EscapeAttempt("chroot", lambda: os.chroot("/"), REFUSED),
        EscapeAttempt("renaming the machine", lambda: socket.sethostname(socket.gethostname()), REFUSED),
        EscapeAttempt("becoming another user", lambda: os.setuid(0 if os.getuid() else 1), (errno.EPERM, errno.EINVAL)),
    ),
    "environment": (EscapeAttempt("reading the environment", lambda: _raise_if(_has_no_variable()), ABSENT),),
    # run these only behind the filter; other descriptors are blocked whether open or not
    "seccomp": (
        EscapeAttempt("a fork", _fork, REFUSED),
        EscapeAttempt("a socket", lambda: socket.socket().close(), REFUSED),
        EscapeAttempt("opening for writing", lambda: os.open("/no/such/file", os.O_WRONLY), REFUSED),
        EscapeAttempt("a signal to the parent", lambda: os.kill(os.getppid(), 0), REFUSED),
        EscapeAttempt("a signal to itself", lambda: signal.raise_signal(signal.SIGCONT), REFUSED),
        EscapeAttempt("exec", lambda: os.execv("/no/such/program", ["x"]), REFUSED),
        EscapeAttempt("sleeping", lambda: time.sleep(0.001), REFUSED),
        EscapeAttempt("waiting in select", lambda: select.select([], [], [], 0.001), REFUSED),
        EscapeAttempt("writing to another descriptor", lambda: os.write(1000, b"x"), REFUSED),
        EscapeAttempt("a duplicate descriptor", lambda: os.dup2(0, 1000), REFUSED),
        EscapeAttempt("a pipe", os.pipe, REFUSED),
        EscapeAttempt("changing a limit", lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0)), REFUSED),
        EscapeAttempt("ptrace", lambda: _c_call("ptrace", PTRACE_DETACH, os.getpid(), 0, 0), REFUSED),
        EscapeAttempt("unshare", lambda: _c_call("unshare", 0), REFUSED),
        EscapeAttempt("prctl", lambda: _c_call("prctl", limits.PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0), REFUSED),
        EscapeAttempt("shared memory", lambda: _c_call("shmget", 0x5EBE, 0, 0), REFUSED),
        EscapeAttempt("an anonymous file", lambda: _c_call("memfd_create", b"witness", 0), REFUSED),
    ),
    # what a candidate's filter must block in addition
    "candidate": (
        EscapeAttempt("a fork", _fork, REFUSED),
        EscapeAttempt("opening a file", lambda: os.open("/", os.O_RDONLY), REFUSED),
        EscapeAttempt("a socket", lambda: socket.socket().close(), REFUSED),
        EscapeAttempt("a timer", lambda: signal.setitimer(signal.ITIMER_REAL, 0), REFUSED),
        EscapeAttempt("a signal handler", lambda: signal.signal(signal.SIGUSR1, signal.SIG_IGN), REFUSED),
        EscapeAttempt("reading the process id", lambda: _raise_if(os.getpid() < 0, errno.EPERM), REFUSED),
        EscapeAttempt("reading random bytes", lambda: _c_call("getrandom", bytes(8), 8, 0), REFUSED),
        EscapeAttempt("executable memory", lambda: mmap.mmap(-1, 4096, prot=mmap.PROT_EXEC), REFUSED),
        EscapeAttempt("reading its own CPU times", lambda: resource.getrusage(resource.RUSAGE_SELF), REFUSED),
        EscapeAttempt("writing to another descriptor", lambda: os.write(1000, b"x"), REFUSED),
    ),
}


def rlimit_attempts(run: ProcessLimits) -> list[EscapeAttempt]:
    """Return the attempts that the resource limits must block; run them only under the limits."""
    size = run.address_space or 1 << 46
    return [
        EscapeAttempt("a fork", _fork, (errno.EAGAIN,)),
        EscapeAttempt("a thread", _thread, (errno.EAGAIN,)),
        EscapeAttempt("memory beyond the limit", lambda: mmap.mmap(-1, size), (errno.ENOMEM,)),
        EscapeAttempt("opening many files", _open_many, (errno.EMFILE,)),
        EscapeAttempt("enlarging a file", _grow_file, (errno.EFBIG,)),
        EscapeAttempt("raising the CPU limit", _raise_a_limit, (errno.EPERM,)),
    ]


CLOCKS: dict[str, Callable[[], int]] = {
    "the clock": lambda: limits.call("clock_gettime", 0, bytes(16)),
    "the monotonic clock": lambda: limits.call("clock_gettime", 1, bytes(16)),
    "the CPU clock": lambda: limits.call("clock_gettime", 2, bytes(16)),
    "the time of day": lambda: limits.call("gettimeofday", bytes(16), None),
    "the number of the CPU core": lambda: limits.call("getcpu", bytes(8), bytes(8)),
}


def _leaks_through_limits(run: ProcessLimits) -> list[str]:
    limits.apply(run)
    return _leaks(rlimit_attempts(run))


def _leaks_through_filter(fd: int) -> list[str]:
    limits.no_new_privileges()
    seccomp.install(seccomp.compile_filter(replace(seccomp.PROGRAMS, write_fd=fd)))
    return find_leaks("seccomp")


def _other_descriptors(fd: int) -> list[str]:
    limits.close_descriptors([fd])
    open_still = []
    for other in range(1024):
        with contextlib.suppress(OSError):
            os.fstat(other)
            open_still.append(other)
    return [] if open_still == [fd] else [f"open descriptors: {open_still}"]


def _honest_work_fails(fd: int, run: ProcessLimits) -> list[str]:
    """Do what an honest answer does, with all layers applied, and return what fails."""
    prepared = seccomp.compile_filter(replace(seccomp.PROGRAMS, write_fd=fd))
    limits.no_new_privileges()
    limits.apply(run)
    seccomp.install(prepared)
    failed = []
    try:
        for names in SELDOM_LOADED:  # one written in Python, one in C
            fresh = [name for name in names if name not in sys.modules]
            if fresh:
                importlib.import_module(fresh[0])
        if len(bytearray(50_000_000)) + sum(i * i for i in range(1000)) != 50_000_000 + 332_833_500:
            failed.append("arithmetic gave a wrong value")
        if time.perf_counter() <= 0 or len(os.urandom(8)) != 8:
            failed.append("the clock or random bytes could not be read")
    except (OSError, ImportError, MemoryError) as error:
        failed.append(f"something that honest programs do was refused: {error!r}")
    return failed


def _crash_hides_signal(run: ProcessLimits) -> list[str]:
    """Check that a crash ends the child by a signal although it may not send signals to itself. Return what is
    wrong."""
    pid = os.fork()
    if pid == 0:
        try:
            _honest_work_fails(1000, run)
            os.abort()
        finally:
            os._exit(70)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    return [] if status < 0 else [f"abort() ended with status {status} instead of a signal"]
