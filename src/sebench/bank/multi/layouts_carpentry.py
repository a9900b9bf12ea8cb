"""Carpentry: boards, stairs, floors and timber yards."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Cube, Int, Vector


@task
def stair_marks(height: Int(40, 150), limit: Int(16, 21)):
    """A carpenter builds stairs up to a landing `height` centimetres high. All steps are equally high, none may be
    higher than `limit` centimetres, and there are as few steps as possible. Return the heights to mark on the wall,
    from the floor at 0 to the landing, both included, as a list."""
    steps = int(np.ceil(np.divide(height, limit)))
    return np.linspace(0, height, steps + 1)


@task(benches=(2, 4))
def boards_left_on_benches(piles: Vector(Int(10, 40), "benches"), pace: Vector(Int(2, 9), "benches"), days: Int(2, 6)):
    """Every bench starts with its number of boards in `piles` and planes its number in `pace` each day until the pile
    is gone. Return one row per bench with the boards left after day 1, after day 2, and so on up to day `days`; a pile
    never goes below 0."""
    daily = np.broadcast_to(np.expand_dims(pace, axis=1), (len(pace), days))
    left = np.subtract(np.expand_dims(piles, axis=1), np.cumsum(daily, axis=1))
    return np.maximum(left, 0)


@task(equivalent={"subtract: arguments 1 and 2 swapped": "only the sizes count, and rounding treats both signs alike"})
def largest_label_error(planks: Vector(Int(200, 999), (2, 6)), trim: Int(1, 9)):
    """Every one of the `planks` (lengths in whole millimetres) first loses `trim` millimetres at the end. The shop's
    label then gives its length to the nearest multiple of ten millimetres. Return the largest difference, up or down,
    between a label and the true length after trimming."""
    true = np.subtract(planks, trim)
    return np.max(np.absolute(np.round(true, decimals=-1) - true))


@task
def timber_by_grade(yards: Cube(Int(0, 20), (2, 3), (2, 3), (2, 3))):
    """In `yards`, a list of timber yards, each yard is a list of stacks, and each stack a list with its number of
    beams of grade 0, grade 1 and so on. A buyer visits all stacks of the first yard, then those of the next, and so
    on. Return one row per grade with the beams seen so far, after each stack of the tour."""
    grades = np.transpose(yards, (2, 0, 1))
    return np.cumsum(np.reshape(grades, (len(grades), -1)), axis=1)
