"""SE-Bench inside other people's frameworks (docs/integrations.md): a small file for each, on the public API alone.

What they share: `questions.py` (what is asked), `scoring.py` (what an answer is worth), `versions.py` (which versions were tried). Nothing in
sebench imports this folder.
"""
