"""Settings as dataclasses whose fields declare each setting's default, help text and bounds in one place.

    @dataclass(frozen=True)
    class RunConfig:
        samples: int = option(1, "Responses per prompt.", least=1)

        def __post_init__(self) -> None:
            check(self)

Flags (`cli/options.py`), TOML files (`read`, `check_table`) and manifests (`to_json`) come from the same record.

Not covered: combinations of settings, which the records check themselves.
"""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import Field, field, fields
from pathlib import Path
from typing import Any, TypeVar

from sebench.base.errors import ConfigError
from sebench.base.files import kind_of
from sebench.base.wording import describing, did_you_mean, shell

C = TypeVar("C")  # a dataclass of settings
NAMES = {str: "string", int: "whole number", float: "number", tuple: "list of strings", bool: "boolean (true or false)"}


def option(default: Any, help: str, heading: str = "", **more: Any) -> Any:
    """Declare a setting with its default and the help text for --help; `heading` starts a group of settings.

    `check` uses these keys in `more`: `least`, `most` and `below` (bounds of a number), `choices` (for a word, or each
    word of a list), `words` (a list that may be written with commas). Other keys are for code that reads the record.
    """
    return field(default=default, metadata={"help": help, "heading": heading, **more})


def copy_option(record: Any, name: str, **more: Any) -> Any:
    """Declare a setting as in another record, except for the keys that `more` overrides."""
    (there,) = (one for one in fields(record) if one.name == name)
    return option(there.default, **{**there.metadata, **more})


def check(config: Any, where: str = "") -> None:
    """Split lists written with commas, and raise ConfigError for the first value out of bounds or not among the
    choices."""
    for setting in fields(config):
        about, value = setting.metadata, getattr(config, setting.name)
        if about.get("words"):
            value = tuple(word for text in value for one in text.split(",") if (word := one.strip()))
            object.__setattr__(config, setting.name, value)
        if choices := about.get("choices"):
            for word in value if isinstance(value, tuple) else (value,):
                if word not in choices:
                    allowed = [*filter(None, choices), *(["empty"] if "" in choices else [])]
                    raise ConfigError(
                        f"{where}{setting.name} = {word!r}: must be {', '.join(allowed[:-1])} or {allowed[-1]}"
                    )
        if isinstance(value, float) and not math.isfinite(value):
            raise ConfigError(f"{where}{setting.name} = {value}: must be a finite number")
        least, most, below = (about.get(key) for key in ("least", "most", "below"))
        small = least is not None and value < least
        if small or (most is not None and value > most) or (below is not None and value >= below):
            bounds = f"at least {least}" if most is None else f"from {least} to {most}"
            bounds += f" and less than {below}" if below is not None else ""
            raise ConfigError(f"{where}{setting.name} = {value}: must be {bounds}")


def to_json(config: Any, without: Collection[str] = ()) -> dict[str, Any]:
    """Return the settings as plain JSON data."""
    chosen = {f.name: getattr(config, f.name) for f in fields(config) if f.name not in without}
    return {key: list(value) if isinstance(value, tuple) else value for key, value in chosen.items()}


def names_marked(config: Any, key: str, value: Any = True) -> tuple[str, ...]:
    """Return the names of the settings whose declaration has this key and value."""
    return tuple(f.name for f in fields(config) if f.metadata.get(key) == value)


def read(config: type[C], file: Path | None, overrides: Mapping[str, Any]) -> C:
    """Read the settings in a TOML file, overridden by those from the command line."""
    return config(**{**read_file(config, file), **overrides})


def read_file(config: type[Any], file: Path | None) -> dict[str, Any]:
    """Read the settings in a TOML file, or return {} without a file."""
    if file is None:
        return {}
    data = read_toml(file)
    if isinstance(data.get("method"), list):
        what, command = ("a stream", "stream") if "stages" in data else ("an experiment", "experiment")
        raise ConfigError(f"{file} is {what}, because it has [[method]]: run it with 'sebench {command} {shell(file)}'")
    return check_table(config, data, str(file))


def read_toml(file: Path, examples: str = "", repeated: str = "") -> dict[str, Any]:
    """Read a TOML file. If it does not exist, the error suggests one with a similar name next to it or in the folder
    `examples`. If it cannot be read and `repeated`, a table that it may have several times, is written with single
    brackets, the error says so."""
    text = ""
    try:
        text = file.read_text("utf-8")
        return tomllib.loads(text)
    except FileNotFoundError:
        near = [one for folder in (examples or file.parent, file.parent) for one in Path(folder).glob("*.toml")]
        start = f", or start from one of the repository's files in {examples}/" if examples else ""
        step = did_you_mean(file, near, f"check the path{start}")
        raise ConfigError(f"{file} cannot be read: there is no such file; {step}") from None
    except IsADirectoryError:
        step = "give a TOML file"
        if kind_of(file) == "an experiment":
            page = next(file.glob("*.html"), None)
            step = f"to continue the experiment in it, give its TOML file and --out {shell(file)}"
            step += f"; its results are in {page}" if page else ""
        raise ConfigError(f"{file} is a folder; {step}") from None
    except OSError as error:
        raise ConfigError(f"{file} cannot be read: {error.strerror}") from None
    except (UnicodeError, tomllib.TOMLDecodeError) as error:
        single = repeated and re.search(rf"^\s*\[\s*{repeated}\s*\]", text, re.MULTILINE)
        step = f"; write [[{repeated}]] instead of [{repeated}]" if single else ""
        step = step or ("; a text needs quotes" if "Invalid value" in str(error) else "")
        raise ConfigError(f"{file} cannot be read: {error}{step}") from None


def help_texts(config: type[Any]) -> dict[str, str]:
    """Return the help text of every setting."""
    return {setting.name: setting.metadata.get("help", "") for setting in fields(config)}


def check_names(data: Mapping[str, Any], known: Mapping[str, str], where: str, tables: Sequence[str] = ()) -> None:
    """Raise ConfigError for the first setting or table that does not exist. The error suggests one with a similar name,
    or a setting whose help text contains the name. `known` has the help texts of all settings; `tables` are written as
    in the file: [learn], [[method]]."""
    names = {*known, *(table.strip("[]") for table in tables)}
    for key, value in data.items():
        name = key.replace("-", "_")
        if name in names:
            continue
        if tables and (isinstance(value, dict) or (isinstance(value, list) and value and isinstance(value[0], dict))):
            step = did_you_mean(f"[{key}]", tables, f"choose from {', '.join(tables)}")
            raise ConfigError(f"{where}: no table '{key}'; {step}")
        described = describing(name, known)
        step = f"did you mean {described}?" if described else f"choose from {', '.join((*known, *tables))}"
        step = did_you_mean(name, (*known, *tables), step)
        if not tables and isinstance(value, dict):
            step = f"settings are at the top level here: remove the line [{key}]"
        raise ConfigError(f"{where}: no setting '{key}'; {step}")


def check_table(config: type[Any], data: Mapping[str, Any], where: str) -> dict[str, Any]:
    """Check a TOML table: every setting must exist and have the right type."""
    known: dict[str, Field[Any]] = {f.name: f for f in fields(config)}
    check_names(data, help_texts(config), where)
    settings: dict[str, Any] = {}
    for key, value in data.items():
        name = key.replace("-", "_")
        expected_type = type(known[name].default)
        if expected_type is tuple and isinstance(value, str):
            settings[name] = (value,)
        elif expected_type is tuple and isinstance(value, list) and all(isinstance(item, str) for item in value):
            settings[name] = tuple(value)
        elif expected_type is float and type(value) is int:
            settings[name] = float(value)
        elif type(value) is not expected_type:
            raise ConfigError(f"{where}: {key} = {value!r} is not a {NAMES[expected_type]}")
        else:
            settings[name] = value
    return settings
