"""Tables of what submitted code may use: for the static policy (`policy.py`), and for programs that share a process
(`stateless.py`)."""

from __future__ import annotations

import ast
import builtins

# The version of the scoring rules, raised when an answer may get another verdict or lose credit in a new version.
# 1: until 0.6.0. 2: credit for answers that change as the reference solution does; one CPU budget per verdict. (The
# profile `paper` follows the published checker, which rejects answers that only construct an array.) 3: calls on single
# rows or elements count for functions with yes-or-no results too; an alternative counts only for what gold's own calls
# to it do not show, and not for own values that pass through it.
SCORING_RULES = 3

ANSWER_FILE = "<answer>"  # the file name of the candidate's code object; frames with it are the candidate's
ANSWER_MODULE = "answer"
FUTURE = "__future__"

NUMPY = "numpy"
# Numeric libraries. An answer that imports one is refused, even if it does not use it.
NUMERIC = frozenset(
    """numpy scipy pandas torch jax jaxlib cupy numba sympy mpmath tensorflow keras sklearn statsmodels xarray polars
    bottleneck numexpr theano mxnet paddle gmpy2 sebench""".split()
)

# ---- stateless programs: they consist only of these parts -----------------------------------------------------------

# Errors that a program may raise and catch. Not included: running out of memory or stack depth, and undefined names;
# `except Exception` does not catch these.
ERRORS = frozenset(
    """ArithmeticError AssertionError AttributeError Exception FloatingPointError IndexError KeyError LookupError
    NotImplementedError OverflowError RuntimeError StopIteration TypeError ValueError ZeroDivisionError""".split()
)
# Builtins that work on values, not on object identities.
BUILTINS = ERRORS.union(
    """abs all any bin bool callable chr classmethod complex dict divmod enumerate filter float hex int
    isinstance iter len list map max min next oct ord pow property range reversed round slice sorted
    staticmethod sum tuple zip""".split()
)
HIDDEN_BUILTINS = frozenset(dir(builtins)) - BUILTINS
# Builtins that can reveal an address, or the order of addresses, so that their arguments are checked first
# (`sandbox/guards.py`).
GUARDED = frozenset("format frozenset hasattr print repr set str type".split())
# What may be imported besides the library: all of `math`, and these names.
IMPORTS = {
    "collections": frozenset("Counter OrderedDict defaultdict deque".split()),
    "functools": frozenset("partial reduce".split()),
    "itertools": frozenset(
        """accumulate batched chain combinations combinations_with_replacement compress count cycle dropwhile
        filterfalse groupby islice pairwise permutations product repeat starmap takewhile tee zip_longest""".split()
    ),
    "operator": frozenset(
        """abs add eq floordiv ge getitem gt itemgetter le lt matmul mul ne neg not_ pow sub truediv truth""".split()
    ),
    "dataclasses": frozenset("asdict astuple dataclass field replace".split()),
}
# Types that an annotation may name: built-in ones, and those of `typing` and `collections.abc`, with their number of
# type parameters (9 means any number).
TYPES = frozenset("bool bytes complex dict float frozenset int list object set str tuple".split())
GENERICS = {
    "Any": 0, "Callable": 0, "Dict": 2, "Final": 1, "FrozenSet": 1, "Generator": 3, "Iterable": 1, "Iterator": 1,
    "List": 1, "Mapping": 2, "MutableMapping": 2, "MutableSequence": 1, "Optional": 1, "Sequence": 1, "Set": 1,
    "Tuple": 9, "Union": 9, "Collection": 1,
}  # fmt: skip
NODES = frozenset(
    {
        ast.Module, ast.FunctionDef, ast.arguments, ast.arg, ast.Return, ast.Assign, ast.AugAssign, ast.For,
        ast.While, ast.If, ast.Expr, ast.Pass, ast.Break, ast.Continue, ast.Raise, ast.Assert, ast.Import,
        ast.ImportFrom, ast.alias, ast.BoolOp, ast.NamedExpr, ast.BinOp, ast.UnaryOp, ast.Lambda, ast.IfExp, ast.Dict,
        ast.ListComp, ast.DictComp, ast.GeneratorExp, ast.comprehension, ast.Compare, ast.Call, ast.keyword,
        ast.Constant, ast.Attribute, ast.Subscript, ast.Starred, ast.Name, ast.List, ast.Tuple, ast.Slice, ast.Set,
        ast.SetComp, ast.JoinedStr, ast.FormattedValue, ast.Try, ast.ExceptHandler, ast.ClassDef, ast.AnnAssign,
        ast.Nonlocal, ast.Delete, ast.Yield, ast.YieldFrom,
    }.union(*(k.__subclasses__() for k in (ast.operator, ast.unaryop, ast.boolop, ast.cmpop, ast.expr_context)))
)  # fmt: skip
# Attributes of arrays, numbers, lists, dicts and text that are safe for every value. The names in the library and in
# modules are allowed as well.
ATTRIBUTES = frozenset(
    """T dtype ndim shape size tolist real imag conjugate is_integer bit_length append extend insert pop
    remove index count reverse sort copy clear get values setdefault split strip lstrip rstrip upper lower
    title capitalize startswith endswith replace find join splitlines isdigit isalpha""".split()
)
# Attributes that are allowed at run time for values of Python's own types. Not included: `translate`, and views, which
# can be combined into sets.
OF_VALUES = ATTRIBUTES.union(
    """add appendleft as_integer_ratio casefold center conjugate denominator difference difference_update
    discard elements extendleft fromkeys hex intersection intersection_update isalnum isdecimal isdisjoint
    islower isnumeric isspace issubset issuperset isupper ljust most_common move_to_end numerator partition
    popitem popleft removeprefix removesuffix rfind rindex rjust rotate rpartition rsplit swapcase
    symmetric_difference symmetric_difference_update total union update zfill format""".split()
)
VIEWS = frozenset("keys items".split())  # of dicts: they can be combined into sets, so they may only be iterated over
# Methods of classes that Python calls by itself.
SPECIAL_METHODS = frozenset("__init__ __post_init__ __call__".split())
# Audit events of CPython that no stateless program can cause: a program that causes one ends its process.
EVENTS = (
    "open", "exec", "compile", "import", "ctypes", "gc.", "sys._", "sys.set", "sys.unraisable", "object.__", "os.",
    "subprocess", "socket", "marshal", "pickle", "code.__new__", "function.__new__", "mmap", "fcntl", "resource",
    "shutil", "tempfile", "glob", "signal", "urllib", "http", "builtins.input", "builtins.breakpoint", "cpython.",
)  # fmt: skip
