"""`sebench learn` and `sebench probe` with unusable input: one clear line, a nonzero exit status, no traceback."""

from __future__ import annotations

import fcntl
import json
import re
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from sebench.base import files  # noqa: E402
from sebench.cli import main  # noqa: E402
from sebench.world.world import World  # noqa: E402
from tests import toy  # noqa: E402


@dataclass(frozen=True)
class Said:
    status: int
    out: str
    err: str


Sebench = Callable[..., Said]
PROGRESS = re.compile(r"[a-z-]+: .* [\d,]+ of [\d,]+")


@pytest.fixture
def sebench(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Sebench:
    """The command line in this process: torch is imported once for all tests."""

    def run(*arguments: object) -> Said:
        monkeypatch.setattr(sys, "argv", ["sebench", *map(str, arguments)])
        capsys.readouterr()
        with pytest.raises(SystemExit) as left:
            main()
        return Said(int(str(left.value.code or 0)), *capsys.readouterr())

    return run


def saved(folder: Path, context: int = 4096, **of_tokenizer: Any) -> Path:
    tokens = toy.tokenizer()
    model = toy.model(tokens, context=context)
    for name, value in of_tokenizer.items():
        setattr(tokens, name, value)
    model.save_pretrained(folder)
    tokens.save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return saved(tmp_path_factory.mktemp("toy"))


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory, tiny: World, model: Path) -> Path:
    """A training on the tiny world that has ended."""
    from sebench.train.config import ClosedSftConfig
    from sebench.train.methods import train

    out = tmp_path_factory.mktemp("trained") / "out"
    config = ClosedSftConfig(model=str(model), epochs=1, per_function=1, device="cpu")
    train(tiny, "closed-sft", config, out, lambda what, done, total: None)
    return out


def refused(said: Said, *words: str) -> None:
    assert said.status in (1, 2) and said.out == ""
    problems = [line for line in said.err.splitlines() if not PROGRESS.fullmatch(line)]
    assert len(problems) == 1 and problems[0].startswith("sebench"), said.err
    for word in words:
        assert word in said.err


def of_all_methods(folder: Path, settings: str) -> Path:
    """A file of settings, some of which a method does not read."""
    (folder / "learn.toml").write_text(f'device = "cpu"\n{settings}', "utf-8")
    return folder / "learn.toml"


def full(*_: Any, **__: Any) -> None:
    raise torch.OutOfMemoryError("CUDA out of memory")


def test_an_unknown_method_names_those_there_are(sebench: Sebench, tiny: World, tmp_path: Path) -> None:
    refused(sebench("learn", "half-sft", tiny.path, "--out", tmp_path / "x"), "'half-sft'", "closed-sft")


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (["--learning-rate", "1"], ["No such option", "--learning-rate"]),
        (["--lr", "fast"], ["'fast' is not a valid float"]),
        (["--lr", "0"], ["lr = 0.0"]),
        (["--lr", "5e4"], ["lr = 50000.0: must be at most 1; usual are 2e-5 and 5e-4"]),
        (["--epochs", "0"], ["epochs = 0: must be at least 1"]),
        (["--form", "poem"], ["form = 'poem'", "code"]),
        (["--pages", "cover"], ["'cover'", "signature"]),
        (["--study", "songs"], ["'songs'"]),
        (["--probes", "names"], ["unknown probe 'names'; choose from name, summary, signature"]),
        (["--track", "mlflow"], ["track = 'mlflow'", "tensorboard"]),
        (["--device", "cuda"], ["--device cuda: torch sees no GPU here"]),
        (["--model", "no/such/model/here"], ["--model no/such/model/here"]),
        (["--examples", "nowhere"], ["nowhere"]),
        (["--replay", "nowhere.jsonl"], ["replay = nowhere.jsonl: there is no such file; check the path"]),
        (["--config", "nowhere.toml"], ["nowhere.toml cannot be read"]),
        (["--validate", "4"], ["--per-function"]),
        (["--validate", "4", "--per-function", "9"], ["per_function = 9 leaves no training task"]),
        (["--device", "gpu"], ["--device gpu", "cpu or cuda"]),
        (["--pass-at", "1"], ["pass_at = 1"]),
        (["--weight-decay", "-1"], ["weight_decay = -1.0: must be at least 0"]),
        (["--replay-share", "1", "--replay", "x"], ["replay_share = 1.0: must be at least 0 and less than 1"]),
    ],
)
def test_a_setting_that_cannot_be_used_is_named(
    sebench: Sebench, tiny: World, model: Path, tmp_path: Path, given: list[str], words: list[str]
) -> None:
    if given == ["--device", "cuda"] and torch.cuda.is_available():
        pytest.skip("there is a GPU")
    own = {"--study": "study", "--pages": "open-sft", "--share": "open-sft", "--pass-at": "closed-rl"}
    method = own.get(given[0], "closed-sft")
    own_model = [] if "--model" in given else ["--model", model]
    said = sebench("learn", method, tiny.path, *own_model, "--out", tmp_path / "x", *given)
    refused(said, *words)
    assert not (tmp_path / "x").exists()


@pytest.mark.parametrize(
    ("method", "given", "said"),
    [
        ("closed-sft", ["--steps", "9"], "--steps has no effect on closed-sft, only on open-rl, closed-rl"),
        ("closed-sft", ["--distractors", "3"], "--distractors has no effect on closed-sft, only on open-sft"),
        ("native-sft", ["--examples", "runs/x"], "--examples has no effect on native-sft"),
        ("closed-rl", ["--epochs", "3"], "--epochs has no effect on closed-rl"),
        ("open-sft", ["--checkpointing"], "--checkpointing has no effect with --trainer loop, only with trl"),
        ("closed-rl", ["--trainer", "trl", "--pass-at", "4"], "--pass-at has no effect with --trainer trl"),
        ("closed-sft", ["--replay-share", "0.2"], "--replay-share has no effect without --replay"),
        ("closed-rl", ["--epsilon", "0"], "--epsilon has no effect without --updates or --passes of more than 1"),
        ("distil", ["--steps", "3"], "--steps has no effect without --on student"),
    ],
)
def test_a_setting_that_the_method_does_not_read_is_refused(
    sebench: Sebench, tiny: World, model: Path, tmp_path: Path, method: str, given: list[str], said: str
) -> None:
    refused(sebench("learn", method, tiny.path, "--model", model, "--out", tmp_path / "x", *given), said)
    assert not (tmp_path / "x").exists()


def test_of_several_processes_the_first_one_speaks(
    sebench: Sebench, tiny: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from sebench.train import methods

    monkeypatch.setattr(methods, "train", lambda *_: {"method": "closed-sft", "rows": 3})  # what the others have
    said = sebench("learn", "closed-sft", tiny.path, "--out", tmp_path / "x")
    assert (said.status, said.out) == (0, "")


def test_a_file_that_methods_share_may_have_settings_of_the_others(tmp_path: Path) -> None:
    from sebench.base.settings import read_file
    from sebench.train.config import EverySetting, configure

    file = tmp_path / "learn.toml"
    file.write_text("steps = 9\nepochs = 2", "utf-8")
    for method, name, value in (("closed-sft", "epochs", 2), ("closed-rl", "steps", 9)):
        config = configure(method, read_file(EverySetting, file), {"lr": 1e-5})
        assert (getattr(config, name), config.lr) == (value, 1e-5)
        assert not hasattr(config, "steps" if name == "epochs" else "epochs")


def test_every_method_has_a_record_and_the_flags_are_those_of_all() -> None:
    from sebench.train.config import CONFIGS, NONE, EverySetting, configure
    from sebench.train.methods import METHODS

    assert CONFIGS.keys() - {NONE} == METHODS.keys()
    every = {field.name: field.default for field in fields(EverySetting)}
    for method, config in CONFIGS.items():
        own = {field.name: field.default for field in fields(config)}
        if "advantage" in own:  # RL rises faster to its learning rate, unless --warmup says otherwise
            assert configure(method, {}, {}).warmup == own.pop("warmup") == 5
        assert own.items() <= every.items()


def test_study_of_nothing_is_refused(sebench: Sebench, tiny: World, model: Path, tmp_path: Path) -> None:
    given = ["--model", model, "--out", tmp_path / "x", "--study", "", "--mix", 0]
    refused(sebench("learn", "study", tiny.path, *given), "nothing to learn from", "--mix 0")
    refused(sebench("learn", "study", tiny.path, *given, "--limit", 8), "limit has no effect with mix = 0")


@pytest.mark.parametrize(
    ("mix", "test"), [(0, "probe {} --model {} --ask name"), (0.5, "run {} --model {} --prompts short")]
)
def test_the_last_line_says_how_to_test_what_was_learned(
    mix: float, test: str, sebench: Sebench, tiny: World, model: Path, tmp_path: Path
) -> None:
    given = ["--model", model, "--study", "names", "--mix", mix, "--epochs", 1, "--out", tmp_path / "x"]
    given += ["--prompts", "short", *(["--limit", 2] if mix else [])]
    done = sebench("learn", "study", tiny.path, *given)
    assert done.out.splitlines()[-1] == f"evaluate it with: sebench {test.format(tiny.path, tmp_path / 'x')}"


def test_the_last_line_evaluates_with_the_prompts_of_the_training(
    sebench: Sebench, tiny: World, model: Path, tmp_path: Path
) -> None:
    given = ["--model", model, "--limit", 1, "--epochs", 1, "--out", tmp_path / "x", "--thinking", "off"]
    done = sebench("learn", "open-sft", tiny.path, *given, "--pages", "signature,summary")
    flags = "--distractors 0 --pages signature,summary --thinking off"
    assert done.out.endswith(f"sebench run {tiny.path} --model {tmp_path / 'x'} {flags}\n")


def test_the_short_loop_in_several_processes_is_refused(
    sebench: Sebench, tiny: World, model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORLD_SIZE", "2")
    said = sebench("learn", "closed-sft", tiny.path, "--model", model, "--out", tmp_path / "x")
    refused(said, "one process", "--trainer trl")
    assert not (tmp_path / "x").exists()


def test_rl_that_has_nothing_to_learn_from_stops_each_time(
    sebench: Sebench, tiny: World, model: Path, tmp_path: Path
) -> None:
    given = ["learn", "closed-sft-rl", tiny.path, "--out", tmp_path / "x", "--device", "cpu", "--max-tokens", 2]
    given += ["--pass-at", 2, "--tasks-per-step", 2, "--steps", 1, "--model", model]
    two = ["--samples", 2]
    refused(sebench(*given, *two), "from a checkpoint of closed-sft")
    given[1] = "open-rl"
    for _ in range(2):  # the second time the look was made already
        refused(sebench(*given, *two), "nothing to learn from", "mixed groups 0.0%")
    for dry_run in ([], ["--dry-run"]):
        refused(sebench(*given, "--samples", 1, *dry_run), "samples = 1", "--advantage raw")


@pytest.mark.parametrize("dry_run", [[], ["--dry-run"]])
def test_what_could_only_fail_later_is_refused_at_once(
    dry_run: list[str], sebench: Sebench, tiny: World, model: Path, tmp_path: Path
) -> None:
    given = [tiny.path, "--model", model, "--out", tmp_path / "x", *dry_run]
    refused(sebench("learn", "closed-sft", *given, "--probe-worlds", "nothere"), "nothere does not exist")
    refused(sebench("learn", "closed-sft", *given, "--lr", "inf"), "lr = inf: must be a finite number")
    refused(sebench("learn", "open-rl", *given, "--temperature", "inf"), "temperature = inf: must be a finite number")
    refused(sebench("learn", "native-sft", *given, "--probe-every", 1), "--probe-every has no effect on native-sft")
    refused(sebench("learn", "absolute-zero", *given, "--samples", 1), "samples = 1: answers are compared")
    refused(
        sebench("learn", "open-rl", *given, "--trainer", "trl", "--samples", 1, "--advantage", "raw"), "samples = 1"
    )
    assert not (tmp_path / "x").exists()


def test_rl_after_all_tasks_were_learnt_from_is_refused(
    sebench: Sebench, tiny: World, trained: Path, tmp_path: Path
) -> None:
    record = json.loads((trained / "learn.json").read_text("utf-8"))
    start = shutil.copytree(trained, tmp_path / "start")
    record["config"]["per_function"] = 9
    (start / "learn.json").write_text(json.dumps(record))
    said = sebench("learn", "closed-sft-rl", tiny.path, "--model", start, "--out", tmp_path / "x", "--pass-at", 0)
    refused(said, str(start), "9 tasks for each function", "--per-function 2")


def test_a_file_of_settings_is_checked(sebench: Sebench, tiny: World, model: Path, tmp_path: Path) -> None:
    file = tmp_path / "learn.toml"
    for text, word in (
        ("loudness = 3", "no setting 'loudness'; choose from"),
        ("learning_rate = 3", "no setting 'learning_rate'; did you mean lr?\n"),
        ("lr = 'fast'", "lr = 'fast' is not a number"),
        ("lr = ", "cannot be read"),
    ):
        file.write_text(text)
        refused(
            sebench("learn", "closed-sft", tiny.path, "--model", model, "--config", file, "--out", tmp_path / "x"),
            str(file),
            word,
        )


def test_there_is_no_world(sebench: Sebench, model: Path, tmp_path: Path) -> None:
    for command in (["learn", "closed-sft", "nowhere", "--out", tmp_path / "x"], ["probe", "nowhere"]):
        refused(sebench(*command, "--model", model), "nowhere does not exist")


def test_no_example_passed(sebench: Sebench, tiny: World, model: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    asked = sebench(
        "run", tiny.path, "--model", "numpy", "--split", "train", "--book", "open", "--limit", 2, "--out", run
    )
    assert asked.status == 0
    said = sebench("learn", "closed-sft", tiny.path, "--model", model, "--examples", run, "--out", tmp_path / "x")
    refused(said, "no answer to learn from", "--samples", "gold")


def test_examples_of_another_world(sebench: Sebench, tiny: World, small: World, model: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    asked = ["--model", "gold", "--split", "train", "--book", "open", "--limit", 1, "--out", run]
    assert sebench("run", small.path, *asked).status == 0
    said = sebench("learn", "closed-sft", tiny.path, "--model", model, "--examples", run, "--out", tmp_path / "x")
    refused(said, str(run), "a world other than")


def test_right_answers_to_other_tasks_than_are_learnt_from(
    sebench: Sebench, tiny: World, model: Path, tmp_path: Path
) -> None:
    from sebench.train.data.examples import training_tasks

    run, learnt = tmp_path / "run", {task.id for task in training_tasks(tiny, 1)}
    for seed in range(20):  # until the drawn task is one that is held out
        asked = ["--model", "gold", "--split", "train", "--book", "open", "--limit", 1, "--seed", seed, "--out"]
        assert sebench("run", tiny.path, *asked, run / str(seed)).status == 0
        answered = (run / str(seed) / "rollouts.jsonl").read_text("utf-8")
        if not any(f'"{task}"' in answered for task in learnt):
            break
    said = sebench(
        "learn", "closed-sft", tiny.path, "--model", model, "--examples", run / str(seed), "--per-function", 1,
        "--out", tmp_path / "x",
    )  # fmt: skip
    refused(said, "no answer to learn from", "per")


def test_a_model_without_a_chat_template(sebench: Sebench, tiny: World, tmp_path: Path) -> None:
    bare = saved(tmp_path / "bare", chat_template=None)
    for command in (["learn", "closed-sft", tiny.path, "--out", tmp_path / "x"], ["probe", tiny.path]):
        refused(sebench(*command, "--model", bare), str(bare), "no chat template")


def test_a_model_without_an_end_of_text(sebench: Sebench, tiny: World, tmp_path: Path) -> None:
    endless = saved(tmp_path / "endless", eos_token=None)
    said = sebench("learn", "closed-sft", tiny.path, "--model", endless, "--out", tmp_path / "x")
    refused(said, "no end-of-text token")


@pytest.mark.parametrize("method", ["closed-sft", "open-sft", "native-sft", "study", "open-rl", "distil"])
def test_a_row_longer_than_the_context_is_named(sebench: Sebench, tiny: World, tmp_path: Path, method: str) -> None:
    short = saved(tmp_path / "short", context=200)
    file = of_all_methods(tmp_path, "pass_at = 0\nmax_tokens = 8")
    said = sebench("learn", method, tiny.path, "--model", short, "--out", tmp_path / "x", "--config", file)
    refused(said, "row '", "the model takes at most 200", "--pages")
    named = said.err.partition("row '")[2].partition("'")[0]
    assert named in {task.id for task in tiny.tasks("train")} | {page.path for page in tiny.pages} or method == "study"


@pytest.mark.parametrize(
    ("package", "given", "words"),
    [
        ("torch", [], ["extra 'train'", "pip install"]),
        ("transformers", [], ["extra 'train'", "pip install"]),
        ("peft", ["--lora", "4"], ["pip install peft"]),
        ("wandb", ["--track", "wandb"], ["pip install wandb"]),
    ],
)
def test_a_missing_package_says_what_to_install(
    sebench: Sebench,
    tiny: World,
    model: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    package: str,
    given: list[str],
    words: list[str],
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    said = sebench("learn", "closed-sft", tiny.path, "--model", model, "--out", tmp_path / "x", *given)
    refused(said, *words)


def test_a_training_of_another_world_is_not_gone_on_with(
    sebench: Sebench, small: World, model: Path, trained: Path
) -> None:
    said = sebench("learn", "closed-sft", small.path, "--model", model, "--out", trained, "--epochs", 1)
    refused(said, str(trained), "was started with world.", "--out")


def test_a_folder_that_another_process_trains_in_is_left_to_it(
    sebench: Sebench, tiny: World, model: Path, tmp_path: Path
) -> None:
    (tmp_path / "x").mkdir()
    with (tmp_path / "x" / ".lock").open("ab") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        said = sebench("learn", "closed-sft", tiny.path, "--model", model, "--out", tmp_path / "x")
        refused(said, "another process", str(tmp_path / "x"))
    assert [file.name for file in (tmp_path / "x").iterdir()] == [".lock"]


def test_other_settings_are_named(sebench: Sebench, tiny: World, model: Path, trained: Path) -> None:
    asked = ["--model", model, "--out", trained, "--epochs", 1, "--per-function", 1]
    refused(sebench("learn", "closed-sft", tiny.path, *asked, "--lr", 0.1), "lr = 0.0005, but now it is 0.1", "--out")
    refused(sebench("learn", "open-sft", tiny.path, *asked), "method = 'closed-sft', but now it is 'open-sft'")
    assert sebench("learn", "closed-sft", tiny.path, *asked, "--pack-tokens", 99).status == 0  # how, not what


def test_a_training_that_goes_on_from_another_world_says_and_records_so(
    sebench: Sebench, small: World, tiny: World, trained: Path, tmp_path: Path
) -> None:
    brief = ("--epochs", "1", "--per-function", "1", "--limit", "2", "--probe-every", "-1")
    said = sebench("learn", "closed-sft", small.path, "--model", trained, "--out", tmp_path / "x", *brief)
    assert said.status == 0, said.err
    assert "was trained on a different world" in said.err and tiny.names.package in said.err
    start = json.loads((tmp_path / "x" / "learn.json").read_text())["start"]
    assert start["world"]["fingerprint"] == tiny.manifest.fingerprint


@pytest.mark.parametrize("text", ["{torn", "[1]"])
def test_a_damaged_record_is_named(sebench: Sebench, tiny: World, model: Path, tmp_path: Path, text: str) -> None:
    (tmp_path / "learn.json").write_text(text)
    said = sebench("learn", "closed-sft", tiny.path, "--model", model, "--out", tmp_path)
    refused(said, "learn.json")


def test_a_training_does_not_go_on_with_other_rows(
    sebench: Sebench, tiny: World, model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from sebench.train.loop.training_run import TrainingRun

    file, log = tmp_path / "general.jsonl", TrainingRun.log

    def killed(self: TrainingRun, step: int, figures: dict[str, Any]) -> None:
        log(self, step, figures)
        raise KeyboardInterrupt

    given = [
        "learn",
        "closed-sft",
        tiny.path,
        "--model",
        model,
        "--out",
        tmp_path / "x",
        "--device",
        "cpu",
        "--epochs",
        1,
    ]
    given += ["--replay", file, "--batch", 4, "--per-function", 1, "--save-minutes", 0, "--probe-every", -1]
    for said, again in (("hello", False), ("goodbye", True)):
        turns = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": said}]
        file.write_text(json.dumps({"messages": turns}) + "\n")
        if again:
            refused(sebench(*given), str(tmp_path / "x"), "different rows", "--replay")
        else:
            with monkeypatch.context() as patch:
                patch.setattr(TrainingRun, "log", killed)
                assert sebench(*given).status != 0


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 torn", b"text"])
def test_a_damaged_checkpoint_is_named(
    sebench: Sebench, tiny: World, model: Path, tmp_path: Path, content: bytes
) -> None:
    given = ["learn", "closed-sft", tiny.path, "--model", model, "--out", tmp_path / "x", "--device", "cpu"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(transformers.LlamaModel, "forward", full)
        patch.setattr(files, "remove_if_only", lambda *_: False)  # as if it was killed
        refused(sebench(*given), "out of memory")
    (tmp_path / "x" / "state.pt").write_bytes(content)
    refused(sebench(*given), "state.pt is not a checkpoint of this training", "remove it to start over")


def test_an_interrupt_says_whether_there_is_a_checkpoint(
    sebench: Sebench, tiny: World, model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from sebench.train import methods

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(methods, "train", interrupt)
    given = ["learn", "closed-sft", tiny.path, "--model", model, "--out", tmp_path]
    said = sebench(*given)
    assert said.status == 130 and "interrupted; no checkpoint was saved yet (--save-minutes)" in said.err
    (tmp_path / "learn.json").write_text("{}")
    (tmp_path / "state.pt").write_bytes(b"")
    assert "interrupted; the last checkpoint is kept; run the same command again" in sebench(*given).err


def test_a_model_whose_training_has_not_ended_is_not_loaded(
    sebench: Sebench, tiny: World, trained: Path, tmp_path: Path
) -> None:
    """As after an interruption between config.json and the weights."""
    (tmp_path / "config.json").write_bytes((trained / "config.json").read_bytes())
    (tmp_path / "learn.json").write_text('{"method": "closed-sft"}')
    for given in (["run"], ["probe"], ["learn", "closed-sft"]):
        out = [] if given == ["probe"] else ["--out", tmp_path / "x"]
        said = sebench(*given, tiny.path, "--model", tmp_path, *out)
        refused(said, f"--model {tmp_path}: its training has not ended; repeat the same 'sebench learn' command")


def test_a_log_shows_what_happens_before_and_after_the_steps(
    sebench: Sebench, tiny: World, model: Path, tmp_path: Path
) -> None:
    given = ["learn", "closed-sft", tiny.path, "--model", model, "--out", tmp_path / "x", "--device", "cpu"]
    said = sebench(*given, "--per-function", 1, "--epochs", 2, "--batch", 1)
    stages = [line.split(": ")[1].rstrip("0123456789 of.,") for line in said.err.splitlines()]
    # On a busy machine a stage may be told more than once.
    assert [*dict.fromkeys(stages)] == ["loading the model", "training", "loss", "probing and saving the model"]


def test_a_folder_of_something_else_is_left_alone(sebench: Sebench, tiny: World, model: Path, tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    refused(
        sebench("learn", "closed-sft", tiny.path, "--model", model, "--out", tmp_path),
        "contains no training run",
        "--out",
    )
    refused(sebench("learn", "closed-sft", tiny.path, "--model", model, "--out", tmp_path / "thesis.txt"), "thesis.txt")
    assert [file.name for file in tmp_path.iterdir()] == ["thesis.txt"]


@pytest.mark.parametrize("method", ["closed-sft", "closed-rl", "distil"])
def test_memory_that_ends_says_what_to_lower(
    sebench: Sebench, tiny: World, model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    monkeypatch.setattr(transformers.LlamaModel, "forward", full)
    file = of_all_methods(tmp_path, "pass_at = 0\ntasks_per_step = 2\nsamples = 2\nmax_tokens = 4")
    said = sebench("learn", method, tiny.path, "--model", model, "--out", tmp_path / "x", "--config", file)
    refused(said, "out of memory", "lower --pack-tokens")


def test_a_training_that_never_began_leaves_its_folder_to_the_next(
    sebench: Sebench, tiny: World, model: Path, tmp_path: Path
) -> None:
    given = ["learn", "closed-sft", tiny.path, "--out", tmp_path / "x", "--epochs", 1, "--per-function", 1]
    bare = saved(tmp_path / "bare", chat_template=None)
    refused(sebench(*given, "--model", bare), "no chat template")
    assert sebench(*given, "--model", model, "--probe-every", -1).status == 0
    refused(sebench(*given, "--model", bare), f"model = '{model}', but now it is '{bare}'")
    assert not (tmp_path / "x" / "probes.jsonl").exists()


def test_memory_that_ends_in_a_probe_says_what_to_lower(
    sebench: Sebench, tiny: World, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transformers.LlamaModel, "forward", full)
    refused(sebench("probe", tiny.path, "--model", model), "out of memory while scoring probes", "--device cpu")


def test_probes_that_cannot_be_asked(sebench: Sebench, tiny: World, model: Path) -> None:
    refused(sebench("probe", tiny.path, "--model", model, "--functions", "nothing"), "no function 'nothing'")
    refused(sebench("probe", tiny.path, "--model", model, "--ask", "poem"), "unknown probe 'poem'")


def test_a_probe_tells_the_same_in_a_table_and_as_json(sebench: Sebench, tiny: World, model: Path) -> None:
    said = sebench("probe", tiny.path, "--model", f"hf:{model}", "--json", "--each")
    told = json.loads(said.out)
    assert said.status == 0 and told["world"] == tiny.manifest.fingerprint
    assert [function["path"] for function in told["functions"]] == [page.path for page in tiny.pages]
    table = sebench("probe", tiny.path, "--model", model, "--each").out
    assert f"{told['figures']['name_first']:.1%}" in table and f"{told['figures']['signature_logp']:.2f}" in table
    assert all(page.path in table for page in tiny.pages)


def test_bits_are_the_same_in_a_table_and_as_json(sebench: Sebench, tiny: World, model: Path) -> None:
    said = sebench("probe", tiny.path, "--model", model, "--ask", "bits", "--json")
    (row,) = json.loads(said.out)["bits"].values()
    assert said.status == 0 and row["words"] == 6 and row["most"] == json.loads(said.out)["figures"]["bits_names_most"]
    assert 0 <= row["low"] <= row["bits"] <= row["high"] <= row["most"]
    table = sebench("probe", tiny.path, "--model", model, "--ask", "bits", "--each").out
    assert f"{row['bits']:.1f}" in table and f"{row['most']:.1f}" in table and "median rank" not in table
    assert all(page.path in table for page in tiny.pages)


def test_a_training_leaves_its_probes(trained: Path) -> None:
    (line,) = [json.loads(line) for line in (trained / "probes.jsonl").read_text("utf-8").splitlines()]
    log = [json.loads(line) for line in (trained / "log.jsonl").read_text("utf-8").splitlines()]
    assert line["step"] == len(log) and line["tokens"] == sum(step["tokens"] for step in log)
    assert {"name_logp", "name_rank", "name_first", "summary_first", "signature_exact"} < line.keys()


@pytest.mark.parametrize(("rank", "tracked"), [("0", 1), ("1", 0)])
def test_of_several_processes_the_first_one_tracks_and_none_probes(
    tiny: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rank: str, tracked: int
) -> None:
    """A model that is spread over processes answers only if all of them ask: one alone would wait for ever."""
    from types import ModuleType

    from sebench.train import methods
    from sebench.train.config import ClosedSftConfig
    from sebench.train.loop.training_run import TrainingRun

    calls, fake = [], ModuleType("wandb")
    fake.init, fake.finish = lambda **_: calls.append("init"), lambda: None  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "wandb", fake)
    monkeypatch.setenv("WORLD_SIZE", "2")
    monkeypatch.setenv("RANK", rank)
    monkeypatch.setitem(methods.ON_TRL, "closed-sft", lambda training: training.probe(1))
    methods.train(tiny, "closed-sft", ClosedSftConfig(trainer="trl", track="wandb"), tmp_path / "x", lambda *_: None)
    assert len(calls) == tracked and not (tmp_path / "x" / "probes.jsonl").exists()
    monkeypatch.setenv("WORLD_SIZE", "1")
    with pytest.raises(AttributeError):  # no model was loaded: this one does ask
        TrainingRun(tiny, "closed-sft", ClosedSftConfig(), tmp_path / "x", lambda *_: None).probe(1)
