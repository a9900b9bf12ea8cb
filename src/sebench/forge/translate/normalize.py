"""Translates NumPy programs, as people and models write them, into the world's names.

    translate_program("from numpy.linalg import norm as n\\ndef f(x):\\n    return n(x - x.mean())", names)

There are two steps. This module normalizes a program: every NumPy name is written in full (`np.linalg.norm`), methods
become functions (`np.mean(x)`), annotations, docstrings and f-strings are removed. Then `translate.py` replaces every
function name by its forged name and checks the arguments. Anything without an equivalent in the world raises
`Untranslatable`, which names it; nothing is guessed.

Whether `x` is an array is decided at run time, by small functions that are put in front of the program
(`numpy_idioms.py`): a list has no `mean()` in NumPy, so it has none in the translation. Layout and comments are lost.

Not covered: `from numpy import *`, classes derived from NumPy's, `np.random`, masked arrays, methods of ufuncs
(`np.add.reduce`), bound methods as values (`f = x.mean`), attributes of dtypes (`x.dtype.kind`);
docs/judge-reference.md has the list.
"""

from __future__ import annotations

import ast
import builtins
import copy
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from sebench.base.syntax import is_main_guard
from sebench.forge.names.naming import Names
from sebench.forge.names.vocabulary import ARRAY_ATTRIBUTES, BUILTIN_ATTRIBUTES, KINDS, METHODS, SHAPE_METHODS
from sebench.forge.translate.numpy_idioms import (
    ABSTRACT_KINDS,
    ARRAY_ONLY,
    CONCATENATORS,
    HELPERS,
    NO_EFFECT,
    SHARED_WITH_PYTHON,
    STABLE_SORTS,
    SUBSTITUTES,
)
from sebench.forge.translate.translate import Scope, Translator, Untranslatable

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def translate_program(source: str, names: Names) -> str:
    """Return the program with the world's names; raise Untranslatable if there is no translation. A SyntaxError is left
    to the caller."""
    translator = Translator(names, wraps=True)
    plain = _Normalizer(ast.parse(source), translator)
    scope = Scope(modules={"np": ""}, methods=False, own=plain.own)
    return translator.translate(plain.program(), scope).code


def _refuse_forged_words(nodes: Iterable[ast.AST], names: Names) -> None:
    """Refuse words of the forged library that would have their meaning in the translation. The prompt asks for NumPy,
    which has none of them. Functions and parameters need no check here: what follows `np.`, or precedes `=` in a call
    of NumPy, is always translated."""
    identifiers = {names.package, names.array, *names.fields.values(), *names.results.values()}
    texts = {names.package, *names.words.values()}
    for node in nodes:
        match node:
            case ast.Name(id=word) | ast.Attribute(attr=word) if word in identifiers:
                raise Untranslatable(f"{word}, a word of the forged library")
            case ast.Constant(value=str(text)) if text.partition(".")[0] in texts:
                raise Untranslatable(f"{text!r}, a word of the forged library")


class _Normalizer(ast.NodeTransformer):
    """Normalizes one program."""

    def __init__(self, tree: ast.Module, translator: Translator) -> None:
        self.tree, self.translator = tree, translator
        self.aliases: dict[str, str] = {}  # names bound by imports of NumPy -> paths below it
        self.others: set[str] = set()  # names bound by other imports
        self.shadows: list[set[str]] = []  # local names of each enclosing function
        self.used: dict[str, None] = {}  # helpers
        self.in_iterable = False  # of a comprehension
        nodes = list(ast.walk(tree))
        for node in nodes:
            if isinstance(node, ast.Import | ast.ImportFrom):
                self._bind(node)
        _refuse_forged_words(nodes, translator.names)
        self.own = set(_own_attributes(nodes))
        self.used_names = {n.id for n in nodes if isinstance(n, ast.Name)} | {
            n.arg for n in nodes if isinstance(n, ast.arg)
        }
        self.used_names |= {n.name for n in nodes if isinstance(n, ast.FunctionDef | ast.ClassDef)}
        if rebound := set(self.aliases) & _assigned_names(_top_level(tree)):
            raise Untranslatable(f"{min(rebound)} as a name for something else")
        if "np" in _assigned_names(nodes) or ("np" in self.others and "np" not in self.aliases):
            raise Untranslatable("np as a name for something else")

    def program(self) -> str:
        body = [self.visit(statement) for statement in self.tree.body if not is_main_guard(statement)]
        body = [statement for statement in body if not isinstance(statement, ast.Pass)]
        text = ast.unparse(ast.fix_missing_locations(ast.Module(_without_docstring(body), [])))
        helpers = "".join(HELPERS[name].strip("\n") + "\n\n" for name in self.used)
        for name in self.used:
            if (free := self._free(name)) != name:
                helpers = helpers.replace(f"def {name}(", f"def {free}(")
        return f"import numpy as np\n\n{helpers}{text}\n"

    def _free(self, name: str) -> str:
        """Return the name of a helper, changed if the program already uses it."""
        while name in self.used_names or name in self.others or hasattr(builtins, name):
            name += "_"
        return name

    # ---- names ------------------------------------------------------------------------------------------------------

    def _bind(self, node: ast.Import | ast.ImportFrom) -> None:
        module = node.module or "" if isinstance(node, ast.ImportFrom) else ""
        for alias in node.names:
            top, _, below = (module if isinstance(node, ast.ImportFrom) else alias.name).partition(".")
            bound = alias.asname or alias.name.partition(".")[0]
            if top == self.translator.names.package:
                raise Untranslatable(f"import of {top}")  # the prompt asks for NumPy
            if top != "numpy":
                self.others.add(bound)
            elif isinstance(node, ast.Import):
                self.aliases[bound] = below if alias.asname else ""
            elif alias.name == "*":
                raise Untranslatable("from numpy import *")
            else:
                self.aliases[bound] = f"{below}.{alias.name}" if below else alias.name

    def path(self, node: ast.AST) -> str | None:
        """Return the path below NumPy that an expression stands for ("" is NumPy itself), or None."""
        match node:
            case ast.Name(id=name, ctx=ast.Load()):
                hidden = any(name in names for names in self.shadows)
                return None if hidden else self.aliases.get(name)
            case ast.Attribute(value=value, attr=name) if (base := self.path(value)) is not None:
                return f"{base}.{name}" if base else name
            case ast.Call(func=ast.Name(id="getattr"), args=[value, ast.Constant(value=str(name))]):
                return name if self.path(value) == "" else None
        return None

    def _is_other(self, node: ast.AST) -> bool:
        """Whether an expression is the program's own object, or imported from another library. Calling it may still
        return an array.
        """
        if isinstance(node, ast.Name) and node.id in ("self", "cls"):
            return True
        while isinstance(node, ast.Attribute):
            node = node.value
        return isinstance(node, ast.Name) and node.id in self.others

    def _helper(self, name: str, *args: ast.expr) -> ast.Call:
        self.used[name] = None
        return ast.Call(ast.Name(self._free(name), ast.Load()), list(args), [])

    def _array(self, receiver: ast.expr) -> ast.expr:
        """Return the receiver of a method, with a run-time check that it is an array unless it is a direct result of
        NumPy."""
        sure = isinstance(receiver, ast.Call) and self.path(receiver.func) is not None
        array: ast.expr = self.visit(receiver)
        return array if sure else self._helper("array_only", array)

    def _function_of(self, path: str) -> ast.expr:
        if path in ("pi", "e"):
            return ast.Constant(getattr(np, path))  # the program may use the name `math` itself
        missing = path in SUBSTITUTES and self.translator.find(path) is None
        return _numpy_name(SUBSTITUTES[path] if missing else path)

    # ---- expressions ------------------------------------------------------------------------------------------------

    def visit_Name(self, node: ast.Name) -> Any:
        path = self.path(node)
        return node if path is None else self._function_of(path)

    def visit_Attribute(self, node: ast.Attribute) -> Any:
        path = self.path(node)
        if path is not None:
            return self._function_of(path)
        name, receiver = node.attr, node.value
        if isinstance(receiver, ast.Call) and self.path(receiver.func) in ("finfo", "iinfo"):
            return self._limit(receiver, name)
        if isinstance(receiver, ast.Attribute) and receiver.attr == "dtype" and "dtype" not in self.own:
            raise Untranslatable(f"array attribute dtype.{name}")
        if name in self.own or self._is_other(receiver):
            return self.generic_visit(node)
        if isinstance(node.ctx, ast.Load):
            if name in ("real", "imag"):
                return self._helper(SHARED_WITH_PYTHON[name], self.visit(receiver))
            if name in ("mT", "flat"):
                function = _numpy_name("ravel" if name == "flat" else METHODS[name])
                return ast.Call(function, [self._array(receiver)], [])
        elif name in ARRAY_ATTRIBUTES | {"real", "imag", "flat"}:
            raise Untranslatable(f"assignment to array attribute {name}")
        if name in ARRAY_ONLY:
            raise Untranslatable(
                f"array method {name} without a call" if name in METHODS else f"array attribute {name}"
            )
        return self.generic_visit(node)

    def _limit(self, call: ast.Call, name: str) -> ast.expr:
        """Replace a limit such as `np.finfo(float).eps` by its value."""
        kind = call.args[0] if call.args else ast.Name("float", ast.Load())
        path, about = self.path(kind), getattr(np, self.path(call.func) or "finfo")
        words = {"float": float, "int": int}
        scalar_type: Any = getattr(np, path, None) if path in KINDS else words.get(getattr(kind, "id", ""))
        if scalar_type is None or name not in ("eps", "max", "min", "tiny", "resolution"):
            raise Untranslatable(ast.unparse(call) + "." + name)
        try:
            value = getattr(about(scalar_type), name)
        except (AttributeError, ValueError):
            raise Untranslatable(ast.unparse(call) + "." + name) from None
        return ast.Constant(value.item() if about is np.finfo else value)

    def visit_Subscript(self, node: ast.Subscript) -> Any:
        path = self.path(node.value)
        if path in CONCATENATORS:
            parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
            if any(isinstance(p, ast.Slice) or (isinstance(p, ast.Constant) and type(p.value) is str) for p in parts):
                raise Untranslatable(f"np.{path} with slices or strings")
            return ast.Call(
                _numpy_name(CONCATENATORS[path]), [ast.Tuple([self.visit(p) for p in parts], ast.Load())], []
            )
        if isinstance(node.value, ast.Attribute) and node.value.attr == "flat" and not isinstance(node.ctx, ast.Load):
            raise Untranslatable("assignment to array attribute flat")
        return self.generic_visit(node)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.expr:
        """Rewrite an f-string as a join, because positions inside f-strings are wrong before Python 3.12."""
        parts: list[ast.expr] = []
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                value: ast.expr = self.visit(part.value)
                if part.conversion != -1:
                    value = _call({115: "str", 114: "repr", 97: "ascii"}[part.conversion], value)
                spec = [self.visit(part.format_spec)] if part.format_spec else []
                parts.append(_call("format", value, *spec))
            else:
                parts.append(part)
        return ast.Call(ast.Attribute(ast.Constant(""), "join", ast.Load()), [ast.List(parts, ast.Load())], [])

    # ---- calls ------------------------------------------------------------------------------------------------------

    def visit_Call(self, node: ast.Call) -> Any:
        if (path := self.path(node)) is not None:  # getattr(np, "mean")
            return _numpy_name(path)
        path = self.path(node.func)
        if path == "fromiter" and node.args:
            listed = _call("list", self.visit(node.args[0]))
            return self.visit(
                ast.Call(_numpy_name("array"), [_AlreadyNormalized(listed), *node.args[1:2]], node.keywords)
            )
        if path is not None:
            node.keywords = _forged_keywords(path, node.keywords, len(node.args) - 1)
        match node:
            case ast.Call(func=ast.Name(id="isinstance"), args=[value, kinds], keywords=[]):
                return _call("isinstance", self.visit(value), self._kinds(kinds))
            case ast.Call(func=ast.Attribute(value=receiver, attr=name)) if path is None:
                return self._method(node, receiver, name)
        return self.generic_visit(node)

    def visit_comprehension(self, node: ast.comprehension) -> ast.comprehension:
        before, self.in_iterable = self.in_iterable, True
        node.iter = self.visit(node.iter)
        self.in_iterable = before
        node.target, node.ifs = self.visit(node.target), [self.visit(test) for test in node.ifs]
        return node

    def visit__AlreadyNormalized(self, node: _AlreadyNormalized) -> ast.expr:
        return node.held

    def _kinds(self, node: ast.expr) -> Any:
        """Rewrite the second argument of `isinstance`: the world's numbers have Python's types."""
        if isinstance(node, ast.Tuple):
            return ast.Tuple([self._kinds(part) for part in node.elts], ast.Load())
        path = self.path(node)
        if path in ABSTRACT_KINDS:
            return ast.parse(ABSTRACT_KINDS[path], mode="eval").body
        return self.visit(node)

    def _method(self, node: ast.Call, receiver: ast.expr, name: str) -> ast.expr:
        if self._is_other(receiver) or not hasattr(np.ndarray, name):
            return self._plain_call(node, receiver, name)
        if name in self.own:
            both = name in METHODS
            return self._either(node, receiver, name) if both else self._plain_call(node, receiver, name)
        if name in SHARED_WITH_PYTHON and not node.args and not node.keywords:
            return self._helper(SHARED_WITH_PYTHON[name], self.visit(receiver))
        if name in METHODS and name not in BUILTIN_ATTRIBUTES:
            return self._function(node, receiver, name)
        if name in ARRAY_ONLY:
            raise Untranslatable(f"array method {name}()")
        return self._plain_call(node, receiver, name)

    def _either(self, node: ast.Call, receiver: ast.expr, name: str) -> ast.expr:
        """Rewrite a call to a method that both arrays and the program's own objects have; the rewritten code decides at
        run time which of them it is."""
        if self.in_iterable:  # Python does not allow `:=` there
            raise Untranslatable(f"{name}() of the program's own object in the iterable of a comprehension")
        held = self._free("receiver")
        first = ast.NamedExpr(ast.Name(held, ast.Store()), self.visit(receiver))
        test = _call("isinstance", first, _numpy_name("ndarray"))
        one = ast.Name(held, ast.Load())
        theirs = self._plain_call(copy.deepcopy(node), one, name)
        return ast.IfExp(test, self._function(node, one, name), theirs)

    def _plain_call(self, node: ast.Call, receiver: ast.expr, name: str) -> ast.Call:
        func = ast.Attribute(self.visit(receiver), name, ast.Load())
        return ast.Call(func, [self.visit(a) for a in node.args], [self.visit(k) for k in node.keywords])

    def _function(self, node: ast.Call, receiver: ast.expr, name: str) -> ast.expr:
        """Rewrite `x.mean(axis=0)` as `np.mean(x, axis=0)`."""
        array, function = self._array(receiver), _numpy_name(METHODS[name])
        args: list[ast.expr] = [self.visit(arg) for arg in node.args]
        keywords: list[ast.keyword] = _forged_keywords(name, [self.visit(k) for k in node.keywords], len(args))
        if name in SHAPE_METHODS and (len(args) > 1 or any(isinstance(a, ast.Starred) for a in args)):
            args = [ast.Tuple(args, ast.Load())]
        if name == "astype":
            args += [keyword.value for keyword in keywords if keyword.arg == "dtype"]
            keywords = [keyword for keyword in keywords if keyword.arg != "dtype"]
        if name == "compress":
            return ast.Call(function, [*args[:1], array, *args[1:]], keywords)
        return ast.Call(function, [array, *args], keywords)

    # ---- statements -------------------------------------------------------------------------------------------------

    def visit_Expr(self, node: ast.Expr) -> Any:
        match node.value:
            case ast.Call(func=func) if self.path(func) in NO_EFFECT:
                return ast.Pass()
            case ast.Call(func=ast.Attribute(value=receiver, attr=name)) as call:
                in_place = (
                    None if name in self.own or self._is_other(receiver) else self._in_place(call, receiver, name)
                )
                return in_place or self.generic_visit(node)
        return self.generic_visit(node)

    def _in_place(self, call: ast.Call, receiver: ast.expr, name: str) -> ast.stmt | None:
        """Rewrite a method that changes an array in place as a statement; None for any other method. (A string's
        `partition` would do nothing as a statement, so an array is meant.)"""
        if name == "fill" and len(call.args) == 1 and not call.keywords:
            return _set_all(self.visit(receiver), self.visit(call.args[0]))
        if name == "sort" and all(k.arg == "axis" for k in call.keywords):
            axis = [self.visit(a) for a in (*call.args, *(k.value for k in call.keywords))]
            return ast.Expr(self._helper("sort_in_place", self.visit(receiver), *axis))
        if name == "partition":
            array = self.visit(receiver)
            parted = ast.Call(_numpy_name("partition"), [array, *map(self.visit, call.args)], call.keywords)
            return _set_all(array, parted)
        return None

    def visit_With(self, node: ast.With) -> Any:
        """Remove `with np.errstate(...)`, which changes no value."""
        rest = [
            item
            for item in node.items
            if not (isinstance(item.context_expr, ast.Call) and self.path(item.context_expr.func) in NO_EFFECT)
        ]
        if not rest:
            return ast.If(ast.Constant(True), self._body(node.body), [])
        return self.generic_visit(ast.With(rest, node.body))

    def _body(self, statements: Iterable[ast.stmt]) -> list[ast.stmt]:
        return [self.visit(statement) for statement in statements]

    def visit_Import(self, node: ast.Import) -> ast.stmt:
        kept = [alias for alias in node.names if alias.name.partition(".")[0] != "numpy"]
        return ast.Import(kept) if kept else ast.Pass()

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.stmt:
        gone = (node.module or "").partition(".")[0] == "numpy" or node.module == "__future__"
        return ast.Pass() if gone and not node.level else node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.stmt:
        """Remove annotations, except in classes, where they may be dataclass fields."""
        if node.value is None:
            return ast.Pass()
        return ast.Assign([self.visit(node.target)], self.visit(node.value), lineno=node.lineno)

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.ClassDef:
        if any(self.path(base) is not None for base in node.bases):
            raise Untranslatable(f"class {node.name} derived from NumPy's {ast.unparse(node.bases[0])}")
        body: list[ast.stmt] = []
        for statement in _without_docstring(node.body):
            if isinstance(statement, ast.AnnAssign):
                value = self.visit(statement.value) if statement.value else None
                kind = ast.Name("object", ast.Load())
                body.append(ast.AnnAssign(statement.target, kind, value, statement.simple))
            else:
                body.append(self.visit(statement))
        node.bases = [self.visit(base) for base in node.bases]
        node.decorator_list = [self.visit(one) for one in node.decorator_list]
        node.body = body or [ast.Pass()]
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        node.decorator_list = [self.visit(one) for one in node.decorator_list]
        node.returns = None
        node.body = _without_docstring(node.body)
        return self.visit_Lambda(node)

    visit_AsyncFunctionDef = visit_FunctionDef  # type: ignore[assignment]

    def visit_Lambda(self, node: ast.Lambda | ast.FunctionDef) -> Any:
        for arg in _arguments(node.args):
            arg.annotation = None
        node.args.defaults = [self.visit(value) for value in node.args.defaults]
        node.args.kw_defaults = [self.visit(value) if value else None for value in node.args.kw_defaults]
        self.shadows.append(_locals(node))
        node.body = self.visit(node.body) if isinstance(node, ast.Lambda) else self._body(node.body)
        self.shadows.pop()
        return node


class _AlreadyNormalized(ast.expr):
    """An expression that is already normalized."""

    def __init__(self, held: ast.expr) -> None:
        super().__init__()
        self.held = held


def _numpy_name(path: str) -> ast.expr:
    """Return the expression `np.linalg.norm` for "linalg.norm"."""
    node: ast.expr = ast.Name("np", ast.Load())
    for part in path.split(".") if path else ():
        node = ast.Attribute(node, part, ast.Load())
    return node


def _forged_keywords(path: str, keywords: list[ast.keyword], positional_count: int) -> list[ast.keyword]:
    """Return the keywords of a call as the forged function takes them.

    `positional_count` is the number of positional arguments after the array.
    """
    if path == "clip":
        named = {"min": "a_min", "max": "a_max"}
        renamed = [ast.keyword(named.get(keyword.arg or "", keyword.arg), keyword.value) for keyword in keywords]
        limits = [name for name in named.values() if name in {keyword.arg for keyword in renamed}]
        if len(limits) + positional_count == 1:  # the forged function requires both
            missing = "a_max" if positional_count or "a_min" in limits else "a_min"
            renamed.append(ast.keyword(missing, ast.Constant(None)))
        return renamed
    if path in ("sort", "argsort"):
        kinds = [keyword.value for keyword in keywords if keyword.arg == "kind"]
        stable = any(isinstance(kind, ast.Constant) and kind.value in STABLE_SORTS for kind in kinds)
        rest = [keyword for keyword in keywords if keyword.arg != "kind"]
        return [*rest, ast.keyword("stable", ast.Constant(True))] if stable else rest
    return keywords


def _call(name: str, *args: ast.expr) -> ast.Call:
    return ast.Call(ast.Name(name, ast.Load()), list(args), [])


def _set_all(array: ast.expr, value: ast.expr) -> ast.stmt:
    return ast.Assign([ast.Subscript(array, ast.Constant(...), ast.Store())], value, lineno=0)


def _without_docstring(body: list[ast.stmt]) -> list[ast.stmt]:
    match body:
        case [ast.Expr(value=ast.Constant(value=str())), *rest]:
            return rest or [ast.Pass()]
    return body


def _arguments(args: ast.arguments) -> Iterator[ast.arg]:
    yield from (*args.posonlyargs, *args.args, *args.kwonlyargs)
    yield from (arg for arg in (args.vararg, args.kwarg) if arg)


def _locals(function: ast.FunctionDef | ast.Lambda) -> set[str]:
    """Return a function's local names: its parameters, and the names it assigns or defines other than by importing."""
    body: list[Any] = [function.body] if isinstance(function, ast.Lambda) else list(function.body)
    nodes: list[ast.AST] = []
    outer: set[str] = set()
    while body:
        node = body.pop()
        nodes.append(node)
        if isinstance(node, ast.Global | ast.Nonlocal):
            outer |= set(node.names)
        if not isinstance(node, FUNCTIONS):
            body.extend(ast.iter_child_nodes(node))
    return (_assigned_names(nodes) | {arg.arg for arg in _arguments(function.args)}) - outer


def _assigned_names(nodes: Iterable[ast.AST]) -> set[str]:
    """Return the names that these nodes assign or define, except imports and parameters."""
    names: set[str] = set()
    for node in nodes:
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                names.add(name)
            case ast.ExceptHandler(name=str(name)):
                names.add(name)
    return names


def _top_level(tree: ast.Module) -> Iterator[ast.AST]:
    """Yield the nodes that run when the program is loaded; for functions and classes only the definition itself."""
    for statement in tree.body:
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield statement
        else:
            yield from ast.walk(statement)


def _own_attributes(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Yield the attributes that the program defines on its own objects."""
    for node in nodes:
        match node:
            case ast.ClassDef(body=body):
                for statement in body:
                    inner = ast.walk(statement) if isinstance(statement, ast.Assign | ast.AnnAssign) else [statement]
                    yield from _assigned_names(inner)
            case ast.Attribute(value=ast.Name(id="self"), attr=name, ctx=ast.Store()):
                yield name
            case ast.Call(func=ast.Name(id="namedtuple") | ast.Attribute(attr="namedtuple"), args=[_, fields, *_]):
                for part in ast.walk(fields):
                    if isinstance(part, ast.Constant) and isinstance(part.value, str):
                        yield from part.value.replace(",", " ").split()
