"""What the task files beside it name: the harness looks for functions in files of their folder."""

from __future__ import annotations

from sebench.interop.frameworks.lm_eval import judge as judge
from sebench.interop.frameworks.lm_eval import load as load
from sebench.interop.frameworks.lm_eval import scores as scores
