"""Provenance: finds the library calls that an answer depends on by making functions lie.

`observer.py` stands between a program and the functions of a forged package: it records calls and can make functions
lie. `lies.py` creates the wrong values. Neither depends on NumPy or on the judge: a build uses them to check gold, the
sandbox to check answers.
"""
