"""Applying functions of one's own along axes, over axes and by pieces."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Bool, Choice, Cube, Float, Int, Matrix, Vector

# --- apply_along_axis ---


@task(years=(3, 5), lakes=(2, 4))
def shrinking_lakes(area: Matrix(Int(10, 99), "years", "lakes")):
    """Satellite images give one row of lake areas per year in `area`, one column per lake. By how much did each lake
    change from the first year to the last, relative to its area in the middle year (the later of the two middle ones if
    the number of years is even)? Return a list with one number per lake, negative if it shrank."""
    return np.apply_along_axis(lambda lake: (lake[-1] - lake[0]) / lake[len(lake) // 2], 0, area)


@task(divers=(2, 4), marks=(3, 5))
def diving_scores(marks: Matrix(Float(0, 10), "divers", "marks"), difficulty: Float(1.2, 3.8)):
    """A village diving contest scores each diver by a home-made rule that takes a row of `marks` and the `difficulty`:
    (first mark + twice the last mark) times difficulty. Run the rule on every row and return the scores as a list."""
    return np.apply_along_axis(lambda row, factor: (row[0] + 2 * row[-1]) * factor, 1, marks, difficulty)


@task(floors=(3, 4), lifts=(2, 4))
def opening_and_closing(counts: Matrix(Int(0, 60), "floors", "lifts")):
    """Column j of `counts` is the passenger log of lift j. A report keeps from each column three things, top to bottom:
    the first number, the last number, and the last less the first. Return the reports side by side, as three rows with
    a column per lift."""
    return np.apply_along_axis(lambda log: [log[0], log[-1], log[-1] - log[0]], 0, counts)


@task(years=(2, 3), months=(3, 3), sites=(2, 3))
def seasonal_contrast(rainfall: Cube(Float(0, 40), "years", "months", "sites")):
    """The measurements in `rainfall` are nested by season, then month, then site, with three months a season. For each
    season and site compute twice the second month less the first and less the third. Return a list of rows, one per
    season, with one number per site."""
    return np.apply_along_axis(lambda run: 2 * run[1] - run[0] - run[2], 1, rainfall)


# --- apply_over_axes ---

# The function wants an array, so gold converts the nested list first; these convert it to the same array.
CONVERSION = {
    **{f"array -> {name}": "it makes the same array of a nested list" for name in ("stack", "block")},
    **{f"array -> {name}": "it returns real numbers as they are" for name in ("real", "conjugate")},
    **{
        f"array -> {name}": "the input has enough levels of nesting"
        for name in ("atleast_1d", "atleast_2d", "atleast_3d")
    },
    "array -> vstack": "stacking rows makes the same array of a list of rows",
    "array -> nan_to_num": "no value is missing",
    "array -> squeeze": "every level of nesting has two entries or more",
}


@task(equivalent=CONVERSION)
def kaleidoscope(pattern: Matrix(Float(-9, 9), (2, 4), (2, 4)), ways: Vector(Choice(0, 1), (2, 4))):
    """A kaleidoscope program works on a `pattern` of numbers. It goes through the list `ways`, and for each entry adds
    to the pattern twice its reversed image: with the rows in reverse order for a 0, with the columns in reverse order
    for a
    1. Return what comes out, as a list of rows."""
    return np.apply_over_axes(
        lambda grid, way: grid + 2 * (grid[::-1] if way == 0 else grid[:, ::-1]), np.array(pattern), ways
    )


@task(equivalent=CONVERSION)
def binned_sensor(
    pixels: Matrix(Float(-5, 50), 4, 4), ways: Choice([0], [1], [0, 1], [0, 0], [1, 1], [0, 1, 0], [1, 0, 1])
):
    """A camera sensor has 4 rows of 4 dark-corrected `pixels`. It is binned once for every entry of `ways`, one after
    the other: 0 stands for adding neighbouring rows in pairs (first and second, then third and fourth if there are
    any), 1 for the same with columns. Each binning is done to the result of the previous one. Return the final table as
    a list of rows."""
    return np.apply_over_axes(
        lambda grid, way: grid[::2] + grid[1::2] if way == 0 else grid[:, ::2] + grid[:, 1::2], np.array(pixels), ways
    )


@task(equivalent=CONVERSION, days=(2, 3), shifts=(2, 3), machines=(2, 3))
def change_of_change(frost: Cube(Float(-28, -4), "days", "shifts", "machines")):
    """Temperatures of freezers in `frost` are nested by day, then shift, then freezer. Take "last minus first" over the
    days, then "last minus first" over the shifts of that result. Keep all three levels of nesting: return one day that
    has one shift with a number for each freezer."""
    return np.apply_over_axes(
        lambda data, way: data[-1] - data[0] if way == 0 else data[:, -1] - data[:, 0], np.array(frost), [0, 1]
    )


@task(equivalent=CONVERSION)
def terrain_twist(terrain: Matrix(Float(-9, 9), (2, 4), (2, 4))):
    """For the twist of a `terrain` grid, replace its rows by the steps from each row to the next (next minus current),
    and then the columns of that by the steps from each column to the next. Return the resulting grid, one row and one
    column smaller, as a list of rows."""
    return np.apply_over_axes(
        lambda grid, way: grid[1:] - grid[:-1] if way == 0 else grid[:, 1:] - grid[:, :-1], np.array(terrain), (0, 1)
    )


# --- piecewise ---


@task
def progressive_parking_fee(stay: Vector(Float(0, 9), (3, 7))):
    """A car park defines its fee by pieces: a `stay` of less than 1 hour is free, from 1 up to but not including 5
    hours it costs 2 per hour, and from 5 hours on a flat 10.5. Return the fee for every stay as a list."""
    return np.piecewise(
        stay, [[hours < 1 for hours in stay], [hours >= 5 for hours in stay]], [0, 10.5, lambda hours: 2 * hours]
    )


@task(n=(3, 7))
def member_prices(price: Vector(Float(2, 40), "n"), member: Vector(Bool(), "n")):
    """A swimming pool has a basic `price` for each visitor. Where `member` is True, the visitor pays half of it minus
    0.5; everyone else pays it plus 1. Return what each visitor pays, as a list."""
    return np.piecewise(price, [member], [lambda full: full / 2 - 0.5, lambda full: full + 1])


@task
def joystick_dead_zone(tilt: Matrix(Float(-1, 1), (2, 3), (2, 4))):
    """Each row of `tilt` holds readings of one joystick. A game only wants the direction: -1 where the tilt is below
    -0.3, 1 where it is above 0.3, and 0 in the dead zone between, limits included. Return a list of rows."""
    return np.piecewise(
        tilt, [[[t < -0.3 for t in row] for row in tilt], [[t > 0.3 for t in row] for row in tilt]], [-1, 1]
    )


@task(equivalent={"p < 0: the other border": "a pull of zero gives the force zero either way"})
def spring_with_stop(pull: Vector(Float(-6, 6), (3, 7)), stiffness: Float(1, 9)):
    """A spring answers a `pull` of zero or more with the force `stiffness` times pull. A negative pull presses it
    against a rubber stop: then the force is stiffness times the square of the pull, with a minus in front. Return the
    forces for all pulls as a list."""
    return np.piecewise(pull, [[p < 0 for p in pull]], [lambda p, k: -k * p * p, lambda p, k: k * p], stiffness)
