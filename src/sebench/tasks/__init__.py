"""Bank + world -> tasks: cases drawn from the seed, translated gold, splits, mutant checks, import and export."""
