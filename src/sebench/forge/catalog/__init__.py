"""The functions that are forged, and their signatures."""
