"""Training methods: how a model learns a world's library."""
