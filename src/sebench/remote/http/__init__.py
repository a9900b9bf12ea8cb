"""The judge behind HTTP."""
