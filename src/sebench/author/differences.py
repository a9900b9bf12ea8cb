"""Renders one HTML file with the rewritten pages next to the offline ones, for people who decide whether to trust them.

The offline page is on the left, the model's on the right, section by section; words that appear on only one side are
marked. Rejected answers are listed below each page with the reasons. The file needs no network and no scripts, and
escapes everything that a model wrote.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from html import escape

from sebench.author.docs import RewriteAttempt, RewritingResult
from sebench.author.page_form import RELATED
from sebench.base.records import ApiDoc
from sebench.base.wording import counted
from sebench.world.manifest import PageWriting
from sebench.world.page_cuts import sections
from sebench.world.world import World

_TOKEN = re.compile(r"\s+|\w+|[^\w\s]")
POLICY = "default-src 'none'; style-src 'unsafe-inline'"  # no requests at all
STYLE = """
:root { color-scheme: light dark; --line: #8884; --old: #d4351c26; --new: #00703c2e; --soft: #8882; }
body { font: 15px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 1300px; padding: 1rem 1.5rem 4rem; }
h1 { font-size: 1.5rem; } h2 { font: 600 1.1rem ui-monospace, monospace; margin: 0; }
h3 { font-size: .85rem; margin: .8rem 0 .1rem; opacity: .7; text-transform: uppercase; }
nav { columns: 14rem; font: 13px/1.6 ui-monospace, monospace; margin: 1rem 0 2rem; }
nav a { color: inherit; display: block; text-decoration: none; } nav a:hover { text-decoration: underline; }
.kept { opacity: .6; } article { border-top: 2px solid var(--line); padding: 1rem 0 1.5rem; }
header { align-items: baseline; display: flex; gap: 1rem; justify-content: space-between; margin-bottom: .5rem; }
.row { display: grid; gap: 1.5rem; grid-template-columns: 1fr 1fr; }
.row > div { border-top: 1px solid var(--line); min-width: 0; overflow-wrap: anywhere; padding: .4rem 0; \
white-space: pre-wrap; }
.row .same { grid-column: 1 / -1; opacity: .75; } .examples { font: 13px/1.45 ui-monospace, monospace; }
del { background: var(--old); text-decoration: none; } ins { background: var(--new); text-decoration: none; }
del, ins { border-radius: 2px; } details { margin-top: .5rem; } summary { cursor: pointer; }
pre { background: var(--soft); overflow: auto; padding: .6rem; white-space: pre-wrap; }
@media (max-width: 800px) { .row { grid-template-columns: 1fr; gap: 0; } }
"""


def page(world: World, docs: Sequence[ApiDoc], done: RewritingResult, writing: PageWriting) -> str:
    """Render the HTML file. `docs` are the pages of the variant, in the same order as the world's."""
    title = f"Pages of {world.names.package}, rewritten by {writing.model}"
    checker = f"{writing.checker} compared the meaning" if writing.checker else "no second model compared the meaning"
    refused = ", ".join(f"{gate} {count}" for gate, count in done.refused().items()) or "none"
    head = [
        f"<h1>{escape(title)}</h1>",
        f"<p>{counted(writing.rewritten, 'page was', 'pages were')} rewritten, {writing.kept} left unchanged; "
        f"{escape(checker)}. "
        f"Rejected answers by gate: {escape(refused)}. The offline page is on the left, the new one on the right; "
        "words that appear on only one side are marked.</p>",
        f"<nav>{''.join(_link(world, done, one) for one in docs)}</nav>",
    ]
    body = [_article(world, done, was, now) for was, now in zip(world.pages, docs, strict=True)]
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(POLICY)}">'
        f"<title>{escape(title)}</title><style>{STYLE}</style>\n" + "\n".join([*head, *body]) + "\n</html>\n"
    )


def _link(world: World, done: RewritingResult, one: ApiDoc) -> str:
    result = done.pages.get(one.path)
    kept = "" if result and result.form else ' class="kept"'
    return f'<a href="#{escape(one.path)}"{kept}>{escape(f"{world.names.package}.{one.path}")}</a>'


def _article(world: World, done: RewritingResult, was: ApiDoc, now: ApiDoc) -> str:
    result = done.pages.get(was.path)
    attempts = result.attempts if result else ()
    back = [attempt for attempt in attempts if attempt.problems]
    outcome = "rewritten" if result and result.form else "offline page kept"
    status = f"{outcome}, answers: {len(attempts)}"
    rows = "".join(_rows(was.text, now.text)) if now.text != was.text else ""
    refused = "".join(_refused_answer(number, attempt) for number, attempt in enumerate(back, 1))
    heading = f"<header><h2>{escape(f'{world.names.package}.{was.path}')}</h2><span>{status}</span></header>"
    return f'<article id="{escape(was.path)}">{heading}{rows}{refused}</article>'


def _rows(was: str, now: str) -> Iterator[str]:
    """Yield the sections of both pages, with matching sections next to each other."""
    left, right = dict(sections(was)), dict(sections(now))
    for part in dict.fromkeys([*left, *right]):
        (heading, one), (same, other) = _split_heading(left.get(part, "")), _split_heading(right.get(part, ""))
        style = f' class="{escape(part)}"'
        if part == "title" or part == RELATED.lower().replace(" ", "_"):
            continue  # never written by the model
        if heading or same:
            yield f"<h3>{escape(heading or same)}</h3>"
        if one == other:
            yield f'<div class="row"><div class="same {escape(part)}">{escape(one)}</div></div>'
        else:
            marked = _mark_differences(one, other)
            yield f'<div class="row"><div{style}>{marked[0]}</div><div{style}>{marked[1]}</div></div>'


def _split_heading(section: str) -> tuple[str, str]:
    """Split a section into its heading and its body."""
    if not section.startswith("## "):
        return "", section
    heading, _, body = section.partition("\n")
    return heading.removeprefix("## "), body.strip()


def _mark_differences(one: str, other: str) -> tuple[str, str]:
    """Render both texts as HTML, marking the words that the other one lacks."""
    a, b = _TOKEN.findall(one), _TOKEN.findall(other)
    left, right = [], []
    for what, i, j, k, m in SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        gone, new = escape("".join(a[i:j])), escape("".join(b[k:m]))
        left.append(gone if what == "equal" or not gone.strip() else f"<del>{gone}</del>")
        right.append(new if what == "equal" or not new.strip() else f"<ins>{new}</ins>")
    return "".join(left), "".join(right)


def _refused_answer(number: int, attempt: RewriteAttempt) -> str:
    reasons = "".join(f"<li>{escape(problem.gate)}: {escape(problem.what)}</li>" for problem in attempt.problems)
    return (
        f"<details><summary>answer {number} was rejected: {escape(attempt.problems[0].gate)}</summary>"
        f"<ul>{reasons}</ul><pre>{escape(attempt.answer)}</pre></details>"
    )
