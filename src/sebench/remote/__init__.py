"""Judging and running on other machines."""
