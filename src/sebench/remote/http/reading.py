"""Parses requests to the served judge.

    parser = RequestParser(names, fingerprint, most_answers=4096)
    request = parser.parse(body)          # answers, each with the id of a task or a row of an exported data set
    task = parser.build(request.answers[0].task)

Parts (commas and opening brackets) and nesting are counted in the text itself, before anything is parsed: 7 MiB of
"[],[],[]" would become half a GiB of lists. A malformed or too large request raises `RequestRefused` with a one-line
message.

Large requests, and rows of data sets that are new to the server, are parsed in a separate process (`RequestReader`).
Parsing holds the GIL for tenths of a second and fragments memory. In a separate process, it blocks nothing else, has a
lower priority than judging (`NICE`), and is limited to `MEMORY` bytes and `READ_CPU_S` seconds of CPU time. If a busy
machine does not parse a request in time, the client must send it again. Both sides run our own code: this is not a
security boundary.

    reader = RequestReader(parser)
    request = await reader.read(body)     # like `parser.parse`, with every row's task built and pickled
    reader.close()

Not covered: which tasks exist (`service.py`).
"""

from __future__ import annotations

import asyncio
import json
import os
import pickle
import re
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from hashlib import sha256
from http import HTTPStatus
from multiprocessing import get_context
from typing import Any, Generic, TypeVar

from sebench.base import child
from sebench.base.errors import first_problem
from sebench.base.http_server import RequestRefused
from sebench.base.records import CREDITS, Task
from sebench.base.wording import short_repr
from sebench.forge.names.naming import Names
from sebench.tasks import dataset
from sebench.values import tagged
from sebench.world.prompts import BOOKS, NATIVE

ROW_PARTS = 50_000  # commas and opening brackets; the largest row of the bank has 4,400 in 30 KB, four levels deep
ROW_BYTES = 1 << 20
REQUEST_ROWS = 5  # how many rows of the largest allowed size fit into one request
PARTS = "commas and opening brackets"  # what `parts` counts
PART_BYTES = 100  # memory per part; an empty list takes 64, and as much again in the form that is compared
OPTIONAL_FIELDS = {"question": "", "examples": (), "gold": ""}  # no verdict depends on these
MALFORMED = (ValueError, KeyError, TypeError, AttributeError, RecursionError)
LARGEST = 32  # a value larger than 1/32 of the limit is not cached
READ_CPU_S = 30.0  # per request; the largest allowed one takes a few seconds
READ_S = 60.0  # wall-clock limit, a backstop
MEMORY = 1 << 30  # bytes, beyond what the process uses after its imports
NICE = 5
KEPT_BYTES = 64 << 20  # of cached pickled tasks, because a trainer sends the same rows again and again
ENDED = "parsing the request took too much memory or time; send smaller or fewer rows"
BUSY = "the machine is too busy to parse requests; try again"
_RUNS = re.compile(r"[\[({]+|[\])}]+")

K = TypeVar("K")
T = TypeVar("T")
V = TypeVar("V")


@dataclass(frozen=True)
class ParsedRow:
    """A row of an exported data set that is small enough to be built."""

    digest: bytes
    memory: int  # upper bound in bytes for its task
    row: Mapping[str, Any]
    pickled: bytes = b""  # its task, once it is built


@dataclass(frozen=True)
class ParsedAnswer:
    """One answer in a request."""

    task: Any  # first a ParsedRow or a claimed task id, later the task itself
    response: str
    native: bool


@dataclass(frozen=True)
class ParsedRequest:
    """A valid request."""

    answers: Sequence[ParsedAnswer]
    many: bool  # whether the request was a list of answers
    credit: str  # "" if no reward is requested
    memory: int = 0  # bytes of responses and new tasks, once the tasks are looked up


class RequestParser:
    """Parses requests for one world."""

    def __init__(self, names: Names, fingerprint: str, most_answers: int, row_parts: int = ROW_PARTS) -> None:
        """`row_parts`: the most commas and opening brackets that a row may have."""
        self.names, self.fingerprint, self.most_answers, self.row_parts = names, fingerprint, most_answers, row_parts
        self.parts = REQUEST_ROWS * row_parts  # limit for all rows of a request together

    def parse(self, body: bytes | bytearray) -> ParsedRequest:
        """Parse a request without building its tasks."""
        self._check_structure(body)
        try:
            data = json.loads(body.decode("utf-8"))
        except (ValueError, RecursionError):
            raise RequestRefused(HTTPStatus.BAD_REQUEST, "the body is not JSON in UTF-8") from None
        if not isinstance(data, dict):
            raise RequestRefused(
                HTTPStatus.BAD_REQUEST, 'the body is not an object; send {"task_id": ..., "response": ...}'
            )
        self._check_world(data.get("world"))
        credit = data.get("credit", "")
        if credit not in ("", *CREDITS):
            raise RequestRefused(
                HTTPStatus.BAD_REQUEST, f"'credit' is {short_repr(credit)}; choose from {', '.join(CREDITS)}"
            )
        listed = data.get("answers", [data])
        if not isinstance(listed, list):
            raise RequestRefused(HTTPStatus.BAD_REQUEST, "'answers' is not a list")
        if len(listed) > self.most_answers:
            message = f"{len(listed):,} answers in one request, but the queue holds {self.most_answers:,}; send fewer"
            raise RequestRefused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, message)
        answers, many, parts = [], "answers" in data, 0
        for number, one in enumerate(listed):
            with numbering_errors(number, many):
                answers.append(self._answer(one))
            row = answers[-1].task
            parts += row.memory // PART_BYTES if isinstance(row, ParsedRow) else 0
            if parts > self.parts:
                self._too_large(f"the rows of the request have {parts:,} {PARTS} (100 bytes of text count as one)")
        return ParsedRequest(answers, many, credit)

    def build(self, row: ParsedRow) -> Task:
        """Build the task of a row; raise one of `MALFORMED` if it cannot be judged."""
        try:
            task = dataset.from_json({**OPTIONAL_FIELDS, **row.row}, self.names)
        except KeyError as error:
            raise ValueError(f"'task' has no {error}, or names something that this world does not have") from None
        if not task.cases and not task.boundary:
            raise ValueError("'task' has no cases to judge by")
        for case in task.cases:
            tagged.encode(case.expected)
            tagged.encode(case.inputs)
        return task

    # ---- limits -------------------------------------------------------------------------------------------------

    def _check_structure(self, body: bytes | bytearray) -> None:
        """Check the limits on the JSON, ignoring its strings. In invalid JSON, the count is correct up to the error."""
        text = body.replace(rb"\\", b"").replace(rb"\"", b"")
        strings = text.count(b'"') // 2
        if strings > self.parts:
            self._too_large(f"the request has {strings:,} strings")
        outside = b"".join(text.split(b'"')[::2]).decode("latin-1")
        if (parts := _parts(outside)) > self.parts:
            self._too_large(f"the request has {parts:,} {PARTS}")
        if (deep := _depth(outside)) > tagged.MAX_DEPTH:
            raise RequestRefused(
                HTTPStatus.BAD_REQUEST, f"the body is nested {deep:,} levels deep; the limit is {tagged.MAX_DEPTH}"
            )

    def _too_large(self, count: str) -> None:
        message = f"{count}; at most {self.parts:,} are allowed; send fewer answers at a time"
        raise RequestRefused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, message)

    def _check_row(self, row: Mapping[str, Any], text: str) -> int:
        """Return how many parts a row has; raise ValueError if there are too many or they are nested too deeply."""
        if len(text) > ROW_BYTES:
            raise ValueError(f"'task' has {len(text):,} bytes; at most {ROW_BYTES:,} are allowed")
        if (parts := _parts(text)) > self.row_parts:
            raise ValueError(f"'task' has {parts:,} {PARTS}; at most {self.row_parts:,} are allowed")
        for kind in ("examples", "cases"):
            for number, case in enumerate(row.get(kind, ())):
                for name in ("input", "output"):
                    if (deep := _depth(case[name])) > tagged.MAX_DEPTH:
                        where = f"{kind}[{number}], {name!r}"
                        raise ValueError(f"{where}: nested {deep:,} levels deep; the limit is {tagged.MAX_DEPTH}")
        return parts

    # ---- answers ------------------------------------------------------------------------------------------------

    def _check_world(self, fingerprint: Any) -> None:
        if fingerprint is not None and fingerprint != self.fingerprint:
            here = self.fingerprint[:12]
            message = (
                f"the client expects world {short_repr(fingerprint)}, but this judge is for world {here}; use a judge "
                "of that world"
            )
            raise RequestRefused(HTTPStatus.CONFLICT, message)

    def _answer(self, data: Any) -> ParsedAnswer:
        if not isinstance(data, dict):
            raise ValueError("an answer must be an object with 'task_id' (or 'task') and 'response'")
        book = data.get("book", "closed")
        problems = {
            "'response' is missing, or is not a string": not isinstance(data.get("response"), str),
            f"'book' is {short_repr(book)}; choose from {', '.join(BOOKS)}": book not in BOOKS,
            "send either 'task_id' or 'task'": ("task" in data) == ("task_id" in data),
        }
        if problem := first_problem(problems):
            raise ValueError(problem)
        task = self._row(data["task"]) if "task" in data else data["task_id"]
        return ParsedAnswer(task, data["response"], book == NATIVE)

    def _row(self, row: Any) -> Any:
        if not isinstance(row, dict):
            raise ValueError("'task' is not a row of an exported data set")
        if "world" in row:  # an exported row
            self._check_world(row["world"] or "none")
            if "cases" not in row:  # exported without its cases, which only the judge may know
                return row.get("id")
        text = json.dumps(row, sort_keys=True)
        parts = self._check_row(row, text)
        return ParsedRow(sha256(text.encode()).digest(), len(text) + PART_BYTES * parts, row)


@contextmanager
def numbering_errors(number: int, many: bool) -> Iterator[None]:
    """Prefix errors about one answer with its number."""
    try:
        yield
    except MALFORMED as error:
        which = f"answers[{number}]: " if many else ""
        what = f"the task has no {error}" if isinstance(error, KeyError) else line(error)
        raise RequestRefused(HTTPStatus.BAD_REQUEST, f"{which}{what}") from None


def _parts(text: str) -> int:
    return sum(map(text.count, ",[({"))


def _depth(text: str) -> int:
    """Return the nesting depth of brackets. Brackets in strings count too, so the result can be wrong. If it is too
    low, nothing is lost: values with strings go to a parser that has its own limit."""
    deep = deepest = 0
    for run in _RUNS.findall(text):
        deep = deep + len(run) if run[0] in "[({" else max(deep - len(run), 0)
        deepest = max(deepest, deep)
    return deepest


def line(error: BaseException) -> str:
    return " ".join(str(error).split())[:300] or type(error).__name__


class ByteLimitedCache(Generic[K, V]):
    """A least-recently-used cache with a limit in bytes, for values that outlive a request. Not thread-safe."""

    def __init__(self, most_bytes: int) -> None:
        self.most_bytes, self.bytes = most_bytes, 0
        self._values: dict[K, tuple[V, int]] = {}

    def __len__(self) -> int:
        return len(self._values)

    def __contains__(self, key: K) -> bool:
        return key in self._values

    def get(self, key: K) -> V | None:
        entry = self._values.pop(key, None)
        if entry is None:
            return None
        self._values[key] = entry  # the most recently used value is last
        return entry[0]

    def put(self, key: K, value: V, size: int) -> None:
        """Cache a new value, unless it is so large that it would evict many others."""
        if size > self.most_bytes // LARGEST:
            return
        self._values[key] = value, size
        self.bytes += size
        while self.bytes > self.most_bytes:
            self.bytes -= self._values.pop(next(iter(self._values)))[1]


# ---- in a separate process -------------------------------------------------------------------------------------------


class RequestReader:
    """Controls the parsing process, which is started for the first request and restarted if it ends."""

    def __init__(self, parser: RequestParser) -> None:
        self._parser, self._turn = parser, asyncio.Lock()
        self._pool: ProcessPoolExecutor | None = None
        self.pid = 0  # process id, once it has started

    async def read(self, body: bytes | bytearray) -> ParsedRequest:
        async with self._turn:
            try:
                async with asyncio.timeout(READ_S):
                    self.pid = self.pid or await self._run(os.getpid)
                    return await self._run(_read, bytes(body))
            except (BrokenProcessPool, OSError) as error:  # including a timeout
                ended = isinstance(error, BrokenProcessPool) and self.pid
                self.close()
                if ended:
                    raise RequestRefused(HTTPStatus.BAD_REQUEST, ENDED) from None
                raise RequestRefused(HTTPStatus.SERVICE_UNAVAILABLE, BUSY, {"Retry-After": "1"}) from None
            except asyncio.CancelledError:
                self.close()  # the process may stay busy with this request for a while
                raise

    async def _run(self, work: Callable[..., T], *arguments: object) -> T:
        if self._pool is None:
            self._pool = ProcessPoolExecutor(1, get_context("spawn"), _begin, (self._parser,))
        return await asyncio.get_running_loop().run_in_executor(self._pool, work, *arguments)

    def close(self) -> None:
        pid, self.pid = self.pid, 0
        if pid:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)  # whatever it is doing
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)
            self._pool = None


# ---- the process, from inside ---------------------------------------------------------------------------------------

_parser: RequestParser
_kept: ByteLimitedCache[bytes, bytes] = ByteLimitedCache(KEPT_BYTES)


def _begin(parser: RequestParser) -> None:
    global _parser
    _parser = parser
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server
    child.end_with_parent()
    os.nice(NICE)
    child.limit(MEMORY)


def _read(body: bytes) -> ParsedRequest:
    signal.setitimer(signal.ITIMER_PROF, READ_CPU_S)  # the signal is not handled, so it ends the process
    try:
        request = _parser.parse(body)
        answers = list(request.answers)
        for number, answer in enumerate(answers):
            row = answer.task
            if isinstance(row, ParsedRow):
                pickled = _kept.get(row.digest)
                if pickled is None:
                    with numbering_errors(number, request.many):
                        pickled = pickle.dumps(_parser.build(row))
                    _kept.put(row.digest, pickled, len(pickled))
                answers[number] = replace(answer, task=replace(row, row={}, pickled=pickled))
        return replace(request, answers=answers)
    except MemoryError:
        message = f"the request needs more than {MEMORY >> 20:,} MiB of memory to be parsed"
        raise RequestRefused(HTTPStatus.BAD_REQUEST, message) from None
