"""The records that one stage passes to the next: frozen, plain data. Stages exchange nothing else.

They have no behaviour beyond their JSON form and values derived from their fields. Data is validated at the edges and
trusted inside.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any

from sebench.base.errors import ConfigError


@dataclass(frozen=True)
class Example:
    """One step of an example on a page: code, and what the forged package prints when it runs ("" for nothing)."""

    code: str
    output: str


@dataclass(frozen=True)
class ApiDoc:
    """The documentation of one forged function. It contains no name from the source library."""

    path: str  # relative to the package: "kocito", "rfx.sarik"
    subject: str
    signature: str  # "vok.rfx.sarik(a, b)"
    summary: str
    text: str  # the whole page in Markdown
    examples: tuple[Example, ...]

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> ApiDoc:
        return cls(**{**data, "examples": tuple(Example(**e) for e in data["examples"])})


@dataclass(frozen=True)
class Case:
    """One test of a task: arguments by name, and the value that the entry point must return."""

    inputs: Mapping[str, Any]
    expected: Any


@dataclass(frozen=True)
class CoreFunction:
    """A function that an answer must use to be credited."""

    path: str  # original path
    alternatives: tuple[str, ...] = ()  # original paths of functions that can replace it in this task
    everywhere: bool = False  # gold's calls to it are identical for all inputs, or return their arguments unchanged


BOUNDARY_TEST = "boundary_test"  # the split of tasks about functions that the world leaves out


@dataclass(frozen=True)
class Usage:
    """A use of a function that a transfer task needs and that no training task shows, in the world's names."""

    function: str  # forged path
    parameter: str  # "" if it is not about a parameter
    fact: str  # "keepdims is True"
    page: str = ""  # text of the page that documents it, if it is more than a parameter


@dataclass(frozen=True)
class TaskCard:
    """How demanding a task is: its tier, what its reference solution (gold) needs, and its measured difficulty."""

    tier: str = ""  # "single", "multi", "transfer" or "plan"; "" if unknown
    options: tuple[str, ...] = ()  # optional parameters that the reference solution passes: "kocito.axis"
    needed: int = 0  # how many needed functions have no equivalent operator, indexing or constructor
    statements: int = 0  # in the reference solution
    usage: Usage | None = None  # for a transfer task: the use that it needs
    difficulty: float | None = None  # share of reference answers that were wrong at first; None if not measured

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> TaskCard:
        usage = Usage(**data["usage"]) if data.get("usage") else None
        return cls(**{**data, "options": tuple(data.get("options", ())), "usage": usage})


TOO_LARGE = "too large"  # in place of a value that is not recorded


def error_text(kind: str, message: str) -> str:
    """Return an error as text that is the same whenever the same call raises it."""
    text = f"{kind.rpartition('.')[2]}: {message.strip()}"
    return re.sub(r" at 0x[0-9a-f]+| from '[^']*'(?=>)", "", text)[:200]


@dataclass(frozen=True)
class Prior:
    """The value or error that a mistaken or outdated version of gold produces in a case: gold written as if the world's
    functions were NumPy's, or gold from an older edition of the world."""

    value: Any = None
    raised: str = ""  # an error (`error_text`), or `TOO_LARGE`


@dataclass(frozen=True)
class Task:
    """A question, and the cases that decide whether an answer is right."""

    id: str
    question: str
    entry: str  # the function to write
    parameters: tuple[str, ...]
    cases: tuple[Case, ...]
    functions: tuple[str, ...] = ()  # original paths of the functions that gold uses; () if unknown
    rtol: float = 1e-6
    atol: float = 1e-9
    split: str = ""  # "train", "single_test", ...
    examples: tuple[Case, ...] = ()  # shown with the question, never scored
    gold: str = ""  # the reference solution, in the world's names
    core: tuple[CoreFunction, ...] = ()  # functions that an answer must use; () if not recorded
    card: TaskCard = TaskCard()
    published: Mapping[str, Any] = field(default_factory=dict)  # the line of published data from which it was read
    prior: tuple[Prior, ...] = ()  # for each case, if functions that gold uses differ from NumPy's
    edition: str = ""  # in a new edition of a world: "changed", "unchanged", "added" or "removed"
    stale: tuple[Prior, ...] = ()  # if changed, what gold of the old edition gives in each case
    gone: tuple[str, ...] = ()  # words that gold of the old edition uses and the new edition does not have

    @property
    def signature(self) -> str:
        """The first line of an answer: the definition of the entry point."""
        line = str(self.published.get("function_name", ""))  # the published signature may have defaults and annotations
        return line if line.startswith("def ") else f"def {self.entry}({', '.join(self.parameters)}):"

    @property
    def boundary(self) -> bool:
        """Whether the library lacks the function that the task is about, so that the right answer is to decline."""
        return self.split == BOUNDARY_TEST


class Blame(StrEnum):
    """Who is at fault for a failure. Only the candidate's failures count as wrong answers."""

    NONE = "none"
    CANDIDATE = "candidate"
    TASK = "task"
    SANDBOX = "sandbox"
    PROVIDER = "provider"


class Kind(StrEnum):
    """The outcome of an answer. The five hallucination and misuse kinds are the published error types."""

    PASSED = "passed"
    NO_CODE = "no_code"
    SYNTAX = "syntax"
    NO_ENTRY = "no_entry"
    NUMPY = "numpy"  # the answer imports NumPy, or uses it as if it had
    POLICY = "policy"  # another numeric library, or something else that the sandbox refuses
    ATTRIBUTE_HALLUCINATION = "attribute_hallucination"  # x.mean()
    FUNCTION_HALLUCINATION = "function_hallucination"  # vok.mean
    PARAMETER_ERROR = "parameter_error"
    MISREAD_RESULT = "misread_result"
    NATIVE_INCOMPATIBILITY = "native_incompatibility"
    RAISED = "raised"  # any other exception
    WRONG_VALUE = "wrong_value"
    WRONG_SHAPE = "wrong_shape"
    WRONG_TYPE = "wrong_type"
    NOT_FROM_LIBRARY = "not_from_library"
    DECLINED = "declined"  # the answer says that the library cannot do it; right only for a boundary task
    COMPOSED = "composed"  # a boundary task solved with functions that the world does have
    UNTRANSLATED = "untranslated"  # an answer in NumPy that cannot be translated into the world's names
    TIME = "time"
    MEMORY = "memory"
    OUTPUT = "output"  # the returned value is too large to be compared
    CRASH = "crash"
    FAULT = "fault"  # a fault of the sandbox, the task or the provider: neither right nor wrong


SHOWN_ACTUAL = 300
CREDITS = ("targeted", "passed")  # what a reward may require
OF_SOME_WORLDS = ("prior", "stale")  # fields of verdicts that are written only where they apply


@dataclass(frozen=True)
class Verdict:
    """The judgement of one answer."""

    kind: Kind
    blame: Blame = Blame.CANDIDATE
    case: int | None = None
    detail: str = ""
    functions: tuple[str, ...] = ()  # forged paths that were called
    cpu_s: float = 0.0
    wall_s: float = 0.0
    stdout: str = ""
    numpy_passed: bool | None = None  # whether an answer in NumPy is right when run with NumPy; None if it was not run
    targeted: bool | None = None  # passed, and the result depends on every core function of the task; None if unknown
    uncredited: tuple[str, ...] = ()  # forged paths of core functions that the result does not depend on
    actual: str = ""  # the beginning of the value that the failing case returned, if it was compared
    invented: tuple[str, ...] = ()  # names that the program takes from the package, but that do not exist there
    # whether the answer does what it would do if the functions were NumPy's; None for tasks where they are
    prior: bool | None = None
    # whether a wrong answer is one for the old edition of the world; None for tasks that are the same in both
    stale: bool | None = None

    @property
    def passed(self) -> bool:
        """Whether the answer is right. Declining is right only for a boundary task; nobody is blamed then."""
        return self.kind in (Kind.PASSED, Kind.COMPOSED) or (self.kind is Kind.DECLINED and self.blame is Blame.NONE)

    @property
    def credited(self) -> bool:
        """Whether the answer is right and, if the task's core functions are known, uses them."""
        return self.passed and self.targeted is not False

    def reward(self, credit: str = "targeted") -> float | None:
        """Return 1.0 or 0.0, or None for a failure that is not the candidate's fault. `credit`: "targeted" requires the
        task's core functions; "passed" accepts any right answer.

        A boundary task solved with other functions has no core functions to require, so it gets None unless `credit` is
        "passed".
        """
        if credit not in CREDITS:
            raise ConfigError(f"credit = {credit!r}: must be 'targeted' or 'passed'")
        if self.blame not in (Blame.NONE, Blame.CANDIDATE) or (self.kind is Kind.COMPOSED and credit != "passed"):
            return None
        if credit == "passed" or self.kind is not Kind.PASSED:
            return float(self.passed)
        if self.targeted is None:
            raise ConfigError(
                "this task does not record its core functions, so no answer can be credited; use credit='passed'"
            )
        return float(self.targeted)

    def to_json(self) -> dict[str, Any]:
        # The fields are flat, and `asdict` would take longer than all the rest of writing a verdict.
        data = {"passed": self.passed, **vars(self)}
        for key in OF_SOME_WORLDS:
            if data[key] is None:
                del data[key]
        return data

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Verdict:
        fields: dict[str, Any] = {key: data[key] for key in ("case", "detail", "cpu_s", "wall_s", "stdout")}
        fields["numpy_passed"] = data.get("numpy_passed")
        fields |= {key: tuple(data.get(key, ())) for key in ("functions", "uncredited", "invented")}
        fields |= {"targeted": data.get("targeted"), "actual": data.get("actual", "")}
        fields |= {key: data.get(key) for key in OF_SOME_WORLDS}
        return cls(Kind(data["kind"]), Blame(data["blame"]), **fields)


RELEASED = "release:"  # begins the name of a model whose answers come from a release
# models that answer by rule: the scripted baselines of a report
SCRIPTED = (
    "gold",
    "dictionary",
    "numpy",
    "guess",
    "silent",
    "decline",
    "reader",
)


REFUSED = "refused"  # the model will never answer this prompt (because it is too long, for instance)


@dataclass(frozen=True)
class Rollout:
    """One response of a model to one prompt."""

    task_id: str
    book: str  # documentation setting: "closed", "open" (documentation in the prompt), "native" (about NumPy)
    sample_index: int
    prompt_digest: str
    response: str
    finish: str = "stop"  # why the model stopped: "stop", "length"; "error" or REFUSED if there is no response
    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0
    error: str = ""  # why there is no response; the request is retried when the run is resumed
    calls: int = 1  # number of requests; tokens and seconds are summed over them
    present: tuple[str, ...] | None = (
        None  # forged paths of needed functions that its prompts mentioned, for runs with a memory
    )

    @property
    def key(self) -> str:
        return f"{self.book}/{self.task_id}/{self.sample_index}/{self.prompt_digest}"

    def to_json(self) -> dict[str, Any]:
        usual = {"calls": 1, "present": None}  # omitted, as in runs from before these fields existed
        data = {key: value for key, value in vars(self).items() if key not in usual or value != usual[key]}
        return {"key": self.key, **data}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Rollout:
        fields = {key: value for key, value in data.items() if key != "key"}
        if fields.get("present") is not None:
            fields["present"] = tuple(fields["present"])
        return cls(**fields)
