"""The guard checks that the training data contains no question, answer or case from a test split. It compares content,
wherever the data comes from.

    check(rows, world)      # a list of findings, empty if the rows are clean
    refuse(rows, world)     # raises an error for the first finding

A finding is a leak: a row that contains part of a test task. These are the types:

| leak | finding |
|---|---|
| task | a row has the id of a test task |
| entry | the row contains the name of the function that a test task asks the model to write |
| question | the row shares `SHARED` or more runs of `RUN` words with a test question |
| paraphrase | a passage contains `NEAR` or more of a test question's rare words and numbers, weighted by rarity |
| gold | the row contains a test task's gold (reference) solution, up to variable names and line breaks |
| case | the row contains all numbers and texts of a case in order, arguments first, or a run of `NUMBERS` of them |

Text from pages and training tasks is not a leak: their word runs are removed from a row before questions are compared,
their numbers before cases are compared, and a row that is closer to a training question counts as that question. Gold
that is a single call often equals the gold of a training task (in the complete world with seed 1, for 78 of 317
single-function and 41 of 162 transfer tasks, but for no multi or plan task), and a call to one function with only
variables as arguments says no more than the signature. Such a program reveals nothing without its question, so it is
not a finding; the question, name and cases of its task still are.

Covered: every split except `train`, and rows from any source.
Not covered: a paraphrase with different nouns and numbers; cases with only a few small numbers (149 of 1,131 tasks have
no other cases); and gold that was rewritten or translated to NumPy (found only if it kept its function name).
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
from sebench.train.data.tokens import TrainingRow
from sebench.world.prompts import CLOSED, NATIVE
from sebench.world.world import World

# Measured on the complete world with seed 1 and 18,508 rows of study material and training tasks: clean rows share no
# word run with a test question, and at most 0.36 of the weight of its words. Unfiltered questions of the training split
# share up to 0.71 with a test question.
RUN, SHARED = 6, 4
NEAR = 0.6
COMMON = 0.05  # words in more than this share of all texts do not distinguish questions
NUMBERS, CHARACTERS = 8, 18  # length of a run of numbers, and the minimum number of characters in it
WHOLE, FEWEST = 24, 14  # a case of at most WHOLE numbers is compared whole if it has at least FEWEST characters
PARTICULAR = 8  # minimum characters in the arguments' numbers: (7, 5) occurs by chance
PREFIXES = (3, 5)  # how many leading numbers index a short run and a long run
_WORD = re.compile(r"[a-z]+|\d+(?:\.\d+)?")
_NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:e[+-]?\d+)?j?")
_NUMBER_OR_TEXT = re.compile(_NUMBER.pattern + r"|'[^'\n]*'|\"[^\"\n]*\"")
_IDENTIFIER = re.compile(r"[A-Za-z]\w*_\w+")


@dataclass(frozen=True)
class Finding:
    """A training row that contains part of a test task."""

    row: str  # id of the row
    task: str
    split: str
    leak: str  # "task", "entry", "question", "paraphrase", "gold" or "case"
    excerpt: str  # the matching words


def check(rows: Iterable[TrainingRow], world: World) -> list[Finding]:
    """Return the parts of test tasks that the rows contain: one finding per row, task and type of leak."""
    guard = Guard(world)
    return [finding for row in rows for finding in guard.findings(row)]


def refuse(rows: Iterable[TrainingRow], world: World) -> None:
    """Raise an error if a row contains part of a test task."""
    if findings := check(rows, world):
        first, more = findings[0], f" ({len(findings) - 1:,} more findings)" if len(findings) > 1 else ""
        raise ConfigError(
            f"row '{first.row}' contains the {first.leak} of task '{first.task}' of {first.split}: "
            f"{first.excerpt!r}{more}; remove everything that was derived from test tasks"
        )


class Guard:
    """An index of the texts, names, programs and numbers of a world's test tasks, without those that also occur in
    pages and training tasks."""

    def __init__(self, world: World) -> None:
        self.tests = {t.id: t for split in splits.SPLITS if split != splits.TRAIN for t in world.tasks(split)}
        train = world.tasks(splits.TRAIN)
        prompter, pages = world.prompter(), [page.text for page in world.pages]
        clean = [f"{prompter.prompt(t, book).text}\n{t.gold}" for t in train for book in (CLOSED, NATIVE)]
        clean += pages
        self.known_runs = {run for text in clean for run in _runs(_words(text))}
        self._questions(train, pages)
        known_names = {name for text in clean for name in _IDENTIFIER.findall(text)}
        self.entries = {t.entry: t for t in self.tests.values() if t.entry not in known_names}
        self.golds = held_out_golds(world)
        self._cases(train, pages)

    def _questions(self, train: Sequence[Task], pages: Sequence[str]) -> None:
        """Index the word runs and the weighted rare words of questions."""
        words = {t.id: _words(t.question) for t in (*self.tests.values(), *train)}
        texts = [set(text) for text in (*words.values(), *map(_words, pages))]
        spread = Counter(word for text in texts for word in text)
        self.weight = {w: math.log(len(texts) / n) for w, n in spread.items() if n <= max(COMMON * len(texts), 1)}
        self.lengths = {name: len(question) for name, question in words.items()}
        self.total: dict[str, float] = {}
        self.questions_with: dict[str, list[str]] = defaultdict(list)
        self.runs: dict[tuple[str, ...], list[str]] = defaultdict(list)
        for name, question in words.items():
            rare = {word for word in question if word in self.weight}
            self.total[name] = sum(self.weight[word] for word in rare)
            for word in rare:
                self.questions_with[word].append(name)
            if name in self.tests:
                for run in set(_runs(question)) - self.known_runs:
                    self.runs[run].append(name)

    def _cases(self, train: Sequence[Task], pages: Sequence[str]) -> None:
        """Index the number runs of test cases, without those that also occur in a training task or a page."""
        self.cases: dict[tuple[str, ...], dict[tuple[str, ...], str]] = defaultdict(dict)
        for task in self.tests.values():
            for numbers in _case_numbers(task, PARTICULAR):
                for run in _number_runs(numbers):
                    self.cases[run[: _prefix_length(run)]][run] = task.id
        clean = [numbers for t in train for numbers in _case_numbers(t)]
        clean += [numbers for text in pages for numbers in _numbers(text)]
        for numbers in clean:
            for run, _ in list(self._runs_in(numbers)):
                self.cases[run[: _prefix_length(run)]].pop(run, None)

    def findings(self, row: TrainingRow) -> Iterator[Finding]:
        """Yield the findings in one row."""
        text = f"{row.prompt.text}\n{row.answer}" if row.prompt else row.answer
        for task_id, leak, excerpt in self._matches(row, text):
            yield Finding(row.id, task_id, self.tests[task_id].split, leak, excerpt)

    def _matches(self, row: TrainingRow, text: str) -> Iterator[tuple[str, str, str]]:
        for name in {row.id, row.prompt.task_id if row.prompt else row.id} & self.tests.keys():
            yield name, "task", name
        for name in sorted(set(_IDENTIFIER.findall(text)) & self.entries.keys()):
            yield self.entries[name].id, "entry", name
        unknown_words = self._without_known(_words(text))
        yield from self._shared_runs(unknown_words)
        yield from self._paraphrases(unknown_words)
        for program in programs_of(text):
            if gold := self.golds.get(program):
                yield gold.id, "gold", program[:80]
        yield from self._shared_cases(text)

    def _shared_cases(self, text: str) -> Iterator[tuple[str, str, str]]:
        shared: dict[str, tuple[str, ...]] = {}
        for numbers in _numbers(text):
            shared |= {name: run for run, name in self._runs_in(numbers)}
        for name, run in shared.items():
            yield name, "case", " ".join(run)

    def _runs_in(self, numbers: Sequence[str]) -> Iterator[tuple[tuple[str, ...], str]]:
        """Yield the runs of test cases that occur among these numbers, with their tasks."""
        row = tuple(numbers)
        for at in range(len(row) - min(PREFIXES) + 1):
            for prefix in PREFIXES:
                for run, name in self.cases.get(row[at : at + prefix], {}).items():
                    if row[at : at + len(run)] == run:
                        yield run, name

    def _without_known(self, words: list[str]) -> list[str]:
        """Return the words of a row that are not in a run shared with pages or training tasks."""
        known = [False] * len(words)
        for i, run in enumerate(_runs(words)):
            if run in self.known_runs:
                known[i : i + RUN] = [True] * RUN
        return [word for word, is_known in zip(words, known, strict=True) if not is_known]

    def _shared_runs(self, words: list[str]) -> Iterator[tuple[str, str, str]]:
        shared: dict[str, list[tuple[str, ...]]] = defaultdict(list)
        for run in dict.fromkeys(_runs(words)):
            for name in self.runs.get(run, ()):
                shared[name].append(run)
        for name, runs in shared.items():
            if len(runs) >= SHARED:
                yield name, "question", " ".join(runs[0])

    def _paraphrases(self, words: list[str]) -> Iterator[tuple[str, str, str]]:
        """Yield test questions whose rare words mostly occur in a passage twice as long as the question, unless a
        training question matches the passage better."""
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
        """For every question, return the weighted share of its rare words that are among these words."""
        shares: dict[str, float] = defaultdict(float)
        for word in set(words):
            for name in self.questions_with.get(word, ()):
                shares[name] += self.weight[word] / self.total[name]
        return shares


def _words(text: str) -> list[str]:
    words = _WORD.findall(text.lower())
    return [word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word for word in words]


def _runs(words: Sequence[str], size: int = RUN) -> Iterator[tuple[str, ...]]:
    return (tuple(words[i : i + size]) for i in range(len(words) - size + 1))


def _case_numbers(task: Task, characters: int = 0) -> Iterator[list[str]]:
    """For each case whose arguments have distinctive numbers of at least `characters` characters (0: for every case),
    yield its numbers, and its numbers together with its texts: first those in the arguments, then those in the
    result."""
    for case in (*task.cases, *task.examples):
        arguments = f"{list(case.inputs.values())!r}"
        if not characters or any(
            len(run) >= min(PREFIXES) and _is_distinctive(run, characters) for run in _numbers(arguments)
        ):
            yield from _numbers(f"{arguments} {case.expected!r}")


def _numbers(text: str) -> list[list[str]]:
    """Return a list of the numbers in a text and, if it contains quotes, a list of its numbers and quoted texts; 2.0
    counts as 2. The first list ensures that apostrophes in prose hide no number."""
    numbers = [number.removesuffix(".0") for number in _NUMBER.findall(text)]
    if "'" not in text and '"' not in text:
        return [numbers]
    return [numbers, [value.strip("'\"").removesuffix(".0") for value in _NUMBER_OR_TEXT.findall(text)]]


def _number_runs(numbers: list[str]) -> Iterator[tuple[str, ...]]:
    """Yield the runs of numbers in a case that are too distinctive to occur by accident: all numbers of a short case,
    and every run of `NUMBERS` numbers."""
    if min(PREFIXES) <= len(numbers) <= WHOLE and _is_distinctive(numbers, FEWEST):
        yield tuple(numbers)
    yield from (run for run in _runs(numbers, NUMBERS) if _is_distinctive(run, CHARACTERS))


def _is_distinctive(run: Sequence[str], characters: int) -> bool:
    if sum(map(len, run)) < characters or len(set(run)) < min(len(run), 4):
        return False
    try:
        steps = {round(float(b) - float(a), 9) for a, b in pairwise(run)}
    except ValueError:  # texts and complex numbers
        return True
    return len(steps) >= min(len(run) - 1, 3)  # evenly spaced numbers occur by chance


def _prefix_length(run: Sequence[str]) -> int:
    """Return how many leading numbers a run is indexed by."""
    return max(size for size in PREFIXES if size <= len(run))
