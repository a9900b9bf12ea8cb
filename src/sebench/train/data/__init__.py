"""What is learnt from: examples, rows, tokens."""
