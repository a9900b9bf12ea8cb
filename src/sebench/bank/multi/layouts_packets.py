"""Data packets, network switches and registers."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Choice, Cube, Either, Float, Int, Matrix, Vector

TRUTHS = {
    "count_nonzero -> sum": "the sum of True and False is the number of True",
    "count_nonzero -> nansum": "the sum of True and False is the number of True",
}


@task(equivalent={"sum -> count_nonzero": "every digit is 0 or 1"})
def damaged_words_and_places(words: Vector(Int(0, 255), (3, 16))):
    """A modem sends blocks of bytes, `words`, so that every byte has an even number of ones among its eight binary
    digits, and so that the digits at each of the eight places, taken over the whole block, hold an even number of ones
    as well. Return a tuple of two ascending lists that show where a received block breaks these rules: the positions of
    the bytes, and the places of the digits (0 is the highest digit, 7 the lowest)."""
    digits = np.reshape(np.unpackbits(np.array(words, dtype=np.uint8)), (-1, 8))
    return np.flatnonzero(np.sum(digits, axis=1) % 2), np.flatnonzero(np.sum(digits, axis=0) % 2)


@task
def busiest_network_in_log(
    addresses: Matrix(Choice(10, 11, 26, 27), (4, 30), 2), mask: Vector(Choice(1, 16, 17, 240), 2)
):
    """In a toy network an address is a row of two bytes. Its network is what is left when only those binary digits are
    kept at which the two bytes of `mask` have a 1. The log `addresses` lists one address per row. Return a tuple: the
    network with the most entries in the log, as a list of two bytes (of several, the one with the lowest first byte,
    and of those the lowest second byte), and the numbers of entries of all networks in the log, in ascending order, as
    a list."""
    networks, entries = np.unique(np.bitwise_and(addresses, mask), axis=0, return_counts=True)
    return networks[np.argmax(entries)], np.sort(entries)


@task
def brightest_checksum(packets: Matrix(Int(0, 255), (2, 8), (3, 10))):
    """The checksum of a packet (a row of bytes in `packets`) is the total of its bytes, of which only the eight lowest
    binary digits are kept, with zeros and ones exchanged. A tester shows checksums with eight lamps, one per digit.
    Return the digits of the checksum that lights the most lamps (the one of the earliest packet if several tie), as a
    text of eight characters, highest digit first."""
    checksums = np.bitwise_and(np.invert(np.sum(packets, axis=1)), 255)
    brightest = checksums[np.argmax(np.bitwise_count(checksums))]
    return np.binary_repr(int(brightest), width=8)


@task
def closest_serial_numbers(cards: Matrix(Int(0, 255), (2, 12), 4)):
    """The serial number of a network card consists of four bytes, the most significant one first: it counts 2 to the
    power 24, the next 2 to the power 16, then 2 to the power 8, and the last one counts 1. `cards` has one such row of
    bytes per card. Cards of one batch have close numbers: return the smallest gap between the serial numbers of two
    cards, in base 16 with capital letters and without leading zeros ("0" if two are the same), as a text."""
    numbers = np.dot(cards, np.left_shift(1, [24, 16, 8, 0]))
    return np.base_repr(int(np.min(np.diff(np.sort(numbers)))), base=16)


@task(
    equivalent={
        "flatnonzero -> where": "the positions are flattened afterwards anyway",
        "flatnonzero -> nonzero": "the positions are flattened afterwards anyway",
        "flatnonzero -> argwhere": "the positions are flattened afterwards anyway",
    }
)
def patched_ports(status: Vector(Int(0, 255), (2, 5)), reserved: Vector(Int(0, 15), (0, 9), unique=True)):
    """A switch reports the link state of its ports in the bytes of `status`, eight ports per byte: port 0 is the lowest
    binary digit of the first byte, port 7 its highest, port 8 the lowest of the second byte, and so on. Return the
    ports with a link (digit 1) that are not among the `reserved` ones, as an ascending list."""
    links = np.unpackbits(np.array(status, dtype=np.uint8), bitorder="little")
    return np.setdiff1d(np.flatnonzero(links), reserved)


@task(equivalent={"np.diff(arrivals) - spacing: operands swapped": "only the size of the difference is used"})
def whole_jitter(arrivals: Vector(Int(0, 400), (3, 16), sorted=True), spacing: Int(20, 60)):
    """Packets are sent every `spacing` milliseconds; `arrivals` tells when they came in. The jitter of a pause between
    two successive arrivals is the amount by which it misses the spacing, too long or too short alike. Return a tuple:
    the average jitter, rounded up to a whole millisecond, and the largest one."""
    jitter = np.absolute(np.diff(arrivals) - spacing)
    return np.ceil(np.mean(jitter)), np.max(jitter)


@task(equivalent={"remainder -> fmod": "no symbol has a negative number"})
def lanes_hit_hardest(lanes: Int(2, 8), scratched: Vector(Int(0, 47), (3, 30), unique=True)):
    """To survive scratches, a disc deals its symbols out to several `lanes` like cards: symbol 0 belongs to lane 0,
    symbol 1 to lane 1 and so on, and after the last lane it is the turn of lane 0 again. `scratched` lists the symbols
    that cannot be read. Return a tuple: the largest number of unreadable symbols in one lane, and the ascending list of
    the lanes that have so many."""
    lost = np.bincount(np.remainder(scratched, lanes))
    return np.max(lost), np.flatnonzero(lost == np.max(lost))


@task(n=(4, 15))
def message_of_frame(lengths: Vector(Int(1, 25), "n"), capacity: Int(8, 20), frames: Vector(Int(1, "n"), (3, 12))):
    """Messages of the given `lengths` (in bytes) are sent one after another in frames of up to `capacity` bytes. A
    frame never holds parts of two messages, so the last frame of a message may be partly empty. Frames are counted from
    1, messages from 0. Return for each frame number in `frames` the message that travels in it, as a list."""
    needed = np.ceil(np.divide(lengths, capacity))
    return np.searchsorted(np.cumsum(needed), frames)


@task(
    equivalent={
        "column_stack -> rot90": "it gives the same pairs from last to first, and they are put in order afterwards"
    }
)
def priorities_with_most_networks(
    tags: Vector(Choice(6, 7, 4103, 2055, 8198, 8199, 12294, 10247, 16390, 16391, 20487, 24583), (5, 30)),
):
    """Frames on a trunk line carry `tags`: 16 binary digits, written as one number. The upper three digits are the
    priority of the frame, 0 to 7, the lower twelve say to which virtual network it belongs; the digit between them
    means nothing here. Return the priorities that are used by the largest number of different networks, as an ascending
    list."""
    pairs = np.column_stack((np.right_shift(tags, 13), np.bitwise_and(tags, 4095)))
    networks = np.bincount(np.unique(pairs, axis=0)[:, 0])
    return np.flatnonzero(networks == np.max(networks))


@task
def rotary_switch_code(positions: Vector(Int(0, 63), (2, 15))):
    """A rotary switch with 64 positions, 0 to 63, has six contacts, which signal a position in Gray code: contact k is
    closed if the binary digits k and k + 1 of the position differ (digit 0 counts 1, digit 1 counts 2, and so on; digit
    6 is always 0). The switch was turned to one of the `positions` after the other. Return a dict: "last", the final
    code as a text of six zeros and ones (1 is closed; contact 5 comes first), and "most", the largest number of
    contacts that changed in one turn."""
    codes = np.bitwise_xor(positions, np.right_shift(positions, 1))
    changed = np.bitwise_count(codes[1:] ^ codes[:-1])
    return {"last": np.binary_repr(int(codes[-1]), width=6), "most": np.max(changed)}


@task
def tape_read_backwards(tape: Vector(Int(0, 255), (2, 12))):
    """A data `tape` of bytes (0 to 255) was fed into the reader from its end, so that the last binary digit of the last
    byte comes first. The reader ignores everything until it meets the first 1. From there on it groups eight digits at
    a time into a byte, highest digit first, and fills the last byte up with zeros. Return the bytes it sees, as a list,
    which is empty for a blank tape."""
    digits = np.flip(np.unpackbits(np.array(tape, dtype=np.uint8)))
    return np.packbits(np.trim_zeros(digits, trim="f"))


@task
def average_load_per_router(loads: Either(Vector(Int(0, 100), 3), Matrix(Int(0, 100), (2, 8), 3))):
    """A monitor delivers `loads`, three readings per router: a flat list if there is only one router, otherwise a list
    of rows. Return a list with the average of each router, rounded to one decimal; it has a single entry for a single
    router."""
    return np.round(np.mean(np.atleast_2d(loads), axis=1), decimals=1)


@task
def vlan_tag_fields(tags: Vector(Int(0, 65535), (2, 12))):
    """Each of the 16-bit numbers in `tags` consists of a priority (the three highest binary digits), a drop flag (the
    one digit below) and a network id (the remaining twelve). Return a list of rows [priority, flag, id], one row per
    tag."""
    priority = np.right_shift(tags, 13)
    flag = np.bitwise_and(np.right_shift(tags, 12), 1)
    return np.column_stack((priority, flag, np.bitwise_and(tags, 4095)))


@task(
    equivalent={
        "count_nonzero -> sum": "every digit is 0 or 1",
        "atleast_1d -> ravel": "a number or a flat list has no rows that could be joined",
        "count_nonzero -> nansum": "every digit is 0 or 1",
    }
)
def alarm_history_of_lines(
    registers: Vector(Int(0, 1023), (3, 12)), lines: Either(Int(0, 9), Vector(Int(0, 9), (3, 6)))
):
    """Once a minute a switch stores its alarms in one of the `registers`: a number whose binary digit k (worth 2 to the
    power k) is 1 while line k rings. Somebody asks about `lines`, either one line number or a list of them. Return a
    dict: "minutes", in how many of the minutes each of these lines rang, and "first", the first minute in which it did,
    counted from 0 (0 if it never did), both as lists in the same order, of length one for a lone number; and "most",
    the largest number of lines, asked about or not, that rang in the same minute."""
    rang = np.right_shift(registers, np.atleast_1d(lines)[:, None]) & 1
    return {
        "minutes": np.count_nonzero(rang, axis=1),
        "first": np.argmax(rang, axis=1),
        "most": np.max(np.bitwise_count(registers)),
    }


@task
def capture_summary(
    capture: Either(
        Vector(Int(0, 6), (2, 12)),
        Matrix(Int(0, 6), (2, 6), (2, 6)),
        Cube(Int(0, 6), (2, 4), (2, 4), (2, 4)),
    ),
):
    """A sniffer hands over a `capture` of error counts: a list, a list of rows, or a list of tables. Return a dict that
    describes it: "levels" is how many lists deep it is nested (1 for a list), "lengths" a tuple with the length of each
    level, outermost first, "bad" the number of counts that are not 0, and "worst" the place of the largest count (the
    first one in reading order), as a tuple with one position per level, counted from 0."""
    worst = np.unravel_index(np.argmax(capture), np.shape(capture))
    return {
        "levels": np.ndim(capture),
        "lengths": np.shape(capture),
        "bad": np.count_nonzero(capture),
        "worst": worst,
    }


@task(channels=(3, 20))
def amplified_span(samples: Vector(Float(-20, 20, 1), "channels"), gains: Vector(Choice(2, 3, 4), "channels")):
    """A sensor packet carries one of the `samples` per channel. Its output is the sample times the entry of `gains` for
    that channel, less whatever stands behind the decimal point, so that it moves towards zero. Return a tuple: how far
    the largest output lies above the smallest, and the middle one of the ordered outputs (half-way between the two in
    the middle if the number of channels is even)."""
    outputs = np.trunc(np.multiply(samples, gains))
    return np.ptp(outputs), np.median(outputs)


@task(equivalent={"array_equiv -> allclose": "whole numbers are close only if they are the same"})
def parity_as_declared(packets: Matrix(Int(0, 255), (1, 3), (2, 8)), parity: Int(0, 1)):
    """The parity of a packet (a row of bytes in `packets`) is 0 if the binary digits of its bytes hold an even number
    of ones altogether, and 1 if the number is odd. The sender has declared one `parity` for everything that it sends.
    Return True if each of the packets keeps to it, otherwise False."""
    ones = np.sum(np.bitwise_count(packets), axis=1)
    return np.array_equiv(ones % 2, parity)


@task
def bits_of_packed_counters(counters: Matrix(Int(1, 5000), (2, 7), (2, 8))):
    """A meter sends each of its `counters` (rows of whole numbers above zero) in the least number of binary digits that
    the number needs: 1 for 1, 2 for 2 and 3, 3 for 4 to 7, and so on. Return a tuple: the digits needed by each row
    altogether, as a list, and the digits of the counter that needs the most in each row, as a list."""
    digits = np.frexp(counters)[1]
    return np.sum(digits, axis=1), np.max(digits, axis=1)


@task(links=(3, 8), equivalent=TRUTHS)
def worst_overloaded_channel(
    levels: Matrix(Choice(float("-inf"), float("inf"), float("inf"), -12.5, -6.0, -3.5, -1.0, 0.0), "links", (3, 9)),
):
    """Each row of `levels` has the readings of one radio channel in decibels; -inf stands for silence and inf for an
    overloaded receiver. Return a tuple: the channel, counted from 0, with the most overloads (the first one if several
    tie), and the number of overloads of every channel, as a list."""
    overloads = np.count_nonzero(np.isposinf(levels), axis=1)
    return np.argmax(overloads), overloads
