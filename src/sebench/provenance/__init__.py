"""Provenance: which library calls a program's answer depends on, found by letting functions lie.

`observer.py` stands between a program and the functions of a forged package: it notes calls and, when told to, has some functions lie.
`lies.py` makes the wrong values. Both know no NumPy and no judge: a build uses them to check gold, the sandbox to check answers.
"""
