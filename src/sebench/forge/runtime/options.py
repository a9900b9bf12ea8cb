"""Translates the package's parameter names and option words into those of the backend.

Shipped only with worlds that forge them. A word is checked and translated before a call, as an element kind is; names
are translated at the last moment, so that everything in between uses the package's names. The package contains their
meanings in obfuscated form: they cannot be read directly, but a program that follows the code can find them.
"""

from __future__ import annotations

from _blake2 import blake2b
from collections.abc import Callable
from typing import Any

from .plain import Prepared

SPOKEN = "~"  # before a digest: the function with the package's parameter names


def veiled(text: str, name: str, salt: str) -> str:
    """Obfuscate the meaning of a name, for the text of the package."""
    return _covered(text.encode(), name, salt).hex()


def revealed(veil: str, name: str, salt: str) -> str:
    """Return the meaning of a name: the inverse of `veiled`."""
    return _covered(bytes.fromhex(veil), name, salt).decode()


def _covered(data: bytes, name: str, salt: str) -> bytes:
    return bytes(a ^ b for a, b in zip(data, blake2b(name.encode(), key=salt.encode()).digest(), strict=False))


def speaking(finder: Callable[..., Any], parameters: dict[str, str]) -> Callable[..., Any]:
    """Return a finder that also finds functions in the form that takes the package's parameter names."""

    def find(root: str, salt: str, inner: frozenset[str]) -> Callable[[str], Any]:
        pick = finder(root, salt, inner)
        meaning = {name: revealed(veil, name, salt) for name, veil in parameters.items()}

        def spoken(digest: str) -> Any:
            if not digest.startswith(SPOKEN):
                return pick(digest)
            function = pick(digest[len(SPOKEN) :])

            def called(*args: Any, **options: Any) -> Any:
                return function(*args, **{meaning[name]: value for name, value in options.items()})

            return called

        return spoken

    return find


def choosing(salt: str, words: dict[str, str]) -> Callable[..., Callable[[Any], Any]]:
    """Return `choice`, which makes a function that checks and translates the word passed for one parameter."""
    meaning = {word: revealed(veil, word, salt) for word, veil in words.items()}

    def choice(where: str, parameter: str, default: Any, listed: str) -> Callable[[Any], Any]:
        known = listed.split()

        def one(value: Any) -> Any:
            if not isinstance(value, str):
                return value
            word = str.__str__(value)
            if word not in known:
                raise ValueError(f"{where}: {word!r} is not a word for `{parameter}`; the words are {', '.join(known)}")
            return meaning[word]

        def chosen(value: Any) -> Any:
            if isinstance(value, str):
                # the default is not translated, since an option with its default value is not passed on
                return value if one(value) and value == default else Prepared(one(value), repr(str.__str__(value)))
            if type(value) in (list, tuple) and any(isinstance(v, str) for v in value):
                return Prepared(type(value)(map(one, value)), repr(value))
            return value

        return chosen

    return choice
