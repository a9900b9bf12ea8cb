"""What a forged package runs on: the sources of `<package>/_core/`.

Ordinary, checked modules here. `forge/package/package.py` ships them without comments and docstrings and with every "@path"
token replaced by a digest that is salted per world, so that the shipped text names nothing of the source library. For
the same reason the code avoids identifiers that the source library has, and imports nothing but Python's own modules.

What holds, and why (attacks: `tests/test_sealing.py`):

- The data of an array lies in a slot whose descriptor is taken off the class: no attribute reaches it. The slot's
  name is random, so that no other class can be laid over it by assigning `__class__`.
- The backend sees plain data, its own arrays and our callbacks, never a foreign object: what `lower` does not know it
  refuses, so no `__array_ufunc__`, `__float__` or `__radd__` of a caller is ever handed something of the backend.
- Whatever comes out passes `lift`; an unknown kind of value is an error, not a leak.
- An error of the backend is not chained and its text is not passed on (`messages.py`).
- Nothing of the backend lives in module globals. Each piece is made by a function that returns closures, which hold it;
  what reflection still shows is told in docs/forge.md.
"""
