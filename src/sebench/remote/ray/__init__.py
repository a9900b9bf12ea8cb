"""Runs, judging and experiments on a Ray cluster."""
