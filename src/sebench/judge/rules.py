"""What an answer may use: the policy as data, shared by the static check (`policy.py`) and the guard in the child.

Allowed is a list, not forbidden: a module or an attribute that nobody thought of is refused.
"""

from __future__ import annotations

import ast

ANSWER_FILE = "<answer>"  # the file name of the candidate's code object; frames with it are the candidate's
ANSWER_MODULE = "answer"

# Harmless modules of Python. The candidate gets copies of them that hold public names and no other modules.
MODULES = frozenset(
    """__future__ abc array base64 binascii bisect calendar cmath collections collections.abc contextlib copy dataclasses
    datetime decimal enum fractions functools graphlib hashlib heapq io itertools json keyword locale logging math numbers
    operator os os.path pprint queue random re reprlib statistics string struct sys textwrap time timeit types typing
    typing_extensions unicodedata uuid warnings weakref zoneinfo""".split()
)

# Those that most answers use: a zygote has them ready. The others are loaded by the child that asks for them.
READY = frozenset(
    """__future__ bisect cmath collections collections.abc copy datetime functools heapq itertools json math operator os
    os.path random re statistics string sys time timeit types typing""".split()
)

# Libraries that compute: refused even when the import is not used.
NUMERIC = frozenset(
    """numpy scipy pandas torch jax jaxlib cupy numba sympy mpmath tensorflow keras sklearn statsmodels xarray polars
    bottleneck numexpr theano mxnet paddle gmpy2 sebench""".split()
)

# Of these modules only the named attributes.
ONLY = {
    "sys": frozenset(
        """maxsize float_info int_info hash_info version version_info byteorder platform getrecursionlimit
        setrecursionlimit getsizeof stdout stderr maxunicode implementation exit""".split()
    ),
    "os": frozenset({"sep", "linesep", "name", "path"}),
    "os.path": frozenset({"join", "basename", "dirname", "splitext", "sep"}),
    "io": frozenset({"StringIO", "BytesIO"}),
    "types": frozenset({"SimpleNamespace", "MappingProxyType", "GenericAlias", "NoneType", "EllipsisType"}),
    "timeit": frozenset({"default_timer"}),
    "locale": frozenset(),
    "weakref": frozenset({"ref", "proxy", "WeakKeyDictionary", "WeakValueDictionary"}),
}

# Public names of otherwise harmless modules that lead out: they evaluate text, follow attributes by name, or toss coins.
WITHOUT = {
    "string": frozenset({"Formatter"}),
    "typing": frozenset({"get_type_hints", "ForwardRef"}),
    "operator": frozenset({"attrgetter", "methodcaller"}),  # replaced by guarded ones
    "copy": frozenset({"dispatch_table"}),
    "random": frozenset({"SystemRandom"}),
    "uuid": frozenset({"uuid1", "uuid4", "getnode"}),
    "contextlib": frozenset({"redirect_stdout", "redirect_stderr", "chdir"}),
    "enum": frozenset({"global_enum", "global_enum_repr", "global_flag_repr", "global_str"}),
}

# Methods of text whose fields follow attributes: the policy has the guard look at them (`sandbox/formats.py`).
FORMATS = frozenset({"format", "format_map"})
FORMAT_GUARD = "format of"  # the name under which programs find it, which no program can spell

# Builtins that evaluate text, reach files or look behind objects.
FORBIDDEN_BUILTINS = frozenset("eval exec compile open input breakpoint help exit quit vars".split())

# A program of these parts alone is the same in every run of one process (`policy.plain`): its builtins work on values, not on objects.
PLAIN_BUILTINS = frozenset(
    """abs all any bool complex dict divmod enumerate filter float int isinstance len list map max min pow range reversed
    round slice sorted sum tuple zip ValueError TypeError""".split()
)
# Names of `typing` that stand for nothing that can be changed. (`Sequence` and its like have `register`, which is remembered.)
PLAIN_TYPES = frozenset("Any Dict FrozenSet List Optional Set Tuple Union".split())
PLAIN_NODES = frozenset(
    {
        ast.Module, ast.FunctionDef, ast.arguments, ast.arg, ast.Return, ast.Assign, ast.AugAssign, ast.AnnAssign, ast.For,
        ast.While, ast.If, ast.Expr, ast.Pass, ast.Break, ast.Continue, ast.Raise, ast.Assert, ast.Import, ast.ImportFrom,
        ast.alias, ast.BoolOp, ast.NamedExpr, ast.BinOp, ast.UnaryOp, ast.Lambda, ast.IfExp, ast.Dict, ast.ListComp,
        ast.DictComp, ast.GeneratorExp, ast.comprehension, ast.Compare, ast.Call, ast.keyword, ast.Constant, ast.Attribute,
        ast.Subscript, ast.Starred, ast.Name, ast.List, ast.Tuple, ast.Slice,
    }.union(*(k.__subclasses__() for k in (ast.operator, ast.unaryop, ast.boolop, ast.cmpop, ast.expr_context)))
)  # fmt: skip
# Besides the names of the library and of `math`, the attributes of arrays, numbers, lists, dicts and text that plain programs may have.
# Not among them: `format` and `translate` (text with addresses in it), `keys` and `items` (views that combine to sets).
PLAIN_ATTRIBUTES = frozenset(
    """T dtype ndim shape size tolist real imag conjugate is_integer bit_length append extend insert pop remove index count
    reverse sort copy clear get values setdefault update split strip lstrip rstrip upper lower title capitalize startswith
    endswith replace find join splitlines isdigit isalpha""".split()
)

# Dunder attributes that ordinary code uses. All others are refused.
SAFE_DUNDERS = frozenset(
    """__name__ __main__ __doc__ __version__ __author__ __all__ __annotations__ __slots__ __match_args__ __total__
    __init__ __post_init__ __new__ __class__ __init_subclass__ __class_getitem__ __set_name__ __call__ __del__
    __len__ __length_hint__ __iter__ __next__ __reversed__ __contains__ __getitem__ __setitem__ __delitem__ __missing__
    __getattr__ __setattr__ __delattr__ __enter__ __exit__ __aiter__ __anext__ __aenter__ __aexit__ __await__
    __eq__ __ne__ __lt__ __le__ __gt__ __ge__ __hash__ __bool__ __int__ __float__ __complex__ __index__
    __str__ __repr__ __format__ __round__ __trunc__ __floor__ __ceil__ __abs__ __neg__ __pos__ __invert__ __divmod__
    __add__ __sub__ __mul__ __truediv__ __floordiv__ __mod__ __pow__ __matmul__ __and__ __or__ __xor__ __lshift__
    __rshift__ __radd__ __rsub__ __rmul__ __rtruediv__ __rfloordiv__ __rmod__ __rpow__ __rmatmul__ __rand__ __ror__
    __iadd__ __isub__ __imul__ __itruediv__ __ipow__ __iand__ __ior__ __copy__ __deepcopy__ __sizeof__""".split()
)

# Attributes without underscores that lead from objects to frames and code.
REFLECTIVE = frozenset(
    """tb_frame tb_next tb_lasti f_globals f_locals f_back f_builtins f_code gi_frame gi_code gi_yieldfrom cr_frame
    cr_code cr_origin ag_frame ag_code co_code co_consts co_names func_globals func_code mro_entries""".split()
)

# Audit events of CPython that end a run when the candidate's own code causes them.
EVENTS = (
    "open", "exec", "compile", "import", "ctypes", "gc.", "sys._", "sys.set", "sys.unraisable", "object.__", "os.",
    "subprocess", "socket", "marshal", "pickle", "code.__new__", "function.__new__", "mmap", "fcntl", "resource",
    "shutil", "tempfile", "glob", "signal", "urllib", "http", "builtins.input", "builtins.breakpoint", "cpython.",
)  # fmt: skip


def dunder(name: str) -> bool:
    """Whether a name is special to Python and not one of the harmless ones."""
    return name.startswith("__") and name.endswith("__") and len(name) > 4 and name not in SAFE_DUNDERS


def reflective(name: str) -> bool:
    """Whether reading this attribute leads behind objects."""
    return dunder(name) or name in REFLECTIVE
