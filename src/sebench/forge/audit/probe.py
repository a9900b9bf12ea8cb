"""The dynamic half of the leak audit: tries to break out of a forged package with ordinary code.

It walks everything that attributes reach, calls every function wrongly, inspects errors, tracebacks, help texts,
pickles and results, and passes in objects that try to get hold of something from the backend. It yields one line per
leak. It does not try what Python reveals about any function (`__globals__`, `__closure__`, `__code__`, frames), nor
`sys.modules`, `gc` and `ctypes`: docs/forge-reference.md says what can be found there.
"""

from __future__ import annotations

import copy
import inspect
import io
import operator
import pickle
import pydoc
import traceback
import types
import warnings
from collections.abc import Callable, Generator, Iterator, Mapping
from functools import partial
from typing import Any

from sebench.forge.audit import leak_attempts
from sebench.forge.catalog import options, signature
from sebench.forge.catalog.catalog import CatalogEntry
from sebench.forge.docs import parameter_leaks
from sebench.forge.names import leaks
from sebench.forge.names.naming import Names
from sebench.forge.package.package import resolve

SOURCE = "numpy"
_PLAIN: Any = vars(pydoc)["plaintext"]  # not in the type stubs
# What Python itself reveals about functions, modules and classes; the judge guards against that.
REFLECTION = frozenset(
    {
        "__globals__",
        "__closure__",
        "__code__",
        "__builtins__",
        "__loader__",
        "__spec__",
        "__cached__",
        "__file__",
    }
    | {"__path__", "__subclasshook__", "__init_subclass__", "__getattribute__"}
)
WRONG_ARGUMENTS: tuple[tuple[Any, ...], ...] = (
    (),
    (None,),
    ("text",),
    (object(),),
    ([[1], [2, 3]],),
    ({"a": 1},),
    ([1.0, 2.0], "text"),
    ([1.0, 2.0], 99),
    ([1.0, 2.0], [1.0, 2.0, 3.0]),
    ([], [], []),
    ([[1.0, 2.0], [3.0, 4.0]], -99, 7.5),
    (1, 2, 3, 4, 5, 6, 7, 8, 9),
)
MOST_HANDED = 50
HOOKS = (
    (
        "__array__",
        "__array_ufunc__",
        "__array_function__",
        "__array_wrap__",
        "__array_finalize__",
        "__buffer__",
    ),
    ("__float__", "__index__", "__complex__", "__radd__", "__rmul__", "__eq__"),
    ("__getitem__", "__len__"),
    ("__call__",),
)


def probe(names: Names, entries: Mapping[str, CatalogEntry], library: types.ModuleType) -> Iterator[str]:
    """Yield a description of every trace of NumPy that ordinary code finds in the package."""
    functions = {p: resolve(library, f) for p, f in names.functions.items()}
    make = functions["array"]
    arrays = [make([[1.5, 2.5], [3.0, -4.0]]), make([1, 2, 3]), make([True, False]), make([1j]), make(["a"])]
    yield from _walk(names, library, arrays)
    for array in arrays:
        yield from (f"array of kind {array.dtype}: {leak}" for leak in _array(names, array))
    yield from _leak_attempts(names, functions, library)
    yield from _protocols(names, functions)
    for path, function in functions.items():  # last, because it takes longest
        yield from (f"{names.functions[path]}: {leak}" for leak in _function(names, entries[path], function))


def refusals(names: Names, entries: Mapping[str, CatalogEntry], library: types.ModuleType) -> Iterator[tuple[str, str]]:
    """For a world with forged parameters, try each of NumPy's parameter names and option words in each function. Yield
    each call with "" if it was properly refused, or with what was wrong."""
    array = [[1.0, 2.0], [3.0, 4.0]]
    for path, forged in names.functions.items():
        function, entry = resolve(library, forged), entries[path]
        takes = signature.read(entry.signature)
        attempts: list[tuple[dict[str, Any], str]] = [({name: 1}, "unexpected keyword") for name in takes.named]
        attempts += [
            ({names.parameter(name): word}, "is not a word for")
            for name, words in options.words(path).items()
            for word in words
        ]
        required = [array] * sum(p.default is p.empty and p.kind is not p.VAR_POSITIONAL for p in takes.parameters)
        for keywords, refusal in attempts:
            call = partial(function, *required, **keywords)
            yield f"{forged} with {keywords}", _acceptance(call, refusal, keywords, names)


def _acceptance(call: Callable[[], Any], refusal: str, keywords: Mapping[str, Any], names: Names) -> str:
    """Make a call that the package must refuse in its own words. Return what is wrong with the refusal; "" if nothing
    is."""
    try:
        call()
    except (TypeError, ValueError) as error:
        text = str(error)
        for echo in (*keywords, *keywords.values()):
            text = text.replace(repr(echo), "")
        named = parameter_leaks.find(text, names)
        if refusal in text or "positional-only" in text:
            return f"says {named[0].what!r} in: {error}" if named else ""
        return f"is refused for another reason: {error}"
    return "is accepted"


def foreign(value: Any, depth: int = 0) -> str:
    """Describe the object from the source library that a value is or contains; return "" if there is none."""
    sort = type(value)
    if sort.__module__.partition(".")[0] == SOURCE:
        return f"an object of type {sort.__module__}.{sort.__qualname__}"
    home = getattr(value, "__module__", None) or (value.__name__ if isinstance(value, types.ModuleType) else "")
    if isinstance(home, str) and home.partition(".")[0] == SOURCE:
        return f"{value!r}"
    if isinstance(value, dict):
        value = [*value.keys(), *value.values()]
    if isinstance(value, list | tuple | set | frozenset) and depth < 4:
        return next((inner for v in value if (inner := foreign(v, depth + 1))), "")
    return ""


def _walk(names: Names, library: types.ModuleType, roots: list[Any]) -> Iterator[str]:
    """Follow attributes from the package and from arrays, as long as they stay in the package."""
    queue: list[tuple[str, Any]] = [
        (names.package, library),
        *((f"array[{i}]", a) for i, a in enumerate(roots)),
    ]
    seen: set[Any] = set()
    kept: list[Any] = []  # keeps the objects alive, so that their ids stay unique
    while queue:
        where, value = queue.pop()
        if backend_object := foreign(value):
            yield f"{where} is {backend_object}"
            continue
        if isinstance(value, str) and not where.endswith(("__file__", "__name__")):
            yield from (f"{where} says {leak.what!r}" for leak in leaks.find(value, names))
        home = getattr(value, "__name__" if isinstance(value, types.ModuleType) else "__module__", None)
        own = isinstance(home, str) and (home == names.package or home.startswith(f"{names.package}."))
        bound = isinstance(value, property | types.MethodType | staticmethod | classmethod)
        known = _identity(value)
        if not (own or bound) or known in seen:
            continue
        seen.add(known)
        kept.append(value)
        for name in {*dir(value), *getattr(value, "__dict__", {})} - REFLECTION:
            if not name.startswith("__") and name in leaks.source_names() and name not in _parameters(value):
                yield f"{where}.{name} is named as in the source"
            try:
                queue.append((f"{where}.{name}", getattr(value, name)))
            except Exception as error:
                yield from (f"{where}.{name}: {leak}" for leak in _error(names, error))


def _identity(value: Any) -> Any:
    """Return a key that makes the walk visit an object only once: `x.T` and bound methods are new objects on each
    access."""
    if isinstance(value, types.MethodType):
        return id(value.__func__)
    return (type(value), value.dtype) if hasattr(value, "tolist") and not isinstance(value, type) else id(value)


def _parameters(value: Any) -> tuple[str, ...]:
    return tuple(inspect.signature(value).parameters) if isinstance(value, types.FunctionType) else ()


def _function(names: Names, entry: CatalogEntry, function: Callable[..., Any]) -> Iterator[str]:
    for text in (
        pydoc.render_doc(function, renderer=_PLAIN),
        str(inspect.signature(function)),
        repr(function),
    ):
        page = f"`{names.package}.{entry.name}{names.signature(entry)}`\n" + text
        yield from (
            f"help shows {leak.what!r}" for leak in leaks.find(text, names) if leak.what not in page.split("\n")[0]
        )
    wrong_calls = [*(partial(function, *arguments) for arguments in WRONG_ARGUMENTS), partial(function, 1, no_option=1)]
    for call in wrong_calls:
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            result = yield from _attempt(names, "returns", call)
            yield from (f"prints {leak.what!r}" for leak in leaks.find(repr(result), names))
        yield from (f"warns: {w.message}" for w in warned if w.category is not DeprecationWarning or "array" in str(w))


def _attempt(names: Names, verb: str, act: Callable[[], Any]) -> Generator[str, None, Any]:
    """Make an attempt, yield the leaks in its error or result, and return the result."""
    try:
        result = act()
    except Exception as error:
        yield from _error(names, error)
        return None
    if backend_object := foreign(result):
        yield f"{verb} {backend_object}"
    return result


def _error(names: Names, error: BaseException) -> Iterator[str]:
    if type(error).__module__ != "builtins":
        yield f"raises {type(error).__module__}.{type(error).__qualname__}"
    if error.__context__ is not None or error.__cause__ is not None:
        yield f"chains {(error.__cause__ or error.__context__)!r}"
    if backend_object := foreign(error.args):
        yield f"an error carries {backend_object}"
    text_leaks = (*leaks.find(str(error), names), *parameter_leaks.find(str(error), names))
    yield from (f"says {leak.what!r} in: {error}" for leak in text_leaks)
    files = (frame.f_code.co_filename for frame, _ in traceback.walk_tb(error.__traceback__))
    yield from (f"shows the frame {file}" for file in files if f"/{SOURCE}/" in file.replace("\\", "/"))


def _array(names: Names, array: Any) -> Iterator[str]:
    kind = type(array)
    texts = [
        repr(array),
        str(array),
        f"{array}",
        pydoc.render_doc(kind, renderer=_PLAIN),
        str(array.dtype),
    ]
    for text in texts:
        yield from (f"prints {leak.what!r}" for leak in leaks.find(text, names))
    data = io.BytesIO()
    pickle.dump(array, data)
    if SOURCE.encode() in data.getvalue():
        yield "its pickle names the source"
    for other in (copy.copy(array), copy.deepcopy(array), pickle.loads(data.getvalue())):
        if type(other) is not kind or other.tolist() != array.tolist() or other.dtype != array.dtype:
            yield "a copy differs from the original"
    if (
        backend_object := foreign(array.__reduce_ex__(4))
        or foreign(array.tolist())
        or foreign(list(array))
        or foreign(array.shape)
    ):
        yield f"gives {backend_object}"
    wrong: list[Callable[[], Any]] = [
        lambda: array + object(),
        lambda: array @ [1, 2, 3, 4, 5],
        lambda: array[99],
        lambda: array["key"],
        lambda: array[object()],
        lambda: array.mean(),
        lambda: array._data,
        lambda: kind([1, 2]),
        lambda: float(array),
        lambda: bool(array),
        lambda: [1, 2, 3][array],
        lambda: setattr(array, "shape", (1,)),
        lambda: array << 1.5,
        lambda: format(array, ".2f"),
        lambda: hash(array),
        lambda: len(array[..., 0][0]),
        lambda: type("Sub", (kind,), {}),
        lambda: object.__new__(kind) + 1,
        lambda: memoryview(array),
    ]
    for attempt in wrong:
        yield from _attempt(names, "gives", attempt)


def _protocols(names: Names, functions: Mapping[str, Callable[..., Any]]) -> Iterator[str]:
    """Pass objects as arguments, operands and callbacks whose special methods try to receive backend objects."""
    handed: list[Any] = []

    class Spy:
        def __getattr__(self, name: str) -> Any:
            handed.append(name if name.startswith("__array") else "")
            raise AttributeError(name)

    def record(self: Any, *args: Any, **options: Any) -> Any:
        handed.extend([*args, *options.values()])
        if len(handed) > MOST_HANDED:
            raise IndexError("enough")  # an endless sequence would be read forever
        return 1.0

    array = functions["array"]([1.0, 2.0])
    operations: tuple[Callable[[Any, Any], Any], ...] = (operator.add, operator.eq, operator.getitem)
    for group in HOOKS:
        Hooked = type("Hooked", (), {**dict.fromkeys(group, record), "__hash__": object.__hash__})
        for value in (Hooked(), [Hooked()], [1.0, [Hooked()]], Spy()):
            lists = (*_argument_lists(value), ([1.0, 2.0], value))
            attempts = [("an object", partial(function, *args)) for function in functions.values() for args in lists]
            attempts += [("an operand", partial(operate, array, value)) for operate in operations]
            attempts.append(("an operand", partial(operator.mul, value, array)))
            for what, attempt in attempts:
                yield from _attempt(names, f"{what} with {' or '.join(group)} gets", attempt)
                yield from (f"{what} with {' or '.join(group)} is handed {f}" for v in handed if (f := foreign(v)))
                handed.clear()


def _leak_attempts(
    names: Names, functions: Mapping[str, Callable[..., Any]], library: types.ModuleType
) -> Iterator[str]:
    for trick in leak_attempts.LEAK_ATTEMPTS:
        try:
            got = trick(functions, library)
        except KeyError:
            continue  # the world lacks the functions that this attempt needs
        except Exception as error:
            yield from (f"{trick.__name__}: {leak}" for leak in _error(names, error))
            continue
        if backend_object := foreign(got):
            yield f"{trick.__name__}: got {backend_object}"
        yield from (f"{trick.__name__}: shows {leak.what!r}" for leak in leaks.find(repr(got), names, code=False))


def _argument_lists(value: Any) -> tuple[tuple[Any, ...], ...]:
    """Return argument lists that put a value where data or a callback is expected."""
    as_callback = ((value, (2,)), (value, 0, [[1.0, 2.0]]), (value, [[1.0, 2.0]], 0), ([1.0], [[True]], [value]))
    return (value,), (value, value), *as_callback
