"""Stateless programs run in the process of the library, both with the truth and with lies; a program that could tell
two runs apart is not stateless."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

from sebench.base.records import Kind
from sebench.judge.judge import Judge
from sebench.judge.program.rules import NODES
from sebench.world.world import World
from tests.beside import NOT_STATELESS, WALL, answers_beside, as_stateless
from tests.conftest import EVERYTHING
from tests.judge_tasks import task

STATELESS = {
    "a call": "import lib\ndef f(a):\n    return lib.g(a)",
    "imported name": "from lib import g\ndef f(a):\n    return g(a)",
    "helper and loop": "import lib, math\ndef h(x):\n    return math.sqrt(x)\n"
    "def f(a):\n    t = 0\n    for x in a:\n        t += h(x)\n    return lib.g([t])",
    "comprehension": "import lib\ndef f(a):\n    b = [x * 2 for x in a if x is not None]\n    return {'k': lib.g(b), "
    "'n': len(b)}",
    "while and constant": "import lib\nN = 3\ndef f(a):\n    i = 0\n    while i < N:\n        i += 1\n    return "
    "lib.g(a)[:i]",
    "annotations": "from __future__ import annotations\nfrom typing import List, Optional\nimport lib\n"
    "def f(a: List[float], b: Optional[int] = None) -> float:\n    return lib.g(a)",
    "remainders": "import lib\ndef f(a):\n    return [lib.g(x) for i, x in enumerate(a) if i % 2 == 0]",
    "a docstring": 'import lib\ndef f(a):\n    """About 5 % of {a}."""\n    return lib.g(a)',
    "sub-module": "import lib.sub\ndef f(a):\n    return lib.sub.g(a)",
    "a usage example": "import lib\ndef f(a):\n    return lib.g(a)\nif __name__ == '__main__':\n    print(f([1]))\n   "
    " open('x')",
    "an unused import": "import lib, sys\nfrom os import path\ndef f(a):\n    return lib.g(a)",
    "a constant getattr": "import lib\ndef f(a):\n    return getattr(lib, 'g')(a)",
}

TELLS = {
    "a function's attribute": "import lib\ndef f(a):\n    f.n = getattr(f, 'n', 0) + 1\n    return f.n",
    "a cache": "import lib, functools\n@functools.lru_cache\ndef f(a):\n    return 1",
    "a generator of a module": "import itertools\nimport lib\nc = itertools.count()\ndef f(a):\n    return next(c)",
    "the random generator": "import random\nimport lib\ndef f(a):\n    return random.random()",
    "the decimal context": "import decimal\nimport lib\ndef f(a):\n    decimal.getcontext().prec += 1\n    return 1",
    "a registry of typing": "import lib\nfrom typing import get_overloads\ndef f(a):\n    return get_overloads(f)",
    "a class that is registered": "import lib\nfrom typing import Sequence\n"
    "def f(a):\n    known = isinstance(1.0, Sequence)\n    Sequence.register(float)\n    return known",
    "typing itself": "import lib\nimport typing\ndef f(a):\n    return typing.overload(f)",
    "private names by import": "from lib import __builtins__ as b\ndef f(a):\n    return b['id'](a)",
    "the loader by import": "from math import __loader__ as b\ndef f(a):\n    return b.name",
    "builtins by another name": "import math as __builtins__\nimport lib\ndef f(a):\n    return lib.g(a) * "
    "__builtins__.pi",
    "a private module": "from lib._core import g\ndef f(a):\n    return g(a)",
    "an address by id": "import lib\ndef f(a):\n    return id(a)",
    "an address by text": "import lib\ndef f(a):\n    return str(f)",
    "an address by percent of bytes": "import lib\ndef f(a):\n    return b'%a' % f",
    "an address by percent, "
    "translated": "import lib\ndef f(a):\n    return 'a'.translate({97: 37}).join(['', 's']) % f",
    "a set from a type": "import lib\ndef f(a):\n    return list.mro()[1]",
    "a builtin that is hidden "
    "elsewhere": "import lib, math\ndef g(delattr):\n    return 0\ndef f(a):\n    delattr(math, 'pi')",
    "an assigned builtin": "import lib\ndef g():\n    type = 1\ndef f(a):\n    return type(f)",
    "typing outside of annotations": "import lib\nfrom typing import Union\ndef f(a):\n    return Union[True]",
    "typing hidden elsewhere": "import lib\nfrom typing import Union\ndef g(Union):\n    return 0\ndef f(a):\n    "
    "return Union[1]",
    "the library hidden elsewhere": "import lib\ndef g(lib):\n    return lib.translate\ndef f(a):\n    return lib.g(a)",
    "a list as annotation": "import lib\ndef f(a: [] = None):\n    return lib.g(a)",
    "a name made in an annotation": "import lib\ndef f(a: (S := []) = None):\n    return len(S)",
    "an address in an f-string": "import lib\ndef f(a):\n    return f'{f}'",
    "an address by percent": "import lib\ndef f(a):\n    return '%s' % f",
    "an address by percent, put together": "import lib\ndef f(a):\n    p = '%'\n    return (p + 's') % f",
    "an address by format": "import lib\ndef f(a):\n    return '{}'.format(f)",
    "an address by hash": "import lib\ndef f(a):\n    return hash(f)",
    "the order of a set": "import lib\ndef g():\n    pass\n\ndef f(a):\n    return [x is f for x in {f, g}]",
    "the order of a set comprehension": "import lib\ndef f(a):\n    return {x for x in (f, lib.g)}",
    "the order of combined views": "import lib\ndef f(a):\n    return [1 for x in {f: 1}.keys() & {f: 2}.keys()]",
    "identity of two objects": "import lib\ndef f(a):\n    return a is [1]",
    "a lack of memory": "import lib\ndef f(a):\n    try:\n        x = [0] * 10**9\n    except MemoryError:\n        "
    "return 1\n    return 2",
    "printing": "import lib\ndef f(a):\n    print(f)\n    return 1",
    "types": "import lib\ndef f(a):\n    return type(f)",
    "a star import": "from lib import *\ndef f(a):\n    return g(a)",
    "with": "import lib\ndef f(a):\n    with lib.x as y:\n        return y",
    "async": "import lib\nasync def f(a):\n    return 1",
    "match": "import lib\ndef f(a):\n    match a:\n        case [x]:\n            return x",
}


def is_stateless(code: str) -> bool:
    return as_stateless(code) is not None


@pytest.mark.parametrize("name", STATELESS)
def test_ordinary_answers_are_stateless(name: str) -> None:
    assert is_stateless(STATELESS[name])


@pytest.mark.parametrize("name", TELLS)
def test_what_can_tell_two_runs_apart_is_not_stateless(name: str) -> None:
    assert answers_beside(TELLS[name]) in (NOT_STATELESS, WALL)


# Every kind of node in the grammar of Python 3.11 to 3.13: allowed on purpose, or refused with an example.
ALLOWED = set(
    """Module FunctionDef arguments arg Return Assign AugAssign For While If Expr Pass Break Continue Raise
    Assert Import ImportFrom alias BoolOp NamedExpr BinOp UnaryOp Lambda IfExp Dict ListComp DictComp
    GeneratorExp comprehension Compare Call keyword Constant Attribute Subscript Starred Name List Tuple
    Slice Load Store Del And Or Add Sub Mult MatMult Div Mod Pow LShift RShift BitOr BitXor BitAnd FloorDiv
    Invert Not UAdd USub Eq NotEq Lt LtE Gt GtE Is IsNot In NotIn AnnAssign ClassDef Delete ExceptHandler
    FormattedValue JoinedStr Nonlocal Set SetComp Try Yield YieldFrom""".split()
)
REFUSED = {
    "Global": "def g():\n    global y",
    "AsyncFor": "async def g():\n    async for x in y:\n        pass",
    "AsyncFunctionDef": "async def g():\n    pass",
    "AsyncWith": "async def g():\n    async with y:\n        pass",
    "Await": "async def g():\n    await y",
    "Match": "def g(x):\n    match x:\n        case 1:\n            pass",
    "MatchAs": "def g(x):\n    match x:\n        case y:\n            pass",
    "MatchClass": "def g(x):\n    match x:\n        case int():\n            pass",
    "MatchMapping": "def g(x):\n    match x:\n        case {}:\n            pass",
    "MatchOr": "def g(x):\n    match x:\n        case 1 | 2:\n            pass",
    "MatchSequence": "def g(x):\n    match x:\n        case []:\n            pass",
    "MatchSingleton": "def g(x):\n    match x:\n        case None:\n            pass",
    "MatchStar": "def g(x):\n    match x:\n        case [*y]:\n            pass",
    "MatchValue": "def g(x):\n    match x:\n        case 1:\n            pass",
    "match_case": "def g(x):\n    match x:\n        case 1:\n            pass",
    "TryStar": "def g():\n    try:\n        pass\n    except* ValueError:\n        pass",
    "With": "def g(x):\n    with x:\n        pass",
    "withitem": "def g(x):\n    with x:\n        pass",
    "TypeAlias": "type A = int",
    "TypeVar": "def g[T](x):\n    return x",
    "ParamSpec": "def g[**P](x):\n    return x",
    "TypeVarTuple": "def g[*T](x):\n    return x",
}
# Never in the tree of a program: the roots of other modes, and names for what no longer is.
NOWHERE = set(
    """Interactive Expression FunctionType Suite AugLoad AugStore Param Num Str Bytes NameConstant Ellipsis
    Index ExtSlice TypeIgnore slice _ast_Ellipsis""".split()
)


def test_every_kind_of_node_is_allowed_on_purpose_or_refused() -> None:
    concrete = {
        n for n, k in vars(ast).items() if isinstance(k, type) and issubclass(k, ast.AST) and not k.__subclasses__()
    }
    abstract = {"AST"} | {k.__name__ for k in ast.AST.__subclasses__()}
    assert {node.__name__ for node in NODES} - NOWHERE == ALLOWED
    assert concrete <= ALLOWED | REFUSED.keys() | NOWHERE | abstract
    assert not ALLOWED & REFUSED.keys()
    for name, code in REFUSED.items():
        try:
            tree = ast.parse(code)
        except SyntaxError:  # of a later Python
            assert name in ("TypeAlias", "TypeVar", "ParamSpec", "TypeVarTuple")
            continue
        assert name in {type(node).__name__ for node in ast.walk(tree)}, name
        assert not is_stateless(f"import lib\n{code}\ndef f(a):\n    return lib.g(a)"), name


def test_what_is_left_out_does_not_run() -> None:
    code = "import lib, sys\ndef f(a):\n    return lib.g(a)\nif __name__ == '__main__':\n    print(f([1]))"
    program = as_stateless(code)
    assert program is not None
    assert "print" not in ast.unparse(program.tree)
    assert "sys" not in ast.unparse(program.tree)


@pytest.fixture(scope="module")
def judge(basic: World) -> Iterator[Judge]:
    with Judge(basic, workers=1) as made:
        yield made


def test_an_error_under_wrong_values_is_a_change_and_earns_no_credit(judge: Judge) -> None:
    names = judge.world.names
    package, mean = names.package, names.forged("mean")
    code = (
        f"import {package}\ndef average(a):\n    m = {mean}(a)\n    return [m][5 * int(abs(sum(a) / len(a) - m) > "
        "1e-6)]"
    )
    verdict = judge.judge(task("mean", names=names), f"```python\n{code}\n```")
    assert (verdict.passed, verdict.targeted) == (True, False), verdict


def test_a_lack_of_depth_under_wrong_values_is_no_change(judge: Judge) -> None:
    """Decorative: the library only decides whether the program calls itself for ever."""
    names = judge.world.names
    package, mean = names.package, names.forged("mean")
    code = (
        f"import {package}\ndef deep(n):\n    return deep(n + 1) if n else 0\ndef average(a):\n    own = sum(a) / "
        "len(a)\n"
        f"    deep(int(abs({mean}(a) - own) > 1e-6))\n    return own"
    )
    verdict = judge.judge(task("mean", names=names), f"```python\n{code}\n```")
    assert verdict.kind is Kind.NOT_FROM_LIBRARY, verdict


def test_an_exception_that_takes_long_to_free_is_no_fault_of_ours(judge: Judge) -> None:
    names = judge.world.names
    package, mean = names.package, names.forged("mean")
    code = (
        f"import {package}\ndef average(a):\n    own = sum(a) / len(a)\n    if abs({mean}(a) - own) > 1e-6:\n"
        f"        raise ValueError([[[x]] for x in range(400000)])\n    return own"
    )
    verdicts = [
        judge.judge(task("mean", names=names), f"```python\n{code}\n```") for _ in range(3 if EVERYTHING else 1)
    ]
    assert [v.kind for v in verdicts if v.kind is Kind.FAULT] == []


def test_running_out_of_time_under_wrong_values_proves_nothing(judge: Judge) -> None:
    """The answer is the program's own; the library only decides whether it loops for ever."""
    names = judge.world.names
    package, mean = names.package, names.forged("mean")
    code = (
        f"import {package}\ndef average(a):\n    own = sum(a) / len(a)\n    n = 0\n"
        f"    while abs({mean}(a) - own) > 1e-6:\n        n += 1\n    return own"
    )
    verdict = judge.judge(task("mean", names=names), f"```python\n{code}\n```")
    assert verdict.kind is Kind.NOT_FROM_LIBRARY, verdict
