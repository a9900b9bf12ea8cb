"""The functions that the task files refer to: the harness looks for them in the folder of the task files."""

from __future__ import annotations

from sebench.interop.frameworks.lm_eval import judge as judge
from sebench.interop.frameworks.lm_eval import load as load
from sebench.interop.frameworks.lm_eval import scores as scores
