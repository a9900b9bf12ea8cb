"""The library as a candidate behind the wall sees it: modules and an array type with the world's names, but no code.

Every call to a function or an array method is a message to the library process (`server.py`), which holds the arrays;
here an array is only a handle (a number). Only names that occur in the program exist: `dir`, `getattr` and `from
library import *` find no others. Nothing here is secret, so nothing is hidden. Arguments are converted as in the forged
package (`forge/runtime/engine.py`): the candidate's code (`__iter__`, `__float__`) runs here; the library's errors are
created in its process and raised here.

Reading is cheap: an array is sent with its shape and kind (dtype), and its elements are fetched once and cached until
something may have changed them.
"""

from __future__ import annotations

import builtins
import marshal
import operator
import os
from _weakref import ref as weak_reference
from collections import namedtuple
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from math import prod
from types import FunctionType, ModuleType
from typing import Any

from sebench.forge.runtime.arrays import COMPARING, ONE_ARGUMENT, TWO_SIDED
from sebench.judge.sandbox.codec import ARRAY, CODED, HEAD, MessageTooLarge, Pairs, Ref, decode, encode
from sebench.judge.sandbox.trees import BASES
from sebench.judge.sandbox.wire import receive_only, send

BULK = 1 << 16  # elements that are fetched at once
MOST_ANSWER = 4 << 20  # bytes of the answer to one case
ROWS = 256  # rows of an array of several dimensions that are fetched at once
ELEMENT_KINDS = (bool, int, float, complex, str, bytes)  # what `dtype=` accepts besides words

TWO_OPERANDS = (*TWO_SIDED.split()[::2], "__divmod__")
IN_PLACE = frozenset(f"__i{word[2:]}" for word in TWO_SIDED.split()[::2])
# The methods and attributes of arrays that the library process answers.
METHODS = IN_PLACE.union(
    TWO_OPERANDS,
    (f"__r{word[2:]}" for word in TWO_OPERANDS),
    COMPARING.split()[::2],
    ONE_ARGUMENT.split()[::2],
    "__getitem__ __setitem__ __delitem__ __contains__ __len__ __bool__ __int__ __float__ __complex__ __index__ "
    "__round__ __str__ __repr__ __format__ __copy__ tolist T".split(),
)


class Connection:
    """The connection to the library process."""

    def __init__(self, fd: int, array: str, package: str) -> None:
        self.fd, self.package = fd, package
        self.send: Callable[[int, bytes], None] = send
        self.receive: Callable[[int], bytes | None] = receive_only
        self.changes = 0  # how often arrays may have changed: fetched elements are valid until the next change
        self.freed: list[int] = []  # numbers of deleted arrays; they are sent with the next message
        self.live: dict[int, Any] = {}  # weak references to arrays by number: the same array is the same object
        self.functions: dict[Any, Ref] = {}  # functions of the library
        self.callbacks: list[Any] = []  # functions of the program that the library may call
        self.raised: list[BaseException] = []  # what they raised
        self.result_types: dict[str, type] = {}  # types of named results
        self.array_type = _array_type(array, package, self)
        self.restore = self._make_restore()

    def ask(self, *message: Any) -> Any:
        """Send a request and return the reply. Callbacks into the program are served while waiting."""
        self._send(*message)
        while True:
            data = self.receive(self.fd)
            if data is None:
                os._exit(0)  # the library process is gone
            self.changes, written = HEAD.unpack_from(data)
            if written == ARRAY:
                return self.array(*marshal.loads(data[HEAD.size :]))
            if written != CODED:
                return marshal.loads(data[HEAD.size :])
            match decode(data[HEAD.size :], self.resolve):
                case "value", value:
                    return value
                case "error", name, text:
                    raise getattr(builtins, name)(text)
                case "yours", number:
                    raise self.raised[number]
                case "named", name, fields, values:
                    return self.result_type(name, fields)(*values)
                case _, *content:
                    self._call_back(*content)

    def _send(self, kind: str, *content: Any) -> None:
        freed, self.freed = self.freed, []
        try:
            data = encode((kind, freed, *content), self.encode_argument)
        except BaseException as error:  # also one that the program raised while its argument was read
            self.freed = freed + self.freed
            if isinstance(error, MessageTooLarge):
                raise MemoryError(str(error)) from None
            raise
        self.send(self.fd, data)

    def answer(self, value: Any) -> Any:
        """Send the answer to a case. Return the arguments of the next case, or None after the last."""
        data = encode(value, self.encode_result)
        if len(data) > MOST_ANSWER:
            raise MessageTooLarge("a value that is too large to be compared")
        return self.ask("answer", data)

    def _call_back(self, number: int, args: Any, options: Any) -> None:
        try:
            self._send("returned", self.callbacks[number](*args, **options))
        except BaseException as error:
            self.raised.append(error)
            self._send("raised", len(self.raised) - 1)

    def result_type(self, name: str, fields: Sequence[str]) -> type:
        """Return the type of a named result, which is created on first use."""
        if name not in self.result_types:
            self.result_types[name] = namedtuple(name, fields, module=self.package)
        return self.result_types[name]

    def function(self, ref: Ref, module: str) -> Any:
        """Return a stand-in that sends every call to the library process: for a library function ("p"), or for one that
        the library derived from one of the program's functions ("f", `vectorize`)."""
        request = ("call", ref.text) if ref.kind == "p" else ("apply", ref.number)

        def call(*args: Any, **options: Any) -> Any:
            return self.ask(*request, args, options)

        self.functions[call] = ref
        return _named(call, ref.text.rpartition(".")[2], module)

    def _make_restore(self) -> Any:
        """Make the function that rebuilds an array from its parts, for copies and pickles."""

        def restore(flat: Any, shape: Any, word: Any) -> Any:
            return self.ask("restore", flat, shape, word)

        return _named(restore, "_restore", self.package)

    def encode_argument(self, value: Any) -> Any:
        """Encode an object as an argument."""
        cls = type(value)
        if cls is self.array_type:
            return Ref("h", value._number)
        if cls is FunctionType and value in self.functions:
            return self.functions[value]
        if any(value is kind for kind in ELEMENT_KINDS):
            return Ref("k", text=value.__name__)
        for base, held in BASES:
            if issubclass(cls, base):
                return held(value)
        if callable(value):
            self.callbacks.append(value)
            return Ref("c", len(self.callbacks) - 1, _name(cls))
        if issubclass(cls, (set, frozenset, dict)):
            return Ref("x", text=_name(cls))
        if hasattr(cls, "__iter__"):
            return list(value)
        if hasattr(cls, "__index__"):
            return operator.index(value)
        if hasattr(cls, "__float__"):
            return float(value)
        return Ref("x", text=_name(cls))

    def encode_result(self, value: Any) -> Any:
        """Encode an object as part of an answer: arrays become references, containers and numbers plain values, and
        anything else the name of its type."""
        cls = type(value)
        if cls is self.array_type:
            return Ref("h", value._number)
        if isinstance(value, list):
            return [*list.__iter__(value)]
        if isinstance(value, tuple):
            return (*tuple.__iter__(value),)
        if isinstance(value, dict):
            return Pairs(part for pair in dict.items(value) for part in pair)
        for base, held in BASES[:-1]:
            if issubclass(cls, base):
                return held(value)
        return Ref("x", text=_name(cls))

    def resolve(self, ref: Ref) -> Any:
        """Return the object for a reference that the library process sent."""
        if ref.kind == "h":
            return self.array(ref.number, ref.text, ref.shape, ref.elements)
        if ref.kind == "f":
            return self.function(ref, self.package)
        return NotImplemented

    def array(self, number: int, kind: str, shape: tuple[int, ...], elements: list[Any] | None) -> Any:
        """Return the handle of an array in the library process: the same object as before, if the program still holds
        it."""
        reference = self.live.get(number)
        array = reference() if reference is not None else None
        return self.array_type._create(number, kind, shape, elements) if array is None else array  # type: ignore[attr-defined]


def _named(function: Any, name: str, module: str) -> Any:
    """Rename a function as if it were defined under this name at the top level of a module."""
    function.__name__ = function.__qualname__ = name
    function.__module__ = module
    return function


def _name(cls: type) -> str:
    """Return the name of a class without calling its metaclass."""
    return str(type.__dict__["__name__"].__get__(cls))


def _array_type(name: str, package: str, line: Connection) -> type:
    """Create the array type for a connection."""

    def remote(key: str) -> Callable[..., Any]:
        def method(self: Any, *args: Any) -> Any:
            return line.ask("method", key, self, args)

        return method

    fetch, length, fetch_list = remote("__getitem__"), remote("__len__"), remote("tolist")

    def create(number: int, kind: str, shape: tuple[int, ...], elements: list[Any] | None) -> Any:
        array: Any = object.__new__(array_type)
        array._number, array._shape, array._kind = number, shape, kind
        array._elements = None if elements is None else (line.changes, elements)
        line.live[number] = weak_reference(array, partial(gone, number))
        return array

    def gone(number: int, _: Any) -> None:
        line.live.pop(number, None)
        line.freed.append(number)

    def new(cls: Any, *args: Any, **options: Any) -> Any:
        raise TypeError(f"a {name} is made by the functions of {package}")

    def init_subclass(cls: Any, /, **options: Any) -> None:
        raise TypeError(f"type '{package}.{name}' is not an acceptable base type")

    def elements(self: Any) -> list[Any] | None:
        """Return all elements in order, or None if they cannot be fetched at once."""
        if self._kind == "mixed" or not self._shape or prod(self._shape) > BULK:
            return None
        if self._elements is None or self._elements[0] != line.changes:
            flat = line.ask("elements", self)
            self._elements = (line.changes, flat)
        fetched: list[Any] = self._elements[1]
        return fetched

    def to_list(self: Any) -> Any:
        known = self._elements
        if known is None or known[0] != line.changes or not known[1]:
            return fetch_list(self)
        return _nest(known[1], self._shape)

    def getitem(self: Any, key: Any) -> Any:
        place = _flat_index(key, self._shape)
        flat = None if place is None else elements(self)
        return fetch(self, key) if flat is None else flat[place]  # type: ignore[index]

    def walk(self: Any, count: int) -> Iterator[Any]:
        flat = len(self._shape) == 1
        ahead: list[Any] = []
        fetched = line.changes
        for i in range(count):
            known = elements(self) if flat else None
            if known is not None:
                yield known[i]
                continue
            if not ahead or (flat and fetched != line.changes):  # rows are views, so they change with the array
                ahead = line.ask("rows", self, i, min(i + ROWS, count))[::-1]
                fetched = line.changes
            yield ahead.pop()

    methods: dict[str, Any] = {key: remote(key) for key in METHODS - {"T"}}
    methods |= {
        "__deepcopy__": lambda self, memo: line.ask("method", "__copy__", self, ()),
        "__reduce__": lambda self: (line.restore, line.ask("reduce", self)),
        "__reduce_ex__": lambda self, protocol: (line.restore, line.ask("reduce", self)),
        "__getitem__": getitem,
        "__len__": lambda self: self._shape[0] if self._shape else length(self),
        "__iter__": lambda self: walk(self, len(self)),
        "tolist": to_list,
    }
    for key, method in methods.items():
        method.__name__, method.__qualname__, method.__module__ = key, f"{name}.{key}", package
    array_type = type(
        name,
        (),
        {
            **methods,
            "__slots__": ("_number", "_shape", "_kind", "_elements", "__weakref__"),
            "__module__": package,
            "__doc__": f"An array of {package}: elements of one kind on a grid of any number of dimensions.",
            "__new__": staticmethod(new),
            "__init_subclass__": classmethod(init_subclass),
            "__hash__": None,
            "shape": property(lambda self: self._shape),
            "ndim": property(lambda self: len(self._shape)),
            "size": property(lambda self: prod(self._shape)),
            "dtype": property(lambda self: self._kind),
            "T": property(lambda self: line.ask("method", "T", self, ())),
            "_create": staticmethod(create),
        },
    )
    return array_type


def _nest(flat: list[Any], shape: tuple[int, ...]) -> Any:
    """Return elements as nested lists of a given shape."""
    if not shape:
        return flat[0]
    for n in shape[:0:-1]:
        flat = [flat[i : i + n] for i in range(0, len(flat), n)]
    return list(flat)


def _flat_index(key: Any, shape: tuple[int, ...]) -> int | None:
    """Return the flat position of the element with this index, or None if it is not a valid index of a single
    element."""
    keys = key if type(key) is tuple else (key,)
    if len(keys) != len(shape):
        return None
    place = 0
    for k, n in zip(keys, shape, strict=True):
        if type(k) is not int or not -n <= k < n:
            return None
        place = place * n + k % n
    return place


def make_modules(
    line: Connection, functions: Sequence[str], inner: Sequence[str], types: Mapping[str, Sequence[str]]
) -> dict[str, ModuleType]:
    """Return the part of the library that a program mentions, as modules by name. `types` gives the fields of each
    named result; the array type has none."""
    top = _make_module(line.package)
    below = {name: _make_module(f"{line.package}.{name}") for name in inner}
    for path in functions:
        parent, _, name = path.rpartition(".")
        module = below[parent] if parent else top
        setattr(module, name, line.function(Ref("p", text=path), module.__name__))
    for name, module in below.items():
        setattr(top, name, module)
    for name, fields in types.items():
        setattr(top, name, line.result_type(name, fields) if fields else line.array_type)
    for module in (top, *below.values()):
        module.__all__ = sorted(n for n in vars(module) if not n.startswith("_"))  # type: ignore[attr-defined]
    top._restore = line.restore  # type: ignore[attr-defined]
    return {module.__name__: module for module in (top, *below.values())}


def _make_module(name: str) -> ModuleType:
    module = ModuleType(name)
    module.__spec__ = type(builtins.__spec__)(name, None, is_package=True)
    module.__path__ = []  # so that a failed import of a submodule says which one is missing

    def __getattr__(attribute: str) -> Any:
        raise AttributeError(f"module '{name}' has no attribute '{attribute}'", name=attribute, obj=None)

    module.__getattr__ = __getattr__  # type: ignore[method-assign]
    return module
