"""SE-Bench: measure whether a model has internalized a library that never existed.

`import sebench` is silent and cheap: it loads neither NumPy nor any command. The stages are the sub-packages.
"""

__version__ = "0.1.0"
