"""Leagues, races and players."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Complex, Int, Matrix, Vector, Word


@task(clubs=(3, 7), equivalent={"negative -> invert": "-x - 1 puts whole numbers in the same order as -x"})
def football_table(
    points: Vector(Int(1, 4), "clubs"), scored: Vector(Int(0, 12), "clubs"), conceded: Vector(Int(0, 12), "clubs")
):
    """Football clubs, numbered from 0, have `points` and goals `scored` and `conceded`. The table is headed by the club
    with most points; among equal points the better goal difference (scored less conceded) comes first, and after that the
    lower club number. Return the club numbers in table order, as a list."""
    difference = np.subtract(scored, conceded)
    return np.lexsort((np.negative(difference), np.negative(points)))


@task(dives=(2, 4))
def diving_result(judges: Matrix(Int(0, 10), "dives", 5), difficulty: Vector(Int(1, 4), "dives")):
    """In platform diving five marks are given per dive (a row of `judges`). Strike the highest and the lowest mark of
    each dive; the points of the dive are the sum of the three others times its `difficulty`. Return the points of the
    dives as a list."""
    counted = np.sort(judges)[:, 1:-1]
    return np.multiply(np.sum(counted, axis=1), difficulty)


@task
def ladder_places_of_challengers(ladder: Vector(Int(1560, 1575), (3, 8)), challengers: Vector(Int(1558, 1577), (2, 5))):
    """The chess club's `ladder` holds its members' ratings in no special order. A newcomer's place is 1 plus the number
    of members rated strictly higher. Return the place of each rating in `challengers`, as a list."""
    not_higher = np.searchsorted(np.sort(ladder), challengers, side="right")
    return np.subtract(len(ladder) + 1, not_higher)


@task(squad=(3, 8))
def age_of_selected_players(
    form: Vector(Int(1, 99), "squad", unique=True), age: Vector(Int(16, 39), "squad"), places: Int(1, "squad-1")
):
    """The coach nominates the players with the best `form`, as many as there are `places`; no two players have the same
    form. Return the average of the `age` of those nominated, as a number."""
    nominated = np.argpartition(form, -places)[-places:]
    return np.mean(np.take(age, nominated))


@task(riders=(2, 5), rounds=(2, 4))
def show_jumping_gaps(faults: Matrix(Int(0, 12), "riders", "rounds")):
    """A show jumping contest is won with the lowest total. `faults` has a row per rider with the penalties of the rounds.
    Return a tuple: the position of the winner, counted from 0 (of several, the one listed first), and the list of all riders'
    gaps to the winner's total."""
    totals = np.sum(faults, axis=1)
    return np.argmin(totals), np.subtract(totals, np.min(totals))


@task(judoka=(4, 8))
def strongest_weight_class(kilos: Vector(Int(50, 110), "judoka"), wins: Vector(Int(0, 9), "judoka")):
    """Judoka up to but not including 60 kg form class 0, from 60 to below 75 class 1, from 75 to below 90 class 2, from
    90 class 3. Add up the `wins` in each class, the weights being given in `kilos`. Return a tuple (class with most wins,
    lowest number if tied; list of the wins of all four classes)."""
    totals = np.bincount(np.digitize(kilos, [60, 75, 90]), weights=wins, minlength=4)
    return np.argmax(totals), totals


@task(teams=(3, 6))
def fewest_spoiled_matches(goals_against: Matrix(Int(0, 2), "teams", 5), names: Vector(Word(), "teams", unique=True)):
    """Goalkeepers hate matches in which they let in any goal at all. `goals_against` gives, a row per team, the goals
    let in during five matches; `names` are the teams. Return the names as a list, the team with the fewest such matches
    first, and teams with the same number in their given order."""
    spoiled = np.count_nonzero(goals_against, axis=1)
    return np.take(names, np.argsort(spoiled, stable=True))


@task(bouts=(3, 8))
def gaps_in_fencing_standings(winners: Vector(Int(0, 4), "bouts"), reward: Vector(Int(1, 3), "bouts")):
    """Five fencers, numbered 0 to 4, meet in a series of bouts: `winners` tells who won each bout, `reward` how many
    points that bout was worth. Total the points of all five (0 without a win) and line the totals up from the bottom
    to the top of the standings. Return the four gaps between neighbours in this line, as a list."""
    standings = np.bincount(winners, weights=reward, minlength=5)
    return np.diff(np.sort(standings))


@task(equivalent={"sort_complex -> unique": "players on the same spot are no distance apart, so one of them is enough"})
def pass_along_the_line(players: Vector(Complex(-6, 6, 0), (3, 7))):
    """On a tactics board each of the `players` is a complex number: real part along the pitch, imaginary part across it.
    The ball is passed from player to player in order of the real part, and where that is the same, of the imaginary
    part. Return the total distance it travels, straight from one player to the next."""
    passes = np.diff(np.sort_complex(players))
    return np.sum(np.absolute(passes))


@task(teams=(2, 5))
def momentum_of_teams(recent: Matrix(Int(0, 30), "teams", 5)):
    """A column in the paper rates momentum. Of each team's last five scores (a row of `recent`, oldest first) it takes a
    weighted mean with the weights 1, 2, 3, 4, 5, so that late games count most, and compares it with the middle one of the
    five when put in order of size. Return, per team, by how much the weighted mean exceeds that middle score, as a
    list."""
    late = np.average(recent, axis=1, weights=np.arange(1, 6))
    return np.subtract(late, np.median(recent, axis=1))


@task(bowlers=(2, 5))
def consistency_ranking(pins: Matrix(Int(60, 250), "bowlers", (3, 5))):
    """Bowlers are compared by relative spread: the standard deviation of their games (divisor n - 1) over their average.
    `pins` has a row of games for every bowler. Return the relative spreads, the steadiest bowler's first, as a list."""
    relative = np.divide(np.std(pins, axis=1, ddof=1), np.mean(pins, axis=1))
    return np.sort(relative)
