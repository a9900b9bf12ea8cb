"""Training data: examples, rows and tokens."""
