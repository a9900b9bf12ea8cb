"""The settings of a run: one class for flags, TOML files and manifests; every mistake leads to one line."""

from __future__ import annotations

from pathlib import Path

import pytest

from sebench.base import settings
from sebench.base.errors import ConfigError
from sebench.models.endpoint import Endpoint
from sebench.rollout.config import RunConfig


@pytest.mark.parametrize(
    "text, said",
    [
        ("samplez = 3", "no setting 'samplez'; did you mean samples?"),
        ("frobnicate = 3", "no setting 'frobnicate'; choose from model, base_url"),
        ('samples = "3"', "samples = '3' is not a whole number"),
        ("samples = true", "samples = True is not a whole number"),
        ("model = 3", "model = 3 is not a string"),
        ("split = [1]", r"split = \[1\] is not a list of strings"),
        ('temperature = "hot"', "temperature = 'hot' is not a number"),
        ("[run]\nsamples = 3", "no setting 'run'"),
        ("worlds = [1]\n[[method]]", "is an experiment, because it has .*: run it with 'sebench experiment .*toml'"),
        ("stages = ['A']\n[[method]]", "is a stream, because it has .*: run it with 'sebench stream .*toml'"),
        ("samples =", "cannot be read"),
        ("samples = 0", "samples = 0: must be at least 1"),
        ('book = "opened"', "book = 'opened': choose from open, closed"),
        ('book = ["open", "open"]', "each only once"),
        ("book = []", "at least one"),
        ("timeout_s = 0", "timeout_s = 0.0: must be above 0"),
        ("timeout_s = inf", "timeout_s = inf: must be a finite number"),
        ("temperature = nan", "temperature = nan"),
        ("distractors = -2", "distractors = -2: must be at least -1"),
        ('thinking = "maybe"', "on, off or empty"),
        ('send_seed = "no"', "send_seed = 'no' is not a boolean"),
        ("send_seed = false", "send_seed = False works only with an endpoint; add --base-url"),
        ('reasoning_effort = "low"', "only with an endpoint"),
        ('extra = "top_k=20"', "extra is not JSON"),
        ('stop = ["END", ""]', "at least one character"),
        ('extra = "[1]"', "must be a JSON object"),
        ('system = "@nowhere.txt"', "system = @nowhere.txt: the file cannot be read"),
        ('token_limit = "tokens"', "max_tokens or max_completion_tokens"),
    ],
)
def test_a_mistake_in_a_toml_file_is_named(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "run.toml"
    file.write_text(text)
    with pytest.raises(ConfigError, match=said):
        settings.read(RunConfig, file, {})


def test_a_folder_instead_of_a_file_gets_a_next_step(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=f"{tmp_path} is a folder; give a TOML file$"):
        settings.read_toml(tmp_path)
    for name in ("experiment.json", "comparison.html"):
        (tmp_path / name).touch()
    with pytest.raises(ConfigError, match=f"--out {tmp_path}; its results are in {tmp_path}/comparison.html$"):
        settings.read_toml(tmp_path)


def test_a_key_may_be_written_as_the_flag_is(tmp_path: Path) -> None:
    file = tmp_path / "run.toml"
    file.write_text("max-tokens = 7\ntop_p = 0.5")
    assert settings.read(RunConfig, file, {}) == RunConfig(max_tokens=7, top_p=0.5)


def test_of_a_file_the_content_counts(tmp_path: Path) -> None:
    file = tmp_path / "extra.json"
    file.write_text('{"top_k": 20}')
    config = RunConfig(model="m", base_url=("http://a/v1",), extra=f"@{file}")
    assert config.compared()["extra"] == {"top_k": 20}
    assert config.compared() == RunConfig(model="m", base_url=("http://b/v1",), extra='{"top_k":20}').compared()


def test_flags_go_before_the_toml_file(tmp_path: Path) -> None:
    file = tmp_path / "run.toml"
    file.write_text('samples = 3\nbook = "open"\ntemperature = 1\nbase_url = ["http://a/v1", "http://b/v1"]')
    read = settings.read(RunConfig, file, {"samples": 5})
    assert read == RunConfig(samples=5, book=("open",), temperature=1.0, base_url=("http://a/v1", "http://b/v1"))
    assert "base_url" not in read.compared() and read.compared()["book"] == ["open"]


@pytest.mark.parametrize("url", ["", "host:8000", "ftp://host/v1", "http://", "http://[::1"])
def test_a_base_url_that_is_none_is_one_line(url: str) -> None:
    with pytest.raises(ConfigError, match="--base-url"):
        Endpoint("m", (url,))
