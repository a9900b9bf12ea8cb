"""Pixel images, LED boards and sprites."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Choice, Cube, Int, Matrix, Vector


@task
def upside_down_led_bytes(lamps: Matrix(Int(0, 1), (1, 4), (4, 7))):
    """An LED sign was screwed to the ceiling the wrong way round, so its picture `lamps` (rows of 0 and 1, fewer than
    eight per row) must first be given a half turn. Afterwards each row fills one byte from the 128 bit downwards,
    unused low bits being 0. Return the bytes as one flat list, top row first."""
    turned = np.rot90(lamps, k=2)
    return np.ravel(np.packbits(turned, axis=1))


@task
def quarter_size_preview(image: Matrix(Int(0, 99), 4, 4)):
    """The preview of `image`, four rows of four brightness values, has a quarter of the pixels: the picture is cut
    into squares of two by two pixels and each square is replaced by its average, rounded to the nearest whole number
    (halves to the even one). Return the preview as a list of rows."""
    squares = np.reshape(image, (2, 2, -1, 2))
    return np.rint(np.mean(squares, axis=(1, 3)))


@task
def mirror_mismatch_bits(sprite: Matrix(Int(0, 15), (2, 4), (3, 5))):
    """Each pixel of `sprite`, given in rows, is a number whose four binary digits switch four inks. Compare the sprite
    with its own mirror image, left and right exchanged, pixel by pixel. Return how many binary digits differ in all,
    over the whole picture."""
    differing = np.bitwise_xor(sprite, np.fliplr(sprite))
    return np.sum(np.bitwise_count(differing))


@task(equivalent={"clip: arguments 1 and 2 swapped": "the larger of the value and the lower limit is taken either way"})
def sharpened_led_strip(strip: Vector(Int(0, 99), (3, 7)), kernel: Vector(Choice(-0.5, 0.25, 0.5, 1.0), 3)):
    """Every lamp of an LED `strip` gets the new value a * left neighbour + b * itself + c * right neighbour, where
    `kernel` holds a, b and c. Beyond either end the outermost lamp counts as its own neighbour. Values under 0 become
    0 and those over 99 become 99. Return the new strip as a list."""
    longer = np.pad(strip, 1, mode="edge")
    return np.clip(np.correlate(longer, kernel), 0, 99)


@task
def flicker_of_each_lamp(frames: Cube(Int(0, 50), (3, 4), (2, 3), (2, 3))):
    """`frames` is a short film for a wall of lamps: a list of pictures, each a list of rows of brightness values.
    Return nested lists in which entry [r][c] belongs to the lamp in row r and column c: the list of its brightness
    changes from each picture to the next, as sizes that are never negative."""
    by_lamp = np.moveaxis(frames, 0, -1)
    return np.absolute(np.diff(by_lamp))


@task(
    rows=(2, 3),
    cols=(2, 3),
    equivalent={
        "dstack -> transpose": "it gives the same pixels column by column, and they are put in order afterwards"
    },
)
def palette_of_picture(
    red: Matrix(Choice(0, 128, 255), "rows", "cols"),
    green: Matrix(Choice(0, 255), "rows", "cols"),
    blue: Matrix(Choice(0, 255), "rows", "cols"),
):
    """Three tables of the same size, `red`, `green` and `blue`, hold the colour channels of one picture. Collect the
    different colours that occur in it, each as [red, green, blue]. Return them as a list of rows in ascending order:
    by red, then green, then blue."""
    pixels = np.reshape(np.dstack((red, green, blue)), (-1, 3))
    return np.unique(pixels, axis=0)


@task
def bitmap_file_bytes(scan: Matrix(Int(0, 9), (2, 4), (3, 6)), threshold: Int(2, 7)):
    """A black-and-white file is made from the brightness rows of `scan`: a pixel is 1 if it is brighter than
    `threshold` and otherwise 0. The file starts with the bottom row and goes upwards. Every row becomes one byte, its
    first pixel being the lowest bit (worth 1) and unused high bits 0. Return a list of rows that hold one byte
    each."""
    upwards = np.flipud(np.greater(scan, threshold))
    return np.packbits(upwards, axis=1, bitorder="little")


@task(equivalent={"sum -> count_nonzero": "every dot is 0 or 1"})
def ink_per_font_column(letter: Vector(Int(0, 255), (2, 5))):
    """A printer font stores a `letter` as bytes from 0 to 255, one per line, and the eight binary digits of a byte are
    the dots of the line, the highest digit at the left. Return a list of eight numbers: how many dots are inked in
    each column, from left to right."""
    dots = np.unpackbits(np.array(letter, dtype=np.uint8))
    return np.sum(np.reshape(dots, (-1, 8)), axis=0)


@task
def shining_stretch(levels: Vector(Int(0, 24), (6, 10))):
    """A cheap controller drops the four lowest binary digits of every brightness in `levels`, so weak lamps go dark.
    Return how many lamps the stretch has that begins with the first lamp still shining and ends with the last one,
    both included; 0 if all of them are dark."""
    shown = np.right_shift(levels, 4)
    return np.size(np.trim_zeros(shown))


@task(
    rows=(3, 4),
    cols=(3, 4),
    equivalent={"subtract: arguments 1 and 2 swapped": "only the size of the difference is used"},
)
def motion_box(
    before: Matrix(Choice(5, 5, 6, 6, 6), "rows", "cols"),
    after: Matrix(Choice(2, 5, 5, 5, 5, 6, 6, 6, 6, 9), "rows", "cols"),
    noise: Int(2, 3),
):
    """A camera compares two pictures, `before` and `after`, given as rows. A pixel has moved if its brightness went up
    or down by more than `noise`. Return the height and the width of the smallest upright rectangle that holds all
    moved pixels, as a tuple (height, width), which is (0, 0) if nothing moved."""
    change = np.absolute(np.subtract(after, before))
    return np.shape(np.trim_zeros(np.greater(change, noise)))


@task
def framed_negative(photo: Matrix(Int(0, 99), (1, 2), (2, 3)), zoom: Int(2, 3), frame: Int(1, 99)):
    """Make a poster of `photo` (rows of grey values from 0 to 99). First turn every value g into 99 - g. Then blow
    each pixel up to a square of `zoom` by `zoom` equal pixels. Last, put a border that is one pixel thick and has the
    value `frame` on all four sides. Return the rows of the poster."""
    tall = np.repeat(np.subtract(99, photo), zoom, axis=0)
    return np.pad(np.repeat(tall, zoom, axis=1), 1, constant_values=frame)


@task(
    pixels=(2, 5),
    equivalent={
        "bitwise_or -> bitwise_xor": "the three fields occupy different binary digits",
        "bitwise_or -> add": "the three fields occupy different binary digits",
        "bitwise_or -> polyadd": "the three fields occupy different binary digits",
    },
)
def sixteen_bit_colours(
    red: Vector(Int(0, 255), "pixels"), green: Vector(Int(0, 255), "pixels"), blue: Vector(Int(0, 255), "pixels")
):
    """A small display wants one 16-bit number per pixel. Of `red` only the five highest of the eight bits are used, of
    `green` the six highest, of `blue` the five highest. They stand side by side in that order, with red in the five
    highest bits and blue in the five lowest. Return the numbers as a list."""
    top = np.left_shift(np.right_shift(red, 3), 11)
    middle = np.left_shift(np.right_shift(green, 2), 5)
    return np.bitwise_or(np.bitwise_or(top, middle), np.right_shift(blue, 3))


@task
def tinted_photo(grey: Matrix(Int(0, 99), (2, 3), (2, 4)), tint: Vector(Choice(0.0, 0.25, 0.5, 0.75, 1.0), 3)):
    """To colour an old photo, every value of `grey` (a list of rows) becomes a pixel [r, g, b]: the grey
    value times each of the three factors in `tint`, rounded to the nearest whole number, halves to the even one.
    Return rows of such pixels."""
    return np.rint(np.multiply(np.atleast_3d(grey), tint))
