"""Names of a world."""
