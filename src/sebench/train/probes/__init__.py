"""Probes: what a model knows about a library, measured without having it write code."""
