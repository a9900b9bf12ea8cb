"""The sandbox's layers: each is really on, its check notices when it is off, and the system-call filter does what it
should."""

from __future__ import annotations

import errno
import json
import os
import signal
import struct
import subprocess
import sys
import textwrap
from dataclasses import replace
from pathlib import Path

import pytest

from sebench.judge.sandbox import landlock, layers, seccomp

SOURCE = Path(seccomp.__file__).parents[3]
NAMES = {"user", "net", "ipc", "uts", "mount", "pid", "privileges", "environment"}
NAMES |= {"landlock", "rlimits", "seccomp", "descriptors", "work"}
ROOT = os.geteuid() == 0

PRELUDE = """
import json, os, signal, sys, threading, time
from dataclasses import replace
sys.path.insert(0, {source!r})
from pathlib import Path
from sebench.judge.sandbox import landlock, layers, limits, namespaces, seccomp
from sebench.base.address_space import address_space_in_use
from sebench.judge.sandbox.namespaces import FLAGS, MS_BIND, MS_PRIVATE, MS_REC, _mount, call

def become_somebody():
    "An ordinary user, who can still reach the Python that root keeps in a closed home."
    home = Path(os.__file__).parents[2]
    call("unshare", FLAGS["mount"])
    call("mount", b"none", b"/", None, MS_REC | MS_PRIVATE, None)
    top = next((p for p in reversed(home.parents) if p != Path("/") and not p.stat().st_mode & 1), None)
    if top:
        fd = os.open(home, os.O_PATH)
        _mount(b"tmpfs", str(top), b"tmpfs", 0, b"mode=755")
        home.mkdir(parents=True)
        _mount(f"/proc/self/fd/{{fd}}".encode(), str(home), None, MS_BIND | MS_REC)
        os.close(fd)
    os.setgroups([])
    os.setgid(12345)
    os.setuid(12345)

readable = [*landlock.library_folders(), Path({source!r})]

def zygote():
    run = limits.ProcessLimits(cpu_s=1, address_space=address_space_in_use() + (256 << 20))
    held = namespaces.enter(readable)
    return held, landlock.restrict(readable), run

def child(act):
    "How a child that is behind everything ends, and what it writes."
    held, said, run = zygote()
    readable_end, fd = os.pipe()
    prepared = seccomp.compile_filter(replace(seccomp.PROGRAMS, write_fd=fd))
    pid = os.fork()
    if pid == 0:
        limits.close_descriptors([fd])
        limits.apply(run)
        seccomp.install(prepared)
        act(lambda text: os.write(fd, text.encode()))
        os._exit(0)
    os.close(fd)
    text = os.read(readable_end, 65536).decode()
    print(json.dumps([os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), text]), flush=True)

"""


def python(program: str) -> str:
    """What a fresh Python prints that runs this behind the prelude."""
    code = PRELUDE.format(source=str(SOURCE)) + textwrap.dedent(program)
    done = subprocess.run([sys.executable, "-I", "-B", "-c", code], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    return done.stdout


def witnessed(leaks: str, before: str = "") -> list[str]:
    """What a witness finds in a child of a fresh process; `leaks` is the expression that it evaluates."""
    found = json.loads(python(f"{before}\nprint(json.dumps(layers._in_child(lambda fd: {{'x': {leaks}}})))"))
    assert "x" in found, found
    return found["x"]  # type: ignore[no-any-return]


def ending(act: str) -> tuple[int, str]:
    status, text = json.loads(python(f"def act(say):\n{textwrap.indent(textwrap.dedent(act), '    ')}\nchild(act)"))
    return status, text


WITNESS = "print(json.dumps([[r.name, r.holds, r.detail] for r in layers.verify_library(*zygote())]))"


def test_every_layer_holds_for_the_user_of_this_test() -> None:
    rows = json.loads(python(WITNESS))
    assert {name for name, _, _ in rows} == NAMES
    assert [row for row in rows if not row[1]] == []


@pytest.mark.skipif(not ROOT, reason="only root can become somebody else")
def test_every_layer_holds_for_an_unprivileged_user() -> None:
    rows = json.loads(python("become_somebody()\n" + WITNESS))
    assert {name for name, _, _ in rows} == NAMES
    assert [row for row in rows if not row[1]] == []


@pytest.mark.skipif(not ROOT, reason="another user cannot have rights to lose")
@pytest.mark.parametrize("name", sorted(NAMES - {"rlimits", "seccomp", "descriptors", "work"}))
def test_a_witness_notices_that_its_layer_is_missing(name: str) -> None:
    # in a fresh process: the attempts at an identity succeed there, and forking one that has threads is a gamble
    assert witnessed(f"layers.find_leaks({name!r})"), f"nothing leaked without {name}"


def test_witness_of_the_limits_notices_each_missing_limit() -> None:
    run = "limits.ProcessLimits(cpu_s=1, address_space=256 << 20)"
    assert all(witnessed(f"[a.leak() for a in layers.rlimit_attempts({run})]"))


def test_witness_of_the_filter_notices_that_it_is_missing() -> None:
    assert all(witnessed("[attempt.leak() for attempt in layers.ATTEMPTS['seccomp']]"))


def test_witness_of_the_descriptors_notices_an_open_one() -> None:
    assert witnessed("layers._other_descriptors(fd)", "limits.close_descriptors = lambda keep: None")


def test_a_witness_that_dies_is_no_proof() -> None:
    died = json.loads(python("print(json.dumps(layers._in_child(lambda fd: os._exit(3))))"))
    row = layers._layer_row("net", "on", died)
    assert not row.holds
    assert "3" in row.detail


def test_a_layer_that_was_refused_does_not_hold_whatever_its_witness_sees() -> None:
    assert layers._layer_row("net", "EPERM (no)", {"net": []}) == layers.Layer("net", False, "EPERM (no)")


def test_the_environment_is_gone_from_memory_too() -> None:
    seen = python(
        """
        import ctypes
        fields = Path("/proc/self/stat").read_text().rpartition(")")[2].split()
        start, end = int(fields[47]), int(fields[48])
        zygote()
        print(set(ctypes.string_at(start, end - start)) <= {0}, dict(os.environ))
        """
    )
    assert seen == "True {}\n"


@pytest.mark.skipif(not ROOT, reason="root is given up by root")
def test_root_is_given_up_for_good() -> None:
    assert python("zygote()\nprint(os.getresuid(), os.getresgid(), os.getgroups())").startswith("(65534, 65534, 65534)")


def test_a_zygote_sees_only_what_it_was_given() -> None:
    seen = set(python("namespaces.enter(readable)\nprint(*os.listdir('/'))").split())
    tops = {path.parts[1] for path in [*landlock.library_folders(), SOURCE]}
    assert seen <= tops | {"tmp", "proc", *(str(Path(f"/{t}").resolve()).split("/")[1] for t in tops)}


def test_a_folder_below_tmp_can_be_given(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    (tmp_path / "library.py").write_text("answer = 42")
    seen = python(
        f"readable.append(Path({str(tmp_path)!r}))\nzygote()\nsys.path.append({str(tmp_path)!r})\nimport library\n"
        "print(library.answer)"
    )
    assert seen == "42\n"


def test_killing_the_keeper_ends_the_zygote_and_its_children() -> None:
    code = PRELUDE.format(source=str(SOURCE)) + "zygote()\nos.fork()\nprint('up', flush=True)\ntime.sleep(3600)"
    keeper = subprocess.Popen([sys.executable, "-I", "-B", "-c", code], stdout=subprocess.PIPE)
    assert keeper.stdout is not None
    assert keeper.stdout.readline() == b"up\n"
    keeper.kill()
    keeper.communicate(timeout=600)  # until the last process that holds the pipe is gone


def test_the_keeper_ends_as_its_zygote_did() -> None:
    code = PRELUDE.format(source=str(SOURCE)) + "zygote()\nos._exit(7)"
    assert subprocess.run([sys.executable, "-I", "-B", "-c", code], timeout=600).returncode == 7


def test_abort_is_still_death_by_a_signal() -> None:
    assert ending("os.abort()")[0] < 0


def test_a_wild_pointer_is_still_death_by_a_signal() -> None:
    assert ending("import ctypes; ctypes.string_at(1)")[0] == -signal.SIGSEGV


def test_an_endless_loop_ends_by_its_cpu_time() -> None:
    assert ending("while True: pass")[0] == -signal.SIGXCPU


def test_an_endless_loop_that_ignores_the_warning_ends_too() -> None:
    assert ending("signal.signal(signal.SIGXCPU, signal.SIG_IGN)\nwhile True: pass")[0] == -signal.SIGKILL


def test_waiting_for_a_lock_is_no_way_to_sleep() -> None:
    act = (
        "lock = threading.Lock(); lock.acquire(); t = time.monotonic(); lock.acquire(timeout=600)\n"
        "say(str(time.monotonic() - t))"
    )
    status, text = ending(act)
    assert status == 0
    assert float(text) < 300


def test_too_much_memory_is_a_memory_error() -> None:
    assert ending("try: bytearray(10**9)\nexcept MemoryError: say('refused')") == (0, "refused")


# The tables and the filter.


def test_call_numbers_are_unique_and_the_known_ones_are_right() -> None:
    tables = []
    for column in (0, 1):
        known = {n: c[column] for n, c in {**seccomp.NUMBERS, **seccomp.CONDITIONAL}.items() if c[column] is not None}
        assert len(set(known.values())) == len(known)
        tables.append(known)
    x86, arm = tables
    assert (x86["read"], x86["write"], x86["openat"], x86["clone3"], x86["exit_group"]) == (0, 1, 257, 435, 231)
    assert (arm["read"], arm["write"], arm["openat"], arm["clone3"], arm["exit_group"]) == (63, 64, 56, 435, 94)
    assert set(x86) > set(arm)


FORBIDDEN = {  # (x86_64, aarch64)
    "socket": (41, 198), "connect": (42, 203), "clone": (56, 220), "execve": (59, 221), "kill": (62, 129),
    "tgkill": (234, 131), "ptrace": (101, 117), "process_vm_readv": (310, 270), "mount": (165, 40),
    "unshare": (272, 97),
    "setns": (308, 268), "prctl": (157, 167), "nanosleep": (35, 101), "clock_nanosleep": (230, 115), "ppoll": (271, 73),
    "setrlimit": (160, 164), "bpf": (321, 280), "perf_event_open": (298, 241),
    "io_uring_setup": (425, 425), "keyctl": (250, 219), "memfd_create": (319, 279), "shmget": (29, 194),
    "msgget": (68, 186), "semget": (64, 190), "dup3": (292, 24), "sendfile": (40, 71), "writev": (20, 66),
    "pwrite64": (18, 68), "openat2": (437, 437), "setuid": (105, 146), "seccomp": (317, 277), "unlinkat": (263, 35),
}  # fmt: skip

EPERM = seccomp.ERRNO | errno.EPERM
WRITE_FD = 9


def decide(code: bytes, number: int, *args: int, arch: int) -> int:
    """A tiny BPF machine: what the filter returns for a call."""
    data = struct.pack("=iIQ6Q", number - (1 << 32) if number >> 31 else number, arch, 0, *(list(args) + [0] * 6)[:6])
    steps = list(struct.iter_unpack("=HBBI", code))
    at = value = 0
    while True:
        kind, yes, no, k = steps[at]
        at += 1
        if kind == seccomp.RET:
            return int(k)
        if kind == seccomp.LD:
            value = int.from_bytes(data[k : k + 4], "little")
        elif kind == seccomp.AND:
            value &= k
        else:
            true = {seccomp.JEQ: value == k, seccomp.JGE: value >= k, seccomp.JSET: bool(value & k)}[kind]
            at += yes if true else no


ROLES = {role.name: role for role in (seccomp.PROGRAMS, seccomp.LIBRARY, seccomp.CANDIDATE)}


@pytest.fixture(params=sorted(seccomp.ARCHITECTURES))
def machine(request: pytest.FixtureRequest) -> tuple[bytes, int, int]:
    prepared = seccomp.compile_filter(replace(seccomp.PROGRAMS, write_fd=WRITE_FD), request.param)
    assert prepared is not None
    return prepared.code, *seccomp.ARCHITECTURES[request.param]


@pytest.mark.parametrize("name", sorted(seccomp.ARCHITECTURES))
@pytest.mark.parametrize("role", ROLES)
def test_filter_allows_its_list_and_nothing_else(role: str, name: str) -> None:
    prepared = seccomp.compile_filter(ROLES[role], name)
    assert prepared is not None
    code, (column, arch) = prepared.code, seccomp.ARCHITECTURES[name]
    allowed = {numbers[column] for call, numbers in seccomp.NUMBERS.items() if call in ROLES[role].calls}
    conditional = {numbers[column] for numbers in seccomp.CONDITIONAL.values()}
    for number in set(range(1024)) - conditional:
        wanted = seccomp.ALLOW if number in allowed else EPERM
        assert decide(code, number, arch=arch) == wanted, number


def test_filter_refuses_what_escapes_are_made_of(machine: tuple[bytes, int, int]) -> None:
    code, column, arch = machine
    for name, numbers in FORBIDDEN.items():
        for args in ((), (WRITE_FD,), (0, 0, 0), (2**64 - 1,) * 6):
            assert decide(code, numbers[column], *args, arch=arch) == EPERM, name


def test_filter_looks_at_arguments(machine: tuple[bytes, int, int]) -> None:
    code, column, arch = machine

    def call(name: str, *args: int) -> int:
        number = seccomp.CONDITIONAL[name][column]
        assert number is not None
        return decide(code, number, *args, arch=arch)

    assert call("write", WRITE_FD) == seccomp.ALLOW
    for fd in (0, 1, 2, WRITE_FD - 1, WRITE_FD + 1, 2**32 - 1):
        assert call("write", fd) == EPERM
    at_cwd = 2**64 - 100
    assert call("openat", at_cwd, 0, os.O_RDONLY | os.O_CLOEXEC | os.O_DIRECTORY) == seccomp.ALLOW
    for flags in (
        os.O_WRONLY,
        os.O_RDWR,
        os.O_CREAT,
        os.O_TRUNC,
        os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC,
        os.O_TMPFILE | 2,
    ):
        assert call("openat", at_cwd, 0, flags) == EPERM
    assert call("fcntl", 3, 1) == seccomp.ALLOW
    assert {call("fcntl", 3, command) for command in (0, 4, 6, 8, 1030, 1031)} == {EPERM}
    assert call("ioctl", 3, 0x5401) == seccomp.ALLOW
    assert {call("ioctl", 3, command) for command in (0x5412, 0x5413, 0x8901)} == {EPERM}
    assert {call("futex", 0, command | 128) for command in (1, 5, 10)} == {seccomp.ALLOW}
    assert {call("futex", 0, wait | 128) for wait in (0, 9, 9 | 256)} == {seccomp.ERRNO | errno.ETIMEDOUT}
    assert call("prlimit64", 0, 7, 0) == seccomp.ALLOW
    assert {call("prlimit64", *a) for a in ((0, 7, 4096), (0, 7, 1 << 32), (1, 7, 0))} == {EPERM}
    assert call("clone3") == seccomp.ERRNO | errno.ENOSYS
    if column == 0:
        assert call("open", 0, os.O_RDONLY) == seccomp.ALLOW
        assert call("open", 0, os.O_RDWR) == EPERM


# What would tell a candidate the time, toss a coin for it, or let it see which process it is.
TELLING = {
    "clock_gettime", "gettimeofday", "time", "times", "getrusage", "getrandom", "getpid", "getppid", "gettid",
    "sysinfo", "getcpu",
    "open", "openat", "stat", "newfstatat", "statfs", "readlink", "rt_sigaction", "rt_sigprocmask", "setitimer",
    "sendmsg", "socketpair",
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(seccomp.ARCHITECTURES))
def test_a_candidate_can_ask_the_kernel_nothing_that_differs_between_runs(name: str) -> None:
    prepared = seccomp.compile_filter(seccomp.CANDIDATE, name)
    assert prepared is not None
    column, arch = seccomp.ARCHITECTURES[name]
    numbers = {**seccomp.NUMBERS, **seccomp.CONDITIONAL}
    for call in TELLING:
        number = numbers[call][column]
        assert number is None or decide(prepared.code, number, arch=arch) == EPERM, call
    for call in ("mmap", "mprotect"):
        assert decide(prepared.code, numbers[call][column] or 0, 0, 4096, 3, arch=arch) == seccomp.ALLOW
        assert decide(prepared.code, numbers[call][column] or 0, 0, 4096, 7, arch=arch) == EPERM
    assert decide(prepared.code, numbers["futex"][column] or 0, 0, 128, arch=arch) == seccomp.KILL


def test_only_the_library_process_changes_its_own_limits(machine: tuple[bytes, int, int]) -> None:
    prepared = seccomp.compile_filter(seccomp.LIBRARY, "x86_64")
    assert prepared is not None
    arch = seccomp.ARCHITECTURES["x86_64"][1]
    assert decide(prepared.code, 302, 0, 0, 4096, arch=arch) == seccomp.ALLOW
    assert decide(prepared.code, 302, 1, 0, 4096, arch=arch) == EPERM  # of another process


CLOCK = """
from sebench.judge.sandbox import clock
said = clock.silence()
def read():
    try:
        return time.monotonic()
    except OSError:
        return None
lock = threading.Lock()
with lock:
    pass
maps = Path("/proc/self/maps").read_text()
print(json.dumps([said, read(), limits.call("getcpu", bytes(8), bytes(8)), "[vvar]" in maps]))
"""


def test_the_kernels_clock_is_silenced_and_locks_still_work() -> None:
    said, monotonic, core, memory = json.loads(python(CLOCK))
    assert (said, memory) == ("on", False)
    assert monotonic is None  # or, with another C library, what the kernel says when it is asked
    assert core <= 0


def test_filter_kills_another_architecture_and_refuses_x32() -> None:
    for name, (_, arch) in seccomp.ARCHITECTURES.items():
        prepared = seccomp.compile_filter(replace(seccomp.PROGRAMS, write_fd=WRITE_FD), name)
        assert prepared is not None
        for other in (0x40000003, 0x40000028, *(a for _, a in seccomp.ARCHITECTURES.values() if a != arch)):
            assert decide(prepared.code, 0, arch=other) == seccomp.KILL
        assert {decide(prepared.code, n | seccomp.X32_BIT, WRITE_FD, arch=arch) for n in range(600)} == {EPERM}


def test_an_unknown_machine_has_no_filter_instead_of_a_wrong_one() -> None:
    assert seccomp.compile_filter(seccomp.PROGRAMS, "riscv64") is None


def test_landlock_says_what_it_has() -> None:
    (said,) = witnessed("[landlock.restrict(landlock.library_folders())]")
    assert said.startswith("on, ABI ") == (landlock.abi() > 0), said
