"""Leagues, races and players."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Choice, Complex, Int, Matrix, Vector, Word

COUNT = {
    "count_nonzero -> sum": "the sum of True and False is the number of True",
    "count_nonzero -> nansum": "the sum of True and False is the number of True",
}


@task(clubs=(4, 8))
def football_table(margins: Matrix(Int(-2, 2), "clubs", (4, 10))):
    """A row of `margins` belongs to a football club and lists, match by match, the goals it scored minus those it let
    in. A match won (margin above zero) brings 3 points, a draw 1 point. The table is headed by the club with most
    points; among clubs with the same points the one with the higher total of margins comes first, and after that the
    lower club number, from 0. Return a tuple of three: list of the club numbers in table order; list of their points in
    that order; standard deviation of the points, with the number of clubs as divisor."""
    goals = np.array(margins)
    points = np.sum(3 * (goals > 0) + (goals == 0), axis=1)
    order = np.lexsort((-np.sum(goals, axis=1), -points))
    return order, points[order], np.std(points)


@task(dives=(3, 9))
def diving_result(judges: Matrix(Int(0, 10), "dives", 7), difficulty: Vector(Int(1, 4), "dives")):
    """In platform diving seven marks are given per dive (a row of `judges`). The two highest and the two lowest marks
    of a dive do not count; its points are the total of the three others times its `difficulty`. Return a tuple: the
    points of the dives as a list, and the position, from 0, of the best dive (the first, if tied)."""
    points = np.sum(np.sort(judges)[:, 2:-2], axis=1) * difficulty
    return points, np.argmax(points)


@task(equivalent=COUNT)
def ladder_places_of_challengers(
    ladder: Vector(Int(1560, 1575), (5, 20)), challengers: Vector(Int(1558, 1577), (0, 12)), prizes: Int(2, 8)
):
    """The chess club's `ladder` holds its members' ratings in no special order. A newcomer's place is 1 plus the number
    of members rated strictly higher. Return a tuple: the place of each rating in `challengers`, as a list, and how many
    of them would come in among the first `prizes` places."""
    places = len(ladder) + 1 - np.searchsorted(np.sort(ladder), challengers, side="right")
    return places, np.count_nonzero(places <= prizes)


@task(squad=(5, 20), equivalent={"negative -> invert": "-x - 1 puts whole numbers in the same order as -x"})
def age_of_selected_players(
    form: Vector(Int(1, 99), "squad", unique=True), age: Vector(Int(16, 39), "squad"), places: Int(1, "squad-1")
):
    """The coach nominates the players with the best `form`, as many as there are `places`, at least one; no two players
    have the same form. The `age` of every player is known. Return a tuple of two: the average age of those nominated;
    how many years lie between the youngest and the oldest of them."""
    nominated = np.take(age, np.argpartition(np.negative(form), places)[:places])
    return np.mean(nominated), np.ptp(nominated)


@task(riders=(3, 8), rounds=(3, 8))
def show_jumping_gaps(faults: Matrix(Int(0, 6), "riders", "rounds")):
    """A show jumping contest is won with the lowest total. `faults` has a row per rider with the penalties of the
    rounds. Return a tuple: the positions of the winners, counted from 0, as a list (more than one if tied), and by how
    much each rider's total exceeds theirs, as a list."""
    totals = np.sum(faults, axis=1)
    gaps = totals - np.min(totals)
    return np.flatnonzero(gaps == 0), gaps


@task(judoka=(0, 25))
def strongest_weight_class(
    kilos: Vector(Choice(52, 59, 60, 66, 74, 75, 81, 89, 90, 104), "judoka"), wins: Vector(Int(0, 9), "judoka")
):
    """Judoka up to but not including 60 kg form class 0, from 60 to below 75 class 1, from 75 to below 90 class 2, from
    90 class 3. Their weights are given in `kilos`, and `wins` says how often each has won. Return a tuple: the class
    with the most wins (the lowest number if tied), and the list of the wins of the four classes, 0 for a class without
    judoka."""
    totals = np.bincount(np.digitize(kilos, [60, 75, 90]), weights=wins, minlength=4)
    return np.argmax(totals), totals


@task(teams=(4, 9))
def fewest_spoiled_matches(
    goals_against: Matrix(Choice(0, 0, 0, 1, 2), "teams", (5, 10)), names: Vector(Word(), "teams", unique=True)
):
    """Goalkeepers hate matches in which they let in a goal at all. `goals_against` gives, a row per team, the goals let
    in match by match; `names` are the teams. Return a tuple: the names as a list, the team with the fewest such matches
    first, and teams with the same number in their given order; and how many such matches the team in the middle of that
    list has (halfway between the two in the middle for an even number of teams)."""
    spoiled = np.count_nonzero(goals_against, axis=1)
    return np.take(names, np.argsort(spoiled, stable=True)), np.median(spoiled)


@task(bouts=(5, 25))
def gaps_in_fencing_standings(winners: Vector(Int(0, 4), "bouts"), reward: Vector(Int(1, 3), "bouts")):
    """Five fencers, numbered 0 to 4, meet in a series of bouts: `winners` tells who won each bout, `reward` how many
    points that bout was worth. In the standings the five stand by their points, of which a fencer without a win has 0.
    Return a tuple: who has the most points (the lowest number, if tied), and the four gaps in points between neighbours
    in the standings, from the bottom to the top, as a list."""
    points = np.bincount(winners, weights=reward, minlength=5)
    return np.argmax(points), np.diff(np.sort(points))


@task(equivalent={"sort_complex -> unique": "players on the same spot are no distance apart, so one of them is enough"})
def pass_along_the_line(players: Vector(Complex(-6, 6, 0), (3, 11))):
    """On a tactics board each of the `players` is a complex number: real part along the pitch, imaginary part across
    it. The ball is passed from player to player in order of the real part, and among equals of the imaginary part,
    straight from one to the next. Return a tuple: the total distance that it travels, and the length of the longest
    pass."""
    passes = np.absolute(np.diff(np.sort_complex(players)))
    return np.sum(passes), np.max(passes)


@task(teams=(3, 9))
def momentum_of_teams(recent: Matrix(Int(0, 9), "teams", 5)):
    """A column in the paper rates momentum. It is the weighted mean of a team's last five scores (a row of `recent`,
    oldest first) with the weights 1, 2, 3, 4, 5, so that late games count most, minus the middle one of the five scores
    when put in order of size. Return a tuple: the momentum of each team, as a list, and the positions, from 0, of the
    teams with momentum above zero, as a list."""
    momentum = np.average(recent, axis=1, weights=np.arange(1, 6)) - np.median(recent, axis=1)
    return momentum, np.flatnonzero(momentum > 0)


@task(bowlers=(3, 8))
def consistency_ranking(pins: Matrix(Int(60, 250), "bowlers", (4, 10))):
    """Bowlers are compared by relative spread: the standard deviation of their games (divisor n - 1) over their
    average. `pins` has a row of games for every bowler. Return the relative spreads, the steadiest bowler's first, as a
    list."""
    relative = np.divide(np.std(pins, axis=1, ddof=1), np.mean(pins, axis=1))
    return np.sort(relative)


@task(
    throws=(5, 25),
    equivalent={"unique_inverse -> unique_all": "values and places are fields of both results"},
)
def darts_by_player(
    thrower: Vector(Word(("ann", "bob", "cleo", "dan", "eve")), "throws"), points: Vector(Int(0, 20), "throws")
):
    """On the slate of a darts bar every throw has a name, in `thrower`, and its `points`. Return a tuple of three: list
    of the names of those who threw, in alphabetical order and each once; list of the total points of each of them; the
    name of the player with the most points (the first in the alphabet, if tied)."""
    names, places = np.unique_inverse(thrower)
    totals = np.bincount(places, weights=points)
    return names, totals, np.take(names, np.argmax(totals))
