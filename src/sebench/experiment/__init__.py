"""Experiments: many training runs and evaluations from one file."""
