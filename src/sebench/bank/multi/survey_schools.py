"""Marks, classes, examinations."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Float, Int, Matrix, Vector


@task
def average_of_upper_half(points: Vector(Int(-4, 9), (5, 8))):
    """A teacher wants to know how the better half of a class did in a test where wrong answers cost points. Find the middle
    of all `points` (for an even number of pupils halfway between the two central ones), keep the pupils who have at least
    that many, and return the average of those kept, as a number."""
    good = np.greater_equal(points, np.median(points))
    return np.mean(np.compress(good, points))


@task(pupils=(3, 6))
def relatedness_of_subjects(
    maths: Vector(Int(0, 15), "pupils", unique=True),
    physics: Vector(Int(0, 15), "pupils", unique=True),
    art: Vector(Int(0, 15), "pupils", unique=True),
):
    """The same pupils have marks in `maths`, `physics` and `art`. Compute Pearson's correlation for each of the three
    pairs of subjects, ignore the signs, and return the total of the three values as a number."""
    table = np.corrcoef([maths, physics, art])
    return np.sum(np.absolute(np.triu(table, k=1)))


@task
def share_up_to_each_grade(results: Vector(Int(0, 100), (4, 8))):
    """Exam `results` out of 100 earn a grade: F below 50, C from 50 to below 65, B from 65 to below 80, A from 80 up to
    and including 100. Return a list of four fractions of all candidates: those with F, those with F or C, those with B or
    worse, and everybody."""
    counts = np.histogram(results, bins=[0, 50, 65, 80, 100])[0]
    return np.divide(np.cumsum(counts), np.sum(counts))


@task
def grouped_estimate_of_age(ages: Vector(Int(16, 75), (4, 8), unique=True)):
    """An evening school publishes the `ages` of its students only as counts in four age bands of equal width that reach
    from the youngest to the oldest age (a student on the border of two bands counts in the upper one). Return the
    mean age that a reader would estimate from these counts, taking everyone to be at the centre of their band."""
    counts, borders = np.histogram(ages, bins=4)
    centres = borders[:-1] + np.diff(borders) / 2
    return np.average(centres, weights=counts)


@task
def scholarship_budget(income: Vector(Int(10, 90), (3, 8), unique=True), grants: Vector(Int(100, 900), 4)):
    """Families are put into four bands of equal width between the lowest and the highest `income`, numbered 0 to 3; an
    income exactly on an inner border belongs to the upper band, and the highest income to band 3. A family in band b
    gets as many euros as entry b of `grants` says. Return the euros needed in total."""
    borders = np.histogram_bin_edges(income, bins=4)
    bands = np.digitize(income, borders[1:-1])
    return np.sum(np.take(grants, bands))


@task(students=(4, 8))
def expected_if_unrelated(homework: Vector(Int(0, 14), "students"), grade: Vector(Int(0, 19), "students")):
    """Cross-tabulate students by weekly hours of `homework` (below 5, 5 to below 10, 10 to 15: the rows) and by `grade`
    (below 10, 10 to 20: the columns). Return, as a list of three rows, the counts to be expected if both were unrelated:
    row total times column total over the number of students."""
    table = np.histogram2d(homework, grade, bins=[[0, 5, 10, 15], [0, 10, 20]])[0]
    return np.divide(np.outer(np.sum(table, axis=1), np.sum(table, axis=0)), len(homework))


@task(
    pupils=(3, 7),
    equivalent={"subtract: arguments 1 and 2 swapped": "differences are squared"},
)
def rank_disagreement_of_teachers(
    first: Vector(Int(0, 60), "pupils", unique=True), second: Vector(Int(0, 60), "pupils", unique=True)
):
    """Two teachers scored the same essays, in the lists `first` and `second`; neither gave the same score twice. Turn
    both lists into ranks (lowest score is rank 0). Return the disagreement: the squared differences between both
    ranks of an essay, added up over all essays."""
    ranks_one = np.argsort(np.argsort(first))
    ranks_two = np.argsort(np.argsort(second))
    return np.sum(np.square(np.subtract(ranks_one, ranks_two)))


@task(pupils=(2, 4), quizzes=(4, 6))
def best_mean_after_dropping(quiz: Matrix(Int(0, 20), "pupils", "quizzes"), dropped: Int(1, 3)):
    """Each pupil is a row of `quiz`, with all results of the year. From every row the `dropped` worst results are struck
    out and the others are averaged. Return the highest of these averages in the class, as a number."""
    kept = np.partition(quiz, dropped)[:, dropped:]
    return np.max(np.mean(kept, axis=1))


@task(equivalent={"minimum -> fmin": "no value is missing"})
def reading_time_capped(reading: Vector(Int(0, 120), (4, 8))):
    """Pupils report minutes of daily `reading`, some rather boastfully. Let the cap be the upper quartile plus a quarter
    of the distance between lower and upper quartile (both interpolated linearly). Count reports beyond the cap as the cap
    itself and return the average of all reports, as a number."""
    lower, upper = np.percentile(reading, [25, 75])
    return np.mean(np.minimum(reading, upper + (upper - lower) / 4))


@task(children=(4, 8))
def tutoring_by_quarter(score: Vector(Int(0, 50), "children"), tutoring: Vector(Int(0, 12), "children")):
    """Split children by test `score` at the three quartiles of all scores (linear interpolation): group 0 goes up to and
    including the lower quartile, group 1 up to and including the middle one, group 2 up to and including the upper one,
    group 3 is above. Return a list of four numbers: the hours of `tutoring` received by each group together."""
    limits = np.quantile(score, [0.25, 0.5, 0.75])
    return np.bincount(np.searchsorted(limits, score), weights=tutoring, minlength=4)


@task(pupils=(2, 5))
def top_of_the_class(parts: Matrix(Int(0, 15), "pupils", 3), importance: Vector(Int(1, 6), 3)):
    """The final mark of a pupil is the weighted mean of the oral, written and practical parts (the columns of `parts`,
    one row per pupil) with the weights in `importance`. Return a tuple: the position (from 0) of the pupil with the
    highest final mark, the first of several, and that mark."""
    final = np.average(parts, axis=1, weights=importance)
    return np.argmax(final), np.max(final)


@task(classes=(2, 4))
def pooled_deviation_of_classes(heights: Matrix(Float(110, 180), "classes", (3, 5))):
    """Body `heights` of pupils are listed class by class, a row for each. Work out the variance inside every class with
    n - 1 as divisor, average the variances of the classes, and return the square root of the result: the pooled
    standard deviation."""
    return np.sqrt(np.mean(np.var(heights, axis=1, ddof=1)))
