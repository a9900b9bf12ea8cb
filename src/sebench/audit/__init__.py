"""Checks that need the judge: of a world on disk (`world.py`), and of the bank (`bank.py`)."""
