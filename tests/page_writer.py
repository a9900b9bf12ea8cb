"""A rule-based writer behind a real HTTP endpoint on loopback, which rewords pages well or badly."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from sebench.author import page_form
from sebench.author.page_form import PageForm
from tests.misbehaving import Server, completion, reply

JOINED = "\2"  # stands between words that must stay together
EVERY = 3  # words between two that are put in: no run of five is left as it was
_PIECE = re.compile(r"`[^`]*`\S*|\([^()]*\)\S*|\S+")
_RELIED = re.compile(r'which must stand in the text as they are: "(.*)"\.$', re.MULTILINE)
Answer = Callable[[str, int], str | Mapping[str, Any]]  # from a page and the number of the attempt to an answer


def reworded(page: str, relied: Sequence[str] = ()) -> str:
    """The page with a word put in again and again, where nothing is lost by it."""
    form = page_form.read(page)

    def text(said: str) -> str:
        return "\n".join(_line(line, relied) for line in said.split("\n"))

    changed = replace(
        form,
        summary=text(form.summary),
        more=text(form.more),
        parameters=tuple(replace(item, text=text(item.text)) for item in form.parameters),
        returns=tuple(replace(item, text=text(item.text)) for item in form.returns),
        notes=text(form.notes),
    )
    return page_form.render(changed, ())


def _line(line: str, relied: Sequence[str]) -> str:
    indent = line[: len(line) - len(line.lstrip())]
    marked = line.strip()
    for words in relied:
        pattern = r"\W+".join(map(re.escape, re.findall(r"\w+", words)))
        marked = re.sub(pattern, lambda match: match[0].replace(" ", JOINED), marked, flags=re.IGNORECASE)
    pieces = _PIECE.findall(marked)
    out: list[str] = []
    for at, piece in enumerate(pieces):
        inside = re.match(r"[a-z]", piece) and (not out or re.search(r"[a-z`]$", out[-1]))
        out += ["indeed", piece] if at and at % EVERY == 0 and inside else [piece]
    return indent + " ".join(out).replace(JOINED, " ")


def changed(page: str, change: Callable[[PageForm], PageForm]) -> str:
    return page_form.render(change(page_form.read(page)), ())


class PageWriter(Server):
    """An endpoint that rewrites pages; `answers_for` has others than good ones, by path, and `check` is what the
    checker says."""

    def __init__(
        self, answers_for: Mapping[str, Answer] | None = None, check: Callable[[str], str] | None = None, **options: Any
    ) -> None:
        super().__init__(**options)
        self.answers_for, self.check = answers_for or {}, check or (lambda prompt: "NONE")
        self.prompts: list[str] = []
        self.of: Counter[str] = Counter()  # requests for each page
        self.left = -1  # requests that are answered; then the key is refused

    def respond(self, head: bytes, body: bytes) -> bytes:
        if self.left == 0:
            return reply(401, json.dumps({"error": {"message": "no more"}}))
        self.left -= 1
        asked = json.loads(body)
        prompt = asked["messages"][-1]["content"]
        self.prompts.append(prompt)
        self.asked[prompt, asked["seed"]] += 1
        said = self.check(prompt) if "SECOND PAGE" in prompt else self._page(prompt)
        if isinstance(said, bytes):
            return said
        made = completion(said) if isinstance(said, str) else said
        return reply(200, json.dumps(made))

    def _page(self, prompt: str) -> Any:
        page = prompt[prompt.index("\n\n# ") + 2 : prompt.index("\nWrite this page again")]
        path = re.match(r"# \w+\.([\w.]+)", page)[1]  # type: ignore[index]
        self.of[path] += 1
        good = reworded(page, _RELIED.findall(prompt))
        answer = self.answers_for.get(path)
        number = int("You have answered before" in prompt)
        return answer(good, number) if answer else good
