"""Checks that need the judge: for a world on disk (`world.py`) and for the bank (`bank.py`)."""
