"""A second model compares a rewritten page with the offline one: does it say more, or less?

The answer has a strict form so that a program can read it: NONE, or one line per finding. An answer in any other form
is not a verdict, and the model is asked again; a page without a verdict is not used.

Not covered: whether the checker is right. It may refuse good pages and let bad ones pass; `differences.html` shows
every change to people.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from sebench.author.page_gates import MOST_NAMED, PageProblem
from sebench.base.extract import after_thinking
from sebench.models.calls import Calls
from sebench.world.prompts import OPEN, Prompt

TRIES = 2
_FINDING = re.compile(r"(?m)^[-* ]*(ADDED|CHANGED|LOST):\s*(\S.*)$")
_NONE = re.compile(r"[\s`*]*NONE[\s.`*]*")
# Models fill in every line of the form, also those without a finding.
_NOTHING = re.compile(r"[\s(]*(?:none|nothing|n/a|no|-+)[\s.)]*", re.IGNORECASE)
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


async def compare_pages(
    calls: Calls, package: str, offline: str, rewritten: str, about: str, seed: int
) -> list[PageProblem] | None:
    """What a second model objects to on a page; None if its provider gave no reply."""
    prompt = Prompt(CHECKER_PROMPT.format(package=package, offline=offline, rewritten=rewritten), about, OPEN)
    for attempt in range(TRIES):
        reply = await calls.ask(prompt, seed + attempt)
        if reply is None:
            return None
        if (findings := parse_findings(reply.text)) is not None:
            return [PageProblem("checker", what) for what in findings[:MOST_NAMED]]
    return [PageProblem("checker", "the checker's answer was not in the required form")]


def parse_findings(response: str) -> Sequence[str] | None:
    """The findings in the checker's response, none if it found no difference; None if the response is not a verdict."""
    text = after_thinking(response).strip()
    if _NONE.fullmatch(text):
        return ()
    lines = _FINDING.findall(text)
    findings = [(kind, what) for kind, what in lines if not _NOTHING.fullmatch(what)]
    if lines and not findings:
        return ()
    explanation = {"ADDED": "is not on the page that you were given", "CHANGED": "is changed", "LOST": "is missing"}
    return [f"a statement {explanation[kind]}: {what.strip()[:300]}" for kind, what in findings] or None
