"""Self-play: a model asks itself questions with the book open, and learns its own right answers with the book closed.

A round, of which there may be several:

1. **Targets.** The functions with the fewest kept questions so far (`curriculum.targets`).
2. **Propose.** A proposer (the model itself, or a frozen one) reads the page of a target and the kinds of input, and writes a question
   with a solution. It sees the documentation and earlier questions of this play; never a question of a training or test split.
3. **Gates.** Those of `author/`: parse, policy, runs, targeted, mutants, duplicate, language. Expected values are computed by us.
   Consensus is among the solver's own samples (`Curriculum.above`), where no other model is given.
4. **Solve.** The solver answers each question several times with the book open; every answer is judged.
5. **Select.** By solve rate, near-duplicates and function coverage (`curriculum.select`).
6. **Train** with the book closed on everything kept so far, from the base model: rounds differ in data alone, not in updates.
7. **Evaluate** with the book closed, on all test splits.

`play` is that loop and nothing else. What the steps do is handed in (`Steps`), so the loop knows neither models nor GPUs; `steps.py` has them
with real models. The folder of a play, which one process writes at a time (`session.py` holds its lock):

    play.json             settings; a play goes on only with the same
    attempts-N.json       what passed the gates in round N, with the judgement of every answer
    rounds.jsonl          a line for each finished round: yield, coverage, variety, accuracy, tokens

A round that was interrupted is done again from its steps, whose own calls are cached by content, so that little is paid twice; from its
attempts on where these are written. The ablation that tells where data comes from (self-played or `train`) from how it is learned (open,
closed, RL) is an experiment (`experiments/selfplay.toml`), not an option of the loop.

A question's id begins with the number of its round ("2-17"). An attempt holds judgements, not answers: the steps keep those by that id,
in their own files.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

from sebench.base import files, resume
from sebench.base.errors import ConfigError
from sebench.base.ledger import append, lines, open_to_append
from sebench.train.proposals.curriculum import Attempt, Curriculum, Reason, coverage, select, targets, variety

SETTINGS, ROUNDS = "play.json", "rounds.jsonl"
PROPOSED = "proposed"
Tell = Callable[[str], None]
Tried = tuple[Sequence[Attempt], Mapping[str, int], int]  # attempts, funnel, tokens


@dataclass(frozen=True)
class PlaySettings:
    """What decides the outcome of a play, apart from the steps."""

    rounds: int = 2
    targets: int = 0  # functions that a round asks about; 0: all of the world
    curriculum: Curriculum = field(default_factory=Curriculum)
    seed: int = 0

    def __post_init__(self) -> None:
        if self.rounds < 1 or self.targets < 0:
            raise ConfigError(f"rounds = {self.rounds}, targets = {self.targets}: give at least 1 round, and 0 or more")


@dataclass(frozen=True)
class Proposals:
    """What a proposer made in a round, after the gates."""

    funnel: Mapping[str, int]  # PROPOSED first, then how many were left after each gate, in the gates' order
    questions: Sequence[Any]  # that passed all of them, in the form that `Steps.solve` takes
    tokens: int = 0

    def __post_init__(self) -> None:
        counts = list(self.funnel.values())
        if next(iter(self.funnel), "") != PROPOSED or any(a < b for a, b in pairwise(counts)):
            raise ValueError(f"not a funnel that begins with {PROPOSED!r}: {dict(self.funnel)}")
        if counts[-1] != len(self.questions):
            raise ValueError(f"the funnel ends with {counts[-1]}, and there are {len(self.questions)} questions")


@dataclass(frozen=True)
class Steps:
    """What a round does, as functions. Each gets the number of the round, from 1."""

    propose: Callable[[int, Sequence[str], Sequence[Attempt]], Proposals]  # targets, and what was kept before
    solve: Callable[[int, Sequence[Any]], tuple[Sequence[Attempt], int]]  # with the tokens that it took
    train: Callable[[int, Sequence[Attempt]], None]  # on everything kept so far
    evaluate: Callable[[int], Mapping[str, float]]  # closed-book accuracy by split


@dataclass(frozen=True)
class Round:
    """What a round came to."""

    number: int
    funnel: Mapping[str, int]
    left_out: Mapping[str, int]  # by reason, of the questions that passed the gates
    kept: int
    kept_in_all: int
    covered: int  # functions that kept questions of all rounds are about
    functions: int  # of the world
    effective: float  # functions, by entropy
    variety: float
    accuracy: Mapping[str, float]  # closed book, by split
    tokens: int

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def play(
    steps: Steps, functions: Sequence[str], settings: PlaySettings, folder: Path, tell: Tell = lambda what: None
) -> list[Round]:
    """Play all rounds that the folder lacks; every round that it has then."""
    if not functions:
        raise ConfigError("self-play needs a world with functions to ask about; this one has none")
    files.make_folder(folder)
    _same_settings(folder, settings, functions)
    done = rounds(folder)
    kept: list[Attempt] = []
    for played in done:  # selecting is deterministic: nothing but the attempts need be stored
        kept += select(_read_attempts(folder, played.number)[0], settings.curriculum, kept).kept
    for number in range(len(done) + 1, settings.rounds + 1):
        if not _attempts(folder, number).exists():
            wanted = targets(kept, functions, settings.targets or len(functions), settings.seed + number)
            tell(f"round {number}: proposing for {len(wanted):,} functions")
            made = steps.propose(number, wanted, tuple(kept))
            tell(f"round {number}: solving {len(made.questions):,} questions")
            attempts, tokens = steps.solve(number, made.questions)
            _check_ids(made, attempts, number)
            _write_attempts(folder, number, (attempts, made.funnel, made.tokens + tokens))
        finished = _finish(steps, functions, settings, folder, number, kept, tell)
        with open_to_append(folder / ROUNDS) as stream:
            append(stream, folder / ROUNDS, finished.to_json())
        done.append(finished)
    return done


def _finish(
    steps: Steps,
    functions: Sequence[str],
    settings: PlaySettings,
    folder: Path,
    number: int,
    kept: list[Attempt],
    tell: Tell,
) -> Round:
    """Select, train and evaluate; what was selected is added to `kept`."""
    attempts, funnel, tokens = _read_attempts(folder, number)
    selected = select(attempts, settings.curriculum, kept)
    kept += selected.kept
    tell(f"round {number}: training on {len(kept):,} questions")
    if kept:  # a proposer that yields nothing leaves the base model as it is, and that is what is evaluated
        steps.train(number, tuple(kept))
    accuracy = steps.evaluate(number)
    spread = coverage(kept, functions)
    reasons = Counter(selected.left_out.values())
    return Round(
        number=number,
        funnel=funnel,
        left_out={reason.value: reasons[reason] for reason in Reason if reasons[reason]},
        kept=len(selected.kept),
        kept_in_all=len(kept),
        covered=spread.covered,
        functions=len(functions),
        effective=spread.effective,
        variety=variety(one.question for one in kept),
        accuracy=dict(accuracy),
        tokens=tokens,
    )


def _check_ids(made: Proposals, attempts: Sequence[Attempt], number: int) -> None:
    """Answers are kept by the question's id, so one id must be one question in the whole play."""
    ids = Counter(attempt.id for attempt in attempts)
    if len(attempts) != len(made.questions) or ids.total() != len(ids):
        raise ValueError(f"round {number}: {len(made.questions)} questions, {len(attempts)} attempts, {len(ids)} ids")
    if wrong := next((name for name in ids if not name.startswith(f"{number}-")), None):
        raise ValueError(f"round {number}: the id {wrong!r} does not begin with the number of the round")


def _attempts(folder: Path, number: int) -> Path:
    return folder / f"attempts-{number}.json"


def _write_attempts(folder: Path, number: int, tried: Tried) -> None:
    attempts, funnel, tokens = tried
    told = {"funnel": funnel, "tokens": tokens, "attempts": [asdict(attempt) for attempt in attempts]}
    files.write(_attempts(folder, number), json.dumps(told, indent=1, ensure_ascii=False) + "\n")


def _read_attempts(folder: Path, number: int) -> Tried:
    file = _attempts(folder, number)
    try:
        data = json.loads(file.read_text("utf-8"))
        read = [
            Attempt(one["id"], one["question"], tuple(one["functions"]), tuple(one["samples"]))
            for one in data["attempts"]
        ]
        return read, dict(data["funnel"]), int(data["tokens"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ConfigError(
            f"{file} cannot be read ({error!r}); put it back, or take it out and the rounds from {number} on out of {ROUNDS}: "
            "they are played again from what is there"
        ) from None


def rounds(folder: Path) -> list[Round]:
    """The finished rounds of a play."""
    file = folder / ROUNDS
    try:
        found = [Round(**data) for _, data in lines(file)]
    except TypeError:
        raise ConfigError(f"{file} does not hold rounds of self-play; choose another folder") from None
    if [one.number for one in found] != list(range(1, len(found) + 1)):
        raise ConfigError(f"{file} lacks a round: it has {', '.join(str(one.number) for one in found)}; play elsewhere")
    return found


def _same_settings(folder: Path, settings: PlaySettings, functions: Sequence[str]) -> None:
    """Write the settings, or compare them; more rounds than before are no other settings."""
    file = folder / SETTINGS
    now = {key: value for key, value in asdict(settings).items() if key != "rounds"} | {"functions": sorted(functions)}
    if not file.exists():
        files.write(file, json.dumps(now, indent=1) + "\n")
        return
    resume.refuse_changes(folder, resume.read(file), now)
