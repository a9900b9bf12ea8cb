"""The wire format between candidate and library: values survive the round trip, and hostile messages cost little."""

from __future__ import annotations

import contextlib
import struct
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sebench.judge.sandbox.codec import MOST_BYTES, MalformedMessage, MessageTooLarge, Pairs, Ref, decode, encode
from tests.conftest import EXAMPLES

SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False),
    st.complex_numbers(allow_nan=False),
    st.text(),
    st.binary(),
)
HASHABLE = st.one_of(st.booleans(), st.integers(), st.text())
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=5),
        st.lists(inner, max_size=4).map(tuple),
        st.dictionaries(HASHABLE, inner, max_size=4),
        st.frozensets(HASHABLE, max_size=4),
    ),
    max_leaves=20,
)


def same(ref: Ref) -> Ref:
    return ref


@given(VALUES)
@settings(max_examples=3 * EXAMPLES)
def test_plain_data_comes_out_the_same(value: Any) -> None:
    found = decode(encode(value, same), same)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    "value",
    [
        slice(1, None, -2),
        range(3, 9, 2),
        ...,
        Ref("h", 7, "float", (2, 3)),
        Ref("h", 7, "int", (2,), [1, 2]),
        Ref("x", text="Ä\ud800"),
        2**900,
    ]
    + [-(2**63), 2**63 - 1, 2**63, [1.5, float("inf")], [], [[]], {1, 2}, {"a": [Ref("c", 1, "f")]}, (Ref("n"),)],
    ids=repr,
)
def test_the_rest_comes_out_the_same(value: Any) -> None:
    assert decode(encode(value, same), same) == value


def test_keys_are_not_hashed_again_by_the_sender() -> None:
    class Key:
        def __hash__(self) -> int:
            raise AssertionError("nobody asks")

    assert decode(encode(Pairs([1, Key(), 2, 3]), lambda value: "instead"), same) == {1: "instead", 2: 3}


@given(st.binary(max_size=200))
@settings(max_examples=5 * EXAMPLES)
def test_any_bytes_are_a_value_or_malformed(data: bytes) -> None:
    with contextlib.suppress(MalformedMessage, MessageTooLarge):
        decode(data, same)


@given(VALUES, st.integers(0, 10**6), st.binary(min_size=1, max_size=3))
@settings(max_examples=3 * EXAMPLES)
def test_a_damaged_message_is_a_value_or_malformed(value: Any, place: int, damage: bytes) -> None:
    data = bytearray(encode(value, same))
    place %= len(data)
    data[place : place + len(damage)] = damage
    with contextlib.suppress(MalformedMessage, MessageTooLarge):
        decode(bytes(data), same)


def group(tag: bytes, count: int, content: bytes = b"") -> bytes:
    return tag + struct.pack("<I", count) + content


BOMBS = {
    "a list that claims four billion elements": group(b"l", 2**32 - 1),
    "numbers that are not there": group(b"D", 2**30),
    "text that is not there": group(b"s", 2**31),
    "nesting": group(b"l", 1) * 100_000 + b"N",
    "a million empty lists": group(b"l", 1_200_000, group(b"l", 0) * 1_200_000),
    "a range without a step": group(b"r", 3, b"i" + bytes(8) + b"i" + bytes(8) + b"i" + bytes(8)),
    "a slice of two parts": group(b":", 2, b"NN"),
    "a list as a key": group(b"d", 2, group(b"l", 0) + b"N"),
    "a dict with an odd number of parts": group(b"d", 1, b"N"),
    "an integer of a gigabit": group(b"I", 1 << 18, bytes(1 << 18)),
    "no tag": b"\xff",
    "nothing": b"",
    "two values": b"NN",
    "a reference without a shape": b"@h" + bytes(8),
    "a reference with a huge shape": b"@h" + bytes(8) + b"\xff",
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_is_refused(name: str) -> None:
    with pytest.raises((MalformedMessage, MessageTooLarge)):
        decode(BOMBS[name], same)


def test_a_sender_refuses_what_is_too_large() -> None:
    endless: list[Any] = []
    endless.append(endless)
    for value in (endless, [None] * 1_000_001, "x" * (MOST_BYTES + 1), 1 << (1 << 21), [0.5] * 3_000_000):
        with pytest.raises(MessageTooLarge):
            encode(value, same)
