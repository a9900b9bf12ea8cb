"""Polynomials as lists of coefficients, highest power first."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Choice, Float, Int, Matrix, PositiveDefinite, Vector

# --- poly ---


@task
def curve_through_crossings(crossings: Vector(Int(-6, 6), (2, 5))):
    """A roller coaster track is at ground level exactly at the places `crossings` (one that is listed twice is a double
    zero, and so on). Model its height by a polynomial with these zeros and leading coefficient 1. Return all its
    coefficients as a list, highest power first."""
    return np.poly(crossings)


@task
def stiffness_characteristic(stiffness: PositiveDefinite((2, 3))):
    """An engineer needs the characteristic polynomial det(λI - S) of the square matrix S = `stiffness` of a bridge
    model, where I is the identity matrix. Return its coefficients as a list, from that of the highest power of λ, which
    is 1, down to the constant."""
    return np.poly(stiffness)


@task
def touching_and_crossing(touch: Int(-7, 0), cut: Int(1, 7)):
    """Find the cubic polynomial with leading coefficient 1 that has a double zero at `touch` and a single zero at
    `cut`, and return its four coefficients as a list that begins with the one of x³."""
    return np.poly([touch, touch, cut])


@task
def filter_feedback_taps(poles: Vector(Float(-0.9, 0.9), (2, 4))):
    """A digital filter has real `poles`. Multiply out the product of all (z - pole) and return its coefficients in
    descending powers of z as a list, leaving out the leading 1, which the filter does not store."""
    return np.poly(poles)[1:]


# --- polyval ---


@task
def number_from_digits(digits: Vector(Int(0, 9), (2, 6)), base: Int(11, 16)):
    """An old computer prints whole numbers as `digits` in base `base`, most significant digit first; the last digit
    counts units. Return the number that is meant."""
    return np.polyval(digits, base)


@task
def paint_drying_model(model: Vector(Float(-0.9, 0.9), (2, 4)), minutes: Vector(Int(0, 12), (2, 6))):
    """While paint dries, its shade drifts, lighter above zero and darker below. The drift is a polynomial in time whose
    coefficients are in `model`, highest power first. Return the drift at each of the `minutes`, as a list."""
    return np.polyval(model, minutes)


@task
def braking_distances(a: Float(0.06, 0.2, 2), b: Float(0.5, 2), c: Int(0, 8), speeds: Vector(Int(1, 30), (2, 6))):
    """A bus that drives at v metres per second needs a·v² + b·v + c metres to stop. Given `a`, `b`, `c` and several
    `speeds`, return the stopping distances in a list."""
    return np.polyval([a, b, c], speeds)


@task
def calibrated_plate(curve: Vector(Int(1, 6), (2, 4)), plate: Matrix(Float(0, 2), (2, 3), (2, 4))):
    """Raw optical densities on a laboratory `plate` are turned into concentrations well by well with a calibration
    `curve`: a polynomial given by coefficients in descending powers. Return the concentrations as a list of rows."""
    return np.polyval(curve, plate)


# --- polyfit ---


@task(n=(3, 6))
def chirps_and_warmth(chirps: Vector(Int(10, 60), "n", unique=True), warmth: Vector(Float(5, 35), "n", unique=True)):
    """Do crickets chirp faster on warm nights? Draw the least-squares straight line that predicts `warmth` from the
    number of `chirps` (paired by position) and return a list of its slope and its value at zero chirps, in that
    order."""
    return np.polyfit(chirps, warmth, 1)


@task(n=(4, 6))
def trusted_parabola(
    angle: Vector(Int(1, 20), "n", unique=True),
    lift: Vector(Float(-5, 9), "n", unique=True),
    trust: Vector(Float(0.5, 3), "n"),
):
    """In a wind tunnel a `lift` was measured at each `angle`, and `trust` says how reliable it is. Fit a parabola, lift
    as a function of the angle, such that the sum of (trust times error) squared becomes smallest. Return its three
    coefficients as a list, quadratic term first."""
    return np.polyfit(angle, lift, 2, w=trust)


@task(weeks=(3, 5), plants=(2, 3))
def growth_lines(week: Vector(Int(0, 15), "weeks", unique=True), height: Matrix(Float(0, 30), "weeks", "plants")):
    """Row i of `height` holds the heights of several seedlings in week `week`[i], one column per seedling. Fit a
    straight line by least squares to every seedling. Return two rows: first all slopes, then all intercepts."""
    return np.polyfit(week, height, 1)


@task(n=(4, 6), equivalent={"polyfit: cov=True added": "the full result has no covariances"})
def misfit_of_parabola(doses: Vector(Int(0, 12), "n", unique=True), effects: Vector(Float(-9, 9), "n", unique=True)):
    """How badly does a parabola describe what a drug does? Take the best quadratic for `effects` as a function of
    `doses` in the least-squares sense and return the sum of its squared errors as one number."""
    return np.polyfit(doses, effects, 2, full=True)[1][0]


# --- polyadd ---


@task
def combined_cost_curve(rent: Vector(Int(1, 9), (2, 3)), wages: Vector(Int(1, 9), (4, 6))):
    """A bakery's rent and wages both grow with its output x, as polynomials of different degree; `rent` and `wages`
    list the coefficients, highest power first. Return the coefficients of the total cost as a list in the same
    order."""
    return np.polyadd(rent, wages)


@task
def raised_ski_jump(shape: Vector(Float(-5, 5, nonzero=True), (3, 6)), snow: Vector(Float(0.2, 2), (1, 2))):
    """The elevation of a ski jump over the horizontal distance is a polynomial with coefficients `shape`, constant term
    last. Snow is piled on it, and its thickness is the polynomial `snow` of lower degree, written in the same way.
    Return the coefficients of the elevation of the snow surface as a list."""
    return np.polyadd(shape, snow)


@task
def trend_plus_season(season: Vector(Int(-9, 9, but=(0,)), (4, 6)), slope: Float(-3, 3), level: Float(-9, 9)):
    """Add a linear trend, `slope`·t + `level`, to the polynomial `season` (coefficients in descending powers of t,
    degree three or more). Return the coefficients of the sum, as a list as long as `season`."""
    return np.polyadd(season, [slope, level])


@task
def two_spring_forces(stiff: Vector(Float(0.5, 6), (4, 5)), soft: Vector(Float(0.5, 6), (2, 3))):
    """Side by side, a `stiff` and a `soft` spring pull together, each with a force that is a polynomial of the stretch.
    The coefficients run from the highest power to the constant, and the soft spring has fewer of them. Return the
    coefficient list of the joint force."""
    return np.polyadd(stiff, soft)


# --- polysub ---


@task
def profit_curve(revenue: Vector(Int(-9, 9, but=(0,)), (4, 6)), cost: Vector(Int(1, 9), (2, 3))):
    """Revenue and cost of a kiosk are polynomials in the number of customers, given as `revenue` and `cost` with the
    highest power in front; cost has the lower degree. Return the coefficients of the profit, revenue minus cost, as a
    list."""
    return np.polysub(revenue, cost)


@task
def gap_between_trajectories(
    kite: Vector(Float(-4, 4, nonzero=True), 2), drone: Vector(Float(-4, 4, nonzero=True), (3, 5))
):
    """The height of a kite is a linear function of time, that of a drone a polynomial of higher degree; `kite` and
    `drone` hold the coefficients, constant last. What polynomial says how far the kite is above the drone? Return its
    coefficients as a list as long as that of the drone."""
    return np.polysub(kite, drone)


@task
def reaching_a_level(pressure: Vector(Int(-9, 9, but=(0,)), (3, 5)), level: Vector(Int(-9, 9, but=(0,)), (1, 2))):
    """When does the pressure in a boiler reach the permitted level? Both are polynomials in time, `pressure` and
    `level` (coefficients, highest power first), and the level has the lower degree. One looks for the zeros of the
    difference pressure - level: return the coefficients of this difference as a list."""
    return np.polysub(pressure, level)


@task
def trace_without_drift(record: Vector(Float(-5, 5, nonzero=True), (3, 6)), slope: Float(0.5, 3), start: Float(1, 9)):
    """A seismograph trace was modelled by a polynomial; `record` lists its coefficients in descending powers of the
    time t. It contains a drift of the pen, `slope`·t + `start`, which has to be taken out. Return the coefficients of
    the trace without the drift, as a list."""
    return np.polysub(record, [slope, start])


# --- polymul ---


@task(equivalent={"polymul -> convolve": "without leading zeros the coefficients of a product are the convolution"})
def expanded_brackets(left: Vector(Int(-6, 6, but=(0,)), (2, 3)), right: Vector(Int(-6, 6, but=(0,)), (3, 4))):
    """Homework: expand a product of two brackets, each a polynomial in x. The lists `left` and `right` contain their
    coefficients in descending powers. Return the coefficients of the expanded product in the same order, as a list."""
    return np.polymul(left, right)


@task
def padded_factors(
    first: Choice([0, 2, 1], [0, 0, 3, -1], [0, 5], [0, 1, 4, 2], [0, 0, 2, 7], [0, -3, 0, 1]),
    second: Choice([1, -2], [0, 0, 4, 1], [3, 0, 5], [0, 2, -2], [0, 0, 0, 6], [-1, 1, 2]),
):
    """A calculator never tidies up the polynomials that it stores, so `first` and `second` (coefficients, highest power
    in front) may begin with meaningless zeros. Multiply the polynomials and return the product's coefficients as a list
    that does not begin with a zero."""
    return np.polymul(first, second)


@task(equivalent={"polymul -> convolve": "without leading zeros the coefficients of a product are the convolution"})
def extra_zero(design: Vector(Float(-4, 4, nonzero=True), (2, 5)), place: Int(-9, 9, but=(0,))):
    """A loudspeaker designer forces a response to vanish at `place` by giving the polynomial `design` (coefficients,
    highest power first) the additional factor (x - place). Return the coefficients of the resulting polynomial as a
    list."""
    return np.polymul(design, [1, -place])


@task(equivalent={"polymul -> convolve": "without leading zeros the coefficients of a product are the convolution"})
def squared_amplitude(amplitude: Vector(Int(-9, 9, but=(0,)), (2, 5))):
    """The brightness of a laser spot is the square of its `amplitude`, which is a polynomial in the radius, written as
    coefficients from the top power down. Return the coefficients of the brightness polynomial as a list."""
    return np.polymul(amplitude, amplitude)


# --- polydiv ---


@task
def long_division(dividend: Vector(Int(-9, 9, but=(0,)), (4, 6)), divisor: Vector(Int(-3, 3, but=(0,)), (2, 3))):
    """Carry out long division of polynomials: `dividend` by `divisor`, both as coefficients in descending order. Return
    a tuple (quotient, remainder) of two coefficient lists; the remainder has no superfluous leading zeros and is [0] if
    it is zero."""
    return np.polydiv(dividend, divisor)


@task
def polynomial_asymptote(top: Vector(Int(-9, 9, but=(0,)), (3, 5)), bottom: Vector(Int(1, 4), 2)):
    """Far away from the origin a rational function top/bottom approaches a polynomial: the quotient of the two without
    the remainder. With `top` and `bottom` as coefficients, highest power first, return the coefficients of this
    quotient as a list."""
    return np.polydiv(top, bottom)[0]


@task
def checksum_remainder(message: Vector(Int(1, 9), (4, 6)), key: Vector(Int(1, 4), 3)):
    """In a classroom demonstration of checksums, `message` and `key` are polynomials (coefficients from the highest
    power down, ordinary real arithmetic). What is left over when the message is divided by the key? Return the
    leftover's coefficients as a list without leading zeros ([0] if nothing is left)."""
    return np.polydiv(message, key)[1]


@task
def split_off_factor(curve: Vector(Float(-6, 6, nonzero=True), (3, 5)), place: Int(-4, 4, but=(0,))):
    """Divide the polynomial `curve` (coefficients in descending powers) by x - `place`. Return a dict: under "quotient"
    the coefficients of the quotient as a list, under "rest" the remainder as a list of one number."""
    quotient, rest = np.polydiv(curve, [1, -place])
    return {"quotient": quotient, "rest": rest}


# --- polyder ---


@task
def speed_of_lift(position: Vector(Int(-9, 9), (3, 6))):
    """The position of a lift in its shaft is a polynomial of time; `position` lists the coefficients, the constant one
    last. Return the coefficients of its speed, the rate of change, as a list one shorter."""
    return np.polyder(position)


@task
def curvature_of_beam(sag: Vector(Float(-5, 5), (4, 6))):
    """The sag of a loaded beam along its length is a polynomial with coefficients `sag` in descending powers. Bending
    depends on the second derivative of the sag: return its coefficients as a list, two shorter than `sag`."""
    return np.polyder(sag, m=2)


@task
def repeated_slope(course: Vector(Int(-7, 7), (5, 6)), rounds: Int(1, 4)):
    """Differentiate the polynomial `course`, whose coefficients go from the highest power to the constant, `rounds`
    times in succession. The list of coefficients becomes one shorter each time; return what is left of it."""
    return np.polyder(course, rounds)


@task
def marginal_cost(cubic: Float(0.1, 4), quadratic: Float(-6, 6), linear: Float(0, 20)):
    """Making x chairs costs `cubic`·x³ + `quadratic`·x² + `linear`·x + 500. The marginal cost is the derivative with
    respect to x; return its three coefficients as a list, that of x² at the front."""
    return np.polyder([cubic, quadratic, linear, 500])


# --- polyint ---


@task
def water_in_tank(inflow: Vector(Int(-9, 9), (2, 5))):
    """A tank gains or loses water at a rate that is a polynomial of time, `inflow`, coefficients in descending
    powers. Return the coefficients of the total gain since time zero as a list, whose last entry is therefore 0."""
    return np.polyint(inflow)


@task
def altitude_from_climb(climb: Vector(Float(-4, 4), (2, 4)), start: Float(1, 90)):
    """The climb rate of a balloon over time is the polynomial `climb` (coefficients, highest power first), and at time
    zero the balloon is `start` metres up. Return the list of coefficients of its altitude."""
    return np.polyint(climb, k=start)


@task
def track_from_thrust(thrust: Vector(Int(-6, 6), (1, 4)), speed: Int(1, 9), place: Int(-9, -1)):
    """The acceleration of a rocket sled is the polynomial `thrust` in time (coefficients, constant last). At time zero
    its speed is `speed` and it is at `place`. Integrate twice and return the coefficients of its position as a list."""
    return np.polyint(thrust, m=2, k=[speed, place])


@task
def repeated_antiderivative(load: Vector(Float(-5, 5), (1, 4)), rounds: Int(2, 4)):
    """From the polynomial `load` (coefficients in descending powers) a statics program gets shear, moment, slope and so
    on by integrating again and again, always with integration constant zero. Return the coefficient list after `rounds`
    integrations."""
    return np.polyint(load, rounds)


# --- roots ---


@task
def sides_of_garden(half: Int(20, 26), area: Int(60, 96)):
    """The length and width of a rectangular garden add up to `half` metres (half its circumference), and it covers
    `area` square metres, so both sides s solve s² - half·s + area = 0. Return the two side lengths as a set of
    numbers."""
    return set(np.roots([1, -half, area]))


@task
def damped_swing(friction: Float(0.1, 1.5), spring: Float(3, 30)):
    """A swing door with `friction` and `spring` constant obeys λ² + 2·friction·λ + spring = 0, which has no real
    solution. Return a list of both complex solutions, the one with positive imaginary part first."""
    return np.roots([1, 2 * friction, spring])


@task
def ground_level_times(speed: Int(-20, 30), height: Int(1, 60)):
    """A ball thrown from a roof has the altitude -5t² + `speed`·t + `height` after t seconds. At which two times is the
    altitude zero? (By this formula one of them lies before the throw.) Return a set of two numbers."""
    return set(np.roots([-5, speed, height]))


@task
def break_even_points(
    profit: Choice(
        [1, -6, 11, -6], [1, 0, -7, 6], [2, -10, 12], [0, 1, -9, 20], [1, -7, 0], [-1, 4, 5], [0, 0, 3, -12],
        [1, -10, 35, -50, 24], [1, -2, -13, 14, 24], [-2, 4, 30], [0, 2, 0, -32], [1, 3, -16, -48], [4, -9],
        [1, -11, 18],
        [-3, 0, 27, 0], [1, 0, -26, 0, 25], [5, -5, -10], [0, -1, 2, 35],
    ),
):  # fmt: skip
    """The profit of a juice bar is a polynomial in the change of its prices; `profit` lists the coefficients, highest
    power first, and may begin with zeros. For which price changes is the profit zero? All of them are real and
    different. Return them as a set of numbers."""
    return set(np.roots(profit))
