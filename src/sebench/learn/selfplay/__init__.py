"""Self-play: a model asks itself questions with the book open, and learns its own right answers with the book closed."""
