"""Pixel images, LED boards and sprites."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Choice, Cube, Int, Matrix, Vector

TRUTHS = {
    "count_nonzero -> sum": "the sum of True and False is the number of True",
    "count_nonzero -> nansum": "the sum of True and False is the number of True",
}


@task(without=("large",))  # a longer row does not fit into a byte
def commonest_led_byte(lamps: Matrix(Int(0, 1), (3, 12), (2, 4))):
    """An LED sign hangs upside down, so that its driver sends its picture `lamps` (rows of 0 and 1, fewer than eight
    per row) after half a turn. Each row then fills one byte from the digit worth 128 downwards, unused low digits being
    0. Return the byte that is sent most often (the lowest one if several tie)."""
    values, times = np.unique(np.packbits(np.rot90(lamps, k=2), axis=1), return_counts=True)
    return values[np.argmax(times)]


@task
def brightest_preview_pixels(image: Matrix(Int(0, 20), 6, 8)):
    """The preview of `image`, six rows of eight brightness values, has one pixel for each square of two by two pixels,
    side by side without overlap: their average, rounded to the nearest whole number (halves to the even one). Return
    the places [row, column] of the brightest pixels of the preview, counted from 0 and in reading order, as a list of
    rows."""
    preview = np.rint(np.mean(np.reshape(image, (3, 2, -1, 2)), axis=(1, 3)))
    return np.argwhere(preview == np.max(preview))


@task
def least_symmetric_sprite_row(sprite: Matrix(Int(0, 15), (2, 8), (3, 9))):
    """Each pixel of `sprite`, given in rows, is a number whose four binary digits switch four inks. The faults of a row
    are the binary digits, pixel by pixel, that change when left and right are exchanged. Return a tuple: the row with
    the most faults, counted from 0 (the uppermost if several tie), and the list of the faults of each row."""
    faults = np.sum(np.bitwise_count(np.bitwise_xor(sprite, np.fliplr(sprite))), axis=1)
    return np.argmax(faults), faults


@task(
    equivalent={
        "clip: arguments 1 and 2 swapped": "the larger of the value and the lower limit is taken either way",
        "pad: mode='edge' -> 'symmetric'": "one value beyond the end is the outermost one in both",
    }
)
def sharpened_led_strip(strip: Vector(Int(0, 99), (3, 20)), kernel: Vector(Choice(-0.5, 0.25, 0.5, 1.0), 3)):
    """Every lamp of an LED `strip` gets the new value a * left neighbour + b * itself + c * right neighbour, where
    `kernel` holds a, b and c. Beyond either end the outermost lamp counts as its own neighbour. Values under 0 become
    0 and those over 99 become 99. Return the new strip as a list."""
    longer = np.pad(strip, 1, mode="edge")
    return np.clip(np.correlate(longer, kernel), 0, 99)


@task
def wear_of_each_lamp(frames: Cube(Int(0, 50), (2, 7), (2, 4), (2, 5)), limit: Int(20, 90)):
    """`frames` is a film for a wall of lamps: a list of pictures, each a list of rows of brightness values. The wear of
    a lamp is the total of its changes of brightness so far, up and down alike, but it is never given as more than
    `limit`. Return nested lists in which entry [r][c] belongs to the lamp in row r and column c: the list of its wear
    after the second picture, the third, and so on."""
    by_lamp = np.moveaxis(frames, 0, -1)
    return np.minimum(np.cumsum(np.absolute(np.diff(by_lamp)), axis=-1), limit)


@task(
    rows=(2, 6),
    cols=(2, 6),
    equivalent={
        "dstack -> transpose": "it gives the same pixels column by column, and only their numbers count",
        "size -> count_nonzero": "no colour that was found has no pixels",
    },
)
def colours_for_half_the_picture(
    red: Matrix(Choice(0, 128, 255), "rows", "cols"),
    green: Matrix(Choice(0, 255), "rows", "cols"),
    blue: Matrix(Choice(0, 255), "rows", "cols"),
):
    """Three tables of the same height and width, `red`, `green` and `blue`, hold the colour channels of one picture; a
    colour is the three numbers of a pixel. What is the least number of colours that together make up at least half of
    the pixels? Return a tuple: this number, and the number of different colours in the picture."""
    pixels = np.reshape(np.dstack((red, green, blue)), (-1, 3))
    counts = np.unique(pixels, axis=0, return_counts=True)[1]
    covered = np.cumsum(np.flip(np.sort(counts)))
    return np.searchsorted(covered, len(pixels) / 2) + 1, np.size(counts)


@task(
    without=("large",),  # a longer row does not fit into a byte
    equivalent={
        "any -> max": "the largest of True and False is True just if there is one",
        "any -> nanmax": "the largest of True and False is True just if there is one",
    },
)
def bitmap_file_bytes(scan: Matrix(Int(0, 9), (2, 9), (3, 8))):
    """A black-and-white file is made from the brightness rows of `scan`: a pixel is 1 if it is brighter than the middle
    value of the whole picture in ascending order (half-way between the two middle ones if their number is even), and
    otherwise 0. The file starts with the bottom row and goes upwards, leaving out rows without a 1. A row becomes one
    byte, its first pixel being the digit worth 1 and unused high digits 0. Return the bytes as one list."""
    bright = np.flipud(np.greater(scan, np.median(scan)))
    lit = bright[np.any(bright, axis=1)]
    return np.ravel(np.packbits(lit, axis=1, bitorder="little"))


@task(equivalent={"sum -> count_nonzero": "every dot is 0 or 1"})
def ink_of_the_printed_width(letter: Vector(Choice(0, 0, 8, 16, 24, 36, 40, 60, 66, 68, 126), (2, 9))):
    """A printer font stores a `letter` as bytes from 0 to 255, one per line, and the eight binary digits of a byte are
    the dots of the line, the highest digit at the left. Its printed width goes from the leftmost column with an inked
    dot (digit 1) to the rightmost. Return how many dots are inked in each column of the printed width, from left to
    right, as a list, which is empty if there is no ink."""
    dots = np.unpackbits(np.array(letter, dtype=np.uint8))
    return np.trim_zeros(np.sum(np.reshape(dots, (-1, 8)), axis=0))


@task(equivalent=TRUTHS)
def gaps_in_the_shining_stretch(levels: Vector(Int(0, 40), (4, 24))):
    """A cheap controller shows each brightness in `levels` without its four lowest binary digits, as the number that
    the remaining digits form, so that weak lamps are dark. The shining stretch begins with the first lamp that is not
    dark and ends with the last one. Return a dict: "dark", how many lamps of the stretch are dark, and "shown", the
    different numbers shown in it, as an ascending list; 0 and an empty list if there is no such lamp."""
    stretch = np.trim_zeros(np.right_shift(levels, 4))
    return {"dark": np.count_nonzero(stretch == 0), "shown": np.unique(stretch)}


@task(
    rows=(1, 6),
    cols=(1, 6),
    equivalent=TRUTHS | {"subtract: arguments 1 and 2 swapped": "only the size of the difference is used"},
)
def motion_box(
    before: Matrix(Choice(5, 5, 6, 6, 6), "rows", "cols"),
    after: Matrix(Choice(2, 5, 5, 5, 5, 5, 6, 6, 6, 6, 6, 9), "rows", "cols"),
    noise: Int(2, 3),
):
    """A camera compares two pictures, `before` and `after`, given as rows. A pixel has moved if its brightness went up
    or down by more than `noise`. Return a dict: "box", the height and width of the smallest upright rectangle that
    holds every moved pixel, as a tuple that is (0, 0) if nothing moved; "moved", the number of moved pixels; and
    "strongest", the largest change of a pixel, up or down, whether it moved or not."""
    change = np.absolute(np.subtract(after, before))
    moved = change > noise
    return {
        "box": np.shape(np.trim_zeros(moved)),
        "moved": np.count_nonzero(moved),
        "strongest": np.max(change),
    }


@task
def ink_of_framed_negative(photo: Matrix(Int(0, 99), (1, 5), (2, 6)), zoom: Int(2, 4), frame: Int(1, 99)):
    """A poster of `photo` (rows of grey values from 0 to 99) shows each pixel as a square of `zoom` by `zoom` pixels
    with the value 99 - g instead of g. On all four sides it has a border that is one pixel thick and has the value
    `frame`. The ink of a pixel is its value. Return how much ink each column of the poster takes, border columns
    included, from left to right, as a list."""
    enlarged = np.kron(np.subtract(99, photo), np.ones((zoom, zoom)))
    return np.sum(np.pad(enlarged, 1, constant_values=frame), axis=0)


@task(pixels=(4, 30), equivalent={"size -> count_nonzero": "no colour that was found has no pixels"})
def colours_on_cheap_display(
    red: Vector(Choice(0, 3, 7, 8, 12, 255), "pixels"),
    green: Vector(Choice(1, 3, 4, 6, 200), "pixels"),
    blue: Vector(Choice(5, 7, 8, 15, 16), "pixels"),
):
    """The pixels of a picture have eight binary digits each of `red`, `green` and `blue`. A cheap display keeps only
    the five highest digits of red, the six highest of green and the five highest of blue, so that some colours look
    alike. Return a dict: "colours", the number of different colours on the display; "most", the number of pixels in the
    one that covers the most; and "shared", the number of pixels that look like at least one other."""
    kept = np.right_shift(np.stack((red, green, blue), axis=1), [3, 2, 3])
    pixels = np.unique(kept, axis=0, return_counts=True)[1]
    return {"colours": np.size(pixels), "most": np.max(pixels), "shared": np.sum(pixels[pixels > 1])}


@task(equivalent=TRUTHS)
def bright_pixels_of_tinted_photo(
    grey: Matrix(Int(0, 99), (2, 8), (2, 9)),
    tint: Vector(Choice(0.0, 0.25, 0.5, 0.75, 1.0), 3),
    level: Int(15, 60),
):
    """An old photo, `grey` (a list of rows), is coloured: each of the three channels of a pixel is its grey value
    times the factor of the channel in `tint`, rounded to the nearest whole number, halves to the even one. A pixel
    is bright if its strongest channel has at least the value `level`. Return the number of bright pixels in each
    row, as a list."""
    tinted = np.rint(np.multiply(np.atleast_3d(grey), tint))
    return np.count_nonzero(np.max(tinted, axis=2) >= level, axis=1)


@task(rows=(2, 6), cols=(2, 7), filters=(2, 5))
def best_filter_for_each_pixel(
    scene: Matrix(Int(0, 12), "rows", "cols"),
    gains: Vector(Int(1, 4), "filters"),
    offsets: Vector(Int(-9, 20), "filters"),
):
    """A camera has several filters: filter f turns the light g of a pixel into `gains`[f] * g + `offsets`[f]. In every
    pixel of the `scene`, rows of whole numbers, it uses the filter that gives the highest result (the one with the
    lowest number if several tie; filters are counted from 0). Return a tuple: for each filter the number of pixels that
    use it, as a list, and the highest result in the whole picture."""
    results = np.atleast_3d(scene) * np.array(gains) + np.array(offsets)
    used = np.ravel(np.argmax(results, axis=2))
    return np.bincount(used, minlength=len(gains)), np.max(results)


@task(layers=(2, 9))
def canvas_of_layers(heights: Vector(Choice(1, 1, 6), "layers"), widths: Vector(Choice(1, 1, 8), "layers")):
    """A drawing program lays layers on each other; layer i is stored with `heights`[i] rows and `widths`[i] columns. A
    layer of one row is drawn in every row of the canvas, a layer of one column in every column, and no other
    differences in height or width occur. Return a dict: "canvas", the tuple (height, width) of the canvas, "stored",
    the number of pixels stored for all layers together, and "largest", the layer, counted from 0, that is stored with
    the most pixels (the first one if several tie)."""
    canvas = np.broadcast_shapes(*zip(heights, widths, strict=True))
    pixels = np.array(heights) * widths
    return {"canvas": canvas, "stored": np.sum(pixels), "largest": np.argmax(pixels)}
