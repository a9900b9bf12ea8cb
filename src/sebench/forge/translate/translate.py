"""Translates NumPy code into the same program with a world's names.

    Translator(names).code("np.mean(x.reshape(2, 3), axis=0)")   # vok.kocito(vok.resh(x, (2, 3)), axis=0)

The program is parsed with `ast`, but written by splicing its source text at the positions of the nodes: layout,
comments and quotes stay, and the result does not depend on the Python version. Anything that the world lacks (an
unforged function, a parameter missing from the forged signature, an array attribute) raises `Untranslatable`, which
names it; nothing is guessed. Where a function of the world differs from NumPy's (forge/changes), the call is written so
that the program gives the same results. An attribute that some builtin type also has (`x.copy()`) is only changed when
`x` is certainly an array.

Used for the examples of the documentation, for the gold solutions of tasks, and for models' answers after
`normalize.py` has normalized them. The catalog and `Names` say what is forged; the tables of words are in
`vocabulary.py`. f-strings are only copied: their inner positions are wrong before Python 3.12.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from sebench.base import syntax
from sebench.forge.catalog import backend, catalog, options, signature
from sebench.forge.catalog.signature import Signature
from sebench.forge.changes.changes import DEFAULT, FROM_ONE, ORDER, REVERSED, Change
from sebench.forge.names.naming import Names
from sebench.forge.names.vocabulary import (
    ARRAY_ATTRIBUTES,
    BUILTIN_ATTRIBUTES,
    CONSTANTS,
    KIND_OF_CODE,
    KINDS,
    METHODS,
    SHAPE_METHODS,
    STAND_INS,
)
from sebench.forge.translate import function_variables

PYTHON_KINDS = frozenset({"bool", "int", "float", "complex", "str"})
# Functions that can change and whose results are tuples, or arrays that are reversed along the last axis.
RESULT_TUPLES = frozenset("nonzero unravel_index divmod modf histogram polydiv".split())
LAST_AXIS = frozenset({"sort_complex", "linalg.eigvalsh", "linalg.svdvals"})
METHODS_OF_LENGTHS = frozenset(METHODS[name] for name in SHAPE_METHODS)
NUMPY = "numpy_"  # stands for NumPy in a call that is translated again


class Untranslatable(Exception):
    """The program uses something that the world does not have; the message names it."""


@dataclass
class Scope:
    """What the names of a program stand for. Pass the same scope to translate a session step by step."""

    modules: dict[str, str] = field(default_factory=lambda: {"np": "", "numpy": ""})  # "LA" -> "linalg"
    functions: dict[str, str] = field(default_factory=dict)  # "norm" -> "linalg.norm"
    arrays: set[str] = field(default_factory=set)  # variables that certainly hold arrays
    others: set[str] = field(default_factory=set)  # modules other than NumPy
    methods: bool = True  # False if array attributes are already resolved (`normalize.py`)
    own: set[str] = field(default_factory=set)  # in that case, attributes of the program's own objects


@dataclass(frozen=True)
class Translation:
    """A translated program, the modules it needs beyond its own imports, and the NumPy paths it uses."""

    body: str
    imports: tuple[str, ...]
    functions: tuple[str, ...]

    @property
    def code(self) -> str:
        return "".join(f"import {module}\n" for module in self.imports) + self.body


class Translator:
    """Translates programs into one world's terms. With `wraps`, a changed function that is used as a value, as in
    `map(np.argmax, rows)`, becomes a lambda expression; without it, such a program is untranslatable."""

    def __init__(self, names: Names, wraps: bool = False) -> None:
        self.names = names
        self.wraps = wraps

    def code(self, source: str) -> str:
        """Return the program with the world's names, with `import math` in front where a constant needs it."""
        return self.translate(source).code

    def translate(self, source: str, scope: Scope | None = None) -> Translation:
        """Translate a program, and collect the imports and functions it needs. A SyntaxError is left to the caller."""
        splicer = _Splicer(self, source, scope or Scope())
        body = splicer.program()
        return Translation(body, tuple(sorted(splicer.imports)), tuple(dict.fromkeys(splicer.used)))

    def find(self, path: str) -> str | None:
        """Return the NumPy path under which this function is forged: the path itself, its canonical name or an
        alias."""
        return self.names.find(path) or (self.find(STAND_INS[path]) if path in STAND_INS else None)


class _Splicer:
    """Translates one program. `text(node)` is the node's source with every part of it translated."""

    def __init__(self, translator: Translator, source: str, scope: Scope) -> None:
        self.translator = translator
        self.names = translator.names
        self.scope = scope
        self.bytes = source.encode()  # ast counts columns in bytes
        self.tree = syntax.tree(source)
        self.imports: set[str] = set()
        self.used: list[str] = []
        self.line_starts = [0]
        for line in self.bytes.splitlines(keepends=True):
            self.line_starts.append(self.line_starts[-1] + len(line))

    def program(self) -> str:
        body = self.splice(self.tree, 0, len(self.bytes))
        self.imports -= self.scope.others
        return body

    @cached_property
    def function_variables(self) -> dict[str, str]:
        return function_variables.function_variables(self.tree, self.path)

    @cached_property
    def string_literals(self) -> set[str]:
        constants = (node.value for node in ast.walk(self.tree) if isinstance(node, ast.Constant))
        return {value for value in constants if isinstance(value, str)}

    @cached_property
    def whole_values(self) -> set[ast.AST]:
        """The expressions that need no parentheses, whatever replaces them."""
        alone = (ast.Return, ast.Assign, ast.Expr, ast.keyword)
        values: set[ast.AST] = {node.value for node in ast.walk(self.tree) if isinstance(node, alone) and node.value}
        return values.union(*(node.args for node in ast.walk(self.tree) if isinstance(node, ast.Call)))

    # ---- positions ----------------------------------------------------------------------------------------

    def start(self, node: ast.AST) -> int:
        decorators = getattr(node, "decorator_list", None)  # a decorated function starts at its `def`
        first: Any = decorators[0] if decorators else node
        return int(self.line_starts[first.lineno - 1] + first.col_offset)

    def end(self, node: ast.AST) -> int:
        return self.line_starts[node.end_lineno - 1] + int(node.end_col_offset)  # type: ignore[attr-defined]

    def parts(self, node: ast.AST) -> Iterator[ast.AST]:
        """Yield the nearest descendants that have a source position of their own."""
        for child in ast.iter_child_nodes(node):
            if hasattr(child, "lineno"):
                yield child
            else:
                yield from self.parts(child)

    def splice(self, node: ast.AST, start: int, end: int, instead: Mapping[ast.AST, str] | None = None) -> str:
        """Return the source from start to end, with each part of the node in that range replaced by its translation, or
        by its text in `instead`."""
        out, at = [], start
        for part in sorted(self.parts(node), key=self.start):
            if start <= self.start(part) and self.end(part) <= end:
                out.append(self.bytes[at : self.start(part)].decode())
                out.append((instead or {}).get(part) or self.text(part))
                at = self.end(part)
        out.append(self.bytes[at:end].decode())
        return "".join(out)

    # ---- nodes --------------------------------------------------------------------------------------------

    def text(self, node: ast.AST) -> str:
        match node:
            case ast.Import() | ast.ImportFrom():
                return self.import_statement(node)
            case ast.JoinedStr():
                return self.f_string(node)
            case ast.Call(func=ast.Name(id="partial") | ast.Attribute(attr="partial"), args=[function, *_]) if (
                self.names.parameters and (path := self.path(function)) is not None and self.translator.find(path)
            ):
                return self.partial_call(node, path)
            case ast.Call(func=ast.Name(id=name)) if self.names.parameters and (
                path := self.function_variables.get(name)
            ):
                return self.splice(node, self.start(node), self.end(node), self.arguments(node, path, filled=0))
            case ast.Name() | ast.Attribute() if (path := self.path(node)) is not None:
                return self.reference(node, path)
            case ast.Attribute():
                return self.attribute(node)
            case ast.Call(func=ast.Attribute() as method) if not self.scope.methods and self.path(method) is None:
                instead: Mapping[ast.AST, str] = {method: self.splice(method, self.start(method), self.end(method))}
                return self.splice(node, self.start(node), self.end(node), instead)
            case ast.Call() if (path := self.path(node.func)) is not None:
                return self.call(node, path)
            case ast.Call(func=ast.Attribute() as method):
                return self.method_call(node, method)
            case ast.Expr(value=ast.Call(func=ast.Attribute(attr="fill" | "sort") as method) as call) if (
                self.scope.methods and self.path(method) is None
            ):
                return self.in_place(call, method)
            case ast.Compare():
                return self.compare(node)
            case ast.Assign():
                return self.assign(node)
            case ast.Name(ctx=ast.Store()):
                for known in (self.scope.modules, self.scope.functions):
                    known.pop(node.id, None)
        return self.splice(node, self.start(node), self.end(node))

    def path(self, node: ast.AST) -> str | None:
        """Return the path below NumPy that a dotted name stands for ("" is NumPy itself), or None."""
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Store):
            return self.scope.modules.get(node.id, self.scope.functions.get(node.id))
        if isinstance(node, ast.Attribute) and (base := self.path(node.value)) is not None:
            return f"{base}.{node.attr}" if base else node.attr
        return None

    def reference(self, node: ast.AST, path: str) -> str:
        """Translate NumPy's `path` where it is used as a value."""
        if path in CONSTANTS:
            constant = CONSTANTS[path]
            if constant.startswith("math."):
                self.imports.add("math")
            return constant
        if path in KINDS:
            word = KINDS[path]
            return word if word in PYTHON_KINDS else f'"{word}"'
        if path == "ndarray":
            return f"{self.names.package}.{self.names.array}"
        if path == "linalg.LinAlgError":
            return "ValueError"
        function = self.function(path)
        change = self.change(path)
        return function if change is None else self.undoing_function(change, function)

    def change(self, path: str) -> Change | None:
        """Return how the world's function differs from NumPy's at this path; None if it does not."""
        return self.names.change(path) if self.names.changes and self.translator.find(path) else None

    def function(self, path: str) -> str:
        forged_path = self.translator.find(path)
        if forged_path is None:
            raise Untranslatable(f"np.{path}" if path else "np as a value")
        self.used.append(forged_path)
        return self.names.forged(forged_path)

    # ---- calls --------------------------------------------------------------------------------------------

    def call(self, node: ast.Call, path: str) -> str:
        if path == "dtype" and len(node.args) == 1:
            return self.kind(node.args[0], as_word=True)
        if path in KINDS:
            return self.kind_call(node, path)
        change = self.change(path)
        if change is not None:
            instead = {node.func: self.function(path), **self.changed_arguments(node, change, path)}
            return self.undone(node, change, self.splice(node, self.start(node), self.end(node), instead))
        function = self.reference(node.func, path)
        instead = {node.func: function, **self.arguments(node, path, filled=0)}
        return self.splice(node, self.start(node), self.end(node), instead)

    def kind_call(self, node: ast.Call, path: str) -> str:
        """Translate a call to an element kind (dtype): `np.float64(3)` is a plain number, `np.uint8([1, 2])` an array
        of that kind."""
        word = KINDS[path]
        if len(node.args) == 1 and isinstance(node.args[0], ast.List):
            kind = word if word in PYTHON_KINDS else f'"{word}"'
            return f"{self.function('array')}({self.text(node.args[0])}, {self.names.parameter('dtype')}={kind})"
        if word in PYTHON_KINDS:
            return self.splice(node, self.start(node), self.end(node), {node.func: word})
        raise Untranslatable(f"np.{path} of a single number")

    def arguments(self, node: ast.Call, path: str, filled: int) -> dict[ast.AST, str]:
        """Check the arguments against the forged signature; return the new text of those that must change.

        `filled` counts the positional parameters that are already filled (the array, for a method).
        """
        forged_path = self.translator.find(path) or path
        forged = signature.read(catalog.by_any_name()[forged_path].signature)
        renamed = self.names.parameter
        changed: dict[ast.AST, str] = {}
        starred = any(isinstance(a, ast.Starred) for a in node.args)
        originals = backend.positions(forged_path)
        for i, arg in enumerate(node.args, start=filled):
            if starred or (forged.rest and i >= len(forged.positional)):
                break
            name = self.parameter_at(i, forged, originals, forged_path)
            if name == "dtype" or self.names.words:
                changed[arg] = self.argument(forged_path, name, arg)
            if i >= len(forged.positional) or forged.positional[i] != name:
                changed[arg] = f"{renamed(name)}={changed.get(arg) or self.text(arg)}"
        for keyword in node.keywords:
            if keyword.arg is not None and keyword.arg not in forged.named:
                raise Untranslatable(f"np.{forged_path}({keyword.arg}=)")
            if keyword.arg is None and self.names.parameters:
                changed[keyword] = self.unpacked_mapping(keyword.value, forged_path)
            elif keyword.arg is not None and (keyword.arg == "dtype" or self.names.parameters):
                changed[keyword] = f"{renamed(keyword.arg)}={self.argument(forged_path, keyword.arg, keyword.value)}"
        return changed

    def argument(self, path: str, parameter: str, node: ast.expr) -> str:
        """Translate an argument: an element kind, an option word, or any other value."""
        if parameter == "dtype":
            return self.kind(node)
        if isinstance(node, ast.NamedExpr):
            return f"({self.text(node)})"
        words = options.words(path).get(parameter, ()) if self.names.words else ()
        return self.choice(node, words, f"np.{path}({parameter}=") if words else self.text(node)

    def choice(self, node: ast.expr, words: tuple[str, ...], title: str) -> str:
        """Translate an option word. One that is not a literal is looked up at run time."""
        parts: dict[ast.AST, str]
        match node:
            case ast.Constant(value=str(word)):
                if word not in words:
                    raise Untranslatable(f"{title}{word!r})")
                return repr(self.names.word(word))
            case ast.IfExp(body=body, orelse=orelse):
                parts = {part: self.choice(part, words, title) for part in (body, orelse)}
            case ast.Tuple(elts=elements) | ast.List(elts=elements):
                parts = {part: self.choice(part, words, title) for part in elements}
            case ast.Constant() | ast.UnaryOp():
                return self.text(node)
            case _ if self.path(node) is not None:  # a constant of NumPy, such as np.inf
                return self.text(node)
            case _ if isinstance(node, ast.Name) and not self.string_literals.intersection(words):
                return self.text(node)
            case _:
                table = {word: self.names.word(word) for word in words}
                return f"(lambda word: {table!r}.get(word, word) if isinstance(word, str) else word)({self.text(node)})"
        return self.splice(node, self.start(node), self.end(node), parts)

    def unpacked_mapping(self, node: ast.expr, path: str) -> str:
        """Translate `**{"axis": 0}`; the names in any other mapping are unknown."""
        if not isinstance(node, ast.Dict):
            raise Untranslatable(f"np.{path}(**{ast.unparse(node)})")
        items = []
        for key, value in zip(node.keys, node.values, strict=True):
            if not isinstance(key, ast.Constant) or not isinstance(key.value, str):
                raise Untranslatable(f"np.{path}(**{ast.unparse(node)})")
            items.append(f"{self.names.parameter(key.value)!r}: {self.argument(path, key.value, value)}")
        return f"**{{{', '.join(items)}}}"

    def partial_call(self, node: ast.Call, path: str) -> str:
        """Translate `partial(np.mean, axis=0)`."""
        function, rest = node.args[0], node.args[1:]
        inner = self.arguments(ast.Call(function, rest, node.keywords), path, filled=0)
        return self.splice(node, self.start(node), self.end(node), {**inner, function: self.reference(function, path)})

    @staticmethod
    def parameter_at(i: int, forged: Signature, originals: tuple[str, ...] | None, path: str) -> str:
        """Return the parameter that NumPy fills with its i-th argument; the forged signature may lack some of those
        before it."""
        here = forged.positional[i] if i < len(forged.positional) else None
        original = originals[i] if originals and i < len(originals) else here
        if original is None:
            raise Untranslatable(f"argument {i + 1} of np.{path}")
        if original in forged.named:
            return original
        if here is not None and originals is not None and here not in originals:
            return here  # the same parameter under another name
        raise Untranslatable(f"np.{path}({original}=)")

    def kind(self, node: ast.AST, as_word: bool = False) -> str:
        """Translate a dtype argument into the world's vocabulary."""
        path = self.path(node)
        match node:
            case ast.Constant(value=str(code)):
                word = KIND_OF_CODE.get(code.lstrip("<=|"))
            case _ if path is not None and path in KINDS:
                word = KINDS[path]
            case ast.Call(args=[inner]) if self.path(node.func) == "dtype":
                return self.kind(inner, as_word)
            case ast.Name(id=name) if name in PYTHON_KINDS:
                word = "text" if name == "str" else name
            case ast.Name(id="object") | ast.List() | ast.Tuple():
                word = None
            case _:
                return self.text(node)
        if word is None:
            raise Untranslatable(f"dtype {ast.unparse(node)}")
        word = "text" if word == "str" else word
        if as_word or word not in PYTHON_KINDS | {"text"}:
            return f'"{word}"'
        return {"text": "str"}.get(word, word)

    # ---- functions that differ from NumPy's ---------------------------------------------------------------

    def changed_arguments(self, node: ast.Call, change: Change, path: str) -> dict[ast.AST, str]:
        """Like `arguments`, but for a changed function: put the arguments in its order, and pass NumPy's default
        explicitly."""
        takes = signature.read(catalog.by_any_name()[path].signature)
        keywords = [keyword.arg for keyword in node.keywords]
        if None in keywords or any(isinstance(a, ast.Starred) for a in node.args):
            raise Untranslatable(f"np.{path} with unpacked arguments")
        if change.kind in (FROM_ONE, REVERSED) and "out" in keywords:
            raise Untranslatable(f"np.{path}(out=)")
        texts = self.arguments(node, path, filled=0)
        if change.kind == ORDER and len(node.args) > 1:
            first, second = node.args[:2]
            one, other = (texts.get(arg) or self.text(arg) for arg in (first, second))
            texts |= {first: other, second: one}
        elif change.kind == ORDER and node.args:
            first, name = node.args[0], takes.positional[0]
            texts[first] = f"{self.names.parameter(name)}={texts.get(first) or self.text(first)}"
        elif change.kind == DEFAULT:
            position = takes.positional.index(change.parameter) if change.parameter in takes.positional else sys.maxsize
            if change.parameter not in keywords and len(node.args) <= position:
                last = max((*node.args, *node.keywords), key=self.end)
                before = texts.get(last) or self.text(last)
                texts[last] = f"{before}, {self.numpy_default(change)}"
        return texts

    def numpy_default(self, change: Change) -> str:
        """Return the argument that makes a changed function use NumPy's default."""
        value = signature.read(catalog.by_any_name()[change.path].signature).defaults[change.parameter]
        words = options.words(change.path).get(change.parameter, ())
        return f"{self.names.parameter(change.parameter)}={self.names.word(value) if value in words else value!r}"

    def changed_method_call(self, node: ast.Call, change: Change, path: str) -> str:
        """Translate a call to a method whose function is changed: first into a call to NumPy's function, then as
        usual."""
        method = node.func
        assert isinstance(method, ast.Attribute)
        lengths = [ast.Tuple(node.args, ast.Load())] if path in METHODS_OF_LENGTHS and len(node.args) > 1 else node.args
        receiver = [method.value, *lengths]
        if path == "compress":
            receiver.reverse()
        function = f"{NUMPY}.{path}"
        source = ast.unparse(ast.Call(ast.parse(function, mode="eval").body, receiver, node.keywords))
        scope = replace(self.scope, modules={**self.scope.modules, NUMPY: ""})
        translated = self.translator.translate(source, scope)
        self.imports |= set(translated.imports)
        self.used += translated.functions
        return translated.body

    def undone(self, node: ast.Call, change: Change, call: str) -> str:
        """Return an expression that gives NumPy's result, built from the call to a changed function."""
        if change.kind == FROM_ONE:
            if change.path in RESULT_TUPLES:
                return f"tuple(part - 1 for part in {call})"
            return f"{call} - 1" if node in self.whole_values else f"({call} - 1)"
        if change.kind != REVERSED:
            return call
        takes = signature.read(catalog.by_any_name()[change.path].signature)
        if "axis" not in takes.named or change.path in RESULT_TUPLES:
            return f"{call}[{'...,' if change.path in LAST_AXIS else ''}::-1]"
        at = takes.positional.index("axis")
        axis = node.args[at] if len(node.args) > at else None
        axis = axis or next((keyword.value for keyword in node.keywords if keyword.arg == "axis"), None)
        match ast.unparse(axis) if axis else "":
            case "" if takes.defaults["axis"] is None:
                return f"{call}[::-1]"
            case "None" | "0":
                return f"{call}[::-1]"
            case "" | "-1":
                return f"{call}[..., ::-1]"
            case "1":
                return f"{call}[:, ::-1]"
        raise Untranslatable(f"np.{change.path} along another axis")

    def undoing_function(self, change: Change, function: str) -> str:
        """Return a lambda expression that does what NumPy's function does, built from a changed one that is used as a
        value."""
        if not self.translator.wraps:
            raise Untranslatable(f"np.{change.path} as a value")
        call = f"{function}(*args, **options)"
        if change.kind == ORDER:
            return f"(lambda one, other, *args, **options: {function}(other, one, *args, **options))"
        if change.kind == DEFAULT:
            name, _, value = self.numpy_default(change).partition("=")
            return f'(lambda *args, **options: {function}(*args, **{{"{name}": {value}, **options}}))'
        if change.kind == REVERSED:
            only = ast.Call(ast.Name("f"), [ast.Name("one")], [])
            return f"(lambda one: {self.undone(only, change, f'{function}(one)')})"
        return f"(lambda *args, **options: {self.undone(ast.Call(ast.Name('f'), [], []), change, call)})"

    # ---- methods and attributes of arrays -----------------------------------------------------------------

    def method_call(self, node: ast.Call, method: ast.Attribute) -> str:
        name, receiver = method.attr, method.value
        plain = isinstance(receiver, ast.Name) and receiver.id in self.scope.others
        ambiguous = name in BUILTIN_ATTRIBUTES and not self.is_array(receiver)
        if plain or ambiguous or name in ARRAY_ATTRIBUTES or name not in METHODS:
            if not (plain or ambiguous or name in ARRAY_ATTRIBUTES):
                raise Untranslatable(f"array method {name}()")
            return self.splice(node, self.start(node), self.end(node))
        path = METHODS[name]
        function = self.function(path)
        if (change := self.change(path)) is not None:
            return self.changed_method_call(node, change, path)
        if name in SHAPE_METHODS:
            return self.shape_call(node, name, function, receiver)
        array = self.text(receiver)
        if path == "compress":  # np.compress(condition, a): the array comes second
            return f"{function}({self.inside(node, {})}, {array})" if len(node.args) == 1 else self.refuse(node)
        inner = self.inside(node, self.arguments(node, path, filled=1)).strip()
        return f"{function}({array}, {inner})" if inner else f"{function}({array})"

    def shape_call(self, node: ast.Call, name: str, function: str, receiver: ast.AST) -> str:
        """Translate `a.reshape(2, 3)`: the method takes the lengths one by one, the function takes them in a tuple."""
        named = self.arguments(ast.Call(node.func, [], node.keywords), METHODS[name], filled=1)
        lengths = [self.text(arg) for arg in node.args]
        if len(lengths) > 1 or any(isinstance(arg, ast.Starred) for arg in node.args):
            lengths = [f"({', '.join(lengths)}{',' if len(lengths) == 1 else ''})"]
        keywords = [named.get(keyword) or self.text(keyword) for keyword in node.keywords]
        return f"{function}({', '.join([self.text(receiver), *lengths, *keywords])})"

    def inside(self, node: ast.Call, instead: Mapping[ast.AST, str]) -> str:
        """Return the text between the parentheses of a call."""
        start = self.end(node.func)
        while self.bytes[start : start + 1].isspace():
            start += 1
        if self.bytes[start : start + 1] != b"(":
            self.refuse(node)
        return self.splice(node, start + 1, self.end(node) - 1, instead).rstrip().rstrip(",")

    def in_place(self, call: ast.Call, method: ast.Attribute) -> str:
        """Translate `a.fill(v)` and `a.sort()` as statements, because the array itself changes."""
        if not self.is_array(method.value) and method.attr in BUILTIN_ATTRIBUTES:
            return self.splice(call, self.start(call), self.end(call))
        array = self.text(method.value)
        if method.attr == "fill":
            return f"{array}[...] = {self.inside(call, {})}"
        if (change := self.change("sort")) is not None:
            return f"{array}[...] = {self.changed_method_call(call, change, 'sort')}"
        inner = self.inside(call, self.arguments(call, "sort", filled=1))
        return f"{array}[...] = {self.function('sort')}({', '.join([array, inner] if inner else [array])})"

    def attribute(self, node: ast.Attribute) -> str:
        name, receiver = node.attr, node.value
        if isinstance(receiver, ast.Name) and receiver.id in self.scope.others:
            return self.splice(node, self.start(node), self.end(node))
        if name in ARRAY_ATTRIBUTES or (
            not self.scope.methods and (name not in self.names.fields or name in self.scope.own)
        ):
            return self.splice(node, self.start(node), self.end(node))
        if isinstance(node.ctx, ast.Load):
            if name in {"real", "imag", "mT"}:
                return f"{self.function(METHODS[name])}({self.text(receiver)})"
            if name == "flat":
                return f"{self.function('ravel')}({self.text(receiver)})"
        if name in self.names.fields:
            head = self.bytes[self.end(receiver) : self.end(node)].decode()
            before = self.bytes[self.start(node) : self.start(receiver)].decode()
            return before + self.text(receiver) + head.removesuffix(name) + self.names.fields[name]
        if name in BUILTIN_ATTRIBUTES and not self.is_array(receiver):
            return self.splice(node, self.start(node), self.end(node))
        raise Untranslatable(f"array attribute {name}")

    def compare(self, node: ast.Compare) -> str:
        """Translate a comparison such as `x.dtype == np.float64`: in the world, a dtype is a string such as "float"."""
        sides = [node.left, *node.comparators]
        if not any(isinstance(s, ast.Attribute) and s.attr == "dtype" for s in sides):
            return self.splice(node, self.start(node), self.end(node))
        words: dict[ast.AST, str] = {s: self.kind(s, as_word=True) for s in sides}
        return self.splice(node, self.start(node), self.end(node), words)

    def is_array(self, node: ast.AST) -> bool:
        """Whether this is certainly an array, or something that the world's functions accept as an array."""
        match node:
            case ast.Name(id=name):
                return name in self.scope.arrays
            case ast.Call(func=func):
                path = self.path(func)
                if path is None and isinstance(func, ast.Attribute):
                    return func.attr in METHODS and func.attr not in BUILTIN_ATTRIBUTES
                return path is not None and self.translator.find(path) is not None
            case ast.BinOp(left=left, right=right):
                return self.is_array(left) or self.is_array(right)
            case ast.UnaryOp(operand=value) | ast.Subscript(value=value) | ast.Attribute(value=value, attr="T"):
                return self.is_array(value)
        return False

    # ---- statements ---------------------------------------------------------------------------------------

    def assign(self, node: ast.Assign) -> str:
        text = self.splice(node, self.start(node), self.end(node))
        for target in node.targets:
            if isinstance(target, ast.Name):
                (self.scope.arrays.add if self.is_array(node.value) else self.scope.arrays.discard)(target.id)
        return text

    def import_statement(self, node: ast.Import | ast.ImportFrom) -> str:
        """Translate imports of NumPy into an import of the package; the names they bind are resolved where they are
        used."""
        if isinstance(node, ast.ImportFrom):
            top, _, below = (node.module or "").partition(".")
            if top != "numpy":
                return self.splice(node, self.start(node), self.end(node))
            for alias in node.names:
                path = f"{below}.{alias.name}" if below else alias.name
                known = self.scope.modules if path in self.names.modules else self.scope.functions
                if alias.name == "*":
                    raise Untranslatable("from numpy import *")
                known[alias.asname or alias.name] = path
            return f"import {self.names.package}"
        modules: list[str] = []
        for alias in node.names:
            top, _, below = alias.name.partition(".")
            if top != "numpy":
                self.scope.others.add(alias.asname or top)
                modules.append(f"{alias.name} as {alias.asname}" if alias.asname else alias.name)
                continue
            self.scope.modules[alias.asname or "numpy"] = below if alias.asname else ""
            modules.append(self.names.package)
        return f"import {', '.join(dict.fromkeys(modules))}"

    def f_string(self, node: ast.JoinedStr) -> str:
        for inner in ast.walk(node):
            if isinstance(inner, ast.FormattedValue):
                written = ast.unparse(inner.value)
                if self.translator.translate(written, self.scope).body != written:
                    raise Untranslatable(f"{written} inside an f-string")
        return self.bytes[self.start(node) : self.end(node)].decode()

    def refuse(self, node: ast.AST) -> str:
        raise Untranslatable(ast.get_source_segment(self.bytes.decode(), node) or ast.unparse(node))
