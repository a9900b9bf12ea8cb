"""Transport: crowds, waits, routes, fares, queues."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Choice, Int, Matrix, Vector
from sebench.bank.plan import TRUTHS, either_way


@task(n=(6, 80))
def busiest_moment_in_the_shop(arrived: Vector(Int(0, 120), "n"), stayed: Vector(Int(1, 40), "n")):
    """Shopper by shopper `arrived` holds the minute of coming in and `stayed` the number of minutes until leaving.
    Whoever leaves in a minute is gone before others come in during that minute. Return a tuple of two: greatest number
    of shoppers who were inside at the same time; first minute in which this number was reached."""
    minutes = np.concatenate([arrived, np.add(arrived, stayed)])
    change = np.repeat([1, -1], len(arrived))
    order = np.lexsort((change, minutes))
    inside = np.cumsum(change[order])
    fullest = np.argmax(inside)
    return inside[fullest], minutes[order][fullest]


@task(equivalent=TRUTHS)
def who_catches_which_bus(
    buses: Vector(Int(20, 120), (4, 12), unique=True, sorted=True), people: Vector(Int(0, 220), (1, 120))
):
    """The buses of a stop leave at the minutes in `buses`, in ascending order. People come to the stop at the minutes
    in `people`, in no order, and take the next bus; who comes in the very minute of a departure still gets it. Return a
    tuple of three: number of people who come after the last bus; longest wait of those who get a bus; position from 0
    of the bus that takes the most people. In a tie the earliest bus counts; if nobody gets a bus, wait and position are
    0."""
    bus = np.searchsorted(buses, people)
    late = bus == len(buses)
    waits = np.array(buses)[bus[~late]] - np.array(people)[~late]
    riders = np.bincount(bus[~late], minlength=len(buses))
    return np.count_nonzero(late), np.max(waits, initial=0), np.argmax(riders)


@task(n=(4, 30))
def round_trip_by_bearing(east: Vector(Int(-20, 20, but=(0,)), "n"), north: Vector(Int(-20, 20, but=(0,)), "n")):
    """A courier starts at the depot, the origin of a map, visits every customer once and drives back to the depot. The
    customers lie at the coordinates `east` and `north`, none of which is 0. They are visited counterclockwise by
    direction as seen from the depot, beginning just after due west (so south comes before east, and east before north);
    of customers in the same direction the nearer comes first. Every leg is a straight line. Return a tuple of two:
    length of the whole trip; position in the lists, from 0, of the customer who is farthest from the depot, the first
    of those with the same squared distance."""
    squared = np.square(east) + np.square(north)
    order = np.lexsort((squared, np.arctan2(north, east)))
    x = np.concatenate([[0], np.array(east)[order], [0]])
    y = np.concatenate([[0], np.array(north)[order], [0]])
    return np.sum((np.diff(x) ** 2 + np.diff(y) ** 2) ** 0.5), np.argmax(squared)


@task(n=(5, 40), equivalent=TRUTHS)
def lights_that_turn_green_together(first: Vector(Int(6, 40), "n"), second: Vector(Int(6, 40), "n")):
    """At each crossing of a street there are two lights. `first` and `second` hold, crossing by crossing, after how
    many seconds each of the two turns green again; both do at second 0. For every crossing count how often both turn
    green together after second 0 and up to and including second 3600. Return a tuple of four: position from 0 of the
    crossing with the highest count, the first in a tie; that count; number of crossings whose two times have no common
    divisor but 1; middle one of the counts in order, or midway between the two middle ones."""
    divisor = np.gcd(first, second)
    together = 3600 // (np.multiply(first, second) // divisor)
    best = np.argmax(together)
    return best, together[best], np.count_nonzero(divisor == 1), np.median(together)


@task(trips=(3, 10), stops=(4, 14))
def fullest_tram_of_the_day(on: Matrix(Int(0, 15), "trips", "stops"), off: Matrix(Int(0, 9), "trips", "stops")):
    """Each row is a trip of a tram and each column a stop. `on` counts who gets on, `off` who gets off. Trams start
    empty, but counts may be wrong, so that a tram would leave a stop with fewer than 0 people: then take for that trip
    the smallest number of people aboard before its first stop with which that happens at no stop. Return the fullest
    moment of the day as a tuple of three: trip, from 0; stop, from 0; people aboard when leaving that stop. In a tie
    the first trip, then its first stop, counts."""
    aboard = np.cumsum(np.subtract(on, off), axis=1)
    missing = np.min(aboard, axis=1, initial=0, keepdims=True)
    load = aboard - missing
    trip, stop = np.unravel_index(np.argmax(load), load.shape)
    return trip, stop, load[trip, stop]


@task(n=(10, 120), equivalent=TRUTHS)
def busiest_pair_of_zones(start: Vector(Int(0, 5), "n"), end: Vector(Int(0, 5), "n")):
    """A city has six zones, 0 to 5. `start` and `end` hold the zones at which the trips of a day began and ended. Trips
    inside one zone do not matter. For two different zones the trips in both directions count together, so that there
    are 15 pairs. Return a tuple of four: lower zone of the pair with the most trips; its higher zone; number of its
    trips; how many of the 15 pairs have no trip. In a tie the pair with the lower first zone counts, then the one with
    the lower second zone."""
    counts = np.reshape(np.bincount(np.array(start) * 6 + np.array(end), minlength=36), (6, 6))
    low, high = np.triu_indices(6, k=1)
    trips = (counts + counts.T)[low, high]
    best = np.argmax(trips)
    return low[best], high[best], trips[best], np.count_nonzero(trips == 0)


@task(a=(6, 25), b=(6, 25), equivalent=TRUTHS)
def average_speed_check(
    seen_in: Vector(Int(100, 140), "a", unique=True), time_in: Vector(Int(0, 30), "a"),
    seen_out: Vector(Int(100, 140), "b", unique=True), time_out: Vector(Int(35, 90), "b"), fastest: Int(20, 50),
):  # fmt: skip
    """A camera at the entrance of a tunnel saw the plates `seen_in` at the seconds `time_in`; one at the exit saw the
    plates `seen_out` at the seconds `time_out`. Every plate comes once in a list. A car seen at both was too quick if
    it took less than `fastest` seconds. Return a tuple of three: list of the plates of the three quickest cars of those
    seen at both, or of all if they are fewer, quickest first, the lower plate first in a tie; number of cars that were
    too quick; list of the plates that went in and did not come out, ascending."""
    both, entry, exit_ = np.intersect1d(seen_in, seen_out, return_indices=True)
    took = np.array(time_out)[exit_] - np.array(time_in)[entry]
    order = np.argsort(took, stable=True)
    return both[order[:3]], np.count_nonzero(took < fastest), np.setdiff1d(seen_in, seen_out)


@task(equivalent={"concatenate -> block": "lists that are not nested are put end to end by both"})
def waiting_at_an_hourly_timetable(minutes: Vector(Int(0, 59), (1, 12))):
    """Trains leave every hour at the same `minutes` past the hour; the list is in no order, and trains at the same
    minute count once. A gap is the time from a departure to the next one, over the full hour if need be; with one
    departure it is 60. Who comes at a random moment falls into a gap in proportion to its length and then waits half of
    it. Return a tuple of five: longest gap; number of different minutes at which trains leave; lowest minute at which a
    gap of that length begins; expected wait in minutes; standard deviation of the gaps with their number as divisor."""
    leaving = np.unique(minutes)
    gaps = np.diff(np.concatenate([leaving, leaving[:1] + 60]))
    longest = np.argmax(gaps)
    return gaps[longest], leaving.size, leaving[longest], np.average(gaps, weights=gaps) / 2, np.std(gaps)


@task(n=(8, 80))
def takings_of_a_car_park(
    day: Vector(Int(0, 6), "n"), minutes: Vector(Choice(15, 30, 45, 60, 75, 90, 120, 150, 180, 181, 240, 300), "n"),
    rate: Int(2, 5), cap: Int(6, 14),
):  # fmt: skip
    """For every car that was parked `day` holds the weekday (0 to 6) and `minutes` how long it stayed. Every hour that
    was begun costs `rate` coins (60 minutes are one hour, 61 are two), but nobody pays more than `cap` coins. Return a
    tuple of three: list of the takings of the seven weekdays; weekday with the highest takings, the earliest in a tie;
    list of the weekdays that took less than an eighth of the week's takings, ascending."""
    fees = np.minimum((np.array(minutes) + 59) // 60 * rate, cap)
    takings = np.bincount(day, weights=fees, minlength=7)
    return takings, np.argmax(takings), np.flatnonzero(takings * 8 < np.sum(fees))


@task(n=(6, 60))
def lorries_for_the_parcels(weights: Vector(Int(1, 30), "n"), load: Choice(12, 20, 30, 45)):
    """Parcels with these `weights` pass a scale in this order; it adds them up. While it shows at most `load`, the
    parcel just added goes to lorry 0, while it shows more than `load` and at most twice `load`, to lorry 1, and so on;
    a lorry may get no parcel or somewhat more than `load` in this way. Return a tuple of four: number of lorries that
    get a parcel; number of the lorry with the greatest weight, the lowest in a tie; that weight; most parcels in one
    lorry."""
    lorry = (np.cumsum(weights) - 1) // load
    carried = np.bincount(lorry, weights=weights)
    heaviest = np.argmax(carried)
    return np.count_nonzero(carried), heaviest, carried[heaviest], np.max(np.bincount(lorry))


@task(
    n=(5, 25),
    equivalent=either_way("x[:, None] - x", "y[:, None] - y")
    | {
        "max -> ptp": "the depot's own way is 0, the least of the ways",
        "way @ np.array(vans): operands swapped": "ways are the same in both directions",
    },
)
def where_to_build_the_depot(x: Vector(Int(0, 40), "n"), y: Vector(Int(0, 40), "n"), vans: Vector(Int(1, 6), "n")):
    """Building sites lie at the street corners `x`, `y` of a town whose streets run east and north only, so that the
    way between two corners is the difference in x plus the difference in y. Each day the sites send as many vans to the
    depot as `vans` says. The depot is built at the site for which the ways of the vans to it add up to the least, the
    first in a tie. Return a tuple of five: position of that site, from 0; the total of the vans' ways to it; longest
    way of a site to it; middle one of the ways of the sites to it in order, its own 0 included, or midway between the
    two middle ones; difference between the highest and the lowest total of ways that a site would give."""
    x, y = np.array(x), np.array(y)
    way = np.abs(x[:, None] - x) + np.abs(y[:, None] - y)
    total = way @ np.array(vans)
    site = np.argmin(total)
    return site, total[site], np.max(way[site]), np.median(way[site]), np.ptp(total)
