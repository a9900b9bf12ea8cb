"""Tasks that state a goal and need four to eight functions."""

# Mutants of `count_nonzero` that are the same program if it is given nothing but truth values.
TRUTHS = {
    "count_nonzero -> sum": "adding up truth values counts the true ones",
    "count_nonzero -> nansum": "adding up truth values counts the true ones",
}
