"""The names of other packages, each returning an `Estimate`.

A call that works with scikit-learn works here, and so does one written for the package ``confidenceinterval``:
changing the import is enough.
"""

from howsure.namespaces import namespace

__getattr__, __dir__, __all__ = namespace(__name__, __file__)
