"""Tasks that are written for a test, and read in the same way as a file of the bank."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from sebench.bank.definition import Definition, read

HEAD = "import numpy as np\nfrom sebench.bank.definition import task\nfrom sebench.bank.kinds import *\n\n"


def definitions(tmp_path: Path, text: str, part: str = "single") -> tuple[Definition, ...]:
    file = tmp_path / part / "drafts.py"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(HEAD + text)
    spec = importlib.util.spec_from_file_location("drafts", file)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return read(module)


GOOD = '''
@task
def quiz_average(points: Vector(Float(0, 20), (2, 7))):
    """Each number in `points` is what one pupil scored in a quiz. Return the class average as a single number."""
    return np.mean(points)
'''
