"""Marks, classes, examinations."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Choice, Float, Int, Matrix, Vector


@task(
    equivalent={
        "count_nonzero -> sum": "the sum of True and False is the number of True",
        "count_nonzero -> nansum": "the sum of True and False is the number of True",
    }
)
def average_of_upper_half(points: Vector(Int(-4, 9), (5, 20))):
    """A teacher wants to know how the better half of a class did in a test in which wrong answers cost points. To it
    belong the pupils whose `points` reach the middle of the class (for an even number of pupils halfway between the two
    central ones), so that it may be more than half. Return a tuple: how many pupils belong to it, and the average of
    their points."""
    better = np.greater_equal(points, np.median(points))
    return np.count_nonzero(better), np.mean(np.compress(better, points))


@task(pupils=(4, 14))
def relatedness_of_subjects(
    maths: Vector(Int(0, 15), "pupils", unique=True),
    physics: Vector(Int(0, 15), "pupils", unique=True),
    art: Vector(Int(0, 15), "pupils", unique=True),
):
    """The same pupils have marks in `maths`, `physics` and `art`. How closely the three subjects go together is told by
    Pearson's correlation of each of the three pairs of subjects, whether above or below zero: return the total of the
    sizes of the three, signs ignored, as a number."""
    table = np.corrcoef([maths, physics, art])
    return np.sum(np.absolute(np.triu(table, k=1)))


@task(pupils=(6, 15))
def best_predictor_of_the_test(
    test: Vector(Int(0, 60), "pupils", unique=True),
    reading: Vector(Int(0, 40), "pupils", unique=True),
    counting: Vector(Int(0, 40), "pupils", unique=True),
    drawing: Vector(Int(0, 40), "pupils", unique=True),
):
    """Which exercise tells most about the entrance `test`? For the same pupils there are scores in `reading` (exercise
    0), `counting` (1) and `drawing` (2). An exercise tells the more, the larger its Pearson correlation with the test
    is, sign ignored. Return a tuple: the number of the exercise that tells most, and how far its correlation with the
    test, sign ignored, lies above the average of the three."""
    links = np.absolute(np.corrcoef([test, reading, counting, drawing])[0, 1:])
    best = np.argmax(links)
    return best, links[best] - np.mean(links)


@task
def share_up_to_each_grade(results: Vector(Choice(0, 31, 49, 50, 58, 64, 65, 72, 79, 80, 93, 100), (5, 30))):
    """Exam `results` out of 100 earn a grade: F below 50, C from 50 to below 65, B from 65 to below 80, A from 80 up to
    and including 100. Return a tuple: a list of four fractions of the candidates, those with F, those with F or C,
    those with B or worse, and everybody; and which grade came most often, as 0 for F, 1 for C, 2 for B, 3 for A (the
    worst of them, if tied)."""
    counts = np.histogram(results, bins=[0, 50, 65, 80, 100])[0]
    return np.divide(np.cumsum(counts), len(results)), np.argmax(counts)


@task
def grouped_estimate_of_age(ages: Vector(Choice(20, 23, 30, 30, 34, 40, 40, 47, 50, 50, 58, 60), (5, 25))):
    """An evening school publishes the `ages` of its students only as counts in four age bands: 20 to 30, 30 to 40, 40
    to 50 and 50 to 60. A student on the border of two bands counts in the upper one, and 60 in the last. A reader takes
    everyone to be at the centre of their band. Return a tuple: the mean age that the reader works out, and the number,
    from 0, of the band with the most students (the youngest, if tied)."""
    counts, borders = np.histogram(ages, bins=4, range=(20, 60))
    centres = borders[:-1] + np.diff(borders) / 2
    return np.average(centres, weights=counts), np.argmax(counts)


@task(without=("constant",))
def scholarship_budget(
    income: Vector(Choice(10, 10, 20, 30, 40, 50, 60, 70, 80, 90, 90), (6, 20)), grants: Vector(Int(100, 900), 4)
):
    """Families are put into four bands of equal width between the lowest and the highest `income`, which differ; the
    bands are numbered 0 to 3. An income exactly on an inner border belongs to the upper band, and the highest income to
    band 3. A family in band b gets as many euros as entry b of `grants` says. Return the euros needed in total."""
    borders = np.histogram_bin_edges(income, bins=4)
    bands = np.digitize(income, borders[1:-1])
    return np.sum(np.take(grants, bands))


@task(
    students=(8, 30),
    equivalent={"table - expected: operands swapped": "in each row the two differences are opposite numbers"},
)
def surprise_in_the_cross_table(
    homework: Vector(Choice(0, 2, 4, 5, 7, 9, 10, 12, 15), "students"),
    grade: Vector(Choice(0, 4, 9, 10, 13, 20), "students"),
):
    """Students fall into three groups by weekly hours of `homework` (below 5, 5 to below 10, 10 to 15) and into two by
    `grade` (below 10, 10 to 20). If both were unrelated, one would expect for a group of the one together with a group
    of the other: size of the one times size of the other, over the number of students. Return a tuple: these expected
    counts as a list of three rows, and the most by which a real count lies above the expected one."""
    table = np.histogram2d(homework, grade, bins=[[0, 5, 10, 15], [0, 10, 20]])[0]
    expected = np.outer(np.sum(table, axis=1), np.sum(table, axis=0)) / len(homework)
    return expected, np.max(table - expected)


@task(
    pupils=(4, 16),
    equivalent={
        "np.argsort(np.argsort(first)) - np.argsort(np.argsort(second)): operands swapped": (
            "only squares and sizes of the differences count"
        )
    },
)
def rank_disagreement_of_teachers(
    first: Vector(Int(0, 60), "pupils", unique=True), second: Vector(Int(0, 60), "pupils", unique=True)
):
    """Two teachers scored the same essays, in the lists `first` and `second`; neither gave the same score twice. For
    each of them an essay has a rank, the lowest score being rank 0. Return a tuple: the squared differences between
    both ranks of an essay, added up over the essays, and the greatest difference of both ranks of an essay, sign
    ignored."""
    apart = np.argsort(np.argsort(first)) - np.argsort(np.argsort(second))
    return np.sum(np.square(apart)), np.max(np.absolute(apart))


@task(pupils=(3, 8), quizzes=(6, 12))
def best_mean_after_dropping(quiz: Matrix(Int(0, 20), "pupils", "quizzes"), dropped: Int(1, 4)):
    """Each pupil is a row of `quiz`, with the results of the year. Of every pupil the worst results do not count, as
    many of them as `dropped` says; the pupil's mark is the average of the others. Return the highest mark in the class,
    as a number."""
    kept = np.partition(quiz, dropped)[:, dropped:]
    return np.max(np.mean(kept, axis=1))


@task(equivalent={"minimum -> fmin": "no value is missing"})
def reading_time_capped(reading: Vector(Int(0, 120), (5, 20))):
    """Pupils report minutes of daily `reading`, some rather boastfully. No report is believed beyond the upper quartile
    plus a quarter of the distance between lower and upper quartile (both interpolated linearly): a longer one counts as
    that limit. Return the average of what is believed, as a number."""
    lower, upper = np.percentile(reading, [25, 75])
    return np.mean(np.minimum(reading, upper + (upper - lower) / 4))


@task(
    children=(5, 25),
    equivalent=dict.fromkeys(
        (f"quantile: method='{name}' added" for name in ("lower", "midpoint")),
        "no score lies between the two neighbours of a quartile, and the lower one belongs to the group below in any "
        "case",
    ),
)
def tutoring_by_quarter(score: Vector(Int(0, 30), "children"), tutoring: Vector(Int(0, 12), "children")):
    """Children are grouped by test `score` at the three quartiles of the class (linear interpolation): group 0 goes
    up to and including the lower quartile, group 1 up to and including the middle one, group 2 up to and including
    the upper one, group 3 is above. Return a list of four numbers: the hours of `tutoring` received by each group
    together."""
    limits = np.quantile(score, [0.25, 0.5, 0.75])
    return np.bincount(np.searchsorted(limits, score), weights=tutoring, minlength=4)


@task(pupils=(3, 12))
def top_of_the_class(parts: Matrix(Int(0, 15), "pupils", 3), importance: Vector(Int(1, 6), 3)):
    """The final mark of a pupil is the weighted mean of the oral, written and practical parts (the columns of `parts`,
    one row per pupil) with the weights in `importance`. Return a tuple: the highest final mark, and the positions (from
    0) of the pupils who have it, as a list."""
    final = np.average(parts, axis=1, weights=importance)
    best = np.max(final)
    return best, np.flatnonzero(final == best)


@task(classes=(2, 6))
def pooled_deviation_of_classes(heights: Matrix(Float(110, 180), "classes", (4, 10))):
    """Body `heights` of pupils are listed class by class, a row for each; every class has its variance, with n - 1 as
    divisor. Return a tuple: the pooled standard deviation, which is the square root of the average variance of the
    classes, and the standard deviation of the class that varies least."""
    variances = np.var(heights, axis=1, ddof=1)
    return np.sqrt(np.mean(variances)), np.sqrt(np.min(variances))
