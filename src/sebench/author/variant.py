"""Writes a variant of a world: the same package and tasks, but pages written by a language model, and its own
fingerprint.

    worlds/7-by-m/
      world.json, package/, docs/, data/      a world like any other; its manifest names the model that wrote the pages
      rewriting/pages.jsonl                   every answer from the model, and what was wrong with it
      rewriting/differences.html              the new pages next to the offline ones, for human readers

It is written completely or not at all. If a rewritten page does not pass the gates, the offline page (written without a
model) is kept. The "See also" sections of rewritten pages quote the new summaries.

In `differences.html` the offline page is on the left, the model's on the right, section by section; words that appear
on only one side are marked. Rejected answers are listed below each page with the reasons. The file needs no network and
no scripts, and escapes everything that a model wrote.

Not covered: variants of variants.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from difflib import SequenceMatcher
from html import escape
from pathlib import Path

from sebench.author import page_form
from sebench.author.docs import RewriteAttempt, RewritingResult, RewrittenPage
from sebench.author.page_form import RELATED, PageForm
from sebench.base import files
from sebench.base.errors import ConfigError
from sebench.base.records import ApiDoc
from sebench.base.wording import counted
from sebench.forge.docs import pages, parameter_leaks
from sebench.forge.names import leaks
from sebench.version import __version__
from sebench.world import manifest
from sebench.world.manifest import PageWriting
from sebench.world.page_cuts import sections
from sebench.world.world import World

PAGES, DIFFERENCES = "rewriting/pages.jsonl", "rewriting/differences.html"
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


def write(world: World, done: RewritingResult, writing: PageWriting, out: Path) -> World:
    """Write the world with the rewritten pages to the new folder `out`. On any failure nothing is left there."""
    check_target(world, out)
    if done.owed or not done.rewritten:
        raise ConfigError(
            f"{out}: a variant needs at least one rewritten page and no unanswered requests; rewrite {world.path} again"
        )
    docs = rewritten_pages(world, done)
    was = world.manifest
    new_texts = {
        "docs/api.jsonl": "".join(f"{json.dumps(page.to_json(), ensure_ascii=False)}\n" for page in docs),
        "docs/api.md": f"<!-- {was.canary} -->\n\n{pages.book(docs, world.names)}",
    }
    with files.new_folder(out) as folder:
        for relative in was.files:
            file = folder / relative
            file.parent.mkdir(parents=True, exist_ok=True)
            text = new_texts.get(relative)
            file.write_bytes((world.path / relative).read_bytes() if text is None else text.encode("utf-8"))
        digests = {
            **was.files,
            **{relative: manifest.sha(text.encode("utf-8")) for relative, text in new_texts.items()},
        }
        new = replace(was, files=digests, pages=writing, sebench=__version__, fingerprint="")
        manifest.write(folder, new)
        (folder / PAGES).parent.mkdir()
        files.write_lines(folder / PAGES, (_answers(page) for page in done.pages.values()))
        files.write(folder / DIFFERENCES, _differences_page(world, docs, done, writing))
    return World.load(out)


def rewritten_pages(world: World, done: RewritingResult) -> tuple[ApiDoc, ...]:
    """Return the pages of the variant, in the world's order."""
    forms = {path: page.form for path, page in done.pages.items() if page.form}
    summaries = {page.path: forms[page.path].summary if page.path in forms else page.summary for page in world.pages}
    pages = []
    for page in world.pages:
        if form := forms.get(page.path):
            text = page_form.render(form, _related(world, page, form, summaries))
            page = replace(page, summary=form.summary, text=text, examples=form.steps)
        pages.append(page)
    return tuple(pages)


def _related(world: World, page: ApiDoc, form: PageForm, summaries: Mapping[str, str]) -> list[str]:
    """Return the lines of "See also": the functions that the new page names or the offline page lists, each with the
    first clause of its summary."""
    names, text = world.names, page_form.render(form, ())
    named = re.findall(rf"\b{re.escape(names.package)}\.([\w.]*\w)", text)
    listed = dict.fromkeys(
        [*(path for path in named if path in summaries), *page_form.related(page.text, names.package)]
    )
    lines = [
        f"- `{names.package}.{path}`: {pages.first_clause(summaries[path])}." for path in listed if path != page.path
    ]
    # A clause that is fine on its own page may contain NumPy's parameter names for this page's function.
    return [line for line in lines if not (leaks.find(text + line, names) or parameter_leaks.find(text + line, names))]


def _answers(page: RewrittenPage) -> dict[str, object]:
    """Return a page's record for pages.jsonl: every answer from the model, and what was wrong with it."""
    return {"path": page.path, "rewritten": page.form is not None, "attempts": [asdict(a) for a in page.attempts]}


def check_target(world: World, out: Path) -> None:
    """Raise an error if no variant of this world can be written to `out`. Called before any model calls are made."""
    if out.exists():
        raise ConfigError(f"{out} already exists; choose another --out or remove it")
    if world.manifest.pages is not None:
        raise ConfigError(
            f"the pages of {world.path} were already rewritten by {world.manifest.pages.model}; use the original world"
        )


# ---- the differences -------------------------------------------------------------------------------------------------


def _differences_page(world: World, docs: Sequence[ApiDoc], done: RewritingResult, writing: PageWriting) -> str:
    """Render the HTML file. `docs` are the pages of the variant, in the same order as the world's."""
    title = f"Pages of {world.names.package}, rewritten by {writing.model}"
    checker = f"{writing.checker} compared the meaning" if writing.checker else "no second model compared the meaning"
    refused = ", ".join(f"{gate} {count}" for gate, count in done.refused().items()) or "none"
    head = [
        f"<h1>{escape(title)}</h1>",
        f"<p>{counted(writing.rewritten, 'page was', 'pages were')} rewritten, {writing.kept} left unchanged; "
        f"{escape(checker)}. "
        f"Rejected answers by gate: {escape(refused)}. The original page is on the left, the new one on the right; "
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
    outcome = "rewritten" if result and result.form else "original page kept"
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
        f"<details><summary>answer {number} was rejected by the gate {escape(attempt.problems[0].gate)}</summary>"
        f"<ul>{reasons}</ul><pre>{escape(attempt.answer)}</pre></details>"
    )
