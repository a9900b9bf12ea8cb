"""Bits of whole numbers, and numbers written in other bases."""

import numpy as np

from sebench.bank.definition import task
from sebench.bank.kinds import Bool, Int, Matrix, Vector


@task
def door_permissions(cards: Vector(Int(0, 31), (2, 6)), building: Int(1, 31)):
    """The binary digits of each number in `cards` say which doors a card may open, and those of `building` which doors
    this building has. Return a list with one number per card, whose binary digits are 1 exactly where
    both the card and the building have a 1."""
    return np.bitwise_and(cards, building)


@task
def shared_free_slots(anna: Vector(Int(0, 63), "days"), boris: Vector(Int(0, 63), "days")):
    """Day by day, `anna` and `boris` encode their free hours as the 1-digits of a binary number. Return a list with
    one number per day that has a 1 in the hours in which both are free and a 0 elsewhere."""
    return np.bitwise_and(anna, boris)


@task
def network_part(address: Int(0, 255), mask: Int(1, 255)):
    """A toy network has addresses of eight binary digits. To find the network of an `address`, keep those of its
    digits at which the `mask` has a 1 and set the others to 0. Return the outcome as a number."""
    return np.bitwise_and(address, mask)


@task(cols=(2, 4))
def sensor_masking(panel: Matrix(Int(0, 63), (2, 4), "cols"), masks: Vector(Int(0, 63), "cols")):
    """A machine's `panel` delivers rows of status words. Each column has its own number in `masks`: of a word in that
    column keep only the binary digits at which the mask has a 1, and make the others 0. Return the filtered words as a
    list of rows."""
    return np.bitwise_and(panel, masks)


@task
def lamp_switches_on(now: Vector(Int(0, 31), (2, 6)), push: Int(1, 31)):
    """Every number in `now` holds the lamps of a room as binary digits, 1 for lit. The caretaker's button sends
    `push`, which is such a number too: in every room the lamps that are 1 in `push` go on, and none goes out. Return
    the numbers of all rooms afterwards, as a list."""
    return np.bitwise_or(now, push)


@task
def allergens_of_menu(starters: Vector(Int(0, 63), "guests"), mains: Vector(Int(0, 63), "guests")):
    """Allergens are coded as binary flags. For each guest `starters` and `mains` hold the flag numbers of two courses.
    Return a list with the flag number of each guest's whole meal: a digit is 1 if it is 1 in at least one of the
    courses."""
    return np.bitwise_or(starters, mains)


@task
def overlay_stencils(first: Matrix(Int(0, 15), "rows", "cols"), second: Matrix(Int(0, 15), "rows", "cols")):
    """A stencil is stored as rows of numbers in which every binary digit 1 is a hole. A sheet is painted through the
    stencil `first` and then again through `second`, so a dot appears wherever at least one of them has a 1. Return the
    painted sheet as a list of rows of numbers."""
    return np.bitwise_or(first, second)


@task
def badges_together(mine: Int(0, 127), yours: Int(0, 127)):
    """Two hikers merge their collections of badges. A collection is one number, `mine` or `yours`, in which the binary
    digit k is 1 if badge k was earned. Return the number for the badges that at least one of the two has."""
    return np.bitwise_or(mine, yours)


@task
def secret_with_key(letters: Vector(Int(0, 127), (2, 6)), key: Int(1, 127)):
    """A children's cipher: each code number in `letters` is combined with the `key` so that a binary digit of the
    result is 1 where exactly one of the two numbers has a 1. Return the ciphered numbers as a list."""
    return np.bitwise_xor(letters, key)


@task
def changed_signals(before: Vector(Int(0, 63), "stations"), after: Vector(Int(0, 63), "stations")):
    """The signals at each station of a railway are noted as the binary digits of a number, once in `before` and once
    in `after`. Return a list of numbers, one per station, in which exactly those digits are 1 that differ between the
    two."""
    return np.bitwise_xor(before, after)


@task
def toggled_mosaic(lamps: Matrix(Int(0, 31), (2, 4), (2, 4)), touch: Int(1, 31)):
    """A wall mosaic of `lamps` is given as rows of numbers whose binary digits are lights, 1 for lit. A touch changes,
    in every number, each light for which the number `touch` has a 1: lit ones go out and dark ones go on. Return the
    rows afterwards."""
    return np.bitwise_xor(lamps, touch)


@task
def nim_pair(left: Int(0, 60), right: Int(0, 60)):
    """In the game of Nim two heaps of `left` and `right` stones are worth as much as one heap whose size in binary has
    a 1 at each place where the two sizes disagree, and a 0 elsewhere. Return the size of that heap."""
    return np.bitwise_xor(left, right)


@task
def inverted_register(words: Vector(Int(-60, 60), (2, 6))):
    """A circuit inverts signed numbers in two's complement: every binary digit of each number in `words`, the sign
    included, turns from 0 to 1 or from 1 to 0. For example 5 becomes -6. Return the inverted numbers as a list."""
    return np.invert(words)


@task
def negative_film(film: Matrix(Int(-99, 99), (2, 4), (2, 4))):
    """The negative of a `film`, rows of signed whole numbers, is made by swapping all ones and zeros in their two's
    complement form, so that 0 turns into -1 and -1 into 0. Return it as a list of rows."""
    return np.invert(film)


@task
def complement_of_code(code: Int(-500, 500)):
    """What does a processor's NOT instruction make of the signed whole number `code`? It exchanges zeros and ones in
    all binary places of the two's complement. Return the resulting signed number."""
    return np.invert(code)


@task
def index_from_the_end(front: Vector(Int(0, 20), (2, 5)), back: Vector(Int(-20, -1), (2, 5))):
    """A programmer turns the positions 0, 1, 2, ... counted from the start of a list into the positions -1, -2, -3,
    ... counted likewise from its end, and those back into the first kind, by replacing every 0 bit of the signed
    number with 1 and every 1 bit with 0. Do it for the numbers in `front` and in `back`. Return a tuple of the two
    lists."""
    return (np.invert(front), np.invert(back))


@task
def zeros_appended(codes: Vector(Int(1, 40), (2, 6)), places: Int(1, 5)):
    """To make room for a checksum, each of the `codes` gets `places` zeros appended at the right end of its binary
    form. Return the new numbers as a list."""
    return np.left_shift(codes, places)


@task
def shifted_copies_of_a_pattern(start: Int(1, 9), positions: Vector(Int(0, 8), (2, 6))):
    """A plotter makes shifted copies of the number `start`. Each entry of `positions` asks for one copy, whose binary
    pattern is moved that many places towards the higher end, with zeros filling up on the right. Return the numbers of
    all copies as a list."""
    return np.left_shift(start, positions)


@task
def amoeba_colonies(cells: Vector(Int(1, 30), "dishes"), splits: Vector(Int(0, 6), "dishes")):
    """When all amoebas in a dish divide, their count doubles, which in binary moves it one place to the left. For each
    dish `cells` is the count at the start and `splits` says how many such divisions follow. Return the list of final
    counts."""
    return np.left_shift(cells, splits)


@task(cols=(2, 4))
def packed_fields(fields: Matrix(Int(0, 15), (2, 3), "cols"), offsets: Vector(Int(0, 6), "cols")):
    """A file format stores small numbers at certain bit places. Each row of `fields` is a record, and the number in
    column j is to be moved up by `offsets`[j] bits. `offsets` has one entry per column. Return the moved numbers as a
    list of rows."""
    return np.left_shift(fields, offsets)


@task
def coarse_clock(ticks: Vector(Int(-200, 200), (2, 6)), lost: Int(1, 4)):
    """A cheap clock drops the `lost` lowest binary digits of its signed counter, and the others move down; a negative
    result is rounded down, never towards zero. Given the counters in `ticks`, return what remains of each, as a
    list."""
    return np.right_shift(ticks, lost)


@task
def tournament_rounds(players: Int(64, 999), rounds: Vector(Int(0, 6), (2, 6))):
    """In each round of a knockout cup half of the players, rounded down, stay in, so that their number loses its last
    binary digit. The cup begins with `players` players. For every entry of `rounds` return how many are left after that
    many rounds, as a list."""
    return np.right_shift(players, rounds)


@task
def camera_depth(raw: Matrix(Int(0, 1023), (2, 4), (2, 4))):
    """A camera's `raw` image, rows of ten-bit brightness values, is shown on an eight-bit screen by throwing the two
    least significant bits of each value away, the others moving down. Return the list of rows of eight-bit values."""
    return np.right_shift(raw, 2)


@task
def dose_halvings(grains: Vector(Int(1, 300), "jars"), times: Vector(Int(0, 5), "jars")):
    """An apothecary halves the contents of each jar several times and always discards the odd grain, which is the same
    as pushing the binary form of `grains` to the right by `times` places, jar by jar. Return the list of what is
    left."""
    return np.right_shift(grains, times)


@task
def lit_windows(storeys: Vector(Int(0, 255), (2, 6))):
    """Each number in `storeys` tells by its binary digits which windows of a storey are lit. How many windows are lit
    on every storey? Return the list of these counts of ones."""
    return np.bitwise_count(storeys)


@task
def holes_in_punch_card(card: Matrix(Int(0, 127), (2, 4), (2, 4))):
    """A punch `card` is described by rows of numbers: a hole stands for each 1 in the binary form of a number. Return,
    in the same rows, how many holes every number has."""
    return np.bitwise_count(card)


@task
def votes_in_mask(mask: Int(0, 4095)):
    """Twelve jurors vote by switches, which a machine reads as one whole number, the `mask`; a juror's yes is a 1 in
    its binary representation. Return how many jurors voted yes."""
    return np.bitwise_count(mask)


@task
def weight_of_signed_codes(gains: Vector(Int(-255, 255), "n"), losses: Vector(Int(-255, 255), "n")):
    """For two lists of signed numbers, `gains` and `losses`, a chip designer wants to know how many ones the binary
    form of every magnitude (the number without its sign) has. Return a dict with the keys "gains" and "losses" and a
    list of counts for each."""
    return {"gains": np.bitwise_count(gains), "losses": np.bitwise_count(losses)}


@task
def morse_bytes(pulses: Vector(Int(0, 1), (5, 14))):
    """The `pulses` of a Morse key, each 0 or 1, are stored in bytes. Eight pulses at a time form a number from 0 to
    255, the first pulse being the highest binary digit; the last byte is filled up with zeros at its end. Return the
    list of bytes."""
    return np.packbits(pulses)


@task
def font_rows(glyph: Matrix(Bool(), (2, 5), (6, 8))):
    """A pixel font keeps each line of a letter in one byte. The lines of `glyph` are rows of at most eight True or
    False values; the leftmost is worth 128, the next 64 and so on. Return a list of rows, each with the one byte of
    its line."""
    return np.packbits(glyph, axis=1)


@task
def knitting_card_bytes(card: Matrix(Bool(), (2, 5), (3, 7))):
    """A knitting machine reads a `card`, a list of rows of True (hole) and False. The rows are joined into one long
    row, which is cut into groups of eight, the last one filled up with no holes. Each group is a byte whose first place
    is worth 128, the next 64 and so on down to 1. Return the bytes as a list."""
    return np.packbits(card)


@task
def column_bytes(tracks: Matrix(Int(0, 1), (5, 8), (2, 4))):
    """On punched tape each of the columns of `tracks` (at most eight rows of 0 or 1) is read from the top down as a
    binary number of eight digits: the top row is worth 128, and rows missing at the bottom count as 0. Return a list
    holding a single row, with one number for each column."""
    return np.packbits(tracks, axis=0)


@task
def bits_of_message(message: Vector(Int(0, 255), (1, 3))):
    """Every number in `message` is a byte from 0 to 255. Send it over a wire: write out the eight binary digits of
    each byte, the highest first, one byte after another. Return one flat list of zeros and ones."""
    return np.unpackbits(np.uint8([*message]))


@task
def valves_open(valves: Vector(Int(0, 255), (1, 3))):
    """A brewery reads the state of its `valves` as bytes (0 to 255), eight valves in each, with the first valve of a
    byte in the bit that is worth 1 and the last in the bit worth 128. Return one flat list, 1 for open and 0 for
    closed, valve by valve."""
    return np.unpackbits(np.uint8([*valves]), bitorder="little")


@task
def bitmap_lines(bitmap: Matrix(Int(0, 255), (2, 4), 1)):
    """An icon of five columns is saved with one byte per line, so `bitmap` is a list of rows with one number from 0 to
    255 each. The pixels are the five highest binary digits of the byte, highest first. Return a list of rows of five
    zeros and ones."""
    return np.unpackbits(np.uint8([*bitmap]), axis=1, count=5)


@task
def answers_from_bytes(sheet: Vector(Int(0, 255), 2), questions: Int(9, 16)):
    """Yes and no answers of a quiz with `questions` questions were stored one after another in the two bytes (0 to
    255) of `sheet`, in each byte from the highest bit down; bits after the last question mean nothing. Return the
    answers as a flat list of 1 and 0."""
    return np.unpackbits(np.uint8([*sheet]), count=questions)


@task
def floor_shown_in_binary(floor: Int(-40, 90)):
    """The lift of a computer museum shows the `floor` it is on in base two, without leading zeros; for the basements,
    which have negative numbers, a minus sign precedes the digits. Return the text that is shown."""
    return np.binary_repr(floor)


@task
def eight_digit_complement(value: Int(-128, 127)):
    """Show how a small processor holds the signed `value` in one byte: the two's complement as a text of exactly eight
    characters, each 0 or 1. Return this text."""
    return np.binary_repr(value, width=8)


@task
def lamp_row_text(score: Int(0, 15), lamps: Int(4, 9)):
    """A scoreboard shows the `score` in binary on a line of `lamps` lamps. Lamps at the left that are not needed stay
    0. Return the state of the line as a text of zeros and ones whose length is the number of lamps."""
    return np.binary_repr(score, width=lamps)


@task
def red_and_blue_code(red: Int(-32, 31), blue: Int(-32, 31)):
    """Colour corrections `red` and `blue` range from -32 to 31 and are sent as six binary characters each, negative
    ones in two's complement. Return a list of the two texts, red first."""
    return [np.binary_repr(red, width=6), np.binary_repr(blue, width=6)]


@task
def colour_in_hex(shade: Int(0, 255)):
    """Web designers write a `shade` from 0 to 255 in the system with sixteen digits, 0 to 9 and then A to F. Return
    this text in capital letters, without leading zeros."""
    return np.base_repr(shade, base=16)


@task
def counting_on_alien_fingers(count: Int(0, 400), fingers: Int(3, 12)):
    """On a planet whose inhabitants have `fingers` fingers, numbers are written in that base, with A for ten and B for
    eleven. Return how they would write our `count`, as a text."""
    return np.base_repr(count, base=fingers)


@task
def ternary_balance(tilt: Int(-80, 80)):
    """The reading `tilt` of a balance, negative when it leans to the left, is to be written with the digits 0, 1 and 2
    in base three; a negative reading starts with a minus sign. Return the text."""
    return np.base_repr(tilt, base=3)


@task
def eggs_counted_in_dozens(eggs: Int(1, 20000)):
    """A farm counts `eggs` by the dozen, the gross (twelve dozen) and so on, in the number system with base twelve; the
    digits for ten and eleven are A and B. Return the number of eggs in that system, as text."""
    return np.base_repr(eggs, base=12)
