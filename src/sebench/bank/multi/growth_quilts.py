"""Quilts, tilings and woven patterns."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Float, Int, Matrix, Vector


@task
def mountain_range_pattern(colours: Vector(Int(1, 9), (2, 6)), times: Int(1, 3), frame: Int(1, 9)):
    """A valley between two mountains, in vertical stripes: its left half has as many rows and columns as there are
    `colours`; row i, column j (both from 0) holds entry j of `colours` if j is at most i, and 0 otherwise. The right
    half is the mirror image of the left one, with its columns in reverse order. A quilt shows this picture `times`
    times side by side, and around everything runs a frame of colour `frame`, one patch wide. Return the quilt as a list
    of rows."""
    slope = np.multiply(np.tri(len(colours)), colours)
    valley = np.hstack([slope, np.fliplr(slope)])
    return np.pad(np.tile(valley, (1, times)), 1, constant_values=frame)


@task(side=(2, 4))
def medallions_down_the_quilt(
    medallion: Matrix(Int(1, 9), "side", "side"),
    copies: Int(2, 4),
    shift: Int(0, 2),
    ground: Int(1, 9),
    border: Int(1, 9),
):
    """A quilt has fields for `copies` rows of medallions, and `shift` more fields in a row than rows. Each row of
    fields has one medallion, always the same table `medallion` of fabric numbers: in row i (from 0) it is in field i +
    `shift`. Everything else is of fabric `ground`. A border one patch wide of fabric `border` is sewn around the quilt.
    Return it with its border as a list of rows."""
    centre = np.kron(np.eye(copies, copies + shift, k=shift), medallion)
    return np.pad(np.where(centre, centre, ground), 1, constant_values=border)


@task(rows=(1, 4))
def crossed_ribbons(upper: Matrix(Int(1, 9), "rows", 3), lower: Matrix(Int(1, 9), "rows", 3), border: Int(0, 9)):
    """Two ribbons cross on a cloth with as many rows and columns as a ribbon has colours. The colours of `upper`, a
    small table read row after row, run as single patches from the top left to the bottom right corner, and those of
    `lower`, read in the same way, from the top right to the bottom left. If they meet, only the upper ribbon is seen
    there. The rest of the cloth has colour 0, and a border of colour `border`, one patch wide, goes around it. Return
    the cloth with its border as a list of rows."""
    falling = np.diagflat(upper)
    cloth = np.where(falling, falling, np.fliplr(np.diagflat(lower)))
    return np.pad(cloth, 1, constant_values=border)


@task(patches=(2, 6))
def zigzag_on_plain_cloth(
    dark: Vector(Int(1, 9), "patches"), light: Vector(Int(1, 9), "patches"), times: Int(1, 3), plain: Int(0, 9)
):
    """A cloth is one row and one column larger than the number of colours in `dark` and in `light`. The colours of
    `dark` run down one place to the right of its main diagonal, those of `light` one place to the left of it, both from
    top to bottom; elsewhere the cloth has colour `plain`. A banner shows this cloth and below it the same cloth upside
    down (last row first), and that pair `times` times one below the other. Return the banner as a list of rows."""
    lines = np.diag(dark, k=1) + np.diag(light, k=-1)
    cloth = np.where(lines, lines, plain)
    return np.tile(np.vstack([cloth, np.flipud(cloth)]), (times, 1))


@task(equivalent={"expand_dims -> outer": "the outer product with the number 1 is the same column"})
def main_colour_of_log_cabin(colours: Vector(Int(1, 4), (2, 12))):
    """A log cabin block has the first of the `colours` as its single centre patch, a ring of patches of the second
    colour around it, then a ring of the third, and so on, each ring one patch wide, so that the block always has four
    sides of the same length. The same colour may come again. Which colour covers the most patches? Return a tuple: the
    colour number, the lowest one in a tie, and its count of patches."""
    distance = np.absolute(np.arange(1 - len(colours), len(colours)))
    block = np.take(colours, np.maximum(np.expand_dims(distance, 1), distance))
    numbers, patches = np.unique(block, return_counts=True)
    return numbers[np.argmax(patches)], patches[np.argmax(patches)]


@task(side=(2, 4))
def seams_of_a_pinwheel_row(patch: Matrix(Int(0, 3), "side", "side"), times: Int(1, 4)):
    """Of the table `patch`, which has as many rows as columns, keep only what lies on or above its main diagonal, and
    put 0 below it. Four such pieces make a pinwheel: the piece itself top left, top right the piece after a quarter
    turn clockwise, bottom right after half a turn, bottom left after a quarter turn counterclockwise. A strip has
    `times` pinwheels side by side. A seam is visible between two neighbours in a row that have different numbers.
    Return the number of visible seams in each row of the strip, from top to bottom, as a list."""
    blade = np.triu(patch)
    pinwheel = np.block([[blade, np.rot90(blade, k=3)], [np.rot90(blade), np.rot90(blade, k=2)]])
    return np.count_nonzero(np.diff(np.tile(pinwheel, times)), axis=1)


@task(sizes=(2, 10))
def recut_patches(sides: Vector(Float(2, 15), "sizes"), counts: Vector(Int(1, 20), "sizes")):
    """My scrap box holds patches with four sides of the same length and right angles: `counts` says how many there are
    of each of the lengths in `sides`. If they were recut without waste into as many patches that are all alike, each
    would have the mean area of the present ones. By how much would the side of such a patch be longer than the middle
    one of the present sides, one for each patch, in order of length (midway between the two middle ones if their number
    is even)? Return a number, negative if it would be shorter."""
    side = np.sqrt(np.average(np.square(sides), weights=counts))
    return side - np.median(np.repeat(sides, counts))


@task(rows=(2, 6), cols=(2, 7))
def fabric_list_with_sashing(quilt: Matrix(Int(1, 6), "rows", "cols"), strip: Int(1, 8)):
    """A `quilt` is given as rows of fabric numbers, one for each patch. A strip of fabric `strip`, one patch wide, is
    sewn in between each two neighbouring columns, and another one around the whole quilt as a border. Return the
    patches of each fabric that are needed in total, as a list of [fabric, count] rows, from the highest count to the
    lowest, in a tie the lower fabric number first."""
    widened = np.insert(quilt, np.arange(1, np.size(quilt, axis=1)), strip, axis=1)
    fabrics, counts = np.unique(np.pad(widened, 1, constant_values=strip), return_counts=True)
    order = np.argsort(-counts, stable=True)
    return np.column_stack([fabrics[order], counts[order]])


@task(rows=(2, 4), cols=(2, 5))
def butterflies_on_a_scarf(
    wing: Matrix(Int(1, 9), "rows", "cols"), gap: Int(1, 4), thread: Int(0, 9), thick: Int(1, 3), count: Int(1, 3)
):
    """The left `wing` of a butterfly is given as rows of colours. After it come `gap` columns of colour `thread` for
    the body, then the right wing, a mirror image of the left one with its columns in reverse order. On a scarf every
    row of this pattern is woven `thick` times in a row, `count` such butterflies come one below the other, and a seam
    of colour `thread`, one patch wide, runs around everything. Return the scarf as a list of rows."""
    body = np.full((len(wing), gap), thread)
    butterfly = np.repeat(np.hstack([wing, body, np.fliplr(wing)]), thick, axis=0)
    return np.pad(np.tile(butterfly, (count, 1)), 1, constant_values=thread)


@task(
    n=(2, 9), equivalent={"broadcast_to -> resize": "a table filled up with repeats of a row has this row everywhere"}
)
def stepped_hem(colours: Vector(Int(1, 5), "n"), hem: Int(2, 4), turn: Int(1, 8)):
    """A skirt has n rows of the same n `colours`, cut off on a staircase: row i (from 0) shows its first i + 1 colours
    and then 0. Below comes a row with n times 0, and then `hem` rows, all alike, that show the whole list of colours
    moved to the right by `turn` places, with what leaves on the right coming in on the left. Return the skirt with its
    hem as a list of rows."""
    n = len(colours)
    stairs = np.multiply(np.tri(n), colours)
    return np.vstack([stairs, np.zeros(n), np.broadcast_to(np.roll(colours, turn), (hem, n))])


@task(
    rows=(2, 5),
    cols=(2, 6),
    equivalent={"expand_dims -> outer": "the outer product with the number 1 is the same column"},
)
def woven_weft_and_warp(warp: Vector(Int(1, 5), "cols"), weft: Vector(Int(1, 5), "rows"), thread: Int(1, 3)):
    """On a loom, `warp` has the colour of each thread that runs from top to bottom, from left to right, and `weft` that
    of each thread that runs from left to right, from top to bottom. At a crossing with row number plus column number
    (both from 0) even, the warp is seen, otherwise the weft. Threads are `thread` patches thick, so every crossing is
    seen as `thread` rows of `thread` patches. Return the cloth as a list of rows of colours."""
    down, across = np.indices((len(weft), len(warp)))
    seen = np.where((down + across) % 2, np.expand_dims(weft, 1), warp)
    return np.kron(seen, np.ones((thread, thread)))
