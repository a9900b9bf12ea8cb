"""Schools, surveys and elections: marks, votes, teams, answers."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Choice, Int, Matrix, Vector
from sebench.bank.plan import EVERY, TRUTHS, either_way


@task(pupils=(4, 30), tests=(4, 9))
def grades_without_the_worst_tests(
    marks: Matrix(Int(0, 15), "pupils", "tests"),
    limits: Vector(Choice(10, 20, 30, 40, 50, 60, 70), 3, unique=True, sorted=True)
):  # fmt: skip
    """Each row of `marks` holds the marks of a pupil. The two lowest marks of a pupil are dropped, the others added up.
    Three ascending `limits` part the grades: a total below the first limit gives grade 0, from the first limit on grade
    1, from the second on grade 2, from the third on grade 3. Return a tuple of three: list with the grade of each
    pupil; list with the number of pupils in each of the four grades; highest total."""
    total = np.sum(np.sort(marks)[:, 2:], axis=1)
    grade = np.digitize(total, limits)
    return grade, np.bincount(grade, minlength=4), np.max(total)


@task(
    pupils=(3, 12),
    questions=(6, 25),
    equivalent={"sum -> count_nonzero": "adding up truth values counts the true ones"},
)
def suspicious_pair_of_answers(answers: Matrix(Int(0, 3), "pupils", "questions"), key: Vector(Int(0, 3), "questions")):
    """Every row of `answers` holds a pupil's answers, 0 to 3, to the questions (columns) of a test; `key` holds the
    right answers. Two pupils arouse suspicion by every question to which both gave the same wrong answer. Return a
    tuple of four: lower row of the most suspicious pair; its higher row; number of its suspicious questions; column of
    the question that the fewest pupils got right. In a tie the pair with the lower first row, then with the lower
    second row, and the first question count."""
    table = np.array(answers)
    wrong = table != np.array(key)
    alike = np.sum((table[:, None] == table) & wrong, axis=2)
    low, high = np.triu_indices(len(table), k=1)
    best = np.argmax(alike[low, high])
    return low[best], high[best], alike[low[best], high[best]], np.argmin(np.sum(~wrong, axis=0))


@task(parties=(3, 7), equivalent=TRUTHS)
def seats_by_highest_quotients(votes: Vector(Choice(30, 60, 90, 100, 120, 240, 300), "parties"), seats: Int(4, 12)):
    """In an election the parties got these `votes`. To hand out the `seats`, the votes of each party are divided by 1,
    2, 3 and so on up to the number of seats; the highest quotients of the parties together win a seat each. Of equal
    quotients those of the party that comes first in the list go first. Return a tuple of four: list of the seats of
    each party; lowest quotient that won a seat; number of parties without a seat; position from 0 of the party with the
    most seats, the first in a tie."""
    quotients = np.ravel(np.array(votes)[:, None] / np.arange(1, seats + 1))
    winners = np.argsort(-quotients, stable=True)[:seats]
    won = np.bincount(winners // seats, minlength=len(votes))
    return won, quotients[winners[-1]], np.count_nonzero(won == 0), np.argmax(won)


@task(equivalent=either_way("np.array(times) - middle"))
def readers_who_stand_out(times: Vector(Int(20, 60), (6, 80))):
    """A class was timed while reading a page. The middle of the `times` is the middle one in order (midway between the
    two middle ones for an even number). The usual distance is the middle, in the same sense, of the distances of the
    times from it, taken as positive. A reader stands out if his distance is more than twice the usual one. Return a
    tuple of five: middle of the times; usual distance; list of the positions from 0 of the readers who stand out;
    standard deviation of the times of the other readers with their number as divisor; greatest distance of a reader."""
    middle = np.median(times)
    distance = np.abs(np.array(times) - middle)
    usual = np.median(distance)
    out = np.flatnonzero(distance > 2 * usual)
    return middle, usual, out, np.std(np.delete(times, out)), np.max(distance)


@task(
    weeks=(4, 30),
    houses=(3, 6),
    equivalent=dict.fromkeys(
        ("flatnonzero -> where", "flatnonzero -> nonzero", "flatnonzero -> argwhere", "flatnonzero -> ix_"),
        "the positions lie deeper, and the last of them is the same",
    ),
)
def race_of_the_houses(points: Matrix(Int(0, 9), "weeks", "houses")):
    """Each row of `points` holds what the houses of a school (columns) earned in a week; points of the weeks add up.
    The winner is the house with the highest total at the end, the first column in a tie. Return a tuple of four: column
    of the winner, from 0; its final total; position from 0 of the first week from which on, to the end, no other house
    has a higher total than the winner; average points of a house in a week over the whole table."""
    total = np.cumsum(points, axis=0)
    winner = np.argmax(total[-1])
    behind = np.flatnonzero(total[:, winner] < np.max(total, axis=1))
    return winner, total[-1, winner], np.max(behind, initial=-1) + 1, np.mean(points)


@task(
    people=(6, 80),
    equivalent=TRUTHS
    | {
        "cov: rowvar=False added": "two lists are two variables either way",
        "cov: arguments 1 and 2 swapped": "a covariance is the same in both directions",
    },
)
def two_questions_of_a_survey(first: Vector(Int(0, 4), "people"), second: Vector(Int(0, 4), "people")):
    """People answered two questions of a survey with a number from 0 to 4; the lists `first` and `second` hold their
    answers, person by person. Return a tuple of four: covariance of the two answers with the number of people less one
    as divisor; commonest pair of answers as a tuple (first, second), in a tie the pair with the lower first and then
    the lower second answer; number of the 25 possible pairs that nobody gave; highest total of the two answers of a
    person."""
    counts = np.bincount(np.array(first) * 5 + np.array(second), minlength=25)
    best = np.argmax(counts)
    covariance = np.cov(first, second)[0, 1]
    return covariance, (best // 5, best % 5), np.count_nonzero(counts == 0), np.max(np.add(first, second))


@task
def fair_teams(skill: Vector(Int(0, 30), (6, 60)), teams: Int(2, 4)):
    """A coach forms `teams` teams. The pupils are put in order of `skill`, the highest first, and handed out to team 0,
    1 and so on up to the last one, then back from the last team to team 0, then again from team 0 on, and so on; where
    the direction changes, the same team gets two pupils one after the other. Return a tuple of three: list of the total
    skills of the teams; difference between the highest and the lowest of these totals; number from 0 of the team with
    the highest total, the first in a tie."""
    turns = np.array([np.arange(teams), np.arange(teams)[::-1]])
    team = np.resize(turns, len(skill))
    total = np.bincount(team, weights=np.sort(skill)[::-1])
    return total, np.ptp(total), np.argmax(total)


@task(
    pupils=(5, 25),
    days=(3, 10),
    equivalent=EVERY | {"sum -> count_nonzero": "pupils who are there are counted by both"},
)
def attendance_of_a_class(present: Matrix(Choice(1, 1, 1, 1, 1, 0), "pupils", "days")):
    """Row by row `present` tells for each pupil on which days (columns) he or she was there (1) or not (0). Return a
    tuple of three: list of the pupils, as row numbers, who were never absent; column of the day with the fewest pupils,
    the first in a tie; number of pupils on that day."""
    table = np.array(present)
    daily = np.sum(table, axis=0)
    worst = np.argmin(daily)
    return np.flatnonzero(np.all(table, axis=1)), worst, daily[worst]


@task(equivalent={"var -> cov": "the covariance of one list is its variance"})
def quarters_of_a_class(marks: Vector(Int(0, 20), (5, 120))):
    """A teacher parts a class by its `marks` at three points: one, two and three quarters of the way through the marks
    in order, on a straight line between the two nearest marks if the point falls between them. Band 0 holds marks below
    the first point, band 1 marks from there up to but not including the second, and so on; band 3 begins at the third
    point. Return a tuple of four: list of the three points; list of the numbers of marks in the four bands; commonest
    mark, the lowest in a tie; variance of the marks with their number less one as divisor."""
    points = np.percentile(marks, [25, 50, 75])
    bands = np.bincount(np.digitize(marks, points))
    return points, bands, np.argmax(np.bincount(marks)), np.var(marks, ddof=1)


@task(voters=(5, 60), options=(3, 6))
def options_by_middle_score(scores: Matrix(Int(0, 5), "voters", "options")):
    """Voters (rows of `scores`) gave each option (column) a number from 0 to 5. The score of an option is the middle
    one of its numbers in ascending order, the lower of the two middle ones if the number of voters is even. Options are
    put in order by this score, then by the total of their numbers (both the higher the better), then by the lower
    column. Return a tuple of three: list of the columns in this order; score of the first of them; number of voters
    whose highest number went to this first option, alone or along with others."""
    table = np.array(scores)
    middle = np.sort(table, axis=0)[(len(table) - 1) // 2]
    order = np.lexsort((-np.sum(table, axis=0), -middle))
    return order, middle[order[0]], np.sum(table[:, order[0]] == np.max(table, axis=1))
