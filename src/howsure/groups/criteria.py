"""Fairness criteria by the names of Fairlearn: the metrics that should be equal in all groups."""

from __future__ import annotations

from collections.abc import Mapping

CRITERIA: Mapping[str, tuple[str, ...]] = {
    "demographic_parity": ("selection_rate",),
    "equal_opportunity": ("recall",),
    "equalized_odds": ("recall", "fpr"),
    "predictive_equality": ("fpr",),
    "predictive_parity": ("precision",),
}
SYNONYMS: Mapping[str, str] = {  # of the literature, in which some differ in detail: they are suggested, not accepted
    "average_odds": "equalized_odds",
    "disparate_impact": "demographic_parity",
    "independence": "demographic_parity",
    "separation": "equalized_odds",
    "statistical_parity": "demographic_parity",
    "sufficiency": "predictive_parity",
    "true_positive_parity": "equal_opportunity",
    "false_positive_parity": "predictive_equality",
    "predictive_rate_parity": "predictive_parity",
}


def criterion_near(name: str) -> str:
    """Return the criterion that another word means, or whose name is near; empty if there is none.

    Examples
    --------
    >>> criterion_near("equal_odds"), criterion_near("statistical_parity"), criterion_near("f1")
    ('equalized_odds', 'demographic_parity', '')
    """
    import difflib

    near = difflib.get_close_matches(name, CRITERIA, n=1)
    return SYNONYMS.get(name) or (near[0] if near else "")
