"""Which parts of the package may import which. Every import is read from the source, including late imports and those
for types."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import sebench

ROOT = Path(sebench.__file__).parent
# A folder, or a file that has a place of its own, with what it imports directly besides `version` and `base`. Not
# listed, because they may import everything: the public face of the package, and `cli`, which nobody imports.
ROOMS = {
    "bank/references": "",
    "forge/catalog": "",
    "values": "",
    "bank": "",
    "forge/runtime": "",
    "judge/program": "",
    "forge": "",
    "interop": "",
    "remote": "",
    "forge/changes": "forge/catalog",
    "forge/names": "forge/catalog forge/changes",
    "provenance": "values",
    "bank/plan": "bank",
    "bank/single": "bank",
    "bank/multi": "bank",
    "interop/frameworks": "sebench",
    "forge/translate": "forge/catalog forge/changes forge/names",
    "forge/package": "forge/catalog forge/changes forge/names forge/runtime",
    "bank/transfer": "bank bank/single",
    "interop/frameworks/lm_eval_tasks": "interop/frameworks",
    "judge/sandbox": "forge/catalog forge/names forge/runtime forge/translate judge/program provenance values",
    "forge/docs": "forge/catalog forge/changes forge/names forge/package forge/runtime forge/translate",
    "forge/audit": "forge/catalog forge/docs forge/names forge/package",
    "tasks": "bank forge/catalog forge/docs forge/names forge/translate provenance values",
    "world": "bank forge/catalog forge/changes forge/docs forge/names forge/package tasks",
    "remote/http": "forge/names tasks values world",
    "judge": "forge/catalog forge/names judge/program judge/sandbox provenance tasks values world",
    "memory": "forge/names models tasks world",
    "models": "forge/translate world",
    "audit": "bank forge/audit forge/catalog forge/docs forge/names forge/translate judge tasks world",
    "rollout": "judge judge/program memory models tasks world",
    "author": "bank forge/catalog forge/docs forge/names forge/translate judge models tasks values world",
    "train/data": "forge/names models rollout tasks world",
    "interop/formats": "forge/catalog forge/docs forge/names forge/translate judge models rollout tasks values world",
    "memory/methods": "judge memory models rollout tasks train/data world",
    "train/proposals": "author judge models tasks train/data world",
    "train/probes": "forge/names models train/data world",
    "train/config": "models rollout train/data train/probes world",
    "report/numbers": "forge/catalog rollout train/config",
    "train/loop": "models train/config train/data train/probes world",
    "report/views": "report/numbers rollout",
    "train": "author judge models rollout train/config train/data train/loop train/probes train/proposals world",
    "report": "report/numbers report/views rollout",
    "train/trl": "author judge models train train/config train/data train/loop train/proposals world",
    "release": "forge/catalog forge/changes forge/names judge judge/program memory models report report/numbers "
    "report/views rollout tasks world",
    "train/methods": "models train train/config train/data train/loop train/trl world",
    "selfplay": "author judge models rollout tasks train train/config train/data train/loop train/methods "
    "train/proposals world",
    "experiment": "forge/catalog forge/names memory memory/methods models rollout selfplay tasks train train/config "
    "train/data train/loop train/methods train/probes train/trl world",
    "remote/ray": "experiment judge models rollout values world",
}
PUBLIC = "sebench"  # what its `__init__.py` names
EVERYTHING = ("", "cli", "__main__")
EVERYWHERE = ("version", "base")


def room(module: str) -> str:
    """The room that a module belongs to; "" for `sebench` itself."""
    path = "/".join(module.split(".")[1:])
    if path in ROOMS or path in EVERYTHING or path in EVERYWHERE:
        return path
    return path.rpartition("/")[0]


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
    graph = {}
    for file in ROOT.rglob("*.py"):
        name = ".".join(("sebench", *file.relative_to(ROOT).with_suffix("").parts)).removesuffix(".__init__")
        graph[name] = set(imports(file)) - {name}
    return graph


def test_every_room_imports_what_it_says_and_nothing_else() -> None:
    reached: dict[str, set[str]] = {name: set() for name in ROOMS}
    for module, targets in arrows().items():
        if room(module) in ROOMS:
            reached[room(module)] |= {room(target) or PUBLIC for target in targets} - {room(module), *EVERYWHERE}
    assert {name: sorted(rooms) for name, rooms in reached.items()} == {
        name: sorted(rooms.split()) for name, rooms in ROOMS.items()
    }


def test_the_base_imports_nothing_above_it() -> None:
    targets = {room(target) for module, targets in arrows().items() if room(module) in EVERYWHERE for target in targets}
    assert targets <= set(EVERYWHERE)


def test_rooms_stand_above_what_they_import() -> None:
    # CycleError names one
    list(TopologicalSorter({name: rooms.split() for name, rooms in ROOMS.items()}).static_order())


def test_there_is_no_cycle() -> None:
    graph = {module: targets - {"sebench"} for module, targets in arrows().items() if module != "sebench"}
    list(TopologicalSorter(graph).static_order())


def test_every_module_has_its_room() -> None:
    rooms = {room(module) for module in arrows()}
    assert rooms - {*EVERYTHING, *EVERYWHERE} <= ROOMS.keys()
    assert not [
        module for module, targets in arrows().items() if room(module) != "cli" and "sebench.cli" in targets
    ] or ({module for module, targets in arrows().items() if "sebench.cli" in targets} <= {"sebench.__main__"})


def test_frameworks_use_the_public_api_alone_and_nothing_uses_them() -> None:
    theirs = "interop/frameworks"
    assert {word for name, words in ROOMS.items() if name.startswith(theirs) for word in words.split()} <= {
        PUBLIC,
        theirs,
    }
    for file in (ROOT.parents[1] / "environments").glob("*/*.py"):  # packages of their own
        assert {room(target) for target in imports(file)} <= {"", theirs}, file
    users = [module for module, targets in arrows().items() if any(room(t).startswith(theirs) for t in targets)]
    assert all(room(module).startswith(theirs) for module in users)
