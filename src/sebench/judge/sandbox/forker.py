"""Forks candidates, all from the same memory.

A candidate that could distinguish its runs by an address would know in which of them the library is falsified, or could
toss a coin. Its memory at the fork is that of the template, so the template must have the same memory before every
fork, down to the order in which free blocks will be reused. Python code that handles several objects at a time changes
that order. So between two forks there are only calls to the C library, with arguments that were created before. Each
call creates at most one object and frees it again, and everything received about one candidate is overwritten before
the next is forked. In a candidate, the memory that held its time limit is overwritten before its program begins.
"""

from __future__ import annotations

import ctypes
import os
import platform
import signal
import socket
import struct
from collections.abc import Callable

from sebench.judge.sandbox.wire import OWN_FAULT, Status

RUN = struct.Struct("@llll")  # a request for a run: `struct itimerval` with its CPU time
TIMER_PROF = 2
# process, status and the times from `struct rusage`: user and system, in seconds and microseconds
USAGE = struct.Struct("<iiqqqq")
RUSAGE_BYTES = 144  # size of `struct rusage` on 64-bit systems
PIDFD_OPEN = 434
CLONE = {"x86_64": 56, "aarch64": 220}
SIGCHLD = 17
POLLIN = 1
REHEARSALS = 10
CONTROL_BYTES = 24  # a control message with one descriptor
DESCRIPTOR_AT = 16  # offset of the descriptor in the message


class _Vector(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]


class _Message(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_void_p),
        ("name_length", ctypes.c_uint),
        ("vectors", ctypes.POINTER(_Vector)),
        ("vector_count", ctypes.c_size_t),
        ("control", ctypes.c_void_p),
        ("control_length", ctypes.c_size_t),
        ("flags", ctypes.c_int),
    ]


class _Poll(ctypes.Structure):
    _fields_ = [("fd", ctypes.c_int), ("events", ctypes.c_short), ("revents", ctypes.c_short)]


class _EndedMessage(ctypes.Structure):
    """The frame that reports how a candidate ended."""

    _pack_ = 1
    _fields_ = [
        ("length", ctypes.c_uint),
        ("pid", ctypes.c_int),
        ("status", ctypes.c_int),
        ("usage", ctypes.c_byte * RUSAGE_BYTES),
    ]


def pack_request(cpu_s: float) -> bytes:
    """Return the request for a run with this much CPU time."""
    return RUN.pack(0, 0, int(cpu_s), int(cpu_s % 1 * 1e6))


def read_status(content: bytes) -> Status:
    """Return how a candidate ended, according to its template's reply."""
    _, status, user_s, user_us, system_s, system_us = USAGE.unpack_from(content)
    return Status.of(status, user_s + system_s + (user_us + system_us) / 1e6)


class Forker:
    """Forks candidates for the template of a program."""

    def __init__(self) -> None:
        # single-threaded, so the interpreter's lock need not be released
        self.library = ctypes.PyDLL(None)
        self.request = ctypes.create_string_buffer(RUN.size)
        self.control = ctypes.create_string_buffer(CONTROL_BYTES)
        self.vector = _Vector(ctypes.addressof(self.request), RUN.size)
        self.message = _Message()
        self.polled = (_Poll * 2)()
        self.reply = _EndedMessage()
        self.reply.length = ctypes.sizeof(_EndedMessage) - 4
        self.message.vectors = ctypes.pointer(self.vector)
        self.message.vector_count = 1
        self.message.control = ctypes.addressof(self.control)

    def rehearse(self) -> None:
        """Serve a few candidates that only wait for their connection to close, so that everything that the interpreter
        caches on first use exists before the first template starts."""
        ours, theirs = socket.socketpair()
        if os.fork() == 0:
            theirs.close()
            for _ in range(REHEARSALS):
                near, far = socket.socketpair()
                socket.send_fds(ours, [pack_request(1.0)], [far.fileno()])
                far.close()
                near.close()
                ours.recv(1024)
            os._exit(0)
        ours.close()

        def wait(line_fd: int) -> None:
            os.read(line_fd, 1)
            os._exit(0)

        with theirs:
            self.serve(theirs, wait)
        os.wait()

    def serve(self, line: socket.socket, run: Callable[[int], None]) -> None:
        """Fork a candidate whenever the library process asks for one on `line`, until it hangs up. The candidate calls
        `run` with its own connection."""
        names = "recvmsg fork close syscall poll wait4 write memset setitimer".split()
        recvmsg, fork, close, syscall, poll, wait4, write, memset, setitimer = (
            getattr(self.library, name) for name in names
        )
        # Numbers are passed as they are: a call creates a temporary copy of every ctypes object among its arguments.
        message, polled, request = ctypes.byref(self.message), ctypes.byref(self.polled), ctypes.byref(self.request)
        reply, written, status, usage = (ctypes.byref(self.reply, at) for at in (0, 4, 8, 12))
        line_fd = line.fileno()
        ended_size, polled_size = ctypes.sizeof(_EndedMessage), ctypes.sizeof(self.polled)
        written_size, request_size = ended_size - 4, RUN.size
        descriptor = ctypes.c_int.from_buffer(self.control, DESCRIPTOR_AT)
        # Not the C library's fork: that stores the id of the new process in its memory, which differs in every run.
        clone = CLONE.get(platform.machine(), -1)
        pid = ctypes.c_int.from_buffer(self.reply, 4)
        by_end, by_library = self.polled
        while True:
            self.message.control_length = CONTROL_BYTES
            if recvmsg(line_fd, message, 0) < RUN.size:
                return
            pid.value = syscall(clone, SIGCHLD, 0, 0, 0, 0) if clone >= 0 else fork()
            if not pid.value:
                setitimer(TIMER_PROF, request, None)
                memset(request, 0, request_size)
                run(descriptor.value)
            if pid.value < 0:  # no process available: not the program's fault
                os._exit(OWN_FAULT)
            close(descriptor.value)
            by_end.fd = syscall(PIDFD_OPEN, pid, 0)
            by_library.fd = line_fd
            by_end.events = by_library.events = POLLIN
            while by_end.fd >= 0 and not by_end.revents:
                poll(polled, 2, -1)
                if by_library.revents and not by_end.revents:  # it hung up
                    os.kill(pid.value, signal.SIGKILL)
                    break
            wait4(pid, status, 0, usage)
            if by_end.fd >= 0:
                os.close(by_end.fd)
            write(line_fd, reply, ended_size)
            memset(written, 0, written_size)
            memset(polled, 0, polled_size)
