"""Scans texts for NumPy's parameter names and option words, in worlds that forge these.

    find(page, names)              # a page in Markdown
    in_program(source, names)      # a program that uses the package: gold, an example
    in_package(source, names)      # a file of the package itself

It finds them where they would be read as names: in `code`, in 'quotes', as keywords and words in calls to the package,
in signatures. A sentence may contain English words that are parameters elsewhere (`parameter_renaming.ENGLISH`), and
variables in a program may have any name. A single letter (`n`, `M`) is a name only on the page of a function that takes
it: on others it is a length.

`leaks.py` looks for all other traces of NumPy.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Set

from sebench.forge.catalog import options, signature
from sebench.forge.catalog.catalog import by_any_name
from sebench.forge.docs.parameter_renaming import ENGLISH, SHORT
from sebench.forge.names.leaks import PLAIN_CODE, Leak
from sebench.forge.names.naming import NAMES, Names
from sebench.forge.names.vocabulary import ARRAY_ATTRIBUTES

_FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
# The name quoted in an error message about an attribute comes from the program.
_QUOTED = re.compile(r"(?<!attribute )(?P<quote>['\"])(?P<text>\w+)(?P=quote)")
_NAME = re.compile(r"(?<![\w.'\"])[A-Za-z_]\w*")
_OF_PYTHON = frozenset({"args", "obj"})  # names that Python itself uses


def find(text: str, names: Names) -> list[Leak]:
    """Find NumPy's parameter names and option words in a page, an error message or help text."""
    if names.level == NAMES:
        return []
    own_names, own_words = _names_of_page(text, names)
    text_leaks: list[Leak] = []
    for block in _FENCED.findall(text):
        steps = "\n".join(line[4:] for line in block.splitlines() if line.startswith((">>> ", "... ")))
        text_leaks += in_program(steps, names)
    for line in _FENCED.sub("", text).splitlines():
        for i, piece in enumerate(re.split(r"`([^`]*)`", line)):
            known = _code_names(names) | own_names if i % 2 else _unmistakable_names(names)
            words = [match.group() for match in _NAME.finditer(piece) if match.group() in known]
            quoted = {m["text"] for m in _QUOTED.finditer(piece)}
            spoken = own_words | own_names | _code_names(names) | {w for w in names.words if len(w) > SHORT}
            words += sorted(quoted & spoken)
            text_leaks += [Leak(word, line.strip()[:80]) for word in words]
    return text_leaks


def in_program(source: str, names: Names) -> list[Leak]:
    """Find leaked keywords and option words in calls to the package's functions."""
    if names.level == NAMES:
        return []
    by_path = {forged: original for original, forged in names.functions.items()}
    program_leaks: list[Leak] = []
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call):
            continue
        path = by_path.get(ast.unparse(node.func).removeprefix(f"{names.package}."))
        if path is None:
            continue
        known = {word for listed in options.words(path).values() for word in listed}
        arguments = [*node.args, *(keyword.value for keyword in node.keywords)]
        words = [part.value for value in arguments for part in ast.walk(value) if isinstance(part, ast.Constant)]
        numpy_words = [keyword.arg for keyword in node.keywords if keyword.arg in names.parameters]
        numpy_words += [word for word in words if isinstance(word, str) and word in known]
        program_leaks += [Leak(word or "", f"line {node.lineno}: {ast.unparse(node)[:80]}") for word in numpy_words]
    return program_leaks


def in_package(source: str, names: Names) -> list[Leak]:
    """Find leaked names in the definitions of a package file, and leaked words and names in its strings."""
    if names.level == NAMES:
        return []
    package_leaks: list[Leak] = []
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.FunctionDef(name=name, args=args) if name in _forged_names(names):
                takes = [*args.posonlyargs, *args.args, *args.kwonlyargs, *([args.vararg] if args.vararg else [])]
                package_leaks += [
                    Leak(a.arg, f"line {a.lineno}: def {name}") for a in takes if a.arg in names.parameters
                ]
            case ast.arg(arg=word) | ast.keyword(arg=str(word)) | ast.Name(id=word) if word in _unmistakable_names(
                names
            ):
                package_leaks.append(Leak(word, f"line {node.lineno}"))
            case ast.Constant(value=str(word)) if len(word) > SHORT:
                if word in names.words or word in names.parameters.keys() - ARRAY_ATTRIBUTES:
                    package_leaks.append(Leak(word, f"line {node.lineno}"))
    return package_leaks


def _names_of_page(text: str, names: Names) -> tuple[Set[str], Set[str]]:
    """Return NumPy's names for the parameters and option words of the function that a page is about."""
    title = re.match(rf"# {re.escape(names.package)}\.([\w.]+)$", text, re.MULTILINE)
    original = next((o for o, forged in names.functions.items() if title and forged == title[1]), None)
    if original is None:
        return frozenset(), frozenset()
    takes = signature.read(by_any_name()[original].signature).all
    return frozenset(takes), frozenset(word for listed in options.words(original).values() for word in listed)


def _code_names(names: Names) -> Set[str]:
    """Return the parameter names that are recognized anywhere in code."""
    return {name for name in names.parameters if len(name) > SHORT} - PLAIN_CODE


def _unmistakable_names(names: Names) -> Set[str]:
    """Return the names that can only be a parameter, even in prose."""
    return _code_names(names) - ENGLISH - ARRAY_ATTRIBUTES - _OF_PYTHON


def _forged_names(names: Names) -> Set[str]:
    return {path.rpartition(".")[2] for path in names.functions.values()}
