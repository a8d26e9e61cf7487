"""Look-up of a method by name or class."""

from __future__ import annotations

from howsure.errors import HowsureError
from howsure.methods.core.method import Method
from howsure.methods.core.registry import AUTOMATIC, METHODS, Entry, find
from howsure.names import by_word, canonical, squeezed

OF_OTHERS = {  # names without blanks and signs, by the method that they mean
    "wilson": "wilsonscore",
    "wilson_cc": "wilsonwithcontinuitycorrection wilsonscorecc",
    "clopper_pearson": "cp exactbinomial binomialexact",
    "agresti_coull": "ac",
    "wald": "normalapproximation waldinterval asymptotic",
    "likelihood_ratio": "likelihood profilelikelihood profile lrt",
    "delta": "deltamethod taylor taylorseries linearization linearized sandwich woolf simel",
    "hanley_mcneil": "hanley",
    "bayes": "bayesian credible credibleinterval",
    "bootstrap_percentile": "percentilebootstrap perc",
    "bootstrap_basic": "basic reversepercentile",
    "bootstrap_bca": "biascorrectedandaccelerated biascorrectedaccelerated",
    "bootstrap_studentized": "studentized bootstrapt stud",
}
METHOD_OF = by_word(OF_OTHERS)
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
        raise HowsureError(
            f"`method` is a method or its name, not {type(method).__name__}. `howsure methods` lists them."
        )
    if canonical(method) in (AUTOMATIC, "default"):
        return None
    entry = find(method) or _of_others(method)
    if entry is None and canonical(method) in TESTS:
        raise HowsureError(
            f"`method` is of intervals, and {method!r} is a test: `hs.{TESTS[canonical(method)]}(table)`.",
            "unknown-method",
        )
    if entry is None:
        error = HowsureError.unknown("method", method, [AUTOMATIC, *METHODS, *_synonyms()])
        hint = "" if "Did you mean" in str(error) else " `howsure methods f1` lists those of a metric."
        raise HowsureError(f"{error}{hint}", error.code)
    found: Method = entry.method()
    return found


def _of_others(name: str) -> Entry | None:
    """Return the entry of another package's name, or of one of howsure's but for its signs; None if there is none."""
    plain = squeezed(name)
    own = {squeezed(each): each for each in (*METHODS, *_synonyms())}
    known = own.get(plain) or METHOD_OF.get(plain)
    return None if known is None else find(known)


def _synonyms() -> list[str]:
    return [word for each in list(METHODS.values()) for word in each.variant.synonyms]
