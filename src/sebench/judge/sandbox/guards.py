"""Guards for operations that may reveal something about the process, depending on their operands.
`judge/program/inserted_guards.py` inserts calls to them into stateless programs.

A guard performs the operation if its values are plain: numbers, text, lists, dicts, arrays, and objects of the
program's own classes. Any other value ends the run with `NeedsWall`, which no program can catch, and the program is run
behind the wall instead.

Plain values reveal the same thing in every run: their text contains no address, a set of them always has the same
order, and only listed attributes (`rules.py`) can be read.
"""

from __future__ import annotations

import builtins
import collections
import marshal
import string
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

from sebench.judge.program.rules import ANSWER_MODULE, BUILTINS, OF_VALUES
from sebench.judge.sandbox import limits
from sebench.provenance.observer import TooManyFailures

NUMBERS = frozenset({int, float, bool, complex})
SHOWN = NUMBERS | {str, type(None)}
MOST_LEVELS = 20  # nested lists in a text
CONTAINERS = frozenset({list, tuple, dict, set, frozenset})
PYTHON_TYPES = (
    SHOWN
    | CONTAINERS
    | {range, collections.Counter, collections.OrderedDict, collections.defaultdict, collections.deque}
)
FUNCTIONS = frozenset({FunctionType, BuiltinFunctionType})
SETS = frozenset({set, frozenset})
PLAIN_STORES = (object.__setattr__, BaseException.__setattr__)
_MISSING = object()


class NeedsWall(BaseException):
    """The run would reveal something that only a program behind the wall may see."""


UNSEEN = (NeedsWall, TooManyFailures, limits.OutOfTime, MemoryError, RecursionError, NameError)


def guarded_builtins(library: ModuleType, array_type: type, importer: Callable[..., Any]) -> dict[str, Any]:
    """Return the builtins for stateless programs: those that are allowed (`BUILTINS`), and guards under names that no
    program can write."""
    modules = [library, *(m for m in vars(library).values() if isinstance(m, ModuleType))]
    guards = Guards(modules, array_type)
    names: dict[str, Any] = {name: getattr(builtins, name) for name in BUILTINS}
    names |= {
        f"<{name}>": getattr(guards, f"{name}_")
        for name in "attribute format frozenset hasattr imod mod plain print repr set store str type".split()
    }
    names |= {"<class>": type, "<unseen>": UNSEEN}
    names |= {f"<class {kind.__name__}>": kind for kind in (str, set, frozenset)}
    return names | {"__import__": importer, "__build_class__": builtins.__build_class__}


class ModuleState:
    """Watches the data in a program's module, and the object whose method is the entry point. A program that changes
    either is moved behind the wall."""

    def __init__(self, names: Mapping[str, Any], entry: Any) -> None:
        owner = entry if _is_program_class(type(entry)) else getattr(entry, "__self__", None)
        own = {} if owner is None else getattr(owner, "__dict__", None)
        if own is None or (owner is not None and not _is_program_class(type(owner))):
            raise NeedsWall
        held = [v for k, v in names.items() if not k.startswith("__") and not isinstance(v, type | ModuleType)]
        self.parts = [own, *(part for value in held if value is not owner for part in _parts_to_marshal(value, names))]
        self.before = self._snapshot()

    def _snapshot(self) -> bytes:
        try:
            # 2: without references, which depend on reference counts
            return marshal.dumps(_mark_shared_containers(self.parts, {}), 2)
        except ValueError:
            raise NeedsWall from None

    def check(self) -> None:
        if self._snapshot() != self.before:
            raise NeedsWall


def _mark_shared_containers(value: Any, places: dict[int, int]) -> Any:
    """Return a value in which containers that occur more than once are marked as shared, because sharing is state
    too."""
    kind = type(value)
    if kind not in CONTAINERS:
        return value
    if id(value) in places:
        return ("same", places[id(value)])
    places[id(value)] = len(places)
    parts = [part for pair in value.items() for part in pair] if kind is dict else value
    return kind.__name__, [_mark_shared_containers(part, places) for part in parts]


def _parts_to_marshal(value: Any, names: Mapping[str, Any]) -> list[Any]:
    """Return the data that a value in a program's module refers to, as far as it can change."""
    kind = type(value)
    if kind is partial:
        return [*_parts_to_marshal(value.func, names), value.args, value.keywords]
    if kind is FunctionType:
        if value.__closure__ and value.__globals__ is names:
            raise NeedsWall  # another function of the program returned it
        return []
    if kind is BuiltinFunctionType:  # such as `len`, or `table.get`
        owner = value.__self__
        return [] if owner is None or type(owner) in (ModuleType, type) else [owner]
    return [] if isinstance(value, type) else [value]


class Guards:
    """The guards for one library. Methods are named after their operations, with an underscore appended."""

    def __init__(self, modules: list[ModuleType], array_type: type) -> None:
        self.modules, self.array_type = modules, array_type

    # ---- text

    def plain_(self, value: Any) -> Any:
        """Return the value if its text is the same in every run; otherwise raise NeedsWall."""
        self._check_shown(value, MOST_LEVELS)
        return value

    def _check_shown(self, value: Any, levels: int) -> None:
        kind = type(value)
        if kind in SHOWN:
            return
        if not levels or (kind not in CONTAINERS and (kind is not self.array_type or value.dtype == "mixed")):
            raise NeedsWall
        if kind is dict:
            for key in value:
                self._check_shown(key, levels - 1)
            value = value.values()
        if kind is not self.array_type:
            for part in value:
                self._check_shown(part, levels - 1)

    def str_(self, value: Any = "") -> str:
        return str(self.plain_(value))

    def repr_(self, value: Any) -> str:
        return repr(self.plain_(value))

    def format_(self, value: Any, spec: Any = "") -> str:
        return format(self.plain_(value), spec)

    def print_(self, *values: Any, sep: Any = " ", end: Any = "\n", flush: bool = False, **others: Any) -> None:
        if others:
            raise NeedsWall
        print(*map(self.plain_, values), sep=sep, end=end)

    def mod_(self, left: Any, right: Any) -> Any:
        return self._fill_text(left, right) if isinstance(left, str | bytes) else left % right

    def imod_(self, left: Any, right: Any) -> Any:
        if isinstance(left, str | bytes):
            return self._fill_text(left, right)
        left %= right
        return left

    def _fill_text(self, text: Any, values: Any) -> Any:
        return text % self.plain_(values)

    def _make_filler(self, text: str) -> Callable[..., str]:
        """Return a version of `text.format` that allows only fields that name whole values, not parts of them."""

        def fill(*args: Any, **options: Any) -> str:
            for _, name, spec, _ in string.Formatter().parse(text):
                if set(name or "") & set(".[") or "{" in (spec or ""):
                    raise NeedsWall
            return text.format(*map(self.plain_, args), **{name: self.plain_(value) for name, value in options.items()})

        return fill

    # ---- sets

    def set_(self, values: Iterable[Any] = ()) -> set[Any]:
        return set(self._check_members(values))

    def frozenset_(self, values: Iterable[Any] = ()) -> frozenset[Any]:
        return frozenset(self._check_members(values))

    def _check_members(self, values: Iterable[Any]) -> Iterable[Any]:
        """Check that the members of a set have a fixed order. Return them in their original container, which also
        affects the order."""
        members = values if type(values) in CONTAINERS else list(values)
        for value in members:
            _check_hashed(value)
        return members

    def _guard_set_method(self, method: Callable[..., Any], name: str) -> Callable[..., Any]:
        if name in ("add", "discard"):
            return lambda value: method(*self._check_members([value]))
        return lambda *others: method(*map(self._check_members, others))

    # ---- attributes

    def attribute_(self, owner: Any, name: str) -> Any:
        """Return an attribute of a plain value, of the library, or of an object of the program's own class; raise
        AttributeError if there is none."""
        kind = type(owner)
        if _is_program_class(kind) or (_is_program_class(owner) and name in owner.__dict__):
            return getattr(owner, name)
        if name.startswith("_"):
            raise NeedsWall
        if kind is ModuleType and any(owner is module for module in self.modules):
            return getattr(owner, name)
        if kind not in PYTHON_TYPES and kind is not self.array_type and kind not in FUNCTIONS:
            raise NeedsWall
        if name not in OF_VALUES:
            if getattr(kind, name, _MISSING) is not _MISSING or hasattr(owner, name):
                raise NeedsWall
            return getattr(owner, name)
        value = getattr(owner, name)
        if kind in SETS:
            return self._guard_set_method(value, name) if name not in ("copy", "clear", "pop", "remove") else value
        return self._make_filler(owner) if name == "format" else value

    def hasattr_(self, owner: Any, name: Any) -> bool:
        if type(name) is not str or type(owner) is ModuleType:
            raise NeedsWall  # behind the wall a module has only the names that occur in the program
        try:
            self.attribute_(owner, name)
        except AttributeError:
            return False
        return True

    def store_(self, value: Any, owner: Any, name: str) -> None:
        """Execute `owner.name = value`, for objects of the program's own classes."""
        kind = type(owner)
        if not _is_program_class(kind) or getattr(kind, "__setattr__", None) not in PLAIN_STORES:
            raise NeedsWall  # not an object of its own class, or a frozen one
        setattr(owner, name, value)

    def type_(self, *values: Any) -> type:
        """Return the type of a value if calling the type reveals nothing."""
        kind = type(values[0]) if len(values) == 1 else type
        if kind not in NUMBERS | {list, tuple, dict, type(None), self.array_type}:
            raise NeedsWall
        return kind


def _is_program_class(kind: Any) -> bool:
    """Whether the running program defined this class."""
    return type(kind) is type and kind.__module__ == ANSWER_MODULE


def _check_hashed(value: Any) -> None:
    """Raise NeedsWall for a value whose hash depends on an address: the hashes of None, nan and objects do, those of
    numbers and text do not."""
    kind = type(value)
    if kind is tuple or kind is frozenset:
        for part in value:
            _check_hashed(part)
    elif not (
        kind is int or kind is str or kind is bool or (kind is float and value == value) or kind.__hash__ is None
    ):
        raise NeedsWall  # unhashable values raise an error by themselves
