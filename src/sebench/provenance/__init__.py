"""Provenance: finds the library calls that an answer depends on, by falsifying functions.

A falsified function returns deliberately wrong values; the code calls this a lie. `observer.py` wraps the functions of
a forged package: it records calls and can falsify functions. `lies.py` creates the wrong values. Neither depends on
NumPy or on the judge: a build uses them to check reference solutions ("gold"), the sandbox to check answers.
"""
