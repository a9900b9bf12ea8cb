"""Tables, plots, files and pages of a report."""
