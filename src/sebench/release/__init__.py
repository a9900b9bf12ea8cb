"""Released results: a run or an experiment as a small folder for publication, and the check that its claims are true.

`pack.py` writes a release, `folder.py` reads it, and `verify.py` judges its answers again. `sebench release`, `sebench
verify` and `sebench leaderboard` call them.
"""
