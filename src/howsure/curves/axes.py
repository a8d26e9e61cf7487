"""Names of the axes of curves."""

from __future__ import annotations

SHARES = {
    "roc": ("false positive rate", "true positive rate"),
    "det": ("false positive rate", "false negative rate"),
    "precision_recall": ("recall", "precision"),
    "calibration": ("mean predicted probability", "share of positive cases"),
    "smooth_calibration": ("predicted probability", "share of positive cases"),
}
ALONG = ("threshold: positive from this score on", "value")
# Start and end (y) of the reference line: an uninformative, or a perfectly calibrated, classifier.
DIAGONALS = {"roc": (0.0, 1.0), "det": (1.0, 0.0), "calibration": (0.0, 1.0), "smooth_calibration": (0.0, 1.0)}


def is_along_thresholds(name: str) -> bool:
    """Return whether a curve is a metric against the threshold, a step function between the scores."""
    return name not in SHARES


def axes_of(name: str) -> tuple[str, str]:
    """Return the names of the x and y axes of a curve.

    Examples
    --------
    >>> axes_of("det")
    ('false positive rate', 'false negative rate')
    """
    return SHARES.get(name, ALONG)
