"""What the axes of a curve are, in words."""

from __future__ import annotations

SHARES = {
    "roc": ("false positive rate", "true positive rate"),
    "det": ("false positive rate", "false negative rate"),
    "precision_recall": ("recall", "precision"),
    "calibration": ("mean predicted probability", "share of positive cases"),
}
ALONG = ("threshold: positive from this score on", "value")
# Corners of the line that a useless or a perfectly calibrated classifier follows.
DIAGONALS = {"roc": (0.0, 1.0), "det": (1.0, 0.0), "calibration": (0.0, 1.0)}


def is_along_thresholds(name: str) -> bool:
    """Whether a curve is a metric along thresholds: its value holds from a score down to the next one."""
    return name not in SHARES


def axes_of(name: str) -> tuple[str, str]:
    """Return what x and y of a curve are.

    Examples
    --------
    >>> axes_of("det")
    ('false positive rate', 'false negative rate')
    """
    return SHARES.get(name, ALONG)
