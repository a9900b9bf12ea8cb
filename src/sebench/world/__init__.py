"""A world on disk: building it, loading it, and its prompts."""
