"""The published query scripts: every line of a file of tasks gets a model's response, without the documentation
(`query_only.py` in the published repository) or with it (`query_doc.py`).

A line of the output is the input line with `response`, once for each sample; all other fields are kept as they are.
Responses are appended as they come, so their order is not that of the input. Repeating the command resumes it: a line
that has its responses is not asked again, and a request that failed leaves nothing in the output. The settings are kept
next to the output (`OUTPUT.settings.json`), so that no file mixes two models.

Who calls it: `sebench published`. Not covered: judging (`trajectories.py`), and published tasks as tasks of a world
(`published.py`).
"""

from __future__ import annotations

import asyncio
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Self

from sebench.base import files, resume
from sebench.base.errors import ConfigError
from sebench.base.ledger import Ledger, lines
from sebench.base.wording import counted
from sebench.forge.names.naming import Names
from sebench.interop.formats.published_lines import numbered, read_object
from sebench.models.calls import run_each
from sebench.models.model import Model, Sampling
from sebench.rollout.requester import Pace, Requester
from sebench.rollout.runner import Progress
from sebench.world.prompts import CLOSED, OPEN, PUBLISHED, Prompt, Prompter, templates_folder

PACKAGE, ARRAY = "zwc", "ZWCArray"  # the published library
RESPONSE = "response"
OTHER_OUTPUT = "choose another --output_path"


@dataclass(frozen=True)
class DocPage:
    """A line of the published documentation."""

    path: str  # original: "linalg.solve"
    name: str  # forged: "zwc.rfx.sarik"
    text: str


@dataclass(frozen=True)
class Documentation:
    """The published documentation: lists of pages by bare original name."""

    pages: Mapping[str, Sequence[DocPage]]

    @classmethod
    def read(cls, file: Path) -> Documentation:
        pages: dict[str, list[DocPage]] = {}
        for number, raw in numbered(file):
            try:
                page = _page(json.loads(raw))
            except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
                raise ConfigError(
                    f"--doc_path {file}, line {number} is not a page of the published documentation: {error!r}"
                ) from None
            pages.setdefault(page.path.rpartition(".")[2], []).append(page)
        if not pages:
            raise ConfigError(f"--doc_path {file} has no pages")
        return cls(pages)

    def find(self, function: str, reference: str) -> DocPage | None:
        """Return the page of a function. A bare name may refer to two functions (`cross` and `linalg.cross`): choose
        the one that the task's reference solution calls."""
        path = function.removeprefix("numpy.").removeprefix("np.")
        named = self.pages.get(path.rpartition(".")[2], ())
        if "." in path:
            return next((page for page in named if page.path == path), None)
        of_module = [page for page in named if "." in page.path and re.search(rf"\b{page.path}\b", reference)]
        return next(iter(of_module or sorted(named, key=lambda page: page.path.count("."))), None)


@dataclass(frozen=True)
class Query:
    """An input line with its prompt."""

    number: int
    fields: Mapping[str, Any]
    prompt: Prompt

    @property
    def digest(self) -> str:
        return line_digest(self.fields)


@dataclass(frozen=True)
class InputFile:
    """The lines of a file: those for which a model can be asked, and an error for each of the others."""

    queries: Sequence[Query]
    bad: Sequence[str]
    without_page: Sequence[str]  # errors for lines that list a function without a page; they are asked anyway
    prompts_digest: str  # of the templates and the documentation


@dataclass(frozen=True)
class QuerySummary:
    """The outcome: the responses already there, those added, and an error for each abandoned request."""

    there: int
    added: int
    given_up: Sequence[str]


def read_queries(file: Path, documentation: Documentation | None = None) -> InputFile:
    """Read a file of published tasks; with the documentation, each prompt shows the pages that its task needs."""
    names = Names(PACKAGE, ARRAY, modules={}, functions={}, fields={}, results={})
    prompter = Prompter.load(names, (), templates_folder(PUBLISHED))
    queries: list[Query] = []
    bad: list[str] = []
    without_page: list[str] = []
    for number, raw in numbered(file):
        try:
            fields = read_object(raw)
            text = _closed_prompt(fields, prompter)
            if documentation is not None:
                pages, missing = _needed_pages(fields, documentation)
                without_page += [
                    f"line {number}: the documentation has no page for '{name}', so the prompt has none"
                    for name in missing
                ]
                text = prompter.fill("open", package=PACKAGE, array=ARRAY, documentation=_render(pages)) + text
            prompt = Prompt(text, f"line {number}", CLOSED if documentation is None else OPEN)
            _ = prompt.digest  # raises an error for half a surrogate pair, which cannot be sent
        except (ValueError, RecursionError) as error:
            bad.append(f"line {number}: {error}")
            continue
        queries.append(Query(number, fields, prompt))
    pages_digest = sha256(repr(documentation).encode()).hexdigest()[:16] if documentation is not None else ""
    return InputFile(queries, bad, without_page, prompter.digest + pages_digest)


def ask(
    queries: Sequence[Query],
    model: Callable[[], Model],
    output: Path,
    *,
    settings: Mapping[str, Any],
    samples: int,
    sampling: Sampling,
    workers: int,
    progress: Progress = lambda what, done, total: None,
) -> QuerySummary:
    """Request the responses that the output does not have yet. `settings` are those that determine the responses; an
    existing output is continued only with the same ones. The `model` is created inside the event loop, and only if
    there is anything to ask."""
    with ResponseFile(output, settings) as responses:
        owed = list(responses.owed(queries, samples))
        total = len(queries) * samples
        there = total - len(owed)
        given_up: list[str] = []
        done = there

        async def answer_all() -> None:
            def show() -> None:
                progress(", ".join(["responses", *requester.troubles]), done, total)

            client = model()
            requester = Requester(client, sampling, 0, Pace(workers), show)

            async def answer(item: tuple[Query, int]) -> None:
                nonlocal done
                query, index = item
                rollout = await requester.respond(query.prompt, index)
                if rollout.error:
                    given_up.append(f"line {query.number}: {rollout.error}")
                else:
                    responses.add({**query.fields, RESPONSE: rollout.response})
                done += 1
                show()

            try:
                await run_each(owed, answer, 4 * workers)  # requests that wait for a retry do not hold up others
            finally:
                await client.close()

        if owed:
            asyncio.run(answer_all())
    return QuerySummary(there, len(owed) - len(given_up), given_up)


class ResponseFile(Ledger):
    """The output of a query: lines with responses, all from one model with one set of settings."""

    def __init__(self, file: Path, settings: Mapping[str, Any]) -> None:
        super().__init__(file, f"wait for it, or {OTHER_OUTPUT}")
        self.settings = settings
        self.settings_file = file.with_name(f"{file.name}.settings.json")

    def __enter__(self) -> Self:
        begun = self.file.exists() and self.file.stat().st_size > 0
        if begun and not self.settings_file.is_file():  # nothing in it is touched, not even an incomplete last line
            raise ConfigError(
                f"{self.file} exists and has no {self.settings_file.name}, so it may contain something else; "
                f"{OTHER_OUTPUT}"
            )
        super().__enter__()
        try:
            self.there = Counter(line_digest(data) for _, data in lines(self.file))
            if self.there:
                before = resume.read(self.settings_file, OTHER_OUTPUT)
                step = f"{OTHER_OUTPUT}, or use the same settings"
                resume.refuse_changes(self.file, before, self.settings, step=step)
            else:
                files.write(self.settings_file, f"{json.dumps(self.settings, indent=1, ensure_ascii=False)}\n")
        except BaseException:
            self.__exit__()
            raise
        return self

    def owed(self, queries: Sequence[Query], samples: int) -> Iterator[tuple[Query, int]]:
        """Yield the samples of each line that are not in the file yet. Raise an error if the file has lines from
        another input."""
        if unknown := self.there.keys() - {query.digest for query in queries}:
            raise ConfigError(
                f"{self.file} has {counted(len(unknown), 'line that is', 'lines that are')} not in --input_path; "
                f"{OTHER_OUTPUT}, or use the same input"
            )
        left = Counter(self.there)
        for query in queries:
            done = min(left[query.digest], samples)
            left[query.digest] -= done
            yield from ((query, index) for index in range(done, samples))


def line_digest(fields: Mapping[str, Any]) -> str:
    """Return a digest of a line that ignores its response."""
    text = json.dumps({key: value for key, value in fields.items() if key != RESPONSE}, sort_keys=True)
    return sha256(text.encode()).hexdigest()


def _closed_prompt(fields: Mapping[str, Any], prompter: Prompter) -> str:
    question, signature = (_text(fields, key) for key in ("query", "function_name"))
    entry = re.match(r"\s*(?:def\s+)?(\w+)", signature)
    if entry is None:
        raise ValueError(f"'function_name' {signature[:60]!r} does not name a function")
    example = _example(entry[1], fields.get("example"))
    return prompter.fill("closed", package=PACKAGE, question=question, examples=example, signature=signature.strip())


def _example(entry: str, case: Any) -> str:
    """Return an example as prompts show it: a call, and the printed result as a comment."""
    if not isinstance(case, dict) or not isinstance(case.get("input"), str) or "output" not in case:
        raise ValueError("'example' is not an object with 'input' and 'output'")
    result = str(case["output"]).replace("\n", "\n# ")
    return f"```python\n{entry}({case['input']})\n# {result}\n```"


def _text(fields: Mapping[str, Any], key: str) -> str:
    value = fields.get(key)
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"{key!r} is empty or not a string" if key in fields else f"there is no {key!r}")
    return value


def _needed_pages(fields: Mapping[str, Any], documentation: Documentation) -> tuple[list[DocPage], list[str]]:
    """Return the pages of the functions that a line lists, each once, and the names of those without a page."""
    functions = fields.get("selected_functions")
    if not isinstance(functions, list) or not functions:
        raise ValueError("'selected_functions' is not a list of names, so the pages for the prompt are unknown")
    references = fields.get("example_output")
    reference = str(references[0]) if isinstance(references, list) and references else ""
    pages = {str(name): documentation.find(str(name), reference) for name in functions}
    by_path = {page.path: page for page in pages.values() if page is not None}
    return list(by_path.values()), [name for name, page in pages.items() if page is None]


def _render(pages: Sequence[DocPage]) -> str:
    # The published pages do not say what they are about: without the name a reader could not call the function.
    return "\n\n".join(f"# {page.name}\n\n{page.text.strip()}" for page in pages)


def _page(data: Mapping[str, Any]) -> DocPage:
    """Parse a page. Its full name comes from its `func_mapping`, because `curr_name` holds only the last part."""
    table: dict[str, str] = json.loads(data["func_mapping"])
    for path, name in table.items():
        if name.rpartition(".")[2] == data["curr_name"]:
            return DocPage(path.removeprefix("np."), name, str(data["rewritten_doc"]))
    raise ValueError(f"'func_mapping' does not name {data['curr_name']!r}")
