"""The guard: no question, answer or case of a test split is in what a model learns from. It looks at similarity, not at where rows come from.

    check(rows, world)      # findings, none where all is well
    refuse(rows, world)     # one clear line if there is one

| what | finding |
|---|---|
| task | a row has the id of a test task |
| entry | the name of the function that a test task asks for stands in the row |
| question | `SHARED` or more runs of `RUN` words of a test question |
| paraphrase | `NEAR` or more of the rare words and numbers of a test question close together, weighted by how rare they are |
| gold | a program that is a test task's gold but for the names of its variables and the lines it is written in |
| case | all numbers and texts of a case in a row, arguments first, or `NUMBERS` of them |

What pages and training tasks say is no leak: their runs of words are taken out of a row before questions are compared, their numbers before
cases are, and a row that is nearer to a training question belongs to that. Gold of a single call is often that of a training task too (in a
whole world, seed 1: of 78 of 317 single-function and 41 of 162 transfer tasks; of no multi or plan task), and a call of one function with
nothing but variables is what its signature says. Such a program tells nothing without its question, so it is no finding; question, name and
cases of the task still are.

Covered: every split but `train`, and whatever the rows were made by.
Not covered: a paraphrase in other nouns with other numbers, cases of few small numbers (149 of 1,131 tasks have no others), gold that was
rewritten or is written in NumPy (its function name gives it away if it was kept).
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from sebench.base.errors import ConfigError
from sebench.base.records import Task
from sebench.tasks import splits
from sebench.train.data.gold_programs import held_out_golds, programs_of
from sebench.train.data.rows import TrainingRow
from sebench.world.prompts import CLOSED, NATIVE
from sebench.world.world import World

# Measured on a whole world (seed 1), 18,508 rows of study material and of training tasks: clean rows share no run with a test question, and
# at most 0.36 of the weight of its words. Questions of the training split, taken as they are, share up to 0.71 with one of a test split.
RUN, SHARED = 6, 4
NEAR = 0.6
COMMON = 0.05  # words in more than this share of all texts do not tell questions apart
NUMBERS, CHARACTERS = 8, 18  # of a run of numbers, and at least so many characters in it
WHOLE, FEWEST = 24, 14  # a whole case of at most so many numbers needs so many characters
PARTICULAR = 8  # characters of the arguments' numbers: a result of (7, 5) is everybody's
PREFIXES = (3, 5)  # numbers by which a run is looked up, short and long ones
_WORD = re.compile(r"[a-z]+|\d+(?:\.\d+)?")
_NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:e[+-]?\d+)?j?")
_NUMBER_OR_TEXT = re.compile(_NUMBER.pattern + r"|'[^'\n]*'|\"[^\"\n]*\"")
_IDENTIFIER = re.compile(r"[A-Za-z]\w*_\w+")


@dataclass(frozen=True)
class Finding:
    """What a row shows of a test task."""

    row: str  # its id
    task: str
    split: str
    what: str  # "task", "entry", "question", "paraphrase", "gold" or "case"
    shown: str  # the words that tell it


def check(rows: Iterable[TrainingRow], world: World) -> list[Finding]:
    """Everything of test tasks that stands in the rows, one finding for each row, task and what."""
    guard = Guard(world)
    return [finding for row in rows for finding in guard.findings(row)]


def refuse(rows: Iterable[TrainingRow], world: World) -> None:
    """Raise if a row shows something of a test task."""
    if found := check(rows, world):
        first, more = found[0], f" ({len(found) - 1:,} more findings)" if len(found) > 1 else ""
        raise ConfigError(
            f"row '{first.row}' shows the {first.what} of task '{first.task}' of {first.split}: {first.shown!r}{more}; "
            "take out what was made from test tasks"
        )


class Guard:
    """What the test tasks of a world say, and what everybody may say."""

    def __init__(self, world: World) -> None:
        self.tests = {t.id: t for split in splits.SPLITS if split != splits.TRAIN for t in world.tasks(split)}
        train = world.tasks(splits.TRAIN)
        prompter = world.prompter()
        clean = [f"{prompter.prompt(t, book).text}\n{t.gold}" for t in train for book in (CLOSED, NATIVE)]
        clean += [page.text for page in world.pages]
        self.known_runs = {run for text in clean for run in _runs(_words(text))}
        self._questions(train, [page.text for page in world.pages])
        known_names = {name for text in clean for name in _IDENTIFIER.findall(text)}
        self.entries = {t.entry: t for t in self.tests.values() if t.entry not in known_names}
        self.golds = held_out_golds(world)
        self._cases(train, [page.text for page in world.pages])

    def _questions(self, train: Sequence[Task], pages: Sequence[str]) -> None:
        """Runs of words, and rare words with their weight, by task."""
        words = {t.id: _words(t.question) for t in (*self.tests.values(), *train)}
        texts = [set(found) for found in (*words.values(), *map(_words, pages))]
        spread = Counter(word for text in texts for word in text)
        self.weight = {w: math.log(len(texts) / n) for w, n in spread.items() if n <= max(COMMON * len(texts), 1)}
        self.lengths = {name: len(found) for name, found in words.items()}
        self.total: dict[str, float] = {}
        self.questions_with: dict[str, list[str]] = defaultdict(list)
        self.runs: dict[tuple[str, ...], list[str]] = defaultdict(list)
        for name, found in words.items():
            rare = {word for word in found if word in self.weight}
            self.total[name] = sum(self.weight[word] for word in rare)
            for word in rare:
                self.questions_with[word].append(name)
            if name in self.tests:
                for run in set(_runs(found)) - self.known_runs:
                    self.runs[run].append(name)

    def _cases(self, train: Sequence[Task], pages: Sequence[str]) -> None:
        """Runs of numbers by task."""
        clean = [numbers for t in train for numbers in _case_numbers(t)]
        clean += [numbers for text in pages for numbers in _numbers(text)]
        known = {run for numbers in clean for run in (*_windows(numbers, NUMBERS), tuple(numbers))}
        self.cases: dict[tuple[str, ...], dict[tuple[str, ...], str]] = defaultdict(dict)
        for task in self.tests.values():
            for numbers in _case_numbers(task, PARTICULAR):
                for run in _number_runs(numbers):
                    if run not in known:
                        self.cases[run[: _prefix_length(run)]][run] = task.id

    def findings(self, row: TrainingRow) -> Iterator[Finding]:
        """What one row shows."""
        text = f"{row.prompt.text}\n{row.answer}" if row.prompt else row.answer
        for task_id, what, shown in self._matches(row, text):
            yield Finding(row.id, task_id, self.tests[task_id].split, what, shown)

    def _matches(self, row: TrainingRow, text: str) -> Iterator[tuple[str, str, str]]:
        for name in {row.id, row.prompt.task_id if row.prompt else row.id} & self.tests.keys():
            yield name, "task", name
        for name in sorted(set(_IDENTIFIER.findall(text)) & self.entries.keys()):
            yield self.entries[name].id, "entry", name
        left = self._without_known(_words(text))
        yield from self._shared_runs(left)
        yield from self._paraphrases(left)
        for program in programs_of(text):
            if gold := self.golds.get(program):
                yield gold.id, "gold", program[:80]
        yield from self._shared_cases(text)

    def _shared_cases(self, text: str) -> Iterator[tuple[str, str, str]]:
        found: dict[str, tuple[str, ...]] = {}
        for numbers in map(tuple, _numbers(text)):
            for at in range(len(numbers) - min(PREFIXES) + 1):
                for opening in PREFIXES:
                    for run, name in self.cases.get(numbers[at : at + opening], {}).items():
                        if numbers[at : at + len(run)] == run:
                            found[name] = run
        for name, run in found.items():
            yield name, "case", " ".join(run)

    def _without_known(self, words: list[str]) -> list[str]:
        """The words of a row that are not part of a run which pages or training tasks have."""
        known = [False] * len(words)
        for i in range(len(words) - RUN + 1):
            if tuple(words[i : i + RUN]) in self.known_runs:
                known[i : i + RUN] = [True] * RUN
        return [word for word, taken in zip(words, known, strict=True) if not taken]

    def _shared_runs(self, words: list[str]) -> Iterator[tuple[str, str, str]]:
        shared: dict[str, list[tuple[str, ...]]] = defaultdict(list)
        for run in dict.fromkeys(_runs(words)):
            for name in self.runs.get(run, ()):
                shared[name].append(run)
        for name, found in shared.items():
            if len(found) >= SHARED:
                yield name, "question", " ".join(found[0])

    def _paraphrases(self, words: list[str]) -> Iterator[tuple[str, str, str]]:
        """Test questions most of whose rare words stand in a passage about as long as they are, and that no training question is nearer to."""
        near = self._nearness(words)
        suspects = {name for name, share in near.items() if name in self.tests and share >= NEAR}
        for name in sorted(suspects):
            size = 2 * self.lengths[name]
            best: dict[str, float] = {}
            for at in range(0, max(len(words) - size // 2, 1), max(size // 4, 1)):
                passage = self._nearness(words[at : at + size])
                if passage.get(name, 0.0) > best.get(name, 0.0):
                    best = passage
            of_training = max((share for other, share in best.items() if other not in self.tests), default=0.0)
            if best.get(name, 0.0) >= max(NEAR, of_training):
                rare = [word for word in dict.fromkeys(words) if name in self.questions_with.get(word, ())]
                yield name, "paraphrase", " ".join(rare[:8])

    def _nearness(self, words: Sequence[str]) -> dict[str, float]:
        """For every question the share of its rare words, by weight, that are among these."""
        shares: dict[str, float] = defaultdict(float)
        for word in set(words):
            for name in self.questions_with.get(word, ()):
                shares[name] += self.weight[word] / self.total[name]
        return shares


def _words(text: str) -> list[str]:
    words = _WORD.findall(text.lower())
    return [word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word for word in words]


def _runs(words: list[str]) -> Iterator[tuple[str, ...]]:
    return _windows(words, RUN)


def _windows(words: Sequence[str], size: int) -> Iterator[tuple[str, ...]]:
    for i in range(len(words) - size + 1):
        yield tuple(words[i : i + size])


def _case_numbers(task: Task, characters: int = 0) -> Iterator[list[str]]:
    """The numbers, and the numbers and texts, of each case whose arguments have so many characters: arguments, then the result."""
    for case in (*task.cases, *task.examples):
        given = f"{list(case.inputs.values())!r}"
        if not characters or any(
            len(run) >= min(PREFIXES) and _is_distinctive(run, characters) for run in _numbers(given)
        ):
            yield from _numbers(f"{given} {case.expected!r}")


def _numbers(text: str) -> list[list[str]]:
    """The numbers of a text, and its numbers and quoted texts where it has any; 2.0 is 2. Apostrophes of prose hide no number so."""
    numbers = [number.removesuffix(".0") for number in _NUMBER.findall(text)]
    if "'" not in text and '"' not in text:
        return [numbers]
    return [numbers, [found.strip("'\"").removesuffix(".0") for found in _NUMBER_OR_TEXT.findall(text)]]


def _number_runs(numbers: list[str]) -> Iterator[tuple[str, ...]]:
    """The runs of numbers that are so particular that nobody writes them by accident: all of a short case, and every run of a long one."""
    if min(PREFIXES) <= len(numbers) <= WHOLE and _is_distinctive(numbers, FEWEST):
        yield tuple(numbers)
    yield from (run for run in _windows(numbers, NUMBERS) if _is_distinctive(run, CHARACTERS))


def _is_distinctive(run: Sequence[str], characters: int) -> bool:
    if sum(map(len, run)) < characters or len(set(run)) < min(len(run), 4):
        return False
    try:
        steps = {round(float(b) - float(a), 9) for a, b in pairwise(run)}
    except ValueError:  # texts and complex numbers
        return True
    return len(steps) >= min(len(run) - 1, 3)  # counting up, once or again and again, is nobody's


def _prefix_length(run: Sequence[str]) -> int:
    """By how many of its numbers a run is looked up."""
    return max(size for size in PREFIXES if size <= len(run))
