"""Audits a world on disk: its functions, names, documentation, leaks, equivalence, determinism and gold solutions."""

from __future__ import annotations

import re
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from sebench.forge.audit import audit
from sebench.forge.catalog import backend, catalog
from sebench.forge.names import naming
from sebench.forge.translate.translate import Translator
from sebench.judge.judge import Judge
from sebench.tasks import priors, splits
from sebench.world import build
from sebench.world.build import BuildPlan, Progress
from sebench.world.world import World

LEAST_SHOWN = 2  # tasks of each kind (training, test) that must show a change


def check(world: World, progress: Progress | None = None) -> tuple[audit.AuditCheck, ...]:
    """Run all checks on the world on disk."""
    with world.library() as library:
        visible_files = [
            f
            for f in world.manifest.files
            if f.startswith(("docs/api.md", build.CHANGELOG, f"package/{world.names.package}/"))
        ]
        evidence = audit.AuditInputs(
            names=world.names,
            entries=world.entries,
            library=library,
            docs=world.pages,
            texts={f: (world.path / f).read_text("utf-8") for f in visible_files},
            seed=world.manifest.seed,
            names_from_seed=world.manifest.edition is not None
            or world.names.functions == naming.draw(world.manifest.seed, world.entries.values()).functions,
            rebuild=lambda: rebuild_difference(world),
            whole=world.manifest.part == "all",
            gold=lambda: _judged_gold(world),
            programs={task.id: task.gold for split in splits.SPLITS for task in world.tasks(split)},
        )
        todo = list(audit.checks(evidence))
        if world.manifest.left_out:
            todo.append(("no left-out names", lambda: audit.AuditCheck("no left-out names", *_left_out(world))))
        if world.manifest.edition:
            todo.append(
                ("old answers are stale", lambda: audit.AuditCheck("old answers are stale", *_not_stale(world)))
            )
        if world.names.changes:
            todo.append(
                ("changes matter", lambda: audit.AuditCheck("changes matter", *_changes_that_do_not_matter(world)))
            )
        done: list[audit.AuditCheck] = []
        for title, check in todo:
            if progress:
                progress(title, len(done), len(todo))
            done.append(check())
    return tuple(done)


def _judged_gold(world: World) -> Iterator[tuple[str, str]]:
    """Yield every task id with the reason why the judge does not credit the gold solution, or "" if it does."""
    tasks = [task for split in splits.SPLITS for task in world.tasks(split) if task.gold or not task.published]
    with Judge(world) as judge:
        for task, verdict in zip(tasks, judge.judge_many((t, t.gold) for t in tasks), strict=True):
            yield task.id, "" if verdict.reward() else f"the gold solution is judged {verdict.kind}: {verdict.detail}"


def _changes_that_do_not_matter(world: World) -> tuple[int, tuple[str, ...]]:
    """Return how many tasks use functions that differ from NumPy's, and the problems: tasks in which an answer that
    treats these functions as NumPy's passes or is not recognized as such, and, in a world with all functions, changed
    functions that too few tasks show.
    """
    tasks = [task for split in splits.SPLITS for task in world.tasks(split) if task.prior]
    dictionary = Translator(world.names.without_changes())
    problems: list[str] = []
    with Judge(world) as judge:
        answers = [(task, dictionary.code(world.numpy_source(task))) for task in tasks]
        for task, verdict in zip(tasks, judge.judge_many(answers), strict=True):
            if verdict.passed or not verdict.prior:
                recognized = "recognized" if verdict.prior else "not recognized"
                problems.append(f"{task.id}: the word-by-word translation is judged {verdict.kind}, and {recognized}")
    counts = Counter((path, task.split == splits.TRAIN) for task in tasks for path in set(task.functions))
    complete = world.manifest.part == "all" and len(world.names.functions) == len(catalog.seeded())
    for path in world.names.changes if complete else ():
        train, test = counts[path, True], counts[path, False]
        if min(train, test) < LEAST_SHOWN:
            problems.append(f"{path}: only {train} training and {test} test tasks show how it differs from NumPy's")
    return len(tasks), tuple(problems)


def _not_stale(world: World) -> tuple[int, tuple[str, ...]]:
    """Return how many tasks in a new edition were compared with the old one, and those whose old solution is not judged
    as it should be: stale where something changed, and right where nothing did."""
    assert world.manifest.edition is not None
    old = Translator(world.manifest.edition.before)
    kinds = (priors.CHANGED, priors.UNCHANGED, priors.REMOVED)
    tasks = [task for split in splits.SPLITS for task in world.tasks(split) if task.edition in kinds]
    problems = []
    with Judge(world) as judge:
        answers = [(task, old.code(world.numpy_source(task))) for task in tasks]
        for task, verdict in zip(tasks, judge.judge_many(answers), strict=True):
            if not (verdict.passed if task.edition == priors.UNCHANGED else verdict.stale):
                problems.append(f"{task.id} ({task.edition}): its old solution is judged {verdict.kind}")
    return len(tasks), tuple(problems)


def _left_out(world: World) -> tuple[int, tuple[str, ...]]:
    """Return how many texts were searched for the names of left-out functions, and the texts in which one occurs."""
    own = f"data/{splits.BOUNDARY_TEST}.jsonl"  # its tasks are about those functions
    words = (path.rpartition(".")[2] for path in world.manifest.left_out.values())
    left_out_name = re.compile(rf"(?<![A-Za-z0-9])(?:{'|'.join(words)})(?![A-Za-z0-9])")
    skipped = (own, build.CHANGELOG)  # the list of changes says what was removed
    texts = {f: (world.path / f).read_text("utf-8") for f in world.manifest.files if f not in skipped}
    mentions = [f"{file}: mentions {match[0]}" for file, text in texts.items() if (match := left_out_name.search(text))]
    return len(texts), tuple(mentions)


def rebuild_difference(world: World) -> str:
    """Build the same world again elsewhere; return what differs, or "". For a variant, build the world whose pages were
    rewritten.
    """
    was = world.manifest
    with tempfile.TemporaryDirectory() as folder:
        plan = BuildPlan(was.seed, world.names, world.entries, was.gone, was.part, was.split, was.matched, world.banks)
        plan = replace(plan, changed=was.changed, edition=was.edition)
        again = build.write(plan, Path(folder), lambda what, done, total: None)
    files = {**was.files, **again.files}
    by_model = ("docs/",) if was.pages else ()
    changed = [f for f in files if was.files.get(f) != again.files.get(f) and not f.startswith(by_model)]
    if changed:
        cause = (
            f" (it was built with NumPy {was.numpy}, but {backend.VERSION} is installed)"
            if was.numpy != backend.VERSION
            else ""
        )
        return f"{changed[0]} is different{cause}"
    original = was.pages.of if was.pages else was.fingerprint
    return "" if again.fingerprint == original else "the fingerprint is different"
