"""Carpentry: boards, stairs, floors and timber yards."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Cube, Int, Vector


@task
def stair_marks(height: Int(40, 150), limit: Int(16, 21)):
    """A carpenter builds stairs up to a landing `height` centimetres high. All steps are equally high, none may be
    higher than `limit` centimetres, and there are as few steps as possible. Return the heights to mark on the wall in
    whole millimetres (the nearest one, halves to the even one), from the ground at 0 to the landing, both included, as
    a list."""
    steps = int(np.ceil(np.divide(height, limit)))
    return np.rint(np.linspace(0, height * 10, steps + 1))


@task(benches=(2, 8))
def boards_left_on_benches(piles: Vector(Int(10, 40), "benches"), pace: Vector(Int(2, 9), "benches"), days: Int(2, 9)):
    """Every bench starts with its number of boards in `piles` and planes its number in `pace` each day until the pile
    is gone. Return one row per bench with the boards left after day 1, after day 2, and so on up to day `days`; a pile
    never goes below 0."""
    daily = np.broadcast_to(np.expand_dims(pace, axis=1), (len(pace), days))
    left = np.subtract(np.expand_dims(piles, axis=1), np.cumsum(daily, axis=1))
    return np.maximum(left, 0)


@task(
    equivalent={
        "subtract: arguments 1 and 2 swapped": "only the sizes count, and rounding treats both signs alike",
        "np.rint(true / 10) * 10 - true: operands swapped": "only the size of the difference is used",
    }
)
def worst_labelled_planks(planks: Vector(Int(200, 999), (4, 20)), trim: Int(1, 9)):
    """Every one of the `planks` (lengths in whole millimetres) loses `trim` millimetres at the end. The shop's label
    then gives the remaining length to the nearest multiple of ten millimetres. Return a tuple: the largest difference
    between a label and the true length, too long or too short alike, and the ascending list of the positions, counted
    from 0, of the planks with this difference."""
    true = np.subtract(planks, trim)
    error = np.absolute(np.rint(true / 10) * 10 - true)
    return np.max(error), np.flatnonzero(error == np.max(error))


@task(
    equivalent={
        "count_nonzero -> sum": "the sum of True and False is the number of True",
        "count_nonzero -> nansum": "the sum of True and False is the number of True",
    }
)
def stacks_still_short(yards: Cube(Int(0, 20), (2, 4), (2, 4), (2, 4)), order: Int(5, 60)):
    """In `yards`, a list of timber yards, each yard is a list of stacks, and each stack a list with its number of beams
    of grade 0, grade 1 and so on. A buyer visits the stacks of the first yard, then those of the next, and so on,
    loading everything; at least `order` beams of every grade are wanted. Return after how many of the stacks there is
    still some grade of which the buyer has fewer."""
    by_stack = np.reshape(yards, (-1, len(yards[0][0])))
    loaded = np.cumsum(by_stack, axis=0)
    return np.count_nonzero(np.min(loaded, axis=1) < order)


@task(rooms=(3, 12))
def room_with_the_fewest_tiles(widths: Vector(Int(12, 60), "rooms"), lengths: Vector(Int(12, 60), "rooms")):
    """Each room is paved with square slabs, the largest that fill it exactly without cutting; slabs come in every whole
    number of decimetres. `widths` and `lengths` give the rooms in decimetres. Return a tuple: the room, counted from 0,
    that needs the fewest slabs (the first one if several tie), and how many slabs all rooms need together."""
    side = np.gcd(widths, lengths)
    slabs = np.multiply(widths, lengths) // side**2
    return np.argmin(slabs), np.sum(slabs)


@task(equivalent={"sum -> count_nonzero": "the marks that are added up are 0 and 1"})
def plank_with_most_longer_ones_before(planks: Vector(Int(10, 60), (4, 20))):
    """A joiner wants the `planks` on a long rack in ascending order of length, from left to right, but they are not.
    Return a tuple: the position, counted from 0, of the plank that has the most strictly longer ones somewhere to its
    left (the leftmost such plank if several tie), and the number of pairs of planks in the whole rack that stand in the
    wrong order (the longer one further left)."""
    longer = np.greater(planks, np.array(planks)[:, None]) * np.tri(len(planks))
    return np.argmax(np.sum(longer, axis=1)), np.sum(longer)
