"""The array type, whose data a program cannot reach.

It has operators, indexing with views, iteration, conversion of single elements, and a few attributes; no method does
what a function of the package does. `blank` makes the class and the only two functions that reach the data of an
instance; `furnish` adds the methods. Every method uses only the tools that it was given, never globals.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from os import urandom
from typing import Any

from . import printing

# Python's special methods and the symbols that error messages use: forward and reflected, in-place, one-sided.
TWO_SIDED = (
    "__add__ + __sub__ - __mul__ * __truediv__ / __floordiv__ // __mod__ % __pow__ ** __matmul__ @ "
    "__and__ & __or__ | __xor__ ^ __lshift__ << __rshift__ >>"
)
COMPARING = "__lt__ < __le__ <= __gt__ > __ge__ >= __eq__ == __ne__ !="
ONE_ARGUMENT = "__neg__ - __pos__ + __invert__ ~ __abs__ abs"


def blank(type_name: str, package: str) -> tuple[Any, Callable[[Any], Any], Callable[[Any, Any], None]]:
    """Return the class without methods, and `read` and `write`, the only way to reach the data of an instance."""
    slot = f"_{urandom(16).hex()}"
    made: Any = type(type_name, (), {"__slots__": (slot,), "__module__": package, "__doc__": None})
    descriptor = made.__dict__[slot]
    get, write = descriptor.__get__, descriptor.__set__
    delattr(made, slot)
    del made.__slots__

    def read(one: Any) -> Any:
        try:
            return get(one)
        except AttributeError:
            pass  # its message would contain the slot's name
        raise TypeError(f"a {type_name} without elements cannot be used")

    return made, read, write


def furnish(made: Any, package: str, tools: Any) -> None:
    """Give the class its methods and attributes."""
    name = made.__name__
    methods = {
        **_construction(name, package, tools),
        **_operators(tools),
        **_elements(name, tools),
        **_single(name, tools),
        **_text(name, tools),
    }
    for key, method in methods.items():
        function: Any = getattr(method, "__func__", None) or getattr(method, "fget", None) or method
        function.__name__, function.__qualname__, function.__module__ = key, f"{name}.{key}", package
        setattr(made, key, method)
    made.__hash__ = None
    made.__doc__ = f"An array of {package}: elements of one kind on a grid of any number of dimensions."


def _construction(name: str, package: str, tools: Any) -> dict[str, Any]:
    read, wrap = tools.read, tools.wrap

    def new(cls: Any, *args: Any, **options: Any) -> Any:
        raise TypeError(f"a {name} is made by the functions of {package}")

    def init_subclass(cls: Any, /, **options: Any) -> None:
        raise TypeError(f"type '{package}.{name}' is not an acceptable base type")

    def copied(self: Any) -> Any:
        return wrap(tools.duplicate(read(self)))

    def deep(self: Any, memo: Any) -> Any:
        return copied(self)

    def reduced(self: Any, protocol: Any = 2) -> Any:
        held = read(self)
        return tools.restore, (tools.values(tools.flattened(held)), held.shape, tools.word(held.dtype))

    return {
        "__new__": staticmethod(new),
        "__init_subclass__": classmethod(init_subclass),
        "__copy__": copied,
        "__deepcopy__": deep,
        "__reduce__": lambda self: reduced(self),
        "__reduce_ex__": reduced,
    }


def _operators(tools: Any) -> dict[str, Any]:
    lower, lift, guarded, read, Refused = tools.lower, tools.lift, tools.guarded, tools.read, tools.Refused

    def forward(symbol: str, compute: Any) -> Any:
        def method(self: Any, other: Any) -> Any:
            try:
                value = lower(other)
            except Refused:
                return NotImplemented
            return lift(guarded(compute, symbol, (read(self), value), (self, other)))

        return method

    def reflected(symbol: str, compute: Any) -> Any:
        def method(self: Any, other: Any) -> Any:
            try:
                value = lower(other)
            except Refused:
                return NotImplemented
            return lift(guarded(compute, symbol, (value, read(self)), (other, self)))

        return method

    def in_place(symbol: str, compute: Any) -> Any:
        def method(self: Any, other: Any) -> Any:
            try:
                value = lower(other)
            except Refused:
                return NotImplemented
            guarded(compute, symbol, (read(self), value), (self, other))
            return self

        return method

    def alone(symbol: str, compute: Any) -> Any:
        def method(self: Any) -> Any:
            return lift(guarded(compute, symbol, (read(self),), (self,)))

        return method

    methods: dict[str, Any] = {}
    for key, symbol in _table(TWO_SIDED):
        compute = getattr(operator, key)
        methods[key] = forward(symbol, compute)
        methods[f"__r{key[2:]}"] = reflected(symbol, compute)
        methods[f"__i{key[2:]}"] = in_place(f"{symbol}=", getattr(operator, f"__i{key[2:]}"))
    for key, symbol in _table(COMPARING):
        methods[key] = forward(symbol, getattr(operator, key))
    for key, symbol in _table(ONE_ARGUMENT):
        methods[key] = alone(symbol, getattr(operator, key))
    methods["__divmod__"] = forward("divmod", divmod)
    methods["__rdivmod__"] = reflected("divmod", divmod)
    return methods


def _table(text: str) -> list[tuple[str, str]]:
    words = text.split()
    return list(zip(words[::2], words[1::2], strict=True))


def _elements(name: str, tools: Any) -> dict[str, Any]:
    lower, lift, guarded, read, Refused = tools.lower, tools.lift, tools.guarded, tools.read, tools.Refused

    def key_of(key: Any) -> Any:
        try:
            return lower(key)
        except Refused as refused:
            reason = f"a {name} cannot be indexed by an object of type {refused}"
        raise TypeError(reason)

    def getitem(self: Any, key: Any) -> Any:
        return lift(guarded(operator.getitem, name, (read(self), key_of(key)), (self, key)))

    def setitem(self: Any, key: Any, value: Any) -> None:
        guarded(operator.setitem, name, (read(self), key_of(key), tools.lowered(value, name)), (self, key, value))

    def delitem(self: Any, key: Any) -> None:
        raise ValueError(f"elements of a {name} cannot be deleted")

    def length(self: Any) -> int:
        shape = read(self).shape
        if not shape:
            raise TypeError(f"a {name} of 0 dimensions has no length")
        return int(shape[0])

    def walk(self: Any, count: int) -> Iterator[Any]:
        for i in range(count):
            yield getitem(self, i)

    def iterate(self: Any) -> Iterator[Any]:
        # only `self` and numbers in the generator's frame
        return walk(self, length(self))

    def contains(self: Any, value: Any) -> bool:
        try:
            wanted = lower(value)
        except Refused:
            return False
        same = guarded(operator.eq, "in", (read(self), wanted), (self, value))
        return bool(same.any()) if hasattr(same, "any") else bool(same)

    return {
        "__getitem__": getitem,
        "__setitem__": setitem,
        "__delitem__": delitem,
        "__len__": length,
        "__iter__": iterate,
        "__contains__": contains,
        "shape": property(lambda self: tuple(read(self).shape)),
        "ndim": property(lambda self: int(read(self).ndim)),
        "size": property(lambda self: int(read(self).size)),
        "dtype": property(lambda self: tools.word(read(self).dtype)),
        "T": property(lambda self: tools.wrap(read(self).T)),
        "tolist": lambda self: tools.values(read(self)),
    }


def _single(name: str, tools: Any) -> dict[str, Any]:
    read = tools.read

    def one(self: Any, wanted: str, error: type[Exception] = TypeError) -> Any:
        held = read(self)
        if held.size != 1:
            raise error(f"a {name} of shape {tuple(held.shape)} cannot be used as a single {wanted}")
        return tools.values(tools.flattened(held))[0]

    def index(self: Any) -> int:
        value = one(self, "index")
        if type(value) is not int:
            raise TypeError(f"a {name} of kind {tools.word(read(self).dtype)} cannot be used as an index")
        return value

    def rounded(self: Any, digits: Any = None) -> Any:
        places = 0 if digits is None else operator.index(digits)
        return tools.lift(tools.guarded(tools.rounded, "round", (read(self), places), (self, digits)))

    return {
        "__bool__": lambda self: bool(one(self, "truth value", ValueError)),
        "__int__": lambda self: int(one(self, "int")),
        "__float__": lambda self: float(one(self, "float")),
        "__complex__": lambda self: complex(one(self, "complex")),
        "__index__": index,
        "__round__": rounded,
    }


def _text(name: str, tools: Any) -> dict[str, Any]:
    read = tools.read

    def shown(self: Any) -> str:
        held = read(self)
        return printing.text(tools.values(held), held.ndim, 0, held.size)

    def whole(self: Any) -> str:
        held = read(self)
        kind = tools.word(held.dtype)
        return printing.full_text(name, tools.values(held), tuple(held.shape), held.size, kind)

    def formatted(self: Any, spec: str) -> str:
        if not spec:
            return shown(self)
        held = read(self)
        if held.size != 1:
            raise TypeError(f"unsupported format string passed to {name}.__format__")
        return format(tools.values(tools.flattened(held))[0], spec)

    return {"__str__": shown, "__repr__": whole, "__format__": formatted}
