"""Upper bounds on what a memory is worth, computed without a model: the share of the functions needed by a task that
the memory puts into the prompt.

    for row in searches(world):          # one row per search target, split and number of results
        row.share, row.whole             # mean share of needed functions found; share of tasks with all found

A perfect reader would solve the share `whole` of the tasks, and more only if it already knew some names.
`overlap` is the share of a memory that is copied word for word from the documentation: a memory that copies pages is
just retrieval.

Not covered: whether a model uses what it is shown (runs measure that), and searches with model-written queries.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from statistics import fmean

from sebench.base.records import Task
from sebench.memory import material
from sebench.memory.conversations import Talking
from sebench.memory.kinds import Searching
from sebench.memory.recall import Recall
from sebench.tasks import splits
from sebench.world.mentions import needed_functions
from sebench.world.world import World

RESULTS = (1, 3, 5, 8, 16, 32, 64)
SPLITS = (splits.SINGLE_TEST, splits.MULTI_TEST)
GRAM = 8  # words per n-gram in `overlap`


@dataclass(frozen=True)
class Ceiling:
    """The upper bound for one way to recall, on one split."""

    # What is searched: "pages", training "questions", "both" (each page with its questions), or a memory's folder.
    what: str
    split: str
    results: int  # number of search results; 0 for a memory, which chooses the number itself
    tasks: int
    share: float  # share of the needed functions that are found, averaged over tasks
    whole: float  # share of the tasks for which all needed functions are found
    tokens: float = 0.0  # average number of tokens that a memory adds to a prompt


def searches(world: World, chosen: Sequence[str] = SPLITS, results: Sequence[int] = RESULTS) -> Iterator[Ceiling]:
    """Yield ceilings for BM25 searches whose query is the question itself: over pages, over training questions, and
    over pages with their training questions. The last one skips the training split, because each of its tasks would
    find its page through its own question."""
    ways = {
        "pages": material.pages(world),
        "questions": material.gold_answers(world),
        "both": material.pages(world, questions=True),
    }
    for what, entries in ways.items():
        search = Searching({"k": 0, "entries": [asdict(entry) for entry in entries]}, world.names)
        for split in chosen:
            if (what, split) == ("both", splits.TRAIN):
                continue
            tasks = [task for task in world.tasks(split) if needed_functions(task, world)]
            best = [search.search(task.question, max(results), task) for task in tasks]
            for count in results if tasks else ():
                documented = ([path for entry in few[:count] for path in entry.functions] for few in best)
                shares = [share(task, world, paths) for task, paths in zip(tasks, documented, strict=True)]
                yield Ceiling(what, split, count, len(tasks), fmean(shares), fmean([s == 1 for s in shares]))


def of_memory(recall: Recall, world: World, chosen: Sequence[str] = SPLITS) -> Iterator[Ceiling]:
    """Yield the ceilings of a memory, one per split. A memory that talks to the model has none, because they would
    depend on the model."""
    if isinstance(recall.kind, Talking):
        return
    for split in chosen:
        tasks = [task for task in world.tasks(split) if needed_functions(task, world)]
        texts = [recall.text(task) for task in tasks]
        shares = [share(task, world, one.functions) for task, one in zip(tasks, texts, strict=True)]
        if tasks:
            sizes = [one.tokens_estimate for one in texts]
            whole = fmean([s == 1 for s in shares])
            yield Ceiling(str(recall.memory.path), split, 0, len(tasks), fmean(shares), whole, fmean(sizes))


def share(task: Task, world: World, documented: Iterable[str]) -> float:
    """Return the share of the functions a task needs that are among the documented ones."""
    functions, there = needed_functions(task, world), set(documented)
    return sum(path in there for path in functions) / len(functions)


def overlap(texts: Iterable[str], world: World) -> float | None:
    """Return the share of 8-word sequences in these texts that also occur in the documentation, or None if every text
    has fewer than eight words."""
    documented = {gram for page in (*(p.text for p in world.pages), material.preface(world)) for gram in grams(page)}
    copied = [gram in documented for text in texts for gram in grams(text)]
    return fmean(copied) if copied else None


def grams(text: str) -> list[tuple[str, ...]]:
    words = re.findall(r"\w+", text.lower())
    return [tuple(words[i : i + GRAM]) for i in range(len(words) - GRAM + 1)]
