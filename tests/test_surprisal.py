"""The bits of a forged word, and how far the simple distribution behind them is from what the generator draws."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator
from math import lgamma, log, log2, prod

import pytest

from sebench.base.errors import ConfigError
from sebench.forge.catalog import catalog
from sebench.forge.names import naming
from sebench.forge.names.pseudowords import CONSONANTS, LENGTHS, VOWELS, PseudowordGenerator, neighbourhood, reserved
from sebench.forge.names.surprisal import count_words, surprisal

LETTERS = (CONSONANTS, VOWELS)


def test_a_word_is_worth_its_length_and_its_letters() -> None:
    assert surprisal("bojoh") == pytest.approx(log2(3) + 3 * log2(19) + 2 * log2(5)) == pytest.approx(18.973, abs=5e-4)
    assert surprisal("lucixu") == pytest.approx(log2(3 * 19**3 * 5**3)) == pytest.approx(21.295, abs=5e-4)
    assert surprisal("falekef") == pytest.approx(log2(3 * 19**4 * 5**3)) == pytest.approx(25.542, abs=5e-4)


def test_the_probabilities_of_all_words_sum_to_one() -> None:
    assert sum(count_words(n) * 2 ** -surprisal("falekex"[:n]) for n in LENGTHS) == pytest.approx(1)


@pytest.mark.parametrize("word", ["bojo", "bojohike", "ojohi", "bjooh", "boyoh", "Bojoh", "rfx.bojoh", "", "bacon"])
def test_a_word_that_is_never_drawn_is_an_error(word: str) -> None:
    with pytest.raises(ConfigError, match=f"'{word}' is not a word that 'sebench build' draws"):
        surprisal(word)


def within_one_edit(word: str) -> Iterator[str]:
    """The words of the grammar that are at most one edit from this one, itself included. A letter in the middle can
    only be exchanged: inserted or left out, it would put two vowels or two consonants side by side."""
    yield word
    for i, letter in enumerate(word):
        yield from (word[:i] + other + word[i + 1 :] for other in LETTERS[i % 2] if other != letter)
    if len(word) > min(LENGTHS):
        yield word[:-1]
    if len(word) < max(LENGTHS):
        yield from (word + other for other in LETTERS[len(word) % 2])


def count_containing(part: str, length: int) -> int:
    """How many words of a length contain `part`: inclusion and exclusion over the places where it can stand."""
    places = range(length - len(part) + 1) if part else ()
    total = 0
    for count in range(1, len(places) + 1):
        for chosen in itertools.combinations(places, count):
            fixed: dict[int, str] = {}
            agree = all(fixed.setdefault(at + i, letter) == letter for at in chosen for i, letter in enumerate(part))
            if agree and all(letter in LETTERS[i % 2] for i, letter in fixed.items()):
                ways = prod(len(LETTERS[i % 2]) for i in range(length) if i not in fixed)
                total += ways if count % 2 else -ways
    return total


def test_the_counts_behind_the_distance() -> None:
    """Against all words of 5 letters, and against the patterns by which the generator compares two words."""
    words = ["".join(letters) for letters in itertools.product(*(LETTERS[i % 2] for i in range(5)))]
    assert len(words) == count_words(5)
    for part in ("", "a", "b", "ab", "bab", "aba", "baba", "babab", "bababa", "bb", "y"):
        assert count_containing(part, 5) == sum(part in word for word in words if part), part
    centres = ("bojoh", "bojohi", "bojohif")  # one edit from the last, no word has 5 letters
    patterns = {centre: neighbourhood(centre) for centre in centres}
    near = {centre: set[str]() for centre in centres}
    for word in words:
        own = neighbourhood(word)
        for centre in centres:
            if not own.isdisjoint(patterns[centre]):
                near[centre].add(word)
    assert near == {centre: {word for word in within_one_edit(centre) if len(word) == 5} for centre in centres}


class Counting(PseudowordGenerator):
    """Notes for every word how many were possible when it was drawn."""

    # Word, and log2 of all words of its length over those that were possible: without regard to what its original is
    # called, and with.
    drawn: list[tuple[str, float, float]]
    lengths: list[Counter[int]]  # of every call of `words`

    def __init__(self, seed: int | str, existing: Iterable[str] = ()) -> None:
        super().__init__(seed, existing)
        self.barred = {n: {word for word in reserved() if len(word) == n} for n in LENGTHS}
        type(self).drawn, type(self).lengths = [], []

    def words(self, originals: Iterable[str]) -> dict[str, str]:
        drawn = super().words(originals)
        self.lengths.append(Counter(map(len, drawn.values())))
        return drawn

    def word(self, length: int, original: str = "") -> str:
        word = super().word(length, original)
        bare = original.rpartition(".")[2].lower().strip("_")
        barred = self.barred[length]
        containing = count_containing(bare, length)
        near = sum(bare not in one for one in barred) if containing else len(barred)
        assert word not in barred
        whole = count_words(length)
        self.drawn.append((word, log2(whole / (whole - len(barred))), log2(whole / (whole - containing - near))))
        for other in within_one_edit(word):
            self.barred[len(other)].add(other)
        return word


def excess(monkeypatch: pytest.MonkeyPatch, seed: int) -> dict[str, tuple[float, float]]:
    """For functions, parameters and option words of the whole catalog: the simple bits, and how many are too many."""
    with monkeypatch.context() as patched:
        patched.setattr(naming, "PseudowordGenerator", Counting)
        names = naming.draw(seed, catalog.seeded(), level=naming.PARAMETERS)
    rejected = {word: bits for word, _, bits in Counting.drawn}
    of_functions, _, of_parameters, of_words = Counting.lengths
    sums = {}
    for what, words, lengths in (
        ("functions", [path.rpartition(".")[2] for path in names.functions.values()], of_functions),
        ("parameters", list(names.parameters.values()), of_parameters),
        ("words", list(names.words.values()), of_words),
    ):
        # All arrangements of the lengths are equally likely: n! / (a! b! c!) of them instead of 3**n.
        count = lengths.total()
        arrangements = (lgamma(count + 1) - sum(lgamma(n + 1) for n in lengths.values())) / log(2)
        by_lengths = count * log2(3) - arrangements
        assert by_lengths == pytest.approx({338: 8.7, 176: 7.7, 66: 6.3}[count], abs=0.1)
        sums[what] = sum(map(surprisal, words)), sum(rejected[word] for word in words) + by_lengths
    return sums


@pytest.mark.parametrize("seed", [1, 7])
def test_the_distance_from_the_real_distribution_is_what_the_documents_say(
    monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    distance = excess(monkeypatch, seed)
    for what, bits, too_many in (("functions", 6_950, 18), ("parameters", 3_740, 23), ("words", 1_448, 14)):
        assert distance[what] == (pytest.approx(bits, abs=10), pytest.approx(too_many, abs=1)), what
    near_or_reserved = max(bits for _, bits, _ in Counting.drawn)
    assert near_or_reserved == pytest.approx(0.154, abs=0.002) and 1 - 2**-near_or_reserved < 0.11
    assert 0.9 < max(bits for *_, bits in Counting.drawn) < 1  # for a parameter `a`, or the word 'U'


def test_the_share_of_reserved_words_is_what_the_documents_say() -> None:
    shares = [sum(len(word) == n for word in reserved()) / count_words(n) for n in LENGTHS]
    assert shares == [pytest.approx(share, rel=0.02) for share in (0.0303, 0.0041, 0.000304)]
    assert log2(1 / (1 - shares[0])) == pytest.approx(0.044, abs=5e-4)
