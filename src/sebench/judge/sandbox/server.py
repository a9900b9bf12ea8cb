"""The library process for programs behind the wall: it holds the arrays, answers the candidate's calls, and executes
none of the candidate's code.

It is a fork of the library's zygote. For every run it starts a fresh candidate (`TemplateLauncher`), sends it one case
after the other, and serves its calls: names and plain data in, plain data and array numbers out (`codec.py`). It
answers only calls to functions whose names occur in the program. Everything that a run leaves behind is dropped before
the next one. The cost of a request is charged to the candidate; the kernel enforces the limits on time and memory.

A program must not be able to tell its runs apart, so nothing that depends on earlier work of this process reaches a
candidate: a call that needs more memory or stack depth than is left ends the run. Until the library has lied (returned
a deliberately wrong value), a falsified run is identical to the truthful one: a program that sends something different
before that knows something it should not, and its run proves nothing.

When the library calls a candidate's function, that is a message too, so calls can nest: while a call waits for its
callback, others are served.
"""

from __future__ import annotations

import builtins
import contextlib
import marshal
import os
import re
import socket
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NoReturn

from sebench.judge.sandbox import forker, limits
from sebench.judge.sandbox.client import IN_PLACE, METHODS
from sebench.judge.sandbox.codec import (
    ARGUMENTS,
    ARRAY,
    CODED,
    HEAD,
    MARSHAL_VERSION,
    MOST_BYTES,
    NUMBER,
    NUMBERS,
    MalformedMessage,
    MessageTooLarge,
    Ref,
    decode,
    encode,
)
from sebench.judge.sandbox.trees import Encoder, Opaque, ValueTooLarge
from sebench.judge.sandbox.wire import (
    MOST_STDOUT,
    Budget,
    CaseCalls,
    FollowRun,
    FrameTooLong,
    ProgramOutcome,
    Raised,
    Status,
    receive,
    receive_only,
    receive_with,
    send,
    send_json,
)
from sebench.provenance.moves import Move
from sebench.provenance.observer import TRUTH, FollowedLie, Observer, Orders, Seen, TooManyFailures
from sebench.provenance.proof import Decided, ObservedRun, Prover

MOST_LINE = 1 << 20  # line number in a program
MOST_ARRAYS = 200_000  # that a candidate may hold at a time
MOST_ELEMENTS = 32 << 20  # in all of them
MOST_ERRORS = 5_000  # different messages of the library that are kept for one candidate
_CONCEALED = re.compile(r"library error \d+")
KINDS = {"bool": bool, "int": int, "float": float, "complex": complex, "str": str, "bytes": bytes}
SENT_ALONG = 64  # an array with at most this many elements is sent with them
LEAST_CPU_S = 0.05  # for a run when hardly any time is left: enough to see that it needs more


class TemplateLauncher:
    """Asks the template of a program to fork candidates, one process per run (`candidate.py`)."""

    def __init__(self, fd: int) -> None:
        self.fd = fd
        self.ours = -1  # our end of the connection to the latest candidate

    def start(self, cpu_s: float) -> int:
        """Start a candidate. Return our end of the connection to it."""
        ours, theirs = socket.socketpair()
        line = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM, 0, self.fd)
        with theirs, contextlib.suppress(OSError):  # the template is gone, and its end of the pair with it
            socket.send_fds(line, [forker.pack_request(cpu_s)], [theirs.fileno()])
        line.detach()
        self.ours = ours.detach()
        return self.ours

    def wait_for_end(self) -> Status:
        """Close the connection, and return how the candidate ended."""
        os.close(self.ours)
        content = receive(self.fd)
        # if the template is gone, the judge asks the zygote how it ended
        return Status(-1, 0, 0.0) if content is None else forker.read_status(content)

    def close(self) -> None:
        """Hang up: the program will not be run again."""
        os.close(self.fd)


class CandidateGone(Exception):
    """The candidate is gone, or sent a message that is not valid at this point."""


class QuestionDecided(Exception):
    """The question is already decided, so the run can end."""


class CallbackRaised(BaseException):
    """A callback raised an error in the candidate, and this exception passes through the library in its place. Its
    argument is the candidate's number for the error."""


class Server:
    """Serves the runs of one program."""

    def __init__(
        self, observer: Observer, launcher: TemplateLauncher, cases: CaseCalls, budget: Budget, known: tuple[str, ...]
    ) -> None:
        self.observer, self.launcher, self.cases, self.budget = observer, launcher, cases, budget
        self.known = frozenset(known)
        self.left_s = budget.proofs  # CPU time for all runs with a lying library
        self.killed = False  # whether a candidate got SIGKILL; the judge asks the kernel why
        # by first case: digests of the messages that the program sends in a truthful run
        self.message_digests: dict[int, list[int]] = {}

    def run(
        self, orders: Orders = TRUTH, numbers: Sequence[int] = (), decided: Decided | None = None
    ) -> tuple[ProgramOutcome, Seen]:
        """Run the program once on these cases, in this order."""
        numbers = numbers or range(len(self.cases.arguments))
        allowed = self.budget.program if orders is TRUTH else min(self.budget.lying, max(self.left_s, LEAST_CPU_S))
        self.observer.begin(orders)
        line_fd = self.launcher.start(allowed)
        start = time.process_time()  # starting a candidate is not charged to it
        limits.stop_after(start + allowed + 1)  # a call that Python cannot interrupt
        limits.signal_after(allowed)
        expected = self.message_digests.get(numbers[0]) if orders.following is None else None
        desk = CandidateService(line_fd, self.observer, self.known, expected)
        outcome = desk.serve(self.cases, numbers, decided)
        limits.signal_after(0)
        if orders is TRUTH:
            self.message_digests[numbers[0]] = desk.message_digests
        status = self.launcher.wait_for_end()
        self.killed = self.killed or status.from_outside
        seen, called = self.observer.seen, tuple(self.observer.called)
        cpu_s = status.cpu_s + time.process_time() - start
        self.left_s -= cpu_s
        ended = outcome.ended and (outcome.ended if outcome.ended.signal else status)
        return replace(outcome, called=called, cpu_s=cpu_s, ended=ended), seen

    def follow(self, run: FollowRun) -> list[tuple[int, Any, bool]] | None:
        """Run the program on these cases with one function falsified in some of its calls. Return, for each case, its
        number, the answer, and whether the function was falsified; failed cases are left out. Return None if no CPU
        time is left."""
        if self.left_s <= 0:
            return None
        following = FollowedLie(run.liar, Move(run.variant, run.key), run.argument_marks, alternative=run.alternative)
        outcome, _ = self.run(Orders(frozenset({run.liar}), following=following), run.cases)
        return [(number, value, number in self.observer.lied_in) for number, value in outcome.values]

    def prove(self, groups: Any, construction: frozenset[str]) -> dict[str, Any]:
        """Find the functions that the answer depends on. No program here is assumed to behave the same in two runs."""
        everything = range(len(self.cases.arguments))

        def again(orders: Orders, first: int, decided: Decided) -> ObservedRun:
            if self.left_s <= 0:
                return ObservedRun(())
            outcome, seen = self.run(orders, self.cases.order(first), decided)
            return ObservedRun(
                outcome.values,
                outcome.failure,
                seen,
                cpu_s=outcome.cpu_s,
                truthful_calls=self.observer.truthful_calls,
            )

        outcome, seen = self.run(TRUTH, everything)
        truth = ObservedRun(outcome.values, seen=seen, results=self.observer.results, cpu_s=outcome.cpu_s)
        prover = Prover(again, truth, self.observer.functions, twice=True)
        return vars(prover.prove(groups, outcome.called, construction))


class CandidateService:
    """Serves one candidate during one run."""

    def __init__(
        self,
        line_fd: int,
        observer: Observer,
        known: frozenset[str],
        expected: list[int] | None = None,
    ) -> None:
        """`expected`: digests of the messages that the candidate must send until the library returns its first wrong
        value."""
        self.line_fd = line_fd
        self.observer, self.known = observer, known
        self.expected, self.message_digests = expected, list[int]()
        self.array_type = observer.array_type
        self.arrays: dict[int, Any] = {}
        self.functions: dict[int, Any] = {}  # created by `vectorize`
        self.element_count = 0  # in all arrays
        self.received_arrays: list[tuple[int, Any]] = []  # arrays in the current message, with their numbers
        self.last = 0  # number of an array or function
        self.changes = 0
        self.cases: CaseCalls
        self.order: Sequence[int] = ()
        self.cases_sent = 0  # cases sent so far
        self.values: list[tuple[int, Any]] = []
        self.decided: Decided | None = None
        self.errors: dict[str, str] = {}  # messages of the library, and what the candidate receives instead

    def serve(self, cases: CaseCalls, order: Sequence[int], decided: Decided | None = None) -> ProgramOutcome:
        """Send the cases, one at a time, and answer calls until all are done, the question is decided, or the candidate
        is gone."""
        self.cases, self.order, self.decided = cases, order, decided
        fields: dict[str, Any] = {}
        try:
            kind, content = self._next_message()
            while kind in ("begin", "failed") and self._has_next_case(kind):
                self._send_next_case()
                kind, content = self._next_message()
            fields["stdout"] = self._reveal(str(content[0])[:MOST_STDOUT])[:MOST_STDOUT]
            if kind == "failed":
                name, message, line, inside = content[1:]
                fields["raised"] = Raised(
                    str(name)[:200],
                    self._reveal(str(message)[:1000])[:1000],
                    max(0, min(int(line), MOST_LINE)),
                    bool(inside),
                )
            elif kind == "too_large":
                fields["too_large"] = str(content[1])[:200]
            elif kind == "missing":
                fields["missing"] = True
            elif kind != "done" or self.cases_sent != len(self.order):
                raise CandidateGone(f"unexpected message '{kind[:20]}'")
        except (ValueTooLarge, FrameTooLong, MessageTooLarge) as error:
            fields["too_large"] = str(error)
        except QuestionDecided:
            pass
        except limits.OutOfTime:
            fields["ended"] = Status(-1, limits.TIME_SIGNAL, 0.0)
        except (MemoryError, RecursionError) as error:
            fields["raised"] = Raised(type(error).__name__, "in the library", 0, True)
        except TooManyFailures as error:
            fields["raised"] = Raised(type(error).__name__, str(error), 0, True)
        except Exception:  # anything that a message causes is the candidate's fault
            fields["ended"] = Status(0, 0, 0.0)
        return ProgramOutcome(tuple(self.values), self.observer.case, **fields)

    def _next_message(self) -> tuple[str, list[Any]]:
        """Return the next message that is not a library call; calls are answered along the way."""
        while True:
            data = receive_only(self.line_fd, MOST_BYTES)
            if data is None:
                raise CandidateGone("it is gone")
            if not self.observer.lies:
                self._compare(data)
            self.received_arrays = []
            kind, freed, *content = decode(data, self._resolve)
            for number in freed:
                self.element_count -= self.arrays.pop(number).size
            if kind == "answer":
                self._record_answer(content[0])
                self._send_next_case()
                continue
            answer = self.ANSWERS.get(kind)
            if answer is None:
                return str(kind), content
            self._answer(answer, content)

    def _compare(self, data: bytes) -> None:
        """Check that the candidate sends what it sent in the truthful run."""
        number, digest = len(self.message_digests), hash(data)
        self.message_digests.append(digest)
        if self.expected is not None and (number >= len(self.expected) or self.expected[number] != digest):
            raise CandidateGone("it sent something different from the truthful run without having seen a lie")

    def _has_next_case(self, kind: str) -> bool:
        """Whether to send another case. A failed case does not end a run that tests whether the answer changes in the
        same way as that of a reference solution (`following.py`)."""
        if kind == "begin":
            return not self.cases_sent
        return self.observer.orders.following is not None and 0 < self.cases_sent < len(self.order)

    def _send_next_case(self) -> None:
        """Send the arguments of the next case, or None after the last."""
        if self.cases_sent == len(self.order):
            return self._reply("value", None)
        number = self.order[self.cases_sent]
        arguments = self.cases.arguments[number]
        self.cases_sent += 1
        self.observer.begin_case(number, marshal.loads(arguments))
        self._send(ARGUMENTS, arguments)

    def _record_answer(self, data: bytes) -> None:
        """Record the answer to the case that was sent last."""
        number = self.observer.case
        if number < 0 or (self.values and self.values[-1][0] == number):
            raise CandidateGone("more answers than cases")
        self.values.append((number, Encoder(self.array_type).tree(decode(data, self._resolve))))
        if self.decided is not None and self.decided(*self.values[-1]):
            raise QuestionDecided

    def _answer(self, act: Callable[..., Any], content: list[Any]) -> None:
        """Carry out a request and send the result."""
        received = self.received_arrays
        try:
            result = act(self, *content)
        except CallbackRaised as crossed:
            return self._reply("yours", crossed.args[0])
        except (
            CandidateGone,
            QuestionDecided,
            MessageTooLarge,
            MalformedMessage,
            FrameTooLong,
            ValueTooLarge,
            MemoryError,
            RecursionError,
        ):
            raise
        except Exception as error:
            self.changes += 1
            name = next(c.__name__ for c in type(error).__mro__ if getattr(builtins, c.__name__, None) is c)
            return self._reply("error", name, self._conceal(str(error)[:2000]))
        self.received_arrays = received
        fields = getattr(type(result), "_fields", None)
        if fields:
            return self._reply("named", type(result).__name__, list(fields), tuple(result))
        self._reply("value", result)

    def _conceal(self, message: str) -> str:
        """Return what a candidate is told in place of an error message of the library, which may list option words or
        name parameters."""
        if message not in self.errors and len(self.errors) < MOST_ERRORS:
            self.errors[message] = f"library error {len(self.errors) + 1}"  # see _CONCEALED
        return self.errors.get(message, "library error")

    def _reveal(self, message: str) -> str:
        """Return an error message of the candidate with the library's own words."""
        originals = {substitute: original for original, substitute in self.errors.items()}
        return _CONCEALED.sub(lambda match: originals.get(match[0], match[0]), message)

    def _reply(self, kind: str, *content: Any) -> None:
        try:
            written, data = self._encode_message(kind, *content)
        except MessageTooLarge as error:
            written, data = self._encode_message("error", "MemoryError", str(error))
        self._send(written, data)

    def _encode_message(self, kind: str, *content: Any) -> tuple[int, bytes]:
        """Encode a message, and return how it is encoded and its bytes."""
        value = content[0]
        if kind == "value" and type(value) in NUMBERS:
            return NUMBER, marshal.dumps(value, MARSHAL_VERSION)
        if kind == "value" and type(value) is self.array_type:
            ref = self._refer(value)
            data = marshal.dumps((ref.number, ref.text, ref.shape, ref.elements), MARSHAL_VERSION)
            if len(data) > MOST_BYTES:
                raise MessageTooLarge(f"a message of more than {MOST_BYTES >> 20} MiB")
            return ARRAY, data
        return CODED, encode((kind, *content), self._refer)

    def _send(self, written: int, data: bytes) -> None:
        try:
            send(self.line_fd, HEAD.pack(self.changes + self.observer.changes, written) + data)
        except OSError:
            raise CandidateGone("it is gone") from None

    # References: those from the candidate become objects, and objects sent to it become references.

    def _resolve(self, ref: Ref) -> Any:
        match ref.kind:
            case "h" if ref.number in self.arrays:
                array = self.arrays[ref.number]
                self.received_arrays.append((ref.number, array))
                return array
            case "p":
                return self._function(ref.text)
            case "k":
                return KINDS[ref.text]
            case "c":
                return self._callback(ref.number, ref.text)
            case "f":
                return self.functions[ref.number]
            case "x":
                return type(ref.text[:80], (Opaque,), {})()
        raise MalformedMessage("no such reference")

    def _refer(self, value: Any) -> Any:
        if type(value) is self.array_type:
            for number, array in self.received_arrays:
                if array is value:
                    return Ref("h", number)  # the candidate has it
            self.last += 1
            self.arrays[self.last] = value
            size, word = value.size, value.dtype
            self.element_count += size
            if len(self.arrays) > MOST_ARRAYS or self.element_count > MOST_ELEMENTS:
                raise MessageTooLarge("too many arrays are held")
            elements = value.__reduce__()[1][0] if size <= SENT_ALONG and word != "mixed" else None
            return Ref("h", self.last, word, value.shape, elements)
        if isinstance(value, tuple):
            return tuple(value)
        if value is NotImplemented:
            return Ref("n")
        self.last += 1
        self.functions[self.last] = value
        return Ref("f", self.last, str(getattr(value, "__name__", "")))

    def _function(self, path: str) -> Any:
        if path not in self.known:
            raise MalformedMessage("no such function")
        member: Any = self.observer.library
        for part in path.split("."):
            member = getattr(member, part)
        return member

    def _callback(self, number: int, type_name: str) -> Any:
        """Return a function that makes the candidate call one of its own functions."""

        def call(*args: Any, **options: Any) -> Any:
            self._reply("call", number, args, options)
            kind, content = self._next_message()
            if kind == "returned":
                return content[0]
            if kind == "raised":
                raise CallbackRaised(content[0])
            raise CandidateGone(f"unexpected message '{kind[:20]}' during a callback")

        if type_name == "function":
            return call
        return type(type_name[:80], (), {"__call__": staticmethod(call)})()

    # The requests that are answered.

    def _method(self, name: str, array: Any, args: Any) -> Any:
        if name not in METHODS or type(array) is not self.array_type:
            raise MalformedMessage("no such method")
        if name in IN_PLACE or name == "__setitem__":
            self.changes += 1
        if name == "T":
            return array.T
        return getattr(self.array_type, name)(array, *args)

    ANSWERS: Mapping[str, Callable[..., Any]] = {
        "call": lambda self, path, args, options: self._function(path)(*args, **options),
        "apply": lambda self, number, args, options: self.functions[number](*args, **options),
        "method": _method,
        "elements": lambda self, array: array.__reduce__()[1][0],
        "reduce": lambda self, array: array.__reduce__()[1],
        "rows": lambda self, array, start, stop: [array[i] for i in range(start, stop)],
        "restore": lambda self, flat, shape, word: self.observer.library._restore(flat, shape, word),
    }


def serve(observer: Observer, line: socket.socket) -> NoReturn:
    """Serve one program after the other, then exit. Each arrives on `line` with the connection to its template,
    followed by questions about it and an empty frame."""
    limits.on_signal(_out_of_time)
    line_fd = line.fileno()
    while (received := receive_with(line)) is not None:
        content, (template_fd,) = received
        launcher = TemplateLauncher(template_fd)
        cases, budget, known, truthful = marshal.loads(content)
        server = Server(observer, launcher, CaseCalls(*cases), Budget(*budget), known)
        if truthful:
            outcome, _ = server.run()
            send_json(line_fd, outcome.to_json())
        while message := receive(line_fd):
            budget, *questions = marshal.loads(message)
            server.budget = Budget(*budget)
            server.left_s = server.budget.proofs
            replies = [_answer_question(server, *question_fields) for question_fields in questions]
            spent = server.budget.proofs - server.left_s
            send_json(line_fd, {"shown": replies, "cpu_s": spent, "killed": server.killed})
        launcher.close()
    os._exit(0)


def _answer_question(server: Server, *question: Any) -> Any:
    """Answer a question from the judge. Return the answers by case, or the functions that the answer depends on."""
    if len(question) == 1:
        return server.follow(FollowRun(*question[0]))
    return server.prove(question[0], frozenset(question[1]))


def _out_of_time(*_: Any) -> None:
    raise limits.OutOfTime
