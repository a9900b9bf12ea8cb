"""The way in and out of the backend: plain data down, wrapped data up, errors cleaned, warnings silenced.

`start` opens the backend for one package and returns what the package's `__init__.py` needs. Its closures hold
everything.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from hashlib import blake2b
from threading import Lock
from types import SimpleNamespace
from typing import Any

from . import arrays
from .messages import cleaned

PLAIN = frozenset({int, float, bool, complex, str, bytes, type(None), type(...)})
BASES: tuple[Any, ...] = (int, float, complex, str, bytes)

# Element kinds by the words that a program writes, and the backend's letters for them.
KINDS = {
    "bool": "?", "int": "i8", "float": "f8", "complex": "c16", "text": "U", "bytes": "S", "mixed": "O",
    "int_8": "i1", "int_16": "i2", "int_32": "i4",
    "unsigned_8": "u1", "unsigned_16": "u2", "unsigned_32": "u4", "unsigned_64": "u8",
    "float_16": "f2", "float_32": "f4", "complex_64": "c8",
}  # fmt: skip
TYPES = {bool: "bool", int: "int", float: "float", complex: "complex", str: "text", bytes: "bytes"}
LETTERS = {"b": "bool", "i": "int", "u": "unsigned", "f": "float", "c": "complex", "U": "text", "S": "bytes"}


class Refused(Exception):
    """A value that is no plain data; its text is the name of the type."""


class Carried(BaseException):
    """An exception of the program's own callback on its way through the backend."""


def word(dtype: Any) -> str:
    """The element kind as a plain word."""
    letter, width = dtype.kind, int(dtype.str[2:] or 0)  # "<f8", "|O"
    name = LETTERS.get(letter, "mixed")
    native = {"i": 8, "f": 8, "c": 16}.get(letter, 0)
    return name if letter not in "iufc" or width == native else f"{name}_{width * 8}"


def kind(value: Any) -> Any:
    """The backend's letters for the element kind that a program names: a word, or a type of Python's own."""
    if value is None:
        return None
    if isinstance(value, type) and value in TYPES:
        return KINDS[TYPES[value]]
    if type(value) is str and value in KINDS:
        return KINDS[value]
    if type(value) is list or type(value) is tuple:
        return [kind(v) for v in value]
    shown = repr(value) if type(value) is str else f"an object of type {type(value).__name__}"
    raise TypeError(f"{shown} is no element kind; the kinds are {', '.join(KINDS)}")


def given(value: Any, default: Any) -> bool:
    """Whether an option differs from its default; no `__eq__` of a caller is asked."""
    if value is default:
        return False
    return type(value) is not type(default) or type(value) not in (int, float, str) or value != default


def hushing() -> tuple[Callable[[], None], Callable[[], None]]:
    """Two functions that silence warnings and let them speak again.

    The backend's warnings carry its file and function names, so none is given while it runs. Swapping the list of
    filters costs 0.1 us where `warnings.catch_warnings` costs 3 us; counting makes it safe when threads overlap.
    """
    silent: list[Any] = [("ignore", None, Warning, None, 0)]
    lock = Lock()
    depth = 0
    saved: Any = None

    def hush() -> None:
        nonlocal depth, saved
        with lock:
            if not depth:
                saved = warnings.filters
                warnings.filters = silent
            depth += 1

    def speak() -> None:
        nonlocal depth, saved
        with lock:
            depth -= 1
            if not depth:
                warnings.filters = saved
                saved = None

    return hush, speak


def finder(root: str, salt: str, inner: frozenset[str]) -> Callable[[str], Any]:
    """What looks up a name of the backend by its salted digest. `inner` are the digests of sub-modules to look into."""
    places: dict[str, tuple[Any, str]] = {}

    def survey(module: Any, prefix: str) -> None:
        for name in dir(module):
            digest = blake2b((prefix + name).encode(), digest_size=8, key=salt.encode()).hexdigest()
            places[digest] = (module, name)
            if digest in inner:
                survey(getattr(module, name), f"{prefix}{name}.")

    survey(__import__(bytes.fromhex(root).decode()), "")
    return lambda digest: getattr(*places[digest])


def start(package: str, type_name: str, root: str, salt: str, inner: frozenset[str]) -> SimpleNamespace:
    """Open the backend: the array type, and `bind`, which makes the runner behind one forged function."""
    pick = finder(root, salt, inner)
    Held, Scalar, Kind = pick("@ndarray"), pick("@generic"), pick("@dtype")
    Made, read, write = arrays.blank(type_name, package)
    hush, speak = hushing()
    new = object.__new__

    def wrap(held: Any) -> Any:
        one = new(Made)
        write(one, held)
        return one

    def lower(value: Any) -> Any:
        cls = type(value)
        if cls is Made:
            return read(value)
        if cls in PLAIN or cls is range:
            return value
        if cls is list or cls is tuple:
            # at the speed of C for plain lists: 10 ns an element
            return value if PLAIN.issuperset(map(type, value)) else cls([lower(v) for v in value])
        if cls is slice:
            return slice(lower(value.start), lower(value.stop), lower(value.step))
        if callable(value):
            return callback(value)
        for base in BASES:
            if isinstance(value, base):
                return base(value)
        if hasattr(cls, "__iter__") and not isinstance(value, (set, frozenset, dict)):
            return [lower(v) for v in value]
        if hasattr(cls, "__float__"):
            return float(value)
        raise Refused(cls.__name__)

    def lowered(value: Any, where: str) -> Any:
        try:
            return lower(value)
        except Refused as refused:
            reason = f"{where} cannot work on an object of type {refused}"
        raise TypeError(reason)

    def lift(value: Any, named: Any = None) -> Any:
        cls = type(value)
        if cls is Held:
            return wrap(value)
        if cls in PLAIN:
            return value
        if isinstance(value, Scalar):
            plain = value.tolist()
            if type(plain) in PLAIN:
                return plain
            return complex(plain) if value.dtype.kind == "c" else float(plain)  # extended precision
        if cls is tuple or cls is list:
            return value if PLAIN.issuperset(map(type, value)) else cls([lift(v) for v in value])
        if isinstance(value, tuple):
            parts = [lift(v) for v in value]
            return named._make(parts) if named is not None else tuple(parts)
        if isinstance(value, Held):
            return wrap(value.view(Held))
        if isinstance(value, Kind):
            return word(value)
        if callable(value) and not isinstance(value, type):
            return runner(value, type_name.lower(), {}, None)
        raise TypeError(f"{package} cannot give this result")

    def callback(function: Callable[..., Any]) -> Callable[..., Any]:
        def called(*args: Any, **options: Any) -> Any:
            lifted = [lift(a) for a in args]
            speak()
            try:
                return lower(function(*lifted, **{k: lift(v) for k, v in options.items()}))
            except Exception as error:
                carried = Carried(error)
            finally:
                hush()
            raise carried

        return called

    def describe(value: Any) -> str:
        if type(value) is Made:
            held = read(value)
            return f"{type_name} of shape {tuple(held.shape)} and kind {word(held.dtype)}"
        return repr(value) if type(value) in PLAIN and len(repr(value)) < 40 else type(value).__name__

    def clean(error: BaseException, where: str, given: tuple[Any, ...]) -> BaseException:
        if isinstance(error, Carried):
            own: BaseException = error.args[0]
            return own
        if isinstance(error, Refused):
            return TypeError(f"{where} cannot work on an object of type {error}")
        return cleaned(error, where, [describe(v) for v in given])

    def guarded(function: Any, where: str, values: tuple[Any, ...], given: tuple[Any, ...]) -> Any:
        hush()
        try:
            return function(*values)
        except (Exception, Carried) as error:
            failure = clean(error, where, given)
        finally:
            speak()
        raise failure  # outside the handler, so that nothing is chained

    def runner(function: Any, where: str, defaults: dict[str, Any], named: Any) -> Callable[..., Any]:
        # An option that has its default value is not handed over: some backend functions take a given default for
        # something else than no value.
        def run(*args: Any, **options: Any) -> Any:
            hush()
            try:
                wanted = {k: lower(v) for k, v in options.items() if given(v, defaults[k])}
                result = function(*[lower(a) for a in args], **wanted)
            except (Exception, Carried) as error:
                failure = clean(error, where, (*args, *options.values()))
            else:
                target = options.get("out")
                if type(target) is Made and read(target) is result:
                    return target
                return lift(result, named)
            finally:
                speak()
            raise failure

        run.__name__ = run.__qualname__ = where.rpartition(".")[2]
        run.__module__ = package
        return run

    def listed(value: Any) -> Any:
        return wrap(pick("@array")(lowered(value, package))) if isinstance(value, (list, tuple)) else value

    def restore(flat: Any, shape: Any, name: str) -> Any:
        return wrap(pick("@reshape")(pick("@array")(flat, dtype=kind(name)), shape))

    restore.__name__ = restore.__qualname__ = "_restore"
    restore.__module__ = package
    tools = SimpleNamespace(
        read=read, wrap=wrap, lower=lower, lowered=lowered, lift=lift, guarded=guarded, Refused=Refused, word=word,
        restore=restore, duplicate=pick("@copy"), flattened=pick("@ravel"), rounded=pick("@round"),
    )  # fmt: skip
    arrays.furnish(Made, package, tools)
    texts: dict[str, Any] = {
        "@array_repr": lambda held: repr(wrap(pick("@array")(held))),
        "@array_str": lambda held: str(wrap(pick("@array")(held))),
        "@array2string": lambda held: str(wrap(pick("@array")(held))),
    }

    def bind(name: str, digest: str, defaults: dict[str, Any], named: Any = None) -> Callable[..., Any]:
        """The runner behind one forged function; `named` is the type of its result where that has named fields."""
        return runner(texts.get(digest) or pick(digest), f"{package}.{name}", defaults, named)

    return SimpleNamespace(array_type=Made, bind=bind, kind=kind, listed=listed, restore=restore)
