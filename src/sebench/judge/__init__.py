"""The judge: a model's response -> a Verdict. Start with `judge.py`; `sandbox/` runs untrusted code."""
