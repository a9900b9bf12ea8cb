"""The names in a world: how they are drawn, read from a file, and searched for leaks."""
