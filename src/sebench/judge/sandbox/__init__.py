"""The sandbox: warm zygotes for a world, a fork for every run, and kernel isolation around both.

One file per kernel mechanism: `namespaces.py` (what a run can see), `landlock.py` (what it can open), `seccomp.py`
(which system calls it can make), `limits.py` (how much it can use). `layers.py` tests each of them at start-up.
"""
