"""Static checks of a program: whether it imports a numeric library, which of the package's names it uses, and which
names it invents.

Nothing else is forbidden. A program that is not stateless runs in a process that contains nothing to steal, and can use
only the library names that occur in it.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from sebench.base.records import Kind
from sebench.judge.program.rules import NUMERIC, NUMPY
from sebench.judge.program.vocabulary import Vocabulary, shape

MOST_INVENTED = 20  # names that are recorded for one program
_WORDED = (ast.Name, ast.keyword, ast.Constant)


@dataclass(frozen=True)
class UsedNames:
    """The parts of a vocabulary that a program uses."""

    functions: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()
    types: tuple[str, ...] = ()


def refusal(tree: ast.Module, nodes: Sequence[ast.AST]) -> tuple[Kind, str] | None:
    """If a program imports a numeric library and so must not be run, return the kind of refusal (NumPy has its own) and
    a reason with the library and the line; otherwise return None."""
    if not any(_numeric_imports(node) for node in nodes):
        return None  # most answers
    executed = _executed_numeric_imports(tree)
    return next(((Kind.NUMPY if root == NUMPY else Kind.POLICY, where) for root, where in executed), None)


def find_other_numeric_import(tree: ast.Module) -> str:
    """Return the numeric library other than NumPy that a program imports, with its line, or "" if there is none. Used
    for answers that may import NumPy."""
    return next((where for root, where in _executed_numeric_imports(tree) if root != NUMPY), "")


def _executed_numeric_imports(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Yield the numeric libraries that a program imports when it runs, each with its line."""
    for node in _executed_nodes(tree):
        yield from ((root, f"line {node.lineno}: import of {root}") for root in _numeric_imports(node))  # type: ignore[attr-defined]


def _numeric_imports(node: ast.AST) -> list[str]:
    """Return the numeric libraries that a statement imports."""
    if isinstance(node, ast.Import):
        return [root for alias in node.names if (root := alias.name.partition(".")[0]) in NUMERIC]
    if isinstance(node, ast.ImportFrom) and not node.level:
        root = (node.module or "").partition(".")[0]
        return [root] if root in NUMERIC else []
    return []


def find_used_names(nodes: Sequence[ast.AST], vocabulary: Vocabulary) -> UsedNames:
    """Return the names of a package that a program uses: as an attribute, in an import, or in `getattr` with a
    constant. Strings and comments do not count. After `from library import *`, bare names count too.
    """
    words = _usable_words(nodes)
    modules = tuple(name for name in vocabulary.modules if name in words)
    functions = []
    for word in words:
        for path in vocabulary.by_word.get(word, ()):
            if "." not in path or path.partition(".")[0] in modules:
                functions.append(path)
    types = tuple(name for name in (vocabulary.array, *vocabulary.results) if name in words)
    return UsedNames(tuple(functions), modules, types)


def count_guesses(nodes: Sequence[ast.AST], vocabulary: Vocabulary) -> int:
    """Return how many words a program uses that look like the package's functions but do not exist. A list of
    thousands of such words would contain some functions by chance."""
    return sum(shape(word) in vocabulary.shapes for word in _usable_words(nodes).keys() - vocabulary.words)


def uses_word(nodes: Sequence[ast.AST], words: Collection[str]) -> bool:
    """Whether a program uses one of these words as a name, as a keyword or as a whole string."""
    if not words:
        return False
    texts = (getattr(n, key, "") for n in nodes for key in ("id", "arg", "value") if isinstance(n, _WORDED))
    return not {*_words(nodes), *(text for text in texts if isinstance(text, str))}.isdisjoint(words)


def find_invented_names(nodes: Sequence[ast.AST], vocabulary: Vocabulary) -> tuple[str, ...]:
    """Return the names that a program uses although the package lacks them: `vok.mean`, `from vok import mean`,
    `vok.rfx.mean`, `getattr(vok, "mean")`. The package prefix is omitted: "mean", "rfx.mean"."""
    requested = dict.fromkeys(_requested_names(nodes, vocabulary))
    own = {"", *vocabulary.modules}  # attributes of functions or of invented names do not count
    missing = (
        name
        for name in requested
        if name not in vocabulary.known and name not in own
        if name.rpartition(".")[0] in own
        and not name.rpartition(".")[2].startswith(("__", "*"))  # dunders are Python's
    )
    return tuple(islice(missing, MOST_INVENTED))


def _requested_names(nodes: Sequence[ast.AST], vocabulary: Vocabulary) -> Iterator[str]:
    """Yield the names below the package that a program uses."""
    places = _module_names(nodes, vocabulary)
    for node in nodes:
        if isinstance(node, ast.Attribute):
            if (place := _module_of(node.value, places, vocabulary)) is not None:
                yield _join_path(place, node.attr)
        elif isinstance(node, ast.ImportFrom):
            if node.module and not node.level and (place := _path_below(node.module, vocabulary.package)) is not None:
                yield place
                yield from (_join_path(place, alias.name) for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (_path_below(alias.name, vocabulary.package) or "" for alias in node.names)
        elif isinstance(node, ast.Call):
            match node:
                case ast.Call(func=ast.Name(id="getattr"), args=[value, ast.Constant(value=str(name)), *_]):
                    if (place := _module_of(value, places, vocabulary)) is not None:
                        yield _join_path(place, name)


def _module_names(nodes: Sequence[ast.AST], vocabulary: Vocabulary) -> dict[str, str]:
    """Map the names that refer to the package or one of its modules to the module's path ("" for the package
    itself)."""
    modules_by_name: dict[str, str] = {}
    for node in nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                if (place := _path_below(alias.name, vocabulary.package)) is not None:
                    modules_by_name[alias.asname or vocabulary.package] = place if alias.asname else ""
        elif isinstance(node, ast.ImportFrom) and node.module == vocabulary.package and not node.level:
            modules_by_name |= {
                alias.asname or alias.name: alias.name for alias in node.names if alias.name in vocabulary.modules
            }
    return modules_by_name


def _module_of(node: ast.AST, places: Mapping[str, str], vocabulary: Vocabulary) -> str | None:
    """Return the path of the module that an expression such as `vok.rfx` refers to, "" for the package itself; None if
    it refers to neither."""
    if isinstance(node, ast.Name):
        return places.get(node.id)
    inner = node.value if isinstance(node, ast.Attribute) and node.attr in vocabulary.modules else None
    return node.attr if isinstance(inner, ast.Name) and places.get(inner.id) == "" else None  # type: ignore[attr-defined]


def _path_below(module: str, package: str) -> str | None:
    """Return the path of a module below the package; None if it is not part of the package."""
    return "" if module == package else module.removeprefix(f"{package}.") if module.startswith(f"{package}.") else None


def _join_path(place: str, name: str) -> str:
    return f"{place}.{name}" if place else name


def find_stdlib_imports(nodes: Sequence[ast.AST]) -> tuple[str, ...]:
    """Return the standard modules that a program imports, by an import statement or a constant string
    (`importlib.import_module("math")`)."""
    imported: dict[str, None] = {}
    for node in nodes:
        match node:
            case ast.Import(names=names):
                imported |= dict.fromkeys(alias.name for alias in names)
            case ast.ImportFrom(module=str(module), names=names, level=0):
                imported |= dict.fromkeys((module, *(f"{module}.{alias.name}" for alias in names)))
            case ast.Call(args=[ast.Constant(value=str(name)), *_]):
                imported[name] = None
    return tuple(name for name in imported if name.partition(".")[0] in sys.stdlib_module_names)


def _usable_words(nodes: Sequence[ast.AST]) -> dict[str, None]:
    """Return the words by which a program could use a package's functions."""
    words = dict.fromkeys(_words(nodes))
    if any(type(n) is ast.ImportFrom and n.names[0].name == "*" for n in nodes):
        words |= dict.fromkeys(n.id for n in nodes if isinstance(n, ast.Name))
    return words


def _words(nodes: Sequence[ast.AST]) -> Iterator[str]:
    for node in nodes:
        kind = type(node)
        if kind is ast.Attribute:
            yield node.attr  # type: ignore[attr-defined]
        elif kind is ast.Import or kind is ast.ImportFrom:
            yield from (getattr(node, "module", "") or "").split(".")
            for alias in node.names:  # type: ignore[attr-defined]
                yield from alias.name.split(".")
        elif kind is ast.Call:
            match node:
                case ast.Call(func=ast.Name(id="getattr"), args=[_, ast.Constant(value=str(name)), *_]):
                    yield name


def _executed_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """Yield every node except those that never run here: under `if __name__ == "__main__":` and `if TYPE_CHECKING:`."""
    yield node
    for child in ast.iter_child_nodes(node):
        match child:
            case ast.If(
                test=ast.Compare(
                    left=ast.Name(id="__name__"), ops=[ast.Eq()], comparators=[ast.Constant(value="__main__")]
                )
                | ast.Name(id="TYPE_CHECKING")
                | ast.Attribute(attr="TYPE_CHECKING")
            ):
                for other in child.orelse:
                    yield from _executed_nodes(other)
            case _:
                yield from _executed_nodes(child)
