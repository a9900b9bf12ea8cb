"""Programs other than the plainest ones can be stateless too: with guards, they give the same results and reveal
nothing about the process."""

from __future__ import annotations

import pytest

from tests.beside import NOT_STATELESS, WALL, answers_alone, answers_beside

HONEST = {
    "text of numbers": """
import lib
def f(a):
    width = 8
    return [f'{x:.2f}|{x!r:>{width}}' + str(x) + '%5.1f' % x + '{:>5}'.format(x) for x in a] + [repr(a), format(3, 'x')]
""",
    "text of lists, mapped": "import lib\ndef f(a):\n    return ', '.join(map(str, a)) + max(['a', 'bb'], key=str)",
    "printing": "import lib\ndef f(a):\n    print('sum', sum(a), a, sep='; ')\n    return lib.g(a)",
    "named errors": """
import lib
def f(a):
    try:
        return lib.g(a) / (a[0] - 1)
    except (ZeroDivisionError, ValueError) as error:
        return 0
    else:
        return 1
""",
    "any error": "import lib\ndef f(a):\n    try:\n        return int('x')\n    except Exception:\n        return "
    "lib.g(a)",
    "a bare except": "import lib\ndef f(a):\n    try:\n        return a[7]\n    except:\n        return lib.g(a)",
    "sets of numbers": """
import lib
def f(a):
    seen = set(a) | {3.0, 'x'} - {'x'}
    seen.add(1.5)
    seen.update([7.0], (8.0,))
    seen.discard(8.0)
    return sorted(seen.union([2.5])) + list({x for x in a}) + [seen.issubset({1}), 1.5 in seen, len(frozenset(a))]
""",
    "walks over a dict": """
import lib
def f(a):
    d = {x: lib.g(a) for x in a}
    return [k for k, v in d.items()] + sorted(d.keys()) + [max(d.items(), key=lambda pair: pair[1])[0], 1.0 in d.keys()]
""",
    "a class": '''
import lib
class Row:
    """One row."""
    unit = 2
    def __init__(self, a):
        self.a = a
        self._n, self.m = 0, 1
    @property
    def twice(self):
        return self.unit * lib.g(self.a)
    @classmethod
    def of(cls, a):
        return cls(a)
    @staticmethod
    def half(x):
        return x / 2
    def count(self):
        self._n += 1
        return self._n
def f(a):
    row = Row.of(a)
    return [row.twice, row.count(), row.count(), Row.half(3), row.m, isinstance(row, Row), hasattr(row, 'zz')]
''',
    "dataclasses": """
from dataclasses import asdict, dataclass, field
import lib
@dataclass(frozen=True)
class Row:
    a: list[float]
    scale: float = 2.0
    names: list[str] = field(default_factory=list)
    def total(self) -> lib.Array:
        return self.scale * lib.g(self.a)
@dataclass
class Pair:
    x: int
    y: int = 1
    def __post_init__(self):
        self.y += self.x
def f(a: list[float]) -> list[float]:
    same = Row(a) == Row(a)
    return [Row(a).total() + Row(a, scale=1.0).total(), same, asdict(Pair(3)), Pair(3).y]
""",
    "an error of its own": """
import lib
class Empty(ValueError):
    pass
def f(a):
    try:
        raise Empty('no')
    except Empty:
        return lib.g(a)
""",
    "names for types": """
from __future__ import annotations
from collections.abc import Sequence
from typing import Final
import lib
Row = Sequence[float]
LIMIT: Final = 3
def f(a: Row) -> list[Row]:
    total: float = lib.g(a)
    return [total, LIMIT]
""",
    "tables of the module": "import lib\nWEIGHTS = [1, 2]\nINF = float('inf')\ndef f(a):\n"
    "    return [w * lib.g(a) for w in WEIGHTS] + [INF]",
    "parts of modules": """
import itertools
import operator
from collections import Counter, defaultdict, deque
from functools import partial, reduce
import lib
_g = partial(lib.g)
def f(a):
    d = defaultdict(list)
    for x, y in itertools.pairwise(a):
        d[x].append(y)
    last = deque(a, maxlen=2)
    last.appendleft(5)
    counts = Counter(a)
    sums = list(itertools.accumulate(a))
    return [reduce(operator.add, a), counts.most_common(1)[0][0], counts.total(), _g(a), len(d), list(last), sums]
""",
    "lists that are compared": "import lib\ndef f(a):\n    return [a == [], a != [1.0, 2.0, 2.0], a in [[1.0, 2.0, "
    "2.0]], [1] < a, str(a)]",
    "orders of sets": "import lib\ndef f(a):\n    s = {17, 34, 2, 51, 8}\n    t = set(s)\n    t.update({3, 99, 1})\n"
    "    return [list(s), list(t), list(set({'b': 1, 'a': 2}))]",
    "an own getattr": "import lib\ndef getattr(x, name):\n    return name\ndef f(a):\n    return getattr(a, 'zz')",
    "a key that is a type": "import lib\ndef g(x, key):\n    return key\ndef f(a):\n    return g(1, key=int)(2.5)",
    "a variable that is only "
    "declared": "import lib\nx = 5\ndef f(a):\n    x: int\n    if len(a) > 1:\n        x = 2\n    return x",
    "a method that answers": "import lib\nclass Solution:\n    def f(self, a):\n        return lib.g(a)",
    "a generator": "import lib\ndef rows(a):\n    for x in a:\n        yield [x]\ndef f(a):\n"
    "    return [lib.g(r) for r in rows(a)] + [next(rows(a))]",
    "remainders": "import lib\ndef f(a):\n    n = len(a)\n    i = 7 % n\n    i %= n\n    a[0] %= 2\n    return [a[i] "
    "% n, a]",
    "types that are compared": "import lib\ndef f(a):\n"
    "    return [type(x) is float or type(x) in (str, int) or isinstance(x, (str, set)) for x in a]",
    "names of builtins": "import lib\ndef f(a):\n    credits, id = a[0], 2\n    return credits * id",
    "closures": "import lib\ndef f(a):\n    n = 0\n    def g():\n        nonlocal n\n        n += 1\n        return n\n"
    "    return [g(), g()]",
    "del": "import lib\ndef f(a):\n    b = {1: 2}\n    del b[1], a[0]\n    return [len(b), a]",
    "a module by another name": "import lib\ndef f(a):\n    part = lib.sub\n    return part.g(a)",
    "text methods": "import lib\ndef f(a):\n"
    "    return ['7'.zfill(3), 'a-b'.partition('-'), 'x'.center(5), ' x'.removeprefix(' '), 'ab'.isalnum()]",
}


@pytest.mark.parametrize("name", HONEST)
def test_a_program_means_the_same_beside_the_library(name: str) -> None:
    assert answers_beside(HONEST[name]) == answers_alone(HONEST[name])


ERRORS = {
    "a method that arrays do not have": "import lib\ndef f(a):\n    return lib.array().mean()",
    "a method that lists do not have": "import lib\ndef f(a):\n    return a.tolist()",
    "an attribute of None": "import lib\ndef f(a):\n    return None.shape",
    "a set of lists": "import lib\ndef f(a):\n    return {a}",
    "text and a number": "import lib\ndef f(a):\n    return '%d' % 'x'",
}


@pytest.mark.parametrize("name", ERRORS)
def test_an_error_is_the_same_beside_the_library(name: str) -> None:
    errors = []
    for answers in (answers_beside, answers_alone):
        with pytest.raises(Exception) as caught:
            answers(ERRORS[name])
        errors.append((caught.type.__name__, str(caught.value)))
    assert errors[0] == errors[1]


SHOWS = {
    "an address by text": "return str(f)",
    "by text of a list": "return str([f])",
    "by text of a dict": "return repr({1: lib.g})",
    "by text of an own object": "return str(C())",
    "by text of a method": "return str(C().m)",
    "by text of an error": "try:\n        lib.g([f])\n    except TypeError as e:\n        return str(e)",
    "by the parts of an error": "try:\n        raise ValueError(f)\n    except ValueError as e:\n        return e.args",
    "in an f-string": "return f'{f}'",
    "in a list that changes before it is shown": "x = []\n    def grow():\n        x.append(grow)\n        return ''\n"
    "    return f'{x:{grow()}}'",
    "the order of views that are handed back": "d = {C(): i for i in range(8)}\n    v = max(d.keys(), {}.keys())\n"
    "    return [d[o] for o in v & v]",
    "of views in a sum": "v = sum([], {C(): 1, f: 2}.keys())\n    return v & v",
    "names of the library by text": "return hasattr(lib, 'g' + '')",
    "a type that another function is given": "return isinstance(lambda t: t(f), str)()",
    "views that another function is given": "return zip(lambda v: list(v & v), {f: 1, lib.g: 2}.keys())()",
    "a type that is made": "return type(*['N', (), {}]) == int",
    "in the width of an f-string": "return f'{1:>{f}}'",
    "by percent": "return '%s' % f",
    "by percent, of a tuple": "return '%s %s' % (1, f)",
    "by percent, put together": "return ('%' + 's') % f",
    "by percent, in place": "x = '%s'\n    x %= f\n    return x",
    "by format": "return '{}'.format(f)",
    "by the part of a format": "return '{0.real.__add__}'.format(1)",
    "by the item of a format": "return '{0[0]}'.format([f])",
    "by the width of a format": "return '{:{w.real.__add__}}'.format(1, w=1)",
    "by text, mapped": "return list(map(str, [f]))",
    "by a key": "return sorted([f, lib.g], key=str)",
    "by print": "print(f)",
    "by format, built in": "return format(f)",
    "the text of a type": "return type('')(f)",
    "a type that makes sets": "return [x is f for x in type({1})([f, lib.g])]",
    "a type, walked over": "for t in (str, int):\n        return t(f)",
    "a type in a list": "return [str][0](f)",
    "a type by assignment": "t = str\n    return t(f)",
    "a type as a default": "g = lambda x, t=str: t(x)\n    return g(f)",
    "a type of a type": "return type(type(1))",
    "the order of a set": "return [x is None for x in {f, lib.g, None}]",
    "of a set of None": "return list({None, 'a', 7})",
    "of a set of nan": "return list({float('nan'), 1.0})",
    "of nan in a tuple": "return list({(float('nan'),), 1.0})",
    "of a set comprehension": "return {x for x in (f, lib.g)}",
    "of a set that grows": "s = {1}\n    s.add(f)\n    return list(s)",
    "of a union": "return list({1}.union([f, lib.g]))",
    "of an update": "s = set()\n    s.update([f], [lib.g])\n    return list(s)",
    "of an intersection": "return list({1}.intersection([f]))",
    "of combined views": "return [1 for x in {f: 1}.keys() & {f: 2}.keys()]",
    "of views by another name": "g = {f: 1}.keys\n    return list(g() | g())",
    "of views in a list": "v = [{f: 1}.keys()]\n    return v[0] | v[0]",
    "of views that an own function gets": "return pick({f: 1, lib.g: 2}.keys())",
    "of own objects": "return list({C(), C()})",
    "a lack of memory": "try:\n        return [0] * 10**15\n    except Exception:\n        return 1",
    "a lack of memory, by no name": "try:\n        return [0] * 10**15\n    except:\n        return 1",
    "a lack of depth": "def deep(n):\n        return deep(n + 1)\n    try:\n        return deep(0)\n    except "
    "RuntimeError:\n"
    "        return 1",
    "a missing builtin": "try:\n        credits\n        credits = 1\n    except Exception:\n        return 1",
    "the wall itself": "try:\n        return str(f)\n    except BaseException:\n        return 1",
    "the wall, by any error": "try:\n        return str(f)\n    except:\n        return 1",
    "what a function is": "f.n = 1\n    return f.n",
    "what a module is": "lib.n = 1\n    return lib.n",
    "what a type is": "C.n = 1\n    return C.n",
    "the store of another": "C.put(lib, 5)\n    return lib.n",
    "an attribute of a type": "return list.mro()",
    "an attribute of an own type": "return C.mro()",
    "an attribute of a generator": "return (x for x in a).gi_frame",
    "an attribute of a method": "return C().m.func",
    "an attribute of a property": "return C.p.fget",
    "an attribute of a partial": "return partial(f).func",
    "an attribute of a module": "return (lib if a else 0).__dict__",
    "an attribute by text": "return hasattr(f, '__code__')",
    "a table of text": "return 'a'.translate({97: 37})",
    "where text is written": "print(1, file=a)",
}
PREFIX = """
import lib
from functools import partial
class C:
    def __init__(self):
        self.x = 1
    def m(self):
        return 1
    def put(self, n):
        self.n = n
    @property
    def p(self):
        return 1
def pick(view):
    return list(view & view)
def f(a):
    """


@pytest.mark.parametrize("name", SHOWS)
def test_what_shows_something_of_the_process_goes_behind_the_wall(name: str) -> None:
    prefix = PREFIX
    if "another function is given" in name:  # a builtin that is hidden by an import
        prefix = prefix.replace("import partial", "import partial, partial as isinstance, partial as zip")
    try:
        found = answers_beside(prefix + SHOWS[name])
    except (MemoryError, RecursionError):
        return  # nobody has seen it but the judge
    assert found in (NOT_STATELESS, WALL)


REMEMBERS = {
    "a list of the module": "SEEN = []\ndef f(a):\n    SEEN.append(1)\n    return len(SEEN)",
    "a list in a tuple": "SEEN = ([],)\ndef f(a):\n    SEEN[0].append(1)\n    return len(SEEN[0])",
    "a mutable default": "def f(a, seen=[]):\n    seen.append(1)\n    return len(seen)",
    "a default of a lambda": "f = lambda a, seen=[]: seen.append(1) or len(seen)",
    "a default of a method": "class C:\n    def m(self, seen=[]):\n        seen.append(1)\n        return len(seen)\n"
    "def f(a):\n"
    "    return C().m()",
    "a global": "n = 0\ndef f(a):\n    global n\n    n += 1\n    return n",
    "a global that is new": "def f(a):\n    global n\n    try:\n        n += 1\n    except NameError:\n        n = 0\n"
    "    return n",
    "an iterator": "it = iter([1, 2, 3])\ndef f(a):\n    return next(it)",
    "a generator": "it = (x for x in range(5))\ndef f(a):\n    return next(it)",
    "an endless iterator": "import itertools\nit = itertools.count()\ndef f(a):\n    return next(it)",
    "a list of a class": "class C:\n    seen = []\ndef f(a):\n    C.seen.append(1)\n    return len(C.seen)",
    "a list that stands in two "
    "places": "T = [[], []]\ndef f(a):\n    T[0].append(1)\n    same = len(T[1])\n    T[0].pop()\n"
    "    T[1] = T[0]\n    return same",
    "a dict of defaults": "from collections import defaultdict\nd = defaultdict(int)\ndef f(a):\n    d[1] += 1\n    "
    "return d[1]",
    "a partial": "from functools import partial\ng = partial(dict, x=[])\ndef f(a):\n    x = g()['x']\n    "
    "x.append(1)\n    return len(x)",
    "a method of a list": "tick = list(range(9)).pop\ndef f(a):\n    return tick()",
    "a method of a deque": "from collections import deque\ntick = deque(range(9)).popleft\n"
    "def f(a):\n    return tick()",
    "a method of a set": "tick = {1, 2, 3}.pop\ndef f(a):\n    return tick()",
    "a method of a list in a partial": "from functools import partial\ntick = partial(list(range(9)).pop)\n"
    "def f(a):\n    return tick()",
    "a partial of a partial": "from functools import partial\ntick = partial(partial(list(range(9)).pop))\n"
    "def f(a):\n    return tick()",
    "a method of an iterator": "tick = iter([1, 2, 3]).__next__\ndef f(a):\n    return tick()",
    "a method of a list in a tuple": "ticks = (list(range(9)).pop,)\ndef f(a):\n    return ticks[0]()",
    "a list behind two underscores": "__SEEN__ = []\ndef f(a):\n    __SEEN__.append(1)\n    return len(__SEEN__)",
    "a private list": "__seen = []\ndef f(a):\n    __seen.append(1)\n    return len(__seen)",
    "a closure that a builtin makes": "def make(z):\n    n = [0]\n    def tick():\n        n[0] += 1\n        "
    "return n[0]\n    return tick\ntick = next(map(make, [0]))\ndef f(a):\n    return tick()",
    "a closure that a builtin makes, as entry": "def make(z):\n    n = [0]\n    def tick(a):\n        n[0] += 1\n"
    "        return n[0]\n    return tick\nf = next(map(make, [0]))",
    "a closure in a class": "def make(z):\n    n = [0]\n    def tick():\n        n[0] += 1\n        return n[0]\n"
    "    return tick\nclass C:\n    tick = next(map(make, [0]))\ndef f(a):\n    return C.tick()",
    "a method of a list in a class": "class C:\n    tick = list(range(9)).pop\ndef f(a):\n    return C.tick()",
    "a generator function that runs": "def make():\n    n = 0\n    while True:\n        n += 1\n        yield n\n"
    "it = max([make()], key=id)\ndef f(a):\n    return next(it)",
    "the key function of a builtin": "SEEN = []\ndef make(z):\n    SEEN.append(z)\n    return SEEN.pop\n"
    "tick = next(map(make, [0]))\ndef f(a):\n    SEEN.append(1)\n    return len(SEEN)",
    "a closure of the module": "def make():\n    n = [0]\n    def g(a):\n        n[0] += 1\n        return n[0]\n    "
    "return g\nf = make()",
    "a field that is shared": "from dataclasses import dataclass\n@dataclass\nclass C:\n    x: list = []\ndef f(a):\n "
    "   return C().x",
    "the object whose method answers": "class S:\n    def __init__(self):\n        self.n = 0\n    def f(self, a):\n"
    "        self.n += 1\n        return self.n",
    "the store of a frozen "
    "object": "from dataclasses import dataclass\ndef type(x):\n    return 0\ndef super(c, s):\n    return lib\n"
    "@dataclass(frozen=True)\nclass P:\n    x: int\ndef f(a):\n    P(1).seen = 1\n    return 1",
    "an object of the module": "class C:\n    def __init__(self):\n        self.n = 0\nc = C()\ndef f(a):\n    c.n += "
    "1\n    return c.n",
}


@pytest.mark.parametrize("name", REMEMBERS)
def test_nothing_is_remembered_from_one_call_to_the_next(name: str) -> None:
    found = answers_beside(f"import lib\n{REMEMBERS[name]}")
    assert found in (NOT_STATELESS, WALL) or found[0] == found[1]
