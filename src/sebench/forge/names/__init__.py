"""Draws the names in a world, reads them from a file, and searches texts for leaked names."""
