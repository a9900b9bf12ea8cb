"""Changes: the ways in which a function of a world may behave differently from NumPy's."""
