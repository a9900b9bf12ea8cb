"""Worlds on disk: building and loading them, and their prompts."""
