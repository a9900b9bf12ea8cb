"""Adapters for evaluation and training frameworks."""
