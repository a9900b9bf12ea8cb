"""Worlds that many tests use, built once for all test processes and kept until the sources change, and a separate home
folder, so that tests write nothing into the user's home or the repository."""

from __future__ import annotations

import fcntl
import gc
import hashlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import settings

import sebench
from sebench.base.errors import WorldError
from sebench.forge.package.package import resolve
from sebench.models import embedded
from sebench.tasks import dataset
from sebench.world.build import Slice
from sebench.world.world import World, worlds_folder
from tests import zygotes

# The same examples every time, and no deadlines: a loaded machine is no failure.
EVERYTHING = "SEBENCH_SLOW_TESTS" in os.environ  # make test-all
EXAMPLES = 100 if EVERYTHING else 15
settings.register_profile("sebench", deadline=None, derandomize=True, max_examples=EXAMPLES)
settings.load_profile("sebench")

# A shell has jobs in the background ignore Ctrl-C, and every process that they start, which tests interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

PUBLISHED_MAPPING = Path(__file__).parent / "data" / "published_mapping.json"

# What takes long and is covered in small by another test.
slow = pytest.mark.skipif(not EVERYTHING, reason="runs with make test-all")


CORES = os.cpu_count() or 1  # before `one_core`
# The files that take longest, which are begun first: no test process is left alone with one of them at the end.
LONGEST = (
    *("corpora", "processes_end", "rollout", "hosts", "documents", "author_tasks", "published_data", "changes"),
    *("sharing", "wall", "editions", "credit", "native", "learn_cli", "learn_trl", "audit", "experiment_rows"),
    *("report_browser", "serve", "memory_study", "decoding", "author_docs", "following", "streams", "selfplay_zero"),
    *("selfplay_steps", "selfplay_endpoint", "tour", "world", "vllm"),
)
HOME = "SEBENCH_TEST_HOME"  # where the home folder of the tests is, for all test processes
REPOSITORY = Path(__file__).parents[1]
PACKAGE = Path(sebench.__file__).parent
# The folders that decide what a world looks like, beside the modules at the top; test_world.py knows if one is missing.
BUILDERS = ("base", "bank", "forge", "provenance", "tasks", "values", "world")
KEPT_WORLDS = REPOSITORY / ".pytest_cache" / "worlds"  # by the digest of the sources that built them
KEPT_SOURCES = 3  # worlds of older sources are removed
CACHES = ("__pycache__/", ".pytest_cache/", ".hypothesis/", ".mypy_cache/", ".ruff_cache/")
USERS = (embedded.folder(), worlds_folder())  # what tests must leave alone


def _move_home() -> None:
    """The user's cache is read in one case: weights that are there are not fetched again."""
    if HOME not in os.environ:
        os.environ[HOME] = tempfile.mkdtemp(prefix="sebench-test-home-")
        weights, cache = embedded.folder() / embedded.FILE, Path(os.environ[HOME]) / ".cache" / "sebench"
        cache.mkdir(parents=True)
        if weights.is_file():
            (cache / embedded.FILE).symlink_to(weights)
    for name in ("SEBENCH_WORLDS", "SEBENCH_CACHE", "XDG_CACHE_HOME", "XDG_DATA_HOME", "HF_HOME"):
        os.environ.pop(name, None)
    os.environ["HOME"] = os.environ[HOME]


_move_home()


def _written() -> set[str]:
    """What is in the user's folders of sebench, and what git sees in the repository, tracked or not."""
    found = {str(path) for folder in USERS if folder.is_dir() for path in folder.iterdir()}
    command = ["git", "status", "--porcelain", "--ignored"]
    git = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    return found | {line for line in git.stdout.splitlines() if not line.endswith(CACHES)}


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """One more than cores: some tests wait, for servers and for programs that do nothing."""
    return CORES + 1


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    order = {f"test_{name}": number for number, name in enumerate(LONGEST)}
    items.sort(key=lambda item: order.get(item.path.stem, len(order)))


def pytest_collection_finish() -> None:
    """What is imported and collected stays until the end: the garbage collector need not look at it ever again."""
    gc.collect()
    gc.freeze()


def pytest_sessionstart(session: pytest.Session) -> None:
    if "PYTEST_XDIST_WORKER" not in os.environ:
        session.config.stash[WRITTEN] = _written()


def pytest_sessionfinish(session: pytest.Session) -> None:
    if "PYTEST_XDIST_WORKER" in os.environ:
        return
    shutil.rmtree(os.environ[HOME], ignore_errors=True)
    forget_older_worlds()
    if new := sorted(_written() - session.config.stash[WRITTEN]):
        print("\nwritten outside of the tests' own folders, or changed while they ran:", *new, sep="\n  ")
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


WRITTEN = pytest.StashKey[set[str]]()


@cache
def builders_digest() -> str:
    """Of everything that decides what a world looks like: the sources of what builds it, NumPy and Python."""
    digest = hashlib.sha256(f"{np.__version__} {sys.version}".encode())
    for file in sorted([*PACKAGE.glob("*.py"), *(f for part in BUILDERS for f in (PACKAGE / part).rglob("*"))]):
        if file.is_file() and file.suffix != ".pyc":
            digest.update(f"{file.relative_to(PACKAGE)} {hashlib.sha256(file.read_bytes()).hexdigest()}\n".encode())
    return digest.hexdigest()[:16]


def kept_world(name: str, seed: int, tasked: int = 1, **options: Any) -> Path:
    """The folder of a world as it was built, now or in an earlier run of the tests. Nothing may write there. It has the
    tasks of one function in `tasked`: they are most of what it takes to build a world."""
    mapping, every = options.get("mapping_file"), dataset.definitions

    def build(folder: Path) -> None:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(dataset, "definitions", lambda paths, banks: every(frozenset(sorted(paths)[::tasked]), banks))
            World.build(seed, folder, **options)

    return _kept(name, f"{seed} {tasked} {options} {mapping.read_bytes() if mapping else b''!r}", build)


def _kept(name: str, plan: str, build: Callable[[Path], object]) -> Path:
    folder = KEPT_WORLDS / builders_digest() / f"{name}-{hashlib.sha256(plan.encode()).hexdigest()[:16]}"
    try:
        World.load(folder)
    except WorldError:  # not there, or damaged
        shutil.rmtree(folder, ignore_errors=True)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(os, "cpu_count", lambda: CORES)  # other test processes may wait for it
            build(folder)
    return folder


def forget_older_worlds() -> None:
    by_age = sorted(filter(Path.is_dir, KEPT_WORLDS.glob("*")), key=lambda path: path.stat().st_mtime)
    for path in by_age[:-KEPT_SOURCES]:
        shutil.rmtree(path, ignore_errors=True)


def shared(factory: pytest.TempPathFactory, name: str, seed: int, **options: Any) -> World:
    """A world for all test processes: the first to ask for it builds or copies it, and others that need it wait."""
    return _shared(factory, name, lambda: kept_world(name, seed, **options))


def shared_edition(factory: pytest.TempPathFactory, name: str, first: World, **options: Any) -> World:
    """An edition of a world, built and shared in the same way."""
    plan = f"{first.manifest.fingerprint} {options}"
    build = partial(World.build_edition, first, **options)
    return _shared(factory, name, lambda: _kept(name, plan, build))


def _shared(factory: pytest.TempPathFactory, name: str, kept: Callable[[], Path]) -> World:
    base = factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "worlds" / name
    KEPT_WORLDS.mkdir(parents=True, exist_ok=True)
    with (KEPT_WORLDS / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.is_dir():
            shutil.copytree(kept(), folder)
        return World.load(folder)


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return shared(tmp_path_factory, "whole", 1)


@pytest.fixture(scope="session")
def published(tmp_path_factory: pytest.TempPathFactory) -> World:
    """All functions of the published mapping; outside of `make test-all` no test looks at its tasks."""
    return shared(tmp_path_factory, "zwc", 0, mapping_file=PUBLISHED_MAPPING, tasked=1 if EVERYTHING else 12)


@pytest.fixture(scope="session")
def basic(tmp_path_factory: pytest.TempPathFactory) -> World:
    """A world with mean and sum, for programs that need no more of the library: its judges begin sooner than those of
    `world`. No test looks at its tasks."""
    return shared(tmp_path_factory, "basic", 1, part=Slice(subjects=("statistics", "sums")), tasked=12)


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> World:
    """A world of a dozen functions, for what does not depend on the size."""
    return shared(tmp_path_factory, "small", 2, part=Slice(functions=12))


def hear_interrupts() -> None:
    """For a child that is to be interrupted: what starts tests in the background may have it ignore SIGINT."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> World:
    """Another small world."""
    return shared(tmp_path_factory, "tiny", 3, part=Slice(functions=6))


@pytest.fixture(scope="session")
def toy_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    from tests import toy

    folder, tokens = tmp_path_factory.mktemp("toy"), toy.tokenizer()
    toy.model(tokens).save_pretrained(folder)
    tokens.save_pretrained(folder)
    return folder


@pytest.fixture(scope="session")
def library(world: World) -> Iterator[ModuleType]:
    with world.library() as module:
        yield module


class Forged(SimpleNamespace):
    """The forged package by original names, for tests that are written once for every world."""

    def __init__(self, world: World, library: ModuleType) -> None:
        super().__init__(names=world.names, library=library, type=getattr(library, world.names.array))

    def __getitem__(self, original: str) -> Callable[..., Any]:
        return resolve(self.library, self.names.functions[original])

    def array(self, values: Any, **options: Any) -> Any:
        return self["array"](values, **options)


@pytest.fixture(scope="session")
def forged(world: World, library: ModuleType) -> Forged:
    return Forged(world, library)


@pytest.fixture(scope="session", autouse=True)
def one_core() -> Iterator[None]:
    """There are more test processes than cores. A judge that starts a process for each core costs twice as much on
    two."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "cpu_count", lambda: 1)
        yield


@pytest.fixture(scope="session", autouse=True)
def zygote_cache() -> Iterator[zygotes.ZygoteCache]:
    with zygotes.cached() as cache:
        yield cache


@pytest.fixture
def own_zygotes(zygote_cache: zygotes.ZygoteCache) -> Iterator[None]:
    """The judges of this test start zygotes and end them."""
    zygote_cache.enabled = False
    zygote_cache.close()
    yield
    zygote_cache.enabled = True


@pytest.fixture(scope="session")
def toy_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a model that learns in no time, where torch is installed."""
    from tests import toy

    return toy.saved(tmp_path_factory.mktemp("toy"))
