"""The gates for a rewritten page: each returns its objections.

    gates = PageGates(world, sessions)
    gates.problems(page, form)          # [] for a page that may be used

Gates run cheapest first. Their objections are addressed to the model, which is asked to correct the page. All gates
that only read the text run together; examples run only if those gates have no objection. The *offline page* is the
original one, which was written without a model. An option word is a string that a parameter accepts, such as 'wrap'.

| gate | rejects |
|---|---|
| signature | another title or signature |
| parameters | a parameter or result that is missing, invented, renamed or of another type; an entry without text |
| leak | NumPy's names (`leaks.py`, `parameter_leaks.py`), also in the summary's first clause, which other pages \
quote; |
|  | NumPy's name in hidden text (`forge/names/hidden_text.py`) |
| whole | incomplete sentences, links, letters of other scripts, invisible characters |
| length | fewer or more words than `SHORTEST` and `LONGEST` allow |
| copied | too many sequences of five words taken from the offline page |
| claims | numbers, names and option words that are not on the offline page |
| lost | missing option words, errors, nan, and words that transfer tasks rely on |
| examples | steps that are forbidden, fail, print something else, or have output that may differ between machines |

Not covered: a statement in words that is false or missing. A second model can check for that (`docs.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from sebench.author import sessions
from sebench.author.page_form import PageForm, read, render
from sebench.author.sessions import Sessions
from sebench.base.records import ApiDoc, Example
from sebench.forge.docs import parameter_leaks, text_defects
from sebench.forge.docs.examples import INEXACT, LONG, MOST_CHARACTERS, MOST_LINES, NOISE, without_comments
from sebench.forge.docs.pages import FEWEST_RESULTS, first_clause, format_session
from sebench.forge.names import hidden_text, leaks
from sebench.forge.names.leaks import Leak
from sebench.tasks import splits
from sebench.tasks.transfer import words_only
from sebench.world.world import World

GATES = (
    "form",
    "signature",
    "parameters",
    "leak",
    "whole",
    "length",
    "copied",
    "claims",
    "lost",
    "examples",
    "checker",
)
MOST_NAMED = 4  # reasons reported per gate
RUN = 5  # words
FEWEST_OF = 4  # an entry must keep at least 1/4 of its words
SHORTEST, LONGEST = 0.5, 2.0  # length of a page as a fraction of the offline page's words
SLACK = 20  # extra words for short pages
MOST_SUMMARY = 45  # words
MOST_COPIED = 0.6  # share of five-word sequences taken from the offline page
_CODE = re.compile(r"`([^`]*)`")
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?![\w]|-D\b)")
_QUOTED = re.compile(r"""(?<!\w)(['"])([\w-]+)\1(?!\w)""")
_ERROR = re.compile(r"\b[A-Z]\w*Error\b")
_FOREIGN = re.compile(r"[^\W\d\x00-\x7F\u0370-\u03FF]")  # letters other than ASCII and Greek
# Libraries and languages that a model might mention, except those that `leaks` already covers.
_OTHERS = re.compile(
    r"\b(?:(?:py)?torch|tensorflow|jax|cupy|dask|xarray|keras|scikit\S*|sklearn|numba|julia|mathematica|excel)\b",
    re.IGNORECASE,
)
_SINGLE = re.compile(r"-?\d+\.\d+(?:e[+-]?\d+)?")
_OF_PYTHON = frozenset({"True", "False", "None"})


@dataclass(frozen=True)
class PageProblem:
    """A gate's objection to a page."""

    gate: str
    what: str


class PageGates:
    """The gates of one world."""

    def __init__(self, world: World, sessions: Sessions) -> None:
        self.names, self.sessions = world.names, sessions
        original = {forged: path for path, forged in world.names.functions.items()}
        self.inexact = {path for path in original if world.entries[original[path]].subject in INEXACT}
        self.relied = required_words(world)

    def problems(self, page: ApiDoc, form: PageForm) -> list[PageProblem]:
        """Return the objections to a page. Examples are checked only if there are no other objections."""
        offline = read(page.text)
        text = render(form, ())
        refusals = [
            *_problems("signature", self._signature(page, form)),
            *_problems("parameters", _parameters(offline, form)),
            *_problems("leak", self._leaks(text, form)),
            *_problems("whole", _text_faults(text)),
            *_problems("length", _length(offline, form)),
            *_problems("copied", _copied(offline, form)),
            *_problems("claims", _claims(page, offline, form)),
            *_problems("lost", self._lost(page, offline, form)),
        ]
        return refusals or list(_problems("examples", self._examples(page, offline, form)))

    def _signature(self, page: ApiDoc, form: PageForm) -> Iterator[str]:
        if form.title != f"{self.names.package}.{page.path}":
            yield f"the title must be '# {self.names.package}.{page.path}', but is '# {form.title[:80]}'"
        if form.signature != page.signature:
            yield f"the signature must stay `{page.signature}`, but is `{form.signature[:200]}`"

    def _leaks(self, text: str, form: PageForm) -> Iterator[str]:
        clause = first_clause(form.summary)
        text_leaks = [*leaks.find(text, self.names), *parameter_leaks.find(text, self.names)]
        # Rendered text and string literals may contain a name that the source text does not show.
        hidden = "\n".join(
            (hidden_text.visible_text(form.prose), *sessions.strings([step.code for step in form.steps]))
        )
        text_leaks += [Leak(mark[0], "in disguise") for mark in leaks.FINGERPRINTS.finditer(hidden) if not text_leaks]
        yield from (f"do not name another library: '{other}'" for other in _OTHERS.findall(text))
        for leak in text_leaks:
            yield f"'{leak.what}' belongs to another library ({leak.where}); say it without that name"
        if not text_leaks and (alone := [*leaks.find(clause, self.names), *parameter_leaks.find(clause, self.names)]):
            yield f"the first sentence of the summary must make sense on its own, so it cannot name `{alone[0].what}`"

    def _lost(self, page: ApiDoc, offline: PageForm, form: PageForm) -> Iterator[str]:
        both = zip((*offline.parameters, *offline.returns), (*form.parameters, *form.returns), strict=False)
        for old, new in both:
            gone = _words(old.text) - _words(new.text) - _words(new.label) if old.label == new.label else set()
            yield from (f"the entry {old.label} no longer mentions '{word}'" for word in sorted(gone))
        yield from (
            f"it no longer mentions `{error}`"
            for error in sorted({*_ERROR.findall(offline.prose)} - {*_ERROR.findall(form.prose)})
        )
        if re.search(r"\bnan\b", offline.prose) and not re.search(r"\bnan\b", form.prose):
            yield "it no longer says what happens with nan"
        new_words = words_only(render(form, ()))
        for words in self.relied.get(page.path, ()):
            if words_only(words) in words_only(page.text) and words_only(words) not in new_words:
                yield f'these words must appear in it unchanged: "{words}"'

    # ---- examples -----------------------------------------------------------------------------------------

    def _examples(self, page: ApiDoc, offline: PageForm, form: PageForm) -> Iterator[str]:
        codes = [step.code for step in form.steps]
        if why := sessions.forbidden(codes, self.names):
            yield why
            return
        if commented := [code for code in codes if without_comments(code) != code]:
            yield f"`{commented[0][:80]}`: leave comments out"
            return
        yield from self._example_limits(page, offline, form)
        ran = self.sessions.run(codes)
        for step, printed in zip(form.steps, ran.printed, strict=False):
            if printed != step.output:
                page_output = step.output or "(nothing)"
                yield f"`{step.code[:200]}` prints\n{printed or '(nothing)'}\nand the page says\n{page_output}"
        if ran.failed:
            yield f"`{codes[len(ran.printed)][:200]}` fails: {ran.failed}"
            return
        yield from (why for step in form.steps if step not in page.examples and (why := self._unfit(step)))

    def _example_limits(self, page: ApiDoc, offline: PageForm, form: PageForm) -> Iterator[str]:
        least = min(FEWEST_RESULTS, sum(bool(step.output) for step in offline.steps))
        if sum(bool(step.output) for step in form.steps) < least:
            yield f"the examples print fewer than {least} results"
        if not any(
            re.search(rf"\b{re.escape(f'{self.names.package}.{page.path}')}\(", step.code) for step in form.steps
        ):
            yield f"no example calls `{self.names.package}.{page.path}`"
        most = max(2 * MOST_CHARACTERS, len(format_session(offline.steps)))
        if len(format_session(form.steps)) > most:
            yield f"the examples have {len(format_session(form.steps))} characters; they must have at most {most}"

    def _unfit(self, step: Example) -> str:
        """Return why a step's output is too long to read or may differ on other machines, or "" if it is fine."""
        if len(step.output.split("\n")) > MOST_LINES:
            return f"`{step.code[:80]}` prints more than {MOST_LINES} lines"
        if LONG.search(step.output) or NOISE.search(step.output):
            return f"`{step.code[:80]}` prints more digits than agree on every machine; use round(..., 8)"
        called = {path for path in self.inexact if f".{path}(" in step.code}
        if called and _SINGLE.fullmatch(step.output) and not step.code.startswith("round("):
            return f"`{step.code[:80]}` prints a number whose last digits differ between machines; use round(..., 8)"
        return ""


def _problems(gate: str, reasons: Iterator[str]) -> Iterator[PageProblem]:
    unique = list(dict.fromkeys(reasons))
    yield from (PageProblem(gate, what) for what in unique[:MOST_NAMED])


def _parameters(offline: PageForm, form: PageForm) -> Iterator[str]:
    both = (("parameter", offline.parameters, form.parameters), ("result", offline.returns, form.returns))
    for what, was, now in both:
        before, after = [item.label for item in was], [item.label for item in now]
        for label in dict.fromkeys(before):
            if label not in after:
                yield f"the {what} {label} is not described; its entry must begin '- {label}: '"
        yield from (f"there is no {what} {label[:80]}" for label in after if label not in before)
        if before != after and set(before) == set(after):
            yield f"each {what} has one entry, in this order: {', '.join(before)}"
        for old, new in zip(was, now, strict=False):
            if old.label == new.label and _count(new.text) < max(1, _count(old.text) // FEWEST_OF):
                yield f"the {what} {new.label} is hardly described: {new.text!r}"
    if not form.returns and not _count(form.lead):
        yield "the section Returns says nothing"


def _length(offline: PageForm, form: PageForm) -> Iterator[str]:
    was, now = _count(offline.prose), _count(form.prose)
    least, most = int(was * SHORTEST), int(was * LONGEST) + SLACK
    if not least <= now <= most:
        yield f"its text has {now} words; it must have {least} to {most}"
    if not 3 <= _count(form.summary) <= MOST_SUMMARY:
        yield f"the summary has {_count(form.summary)} words; it must have 3 to {MOST_SUMMARY}"


def _copied(offline: PageForm, form: PageForm) -> Iterator[str]:
    theirs, ours = _runs(form.prose), _runs(offline.prose)
    share = len(theirs & ours) / max(len(theirs), 1)
    if share > MOST_COPIED:
        yield f"{share:.0%} of its text is copied from the page that you were given; use your own words"


def _text_faults(text: str) -> Iterator[str]:
    yield from (f"{gap.what} in {gap.where[-80:]!r}" for gap in text_defects.find(text))
    if "http" in text or "](" in text:
        yield "a page must not have links"
    if foreign := [*hidden_text.suspicious_characters(text), *_FOREIGN.findall(text)]:
        yield f"a page must be in English; it cannot have {foreign[0]!r}"


def _claims(page: ApiDoc, offline: PageForm, form: PageForm) -> Iterator[str]:
    """Yield claims in the new text that appear nowhere on the offline page outside its examples."""
    offline_text = f"{page.signature}\n{offline.labels}\n{offline.prose}\n{page.text.partition('## See also')[2]}"
    numbers = {*_NUMBER.findall(form.prose)} - {*_NUMBER.findall(offline_text)} - {*re.findall(r"\d+", page.signature)}
    yield from (f"the number {number} is not on the page that you were given" for number in sorted(numbers))
    known = {*_IDENTIFIER.findall(offline_text)} | _OF_PYTHON
    names = {name for code in _CODE.findall(form.prose) for name in _IDENTIFIER.findall(code)} - known
    yield from (f"`{name}` is not on the page that you were given" for name in sorted(names))
    words = _words(form.prose) - _words(offline_text) - known
    yield from (f"the word '{word}' is not on the page that you were given" for word in sorted(words))


def required_words(world: World) -> Mapping[str, Sequence[str]]:
    """Return, for each page, the words that transfer tasks rely on. The control book (`hide_usage`) leaves these words
    out."""
    words_of_page: dict[str, dict[str, None]] = {}
    for split in splits.SPLITS:
        for task in world.tasks(split):
            if (usage := task.card.usage) and usage.page:
                words_of_page.setdefault(usage.function, {})[usage.page] = None
    return {path: tuple(words) for path, words in words_of_page.items()}


def _words(text: str) -> set[str]:
    """Return the words that appear in quotes."""
    return {word for _, word in _QUOTED.findall(text)}


def _runs(text: str) -> set[tuple[str, ...]]:
    words = words_only(text).split()
    return {tuple(words[i : i + RUN]) for i in range(len(words) - RUN + 1)}


def _count(text: str) -> int:
    return len(re.findall(r"\w+", text))
