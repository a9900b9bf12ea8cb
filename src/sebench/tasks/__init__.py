"""Builds a world's tasks from the bank: seeded cases, translated gold, splits, mutant checks, import and export."""
