"""The catalog of functions that are forged, and their signatures."""
