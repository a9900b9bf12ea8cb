"""Knitting charts, looms, quilts and yarn."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Cube, Int, Matrix, Vector


@task
def yarn_for_all_over_pattern(motif: Vector(Int(0, 4), (3, 7)), rows: Int(2, 5), stitches: Int(3, 6)):
    """A blanket of `rows` rows with `stitches` stitches each is knitted row after row, always reading on in the colour
    sequence `motif` and starting it again when it is used up; a new row simply carries on where the last one stopped.
    Return a list of five numbers: how many stitches there are in colour 0, 1, 2, 3 and 4."""
    blanket = np.resize(motif, (rows, stitches))
    return np.bincount(np.ravel(blanket), minlength=5)


@task
def colour_changes_along_yarn(chart: Matrix(Int(0, 2), (2, 5), (2, 5))):
    """Flat knitting goes back and forth: the first row of `chart` is worked from left to right, the second from right
    to left, the third from left to right again, and so on, in one long line of stitches. The numbers are colours.
    Return how many times the colour changes from one stitch to the next along that line."""
    worked = np.array(chart)
    worked[1::2] = np.fliplr(worked[1::2])
    return np.count_nonzero(np.diff(np.ravel(worked)))


@task(
    equivalent={
        "count_nonzero -> sum": "the sum of True and False is the number of True",
        "count_nonzero -> nansum": "the sum of True and False is the number of True",
        "equal -> isin": "there is only one colour to look for",
    }
)
def symmetric_sweater_front(half: Matrix(Int(0, 2), (2, 4), (2, 4)), colour: Int(0, 2)):
    """The designer drew only the left part of a sweater front: `half` has rows of colour numbers up to and including
    the middle column. To the right of the middle column the rest follows as in a mirror, the middle itself not
    repeated. Return for each row of the full front how many stitches have the given `colour`, as a list."""
    missing = np.size(half, axis=1) - 1
    front = np.pad(half, ((0, 0), (0, missing)), mode="reflect")
    return np.count_nonzero(np.equal(front, colour), axis=1)


@task(shafts=(2, 4), treadles=(2, 4))
def loom_drawdown(
    tie_up: Matrix(Int(0, 1), "shafts", "treadles"),
    threading: Vector(Int(0, "shafts-1"), (2, 5)),
    treadling: Vector(Int(0, "treadles-1"), (2, 4)),
):
    """`tie_up`[s][t] is 1 if treadle t lifts shaft s of a loom. Warp thread i hangs on shaft `threading`[i], and for
    weft row j the weaver presses treadle `treadling`[j]. Draw the cloth with one row per weft row and one column per
    warp thread, 1 where the thread is lifted; the last weft row stands at the top. Return the list of rows."""
    by_thread = np.take(np.take(tie_up, threading, axis=0), treadling, axis=1)
    return np.flipud(np.transpose(by_thread))


@task(stripes=(3, 4))
def dyes_in_tartan(dyes: Vector(Int(0, 31), "stripes"), widths: Vector(Int(1, 2), "stripes")):
    """A tartan has the same stripes lengthwise and crosswise: stripe k is `widths`[k] threads wide, and the binary
    digits of `dyes`[k] tell which dyes are in its threads. Where two threads cross, the spot shows every dye that at
    least one of them has. Return the dye numbers of all crossings as a square list of rows."""
    threads = np.repeat(dyes, widths)
    return np.bitwise_or(np.expand_dims(threads, axis=0), np.expand_dims(threads, axis=1))


@task(scarves=(2, 5), equivalent={"remainder -> fmod": "no number of stitches is negative"})
def leftover_stitches(widths: Vector(Int(15, 90), "scarves"), gauges: Vector(Int(14, 33), "scarves"), motif: Int(3, 8)):
    """Scarf by scarf, `widths` gives the width in whole centimetres and `gauges` how many stitches make ten centimetres.
    Work out the stitches each scarf needs, to the nearest whole number with halves going to the even one. Then see
    how many are left over when the row is filled with whole motifs of `motif` stitches. Return these remainders as a
    list."""
    stitches = np.rint(np.divide(np.multiply(widths, gauges), 10))
    return np.remainder(stitches, motif)


@task(
    equivalent={
        "squeeze -> sum": "along a level of length one the only element is the sum",
        "squeeze -> nansum": "along a level of length one the only element is the sum",
        "squeeze -> prod": "along a level of length one the only element is the product",
        "squeeze -> nanprod": "along a level of length one the only element is the product",
        "squeeze -> max": "along a level of length one the only element is the largest",
        "squeeze -> nanmax": "along a level of length one the only element is the largest",
        "squeeze -> min": "along a level of length one the only element is the smallest",
        "squeeze -> nanmin": "along a level of length one the only element is the smallest",
        "squeeze -> concatenate": "joining a single row gives this row",
    }
)
def hooks_that_move(card: Matrix(Int(0, 1), (5, 8), (1, 5))):
    """On a Jacquard `card` every column is a weft and every row a hook, at most eight of them; 1 means the hook is up.
    For every two successive columns, how many hooks move up or down? Return the list of these numbers; it is one
    shorter than there are columns."""
    wefts = np.squeeze(np.packbits(card, axis=0), axis=0)
    return np.bitwise_count(np.bitwise_xor(wefts[1:], wefts[:-1]))


@task
def socks_that_match(stripes: Vector(Int(1, 3), (4, 8)), offset: Int(1, 3)):
    """Two socks are knitted from the same yarn, whose colours repeat in the cycle `stripes`. The second sock lags
    behind: its round i has the colour that the first sock has `offset` rounds earlier, and the cycle closes on itself.
    Return the rounds of one cycle, counted from 0, in which both socks show the same colour, as a list."""
    return np.flatnonzero(np.equal(stripes, np.roll(stripes, offset)))


@task
def warp_tension_report(tension: Matrix(Int(100, 400), (2, 4), 3), slack: Int(2, 9)):
    """At three places the `tension` of every warp beam (one row per beam, in newtons) is measured, always `slack`
    newtons too high. Return the list of corrected averages of the beams, rounded to one decimal."""
    return np.round(np.mean(np.subtract(tension, slack), axis=1), decimals=1)


@task(side=(2, 3))
def turned_quilt_rows(patch: Matrix(Int(1, 9), "side", "side")):
    """A quilt consists of four copies of the square `patch` (rows of thread lengths): as it is at the top left, turned
    by 90 degrees clockwise at the top right, turned by 180 degrees at the bottom left, and turned by 90 degrees
    anticlockwise at the bottom right. Return the total thread length in each row of the whole quilt, as a list."""
    square = np.array(patch)
    quilt = np.block([[square, np.rot90(square, k=-1)], [np.rot90(square, k=2), np.rot90(square)]])
    return np.sum(quilt, axis=1)


@task(looms=(1, 4), colours=(2, 4))
def trial_swatches(tensions: Matrix(Int(1, 9), "looms", "colours"), dyes: Cube(Int(1, 9), (1, 3), 1, "colours")):
    """A mill weaves one swatch for every combination of dye book, loom and colour. `tensions` has a row per loom with one
    number per colour; `dyes` has an entry per dye book, each a list with a single row that is used on all looms, again
    one number per colour. Return how many swatches are woven."""
    return np.prod(np.broadcast_shapes(np.shape(tensions), np.shape(dyes)))
