"""Putting values in order."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Choice, Complex, Cube, Float, Int, Matrix, Vector

# sort


@task
def books_by_thickness(thickness: Vector(Float(0.5, 9), (2, 7))):
    """Before moving, I note the `thickness` of every book on a shelf. Return the same numbers from thinnest to thickest
    as a list, with repeats kept."""
    return np.sort(thickness)


@task(rounds=(2, 4), lanes=(3, 5))
def bowling_lanes_in_order(pins: Matrix(Int(0, 10), "rounds", "lanes")):
    """Lanes are columns and rounds are rows in the table `pins`. Arrange every lane on its own so that its numbers grow
    from top to bottom. Return the new table as a list of rows."""
    return np.sort(pins, axis=0)


@task(crates=(2, 4), apples=(2, 4))
def all_apples_in_line(crates_of_apples: Matrix(Int(90, 260), "crates", "apples")):
    """A fruit merchant empties `crates_of_apples` (one row of weights per crate) onto a belt that lines up all apples
    from light to heavy, no matter where they came from. Return this line as one flat list."""
    return np.sort(crates_of_apples, axis=None)


@task
def dice_rolls_tidied(rolls: Cube(Int(1, 6), (2, 3), 2, (3, 4))):
    """In a dice game each of two players rolls several dice per round: `rolls` is a list of rounds, each with one row
    per player. Tidy every single roll so that its numbers ascend, leaving rounds and players in place. Return the same
    nesting."""
    return np.sort(rolls)


# argsort


@task
def starting_order_by_time(times: Vector(Float(40, 99, 2), (2, 7), unique=True)):
    """Skiers have different qualifying `times`. The final is started from the fastest to the slowest. Return the
    skiers' numbers (their positions in the list, from 0) in starting order, as a list."""
    return np.argsort(times)


@task
def queue_by_urgency(urgency: Vector(Int(1, 4), (4, 8))):
    """Patients arrive one after another; `urgency` holds their level, 1 being the most urgent. They are called by
    level, and on the same level in order of arrival. Return the arrival numbers (from 0) in the order of calling, as a
    list."""
    return np.argsort(urgency, stable=True)


@task(judges=(3, 5), cakes=(2, 4))
def judges_from_strict_to_kind(marks: Matrix(Int(0, 12), "judges", "cakes")):
    """Rows of `marks` are judges, columns are cakes. For each cake, list the judges' row numbers from the lowest mark
    to the highest (equal marks: lower row number first). Return these lists as the columns of a table of the same form,
    given as a list of rows."""
    return np.argsort(marks, axis=0, stable=True)


@task(rows=(2, 4), cols=(2, 4))
def seat_filling_order(view: Matrix(Int(1, 30), "rows", "cols")):
    """Theatre seats are numbered from 0 through the first row and on through the next ones. `view` gives, row by row,
    how bad the view from a seat is. Return all seat numbers from the least bad to the worst as a flat list; the smaller
    number comes first among equals."""
    return np.argsort(view, axis=None, stable=True)


# lexsort


@task(teams=(3, 6))
def league_by_points_then_goals(lost_points: Vector(Int(0, 4), "teams"), goals_against: Vector(Int(0, 20), "teams")):
    """A league ranks its teams by `lost_points`, fewest first; where these are equal, by `goals_against`, again fewest
    first; if still equal, the team listed earlier stays ahead. Return the teams' positions in the lists, from 0, in the
    order of the ranking."""
    return np.lexsort((goals_against, lost_points))


@task(letters=(4, 7))
def letters_by_country_city_street(
    country: Vector(Int(1, 2), "letters"), city: Vector(Int(1, 3), "letters"), street: Vector(Int(1, 30), "letters")
):
    """A postman puts letters in order by the code of the `country` first, then of the `city`, then of the `street`, all
    ascending. Return the letters' original positions, from 0, in their new order, as a list; identical addresses keep
    their order."""
    return np.lexsort((street, city, country))


@task
def columns_by_last_row(deck: Matrix(Int(1, 3), (3, 4), (4, 6))):
    """Each column of the table `deck` is a card with several attributes. Cards are put in ascending order of the bottom
    row; ties are broken by the row above it, and so on to the top row. Return the column numbers (from 0) in that
    order; full ties stay as they are."""
    return np.lexsort(deck)


@task(n=(6, 14))
def ferries_by_departure(hours: Vector(Int(6, 9), "n"), minutes: Vector(Choice(0, 15, 30, 45), "n")):
    """Ferry number i leaves at `hours`[i] o'clock and `minutes`[i] minutes. Return the numbers of the ferries, counted
    from 0, in the order of departure; ferries that leave at the same time are listed by number."""
    return np.lexsort((minutes, hours))


# partition


@task(n=(3, 7))
def time_at_rank(finish: Vector(Float(9, 30, 2), "n"), k: Int(0, "n-1")):
    """The `finish` times of a race come unordered. Which time took rank `k`, where 0 is the winner's? Return this time
    as a number."""
    return np.partition(finish, k)[k]


@task(n=(4, 7))
def lightest_suitcases(suitcases: Vector(Int(1, 11), "n", unique=True), places: Int(1, "n-1")):
    """A small plane can take only the `places` lightest of our `suitcases`, whose weights are all different. Return the
    weights of those that fly, in no particular order, as a set."""
    return set(np.partition(suitcases, places)[:places])


@task(rows=(3, 5), cols=(2, 4))
def jump_of_given_rank(attempts: Matrix(Int(300, 700), "rows", "cols"), rank: Int(0, "rows-1")):
    """Long jumps are noted in centimetres: `attempts` has a column for each athlete and a row for each try. For every
    athlete return the distance that stands at position `rank` when that athlete's jumps are ordered upward (0 is the
    shortest), as a list."""
    return np.partition(attempts, rank, axis=0)[rank]


@task(classes=(2, 4), pupils=(3, 5))
def height_of_chosen_pupils(heights: Matrix(Int(110, 180), "classes", "pupils"), place: Int(1, "pupils")):
    """`heights` has one row per school class. The photographer wants from each class the height of the pupil who is
    number `place` counted from the tallest (1 means the tallest). Return the heights as a list."""
    return np.partition(heights, -place)[:, -place]


# argpartition


@task(n=(3, 7))
def island_of_rank(areas: Vector(Int(1, 500), "n", unique=True), k: Int(0, "n-1")):
    """All islands of a lake have different `areas`. Exactly `k` of them are smaller than the one I live on. Return the
    index of my island in the list, counted from 0."""
    return np.argpartition(areas, k)[k]


@task(n=(4, 7))
def cheapest_flights(fares: Vector(Int(30, 400), "n", unique=True), wanted: Int(1, "n-1")):
    """Out of many `fares`, no two alike, a group books the `wanted` cheapest. Nobody cares which of these is cheapest
    of all. Return the positions (from 0) of the booked fares as a set of whole numbers."""
    return set(np.argpartition(fares, wanted)[:wanted])


@task(n=(3, 6))
def bells_at_place(
    north_tower: Vector(Int(60, 120), "n", unique=True),
    south_tower: Vector(Int(60, 120), "n", unique=True),
    place: Int(1, "n"),
):
    """Two church towers have equally many bells. `north_tower` and `south_tower` tell how loud each bell is; within a
    tower no two are equally loud. Find in each tower the bell that is number `place` from the loudest (1 is the loudest
    itself). Return the positions of these two bells in their lists, from 0, as a list, north first."""
    return np.argpartition([north_tower, south_tower], -place)[:, -place]


@task(loaves=(2, 5))
def baker_at_price_rank(
    mill: Vector(Choice(2.1, 2.4, 2.7, 3.0, 3.3, 3.6), "loaves"),
    square: Vector(Choice(2.0, 2.3, 2.6, 2.9, 3.2, 3.5), "loaves"),
    bridge: Vector(Choice(1.9, 2.2, 2.5, 2.8, 3.1, 3.4), "loaves"),
    rank: Int(0, 2),
):
    """Bakers 0, 1 and 2 sell the same loaves: `mill`, `square` and `bridge` are their price lists, and no two of them
    ask the same for a loaf. For each loaf, return who would stand at position `rank` if its three prices were ordered
    upward (0: cheapest), as a list of baker numbers."""
    return np.argpartition([mill, square, bridge], rank, axis=0)[rank]


# sort_complex


@task
def poles_from_left_to_right(poles: Vector(Complex(-3, 3, 0), (3, 7))):
    """An engineer prints the complex `poles` of a filter from left to right, that is by real part, and from bottom to
    top where real parts agree. Return them in that order as a list of complex numbers, with repeats."""
    return np.sort_complex(poles)


@task
def readings_as_ordered_phasors(readings: Vector(Int(-20, 20), (2, 7))):
    """A plotting tool accepts nothing but complex numbers in ascending order. Our `readings` are ordinary whole
    numbers. Return them ordered and turned into complex ones (imaginary part 0), as a list."""
    return np.sort_complex(readings)


@task(banks=(2, 4))
def eigenfrequencies_per_bank(modes: Matrix(Complex(-2, 2, 0), "banks", 4)):
    """Four complex `modes` were found for each bank of organ pipes, one row per bank. Put each row in ascending order
    separately, comparing real parts and, if these coincide, imaginary parts. Return the complex numbers as a list of
    rows."""
    return np.sort_complex(modes)


@task(dunes=(2, 4))
def dune_profiles_complex(profiles: Matrix(Float(0.1, 12), "dunes", (3, 4))):
    """`profiles` has a row of grain sizes for each dune. The program that reads them wants every row ascending and
    every entry of complex type. Return the prepared rows as a list of lists of complex numbers."""
    return np.sort_complex(profiles)
