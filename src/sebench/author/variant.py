"""Writes a variant of a world: the same package and tasks, but pages written by a language model, and its own
fingerprint.

    worlds/7-by-m/
      world.json, package/, docs/, data/      a world like any other; its manifest names the model that wrote the pages
      rewriting/pages.jsonl                   every answer of the model, and what was wrong with it
      rewriting/differences.html              the new pages next to the offline ones, for human readers

It is written completely or not at all. Where a rewritten page did not pass, the offline page is kept; the "See also"
sections of the other pages quote the new summaries.

Not covered: variants of variants.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path

from sebench.author import differences, page_form
from sebench.author.docs import RewritingResult, RewrittenPage
from sebench.author.page_form import PageForm
from sebench.base import files
from sebench.base.errors import ConfigError
from sebench.base.records import ApiDoc
from sebench.forge.docs import pages, parameter_leaks
from sebench.forge.names import leaks
from sebench.version import __version__
from sebench.world import manifest
from sebench.world.manifest import PageWriting
from sebench.world.world import World

PAGES, DIFFERENCES = "rewriting/pages.jsonl", "rewriting/differences.html"


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
        files.write(folder / DIFFERENCES, differences.page(world, docs, done, writing))
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
    """Return a page's record for pages.jsonl: every answer of the model, and what was wrong with it."""
    return {"path": page.path, "rewritten": page.form is not None, "attempts": [asdict(a) for a in page.attempts]}


def check_target(world: World, out: Path) -> None:
    """Raise an error if no variant of this world can be written to `out`. Called before any model calls are made."""
    if out.exists():
        raise ConfigError(f"{out} exists already; choose another --out or remove it")
    if world.manifest.pages is not None:
        raise ConfigError(
            f"the pages of {world.path} were already rewritten by {world.manifest.pages.model}; use the original world"
        )
