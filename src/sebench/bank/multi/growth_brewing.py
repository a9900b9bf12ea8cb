"""Brewing beer: yeast, hops, water and barrels."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Float, Int, Vector


@task
def sugar_during_fermentation(
    start: Float(10, 20), rest: Float(1, 5), speed: Float(0.1, 0.9), days: Float(3, 12), checks: Int(3, 15)
):
    """A wort has `start` degrees of sugar and ends up at `rest`; after t days it is at `rest` plus (`start` minus
    `rest`) times e to the power of (minus `speed` times t). The brewer checks it at `checks` evenly spaced times from
    day 0 to day `days`, both included, and joins his readings by straight lines. Return the average height of this
    line over the whole time, as a number."""
    times = np.linspace(0, days, num=checks)
    sugar = np.add(rest, (start - rest) * np.exp(-speed * times))
    return np.divide(np.trapezoid(sugar, times), days)


@task(readings=(3, 16))
def yeast_work_done(
    hours: Vector(Int(0, 48), "readings", unique=True, sorted=True),
    warmth: Vector(Float(8, 35), "readings"),
    best: Int(18, 30),
):
    """Yeast doubles its speed with every 10 degrees: at temperature T it is two to the power of (T - 20) / 10. Beyond
    `best` degrees it works no faster than at `best`. The temperature at certain `hours` is in `warmth`. Return the work
    done from the first reading to the last, which is the area under the speeds, joined by straight lines, over time."""
    speed = np.exp2((np.minimum(warmth, best) - 20) / 10)
    return np.trapezoid(speed, hours)


@task(brews=(2, 12))
def acidity_of_a_blend(ph: Vector(Float(3, 6, 1), "brews"), litres: Vector(Int(5, 90), "brews")):
    """Brews with known `ph` and `litres` are blended, but for the one with the lowest pH (the first of them in a tie),
    which is poured away. One litre of a brew holds ten to the minus pH of acid, a litre of the blend holds all the acid
    per litre of all the brews in it, and its pH is minus the base-10 logarithm of that. Return the pH of the blend as a
    number."""
    sourest = np.argmin(ph)
    acid = np.power(10.0, np.negative(np.delete(ph, sourest)))
    return np.negative(np.log10(np.average(acid, weights=np.delete(litres, sourest))))


@task(kettles=(2, 14))
def kettles_on_the_shelf(litres: Vector(Int(10, 900), "kettles"), model: Int(20, 90), height: Float(20, 80)):
    """Kettles of different capacity have the proportions of a model that holds `model` litres and is `height` cm tall:
    the height goes with the cube root of the volume. Kettles of these `litres` are lined up on a shelf by height. How
    many cm is the largest step from one to the next? Return a number."""
    heights = height * np.cbrt(np.divide(litres, model))
    return np.max(np.diff(np.sort(heights)))


@task(hops=(2, 12))
def main_hop_addition(grams: Vector(Int(5, 60), "hops"), boil: Vector(Int(0, 90), "hops")):
    """The longer hops boil, the larger the fraction of them that the beer takes up: after m minutes this fraction is
    (1 - e^(-0.04 m)) / 4.15. Each addition of hops has its `grams` and boils for its minutes in `boil`. Return a tuple:
    the grams that the beer takes up from all additions together, and the position (from 0) of the addition that gives
    the most, the first one in a tie."""
    taken = np.multiply(grams, np.expm1(np.multiply(boil, -0.04)) / -4.15)
    return np.sum(taken), np.argmax(taken)


@task(equivalent={"linspace: arguments 1 and 2 swapped": "the mean of the points does not depend on their order"})
def oxygen_inside_yeast_pellet(hunger: Float(0.5, 6), points: Int(3, 16)):
    """In a cylinder of yeast the oxygen at distance r from its middle, with r = 1 at the surface, is I(`hunger` times
    r) over I(`hunger`), where I is the modified Bessel function of order zero. It is looked up at `points` evenly
    spaced distances from 0 to 1, both included. Farther out there is more yeast, so each point counts in proportion to
    its distance. Return the mean oxygen of the points, weighted in this way, as a number."""
    depth = np.linspace(0, 1, num=points)
    return np.average(np.divide(np.i0(hunger * depth), np.i0(hunger)), weights=depth)


@task(readings=(2, 14), meters=(2, 6))
def hydrometers_disagree(
    warmer: Vector(Int(-9, 9), "readings"),
    base: Vector(Int(-60, 60), "meters"),
    slope: Vector(Int(-9, 9), "meters"),
    bend: Vector(Int(-1, 1), "meters"),
):
    """Each hydrometer has its entry in `base`, `slope` and `bend`. In a beer that is w degrees warmer than 20 degrees,
    it needs a correction of base plus slope times w plus bend times w times w. `warmer` lists w for several beers. In
    which beer are the highest and the lowest correction among the hydrometers farthest apart? Return its w, in a tie
    the one that comes first in the list."""
    corrections = np.matmul(np.vander(warmer, 3, increasing=True), [base, slope, bend])
    return np.take(warmer, np.argmax(np.ptp(corrections, axis=1)))


@task(vats=(3, 15))
def vats_with_two_strains(old: Vector(Float(1500, 1505), "vats"), new: Vector(Float(1500, 1505), "vats")):
    """The yeast of an imaginary brewery is counted in generations: generation g means two to the g cells, more than any
    computer can write down. Every vat holds cells of an `old` and of a `new` strain, each given in generations. The
    joint generation of a vat counts the cells of both strains together. Return by how much each vat's joint generation
    is above the middle one of all vats (midway between the two middle ones for an even number; negative if below),
    from the highest to the lowest, as a list."""
    joint = np.logaddexp2(old, new)
    return np.flip(np.sort(np.subtract(joint, np.median(joint))))
