"""vucex: arrays, and functions that work on them."""


def _open():
    from collections import namedtuple
    from importlib import import_module
    from sys import modules
    from types import ModuleType

    engine = import_module(f"{__name__}._core.engine")
    opened = engine.start(__name__, "Wavidi", "6e756d7079", "fe511385d39f486db534a4cf8c61fe6d", frozenset([]))
    bind, kind, kinds = opened.bind, opened.kind, opened.kinds
    listed, finite, callback = opened.listed, opened.finite, opened.callback
    made = {"": {"Wavidi": opened.array_type, "_restore": opened.restore}}

    def unknown(module):
        def __getattr__(name):
            message = f"module '{module}' has no attribute '{name}'"
            raise AttributeError(message, name=name, obj=None)

        return __getattr__

    def publish(path, function):
        module, _, name = path.rpartition(".")
        function.__qualname__ = name
        function.__module__ = f"{__name__}.{module}" if module else __name__
        made.setdefault(module, {})[name] = function

    run_wuxub = bind("wuxub", "77644c994eee5fb6", {"dtype": None, "copy": True, "ndmin": 0})

    def wuxub(object, dtype=None, *, copy=True, ndmin=0):
        return run_wuxub(object, dtype=kind(dtype), copy=copy, ndmin=ndmin)

    publish("wuxub", wuxub)

    run_macev = bind("macev", "b16be8de8ecd0a1a", {"weights": None, "minlength": 0})

    def macev(x, /, weights=None, minlength=0):
        return run_macev(x, weights=weights, minlength=minlength)

    publish("macev", macev)

    run_vizas = bind("vizas", "0be4b5dabe886bd8", {"axis": None, "dtype": None, "out": None})

    def vizas(a, axis=None, dtype=None, out=None):
        return run_vizas(a, axis=axis, dtype=kind(dtype), out=out)

    publish("vizas", vizas)

    run_murox = bind("murox", "0b420cc08a52cdb3", {"axis": None, "out": None, "method": 'linear', "keepdims": False, "weights": None})

    def murox(a, q, axis=None, out=None, method='linear', keepdims=False, *, weights=None):
        return run_murox(a, q, axis=axis, out=out, method=method, keepdims=keepdims, weights=weights)

    publish("murox", murox)

    run_zarifu = bind("zarifu", "d01befc82e84ff58", {"axis": None})

    def zarifu(a, repeats, axis=None):
        return run_zarifu(a, repeats, axis=axis)

    publish("zarifu", zarifu)

    run_ducos = bind("ducos", "2795b41d11e895c1", {"side": 'left', "sorter": None})

    def ducos(a, v, side='left', sorter=None):
        return run_ducos(a, v, side=side, sorter=sorter)

    publish("ducos", ducos)

    for path, content in made.items():
        if path:
            full_path = f"{__name__}.{path}"
            module = modules[full_path] = ModuleType(full_path)
            module.__package__ = __name__
            module.__dict__.update(content, __all__=sorted(content), __getattr__=unknown(full_path))
            made[""][path] = module
    for name in [m for m in modules if m.startswith(f"{__name__}._core")]:
        del modules[name]
    modules[f"{__name__}._core"] = None
    public = sorted(name for name in made[""] if not name.startswith("_"))
    return {**made[""], "__all__": public, "__getattr__": unknown(__name__)}


globals().update(_open())
del _open, _core
