"""Disables the vDSO clock: functions that the kernel maps into every process, which read the time from memory.

A system-call filter does not see them. `silence` makes them return "not implemented"; the C library then reports the
same error, or asks the kernel, which a candidate may not do (`seccomp.py`). It also unmaps the memory from which they
read the time. This is done once, in the candidate's zygote, which needs no clock itself. If the kernel does not allow
this, the return value says so, and time is controlled only by `determinism.py`.
"""

from __future__ import annotations

import ctypes
import mmap
import platform
import re
import struct
from collections.abc import Iterator
from pathlib import Path

from sebench.judge.sandbox.limits import libc

# "return -ENOSYS" in machine code
NOT_IMPLEMENTED = {
    "x86_64": bytes.fromhex("48c7c0daffffff") + b"\xc3",  # mov rax, -38; ret
    "aarch64": struct.pack("<II", 0x928004A0, 0xD65F03C0),  # movn x0, #37; ret
}
SECTION_DYNSYM, FUNCTION = 11, 2
KEPT = "rt_sigreturn"  # not a clock: signal handlers return through it


def silence() -> str:
    """Disable the vDSO clock in this process and its children. Return "on", or why it could not be disabled."""
    code, library = NOT_IMPLEMENTED.get(platform.machine()), libc()
    if code is None:
        return f"not available: needs {' or '.join(NOT_IMPLEMENTED)}"
    try:
        pages = _kernel_pages(Path("/proc/self/maps").read_text())
    except OSError as error:
        return f"cannot read /proc/self/maps: {error.strerror}"
    for name, (start, size) in pages.items():
        if name != "vdso" and library.munmap(ctypes.c_void_p(start), ctypes.c_size_t(size)) != 0:
            return "the kernel does not allow unmapping the memory of the vDSO clock"
    if "vdso" not in pages:
        return "on: there is no vDSO clock"
    start, size = pages["vdso"]
    writable = ctypes.c_int(mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    if library.mprotect(ctypes.c_void_p(start), ctypes.c_size_t(size), writable) != 0:
        return "the kernel does not allow changing the vDSO clock"
    for offset in _function_offsets(ctypes.string_at(start, size)):
        ctypes.memmove(start + offset, code, len(code))
    library.mprotect(ctypes.c_void_p(start), ctypes.c_size_t(size), ctypes.c_int(mmap.PROT_READ | mmap.PROT_EXEC))
    return "on"


def _kernel_pages(maps: str) -> dict[str, tuple[int, int]]:
    """Return the start and size of the vDSO and vvar mappings in this process, by name."""
    pages = {}
    for start, end, name in re.findall(r"^([0-9a-f]+)-([0-9a-f]+) .*\[(vdso|vvar\w*)\]$", maps, re.MULTILINE):
        pages[name] = int(start, 16), int(end, 16) - int(start, 16)
    return pages


def _function_offsets(image: bytes) -> Iterator[int]:
    """Yield the offsets of the functions in a 64-bit ELF image, except for the one that is not a clock."""
    (sections,) = struct.unpack_from("<Q", image, 40)
    size, count = struct.unpack_from("<HH", image, 58)
    headers = [struct.unpack_from("<IIQQQQIIQQ", image, sections + i * size) for i in range(count)]
    for _, kind, _, _, offset, length, link, _, _, step in headers:
        if kind != SECTION_DYNSYM:
            continue
        names = headers[link][4]
        for at in range(offset, offset + length, step):
            name, info, _, _, value, _ = struct.unpack_from("<IBBHQQ", image, at)
            text = image[names + name : image.index(b"\0", names + name)].decode()
            if info & 15 == FUNCTION and value and KEPT not in text:
                yield value
