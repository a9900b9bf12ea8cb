"""The sandbox: a warm zygote per world, a fork per run, and kernel isolation around both.

One file per kernel mechanism: `namespaces.py` (what a run can see), `landlock.py` (what it can open), `seccomp.py`
(what it can ask the kernel), `limits.py` (how much it can use). `layers.py` proves at start-up that each of them holds.
"""
