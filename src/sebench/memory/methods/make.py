"""Make a memory from a method's name, settings, and a folder.

    study(world, "pages", StudyConfig(k=8), Path("memories/pages"))

`METHODS` lists every method with the settings that it reads. The methods in this file need no model: they arrange what
is in the documentation and the training split.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from sebench.base.errors import ConfigError
from sebench.base.extract import extract
from sebench.base.records import SCRIPTED
from sebench.memory import material, recall
from sebench.memory.entries import Entry
from sebench.memory.folder import MEMORY, RETRIEVAL, About, Memory, MemoryWriter, Snapshot, StudyCost
from sebench.memory.methods import ace, expel, notes, scripted, session, texts
from sebench.memory.methods.config import OF_WRITERS, RULES, StudyConfig
from sebench.memory.methods.study import MemoryMethod, Study
from sebench.memory.sizes import refuse_above
from sebench.rollout import embeddings
from sebench.rollout.models import without_credentials
from sebench.rollout.store import Run
from sebench.tasks import splits
from sebench.train.data import examples
from sebench.world.build import Progress
from sebench.world.prompts import OPEN
from sebench.world.world import World

METHODS: dict[str, MemoryMethod] = {}
COMMON = ("budget",)


def study(
    world: World, method: str, config: StudyConfig, out: Path, tell: Progress = lambda what, done, total: None
) -> Memory:
    """Make the memory in folder `out`, or continue it; a finished one is left as it is."""
    refuse_incomplete(method, config)
    chosen = METHODS[method]
    about = _about(chosen, method, world, config)
    with MemoryWriter(out, about) as folder:
        return folder.memory if folder.finished else chosen.make(Study(world, config, folder, tell))


def _about(chosen: MemoryMethod, method: str, world: World, config: StudyConfig) -> About:
    run = _answer_run(config) if "examples" in chosen.reads else None
    about = About(
        method=method,
        world=world.manifest.fingerprint,
        regime=chosen.regime(config),
        writer=config.model if chosen.writes else "",
        study_book=chosen.book(config),
        study_gold=chosen.gold(config),
        settings=_settings(chosen, config),
    )
    if run is None:
        return about
    model = str(run.manifest.config["model"])
    if model in SCRIPTED:  # scripted: its answers are gold
        return replace(about, writer=model, study_book=OPEN, study_gold=True)
    return replace(about, writer=model, study_book=OPEN, regime=MEMORY)


def refuse_incomplete(method: str, config: StudyConfig) -> None:
    """Raise an error if a setting that the method needs is missing."""
    if method not in METHODS:
        raise ConfigError(f"no method '{method}'; choose from {', '.join(METHODS)}")
    chosen = METHODS[method]
    if chosen.writes and not config.model:
        raise ConfigError(f"{method} needs a model to study with; give --model")
    if chosen.writes:
        scripted.check(config.writer())
    if "embed_model" in chosen.reads and not (config.embed_model and config.embed_url):
        raise ConfigError(f"{method} needs an embedding model; give --embed-model and --embed-url")
    if method == "notes" and config.study_book != OPEN:
        raise ConfigError(
            f"notes are taken from the pages, and study_book = {config.study_book!r} shows none; leave it out"
        )
    if method == "notes" and config.rewrite and config.max_tokens < config.budget:
        raise ConfigError(
            f"rewritten notes must fit into one reply, and --max-tokens {config.max_tokens} is less than --budget "
            f"{config.budget}; raise the first or lower the second"
        )
    if "examples" in chosen.reads:
        _answer_run(config)


def _settings(method: MemoryMethod, config: StudyConfig) -> dict[str, Any]:
    """The settings that decide the memory; for a study, its prompt templates too."""
    if not method.writes:
        return config.compared((*COMMON, *method.reads))
    own = ("temperature", "max_tokens", "seed", "thinking", "reasoning_effort", "extra")
    return config.compared((*COMMON, *method.reads, *own)) | {"texts": texts.digest()}


def refuse_unused(method: str, names: Iterable[str]) -> None:
    """Raise an error for the first of these settings that the method does not read."""
    chosen = METHODS[method]
    known = (*COMMON, *chosen.reads, *(OF_WRITERS if chosen.writes else ()))
    for name in names:
        if name not in known:
            options = ", ".join(f"--{one.replace('_', '-')}" for one in known)
            raise ConfigError(
                f"--{name.replace('_', '-')} has no effect on {method}, which reads {options}; leave it out"
            )


def finish(work: Study, snapshot: Snapshot, cure: str) -> Memory:
    """Save a memory that was made without a model, if its longest text fits the budget; `cure` is the advice if it does
    not."""
    kind = recall.recaller_for(snapshot, work.world.names)
    refuse_above(work.config.budget, kind.most_tokens(), f"the longest text of a {snapshot.kind} memory", cure)
    work.folder.log(event="made", kind=snapshot.kind, most_tokens=kind.most_tokens())
    cost = _answering_cost(_answer_run(work.config)) if "examples" in METHODS[work.folder.about.method].reads else None
    return work.folder.save(snapshot, cost, finished=True)


def _whole(work: Study) -> Memory:
    return finish(
        work, Snapshot("text", {"text": material.whole(work.world)}), "raise --budget, or take pages or index"
    )


def _index(work: Study) -> Memory:
    return finish(work, Snapshot("text", {"text": material.index(work.world)}), "raise --budget, or take pages")


def _search_memory(work: Study, entries: list[Entry], preface: str) -> Memory:
    data = {"preface": preface, "k": work.config.k, "entries": [entry.to_json() for entry in entries]}
    return finish(work, Snapshot("search", data), "lower --k or raise --budget")


def _pages(work: Study) -> Memory:
    return _search_memory(work, material.pages(work.world), material.preface(work.world))


def _enriched(work: Study) -> Memory:
    return _search_memory(work, material.pages(work.world, questions=True), material.preface(work.world))


def _trajectories(work: Study) -> Memory:
    return _search_memory(work, answers(work), "")


def _worked(work: Study) -> Memory:
    entries = [entry.to_json() for entry in material.one_for_each(answers(work))]
    data = {"k": len(entries), "entries": entries}
    return finish(work, Snapshot("entries", data), "raise --budget, or take trajectories")


def _dense(work: Study) -> Memory:
    config, entries = work.config, material.pages(work.world)
    cache = work.folder.path / embeddings.VECTORS
    with embeddings.Embedder(
        config.embed_model,
        config.embed_url,
        cache=cache,
        key_env=config.key_env,
        key_file=config.key_file,
        timeout_s=config.timeout_s,
    ) as embed:
        vectors = embed([entry.key for entry in entries])
    data = {
        "preface": material.preface(work.world),
        "k": config.k,
        "model": config.embed_model,
        "url": without_credentials(config.embed_url),
        "entries": [entry.to_json() for entry in entries],
        "vectors": {entry.id: vector for entry, vector in zip(entries, vectors, strict=True)},
    }
    return finish(work, Snapshot("dense", data), "lower --k or raise --budget")


def _operations(work: Study) -> Memory:
    entries = [entry.to_json() for entry in material.pages(work.world, questions=True)]
    config = work.config
    data = {
        "preface": material.preface(work.world),
        "k": config.per_query,
        "queries": config.queries,
        "entries": entries,
    }
    return finish(work, Snapshot("operations", data), "lower --queries or --per-query, or raise --budget")


def _lookup(work: Study) -> Memory:
    world = work.world
    subjects: dict[str, list[str]] = {}
    for page in world.pages:
        subjects.setdefault(page.subject, []).append(page.path)
    data = {
        "preface": material.arrays(world),
        "k": 0,
        "calls": work.config.lookups,
        "room": work.config.budget,
        "subjects": subjects,
        "lines": {page.path: material.line(page) for page in world.pages},
        "entries": [entry.to_json() for entry in material.pages(world)],
    }
    return finish(work, Snapshot("lookup", data), "raise --budget or lower --lookups")


def _answer_run(config: StudyConfig) -> Run | None:
    """The run whose answers are recalled; None if they are gold."""
    return None if config.examples == examples.GOLD else Run.load(Path(config.examples))


def _answering_cost(run: Run | None) -> StudyCost:
    """The cost of the answers of a run that may be recalled: all those to training tasks with the book open."""
    rows = [row for row in run.rows() if row.rollout.book == OPEN and row.task["split"] == splits.TRAIN] if run else []
    rollouts = [row.rollout for row in rows if not row.rollout.error]
    sums = (sum(one.calls for one in rollouts), sum(one.prompt_tokens for one in rollouts))
    return StudyCost(*sums, sum(one.completion_tokens for one in rollouts))


def answers(work: Study) -> list[Entry]:
    """Training tasks with right answers: gold, or the credited answers of a run."""
    world, chosen, run = work.world, work.config.examples, _answer_run(work.config)
    if run is None:
        return material.gold_answers(world)
    if run.manifest.world["fingerprint"] != world.manifest.fingerprint:
        raise ConfigError(
            f"--examples {chosen} is a run on another world, not {world.path}; run the training split of this one"
        )
    solved = examples.from_run(run.rows(), world)
    codes = [extract(one.answer, one.task.entry).code for one in solved]
    return [
        material.worked_answer(one.task, code, world, n)
        for n, (one, code) in enumerate(zip(solved, codes, strict=True))
    ]


def _from_gold(config: StudyConfig) -> bool:
    return config.examples == examples.GOLD


METHODS |= {
    "whole": MemoryMethod("all pages, in every prompt", _whole, ()),
    "index": MemoryMethod("signature and summary of every function, in every prompt", _index, ()),
    "pages": MemoryMethod("the pages that a search for the question finds", _pages, ("k",)),
    "enriched": MemoryMethod("the same, but pages are also found by their training questions", _enriched, ("k",)),
    "dense": MemoryMethod(
        "the pages whose embeddings are nearest to the question's",
        _dense,
        ("k", "embed_model", "embed_url", "key_env", "key_file", "timeout_s"),
    ),
    "operations": MemoryMethod(
        "the pages found by searching for what the model says it needs", _operations, ("per_query", "queries")
    ),
    "lookup": MemoryMethod("pages that the model looks up itself, by lists, searches and names", _lookup, ("lookups",)),
    "trajectories": MemoryMethod(
        "similar training questions, with answers", _trajectories, ("k", "examples"), gold=_from_gold
    ),
    "worked": MemoryMethod(
        "one training question with its answer for each function", _worked, ("examples",), gold=_from_gold
    ),
}

STUDIED = ("study_book", "credit", "gate", "seed")
TASKS = ("study_gold", "limit")  # of methods that study tasks


def _study_method(
    summary: str,
    study: session.StudyFunction,
    reads: tuple[str, ...],
    regime: Callable[[StudyConfig], str] = lambda config: MEMORY,
) -> MemoryMethod:
    """A method in which a model studies."""
    return MemoryMethod(
        summary,
        lambda work: session.run(work, study),
        (*STUDIED, *reads),
        regime,
        writes=True,
        gold=lambda config: config.study_gold and TASKS[0] in reads,
        book=lambda config: config.study_book,
    )


def _of_expel(config: StudyConfig) -> str:
    """Recalled gold answers are retrieval, even if rules that a model wrote come before them."""
    answers_recalled = config.keep != RULES and config.successes > 0
    return RETRIEVAL if config.study_gold and answers_recalled else MEMORY


METHODS |= {
    "expel": _study_method(
        "rules and similar successes, from attempts with the book open (ExpeL)",
        expel.study,
        (*TASKS, "retries", "rules", "chunk", "successes", "facts", "keep"),
        _of_expel,
    ),
    "ace": _study_method(
        "a playbook that a reflector and a curator grow (ACE)",
        ace.study,
        (*TASKS, "rounds", "epochs", "curate_every", "together", "operations", "deduplicate")
        + ("mode", "window", "validate_every"),
    ),
    "notes": _study_method(
        "a file of notes on the pages, extended or rewritten", notes.study, ("rewrite", "chunk_pages")
    ),
}
