"""Checks of a world on disk (`world.py`) and of the bank (`bank.py`) that need the judge."""
