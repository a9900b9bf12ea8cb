"""Translation between NumPy's names and a world's."""
