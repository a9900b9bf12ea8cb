"""Sports: ranks, leagues, judges, laps, targets."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Choice, Int, Matrix, Vector
from sebench.bank.plan import TRUTHS, either_way


@task(runners=(4, 40), equivalent=TRUTHS)
def rank_with_penalties(
    seconds: Vector(Int(60, 90), "runners"), faults: Vector(Int(0, 3), "runners"), who: Int(0, "runners-1")
):
    """In an obstacle race every fault adds 5 to the time of a runner; runner by runner `seconds` holds the time and
    `faults` the number of faults. The lowest result wins. A runner's rank is 1 plus the number of runners with a lower
    result, so equal results share a rank. Return a tuple of three: rank of the runner at position `who`, from 0; number
    of runners with this rank; list of the positions of the runners with rank 3 or better, ascending."""
    result = np.array(seconds) + 5 * np.array(faults)
    rank = np.searchsorted(np.sort(result), result) + 1
    return rank[who], np.count_nonzero(rank == rank[who]), np.flatnonzero(rank <= 3)


@task(matches=(8, 40), equivalent=TRUTHS)
def table_of_the_cup(
    north: Vector(Int(0, 3), "matches"), south: Vector(Int(4, 7), "matches"),
    north_goals: Vector(Int(0, 4), "matches"), south_goals: Vector(Int(0, 4), "matches"),
):  # fmt: skip
    """Eight teams play for a cup; every match is between a team of the north (0 to 3) and one of the south (4 to 7).
    Match by match the lists hold the teams, `north` and `south`, and their goals, `north_goals` and `south_goals`. A
    win gives 3 points, a draw 1, a defeat 0. The table holds the eight teams, even those without a match. It is ordered
    by points, then by goals scored less goals received (both the higher the better), then by the lower team number.
    Return a tuple of three: list of the first three teams of the table; number of teams without a point; most goals in
    one match by both sides together."""
    teams, margin = np.concatenate([north, south]), np.subtract(north_goals, south_goals)
    margins = np.concatenate([margin, -margin])
    points = np.bincount(teams, weights=3 * (margins > 0) + (margins == 0), minlength=8)
    order = np.lexsort((-np.bincount(teams, weights=margins, minlength=8), -points))
    return order[:3], np.count_nonzero(points == 0), np.max(np.add(north_goals, south_goals))


@task
def training_zones(
    pulse: Vector(Int(80, 165), (4, 60)),
    limits: Vector(Choice(100, 110, 120, 130, 140, 150, 160, 170), 4, unique=True, sorted=True)
):  # fmt: skip
    """A watch noted the `pulse` of a runner every minute. Four ascending `limits` part five zones: zone 0 is below the
    first limit, zone 1 goes from the first limit up to but not including the second, and so on; zone 4 begins at the
    last limit. Return a tuple of three: list of the minutes spent in each of the five zones; zone with the most
    minutes, the lowest in a tie; how often the zone changed from one minute to the next."""
    zone = np.digitize(pulse, limits)
    minutes = np.bincount(zone, minlength=5)
    return minutes, np.argmax(minutes), np.count_nonzero(np.diff(zone))


@task(
    gymnasts=(4, 12),
    judges=(4, 8),
    equivalent=either_way("table - np.median(table, axis=1, keepdims=True)"),
)
def judges_and_their_scores(scores: Matrix(Int(10, 30), "gymnasts", "judges")):
    """Each row of `scores` holds what the judges (columns), four or more, gave a gymnast. For the result the highest
    and the lowest score of a gymnast are struck out (one of each) and the others added up. The usual score of a gymnast
    is the middle one of the row in order (midway between the two middle ones for an even number of judges). A judge's
    strangeness is the total, over the gymnasts, of the distances between his score and the usual one, taken as
    positive. Return a tuple of three: row of the winner, from 0; result of the winner; column of the judge with the
    greatest strangeness, from 0. In a tie the first row or column counts."""
    table = np.array(scores)
    result = np.sum(np.sort(table)[:, 1:-1], axis=1)
    strange = np.sum(np.abs(table - np.median(table, axis=1, keepdims=True)), axis=0)
    winner = np.argmax(result)
    return winner, result[winner], np.argmax(strange)


@task(clubs=(3, 9), runners=(5, 12))
def best_relay(seconds: Matrix(Int(50, 80), "clubs", "runners")):
    """Clubs (rows of `seconds`) have timed their runners (columns) over one lap. Each club sends its four quickest
    runners into a relay, and the times of the four are added up. Return a tuple of three: row of the club with the
    lowest total, the first in a tie; that total; difference between the slowest and the quickest of its four."""
    four = np.sort(seconds)[:, :4]
    total = np.sum(four, axis=1)
    club = np.argmin(total)
    return club, total[club], np.ptp(four[club])


@task(runners=(3, 9), sections=(4, 14))
def changes_of_the_lead(minutes: Matrix(Int(14, 18), "runners", "sections")):
    """Row by row `minutes` holds a marathon runner's times for each section of the course. At the end of a section the
    runner with the lowest time since the start leads; of several the one with the lowest row number. Return a tuple of
    three: how often the leader at the end of a section is not the leader at the end of the section before; number of
    different runners who lead at the end of a section; lead in minutes of the winner over the second at the finish, 0
    if they tie."""
    since_start = np.cumsum(minutes, axis=1)
    leader = np.argmin(since_start, axis=0)
    finish = np.sort(since_start[:, -1])
    return np.count_nonzero(np.diff(leader)), np.unique(leader).size, finish[1] - finish[0]


@task(darts=(5, 50))
def darts_on_a_board(
    x: Vector(Int(-12, 12), "darts"), y: Vector(Int(-12, 12), "darts"),
    radii: Vector(Choice(2, 4, 5, 8, 10, 13), 3, unique=True, sorted=True), points: Vector(Int(1, 50), 3),
):  # fmt: skip
    """Darts hit a board at the places `x`, `y`; its centre is at 0, 0. Three circles around the centre with ascending
    `radii` bound three fields: inside the first circle, between the first and the second, between the second and the
    third. A dart exactly on a circle belongs to the field outside it. The fields give the `points`, from the inside
    out; a dart outside the third circle gives 0. Return a tuple of three: points of the throws together; list of the
    numbers of darts in the three fields and outside; position from 0 of the first dart with the most points, even if
    these are 0."""
    field = np.digitize(np.square(x) + np.square(y), np.square(radii))
    scored = np.append(points, 0)[field]
    return np.sum(scored), np.bincount(field, minlength=4), np.argmax(scored)


@task(posts=(4, 40), equivalent={"rise > 0: the other border": "a rise of 0 adds nothing"})
def profile_of_a_hike(
    way: Vector(Int(0, 300), "posts", unique=True, sorted=True), height: Vector(Int(200, 260), "posts"), at: Int(0, 300)
):
    """Posts stand along a trail: `way` holds their distances from the car park, ascending, and `height` their heights.
    Between two posts the trail rises or falls evenly; before the first and after the last it stays level. Return a
    tuple of four: total of the ascents, falls not counted; position from 0 of the post at which the steepest piece
    begins, the one with the highest rise over distance (falls are below 0, so that it may be a fall if nothing rises),
    the first in a tie; height at the distance `at`; difference between the highest and the lowest post."""
    rise = np.diff(height)
    return np.sum(rise[rise > 0]), np.argmax(rise / np.diff(way)), np.interp(at, way, height), np.ptp(height)


@task(equivalent={"bincount: minlength=4 -> 5": "only the counts of 0, 1 and 3 are read"})
def form_of_a_team(points: Vector(Choice(0, 0, 1, 1, 3), (5, 20)), target: Int(2, 24)):
    """A team got these `points` (0, 1 or 3) in its matches one after the other. Return a tuple of four: most points in
    five successive matches; position from 0 of the first of these five, the earliest in a tie; number of matches after
    which the team had at least `target` points for the first time, or 0 if it did not get there; list of the numbers of
    its defeats, draws and wins, with 0, 1 and 3 points."""
    total = np.cumsum(points)
    five = total[4:] - np.concatenate([[0], total[:-5]])
    best = np.argmax(five)
    matches = np.searchsorted(total, target) + 1
    return five[best], best, matches * (matches <= len(points)), np.bincount(points, minlength=4)[[0, 1, 3]]
