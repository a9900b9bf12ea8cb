"""A world is written completely or not at all, is the same every time, and is refused if it is damaged."""

from __future__ import annotations

import json
import pickle
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from sebench.base.errors import ConfigError, ForgeError, WorldError
from sebench.cli import cli
from sebench.forge.docs import pages
from sebench.forge.package.package import resolve
from sebench.judge.judge import judge_for
from sebench.world.build import Slice
from sebench.world.manifest import FORMAT, MANIFEST
from sebench.world.world import World, worlds
from tests.conftest import BUILDERS, PACKAGE


def contents(folder: Path) -> dict[str, bytes]:
    files = (f for f in sorted(folder.rglob("*")) if f.is_file() and f.suffix != ".pyc")
    return {str(f.relative_to(folder)): f.read_bytes() for f in files}


BUILD = """
import sys
from pathlib import Path
from sebench.world.build import Slice
from sebench.world.world import World
World.build(2, Path(sys.argv[1]), part=Slice(functions=12))
print(*(name for name in sys.modules if name.startswith("sebench.")))
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """The small world, built in another process; and the modules of sebench that it imported."""
    out = tmp_path_factory.mktemp("built") / "again"
    environment = {"PYTHONHASHSEED": "12345", "PYTHONPATH": str(PACKAGE.parent)}
    done = subprocess.run([sys.executable, "-c", BUILD, str(out)], check=True, capture_output=True, env=environment)
    return out, done.stdout.decode().split()


def test_the_same_seed_gives_the_same_bytes_in_another_process(small: World, built: tuple[Path, list[str]]) -> None:
    assert contents(built[0]) == contents(small.path)


def test_worlds_that_tests_keep_are_built_again_when_their_builders_change(built: tuple[Path, list[str]]) -> None:
    folders = {name.split(".")[1] for name in built[1] if not (PACKAGE / f"{name.split('.')[1]}.py").is_file()}
    assert folders == set(BUILDERS)


def test_another_seed_gives_another_library(world: World, published: World) -> None:
    assert world.manifest.fingerprint != published.manifest.fingerprint
    assert world.manifest.canary != published.manifest.canary


def test_a_failing_build_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*args: object) -> None:
        raise ForgeError("no page today")

    monkeypatch.setattr(pages, "write_pages", fail)
    with pytest.raises(ForgeError, match="no page today"):
        World.build(3, tmp_path / "new" / "3")
    assert list((tmp_path / "new").iterdir()) == []


def test_an_existing_folder_is_not_touched(tmp_path: Path) -> None:
    (tmp_path / "keep.txt").write_text("mine")
    with pytest.raises(ConfigError, match="already exists"):
        World.build(3, tmp_path)
    assert contents(tmp_path) == {"keep.txt": b"mine"}


def test_building_the_same_world_again_keeps_it_and_another_one_is_refused(tmp_path: Path, small: World) -> None:
    was = contents(small.path)
    part = Slice(functions=len(small.names.functions))
    assert World.build(small.manifest.seed, small.path, part=part).manifest == small.manifest
    again = ["build", "--seed", str(small.manifest.seed), "--functions", str(part.functions), "--out", str(small.path)]
    done = CliRunner().invoke(cli, again)
    assert done.exit_code == 0 and "is already this world" in done.output and done.output.count("\n") == 1
    for seed, other in ((small.manifest.seed + 1, {}), (small.manifest.seed, {"split": "fixed"})):
        with pytest.raises(ConfigError, match="already exists"):
            World.build(seed, small.path, part=part, **other)
    assert contents(small.path) == was
    shutil.copytree(small.path, tmp_path / "damaged")
    (tmp_path / "damaged" / "docs" / "api.md").write_text("changed")
    with pytest.raises(ConfigError, match="already exists"):
        World.build(small.manifest.seed, tmp_path / "damaged", part=part)


@pytest.mark.parametrize("name", ["json", "numpy", "class", "two words", "_hidden", "1st"])
def test_an_unusable_package_name_is_refused_before_anything_is_written(name: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=name):
        World.build(3, tmp_path / "3", name=name)
    assert list(tmp_path.iterdir()) == []


def test_two_worlds_live_side_by_side(world: World, published: World) -> None:
    with world.library() as one, published.library() as other:
        x = resolve(one, world.names.functions["array"])([1, 2])
        y = resolve(other, published.names.functions["array"])([3, 4])
        assert type(x) is not type(y)
        assert (x + [1, 1]).tolist() == [2, 3]
        assert (y + list(x)).tolist() == [4, 6]
        assert pickle.loads(pickle.dumps(x)).tolist() == [1, 2]
        assert pickle.loads(pickle.dumps(y)).tolist() == [3, 4]


def test_importing_leaves_no_trace_in_the_world_or_in_the_module_table(world: World) -> None:
    before, modules = contents(world.path), dict(sys.modules)
    with world.library() as library:
        assert sys.modules[world.names.package] is library
    assert contents(world.path) == before
    assert sys.modules == modules


def test_the_package_is_imported_straight_from_the_world(world: World) -> None:
    module = world.names.modules["linalg"]
    det = world.names.functions["linalg.det"].rpartition(".")[2]
    script = f"from {world.names.package}.{module} import {det}; print({det}([[2.0, 0.0], [0.0, 3.0]]))"
    env = {"PYTHONPATH": str(world.package_folder), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=env)
    assert (done.stdout, done.stderr) == ("6.0\n", "")


def test_the_package_installs_with_pip(world: World, tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    for relative, data in contents(world.package_folder).items():  # pip builds in place and leaves things there
        (source / relative).parent.mkdir(parents=True, exist_ok=True)
        (source / relative).write_bytes(data)
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation", "--target"]
    subprocess.run([*pip, str(tmp_path / "site"), str(source)], check=True, capture_output=True)
    script = f"import {world.names.package} as m; print(m.{world.names.functions['sum']}([1, 2, 3]))"
    env = {"PYTHONPATH": str(tmp_path / "site")}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=env)
    assert done.stdout == "6\n"


def damaged(world: World, folder: Path) -> Path:
    copy = folder / "copy"
    for relative, data in contents(world.path).items():
        (copy / relative).parent.mkdir(parents=True, exist_ok=True)
        (copy / relative).write_bytes(data)
    return copy


def edit(file: str, change: Callable[[str], str]) -> Callable[[Path], None]:
    def apply(path: Path) -> None:
        (path / file).write_text(change((path / file).read_text()))

    return apply


def edit_manifest(**changes: object) -> Callable[[Path], None]:
    return edit(MANIFEST, lambda text: json.dumps({**json.loads(text), **changes}))


DAMAGE: dict[str, tuple[Callable[[Path], None], str]] = {
    "page changed": (edit("docs/api.jsonl", lambda t: t.replace("array", "aray", 1)), "docs/api.jsonl was changed"),
    "page missing": (lambda p: (p / "docs/api.md").unlink(), "docs/api.md is missing"),
    "manifest torn": (edit(MANIFEST, lambda t: t[: len(t) // 2]), "cannot be read"),
    "manifest no object": (edit(MANIFEST, lambda t: "[]"), "cannot be read"),
    "manifest key missing": (edit(MANIFEST, lambda t: f'{{"format": {FORMAT}}}'), "cannot be read"),
    "seed changed": (edit_manifest(seed=99), "world.json was changed"),
    "other version": (edit_manifest(format=FORMAT + 1), f"format {FORMAT + 1}"),
    "no world": (lambda p: (p / MANIFEST).unlink(), "is not a world"),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_a_damaged_world_is_one_clear_line(name: str, world: World, tmp_path: Path) -> None:
    apply, expected = DAMAGE[name]
    copy = damaged(world, tmp_path)
    apply(copy)
    with pytest.raises(WorldError) as caught:
        World.load(copy)
    assert expected in str(caught.value)
    assert str(copy) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_pages_are_found_by_forged_and_by_original_name(world: World) -> None:
    forged = world.names.functions["linalg.solve"]
    for asked in (
        forged,
        forged.rpartition(".")[2],
        f"{world.names.package}.{forged}",
        "linalg.solve",
        "np.linalg.solve",
    ):
        assert world.page(asked).path == forged
    with pytest.raises(ConfigError, match="no function 'nonsense'"):
        world.page("nonsense")


def test_functions_that_share_a_bare_name_are_told_apart(published: World) -> None:
    assert published.page("cross").path != published.page("linalg.cross").path


def test_worlds_in_a_folder_are_listed_with_what_is_wrong(world: World, tmp_path: Path) -> None:
    good = damaged(world, tmp_path)
    bad = tmp_path / "bad"
    bad.mkdir()
    (bad / MANIFEST).write_text("{")
    found = dict(worlds(tmp_path))
    assert isinstance(found[bad], WorldError)
    assert found[good] == world.manifest


def test_a_world_is_opened_by_seed_or_folder_and_built_once(
    small: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SEBENCH_WORLDS", str(tmp_path))
    built: list[int] = []

    def build(seed: int, out: Path, **_: object) -> World:
        built.append(seed)
        shutil.copytree(small.path, out)
        if seed == 3:  # another process was faster
            raise ConfigError("it is there already")
        return World.load(out)

    monkeypatch.setattr(World, "build", build)
    for asked in (2, "2", tmp_path / "2", 3, World.load(small.path)):
        assert World.open(asked).manifest == small.manifest
    assert built == [2, 3]
    with pytest.raises(WorldError, match="nothing does not exist"):
        World.open(tmp_path / "nothing")


def test_worlds_that_have_no_place_are_one_line_about_the_variable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("SEBENCH_WORLDS", str(tmp_path / "file" / "worlds"))
    with pytest.raises(
        ConfigError, match=r"worlds/7 cannot be written: .*; choose another folder for worlds \(\$SEBENCH_"
    ):
        World.open(7)


def test_a_misspelt_world_gets_the_name_of_the_one_beside_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("small", "other", "1001"):
        (tmp_path / "worlds" / name).mkdir(parents=True)
        (tmp_path / "worlds" / name / MANIFEST).touch()
    (tmp_path / "worlds" / "smalk").mkdir()  # not a world
    monkeypatch.chdir(tmp_path)
    for near in (Path("worlds/smal"), Path("worlds/smalk"), Path("worlds/samll")):
        with pytest.raises(WorldError, match=r"; did you mean worlds/small\?$"):
            World.open(near)
    for far in (Path("worlds/1002"), Path("worlds/quite different"), Path("wrolds/small")):
        with pytest.raises(WorldError, match="give the seed or the folder of a world, or build one with"):
            World.open(far)
    with pytest.raises(WorldError, match=r"^\./7 does not exist; "):
        World.open("./7")
    monkeypatch.chdir("worlds")
    with pytest.raises(WorldError, match=r"did you mean small\?"):
        World.open("smal")


def test_a_process_shares_one_judge_for_a_world(small: World) -> None:
    assert judge_for(small) is judge_for(str(small.path)) is not judge_for(small, workers=1)
    task = small.tasks("train")[0]
    assert judge_for(small).judge(task.id, task.gold).targeted
    with pytest.raises(ConfigError, match="no task 'nothing'"):
        judge_for(small).judge("nothing", "")
