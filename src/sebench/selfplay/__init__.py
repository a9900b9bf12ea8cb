"""Self-play: rounds of proposing, solving and training."""
