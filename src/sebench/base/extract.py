"""Extracts the program from a model's response: the last fenced block that defines the entry point.

Fences are read as models write them: with any language tag or none, indented, quoted, attached to prose or to the last
line of code, unclosed, or inside a docstring of the code itself; `<pre>` and `<code>` are fences too. A model's
thinking (`<think>...</think>`) is not part of its answer. If the model marks its answer (`<answer>...</answer>`), only
that part counts, unless the program is elsewhere. A response without a fence may be a bare program with prose around
it.

Nothing is repaired: common indentation, shell prompts and invisible characters are removed, and the rest is exactly
what the model wrote. Names that the block lacks are taken from other blocks that define or import them, earlier blocks
first; a later block that only imports the entry point is treated as a usage example. If no block defines the entry
point, the last block with a function is used, or else the last block, so that the verdict can say what is missing. The
work is linear in the length of the response, and bounded.
"""

from __future__ import annotations

import ast
import html
import re
import textwrap
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from sebench.base import syntax

MAX_CHARACTERS = 200_000
DECLINE = "# not possible with this library"  # the whole program of an answer that declines
# That line, possibly quoted or between tags. Every repetition is possessive, so that no response, however long or
# odd, takes more than linear time.
_DECLINED = re.compile(rf"[>\s]*+(?:<\w++>)?\s*+{re.escape(DECLINE)}\s*+(?:</\w++>)?\s*+")
_FENCED = re.compile(r"^[> \t]*+(`{3,}+|~{3,}+)[^\n]*+\n(.*?)(?:^[> \t]*+\1|\Z)", re.M | re.S)
_END_TOKENS = (
    "<|im_end|>", "<|endoftext|>", "<|end_of_text|>", "<|eot_id|>", "<|end|>", "<|return|>", "<end_of_turn>", "<eos>",
    "</s>", "<pad>", "<｜end▁of▁sentence｜>", "<|eom_id|>",
)  # fmt: skip
_FINAL = "<|channel|>final<|message|>"  # before the answer, in the format of gpt-oss
_END_TOKEN = re.compile(f"({'|'.join(map(re.escape, _END_TOKENS))})")
_MAX_FENCES = 500  # only this many lines with a fence are examined, the last ones of the response
_EFFORT = 1_000_000  # characters that may be rescanned


def _tag_pattern(word: str) -> re.Pattern[str]:
    """Return a pattern for an opening or closing tag; a tag in quotes is only a mention."""
    quoted = rf"""(?P<quoted>(?:(['"])|(?<!`)`)</?{word}\s*>(?(2)\2|`(?!`)))"""
    return re.compile(rf"{quoted}|<(?P<end>/?){word}\s*>", re.IGNORECASE)


_THOUGHT, _ANSWER = _tag_pattern("think(?:ing)?"), _tag_pattern("answer")
_FUTURE = re.compile(r"^from __future__ import .*\n", re.MULTILINE)
_PROMPT = re.compile(r"[ \t]*(?:>>>|\.\.\.)(?: |$)")
_INVISIBLE = {
    **dict.fromkeys(map(ord, "\u200b\u200c\u200d\u200e\u200f\u2060\xad\x00")),
    **dict.fromkeys([0xA0, *range(0x2000, 0x200B), 0x202F, 0x3000], " "),
}
_WORD_ALONE = re.compile(r"\s*(?:python3?|py)\s*", re.IGNORECASE)
_WORD_BEFORE_CODE = re.compile(r"(?:python3?|py)\s+(?=(?:import|from|def|async|class)\s|@\w)", re.IGNORECASE)
_TAG = re.compile(r"<(/?)(?:pre|code)\b[^<>\n]{0,200}+>", re.IGNORECASE)
_QUOTED_FENCE = re.compile(r"^[ \t]*>[ \t>]*(?:`{3}|~{3})", re.MULTILINE)
_QUOTE = re.compile(r"^[ \t]*>[ ]?", re.MULTILINE)
_RUN = re.compile(r"`{3,}|~{3,}")
_LANGUAGE = re.compile(r"\s*(?:\{[^}]*\}|[\w+#.-]+(?:\s*\{[^}]*\}|(?:\s+[\w-]+=\S+)*))\s*")  # after an opening fence
_CODE_ON_FENCE = re.compile(r"(?:import|from|def|async|class)\s|@\w")
# Whatever opens or closes a string, a comment, or a fence at the start or end of its line. Possessive, to stay linear.
_LEXEME = re.compile(
    r"#|\"\"\"|'''|\"|\'|(?m:^)[ \t]*+(?P<first>`{3,}+|~{3,}+)"
    r"|(?:(?<!`)(?P<ticks>`{3,}+)|(?<!~)(?P<waves>~{3,}+))(?m:(?=[ \t]*+$))"
)
_STRING_END = {
    '"': re.compile(r'[^"\\\n]*+(?:\\.[^"\\\n]*+)*+"', re.DOTALL),
    "'": re.compile(r"[^'\\\n]*+(?:\\.[^'\\\n]*+)*+'", re.DOTALL),
    '"""': re.compile(r'[^"\\]*+(?:(?:\\.|"(?!""))[^"\\]*+)*+"""', re.DOTALL),
    "'''": re.compile(r"[^'\\]*+(?:(?:\\.|'(?!''))[^'\\]*+)*+'''", re.DOTALL),
}
_PROGRAM_START = re.compile(r"""\s*+(?:#|@|['"]|\w+ ?=|(?:import|from|def|class|async|try|if|with|for)\b)""")
_DEF = re.compile(r"\s*(?:async )?def \w+\s*[(\[]")
_CODE_LINE = re.compile(
    r"\s*+(?:import [\w.]+|from [\w.]+ import |(?:async )?def \w+\s*[(\[]|class \w+\s*[:(\[]|@\w[\w.]*\s*(?:\(|$)"
    r"|\w++\s*+(?::\s*+[\w\[\], .]++)?=[^=])"
)


@dataclass(frozen=True)
class Extracted:
    """The code in a response, or the reason why there is none."""

    code: str = ""
    reason: str = ""  # "" if there is code
    tree: ast.Module | None = field(default=None, compare=False, repr=False)  # None if the code does not parse


@dataclass(frozen=True)
class _CodeBlock:
    code: str
    tree: ast.Module | None

    @property
    def body(self) -> list[ast.stmt]:
        return self.tree.body if self.tree else []

    def defines(self, entry: str) -> bool:
        """Whether the block itself defines the entry point."""
        return syntax.defines(self.body, entry)

    def imports(self, modules: frozenset[str]) -> bool:
        """Whether the block imports one of these modules at top level."""
        return any(
            name.partition(".")[0] in modules
            for statement in self.body
            if isinstance(statement, ast.Import | ast.ImportFrom)
            for name in (getattr(statement, "module", None) or "", *(alias.name for alias in statement.names))
        )

    def binds(self, entry: str) -> bool:
        """Whether the block binds the name of the entry point, even if only by an import."""
        return entry in syntax.names(self.body)

    def has_function(self) -> bool:
        return any(syntax.functions(self.body))


def extract(response: str, entry: str, avoid: frozenset[str] = frozenset()) -> Extracted:
    """Extract the program from a response. Never raises an error, whatever the response contains. A program that
    imports a module in `avoid` is used only if there is no other."""
    if len(response) > MAX_CHARACTERS:
        return Extracted(reason=f"the response has {len(response):,} characters; the limit is {MAX_CHARACTERS:,}")
    text = _clean(response)
    answer = _answer(text)
    if answer is None:
        return Extracted(reason="the response ends before its thinking does")
    if not answer.strip() and not _outside_thoughts(text).strip():
        return Extracted(reason="nothing follows the thinking" if text.strip() else "the response is empty")
    candidates: list[tuple[_CodeBlock, list[_CodeBlock]]] = []
    for part in _parts(answer, text):
        reader = _FenceReader(_unwrap(part))
        chosen = reader.choose(entry, avoid)
        if chosen is not None:
            candidates.append((chosen, reader.blocks))
            if chosen.defines(entry):
                break
    if not candidates:
        return Extracted(reason="the response has no code")
    whole = _complete(*(candidates[-1] if candidates[-1][0].defines(entry) else candidates[0]))
    return Extracted(whole.code, tree=whole.tree)


def _clean(response: str) -> str:
    """Return a response with plain line ends, and without the tokens that end a model's turn or begin its answer."""
    text = response.replace("\r\n", "\n").replace("\r", "\n").replace("\ufeff", "").replace("<|python_tag|>", "")
    text = text.rpartition(_FINAL)[2]
    if not text.rstrip().endswith(_END_TOKENS):
        return text
    parts = _END_TOKEN.split(text)  # texts and the tokens between them
    while len(parts) > 1 and not parts[-1].strip():
        del parts[-2:]
    return "".join(parts)


def after_thinking(response: str) -> str:
    """Return the part of a response after its thinking, for replies that are not programs; "" if the thinking never
    ends."""
    return _answer(_clean(response)) or ""


def code_blocks(reply: str) -> list[str]:
    """Return the fenced blocks in a reply that is not an answer to a task, except one that is cut off; without any
    fence, the code in the reply."""
    reader = _FenceReader(_unwrap(after_thinking(reply)))
    reader.read_fences()
    if reader.blocks:
        fences = sum(reader.lines[i].strip().startswith(("```", "~~~")) for i in reader.fenced)
        return [block.code for block in reader.blocks[: -1 if fences % 2 else None]]
    bare = reader.bare(_CodeBlock.has_function)
    return [bare.code] if bare else []


def declines(response: str, entry: str) -> bool:
    """Whether the response declines: its program is the line `DECLINE`, and there is no other code. Prose may surround
    the fence; without a fence the line must be the whole answer."""
    if DECLINE not in response or len(response) > MAX_CHARACTERS:
        return False
    text = _clean(response)
    lines = (_answer(text) or "").split("\n")
    declining = [bool(_DECLINED.fullmatch(line)) for line in lines]
    others = "\n".join(line for line, is_it in zip(lines, declining, strict=True) if not is_it)
    if not any(declining) or any(block[2].strip("> \t\n") for block in _FENCED.finditer(others)):
        return False
    if re.search(rf"\bdef\s+{re.escape(entry)}\b", others):
        return False
    return not others.strip() or any(
        declining[i] and lines[i - 1].lstrip("> ").startswith(("```", "~~~")) for i in range(1, len(lines))
    )


def _answer(text: str) -> str | None:
    """Return the text outside the thinking; None if there is only thinking that never ends."""
    marks = [mark for mark in _THOUGHT.finditer(text) if not mark["quoted"]]
    start = max((mark.end() for mark in marks if mark["end"]), default=0)
    opened = next((mark.start() for mark in marks if mark.start() >= start), len(text))
    if f"\n{text[start:opened]}".count("\n```") % 2:
        opened = len(text)  # the tag is part of the code
    answer = text[start:opened]
    return None if opened < len(text) and not answer.strip() else answer


def _outside_thoughts(text: str) -> str:
    """Return the text outside all thinking blocks, for models that also think after answering; "" without any."""
    parts: list[str] = []
    at = depth = 0
    for mark in _THOUGHT.finditer(text):
        if mark["quoted"]:
            continue
        if mark["end"]:
            if not depth:
                parts.clear()  # thinking that began before the response
            depth, at = 0, mark.end()
        elif not depth:
            parts.append(text[at : mark.start()])
            depth = 1
    return "\n".join([*parts, text[at:]] if at and not depth else parts)


def _parts(answer: str, text: str) -> Iterator[str]:
    """Yield the parts of a response that may contain the program: first the last marked answer, then all that follows
    the thinking, then all that is outside of any thinking."""
    marks = [mark for mark in _ANSWER.finditer(answer) if not mark["quoted"]] if "<" in answer else []
    opened = next((mark for mark in reversed(marks) if not mark["end"]), None)
    if opened is not None:
        closed = next((mark.start() for mark in marks if mark["end"] and mark.start() > opened.start()), len(answer))
        yield answer[opened.end() : closed]
    yield answer
    yield _outside_thoughts(text)


def _unwrap(text: str) -> str:
    """Return the text without Markdown quotation markers (`>`) or HTML tags around code."""
    if "```" not in text and "~~~" not in text and "</" in text:
        return _with_fences(text)
    for _ in range(3):
        if not _QUOTED_FENCE.search(text):
            break
        text = _QUOTE.sub("", text)
    return text


def _with_fences(text: str) -> str:
    """Return the text with fences in place of `<pre>` and `<code>`; nested tags become one fence."""
    parts: list[str] = []
    depth = at = 0
    for tag in _TAG.finditer(text):
        closing = bool(tag[1])
        if closing and not depth:
            continue
        part = text[at : tag.start()]
        parts.append(html.unescape(part) if depth else part)
        at, was = tag.end(), depth
        depth += -1 if closing else 1
        if not was or not depth:
            parts.append("\n```\n")
    return "".join([*parts, text[at:]])


class _FenceReader:
    """Finds the fenced blocks of an answer, and chooses the one that is the program."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = text.split("\n")
        self.fenced = [i for i, line in enumerate(self.lines) if "```" in line or "~~~" in line]
        self.code_lines = [i for i, line in enumerate(self.lines) if _CODE_LINE.match(line)]
        self.blocks: list[_CodeBlock] = []
        self.effort = _EFFORT

    def choose(self, entry: str, avoid: frozenset[str]) -> _CodeBlock | None:
        """Return the block that is the answer, or None."""
        if not self.text.strip():
            return None
        self.read_fences()
        return (
            self.whole(entry)
            or _last(self.blocks, lambda block: syntax.answers(block.body, entry) and not block.imports(avoid))
            or _last(self.blocks, lambda block: syntax.answers(block.body, entry))
            or _last(self.blocks, lambda block: block.defines(entry))
            or _last(self.blocks, lambda block: block.binds(entry))
            or _last(self.between_fences(entry), lambda block: block.defines(entry))
            or self.bare(lambda block: block.defines(entry) or block.binds(entry))
            or _last(self.blocks, _CodeBlock.has_function)
            or (self.blocks[-1] if self.blocks else self.bare(_CodeBlock.has_function) or self.find_unparsed())
        )

    def whole(self, entry: str) -> _CodeBlock | None:
        """Return the whole text if it is one program; anything in it that looks like a fence is then inside a
        string."""
        if not self.blocks or not _PROGRAM_START.match(self.text):
            return None
        block = _make_block(self.lines)
        return block if block.defines(entry) else None

    def read_fences(self) -> None:
        """Find the blocks by pairing each opening fence with its closing fence."""
        i = self.fenced[-_MAX_FENCES] if len(self.fenced) > _MAX_FENCES else 0
        while (next_one := bisect_left(self.fenced, i)) < len(self.fenced):
            i = self.fenced[next_one]
            runs = list(_RUN.finditer(self.lines[i]))
            if len(runs) % 2:
                i = self.take(i, runs[-1].group(), self.lines[i][runs[-1].end() :])
            else:
                self.blocks.extend(_one_line_programs(self.lines[i], runs) if len(runs) < 10 else ())
                i += 1

    def take(self, i: int, fence: str, info: str) -> int:
        """Read the block whose fence opens in line i, and return the line to continue from."""
        info = _WORD_BEFORE_CODE.sub("", info.lstrip(), 1)
        first = [info] if _CODE_ON_FENCE.match(info) else []
        if not info and i + 1 < len(self.lines) and _WORD_ALONE.fullmatch(self.lines[i + 1]):
            i += 1
        close, rest = self.close(i + 1, fence)
        block = _make_block([*first, *self.lines[i + 1 : close], *rest])
        if block.tree is None and close < len(self.lines):
            outside, tail = self.close_outside_strings(i + 1, fence)
            if outside > close:
                longer = _make_block([*first, *self.lines[i + 1 : outside], *tail])
                if longer.tree is None and outside == len(self.lines):
                    longer = self.without_prose(longer) or longer
                if longer.tree is not None:
                    self.blocks.append(longer)
                    return outside + 1
        if block.tree is None and close == len(self.lines):
            block = self.without_prose(block) or block
        if block.code.strip():
            self.blocks.append(block)
        opens_another = (
            close < len(self.lines) and not rest and _LANGUAGE.fullmatch(self.lines[close].strip().lstrip("`~"))
        )
        return close if opens_another else close + 1

    def close(self, start: int, fence: str) -> tuple[int, list[str]]:
        """Return the line of the closing fence according to Markdown, and any code before the fence in that line."""
        for i in self.fenced[bisect_left(self.fenced, start) :]:
            line = self.lines[i].strip()
            if line.startswith(fence):
                return i, []
            if line.endswith(fence) and not line.startswith("#"):
                code = line.rstrip(fence[0])
                if fence not in code:
                    return i, [self.lines[i].rstrip().rstrip(fence[0])]
        return len(self.lines), []

    def close_outside_strings(self, start: int, fence: str) -> tuple[int, list[str]]:
        """Like `close`, but ignore fences inside strings and comments of Python code; the line is 0 if a string never
        ends."""
        text = "\n".join(self.lines[start:])
        position = 0
        while (match := _LEXEME.search(text, position)) and self.effort > 0:
            self.effort -= match.end() - position
            lexeme, position = match.group(), match.end()
            run = match["first"] or match["ticks"] or match["waves"]
            if run and run.startswith(fence):
                line = text.count("\n", 0, match.start())
                before = text[text.rfind("\n", 0, match.start()) + 1 : match.start()]
                return start + line, [before] if before.strip() else []
            if lexeme in _STRING_END:
                end = _STRING_END[lexeme].match(text, position)
                if end is None and len(lexeme) == 3:
                    self.effort -= len(text) - position
                    return 0, []
                position = end.end() if end else _end_of_line(text, position)
                self.effort -= position - match.end()
            elif lexeme == "#":
                position = _end_of_line(text, position)
        return len(self.lines) if self.effort > 0 else 0, []

    def between_fences(self, entry: str) -> Iterator[_CodeBlock]:
        """Yield the text between any two adjacent fences, in case fences are nested or do not pair up."""
        fences = [i for i in self.fenced if self.lines[i].lstrip().startswith(("```", "~~~"))][-_MAX_FENCES:]
        for start, end in pairwise([*fences, len(self.lines)]):
            inner = self.lines[start + 1 : end]
            if any(entry in line for line in inner):
                yield _make_block(inner)

    def bare(self, accepts: Callable[[_CodeBlock], bool]) -> _CodeBlock | None:
        """Return a program that has no fence: the whole text, or the lines from one that looks like code to the last
        one that parses."""
        starts = self.code_lines
        top = [0] if _PROGRAM_START.match(self.text) else []  # otherwise it is prose, even if a word of it parses
        for start in dict.fromkeys([*top, *starts[:4]] if starts else []):
            block = _make_block(self.lines[start:])
            self.effort -= len(block.code)
            program = block if block.tree else self.without_prose(block)
            if program and accepts(program):
                return program
        return None

    def find_unparsed(self) -> _CodeBlock | None:
        """Return text that is meant to be a program, although it does not parse or defines nothing."""
        starts = self.code_lines
        first = next(i for i, line in enumerate(self.lines) if line.strip())
        if not starts or (starts[0] != first and not any(_DEF.match(self.lines[i]) for i in starts)):
            return None
        return _make_block(self.lines[starts[0] :])

    def without_prose(self, block: _CodeBlock) -> _CodeBlock | None:
        """Return the block up to the first line that does not parse, if that line is prose (it is not indented)."""
        lines = block.code.split("\n")
        while self.effort > 0:
            code = "\n".join(lines)
            self.effort -= len(code)
            tree = syntax.parse(code)
            if isinstance(tree, ast.Module):
                return _CodeBlock(code, tree) if tree.body else None
            wrong = min(tree.lineno or 0, len(lines)) - 1
            if wrong <= 0 or lines[wrong][:1].isspace():
                break
            lines = lines[:wrong]
        return None


def _end_of_line(text: str, position: int) -> int:
    end = text.find("\n", position)
    return len(text) if end < 0 else end


def _one_line_programs(line: str, runs: list[re.Match[str]]) -> Iterator[_CodeBlock]:
    """Yield one-line programs: ```python def f(a): return a```."""
    for opening, closing in zip(runs[::2], runs[1::2], strict=True):
        code = re.sub(r"^\s*(?:python3?|py)\s+", "", line[opening.end() : closing.start()], flags=re.IGNORECASE)
        if ("def " in code or "lambda" in code) and (block := _make_block([code])).tree:
            yield block


def _make_block(lines: list[str]) -> _CodeBlock:
    """Make a code block from lines, without their common indentation."""
    lines = lines[next((i for i, text in enumerate(lines) if text.strip()), len(lines)) :]
    code = _dedent(lines)
    tree = syntax.parse(code)
    if isinstance(tree, SyntaxError):
        seen = [text.translate(_INVISIBLE) for text in lines]
        if lines and lines[0].lstrip().startswith(">>>"):
            seen = [text[match.end() :] for text in seen if (match := _PROMPT.match(text))]
        if seen != lines and isinstance(again := syntax.parse(_dedent(seen)), ast.Module):
            code, tree = _dedent(seen), again
    return _CodeBlock(code, tree if isinstance(tree, ast.Module) else None)


def _dedent(lines: list[str]) -> str:
    code = textwrap.dedent("\n".join(lines)).rstrip() + "\n"
    margin = len(code) - len(code.lstrip())
    if margin and code.strip():  # a string that starts further left than the code
        code = "\n".join(text[min(margin, len(text) - len(text.lstrip())) :] for text in code.split("\n"))
    return code


def _complete(chosen: _CodeBlock, blocks: list[_CodeBlock]) -> _CodeBlock:
    """Return the block, completed with statements from other blocks that define or import the names it uses."""
    if len(blocks) < 2 or chosen.tree is None or chosen not in blocks:
        return chosen
    missing = syntax.missing(chosen.code)
    parts = [chosen.code]
    place = blocks.index(chosen)
    for block in (*reversed(blocks[:place]), *blocks[place + 1 :]):
        if not missing:
            break
        lines = block.code.split("\n")
        for statement in reversed(block.body):
            provided = syntax.names([statement]) & missing
            if provided:
                part = "\n".join(lines[syntax.first_line(statement) - 1 : statement.end_lineno]) + "\n"
                missing = (missing - provided) | syntax.missing(part)
                parts.insert(0, part)
    if len(parts) == 1:
        return chosen
    code = "".join(parts)
    first = "".join(dict.fromkeys(_FUTURE.findall(code)))  # these come before everything else
    code = first + _FUTURE.sub("", code)
    tree = syntax.parse(code)
    return _CodeBlock(code, tree) if isinstance(tree, ast.Module) else chosen


def _last(blocks: Iterable[_CodeBlock], accepts: Callable[[_CodeBlock], bool]) -> _CodeBlock | None:
    return next((block for block in reversed(list(blocks)) if accepts(block)), None)
