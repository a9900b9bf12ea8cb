"""Votes, polls and questionnaires."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Choice, Float, Int, Matrix, Missing, Ragged, Vector


@task(
    equivalent={
        "expand_dims -> outer": "the votes times one, as a column, are the same column",
        "count_nonzero -> sum": "the sum of True and False is the number of True",
        "count_nonzero -> nansum": "the sum of True and False is the number of True",
    }
)
def price_of_last_seat(votes: Vector(Choice(30, 45, 64, 80, 210, 420, 990), (2, 9)), seats: Int(3, 9)):
    """A council gives out its `seats` by highest quotients: every party's `votes` are divided by 1, 2, 3, ... up to the
    number of seats, and the greatest quotients win a seat each. The price of the council is the quotient that wins the
    last seat; every quotient that reaches the price wins, even if that makes the council larger. Return a tuple of
    three: the price; the list of the seats of each party; the list of the positions, from 0, of the parties without a
    seat."""
    quotients = np.divide(np.expand_dims(votes, 1), np.arange(1, seats + 1))
    price = np.sort(quotients, axis=None)[-seats]
    won = np.count_nonzero(quotients >= price, axis=1)
    return price, won, np.flatnonzero(won == 0)


@task
def seats_by_largest_remainder(votes: Vector(Int(20, 400), (3, 9)), seats: Int(5, 30)):
    """A council gives out its `seats` in proportion to the `votes`. A party's claim is votes times seats divided by the
    total of votes. Each party gets the whole part of its claim, and the seats that are left go, one each, to the
    parties with the largest fractions left over (the earlier in the list, if tied). Return a tuple: the seats of each
    party, as a list, and the position, from 0, of the party with the most seats (the first, if tied)."""
    whole, rest = np.divmod(np.multiply(votes, seats), np.sum(votes))
    ahead = np.argsort(np.argsort(-rest, stable=True))
    council = whole + (ahead < seats - np.sum(whole))
    return council, np.argmax(council)


@task(precincts=(5, 20))
def precincts_and_popular_vote(ballots: Matrix(Int(0, 60), "precincts", 4)):
    """`ballots` lists the votes for four candidates (columns) in every precinct (rows). The candidate with the most
    votes wins a precinct, the leftmost if tied. Return a tuple of two lists with four numbers each: precincts won by
    each candidate, and votes of each candidate in the whole country."""
    won = np.bincount(np.argmax(ballots, axis=1), minlength=4)
    return won, np.sum(ballots, axis=0)


@task(districts=(3, 10), parties=(3, 7))
def leader_on_election_night(counted: Matrix(Missing(Int(1, 60)), "districts", "parties")):
    """It is election night and some figures are still out: `counted` shows votes by district (row) and party (column),
    nan if not reported. Who leads, from what is reported so far? Return a tuple: the positions, from 0, of the parties
    with the most votes, as a list (more than one if tied), and the fraction of the reported votes that such a party
    has."""
    votes = np.nansum(counted, axis=0)
    most = np.max(votes)
    return np.flatnonzero(votes == most), most / np.nansum(counted)


@task(voters=(8, 30))
def smoothed_turnout_by_age(
    age: Vector(Choice(18, 24, 29, 30, 38, 49, 50, 61, 69, 70, 84, 90), "voters"), voted: Vector(Choice(0, 1), "voters")
):
    """For some citizens we know the `age`, 18 to 90, and whether each `voted` (1) or not (0). In the age bands 18 to
    under 30, 30 to under 50, 50 to under 70, and 70 to 90, the turnout is estimated, as samples are small, by (number
    who voted + 1) over (number of citizens + 2). Return a tuple of three: the estimates of the four bands as a list;
    the number, from 0, of the band with the highest estimate (the youngest, if tied); how far its estimate lies above
    the lowest."""
    limits = [18, 30, 50, 70, 90]
    citizens = np.histogram(age, bins=limits)[0]
    turnout = np.divide(np.histogram(age, bins=limits, weights=voted)[0] + 1, citizens + 2)
    return turnout, np.argmax(turnout), np.ptp(turnout)


@task
def poll_of_polls(polls: Ragged(Missing(Int(5, 30)), (3, 8), (6, 6))):
    """Six institutes publish polls; `polls` has a row for each party with their six figures, nan if an institute left
    the party out. A party stands at the middle one of its figures (halfway between the two central ones if their number
    is even), and the standings are rescaled so that together they make 100. Return a tuple of two lists: the positions
    of the parties, from 0, the strongest first (in the given order, if tied); their rescaled standings in that
    order."""
    middle = np.nanmedian(polls, axis=1)
    order = np.argsort(-middle, stable=True)
    return order, 100 * middle[order] / np.sum(middle)


@task(people=(8, 30))
def satisfaction_reached(satisfaction: Vector(Int(0, 9), "people"), wanted: Int(1, "people")):
    """People rated their town from 0 (bad) to 9 in `satisfaction`. Return the lowest rating such that at least `wanted`
    people gave this rating or a lower one, as a number."""
    running = np.cumsum(np.bincount(satisfaction))
    return np.searchsorted(running, wanted)


@task(regions=(5, 18))
def opinion_weighted_by_region(
    opinion: Vector(Missing(Float(-5, 5)), "regions"), population: Vector(Int(1, 40), "regions")
):
    """Regions with a given `population` report an `opinion` from -5 (against) to 5 (in favour); those that sent nothing
    have nan. Return a tuple: the mean opinion of the people in the regions that did report, each person counting as
    their region does, and how far the most favourable report lies above the least favourable one."""
    reported = np.isfinite(opinion)
    known = np.compress(reported, opinion)
    return np.average(known, weights=np.compress(reported, population)), np.ptp(known)


@task(asked=(8, 30))
def favourite_topic_by_age(
    years: Vector(Choice(18, 25, 34, 35, 47, 59, 60, 74, 90), "asked"), topic: Vector(Int(1, 4), "asked")
):
    """Respondents aged `years` each named a `topic` from 1 to 4. There are three age groups: 18 to below 35, 35 to
    below 60, and 60 to 90. Return a tuple of two lists with one entry per age group: the topic named most often (the
    lowest number if tied; 1 if nobody is in the group), and the number of people in the group."""
    table = np.histogram2d(years, topic, bins=[[18, 35, 60, 90], [1, 2, 3, 4, 5]])[0]
    return np.argmax(table, axis=1) + 1, np.sum(table, axis=1)


@task(answers=(0, 25), equivalent={"maximum -> fmax": "no value is missing"})
def happiness_by_commute(
    commute: Vector(Choice(5, 10, 15, 20, 30, 45, 60, 75, 80), "answers"), happiness: Vector(Int(0, 10), "answers")
):
    """Does a long commute spoil the mood? By `commute` the answers belong to class 0 (up to 15 minutes), 1 (over 15 up
    to 30), 2 (over 30 up to 60) or 3 (over 60). Return the average `happiness` of each class as a list of four numbers,
    0 for a class without answers."""
    kind = np.digitize(commute, [15, 30, 60], right=True)
    people = np.bincount(kind, minlength=4)
    return np.divide(np.bincount(kind, weights=happiness, minlength=4), np.maximum(people, 1))


@task(households=(5, 20), equivalent={"maximum -> fmax": "no value is missing"})
def poverty_gap(income: Vector(Int(5, 60), "households"), members: Vector(Int(1, 6), "households")):
    """For each household a survey knows the `income` per head and the number of `members`. The middle income is the
    smallest income such that at least half of the people (not of the households) have it or less. A person's gap is
    what is missing up to the middle income, as a fraction of it; 0 for those who are not below it. Return a tuple: the
    gaps of the households, as a list, and the mean gap per person."""
    middle = np.quantile(income, 0.5, method="inverted_cdf", weights=members)
    gaps = np.maximum(np.subtract(middle, income), 0) / middle
    return gaps, np.average(gaps, weights=members)


@task(
    people=(5, 14),
    equivalent={
        "linalg.eigvalsh -> linalg.eigvals": "a table of covariances is symmetric, so both find the same eigenvalues",
        "cov: bias=True added": "the divisor of the covariances cancels out in the fraction",
        "linalg.eigvalsh -> linalg.svdvals": "no eigenvalue of a table of covariances is negative",
    },
)
def one_opinion_behind_three_questions(
    taxes: Vector(Int(0, 20), "people", unique=True),
    schools: Vector(Int(0, 20), "people", unique=True),
    roads: Vector(Int(0, 20), "people", unique=True),
):
    """People scored three statements of a questionnaire: `taxes`, `schools`, `roads`. How far does one common opinion
    explain the scores? It is told by the 3 by 3 table of their covariances: return its largest eigenvalue as a fraction
    of the total of its eigenvalues."""
    strengths = np.linalg.eigvalsh(np.cov([taxes, schools, roads]))
    return np.max(strengths) / np.sum(strengths)
