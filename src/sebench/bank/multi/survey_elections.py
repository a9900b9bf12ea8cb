"""Votes, polls and questionnaires."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Choice, Float, Int, Matrix, Missing, Ragged, Vector


@task(equivalent={"expand_dims -> outer": "the votes times one, as a column, are the same column"})
def price_of_last_seat(votes: Vector(Int(100, 999), (2, 5)), seats: Int(2, 6)):
    """A council gives out its `seats` by highest quotients: every party's `votes` are divided by 1, 2, 3, ... up to
    the number of seats, and the greatest of all these quotients win a seat each. Return the quotient that wins
    the last seat, as a number."""
    quotients = np.divide(np.expand_dims(votes, 1), np.arange(1, seats + 1))
    return np.sort(quotients, axis=None)[-seats]


@task(precincts=(3, 6))
def precincts_and_popular_vote(ballots: Matrix(Int(0, 60), "precincts", 4)):
    """`ballots` lists the votes for four candidates (columns) in every precinct (rows). The candidate with the most
    votes wins a precinct, the leftmost if tied. Return a tuple of two lists with four numbers each: precincts won by
    each candidate, and votes of each candidate in all precincts."""
    won = np.bincount(np.argmax(ballots, axis=1), minlength=4)
    return won, np.sum(ballots, axis=0)


@task(districts=(2, 4), parties=(2, 4))
def leader_on_election_night(counted: Matrix(Missing(Int(1, 300)), "districts", "parties")):
    """It is election night and some figures are still out: `counted` shows votes by district (row) and party (column),
    nan where not reported. From what is reported so far, what fraction of all votes does the party with the most votes
    have? Return it as a number."""
    return np.max(np.divide(np.nansum(counted, axis=0), np.nansum(counted)))


@task(voters=(4, 8))
def smoothed_turnout_by_age(age: Vector(Int(18, 89), "voters"), voted: Vector(Choice(0, 1), "voters")):
    """For some citizens we know the `age` and whether each `voted` (1) or not (0). Return the turnout in the age bands
    18 to under 30, 30 to under 50, 50 to under 70, and 70 to 90, as a list of four. As samples are tiny it is
    estimated in each band by (number who voted + 1) over (number of citizens + 2)."""
    limits = [18, 30, 50, 70, 90]
    citizens = np.histogram(age, bins=limits)[0]
    voters = np.histogram(age, bins=limits, weights=voted)[0]
    return np.divide(np.add(voters, 1), np.add(citizens, 2))


@task(
    equivalent={
        "multiply -> dot": "with a single number as factor it is a plain product",
        "multiply -> inner": "with a single number as factor it is a plain product",
        "multiply -> convolve": "a list of one number only scales the other",
        "multiply -> polymul": "a constant polynomial only scales the other, and no share is zero",
    }
)
def poll_of_polls(polls: Ragged(Missing(Int(1, 45)), (2, 5), (5, 5))):
    """Five institutes publish polls; `polls` has a row for each party with their five figures, nan if an institute left
    the party out. Represent a party by the middle one of its figures (halfway between the two central ones if their number
    is even), then rescale so that all parties add up to 100. Return the rescaled list."""
    middle = np.nanmedian(polls, axis=1)
    return np.multiply(100, np.divide(middle, np.sum(middle)))


@task(people=(4, 8))
def satisfaction_reached(satisfaction: Vector(Int(0, 5), "people"), wanted: Int(1, "people")):
    """People rated their town from 0 (bad) to 5 in `satisfaction`. Return the lowest rating such that at least `wanted`
    people gave this rating or a lower one, as a number."""
    running = np.cumsum(np.bincount(satisfaction))
    return np.searchsorted(running, wanted)


@task(regions=(4, 8))
def opinion_weighted_by_region(
    opinion: Vector(Missing(Float(-5, 5)), "regions"), population: Vector(Int(1, 40), "regions")
):
    """Regions with a given `population` report an average `opinion` from -5 (against) to 5 (in favour); those that sent
    nothing have nan. Return the population-weighted mean opinion of the regions that did report: opinions times
    populations, totalled, over the total population of just these regions."""
    reporting = np.where(np.isnan(opinion), 0, population)
    return np.divide(np.nansum(np.multiply(opinion, population)), np.sum(reporting))


@task(asked=(4, 8))
def favourite_topic_by_age(years: Vector(Int(18, 89), "asked"), topic: Vector(Int(1, 4), "asked")):
    """Respondents aged `years` each chose a `topic` from 1 to 4. Cross-tabulate the age groups 18 to below 35, 35 to
    below 60 and 60 to 90 with the four topics. Return a tuple of two lists with one entry per age group: the column of
    the most chosen topic, where topic 1 is column 0 (the first if tied; 0 if nobody is in the group), and the number of
    people in the group."""
    table = np.histogram2d(years, topic, bins=[[18, 35, 60, 90], [1, 2, 3, 4, 5]])[0]
    return np.argmax(table, axis=1), np.sum(table, axis=1)


@task(answers=(3, 6), equivalent={"maximum -> fmax": "no value is missing"})
def happiness_by_commute(
    commute: Vector(Choice(5, 10, 15, 20, 30, 45, 60, 75, 80), "answers"), happiness: Vector(Int(0, 10), "answers")
):
    """Does a long commute spoil the mood? Sort the answers by `commute` into class 0 (up to 15 minutes), 1 (over 15 up to
    30), 2 (over 30 up to 60) and 3 (over 60). Return the average `happiness` of each class as a list of four numbers, 0 for
    a class without answers."""
    kind = np.digitize(commute, [15, 30, 60], right=True)
    people = np.bincount(kind, minlength=4)
    return np.divide(np.bincount(kind, weights=happiness, minlength=4), np.maximum(people, 1))


@task(households=(3, 7), equivalent={"maximum -> fmax": "no value is missing"})
def shortfall_from_middle_income(income: Vector(Int(5, 100), "households"), members: Vector(Int(1, 6), "households")):
    """For each household a survey knows the `income` per head and the number of `members`. The middle income is the
    smallest income such that at least half of all people (not households) have it or less. Return for each household,
    as a list, the gap up to the middle income as a fraction of the middle income; 0 for households that are not below
    it."""
    middle = np.quantile(income, 0.5, method="inverted_cdf", weights=members)
    return np.divide(np.maximum(np.subtract(middle, income), 0), middle)


@task(
    people=(4, 7),
    equivalent={
        "linalg.eigvalsh -> linalg.eigvals": "a table of covariances is symmetric, so both find the same eigenvalues",
        "linalg.eigvalsh -> linalg.svdvals": "no eigenvalue of a table of covariances is negative",
    },
)
def one_opinion_behind_three_questions(
    taxes: Vector(Int(0, 20), "people", unique=True),
    schools: Vector(Int(0, 20), "people", unique=True),
    roads: Vector(Int(0, 20), "people", unique=True),
):
    """People scored three statements of a questionnaire: `taxes`, `schools`, `roads`. How far does one common opinion
    explain all scores? Form the 3 by 3 table of the covariances between these three, and return its largest eigenvalue
    as a fraction of the sum of its eigenvalues."""
    strengths = np.linalg.eigvalsh(np.cov([taxes, schools, roads]))
    return np.divide(np.max(strengths), np.sum(strengths))
