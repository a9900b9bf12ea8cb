"""Worlds that many tests look at: built once for each test process."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from hypothesis import settings

from sebench.forge.package import resolve
from sebench.world import World

# The same examples every time, and no deadlines: a loaded machine is no failure.
settings.register_profile("sebench", deadline=None, derandomize=True)
settings.load_profile("sebench")

PUBLISHED_MAPPING = Path(__file__).parent / "data" / "published_mapping.json"


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return World.build(1, tmp_path_factory.mktemp("worlds") / "1")


@pytest.fixture(scope="session")
def published(tmp_path_factory: pytest.TempPathFactory) -> World:
    return World.build(0, tmp_path_factory.mktemp("worlds") / "zwc", mapping_file=PUBLISHED_MAPPING)


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
