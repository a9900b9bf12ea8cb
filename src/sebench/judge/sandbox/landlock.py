"""Landlock: a process can read files only below a few folders and change none, cannot use TCP, and cannot send signals
or connect through abstract sockets to processes outside.

The zygote restricts itself once, after it has imported what it needs; every child inherits the restriction at no cost.
Landlock needs no privileges. It does not hide names (`stat` and `readlink` still work; the mount namespace does that)
and does not affect descriptors that are already open.
"""

from __future__ import annotations

import ctypes
import importlib.util
import os
import struct
import sys
from collections.abc import Sequence
from pathlib import Path

from sebench.judge.sandbox.limits import call, describe_errno, no_new_privileges

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446  # the same on every architecture
VERSION = 1  # flag of CREATE_RULESET: only return the ABI version
PATH_BENEATH = 1

EXECUTE, READ_FILE, READ_DIR = 1 << 0, 1 << 2, 1 << 3
FILE_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}  # ABI -> how many kinds of access it can deny
NET_RIGHTS = 0b11  # bind and connect TCP, from ABI 4
SCOPES = 0b11  # abstract Unix sockets and signals, from ABI 6

PACKAGES = ("site-packages", "dist-packages")  # folders of installed packages, below the standard library or not
SYSTEM_LIBRARIES = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib")


def standard_folders() -> list[Path]:
    """Return the folders of the standard library."""
    version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    folders = [Path(os.__file__).parent, Path(sys.base_exec_prefix, sys.platlibdir, version)]
    return [path for path in dict.fromkeys(folders) if os.access(path, os.R_OK | os.X_OK)]


def library_folders() -> list[Path]:
    """Return the folders that a child of the library's zygote reads for late imports: the standard library, NumPy, and
    the system's shared libraries."""
    folders = [*standard_folders(), *numpy_folders()]
    folders += [Path(name) for name in SYSTEM_LIBRARIES]
    return [path for path in dict.fromkeys(folders) if os.access(path, os.R_OK | os.X_OK)]


def numpy_folders() -> list[Path]:
    """Return the folders of NumPy and of the shared libraries that it ships."""
    spec = importlib.util.find_spec("numpy")
    folders = [Path(place) for place in (spec and spec.submodule_search_locations) or ()]
    folders += [place.with_name("numpy.libs") for place in folders]
    return [path for path in folders if os.access(path, os.R_OK | os.X_OK)]


def without_packages(folders: Sequence[Path]) -> list[Path]:
    """Return the contents of these folders, except for installed packages and `ctypes`."""
    return [
        entry for folder in folders for entry in sorted(folder.iterdir()) if entry.name not in (*PACKAGES, "ctypes")
    ]


def abi() -> int:
    """Return the Landlock ABI version of this machine; 0 if there is none."""
    return max(call("syscall", CREATE_RULESET, 0, 0, VERSION), 0)


def restrict(readable: Sequence[Path]) -> str:
    """Deny this process and its children everything that Landlock controls, except reading and executing below these
    folders. Return "on..." or why that failed."""
    version = abi()
    if version < 1:
        return f"not available: {describe_errno(call('syscall', CREATE_RULESET, 0, 0, VERSION))}"
    files = (1 << FILE_RIGHTS[min(version, 5)]) - 1
    net = NET_RIGHTS if version >= 4 else 0
    scopes = SCOPES if version >= 6 else 0
    size = 24 if version >= 6 else 16 if version >= 4 else 8
    attributes = ctypes.create_string_buffer(struct.pack("QQQ", files, net, scopes), 24)
    ruleset = call("syscall", CREATE_RULESET, ctypes.addressof(attributes), size, 0)
    if ruleset < 0:
        return f"no ruleset: {describe_errno(ruleset)}"
    try:
        for folder in readable:
            refused = _allow(ruleset, folder)
            if refused:
                return refused
        if not no_new_privileges():
            return "no_new_privs cannot be set"
        done = call("syscall", RESTRICT_SELF, ruleset, 0)
    finally:
        os.close(ruleset)
    if done < 0:
        return f"cannot restrict: {describe_errno(done)}"
    return "on, ABI " + str(version) + ": files" + ", TCP" * bool(net) + ", signals" * bool(scopes)


def _allow(ruleset: int, folder: Path) -> str:
    """Allow reading a file, or the files below a folder; one that does not exist needs no rule."""
    try:
        place = os.open(folder, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return ""
    except OSError as error:
        return f"{folder}: {error.strerror}"
    rights = EXECUTE | READ_FILE | (READ_DIR if folder.is_dir() else 0)
    rule = ctypes.create_string_buffer(struct.pack("=Qi", rights, place), 12)
    try:
        done = call("syscall", ADD_RULE, ruleset, PATH_BENEATH, ctypes.addressof(rule), 0)
    finally:
        os.close(place)
    return "" if done == 0 else f"no rule for {folder}: {describe_errno(done)}"
