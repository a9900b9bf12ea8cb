"""What an answer may use, as data: for the static policy (`policy.py`) and for programs that share a process (`stateless.py`)."""

from __future__ import annotations

import ast

# The rules by which answers are scored, raised when an answer may get another verdict or lose credit by a new version.
# 1: until 0.6.0. 2: credit for answers that move as gold moves; one budget of CPU time for a verdict.
SCORING_RULES = 2

ANSWER_FILE = "<answer>"  # the file name of the candidate's code object; frames with it are the candidate's
ANSWER_MODULE = "answer"

NUMPY = "numpy"
# Libraries that compute. An answer that imports one is refused, even if it does not use it.
NUMERIC = frozenset(
    """numpy scipy pandas torch jax jaxlib cupy numba sympy mpmath tensorflow keras sklearn statsmodels xarray polars
    bottleneck numexpr theano mxnet paddle gmpy2 sebench""".split()
)

# ---- stateless programs: made of these parts alone ------------------------------------------------------------------

# They work on values, not on objects.
BUILTINS = frozenset(
    """abs all any bool complex dict divmod enumerate filter float int isinstance len list map max min pow range reversed
    round slice sorted sum tuple zip ValueError TypeError""".split()
)
# Types that an annotation may name; and those of `typing` and `collections.abc`, with how many others they take (9: any number).
TYPES = frozenset("bool bytes complex dict float frozenset int list object set str tuple".split())
GENERICS = {
    "Any": 0, "Dict": 2, "FrozenSet": 1, "Iterable": 1, "Iterator": 1, "List": 1, "Mapping": 2, "MutableMapping": 2, "MutableSequence": 1,
    "Optional": 1, "Sequence": 1, "Set": 1, "Tuple": 9, "Union": 9, "Collection": 1,
}  # fmt: skip
NODES = frozenset(
    {
        ast.Module, ast.FunctionDef, ast.arguments, ast.arg, ast.Return, ast.Assign, ast.AugAssign, ast.For,
        ast.While, ast.If, ast.Expr, ast.Pass, ast.Break, ast.Continue, ast.Raise, ast.Assert, ast.Import, ast.ImportFrom,
        ast.alias, ast.BoolOp, ast.NamedExpr, ast.BinOp, ast.UnaryOp, ast.Lambda, ast.IfExp, ast.Dict, ast.ListComp,
        ast.DictComp, ast.GeneratorExp, ast.comprehension, ast.Compare, ast.Call, ast.keyword, ast.Constant, ast.Attribute,
        ast.Subscript, ast.Starred, ast.Name, ast.List, ast.Tuple, ast.Slice,
    }.union(*(k.__subclasses__() for k in (ast.operator, ast.unaryop, ast.boolop, ast.cmpop, ast.expr_context)))
)  # fmt: skip
# Besides the names of the library and of `math`: attributes of arrays, numbers, lists, dicts and text.
# Not among them: `format` and `translate` (text with addresses in it), `keys` and `items` (views that combine to sets).
ATTRIBUTES = frozenset(
    """T dtype ndim shape size tolist real imag conjugate is_integer bit_length append extend insert pop remove index count
    reverse sort copy clear get values setdefault update split strip lstrip rstrip upper lower title capitalize startswith
    endswith replace find join splitlines isdigit isalpha""".split()
)
# Audit events of CPython that no stateless program can cause: one that does ends its process.
EVENTS = (
    "open", "exec", "compile", "import", "ctypes", "gc.", "sys._", "sys.set", "sys.unraisable", "object.__", "os.",
    "subprocess", "socket", "marshal", "pickle", "code.__new__", "function.__new__", "mmap", "fcntl", "resource",
    "shutil", "tempfile", "glob", "signal", "urllib", "http", "builtins.input", "builtins.breakpoint", "cpython.",
)  # fmt: skip
