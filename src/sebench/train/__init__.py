"""Training methods."""
