"""Parses a documentation page into its parts, and renders the parts in the form that all pages share.

    form = read(page.text)
    render(form, related)      # the same text

Other code (which leaves out parts of pages or makes study material from them) relies on this form, so a model's text is
never used verbatim: it is parsed strictly, and anything malformed is rejected with a reason. "See also" is not parsed:
it is generated from the summaries of the other pages.

Not covered: whether the text is true, and whether it reveals NumPy's names (`page_gates.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sebench.base.extract import MAX_CHARACTERS, after_thinking
from sebench.base.records import Example
from sebench.base.syntax import parse
from sebench.forge.docs.pages import format_session

SECTIONS = ("Parameters", "Returns", "Notes", "Examples")
RELATED = "See also"
# Headings, code blocks, quotations, tables, HTML tags, comments and entities.
_BLOCK = re.compile(r"^\s*(?:#+ |```|> |\|).{0,40}|</?[a-z]+\b[^<>]*>|<!--|&#?\w{1,10};", re.MULTILINE | re.IGNORECASE)
_FENCE = re.compile(r"^```(?:python)?$")
_PYTHON_FENCE, _OTHER_BULLET = re.compile(r"^```(?:py|pycon|python3?)\s*$", re.IGNORECASE), re.compile(r"^[*+•] ")
_RULE_LINE = re.compile(r"\s*(?:-{3,}|\*{3,}|_{3,})\s*")
_HEADING = re.compile(r"(?:#{1,6} +|\*\*)(\S.*)")
_NAME = re.compile(r"[\w.]+\.\w+")
_EXAMPLES_END = re.compile(r"(?:^|\n## )Examples\n.*?\n```[^\n]*\n.*?\n```(?=\n|$)", re.DOTALL)
_OUTER, _CLOSING = re.compile(r"````?(?:markdown|md)?"), re.compile(r"````?")  # a fence around the whole page


class MalformedPage(Exception):
    """The text is not a valid page; the message says why."""


@dataclass(frozen=True)
class PageEntry:
    """An entry in the list of parameters or results: its label and its text."""

    label: str  # "`a` (array or nested list)"
    text: str  # including continuation lines


@dataclass(frozen=True)
class PageForm:
    """The parts of a page, without "See also"."""

    title: str
    signature: str
    summary: str
    more: str  # further paragraphs of the summary
    parameters: tuple[PageEntry, ...]
    lead: str  # text before the list of results, or instead of it
    returns: tuple[PageEntry, ...]
    notes: str
    steps: tuple[Example, ...]

    @property
    def prose(self) -> str:
        """All running text, without labels and examples."""
        items = (item.text for item in (*self.parameters, *self.returns))
        return "\n".join(text for text in (self.summary, self.more, self.lead, *items, self.notes) if text)

    @property
    def labels(self) -> str:
        return "\n".join(item.label for item in (*self.parameters, *self.returns))


def extract_page(response: str, offline: str) -> str:
    """Return the page in a response, without thinking, a fence around the whole page, or text around it.

    Section headings count at any level, and what must stay as it is, the title and the signature, is taken from the
    offline page if it is missing: of 160 replies from a 1.5B model, 158 differed in one of these (docs/lab.md).
    """
    if len(response) > MAX_CHARACTERS:
        return ""  # far too long
    lines = after_thinking(response).replace("\r\n", "\n").strip().split("\n")
    opened = next((number for number, line in enumerate(lines) if _OUTER.fullmatch(line)), None)
    if opened is not None and not any(map(_HEADING.match, lines[:opened])):
        ends = [number for number, line in enumerate(lines) if number > opened and _CLOSING.fullmatch(line)]
        lines = lines[opened + 1 : ends[-1]] if ends else lines[opened + 1 :]
    head, mark, sections = "\n".join(["", *_with_known_headings(lines)]).partition("\n## ")
    if end := _EXAMPLES_END.search(sections):
        sections = sections[: end.end()]
    before, titled, summary = head.partition("\n# ")
    if not (titled or mark):
        return ""
    title, signature = offline.split("\n\n")[:2]
    if titled:
        name, _, summary = summary.partition("\n")
        title = f"# {name}"
    summary = (summary if titled else before).strip()
    start = "" if re.match(r"`[^`\n]+`(\n|$)", summary) else f"{signature}\n\n"
    return f"{title}\n\n{start}{summary}\n{mark}{sections}".strip() + "\n"


def _with_known_headings(lines: Sequence[str]) -> Iterator[str]:
    """Write the title with one mark, sections with two, bullets with "-" and the fence of the examples with "python",
    whatever the text has. Leave out rules, and other headings before the first section, such as "Summary"."""
    in_code, in_sections = False, False
    for line in lines:
        if not in_code and _RULE_LINE.fullmatch(line):
            continue
        line = line if in_code else _OTHER_BULLET.sub("- ", _PYTHON_FENCE.sub("```python", line))
        match = None if in_code else _HEADING.match(line)
        name = match[1].strip(" `*:") if match else ""
        section = next((one for one in (*SECTIONS, RELATED) if one.lower() == name.lower()), "")
        in_sections = in_sections or bool(section)
        if section or (line.startswith("#") and match and in_sections):
            yield f"## {section or name}"
        elif match and line.startswith("#"):
            yield f"# {name}" if _NAME.fullmatch(name) else ""
        else:
            yield line
        in_code ^= line.startswith("```")


def read(text: str) -> PageForm:
    """Parse a page into its parts."""
    if not text.startswith("# "):
        raise MalformedPage("there is no page: a page begins with '# ' and the full name of the function")
    head, *rest = re.split(r"\n+(?=## )", text.strip())
    blocks = [block.strip() for block in re.split(r"\n{2,}", head)]
    if len(blocks) < 3 or not re.fullmatch(r"`[^`\n]+`", blocks[1]):
        raise MalformedPage("after the title come the signature in backticks and a summary, each in its own paragraph")
    parts = [part.partition("\n") for part in rest]
    bodies = {heading.removeprefix("## ").strip(): body.strip() for heading, _, body in parts}
    order = [name for name in bodies if name != RELATED]
    if unknown := [name for name in order if name not in SECTIONS]:
        raise MalformedPage(f"unknown section '## {unknown[0]}'; the sections are {', '.join(SECTIONS)}")
    if order != [name for name in SECTIONS if name in bodies] or len(bodies) != len(rest):
        raise MalformedPage(f"the sections must appear in this order, each once: {', '.join(SECTIONS)}")
    if missing := [name for name in ("Returns", "Examples") if name not in bodies]:
        raise MalformedPage(f"there is no section '## {missing[0]}'")
    lead, returns = _items(bodies["Returns"])
    before, parameters = _items(bodies.get("Parameters", ""))
    if before:
        raise MalformedPage(f"there is text before the first parameter: {before[:60]!r}; the section must be a list")
    form = PageForm(
        title=blocks[0].removeprefix("# ").strip(),
        signature=blocks[1].strip("`"),
        summary=" ".join(blocks[2].split()),
        more="\n\n".join(blocks[3:]),
        parameters=parameters,
        lead=lead,
        returns=returns,
        notes=bodies.get("Notes", ""),
        steps=tuple(_steps(bodies["Examples"])),
    )
    if block := _BLOCK.search(form.prose):
        raise MalformedPage(f"outside the examples a page may only have paragraphs and lists, not {block[0].strip()!r}")
    return form


def render(form: PageForm, related: Sequence[str]) -> str:
    """Render the page as Markdown. `related` are the lines of "See also"."""
    returns = "\n".join(f"- {item.label}: {item.text}" for item in form.returns)
    parts = [
        f"# {form.title}",
        f"`{form.signature}`",
        form.summary,
        form.more,
        "## Parameters\n\n" + "\n".join(f"- {item.label}: {item.text}" for item in form.parameters)
        if form.parameters
        else "",
        "## Returns",
        form.lead,
        returns,
        f"## Notes\n\n{form.notes}" if form.notes else "",
        f"## Examples\n\n{format_session(form.steps)}",
        f"## {RELATED}\n\n" + "\n".join(related) if related else "",
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def related(text: str, package: str) -> list[str]:
    """Return the functions in the "See also" section of a page, as paths within the package."""
    section = text.partition(f"\n## {RELATED}\n")[2]
    return re.findall(rf"^- `{re.escape(package)}\.([\w.]+)`", section, re.MULTILINE)


def _items(body: str) -> tuple[str, tuple[PageEntry, ...]]:
    """Split a section into the text before its list and the entries of the list."""
    lead, *entries = re.split(r"(?m)^- ", body)
    return lead.strip(), tuple(_item(entry.strip()) for entry in entries)


def _item(entry: str) -> PageEntry:
    end = _label_end(entry)
    if end < 0:
        raise MalformedPage(f"the entry {entry[:60]!r} has no label; write '- label: text'")
    first, *further = (line.strip() for line in entry[end + 1 :].strip().split("\n"))
    lines = [first]
    for line in (line for line in further if line):  # an entry is a paragraph, optionally followed by a list
        if line.startswith("- "):
            lines.append(f"  {line}")
        else:
            lines[-1] = f"{lines[-1]} {line}"
    return PageEntry(entry[:end], "\n".join(lines))


def _label_end(entry: str) -> int:
    """Return the position of the first colon outside parentheses and code; -1 if there is none."""
    depth, code = 0, False
    for at, sign in enumerate(entry.partition("\n")[0]):
        if sign == "`":
            code = not code
        elif not code:
            depth += {"(": 1, ")": -1}.get(sign, 0)
            if sign == ":" and depth == 0:
                return at
    return -1


def _steps(body: str) -> Iterator[Example]:
    lines = body.split("\n")
    if len(lines) < 3 or not _FENCE.match(lines[0]) or lines[-1] != "```" or any("```" in line for line in lines[1:-1]):
        raise MalformedPage("the examples must be one code block between ```python and ```, and nothing else")
    code: list[str] = []
    output: list[str] = []
    for line in [*lines[1:-1], ">>> "]:
        if line.startswith(">>>"):
            if code:
                yield Example(_program("\n".join(code)), "\n".join(output).rstrip())
            elif output:
                raise MalformedPage("every example must begin with '>>> '")
            code, output = [line[4:]], []
        elif line.startswith("... ") and not output:
            code.append(line[4:])
        else:
            output.append(line.rstrip())


def _program(code: str) -> str:
    """Return the code of an example, which must be a program: what looks for leaks parses it."""
    if isinstance(error := parse(code), SyntaxError):
        raise MalformedPage(f"the example {code[:60]!r} is not a Python program: {error}")
    return code
