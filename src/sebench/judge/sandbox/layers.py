"""Tests that the sandbox holds: throw-away children try everything that is forbidden, and every attempt must fail.

Each layer has its own attempts, with the error that only this layer returns (a fork fails with EPERM because of the
filter, with EAGAIN because of the limits), so that one layer cannot hide that another is missing. A zygote calls
`verify_library` or `verify_candidate` at start-up, after `namespaces.enter` and `landlock.restrict`; `sebench doctor`
prints the results. They try what an attacker would try first; that does not prove that nothing else works. An honest
child is tested as well: it must import, allocate, compute, answer, and die by a signal when it crashes.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import importlib.util
import json
import mmap
import os
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

if sys.platform != "win32":
    import resource

PTRACE_DETACH = 17
PATIENCE_S = 10.0  # for one test process; they need some milliseconds
SELDOM_LOADED = (("colorsys", "quopri", "stringprep", "sched"), ("_zoneinfo", "_queue", "_statistics", "cmath"))


@dataclass(frozen=True)
class EscapeAttempt:
    """A forbidden action. It counts as blocked by its layer only if it raises one of these error numbers."""

    what: str
    act: Callable[[], object]
    errors: tuple[int, ...]

    def leak(self) -> str:
        """Empty if the layer blocked it, otherwise what happened."""
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

    Call it in the zygote, single-threaded. Takes about 60 ms. No attempt does harm if its layer is missing.
    """
    return verify_all(held, restricted, run)


def verify_candidate(
    held: Mapping[str, str], restricted: str, silenced: str, confine: Callable[[], None]
) -> list[Layer]:
    """Test the layers of the candidate's zygote. `silenced` is the result of `clock.silence`, `confine` what a
    candidate applies to itself."""
    missing = [
        f"{name}: {state}" for name, state in {**held, "landlock": restricted}.items() if not state.startswith("on")
    ]
    leaks_by_layer = _in_child(lambda fd: {name: find_leaks(name) for name in (*held, "landlock")})
    through = missing + [text for texts in leaks_by_layer.values() for text in texts]
    rows = [Layer("wall: isolation", not through, "; ".join(through) or "on: the same layers")]
    if seccomp.compile_filter(seccomp.CANDIDATE) is None:
        rows.append(Layer("wall: system calls", False, "not here: no table of system calls for this machine"))
    else:
        through = _report_confined(confine, lambda: [text for a in candidate_attempts() if (text := a.leak())])
        rows.append(Layer("wall: system calls", not through, "; ".join(through) or "on"))
    read = _report_confined(confine, lambda: [name for name, act in CLOCKS.items() if act() == 0])
    detail = f"can be read: {', '.join(read)}" if read else silenced
    rows.append(Layer("wall: clock", not read and silenced.startswith("on"), detail))
    numpy = "numpy" in sys.modules or importlib.util.find_spec("numpy") is not None
    rows.append(Layer("wall: no NumPy", not numpy, "NumPy can be imported" if numpy else "on: it is not there"))
    return rows


def _report_confined(confine: Callable[[], None], act: Callable[[], list[str]]) -> list[str]:
    """What a confined child reports, as texts; empty if it ends early."""
    ours, theirs = socket.socketpair()
    pid = os.fork()
    if pid == 0:
        try:
            os.dup2(theirs.fileno(), 3)
            confine()
            os.write(3, json.dumps(act()).encode())
        finally:
            os._exit(0)
    theirs.close()
    ours.settimeout(PATIENCE_S)
    with ours:
        content = ours.recv(1 << 16)
    os.waitpid(pid, 0)
    report: list[str] = json.loads(content or b"[]")
    return report


def verify_all(held: Mapping[str, str], restricted: str, run: ProcessLimits) -> list[Layer]:
    """The rows of `verify_library`."""
    if not hasattr(os, "fork"):
        names = (*held, "landlock", "rlimits", "seccomp", "descriptors", "work")
        return [Layer(name, False, "not here: no fork") for name in names]
    leaks_by_layer = _in_child(lambda fd: {name: find_leaks(name) for name in (*held, "landlock")})
    rows = [_layer_row(name, state, leaks_by_layer) for name, state in {**held, "landlock": restricted}.items()]
    leaks_by_layer = _in_child(lambda fd: {"rlimits": _leaks_through_limits(run)})
    rows.append(_layer_row("rlimits", f"on: {run.cpu_s} s CPU, {run.address_space // MIB} MiB", leaks_by_layer))
    prepared = seccomp.compile_filter(seccomp.PROGRAMS)
    if prepared is None:
        rows.append(Layer("seccomp", False, "not here: no table of system calls for this machine"))
    else:
        leaks_by_layer = _in_child(lambda fd: {"seccomp": _leaks_through_filter(fd)})
        rows.append(_layer_row("seccomp", f"on: {len(prepared.code) // 8} instructions", leaks_by_layer))
    leaks_by_layer = _in_child(lambda fd: {"descriptors": _other_descriptors(fd), "work": _honest_work_fails(fd, run)})
    rows.append(_layer_row("descriptors", "on: one is open", leaks_by_layer))
    crash = _crash_hides_signal(run)
    rows.append(
        _layer_row(
            "work",
            "on: import, 50 MB, answer, crash",
            {**leaks_by_layer, "work": leaks_by_layer.get("work", []) + crash},
        )
    )
    return rows


def find_leaks(name: str) -> list[str]:
    """The attempts that get through a layer in this process; empty for a layer without attempts."""
    attempts = {**NAMESPACES, "landlock": LANDLOCK, "privileges": PRIVILEGES, "environment": ENVIRONMENT}.get(name, ())
    return [text for attempt in attempts if (text := attempt.leak())]


def _layer_row(name: str, state: str, leaks_by_layer: Mapping[str, list[str]]) -> Layer:
    if not state.startswith("on"):
        return Layer(name, False, state)
    through = leaks_by_layer.get("died") or leaks_by_layer.get(name, ["its test reported nothing"])
    return Layer(name, not through, "; ".join(through) or state)


def _in_child(act: Callable[[int], dict[str, list[str]]]) -> dict[str, list[str]]:
    """The report of a forked child, which gets the descriptor to write to; how it died, if there is no report."""
    readable, writable = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.close(readable)
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


def _look_for(paths: Iterable[str]) -> None:
    """Raise ENOENT if none of these paths is visible."""
    if not any(os.path.lexists(path) for path in paths):
        raise FileNotFoundError(errno.ENOENT, "nothing visible")


def _connect(kind: int, host: str) -> None:
    with socket.socket(socket.AF_INET, kind) as link:
        link.settimeout(0.2)
        link.connect((host, 9))


def _host_name() -> None:
    if socket.gethostname() == namespaces.HOSTNAME:
        raise FileNotFoundError(errno.ENOENT, "only the sandbox's own name")


def _still_outside(name: str) -> None:
    """Raise ENOENT unless this process is still in the namespace that the zygote had before `enter`."""
    if (
        Path(f"/proc/self/ns/{name}").stat().st_ino != namespaces.host_namespaces.get(name, 0)
        and namespaces.host_namespaces
    ):
        raise FileNotFoundError(errno.ENOENT, "another namespace")


def _other_processes() -> None:
    """Raise ESRCH if the low process ids are all free but the zygote's and this process's own."""
    for pid in range(1, 400):
        if pid not in (os.getpid(), os.getppid()):
            try:
                os.kill(pid, 0)
            except ProcessLookupError:
                continue
            except PermissionError:
                return
            return
    if os.getppid() != 1:
        return
    raise ProcessLookupError(errno.ESRCH, "no other process")


def _c_call(name: str, *args: int | bytes | None) -> None:
    done = limits.call(name, *args)
    if done < 0:
        raise OSError(-done, os.strerror(-done))


def _may_gain() -> None:
    if limits.call("prctl", limits.PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1:
        raise PermissionError(errno.EPERM, "no_new_privs")


def _process_number() -> None:
    if os.getpid() < 0:  # the C library passes on whatever the kernel says
        raise PermissionError(errno.EPERM, "no number")


def _any_variable() -> None:
    library = limits.libc()
    block = ctypes.POINTER(ctypes.c_char_p).in_dll(library, "environ") if library else None
    if not os.environ and not (block and block[0]):
        raise FileNotFoundError(errno.ENOENT, "no variable")


def _become(uid: int) -> None:
    os.setuid(uid if os.getuid() != uid else uid + 1)


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


def _lower_a_limit() -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _raise_a_limit() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_CPU)
    # infinity is -1: one more would be a limit of no time at all
    more = hard if hard == resource.RLIM_INFINITY else hard + 1
    resource.setrlimit(resource.RLIMIT_CPU, (soft, more))


UNREACHED = (errno.ENETUNREACH, errno.EADDRNOTAVAIL)
MACHINE = ("/etc/passwd", "/sys/kernel", "/dev/null", "/bin/sh")
NAMESPACES: dict[str, tuple[EscapeAttempt, ...]] = {
    "user": (EscapeAttempt("the machine's user namespace", lambda: _still_outside("user"), (errno.ENOENT,)),),
    "net": (
        EscapeAttempt("reaching the loopback network", lambda: _connect(socket.SOCK_DGRAM, "127.0.0.1"), UNREACHED),
    ),
    "ipc": (EscapeAttempt("the machine's ipc namespace", lambda: _still_outside("ipc"), (errno.ENOENT,)),),
    "uts": (EscapeAttempt("the machine's name", _host_name, (errno.ENOENT,)),),
    "mount": (
        EscapeAttempt("seeing the machine's files", lambda: _look_for(MACHINE), (errno.ENOENT,)),
        EscapeAttempt("reading /etc/passwd", lambda: os.open("/etc/passwd", os.O_RDONLY), (errno.ENOENT, errno.EACCES)),
    ),
    "pid": (EscapeAttempt("seeing other processes", _other_processes, (errno.ESRCH,)),),
}
KEPT = (errno.EACCES, errno.EROFS)  # read-only where a readable folder lies below /tmp
LANDLOCK = (
    EscapeAttempt("listing /", lambda: os.scandir("/"), (errno.EACCES,)),
    EscapeAttempt("listing /tmp", lambda: os.scandir("/tmp"), (errno.EACCES,)),
    EscapeAttempt("a new folder in /tmp", lambda: _create_and_remove(lambda path: Path(path).mkdir(), os.rmdir), KEPT),
    EscapeAttempt(
        "a new file in /tmp",
        lambda: _create_and_remove(lambda path: os.close(os.open(path, os.O_CREAT)), os.unlink),
        KEPT,
    ),
)
PRIVILEGES = (
    EscapeAttempt("gaining rights by exec", _may_gain, (errno.EPERM,)),
    EscapeAttempt("chroot", lambda: os.chroot("/"), (errno.EPERM,)),
    EscapeAttempt("naming the machine", lambda: socket.sethostname(socket.gethostname()), (errno.EPERM,)),
    EscapeAttempt("another identity", lambda: _become(0), (errno.EPERM, errno.EINVAL)),
)
ENVIRONMENT = (EscapeAttempt("reading the environment", _any_variable, (errno.ENOENT,)),)


def rlimit_attempts(run: ProcessLimits) -> list[EscapeAttempt]:
    """What the resource limits must block; run these only behind the limits."""
    size = run.address_space or 1 << 46
    return [
        EscapeAttempt("a fork", _fork, (errno.EAGAIN,)),
        EscapeAttempt("a thread", _thread, (errno.EAGAIN,)),
        EscapeAttempt("memory beyond the limit", lambda: mmap.mmap(-1, size), (errno.ENOMEM,)),
        EscapeAttempt("many open files", _open_many, (errno.EMFILE,)),
        EscapeAttempt("a file that grows", _grow_file, (errno.EFBIG,)),
        EscapeAttempt("more CPU time", _raise_a_limit, (errno.EPERM,)),
    ]


def seccomp_attempts() -> list[EscapeAttempt]:
    """What the filter must block; run these only behind it. Other descriptors are blocked whether open or not."""
    refused = (errno.EPERM,)
    return [
        EscapeAttempt("a fork", _fork, refused),
        EscapeAttempt("a socket", lambda: socket.socket().close(), refused),
        EscapeAttempt("opening for writing", lambda: os.open("/no/such/file", os.O_WRONLY), refused),
        EscapeAttempt("a signal to the parent", lambda: os.kill(os.getppid(), 0), refused),
        EscapeAttempt("a signal to itself", lambda: signal.raise_signal(signal.SIGCONT), refused),
        EscapeAttempt("exec", lambda: os.execv("/no/such/program", ["x"]), refused),
        EscapeAttempt("sleeping", lambda: time.sleep(0.001), refused),
        EscapeAttempt("waiting in select", lambda: select.select([], [], [], 0.001), refused),
        EscapeAttempt("writing to another descriptor", lambda: os.write(1000, b"x"), refused),
        EscapeAttempt("a duplicate descriptor", lambda: os.dup2(0, 1000), refused),
        EscapeAttempt("a pipe", os.pipe, refused),
        EscapeAttempt("changing a limit", _lower_a_limit, refused),
        EscapeAttempt("ptrace", lambda: _c_call("ptrace", PTRACE_DETACH, os.getpid(), 0, 0), refused),
        EscapeAttempt("unshare", lambda: _c_call("unshare", 0), refused),
        EscapeAttempt("prctl", lambda: _c_call("prctl", limits.PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0), refused),
        EscapeAttempt("shared memory", lambda: _c_call("shmget", 0x5EBE, 0, 0), refused),
        EscapeAttempt("an anonymous file", lambda: _c_call("memfd_create", b"witness", 0), refused),
    ]


CLOCKS: dict[str, Callable[[], int]] = {
    "the clock": lambda: limits.call("clock_gettime", 0, bytes(16)),
    "the monotonic clock": lambda: limits.call("clock_gettime", 1, bytes(16)),
    "the CPU clock": lambda: limits.call("clock_gettime", 2, bytes(16)),
    "the time of day": lambda: limits.call("gettimeofday", bytes(16), None),
    "the core": lambda: limits.call("getcpu", bytes(8), bytes(8)),
}


def candidate_attempts() -> list[EscapeAttempt]:
    """What a candidate's filter must block in addition."""
    refused = (errno.EPERM,)
    return [
        EscapeAttempt("a fork", _fork, refused),
        EscapeAttempt("opening a file", lambda: os.open("/", os.O_RDONLY), refused),
        EscapeAttempt("a socket", lambda: socket.socket().close(), refused),
        EscapeAttempt("a timer", lambda: signal.setitimer(signal.ITIMER_REAL, 0), refused),
        EscapeAttempt("a signal handler", lambda: signal.signal(signal.SIGUSR1, signal.SIG_IGN), refused),
        EscapeAttempt("the process number", _process_number, refused),
        EscapeAttempt("chance", lambda: _c_call("getrandom", bytes(8), 8, 0), refused),
        EscapeAttempt("memory that can be executed", lambda: mmap.mmap(-1, 4096, prot=mmap.PROT_EXEC), refused),
        EscapeAttempt("its own times", lambda: resource.getrusage(resource.RUSAGE_SELF), refused),
        EscapeAttempt("writing to another descriptor", lambda: os.write(1000, b"x"), refused),
    ]


def _leaks_through_limits(run: ProcessLimits) -> list[str]:
    limits.apply(run)
    return [text for attempt in rlimit_attempts(run) if (text := attempt.leak())]


def _leaks_through_filter(fd: int) -> list[str]:
    prepared = seccomp.compile_filter(replace(seccomp.PROGRAMS, write_fd=fd))
    assert prepared is not None
    limits.no_new_privileges()
    seccomp.install(prepared)
    return [text for attempt in seccomp_attempts() if (text := attempt.leak())]


def _other_descriptors(fd: int) -> list[str]:
    limits.close_descriptors([fd])
    open_still = []
    for other in range(1024):
        with contextlib.suppress(OSError):
            os.fstat(other)
            open_still.append(other)
    return [] if open_still == [fd] else [f"open descriptors: {open_still}"]


def _honest_work_fails(fd: int, run: ProcessLimits) -> list[str]:
    """What fails of the things that an honest answer does, behind all layers."""
    prepared = seccomp.compile_filter(replace(seccomp.PROGRAMS, write_fd=fd))
    limits.no_new_privileges()
    limits.apply(run)
    if prepared is not None:
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
            failed.append("no clock or no randomness")
    except (OSError, ImportError, MemoryError) as error:
        failed.append(f"an honest program was refused: {error!r}")
    return failed


def _crash_hides_signal(run: ProcessLimits) -> list[str]:
    """A crash must end the child by a signal, although it may not send signals to itself."""
    pid = os.fork()
    if pid == 0:
        try:
            _honest_work_fails(1000, run)
            os.abort()
        finally:
            os._exit(70)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    return [] if status < 0 else [f"abort() ended with {status}"]
