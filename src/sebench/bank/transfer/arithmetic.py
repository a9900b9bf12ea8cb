"""Options and edge rules of arithmetic and of bits that no training task shows."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Bool, Int, Matrix, Missing, Vector


@task(usage="a_min is None")
def refunds_capped(claims: Matrix(Int(-40, 90), (3, 6), (4, 8)), cap: Int(20, 60)):
    """`claims` has a row per insured person with amounts claimed; negative amounts are corrections. No single refund
    may exceed `cap`, so larger claims are cut down to it, while there is no limit downwards. Return the refunds as a
    list of rows."""
    return np.clip(claims, None, cap)


@task(usage="nan is a list", page="number or array or nested list", cols=(3, 7))
def forms_filled_with_defaults(forms: Matrix(Missing(Int(0, 60)), (3, 7), "cols"), defaults: Vector(Int(0, 9), "cols")):
    """Every row of `forms` is a form, every column a question, and nan is an answer left out. For question j it is to
    be replaced by `defaults`[j]. Return the completed forms as a list of rows."""
    return np.nan_to_num(forms, nan=defaults)


@task(usage="x1 holds negative numbers", page="Signs do not matter: the result is never negative", n=(8, 16))
def common_measure_of_moves(right: Vector(Int(-60, 60), "n"), up: Vector(Int(-60, 60), "n")):
    """Robot i moves by `right`[i] and `up`[i], negative numbers meaning left and down. Its grid should be as coarse as
    possible: return for each robot the largest whole number that divides both moves without remainder, never negative.
    If one move is 0 it is the size of the other, and 0 if both are 0."""
    return np.gcd(right, up)


@task(usage="x1 holds negative numbers", page="Signs do not matter: the result is never negative")
def beats_until_together(drifts: Matrix(Int(-12, 12), (3, 6), (3, 7)), beat: Int(2, 12)):
    """Rows of `drifts` hold whole numbers, negative ones for drums that run backwards. A drum is in step with the
    leader, who has `beat`, again after the smallest positive number that both numbers divide, whatever their signs; a
    drum with 0 never moves and gets 0. Return the answers as a list of rows."""
    return np.lcm(drifts, beat)


@task(usage="count is negative", page="A negative number means to trim off that many bits from the end")
def switches_without_spares(rack: Vector(Int(0, 255), (2, 4)), spare: Int(1, 7)):
    """The switches of a `rack` are stored in bytes (0 to 255), eight in each from the highest bit down. The last
    `spare` bits of the last byte belong to no switch. Return the switches as one flat list of 1 and 0 without these
    bits."""
    return np.unpackbits(np.uint8([*rack]), count=-spare)


@task(usage="x1 holds negative numbers", page="Negative integers count in two's complement")
def low_bits_of_offsets(offsets: Vector(Int(-300, 300), (8, 16)), mask: Int(1, 255)):
    """A processor stores `offsets`, whole numbers of either sign, in two's complement, so that -1 has every bit set.
    Each of them is combined with the number `mask`: a bit of the result is 1 if it is 1 in both. Return the resulting
    whole numbers as a list."""
    return np.bitwise_and(offsets, mask)


@task(
    usage="x holds truth values",
    page="for bools it is the logical NOT",
    equivalent={"invert -> logical_not": "of truth values both turn True and False round"},
)
def doors_swapped(open_doors: Matrix(Bool(), (3, 7), (4, 9))):
    """A switch opens every closed door of a prison and closes every open one. `open_doors` has True for a door that is
    open before that and False for a closed one. Return the same table, a list of rows, for the doors after that."""
    return np.invert(open_doors)


@task(usage="bitorder is 'little'")
def relay_bytes(relays: Vector(Bool(), (6, 30))):
    """`relays` holds the states of the relays in a cupboard, True meaning 1. Collect them eight by eight into bytes:
    the first state of every eight is worth 1, the second 2, the third 4 and so on, and missing ones count as 0. Return
    the list of bytes."""
    return np.packbits(relays, bitorder="little")


@task(usage="padding is a number")
def octal_ticket(ticket: Int(1, 5000), extra: Int(1, 4)):
    """Cloakroom tickets carry their number `ticket` in base eight, and to make forging harder there are always `extra`
    additional zeros in front, however long the number is. Return the text on the ticket."""
    return np.base_repr(ticket, base=8, padding=extra)
