"""The version of sebench."""

__version__ = "0.7.0"
