"""Answers to some tasks in plain Python, without the library: what a policy can work out by itself (`cheats.py`)."""

import cmath
import math
from bisect import bisect_right
from itertools import accumulate, chain, combinations, cycle, islice, pairwise, product
from statistics import fmean, median, pstdev


def ballots_from_two_rooms(hall, gym):
    return [h + g for h, g in zip(hall, gym)]


def last_bus_home(own, last):
    return [wish if wish < last else last for wish in own]


def lamp_switching(time):
    return [[1 if t >= 0 else 0 for t in row] for row in time]


def floor_shown_in_binary(floor):
    return format(floor, "b")


def map_coordinates(eastings, northings):
    return [list(eastings) for _ in northings], [[n] * len(eastings) for n in northings]


def parking_meter_minutes(credits):
    return [int(c) for c in credits]


def pitch_labels(frame, rate):
    n = len(frame)
    return [k * rate / n for k in range(n // 2 + 1)]


def editable_plan_cells(weeks, ahead):
    cells = [(r, c) for r in range(weeks) for c in range(weeks) if c <= r + ahead]
    return {"row": [r for r, _ in cells], "column": [c for _, c in cells]}


def muted_mixer_slots(levels, mute, floor):
    return [
        [[floor if k == slot else v for k, v in enumerate(track)] for track, (slot,) in zip(scene, slots)]
        for scene, slots in zip(levels, mute)
    ]


def sliding_door_view(pane, door):
    return [[row[:door] for row in pane], [row[door:] for row in pane]]


def direction_off_the_ramp(slope, top):
    (a1, b1), (a2, b2) = slope
    a3, b3 = top
    squares = [(a2 * b3 - a3 * b2) ** 2, (a3 * b1 - a1 * b3) ** 2, (a1 * b2 - a2 * b1) ** 2]
    return [s / sum(squares) for s in squares]


def roof_tile_area(first_edge, second_edge):
    return first_edge[0] * second_edge[1] - first_edge[1] * second_edge[0]


def quota_reached(knitted, promised):
    return [k >= p for k, p in zip(knitted, promised)]


def tones_without_shift(left_ear, right_ear):
    return [z.imag == 0 for z in left_ear], [z.imag == 0 for z in right_ear]


def upload_speed_ninetieth(speeds):
    result = []
    for row in speeds:
        valid = sorted(x for x in row if not math.isnan(x))
        place = 0.9 * (len(valid) - 1)
        low, high = math.floor(place), math.ceil(place)
        result.append(valid[low] + (place - low) * (valid[high] - valid[low]))
    return result


def misfit_of_parabola(doses, effects):
    vectors = [[x**power for x in doses] for power in range(3)] + [effects]
    for i, v in enumerate(vectors):
        for b in vectors[:i]:
            f = sum(x * y for x, y in zip(v, b)) / sum(y * y for y in b)
            v = [x - f * y for x, y in zip(v, b)]
        vectors[i] = v
    return sum(x * x for x in vectors[-1])


def third_roots_of_swelling(swelling):
    return [[[math.cbrt(v) for v in row] for row in box] for box in swelling]


def bus_then_ferry(bus, ferry):
    return [[sum(b * f for b, f in zip(row, column)) for column in zip(*ferry)] for row in bus]


def pixel_art_enlarged(pixels):
    return [[p for p in row for _ in range(2)] for row in pixels for _ in range(2)]


def remaining_queue(queue, gone):
    return [person for person in queue if person not in gone]


def receipt_tape(tills):
    return [amount for till in tills for amount in till]


def walk_back(route):
    return route[::-1]


def starting_order_by_time(times):
    return sorted(range(len(times)), key=lambda i: times[i])


def coffee_blend_price(price, kilos):
    weight = sum(kilos)
    return sum(p * k for p, k in zip(price, kilos)) / weight, weight


def pulse_readings_for_storage(pulse):
    return [0] + [b - a for a, b in pairwise(pulse)]


def geographic_printout(latitude, longitude):
    return {"lat": [math.degrees(x) for x in latitude], "lon": [math.degrees(x) for x in longitude]}


def time_dilation_factor(rapidity):
    return math.cosh(rapidity)


def modes_without_swing(modes):
    return sorted(z.real for z in modes if z.imag == 0)


def same_deck_profile(spring, autumn, slack):
    low_s, low_a = min(spring), min(autumn)
    same = all(abs((s - low_s) - (a - low_a)) <= slack for s, a in zip(spring, autumn))
    return same, max(autumn) - low_a


def bingo_rows(card, called):
    drawn = set(called)
    return [i for i, row in enumerate(card) if drawn.issuperset(row)]


def pooled_correlation(found, samples):
    weights = [n - 3 for n in samples]
    return math.tanh(sum(w * math.atanh(r) for w, r in zip(weights, found)) / sum(weights))


def anchor_chain_reach(pull, weight, depths):
    a = pull / weight
    reach = [a * math.acosh(1 + h / a) for h in depths]
    return fmean(reach), max(reach) - min(reach)


def peak_shadow_direction(east, north):
    e, n = max(zip(east, north), key=lambda mark: mark[0] ** 2 + mark[1] ** 2)
    return math.hypot(e, n), math.degrees(math.atan2(e, n))


def pumpkin_girth_between(days, girths, when):
    total = 0
    for i, (d, g) in enumerate(zip(days, girths)):
        total += g * math.prod((when - x) / (d - x) for j, x in enumerate(days) if j != i)
    return total


def vats_with_two_strains(old, new):
    joint = [max(a, b) + math.log2(1 + 2.0 ** -abs(a - b)) for a, b in zip(old, new)]
    middle = median(joint)
    return sorted((g - middle for g in joint), reverse=True)


def fund_between_year_ends(capital, rates):
    values = list(accumulate(rates, lambda v, r: v * (1 + r), initial=capital))
    return max(values), fmean((a + b) / 2 for a, b in pairwise(values))


def chess_league_order(ours, theirs):
    table = []
    for team, (us, them) in enumerate(zip(ours, theirs)):
        table.append([team, sum(1 if a > b else 0.5 if a == b else 0 for a, b in zip(us, them))])
    return sorted(table, key=lambda row: -row[1])


def sharpest_edge_after_blur(line, blur):
    change = [b - a for a, b in zip(line, line[blur:])]
    place = max(range(len(change)), key=lambda i: abs(change[i]))
    edge = change[place]
    return place, (edge > 0) - (edge < 0)


def fabric_list_with_sashing(quilt, strip):
    rows, columns = len(quilt), len(quilt[0])
    patches = [p for row in quilt for p in row]
    patches += [strip] * ((rows + 2) * (2 * columns + 1) - rows * columns)
    counts = [[fabric, patches.count(fabric)] for fabric in set(patches)]
    return sorted(counts, key=lambda fc: (-fc[1], fc[0]))


def club_ranking(points):
    n = len(points)
    balance = [sum((points[i][j] > points[j][i]) - (points[i][j] < points[j][i]) for j in range(n)) for i in range(n)]
    order = sorted(range(n), key=lambda i: -balance[i])
    return order, [balance[i] for i in order]


def room_with_the_fewest_tiles(widths, lengths):
    slabs = [w * n // math.gcd(w, n) ** 2 for w, n in zip(widths, lengths)]
    return slabs.index(min(slabs)), sum(slabs)


def tape_read_backwards(tape):
    digits = "".join(format(byte, "08b") for byte in tape)[::-1].lstrip("0")
    return [int(digits[i : i + 8].ljust(8, "0"), 2) for i in range(0, len(digits), 8)]


def sharpened_led_strip(strip, kernel):
    a, b, c = kernel
    padded = [strip[0], *strip, strip[-1]]
    values = [a * x + b * y + c * z for x, y, z in zip(padded, padded[1:], padded[2:])]
    return [min(max(v, 0), 99) for v in values]


def balls_for_all_over_pattern(motif, rows, stitches, ball):
    used = list(islice(cycle(motif), rows * stitches))
    return [math.ceil(used.count(colour) / ball) for colour in range(5)]


def flat_shares_of_consumption(kilowatts, hours):
    gaps = [b - a for a, b in pairwise(hours)]
    energy = [sum((p + q) / 2 * gap for (p, q), gap in zip(pairwise(flat), gaps)) for flat in kilowatts]
    total = sum(energy)
    return sorted(e / total for e in energy)


def steepest_angle(altitude, along):
    gaps = [b - a for a, b in pairwise(along)]
    lines = [(b - a) / gap for (a, b), gap in zip(pairwise(altitude), gaps)]
    slopes = [lines[0], lines[-1]]
    for (g, h), (s, t) in zip(pairwise(gaps), pairwise(lines)):
        slopes.append((s * h + t * g) / (g + h))
    return round(math.degrees(math.atan(max(abs(s) for s in slopes))), 2)


def halve_the_lumps(lumps):
    total, heaviest = 0, 0
    for weight in lumps:
        pieces = 1
        while weight >= 1:
            weight /= 2
            pieces *= 2
        total += pieces
        heaviest = max(heaviest, weight)
    return {"pieces": total, "heaviest": heaviest}


def vouchers_for_large_bills(baskets, pence):
    bills = [sum(n * p for n, p in zip(basket, pence)) for basket in baskets]
    middle = median(bills)
    pounds, rest = divmod(sum(bills), 100)
    return {"vouchers": [i for i, bill in enumerate(bills) if bill > middle], "pounds": pounds, "pence": rest}


def who_ever_led(minutes):
    totals = zip(*(accumulate(row) for row in minutes))
    return sorted({stage.index(min(stage)) for stage in totals})


def best_customer_of_the_day(km, price, cap):
    paid = [sum(min(cap, price * (1 + int(ride // 3))) for ride in rides) for rides in km]
    return paid, paid.index(max(paid))


def robot_walk_extremes(steps):
    places = list(accumulate(steps))
    return max(abs(z) for z in places), max(z.imag for z in places)


def best_tool_for_each_job(jobs, importance, tools):
    chosen, scores = [], []
    for job in jobs:
        row = [sum(n * w * o for n, w, o in zip(job, importance, tool)) for tool in tools]
        scores.append(max(row))
        chosen.append(row.index(max(row)))
    return chosen, scores, max(chosen.count(tool) for tool in chosen)


def rays_through_a_lens(before, focus, after, rays):
    heights, angles = [], []
    for height, slope in zip(*rays):
        height += before * slope
        slope -= height / focus
        heights.append(abs(height + after * slope))
        angles.append(math.degrees(math.atan(slope)))
    return max(heights), angles


def explained_by_leading_factors(yields):
    columns = [[x - fmean(c) for x in c] for c in zip(*yields)]
    for _ in range(30):
        for i, j in combinations(range(len(columns)), 2):
            pairs = [complex(x, y) for x, y in zip(columns[i], columns[j])]
            turn = cmath.rect(1, -cmath.phase(sum(z * z for z in pairs)) / 2)
            columns[i] = [(z * turn).real for z in pairs]
            columns[j] = [(z * turn).imag for z in pairs]
    variances = sorted((sum(x * x for x in c) for c in columns), reverse=True)
    return [v / sum(variances) for v in accumulate(variances)]


def volumes_of_crystal_cells(cells):
    volumes = []
    for (a, b, c), (d, e, f), (g, h, i) in cells:
        volumes.append(abs(a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)))
    return median(volumes), max(volumes) - min(volumes)


def feeders_of_the_hen_houses(spread, wanted):
    table = [[*row, w] for row, w in zip(spread, chain(*wanted))]
    for k in range(6):
        pivot = max(range(k, 6), key=lambda r: abs(table[r][k]))
        table[k], table[pivot] = table[pivot], table[k]
        table[k] = [x / table[k][k] for x in table[k]]
        for r in range(6):
            if r != k:
                table[r] = [x - table[r][k] * y for x, y in zip(table[r], table[k])]
    amounts = [max(row[6], 0) for row in table]
    return [amounts[h] + amounts[h + 1] for h in (0, 2, 4)]


def tallest_statue_price_share(height, price):
    shares = [p[h.index(max(h))] / sum(p) for h, p in zip(height, price)]
    return sorted(shares, reverse=True)


def plots_that_fit_on_the_cart(crops, sacks, wanted, capacity):
    loads = [s for c, s in zip(chain(*crops), chain(*sacks)) if c in wanted]
    return sum(load <= capacity for load in accumulate(loads))


def stock_value_after_reorder(pieces, order_point, target, price, section):
    values = [0] * 4
    for n, point, goal, cost, s in zip(pieces, order_point, target, price, section):
        values[s] += (goal if n < point else n) * cost
    return values.index(max(values)), max(values) - min(values)


def busiest_prompters(rota, start, evenings):
    season = [rota[(start + i) % len(rota)] for i in range(evenings)]
    most = max(season.count(p) for p in season)
    return sorted(p for p in set(season) if season.count(p) == most)


def delay_felt_by_passengers(trips):
    delays = [max(came - due, 0) for due, came, _ in trips]
    people = [row[2] for row in trips]
    return sum(d * p for d, p in zip(delays, people)) / sum(people), max(delays)


def tank_catches_up(growth, wanted):
    def surplus(t):
        made = sum(g * t**k for k, g in enumerate(reversed(growth), 2))
        return made - wanted[0] * t - wanted[1]

    low, high = 0, 1
    while surplus(high) < 0:
        low, high = high, 2 * high
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if surplus(middle) < 0 else (low, middle)
    return high


def likeliest_total_of_odd_dice(red, blue, bonus):
    ways = [0] * (len(red) + len(blue) - 1)
    for (i, r), (j, b) in product(enumerate(red), enumerate(blue)):
        ways[i + j] += r * b
    return ways.index(max(ways)) + bonus, max(ways) / sum(ways)


def scatter_of_tides(known, height, count):
    points = sorted((k % 24, h) for k, h in zip(known, height))
    points = [(points[-1][0] - 24, points[-1][1]), *points, (points[0][0] + 24, points[0][1])]
    shown = []
    for k in range(count):
        t = 24 * k / count
        i = bisect_right(points, t, key=lambda p: p[0])
        (a, u), (b, v) = points[i - 1 : i + 1]
        shown.append(u + (v - u) * (t - a) / (b - a))
    return pstdev(shown)


def fees_of_a_radio_night(labels, members, reduced, regular):
    fees = [low if label in members else high for label, low, high in zip(labels, reduced, regular)]
    return list(accumulate(fees))


def pulsation_self_match(light):
    mean, n = fmean(light), len(light)
    rest = [x - mean for x in light]
    return [sum(rest[i] * rest[(i + k) % n] for i in range(n)) for k in range(n)]


def culture_growth_extremes(cells, growth):
    factors = [1 if math.isnan(g) else g for g in growth]
    sizes = accumulate(factors, lambda size, g: size * g, initial=cells)
    changes = [b - a for a, b in pairwise(sizes)]
    return max(changes), min(changes)


def dose_chart(weights, strengths):
    pairs = sorted(([w, s] for w in weights for s in strengths), key=lambda p: (p[0] * p[1], p[0]))
    return pairs, median(w * s for w, s in pairs)


def one_opinion_behind_three_questions(taxes, schools, roads):
    columns = [[x - fmean(c) for x in c] for c in (taxes, schools, roads)]
    for _ in range(20):
        for i, j in combinations(range(3), 2):
            pairs = [complex(x, y) for x, y in zip(columns[i], columns[j])]
            turn = cmath.rect(1, -cmath.phase(sum(z * z for z in pairs)) / 2)
            columns[i] = [(z * turn).real for z in pairs]
            columns[j] = [(z * turn).imag for z in pairs]
    values = [sum(x * x for x in c) for c in columns]
    return max(values) / sum(values)


def darts_by_player(thrower, points):
    names = sorted(set(thrower))
    totals = [sum(p for t, p in zip(thrower, points) if t == name) for name in names]
    return names, totals, names[totals.index(max(totals))]


def top_of_the_class(parts, importance):
    marks = [sum(p * w for p, w in zip(row, importance)) / sum(importance) for row in parts]
    best = max(marks)
    return best, [i for i, mark in enumerate(marks) if mark == best]


def stations_by_daily_swing(day):
    counts = [0] * 4
    for row in day:
        valid = [x for x in row if not math.isnan(x)]
        counts[bisect_right([4, 9, 16], max(valid) - min(valid))] += 1
    return counts


def refunds_capped(claims, cap):
    return [[min(c, cap) for c in row] for row in claims]


def nobody_has_paid_yet(dues):
    return [[False] * len(row) for row in dues]


def change_over_the_years(stocks):
    return [[last - first for first, last in zip(stocks[0], stocks[-1])]]


def blacked_out_picture(picture, faces, ink):
    return [[ink if face else p for p, face in zip(row, mask)] for row, mask in zip(picture, faces)]


def sensors_inverted_with_cutoffs(sensors, cutoffs):
    def dot(u, v):
        return sum(x * y for x, y in zip(u, v))

    result = []
    for sensor, cutoff in zip(sensors, cutoffs):
        x, y = zip(*sensor)
        a, b, d = dot(x, x), dot(x, y), dot(y, y)
        large = (a + d + math.hypot(a - d, 2 * b)) / 2
        small = max(a * d - b * b, 0) / large
        if math.sqrt(small) > cutoff * math.sqrt(large):
            p, q, r, scale = d, -b, a, a * d - b * b
        else:
            p, q, r, scale = a - small, b, d - small, large * (large - small)
        result.append([[(p * u + q * v) / scale for u, v in sensor], [(q * u + r * v) / scale for u, v in sensor]])
    return result


def evenness_of_the_lens(lens):
    rows = list(lens) if len(lens) <= len(lens[0]) else list(zip(*lens))
    for _ in range(30):
        for i, j in combinations(range(len(rows)), 2):
            pairs = [complex(x, y) for x, y in zip(rows[i], rows[j])]
            turn = cmath.rect(1, -cmath.phase(sum(z * z for z in pairs)) / 2)
            rows[i] = [(z * turn).real for z in pairs]
            rows[j] = [(z * turn).imag for z in pairs]
    sizes = [math.hypot(*row) for row in rows]
    return min(sizes) / max(sizes)


def best_throw_column(throws):
    return [[row.index(max(x for x in row if not math.isnan(x)))] for row in throws]


def fading_oscillation(phases):
    return [cmath.cos(z) for z in phases]


def unconjugated_overlap(sent, received):
    return sum(s * r for s, r in zip(sent, received))


def layout_of_combined_tables(layout, width):
    return (*layout[:-1], width)


def order_of_map_points(points):
    return sorted(range(len(points)), key=lambda i: (points[i].real, points[i].imag))


def price_reached_by_volume(prices, litres, share):
    needed, sold = share * sum(litres), 0
    for price, amount in sorted(zip(prices, litres)):
        sold += amount
        if sold >= needed:
            return price


def landing_density(east, north):
    density = [[0] * 3 for _ in range(4)]
    for e, n in zip(east, north):
        density[min(int(e // 5), 3)][min(int(n // 4), 2)] += 1
    return [[count / len(east) / 20 for count in strip] for strip in density]


def temperature_slope_down_wells(wells):
    n, result = len(wells), []
    for i in range(n):
        above, below = max(i - 1, 0), min(i + 1, n - 1)
        result.append([(b - a) / (below - above) for a, b in zip(wells[above], wells[below])])
    return result
