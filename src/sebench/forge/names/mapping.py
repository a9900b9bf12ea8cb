"""Reads the names of a world from a file, in the format of the published mapping.

    {"main": {"mean": "kocito", ...}, "linalg": {"solve": "sarik", ...}, "main_reverse": {...}, "linalg_reverse": {...}}

The reverse tables are optional, but must agree if present. `package`, `array` and `modules` ({"linalg": "rfx"}) may be
set too. Aliases (`abs` for `absolute`) are separate functions here: the file decides.
"""

from __future__ import annotations

import json
import keyword
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from sebench.base.errors import ConfigError
from sebench.forge.catalog import backend, catalog
from sebench.forge.catalog.catalog import CatalogEntry
from sebench.forge.changes.changes import SHARE
from sebench.forge.names import naming
from sebench.forge.names.naming import MODULES, Names

_TABLES = ("main", *MODULES)
_KEYS = {*_TABLES, *(f"{t}_reverse" for t in _TABLES), "package", "array", "modules"}
# The published mapping does not name its package, array type and linear algebra module; these are their names.
_PUBLISHED = "4c909e375de54a00"
_PUBLISHED_NAMES: dict[str, Any] = {"package": "zwc", "array": "ZWCArray", "modules": {"linalg": "rfx"}}


@dataclass(frozen=True)
class MappedNames:
    """Names from a file, the catalog entry behind each, and the functions that the installed NumPy no longer has."""

    names: Names
    entries: Mapping[str, CatalogEntry]
    gone: tuple[str, ...]


def read(file: Path, seed: int, package: str = "", level: str = naming.NAMES, changed: float = SHARE) -> MappedNames:
    """Read the names in `file`; anything that it does not name (fields, result types, sub-modules, parameters) is drawn
    from the seed.
    """
    data = _parse(file)
    tables = {table: _table(file, data, table) for table in _TABLES if table in data}
    paths = {f"{'' if t == 'main' else t + '.'}{o}": word for t, words in tables.items() for o, word in words.items()}
    gone = tuple(sorted(p for p in paths if not backend.has(p)))
    known = catalog.by_any_name()
    entries = {p: known[p] for p in sorted(paths) if p not in gone and p in known}
    strange = sorted(paths.keys() - set(gone) - entries.keys())
    if strange:
        raise ConfigError(
            f"mapping {file}: these functions cannot be forged: {', '.join(strange)}; remove them from the mapping"
        )
    if "array" not in entries:
        raise ConfigError(f"mapping {file}: it has no name for 'array', without which no array can be created")
    if _digest(tables) == _PUBLISHED:
        data = {**_PUBLISHED_NAMES, **data}
    drawn = naming.draw(seed, entries.values(), package or _word(file, data, "package"), level, changed)
    modules = {m: data.get("modules", {}).get(m, w) for m, w in drawn.modules.items()}
    for module, word in modules.items():
        _check_word(file, f"modules.{module}", word)
    names = Names(
        package=drawn.package,
        array=_word(file, data, "array") or drawn.array,
        modules=modules,
        functions={p: f"{modules[p.rpartition('.')[0]]}.{paths[p]}" if "." in p else paths[p] for p in entries},
        fields=drawn.fields,
        results={p: drawn.results[e.path] for p, e in entries.items() if e.fields},
        parameters=drawn.parameters,
        words=drawn.words,
        changes=drawn.changes,
    )
    _check_distinct(file, names)
    return MappedNames(names, entries, gone)


def _parse(file: Path) -> dict[str, Any]:
    try:
        data = json.loads(file.read_text("utf-8"))
    except OSError as error:
        raise ConfigError(f"mapping {file}: cannot be read: {error.strerror}") from None
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise ConfigError(f"mapping {file}: not valid JSON: {error}") from None
    if not isinstance(data, dict) or "main" not in data:
        raise ConfigError(f"mapping {file}: it must be an object with a key 'main' that maps names to names")
    unknown = sorted(data.keys() - _KEYS)
    if unknown:
        raise ConfigError(f"mapping {file}: unknown keys: {', '.join(unknown)}; choose from {', '.join(sorted(_KEYS))}")
    if not isinstance(data.get("modules", {}), dict):
        raise ConfigError(f'mapping {file}: \'modules\' must be an object such as {{"linalg": "rfx"}}')
    return data


def _table(file: Path, data: dict[str, Any], table: str) -> dict[str, str]:
    words = data[table]
    if not isinstance(words, dict) or not all(isinstance(w, str) for w in words.values()):
        raise ConfigError(f"mapping {file}: '{table}' must map names to names")
    seen: dict[str, str] = {}
    for original, word in words.items():
        _check_word(file, f"{table}.{original}", word)
        if word in seen:
            raise ConfigError(f"mapping {file}: '{word}' is the name of both '{seen[word]}' and '{original}'")
        seen[word] = original
    reverse = data.get(f"{table}_reverse", seen)
    if reverse != seen:
        odd = sorted(set(map(str, seen.items() ^ reverse.items())) if isinstance(reverse, dict) else [])[:1]
        where = f", for example in {odd[0]}" if odd else ""
        raise ConfigError(f"mapping {file}: '{table}_reverse' does not agree with '{table}'{where}")
    return dict(words)


def _word(file: Path, data: dict[str, Any], key: str) -> str:
    word = data.get(key, "")
    if word != "":
        _check_word(file, key, word)
    return str(word)


def _check_word(file: Path, where: str, word: object) -> None:
    problem = name_problem(word)
    if problem:
        raise ConfigError(f"mapping {file}: '{where}' cannot be named {word!r}: {problem}")


def name_problem(word: object) -> str:
    """Return why a word cannot be a name in a forged package; "" if it can."""
    if not isinstance(word, str) or not word.isidentifier() or not word.isascii():
        return "it is not an identifier"
    if keyword.iskeyword(word):
        return "it is a Python keyword"
    if word.startswith("_"):
        return "it begins with an underscore"
    return ""


def _check_distinct(file: Path, names: Names) -> None:
    """Check that functions, sub-modules and the array type, which share the main module's namespace, have different
    names."""
    owner_of: dict[str, str] = {}
    top = {p: w for p, w in names.functions.items() if "." not in w}
    for what, word in [*top.items(), *names.modules.items(), ("the array type", names.array)]:
        if word in owner_of:
            raise ConfigError(f"mapping {file}: '{word}' is the name of both '{owner_of[word]}' and '{what}'")
        owner_of[word] = what


def _digest(tables: dict[str, dict[str, str]]) -> str:
    return sha256(json.dumps(tables, sort_keys=True).encode()).hexdigest()[:16]
