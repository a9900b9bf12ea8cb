"""Has a language model rewrite the documentation: every page of a world in new words, subject to the checks for offline
pages (those written without a model) and to further ones.

    with CallLog(file) as log, Sessions(world.package_folder, world.names.package) as sessions:
        writer = PageRewriter(world, PageGates(world, sessions), Calls(log, model, "m", sampling))
        done = await writer.rewrite(tell)
    variant.write(world, done, writer.describe(done), Path("worlds/7-by-m"))

A page that a gate rejects goes back to the model with the reasons, at most a few times; after that the offline page is
kept. `variant.py` builds a world from the result.

Only the replies are stored (`CallLog`). An interrupted rewrite is replayed from them, and the gates, which are
deterministic, decide the same way again. So the same command resumes where it stopped.

Not covered: statements in prose that are false or were lost, unless a second model is passed as `checker`. It compares
both pages and replies in a strict, machine-readable form: NONE, or one line per finding. A reply in any other form is
not a verdict, and the request is retried; a page without a verdict is not used. The checker may reject good pages and
let bad ones pass; `differences.html` shows every change to human readers.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256

from sebench.author import page_form
from sebench.author.page_form import MalformedPage, PageForm
from sebench.author.page_gates import GATES, MOST_NAMED, PageGates, PageProblem, required_words
from sebench.base.extract import after_thinking
from sebench.base.records import ApiDoc
from sebench.models.calls import CHARACTERS_PER_TOKEN, Calls, Spent, run_each
from sebench.world.manifest import PageWriting
from sebench.world.prompts import OPEN, Prompt
from sebench.world.world import World

TIMES_BACK = 3
CHECKER_TRIES = 2
# Findings may be items of a list, or have their keyword in bold.
_FINDING = re.compile(r"(?mi)^[-*•\d.) ]*\**(ADDED|CHANGED|LOST)\**[^\S\n]*:[^\S\n*]*(.*)$")
_NONE = re.compile(r"[\s`*]*(?:none|no differences?(?: in meaning)?)[\s.`*]*", re.IGNORECASE)
# Models fill in every line of the form, even those without a finding.
_NOTHING = re.compile(r"[\s(*]*(?:(?:none|nothing|no)(?: found| differences?)?|n/a|-+)?[\s.)*]*", re.IGNORECASE)
NO_VERDICT = "the checker's answer was not in the required form"
CHECKER_PROMPT = """\
Here are two pages about the same function of the Python library `{package}`. The second is meant to say exactly \
what the first says, in other words.

FIRST PAGE

{offline}
SECOND PAGE

{rewritten}
Compare the statements about the function: what it does, its parameters and their defaults, what it returns, what \
happens with nan, empty or \
unusual input, which errors are raised. The examples have been run and are true: leave them aside.

Answer with one line for each difference in meaning, and nothing else:
ADDED: a statement of the second page that the first does not make
CHANGED: a statement that is different in the second page
LOST: a statement of the first page that the second does not make
If there is no difference in meaning, answer with the single word NONE."""
_ASK = """Here is a page of the documentation of the Python library `{package}`. Its arrays are of the type `{array}`.

{page}
Write this page again in your own words, for readers who know Python and have never heard of this library.

What must stay exactly as it is:
- the title and the line with the signature;
- the section headings, in this order: Parameters (if there is one), Returns, Notes (only if you need it), Examples;
- in Parameters and Returns, what stands before the colon of each entry: names, kinds and order;
- words in quotes that a parameter accepts, names of errors, and names of other functions of `{package}`.{relied}

What must be new: the summary (one short paragraph after the signature), the explanations after it, and the text of \
every entry. Say \
everything that the page says and nothing that it does not say: no further number, name, option, error or special \
case. Do not copy its \
sentences. Name no other library, and use no word that belongs to one.

The examples are one block of Python between ```python and ```, with '>>> ' before each step and what it prints \
below. You may keep them or \
change them; they are run, and each must print exactly what the page says. Leave the section See also out: it is \
added later.

Answer with the page in Markdown, from its title to the end of the examples, and nothing else."""
_RELIED = '\n- these words, which must stand in the text as they are: "{}".'
_AGAIN = """

You have answered before:

{answer}

That page cannot be used:
{reasons}

Answer with the whole page again, without these faults."""


@dataclass(frozen=True)
class RewriteAttempt:
    """One answer from the model, and the problems found in it."""

    answer: str
    problems: tuple[PageProblem, ...]  # () if the answer is used


@dataclass(frozen=True)
class RewrittenPage:
    """The result for one page."""

    path: str
    form: PageForm | None  # None: the offline page is kept
    attempts: tuple[RewriteAttempt, ...]


@dataclass(frozen=True)
class RewritingResult:
    """The results for all pages of a world."""

    pages: Mapping[str, RewrittenPage]
    owed: int  # pages without a reply from the provider; the same call retries them

    @property
    def rewritten(self) -> int:
        return sum(page.form is not None for page in self.pages.values())

    def refused(self) -> dict[str, int]:
        """Count the answers rejected by each gate (only the first gate that objected counts), in the order of the
        gates."""
        first = Counter(a.problems[0].gate for page in self.pages.values() for a in page.attempts if a.problems)
        return {gate: first[gate] for gate in GATES if first[gate]}


class PageRewriter:
    """Rewrites the pages of one world."""

    def __init__(
        self,
        world: World,
        gates: PageGates,
        calls: Calls,
        checker: Calls | None = None,
        *,
        times_back: int = TIMES_BACK,
        seed: int = 0,
    ) -> None:
        self.world, self.gates, self.calls, self.checker = world, gates, calls, checker
        self.times_back, self.seed = times_back, seed

    async def rewrite(
        self, tell: Callable[[str, int, int], None], only: Sequence[ApiDoc] | None = None
    ) -> RewritingResult:
        """Rewrite every page, with as many concurrent requests as the model allows."""
        pages = self.world.pages if only is None else only
        done: dict[str, RewrittenPage] = {}
        owed = 0

        async def one(page: ApiDoc) -> None:
            nonlocal owed
            result = await self._page(page)
            if result is None:
                owed += 1
            else:
                done[page.path] = result
            tell("pages processed", len(done) + owed, len(pages))

        await run_each(pages, one, self.calls.model.concurrency)
        return RewritingResult({page.path: done[page.path] for page in pages if page.path in done}, owed)

    async def _page(self, page: ApiDoc) -> RewrittenPage | None:
        attempts: list[RewriteAttempt] = []
        for number in range(1 + self.times_back):
            request = prompt(self.world, page, self.gates.relied.get(page.path, ()), attempts[-1] if attempts else None)
            reply = await self.calls.ask(Prompt(request, f"{page.path}/{number}", OPEN), self.seed + number)
            if reply is None:
                return None
            form, problems = self._read(page, reply.text, reply.finish)
            if form and not problems and self.checker:
                objections = await self._compare(page, form, f"{page.path}/{number}/checked")
                if objections is None:
                    return None
                problems = objections
            attempts.append(
                RewriteAttempt(page_form.extract_page(reply.text, page.text)[: 4 * len(page.text)], tuple(problems))
            )
            if form and not problems:
                return RewrittenPage(page.path, form, tuple(attempts))
            if any(problem.what == NO_VERDICT for problem in problems):
                break  # not the writer's fault, and nothing that it could mend
        return RewrittenPage(page.path, None, tuple(attempts))

    def _read(self, page: ApiDoc, response: str, finish: str) -> tuple[PageForm | None, list[PageProblem]]:
        if finish == "length":
            return None, [PageProblem("form", "the answer was cut off: it is too long")]
        try:
            form = page_form.read(page_form.extract_page(response, page.text))
        except MalformedPage as why:
            return None, [PageProblem("form", str(why))]
        return form, self.gates.problems(page, form)

    async def _compare(self, page: ApiDoc, form: PageForm, about: str) -> list[PageProblem] | None:
        """Return the checker's objections to a page, or None if its provider did not reply."""
        assert self.checker is not None
        offline, rewritten = without_related(page.text), page_form.render(form, ())
        text = CHECKER_PROMPT.format(package=self.world.names.package, offline=offline, rewritten=rewritten)
        for attempt in range(CHECKER_TRIES):
            reply = await self.checker.ask(Prompt(text, about, OPEN), self.seed + attempt)
            if reply is None:
                return None
            if (findings := parse_findings(reply.text)) is not None:
                return [PageProblem("checker", what) for what in findings[:MOST_NAMED]]
        return [PageProblem("checker", NO_VERDICT)]

    def describe(self, done: RewritingResult) -> PageWriting:
        """Return the record of the rewrite for the variant's manifest."""
        prompts_digest = sha256("\n".join((_ASK, _RELIED, _AGAIN, CHECKER_PROMPT)).encode()).hexdigest()[:16]
        sampling = {**asdict(self.calls.sampling), "stop": list(self.calls.sampling.stop), "seed": self.seed}
        return PageWriting(
            of=self.world.manifest.fingerprint,
            model=self.calls.name,
            checker=self.checker.name if self.checker else "",
            rewritten=done.rewritten,
            kept=len(self.world.pages) - done.rewritten,
            prompts=prompts_digest,
            sampling=sampling | {"times_back": self.times_back},
        )


def prompt(world: World, page: ApiDoc, relied: Sequence[str], last: RewriteAttempt | None = None) -> str:
    """Return the prompt for a page: the first one, or one that follows a rejected answer. `relied` are words that must
    be kept."""
    labels = page_form.read(page.text).labels  # words in labels stay anyway
    request = _ASK.format(
        package=world.names.package,
        array=world.names.array,
        page=without_related(page.text),
        relied="".join(_RELIED.format(words) for words in relied if words not in labels),
    )
    if last is None:
        return request
    reasons = "\n".join(f"- {problem.what}" for problem in last.problems)
    return request + _AGAIN.format(answer=last.answer.strip() or "(nothing)", reasons=reasons)


def estimate(world: World, times_back: int) -> tuple[tuple[Spent, Spent], tuple[Spent, Spent]]:
    """Estimate what the writer and the checker would use if every answer passed on the first try, and if none ever
    did. Based on page lengths; no model is called."""
    relied, count = required_words(world), len(world.pages)
    page = sum(len(p.text) for p in world.pages) // CHARACTERS_PER_TOKEN
    prompt_tokens = sum(len(prompt(world, p, relied.get(p.path, ()))) for p in world.pages) // CHARACTERS_PER_TOKEN
    once = Spent(count, prompt_tokens, page)
    back = Spent(count, prompt_tokens + page, page)  # the prompt repeats the last answer
    check = Spent(count, 2 * page + count * len(CHECKER_PROMPT) // CHARACTERS_PER_TOKEN, count)
    return (once, sum([back] * times_back, once)), (check, sum([check] * times_back, check))


def without_related(text: str) -> str:
    """Return a page without its "See also" section."""
    return text.partition(f"\n## {page_form.RELATED}\n")[0].rstrip() + "\n"


def parse_findings(response: str) -> Sequence[str] | None:
    """Return the findings in the checker's response (empty if it found no difference), or None if the response is not a
    verdict."""
    text = after_thinking(response).strip()
    if _NONE.fullmatch(text):
        return ()
    lines = _FINDING.findall(text)
    findings = [(kind, what) for kind, what in lines if not _NOTHING.fullmatch(what)]
    if lines and not findings:
        return ()
    explanation = {"ADDED": "is not on the page that you were given", "CHANGED": "is changed", "LOST": "is missing"}
    return [f"a statement {explanation[kind.upper()]}: {what.strip()[:300]}" for kind, what in findings] or None
