"""The program in a model's response: the last fenced block that defines the entry point.

Fences are read as models write them: any language word or none, indented, glued to prose or to the last line of
code, unclosed, or inside a docstring of the code itself. What a model thinks (`<think>...</think>`) is no answer. A
response without a fence may be a bare program with prose around it.

Nothing is repaired: apart from indentation that all lines share, the code is what the model wrote. Where no block
defines the entry point, the last one with a function is taken, else the last one as it is: the verdict then says
what is missing. Work is linear in the length of the response, and bounded.
"""

from __future__ import annotations

import ast
import re
import textwrap
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise

MAX_CHARACTERS = 200_000
_MAX_FENCES = 500  # lines with a fence, the last of the response, that are looked at
_EFFORT = 1_000_000  # characters that may be read more than once

# Where thinking begins or ends; not where a program or a sentence only mentions the mark, in quotes.
_THOUGHT = re.compile(
    r"""(?P<quoted>(?:(['"])|(?<!`)`)</?think(?:ing)?\s*>(?(2)\2|`(?!`)))|<(?P<end>/?)think(?:ing)?\s*>""",
    re.IGNORECASE,
)
_RUN = re.compile(r"`{3,}|~{3,}")
_LANGUAGE = re.compile(r"\s*(?:\{[^}]*\}|[\w+#.-]+(?:\s*\{[^}]*\}|(?:\s+[\w-]+=\S+)*))\s*")  # of an opening fence
_CODE_ON_FENCE = re.compile(r"(?:import|from|def|async|class)\s|@\w")
# What can open or close a string, a comment, or a fence at the start or end of its line. Possessive, to stay linear.
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
    """The code of a response, or the reason why there is none."""

    code: str = ""
    reason: str = ""  # "" where there is code
    line: int = 0  # of the response, counted from 1, in which the code begins
    tree: ast.Module | None = field(default=None, compare=False, repr=False)  # None where the code does not parse


@dataclass(frozen=True)
class _Block:
    code: str
    line: int
    tree: ast.Module | None

    @property
    def names(self) -> set[str]:
        return _names(self.tree.body) if self.tree else set()

    def has_function(self) -> bool:
        return self.tree is not None and any(functions(self.tree.body))


def extract(response: str, entry: str) -> Extracted:
    """The code that the response answers with. It never raises, whatever the text."""
    if len(response) > MAX_CHARACTERS:
        return Extracted(reason=f"the response has {len(response):,} characters; at most {MAX_CHARACTERS:,} are read")
    answer, skipped = _answer(response.replace("\r\n", "\n").replace("\r", "\n").replace("\ufeff", ""))
    if answer is None:
        return Extracted(reason="the response ends before its thinking does")
    if not answer.strip():
        return Extracted(reason="nothing follows the thinking" if skipped else "the response is empty")
    reader = _Reader(answer)
    reader.read_fences()
    chosen = (
        reader.whole(entry)
        or _last(reader.blocks, lambda block: entry in block.names)
        or _last(reader.between_fences(entry), lambda block: entry in block.names)
        or reader.bare(lambda block: entry in block.names)
        or _last(reader.blocks, _Block.has_function)
        or (reader.blocks[-1] if reader.blocks else reader.bare(_Block.has_function) or reader.unparsed())
    )
    if chosen is None:
        return Extracted(reason="the response has no code")
    return Extracted(chosen.code, line=chosen.line + skipped, tree=chosen.tree)


def parse(code: str) -> ast.Module | SyntaxError:
    """The syntax tree, or what is wrong. Warnings about the candidate's code are nobody's business here."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(code)
    except SyntaxError as error:
        return error
    except (ValueError, MemoryError, RecursionError) as error:  # null bytes, surrogates, absurd nesting
        return SyntaxError(str(error) or "too deeply nested")


def _answer(text: str) -> tuple[str | None, int]:
    """What follows the thinking, and how many lines come before it; None if the thinking never ends."""
    marks = [mark for mark in _THOUGHT.finditer(text) if not mark["quoted"]]
    start = max((mark.end() for mark in marks if mark["end"]), default=0)
    opened = next((mark.start() for mark in marks if mark.start() >= start), len(text))
    answer = text[start:opened]
    if opened < len(text) and not answer.strip():
        return None, 0
    return answer, text.count("\n", 0, start)


class _Reader:
    """The fenced blocks of an answer."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = text.split("\n")
        self.blocks: list[_Block] = []
        self.effort = _EFFORT

    def whole(self, entry: str) -> _Block | None:
        """The answer, if it is a program from beginning to end: then what looks like a fence lies in its strings."""
        if not self.blocks or not _PROGRAM_START.match(self.text):
            return None
        block = _block(self.lines, 0)
        return block if entry in block.names else None

    def read_fences(self) -> None:
        """Find the blocks, each opening fence with its closing one."""
        fenced = [i for i, line in enumerate(self.lines) if "```" in line or "~~~" in line]
        i = fenced[-_MAX_FENCES] if len(fenced) > _MAX_FENCES else 0
        wanted = set(fenced)
        while i < len(self.lines):
            if i not in wanted:
                i += 1
                continue
            runs = list(_RUN.finditer(self.lines[i]))
            if len(runs) % 2:
                i = self.take(i, runs[-1].group(), self.lines[i][runs[-1].end() :])
            else:
                self.blocks.extend(_inline(self.lines[i], runs, i) if len(runs) < 10 else ())
                i += 1

    def take(self, i: int, fence: str, info: str) -> int:
        """Read the block whose fence opens in line i; the line to go on with."""
        first = [info.lstrip()] if _CODE_ON_FENCE.match(info.lstrip()) else []
        line = i if first else i + 1
        close, rest = self.close(i + 1, fence)
        block = _block([*first, *self.lines[i + 1 : close], *rest], line)
        if block.tree is None and close < len(self.lines):
            outside, tail = self.close_outside_strings(i + 1, fence)
            if outside > close:
                longer = _block([*first, *self.lines[i + 1 : outside], *tail], line)
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
        """The line of the closing fence by the rules of Markdown, and the code before it in that line."""
        for i in range(start, len(self.lines)):
            line = self.lines[i].strip()
            if line.startswith(fence):
                return i, []
            if line.endswith(fence) and not line.startswith("#"):
                code = line.rstrip(fence[0])
                if fence not in code:
                    return i, [self.lines[i].rstrip().rstrip(fence[0])]
        return len(self.lines), []

    def close_outside_strings(self, start: int, fence: str) -> tuple[int, list[str]]:
        """The same, but passing over fences inside strings and comments of Python code; 0 if a string never ends."""
        text = "\n".join(self.lines[start:])
        position = 0
        while (found := _LEXEME.search(text, position)) and self.effort > 0:
            self.effort -= found.end() - position
            lexeme, position = found.group(), found.end()
            run = found["first"] or found["ticks"] or found["waves"]
            if run and run.startswith(fence):
                line = text.count("\n", 0, found.start())
                before = text[text.rfind("\n", 0, found.start()) + 1 : found.start()]
                return start + line, [before] if before.strip() else []
            if lexeme in _STRING_END:
                end = _STRING_END[lexeme].match(text, position)
                if end is None and len(lexeme) == 3:
                    self.effort -= len(text) - position
                    return 0, []
                position = end.end() if end else _end_of_line(text, position)
                self.effort -= position - found.end()
            elif lexeme == "#":
                position = _end_of_line(text, position)
        return len(self.lines) if self.effort > 0 else 0, []

    def between_fences(self, entry: str) -> Iterator[_Block]:
        """What lies between any two neighbouring fences: for fences that are nested or do not pair up."""
        fences = [i for i, line in enumerate(self.lines) if line.lstrip().startswith(("```", "~~~"))][-_MAX_FENCES:]
        for start, end in pairwise([*fences, len(self.lines)]):
            inner = self.lines[start + 1 : end]
            if any(entry in line for line in inner):
                yield _block(inner, start + 1)

    def bare(self, wanted: Callable[[_Block], bool]) -> _Block | None:
        """A program without a fence: all, or from a line that looks like code to the last line that still parses."""
        starts = [i for i, line in enumerate(self.lines) if _CODE_LINE.match(line)]
        top = [0] if _PROGRAM_START.match(self.text) else []  # else it is prose, even where a word of it parses
        for start in dict.fromkeys([*top, *starts[:4]] if starts else []):
            block = _block(self.lines[start:], start)
            self.effort -= len(block.code)
            found = block if block.tree else self.without_prose(block)
            if found and wanted(found):
                return found
        return None

    def unparsed(self) -> _Block | None:
        """What is meant as a program, though it does not parse or defines nothing."""
        starts = [i for i, line in enumerate(self.lines) if _CODE_LINE.match(line)]
        first = next(i for i, line in enumerate(self.lines) if line.strip())
        if not starts or (starts[0] != first and not any(_DEF.match(self.lines[i]) for i in starts)):
            return None
        return _block(self.lines[starts[0] :], starts[0])

    def without_prose(self, block: _Block) -> _Block | None:
        """The block up to the line that no longer parses, if that line is prose: it starts at the margin."""
        lines = block.code.split("\n")
        while self.effort > 0:
            code = "\n".join(lines)
            self.effort -= len(code)
            tree = parse(code)
            if isinstance(tree, ast.Module):
                return _Block(code, block.line, tree) if tree.body else None
            wrong = min(tree.lineno or 0, len(lines)) - 1
            if wrong <= 0 or lines[wrong][:1].isspace():
                break
            lines = lines[:wrong]
        return None


def _end_of_line(text: str, position: int) -> int:
    end = text.find("\n", position)
    return len(text) if end < 0 else end


def _inline(line: str, runs: list[re.Match[str]], i: int) -> Iterator[_Block]:
    """Programs of one line: ```python def f(a): return a```."""
    for opening, closing in zip(runs[::2], runs[1::2], strict=True):
        code = re.sub(r"^\s*(?:python3?|py)\s+", "", line[opening.end() : closing.start()], flags=re.IGNORECASE)
        if ("def " in code or "lambda" in code) and (block := _block([code], i)).tree:
            yield block


def _block(lines: list[str], line: int) -> _Block:
    """The lines as code: without the indentation that they share."""
    while lines and not lines[0].strip():
        lines, line = lines[1:], line + 1
    code = textwrap.dedent("\n".join(lines)).rstrip() + "\n"
    margin = len(code) - len(code.lstrip())
    if margin and code.strip():  # a string that reaches further left than the code
        code = "\n".join(text[min(margin, len(text) - len(text.lstrip())) :] for text in code.split("\n"))
    tree = parse(code)
    return _Block(code, line + 1, tree if isinstance(tree, ast.Module) else None)


def _last(blocks: Iterable[_Block], wanted: Callable[[_Block], bool]) -> _Block | None:
    found = None
    for block in blocks:
        if wanted(block):
            found = block
    return found


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements at top level, also those inside if, try, with and loops."""
    waiting = list(reversed(body))
    while waiting:
        statement = waiting.pop()
        yield statement
        for name in ("finalbody", "orelse", "handlers", "body"):
            if not isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                waiting.extend(reversed(getattr(statement, name, [])))


def functions(body: list[ast.stmt]) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """The functions that these statements define at top level."""
    return (s for s in _statements(body) if isinstance(s, ast.FunctionDef | ast.AsyncFunctionDef))


def _names(body: list[ast.stmt]) -> set[str]:
    """The names that these statements bind."""
    names: set[str] = set()
    for statement in _statements(body):
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(statement.name)
        elif isinstance(statement, ast.Import | ast.ImportFrom):
            names.update(alias.asname or alias.name for alias in statement.names)
        elif isinstance(statement, ast.Assign):
            names.update(n.id for t in statement.targets for n in ast.walk(t) if isinstance(n, ast.Name))
        elif isinstance(statement, ast.AnnAssign) and statement.value and isinstance(statement.target, ast.Name):
            names.add(statement.target.id)
    return names
