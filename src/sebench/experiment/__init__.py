"""Experiments: many trainings and evaluations from one file."""
