"""The judge: a response becomes a Verdict.

    with Judge(world) as judge:
        verdict = judge.judge(task, response)

Extract the code, refuse what the policy forbids, run it on every case in the sandbox, compare in this process, and, if all is
right, ask whether the answer came from the library: a program that can remember things is run again in another order (it must
be stable), and every program once more with every library function returning wrong values (it must change). The candidate's
process never decides anything.

Every answer has a process of its own, with one exception: plain programs (`policy.plain`), which can leave nothing behind and
see nothing of what was there before, share one when several wait to be judged. `share=1` gives each of them a process too.

A fault of the sandbox is `blame=SANDBOX`, never a wrong answer. The judge is thread-safe.
"""

from __future__ import annotations

import asyncio
import json
import marshal
import os
import signal
import threading
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

from sebench.forge.naming import Names
from sebench.judge import policy, taxonomy, values
from sebench.judge.equality import Profile, difference
from sebench.judge.extract import extract
from sebench.judge.rules import ANSWER_FILE
from sebench.judge.sandbox import fresh
from sebench.judge.sandbox.child import NOT_SHARED
from sebench.judge.sandbox.fresh import FreshPool
from sebench.judge.sandbox.poison import KINDS, unmoved
from sebench.judge.sandbox.pool import Pool, SandboxFault
from sebench.judge.sandbox.wire import BEGUN, OUT_OF_MEMORY, OWN_FAULT, Job, Reply
from sebench.records import Blame, Kind, Task, Verdict
from sebench.world import World

# Turning data into an array is no use of a function, unless the task asks for it.
CONSTRUCTION = ("array", "asarray", "asanyarray", "ascontiguousarray", "asfortranarray", "copy")
UNDEFINED = ("empty", "empty_like", "pad")  # what they return may be what memory held before
SHARE = 32  # plain programs that run in one process: a fork, and the pages written after it, cost more than they do
# CPython 3.11 counts the depth of a syntax tree for all threads together, and may raise SystemError when two of them parse.
PARSING = threading.Lock()
READY = 4096  # tasks whose cases are kept in the form in which they are sent
# What NumPy imports on first use, when a zygote can open nothing any more.
ALSO = ("numpy.ma", "numpy.linalg", "numpy.fft")


@dataclass(frozen=True)
class Limits:
    """What one run may use."""

    cpu_s: int = 4
    wall_s: float = 60.0  # a backstop: only a run that waits instead of computing meets it
    memory: int = 1 << 30


class Judge:
    """Judges answers for one world."""

    def __init__(
        self,
        world: World,
        *,
        profile: str = Profile.STRICT,
        workers: int = 0,
        limits: Limits | None = None,
        share: int = SHARE,
    ) -> None:
        self.world = world
        self.share = share
        self.profile = profile
        self.limits = limits or Limits()
        self.workers = workers or os.cpu_count() or 1
        names = world.names
        config = {
            "folder": str(world.package_folder.resolve()),
            "package": names.package,
            "array": names.array,
            "functions": {f: world.entries[p].inplace for p, f in names.functions.items()},
            "memory_limit": self.limits.memory,
            "cpu_limit_s": self.limits.cpu_s,
            "rehearsal": _rehearsal(names),
            "also": ALSO,
        }
        self._pool: Pool | FreshPool = FreshPool(config) if fresh.wanted() else Pool(config, self.workers)
        self._ready: dict[int, tuple[Task, tuple[bytes, ...], list[Any]]] = {}
        self._threads = ThreadPoolExecutor(self.workers, thread_name_prefix="judge")
        self._waiting: deque[_Waiting] = deque()
        found = (names.functions[f] for f in UNDEFINED if f in names.functions)
        self._undefined = frozenset(path.rpartition(".")[2] for path in found)

    @property
    def layers(self) -> list[dict[str, Any]]:
        """The isolation layers, each with whether it held when it was tried."""
        return self._pool.layers

    def judge(self, task: Task, response: str) -> Verdict:
        """The verdict on one response."""
        return _decided(self._trial(task, response))

    def judge_many(self, pairs: Iterable[tuple[Task, str]]) -> Iterator[Verdict]:
        """Verdicts in the order of the pairs, several at a time; only some pairs are read ahead."""
        ahead: deque[Future[Verdict]] = deque()
        for task, response in pairs:
            ahead.append(self._submit(task, response))
            if len(ahead) >= 4 * self.workers * self.share:
                yield ahead.popleft().result()
        while ahead:
            yield ahead.popleft().result()

    async def judge_async(self, task: Task, response: str) -> Verdict:
        """The verdict, without blocking an event loop."""
        return await asyncio.wrap_future(self._submit(task, response))

    def _submit(self, task: Task, response: str) -> Future[Verdict]:
        """Have a worker judge a response, together with others that wait."""
        waiting = _Waiting(task, response, Future())
        self._waiting.append(waiting)
        self._threads.submit(self._work)
        return waiting.verdict

    def _work(self) -> None:
        """Judge what waits: a worker's part of it, so that the others have theirs."""
        most = min(self.share, -(-len(self._waiting) // self.workers))
        taken: list[tuple[Future[Verdict], _Trial | Verdict]] = []
        while len(taken) < most and (waiting := self._next()) is not None:
            if waiting.verdict.set_running_or_notify_cancel():
                try:
                    taken.append((waiting.verdict, self._trial(waiting.task, waiting.response)))
                except BaseException as error:  # our own mistake, and no reason to lose the others
                    waiting.verdict.set_exception(error)
        try:
            verdicts = self._together([trial for _, trial in taken])
        except BaseException as error:
            for future, _ in taken:
                future.set_exception(error)
        else:
            for (future, _), verdict in zip(taken, verdicts, strict=True):
                future.set_result(verdict)

    def _next(self) -> _Waiting | None:
        try:
            return self._waiting.popleft()
        except IndexError:
            return None

    def _together(self, trials: Sequence[_Trial | Verdict]) -> list[Verdict]:
        """Verdicts on several programs. The plain ones run one after the other in one process; one that ends it runs again alone."""
        plain = [t for t in trials if isinstance(t, _Trial) and t.plain]
        while len(plain) > 1:
            try:
                replies = self._pool.run(*(t.job for t in plain)).apart([t.job for t in plain])
            except SandboxFault:
                break  # each of them alone will say what is wrong
            for trial, reply in zip(plain, replies, strict=False):
                trial.said = reply
            plain = plain[len(replies) + 1 :]
        return [_decided(trial) for trial in trials]

    def depends_on(self, task: Task, response: str) -> tuple[str, ...]:
        """Which library functions a right answer depends on: those that change it when they alone are wrong."""
        trial = self._trial(task, response)
        if isinstance(trial, Verdict) or not (verdict := trial.verdict()).passed:
            return ()
        return tuple(f for f in verdict.functions if trial.changes((f,), spare=False))

    def _trial(self, task: Task, response: str) -> _Trial | Verdict:
        """The program of a response, ready to run, or the verdict on one that will not."""
        with PARSING:
            return self._read(task, response)

    def _read(self, task: Task, response: str) -> _Trial | Verdict:
        for number, case in enumerate(task.cases):
            if isinstance(case.expected, values.Unreadable):
                detail = f"the expected value is not known: {case.expected.reason}"
                return Verdict(Kind.FAULT, Blame.TASK, number, detail)
        found = extract(response, task.entry)
        if not found.code:
            return Verdict(Kind.NO_CODE, detail=found.reason)
        try:
            tree = found.tree or policy.parse(found.code)
            nodes = policy.nodes(tree)
            refused = policy.refusal(tree, nodes, self.world.names.package)
            if refused is not None:
                return Verdict(Kind.POLICY, detail=str(refused))
            nodes = policy.prepared(tree, nodes)
            code = marshal.dumps(compile(tree, ANSWER_FILE, "exec", dont_inherit=True, optimize=0))
        except (SyntaxError, ValueError, RecursionError, MemoryError, UnicodeError) as error:
            return Verdict(Kind.SYNTAX, detail=f"{type(error).__name__}: {error}")
        plain = policy.plain(tree, nodes, self.world.names.package, self._undefined)
        return _Trial(self, task, code, plain or policy.stateless(tree, nodes), plain)

    def _prepared(self, task: Task) -> tuple[tuple[bytes, ...], list[Any]]:
        """What every answer to a task needs: its arguments and expected values in the forms in which they are used."""
        found = self._ready.get(id(task))
        if found is None or found[0] is not task:
            arguments = tuple(marshal.dumps(tuple(case.inputs[p] for p in task.parameters)) for case in task.cases)
            found = task, arguments, [values.encode(case.expected) for case in task.cases]
            if len(self._ready) >= READY:
                self._ready.clear()
            self._ready[id(task)] = found
        return found[1], found[2]

    def close(self) -> None:
        """End the sandbox."""
        self._threads.shutdown(wait=True, cancel_futures=True)
        while (waiting := self._next()) is not None:
            waiting.verdict.cancel()
        self._pool.close()

    def __enter__(self) -> Judge:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


@dataclass(frozen=True)
class _Waiting:
    """A response that nobody has judged yet."""

    task: Task
    response: str
    verdict: Future[Verdict]


class _Trial:
    """The runs of one program on one task."""

    def __init__(self, judge: Judge, task: Task, code: bytes, stateless: bool, plain: bool) -> None:
        self.judge = judge
        self.stateless, self.plain = stateless, plain
        self.said: Reply | None = None  # of the first run, when it shared a process
        self.task = task
        self.names = judge.world.names
        then = ("*", *sorted(self._construction())) if plain and judge.profile == Profile.STRICT else ()
        arguments, self.expected = judge._prepared(task)
        limits = judge.limits
        self.job = Job(code, task.entry, task.parameters, arguments, (), (), 0, 0, then, limits.cpu_s, limits.wall_s)
        self.got: list[Any] = []
        self.cpu_s = 0.0  # of the longest run so far
        self.changed: Any = None  # the case that changed when the library lied in the same process
        self.seen: list[dict[str, set[int]]] = []  # for each run, the digests of its calls and the cases they were in

    def verdict(self) -> Verdict:
        first = self._compared(self.said or self.judge._pool.run(self.job))
        if not first.passed or self.judge.profile == Profile.PAPER:
            return self._paper(first) if first.passed else first
        if not set(first.functions) - self._construction():
            what = "only arrays were constructed" if first.functions else "no function of the library was called"
            return replace(first, kind=Kind.NOT_FROM_LIBRARY, blame=Blame.CANDIDATE, detail=what)
        again = first if self.stateless else self._compared(self._run_in_another_order())
        if not again.passed:
            detail = f"a second run in another order gave something else: {again.detail}"
            return (
                replace(again, detail=detail)
                if again.blame is Blame.SANDBOX
                else replace(first, kind=Kind.NOT_FROM_LIBRARY, blame=Blame.CANDIDATE, detail=detail)
            )
        if not self._has_changed() and not self.changes(("*", *sorted(self._construction())), spare=True):
            detail = "the answer stays the same when every function of the library returns wrong values"
            return replace(first, kind=Kind.NOT_FROM_LIBRARY, blame=Blame.CANDIDATE, detail=detail)
        return first

    def _run_in_another_order(self) -> Reply:
        return self.judge._pool.run(replace(self.job, first=min(1, len(self.task.cases) - 1)))

    def _has_changed(self) -> bool:
        """Whether the first run has already shown that the answer changes when the library lies."""
        if self.changed is None:
            return False
        number, tree = self.changed
        return number < len(self.got) and _apart(tree, self.got[number])

    def changes(self, functions: tuple[str, ...], spare: bool) -> bool:
        """Whether the answer changes when these functions (after "*": all but these) return wrong values.

        A call with the same arguments in every case does not depend on the inputs, and one that comes in another case when
        the order changes depends on what the program remembers. Both are spared, so that they cannot serve as a test of
        whether the library tells the truth today.
        """
        spared = self._constant() if spare else ()
        failed = False
        for kind in range(KINDS):
            job = replace(self.job, spoiled=functions, spared=spared, kind=kind, then_spoiled=())
            reply = self.judge._pool.run(job)
            content = _content(reply)
            failed = failed or self._fails(reply, content)
            cases = _cases(content) if content is not None else []
            if any(_apart(tree, self.got[number]) for number, tree in cases if number < len(self.got)):
                return True
        return failed

    def _fails(self, reply: Reply, content: dict[str, Any] | None) -> bool:
        """Whether a counterfactual run ended in a way that only wrong values explain. A lack of memory, of depth or of time does not tell
        that, unless the first run was far from the limit: how much a run needs may differ a little."""
        if content is None:
            return reply.status.signal == signal.SIGXCPU and self.cpu_s < self.judge.limits.cpu_s / 4
        kind = content.get("error", {}).get("type")
        return "too_large" in content or (kind is not None and kind not in NOT_SHARED)

    def _constant(self) -> tuple[str, ...]:
        first, again = self.seen[0], self.seen[-1]
        moved = {digest for digest in first.keys() | again.keys() if first.get(digest) != again.get(digest)}
        return tuple(moved | set(unmoved(first, len(self.task.cases))))

    def _construction(self) -> frozenset[str]:
        asked = set(self.task.functions) if len(self.task.functions) == 1 else set()  # else it only helps the others
        return frozenset(self.names.functions[f] for f in CONSTRUCTION if f in self.names.functions and f not in asked)

    def _paper(self, verdict: Verdict) -> Verdict:
        if verdict.functions:
            return verdict
        return replace(verdict, kind=Kind.NOT_FROM_LIBRARY, blame=Blame.CANDIDATE, detail="the library is not called")

    def _compared(self, reply: Reply) -> Verdict:
        """One run, compared with what is expected; provenance is not looked at."""
        status = reply.status
        times = {"cpu_s": status.cpu_s, "wall_s": status.wall_s}
        content = _content(reply)
        if content is None:
            return Verdict(*_ended(reply), **times)  # type: ignore[arg-type]
        self.changed = content.get("changed")
        self.cpu_s = max(self.cpu_s, min(content.get("cpu_s", status.cpu_s), status.cpu_s))
        functions = tuple(str(f) for f in content.get("called", []))
        common: dict[str, Any] = {**times, "functions": functions, "stdout": str(content.get("stdout", ""))}
        if "policy" in content:
            return Verdict(Kind.POLICY, detail=str(content["policy"])[:300], **common)
        if "no_entry" in content:
            return Verdict(Kind.NO_ENTRY, detail=f"no function '{self.task.entry}' is defined", **common)
        self.seen.append({digest: set(cases) for digest, cases in content.get("seen", [])})
        trees = dict(_cases(content))
        for number in sorted(trees):
            found = difference(self.expected[number], trees[number], self.judge.profile, self.task.rtol, self.task.atol)
            if found is not None:
                return Verdict(found.kind, case=number, detail=str(found), **common)
        case = int(content.get("case", -1))
        if "too_large" in content:
            return Verdict(Kind.OUTPUT, case=case, detail=str(content["too_large"]), **common)
        if "error" in content:
            error = content["error"]
            kind = taxonomy.kind_of(error, self.names.package, self.names.array)
            return Verdict(kind, case=case if case >= 0 else None, detail=taxonomy.said(error), **common)
        if len(trees) != len(self.expected):
            return Verdict(Kind.CRASH, detail="the program left before all cases were run", **common)
        self.got = [trees[i] for i in range(len(trees))]
        return Verdict(Kind.PASSED, Blame.NONE, **common)


def _decided(trial: _Trial | Verdict) -> Verdict:
    if isinstance(trial, Verdict):
        return trial
    try:
        return trial.verdict()
    except SandboxFault as fault:
        return Verdict(Kind.FAULT, Blame.SANDBOX, detail=str(fault))


def _rehearsal(names: Names) -> list[dict[str, Any]]:
    """Programs that a zygote goes through once before its first run."""
    programs: dict[str, list[Any]] = {"mean": [1.5, -2.0, 4.0], "sum": [[1, 2], [3, 4]], "sort": [3, 1, 2]}
    return [
        {
            "code": f"import {names.package}\n\ndef answer(a):\n    return {names.forged(path)}(a)\n",
            "entry": "answer",
            "parameters": ["a"],
            "cases": [[a], [a * 2]],
        }
        for path, a in programs.items()
        if path in names.functions
    ]


def _content(reply: Reply) -> dict[str, Any] | None:
    """What a child said, if it is well-formed: it is hostile data."""
    status = reply.status
    if status.exit_code == OWN_FAULT and not reply.content.startswith(BEGUN) and not status.flooded:
        raise SandboxFault(f"a child could not run: {reply.content.decode(errors='replace')}")
    said, ended, more = reply.content.removeprefix(BEGUN).partition(b"\n")
    if status.flooded or ((status.late or status.exit_code != 0) and not ended):
        return None
    try:
        content = json.loads(said)
        if not isinstance(content, dict) or "changed" in content:
            return None
        if more:
            content["changed"] = _changed(more)
        for number, tree in content.get("cases", []):
            if type(number) is not int or number < 0:
                return None
            values.checked(tree)
        for digest, cases in content.get("seen", []):
            if type(digest) is not str or not all(type(c) is int for c in cases):
                return None
        if not isinstance(content.get("error", {}), dict) or not isinstance(content.get("called", []), list):
            return None
        if type(content.get("case", 0)) is not int or type(content.get("cpu_s", 0.0)) is not float:
            return None
        return content
    except (ValueError, TypeError, AttributeError, RecursionError):
        return None


def _changed(said: bytes) -> tuple[int, Any] | None:
    """What a child said about a counterfactual in its own process."""
    content = json.loads(said)
    if content.get("changed") is None:
        return None
    number, tree = content["changed"]
    if type(number) is not int or number < 0:
        raise ValueError("no case has this number")
    return number, values.checked(tree)


def _cases(content: dict[str, Any]) -> list[tuple[int, Any]]:
    return [(number, tree) for number, tree in content.get("cases", [])]


def _apart(tree: Any, other: Any) -> bool:
    return difference(other, tree, Profile.STRICT, 1e-9, 1e-12) is not None


def _ended(reply: Reply) -> tuple[Kind, Blame, None, str]:
    """Why a child sent nothing that can be used."""
    status = reply.status
    if status.late:
        return Kind.TIME, Blame.CANDIDATE, None, f"no answer after {status.wall_s:.0f} s"
    if status.flooded:
        return Kind.OUTPUT, Blame.CANDIDATE, None, "more output than is allowed"
    if status.exit_code == OUT_OF_MEMORY:
        return Kind.MEMORY, Blame.CANDIDATE, None, "no memory left"
    if status.signal in (signal.SIGXCPU, signal.SIGKILL):
        return Kind.TIME, Blame.CANDIDATE, None, f"more CPU time than allowed ({status.cpu_s:.1f} s)"
    if status.signal:
        return Kind.CRASH, Blame.CANDIDATE, None, f"ended by {signal.Signals(status.signal).name}"
    return Kind.CRASH, Blame.CANDIDATE, None, f"ended with status {status.exit_code} and no usable reply"
