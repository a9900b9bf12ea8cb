"""Options, forms and edge rules of shapes, orders and borders that no training task shows."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Choice, Cube, Either, Float, Int, Matrix, Vector, Word


@task(usage="axis is a list", page="int or tuple of ints")
def unwrapped_passwords(passwords: Cube(Word(), 1, (1, 12), 1)):
    """A careless program wraps `passwords` twice: they come as a list that holds one list, which in turn holds a
    list with a single word for each password. Return them as a flat list of words; it is a list also if there is
    only one."""
    return np.squeeze(passwords, axis=(0, 2))


@task(usage="axis is a list", page="For several axes it is the product of their lengths")
def photos_per_row_of_beds(survey: Cube(Int(0, 9), (2, 6), (2, 5), (2, 7))):
    """A garden `survey` is a list of days; each day is a list of rows of beds and each row a list of plants, always of
    the same lengths. On every day each plant is photographed once. Every row of beds gets the same number of photos
    over the whole survey; return this number."""
    return np.size(survey, axis=(0, 2))


@task(usage="axis is a number")
def reel_without_blank_lines(reel: Matrix(Choice(0, 0, 0, 0, 1, 7), (5, 10), 3)):
    """A film `reel` is a list of rows with three numbers. Rows of nothing but zeros at the beginning and at the end of
    the reel are cut off; such rows between others stay, and each row stays as long as it is. Return the remaining rows
    as a list, which is empty if there are only zeros."""
    return np.trim_zeros(np.array(reel), axis=0)


@task(usage="mode is 'symmetric'")
def tapestry_with_mirrored_border(tapestry: Matrix(Int(1, 9), (2, 5), (4, 8)), width: Int(1, 4)):
    """A `tapestry` is a list of rows of colour numbers. To the left and to the right of every row `width` numbers (at
    most as many as the row has) are added that mirror the row at its edge, with the edge itself repeated: the first
    added number equals the outermost one, the second the one inside it, and so on. Above and below nothing is added.
    Return the wider rows as a list."""
    return np.pad(tapestry, ((0, 0), (width, width)), mode="symmetric")


@task(usage="mode is 'linear_ramp'")
def song_faded_in_and_out(song: Vector(Float(-5, 5), (4, 10)), lead: Int(1, 5), floor: Int(-3, 3)):
    """Sample values of a `song` get a run-up and a run-out of `lead` values each. The outermost added value is `floor`
    at both ends. From the front end the values go in equal steps to the first value of the song, and from its last
    value in equal steps to the other end. Return the longer list."""
    return np.pad(song, lead, mode="linear_ramp", end_values=floor)


@task(usage="a is empty", page="An input without elements gives zeros")
def wall_with_or_without_motif(motif: Vector(Int(1, 9), (0, 7)), rows: Int(2, 4)):
    """A wallpaper has `rows` rows of six numbers. The list `motif` is written into it from left to right, row after
    row, and starts again from its first number as often as needed; what does not fit is left out. With an empty motif
    the wallpaper is blank, zeros everywhere. Return the wallpaper as a list of rows."""
    return np.resize(motif, (rows, 6))


@task(usage="args is a number")
def layout_of_combined_tables(
    layout: Choice([3, 1], [4, 1], [2, 3, 1], [6, 2, 1], [5, 1], [1], [2, 1, 1], [7, 1]), width: Int(2, 9)
):
    """Nested lists of numbers are combined like this: lengths are compared from the innermost level outwards, a length
    of 1 is stretched to the other length, and a missing level counts as 1. One list has the lengths `layout`, from the
    outermost level to the innermost, which is always 1; the other is a flat list of `width` numbers. Return the lengths
    of the combined list as a tuple, outermost first."""
    return np.broadcast_shapes(tuple(layout), width)


@task(
    usage="axis1 is negative",
    page="Negative numbers count the axes from the end",
    equivalent={"swapaxes -> moveaxis": "moving a level past its only neighbour exchanges the two"},
)
def turned_tables(tables: Either(Matrix(Int(0, 99), (2, 5), (3, 6)), Cube(Int(0, 99), (2, 4), (2, 4), (3, 5)))):
    """`tables` is either one table, a list of rows, or a list of such tables. Turn every table so that its rows become
    columns and its columns become rows; the order of the tables stays. Return the result in the same nesting."""
    return np.swapaxes(tables, -1, -2)


@task(usage="axis is negative", page="Negative positions count from the end of the new shape")
def numbers_in_boxes(stock: Either(Vector(Int(0, 99), (4, 9)), Matrix(Int(0, 99), (2, 5), (3, 6)))):
    """`stock` is either a flat list of numbers or a list of rows of numbers. Put every single number into a box of its
    own, a list with just that number; the nesting around it stays. Return the result."""
    return np.expand_dims(stock, -1)


@task(usage="axis is negative", page="Negative numbers count the axes from the end")
def lines_read_backwards(text: Either(Vector(Int(0, 99), (4, 9)), Matrix(Int(0, 99), (2, 5), (3, 6)))):
    """A code is either a single line, a flat list of numbers, or a page, a list of lines of the same length. Each line
    of `text` is to be read backwards; the lines of a page stay in their order. Return the result in the same
    nesting."""
    return np.flip(text, axis=-1)


@task(usage="axes is a list", page="pair of ints")
def frames_turned_in_their_plane(film: Cube(Int(0, 9), (2, 4), (2, 5), (2, 5))):
    """A reel was threaded wrongly: every frame of `film` (a list of frames, each a list of rows of numbers) must be
    turned by a quarter turn counterclockwise within its own picture plane, so that the last column of a frame becomes
    its first row; the frames stay in sequence. Return the corrected film."""
    return np.rot90(film, axes=(1, 2))
