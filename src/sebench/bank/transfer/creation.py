"""Options and forms of making arrays that no training task shows."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Choice, Either, Float, Int, Matrix, Vector

# Paths on which no lantern between the ends stands at a whole metre, and whose length divided by the number of gaps and
# multiplied by it is the same length: then every way of computing the positions gives the same numbers when they are
# rounded down.
GAPS = (5, 7, 11, 13)
PATHS = [m for m in range(20, 301) if all(m % gaps and m / gaps * gaps == m for gaps in GAPS)]


@task(usage="dtype is 'int'", page="the numbers are rounded down")
def lantern_positions(path: Choice(*PATHS), lanterns: Choice(6, 8, 12, 14)):
    """Along a `path` of so many metres `lanterns` are put up at equal distances, the first at metre 0 and the last at
    the end. The workers only know whole metres, so every position between these two, none of which is whole, is rounded
    down. Return the positions as a list of whole numbers."""
    return np.linspace(0, path, lanterns, dtype="int")


@task(usage="base is a list", page="number, or array or nested list")
def chain_letters(factors: Vector(Int(2, 6), (2, 5)), rounds: Int(2, 6)):
    """Several chain letters start with one copy each. In every round each copy of letter j turns into `factors`[j]
    copies. Return how many copies of each letter there are: a list of rows for 0, 1, 2 and so on up to `rounds` rounds,
    with one number per letter in a row."""
    return np.logspace(0, rounds, rounds + 1, base=factors)


@task(usage="start holds complex numbers", page="complex ones run along the shortest spiral between the two")
def spiral_stairs(
    first: Choice(1 + 0j, 2 + 0j, 1 + 1j, 2 + 1j, 3 + 2j),
    last: Choice(-1 + 4j, -2 + 2j, -1 + 3j, 4j, -4 + 4j),
    steps: Int(3, 8),
):
    """A spiral staircase is drawn in the complex plane. It has `steps` points from `first` to `last`, both included,
    and each point is the one before times the same complex factor; of the possible factors take the one that turns
    least. Return the points as a list of complex numbers."""
    return np.geomspace(first, last, steps)


@task(usage="dtype is given")
def nobody_has_paid_yet(dues: Matrix(Int(5, 90), (2, 6), (2, 8))):
    """`dues` is a table of what members owe, with a row per club and a column per member. At the start of the year a
    table of the same layout is needed that tells who has paid: False for everybody. Return it as a list of rows."""
    return np.zeros_like(dues, dtype="bool")


@task(usage="shape is given")
def price_board(
    sample: Either(Vector(Int(1, 9), (2, 5)), Vector(Float(1, 9), (2, 5))), price: Choice(2.5, 3.75, 6.2, 9.9, 12.4)
):
    """A board with two rows of four fields shows one `price` everywhere. Prices are kept like those in the list
    `sample`: if it holds whole numbers, the fraction of the price is cut off, and if it holds numbers with decimals,
    the price stays as it is. Return the board as a list of rows."""
    return np.full_like(sample, price, shape=(2, 4))


@task(
    usage="dtype is 'bool'",
    page="As bools, 0 is False and all else True",
    equivalent={"astype -> logical_and": "a word counts as true, so that every number but 0 gives True"},
)
def rooms_in_use(people: Matrix(Choice(0, 0, 0, 1, 2, 5, 8), (3, 6), (4, 9))):
    """`people` says how many people are in each room, floor by floor. Return a table of the same layout with True for
    every room in which there is somebody and False for every empty one."""
    return np.astype(np.array(people), "bool")


@task(usage="dtype is given")
def neutral_gains(channels: Matrix(Int(0, 90), (2, 5), (2, 7))):
    """For each number in `channels`, a list of rows, a mixer needs a complex gain that changes nothing: the complex
    number
    1. Return these gains in the layout of the channels, as a list of rows of complex numbers."""
    return np.ones_like(channels, dtype="complex")


@task(usage="start has 2 dimensions", page="each of its elements gets a sequence of its own", r=(2, 4), c=(2, 5))
def morph_between_faces(face: Matrix(Int(0, 60), "r", "c"), mask: Matrix(Int(0, 60), "r", "c"), frames: Int(3, 6)):
    """A film turns a picture `face` into another one, `mask`, both lists of rows of grey values. It has `frames`
    pictures, at least three: the first is the face, the last the mask, and every pixel changes by the same amount from
    one picture to the next. Return the film as a list of pictures."""
    return np.linspace(face, mask, frames)


@task(usage="increasing is True")
def rising_powers(growth: Vector(Float(0.5, 3), (4, 9)), terms: Int(2, 6)):
    """For every factor g in `growth`, write the first `terms` members of the sequence 1, g, g times g, and so on in one
    row, starting with the 1. Return a list of rows."""
    return np.vander(growth, terms, increasing=True)
