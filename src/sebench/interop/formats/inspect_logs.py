"""Reads the answers in an Inspect log (inspect.aisi.org.uk), for `sebench judge`. Inspect itself is not needed.

A `.json` log is one object with a list of samples; a `.eval` log is a zip archive with one JSON file per sample. Only
logs from the `sebench` tasks can be judged: their sample ids are task ids.

Not covered: reasoning, tokens and scores, which are not read.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile

from sebench.base.errors import ConfigError


def is_log(file: Path) -> bool:
    """Whether a file has the name and the structure of a log."""
    if file.suffix == ".json":
        with suppress(ValueError, OSError, RecursionError):
            data = json.loads(file.read_bytes())
            return isinstance(data, dict) and {"eval", "samples"} <= data.keys()
    return file.suffix == ".eval"


def read(file: Path, fingerprint: str) -> Iterator[tuple[int, bytes]]:
    """Yield the answers as numbered lines in our format. Raise an error for answers from another world."""
    try:
        for number, sample in enumerate(_samples(file), 1):
            about = sample.get("metadata") or {}
            if about.get("world", fingerprint) != fingerprint:
                raise ConfigError(
                    f"{file} is from another world, with the fingerprint {about['world'][:12]}; judge it in that world"
                )
            line = {
                "task_id": sample["id"],
                "sample_index": sample["epoch"] - 1,
                "response": sample["output"].get("completion"),
                "error": sample.get("error"),
            }
            yield number, json.dumps(line | {key: about[key] for key in about if key == "book"}).encode()
    except NotImplementedError:
        raise ConfigError(
            f"{file} is compressed with Zstandard: pip install zipfile-zstd, use Python 3.14, or convert it with "
            "'inspect log convert --to json'"
        ) from None
    except (BadZipFile, ValueError, KeyError, TypeError, AttributeError, OSError) as error:
        raise ConfigError(f"{file} is not an Inspect log: {error!r}") from None


def _samples(file: Path) -> Iterator[dict[str, Any]]:
    if file.suffix == ".json":
        yield from json.loads(file.read_bytes())["samples"]
        return
    if sys.version_info < (3, 14):
        with suppress(ImportError):  # comes with Inspect: teaches `zipfile` the compression of recent logs
            import_module("zipfile_zstd")
    with ZipFile(file) as archive:
        for name in archive.namelist():
            if name.startswith("samples/"):
                yield json.loads(archive.read(name))
