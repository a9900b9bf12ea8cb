"""The audit of a forged library."""
