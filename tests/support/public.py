"""Everything public by its name, which is its own in all namespaces."""

import inspect

import howsure as hs

NAMESPACES = ("comparison", "compat", "designs", "labels", "methods", "pooling", "results", "shift", "tables")
NAMES = {name: getattr(hs, name) for name in hs.__all__}
for space in NAMESPACES:
    NAMES |= {name: getattr(getattr(hs, space), name) for name in getattr(hs, space).__all__}
FUNCTIONS = {name: NAMES[name] for name in sorted(NAMES) if inspect.isfunction(NAMES[name])}
CLASSES = {name: NAMES[name] for name in sorted(NAMES) if inspect.isclass(NAMES[name])}
