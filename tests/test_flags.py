"""Flags, files and their combinations are checked before anything is built, loaded or started, so a mistake costs a
second and writes nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from sebench.base.errors import SebenchError
from sebench.cli import build, cli
from sebench.cli.strict import StrictCommand, StrictGroup
from sebench.judge.judge import Judge
from sebench.models import llama, transformers
from sebench.rollout import models
from sebench.world.world import World

EXPERIMENT = 'worlds = [1]\n{top}\n[[method]]\nname = "a"\nmethod = "{method}"\n{own}\n'
# For each command: arguments with one mistake, and a part of the line that tells it. OUT is a folder that is not there,
# FULL one that holds something else, EMPTY an empty file, NO a path without anything, E:... an experiment.
MISTAKES = {
    "run: no world and no model": ("run --samples 2 --out OUT", "as in 'sebench run 7 --model MODEL'"),
    "run: a model of a hub": ("run 1 --model Qwen/Qwen3-8B --out OUT", "did you mean hf:Qwen/Qwen3-8B?"),
    "run: a model of a hub in a dry run": ("run 1 --model Qwen/Qwen3-8B --dry-run", "did you mean hf:Qwen/Qwen3-8B?"),
    "run: a folder that there is not in a dry run": ("run 1 --model FULL/nope --dry-run", "there is no such file or"),
    "run: a folder that there is not": ("run 1 --model /usr/nowhere --out OUT", "there is no such file or folder"),
    "probe: a folder that there is not": ("probe 1 --model /usr/nowhere", "there is no such file or folder"),
    "run: a model that there is not": ("run 1 --model none --out OUT", "unknown model 'none'"),
    "run: a folder": ("run 1 --model FULL --out OUT", "is a folder without a model"),
    "run: a file of weights": ("run 1 --model NO.gguf --out OUT", "NO.gguf: no such file"),
    "run: a file": ("run 1 --model hf:no.gguf --out OUT", "--model no.gguf: no such file"),
    "run: an address": ("run 1 --model m --base-url http://[ --out OUT", "--base-url"),
    "run: a setting": ("run 1 --model gold --samples 0 --out OUT", "samples = 0"),
    "run: a configuration": ("run 1 --config NO --out OUT", "NO cannot be read"),
    "run: tasks": ("run 1 --model gold --tasks NO --out OUT", "tasks = NO"),
    "run: prompts": ("run 1 --model gold --prompts NO --out OUT", "--prompts NO"),
    "run: a memory": ("run 1 --model gold --memory NO --book closed --out OUT", "NO"),
    "run: a folder beside a seed": ("run 1,NO --model gold --out OUT", "NO"),
    "run: settings of a cluster": ("run 1 --model gold --ray-cpus 2 --out OUT", "requires --backend ray"),
    "run: two models": ("run 1 --model gold --model guess --out OUT", "--model was given twice; it takes one value"),
    "run: a key": (
        "run 1 --model m --api-key sk-1 --out OUT",
        "there is no --api-key: the key is read from the environment variable OPENAI_API_KEY; --key-env names another",
    ),
    "run: an old spelling": ("run 1 --engine ray", "--engine is now --backend"),
    "learn: an old spelling": ("learn closed-sft 1 --engine trl", "--engine is now --trainer"),
    "learn: a scripted model": ("learn closed-sft 1 --model gold --out x", "--model gold is a scripted baseline"),
    "probe: a scripted model": ("probe 1 --model numpy", "--model numpy is a scripted baseline"),
    "run: a dry run builds nothing": (
        "run 1,2 --model gold --split boundary_test --decline --dry-run",
        "world 1 is not built yet, and --dry-run builds nothing, but --split boundary_test",
    ),
    "memory: an old spelling": ("memory ace 1 --out x --rounds 3", "--rounds is now --retries; use --retries 3"),
    "learn: a shortened method": ("learn sft 1", "did you mean closed-sft, closed-sft-rl, native-sft, open-sft?"),
    "learn: a method that there is not": ("learn x 1", "'absolute-zero', 'closed-rl', 'closed-sft'"),
    "learn: the words of a help text": ("learn closed-sft 1 --learning-rate 1e-4", "did you mean --lr?"),
    "learn: a memory": ("learn index 1 --out OUT", "use 'sebench memory index'"),
    "judge: a file": ("judge 1 NO --out OUT", "NO does not exist"),
    "judge: a folder": ("judge 1 FULL --out OUT", "FULL is a folder"),
    "judge: a device": ("judge 1 /dev/null --out OUT", "/dev/null is not an ordinary file; save the answers"),
    "judge: an empty file": ("judge 1 EMPTY --out OUT", "is empty"),
    "judge: tasks": ("judge 1 ANSWERS --tasks NO --out OUT", "--tasks NO cannot be read"),
    "judge: settings of a cluster": ("judge 1 ANSWERS --no-ship --out OUT", "--ship requires --backend ray"),
    "judge: a file of kept lines": ("judge 1 ANSWERS --keep FULL/letter.txt --out OUT", "are not in ANSWERS"),
    "published query-only: no model": ("published query-only --input_path ANSWERS --output_path OUT", "model_name"),
    "published query-only: a file": (
        "published query-only --model_name m --input_path NO --output_path OUT",
        "--input_path NO cannot be read",
    ),
    "published query-only: ports": (
        "published query-only --model_name m --input_path ANSWERS --output_path OUT --ports 8800,x",
        "'x' is not a port",
    ),
    "published query-only: an address": (
        "published query-only --model_name m --input_path ANSWERS --output_path OUT --base_url ftp://x",
        "--base_url ftp://x",
    ),
    "published query-doc: no pages": (
        "published query-doc --model_name m --input_path ANSWERS --output_path OUT --doc_path EMPTY",
        "--doc_path EMPTY has no pages",
    ),
    "published filter: no names": ("published filter --input_path ANSWERS", "use --mapping zwc_mappings.json"),
    "published filter: a mapping": ("published filter --input_path ANSWERS --mapping NO", "--mapping NO cannot be"),
    "learn: no folder": ("learn closed-sft 1", "--out"),
    "learn: another folder": ("learn closed-sft 1 --out FULL", "contains no training run"),
    "learn: a setting": ("learn closed-sft 1 --out OUT --epochs 0", "epochs = 0"),
    "learn: a setting of others": ("learn closed-sft 1 --out OUT --samples 4", "samples"),
    "learn: examples": ("learn closed-sft 1 --out OUT --examples NO", "examples = NO"),
    "learn: a file": ("learn closed-sft 1 --out OUT --model no.gguf", "--model no.gguf: no such file"),
    "learn: a misspelt model after hf:": ("learn closed-sft 1 --out OUT --model hf:smolm2", "did you mean smollm2?"),
    "learn: a misspelt model": ("learn closed-sft 1 --out OUT --model smolm2", "did you mean smollm2?"),
    "learn: texts": ("learn study 1 --out OUT --study-file NO", "study_file = NO"),
    "learn: prompts": ("learn closed-sft 1 --out OUT --prompts NO", "--prompts NO"),
    "learn: a tracker": ("learn closed-sft 1 --out OUT --track nobody", "track = 'nobody'"),
    "learn: an engine": ("learn distil 1 --out OUT --trainer trl", "cannot be trained with TRL"),
    "learn: a machine": ("learn closed-sft 1 --dry-run --gpus 0", "--gpus 0"),
    "learn: no plan": ("learn distil 1 --dry-run", "cannot plan distil"),
    "memory: no search results": ("memory pages 1 --out OUT --k 0", "k = 0: must be at least 1"),
    "memory: no model": ("memory notes 1 --out OUT", "set --model"),
    "memory: a model": ("memory notes 1 --out OUT --model none", "unknown model 'none'"),
    "experiment: a file": ("experiment NO", "NO cannot be read"),
    "experiment: GPUs": ("experiment E::none: --out OUT --ray-gpus 1", "--ray-gpus requires --backend ray"),
    "experiment: a setting": ("experiment E:parallel=-1:none: --out OUT", "parallel = -1"),
    "experiment: a model": ('experiment E::none:model="none" --out OUT', "unknown model 'none'"),
    "experiment: a model in a dry run": ('experiment E::none:model="FULL/no" --dry-run', "there is no such file or"),
    "experiment: training in a dry run": ('experiment E::closed-sft:model="FULL/no" --dry-run', "there is no such"),
    "experiment: a model's file": ('experiment E::none:model="no.gguf" --out OUT', "--model no.gguf: no such file"),
    "experiment: examples": ('experiment E::closed-sft:examples="NO" --out OUT', "examples = NO"),
    "stream: a file": ("stream NO", "NO cannot be read"),
    "stream: an experiment": ("stream E::none: --out OUT", "is an experiment, because it has no stages"),
    "selfplay: another folder": ("selfplay 1 --out FULL --model gold --train none", "contains no self-play"),
    "selfplay: a model": ("selfplay 1 --out OUT --model none --train none", "unknown model 'none'"),
    "selfplay: a model of a hub in a dry run": (
        "selfplay 1 --out OUT --model Qwen/Qwen3-8B --dry-run", "did you mean hf:Qwen/Qwen3-8B?"
    ),
    "selfplay: a proposer": ("selfplay 1 --out OUT --model gold --train none", "cannot write texts; choose another"),
    "selfplay: a setting": ("selfplay 1 --out OUT --model m --base-url http://a", "cannot be trained here"),
    "probe: a file": ("probe 1 --model no.gguf", "--model no.gguf: no such file"),
    "probe: a question": ("probe 1 --ask colour", "unknown probe 'colour'"),
    "author docs: a folder": ("author docs 1 --out FULL --model m --base-url http://a", "already exists"),
    "author docs: a model": ("author docs 1 --out OUT --model gold", "cannot write texts"),
    "author docs: a price": ("author docs 1 --out OUT --model m --price 3", "--price 3"),
    "author tasks: solvers": ("author tasks 1 --out OUT --functions mean --model m --needed 2", "--needed 2"),
    "author tasks: a price": ("author tasks 1 --out OUT --functions mean --model m --price 3", "--price 3"),
    "author tasks: a model": ("author tasks 1 --out OUT --functions mean --model gold", "cannot write texts"),
    "rephrase: a strategy": ("rephrase 1 --out OUT --model m --strategies sing", "unknown strategy 'sing'"),
    "rephrase: a model": ("rephrase 1 --out OUT --model gold", "cannot write texts"),
    "report: a run": ("report NO --out OUT", "NO"),
    "release: a run": ("release NO --out OUT", "NO"),
    "verify: a release": ("verify NO", "NO"),
    "verify: a folder": ("verify NO --unpack FULL", "already exists"),
    "rescore: a folder": ("rescore NO", "NO"),
    "run: a price": ("run 1 --dry-run --price 3", "--price 3"),
    "run: the price of no model": ("run 1 --model m --dry-run --price n=1,2", "has no model 'n'; use one of m"),
    "memory: the price of no model": ("memory pages 1 --out OUT --price n=1,2", "no model writes this memory"),
    "author tasks: the price of no model": (
        "author tasks 1 --out OUT --functions mean --model m --solver s --price n=1,2", "use one of m, s"
    ),
    "author docs: the price of no model": ("author docs 1 --out OUT --model m --price n=1,2", "use one of m"),
    "selfplay: the price of no model": ("selfplay 1 --out OUT --model m --dry-run --price n=1,2", "use one of m"),
    "selfplay: a price": ("selfplay 1 --out OUT --price 3,4", "requires --dry-run"),
    "memory: a price": ("memory notes 1 --out OUT --model m --price 3", "--price 3"),
    "learn: a dry run builds nothing": ("learn closed-sft 1 --dry-run", "world 1 is not built yet"),
    "selfplay: a dry run builds nothing": ("selfplay 1 --out OUT --dry-run", "world 1 is not built yet"),
    "author tasks: a dry run builds nothing": (
        "author tasks 1 --out OUT --functions mean --model m --dry-run",
        "world 1 is not built yet",
    ),
    "run: another protocol": ("run 1 --protocol v1 --distractors 3", "distractors 3 instead of 0"),
    "leaderboard: a run": ("leaderboard NO --out OUT", "NO does not exist"),
    "leaderboard: no run": ("leaderboard FULL --out OUT", "none of these folders"),
    "serve-judge: two places": ("serve-judge 1 --socket OUT --port 1", "cannot be combined with --host or --port"),
    "serve-judge: no token": ("serve-judge 1 --host 0.0.0.0", "token"),
    "tasks list: a world": ("tasks list NO", "NO does not exist"),
    "tasks check: a file": ("tasks check NO", "NO is not a task file of the bank"),
    "tasks export: a folder": ("tasks export 1 --out FULL", "already exists"),
    "tasks export: a book": ("tasks export 1 --out OUT --book open", "--book works only with --format verl"),
    "tasks import: a file": ("tasks import 1 NO --out OUT", "NO cannot be read"),
    **{
        f"build: {flag} without a folder": (f"build --seed 1 {flag}", "--out is required")
        for flag in (
            "--name blub", "--mapping NO", "--functions 6", "--subjects sums", "--leave-out 2", "--split fixed",
            "--forge names+parameters", "--forge names+parameters+behaviour", "--bank FULL", "--pages NO",
            "--tasks train=NO",
        )
    },
    "run: no model": ("run --protocol v1 --base-url http://a --dry-run", "give a model, as in 'sebench run --protocol"),
    "run: a folder that is no world": ("run FULL --model gold", "it has no world.json; give the seed or the folder"),
    "build: a negative seed": ("build --seed -3 --out OUT", "-3 is not in the range x>=0"),
    "build: few functions": ("build --seed 1 --functions 3 --out OUT", "3 is not in the range x>=6"),
    "run: an empty model": ("run 1 --model= --base-url http://a", "--model '' is empty; name a model"),
    "release: an empty model": ("release NO --model= --out OUT", "--model '' is empty; name the model"),
    "run: one world twice": ("run 7,07 --model gold", "7 and 07 are the same world"),
    "run: a digit that is no number": ("run ² --model gold --out OUT", "²"),
    "run: a letter of another script": ("run 1,² --model gold --out OUT", "²"),
    "show: a digit that is no number": ("show ²", "²"),
    "ceilings: a memory": ("ceilings 1 --memory NO", "NO"),
    "show: no task": ("show 1 --prompt open", "add its id"),
    "author inspect: JSON": ("author inspect FULL --json", "FULL"),
    "author funnel: a folder": ("author funnel NO", "NO"),
    "author tasks: another folder": (
        "author tasks 1 --functions sum --model m --base-url http://a --out FULL",
        "FULL contains files but no bank folder",
    ),
    "memory: another folder": ("memory index 1 --out FULL", "FULL contains files but no memory"),
    "selfplay: above": ("selfplay 1 --out OUT --model smollm2 --above 2", "above = 2.0: must be at least 0"),
    "selfplay: a misspelt proposer": ("selfplay 1 --out OUT --model smollm2 --proposer frist", "did you mean first?"),
}  # fmt: skip


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "FULL").mkdir()
    (tmp_path / "FULL" / "letter.txt").write_text("Dear reader")
    (tmp_path / "EMPTY").touch()
    (tmp_path / "ANSWERS").write_text('{"task_id": "a", "response": "b"}\n')
    return tmp_path


def reached(what: str) -> Callable[..., Any]:
    def fail(*_: Any, **__: Any) -> Any:
        pytest.fail(f"{what} before the mistake was told")

    return fail


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_one_line_before_anything_is_built(
    name: str, places: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for owner, attribute, what in (
        (World, "build", "a world was built"),
        (Judge, "_worker_pool", "a judge was started"),
        (models, "load", "a model was loaded"),
        (transformers, "load", "a model was loaded"),
    ):
        monkeypatch.setattr(owner, attribute, reached(what))
    monkeypatch.setattr(transformers, "libraries", lambda extra="": (None, None))  # whether they are here or not
    monkeypatch.setattr(llama, "library", lambda: None)
    words, line = MISTAKES[name]
    arguments = words.split()
    for number, word in enumerate(arguments):
        if word.startswith("E:"):
            top, method, own = word.removeprefix("E:").split(":")
            (places / "e.toml").write_text(EXPERIMENT.format(top=top.replace("=", " = "), method=method, own=own))
            arguments[number] = "e.toml"
    before = {path: path.stat().st_mtime_ns for path in places.rglob("*")}
    done = CliRunner().invoke(cli, arguments, standalone_mode=False)
    said = str(done.exception)
    assert isinstance(done.exception, SebenchError) or type(done.exception).__module__.startswith("click"), done
    assert line in said and "\n" not in said
    assert {path: path.stat().st_mtime_ns for path in places.rglob("*")} == before


def test_every_option_that_changes_a_world_requires_a_folder_for_it() -> None:
    """A seed's folder is for the world that `sebench run SEED` would build."""
    tried = {name.split()[1] for name in MISTAKES if name.startswith("build: --")}
    options = {parameter.opts[0] for parameter in build.command.params}
    # --changed and --edits need another option of these, and --edition-of has its own line about --out
    assert tried == options - {"--seed", "--out", "--changed", "--edits", "--edition-of"}


def test_every_command_is_here() -> None:
    context = click.Context(cli)
    groups = {name: cli.get_command(context, name) for name in cli.list_commands(context)}
    with_groups = {
        f"{name} {inner}".strip()
        for name, command in groups.items()
        for inner in (command.list_commands(context) if isinstance(command, click.Group) else [""])
    }
    without_flags = {"audit", "doctor", "path", "tour", "worlds", "tasks sample", "tasks new"}
    assert with_groups - without_flags == {name.partition(":")[0] for name in MISTAKES}


def test_no_command_silently_uses_the_last_of_several_values() -> None:
    context = click.Context(cli)
    for name in cli.list_commands(context):
        command = cli.get_command(context, name)
        assert isinstance(command, StrictCommand | StrictGroup), name
        for inner in command.list_commands(context) if isinstance(command, click.Group) else ():
            assert isinstance(command.get_command(context, inner), StrictCommand), f"{name} {inner}"


@pytest.mark.parametrize("given", [["--require-isolation"], ["--base-url", "http://a/v1"], ["--split", "multi_test"]])
def test_flags_and_lists_may_be_repeated(given: list[str]) -> None:
    command = cli.get_command(click.Context(cli), "run")
    assert command and command.make_context("run", [*given, *given])


def test_help_is_shown_whatever_else_is_given() -> None:
    done = CliRunner().invoke(cli, ["run", "--model", "a", "--model", "b", "--help"])
    assert done.exit_code == 0 and "Usage" in done.output
