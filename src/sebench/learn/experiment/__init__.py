"""Comparisons of methods over worlds: the file (`grid.py`), the work (`runner.py`), and one row of it in a process of its own (`row.py`)."""
