"""Studies that leave weights alone: each makes a memory on disk, which stands before the closed prompt."""
