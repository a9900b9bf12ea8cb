"""The layers: who may import whom. Every arrow is read from the source, late imports and those for types included."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import sebench

ROOT = Path(sebench.__file__).parent
LEAVES = "errors records files ledger address_space base extract syntax".split()
# A part may import itself, the leaves, what stands beside it, and all that those may import. `sebench` is its version.
LAYERS = {
    "values": "",
    "provenance": "values",
    "forge": "values",
    "bank": "values",
    "tasks": "forge bank values provenance",
    "page_cuts": "",
    "open_book": "forge page_cuts",
    "prompts": "open_book",
    "manifest": "forge",
    "build": "manifest tasks",
    "world": "build prompts",
    "memory": "world",
    "judge": "world",
    "serve": "judge",
    "store": "",
    "rollout": "world store judge memory",
    "learn": "rollout author",
    "audit": "judge",
    "exchange": "rollout",
    "author": "rollout serve",  # of the served judge only its HTTP
    "cluster": "learn",
    "integrations": "",  # on the public API, see below
    "report": "store open_book learn",  # of the forge only the titles of subjects, of trainings only which settings a control shares
    "release": "judge report",
    "cli": "rollout cluster learn audit exchange author report serve release",
    "__main__": "cli",
}


def part(module: str) -> str:
    """The part of the house that a module belongs to; "" for `sebench` itself."""
    return module.removeprefix("sebench").removeprefix(".").partition(".")[0]


def imports(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.partition(".")[0] == "sebench")
        elif isinstance(node, ast.ImportFrom) and node.module and node.module.partition(".")[0] == "sebench":
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                yield inner if is_module(inner) else node.module


def is_module(name: str) -> bool:
    place = ROOT.joinpath(*name.split(".")[1:])
    return place.is_dir() or place.with_suffix(".py").is_file()


@cache
def arrows() -> dict[str, set[str]]:
    """For every module, the modules that it imports."""
    found = {}
    for file in ROOT.rglob("*.py"):
        name = ".".join(("sebench", *file.relative_to(ROOT).with_suffix("").parts)).removesuffix(".__init__")
        found[name] = set(imports(file)) - {name}
    return found


def allowed(layer: str) -> set[str]:
    below = LAYERS.get(layer, "").split()
    return {layer, "", *LEAVES, *below}.union(*(allowed(one) for one in below))


def test_every_arrow_points_down() -> None:
    wrong = [
        f"{module} imports {target}"
        for module, targets in arrows().items()
        if module != "sebench"  # the public face names everything
        for target in targets
        if part(target) not in allowed(part(module))
    ]
    assert wrong == []


def test_there_is_no_cycle() -> None:
    graph = {module: targets - {"sebench"} for module, targets in arrows().items() if module != "sebench"}
    list(TopologicalSorter(graph).static_order())  # CycleError names one


def test_every_part_has_its_place() -> None:
    parts = {part(module) for module in arrows()} - {""}
    assert parts == {*LEAVES, *LAYERS}


def test_integrations_use_the_public_api_alone_and_nothing_uses_them() -> None:
    ours = {module: targets for module, targets in arrows().items() if part(module) == "integrations"}
    assert {part(target) for targets in ours.values() for target in targets} <= {"", "integrations"}
    for file in (ROOT.parents[1] / "environments").glob("*/*.py"):  # packages of their own
        assert {part(target) for target in imports(file)} <= {"", "integrations"}, file
    others = {module: targets for module, targets in arrows().items() if module not in ours}
    assert [module for module, targets in others.items() if any(part(t) == "integrations" for t in targets)] == []
