"""Writes the importable package of a world, and imports it.

The package has two parts: `__init__.py`, generated here, with one `def` per function (true signature, no documentation:
a closed book stays closed even to a program that reads `__doc__`), and `_core/`, the sources of `forge/runtime/`.
Functions are bound to the backend by salted digests, so the text contains no source library name and no mapping;
the meanings of forged parameter names and option words are stored in obfuscated form. The only place that names the
source library is the dependency in `pyproject.toml`, which pip needs.
"""

from __future__ import annotations

import ast
import importlib
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import reduce
from hashlib import blake2b
from importlib import resources
from pathlib import Path
from string import Template
from types import ModuleType
from typing import Any

from sebench.base.errors import ForgeError
from sebench.forge.catalog import backend, options, signature
from sebench.forge.catalog.catalog import CatalogEntry
from sebench.forge.changes.changes import FROM_ONE, REVERSED
from sebench.forge.names.naming import NAMES, Names
from sebench.forge.runtime.options import SPOKEN, veiled

BACKEND = "numpy"
RUNTIME_FILES = (
    "__init__.py", "engine.py", "plain.py", "kinds.py", "crossing.py", "calls.py", "silence.py", "arguments.py",
    "settled.py", "arrays.py", "messages.py", "printing.py",
)  # fmt: skip
SPEAKING_FILE = "options.py"  # included if parameters and words are forged
KIND_PARAMETERS = {"dtype": "kind", "otypes": "kinds"}  # parameters that name element kinds
# The frame of `__init__.py`. Everything is built inside a function, so that no internal name remains.
_FRAME = Template('''"""$package: arrays, and functions that work on them."""


def _open():
    from collections import namedtuple
    from importlib import import_module
    from sys import modules
    from types import ModuleType

    engine = import_module(f"{__name__}._core.engine")
$speaking    opened = engine.start(__name__, "$array", "$root", "$salt", frozenset([$inner]))
    bind, kind, kinds = opened.bind, opened.kind, opened.kinds
    listed, finite, callback = opened.listed, opened.finite, opened.callback
    made = {"": {"$array": opened.array_type, "_restore": opened.restore}}

    def unknown(module):
        def __getattr__(name):
            message = f"module '{module}' has no attribute '{name}'"
            raise AttributeError(message, name=name, obj=None)

        return __getattr__

    def publish(path, function):
        module, _, name = path.rpartition(".")
        function.__qualname__ = name
        function.__module__ = f"{__name__}.{module}" if module else __name__
        made.setdefault(module, {})[name] = function

$functions

    for path, content in made.items():
        if path:
            full_path = f"{__name__}.{path}"
            module = modules[full_path] = ModuleType(full_path)
            module.__package__ = __name__
            module.__dict__.update(content, __all__=sorted(content), __getattr__=unknown(full_path))
            made[""][path] = module
    for name in [m for m in modules if m.startswith(f"{__name__}._core")]:
        del modules[name]
    modules[f"{__name__}._core"] = None
    public = sorted(name for name in made[""] if not name.startswith("_"))
    return {**made[""], "__all__": public, "__getattr__": unknown(__name__)}


globals().update(_open())
del _open, _core
''')
# Inserted into the frame at the level `names+parameters` and above.
_SPEAKING = Template("""\
    options = import_module(f"{__name__}._core.options")
    engine.finder = options.speaking(engine.finder, {
$parameters
    })
    choice = options.choosing("$salt", {
$words
    })
""")
# Inserted into the frame at the level `names+parameters+behaviour`: changes results so that they count from 1 or are
# reversed. If the caller passes an array as `out`, the result is changed in that array.
_CHANGING = """\
    def counted(result, out=None):
        if type(result) is tuple:
            return tuple(counted(part) for part in result)
        if out is None:
            return result + 1
        out[...] = out + 1
        return out

    def backwards(result, axis=-1, out=None):
        if type(result) is tuple:
            return result[::-1]
        if not hasattr(result, "ndim"):
            return result
        axis = -1 if axis is None else axis
        turned = result[(slice(None),) * (axis % result.ndim) + (slice(None, None, -1),)]
        if out is None:
            return turned
        out[...] = turned
        return out

"""
_TOKEN = re.compile(r'"@([\w.]+)"')


def files(names: Names, forged: Mapping[str, CatalogEntry], seed: int) -> dict[str, str]:
    """Return every file of the package folder by relative path. `forged` maps each NumPy path in `names` to its
    entry."""
    salt = blake2b(f"salt:{seed}:{names.package}".encode(), digest_size=16).hexdigest()
    package = names.package
    package_files = {
        "pyproject.toml": _pyproject(package),
        f"{package}/__init__.py": _init(names, forged, salt),
    }
    for file in (*RUNTIME_FILES, *(() if names.level == NAMES else (SPEAKING_FILE,))):
        source = (resources.files("sebench.forge.runtime") / file).read_text("utf-8")
        package_files[f"{package}/_core/{file}"] = _rename_in_runtime(
            file, _strip_source(source, salt, _mark(names, file)), names
        )
    return package_files


@contextmanager
def import_package(folder: Path, package: str) -> Iterator[ModuleType]:
    """Import the package in `folder` afresh, and remove it from `sys.modules` afterwards."""
    wrote, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    before = _unload(package)
    sys.path.insert(0, str(folder))
    importlib.invalidate_caches()
    try:
        module = importlib.import_module(package)
        if Path(str(module.__file__)).parent.parent.resolve() != folder.resolve():
            raise ForgeError(f"'{package}' is the name of another installed module; choose another --name")
        yield module
    finally:
        sys.path.remove(str(folder))
        sys.dont_write_bytecode = wrote
        _unload(package)
        sys.modules.update(before)


def resolve(library: ModuleType, path: str) -> Any:
    """Return the object at a dotted path inside the package."""
    return reduce(getattr, path.split("."), library)


def _digest(path: str, salt: str) -> str:
    return blake2b(path.encode(), digest_size=8, key=salt.encode()).hexdigest()


def _strip_source(source: str, salt: str, mark: str) -> str:
    """Return runtime source without docstrings and comments, with each "@path" token replaced by `mark` and the digest
    of the path."""
    lines = source.splitlines()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node) is not None:
            docstring = node.body[0]
            alone = len(node.body) == 1 and not isinstance(node, ast.Module)
            for i in range(docstring.lineno - 1, docstring.end_lineno or docstring.lineno):
                lines[i] = ""
            if alone:
                lines[docstring.lineno - 1] = " " * docstring.col_offset + "pass"
    lines = [re.sub(r"\s+# .*$", "", line) for line in lines if not line.lstrip().startswith("#")]
    text = "\n".join(lines).strip() + "\n"
    return _TOKEN.sub(lambda m: f'"{mark}{_digest(m[1], salt)}"', re.sub(r"\n{3,}", "\n\n\n", text)).lstrip()


def _mark(names: Names, file: str = "settled.py") -> str:
    """Return the prefix of the digests of functions that take forged parameter names."""
    return SPOKEN if names.level != NAMES and file == "settled.py" else ""


def _rename_in_runtime(file: str, source: str, names: Names) -> str:
    """Rename parameters and words in runtime source: `calls.py` uses the parameter `out`, and `settled.py` uses some
    parameters and words of its functions.
    """
    if names.level == NAMES or file not in ("calls.py", "settled.py"):
        return source

    def replacement(match: re.Match[str]) -> str:
        text = match["text"]
        if text in names.parameters:
            return f'"{names.parameters[text]}"'
        if text in names.words:
            return f'bytes.fromhex("{text.encode().hex()}").decode()'
        return names.parameter(match[0]) if file == "settled.py" else match[0]

    return re.sub(r'"(?P<text>\w+)"|(?<![\w."~])[A-Za-z_]\w*', replacement, source)


def _init(names: Names, forged: Mapping[str, CatalogEntry], salt: str) -> str:
    lines: list[str] = []
    for path in sorted(names.functions):
        lines += ["", *_function(path, forged[path], names, salt)]
    return _FRAME.substitute(
        package=names.package,
        array=names.array,
        speaking=_renaming_code(names, salt),
        root=BACKEND.encode().hex(),
        salt=salt,
        inner=", ".join(f'"{_digest(m, salt)}"' for m in sorted(names.modules)),
        functions="\n".join(f"    {line}" if line else "" for line in lines[1:]),
    )


def _renaming_code(names: Names, salt: str) -> str:
    """Return the part of `__init__.py` that maps forged parameters and words back to NumPy's, and the code that changed
    functions need; "" if no parameters are forged."""
    if names.level == NAMES:
        return ""
    tables = {
        key: "\n".join(f'        "{new}": "{veiled(old, new, salt)}",' for old, new in table.items())
        for key, table in (("parameters", names.parameters), ("words", names.words))
    }
    return _SPEAKING.substitute(salt=salt, **tables) + (_CHANGING if names.changes else "")


def _function(original: str, entry: CatalogEntry, names: Names, salt: str) -> list[str]:
    """Return the source of one forged function."""
    path = names.functions[original]
    name = path.rpartition(".")[2]
    title = f"{names.package}.{path}"
    lines, defaults, arguments, late = [], [], [], []
    parameters = signature.read(names.without_changes().signature(entry)).parameters
    for p, known_as in zip(parameters, signature.read(entry.signature).all, strict=True):
        value = _argument_expression(p.name, known_as, entry, title)
        if names.words and (words := options.words(entry.path).get(known_as)):
            listed = " ".join(names.word(word) for word in words)
            lines.append(f'{name}_{p.name} = choice("{title}", "{p.name}", {p.default!r}, "{listed}")')
            value = f"{name}_{p.name}({value})"
        if p.kind is p.VAR_POSITIONAL:
            arguments.append(f"*{value}")
        elif p.default is p.empty:
            arguments.append(value)
        elif p.kind is p.POSITIONAL_ONLY:
            late.append(value)
        else:
            arguments.append(f"{p.name}={value}")
            defaults.append(f'"{p.name}": {p.default!r}')
    if late:
        arguments.append(f"*(v for v in ({', '.join(late)},) if v is not None)")
    named = ""
    if entry.fields:
        kind = names.results[original]
        fields = ", ".join(f'"{names.fields[f]}"' for f in entry.fields)
        lines.append(f'{kind} = made[""]["{kind}"] = namedtuple("{kind}", [{fields}], module=__name__)')
        named = f", {kind}"
    result = _changed_result(f"run_{name}({', '.join(arguments)})", entry, names)
    lines += [
        f'run_{name} = bind("{path}", "{_mark(names)}{_digest(original, salt)}", {{{", ".join(defaults)}}}{named})',
        "",
        f"def {name}{names.signature(entry)}:",
        f"    return {result}",
        "",
        f'publish("{path}", {name})',
    ]
    return lines


def _changed_result(call: str, entry: CatalogEntry, names: Names) -> str:
    """Return the expression for a function's result. `call` calls the original; its result is changed where the world's
    function differs."""
    change = names.change(entry.path)
    if change is None or change.kind not in (FROM_ONE, REVERSED):
        return call
    takes = signature.read(entry.signature).named
    axis = f", {names.parameter('axis')}" if change.kind == REVERSED and "axis" in takes else ""
    single_out = "out" in takes and signature.read(entry.signature).defaults["out"] is None
    out = f", out={names.parameter('out')}" if single_out else ""
    return f"{'counted' if change.kind == FROM_ONE else 'backwards'}({call}{axis}{out})"


def _argument_expression(parameter: str, known_as: str, entry: CatalogEntry, title: str) -> str:
    """Return the expression that a forged function passes to the runtime for one of its parameters. `known_as` is the
    parameter's name in the catalog, and `title` is the function's name in error messages.
    """
    if known_as in KIND_PARAMETERS:
        return f"{KIND_PARAMETERS[known_as]}({parameter})"
    if known_as in entry.finite:
        return f'finite({parameter}, "{title}", "{parameter}")'
    for names, function in ((entry.needs_array, "listed"), (entry.callbacks, "callback")):
        if known_as in names:
            return f"{function}({parameter})"
    return parameter


def _pyproject(package: str) -> str:
    return f"""[build-system]
requires = ["setuptools>=68"]
build-backend = "setuptools.build_meta"

[project]
name = "{package}"
version = "1.0.0"
description = "Arrays, and functions that work on them."
requires-python = ">=3.11"
dependencies = ["{BACKEND}{backend.SUPPORTED}"]

[tool.setuptools]
packages = ["{package}", "{package}._core"]
"""


def _unload(package: str) -> dict[str, ModuleType]:
    gone = [m for m in sys.modules if m == package or m.startswith(f"{package}.")]
    return {m: sys.modules.pop(m) for m in gone}
