"""Tasks and documentation pages written by language models. They are kept only if they pass the same checks as the
benchmark's own tasks and pages.
"""
