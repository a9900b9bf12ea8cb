"""Sports training: laps, marks, pulse zones, league points, ratings."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Int, Matrix, Vector


@task(skiers=(3, 5), stages=(3, 5))
def who_ever_led(minutes: Matrix(Int(2, 30), "skiers", "stages")):
    """A ski tour has stages of very different length. In `minutes`, each row has the stage times of one skier. After every
    stage the leader is whoever has the least total time so far; of skiers with the same total, the one in the upper row.
    Return the row numbers (from 0) of all who led after some stage, ascending and each once, as a list."""
    totals = np.cumsum(minutes, axis=1)
    return np.unique(np.argmin(totals, axis=0))


@task(divers=(2, 4), judges=(4, 6))
def diving_without_outer_marks(marks: Matrix(Int(0, 10), "divers", "judges")):
    """Diving: a row of `marks` has what the judges gave to one diver. Of every row one highest and one
    lowest mark are struck out, and the others added up. Return the sums, as a list."""
    total = np.sum(marks, axis=1)
    return np.subtract(total, np.add(np.max(marks, axis=1), np.min(marks, axis=1)))


@task
def time_in_pulse_zones(pulse: Vector(Int(105, 175), (3, 8))):
    """A watch notes the `pulse` once a minute. Zone 0 lies below 120, zone 1 from 120, zone 2 from 140 and zone 3 from 160
    beats upwards, each up to where the next begins. Return the fraction of the minutes spent in each of the four zones, as a
    list."""
    minutes = np.bincount(np.digitize(pulse, [120, 140, 160]), minlength=4)
    return np.divide(minutes, len(pulse))


@task
def pool_lengths(metres: Vector(Int(10, 400), (2, 6))):
    """The pool is 25 metres long. Swimmers stopped after the distances in `metres`, some of them in mid-pool. Return a
    tuple: the number of complete lengths of all swimmers together, and the furthest anyone was into an unfinished length,
    as a fraction of a length."""
    begun, complete = np.modf(np.divide(metres, 25))
    return np.sum(complete), np.max(begun)


@task(games=(2, 8))
def league_points(scored: Vector(Int(0, 4), "games"), conceded: Vector(Int(0, 4), "games")):
    """Football: a win brings 3 points, a draw 1, a defeat none. For each of our games there is the number of goals `scored`
    and the number `conceded`. Return our points in total."""
    outcome = np.sign(np.subtract(scored, conceded))
    return np.sum(np.choose(outcome + 1, [0, 1, 3]))


@task
def unevenness_of_training(minutes: Vector(Int(20, 120), (4, 8))):
    """A coach looks at the weekly training `minutes` of a rower: how much they change from week to week, and then how much
    these changes differ from one to the next. Return the average size of those second differences, regardless of their
    direction."""
    return np.mean(np.fabs(np.diff(minutes, n=2)))


@task(rounds=(2, 6))
def expected_chess_score(mine: Vector(Int(1200, 2400), "rounds"), rivals: Vector(Int(1200, 2400), "rounds")):
    """By the Elo formula a player expects 1 / (1 + 10^(d/400)) points from a game, where d is the opponent's rating less
    the player's own. Our team plays a match: `mine` lists the ratings of our players, `rivals` those of their opponents.
    Return the points that the whole team expects."""
    odds = np.power(10, np.divide(np.subtract(rivals, mine), 400))
    return np.sum(np.reciprocal(np.add(1, odds)))


@task(pairs=(2, 7))
def damped_rating_changes(before: Vector(Int(0, 90), "pairs"), after: Vector(Int(0, 90), "pairs")):
    """A badminton club rates its pairs and does not want wild jumps. The change from `before` to `after` is damped: its size
    is replaced by the square root of it, gains staying gains and losses staying losses. Return the damped changes as a
    list of numbers, losses below zero."""
    change = np.subtract(after, before)
    return np.copysign(np.sqrt(np.absolute(change)), change)
