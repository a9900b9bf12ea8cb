"""`sebench run`: from a model to a report."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from sebench import report
from sebench.base import resume
from sebench.base.errors import ConfigError, ProviderError, first_problem
from sebench.base.files import RUNS, new_folder
from sebench.base.records import REFUSED, RELEASED
from sebench.base.settings import read_file
from sebench.base.wording import counted
from sebench.cli import display, engines, options, writers
from sebench.memory.folder import Memory
from sebench.models.calls import Price, Spent
from sebench.release import recipe
from sebench.release.model import ReleasedEngine
from sebench.report.views import files, html, tables
from sebench.rollout import describe, models, pipeline
from sebench.rollout.config import RunConfig
from sebench.rollout.engine import Engine
from sebench.rollout.protocol import PROTOCOLS, Protocol, run_config
from sebench.rollout.store import MANIFEST, Run, finished_work, has_responses, remove_if_empty
from sebench.tasks import splits
from sebench.world.manifest import read as read_manifest
from sebench.world.prompts import check_templates
from sebench.world.world import World, worlds_folder

DEFAULT_WORLD = "7"
HEADERS = {  # of columns whose names say it less clearly
    "most_completion_tokens": "maximum completion tokens",
    "estimated_most_cost": "maximum cost (estimated)",
}


@click.command(cls=options.SettingsCommand)
@options.optional_world
@options.out_folder(
    "Folder for the run; with several worlds, the folder that contains their runs.  [default: runs/MODEL-WORLD]"
)
@click.option("--config", "config_file", type=click.Path(path_type=Path), help="TOML file with the settings below.")
@options.dry_run("what would be requested, with the maximum cost")
@writers.price
@click.option(
    "--no-judge",
    is_flag=True,
    help="Only collect responses; the same command without this flag judges them, even on a machine without the model.",
)
@options.require_isolation
@engines.backend_options
@options.as_json
@click.option(
    "--protocol",
    "protocol_name",
    type=click.Choice([*PROTOCOLS]),
    help=(
        "Use the settings and worlds of this protocol, so that scores can be compared (docs/protocol.md). WORLD is "
        "then optional, and may name other worlds of the same forging level."
    ),
)
@options.settings_of(RunConfig)
def command(
    world: str | None,
    out: Path | None,
    config_file: Path | None,
    dry_run: bool,
    prices: tuple[str, ...],
    no_judge: bool,
    require_isolation: bool,
    engine: Engine | None,
    as_json: bool,
    protocol_name: str | None,
    **flags: Any,
) -> None:
    """Roll out a model on WORLD without and with the documentation (closed and open book), judge the responses, and
    report.

    WORLD is a seed or a folder, or several separated by commas: 7,8,9 is one experiment on three worlds, reported
    together. If WORLD is left out, --model is required; WORLD is then 7, or with --protocol, that protocol's worlds.

    Repeat the same command to continue an interrupted run. With more --samples, a larger --limit, or additional entries
    in --split or --book (listing the old ones too: --book closed,open,native) it extends a finished run.
    """
    chosen = {**read_file(RunConfig, config_file), **options.explicit(flags)}
    rules = PROTOCOLS[protocol_name] if protocol_name else None
    if world is None and "model" not in chosen:
        what, words = ("a model", f"--protocol {protocol_name}") if rules else ("a world and a model", "7")
        raise click.UsageError(f"give {what}, as in 'sebench run {words} --model MODEL'")
    if "model" not in chosen and chosen.get("base_url"):
        raise click.UsageError("give the name of the model at the endpoint: --model MODEL")
    config = run_config(rules, chosen) if rules else RunConfig(**chosen)
    price = writers.parse_prices(prices, [config.model])
    if not config.model.strip():
        raise ConfigError(f"--model {config.model!r} is empty; name a model")
    if world is None:
        world = ",".join(map(str, _protocol_worlds(rules))) if rules else DEFAULT_WORLD
        display.note(f"no WORLD given, so it is {world}; the model is {config.model}")
    config.compared()  # reads the files that settings name
    check_templates(config.prompts)
    if config.samples > 1 and config.temperature == 0:
        display.note(f"--samples {config.samples} at temperature 0 repeats the same answers; set --temperature above 0")
    if config.memory:
        _refuse_memory(config.memory, world)
    if config.model.startswith(RELEASED):
        if engine is not None:
            raise ConfigError(f"--model {config.model} takes its answers from a release; remove --backend")
        engine = ReleasedEngine(config, display.note)
    folders = options.world_folders(world)
    outs = {path: _folder(config, path, out, several=len(folders) > 1) for path in folders.values()}
    if engine is None and not any(place.exists() for place in outs.values()):
        # a run with all responses can be judged on a machine without the model
        (models.check_name if dry_run else models.check)(config)
    missing = _missing(folders, rules, config) if dry_run else {}
    if rules:
        _build_worlds(rules, [path for path in folders.values() if path not in missing.values()])
    worlds = options.open_worlds(name for name in folders if name not in missing)
    if rules and (other := next((one for one in worlds if one.names.level != rules.level), None)):
        raise ConfigError(
            f"--protocol {rules.name}: world {other.path} was built with --forge {other.names.level} instead of "
            f"{rules.level}; leave out WORLD for the protocol's own worlds, or build others with --forge {rules.level}"
        )
    for folder in outs.values():
        options.refuse_kinds(folder, "run", "a run")
        resume.refuse_foreign(folder, MANIFEST, "")
    if out is not None and len(outs) > 1:
        options.refuse_kinds(out, "runs", RUNS)
        report.refuse_other_files(out)
    if dry_run:
        _dry_run(config, {one.path: one for one in worlds}, outs, price, as_json)
        return
    for one in worlds if not config.base_url else ():
        if elsewhere := describe.trained_elsewhere(config.model, one):
            display.note(elsewhere)
    runs = [
        _run(config, one, folder, judged=not no_judge, require_isolation=require_isolation, engine=engine)
        for one, folder in zip(worlds, outs.values(), strict=True)
    ]
    if no_judge:
        for run in runs:
            click.echo(f"{run.path}: responses are stored; repeat the command without --no-judge to judge them")
    else:
        where = runs[0].path if len(runs) == 1 else (out or Path("runs") / f"{_label(config)}-worlds")
        written = report.write(runs, where)
        if as_json:
            click.echo(files.as_json(written), nl=False)
        else:
            tables.show(written, display.stdout)
            click.echo(str(where / html.FILE))
    if price and not as_json:
        spent = [Spent.of_answers(row.rollout for row in run.rows()) for run in runs]  # including earlier sessions
        for run, of_run in zip(runs, spent, strict=True):
            click.echo(f"{run.path}: {writers.describe(of_run, [config.model], price)}")
        if len(runs) > 1:
            total = sum(spent, Spent())
            click.echo(f"total for {len(runs)} worlds: {writers.describe(total, [config.model], price)}")
    if any(row.rollout.error for run in runs for row in run.rows()):
        raise _failure(runs, "the scores leave out")


def _dry_run(
    config: RunConfig,
    worlds: Mapping[Path, World],
    outs: Mapping[Path, Path],
    price: Mapping[str, Price],
    as_json: bool,
) -> None:
    """Print what a run would send in each world and, with several worlds, in total: as a table, or as JSON objects that
    also contain every setting."""
    sizes: dict[Path, dict[str, Any]] = {}
    for path, folder in outs.items():
        answered = finished_work(folder).answered
        world = worlds.get(path)
        plan = pipeline.plan(config, world) if world else None
        pipeline.check_folder(config, world, plan, folder)
        if plan:
            expected = pipeline.estimate(config, plan, answered)
            present = plan.requests - sum(1 for _ in plan.unanswered(answered))
        else:
            expected, present = _estimate_unbuilt(config, path, len(answered))
        size = {**asdict(expected), "answered_already": present}
        tokens = Spent(expected.requests, expected.prompt_tokens, expected.most_completion_tokens)
        if (cost := writers.cost_of(tokens, [config.model], price)) is not None:
            size["estimated_most_cost"] = round(cost, 4)
        sizes[path] = size
    columns = list(next(iter(sizes.values())))
    total = {key: round(sum(size[key] for size in sizes.values()), 4) for key in columns} if len(sizes) > 1 else {}
    if as_json:
        for path, size in sizes.items():
            about = {"out": str(outs[path]), "world": str(path), **config.compared(), **size}
            click.echo(json.dumps(about, indent=1))
        if total:
            click.echo(json.dumps({"total": {"worlds": len(sizes), **total}}, indent=1))
        return
    rows = [(path.name, str(outs[path]), *map(str, size.values())) for path, size in sizes.items()]
    rows += [("total", "", *map(str, total.values()))] if total else []
    head = ("world", "out", *(HEADERS.get(name, name.replace("_", " ")) for name in columns))
    title = f"What {config.model} would be asked"
    tables.print_table(tables.TextTable(title, 2, head, tuple(rows), (["out"],)), display.stdout)
    click.echo(f"settings: {_describe(config)}; --json prints all of them")


def _describe(config: RunConfig) -> str:
    """Describe the main settings, and all others that differ from the default."""
    usual = RunConfig().compared()
    main = ("split", "book", "samples", "temperature", "max_tokens")
    settings = {key: value for key, value in config.compared().items() if key in main or value != usual.get(key)}
    settings.pop("model", None)  # the title names it
    texts = {key: ",".join(map(str, value)) if isinstance(value, list) else value for key, value in settings.items()}
    return ", ".join(f"{key.replace('_', ' ')} {value}" for key, value in texts.items())


def _protocol_worlds(rules: Protocol) -> list[Path]:
    """Return the folders of the worlds of the protocol's public round."""
    return [worlds_folder() / f"{rules.name}-{seed}" for seed in rules.worlds]


def _missing(folders: Mapping[str, Path], rules: Protocol | None, config: RunConfig) -> dict[str, Path]:
    """Return the worlds that the run would build, by name; raise an error if their size cannot be estimated."""
    public = dict(zip(_protocol_worlds(rules), rules.worlds.values(), strict=True)) if rules else {}
    buildable = {name: path for name, path in folders.items() if name.isdecimal() or path in public}
    missing = {
        name: path
        for name, path in buildable.items()
        if not path.is_dir() and not (path in public and recipe.find_local(public[path]))
    }
    needs = {
        f"--tasks {config.tasks}": config.tasks,
        f"--memory {config.memory}": config.memory,
        f"--changelog {config.changelog}": config.changelog,
        f"--split {splits.BOUNDARY_TEST}": splits.BOUNDARY_TEST in config.split,
    }
    if missing and (why := first_problem(needs)):
        raise ConfigError(
            f"world {min(missing)} is not built yet, and --dry-run builds nothing, but {why} needs a built world; see "
            "'sebench build'"
        )
    return missing


def _estimate_unbuilt(config: RunConfig, path: Path, answered: int) -> tuple[pipeline.Estimate, int]:
    """Estimate what a run would send in a world with all functions that is not built yet, and how many answers it has
    already."""
    from sebench.experiment.estimate import SamplingLoad, evaluation
    from sebench.experiment.sizes import NOT_BUILT, WorldSizes

    display.note(f"world {path} {NOT_BUILT}")
    world = WorldSizes(None)
    load = sum(evaluation(config, world), SamplingLoad())
    tasks = sum(world.tasks(split, config.limit) for split in config.split)
    present = min(answered, load.answers)
    left = 1 - present / max(1, load.answers)
    rest = (round(one * left) for one in (load.requests, load.prompt_tokens, load.most_tokens))
    return pipeline.Estimate(tasks, *rest), present


def _build_worlds(rules: Protocol, folders: Sequence[Path]) -> None:
    """Build the worlds of the public round that are in `folders` and missing; raise an error if one of them has the
    wrong fingerprint."""
    for path, (seed, fingerprint) in zip(_protocol_worlds(rules), rules.worlds.items(), strict=True):
        if path not in folders:
            continue
        if not path.is_dir() and (local := recipe.find_local(fingerprint)):  # built by the tour or to verify a release
            with new_folder(path) as folder:
                shutil.copytree(local.path, folder, dirs_exist_ok=True)
        elif not path.is_dir():
            with display.progress(f"world {seed} of protocol {rules.name}") as bar:
                World.build(seed, path, level=rules.level, progress=bar)
        if (actual := read_manifest(path).fingerprint) != fingerprint:
            raise ConfigError(
                f"world {path} is not the one of protocol {rules.name}: its fingerprint is {actual[:12]} instead of "
                f"{fingerprint[:12]}; remove it and use the versions of sebench and NumPy in docs/protocol.md"
            )


def _refuse_memory(folder: str, worlds: str) -> None:
    """Raise an error for a memory that cannot be used, before a world is built for it."""
    memory = Memory.load(Path(folder))
    if not memory.size_tokens:
        raise ConfigError(f"--memory {folder} is empty; write it again with another model or method and another --out")
    if len(worlds.strip(", ").split(",")) > 1:
        raise ConfigError(f"--memory {folder} is for one world, not for several ({worlds}); run them one by one")
    options.refuse_memory_of_another(memory, worlds.strip(", "))


def _label(config: RunConfig) -> str:
    if config.model.startswith(RELEASED):
        return f"release-{Path(config.model.removeprefix(RELEASED)).name}"
    return Path(config.model).name.replace(":", "-")


def _folder(config: RunConfig, world: Path, out: Path | None, *, several: bool) -> Path:
    if out is None:
        return Path("runs") / f"{_label(config)}-{world.name}"
    return out / world.name if several else out


def _run(
    config: RunConfig, world: World, out: Path, *, judged: bool, require_isolation: bool, engine: Engine | None
) -> Run:
    with display.progress(f"{config.model} on {world.names.package}", at_once=True) as bar:
        run = pipeline.run(
            config,
            world,
            out,
            judged=judged,
            require_isolation=require_isolation,
            engine=engine,
            progress=bar,
        )
    if not has_responses(out):
        error = _failure([run], "no response came:")
        remove_if_empty(out)
        raise error
    return run


def _failure(runs: list[Run], what: str) -> ProviderError:
    """Return an error about the responses that the provider failed to return."""
    failed = [row.rollout for run in runs for row in run.rows() if row.rollout.error]
    retry = "run the same command again to retry"
    if all(run.manifest.config["model"].startswith(RELEASED) for run in runs):
        answers = counted(len(failed), "answer")
        return ProviderError(f"{what} {answers} that the release lacks; ask only for those that it has")
    if all(rollout.finish == REFUSED for rollout in failed):
        retry = "the server refuses these prompts, so another attempt is unlikely to help"
    return ProviderError(f"{what} {counted(len(failed), 'failed request')} (last error: {failed[-1].error}); {retry}")
