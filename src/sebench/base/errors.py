"""Errors that a user can cause or fix.

A `SebenchError` is for people: one line that names the thing, the value and the next step. The command line prints it
and exits with a status that is not 0. Any other exception is a bug in sebench and keeps its traceback.
"""

from __future__ import annotations

from collections.abc import Mapping


class SebenchError(Exception):
    """Base of every error that a user can cause or fix."""


class ConfigError(SebenchError):
    """A flag, a file or a name that the user passed cannot be used."""


class OutOfMemory(ConfigError):
    """The machine or a GPU ran out of memory; smaller batches may fit."""


class WorldError(SebenchError):
    """A world on disk is missing, damaged or from another version."""


class ForgeError(SebenchError):
    """The catalog or the installed NumPy does not allow a faithful world to be built."""


class BankError(SebenchError):
    """A task in the bank breaks one of the bank's rules."""


class SandboxFault(SebenchError):
    """The sandbox could not run a program. Never counted as a wrong answer."""


class JudgeUnavailable(SebenchError):
    """A judge server could not be reached, or returned no verdicts. Never counted as a wrong answer."""


class ProviderError(SebenchError):
    """A model returned no response. `again` says whether a retry may help, and `wait_s` how many seconds to wait
    first."""

    def __init__(self, message: str, *, again: bool = False, wait_s: float = 0.0) -> None:
        super().__init__(message)
        self.again, self.wait_s = again, wait_s


class PromptRefused(ProviderError):
    """This prompt will never get a response (for instance because it is too long); other prompts may."""


class AnswerMissing(PromptRefused):
    """A model that only replays stored answers has none for this prompt."""


def first_problem(problems: Mapping[str, object]) -> str:
    """Return the first text (key) whose condition is true, or "" if none is."""
    return next((text for text, holds in problems.items() if holds), "")
