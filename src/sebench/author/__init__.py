"""Tasks and documentation pages written by language models. A text is kept only if it passes the same checks as the
benchmark's own tasks and pages.
"""
