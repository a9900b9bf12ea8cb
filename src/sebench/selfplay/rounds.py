"""Self-play: a model writes and answers its own questions with the documentation in the prompt (book open), and is
trained on its correct answers without it (book closed).

The steps of a round:

1. **Targets.** Choose the functions with the fewest kept questions so far or, with `aim = "missed"`, those whose
   training questions the last trained model answers worst with the book closed (`selection.next_targets`).
2. **Propose.** A proposer (the model itself, or a frozen one) reads the page of a target and the available input
   generators, and writes a question with a solution. It sees the documentation and earlier questions of this self-play
   run, but never a question from the training or test splits.
3. **Gates.** Run the gates of `author/`: parse, policy, runs, targeted, mutants, duplicate, language. The expected
   values are computed here, not taken from the model. Without other models, consensus is reached among the solver's own
   samples (`SelectionSettings.above`).
4. **Solve.** The solver answers each question several times with the book open; every answer is judged.
5. **Select.** Keep questions by solve rate and function coverage, without near-duplicates (`selection.select`).
6. **Train** the base model with the book closed on everything kept so far, so that rounds differ only in their data.
7. **Evaluate** with the book closed, on all test splits.

`play` is only that loop. Its steps are passed in (`Steps`), so it depends on neither models nor GPUs. `steps.py`
implements the steps with real models and locks the folder, so that only one process writes to it at a time:

    attempts-N.json       the questions that passed the gates in round N, with the verdict on every answer
    rounds.jsonl          one line per finished round: yield, coverage, variety, accuracy, tokens

An interrupted round is repeated, but its model calls are cached by content, so little is paid for twice; if its
attempts are already written, it resumes from there. To separate the effect of the data (self-play or `train`) from that
of the training method (open, closed, RL), run the experiment `experiments/selfplay.toml`.

A question's id begins with the number of its round ("2-17"). `attempts-N.json` contains verdicts but no answers: the
steps store answers in their own files, by question id.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from sebench.base import files
from sebench.base.errors import ConfigError
from sebench.base.ledger import append, lines, open_to_append
from sebench.base.wording import counted, describe_error
from sebench.selfplay.config import MISSED, SelfplayConfig
from sebench.train.proposals.selection import (
    FilterReason,
    JudgedQuestion,
    coverage,
    next_targets,
    select,
    variety,
)

ROUNDS = "rounds.jsonl"
PROPOSED = "proposed"
Announce = Callable[[str], None]
RoundQuestions = tuple[Sequence[JudgedQuestion], Mapping[str, int], int]  # questions, funnel, tokens


@dataclass(frozen=True)
class GatedProposals:
    """The proposals of a round after the gates."""

    funnel: Mapping[str, int]  # PROPOSED first, then the number left after each gate, in order
    questions: Sequence[Any]  # the tasks that passed all gates, for `Steps.solve`
    tokens: int = 0


@dataclass(frozen=True)
class Steps:
    """The steps of a round as functions. Each receives the round number, starting at 1."""

    # Receives the targets and the questions kept so far.
    propose: Callable[[int, Sequence[str], Sequence[JudgedQuestion]], GatedProposals]
    solve: Callable[[int, Sequence[Any]], tuple[Sequence[JudgedQuestion], int]]  # also returns the tokens used
    train: Callable[[int, Sequence[JudgedQuestion]], None]  # on all questions kept so far, which may be none
    evaluate: Callable[[int], Mapping[str, float]]  # closed-book accuracy by split
    # Closed-book accuracy of the round's model on training questions, by function; used if `aim` is "missed".
    recall: Callable[[int], Mapping[str, float]]


@dataclass(frozen=True)
class Round:
    """The figures of a finished round."""

    number: int
    funnel: Mapping[str, int]
    left_out: Mapping[str, int]  # questions that passed the gates but were not kept, by reason
    kept: int
    kept_in_all: int
    covered: int  # number of functions covered by the kept questions of all rounds
    functions: int  # number of functions in the world
    effective: float  # effective number of functions covered (`Coverage.effective`)
    variety: float
    accuracy: Mapping[str, float]  # closed book, by split
    tokens: int


def play(
    steps: Steps, functions: Sequence[str], config: SelfplayConfig, folder: Path, announce: Announce = lambda what: None
) -> list[Round]:
    """Play the rounds that are missing from the folder, and return all rounds."""
    if not functions:
        raise ConfigError("there are no functions to ask about; choose another world or other --functions")
    files.make_folder(folder)
    done = rounds(folder)
    kept: list[JudgedQuestion] = []
    for finished in done:  # selection is deterministic, so it is recomputed instead of stored
        kept += select(_read_attempts(folder, finished.number)[0], config.selection(), kept).kept
    for number in range(len(done) + 1, config.rounds + 1):
        if not attempts_file(folder, number).exists():
            recall = steps.recall(number - 1) if config.aim == MISSED and number > 1 else None
            count = config.targets or len(functions)
            functions_to_ask = next_targets(kept, functions, count, config.seed + number, recall)
            announce(f"round {number}: proposing for {counted(len(functions_to_ask), 'function')}")
            proposals = steps.propose(number, functions_to_ask, tuple(kept))
            announce(f"round {number}: solving {counted(len(proposals.questions), 'question')}")
            judged, tokens = steps.solve(number, proposals.questions)
            data = {"funnel": proposals.funnel, "tokens": proposals.tokens + tokens, "attempts": [*map(asdict, judged)]}
            files.write(attempts_file(folder, number), json.dumps(data, indent=1, ensure_ascii=False) + "\n")
        finished = _finish(steps, functions, config, folder, number, kept, announce)
        with open_to_append(folder / ROUNDS) as stream:
            append(stream, folder / ROUNDS, asdict(finished))
        done.append(finished)
    return done


def _finish(
    steps: Steps,
    functions: Sequence[str],
    config: SelfplayConfig,
    folder: Path,
    number: int,
    kept: list[JudgedQuestion],
    announce: Announce,
) -> Round:
    """Select, train and evaluate. The selected questions are appended to `kept`."""
    judged, funnel, tokens = _read_attempts(folder, number)
    selected = select(judged, config.selection(), kept)
    kept += selected.kept
    announce(f"round {number}: training on {counted(len(kept), 'question')}")
    steps.train(number, tuple(kept))
    accuracy = steps.evaluate(number)
    spread = coverage(kept, functions)
    reasons = Counter(selected.left_out.values())
    return Round(
        number=number,
        funnel=funnel,
        left_out={reason.value: reasons[reason] for reason in FilterReason if reasons[reason]},
        kept=len(selected.kept),
        kept_in_all=len(kept),
        covered=spread.covered,
        functions=len(functions),
        effective=spread.effective,
        variety=variety(one.question for one in kept),
        accuracy=dict(accuracy),
        tokens=tokens,
    )


def attempts_file(folder: Path, number: int) -> Path:
    return folder / f"attempts-{number}.json"


def _read_attempts(folder: Path, number: int) -> RoundQuestions:
    file = attempts_file(folder, number)
    try:
        data = json.loads(file.read_text("utf-8"))
        read = [
            JudgedQuestion(one["id"], one["question"], tuple(one["functions"]), tuple(one["samples"]))
            for one in data["attempts"]
        ]
        return read, dict(data["funnel"]), int(data["tokens"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ConfigError(
            f"{file} cannot be read ({describe_error(error)}); restore it, or remove it and delete rounds {number} "
            f"and later from {ROUNDS} to play them again"
        ) from None


def rounds(folder: Path) -> list[Round]:
    """Return the finished rounds of a self-play run."""
    file = folder / ROUNDS
    try:
        finished = [Round(**data) for _, data in lines(file)]
    except TypeError:
        raise ConfigError(f"{file} does not contain rounds of self-play; choose another folder") from None
    if [one.number for one in finished] != list(range(1, len(finished) + 1)):
        raise ConfigError(
            f"{file} is missing a round: it contains only rounds {', '.join(str(one.number) for one in finished)}; "
            "choose another folder"
        )
    return finished
