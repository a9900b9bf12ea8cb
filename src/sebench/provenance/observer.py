"""The observer: every call to a package's functions goes through it. It records calls and can falsify functions, that
is, make them return deliberately wrong values ("lie").

Two kinds of calls can be exempt. A call that does not depend on the inputs ("is 1 + 1 still 2?") could be a test of
whether the library is falsified; `seen` and `constant_calls` identify these. And a call that returns its argument
(`max([v])`, `ravel(v)`, `sum([v, 0])`) does no work: a value that only passes through a function does not come from it.
"""

from __future__ import annotations

import inspect
from _blake2 import blake2b  # hashlib would load OpenSSL
from collections import Counter, deque
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence, ValuesView
from dataclasses import dataclass, field
from marshal import dumps
from types import ModuleType
from typing import Any

from sebench.provenance.lies import Liar, Traits
from sebench.provenance.moves import FLIPPED, Arguments, Move, Mover

SCALARS = frozenset({int, float, bool, complex, str, bytes, type(None)})
SINGLE = frozenset({float, bool, complex, str})  # not int: it may be an index, which has its own range
MOST_SEEN = 2000  # calls recorded per run

SEEN_TYPES = SCALARS | {list, tuple, dict}  # arguments that are passed on unchanged
ITERATORS = (Iterator, range, ValuesView, deque)

Call = tuple[str, bytes]  # a function and its arguments; equal for equal calls in one process
Seen = Mapping[Call, Collection[int]]  # the cases in which a call was made


@dataclass(frozen=True)
class FollowedLie:
    """The falsification of one function; an answer must follow it."""

    liar: str
    move: Move | None  # None: the function is truthful, and its arguments are recorded
    # by case: marks of the arguments that gold passes to it (`moves.Arguments`)
    argument_marks: Mapping[int, Collection[int]] = field(default_factory=dict)
    by_result: bool = False  # replace numbers in the result instead of the arguments
    alternative: bool = False  # the function does the work of a core function


@dataclass(frozen=True)
class Orders:
    """Which functions are falsified in a run, and how. By default none is."""

    liars: frozenset[str] = frozenset()
    variant: int = 0
    spared: frozenset[Call] = frozenset()  # calls that stay truthful
    idle_too: bool = True  # also lie in calls that return their argument
    grounded: bool = False  # lie only in calls on an array, or on numbers from the inputs or from results
    instead: Mapping[Call, Any] | None = None  # wrong values for these calls; no other call lies
    following: FollowedLie | None = None  # the only lie of this run


TRUTH = Orders()
MOST_FAILURES = 5_000  # calls in a run that may raise an error; by endless tries, a program could find option words


class TooManyFailures(BaseException):
    """Too many library calls failed; the program cannot catch this."""


@dataclass
class Observer:
    """Wraps the functions of a package."""

    library: ModuleType
    array_type: Any
    functions: Mapping[str, Traits]  # by forged path
    called: dict[str, None] = field(default_factory=dict)
    seen: dict[Call, set[int]] = field(default_factory=dict)
    results: dict[Call, Any] = field(default_factory=dict)  # of calls that returned a single value
    case: int = -1  # -1 while a program is loaded
    inputs: tuple[Any, ...] = ()  # of the current case
    returned_numbers: list[Any] = field(default_factory=list)  # numbers that the library returned in this case
    orders: Orders = TRUTH
    changes: int = 0  # calls in this run that may have changed an array
    lies: int = 0  # wrong values returned in this run
    failures: int = 0  # calls in this run that raised an error
    lied_in: set[int] = field(default_factory=set)  # cases of this run in which the followed function lied
    truthful_calls: int = 0  # calls to a lying function in this run that were exempt from lying
    noted: set[int] = field(default_factory=set)  # marks of the followed function's arguments in this case

    def __post_init__(self) -> None:
        self._liar = Liar(self.array_type, self.library._restore)
        self._mover, self._arguments = Mover(self.array_type, self.library._restore), Arguments(self.array_type)
        for path, traits in self.functions.items():
            module_name, _, name = path.rpartition(".")
            module = getattr(self.library, module_name) if module_name else self.library
            setattr(module, name, self._observe(path, getattr(module, name), traits))

    def begin(self, orders: Orders = TRUTH) -> None:
        """Start a new run with no recorded calls."""
        self.called, self.seen, self.results = {}, {}, {}
        self.changes = self.lies = self.truthful_calls = self.failures = 0
        self.orders, self.lied_in = orders, set()
        self.begin_case(-1)

    def begin_case(self, number: int, inputs: tuple[Any, ...] = ()) -> None:
        """Start a case; the following calls belong to it."""
        self.case, self.inputs, self.returned_numbers = number, inputs, []
        self.noted = set()

    def _observe(self, path: str, function: Callable[..., Any], traits: Traits) -> Callable[..., Any]:
        signature = inspect.signature(function)
        target, may_own = traits.inplace, traits.receives in signature.parameters
        as_they_are = SEEN_TYPES | {self.array_type}

        def call(*args: Any, **options: Any) -> Any:
            if traits.words:
                self._check_words(path, signature, traits, args, options)
            if not as_they_are.issuperset(map(type, args)):  # the observer first reads the elements of lazy sequences
                args = tuple(list(value) if isinstance(value, ITERATORS) else value for value in args)
            if (following := self.orders.following) is not None:
                if path != following.liar:
                    return self._call_truthfully(function, args, options, target, may_own)
                return self._call_followed(following, function, signature, traits, args, options)
            lying = self.orders is not TRUTH and path in self.orders.liars
            arrays = [a for a in args if type(a) is self.array_type] if lying and may_own else []
            before = {id(array): list(self._flat(array)) for array in arrays}
            try:
                result = function(*args, **options)
            except Exception:
                self._count_failure()
                raise
            self.called[path] = None
            own = self._callers_arrays(args, options, result) if may_own else None
            if target or own:
                self.changes += 1
            orders = self.orders
            if orders is not TRUTH and not lying:
                if orders.grounded and len(self.returned_numbers) < MOST_SEEN and self._size(result) < MOST_SEEN:
                    self.returned_numbers += self._flat(result)
                return result
            digest = self._digest(path, args, options, result)
            noted = digest in self.seen or len(self.seen) < MOST_SEEN
            if noted:
                self.seen.setdefault(digest, set()).add(self.case)
            if orders is TRUTH:
                if noted and type(result) in SINGLE:
                    self.results[digest] = result
                return result
            if (
                not noted  # it may be a constant one
                or digest in orders.spared
                or (not orders.idle_too and self._is_idle(args, options, result, own or (), before))
                or (orders.grounded and not self._is_grounded(args, options))
            ):
                self.truthful_calls += 1
                return result
            try:
                if target or own:
                    for array in own or [signature.bind(*args, **options).arguments[target]]:
                        if type(array) is self.array_type:
                            array[...] = self._liar.lie(array, Traits(varies=traits.varies), orders.variant)
                    lie = None
                elif orders.instead is not None:
                    lie = orders.instead.get(digest, result)
                else:
                    lie = self._liar.lie(result, traits, orders.variant)
            except RecursionError:
                raise  # the stack depth of a program must not decide whether the call lies
            except Exception:  # a value that is too extreme for a lie stays unchanged
                self.truthful_calls += 1
                return result
            self.lies += lie is not result
            return result if target or own else lie

        call.__name__ = call.__qualname__ = function.__name__
        call.__module__ = function.__module__
        call.__signature__ = signature  # type: ignore[attr-defined]
        return call

    def _check_words(
        self, path: str, signature: inspect.Signature, traits: Traits, args: Any, options: dict[str, Any]
    ) -> None:
        """Raise an error if an option is not passed as a word: bytes, arrays of text and integer codes would reach the
        backend, which knows them under their original words."""
        try:
            passed = signature.bind(*args, **options).arguments
        except TypeError:
            return  # the function will say so
        for name, only_words in traits.words.items():
            value = passed.get(name)
            if value is None or isinstance(value, str) or callable(value):
                continue
            plain = isinstance(value, list | tuple) and all(isinstance(part, str) for part in value)
            if self._hides_words(value) or (only_words and not plain):
                self._count_failure()
                where = f"{self.library.__name__}.{path}"
                raise ValueError(f"{where}: a value of type {type(value).__name__} is not a word for `{name}`")

    def _hides_words(self, value: Any, checked: bool = True) -> bool:
        """Whether a value contains text other than strings, or lists of strings, which the package checks."""
        if type(value) is self.array_type:
            return not all(isinstance(part, int | float | complex) for part in self._flat(value))
        if isinstance(value, list | tuple):
            return any(self._hides_words(part, checked and isinstance(part, str)) for part in value)
        return not checked if isinstance(value, str) else isinstance(value, bytes | bytearray | memoryview)

    def _count_failure(self) -> None:
        self.failures += 1
        if self.failures > MOST_FAILURES and self.orders is TRUTH:
            raise TooManyFailures(f"more than {MOST_FAILURES:,} library calls raised an error") from None

    def _call_truthfully(
        self, function: Callable[..., Any], args: Any, options: Any, target: str, may_own: bool
    ) -> Any:
        result = function(*args, **options)
        self.changes += bool(target or (may_own and self._callers_arrays(args, options, result)))
        return result

    def _call_followed(
        self,
        following: FollowedLie,
        function: Callable[..., Any],
        signature: inspect.Signature,
        traits: Traits,
        args: Any,
        options: Any,
    ) -> Any:
        """Call the function whose falsification an answer must follow."""
        may_own = traits.receives in signature.parameters
        try:
            bound = signature.bind(*args, **options)
        except TypeError:
            return self._call_truthfully(function, args, options, traits.inplace, may_own)
        move, marks = following.move, self._arguments
        data = [
            bound.arguments.get(name, parameter.default)
            for name, parameter in signature.parameters.items()
            if name not in traits.options
        ]
        if move is None:
            self.noted |= {marks.call(data, None), *marks.marks(data, traits.elementwise, following.alternative)}
            result = self._call_truthfully(function, bound.args, bound.kwargs, traits.inplace, may_own)
            self.noted.add(marks.call(data, result))
            if following.alternative:
                self.noted.update([marks.whole_result(result), *marks.results(result)])
            return result
        known_marks = following.argument_marks.get(self.case, ())
        if following.alternative and not self._does_work(function, bound, traits, known_marks):
            return self._call_truthfully(function, args, options, traits.inplace, may_own)
        if following.by_result:
            return self._call_with_other_result(move, function, bound, traits, data, None)
        if not move.of_exact_calls and marks.are_covered(data, known_marks, traits.elementwise):
            if not move.of_arguments:
                return self._call_with_other_result(move, function, bound, traits, data, None)
            return self._call_with_other_arguments(move, function, bound, traits, may_own, covered_by=known_marks)
        if move.of_arguments and traits.elementwise and len(data) == 1:
            return self._call_with_other_arguments(move, function, bound, traits, may_own, known_marks)
        if not move.of_arguments:
            return self._call_with_other_result(move, function, bound, traits, data, known_marks)
        return self._call_truthfully(function, args, options, traits.inplace, may_own)

    def _does_work(
        self, function: Callable[..., Any], bound: inspect.BoundArguments, traits: Traits, known_marks: Collection[int]
    ) -> bool:
        """Whether a call to an alternative does the work of the core function, as far as can be told: it returns
        nothing that the reference's calls do not return (as a whole in any unit), and not its argument, unless that is
        its work (`reshape`). Otherwise own values could pass through it."""
        if traits.inplace:
            return True
        if bound.arguments.get(traits.receives) is not None:
            return False
        try:
            result = function(*bound.args, **bound.kwargs)
        except RecursionError:
            raise
        except Exception:  # it has no result to pass on
            return True
        if not traits.arranges and self._is_idle(bound.args, bound.kwargs, result, (), {}):
            return False
        if self._arguments.whole_result(result) in known_marks:
            return True
        return all(mark in known_marks for mark in self._arguments.results(result))

    def _call_with_other_arguments(
        self,
        move: Move,
        function: Callable[..., Any],
        bound: inspect.BoundArguments,
        traits: Traits,
        may_own: bool,
        known_marks: Collection[int] | None = None,
        covered_by: Collection[int] | None = None,
    ) -> Any:
        """Return the right result for other arguments, or for the given ones if the function rejects the others."""
        right_arguments, options = dict(bound.arguments), set[str]()
        if covered_by is not None and not traits.elementwise:
            options = {name for name in right_arguments if self._arguments.is_option(right_arguments[name], covered_by)}
            options = options if len(options) < len(right_arguments) else set()
        try:
            bound.arguments.update(self._mover.other_arguments(move, right_arguments, traits, known_marks, options))
            lie = function(*bound.args, **bound.kwargs)
        except RecursionError:
            raise
        except Exception:
            bound.arguments.update(right_arguments)
            return self._call_truthfully(function, bound.args, bound.kwargs, traits.inplace, may_own)
        self.changes += bool(traits.inplace or (may_own and self._callers_arrays(bound.args, bound.kwargs, lie)))
        self._count_lie()
        return lie

    def _call_with_other_result(
        self,
        move: Move,
        function: Callable[..., Any],
        bound: inspect.BoundArguments,
        traits: Traits,
        data: list[Any],
        known_marks: Collection[int] | None,
    ) -> Any:
        """Return a falsified result if the call's mark is in `known_marks`, else the true one. The mark is a hash of
        the arguments and the result, or of the arguments only if the result was written into one of them. With None,
        every call is falsified."""
        before = self._arguments.call(data, None)
        sources = None
        if move.kind == FLIPPED:
            parameter = bound.signature.parameters.get(traits.axis)
            axis = bound.arguments.get(traits.axis, parameter and parameter.default)
            sources = self._arguments.sources(data, axis, traits.elementwise)
        result = function(*bound.args, **bound.kwargs)
        own = (
            [bound.arguments[traits.inplace]]
            if traits.inplace
            else self._callers_arrays(bound.args, bound.kwargs, result)
        )
        self.changes += bool(own)
        call = self._arguments.call(data, result) if not own else before
        if known_marks is not None and call not in known_marks:
            return result
        self._count_lie()
        try:
            if not own:
                return self._other_result(move, result, traits.indexes, call, sources)
            for array in own:
                if type(array) is self.array_type:
                    array[...] = self._other_result(move, array, False, call, sources)
        except RecursionError:
            raise
        except Exception:  # a value that does not fit stays unchanged
            pass
        return result

    def _other_result(
        self, move: Move, result: Any, indexes: bool, call: int, sources: Callable[[int], list[int]] | None
    ) -> Any:
        if sources is not None:
            return self._mover.flip(move, result, iter(sources(self._size(result))))
        return self._mover.other_result(move, result, indexes, call)

    def _count_lie(self) -> None:
        self.lies += 1
        self.lied_in.add(self.case)

    def _callers_arrays(self, args: Any, options: Any, result: Any) -> list[Any]:
        """Return the results that are the caller's own arrays, passed in to be filled."""
        arguments = [*args, *options.values()]
        arguments += [a for group in arguments if type(group) is tuple for a in group]
        results = result if type(result) is tuple else (result,)
        return [r for r in results if type(r) is self.array_type and any(r is a for a in arguments)]

    def _digest(self, path: str, args: Any, options: Any, result: Any) -> Call:
        try:
            data = dumps((args, options), 2)  # later versions of the format write the same value in several ways
        except ValueError:  # there are arrays among them, or functions
            opaque: list[Any] = []
            call_data = (self._plain(args, opaque), self._plain(sorted(options.items()), opaque))
            # functions and iterators are opaque, so the result distinguishes the calls
            data = dumps((call_data, self._plain(result, []) if opaque else None), 2)
        return path, data if len(data) < 64 else blake2b(data, digest_size=16).digest()

    def _plain(self, value: Any, opaque: list[Any]) -> Any:
        """Return an argument as plain data, without calling methods of the caller's objects."""
        kind = type(value)
        if kind is self.array_type:
            flat, shape, word = value.__reduce__()[1]
            return [self._plain(flat, opaque) if word == "mixed" else flat, shape, word]
        if kind is list or isinstance(value, tuple):
            return [self._plain(v, opaque) for v in value]
        if kind in SCALARS:
            return value
        opaque.append(value)
        return None

    def _is_idle(
        self, args: Any, options: Any, result: Any, own: Sequence[Any], before: Mapping[int, list[Any]]
    ) -> bool:
        """Whether a call returned the elements of one of its arguments in order, or the only non-zero number in it.

        A number counts as an argument only if it is the only one (`maximum(3, 5)` is 5, but did some work); joined
        arrays do not count. An array that the result was written to counts with its earlier elements.
        """
        flat = list(self._flat(result))
        arguments = (*args, *(v for v in options.values() if not any(v is array for array in own)))
        groups = [a for a in arguments if type(a) in (list, tuple, self.array_type)]
        if not groups and len(args) == 1:
            groups = list(args)
        for group in groups if flat else ():
            elements = before.get(id(group)) or list(self._flat(group))
            if type(group) in (list, tuple) and sum(type(part) is self.array_type for part in group) > 1:
                continue
            if len(flat) == len(elements) and all(map(_equal, flat, elements)):
                return True
            # a boolean about a whole array is a result, not one of its elements
            about_all = type(flat[0]) is bool and type(group) is self.array_type and len(elements) > 1
            if len(flat) == 1 and not about_all and _only(flat[0], elements):
                return True
        return False

    def _size(self, value: Any) -> int:
        if type(value) is self.array_type:
            size: int = value.size
            return size
        return sum(map(self._size, value)) if isinstance(value, list | tuple) else 1

    def _is_grounded(self, args: tuple[Any, ...], options: Mapping[str, Any]) -> bool:
        """Whether an argument is or contains an array, or all of its numbers come from the case's inputs or from
        earlier results."""
        known = [*self._flat(self.inputs), *self.returned_numbers]
        for argument in (*args, *(v for v in options.values() if type(v) not in SCALARS)):
            parts = argument if type(argument) in (list, tuple) else (argument,)
            if any(type(part) is self.array_type for part in parts):
                return True
            elements = list(self._flat(argument))
            if elements and all(any(_equal(e, k) for k in known) for e in elements):
                return True
        return False

    def _flat(self, value: Any) -> Iterator[Any]:
        kind = type(value)
        if kind is self.array_type:
            yield from value.__reduce__()[1][0]
        elif kind is list or isinstance(value, tuple):
            for part in value:
                yield from self._flat(part)
        elif kind in SCALARS and value is not None:
            yield value


def _only(value: Any, elements: list[Any]) -> bool:
    """Whether a value is the only one among these elements, apart from zeros."""
    is_value = [_equal(value, e) for e in elements]
    return any(is_value) and all(
        same or (e == 0 and type(e) is not bool) for same, e in zip(is_value, elements, strict=True)
    )


def _equal(one: Any, other: Any) -> bool:
    """Whether two elements are the same. A boolean is not a number, and nan equals nan."""
    return (type(one) is bool) == (type(other) is bool) and (one == other or (one != one and other != other))


def constant_calls(seen: Seen, cases: int) -> Iterator[Call]:
    """Yield the calls that do not depend on the inputs: those made while the program was loaded, those made in every
    case, and a function's only call if several cases made it."""
    calls = Counter(path for path, _ in seen)
    for call, cases_of_call in seen.items():
        if (
            -1 in cases_of_call
            or (cases > 1 and len(cases_of_call) == cases)
            or (calls[call[0]] == 1 and len(cases_of_call) > 1)
        ):
            yield call


def exchange_results(results: Mapping[Call, Any]) -> dict[Call, Any]:
    """Return for every call the result of another call to the same function, or its own if there is no other result of
    the same type. Such a value was right for the other call, and is therefore plausible in every respect."""
    by_function: dict[str, list[Call]] = {}
    for call in results:
        by_function.setdefault(call[0], []).append(call)
    replacements: dict[Call, Any] = {}
    for calls in by_function.values():
        for i, call in enumerate(calls):
            others = (results[calls[(i + k) % len(calls)]] for k in range(1, len(calls)))
            replacements[call] = next(
                (o for o in others if type(o) is type(results[call]) and o != results[call]), results[call]
            )
    return replacements
