"""Released results: a run or an experiment as a small folder to publish, and the check that it says the truth.

`pack.py` makes one, `folder.py` reads one, `verify.py` judges its answers again. `sebench release`, `sebench verify` and
`sebench leaderboard` call them.
"""
