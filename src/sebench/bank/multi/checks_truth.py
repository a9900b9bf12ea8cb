"""Reasons that the tasks of checks_*.py share: functions that are the same program on truth values. No tasks here."""

COUNT = {
    "count_nonzero -> sum": "the sum of truth values counts the True ones",
    "count_nonzero -> nansum": "the sum of truth values counts the True ones",
}

NOT = {
    "logical_not -> invert": "on truth values it is the same",
    **dict.fromkeys(
        (f"logical_not -> {name}" for name in ("log", "log2", "log10", "arccos", "arccosh")),
        "of truth values it is nonzero exactly for False",
    ),
}

# What comes after tests only whether a value is nonzero.
AND = {
    **dict.fromkeys(
        (f"logical_and -> {name}" for name in ("bitwise_and", "minimum", "fmin", "multiply")),
        "on truth values it is the same",
    ),
    **dict.fromkeys(
        (f"logical_and -> {name}" for name in ("floor_divide", "divmod", "power", "float_power")),
        "of truth values it is nonzero exactly if both are True, the ignored division by zero aside",
    ),
}

OR = {
    **dict.fromkeys(
        (f"logical_or -> {name}" for name in ("bitwise_or", "maximum", "fmax", "add", "polyadd")),
        "on truth values it is the same",
    ),
    **dict.fromkeys(
        (f"logical_or -> {name}" for name in ("hypot", "heaviside", "gcd")),
        "of truth values it is nonzero exactly if one of them is True",
    ),
}

ALL = dict.fromkeys(
    (f"all -> {name}" for name in ("min", "nanmin")), "the least of truth values is True exactly if all are"
)

ANY = dict.fromkeys(
    (f"any -> {name}" for name in ("max", "nanmax")), "the greatest of truth values is True exactly if any is"
)

# Where only the positions of nonzero values are asked for afterwards.
ALL_NONZERO = {
    **ALL,
    **dict.fromkeys(
        (f"all -> {name}" for name in ("prod", "nanprod")),
        "the product of truth values is nonzero exactly if all are True",
    ),
}

ANY_NONZERO = {
    **ANY,
    **dict.fromkeys(
        (
            f"any -> {name}"
            for name in "sum nansum count_nonzero mean nanmean average linalg.norm linalg.vector_norm trapezoid".split()
        ),
        "of truth values it is nonzero exactly if one of them is True",
    ),
}
