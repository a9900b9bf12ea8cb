"""Construction with language models: what a model writes is kept only if it passes the checks that our own texts and
tasks pass.
"""
