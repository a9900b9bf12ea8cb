"""Values as data: tagged trees, comparison, and parsing from text. Used by everything that draws, runs or judges."""
