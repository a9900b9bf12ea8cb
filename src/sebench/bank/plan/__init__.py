"""Tasks that state a goal and need four to eight functions.

Here are the reasons that several of them share for mutants that are the same program.
"""

# Of `count_nonzero` and of `all`, if they are given nothing but truth values.
TRUTHS = {
    "count_nonzero -> sum": "adding up truth values counts the true ones",
    "count_nonzero -> nansum": "adding up truth values counts the true ones",
}
EVERY = dict.fromkeys(
    ("all -> min", "all -> nanmin", "all -> prod", "all -> nanprod"),
    "the least of some truth values, and their product, is true if every one is",
)


def either_way(*differences: str) -> dict[str, str]:
    """For differences of which only the size or the square matters."""
    return {
        f"{difference}: operands swapped": "the sign of the difference does not matter" for difference in differences
    }
