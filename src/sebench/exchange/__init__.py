"""Tasks in the formats of others: the published JSONL (`published.py`), a folder for `datasets` and the hub (`huggingface.py`), parquet for verl
(`verl.py`)."""
