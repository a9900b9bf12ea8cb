"""Memories that consult the model before it answers, and self-repair. Both are generators that yield prompts and
receive replies.

    talk = operations.converse(task, prompter, "closed")
    prompt = next(talk)                 # the first prompt
    prompt = talk.send(reply)           # the next prompt; StopIteration carries the answer

The generators send no requests themselves, so a test can play the model; `rollout/runner.py` drives them and stores
every reply. They are deterministic: the same replies lead to the same prompts, so an interrupted conversation resumes
from the stored replies.

The protocol is plain text and needs no tool-calling interface. Not covered: several lookups in one reply (only the
first counts).
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, Protocol, runtime_checkable

from sebench.base.errors import ConfigError
from sebench.base.extract import after_thinking, extract
from sebench.base.records import Blame, Kind, Task, Verdict
from sebench.forge.names.naming import Names
from sebench.memory.kinds import Searching, tokens
from sebench.world.prompts import Prompter

SHOWN = 8  # number of functions that a SEARCH lookup lists
LONGEST_QUERY = 300  # characters; a longer line is neither an operation nor a lookup
REFUSAL = 120  # maximum tokens of a line that refuses a lookup, including the lookup itself
_BULLET = re.compile(r"^\s*(?:[-*•]|\(?\d+[.):])\s*")
# A command may be quoted with '>', because prompts show earlier lookups that way, and be an item of a list, in bold or
# in brackets. Possessive quantifiers keep this linear: a small model may reply with nothing but a huge number of empty
# lines.
_COMMAND = re.compile(
    r"^[ \t>`*•\[-]*+(?:\d{1,2}[.)][ \t`*\[]*+)?(?:action:[ \t`*\[]*+)?(LIST|SEARCH|PAGE)\b[ \t:*]*+([^\n]*+)",
    re.MULTILINE | re.IGNORECASE,
)
_ADDRESS, _SECONDS = re.compile(r"\b0x[0-9a-f]{4,}\b"), re.compile(r" \(\d+\.\d s\)")


@dataclass(frozen=True)
class ExampleRun:
    """Asks the driver to run an answer on the examples in its prompt and to send back the verdict."""

    response: str


Conversation = Generator[str | ExampleRun, Any, str]  # yields prompts, receives replies, returns the answer


@runtime_checkable
class Talking(Protocol):
    """A kind of memory that consults the model before it recalls."""

    templates: tuple[str, ...]  # the templates it fills in, besides the closed-book prompt

    def most_requests(self) -> int: ...

    def most_tokens(self) -> int: ...

    def converse(self, task: Task, prompter: Prompter, book: str) -> Conversation: ...


def single(prompt: str) -> Conversation:
    """Yield one prompt, and return the reply as the answer."""
    answer: str = yield prompt
    return answer


class Operations(Searching):
    """The model first lists the operations that it needs, one per line. Each line is searched for, then the model
    answers.

    If a reply has no usable line, the question itself is searched for.
    """

    templates = ("operations",)

    def __init__(self, data: Mapping[str, Any], names: Names) -> None:
        super().__init__(data, names)
        self.queries, self.package = int(data["queries"]), names.package

    @staticmethod
    def requests(queries: int) -> int:
        """Return the maximum number of requests of an answer."""
        return 2

    def most_requests(self) -> int:
        return self.requests(self.queries)

    def most_tokens(self) -> int:
        return self.bound(self.k * self.queries)

    def converse(self, task: Task, prompter: Prompter, book: str) -> Conversation:
        reply = yield prompter.fill("operations", package=self.package, question=task.question, most=self.queries)
        queries = list(operations(reply))[: self.queries] or [task.question]
        # All search results without duplicates: first the best result of each search, then the second best, and so on.
        ranks = zip_longest(*(self.search(query, self.k, task) for query in queries))
        recalled = self.render(list({entry.id: entry for rank in ranks for entry in rank if entry}.values()))
        answer: str = yield prompter.prompt(task, book, recalled.text).text
        return answer


def operations(reply: str) -> Iterator[str]:
    """Yield the operations that a reply lists: its lines without bullets and numbers. Code fences and overlong lines
    are skipped."""
    for line in after_thinking(reply).splitlines():
        text = _BULLET.sub("", line).strip()
        if re.search(r"[A-Za-z]{2}", text) and not text.startswith("```") and len(text) <= LONGEST_QUERY:
            yield text


class Lookup(Searching):
    """The model requests lists, searches and pages, at most `calls` times, then answers.

    Everything it is shown, including the preface, counts against a limit of `room` tokens. A lookup that does not fit
    is refused with one line; space for such lines is reserved.
    """

    templates = ("lookup",)

    def __init__(self, data: Mapping[str, Any], names: Names) -> None:
        super().__init__(data, names)
        self.calls, self.room, self.package = int(data["calls"]), int(data["room"]), names.package
        self.subjects: dict[str, list[str]] = {key: list(paths) for key, paths in data["subjects"].items()}
        self.lines: dict[str, str] = dict(data["lines"])  # signature and summary by path

    @staticmethod
    def requests(queries: int) -> int:
        """Return the maximum number of requests of an answer."""
        return queries + 1

    def most_requests(self) -> int:
        return self.requests(self.calls)

    def most_tokens(self) -> int:
        """Return the budget, or what the lookups need if that is more or if there is no budget."""
        least = self._used([]) + self.calls * REFUSAL
        return max(self.room, least) if self.room else least + self.calls * self._longest()

    def _longest(self) -> int:
        """Return the length in tokens of the longest possible lookup result."""
        lists = [self._look_up("LIST", subject) for subject in ("", *self.subjects)]
        matches = "\n".join(sorted(self.lines.values(), key=len)[-SHOWN:])
        return max(map(tokens, (*lists, matches, *(entry.text for entry in self.entries.values()))))

    def converse(self, task: Task, prompter: Prompter, book: str) -> Conversation:
        seen: list[str] = []
        reply = ""
        closed = prompter.prompt(task, book).text
        for left in range(self.calls, -1, -1):
            looked_up = "\n\n".join(seen) or "(nothing looked up yet)"
            fields = {"package": self.package, "left": left, "found": looked_up, "preface": self.preface}
            reply = yield prompter.fill("lookup", **fields) + closed
            lookup = command(reply, task.entry)
            if lookup is None or not left:
                break
            seen.append(self.reply(*lookup, seen))
        return reply

    def reply(self, verb: str, rest: str, seen: Sequence[str] = ()) -> str:
        """Return the result of a lookup. `seen` are the earlier results."""
        if len(rest) > LONGEST_QUERY:
            return f"> {verb}\n\nrefused: a lookup has at most {LONGEST_QUERY} characters"
        question = f"> {verb} {rest}".strip()
        text = f"{question}\n\n{self._look_up(verb, rest)}"
        left = self.room - self._used(seen) - REFUSAL * (self.calls - len(seen) - 1)
        if self.room and tokens(text) > left:
            size = f"{tokens(text):,} tokens, and {max(left, 0):,} are left"
            return f"{question}\n\nrefused: it has {size}"
        return text

    def _used(self, seen: Sequence[str]) -> int:
        return tokens("\n\n".join((self.preface, *seen)))

    def _look_up(self, verb: str, rest: str) -> str:
        if verb == "LIST":
            paths = self.subjects.get(rest.lower(), ())
            unknown = f"there is no subject '{rest}'; " if rest else ""
            return "\n".join(map(self.lines.__getitem__, paths)) or f"{unknown}subjects: {', '.join(self.subjects)}"
        if verb == "SEARCH":
            return "\n".join(self.lines[path] for path in self.best(rest, SHOWN)) if rest else "search for what?"
        path = rest.removeprefix(f"{self.package}.").partition("(")[0].strip()
        return self.entries[path].text if path in self.entries else f"there is no function '{path}'"


def command(reply: str, entry: str) -> tuple[str, str] | None:
    """Return the first lookup that a reply requests, or None if the reply is an answer."""
    text = after_thinking(reply)
    if f"def {entry}" in text:
        return None
    match = _COMMAND.search(text)
    return (match[1].upper(), match[2].strip("` \t\r*'\"[]<>")) if match else None


def with_repair(talk: Conversation, task: Task, rounds: int, prompter: Prompter) -> Conversation:
    """Return a conversation whose answer is run on the examples in its prompt. If it fails, the model is asked again,
    with the error, at most `rounds` times.

    Whether the library did the work is not revealed, since an interpreter could not know that either.
    """
    reply: Any = None
    while True:
        try:
            prompt = talk.send(reply)
        except StopIteration as stop:
            answer: str = stop.value
            break
        reply = yield prompt
    for _ in range(rounds):
        verdict: Verdict = yield ExampleRun(answer)
        if (
            verdict.passed
            or verdict.blame is not Blame.CANDIDATE
            or verdict.kind in (Kind.NOT_FROM_LIBRARY, Kind.DECLINED)
        ):
            break
        code = extract(answer, task.entry).code.strip()
        program = f"```python\n{code}\n```" if code else "(no program was found in it)"
        failure = " ".join(f"{verdict.kind}: {stable_detail(verdict.detail)}".split())
        answer = yield str(prompt) + prompter.fill("repair", answer=program, said=failure)
    return answer


def stable_detail(detail: str) -> str:
    """Return a verdict's detail without memory addresses and times. They vary between runs, but a resumed conversation
    must see the same prompts again."""
    return _SECONDS.sub("", _ADDRESS.sub("0x...", detail))


def templates_of(kind: object, repair: int) -> tuple[str, ...]:
    """Return the extra templates that a run with this memory needs."""
    own = ("memory", *(kind.templates if isinstance(kind, Talking) else ())) if kind is not None else ()
    return (*own, "repair") if repair else own


def refuse_without_examples(tasks: Iterable[Task], prompter: Prompter) -> None:
    """Raise an error unless the prompt shows examples and every task has some: self-repair runs answers on them."""
    if "examples" not in prompter.templates["closed"].get_identifiers():
        raise ConfigError("repair: the template closed.md has no $examples to run an answer on; choose other --prompts")
    for task in tasks:
        if not task.examples:
            raise ConfigError(f"repair: task '{task.id}' has no examples to run an answer on; leave it out")
