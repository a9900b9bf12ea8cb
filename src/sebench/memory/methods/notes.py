"""Notes: the model reads the documentation a few pages at a time, and keeps one file of notes within a token budget.

With `--no-rewrite` (append) each reply is added to the file; a reply that does not fit, or only repeats lines that are
already there, is refused. With `--rewrite` each reply replaces the whole file, as in Dynamic Cheatsheet
(arXiv:2504.07952): what the model does not repeat is lost, and the log shows how the file shrinks (`curve`: its tokens
and the number of functions that it mentions, after every step).

The writer always sees the pages; `--study-book closed` is refused. Not covered: notes about tasks (`ace.py`,
`expel.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import groupby

from sebench.base.records import ApiDoc
from sebench.memory.folder import Memory, Snapshot
from sebench.memory.kinds import tokens
from sebench.memory.methods import replies, texts
from sebench.memory.methods.session import Event, StudySession
from sebench.memory.playbook import OperationOutcome
from sebench.world.mentions import mentioned_functions
from sebench.world.prompts import OPEN

MALFORMED = "malformed replies"


async def study(session: StudySession) -> Memory:
    """Read all pages, then write the memory."""
    config, names = session.study.config, session.study.world.names
    notes, parts = "", chunks(session.study.world.pages, config.chunk)
    curve = []
    for place, (about, pages) in enumerate(parts):
        session.progress("chunks read", place, len(parts))
        line = await session.step("chunk", about, partial(_read_chunk, session, notes, about, pages))
        notes = update_notes(notes, line["text"], config.rewrite) if line["accepted"] else notes
        curve.append([tokens(notes), len(mentioned_functions(notes, names))])
    snapshot = Snapshot("text", {"text": notes})
    validated = await session.validation("final", snapshot)
    return await session.finish(snapshot, validated, chunks=len(parts), curve=curve)


async def _read_chunk(session: StudySession, notes: str, about: str, pages: Sequence[ApiDoc]) -> Event:
    config, names = session.study.config, session.study.world.names
    prompt = texts.fill(
        "notes_rewrite" if config.rewrite else "notes_append",
        package=names.package,
        budget=f"{config.budget:,}" if config.budget else "any number of",
        size=f"{tokens(notes):,}",
        notes=notes or texts.EMPTY,
        pages="\n\n".join(page.text.strip() for page in pages),
        functions=", ".join(f"`{names.package}.{page.path}`" for page in pages),
    )
    # A rewrite that is cut off would lose notes; an addition that is cut off is still useful.
    text = replies.notes(await session.say(prompt, about, book=OPEN), cut=not config.rewrite)
    if text is None:
        return {"accepted": False, "counts": {MALFORMED: 1}}
    if not config.rewrite and set(text.splitlines()) <= set(notes.splitlines()):
        return {"accepted": False, "text": text, "counts": {str(OperationOutcome.DUPLICATE): 1}}
    after = update_notes(notes, text, config.rewrite)
    if not session.fits(after):
        return {"accepted": False, "text": text, "counts": {str(OperationOutcome.OVER_BUDGET): 1}}
    functions = {path for path, forged in names.functions.items() if forged in {page.path for page in pages}}
    before, now = (Snapshot("text", {"text": one}) for one in (notes, after))
    return {"text": text, **await session.gate(about, before, now, functions)}


def update_notes(notes: str, text: str, rewrite: bool) -> str:
    return text if rewrite or not notes else f"{notes}\n\n{text}"


def chunks(pages: Sequence[ApiDoc], most: int) -> list[tuple[str, list[ApiDoc]]]:
    """Group the pages by subject, at most `most` per chunk."""
    chunks_by_subject = []
    for subject, group in groupby(sorted(pages, key=lambda page: page.subject), key=lambda page: page.subject):
        of_subject = list(group)
        for start in range(0, len(of_subject), most):
            chunks_by_subject.append((f"{subject}/{start // most}", of_subject[start : start + most]))
    return chunks_by_subject
