"""Errors that are somebody's fault, and whose.

A `SebenchError` is for people: one line that names the thing, the value and the next step. The command line prints
it and exits with a status that is not 0. Anything else that escapes is our bug and keeps its traceback.
"""


class SebenchError(Exception):
    """Base of every error that a user can cause or cure."""


class ConfigError(SebenchError):
    """A flag, a file or a name that the user gave cannot be used."""


class OutOfMemory(ConfigError):
    """The memory of the machine or of a GPU ended; less at a time may fit."""


class WorldError(SebenchError):
    """A world on disk is missing, damaged or of another version."""


class ForgeError(SebenchError):
    """The catalog or the installed NumPy does not allow a truthful world to be built."""


class BankError(SebenchError):
    """A task of the bank breaks a rule of the bank."""


class SandboxFault(SebenchError):
    """The sandbox could not run a program. Never a wrong answer."""


class JudgeUnavailable(SebenchError):
    """A served judge could not be reached, or gave no verdicts. Never a wrong answer."""


class ProviderError(SebenchError):
    """A model gave no response. `again` says whether another try may help, `wait_s` how long to wait first."""

    def __init__(self, message: str, *, again: bool, wait_s: float = 0.0) -> None:
        super().__init__(message)
        self.again = again
        self.wait_s = wait_s


class PromptRefused(ProviderError):
    """This prompt gets no response, however often it is asked (too long, for instance); others may."""

    def __init__(self, message: str) -> None:
        super().__init__(message, again=False)
