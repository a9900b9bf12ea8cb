"""The contents of `world.json`: seed, names, counts, hashes, the versions that built the world, and its fingerprint."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from difflib import get_close_matches
from hashlib import sha256
from pathlib import Path
from typing import Any

from sebench.base.errors import WorldError
from sebench.base.files import kind_of
from sebench.base.wording import describe_error, shell
from sebench.forge.names.naming import Names
from sebench.tasks.edition import Edition
from sebench.version import __version__

FORMAT = 3  # incremented when older worlds can no longer be read
MANIFEST = "world.json"
FACTS = ("fingerprint", "sebench", "numpy")  # recorded with a world, but not part of its fingerprint


@dataclass(frozen=True)
class PageWriting:
    """Who wrote the pages of a variant: a world with the package and tasks of another world, and pages by a language
    model."""

    of: str  # fingerprint of the world whose pages were rewritten
    model: str
    checker: str  # the model that compared the new pages with the old; "" if there was none
    rewritten: int  # pages written by the model
    kept: int  # pages of the offline writer, kept because the model's were rejected
    prompts: str  # digest of the models' prompts
    sampling: Mapping[str, Any]  # temperature, seed and the like


@dataclass(frozen=True)
class Manifest:
    """The contents of `world.json`."""

    format: int
    seed: int
    canary: str
    sebench: str
    numpy: str
    names: Names
    gone: tuple[str, ...]  # functions of a mapping that the installed NumPy does not have
    part: str  # "all", or the slice of the catalog
    split: str  # how test tasks are chosen: "drawn" from the seed, or "fixed"
    tasks: Mapping[str, int]  # number of tasks in each split
    mutants: Mapping[str, int]  # numbers of look-alike programs: killed by the cases, equivalent to gold, survived
    files: Mapping[str, str]  # sha256 of every other file, by relative path
    fingerprint: str
    matched: Names | None = None  # names of the matched world, if this one leaves functions out
    banks: Mapping[str, str] = field(default_factory=dict)  # digest of each bank folder, by its name
    pages: PageWriting | None = None  # who wrote the pages, if it was a language model
    # For a world made from published files: the numbers of lines, usable lines and lines with gold in each split, and
    # the pages from the file.
    published: Mapping[str, Any] = field(default_factory=dict)
    changed: float = 0.0  # the share of functions that were to differ from NumPy's
    edition: Edition | None = None  # how it differs from the edition before it

    @property
    def matched_names(self) -> Names:
        """The names in the matched world: the world that the same seed and options produce without `--leave-out`."""
        return self.matched or self.names

    @property
    def left_out(self) -> dict[str, str]:
        """The functions that this world lacks and the matched world has: NumPy path -> forged name in the matched
        world."""
        return self.names.lacking(self.matched_names)

    def to_json(self) -> dict[str, Any]:
        data = {**asdict(self), "names": self.names.to_json()}
        # What only some worlds have is omitted where it is empty.
        for key in ("matched", "pages", "banks", "published", "changed", "edition"):
            if not data[key]:
                del data[key]
        if self.edition:
            data["edition"] = self.edition.to_json()
        if self.matched and not self.matched.changes:
            del data["matched"]["changes"]
        return data

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Manifest:
        matched = Names.from_json(data["matched"]) if "matched" in data else None
        names = Names.from_json(data["names"])
        pages = PageWriting(**data["pages"]) if "pages" in data else None
        edition = Edition.from_json(data["edition"]) if "edition" in data else None
        parsed = {"names": names, "gone": tuple(data["gone"]), "matched": matched, "pages": pages, "edition": edition}
        return cls(**{**data, **parsed})


def read(path: Path) -> Manifest:
    """Read the manifest of the world in a folder; the other files are not checked."""
    file = path / MANIFEST
    if not file.is_file():
        beside = [folder.parent.name for folder in path.parent.glob(f"*/{MANIFEST}") if not path.name.isdigit()]
        near = get_close_matches(path.name, beside, 1)
        step = "give the seed or the folder of a world, or build one with 'sebench build'"
        if kind := kind_of(path):
            raise WorldError(f"{path} is {kind}, not a world; give the seed or the folder of a world")
        if near:
            step = f"did you mean {path.parent / near[0]}?"
        elif path.exists():
            step = "give the seed or the folder of a world"
        what = f"is not a world: it has no {MANIFEST}" if path.exists() else "does not exist"
        raise WorldError(f"{shell(path)} {what}; {step}")
    try:
        data = json.loads(file.read_text("utf-8"))
        if data["format"] != FORMAT:
            raise WorldError(
                f"world {path} has format {data['format']}, but sebench {__version__} reads "
                f"format {FORMAT}; build it again"
            )
        return Manifest.from_json(data)
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise WorldError(
            f"world {path} is damaged: {MANIFEST} cannot be read ({describe_error(error)}); build it again"
        ) from None


def write(folder: Path, manifest: Manifest) -> Manifest:
    """Write the manifest of the world in a folder, with its fingerprint."""
    manifest = replace(manifest, fingerprint=fingerprint(manifest))
    text = json.dumps(manifest.to_json(), indent=1, ensure_ascii=False)
    (folder / MANIFEST).write_text(f"{text}\n", "utf-8")
    return manifest


def fingerprint(manifest: Manifest) -> str:
    """Compute one hash over everything that determines this world. Versions are not part of it: the same bytes are the
    same world."""
    data = manifest.to_json()
    for key in FACTS:
        del data[key]
    return sha(json.dumps(data, sort_keys=True).encode())


def sha(data: bytes) -> str:
    return sha256(data).hexdigest()
