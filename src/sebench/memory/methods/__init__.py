"""How memories are made: by rule, or written by a model."""
