"""How memories are created: by a fixed rule, or written by a model."""
