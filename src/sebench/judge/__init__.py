"""The judge: a model's response -> a Verdict. `judge.py` is the way in; `sandbox/` runs code that nobody trusts."""
