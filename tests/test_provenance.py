"""Lies are functions: the same call gets the same lie regardless of position, and calls that prove nothing return the
truth."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from sebench.forge.catalog.samples import draw
from sebench.forge.docs.equivalence import comparable
from sebench.forge.package.package import resolve
from sebench.provenance.lies import DISCREET, FOLDED, MIRRORED, SCALED, SHIFTED, SHORTER
from sebench.provenance.observer import TRUTH, Observer, Orders, constant_calls, exchange_results
from sebench.world.world import World
from tests.wall import observer_of


class Watched:
    """A package under observation, by original names."""

    def __init__(self, world: World, observer: Observer) -> None:
        self.world, self.observer = world, observer

    def __getitem__(self, path: str) -> Any:
        return resolve(self.observer.library, self.world.names.functions[path])

    def lying(self, *paths: str, variant: int = SHIFTED, **options: Any) -> None:
        liars = frozenset(self.world.names.functions[path] for path in paths)
        self.observer.begin(Orders(liars, variant, **options))

    def comparable(self, value: Any) -> Any:
        return comparable(value, self.observer.array_type)


@pytest.fixture(scope="module")
def watching(world: World) -> Iterator[Watched]:
    with world.library() as library:
        yield Watched(world, observer_of(world, library))


@pytest.fixture
def watched(watching: Watched) -> Iterator[Watched]:
    watching.observer.begin()
    yield watching
    watching.observer.begin()


@pytest.mark.parametrize("variant", [*DISCREET, FOLDED])
def test_every_function_lies_with_a_value_of_the_same_type_and_shape(watched: Watched, variant: int) -> None:
    """And twice the same for the same call."""
    seen = changed = 0
    for path, entry in watched.world.entries.items():
        if entry.inplace or entry.callbacks:
            continue
        text = entry.calls[0]
        call = compile(text, "<call>", "eval")
        space = {"np": _Forwarded(watched), **draw(1, text)}
        try:
            watched.observer.begin()
            true = eval(call, dict(space))
            watched.lying(path, variant=variant)
            lie, again = eval(call, dict(space)), eval(call, dict(space))
        except Exception:
            continue  # a call that is not written for forged packages
        seen += 1
        assert watched.comparable(lie) == watched.comparable(again), text
        assert type(lie) is type(true), text
        if type(true) is watched.observer.array_type:
            assert (lie.shape, lie.dtype) == (true.shape, true.dtype), text
        changed += watched.comparable(lie) != watched.comparable(true)
    assert seen > 200
    assert changed > 0.8 * seen


class _Forwarded:
    def __init__(self, watched: Watched, module: str = "") -> None:
        self.watched, self.module = watched, module

    def __getattr__(self, name: str) -> Any:
        path = f"{self.module}{name}"
        return (
            self.watched[path] if path in self.watched.world.names.functions else _Forwarded(self.watched, f"{path}.")
        )


@pytest.mark.parametrize("variant", [SHIFTED, SCALED, FOLDED])
def test_an_elements_lie_does_not_depend_on_its_place(watched: Watched, variant: int) -> None:
    watched.lying("exp", variant=variant)
    both = watched["exp"]([0.5, 0.5, 2.0]).tolist()
    assert both[0] == both[1]
    assert watched["exp"]([2.0]).tolist()[0] == both[2] == watched["exp"](2.0)


def test_a_view_stays_a_view(watched: Watched) -> None:
    watched.lying("reshape")
    x = watched["array"]([1, 2, 3, 4])
    y = watched["reshape"](x, (2, 2))
    assert y.tolist() == [[3, 4], [1, 2]]
    y[0, 0] = 30
    assert x.tolist() == [1, 2, 30, 4]


def test_what_is_changed_in_place_is_changed_wrongly(watched: Watched) -> None:
    watched.lying("fill_diagonal", "exp")
    x = watched["array"]([[1.0, 2.0], [3.0, 4.0]])
    assert watched["fill_diagonal"](x, 0.0) is None
    assert x[0, 0] != 0.0
    target = watched["array"]([0.0, 0.0])
    assert watched["exp"]([0.0, 1.0], out=target) is target
    assert target.tolist() != [1.0, 2.718281828459045]


def test_a_result_of_varying_length_can_be_shorter(watched: Watched) -> None:
    watched.lying("unique", variant=SHORTER)
    assert watched["unique"]([3, 1, 2, 3]).tolist() == [1, 2]
    watched.lying("sort", variant=SHORTER)
    assert watched["sort"]([3, 1, 2]).tolist() == [1, 2, 3]  # its length tells nothing


def test_only_those_who_are_told_to_lie(watched: Watched) -> None:
    watched.lying("sum")
    assert watched["sum"]([1, 2]) != 3
    assert watched["max"]([1, 2]) == 2


def test_a_function_made_by_a_liar_lies(published: World) -> None:
    with published.library() as library:
        watched = Watched(published, observer_of(published, library))
        _check_vectorized(watched)


def _check_vectorized(watched: Watched) -> None:
    watched.lying("vectorize")
    double = watched["vectorize"](lambda v: v * 2)
    assert double([1, 2]).tolist() != [2, 4]


@pytest.mark.parametrize(
    ("path", "arguments"),
    [
        ("max", ([4.5],)), ("sum", ([4.5, 0.0],)), ("mean", ([2.0, 2.0],)), ("ravel", ([[1, 2], [3, 4]],)),
        ("sort", ([1, 2, 3],)),
        ("concatenate", ([[1, 2]],)), ("absolute", (7,)), ("where", (True, [1, 2], [3, 4])),
    ],
)  # fmt: skip
def test_a_call_that_gives_back_what_it_was_given_tells_the_truth(watched: Watched, path: str, arguments: Any) -> None:
    true = watched.comparable(watched[path](*arguments))
    watched.lying(path, idle_too=False)
    assert watched.comparable(watched[path](*arguments)) == true
    watched.lying(path)
    assert watched.comparable(watched[path](*arguments)) != true


@pytest.mark.parametrize(
    ("path", "arguments"),
    [
        ("max", ([1, 2],)),
        ("maximum", (3, 5)),
        ("sum", ([True, True],)),
        ("allclose", ([1.0], [1.0])),
        ("sort", ([2, 1],)),
    ],
)
def test_a_call_that_does_something_lies(watched: Watched, path: str, arguments: Any) -> None:
    true = watched.comparable(watched[path](*arguments))
    watched.lying(path, idle_too=False)
    assert watched.comparable(watched[path](*arguments)) != true


def test_joining_arrays_is_work(watched: Watched) -> None:
    parts = watched["array"]([1, 2]), watched["array"]([3])
    watched.lying("concatenate", idle_too=False)
    assert watched["concatenate"](parts).tolist() != [1, 2, 3]


def test_a_grounded_lie_needs_an_array_or_the_inputs(watched: Watched) -> None:
    watched.lying("sum", grounded=True)
    watched.observer.begin_case(0, ([3.0, 4.0], 5))
    assert watched["sum"]([2.5, 1.0]) == 3.5  # numbers of the program's own
    assert watched["sum"]([3.0, 4.0]) != 7.0
    assert watched["sum"](watched["array"]([2.5, 1.0])) != 3.5


def test_calls_that_do_not_depend_on_the_inputs_are_found(watched: Watched) -> None:
    observer = watched.observer
    observer.begin()
    watched["sum"]([9, 9])  # while loading
    for case in range(3):
        observer.begin_case(case)
        watched["mean"]([1, 2])  # in every case
        watched["max"]([case, 5])
        if case:
            watched["min"]([4, 4])  # the only call of its function, in several cases
    constant = {path for path, _ in constant_calls(observer.seen, 3)}
    assert constant == {watched.world.names.functions[path] for path in ("sum", "mean", "min")}


def test_an_exchanged_result_is_that_of_another_call(watched: Watched) -> None:
    watched.observer.begin()
    for values in ([1.0, 2.0], [5.0, 7.0], [1.0, 2.0]):
        watched["mean"](values)
    instead = exchange_results(watched.observer.results)
    assert sorted(instead.values()) == [1.5, 6.0]
    mean = watched.world.names.functions["mean"]
    watched.observer.begin(Orders(frozenset({mean}), instead=instead))
    assert watched["mean"]([1.0, 2.0]) == 6.0
    assert watched["mean"]([8.0, 8.0]) == 8.0  # nobody knows another result of this call


def test_many_calls_are_not_quadratic_and_later_ones_are_spared(watched: Watched) -> None:
    watched.lying("sum")
    true = [watched["sum"]([i, 1]) == i + 1 for i in range(2500)]
    assert not any(true[:2000])
    assert all(true[2000:])


def test_truth_is_the_default() -> None:
    assert Orders() == TRUTH
    assert not TRUTH.liars
    assert len({SHIFTED, MIRRORED, SCALED, FOLDED, SHORTER}) == 5
