"""Released results: a run or an experiment as a small folder for publication, and the check that its claims are true.

`pack.py` makes one, `folder.py` reads one, `verify.py` judges its answers again. `sebench release`, `sebench verify`
and `sebench leaderboard` call them.
"""
