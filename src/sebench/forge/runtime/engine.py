"""The way in and out of the backend: plain data down, wrapped data up, errors cleaned, warnings silenced.

`start` opens the backend for one package and returns what the package's `__init__.py` needs. Its closures hold everything.

The order in a call matters. First the arguments are lowered: that may run code of the caller (`__iter__`, `__float__`), whose errors and
warnings are its own. Then the backend runs, silenced, on plain data. Then, outside every handler, an error is cleaned or a result lifted,
so that nothing of the backend is chained to what the caller sees.
"""

from __future__ import annotations

import math
import operator
import warnings
from _blake2 import blake2b  # hashlib would load OpenSSL: 5 MB in every fork of a zygote
from _thread import allocate_lock as Lock  # threading would run code of its own after every fork
from collections.abc import Callable, Iterable
from types import SimpleNamespace
from typing import Any

from . import arrays
from .messages import cleaned

PLAIN = frozenset({int, float, bool, complex, str, bytes, type(None), type(...)})

# What an object of a subclass holds, read with the base type's own methods: no method of the caller is asked.
BASES: tuple[tuple[type, Callable[[Any], Any]], ...] = (
    (int, int.__int__),
    (float, float.__float__),
    (complex, lambda value: complex.__add__(value, 0)),
    (str, str.__str__),
    (bytes, lambda value: bytes.__getitem__(value, slice(None))),
)

# Element kinds by the words that a program writes, and the backend's letters for them.
KINDS = {
    "bool": "?", "int": "i8", "float": "f8", "complex": "c16", "text": "U", "bytes": "S",
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


class Prepared:
    """An argument that the package itself has turned into what the backend wants: an element kind, a callback."""

    __slots__ = ("shown", "value")

    def __init__(self, value: Any, shown: str) -> None:
        self.value = value
        self.shown = shown


class Silence(list[Any]):
    """A list of warning filters that lets none through; it remembers what it stands for, and for how many calls."""

    __slots__ = ("depth", "lock", "saved")

    def __init__(self) -> None:
        self.depth = 0
        self.lock = Lock()
        self.saved: Any = None


def name_of(cls: Any) -> str:
    """The name of a class; a metaclass is not asked."""
    name: str = type.__dict__["__name__"].__get__(cls)
    return name


def word(dtype: Any) -> str:
    """The element kind as a plain word."""
    letter, width = dtype.kind, int(dtype.str[2:] or 0)  # "<f8", "|O"
    name = LETTERS.get(letter, "mixed")
    native = {"i": 8, "f": 8, "c": 16}.get(letter, 0)
    return name if letter not in "iufc" or width == native else f"{name}_{width * 8}"


def kind(value: Any) -> Any:
    """The element kind that a program names: a word, or a type of Python's own."""
    if value is None:
        return None
    if isinstance(value, type) and value in TYPES:
        value = TYPES[value]
    if type(value) is str and value in KINDS:
        return Prepared(KINDS[value], repr(value))
    shown = repr(value) if type(value) is str else f"an object of type {name_of(type(value))}"
    raise TypeError(f"{shown} is no element kind; the kinds are {', '.join(KINDS)}")


def kinds(value: Any) -> Any:
    """Several element kinds: a list of them, or one."""
    return [kind(v) for v in value] if isinstance(value, (list, tuple)) else value if value is None else [kind(value)]


def given(value: Any, default: Any) -> bool:
    """Whether an option differs from its default; no `__eq__` of a caller is asked."""
    if value is default:
        return False
    return type(value) is not type(default) or type(value) not in (int, float, str) or value != default


def hushing() -> tuple[Callable[[], Silence], Callable[[Silence], None]]:
    """Two functions that silence warnings and let them speak again.

    The backend's warnings carry its file and function names, so none is given while it runs. Swapping the list of
    filters costs 0.2 us where `warnings.catch_warnings` costs 3 us. Calls that overlap, in threads or in two packages,
    share the silence of the first; what a program did to the filters meanwhile stays.
    """
    own = Silence()

    def hush() -> Silence:
        found: Any = warnings.filters
        if hasattr(found, "saved"):
            with found.lock:
                if found.depth:
                    found.depth += 1
                    return found  # type: ignore[no-any-return]
        with own.lock:
            if not own.depth:
                own[:] = [("ignore", None, Warning, None, 0)]
                own.saved = warnings.filters
                warnings.filters = own
            own.depth += 1
        return own

    def speak(silence: Silence) -> None:
        with silence.lock:
            silence.depth -= 1
            if not silence.depth and warnings.filters is silence:
                warnings.filters = silence.saved

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

    filters: Any = warnings.filters
    before = list(filters)
    survey(__import__(bytes.fromhex(root).decode()), "")
    filters[:] = [f for f in filters if f in before]  # the backend adds some that name it
    return lambda digest: getattr(*places[digest])


def start(package: str, type_name: str, root: str, salt: str, inner: frozenset[str]) -> SimpleNamespace:
    """Open the backend: the array type, and `bind`, which makes the runner behind one forged function."""
    pick = finder(root, salt, inner)
    Held, Scalar, Kind, Applied = pick("@ndarray"), pick("@generic"), pick("@dtype"), pick("@vectorize")
    origin = bytes.fromhex(root).decode()
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
            # a copy, so that nobody changes it after the look; at the speed of C for plain lists: 10 ns an element
            copied = cls(value)
            return copied if PLAIN.issuperset(map(type, copied)) else cls([lower(v) for v in copied])
        if cls is Prepared:
            return value.value
        if cls is slice:
            return slice(lower(value.start), lower(value.stop), lower(value.step))
        for base, held in BASES:
            if issubclass(cls, base):
                return held(value)
        if callable(value) or issubclass(cls, (set, frozenset, dict)):
            raise Refused(name_of(cls))
        if hasattr(cls, "__iter__"):
            return [lower(v) for v in value]
        if hasattr(cls, "__index__"):
            return lower(operator.index(value))
        if hasattr(cls, "__float__"):
            return float(value)
        raise Refused(name_of(cls))

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
        if cls is Applied:
            return runner(value, type_name.lower(), {}, None)
        raise TypeError(f"{package} cannot give this result")

    def values(held: Any) -> Any:
        """The elements as nested lists; those of a mixed array may be arrays themselves."""
        return lift(held.tolist()) if held.dtype.kind == "O" else held.tolist()

    def callback(function: Any) -> Any:
        """A function of the program for the backend to call; anything else is data."""
        if type(function) is list or type(function) is tuple:
            return [callback(f) for f in function]
        if type(function) is Made or not callable(function):
            return function

        def called(*args: Any, **options: Any) -> Any:
            lifted, named = [lift(a) for a in args], {k: lift(v) for k, v in options.items()}
            silence: Any = warnings.filters
            ours = hasattr(silence, "saved")
            if ours:
                speak(silence)
            try:
                result, failure = function(*lifted, **named), None
            except BaseException as error:
                result, failure = None, error
            finally:
                if ours:
                    hush()
            if failure is None:
                try:
                    return lower(result)
                except Refused as refused:
                    failure = TypeError(f"{package} cannot use a result of type {refused}")
            raise Carried(failure)

        return Prepared(called, "a function")

    def describe(value: Any) -> str:
        if type(value) is Made:
            held = read(value)
            return f"{type_name} of shape {tuple(held.shape)} and kind {word(held.dtype)}"
        if type(value) is Prepared:
            return str(value.shown)
        return repr(value) if type(value) in PLAIN and len(repr(value)) < 40 else name_of(type(value))

    def clean(error: BaseException, where: str, shown: tuple[Any, ...]) -> BaseException:
        """What the caller sees instead of an error that came out of the backend."""
        if type(error) is Carried:
            own: BaseException = error.args[0]
            return own
        home = type(error).__module__.partition(".")[0]
        if isinstance(error, Exception) and home in ("builtins", origin):
            return cleaned(error, where, [describe(v) for v in shown])
        error.__context__ = error.__cause__ = None  # from a signal handler of the program, or a wish to end it
        return error.with_traceback(None)

    def guarded(function: Any, where: str, arguments: tuple[Any, ...], shown: tuple[Any, ...]) -> Any:
        """Run the backend on lowered values."""
        silence = hush()
        try:
            return function(*arguments)
        except BaseException as error:
            failure = error
        finally:
            speak(silence)
        failure = clean(failure, where, shown)
        raise failure

    def runner(function: Any, where: str, defaults: dict[str, Any], named: Any) -> Callable[..., Any]:
        # An option that has its default value is not handed over: some backend functions take a given default for
        # something else than no value.
        def run(*args: Any, **options: Any) -> Any:
            try:
                arguments = [lower(a) for a in args]
                wanted = {k: lower(v) for k, v in options.items() if given(v, defaults.get(k, run))}
            except Refused as refused:
                reason = f"{where} cannot work on an object of type {refused}"
            else:
                reason = ""
            if reason:
                raise TypeError(reason)
            silence = hush()
            try:
                result, failure = function(*arguments, **wanted), None
            except BaseException as error:
                result, failure = None, error
            finally:
                speak(silence)
            if failure is not None:
                failure = clean(failure, where, (*args, *options.values()))
                raise failure
            target = options.get("out")
            return lift(result, named) if target is None else handed_back(result, target)

        run.__name__ = run.__qualname__ = where.rpartition(".")[2]
        run.__module__ = package
        return run

    def handed_back(result: Any, target: Any) -> Any:
        """The result of a call with `out=`: the caller's own arrays where they are it."""
        if isinstance(target, tuple) and isinstance(result, tuple):
            return tuple(handed_back(r, t) for r, t in zip(result, target, strict=True))
        if isinstance(target, tuple) and len(target) == 1:
            target = target[0]
        return target if type(target) is Made and read(target) is result else lift(result)

    def listed(value: Any) -> Any:
        """Lists as arrays, where the backend would refuse them."""
        if not isinstance(value, (list, tuple, range)):
            return value
        return wrap(guarded(pick("@array"), package, (lowered(value, package),), (value,)))

    def finite(value: Any) -> Any:
        """The same value, if it has no nan, no infinity and no giant: the backend prints about them, or loses its mind."""
        flat = listed(value)
        for element in values(pick("@ravel")(read(flat))) if type(flat) is Made else [flat]:
            if isinstance(element, (float, complex)) and not math.isfinite(abs(element)):
                raise ValueError(f"{package}: the values must be finite")
            if isinstance(element, int) and abs(element) > 2**53:
                raise ValueError(f"{package}: a value is too large")
        return value

    def restore(flat: Iterable[Any], shape: Any, name: str) -> Any:
        letters = KINDS.get(name, "O") if type(name) is str else "O"
        elements, sizes = lowered(list(flat), package), lowered(tuple(shape), package)

        def fill() -> Any:
            if letters != "O":
                return pick("@reshape")(pick("@array")(elements, letters), sizes)
            held = pick("@empty")(len(elements), "O")
            for i, element in enumerate(elements):
                held[i] = element
            return pick("@reshape")(held, sizes)

        return wrap(guarded(fill, package, (), (flat, shape)))

    restore.__name__ = restore.__qualname__ = "_restore"
    restore.__module__ = package
    tools = SimpleNamespace(
        read=read, wrap=wrap, lower=lower, lowered=lowered, lift=lift, guarded=guarded, Refused=Refused, word=word,
        values=values, restore=restore, duplicate=pick("@copy"), flattened=pick("@ravel"), rounded=pick("@round"),
    )  # fmt: skip
    arrays.furnish(Made, package, tools)
    texts: dict[str, Any] = {
        "@array_repr": lambda held: repr(wrap(pick("@array")(held))),
        "@array_str": lambda held: str(wrap(pick("@array")(held))),
        "@array2string": lambda held: str(wrap(pick("@array")(held))),
    }

    # What would show whatever memory held before: the same for the same call here.
    settled: dict[str, Any] = {
        "@empty": pick("@zeros"),
        "@empty_like": lambda prototype, *args, **options: pick("@zeros_like")(prototype, *args, **options),
        "@pad": lambda array, pad_width, mode="constant", **options: pick("@pad")(
            array, pad_width, "constant" if mode == "empty" else mode, **options
        ),
    }

    def bind(name: str, digest: str, defaults: dict[str, Any], named: Any = None) -> Callable[..., Any]:
        """The runner behind one forged function; `named` is the type of its result where that has named fields."""
        function = texts.get(digest) or settled.get(digest) or pick(digest)
        return runner(function, f"{package}.{name}", defaults, named)

    return SimpleNamespace(
        array_type=Made,
        bind=bind,
        kind=kind,
        kinds=kinds,
        listed=listed,
        finite=finite,
        callback=callback,
        restore=restore,
    )
