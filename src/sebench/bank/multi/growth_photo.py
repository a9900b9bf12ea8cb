"""Photography: exposure, light, and numbers in pictures."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Choice, Cube, Float, Int, Matrix, Vector


@task(
    equivalent={
        "np.expand_dims(wanted, 1) - scale: operands swapped": "a distance is the same in both directions",
        "expand_dims -> outer": "the outer product with the number 1 is the same column",
        "absolute -> square": "the nearest is the same whether distances or their squares are compared",
        "absolute -> cosh": "cosh grows with the distance from 0, so the nearest is the same",
        "absolute -> i0": "i0 grows with the distance from 0, so the nearest is the same",
    }
)
def f_stops_for_the_film(first: Int(-2, 3), count: Int(3, 8), wanted: Vector(Float(0.5, 20), (3, 15))):
    """In theory, every f-number on a lens is the square root of a power of two, 2 to the k. This lens has `count` of
    them, for k = `first` and the whole numbers after it. For each shot the photographer has a `wanted` f-number and
    uses the one on the lens that is nearest to it. Return the f-numbers used on this film, each once, in ascending
    order, as a list, unrounded."""
    scale = np.sqrt(np.exp2(np.arange(first, first + count)))
    nearest = np.argmin(np.absolute(np.expand_dims(wanted, 1) - scale), axis=1)
    return np.unique(scale[nearest])


@task(
    rows=(2, 6),
    cols=(2, 8),
    equivalent={"clip: arguments 1 and 2 swapped": "the larger of value and lower limit is the same either way"},
)
def greys_left_after_gamma(
    pixels: Matrix(Int(0, 255), "rows", "cols"),
    gamma: Choice(0.4, 0.6, 0.7, 1.4, 1.6, 1.8, 2.2, 2.6),
    lift: Choice(-60, -25, 20, 45, 80),
):
    """For a print, a pixel value p becomes 255 times (p / 255) to the `gamma`, brought to the nearest whole number,
    plus `lift`; a result below 0 is printed as 0 and one above 255 as 255. Return the different values that are printed
    for the picture `pixels`, in ascending order, as a list."""
    corrected = np.rint(255 * np.power(np.divide(pixels, 255), gamma))
    return np.unique(np.clip(corrected + lift, 0, 255))


@task(shots=(2, 20))
def exposure_values(f_numbers: Vector(Float(1.2, 22), "shots"), seconds: Vector(Float(0.1, 8), "shots")):
    """The exposure value of a shot is the base-2 logarithm of (its f-number squared over its shutter time). For a film
    with these `f_numbers` and `seconds`, by how much does the highest exposure value exceed the middle one in order of
    height (midway between the two middle ones for an even number of shots)? Return a number."""
    values = np.log2(np.divide(np.square(f_numbers), seconds))
    return np.max(values) - np.median(values)


@task(
    scenes=(2, 15),
    equivalent={"clip: arguments 1 and 2 swapped": "the larger of value and lower limit is the same either way"},
)
def shutter_factor_with_two_lights(
    flash: Vector(Float(2, 12), "scenes"), window: Vector(Float(2, 12), "scenes"), target: Float(5, 12)
):
    """Light from the `flash` and from the `window` is metered in stops, where one stop more is twice the light;
    level s means two to the s units of light. A scene needs a shutter time that is two to the (`target` - s) times
    the usual one, where s is the level of both lights together. The camera cannot lengthen the time to more than 8
    times the usual one, or shorten it to below an eighth; it goes as far as it can. Return the factor for each scene
    as a list."""
    joint = np.logaddexp2(flash, window)
    return np.exp2(np.clip(np.subtract(target, joint), -3, 3))


@task(lamps=(2, 14))
def stops_below_the_brightest_lamp(watts: Vector(Int(20, 99), "lamps"), metres: Vector(Int(1, 9), "lamps")):
    """Studio lamps of given `watts` stand at whole `metres` from the model. The light of a lamp that arrives is its
    watts over its distance squared. A lamp is k stops weaker than another if doubling its light k times gives the light
    of the other; k need not be whole. Return how many stops the lamps are weaker than the brightest one on average, as
    a number; the brightest counts in the average with 0 stops."""
    arriving = np.multiply(watts, np.float_power(metres, -2))
    return np.mean(np.log2(np.divide(np.max(arriving), arriving)))


@task(rows=(2, 7), cols=(2, 9))
def light_from_the_corner(photo: Matrix(Int(5, 200), "rows", "cols")):
    """A `photo` is printed with a fading light: x runs evenly from 0 at the first column to 1 at the last, y likewise
    from 0 at the first row to 1 at the last. Each value is multiplied by e to the power of minus the straight-line
    distance of its (x, y) from (0, 0). Return the list of rows."""
    height, width = np.shape(photo)
    x, y = np.meshgrid(np.linspace(0, 1, num=width), np.linspace(0, 1, num=height))
    return np.multiply(photo, np.exp(-np.hypot(x, y)))


@task
def step_wedge_response(
    density: Float(0.5, 3), steps: Int(3, 16), speed: Float(0.5, 5), fog: Float(0.1, 0.6), most: Float(0.5, 1.2)
):
    """Film is exposed through a step wedge. The light it lets through is ten to the d, with `steps` values of d evenly
    spaced from minus `density` to 0, both included. Where light L falls, the blackening is `fog` plus 1 - e^(-s·L),
    where s is the `speed` of the film, but no film gets blacker than `most`. Return the blackening of the steps, from
    least to most light, as a list."""
    light = np.logspace(-density, 0, num=steps)
    return np.minimum(np.subtract(fog, np.expm1(-speed * light)), most)


@task(
    equivalent={
        "convolve -> correlate": "with the same weights everywhere it does not matter which way round they are",
        "absolute -> square": "the largest is the same whether distances or their squares are compared",
        "absolute -> cosh": "cosh grows with the distance from 0, so the largest is the same",
        "absolute -> i0": "i0 grows with the distance from 0, so the largest is the same",
    }
)
def sharpest_edge_after_blur(line: Vector(Int(0, 5), (5, 24)), blur: Int(2, 4)):
    """Each value of a blurred picture line is the average of `blur` neighbouring values of the original `line`; only
    places with that many neighbours get one. The sharpest edge is the largest difference between two neighbouring
    blurred values. Return a tuple of two: the position (from 0) of the first of these two values, in a tie the earliest
    edge; 1 if the picture gets brighter there along the line, -1 if darker, 0 if it has no edge at all."""
    jumps = np.diff(np.convolve(line, np.ones(blur), mode="valid"))
    edge = np.argmax(np.absolute(jumps))
    return edge, np.sign(jumps[edge])


@task(pixels=(3, 30))
def black_and_white(pixels: Matrix(Int(0, 99), "pixels", 3)):
    """Each row of `pixels` holds the red, green and blue of one pixel. Its lightness is half of (its strongest colour
    plus its weakest). A pixel becomes 1 if it is lighter than the middle lightness of the picture (halfway between the
    two in the middle for an even count), otherwise 0. Return these numbers as a list."""
    lightness = np.max(pixels, axis=1) + np.min(pixels, axis=1)
    return np.astype(np.greater(lightness, np.median(lightness)), "int")


@task(rows=(2, 7), cols=(2, 9), equivalent={"putmask -> place": "with a single number to write both do the same"})
def uneven_rows_without_hot_pixels(sensor: Matrix(Int(0, 12), "rows", "cols"), margin: Int(1, 4), dark: Int(0, 3)):
    """The table `sensor` holds rows of pixel readings. A reading that is more than `margin` above the middle one of the
    whole table (midway between the two middle ones for an even count) is a hot pixel and counts as `dark` instead. By
    how much does the row with the most light then exceed the row with the least, counting the light of all pixels in a
    row together? Return a number."""
    cleaned = np.array(sensor)
    np.putmask(cleaned, np.greater(cleaned, np.median(cleaned) + margin), dark)
    return np.ptp(np.sum(cleaned, axis=1))


@task(
    frames=(2, 6),
    rows=(2, 5),
    cols=(2, 6),
    equivalent={"swapaxes -> moveaxis": "neighbouring directions are exchanged by both"},
)
def flicker_column_by_column(frames: Cube(Int(0, 40), "frames", "rows", "cols"), limit: Int(15, 30)):
    """A camera took several `frames` of the same wall, each as rows of brightness values. The flicker of a spot is the
    distance between its brightest and its darkest value over the frames, but never counts for more than `limit`. The
    engineer looks at the wall column by column. Return one list per column, from left to right, with the flicker of its
    spots from weak to strong."""
    spots = np.ptp(np.swapaxes(frames, 1, 2), axis=0)
    return np.sort(np.minimum(spots, limit))


@task(rows=(2, 7), cols=(2, 9))
def box_around_the_star(night: Matrix(Int(0, 30), "rows", "cols"), margin: Int(0, 9)):
    """`night` is a photograph of a star as rows of brightness values. A pixel belongs to the star if it is at most
    `margin` below the brightest pixel. Return the number of rows and the number of columns of the smallest upright
    rectangle of pixels that holds the whole star, as a tuple (rows, columns)."""
    sky = np.array(night)
    rows, columns = np.nonzero(sky >= np.max(sky) - margin)
    return np.ptp(rows) + 1, np.ptp(columns) + 1
