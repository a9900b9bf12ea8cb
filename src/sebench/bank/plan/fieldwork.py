"""Fieldwork and handicraft: routes on the globe, sightings, patterns, cables, trees."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Choice, Int, Matrix, Vector
from sebench.bank.plan import TRUTHS, either_way


@task(stops=(3, 20), equivalent=either_way("to_north - north", "to_east - east"))
def flight_of_a_stork(latitude: Vector(Int(-60, 60), "stops"), longitude: Vector(Int(-80, 80), "stops")):
    """A stork was located at `latitude` and `longitude`, in degrees, one place after the other. On a globe of radius 1
    the distance of two places is twice the arc sine of the root of h, where h is the squared sine of half the
    difference of the latitudes plus the squared sine of half the difference of the longitudes times the cosines of both
    latitudes. The radius of the earth is 6371 kilometres. Return a tuple of three: length of the whole flight in
    kilometres; longest distance from one place to the next; distance between the first and the last place."""
    north, east = np.radians(latitude), np.radians(longitude)
    to_north, to_east = np.append(north[1:], north[0]), np.append(east[1:], east[0])
    h = np.sin((to_north - north) / 2) ** 2 + np.cos(north) * np.cos(to_north) * np.sin((to_east - east) / 2) ** 2
    legs = 2 * 6371 * np.arcsin(h**0.5)
    return np.sum(legs[:-1]), np.max(legs[:-1]), legs[-1]


@task(n=(5, 120), equivalent=TRUTHS)
def sightings_by_square(east: Vector(Int(0, 40), "n"), north: Vector(Int(0, 40), "n")):
    """Owls were heard at the places `east`, `north`, both from 0 to 40. The map is divided into 4 by 4 squares with
    sides of 10; a place on the line between two squares belongs to the one with the higher coordinate, and places at 40
    belong to the last square. Return a tuple of four: number of squares without an owl; square with the most owls as a
    tuple (number along east, number along north), each from 0, in a tie the one with the lower east and then the lower
    north number; its number of owls; middle number of owls, which is midway between the two middle ones of the 16 in
    order."""
    squares = np.histogram2d(east, north, bins=4, range=[[0, 40], [0, 40]])[0]
    best = np.argmax(squares)
    place = best // 4, best % 4
    return np.count_nonzero(squares == 0), place, squares[place], np.median(squares)


@task(equivalent=TRUTHS)
def lengths_of_caught_fish(lengths: Vector(Int(0, 60), (5, 150)), classes: Choice(3, 4, 5, 6)):
    """Fish with `lengths` from 0 to 60 were caught. The range from 0 to 60 is cut into `classes` classes, all of the
    same whole-numbered width; a fish on the border of two classes belongs to the upper one, a fish of 60 to the last
    one. Return a tuple of four: list of the numbers of fish in the classes; lower border of the fullest class, the
    lowest in a tie; average length; number of classes that hold at least a quarter of the fish."""
    counts, borders = np.histogram(lengths, bins=classes, range=(0, 60))
    return counts, borders[np.argmax(counts)], np.mean(lengths), np.count_nonzero(counts * 4 >= len(lengths))


@task
def birds_of_two_islands(
    north: Vector(Int(1, 30), (3, 30)), south: Vector(Int(1, 30), (3, 30)), coast: Vector(Int(1, 36), (3, 30))
):
    """Bird watchers wrote down the numbers of the species they saw on an island in the `north`, on one in the `south`
    and on the `coast`, a number for every sighting. Return a tuple of three: likeness of the islands, which is the
    number of species seen on both over the number of species seen on at least one of them; list of the species seen on
    exactly one of the two islands; list of the species of the coast that are on neither island. Both lists are
    ascending and without repetition."""
    both, either = np.intersect1d(north, south), np.union1d(north, south)
    return both.size / either.size, np.setxor1d(north, south), np.setdiff1d(coast, either)


@task(rows=(2, 4), columns=(2, 5), equivalent=TRUTHS)
def pattern_of_a_blanket(motif: Matrix(Int(0, 3), "rows", "columns"), down: Int(1, 4), across: Int(2, 5)):
    """A blanket is knitted by setting the `motif`, a small table of yarn colours 0 to 3, `down` times one below the
    other and `across` times side by side. Return a tuple of three: list of the numbers of stitches in each of the four
    colours; commonest colour, the lowest in a tie; number of places in the blanket at which two stitches side by side
    in a row have different colours."""
    blanket = np.tile(motif, (down, across))
    counts = np.bincount(np.ravel(blanket), minlength=4)
    return counts, np.argmax(counts), np.count_nonzero(np.diff(blanket))


@task(
    equivalent={
        "diff -> gradient": "the greatest step is at an end, and there the two are the same",
        "linspace: arguments 1 and 2 swapped": "the cable is the same from both posts",
    }
)
def hanging_cable(half: Int(3, 40), curve: Int(10, 40), lamps: Int(3, 12)):
    """A cable hangs between two equally high posts that are twice `half` metres apart. With x measured from the middle
    and a = `curve`, its height above its lowest point is a times the hyperbolic cosine of x/a, less a; its length is 2
    a times the hyperbolic sine of half/a. On the ground between the posts `lamps` lamps stand at equal distances, the
    first and the last at the posts. Return a tuple of four: height of the posts' ends above the lowest point; length of
    the cable; average height of the cable above its lowest point at the lamps; greatest difference of the cable's
    heights at neighbouring lamps."""
    heights = curve * np.cosh(np.linspace(-half, half, lamps) / curve) - curve
    steps = np.diff(heights)
    return heights[0], 2 * curve * np.sinh(half / curve), np.mean(heights), np.max(steps)


@task(trees=(3, 40))
def heights_of_trees(away: Vector(Int(8, 50), "trees"), degrees: Vector(Int(5, 60), "trees")):
    """A forester measures trees from a distance: standing `away` metres from a tree, with the eye 1.6 metres above
    level ground, she sees its top `degrees` degrees above the horizontal. Return a tuple of three: greatest height of a
    tree; middle one of the heights in order, or midway between the two middle ones; smallest angle in degrees above the
    horizontal at which she would see a top if she stood 10 metres farther from each tree."""
    above = away * np.tan(np.radians(degrees))
    later = np.degrees(np.arctan(above / (np.array(away) + 10)))
    return np.max(above) + 1.6, np.median(above) + 1.6, np.min(later)


@task
def places_in_a_baking_contest(marks: Vector(Int(0, 12), (4, 40))):
    """In a baking contest the highest of the `marks` gets place 1, the next lower one that occurs place 2, and so on:
    equal marks share a place, and no place is left out. Return a tuple of four: list of the places in the order of the
    marks; greatest number of bakers on one place; that place, the best one in a tie; average mark of the contest."""
    places = np.unique_inverse(-np.array(marks)).inverse_indices
    counts = np.bincount(places)
    fullest = np.argmax(counts)
    return places + 1, counts[fullest], fullest + 1, np.mean(marks)
