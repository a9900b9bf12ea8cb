"""Provenance: finds the library calls that an answer depends on, by making functions lie.

A function lies if it returns deliberately wrong values. `observer.py` wraps the functions of a forged package: it
records calls and can make functions lie. `lies.py` creates the wrong values. Neither depends on NumPy or on the judge:
a build uses them to check reference solutions ("gold"), the sandbox to check answers.
"""
