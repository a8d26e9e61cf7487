"""Look-up of a method by name or class."""

from __future__ import annotations

from howsure.errors import HowsureError
from howsure.methods.core.method import Method
from howsure.methods.core.registry import AUTOMATIC, METHODS, canonical, find

TESTS = {  # by their names as methods
    "mcnemar": "mcnemar",
    "mcnemar_test": "mcnemar",
    "cochran": "cochrans_q",
    "cochran_q": "cochrans_q",
    "cochrans_q": "cochrans_q",
}


def named(method: str | Method | type[Method] | None) -> Method | None:
    """Return the method for a name, a synonym, a class or an instance; None for ``"auto"``.

    Parameters
    ----------
    method : str, Method or class of methods, optional
        The method; a class stands for its default settings.

    Raises
    ------
    HowsureError
        If there is no method of that name; the message lists the nearest names.
    """
    if method is None or isinstance(method, Method):
        return method
    if isinstance(method, type) and issubclass(method, Method):
        return method()
    if not isinstance(method, str):
        message = f"`method` is a method or its name, not {type(method).__name__}. `howsure methods` lists them."
        raise HowsureError(message)
    if canonical(method) == AUTOMATIC:
        return None
    entry = find(method)
    if entry is None and canonical(method) in TESTS:
        message = f"`method` is of intervals, and {method!r} is a test: `hs.{TESTS[canonical(method)]}(table)`."
        raise HowsureError(message, "unknown-method")
    if entry is None:
        synonyms = [word for each in list(METHODS.values()) for word in each.variant.synonyms]
        raise HowsureError.unknown("method", method, [AUTOMATIC, *METHODS, *synonyms])
    found: Method = entry.method()
    return found
