"""The documentation of a forged library."""
