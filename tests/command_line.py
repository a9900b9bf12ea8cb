"""Runs the command `sebench`, as people type it, inside the process of a test."""

from __future__ import annotations

import io
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest

from sebench.cli import main


def sebench(*args: str, cwd: Path = Path()) -> subprocess.CompletedProcess[str]:
    """What a command says and how it ends. A process of its own would import everything again."""
    command, out, err = ["sebench", *args], io.StringIO(), io.StringIO()
    with (
        pytest.MonkeyPatch.context() as patch,
        redirect_stdout(out),
        redirect_stderr(err),
        pytest.raises(SystemExit) as end,
    ):
        patch.chdir(cwd)
        patch.setattr(sys, "argv", command)
        main()
    assert isinstance(end.value.code, int)
    return subprocess.CompletedProcess(command, end.value.code, out.getvalue(), err.getvalue())
