"""Quilts, tilings and woven patterns."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Float, Int, Matrix, Vector


@task
def mountain_range_pattern(colours: Vector(Int(1, 9), (2, 5))):
    """A quilt shows a valley between two mountains, in vertical stripes. Its left half has as many rows and columns as
    there are `colours`; row i, column j (both from 0) holds entry j of `colours` if j is at most i, and 0 otherwise.
    The right half is the mirror image of the left half, with its columns in reverse order. Return both halves side by
    side as a list of rows."""
    slope = np.multiply(np.tri(len(colours)), colours)
    return np.hstack([slope, np.fliplr(slope)])


@task(side=(2, 3))
def medallions_down_the_quilt(medallion: Matrix(Int(1, 9), "side", "side"), copies: Int(2, 3), border: Int(1, 9)):
    """Copies of a square `medallion` of fabric numbers, `copies` in all, run from the top left to the bottom right
    corner of a quilt, corner to corner; elsewhere the quilt is plain (0). A border one patch wide with fabric number
    `border` is sewn around everything. Return the quilt as a list of rows."""
    centre = np.kron(np.identity(copies), medallion)
    return np.pad(centre, 1, constant_values=border)


@task(rows=(1, 3))
def crossed_ribbons(ribbon: Matrix(Int(1, 9), "rows", 3)):
    """The colours in the small table `ribbon`, read row after row, go along the main diagonal of a square cloth with as
    many rows and columns as there are colours; all else is 0. A second cloth is the same with left and right exchanged.
    Lay them on top of each other and return, as a list of rows, both numbers summed up at each place."""
    cloth = np.diagflat(ribbon)
    return np.add(cloth, np.fliplr(cloth))


@task
def zigzag_stripes(rows: Int(2, 4), width: Int(3, 6), dark: Int(1, 9), light: Int(1, 9)):
    """On a cloth of `rows` rows and `width` columns, the number `dark` fills a stripe one place to the right of the
    main diagonal and the number `light` a stripe one place to the left of it; all other places are 0. Below the cloth
    comes the same cloth upside down (last row first). Return the whole zigzag as a list of rows."""
    cloth = dark * np.eye(rows, width, k=1) + light * np.eye(rows, width, k=-1)
    return np.vstack([cloth, np.flipud(cloth)])


@task(equivalent={"expand_dims -> outer": "the outer product with the number 1 is the same column"})
def log_cabin_rings(colours: Vector(Int(1, 9), (2, 5))):
    """A log cabin block has the first of the `colours` as its single centre patch, a square ring of the second colour
    around it, then a ring of the third, and so on, each one patch wide. So the ring number of a patch is the larger of
    its distances from the centre in rows and in columns. Return the colours of all patches as a list of rows."""
    distance = np.absolute(np.arange(1 - len(colours), len(colours)))
    return np.take(colours, np.maximum(np.expand_dims(distance, 1), distance))


@task(side=(2, 3))
def pinwheel_block(patch: Matrix(Int(1, 9), "side", "side")):
    """Of the square `patch`, keep only what lies on or above its main diagonal, and put 0 below it. Four such pieces
    make a pinwheel: the piece itself top left, top right the piece after a quarter turn clockwise, bottom right after
    half a turn, bottom left after a quarter turn counterclockwise. Return the block as a list of rows."""
    blade = np.triu(patch)
    return np.block([[blade, np.rot90(blade, k=3)], [np.rot90(blade), np.rot90(blade, k=2)]])


@task(sizes=(2, 5))
def equal_patch_side(sides: Vector(Float(2, 15), "sizes"), counts: Vector(Int(1, 20), "sizes")):
    """My scrap box holds square patches: `counts` says how many there are of each of the lengths in `sides`. If all
    were recut into the same number of patches of one size without waste, each would have the mean area of the present
    patches. Return the side length of such a patch as a number."""
    return np.sqrt(np.average(np.square(sides), weights=counts))


@task(rows=(2, 4), cols=(2, 4))
def sashing_between_columns(quilt: Matrix(Int(1, 30), "rows", "cols"), strip: Int(40, 60)):
    """A `quilt` is given as rows of fabric numbers, one for each patch. Between any two neighbouring columns goes a
    vertical strip of fabric number `strip`, one patch wide; none at the outer edges. Return the widened quilt as a list
    of rows."""
    gaps = np.arange(1, np.size(quilt, axis=1))
    return np.insert(quilt, gaps, strip, axis=1)


@task(rows=(2, 4), cols=(2, 4))
def butterfly_cloth(wing: Matrix(Int(1, 9), "rows", "cols"), gap: Int(1, 4)):
    """A weaver lays out the left `wing` of a butterfly, then `gap` empty columns (0) for the body, then the right wing,
    a mirror image of the left one with its columns in reverse order. Return the cloth as a list of rows."""
    body = np.zeros((len(wing), gap))
    return np.hstack([wing, body, np.fliplr(wing)])
