"""Runs, judging and experiments on Ray clusters."""
