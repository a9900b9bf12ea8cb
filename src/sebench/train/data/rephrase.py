"""Pages rephrased by a model: more study material, in a file that can be continued.

    await rephrase(world, model, Path("study.jsonl"), name="qwen3-8b")
    read(Path("study.jsonl"), world)        # rows of plain text

Two strategies. `active` (after Active Reading, arXiv:2508.09494): the model proposes ways to study a page, then applies
each of them. `relate` (after EntiGraph, arXiv:2409.07431): it explains how two functions that are easily confused are
related. A text is rejected, and counted, if it lacks the function's name, invents a name, was cut off, is empty, or
mentions the source library.

The file has one line per text, including rejected ones. The same call continues it: an incomplete last line and
requests that the provider failed to answer are repeated. Only one process can write at a time.

Not covered: whether a text is true. Models make mistakes; study material made by program (`study_material.py`) does
not.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from sebench.base import resume
from sebench.base.errors import ConfigError
from sebench.base.extract import after_thinking
from sebench.base.ledger import Ledger, lines
from sebench.base.records import ApiDoc
from sebench.forge.names import leaks
from sebench.models.calls import complete, run_each
from sebench.models.model import Model, Sampling
from sebench.train.data.rows import TrainingRow
from sebench.train.data.study_material import details
from sebench.world.open_book import BM25Index
from sebench.world.prompts import OPEN, Prompt
from sebench.world.world import World

STRATEGIES = ("active", "relate")
WAYS = 4  # ways to study a page that a model proposes
RELATED = 2  # similar functions that each function is compared with
_LISTED = re.compile(r"(?m)^\s*(?:\d+[.)]|[-*])\s+(.+)$")
_PROPOSE = """Here is a page of the documentation of the Python library `{package}`.

{page}

Propose {ways} different ways to study this page, so that a reader later knows `{name}` by heart and recognises when \
it is needed: for example questions with answers, a comparison, a small story in which it is needed, a memory aid. \
Answer with a numbered list of {ways} lines, one way in each, and nothing else."""
_APPLY = """Here is a page of the documentation of the Python library `{package}`.

{page}

Study it in this way: {way}

Write the result as a text that can be read without the page. Say only what the page says. Write the function's full \
name, `{name}`, wherever it is meant, and name no other library."""
_RELATE = """Here are two pages of the documentation of the Python library `{package}`.

{page}

{other_page}

Explain how `{name}` and `{other}` are related: what both do, where they differ, and how a reader tells from a task \
which of the two is needed. Give situations for each. Say only what the pages say, write the full names `{name}` and \
`{other}` wherever they are meant, and name no other library."""


@dataclass(frozen=True)
class RephrasedText:
    """One line of the file: a text that a model wrote about a page."""

    key: str  # "active:PATH", its proposal; "active:PATH:0", ...; "relate:PATH:OTHER"
    page: str
    strategy: str
    text: str
    refused: str  # why it was rejected; "" if it was accepted
    prompt_digest: str
    model: str
    world: str  # fingerprint

    @property
    def proposal(self) -> bool:
        return self.key == f"active:{self.page}"


@dataclass(frozen=True)
class RephraseCounts:
    """How many texts a file has after a call."""

    texts: int  # accepted
    refused: Counter[str]  # rejected texts by reason
    owed: int  # requests that the provider failed to answer; the same call repeats them


def check_strategies(strategies: Sequence[str]) -> None:
    """Refuse unknown strategies."""
    for strategy in strategies or ("",):
        if strategy not in STRATEGIES:
            raise ConfigError(f"no strategy '{strategy}'; there are {', '.join(STRATEGIES)}")


async def rephrase(
    world: World,
    model: Model,
    out: Path,
    strategies: Sequence[str] = STRATEGIES,
    *,
    name: str,
    pages: Iterable[str] | None = None,
    sampling: Sampling | None = None,
    seed: int = 0,
    progress: Callable[[str, int, int], None] = lambda what, done, total: None,
) -> RephraseCounts:
    """Ask a model, called `name` in the file, for the texts that the file lacks. `pages`: forged paths; all by
    default."""
    check_strategies(strategies)
    chosen_pages = world.pages if pages is None else [world.page(path) for path in pages]
    with Ledger(out) as ledger:
        texts = {text.key: text for text in _texts(out, world)}
        if other := next((t.model for t in texts.values() if t.model != name), ""):
            resume.refuse_changes(out, {"model": other}, {"model": name}, step="choose another file")
        rephraser = _Rephraser(world, model, ledger, texts, name, sampling or Sampling(0.7, max_tokens=1024), seed)
        work = [(strategy, page) for strategy in strategies for page in chosen_pages]
        await rephraser.write_all(work, progress)
        accepted = [text for text in rephraser.texts.values() if not text.refused and not text.proposal]
        refused = Counter(text.refused for text in rephraser.texts.values() if text.refused)
        return RephraseCounts(len(accepted), refused, rephraser.owed)


def read(file: Path, world: World) -> list[TrainingRow]:
    """The accepted texts of a file as rows of plain text."""
    if not file.is_file():
        raise ConfigError(f"{file}: there is no such file of rephrased pages")
    texts = {text.key: text for text in _texts(file, world)}
    rows = [TrainingRow(t.key, None, t.text) for t in texts.values() if not t.refused and not t.proposal]
    if not rows:
        raise ConfigError(f"{file} has no rephrased page to learn from; run 'sebench rephrase', or choose another file")
    return rows


def _texts(file: Path, world: World) -> Iterator[RephrasedText]:
    for _, data in lines(file):
        try:
            text = RephrasedText(**data)
        except TypeError:
            raise ConfigError(f"{file} is not a file of rephrased pages; choose another") from None
        if text.world != world.manifest.fingerprint:
            raise ConfigError(
                f"{file} has rephrased pages of another world than {world.path}; rephrase the pages of this world"
            )
        yield text


def similar_pages(world: World) -> dict[str, list[ApiDoc]]:
    """For every page, the pages of functions that are easily confused with it; those of the same subject first."""
    by_path = {page.path: page for page in world.pages}
    search = BM25Index({page.path: f"{page.summary} {' '.join(details(page))}" for page in world.pages})
    similar = {}
    for page in world.pages:
        near = [by_path[path] for path in search.best(page.summary, 4 * RELATED + 1)]
        others = [other for other in near if other.path != page.path and other.summary != page.summary]
        similar[page.path] = sorted(others, key=lambda other: other.subject != page.subject)[:RELATED]
    return similar


@dataclass
class _Rephraser:
    """Asks the model for the missing texts of one file."""

    world: World
    model: Model
    ledger: Ledger
    texts: dict[str, RephrasedText]
    name: str
    sampling: Sampling
    seed: int
    owed: int = 0

    def __post_init__(self) -> None:
        self.package, self.near = self.world.names.package, similar_pages(self.world)

    async def write_all(self, work: Sequence[tuple[str, ApiDoc]], progress: Callable[[str, int, int], None]) -> None:
        """Ask for every missing text, with as many concurrent requests as the model allows."""
        done = 0

        async def one(piece: tuple[str, ApiDoc]) -> None:
            nonlocal done
            strategy, page = piece
            await (self._active(page) if strategy == "active" else self._relate(page))
            done += 1
            progress("pages rephrased", done, len(work))

        await run_each(work, one, self.model.concurrency)

    async def _active(self, page: ApiDoc) -> None:
        fields = {"package": self.package, "page": page.text.strip(), "name": f"{self.package}.{page.path}"}
        proposal = await self._ask(f"active:{page.path}", page, "active", _PROPOSE.format(**fields, ways=WAYS))
        if proposal is None or proposal.refused:
            return
        for number, way in enumerate(_LISTED.findall(proposal.text)[:WAYS]):
            await self._ask(f"active:{page.path}:{number}", page, "active", _APPLY.format(**fields, way=way.strip()))

    async def _relate(self, page: ApiDoc) -> None:
        for other in self.near[page.path]:
            prompt = _RELATE.format(
                package=self.package,
                page=page.text.strip(),
                other_page=other.text.strip(),
                name=f"{self.package}.{page.path}",
                other=f"{self.package}.{other.path}",
            )
            await self._ask(f"relate:{page.path}:{other.path}", page, "relate", prompt, other)

    async def _ask(
        self, key: str, page: ApiDoc, strategy: str, prompt: str, other: ApiDoc | None = None
    ) -> RephrasedText | None:
        """The text under this key in the file, or a new one from the model; None if the provider failed."""
        request = Prompt(prompt, key, OPEN)
        if key in self.texts and self.texts[key].prompt_digest == request.digest:
            return self.texts[key]
        completion = await complete(self.model, request, self.sampling, self.seed)
        if completion is None:
            self.owed += 1
            return None
        text = after_thinking(completion.text).strip()
        if key == f"active:{page.path}":
            why = "" if _LISTED.search(text) else "proposes nothing"
        else:
            why = self.rejection_reason(text, completion.finish, [page, *([other] if other else [])])
        fingerprint = self.world.manifest.fingerprint
        rephrased = RephrasedText(key, page.path, strategy, text, why, request.digest, self.name, fingerprint)
        self.ledger.add(asdict(rephrased))
        self.texts[key] = rephrased
        return rephrased

    def rejection_reason(self, text: str, finish: str, pages: Sequence[ApiDoc]) -> str:
        """Why a text is rejected; "" if it is accepted."""
        if not text:
            return "empty"
        if finish == "length":
            return "cut off"
        called = re.findall(rf"(?<![\w.]){re.escape(self.package)}((?:\.[A-Za-z_]\w*)+)", text)
        named = {name.removeprefix(".") for name in called}
        if any(page.path not in named for page in pages):
            return "loses the name"
        paths = {page.path for page in self.world.pages}
        allowed = {*paths, *self.world.names.modules.values(), self.world.names.array}
        if any(name not in allowed for name in named):
            return "invents a name"
        signatures = "\n".join(f"`{page.signature}`" for page in self.world.pages if page.path in named)
        if leaks.find(f"{signatures}\n\n{text}", self.world.names):
            return "shows the source library"
        return ""
