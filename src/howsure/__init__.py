"""Honest error bars for what people report about classifiers.

The public names stand in ``__init__.pyi`` and are imported when first used, so that ``import howsure`` stays light.
"""

from types import FunctionType

import lazy_loader

_loaded, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)


def __getattr__(name):  # noqa: ANN001, ANN202 - the stub has the types
    if name in __all__ or name.startswith("__"):
        found = _loaded(name)
        if isinstance(found, FunctionType):
            from howsure.calls import public

            globals()[name] = found = public(found)
        return found
    try:
        return _loaded(name)  # a module
    except AttributeError:
        from howsure.calls import ELSEWHERE
        from howsure.errors import did_you_mean
        from howsure.metrics.spec import named

        metric = named(name)
        remedy = did_you_mean(name, __all__) if metric is None else f" Ask for the metric: estimate(table, '{name}')."
        if name in ELSEWHERE:
            remedy = f" Use `howsure.{ELSEWHERE[name]}`."
        message = f"There is no `howsure.{name}`.{remedy}"
        raise AttributeError(message) from None
