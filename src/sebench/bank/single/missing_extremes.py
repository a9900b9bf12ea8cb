"""Largest and smallest values, and where they stand, among values of which some are missing."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Cube, Float, Int, Matrix, Missing, Ragged, Vector

# A `Ragged` with one fixed length is a matrix with at least one value that is not missing in each row.

# nanmax


@task
def highest_tide(tides: Vector(Missing(Float(-3, 6)), (4, 8))):
    """The harbour office stores the water level at each high tide in `tides` (metres, may be negative), using nan
    whenever the gauge was stuck. Return the highest level that was really measured, as a number."""
    return np.nanmax(tides)


@task
def best_shot_put(throws: Ragged(Missing(Float(8, 21, 2)), (2, 5), (3, 3))):
    """Shot put final: a row of `throws` contains an athlete's three distances, a foul being nan. Nobody fouled three
    times. Return the best valid distance of each athlete as a list."""
    return np.nanmax(throws, axis=1)


@task
def loudest_per_hour(levels: Ragged(Missing(Int(30, 90)), (2, 5), (3, 3)), hum: Int(40, 70)):
    """Three microphones along a motorway report sound `levels`, one row per hour; nan stands for a dead microphone, and
    at least one is always alive. Below the background `hum` nothing can be told apart, so an hour's result is never
    less than that. Return the loudest level of each hour as a list."""
    return np.nanmax(levels, axis=1, initial=hum)


@task
def hottest_pixel_per_picture(pictures: Cube(Missing(Float(-10, 60)), (2, 3), 2, 3)):
    """A thermal camera took a few `pictures`, each two rows of three temperatures. Defective pixels are nan, though no
    picture consists only of those. Return the highest temperature in every picture as a list."""
    return np.nanmax(pictures, axis=(1, 2))


# nanmin


@task
def coldest_night(nights: Vector(Missing(Float(-20, 12)), (4, 8))):
    """From a winter's list of `nights` (lowest temperature of each night, nan if the thermometer was frozen over) I
    want to know how cold it got at worst. Return that temperature, leaving out the nights without a reading."""
    return np.nanmin(nights)


@task(trips=(4, 7))
def quicker_of_bus_and_tram(bus: Vector(Int(5, 40), "trips"), tram: Vector(Missing(Int(5, 40)), "trips")):
    """For the same trips we know the minutes by `bus` and by `tram`; for some of them there is no tram, which is
    written as nan. Return, trip by trip, the minutes of whichever is quicker and exists, as a list."""
    return np.nanmin([bus, tram], axis=0)


@task
def cheapest_offer_column(offers: Ragged(Missing(Float(2, 30, 2)), (2, 4), (4, 4))):
    """A school kitchen asked four suppliers for prices. Every row of `offers` is a vegetable, with the suppliers'
    prices in it, nan if the supplier does not have it; somebody always does. Return the lowest price per vegetable as a
    single column, so a list of one-element rows."""
    return np.nanmin(offers, axis=1, keepdims=True)


@task(heats=(2, 4))
def new_pool_record(record: Float(50, 58, 1), swims: Matrix(Missing(Float(49, 70)), "heats", 3)):
    """The pool record stands at `record` seconds. Tonight's times are in `swims`, one row per heat and three lanes in
    it, and a disqualified swimmer has nan. What is the record after tonight? Return a number: the old one stays unless
    someone was faster."""
    return np.nanmin(swims, initial=record)


# nanargmax


@task
def highest_jump_position(jumps: Vector(Missing(Float(1.2, 2.4, 2)), (4, 8))):
    """A club's high jump training gives a list of `jumps` in metres, where a knocked-down bar is nan. At which
    position, counted from 0, is the highest successful jump? Return the position, the first one if several are
    equal."""
    return np.nanargmax(jumps)


@task
def favourite_dish_per_guest(ratings: Ragged(Missing(Int(1, 10)), (2, 5), (4, 4))):
    """Guests rate four dishes from 1 to 10: a row of `ratings` per guest, a column per dish, nan for a dish that was
    not tried. Each guest tried something. Return a list with the column number (from 0) of each guest's top rating; on
    equal ratings the leftmost dish wins."""
    return np.nanargmax(ratings, axis=1)


@task(days=(2, 6))
def windiest_station_daily(
    coast: Vector(Int(0, 60), "days"),
    valley: Vector(Missing(Int(0, 60)), "days"),
    summit: Vector(Missing(Int(0, 90)), "days"),
):
    """Three stations measure wind, day by day: `coast` works always, `valley` and `summit` fail at times (nan). Number
    them 0, 1, 2 in this order. Which station had the strongest wind on each day? Return the numbers as a list; the
    lower number wins a draw."""
    return np.nanargmax([coast, valley, summit], axis=0)


@task(rows=(2, 4), cols=(2, 4))
def heaviest_pumpkin_spot(field: Matrix(Missing(Int(1, 80)), "rows", "cols")):
    """Pumpkins grow on a rectangular `field`; each entry is a weight in kilos and nan is an empty spot. Number all
    spots from 0, row after row from left to right, and return the number of the spot with the heaviest pumpkin (the
    earliest if there are several)."""
    return np.nanargmax(field)


# nanargmin


@task
def fastest_lap_index(laps: Vector(Missing(Float(60, 95, 2)), (4, 8))):
    """A kart's lap times in seconds are kept in `laps`. Laps that were cut short are stored as nan and do not compete.
    Return the index of the fastest remaining lap, where 0 is the first lap and the earlier of two equal laps is
    taken."""
    return np.nanargmin(laps)


@task(floors=(2, 4), flats=(2, 4))
def coolest_flat_number(degrees: Matrix(Missing(Float(15, 30)), "floors", "flats")):
    """In a tower block the flats are numbered from 0, through the lowest floor first and then floor by floor. Row i of
    `degrees` holds the room temperatures on floor i, with nan for flats without a sensor. Return the number of the
    coolest flat that has one; take the smallest number if they tie."""
    return np.nanargmin(degrees)


@task
def lightest_parcel_slot(parcels: Ragged(Missing(Float(0.5, 20)), (2, 4), (3, 3))):
    """Every delivery van (a row of `parcels`) has three slots with parcel weights; an empty slot is nan and no van is
    entirely empty. Return for each van the slot, 0 to 2, of its lightest parcel, packed as a one-element row, so that
    the result is a list of rows. Ties go to the lower slot."""
    return np.nanargmin(parcels, axis=1, keepdims=True)


@task(books=(2, 6))
def cheapest_shop_per_book(
    corner_shop: Vector(Missing(Int(5, 30)), "books"),
    web_shop: Vector(Int(5, 30), "books"),
    fleamarket: Vector(Missing(Int(1, 30)), "books"),
):
    """I compare book prices: `corner_shop`, `web_shop` and `fleamarket` list the same books in the same order, nan
    where a seller has no copy. Call the sellers 0, 1 and 2. Return a list saying from whom each book is cheapest; for
    equal prices the smaller number is preferred."""
    return np.nanargmin([corner_shop, web_shop, fleamarket], axis=0)
