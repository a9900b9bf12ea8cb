"""What a model can be told about a library without changing a weight: memories on disk, and what they recall for a task."""
