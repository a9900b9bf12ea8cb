"""Other people's formats and frameworks."""
