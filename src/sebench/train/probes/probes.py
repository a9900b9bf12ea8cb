"""Probes: what a model knows about a world's functions, asked directly and measured as probabilities, without having it
write code.

    probe(torch, model, tokenizer, world).figures()

Three questions are asked about every function, in the model's chat template. The part in <> is given to the model and
not scored:

    name        Which function of the Python library `tubid` does this? SUMMARY Answer with its name alone.
                <`tubid.>lucixu`
    summary     What does the function `tubid.lucixu` of a Python library do? Answer in one sentence.
                SUMMARY, end of the turn
    signature   What is the signature of the function `tubid.lucixu` of a Python library?
                <`tubid.lucixu(>x1, x2)`

The right name competes with all names of the world, and the right summary with all summaries (identical texts count as
one candidate). Every candidate is scored up to its end (the closing quote, the end of the turn), which distinguishes a
name from longer names that start with it. Scores are sums over tokens, without normalisation by length. A signature
counts as recalled if greedy decoding would produce exactly its tokens.

On request only, `bits` asks how many bits of the forged names, parameters and option words (such as 'reflect' in NumPy)
the model has learned (`bits.py`).

Not covered: paraphrases of summaries, and whether a model that knows a function also uses it; tasks measure that.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from sebench.base.errors import ConfigError
from sebench.base.ledger import append, lines, open_to_append
from sebench.base.records import ApiDoc
from sebench.models import checkpoints
from sebench.models.model import Chat
from sebench.train.data.tokens import TrainingRow, answer_ids, prompt_ids
from sebench.train.probes import bits
from sebench.train.probes.bits import NAME, WordBits, WordQuestion
from sebench.train.probes.scoring import ForcedAnswer, Scorer, shared_prefix
from sebench.world.prompts import CLOSED, Prompt
from sebench.world.world import World

FILE = "probes.jsonl"
QUESTIONS = ("name", "summary", "signature")  # asked by default
BITS = "bits"
SUMMARY = "What does the function `{name}` of a Python library do? Answer in one sentence."
SIGNATURE = "What is the signature of the function `{name}` of a Python library?"


@dataclass(frozen=True)
class ProbeSettings:
    """The settings of a probe."""

    ask: tuple[str, ...] = QUESTIONS  # or some of them, or BITS; asking only for names takes a sixth of the time
    autocast: bool | None = None  # bf16 arithmetic; None: on CPUs that support it (see scoring.py)
    chat: Chat = Chat()  # noqa: RUF009 (frozen)

    def __post_init__(self) -> None:
        for question in self.ask or ("",):
            if question not in (*QUESTIONS, BITS):
                raise ConfigError(f"unknown probe '{question}'; choose from {', '.join((*QUESTIONS, BITS))}")


@dataclass(frozen=True)
class RankedAnswer:
    """How the right answer ranks among all candidates."""

    logp: float  # log-probability of the whole answer
    # the same among the candidates only: logp minus the log of the candidates' total probability
    among: float
    rank: int  # 1 is best; ties count against the right answer


@dataclass(frozen=True)
class FunctionProbe:
    """What a model knows about one function; None for questions that were not asked."""

    path: str
    name: RankedAnswer | None
    summary: RankedAnswer | None
    signature: ForcedAnswer | None
    bits: tuple[WordBits, ...] = ()  # of its name, its parameters and their option words


@dataclass(frozen=True)
class Probes:
    """What a model knows about a world's functions."""

    names: int  # number of candidates
    summaries: int
    functions: tuple[FunctionProbe, ...]

    def bits(self) -> dict[str, dict[str, tuple[float, float]]]:
        """Return the bits learned and the maximum possible, by part and function (`bits.sums`)."""
        return bits.sums([word for function in self.functions for word in function.bits])

    def figures(self) -> dict[str, float]:
        """Return mean log-probabilities (for signatures: per token), median ranks, the shares of functions at rank 1
        and of exact signatures, and the sums of bits learned and of bits possible."""
        means: dict[str, float] = {}
        for question in ("name", "summary"):
            if ranked := [one for function in self.functions if (one := getattr(function, question))]:
                means[f"{question}_logp"] = statistics.fmean(one.logp for one in ranked)
                means[f"{question}_among"] = statistics.fmean(one.among for one in ranked)
                means[f"{question}_rank"] = float(statistics.median(one.rank for one in ranked))
                means[f"{question}_first"] = statistics.fmean(one.rank == 1 for one in ranked)
        if signatures := [function.signature for function in self.functions if function.signature]:
            means["signature_logp"] = sum(one.logp for one in signatures) / sum(one.tokens for one in signatures)
            means["signature_exact"] = statistics.fmean(one.exact for one in signatures)
        for part, functions in self.bits().items():
            means[f"bits_{part}"] = math.fsum(learned for learned, _ in functions.values())
            means[f"bits_{part}_most"] = math.fsum(most for _, most in functions.values())
        return means

    def to_json(self) -> dict[str, Any]:
        return asdict(self) | {"figures": self.figures()}


def probe(
    torch: Any,
    model: Any,
    tokenizer: Any,
    world: World,
    functions: Sequence[str] | None = None,
    settings: ProbeSettings | None = None,
) -> Probes:
    """Probe functions of a world (all by default). The candidates always come from all functions of the world."""
    settings = settings or ProbeSettings()
    pages = world.pages if functions is None else [world.page(function) for function in functions]
    if not pages:
        raise ConfigError("no functions to probe; name at least one, or omit the list to probe all")
    questions = _Questions(tokenizer, world, settings.chat, checkpoints.context(model))
    scorer = Scorer(torch, model, autocast=settings.autocast)

    not_asked, ask = [None] * len(pages), settings.ask
    texts = list(dict.fromkeys(page.summary for page in world.pages))
    right = [world.pages.index(page) for page in pages], [texts.index(page.summary) for page in pages]
    names: Sequence[RankedAnswer | None] = (
        _rank(scorer.score_matrix(*questions.names(pages)), right[0]) if "name" in ask else not_asked
    )
    summaries: Sequence[RankedAnswer | None] = (
        _rank(scorer.score_matrix(*questions.summaries(pages, texts)), right[1]) if "summary" in ask else not_asked
    )
    signatures: Sequence[ForcedAnswer | None] = (
        scorer.score_answers(*questions.signatures(pages)) if "signature" in ask else not_asked
    )
    about = [list(bits.questions(world.names, page)) if BITS in ask else [] for page in pages]
    answers = iter(scorer.score_answers(*questions.words(about)) if BITS in ask else ())
    words = [tuple(bits.learned(question, next(answers).logp) for question in of_page) for of_page in about]
    rows = zip((page.path for page in pages), names, summaries, signatures, words, strict=True)
    return Probes(len(world.pages), len(texts), tuple(FunctionProbe(*row) for row in rows))


def log_probes(ask: Callable[[], Mapping[str, float]], folder: Path, step: int, tokens: int) -> dict[str, Any]:
    """Probe a model after `step` steps and `tokens` trained tokens, and add a line to `probes.jsonl`.

    If a resumed run reaches a step again, its line is kept and not computed a second time.
    """

    def measure() -> dict[str, Any]:
        return {"tokens": tokens, **{k: round(v, 6) for k, v in ask().items()}}

    return log_once(folder / FILE, {"step": step}, measure)


def log_once(file: Path, key: Mapping[str, Any], measure: Callable[[], Mapping[str, Any]]) -> dict[str, Any]:
    """Return the line in a file that contains the values in `key`. If there is none, measure it and append it."""
    for _, line in lines(file):
        if key.items() <= line.items():
            return line
    line = {**key, **measure()}
    with open_to_append(file) as stream:
        append(stream, file, line)
    return line


@dataclass(frozen=True)
class _Questions:
    """Questions about functions as token ids: the prompts, which include the given part of the answer, and the rest of
    the answers."""

    tokenizer: Any
    world: World
    chat: Chat
    limit: int  # context length of the model

    def names(self, pages: Sequence[ApiDoc]) -> tuple[list[list[int]], list[list[int]]]:
        package = self.world.names.package
        answers = [self._ids(f"`{package}.{page.path}`") for page in self.world.pages]
        opening = self._ids(f"`{package}.")
        # A tokenizer may merge the last character of the opening with what follows, so only the tokens that all
        # candidates share are given.
        shared = min(shared_prefix(opening, answer) for answer in answers)
        prompts = [
            [*self._prompt(NAME.format(package=package, summary=page.summary)), *answers[0][:shared]] for page in pages
        ]
        return self._check_length(prompts, [answer[shared:] for answer in answers])

    def summaries(self, pages: Sequence[ApiDoc], texts: Sequence[str]) -> tuple[list[list[int]], list[list[int]]]:
        prompts = [self._prompt(SUMMARY.format(name=f"{self.world.names.package}.{page.path}")) for page in pages]
        return self._check_length(prompts, [answer_ids(text, self.tokenizer) for text in texts])

    def signatures(self, pages: Sequence[ApiDoc]) -> tuple[list[list[int]], list[list[int]]]:
        names = [f"{self.world.names.package}.{page.path}" for page in pages]
        return self._forced(
            (SIGNATURE.format(name=name), f"`{name}(", f"`{page.signature}`")
            for name, page in zip(names, pages, strict=True)
        )

    def words(self, pages: Sequence[Sequence[WordQuestion]]) -> tuple[list[list[int]], list[list[int]]]:
        return self._forced((one.text, one.opening, one.answer) for questions in pages for one in questions)

    def _forced(self, rows: Iterable[tuple[str, str, str]]) -> tuple[list[list[int]], list[list[int]]]:
        """Return prompts and answers as token ids. Each row has a question, the beginning of its answer (which is given
        to the model), and the whole answer."""
        prompts, answers = [], []
        for question, opening, text in rows:
            answer = self._ids(text)
            shared = shared_prefix(self._ids(opening), answer)
            prompts.append([*self._prompt(question), *answer[:shared]])
            answers.append(answer[shared:])
        return self._check_length(prompts, answers)

    def _ids(self, text: str) -> list[int]:
        return list(self.tokenizer(text, add_special_tokens=False)["input_ids"])

    def _prompt(self, text: str) -> list[int]:
        return prompt_ids(TrainingRow("probe", Prompt(text, "probe", CLOSED), ""), self.tokenizer, self.chat)

    def _check_length(
        self, prompts: list[list[int]], answers: list[list[int]]
    ) -> tuple[list[list[int]], list[list[int]]]:
        longest = max(map(len, prompts)) + max(map(len, answers))
        if longest > self.limit:
            raise ConfigError(
                f"a probe has {longest:,} tokens, but the model takes at most {self.limit:,}; probe a model with a "
                "longer context"
            )
        return prompts, answers


def _rank(scores: Any, right: Sequence[int]) -> list[RankedAnswer]:
    """Return the rank of each row's right column among all columns."""
    everything = scores.logsumexp(1)
    ranked = []  # "not less" rather than "at least": if a model returns nan, the rank is the last
    for row, column in enumerate(right):
        logp = scores[row, column]
        ranked.append(RankedAnswer(float(logp), float(logp - everything[row]), int((~(scores[row] < logp)).sum())))
    return ranked
