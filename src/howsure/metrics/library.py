"""All metrics: importing this module imports every module of metrics, and so completes the registry."""

import pkgutil
from importlib import import_module

from howsure import metrics
from howsure.metrics.registry import REGISTRY

for module in pkgutil.iter_modules(metrics.__path__):
    import_module(f"{metrics.__name__}.{module.name}")
REGISTRY.put_in_order()
