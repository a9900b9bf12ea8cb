"""Learning from the documentation itself: material made from the pages by program (`material.py`), or by a model (`rephrase.py`)."""
