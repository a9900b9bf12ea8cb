"""Equations between blocks of numbers with more than two directions, and matrices turned over."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Cube, Float, Folded, Int, Matrix, Vector, Word

# tensorinv


@task
def lamps_from_grid_light(response: Folded((2, 2, 4))):
    """`response`[i][j][k] is how much one turn of dial k changes the light, up or down, on field (i, j) of a 2 by 2
    stage with four lamp dials. Return the inverse of this linear map, which leads from the light on the fields back to
    the dials, as nested lists indexed [k][i][j]."""
    return np.linalg.tensorinv(response)


@task
def greenhouse_map_reversed(effect: Folded((4, 2, 2))):
    """In a greenhouse with 2 by 2 beds, `effect`[k][i][j] says how much opening the vent over bed (i, j) changes
    thermometer k; there are as many thermometers as beds, four. Return the inverse map, from the four readings back to
    the vents, as nested lists indexed [i][j][k]."""
    return np.linalg.tensorinv(effect, ind=1)


@task
def carillon_hammer_inverse(carillon: Folded((1, 3, 3))):
    """`carillon`[t][b][h] says how much hammer h shifts the pitch of bell b in tower t; there are one tower, three
    bells and three hammers. Return the inverse of this linear map from hammers to bells, nested as [h][t][b]."""
    return np.linalg.tensorinv(carillon)


@task
def irrigation_block_inverse(channels: Folded((2, 1, 2, 4))):
    """`channels`[a][b][c][d] is how much sluice d changes the water on the field at place a, b, c. Here a, b
    and c take 2, 1 and 2 values, and there are four sluices. Return the inverse of this linear map, from the fields to
    the sluices, as nested lists in the order [d][a][b][c]."""
    return np.linalg.tensorinv(channels, ind=3)


# tensorsolve


@task
def sluices_for_water_levels(influence: Folded((2, 2, 4)), levels: Matrix(Int(-9, 9), 2, 2)):
    """Four sluices feed a 2 by 2 grid of ponds whose water levels shall change by `levels`. Find how far each sluice
    must be moved, x, such that for each pond (i, j) the sum over k of `influence`[i][j][k] * x[k] is levels[i][j].
    Return x as a list of four numbers."""
    return np.linalg.tensorsolve(influence, levels)


@task
def heat_of_four_plates(sensing: Folded((4, 2, 2)), sensors: Vector(Int(-9, 9), 4)):
    """A laboratory table has plates in a 2 by 2 arrangement, which heat or cool (negative heat), and four sensors.
    Sensor k shows the sum of `sensing`[k][i][j] * heat[i][j] over all plates, and `sensors` is what they show. Return
    the heats as a list of two rows."""
    return np.linalg.tensorsolve(sensing, sensors)


@task
def sharp_picture_from_blur(blur: Folded((2, 2, 2, 2)), photo: Matrix(Int(0, 9), 2, 2)):
    """A filter has turned a sharp 2 by 2 picture into the `photo`: pixel (i, j) of the photo equals the sum over p and
    q of `blur`[i][j][p][q] * sharp[p][q], where sharp values may be negative. Recover the sharp picture exactly. Return
    it as a list of two rows."""
    return np.linalg.tensorsolve(blur, photo)


@task
def faders_for_seat_volumes(carry: Folded((4, 2, 2)), wanted: Matrix(Int(-9, 9), 2, 2)):
    """`carry`[k][i][j] is how much one notch on the fader of orchestra section k changes the volume at seat (i, j). By
    how many notches, x[k], must each of the four faders move so that the sum over k of carry[k][i][j] * x[k] is
    `wanted`[i][j] for all 2 by 2 seats? Mind that k comes first in carry. Return x as a list of four numbers."""
    return np.linalg.tensorsolve(carry, wanted, axes=(0,))


# matrix_transpose


@task(
    equivalent={
        "linalg.matrix_transpose -> transpose": "for a single table both swap rows and columns",
        "linalg.matrix_transpose -> column_stack": "rows that are set up as columns make the table turned over",
    }
)
def seating_chart_turned(chart: Matrix(Word(), (2, 4), (2, 4))):
    """The `chart` of a wedding hall has a row for each table with the club that each guest belongs to, seat by seat.
    The decorator wants a row for each seat number instead, listing the clubs table by table. Return the chart in that
    form, as a list of rows."""
    return np.linalg.matrix_transpose(chart)


@task
def chess_clock_logs(games: Cube(Int(1, 60), (2, 3), 2, (2, 4))):
    """Every game in `games` is logged as two rows of seconds, White's and Black's, with a column per move. Turn each
    game into one row per move with two columns, leaving the order of the games alone. Return nested lists."""
    return np.linalg.matrix_transpose(games)


@task(rows=(2, 3), cols=(2, 4))
def two_quilts_sideways(summer: Matrix(Float(0, 9), "rows", "cols"), winter: Matrix(Float(0, 9), "rows", "cols")):
    """The quilts `summer` and `winter` are tables of patch weights of the same size. Lay both on their side, so that
    rows and columns change places within each. Return a list of the two new tables, summer first."""
    return np.linalg.matrix_transpose([summer, winter])


@task(floors=(2, 2), rows=(2, 3), cols=(2, 3))
def parking_decks_remapped(
    weekday: Cube(Int(0, 9), "floors", "rows", "cols"), weekend: Cube(Int(0, 9), "floors", "rows", "cols")
):
    """A car park keeps, for `weekday` and `weekend`, a list of floors, each a table of parked cars (lanes by bays).
    Return both in a list, weekday first, nested the same way, but with every floor's table written as bays by lanes."""
    return np.linalg.matrix_transpose([weekday, weekend])
