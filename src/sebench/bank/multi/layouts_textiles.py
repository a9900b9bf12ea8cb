"""Knitting charts, looms, quilts and yarn."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Choice, Cube, Int, Matrix, Vector

TRUTHS = {
    "count_nonzero -> sum": "the sum of True and False is the number of True",
    "count_nonzero -> nansum": "the sum of True and False is the number of True",
}


@task
def balls_for_all_over_pattern(
    motif: Vector(Int(0, 4), (3, 12)), rows: Int(2, 9), stitches: Int(3, 15), ball: Int(3, 12)
):
    """A blanket of `rows` rows with `stitches` stitches each is knitted row after row, always reading on in the colour
    sequence `motif` and starting it again when it is used up; a new row simply carries on where the last one stopped.
    One ball of yarn is enough for `ball` stitches. Return a list of five numbers: how many balls to buy of colour 0, 1,
    2, 3 and 4."""
    blanket = np.resize(motif, (rows, stitches))
    return np.ceil(np.bincount(np.ravel(blanket), minlength=5) / ball)


@task(
    equivalent={
        "flatnonzero -> where": "it gives the positions as the only part of a tuple, and only their steps count",
        "flatnonzero -> nonzero": "it gives the positions as the only part of a tuple, and only their steps count",
        "diff: append=-1 -> -2": "no colour has a number below zero, so either marks the end of the line",
    }
)
def longest_stretch_of_one_colour(chart: Matrix(Int(0, 2), (2, 8), (2, 8))):
    """Flat knitting goes back and forth: the first row of `chart` is worked from left to right, the second from right
    to left, the third from left to right again, and so on, in one long line of stitches. The numbers are colours.
    Return how many stitches there are in the longest stretch of this line that is worked without a change of colour."""
    backwards = np.arange(len(chart))[:, None] % 2
    line = np.ravel(np.where(backwards, np.fliplr(chart), chart))
    ends = np.flatnonzero(np.diff(line, append=-1))
    return np.max(np.diff(ends, prepend=-1))


@task(equivalent=TRUTHS)
def columns_richest_in_a_colour(half: Matrix(Int(0, 2), (3, 8), (2, 7)), colour: Int(0, 2)):
    """The designer drew only the left part of a sweater front: `half` has rows of colour numbers up to and including
    the middle column. To the right of the middle column the rest follows as in a mirror, the middle itself not
    repeated. Return a tuple: the largest number of stitches in the given `colour` in a column of the whole front, and
    the ascending list of the columns, counted from 0, that have so many."""
    front = np.pad(half, ((0, 0), (0, len(half[0]) - 1)), mode="reflect")
    stitches = np.count_nonzero(front == colour, axis=0)
    return np.max(stitches), np.flatnonzero(stitches == np.max(stitches))


@task(
    shafts=(2, 4),
    treadles=(2, 4),
    equivalent={
        "all -> min": "the least of zeros and ones is 1 just if all of them are",
        "all -> nanmin": "the least of zeros and ones is 1 just if all of them are",
        "all -> prod": "the product of zeros and ones is 1 just if all of them are",
        "all -> nanprod": "the product of zeros and ones is 1 just if all of them are",
    },
)
def threads_that_do_not_hold(
    tie_up: Matrix(Int(0, 1), "shafts", "treadles"),
    threading: Vector(Int(0, "shafts-1"), (4, 16)),
    treadling: Vector(Int(0, "treadles-1"), (2, 4)),
):
    """`tie_up`[s][t] is 1 if treadle t lifts shaft s of a loom. Warp thread i hangs on shaft `threading`[i], and for
    weft row j the weaver presses treadle `treadling`[j], which lifts the threads on the shafts tied to it. A warp
    thread that is lifted in no weft row, or in every one of them, is not held by the cloth. Return the numbers i of
    these threads, as an ascending list."""
    lifted = np.array(tie_up)[np.ix_(threading, treadling)]
    return np.flatnonzero(np.all(lifted, axis=1) | ~np.any(lifted, axis=1))


@task(stripes=(3, 7))
def dyes_at_tartan_crossings(dyes: Vector(Int(0, 31), "stripes"), widths: Vector(Int(1, 4), "stripes")):
    """A tartan has the same stripes lengthwise and crosswise: stripe k is `widths`[k] threads wide, and the five binary
    digits of `dyes`[k] tell which of five dyes are in its threads. Every lengthwise thread crosses every crosswise one,
    and the crossing shows each dye that at least one of them has. Return a list of six numbers: how many crossings show
    0, 1, 2, 3, 4 and 5 dyes."""
    threads = np.repeat(dyes, widths)
    shown = np.bitwise_count(np.bitwise_or(threads, threads[:, None]))
    return np.bincount(np.ravel(shown), minlength=6)


@task(scarves=(4, 16), equivalent={"remainder -> fmod": "no number of stitches is negative"})
def scarf_with_most_stitches_over(
    widths: Vector(Int(15, 90), "scarves"), gauges: Vector(Int(14, 33), "scarves"), motif: Int(3, 12)
):
    """Scarf by scarf, `widths` gives the width in whole centimetres and `gauges` how many stitches make ten
    centimetres; the stitches of a scarf are the nearest whole number, halves going to the even one. Its row is filled
    with as many whole motifs of `motif` stitches as fit. Return a tuple: the first scarf, counted from 0, that has the
    most stitches left over, and how many are left over on all scarves together."""
    stitches = np.rint(np.multiply(widths, gauges) / 10)
    over = np.remainder(stitches, motif)
    return np.argmax(over), np.sum(over)


@task(
    without=("large",),  # there are at most eight hooks
    equivalent={
        "squeeze -> concatenate": "joining a single row gives this row",
        "squeeze -> hstack": "joining a single row gives this row",
        "packbits: bitorder='little' added": "only the number of digits that change counts, not their places",
    },
)
def busiest_change_of_hooks(card: Matrix(Int(0, 1), (5, 8), (2, 14))):
    """On a Jacquard `card` every column is a weft and every row a hook, at most eight of them; 1 means the hook is
    up. Between two successive columns some hooks move up or down. Return a tuple: the first column, counted from 0,
    after which the most hooks move, and the list of the numbers of moving hooks, from the first pair of columns to
    the last."""
    wefts = np.squeeze(np.packbits(card, axis=0))
    moves = np.bitwise_count(np.bitwise_xor(wefts[1:], wefts[:-1]))
    return np.argmax(moves), moves


@task
def socks_that_match(stripes: Vector(Int(1, 4), (4, 24)), offset: Int(1, 3)):
    """Two socks are knitted from the same yarn, whose colours 1 to 4 come again and again in the cycle `stripes`. The
    second sock lags behind: its round i has the colour that the first sock has `offset` rounds earlier, and the cycle
    closes on itself. Return a tuple of two: the list of the rounds of one cycle, counted from 0, in which both socks
    show the same colour; a list of five numbers, in how many of these rounds they both show colour 0 (which is never),
    1, 2, 3 and 4."""
    same = np.equal(stripes, np.roll(stripes, offset))
    return np.flatnonzero(same), np.bincount(np.compress(same, stripes), minlength=5)


@task(equivalent={"beams - np.median(beams): operands swapped": "only the size of the difference is used"})
def warp_beams_to_adjust(tension: Matrix(Int(100, 130), (3, 9), 4), limit: Choice(2, 3, 5, 7.5)):
    """At four places the `tension` of every warp beam (one row per beam, in newtons) is measured; their average is the
    tension of the beam. The usual tension is the one in the middle when the beams are put in order, or half-way between
    the two in the middle. Return the beams, counted from 0, whose tension is more than `limit` newtons away from the
    usual one, above or below, as an ascending list."""
    beams = np.mean(tension, axis=1)
    return np.flatnonzero(np.absolute(beams - np.median(beams)) > limit)


@task(side=(2, 6))
def heaviest_row_of_turned_quilt(patch: Matrix(Int(1, 9), "side", "side")):
    """A quilt consists of four copies of the square `patch` (rows of thread lengths): as it is at the top left, turned
    by 90 degrees clockwise at the top right, turned by 180 degrees at the bottom left, and turned by 90 degrees
    anticlockwise at the bottom right. Return a tuple: the row of the whole quilt, counted from 0, with the most thread
    (the uppermost if several tie), and how much more thread that row has than the row with the least."""
    square = np.array(patch)
    quilt = np.block([[square, np.rot90(square, k=-1)], [np.rot90(square, k=2), np.rot90(square)]])
    thread = np.sum(quilt, axis=1)
    return np.argmax(thread), np.ptp(thread)


@task(looms=(1, 6), colours=(2, 8))
def days_for_trial_swatches(
    tensions: Matrix(Int(1, 9), "looms", "colours"), dyes: Cube(Int(1, 9), (1, 6), 1, "colours"), daily: Int(4, 20)
):
    """A mill weaves one swatch for every combination of dye book, loom and colour. `tensions` has a row per loom with
    one number per colour; `dyes` has an entry per dye book, each a list with a single row that is used on all looms,
    again one number per colour. The mill weaves at most `daily` swatches a day. Return how many days it needs."""
    swatches = np.prod(np.broadcast_shapes(np.shape(tensions), np.shape(dyes)))
    return np.ceil(swatches / daily)


@task(equivalent=TRUTHS)
def stitches_off_the_ground(chart: Matrix(Int(0, 3), (2, 8), (3, 10))):
    """The ground colour of a knitting `chart`, given as rows of colour numbers, is the colour with the most stitches
    (the lowest number if several tie); every other stitch belongs to the motif. Return a tuple: a plain chart with as
    many rows and columns that has the ground colour everywhere, as a list of rows, and the number of motif stitches in
    each row of the given chart, as a list."""
    ground = np.argmax(np.bincount(np.ravel(chart)))
    plain = np.full_like(chart, ground)
    return plain, np.count_nonzero(plain != chart, axis=1)
