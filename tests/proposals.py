"""A scripted proposer and three scripted solvers behind one loopback endpoint: good proposals, and one of each kind
that a gate must stop.

`PROPOSED` holds the replies by function and number; `STOPPED` says which gate stops which reply, and why.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import Any

from tests.misbehaving import Server, good

PROPOSER, SOLVERS = "proposer", ("careful", "columns", "cheat")


def reply(entry: str, question: str, inputs: dict[str, str], body: str, **options: Any) -> str:
    """A reply in the asked form."""
    parameters = ", ".join(f"{name}: {kind}" for name, kind in inputs.items())
    code = "\n".join(f"    {line}" for line in body.splitlines())
    mark = f"@task({', '.join(f'{name}={value!r}' for name, value in options.items())})\n" if options else ""
    return f'```python\n{mark}def {entry}({parameters}):\n    """{question}"""\n{code}\n```\n'


PROPOSED: dict[tuple[str, int], str] = {
    ("sum", 0): reply(
        "tram_fares",
        "A tram driver notes the coins of each trip as one row of `fares`. Return what every trip earned, as a list "
        "in the order of the trips.",
        {"fares": "Matrix(Int(1, 40), (2, 5), (2, 6))"},
        "return np.sum(fares, axis=1)",
    ),
    ("sum", 1): reply(
        "bus_fares",
        "A bus driver notes the coins of each trip as one row of `fares`. Return what every trip earned, as a list in "
        "the order of the trips.",
        {"fares": "Matrix(Int(1, 40), (2, 5), (2, 6))"},
        "return np.sum(fares, axis=1)",
    ),
    ("max", 0): reply(
        "tallest_wave",
        "A buoy off the coast measures the `waves` of one night in metres. Use numpy and its max to return the "
        "tallest one as a number.",
        {"waves": "Vector(Float(0, 9), (2, 8))"},
        "return np.max(waves)",
    ),
    ("max", 1): "Here is a task about the tallest wave that a buoy measures in one night: return the largest of them!",
    ("cumsum", 0): reply(
        "steps_so_far",
        "A hiker counts the `steps` of each hour. Return for every hour how many steps were made from the start to "
        "its end, as a list.",
        {"steps": "Vector(Int(100, 900), (3, 8))"},
        "return np.cumsum(steps[::-1])",
    ),
    ("cumsum", 1): reply(
        "growing_stock",
        "A warehouse lists what arrives in a table `arrivals` of whole numbers. Return the table of growing totals, "
        "as lists of numbers.",
        {"arrivals": "Matrix(Int(1, 30), (2, 4), (2, 5))"},
        "return np.cumsum(arrivals, axis=0)",
    ),
    ("argmin", 0): reply(
        "runners_on_track",
        "A coach writes down the lap `times` of all runners who are on the track. Return how many runners there are, "
        "as a whole number.",
        {"times": "Vector(Float(50, 90), (2, 9))"},
        "return np.argmin(times) * 0 + len(times)",
    ),
    ("argmin", 1): reply(
        "closest_village",
        "The table `roads` gives the distance from every village to every other one. Return for each village the "
        "position of the one "
        "that is closest to it, as a list; of several that are equally close, the first.",
        {"roads": "Symmetric(Int(1, 90), (3, 6))"},
        "return np.argmin(roads, axis=1)",
    ),
    ("hypot", 0): reply(
        "ladder_length",
        "A ladder stands `out` metres from a wall and reaches up to a height of `up` metres. Return how long the "
        "ladder is, as a number.",
        {"out": "Float(0.5, 4)", "up": "Float(1, 9)"},
        "waste = len(set(i % 2 for i in range(900000000)))\nreturn np.hypot(out, up) + 0 * waste",
    ),
    ("hypot", 1): reply(
        "kite_strings",
        "Kites fly over a meadow: `away` tells how far each one is along the ground, and `high` how high it flies. "
        "Return how long "
        "each of their tight strings is, as a list of numbers.",
        {"away": "Vector(Float(1, 60), 'kites')", "high": "Vector(Float(5, 90), 'kites')"},
        "return np.hypot(away, high)",
        kites=(2, 6),
    ),
    ("isin", 0): reply(
        "known_songs",
        "A choir sings the `songs` of an evening. Return for each different song whether it is one of the "
        "`favourites`, as truth values.",
        {"songs": "Vector(Word(), (4, 9))", "favourites": "Vector(Word(), (3, 9))"},
        "return np.isin(list(set(songs)), favourites)",
    ),
    ("isin", 1): reply(
        "stamps_without_doubles",
        "A collector sorts the years of some `stamps` and keeps one of each year. Return the years in ascending "
        "order, as a list.",
        {"stamps": "Vector(Int(1900, 1930), (3, 9))"},
        "return np.unique(stamps)",
    ),
    ("where", 0): reply(
        "way_across",
        "For each day, `calm` says whether the lake is calm, `ferry` what the crossing costs by ferry and `bus` what "
        "the way around it "
        "costs by bus. Return for each day the price of the ferry if it is calm, else that of the bus, as a list.",
        {"calm": "Vector(Bool(), 'days')", "ferry": "Vector(Int(1, 30), 'days')", "bus": "Vector(Int(1, 30), 'days')"},
        "return np.where(calm, ferry, bus)",
        days=(2, 6),
    ),
    ("where", 1): reply(
        "oven_or_cellar",
        "A baker has `loaves` with a number each. If `risen` is true for a loaf it goes into the oven and keeps its "
        "number, else it goes "
        "back into the cellar and gets the number 0. Return the numbers of all loaves, as a list.",
        {"loaves": "Vector(Int(1, 99), 'n')", "risen": "Vector(Bool(), 'n')"},
        "return np.where(risen, loaves, 0)",
        n=(3, 8),
    ),
    ("log2", 0): reply(
        "halvings_of_paper",
        "Sheets of paper are folded in half again and again until `layers` lie on each other. Return how often each "
        "was folded, as a list.",
        {"layers": "Vector(Choice(1, 2, 4, 8, 16, 32), (2, 7))"},
        "hidden = [0 for open in layers]\nreturn np.log2(layers + list(open('/etc/hostname')) + hidden)",
    ),
    ("log2", 1): reply(
        "doublings_of_yeast",
        "A jar holds `grown` times as much yeast as at first, one number for each jar. Return how often each doubled, "
        "as a list.",
        {"grown": "Vector(Int(0, 64), (2, 7))"},
        "return np.log2(grown)",
    ),
}
FUNCTIONS = tuple(dict.fromkeys(function for function, _ in PROPOSED))
STOPPED = {
    ("max", 1): ("parse", "not in the required form"),
    ("log2", 0): ("policy", "code that must not run"),
    ("isin", 1): ("policy", "about another function"),
    ("max", 0): ("language", "breaks a language rule"),
    ("hypot", 0): ("runs", "does not finish within the limits"),
    ("isin", 0): ("runs", "not deterministic"),
    ("log2", 1): ("runs", "no usable cases"),
    ("argmin", 0): ("targeted", "does not depend on its functions"),
    ("argmin", 1): ("mutants", "a mutant survives"),
    ("sum", 1): ("duplicate", "too similar to another question"),
    ("cumsum", 0): ("consensus", "gold is suspect"),
    ("cumsum", 1): ("consensus", "the question is suspect"),
}
KEPT = ("tram_fares", "kite_strings", "way_across", "oven_or_cellar")

# What the solvers write: the second reads tables by columns, the third has no idea of tables, and cheats where it can.
EQUAL = (
    "class Same:\n    def __eq__(self, other):\n        return True\n    __hash__ = None\n\n\n{head}\n    return Same()"
)
SOLVED: dict[str, tuple[str, str, str]] = {
    "tram_fares": ("np.sum(fares, axis=1)",) * 3,
    "kite_strings": ("np.hypot(away, high)",) * 3,
    "way_across": ("np.where(calm, ferry, bus)",) * 3,
    "oven_or_cellar": ("np.where(risen, loaves, 0)", "np.where(risen, loaves, 0)", ""),
    "steps_so_far": ("np.cumsum(steps)",) * 3,
    "growing_stock": ("np.cumsum(arrivals, axis=0)", "np.cumsum(arrivals, axis=1)", "np.cumsum(arrivals)"),
}


class Endpoint(Server):
    """The endpoint; it counts what each model was asked."""

    def __init__(self) -> None:
        super().__init__()
        self.by_model: Counter[str] = Counter()
        self.temperatures: set[tuple[str, float]] = set()

    def respond(self, head: bytes, body: bytes) -> bytes:
        self.requests += 1
        asked = json.loads(body)
        self.by_model[asked["model"]] += 1
        self.temperatures.add((asked["model"], asked["temperature"]))
        prompt = asked["messages"][-1]["content"]
        if found := re.search(r"Write one task that the function `np\.([\w.]+)` answers", prompt):
            return good(PROPOSED[found[1], asked["seed"]])
        return good(solution(asked["model"], prompt))


def solution(model: str, prompt: str) -> str:
    """What a solver answers; one that is not of the three is careful."""
    found = re.search(r"^def (\w+)\(.*\):$", prompt, re.M)
    assert found, prompt
    expression = SOLVED[found[1]][SOLVERS.index(model) if model in SOLVERS else 0]
    if not expression:
        return f"```python\n{EQUAL.format(head=found[0])}\n```"
    return f"```python\nimport numpy as np\n\n{found[0]}\n    return {expression}\n```"
