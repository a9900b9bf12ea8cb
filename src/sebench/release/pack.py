"""Packages runs or an experiment as a release.

    pack.make([Path("runs/m-7")], Path("releases/m-7"), ReleaseOptions(models=["M"], regimes=["closed-sft"]))

Only finished work is released: every answer must have a verdict or a provider's fault, and every row of an experiment
(one method in one world) must be done. Only the fields and files listed here are taken from the folders, and they are
cleaned (`clean.py`); prompts are left out, since the world and the settings reproduce them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sebench import report
from sebench.base import files, ledger
from sebench.base.errors import ConfigError
from sebench.base.records import Rollout
from sebench.base.wording import counted
from sebench.release import clean, fields, folder, recipe
from sebench.release.clean import Labels
from sebench.release.fields import EXPERIMENT, RUN
from sebench.release.folder import Release, ReleasedRun, ReleasedWorld
from sebench.report.numbers import experiment as experiment_report
from sebench.report.numbers import stream as stream_report
from sebench.report.numbers.build import Report
from sebench.report.views import experiment_files, formats, stream_files, training_files
from sebench.rollout import describe
from sebench.rollout.store import MANIFEST, Run, run_folders
from sebench.version import __version__
from sebench.world import manifest
from sebench.world.world import World

# Fields of a task that come with the world and are kept away from crawlers.
LEFT_TO_THE_WORLD = ("question", "gold", "cases")
NO_RESPONSE = "no response"  # replaces the provider's message, which may name machines
REPORT, TEXT, STREAM_TEXT = "report.json", "report.md", f"{stream_files.STEM}.md"
# Parts of a run's report that are large and can be recomputed from the answers.
DETAILS = ("functions", "confusions", "invented")
DETAILED_CELLS = ("subject", "composed", "needed", "statements", "options", "difficulty")  # likewise, in a run's cells
OF_MODELS = (describe.LEARN, describe.LOG, "probes.jsonl", "validation.jsonl")
README = """# {name}

{what} of SE-Bench, released with sebench {version}; its `docs/releases.md` explains releases.

| file | content |
|---|---|
| `release.json` | settings, versions, fingerprints of the worlds |
| `answers.jsonl.xz` | {answers:,} responses with their verdicts |
| `tasks.jsonl.xz` | what a report needs to know about the tasks |
| `{report}` | the results |
| `SHA256SUMS` | checksums of all files |

To check it, with sebench {version}:

    sebench verify .

This compares the checksums, builds the world{plural} ({worlds}) or opens {pronoun}, judges every answer again, and \
compares verdict by verdict.
"""


@dataclass(frozen=True)
class ReleaseOptions:
    """Facts that the runs themselves do not record. `models` and `regimes` may be empty, or have one entry for all runs
    or one entry for each run."""

    name: str = ""  # name of the release; by default that of its folder
    models: Sequence[str] = ()  # names for models that a run knows only by path
    regimes: Sequence[str] = ()  # how the model learned the library
    worlds: Sequence[str] = ()  # folders or seeds


@dataclass(frozen=True)
class SourceRun:
    """A run that is being released."""

    place: str  # its folder in the unpacked release
    run: Run
    model: str  # its name in the release
    regime: str = ""
    training_tokens: int | None = None


def make(
    sources: Sequence[Path],
    out: Path,
    options: ReleaseOptions | None = None,
    note: Callable[[str], None] = lambda text: None,
) -> Release:
    """Write the release to the new folder `out`; a failure leaves nothing there. `sources`: runs, or one experiment.
    `note` receives a line for every run whose model is named after a folder."""
    options = options or ReleaseOptions()
    if out.exists():
        raise ConfigError(f"{out} already exists; choose another --out or remove it")
    source = sources[0]
    experiments = [one for one in sources if (one / experiment_report.EXPERIMENT).is_file()]
    if experiments and len(sources) > 1:
        raise ConfigError(f"{experiments[0]} is an experiment, which must be released on its own; leave out the others")
    kind = EXPERIMENT if experiments else RUN
    name = options.name or out.resolve().name
    if experiments:
        _experiment_texts(source)  # raises an error if nothing is finished
    experiment = files.read_json(source / experiment_report.EXPERIMENT) if experiments else {}
    labels = Labels(_model_labels(experiment, options.models))
    if kind == RUN:
        sources = [one for path in sources for one in run_folders(path)]
    source_runs = list(_rows(source, experiment, name)) if kind == EXPERIMENT else _runs(sources, options, note)
    for source_run in source_runs:
        _check_finished(source_run)
    with files.new_folder(out) as place:
        released = Release(
            path=place,
            kind=kind,
            name=name,
            sebench=__version__,
            worlds=_worlds(source, source_runs, experiment, options.worlds),
            runs=[_released_run(source_run, labels) for source_run in source_runs],
        )
        try:
            fields.check_release(json.loads(json.dumps(released.to_json())))
        except ValueError as error:
            raise ConfigError(
                f"{source} cannot be released: {error}; run it again with this version of sebench"
            ) from None
        _write(released, sources, source_runs, experiment, labels)
    return folder.read(out)


def _write(
    released: Release,
    sources: Sequence[Path],
    source_runs: Sequence[SourceRun],
    experiment: Mapping[str, Any],
    labels: Labels,
) -> None:
    place = released.path
    files.write_json(place / folder.MANIFEST, released.to_json())
    folder.pack(place / folder.ANSWERS, (line for source_run in source_runs for line in _answers(source_run)))
    folder.pack(place / folder.TASKS, (line for source_run in source_runs for line in _tasks(source_run)))
    if released.kind == EXPERIMENT:
        folder.pack(place / folder.FILES, _files(sources[0], experiment, labels))
    write_report(released)
    files.write(place / folder.README, _readme(released))
    for file in sorted(place.iterdir()):
        if file.suffix == ".xz":
            for line in folder.read_packed(file):
                clean.check(file.name, json.dumps(line, ensure_ascii=False), sources, ours=file.name == folder.FILES)
        else:
            clean.check(file.name, file.read_text("utf-8"), sources, ours=True)
    folder.write_sums(place)


# ---- sources ----------------------------------------------------------------------------------------------------


def _model_labels(experiment: Mapping[str, Any], models: Sequence[str]) -> dict[str, str]:
    """Return the label that --model gives to the model that an experiment starts from, by that model's path."""
    if experiment and len(models) > 1:
        raise ConfigError(
            f"--model is set {len(models)} times, but an experiment has one name for its model; set it once"
        )
    model = models[0] if models else ""
    begun = {str(method["model"]) for method in experiment.get("methods", ()) if method["model"]}
    if experiment and model and len(begun) > 1:
        raise ConfigError(f"--model {model!r}: this experiment starts from {len(begun)} models; leave --model out")
    return dict.fromkeys(begun, model) if model else {}


def _runs(sources: Sequence[Path], options: ReleaseOptions, note: Callable[[str], None]) -> list[SourceRun]:
    """Return the runs, each with its own folder in the release; a single run needs no folder."""
    if not all(model.strip() for model in options.models):
        raise ConfigError("--model '' is empty; name the model, or leave --model out")
    models = _for_each(options.models, len(sources), "--model")
    regimes = _for_each(options.regimes, len(sources), "--regime")
    source_runs = [_source_run(*one, note) for one in zip(sources, models, regimes, strict=True)]
    if len(source_runs) == 1:
        return source_runs
    names = [source.resolve().name for source in sources]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise ConfigError(
            f"two runs are called {twice!r}; rename one, since a release distinguishes runs by folder name"
        )
    return [replace(source_run, place=name) for source_run, name in zip(source_runs, names, strict=True)]


def _for_each(values: Sequence[str], runs: int, flag: str) -> Sequence[str]:
    if len(values) not in (0, 1, runs):
        raise ConfigError(
            f"{flag} is set {len(values)} times for {counted(runs, 'run')}; set it once, or once for each run"
        )
    return values if len(values) == runs else [*values, ""][:1] * runs


def _source_run(source: Path, model: str, regime: str, note: Callable[[str], None]) -> SourceRun:
    if not (source / MANIFEST).is_file():
        raise ConfigError(f"{source} is neither a run folder nor an experiment; use a folder that 'sebench run' wrote")
    run = Run.load(source)
    at = Path(str(run.manifest.config["model"]).removeprefix("hf:"))
    learnt = run.manifest.training or describe.training(str(at))  # earlier versions recorded nothing
    if not model and (at.is_absolute() or at.is_dir()):
        model = at.resolve().name
        note(f"{source} records only a folder as its model, so the release calls it {model!r}; --model names it")
    model = model or str(run.manifest.config["model"])
    return SourceRun(".", run, model, regime or str(learnt.get("method", "")), learnt.get("tokens"))


def _rows(source: Path, experiment: Mapping[str, Any], name: str) -> Iterator[SourceRun]:
    for folder_of_row, method in _row_folders(experiment):
        at = source / folder_of_row
        row = files.read_json(at / experiment_report.ROW)
        if not row.get("done") or row["done"] != row.get("settings"):
            command = "stream" if experiment.get("stages") else "experiment"
            raise ConfigError(f"{at} is not finished; repeat the 'sebench {command}' command to resume it")
        model, here = f"{name}/{method['name']}", describe.training(str(at / "model"))
        worlds = method.get("stage", {}).get("test_worlds", ())
        for kind in [f"run-{world}" for world in worlds] or ("run", experiment_report.SEEN):
            if (at / kind / MANIFEST).is_file():
                run = Run.load(at / kind)
                learnt, regime = here or run.manifest.training, str(method["method"])
                if regime == experiment_report.UNTRAINED:  # of another row's weights, theirs
                    regime = str(learnt.get("method", regime))
                yield SourceRun(f"{folder_of_row}/{kind}", run, model, regime, learnt.get("tokens"))


def _row_folders(experiment: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the folder of every row of an experiment or a stream, with its method."""
    places = [stream_report.STAGES] if experiment.get("stages") else [str(w["name"]) for w in experiment["worlds"]]
    for place in places:
        for method in experiment["methods"]:
            yield f"{place}/{method['name']}", method


def _check_finished(source_run: SourceRun) -> None:
    rows = list(source_run.run.rows())
    expected = source_run.run.manifest.responses or len(source_run.run.tasks) * len(
        source_run.run.manifest.config["book"]
    ) * int(source_run.run.manifest.config["samples"])
    owed = sum(row.verdict is None for row in rows)
    if rows and all(row.rollout.error for row in rows):
        raise ConfigError(f"{source_run.run.path} has no responses: all requests failed; run its command again")
    if len(rows) < expected or owed:
        raise ConfigError(
            f"{source_run.run.path} is not finished: it has {len(rows):,} of {counted(expected, 'response')}, of which "
            f"{counted(owed, 'has', 'have')} no verdict; repeat the command that started it"
        )


def _worlds(
    source: Path, source_runs: Sequence[SourceRun], experiment: Mapping[str, Any], places: Sequence[str]
) -> tuple[ReleasedWorld, ...]:
    """Find the worlds of the runs; return their descriptions, with recipes from their manifests."""
    known = {str(world["fingerprint"]): str(world["name"]) for world in experiment.get("worlds", ())}
    built = [path.parent for path in sorted((source / "worlds").glob(f"*/{manifest.MANIFEST}"))]
    here = [*map(World.open, places), *map(World.load, built)]
    released: dict[str, ReleasedWorld] = {}
    for source_run in source_runs:
        fingerprint, seed = str(source_run.run.manifest.world["fingerprint"]), source_run.run.manifest.world["seed"]
        if fingerprint in released:
            continue
        world = next((w for w in here if w.manifest.fingerprint == fingerprint), None)
        world = world or recipe.find_local(fingerprint, source_run.run.path)
        if world is None:
            raise ConfigError(
                f"the world of {source_run.run.path} (seed {seed}, {fingerprint[:12]}) was not found; pass it with "
                "--world"
            )
        released[fingerprint] = recipe.describe(known.get(fingerprint, str(seed)), world.manifest)
    return tuple(released.values())


# ---- writing ----------------------------------------------------------------------------------------------------


def _released_run(source_run: SourceRun, labels: Labels) -> ReleasedRun:
    manifest = {**source_run.run.manifest.to_json(), "base_urls": []}
    manifest["config"] = {**manifest["config"], "model": source_run.model}
    date = (source_run.run.manifest.ended or source_run.run.manifest.started)[:10]
    cleaned = labels.clean(manifest, str(source_run.run.path / MANIFEST))
    return ReleasedRun(
        folder=source_run.place,
        world=str(manifest["world"]["fingerprint"]),
        model=str(cleaned["config"]["model"]),
        regime=source_run.regime,
        date=date,
        answers=sum(1 for _ in source_run.run.rows()),
        training_tokens=source_run.training_tokens,
        manifest=cleaned,
    )


def _answers(source_run: SourceRun) -> Iterator[dict[str, Any]]:
    for row in source_run.run.rows():
        failed = bool(row.rollout.error)
        rollout: Rollout = replace(row.rollout, error=NO_RESPONSE) if failed else row.rollout
        yield folder.answer_line(source_run.place, rollout, None if failed else row.verdict)


def _tasks(source_run: SourceRun) -> Iterator[dict[str, Any]]:
    for task in source_run.run.tasks.values():
        yield {"run": source_run.place, **{key: value for key, value in task.items() if key not in LEFT_TO_THE_WORLD}}


def _files(source: Path, experiment: Mapping[str, Any], labels: Labels) -> Iterator[dict[str, str]]:
    """Yield the small files of an experiment: settings and training logs."""
    yield _file(source, source / experiment_report.EXPERIMENT, labels)
    for folder_of_row, _ in _row_folders(experiment):
        at = source / folder_of_row
        of_models = (at / "model" / name for name in OF_MODELS)
        for file in (at / experiment_report.ROW, *of_models, *sorted(at.glob("probes-*.json"))):
            if file.is_file():
                yield _file(source, file, labels)


def _file(source: Path, file: Path, labels: Labels) -> dict[str, str]:
    if file.suffix == ".jsonl":
        text = "".join(f"{json.dumps(labels.clean(data, file.name))}\n" for _, data in ledger.lines(file))
    else:
        text = json.dumps(labels.clean(files.read_json(file), file.name), indent=1) + "\n"
    return {"file": file.relative_to(source).as_posix(), "text": text}


def write_report(released: Release) -> None:
    """Write the report, computed only from the released files."""
    (figures, data), *texts = report_texts(released).items()
    folder.write_figures(released.path / figures, json.loads(data))
    for name, text in texts:
        files.write(released.path / name, text)


def report_texts(released: Release) -> dict[str, str]:
    """Return the files of the report by name: first the figures as JSON, then the text."""
    if released.kind == EXPERIMENT:
        with folder.unpacked_copy(released) as place:
            return _experiment_texts(place)
    summary = summarize(released)
    data = summary.to_json()
    data["runs"] = [{key: value for key, value in run.items() if key not in DETAILS} for run in data["runs"]]
    for run in data["runs"]:
        run["cells"] = [cell for cell in run["cells"] if cell["group"] not in DETAILED_CELLS]
    return {REPORT: json.dumps(data, ensure_ascii=False) + "\n", TEXT: formats.text(summary, "markdown")}


def _experiment_texts(source: Path) -> dict[str, str]:
    """Return the files of the report on an experiment or a stream, by name."""
    if files.read_json(source / experiment_report.EXPERIMENT).get("stages"):
        return training_files.texts(stream_files.training_report(stream_report.report(source)))
    return training_files.texts(experiment_files.training_report(experiment_report.compare(source)))


def summarize(released: Release) -> Report:
    """Report on the runs in a release. Runs are named after it, without any folder of this machine."""
    with folder.unpacked_copy(released, released.name.replace("/", "-")[:100].strip(".") or "release") as place:
        summary = report.summarize([Run.load(place / run.folder) for run in released.runs])
    return replace(summary, runs=tuple(replace(run, path=run.name) for run in summary.runs))


def _report_name(released: Release) -> str:
    names = (TEXT, f"{experiment_files.STEM}.md", STREAM_TEXT)
    return next(name for name in names if (released.path / name).is_file())


def _what(released: Release) -> str:
    if released.kind == RUN:
        return "A run" if len(released.runs) == 1 else "Runs"
    return "A stream" if _report_name(released) == STREAM_TEXT else "An experiment"


def _readme(released: Release) -> str:
    many = len(released.worlds) > 1
    return README.format(
        name=released.name,
        what=_what(released),
        version=released.sebench,
        answers=sum(run.answers for run in released.runs),
        report=_report_name(released),
        plural="s" if many else "",
        pronoun="them" if many else "it",
        worlds=", ".join(f"seed {world.seed}, {world.fingerprint[:12]}" for world in released.worlds),
    )
