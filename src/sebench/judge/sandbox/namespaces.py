"""Namespaces: hide nearly everything about the machine from a zygote and its children.

`enter` is called once, single-threaded, before the first run. Root creates the namespaces directly and then becomes the
user `nobody`, inside its own user namespace; any other user enters a user namespace first. The new file system contains
only the readable folders (read-only, at their own paths, without the contents of the folders above them), an empty /tmp
and a /proc for the new pid namespace. The network has no interface that is up. No capability survives.

A pid namespace begins with the next child, so **`enter` forks and returns in the child only**, which is pid 1 there.
The process that called it stays behind as a keeper: it waits, and ends with the child's status. If the keeper is
killed, so is the child, and when pid 1 ends, the kernel kills every run. Descriptors stay valid but paths do not, so
open what you need (such as /dev/null) beforehand. If a namespace is not available, the return value says why, and the
others still work.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import platform
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from sebench.judge.sandbox import limits
from sebench.judge.sandbox.limits import call, describe_errno

FLAGS = {"net": 0x40000000, "ipc": 0x08000000, "uts": 0x04000000, "mount": 0x00020000, "pid": 0x20000000}
NEW_USER = 0x10000000
NOBODY = 65534
HOSTNAME = "sandbox"

MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_REMOUNT = 1, 2, 4, 8, 32
MS_BIND, MS_REC, MS_PRIVATE, MNT_DETACH = 4096, 16384, 1 << 18, 2
PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}
MOUNT_SETATTR, AT_FDCWD, AT_RECURSIVE = 442, -100, 0x8000
ATTR_RDONLY_NOSUID_NODEV = 0b111
CAPABILITY_VERSION = 0x20080522

# namespaces that `enter` left, by inode: `layers.py` checks that no child is still in them
host_namespaces: dict[str, int] = {}
NEW_ROOT = "/tmp"  # where the new root is assembled; it exists on every system


def enter(readable: Sequence[Path], hidden: Sequence[str] = ()) -> dict[str, str]:
    """Leave the machine's namespaces. For each of user, net, ipc, uts, mount, pid, privileges and environment, return
    "on" or why it failed.

    `hidden` has the names of folders directly below the readable ones that will appear empty. If there is a pid
    namespace, this function returns only in a forked child (see the top of this module).
    """
    held: dict[str, str] = {"environment": forget_environment()}
    for name in ("user", "ipc"):
        with contextlib.suppress(OSError):
            host_namespaces[name] = Path(f"/proc/self/ns/{name}").stat().st_ino
    uid, gid = os.geteuid(), os.getegid()
    probe = call("unshare", FLAGS["uts"]) if uid == 0 else -errno.EPERM  # root in a container may lack the rights
    if probe < 0:
        held["user"] = _new_user(uid, gid)
    for name, flag in FLAGS.items():
        done = call("unshare", flag)
        held[name] = "on" if done == 0 else describe_errno(done)
    if held["pid"] == "on":
        child = os.fork()
        if child:
            _wait_and_exit(child)
    os.umask(0o022)
    if held["uts"] == "on":
        call("sethostname", HOSTNAME.encode(), len(HOSTNAME))
    if held["mount"] == "on":
        held["mount"] = _new_root(readable, hidden, held["pid"] == "on")
    os.chdir("/")
    held["privileges"] = _drop_privileges(readable, held)
    if held["pid"] == "on":
        limits.Tether().attach()
    os.umask(0o077)
    return held


def forget_environment() -> str:
    """Empty the environment, and overwrite the memory in which the kernel passed it."""
    os.environ.clear()
    call("clearenv")
    try:
        fields = Path("/proc/self/stat").read_text().rpartition(")")[2].split()
        start, end = int(fields[47]), int(fields[48])  # env_start and env_end, fields 50 and 51 of the whole line
    except (OSError, ValueError, IndexError):
        return "on, but its original copy in memory was not found, and so not overwritten"
    if 0 < start < end:
        ctypes.memset(start, 0, end - start)
    return "on"


def _wait_and_exit(child: int) -> NoReturn:
    """Wait for pid 1 of the namespace and exit with the same status."""
    while True:
        try:
            _, status = os.waitpid(child, 0)
        except InterruptedError:
            continue
        except ChildProcessError:
            os._exit(70)
        code = os.waitstatus_to_exitcode(status)
        os._exit(code if code >= 0 else 128 - code)


def _new_user(uid: int, gid: int) -> str:
    """Enter a user namespace in which this user keeps its id and has all privileges over namespaces created there."""
    call("prctl", limits.PR_SET_DUMPABLE, 1, 0, 0, 0)  # else, after a change of user id, it may not write its own maps
    done = call("unshare", NEW_USER)
    if done == -errno.EINVAL:
        return "more than one thread is running: import NumPy with OPENBLAS_NUM_THREADS=1"
    if done < 0:
        return describe_errno(done)
    try:
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/gid_map").write_text(f"{gid} {gid} 1")
        Path("/proc/self/uid_map").write_text(f"{uid} {uid} 1")
    except OSError as error:
        return f"on, but the user and group ids could not be mapped: {error.strerror}"
    return "on"


def _new_root(readable: Sequence[Path], hidden: Sequence[str], fresh_proc: bool) -> str:
    """Assemble a file system from the readable folders and make it the root; keep the old root if anything fails."""
    pivot = PIVOT_ROOT.get(platform.machine())
    if pivot is None:
        return f"the old root stays: the call number of pivot_root is not known for {platform.machine()}"
    done = call("mount", b"none", b"/", None, MS_REC | MS_PRIVATE, None)
    if done < 0:
        return f"the old root stays: {describe_errno(done)}"
    sources: dict[Path, int] = {}
    try:
        for path in _outermost(readable):
            sources[path] = os.open(path, os.O_PATH | os.O_CLOEXEC)  # before the new root covers what is below it
        _mount(b"tmpfs", NEW_ROOT, b"tmpfs", MS_NOSUID | MS_NODEV, b"size=4m,mode=755")
        try:
            _mount_folders(sources, hidden, fresh_proc)
            os.chdir(NEW_ROOT)
            _check("pivot_root", call("syscall", pivot, _address(b"."), _address(b".")))
        except OSError:
            os.chdir("/")
            call("umount2", NEW_ROOT.encode(), MNT_DETACH)
            raise
        call("umount2", b".", MNT_DETACH)
    except OSError as error:
        return f"the old root stays: {error}"
    finally:
        for source in sources.values():
            os.close(source)
    return "on"


def _mount_folders(sources: dict[Path, int], hidden: Sequence[str], fresh_proc: bool) -> None:
    for path, source in sources.items():
        target = f"{NEW_ROOT}{path}"
        if path.is_symlink():  # such as /lib -> usr/lib; what it points to is bound as well
            Path(target).parent.mkdir(parents=True, exist_ok=True)
            Path(target).symlink_to(path.readlink())
            continue
        Path(target).mkdir(parents=True, exist_ok=True)
        _mount(f"/proc/self/fd/{source}".encode(), target, None, MS_BIND | MS_REC)
        for name in hidden:
            if Path(target, name).is_dir():
                _mount(b"tmpfs", f"{target}/{name}", b"tmpfs", MS_NOSUID | MS_NODEV | MS_RDONLY, b"size=4k,mode=755")
        attributes = struct.pack("QQQQ", ATTR_RDONLY_NOSUID_NODEV, 0, 0, 0)
        where = (AT_FDCWD, _address(target.encode()), AT_RECURSIVE, _address(attributes), len(attributes))
        # from Linux 5.12; before that, Landlock and the changed user id protect files
        call("syscall", MOUNT_SETATTR, *where)
    Path(f"{NEW_ROOT}/tmp").mkdir(exist_ok=True)
    if not any(path.is_relative_to("/tmp") for path in sources):
        _mount(b"tmpfs", f"{NEW_ROOT}/tmp", b"tmpfs", MS_NOSUID | MS_NODEV, b"size=16m,mode=1777")
    if fresh_proc:
        Path(f"{NEW_ROOT}/proc").mkdir()
        flags = MS_NOSUID | MS_NODEV | MS_NOEXEC
        # if refused, there is no /proc at all
        call("mount", b"proc", f"{NEW_ROOT}/proc".encode(), b"proc", flags, None)
    _mount(b"none", NEW_ROOT, None, MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV)


def _outermost(readable: Sequence[Path]) -> list[Path]:
    """Return the readable folders that are not inside another one, as absolute paths (not resolved, because imports use
    these names)."""
    absolute = [p.absolute() for p in readable if os.access(p, os.R_OK | os.X_OK)]
    paths = sorted({*absolute, *(p.resolve() for p in absolute if p.is_symlink())})
    return [p for p in paths if not any(p != q and p.is_relative_to(q) for q in paths)]


def _mount(source: bytes, target: str, kind: bytes | None, flags: int, data: bytes | None = None) -> None:
    _check(f"mount on {target}", call("mount", source, target.encode(), kind, flags, data))


def _check(what: str, done: int) -> None:
    if done < 0:
        raise OSError(-done, f"{what}: {os.strerror(-done)}")


_held_buffers: list[ctypes.Array[ctypes.c_char]] = []


def _address(content: bytes) -> int:
    """Return the address of some bytes, for a raw system call."""
    _held_buffers.append(ctypes.create_string_buffer(content))
    return ctypes.addressof(_held_buffers[-1])


def _drop_privileges(readable: Sequence[Path], held: dict[str, str]) -> str:
    """Become the user `nobody` if this is root, and give up every capability."""
    answer = "on"
    if os.geteuid() == 0:
        answer = _become_nobody(readable)
    if "user" not in held:
        held["user"] = _new_user(os.geteuid(), os.getegid())
    header = struct.pack("Ii", CAPABILITY_VERSION, 0)
    done = call("capset", header, bytes(24))
    if done < 0:
        answer = f"capabilities stay: {describe_errno(done)}"
    if not limits.no_new_privileges():
        answer = "no_new_privs cannot be set"
    call("prctl", limits.PR_SET_DUMPABLE, 0, 0, 0, 0)
    return answer


def _become_nobody(readable: Sequence[Path]) -> str:
    """Become the user `nobody`; if that user cannot read the folders, stay root without any of its privileges."""
    present = [p for p in readable if p.exists()]  # asked as root: others may not look into its home
    try:
        os.setgroups([])
        os.setegid(NOBODY)
        os.seteuid(NOBODY)
        closed = [p for p in present if not os.access(p, os.R_OK | os.X_OK, effective_ids=True)]
        os.seteuid(0)
        os.setegid(0)
        if closed:
            return f"on, as root without capabilities: the user 'nobody' cannot read {closed[0]}"
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
    except OSError as error:
        return f"on, as root without capabilities: {error.strerror}"
    return "on"
