"""Memories: what a model knows about a library as text, outside its weights. Storage, and recall for a task."""
