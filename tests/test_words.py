"""Forged names mean nothing, are easy to tell apart, and depend only on the seed."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from sebench.forge.catalog import catalog
from sebench.forge.names import naming, pseudowords

SEEDS = st.integers(min_value=0, max_value=10**9)


def edit_distance(a: str, b: str) -> int:
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        above, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            above, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, above + (x != y))
    return row[-1]


@given(st.text("abc", min_size=1, max_size=5), st.text("abc", min_size=1, max_size=5))
def test_words_share_a_pattern_exactly_when_they_are_at_most_one_edit_apart(a: str, b: str) -> None:
    near = not pseudowords.neighbourhood(a).isdisjoint(pseudowords.neighbourhood(b))
    assert near == (edit_distance(a, b) <= 1)


@given(SEEDS)
def test_every_seed_gives_the_same_distribution_of_lengths(seed: int) -> None:
    drawn = pseudowords.PseudowordGenerator(seed).words(f"name{i}" for i in range(90))
    assert Counter(map(len, drawn.values())) == {5: 30, 6: 30, 7: 30}


@given(SEEDS)
def test_names_are_distinct_and_contain_nothing_known(seed: int) -> None:
    names = naming.draw(seed, catalog.seeded())
    bare = [f.rpartition(".")[2] for f in names.functions.values()]
    assert len(set(bare)) == len(bare)
    assert all(pseudowords.fits_grammar(w) and w not in pseudowords.reserved() for w in bare)
    assert all(o.rpartition(".")[2] not in f for o, f in zip(names.functions, bare, strict=True))
    assert names.array.lower() not in bare
    assert names.package not in bare


def test_the_same_seed_gives_the_same_names_and_another_seed_gives_others() -> None:
    one, same, other = (naming.draw(s, catalog.seeded()) for s in (5, 5, 6))
    assert one == same
    assert not set(one.functions.values()) & set(other.functions.values())


def test_a_name_does_not_depend_on_which_other_functions_are_asked_for() -> None:
    entries = catalog.seeded()
    whole, slice_ = naming.draw(3, entries), naming.draw(3, entries[:20])
    assert slice_.functions.items() <= whole.functions.items()


def test_english_words_and_identifiers_are_reserved() -> None:
    assert {"banana", "potato", "median", "repeat", "numeric", "reduce", "deque"} & pseudowords.reserved() == {
        w for w in ("banana", "potato", "median", "repeat", "numeric", "reduce", "deque") if pseudowords.fits_grammar(w)
    }
