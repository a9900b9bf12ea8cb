"""Animals, plants and microbes: how they grow, spread and are told apart."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Float, Int, Matrix, Vector


@task
def duckweed_growth_rate(fronds: Vector(Int(3, 99), (4, 8))):
    """Duckweed grows on a pond where ducks feed on it; every morning its `fronds` are counted. The growth rate of a day
    is the natural logarithm of the next morning's count minus the natural logarithm of this morning's. Return the
    middle one of these daily rates, in order of size (with an even number of rates: halfway between the two in the
    middle), as a number."""
    return np.median(np.diff(np.log(fronds)))


@task(
    equivalent={
        "matmul -> inner": "for a table and a list both combine each row with the list",
        "matmul -> linalg.vecdot": "for a table and a list both combine each row with the list",
    }
)
def rabbit_age_classes(
    births: Vector(Int(0, 4), 3), survival: Vector(Float(0.1, 0.9), 2), rabbits: Vector(Int(1, 40), 3), years: Int(2, 4)
):
    """A warren has three age classes. From year to year the list of the numbers of rabbits is multiplied from the left
    by a 3 by 3 table: its first row is `births` (young per rabbit of each class); the second row has the first value of
    `survival` (the fractions that reach the next class) in its first column, the third row has the second value in its
    second column, and the rest is 0. Start from `rabbits`, do this `years` times and return the three resulting numbers
    as a list, unrounded."""
    table = np.vstack([births, np.diag(survival, k=-1)[1:]])
    return np.matmul(np.linalg.matrix_power(table, years), rabbits)


@task(songs=(3, 6))
def robin_or_wren(robin: Vector(Float(-9, -0.5), "songs"), wren: Vector(Float(-9, -0.5), "songs")):
    """For every recorded song we know the natural log of its likelihood if a `robin` sang, and if a `wren` sang. The
    chance of a robin is the robin's likelihood divided by the sum of both likelihoods; since they can be tiny, stay
    with logarithms until the end. Return the chances of a robin as a list."""
    return np.exp(np.subtract(robin, np.logaddexp(robin, wren)))


@task(steps=(3, 7))
def ant_farthest_from_nest(east: Vector(Int(-9, 9), "steps"), north: Vector(Int(-9, 9), "steps")):
    """An ant leaves its nest. The lists `east` and `north` say how many millimetres each step carries it in these
    directions (negative: the opposite one). After every step its straight-line distance from the nest is noted. Return
    the greatest of these distances as a number."""
    return np.max(np.hypot(np.cumsum(east), np.cumsum(north)))


@task(nights=(2, 4), traps=(2, 5))
def typical_moth_catch(moths: Matrix(Int(0, 60), "nights", "traps")):
    """Rows of `moths` are nights, columns are light traps; some catches may be 0. To tame outliers, replace each catch
    by the natural logarithm of one plus the catch, average over the nights for every trap, then go back: e to that
    average, less one. Return one value per trap as a list."""
    return np.expm1(np.mean(np.log1p(moths), axis=0))


@task
def receptor_occupancy(weakest: Float(0.1, 0.9), strongest: Float(10, 90), doses: Int(3, 7), half: Float(0.5, 20)):
    """A lab prepares `doses` concentrations of a hormone from `weakest` to `strongest`, both included, each the same
    factor stronger than the one before. At concentration c the share c / (c + `half`) of the receptors is occupied.
    Return these shares from weakest to strongest as a list."""
    levels = np.geomspace(weakest, strongest, num=doses)
    return np.divide(levels, np.add(levels, half))


@task(species=(2, 6))
def effective_species(counts: Vector(Int(1, 80), "species")):
    """`counts` tells how many beetles of each species were found. The surprise of a species is the base-2 logarithm of
    (the whole catch divided by its own count). Find the mean of the surprises, each weighted with the count of its
    species, and return two raised to that mean, as a number."""
    surprises = np.log2(np.divide(np.sum(counts), counts))
    return np.exp2(np.average(surprises, weights=counts))


@task(equivalent={"expand_dims -> outer": "the outer product with the number 1 is the same column"})
def saplings_compared(heights: Vector(Float(0.3, 4.5), (2, 5))):
    """Make a square table from the sapling `heights`: row i, column j says by how much sapling i is taller than sapling
    j (negative if it is shorter). Each pair should show up only once, so everything below the main diagonal is set to
    0. Return the table as a list of rows."""
    return np.triu(np.subtract(np.expand_dims(heights, 1), heights))


@task(days=(4, 5))
def pumpkin_girth_between(
    days: Vector(Int(1, 9), "days", unique=True, sorted=True),
    girths: Vector(Float(25, 40), "days", sorted=True),
    when: Float(4, 6),
):
    """A pumpkin's `girths` were measured on certain `days`. With n measurements there is exactly one polynomial of
    degree n - 1 that passes through all of them. Return the value of this polynomial at day `when`, as a number."""
    coefficients = np.linalg.solve(np.vander(days), girths)
    return np.polyval(coefficients, when)


@task(equivalent={"floor -> trunc": "numbers of animals are not negative"})
def mayflies_left(hatched: Int(20, 99), rate: Float(0.05, 0.9, 2), days: Int(3, 7)):
    """On day 0 there are `hatched` mayflies; on day t this number times e to the power of (minus `rate` times t) should
    be left. Work this out for the first `days` days, day 0 included, and drop fractions of an animal. Return the whole
    numbers as a list."""
    return np.floor(hatched * np.exp(-rate * np.arange(days)))


@task
def pigeon_heading_density(headings: Vector(Float(-3.1, 3.1), (2, 6)), focus: Float(0.2, 4.0)):
    """Homing pigeons leave in directions near 0. For a heading h (radians) the unscaled density is e to the power of
    (`focus` times the cosine of h); it is then divided by the modified Bessel function I of order zero, taken at
    `focus`. Return this value for all `headings` as a list; the factor of 2 pi is left out."""
    return np.divide(np.exp(focus * np.cos(headings)), np.i0(focus))
