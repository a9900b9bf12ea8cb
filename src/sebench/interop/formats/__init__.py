"""Reads and writes the file formats of other projects."""
