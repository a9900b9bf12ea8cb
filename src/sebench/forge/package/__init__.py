"""Writes the forged package."""
