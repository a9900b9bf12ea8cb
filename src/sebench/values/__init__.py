"""Values as data: tagged trees, comparison, and parsing from text. Used wherever values are drawn, returned or
judged."""
