"""Bank folders: users' own tasks, as data, in addition to the built-in bank.

    my_bank/
      bank.toml      name, who made it and how, counts
      drafts.jsonl   one task per line (`drafts.py`)

`sebench author tasks` writes them, `sebench build --bank FOLDER` reads them. The tasks follow the bank's rules for code
and language, and can do nothing but compute (`confined.py` says what that covers).
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from sebench.bank.definition import Definition, bank
from sebench.base import files
from sebench.base.errors import BankError, ConfigError
from sebench.tasks import drafts, rules
from sebench.tasks.drafts import Draft, DraftError

DRAFTS, ABOUT = "drafts.jsonl", "bank.toml"
_NAME = re.compile(r"[a-z][a-z0-9_-]{0,40}")


@dataclass(frozen=True)
class BankFolder:
    """The contents of a bank folder."""

    name: str
    digest: str  # of its tasks
    text: str  # of its `drafts.jsonl`
    file: Path
    definitions: tuple[Definition, ...]


def read(folder: Path) -> BankFolder:
    """Read the tasks in a folder, and check each against the rules for code and language, since the folder may have
    been edited by hand.
    """
    file = folder / DRAFTS
    try:
        about = tomllib.loads((folder / ABOUT).read_text("utf-8"))
        file.read_bytes()
    except OSError as error:
        raise ConfigError(
            f"--bank {folder}: {Path(str(error.filename)).name} cannot be read ({error.strerror}); "
            f"a bank folder has {ABOUT} and {DRAFTS}"
        ) from None
    except (tomllib.TOMLDecodeError, UnicodeError) as error:
        raise ConfigError(f"--bank {folder}: {ABOUT} cannot be read: {error}") from None
    name = about.get("name", "")
    check_name(name, f"--bank {folder}: name in {ABOUT}")
    bank_folder = of_file(file, name)
    for definition in bank_folder.definitions:
        if problem := next(rules.language_violations(definition), ""):
            raise definition.error(problem)
    return bank_folder


def check_name(name: Any, place: str) -> None:
    """Raise ConfigError if a bank folder cannot have this name; `place` says where the name comes from."""
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise ConfigError(
            f"{place}: {name!r} is not a valid name; use lower-case letters, digits, hyphens and underscores, "
            f"such as 'night_shift'"
        )


def of_file(file: Path, name: str) -> BankFolder:
    """Return a bank folder with this name and the tasks in a file. A world contains such a file for each folder that it
    was built with.
    """
    text = file.read_bytes().decode("utf-8", "replace")
    return BankFolder(name, sha256(text.encode()).hexdigest(), text, file, definitions(file, name))


def definitions(file: Path, name: str) -> tuple[Definition, ...]:
    """Read the tasks in a file of drafts; raise BankError naming the first line that cannot be used."""
    by_name: dict[str, Definition] = {}
    # Only a newline ends a line: texts may contain other characters that str.splitlines would split at.
    lines = file.read_bytes().decode("utf-8", "replace").removesuffix("\n").split("\n")
    for number, line in enumerate(lines if lines != [""] else (), 1):
        place = f"{file.parent.name}/{file.name}:{number}"
        try:
            one = drafts.definition(drafts.parse(json.loads(line)), file, number, name)
        except (DraftError, ValueError, RecursionError) as error:
            raise BankError(f"{place}: {error}") from None
        if problem := next(rules.code_violations(one), ""):
            raise one.error(problem)
        if one.name in by_name:
            raise one.error(f"the name is already used in line {by_name[one.name].line}")
        by_name[one.name] = one
    return tuple(by_name.values())


def check_names(folders: Sequence[BankFolder]) -> None:
    """Check that folder names differ, and that no two tasks have the same name, including those of the built-in
    bank."""
    names = [folder.name for folder in folders]
    if len(set(names)) < len(names):
        raise ConfigError(f"--bank: two folders are named '{max(names, key=names.count)}'; rename one in its {ABOUT}")
    places = {definition.name: definition.place for definition in bank()}
    for folder in folders:
        for definition in folder.definitions:
            if definition.name in places:
                raise definition.error(f"the name is already used by {places[definition.name]}")
            places[definition.name] = definition.place


def write(folder: Path, kept: Sequence[Draft], about: Mapping[str, Any]) -> None:
    """Write a bank folder, each file atomically. Raise ConfigError if its tasks were edited since they were written."""
    text = "".join(f"{json.dumps(draft.to_json(), ensure_ascii=False)}\n" for draft in kept)
    digest, file = _digest(text), folder / DRAFTS
    written = files.read_toml(folder / ABOUT).get("digest", "")
    if written and file.is_file() and _digest(file.read_text("utf-8", "replace")) not in (written, digest):
        raise ConfigError(
            f"{file} was edited after it was written, so it is left as it is; rename it to write the tasks again (no "
            "call or check is repeated), or choose another --out"
        )
    files.make_folder(folder)
    files.write(file, text)
    files.write(folder / ABOUT, "".join(_toml({"digest": digest, **about})))


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:16]


def _toml(data: Mapping[str, Any], table: str = "") -> Iterator[str]:
    """Yield lines of TOML. Only what a bank folder needs is supported: strings, numbers, lists of strings, and tables
    of these."""
    if table:
        yield f"\n[{table}]\n"
    inner = {key: value for key, value in data.items() if isinstance(value, Mapping)}
    for key, value in data.items():
        if key not in inner:
            yield f"{json.dumps(key) if not key.isidentifier() else key} = {json.dumps(value, ensure_ascii=False)}\n"
    for key, value in inner.items():
        yield from _toml(value, f"{table}.{key}" if table else key)
