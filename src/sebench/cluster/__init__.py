"""Many machines (docs/scale.md): verdicts, requests and rows of an experiment on a Ray cluster, behind the interfaces of one machine.

`batches.py` and `worlds.py` know nothing of Ray; `node.py` is what runs on a node; `on_ray.py`, `askers.py` and `rows.py` are the Ray side.
"""
