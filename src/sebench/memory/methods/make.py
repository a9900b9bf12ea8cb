"""Creates a memory, given the name of a method, its settings and a folder.

    study(world, "pages", StudyConfig(k=8), Path("memories/pages"))

`METHODS` lists every method with the settings that it reads. The methods in this file need no model: they arrange
existing text from the documentation and the training split.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from sebench.base.errors import ConfigError, first_problem
from sebench.base.extract import extract
from sebench.base.records import SCRIPTED
from sebench.memory import material, recall
from sebench.memory.conversations import Lookup, Operations
from sebench.memory.folder import MEMORY, RETRIEVAL, About, Memory, MemoryWriter, Snapshot, read_resumable
from sebench.memory.kinds import Entry, refuse_above
from sebench.memory.methods import ace, expel, notes, scripted, session, texts
from sebench.memory.methods.config import OF_WRITERS, StudyConfig
from sebench.memory.methods.session import Study
from sebench.models.calls import Spent
from sebench.rollout import embeddings
from sebench.rollout.models import without_credentials
from sebench.rollout.store import Run
from sebench.tasks import splits
from sebench.train.data import examples
from sebench.world.build import Progress
from sebench.world.prompts import OPEN
from sebench.world.world import World

COMMON = ("budget",)
STUDIED = ("study_book", "credit", "gate", "seed")
TASKS = ("study_gold", "limit", "retries")  # settings of the methods that study tasks
OF_WRITING = ("temperature", "max_tokens", "seed", "thinking", "reasoning_effort", "extra")
K = "lower --k or raise --budget"


@dataclass(frozen=True)
class MemoryMethod:
    """How a memory is created: arranged by a fixed rule, or studied by a model."""

    summary: str
    reads: tuple[str, ...]  # the settings it reads, besides the budget and the writer's settings
    arrange: Callable[[Study], Snapshot] | None = None
    advice: str = ""  # what to do if the budget is too small
    study: session.StudyFunction | None = None  # resumes after `folder.events`, and saves the final snapshot
    requests: Callable[[int], int] = lambda queries: 1  # of an answer with this memory, given the setting `queries`


def study(
    world: World, method: str, config: StudyConfig, out: Path, tell: Progress = lambda what, done, total: None
) -> Memory:
    """Create the memory in folder `out`, or resume it. A finished memory is left unchanged."""
    refuse_incomplete(method, config)
    chosen = METHODS[method]
    with MemoryWriter(out, _about(method, world, config)) as folder:
        work = Study(world, config, folder, tell)
        if folder.memory.finished:
            return folder.memory
        return session.run(work, chosen.study) if chosen.study else _arrange(work, chosen)


def check_folder(world: World, method: str, config: StudyConfig, out: Path) -> None:
    """Raise an error if a folder holds a memory of another study."""
    read_resumable(out, _about(method, world, config))


def _arrange(work: Study, method: MemoryMethod) -> Memory:
    """Save a memory that needs no model, if its longest text fits the budget."""
    assert method.arrange
    snapshot = method.arrange(work)
    most_tokens = recall.recaller_for(snapshot, work.world.names).most_tokens()
    refuse_above(work.config.budget, most_tokens, f"the longest text of a {snapshot.kind} memory", method.advice)
    work.folder.log(event="made", kind=snapshot.kind, most_tokens=most_tokens)
    run = _answer_run(work.config) if "examples" in method.reads else None
    return work.folder.save(snapshot, _answering_cost(run) if run else None, finished=True)


def _about(name: str, world: World, config: StudyConfig) -> About:
    """Return what identifies the study before it starts, including the settings that determine the memory."""
    method = METHODS[name]
    reads = (*COMMON, *method.reads, *(OF_WRITING if method.study else ()))
    settings = config.compared(reads) | ({"texts": texts.digest()} if method.study else {})
    about = About(name, world.manifest.fingerprint, settings=settings)
    if method.study:
        gold = config.study_gold and "study_gold" in method.reads
        # Recalled gold answers count as retrieval, even if model-written rules precede them.
        regime = RETRIEVAL if gold and "successes" in method.reads and config.successes else MEMORY
        return replace(about, regime=regime, writer=config.model, study_book=config.study_book, study_gold=gold)
    run = _answer_run(config) if "examples" in method.reads else None
    if run is None:
        return replace(about, study_gold="examples" in method.reads)
    model = str(run.manifest.config["model"])
    if model in SCRIPTED:  # a scripted model answers with gold solutions
        return replace(about, writer=model, study_book=OPEN, study_gold=True)
    return replace(about, writer=model, study_book=OPEN, regime=MEMORY)


def writers_of(method: str, config: StudyConfig) -> list[str]:
    """Return the models that write the texts of a memory: the one that studies, or the one whose answers are kept."""
    chosen = METHODS[method]
    run = _answer_run(config) if "examples" in chosen.reads else None
    return [config.model] if chosen.study else [str(run.manifest.config["model"])] if run else []


def refuse_incomplete(method: str, config: StudyConfig) -> None:
    """Raise an error if a setting that the method needs is missing."""
    if method not in METHODS:
        raise ConfigError(f"unknown method '{method}'; choose from {', '.join(METHODS)}")
    chosen = METHODS[method]
    if chosen.study and not config.model:
        raise ConfigError(f"{method} needs a model to study with; set --model")
    if chosen.study:
        scripted.check(config.writer())
    problems = {
        f"{method} needs an embedding model; set --embed-model and --embed-url": (
            "embed_model" in chosen.reads and not (config.embed_model and config.embed_url)
        ),
        f"notes are written from the pages, but study_book = {config.study_book!r} shows none; remove that setting": (
            method == "notes" and config.study_book != OPEN
        ),
        f"rewritten notes must fit into one reply, but --max-tokens {config.max_tokens} is less than --budget "
        f"{config.budget}; raise --max-tokens or lower --budget": (
            method == "notes" and config.rewrite and config.max_tokens < config.budget
        ),
        "expel recalls nothing with rules = 0 and successes = 0; raise one of them": (
            method == "expel" and not (config.rules or config.successes)
        ),
    }
    if problem := first_problem(problems):
        raise ConfigError(problem)
    if "examples" in chosen.reads:
        _answer_run(config)


def refuse_unused(method: str, names: Iterable[str]) -> None:
    """Raise an error if the method does not read one of these settings."""
    chosen = METHODS[method]
    known = (*COMMON, *chosen.reads, *(OF_WRITERS if chosen.study else ()))
    for name in names:
        if name not in known:
            options = ", ".join(f"--{one.replace('_', '-')}" for one in known)
            raise ConfigError(
                f"--{name.replace('_', '-')} has no effect on {method}, which reads {options}; leave it out"
            )


def _text(text: str) -> Snapshot:
    return Snapshot("text", {"text": text})


def _entries(kind: str, entries: list[Entry], preface: str, k: int, **more: Any) -> Snapshot:
    """Return a snapshot of entries that are shown after a preface."""
    return Snapshot(kind, {"preface": preface, "k": k, **more, "entries": [asdict(entry) for entry in entries]})


def _search_pages(work: Study, questions: bool = False) -> Snapshot:
    return _entries("search", material.pages(work.world, questions), material.preface(work.world), work.config.k)


def _worked(work: Study) -> Snapshot:
    entries = [asdict(entry) for entry in material.one_for_each(answers(work))]
    return Snapshot("entries", {"k": len(entries), "entries": entries})


def _dense(work: Study) -> Snapshot:
    config, entries = work.config, material.pages(work.world)
    with embeddings.Embedder(
        config.embed_model,
        config.embed_url,
        cache=work.folder.path / embeddings.VECTORS,
        key_env=config.key_env,
        key_file=config.key_file,
        timeout_s=config.timeout_s,
    ) as embed:
        vectors = embed([entry.key for entry in entries])
    endpoint = {"model": config.embed_model, "url": without_credentials(config.embed_url)}
    snapshot = _entries("dense", entries, material.preface(work.world), config.k, **endpoint)
    by_id = {entry.id: vector for entry, vector in zip(entries, vectors, strict=True)}
    return Snapshot("dense", {**snapshot.data, "vectors": by_id})


def _operations(work: Study) -> Snapshot:
    entries, preface = material.pages(work.world, questions=True), material.preface(work.world)
    return _entries("operations", entries, preface, work.config.per_query, queries=work.config.queries)


def _lookup(work: Study) -> Snapshot:
    world, subjects = work.world, dict[str, list[str]]()
    for page in world.pages:
        subjects.setdefault(page.subject, []).append(page.path)
    return _entries(
        "lookup",
        material.pages(world),
        material.arrays(world),
        0,
        calls=work.config.queries,
        room=work.config.budget,
        subjects=subjects,
        lines={page.path: material.line(page) for page in world.pages},
    )


def _answer_run(config: StudyConfig) -> Run | None:
    """Return the run whose answers are recalled, or None if gold solutions are recalled."""
    return None if config.examples == examples.GOLD else Run.load(Path(config.examples))


def _answering_cost(run: Run) -> Spent:
    """Return the cost of the run's answers that may be recalled: all open-book answers to training tasks."""
    rows = (row for row in run.rows() if row.rollout.book == OPEN and row.task["split"] == splits.TRAIN)
    return Spent.of_answers(row.rollout for row in rows)


def answers(work: Study) -> list[Entry]:
    """Return training tasks with correct answers: gold solutions, or the credited answers of a run."""
    world, run = work.world, _answer_run(work.config)
    if run is None:
        return material.gold_answers(world)
    if run.manifest.world["fingerprint"] != world.manifest.fingerprint:
        raise ConfigError(
            f"--examples {work.config.examples} is a run on another world, not on {world.path}; use a run on "
            "the training split of this world"
        )
    solved = enumerate(examples.from_run(run.rows(), world))
    return [material.worked_answer(one.task, extract(one.answer, one.task.entry).code, world, n) for n, one in solved]


METHODS = {
    "whole": MemoryMethod(
        "all pages, in every prompt",
        (),
        lambda work: _text(material.whole(work.world)),
        "raise --budget, or use pages or index",
    ),
    "index": MemoryMethod(
        "signature and summary of every function, in every prompt",
        (),
        lambda work: _text(material.index(work.world)),
        "raise --budget, or use pages",
    ),
    "pages": MemoryMethod("the pages that a search for the question finds", ("k",), _search_pages, K),
    "enriched": MemoryMethod(
        "like pages, but a page is also found by the training questions that need it",
        ("k",),
        lambda work: _search_pages(work, questions=True),
        K,
    ),
    "dense": MemoryMethod(
        "the pages whose embeddings are nearest to the question's",
        ("k", "embed_model", "embed_url", "key_env", "key_file", "timeout_s"),
        _dense,
        K,
    ),
    "operations": MemoryMethod(
        "the pages found by searching for what the model says it needs",
        ("per_query", "queries"),
        _operations,
        "lower --queries or --per-query, or raise --budget",
        requests=Operations.requests,
    ),
    "lookup": MemoryMethod(
        "pages that the model looks up itself, by lists, searches and names",
        ("queries",),
        _lookup,
        "raise --budget or lower --queries",
        requests=Lookup.requests,
    ),
    "trajectories": MemoryMethod(
        "similar training questions with their answers",
        ("k", "examples"),
        lambda work: _entries("search", answers(work), "", work.config.k),
        K,
    ),
    "worked": MemoryMethod(
        "for each function, one training question with its answer",
        ("examples",),
        _worked,
        "raise --budget, or use trajectories",
    ),
    "expel": MemoryMethod(
        "rules and similar successes, from attempts with the book open (ExpeL)",
        (*STUDIED, *TASKS, "rules", "chunk", "successes", "facts"),
        study=lambda work: expel.Expel(work).study(),
    ),
    "ace": MemoryMethod(
        "a playbook that a reflector and a curator grow (ACE)",
        (*STUDIED, *TASKS, "epochs", "together", "operations", "deduplicate", "window", "validate_every"),
        study=lambda work: ace.Ace(work).study(),
    ),
    "notes": MemoryMethod(
        "a file of notes on the pages, extended or rewritten", (*STUDIED, "rewrite", "chunk"), study=notes.study
    ),
}
