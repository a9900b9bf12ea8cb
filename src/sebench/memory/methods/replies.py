"""Parses what models write while they study. It is strict: a malformed part is left out and counted.

    operations("ADD pitfalls: `vok.kocito` has no axis")     # Read([Operation("ADD", ...)], malformed=0)
    rule_operations("ADD: Say what the axis is.\nhm")       # Read([RuleOperation("ADD", ...)], malformed=1)
    rule_operations("ADD: <a new rule>")                     # Read([], malformed=1): copied from the prompt

Prompts ask for one item per line, the format that small models write best. Bullets, numbers, bold type and backticks
around a line, and the case of its keyword, do not matter. Code inside rules and bullets is ordinary text. Thinking
before the reply is ignored. Nothing is repaired or guessed, and text copied from the prompt's reply format counts as
malformed (`texts.is_copied`).

Not covered: whether an id or a rule number exists; that is checked when operations are applied.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from sebench.base.extract import after_thinking
from sebench.memory import playbook, rule_list
from sebench.memory.methods.texts import EMPTY, is_copied, unbracketed
from sebench.memory.playbook import Operation, one_line
from sebench.memory.rule_list import RuleOperation

T = TypeVar("T")
MOST_RULES = 4  # maximum rule operations per reply
LONGEST = 2_000  # maximum characters in a rule, a bullet or a field of a reflection
_FENCE = re.compile(r"[ \t]*(`{3,})(\w*)[^`]*")
_RULE = re.compile(r"(?i:(ADD)|(EDIT|AGREE|REMOVE)(?:\s+rule)?[\s:#]+(\d{1,4})\b[.)]?)\s*(?:[:(]\s*(.*))?")
_OPERATION = re.compile(rf"(?i:({'|'.join(playbook.OPERATIONS)}))\b([^:\n]*)(?::(.*))?")
_REFLECTED = re.compile(r"(?i:(error|cause|approach|insight)\s*:(.*)|tag\s+([^:\s]+)\s*:\s*(\w+)\s*(?:[.(].*)?)")
_NOTHING = "NONE"  # the reply of a curator that changes nothing
_NOTHING_SAID = re.compile(r"(?i)\W*(?:none|nothing|n/?a|no (?:errors?|mistakes?))\W*")  # in a field of a reflection
_MARKER = re.compile(r"^(?:[-*+•]\s+|\(?\d{1,2}[.)]\s+)+")
_BOLD = re.compile(r"^(\*\*|__)(.+?)\1")
_USED = re.compile(r"(?mi)^[^\w\n]*+(?:notes[^\S\n]++)?used[^\w\n:]*+:(.*)$")
_ID = re.compile(r"\b[a-z]{3}-\d{5}\b")


@dataclass(frozen=True)
class Read(Generic[T]):
    """The parsed items of a reply, and the number of parts that could not be parsed."""

    items: list[T]
    malformed: int = 0


@dataclass(frozen=True)
class Reflection:
    """A reflection on an attempt."""

    error: str = ""  # what went wrong
    cause: str = ""
    approach: str = ""  # what should have been done
    insight: str = ""  # what to remember
    tags: Mapping[str, str] = field(default_factory=dict)  # bullet id -> tag

    def text(self) -> str:
        """Return the reflection as text for people and models, or "" if it is empty."""
        fields = {"What went wrong": self.error, "Cause": self.cause, "Better": self.approach, "Insight": self.insight}
        return "\n".join(f"{name}: {value}" for name, value in fields.items() if value)


def reflection(reply: str) -> Read[Reflection]:
    """Parse the only reflection in a reply, in lines such as "ERROR: ..." and "TAG pit-00007: harmful". A field may go
    on in the lines below it if its own line has no text. Unknown tags are left out, and so are fields that say
    "none"; a second line for the same field is malformed."""
    fields: dict[str, str] = {}
    tags: dict[str, str] = {}
    malformed, going_on = 0, ""
    for line in _lines(reply):
        match = _REFLECTED.fullmatch(line)
        if match and match[3]:
            tags[match[3].strip("[]`")], going_on = match[4].lower(), ""
        elif match and match[1].lower() not in fields:
            fields[name := match[1].lower()] = match[2].strip()
            going_on = "" if fields[name] else name
        elif going_on and not match:
            fields[going_on] = f"{fields[going_on]} {line}".strip()
        else:
            malformed, going_on = malformed + 1, ""
    own = {name: one_line(unbracketed(text)) for name, text in fields.items() if _short(text) and not is_copied(text)}
    if not (own or tags or any(map(_short, fields.values()))):
        return Read([], 1)
    filled = {name: text for name, text in own.items() if not _NOTHING_SAID.fullmatch(text)}
    known = {name: tag for name, tag in tags.items() if tag in playbook.TAGS}
    return Read([Reflection(**filled, tags=known)], malformed + len(fields) - len(own))


def operations(reply: str) -> Read[Operation]:
    """Parse the playbook operations in a reply, one per line."""
    lines = list(_lines(reply))
    read = [_operation(line) for line in lines]
    items = [one for one in read if one is not None]
    changes_nothing = [line.strip(".! ").upper() for line in lines] == [_NOTHING]
    return Read(items, read.count(None)) if items else Read([], int(not changes_nothing))


def _operation(line: str) -> Operation | None:
    """Return the operation in a line such as "ADD pitfalls: ..." or "REMOVE pit-00007"."""
    match = _OPERATION.fullmatch(line)
    if match is None:
        return None
    kind, target, text = match[1].upper(), match[2].strip(), (match[3] or "").strip()
    section, ids = (target, ()) if kind == playbook.ADD else ("", tuple(_ID.findall(target)))
    if not _short(text) or is_copied(text) or (kind != playbook.REMOVE and not text):
        return None
    ids_fit = {playbook.ADD: True, playbook.MERGE: len(set(ids)) > 1}.get(kind, len(ids) == 1)
    return Operation(kind, section, one_line(unbracketed(text)), ids) if ids_fit else None


def rule_operations(reply: str) -> Read[RuleOperation]:
    """Parse the rule operations in a reply, one per line. Those beyond the first four count as malformed. So do votes
    both for and against the same rule, which a model casts when it merely copies the reply format."""
    lines = [_rule_operation(line) for line in _lines(reply)]
    votes = {(one.kind, one.number) for one in lines if one is not None}
    disputed = {number for kind, number in votes if kind == rule_list.AGREE and (rule_list.REMOVE, number) in votes}
    clear = [
        one
        for one in lines
        if one is not None and not (one.kind in (rule_list.AGREE, rule_list.REMOVE) and one.number in disputed)
    ]
    return Read(clear[:MOST_RULES], len(lines) - len(clear[:MOST_RULES]))


def _rule_operation(line: str) -> RuleOperation | None:
    match = _RULE.fullmatch(line)
    if match is None:
        return None
    kind, number, text = (match[1] or match[2]).upper(), int(match[3] or 0), one_line(match[4] or "")
    wants_text = kind in (rule_list.ADD, rule_list.EDIT)
    if not _short(text) or (wants_text and (not text or is_copied(text))):
        return None
    return RuleOperation(kind, number, unbracketed(text) if wants_text else "")


def without_thinking(answer: str) -> str:
    """Return an answer as later prompts show it: without the thinking, which may be far too long for a prompt."""
    return after_thinking(answer).strip() or EMPTY


def one_line_reflection(reply: str) -> str:
    """Return an ExpeL reflection: the whole reply on one line, or "" if it is empty, far too long or copied from the
    prompt."""
    text = one_line(after_thinking(reply))
    return text if len(text) <= LONGEST and not is_copied(text) else ""


def cited_bullets(reply: str) -> tuple[str, ...]:
    """Return the ids of the bullets that a reply says it used."""
    return tuple(dict.fromkeys(name for line in _USED.findall(after_thinking(reply)) for name in _ID.findall(line)))


def notes(reply: str, cut: bool = False) -> str | None:
    """Return the content of the only fenced `notes` block in a reply, or None if there is none or more than one, or if
    it is empty or copied. Examples in it may have fences of their own. With `cut`, also accept a block that is cut off,
    and return its complete lines."""
    closed: list[str] = []
    lines, fence, inner = list[str](), "", False
    for line in after_thinking(reply).split("\n"):
        match = _FENCE.fullmatch(line)
        if not fence:
            fence = match[1] if match and match[2].lower() == "notes" else ""
        elif match and match[1] == fence and not inner and not match[2]:
            closed.append(_without_copies(lines))
            lines, fence = [], ""
        else:
            inner ^= bool(match) and (inner or bool(match and match[2]))
            lines.append(line)
    if fence and cut and not closed and len(lines) > 1:
        closed = [_without_copies([*lines[:-1], *(["```"] if inner else [])])]
    return closed[0] if len(closed) == 1 and closed[0] else None


def _without_copies(lines: list[str]) -> str:
    """Return notes without lines that are copied from the prompt or repeat the line before."""
    kept: list[str] = []
    in_code = False
    for line in lines:
        plain, fence = line.strip(), line.lstrip().startswith("```")
        in_code ^= fence
        repeated = bool(kept) and plain == kept[-1].strip()
        if fence or in_code or not plain or not (repeated or plain == EMPTY or is_copied(line)):
            kept.append(line)
    return "\n".join(kept).strip()


def _lines(reply: str) -> Iterator[str]:
    """Yield the lines of a reply, without empty ones and fences, and without what decorates them."""
    for line in map(str.strip, after_thinking(reply).splitlines()):
        if not line or line.startswith("```"):
            continue
        plain = _BOLD.sub(r"\2", _MARKER.sub("", line))
        in_backticks = plain.count("`") == 2 and plain.startswith("`") and plain.endswith("`")
        yield plain.strip("`").strip() if in_backticks else plain.strip()


def _short(text: str) -> bool:
    """Whether later prompts can include a text: it must not be too long, and must not contain lone surrogates, which
    cannot be encoded in a request."""
    return len(text) <= LONGEST and not any("\ud800" <= sign <= "\udfff" for sign in text)
