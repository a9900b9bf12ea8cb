"""Builds an ordinary world from published files: names from a mapping, pages from the API documentation, tasks by
split.

The files are part of the world (`published/`), so that it can be built again from its own folder, byte for byte. Pages
are used unchanged, under the name of their function: their examples are not run. A function without a page gets one
from the offline writer. NumPy solutions become gold if the judge finds them right (`published.py`).

A line that cannot be used is reported, and the others are used. A training task that is also a test task is left out.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from sebench.base.errors import ConfigError
from sebench.base.files import new_folder
from sebench.base.records import ApiDoc, Task
from sebench.base.wording import describe_error
from sebench.forge.docs import pages
from sebench.interop.formats import published
from sebench.judge.judge import Judge, Limits
from sebench.tasks import splits
from sebench.world import build
from sebench.world.build import BuildPlan, Progress, PublishedContents
from sebench.world.world import World

SPLITS = (*splits.TESTS, splits.TRAIN)  # in this order, so that no test task is trained on
CPU_S = 20.0  # limit for a solution; the world must not depend on the speed of the machine
_SIGNATURE = re.compile(r"[\w.]+\(.*\)", re.DOTALL)  # the first paragraph of some pages


@dataclass(frozen=True)
class PublishedFiles:
    """The files that a world is built from."""

    mapping: Path
    tasks: Mapping[str, Path]  # by split
    pages: Path | None = None  # without them, the pages are our own
    problems: dict[Path, list[str]] = field(default_factory=dict)  # lines that could not be used; filled by the build


def build_world(files: PublishedFiles, out: Path, progress: Progress, *, seed: int = 0, name: str = "") -> World:
    """Build the world in the new folder `out`, which is removed on any failure."""
    if out.exists():
        raise ConfigError(f"{out} already exists; choose another --out or remove it")
    if unknown := [split for split in files.tasks if split not in SPLITS]:
        raise ConfigError(f"--tasks {unknown[0]}=...: choose a split from {', '.join(sorted(SPLITS))}")
    plan = build.plan(seed, name, files.mapping)
    sources = {"mapping.json": files.mapping, **({"pages.jsonl": files.pages} if files.pages else {})}
    sources |= {f"{split}.jsonl": file for split, file in files.tasks.items()}
    inputs = {name: _text(file) for name, file in sources.items()}
    with library_alone(plan) as library:
        docs, page_facts = _pages(files, plan, library, progress)
        with Judge(library, limits=Limits(cpu_s=CPU_S)) as judge:
            tasks, task_facts = _tasks(files, judge, progress)
    contents = PublishedContents(tasks, docs, inputs, {"pages": page_facts, "tasks": task_facts})
    with new_folder(out) as folder_of_world:
        build.write(replace(plan, published=contents), folder_of_world, progress)
    return World.load(out)


@contextmanager
def library_alone(plan: BuildPlan) -> Iterator[World]:
    """Provide a world without pages and tasks for the duration of a `with` block."""
    with tempfile.TemporaryDirectory() as folder:
        build.write(replace(plan, published=PublishedContents()), Path(folder), lambda what, done, total: None)
        yield World.load(Path(folder))


def _text(file: Path) -> str:
    try:
        return file.read_bytes().decode("utf-8")
    except (OSError, UnicodeError) as error:
        raise ConfigError(f"{file} cannot be read: {describe_error(error)}") from None


def _tasks(files: PublishedFiles, judge: Judge, progress: Progress) -> tuple[list[Task], dict[str, Any]]:
    """Return the tasks from all splits, and how many of each are usable and have gold."""
    tasks: dict[str, Task] = {}
    facts: dict[str, Any] = {}
    for done, split in enumerate(one for one in SPLITS if one in files.tasks):
        progress("tasks", done, len(files.tasks))
        file = files.tasks[split]
        read = published.read_tasks(file, judge.world.names, split)
        bad = list(read.bad)
        for number, task in zip(read.numbers, read.tasks, strict=True):
            if task.id in tasks:
                bad.append(f"line {number}: the same task is also in {tasks[task.id].split}")
        files.problems[file] = bad
        checked = published.check_golds([task for task in read.tasks if task.id not in tasks], judge)
        tasks |= {task.id: task for task in checked}
        gold = sum(bool(task.gold) for task in checked)
        facts[split] = {"lines": len(checked) + len(bad), "usable": len(checked), "gold": gold}
    if not tasks:
        raise ConfigError(
            f"no task in {', '.join(map(str, files.tasks.values()))} can be used; check that --mapping belongs to the "
            "same data"
        )
    progress("tasks", len(files.tasks), len(files.tasks))
    return list(tasks.values()), facts


# ---- pages


def _pages(
    files: PublishedFiles, plan: BuildPlan, library: World, progress: Progress
) -> tuple[Sequence[ApiDoc], dict[str, Any]]:
    """Return a page for each function, from the file or written by us, and facts about the pages."""
    there: dict[str, ApiDoc] = {}
    if files.pages is not None:
        bad = files.problems.setdefault(files.pages, [])
        there = read_pages(files.pages, plan, bad)
        if not there:
            raise ConfigError(
                f"{files.pages} has no page for any function in {files.mapping}; pass the mapping that belongs to "
                "these pages"
            )
    own: dict[str, ApiDoc] = {}
    if len(there) < len(plan.names.functions):
        with library.library() as module:
            own = {page.path: page for page in pages.write_pages(plan.names, plan.entries, module, progress)}
    order = [plan.names.functions[path] for path in plan.entries]
    written = [path for path in order if path not in there]
    return [there.get(path) or own[path] for path in order], {"published": len(there), "written": len(written)}


def read_pages(file: Path, plan: BuildPlan, bad: list[str]) -> dict[str, ApiDoc]:
    """Read a published file of API documentation; return its pages by forged path. Its names lack the module, and some
    occur twice (`cross`): the forged name decides which function is meant."""
    names = plan.names
    by_words = {(_bare(path), _bare(forged)): path for path, forged in names.functions.items()}
    docs: dict[str, ApiDoc] = {}
    for number, line in published.read_objects(file, bad):
        original, current, text = (line.get(key) for key in ("original_name", "curr_name", "rewritten_doc"))
        path = by_words.get((_bare(str(original)), _bare(str(current))))
        if not isinstance(text, str) or not text.strip():
            bad.append(f"line {number}: 'rewritten_doc' is missing, empty or not a string")
        elif path is None:
            bad.append(f"line {number}: the world has no function {original!r} with the name {current!r}")
        elif (forged := names.functions[path]) in docs:
            bad.append(f"line {number}: it is a second page for {current!r}")
        else:
            title, entry = names.forged(path), plan.entries[path]
            docs[forged] = ApiDoc(
                path=forged,
                subject=entry.subject,
                signature=f"{title}{names.signature(entry)}",
                summary=_summary(text),
                text=f"# {title}\n\n{text.strip()}\n",
                examples=(),
            )
    return docs


def _bare(name: str) -> str:
    return name.rpartition(".")[2]


def _summary(text: str) -> str:
    """Return the first paragraph of a page that is not a signature, as one line."""
    paragraphs = [" ".join(paragraph.split()) for paragraph in re.split(r"\n\s*\n", text.strip())]
    return next((one for one in paragraphs if not _SIGNATURE.fullmatch(one)), paragraphs[0])
