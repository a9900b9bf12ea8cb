"""Sports training: laps, marks, pulse zones, league points, ratings."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Choice, Int, Matrix, Vector


@task(skiers=(3, 8), stages=(3, 9))
def who_ever_led(minutes: Matrix(Int(2, 30), "skiers", "stages")):
    """A ski tour has stages of very different length. In `minutes`, each row has the stage times of one skier. After
    every stage the leader is whoever has the least total time so far; of skiers with the same total, the one in the
    upper row. Return the row numbers (from 0) of all who led after some stage, ascending and each once, as a list."""
    totals = np.cumsum(minutes, axis=1)
    return np.unique(np.argmin(totals, axis=0))


@task(divers=(2, 8), judges=(4, 9))
def diving_without_outer_marks(marks: Matrix(Int(0, 10), "divers", "judges")):
    """Diving: a row of `marks` has what the judges gave to one diver. One highest and one lowest mark of every diver do
    not count; the score is the total of the others. Return the scores, as a list in the order of the rows."""
    outer = np.add(np.max(marks, axis=1), np.min(marks, axis=1))
    return np.sum(marks, axis=1) - outer


@task(borders=(2, 5))
def time_in_pulse_zones(
    pulse: Vector(Choice(100, 110, 115, 120, 125, 130, 140, 150, 155, 160, 165), (5, 40)),
    borders: Vector(Choice(110, 120, 130, 140, 150, 160), "borders", unique=True, sorted=True),
):
    """A watch notes the `pulse` once a minute. Zone 0 lies below the first of the ascending `borders`, zone 1 goes from
    there up to the second one, and so on; the last zone has no upper end. A pulse that hits a border belongs to the
    zone above it. Return a tuple: the number of minutes in every zone, as a list, and the zone in which the most
    minutes were spent (the lowest one if several tie)."""
    minutes = np.bincount(np.digitize(pulse, borders), minlength=len(borders) + 1)
    return minutes, np.argmax(minutes)


@task
def pool_lengths(metres: Vector(Int(10, 400), (3, 20))):
    """The pool is 25 metres long. Swimmers stopped after the distances in `metres`, some of them in mid-pool. Return a
    tuple: the number of complete lengths of all swimmers together, and the furthest anyone was into an unfinished
    length, as a fraction of a length."""
    begun, complete = np.modf(np.divide(metres, 25))
    return np.sum(complete), np.max(begun)


@task(games=(3, 30))
def league_points(scored: Vector(Int(0, 4), "games"), conceded: Vector(Int(0, 4), "games")):
    """Football: a win brings 3 points, a draw 1, a defeat none. For each of our games there is the number of goals
    `scored` and the number `conceded`. Return our points in total."""
    outcome = np.sign(np.subtract(scored, conceded))
    return np.sum(np.choose(outcome + 1, [0, 1, 3]))


@task(rowers=(2, 8), weeks=(4, 12))
def steadiest_rowers(minutes: Matrix(Int(2, 12), "rowers", "weeks")):
    """A row of `minutes` has the training time of one rower, in tens of minutes, week by week. A rower trains steadily
    if the change from one week to the next is always about the same; the unevenness is the average amount by which two
    successive changes differ, whether up or down. Return a tuple: the rowers, counted from 0, from the lowest
    unevenness to the highest (in order where it is the same), and the unevenness in the middle of that order (half-way
    between the two in the middle if their number is even)."""
    unevenness = np.mean(np.fabs(np.diff(minutes, n=2)), axis=1)
    return np.argsort(unevenness, stable=True), np.median(unevenness)


@task(players=(3, 15))
def points_expected_in_match(
    mine: Vector(Choice(1400, 1500, 1600, 1700, 1800, 1900), "players"), rivals: Vector(Int(1300, 2000), "players")
):
    """By the Elo formula a player expects 1 / (1 + 10^(d/400)) points from a game, where d is the opponent's rating
    less the player's own. Our team plays a match: `mine` lists the ratings of our players, `rivals` those of their
    opponents. Return a dict: "expected", the points that the whole team expects; "safest" and "hardest", the positions,
    counted from 0, of the games from which our player expects the most and the fewest points (the first one if several
    tie)."""
    lead = np.subtract(mine, rivals)
    expected = np.reciprocal(1 + np.power(10, -lead / 400))
    return {"expected": np.sum(expected), "safest": np.argmax(lead), "hardest": np.argmin(lead)}


@task(pairs=(2, 8), rounds=(2, 9))
def damped_rating_changes(ratings: Matrix(Int(0, 90), "pairs", "rounds")):
    """A badminton club does not want wild jumps in the `ratings` of its pairs (rows), which it computes after every
    round (columns). The change from one round to the next is damped: its size is replaced by its square root, gains
    staying gains and losses staying losses. The drift of a pair is the total of its damped changes, losses counting
    below zero. Return a tuple: the drifts as a list, and how far the highest drift lies above the lowest."""
    change = np.diff(ratings)
    drift = np.sum(np.copysign(np.sqrt(np.absolute(change)), change), axis=1)
    return drift, np.ptp(drift)


@task(runners=(5, 20), equivalent={"sort -> unique": "no runner reaches the final twice"})
def heats_for_the_final(seconds: Vector(Int(100, 400), "runners", unique=True), places: Int(2, 4), heats: Int(2, 4)):
    """Runners are dealt out to a number of `heats` in turn: runner 0 runs in heat 0, runner 1 in heat 1, and so on, and
    after the last heat it is the turn of heat 0 again. `seconds` lists their times, no two the same, and the `places`
    fastest of all runners reach the final. Return a tuple: the finalists as an ascending list of runner numbers, and
    how many finalists each heat has, as a list."""
    finalists = np.argpartition(seconds, places)[:places]
    return np.sort(finalists), np.bincount(finalists % heats, minlength=heats)
