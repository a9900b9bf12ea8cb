"""Turns a response into a program: extracts, parses and checks it. Runs in a process with limits, since a hostile
response can make any of these steps expensive."""

from __future__ import annotations

import ast
import marshal
import warnings
from base64 import b64encode
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from types import CodeType
from typing import Any

from sebench.base.extract import declines, extract
from sebench.base.records import Kind
from sebench.judge.program import policy
from sebench.judge.program.policy import UsedNames
from sebench.judge.program.rules import ANSWER_FILE, NUMERIC
from sebench.judge.program.stateless import StatelessProgram, prove_stateless
from sebench.judge.program.vocabulary import Vocabulary

FAILURES = (SyntaxError, ValueError, RecursionError, MemoryError, UnicodeError, OverflowError, SystemError)


@dataclass(frozen=True)
class Reading:
    """The result of reading a response: a program, stateless or to be run behind the wall, or the reason why nothing is
    run."""

    kind: Kind | None = None  # why nothing is run
    detail: str = ""
    used_names: UsedNames = field(default_factory=UsedNames)
    invented: tuple[str, ...] = ()  # names that the package does not have
    guesses: int = 0  # words that look like the package's but do not exist
    uses_gone: bool = False  # it uses a word that an earlier edition of the package had
    imports: tuple[str, ...] = ()
    code: CodeType | None = None
    stateless: StatelessProgram | None = None
    walled_code: CodeType | None = None  # for a stateless program that may turn out to belong behind the wall

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form, which the judge passes on without inspecting the code."""
        return {
            "kind": self.kind,
            "detail": self.detail,
            "named": [list(names) for names in vars(self.used_names).values()],
            "invented": list(self.invented),
            "guesses": self.guesses,
            "uses_gone": self.uses_gone,
            "imports": list(self.imports),
            "code": _pack(self.program if self.stateless else self.code),
            "stateless": self.stateless is not None,
            "walled_code": _pack(self.walled_code),
        }

    @property
    def program(self) -> tuple[CodeType | None, bool, bool]:
        """Return a stateless program: its code, whether it is guarded, and whether its module contains data."""
        assert self.stateless is not None
        return self.code, self.stateless.guarded, self.stateless.holds_data


def _pack(code: Any) -> str:
    return b64encode(marshal.dumps(code)).decode() if code else ""


def read(response: str, entry: str, vocabulary: Vocabulary, share: bool = True, gone: Collection[str] = ()) -> Reading:
    """Read a response. `share`: whether a stateless program may share a process with the library; `gone`: words that
    only earlier editions of the package had."""
    try:
        if declines(response, entry):
            return Reading(Kind.DECLINED, "the answer says that the library cannot do this")
        extracted = extract(response, entry, NUMERIC)
        if not extracted.code:
            return Reading(Kind.NO_CODE, extracted.reason)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = extracted.tree or ast.parse(extracted.code, ANSWER_FILE)
            nodes = list(ast.walk(tree))
            refused = policy.refusal(tree, nodes)
            names = Reading(
                used_names=policy.find_used_names(nodes, vocabulary),
                invented=policy.find_invented_names(nodes, vocabulary),
                guesses=policy.count_guesses(nodes, vocabulary),
                uses_gone=policy.uses_word(nodes, gone),
            )
            if refused:
                kind, detail = refused
                return replace(names, kind=kind, detail=detail)
            shared = prove_stateless(tree, nodes, vocabulary.package, vocabulary.array) if share else None
            code = _compile(shared.tree if shared else tree)
            walled_code = _compile(tree) if shared and shared.guarded else None
    except FAILURES as error:
        return Reading(Kind.SYNTAX, f"{type(error).__name__}: {error}"[:300])
    return replace(
        names,
        imports=() if shared and not shared.guarded else policy.find_stdlib_imports(nodes),
        code=code,
        stateless=shared,
        walled_code=walled_code,
    )


def _compile(tree: ast.Module) -> CodeType:
    return compile(tree, ANSWER_FILE, "exec", dont_inherit=True, optimize=0)
