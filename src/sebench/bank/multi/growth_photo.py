"""Photography: exposure, light, and numbers in pictures."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Choice, Float, Int, Matrix, Vector


@task
def aperture_scale(first: Int(-2, 4), count: Int(2, 8)):
    """In theory, the f-numbers of a lens are the square roots of powers of two. Starting with exponent `first` and
    going up by one each time, compute `count` of them and return them as a list, each rounded to one decimal place."""
    return np.round(np.sqrt(np.exp2(np.arange(first, first + count))), 1)


@task(rows=(2, 4), cols=(2, 4))
def gamma_corrected(
    pixels: Matrix(Int(0, 255), "rows", "cols"), gamma: Choice(0.4, 0.5, 0.6, 0.7, 1.4, 1.6, 1.8, 2.2, 2.6)
):
    """For a darker or lighter print, every value in `pixels` is taken as a fraction of 255, raised to the power
    `gamma`, scaled back by 255 and brought to the nearest whole number. Return the new picture as a list of rows."""
    return np.rint(255 * np.power(np.divide(pixels, 255), gamma))


@task(shots=(2, 6))
def exposure_values(f_numbers: Vector(Float(1.2, 22), "shots"), seconds: Vector(Float(0.1, 8), "shots")):
    """The exposure value of a shot is the base-2 logarithm of (its f-number squared over the shutter time). Work it out
    for the `f_numbers` and `seconds` of a film and return a list."""
    return np.log2(np.divide(np.square(f_numbers), seconds))


@task(scenes=(2, 6))
def shutter_factor_with_two_lights(
    flash: Vector(Float(2, 12), "scenes"), window: Vector(Float(2, 12), "scenes"), target: Float(5, 12)
):
    """Light from the `flash` and from the `window` is metered in stops, where one stop more is twice the light. Their
    joint level is the base-2 log of two-to-the-flash plus two-to-the-window. To reach the level `target`, the shutter
    time of a scene changes by the factor two raised to (target less joint level). Return the factors of all scenes as a
    list."""
    return np.exp2(np.subtract(target, np.logaddexp2(flash, window)))


@task(lamps=(2, 5))
def share_of_each_lamp(watts: Vector(Int(20, 99), "lamps"), metres: Vector(Int(1, 9), "lamps")):
    """Studio lamps of given `watts` stand at whole `metres` from the model. The light of a lamp that arrives is its
    watts times its distance to the power -2. Return, as a list, what fraction of all the arriving light each lamp
    contributes."""
    arriving = np.multiply(watts, np.float_power(metres, -2))
    return np.divide(arriving, np.sum(arriving))


@task(rows=(2, 4), cols=(2, 4))
def light_from_the_corner(photo: Matrix(Int(5, 200), "rows", "cols")):
    """Give a `photo` a fading light: x runs evenly from 0 at the first column to 1 at the last, y likewise from 0 at
    the first row to 1 at the last. Each value is multiplied by e to the power of minus the straight-line distance of
    its (x, y) from (0, 0). Return the list of rows."""
    height, width = np.shape(photo)
    x, y = np.meshgrid(np.linspace(0, 1, num=width), np.linspace(0, 1, num=height))
    return np.multiply(photo, np.exp(-np.hypot(x, y)))


@task
def step_wedge_response(density: Float(0.5, 3), steps: Int(3, 7), speed: Float(0.5, 5), fog: Float(0.1, 0.6)):
    """Film is exposed through a step wedge. The light it lets through is ten to the power d, with `steps` values of d
    evenly spaced from minus `density` to 0, both included. Where light L falls, the blackening is `fog` minus (e^(-s·L)
    - 1), where s is the `speed` of the film. Return the blackening of all steps in that order as a list."""
    light = np.logspace(-density, 0, num=steps)
    return np.subtract(fog, np.expm1(-speed * light))


@task(equivalent={"convolve -> correlate": "with equal weights it does not matter which way round the window is"})
def sharpest_edge_after_blur(line: Vector(Int(0, 90), (5, 8)), blur: Int(2, 4)):
    """Smooth one `line` of a picture: slide a window of `blur` equal weights (each one over `blur`) along it, only
    where the window fits entirely. Then look at the jumps between neighbouring smoothed values and return the size of
    the largest jump, up or down, as a number."""
    smooth = np.convolve(line, np.full(blur, 1 / blur), mode="valid")
    return np.max(np.absolute(np.diff(smooth)))


@task(
    pixels=(3, 7),
    equivalent={
        "dot -> inner": "for a table and a list both combine each row with the list",
        "dot -> linalg.vecdot": "for a table and a list both combine each row with the list",
    },
)
def black_and_white(pixels: Matrix(Int(0, 99), "pixels", 3)):
    """Each row of `pixels` holds the red, green and blue of one pixel. Its brightness is 3 times red plus 6 times green
    plus the blue. A pixel becomes 1 if it is brighter than the middle brightness of all pixels (halfway between the two
    in the middle for an even count), otherwise 0. Return these numbers as a list."""
    brightness = np.dot(pixels, [3, 6, 1])
    return np.astype(np.greater(brightness, np.median(brightness)), "int")


@task(rows=(2, 4), cols=(2, 5), equivalent={"putmask -> place": "with a single number to write both do the same"})
def row_means_without_hot_pixels(sensor: Matrix(Int(0, 12), "rows", "cols"), limit: Int(4, 10), dark: Int(0, 3)):
    """The table `sensor` holds rows of pixel readings. Any reading above `limit` is a hot pixel and gets replaced by
    the number `dark`. Return the average of every row after that, as a list."""
    cleaned = np.array(sensor)
    np.putmask(cleaned, np.greater(cleaned, limit), dark)
    return np.mean(cleaned, axis=1)
