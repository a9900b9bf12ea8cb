"""Other right programs for single tasks, where an answer does the work of gold in another way."""

import numpy as np

from sebench.bank.references import another


@another(mean="mean", max="max")
def dose_response_line(dose, response):
    cov = np.cov(dose, response)
    slope = cov[0, 1] / cov[0, 0]
    intercept = np.mean(response) - slope * np.mean(dose)
    residuals = np.subtract(response, np.multiply(slope, dose) + intercept)
    return (intercept, np.max(residuals))


@another(sum="sum")
def football_table(margins):
    wins = np.sum(np.greater(margins, 0), axis=1)
    draws = np.sum(np.equal(margins, 0), axis=1)
    points = 3 * wins + draws
    difference = np.sum(margins, axis=1)
    order = np.lexsort((np.negative(difference), np.negative(points)))
    in_order = np.take(points, order)
    return (order.tolist(), in_order.tolist(), np.std(points))


@another(log="log")
def duckweed_on_its_best_days(fronds):
    counts = np.array(fronds)
    rates = np.log(counts[1:] / counts[:-1])
    return float(np.mean(np.sort(rates)[-3:]))


@another(vander="polyval", **{"linalg.lstsq": "polyfit"})
def gauge_curve_and_worst_miss(litres, needle):
    curve = np.polyfit(litres, needle, 2)
    miss = np.absolute(np.polyval(curve, litres) - np.array(needle))
    return (curve.tolist(), float(np.max(miss)))


@another(argmax="argmax")
def machine_with_most_gaps(readings, stuck):
    table = np.array(readings)
    gaps = np.count_nonzero(np.isnan(table) | (table == stuck), axis=1)
    return (np.argmax(gaps), np.max(gaps))


@another(zeros="zeros")
def seating_plan_last_row_first(seats, bookings):
    plan = np.zeros(35)
    np.put(plan, seats, bookings)
    return np.flipud(np.reshape(plan, (5, 7))).tolist()


@another(unravel_index="unravel_index")
def best_row_of_the_arena(quarter, sold):
    upper = [row + row[::-1] for row in quarter]
    plan = upper + upper[::-1]
    width = len(plan[0])
    prices = [plan[s // width][s % width] for s in sold]
    rows = [int(r) for r in np.unravel_index(sold, (len(plan), width))[0]]
    takings = np.bincount(rows, weights=prices).tolist()
    best = int(np.argmax(takings))
    return (best, takings[best])


@another(diag="diag")
def energy_in_each_mode(own, link, push):
    n = len(own)
    table = np.diag(own).tolist()
    for i in range(n - 1):
        table[i][i + 1] = table[i + 1][i] = link[i]
    values, vectors = np.linalg.eigh(table)
    energies = [v * c * c for v, c in zip(values.tolist(), np.dot(push, vectors).tolist(), strict=True)]
    return (np.array(energies) / np.sum(energies)).tolist()


@another(unravel_index="right_shift")
def squares_by_king_distance(squares, king):
    king_file, king_rank = (np.bitwise_and(king, 7), np.right_shift(king, 3))
    places = [(np.bitwise_and(s, 7), np.right_shift(s, 3)) for s in squares]
    moves = [int(np.maximum(np.absolute(f - king_file), np.absolute(r - king_rank))) for f, r in places]
    return np.bincount(moves, minlength=8).tolist()


@another(cumulative_prod="cumulative_prod")
def sticker_price_swing(price, changes):
    factors = [1 + c / 100 for c in changes]
    prices = np.cumulative_prod([float(price)] + factors)
    return (float(np.ptp(prices)), float(np.min(prices)))


@another(count_nonzero="count_nonzero")
def two_questions_of_a_survey(first, second):
    covariance = np.cov(first, second)[0, 1]
    codes = np.array(first) * 5 + np.array(second)
    counts = np.bincount(codes, minlength=25)
    pair = divmod(np.argmax(counts), 5)
    missing = 25 - np.count_nonzero(counts)
    return (covariance, pair, missing, np.max(np.add(first, second)))


@another(flatnonzero="unique", all="unique")
def commonest_codon(bases):
    n = len(bases) // 3
    codons = np.reshape(bases[: 3 * n], (n, 3))
    kinds, first, counts = np.unique(codons, return_index=True, return_counts=True, axis=0)
    best = np.argmax(counts)
    return (kinds[best].tolist(), counts[best], first[best], len(kinds))


@another(count_nonzero="count_nonzero")
def sightings_by_square(east, north):
    edges = [0, 10, 20, 30, 40]
    owls, _, _ = np.histogram2d(east, north, bins=[edges, edges])
    square = np.unravel_index(np.argmax(owls), owls.shape)
    return (owls.size - np.count_nonzero(owls), square, owls[square], np.median(owls))


@another(flatnonzero="flatnonzero")
def longest_spell_of_current(produced, used):
    state = np.sign(np.subtract(produced, used))
    starts = np.flatnonzero(np.diff(state, prepend=2))
    return np.max(np.diff(starts, append=len(state)))


@another(nanmax="nanmax", nansum="nansum")
def months_with_enough_readings(rain, fewest):
    rain = np.array(rain)
    enough = np.count_nonzero(np.isfinite(rain), axis=0) >= fewest
    months = np.count_nonzero(enough)
    if months == 0:
        return (0, 0, 0)
    highest = np.nanmax(np.extract(enough, np.nanmax(rain, axis=0)))
    total = np.nansum(np.extract(enough, np.nansum(rain, axis=0)))
    return (months, highest, total)


@another(count_nonzero="count_nonzero")
def table_of_the_cup(north, south, north_goals, south_goals):
    ahead = np.subtract(north_goals, south_goals)
    draw = (ahead == 0) * 1
    north_points = (ahead > 0) * 3 + draw
    south_points = (ahead < 0) * 3 + draw
    teams = np.concatenate([north, south])
    points = np.bincount(teams, weights=np.concatenate([north_points, south_points]), minlength=8)
    difference = np.bincount(teams, weights=np.concatenate([ahead, -ahead]), minlength=8)
    order = np.lexsort((-difference, -points))
    return (order[:3].tolist(), 8 - np.count_nonzero(points), np.max(np.add(north_goals, south_goals)))


@another(sum="sum")
def settle_the_flat_share(owed):
    balance = np.subtract(np.sum(owed, axis=1), np.sum(owed, axis=0))
    lacking = np.sum(np.maximum(np.subtract(0, balance), 0))
    return (balance.tolist(), np.argmin(balance), lacking)


@another(conjugate="conjugate")
def band_of_energy_levels(hopping):
    h = np.array(hopping)
    levels = np.linalg.eigvalsh(h + np.conjugate(h).T)
    return (np.median(levels), levels[-1] - levels[0])


@another(flatnonzero="flatnonzero")
def longest_spell_of_current(produced, used):
    s = np.sign(np.array(produced) - np.array(used))
    ends = np.flatnonzero(s[1:] != s[:-1]).tolist()
    return np.max(np.diff([-1, *ends, len(produced) - 1]))


@another(log2="log2")
def exposure_values(f_numbers, seconds):
    n, t = (np.array(f_numbers), np.array(seconds))
    ev = 2 * np.log2(n) - np.log2(t)
    return float(np.max(ev) - np.median(ev))


@another(flatnonzero="flatnonzero")
def longest_run_on_the_belt(colours):
    c = np.array(colours)
    cuts = np.flatnonzero(c[1:] != c[:-1]) + 1
    lengths = np.diff(np.concatenate(([0], cuts, [len(colours)])))
    longest = np.max(lengths)
    return (longest, np.count_nonzero(lengths == longest), len(lengths))


@another(any="sum", all="sum")
def threads_that_do_not_hold(tie_up, threading, treadling):
    up = np.sum(np.take(np.take(tie_up, threading, axis=0), treadling, axis=1), axis=1)
    return np.flatnonzero((up == 0) | (up == len(treadling)))


@another(select="where")
def subsidies_of_meadow_owners(hectares, owner, most):
    h = np.array(hectares)
    c = np.where(h >= 50, 3 * h, np.where(h >= 20, h, 10))
    return np.minimum(np.bincount(owner, weights=c, minlength=4), most).tolist()


@another(block="hstack")
def poster_headline_and_body(headline, picture, text):
    return np.append([headline], np.hstack((picture, text)), axis=0)


@another(argmax="argmax")
def long_run_market_shares(moves):
    values, vectors = np.linalg.eig(moves)
    sizes = np.real(vectors[:, np.argmax(np.real(values))])
    return sizes / np.sum(sizes)


@another(bincount="bincount")
def busiest_quarters_of_the_clock(first, gaps):
    minutes = np.remainder(np.cumulative_sum(gaps, include_initial=True) + first, 60)
    departures = np.bincount(minutes // 15, minlength=4)
    return (np.max(departures), np.flatnonzero(departures == np.max(departures)))


@another(exp2="exp2")
def f_stops_for_the_film(first, count, wanted):
    scale = np.exp2(np.arange(first, first + count) / 2)
    nearest = np.argmin(np.absolute(np.expand_dims(wanted, 1) - scale), axis=1)
    return np.unique(scale[nearest])


@another(apply_over_axes="median")
def stars_above_the_sky(exposure):
    background = np.median(np.median(exposure, axis=0))
    return np.maximum(np.subtract(exposure, background), 0)


@another(apply_over_axes="sum")
def branch_shares(loans):
    totals = np.sum(loans, axis=(0, 2))
    return (totals / np.sum(totals), np.argmax(totals))


@another(all="all")
def bus_tyres_inflated(pressure):
    return [[bool(np.all(row))] for row in pressure]


@another(tensordot="outer")
def tides_times_moons(tides, moons):
    return [np.outer(row, moons).tolist() for row in tides]


@another(sum="sum")
def takings_of_a_car_park(day, minutes, rate, cap):
    fees = np.minimum((np.array(minutes) + 59) // 60 * rate, cap)
    takings = np.bincount(day, weights=fees, minlength=7)
    return (takings, np.argmax(takings), np.flatnonzero(takings * 8 < np.sum(takings)))


@another(maximum="maximum")
def settle_the_flat_share(owed):
    balance = np.sum(np.subtract(owed, np.transpose(owed)), axis=1)
    return (balance, np.argmin(balance), np.sum(np.maximum(-balance, 0)))


@another(argsort="argsort")
def wider_pairs_of_paintings(paintings, width):
    one, other = np.triu_indices(len(paintings), k=1)
    widths = np.take(width, one) + np.take(width, other)
    middle = np.median(widths)
    order = [k for k in np.argsort(-widths, stable=True).tolist() if widths[k] > middle]
    return [[paintings[one[k]], paintings[other[k]]] for k in order]


@another(sum="sum")
def rows_with_triple_points(board):
    totals = np.sum(board, axis=1) + 2 * np.diagonal(board)
    return np.flatnonzero(np.greater(totals, np.median(totals)))


@another(ptp="ptp")
def height_of_the_chart(lats):
    return 60 * np.ptp(np.degrees(np.arctanh(np.sin(np.radians(lats)))))


@another(vander="polyval")
def hydrometers_disagree(warmer, base, slope, bend):
    corrections = [np.polyval([c, b, a], warmer) for a, b, c in zip(base, slope, bend, strict=True)]
    return warmer[int(np.argmax(np.ptp(corrections, axis=0)))]


@another(tensordot="sum")
def best_match_on_the_map(tiles, survey):
    likeness = np.sum(np.array(tiles) * survey, axis=(1, 2)) / (1 + np.linalg.matrix_norm(tiles))
    return (np.max(likeness), np.mean(likeness))


@another(swapaxes="transpose")
def book_stock_by_language(stock):
    return np.transpose(stock)


@another(swapaxes="swapaxes")
def columns_of_crosswords(puzzles):
    return [np.swapaxes(puzzle, 0, 1) for puzzle in puzzles]


@another(diag="diagonal")
def fares_two_stations_on(fares):
    return np.diagonal(fares, offset=2)


@another(astype="trunc")
def parking_meter_minutes(credits):
    return np.trunc(credits)


@another(flip="rot90")
def puzzle_half_turn(tray):
    return np.rot90(tray, k=2)


@another(array="atleast_2d")
def single_row_table(heights):
    return np.atleast_2d(heights)


@another(append="column_stack")
def second_semester_grades(autumn, spring):
    return np.column_stack([autumn, spring])


@another(transpose="linalg.matrix_transpose")
def laps_by_runner(laps):
    return np.linalg.matrix_transpose(laps)


@another(transpose="moveaxis")
def judges_first(marks):
    return np.moveaxis(marks, -1, 0)


@another(trunc="modf")
def whole_degrees_of_yacht(latitude, longitude):
    return (np.modf(latitude)[1], np.modf(longitude)[1])


@another(lcm="gcd")
def both_nurses_on_duty(first, second):
    return first * second // np.gcd(first, second)


@another(dot="tensordot")
def nutrients_from_bread(loaves, nutrients):
    return np.tensordot(loaves, nutrients, axes=1)


@another(add="sum")
def two_coils_in_series(first, second):
    return np.sum([first, second], axis=0)


@another(arctan="arctan2")
def hill_slope_angles(gradients):
    return np.arctan2(gradients, 1)


@another(atleast_1d="atleast_1d")
def tip_and_bills(tip, bills):
    return (np.atleast_1d(tip), bills)


@another(array_equiv="array_equiv")
def one_batch_only(labels, batch):
    return np.array_equiv(labels, [batch] * len(labels))


@another(**{"linalg.multi_dot": "linalg.multi_dot"})
def mixed_signal(inputs, first, second, weights):
    return np.linalg.multi_dot([np.linalg.multi_dot([inputs, first, second]), weights])


@another(dot="matmul")
def nutrients_from_bread(loaves, nutrients):
    return np.matmul(loaves, nutrients)


@another(dstack="stack")
def picture_from_colour_plates(red, green, blue):
    return np.stack((red, green, blue), axis=2)


@another(full="tile")
def weekly_menu_prices(weeks, prices):
    return np.tile(prices, (weeks, 1))


@another(power="float_power")
def toy_block_volumes(edges):
    return np.float_power(edges, 3)


@another(moveaxis="swapaxes")
def inside_out_archive(letters):
    return np.swapaxes(letters, 0, 2)


@another(**{"fft.fftfreq": "fft.fftfreq"})
def frequencies_of_turbine(samples, spacing):
    return np.fft.fftfreq(samples) / spacing


@another(**{"fft.rfftfreq": "fft.rfftfreq"})
def pitch_labels(frame, rate):
    return np.fft.rfftfreq(len(frame)) * rate


@another(**{"linalg.det": "cross"})
def roof_tile_area(first_edge, second_edge):
    return np.cross(first_edge, second_edge)
