"""Honest error bars for what people report about classifiers.

The public names stand in ``__init__.pyi`` and are imported when first used, so that ``import howsure`` stays light.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
