"""The names, arguments, defaults and results of the package ``confidenceinterval``, with right numbers.

``from howsure.compat.confidenceinterval import f1_score`` is the only change needed: a call returns the tuple ``(value,
(low, high))``, or the value alone with ``compute_ci=False``. The value is an `Estimate`, a float with the attributes of
its interval, method and reason. The default average is ``"micro"``, as in that package, and not scikit-learn's
``"binary"``.

Examples
--------
>>> from howsure.compat.confidenceinterval import f1_score
>>> value, (low, high) = f1_score([0, 1, 1, 0, 1] * 10, [0, 1, 0, 0, 1] * 10)
>>> f"{value:.2f} [{low:.2f}, {high:.2f}]"
'0.80 [0.69, 0.91]'
"""

from howsure.compat.confidenceinterval import bootstrap
from howsure.compat.confidenceinterval.auc import roc_auc_score
from howsure.compat.confidenceinterval.binary_metrics import (
    accuracy_score,
    fpr_score,
    npv_score,
    ppv_score,
    tnr_score,
    tpr_score,
)
from howsure.compat.confidenceinterval.classification_report import classification_report_with_ci
from howsure.compat.confidenceinterval.takahashi_methods import f1_score, precision_score, recall_score

__all__ = [
    "accuracy_score",
    "bootstrap",
    "classification_report_with_ci",
    "f1_score",
    "fpr_score",
    "npv_score",
    "ppv_score",
    "precision_score",
    "recall_score",
    "roc_auc_score",
    "tnr_score",
    "tpr_score",
]
