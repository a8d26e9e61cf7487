"""Everything public by its name, which is its own in all namespaces."""

import inspect

import howsure as hs

APART = {"lab", "plots"}  # with tests of their own
NAMES = {name: getattr(hs, name) for name in hs.__all__}
NAMESPACES = [name for name, thing in NAMES.items() if inspect.ismodule(thing) and name not in APART]
for space in NAMESPACES:
    NAMES |= {name: getattr(NAMES[space], name) for name in NAMES[space].__all__}
FUNCTIONS = {name: NAMES[name] for name in sorted(NAMES) if inspect.isfunction(NAMES[name])}
CLASSES = {name: NAMES[name] for name in sorted(NAMES) if inspect.isclass(NAMES[name])}
