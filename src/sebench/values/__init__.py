"""Values as data: tagged trees, comparison, and the literals of files. Below everything that draws, runs or judges."""
