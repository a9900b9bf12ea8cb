"""Tasks in the formats of others: the published JSONL (`published.py`), a folder for `datasets` (`huggingface.py`)."""
