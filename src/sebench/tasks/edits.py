"""Makes small changes to a gold solution, each of them a mistake that a careless programmer could make.

Arguments are dropped, changed or swapped; options are added, inverted or replaced by other words; calls are left out;
comparisons become strict or lose strictness; operands are swapped; orders are not reversed. `mutants.py` runs the
resulting programs.

Not covered: several changes at once, and numbers changed by more than 1.
"""

from __future__ import annotations

import ast
import pickle
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, cast

from sebench.forge.catalog import catalog, options, signature
from sebench.tasks import gold

# Without this word, the order of equal elements depends on the processor: no case can kill such a mutant.
PROMISED = frozenset({"stable"})
# Options that change how a result is computed or stored, not its value.
WITHOUT_EFFECT = frozenset({"copy", "subok", "overwrite_input", "hermitian", "assume_unique"})
ONLY_FORM = frozenset({"keepdims", "sparse", "order"})  # if added, they change only the layout of an intermediate value
# Words with which a result depends on memory contents or layout.
UNDEFINED = frozenset({"empty", "A", "K"})
BORDERS: Mapping[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt
}  # fmt: skip
ORDERED = (ast.Sub, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow, ast.MatMult, ast.LShift, ast.RShift)


@dataclass(frozen=True)
class Edit:
    """A change to one node."""

    name: str  # "mean: axis=0 dropped"
    rule: str  # what `bank/equivalents/` calls it: "drop axis of mean"
    change: Callable[[Any], ast.expr]  # takes the node (in a copy of the program) and returns its replacement


def apply_edits(tree: ast.Module) -> Iterator[tuple[Edit, ast.Module]]:
    """Yield every possible edit to a program, with the resulting program."""
    packed = pickle.dumps(tree)
    for number, node in enumerate(ast.walk(tree)):
        for edit in _edits(node):
            changed = pickle.loads(packed)  # faster than copy.deepcopy
            yield edit, ast.fix_missing_locations(_Replace(changed, number, edit.change).visit(changed))


def calls(tree: ast.AST) -> Iterator[tuple[ast.Call, str]]:
    """Yield the calls to catalog functions in a program, with their paths."""
    for node in ast.walk(tree):
        if path := _catalog_path(node):
            assert isinstance(node, ast.Call)
            yield node, path


def _catalog_path(node: ast.AST) -> str:
    known = catalog.by_any_name()
    path = gold.numpy_path(node.func) if isinstance(node, ast.Call) else None
    return known[path].path if path and path in known else ""


class _Replace(ast.NodeTransformer):
    """Replaces one node, identified by its position in a walk over the tree."""

    def __init__(self, tree: ast.Module, number: int, change: Callable[[Any], ast.expr]) -> None:
        self.node = next(node for i, node in enumerate(ast.walk(tree)) if i == number)
        self.change = change

    def visit(self, node: ast.AST) -> Any:
        return self.change(node) if node is self.node else self.generic_visit(node)


def _edits(node: ast.AST) -> Iterator[Edit]:
    if isinstance(node, ast.Call) and (path := _catalog_path(node)):
        yield from _of_options(node, path)
        yield from _of_positions(node, path)
        if node.args and not isinstance(node.args[0], ast.Starred) and path != "array":
            yield Edit(f"{path} left out", f"leave out {path}", lambda call: call.args[0])
    elif isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in BORDERS:
        yield Edit(f"{ast.unparse(node)}: the other border", "border", _with(ops=[BORDERS[type(node.ops[0])]()]))
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ORDERED):
        yield Edit(
            f"{ast.unparse(node)}: operands swapped", "swap of operands", _with(left=node.right, right=node.left)
        )
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.Invert):
        if not isinstance(node.operand, ast.Constant):
            yield Edit(f"{ast.unparse(node)}: sign dropped", "drop of a sign", lambda unary: unary.operand)
    elif isinstance(node, ast.Subscript) and ast.unparse(node.slice) == "::-1":
        yield Edit(f"{ast.unparse(node)}: not reversed", "not reversed", lambda subscript: subscript.value)


def _with(**fields: Any) -> Callable[[Any], ast.expr]:
    """Return a change that sets these fields of a node."""

    def change(node: Any) -> ast.expr:
        for name, value in fields.items():
            setattr(node, name, value)
        return cast(ast.expr, node)

    return change


def _of_options(call: ast.Call, path: str) -> Iterator[Edit]:
    """Yield changes to keyword arguments: options dropped, changed, inverted, or added if they are not set."""
    forged = signature.read(catalog.by_any_name()[path].signature)
    present = {*(k.arg for k in call.keywords), *forged.positional[: len(call.args)]}
    for i, keyword in enumerate(call.keywords):
        if keyword.arg is None or keyword.arg in PROMISED | WITHOUT_EFFECT:
            continue
        written, before, after = ast.unparse(keyword), call.keywords[:i], call.keywords[i + 1 :]
        if keyword.arg in forged.defaults:
            yield Edit(f"{path}: {written} dropped", f"drop {keyword.arg} of {path}", _with(keywords=before + after))
        for value in _others(keyword.value, keyword.arg, path):
            edit = f"{path}: {written} -> {ast.unparse(value)}"
            changed = [*before, ast.keyword(keyword.arg, value), *after]
            yield Edit(edit, f"change {keyword.arg} of {path}", _with(keywords=changed))
    for name, default in forged.defaults.items():
        if name in present | PROMISED | WITHOUT_EFFECT | ONLY_FORM or any(k.arg is None for k in call.keywords):
            continue
        for value in (
            [ast.Constant(1)] if name == "ddof" and default == 0 else _others(ast.Constant(default), name, path)
        ):
            if isinstance(value.value, bool | str) or name == "ddof":
                edit = f"{path}: {name}={value.value!r} added"
                yield Edit(edit, f"add {name} of {path}", _with(keywords=[*call.keywords, ast.keyword(name, value)]))


def _of_positions(call: ast.Call, path: str) -> Iterator[Edit]:
    """Yield changes to positional arguments."""
    forged = signature.read(catalog.by_any_name()[path].signature)
    if any(isinstance(a, ast.Starred) for a in call.args):
        return
    for i, arg in enumerate(call.args):
        name = forged.positional[i] if i < len(forged.positional) else forged.rest
        if i and i == len(call.args) - 1 and name in forged.defaults:
            yield Edit(f"{path}: {name} dropped", f"drop {name} of {path}", _with(args=call.args[:-1]))
        for value in _others(arg, name, path):
            edit = f"{path}: {name}={ast.unparse(arg)} -> {ast.unparse(value)}"
            changed = [*call.args[:i], value, *call.args[i + 1 :]]
            yield Edit(edit, f"change {name} of {path}", _with(args=changed))
    for i, (a, b) in enumerate(pairwise(call.args)):
        if ast.dump(a) != ast.dump(b):
            swapped = [*call.args[:i], b, a, *call.args[i + 2 :]]
            yield Edit(f"{path}: arguments {i + 1} and {i + 2} swapped", f"swap of {path}", _with(args=swapped))


def _others(node: ast.expr, name: str, path: str) -> list[ast.Constant]:
    """Return near misses for a literal: the opposite truth value, one more and one less, the other words of the
    option."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
        value: Any = -node.operand.value if isinstance(node.operand.value, int | float) else None
    else:
        value = node.value if isinstance(node, ast.Constant) else None
    if isinstance(value, bool):
        return [ast.Constant(not value)]
    if isinstance(value, int):
        return [ast.Constant(value + 1), ast.Constant(value - 1)]
    if isinstance(value, str):
        words = options.words(path).get(name, ())
        return [ast.Constant(word) for word in words if word not in UNDEFINED | {value}] if value in words else []
    return []
