"""Files of other projects."""
