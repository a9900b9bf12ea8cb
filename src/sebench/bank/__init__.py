"""The task bank: questions with gold solutions in plain NumPy, one file a subject.

`single/` holds tasks that one catalog function answers, `multi/` those that compose three or more. `kinds.py` is the
vocabulary of inputs, `definition.py` the `@task` decorator and the reader. Nothing here knows a world.
"""
