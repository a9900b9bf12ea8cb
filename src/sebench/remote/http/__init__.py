"""Serves the judge over HTTP."""
