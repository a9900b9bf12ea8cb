"""What a forged package runs on: the sources of `<package>/_core/`.

Here they are ordinary modules. `forge/package/package.py` ships them without comments and docstrings, and with every
"@path" token replaced by a digest that is salted per world, so that the shipped text contains no name from the source
library. For the same reason the code avoids identifiers that the source library has, and imports only Python's own
modules.

What is guaranteed, and how (attacks: `tests/test_sealing.py`):

- The data of an array are in a slot whose descriptor is removed from the class, so no attribute reaches them. The
  slot's name is random, so that assigning `__class__` cannot give the array a class with the same layout.
- The backend receives plain data, its own arrays and our callbacks, never a foreign object: `lower` refuses what it does
  not know, so no `__array_ufunc__`, `__float__` or `__radd__` of a caller ever receives a backend object.
- Every result passes through `lift`; an unknown kind of value is an error, not a leak.
- A backend error is not chained, and its text is not passed on (`messages.py`).
- No module global refers to the backend: only closures do, and each piece is a function that returns them. What
  reflection still shows is described in docs/forge.md.
"""
