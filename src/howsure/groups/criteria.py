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
