"""What a model knows, measured without code."""
