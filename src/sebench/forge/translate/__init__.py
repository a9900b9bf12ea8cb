"""Translates between NumPy's names and a world's."""
