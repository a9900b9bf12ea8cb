"""Sums and products, plain and running, that pass over missing values."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Cube, Float, Int, Matrix, Missing, Vector

# nansum


@task
def rain_gauge_total(rain: Vector(Missing(Float(0, 30)), (4, 8))):
    """Our rain gauge writes the millimetres of each day into `rain`, but when its battery was flat the entry is nan.
    How much rain was recorded in total? Return one number and treat the nan days as if nothing had fallen."""
    return np.nansum(rain)


@task(runners=(2, 3), laps=(3, 5))
def sponsor_money_per_lap(pledges: Matrix(Missing(Missing(Int(1, 25))), "runners", "laps")):
    """In a charity run every row of `pledges` belongs to a runner and every column to a lap; an entry is the money that
    the runner earned with that lap, nan if it was not run. Return the money collected in each lap, as a list with one
    number per column (0 if nobody ran it)."""
    return np.nansum(pledges, axis=0)


@task(stalls=(2, 4), hours=(2, 5))
def honey_jars_by_stall(jars: Matrix(Missing(Int(0, 40)), "stalls", "hours")):
    """Beekeepers count the honey `jars` sold at their market stalls: one row per stall, one column per hour, nan where
    someone forgot to count. Return each stall's sum over the counted hours (0 if there are none) as a one-column
    table, meaning a list of rows with a single number in every row."""
    return np.nansum(jars, axis=1, keepdims=True)


@task
def piggy_bank_balance(deposits: Vector(Missing(Float(-5, 20, 2)), (4, 8)), opening: Float(40, 90, 2)):
    """A piggy bank holds `opening` euros. The list `deposits` tells what went in (negative: what was taken out) each
    week, with nan for weeks nobody wrote down. What is the balance afterwards, leaving those weeks out? Return a
    number."""
    return np.nansum(deposits, initial=opening)


# nanprod


@task
def amplifier_chain_gain(gains: Vector(Missing(Float(0.2, 3)), (4, 7))):
    """Several amplifier stages sit one behind the other, so their factors in `gains` multiply. A stage that was never
    measured is listed as nan and is passed over. Return the overall factor as a number."""
    return np.nanprod(gains)


@task(years=(2, 4), funds=(2, 4))
def fund_growth_factors(factors: Matrix(Missing(Float(0.5, 1.6, 2)), "years", "funds")):
    """Row by row, `factors` holds yearly growth factors; the columns are investment funds. Years in which a fund was
    not valued contain nan. By what factor did every fund grow altogether, ignoring those years? Return a list, one
    number per fund (1 when a fund has no valuation at all)."""
    return np.nanprod(factors, axis=0)


@task(lenses=(2, 4), coatings=(2, 3))
def light_through_lenses(shares: Matrix(Missing(Float(0.1, 1, 2)), "lenses", "coatings")):
    """Light loses strength at each coating of a lens. `shares` has one row per lens and gives, coating by coating, the
    share let through; nan means unknown, and unknown coatings count as letting everything through. Return what share
    gets through each entire lens, as a list of rows that hold one number each."""
    return np.nanprod(shares, axis=1, keepdims=True)


@task
def yeast_cells_after_rounds(cells: Int(2, 50), multipliers: Vector(Missing(Float(0.5, 3)), (4, 7))):
    """A flask starts with `cells` yeast cells. In round i their number is multiplied by `multipliers`[i]. A round whose
    counting went wrong shows nan; pretend such a round changed nothing. Return the final number of cells (not
    rounded)."""
    return np.nanprod(multipliers, initial=cells)


# nancumsum


@task
def snow_depth_diary(snowfall: Vector(Missing(Float(0, 25)), (4, 8))):
    """The hut keeper notes fresh `snowfall` in centimetres every evening; a stormy evening without a reading is nan.
    Return a list of the same length that shows how much snow had fallen up to and including each evening, where a nan
    evening adds nothing."""
    return np.nancumsum(snowfall)


@task(pages=(2, 4), lines=(2, 4))
def ledger_carried_forward(ledger: Matrix(Missing(Int(-30, 60)), "pages", "lines")):
    """An old `ledger` has one row per page. The amounts are read from left to right, page after page, and some were
    made illegible by water (nan). The balance starts at 0. Return it after every entry as one flat list covering all
    pages; illegible amounts leave the balance as it was."""
    return np.nancumsum(ledger)


@task(months=(2, 5), branches=(2, 4))
def library_loans_to_date(loans: Matrix(Missing(Int(0, 90)), "months", "branches")):
    """Months are rows and library branches are columns in `loans`, with nan for a month in which a branch sent no
    report. For each branch I need its loans accumulated from the first month onward. Return a table of the same form,
    as a list of rows, counting an unreported month as zero."""
    return np.nancumsum(loans, axis=0)


@task(teams=(2, 4), rounds=(2, 5))
def relay_split_clock(splits: Matrix(Missing(Float(9, 14)), "teams", "rounds")):
    """Each relay team is a row of `splits`, its runners' seconds being listed in running order; where the sensor failed
    there is nan. What did the clock of each team show after every runner if failed sensors add no time? Return a list
    of rows, shaped like the input."""
    return np.nancumsum(splits, axis=1)


# nancumprod


@task
def currency_index_path(changes: Vector(Missing(Float(0.8, 1.2, 2)), (4, 8))):
    """Starting from an index of 1, a currency is multiplied by one number of `changes` per day. Holidays are stored as
    nan and leave the index untouched. Return the index after each day, holidays included, as a list."""
    return np.nancumprod(changes)


@task(shelves=(2, 3), doses=(2, 4))
def dilution_sequence(dilutions: Matrix(Missing(Float(0.4, 0.9)), "shelves", "doses")):
    """A chemist dilutes one sample again and again, following the table `dilutions` row after row, left to right; each
    entry is the factor by which the concentration is multiplied. Broken tubes are written as nan and skipped. Return
    the concentration relative to the start after every cell of the table, as a single flat list in that reading order
    (a skipped cell repeats the value before it, or 1 at the very start)."""
    return np.nancumprod(dilutions)


@task(seasons=(2, 4), ponds=(2, 4))
def frog_population_course(ratios: Matrix(Missing(Float(0.4, 2.5)), "seasons", "ponds")):
    """How did the frogs in each pond develop? Every row of `ratios` is a season, every column a pond, every entry the
    number of frogs divided by that of the season before (nan: not surveyed, assume no change). Return, season by
    season, the number of frogs divided by that before the first season, as a list of rows."""
    return np.nancumprod(ratios, axis=0)


@task(depth=(2, 3))
def still_alive_by_stage(survival: Cube(Missing(Float(0.1, 1)), "depth", 2, 3)):
    """Biologists follow eggs through three stages. `survival` has one block per lake, in it two rows (trout, perch),
    and in each row the three survival rates in order; nan rates count as 1. Return, nested in the same way, the
    fraction of the eggs that is still alive after each stage."""
    return np.nancumprod(survival, axis=2)
