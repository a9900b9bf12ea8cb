"""Recognises programs that equal the gold (reference) solution of a test task. The guard searches for them, and answers
that contain one are left out."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping

from sebench.base.records import Task
from sebench.base.syntax import parse
from sebench.tasks import splits
from sebench.world.world import World

_FENCE = re.compile(r"```[^\n`]*\n(.*?)```", re.S)
# The canonical form of a call with only variables as arguments, or of an empty program.
_BARE_CALL = re.compile(r"(?:return [\w.]+\((?:v\d+(?:, v\d+)*)?\))?")
_VARIABLE = re.compile(r"(?<![\w.])[A-Za-z_]\w*\b(?!=[^=])")  # not a keyword argument


def held_out_golds(world: World) -> dict[str, Task]:
    """Map each test task's gold, in canonical form, to the task. Gold that a training task shares, or that is a bare
    call, is left out."""
    known = {canonical(task.gold) for task in world.tasks(splits.TRAIN)}
    tests = (task for split in splits.SPLITS if split != splits.TRAIN for task in world.tasks(split))
    golds = {canonical(task.gold): task for task in tests}
    return {gold: task for gold, task in golds.items() if gold not in known and not _BARE_CALL.fullmatch(gold)}


def programs_of(text: str) -> set[str]:
    """Return the programs in a text, in canonical form: those in its code blocks, or else the text itself."""
    blocks = _FENCE.findall(text) or ([text] if "def " in text else [])
    return {canonical(block) for block in blocks if "def " in block} - {""}


def canonical(code: str) -> str:
    """Return the functions of a program with numbered variables and inlined assignments, or "" if it has no
    function."""
    tree = parse(code)
    if isinstance(tree, SyntaxError):
        return ""
    return "\n".join(_canonical(node) for node in tree.body if isinstance(node, ast.FunctionDef))


def _canonical(function: ast.FunctionDef) -> str:
    bound: dict[str, ast.expr] = {}
    rest: list[ast.stmt] = []
    for node in function.body:
        match node:
            case ast.Expr(value=ast.Constant()):
                continue
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if not rest:
                bound[name] = inline_variables(value, bound)
            case ast.Return(value=ast.expr() as value) if not rest:
                rest.append(ast.Return(inline_variables(value, bound)))
            case _:  # loops and other statements stay unchanged, after the assignments
                rest += [ast.Assign([ast.Name(name, ast.Store())], value) for name, value in bound.items()]
                bound = {}
                rest.append(node)
    text = ast.unparse(ast.fix_missing_locations(ast.Module(rest, [])))
    own = {n.arg for n in ast.walk(function) if isinstance(n, ast.arg)}
    own |= {n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    order: dict[str, str] = {}

    def number(name: re.Match[str]) -> str:
        return order.setdefault(name[0], f"v{len(order)}") if name[0] in own else name[0]

    return _VARIABLE.sub(number, text)


class _Inliner(ast.NodeTransformer):
    def __init__(self, bound: Mapping[str, ast.expr]) -> None:
        self.bound = bound

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self.bound.get(node.id, node)

    def visit_Lambda(self, node: ast.Lambda) -> ast.expr:
        own = {argument.arg for argument in node.args.args}
        inner = _Inliner({name: value for name, value in self.bound.items() if name not in own})
        node.body = inner.visit(node.body)
        return node


def inline_variables(node: ast.expr, bound: Mapping[str, ast.expr]) -> ast.expr:
    """Return the expression with variables replaced by their values."""
    copy = ast.parse(ast.unparse(node), mode="eval").body
    inlined = _Inliner(bound).visit(copy)
    assert isinstance(inlined, ast.expr)
    return inlined
