"""Data packets, network switches and registers."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Choice, Cube, Either, Float, Int, Matrix, Vector


@task(
    equivalent={
        "bitwise_or -> bitwise_xor": "the lowest digit is still free, so nothing overlaps",
        "bitwise_or -> add": "the lowest digit is still free, so nothing overlaps",
        "bitwise_or -> polyadd": "the lowest digit is still free, so nothing overlaps",
        "remainder -> fmod": "a number of ones is never negative",
    }
)
def words_with_parity(words: Vector(Int(0, 127), (2, 6))):
    """Before sending, a modem appends one binary digit at the right end of each number in `words`: 1 if the number has
    an odd number of ones in binary, else 0, so that the total of ones becomes even. Return the longer numbers as a
    list."""
    parity = np.remainder(np.bitwise_count(words), 2)
    return np.bitwise_or(np.left_shift(words, 1), parity)


@task
def networks_in_log(addresses: Matrix(Choice(10, 11, 26, 27), (4, 7), 2), mask: Vector(Choice(1, 16, 17, 240), 2)):
    """In a toy network an address is a row of two bytes. Its network is what is left when only those binary digits are
    kept at which the two bytes of `mask` have a 1. The log `addresses` lists one address per row. Return how many
    different networks occur in it."""
    networks = np.bitwise_and(addresses, mask)
    return np.size(np.unique(networks, axis=0), axis=0)


@task
def checksum_text(payload: Vector(Int(0, 255), (2, 7))):
    """A serial line protects a packet like this: add up the bytes of `payload`, keep only the eight lowest binary
    digits of the total (leading zeros count) and exchange zeros and ones in them. Return the result as a text of
    exactly eight characters."""
    flipped = np.invert(np.sum(payload))
    return np.binary_repr(int(np.bitwise_and(flipped, 255)), width=8)


@task
def serial_number_in_hex(octets: Vector(Int(0, 255), 4)):
    """The serial number of a network card consists of four bytes, `octets`, of which the first is the most
    significant: it counts 2 to the power 24, the next 2 to the power 16, then 2 to the power 8, and the last one
    counts 1. Return the whole number in base 16 with capital letters, without leading zeros, as a text."""
    weights = np.left_shift(1, [24, 16, 8, 0])
    return np.base_repr(int(np.dot(weights, octets)), base=16)


@task(
    equivalent={
        "flatnonzero -> where": "the positions are flattened afterwards anyway",
        "flatnonzero -> nonzero": "the positions are flattened afterwards anyway",
        "flatnonzero -> argwhere": "the positions are flattened afterwards anyway",
    }
)
def patched_ports(status: Vector(Int(0, 255), 2), reserved: Vector(Int(0, 15), (1, 3), unique=True)):
    """A switch reports the link state of its 16 ports in the two bytes of `status`: port 0 is the lowest binary digit
    of the first byte, port 7 its highest, port 8 the lowest of the second byte, and so on. Return the ports with a link
    (digit 1) that are not among the `reserved` ones, as an ascending list."""
    links = np.unpackbits(np.array(status, dtype=np.uint8), bitorder="little")
    return np.setdiff1d(np.flatnonzero(links), reserved)


@task
def whole_jitter(arrivals: Vector(Int(0, 400), (3, 8), sorted=True), spacing: Int(20, 60)):
    """Packets are sent every `spacing` milliseconds; `arrivals` tells when they came in. For each pause between two
    successive arrivals see by how much it misses the spacing, too long or too short alike. Return the average of these
    amounts, rounded up to a whole millisecond."""
    misses = np.absolute(np.diff(arrivals) - spacing)
    return np.ceil(np.mean(misses))


@task
def interleaved_and_masked(symbols: Vector(Int(0, 255), 12), lanes: Choice(2, 3, 4, 6), key: Int(1, 255)):
    """To survive scratches, twelve `symbols` are written into a table of `lanes` rows, row by row, and then read out
    column by column. On the way out, the binary digits of each symbol change at every place where the binary form of
    `key` has a 1. Return the outgoing symbols as a flat list."""
    table = np.reshape(symbols, (lanes, -1))
    return np.bitwise_xor(np.ravel(table, order="F"), key)


@task(n=(4, 7))
def message_of_frame(lengths: Vector(Int(1, 25), "n"), capacity: Int(8, 20), frame: Int(3, "n")):
    """Messages of the given `lengths` (in bytes) are sent one after another in frames of up to `capacity` bytes. A
    frame never holds parts of two messages, so the last frame of a message may be partly empty. Return which message,
    counted from 0, travels in frame number `frame`, frames being counted from 1."""
    frames = np.ceil(np.divide(lengths, capacity))
    return np.searchsorted(np.cumsum(frames), frame)


@task
def vlan_tag_fields(tags: Vector(Int(0, 65535), (2, 5))):
    """Each of the 16-bit numbers in `tags` consists of a priority (the three highest binary digits), a drop flag (the
    one digit below) and a network id (the remaining twelve). Return a list of rows [priority, flag, id], one row per
    tag."""
    priority = np.right_shift(tags, 13)
    flag = np.bitwise_and(np.right_shift(tags, 12), 1)
    return np.column_stack((priority, flag, np.bitwise_and(tags, 4095)))


@task
def rotary_switch_code(position: Int(0, 63)):
    """A rotary switch with 64 positions, 0 to 63, signals its `position` in Gray code: the number is combined with
    itself moved one binary place to the right (its last digit drops out), giving 1 at each place where the two differ.
    Return the code as a text of exactly six zeros and ones."""
    code = np.bitwise_xor(position, np.right_shift(position, 1))
    return np.binary_repr(int(code), width=6)


@task
def tape_read_backwards(tape: Vector(Int(0, 255), (2, 4))):
    """A data `tape` of bytes (0 to 255) was fed into the reader from its end. The reader sees all binary digits in the
    opposite order, the last digit of the last byte first, and groups them into bytes again, highest digit first.
    Return the bytes it sees, as a list."""
    digits = np.unpackbits(np.array(tape, dtype=np.uint8))
    return np.packbits(np.flip(digits))


@task
def average_load_per_router(loads: Either(Vector(Int(0, 100), 3), Matrix(Int(0, 100), (2, 4), 3))):
    """A monitor delivers `loads`, three readings per router: a flat list if there is only one router, otherwise a list
    of rows. Return a list with the average of each router, rounded to one decimal; it has a single entry for a single
    router."""
    return np.round(np.mean(np.atleast_2d(loads), axis=1), decimals=1)


@task(
    equivalent={
        "atleast_1d -> ravel": "a number or a flat list has no rows that could be joined",
        "atleast_1d -> broadcast_shapes": "read as lengths, the line numbers are their own common shape",
    }
)
def alarm_lines(
    register: Int(0, 1023), lines: Either(Int(0, 9), Vector(Int(0, 9), (3, 6)), Vector(Int(0, 9), (2, 5)), Int(0, 9))
):
    """The alarm `register` of a switch is a number whose binary digit k (worth 2 to the power k) is 1 while line k
    rings. Somebody asks about `lines`, either one line number or a list of them. Return the digits of these lines as a
    list in the same order, of length one for a lone number."""
    return np.bitwise_and(np.right_shift(register, np.atleast_1d(lines)), 1)


@task
def capture_summary(
    capture: Either(
        Int(0, 3),
        Vector(Int(0, 3), (2, 6)),
        Matrix(Int(0, 3), (1, 4), (2, 4)),
        Cube(Int(0, 3), (1, 3), (1, 3), (2, 3)),
    ),
):
    """A sniffer hands over a `capture` of error counts: a bare number, a list, a list of rows, or a list of tables.
    Return a dict that describes it: "levels" is how many lists deep it is nested (0 for a bare number), "lengths" a
    tuple with the length of each level, outermost first, and "bad" the number of counts that are not 0."""
    return {"levels": np.ndim(capture), "lengths": np.shape(capture), "bad": np.count_nonzero(capture)}


@task(channels=(2, 6))
def amplified_span(samples: Vector(Float(-20, 20, 1), "channels"), gains: Vector(Choice(2, 3, 4), "channels")):
    """A sensor packet carries one of the `samples` per channel. Each is multiplied by the entry of `gains` for its
    channel and then loses whatever stands behind the decimal point, so that it moves towards zero. Return how far the
    largest of the resulting whole numbers lies above the smallest."""
    return np.ptp(np.trunc(np.multiply(samples, gains)))
