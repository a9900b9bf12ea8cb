"""The judge turns a model's response into a Verdict. Start with `judge.py`; `sandbox/` runs untrusted code."""
