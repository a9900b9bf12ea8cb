"""Quizzes, board games, cards and dice: scores, wins, rules."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Choice, Int, Matrix, Vector
from sebench.bank.multi.checks_truth import ALL_NONZERO, ANY_NONZERO, COUNT, NOT

# Hands of three cards: five with the ranks 3, 3 and 5, three with others.
HANDS = Choice([3, 16, 5], [18, 42, 29], [31, 3, 29], [44, 16, 42], [5, 29, 3], [5, 18, 16], [9, 3, 44], [22, 48, 3])


@task(teams=(3, 8), rounds=(4, 9))
def quiz_winners(
    answers: Matrix(Choice("a", "b", "c"), "teams", "rounds"),
    solution: Vector(Choice("a", "b", "c"), "rounds"),
    points: Vector(Int(1, 3), "rounds"),
):
    """In a pub quiz every row of `answers` is one team's choice of letters, question by question. Where the letter is
    that of the `solution`, the team gets the question's `points`. Return a tuple: the positions, from 0, of the teams
    that have the highest score, in ascending order as a list, and how far that score lies above the average of the
    scores."""
    scores = np.dot(np.equal(answers, solution), points)
    best = np.max(scores)
    return np.flatnonzero(np.equal(scores, best)), best - np.mean(scores)


@task(
    equivalent={
        "array_equal -> array_equiv": "the counts of five dice never spread out to 2 and 3",
        "unique_counts -> unique_all": "the counts are a field of both results",
    }
)
def full_house_and_faces(dice: Vector(Choice(1, 1, 1, 2, 2, 2, 3), 5)):
    """Five loaded `dice` with the faces 1, 2 and 3 were thrown. A throw is a full house if it shows exactly two
    different faces, one of them twice and the other three times. Return a tuple: whether it is a full house; how often
    each face that came up was thrown, as a list from the rarest to the most frequent; and the total of the faces."""
    tally = np.sort(np.unique_counts(dice).counts)
    return np.array_equal(tally, [2, 3]), tally, np.sum(dice)


@task(n=(2, 4), equivalent={**ALL_NONZERO, "equal -> isin": "there is one player to look for"})
def lines_of_one_player(board: Matrix(Choice("o", "o", "o", "x"), "n", "n"), player: Choice("o", "o", "o", "x")):
    """A square `board` is filled with the marks o and x, and `player` is one of these marks. A line belongs to the
    player if it holds nothing but the player's mark. Return a tuple of three: list of the positions, from 0, of the
    player's rows; list of the positions of the player's columns; how many of the player's marks lie on the diagonal
    from the top left to the bottom right corner."""
    own = np.equal(board, player)
    return np.flatnonzero(np.all(own, axis=1)), np.flatnonzero(np.all(own, axis=0)), np.trace(own)


@task
def best_hand_up_to_twenty_one(hands: Matrix(Int(4, 9), (3, 9), 3)):
    """Around the table everyone holds three cards, one row of `hands` each. A hand is worth the total of its cards, but
    a hand of more than 21 is worth 0. Return a tuple: the worth of every hand, as a list, and the positions, from 0, of
    the hands with the best worth, as a list (everyone, if each hand is worth 0)."""
    total = np.sum(hands, axis=1)
    worth = total * (total <= 21)
    return worth, np.flatnonzero(worth == np.max(worth))


@task(pegs=(4, 12), equivalent={**COUNT, "equal -> isclose": "colours are whole numbers"})
def code_breaker_pegs(guess: Vector(Int(0, 4), "pegs"), secret: Vector(Int(0, 4), "pegs")):
    """Colours are numbered 0 to 4. For a `guess` at a `secret` row of pegs, black counts the places with the right
    colour. A colour is matched as often as it occurs in the row in which it is rarer; white counts the matches of the
    five colours together, without those that are black. Return the tuple (black, white)."""
    black = np.sum(np.equal(guess, secret))
    shared = np.minimum(np.bincount(guess, minlength=5), np.bincount(secret, minlength=5))
    return black, np.sum(shared) - black


@task(
    rows=(3, 6),
    cols=(4, 8),
    equivalent={
        **COUNT,
        **NOT,
        "greater_equal -> floor_divide": "how often the needed hits fit into the shots is nonzero exactly if they do",
    },
)
def sunk_and_damaged(
    ships: Matrix(Choice(0, 0, 1, 2, 3, 4, 5, 6), "rows", "cols"),
    shots: Matrix(Choice(0, 1, 2, 2, 3, 4), "rows", "cols"),
    needed: Int(1, 2),
):
    """In a sea battle game `ships` holds the number of the ship on each square, 0 for open water, and `shots` how often
    the square was hit. A square is destroyed after `needed` hits or more. A ship is sunk if each of its squares is
    destroyed, and damaged if some are but not the others. Return a tuple of three: ascending list of the numbers of the
    sunk ships; ascending list of the numbers of the damaged ships; how many squares of open water are destroyed."""
    destroyed = np.greater_equal(shots, needed)
    hit, safe = np.extract(destroyed, ships), np.extract(np.logical_not(destroyed), ships)
    sunk, damaged = np.setdiff1d(hit, safe), np.intersect1d(hit, safe)
    return np.setdiff1d(sunk, 0), np.setdiff1d(damaged, 0), np.count_nonzero(hit == 0)


@task(
    equivalent={
        "array_equiv -> allclose": "ranks are whole numbers",
        "remainder -> fmod": "no card has a number below zero",
    }
)
def same_ranks_for_everyone(hands: Vector(HANDS, (2, 5))):
    """Several packs of cards are mixed. A card has a number from 0 to 51, and its rank is what is left of the number
    after taking away as many thirteens as possible. Each row of `hands` belongs to one player. Return a tuple: True if
    everyone holds the same ranks, each as often as the others do, otherwise False; and the ranks on the table, each of
    them once and in ascending order, as a list."""
    ranks = np.sort(np.remainder(hands, 13))
    return np.array_equiv(ranks, ranks[0]), np.unique(ranks)


@task(
    games=(2, 14),
    equivalent={"remainder -> divmod": "the quotients that come along are 0 or -1"},
)
def rock_paper_scissors_match(mine: Vector(Int(0, 2), "games"), yours: Vector(Int(0, 2), "games")):
    """Rock is 0, paper 1, scissors 2. Paper beats rock, scissors beat paper, and rock beats scissors. Round by round,
    `mine` and `yours` list what we showed. My lead after a round is how many of the rounds so far I have won, minus how
    many you have won. Return a tuple: the list of three numbers draws, rounds won by me, rounds won by you; and the
    greatest lead that I had after a round (0 or below if I was never ahead)."""
    outcome = np.remainder(np.subtract(mine, yours), 3)
    lead = np.cumsum(np.take([0, 1, -1], outcome))
    return np.bincount(outcome, minlength=3), np.max(lead)


@task(
    equivalent={
        **COUNT,
        "expand_dims -> outer": "the products with 1 are the same column",
        "unique_counts -> unique_all": "the counts are a field of both results",
    }
)
def rivals_beaten(scores: Vector(Int(3, 14), (5, 18))):
    """After the darts evening the `scores` hang on the wall. Return a tuple: for each player how many have a lower
    score than theirs, as a list in the order of the players, and how many players share the score that came most
    often."""
    beaten = np.count_nonzero(np.greater(np.expand_dims(scores, 1), scores), axis=1)
    return beaten, np.max(np.unique_counts(scores).counts)


@task(players=(2, 4))
def best_ball_card(strokes: Matrix(Int(2, 7), "players", 9), par: Vector(Int(3, 5), 9)):
    """A golf team plays best ball: on every hole only the smallest number of `strokes` counts; rows are players,
    columns holes. Return a tuple: the positions, from 0, of the holes on which the team stayed below `par`, as a list,
    and by how many strokes the team's total lies above the total of par (below zero if it is lower)."""
    best = np.min(strokes, axis=0)
    return np.flatnonzero(np.less(best, par)), np.sum(np.subtract(best, par))


@task(
    rows=(3, 6),
    cols=(5, 12),
    equivalent={
        **ANY_NONZERO,
        **COUNT,
        **dict.fromkeys(
            (f"count_nonzero -> {name}" for name in ("cumsum", "nancumsum", "cumulative_sum")),
            "the greatest running count of a row is its count",
        ),
    },
)
def mistakes_in_the_puzzle(
    filled: Matrix(Choice("o", "o", "o", "o", "o", "x"), "rows", "cols"),
    solved: Matrix(Choice("o", "o", "o", "o", "o", "x"), "rows", "cols"),
):
    """A puzzle grid of the letters o and x was `filled` in; `solved` is the printed solution of the same size. Return a
    tuple: the positions, from 0, of the columns in which at least one letter is wrong, as a list, and how many
    letters are wrong in the row that has the most wrong ones."""
    wrong = np.not_equal(filled, solved)
    return np.flatnonzero(np.any(wrong, axis=0)), np.max(np.count_nonzero(wrong, axis=1))


@task(equivalent=ALL_NONZERO)
def bingo_rows(card: Matrix(Int(1, 12), (3, 7), 4), called: Vector(Int(1, 12), (12, 24))):
    """Children play bingo with a clock face: a `card` has several rows of numbers from 1 to 12, and `called` lists the
    numbers drawn so far. Numbers may repeat in both. Return the positions of the rows, the first being 0, in which
    every number has been called, as a list."""
    return np.flatnonzero(np.all(np.isin(card, called), axis=1))


@task(players=(3, 8))
def forgiven_holes(strokes: Matrix(Int(2, 8), "players", (6, 9)), allowed: Int(3, 5)):
    """At a friendly golf round every player's worst hole, the one with the most strokes (the first, if tied), is
    forgiven: it counts as `allowed` strokes. A row of `strokes` is a player, a column a hole. Return a tuple: the total
    of every player after that, as a list, and the position, from 0, of the winner, who needs the fewest (the first, if
    tied)."""
    card = np.array(strokes)
    np.put_along_axis(card, np.argmax(card, axis=1, keepdims=True), allowed, axis=1)
    totals = np.sum(card, axis=1)
    return totals, np.argmin(totals)
