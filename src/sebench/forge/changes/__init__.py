"""Changes: the ways in which a function in a world may behave differently from NumPy's."""
