"""Memories: knowledge of a library outside the weights. How they are stored, and what they recall for a task."""
