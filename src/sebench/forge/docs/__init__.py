"""Writes and checks the documentation of a forged library."""
