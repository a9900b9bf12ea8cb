"""Quizzes, board games, cards and dice: scores, wins, rules."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Choice, Int, Matrix, Vector
from sebench.bank.multi.checks_truth import ALL_NONZERO, ANY_NONZERO, COUNT, OR


@task(teams=(2, 4), rounds=(3, 5))
def quiz_winner(
    answers: Matrix(Choice("a", "b", "c"), "teams", "rounds"),
    solution: Vector(Choice("a", "b", "c"), "rounds"),
    points: Vector(Int(1, 5), "rounds"),
):
    """In a pub quiz every row of `answers` is one team's choice of letters, question by question. Where the letter is
    that of the `solution`, the team gets the question's `points`. Return a tuple: the position, from 0, of the team
    with the highest score (the first, if tied), and the list of all scores."""
    scores = np.dot(np.equal(answers, solution), points)
    return np.argmax(scores), scores


@task(
    equivalent={
        "array_equal -> array_equiv": "the counts of five dice never spread out to 2 and 3",
        "unique_counts -> unique_all": "the counts are a field of both results",
    }
)
def full_house_or_sum(dice: Vector(Choice(1, 1, 1, 2, 2, 2, 3), 5)):
    """Five loaded `dice` with the faces 1, 2 and 3 were thrown. If the throw shows exactly two different faces, one of
    them twice and the other three times, it is worth 25 points; otherwise it is worth the sum of the faces. Return a
    tuple: the points, and how often each face that came up was thrown, as a list from the rarest to the most
    frequent."""
    tally = np.sort(np.unique_counts(dice).counts)
    return np.where(np.array_equal(tally, [2, 3]), 25, np.sum(dice)), tally


@task(n=(2, 3), equivalent={**ALL_NONZERO, **OR, "equal -> isin": "there is one player to look for"})
def lines_of_one_player(board: Matrix(Choice("o", "o", "x"), "n", "n"), player: Choice("o", "o", "x")):
    """A square `board` is filled with the marks o and x, and `player` is one of these marks. Return a list of True and
    False, one for each position i along a side: True if row i or column i, or both, hold nothing but the player's
    mark."""
    own = np.equal(board, player)
    return np.logical_or(np.all(own, axis=0), np.all(own, axis=1))


@task
def best_hand_up_to_twenty_one(hands: Matrix(Int(5, 9), (2, 4), 3)):
    """Around the table everyone holds three cards, one row of `hands` each. A hand is worth the total of its cards, but
    a hand of more than 21 is worth 0. Return a tuple: the worth of every hand, as a list, and the best worth."""
    total = np.sum(hands, axis=1)
    worth = np.where(np.less_equal(total, 21), total, 0)
    return worth, np.max(worth)


@task(pegs=(4, 7), equivalent={**COUNT, "equal -> isclose": "colours are whole numbers"})
def code_breaker_pegs(guess: Vector(Int(0, 3), "pegs"), secret: Vector(Int(0, 3), "pegs")):
    """Colours are numbered 0 to 3. For a `guess` at a `secret` row of pegs, black counts the places with the right
    colour. For each colour take how often it occurs in the row in which it is rarer; the total of these less black is
    white. Return the tuple (black, white)."""
    black = np.count_nonzero(np.equal(guess, secret))
    shared = np.minimum(np.bincount(guess, minlength=4), np.bincount(secret, minlength=4))
    return black, np.subtract(np.sum(shared), black)


@task(
    rows=(2, 4),
    cols=(2, 4),
    equivalent={
        **COUNT,
        **dict.fromkeys(
            (f"logical_and -> {name}" for name in ("multiply", "minimum", "fmin", "lcm")),
            "of numbers from 0 on it is nonzero exactly if both are",
        ),
        "logical_and -> extract": "the nonzero shots on squares with a ship are the squares where both are nonzero",
    },
)
def hits_and_misses(
    ships: Matrix(Choice(0, 0, 0, 1, 2, 3, 4), "rows", "cols"), shots: Matrix(Int(0, 2), "rows", "cols")
):
    """In a sea battle game several ships may lie on one square. `ships` holds how many there are on each square, 0 for
    open water, and `shots` how often the square was fired at. Return as a tuple how many squares with ships were fired
    at, and how many squares of open water were; a square counts once no matter how often."""
    hit = np.logical_and(ships, shots)
    missed = np.logical_and(np.logical_not(ships), shots)
    return np.count_nonzero(hit), np.count_nonzero(missed)


@task(
    equivalent={
        "array_equiv -> allclose": "ranks are whole numbers",
        "remainder -> fmod": "no card has a number below zero",
    }
)
def same_ranks_for_everyone(hands: Matrix(Choice(3, 16, 29, 5, 18), (2, 3), (2, 3))):
    """Several packs of cards are mixed. A card has a number from 0 to 51, and its rank is what is left of the number
    after taking away as many thirteens as possible. Each row of `hands` belongs to one player. Return a tuple: the ranks
    in every hand, each row in ascending order, as a list of rows; and True if all these rows are the same as the first
    one, otherwise False."""
    ranks = np.sort(np.remainder(hands, 13))
    return ranks, np.array_equiv(ranks, ranks[0])


@task(
    games=(3, 8),
    equivalent={
        **COUNT,
        "equal -> isclose": "hands are whole numbers",
        "equal -> isin": "there is one number to look for",
        "equal -> bitwise_and": "of 0, 1 and 2 only 1 has its last bit set",
        "remainder -> divmod": "the quotients that come along are 0 or -1, never 1",
    },
)
def rock_paper_scissors(mine: Vector(Int(0, 2), "games"), yours: Vector(Int(0, 2), "games")):
    """Rock is 0, paper 1, scissors 2. Paper beats rock, scissors beat paper, and rock beats scissors. Round by round,
    `mine` and `yours` list what we showed. Return how many rounds I win."""
    return np.count_nonzero(np.equal(np.remainder(np.subtract(mine, yours), 3), 1))


@task(equivalent={**COUNT, "expand_dims -> outer": "the products with 1 are the same column"})
def rivals_beaten(scores: Vector(Int(3, 8), (4, 7))):
    """After the darts evening the `scores` hang on the wall. Compare every player with every other: return for each
    player how many have a lower score than theirs, as a list in the order of the players."""
    return np.count_nonzero(np.greater(np.expand_dims(scores, 1), scores), axis=1)


@task(players=(2, 3), holes=(3, 6), equivalent=COUNT)
def best_ball_card(strokes: Matrix(Int(2, 7), "players", "holes"), par: Vector(Int(3, 5), "holes")):
    """A golf team plays best ball: on every hole only the smallest number of `strokes` counts; rows are players,
    columns holes. Return as a tuple on how many holes the team stayed below `par`, and the team's total less the total
    of par."""
    best = np.min(strokes, axis=0)
    return np.count_nonzero(np.less(best, par)), np.sum(np.subtract(best, par))


@task(rows=(1, 3), cols=(3, 5), equivalent=ANY_NONZERO)
def wrong_columns(
    filled: Matrix(Choice("o", "o", "o", "x"), "rows", "cols"),
    solved: Matrix(Choice("o", "o", "o", "x"), "rows", "cols"),
):
    """A puzzle grid of the letters o and x was `filled` in; `solved` is the printed solution of the same size. Return
    the positions, from 0, of the columns in which at least one letter is wrong, as a list."""
    return np.flatnonzero(np.any(np.not_equal(filled, solved), axis=0))


@task(equivalent=ALL_NONZERO)
def bingo_rows(card: Matrix(Int(1, 6), (2, 4), 3), called: Vector(Int(1, 6), (5, 8))):
    """Children play bingo with a die: a `card` has several rows of numbers from 1 to 6, and `called` lists the rolls so
    far. Numbers may repeat in both. Return the positions of the rows, the first being 0, in which every number has been
    called, as a list."""
    return np.flatnonzero(np.all(np.isin(card, called), axis=1))
