"""The clock that the kernel gives every process without being asked: a few functions in a page of their own (the vDSO) that read the
time from memory.

A filter of system calls does not see them. `silence` makes them say that they are not implemented, which is also what the C library says
then, or makes it ask the kernel, which a candidate may not (`seccomp.py`); and it takes away the memory that they read. It is done once, in
the candidate's zygote, which needs no clock itself. Where the kernel does not let its page be changed, the answer says so, and time is only
what `determinism.py` made of it.
"""

from __future__ import annotations

import ctypes
import mmap
import platform
import re
import struct
import sys
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
    """Take the kernel's clock from this process and its children: "on" or why not."""
    code = NOT_IMPLEMENTED.get(platform.machine()) if sys.platform == "linux" else None
    library = libc()
    if code is None or library is None:
        return f"not here: no Linux on {', '.join(NOT_IMPLEMENTED)}"
    try:
        pages = _kernel_pages(Path("/proc/self/maps").read_text())
    except OSError as error:
        return f"/proc/self/maps cannot be read: {error.strerror}"
    for name, (start, size) in pages.items():
        if name != "vdso" and library.munmap(ctypes.c_void_p(start), ctypes.c_size_t(size)) != 0:
            return "the kernel keeps the memory of its clock"
    if "vdso" not in pages:
        return "on: there is none"
    start, size = pages["vdso"]
    writable = ctypes.c_int(mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    if library.mprotect(ctypes.c_void_p(start), ctypes.c_size_t(size), writable) != 0:
        return "the kernel does not let its clock be changed"
    for offset in _function_offsets(ctypes.string_at(start, size)):
        ctypes.memmove(start + offset, code, len(code))
    library.mprotect(ctypes.c_void_p(start), ctypes.c_size_t(size), ctypes.c_int(mmap.PROT_READ | mmap.PROT_EXEC))
    return "on"


def _kernel_pages(maps: str) -> dict[str, tuple[int, int]]:
    """Start and size of the kernel's pages, by name."""
    pages = {}
    for start, end, name in re.findall(r"^([0-9a-f]+)-([0-9a-f]+) .*\[(vdso|vvar\w*)\]$", maps, re.MULTILINE):
        pages[name] = int(start, 16), int(end, 16) - int(start, 16)
    return pages


def _function_offsets(image: bytes) -> Iterator[int]:
    """Where the functions of an ELF image of 64 bits begin, but for the one that is not a clock."""
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
