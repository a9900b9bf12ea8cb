"""Animals, plants and microbes: how they grow, spread and are told apart."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Choice, Float, Int, Matrix, Missing, Vector


@task
def duckweed_on_its_best_days(fronds: Vector(Int(2, 9), (4, 24))):
    """Duckweed grows on a pond where ducks feed on it; every morning its `fronds` are counted, in thousands. The growth
    rate of a day is the natural logarithm of (the next morning's count divided by this morning's). Return the average
    rate of the three days with the highest rates, as a number."""
    return np.mean(np.sort(np.diff(np.log(fronds)))[-3:])


@task(
    equivalent={
        "matmul -> inner": "for a table and a list both combine each row with the list",
        "matmul -> linalg.vecdot": "for a table and a list both combine each row with the list",
    }
)
def rabbit_age_classes(
    births: Vector(Int(1, 4), 4), survival: Vector(Float(0.1, 0.9), 3), rabbits: Vector(Int(1, 40), 4), years: Int(2, 9)
):
    """A warren has four age classes. From one year to the next, a rabbit of each class brings as many young into the
    youngest class as `births` says for its class, and the three fractions in `survival` of the first, second and third
    class move up to the following class; rabbits of the last class die. There are `rabbits` of each class now. Return
    the fraction that each class has among all rabbits after `years` years, as a list, unrounded."""
    table = np.vstack([births, np.diag(survival, k=-1)[1:]])
    later = np.matmul(np.linalg.matrix_power(table, years), rabbits)
    return np.divide(later, np.sum(later))


@task(songs=(3, 20))
def recording_of_robins_and_wrens(
    robin: Vector(Float(-990, -700), "songs"), wren: Vector(Float(-990, -700), "songs"), share: Float(0.05, 0.95, 2)
):
    """For every recorded song, `robin` and `wren` give the natural logarithm of its likelihood if that bird sang it;
    the likelihoods themselves are far too small for a computer. A song comes from a robin with chance `share` and
    otherwise from a wren, independently of the other songs. Return the natural logarithm of the likelihood of the whole
    recording as a number."""
    songs = np.logaddexp(np.add(robin, np.log(share)), np.add(wren, np.log(1 - share)))
    return np.sum(songs)


@task(steps=(3, 25))
def ant_farthest_from_nest(east: Vector(Int(-9, 9), "steps"), north: Vector(Int(-9, 9), "steps")):
    """An ant leaves its nest. The lists `east` and `north` say how many millimetres each step carries it in these
    directions (negative: the opposite one). How far from the nest, in a straight line, is the farthest point at which a
    step ends? Return a number."""
    return np.max(np.hypot(np.cumsum(east), np.cumsum(north)))


@task(nights=(2, 8), traps=(2, 9))
def typical_moth_catch(moths: Matrix(Int(0, 60), "nights", "traps")):
    """Rows of `moths` are nights, columns are light traps; some catches may be 0. To tame outliers, the typical catch
    of a trap is the number t for which the natural logarithm of (1 + t) is the average, over the nights, of the natural
    logarithm of (1 + catch). Return the typical catch of every trap as a list."""
    return np.expm1(np.mean(np.log1p(moths), axis=0))


@task
def dose_on_the_drawn_curve(
    weakest: Float(0.1, 0.9), strongest: Float(10, 90), doses: Int(3, 12), half: Float(0.5, 20), wanted: Float(0.2, 0.8)
):
    """A lab prepares `doses` concentrations of a hormone from `weakest` to `strongest`, both included, each the same
    factor stronger than the one before. At concentration c the share c / (c + `half`) of the receptors is occupied. The
    shares are drawn against the base-10 logarithms of the concentrations, neighbouring points joined by straight lines.
    Return the logarithm at which the drawing reaches the share `wanted`; if it lies outside the drawing, the logarithm
    at the nearer end."""
    levels = np.geomspace(weakest, strongest, num=doses)
    return np.interp(wanted, np.divide(levels, np.add(levels, half)), np.log10(levels))


@task(species=(2, 16))
def effective_species(counts: Vector(Int(1, 80), "species")):
    """`counts` tells how many beetles of each species were found. The surprise of a beetle is the base-2 logarithm of
    (the number of all beetles divided by the count of its species). The effective number of species is two to the mean
    surprise of all the beetles. Return it as a number."""
    shares = np.divide(counts, np.sum(counts))
    return np.exp2(-np.dot(shares, np.log2(shares)))


@task(equivalent={"expand_dims -> outer": "the outer product with the number 1 is the same column"})
def overtaken_sapling(heights: Vector(Int(5, 90), (2, 14))):
    """Saplings were planted one after the other; `heights` lists them in this order, in centimetres. A sapling leads
    over one planted later by the centimetres that it is taller. Which lead is the greatest? Return it as a tuple of
    two: position of the sapling planted earlier; position of the one planted later, both from 0. Of equal leads take
    the one with the lowest first position, then the lowest second. If no sapling is taller than a later one, return (0,
    0)."""
    leads = np.triu(np.subtract(np.expand_dims(heights, 1), heights))
    return np.unravel_index(np.argmax(leads), np.shape(leads))


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
def mayfly_days(hatched: Int(20, 99), rate: Float(0.05, 0.9, 2), days: Int(3, 30)):
    """On day 0 there are `hatched` mayflies; on day t, the whole part of `hatched` times e to the power of (minus
    `rate` times t) is still alive. A warden counts the living ones once a day. Return the total of his counts in the
    first `days` days, day 0 included."""
    return np.sum(np.floor(hatched * np.exp(-rate * np.arange(days))))


@task
def pigeon_heading_density(headings: Vector(Float(-3.1, 3.1), (2, 20)), focus: Float(0.2, 4.0)):
    """Homing pigeons leave in directions near 0. Up to a factor of 2 pi, which we leave out, the density at a heading h
    (radians) is e to the power of (`focus` times the cosine of h), over I(`focus`), with I the modified Bessel function
    of order zero. Return the density at all `headings` as a list."""
    return np.divide(np.exp(focus * np.cos(headings)), np.i0(focus))


@task(ponds=(2, 7), weeks=(3, 10))
def ponds_by_algae_peak(
    start: Vector(Int(1, 6), "ponds"), factors: Matrix(Missing(Choice(0.5, 1.0, 2.0, 2.0, 4.0)), "ponds", "weeks")
):
    """Each pond begins with the amount of algae in `start`. Its row of `factors` says by what its algae multiplied in
    each week; nan means that nobody looked, and the amount is taken as unchanged. The peak of a pond is its greatest
    amount at the end of a week. Return the numbers of the ponds, from 0, from the highest peak to the lowest, in a tie
    the lower number first, as a list."""
    peaks = np.multiply(start, np.max(np.nancumprod(factors, axis=1), axis=1))
    return np.argsort(-peaks, stable=True)


@task(species=(2, 7), plots=(3, 12))
def clumped_wildflowers(plants: Matrix(Int(1, 30), "species", "plots")):
    """In a meadow, `plants` has one row per species and one column per marked plot: how many grow there. A species is
    more clumped the higher the variance of its counts (dividing by the number of plots minus one) is in relation to
    their average. Return these ratios of all species, in ascending order, as a list."""
    return np.sort(np.divide(np.var(plants, axis=1, ddof=1), np.mean(plants, axis=1)))
