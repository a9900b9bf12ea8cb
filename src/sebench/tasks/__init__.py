"""Bank + world -> tasks: cases drawn from the seed, gold translated, splits, discrimination check, import and export."""
