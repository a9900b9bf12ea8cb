"""Options and arguments that several commands share, defined once so that each has the same meaning everywhere.

A world is the first argument of every command that needs one, by its folder or its seed.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from contextlib import suppress
from dataclasses import Field, fields
from pathlib import Path
from typing import Any

import click

from sebench.base.errors import ConfigError
from sebench.base.files import kind_of
from sebench.base.wording import did_you_mean
from sebench.cli import display
from sebench.cli.strict import StrictCommand
from sebench.forge.catalog import backend
from sebench.memory.folder import Memory
from sebench.release import recipe
from sebench.values.equality import Profile
from sebench.world.prompts import BOOKS
from sebench.world.world import World, folder_of

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON on stdout instead of tables.")
require_isolation = click.option(
    "--require-isolation", is_flag=True, help="Refuse to judge if an isolation layer is missing."
)
profile = click.option(
    "--profile",
    type=click.Choice([str(p) for p in Profile]),
    default=str(Profile.STRICT),
    show_default=True,
    help="How values are compared: strict, or paper for the published tolerances.",
)
book = click.option(
    "--book",
    type=click.Choice(BOOKS),
    default="closed",
    show_default=True,
    help="Documentation setting of lines that do not name one.",
)


base_url = click.option(
    "--base-url", multiple=True, help="Address of an OpenAI-compatible endpoint; repeat it for replicas."
)
key_env = click.option(
    "--key-env", default="OPENAI_API_KEY", show_default=True, help="Environment variable that contains the key."
)


world_argument = click.argument("world")
optional_world = click.argument("world", required=False)


def renamed(old: str, new: str) -> Decorator:
    """Add the old name of a renamed flag; using it is an error that names the new one."""

    def refuse(context: click.Context, parameter: click.Parameter, value: str | None) -> None:
        if value is not None:
            raise click.UsageError(f"{old} is now {new}; use {new} {value}")

    return click.option(old, hidden=True, expose_value=False, callback=refuse)


def out_folder(help: str, required: bool = False) -> Decorator:
    """Add --out, the folder or file to write."""
    return click.option("--out", type=click.Path(path_type=Path), required=required, help=help)


def dry_run(printed: str) -> Decorator:
    """Add --dry-run; `printed` says what it prints."""
    return click.option("--dry-run", is_flag=True, help=f"Only print {printed}; nothing is kept or started.")


def seed(help: str, default: int = 0) -> Decorator:
    """Add --seed, the random seed."""
    return click.option("--seed", type=int, default=default, show_default=True, help=help)


class Method(click.Choice):  # type: ignore[type-arg]  # click 8.1 has no type arguments here
    """The argument METHOD. For a misspelt or shortened one, the error names the methods that may be meant."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        longer = ", ".join(name for name in self.choices if value in name.split("-"))
        near = did_you_mean(value, self.choices, longer and f"did you mean {longer}?")
        if value not in self.choices and near:
            self.fail(f"there is no method '{value}'; {near}", param, ctx)
        return super().convert(value, param, ctx)


class Setting(click.Option):
    """An option under a heading."""

    def __init__(self, *arguments: Any, heading: str, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self.heading = heading


class SettingsCommand(StrictCommand):
    """A command with many options: its help shows them under headings, those without a heading first."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        by_heading: dict[str, list[tuple[str, str]]] = {"Options": []}
        for parameter in self.get_params(ctx):
            if isinstance(parameter, click.Option) and (record := parameter.get_help_record(ctx)):
                by_heading.setdefault(getattr(parameter, "heading", "") or "Options", []).append(record)
        for heading, records in by_heading.items():
            with formatter.section(heading):
                formatter.write_dl(records)


def settings_of(config: type[Any]) -> Decorator:
    """Add an option for every setting of a configuration, named as in TOML files; an option that is not used leaves the
    file's value."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        heading, options = "", []
        for setting in fields(config):
            heading = setting.metadata["heading"] or heading
            options.append(_setting(setting, heading))
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


def _setting(setting: Field[Any], heading: str) -> Decorator:
    default: Any = setting.default
    name = setting.name.replace("_", "-")
    many, flag = isinstance(default, tuple), isinstance(default, bool)
    default_text = ",".join(default) if many else (name if default else f"no-{name}") if flag else str(default)
    return click.option(
        f"--{name}/--no-{name}" if flag else f"--{name}",
        setting.name,
        cls=Setting,
        heading=heading,
        type=str if many else type(default),
        multiple=many,
        default=None if not many else (),
        help=setting.metadata["help"] + (f"  [default: {default_text}]" if default_text else ""),
    )


def explicit(options: dict[str, Any]) -> dict[str, Any]:
    """Return the options that were set on the command line."""
    return {key: value for key, value in options.items() if value not in (None, ())}


def open_world(world: str, build: bool = True) -> World:
    """Open the world with this folder or seed; for a seed, build the world if it does not exist yet, or raise an error
    if `build` is false."""
    if not build and world.isdecimal() and not folder_of(world).is_dir():
        raise ConfigError(
            f"world {world} is not built yet, and --dry-run builds nothing; run 'sebench build --seed {world}' first"
        )
    try:
        with display.progress(f"world {world}") as report:
            opened = World.open(world, report)
    except KeyboardInterrupt:
        raise click.Abort(f"nothing of world {world} was kept; run the same command again") from None
    if opened.manifest.numpy != backend.VERSION:
        display.note(
            f"world {world} was built with NumPy {opened.manifest.numpy}, but this is NumPy {backend.VERSION}; "
            "results may differ in the last digits"
        )
    return opened


def refuse_memory_of_another(memory: Memory, world: str) -> None:
    """Raise an error if a memory cannot be for a world that would have to be built. This is known only if the world of
    the memory is on this machine."""
    if not world.isdecimal() or folder_of(world).is_dir():
        return
    own = recipe.find_local(memory.about.world, memory.path)
    if own and not recipe.may_be_seeds_own(own.manifest, int(world)):
        raise ConfigError(
            f"memory {memory.path} belongs to another world ({own.path}), not to {world}; create one for this world "
            "with 'sebench memory'"
        )


def world_folders(worlds: str) -> dict[str, Path]:
    """Return the folder of each world in a comma-separated list of seeds and folders, such as 7,8,worlds/mine."""
    names = [name.strip() for name in worlds.split(",") if name.strip()]
    if len(set(names)) < len(names) or not names:
        raise ConfigError(f"world {worlds!r}: give a seed or a folder, or several separated by commas, each only once")
    folders: dict[Path, str] = {}
    for name in names:
        if (same := folders.setdefault(folder_of(name), name)) != name:
            raise ConfigError(f"world {worlds!r}: {same} and {name} are the same world; remove one")
    return {name: path for path, name in folders.items()}


def open_worlds(worlds: Iterable[str]) -> list[World]:
    """Open these worlds; those given by seed are built if they do not exist yet."""
    names = list(worlds)
    folders_first = sorted(names, key=str.isdecimal)  # since they may not exist
    opened = {name: open_world(name) for name in folders_first}
    return [opened[name] for name in names]


def refuse_unreadable(file: Path, what: str) -> None:
    """Raise an error if a file cannot be read, before a world is built."""
    try:
        file.open("rb").close()
    except OSError as error:
        raise ConfigError(f"{what} {file} cannot be read: {error.strerror}") from None


def refuse_kinds(out: Path, what: str, *allowed: str, files: Collection[str] = ()) -> None:
    """Raise an error if a folder for `what` is a folder of sebench of another kind than those `allowed`, or contains
    none of the `files` of its kind but others, which would be mixed with the new ones or replaced."""
    if (kind := kind_of(out)) and kind not in allowed:
        raise ConfigError(f"--out {out} is {kind}; choose another folder for the {what}")
    names = set[str]()
    with suppress(OSError):  # writing to such a folder is the error to report
        names = {path.name for path in out.iterdir()} if files and out.is_dir() else names
    if any(not name.startswith(".") for name in names) and names.isdisjoint(files):
        raise ConfigError(f"{out} contains files but no {what}; choose another --out")


def refuse_existing(out: Path, flag: str = "--out") -> None:
    """Raise an error if a folder already exists."""
    if out.exists():
        raise ConfigError(f"{out} already exists; choose another {flag} or remove it")
