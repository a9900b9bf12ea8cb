"""Sampled arguments: the named inputs that the catalog's `calls` refer to.

The inputs are plain Python data with fixed shapes and random values, so that a call such as `np.mean(mat, axis=0)` is
written once and tried with any number of seeds. The audit uses them to compare forged calls with NumPy's, and the
documentation uses them in its examples.
"""

from __future__ import annotations

import random
from typing import Any

NAN = float("nan")


def draw(seed: int, call: str) -> dict[str, Any]:
    """Draw the inputs for one call: the same seed and call give the same values."""
    rng = random.Random(f"{seed}:{call}")

    def number(low: float = -9.0, high: float = 9.0) -> float:
        return round(rng.uniform(low, high), 2)

    def vector(n: int, low: float = -9.0, high: float = 9.0) -> list[float]:
        return [number(low, high) for _ in range(n)]

    def integers(n: int, low: int, high: int) -> list[int]:
        return [rng.randint(low, high) for _ in range(n)]

    def flags(n: int) -> list[bool]:
        drawn = [rng.random() < 0.5 for _ in range(n)]
        drawn[:2] = [True, False]  # never all equal: a mask that selects nothing tests nothing
        rng.shuffle(drawn)
        return drawn

    def rows(make: Any, n: int) -> list[Any]:
        return [make() for _ in range(n)]

    square = [vector(3, -3, 3) for _ in range(3)]
    for i in range(3):
        square[i][i] += 12.0  # diagonally dominant, hence invertible and well conditioned
    spd = [[sum(a * b for a, b in zip(r, s, strict=True)) for s in square] for r in square]
    holes, holes_mat = vector(6), rows(lambda: vector(4), 3)
    holes[rng.randrange(6)] = NAN
    holes_mat[rng.randrange(3)][rng.randrange(4)] = NAN
    return {
        "x": number(),  # a float
        "n": rng.randint(2, 4),  # a small positive integer
        "vec": vector(6),
        "vec2": vector(6),
        "vec3": vector(3),
        "pos": vector(6, 0.1, 9.0),
        "unit": vector(6, -0.99, 0.99),
        "prob": vector(6, 0.0, 1.0),
        "ang": vector(6, -6.2, 6.2),
        "sorted_vec": sorted(vector(6)),
        "holes": holes,  # a vector with one nan
        "ints": integers(6, -9, 9),
        "ints2": integers(6, -9, 9),
        "nat": integers(6, 0, 9),
        "pos_ints": integers(6, 1, 9),
        "byte_ints": integers(6, 0, 255),
        "idx": integers(6, 0, 5),  # indices into a vector
        "idx4": integers(3, 0, 3),  # three indices into a row of `mat`
        "mask": flags(6),
        "mask2": flags(6),
        "cvec": [complex(number(), number()) for _ in range(6)],
        "cvec2": [complex(number(), number()) for _ in range(6)],
        "mat": rows(lambda: vector(4), 3),  # 3 x 4
        "mat2": rows(lambda: vector(4), 3),
        "pos_mat": rows(lambda: vector(4, 0.1, 9.0), 3),
        "imat": rows(lambda: integers(4, -9, 9), 3),
        "imat2": rows(lambda: integers(4, -9, 9), 3),
        "bmat": [flags(4) for _ in range(3)],
        "bmat2": [flags(4) for _ in range(3)],
        "holes_mat": holes_mat,
        "tall": rows(lambda: vector(3), 4),  # 4 x 3
        "square": square,  # 3 x 3, invertible
        "square2": rows(lambda: vector(3), 3),
        "sym": [
            [a + b for a, b in zip(r, c, strict=True)] for r, c in zip(square, zip(*square, strict=True), strict=True)
        ],
        "spd": spd,
        "cube": rows(lambda: rows(lambda: vector(4), 3), 2),  # 2 x 3 x 4
        "icube": rows(lambda: rows(lambda: integers(4, -9, 9), 3), 2),
    }
