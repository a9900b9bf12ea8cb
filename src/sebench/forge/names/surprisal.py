"""How many bits a forged word is worth: its surprisal under the simple distribution of the generator.

    surprisal("lucixu")  # 21.3: log2(3 * 19**3 * 5**3)

The simple distribution draws a length (5, 6 or 7, each with probability 1/3), then consonants and vowels in turn, all
equally likely. So a word of 5, 6 or 7 letters is worth 18.97, 21.29 or 25.54 bits, and the names of the 317 functions
in a world with all functions about 6,950.

The real generator (`pseudowords.py`) is a little less random, so these figures are upper bounds:

- Reserved words are rejected: 3.0 % of the words of 5 letters, 0.4 % of 6 and 0.03 % of 7. That is at most 0.044 bits
  per word, log2(1 / (1 - 0.030)).
- Words within one edit of an earlier word of the world are rejected. With reserved words, that is 7 % of the words of
  5 letters at the last function and 10 % (0.154 bits) at the last option word.
- A word that contains its original is rejected. That matters for originals of one letter: almost 1 bit for a
  parameter called `a`.
- Exactly a third of the functions have each length: 8.7 bits for all of them together.

Counted exactly (each word against the number of words that were still possible, and the arrangements of lengths), the
simple sum for a world with all functions is too high by 18 of 6,950 bits for functions (0.3 %), 23 of 3,740 for
parameters (0.6 %) and 14 of 1,448 for option words (1.0 %). `tests/test_surprisal.py` counts again.

Not covered: names read from a mapping, which are not drawn.
"""

from __future__ import annotations

from math import log2

from sebench.base.errors import ConfigError
from sebench.forge.names.pseudowords import CONSONANTS, LENGTHS, VOWELS, fits_grammar, reserved


def surprisal(word: str) -> float:
    """Return the bits of a word; raise ConfigError if it can never be drawn, since its surprisal would be infinite."""
    if not fits_grammar(word) or word in reserved():
        raise ConfigError(f"'{word}' is not a word that 'sebench build' draws, so it has no bits; use a seeded world")
    return log2(len(LENGTHS) * count_words(len(word)))


def count_words(length: int) -> int:
    """Return how many words of a given length the grammar allows; every second letter is a vowel."""
    count: int = len(CONSONANTS) ** ((length + 1) // 2) * len(VOWELS) ** (length // 2)
    return count
