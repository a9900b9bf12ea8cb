"""Codes, calendars and games: bits, numbers as text, cycles, dice, boards."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Either, Int, Matrix, Permutation, Vector, Word
from sebench.bank.plan import EVERY, TRUTHS, either_way


@task(n=(4, 60))
def damaged_bytes(sent: Vector(Int(0, 255), "n"), received: Vector(Int(0, 255), "n")):
    """Numbers from 0 to 255 were `sent` over a bad line, eight bits each, and `received` on the other side. The
    receiver calls a received number suspicious if an odd number of its eight bits are 1. Return a tuple of four: number
    of bits that differ between sent and received in the whole message; list of the positions, from 0, of the suspicious
    numbers; position of the number with the most differing bits, the first in a tie; highest number received."""
    changed = np.bitwise_count(np.array(sent) ^ np.array(received))
    odd = np.flatnonzero(np.bitwise_count(received) % 2)
    return np.sum(changed), odd, np.argmax(changed), np.max(received)


@task
def picture_of_eight_bytes(rows: Vector(Int(0, 255), 8)):
    """A tiny picture of 8 by 8 points is kept as eight numbers from 0 to 255, its `rows` from top to bottom; the bits
    of a number, the most significant first, are the points of its row from left to right, 1 for a lit point. Return a
    tuple of three: list of the eight numbers, from left to right, that the columns of the picture give when they are
    read from top to bottom in the same way; column with the most lit points, from 0, the first in a tie; number of lit
    points in the picture."""
    points = np.reshape(np.unpackbits(np.array(rows, dtype=np.uint8)), (8, 8))
    columns = np.packbits(points.T)
    lit = np.sum(points, axis=0)
    return columns, np.argmax(lit), np.sum(lit)


@task(equivalent={"setdiff1d -> setxor1d": "every number taken is among those up to the highest"})
def next_free_ticket(used: Vector(Int(1, 60), (3, 80)), base: Int(3, 16)):
    """Lockers have tickets with whole numbers from 1 on; the numbers in `used` are taken, some by mistake more than
    once. Return a tuple of four: lowest free number written in base `base` as text, with capital letters for digits
    above 9; highest number taken, written in the same way; number of free numbers below the highest number taken; list
    of the numbers taken more than once, ascending."""
    highest = np.max(used)
    free = np.setdiff1d(np.arange(1, highest + 2), used)
    numbers, counts = np.unique(used, return_counts=True)
    return np.base_repr(free[0], base), np.base_repr(highest, base), free.size - 1, numbers[counts > 1]


@task(
    equivalent=dict.fromkeys(
        ("flatnonzero -> where", "flatnonzero -> nonzero"),
        "the positions lie one level deeper, and their gaps are the same",
    )
)
def events_of_a_year(bins: Int(2, 9), market: Int(3, 12), choir: Int(2, 15), days: Either(Int(1, 7), Int(8, 100))):
    """From day 0 on, which has none of them, the bins are emptied every `bins` days, the market comes every `market`
    days and the choir meets every `choir` days. The calendar has the days 1 to `days`. Return a tuple of three: list of
    the numbers of days in the calendar with none, one, two and three of these events; first day after day 0, in the
    calendar or later, with the three events together; longest time in days from an event day of the calendar to the
    next event day of the calendar, or 0 if there are fewer than two of them."""
    day = np.arange(1, days + 1)
    events = (day % bins == 0) * 1 + (day % market == 0) + (day % choir == 0)
    gaps = np.diff(np.flatnonzero(events))
    return np.bincount(events, minlength=4), np.lcm(bins, np.lcm(market, choir)), np.max(gaps, initial=0)


@task(
    n=(5, 40),
    equivalent=either_way("deck - np.arange(len(cards))")
    | {"sum -> count_nonzero": "adding up truth values counts the true ones"},
)
def disorder_of_a_deck(cards: Permutation("n"), card: Int(0, "n-1")):
    """A deck of the cards 0, 1, 2 and so on was shuffled; `cards` lists it from top to bottom. Two cards are in
    disorder if the higher one lies above the lower one. Return a tuple of four: number of pairs of cards in disorder;
    greatest difference between a card's number and its position from 0, taken as positive; position from 0 of the card
    with the number `card`; number of cards that lie on the position of their own number."""
    deck = np.array(cards)
    disorder = np.triu(deck[:, None] > deck)
    away = np.abs(deck - np.arange(len(cards)))
    return np.sum(disorder), np.max(away), np.argsort(deck)[card], np.sum(away == 0)


@task(equivalent=TRUTHS)
def two_odd_dice(red: Vector(Int(1, 8), 6), blue: Vector(Int(1, 8), 6), least: Int(4, 13)):
    """A `red` and a `blue` die have unusual numbers on their six sides, whole and above 0, given as lists; some may
    come more than once. Look at the 36 pairs of a red and a blue side, and add up the two numbers of each. Return a
    tuple of four: commonest total, the lowest in a tie; number of pairs that give it; middle of the 36 totals in order,
    midway between the two middle ones; number of pairs whose total is `least` or more."""
    totals = np.ravel(np.array(red)[:, None] + np.array(blue))
    counts = np.bincount(totals)
    best = np.argmax(counts)
    return best, counts[best], np.median(totals), np.count_nonzero(totals >= least)


@task(equivalent=TRUTHS)
def words_of_a_song(
    words: Vector(Word(("amber", "birch", "cedar", "delta")), (0, 60)),
    skipped: Vector(Word(("amber", "birch", "cedar", "delta", "tulip")), 3),
):
    """A song is given as its `words` in order. The words in the list `skipped` are not counted. Return a tuple of
    three: number of words of the song that are skipped, repeats included; number of different words that are left; how
    often the commonest of these comes. If no word is left, the last two are 0."""
    drop = np.isin(words, skipped)
    left, counts = np.unique(np.array(words)[~drop], return_counts=True)
    return np.count_nonzero(drop), left.size, np.max(counts, initial=0)


@task(
    n=(4, 16),
    equivalent={
        "concatenate -> block": "lists that are not nested are put end to end by both",
        "max -> ptp": "the first of the falling lines is beyond the board and has no queen",
        "setdiff1d -> delete": "the numbers of the rows are their positions",
        "setdiff1d -> setxor1d": "every column of a queen is on the board",
        "column - row: operands swapped": "the falling lines are counted from the other side",
    },
)
def queens_on_a_board(columns: Vector(Int(0, "n-1"), "n")):
    """A chessboard has as many columns as rows, and every row has one queen; row by row `columns` tells her column,
    from 0. Two queens disturb each other if they stand in the same column or on the same diagonal, in whichever
    direction it runs, even if other queens stand between them. Return a tuple of three: number of pairs of queens that
    disturb each other; list of the columns without a queen, ascending; greatest number of queens on one diagonal."""
    row, column = np.arange(len(columns)), np.array(columns)
    rising, falling = np.bincount(column + row), np.bincount(column - row + len(columns))
    lines = np.concatenate([rising, falling, np.bincount(column)])
    most = np.max(np.concatenate([rising, falling]))
    return np.sum(lines * (lines - 1)) // 2, np.setdiff1d(row, column), most


@task(equivalent=EVERY | {"sum -> count_nonzero": "adding up truth values counts the true ones"})
def bingo_card(card: Matrix(Int(1, 14), 4, 4), called: Vector(Int(1, 14), (4, 20))):
    """A bingo `card` has four rows of four numbers, some of which may be equal; the numbers in `called` have been
    called out. A field is marked if its number was called. Return a tuple of four: number of marked fields; number of
    rows and columns in which every field is marked; number of marked fields on the diagonal from top left to bottom
    right; list of the numbers called that are nowhere on the card, each once, ascending."""
    marked = np.isin(card, called)
    lines = np.sum(np.all(marked, axis=0)) + np.sum(np.all(marked, axis=1))
    return np.sum(marked), lines, np.trace(marked), np.setdiff1d(called, card)


@task(equivalent=EVERY)
def code_of_a_dial(positions: Vector(Int(0, 31), (2, 40))):
    """A dial reports two or more `positions`, 0 to 31, one after the other. Each is turned into a code: the position,
    combined bit by bit with half of itself (rounded down) so that a bit of the code is 1 where exactly one of the two
    has a 1. Between two successive codes some bits change. Return a tuple of four: True if exactly one bit changes at
    every step, otherwise False; total of the changed bits; position from 0 of the first step with the most changed
    bits, step 0 being from the first code to the second; list of the different numbers of changed bits, ascending."""
    code = np.array(positions) ^ (np.array(positions) // 2)
    changes = np.bitwise_count(code[1:] ^ code[:-1])
    return np.all(changes == 1), np.sum(changes), np.argmax(changes), np.unique(changes)
