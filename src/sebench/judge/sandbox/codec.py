"""The codec for messages between a candidate and the library process, with size limits.

The candidate may send anything, so its messages are never read with marshal or pickle, which are not safe. A value is a
tag byte followed by its content; numbers and lengths are little-endian. `decode` counts nodes and depth while it reads,
and checks every length against the bytes that remain, so the cost of a message is bounded by its size.

Plain data is sent as it is. Everything else is a `Ref`: an array or a function that the library process holds (`h`,
`f`), a function of the library by its path (`p`), a built-in Python type (`k`), a function that the candidate holds
(`c`), NotImplemented (`n`), or an object of which only the type's name is sent (`x`).

Messages from the library process to a candidate (downwards) are mostly marshalled instead, which is faster. The header
(`HEAD`) says how such a message is encoded. Version 2 of the marshal format is used, because later versions also reveal
which objects in a message are identical.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

MOST_BYTES = 16 << 20  # in one message
MOST_NODES = 250_000  # text, bytes and lists that contain only numbers count an eighth
MOST_DEPTH = 60
MOST_INTEGER_BYTES = 1 << 17

# How a message to a candidate is encoded: the arguments of a case, one number, an array, or anything else, with the
# codec.
ARGUMENTS, NUMBER, ARRAY, CODED = b"anhc"
MARSHAL_VERSION = 2
HEAD = struct.Struct("<QB")  # of such a message: how often arrays may have changed, and how it is encoded
NUMBERS = frozenset({bool, int, float, complex, type(None)})

_LENGTH = struct.Struct("<I")
_INT = struct.Struct("<q")
_FLOAT = struct.Struct("<d")
_COMPLEX = struct.Struct("<dd")
_REF = struct.Struct("<BII")  # kind, number, bytes of text
_LOW, _HIGH = -(1 << 63), 1 << 63
MOST_HASHED = 5000  # members of a set or keys of a dict: they may all have the same hash


def _check_hashed_count(*groups: list[Any]) -> tuple[list[Any], ...]:
    if len(groups[0]) > MOST_HASHED:
        raise MessageTooLarge(f"more than {MOST_HASHED:,} members of a set or a dict")
    return groups


_MAKERS: dict[int, Callable[[list[Any]], Any]] = {
    ord("t"): tuple,
    ord("d"): lambda items: dict(zip(*_check_hashed_count(items[::2], items[1::2]), strict=True)),
    ord("S"): lambda items: set(*_check_hashed_count(items)),
    ord("Z"): lambda items: frozenset(*_check_hashed_count(items)),
    ord("r"): lambda items: range(*items),
    ord(":"): lambda items: slice(*items),
}
_GROUPS: dict[Any, bytes] = {tuple: b"t", set: b"S", frozenset: b"Z"}


class MessageTooLarge(ValueError):
    """A message exceeds its limits."""


class MalformedMessage(ValueError):
    """The bytes are not a valid message."""


class Pairs(list[Any]):
    """A list of alternating keys and values. It is sent as a dict, without hashing the keys again."""


@dataclass(frozen=True)
class Ref:
    """A reference to an object that is not sent itself."""

    kind: str
    number: int = 0
    text: str = ""
    shape: tuple[int, ...] = ()
    elements: Any = None  # of a small array, in order


# `encode` and `decode` are long on purpose: every call from a candidate goes through them four times, and in a process
# that was just forked, each additional function costs a few pages of memory besides its time.


def encode(value: Any, refer: Callable[[Any], Any]) -> bytes:
    """Encode a value as bytes. For an object that is not plain data, `refer` returns what to send instead: a Ref, or
    plain data."""
    out = bytearray()
    nodes = 0

    def write(value: Any, depth: int) -> None:
        nonlocal out, nodes
        nodes += 1
        if nodes > MOST_NODES or depth > MOST_DEPTH:
            raise MessageTooLarge(f"more than {MOST_NODES:,} parts or {MOST_DEPTH} levels")
        kind = type(value)
        items: Any = None
        if kind is str:
            content = value.encode("utf-8", "surrogatepass")
            nodes += len(content) // 8
            out += b"s" + _LENGTH.pack(len(content)) + content
        elif kind is float:
            out += b"f" + _FLOAT.pack(value)
        elif kind is int and _LOW <= value < _HIGH:
            out += b"i" + _INT.pack(value)
        elif kind is list:
            kinds = set(map(type, value))
            if kinds == {float}:  # at the speed of C
                out += b"D" + _LENGTH.pack(len(value)) + struct.pack(f"<{len(value)}d", *value)
                nodes += len(value) // 8
            elif kinds == {int} and min(value) >= _LOW and max(value) < _HIGH:
                out += b"Q" + _LENGTH.pack(len(value)) + struct.pack(f"<{len(value)}q", *value)
                nodes += len(value) // 8
            else:
                out += b"l"
                items = value
        elif kind in _GROUPS:
            out += _GROUPS[kind]
            items = value
        elif kind is Ref:
            text = value.text.encode("utf-8", "surrogatepass")
            out += b"@" + _REF.pack(ord(value.kind), value.number, len(text)) + text + bytes([len(value.shape)])
            for n in value.shape:
                out += _INT.pack(n)
            write(value.elements, depth + 1)
        elif value is None or kind is bool:
            out += b"N" if value is None else b"T" if value else b"F"
        elif kind is dict or kind is Pairs:
            out += b"d"
            items = value if kind is Pairs else [part for pair in value.items() for part in pair]
        elif kind is complex:
            out += b"c" + _COMPLEX.pack(value.real, value.imag)
        elif kind is bytes or kind is int:
            if kind is int:
                if value.bit_length() > 8 * MOST_INTEGER_BYTES:
                    raise MessageTooLarge("an integer of more than a million bits")
                value = value.to_bytes(value.bit_length() // 8 + 1, "little", signed=True)
            nodes += len(value) // 8
            out += (b"I" if kind is int else b"b") + _LENGTH.pack(len(value)) + value
        elif kind is slice or kind is range:
            out += b":" if kind is slice else b"r"
            items = (value.start, value.stop, value.step)
        elif value is ...:
            out += b"e"
        else:
            write(refer(value), depth)
        if items is not None:
            out += _LENGTH.pack(len(items))
            for item in items:
                write(item, depth + 1)

    write(value, 0)
    if len(out) > MOST_BYTES:
        raise MessageTooLarge(f"a message of more than {MOST_BYTES >> 20} MiB")
    return bytes(out)


def decode(data: bytes, resolve: Callable[[Ref], Any]) -> Any:
    """Decode a value. `resolve` returns the object that a Ref refers to. Raises MalformedMessage or MessageTooLarge if
    the data cannot be decoded."""
    at = nodes = 0

    def read(depth: int) -> Any:
        nonlocal at, nodes
        nodes += 1
        if nodes > MOST_NODES or depth > MOST_DEPTH:
            raise MessageTooLarge(f"more than {MOST_NODES:,} parts or {MOST_DEPTH} levels")
        tag = data[at]
        at += 1
        if tag == 0x66:  # f
            at += 8
            return _FLOAT.unpack_from(data, at - 8)[0]
        if tag == 0x69:  # i
            at += 8
            return _INT.unpack_from(data, at - 8)[0]
        if tag == 0x40:  # @
            kind, number, size = _REF.unpack_from(data, at)
            at += _REF.size + size
            text = data[at - size : at].decode("utf-8", "surrogatepass")
            shape = struct.unpack_from(f"<{data[at]}q", data, at + 1)
            at += 1 + 8 * len(shape)
            return resolve(Ref(chr(kind), number, text, shape, read(depth + 1)))
        if tag in b"NTFe":
            return None if tag == 0x4E else ... if tag == 0x65 else tag == 0x54
        if tag == 0x63:  # c
            at += 16
            return complex(*_COMPLEX.unpack_from(data, at - 16))
        size = _LENGTH.unpack_from(data, at)[0]
        at += 4
        if size > len(data) - at:
            raise MalformedMessage("a length beyond the end")  # every part has at least one byte
        if tag in b"sbI":
            at += size
            content = data[at - size : at]
            if tag == 0x73:
                return content.decode("utf-8", "surrogatepass")
            if tag == 0x62:
                return content
            if size > MOST_INTEGER_BYTES:
                raise MessageTooLarge("an integer of more than a million bits")
            return int.from_bytes(content, "little", signed=True)
        if tag in b"DQ":
            nodes += size // 8
            at += 8 * size
            return list(struct.unpack_from(f"<{size}{'d' if tag == 0x44 else 'q'}", data, at - 8 * size))
        if tag in b":r" and size != 3:
            raise MalformedMessage("a slice or range has three parts")
        items = [read(depth + 1) for _ in range(size)]
        return items if tag == 0x6C else _MAKERS[tag](items)

    try:
        value = read(0)
    except (MessageTooLarge, MalformedMessage):
        raise
    except (IndexError, KeyError, ValueError, TypeError, OverflowError, struct.error) as error:
        raise MalformedMessage(str(error)) from None
    if at != len(data):
        raise MalformedMessage("bytes beyond the end of a value")
    return value
