"""Tasks that state a goal and need four to eight functions."""
